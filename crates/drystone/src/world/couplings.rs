//! Joints that couple coordinates of two others: gears, racks, pulleys; and screws, which couple two of their own.

use super::World;
use crate::WorldError;
use drystone_contact::{JointConstraint, JointHandle};
use drystone_joint::{Coupled, CouplingSpec, Joint, JointAxis};
use drystone_math::Real;

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
    /// An unknown joint, a coordinate that cannot be coupled ([`crate::JointError::CannotCouple`]), a factor that is no number or not 1e-9 to 1e9 in size, a method that knows no joints, a joint of an articulation.
    pub fn add_coupling(&mut self, spec: &CouplingSpec) -> Result<JointHandle, WorldError> {
        if !self.solver.supports_joints() {
            return Err(WorldError::NoJoints(self.solver.method()));
        }
        for joint in spec.joints() {
            let edge = self.joints.get(joint)?.edge();
            if let Some(articulation) = self.articulations.of_edge(edge) {
                return Err(WorldError::Coupled { joint, articulation });
            }
        }
        let handle = self.joints.add_coupling(spec, &self.bodies, &mut self.graph)?;
        self.begin_joint(handle)?;
        for joint in spec.joints() {
            self.wake_joint(joint)?;
        }
        Ok(handle)
    }

    /// What a joint couples.
    pub(super) fn coupling_ref(
        &self,
        handle: JointHandle,
        joint: &Joint,
        tie: &JointConstraint,
        dt: Real,
    ) -> Option<CouplingRef> {
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
}
