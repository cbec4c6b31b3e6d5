//! What drives a joint.

use drystone_contact::TieDrive;
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
        /// m or rad; of a twist in -π ..= π and, where that has no limits, the shorter way around.
        target: Real,
        /// N/m or N·m/rad.
        stiffness: Real,
        /// N·s/m or N·m·s/rad.
        damping: Real,
        /// N or N·m; infinite without a bound.
        most: Real,
    },
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
    pub(crate) fn drive(motor: Option<Self>, friction: Real) -> TieDrive {
        match motor {
            None => TieDrive { friction, ..TieDrive::NONE },
            Some(Self::Speed { speed, most }) => {
                TieDrive { speed, damping: Real::INFINITY, most, friction, ..TieDrive::NONE }
            }
            Some(Self::Spring { target, stiffness, damping, most }) => {
                TieDrive { target, stiffness, damping, most, friction, speed: 0.0 }
            }
        }
    }
}
