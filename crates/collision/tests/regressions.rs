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

/// A box 0.216 m in front of a plate, looked at with a margin of as much, as fast bodies are: rounding left the face of the plate no
/// point, and the box's face that looks the other way was taken, 0.8 m deep.
#[test]
fn a_box_in_front_of_a_plate_is_not_inside_of_it() {
    let plate = Shape::cuboid(Vector3::new(2.4, 2.4, 0.0005)).expect("valid");
    let small = Shape::cuboid(Vector3::new(0.071_424_305, 0.042_854_585, 0.021_427_292)).expect("valid");
    let turn = Quaternion::new(-0.881_366_55, 0.165_359_04, -0.222_256_33, -0.382_689_95);
    let pose = RelativePose::new(
        Vector3::new(1.109_345_2, 1.937_093_9, -0.277_075_26),
        Rotation::new_unchecked(turn),
    );
    for margin in [0.216, 0.216_213_15, 0.217, 1.0] {
        let (mut cache, mut manifold) = (PairCache::default(), LocalManifold::default());
        contact(&plate, &small, &pose, margin, &mut cache, &mut manifold);
        assert!(manifold.points().iter().all(|point| point.distance > 0.2161), "{margin} m: {manifold:?}");
    }
}
