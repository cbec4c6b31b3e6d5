//! Belts and rolling friction in whole worlds. Trusted: Coulomb's law, closed forms, the wake rules' text.

use crate::common::*;
use crate::{HZ, fast_awake};
use drystone::math::{Pose, Position, Real, Rotation, Vector3};
use drystone::{BodySpec, ColliderHandle, ColliderSpec, PairMaterial, Shape, SolverReport, WorldConfig};

/// A fixed slab with its top at y = 0 whose surface runs along +x.
fn belt(speed: Real) -> BodySpec {
    let surface = block(20.0, 0.1, 1.0).surface_velocity(Vector3::x() * speed);
    BodySpec::fixed().pose(Pose::at(0.0, -0.1, 0.0)).collider(surface)
}

fn first_collider(run: &Run, body: usize) -> ColliderHandle {
    run.world.colliders_of(run.bodies[body]).expect("it exists").next().expect("it has one")
}

/// Sub-steps and impulses, and a joint solve, obey the same law: `v = mu g t`, then the speed of the belt.
#[test]
fn a_belt_takes_a_box_to_its_speed_with_every_method() {
    // What gravity damping takes of the weight of bodies at rest (S1-66), friction lacks until they move.
    let mut undamped = awake();
    impulse(&mut undamped).gravity_damping_fraction = 1.0;
    let rows = [
        (fast_awake(), HZ),
        (undamped, FAST),
        (accurate(), ACCURATE),
        (WorldConfig { sleeping: awake().sleeping, ..WorldConfig::nsgs() }, HZ),
        (WorldConfig { sleeping: awake().sleeping, ..WorldConfig::lcp() }, HZ),
    ];
    for (config, hz) in rows {
        let scene = Scene::default().with(belt(1.0)).with(cube(0.1, 0.0, 0.05, 0.0)).surface(0.0, 0.4, 0.4);
        let mut run = scene.start(&config, 1);
        for tenth in 1..=20 {
            run.steps(hz, 0.1, |_| ());
            let expected = (0.4 * G * 0.1 * f64::from(tenth)).min(1.0);
            let v = f64::from(run.linear(1).x);
            let name = format!("{:?} at {hz} Hz after {tenth} tenths", config.solver);
            assert!((v - expected).abs() < 0.02, "{name}: {v} m/s, {expected} expected");
        }
        let behind = 1.0 / (2.0 * 0.4 * G);
        assert!((run.way(1).x - (2.0 - behind)).abs() < 0.02, "{:?}: {} m", config.solver, run.way(1).x);
        // Contacts are solved to within a small share of what gravity gives in a step.
        let left = 0.05 * G as Real / hz;
        assert!((run.linear(1).x - 1.0).abs() < left, "{:?}: {}", config.solver, run.linear(1));
        let SolverReport { surfaces_left_out, .. } = run.world.report().solver;
        assert_eq!(surfaces_left_out, 0);
    }
}

/// The velocity is the collider's own: a belt that is turned runs where it points.
#[test]
fn a_belt_runs_in_the_frame_of_its_collider() {
    let turn = Rotation::from_euler_angles(0.0, 0.5 * std::f32::consts::PI, 0.0);
    let spec = block(5.0, 0.1, 5.0).surface_velocity(Vector3::x());
    let slab = BodySpec::fixed().pose(Pose::new(Position::new(0.0, -0.1, 0.0), turn)).collider(spec);
    let mut run = Scene::default().with(slab).with(cube(0.1, 0.0, 0.05, 0.0)).start(&fast_awake(), 1);
    run.steps(HZ, 2.0, |_| ());
    let expected = turn * Vector3::x();
    assert!((run.linear(1) - expected).norm() < 1e-3, "{} m/s, {expected} expected", run.linear(1));
}

/// A vehicle on tracks drives by their surfaces: the ground gives what the tracks ask for.
#[test]
fn a_body_with_tracks_drives() {
    let track = block(0.5, 0.1, 0.2).surface_velocity(Vector3::x() * -1.0);
    let tank = BodySpec::dynamic().pose(Pose::at(0.0, 0.1, 0.0)).collider(track);
    let mut run = Scene::on_ground().with(tank).surface(0.0, 0.5, 0.5).start(&fast_awake(), 1);
    run.steps(HZ, 2.0, |_| ());
    assert!((run.linear(1).x - 1.0).abs() < 1e-3, "{} m/s", run.linear(1));
    assert!(run.place(1).y > 0.099, "it stays on the ground: {}", run.place(1));
}

#[test]
fn a_belt_that_starts_wakes_what_rests_on_it_and_a_slow_one_keeps_it_awake() {
    // At 0.02 m/s nothing on it is faster than the threshold of sleep, 0.03 m/s.
    for speed in [0.02, 1.0] {
        let scene = Scene::default().with(belt(0.0)).with(cube(0.1, 0.0, 0.05, 0.0));
        let mut run = scene.start(&WorldConfig::fast(), 1);
        run.until_asleep(HZ, &[1]);
        let collider = first_collider(&run, 0);
        run.world.set_surface_velocity(collider, Vector3::x() * speed).expect("finite");
        assert_eq!(run.world.surface_velocity(collider), Ok(Vector3::x() * speed));
        let home = run.place(1).x;
        run.steps(HZ, 2.0, |_| ());
        let behind = f64::from(speed * speed) / (2.0 * 0.2 * G);
        let expected = 2.0 * f64::from(speed) - behind;
        let way = run.place(1).x - home;
        assert!((way - expected).abs() < 0.02 * expected + 1e-3, "{speed} m/s: {way} m, {expected} expected");
        run.world.set_surface_velocity(collider, Vector3::zeros()).expect("finite");
        run.until_asleep(HZ, &[1]);
        assert!(run.linear(1).norm() == 0.0);
    }
}

/// All forces on the ball act in the plane of the belt, or through its middle: about a line in that plane it has no angular momentum,
/// now as before. Rolling on what stands still it would have some, so it stands.
#[test]
fn a_belt_that_stops_below_what_is_in_the_air_drives_it_no_more() {
    let scene = Scene::default().with(belt(0.5)).with(ball(0.1, 0.0, 2.0, 0.0)).surface(0.25, 0.5, 0.5);
    let mut run = scene.start(&WorldConfig::fast(), 1);
    // It strikes the belt, is driven, and rebounds with a quarter of its 6 m/s: 0.12 m high.
    run.steps(HZ, 0.75, |_| ());
    assert!(run.place(1).y > 0.15 && run.linear(1).x > 0.05, "{} at {}", run.linear(1), run.place(1));
    assert_eq!(run.world.contacts().count(), 0, "it is in the air");
    run.world.set_surface_velocity(first_collider(&run, 0), Vector3::zeros()).expect("finite");
    run.steps(HZ, 2.0, |_| ());
    // Driven on it would go at 0.14 m/s, two sevenths of the belt's speed; the arms of blows are right to within some per cent.
    assert!(run.linear(1).norm() < 0.01, "driven by what stands still: {}", run.linear(1));
    run.until_asleep(HZ, &[1]);
}

/// What a belt presses against a wall stays there, and the belt runs on below it.
#[test]
fn a_belt_runs_on_below_what_a_wall_holds() {
    let wall = BodySpec::fixed().pose(Pose::at(0.65, 0.5, 0.0)).collider(block(0.5, 0.5, 1.0));
    let scene = Scene::default().with(belt(1.0)).with(wall).with(cube(0.2, 0.05, 0.1, 0.0));
    let mut run = scene.start(&WorldConfig::fast(), 1);
    run.steps(HZ, 5.0, |_| ());
    assert!((run.way(2).x).abs() < 2e-3 && (run.way(2).y).abs() < 2e-3, "{}", run.way(2));
    assert!(!run.is_asleep(2), "what is driven does not sleep");
}

/// A granite ball of 0.1 m that rolls at `speed` along +x, on ground that falls by `angle` towards +x.
fn rolling(speed: Real, angle: Real, coefficient: Real) -> Run {
    let turn = Rotation::from_euler_angles(0.0, 0.0, -angle);
    let up = turn * Vector3::y();
    let slope = BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(up).expect("unit")));
    let at = up * 0.1;
    let body = ball(0.1, f64::from(at.x), f64::from(at.y), 0.0)
        .linear_velocity(turn * Vector3::x() * speed)
        .angular_velocity(Vector3::z() * (-speed / 0.1));
    let pair = PairMaterial { rolling_friction: coefficient, ..PairMaterial::default() };
    let scene = Scene { pair: Some(pair), ..Scene::default().with(slope).with(body) };
    scene.start(&fast_awake(), 1)
}

/// `0.7 v² R / (c g)`.
#[test]
fn a_ball_rolls_to_a_stop_after_the_distance_of_its_coefficient() {
    for (speed, coefficient) in [(1.0, 0.01), (0.5, 0.002)] {
        let mut run = rolling(speed, 0.0, coefficient);
        let expected = 0.7 * f64::from(speed * speed) * 0.1 / (f64::from(coefficient) * G);
        let time = 2.0 * expected / f64::from(speed);
        run.steps(HZ, 1.2 * time, |_| ());
        let way = run.way(1).x;
        // A step of 1/60 s is 2 % of the time that the shorter way takes; half of one is lost at the start.
        assert!((way - expected).abs() < 0.02 * expected, "{speed} m/s: {way} m, {expected} expected");
        assert!(run.linear(1).norm() < 1e-4, "{}", run.linear(1));
    }
}

#[test]
fn a_ball_stays_on_a_slope_below_its_limit_and_rolls_above() {
    let mut run = rolling(0.0, 0.09_f32.atan(), 0.01);
    run.steps(HZ, 5.0, |_| ());
    assert!(run.way(1).norm() < 1e-3, "crept {}", run.way(1));
    let angle = 0.15_f32.atan();
    let mut run = rolling(0.0, angle, 0.01);
    run.steps(HZ, 1.0, |_| ());
    let expected = 5.0 / 7.0 * G * f64::from(angle.sin() - 0.1 * angle.cos());
    let found = f64::from(run.linear(1).norm());
    assert!((found / expected - 1.0).abs() < 0.02, "{found} m/s, {expected} expected");
}

/// A method that has no rolling friction says of how many contacts it left it out.
#[test]
fn what_a_method_leaves_out_it_reports() {
    let pair = PairMaterial { rolling_friction: 0.01, ..PairMaterial::default() };
    for config in [awake(), WorldConfig::nsgs()] {
        let scene = Scene { pair: Some(pair), ..Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)) };
        let mut run = scene.start(&config, 1);
        run.steps(HZ, 0.1, |_| ());
        assert_eq!(run.world.report().solver.surfaces_left_out, 1, "{:?}", config.solver);
    }
}
