//! Bodies on joints that turn: between the impulses of two sub-steps they turn as free bodies do.
//!
//! A body in contact turns by the sum of its angular velocities, with the inertia of the begin of the step, after which its angular momentum gives it the velocity that it has then. On a
//! joint that is too coarse: the gyroscopic part of the motion comes all at once, and what a joint gives across a rod is, seen from an inertia that the rod has turned away from, a torque
//! about its length, about which it turns a thousand times as easily. So such bodies take each sub-step as a kick and a drift: impulses act where the body is, with the inertia
//! that it has there ([`crate::ties`] turns it along), and then it turns freely to the end of the sub-step as [`crate::free`] does it, exact in the angular momentum. With the velocities of
//! joints found so that they hold where that leads to, this is the method SHAKE, of second order, without a trend of the energy.
//!
//! The velocity with which joints are solved is the mean of the free turn to come ([`mean_ahead`]), which is what the body turns by if nothing acts on it.
//!
//! What a sub-step turns by is handed on as the rotation vector of the whole turn since the begin of the step, longer than a half turn where the body has
//! made it.

use super::layout::Layout;
use super::push::Push;
use crate::free::{Turning, Turnings, top_axes};
use drystone_contact::{Bodies, BodyHot, BodyIndex, ContactGraph, LocalInertia};
use drystone_math::wide::{Isa, Kernel, Lanes};
use drystone_math::{
    BitSet, Real, Rotation, Symmetric3, Vector3, atan2, integrate_rotation, rotation_from_vector,
};

/// Angle of a step, rad, from which on a body turns so. Below it the gyroscopic part of a step is some hundredths of the velocities across the spin. On a joint the root of the ratio
/// of its moments counts as well: by it an error of the angle is multiplied where the body is thin.
const FAST: Real = 0.03;

/// Ratio of its moments up to which a body on a joint is round: what a correction makes of its velocity ([`Spin::follow`]) is of the order of the correction.
const ROUND: Real = 4.0;

/// A body that turns so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spin {
    /// Its place among the members of its unit.
    member: u32,
    body: u32,
    start: Rotation,
    /// Whether a joint holds it: impulses count with the inertia that it has now, and otherwise with that of the begin of the step.
    is_jointed: bool,
    /// Inertia at the begin of the step, kg m², world: impulses of contacts are found with it.
    given_with: Symmetric3,
    /// Its inertia as it is turned now, kg m², world, and the inverse.
    now: Symmetric3,
    inverse: Symmetric3,
    /// What its velocity is ahead of that now, rad/s: the mean of the free turn to come.
    ahead: Vector3,
    /// The velocity that the last impulses left it with, turned along since, rad/s: what joints leave it. The gyroscopic part of a turn is that of this velocity ([`Spin::look`]).
    settled: Vector3,
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
    pub(super) fn find(&mut self, layout: &Layout, bodies: &Bodies, graph: &ContactGraph, dt: Real) {
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
                if inertia.is_isotropic || !inertia.turns_freely() {
                    continue;
                }
                let is_jointed = graph.edges_of(index).any(|edge| graph.tie_place(edge).is_some());
                let moments = &inertia.principal;
                let ratio = if is_jointed { moments.max() / moments.min() } else { 1.0 };
                if hot.angular.norm_squared() * (dt * dt) * ratio > FAST * FAST {
                    self.list.push(Spin::new(member, index, bodies, is_jointed));
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
    fn new(member: u32, body: BodyIndex, bodies: &Bodies, is_jointed: bool) -> Self {
        let view = bodies.view();
        let (start, inertia) = (view.pose[body.get()].rotation, view.local_inertia[body.get()]);
        let turning =
            Turning { rotation: start, angular: bodies.hot(body).angular, remainder: Default::default() };
        let [given_with, now, inverse] = [Symmetric3::ZERO; 3];
        let (top, turned, ahead) = ([0, 1, 2], Vector3::zeros(), Vector3::zeros());
        let held = if is_jointed { bodies.turn_remainder(body).held } else { Vector3::zeros() };
        let settled = turning.angular + held;
        Self {
            member,
            body: body.0,
            start,
            is_jointed,
            given_with,
            now,
            inverse,
            ahead,
            settled,
            turning,
            inertia,
            top,
            turned,
        }
    }

    /// Its place among the members of its unit.
    pub(super) fn member(&self) -> u32 {
        self.member
    }

    pub(super) fn body(&self) -> u32 {
        self.body
    }

    /// For the next step: see [`drystone_contact::TurnRemainder`].
    pub(super) fn held(&self) -> Vector3 {
        let held = self.settled - self.turning.angular;
        if self.is_jointed && drystone_math::is_finite(&held) { held } else { Vector3::zeros() }
    }

    /// Inertias where it is now, and what its velocity is ahead of that in a sub-step of `h` seconds.
    ///
    /// Before the impulses of a sub-step the velocity has what the turn since the last ones made of the angular momentum: on a joint that holds a rod by its end, an error of an angle in
    /// that times the ratio of its moments about its length, which the impulses to come take away. Taken for what follows it would come back across the rod, and grow by half the ratio
    /// times the square of the angle in a sub-step. So what counts is what the last impulses left.
    #[inline(always)]
    fn look(&mut self, h: Real) {
        let rotation = &self.turning.rotation;
        (self.now, self.inverse) = (self.inertia.world(rotation), self.inertia.inverse_world(rotation));
        self.ahead = mean_ahead(&self.now, &self.inverse, &self.settled, h);
    }

    /// Takes what impulses did since the last turn. They are right; what they change is a matter of the inertia now. (What the next sub-step repeats of them stays as it was given.)
    #[inline(always)]
    fn take(&mut self, push: &Push, hot: &BodyHot) {
        let before = hot.angular - self.ahead;
        if self.is_jointed {
            self.turning.angular = before;
            self.settled = hot.angular;
            return;
        }
        let given = push.given_angular(hot);
        let impulse = self.given_with * given;
        let now = self.inverse * impulse;
        self.turning.angular = before - given + now * bearable(impulse.dot(&given), impulse.dot(&now));
    }

    /// What it turned by since the begin of the step, when its own turn stands at the end of a sub-step of `h` seconds.
    #[inline(always)]
    fn turn_since_start(&self, hot: &BodyHot, h: Real) -> Vector3 {
        rotation_vector(&(self.turning.rotation * self.start.inverse()), &(self.turned + hot.angular * h))
    }

    /// The velocity that it was left with, turned along from there.
    #[inline(always)]
    fn settle(&mut self, from: &Rotation) {
        self.settled = if self.is_jointed {
            self.turning.rotation * from.inverse_transform_vector(&self.settled)
        } else {
            self.turning.angular
        };
    }

    /// Gives its velocity, that of the next sub-step unless this was the last one, and moves the body to the end of this one, of `h` seconds, at the end of which it moves by its
    /// velocity as all do.
    #[inline(always)]
    fn give(&mut self, turned: Vector3, push: &mut Push, hot: &mut BodyHot, (h, is_last): (Real, bool)) {
        self.ahead = Vector3::zeros();
        if is_last {
            self.now = self.inertia.world(&self.turning.rotation);
        } else {
            self.look(h);
        }
        push.set_inertia(&self.now);
        let after = self.turning.angular + self.ahead;
        if !(drystone_math::is_finite(&after) && drystone_math::is_finite(&turned)) {
            return;
        }
        self.turned = turned;
        // No impulse gave that.
        push.add_angular(&(after - hot.angular));
        hot.angular = after;
        hot.delta_rotation = turned - after * h;
    }

    /// After overlap and stretch were taken back: what turned the body was no impulse, so its angular momentum stays, and the velocity follows. Of what is thin and on a joint the
    /// velocity turns along: a rod would gain spin about its length by every correction. What the last sub-step gave and this one begins with turns along as well, and is no velocity yet: taken for
    /// one it gave a rod of half a gram that stood at 2 rad/s 20 rad/s by one correction, as its joints gave it 600 rad/s in one sub-step and took it back in the next.
    pub(super) fn follow(&mut self, push: &mut Push, hot: &mut BodyHot) {
        let pushed = hot.delta_rotation - self.turned;
        if pushed == Vector3::zeros() {
            return;
        }
        let before = self.turning.rotation;
        let turned = integrate_rotation(&before, &pushed, 1.0);
        let inverse = self.inertia.inverse_world(&turned);
        let moments = &self.inertia.principal;
        let turns_along = self.is_jointed && moments.max() > ROUND * moments.min();
        let (rotation, inertia) = (rotation_from_vector(&pushed), self.inertia.world(&before));
        let change_of = |angular: &Vector3| {
            if turns_along { rotation * angular - angular } else { inverse * (inertia * *angular) - angular }
        };
        let [change, change_before] = [change_of(&hot.angular), change_of(&push.angular_before())];
        if !(drystone_math::is_finite(&change) && drystone_math::is_finite(&change_before)) {
            return;
        }
        (self.now, self.inverse) = (self.inertia.world(&turned), inverse);
        (self.turning.rotation, self.turned) = (turned, hot.delta_rotation);
        hot.angular += change;
        push.add_angular(&change_before);
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

/// Before the first sub-step, of `h` seconds: velocities become the mean ones of it. `record` gives the record of a body.
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
                if !spin.is_jointed {
                    spin.settled = spin.turning.angular;
                }
                spin.top = top_axes(&spin.inertia);
                spin.look(self.h);
                spin.given_with = spin.now;
                if drystone_math::is_finite(&spin.ahead) {
                    (self.record)(spin).angular += spin.ahead;
                } else {
                    spin.ahead = Vector3::zeros();
                }
            }
        }
    }
}

/// Turns bodies to the end of a sub-step of `h` seconds, and unless that was the last one (`is_last`) gives them the mean velocity of the next. `of` gives what pushes a body, and its record.
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
            let before: [Rotation; LANES] =
                std::array::from_fn(|lane| four[lane.min(four.len() - 1)].turning.rotation);
            turn_all(&mut lanes, four, h);
            for (spin, before) in four.iter_mut().zip(&before) {
                spin.settle(before);
                let (push, hot) = of(spin);
                let turned = spin.turn_since_start(hot, h);
                spin.give(turned, push, hot, (h, is_last));
            }
        }
    }
}

/// By how much the mean velocity of a free turn of `h` seconds, its rotation vector over `h`, is ahead of the velocity at its begin, rad/s:
/// ```text
/// h/2 ω' + h²/6 ω'' + h²/12 ω' × ω      ω' = I⁻¹ (L × ω)      ω'' = ω × ω' + I⁻¹ (L × ω' − ω × (L × ω))
/// ```
/// with the angular momentum `L = I ω` (Euler's equations; the last term is Magnus', for axes that turn). Of third order; what turns by more than a radian counts as if it turned by one.
fn mean_ahead(inertia: &Symmetric3, inverse: &Symmetric3, angular: &Vector3, h: Real) -> Vector3 {
    let turned = angular.norm() * h;
    let h = if turned > 1.0 { h / turned } else { h };
    let momentum = *inertia * *angular;
    let torque = momentum.cross(angular);
    let rate = *inverse * torque;
    let second = angular.cross(&rate) + *inverse * (momentum.cross(&rate) - angular.cross(&torque));
    rate * (0.5 * h) + second * (h * h / 6.0) + rate.cross(angular) * (h * h / 12.0)
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
