//! Bodies on joints that spin fast: between the impulses of two sub-steps they turn as free bodies do.
//!
//! Arms and inertias of a step are those of its begin, and a body in contact turns by the sum of its angular velocities, after which its angular momentum
//! gives it the velocity that it has then. For what spins by a tenth of a radian in a step or more that is too coarse on a joint: the gyroscopic part
//! of the motion comes all at once, when the joints of the step are solved already, and a heavy top falls over. So such bodies
//! take each sub-step as [`crate::free`] does (exact in the angular momentum). The velocity with which joints are solved is that in the middle of a sub-step: half a
//! free turn, impulses, half a free turn, which is what the body turns by on the mean, and of second order in the length of a sub-step.
//!
//! What a sub-step turns by is handed on as the rotation vector of the whole turn since the begin of the step, longer than a half turn where the body has
//! made it.

use super::layout::Layout;
use super::push::Push;
use crate::free::Turning;
use drystone_contact::{Bodies, BodyHot, BodyIndex, LocalInertia};
use drystone_math::{BitSet, Real, Rotation, Vector3, atan2, integrate_rotation};

/// Angle of a step, rad, from which on a body spins fast. Below it the gyroscopic part of a step is some hundredths of the velocities across the spin.
const FAST: Real = 0.03;

/// A body that spins fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spin {
    /// Its place among the members of its unit.
    member: u32,
    body: u32,
    start: Rotation,
    turning: Turning,
    inertia: LocalInertia,
    /// Rotation vector of its turn since the begin of the step, rad.
    turned: Vector3,
}

/// Those of a step.
#[derive(Debug, Default)]
pub(super) struct Spins {
    /// Unit after unit.
    pub(super) list: Vec<Spin>,
    /// First of each unit, and the end.
    pub(super) offsets: Vec<u32>,
    /// Their bodies.
    bodies: BitSet,
}

impl Spins {
    /// Finds those of a step of `dt` seconds: members of units with joints. O(members of these).
    pub(super) fn find(&mut self, layout: &Layout, bodies: &Bodies, dt: Real) {
        for spin in &self.list {
            self.bodies.remove(spin.body);
        }
        self.list.clear();
        self.offsets.clear();
        for unit in &layout.units {
            self.offsets.push(self.list.len() as u32);
            if unit.ties.is_empty() {
                continue;
            }
            let members = &layout.members[unit.members.start as usize..unit.members.end as usize];
            for (member, &body) in (0..).zip(members) {
                let (index, view) = (BodyIndex(body), bodies.view());
                let (hot, inertia) = (bodies.hot(index), view.local_inertia[index.get()]);
                let is_fast = hot.angular.norm_squared() * (dt * dt) > FAST * FAST;
                if is_fast && !inertia.is_isotropic && inertia.turns_freely() {
                    let start = view.pose[index.get()].rotation;
                    let (angular, remainder) = (hot.angular, Default::default());
                    let turning = Turning { rotation: start, angular, remainder };
                    let turned = Vector3::zeros();
                    self.list.push(Spin { member, body, start, turning, inertia, turned });
                }
            }
        }
        self.offsets.push(self.list.len() as u32);
        if !self.list.is_empty() {
            self.bodies.resize(bodies.capacity() as u32);
            self.list.iter().for_each(|spin| self.bodies.insert(spin.body));
        }
    }

    /// Whether a body is one of them.
    #[inline]
    pub(super) fn contains(&self, body: u32) -> bool {
        !self.list.is_empty() && self.bodies.contains(body)
    }
}

impl Spin {
    /// Its place among the members of its unit.
    pub(super) fn member(&self) -> usize {
        self.member as usize
    }

    /// Before the first sub-step, of `h` seconds: the velocity becomes that in the middle of it.
    pub(super) fn begin(&mut self, hot: &mut BodyHot, h: Real) {
        self.turning.angular = hot.angular;
        self.turning.turn(&self.inertia, 0.5 * h);
        if drystone_math::is_finite(&self.turning.angular) {
            hot.angular = self.turning.angular;
        }
    }

    /// Turns the body to the end of a sub-step of `h` seconds, at the end of which it moves by its velocity as all do, and unless that was the last one (`is_last`) to the
    /// middle of the next.
    pub(super) fn turn(&mut self, push: &mut Push, hot: &mut BodyHot, h: Real, is_last: bool) {
        // Impulses were given with the inertia at the begin of the step. They are right; what they change is a matter of the inertia now. (What the next
        // sub-step repeats of them stays as it was given.)
        let (before, given) = (hot.angular, push.given_angular(hot));
        let impulse = self.inertia.world(&self.start) * given;
        let now = self.inertia.inverse_world(&self.turning.rotation) * impulse;
        self.turning.angular = before - given + now * bearable(impulse.dot(&given), impulse.dot(&now));
        self.turning.turn(&self.inertia, 0.5 * h);
        let whole = self.turning.rotation * self.start.inverse();
        let turned = rotation_vector(&whole, &(self.turned + before * h));
        if !is_last {
            self.turning.turn(&self.inertia, 0.5 * h);
        }
        let after = self.turning.angular;
        if !(drystone_math::is_finite(&after) && drystone_math::is_finite(&turned)) {
            return;
        }
        self.turned = turned;
        // No impulse gave that.
        push.add_angular(&(after - before));
        hot.angular = after;
        hot.delta_rotation = turned - after * h;
    }
}

impl Spin {
    /// After overlap and stretch were taken back: what turned the body was no impulse, so its angular momentum stays, and its velocity follows.
    pub(super) fn follow(&mut self, push: &mut Push, hot: &mut BodyHot) {
        let pushed = hot.delta_rotation - self.turned;
        let before = self.turning.rotation;
        let turned = integrate_rotation(&before, &pushed, 1.0);
        let momentum = self.inertia.world(&before) * hot.angular;
        let change = self.inertia.inverse_world(&turned) * momentum - hot.angular;
        if !drystone_math::is_finite(&change) {
            return;
        }
        (self.turning.rotation, self.turned) = (turned, hot.delta_rotation);
        hot.angular += change;
        push.add_angular(&change);
    }
}

/// Share of what an impulse does to a body that has turned since the impulse was found, by its energy then and now (twice, J): it gets no more
/// energy than it was found with. One that was to stop a limb across its length, and meets it along its length, where it turns twenty times as
/// easily, would spin it up, the more the faster it turns: limbs of `ragdolls:200` got 90, 280 and 5300 rad/s in three steps, also where twice the
/// energy was let through. A body that keeps its shape before the impulse, as a top does, takes all of it.
fn bearable(then: Real, now: Real) -> Real {
    if now > then && then >= 0.0 { (then / now).sqrt() } else { 1.0 }
}

/// The rotation vector of a rotation, rad, of all that there are the nearest to `guess`.
fn rotation_vector(rotation: &Rotation, guess: &Vector3) -> Vector3 {
    let (imaginary, real) = (rotation.imag(), rotation.w);
    let sine = imaginary.norm();
    let length = guess.norm();
    let whole = 2.0 * std::f32::consts::PI;
    if sine < 1e-4 && length > 1.0 {
        // As good as none, or whole turns: about what they were about.
        let axis = guess / length;
        let rest = imaginary * (2.0 * real.signum());
        return axis * (whole * (length / whole).round()) + rest;
    }
    if sine == 0.0 {
        return Vector3::zeros();
    }
    let axis = imaginary / sine;
    let angle = 2.0 * atan2(sine, real);
    axis * (angle + whole * ((axis.dot(guess) - angle) / whole).round())
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::rotation_from_vector;

    #[test]
    fn impulses_have_no_more_energy_than_they_were_found_with() {
        assert_eq!((bearable(2.0, 2.0), bearable(2.0, 0.1), bearable(0.0, 0.0)), (1.0, 1.0, 1.0));
        // The energy goes with the square of the share.
        let share = bearable(2.0, 40.0);
        assert!((40.0 * share * share - 2.0).abs() < 1e-5, "{share}");
        assert_eq!(bearable(Real::NAN, 1.0), 1.0);
    }

    #[test]
    fn turns_of_all_lengths_come_back() {
        let axis = Vector3::new(0.6, -0.48, 0.64);
        for k in 0..200 {
            let angle = -10.0 + 0.1 * k as Real;
            let vector = axis * angle;
            let found =
                rotation_vector(&rotation_from_vector(&vector), &(vector * 1.01 + Vector3::repeat(0.02)));
            assert!((found - vector).norm() < 2e-5 * (1.0 + angle.abs()), "{angle}: {found}");
        }
        assert_eq!(rotation_vector(&Rotation::identity(), &Vector3::zeros()), Vector3::zeros());
    }
}
