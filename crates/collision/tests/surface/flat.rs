//! Inner edges: on flat ground of triangles, however cut, contacts are those of the half-space.

use super::support::{Random, contacts, irregular_ground, solid};
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_math::{Displacement, RelativePose, Rotation, Vector3, narrow};

/// A solid in any attitude, a little over the ground or sunk in by up to a third of its least thickness, moved about: every
/// normal is up and the deepest distance is that to the half-space.
fn compare_with_half_space(ground: &Shape, seed: u64) {
    let half_space = Shape::half_space(Vector3::y()).expect("a normal");
    let mut random = Random::new(seed);
    for k in 0..4000 {
        let solid = solid(&mut random, k);
        let rotation = if k / 6 % 3 == 0 { Rotation::identity() } else { random.rotation() };
        let lowest = solid.reach(&rotation.inverse_transform_vector(&-Vector3::y()));
        let sunk = random.between(-0.02, 0.3 * solid.inner_radius());
        let at = Vector3::new(random.between(-3.0, 3.0), lowest - sunk, random.between(-3.0, 3.0));
        let origin = Displacement::new(f64::from(at.x), f64::from(at.y), f64::from(at.z));
        let margin = 0.03;
        let found = contacts(ground, &solid, &origin, &rotation, margin);
        let mut expected = LocalManifold::default();
        let pose = RelativePose::new(narrow(&origin), rotation);
        contact(&half_space, &solid, &pose, margin, &mut PairCache::default(), &mut expected);
        let least = |points: &mut dyn Iterator<Item = f32>| points.fold(f32::INFINITY, f32::min);
        let deepest = least(&mut expected.points().iter().map(|p| p.distance));
        let got = least(&mut found.patches.iter().flat_map(|p| p.points()).map(|p| p.distance));
        // Points are reduced twice, each time to the deepest up to 5e-4 of the size.
        let tolerance = 1.0e-3 * solid.bounding_radius();
        assert!((got - deepest).abs() < tolerance, "{k}: {got} for {deepest}, {rotation:?} {at:?}");
        for patch in found.patches.iter().filter(|patch| patch.count > 0) {
            assert!(patch.normal.y > 0.99999, "{k}: {patch:?} {rotation:?} {at:?}");
            for point in patch.points() {
                let y = f64::from(point.point.y) + origin.y;
                assert!((y - f64::from(0.5 * point.distance)).abs() < 1e-4, "{k}: {point:?}");
            }
        }
    }
}

#[test]
fn flat_ground_of_irregular_triangles_is_a_half_space() {
    let (vertices, triangles) = irregular_ground(10, 1, false);
    compare_with_half_space(&Shape::mesh(&vertices, &triangles).expect("a mesh"), 2);
}

#[test]
fn flat_ground_with_junctions_is_a_half_space() {
    let (vertices, triangles) = irregular_ground(10, 3, true);
    compare_with_half_space(&Shape::mesh(&vertices, &triangles).expect("a mesh"), 4);
}

/// Triangles that share no vertex by index, only by place.
#[test]
fn flat_ground_of_a_soup_is_a_half_space() {
    let (vertices, triangles) = irregular_ground(10, 5, true);
    let soup: Vec<_> = triangles.iter().flatten().map(|&i| vertices[i as usize]).collect();
    let triangles: Vec<_> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    compare_with_half_space(&Shape::mesh(&soup, &triangles).expect("a mesh"), 6);
}

#[test]
fn a_flat_height_field_is_a_half_space() {
    compare_with_half_space(&Shape::height_field(21, 31, &[0.0; 21 * 31], [0.5, 0.7]).expect("a field"), 7);
}
