//! Large masses, levers of nothing, and steps of other lengths.

use super::*;

/// Rows of squares on a floor, each on two of the row below.
fn add_pyramid(world: &mut PlanarWorld, rows: u32) -> Vec<BodyHandle> {
    let mut bodies = Vec::new();
    for row in 0..rows {
        for k in 0..rows - row {
            let x = 1.05 * (f64::from(k) + 0.5 * f64::from(row));
            bodies.push(add(world, x, 0.5 + f64::from(row), cuboid(0.5, 0.5)));
        }
    }
    bodies
}

/// A wheel that is pressed towards its axis is turned by nothing, however the floor is tilted: no lever is left but rounding's.
#[test]
fn a_wheel_pressed_towards_its_axis_spins_on() {
    let pivot = PlanarLocks { translation: true, rotation: false };
    for angle in [0.0_f64, -0.3, 0.3, 0.7, -1.1, 2.5] {
        let mut world = world(9.81, 0.0, 0.0);
        let floor =
            PlanarBodySpec::fixed().pose(PlanarPose::new(0.0, 0.0, angle)).collider(cuboid(100.0, 1.0));
        world.add_body(floor).expect("valid");
        // 5 cm in the floor, 3 m along it.
        let (along, up) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
        let at = [3.0 * along[0] + 1.45 * up[0], 3.0 * along[1] + 1.45 * up[1]];
        let wheel = PlanarBodySpec::dynamic().pose(PlanarPose::at(at[0], at[1])).locks(pivot);
        let wheel = world.add_body(wheel.velocity(Vector2::zeros(), 3.0).collider(ball(0.5))).expect("valid");
        run(&mut world, 60.0, 1.0);
        let facts = world.body(wheel).expect("there");
        assert_eq!((facts.angular, facts.is_quarantined), (3.0, false), "floor at {angle}");
        assert_eq!(facts.pose.translation, Position2::new(at[0], at[1]));
        assert!(
            (facts.pose.turn.angle() - 3.0).abs() < 1e-4,
            "floor at {angle}: {} rad",
            facts.pose.turn.angle()
        );
    }
}

/// Bodies of all masses that are accepted rest on a floor and on each other.
#[test]
fn bodies_of_any_mass_rest() {
    for exponent in [-30, -25, -19, -10, 0, 10, 19, 25, 30] {
        let mass = 10.0_f32.powi(exponent);
        let mut world = world(9.81, 0.5, 0.0);
        add_floor(&mut world);
        let pile = [0.5, 1.5].map(|y| {
            let own = PlanarMass { mass, center: Vector2::zeros(), inertia: mass / 6.0 };
            let spec = PlanarBodySpec::dynamic().pose(PlanarPose::at(0.0, y)).mass(own);
            world.add_body(spec.collider(cuboid(0.5, 0.5))).expect("in range")
        });
        run(&mut world, 60.0, 2.0);
        for (body, wanted) in pile.into_iter().zip([0.5, 1.5]) {
            let facts = world.body(body).expect("there");
            assert!(!facts.is_quarantined, "{mass} kg");
            assert!((facts.center.y - wanted).abs() < 1e-3, "{mass} kg at {} m", facts.center.y);
        }
    }
}

/// A pyramid that is set down begins with its own weight, whatever steps the empty world made before.
#[test]
fn loads_are_those_of_the_step_in_which_a_pile_is_set_down() {
    let [plain, after_short] = [false, true].map(|has_short| {
        let mut world = world(9.81, 0.5, 0.0);
        add_floor(&mut world);
        world.step(if has_short { 1.0 / 240.0 } else { 1.0 / 60.0 }).expect("valid");
        let bodies = add_pyramid(&mut world, 10);
        world.step(1.0 / 60.0).expect("valid");
        bodies
            .iter()
            .map(|&b| (world.pose(b).expect("there"), world.velocity(b).expect("there")))
            .collect::<Vec<_>>()
    });
    assert_eq!(plain, after_short);
}

/// A pyramid that fell asleep in long steps and wakes in short ones stays where it is: what its contacts gave is measured by the
/// step in which they gave it.
#[test]
fn a_pile_that_wakes_in_shorter_steps_does_not_jump() {
    let mut world = world_of(PlanarConfig::default(), 0.5, 0.0);
    add_floor(&mut world);
    let bodies = add_pyramid(&mut world, 10);
    run(&mut world, 60.0, 3.0);
    assert_eq!(world.report().asleep as usize, bodies.len());
    // Meanwhile the world goes on in short steps.
    run(&mut world, 240.0, 0.1);
    world.wake(bodies[0]).expect("there");
    world.step(1.0 / 240.0).expect("valid");
    let fastest = bodies.iter().map(|&b| world.velocity(b).expect("there").0.norm()).fold(0.0, f32::max);
    // Four times its weight for one sub-step would be 3 g h = 0.03 m/s; gravity gives 0.04 m/s in the step.
    assert!(fastest < 1e-3, "{fastest} m/s");
}
