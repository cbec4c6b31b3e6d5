//! Large forces, masses, bodies and steps of other lengths.

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

/// What forces and gravity do within a step is seen in it: a disc 2 cm above a line, a bar that is turned into it.
#[test]
fn nothing_is_pushed_through_a_line_within_a_step() {
    let line = || {
        let shape = PlanarShape::segment(Vector2::new(-10.0, 0.0), Vector2::new(10.0, 0.0));
        PlanarBodySpec::fixed().collider(PlanarColliderSpec::new(shape.expect("valid")))
    };
    let disc = |gravity: f32, scale: f32, force: f32| {
        let mut world = world(gravity, 0.0, 0.0);
        world.add_body(line()).expect("valid");
        let spec = PlanarBodySpec::dynamic().pose(PlanarPose::at(0.0, 0.12)).gravity_scale(scale);
        let body = world.add_body(spec.collider(ball(0.1))).expect("valid");
        let mass = world.body(body).expect("there").mass;
        world.add_force(body, Vector2::new(0.0, -force * mass), 0.0).expect("dynamic");
        world.step(1.0 / 60.0).expect("valid");
        world.pose(body).expect("there").translation.y
    };
    // An acceleration of 1000 m/s² moves by 0.14 m in the step, and by more in sub-steps.
    for (what, height) in
        [("force", disc(0.0, 1.0, 1e3)), ("gravity", disc(1e3, 1.0, 0.0)), ("scale", disc(10.0, 100.0, 0.0))]
    {
        assert!((height - 0.1).abs() < 1e-3, "{what}: {height} m above the line");
    }
    let mut world = world(0.0, 0.0, 0.0);
    world.add_body(line()).expect("valid");
    let bar = add(&mut world, 0.0, 0.12, cuboid(1.0, 0.05));
    let inertia = world.body(bar).expect("there").inertia;
    world.add_force(bar, Vector2::zeros(), 1000.0 * inertia).expect("dynamic");
    world.step(1.0 / 60.0).expect("valid");
    let pose = world.pose(bar).expect("there");
    let corner = |x: f32, y: f32| pose.transform_point(&Vector2::new(x, y)).y;
    let lowest = corner(-1.0, -0.05).min(corner(1.0, -0.05));
    // Arms stay what they were within a step, so what turns by w is off by half of w² of its length.
    let turned = pose.turn.angle();
    assert!(turned > 0.01 && lowest > -0.5 * turned * turned - 1e-3, "turned by {turned} rad, {lowest} m");
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

/// A block of 200 m that tips onto its second corner finds the floor there: it sank in while only the first was looked at.
#[test]
fn a_large_block_that_tips_lands_on_its_second_corner() {
    let mut world = world(9.81, 0.5, 0.0);
    let floor = PlanarBodySpec::fixed().pose(PlanarPose::at(0.0, -100.0)).collider(cuboid(1000.0, 100.0));
    world.add_body(floor).expect("valid");
    let tilt = 6e-4_f64;
    let height = 100.0 * (tilt.cos() + tilt.sin());
    let spec =
        PlanarBodySpec::dynamic().pose(PlanarPose::new(0.0, height, tilt)).collider(cuboid(100.0, 100.0));
    let block = world.add_body(spec).expect("valid");
    for step in 0..120 {
        world.step(1.0 / 60.0).expect("valid");
        let pose = world.pose(block).expect("there");
        let corner = |x: f32| pose.transform_point(&Vector2::new(x, -100.0)).y;
        let lowest = corner(-100.0).min(corner(100.0));
        // Heights of 100 m turned in `f32` are unsure of some hundredth of a millimetre.
        assert!(lowest > -2e-3, "step {step}: a corner is {} m in the floor", -lowest);
    }
}
