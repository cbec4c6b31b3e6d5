//! Mass properties of the solid inside a closed mesh.

use super::{check, firsts_of_kind, places};
use crate::ShapeError;
use crate::shape::polyhedron::unit_mass_of_triangles;
use drystone_math::inertia::MassProperties;
use drystone_math::{Displacement, Real, Vector3, widen};

/// Volume below this part of the cube of the mesh's size counts as none: of the farthest corner's distance from the mean of all.
const NO_VOLUME: f64 = 1.0e-12;

/// Mass (kg), centre (m) and inertia (kg m²) of the solid of uniform `density` (kg/m³) inside a closed mesh, whose
/// triangles are counter-clockwise seen from outside. Exact for the polyhedron up to `f64` rounding of the integrals; the
/// solid may be concave, and of several parts, and lie anywhere. Vertices that no triangle names do not count; triangles given twice (by place, in the
/// same sense) count once, as in [`TriangleMesh::new`](super::TriangleMesh::new).
///
/// With it a body of convex pieces gets the mass of the model that it stands for.
///
/// # Errors
/// [`ShapeError::OpenMesh`] names an edge that is not met, in the other direction, by exactly as many triangles;
/// vertices are told apart by place, not by index. [`ShapeError::NoVolume`] for a mesh that encloses nothing, or whose
/// triangles are the wrong way round (a negative volume). Besides, what [`TriangleMesh::new`](super::TriangleMesh::new) refuses,
/// and a density that is not finite and positive.
pub fn closed_mesh_mass(
    vertices: &[Vector3],
    triangles: &[[u32; 3]],
    density: Real,
) -> Result<MassProperties, ShapeError> {
    check(vertices, triangles)?;
    if !(density.is_finite() && density > 0.0) {
        let expected = "finite and positive, kg/m³";
        return Err(ShapeError::OutOfRange { field: "density", expected, value: density });
    }
    if triangles.is_empty() {
        return Err(ShapeError::NoTriangles { given: 0 });
    }
    let place = places(vertices);
    let kept: Vec<_> = firsts_of_kind(triangles, 0..triangles.len() as u32, &place)
        .into_iter()
        .map(|i| triangles[i as usize])
        .collect();
    if let Some([from, to]) = unmatched_edge(&kept, &place) {
        let at = |i: u32| vertices[i as usize].into();
        return Err(ShapeError::OpenMesh { from, to, at: [at(from), at(to)] });
    }
    let corners = named_corners(vertices, &kept);
    let mean = corners.iter().sum::<Displacement>() / corners.len() as f64;
    let (unit, volume) = unit_mass_of_triangles(vertices, &mean, || kept.iter().copied());
    let size = corners.iter().map(|v| (v - mean).norm_squared()).fold(0.0, f64::max).sqrt();
    let properties =
        MassProperties { mass: unit.mass * density, principal: unit.principal * density, ..unit };
    if volume <= NO_VOLUME * size.powi(3) || !properties.is_valid() {
        return Err(ShapeError::NoVolume { volume });
    }
    Ok(properties)
}

/// The vertices that some triangle names, in their order, m.
fn named_corners(vertices: &[Vector3], triangles: &[[u32; 3]]) -> Vec<Displacement> {
    let mut is_named = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|&i| is_named[i as usize] = true);
    vertices.iter().zip(is_named).filter(|(_, is_named)| *is_named).map(|(v, _)| widen(v)).collect()
}

/// The first edge, in the order of its vertices, that does not run as often one way as the other.
fn unmatched_edge(triangles: &[[u32; 3]], place: &[u32]) -> Option<[u32; 2]> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| place[i as usize]);
        for [from, to] in [[a, b], [b, c], [c, a]] {
            // Corners at one place make no edge.
            if from != to {
                edges.push(([from.min(to), from.max(to)], if from < to { 1 } else { -1 }));
            }
        }
    }
    edges.sort_unstable();
    edges.chunk_by(|x, y| x.0 == y.0).find_map(|same| {
        let sum: i32 = same.iter().map(|(_, sense)| sense).sum();
        (sum != 0).then_some(if sum > 0 { same[0].0 } else { [same[0].0[1], same[0].0[0]] })
    })
}
