//! Shapes, random poses, and the one helper that runs a pair and checks what every manifold must obey.

use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, MAX_POINTS, PairCache, contact};
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, widen};

/// Splitmix64: small, seeded, the same everywhere.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn within(&mut self, low: Real, high: Real) -> Real {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        (f64::from(low) + unit * f64::from(high - low)) as Real
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub(crate) fn vector(&mut self, size: Real) -> Vector3 {
        Vector3::new(self.within(-size, size), self.within(-size, size), self.within(-size, size))
    }

    pub(crate) fn direction(&mut self) -> Vector3 {
        loop {
            let v = self.vector(1.0);
            if (0.01..1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> Rotation {
        let axis = self.direction();
        // Uniform enough: every orientation occurs, near-aligned ones too.
        let angle = if self.below(4) == 0 { self.within(-0.02, 0.02) } else { self.within(-3.2, 3.2) };
        Rotation::from_scaled_axis(axis * angle)
    }
}

pub(crate) fn sphere(radius: Real) -> Shape {
    Shape::sphere(radius).expect("a valid radius")
}

pub(crate) fn cuboid(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(Vector3::new(x, y, z)).expect("valid half extents")
}

pub(crate) fn capsule(half_length: Real, radius: Real) -> Shape {
    Shape::capsule(half_length, radius).expect("valid sizes")
}

pub(crate) fn cylinder(half_height: Real, radius: Real) -> Shape {
    Shape::cylinder(half_height, radius).expect("valid sizes")
}

pub(crate) fn cone(half_height: Real, radius: Real) -> Shape {
    Shape::cone(half_height, radius).expect("valid sizes")
}

pub(crate) fn half_space(normal: Vector3) -> Shape {
    Shape::half_space(normal).expect("a valid normal")
}

pub(crate) fn box_hull(x: Real, y: Real, z: Real) -> Shape {
    let corner = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { -1.0 } else { 1.0 };
        Vector3::new(x * sign(0), y * sign(1), z * sign(2))
    };
    Shape::hull(&(0..8).map(corner).collect::<Vec<_>>()).expect("a box has volume")
}

/// A hull of about `count` random points on a sphere of `radius` m.
pub(crate) fn round_hull(count: usize, radius: Real, rng: &mut Rng) -> Shape {
    let points: Vec<_> = (0..count).map(|_| rng.direction() * radius).collect();
    Shape::hull(&points).expect("points on a sphere span a volume")
}

/// A prism with a regular base of `sides` corners in the x-z plane.
pub(crate) fn prism(sides: usize, radius: Real, half_height: Real) -> Shape {
    let points: Vec<_> = (0..2 * sides)
        .map(|i| {
            let angle = (i / 2) as Real * std::f32::consts::TAU / sides as Real;
            let y = if i % 2 == 0 { half_height } else { -half_height };
            Vector3::new(radius * angle.cos(), y, radius * angle.sin())
        })
        .collect();
    Shape::hull(&points).expect("a prism has volume")
}

pub(crate) fn at(x: Real, y: Real, z: Real) -> RelativePose {
    RelativePose::new(Vector3::new(x, y, z), Rotation::identity())
}

pub(crate) fn turned(x: Real, y: Real, z: Real, axis: Vector3, angle: Real) -> RelativePose {
    RelativePose::new(Vector3::new(x, y, z), Rotation::from_scaled_axis(axis.normalize() * angle))
}

/// Size of a shape that takes part in rounding, m; a half-space has none.
pub(crate) fn size(shape: &Shape) -> Real {
    if shape.is_half_space() { 0.0 } else { shape.bounding_radius() }
}

/// Rounding of positions in a pair, m: a few dozen units in the last place of its largest length.
pub(crate) fn rounding(a: &Shape, b: &Shape, pose: &RelativePose) -> Real {
    2.0e-6 * (size(a) + size(b) + pose.translation.norm())
}

/// A pose in `f64`, its quaternion (vector and scalar part) normalised.
#[derive(Clone, Copy)]
pub(crate) struct WidePose {
    vector: Displacement,
    scalar: f64,
    pub(crate) translation: Displacement,
}

impl WidePose {
    pub(crate) fn new(pose: &RelativePose) -> Self {
        let q = pose.rotation.coords.map(f64::from);
        let q = q / q.norm();
        Self { vector: q.xyz(), scalar: q.w, translation: widen(&pose.translation) }
    }

    pub(crate) fn turn(&self, v: &Displacement) -> Displacement {
        let double = self.vector.cross(v) * 2.0;
        v + double * self.scalar + self.vector.cross(&double)
    }

    pub(crate) fn inverse_point(&self, point: &Displacement) -> Displacement {
        Self { vector: -self.vector, ..*self }.turn(&(point - self.translation))
    }
}

/// Signed distance bound of a point from the surface of a shape, m, both in its frame: negative inside.
/// Exact inside polytopes and for round shapes everywhere.
pub(crate) fn outside(shape: &Shape, p: &Displacement) -> f64 {
    match shape {
        Shape::Sphere { radius } => p.norm() - f64::from(*radius),
        Shape::Capsule { half_length, radius } => {
            let h = f64::from(*half_length);
            (p - Displacement::new(0.0, p.y.clamp(-h, h), 0.0)).norm() - f64::from(*radius)
        }
        Shape::Box { half_extents } => (p.abs() - widen(half_extents)).max(),
        Shape::Hull(hull) => hull
            .faces
            .iter()
            .map(|f| widen(&f.normal).dot(p) - f64::from(f.offset))
            .fold(f64::NEG_INFINITY, f64::max),
        Shape::Cylinder { half_height, radius } => {
            (p.y.abs() - f64::from(*half_height)).max(p.xz().norm() - f64::from(*radius))
        }
        Shape::Cone { half_height, radius } => {
            let (h, r) = (f64::from(*half_height), f64::from(*radius));
            let slant = (4.0 * h * h + r * r).sqrt();
            // The side goes through (r, -h) and (0, h).
            (-p.y - h).max((2.0 * h * (p.xz().norm() - r) + r * (p.y + h)) / slant)
        }
        Shape::HalfSpace { normal } => widen(normal).dot(p),
        _ => f64::NAN,
    }
}

/// Runs a pair with a fresh cache and checks the manifold.
pub(crate) fn run(a: &Shape, b: &Shape, pose: &RelativePose, margin: Real) -> LocalManifold {
    run_with(a, b, pose, margin, &mut PairCache::default())
}

/// Runs a pair and checks: bounds, unit normal, distinct features, surface points on both surfaces.
pub(crate) fn run_with(
    a: &Shape,
    b: &Shape,
    pose: &RelativePose,
    margin: Real,
    cache: &mut PairCache,
) -> LocalManifold {
    let mut manifold = LocalManifold::default();
    let _ = contact(a, b, pose, margin, cache, &mut manifold);
    check(a, b, pose, margin, &manifold);
    manifold
}

/// The shapes are apart along the normal by the gap the manifold tells.
fn check_gap(
    a: &Shape,
    b: &Shape,
    pose: &RelativePose,
    manifold: &LocalManifold,
    context: &dyn Fn() -> String,
) {
    let n = manifold.normal;
    if manifold.gap == Real::NEG_INFINITY {
        return;
    }
    assert!(manifold.gap.is_finite() && (n.norm() - 1.0).abs() < 1e-5, "a gap has an axis\n{}", context());
    let highest = if a.is_half_space() { 0.0 } else { n.dot(&a.support(&n)) };
    let lowest = if b.is_half_space() {
        n.dot(&pose.translation)
    } else {
        n.dot(&pose.transform_point(&b.support(&(pose.rotation.inverse() * -n))))
    };
    let (gap, tolerance) = (lowest - highest, 4.0 * rounding(a, b, pose));
    assert!(manifold.gap <= gap + tolerance, "apart by {gap} m, allowed {tolerance:e}\n{}", context());
}

/// Checks a manifold: bounds, unit normal, distinct features, surface points on both surfaces.
pub(crate) fn check(a: &Shape, b: &Shape, pose: &RelativePose, margin: Real, manifold: &LocalManifold) {
    let context = || format!("{a:?}\n{b:?}\n{pose:?} margin {margin}\n{manifold:?}");
    assert!(manifold.count as usize <= MAX_POINTS);
    check_gap(a, b, pose, manifold, &context);
    if manifold.count == 0 {
        return;
    }
    assert!((manifold.normal.norm() - 1.0).abs() < 1e-5, "normal is unit\n{}", context());
    let wide = WidePose::new(pose);
    let tolerance = f64::from(rounding(a, b, pose));
    for (k, p) in manifold.points().iter().enumerate() {
        assert!(p.distance <= margin, "within the margin\n{}", context());
        assert!(manifold.points()[..k].iter().all(|q| q.feature != p.feature), "distinct\n{}", context());
        let half = widen(&(manifold.normal * (0.5 * p.distance)));
        let middle = widen(&p.point);
        // Parallel capsules replace the line of centres by the common perpendicular.
        let slack = tolerance + 5.0e-4 * f64::from(round_radius(a) + round_radius(b));
        let on_a = outside(a, &(middle - half));
        let on_b = outside(b, &wide.inverse_point(&(middle + half)));
        // The upper end of a tilted capsule touches with its ball, which is inside the capsule.
        let below = |shape: &Shape| match shape {
            Shape::Capsule { radius, .. } => f64::from(*radius),
            _ => 0.0,
        };
        assert!(
            (-below(a) - slack..=slack).contains(&on_a),
            "{on_a:e} m off A, allowed {slack:e}\n{}",
            context()
        );
        assert!(
            (-below(b) - slack..=slack).contains(&on_b),
            "{on_b:e} m off B, allowed {slack:e}\n{}",
            context()
        );
    }
}

fn round_radius(shape: &Shape) -> Real {
    match shape {
        Shape::Sphere { radius }
        | Shape::Capsule { radius, .. }
        | Shape::Cylinder { radius, .. }
        | Shape::Cone { radius, .. } => *radius,
        _ => 0.0,
    }
}

/// The smallest distance of the points; infinite for none.
pub(crate) fn deepest(manifold: &LocalManifold) -> Real {
    manifold.points().iter().map(|p| p.distance).fold(Real::INFINITY, Real::min)
}
