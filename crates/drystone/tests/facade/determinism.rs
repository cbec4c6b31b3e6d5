//! Equal input gives equal bits, at any number of threads and anywhere in the world (promise 3; S1-71, S1-72).
//! Trusted reference: another run of the same engine.

use crate::common::*;
use drystone::math::{Displacement, Pose, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape, WorldConfig};

/// Three heaps in one pen each, a tower that sleeps early, and a life of pushes, removals and additions: the
/// state hash after every step.
fn eventful(threads: usize) -> Vec<u64> {
    eventful_with(&WorldConfig::thesis_fast(), threads)
}

fn eventful_with(config: &WorldConfig, threads: usize) -> Vec<u64> {
    let mut scene = Scene::on_ground().with_all(pen(0.5)).with_all(tower(4, 3.0, 0.0));
    for (i, x) in [0.0, -4.0, -8.0].into_iter().enumerate() {
        scene = scene.with_all(heap(18, x, 0.0, i as u64));
    }
    let mut run = scene.start(config, threads);
    let first = run.bodies.len() - 54;
    let mut hashes = Vec::new();
    for step in 0..360 {
        match step {
            100 => {
                for i in (first..run.bodies.len()).step_by(7) {
                    run.world.remove_body(run.bodies[i]).expect("it exists");
                }
            }
            140 => {
                for body in heap(6, 0.05, 0.05, 9) {
                    run.world.add_body(body).expect("it is valid");
                }
            }
            200 => {
                let top = run.bodies[first - 1];
                run.world.add_impulse(top, Vector3::new(8.0, 0.0, 1.0), Vector3::zeros()).expect("finite");
            }
            _ => {}
        }
        run.step(FAST);
        hashes.push(run.world.state_hash());
    }
    hashes
}

#[test]
fn equal_worlds_take_equal_steps_at_any_number_of_threads() {
    let reference = eventful(1);
    for threads in [1, 2, 3, 4, 8] {
        let step = eventful(threads).iter().zip(&reference).position(|(a, b)| a != b);
        assert_eq!(step, None, "with {threads} threads the motion differs from this step on");
    }
}

/// The broad phase changes no bit, whatever its cells, and nor do its threads.
#[test]
fn with_the_uniform_grid_the_steps_are_the_same() {
    let reference = eventful(1);
    for (cell_size, threads) in [("none", 1), ("none", 2), ("0.07", 2)] {
        let mut config = WorldConfig::thesis_fast();
        config.set_field("detection.broad_phase", "uniform_grid").expect("it exists");
        config.set_field("detection.uniform_grid.cell_size", cell_size).expect("it is in range");
        let step = eventful_with(&config, threads).iter().zip(&reference).position(|(a, b)| a != b);
        assert_eq!(step, None, "{cell_size} and {threads} threads: the motion differs from this step on");
    }
}

#[test]
fn bodies_far_away_change_nothing_whenever_they_were_added() {
    let near = heap(16, 0.0, 0.0, 5);
    let alone = Scene::on_ground().with_all(near.clone());
    let mut beside = Scene::default().with_all(heap(5, 200.0, 0.0, 1)).with(ground());
    for (i, body) in near.iter().enumerate() {
        beside = beside.with(body.clone()).with(ball(0.05, -100.0, 0.05 + 0.1 * i as f64, 0.0));
    }
    let place_of = |i: usize| 6 + 2 * i;
    let (mut a, mut b) =
        (alone.start(&WorldConfig::thesis_fast(), 1), beside.start(&WorldConfig::thesis_fast(), 1));
    for step in 0..300 {
        a.step(FAST);
        b.step(FAST);
        for i in 0..near.len() {
            let state = |run: &Run, i: usize| {
                let body = run.world.body(run.bodies[i]).expect("it exists");
                (body.pose, body.linear_velocity, body.angular_velocity, body.is_asleep)
            };
            assert_eq!(state(&a, 1 + i), state(&b, place_of(i)), "body {i} at step {step}");
        }
    }
}

/// Ground, a ball that bounces, one that flies and a tower, all at an offset.
fn scene_at(offset: Displacement) -> Scene {
    let ground = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit normal"));
    let place = |x: f64, y: f64, z: f64| Pose::at(offset.x + x, offset.y + y, offset.z + z);
    let ball = |pose| {
        let shape = Shape::sphere(0.1).expect("a size in range");
        BodySpec::dynamic().pose(pose).collider(ColliderSpec::new(shape))
    };
    let boxes = (0..5).map(|i| {
        BodySpec::dynamic().pose(place(0.0, 0.05 + 0.1 * f64::from(i), 0.0)).collider(block(0.05, 0.05, 0.05))
    });
    Scene::default()
        .with(BodySpec::fixed().pose(place(0.0, 0.0, 0.0)).collider(ground))
        .with(ball(place(5.0, 0.6, 0.0)))
        .with(
            ball(place(-5.0, 50.0, 0.0))
                .linear_velocity(Vector3::new(1.0, 2.0, -3.0))
                .angular_velocity(Vector3::repeat(2.0)),
        )
        .with_all(boxes)
        .surface(0.7, 0.5, 0.5)
}

#[test]
fn ten_thousand_kilometres_from_the_origin_nothing_is_different() {
    let (steps, offset) = (480, Displacement::new(1.0e7, -1.0e7, 1.0e7));
    let mut near = scene_at(Displacement::zeros()).start(&awake(), 1);
    let mut far = scene_at(offset).start(&awake(), 1);
    // Between 2^23 m and 2^24 m doubles are 2^-29 m apart. Each step rounds a position by half of that, and
    // the position that it is compared with likewise when the offset is taken off.
    let spacing = 2.0_f64.powi(-29);
    let rounding = f64::from(steps) * spacing;
    for step in 1..=steps {
        near.step(FAST);
        far.step(FAST);
        let apart = |i: usize| (far.place(i) - offset - near.place(i)).abs().max();
        // A gap that rounding changes is closed at a speed that is off by as much per step, and the next step
        // makes good for it: a bounce is off by twice the spacing at most.
        assert!(apart(1) <= 2.0 * rounding, "bouncing, step {step}: {} m", apart(1));
        assert!(apart(2) <= rounding, "flying, step {step}: {} m", apart(2));
        assert_eq!(near.linear(2), far.linear(2), "flying, step {step}");
    }
    assert_eq!(near.angular(2), far.angular(2));
    // A tower is at rest at either place: it may creep at the resolution threshold, 0.002 g dt.
    let creep = 0.002 * G / f64::from(FAST) * f64::from(steps) / f64::from(FAST);
    for i in 3..8 {
        assert!(
            near.way(i).norm() < creep && far.way(i).norm() < creep,
            "{:?} {:?}",
            near.way(i),
            far.way(i)
        );
    }
}

#[test]
fn a_hash_tells_apart_what_differs_in_the_last_bit() {
    let start =
        |x: f64| Scene::on_ground().with(cube(0.1, x, 1.0, 0.0)).start(&awake(), 1).world.state_hash();
    assert_eq!(start(1.0), start(1.0));
    assert_ne!(start(1.0), start(1.0_f64.next_up()));
    let mut run = Scene::on_ground().start(&awake(), 1);
    let before = run.world.state_hash();
    run.step(FAST);
    assert_ne!(run.world.state_hash(), before, "the number of the step belongs to the state");
}
