//! Cylinders and cones against everything else.
//!
//! In: two shapes of which one or both are a cylinder or cone, their relative pose, a margin. Out: a manifold.
//! Start reading at [`contact`]; balls and half-spaces have closed forms in `closed`, GJK and EPA
//! are asked in `separation`.
//!
//! Method: a few directions in which the least distance or depth often lies are looked at first: faces of a polytope,
//! caps, and the common perpendicular of two cylinders. The parts of the two surfaces that look along the best of them
//! are laid over each other (`patch`), which gives the points. That answer is proven or not taken:
//! - The separation along any direction bounds the distance from below, and the depth from above.
//! - A pair of points opposite each other bounds the distance from above.
//! - A point of the one shape that is nowhere nearer to the surface of the other than `d` cannot leave it by a way
//!   shorter than `d`: the depth is at least that.
//!
//! Where the bounds leave more than the preferences of boxes and hulls (`box_box`), GJK and EPA find the direction, in
//! which two lines of the surfaces side by side give two points and everything else one. So a body that rests on a face or
//! rolls on it costs no iteration.

mod closed;
mod patch;
mod placed;
mod separation;

pub(super) use closed::{half_space, sphere};

use super::box_box::{EDGE_ABSOLUTE, EDGE_RELATIVE, FACE_ABSOLUTE, FACE_RELATIVE, Outcome};
use super::polytope::{BoxPolytope, MAX_FACES, Polytope};
use super::round::{capsule_segment, round_point};
use super::segment::{PARALLEL_SINE_SQUARED, Segment, closest_segments, unit};
use super::{LocalManifold, Margin, PairCache};
use crate::Shape;
use crate::shape::Frustum;
use drystone_math::{Real, RelativePose, Vector3};
use patch::{Face, Line, Patch, facing};
use placed::Placed;

/// Share of half the height within which a point of the axis counts as between the caps.
const BETWEEN_CAPS: Real = 1.0 - 1.0e-5;

/// A shape that takes part, in the frame of the contact, which is that of A.
enum Part<'p> {
    Polytope(&'p dyn Polytope),
    Round(Placed),
    /// A capsule: its core and radius, m.
    Capsule(Segment, Real),
}

impl Part<'_> {
    /// Height of a point above the surface, m; inside it is the distance.
    fn height(&self, point: &Vector3) -> Real {
        match self {
            Self::Polytope(polytope) => (0..polytope.face_count())
                .map(|f| polytope.plane(f))
                .fold(Real::NEG_INFINITY, |h, (normal, offset)| h.max(normal.dot(point) - offset)),
            Self::Round(placed) => placed.height(point),
            Self::Capsule(core, radius) => (point - core.at(core.closest_along(point))).norm() - radius,
        }
    }

    /// Height of the lowest point along the unit `direction`, m.
    fn lowest(&self, direction: &Vector3) -> Real {
        match self {
            Self::Polytope(polytope) => polytope.lowest(direction).1,
            Self::Round(placed) => placed.lowest(direction),
            Self::Capsule(core, radius) => {
                core.center.dot(direction) - core.half_length * core.direction.dot(direction).abs() - radius
            }
        }
    }

    /// The part of the surface that looks along the unit `direction`: among those at the farthest point.
    fn facing(&self, direction: &Vector3) -> Patch {
        match self {
            Self::Polytope(polytope) => {
                let against = -direction;
                let face = polytope.facing_at(polytope.lowest(&against).0, &against);
                Patch::Face(Face::new(*polytope, face, None))
            }
            Self::Round(placed) => placed.facing(direction),
            Self::Capsule(core, radius) => {
                let ends = [-core.half_length, core.half_length].map(|at| core.at(at) + direction * *radius);
                Patch::Line(Line { ends, radii: [*radius; 2], names: [0, 1] })
            }
        }
    }

    fn thinness(&self) -> Real {
        match self {
            Self::Polytope(polytope) => polytope.thinness(),
            Self::Round(placed) => placed.solid.thinness(),
            Self::Capsule(_, radius) => *radius,
        }
    }

    /// The line of the round side that looks along the unit `direction`; a face of a polytope, which has none.
    fn side(&self, direction: &Vector3) -> Patch {
        match self {
            Self::Round(placed) => Patch::Line(placed.side(direction)),
            part => part.facing(direction),
        }
    }

    /// The axis and radius, m, of what has a straight round side.
    fn side_axis(&self) -> Option<(Segment, Real)> {
        match self {
            Self::Polytope(_) => None,
            Self::Round(placed) => placed.cylinder_axis(),
            Self::Capsule(core, radius) => Some((*core, *radius)),
        }
    }

    /// True where the side ends at `along` (m along the axis) in a cap.
    fn ends_at(&self, axis: &Segment, along: Real) -> bool {
        matches!(self, Self::Round(_)) && along.abs() > axis.half_length * BETWEEN_CAPS
    }
}

/// The surface that a direction is normal to.
#[derive(Clone, Copy)]
enum Reference {
    /// A face of a polytope, which is A.
    Face(usize),
    CapOfA(bool),
    CapOfB(bool),
    /// Two round sides.
    Sides,
}

/// A direction that may be that of least distance or depth.
#[derive(Clone, Copy)]
struct Axis {
    reference: Reference,
    /// Unit, from A to B.
    normal: Vector3,
    /// Signed gap along it, m.
    separation: Real,
}

/// No direction.
const NO_AXIS: Axis =
    Axis { reference: Reference::Sides, normal: Vector3::new(0.0, 1.0, 0.0), separation: Real::NEG_INFINITY };

/// Two shapes with a cylinder or cone among them, neither a ball nor a half-space, in the order of the table of pairs.
///
/// Cost: linear in the faces of a polytope where the answer is proven (see above); else that of GJK and, where the two
/// overlap, EPA. `cache` keeps what GJK keeps.
pub(super) fn contact(
    a: &Shape,
    b: &Shape,
    pose: &RelativePose,
    within: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> Outcome {
    let cuboid;
    let part_a = match a {
        Shape::Box { half_extents } => {
            cuboid = BoxPolytope { half_extents: *half_extents };
            Part::Polytope(&cuboid)
        }
        Shape::Hull(hull) => Part::Polytope(&**hull),
        Shape::Capsule { half_length, radius } => {
            Part::Capsule(capsule_segment(*half_length, &RelativePose::IDENTITY), *radius)
        }
        _ => match a.frustum() {
            Some(solid) => Part::Round(Placed::at_home(solid)),
            None => return Outcome::EXACT,
        },
    };
    let Some(solid) = b.frustum() else { return Outcome::EXACT };
    let pair = Pair { a: part_a, b: Part::Round(Placed::new(solid, pose)), margin: within.all };
    let mut axes = [NO_AXIS; 3];
    let count = pair.axes(&mut axes, manifold);
    let axes = &mut axes[..count];
    let widest = axes.iter().fold(NO_AXIS, |w, axis| if axis.separation > w.separation { *axis } else { w });
    if within.is_exceeded(widest.separation, || widest.normal) {
        (manifold.normal, manifold.gap, manifold.count) = (widest.normal, widest.separation, 0);
        return Outcome::EXACT;
    }
    let slack = pair.slack(widest.separation);
    for axis in axes.iter().filter(|axis| axis.separation >= widest.separation - slack) {
        if pair.try_axis(axis, widest.separation + slack, manifold) {
            return Outcome::EXACT;
        }
    }
    pair.along_separation((a, b), pose, cache, manifold)
}

/// Two parts and the largest distance of points, m.
struct Pair<'p> {
    a: Part<'p>,
    b: Part<'p>,
    margin: Real,
}

impl Pair<'_> {
    /// How much deeper than the best direction one may be and still be taken, m; that of boxes and hulls.
    fn slack(&self, separation: Real) -> Real {
        EDGE_RELATIVE * separation.abs() + EDGE_ABSOLUTE * self.a.thinness().min(self.b.thinness())
    }

    /// The directions to look at, best first: those of flat parts stay before others that are as good up to the
    /// preferences of boxes and hulls. Returns how many.
    fn axes(&self, axes: &mut [Axis; 3], manifold: &mut LocalManifold) -> usize {
        let found = [self.flat_axis_of_a(), self.cap_axis(&self.b, false), self.side_axis(manifold)];
        let mut count = 0;
        for axis in found.into_iter().flatten() {
            axes[count] = axis;
            count += 1;
        }
        let thinness = self.a.thinness().min(self.b.thinness());
        // Insertion, for an earlier one is displaced only by one that is better by more than the preference.
        for i in 1..count {
            for k in (1..=i).rev() {
                let slack = FACE_RELATIVE * axes[k - 1].separation.abs() + FACE_ABSOLUTE * thinness;
                if axes[k].separation > axes[k - 1].separation + slack {
                    axes.swap(k - 1, k);
                }
            }
        }
        count
    }

    /// The widest of A's faces or caps.
    fn flat_axis_of_a(&self) -> Option<Axis> {
        let Part::Polytope(polytope) = &self.a else {
            return self.cap_axis(&self.a, true);
        };
        if polytope.face_count() > MAX_FACES {
            return None;
        }
        let mut best: Option<Axis> = None;
        for face in 0..polytope.face_count() {
            let (normal, offset) = polytope.plane(face);
            let separation = self.b.lowest(&normal) - offset;
            if best.is_none_or(|best| separation > best.separation) {
                best = Some(Axis { reference: Reference::Face(face), normal, separation });
            }
        }
        best
    }

    /// The wider of the caps of a part.
    fn cap_axis(&self, part: &Part<'_>, is_a: bool) -> Option<Axis> {
        let Part::Round(placed) = part else { return None };
        let mut best: Option<Axis> = None;
        for (is_top, outward, offset) in placed.caps() {
            let other = if is_a { &self.b } else { &self.a };
            let separation = other.lowest(&outward) - offset;
            if best.is_none_or(|best| separation > best.separation) {
                let (reference, normal) = if is_a {
                    (Reference::CapOfA(is_top), outward)
                } else {
                    (Reference::CapOfB(is_top), -outward)
                };
                best = Some(Axis { reference, normal, separation });
            }
        }
        best
    }

    /// The common perpendicular of two straight round sides, where it meets both between their ends; `manifold` then
    /// holds the points along it.
    fn side_axis(&self, manifold: &mut LocalManifold) -> Option<Axis> {
        let ((a, radius_a), (b, radius_b)) = (self.a.side_axis()?, self.b.side_axis()?);
        manifold.count = 0;
        if let Some(normal) = common_normal(&a, &b) {
            let lines = (self.a.side(&normal), self.b.side(&-normal));
            facing(&lines.0, &lines.1, &normal, Real::INFINITY, manifold);
        }
        if manifold.count == 0 {
            let (s, t) = closest_segments(&a, &b);
            if self.a.ends_at(&a, s) || self.b.ends_at(&b, t) {
                return None;
            }
            let (core_a, core_b) = (a.at(s), b.at(t));
            (manifold.normal, _) = unit(&(core_b - core_a))?;
            manifold.push(round_point(&core_a, radius_a, &core_b, radius_b, &manifold.normal, 0));
        }
        let normal = manifold.normal;
        let separation = self.b.lowest(&normal) + self.a.lowest(&-normal);
        Some(Axis { reference: Reference::Sides, normal, separation })
    }

    /// Points along `axis`; false, and none, where they do not prove that no direction is better than `axis` by more
    /// than its distance to `limit` (m).
    fn try_axis(&self, axis: &Axis, limit: Real, manifold: &mut LocalManifold) -> bool {
        let n = axis.normal;
        let (patch_a, patch_b) = match axis.reference {
            Reference::Face(face) => {
                let Part::Polytope(polytope) = &self.a else { return false };
                (Patch::Face(Face::new(*polytope, face, None)), self.b.facing(&-n))
            }
            Reference::CapOfA(is_top) => {
                let Part::Round(placed) = &self.a else { return false };
                (placed.cap(is_top), self.b.facing(&-n))
            }
            Reference::CapOfB(is_top) => {
                let Part::Round(placed) = &self.b else { return false };
                (self.a.facing(&n), placed.cap(is_top))
            }
            Reference::Sides => return self.try_sides(axis, limit, manifold),
        };
        facing(&patch_a, &patch_b, &n, self.margin, manifold);
        manifold.gap = axis.separation;
        let b_is_reference = matches!(axis.reference, Reference::CapOfB(_));
        if !self.is_proven(axis, limit, b_is_reference, manifold) {
            manifold.count = 0;
        }
        manifold.count > 0
    }

    /// The points of two round sides, which were overwritten if another direction was tried first.
    fn try_sides(&self, axis: &Axis, limit: Real, manifold: &mut LocalManifold) -> bool {
        if self.side_axis(manifold).is_none() {
            return false;
        }
        manifold.gap = axis.separation;
        let is_proven = self.is_proven(axis, limit, false, manifold);
        let found = *manifold;
        manifold.count = 0;
        for point in found.points().iter().filter(|_| is_proven) {
            manifold.push_within(self.margin, *point);
        }
        manifold.count > 0
    }

    /// True when the points of the manifold are no more than `limit` (m) apart, or as deep, and, overlapping, at least
    /// one of them is as deep in the reference in every direction.
    fn is_proven(&self, axis: &Axis, limit: Real, b_is_reference: bool, manifold: &LocalManifold) -> bool {
        if manifold.count == 0 || manifold.deepest() > limit {
            return false;
        }
        let slack = self.slack(axis.separation);
        if axis.separation >= -slack {
            return true;
        }
        let (reference, side) = if b_is_reference { (&self.b, -0.5) } else { (&self.a, 0.5) };
        manifold.points().iter().filter(|p| p.distance <= limit).any(|p| {
            let of_other = p.point + manifold.normal * (side * p.distance);
            reference.height(&of_other) <= p.distance + slack
        })
    }
}

/// Unit vector from `a` to `b`, square to `a`, in the middle of the stretch that two nearly parallel axes share; `None`
/// for others and where they meet.
fn common_normal(a: &Segment, b: &Segment) -> Option<Vector3> {
    if a.direction.cross(&b.direction).norm_squared() >= PARALLEL_SINE_SQUARED {
        return None;
    }
    let cosine = a.direction.dot(&b.direction);
    let offset = b.center - a.center;
    let (center, half) = (offset.dot(&a.direction), b.half_length * cosine.abs());
    let (low, high) = ((center - half).max(-a.half_length), (center + half).min(a.half_length));
    if low > high {
        return None;
    }
    let along = 0.5 * (low + high);
    let between = b.at((along - center) / cosine) - a.at(along);
    unit(&(between - a.direction * between.dot(&a.direction))).map(|(normal, _)| normal)
}

/// The part of `shape` at `pose` that looks along the unit `direction`, for [`add_facing`]; `None` for shapes without
/// one, and for a face that looks elsewhere.
fn facing_part(shape: &Shape, pose: &RelativePose, direction: &Vector3, least_cosine: Real) -> Option<Patch> {
    let face_of = |polytope: &dyn Polytope| {
        if polytope.face_count() > MAX_FACES {
            return None;
        }
        let place = super::sat::Placement::new(pose);
        let own = place.rotation.tr_mul(direction);
        let face = polytope.most_aligned(&own);
        (polytope.plane(face).0.dot(&own) > least_cosine)
            .then(|| Patch::Face(Face::new(polytope, face, Some(&place))))
    };
    match shape {
        Shape::Box { half_extents } => face_of(&BoxPolytope { half_extents: *half_extents }),
        Shape::Hull(hull) => face_of(&**hull),
        Shape::Capsule { half_length, radius } => {
            Some(Part::Capsule(capsule_segment(*half_length, pose), *radius).facing(direction))
        }
        _ => shape.frustum().map(|solid| Placed::new(solid, pose).facing(direction)),
    }
}

/// The places where the parts of two shapes, one of them a cylinder or cone, that look along `normal` (from A to B)
/// and against it lie opposite each other; see [`super::add_facing_points`].
pub(super) fn add_facing(
    (a, b): (&Shape, &Shape),
    b_in_a: &RelativePose,
    normal: &Vector3,
    (least_cosine, margin): (Real, Real),
    found: &mut LocalManifold,
) {
    let part_a = facing_part(a, &RelativePose::IDENTITY, normal, least_cosine);
    let part_b = facing_part(b, b_in_a, &-normal, least_cosine);
    if let (Some(part_a), Some(part_b)) = (part_a, part_b) {
        facing(&part_a, &part_b, normal, margin, found);
    }
}

/// The places where the part of a cylinder or cone at `pose` that looks at `face` of a polytope lies over it, along the face's normal.
pub(super) fn over_face(
    (polytope, face): (&impl Polytope, usize),
    (solid, pose): (Frustum, &RelativePose),
    margin: Real,
    found: &mut LocalManifold,
) {
    let normal = polytope.plane(face).0;
    let part = Placed::new(solid, pose).facing(&-normal);
    facing(&Patch::Face(Face::new(polytope, face, None)), &part, &normal, margin, found);
}
