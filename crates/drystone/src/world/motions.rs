//! Kinematic bodies that follow a motion (S3-01 S).

use super::World;
use crate::WorldError;
use drystone_contact::{BodyHandle, Motion, rotation_vector};
use drystone_math::{Pose, Real, Vector3, narrow, widen_rotation};
use std::sync::Arc;

/// A body under way.
#[derive(Clone)]
struct Follower {
    body: BodyHandle,
    /// World time when the motion began, s.
    start: f64,
    motion: Arc<dyn Motion>,
}

/// All motions of a world, in the order in which they began.
#[derive(Clone, Default)]
pub(crate) struct Motions {
    list: Vec<Follower>,
}

drystone_math::carried!(Motions { part: [list] });

impl std::fmt::Debug for Motions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.list.iter().map(|follower| follower.body)).finish()
    }
}

impl Motions {
    /// Ends the motion of a body, if it follows one.
    pub(crate) fn end(&mut self, body: BodyHandle) {
        self.list.retain(|follower| follower.body != body);
    }

    /// Where a body should be at a time of the world, s; `None` for one that follows no motion, and where that has no finite pose.
    pub(super) fn pose_of(&self, body: BodyHandle, time: f64) -> Option<Pose> {
        self.list.iter().find(|follower| follower.body == body)?.pose(time)
    }
}

impl Follower {
    fn pose(&self, time: f64) -> Option<Pose> {
        Some(self.motion.pose(time - self.start)).filter(Pose::is_finite)
    }
}

impl World {
    /// Lets a kinematic body follow a motion, whose time begins now: the body goes to its first pose at once, and is where the motion says
    /// after every step. On the way it has the velocity that leads there, so that friction carries what stands on it, and
    /// what it holds up wakes when it starts. Where a motion has no finite pose, the body waits. [`World::set_pose`],
    /// [`World::set_velocity`] and [`World::end_motion`] end it.
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, Key, Keyframes, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let slab = ColliderSpec::new(Shape::cuboid(Vector3::new(1.0, 0.1, 1.0))?);
    /// let lift = world.add_body(BodySpec::kinematic().collider(slab))?;
    /// let keys = [(0.0, 0.0), (2.0, 3.0), (3.0, 3.0)].map(|(t, y)| Key::new(t, Pose::at(0.0, y, 0.0)));
    /// world.follow_motion(lift, Keyframes::smooth(keys)?)?;
    /// for _ in 0..200 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.pose(lift)?.translation.y - 3.0).abs() < 1e-6);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown body, one in quarantine, one that is not kinematic, or a motion without a finite pose at its begin.
    pub fn follow_motion(
        &mut self,
        handle: BodyHandle,
        motion: impl Motion + 'static,
    ) -> Result<(), WorldError> {
        let index = self.free_index(handle)?;
        if !self.bodies.hot(index).is_kinematic() {
            return Err(WorldError::NotKinematic(handle));
        }
        self.set_pose(handle, motion.pose(0.0))?;
        self.logic.motions.list.push(Follower { body: handle, start: self.time, motion: Arc::new(motion) });
        Ok(())
    }

    /// Ends the motion that a body follows, and stops the body; nothing happens when it follows none.
    ///
    /// # Errors
    /// An unknown body.
    pub fn end_motion(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        self.bodies.index(handle)?;
        if self.logic.motions.list.iter().any(|follower| follower.body == handle) {
            self.set_velocity(handle, Vector3::zeros(), Vector3::zeros())?;
        }
        Ok(())
    }

    /// Gives every body that follows a motion the velocity that leads from where it is to where it should be after the step, so that
    /// rounding does not gather; none where the motion rests, so that what it carries may sleep.
    pub(crate) fn follow_motions(&mut self, dt: Real) {
        for k in 0..self.logic.motions.list.len() {
            let follower = &self.logic.motions.list[k];
            let handle = follower.body;
            let Ok(index) = self.bodies.index(handle) else { continue };
            let hot = self.bodies.hot(index);
            if hot.is_passive() || hot.is_quarantined() {
                continue;
            }
            let poses = [follower.pose(self.time), follower.pose(self.time + f64::from(dt))];
            let velocity = match poses {
                [Some(from), Some(to)] if from != to => velocity_to(&self.bodies.origin_pose(index), &to, dt),
                _ => [Vector3::zeros(); 2],
            };
            let before = [hot.linear, hot.angular];
            if velocity == before {
                continue;
            }
            let [linear, angular] = velocity;
            if self.bodies.set_velocity(handle, linear, angular).is_err() {
                // Too fast for a number: it waits.
                continue;
            }
            if before == [Vector3::zeros(); 2] {
                self.wake_neighbours(index);
            } else if !self.bodies.is_awake(index) {
                // What stops is followed once more, to where the last step took it.
                self.disturb(index);
            }
        }
    }
}

/// Linear and angular velocity (m/s, rad/s) that lead from a pose to another one in `dt` s.
fn velocity_to(from: &Pose, to: &Pose, dt: Real) -> [Vector3; 2] {
    let dt = f64::from(dt);
    let way = to.translation - from.translation;
    let turn = widen_rotation(&to.rotation) * widen_rotation(&from.rotation).inverse();
    [narrow(&(way / dt)), narrow(&(rotation_vector(&turn) / dt))]
}
