//! Joints in a world. Trusted: closed forms of pendulums and springs, conservation of momentum and energy, statics.

mod chains;
mod kinds;
mod life;
mod pendulum;
mod piles;

use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real, Vector3};
use drystone::{BodyHandle, BodySpec, ColliderSpec, Shape, SleepConfig, World, WorldConfig};

/// Time step, s.
const DT: Real = 1.0 / 60.0;

/// A world in which nothing sleeps.
fn sleepless() -> World {
    let sleeping = SleepConfig { enabled: false, ..WorldConfig::default().sleeping };
    World::new(WorldConfig { sleeping, ..WorldConfig::default() }).expect("valid")
}

/// The same without gravity.
fn weightless() -> World {
    let sleeping = SleepConfig { enabled: false, ..WorldConfig::default().sleeping };
    World::new(WorldConfig { sleeping, gravity: Vector3::zeros(), ..WorldConfig::default() }).expect("valid")
}

/// A cube of 0.2 m of a kilogram (m).
fn cube(world: &mut World, pose: Pose) -> BodyHandle {
    let half = Vector3::new(0.1, 0.1, 0.1);
    let cube = ColliderSpec::new(Shape::cuboid(half).expect("positive"));
    let mass = MassProperties::cuboid(&half, 125.0);
    world.add_body(BodySpec::dynamic().pose(pose).collider(cube).mass(mass)).expect("room")
}

fn run(world: &mut World, steps: u32) {
    for _ in 0..steps {
        world.step(DT).expect("a step");
    }
}
