//! Detection without a step, for planners: who is near whom, whether anything overlaps, what touches (S3-10, S3-13).

use super::pair::near;
use crate::WorldError;
use crate::world::World;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_contact::{BodyHandle, ColliderHandle, Edge, EdgeIndex};
use drystone_math::Real;

/// How far detection goes when no step is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DetectMode {
    /// Broad phase, edges and triggers (S3-13): tells what came near and what left, and finds no contacts. Those of pairs that are still near
    /// stay as the last look left them.
    ProximityOnly,
    /// Broad phase, edges and triggers, then pair by pair up to the first that overlaps (S3-10). Contacts stay as they were.
    FirstPenetration {
        /// Overlap that does not count, m; finite, at least 0. What rests overlaps by micrometres.
        deeper_than: Real,
    },
    /// All of detection: contacts, triggers and islands are those of where bodies are now. Touches end, and begin with steps only: they are told with
    /// the blow.
    Full,
}

/// Two colliders that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The colliders, the smaller slot first.
    pub colliders: [ColliderHandle; 2],
    /// The bodies that they were added to, members of composites among them.
    pub bodies: [BodyHandle; 2],
    /// How deep, m, positive.
    pub depth: Real,
}

impl World {
    /// Detects where bodies are now, without taking a step: for who moves a body with [`World::set_pose`], asks, and moves on.
    ///
    /// No time passes, no body moves, and none falls asleep; margins are those of a step as long as the last one (1/60 s before the first).
    /// Events of what began and ended are told by [`World::events`] until the next query or step, in place of those of the last step, and every
    /// begin has one end as ever. What lost its support by what was moved wakes with the next step. The report stays that of the last step.
    ///
    /// Returns the first pair that overlaps, with [`DetectMode::FirstPenetration`] by more than asked, with [`DetectMode::Full`] at all; none with
    /// [`DetectMode::ProximityOnly`]. First is by the slots of the colliders, smaller and then larger, whatever happened before; pairs
    /// known to be apart are not looked at. Pairs of which neither body is dynamic, rules and filters ignore, or a trigger is part have no
    /// edge, and count nowhere. Costs a list of the edges, and the looks.
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, DetectMode, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let cube = || ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5)).expect("positive"));
    /// world.add_body(BodySpec::fixed().collider(cube()))?;
    /// let arm = world.add_body(BodySpec::dynamic().pose(Pose::at(3.0, 0.0, 0.0)).collider(cube()))?;
    /// assert_eq!(world.first_penetration(1e-4)?, None);
    /// world.set_pose(arm, Pose::at(0.9, 0.0, 0.0))?;
    /// let depth = world.first_penetration(1e-4)?.expect("a tenth of a metre").depth;
    /// assert!((depth - 0.1).abs() < 1e-3 && world.time() == 0.0);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// A `deeper_than` out of range, or more edges than there are indices.
    pub fn detect(&mut self, mode: DetectMode) -> Result<Option<Penetration>, WorldError> {
        if let DetectMode::FirstPenetration { deeper_than } = mode
            && !(deeper_than >= 0.0 && deeper_than.is_finite())
        {
            let value = f64::from(deeper_than);
            return Err(WorldError::OutOfRange {
                field: "deeper_than",
                expected: "finite, at least 0",
                value,
            });
        }
        let step = self.params(self.last_dt);
        self.colliders.forget_strays();
        let exec = std::mem::take(&mut self.exec);
        let report = std::mem::take(&mut self.report);
        if !std::mem::replace(&mut self.has_queried, true) {
            self.graph.begin_step();
        }
        self.update_bounds(&step, &exec);
        self.find_pairs(&exec);
        let outcome = self.after_broad_phase();
        let found = match mode {
            DetectMode::ProximityOnly => {
                self.update_triggers();
                None
            }
            DetectMode::FirstPenetration { deeper_than } => {
                self.update_triggers();
                self.first_deeper(deeper_than, |edge| self.depth_now(edge))
            }
            DetectMode::Full => {
                self.find_contacts(&step, &exec);
                self.after_narrow_phase(&step);
                self.first_deeper(0.0, |edge| self.depth_found(edge))
            }
        };
        self.update_islands(&exec);
        self.deliver_events();
        (self.report, self.exec) = (report, exec);
        outcome.map(|()| found)
    }

    /// The first pair that overlaps by more than `deeper_than`, m: [`World::detect`] with [`DetectMode::FirstPenetration`].
    ///
    /// # Errors
    /// As [`World::detect`].
    pub fn first_penetration(&mut self, deeper_than: Real) -> Result<Option<Penetration>, WorldError> {
        self.detect(DetectMode::FirstPenetration { deeper_than })
    }

    /// Short circuit: the first pair, by slots, that is deeper.
    fn first_deeper(&self, deeper_than: Real, depth: impl Fn(EdgeIndex) -> Real) -> Option<Penetration> {
        let key = |edge: EdgeIndex| self.graph.edge(edge).colliders().map(|c| c.index);
        // Joints, and further manifolds of a pair, are no pairs of their own.
        let is_pair = |edge: &Edge| !edge.is_tie() && !edge.is_further();
        let mut edges: Vec<EdgeIndex> =
            self.graph.edge_indices().filter(|&edge| is_pair(self.graph.edge(edge))).collect();
        edges.sort_unstable_by_key(|&edge| key(edge));
        edges.into_iter().find_map(|index| {
            let depth = depth(index);
            if depth <= deeper_than {
                return None;
            }
            let edge = self.graph.edge(index);
            let colliders = edge.colliders();
            let [Some(a), Some(b)] = colliders.map(|c| self.bodies.handle(self.colliders.owner(c.index)))
            else {
                debug_assert!(false, "an edge outlived its body");
                return None;
            };
            Some(Penetration { colliders, bodies: [a, b], depth })
        })
    }

    /// How deep a pair overlaps by the contacts that are known, m, in the deepest of its manifolds; not above 0 where it does not.
    fn depth_found(&self, edge: EdgeIndex) -> Real {
        let manifolds = std::iter::once(edge).chain(self.contacts.further_edges(edge));
        let distances = manifolds.filter_map(|edge| self.graph.edge(edge).manifold.min_distance());
        distances.map(|distance| -distance).fold(0.0, Real::max)
    }

    /// How deep a pair overlaps, m; not above 0 where it does not. Remembers nothing.
    fn depth_now(&self, edge: EdgeIndex) -> Real {
        if self.config.coherence.cache_points && self.contacts.is_apart(edge, self.colliders.motions()) {
            return 0.0;
        }
        let [a, b] = self.graph.edge(edge).colliders().map(|c| self.colliders.get(c.index));
        let pose = near(a, &b.pose).relative(&near(b, &a.pose));
        let mut found = LocalManifold::default();
        contact(&a.shape, &b.shape, &pose, 0.0, &mut PairCache::default(), &mut found);
        found.points().iter().map(|point| -point.distance).fold(0.0, Real::max)
    }
}
