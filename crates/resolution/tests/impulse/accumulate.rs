//! Impulses as totals that begin with last step's and may be lowered (beyond S1).

use crate::common::{DT, EPS, G, G_DT, RADIUS, Rig, column, strict, surface};
use drystone_contact::{BodyIndex, EdgeIndex, PairMaterial};
use drystone_exec::Exec;
use drystone_math::{Real, Vector3};
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver};

/// Totals, and nothing else that is beyond S1.
fn totals() -> ImpulseConfig {
    ImpulseConfig { accumulate: true, ..strict() }
}

/// A ball on a floor with this velocity and this total to begin with, under gravity.
fn ball(linear: Vector3, resting: Real, material: PairMaterial) -> (Rig, BodyIndex, EdgeIndex) {
    let mut rig = Rig::with_gravity();
    let floor = rig.fixed();
    let ball = rig.ball(1.0, Vector3::new(0.0, RADIUS, 0.0), linear);
    let edge = rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, material);
    rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0].warm_start_impulse = Vector3::y() * resting;
    (rig, ball, edge)
}

fn resting(rig: &Rig, edge: EdgeIndex) -> Vector3 {
    rig.graph.edge(edge).manifold.points()[0].warm_start_impulse
}

/// C1: a column at rest. A step begins with what the one before found, so nine steps after the first cost less than
/// a tenth of nine steps of S1; and each contact carries what lies above it.
#[test]
fn a_resting_column_is_nearly_solved_from_its_second_step_on() {
    let count = 12;
    let run = |config: &ImpulseConfig| {
        let mut rig = Rig::with_gravity();
        column(&mut rig, count, surface(0.25, 0.3));
        let mut method = ImpulseSolver::new(config.clone());
        let mut later = 0;
        for step in 0..10 {
            let report = rig.advance_with(&mut method, &Exec::serial());
            assert!(report.is_solved(), "{report:?}");
            later += if step > 0 { report.iterations } else { 0 };
        }
        (rig, later)
    };
    let ((rig, later), (_, of_s1)) = (run(&totals()), run(&strict()));
    assert!(10 * later < of_s1, "{later} against {of_s1} iterations");
    for (k, edge) in rig.graph.edge_indices().enumerate() {
        let above = (count - k) as Real * G_DT;
        // Every ball above may change its velocity within the threshold on both of its sides.
        let tolerance = 4.0 * (count - k) as Real * totals().resolution_threshold * G_DT;
        let found = rig.impulse(edge).y;
        assert!((found - above).abs() <= tolerance, "{found} N s for {above} at {k}");
    }
}

/// What last step gave too much is taken back, down to nothing: a contact never throws, and never pulls.
#[test]
fn a_total_that_is_too_large_is_taken_back() {
    for factor in [0.0, 0.5, 1.0, 3.0] {
        let (mut rig, ball, edge) = ball(Vector3::zeros(), factor * G_DT, surface(0.5, 0.3));
        rig.bodies.view_mut().hot[ball.get()].linear.y = -G_DT;
        rig.step.acceleration = Vector3::zeros();
        let report = rig.advance(&totals());
        assert!(report.is_solved());
        assert!(rig.linear(ball).y.abs() <= totals().resolution_threshold * G_DT, "{}", rig.linear(ball));
        assert!((rig.impulse(edge).y - G_DT).abs() <= 4.0 * EPS + totals().resolution_threshold * G_DT);
    }
    let (mut rig, ball, edge) = ball(Vector3::new(0.0, 0.5, 0.0), 1.0, surface(0.5, 0.3));
    rig.advance(&totals());
    assert_eq!(rig.impulse(edge), Vector3::zeros(), "what leaves is not pushed");
    assert!((rig.linear(ball).y - (0.5 - G * DT)).abs() <= 8.0 * EPS, "nor held back: {}", rig.linear(ball));
}

/// A blow bounces as in S1, is reported, and is not where the next step begins.
#[test]
fn a_blow_bounces_and_is_not_repeated() {
    let (mut rig, ball, edge) = ball(Vector3::new(0.0, -2.0, 0.0), 0.0, surface(0.5, 0.0));
    rig.step.acceleration = Vector3::zeros();
    rig.advance(&totals());
    assert!(
        (rig.linear(ball).y - 1.0).abs() <= 16.0 * EPS && (rig.impulse(edge).y - 3.0).abs() <= 16.0 * EPS
    );
    assert_eq!(resting(&rig, edge), Vector3::zeros());
}

/// Promise 6 with totals: what a ball got is its momentum's change.
#[test]
fn reported_impulses_are_the_change_of_momentum() {
    let mut rig = Rig::with_gravity();
    let balls = column(&mut rig, 6, surface(0.25, 0.3));
    let config = ImpulseConfig { accumulate: true, ..ImpulseConfig::accurate() };
    let mut method = ImpulseSolver::new(config);
    for _ in 0..3 {
        method.begin(&mut rig.bodies, &rig.graph, &rig.step, &Exec::serial());
        let before: Vec<Vector3> = balls.iter().map(|&b| rig.linear(b)).collect();
        rig.advance_with(&mut method, &Exec::serial());
        for (k, &ball) in balls.iter().enumerate() {
            let mut sum = -Vector3::y() * G_DT;
            for edge in rig.graph.edge_indices() {
                let manifold = &rig.graph.edge(edge).manifold;
                let sign = f32::from(u8::from(manifold.body_b == ball))
                    - f32::from(u8::from(manifold.body_a == ball));
                sum += manifold.impulse() * sign;
            }
            let off = (rig.linear(ball) - before[k] - sum).norm();
            // Some hundred rounded additions of impulses of at most the column's weight.
            assert!(off <= 100.0 * EPS * 6.0 * G_DT, "{off}");
        }
    }
}
