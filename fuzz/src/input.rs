//! Bytes as numbers, poses and shapes.

use arbitrary::Unstructured;
use drystone_collision::Shape;
use drystone_math::{Real, RelativePose, Rotation, Vector3};

/// Bytes being read. Where they end, all is zero.
pub(crate) struct Input<'a>(Unstructured<'a>);

impl<'a> Input<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self(Unstructured::new(data))
    }

    /// True when all bytes are read.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or_default()
    }

    /// A number below `count`, at most 256.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count.max(1)
    }

    /// In [-8, 8).
    pub(crate) fn real(&mut self) -> Real {
        Real::from(self.0.arbitrary::<i16>().unwrap_or_default()) / 4096.0
    }

    /// Any bits of a number, or one of those where things break.
    pub(crate) fn wild(&mut self) -> Real {
        match self.below(16) {
            0 => 0.0,
            1 => -0.0,
            2 => Real::MIN_POSITIVE,
            3 => Real::MAX,
            4 => Real::INFINITY,
            5 => Real::NAN,
            6 => 1.0e-6,
            7 => 1.0e6,
            8..=11 => Real::from_bits(self.0.arbitrary().unwrap_or_default()),
            _ => self.real(),
        }
    }

    /// A wild number, or an ordinary one, as a rule.
    pub(crate) fn seldom_wild(&mut self) -> Real {
        if self.below(16) == 0 { self.wild() } else { self.real() }
    }

    /// 10^-4 to 10^4.
    pub(crate) fn scale(&mut self) -> Real {
        10.0_f32.powf(Real::from(self.byte()) / 32.0 - 4.0)
    }

    /// 10^-3 to 10^1, more often near 1.
    pub(crate) fn size(&mut self) -> Real {
        if self.below(4) == 0 { 0.5 } else { 10.0_f32.powf(Real::from(self.byte()) / 64.0 - 3.0) }
    }

    pub(crate) fn vector(&mut self) -> Vector3 {
        Vector3::new(self.real(), self.real(), self.real())
    }

    /// Small whole numbers: points that lie in planes and fall together.
    pub(crate) fn grid_vector(&mut self) -> Vector3 {
        let mut number = || (self.byte() as i8 / 16) as Real;
        Vector3::new(number(), number(), number())
    }

    pub(crate) fn wild_vector(&mut self) -> Vector3 {
        Vector3::new(self.wild(), self.wild(), self.wild())
    }

    /// A unit vector.
    pub(crate) fn direction(&mut self) -> Vector3 {
        let axis = [Vector3::x(), Vector3::y(), Vector3::z()][self.below(3)];
        if self.below(4) == 0 {
            return axis;
        }
        self.vector().try_normalize(1e-3).unwrap_or(axis)
    }

    /// Often a quarter turn or none, where faces and edges are parallel, or nearly so.
    pub(crate) fn rotation(&mut self) -> Rotation {
        let axis = self.direction();
        let angle = match self.below(4) {
            0 => std::f32::consts::FRAC_PI_2 * self.below(4) as Real,
            1 => 1e-4 * self.real(),
            _ => 0.5 * self.real(),
        };
        Rotation::from_scaled_axis(axis * angle)
    }

    pub(crate) fn relative_pose(&mut self) -> RelativePose {
        let scale = if self.below(4) == 0 { self.scale() } else { 0.25 };
        let way = if self.below(2) == 0 { self.grid_vector() } else { self.vector() };
        RelativePose::new(way * scale, self.rotation())
    }

    /// A convex shape or half-space; `None` when the numbers make none.
    pub(crate) fn convex(&mut self) -> Option<Shape> {
        let [a, b, c] = [self.size(), self.size(), self.size()];
        let shape = match self.below(8) {
            0 => Shape::sphere(a),
            1 => Shape::cuboid(Vector3::new(a, b, c)),
            2 => Shape::capsule(a, b),
            3 => Shape::cylinder(a, b),
            4 => Shape::cone(a, b),
            5 => Shape::half_space(self.direction()),
            kind => {
                let count = 4 + self.below(20);
                let mut point = || if kind == 6 { self.grid_vector() } else { self.direction() };
                let points: Vec<Vector3> = (0..count).map(|_| point() * a).collect();
                Shape::hull(&points)
            }
        };
        shape.ok()
    }

    /// Any shape, meshes and height fields too.
    pub(crate) fn shape(&mut self) -> Option<Shape> {
        if self.below(6) != 0 {
            return self.convex();
        }
        let scale = self.size();
        if self.below(2) == 0 {
            let vertices: Vec<Vector3> =
                (0..3 + self.below(12)).map(|_| self.grid_vector() * scale).collect();
            let mut corner = || self.below(vertices.len()) as u32;
            let triangles: Vec<[u32; 3]> = (0..12).map(|_| [corner(), corner(), corner()]).collect();
            Shape::mesh(&vertices, &triangles).ok()
        } else {
            let (rows, columns) = (2 + self.below(4), 2 + self.below(4));
            let heights: Vec<Real> = (0..rows * columns).map(|_| 0.25 * self.real() * scale).collect();
            Shape::height_field(rows, columns, &heights, [scale, scale]).ok()
        }
    }
}
