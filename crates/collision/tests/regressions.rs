//! Defects of detection that were found and mended; each test names what went wrong.

use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_math::{Quaternion, RelativePose, Rotation, Vector3};

/// Two cubes whose nearest features are corners: the edge pair that the separating axes chose did not face, and
/// its contact point lay on neither surface (a debug assertion in the narrow phase says so).
#[test]
fn cubes_corner_to_corner_touch_on_both_surfaces() {
    let cube = Shape::cuboid(Vector3::repeat(0.05)).expect("valid");
    let turn = Quaternion::new(0.999_844_25, 5.595_223_8e-5, -0.017_657_915, 7.750_561e-5);
    let pose = RelativePose::new(
        Vector3::new(-0.091_662_43, 0.100_016_3, -0.101_728_2),
        Rotation::new_unchecked(turn),
    );
    let (mut cache, mut manifold) = (PairCache::default(), LocalManifold::default());
    let margin = 0.003_472_222_5;
    contact(&cube, &cube, &pose, margin, &mut cache, &mut manifold);
    for point in manifold.points() {
        assert!(point.distance <= margin);
        let on_a = point.point - manifold.normal * (0.5 * point.distance);
        let on_b = pose.inverse_transform_point(&(point.point + manifold.normal * (0.5 * point.distance)));
        for p in [on_a, on_b] {
            assert!((p.amax() - 0.05).abs() < 1e-5, "{p:?} is not on a cube's surface");
        }
    }
}
