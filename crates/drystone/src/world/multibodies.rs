//! Multibodies: bodies that belong together as links, whether they touch or not (S3-01 L, M). Joints between them follow later.

use super::World;
use crate::WorldError;
use drystone_contact::{BodyHandle, BodyIndex, ContainerRole, Multibody, MultibodyHandle};

impl World {
    /// Makes bodies the links of a multibody: nodes L of the contact graph with structural edges to a node M (S3-02), one island
    /// whether they touch or not (S3-14), so that whatever solves one solves all. They do not meet each other
    /// unless [`World::set_self_collision`] says so. Nothing holds them together: joints follow later.
    ///
    /// ```
    /// use drystone::math::Pose;
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let ball = || ColliderSpec::new(Shape::sphere(0.1).expect("positive"));
    /// let at = |x: f64| BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).collider(ball());
    /// let [arm, hand] = [world.add_body(at(0.0))?, world.add_body(at(5.0))?];
    /// let robot = world.add_multibody(&[arm, hand])?;
    /// world.step(1.0 / 60.0)?;
    /// assert_eq!(world.body(arm)?.island, world.body(hand)?.island);
    /// world.remove_multibody(robot)?;
    /// world.step(1.0 / 60.0)?;
    /// assert_ne!(world.body(arm)?.island, world.body(hand)?.island);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// No body, or one that is unknown, in quarantine, fixed or kinematic, passive, named twice, or in a composite or multibody
    /// already.
    pub fn add_multibody(&mut self, links: &[BodyHandle]) -> Result<MultibodyHandle, WorldError> {
        links.iter().try_for_each(|&link| self.free_index(link).map(drop))?;
        let indices = self.containers.check(&self.bodies, links, "multibody", 1)?;
        let handle = self.containers.add_multibody(links)?;
        for &link in &indices {
            self.bodies.set_link(link, true);
        }
        self.graph.join(&indices);
        self.mark_links(&indices, false);
        Ok(handle)
    }

    /// Removes a multibody; its links are bodies by themselves again.
    ///
    /// # Errors
    /// An unknown multibody.
    pub fn remove_multibody(&mut self, handle: MultibodyHandle) -> Result<(), WorldError> {
        let multibody = self.containers.remove_multibody(handle)?;
        let links: Vec<BodyIndex> = multibody.links().iter().map(|link| BodyIndex(link.index)).collect();
        for &link in &links {
            self.bodies.set_link(link, false);
            self.graph.part(link);
        }
        self.mark_links(&links, true);
        Ok(())
    }

    /// Whether the links of a multibody meet each other (as their filters and the rules say); not at first. Takes effect with the next step.
    ///
    /// # Errors
    /// An unknown multibody.
    pub fn set_self_collision(
        &mut self,
        handle: MultibodyHandle,
        meets_itself: bool,
    ) -> Result<(), WorldError> {
        let multibody = self.containers.multibody_mut(handle)?;
        if multibody.meets_itself == meets_itself {
            return Ok(());
        }
        multibody.meets_itself = meets_itself;
        let links: Vec<BodyIndex> = multibody.links().iter().map(|link| BodyIndex(link.index)).collect();
        self.mark_links(&links, meets_itself);
        Ok(())
    }

    /// A multibody: its links.
    ///
    /// # Errors
    /// An unknown multibody.
    pub fn multibody(&self, handle: MultibodyHandle) -> Result<&Multibody, WorldError> {
        Ok(self.containers.multibody(handle)?)
    }

    /// All multibodies, by number.
    pub fn multibodies(&self) -> impl Iterator<Item = (MultibodyHandle, &Multibody)> + '_ {
        self.containers.multibodies()
    }

    /// The multibody that a body is a link of; `None` for others.
    ///
    /// # Errors
    /// An unknown body.
    pub fn multibody_of(&self, handle: BodyHandle) -> Result<Option<MultibodyHandle>, WorldError> {
        Ok(match self.containers.role(self.bodies.index(handle)?) {
            Some(ContainerRole::Link(multibody)) => Some(multibody),
            _ => None,
        })
    }

    /// Before a link is removed: it leaves its multibody.
    pub(super) fn unlink(&mut self, link: BodyIndex) -> Result<(), WorldError> {
        let Some(ContainerRole::Link(handle)) = self.containers.role(link) else { return Ok(()) };
        self.containers.remove_link(handle, link)?;
        self.graph.part(link);
        if let Ok(multibody) = self.containers.multibody(handle) {
            // The mark may have been the index of the link that leaves, which another body may get.
            let left: Vec<BodyIndex> = multibody.links().iter().map(|link| BodyIndex(link.index)).collect();
            let meets_itself = multibody.meets_itself;
            self.mark_links(&left, meets_itself);
        }
        Ok(())
    }

    /// Tells the broad phase whether links meet each other; what touched one that it does not meet any more wakes.
    fn mark_links(&mut self, links: &[BodyIndex], meet: bool) {
        let Some(&first) = links.first() else { return };
        for &link in links {
            self.colliders.set_mark(link, if meet { link } else { first });
            self.bodies.wake(link, drystone_contact::WakeCause::User);
            self.disturb(link);
        }
    }
}
