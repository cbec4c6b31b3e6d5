//! Tuning of the uniform hash grid.

use super::super::BroadError;

/// Tuning of a [`UniformHashGrid`](super::UniformHashGrid). Nothing here changes which pairs are found, only how fast.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct UniformGridConfig {
    /// Edge of a cell, m. Default `None`: chosen from the boxes, so that most are shorter than a cell, and again when as many boxes
    /// have changed as there are; else from 1e-6 to 1e6. Larger means fewer cells per box and more boxes per cell.
    pub cell_size: Option<f64>,
    /// Cells that a box may cover and be put into all of them. Default 512 (8³); from 1 to 65 536. What covers more is tested against
    /// everything. Larger lets longer boxes into the grid, which cost memory and time for each cell.
    pub most_cells: u32,
}

impl Default for UniformGridConfig {
    fn default() -> Self {
        Self { cell_size: None, most_cells: 512 }
    }
}

impl UniformGridConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// [`BroadError::OutOfRange`] with the first setting that is out of its range.
    pub fn validate(&self) -> Result<(), BroadError> {
        if let Some(value) = self.cell_size
            && !(1e-6..=1e6).contains(&value)
        {
            return Err(BroadError::OutOfRange { field: "cell_size", expected: "1e-6 to 1e6 m", value });
        }
        if !(1..=1 << 16).contains(&self.most_cells) {
            let (expected, value) = ("1 to 65536", f64::from(self.most_cells));
            return Err(BroadError::OutOfRange { field: "most_cells", expected, value });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_named() {
        let start = UniformGridConfig::default();
        assert_eq!(start.validate(), Ok(()));
        for size in [0.0, -1.0, 1e7, f64::NAN, f64::INFINITY] {
            let config = UniformGridConfig { cell_size: Some(size), ..start.clone() };
            let BroadError::OutOfRange { field, .. } = config.validate().expect_err("no size of a cell");
            assert_eq!(field, "cell_size");
        }
        for most_cells in [0, (1 << 16) + 1] {
            let BroadError::OutOfRange { field, .. } =
                UniformGridConfig { most_cells, ..start.clone() }.validate().expect_err("no number of cells");
            assert_eq!(field, "most_cells");
        }
    }
}
