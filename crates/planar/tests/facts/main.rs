//! Facts of the planar world, by kind: motion in closed form, conservation, friction and bounce by formula (`physics`); large forces,
//! masses and bodies (`extremes`); sleep and events (`touches`, `sleepers`); refusals and broken states (`totality`); equal bits
//! (`bits`).

mod bits;
mod extremes;
mod physics;
mod sleepers;
mod totality;
mod touches;

use drystone_planar::*;

/// A world without sleep, with one friction and one restitution for all pairs.
pub(crate) fn world(gravity: f32, friction: f32, restitution: f32) -> PlanarWorld {
    let mut config = PlanarConfig { gravity: Vector2::new(0.0, -gravity), ..PlanarConfig::default() };
    config.sleeping.enabled = false;
    world_of(config, friction, restitution)
}

pub(crate) fn world_of(config: PlanarConfig, friction: f32, restitution: f32) -> PlanarWorld {
    let mut world = PlanarWorld::new(config).expect("valid");
    let pair = PairMaterial {
        restitution,
        static_friction: friction,
        kinetic_friction: friction,
        ..PairMaterial::default()
    };
    world.materials_mut().set_all_pairs(pair).expect("in range");
    world
}

pub(crate) fn ball(radius: f32) -> PlanarColliderSpec {
    PlanarColliderSpec::new(PlanarShape::circle(radius).expect("positive"))
}

pub(crate) fn cuboid(x: f32, y: f32) -> PlanarColliderSpec {
    PlanarColliderSpec::new(PlanarShape::cuboid(x, y).expect("positive"))
}

/// A floor whose surface is at height 0.
pub(crate) fn add_floor(world: &mut PlanarWorld) -> BodyHandle {
    let spec = PlanarBodySpec::fixed().pose(PlanarPose::at(0.0, -1.0)).collider(cuboid(100.0, 1.0));
    world.add_body(spec).expect("valid")
}

pub(crate) fn add(world: &mut PlanarWorld, x: f64, y: f64, collider: PlanarColliderSpec) -> BodyHandle {
    world.add_body(PlanarBodySpec::dynamic().pose(PlanarPose::at(x, y)).collider(collider)).expect("valid")
}

pub(crate) fn run(world: &mut PlanarWorld, hz: f32, seconds: f32) {
    for _ in 0..(seconds * hz).round() as u32 {
        world.step(1.0 / hz).expect("a valid step");
    }
}
