//! Velocities after detection (S1-66).

use super::ImpulseConfig;
use crate::integrate::apply_forces;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams};

/// Updates the velocities of all awake dynamic bodies: global accelerations (damped for bodies that barely
/// move and are in contact, Algorithm 12), forces, damping.
pub(super) fn update_velocities(
    config: &ImpulseConfig,
    bodies: &mut Bodies,
    graph: &ContactGraph,
    step: &StepParams,
) {
    let threshold = config.gravity_damping_threshold * step.speed_unit();
    apply_forces(bodies, step, |bodies, index| {
        let bound = bodies.hot(index).motion_bound_squared(bodies.radius(index));
        let is_damped =
            bound < threshold * threshold && is_in_contact(graph, index) && !has_ties(graph, index);
        if is_damped { config.gravity_damping_fraction } else { 1.0 }
    });
}

/// True when the body or one of its island has a contact. What flies is not at rest, also at the top of its
/// flight; damped there, a ball with `e = 1` wanders by 4 mm of 1 m in 10 s, and every bounce takes too long.
fn is_in_contact(graph: &ContactGraph, body: BodyIndex) -> bool {
    graph.island(graph.island_of(body)).is_some_and(|island| island.edge_count > 0)
}

/// True for what joints hold: at the turn of a swing it barely moves either, and is not at rest.
fn has_ties(graph: &ContactGraph, body: BodyIndex) -> bool {
    graph.tie_count() > 0 && graph.edges_of(body).any(|edge| graph.edge(edge).is_tie())
}
