//! Sleepers out of balance: what a neighbour that comes to rest has changed without striking them.
//!
//! To what is awake a sleeper is immovable, as if it had any mass: it holds up a plank like a nail, and stays in the air over what is slowly drawn from
//! below it. Before a body falls asleep beside it, the sleeper's contacts are added up, those between sleepers as they were when last solved. Where they
//! do not carry its weight, both are awake until all is at rest together.

use crate::SleepConfig;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams, WakeCause};
use drystone_math::{Real, Vector3};

/// Averaged motion (squared), as a multiple of the threshold's square, of bodies that have to be at rest together before they sleep: a tenth of a second
/// with the default averaging time. What nothing carries is far above the threshold by then.
const SETTLING: Real = 3.0;

/// Wakes the sleepers that a body at rest touches and that are out of balance by more than [`SleepConfig::max_imbalance`]; true when there were some.
/// Then the body itself must be at rest as long as they before it sleeps. What was added asleep and never moved since is taken at its word: nobody
/// has solved its contacts. Costs the contacts of those sleepers.
pub(crate) fn wake_unbalanced(
    config: &SleepConfig,
    bodies: &mut Bodies,
    graph: &ContactGraph,
    body: BodyIndex,
    step: &StepParams,
) -> bool {
    let Some(most) = config.max_imbalance else { return false };
    let threshold = config.threshold * step.speed_unit();
    let motion = SETTLING.min(config.motion_cap) * threshold * threshold;
    let mut has_woken = false;
    for index in graph.linked_edges_of(body) {
        let other = graph.edge(index).other(body);
        let was_solved = |bodies: &mut Bodies| bodies.view_mut().motion[other.get()] > 0.0;
        if bodies.is_asleep(other)
            && !bodies.hot(other).is_quarantined()
            && was_solved(bodies)
            && imbalance(bodies, graph, other, step) > most
        {
            bodies.view_mut().motion[other.get()] = motion;
            bodies.wake(other, WakeCause::Unbalanced);
            has_woken = true;
        }
    }
    if has_woken {
        bodies.view_mut().motion[body.get()] = motion;
    }
    has_woken
}

/// How far the impulses of the last solve are from carrying the body's weight, as a part of all of them together: 0 where they carry it, 1 where nothing
/// does. The larger one of forces, and of torques as the force that would give the body as much energy. Along and about locked axes there is nothing to carry.
fn imbalance(bodies: &Bodies, graph: &ContactGraph, body: BodyIndex, step: &StepParams) -> Real {
    let weight = step.pull_on(bodies, body) * (bodies.mass(body) * step.dt);
    let (mut sum, mut torque, mut size) = (weight, Vector3::zeros(), weight.norm());
    for index in graph.linked_edges_of(body) {
        let manifold = &graph.edge(index).manifold;
        let is_a = manifold.body_a == body;
        if let Some(tie) = graph.tie(index) {
            // What couples coordinates of other ties is in what these gave.
            if tie.coupling.is_some_and(|coupling| coupling.edges.is_some()) {
                continue;
            }
            let side = usize::from(!is_a);
            let sign = if is_a { -1.0 } else { 1.0 };
            let arm = bodies.center_pose(body).rotation * tie.anchors[side];
            sum += tie.impulse * sign;
            torque += (tie.torque + arm.cross(&tie.impulse)) * sign;
            size += tie.impulse.norm();
            continue;
        }
        torque += if is_a { -manifold.rolling_impulse } else { manifold.rolling_impulse };
        for point in manifold.points() {
            let (impulse, arm) =
                if is_a { (-point.impulse, point.arm_a) } else { (point.impulse, point.arm_b) };
            sum += impulse;
            torque += arm.cross(&impulse);
            size += impulse.norm();
        }
    }
    let turning = (torque.dot(&(*bodies.inverse_inertia(body) * torque)).max(0.0) * bodies.mass(body)).sqrt();
    let sum = sum.component_mul(&bodies.hot(body).free_axes()[0]);
    if size > 0.0 { sum.norm().max(turning) / size } else { 0.0 }
}
