//! Joints: what they are to be, and how they are.

use crate::convert::{body, position, refused, triple, vector};
use drystone::{JointKind, JointRef, JointSpec};
use pyo3::prelude::*;

/// What drives the main coordinate of a joint.
#[pyclass(frozen, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct Motor(pub(crate) drystone::Motor);

#[pymethods]
impl Motor {
    /// Keeps a speed (m/s or rad/s), as far as its largest force (N) or torque (N·m) goes.
    #[staticmethod]
    #[pyo3(signature = (speed, most=f32::INFINITY))]
    fn speed(speed: f32, most: f32) -> Self {
        Self(drystone::Motor::Speed { speed, most })
    }

    /// Pulls to a place (m or rad) with a stiffness (N/m or N·m/rad) and a damping (N·s/m or N·m·s/rad).
    #[staticmethod]
    #[pyo3(signature = (target, stiffness, damping, most=f32::INFINITY))]
    fn spring(target: f32, stiffness: f32, damping: f32, most: f32) -> Self {
        Self(drystone::Motor::Spring { target, stiffness, damping, most })
    }
}

/// Keywords of `World.add_joint`.
pub(crate) struct Wanted {
    pub kind: String,
    pub ends: [u64; 2],
    pub at: Option<[f64; 3]>,
    pub between: Option<[[f64; 3]; 2]>,
    pub along: Option<[f64; 3]>,
    pub limits: Option<[f32; 2]>,
    pub motor: Option<drystone::Motor>,
    pub friction: Option<f32>,
    pub cone: Option<f32>,
    pub breaks_above: Option<[f32; 2]>,
    pub collides: bool,
}

impl Wanted {
    pub(crate) fn spec(self) -> PyResult<JointSpec> {
        let kind = JointKind::ALL.into_iter().find(|kind| kind.name() == self.kind).ok_or_else(|| {
            let names = JointKind::ALL.map(JointKind::name).join(", ");
            refused(format!("the kind of a joint must be one of {names}, got {:?}", self.kind))
        })?;
        if self.at.is_some() && self.between.is_some() {
            return Err(refused("a joint is `at` one point or `between` two, got both"));
        }
        let mut spec = JointSpec::new(kind, body(self.ends[0]), body(self.ends[1])).collides(self.collides);
        if let Some(at) = self.at {
            spec = spec.at(position(at));
        }
        if let Some([on_a, on_b]) = self.between {
            spec = spec.between(position(on_a), position(on_b));
        }
        if let Some(axis) = self.along {
            spec = spec.along(vector(axis));
        }
        if let Some([lower, upper]) = self.limits {
            spec = spec.limits(lower, upper);
        }
        if let Some(motor) = self.motor {
            spec = spec.motor(motor);
        }
        if let Some(friction) = self.friction {
            spec = spec.friction(friction);
        }
        if let Some(angle) = self.cone {
            spec = spec.cone(angle);
        }
        if let Some([force, torque]) = self.breaks_above {
            spec = spec.breaks_above(force, torque);
        }
        Ok(spec)
    }
}

/// A joint as it is after a step.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct JointState {
    /// Force on the second body, N, world.
    force: [f32; 3],
    /// Torque on the second body, N·m, world.
    torque: [f32; 3],
    /// Coordinates: ways along x, y, z (m), twist and swings (rad), distance (m).
    coordinates: Vec<f32>,
    /// How far what it holds is from where it should be, m, and turned, rad.
    error: [f32; 2],
}

impl JointState {
    pub(crate) fn of(joint: &JointRef) -> Self {
        Self {
            force: triple(&joint.force),
            torque: triple(&joint.torque),
            coordinates: joint.coordinates.values.to_vec(),
            error: joint.error,
        }
    }
}
