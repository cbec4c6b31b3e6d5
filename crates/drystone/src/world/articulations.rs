//! Articulations of a world: joints that are solved by their coordinates in place of constraints.

use super::World;
use crate::WorldError;
use drystone_articulation::{Articulation, State};
use drystone_contact::{ArticulationHandle, BodyHandle, BodyIndex, EdgeIndex, JointHandle, WakeCause};
use drystone_resolution::{Reduced, ReducedError};

/// An articulation as it is now.
#[derive(Clone, Copy, Debug)]
pub struct ArticulationRef<'a> {
    world: &'a World,
    reduced: &'a Reduced,
}

impl<'a> ArticulationRef<'a> {
    /// Model and state in the coordinates of the joints, with where links are: what inverse dynamics, Jacobians and inverse kinematics take
    /// ([`crate::articulation`]). Link `k` is body `k` of [`ArticulationRef::links`].
    pub fn articulation(&self) -> &'a Articulation {
        self.reduced.articulation()
    }

    /// Positions and velocities of its joints.
    pub fn state(&self) -> &'a State {
        self.reduced.articulation().state()
    }

    /// Its bodies, parents before children.
    pub fn links(&self) -> impl Iterator<Item = BodyHandle> + 'a {
        let bodies = &self.world.bodies;
        self.reduced.bodies().filter_map(|body| bodies.handle(body))
    }

    /// Its joints: those of the tree, parents before children, then those that close loops.
    pub fn joints(&self) -> impl Iterator<Item = JointHandle> + 'a {
        let joints = &self.world.joints;
        self.reduced.edges().filter_map(|edge| joints.of_edge(edge))
    }

    /// The degree of freedom of a hinge or slider of its tree, which is its place among velocities, and its place among positions; `None` for other joints.
    pub fn dof_of(&self, joint: JointHandle) -> Option<(usize, usize)> {
        self.reduced.dof_of(self.world.joints.get(joint).ok()?.edge())
    }
}

impl World {
    /// Makes joints an articulation: from now on they are solved by their coordinates, without any error of position, and all at once. Contacts, queries, events, sleep
    /// and [`World::joint`] are as for any other bodies and joints.
    ///
    /// The joints must hang together. What cannot move is the ground; where no joint is on the ground, body A of the first joint is the base, and floats. Hinges, sliders and
    /// balls (with limits, motors, friction) and fixed joints can be in the tree; balls, hinges, sliders and fixed joints can close loops, without these. All
    /// joints of a link belong to its articulation.
    ///
    /// ```
    /// use drystone::math::{Pose, Position, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, JointAxis, JointSpec, Motor, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let post = world.add_body(BodySpec::fixed())?;
    /// let rod = || ColliderSpec::new(Shape::cuboid(Vector3::new(0.25, 0.02, 0.02)).expect("positive"));
    /// let upper = world.add_body(BodySpec::dynamic().pose(Pose::at(0.25, 1.0, 0.0)).collider(rod()))?;
    /// let lower = world.add_body(BodySpec::dynamic().pose(Pose::at(0.75, 1.0, 0.0)).collider(rod()))?;
    /// let hold = Motor::Spring { target: 0.3, stiffness: 2e4, damping: 200.0, most: 500.0 };
    /// let at = |a, b, x| JointSpec::hinge(a, b).at(Position::new(x, 1.0, 0.0)).along(Vector3::z());
    /// let shoulder = world.add_joint(&at(post, upper, 0.0).motor(hold))?;
    /// let elbow = world.add_joint(&at(upper, lower, 0.5).motor(hold))?;
    /// let arm = world.add_articulation(&[shoulder, elbow])?;
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.joint(elbow)?.value(JointAxis::Twist) - 0.3).abs() < 0.01);
    /// assert!(world.joint(elbow)?.error[0] < 1e-6, "m");
    /// assert_eq!(world.articulation(arm)?.state().positions().len(), 2);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with the tree ([`ReducedError`]); an unknown joint; a method that knows no articulations ([`crate::Solver::supports_articulations`]). Nothing is
    /// changed then.
    pub fn add_articulation(&mut self, joints: &[JointHandle]) -> Result<ArticulationHandle, WorldError> {
        if !self.solver.supports_articulations() {
            return Err(WorldError::NoArticulations(self.solver.method()));
        }
        let edge = |&joint: &JointHandle| self.joints.get(joint).map(|joint| joint.edge());
        let edges = joints.iter().map(edge).collect::<Result<Vec<EdgeIndex>, _>>()?;
        let handle = self.articulations.add(&edges, &mut self.bodies, &self.graph)?;
        self.follow_articulation(handle);
        Ok(handle)
    }

    /// Removes an articulation: its joints are constraints again, its bodies move on as they are.
    ///
    /// # Errors
    /// An unknown articulation.
    pub fn remove_articulation(&mut self, handle: ArticulationHandle) -> Result<(), WorldError> {
        let reduced = self.articulations.remove(handle).ok_or(WorldError::UnknownArticulation(handle))?;
        // The constraints begin anew.
        for edge in reduced.edges() {
            let _ = self.graph.change_tie(edge, drystone_contact::JointConstraint::forget);
        }
        self.wake_links(reduced.bodies());
        Ok(())
    }

    /// An articulation as it is now.
    ///
    /// # Errors
    /// An unknown articulation.
    pub fn articulation(&self, handle: ArticulationHandle) -> Result<ArticulationRef<'_>, WorldError> {
        let reduced = self.articulations.get(handle).ok_or(WorldError::UnknownArticulation(handle))?;
        Ok(ArticulationRef { world: self, reduced })
    }

    /// All articulations, by slot.
    pub fn articulations(&self) -> impl Iterator<Item = (ArticulationHandle, ArticulationRef<'_>)> + '_ {
        self.articulations.iter().map(|(handle, reduced)| (handle, ArticulationRef { world: self, reduced }))
    }

    /// The articulation that a body is a link of; `None` for others.
    ///
    /// # Errors
    /// An unknown body.
    pub fn articulation_of(&self, body: BodyHandle) -> Result<Option<ArticulationHandle>, WorldError> {
        Ok(self.articulations.of(self.bodies.index(body)?))
    }

    /// Puts an articulation into a state of its model: joints are there, and move so; its bodies follow and wake. This is how a link is put somewhere
    /// else: [`World::set_pose`] refuses links.
    ///
    /// # Errors
    /// An unknown articulation; a state of another model, or one that is not finite.
    pub fn set_articulation_state(
        &mut self,
        handle: ArticulationHandle,
        state: &State,
    ) -> Result<(), WorldError> {
        if !self.articulations.set_state(handle, state, &mut self.bodies, &mut self.graph)? {
            return Err(WorldError::UnknownArticulation(handle));
        }
        self.follow_articulation(handle);
        Ok(())
    }

    /// Sets the inertia of the rotor of a joint in an articulation, times the square of its gear ratio (kg m², of a slider kg), and the damping of
    /// the joint (N m s/rad, of a slider N s/m). Both are 0 at first. Its bodies wake.
    ///
    /// # Errors
    /// An unknown joint; one that is in no articulation, or closes a loop of one; a value that is below 0 or not finite.
    pub fn set_rotor(&mut self, joint: JointHandle, armature: f64, damping: f64) -> Result<(), WorldError> {
        let edge = self.joints.get(joint)?.edge();
        let handle = self.articulations.of_edge(edge).ok_or(WorldError::NotArticulated(joint))?;
        if !self.articulations.set_rotor(handle, edge, [armature, damping])? {
            return Err(WorldError::NotArticulated(joint));
        }
        let reduced = self.articulations.get(handle).ok_or(WorldError::UnknownArticulation(handle))?;
        let bodies: Vec<BodyIndex> = reduced.bodies().collect();
        self.wake_links(bodies.into_iter());
        Ok(())
    }

    /// An articulation that a joint or a body is in is no more: its joints are constraints again.
    pub(super) fn dissolve(&mut self, handle: Option<ArticulationHandle>) -> Result<(), WorldError> {
        handle.map_or(Ok(()), |handle| self.remove_articulation(handle))
    }

    /// `Ok` for what may be moved by hand.
    pub(super) fn refuse_link(&self, body: BodyHandle, index: BodyIndex) -> Result<(), WorldError> {
        if self.articulations.count() == 0 {
            return Ok(());
        }
        match self.articulations.of(index).or_else(|| self.articulations.on_base(index)) {
            Some(articulation) => Err(WorldError::Articulated { body, articulation }),
            None => Ok(()),
        }
    }

    /// Its bodies are somewhere else: boxes and contacts follow, and what lay on them wakes.
    fn follow_articulation(&mut self, handle: ArticulationHandle) {
        let bodies: Vec<BodyIndex> =
            self.articulations.get(handle).into_iter().flat_map(Reduced::bodies).collect();
        for &body in &bodies {
            self.wake_neighbours(body);
        }
        self.wake_links(bodies.into_iter());
    }

    fn wake_links(&mut self, bodies: impl Iterator<Item = BodyIndex>) {
        for body in bodies {
            self.bodies.wake(body, WakeCause::User);
            self.disturb(body);
        }
    }
}

impl From<ReducedError> for WorldError {
    fn from(error: ReducedError) -> Self {
        Self::Articulation(Box::new(error))
    }
}
