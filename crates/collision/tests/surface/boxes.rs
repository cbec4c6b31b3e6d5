//! A mesh that is the surface of a box, against the box.

use super::support::{Random, contacts, solid};
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, narrow};

/// The surface of a box of 8 m by 4 m by 6 m, each side cut into `n` by `n` squares of two triangles.
fn box_surface(n: usize) -> Shape {
    let half = Vector3::new(4.0, 2.0, 3.0);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for side in 0..6 {
        let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
        let first = vertices.len() as u32;
        for i in 0..=n {
            for j in 0..=n {
                let along = |k: usize| k as Real / n as Real * 2.0 - 1.0;
                let mut unit = Vector3::zeros();
                unit[axis] = sign;
                (unit[(axis + 1) % 3], unit[(axis + 2) % 3]) = (along(i), along(j));
                vertices.push(unit.component_mul(&half));
            }
        }
        for i in 0..n as u32 {
            for j in 0..n as u32 {
                let at = |i: u32, j: u32| first + i * (n as u32 + 1) + j;
                let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let [a, b, c, d] = corners;
                triangles.extend(if sign > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
    }
    Shape::mesh(&vertices, &triangles).expect("a closed mesh")
}

/// On faces, a little over them or sunk in: same normal, same depth.
#[test]
fn contacts_on_faces_are_those_of_the_box() {
    let cuboid = Shape::cuboid(Vector3::new(4.0, 2.0, 3.0)).expect("a box");
    let (coarse, fine) = (box_surface(1), box_surface(7));
    let mut random = Random::new(5);
    for k in 0..3000 {
        let solid = solid(&mut random, k);
        let rotation = if k % 2 == 0 { Rotation::identity() } else { random.rotation() };
        let (axis, sign) = (k % 3, if k % 5 < 2 { 1.0 } else { -1.0 });
        let mut normal = Vector3::zeros();
        normal[axis] = sign;
        // Well inside of the rims, so that the face is what is touched.
        let mut at = Vector3::from_fn(|i, _| random.between(-0.4, 0.4) * [4.0, 2.0, 3.0][i]);
        let lowest = solid.reach(&rotation.inverse_transform_vector(&-normal));
        at[axis] = sign * ([4.0, 2.0, 3.0][axis] + lowest - random.between(-0.02, 0.15));
        let origin = Displacement::new(f64::from(at.x), f64::from(at.y), f64::from(at.z));
        let (pose, margin) = (RelativePose::new(narrow(&origin), rotation), 0.03);
        let mut expected = LocalManifold::default();
        contact(&cuboid, &solid, &pose, margin, &mut PairCache::default(), &mut expected);
        let least = |m: &LocalManifold| m.points().iter().fold(Real::INFINITY, |d, p| d.min(p.distance));
        for mesh in [&coarse, &fine] {
            let found = contacts(mesh, &solid, &origin, &rotation, margin);
            let deepest =
                found.patches.iter().filter(|p| p.count > 0).map(least).fold(Real::INFINITY, Real::min);
            let tolerance = 1.0e-3 * solid.bounding_radius();
            let depth = -lowest + sign * at[axis] - [4.0, 2.0, 3.0][axis];
            assert!((deepest - depth).abs() < tolerance, "{k}: {deepest} for {depth}");
            if (least(&expected) - depth).abs() < 1e-4 {
                assert!((expected.normal - normal).norm() < 0.02, "{k}: the box has another face");
            }
            for patch in found.patches.iter().filter(|p| p.count > 0) {
                assert!(patch.normal.dot(&normal) > 0.9999, "{k}: {:?} for {normal:?}", patch.normal);
            }
            // The same from the other side, one manifold only.
            let mut flipped = LocalManifold::default();
            contact(&solid, mesh, &pose.inverse(), margin, &mut PairCache::default(), &mut flipped);
            // The two ways reduce the points in another order, each to the deepest up to 5e-4 of the size.
            assert!((least(&flipped) - deepest).abs() < tolerance, "{k}");
            assert!((rotation * flipped.normal + normal).norm() < 1e-3, "{k}: {:?}", flipped.normal);
        }
    }
}

/// Over the rims and corners of a closed mesh balls touch what they touch of the box: edges, corners and faces alike.
#[test]
fn balls_around_a_box_touch_its_surface_as_they_touch_the_box() {
    let cuboid = Shape::cuboid(Vector3::new(4.0, 2.0, 3.0)).expect("a box");
    let mesh = box_surface(5);
    let mut random = Random::new(8);
    let mut rims = 0;
    for k in 0..20_000 {
        let radius = random.between(0.2, 0.7);
        let ball = Shape::sphere(radius).expect("a ball");
        let half = [4.0, 2.0, 3.0];
        let at = Vector3::from_fn(|i, _| random.between(-1.0, 1.0) * (half[i] + 0.9));
        let pose = RelativePose::new(at, Rotation::identity());
        let mut expected = LocalManifold::default();
        contact(&cuboid, &ball, &pose, 0.05, &mut PairCache::default(), &mut expected);
        let is_outside = (0..3).any(|i| at[i].abs() > half[i] + 1e-3);
        if !is_outside {
            continue;
        }
        let origin = Displacement::new(f64::from(at.x), f64::from(at.y), f64::from(at.z));
        let found = contacts(&mesh, &ball, &origin, &Rotation::identity(), 0.05);
        let points: Vec<_> =
            found.patches.iter().flat_map(|p| p.points().iter().map(|q| (p.normal, q.distance))).collect();
        assert_eq!(points.is_empty(), expected.count == 0, "{k}: {at:?} {points:?} {expected:?}");
        if let Some(point) = expected.points().first() {
            let (normal, distance) = points[0];
            assert_eq!(points.len(), 1, "{k}: {points:?}");
            assert!((distance - point.distance).abs() < 1e-4, "{k}: {distance} for {point:?}");
            assert!((normal - expected.normal).norm() < 0.012, "{k}: {normal:?} for {:?}", expected.normal);
            rims += u32::from(normal.iter().filter(|c| c.abs() > 0.05).count() > 1);
        }
    }
    assert!(rims > 500, "{rims} contacts at edges and corners");
}
