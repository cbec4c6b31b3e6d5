//! What sleeps wakes when something comes to it, and what falls does not sleep.

use super::*;

/// A crate asleep on a floor, and a block 8 cm beside it: near enough for a contact, too far for a point.
fn crate_beside_a_block(block: PlanarBodySpec) -> (PlanarWorld, BodyHandle, BodyHandle) {
    let mut world = world_of(PlanarConfig::default(), 0.5, 0.0);
    add_floor(&mut world);
    let own = add(&mut world, 0.0, 0.5, cuboid(0.5, 0.5));
    let block = block.pose(PlanarPose::at(1.08, 0.5)).collider(cuboid(0.5, 0.5));
    let block = world.add_body(block).expect("valid");
    run(&mut world, 60.0, 2.0);
    assert!(world.body(own).expect("there").is_asleep);
    (world, own, block)
}

fn x(world: &PlanarWorld, body: BodyHandle) -> f64 {
    world.pose(body).expect("there").translation.x
}

/// A piston that starts beside a sleeper pushes it along: it went through.
#[test]
fn a_piston_pushes_the_sleeper_that_it_was_near() {
    let (mut world, own, piston) = crate_beside_a_block(PlanarBodySpec::kinematic());
    world.set_velocity(piston, Vector2::new(-1.0, 0.0), 0.0).expect("kinematic");
    for _ in 0..60 {
        world.step(1.0 / 60.0).expect("valid");
        let gap = x(&world, piston) - x(&world, own) - 1.0;
        assert!(gap > -1e-3, "the piston is {} m in the crate", -gap);
    }
    assert!(x(&world, own) < -0.9, "{} m", x(&world, own));
}

/// A wall that is put into a sleeper it was near parts from it, also when it was elsewhere meanwhile.
#[test]
fn a_wall_that_is_moved_into_a_sleeper_parts_from_it() {
    for way in [&[0.95][..], &[0.6], &[20.0, 0.6]] {
        let (mut world, own, wall) = crate_beside_a_block(PlanarBodySpec::fixed());
        for &to in way {
            world.set_pose(wall, PlanarPose::at(to, 0.5)).expect("there");
            world.step(1.0 / 60.0).expect("valid");
        }
        run(&mut world, 60.0, 1.0);
        let gap = x(&world, wall) - x(&world, own) - 1.0;
        assert!(gap > -1e-3, "by way of {way:?}: {} m in each other", -gap);
    }
}

/// What falls so slowly that it would count as at rest falls on: with gravity of its own, in a thick fluid, beside a wall that is
/// near and does not hold it.
#[test]
fn what_nothing_carries_falls_on_however_slowly() {
    let weak = PlanarBodySpec::dynamic().gravity_scale(0.005);
    let thick = PlanarBodySpec::dynamic().damping(400.0, 0.0);
    // Half of g t², and the terminal speed g / c.
    let weak_way = 0.5 * 0.005 * 9.81 * 9.0;
    let cases = [(&weak, weak_way, false), (&thick, 3.0 * 9.81 / 400.0, false), (&weak, weak_way, true)];
    for (spec, wanted, has_wall) in cases {
        let mut world = world_of(PlanarConfig::default(), 0.5, 0.0);
        if has_wall {
            let wall = PlanarBodySpec::fixed().pose(PlanarPose::at(1.005, 0.0)).collider(cuboid(0.5, 5.0));
            world.add_body(wall).expect("valid");
        }
        let body = world.add_body(spec.clone().collider(cuboid(0.5, 0.5))).expect("valid");
        run(&mut world, 60.0, 3.0);
        let facts = world.body(body).expect("there");
        assert!(!facts.is_asleep);
        // To the way of a step: sub-steps move after they accelerate, and in the fluid the first step has not the whole speed yet.
        let (fallen, step) = (-facts.center.y, f64::from(-facts.linear.y) / 60.0);
        assert!((fallen - wanted).abs() < step, "{fallen} m, formula {wanted} m");
    }
}

/// Not so what gravity does not pull, or a pivot holds.
#[test]
fn what_nothing_pulls_sleeps_in_the_air() {
    let pivot = PlanarLocks { translation: true, rotation: false };
    for spec in [PlanarBodySpec::dynamic().gravity_scale(0.0), PlanarBodySpec::dynamic().locks(pivot)] {
        let mut world = world_of(PlanarConfig::default(), 0.5, 0.0);
        let body = world.add_body(spec.collider(cuboid(0.5, 0.5))).expect("valid");
        run(&mut world, 60.0, 1.0);
        assert!(world.body(body).expect("there").is_asleep);
    }
}
