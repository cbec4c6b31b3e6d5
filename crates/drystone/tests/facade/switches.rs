//! S3's switches (S3-21 to S3-28, S3-32). Trusted: formulas where there are some, and otherwise the motion without the switch.

use crate::common::*;
use drystone::math::{Pose, Real, Rotation, Vector3};
use drystone::{BodySpec, EnergySleepConfig, WakeCause, WorldConfig};

const HZ: Real = 100.0;

/// With these switches on, in this order.
fn with(mut config: WorldConfig, switches: &[(&str, &str)]) -> WorldConfig {
    for (name, value) in switches {
        config.set_field(&format!("coherence.{name}"), value).expect("in range");
    }
    config
}

const SLEEPY: &[(&str, &str)] = &[("sleepy_groups", "true")];
const SUBGROUPS: &[(&str, &str)] = &[("sleepy_groups", "true"), ("subgrouping", "true")];
const FIXED: &[(&str, &str)] =
    &[("sleepy_groups", "true"), ("subgrouping", "true"), ("freeze_sleepy", "true")];

fn presets() -> [(&'static str, WorldConfig); 2] {
    [("lcp", WorldConfig::lcp()), ("fast", WorldConfig::fast())]
}

/// A slope of 20 degrees down +z whose upper face goes through the origin, and the place at `along` (m) down it and `above` it.
fn slope() -> (BodySpec, impl Fn(f64, f64) -> [f64; 3]) {
    let turn = 20.0_f64.to_radians();
    let (sin, cos) = turn.sin_cos();
    let at = move |along: f64, above: f64| [0.0, above * cos - along * sin, along * cos + above * sin];
    let [x, y, z] = at(0.0, -0.1);
    let pose = Pose::new([x, y, z].into(), Rotation::from_euler_angles(turn as Real, 0.0, 0.0));
    (BodySpec::fixed().pose(pose).collider(block(1.0, 0.1, 2.0)), at)
}

/// S3 Fig 17: balls on a slope, held by a peg, that sleep and are fixed; then the peg is gone.
#[test]
fn nothing_hangs_and_nothing_flies_up_when_what_held_it_is_gone() {
    for (name, config) in presets() {
        for switches in [SLEEPY, SUBGROUPS, FIXED] {
            let all = [("zero_restitution", "true"), ("damping", "0.1")];
            let config = with(with(config.clone(), &all), switches);
            let (slope, at) = slope();
            let place = |spec: BodySpec, [x, y, z]: [f64; 3]| spec.pose(Pose::at(x, y, z));
            let peg = place(BodySpec::fixed().collider(block(0.3, 0.05, 0.03)), at(1.03, 0.05));
            let row = (0..6).map(|i| at(0.95 - 0.1 * f64::from(i), 0.05));
            // Some more that lie on top of two each.
            let top = (0..3).map(|i| at(0.9 - 0.2 * f64::from(i), 0.05 + 0.0867));
            let balls = row.chain(top).map(|[x, y, z]| ball(0.05, x, y, z));
            let mut run = Scene::default().with_all([slope, peg]).with_all(balls).start(&config, 1);
            run.steps(HZ, 4.0, |_| ());
            let held = (2..11).filter(|&i| run.is_asleep(i)).count();
            assert!(held >= 8, "{name}, {switches:?}: {held} of 9 sleep");
            let before: Vec<f64> = (2..11).map(|i| run.place(i).y).collect();
            let peg = run.bodies.remove(1);
            run.homes.remove(1);
            run.world.remove_body(peg).expect("it exists");
            let mut highest = before.clone();
            run.steps(HZ, 3.0, |world| {
                let heights = world.bodies().filter(|b| b.kind == drystone::BodyKind::Dynamic);
                highest.iter_mut().zip(heights).for_each(|(h, b)| *h = h.max(b.center.y));
            });
            for (i, (before, highest)) in before.iter().zip(&highest).enumerate() {
                let now = run.place(i + 1).y;
                assert!(now < before - 0.3, "{name}, {switches:?}: ball {i} hangs at {now}, was at {before}");
                assert!(*highest < before + 2e-3, "{name}, {switches:?}: ball {i} rose to {highest}");
            }
        }
    }
}

/// Whoever has been sleepy by a rule that is off since: a ball that flies bounces as if the rule had never been on.
#[test]
fn nobody_is_sleepy_by_a_rule_that_is_off() {
    let zero_restitution = |config: &WorldConfig| with(config.clone(), &[("zero_restitution", "true")]);
    let fast = WorldConfig::fast();
    let mut sleepless = zero_restitution(&with(fast.clone(), SLEEPY));
    sleepless.sleeping.enabled = false;
    let rows = [
        ("no rule", with(fast.clone(), SLEEPY), zero_restitution(&fast)),
        ("no sleep", zero_restitution(&with(fast.clone(), SLEEPY)), sleepless),
    ];
    for (name, before, after) in rows {
        for rests in [0.0, 2.0] {
            let ball = ball(0.1, 0.0, 0.1, 0.0).can_sleep(false);
            let mut run = Scene::on_ground().with(ball).surface(1.0, 0.0, 0.0).start(&before, 1);
            run.steps(HZ, rests, |_| ());
            if before.sleeping == after.sleeping {
                run.world.set_coherence(after.coherence.clone()).expect("in range");
            } else {
                run.world
                    .set_config(WorldConfig { parallel_threshold: 0, ..after.clone() })
                    .expect("in range");
            }
            run.world.set_velocity(run.bodies[1], Vector3::y() * 5.0, Vector3::zeros()).expect("finite");
            // It lands after 10 / g = 1.02 s, with as much as it went up with.
            run.steps(HZ, 1.3, |_| ());
            let expected = 5.0 - (1.3 - 10.0 / G) * G;
            let found = f64::from(run.linear(1).y);
            assert!(
                (found - expected).abs() < 0.3,
                "{name}, after {rests} s at rest: {found} m/s, {expected} expected"
            );
        }
    }
}

/// A row of three cubes that touch, and one far off.
fn row() -> Scene {
    Scene::on_ground().with_all([0.0, 0.2, 0.4, 2.0].map(|x| cube(0.2, x, 0.1, 0.0)))
}

#[test]
fn a_group_falls_asleep_and_wakes_as_a_whole() {
    for (name, config) in presets() {
        let mut run = row().start(&with(config.clone(), SLEEPY), 1);
        // Nudged, the last of the row keeps the others awake.
        let mut counts = Vec::new();
        for step in 0..200 {
            if step < 60 {
                run.world
                    .add_force(run.bodies[3], Vector3::new(0.0, 0.0, 1e-3), Vector3::zeros())
                    .expect("finite");
            }
            run.step(HZ);
            counts.push([1, 2, 3, 4].map(|i| run.is_asleep(i)));
        }
        assert!(counts.iter().all(|[a, b, c, _]| a == b && b == c), "{name}: as one");
        assert!(counts[50][3] && !counts[50][0], "{name}: the other group sleeps alone");
        assert!(counts[199][0], "{name}: in the end");
        run.world.add_impulse(run.bodies[1], Vector3::new(0.0, 0.5, 0.0), Vector3::zeros()).expect("finite");
        run.step(HZ);
        assert!(!run.is_asleep(2) && !run.is_asleep(3) && run.is_asleep(4), "{name}: as one");
        assert!(run.world.report().wakes.get(WakeCause::IslandAwake) >= 2);
    }
}

/// Subgrouping keeps asleep what has only sleepy neighbours; fixation also what lies beside the one that moves.
#[test]
fn subgroups_end_at_sleepy_bodies_and_fixed_bodies_stay() {
    for (switches, expected) in [(SUBGROUPS, [true, true, false]), (FIXED, [true, true, true])] {
        let scene = Scene::on_ground().with_all([0.0, 0.2, 0.4, 0.6].map(|x| cube(0.2, x, 0.1, 0.0)));
        let mut run = scene.start(&with(WorldConfig::lcp(), switches), 1);
        run.steps(HZ, 1.0, |_| ());
        assert!((1..5).all(|i| run.is_asleep(i)));
        for _ in 0..40 {
            // Slowly away from the row, along its side.
            run.world
                .set_velocity(run.bodies[4], Vector3::new(0.0, 0.0, 0.05), Vector3::zeros())
                .expect("finite");
            run.step(HZ);
        }
        assert_eq!([1, 2, 3].map(|i| run.is_asleep(i)), expected, "{switches:?}");
    }
}

#[test]
fn damping_falls_by_its_formula() {
    for (name, config) in presets() {
        let mut config = with(config.clone(), &[("damping", "2")]);
        config.gravity = Vector3::zeros();
        let body =
            ball(0.1, 0.0, 5.0, 0.0).linear_velocity(Vector3::x()).angular_velocity(Vector3::y() * 3.0);
        let mut run = Scene::default().with(body).start(&config, 1);
        run.steps(HZ, 1.0, |_| ());
        let share = (1.0_f64 / 1.02).powi(100);
        assert!((f64::from(run.linear(0).x) / share - 1.0).abs() < 1e-4, "{name}");
        assert!((f64::from(run.angular(0).y) / (3.0 * share) - 1.0).abs() < 1e-4, "{name}");
    }
}

#[test]
fn what_hits_a_sleeper_does_not_bounce_when_zeroing_says_so() {
    for (name, config) in presets() {
        let rise = |switches: &[(&str, &str)]| {
            let scene = Scene::on_ground()
                .with(block_at(0.5, 0.1, 0.5).asleep(true))
                .with(ball(0.1, 0.0, 1.0, 0.0))
                .surface(0.8, 0.5, 0.5);
            let mut run = scene.start(&with(config.clone(), switches), 1);
            let mut highest = 0.0_f64;
            run.steps(HZ, 1.2, |world| {
                let velocity = world.bodies().nth(2).expect("the ball").linear_velocity.y;
                highest = highest.max(f64::from(velocity));
            });
            highest
        };
        let (bounced, dead) = (rise(&[]), rise(&[("zero_restitution", "true")]));
        assert!(bounced > 1.0 && dead < 0.3, "{name}: {bounced} m/s and {dead} m/s");
    }
}

#[test]
fn deep_pairs_keep_their_deepest_point() {
    let points = |height: f64, reduction: &str| {
        let config = with(WorldConfig::lcp(), &[("reduction", reduction)]);
        let tilted = Pose::new([0.0, height, 0.0].into(), Rotation::from_euler_angles(0.002, 0.0, 0.003));
        let mut run = Scene::on_ground().with(cube(0.2, 0.0, 0.0, 0.0).pose(tilted)).start(&config, 1);
        run.step(HZ);
        run.world.contacts().map(|contact| contact.distance).collect::<Vec<_>>()
    };
    let all = points(0.05, "none");
    let deepest = all.iter().copied().fold(Real::INFINITY, Real::min);
    assert_eq!(all.len(), 4);
    assert_eq!(points(0.05, "1"), [deepest], "five centimetres are deep");
    assert_eq!(points(0.05, "1000"), all, "a metre is not reached");
    assert!(points(0.1, "1").len() > 1, "what rests keeps its points");
}

/// Caches of points save looks and change nothing, as long as only what did not move at all is skipped.
#[test]
fn cached_points_leave_the_motion_as_it_is() {
    for (name, mut config) in presets() {
        config.detection.coherence_tolerance = 0.0;
        let hash = |switches: &[(&str, &str)]| {
            let scene = Scene::on_ground().with_all(heap(12, 0.0, 0.0, 1));
            let mut run = scene.start(&with(config.clone(), switches), 1);
            let mut looks = 0;
            run.steps(HZ, 1.5, |world| {
                let report = world.report();
                looks += report.examined_pairs - report.skipped_pairs;
            });
            (run.world.state_hash(), looks)
        };
        let (cached, anew) = (hash(&[]), hash(&[("cache_points", "false")]));
        assert_eq!(cached.0, anew.0, "{name}");
        assert!(10 * cached.1 < 9 * anew.1, "{name}: {} looks in place of {}", cached.1, anew.1);
    }
}

/// One problem or several: the same motion, up to the order of sums.
#[test]
fn groups_leave_the_motion_as_it_is() {
    for (name, config) in presets() {
        let places = |switches: &[(&str, &str)]| {
            let mut run = row().start(&with(config.clone(), switches), 1);
            let mut batches = 0;
            run.steps(HZ, 0.4, |world| batches = batches.max(world.report().batches));
            ((1..5).map(|i| run.place(i)).collect::<Vec<_>>(), batches)
        };
        let (apart, joined) = (places(&[]), places(&[("grouping", "false")]));
        assert_eq!([apart.1, joined.1], [2, 1], "{name}");
        let off = apart.0.iter().zip(&joined.0).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{name}: {off} m");
    }
}

/// Without the forces of the last step a solver takes longer to the same answer.
#[test]
fn forgotten_forces_cost_iterations() {
    let iterations = |switches: &[(&str, &str)]| {
        let mut config = with(WorldConfig::nsgs(), switches);
        config.sleeping.enabled = false;
        let scene =
            Scene::on_ground().with_all((0..5).map(|i| cube(0.2, 0.0, 0.1 + 0.2 * f64::from(i), 0.0)));
        let (mut run, mut sum) = (scene.start(&config, 1), 0);
        run.steps(HZ, 1.0, |world| sum += world.report().iterations);
        assert!(run.way(5).norm() < 1e-3);
        sum
    };
    let (kept, forgotten) = (iterations(&[]), iterations(&[("cache_forces", "false")]));
    assert!(2 * kept < forgotten, "{kept} and {forgotten}");
}

/// Equal to the bit at any number of threads, with all switches on.
#[test]
fn switches_do_not_depend_on_threads() {
    for (name, config) in presets() {
        let switches = [("zero_restitution", "true"), ("damping", "0.2"), ("reduction", "1")];
        let mut config = with(with(config, &switches), FIXED);
        config.coherence.sleepy = EnergySleepConfig { threshold: 0.1, steps: 10 };
        let hash = |threads: usize| {
            let mut run = Scene::on_ground().with_all(heap(16, 0.0, 0.0, 2)).start(&config, threads);
            run.steps(HZ, 2.0, |_| ());
            let asleep = run.world.report().asleep;
            assert!(asleep > 0, "{name}");
            (run.world.state_hash(), asleep)
        };
        assert_eq!(hash(1), hash(3), "{name}");
    }
}

/// A flat box that lies on the ground.
fn block_at(x: Real, y: Real, z: Real) -> BodySpec {
    BodySpec::dynamic().pose(Pose::at(0.0, f64::from(y), 0.0)).collider(block(x, y, z))
}
