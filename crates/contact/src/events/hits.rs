//! Hits: touches that begin fast, with what made them.

use crate::{
    Bodies, BodyHandle, ColliderHandle, ContactGraph, Edge, EdgeIndex, MAX_POINTS, Manifold, MaterialId,
};
use drystone_math::{Position, Real, Vector3, widen};

/// Two colliders hit each other: they began to touch, closing faster than [`crate::EventConfig::hit_speed`]. Of two that meet in several
/// manifolds, as with meshes, the one that took most of the blow is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitEvent {
    /// The two colliders, the smaller slot first.
    pub colliders: [ColliderHandle; 2],
    /// Their bodies, A and B.
    pub bodies: [BodyHandle; 2],
    /// What they are made of.
    pub materials: [MaterialId; 2],
    /// Where, m, world: the contact point that took most of the blow.
    pub point: Position,
    /// Unit normal from A to B, world.
    pub normal: Vector3,
    /// Closing speed at that point before the response, m/s, positive.
    pub speed: Real,
    /// Normal impulse on B of all points of that manifold in the step, N·s, not negative.
    pub impulse: Real,
}

/// Looks before the response at what may begin to touch, and after it at what did.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    candidates: Vec<Candidate>,
    events: Vec<HitEvent>,
}

drystone_math::carried!(Hits { part: [events], scratch: [candidates] });

/// An edge of a pair that does not touch yet, which closes fast enough at one of its points.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    edge: EdgeIndex,
    speeds: [Real; MAX_POINTS],
    points: [Position; MAX_POINTS],
}

impl Hits {
    /// Before the response: notes which of the `edges` are of pairs that do not touch yet, and close at `least_speed` (m/s) or faster.
    pub fn foresee(&mut self, bodies: &Bodies, graph: &ContactGraph, edges: &[EdgeIndex], least_speed: Real) {
        self.candidates.clear();
        for &edge in edges {
            if is_touching(graph, graph.edge(edge)) {
                continue;
            }
            let candidate = Candidate::new(bodies, edge, &graph.edge(edge).manifold);
            if candidate.speeds.iter().any(|&speed| speed >= least_speed) {
                self.candidates.push(candidate);
            }
        }
    }

    /// After the touches of the step are known: tells those that began at `least_speed` (m/s) or faster, one per pair, sorted by colliders.
    /// `material` says what a collider is made of. What was told before is forgotten.
    pub fn tell(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        least_speed: Real,
        material: impl Fn(ColliderHandle) -> MaterialId,
    ) {
        self.events.clear();
        for candidate in &self.candidates {
            let edge = graph.edge(candidate.edge);
            let manifold = &edge.manifold;
            // Another manifold of the pair may have begun its touch.
            let is_met = manifold.points().iter().any(|p| p.distance <= 0.0 || p.impulse != Vector3::zeros());
            if !is_met || !is_touching(graph, edge) {
                continue;
            }
            let along = |k: usize| manifold.normal.dot(&manifold.points()[k].impulse);
            let strongest = (0..manifold.points().len()).max_by(|&i, &j| {
                (along(i), candidate.speeds[i])
                    .partial_cmp(&(along(j), candidate.speeds[j]))
                    .unwrap_or(std::cmp::Ordering::Equal)
            });
            let Some(k) = strongest.filter(|&k| candidate.speeds[k] >= least_speed) else { continue };
            let [Some(a), Some(b)] = edge.owners().map(|body| bodies.handle(body)) else {
                debug_assert!(false, "an edge outlived its body: remove the node before the body");
                continue;
            };
            self.events.push(HitEvent {
                colliders: edge.colliders(),
                bodies: [a, b],
                materials: edge.colliders().map(&material),
                point: candidate.points[k],
                normal: manifold.normal,
                speed: candidate.speeds[k],
                impulse: manifold.normal.dot(&manifold.impulse()).max(0.0),
            });
        }
        self.events.sort_unstable_by(|a, b| {
            let stronger = b.impulse.total_cmp(&a.impulse).then(b.speed.total_cmp(&a.speed));
            a.colliders.cmp(&b.colliders).then(stronger)
        });
        self.events.dedup_by_key(|event| event.colliders);
    }

    /// Forgets what was told: nobody asks for hits.
    pub fn forget(&mut self) {
        self.events.clear();
    }

    /// Hits of the last step.
    pub fn events(&self) -> &[HitEvent] {
        &self.events
    }
}

/// True where the colliders of an edge touch: their first edge knows.
fn is_touching(graph: &ContactGraph, edge: &Edge) -> bool {
    let [a, b] = edge.colliders();
    let first = if edge.is_further() { graph.find(a, b).map(|first| graph.edge(first)) } else { Some(edge) };
    first.is_some_and(Edge::is_touching)
}

impl Candidate {
    fn new(bodies: &Bodies, edge: EdgeIndex, manifold: &Manifold) -> Self {
        let ends = [manifold.body_a, manifold.body_b];
        let [a, b] = ends.map(|body| bodies.hot(body));
        let mut candidate =
            Self { edge, speeds: [Real::NEG_INFINITY; MAX_POINTS], points: [Position::origin(); MAX_POINTS] };
        for (k, point) in manifold.points().iter().enumerate() {
            let closing = a.velocity_at(&point.arm_a) - b.velocity_at(&point.arm_b);
            candidate.speeds[k] = manifold.normal.dot(&closing);
            // From the side whose arm is short: half-spaces have their origin anywhere.
            let (body, arm) = if a.is_dynamic() { (ends[0], point.arm_a) } else { (ends[1], point.arm_b) };
            candidate.points[k] = bodies.center_pose(body).translation + widen(&arm);
        }
        candidate
    }
}
