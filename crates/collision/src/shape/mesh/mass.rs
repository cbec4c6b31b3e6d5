//! Mass properties of the solid inside a closed mesh.

use super::{check, places};
use crate::ShapeError;
use crate::shape::polyhedron::unit_mass_of_triangles;
use drystone_math::inertia::MassProperties;
use drystone_math::{Real, Vector3, widen};

/// Volume below this part of the cube of the mesh's size counts as none.
const NO_VOLUME: f64 = 1.0e-12;

/// Mass (kg), centre (m) and inertia (kg m²) of the solid of uniform `density` (kg/m³) inside a closed mesh, whose
/// triangles are counter-clockwise seen from outside. Exact for the polyhedron up to `f64` rounding of the integrals; the
/// solid may be concave, and of several parts.
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
    if let Some([from, to]) = unmatched_edge(triangles, &place) {
        let at = |i: u32| vertices[i as usize].into();
        return Err(ShapeError::OpenMesh { from, to, at: [at(from), at(to)] });
    }
    let (unit, volume) = unit_mass_of_triangles(vertices, || triangles.iter().copied());
    let size = vertices.iter().map(|v| widen(v).norm_squared()).fold(0.0, f64::max).sqrt();
    let properties =
        MassProperties { mass: unit.mass * density, principal: unit.principal * density, ..unit };
    if volume <= NO_VOLUME * size.powi(3) || !properties.is_valid() {
        return Err(ShapeError::NoVolume { volume });
    }
    Ok(properties)
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
