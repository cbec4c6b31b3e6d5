//! On hills: nearest points against a search over all triangles, the same contacts wherever the surface is, and names that last.

use super::support::{Random, contacts, solid};
use drystone_collision::Shape;
use drystone_collision::narrow::surface::{SurfaceContacts, SurfaceMemory, surface_contacts};
use drystone_collision::shape::Surface;
use drystone_math::{Displacement, Real, Rotation, Vector3, narrow, widen};

fn height(x: Real, z: Real) -> Real {
    0.4 * (x * 0.8).sin() * (z * 0.6).cos() + 0.1 * (1.7 * x + 2.3 * z).sin()
}

/// A field of hills, and the same as a mesh with its vertices moved by `shift`, m.
pub(crate) fn hills(shift: Displacement) -> [Shape; 2] {
    let field = drystone_collision::shape::HeightField::new(
        33,
        41,
        &(0..33 * 41).map(|k| height((k % 41) as Real * 0.4, (k / 41) as Real * 0.5)).collect::<Vec<_>>(),
        [0.4, 0.5],
    )
    .expect("a field");
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for index in 0..field.triangle_count() as u32 {
        let first = vertices.len() as u32;
        vertices.extend(field.corners(index).map(|v| narrow(&(widen(&v) + shift))));
        triangles.push([first, first + 1, first + 2]);
    }
    [Shape::HeightField(field.into()), Shape::mesh(&vertices, &triangles).expect("a mesh")]
}

/// Distance of a point from a triangle by a fine search over it, m: slow, and trusted.
pub(crate) fn distance_by_search(p: &Vector3, corners: &[Vector3; 3]) -> Real {
    let (mut best, mut center, mut span) = (Real::INFINITY, [1.0 / 3.0, 1.0 / 3.0], 1.0);
    let [a, b, c] = corners;
    for _ in 0..12 {
        let around = center;
        for i in -6..=6 {
            for j in -6..=6 {
                let u: Real = (around[0] + span * i as Real / 6.0).clamp(0.0, 1.0);
                let v: Real = (around[1] + span * j as Real / 6.0).clamp(0.0, 1.0 - u);
                let distance = (a + (b - a) * u + (c - a) * v - p).norm();
                if distance < best {
                    (best, center) = (distance, [u, v]);
                }
            }
        }
        span *= 0.4;
    }
    best
}

/// The deepest contact of a ball is its nearest point of all triangles, on field and mesh.
#[test]
fn the_nearest_point_of_all_triangles_is_found() {
    let [field, mesh] = hills(Displacement::zeros());
    let Some(Surface::Field(all)) = field.surface() else { panic!("a field") };
    let mut random = Random::new(3);
    let mut touching = 0;
    for k in 0..300 {
        let (x, z) = (random.between(-6.0, 6.0), random.between(-6.0, 6.0));
        let ground = height(x + 8.0, z + 8.0);
        let at = Vector3::new(x, ground + random.between(0.2, 0.6), z);
        let ball = Shape::sphere(0.4).expect("a ball");
        let nearest = (0..all.triangle_count() as u32)
            .map(|i| all.corners(i))
            .filter(|c| c.iter().any(|v| (v - at).norm() < 1.6))
            .map(|c| distance_by_search(&at, &c))
            .fold(Real::INFINITY, Real::min);
        for surface in [&field, &mesh] {
            let found = contacts(surface, &ball, &widen(&at), &Rotation::identity(), 0.05);
            let points = found.patches.iter().flat_map(|p| p.points());
            let least = points.map(|p| p.distance).fold(Real::INFINITY, Real::min);
            if nearest > 0.45 {
                assert!(least > 0.045, "{k}: {least} for {nearest}");
            } else {
                assert!((least - (nearest - 0.4)).abs() < 1e-3, "{k}: {least} for {}", nearest - 0.4);
                touching += 1;
            }
        }
    }
    assert!(touching > 200, "{touching}");
}

/// Field and mesh of the same triangles give the same contacts, also far from the mesh's origin.
#[test]
fn where_the_surface_has_its_origin_changes_nothing() {
    // A shift that the grid survives in f32.
    let shift = Displacement::new(512.0, -64.0, 256.0);
    let [field, near] = hills(Displacement::zeros());
    let [_, far] = hills(shift);
    let mut random = Random::new(9);
    for k in 0..800 {
        let solid = solid(&mut random, k);
        let rotation = random.rotation();
        let (x, z) = (random.between(-5.0, 5.0), random.between(-5.0, 5.0));
        let at = widen(&Vector3::new(x, height(x + 8.0, z + 8.0) + random.between(0.2, 0.7), z));
        let deepest = |c: &SurfaceContacts| {
            let points = c.patches.iter().flat_map(|p| p.points());
            points.map(|p| p.distance).fold(0.05, Real::min)
        };
        let reference = deepest(&contacts(&field, &solid, &at, &rotation, 0.05));
        let same = deepest(&contacts(&near, &solid, &at, &rotation, 0.05));
        assert!((reference - same).abs() < 1e-3, "{k}: {reference} {same}");
        let moved = deepest(&contacts(&far, &solid, &(at + shift), &rotation, 0.05));
        assert!((reference - moved).abs() < 2e-3, "{k}: {reference} {moved}");
    }
}

/// While a box slides over a seam its corners keep their names, and the manifold its place.
#[test]
fn names_of_points_last_over_seams() {
    let flat = Shape::height_field(9, 9, &[0.0; 81], [0.5, 0.5]).expect("a field");
    let surface = flat.surface().expect("a surface");
    let cuboid = Shape::cuboid(Vector3::new(0.3, 0.2, 0.25)).expect("a box");
    let (mut memory, mut found) = (SurfaceMemory::default(), SurfaceContacts::default());
    let mut names = Vec::new();
    for step in 0..200 {
        let at = Displacement::new(-1.2 + 0.012 * f64::from(step), 0.1995, 0.1 + 0.003 * f64::from(step));
        surface_contacts(&surface, &cuboid, &at, &Rotation::identity(), 0.01, &mut memory, &mut found);
        let mut now: Vec<_> = found.patches[0].points().iter().map(|p| p.feature).collect();
        now.sort_unstable();
        assert!(now.len() == 4 && found.patches[1..].iter().all(|p| p.count == 0), "step {step}");
        if step > 0 {
            assert_eq!(now, names, "step {step}");
        }
        names = now;
    }
}

/// What passes from behind is not touched before its centre is in front; what is below by less than its size is lifted.
#[test]
fn a_surface_has_a_front_and_a_back() {
    let flat = Shape::height_field(9, 9, &[0.0; 81], [0.5, 0.5]).expect("a field");
    let ball = Shape::sphere(0.25).expect("a ball");
    for (y, distance) in [(0.2, Some(-0.05)), (-0.1, Some(-0.35)), (-0.3, None), (0.3, None)] {
        let found = contacts(&flat, &ball, &Displacement::new(0.1, y, 0.2), &Rotation::identity(), 0.01);
        let point = found.patches[0].points().first();
        assert_eq!(point.is_some(), distance.is_some(), "{y}");
        if let (Some(point), Some(distance)) = (point, distance) {
            assert!((point.distance - distance).abs() < 1e-5, "{y}: {point:?}");
            assert_eq!(found.patches[0].normal, Vector3::y());
        }
    }
}
