//! A world in twenty lines: ten cubes are piled up, and stand. `cargo run -p drystone --example world_in_20_lines`

use drystone::math::{Pose, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig, WorldError};

fn main() -> Result<(), WorldError> {
    let mut world = World::new(WorldConfig::default())?;
    let ground = ColliderSpec::new(Shape::half_space(Vector3::y())?);
    world.add_body(BodySpec::fixed().collider(ground))?;
    let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5))?);
    let mut top = None;
    for level in 0..10 {
        let pose = Pose::at(0.0, 0.5 + f64::from(level), 0.0);
        top = Some(world.add_body(BodySpec::dynamic().pose(pose).collider(cube.clone()))?);
    }
    for _ in 0..300 {
        world.step(1.0 / 60.0)?;
    }
    for body in world.bodies().filter(|body| Some(body.handle) == top) {
        println!(
            "after {:.0} s the top is at {:.4} m; asleep: {}",
            world.time(),
            body.pose.translation.y,
            body.is_asleep
        );
        assert!((body.pose.translation.y - 9.5).abs() < 0.002 && body.is_asleep);
    }
    Ok(())
}
