//! Trigger volumes (S3-01 V, S3-16). Trusted reference for who is inside: the distance of the shapes' cores by GJK, where
//! detection saw them.

use crate::common::*;
use drystone::math::{Pose, Position, Real, Rotation, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderHandle, ColliderSpec, EventDetail, Shape, TriggerPhase, World, WorldConfig,
    WorldError,
};
use drystone_collision::narrow::gjk::{GjkSeed, Proximity, distance};
use proptest::prelude::*;
use std::collections::BTreeSet;

const HZ: Real = 60.0;

/// A box of this half edge, m, as a trigger.
fn zone(half: Real) -> ColliderSpec {
    block(half, half, half).trigger()
}

/// The only collider of a body.
fn collider(world: &World, body: BodyHandle) -> ColliderHandle {
    world.colliders_of(body).expect("it exists").next().expect("it has one")
}

/// What the last step told of triggers.
fn told(world: &World) -> Vec<(ColliderHandle, ColliderHandle, TriggerPhase)> {
    let trigger_event = |event: drystone::Event| match event.detail {
        EventDetail::Trigger(e) => Some((e.trigger, e.other, e.phase)),
        _ => None,
    };
    world.events().filter_map(trigger_event).collect()
}

/// Phases told in a second.
fn phases(run: &mut Run) -> Vec<TriggerPhase> {
    let mut phases = Vec::new();
    run.steps(HZ, 1.0, |world| phases.extend(told(world).into_iter().map(|(_, _, phase)| phase)));
    phases
}

#[test]
fn a_trigger_moves_nothing_and_weighs_nothing() {
    let solid = || Scene::on_ground().with_all(tower(3, 0.0, 0.0)).with(ball(0.1, 0.02, 0.8, 0.0));
    let mut with = solid();
    // On what falls, on what stands, and beside.
    for body in [1, 4] {
        with.bodies[body] = with.bodies[body].clone().collider(zone(0.3));
    }
    let (with, without) = (with.with(BodySpec::fixed().collider(zone(0.5))), solid());
    for (config, hz) in [(WorldConfig::fast(), HZ), (WorldConfig::thesis_fast(), FAST)] {
        let mut runs = [with.start(&config, 1), without.start(&config, 1)];
        for _ in 0..120 {
            runs.iter_mut().for_each(|run| {
                run.step(hz);
            });
            for body in 1..5 {
                let [a, b] = [0, 1].map(|k| runs[k].world.body(runs[k].bodies[body]).expect("it exists"));
                assert_eq!((a.pose, a.mass, a.radius, a.is_asleep), (b.pose, b.mass, b.radius, b.is_asleep));
            }
            let [a, b] = [0, 1].map(|k| runs[k].world.report());
            assert_eq!((a.contacts, a.islands, a.wakes, a.edges), (b.contacts, b.islands, b.wakes, b.edges));
        }
        assert!(
            runs[0].world.inside(collider(&runs[0].world, runs[0].bodies[5])).expect("a trigger").count() > 3
        );
    }
}

#[test]
fn a_body_of_triggers_alone_has_no_mass() {
    let mut world = World::new(WorldConfig::fast()).expect("valid");
    assert!(matches!(world.add_body(BodySpec::dynamic().collider(zone(0.5))), Err(WorldError::NoMass(_))));
    let solid = world.add_body(cube(0.1, 0.0, 0.0, 0.0)).expect("valid");
    let solid = collider(&world, solid);
    assert_eq!(world.inside(solid).err(), Some(WorldError::NotATrigger(solid)));
}

#[test]
fn every_kind_of_body_is_seen_by_triggers_on_every_kind_but_no_trigger_is() {
    let place = |body: BodySpec| body.collider(block(0.1, 0.1, 0.1)).gravity_scale(0.0);
    for owner in [BodySpec::fixed(), BodySpec::kinematic(), place(BodySpec::dynamic())] {
        let mut scene = Scene::default().with(owner.pose(Pose::at(0.0, 0.0, 0.0)).collider(zone(1.0)));
        for (k, kind) in
            [BodySpec::fixed(), BodySpec::kinematic(), BodySpec::dynamic()].into_iter().enumerate()
        {
            scene = scene.with(place(kind.pose(Pose::at(0.5, 0.3 * k as f64, 0.5))));
        }
        scene = scene.with(BodySpec::kinematic().collider(zone(1.0).filter(2, 2)));
        scene = scene.with(BodySpec::kinematic().collider(zone(1.0).filter(3, 3)));
        let mut run = scene.start(&WorldConfig::fast(), 1);
        run.step(HZ);
        let trigger = run.world.colliders_of(run.bodies[0]).expect("it exists");
        let trigger =
            trigger.into_iter().find(|&c| run.world.is_trigger(c).expect("it exists")).expect("one");
        let seen: Vec<_> = run.world.inside(trigger).expect("a trigger").collect();
        let expected: Vec<_> = (1..4).map(|k| collider(&run.world, run.bodies[k])).collect();
        assert_eq!(seen, expected);
        assert_eq!(
            run.world.inside(collider(&run.world, run.bodies[4])).expect("a trigger").count(),
            0,
            "filtered"
        );
        assert!(run.world.report().edges == 0);
    }
}

#[test]
fn a_sleeper_stays_inside_without_a_word() {
    let zone = BodySpec::fixed().collider(zone(0.5));
    let mut run =
        Scene::on_ground().with(cube(0.1, 0.0, 0.05, 0.0)).with(zone).start(&WorldConfig::fast(), 1);
    let trigger = collider(&run.world, run.bodies[2]);
    run.step(HZ);
    // The ground and the cube.
    assert_eq!(told(&run.world).len(), 2);
    for _ in 0..3 {
        run.until_asleep(HZ, &[1]);
        assert_eq!(phases(&mut run), []);
        assert_eq!(run.world.inside(trigger).expect("a trigger").count(), 2);
        run.world.wake(run.bodies[1]).expect("it exists");
    }
    // A trigger that comes to a sleeper and goes does not wake it.
    run.until_asleep(HZ, &[1]);
    for (x, phase) in [(2.0, TriggerPhase::Out), (0.5, TriggerPhase::In)] {
        run.world.set_pose(run.bodies[2], Pose::at(x, 0.0, 0.0)).expect("finite");
        run.step(HZ);
        let cube = collider(&run.world, run.bodies[1]);
        assert_eq!(told(&run.world), [(trigger, cube, phase)]);
        assert!(run.is_asleep(1));
    }
}

/// One thing is done to a trigger with a cube inside; whatever it is, the cube goes out once.
#[test]
fn whatever_parts_a_trigger_from_what_is_inside_tells_so_once() {
    type Act = fn(&mut Run, ColliderHandle, ColliderHandle);
    let acts: [(&str, Act); 6] = [
        ("the cube is removed", |run, _, _| run.world.remove_body(run.bodies[0]).expect("it exists")),
        ("the trigger is removed", |run, _, _| run.world.remove_body(run.bodies[1]).expect("it exists")),
        ("the cube's filter", |run, cube, _| run.world.set_filter(cube, 2, 2).expect("it exists")),
        ("the trigger's filter", |run, _, trigger| run.world.set_filter(trigger, 1, 0).expect("it exists")),
        ("the cube is moved", |run, _, _| {
            run.world.set_pose(run.bodies[0], Pose::at(0.0, 3.0, 0.0)).expect("finite");
        }),
        ("the trigger is moved", |run, _, _| {
            run.world.set_pose(run.bodies[1], Pose::at(0.0, 3.0, 0.0)).expect("finite");
        }),
    ];
    for is_asleep in [false, true] {
        for (name, act) in acts {
            let floating = cube(0.1, 0.0, 0.0, 0.0).gravity_scale(0.0).asleep(is_asleep);
            let mut run = Scene::default()
                .with(floating)
                .with(BodySpec::fixed().collider(zone(0.5)))
                .start(&WorldConfig::fast(), 1);
            let [cube, trigger] = [0, 1].map(|k| collider(&run.world, run.bodies[k]));
            assert_eq!(phases(&mut run), [TriggerPhase::In], "{name}");
            act(&mut run, cube, trigger);
            if name.contains("filter") {
                assert_eq!(run.world.inside(trigger).expect("a trigger").next(), None, "{name}");
            }
            assert_eq!(phases(&mut run), [TriggerPhase::Out], "{name}");
            if let Ok(mut inside) = run.world.inside(trigger) {
                assert_eq!(inside.next(), None, "{name}");
            }
        }
    }
}

#[test]
fn what_is_removed_and_comes_anew_goes_out_before_it_comes_in() {
    let mut run = Scene::default()
        .with(cube(0.1, 0.0, 0.0, 0.0).gravity_scale(0.0))
        .with(BodySpec::fixed().collider(zone(0.5)))
        .start(&WorldConfig::fast(), 1);
    run.step(HZ);
    run.world.remove_body(run.bodies[0]).expect("it exists");
    run.world.add_body(cube(0.1, 0.0, 0.0, 0.0)).expect("valid");
    assert_eq!(phases(&mut run)[..2], [TriggerPhase::Out, TriggerPhase::In]);
}

#[test]
fn a_kinematic_body_that_is_stopped_is_seen_where_it_stopped() {
    let mover = BodySpec::kinematic().pose(Pose::at(-1.0, 0.0, 0.0)).collider(block(0.1, 0.1, 0.1));
    let mut run = Scene::default()
        .with(mover)
        .with(BodySpec::fixed().collider(zone(0.5)))
        .start(&WorldConfig::fast(), 1);
    // One step carries it in, and it stops there.
    run.world.set_velocity(run.bodies[0], Vector3::x() * 60.0, Vector3::zeros()).expect("finite");
    run.step(HZ);
    run.world.set_velocity(run.bodies[0], Vector3::zeros(), Vector3::zeros()).expect("finite");
    assert!(run.place(0).coords.norm() < 1e-6);
    assert_eq!(phases(&mut run), [TriggerPhase::In]);
}

/// A shape of one of four kinds, about 0.2 m large.
fn shape(kind: usize, size: Real) -> Shape {
    let corners = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.2], [0.0, 1.0, 0.0], [0.0, -0.6, 0.0], [0.0, 0.0, 1.0]];
    let made = match kind {
        0 => Shape::sphere(size),
        1 => Shape::cuboid(Vector3::new(size, 0.7 * size, 1.2 * size)),
        2 => Shape::capsule(size, 0.6 * size),
        _ => Shape::hull(&corners.map(|c| Vector3::from(c) * (1.5 * size))),
    };
    made.expect("a size in range")
}

/// How far two shapes are apart, m; negative where they overlap.
fn apart(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Real {
    let pose = a.1.relative(b.1);
    let ([(core_a, round_a), (core_b, round_b)], seed) =
        ([a.0, b.0].map(|shape| shape.core().expect("bounded")), &mut GjkSeed::default());
    match distance(&core_a, &core_b, &pose, Real::INFINITY, seed) {
        Proximity::Separated(closest) => closest.distance - round_a - round_b,
        Proximity::Overlap { .. } => -1.0,
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Shapes of all kinds fly through each other and through triggers that fly and turn as well: in every step those are
    /// inside whose shapes overlap, and events are the difference to the step before.
    #[test]
    fn inside_is_what_overlaps(seed: u64, asleep: bool) {
        let mut random = Random::new(seed);
        let mut scene = Scene::default();
        for k in 0..14 {
            let mut at = || random.between(-0.6, 0.6);
            let place = Position::new(at(), at(), at());
            let turn = Rotation::from_euler_angles(at() as Real * 5.0, at() as Real * 5.0, 0.0);
            let (linear, angular) = ([at(), at(), at()], [at(), at(), at()]);
            let spec = ColliderSpec::new(shape(k % 4, random.between(0.08, 0.25) as Real));
            let is_asleep = asleep && k % 3 == 0;
            let factor = if is_asleep { 0.0 } else { 2.0 };
            let (linear, angular) = (linear.map(|v| v as Real * factor), angular.map(|v| v as Real * factor));
            let body = if k < 6 { BodySpec::kinematic() } else { BodySpec::dynamic().gravity_scale(0.0).asleep(is_asleep) };
            // Solids meet triggers alone, so that they fly on.
            let spec = if k < 6 { spec.trigger() } else { spec.filter(2, 1) };
            let linear = Vector3::from(linear);
            scene = scene.with(body.pose(Pose::new(place, turn)).linear_velocity(linear).angular_velocity(Vector3::from(angular)).collider(spec));
        }
        let mut run = scene.start(&WorldConfig::fast(), 1);
        let colliders: Vec<_> = run.bodies.iter().map(|&b| collider(&run.world, b)).collect();
        let mut open = BTreeSet::new();
        for _ in 0..40 {
            // The method moves bodies after it has looked.
            let poses: Vec<_> = run.bodies.iter().map(|&b| run.world.pose(b).expect("it exists")).collect();
            run.step(HZ);
            for (trigger, other, phase) in told(&run.world) {
                let is_new = match phase {
                    TriggerPhase::In => open.insert((trigger, other)),
                    TriggerPhase::Out => open.remove(&(trigger, other)),
                };
                prop_assert!(is_new, "told twice: {phase:?}");
            }
            for i in 0..6 {
                let inside: BTreeSet<_> = run.world.inside(colliders[i]).expect("a trigger").collect();
                for j in 6..14 {
                    let shapes = [i, j].map(|k| run.world.shape(colliders[k]).expect("it exists"));
                    let gap = apart((shapes[0], &poses[i]), (shapes[1], &poses[j]));
                    let is_inside = inside.contains(&colliders[j]);
                    prop_assert_eq!(open.contains(&(colliders[i], colliders[j])), is_inside);
                    // 1e-5 m: rounding of both methods for shapes of this size.
                    prop_assert!(gap.abs() < 1e-5 || is_inside == (gap < 0.0), "{:?} {:?}: {} m", shapes[0], shapes[1], gap);
                }
            }
        }
    }
}
