//! Work of drives: energy that joints may give.
#![expect(unsafe_code, reason = "reads bodies of an array that threads share")]
//!
//! Impulses `λ` along rows `J` change the kinetic energy of bodies in a sub-step by exactly
//! ```text
//! T' − T = Σ λ ½ (J v + J v')
//! ```
//! with the velocities `v` before all of them and `v'` after: each row has its part, and that of a drive is its work. What else grows came from nothing ([`super::energy_limit`]).

use super::algebra::get;
use super::block::{Row, TieBlock};
use drystone_contact::{
    AxisDrive, Bodies, BodyIndex, JointConstraint, JointCoordinates, SPAN, SharedBodyStates, TIE_AXES, TWIST,
};
use drystone_math::{Real, Vector3};

/// Velocity and angular velocity of a body.
pub(crate) type Velocity = (Vector3, Vector3);

impl TieBlock {
    /// Lanes with drives that gave something.
    pub(crate) fn driven_lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let rows = (0..TIE_AXES).filter(|k| self.rows >> k & 1 == 1).map(|k| &self.row[k]);
        let lanes = rows.fold(0, |lanes, row| lanes | row.driven);
        (0..8).filter(move |lane| lanes >> lane & 1 == 1)
    }

    /// Takes in the work of the drives of a lane in a sub-step, J; returns what they gave with the impulses of the sub-step, with a body that is pushed. `before` gives the velocities of a body
    /// that is pushed before the impulses, and before the forces: by these, what gives a force way all the time works as much as the force. The work is only taken in where it `is_final`.
    ///
    /// # Safety
    /// Nobody writes the bodies of the block meanwhile.
    pub(crate) unsafe fn drive_work(
        &mut self,
        lane: usize,
        hot: &SharedBodyStates<'_>,
        before: impl Fn(u32) -> [Velocity; 2],
        is_final: bool,
    ) -> Option<(u32, f64)> {
        // Twice the means, from both.
        let sums = |side: usize| {
            // SAFETY: passed on.
            let now = unsafe { self.velocity(lane, side, hot) };
            let is_pushed = self.inverse_mass[side][lane] > 0.0;
            let then = if is_pushed { before(self.ends[side][lane]) } else { [now; 2] };
            then.map(|then| {
                let (linear, angular) = (now.0 + then.0, now.1 + then.1);
                (linear + angular.cross(&get(&self.arms[side], lane)), angular)
            })
        };
        let (a, b) = (sums(0), sums(1));
        let work = |k: usize| -> f64 {
            let (place, turn) = (b[k].0 - a[k].0, b[k].1 - a[k].1);
            let rows = (0..TIE_AXES).filter(|k| self.rows >> k & 1 == 1).map(|k| &self.row[k]);
            let of_row = |row: &Row| {
                let rate = get(&row.force, lane).dot(&place) + get(&row.torque, lane).dot(&turn);
                let given = f64::from(row.given[0][lane]);
                let work = 0.5 * given * f64::from(rate);
                // What only keeps a speed gives nothing to what is faster.
                let is_speed = row.stiffness[lane] == 0.0 && row.feed[lane] == 0.0;
                if is_speed { work.min((given * f64::from(row.speed[lane])).abs()) } else { work }
            };
            rows.filter(|row| row.driven >> lane & 1 == 1).map(of_row).sum()
        };
        let (given, worked) = (work(0), work(1));
        if is_final {
            self.work[lane] += worked;
        }
        let body = self.pushed_ends(lane).into_iter().find(|&body| body != 0)?;
        Some((body, given))
    }
}

/// What a step says of the drives of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Drives {
    /// What its springs store, J: those that pull to a place that stays where it is.
    pub(super) stored: f64,
    /// What they stored half a sub-step before beside that, J, to first order: bodies have the velocities of then.
    pub(super) before: f64,
    /// What others worked in the last step, J.
    pub(super) worked: f64,
}

/// Drives of a joint in sub-steps of `h` seconds, of bodies whose velocities have this much (m/s) of forces that act in the step. Where some of them give energy, the work of all counts.
pub(super) fn drives(
    tie: &JointConstraint,
    bodies: &Bodies,
    h: Real,
    gained: impl Fn(BodyIndex) -> Vector3 + Copy,
) -> Drives {
    let mut found = Drives::default();
    if !tie.axes.iter().any(|axis| axis.drive.most > 0.0) {
        return found;
    }
    let coordinates = tie.coordinates(bodies);
    for (k, axis) in tie.axes.iter().enumerate().filter(|(_, axis)| axis.drive.most > 0.0) {
        let drive = &axis.drive;
        if !stores(drive) {
            found.worked = tie.memory.work;
            continue;
        }
        let way = f64::from(drive.target) - tie.value(bodies, k);
        let wraps = k == TWIST && !tie.counts_turns() && axis.upper == Real::INFINITY;
        let way = if wraps { f64::from(JointCoordinates::shorter(way as Real)) } else { way };
        let (way, sign) = (way.abs(), way.signum());
        let (stiffness, most) = (f64::from(drive.stiffness), f64::from(drive.most));
        // Quadratic up to the largest force, linear beyond.
        let linear = way.min(most / stiffness);
        found.stored += stiffness * linear * (way - 0.5 * linear);
        let rate = f64::from(rate(tie, bodies, &coordinates, k, gained));
        found.before += 0.5 * f64::from(h) * rate * sign * stiffness * linear;
    }
    found
}

impl Drives {
    /// What springs stored when bodies with so much kinetic energy, J, had their velocities. A spring that a sub-step follows swings by less than half a radian in it, which bounds the difference.
    pub(super) fn stored_with(&self, kinetic: f64) -> f64 {
        let most = MOST_SWING * (kinetic * self.stored).sqrt();
        // Also of what is no number.
        self.stored + self.before.max(-most).min(most)
    }
}

/// Angle of a sub-step, rad, by which a spring swings at most that it follows.
const MOST_SWING: f64 = 0.5;

/// True of a spring, damped or not, that pulls to a place that stays where it is.
fn stores(drive: &AxisDrive) -> bool {
    let is_spring = drive.stiffness > 0.0 && drive.stiffness.is_finite() && drive.damping.is_finite();
    is_spring && drive.speed == 0.0 && drive.force == 0.0
}

/// Rate of a coordinate, m/s or rad/s, without what bodies gained.
fn rate(
    tie: &JointConstraint,
    bodies: &Bodies,
    coordinates: &JointCoordinates,
    axis: usize,
    gained: impl Fn(BodyIndex) -> Vector3,
) -> Real {
    let [along, about] = coordinates.direction(axis);
    let (_, [arm_a, arm_b], centers) = tie.place(bodies);
    // Places are those of B's anchor in the frame of A; a distance is that of both anchors.
    let arm_a = if axis == SPAN { arm_a } else { centers + arm_b };
    let [a, b] = tie.bodies.map(|body| bodies.hot(body));
    let [at_a, at_b] = [(a, &arm_a), (b, &arm_b)].map(|(body, arm)| body.velocity_at(arm));
    let [gained_a, gained_b] = tie.bodies.map(gained);
    along.dot(&((at_b - gained_b) - (at_a - gained_a))) + about.dot(&(b.angular - a.angular))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn springs_store_what_they_did_half_a_sub_step_before_as_far_as_that_is_known() {
        let springs = Drives { stored: 4.0, before: -0.3, worked: 0.0 };
        assert_eq!(springs.stored_with(1.0), 3.7);
        // A sub-step that does not follow the spring says nothing of that.
        assert_eq!(springs.stored_with(0.01), 4.0 - MOST_SWING * 0.2);
        assert!(springs.stored_with(f64::NAN).is_finite());
        assert!(Drives { before: f64::NAN, ..springs }.stored_with(1.0).is_finite());
    }
}
