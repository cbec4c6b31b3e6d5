//! What a step says of itself is true (promises 2 and 6). Trusted references: momentum and energy from
//! velocities, overlaps from geometry.

use crate::common::*;
use drystone::math::{Displacement, Pose, Position, Real, Vector3, widen};
use drystone::{BodySpec, JointSpec, Stage, World, WorldConfig};

/// Linear momentum (N·s) and, for balls, angular momentum (N·m·s) of every body.
fn momenta(world: &World) -> Vec<[Displacement; 2]> {
    let of = |b: drystone::BodyRef| {
        let spin = 0.4 * b.mass * b.radius * b.radius;
        [widen(&b.linear_velocity) * f64::from(b.mass), widen(&b.angular_velocity) * f64::from(spin)]
    };
    world.bodies().map(of).collect()
}

/// Promise 6 for one step of a world in which all dynamic bodies are awake and `is_ball` tells the balls.
fn impulses_are_real(world: &mut World, is_ball: impl Fn(usize) -> bool, stick_sweeps: u32) {
    let before = momenta(world);
    let fastest = |w: &World| {
        w.bodies()
            .map(|b| b.linear_velocity.norm() + b.angular_velocity.norm() * b.radius.min(10.0))
            .fold(0.0, Real::max)
    };
    let speed = fastest(world);
    let dt = 1.0 / ACCURATE;
    let report = world.step(dt).expect("valid").clone();
    let speed = f64::from(speed.max(fastest(world))) + G * f64::from(dt);
    // Every resolution rounds a velocity and an accumulated impulse to f32, each off by half a unit in the
    // last place of a number no larger than `speed` (or twice it, in between).
    let resolutions = report.iterations as f64 + f64::from(4 * stick_sweeps * report.contacts) + 10.0;
    let relative = f64::from(Real::EPSILON) * 2.0 * resolutions;
    let gravity = widen(&world.config().gravity) * f64::from(dt);
    for (i, body) in world.bodies().enumerate().filter(|(_, b)| b.mass > 0.0) {
        let mut expected = [before[i][0] + gravity * f64::from(body.mass), before[i][1]];
        let mut load = 0.0;
        for contact in world.contacts() {
            let sign = f64::from(
                i8::from(contact.bodies[1] == body.handle) - i8::from(contact.bodies[0] == body.handle),
            );
            let impulse = widen(&contact.impulse) * sign;
            expected[0] += impulse;
            expected[1] += (contact.point - body.center).cross(&impulse);
            load += impulse.norm();
        }
        let after = momenta(world)[i];
        let tolerance = relative * (f64::from(body.mass) * speed + load);
        let off = (after[0] - expected[0]).norm();
        assert!(off <= tolerance, "body {i}, step {}: {off} N s off, {tolerance} allowed", report.step);
        let off = (after[1] - expected[1]).norm();
        let tolerance = tolerance * f64::from(body.radius);
        assert!(
            !is_ball(i) || off <= tolerance,
            "body {i}, step {}: {off} N m s off, {tolerance} allowed",
            report.step
        );
    }
}

#[test]
fn reported_impulses_are_the_change_of_momentum() {
    let mut config = accurate();
    let stick_sweeps = impulse(&mut config).stick_sweeps;
    let scene = Scene::on_ground().with_all(pen(0.3)).with_all(heap(10, 0.0, 0.0, 4));
    let mut run = scene.start(&config, 1);
    // Bodies 0 to 4 are ground and walls; then cubes and balls take turns.
    for _ in 0..900 {
        impulses_are_real(&mut run.world, |i| i >= 5 && i % 2 == 0, stick_sweeps);
    }
    assert!(run.world.report().contacts > 10, "the heap lies");
}

#[test]
fn a_resting_body_is_held_by_its_weight() {
    let mut run = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).start(&accurate(), 1);
    run.steps(ACCURATE, 0.5, |_| {});
    let mut sum = Vector3::zeros();
    let steps = 960;
    for _ in 0..steps {
        run.step(ACCURATE);
        sum = run.world.contacts().fold(sum, |sum, c| sum + c.impulse);
    }
    // 2.8 kg for one second.
    let weight = (2.8 * G) as Real;
    // What is left of the velocity of the resolution threshold, 0.0005 g dt, at either end; and the sum rounds
    // once per contact and step.
    assert!((sum.y / weight - 1.0).abs() < 1e-3, "{} N s, not {weight}", sum.y);
    assert!(sum.xz().norm() < 1e-3 * weight, "{sum:?}");
}

#[test]
fn the_worst_overlap_names_its_bodies() {
    let mut config = awake();
    config.correction.enabled = false;
    let scene = Scene::on_ground()
        .with(cube(0.1, 0.0, 0.048, 0.0))
        .with(cube(0.1, 2.0, 0.1, 0.0))
        .with(cube(0.1, 2.0, 0.193, 0.0))
        .with(cube(0.1, 4.0, 0.047, 0.0));
    let mut run = scene.start(&config, 1);
    let report = run.step(FAST).clone();
    let worst = report.worst_overlap_contact.expect("something overlaps");
    assert!((report.worst_overlap - 0.007).abs() < 1e-5 && worst.value == report.worst_overlap);
    let mut named = worst.bodies.map(|b| b.expect("both can move"));
    named.sort();
    assert_eq!(named, [run.bodies[2], run.bodies[3]]);
    let deepest = run.world.contacts().map(|c| -c.distance).fold(0.0, Real::max);
    assert_eq!(deepest, report.worst_overlap);
}

#[test]
fn a_world_without_contacts_reports_none() {
    let mut run = Scene::on_ground().with(ball(0.1, 0.0, 5.0, 0.0)).start(&awake(), 1);
    let report = run.step(FAST).clone();
    assert_eq!(
        (report.contacts, report.batches, report.worst_overlap, report.worst_residual),
        (0, 0, 0.0, 0.0)
    );
    assert!(
        report.is_solved && report.worst_overlap_contact.is_none() && report.worst_residual_contact.is_none()
    );
    assert_eq!((report.bodies, report.awake, report.asleep, report.islands), (2, 1, 0, 1));
    let names: Vec<&str> = report.stages().map(|(name, _)| name).collect();
    assert_eq!(names, Stage::ALL.map(Stage::name));
}

/// Stages that had nothing to do take no time in the report, and the others tell the whole of the step.
#[test]
fn stages_with_nothing_to_do_are_not_measured() {
    let mut world = World::new(WorldConfig::fast()).expect("valid");
    let measured = |world: &World| -> Vec<&str> {
        let stages = world.report().stages().filter(|(_, time)| !time.is_zero());
        stages.map(|(name, _)| name).collect()
    };
    world.step(1.0 / FAST).expect("valid");
    let of_empty = measured(&world);
    let may_be = ["begin", "wake", "sleep", "report"];
    assert!(of_empty.iter().all(|name| may_be.contains(name)), "{of_empty:?}");
    world.add_body(ball(0.1, 0.0, 5.0, 0.0)).expect("valid");
    world.add_body(ball(0.1, 0.15, 5.0, 0.0)).expect("valid");
    world.step(1.0 / FAST).expect("valid");
    let of_pair = measured(&world);
    for name in ["bounds", "pairs", "contacts", "solve", "report"] {
        assert!(of_pair.contains(&name), "{name} is not among {of_pair:?}");
    }
}

/// What sleeps goes on as if the steps in between had been taken in full: the same world with a body that flies by itself all the time is the reference.
#[test]
fn steps_in_which_all_sleep_leave_no_trace() {
    let run = |is_accompanied: bool| {
        let mut world = World::new(WorldConfig::fast()).expect("valid");
        world.add_body(ground()).expect("valid");
        let [a, b] = [-0.2, 0.02].map(|x| world.add_body(cube(0.2, x, 0.1, 0.0)).expect("valid"));
        let joint = JointSpec::hinge(a, b).at(Position::new(-0.09, 0.1, 0.0)).along(Vector3::z());
        world.add_joint(&joint).expect("valid");
        if is_accompanied {
            let flyer = ball(0.1, 50.0, 50.0, 0.0).linear_velocity(Vector3::x()).gravity_scale(0.0);
            world.add_body(flyer).expect("valid");
        }
        let mut resting = 0;
        for _ in 0..480 {
            resting += u32::from(world.step(1.0 / FAST).expect("valid").asleep == 2);
        }
        assert!(resting > 60, "asleep for {resting} steps");
        world.add_impulse(a, Vector3::new(0.3, 20.0, 0.1), Vector3::zeros()).expect("valid");
        let states = (0..60).map(|_| {
            world.step(1.0 / FAST).expect("valid");
            [a, b].map(|body| (world.pose(body).expect("known"), world.velocity(body).expect("known")))
        });
        states.collect::<Vec<_>>()
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn a_limit_that_was_reached_is_said_with_what_it_left() {
    let mut config = awake();
    (impulse(&mut config).global_limit, impulse(&mut config).shock_limit) = (Some(0.0), None);
    impulse(&mut config).stick_sweeps = 0;
    impulse(&mut config).impact_limit = 0.0;
    let scene = Scene::on_ground()
        .with(ball(0.1, 0.0, 0.1, 0.0).linear_velocity(Vector3::y() * -1.0))
        .with(ball(0.1, 2.0, 0.1, 0.0).linear_velocity(Vector3::y() * -3.0));
    let mut run = scene.start(&config, 1);
    let report = run.step(FAST).clone();
    assert!(!report.is_solved && report.limit_hits == 2, "one per batch: {report:?}");
    assert_eq!((report.iterations, report.solver.unsolved_points), (0, 2));
    let worst = report.worst_residual_contact.expect("something closes");
    assert!(worst.bodies.contains(&Some(run.bodies[2])), "{worst:?}");
    // 3 m/s and a step of gravity, and the recovery of what the first move overlapped (0.01 g dt).
    let unit = 9.81 / FAST;
    let (least, most) = (3.0, 3.0 + 1.1 * unit);
    assert!(worst.value > least && worst.value < most && worst.value == report.worst_residual, "{worst:?}");

    // With iterations the same is solved.
    let mut run = scene.start(&awake(), 1);
    let report = run.step(FAST);
    assert!(
        report.is_solved && report.limit_hits == 0 && report.worst_residual <= 0.002 * unit,
        "{report:?}"
    );
}

/// Energies reported by the step in which a ball of 1 m/s meets one at rest, and the balls' speeds after it.
fn collision(restitution: Real) -> ([f64; 2], [Real; 2], f64) {
    let config = WorldConfig { gravity: Vector3::zeros(), ..accurate() };
    let scene = Scene::default()
        .with(ball(0.1, 0.0, 0.0, 0.0).linear_velocity(Vector3::x()))
        .with(ball(0.1, 0.25, 0.0, 0.0))
        .surface(restitution, 0.0, 0.0);
    let mut run = scene.start(&config, 1);
    let mut energies = [0.0; 2];
    for _ in 0..200 {
        let report = run.step(ACCURATE);
        if report.iterations > 0 {
            energies = [report.energy_before, report.energy_after];
        }
    }
    let mass = f64::from(run.world.body(run.bodies[0]).expect("it exists").mass);
    (energies, [run.linear(0).x, run.linear(1).x], mass)
}

#[test]
fn reported_energies_are_those_of_the_collision() {
    for e in [0.0_f32, 0.5, 1.0] {
        let (energies, [a, b], mass) = collision(e);
        // Equal masses: (1 - e) / 2 and (1 + e) / 2 of the speed. Without a bounce, the gap of the last step
        // (at most the contact margin, one step's way) is still to be closed at up to 1 m/s in that step.
        assert!(
            (a - 0.5 * (1.0 - e)).abs() < 1e-3 && (b - 0.5 * (1.0 + e)).abs() < 1e-3,
            "e = {e}: {a} {b} m/s"
        );
        assert!((energies[0] / (0.5 * mass) - 1.0).abs() < 1e-3 || e == 0.0, "before: {} J", energies[0]);
        if e > 0.0 {
            let after = 0.25 * mass * f64::from(1.0 + e * e);
            assert!((energies[1] / after - 1.0).abs() < 1e-3, "e = {e}: {} J, not {after}", energies[1]);
        }
        assert!(energies[1] <= energies[0] * (1.0 + 1e-6), "no energy is made");
    }
}

/// What sleeps keeps the impulses of the step in which it was awake last: as forces they carry its weight, whatever the length of the steps that follow.
#[test]
fn forces_on_what_sleeps_are_its_weight_however_long_a_step_is() {
    let hook = BodySpec::fixed().pose(Pose::at(1.0, 1.0, 0.0));
    let hanging = cube(0.1, 1.0, 0.9, 0.0).total_mass(1.0);
    let scene = Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0).total_mass(1.0)).with(hook).with(hanging);
    let mut run = scene.start(&WorldConfig::fast(), 1);
    let joint = JointSpec::ball(run.bodies[2], run.bodies[3]).at(Position::new(1.0, 1.0, 0.0));
    let joint = run.world.add_joint(&joint).expect("a joint");
    run.until_asleep(60.0, &[1, 3]);
    for hz in [60.0, 240.0, 30.0] {
        run.step(hz);
        assert!(run.is_asleep(1) && run.is_asleep(3));
        let held = run.world.joint(joint).expect("it is there").force.y;
        let carried = run.world.contacts().map(|contact| contact.force).sum::<Vector3>().norm();
        for force in [held, carried] {
            assert!((f64::from(force) - G).abs() < 0.02 * G, "{force} N at {hz} Hz, of 1 kg");
        }
    }
}
