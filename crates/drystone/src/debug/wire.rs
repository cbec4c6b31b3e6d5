//! Shapes as lines.

use drystone_collision::Shape;
use drystone_math::{Pose, Position, Real, Vector3};

/// Sides of what stands for a circle.
const SIDES: usize = 24;
/// Cosine and sine of one of them: 15 degrees.
const TURN: [Real; 2] = [0.965_925_8, 0.258_819_05];
/// Lines of a half-space each way, and their distance, m.
const GRID: i32 = 10;
const CELL: Real = 1.0;

/// Calls `line` with both ends, m, world, of each line that shows a shape at a pose. Of a half-space a grid around the origin of its frame is shown.
pub fn wires(shape: &Shape, pose: &Pose, line: &mut dyn FnMut(&Position, &Position)) {
    let mut local = |a: Vector3, b: Vector3| line(&pose.transform_point(&a), &pose.transform_point(&b));
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    match shape {
        Shape::Sphere { radius } => {
            for [u, v] in [[x, y], [y, z], [z, x]] {
                arc(Vector3::zeros(), u * *radius, v * *radius, SIDES, &mut local);
            }
        }
        Shape::Box { half_extents } => {
            let corner = |bits: usize| {
                Vector3::from_fn(
                    |axis, _| if bits >> axis & 1 == 1 { half_extents[axis] } else { -half_extents[axis] },
                )
            };
            for bits in 0..8 {
                for axis in (0..3).filter(|axis| bits >> axis & 1 == 0) {
                    local(corner(bits), corner(bits | 1 << axis));
                }
            }
        }
        Shape::Capsule { half_length, radius } => {
            for end in [1.0, -1.0] {
                let center = y * (*half_length * end);
                arc(center, x * *radius, z * *radius, SIDES, &mut local);
                for side in [x, z] {
                    arc(center, side * *radius, y * (*radius * end), SIDES / 2, &mut local);
                }
            }
            for side in [x, z, -x, -z] {
                local(y * *half_length + side * *radius, y * -half_length + side * *radius);
            }
        }
        Shape::Cylinder { half_height, radius } => {
            for end in [1.0, -1.0] {
                arc(y * (*half_height * end), x * *radius, z * *radius, SIDES, &mut local);
            }
            for side in [x, z, -x, -z] {
                local(y * *half_height + side * *radius, y * -half_height + side * *radius);
            }
        }
        Shape::Cone { half_height, radius } => {
            arc(y * -half_height, x * *radius, z * *radius, SIDES, &mut local);
            for side in [x, z, -x, -z] {
                local(y * *half_height, y * -half_height + side * *radius);
            }
        }
        Shape::Hull(hull) => {
            for edge in &hull.edges {
                let [a, b] = edge.vertices.map(|vertex| hull.vertices[vertex as usize]);
                local(a, b);
            }
        }
        Shape::HalfSpace { normal } => {
            let across = if normal.x.abs() < 0.6 { x } else { y };
            let u = normal.cross(&across).normalize();
            let v = normal.cross(&u);
            let most = GRID as Real * CELL;
            for k in -GRID..=GRID {
                let at = k as Real * CELL;
                local(u * at - v * most, u * at + v * most);
                local(v * at - u * most, v * at + u * most);
            }
        }
        Shape::Mesh(mesh) => {
            for index in 0..mesh.triangles().len() as u32 {
                triangle(mesh.corners(index), &mut local);
            }
        }
        Shape::HeightField(field) => {
            for index in 0..field.triangle_count() as u32 {
                triangle(field.corners(index), &mut local);
            }
        }
        // One of a later version: how far it reaches.
        _ => {
            let reach = [x, y, z].map(|axis| shape.reach(&axis).max(shape.reach(&-axis)));
            let reach = Shape::Box { half_extents: Vector3::from(reach) };
            wires(&reach, pose, line);
        }
    }
}

fn triangle([a, b, c]: [Vector3; 3], line: &mut dyn FnMut(Vector3, Vector3)) {
    line(a, b);
    line(b, c);
    line(c, a);
}

/// `sides` sides of a circle around `center`, from `u` towards `v`.
fn arc(center: Vector3, u: Vector3, v: Vector3, sides: usize, line: &mut dyn FnMut(Vector3, Vector3)) {
    let [cos, sin] = TURN;
    let (mut c, mut s) = (1.0, 0.0);
    for _ in 0..sides {
        let (next_c, next_s) = (c * cos - s * sin, s * cos + c * sin);
        line(center + u * c + v * s, center + u * next_c + v * next_s);
        (c, s) = (next_c, next_s);
    }
}
