//! Couplings: two coordinates of ties that depend on each other, as those of gears do.

use super::{TIE_AXES, refused};
use crate::EdgeIndex;
use crate::error::ContactError;
use drystone_math::Real;

/// What a tie couples: `least ≤ factors[0] q₀ + factors[1] q₁ ≤ greatest` with two coordinates `q` (m or rad), counted over revolutions where that is
/// possible ([`crate::JointConstraint::counts_turns`]), so that what is held does not drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TieCoupling {
    /// The edges whose ties have the coordinates; `None` for two of its own.
    pub edges: Option<[EdgeIndex; 2]>,
    /// The places of the coordinates.
    pub axes: [usize; 2],
    /// What they are multiplied with.
    pub factors: [Real; 2],
    /// Least value of the sum; -∞ without.
    pub least: f64,
    /// Greatest value of the sum; ∞ without. Equal to the least one: it has this value.
    pub greatest: f64,
}

impl TieCoupling {
    /// True where the sum has one value.
    pub fn is_locked(&self) -> bool {
        self.least == self.greatest
    }

    /// `Ok` when factors are finite and not 0, and limits ascend.
    ///
    /// # Errors
    /// The first value out of range.
    pub fn validate(&self) -> Result<(), ContactError> {
        for factor in self.factors {
            if !factor.is_finite() || factor == 0.0 {
                return Err(refused("factor of a coupling", "finite and not 0", factor));
            }
        }
        if self.axes.iter().any(|&axis| axis >= TIE_AXES) {
            return Err(refused("coordinate of a coupling", "one of a tie", self.axes[0] as Real));
        }
        if self.least.is_nan() || self.least == f64::INFINITY {
            let least = self.least as Real;
            return Err(refused("least sum of a coupling", "a number, or -inf without", least));
        }
        if self.greatest.is_nan() || self.greatest < self.least || self.greatest == f64::NEG_INFINITY {
            let expected = "a number not below the least one, or inf without";
            return Err(refused("greatest sum of a coupling", expected, self.greatest as Real));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_by_name_and_value() {
        let fine = TieCoupling { edges: None, axes: [0, 3], factors: [1.0, -2.0], least: 0.0, greatest: 0.0 };
        assert_eq!(fine.validate(), Ok(()));
        let text = |coupling: TieCoupling| coupling.validate().expect_err("nonsense").to_string();
        assert_eq!(
            text(TieCoupling { factors: [1.0, 0.0], ..fine }),
            "factor of a coupling must be finite and not 0, got 0"
        );
        assert_eq!(
            text(TieCoupling { factors: [Real::NAN, 1.0], ..fine }),
            "factor of a coupling must be finite and not 0, got NaN"
        );
        assert_eq!(
            text(TieCoupling { greatest: -1.0, ..fine }),
            "greatest sum of a coupling must be a number not below the least one, or inf without, got -1"
        );
        assert_eq!(
            text(TieCoupling { least: f64::INFINITY, ..fine }),
            "least sum of a coupling must be a number, or -inf without, got inf"
        );
    }
}
