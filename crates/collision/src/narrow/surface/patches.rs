//! Contact points gathered into manifolds of about one normal, and what keeps these in their places from step to step.

use super::super::reduce::{Candidates, reduce};
use super::super::{LocalManifold, LocalPoint, MAX_POINTS};
use super::facets::Solid;
use crate::Shape;
use drystone_math::{Real, Rotation, Vector3};

/// Most manifolds of a pair of a solid and a surface. More directions than that share the nearest, and the status says so.
pub const MAX_PATCHES: usize = 8;

/// Cosine of the angle, 5.7 degrees, within which normals share a manifold: distances along one are then those along the other
/// within half a percent.
const SAME_NORMAL: Real = 0.995;
/// Cosine of the angle, 25 degrees, by which the normal of a manifold may turn in a step and keep its place.
const SAME_PATCH: Real = 0.906;
/// Points gathered before they are reduced to four.
const MAX_GATHERED: usize = 16;
/// Part of the solid's size within which two points are one.
const SAME_POINT: Real = 1.0e-4;
/// Part of the solid's size by which a point may move over it in a step and keep its name.
const SAME_FEATURE: Real = 0.05;
/// Cosine between axis and normal up to which a cylinder or cone lies on its side, not on a cap.
const ON_SIDE: Real = 0.9;

/// Contacts of a solid and a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceContacts {
    /// A manifold per place; those without points are empty. If any has points, the first has. Normals from the surface to the
    /// solid, points relative to the solid's origin, m, all in the axes of the surface.
    pub patches: [LocalManifold; MAX_PATCHES],
    /// The place whose manifold moved to the first one, because that had ended: its history goes along.
    pub moved_to_first: Option<usize>,
}

impl Default for SurfaceContacts {
    fn default() -> Self {
        Self { patches: [LocalManifold::default(); MAX_PATCHES], moved_to_first: None }
    }
}

impl SurfaceContacts {
    /// True without a point.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.patches[0].count == 0
    }

    pub(super) fn clear(&mut self) {
        self.patches.iter_mut().for_each(|patch| patch.count = 0);
        self.moved_to_first = None;
    }
}

/// What is remembered of a pair of a solid and a surface between steps. Opaque; `Default` is a pair never seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceMemory {
    places: [Place; MAX_PATCHES],
    /// Names of points given so far.
    named: u32,
}

/// A manifold of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Place {
    normal: Vector3,
    /// Where its points were on the solid, m, frame of the solid, and their names.
    anchors: [Vector3; MAX_POINTS],
    names: [u32; MAX_POINTS],
    count: usize,
}

impl SurfaceMemory {
    /// Nothing is known any more, but no name is given twice.
    pub fn forget(&mut self) {
        self.places.iter_mut().for_each(|place| place.count = 0);
    }
}

/// A point with its own normal.
#[derive(Clone, Copy, Default)]
struct Gathered {
    point: Vector3,
    normal: Vector3,
    distance: Real,
}

/// Points of about one normal.
#[derive(Clone, Copy, Default)]
struct Cluster {
    normal: Vector3,
    points: [Gathered; MAX_GATHERED],
    count: usize,
}

impl Cluster {
    /// Keeps at most four points: the deepest and those that span most.
    fn reduce(&mut self, size: Real) {
        let points = &mut self.points[..self.count];
        // Of equally deep points the first is taken: the outermost, a corner, not where an edge of the ground happens to cross.
        let middle =
            points.iter().fold(Vector3::zeros(), |sum, p| sum + p.point) / points.len().max(1) as Real;
        points.sort_unstable_by(|a, b| {
            let [a, b] = [a, b].map(|p| (p.point - middle).norm_squared());
            b.total_cmp(&a)
        });
        let candidates = Candidates { count: self.count, normal: self.normal, margin: Real::INFINITY, size };
        let (chosen, count) = reduce(&candidates, |i| (points[i].point, points[i].distance));
        let kept = chosen.map(|i| self.points[i]);
        self.points[..count].copy_from_slice(&kept[..count]);
        self.count = count;
    }

    fn add(&mut self, new: Gathered, size: Real) {
        let limit = SAME_POINT * size;
        let is_same = |old: &Gathered| (old.point - new.point).norm_squared() <= limit * limit;
        if let Some(old) = self.points[..self.count].iter_mut().find(|old| is_same(old)) {
            if new.distance < old.distance {
                *old = new;
            }
            return;
        }
        if self.count == MAX_GATHERED {
            self.reduce(size);
        }
        self.points[self.count] = new;
        self.count += 1;
    }

    fn deepest(&self) -> Option<&Gathered> {
        let deeper = |a: &&Gathered, b: &&Gathered| a.distance.total_cmp(&b.distance);
        self.points[..self.count].iter().min_by(deeper)
    }
}

/// Gathers points of a pair.
pub(super) struct Patches<'a> {
    solid: &'a Shape,
    rotation: &'a Rotation,
    /// Farthest point of the solid from its origin, m.
    size: Real,
    clusters: [Cluster; MAX_PATCHES],
    count: usize,
    is_limited: bool,
}

impl<'a> Patches<'a> {
    pub(super) fn new(solid: &Solid<'a>) -> Self {
        Self {
            solid: solid.shape,
            rotation: solid.rotation,
            size: solid.size,
            clusters: [Cluster::default(); MAX_PATCHES],
            count: 0,
            is_limited: false,
        }
    }

    /// True when there were more directions than places.
    pub(super) fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// Adds a point (m, the middle between the surfaces) with the unit normal from the surface to the solid.
    pub(super) fn add(&mut self, point: &Vector3, distance: Real, normal: &Vector3) {
        let mut nearest = (0, Real::NEG_INFINITY);
        for (k, cluster) in self.clusters[..self.count].iter().enumerate() {
            let cosine = cluster.normal.dot(normal);
            if cosine > nearest.1 {
                nearest = (k, cosine);
            }
        }
        let k = if nearest.1 >= SAME_NORMAL {
            nearest.0
        } else if self.count < MAX_PATCHES {
            self.clusters[self.count].normal = *normal;
            self.count += 1;
            self.count - 1
        } else {
            self.is_limited = true;
            nearest.0
        };
        self.clusters[k].add(Gathered { point: *point, normal: *normal, distance }, self.size);
    }

    /// Puts the manifolds into the places of the last step's.
    pub(super) fn finish(&mut self, memory: &mut SurfaceMemory, contacts: &mut SurfaceContacts) {
        for cluster in &mut self.clusters[..self.count] {
            // Of all that share the manifold the deepest point matters most.
            if let Some(deepest) = cluster.deepest() {
                cluster.normal = deepest.normal;
            }
            let is_ball = matches!(self.solid, Shape::Sphere { .. });
            if is_ball && let Some(&deepest) = cluster.deepest() {
                (cluster.points[0], cluster.count) = (deepest, 1);
            }
            cluster.reduce(self.size);
        }
        let places = self.assign(memory, contacts);
        let mut now = [Place::default(); MAX_PATCHES];
        for (k, cluster) in self.clusters[..self.count].iter().enumerate() {
            let (at, before) = places[k];
            let old = before.map(|b| memory.places[b]);
            now[at] = self.store(cluster, old.as_ref(), &mut memory.named, &mut contacts.patches[at]);
        }
        memory.places = now;
    }

    /// For every cluster its place, and the one it had in the last step.
    fn assign(
        &self,
        memory: &SurfaceMemory,
        contacts: &mut SurfaceContacts,
    ) -> [(usize, Option<usize>); MAX_PATCHES] {
        let mut places = [(usize::MAX, None); MAX_PATCHES];
        let mut is_taken = [false; MAX_PATCHES];
        for (at, place) in memory.places.iter().enumerate().filter(|(_, place)| place.count > 0) {
            let mut best = (None, SAME_PATCH);
            for (k, cluster) in self.clusters[..self.count].iter().enumerate() {
                let cosine = cluster.normal.dot(&place.normal);
                if places[k].0 == usize::MAX && cosine > best.1 {
                    best = (Some(k), cosine);
                }
            }
            if let Some(k) = best.0 {
                (places[k], is_taken[at]) = ((at, Some(at)), true);
            }
        }
        if self.count > 0 && !is_taken[0] {
            // The first place is never empty while there is any: one that was there before moves up.
            let k = (0..self.count).find(|&k| places[k].0 != usize::MAX).unwrap_or(0);
            contacts.moved_to_first = places[k].1;
            if let Some(from) = places[k].1 {
                is_taken[from] = false;
            }
            (places[k].0, is_taken[0]) = (0, true);
        }
        for place in &mut places[..self.count] {
            if place.0 == usize::MAX {
                // As many places as clusters.
                let free = is_taken.iter().position(|taken| !taken).unwrap_or(0);
                (place.0, is_taken[free]) = (free, true);
            }
        }
        places
    }

    /// Writes a manifold; its points get the names of those that were there.
    fn store(
        &self,
        cluster: &Cluster,
        old: Option<&Place>,
        named: &mut u32,
        manifold: &mut LocalManifold,
    ) -> Place {
        let mut place = Place { normal: cluster.normal, count: cluster.count, ..Place::default() };
        *manifold = LocalManifold { normal: cluster.normal, ..LocalManifold::default() };
        let mut is_used = [false; MAX_POINTS];
        for (i, gathered) in cluster.points[..cluster.count].iter().enumerate() {
            let anchor = self.anchor(&gathered.point, &cluster.normal);
            let mut nearest = (None, SAME_FEATURE * self.size);
            if let Some(old) = old {
                for j in (0..old.count).filter(|&j| !is_used[j]) {
                    let distance = (old.anchors[j] - anchor).norm();
                    if distance < nearest.1 {
                        nearest = (Some(j), distance);
                    }
                }
            }
            let name = match (nearest.0, old) {
                (Some(j), Some(old)) => {
                    is_used[j] = true;
                    old.names[j]
                }
                _ => {
                    *named = named.wrapping_add(1);
                    *named
                }
            };
            (place.anchors[i], place.names[i]) = (anchor, name);
            let (point, distance) = (gathered.point, gathered.distance);
            manifold.push(LocalPoint { point, distance, feature: name });
            manifold.gap = if i == 0 { distance } else { manifold.gap.min(distance) };
        }
        place
    }

    /// Where a point of a contact with this normal is on the solid as far as that tells it from others: what rolls has the same
    /// contact all around.
    fn anchor(&self, point: &Vector3, normal: &Vector3) -> Vector3 {
        let local = self.rotation.inverse_transform_vector(point);
        let rolls = || self.rotation.inverse_transform_vector(normal).y.abs() < ON_SIDE;
        match self.solid {
            Shape::Sphere { .. } => Vector3::zeros(),
            Shape::Capsule { .. } => Vector3::new(0.0, local.y, 0.0),
            Shape::Cylinder { .. } | Shape::Cone { .. } if rolls() => Vector3::new(0.0, local.y, 0.0),
            _ => local,
        }
    }
}
