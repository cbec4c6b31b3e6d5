//! A contact order of one's own: `impulse` asks it which contact comes next. Here the contacts take turns, whatever their closing
//! speeds, and a counter tells what that costs beside S1's order. `cargo run -p drystone-resolution --example custom_order`

use drystone_contact::{
    Batches, Bodies, BodyDesc, ColliderHandle, ContactError, ContactGraph, ContactPoint, Manifold,
    PairMaterial, StepParams,
};
use drystone_exec::Exec;
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Real, Vector3};
use drystone_resolution::impulse::ContactOrder;
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver};
use std::ops::Range;

/// The next contact above the threshold after the last one, round and round.
#[derive(Clone, Debug, Default)]
struct RoundRobin {
    members: Range<usize>,
    threshold: Real,
    last: usize,
}

impl ContactOrder for RoundRobin {
    fn begin(&mut self, _excess: &[Real], members: Range<usize>, threshold: Real) {
        (self.last, self.threshold, self.members) = (members.start, threshold, members);
    }

    fn next(&mut self, excess: &[Real]) -> Option<usize> {
        let (before, after) = (self.members.start..self.last, self.last..self.members.end);
        let found = after.chain(before).find(|&contact| excess[contact] > self.threshold)?;
        self.last = found + 1;
        Some(found)
    }

    fn changed(&mut self, _contact: usize, _excess: &[Real]) {}

    fn reserve(&mut self, _contacts: usize) {}
}

/// A row of balls on a floor, pressed together from both ends; returns the single-contact resolutions of a step.
fn press(method: &mut dyn Solver) -> Result<u64, ContactError> {
    const COUNT: u32 = 12;
    let (mut bodies, mut graph) = (Bodies::default(), ContactGraph::default());
    let mut row = Vec::new();
    for k in 0..COUNT {
        let ball =
            BodyDesc::dynamic(MassProperties::sphere(0.5, 1000.0), 0.5).at(Pose::at(f64::from(k), 0.5, 0.0));
        let speed = if k == 0 {
            2.0
        } else if k == COUNT - 1 {
            -1.0
        } else {
            0.0
        };
        let handle = bodies.add(&BodyDesc { linear: Vector3::x() * speed, ..ball })?;
        row.push(bodies.index(handle)?);
        graph.add_body(&bodies, row[row.len() - 1]);
    }
    for pair in row.windows(2) {
        let colliders = [0, 1].map(|k| ColliderHandle { index: pair[k].0, generation: 1 });
        let material = PairMaterial { restitution: 0.0, ..PairMaterial::default() };
        let edge = graph.add_edge(colliders, &bodies, [pair[0], pair[1]], material)?;
        let mut manifold = Manifold::new(pair[0], pair[1], material);
        manifold.normal = Vector3::x();
        manifold.push(ContactPoint {
            arm_a: Vector3::x() * 0.5,
            arm_b: Vector3::x() * -0.5,
            ..Default::default()
        });
        graph.set_manifold(&bodies, edge, &manifold);
    }
    graph.update_islands();
    let mut batches = Batches::default();
    batches.rebuild(&bodies, &graph, Batches::DEFAULT_SMALL_CUT);
    let step = StepParams {
        dt: 1.0 / 240.0,
        acceleration: Vector3::zeros(),
        force: Vector3::zeros(),
        reference_acceleration: 9.81,
        index: 0,
        may_sleep: false,
    };
    let report = method.solve(&mut bodies, &mut graph, &batches, &step, &Exec::serial());
    assert!(report.is_solved(), "nothing closes any more: {report:?}");
    let momentum: Real = row.iter().map(|&ball| bodies.hot(ball).linear.x).sum();
    assert!((momentum - 1.0).abs() < 1e-4, "the orders differ in work, not in momentum");
    Ok(report.iterations)
}

fn main() -> Result<(), ContactError> {
    // To the end, without the sweep that treats resting contacts jointly.
    let config = ImpulseConfig { stick_sweeps: 0, accumulate: false, ..ImpulseConfig::accurate() };
    let highest = press(&mut ImpulseSolver::new(config.clone()))?;
    let turns = press(&mut ImpulseSolver::with_order(config, RoundRobin::default()))?;
    println!("single-contact resolutions: {highest} with the highest closing speed first, {turns} in turns");
    assert!(highest > 0 && turns > 0);
    Ok(())
}
