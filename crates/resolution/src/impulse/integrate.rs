//! Positions at the start of the step, velocities after detection (S1-28, S1-66).

use super::ImpulseConfig;
use drystone_contact::{Bodies, BodyHot, BodyIndex, LocalInertia, StepParams};
use drystone_exec::{Exec, chunks_mut, ranges};
use drystone_math::{Pose, Real, Symmetric3, Vector3, integrate_rotation, widen};

/// Bodies per part: large enough that claiming one costs nothing beside it.
const BODIES_PER_PART: usize = 256;

/// Moves every awake body for one step with the velocities of the last step (S1-28). Rotations follow the
/// exponential map; the angular velocity of bodies with unequal moments changes so that the angular
/// momentum stays (the gyroscopic term, exact in momentum, second order in energy).
pub(super) fn move_bodies(bodies: &mut Bodies, step: &StepParams, exec: &Exec) {
    let view = bodies.view_mut();
    let (awake, inertia) = (view.awake, view.local_inertia);
    let parts = (
        ranges(view.hot.len(), BODIES_PER_PART),
        chunks_mut(view.hot, BODIES_PER_PART),
        chunks_mut(view.pose, BODIES_PER_PART),
        chunks_mut(view.inverse_inertia, BODIES_PER_PART),
        chunks_mut(view.last_move, BODIES_PER_PART),
    );
    exec.fixed(parts, |_, (range, hot, pose, inverse_inertia, last_move)| {
        for (k, i) in range.enumerate() {
            if awake.contains(i as u32) {
                let moved =
                    Moved { hot: &mut hot[k], pose: &mut pose[k], inverse_inertia: &mut inverse_inertia[k] };
                last_move[k] = moved.step(&inertia[i], step.dt);
            }
        }
    });
}

/// The arrays of one body that moving it writes.
struct Moved<'a> {
    hot: &'a mut BodyHot,
    pose: &'a mut Pose,
    inverse_inertia: &'a mut Symmetric3,
}

impl Moved<'_> {
    /// Moves the body; returns its displacement, m.
    fn step(self, inertia: &LocalInertia, dt: Real) -> Vector3 {
        let displacement = self.hot.linear * dt;
        self.pose.translation += widen(&displacement);
        if self.hot.angular == Vector3::zeros() {
            return displacement;
        }
        if inertia.is_isotropic || !self.hot.is_dynamic() {
            self.pose.rotation = integrate_rotation(&self.pose.rotation, &self.hot.angular, dt);
            return displacement;
        }
        // Turn by the angular velocity at the middle of the step (Buss 2000), then take the one that
        // has the same angular momentum in the new orientation.
        let momentum = inertia.world(&self.pose.rotation) * self.hot.angular;
        let change = *self.inverse_inertia * momentum.cross(&self.hot.angular);
        let middle = self.hot.angular + change * (0.5 * dt);
        self.pose.rotation = integrate_rotation(&self.pose.rotation, &middle, dt);
        *self.inverse_inertia = inertia.inverse_world(&self.pose.rotation);
        self.hot.angular = *self.inverse_inertia * momentum;
        displacement
    }
}

/// Updates the velocities of all awake dynamic bodies: global accelerations (damped for bodies that barely
/// move, Algorithm 12), forces, damping.
pub(super) fn update_velocities(config: &ImpulseConfig, bodies: &mut Bodies, step: &StepParams) {
    let threshold = config.gravity_damping_threshold * step.speed_unit();
    let dt = step.dt;
    for i in 0..bodies.capacity() {
        let index = BodyIndex(i as u32);
        if !bodies.is_awake(index) || !bodies.hot(index).is_dynamic() {
            continue;
        }
        let (force, torque) = bodies.force(index);
        let (linear_damping, angular_damping) = bodies.damping(index);
        let spin = *bodies.inverse_inertia(index) * torque;
        let radius = bodies.radius(index);
        let scale = bodies.gravity_scale(index);
        let hot = &mut bodies.view_mut().hot[i];
        let mut acceleration = step.global_acceleration(hot.inverse_mass, scale);
        if hot.motion_bound_squared(radius) < threshold * threshold {
            acceleration *= config.gravity_damping_fraction;
        }
        hot.linear =
            (hot.linear + (acceleration + force * hot.inverse_mass) * dt) / (1.0 + linear_damping * dt);
        hot.angular = (hot.angular + spin * dt) / (1.0 + angular_damping * dt);
        hot.apply_locks();
    }
}
