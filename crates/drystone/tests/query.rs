//! Queries of a world. Trusted: the same queries of [`drystone_collision::query`] against every collider where its body is, one by one.

use drystone::math::{Displacement, Pose, Position, Rotation, Vector3, widen};
use drystone::{
    BodyHandle, BodySpec, BroadPhaseChoice, ColliderHandle, ColliderSpec, DetectionConfig, Exec, QueryFilter,
    QueryHit, Ray, Shape, Triggers, World, WorldConfig,
};
use drystone_collision::query;
use proptest::prelude::*;

/// Every preset moves bodies at another time in the step; every broad phase is asked.
fn configs() -> Vec<WorldConfig> {
    let with = |config: WorldConfig, broad_phase: BroadPhaseChoice| {
        let detection = DetectionConfig { broad_phase, ..config.detection.clone() };
        WorldConfig { detection, ..config }
    };
    vec![
        WorldConfig::fast(),
        WorldConfig::thesis_fast(),
        with(WorldConfig::fast(), BroadPhaseChoice::BruteForce),
        with(WorldConfig::fast(), BroadPhaseChoice::HashGrid(Default::default())),
        with(WorldConfig::fast(), BroadPhaseChoice::UniformGrid(Default::default())),
    ]
}

/// A collider of the oracle.
struct Known {
    body: BodyHandle,
    collider: ColliderHandle,
    shape: Shape,
    pose: Pose,
}

/// All colliders of active bodies where they are; each sits at its body's origin.
fn all(world: &World, filter: impl Fn(BodyHandle, ColliderHandle) -> bool) -> Vec<Known> {
    let mut list = Vec::new();
    for body in world.bodies().filter(|body| body.is_active) {
        for collider in world.colliders_of(body.handle).expect("it exists") {
            if filter(body.handle, collider) {
                let shape = world.shape(collider).expect("it exists").clone();
                list.push(Known { body: body.handle, collider, shape, pose: body.pose });
            }
        }
    }
    list.sort_by_key(|known| known.collider.index);
    list
}

fn check(
    world: &World,
    ray: &Ray,
    probe: &Shape,
    at: &Pose,
    way: &Displacement,
) -> Result<(), TestCaseError> {
    let filter = QueryFilter::default();
    let known = all(world, |_, _| true);
    let found = |known: &Known| (known.body, known.collider);
    let of = |body: BodyHandle, collider: ColliderHandle| (body, collider);

    let mut rays: Vec<_> = known
        .iter()
        .filter_map(|k| {
            let hit = query::cast_ray(&k.shape, &k.pose, ray, 30.0).expect("in range")?;
            Some((hit.distance, found(k)))
        })
        .collect();
    rays.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut hits = Vec::new();
    world.cast_ray_all(ray, 30.0, &filter, &mut hits).expect("in range");
    prop_assert_eq!(hits.iter().map(|f| (f.hit.distance, of(f.body, f.collider))).collect::<Vec<_>>(), rays);
    let first = world.cast_ray(ray, 30.0, &filter).expect("in range");
    prop_assert_eq!(first.as_ref(), hits.first());

    let mut casts: Vec<_> = known
        .iter()
        .filter_map(|k| {
            let hit = query::cast_shape(probe, at, way, &k.shape, &k.pose).expect("finite")?;
            Some((hit.fraction, found(k)))
        })
        .collect();
    casts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut hits = Vec::new();
    world.cast_shape_all(probe, at, way, &filter, &mut hits).expect("finite");
    prop_assert_eq!(hits.iter().map(|f| (f.hit.fraction, of(f.body, f.collider))).collect::<Vec<_>>(), casts);
    let first = world.cast_shape(probe, at, way, &filter).expect("finite");
    prop_assert_eq!(first.as_ref(), hits.first());

    let inside = known.iter().filter(|k| query::overlaps(probe, at, &k.shape, &k.pose)).map(found);
    let mut overlaps: Vec<QueryHit<()>> = Vec::new();
    world.overlap_all(probe, at, &filter, &mut overlaps).expect("finite");
    prop_assert_eq!(
        overlaps.iter().map(|f| of(f.body, f.collider)).collect::<Vec<_>>(),
        inside.collect::<Vec<_>>()
    );
    prop_assert_eq!(world.overlap(probe, at, &filter).expect("finite"), overlaps.first().copied());

    let point = at.translation;
    let holds = |k: &&Known| query::contains_point(&k.shape, &k.pose, &point) == Ok(true);
    let mut holders = Vec::new();
    world.contains_point_all(&point, &filter, &mut holders).expect("finite");
    prop_assert_eq!(
        holders.iter().map(|f| of(f.body, f.collider)).collect::<Vec<_>>(),
        known.iter().filter(holds).map(found).collect::<Vec<_>>()
    );
    prop_assert_eq!(world.contains_point(&point, &filter).expect("finite"), holders.first().copied());

    for max_distance in [0.7, f64::INFINITY] {
        let nearest = known.iter().filter_map(|k| {
            let found = query::project_point(&k.shape, &k.pose, &point).expect("finite")?;
            (found.distance <= max_distance).then_some((found.distance, k.collider))
        });
        let nearest = nearest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.index.cmp(&b.1.index)));
        let closest = world.closest_point(&point, max_distance, &filter).expect("finite");
        prop_assert_eq!(closest.map(|f| (f.hit.distance, f.collider)), nearest);

        let nearest = known.iter().filter_map(|k| {
            let found = query::closest_points(probe, at, &k.shape, &k.pose, max_distance)?;
            Some((found.distance, k.collider))
        });
        let nearest = nearest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.index.cmp(&b.1.index)));
        let closest = world.closest(probe, at, max_distance, &filter).expect("finite");
        prop_assert_eq!(closest.map(|f| (f.hit.distance, f.collider)), nearest);
    }
    Ok(())
}

#[derive(Clone, Debug)]
enum Operation {
    Add(u8, [f32; 3], f32),
    Move(prop::sample::Index, [f32; 3]),
    Push(prop::sample::Index, [f32; 3]),
    Remove(prop::sample::Index),
    Switch(prop::sample::Index, bool),
    Step,
    Ask([f32; 3], [f32; 3]),
}

fn operation() -> impl Strategy<Value = Operation> {
    let index = any::<prop::sample::Index>;
    let vector = || prop::array::uniform3(-1.0f32..1.0);
    prop_oneof![
        3 => (any::<u8>(), vector(), 0.1f32..0.6).prop_map(|(kind, at, size)| Operation::Add(kind, at, size)),
        2 => (index(), vector()).prop_map(|(i, at)| Operation::Move(i, at)),
        2 => (index(), vector()).prop_map(|(i, v)| Operation::Push(i, v)),
        1 => index().prop_map(Operation::Remove),
        1 => (index(), any::<bool>()).prop_map(|(i, on)| Operation::Switch(i, on)),
        3 => Just(Operation::Step),
        4 => (vector(), vector()).prop_map(|(a, b)| Operation::Ask(a, b)),
    ]
}

fn spec(kind: u8, at: [f32; 3], size: f32) -> BodySpec {
    let shape = match kind % 4 {
        0 => Shape::sphere(size),
        1 => Shape::cuboid(Vector3::new(size, 0.5 * size, 0.2)),
        2 => Shape::capsule(size, 0.2),
        _ => Shape::hull(
            &[[1.0, 0.0, 0.0], [-1.0, 0.1, 0.0], [0.0, 1.0, 0.2], [0.0, -0.2, 1.0]]
                .map(|p| Vector3::from(p) * size),
        ),
    };
    let spec = if kind & 64 == 0 { BodySpec::dynamic() } else { BodySpec::fixed() };
    spec.pose(pose(at)).collider(ColliderSpec::new(shape.expect("in range")))
}

fn pose(at: [f32; 3]) -> Pose {
    let [x, y, z] = at.map(|x| 4.0 * f64::from(x));
    Pose::new(Position::new(x, y + 2.0, z), Rotation::from_euler_angles(at[0] * 3.0, at[1] * 3.0, at[2]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// After any operations and steps, answers are those of a look at every collider.
    #[test]
    fn answers_are_those_of_a_look_at_every_collider(
        start in prop::collection::vec((any::<u8>(), prop::array::uniform3(-1.0f32..1.0), 0.1f32..0.6), 0..50),
        operations in prop::collection::vec(operation(), 10..60),
    ) {
        for config in configs() {
            let mut world = World::new(config).expect("valid");
            let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a normal"));
            world.add_body(BodySpec::fixed().collider(ground)).expect("valid");
            let mut bodies: Vec<BodyHandle> =
                start.iter().map(|&(kind, at, size)| world.add_body(spec(kind, at, size)).expect("valid")).collect();
            for operation in &operations {
                if bodies.is_empty() && !matches!(operation, Operation::Add(..) | Operation::Ask(..)) {
                    continue;
                }
                match operation {
                    Operation::Add(kind, at, size) => {
                        bodies.push(world.add_body(spec(*kind, *at, *size)).expect("valid"));
                    }
                    Operation::Move(i, at) => world.set_pose(*i.get(&bodies), pose(*at)).expect("finite"),
                    Operation::Push(i, v) => {
                        let velocity = Vector3::from(*v) * 60.0;
                        // A fixed body refuses.
                        let _ = world.set_velocity(*i.get(&bodies), velocity, Vector3::from(*v) * 9.0);
                    }
                    Operation::Remove(i) => world.remove_body(bodies.swap_remove(i.index(bodies.len()))).expect("it exists"),
                    Operation::Switch(i, on) => drop(world.set_active(*i.get(&bodies), *on)),
                    Operation::Step => drop(world.step(1.0 / 60.0).expect("in range").clone()),
                    Operation::Ask(from, to) => {
                        let from = pose(*from);
                        let way = widen(&Vector3::from(*to)) * 6.0 + Displacement::new(1e-3, 0.0, 0.0);
                        let ray = Ray::new(from.translation, way).expect("a direction");
                        let probe = Shape::cuboid(Vector3::new(0.3, 0.2, 0.1)).expect("in range");
                        check(&world, &ray, &probe, &from, &way)?;
                    }
                }
            }
        }
    }
}

/// A row of balls along x, 2 m apart: fixed, dynamic, a trigger, of another group, a member of a composite.
fn row() -> (World, Vec<BodyHandle>) {
    let mut world = World::new(WorldConfig::default()).expect("valid");
    let ball = || ColliderSpec::new(Shape::sphere(0.5).expect("in range"));
    let at = |spec: BodySpec, k: usize| spec.pose(Pose::at(2.0 * k as f64, 0.0, 0.0));
    let specs = [
        BodySpec::fixed().collider(ball()),
        BodySpec::dynamic().collider(ball()),
        BodySpec::fixed().collider(ball().trigger()),
        BodySpec::fixed().collider(ball().filter(0b100, 0b100)),
        BodySpec::dynamic().collider(ball()),
        BodySpec::dynamic().collider(ball()),
    ];
    let bodies = specs.into_iter().enumerate();
    let bodies: Vec<BodyHandle> =
        bodies.map(|(k, spec)| world.add_body(at(spec, k)).expect("valid")).collect();
    world.fasten(&bodies[4..]).expect("two dynamic bodies");
    (world, bodies)
}

#[test]
fn filters_leave_out_what_they_say() {
    let (world, bodies) = row();
    let ray = Ray::new(Position::new(-3.0, 0.0, 0.0), Displacement::x()).expect("a direction");
    let seen = |filter: QueryFilter<'_>| {
        let mut hits = Vec::new();
        world.cast_ray_all(&ray, 100.0, &filter, &mut hits).expect("in range");
        hits.iter()
            .map(|f| bodies.iter().position(|b| *b == f.body).expect("one of them"))
            .collect::<Vec<_>>()
    };
    let all = QueryFilter::default();
    assert_eq!(seen(all), [0, 1, 3, 4, 5]);
    assert_eq!(seen(all.triggers(Triggers::With)), [0, 1, 2, 3, 4, 5]);
    assert_eq!(seen(all.triggers(Triggers::Only)), [2]);
    assert_eq!(seen(all.groups(u32::MAX, 0b1)), [0, 1, 4, 5]);
    assert_eq!(seen(all.groups(0b1, u32::MAX)), [0, 1, 4, 5], "the fourth meets no such group");
    assert_eq!(seen(all.without(bodies[0])), [1, 3, 4, 5]);
    assert_eq!(seen(all.without(bodies[4])), [0, 1, 3], "with what it is fastened to");
    let odd = |body: BodyHandle, _| bodies.iter().position(|b| *b == body).is_some_and(|k| k % 2 == 1);
    assert_eq!(seen(all.only(&odd)), [1, 3, 5]);
}

/// Asking changes nothing.
#[test]
fn a_world_that_is_asked_moves_as_one_that_is_not() {
    let play = |asks: bool| {
        let mut world = World::with_exec(WorldConfig::fast(), Exec::serial()).expect("valid");
        let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a normal"));
        world.add_body(BodySpec::fixed().collider(ground)).expect("valid");
        for k in 0..20u8 {
            let at = f32::from(k);
            let at = [0.1 * (at * 1.7).sin(), 0.06 * at, 0.1 * (at * 0.9).cos()];
            world.add_body(spec(k % 4, at, 0.3)).expect("valid");
        }
        for _ in 0..120 {
            world.step(1.0 / 60.0).expect("in range");
            if asks {
                let ray = Ray::new(Position::new(0.0, 9.0, 0.0), -Displacement::y()).expect("a direction");
                assert!(world.cast_ray(&ray, 100.0, &QueryFilter::default()).expect("in range").is_some());
            }
        }
        world.state_hash()
    };
    assert_eq!(play(true), play(false));
}

#[test]
fn what_is_no_number_is_refused() {
    let (world, _) = row();
    let filter = QueryFilter::default();
    let ray = Ray::new(Position::origin(), Displacement::x()).expect("a direction");
    assert!(world.cast_ray(&ray, -1.0, &filter).is_err() && world.cast_ray(&ray, f64::NAN, &filter).is_err());
    let (ball, nan) = (Shape::sphere(1.0).expect("in range"), Position::new(f64::NAN, 0.0, 0.0));
    let lost = Pose::new(nan, Rotation::identity());
    assert!(world.cast_shape(&ball, &lost, &Displacement::x(), &filter).is_err());
    assert!(world.cast_shape(&ball, &Pose::IDENTITY, &(Displacement::x() * f64::INFINITY), &filter).is_err());
    let ground = Shape::half_space(Vector3::y()).expect("a normal");
    assert!(world.cast_shape(&ground, &Pose::IDENTITY, &Displacement::x(), &filter).is_err());
    assert!(
        world.overlap(&ball, &lost, &filter).is_err() && world.closest(&ball, &lost, 1.0, &filter).is_err()
    );
    assert!(world.closest_point(&nan, 1.0, &filter).is_err() && world.contains_point(&nan, &filter).is_err());
}

/// A level height field at 2 m: from above, from below, and what moves over it.
#[test]
fn rays_and_shapes_meet_height_fields() {
    let mut world = World::new(WorldConfig::default()).expect("valid");
    let field = Shape::height_field(11, 11, &[2.0; 121], [1.0, 1.0]).expect("a field");
    let body = world.add_body(BodySpec::fixed().collider(ColliderSpec::new(field))).expect("valid");
    let filter = QueryFilter::default();
    for (from, normal) in [(7.0, Vector3::y()), (-3.0, -Vector3::y())] {
        let ray =
            Ray::new(Position::new(0.25, from, 0.3), Displacement::new(0.0, 2.0 - from, 0.0)).expect("valid");
        let found = world.cast_ray(&ray, 100.0, &filter).expect("valid").expect("the field");
        assert!(found.body == body && (found.hit.distance - 5.0).abs() < 1e-6 && found.hit.normal == normal);
    }
    let (ball, down) = (Shape::sphere(0.5).expect("a ball"), Displacement::new(0.0, -10.0, 0.0));
    let hit =
        world.cast_shape(&ball, &Pose::at(0.1, 5.5, 0.2), &down, &filter).expect("valid").expect("the field");
    assert!((hit.hit.fraction - 0.3).abs() < 1e-5, "{:?}", hit.hit);
    let overlaps = |y: f64| world.overlap(&ball, &Pose::at(0.1, y, 0.2), &filter).expect("valid").is_some();
    assert!(overlaps(2.4) && !overlaps(2.6));
}
