//! Triangles of shapes, for the rasteriser, the glTF export, and programs that draw by themselves.

use crate::recording::VisualShape;
use crate::vector::{Vec3, cross, sub, unit_or};

/// Triangles with a normal per corner; corners are not shared across sharp edges.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Corners, m, in the shape's frame.
    pub positions: Vec<Vec3>,
    /// Outward unit normals, one per corner.
    pub normals: Vec<Vec3>,
    /// Corners by index, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Steps around a round shape.
const AROUND: u32 = 24;
/// Steps from pole to pole; even, so that the equator (where capsules are stretched) is one of them.
const POLE_TO_POLE: u32 = 14;

/// The triangles of a shape, anticlockwise seen from outside; none for a plane.
///
/// ```
/// use drystone_viewer::{VisualShape, mesh::mesh_of};
/// assert_eq!(mesh_of(&VisualShape::Box { half_extents: [1.0; 3] }).triangles.len(), 12);
/// ```
pub fn mesh_of(shape: &VisualShape) -> Mesh {
    match shape {
        VisualShape::Sphere { radius } => round(*radius, 0.0),
        VisualShape::Capsule { half_length, radius } => round(*radius, *half_length),
        VisualShape::Cylinder { half_height, radius } => frustum(*half_height, *radius, *radius),
        VisualShape::Cone { half_height, radius } => frustum(*half_height, 0.0, *radius),
        VisualShape::Box { half_extents } => cuboid(*half_extents),
        VisualShape::Hull { vertices, faces } => hull(vertices, faces),
        VisualShape::Plane { .. } => Mesh::default(),
    }
}

/// The twelve edges of a cuboid, as pairs of corners.
pub(crate) fn box_edges(low: Vec3, high: Vec3) -> [[Vec3; 2]; 12] {
    let corner = |bits: usize| std::array::from_fn(|i| if bits >> i & 1 == 1 { high[i] } else { low[i] });
    std::array::from_fn(|edge| {
        let axis = edge / 4;
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let from = ((edge & 1) << u) | ((edge >> 1 & 1) << v);
        [corner(from), corner(from | 1 << axis)]
    })
}

/// The box around a shape in its own frame; none for a plane.
pub(crate) fn local_box(shape: &VisualShape) -> Option<[Vec3; 2]> {
    let half = match shape {
        VisualShape::Sphere { radius } => [*radius; 3],
        VisualShape::Capsule { half_length, radius } => [*radius, half_length + radius, *radius],
        VisualShape::Cylinder { half_height, radius } | VisualShape::Cone { half_height, radius } => {
            [*radius, *half_height, *radius]
        }
        VisualShape::Box { half_extents } => *half_extents,
        VisualShape::Plane { .. } => return None,
        VisualShape::Hull { vertices, .. } => {
            return vertices.iter().map(|v| [*v; 2]).reduce(|a, b| {
                [std::array::from_fn(|i| a[0][i].min(b[0][i])), std::array::from_fn(|i| a[1][i].max(b[1][i]))]
            });
        }
    };
    Some([half.map(|h| -h), half])
}

fn cuboid(half: Vec3) -> Mesh {
    let mut mesh = Mesh::default();
    for side in 0..6 {
        let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let first = mesh.positions.len() as u32;
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let mut corner = [0.0; 3];
            corner[axis] = sign * half[axis];
            corner[u] = a * sign * half[u];
            corner[v] = b * half[v];
            let mut normal = [0.0; 3];
            normal[axis] = sign;
            mesh.positions.push(corner);
            mesh.normals.push(normal);
        }
        mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh
}

/// A ball whose halves are moved apart along y: a capsule, or a ball where they are not.
fn round(radius: f32, half_length: f32) -> Mesh {
    let mut mesh = Mesh::default();
    // The equator appears twice, once for each half.
    for row in 0..=POLE_TO_POLE + 1 {
        let is_upper = row <= POLE_TO_POLE / 2;
        let step = if is_upper { row } else { row - 1 };
        let polar = std::f32::consts::PI * step as f32 / POLE_TO_POLE as f32;
        for column in 0..=AROUND {
            let turn = std::f32::consts::TAU * column as f32 / AROUND as f32;
            let n = [polar.sin() * turn.sin(), polar.cos(), polar.sin() * turn.cos()];
            let shift = if is_upper { half_length } else { -half_length };
            mesh.positions.push([n[0] * radius, n[1] * radius + shift, n[2] * radius]);
            mesh.normals.push(n);
        }
    }
    let width = AROUND + 1;
    for row in 0..=POLE_TO_POLE {
        for column in 0..AROUND {
            let (a, b) = (row * width + column, (row + 1) * width + column);
            if row != 0 {
                mesh.triangles.push([a, b, a + 1]);
            }
            if row != POLE_TO_POLE {
                mesh.triangles.push([a + 1, b, b + 1]);
            }
        }
    }
    mesh
}

/// Outward normal of the side of a cone or cylinder, across and along y: square to the line from rim to rim.
pub(crate) fn side_normal(half_height: f32, top: f32, base: f32) -> [f32; 2] {
    let (across, along) = (2.0 * half_height, base - top);
    let length = across.hypot(along);
    if length > 0.0 { [across / length, along / length] } else { [1.0, 0.0] }
}

/// The solid between two discs around the y axis; a radius of 0 is an apex.
fn frustum(half_height: f32, top: f32, base: f32) -> Mesh {
    let mut mesh = Mesh::default();
    let [across, along] = side_normal(half_height, top, base);
    let turned = |column: u32| (std::f32::consts::TAU * column as f32 / AROUND as f32).sin_cos();
    // The side: from every column of the base two triangles to the top.
    for column in 0..=AROUND {
        let (s, c) = turned(column);
        for (radius, y) in [(base, -half_height), (top, half_height)] {
            mesh.positions.push([s * radius, y, c * radius]);
            mesh.normals.push([s * across, along, c * across]);
        }
    }
    for column in 0..AROUND {
        let a = 2 * column;
        mesh.triangles.push([a, a + 2, a + 1]);
        if top > 0.0 {
            mesh.triangles.push([a + 1, a + 2, a + 3]);
        }
    }
    for (radius, y) in [(base, -half_height), (top, half_height)] {
        if radius <= 0.0 {
            continue;
        }
        let first = mesh.positions.len() as u32;
        for column in 0..AROUND {
            let (s, c) = turned(column);
            mesh.positions.push([s * radius, y, c * radius]);
            mesh.normals.push([0.0, y.signum(), 0.0]);
        }
        for k in 1..AROUND - 1 {
            let (b, c) = (first + k, first + k + 1);
            mesh.triangles.push(if y > 0.0 { [first, b, c] } else { [first, c, b] });
        }
    }
    mesh
}

fn hull(vertices: &[Vec3], faces: &[Vec<u32>]) -> Mesh {
    let mut mesh = Mesh::default();
    for face in faces {
        let corner = |i: usize| vertices[face[i] as usize];
        // Newell's sum over the fan: stable where three corners of the face lie almost on a line.
        let mut area = [0.0; 3];
        for i in 1..face.len() - 1 {
            let twice = cross(sub(corner(i), corner(0)), sub(corner(i + 1), corner(0)));
            area = [area[0] + twice[0], area[1] + twice[1], area[2] + twice[2]];
        }
        let normal = unit_or(area, [0.0, 1.0, 0.0]);
        let first = mesh.positions.len() as u32;
        for i in 0..face.len() {
            mesh.positions.push(corner(i));
            mesh.normals.push(normal);
        }
        mesh.triangles.extend((1..face.len() as u32 - 1).map(|i| [first, first + i, first + i + 1]));
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{add, dot};

    /// Corner order, not the stored normal, decides which side is culled.
    #[test]
    fn triangles_are_anticlockwise_from_outside() {
        let tetrahedron = VisualShape::Hull {
            vertices: vec![[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]],
            faces: vec![vec![0, 1, 2], vec![0, 2, 3], vec![0, 3, 1], vec![1, 3, 2]],
        };
        let shapes = [
            VisualShape::Sphere { radius: 2.0 },
            VisualShape::Box { half_extents: [1.0, 2.0, 3.0] },
            VisualShape::Capsule { half_length: 1.0, radius: 0.5 },
            VisualShape::Cylinder { half_height: 1.0, radius: 0.5 },
            VisualShape::Cone { half_height: 1.0, radius: 0.5 },
            tetrahedron,
        ];
        for shape in &shapes {
            let mesh = mesh_of(shape);
            assert!(!mesh.triangles.is_empty());
            for t in &mesh.triangles {
                let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
                let normal = cross(sub(b, a), sub(c, a));
                let middle = add(add(a, b), c);
                assert!(dot(normal, middle) >= 0.0, "{shape:?}: {t:?}");
                assert!(dot(normal, mesh.normals[t[0] as usize]) >= 0.0, "{shape:?}: {t:?}");
            }
        }
    }

    #[test]
    fn box_edges_join_corners_that_differ_in_one_axis() {
        let edges = box_edges([0.0; 3], [1.0; 3]);
        for [a, b] in edges {
            assert_eq!((0..3).filter(|&i| a[i] != b[i]).count(), 1);
        }
    }
}
