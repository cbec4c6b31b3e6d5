//! Joints: what they are to be, and how they are.

use crate::convert::{body, joint, position, refused, triple, vector};
use drystone::{CouplingSpec, JointAxis, JointKind, JointRef, JointSpec, Softness};
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

    /// All of it at once: `force + stiffness (target - q) + damping (speed - q')`, within `max_force` on both sides.
    #[staticmethod]
    #[pyo3(signature = (*, target=0.0, speed=0.0, stiffness=0.0, damping=0.0, force=0.0, max_force=f32::INFINITY))]
    fn servo(target: f32, speed: f32, stiffness: f32, damping: f32, force: f32, max_force: f32) -> Self {
        Self(drystone::Motor::Servo { target, speed, stiffness, damping, force, max_force })
    }
}

/// How soft a spring with a damper is.
#[pyclass(frozen, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct Spring(pub(crate) Softness);

#[pymethods]
impl Spring {
    /// By its constants, N/m and N·s/m or N·m/rad and N·m·s/rad.
    #[new]
    #[pyo3(signature = (stiffness, damping=0.0))]
    fn new(stiffness: f32, damping: f32) -> Self {
        Self(Softness::Stiffness { stiffness, damping })
    }

    /// By how the two bodies would swing on it, Hz, with a damping ratio (1: critical).
    #[staticmethod]
    #[pyo3(signature = (frequency, damping_ratio=0.0))]
    fn frequency(frequency: f32, damping_ratio: f32) -> Self {
        Self(Softness::Frequency { frequency, damping_ratio })
    }
}

/// Coordinates by their names, as [`JointAxis::name`] has them, with `_` for a space.
pub(crate) fn axis(name: &str) -> PyResult<JointAxis> {
    JointAxis::ALL.into_iter().find(|axis| axis.name().replace(' ', "_") == name).ok_or_else(|| {
        let names = JointAxis::ALL.map(|axis| axis.name().replace(' ', "_")).join(", ");
        refused(format!("a coordinate must be one of {names}, got {name:?}"))
    })
}

/// Keywords of `World.add_coupling`.
pub(crate) struct WantedCoupling {
    pub kind: String,
    pub joints: [u64; 2],
    pub ratio: Option<f32>,
    pub axes: Option<[String; 2]>,
    pub factors: Option<[f32; 2]>,
    pub limits: Option<[f64; 2]>,
    pub breaks_above: Option<[f32; 2]>,
    pub collides: bool,
}

impl WantedCoupling {
    pub(crate) fn spec(self) -> PyResult<CouplingSpec> {
        let [first, second] = self.joints.map(joint);
        let ratio = || {
            let what = format!("a {} needs a ratio (of a rack: m per rad)", self.kind);
            self.ratio.ok_or_else(|| refused(what))
        };
        let mut spec = match self.kind.as_str() {
            "gear" => CouplingSpec::gear(first, second, ratio()?),
            "rack-and-pinion" => CouplingSpec::rack_and_pinion(first, second, ratio()?),
            "pulley" => CouplingSpec::pulley(first, second, ratio()?),
            "coupling" => {
                let (Some(axes), Some(factors)) = (&self.axes, self.factors) else {
                    return Err(refused("a coupling needs axes and factors"));
                };
                CouplingSpec::new([first, second], [axis(&axes[0])?, axis(&axes[1])?], factors)
            }
            other => {
                let kinds = "gear, rack-and-pinion, pulley, coupling";
                return Err(refused(format!("the kind of a coupling must be one of {kinds}, got {other:?}")));
            }
        };
        if let Some([least, greatest]) = self.limits {
            spec = spec.limits(least, greatest);
        }
        if let Some([force, torque]) = self.breaks_above {
            spec = spec.breaks_above(force, torque);
        }
        Ok(spec.collides(self.collides))
    }
}

/// Keywords of `World.add_joint`.
pub(crate) struct Wanted {
    pub kind: String,
    pub ends: [u64; 2],
    pub at: Option<[f64; 3]>,
    pub between: Option<[[f64; 3]; 2]>,
    pub along: Option<[f64; 3]>,
    pub across: Option<[f64; 3]>,
    pub pitch: Option<f32>,
    pub steering: Option<f32>,
    pub suspension: Option<Softness>,
    pub linear_spring: Option<Softness>,
    pub angular_spring: Option<Softness>,
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
        if kind.couples_joints() {
            return Err(refused(format!("a {} couples two joints: see add_coupling", kind.name())));
        }
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
        if let Some(axis) = self.across {
            spec = spec.across(vector(axis));
        }
        if let Some(pitch) = self.pitch {
            spec = spec.pitch(pitch);
        }
        if let Some(angle) = self.steering {
            spec = spec.steering(angle);
        }
        if let Some(softness) = self.suspension {
            spec = spec.suspension(softness);
        }
        if let Some(softness) = self.linear_spring {
            spec = spec.linear_spring(softness);
        }
        if let Some(softness) = self.angular_spring {
            spec = spec.angular_spring(softness);
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

/// What a joint couples, as it is after a step.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct CouplingState {
    /// The sum of both coordinates with their factors, m or rad.
    sum: f64,
    /// How fast it changes.
    velocity: f32,
    /// How far it is beyond its limits.
    error: f64,
    /// Force along it: times a factor it is what the coordinate of that joint got, N or N·m.
    force: f32,
}

/// A joint as it is after a step.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct JointState {
    /// Force on the second body, N, world.
    force: [f32; 3],
    /// Torque on the second body, N·m, world.
    torque: [f32; 3],
    /// Coordinates: ways along x, y, z (m), twist and swings (rad), distance (m). The twist of hinges, screws and wheels counts revolutions.
    coordinates: Vec<f32>,
    /// How fast they change, m/s and rad/s.
    velocities: Vec<f32>,
    /// Angle by which a wheel is steered, rad.
    steering: f32,
    /// What it couples: the sum, how fast that changes, how far it is beyond its limits, and the force along it; `None` for most kinds.
    coupling: Option<CouplingState>,
    /// How far what it holds is from where it should be, m, and turned, rad.
    error: [f32; 2],
}

impl JointState {
    pub(crate) fn of(joint: &JointRef) -> Self {
        Self {
            force: triple(&joint.force),
            torque: triple(&joint.torque),
            coordinates: joint.coordinates.values.to_vec(),
            velocities: joint.velocities.to_vec(),
            steering: joint.steering,
            coupling: joint.coupling.map(|coupling| CouplingState {
                sum: coupling.sum,
                velocity: coupling.velocity,
                error: coupling.error(),
                force: coupling.force,
            }),
            error: joint.error,
        }
    }
}
