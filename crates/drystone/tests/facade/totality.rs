//! No input makes the engine panic, hang or make up an answer (promise 1): what is out of range is refused
//! with its name and value and changes nothing; what overflows is taken out and named. Trusted reference: the
//! state hash before.

use crate::common::*;
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Quaternion, Real, RelativePose, Rotation, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderHandle, ColliderSpec, Material, MaterialId, PairMaterial, Shape, World,
    WorldConfig, WorldError,
};
use proptest::prelude::*;

const NAN: Real = Real::NAN;
const INF: Real = Real::INFINITY;

/// A cube on the ground, and one that sleeps beside it.
fn small_world() -> Run {
    let mut run = Scene::on_ground()
        .with(cube(0.1, 0.0, 0.05, 0.0))
        .with(cube(0.1, 1.0, 0.05, 0.0))
        .start(&WorldConfig::thesis_fast(), 1);
    run.until_asleep(FAST, &[1, 2]);
    run
}

/// The request is refused, says all of `words`, and leaves the world as it was.
fn refused<T>(words: &[&str], request: impl FnOnce(&mut World, BodyHandle) -> Result<T, WorldError>) {
    let mut run = small_world();
    let (hash, count, config) = (run.world.state_hash(), run.world.body_count(), run.world.config().clone());
    let body = run.bodies[1];
    let Err(error) = request(&mut run.world, body) else { panic!("not refused: {words:?}") };
    let message = error.to_string();
    assert!(words.iter().all(|w| message.contains(w)), "{message:?} does not say {words:?}");
    assert_eq!((run.world.state_hash(), run.world.body_count()), (hash, count), "{message}");
    assert_eq!(run.world.config(), &config, "{message}");
    // Also what the hash does not see is as it was: the next step is that of an untouched world.
    let mut other = small_world();
    run.step(FAST);
    other.step(FAST);
    assert_eq!(run.world.state_hash(), other.world.state_hash(), "{message}");
}

#[test]
fn step_sizes_out_of_range_are_refused() {
    for (dt, said) in [(0.0, "0"), (NAN, "NaN"), (-1.0, "-1"), (10.0, "10"), (INF, "inf"), (-0.0, "0")] {
        refused(&["dt", "(0, 1]", said], |w, _| w.step(dt).map(|_| ()));
    }
    assert!(small_world().world.step(1.0).is_ok() && small_world().world.step(Real::MIN_POSITIVE).is_ok());
}

/// Shapes written by hand, past the constructors: a plane whose normal has the length 2 let balls sink in by half their radius, a box turned inside out had a mass, and what
/// is no number was met by nothing.
#[test]
fn shapes_that_no_constructor_makes_are_refused() {
    let plane = Shape::HalfSpace { normal: Vector3::new(0.0, 2.0, 0.0) };
    let add = |spec: BodySpec, shape: &Shape| spec.collider(ColliderSpec::new(shape.clone()));
    refused(&["normal", "2"], |w, _| w.add_body(add(BodySpec::fixed(), &plane)));
    let turned = Shape::Box { half_extents: Vector3::new(-1.0, -1.0, 1.0) };
    refused(&["half_extents.x", "-1"], |w, _| w.add_body(add(BodySpec::dynamic(), &turned)));
    for bad in [NAN, 0.0, 1e7] {
        let ball = Shape::Sphere { radius: bad };
        refused(&["radius", &bad.to_string()], |w, _| w.add_body(add(BodySpec::fixed(), &ball)));
        let zone = ColliderSpec::new(ball).trigger();
        refused(&["radius"], |w, _| w.add_body(BodySpec::fixed().collider(zone)));
    }
    let cube =
        Shape::hull(&std::array::from_fn::<_, 8, _>(|k| Vector3::from_fn(|axis, _| (k >> axis & 1) as Real)));
    let Ok(Shape::Hull(mut hull)) = cube else { panic!("a cube") };
    std::sync::Arc::make_mut(&mut hull).vertices[0].x = -3.0;
    let hull = Shape::Hull(hull);
    refused(&["hull", "as it was made"], |w, _| w.add_body(add(BodySpec::dynamic(), &hull)));
}

#[test]
fn values_that_are_not_finite_are_refused_by_every_setter() {
    let zero = Vector3::zeros();
    for (bad, said) in [(NAN, "NaN"), (INF, "inf"), (-INF, "-inf")] {
        for axis in 0..3 {
            let mut v = Vector3::zeros();
            v[axis] = bad;
            refused(&["linear", "finite", said], |w, b| w.set_velocity(b, v, zero));
            refused(&["angular", "finite", said], |w, b| w.set_velocity(b, zero, v));
            refused(&["force", "finite", said], |w, b| w.add_force(b, v, zero));
            refused(&["torque", "finite", said], |w, b| w.add_force(b, zero, v));
            refused(&["impulse", "finite", said], |w, b| w.add_impulse(b, v, zero));
            refused(&["angular impulse", "finite", said], |w, b| w.add_impulse(b, zero, v));
            refused(&["gravity", "finite", said], |w, _| w.set_gravity(v));
            refused(&["global_force", "finite", said], |w, _| w.set_global_force(v));
            let mut place = Position::origin();
            place[axis] = f64::from(bad);
            let pose = Pose::new(place, Rotation::identity());
            refused(&["pose.translation", "finite", said], |w, b| w.set_pose(b, pose));
        }
        refused(&["linear_damping", said], |w, b| w.set_damping(b, bad, 0.0));
        refused(&["angular_damping", said], |w, b| w.set_damping(b, 0.0, bad));
        refused(&["gravity_scale", said], |w, b| w.set_gravity_scale(b, bad));
    }
    refused(&["linear_damping", "-0.5"], |w, b| w.set_damping(b, -0.5, 0.0));
    for q in [Quaternion::new(2.0, 0.0, 0.0, 0.0), Quaternion::new(NAN, 0.0, 0.0, 0.0), Quaternion::default()]
    {
        let pose = Pose::new(Position::origin(), Rotation::new_unchecked(q));
        refused(&["pose.rotation", &q.norm().to_string()], |w, b| w.set_pose(b, pose));
    }
}

#[test]
fn bodies_out_of_range_are_not_added() {
    let good = || cube(0.1, 0.0, 1.0, 0.0);
    let v = Vector3::new(NAN, 0.0, 0.0);
    let bad_mass = |mass| MassProperties { mass, ..MassProperties::sphere(0.1, 1000.0) };
    let table: Vec<(&[&str], BodySpec)> = vec![
        (&["pose.translation", "NaN"], good().pose(Pose::at(f64::NAN, 0.0, 0.0))),
        (&["linear", "NaN"], good().linear_velocity(v)),
        (&["angular", "NaN"], good().angular_velocity(v)),
        (&["linear_damping", "-1"], good().linear_damping(-1.0)),
        (&["angular_damping", "NaN"], good().angular_damping(NAN)),
        (&["gravity_scale", "inf"], good().gravity_scale(INF)),
        (&["mass.mass", "in [1e-30, 1e30] kg", "0"], good().mass(bad_mass(0.0))),
        (&["mass.mass", "in [1e-30, 1e30] kg", "-2"], good().mass(bad_mass(-2.0))),
        (&["mass.mass", "in [1e-30, 1e30] kg", "34028"], good().mass(bad_mass(Real::MAX))),
        (&["mass.mass", "NaN"], good().mass(bad_mass(NAN))),
        (&["volume", "0 colliders"], BodySpec::dynamic()),
        (&["volume", "HalfSpace"], BodySpec::dynamic().collider(half_space())),
        (&["material", "77"], BodySpec::dynamic().collider(block(0.1, 0.1, 0.1).material(MaterialId(77)))),
        (
            &["collider.local", "finite"],
            BodySpec::dynamic()
                .collider(block(0.1, 0.1, 0.1).local(RelativePose::new(v, Rotation::identity()))),
        ),
        (
            &["collider.local", "NaN"],
            BodySpec::fixed()
                .collider(block(0.1, 0.1, 0.1).local(RelativePose::new(Vector3::zeros(), no_rotation()))),
        ),
        (&["mass.frame", "NaN"], good().mass(MassProperties { frame: no_rotation(), ..bad_mass(1.0) })),
    ];
    for (words, spec) in table {
        refused(words, |w, _| w.add_body(spec));
    }
}

/// What comes of giving a quaternion without length unit length.
fn no_rotation() -> Rotation {
    Rotation::new_unchecked(Quaternion::new(NAN, NAN, NAN, NAN))
}

fn half_space() -> ColliderSpec {
    ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit normal"))
}

#[test]
fn shapes_out_of_range_do_not_exist() {
    for bad in [NAN, INF, 0.0, -1.0] {
        let said = bad.to_string();
        let size = Vector3::new(1.0, bad, 1.0);
        for error in [
            Shape::sphere(bad).expect_err("a radius"),
            Shape::cuboid(size).expect_err("a half extent"),
            Shape::capsule(0.1, bad).expect_err("a radius"),
        ] {
            assert!(error.to_string().contains(&said), "{error} does not say {said}");
        }
    }
    assert!(Shape::half_space(Vector3::zeros()).is_err() && Shape::hull(&[Vector3::zeros(); 4]).is_err());
}

#[test]
fn materials_and_settings_out_of_range_are_refused() {
    let pair = |restitution, static_friction, kinetic_friction| PairMaterial {
        restitution,
        static_friction,
        kinetic_friction,
        rolling_friction: 0.0,
    };
    for (words, bad) in [
        (["restitution", "1.5"], pair(1.5, 0.2, 0.2)),
        (["restitution", "NaN"], pair(NAN, 0.2, 0.2)),
        (["static_friction", "-1"], pair(0.5, -1.0, 0.0)),
        (["kinetic", "0.5"], pair(0.5, 0.2, 0.5)),
        (["rolling_friction", "-1"], PairMaterial { rolling_friction: -1.0, ..pair(0.5, 0.2, 0.2) }),
    ] {
        refused(&words, |w, _| Ok(w.materials_mut().set_all_pairs(bad)?));
        refused(&words, |w, _| Ok(w.materials_mut().set_pair(MaterialId(0), MaterialId(1), bad)?));
    }
    refused(&["MaterialId(9)"], |w, _| {
        Ok(w.materials_mut().set_pair(MaterialId(0), MaterialId(9), pair(0.5, 0.2, 0.2))?)
    });
    let oak = |w: &World| w.materials().get(MaterialId(3)).expect("built in").clone();
    refused(&["density", "0"], |w, _| {
        let light = Material { density: 0.0, name: "light".into(), ..oak(w) };
        Ok(w.materials_mut().add(light)?)
    });
    refused(&["oak", "already"], |w, _| {
        let again = oak(w);
        Ok(w.materials_mut().add(again)?)
    });
    for (field, value) in
        [("gravity.y", "NaN"), ("reference_acceleration", "0"), ("sleeping.threshold", "-1")]
    {
        let mut config = WorldConfig::thesis_fast();
        let error = config.set_field(field, value).expect_err(field).to_string();
        assert!(error.contains(value), "{error}");
        assert_eq!(config, WorldConfig::thesis_fast());
    }
    let config = WorldConfig { reference_acceleration: NAN, ..WorldConfig::thesis_fast() };
    assert!(World::new(config).expect_err("refused").to_string().contains("reference_acceleration"));
}

#[test]
fn stale_and_unknown_handles_are_refused_everywhere() {
    let mut run = small_world();
    let stale = run.bodies[1];
    let stale_collider: ColliderHandle =
        run.world.colliders_of(stale).expect("it exists").next().expect("it has one");
    run.world.remove_body(stale).expect("it exists");
    // The slot is in use again, by another body.
    run.step(FAST);
    let young = run.world.add_body(cube(0.1, 5.0, 0.05, 0.0)).expect("it is valid");
    assert_eq!((young.index, young == stale), (stale.index, false));
    let never = BodyHandle { index: 4_000_000_000, generation: 1 };
    let dummy = BodyHandle { index: 0, generation: 1 };
    let hash = run.world.state_hash();
    let (zero, w) = (Vector3::zeros(), &mut run.world);
    for handle in [stale, never, dummy] {
        let answers = [
            w.remove_body(handle),
            w.set_pose(handle, Pose::IDENTITY),
            w.set_velocity(handle, zero, zero),
            w.add_force(handle, zero, zero),
            w.add_impulse(handle, zero, zero),
            w.set_damping(handle, 0.0, 0.0),
            w.set_gravity_scale(handle, 1.0),
            w.wake(handle),
            w.pose(handle).map(|_| ()),
            w.velocity(handle).map(|_| ()),
            w.body(handle).map(|_| ()),
            w.colliders_of(handle).map(|_| ()),
        ];
        for (i, answer) in answers.into_iter().enumerate() {
            let message = answer.expect_err("refused").to_string();
            let said = format!("{handle:?}");
            assert!(message.contains("does not exist") && message.contains(&said), "{i}: {message}");
        }
    }
    assert!(matches!(w.shape(stale_collider), Err(WorldError::UnknownCollider(_))));
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn what_cannot_be_pushed_refuses_pushes() {
    let mut run = small_world();
    let (zero, ground) = (Vector3::zeros(), run.bodies[0]);
    let kinematic = BodySpec::kinematic().pose(Pose::at(9.0, 9.0, 9.0)).collider(block(0.1, 0.1, 0.1));
    let kinematic = run.world.add_body(kinematic).expect("it is valid");
    for body in [ground, kinematic] {
        for answer in [run.world.add_force(body, zero, zero), run.world.add_impulse(body, zero, zero)] {
            assert!(answer.expect_err("refused").to_string().contains("not dynamic"));
        }
    }
    assert!(
        run.world.set_velocity(ground, zero, zero).is_err()
            && run.world.set_velocity(kinematic, zero, zero).is_ok()
    );
}

#[test]
fn an_empty_world_steps() {
    let mut world = World::new(WorldConfig::thesis_fast()).expect("valid");
    for step in 0..100 {
        let report = world.step(1.0 / FAST).expect("valid").clone();
        assert_eq!(
            (report.step, report.bodies, report.edges, report.contacts, report.islands),
            (step, 0, 0, 0, 0)
        );
        assert!(report.is_solved && report.limit_hits == 0 && report.quarantined.is_empty());
    }
    assert!((world.time() - 100.0 / f64::from(FAST)).abs() < 1e-6);
    assert_eq!((world.bodies().count(), world.contacts().count(), world.kinetic_energy()), (0, 0, 0.0));
}

/// True when every number of every body is finite.
fn is_finite(world: &World) -> bool {
    let finite = |v: &Vector3| v.iter().all(|c| c.is_finite());
    world.bodies().all(|b| b.pose.is_finite() && finite(&b.linear_velocity) && finite(&b.angular_velocity))
}

#[test]
fn a_body_that_overflows_is_taken_out_and_named() {
    let scene = Scene::on_ground().with(ball(0.05, 2.0, 3.0, 0.0)).with_all(tower(4, 0.0, 0.0));
    let mut run = scene.start(&awake(), 1);
    run.step(FAST);
    let (broken, place) = (run.bodies[1], run.place(1));
    // 1.5 kg: the force is finite, the speed it gives is not.
    run.world.add_force(broken, Vector3::new(0.0, 3.0e38, 0.0), Vector3::zeros()).expect("finite");
    run.world.add_force(broken, Vector3::new(0.0, 3.0e38, 0.0), Vector3::zeros()).expect("finite");
    let report = run.step(FAST).clone();
    assert_eq!(report.quarantined, [broken]);
    let body = run.world.body(broken).expect("it is still there");
    assert!(
        body.is_quarantined
            && body.linear_velocity == Vector3::zeros()
            && (run.place(1) - place).norm() < 1e-3
    );
    assert!(is_finite(&run.world));

    // The others go on, and it is named once.
    for _ in 0..240 {
        assert!(run.step(FAST).quarantined.is_empty() && is_finite(&run.world));
    }
    assert!((2..6).all(|i| run.way(i).norm() < 1e-3), "the tower stands");

    // It refuses changes, and can be removed.
    let zero = Vector3::zeros();
    let w = &mut run.world;
    for answer in [
        w.set_pose(broken, Pose::IDENTITY),
        w.set_velocity(broken, zero, zero),
        w.add_force(broken, zero, zero),
        w.add_impulse(broken, zero, zero),
    ] {
        assert_eq!(answer, Err(WorldError::Quarantined(broken)));
    }
    w.wake(broken).expect("it exists");
    assert_eq!(w.body(broken).expect("it exists").linear_velocity, zero);
    w.remove_body(broken).expect("it exists");
    assert_eq!(w.body_count(), 5);
    assert!(run.step(FAST).quarantined.is_empty());
}

/// Mass and inertia of a cube of 0.1 m, times a factor.
fn scaled_mass(factor: Real) -> MassProperties {
    let cube = MassProperties::cuboid(&Vector3::repeat(0.05), 1000.0);
    MassProperties { mass: cube.mass * factor, principal: cube.principal * factor, ..cube }
}

#[test]
fn absurd_mass_ratios_do_no_harm() {
    for factor in [1e-30, 1e-10, 1e10, 1e30] {
        for above in [true, false] {
            let (low, high) = if above { (1.0, factor) } else { (factor, 1.0) };
            let scene = Scene::on_ground()
                .with(cube(0.1, 0.0, 0.05, 0.0).mass(scaled_mass(low)))
                .with(cube(0.1, 0.0, 0.16, 0.02).mass(scaled_mass(high)))
                .with_all(tower(3, 2.0, 0.0));
            let mut run = scene.start(&awake(), 1);
            run.steps(FAST, 1.0, |world| assert!(is_finite(world), "{factor} above {above}"));
            assert!((3..6).all(|i| run.way(i).norm() < 1e-3), "{factor} above {above}: the tower stands");
        }
    }
}

/// Any magnitude, zero and the largest included.
fn wild() -> impl Strategy<Value = Real> {
    prop_oneof![
        Just(0.0),
        Just(Real::MAX),
        Just(-Real::MAX),
        Just(1e-40),
        (-38.0..38.0_f32).prop_map(|e| 10.0_f32.powf(e)),
        (-38.0..38.0_f32).prop_map(|e| -(10.0_f32.powf(e))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Finite requests of any size, at any step size: never a panic, and no state that is not finite.
    #[test]
    fn finite_requests_leave_finite_states(
        requests in prop::collection::vec((0..7_usize, 0..5_usize, wild(), wild(), wild()), 1..12),
        dt in prop::sample::select(vec![1e-30, 1e-3, 1.0 / 240.0, 1.0 / 60.0, 1.0]),
    ) {
        let scene = Scene::on_ground().with_all(tower(3, 0.0, 0.0)).with_all(heap(2, 0.5, 0.0, 1));
        let mut run = scene.start(&WorldConfig::thesis_fast(), 1);
        for (request, body, x, y, z) in requests {
            let (zero, v, body) = (Vector3::zeros(), Vector3::new(x, y, z), run.bodies[1 + body]);
            // Refusals are welcome: of bodies in quarantine, and of negative damping.
            let _ = match request {
                0 => run.world.add_force(body, v, zero),
                1 => run.world.add_force(body, zero, v),
                2 => run.world.add_impulse(body, v, zero),
                3 => run.world.add_impulse(body, zero, v),
                4 => run.world.set_velocity(body, v, -v),
                5 => run.world.set_gravity_scale(body, x),
                _ => run.world.set_damping(body, x.abs(), y.abs()),
            };
            for _ in 0..3 {
                run.world.step(dt).expect("the step size is valid");
                prop_assert!(is_finite(&run.world));
            }
        }
    }
}
