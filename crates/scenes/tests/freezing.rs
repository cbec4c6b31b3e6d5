//! What the suite of S2 freezes and what it does not, in worlds by hand. Trusted: where bodies must be by mechanics of a few lines, each
//! beside its test.
#![cfg(feature = "convex")]

use drystone::math::{Pose, Real, Vector3};
use drystone::{
    AxisLocks, BodyHandle, BodySpec, ColliderSpec, MaterialId, PairMaterial, Shape, SolverChoice,
    SuiteConfig, WakeCause, World, WorldConfig,
};

/// Step size, s.
const DT: Real = 1.0 / 60.0;
/// Half an edge of the cubes, m, and radius of the balls.
const HALF: Real = 0.05;

/// A world of the preset with this tuning of the suite, and friction between everything, without restitution.
fn world(friction: Real, config: SuiteConfig) -> World {
    let mut world =
        World::new(WorldConfig { solver: SolverChoice::QpSuite { config }, ..WorldConfig::qp_suite() })
            .expect("valid");
    let pair = PairMaterial {
        restitution: 0.0,
        static_friction: friction,
        kinetic_friction: friction,
        rolling_friction: 0.0,
    };
    world.materials_mut().set_all_pairs(pair).expect("in range");
    world
}

fn cuboid(half: [Real; 3]) -> ColliderSpec {
    ColliderSpec::new(Shape::cuboid(half.into()).expect("positive"))
}

fn ball() -> ColliderSpec {
    ColliderSpec::new(Shape::sphere(HALF).expect("positive"))
}

/// A floor at height 0.
fn add_floor(world: &mut World) {
    let floor = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit normal"));
    world.add_body(BodySpec::fixed().collider(floor)).expect("valid");
}

/// A cube of 1 kg with its centre there.
fn add_cube(world: &mut World, x: f64, y: f64) -> BodyHandle {
    let cube = BodySpec::dynamic().pose(Pose::at(x, y, 0.0)).collider(cuboid([HALF; 3])).total_mass(1.0);
    world.add_body(cube).expect("valid")
}

/// A kinematic box of this size.
fn add_kinematic(world: &mut World, half: [Real; 3], x: f64, y: f64) -> BodyHandle {
    world.add_body(BodySpec::kinematic().pose(Pose::at(x, y, 0.0)).collider(cuboid(half))).expect("valid")
}

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step(DT).expect("a step size in range");
    }
}

fn at(world: &World, body: BodyHandle) -> [f64; 3] {
    world.pose(body).expect("alive").translation.coords.into()
}

fn is_asleep(world: &World, body: BodyHandle) -> bool {
    world.body(body).expect("alive").is_asleep
}

/// 4 N on 1 kg with a friction of 0.5, which holds 4.9 N: nothing slides. What froze with its force in hand got it again with the next one, 8 N, and crept by
/// 1 cm/s.
#[test]
fn a_force_below_friction_moves_nothing() {
    let mut world = world(0.5, SuiteConfig::default());
    add_floor(&mut world);
    let cube = add_cube(&mut world, 0.0, f64::from(HALF));
    steps(&mut world, 30);
    assert!(is_asleep(&world, cube), "left alone, it freezes");
    let before = at(&world, cube)[0];
    for _ in 0..120 {
        world.add_force(cube, Vector3::x() * 4.0, Vector3::zeros()).expect("finite");
        steps(&mut world, 1);
        assert!(!is_asleep(&world, cube), "what is pushed does not freeze");
    }
    let moved = at(&world, cube)[0] - before;
    assert!(moved.abs() < 1e-4, "{moved} m in 2 s");
}

/// A wall without friction carries nothing: what is thrown up along it comes down, also where it stops for a step at the top, and what is held up beside it
/// falls once it is let go.
#[test]
fn nothing_freezes_at_a_wall_that_carries_nothing() {
    let beside_a_wall = || {
        let mut world = world(0.0, SuiteConfig { freeze_count: 1, ..SuiteConfig::default() });
        let wall = ColliderSpec::new(Shape::half_space(Vector3::x()).expect("a unit normal"));
        world.add_body(BodySpec::fixed().collider(wall)).expect("valid");
        let at = Pose::at(f64::from(HALF) - 1e-4, 0.0, 0.0);
        let ball = BodySpec::dynamic().pose(at).collider(ball()).total_mass(1.0);
        (world.add_body(ball.linear_velocity(Vector3::y())).expect("valid"), world)
    };
    let (ball, mut world) = beside_a_wall();
    steps(&mut world, 60);
    // y = t - g t²/2, and the first step moves before gravity acts.
    let y = at(&world, ball)[1];
    assert!((y - (1.0 - 0.5 * 9.81)).abs() < 0.15, "{y} m after 1 s");

    let (ball, mut world) = beside_a_wall();
    world.set_velocity(ball, Vector3::zeros(), Vector3::zeros()).expect("finite");
    for _ in 0..30 {
        world.add_force(ball, Vector3::y() * 9.81, Vector3::zeros()).expect("finite");
        steps(&mut world, 1);
        assert!(!is_asleep(&world, ball));
    }
    steps(&mut world, 60);
    let y = at(&world, ball)[1];
    assert!(y < -4.0, "{y} m after 1 s of fall");
}

/// A paddle at 6 m/s, 10 cm per step, against a frozen ball 2 cm before it: the ball wakes and stays before the paddle.
#[test]
fn a_kinematic_body_strikes_what_is_frozen() {
    let mut world = world(0.2, SuiteConfig::default());
    add_floor(&mut world);
    let ball = BodySpec::dynamic().pose(Pose::at(0.0, f64::from(HALF), 0.0)).collider(ball());
    let ball = world.add_body(ball).expect("valid");
    let paddle = add_kinematic(&mut world, [0.025, 0.04, 0.1], -0.095, 0.05);
    steps(&mut world, 60);
    assert!(is_asleep(&world, ball));
    world.set_velocity(paddle, Vector3::x() * 6.0, Vector3::zeros()).expect("finite");
    for _ in 0..30 {
        steps(&mut world, 1);
        let gap = at(&world, ball)[0] - at(&world, paddle)[0] - 0.075;
        // It goes on with no more overlap than a tenth of what the paddle moves in a step.
        assert!(gap > -1e-2, "the paddle is {gap} m into the ball");
    }
    assert!(!is_asleep(&world, ball));
}

/// A tower that is frozen on a lift rises with it as a whole, also where the lift is slower than what strikes free.
#[test]
fn a_frozen_tower_rises_with_its_lift() {
    let mut world = world(0.5, SuiteConfig::default());
    let lift = add_kinematic(&mut world, [0.2, 0.05, 0.2], 0.0, -0.05);
    let tower = [0.05, 0.15, 0.25].map(|y| add_cube(&mut world, 0.0, y));
    steps(&mut world, 60);
    assert!(tower.iter().all(|&cube| is_asleep(&world, cube)));
    world.set_velocity(lift, Vector3::y() * 0.01, Vector3::zeros()).expect("finite");
    let mut deepest = 0.0 as Real;
    for k in 0..120 {
        steps(&mut world, 1);
        deepest = deepest.max(world.report().worst_overlap);
        assert!(tower.iter().all(|&cube| !is_asleep(&world, cube)), "step {k}");
        if k == 0 {
            assert!(world.report().wakes.get(WakeCause::Driven) > 0);
        }
    }
    // An overlap from standing stays.
    assert!(deepest < 1e-3, "{deepest} m");
    let top = at(&world, tower[2])[1] - at(&world, lift)[1];
    assert!((top - 0.3).abs() < 3e-3, "{top} m above the lift");
}

/// A wheel on a fixed axle without friction turns on: that its axes of translation are locked leaves it its energy.
#[test]
fn what_spins_on_an_axle_does_not_freeze() {
    let mut world = world(0.0, SuiteConfig::default());
    add_floor(&mut world);
    let locks = AxisLocks { translation: [true; 3], ..AxisLocks::default() };
    let wheel = BodySpec::dynamic().pose(Pose::at(0.0, f64::from(HALF), 0.0)).collider(ball()).locks(locks);
    let wheel = world.add_body(wheel.angular_velocity(Vector3::z() * 100.0)).expect("valid");
    steps(&mut world, 60);
    let spin = world.velocity(wheel).expect("alive").1.z;
    assert!((spin - 100.0).abs() < 0.1, "{spin} rad/s");
}

/// A box 20 cm from the axis of a turntable at half a turn in 2π seconds goes round with it: friction holds 4.9 N, and 0.05 N are needed.
#[test]
fn nothing_freezes_on_a_turntable() {
    let mut world = world(0.5, SuiteConfig::default());
    let table = add_kinematic(&mut world, [0.4, 0.05, 0.4], 0.0, -0.05);
    let cube = add_cube(&mut world, 0.2, f64::from(HALF));
    steps(&mut world, 60);
    world.set_velocity(table, Vector3::zeros(), Vector3::y() * 0.5).expect("finite");
    for _ in 0..120 {
        steps(&mut world, 1);
        assert!(!is_asleep(&world, cube));
    }
    let [x, _, z] = at(&world, cube);
    let (angle, radius) = ((-z).atan2(x), x.hypot(z));
    assert!((angle - 1.0).abs() < 0.1 && (radius - 0.2).abs() < 0.01, "{angle} rad at {radius} m");
}

/// A plank frozen on two blocks of which one leaves from under it, within a step and without friction: what is left does not carry it. Nothing had changed at its
/// contacts since it froze, so the loss shows only against what was counted then.
#[test]
fn what_loses_a_part_of_its_support_unfreezes() {
    let mut world = world(0.0, SuiteConfig::default());
    add_floor(&mut world);
    let posts = [-0.25, 0.25].map(|x| add_cube(&mut world, x, f64::from(HALF)));
    let plank = BodySpec::dynamic().pose(Pose::at(0.0, 0.12, 0.0)).collider(cuboid([0.3, 0.02, 0.05]));
    let plank = world.add_body(plank.total_mass(1.0)).expect("valid");
    steps(&mut world, 60);
    assert!([posts[0], posts[1], plank].iter().all(|&body| is_asleep(&world, body)));
    world.set_velocity(posts[1], Vector3::x() * 30.0, Vector3::zeros()).expect("finite");
    let mut wakes = 0;
    for _ in 0..60 {
        steps(&mut world, 1);
        wakes += world.report().wakes.get(WakeCause::SupportLost);
    }
    assert!(wakes > 0);
    let height = at(&world, plank)[1];
    assert!(height < 0.1, "its middle is {height} m high, where it fell off");
}

/// What freezes is told in the report, and wakes where what carries it is taken away.
#[test]
fn freezing_is_told_and_what_loses_its_support_falls() {
    let mut world = world(0.5, SuiteConfig::default());
    add_floor(&mut world);
    let tower = [0.05, 0.15, 0.25].map(|y| add_cube(&mut world, 0.0, y));
    let mut fell_asleep = 0;
    for _ in 0..60 {
        steps(&mut world, 1);
        fell_asleep += world.report().fell_asleep;
    }
    assert_eq!((fell_asleep, world.report().asleep), (3, 3));
    steps(&mut world, 240);
    world.remove_body(tower[0]).expect("alive");
    steps(&mut world, 60);
    let heights = [tower[1], tower[2]].map(|cube| at(&world, cube)[1]);
    assert!((heights[0] - 0.05).abs() < 2e-3 && (heights[1] - 0.15).abs() < 2e-3, "{heights:?}");
}

/// Without gravity nothing is still, and what nobody struck is not freed for that.
#[test]
fn without_gravity_what_is_not_struck_sleeps_on() {
    let mut config = WorldConfig { gravity: Vector3::zeros(), ..WorldConfig::qp_suite() };
    // What is added asleep sleeps where something may.
    config.sleeping.enabled = true;
    let mut world = World::new(config).expect("valid");
    let [sleeper, mover] = [(0.0, true), (0.1, false)].map(|(x, is_asleep)| {
        let ball = BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).collider(ball()).asleep(is_asleep);
        world.add_body(ball).expect("valid")
    });
    for _ in 0..3 {
        steps(&mut world, 1);
        let wakes = world.report().wakes;
        assert!(is_asleep(&world, sleeper) && !is_asleep(&world, mover), "{wakes:?}");
        assert_eq!(wakes.total(), 0, "it would sleep again at once");
    }
    world.set_velocity(mover, -Vector3::x(), Vector3::zeros()).expect("finite");
    steps(&mut world, 1);
    assert!(!is_asleep(&world, sleeper), "struck");
}

/// A body in the place of one that was removed has been still for no step.
#[test]
fn counters_do_not_outlive_their_body() {
    let count = |is_replaced: bool| {
        let mut world = world(0.5, SuiteConfig { freeze_count: 20, ..SuiteConfig::default() });
        add_floor(&mut world);
        let mut cube = add_cube(&mut world, 0.0, f64::from(HALF));
        if is_replaced {
            steps(&mut world, 15);
            world.remove_body(cube).expect("alive");
            cube = add_cube(&mut world, 0.0, f64::from(HALF));
        }
        (1..=60).find(|_| {
            steps(&mut world, 1);
            is_asleep(&world, cube)
        })
    };
    assert!(count(false).is_some_and(|count| count > 20));
    assert_eq!(count(true), count(false));
}

/// A collision that no impulse changes, of a kinematic piston with a ball that is locked in its place, leaves the budget to others: a row of balls passes a blow
/// on to the last one alone (S2 figure 3).
#[test]
fn what_cannot_bounce_takes_no_budget() {
    let mut world = world(0.0, SuiteConfig::default());
    world.set_gravity(Vector3::zeros()).expect("finite");
    let glass = MaterialId(1);
    let bounces = PairMaterial { restitution: 1.0, ..world.materials().pair(glass, glass) };
    world.materials_mut().set_pair(glass, glass, bounces).expect("in range");
    let locks = AxisLocks { translation: [true; 3], ..AxisLocks::default() };
    let locked = BodySpec::dynamic().pose(Pose::at(0.0, 1.0, 0.0)).collider(ball()).locks(locks);
    world.add_body(locked).expect("valid");
    let piston = add_kinematic(&mut world, [0.1, 0.1, 0.1], -0.15, 1.0);
    world.set_velocity(piston, Vector3::x(), Vector3::zeros()).expect("finite");
    let row = [0.0, 0.1, 0.2].map(|x| {
        let speed = if x == 0.0 { 0.5 } else { 0.0 };
        let ball = BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).collider(ball().material(glass));
        world.add_body(ball.linear_velocity(Vector3::x() * speed)).expect("valid")
    });
    steps(&mut world, 2);
    let speeds = row.map(|ball| world.velocity(ball).expect("alive").0.x);
    assert!(speeds[0].abs() < 1e-4 && speeds[1].abs() < 1e-4, "{speeds:?}");
    assert!((speeds[2] - 0.5).abs() < 1e-4, "{speeds:?}");
}
