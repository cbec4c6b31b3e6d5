//! Joints of a world: edges of the contact graph that hold two bodies together (S3-02, L-L).

use super::World;
use crate::WorldError;
use drystone_contact::{
    BodyHandle, BodyIndex, ContainerRole, JointHandle, TIE_AXES, Tie, TieCoordinates, WakeCause,
};
use drystone_joint::{Coupled, CouplingSpec, Joint, JointAxis, JointError, JointKind, JointSpec, Motor};
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
    pub coordinates: TieCoordinates,
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

/// What a joint couples, as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingRef {
    /// The joints whose coordinates it couples, the coordinates, and what they are multiplied with.
    pub of: Coupled,
    /// The sum of both products: m or rad, as the factors have it.
    pub sum: f64,
    /// Least and greatest value of the sum; the same twice where it is held.
    pub limits: [f64; 2],
    /// How fast the sum changes.
    pub velocity: Real,
    /// Mean force along the sum in the last sub-step: times a factor it is what the coordinate of that joint got, N or N·m.
    pub force: Real,
}

impl CouplingRef {
    /// How far the sum is beyond its limits.
    pub fn error(&self) -> f64 {
        (self.sum - self.limits[1]).max(0.0) + (self.sum - self.limits[0]).min(0.0)
    }
}

impl World {
    /// Adds a joint between two bodies, of which one at least is dynamic. Both wake, they are one group from now on (S3-14), and unless
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
    /// knows no joints ([`crate::Advance::takes_ties`]).
    pub fn add_joint(&mut self, spec: &JointSpec) -> Result<JointHandle, WorldError> {
        if !self.advance.takes_ties() {
            return Err(WorldError::NoJoints(self.advance.method()));
        }
        let bodies = spec.bodies();
        for body in bodies {
            let index = self.free_index(body)?;
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

    /// Adds a joint that couples coordinates of two others: gears, racks, pulleys. It acts on the bodies of both joints; they wake, and sleep together from now on. It has a
    /// handle as other joints have, and is gone, as one that broke, when one of the two is.
    ///
    /// ```
    /// use drystone::math::{Pose, Position, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, CouplingSpec, JointAxis, JointSpec, Motor, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let frame = world.add_body(BodySpec::fixed())?;
    /// let mut axle = |x: f64, motor: Option<Motor>| {
    ///     let wheel = ColliderSpec::new(Shape::sphere(0.1).expect("positive"));
    ///     let wheel = world.add_body(BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).collider(wheel))?;
    ///     let hinge = JointSpec::hinge(frame, wheel).at(Position::new(x, 0.0, 0.0)).along(Vector3::z());
    ///     world.add_joint(&motor.map_or(hinge.clone(), |motor| hinge.motor(motor)))
    /// };
    /// let crank = axle(0.0, Some(Motor::Speed { speed: 12.0, most: 100.0 }))?;
    /// let wheel = axle(1.0, None)?;
    /// let gear = world.add_coupling(&CouplingSpec::gear(crank, wheel, -0.25))?;
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// let turned = [crank, wheel].map(|joint| world.joint(joint).expect("it is there").value(JointAxis::Twist));
    /// assert!((turned[0] - 24.0).abs() < 0.3, "four turns in two seconds: {turned:?}");
    /// assert!((turned[1] + 0.25 * turned[0]).abs() < 1e-3, "a quarter of that, the other way: {turned:?}");
    /// assert!(world.joint(gear)?.coupling.expect("it couples").error().abs() < 1e-3);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown joint, a coordinate that cannot be coupled ([`JointError::CannotCouple`]), a factor that is 0 or no number, a method that knows no joints.
    pub fn add_coupling(&mut self, spec: &CouplingSpec) -> Result<JointHandle, WorldError> {
        if !self.advance.takes_ties() {
            return Err(WorldError::NoJoints(self.advance.method()));
        }
        let handle = self.joints.add_coupling(spec, &self.bodies, &mut self.graph)?;
        self.begin_joint(handle)?;
        for joint in spec.joints() {
            self.wake_joint(joint)?;
        }
        Ok(handle)
    }

    /// What a joint that was just added changes besides.
    fn begin_joint(&mut self, handle: JointHandle) -> Result<(), WorldError> {
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
    pub fn remove_joint(&mut self, handle: JointHandle) -> Result<(), WorldError> {
        while let Some(coupling) = self.joints.coupling_of(handle) {
            self.remove_joint(coupling)?;
        }
        let joint = *self.joints.get(handle)?;
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

    fn coupling_ref(&self, handle: JointHandle, joint: &Joint, tie: &Tie, dt: Real) -> Option<CouplingRef> {
        let own = tie.coupling?;
        let screw =
            Coupled { joints: [handle; 2], axes: [JointAxis::X, JointAxis::Twist], factors: own.factors };
        let of = *joint.coupled().unwrap_or(&screw);
        let (mut sum, mut velocity) = (0.0, 0.0);
        for k in 0..2 {
            let tie = self.graph.tie(self.joints.get(of.joints[k]).ok()?.edge())?;
            let axis = of.axes[k] as usize;
            sum += f64::from(of.factors[k]) * tie.value(&self.bodies, axis);
            velocity += of.factors[k] * tie.rates(&self.bodies)[axis];
        }
        let force = tie.memory.coupling / dt;
        Some(CouplingRef { of, sum, limits: [own.least, own.greatest], velocity, force })
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

    fn wake_joint(&mut self, handle: JointHandle) -> Result<(), WorldError> {
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
