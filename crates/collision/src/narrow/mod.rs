//! Narrow phase: contact manifolds of two shapes.
//!
//! In: two shapes, the pose of B seen from A, a margin. Out: up to four points with one normal, in the
//! frame of A. Knows no body, no world frame and no time step. Start reading at [`contact`].
//!
//! Conventions: SI; unit normal from A to B; `distance` is the signed gap along the normal. Nothing here
//! allocates, and nothing but [`PairCache`] is remembered: equal input and cache give equal bits.

mod ball_lanes;
mod batch;
mod box_axes;
mod box_box;
mod box_clip;
mod box_corners;
mod box_face;
mod capsule_lanes;
mod closest;
pub mod epa;
mod facing;
mod frustum;
pub mod gjk;
mod half_space;
mod margin;
mod polygon;
mod polytope;
mod polytopes;
mod prism;
mod reduce;
mod round;
mod round_polytope;
mod sat;
mod segment;
pub mod surface;
#[cfg(debug_assertions)]
mod verify;

pub use ball_lanes::{BallBatch, OfBalls, RoundedBox};
pub use batch::{PAIR_BATCH, PairBatch, PointContact};
pub use box_axes::{BoxAxes, BoxBatch, OfBoxes};
pub use capsule_lanes::{CapsuleBatch, OfCapsules};
pub use facing::add_facing_points;
pub use margin::Margin;

use crate::Shape;
use crate::shape::Core;
use box_box::Outcome;
use drystone_math::{Real, RelativePose, Vector3, smaller};
use half_space::Plane;
use polytope::{BoxPolytope, Polytope};

/// Most points of a manifold.
pub const MAX_POINTS: usize = 4;

/// Farthest B may be from A along an axis, m, to be looked at: beyond, squares overflow and positions in
/// `f32` are millions of kilometres coarse.
pub const MAX_OFFSET: Real = 1.0e15;

/// One point of a manifold, in the frame of shape A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalPoint {
    /// Middle between the two surfaces along the normal, m, frame of A.
    pub point: Vector3,
    /// Signed gap along the normal, m; negative when overlapping.
    pub distance: Real,
    /// Which features touch: stable while they stay the same, distinct within a manifold. Meaningful only
    /// for comparison with the same pair in the same order.
    pub feature: u32,
}

/// Contact of two shapes: up to four points with one normal, in the frame of shape A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalManifold {
    /// Unit normal from A to B, frame of A; without meaning when there are no points and no gap.
    pub normal: Vector3,
    /// How far the shapes are apart along the normal at least, m (negative: they overlap along it, up to rounding);
    /// minus infinity where nobody has found out. Known also when there are no points.
    pub gap: Real,
    /// Points; the first `count` are meant.
    pub points: [LocalPoint; MAX_POINTS],
    /// Number of points; 0 when the shapes are farther apart than the margin.
    pub count: u32,
}

impl Default for LocalManifold {
    fn default() -> Self {
        Self {
            normal: Vector3::zeros(),
            gap: Real::NEG_INFINITY,
            points: [LocalPoint::default(); MAX_POINTS],
            count: 0,
        }
    }
}

impl LocalManifold {
    /// The points.
    #[inline]
    pub fn points(&self) -> &[LocalPoint] {
        &self.points[..self.count as usize]
    }

    /// The smallest distance, m; infinite without points.
    #[inline]
    fn deepest(&self) -> Real {
        // How many points there are cannot be foreseen: all are looked at, and bits choose instead of branches.
        let mut least = Real::INFINITY;
        for (k, point) in self.points.iter().enumerate() {
            let is_meant = u32::from((k as u32) < self.count).wrapping_neg();
            let bits = point.distance.to_bits() & is_meant | Real::INFINITY.to_bits() & !is_meant;
            least = smaller(Real::from_bits(bits), least);
        }
        least
    }

    /// The points, to change.
    #[inline]
    fn points_mut(&mut self) -> &mut [LocalPoint] {
        &mut self.points[..self.count as usize]
    }

    /// Adds a point. The closed forms never make more than four, and the others reduce first.
    #[inline]
    fn push(&mut self, point: LocalPoint) {
        debug_assert!((self.count as usize) < MAX_POINTS, "a manifold has at most {MAX_POINTS} points");
        if let Some(slot) = self.points.get_mut(self.count as usize) {
            *slot = point;
            self.count += 1;
        }
    }

    /// Adds a point unless it is farther apart than `margin` (or not a number).
    #[inline]
    fn push_within(&mut self, margin: Real, point: LocalPoint) {
        if point.distance <= margin {
            self.push(point);
        }
    }

    /// Turns a manifold computed in the frame of B, with its normal from B to A, into one in the frame of A.
    fn flip(&mut self, b_in_a: &RelativePose) {
        self.normal = -(b_in_a.rotation * self.normal);
        for point in self.points_mut() {
            point.point = b_in_a.transform_point(&point.point);
        }
    }
}

/// What the narrow phase remembers of a pair between steps. Opaque; `Default` is a pair never seen.
///
/// It belongs to one pair of shapes in one order. It saves time and keeps the choice among equally good
/// features; the depth reported changes with it only within the tolerances of that choice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairCache {
    /// Words 0 to 2: the axes that separated or touched last (see `box_box` and `polytopes`); 4 to 7: where GJK
    /// ended (see `closest`). Content that does not fit the shapes is ignored.
    pub(crate) words: [u32; 8],
}

/// How an answer was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NarrowStatus {
    /// Exact up to rounding.
    Exact,
    /// Found by an iterative method within its error bound.
    Converged,
    /// The bound on rounds was hit; the answer is the best found and its error bound is in the report.
    RoundLimit,
}

/// Contact of shape `a` and shape `b`, whose frame seen from A's is `b_in_a`.
///
/// Closed forms for balls, capsules and half-spaces; separating axes and clipping for boxes and hulls of up
/// to 64 faces (a face contact is preferred to an edge contact that is only a little shallower); faces, caps and sides
/// for cylinders and cones; GJK and EPA for hulls with more faces and for features that do not face each other. At most 32 corners of a face take
/// part in clipping. Costs 8 to 400 ns for balls, capsules and boxes (`benches/benches/narrow.rs`).
///
/// Contacts are reported when the shapes are within `margin` (m, at least 0) of each other; a point farther
/// apart than that along the normal is left out. The manifold is overwritten; where the shapes are known to be
/// apart along an axis, it says how far ([`LocalManifold::gap`]).
///
/// Total: a pose or margin that is not a number, and a component of the translation above [`MAX_OFFSET`],
/// give no points. Two shapes that cannot move give none either. A surface of triangles may touch in many
/// directions: here the manifold of its deepest contact is given, [`surface::surface_contacts`] gives all.
///
/// A half-space may be moved along its plane without changing it: a caller keeps the full precision of
/// `f32` far from its origin by giving it a frame near the other shape.
pub fn contact(
    a: &Shape,
    b: &Shape,
    b_in_a: &RelativePose,
    margin: Real,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> NarrowStatus {
    contact_within(a, b, b_in_a, &Margin::uniform(margin), cache, manifold)
}

/// [`contact`] with a margin that depends on the direction: where two boxes or hulls are found apart along an axis by
/// more than the margin there, no points are looked for. So a manifold may be empty though the shapes are nearer than
/// [`Margin::all`]; its gap is then above the margin along its normal.
pub fn contact_within(
    a: &Shape,
    b: &Shape,
    b_in_a: &RelativePose,
    margin: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> NarrowStatus {
    (manifold.count, manifold.gap) = (0, Real::NEG_INFINITY);
    if !is_usable(b_in_a) {
        return NarrowStatus::Exact;
    }
    let status = if rank(a) <= rank(b) {
        ordered_contact(a, b, b_in_a, margin, cache, manifold)
    } else {
        // Beside a half-space nobody asks for ways.
        let flipped;
        let within = if a.is_half_space() {
            margin
        } else {
            flipped = margin.flipped(b_in_a);
            &flipped
        };
        let status = ordered_contact(b, a, &b_in_a.inverse(), within, cache, manifold);
        manifold.flip(b_in_a);
        status
    };
    #[cfg(debug_assertions)]
    debug_assert!(
        status == NarrowStatus::RoundLimit || verify::lies_on_both(a, b, b_in_a, manifold),
        "contact points lie on both surfaces: {a:?} {b:?} {b_in_a:?} {margin:?} {manifold:?}"
    );
    status
}

/// [`contact_within`] of two boxes whose `axes` a [`BoxBatch`] has looked at: equal bits. Half extents in m.
///
/// ```
/// use drystone_collision::Shape;
/// use drystone_collision::narrow::{BoxBatch, LocalManifold, Margin, PairCache, box_contact, contact};
/// use drystone_math::wide::Isa;
/// use drystone_math::{RelativePose, Rotation, Vector3};
///
/// let half = Vector3::new(0.5, 0.5, 0.5);
/// let above = RelativePose::new(Vector3::new(0.25, 0.99, 0.0), Rotation::identity());
/// let mut batch = BoxBatch::default();
/// batch.push(&half, &half, &above);
/// let [axes, ..] = batch.take(Isa::best());
///
/// let (mut cache, mut found) = (PairCache::default(), LocalManifold::default());
/// box_contact(&axes, [&half, &half], &above, &Margin::uniform(0.01), &mut cache, &mut found);
/// assert_eq!(found.points().len(), 4);
///
/// let cube = Shape::cuboid(half).expect("a box");
/// let (mut cache, mut alone) = (PairCache::default(), LocalManifold::default());
/// contact(&cube, &cube, &above, 0.01, &mut cache, &mut alone);
/// assert_eq!(found, alone);
/// ```
pub fn box_contact(
    axes: &BoxAxes,
    half_extents: [&Vector3; 2],
    b_in_a: &RelativePose,
    margin: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> NarrowStatus {
    (manifold.count, manifold.gap) = (0, Real::NEG_INFINITY);
    if !is_usable(b_in_a) {
        return NarrowStatus::Exact;
    }
    let [half_a, half_b] = half_extents;
    let pair = axes.pair(half_a, half_b, &b_in_a.translation);
    let outcome = box_box::box_box_along(&pair, axes.faces(), axes, b_in_a, margin, cache, manifold);
    match outcome {
        Outcome::Done(status) => status,
        Outcome::NeedsClosestPoints => {
            let [a, b] = half_extents.map(|half| Shape::Box { half_extents: *half });
            closest::closest_point(&a, &b, b_in_a, margin.all, cache, manifold)
        }
    }
}

/// Place of a shape in the order in which [`ordered_contact`] takes pairs.
#[inline]
fn rank(shape: &Shape) -> u32 {
    match shape {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { .. } => 1,
        Shape::Box { .. } => 2,
        Shape::Hull(_) => 3,
        Shape::Cylinder { .. } => 4,
        Shape::Cone { .. } => 5,
        Shape::HalfSpace { .. } => 6,
        Shape::Mesh(_) | Shape::HeightField(_) => 7,
    }
}

/// True when the translation is within [`MAX_OFFSET`] and the rotation made of numbers.
#[inline]
fn is_usable(pose: &RelativePose) -> bool {
    let t = &pose.translation;
    // Written so that a number that is none fails; zero times an infinity is none either.
    t.x.abs() <= MAX_OFFSET
        && t.y.abs() <= MAX_OFFSET
        && t.z.abs() <= MAX_OFFSET
        && (pose.rotation.coords * 0.0).sum() == 0.0
}

/// The table of pairs, each in the order of [`rank`].
fn ordered_contact(
    a: &Shape,
    b: &Shape,
    pose: &RelativePose,
    within: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> NarrowStatus {
    use Shape::{Box, Capsule, Cone, Cylinder, HalfSpace, HeightField, Hull, Mesh, Sphere};
    let margin = within.all;
    let outcome = match (a, b) {
        (Sphere { radius: ra }, Sphere { radius: rb }) => {
            round::sphere_sphere(*ra, *rb, pose, margin, manifold);
            Outcome::EXACT
        }
        (Sphere { radius }, Capsule { .. } | Box { .. }) => {
            if let Some(other) = RoundedBox::of(b) {
                round::ball(*radius, &other, pose, margin, manifold);
            }
            Outcome::EXACT
        }
        (Sphere { radius }, Hull(hull)) => polytope_round((&**hull, 0.0, *radius), pose, margin, manifold),
        (Capsule { half_length: la, radius: ra }, Capsule { half_length: lb, radius: rb }) => {
            round::capsule_capsule((*la, *ra), (*lb, *rb), pose, margin, manifold);
            Outcome::EXACT
        }
        (Capsule { half_length, radius }, Box { half_extents }) => {
            let cuboid = BoxPolytope { half_extents: *half_extents };
            polytope_round((&cuboid, *half_length, *radius), pose, margin, manifold)
        }
        (Capsule { half_length, radius }, Hull(hull)) => {
            polytope_round((&**hull, *half_length, *radius), pose, margin, manifold)
        }
        (Box { half_extents: ha }, Box { half_extents: hb }) => {
            box_box::box_box(ha, hb, pose, within, cache, manifold)
        }
        (Box { half_extents }, Hull(hull)) => {
            let cuboid = BoxPolytope { half_extents: *half_extents };
            let core = Core::Box { half_extents: *half_extents };
            polytopes((core, &cuboid), (Core::Hull(hull), &**hull), pose, within, cache, manifold)
        }
        (Hull(hull_a), Hull(hull_b)) => {
            let cores = [Core::Hull(hull_a), Core::Hull(hull_b)];
            polytopes((cores[0], &**hull_a), (cores[1], &**hull_b), pose, within, cache, manifold)
        }
        (Sphere { radius }, HalfSpace { normal }) => {
            half_space::sphere(*radius, &Plane::new(normal, pose), margin, manifold);
            Outcome::EXACT
        }
        (Capsule { half_length, radius }, HalfSpace { normal }) => {
            half_space::capsule(*half_length, *radius, &Plane::new(normal, pose), margin, manifold);
            Outcome::EXACT
        }
        (Box { half_extents }, HalfSpace { normal }) => {
            half_space::cuboid(half_extents, &Plane::new(normal, pose), margin, manifold);
            Outcome::EXACT
        }
        (Hull(hull), HalfSpace { normal }) => {
            half_space::hull(hull, &Plane::new(normal, pose), margin, manifold);
            Outcome::EXACT
        }
        (_, Mesh(_) | HeightField(_)) => {
            let status = b.surface().map_or(NarrowStatus::Exact, |surface| {
                surface::deepest_contact(&surface, a, &pose.inverse(), margin, manifold)
            });
            manifold.flip(pose);
            Outcome::Done(status)
        }
        (_, Cylinder { .. } | Cone { .. }) => frustum_pair(a, b, pose, within, cache, manifold),
        (Cylinder { .. } | Cone { .. }, HalfSpace { normal }) => {
            if let Some(solid) = a.frustum() {
                frustum::half_space(&solid, &Plane::new(normal, pose), margin, manifold);
            }
            Outcome::EXACT
        }
        // Two half-spaces cannot move; the other pairs come in the order of their ranks.
        _ => Outcome::EXACT,
    };
    match outcome {
        Outcome::Done(status) => status,
        Outcome::NeedsClosestPoints => closest::closest_point(a, b, pose, margin, cache, manifold),
    }
}

/// A ball or capsule (half length and radius, m) as A against a polytope as B.
fn polytope_round(
    (polytope, half_length, radius): (&impl Polytope, Real, Real),
    pose: &RelativePose,
    margin: Real,
    manifold: &mut LocalManifold,
) -> Outcome {
    let core = round::capsule_segment(half_length, &pose.inverse());
    round_polytope::polytope_round(polytope, &core, radius, margin, manifold);
    manifold.flip(pose);
    Outcome::EXACT
}

/// A ball, capsule, polytope, cylinder or cone as A against a cylinder or cone as B.
fn frustum_pair(
    a: &Shape,
    b: &Shape,
    pose: &RelativePose,
    within: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> Outcome {
    if let (Shape::Sphere { radius }, Some(solid)) = (a, b.frustum()) {
        frustum::sphere(*radius, &solid, pose, within.all, manifold);
        return Outcome::EXACT;
    }
    frustum::contact(a, b, pose, within, cache, manifold)
}

/// Two polytopes with their cores: separating axes for few faces, GJK and EPA for many and for what no face or edges tell.
fn polytopes(
    (core_a, a): (Core<'_>, &impl Polytope),
    (core_b, b): (Core<'_>, &impl Polytope),
    pose: &RelativePose,
    within: &Margin,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> Outcome {
    let margin = within.all;
    let is_small = a.face_count().max(b.face_count()) <= sat::MAX_FACES;
    if is_small {
        let outcome = polytopes::polytopes(a, b, pose, within, cache, manifold);
        if outcome != Outcome::NeedsClosestPoints {
            return outcome;
        }
        manifold.gap = Real::NEG_INFINITY;
    }
    let Some(separation) = closest::core_separation(&core_a, &core_b, pose, margin, cache, manifold) else {
        return Outcome::Done(NarrowStatus::Converged);
    };
    if is_small {
        polytopes::at_closest(a, b, pose, &separation, margin, cache, manifold);
    } else {
        polytopes::along_separation(a, b, pose, &separation, margin, manifold);
    }
    Outcome::Done(separation.status)
}
