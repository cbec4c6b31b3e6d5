//! Mass properties of a closed polyhedron.

use super::ConvexHull;
use drystone_math::inertia::MassProperties;
use drystone_math::{Displacement, Real, Vector3, narrow, widen};

/// Volume, centre and inertia of a hull at density 1 kg/m³; see [`unit_mass_of_triangles`].
pub(super) fn unit_mass_properties(hull: &ConvexHull) -> MassProperties {
    let fans = || {
        hull.faces.iter().flat_map(|face| {
            let corners = hull.face_loop(face);
            corners[1..].windows(2).map(move |pair| [corners[0], pair[0], pair[1]])
        })
    };
    let mean = hull.vertices.iter().map(widen).sum::<Displacement>() / hull.vertices.len() as f64;
    unit_mass_of_triangles(&hull.vertices, &mean, fans).0
}

/// Volume, centre and inertia at density 1 kg/m³ of the solid inside closed `triangles`, exact for the polyhedron up to `f64`
/// rounding; and its volume in `f64`, m³, negative where they are the wrong way round.
///
/// The solid is the signed sum of the tetrahedra between a reference point `o` (any; near the solid, rounding takes least) and the triangles
/// `(a, b, c)` of its surface. With `d = det(a, b, c)` relative to `o`, each adds
/// ```text
/// V = d / 6      ∫ x dV = V (a + b + c) / 4      ∫ x xᵀ dV = d / 120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ),  s = a + b + c
/// ```
/// and the inertia is `trace(C) 1 − C` of the second moments `C` about the centre.
pub(super) fn unit_mass_of_triangles<T: Iterator<Item = [u32; 3]>>(
    vertices: &[Vector3],
    reference: &Displacement,
    triangles: impl FnOnce() -> T,
) -> (MassProperties, f64) {
    let corner = |i: u32| widen(&vertices[i as usize]) - reference;
    let mut volume = 0.0;
    let mut first = Displacement::zeros();
    // Second moments xx, yy, zz, xy, xz, yz.
    let mut second = [0.0; 6];
    for triangle in triangles() {
        let [a, b, c] = triangle.map(corner);
        let d = a.dot(&b.cross(&c));
        let s = a + b + c;
        volume += d / 6.0;
        first += s * (d / 24.0);
        for v in [s, a, b, c] {
            let products = [v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z];
            for (sum, p) in second.iter_mut().zip(products) {
                *sum += p * (d / 120.0);
            }
        }
    }
    let center = first / volume;
    let c = center;
    let shift = [c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.x * c.z, c.y * c.z];
    let [xx, yy, zz, xy, xz, yz] = std::array::from_fn(|i| second[i] - volume * shift[i]);
    let tensor = [yy + zz, xx + zz, xx + yy, -xy, -xz, -yz];
    (MassProperties::from_wide_tensor(volume as Real, narrow(&(center + reference)), &tensor), volume)
}
