//! One side of a pair: a convex core with a radius, or a half-space; and how far two sides are apart.

use super::closest::ClosestPoints;
use crate::Shape;
use crate::narrow::NarrowStatus;
use crate::narrow::epa::{EpaScratch, penetration};
use crate::narrow::gjk::{Difference, GjkSeed, Walk, walk};
use crate::shape::{ConvexHull, Core, Frame, Support};
use drystone_math::{Displacement, Pose, Position, Real, Rotation, Vector3, narrow, widen};

/// Part of the size of the coordinates by which limits are loosened: eight times the rounding of `f32`, in which EPA answers.
const LOOSENING: f64 = 1.0e-6;
/// Distance of a shape beyond which points and rays have no answer, m: products of three lengths stay finite up to it.
const FARTHEST: f64 = 1.0e100;

/// A core made smaller (or not) about a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaled<'a> {
    core: Core<'a>,
    center: Displacement,
    scale: Displacement,
}

impl Support for Scaled<'_> {
    #[inline]
    fn support(&self, direction: &Displacement, hint: u32) -> u32 {
        // A vertex reaches farthest where its scaled offset does.
        self.core.support(&direction.component_mul(&self.scale), hint)
    }

    #[inline]
    fn vertex(&self, index: u32) -> Displacement {
        self.center + (self.core.vertex(index) - self.center).component_mul(&self.scale)
    }

    #[inline]
    fn vertex_count(&self) -> u32 {
        self.core.vertex_count()
    }
}

/// What a pair is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side<'a> {
    /// All points within `radius` (m) of the core.
    Convex { core: Scaled<'a>, radius: f64 },
    /// Below the plane through the origin with this unit normal.
    HalfSpace { normal: Displacement },
}

impl<'a> Side<'a> {
    /// A point.
    pub(super) const POINT: Self = Self::ball(0.0, Displacement::new(0.0, 0.0, 0.0));

    /// A ball of `radius` (m) around a point of the frame.
    pub(super) const fn ball(radius: f64, center: Displacement) -> Self {
        // The only vertex is the origin: scaled by 0 about the centre it lies there.
        let scale = Displacement::new(0.0, 0.0, 0.0);
        Self::Convex { core: Scaled { core: Core::Point, center, scale }, radius }
    }

    /// A triangle, m.
    pub(super) fn triangle(corners: &'a [Vector3; 3]) -> Self {
        let (center, scale) = (Displacement::zeros(), Displacement::repeat(1.0));
        Self::Convex { core: Scaled { core: Core::Triangle(corners), center, scale }, radius: 0.0 }
    }

    /// A hull.
    pub(super) fn hull(hull: &'a ConvexHull) -> Self {
        let (center, scale) = (Displacement::zeros(), Displacement::repeat(1.0));
        Self::Convex { core: Scaled { core: Core::Hull(hull), center, scale }, radius: 0.0 }
    }

    /// The side of a shape; `None` for a surface.
    pub(super) fn of(shape: &'a Shape) -> Option<Self> {
        if let Shape::HalfSpace { normal } = shape {
            return Some(Self::HalfSpace { normal: widen(normal) });
        }
        let (core, radius) = shape.core()?;
        let (center, scale) = (Displacement::zeros(), Displacement::repeat(1.0));
        Some(Self::Convex { core: Scaled { core, center, scale }, radius: f64::from(radius) })
    }

    /// The side of a shape with a convex core; `None` also for a half-space.
    pub(super) fn convex(shape: &'a Shape) -> Option<Self> {
        Self::of(shape).filter(|side| matches!(side, Self::Convex { .. }))
    }

    /// The side of a shape without all that is nearer to the surface than `by` (m, less than the least distance of the surface from
    /// the centre): exactly for balls, capsules and boxes; other cores are made smaller about the centre of mass by as much as takes
    /// `by` off the nearest part of the surface, and more off the others.
    pub(super) fn eroded(shape: &'a Shape, by: f64) -> Option<Self> {
        let side = Self::of(shape)?;
        let Self::Convex { core, radius } = side else { return Some(side) };
        if radius > by {
            return Some(Self::Convex { core, radius: radius - by });
        }
        let scale = match shape {
            Shape::Box { half_extents } => widen(half_extents).map(|h| (1.0 - by / h).max(0.0)),
            _ => Displacement::repeat((1.0 - by / f64::from(shape.inner_radius())).clamp(0.0, 1.0)),
        };
        let center = widen(&shape.center_of_mass());
        Some(Self::Convex { core: Scaled { center, scale, ..core }, radius })
    }
}

/// The frame of `pose` in one at `origin` with the axes of the world.
pub(super) fn frame_beside(pose: &Pose, origin: &Position) -> Frame {
    Frame { origin: pose.translation - origin, ..Frame::of_rotation(&pose.rotation) }
}

/// The same, where both are made of numbers and no farther apart than [`FARTHEST`].
pub(super) fn frame_in_reach(pose: &Pose, origin: &Position) -> Option<Frame> {
    let frame = frame_beside(pose, origin);
    (pose.is_finite() && frame.origin.amax() <= FARTHEST).then_some(frame)
}

/// Whether a point (m, frame of the hull) that is not above the planes of a hull by more than rounding is in it, to within its tolerance and `slack` (m).
///
/// Two faces that meet at a sharp edge do so where their planes, rounded to `f32`, do not: these meet beyond it by their rounding over the sine of half the
/// angle, a millimetre of a wedge 1 m long that is 0.04 mm thick at its back. So where two planes are nearer than the tolerance the corners are asked, by GJK.
pub(super) fn is_in_hull(hull: &ConvexHull, p: &Displacement, slack: f64) -> bool {
    let tolerance = f64::from(hull.tolerance);
    let near = hull.faces.iter().filter(|face| face.height(p) > -tolerance);
    if near.count() < 2 {
        return true;
    }
    let at = Frame { origin: *p, ..Frame::of_rotation(&Rotation::identity()) };
    let (limit, seed) = (tolerance + slack, &mut GjkSeed::default());
    let apart = gap(&Side::hull(hull), &Side::POINT, &at, limit, None, seed);
    matches!(apart, Some(Apart::Near(_) | Apart::Inside))
}

/// `inner` in the frame `outer`, both given in a third one.
pub(super) fn frame_in(outer: &Frame, inner: &Frame) -> Frame {
    Frame {
        x: outer.turn_back(&inner.x),
        y: outer.turn_back(&inner.y),
        z: outer.turn_back(&inner.z),
        origin: outer.turn_back(&(inner.origin - outer.origin)),
    }
}

/// How far two sides are apart, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Signed distance, m.
    pub(super) distance: f64,
    /// Unit normal from A to B.
    pub(super) normal: Displacement,
    /// Closest or deepest points of A and B, m.
    pub(super) points: [Displacement; 2],
    pub(super) status: NarrowStatus,
}

impl Gap {
    /// The same in the world.
    pub(super) fn placed(&self, frame: &Frame, origin: &Position) -> ClosestPoints {
        ClosestPoints {
            distance: self.distance,
            normal: narrow(&frame.turn(&self.normal)),
            points: self.points.map(|point| origin + frame.place(&point)),
            status: self.status,
        }
    }
}

/// What [`gap`] found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Apart {
    /// Not farther than the limit. Negative distances are known only as far as asked for.
    Near(Gap),
    /// Farther than the limit.
    Beyond,
    /// The cores overlap, and how deep was not asked.
    Inside,
}

/// A limit for [`gap`] with which rounding hides nothing that is not farther apart than `limit` (m); the caller compares the distance found.
/// The bounds that [`gap`] gives up by are computed otherwise than the distance, and each is rounded. `sizes`: how far A and B reach from
/// their origins, m.
pub(super) fn loosened(limit: f64, b_in_a: &Frame, sizes: [Real; 2]) -> f64 {
    let [a, b] = sizes.map(f64::from);
    limit + LOOSENING * (a + b + b_in_a.origin.norm())
}

/// The gap of two sides, `b_in_a` the frame of B in A, if not above `limit` (m). `depth`: whether overlapping cores are told how deep.
/// `None` for two half-spaces and for frames that are not made of numbers.
pub(super) fn gap(
    a: &Side<'_>,
    b: &Side<'_>,
    b_in_a: &Frame,
    limit: f64,
    depth: Option<&Pose2<'_>>,
    seed: &mut GjkSeed,
) -> Option<Apart> {
    match (a, b) {
        (Side::Convex { core: a, radius: ra }, Side::Convex { core: b, radius: rb }) => {
            convex_gap((a, *ra), (b, *rb), b_in_a, limit, depth, seed)
        }
        (Side::Convex { core, radius }, Side::HalfSpace { normal }) => {
            let normal = b_in_a.turn(normal);
            let deepest = core.vertex(core.support(&-normal, 0));
            let distance = normal.dot(&(deepest - b_in_a.origin)) - radius;
            let on_a = deepest - normal * *radius;
            finite(Gap {
                distance,
                normal: -normal,
                points: [on_a, on_a - normal * distance],
                status: NarrowStatus::Exact,
            })
        }
        (Side::HalfSpace { normal }, Side::Convex { core, radius }) => {
            let lowest = b_in_a.place(&core.vertex(core.support(&-b_in_a.turn_back(normal), 0)));
            let distance = normal.dot(&lowest) - radius;
            let on_b = lowest - normal * *radius;
            finite(Gap {
                distance,
                normal: *normal,
                points: [on_b - normal * distance, on_b],
                status: NarrowStatus::Exact,
            })
        }
        (Side::HalfSpace { .. }, Side::HalfSpace { .. }) => None,
    }
}

/// The poses that EPA takes.
pub(super) struct Pose2<'a>(pub(super) &'a Pose, pub(super) &'a Pose);

/// How deep a convex side and a triangle (corners in the frame of B, m) overlap whose cores do, in the frame of A.
pub(super) fn depth_in_triangle(side: &Side<'_>, corners: &[Vector3; 3], b_in_a: &Frame) -> Option<Gap> {
    // EPA takes `f32`: seen from A the corners near it keep the most digits, however far away the origin of the surface is.
    let seen = corners.map(|corner| narrow(&b_in_a.place(&widen(&corner))));
    let (here, same) = (Pose::IDENTITY, Frame::of_rotation(&Pose::IDENTITY.rotation));
    let poses = Pose2(&here, &here);
    match gap(side, &Side::triangle(&seen), &same, f64::INFINITY, Some(&poses), &mut GjkSeed::default())? {
        // What only just overlaps may be parted by the rounding of the corners.
        Apart::Near(found) => Some(Gap { distance: found.distance.min(0.0), ..found }),
        Apart::Beyond | Apart::Inside => None,
    }
}

fn finite(gap: Gap) -> Option<Apart> {
    gap.distance.is_finite().then_some(Apart::Near(gap))
}

fn convex_gap(
    (a, radius_a): (&Scaled<'_>, f64),
    (b, radius_b): (&Scaled<'_>, f64),
    b_in_a: &Frame,
    limit: f64,
    depth: Option<&Pose2<'_>>,
    seed: &mut GjkSeed,
) -> Option<Apart> {
    let radii = radius_a + radius_b;
    let difference = Difference { a, b, frame: *b_in_a };
    match walk(&difference, limit + radii, seed) {
        Walk::Undefined => None,
        Walk::Beyond { .. } => Some(Apart::Beyond),
        Walk::Apart { simplex, v, is_limit, .. } => {
            let length = v.norm();
            let normal = -v / length;
            let status = if is_limit { NarrowStatus::RoundLimit } else { NarrowStatus::Converged };
            let points = [
                simplex.blend(|w| difference.a.vertex(w.a)) + normal * radius_a,
                simplex.blend(|w| difference.point_of_b(w.b)) - normal * radius_b,
            ];
            finite(Gap { distance: length - radii, normal, points, status })
        }
        Walk::Overlap { .. } => {
            let Some(Pose2(pose_a, pose_b)) = depth else { return Some(Apart::Inside) };
            let found = overlapping(a, b, pose_a, pose_b, seed);
            let normal = widen(&found.normal);
            finite(Gap {
                distance: f64::from(found.distance) - radii,
                normal,
                points: [
                    widen(&found.point_a) + normal * radius_a,
                    widen(&found.point_b) - normal * radius_b,
                ],
                status: found.status,
            })
        }
    }
}

/// Apart from its caller, so that only overlapping cores pay for the working memory.
#[cold]
#[inline(never)]
fn overlapping(
    a: &Scaled<'_>,
    b: &Scaled<'_>,
    pose_a: &Pose,
    pose_b: &Pose,
    seed: &mut GjkSeed,
) -> crate::narrow::epa::Separation {
    penetration(a, b, &pose_a.relative(pose_b), seed, &mut EpaScratch::default())
}

/// A unit vector at a right angle to a unit vector.
pub(super) fn beside(axis: &Displacement) -> Displacement {
    let basis = drystone_math::ContactBasis::new(&narrow(axis));
    let tangent: Vector3 = basis.tangent_1;
    widen(&tangent)
}
