//! Response alone: a collision detection of five lines (all pairs of balls), with our contact graph and solver behind it.
//! `cargo run -p drystone-resolution --example own_detection`

use drystone_contact::{
    Batches, Bodies, BodyDesc, BodyIndex, ColliderHandle, ContactError, ContactGraph, ContactPoint, Manifold,
    PairMaterial, StepParams,
};
use drystone_exec::Exec;
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Real, Vector3, narrow};
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver};

const RADIUS: Real = 0.5;
/// Contacts are found this early, m: what closes within the step must be known before.
const MARGIN: Real = 0.05;

/// Gap and normal of two balls; body 0 is the floor at height 0.
fn gap(bodies: &Bodies, [a, b]: [BodyIndex; 2]) -> (Vector3, Real) {
    let at = |body| bodies.center_pose(body).translation;
    if !bodies.hot(a).is_dynamic() {
        return (Vector3::y(), at(b).y as Real - RADIUS);
    }
    let apart = narrow(&(at(b) - at(a)));
    (apart.normalize(), apart.norm() - 2.0 * RADIUS)
}

/// All contacts nearer than the margin, as a graph.
fn detect(bodies: &Bodies, all: &[BodyIndex]) -> Result<ContactGraph, ContactError> {
    let mut graph = ContactGraph::default();
    all.iter().for_each(|&body| graph.add_body(bodies, body));
    let material = PairMaterial { restitution: 0.3, ..PairMaterial::default() };
    for (j, &b) in all.iter().enumerate() {
        for &a in &all[..j] {
            let (normal, distance) = gap(bodies, [a, b]);
            if distance < MARGIN {
                let colliders = [a, b].map(|body| ColliderHandle { index: body.0, generation: 1 });
                let edge = graph.add_edge(colliders, bodies, [a, b], material)?;
                let mut manifold = Manifold::new(a, b, material);
                manifold.normal = normal;
                let arm_b = -normal * (RADIUS + 0.5 * distance);
                let floor = Vector3::new(0.0, -bodies.center_pose(b).translation.y as Real, 0.0);
                // The floor's centre may be anywhere: it does not turn.
                let arm_a = if bodies.hot(a).is_dynamic() { -arm_b } else { floor };
                manifold.push(ContactPoint { arm_a, arm_b, distance, ..ContactPoint::default() });
                graph.set_manifold(bodies, edge, &manifold);
            }
        }
    }
    graph.update_islands();
    Ok(graph)
}

fn main() -> Result<(), ContactError> {
    let mut bodies = Bodies::default();
    let floor = bodies.add(&BodyDesc::fixed())?;
    let mut all = vec![bodies.index(floor)?];
    // A ball falls onto two that lie side by side, a little off the middle.
    for (x, y) in [(-0.5, 0.5), (0.5, 0.5), (0.02, 3.0)] {
        let ball = BodyDesc::dynamic(MassProperties::sphere(RADIUS, 1000.0), RADIUS).at(Pose::at(x, y, 0.0));
        let handle = bodies.add(&ball)?;
        all.push(bodies.index(handle)?);
    }
    let (mut method, mut batches, exec) =
        (ImpulseSolver::new(ImpulseConfig::default()), Batches::default(), Exec::serial());
    let acceleration = Vector3::new(0.0, -9.81, 0.0);
    let mut graph = detect(&bodies, &all)?;
    for index in 0..480 {
        let step = StepParams {
            dt: 1.0 / 240.0,
            acceleration,
            force: Vector3::zeros(),
            reference_acceleration: 9.81,
            index,
            may_sleep: false,
        };
        // Bodies move, contacts are found where they are then, and impulses make velocities fit them.
        method.begin(&mut bodies, &graph, &step, &exec);
        graph = detect(&bodies, &all)?;
        batches.rebuild(&bodies, &graph, Batches::DEFAULT_SMALL_CUT);
        let report = method.solve(&mut bodies, &mut graph, &batches, &step, &exec);
        if index % 60 == 59 {
            let heights: Vec<_> =
                all[1..].iter().map(|&ball| bodies.center_pose(ball).translation.y).collect();
            println!(
                "{:.2} s: heights {heights:.3?} m, {} contacts",
                (index + 1) as f64 / 240.0,
                report.points
            );
        }
    }
    for &ball in &all[1..] {
        let at = bodies.center_pose(ball).translation;
        assert!(at.y > 0.49, "no ball is in the floor: {at:?}");
    }
    let lowest = all[1..].iter().map(|&b| bodies.center_pose(b).translation.y).fold(0.0, f64::max);
    assert!(lowest < 0.55, "the third ball has come down between the others");
    Ok(())
}
