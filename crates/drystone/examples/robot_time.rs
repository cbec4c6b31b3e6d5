//! Microseconds per step of 1/60 s of three robots in a world, as articulations and as joint constraints: an arm of seven axes in the air, a quadruped (free
//! base, 12 hinges) that stands on its feet, a humanoid (free base, 30 hinges) that fell to the ground and lies there.
//!
//! `cargo run --release -p drystone --example robot_time`. Each figure is the least mean of 7 rounds: what else the machine did is left out. All joints have springs
//! with dampers as motors; nothing sleeps.

use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Real, RelativePose, Rotation, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, JointHandle, JointSpec, Motor, Shape, World, WorldConfig, WorldError,
};
use std::time::Instant;

const DT: Real = 1.0 / 60.0;
const ROUNDS: u32 = 7;

fn main() -> Result<(), WorldError> {
    println!(
        "{:10} {:>5} {:>14} {:>10} {:>11} {:>14}",
        "robot", "links", "articulation", "contacts", "constraints", "error there, m"
    );
    let robots: [(&str, Build, u32); 3] =
        [("arm", arm, 120), ("quadruped", quadruped, 240), ("humanoid", humanoid, 300)];
    for (name, build, settle) in robots {
        let mut reduced = Robot::new(build)?;
        reduced.world.add_articulation(&reduced.joints.clone())?;
        let mut constrained = Robot::new(build)?;
        let (time, other) = (reduced.time(settle)?, constrained.time(settle)?);
        let error = constrained.error()?;
        assert!(reduced.error()? < 1e-5, "an articulation has no error but that of rounding");
        println!(
            "{name:10} {:>5} {time:>14.1} {:>10} {other:>11.1} {error:>14.1e}",
            reduced.joints.len(),
            reduced.world.report().contacts
        );
    }
    println!("µs each");
    Ok(())
}

type Build = fn(&mut Robot) -> Result<(), WorldError>;

struct Robot {
    world: World,
    joints: Vec<JointHandle>,
}

impl Robot {
    fn new(build: Build) -> Result<Self, WorldError> {
        let mut config = WorldConfig::default();
        config.sleeping.enabled = false;
        let mut robot = Self { world: World::new(config)?, joints: Vec::new() };
        let ground = cuboid(Vector3::new(10.0, 0.5, 10.0))?;
        robot.world.add_body(BodySpec::fixed().pose(Pose::at(0.0, -0.5, 0.0)).collider(ground))?;
        build(&mut robot)?;
        Ok(robot)
    }

    /// Least mean time of a step, µs, after so many.
    fn time(&mut self, settle: u32) -> Result<f64, WorldError> {
        for _ in 0..settle {
            self.world.step(DT)?;
        }
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..100 {
                self.world.step(DT)?;
            }
            least = least.min(start.elapsed().as_secs_f64() * 1e4);
        }
        Ok(least)
    }

    /// Farthest that a joint is apart, m.
    fn error(&self) -> Result<Real, WorldError> {
        self.joints.iter().try_fold(0.0, |most: Real, &joint| Ok(most.max(self.world.joint(joint)?.error[0])))
    }

    /// A box of a robot with its middle here; a collider where it has one.
    fn link(
        &mut self,
        mass: Real,
        half: [Real; 3],
        at: [f64; 3],
        shape: Option<ColliderSpec>,
    ) -> Result<BodyHandle, WorldError> {
        let half = Vector3::from(half);
        let square = half.component_mul(&half);
        let moments =
            Vector3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (mass / 3.0);
        let spec = BodySpec::dynamic()
            .pose(Pose::at(at[0], at[1], at[2]))
            .mass(MassProperties::aligned(mass, moments));
        self.world.add_body(shape.into_iter().fold(spec, BodySpec::collider))
    }

    fn hinge(
        &mut self,
        a: BodyHandle,
        b: BodyHandle,
        at: [f64; 3],
        axis: Vector3,
        target: Real,
        stiffness: Real,
    ) -> Result<(), WorldError> {
        let spring = Motor::Spring { target, stiffness, damping: 0.03 * stiffness, most: 300.0 };
        let spec = JointSpec::hinge(a, b).at(Position::from(at)).along(axis).motor(spring);
        self.joints.push(self.world.add_joint(&spec)?);
        Ok(())
    }
}

fn cuboid(half: Vector3) -> Result<ColliderSpec, WorldError> {
    Ok(ColliderSpec::new(Shape::cuboid(half)?))
}

fn arm(robot: &mut Robot) -> Result<(), WorldError> {
    let mut below = robot.world.add_body(BodySpec::fixed())?;
    for k in 0..7 {
        let height = 1.0 + 0.2 * f64::from(k);
        let link = robot.link(3.0 - 0.3 * k as Real, [0.05, 0.1, 0.05], [0.0, height + 0.1, 0.0], None)?;
        let axis = if k % 2 == 0 { Vector3::y() } else { Vector3::z() };
        robot.hinge(below, link, [0.0, height, 0.0], axis, 0.3, 800.0)?;
        below = link;
    }
    Ok(())
}

fn quadruped(robot: &mut Robot) -> Result<(), WorldError> {
    let height = 0.5;
    let body = robot.link(
        8.0,
        [0.3, 0.08, 0.15],
        [0.0, height, 0.0],
        Some(cuboid(Vector3::new(0.3, 0.08, 0.15))?),
    )?;
    for (x, z) in [(0.25, 0.2), (0.25, -0.2), (-0.25, 0.2), (-0.25, -0.2)] {
        let foot = ColliderSpec::new(Shape::sphere(0.03)?);
        let foot = foot.local(RelativePose::new(Vector3::new(0.0, -0.1, 0.0), Rotation::identity()));
        let hip = robot.link(0.4, [0.04; 3], [x, height, z], None)?;
        let thigh = robot.link(0.6, [0.03, 0.1, 0.03], [x, height - 0.1, z], None)?;
        let shank = robot.link(0.3, [0.02, 0.1, 0.02], [x, height - 0.3, z], Some(foot))?;
        robot.hinge(body, hip, [x, height, z], Vector3::x(), 0.0, 200.0)?;
        robot.hinge(hip, thigh, [x, height, z], Vector3::z(), 0.35, 200.0)?;
        robot.hinge(thigh, shank, [x, height - 0.2, z], Vector3::z(), -0.7, 200.0)?;
    }
    Ok(())
}

/// A trunk of three, a head, arms and legs; three hinges in a place are two small links in between.
fn humanoid(robot: &mut Robot) -> Result<(), WorldError> {
    let part = |half: [Real; 3]| cuboid(half.into()).map(Some);
    let trunk = [0.12, 0.12, 0.16];
    let pelvis = robot.link(10.0, trunk, [0.0, 1.0, 0.0], part(trunk)?)?;
    let chest = robot.link(16.0, trunk, [0.0, 1.3, 0.0], part(trunk)?)?;
    let head = robot.link(4.0, [0.09; 3], [0.0, 1.6, 0.0], part([0.09; 3])?)?;
    robot.turn(pelvis, chest, [0.0, 1.15, 0.0], 3)?;
    robot.turn(chest, head, [0.0, 1.47, 0.0], 3)?;
    let limb = [0.05, 0.18, 0.05];
    for z in [-0.1, 0.1] {
        let thigh = robot.link(7.0, limb, [0.0, 0.68, z], part(limb)?)?;
        let shank = robot.link(4.0, limb, [0.0, 0.28, z], part(limb)?)?;
        let foot = robot.link(1.0, [0.1, 0.03, 0.05], [0.05, 0.05, z], part([0.1, 0.03, 0.05])?)?;
        robot.turn(pelvis, thigh, [0.0, 0.87, z], 3)?;
        robot.turn(thigh, shank, [0.0, 0.48, z], 1)?;
        robot.turn(shank, foot, [0.0, 0.09, z], 2)?;
    }
    for z in [-0.28, 0.28] {
        let upper = robot.link(2.5, limb, [0.0, 1.2, z], part(limb)?)?;
        let lower = robot.link(1.5, limb, [0.0, 0.8, z], part(limb)?)?;
        let hand = robot.link(0.5, [0.04; 3], [0.0, 0.56, z], part([0.04; 3])?)?;
        robot.turn(chest, upper, [0.0, 1.4, z], 3)?;
        robot.turn(upper, lower, [0.0, 1.0, z], 1)?;
        robot.turn(lower, hand, [0.0, 0.61, z], 2)?;
    }
    Ok(())
}

impl Robot {
    /// So many hinges about different axes at a place.
    fn turn(&mut self, a: BodyHandle, b: BodyHandle, at: [f64; 3], count: usize) -> Result<(), WorldError> {
        let mut from = a;
        for k in 0..count {
            let to = if k + 1 == count { b } else { self.link(0.3, [0.04; 3], at, None)? };
            self.hinge(from, to, at, [Vector3::z(), Vector3::x(), Vector3::y()][k], 0.0, 60.0)?;
            from = to;
        }
        Ok(())
    }
}
