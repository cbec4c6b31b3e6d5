//! Limits, motors and friction of ball joints in articulations of a world.

use crate::Sim;
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, JointAxis, JointHandle, JointSpec, Motor, Shape, World, WorldError,
};

const DT: Real = 1.0 / 60.0;
const TURNS: [JointAxis; 3] = [JointAxis::Twist, JointAxis::SwingY, JointAxis::SwingZ];

fn rod(world: &mut World, x: f64) -> Result<BodyHandle, WorldError> {
    let shape = Shape::cuboid(Vector3::new(0.25, 0.03, 0.02))?;
    world.add_body(BodySpec::dynamic().pose(Pose::at(x, 2.0, 0.0)).collider(ColliderSpec::new(shape)))
}

/// A rod on a ball at a post, and so many rods below it on hinges; `is_turned`: the rod is body A of the ball.
fn arm(
    world: &mut World,
    below: usize,
    is_turned: bool,
    ball: impl Fn(JointSpec) -> JointSpec,
) -> Result<(BodyHandle, JointHandle), WorldError> {
    let post = world.add_body(BodySpec::fixed().pose(Pose::at(0.0, 2.0, 0.0)))?;
    let first = rod(world, 0.25)?;
    let [a, b] = if is_turned { [first, post] } else { [post, first] };
    let at = Position::new(0.0, 2.0, 0.0);
    let joint = world.add_joint(&ball(JointSpec::cone_twist(a, b).at(at).along(Vector3::x())))?;
    let (mut joints, mut above) = (vec![joint], first);
    for k in 0..below {
        let x = 0.5 * (k as f64 + 1.0);
        let link = rod(world, x + 0.25)?;
        let hinge = JointSpec::hinge(above, link).at(Position::new(x, 2.0, 0.0)).along(Vector3::z());
        let hold = Motor::Spring { target: 0.0, stiffness: 20.0, damping: 2.0, most: 1e3 };
        joints.push(world.add_joint(&hinge.motor(hold))?);
        above = link;
    }
    world.add_articulation(&joints)?;
    Ok((first, joint))
}

/// It falls into its cone and comes to rest there, on its twist's limit too where it is turned.
#[test]
fn a_ball_keeps_its_cone_and_its_twist() -> Result<(), WorldError> {
    for (below, is_turned) in [(0, false), (2, false), (2, true)] {
        let mut world = Sim::awake(DT).world;
        let (first, joint) = arm(&mut world, below, is_turned, |spec| {
            spec.cone(0.5).axis_limits(JointAxis::Twist, -0.3, 0.2).friction(2.0)
        })?;
        world.set_velocity(first, Vector3::new(0.0, 0.5, 1.0), Vector3::new(3.0, -1.0, 2.0))?;
        for step in 0..900 {
            world.step(DT)?;
            let now = world.joint(joint)?;
            let opening = now.value(JointAxis::SwingY).hypot(now.value(JointAxis::SwingZ));
            let twist = now.value(JointAxis::Twist);
            assert!(opening < 0.5 + 1e-5, "step {step}, {below} below: the cone opens to {opening}");
            assert!(
                twist > -0.3 - 1e-5 && twist < 0.2 + 1e-5,
                "step {step}, {below} below: a twist of {twist}"
            );
            assert!(now.error[0] < 1e-5, "{:?}", now.error);
        }
        let speed = world.body(first)?.linear_velocity.norm();
        assert!(speed < 1e-3, "dry friction and the cone hold it, at {speed} m/s");
    }
    Ok(())
}

/// Motors along the three coordinates turn a rod to a rotation, in the air and with a plate in reach of it.
#[test]
fn motors_of_a_ball_reach_a_rotation() -> Result<(), WorldError> {
    for is_turned in [false, true] {
        for below in [0, 2] {
            for has_ground in [false, true] {
                let mut world = Sim::awake(DT).world;
                if has_ground {
                    // The rods below lie on it, so that the articulation is solved with contacts.
                    let shape = ColliderSpec::new(Shape::cuboid(Vector3::new(5.0, 0.1, 5.0))?);
                    world.add_body(BodySpec::fixed().pose(Pose::at(0.0, 1.55, 0.0)).collider(shape))?;
                }
                let targets = if has_ground { [0.4, 0.0, 0.0] } else { [0.4, -0.3, 0.5] };
                let (_, joint) = arm(&mut world, below, is_turned, |spec| {
                    TURNS.into_iter().zip(targets).fold(spec, |spec, (axis, target)| {
                        spec.axis_motor(
                            axis,
                            Motor::Spring { target, stiffness: 5e4, damping: 2e3, most: 1e5 },
                        )
                    })
                })?;
                (0..300).try_for_each(|_| world.step(DT).map(drop))?;
                let now = world.joint(joint)?;
                for (axis, target) in TURNS.into_iter().zip(targets) {
                    // The weight of three rods, 0.7 kg each at 1.25 m at most, bends 5e4 N m/rad by half a milliradian.
                    let off = (now.value(axis) - target).abs();
                    assert!(off < 2e-3, "{axis:?}, {below} below, turned {is_turned}: off by {off} rad");
                }
            }
        }
    }
    Ok(())
}

/// What is set while it runs acts from the next step on; a motor that is not strong enough gives way.
#[test]
fn settings_of_a_ball_may_change() -> Result<(), WorldError> {
    let mut world = Sim::awake(DT).world;
    let (first, joint) = arm(&mut world, 0, false, |spec| spec.cone(0.2))?;
    (0..120).try_for_each(|_| world.step(DT).map(drop))?;
    let opening = |world: &World| -> Result<Real, WorldError> {
        let now = world.joint(joint)?;
        Ok(now.value(JointAxis::SwingY).hypot(now.value(JointAxis::SwingZ)))
    };
    assert!((opening(&world)? - 0.2).abs() < 1e-4, "it lies in its cone");
    let lift = Motor::Spring { target: 0.0, stiffness: 1e5, damping: 1e3, most: 1e4 };
    world.set_motor(joint, JointAxis::SwingZ, Some(lift))?;
    (0..120).try_for_each(|_| world.step(DT).map(drop))?;
    assert!(opening(&world)? < 1e-3, "a strong motor lifts it");
    world.set_motor(joint, JointAxis::SwingZ, Some(Motor::Speed { speed: 0.0, most: 0.1 }))?;
    (0..240).try_for_each(|_| world.step(DT).map(drop))?;
    assert!((opening(&world)? - 0.2).abs() < 1e-4, "a weak one lets it sink");
    assert!((world.body(first)?.pose.rotation * Vector3::x()).y < -0.15, "downwards");
    Ok(())
}
