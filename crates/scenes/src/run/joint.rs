//! From a scene's data to the engine's joints.

use crate::error::SceneError;
use crate::model::{
    ArticulationSpec, CouplingEntry, CouplingKindSpec, JointAxisSpec, JointEntry, JointKindSpec, MotorSpec,
    SoftnessSpec,
};
use drystone::math::{Position, Real, Rotation, Vector3, is_finite};
use drystone::{
    Anchor, BodyHandle, BodySpec, ColliderSpec, CouplingSpec, JointAxis, JointHandle, JointKind, JointSpec,
    Motor, Shape, Softness, World, WorldConfig, WorldError,
};

/// Adds the joint with this index; returns its handle.
pub(super) fn join(
    world: &mut World,
    index: usize,
    entry: &JointEntry,
    body: impl Fn(&str) -> Option<BodyHandle>,
) -> Result<JointHandle, SceneError> {
    let names = format!("{} - {}", entry.bodies[0], entry.bodies[1]);
    let refused = |reason: String| SceneError::Refused {
        path: format!("joints[{index}]"),
        name: names.clone(),
        reason,
    };
    let [Some(a), Some(b)] = [body(&entry.bodies[0]), body(&entry.bodies[1])] else {
        return Err(refused("one of its bodies was removed before".to_owned()));
    };
    world.add_joint(&spec(entry, a, b)).map_err(|e| refused(e.to_string()))
}

/// Adds the coupling with this index between the joints with these names.
pub(super) fn couple(
    world: &mut World,
    index: usize,
    entry: &CouplingEntry,
    joint: impl Fn(&str) -> Option<JointHandle>,
) -> Result<(), SceneError> {
    let [first, second] = &entry.joints;
    let refused = |reason: String| SceneError::Refused {
        path: format!("couplings[{index}]"),
        name: format!("{first} - {second}"),
        reason,
    };
    let [Some(a), Some(b)] = [joint(first), joint(second)] else {
        return Err(refused("one of its joints is not there, or broke before".to_owned()));
    };
    world.add_coupling(&coupling(entry, [a, b])).map(drop).map_err(|e| refused(e.to_string()))
}

/// Makes joints the articulation with this index.
pub(super) fn articulate(
    world: &mut World,
    index: usize,
    entry: &ArticulationSpec,
    joint: impl Fn(usize) -> Option<JointHandle>,
) -> Result<(), SceneError> {
    let refused = |reason: String| SceneError::Refused {
        path: format!("articulations[{index}]"),
        name: format!("{} joints", entry.joints.len()),
        reason,
    };
    let joints: Option<Vec<JointHandle>> = entry.joints.iter().map(|&at| joint(at)).collect();
    let joints = joints.ok_or_else(|| refused("one of its joints is not there".to_owned()))?;
    world.add_articulation(&joints).map_err(|e| refused(e.to_string()))?;
    for (k, rotor) in entry.rotors.iter().enumerate() {
        let refused = |reason: String| SceneError::Refused {
            path: format!("articulations[{index}].rotors[{k}]"),
            name: format!("joints[{}]", rotor.joint),
            reason,
        };
        let handle = joint(rotor.joint).ok_or_else(|| refused("its joint is not there".to_owned()))?;
        world.set_rotor(handle, rotor.armature, rotor.damping).map_err(|e| match e {
            WorldError::NotArticulated(_) => {
                refused("it closes a loop, and only joints of the tree have rotors".to_owned())
            }
            other => refused(other.to_string()),
        })?;
    }
    Ok(())
}

/// Sine of the angle between the two directions of a joint below which they count as one.
const LEAST_SINE: Real = 1e-3;

/// Two bodies of a world of their own, between which joints are tried before there is a run.
pub(crate) struct JointTrial {
    world: World,
    bodies: [BodyHandle; 2],
}

impl JointTrial {
    /// With nothing between them.
    pub(crate) fn new() -> Self {
        let mut world = World::new(WorldConfig::default()).expect("the default settings are valid");
        let ball = ColliderSpec::new(Shape::sphere(1.0).expect("a ball of 1 m is one"));
        let bodies = [(); 2].map(|()| {
            let body = BodySpec::dynamic().collider(ball.clone());
            world.add_body(body).expect("a ball has a mass")
        });
        Self { world, bodies }
    }

    /// Whether the engine takes a joint between two bodies that are where it is.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn attempt(&mut self, entry: &JointEntry) -> Result<(), WorldError> {
        // About the origin, so that how far apart its ends are is not rounded.
        let to = entry.to.map(|to| [0, 1, 2].map(|k| to[k] - entry.at[k]));
        let near = JointEntry { at: [0.0; 3], to, ..entry.clone() };
        let joint = self.world.add_joint(&spec(&near, self.bodies[0], self.bodies[1]))?;
        self.world.remove_joint(joint)
    }

    /// Whether the engine takes a coupling of two joints that it takes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn attempt_coupling(
        &mut self,
        entry: &CouplingEntry,
        joints: [&JointEntry; 2],
    ) -> Result<(), WorldError> {
        let mut added = Vec::new();
        for joint in joints {
            added.push(self.world.add_joint(&spec(joint, self.bodies[0], self.bodies[1]))?);
        }
        let coupled = self.world.add_coupling(&coupling(entry, [added[0], added[1]]));
        for joint in added {
            self.world.remove_joint(joint)?;
        }
        coupled.map(drop)
    }
}

/// The coupling that an entry means.
fn coupling(entry: &CouplingEntry, joints: [JointHandle; 2]) -> CouplingSpec {
    let [first, second] = joints;
    let mut spec = match entry.kind {
        CouplingKindSpec::Gear { ratio } => CouplingSpec::gear(first, second, ratio),
        CouplingKindSpec::RackAndPinion { radius } => CouplingSpec::rack_and_pinion(first, second, radius),
        CouplingKindSpec::Pulley { ratio } => CouplingSpec::pulley(first, second, ratio),
        CouplingKindSpec::Sum { axes, factors } => CouplingSpec::new(joints, axes.map(axis), factors),
    };
    if entry.least.is_some() || entry.greatest.is_some() {
        let (least, greatest) = (entry.least, entry.greatest);
        spec = spec.limits(least.unwrap_or(f64::NEG_INFINITY), greatest.unwrap_or(f64::INFINITY));
    }
    spec.breaks_above(most(entry.breaks_above_force), most(entry.breaks_above_torque))
        .collides(entry.collides)
}

/// The joint that an entry means.
fn spec(entry: &JointEntry, a: BodyHandle, b: BodyHandle) -> JointSpec {
    let mut spec = JointSpec::new(kind(entry.kind), a, b);
    spec = spec.between(Position::from(entry.at), Position::from(entry.to.unwrap_or(entry.at)));
    if let Some(axis) = entry.axis {
        spec = spec.along(Vector3::from(axis));
    }
    if let Some(axes) = entry.across.and_then(|across| frame(entry.axis, across)) {
        let ends = [entry.at, entry.to.unwrap_or(entry.at)].map(Position::from);
        spec = spec.anchored(ends.map(|origin| Anchor::World { origin, axes }));
    }
    if entry.lower.is_some() || entry.upper.is_some() {
        spec = spec.limits(least(entry.lower), most(entry.upper));
    }
    if let Some(drive) = entry.motor {
        spec = spec.motor(motor(drive));
    }
    if let Some(friction) = entry.friction {
        spec = spec.friction(friction);
    }
    for own in &entry.axes {
        let axis = axis(own.axis);
        spec = spec.axis_limits(axis, least(own.lower), most(own.upper));
        if let Some(drive) = own.motor {
            spec = spec.axis_motor(axis, motor(drive));
        }
        if let Some(friction) = own.friction {
            spec = spec.axis_friction(axis, friction);
        }
    }
    if let Some(cone) = entry.cone {
        spec = spec.cone(cone);
    }
    if let Some(pitch) = entry.pitch {
        spec = spec.pitch(pitch);
    }
    if let Some(angle) = entry.steering {
        spec = spec.steering(angle);
    }
    if let Some(spring) = entry.suspension {
        spec = spec.suspension(softness(spring));
    }
    if let Some(spring) = entry.linear_spring {
        spec = spec.linear_spring(softness(spring));
    }
    if let Some(spring) = entry.angular_spring {
        spec = spec.angular_spring(softness(spring));
    }
    spec.breaks_above(most(entry.breaks_above_force), most(entry.breaks_above_torque))
        .collides(entry.collides)
}

/// Axes of a joint whose x axis is along `axis` (default: x) and whose y axis leans to `across`; `None` where these have no two directions.
pub(crate) fn frame(axis: Option<[Real; 3]>, across: [Real; 3]) -> Option<Rotation> {
    let x = Vector3::from(axis.unwrap_or([1.0, 0.0, 0.0])).try_normalize(0.0)?;
    let across = Vector3::from(across).try_normalize(0.0)?;
    let y = (across - x * x.dot(&across)).try_normalize(LEAST_SINE)?;
    // Looks along z, with y above.
    (is_finite(&x) && is_finite(&y)).then(|| Rotation::face_towards(&x.cross(&y), &y))
}

fn least(value: Option<Real>) -> Real {
    value.unwrap_or(Real::NEG_INFINITY)
}

fn most(value: Option<Real>) -> Real {
    value.unwrap_or(Real::INFINITY)
}

fn motor(spec: MotorSpec) -> Motor {
    match spec {
        MotorSpec::Speed { speed, most: force } => Motor::Speed { speed, most: most(force) },
        MotorSpec::Spring { target, stiffness, damping, most: force } => {
            Motor::Spring { target, stiffness, damping, most: most(force) }
        }
        MotorSpec::Servo { target, speed, stiffness, damping, force, max_force } => {
            Motor::Servo { target, speed, stiffness, damping, force, max_force: most(max_force) }
        }
    }
}

fn softness(spec: SoftnessSpec) -> Softness {
    match spec {
        SoftnessSpec::Stiffness { stiffness, damping } => Softness::Stiffness { stiffness, damping },
        SoftnessSpec::Frequency { frequency, damping_ratio } => {
            Softness::Frequency { frequency, damping_ratio }
        }
    }
}

fn kind(spec: JointKindSpec) -> JointKind {
    match spec {
        JointKindSpec::Distance => JointKind::Distance,
        JointKindSpec::Ball => JointKind::Ball,
        JointKindSpec::Hinge => JointKind::Hinge,
        JointKindSpec::Slider => JointKind::Slider,
        JointKindSpec::Fixed => JointKind::Fixed,
        JointKindSpec::ConeTwist => JointKind::ConeTwist,
        JointKindSpec::Generic => JointKind::Generic,
        JointKindSpec::Screw => JointKind::Screw,
        JointKindSpec::Wheel => JointKind::Wheel,
        JointKindSpec::SoftWeld => JointKind::SoftWeld,
    }
}

fn axis(spec: JointAxisSpec) -> JointAxis {
    match spec {
        JointAxisSpec::X => JointAxis::X,
        JointAxisSpec::Y => JointAxis::Y,
        JointAxisSpec::Z => JointAxis::Z,
        JointAxisSpec::Twist => JointAxis::Twist,
        JointAxisSpec::SwingY => JointAxis::SwingY,
        JointAxisSpec::SwingZ => JointAxis::SwingZ,
        JointAxisSpec::Distance => JointAxis::Distance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_its_axis_along_x_and_leans_to_the_other() {
        let axes = frame(Some([0.0, 0.0, 2.0]), [3.0, 0.0, 1.0]).expect("two directions");
        assert!((axes * Vector3::x() - Vector3::z()).norm() < 1e-6);
        assert!((axes * Vector3::y() - Vector3::x()).norm() < 1e-6);
        assert!(
            (frame(None, [0.0, 0.0, -1.0]).expect("x is usual") * Vector3::y() + Vector3::z()).norm() < 1e-6
        );
        for (axis, across) in
            [([1.0, 0.0, 0.0], [-2.0, 0.0, 0.0]), ([0.0; 3], [0.0, 1.0, 0.0]), ([1.0, 0.0, 0.0], [0.0; 3])]
        {
            assert_eq!(frame(Some(axis), across), None, "{axis:?} {across:?}");
        }
    }
}
