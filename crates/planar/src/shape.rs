//! Shapes of the plane and their masses.
//!
//! Every shape is a convex core of one to sixteen corners with a radius around it: a circle is a point, a capsule two
//! points, a polygon its corners with no radius. The narrow phase knows nothing else.

use crate::error::check;
use crate::{Box2, PlanarError, PlanarPose, Turn, Vector2};
use drystone_math::Real;

/// Most corners of a polygon.
pub const MAX_CORNERS: usize = 16;

/// Longest extent of a shape, m.
const MAX_EXTENT: Real = 1e6;

/// Share of half of its longest extent by which a corner must stand out of the hull of the others; no less than coordinates
/// are rounded to.
const FLATNESS: f64 = 1e-5;

/// A shape, in its collider's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarShape {
    kind: PlanarShapeKind,
    corners: Vec<Vector2>,
    radius: Real,
}

/// What kind of shape it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanarShapeKind {
    /// A disc around the origin.
    Circle,
    /// A convex polygon.
    Polygon,
    /// What lies within a radius of a line segment.
    Capsule,
    /// A line segment without thickness, for what cannot move.
    Segment,
}

impl PlanarShape {
    /// A disc of this radius (m) around the origin.
    ///
    /// # Errors
    /// A radius that is not in (0, 10⁶] m.
    pub fn circle(radius: Real) -> Result<Self, PlanarError> {
        check_radius(radius)?;
        Ok(Self { kind: PlanarShapeKind::Circle, corners: vec![Vector2::zeros()], radius })
    }

    /// A box around the origin with these half extents, m.
    ///
    /// # Errors
    /// A half extent that is not in (0, 10⁶] m.
    pub fn cuboid(half_x: Real, half_y: Real) -> Result<Self, PlanarError> {
        check("half_x", "in (0, 1e6] m", half_x.into(), half_x > 0.0 && half_x <= MAX_EXTENT)?;
        check("half_y", "in (0, 1e6] m", half_y.into(), half_y > 0.0 && half_y <= MAX_EXTENT)?;
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corners = corners.map(|(x, y)| Vector2::new(x * half_x, y * half_y)).to_vec();
        Ok(Self { kind: PlanarShapeKind::Polygon, corners, radius: 0.0 })
    }

    /// The convex hull of some points (m), corners against the clock; points inside and on edges are dropped (S4-05).
    ///
    /// # Errors
    /// A point that is not finite or beyond 10⁶ m, points without area, a hull of more than sixteen corners.
    pub fn polygon(points: &[Vector2]) -> Result<Self, PlanarError> {
        for point in points {
            for value in [point.x, point.y] {
                check("polygon point", "within 1e6 m", value.into(), value.abs() <= MAX_EXTENT)?;
            }
        }
        let corners = hull(points);
        if corners.len() < 3 {
            return Err(PlanarError::Flat(points.len()));
        }
        if corners.len() > MAX_CORNERS {
            return Err(PlanarError::TooManyCorners { limit: MAX_CORNERS, got: corners.len() });
        }
        Ok(Self { kind: PlanarShapeKind::Polygon, corners, radius: 0.0 })
    }

    /// What lies within `radius` (m) of the segment from `a` to `b`.
    ///
    /// # Errors
    /// A radius that is not in (0, 10⁶] m, ends that are not finite or not apart.
    pub fn capsule(a: Vector2, b: Vector2, radius: Real) -> Result<Self, PlanarError> {
        check_radius(radius)?;
        check_ends(&a, &b)?;
        Ok(Self { kind: PlanarShapeKind::Capsule, corners: vec![a, b], radius })
    }

    /// The segment from `a` to `b`, solid from both sides; only for bodies that are not dynamic.
    ///
    /// # Errors
    /// Ends that are not finite or not apart.
    pub fn segment(a: Vector2, b: Vector2) -> Result<Self, PlanarError> {
        check_ends(&a, &b)?;
        Ok(Self { kind: PlanarShapeKind::Segment, corners: vec![a, b], radius: 0.0 })
    }

    /// What kind it is.
    pub fn kind(&self) -> PlanarShapeKind {
        self.kind
    }

    /// Corners of the core, against the clock, m.
    pub fn corners(&self) -> &[Vector2] {
        &self.corners
    }

    /// Radius around the core, m.
    pub fn radius(&self) -> Real {
        self.radius
    }

    /// Mass, centre and moment of inertia for a density in kg/m² (a slab one metre thick of a material in kg/m³);
    /// `None` for a segment.
    ///
    /// These are mass moments, `∫ ρ r² dA` about the centroid; S4 section 4.1.8 gives area moments, `π/4 r⁴` and
    /// `b h³/12` (row S4-28), which lack the density and one of both axes.
    pub fn mass_properties(&self, density: Real) -> Option<PlanarMass> {
        let rho = f64::from(density);
        let r = f64::from(self.radius);
        let disc = std::f64::consts::PI * r * r;
        let (area, center, inertia) = match self.kind {
            PlanarShapeKind::Segment => return None,
            PlanarShapeKind::Circle => (disc, [0.0; 2], 0.5 * disc * r * r),
            PlanarShapeKind::Capsule => {
                let (a, b) = (self.corners[0], self.corners[1]);
                let d = [f64::from(b.x) - f64::from(a.x), f64::from(b.y) - f64::from(a.y)];
                let length = d[0].hypot(d[1]);
                let bar = 2.0 * r * length;
                let bar_inertia = bar * (length * length + 4.0 * r * r) / 12.0;
                // Half discs: their centroid lies 4 r / 3 π beyond the ends.
                let reach = 4.0 * r / (3.0 * std::f64::consts::PI);
                let (half, out) = (0.5 * length, 0.5 * length + reach);
                let caps = disc * (0.5 * r * r - reach * reach + out * out);
                debug_assert!(out > half);
                let middle = [f64::from(a.x) + 0.5 * d[0], f64::from(a.y) + 0.5 * d[1]];
                (bar + disc, middle, bar_inertia + caps)
            }
            PlanarShapeKind::Polygon => polygon_moments(&self.corners),
        };
        Some(PlanarMass {
            mass: (rho * area) as Real,
            center: Vector2::new(center[0] as Real, center[1] as Real),
            inertia: (rho * inertia) as Real,
        })
    }
}

/// Mass, centre and moment of inertia of a body of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarMass {
    /// Mass, kg.
    pub mass: Real,
    /// Centre of mass, m, in the frame of the shape or body.
    pub center: Vector2,
    /// Moment of inertia about the centre of mass, kg·m².
    pub inertia: Real,
}

impl PlanarMass {
    /// The same, in the frame in which its own lies at `pose` (relative, so narrowed).
    pub(crate) fn transformed(&self, translation: &Vector2, turn: &Turn) -> Self {
        Self { center: translation + turn.apply(&self.center), ..*self }
    }

    /// Of several parts together (Steiner); `None` without mass.
    pub(crate) fn combined(parts: &[PlanarMass]) -> Option<Self> {
        let mass: f64 = parts.iter().map(|p| f64::from(p.mass)).sum();
        if mass <= 0.0 {
            return None;
        }
        let moment =
            |axis: usize| parts.iter().map(|p| f64::from(p.mass * p.center[axis])).sum::<f64>() / mass;
        let center = Vector2::new(moment(0) as Real, moment(1) as Real);
        let about = |p: &PlanarMass| f64::from(p.inertia + p.mass * (p.center - center).norm_squared());
        let inertia = parts.iter().map(about).sum::<f64>() as Real;
        Some(Self { mass: mass as Real, center, inertia })
    }
}

/// A corner of a core, with the outward normal of the edge that begins there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corner {
    pub(crate) point: Vector2,
    pub(crate) normal: Vector2,
}

/// Four edges side by side. Where there is none, the normal is zero and the offset infinite, so that nothing is beyond it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    pub(crate) normal: [[Real; 4]; 2],
    /// Distance of the edge's line from the centre of mass along the normal, m.
    pub(crate) offset: [Real; 4],
}

/// A shape as the narrow phase sees it: corners about the body's centre of mass, in the body's axes.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    pub(crate) corners: Box<[Corner]>,
    /// The edges of the corners, four by four.
    pub(crate) edges: Box<[Edges]>,
    pub(crate) radius: Real,
    /// Largest distance of the surface from the centre of mass, m.
    pub(crate) reach: Real,
    /// Shortest way through the shape, m: what may be left behind in a step without being seen.
    pub(crate) extent: Real,
}

impl Edges {
    fn new(corners: &[Corner]) -> Self {
        let mut edges = Self { normal: [[0.0; 4]; 2], offset: [Real::INFINITY; 4] };
        for (lane, corner) in corners.iter().enumerate().take(4) {
            edges.normal[0][lane] = corner.normal.x;
            edges.normal[1][lane] = corner.normal.y;
            edges.offset[lane] = corner.normal.dot(&corner.point);
        }
        edges
    }
}

impl Core {
    /// A shape placed at `translation` and `turn` relative to the centre of mass.
    pub(crate) fn new(shape: &PlanarShape, translation: &Vector2, turn: &Turn) -> Self {
        let points: Vec<Vector2> = shape.corners.iter().map(|c| translation + turn.apply(c)).collect();
        let count = points.len();
        let edge_normal = |i: usize| {
            let edge = points[(i + 1) % count] - points[i];
            let length = edge.norm();
            if length > 0.0 { Vector2::new(edge.y, -edge.x) / length } else { Vector2::zeros() }
        };
        let corners: Box<[Corner]> =
            (0..count).map(|i| Corner { point: points[i], normal: edge_normal(i) }).collect();
        let edges = corners.chunks(4).map(Edges::new).collect();
        let reach = points.iter().map(|p| p.norm()).fold(0.0, Real::max) + shape.radius;
        let width = |i: usize| {
            let n = edge_normal(i);
            let least = points.iter().map(|p| n.dot(p)).fold(Real::INFINITY, Real::min);
            n.dot(&points[i]) - least
        };
        let thin = if count < 2 { 0.0 } else { (0..count).map(width).fold(Real::INFINITY, Real::min) };
        Self { corners, edges, radius: shape.radius, reach, extent: thin + 2.0 * shape.radius }
    }

    /// The box around it at a pose of the centre of mass.
    #[inline]
    pub(crate) fn bounds(&self, pose: &PlanarPose) -> Box2 {
        let first = pose.turn.apply(&self.corners[0].point);
        let (mut min, mut max) = (first, first);
        for corner in &self.corners[1..] {
            let p = pose.turn.apply(&corner.point);
            min = min.inf(&p);
            max = max.sup(&p);
        }
        let r = Vector2::repeat(self.radius);
        let wide = |v: Vector2| pose.translation + crate::frame::widen(&v);
        Box2 { min: wide(min - r), max: wide(max + r) }
    }
}

fn check_radius(radius: Real) -> Result<(), PlanarError> {
    check("radius", "in (0, 1e6] m", radius.into(), radius > 0.0 && radius <= MAX_EXTENT)
}

fn check_ends(a: &Vector2, b: &Vector2) -> Result<(), PlanarError> {
    for value in [a.x, a.y, b.x, b.y] {
        check("end", "within 1e6 m", value.into(), value.abs() <= MAX_EXTENT)?;
    }
    let length = (b - a).norm();
    check("length", "positive", length.into(), length > Real::MIN_POSITIVE)
}

/// Corners of the convex hull, against the clock (Andrew's monotone chain); fewer than three for points on a line.
fn hull(points: &[Vector2]) -> Vec<Vector2> {
    let mut sorted = points.to_vec();
    // Both zeros are one number.
    let order = |a: Real, b: Real| (a + 0.0).total_cmp(&(b + 0.0));
    sorted.sort_by(|a, b| order(a.x, b.x).then(order(a.y, b.y)));
    sorted.dedup();
    let largest = sorted.iter().map(|p| f64::from(p.amax())).fold(0.0, f64::max);
    let extent = [0, 1].map(|axis| {
        let along = || sorted.iter().map(|p| f64::from(p[axis]));
        along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
    });
    let least = (FLATNESS * 0.5 * extent[0].max(extent[1])).max(f64::from(Real::EPSILON) * largest);
    let side = |a: &Vector2, b: &Vector2, c: &Vector2| {
        let [ax, ay, bx, by, cx, cy] = [a.x, a.y, b.x, b.y, c.x, c.y].map(f64::from);
        let (ux, uy, vx, vy) = (bx - ax, by - ay, cx - ax, cy - ay);
        // How far b stands out of the line from a to c, to the right.
        (ux * vy - uy * vx) / vx.hypot(vy).max(f64::MIN_POSITIVE)
    };
    let half = |points: &mut dyn Iterator<Item = Vector2>| {
        let mut chain: Vec<Vector2> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..] {
                if side(&a, &b, &point) > least {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut sorted.iter().copied());
    corners.extend(half(&mut sorted.iter().rev().copied()));
    corners
}

/// Area (m²), centroid (m) and second moment about it (m⁴) of a polygon, from triangles about its first corner.
fn polygon_moments(corners: &[Vector2]) -> (f64, [f64; 2], f64) {
    let wide = |v: &Vector2| [f64::from(v.x), f64::from(v.y)];
    let origin = wide(&corners[0]);
    let (mut area, mut first, mut second) = (0.0, [0.0; 2], 0.0);
    for pair in corners[1..].windows(2) {
        let [a, b] = [&pair[0], &pair[1]].map(|c| {
            let c = wide(c);
            [c[0] - origin[0], c[1] - origin[1]]
        });
        let twice = a[0] * b[1] - a[1] * b[0];
        area += 0.5 * twice;
        for axis in 0..2 {
            first[axis] += twice * (a[axis] + b[axis]) / 6.0;
            second += twice * (a[axis] * a[axis] + a[axis] * b[axis] + b[axis] * b[axis]) / 12.0;
        }
    }
    let mean = first.map(|m| m / area);
    let about_centroid = second - area * (mean[0] * mean[0] + mean[1] * mean[1]);
    (area, [origin[0] + mean[0], origin[1] + mean[1]], about_centroid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cross;

    #[test]
    fn core_normals_point_outwards() {
        let shape = PlanarShape::polygon(&[Vector2::new(2.0, 0.0), Vector2::new(0.0, 1.0), Vector2::zeros()])
            .expect("a triangle");
        let core = Core::new(&shape, &Vector2::new(0.3, 0.4), &Turn::new(0.7));
        let n = core.corners.len();
        for (i, corner) in core.corners.iter().enumerate() {
            let opposite = core.corners[(i + 2) % n].point;
            assert!(corner.normal.dot(&(opposite - corner.point)) < 0.0);
            assert!(cross(&corner.normal, &(core.corners[(i + 1) % n].point - corner.point)) > 0.0);
        }
        assert!((core.extent - 2.0 / 5.0_f32.sqrt()).abs() < 1e-5, "the height over the longest edge");
    }
}
