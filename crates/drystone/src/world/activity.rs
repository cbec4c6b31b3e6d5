//! Passive and active bodies (S3-09).

use super::World;
use crate::WorldError;
use drystone_contact::{BodyHandle, JointConstraint, WakeCause};

impl World {
    /// Takes a body out of the simulation, or puts it back, without freeing or asking for memory. A passive body keeps its handle, pose and
    /// velocity; it neither moves nor touches, is in no trigger, and counts as neither awake nor asleep. With the next step its
    /// touches and the rest end with their events, and what slept beside it wakes, as if it were removed.
    /// A composite is passive or active as a whole, whichever of its bodies is named. Put back, it is awake
    /// and goes on with the velocity it had; a motion that it follows ([`World::follow_motion`]) goes on where it is by then.
    ///
    /// ```
    /// use drystone::math::Vector3;
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let ball = ColliderSpec::new(Shape::sphere(0.1)?);
    /// let body = world.add_body(BodySpec::dynamic().collider(ball))?;
    /// world.set_active(body, false)?;
    /// world.step(0.1)?;
    /// assert_eq!(world.pose(body)?.translation.y, 0.0, "it does not fall");
    /// assert!(!world.body(body)?.is_active && world.report().asleep == 0);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown body, one in quarantine, or a link of an articulation.
    pub fn set_active(&mut self, handle: BodyHandle, is_active: bool) -> Result<(), WorldError> {
        let index = self.carrier(self.free_index(handle)?);
        if self.bodies.hot(index).is_passive() != is_active {
            return Ok(());
        }
        self.refuse_link(handle, index)?;
        if is_active {
            if let Some(pose) = self.logic.motions.pose_of(handle, self.time) {
                self.bodies.set_pose(handle, pose)?;
            }
            self.bodies.set_passive(index, false);
            // Nobody counts how far a collider without a box moves: what was known of pairs that no step has ended yet may be wrong.
            for edge in self.graph.edges_of(index) {
                self.contacts.reopen(edge, true);
            }
            self.disturb(index);
        } else {
            self.scratch.clear();
            let linked = self.graph.linked_edges_of(index).map(|edge| self.graph.edge(edge).other(index));
            self.scratch.extend(linked);
            for &neighbour in &self.scratch {
                let cause = WakeCause::NeighbourRemoved;
                drystone_sleeping::wake(&self.config.sleeping, &mut self.bodies, neighbour, cause);
            }
            self.bodies.set_passive(index, true);
            // Its joints hold nothing, and are new to it when it is put back.
            self.graph.change_ties_of(index, JointConstraint::forget);
            // Without boxes the broad phase ends its pairs, and with them all that they hold.
            self.colliders.withdraw(index);
        }
        Ok(())
    }
}
