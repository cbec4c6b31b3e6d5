//! Couplings of a scene's joints.

use super::{JointAxisSpec, is_default};
use drystone::math::Real;
use serde::{Deserialize, Serialize};

/// What couples coordinates of two joints, from the moment at which both are there; see [`drystone::CouplingSpec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CouplingEntry {
    /// What it is.
    pub kind: CouplingKindSpec,
    /// The names of its two joints.
    pub joints: [String; 2],
    /// Least value of the sum that it holds, m or rad. Default: what it is when it is made; of a pulley none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// Greatest value. Default: what it is when it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greatest: Option<f64>,
    /// Force on the second joint above which it breaks, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks_above_force: Option<Real>,
    /// Torque on the second joint above which it breaks, N·m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks_above_torque: Option<Real>,
    /// Whether its bodies meet each other. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub collides: bool,
}

/// A kind of coupling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum CouplingKindSpec {
    /// The second joint turns by `ratio` times what the first one turns by.
    Gear {
        /// Negative for wheels that mesh from outside.
        ratio: Real,
    },
    /// The second joint slides by `radius` times what the first one turns by.
    RackAndPinion {
        /// m per rad.
        radius: Real,
    },
    /// The first distance and `ratio` times the second one are at most what they are when it is made.
    Pulley {
        /// Above 0.
        ratio: Real,
    },
    /// Any two coordinates: their sum with these factors.
    Sum {
        /// One of each joint.
        axes: [JointAxisSpec; 2],
        /// None is 0.
        factors: [Real; 2],
    },
}

impl CouplingEntry {
    /// A coupling with nothing else said.
    pub fn new(kind: CouplingKindSpec, first: impl Into<String>, second: impl Into<String>) -> Self {
        Self {
            kind,
            joints: [first.into(), second.into()],
            least: None,
            greatest: None,
            breaks_above_force: None,
            breaks_above_torque: None,
            collides: false,
        }
    }
}
