//! Degrees of freedom, one by one, as robots' files have them: between two links there is a chain of such.

use crate::model::MotorSpec;
use drystone::math::{Position, Real, Vector3};
use std::f32::consts::PI;

/// How a degree of freedom moves what hangs on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum Motion {
    /// About an axis.
    Turn,
    /// Along an axis.
    Slide,
    /// About a point, in all ways: three degrees of freedom.
    Ball,
}

/// A degree of freedom, where the model stands as its file says.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::import) struct Dof {
    /// The name of its joint; empty without.
    pub name: String,
    pub motion: Motion,
    /// A point of the axis, or the middle of a ball, m, world.
    pub at: Position,
    /// Unit, world. A ball has none that counts.
    pub axis: Vector3,
    /// Least and greatest value, rad or m, from where the model stands; of a ball the largest angle as the second one.
    pub lower: Option<Real>,
    pub upper: Option<Real>,
    pub motor: Option<MotorSpec>,
    /// A second spring with a damper, of an actuator that is only so strong, where `motor` is the joint's own.
    pub servo: Option<MotorSpec>,
    /// A spring by its time constant, s, and damping ratio, both above 0, in place of the stiffness and damping of `motor`.
    pub spring_damper: Option<[Real; 2]>,
    /// Dry friction, N or N·m.
    pub friction: Option<Real>,
    /// Inertia of a rotor that turns with it, kg m²; of a slide kg.
    pub armature: Real,
    /// Damping of the joint itself, N m s/rad or N s/m, apart from its motor's: as articulations have it.
    pub damping: Real,
    /// A value that it is held at, whatever its limits are, rad or m, from where the model stands.
    pub held: Option<Real>,
    /// Where it starts, rad or m, from where its file puts it. What is said of it is counted from there.
    pub start: Real,
    /// The number by which a [`super::Mimic`] names it; `None` where none does.
    pub number: Option<usize>,
}

impl Dof {
    /// One that is free.
    pub(in crate::import) fn new(
        name: impl Into<String>,
        motion: Motion,
        at: Position,
        axis: Vector3,
    ) -> Self {
        Self {
            name: name.into(),
            motion,
            at,
            axis,
            lower: None,
            upper: None,
            motor: None,
            servo: None,
            spring_damper: None,
            friction: None,
            armature: 0.0,
            damping: 0.0,
            held: None,
            start: 0.0,
            number: None,
        }
    }

    /// How far it may be from where it starts, rad: half a turn without limits.
    pub(super) fn reach(&self) -> Real {
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) => lower.abs().max(upper.abs()).min(PI),
            _ => PI,
        }
    }

    /// What a joint of an articulation has otherwise than a constraint: damping besides its motor, so that an actuator that is only so strong is the motor; a ball has
    /// no motor there.
    pub(super) fn part_damping(&mut self) {
        if self.servo.is_none() && self.motion != Motion::Ball {
            return;
        }
        if let Some(MotorSpec::Spring { stiffness: 0.0, damping, most: None, .. }) = self.motor {
            self.damping += damping;
            self.motor = self.servo.take();
        }
    }

    /// The one value that it can have, if there is one, rad or m, from where it starts.
    pub(super) fn locked_at(&self) -> Option<Real> {
        self.held.or(self.lower.filter(|lower| self.upper == Some(*lower)))
    }

    /// Neither limits nor what pulls to a place.
    pub(super) fn is_unbound(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }

    /// The same one with its axis the other way round, or seen from its other end.
    pub(super) fn turned_round(&self) -> Self {
        let turned = |motor: Option<MotorSpec>| {
            motor.map(|motor| match motor {
                MotorSpec::Speed { speed, most } => MotorSpec::Speed { speed: -speed, most },
                MotorSpec::Servo { target, speed, stiffness, damping, force, max_force } => {
                    let [target, speed, force] = [target, speed, force].map(|value| -value);
                    MotorSpec::Servo { target, speed, stiffness, damping, force, max_force }
                }
                MotorSpec::Spring { target, stiffness, damping, most } => {
                    MotorSpec::Spring { target: -target, stiffness, damping, most }
                }
            })
        };
        let (motor, servo) = (turned(self.motor), turned(self.servo));
        let negated = |limit: Option<Real>| limit.map(|limit| -limit);
        let (lower, upper, held) = (negated(self.upper), negated(self.lower), negated(self.held));
        Self { lower, upper, motor, servo, held, start: -self.start, ..self.clone() }
    }
}
