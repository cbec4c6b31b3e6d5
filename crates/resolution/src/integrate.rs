//! Forces and motion for methods that do both once per step.

use crate::free::Turning;
use drystone_contact::{Bodies, BodyIndex, StepParams};
use drystone_exec::{Exec, chunks_mut, ranges};
use drystone_math::{Real, widen};

/// Bodies per part: large enough that claiming one costs nothing beside it.
const BODIES_PER_PART: usize = 256;

/// Moves every awake body for one step with the velocities of the last step (S1-28). Turning keeps the
/// angular momentum (see `free`), where S1 adds `ω dt` to the angles.
pub fn move_bodies(bodies: &mut Bodies, step: &StepParams, exec: &Exec) {
    let view = bodies.view_mut();
    let (awake, inertia) = (view.awake, view.local_inertia);
    let parts = (
        ranges(view.hot.len(), BODIES_PER_PART),
        chunks_mut(view.hot, BODIES_PER_PART),
        chunks_mut(view.pose, BODIES_PER_PART),
        chunks_mut(view.inverse_inertia, BODIES_PER_PART),
        chunks_mut(view.last_move, BODIES_PER_PART),
        chunks_mut(view.turn_remainder, BODIES_PER_PART),
    );
    exec.fixed(parts, |_, (range, hot, pose, inverse_inertia, last_move, remainder)| {
        for (k, i) in range.enumerate() {
            if !awake.contains(i as u32) {
                continue;
            }
            last_move[k] = hot[k].linear * step.dt;
            pose[k].translation += widen(&last_move[k]);
            let mut turning =
                Turning { rotation: pose[k].rotation, angular: hot[k].angular, remainder: remainder[k] };
            if let Some(inverse) = turning.step(&inertia[i], step.dt) {
                inverse_inertia[k] = inverse;
            }
            (pose[k].rotation, hot[k].angular, remainder[k]) =
                (turning.rotation, turning.angular, turning.remainder);
        }
    });
}

/// Updates the velocities of all awake dynamic bodies: `share` of the global accelerations, forces, damping.
pub fn apply_forces(bodies: &mut Bodies, step: &StepParams, share: impl Fn(&Bodies, BodyIndex) -> Real) {
    let dt = step.dt;
    for i in 0..bodies.capacity() {
        let index = BodyIndex(i as u32);
        if !bodies.is_awake(index) || !bodies.hot(index).is_dynamic() {
            continue;
        }
        let (force, torque) = bodies.force(index);
        let (linear_damping, angular_damping) = bodies.damping(index);
        let spin = *bodies.inverse_inertia(index) * torque;
        let scale = bodies.gravity_scale(index);
        let share = share(bodies, index);
        let hot = &mut bodies.view_mut().hot[i];
        let acceleration = step.global_acceleration(hot.inverse_mass, scale) * share;
        hot.linear =
            (hot.linear + (acceleration + force * hot.inverse_mass) * dt) / (1.0 + linear_damping * dt);
        hot.angular = (hot.angular + spin * dt) / (1.0 + angular_damping * dt);
        hot.apply_locks();
    }
}
