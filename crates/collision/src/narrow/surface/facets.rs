//! One solid against the triangles near it: which contacts count, and along which direction.

mod around;
mod lift;

use super::super::closest::{core_separation, push_separation};
use super::super::frustum::over_face;
use super::super::polygon::face_contact;
use super::super::polytope::BoxPolytope;
use super::super::prism::{Facet, Prism};
use super::super::round::capsule_segment;
use super::super::round_polytope::{polytope_round, stretch_over};
use super::super::sat::Placement;
use super::super::segment::unit;
use super::super::{LocalManifold, LocalPoint, MAX_POINTS, Margin, NarrowStatus, Outcome, PairCache};
use super::patches::Patches;
use super::{NEAR_NORMAL, box_of};
use crate::Shape;
use crate::shape::{Core, Surface};
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, narrow, widen};

/// Cosine of the angle of [`around::RISE`]: directions nearer to a triangle's normal are that normal, or what rolls would be turned aside
/// bit by bit.
const SAME: Real = 1.0 - 0.5 * around::RISE * around::RISE;
/// Part of the solid's size within which a triangle holds a point.
const NEAR: Real = 1.0e-4;
/// The same as a part of the size of the surface: several roundings of its vertices, so that T-junctions are closed.
const NEAR_OF_SURFACE: Real = 5.0e-7;
/// Cosine below which a direction points to the back of a triangle, rounding aside.
const BACK: Real = -1.0e-3;
/// Depth of the wedge behind a triangle, in sizes of the solid: more than the solid.
const WEDGE: Real = 2.5;

/// A solid seen from its origin, in the axes of a surface.
pub(super) struct Solid<'a> {
    surface: Surface<'a>,
    pub(super) shape: &'a Shape,
    core: Core<'a>,
    radius: Real,
    pub(super) rotation: &'a Rotation,
    pose: RelativePose,
    placement: Placement,
    /// Where its origin is, m, frame of the surface.
    origin: Displacement,
    /// Its centre of mass, m.
    center: Vector3,
    /// Middle and half edges of the box around it, m.
    middle: Vector3,
    half: Vector3,
    /// Farthest point from its origin, m.
    pub(super) size: Real,
    margin: Real,
    /// Distance within which a triangle holds a point, m.
    near: Real,
}

impl<'a> Solid<'a> {
    /// `None` for shapes that are not solid.
    pub(super) fn new(
        surface: &Surface<'a>,
        shape: &'a Shape,
        origin: &Displacement,
        rotation: &'a Rotation,
        margin: Real,
    ) -> Option<Self> {
        let (core, radius) = shape.core()?;
        let center = rotation * shape.center_of_mass();
        let [middle, half] = box_of(shape, rotation);
        let size = shape.bounding_radius();
        let pose = RelativePose::new(Vector3::zeros(), *rotation);
        Some(Self {
            surface: *surface,
            shape,
            core,
            radius,
            rotation,
            pose,
            placement: Placement::new(&pose),
            origin: *origin,
            center,
            middle,
            half,
            size,
            margin,
            near: NEAR * size + NEAR_OF_SURFACE * surface.radius(),
        })
    }

    /// Gathers the contacts with all triangles near the solid.
    pub(super) fn collect(&self, patches: &mut Patches<'_>) -> NarrowStatus {
        let (mut status, mut is_behind_any) = (NarrowStatus::Exact, false);
        self.search(&self.middle, &self.half.add_scalar(self.margin), |facet| {
            if facet.height(&self.center) < 0.0 {
                is_behind_any = true;
                if self.meet_from_beside(facet, patches) == NarrowStatus::RoundLimit {
                    status = NarrowStatus::RoundLimit;
                }
                return;
            }
            let reach = self.shape.reach(&self.rotation.inverse_transform_vector(&-facet.normal));
            if facet.height(&Vector3::zeros()) - reach > self.margin {
                return;
            }
            if let Shape::Sphere { radius } = self.shape {
                self.meet_ball(facet, *radius, patches);
            } else if self.meet(facet, patches) == NarrowStatus::RoundLimit {
                status = NarrowStatus::RoundLimit;
            }
        });
        if is_behind_any {
            self.lift(patches);
        }
        status
    }

    /// Calls `visit` for the triangles whose box meets the one around `middle` with `half` edges, m, seen from the solid.
    fn search(&self, middle: &Vector3, half: &Vector3, mut visit: impl FnMut(&Facet)) {
        let center = self.origin + widen(middle);
        let half = widen(half);
        let min = narrow(&(center - half)).map(Real::next_down);
        let max = narrow(&(center + half)).map(Real::next_up);
        self.surface.search(&min, &max, |_, corners| visit(&Facet::new(corners, &self.origin)));
    }

    /// A ball in front of a triangle: the nearest point decides.
    fn meet_ball(&self, facet: &Facet, radius: Real, patches: &mut Patches<'_>) {
        let center = Vector3::zeros();
        let (nearest, is_inside) = facet.closest(&center);
        let (normal, height) = match unit(&-nearest) {
            Some((normal, height)) if !is_inside && normal.dot(&facet.normal) < SAME => (normal, height),
            // Right above, or with the centre on the surface.
            _ => (facet.normal, facet.height(&center)),
        };
        let distance = height - radius;
        if distance <= self.margin && (is_inside || self.is_rim(&nearest, &normal)) {
            patches.add(&(normal * -(radius + 0.5 * distance)), distance, &normal);
        }
    }

    /// Another solid in front of a triangle.
    fn meet(&self, facet: &Facet, patches: &mut Patches<'_>) -> NarrowStatus {
        let prism = Prism::new(facet, WEDGE * self.size, self.size);
        let mut found = LocalManifold::default();
        let status = self.meet_wedge(facet, &prism, &mut found);
        let cosine = found.normal.dot(&facet.normal);
        // Cylinders and cones are measured from the triangle, not from the wedge: where they cut it or come from behind, the wedge is
        // what they are in.
        let cuts = found.points().first().is_some_and(|point| point.distance <= 0.0) || cosine < BACK;
        let is_in_wedge = cuts && self.shape.frustum().is_some();
        if !is_in_wedge && (found.count == 0 || cosine < BACK) {
            return status;
        }
        let is_near = cosine >= NEAR_NORMAL && !is_in_wedge;
        if !is_near && !is_in_wedge && self.add_rim(facet, &found, patches) {
            return status;
        }
        let mut above = LocalManifold::default();
        self.meet_above(facet, &prism, &mut above);
        let mut is_met = false;
        for point in above.points() {
            let is_elsewhere = self.is_beyond(facet, &facet.normal, point)
                || !is_near && self.leaves_elsewhere(facet, point);
            if !is_elsewhere {
                patches.add(&point.point, point.distance, &facet.normal);
                is_met = true;
            }
        }
        if (is_near || is_in_wedge) && !is_met && cosine >= BACK {
            self.add_rim(facet, &found, patches);
        }
        status
    }

    /// A solid whose centre is below the plane of a triangle, but off an open rim of it: beside what it may hang on by that rim.
    fn meet_from_beside(&self, facet: &Facet, patches: &mut Patches<'_>) -> NarrowStatus {
        // A ball touches a rim along the line to its centre, which is here from the back.
        let reach = self.shape.reach(&self.rotation.inverse_transform_vector(&facet.normal));
        let is_below = facet.height(&Vector3::zeros()) + reach <= 0.0;
        if is_below || matches!(self.shape, Shape::Sphere { .. }) {
            return NarrowStatus::Exact;
        }
        let (nearest, is_inside) = facet.closest(&self.center);
        if is_inside || !self.ends_at(facet, &nearest) {
            return NarrowStatus::Exact;
        }
        let mut found = LocalManifold::default();
        let status = self.meet_wedge(facet, &Prism::new(facet, WEDGE * self.size, self.size), &mut found);
        if found.normal.dot(&facet.normal) >= BACK {
            self.add_rim(facet, &found, patches);
        }
        status
    }

    /// The contact with the wedge behind a triangle, by the code for solids.
    fn meet_wedge(&self, facet: &Facet, prism: &Prism, found: &mut LocalManifold) -> NarrowStatus {
        let triangle = Core::Triangle(&facet.corners);
        let within = Margin::uniform(self.margin);
        let (pose, cache) = (&self.pose, &mut PairCache::default());
        let outcome = match self.shape {
            Shape::Capsule { half_length, radius } => {
                let core = capsule_segment(*half_length, pose);
                polytope_round(prism, &core, *radius, self.margin, found);
                Outcome::EXACT
            }
            Shape::Box { half_extents } => {
                let cuboid = BoxPolytope { half_extents: *half_extents };
                super::super::polytopes((triangle, prism), (self.core, &cuboid), pose, &within, cache, found)
            }
            Shape::Hull(hull) => {
                super::super::polytopes((triangle, prism), (self.core, &**hull), pose, &within, cache, found)
            }
            _ => Outcome::NeedsClosestPoints,
        };
        match outcome {
            Outcome::Done(status) => status,
            Outcome::NeedsClosestPoints => {
                let limit = self.margin + self.radius;
                let separation = core_separation(&triangle, &self.core, pose, limit, cache, found);
                let Some(separation) = separation else { return NarrowStatus::Converged };
                push_separation(&separation, 0.0, self.radius, self.margin, found);
                separation.status
            }
        }
    }

    /// The contact along the normal of a triangle with what of the solid lies above it.
    fn meet_above(&self, facet: &Facet, prism: &Prism, found: &mut LocalManifold) {
        let (n, margin) = (facet.normal, self.margin);
        let mut push = |center: &Vector3, radius: Real| {
            let distance = facet.height(center) - radius;
            let point = center - n * (radius + 0.5 * distance);
            found.push_within(margin, LocalPoint { point, distance, feature: 0 });
        };
        match self.shape {
            Shape::Box { half_extents } => {
                let cuboid = BoxPolytope { half_extents: *half_extents };
                face_contact(prism, 0, &cuboid, &self.placement, 0, margin, found);
            }
            Shape::Hull(hull) => {
                face_contact(prism, 0, &**hull, &self.placement, 0, margin, found);
            }
            Shape::Capsule { half_length, radius } => {
                let core = capsule_segment(*half_length, &self.pose);
                if let Some((low, high)) = stretch_over(prism, 0, &n, &core) {
                    push(&core.at(low), *radius);
                    push(&core.at(high), *radius);
                }
            }
            _ => {
                if let Some(solid) = self.shape.frustum() {
                    over_face((prism, 0), (solid, &self.pose), margin, found);
                }
                // The lowest point of a rim that leans may be of no part that looks at the triangle.
                let deepest = found.points().iter().map(|p| p.distance).fold(margin, Real::min);
                if let (lowest, true) = self.lowest(facet)
                    && lowest.distance < deepest
                {
                    found.count = found.count.min(MAX_POINTS as u32 - 1);
                    found.push(lowest);
                }
            }
        }
    }

    /// The lowest point along the normal of a triangle, and whether it lies over or under it.
    fn lowest(&self, facet: &Facet) -> (LocalPoint, bool) {
        let own = self.rotation.inverse_transform_vector(&-facet.normal);
        let lowest = self.pose.transform_point(&self.shape.support(&own));
        let distance = facet.height(&lowest);
        let point = lowest - facet.normal * (0.5 * distance);
        (LocalPoint { point, distance, feature: 0 }, facet.closest(&lowest).1)
    }

    /// Adds those points of a contact with the wedge that lie on the triangle and are the top of the surface around them; false
    /// when there are none.
    fn add_rim(&self, facet: &Facet, found: &LocalManifold, patches: &mut Patches<'_>) -> bool {
        let m = found.normal;
        let mut is_met = false;
        for point in found.points() {
            let on_wedge = point.point - m * (0.5 * point.distance);
            // The sides of the wedge are no part of the surface.
            let on_surface = facet.closest(&on_wedge).0;
            let m = if m.dot(&facet.normal) < SAME { m } else { facet.normal };
            let off = (on_wedge - on_surface).norm_squared();
            let is_on = off <= self.near * self.near;
            if is_on && self.is_rim(&on_surface, &m) && !self.is_beyond(facet, &m, point) {
                patches.add(&point.point, point.distance, &m);
                is_met = true;
            }
        }
        is_met
    }
}
