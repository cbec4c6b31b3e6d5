//! Surfaces that run over their bodies, and rolling friction. Trusted: Coulomb's law and Newton's laws.

use crate::common::{G, RADIUS, Rig, surface};
use crate::scene::*;
use drystone_contact::{BodyIndex, EdgeIndex, PairMaterial};
use drystone_math::{Real, Vector3};
use drystone_resolution::SubStepSolver;

/// A ball on a level plane; its contact stays below its centre.
fn ball_on_plane(rolling_friction: Real) -> (Rig, BodyIndex, EdgeIndex) {
    let mut rig = rig();
    let floor = rig.fixed();
    let ball = rig.ball(2.0, Vector3::new(0.0, RADIUS, 0.0), Vector3::zeros());
    let material = PairMaterial { rolling_friction, ..surface(0.0, 0.5) };
    let edge = rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, material);
    (rig, ball, edge)
}

/// Rolls along +x.
fn roll(rig: &mut Rig, ball: BodyIndex, speed: Real) {
    rig.set_linear(ball, Vector3::x() * speed);
    rig.bodies.view_mut().hot[ball.get()].angular = Vector3::z() * (-speed / RADIUS);
}

/// `(5/7) g c / R`: the torque `c m g` against the moment of inertia about the contact, `7/5 m R²`.
#[test]
fn a_rolling_ball_slows_down_by_its_coefficient_over_its_radius() {
    for coefficient in [1e-3, 1e-2] {
        let (mut rig, ball, _) = ball_on_plane(coefficient);
        roll(&mut rig, ball, 1.0);
        let mut method = method();
        let slow_down = 5.0 / 7.0 * G * coefficient / RADIUS;
        let steps = (0.5 / (slow_down * rig.step.dt)) as usize;
        for k in 1..=steps.min(60) {
            step(&mut rig, &mut method);
            let expected = 1.0 - slow_down * rig.step.dt * k as Real;
            let (v, w) = (rig.linear(ball).x, rig.angular(ball).z);
            // The first friction has no impulse to begin with; two sweeps leave a share of it.
            assert!((v - expected).abs() < 2e-4, "{coefficient} m, step {k}: {v} m/s, {expected} expected");
            assert!((v + w * RADIUS).abs() < 1e-3, "step {k}: it slips by {} m/s", v + w * RADIUS);
        }
    }
}

/// Without rolling friction it rolls on.
#[test]
fn a_ball_rolls_on_without_rolling_friction() {
    let (mut rig, ball, edge) = ball_on_plane(0.0);
    roll(&mut rig, ball, 1.0);
    let mut method = method();
    (0..60).for_each(|_| _ = step(&mut rig, &mut method));
    assert!((rig.linear(ball).x - 1.0).abs() < 1e-5, "{}", rig.linear(ball));
    assert_eq!(rig.graph.edge(edge).manifold.rolling_impulse, Vector3::zeros());
}

/// The torque that holds a ball on a slope is `m g R sin a`, at most `c m g cos a`.
#[test]
fn a_ball_stays_on_a_slope_below_the_coefficient_over_the_radius() {
    for (share, stays) in [(0.9, true), (1.1, false)] {
        let (mut rig, ball, _) = ball_on_plane(0.02);
        let angle = (share * 0.02 / RADIUS).atan();
        rig.step.acceleration = Vector3::new(angle.sin(), -angle.cos(), 0.0) * G;
        let mut method = method();
        (0..120).for_each(|_| _ = step(&mut rig, &mut method));
        let expected =
            if stays { 0.0 } else { 5.0 / 7.0 * G * (angle.sin() - 0.02 / RADIUS * angle.cos()) * 2.0 };
        let v = rig.linear(ball).x;
        assert!((v - expected).abs() < 1e-3 + 0.01 * expected, "{share}: {v} m/s, {expected} expected");
    }
}

/// `v = mu g t` up to the speed of the belt, and that from then on; seen from the belt, the box is one that slides to a
/// stop.
#[test]
fn a_belt_takes_a_box_to_its_speed_and_no_further() {
    let mut rigs = [rig(), rig()];
    let [on_belt, on_floor] = &mut rigs;
    let (cubes, edges) = tower(on_belt, 1, surface(0.0, 0.3));
    // A is the floor: its surface runs along +x.
    on_belt.graph.edges_mut()[edges[0].get()].manifold.surface_velocity = Vector3::x() * -2.0;
    tower(on_floor, 1, surface(0.0, 0.3));
    on_floor.set_linear(cubes[0], Vector3::x() * -2.0);
    let mut methods = [method(), method()];
    for k in 1..=90 {
        rigs.iter_mut().zip(&mut methods).for_each(|(rig, method)| _ = step(rig, method));
        let [v, seen] = [0, 1].map(|i: usize| rigs[i].linear(cubes[0]) + Vector3::x() * (2.0 * i as Real));
        assert!((v - seen).norm() < 1e-5, "step {k}: {v}, and {seen} seen from the belt");
        let expected = (0.3 * G * rigs[0].step.dt * k as Real).min(2.0);
        // Where friction ends, the tilt that it asked of the normal impulses ends with it.
        assert!((v.x - expected).abs() < 5e-3, "step {k}: {} m/s, {expected} expected", v.x);
    }
    assert!((rigs[0].linear(cubes[0]) - Vector3::x() * 2.0).norm() < 1e-5, "{}", rigs[0].linear(cubes[0]));
}

/// The direct solve of columns knows of belts: a tower that is at rest on one goes along with it.
#[test]
fn a_tower_goes_along_with_its_belt() {
    let mut rig = rig();
    let (cubes, edges) = tower(&mut rig, 8, surface(0.0, 0.5));
    rig.graph.edges_mut()[edges[0].get()].manifold.surface_velocity = Vector3::x() * -0.02;
    let mut method: SubStepSolver = method();
    for _ in 0..60 {
        step(&mut rig, &mut method);
    }
    for &cube in &cubes {
        let off = rig.linear(cube) - Vector3::x() * 0.02;
        assert!(off.norm() < 1e-4, "{cube:?} moves with {}", rig.linear(cube));
    }
}

/// What is on no belt is looked at for energy though another island is driven: each island is judged by itself.
#[test]
fn bodies_on_a_belt_gain_energy() {
    let mut rig = rig();
    let (cubes, edges) = tower(&mut rig, 2, surface(0.0, 0.5));
    rig.graph.edges_mut()[edges[0].get()].manifold.surface_velocity = Vector3::x() * -3.0;
    let mut method = method();
    for _ in 0..30 {
        let report = step(&mut rig, &mut method);
        assert_eq!(report.energy_scaled, 0);
    }
    // Two cubes of 1 kg at 0.5 g for half a second.
    let expected = 0.5 * G * 0.5;
    assert!((rig.linear(cubes[0]).x - expected).abs() < 0.02 * expected, "{}", rig.linear(cubes[0]));
}
