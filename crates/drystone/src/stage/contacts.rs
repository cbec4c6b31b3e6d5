//! Manifolds of the pairs that something awake is part of; unmoved pairs are skipped (S3-18).

use crate::world::{Collider, Colliders};
use crate::{StepReport, WorldConfig};
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, NarrowStatus, PairCache, contact};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, ContactPoint, EdgeIndex, Manifold, StepParams};
use drystone_exec::{Exec, items_mut};
use drystone_math::{Pose, Real, RelativePose, narrow, widen};

/// What is remembered of a pair between steps.
#[derive(Clone, Copy, Debug)]
struct PairMemory {
    cache: PairCache,
    local: LocalManifold,
    /// Pose of B's collider seen from A's at the last full look.
    pose: RelativePose,
    margin: Real,
    is_known: bool,
}

impl Default for PairMemory {
    fn default() -> Self {
        Self {
            cache: PairCache::default(),
            local: LocalManifold::default(),
            pose: RelativePose::IDENTITY,
            margin: 0.0,
            is_known: false,
        }
    }
}

/// What a look at a pair gave.
#[derive(Clone, Copy, Debug)]
struct Look {
    manifold: Manifold,
    is_skipped: bool,
    is_limited: bool,
}

/// Pose of a collider for a look at its pair with something at `other`. A half-space is moved along its plane
/// to beside it: the same half-space, whose origin is near however far it was.
fn near(collider: &Collider, other: &Pose) -> Pose {
    let Shape::HalfSpace { normal } = &collider.shape else { return collider.pose };
    let n = widen(&(collider.pose.rotation * normal));
    let way = other.translation - collider.pose.translation;
    collider.pose.translated(&(way - n * (n.dot(&way) / n.norm_squared())))
}

/// Memory of all pairs, by edge, and the results of one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactStage {
    memory: Vec<PairMemory>,
    looks: Vec<Option<Look>>,
    /// Edges to look at in this step.
    active: Vec<u32>,
    /// Step in which an edge was last taken.
    seen: Vec<u64>,
    stamp: u64,
}

impl ContactStage {
    /// A new edge has no past.
    pub(crate) fn forget(&mut self, edge: EdgeIndex) {
        if let Some(memory) = self.memory.get_mut(edge.get()) {
            *memory = PairMemory::default();
        }
    }

    /// Finds the manifolds of all edges with an awake or disturbed body.
    #[allow(clippy::too_many_arguments, reason = "the inputs of one stage, called from one place")]
    pub(crate) fn detect(
        &mut self,
        bodies: &Bodies,
        colliders: &Colliders,
        graph: &ContactGraph,
        disturbed: &[BodyIndex],
        config: &WorldConfig,
        step: &StepParams,
        exec: &Exec,
        report: &mut StepReport,
    ) {
        self.collect(bodies, graph, disturbed);
        let margin = config.detection.contact_margin * step.length_unit();
        let tolerance = config.detection.coherence_tolerance;
        let look = |index: u32, memory: &mut PairMemory| {
            let edge = graph.edge(EdgeIndex(index));
            let [a, b] = edge.colliders().map(|c| colliders.get(c.index));
            let poses = [near(a, &b.pose), near(b, &a.pose)];
            let pose = poses[0].relative(&poses[1]);
            let radius = bodies.radius(b.body).min(bodies.radius(a.body));
            let is_unmoved = memory.is_known
                && memory.margin == margin
                && (memory.pose == pose
                    || (tolerance > 0.0 && memory.pose.motion_bound(&pose, radius) <= tolerance));
            let mut is_limited = false;
            if !is_unmoved {
                let status = contact(&a.shape, &b.shape, &pose, margin, &mut memory.cache, &mut memory.local);
                is_limited = status == NarrowStatus::RoundLimit;
                (memory.pose, memory.margin, memory.is_known) = (pose, margin, true);
            }
            let mut manifold = Manifold::new(a.body, b.body, edge.manifold.material);
            let centers = [a.body, b.body].map(|i| bodies.center_pose(i));
            manifold.normal = a.pose.rotation * memory.local.normal;
            // Both arms from positions in f64: the arm of a body is exact however far the other's centre is.
            let offsets = centers.map(|center| narrow(&(poses[0].translation - center.translation)));
            for point in memory.local.points() {
                let arm = a.pose.rotation * point.point;
                manifold.push(ContactPoint {
                    arm_a: arm + offsets[0],
                    arm_b: arm + offsets[1],
                    distance: point.distance,
                    feature: point.feature,
                    ..ContactPoint::default()
                });
            }
            Look { manifold, is_skipped: is_unmoved, is_limited }
        };
        let parts = (items_mut(&mut self.memory), items_mut(&mut self.looks));
        exec.dynamic_ordered(&self.active, parts, |index, (memory, out)| {
            *out = Some(look(index as u32, memory));
        });
        report.examined_pairs = self.active.len() as u32;
        for result in self.active.iter().filter_map(|&i| self.looks[i as usize].as_ref()) {
            report.skipped_pairs += u32::from(result.is_skipped);
            report.narrow_limits += u32::from(result.is_limited);
        }
    }

    /// Hands the manifolds to the graph, in the order in which the edges were collected.
    pub(crate) fn apply(&mut self, bodies: &Bodies, graph: &mut ContactGraph) {
        for &index in &self.active {
            if let Some(look) = self.looks[index as usize].take() {
                let edge = EdgeIndex(index);
                // A pair that was and stays apart has nothing to tell.
                if !look.manifold.points().is_empty() || graph.edge(edge).is_linked() {
                    graph.set_manifold(bodies, edge, &look.manifold);
                }
            }
        }
    }

    fn collect(&mut self, bodies: &Bodies, graph: &ContactGraph, disturbed: &[BodyIndex]) {
        let edges = graph.edges().len();
        if self.memory.len() < edges {
            self.memory.resize(edges, PairMemory::default());
            self.looks.resize(edges, None);
            self.seen.resize(edges, 0);
        }
        self.active.clear();
        self.stamp += 1;
        for body in bodies.view().awake.iter().map(BodyIndex).chain(disturbed.iter().copied()) {
            for edge in graph.edges_of(body) {
                if std::mem::replace(&mut self.seen[edge.get()], self.stamp) != self.stamp {
                    self.active.push(edge.0);
                }
            }
        }
    }
}
