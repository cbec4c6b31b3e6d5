//! Closed forms of motion (promise 4; S1-51, S1-54..56). Trusted reference: mechanics; tolerances follow from the
//! integrator, which is of first order: after a time t, a constant acceleration a is off by at most `a t dt`.

use crate::common::*;
use drystone::math::{Pose, Position, Real, Rotation, Vector3};
use drystone::{AxisLocks, BodySpec, ColliderSpec, Shape, WorldConfig};

/// Free to turn, and not: a block that lies flat follows the closed forms of a point mass either way.
const LOCKS: [AxisLocks; 2] = [
    AxisLocks { translation: [false; 3], rotation: [false; 3] },
    AxisLocks { translation: [false; 3], rotation: [true; 3] },
];

/// A slope that falls along +x, and a block that lies on it.
fn slope(degrees: f64, friction: [Real; 2], locks: AxisLocks) -> Scene {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let plane = Shape::half_space(Vector3::new(sin as Real, cos as Real, 0.0)).expect("a unit normal");
    let turned = Rotation::from_euler_angles(0.0, 0.0, -degrees.to_radians() as Real);
    let block = BodySpec::dynamic()
        .pose(Pose::new(Position::new(0.05 * sin, 0.05 * cos, 0.0), turned))
        .collider(block(0.1, 0.05, 0.1))
        .locks(locks);
    Scene::default().with(BodySpec::fixed().collider(ColliderSpec::new(plane))).with(block).surface(
        0.0,
        friction[0],
        friction[1],
    )
}

#[test]
fn a_block_stays_put_below_the_friction_angle() {
    // atan 0.5 = 26.6 degrees.
    for degrees in [5.0, 15.0, 24.0] {
        for (config, hz) in [(awake(), FAST), (accurate(), ACCURATE)] {
            let outcome = settle(&slope(degrees, [0.5, 0.5], AxisLocks::default()), &config, hz, 2.0);
            assert!(outcome.drift < 1e-3, "{degrees} degrees, {hz} Hz: {} m", outcome.drift);
        }
    }
}

#[test]
fn a_block_slides_with_the_right_acceleration_above_the_friction_angle() {
    for (degrees, kinetic) in [(30.0_f64, 0.5), (35.0, 0.3), (45.0, 0.5), (45.0, 0.0)] {
        for locks in LOCKS {
            let mut run = slope(degrees, [0.5, kinetic], locks).start(&accurate(), 1);
            run.steps(ACCURATE, 0.2, |_| {});
            let before = f64::from(run.linear(1).norm());
            run.steps(ACCURATE, 1.0, |_| {});
            let (sin, cos) = degrees.to_radians().sin_cos();
            let expected = G * (sin - f64::from(kinetic) * cos);
            let found = f64::from(run.linear(1).norm()) - before;
            // Velocities of a constant acceleration are exact; each step may leave the resolution threshold, half a
            // thousandth of g dt, times the friction.
            let tolerance = 1e-3 * G;
            assert!(
                (found - expected).abs() < tolerance,
                "{degrees} degrees, {kinetic}, {locks:?}: {found} not {expected} m/s²"
            );
        }
    }
}

#[test]
fn a_sliding_block_is_slowed_by_kinetic_friction_and_stops() {
    for locks in LOCKS {
        let (speed, kinetic) = (3.0, 0.3);
        let sliding = cube(0.1, 0.0, 0.05, 0.0).linear_velocity(Vector3::x() * speed).locks(locks);
        let mut run = Scene::on_ground().with(sliding).surface(0.0, 0.4, kinetic).start(&accurate(), 1);
        let deceleration = f64::from(kinetic) * G;
        run.steps(ACCURATE, 0.5, |_| {});
        let expected = f64::from(speed) - 0.5 * deceleration;
        assert!(
            (f64::from(run.linear(1).x) - expected).abs() < 1e-3 * G,
            "{} m/s, not {expected}",
            run.linear(1).x
        );
        run.steps(ACCURATE, 1.0, |_| {});
        // v²/2a, and first order over the second it slides.
        let (way, stop) = (run.way(1), f64::from(speed * speed) / (2.0 * deceleration));
        let tolerance = f64::from(speed) * 1.0 / f64::from(ACCURATE) + 2e-3 * stop;
        assert!((way.x - stop).abs() < tolerance && run.linear(1).norm() < 1e-3, "{} m, not {stop}", way.x);
        assert!(way.z.abs() < 1e-3 && way.y.abs() < 1e-3, "{way:?}");
    }
}

#[test]
fn a_ball_rises_to_its_share_of_the_height() {
    let height = 1.0;
    for e in [0.25_f32, 0.5, 0.9, 1.0] {
        for (config, hz) in [(accurate(), ACCURATE), (awake(), FAST)] {
            let scene = Scene::on_ground().with(ball(0.1, 0.0, 0.1 + height, 0.0)).surface(e, 0.0, 0.0);
            let mut run = scene.start(&config, 1);
            let mut apex = None;
            run.steps(hz, 0.95, |world| {
                let ball = world.bodies().last().expect("the ball");
                if ball.linear_velocity.y > 0.0 || apex.is_some() {
                    apex = Some(apex.unwrap_or(0.0_f64).max(ball.pose.translation.y - 0.1));
                }
            });
            let (share, apex) = (f64::from(e * e), apex.expect("it bounces"));
            // The top lies between two steps, by at most g dt² / 8.
            assert!((apex - share * height).abs() < 1e-4, "{apex} m at {hz} Hz, not {share}");
        }
    }
}

#[test]
fn a_slow_contact_does_not_bounce() {
    // S1-65: below 1.1 g dt, restitution counts as 0; resting bodies would bounce otherwise.
    let outcome = settle(
        &Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).surface(1.0, 0.5, 0.5),
        &awake(),
        FAST,
        2.0,
    );
    assert!(
        outcome.drift < 1e-4 && outcome.fastest < 0.2 * 9.81 / FAST,
        "{} m, {} m/s",
        outcome.drift,
        outcome.fastest
    );
}

#[test]
fn a_conveyor_carries_boxes() {
    let (belt, friction) = (1.0_f32, 0.4);
    let conveyor = BodySpec::kinematic()
        .pose(Pose::at(0.0, -0.1, 0.0))
        .linear_velocity(Vector3::x() * belt)
        .collider(block(20.0, 0.1, 1.0));
    let scene = Scene::default()
        .with(conveyor)
        .with(cube(0.1, 0.0, 0.05, 0.0).locks(LOCKS[0]))
        .with(cube(0.1, 0.0, 0.05, 0.5).locks(LOCKS[1]))
        .surface(0.0, friction, friction);
    let mut run = scene.start(&accurate(), 1);
    run.steps(ACCURATE, 2.0, |_| {});
    // It slips for v / (mu g) and is v²/(2 mu g) behind from then on.
    let behind = f64::from(belt * belt) / (2.0 * f64::from(friction) * G);
    assert!((run.way(0).x - 2.0).abs() < 1e-4, "the conveyor moves as it is told: {} m", run.way(0).x);
    let expected = 2.0 - behind;
    for (i, locks) in LOCKS.iter().enumerate() {
        let (speed, way) = (run.linear(1 + i).x, run.way(1 + i).x);
        assert!((speed - belt).abs() < 1e-3, "{locks:?}: {speed} m/s");
        assert!(
            (way - expected).abs() < 2e-3 + f64::from(belt / ACCURATE),
            "{locks:?}: {way} m, not {expected}"
        );
    }
}

#[test]
fn locked_axes_keep_a_body_in_its_plane() {
    let locks = AxisLocks { translation: [false, false, true], rotation: [true, true, false] };
    let flat = |x: f64, y: f64| cube(0.1, x, y, 0.0).locks(locks);
    // A ball comes in obliquely and would turn and push them out of the plane.
    let scene = Scene::on_ground()
        .with(flat(0.0, 0.05))
        .with(flat(0.02, 0.16))
        .with(ball(0.1, 0.5, 0.1, -0.15).linear_velocity(Vector3::new(-4.0, 0.0, 1.0)));
    let mut run = scene.start(&awake(), 1);
    let mut most = 0.0_f64;
    for _ in 0..480 {
        run.step(FAST);
        for i in [1, 2] {
            let pose = run.world.pose(run.bodies[i]).expect("it exists");
            assert_eq!((pose.rotation.i, pose.rotation.j), (0.0, 0.0), "turned out of the plane");
            assert_eq!(run.linear(i).z, 0.0);
            most = most.max(pose.translation.z.abs());
        }
    }
    assert!(run.way(1).x.abs() > 0.05, "it was hit: {:?}", run.way(1));
    assert_eq!(most, 0.0, "out of the plane by {most} m");
}

#[test]
fn without_gravity_of_its_own_a_body_floats() {
    let floating = ball(0.1, 0.0, 1.0, 0.0).gravity_scale(0.0);
    let mut run = Scene::on_ground().with(floating).with(ball(0.1, 5.0, 9.0, 0.0)).start(&awake(), 1);
    run.steps(FAST, 1.0, |_| {});
    assert_eq!((run.way(1).norm(), run.linear(1)), (0.0, Vector3::zeros()));
    assert!(run.way(2).y < -4.0, "others fall");
    run.world.set_gravity_scale(run.bodies[1], -1.0).expect("finite");
    run.steps(FAST, 1.0, |_| {});
    assert!(run.way(1).y > 4.0, "and may fall upwards: {} m", run.way(1).y);
}

#[test]
fn damping_takes_its_share_in_every_step() {
    // v_n = v_0 / (1 + c dt)^n, the implicit form, for any c.
    for (linear, angular) in [(0.5, 2.0), (100.0, 1000.0)] {
        let config = WorldConfig { gravity: Vector3::zeros(), ..awake() };
        let body = ball(0.1, 0.0, 0.0, 0.0)
            .linear_velocity(Vector3::x() * 2.0)
            .angular_velocity(Vector3::y() * 3.0)
            .linear_damping(linear)
            .angular_damping(angular);
        let mut run = Scene::default().with(body).start(&config, 1);
        for n in 1..=240 {
            run.step(FAST);
            let share = |c: Real| (1.0 + f64::from(c * (1.0 / FAST))).powi(-n);
            // Two roundings per step.
            let tolerance = f64::from(n) * 2.0 * f64::from(Real::EPSILON);
            for (found, expected) in
                [(run.linear(0).x, 2.0 * share(linear)), (run.angular(0).y, 3.0 * share(angular))]
            {
                let off = (f64::from(found) - expected).abs();
                assert!(off <= tolerance * expected + 1e-37, "step {n}: {found}, not {expected}");
            }
        }
    }
}

#[test]
fn a_body_in_free_fall_follows_the_parabola() {
    let throw = Vector3::new(3.0, 4.0, -1.0);
    let mut run =
        Scene::default().with(ball(0.1, 0.0, 0.0, 0.0).linear_velocity(throw)).start(&accurate(), 1);
    let (mut t, dt) = (0.0, 1.0 / f64::from(ACCURATE));
    for _ in 0..960 {
        run.step(ACCURATE);
        t += dt;
        let exact =
            drystone::math::widen(&throw) * t + drystone::math::Displacement::y() * (-0.5 * G * t * t);
        let off = (run.way(0) - exact).norm();
        assert!(off <= 0.5 * G * t * dt * 1.01 + 1e-5, "after {t} s: {off} m off");
    }
}

/// Motion in a plane, as a setting of bodies and as one of the world. What is struck out of the plane stays in it, to the
/// bit; a ball rolls in it as it does without, and a pile stands.
#[test]
fn a_body_locked_to_a_plane_moves_in_it_alone() {
    let plane = AxisLocks::PLANE_XY;
    // A ball that slides on begins to roll with 5/7 of its speed.
    for (locks, config) in
        [(plane, awake()), (AxisLocks::default(), awake()), (AxisLocks::default(), awake().planar())]
    {
        let rolling = ball(0.1, 0.0, 0.1, 0.0).linear_velocity(Vector3::x()).locks(locks);
        let mut run = Scene::on_ground().with(rolling).surface(0.0, 0.5, 0.5).start(&config, 1);
        run.steps(FAST, 1.0, |_| {});
        assert!((run.linear(1).x - 5.0 / 7.0).abs() < 1e-2, "{locks:?}: {} m/s", run.linear(1).x);
    }
    for (locks, config) in [(plane, awake()), (AxisLocks::default(), awake().planar())] {
        let shift = |k: u32| 0.02 * f64::from(k % 2);
        let piled = |k: u32| cube(0.2, shift(k), 0.1 + 0.2 * f64::from(k), 0.0).locks(locks);
        // It comes along the plane, and off the middle.
        let shot = ball(0.05, 0.5, 0.3, 0.05).linear_velocity(Vector3::new(-4.0, 0.0, 0.2));
        let scene = (0..5).fold(Scene::on_ground(), |scene, k| scene.with(piled(k)));
        let mut run = scene.with(shot).surface(0.3, 0.5, 0.5).start(&config, 1);
        for _ in 0..480 {
            run.step(FAST);
            for body in 1..=5 {
                let pose = run.world.pose(run.bodies[body]).expect("there");
                assert_eq!(pose.translation.z, 0.0, "body {body}");
                assert_eq!([pose.rotation.i, pose.rotation.j], [0.0; 2], "body {body}");
            }
        }
        let struck = (1..=5).any(|body| run.way(body).x.abs() > 1e-3);
        assert!(struck, "the ball hit the pile");
    }
}
