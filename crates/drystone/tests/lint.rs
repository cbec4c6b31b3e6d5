//! What [`World::lint`] finds, and what it leaves alone. Trusted reference: figures by hand.

use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, ContinuousConfig, JointSpec, LintFinding, LintKind, Shape,
    SolverChoice, World, WorldConfig,
};

const DT: Real = 1.0 / 60.0;

fn cube(size: Real) -> ColliderSpec {
    ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5 * size)).expect("positive"))
}

/// On a ground whose surface is at height 0.
fn grounded(config: WorldConfig) -> World {
    let mut world = World::new(config).expect("valid");
    let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a direction"));
    world.add_body(BodySpec::fixed().collider(ground)).expect("room");
    world
}

fn add(world: &mut World, spec: BodySpec) -> BodyHandle {
    world.add_body(spec).expect("room")
}

fn at(y: f64) -> BodySpec {
    BodySpec::dynamic().pose(Pose::at(0.0, y, 0.0))
}

fn found(world: &World) -> Vec<LintFinding> {
    world.lint(DT).expect("a step")
}

#[test]
fn what_is_fine_is_left_alone() {
    let mut world = grounded(WorldConfig::default());
    for k in 0..10 {
        add(
            &mut world,
            at(0.5 + f64::from(k))
                .collider(cube(1.0))
                .linear_velocity(Vector3::x())
                .angular_velocity(Vector3::y()),
        );
    }
    assert_eq!(found(&world), []);
    assert_eq!(World::new(WorldConfig::default()).expect("valid").lint(DT).expect("nothing there"), []);
    for dt in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        assert!(world.lint(dt).expect_err("no step").to_string().contains("dt"));
    }
}

#[test]
fn overlaps_are_found_once_with_their_depth() {
    let mut world = grounded(WorldConfig::default());
    let low = add(&mut world, at(0.45).collider(cube(1.0)));
    let high = add(&mut world, at(1.25).collider(cube(1.0)));
    // Less than a fiftieth of its thickness.
    add(&mut world, BodySpec::dynamic().pose(Pose::at(5.0, 0.49, 0.0)).collider(cube(1.0)));
    let findings = found(&world);
    assert_eq!(findings.len(), 2, "{findings:?}");
    let of = |bodies: [BodyHandle; 2]| findings.iter().find(|f| f.bodies == bodies.map(Some)).expect("found");
    let ground = world.bodies().next().expect("the first").handle;
    for (bodies, depth) in [([ground, low], 0.05), ([low, high], 0.2)] {
        assert!(
            of(bodies).concern == LintKind::Overlap && (of(bodies).value - depth).abs() < 1e-6,
            "{findings:?}"
        );
    }
    // What must not meet may overlap.
    world.add_joint(&JointSpec::ball(low, high).at([0.0, 0.9, 0.0].into())).expect("a joint");
    assert_eq!(found(&world).len(), 1);
}

#[test]
fn heavy_on_light_is_found_where_the_method_cannot_carry_it() {
    let mut world = grounded(WorldConfig::thesis_fast());
    let light = add(&mut world, at(0.5).collider(cube(1.0)));
    let heavy = |mass: Real| {
        BodySpec::dynamic().pose(Pose::at(0.0, 2.0, 0.0)).collider(cube(2.0)).mass(mass_of_cube(2.0, mass))
    };
    let own = world.body(light).expect("there").mass;
    let above = add(&mut world, heavy(40.0 * own));
    let findings = found(&world);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].concern == LintKind::MassRatio && findings[0].bodies == [Some(above), Some(light)]);
    assert!((findings[0].value - 40.0).abs() < 1e-3);
    // Beside each other they may weigh what they will, and sub-steps carry it.
    world.set_pose(above, Pose::at(1.5, 1.0, 0.0)).expect("a pose");
    assert_eq!(found(&world), []);
    let mut world = grounded(WorldConfig::default());
    assert!(matches!(world.config().solver, SolverChoice::SubStep { .. }));
    add(&mut world, at(0.5).collider(cube(1.0)));
    add(&mut world, heavy(40.0 * own));
    assert_eq!(found(&world), []);
}

fn mass_of_cube(size: Real, mass: Real) -> MassProperties {
    MassProperties::aligned(mass, Vector3::repeat(mass * size * size / 6.0))
}

#[test]
fn thin_parts_and_long_steps_go_with_the_step() {
    let mut world = grounded(WorldConfig::default());
    let plate = ColliderSpec::new(Shape::cuboid(Vector3::new(0.5, 0.002, 0.5)).expect("positive"));
    let plate = add(&mut world, at(0.5).collider(plate));
    let findings = found(&world);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].concern == LintKind::ThinPart && findings[0].bodies == [Some(plate), None]);
    assert!((findings[0].value - 0.004).abs() < 1e-7, "{findings:?}");
    assert_eq!(world.lint(1.0 / 240.0).expect("a step"), []);
    let concerns: Vec<LintKind> = world.lint(0.1).expect("a step").iter().map(|f| f.concern).collect();
    assert_eq!(concerns, [LintKind::LongStep, LintKind::ThinPart]);
}

#[test]
fn what_is_fast_is_found_unless_it_is_swept() {
    let config = |continuous| WorldConfig { continuous, ..WorldConfig::default() };
    let fast = || {
        at(5.0)
            .collider(cube(0.2))
            .linear_velocity(Vector3::new(60.0, 0.0, 0.0))
            .angular_velocity(Vector3::zeros())
    };
    // A metre per step: through fixed things, through moving ones, or through nothing.
    for (continuous, alone, beside) in
        [(ContinuousConfig::OFF, 1, 1), (ContinuousConfig::default(), 0, 1), (ContinuousConfig::ALL, 0, 0)]
    {
        let mut world = grounded(config(continuous));
        let body = add(&mut world, fast());
        assert_eq!(found(&world).len(), alone, "{continuous:?}");
        add(&mut world, BodySpec::dynamic().pose(Pose::at(50.0, 0.1, 0.0)).collider(cube(0.2)));
        let findings = found(&world);
        assert_eq!(findings.len(), beside, "{continuous:?}: {findings:?}");
        for finding in findings {
            assert!(finding.concern == LintKind::FastForStep && finding.bodies[0] == Some(body));
            assert!((finding.value - 1.0).abs() < 1e-5, "m in a step: {finding:?}");
        }
    }
    let mut world = grounded(WorldConfig::default());
    let spinning = |collider| {
        at(5.0)
            .collider(collider)
            .linear_velocity(Vector3::zeros())
            .angular_velocity(Vector3::new(0.0, 60.0, 0.0))
    };
    add(&mut world, spinning(ColliderSpec::new(Shape::sphere(0.5).expect("positive"))));
    assert_eq!(found(&world), [], "a ball is round");
    let body = add(&mut world, spinning(cube(0.5)).pose(Pose::at(9.0, 5.0, 0.0)));
    let findings = found(&world);
    assert!(findings.len() == 1 && findings[0].concern == LintKind::FastTurn, "{findings:?}");
    assert!(findings[0].bodies[0] == Some(body) && (findings[0].value - 1.0).abs() < 1e-5);
}

#[test]
fn moments_that_no_body_has_are_found() {
    let with = |moments: Vector3| at(5.0).collider(cube(1.0)).mass(MassProperties::aligned(1.0, moments));
    // A cube's own; a hundred-thousandth of that; more about one axis than about both others; a thin rod.
    for (moments, value) in [
        (Vector3::repeat(1.0 / 6.0), None),
        (Vector3::repeat(1e-5), Some(1e-5 / 0.75)),
        (Vector3::new(0.1, 0.1, 0.4), Some(2.0)),
        (Vector3::new(1e-5, 0.1, 0.1), None),
    ] {
        let mut world = grounded(WorldConfig::default());
        add(&mut world, with(moments));
        let findings = found(&world);
        assert_eq!(findings.len(), usize::from(value.is_some()), "{moments:?}: {findings:?}");
        if let Some(value) = value {
            let finding = &findings[0];
            assert!(
                finding.concern == LintKind::Moments && (finding.value / value - 1.0).abs() < 1e-3,
                "{finding:?}"
            );
        }
    }
}

#[test]
fn filters_that_let_nothing_be_met_are_found() {
    let mut world = World::new(WorldConfig::default()).expect("valid");
    let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a direction")).filter(0b1, 0b11);
    add(&mut world, BodySpec::fixed().collider(ground));
    add(&mut world, at(0.5).collider(cube(1.0).filter(0b10, 0b1)));
    assert_eq!(found(&world), []);
    // It names the ground, which does not name it; and two of a kind that would meet each other are enough.
    let lost = add(&mut world, at(9.0).collider(cube(1.0).filter(0b100, 0b101)));
    let findings = found(&world);
    assert!(findings.len() == 1 && findings[0].concern == LintKind::MeetsNothing, "{findings:?}");
    assert_eq!(findings[0].bodies, [Some(lost), None]);
    add(&mut world, at(12.0).collider(cube(1.0).filter(0b100, 0b101)));
    assert_eq!(found(&world), []);
}

#[test]
fn a_finding_says_what_to_do() {
    for concern in LintKind::ALL {
        let text = LintFinding { concern, bodies: [None; 2], joints: Vec::new(), value: 2.0, bound: 1.0 }
            .to_string();
        assert!(
            text.starts_with(concern.name()) && text.ends_with(concern.remedy()) && text.contains("2.000e0")
        );
    }
}
