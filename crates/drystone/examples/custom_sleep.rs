//! A rule of sleep of one's own: what is farther than 20 m from the player sleeps after half a second at rest, what is near never does.
//! The engine's rule is off, its wake rules work as ever. `cargo run -p drystone --example custom_sleep`

use drystone::math::{Pose, Position, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig, WorldError};
use std::collections::BTreeMap;

/// Steps in a row at rest, by body.
#[derive(Default)]
struct FarSleeps {
    still: BTreeMap<u32, u32>,
}

impl FarSleeps {
    /// Call it after every step.
    fn apply(&mut self, world: &mut World, player: &Position) -> Result<(), WorldError> {
        let mut due = Vec::new();
        for body in world.bodies().filter(|body| !body.is_asleep) {
            let is_still = body.linear_velocity.norm() < 0.02 && body.angular_velocity.norm() < 0.02;
            let is_far = (body.pose.translation - player).norm() > 20.0;
            let steps = self.still.entry(body.handle.index).or_default();
            *steps = if is_still && is_far { *steps + 1 } else { 0 };
            if *steps >= 30 {
                due.push(body.handle);
            }
        }
        for handle in due {
            // False for what nothing carries, and for what cannot move.
            world.put_to_sleep(handle)?;
        }
        Ok(())
    }
}

fn main() -> Result<(), WorldError> {
    let mut config = WorldConfig::default();
    config.sleeping.enabled = false;
    let mut world = World::new(config)?;
    world.add_body(BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(Vector3::y())?)))?;
    let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5))?);
    let mut cubes = Vec::new();
    for k in 0..10 {
        let pose = Pose::at(5.0 * f64::from(k), 0.6, 0.0);
        cubes.push(world.add_body(BodySpec::dynamic().pose(pose).collider(cube.clone()))?);
    }
    let (mut rule, player) = (FarSleeps::default(), Position::origin());
    for _ in 0..180 {
        world.step(1.0 / 60.0)?;
        rule.apply(&mut world, &player)?;
    }
    for &cube in &cubes {
        let body = world.body(cube)?;
        println!(
            "cube at {:4.0} m: {}",
            body.pose.translation.x,
            if body.is_asleep { "asleep" } else { "awake" }
        );
        assert_eq!(body.is_asleep, (body.pose.translation - player).norm() > 20.0);
    }
    // A push wakes it, as it would any sleeper.
    world.add_impulse(cubes[9], Vector3::x() * 1000.0, Vector3::zeros())?;
    assert!(!world.body(cubes[9])?.is_asleep);
    Ok(())
}
