//! What [`World::lint`] finds of joints, and what it leaves alone. Trusted: counts and closed forms by hand, and what a spring does lose.

use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, JointAxis, JointHandle, JointSpec, LintFinding, LintKind, Motor,
    Shape, SolverChoice, World, WorldConfig,
};

const DT: Real = 1.0 / 60.0;
const KINDS: [LintKind; 4] =
    [LintKind::JointSpin, LintKind::JointMassRatio, LintKind::RedundantLoop, LintKind::UndampedSpring];

fn without_gravity() -> World {
    World::new(WorldConfig { gravity: Vector3::zeros(), ..WorldConfig::default() }).expect("valid")
}

fn base(world: &mut World) -> BodyHandle {
    world.add_body(BodySpec::fixed()).expect("room")
}

/// A rod of 1 m along x from `x` on, that meets nobody.
fn rod(world: &mut World, x: f64, thickness: Real, mass: Real, angular: Vector3) -> BodyHandle {
    let half = Vector3::new(0.5, 0.5 * thickness, 0.5 * thickness);
    let (long, thin) = (1.0, thickness * thickness);
    let moments = Vector3::new(2.0 * thin, long + thin, long + thin) * (mass / 12.0);
    let collider = ColliderSpec::new(Shape::cuboid(half).expect("positive")).filter(1, 0);
    let spec = BodySpec::dynamic()
        .pose(Pose::at(x + 0.5, 0.0, 0.0))
        .collider(collider)
        .mass(MassProperties::aligned(mass, moments))
        .angular_velocity(angular)
        .can_sleep(false);
    world.add_body(spec).expect("room")
}

fn join(world: &mut World, spec: JointSpec, x: f64) -> JointHandle {
    world.add_joint(&spec.at(Position::new(x, 0.0, 0.0)).along(Vector3::z())).expect("a joint")
}

/// Findings about joints alone: filters that meet nothing, and turns that are far for contacts, are others.
fn found_at(world: &World, dt: Real) -> Vec<LintFinding> {
    let findings = world.lint(dt).expect("a step");
    findings.into_iter().filter(|finding| KINDS.contains(&finding.concern)).collect()
}

fn found(world: &World) -> Vec<LintFinding> {
    found_at(world, DT)
}

/// `count` rods on hinges about z from a fixed body on, that turn at a speed about z and roll about their length.
fn chain(count: usize, thickness: Real, speed: Real) -> (World, Vec<BodyHandle>, Vec<JointHandle>) {
    let mut world = without_gravity();
    let (mut bodies, mut joints) = (vec![base(&mut world)], Vec::new());
    for k in 0..count {
        bodies.push(rod(&mut world, k as f64, thickness, 1.0, Vector3::new(0.0, 0.0, speed)));
        let ends = [bodies[k], bodies[k + 1]];
        joints.push(join(&mut world, JointSpec::hinge(ends[0], ends[1]), k as f64));
    }
    (world, bodies, joints)
}

#[test]
fn slender_bodies_that_turn_far_in_a_step_are_found() {
    // By itself one holds to 40 rad/s, whatever its thickness; in a chain 1:10 holds at 12 and 1:200 does not. A block turns as it likes.
    for (count, thickness, speed, is_found) in [
        (1, 0.005, 40.0, false),
        (1, 0.005, 45.0, true),
        (1, 0.2, 40.0, false),
        (1, 0.2, 200.0, true),
        (1, 0.5, 200.0, false),
        (3, 0.005, 10.0, false),
        (3, 0.005, 12.5, true),
        (3, 0.02, 12.5, true),
        (3, 0.1, 12.5, false),
        (3, 0.1, 40.0, true),
        (12, 0.5, 40.0, false),
    ] {
        let (world, bodies, joints) = chain(count, thickness, speed);
        let findings = found(&world);
        let case = format!("{count} rods of {thickness} m, {speed} rad/s: {findings:?}");
        assert_eq!(findings.len(), if is_found { count } else { 0 }, "{case}");
        for (k, finding) in findings.iter().enumerate() {
            assert_eq!(
                (finding.concern, finding.bodies[0]),
                (LintKind::JointSpin, Some(bodies[k + 1])),
                "{case}"
            );
            assert_eq!(finding.joints, [joints[k]], "{case}");
            assert!((finding.value - f64::from(speed * DT)).abs() < 1e-4 && finding.bound <= 0.7, "{case}");
        }
        assert_eq!(found_at(&world, DT / 16.0), [], "more steps per second: {case}");
    }
}

#[test]
fn turns_about_the_length_are_no_spins_and_free_bodies_have_no_joints() {
    let mut world = without_gravity();
    let base = base(&mut world);
    let rolling = rod(&mut world, 0.0, 0.02, 1.0, Vector3::new(100.0, 0.0, 0.0));
    join(&mut world, JointSpec::ball(base, rolling), 0.0);
    rod(&mut world, 5.0, 0.02, 1.0, Vector3::new(0.0, 0.0, 100.0));
    assert_eq!(found(&world), []);
}

#[test]
fn motors_count_with_the_speed_that_they_are_to_reach() {
    for (speed, is_found) in [(20.0, false), (-60.0, true)] {
        let mut world = without_gravity();
        let base = base(&mut world);
        let blade = rod(&mut world, 0.0, 0.02, 1.0, Vector3::zeros());
        let motor = Motor::Speed { speed, most: 5.0 };
        let fan = join(&mut world, JointSpec::hinge(base, blade).motor(motor), 0.5);
        let findings = found(&world);
        assert_eq!(findings.len(), usize::from(is_found), "{findings:?}");
        if let Some(finding) = findings.first() {
            assert_eq!((finding.concern, &*finding.joints), (LintKind::JointSpin, &[fan][..]));
            assert!((finding.value - 1.0).abs() < 1e-5, "{finding:?}");
        }
        // One without force does nothing.
        let idle = Motor::Speed { speed, most: 0.0 };
        world.set_motor(fan, JointAxis::Twist, Some(idle)).expect("a motor");
        assert_eq!(found(&world), []);
    }
}

/// Two rods of 1 kg and a third one of `heavy` kg, which hangs on them.
fn heavy_end(config: WorldConfig, heavy: Real) -> (World, [BodyHandle; 4], Vec<JointHandle>) {
    let mut world = World::new(config).expect("valid");
    let base = base(&mut world);
    let mut body = |x, mass| rod(&mut world, x, 0.3, mass, Vector3::zeros());
    let bodies = [base, body(0.0, 1.0), body(1.0, 1.0), body(2.0, heavy)];
    let joints =
        (0..3).map(|k| join(&mut world, JointSpec::ball(bodies[k], bodies[k + 1]), k as f64)).collect();
    (world, bodies, joints)
}

#[test]
fn light_bodies_that_carry_heavy_ones_are_found_at_the_worst_joint() {
    let sweeps = || {
        let mut config = WorldConfig::default();
        let SolverChoice::SubStep { config: own } = &mut config.solver else { panic!("sub-steps") };
        own.direct_joints = false;
        config
    };
    for (config, heavy, is_found) in [
        (WorldConfig::default(), 1.0, false),
        (WorldConfig::default(), 1000.0, false),
        (WorldConfig::default(), 2000.0, true),
        (WorldConfig::default(), 1e6, true),
        (WorldConfig::thesis_fast(), 1000.0, false),
        (WorldConfig::thesis_fast(), 2000.0, true),
        (sweeps(), 5.0, false),
        (sweeps(), 1000.0, true),
    ] {
        let (world, [base, first, second, _], joints) = heavy_end(config, heavy);
        let findings = found(&world);
        assert_eq!(findings.len(), usize::from(is_found), "{heavy}: {findings:?}");
        let Some(finding) = findings.first() else { continue };
        // The second rod hangs with the heavy one on the first.
        assert_eq!(
            (finding.concern, finding.bodies),
            (LintKind::JointMassRatio, [Some(second), Some(first)])
        );
        assert_eq!(finding.joints, [joints[1]]);
        assert!((finding.value / (1.0 + f64::from(heavy)) - 1.0).abs() < 1e-5, "{base:?} {finding:?}");
    }
}

#[test]
fn light_bodies_on_heavy_ones_are_fine_and_ropes_carry_too() {
    // An antenna on a tower, and a flag on a ship that nothing holds.
    let (mut world, [_, first, second, heavy], joints) = heavy_end(WorldConfig::default(), 1e5);
    for joint in joints {
        world.remove_joint(joint).expect("a joint");
    }
    join(&mut world, JointSpec::ball(heavy, second), 2.0);
    assert_eq!(found(&world), []);
    let base = base(&mut world);
    join(&mut world, JointSpec::ball(base, heavy), 3.0);
    assert_eq!(found(&world), []);
    // A light rod between two heavy ones carries the other, whichever is held.
    let mut world = without_gravity();
    let ends = [0.0, 2.0].map(|x| rod(&mut world, x, 0.3, 5000.0, Vector3::zeros()));
    let between = rod(&mut world, 1.0, 0.3, 1.0, Vector3::zeros());
    join(&mut world, JointSpec::ball(ends[0], between), 1.0);
    let points = [2.0, 2.5].map(|x| Position::new(x, 0.0, 0.0));
    let rope = JointSpec::distance(between, ends[1]).between(points[0], points[1]).limits(0.0, 0.5);
    world.add_joint(&rope).expect("a rope");
    let findings = found(&world);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!((findings[0].concern, findings[0].value), (LintKind::JointMassRatio, 5000.0));
    assert!(findings[0].bodies.contains(&Some(between)) && !findings[0].bodies.contains(&Some(first)));
}

/// Bodies of 10 cm whose centres are in turn at these points (m), on what is fixed at the first and the last joint: joints of a kind at `joints`.
fn around(
    joints: &[[f64; 3]],
    make: impl Fn(usize, [BodyHandle; 2]) -> (JointSpec, Vector3),
) -> (World, Vec<JointHandle>) {
    let mut world = without_gravity();
    let base = base(&mut world);
    let mut bodies = vec![base];
    for pair in joints.windows(2) {
        let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (pair[0][k] + pair[1][k]));
        let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.05)).expect("positive")).filter(1, 0);
        let spec = BodySpec::dynamic().pose(Pose::at(middle[0], middle[1], middle[2])).collider(cube);
        bodies.push(world.add_body(spec).expect("room"));
    }
    bodies.push(base);
    let add = |(k, at): (usize, &[f64; 3])| {
        let (spec, axis) = make(k, [bodies[k], bodies[k + 1]]);
        let spec = spec.at(Position::new(at[0], at[1], at[2])).along(axis);
        world.add_joint(&spec).expect("a joint")
    };
    let handles = joints.iter().enumerate().map(add).collect();
    (world, handles)
}

const FOUR_BAR: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [0.1, 0.4, 0.0], [0.9, 0.6, 0.0], [1.0, 0.0, 0.0]];

/// From a joint of [`FOUR_BAR`] to a point above it.
fn spherical(joint: usize) -> Vector3 {
    let [x, y, z] = FOUR_BAR[joint].map(|x| x as Real);
    Vector3::new(0.5 - x, 0.3 - y, 2.0 - z)
}

#[test]
fn loops_with_more_constraints_than_coordinates_are_found_with_their_number() {
    // A plane four-bar linkage counts 3 bodies of six less four hinges of five, -2, and turns: three of its constraints follow from others. A ball in
    // place of a hinge frees two turns, three of them more than there are.
    type Make<'a> = dyn Fn(usize, [BodyHandle; 2]) -> (JointSpec, Vector3) + 'a;
    let z = Vector3::z();
    let hinge = |[a, b]: [BodyHandle; 2]| JointSpec::hinge(a, b);
    let ball = |[a, b]: [BodyHandle; 2]| JointSpec::ball(a, b);
    let ways = [Vector3::x(), Vector3::y(), Vector3::new(1.0, 1.0, 0.0), Vector3::y()];
    let cases: [(&str, &Make<'_>, f64); 6] = [
        ("hinges", &|_, ends| (hinge(ends), z), 3.0),
        ("hinges whose axes meet", &|k, ends| (hinge(ends), spherical(k)), 3.0),
        ("a ball", &|k, ends| (if k == 1 { ball(ends) } else { hinge(ends) }, z), 1.0),
        ("balls", &|k, ends| (if k == 0 { hinge(ends) } else { ball(ends) }, z), 0.0),
        ("welds", &|_, [a, b]| (JointSpec::fixed(a, b), z), 6.0),
        ("sliders in a plane", &|k, [a, b]| (JointSpec::slider(a, b), ways[k]), 4.0),
    ];
    for (name, make, count) in cases {
        let (world, joints) = around(&FOUR_BAR, make);
        let findings = found(&world);
        assert_eq!(findings.len(), usize::from(count > 0.0), "{name}: {findings:?}");
        let Some(finding) = findings.first() else { continue };
        assert!(finding.concern == LintKind::RedundantLoop && finding.concern.is_note(), "{name}");
        assert_eq!((finding.value, finding.bound), (count, 0.0), "{name}");
        let mut named = finding.joints.clone();
        named.sort();
        assert_eq!(named, joints, "{name}: all around the loop");
    }
}

#[test]
fn bodies_that_are_held_at_two_points_are_found() {
    let two = |first: fn(BodyHandle, BodyHandle) -> JointSpec,
               second: fn(BodyHandle, BodyHandle) -> JointSpec| {
        let mut world = without_gravity();
        let base = base(&mut world);
        let door = rod(&mut world, 0.0, 0.1, 1.0, Vector3::zeros());
        for (make, z) in [(first, -0.5), (second, 0.5)] {
            let at = Position::new(0.0, 0.0, z);
            world.add_joint(&make(base, door).at(at).along(Vector3::z())).expect("a joint");
        }
        found(&world).first().map_or(0.0, |finding| finding.value)
    };
    assert_eq!(two(JointSpec::hinge, JointSpec::hinge), 5.0, "a door on two hinges");
    assert_eq!(two(JointSpec::hinge, JointSpec::ball), 3.0);
    assert_eq!(two(JointSpec::ball, JointSpec::ball), 1.0, "the distance of the points");
    assert_eq!(two(JointSpec::fixed, JointSpec::fixed), 6.0);
    // One that lets it slide along the axis holds nothing twice.
    let sliding = |a, b| {
        let mut spec = JointSpec::generic(a, b);
        for axis in [JointAxis::X, JointAxis::Twist, JointAxis::SwingY, JointAxis::SwingZ] {
            spec = spec.axis_limits(axis, Real::NEG_INFINITY, Real::INFINITY);
        }
        spec
    };
    assert_eq!(two(JointSpec::ball, sliding), 0.0);
}

#[test]
fn trees_ropes_springs_and_nets_hold_nothing_twice() {
    let (world, ..) = chain(6, 0.3, 0.0);
    assert_eq!(found(&world), []);
    // A rope beside a hinge, and a rod that is no part of the plane.
    let mut world = without_gravity();
    let base = base(&mut world);
    let arm = rod(&mut world, 0.0, 0.3, 1.0, Vector3::zeros());
    join(&mut world, JointSpec::hinge(base, arm), 0.0);
    let distance = |y: f64| {
        JointSpec::distance(base, arm).between(Position::new(1.0, y, 0.0), Position::new(1.0, 0.0, 0.0))
    };
    world.add_joint(&distance(1.0).limits(0.0, 2.0)).expect("a rope");
    assert_eq!(found(&world), []);
    let strut = world.add_joint(&distance(1.0)).expect("a rod");
    assert_eq!(found(&world), [], "it stops the hinge");
    world.add_joint(&distance(0.5)).expect("a rod");
    let findings = found(&world);
    assert_eq!(findings.len(), 1, "a second one stops what is stopped: {findings:?}");
    assert_eq!(findings[0].value, 1.0);
    world.remove_joint(strut).expect("there");
    assert_eq!(found(&world), []);
}

#[test]
fn a_long_arc_of_planks_is_one_finding() {
    let at = |k: u32| {
        let angle = f64::from(k) / 50.0 - 0.5;
        [20.0 * angle.sin(), 20.0 * (1.0 - angle.cos()), 0.0]
    };
    let (world, joints) =
        around(&(0..=50).map(at).collect::<Vec<_>>(), |_, [a, b]| (JointSpec::hinge(a, b), Vector3::z()));
    let findings = found(&world);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].value, findings[0].joints.len()), (3.0, joints.len()));
}

/// A rod of 1 kg on a hinge at its end with a spring about it, stretched by 0.3 rad.
fn spring(config: WorldConfig, rate: f64, damping_ratio: f64) -> (World, JointHandle) {
    let mut world = World::new(WorldConfig { gravity: Vector3::zeros(), ..config }).expect("valid");
    let base = base(&mut world);
    let own = rod(&mut world, 0.0, 0.3, 1.0, Vector3::zeros());
    let moment = 1.0 / 3.0 + 0.09 / 12.0;
    let frequency = (rate / std::f64::consts::TAU) as Real;
    let motor = Motor::spring(0.3, moment, frequency, damping_ratio as Real);
    let hinge = join(&mut world, JointSpec::hinge(base, own).motor(motor), 0.0);
    (world, hinge)
}

#[test]
fn springs_that_steps_damp_are_found_with_what_they_lose() {
    for (config, sub_steps, rate, damping_ratio, is_found) in [
        (WorldConfig::default as fn() -> WorldConfig, 8.0, 3.0, 0.0, false),
        (WorldConfig::default, 8.0, 60.0, 0.0, false),
        (WorldConfig::default, 8.0, 180.0, 0.0, true),
        (WorldConfig::default, 8.0, 600.0, 0.0, true),
        // Its own damper takes more, or it is not to swing.
        (WorldConfig::default, 8.0, 180.0, 0.05, false),
        (WorldConfig::default, 8.0, 600.0, 1.0, false),
        (WorldConfig::thesis_fast, 1.0, 10.0, 0.0, false),
        (WorldConfig::thesis_fast, 1.0, 22.0, 0.0, true),
    ] {
        let (mut world, hinge) = spring(config(), rate, damping_ratio);
        let findings = found(&world);
        let case = format!("{rate} rad/s, damping ratio {damping_ratio}: {findings:?}");
        assert_eq!(findings.len(), usize::from(is_found), "{case}");
        let Some(finding) = findings.first() else { continue };
        assert_eq!((finding.concern, &*finding.joints), (LintKind::UndampedSpring, &[hinge][..]), "{case}");
        let x = rate * f64::from(DT) / sub_steps;
        let expected = drystone_resolution::spring_loss(x);
        assert!((finding.value - expected).abs() < 1e-3, "{expected}, {case}");
        // What it does lose, by its turning points: it is let go at one, and those after whole periods are of one side.
        let mut angles = Vec::new();
        let steps = (3.5 * std::f64::consts::TAU / rate / f64::from(DT)).ceil() as usize;
        for _ in 0..steps {
            world.step(DT).expect("a step");
            angles.push(f64::from(world.joint(hinge).expect("there").value(JointAxis::Twist)) - 0.3);
        }
        // Steps see turning points only where there are some in a period.
        if rate * f64::from(DT) < 0.5 {
            let per_period = steps as f64 / 3.5;
            let after = &angles[(2.5 * per_period) as usize..];
            let left = after.iter().fold(0.0, |most: f64, angle| most.max(-angle));
            let expected = 0.3 * (1.0 - expected).powi(3);
            assert!((left / expected - 1.0).abs() < 0.06, "{left} rad left, {expected} expected, {case}");
        }
    }
}

#[test]
fn springs_along_sliders_and_distances_are_found_too() {
    for (rate, is_found) in [(60.0, false), (200.0, true)] {
        for is_distance in [false, true] {
            let mut world = without_gravity();
            let base = base(&mut world);
            let block = rod(&mut world, 0.0, 0.3, 2.0, Vector3::zeros());
            // Along the rod through its centre: its mass alone.
            let motor = Motor::spring(0.0, 2.0, rate / std::f32::consts::TAU, 0.0);
            let spec = if is_distance {
                JointSpec::distance(base, block)
                    .between(Position::new(-1.0, 0.0, 0.0), Position::origin())
                    .motor(motor)
            } else {
                JointSpec::slider(base, block)
                    .at(Position::new(0.3, 0.2, 0.0))
                    .along(Vector3::x())
                    .motor(motor)
            };
            world.add_joint(&spec).expect("a joint");
            let findings = found(&world);
            assert_eq!(findings.len(), usize::from(is_found), "{rate}, {is_distance}: {findings:?}");
            let x = f64::from(rate * DT / 8.0);
            for finding in findings {
                let expected = drystone_resolution::spring_loss(x);
                assert!((finding.value - expected).abs() < 1e-4, "{finding:?}, {expected}");
            }
        }
    }
}
