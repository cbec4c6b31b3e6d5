//! Fuzz targets: what each does with the bytes that libFuzzer makes up, and what must hold then.
//!
//! In: bytes. Out: nothing, or a panic that says which promise was broken (promise 1 of the design: no input makes the library panic,
//! hang or make up an answer). `targets/` holds the programs, one per function here; `cargo xtask fuzz` builds and runs them.
//! What is found becomes a test of the crate concerned.

mod input;
mod meshes;
mod pairs;
mod scene_files;
mod world_ops;

use drystone_collision::shape::ConvexHull;
use drystone_math::{Vector3, widen};
use input::Input;

pub use meshes::mesh;
pub use pairs::gjk_epa;
pub use scene_files::scene_file;
pub use world_ops::world_ops;

/// Any cloud of points: a hull that is closed, convex and around all of them, or an error.
///
/// # Panics
/// When a promise of [`ConvexHull`] is broken.
pub fn hull(data: &[u8]) {
    let mut input = Input::new(data);
    let count = 1 + input.below(96);
    let kind = input.below(5);
    let scale = input.scale();
    let cloud: Vec<Vector3> = (0..count)
        .map(|_| match kind {
            0 => input.wild_vector(),
            1 => input.grid_vector() * scale,
            2 => input.direction() * scale,
            // Nearly flat.
            3 => input.vector().component_mul(&Vector3::new(scale, 1e-6 * scale, scale)),
            _ => input.vector() * scale,
        })
        .collect();
    let Ok(hull) = ConvexHull::new(&cloud) else { return };
    let (v, e, f) = (hull.vertices.len(), hull.edges.len(), hull.faces.len());
    assert_eq!(v + f, e + 2, "Euler's formula");
    assert!(hull.unit_mass.is_valid(), "{:?}", hull.unit_mass);
    let tolerance = f64::from(hull.tolerance);
    for face in &hull.faces {
        assert!(hull.face_loop(face).len() >= 3 && (face.normal.norm() - 1.0).abs() < 1e-6);
        for point in &cloud {
            let above = widen(&face.normal).dot(&widen(point)) - f64::from(face.offset);
            assert!(above <= tolerance, "{point:?} is {above} m above a face, allowed {tolerance}");
        }
    }
    assert!(hull.vertices.iter().all(|vertex| cloud.contains(vertex)), "corners are points of the cloud");
    let direction = input.direction();
    let found = hull.vertices[hull.support_vertex(&direction, input.below(v) as u32) as usize];
    let along = |p: &Vector3| widen(p).dot(&widen(&direction));
    let farthest = hull.vertices.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let rounding = 1e-6 * f64::from(hull.radius);
    assert!(along(&found) >= farthest - rounding, "{found:?} is not the farthest along {direction:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The targets work without libFuzzer too.
    #[test]
    fn targets_take_any_bytes() {
        let mut state = 7u64;
        for round in 0..200 {
            let mut byte = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 56) as u8
            };
            let bytes: Vec<u8> = (0..round * 4).map(|_| byte()).collect();
            [hull, gjk_epa, mesh, scene_file, world_ops].iter().for_each(|target| target(&bytes));
        }
    }
}
