//! Tuning of the hierarchical hash grid.

use super::super::BroadError;

/// Rungs of the ladder of cell sizes.
pub(super) const RUNG_COUNT: usize = 64;
/// The rung whose cells have [`HashGridConfig::cell_size`].
const BASE_RUNG: usize = 20;

/// Tuning of a [`HierarchicalHashGrid`](super::HierarchicalHashGrid). Nothing here changes which pairs are
/// found, only how fast.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct HashGridConfig {
    /// Cell size c₀ of the base level, m. Default 1; from 1e-6 to 1e6. The levels are c₀ fᵏ for k from -20
    /// to 43. It is a constant of the world rather than the size of the first body (as in the source), so
    /// that no body's level depends on which body came first. With factor 2 its value hardly matters.
    pub cell_size: f64,
    /// Ratio f of the cell sizes of successive levels, no unit. Default 2 (found best by the source);
    /// above 1, at most 16. Larger means fewer levels to search but more boxes per cell; smaller lets the
    /// ladder end sooner, and what is larger than its last cell is tested against everything.
    pub hierarchy_factor: f64,
    /// Cells of a level when it is created. Default 4096 (16³); a power of two, 64 to 2²⁴. Larger saves the
    /// doublings of a growing scene and costs 8 bytes per cell and level.
    pub initial_cells: u32,
    /// Cells per box below which a level doubles its table, no unit. Default 8; 1 to 64. Larger means fewer
    /// boxes from elsewhere in a cell, and more memory.
    pub minimal_grid_density: u32,
    /// Boxes up to which all are tested against all. Default 32; up to 4096. Above it the grids switch on
    /// and stay on until [`clear`](super::super::BroadPhase::clear).
    pub activation_threshold: u32,
}

impl Default for HashGridConfig {
    fn default() -> Self {
        Self {
            cell_size: 1.0,
            hierarchy_factor: 2.0,
            initial_cells: 4096,
            minimal_grid_density: 8,
            activation_threshold: 32,
        }
    }
}

impl HashGridConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`BroadError::OutOfRange`] with the first setting that is out of its range.
    pub fn validate(&self) -> Result<(), BroadError> {
        let check = |fits: bool, field, expected, value| {
            if fits { Ok(()) } else { Err(BroadError::OutOfRange { field, expected, value }) }
        };
        let (size, factor, cells) = (self.cell_size, self.hierarchy_factor, self.initial_cells);
        let density = self.minimal_grid_density;
        check((1e-6..=1e6).contains(&size), "cell_size", "1e-6 to 1e6 m", size)?;
        check(factor > 1.0 && factor <= 16.0, "hierarchy_factor", "above 1, at most 16", factor)?;
        check(
            cells.is_power_of_two() && (64..=1 << 24).contains(&cells),
            "initial_cells",
            "a power of two from 64 to 2^24",
            f64::from(cells),
        )?;
        check((1..=64).contains(&density), "minimal_grid_density", "1 to 64", f64::from(density))?;
        check(
            self.activation_threshold <= 4096,
            "activation_threshold",
            "at most 4096",
            f64::from(self.activation_threshold),
        )
    }

    /// The cell sizes of all rungs, m, ascending: c₀ multiplied or divided by the factor again and again.
    pub(super) fn ladder(&self) -> [f64; RUNG_COUNT] {
        let mut ladder = [self.cell_size; RUNG_COUNT];
        for rung in BASE_RUNG + 1..RUNG_COUNT {
            ladder[rung] = ladder[rung - 1] * self.hierarchy_factor;
        }
        for rung in (0..BASE_RUNG).rev() {
            ladder[rung] = ladder[rung + 1] / self.hierarchy_factor;
        }
        ladder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_valid_and_the_ladder_doubles() {
        let config = HashGridConfig::default();
        assert_eq!(config.validate(), Ok(()));
        let ladder = config.ladder();
        assert!(ladder.windows(2).all(|w| w[1] == 2.0 * w[0]) && ladder[BASE_RUNG] == 1.0);
    }

    #[test]
    fn what_is_out_of_range_is_named() {
        for (config, name) in [
            (HashGridConfig { cell_size: f64::NAN, ..Default::default() }, "cell_size"),
            (HashGridConfig { hierarchy_factor: 1.0, ..Default::default() }, "hierarchy_factor"),
            (HashGridConfig { initial_cells: 100, ..Default::default() }, "initial_cells"),
            (HashGridConfig { minimal_grid_density: 0, ..Default::default() }, "minimal_grid_density"),
            (HashGridConfig { activation_threshold: 5000, ..Default::default() }, "activation_threshold"),
        ] {
            let BroadError::OutOfRange { field, .. } = config.validate().expect_err(name);
            assert_eq!(field, name);
        }
    }
}
