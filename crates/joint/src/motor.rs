//! What drives a joint.

use drystone_contact::AxisDrive;
use drystone_math::Real;

/// What drives a coordinate of a joint. Forces in N along a way, torques in N·m about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motor {
    /// Keeps a speed (m/s or rad/s) as far as its largest force or torque goes.
    Speed {
        /// m/s or rad/s.
        speed: Real,
        /// N or N·m; infinite for one that always can.
        most: Real,
    },
    /// Pulls to a place (m or rad) like a spring with a damper, at most with its largest force or torque.
    Spring {
        /// m or rad: of a hinge, slider, screw or wheel any number of turns away; of the twist of other joints in -π ..= π and, where that has no limits, the
        /// shorter way around.
        target: Real,
        /// N/m or N·m/rad.
        stiffness: Real,
        /// N·s/m or N·m·s/rad.
        damping: Real,
        /// N or N·m; infinite without a bound.
        most: Real,
    },
    /// All of it at once, as a controller of a machine has it: `force + stiffness (target − q) + damping (speed − q̇)`, within `max_force` on both sides.
    Servo {
        /// Where it pulls to, m or rad (see [`Motor::Spring`]).
        target: Real,
        /// How fast the target moves, m/s or rad/s.
        speed: Real,
        /// N/m or N·m/rad; 0 for none.
        stiffness: Real,
        /// N·s/m or N·m·s/rad; 0 for none.
        damping: Real,
        /// Feed-forward: a force or torque that acts whatever the errors are, N or N·m.
        force: Real,
        /// Largest force or torque of all that together, N or N·m; infinite without a bound.
        max_force: Real,
    },
}

/// How soft a spring with a damper is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Softness {
    /// By its constants.
    Stiffness {
        /// N/m or N·m/rad.
        stiffness: Real,
        /// N·s/m or N·m·s/rad.
        damping: Real,
    },
    /// By how the two bodies would swing on it if nothing else held them: along a way by their masses, about an axis by their moments about it.
    Frequency {
        /// Hz.
        frequency: Real,
        /// 1: critical.
        damping_ratio: Real,
    },
}

impl Softness {
    /// As a drive to 0, for bodies whose inertia against each other is this (kg or kg m²).
    pub(crate) fn drive(self, inertia: Real) -> AxisDrive {
        let (stiffness, damping) = match self {
            Self::Stiffness { stiffness, damping } => (stiffness, damping),
            Self::Frequency { frequency, damping_ratio } => {
                let rate = 2.0 * std::f32::consts::PI * frequency;
                (inertia * rate * rate, 2.0 * damping_ratio * inertia * rate)
            }
        };
        AxisDrive { stiffness, damping, most: Real::INFINITY, ..AxisDrive::NONE }
    }
}

impl Motor {
    /// A spring that a mass (kg; or moment, kg m²) swings on at `frequency` (Hz), with a damping ratio (1: critical), without a bound on its
    /// force. Taken implicitly by the step, so that a frequency above that of the steps makes it stiff, not unstable.
    pub fn spring(target: Real, mass: Real, frequency: Real, damping_ratio: Real) -> Self {
        let rate = 2.0 * std::f32::consts::PI * frequency;
        Self::Spring {
            target,
            stiffness: mass * rate * rate,
            damping: 2.0 * damping_ratio * mass * rate,
            most: Real::INFINITY,
        }
    }

    /// As the response sees it, with dry friction besides (N or N·m).
    pub(crate) fn drive(motor: Option<Self>, friction: Real) -> AxisDrive {
        match motor {
            None => AxisDrive { friction, ..AxisDrive::NONE },
            Some(Self::Speed { speed, most }) => {
                AxisDrive { speed, damping: Real::INFINITY, most, friction, ..AxisDrive::NONE }
            }
            Some(Self::Spring { target, stiffness, damping, most }) => {
                AxisDrive { target, stiffness, damping, most, friction, ..AxisDrive::NONE }
            }
            Some(Self::Servo { target, speed, stiffness, damping, force, max_force: most }) => {
                AxisDrive { target, speed, stiffness, damping, force, most, friction }
            }
        }
    }
}
