//! Grounds made of triangles.

use crate::common::Random;
use drystone::math::{Real, Vector3};
use drystone::{BodySpec, ColliderSpec, Shape};

/// How quadrilaterals are cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cut {
    /// Along a diagonal, either one.
    Plain,
    /// Every other one has a corner of its own in an edge that its neighbour has whole.
    Junctions,
}

/// Flat ground at height 0 over x in [-2, 108], |z| < 4, of irregular triangles of about 1 m.
pub(crate) fn flat_mesh(cut: Cut) -> BodySpec {
    let (rows, columns) = (8, 110);
    let mut random = Random::new(7);
    let mut vertices = Vec::new();
    for i in 0..=rows {
        for j in 0..=columns {
            let mut shift = || random.between(-0.35, 0.35);
            let (x, z) = (f64::from(j) - 2.0 + shift(), f64::from(i) - 4.0 + shift());
            vertices.push(Vector3::new(x as Real, 0.0, z as Real));
        }
    }
    let mut triangles = Vec::new();
    for i in 0..rows {
        for j in 0..columns {
            let at = |i: i32, j: i32| (i * (columns + 1) + j) as u32;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if cut == Cut::Junctions && (i + j) % 2 == 0 {
                let (p, q) = (vertices[b as usize], vertices[c as usize]);
                vertices.push(p + (q - p) * random.between(0.2, 0.8) as Real);
                let m = vertices.len() as u32 - 1;
                triangles.extend([[a, b, m], [a, m, d], [d, m, c]]);
            } else if random.below(2) == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    fixed(Shape::mesh(&vertices, &triangles).expect("a mesh"))
}

/// The same ground as a height field.
pub(crate) fn flat_field() -> BodySpec {
    let body = fixed(Shape::height_field(11, 111, &[0.0; 11 * 111], [1.0, 0.8]).expect("a field"));
    body.pose(drystone::math::Pose::at(53.0, 0.0, 0.0))
}

/// A fixed body of one shape.
pub(crate) fn fixed(shape: Shape) -> BodySpec {
    BodySpec::fixed().collider(ColliderSpec::new(shape))
}
