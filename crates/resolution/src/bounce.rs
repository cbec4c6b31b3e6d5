//! The speed of a bounce: impacts are found at a step, with a gap or an overlap left. Beyond S1.
//!
//! Velocities are updated by `f = a dt` (closing speed that the global forces give in a step) before a contact is
//! resolved, and bodies then move with them for a whole step. A closing speed `c` in this scheme is the mean over the
//! step, so `c - f/2` belongs to its begin, where the bodies are: along a free path
//! `(c - f/2)² / 2 + (f/dt) d`, with the gap `d`, is the same in every step, to the bit of the formula. So the
//! impact happens at the surface, wherever the bodies were found, with
//! ```text
//! c_s² = (c - f/2)² + 2 (f/dt) d_found        d_found: the gap before correction moved the bodies apart
//! r²   = e² c_s² - 2 (f/dt) d                 rebound speed where the bodies are now
//! ```
//! and the velocity for the next step is `r - f/2`. Reflecting `c` itself gave a ball with `e = 0.8` that is dropped
//! from 1 m 1.3 % more height after the first bounce, mostly from the correction of an overlap of centimetres, and
//! one with `e = 1` never its own height.
//!
//! Time is not mended: a bounce takes place at its step, at most a step of flight too late or too early.

use drystone_contact::ContactPoint;
use drystone_math::Real;

/// What a bounce of one contact depends on beside its speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounce {
    /// Closing speed that the global forces gave in this step, m/s; negative when they separate.
    gained: Real,
    /// `2 (f/dt) d_found`, (m/s)²: what the way to the surface adds to the squared closing speed.
    way_in: Real,
    /// `2 (f/dt) d`, (m/s)²: what the way back to the present place takes from it.
    way_out: Real,
}

impl Bounce {
    /// Of a contact whose closing speed the global forces raised by `gained` (m/s) in this step.
    #[inline]
    pub(crate) fn new(gained: Real, point: &ContactPoint, inverse_dt: Real) -> Self {
        let per_gap = 2.0 * gained * inverse_dt;
        Self {
            gained,
            way_in: per_gap * (point.distance - point.corrected_distance),
            way_out: per_gap * point.distance,
        }
    }

    /// Separating speed (m/s) after a bounce with this closing speed and restitution; `resting` (m/s) when
    /// there is none, and never less.
    ///
    /// What gravity alone gives never bounces, whatever the restitution: `c = f` at the surface leaves
    /// `e f/2 - f/2`. A bounce too low to come back to where the bodies are is lost, unless staying at that height
    /// for a moment is nearer to its energy than none.
    #[inline]
    pub(crate) fn speed_after(&self, closing: Real, restitution: Real, resting: Real) -> Real {
        if self.gained == 0.0 {
            return (restitution * closing).max(resting);
        }
        let half = 0.5 * self.gained;
        let now = (closing - half).max(0.0);
        let rebound = restitution * restitution * (now * now + self.way_in).max(0.0);
        let left = rebound - self.way_out;
        if left > 0.0 {
            (left.sqrt() - half).max(resting)
        } else if 2.0 * rebound > self.way_out {
            (-half).max(resting)
        } else {
            resting
        }
    }
}
