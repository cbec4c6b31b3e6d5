//! Nothing falls through: fast bodies, bodies that begin sunk in, bodies in valleys that touch in several directions; and the rest
//! of what a pair of several manifolds has to keep: events, sleep, removal, equal bits.

use super::grounds::{Cut, fixed, flat_field, flat_mesh};
use crate::common::*;
use drystone::math::{Pose, Real, Rotation, Vector3};
use drystone::{BodySpec, ColliderSpec, PairMaterial, Shape, TouchPhase, WorldConfig, WorldError};

/// A bowl of hills, a height field of 20 m by 20 m in cells of 0.5 m.
fn hills() -> BodySpec {
    let heights: Vec<Real> = (0..41 * 41)
        .map(|k| {
            let (x, z) = ((k % 41) as Real * 0.5, (k / 41) as Real * 0.5);
            let away = (x - 10.0) * (x - 10.0) + (z - 10.0) * (z - 10.0);
            0.03 * away + 0.5 * (x * 0.9).sin() * (z * 0.7).cos() + 0.2 * (2.1 * x + 1.3 * z).sin()
        })
        .collect();
    fixed(Shape::height_field(41, 41, &heights, [0.5, 0.5]).expect("a field"))
}

/// Boxes, balls, capsules and hulls above the hills.
fn rain(count: usize) -> Vec<BodySpec> {
    let mut random = Random::new(11);
    (0..count)
        .map(|i| {
            let shape = match i % 4 {
                0 => Shape::sphere(0.25),
                1 => Shape::cuboid(Vector3::new(0.3, 0.2, 0.25)),
                2 => Shape::capsule(0.25, 0.15),
                _ => Shape::hull(
                    &(0..12)
                        .map(|_| Vector3::from_fn(|_, _| random.between(-0.3, 0.3) as Real))
                        .collect::<Vec<_>>(),
                ),
            };
            let (x, z) = (random.between(-4.0, 4.0), random.between(-4.0, 4.0));
            let turn = Vector3::from_fn(|_, _| random.between(-3.0, 3.0) as Real);
            let pose = Pose::new([x, 1.5 + 0.2 * i as f64, z].into(), Rotation::from_scaled_axis(turn));
            BodySpec::dynamic().pose(pose).collider(ColliderSpec::new(shape.expect("a solid")))
        })
        .collect()
}

#[test]
fn what_moves_cannot_be_a_surface() {
    let mut world = drystone::World::new(WorldConfig::fast()).expect("valid");
    let mesh = Shape::height_field(2, 2, &[0.0; 4], [1.0, 1.0]).expect("a field");
    let refused = world.add_body(BodySpec::dynamic().collider(ColliderSpec::new(mesh))).expect_err("refused");
    assert!(matches!(&refused, WorldError::NoMass(what) if what == "HeightField"), "{refused}");
}

/// Dropped on hills, all come to rest on them, at any number of threads with the same bits.
#[test]
fn rain_on_hills_comes_to_rest_on_them() {
    // Without rolling friction balls would roll on for long.
    let pair = PairMaterial { rolling_friction: 0.03, ..PairMaterial::default() };
    let scene = Scene { pair: Some(pair), ..Scene::default().with(hills()).with_all(rain(60)) };
    let config = WorldConfig::fast();
    let one = settle_on(&scene, &config, 60.0, 12.0, 1);
    let mut run = scene.start(&config, 3);
    let mut several = 0;
    for (step, hash) in one.hashes.iter().enumerate() {
        run.step(60.0);
        assert_eq!(run.world.state_hash(), *hash, "step {step} differs with three threads");
        let normals: Vec<_> = run.world.contacts().map(|c| (c.colliders, c.normal)).collect();
        several += normals.windows(2).filter(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1).count();
    }
    assert!(several > 100, "pairs touch in several directions: {several}");
    let mut asleep = 0;
    for body in 1..run.bodies.len() {
        assert!(run.place(body).y > -1.0, "{body} fell through: {:?}", run.place(body));
        // A ball may go on spinning where it lies: nothing in a point of contact stops it.
        assert!(run.linear(body).norm() < 0.05, "{body} is not at rest: {:?}", run.linear(body));
        asleep += u32::from(run.is_asleep(body));
    }
    assert!(asleep >= 50, "{asleep} of 60 sleep");
    assert!(one.worst_overlap < 0.05, "{} m", one.worst_overlap);
}

/// Every begin of a touch has one end, also when a pair has several manifolds.
#[test]
fn touches_on_hills_begin_and_end_once() {
    let scene = Scene::default().with(hills()).with_all(rain(40));
    let mut run = scene.start(&telling(WorldConfig::fast(), false), 1);
    let mut touching = std::collections::BTreeSet::new();
    for step in 0..400 {
        if step == 300 {
            for body in (1..run.bodies.len()).step_by(3) {
                run.world.remove_body(run.bodies[body]).expect("it exists");
            }
        }
        run.step(60.0);
        for touch in touches(&run.world) {
            let is_news = match touch.phase {
                TouchPhase::Begin => touching.insert(touch.colliders),
                TouchPhase::End => touching.remove(&touch.colliders),
                TouchPhase::Persist => true,
            };
            assert!(is_news, "step {step}: {touch:?}");
        }
    }
    assert!(touching.len() >= 20, "{}", touching.len());
}

/// Fast bodies stop at a surface without thickness.
#[test]
fn fast_bodies_do_not_fall_through() {
    for ground in [flat_mesh(Cut::Plain), flat_field()] {
        for (k, speed) in [20.0, 60.0, 200.0, 500.0].into_iter().enumerate() {
            let shapes = [block(0.2, 0.05, 0.2), ColliderSpec::new(Shape::sphere(0.1).expect("a ball"))];
            for shape in shapes {
                let at = Pose::at(5.3 + k as f64, 1.0 + 0.137 * k as f64, 0.2);
                let body = BodySpec::dynamic()
                    .pose(at)
                    .linear_velocity(Vector3::new(0.0, -speed, 0.0))
                    .collider(shape);
                let mut config = WorldConfig::fast();
                config.sleeping.enabled = false;
                let mut run =
                    Scene::default().with(ground.clone()).with(body).surface(0.0, 0.3, 0.3).start(&config, 1);
                run.steps(60.0, 1.0, |_| {});
                assert!(run.place(1).y > 0.0, "{speed} m/s: {:?}", run.place(1));
            }
        }
    }
}

/// What begins with its centre below the surface is pushed out on the front.
#[test]
fn what_has_sunk_in_comes_out_in_front() {
    for preset in [WorldConfig::fast(), WorldConfig::thesis_fast()] {
        let hz = if preset == WorldConfig::fast() { 60.0 } else { FAST };
        for shape in [block(0.2, 0.1, 0.2), ColliderSpec::new(Shape::sphere(0.2).expect("a ball"))] {
            let body = BodySpec::dynamic().pose(Pose::at(5.3, -0.05, 0.2)).collider(shape);
            let mut run = Scene::default().with(flat_mesh(Cut::Plain)).with(body).start(&preset, 1);
            run.steps(hz, 3.0, |_| {});
            assert!(run.place(1).y > 0.09, "{:?}", run.place(1));
        }
    }
}

/// A kinematic mesh carries what lies on it.
#[test]
fn a_kinematic_mesh_carries_what_lies_on_it() {
    let floor: Vec<_> = [[-2.0, 0.0, -2.0], [-2.0, 0.0, 2.0], [2.0, 0.0, 2.0], [2.0, 0.0, -2.0]]
        .into_iter()
        .map(Vector3::from)
        .collect();
    let mesh = Shape::mesh(&floor, &[[0, 1, 2], [0, 2, 3]]).expect("a mesh");
    let lift =
        BodySpec::kinematic().linear_velocity(Vector3::new(0.3, 0.5, 0.0)).collider(ColliderSpec::new(mesh));
    let scene = Scene::default().with(lift).with(cube(0.4, 0.1, 0.2, 0.0)).surface(0.0, 0.8, 0.8);
    let mut run = scene.start(&WorldConfig::fast(), 1);
    run.steps(60.0, 3.0, |_| {});
    let (way, carried) = (run.way(0), run.way(1));
    assert!((way - carried).norm() < 0.03, "{way:?} {carried:?}");
}
