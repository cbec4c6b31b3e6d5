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
use crate::free::{Turning, Turnings, top_axes};
use drystone_contact::{Bodies, BodyHot, BodyIndex, LocalInertia};
use drystone_math::wide::{Isa, Kernel, Lanes};
use drystone_math::{BitSet, Real, Rotation, Symmetric3, Vector3, atan2, integrate_rotation};

/// Angle of a step, rad, from which on a body spins fast. Below it the gyroscopic part of a step is some hundredths of the velocities across the spin.
const FAST: Real = 0.03;

/// A body that spins fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spin {
    /// Its place among the members of its unit.
    member: u32,
    body: u32,
    start: Rotation,
    /// Its inertia there, kg m², world.
    at_start: Symmetric3,
    /// Its inverse inertia as it is turned now, 1/(kg m²), world.
    inverse: Symmetric3,
    turning: Turning,
    inertia: LocalInertia,
    /// Its axes as those of a top.
    top: [u8; 3],
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
                let index = BodyIndex(body);
                let (hot, inertia) = (bodies.hot(index), &bodies.view().local_inertia[index.get()]);
                let is_fast = hot.angular.norm_squared() * (dt * dt) > FAST * FAST;
                if is_fast && !inertia.is_isotropic && inertia.turns_freely() {
                    self.list.push(Spin::new(member, index, bodies));
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
    /// Of a body as it is when the step begins. What follows from that [`begin`] finds, by all threads.
    fn new(member: u32, body: BodyIndex, bodies: &Bodies) -> Self {
        let view = bodies.view();
        let (start, inertia) = (view.pose[body.get()].rotation, view.local_inertia[body.get()]);
        let turning =
            Turning { rotation: start, angular: bodies.hot(body).angular, remainder: Default::default() };
        let [at_start, inverse] = [Symmetric3::ZERO; 2];
        let (top, turned) = ([0, 1, 2], Vector3::zeros());
        Self { member, body: body.0, start, at_start, inverse, turning, inertia, top, turned }
    }

    /// Its place among the members of its unit.
    pub(super) fn member(&self) -> u32 {
        self.member
    }

    pub(super) fn body(&self) -> u32 {
        self.body
    }

    /// Takes what impulses did since the last turn. They were given with the inertia at the begin of the step. They are right; what they change is a matter of
    /// the inertia now. (What the next sub-step repeats of them stays as it was given.)
    #[inline(always)]
    fn take(&mut self, push: &Push, hot: &BodyHot) {
        let (before, given) = (hot.angular, push.given_angular(hot));
        let impulse = self.at_start * given;
        let now = self.inverse * impulse;
        self.turning.angular = before - given + now * bearable(impulse.dot(&given), impulse.dot(&now));
    }

    /// What it turned by since the begin of the step, when its own turn stands at the end of a sub-step of `h` seconds.
    #[inline(always)]
    fn turn_since_start(&self, hot: &BodyHot, h: Real) -> Vector3 {
        rotation_vector(&(self.turning.rotation * self.start.inverse()), &(self.turned + hot.angular * h))
    }

    /// Gives its velocity in the middle of the next sub-step, and moves the body to the end of this one, of `h` seconds, at the end of which it moves by its
    /// velocity as all do.
    #[inline(always)]
    fn give(&mut self, turned: Vector3, push: &mut Push, hot: &mut BodyHot, h: Real) {
        let after = self.turning.angular;
        if !(drystone_math::is_finite(&after) && drystone_math::is_finite(&turned)) {
            return;
        }
        self.turned = turned;
        // No impulse gave that.
        push.add_angular(&(after - hot.angular));
        hot.angular = after;
        hot.delta_rotation = turned - after * h;
    }

    /// After overlap and stretch were taken back: what turned the body was no impulse, so its angular momentum stays, and its velocity follows.
    pub(super) fn follow(&mut self, push: &mut Push, hot: &mut BodyHot) {
        let pushed = hot.delta_rotation - self.turned;
        let before = self.turning.rotation;
        let turned = integrate_rotation(&before, &pushed, 1.0);
        let momentum = self.inertia.world(&before) * hot.angular;
        self.inverse = self.inertia.inverse_world(&turned);
        let change = self.inverse * momentum - hot.angular;
        if !drystone_math::is_finite(&change) {
            self.inverse = self.inertia.inverse_world(&before);
            return;
        }
        (self.turning.rotation, self.turned) = (turned, hot.delta_rotation);
        hot.angular += change;
        push.add_angular(&change);
    }
}

/// Bodies that are turned side by side.
const LANES: usize = 4;
type Four = Turnings<LANES>;

/// Loads up to four.
#[inline(always)]
fn load(four: &[Spin]) -> Four {
    Four::load(|lane| {
        // Lanes without a body do what the last one does, for nobody.
        let spin = &four[lane.min(four.len() - 1)];
        (&spin.turning, &spin.inertia, spin.top)
    })
}

/// Turns them for `dt` seconds; what does not turn stays to the bit.
#[inline(always)]
fn turn_all(lanes: &mut Four, four: &mut [Spin], dt: Real) {
    lanes.turn(dt);
    for (lane, spin) in four.iter_mut().enumerate() {
        if spin.turning.angular != Vector3::zeros() {
            lanes.store(lane, &mut spin.turning);
        }
    }
}

/// Before the first sub-step, of `h` seconds: velocities become those in the middle of it. `record` gives the record of a body.
pub(super) fn begin<'b>(spins: &mut [Spin], record: impl Fn(&Spin) -> &'b mut BodyHot, h: Real, isa: Isa) {
    isa.run(Begin { spins, record, h });
}

struct Begin<'a, R> {
    spins: &'a mut [Spin],
    record: R,
    h: Real,
}

impl<'b, R: Fn(&Spin) -> &'b mut BodyHot> Kernel for Begin<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        for four in self.spins.chunks_mut(LANES) {
            for spin in four.iter_mut() {
                spin.turning.angular = (self.record)(spin).angular;
                (spin.at_start, spin.top) = (spin.inertia.world(&spin.start), top_axes(&spin.inertia));
            }
            turn_all(&mut load(four), four, 0.5 * self.h);
            for spin in four {
                spin.inverse = spin.inertia.inverse_world(&spin.turning.rotation);
                if drystone_math::is_finite(&spin.turning.angular) {
                    (self.record)(spin).angular = spin.turning.angular;
                }
            }
        }
    }
}

/// Turns bodies to the end of a sub-step of `h` seconds, and unless that was the last one (`is_last`) to the middle of the next. `of` gives what pushes a body, and its record.
pub(super) fn turn<'b>(
    spins: &mut [Spin],
    of: impl Fn(&Spin) -> (&'b mut Push, &'b mut BodyHot),
    (h, is_last): (Real, bool),
    isa: Isa,
) {
    isa.run(Turn { spins, of, h, is_last });
}

struct Turn<'a, R> {
    spins: &'a mut [Spin],
    of: R,
    h: Real,
    is_last: bool,
}

impl<'b, R: Fn(&Spin) -> (&'b mut Push, &'b mut BodyHot)> Kernel for Turn<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let Self { spins, of, h, is_last } = self;
        for four in spins.chunks_mut(LANES) {
            for spin in four.iter_mut() {
                let (push, hot) = of(spin);
                spin.take(push, hot);
            }
            let mut lanes = load(four);
            turn_all(&mut lanes, four, 0.5 * h);
            let mut turned = [Vector3::zeros(); LANES];
            for (turned, spin) in turned.iter_mut().zip(&*four) {
                *turned = spin.turn_since_start(of(spin).1, h);
            }
            if !is_last {
                turn_all(&mut lanes, four, 0.5 * h);
            }
            for (turned, spin) in turned.into_iter().zip(four) {
                let (push, hot) = of(spin);
                spin.give(turned, push, hot, h);
            }
        }
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
