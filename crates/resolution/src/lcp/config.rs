//! Tuning of the complementarity solver.

use super::MAX_FACETS;
use crate::ResolutionError;
use drystone_math::Real;

/// Which law of friction the complementarity problem states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FrictionLaw {
    /// Normals only (S5-11).
    Frictionless,
    /// A pyramid with fixed directions (Stewart and Trinkle).
    Pyramid,
    /// A pyramid turned to the slip and refined until it is Coulomb's cone.
    #[default]
    Cone,
}

/// Tuning of [`super::LcpSolver`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct LcpConfig {
    /// The law of friction. Default the cone. The others cost less and leave up to 8 % (eight facets) or all of friction out.
    pub law: FrictionLaw,
    /// Whether problems with friction are solved without it under [`FrictionLaw::Frictionless`]. Default no: they are refused.
    pub ignores_friction: bool,
    /// Directions of a pyramid; even, 4 to [`MAX_FACETS`], at least 6 for the cone. Default 8 (S2-08). More are nearer to the cone, and
    /// Lemke's algorithm costs their cube.
    pub facets: u32,
    /// Unknowns up to which an island is solved by Lemke's algorithm; at least 0. Default 200: 20 contacts with eight facets. A contact has
    /// two and the facets, or one without friction. Cost grows with the cube.
    pub lemke_limit: u32,
    /// Whether sweeps take over where an island is too large for Lemke's algorithm or that finds no answer. Default yes; without, such an island is
    /// refused.
    pub falls_back: bool,
    /// Times that the pyramids of an island are turned and pivoted before sweeps go on from there, for the cone. Default 12; at least 1.
    pub max_turns: u32,
    /// Whether sweeps are made faster by conjugate gradients. Default yes.
    pub accelerates: bool,
}

impl Default for LcpConfig {
    fn default() -> Self {
        Self {
            law: FrictionLaw::default(),
            ignores_friction: false,
            facets: 8,
            lemke_limit: 200,
            falls_back: true,
            max_turns: 12,
            accelerates: true,
        }
    }
}

impl LcpConfig {
    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), ResolutionError> {
        let check = |field, expected, value: u32, is_valid: bool| {
            ResolutionError::check(field, expected, value as Real, is_valid)
        };
        let least = if self.law == FrictionLaw::Cone { 6 } else { 4 };
        let is_fitting = (least..=MAX_FACETS as u32).contains(&self.facets) && self.facets.is_multiple_of(2);
        check("facets", "even, 4 (6 for the cone) to 16", self.facets, is_fitting)?;
        check("lemke_limit", "at most 20000", self.lemke_limit, self.lemke_limit <= 20_000)?;
        check("max_turns", "at least 1", self.max_turns, self.max_turns >= 1)
    }
}
