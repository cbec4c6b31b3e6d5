//! Grounds of triangles, random solids, and the one way in which the tests ask for contacts.

use drystone_collision::Shape;
use drystone_collision::narrow::surface::{SurfaceContacts, SurfaceMemory, surface_contacts};
use drystone_math::{Displacement, Real, Rotation, Vector3};

/// A small generator of our own: equal runs everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> Real {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as Real / (1u64 << 24) as Real
    }

    pub(crate) fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    pub(crate) fn rotation(&mut self) -> Rotation {
        let axis = Vector3::from_fn(|_, _| self.between(-1.0, 1.0));
        Rotation::from_scaled_axis(axis * 3.0)
    }
}

/// Flat ground at height 0 of `n` by `n` quadrilaterals of about 1 m, with corners moved about and diagonals either way. With
/// `has_junctions`, every other quadrilateral has an edge cut where its neighbour's is whole.
pub(crate) fn irregular_ground(n: usize, seed: u64, has_junctions: bool) -> (Vec<Vector3>, Vec<[u32; 3]>) {
    let mut random = Random::new(seed);
    let mut vertices = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            let mut shift = || random.between(-0.35, 0.35);
            let (x, z) = (j as Real - n as Real * 0.5 + shift(), i as Real - n as Real * 0.5 + shift());
            vertices.push(Vector3::new(x, 0.0, z));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let at = |i: usize, j: usize| (i * (n + 1) + j) as u32;
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            if has_junctions && (i + j) % 2 == 0 {
                // A corner of its own in the middle of the edge from b to c, which the next row does not know.
                let share = random.between(0.2, 0.8);
                let (p, q) = (vertices[b as usize], vertices[c as usize]);
                vertices.push(p + (q - p) * share);
                let m = vertices.len() as u32 - 1;
                triangles.extend([[a, b, m], [a, m, d], [d, m, c]]);
            } else if random.unit() < 0.5 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    (vertices, triangles)
}

/// A solid of about half a metre, of kind `k`.
pub(crate) fn solid(random: &mut Random, k: usize) -> Shape {
    let shape = match k % 6 {
        0 => Shape::sphere(random.between(0.2, 0.6)),
        1 => Shape::cuboid(Vector3::from_fn(|_, _| random.between(0.1, 0.7))),
        2 => Shape::capsule(random.between(0.1, 0.6), random.between(0.1, 0.4)),
        3 => Shape::cylinder(random.between(0.1, 0.6), random.between(0.1, 0.5)),
        4 => Shape::cone(random.between(0.1, 0.6), random.between(0.1, 0.5)),
        _ => {
            let points: Vec<_> =
                (0..24).map(|_| Vector3::from_fn(|_, _| random.between(-0.6, 0.6))).collect();
            Shape::hull(&points)
        }
    };
    shape.expect("a valid solid")
}

/// The contacts of a pair never seen.
pub(crate) fn contacts(
    surface: &Shape,
    solid: &Shape,
    origin: &Displacement,
    rotation: &Rotation,
    margin: Real,
) -> SurfaceContacts {
    let (mut memory, mut found) = (SurfaceMemory::default(), SurfaceContacts::default());
    let surface = surface.surface().expect("a surface");
    surface_contacts(&surface, solid, origin, rotation, margin, &mut memory, &mut found);
    found
}
