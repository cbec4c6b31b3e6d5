//! Forces and motion for methods that do both once per step.

use crate::free::Turning;
use drystone_contact::{Bodies, BodyHot, BodyIndex, LocalInertia, StepParams, TurnRemainder};
use drystone_exec::{Exec, chunks, chunks_mut, ranges};
use drystone_math::{BitSet, Pose, Real, Symmetric3, Vector3, is_finite, widen};
use std::ops::Range;

/// Bodies per part: large enough that claiming one costs nothing beside it.
pub(crate) const BODIES_PER_PART: usize = 64;

/// What moving a body reads and writes.
pub(crate) struct Moved<'a> {
    pub(crate) hot: &'a mut BodyHot,
    pub(crate) pose: &'a mut Pose,
    pub(crate) inverse_inertia: &'a mut Symmetric3,
    /// Displacement of the step, m.
    pub(crate) last_move: &'a mut Vector3,
    pub(crate) remainder: &'a mut TurnRemainder,
    pub(crate) inertia: &'a LocalInertia,
}

impl Moved<'_> {
    /// Moves for `dt` seconds with the present velocities; one that is not finite leads nowhere, so that what is put into quarantine for it
    /// is where it was.
    fn go(self, dt: Real) {
        let way = self.hot.linear * dt;
        *self.last_move = if is_finite(&way) { way } else { Vector3::zeros() };
        self.pose.translation += widen(self.last_move);
        let mut turning =
            Turning { rotation: self.pose.rotation, angular: self.hot.angular, remainder: *self.remainder };
        if let Some(inverse) = turning.step(self.inertia, dt) {
            *self.inverse_inertia = inverse;
        }
        (self.pose.rotation, self.hot.angular, *self.remainder) =
            (turning.rotation, turning.angular, turning.remainder);
    }
}

/// Bodies in a row that one thread moves.
pub(crate) struct Part<'a> {
    range: Range<usize>,
    awake: &'a BitSet,
    hot: &'a mut [BodyHot],
    pose: &'a mut [Pose],
    inverse_inertia: &'a mut [Symmetric3],
    last_move: &'a mut [Vector3],
    remainder: &'a mut [TurnRemainder],
    inertia: &'a [LocalInertia],
}

impl Part<'_> {
    /// A body by its place in the part.
    #[inline]
    pub(crate) fn body(&mut self, k: usize) -> Moved<'_> {
        Moved {
            hot: &mut self.hot[k],
            pose: &mut self.pose[k],
            inverse_inertia: &mut self.inverse_inertia[k],
            last_move: &mut self.last_move[k],
            remainder: &mut self.remainder[k],
            inertia: &self.inertia[k],
        }
    }

    /// Does `work` for every body that is awake, by its place in the part and its index.
    #[inline]
    pub(crate) fn for_awake(&mut self, mut work: impl FnMut(usize, usize, Moved<'_>)) {
        for (k, i) in self.range.clone().enumerate() {
            if self.awake.contains(i as u32) {
                work(k, i, self.body(k));
            }
        }
    }
}

/// Does `work` for all bodies, at most [`BODIES_PER_PART`] at a time.
pub(crate) fn for_parts(bodies: &mut Bodies, exec: &Exec, work: impl Fn(Part<'_>) + Sync) {
    let view = bodies.view_mut();
    let awake = view.awake;
    let parts = (
        ranges(view.hot.len(), BODIES_PER_PART),
        chunks_mut(view.hot, BODIES_PER_PART),
        chunks_mut(view.pose, BODIES_PER_PART),
        chunks_mut(view.inverse_inertia, BODIES_PER_PART),
        chunks_mut(view.last_move, BODIES_PER_PART),
        chunks_mut(view.turn_remainder, BODIES_PER_PART),
        chunks(view.local_inertia, BODIES_PER_PART),
    );
    exec.for_each_static(parts, |_, (range, hot, pose, inverse_inertia, last_move, remainder, inertia)| {
        work(Part { range, awake, hot, pose, inverse_inertia, last_move, remainder, inertia });
    });
}

/// Moves every awake body for one step with the velocities of the last step (S1-28). Turning keeps the
/// angular momentum (see `free`), where S1 adds `ω dt` to the angles.
pub fn move_bodies(bodies: &mut Bodies, step: &StepParams, exec: &Exec) {
    for_parts(bodies, exec, |mut part| part.for_awake(|_, _, moved| moved.go(step.dt)));
}

/// The same for one body; nothing while it sleeps.
pub(crate) fn move_body(bodies: &mut Bodies, body: BodyIndex, step: &StepParams) {
    if !bodies.is_awake(body) {
        return;
    }
    let (view, i) = (bodies.view_mut(), body.get());
    let moved = Moved {
        hot: &mut view.hot[i],
        pose: &mut view.pose[i],
        inverse_inertia: &mut view.inverse_inertia[i],
        last_move: &mut view.last_move[i],
        remainder: &mut view.turn_remainder[i],
        inertia: &view.local_inertia[i],
    };
    moved.go(step.dt);
}

/// Updates the velocities of all awake dynamic bodies: `share` of the global accelerations, forces, damping.
pub fn apply_forces(bodies: &mut Bodies, step: &StepParams, share: impl Fn(&Bodies, BodyIndex) -> Real) {
    for i in 0..bodies.capacity() {
        apply_forces_to(bodies, BodyIndex(i as u32), step, &share);
    }
}

/// The same for one body; nothing while it sleeps or when it is not dynamic.
pub(crate) fn apply_forces_to(
    bodies: &mut Bodies,
    index: BodyIndex,
    step: &StepParams,
    share: impl Fn(&Bodies, BodyIndex) -> Real,
) {
    if !bodies.is_awake(index) || !bodies.hot(index).is_dynamic() {
        return;
    }
    let dt = step.dt;
    let (force, torque) = bodies.force(index);
    let (linear_damping, angular_damping) = bodies.damping(index);
    let spin = *bodies.inverse_inertia(index) * torque;
    let scale = bodies.gravity_scale(index);
    let share = share(bodies, index);
    let hot = &mut bodies.view_mut().hot[index.get()];
    let acceleration = step.global_acceleration(hot.inverse_mass, scale) * share;
    hot.linear = (hot.linear + (acceleration + force * hot.inverse_mass) * dt) / (1.0 + linear_damping * dt);
    hot.angular = (hot.angular + spin * dt) / (1.0 + angular_damping * dt);
    hot.apply_locks();
}
