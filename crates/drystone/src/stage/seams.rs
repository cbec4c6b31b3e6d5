//! Flush neighbours: what slides or rolls from one collider onto another that continues its surface does not catch at the seam.
//!
//! A pair of shapes is looked at alone, so the narrow phase answers for the side of a floor tile, or for its upper edge, where the tile before it hides both.
//! Here the contacts of a body with neighbours that do not move against each other (all fixed bodies, or the colliders of one body) are held against
//! each other. A contact point `q` on B with outward normal `n` is left out when A, which the body touches too, hides it:
//!
//! 1. `q` is on A or in it, to within the height of a step that is not felt ([`DetectionConfig::seam_height`](crate::DetectionConfig));
//! 2. `q + h n`, with the radius of the body for `h`, is nearer to A than to `q`: the normal is none of both together, whose normals at `q` are those that
//!    both have there;
//! 3. B does not stand out of A at `q`: the foot of a wall is on the floor, and still the wall is felt;
//! 4. B is not overlapped by more than A is, to within a tenth of such a height: the side of a tile is entered no deeper than its neighbour's top. What lies
//!    between two or three that hide each other's points would else sink into all of them.
//!
//! What carries stays: A is not hidden by B at the same time, since its normal is one of both together. Seams within a mesh or height field are the narrow
//! phase's own. Costs the contacts of such neighbours, and three projections for each point that is on two of them.

use super::memory::beside;
use crate::world::World;
use drystone_collision::query::project_point;
use drystone_contact::{BodyIndex, BodyKind, EdgeIndex, StepParams};
use drystone_math::{BitSet, Position, Real, Vector3, widen};

/// How much nearer than `h` the neighbour must be, as a share: normals that differ by less than 1.4 mrad do no harm (8 mm/s at 6 m/s), and rounding is less
/// than that.
const NEARER: f64 = 1e-6;
/// How much deeper than what hides it a point may be, as a share of the height of a step that is not felt. With all of it, three pieces hid each other's points in a notch, and a
/// box slept 4.7 mm deep in them.
const DEEPER: Real = 0.1;
/// Cosine above which two contacts have one normal.
const SAME: Real = 1.0 - 1e-6;

/// Contacts that may hide each other; memory of the stage between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seams {
    contacts: Vec<SeamContact>,
    /// Bodies with a contact, and with more than one.
    touched: [BitSet; 2],
    hidden: Vec<(EdgeIndex, u32)>,
}

impl Seams {
    /// Room for as many contacts as there are edges, twice over: it grows when their list does, and not whenever more bodies touch than before.
    fn make_room(&mut self, edge_count: usize, body_count: u32) {
        self.touched.iter_mut().for_each(|bodies| bodies.resize(body_count));
        if self.contacts.capacity() < edge_count {
            self.contacts.reserve(2 * edge_count);
            self.hidden.reserve(2 * edge_count);
        }
    }
}

/// A contact of a body with a collider that has neighbours. Sorted, those of one body with one frame are beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SeamContact {
    body: u32,
    /// What the collider does not move against: 0 for all that is fixed.
    frame: u32,
    edge: u32,
}

impl World {
    /// Leaves out contact points that neighbours hide; links follow.
    pub(super) fn mend_seams(&mut self, step: &StepParams) {
        let height = self.config.detection.seam_height * step.length_unit();
        if height == 0.0 {
            return;
        }
        let bodies = &self.bodies;
        self.colliders.find_neighbours(|body| bodies.hot(body).kind() == BodyKind::Fixed);
        if self.colliders.neighbours().is_empty() {
            return;
        }
        let mut seams = std::mem::take(&mut self.seams);
        seams.make_room(self.graph.edges().len(), self.bodies.capacity() as u32);
        self.collect_seam_contacts(&mut seams);
        seams.hidden.clear();
        let is_one = |a: &SeamContact, b: &SeamContact| (a.body, a.frame) == (b.body, b.frame);
        for contacts in seams.contacts.chunk_by(is_one).filter(|contacts| contacts.len() > 1) {
            let first = seams.hidden.len();
            for b in contacts {
                // What is left out altogether hides nothing: of two that hide each other one stays.
                let is_out =
                    |a: &SeamContact| seams.hidden[first..].iter().any(|h| h.0.0 == a.edge && self.is_all(h));
                let others = contacts.iter().filter(|a| a.edge != b.edge && !is_out(a));
                let points = self.hidden_points(b, others, height);
                if points != 0 {
                    seams.hidden.push((EdgeIndex(b.edge), points));
                }
            }
        }
        for &(edge, points) in &seams.hidden {
            let mut k = 0;
            self.graph.edges_mut()[edge.get()].manifold.retain(|_| {
                k += 1;
                points >> (k - 1) & 1 == 0
            });
            self.graph.relink(&self.bodies, edge);
        }
        self.report.hidden_points = seams.hidden.iter().map(|(_, points)| points.count_ones()).sum();
        self.seams = seams;
    }

    /// True when these are all points of the edge.
    fn is_all(&self, &(edge, points): &(EdgeIndex, u32)) -> bool {
        points.count_ones() as usize == self.graph.edge(edge).manifold.points().len()
    }

    /// Contacts of awake bodies with colliders that have neighbours; those of bodies with a single one may be left out.
    fn collect_seam_contacts(&self, Seams { contacts, touched: [once, again], .. }: &mut Seams) {
        contacts.clear();
        once.clear();
        again.clear();
        for &host in self.colliders.neighbours() {
            let frame = if self.bodies.hot(host).kind() == BodyKind::Fixed { 0 } else { host.0 };
            let is_host_awake = frame != 0 && self.bodies.is_awake(host);
            for (edge, body) in self.graph.linked_neighbours(host) {
                if is_host_awake || self.bodies.is_awake(body) {
                    contacts.push(SeamContact { body: body.0, frame, edge: edge.0 });
                    let seen = if once.contains(body.0) { &mut *again } else { &mut *once };
                    seen.insert(body.0);
                }
            }
        }
        // Most bodies on a floor touch nothing else that has neighbours: of these no more is read.
        contacts.retain(|contact| {
            again.contains(contact.body)
                && !self.graph.edge(EdgeIndex(contact.edge)).is_tie()
                && self.bodies.hot(BodyIndex(contact.body)).is_dynamic()
        });
        contacts.sort_unstable();
    }

    /// The points of `b` that one of the others hides, a bit each.
    fn hidden_points<'a>(
        &self,
        b: &SeamContact,
        others: impl Iterator<Item = &'a SeamContact> + Clone,
        height: Real,
    ) -> u32 {
        let side_b = Side::new(self, b);
        let mut hidden = 0;
        let distances = self.graph.edge(side_b.edge).manifold.points().iter().map(|point| point.distance);
        for (k, (q, distance)) in side_b.feet(self).zip(distances).enumerate() {
            let is_hidden = others.clone().any(|a| {
                let side_a = Side::new(self, a);
                // Several manifolds of one mesh are the narrow phase's own.
                side_a.collider != side_b.collider
                    && side_a.normal.dot(&side_b.normal) < SAME
                    && distance >= side_a.least_distance.min(0.0) - DEEPER * height
                    && side_a.may_hold(self, &q, height)
                    && self.hides([&side_a, &side_b], &q, height).unwrap_or(false)
            });
            hidden |= u32::from(is_hidden) << k;
        }
        hidden
    }

    /// Whether the collider of the first hides the point `q` of the second. `None` where one has no surface.
    fn hides(&self, [a, b]: [&Side; 2], q: &Position, height: Real) -> Option<bool> {
        let project = |side: &Side, point: &Position| {
            let collider = self.colliders.get(side.collider);
            project_point(&collider.shape, &collider.pose, point).ok().flatten()
        };
        let unfelt = f64::from(height);
        let at = project(a, q)?;
        if at.distance > unfelt {
            return Some(false);
        }
        let far = f64::from(self.bodies.radius(b.body)).max(unfelt);
        let over = project(a, &(q + widen(&b.normal) * far))?;
        if over.distance >= far * (1.0 - NEARER) {
            return Some(false);
        }
        let out = project(b, &(q + widen(&over.normal) * (2.0 * unfelt - at.distance)))?;
        Some(out.distance >= unfelt)
    }
}

/// A contact as seen from the neighbour that is touched.
struct Side {
    edge: EdgeIndex,
    body: BodyIndex,
    /// The collider that is touched.
    collider: u32,
    /// Outward normal of its surface.
    normal: Vector3,
    /// Of its points, m.
    least_distance: Real,
    /// Whether the body that touches is B of the manifold.
    is_b: bool,
    /// From a point to the surface that is touched, against the normal, as a share of the gap.
    depth: Real,
}

impl Side {
    fn new(world: &World, contact: &SeamContact) -> Self {
        let edge = world.graph.edge(EdgeIndex(contact.edge));
        let is_b = edge.manifold.body_b.0 == contact.body;
        let normal = if is_b { edge.manifold.normal } else { -edge.manifold.normal };
        let slots = edge.colliders().map(|c| c.index);
        let collider = slots[usize::from(!is_b)];
        let beside = beside(slots.map(|slot| world.colliders.motions()[slot as usize].is_dynamic));
        let depth = if is_b { 0.5 + beside } else { 0.5 - beside };
        let least_distance =
            edge.manifold.points().iter().map(|p| p.distance).fold(Real::INFINITY, Real::min);
        let (edge, body) = (EdgeIndex(contact.edge), BodyIndex(contact.body));
        Self { edge, body, collider, normal, least_distance, is_b, depth }
    }

    /// The points on the surface that is touched, m, world.
    fn feet<'w>(&self, world: &'w World) -> impl Iterator<Item = Position> + use<'w> {
        let &Self { normal, is_b, depth, .. } = self;
        let center = world.bodies.center_pose(self.body).translation;
        world.graph.edge(self.edge).manifold.points().iter().map(move |point| {
            let arm = if is_b { &point.arm_b } else { &point.arm_a };
            center + widen(&(arm - normal * (depth * point.distance)))
        })
    }

    /// False where the point is farther above the plane of the contact than a step that is not felt.
    fn may_hold(&self, world: &World, q: &Position, height: Real) -> bool {
        let above = |foot: Position| widen(&self.normal).dot(&(q - foot));
        self.feet(world).next().is_some_and(|foot| above(foot) <= f64::from(height))
    }
}
