//! Joints of a world: edges of the contact graph that hold two bodies together (S3-02, L-L).

use super::World;
use super::couplings::CouplingRef;
use crate::WorldError;
use drystone_contact::{
    BodyHandle, BodyIndex, ContainerRole, JointCoordinates, JointHandle, TIE_AXES, WakeCause,
};
use drystone_joint::{Joint, JointAxis, JointError, JointKind, JointSpec, Motor};
use drystone_math::{Real, Vector3};

/// A joint as it is now.
#[derive(Clone, Copy, Debug)]
pub struct JointRef {
    /// What it is.
    pub kind: JointKind,
    /// Bodies A and B.
    pub bodies: [BodyHandle; 2],
    /// Mean force on B, N, world, in the last step in which one of the bodies was awake; A got the opposite. It acts at the origin of B's frame.
    pub force: Vector3,
    /// Mean torque on B besides, N·m, world.
    pub torque: Vector3,
    /// Where it is: ways, m, and angles, rad; of what couples two joints, where its bodies are to each other. The twist counts revolutions where it is the only turn that is free (hinges, screws, wheels).
    pub coordinates: JointCoordinates,
    /// How fast its coordinates change, m/s and rad/s, by their places ([`JointRef::velocity`]).
    pub velocities: [Real; TIE_AXES],
    /// Angle by which a wheel is steered, rad; 0 for other kinds.
    pub steering: Real,
    /// What it couples: of gears, racks, pulleys and couplings, and of screws, which couple two of their own coordinates.
    pub coupling: Option<CouplingRef>,
    /// How far what it holds is from where it should be, m, and turned, rad.
    pub error: [Real; 2],
}

impl JointRef {
    /// A coordinate, m or rad.
    pub fn value(&self, axis: JointAxis) -> Real {
        self.coordinates.values[axis as usize]
    }

    /// How fast a coordinate changes, m/s or rad/s.
    pub fn velocity(&self, axis: JointAxis) -> Real {
        self.velocities[axis as usize]
    }
}

impl World {
    /// Adds a joint between two bodies, of which one at least is dynamic. Both wake, they are one island from now on (S3-14), and unless
    /// [`JointSpec::collides`] says so they do not meet each other.
    ///
    /// ```
    /// use drystone::math::{Pose, Position, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, JointAxis, JointSpec, Motor, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let post = world.add_body(BodySpec::fixed())?;
    /// let board = ColliderSpec::new(Shape::cuboid(Vector3::new(0.4, 0.9, 0.02)).expect("positive"));
    /// let door = world.add_body(BodySpec::dynamic().pose(Pose::at(0.4, 1.0, 0.0)).collider(board))?;
    /// let hinge = JointSpec::hinge(post, door).at(Position::new(0.0, 1.0, 0.0)).along(Vector3::y()).limits(0.0, 1.5);
    /// let hinge = world.add_joint(&hinge.motor(Motor::Speed { speed: 1.0, most: 5e3 }))?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.joint(hinge)?.value(JointAxis::Twist) - 1.0).abs() < 0.02, "a radian in a second");
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.joint(hinge)?.value(JointAxis::Twist) - 1.5).abs() < 0.01, "and no farther than it may");
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with the joint; an unknown body, one in quarantine, passive or fastened to others; two that cannot move; a method that
    /// knows no joints ([`crate::Solver::supports_joints`]).
    pub fn add_joint(&mut self, spec: &JointSpec) -> Result<JointHandle, WorldError> {
        if !self.solver.supports_joints() {
            return Err(WorldError::NoJoints(self.solver.method()));
        }
        let bodies = spec.bodies();
        for body in bodies {
            let index = self.free_index(body)?;
            if let Some(articulation) = self.articulations.of(index) {
                return Err(WorldError::Articulated { body, articulation });
            }
            let state = match self.containers.role(index) {
                Some(role @ (ContainerRole::Carrier(_) | ContainerRole::Member(_))) => Some(role.name()),
                _ if self.bodies.hot(index).is_passive() => Some("passive (set it active first)"),
                _ => None,
            };
            if let Some(state) = state {
                return Err(JointError::Bound { body, state }.into());
            }
        }
        let handle = self.joints.add(spec, &self.bodies, &mut self.graph)?;
        self.begin_joint(handle)?;
        Ok(handle)
    }

    /// What a joint that was just added changes besides.
    pub(super) fn begin_joint(&mut self, handle: JointHandle) -> Result<(), WorldError> {
        let joint = *self.joints.get(handle)?;
        self.contacts.begin_tie(joint.edge());
        if !joint.collides() {
            self.logic.screen.join(self.ends_of(&joint));
        }
        self.wake_ends(&joint);
        Ok(())
    }

    /// Removes a joint, and what couples it to others; its bodies wake.
    ///
    /// # Errors
    /// An unknown joint.
    ///
    /// The articulation that it is in is removed with it: the other joints are constraints again.
    pub fn remove_joint(&mut self, handle: JointHandle) -> Result<(), WorldError> {
        while let Some(coupling) = self.joints.coupling_of(handle) {
            self.remove_joint(coupling)?;
        }
        let joint = *self.joints.get(handle)?;
        self.dissolve(self.articulations.of_edge(joint.edge()))?;
        self.contacts.end(joint.edge());
        self.joints.remove(handle, &self.bodies, &mut self.graph)?;
        if !joint.collides() {
            self.logic.screen.part(self.ends_of(&joint));
        }
        self.wake_ends(&joint);
        Ok(())
    }

    /// A joint as it is now.
    ///
    /// # Errors
    /// An unknown joint.
    pub fn joint(&self, handle: JointHandle) -> Result<JointRef, WorldError> {
        let joint = self.joints.get(handle)?;
        let tie = self.graph.tie(joint.edge()).ok_or(JointError::UnknownJoint(handle))?;
        let dt = self.solved.length(tie.bodies, self.last_dt);
        Ok(JointRef {
            kind: joint.kind(),
            bodies: joint.bodies(),
            force: tie.impulse / dt,
            torque: tie.torque / dt,
            coordinates: tie.coordinates(&self.bodies),
            velocities: tie.rates(&self.bodies),
            steering: joint.steering(),
            coupling: self.coupling_ref(handle, joint, tie, dt),
            error: tie.error(&self.bodies),
        })
    }

    /// All joints, in the order of their slots.
    pub fn joints(&self) -> impl Iterator<Item = (JointHandle, &Joint)> + '_ {
        self.joints.iter()
    }

    /// Number of joints.
    pub fn joint_count(&self) -> usize {
        self.joints.count()
    }

    /// Joints that broke in the last step.
    pub fn broken_joints(&self) -> &[JointHandle] {
        &self.broken
    }

    /// Sets what drives a coordinate of a joint, `None` for nothing; its bodies wake.
    ///
    /// # Errors
    /// An unknown joint, a coordinate that its kind does not leave to the user, a motor that is refused.
    pub fn set_motor(
        &mut self,
        handle: JointHandle,
        axis: JointAxis,
        motor: Option<Motor>,
    ) -> Result<(), WorldError> {
        self.joints.set_motor(handle, axis, motor, &mut self.graph)?;
        self.wake_joint(handle)
    }

    /// Steers a wheel: turns its axle by an angle from straight on about the y axis of its frame, rad, in -π ..= π; its bodies wake. The axle is there within a
    /// few sub-steps, whatever the wheel meets: steer by small angles per step, as a steering wheel does.
    ///
    /// # Errors
    /// An unknown joint, one that is no wheel, an angle out of range.
    pub fn set_steering(&mut self, handle: JointHandle, angle: Real) -> Result<(), WorldError> {
        self.joints.set_steering(handle, angle, &mut self.graph)?;
        self.wake_joint(handle)
    }

    /// Sets the limits of a coordinate of a joint (m or rad, `-∞` and `∞` without); its bodies wake.
    ///
    /// # Errors
    /// As [`World::set_motor`].
    pub fn set_joint_limits(
        &mut self,
        handle: JointHandle,
        axis: JointAxis,
        limits: [Real; 2],
    ) -> Result<(), WorldError> {
        self.joints.set_limits(handle, axis, limits, &mut self.graph)?;
        self.wake_joint(handle)
    }

    /// Sets the dry friction of a coordinate of a joint, N or N·m; its bodies wake.
    ///
    /// # Errors
    /// As [`World::set_motor`].
    pub fn set_joint_friction(
        &mut self,
        handle: JointHandle,
        axis: JointAxis,
        friction: Real,
    ) -> Result<(), WorldError> {
        self.joints.set_friction(handle, axis, friction, &mut self.graph)?;
        self.wake_joint(handle)
    }

    /// At the end of a step: joints that gave more than they hold are no more, and the report says how many there are.
    pub(crate) fn break_joints(&mut self, dt: Real) -> Result<(), WorldError> {
        self.broken.clear();
        while let Some(handle) = self.joints.first_broken(&self.bodies, &self.graph, dt) {
            // What couples it is gone with it.
            while let Some(coupling) = self.joints.coupling_of(handle) {
                self.remove_joint(coupling)?;
                self.broken.push(coupling);
            }
            self.remove_joint(handle)?;
            self.broken.push(handle);
        }
        self.report.joints = self.graph.tie_count() as u32;
        self.report.broken_joints = self.broken.len() as u32;
        // What they held has woken.
        self.count_awake();
        Ok(())
    }

    /// Removes the joints of a body that leaves.
    pub(super) fn remove_joints_of(&mut self, body: BodyIndex) -> Result<(), WorldError> {
        if self.graph.tie_count() == 0 {
            return Ok(());
        }
        let of_edge = |edge| self.joints.of_edge(edge);
        let list: Vec<JointHandle> = self.graph.linked_edges_of(body).filter_map(of_edge).collect();
        for handle in list {
            // What couples joints may have gone with one of them.
            if self.joints.get(handle).is_ok() {
                self.remove_joint(handle)?;
            }
        }
        Ok(())
    }

    /// `Ok` for bodies without joints.
    pub(super) fn refuse_joined(&self, bodies: &[BodyHandle]) -> Result<(), WorldError> {
        for &body in bodies {
            let index = self.bodies.index(body)?;
            if self.graph.tie_count() > 0
                && self.graph.linked_edges_of(index).any(|edge| self.graph.edge(edge).is_tie())
            {
                return Err(WorldError::Jointed(body));
            }
        }
        Ok(())
    }

    pub(super) fn wake_joint(&mut self, handle: JointHandle) -> Result<(), WorldError> {
        let joint = *self.joints.get(handle)?;
        self.wake_ends(&joint);
        Ok(())
    }

    fn wake_ends(&mut self, joint: &Joint) {
        for body in joint.bodies() {
            if let Ok(index) = self.bodies.index(body) {
                self.bodies.wake(index, WakeCause::User);
            }
        }
    }

    fn ends_of(&self, joint: &Joint) -> [u32; 2] {
        joint.bodies().map(|body| body.index)
    }
}
