//! Shapes as data (feature `serde`): what they were made of, and hulls as they are.
//!
//! Reading checks what the constructors check, so no data makes a shape that they would not; only how thick a hull is they measure where
//! its faces do not tell, and reading takes [`THINNER`] of that. A hull is written with its faces: made anew
//! of its corners it may have them in another order, and a scene read from a file would not move as the one that was written.

use super::hull::{MAX_TOLERANCE, farthest, is_tolerance};
use super::lanes::HullLanes;
use super::polyhedron::unit_mass_properties;
use super::{ConvexHull, HullEdge, HullFace, MAX_HULL_VERTICES, MAX_SIZE, MIN_SIZE, Shape, round_up};
use crate::ShapeError;
use drystone_math::inertia::MassProperties;
use drystone_math::{Real, Vector3};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// How much thinner a hull may be across one of its faces than what its constructor measured: `t` across the triangle of a corner, the point farthest from it
/// (`l`) and the one farthest from their line (`h`). So the cloud spans a volume of `l h t / 6` in a cylinder of radius `h` and length `2 l`, whose shadows
/// are below `5.1 l h`, and is thicker than volume over shadow, `t / 31`. The rest is for the points that are dropped within the tolerance.
const THINNER: Real = 48.0;

/// What is written of a shape; lengths in m.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
enum ShapeData {
    Sphere { radius: Real },
    Box { half_extents: Vector3 },
    Capsule { half_length: Real, radius: Real },
    Cylinder { half_height: Real, radius: Real },
    Cone { half_height: Real, radius: Real },
    HalfSpace { normal: Vector3 },
    Hull(HullData),
    Mesh { vertices: Vec<Vector3>, triangles: Vec<[u32; 3]> },
    HeightField { rows: usize, columns: usize, heights: Vec<Real>, cell: [Real; 2] },
}

/// A convex hull: corners, faces as loops of them, edges.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HullData {
    vertices: Vec<Vector3>,
    /// Unit normal, distance of the plane from the origin, corners.
    faces: Vec<(Vector3, Real, Vec<u32>)>,
    /// Two corners and two faces each.
    edges: Vec<[u32; 4]>,
    tolerance: Real,
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let data = match self {
            Self::Sphere { radius } => ShapeData::Sphere { radius: *radius },
            Self::Box { half_extents } => ShapeData::Box { half_extents: *half_extents },
            Self::Capsule { half_length, radius } => {
                ShapeData::Capsule { half_length: *half_length, radius: *radius }
            }
            Self::Cylinder { half_height, radius } => {
                ShapeData::Cylinder { half_height: *half_height, radius: *radius }
            }
            Self::Cone { half_height, radius } => {
                ShapeData::Cone { half_height: *half_height, radius: *radius }
            }
            Self::HalfSpace { normal } => ShapeData::HalfSpace { normal: *normal },
            Self::Hull(hull) => ShapeData::Hull(HullData::of(hull)),
            Self::Mesh(mesh) => {
                ShapeData::Mesh { vertices: mesh.vertices().to_vec(), triangles: mesh.triangles().to_vec() }
            }
            Self::HeightField(field) => ShapeData::HeightField {
                rows: field.rows(),
                columns: field.columns(),
                heights: field.heights().to_vec(),
                cell: field.cell(),
            },
        };
        data.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let made = match ShapeData::deserialize(deserializer)? {
            ShapeData::Sphere { radius } => Self::sphere(radius),
            ShapeData::Box { half_extents } => Self::cuboid(half_extents),
            ShapeData::Capsule { half_length, radius } => Self::capsule(half_length, radius),
            ShapeData::Cylinder { half_height, radius } => Self::cylinder(half_height, radius),
            ShapeData::Cone { half_height, radius } => Self::cone(half_height, radius),
            ShapeData::HalfSpace { normal } => half_space(normal),
            ShapeData::Hull(data) => {
                return data.check().map(|hull| Self::Hull(Arc::new(hull))).map_err(D::Error::custom);
            }
            ShapeData::Mesh { vertices, triangles } => Self::mesh(&vertices, &triangles),
            ShapeData::HeightField { rows, columns, heights, cell } => {
                Self::height_field(rows, columns, &heights, cell)
            }
        };
        made.map_err(D::Error::custom)
    }
}

/// With the normal as it is where it is a unit one: made unit again, its last bits may change.
fn half_space(normal: Vector3) -> Result<Shape, ShapeError> {
    let made = Shape::half_space(normal)?;
    let is_unit = (normal.norm() - 1.0).abs() <= 4.0 * Real::EPSILON;
    Ok(if is_unit { Shape::HalfSpace { normal } } else { made })
}

impl HullData {
    fn of(hull: &ConvexHull) -> Self {
        let face = |face: &HullFace| (face.normal, face.offset, hull.face_loop(face).to_vec());
        let edge = |edge: &HullEdge| {
            let ([a, b], [left, right]) = (edge.vertices, edge.faces);
            [a, b, left, right]
        };
        Self {
            vertices: hull.vertices.clone(),
            faces: hull.faces.iter().map(face).collect(),
            edges: hull.edges.iter().map(edge).collect(),
            tolerance: hull.tolerance,
        }
    }

    /// The hull, where it is one: closed, convex within its tolerance, of finite size. O(faces · corners).
    fn check(self) -> Result<ConvexHull, String> {
        let Self { vertices, faces, edges, tolerance } = self;
        let counts = [vertices.len(), faces.len(), edges.len()];
        if !(4..=MAX_HULL_VERTICES).contains(&counts[0]) || counts[0] + counts[1] != counts[2] + 2 {
            let [v, f, e] = counts;
            return Err(format!(
                "a hull has 4 to {MAX_HULL_VERTICES} corners and V - E + F = 2, got {v} corners, {e} edges, {f} faces"
            ));
        }
        if let Some(i) = vertices.iter().position(|v| !v.iter().all(|c| c.abs() <= MAX_SIZE)) {
            return Err(format!(
                "corner {i} of a hull must be finite and within {MAX_SIZE} m, got {:?}",
                vertices[i]
            ));
        }
        let radius = farthest(&vertices);
        if !is_tolerance(tolerance, radius) {
            return Err(format!(
                "the tolerance of a hull must be at most {MAX_TOLERANCE} of its radius {radius} m, got {tolerance}"
            ));
        }
        let is_corner = |i: &u32| (*i as usize) < counts[0];
        let slack = 2.0 * tolerance + 1e-6 * radius as Real;
        for (i, (normal, offset, corners)) in faces.iter().enumerate() {
            let is_face = corners.len() >= 3
                && corners.iter().all(is_corner)
                && (normal.norm() - 1.0).abs() < 1e-5
                && vertices.iter().all(|v| normal.dot(v) - offset <= slack)
                && corners.iter().all(|&c| (normal.dot(&vertices[c as usize]) - offset).abs() <= slack);
            if !is_face {
                return Err(format!(
                    "face {i} of a hull must be a polygon of its corners with all others below it"
                ));
            }
        }
        let thinnest = MIN_SIZE.max(4.0 * tolerance) / THINNER;
        for (i, (normal, offset, _)) in faces.iter().enumerate() {
            let deepest = vertices.iter().map(|v| offset - normal.dot(v)).fold(0.0, Real::max);
            if deepest < thinnest {
                return Err(format!(
                    "a hull must be at least {thinnest} m thick, got {deepest} m at face {i}"
                ));
            }
        }
        check_edges(counts[0], &faces, &edges)?;
        let mut hull = ConvexHull {
            unit_mass: MassProperties::aligned(0.0, Vector3::zeros()),
            vertices,
            faces: Vec::with_capacity(counts[1]),
            face_vertices: Vec::new(),
            edges: edges.iter().map(|&[a, b, l, r]| HullEdge { vertices: [a, b], faces: [l, r] }).collect(),
            radius: round_up(radius),
            tolerance,
            lanes: HullLanes::default(),
        };
        for (normal, offset, corners) in faces {
            let (first, count) = (hull.face_vertices.len() as u32, corners.len() as u32);
            hull.faces.push(HullFace { normal, offset, first, count });
            hull.face_vertices.extend(corners);
        }
        hull.unit_mass = unit_mass_properties(&hull);
        if !hull.unit_mass.is_valid() {
            return Err(format!("a hull must have a volume, got {} m³", hull.unit_mass.mass));
        }
        hull.lanes = HullLanes::new(&hull.vertices, &hull.faces, &hull.edges, &hull.unit_mass.center);
        Ok(hull)
    }
}

/// Refuses edges that are not those of the faces, each once; and corners where no three faces meet. O(edges · log edges).
fn check_edges(
    corner_count: usize,
    faces: &[(Vector3, Real, Vec<u32>)],
    edges: &[[u32; 4]],
) -> Result<(), String> {
    let mut degree = vec![0; corner_count];
    // From, to, face on the left.
    let mut sides = Vec::with_capacity(2 * edges.len());
    for (face, (_, _, corners)) in (0..).zip(faces) {
        for (k, &from) in corners.iter().enumerate() {
            degree[from as usize] += 1;
            sides.push([from, corners[(k + 1) % corners.len()], face]);
        }
    }
    if let Some(i) = degree.iter().position(|&d| d < 3) {
        return Err(format!("corner {i} of a hull must be one of three faces or more, got {}", degree[i]));
    }
    sides.sort_unstable();
    if let Some(k) = (1..sides.len()).find(|&k| sides[k - 1][..2] == sides[k][..2]) {
        return Err(format!("the side {:?} of a face of a hull must be of no other, the same way", sides[k]));
    }
    // Each edge takes two sides, and as many as there are must be taken.
    let mut is_taken = vec![false; sides.len()];
    for (i, edge) in edges.iter().enumerate() {
        let &[a, b, left, right] = edge;
        let both = left != right
            && [[a, b, left], [b, a, right]].iter().all(|side| {
                let found = sides.binary_search(side);
                found.is_ok_and(|k| !std::mem::replace(&mut is_taken[k], true))
            });
        if !both {
            return Err(format!("edge {i} of a hull must border two faces, as no other does, got {edge:?}"));
        }
    }
    match is_taken.iter().position(|taken| !taken) {
        Some(k) => Err(format!("the side {:?} of a face of a hull must be one of its edges", sides[k])),
        None => Ok(()),
    }
}
