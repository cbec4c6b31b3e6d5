//! Bounces of a ball. Trusted: Newton's law of impact.

use crate::common::*;
use crate::{HZ, fast_awake};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Rotation, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape, WorldConfig};

/// Heights of the tops after bounces of a ball that is dropped from 1 m, m.
fn tops(restitution: f32, seconds: f64) -> Vec<f64> {
    let scene = Scene::on_ground().with(ball(0.1, 0.0, 1.1, 0.0)).surface(restitution, 0.5, 0.5);
    let mut run = scene.start(&fast_awake(), 1);
    let (mut tops, mut before, mut top) = (Vec::new(), 0.0_f32, 0.0_f64);
    for _ in 0..(seconds * f64::from(HZ)) as u32 {
        run.step(HZ);
        let up = run.linear(1).y;
        if before <= 0.0 && up > 1e-3 {
            top = 0.0;
        }
        top = top.max(run.place(1).y - 0.1);
        if before > 0.0 && up <= 0.0 {
            tops.push(top);
        }
        before = up;
    }
    tops
}

#[test]
fn half_the_speed_is_a_quarter_of_the_height() {
    let tops = tops(0.5, 1.5);
    println!("e = 0.5: tops at {tops:?} m");
    assert!((tops[0] / 0.25 - 1.0).abs() < 0.03, "{tops:?}");
}

#[test]
fn an_elastic_ball_gains_nothing() {
    let tops = tops(1.0, 11.0);
    println!("e = 1: tops at {tops:?} m");
    assert!(tops.len() >= 10, "{tops:?}");
    assert!(tops.iter().all(|&top| top < 1.01), "{tops:?}");
}

#[test]
fn a_ball_comes_to_rest() {
    let tops = tops(0.5, 5.0);
    assert!(tops.len() < 10, "{tops:?}");
    let scene = Scene::on_ground().with(ball(0.1, 0.0, 1.1, 0.0)).surface(0.5, 0.5, 0.5);
    let mut run = scene.start(&fast_awake(), 1);
    run.steps(HZ, 5.0, |_| ());
    assert!(run.linear(1).norm() < 1e-4, "{}", run.linear(1));
    assert!((run.place(1).y - 0.1).abs() < 1e-3, "{}", run.place(1));
}

/// A cube, 1 kg, turned by 30 degrees, that comes down on an edge with 2 m/s, e 0.5, and enough friction to stick: impulses of 0.5625 and 2.849279 N s,
/// by hand (B10 of the validation).
#[test]
fn a_blow_through_a_lever_is_solved_with_its_friction() {
    let edge = 0.1 * (30.0_f64.to_radians().sin() + 30.0_f64.to_radians().cos());
    let mut config = fast_awake();
    config.gravity = Vector3::zeros();
    let turned = Rotation::from_euler_angles(0.0, 0.0, 30.0_f32.to_radians());
    let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.1)).expect("positive"));
    let cube = BodySpec::dynamic()
        .pose(Pose::new(Position::new(0.0, edge, 0.0), turned))
        .collider(cube)
        .mass(MassProperties::aligned(1.0, Vector3::repeat(1.0 / 150.0)))
        .linear_velocity(Vector3::new(0.0, -2.0, 0.0));
    let scene = Scene::on_ground().with(cube).surface(0.5, 0.5, 0.5);
    let missed = |impact_sweeps: &str| {
        let mut config = config.clone();
        config.set_field("sub_step.impact_sweeps", impact_sweeps).expect("in range");
        let mut run = scene.start(&config, 1);
        run.step(HZ);
        let v = run.linear(1);
        (v.x.abs() - 0.5625).abs().max((v.y - 0.849_279).abs())
    };
    let (one, many) = (missed("1"), missed("16"));
    println!("one sweep misses by {one} m/s, 16 by {many}");
    assert!(many < 1e-4, "{many} m/s");
    assert!(one > 0.01, "one sweep is not enough: {one} m/s");
}

/// A contact that was foreseen from 0.9 m is told between the surfaces where they are after the step: one ball went most of the way, the other one a little.
#[test]
fn the_contact_of_two_balls_is_told_between_them_however_far_each_went() {
    let config = WorldConfig { gravity: Vector3::zeros(), ..fast_awake() };
    let coming = ball(0.5, 1.9, 0.0, 0.0).linear_velocity(Vector3::x() * -60.0);
    let mut run = Scene::default().with(ball(0.5, 0.0, 0.0, 0.0)).with(coming).start(&config, 1);
    run.step(HZ);
    assert!(run.way(0).x < -0.01 && run.way(1).x < -0.5, "they met: {} {}", run.way(0), run.way(1));
    let contact = run.world.contacts().next().expect("they touch");
    // Of equal balls it is in the middle of their centres.
    let middle = run.place(0) + (run.place(1) - run.place(0)) * 0.5;
    assert!((contact.point - middle).norm() < 1e-4, "told at {}, not at {middle}", contact.point);
}
