//! Convex hulls of arbitrary clouds.
//!
//! Trusted here: the definition of a hull, checked on the result alone (closed, Euler, convex, all points
//! inside, loops flat and convex), and counts known for special clouds. `tolerance` is the hull's own
//! promise; nothing is tuned.

use drystone_collision::shape::{ConvexHull, HullFace, MAX_HULL_VERTICES};
use drystone_collision::{Shape, ShapeError};
use drystone_math::{Real, Rotation, Vector3, widen};
use proptest::prelude::*;

/// A small deterministic generator of numbers in [-1, 1) (SplitMix64).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as Real / (1 << 23) as Real - 1.0
    }

    fn vector(&mut self) -> Vector3 {
        Vector3::new(self.next(), self.next(), self.next())
    }

    fn direction(&mut self) -> Vector3 {
        loop {
            let v = self.vector();
            if v.norm() > 0.1 && v.norm() < 1.0 {
                return v.normalize();
            }
        }
    }
}

/// How far `point` lies above the plane of `face`, m.
fn height(face: &HullFace, point: &Vector3) -> f64 {
    widen(&face.normal).dot(&widen(point)) - f64::from(face.offset)
}

/// Panics unless `hull` is a valid hull of `cloud`.
fn assert_valid(hull: &ConvexHull, cloud: &[Vector3]) {
    let (v, e, f) = (hull.vertices.len(), hull.edges.len(), hull.faces.len());
    assert_eq!(v + f, e + 2, "Euler: V {v} E {e} F {f}");
    let tolerance = f64::from(hull.tolerance);
    let mut degree = vec![0; v];
    for face in &hull.faces {
        let corners = hull.face_loop(face);
        assert!(corners.len() >= 3);
        assert!((face.normal.norm() - 1.0).abs() < 1e-6, "unit normal {:?}", face.normal);
        for point in cloud {
            let above = height(face, point);
            assert!(above <= tolerance, "{point:?} is {above} m above a face, allowed {tolerance} m");
        }
        for &corner in corners {
            degree[corner as usize] += 1;
            let off = height(face, &hull.vertices[corner as usize]);
            assert!(off.abs() <= tolerance, "corner {off} m off its face, allowed {tolerance} m");
        }
        assert_convex_loop(hull, face, tolerance);
    }
    assert!(degree.iter().all(|&d| d >= 3), "every corner borders three faces or more");
    for edge in &hull.edges {
        let [a, b] = edge.vertices;
        for (face, from, to) in [(edge.faces[0], a, b), (edge.faces[1], b, a)] {
            let corners = hull.face_loop(&hull.faces[face as usize]);
            let at = corners.iter().position(|&c| c == from).expect("the edge's corner is on its face");
            assert_eq!(
                corners[(at + 1) % corners.len()],
                to,
                "counter-clockwise loops have the face on the left"
            );
        }
    }
    assert!(hull.vertices.iter().all(|p| cloud.contains(p)), "corners are points of the cloud");
    assert!(hull.unit_mass.is_valid());
    let farthest = hull.vertices.iter().map(|p| widen(p).norm()).fold(0.0, f64::max);
    assert!(f64::from(hull.radius) >= farthest);
}

/// Every corner of the loop is on the inner side of every edge (which also says: counter-clockwise).
fn assert_convex_loop(hull: &ConvexHull, face: &HullFace, tolerance: f64) {
    let corners: Vec<_> = hull.face_loop(face).iter().map(|&i| widen(&hull.vertices[i as usize])).collect();
    for i in 0..corners.len() {
        let (a, b) = (corners[i], corners[(i + 1) % corners.len()]);
        let outward = (b - a).cross(&widen(&face.normal));
        for c in &corners {
            assert!(outward.dot(&(c - a)) <= tolerance * outward.norm(), "loop is not convex");
        }
    }
}

/// Builds and checks; the hull of a cloud that must work.
fn valid_hull(cloud: &[Vector3]) -> ConvexHull {
    let hull = ConvexHull::new(cloud).unwrap_or_else(|e| panic!("{e}"));
    assert_valid(&hull, cloud);
    hull
}

/// The points of an n x n x n grid with the given spacing.
fn grid(n: u32, spacing: Real) -> Vec<Vector3> {
    let at = |i: u32| i as Real * spacing;
    (0..n * n * n).map(|i| Vector3::new(at(i % n), at(i / n % n), at(i / n / n))).collect()
}

#[test]
fn grid_of_512_points_is_a_box() {
    let hull = valid_hull(&grid(8, 0.1));
    assert_eq!((hull.vertices.len(), hull.edges.len(), hull.faces.len()), (8, 12, 6));
    assert!(hull.faces.iter().all(|f| f.count == 4));
}

#[test]
fn turned_boxes_with_interior_and_duplicate_points_keep_six_faces() {
    let mut noise = Noise(1);
    for round in 0..200 {
        let scale = 10.0_f32.powi(round % 9 - 3);
        let q = Rotation::from_scaled_axis(noise.vector() * 3.0);
        let h = Vector3::new(1.0, 0.4, 0.7) * scale;
        let center = noise.vector() * scale;
        let mut cloud: Vec<Vector3> = Vec::new();
        for _ in 0..60 {
            cloud.push(center + q * noise.vector().component_mul(&(h * 0.999)));
        }
        let corner = |i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { -1.0 } else { 1.0 };
            center + q * h.component_mul(&Vector3::new(sign(0), sign(1), sign(2)))
        };
        cloud.extend((0..16).map(|i| corner(i % 8)));
        let hull = valid_hull(&cloud);
        assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 6), "round {round}");
    }
}

#[test]
fn points_on_faces_and_edges_vanish() {
    let mut noise = Noise(5);
    for _ in 0..50 {
        let q = Rotation::from_scaled_axis(noise.vector() * 3.0);
        let mut cloud = grid(5, 0.25);
        cloud.iter_mut().for_each(|p| *p = q * *p);
        let hull = valid_hull(&cloud);
        assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 6));
    }
}

#[test]
fn sphere_clouds_keep_all_points() {
    let mut noise = Noise(2);
    for scale in [1.0e-3, 1.0, 1.0e5] {
        let cloud: Vec<Vector3> = (0..500).map(|_| noise.direction() * scale).collect();
        let hull = valid_hull(&cloud);
        assert_eq!(hull.vertices.len(), 500);
        let ball = Shape::sphere(scale).expect("valid").volume();
        assert!(hull.unit_mass.mass < ball && hull.unit_mass.mass > 0.95 * ball);
    }
}

#[test]
fn prism_has_two_large_polygons() {
    let n = 200;
    let rim = |i: u32, y: Real| {
        let angle = i as Real * std::f32::consts::TAU / n as Real;
        Vector3::new(angle.cos(), y, angle.sin())
    };
    let cloud: Vec<Vector3> = (0..n).flat_map(|i| [rim(i, 1.0), rim(i, -1.0)]).collect();
    let hull = valid_hull(&cloud);
    assert_eq!(hull.faces.len(), n as usize + 2);
    assert_eq!(hull.faces.iter().filter(|f| f.count == n).count(), 2);
}

#[test]
fn near_coplanar_noise_gives_a_valid_hull() {
    for (seed, amplitude) in (0..60).flat_map(|s| [1e-8, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5].map(|a| (s, a))) {
        let mut noise = Noise(seed);
        // A slab whose points all lie nearly on its faces.
        let cloud: Vec<Vector3> = (0..300)
            .map(|i| {
                let y = if i % 2 == 0 { 0.5 } else { -0.5 };
                Vector3::new(noise.next(), y, noise.next()) + noise.vector() * amplitude
            })
            .collect();
        valid_hull(&cloud);
    }
}

/// A slab with a very flat dome: the corner that the largest triangle's plane was measured from became one of the middle, the next one lay lower, and so a face
/// took in a corner 1.15 tolerances below its plane.
#[test]
fn faces_keep_to_the_plane_that_they_began_with() {
    let dome = [
        [-0.008_093_765, 0.999_999_76, 0.433_087_23],
        [-0.909_963_55, 0.999_998_7, -0.433_199_88],
        [-0.211_375_68, 0.999_999_8, -0.301_988_2],
        [0.794_450_7, 1.0, 0.184_135_93],
        [0.856_206_66, 0.999_998_3, 0.695_274_9],
        [0.265_646_67, 0.999_999_05, 0.832_904_5],
        [-0.976_480_8, 0.999_998_5, 0.432_986_92],
        [0.896_462_8, 0.999_995_65, 0.805_734],
        [0.501_684_4, 0.999_998_57, 0.923_412_9],
        [-0.920_005_2, 0.999_997_6, 0.999_649_46],
        [-1.0, -1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, -1.0],
        [1.0, -1.0, 1.0],
    ];
    valid_hull(&dome.map(Vector3::from));
}

/// How thick a cloud is is measured across its own corners, as the documentation of the constructor says: by √(2/3) of a cube's side, by √2 of a rod's.
#[test]
fn the_smallest_cubes_and_rods_are_those_documented() {
    assert!(matches!(ConvexHull::new(&grid(2, 1.2e-5)), Err(ShapeError::FlatCloud { dimensions: 1, .. })));
    assert!(ConvexHull::new(&grid(2, 1.25e-5)).is_ok());
    let rod = |side: Real| ConvexHull::cuboid(&Vector3::new(1e-3, 0.5 * side, 0.5 * side));
    assert!(rod(0.8e-5).is_ok() && rod(0.7e-5).is_err());
}

#[test]
fn clouds_without_volume_are_refused() {
    let mut noise = Noise(3);
    let flat = |cloud: &[Vector3], expected: u32| match ConvexHull::new(cloud) {
        Err(ShapeError::FlatCloud { dimensions, point_count, .. }) => {
            assert_eq!((dimensions, point_count), (expected, cloud.len()));
        }
        other => panic!("expected a flat cloud, got {other:?}"),
    };
    flat(&[], 0);
    flat(&[Vector3::new(1.0, 2.0, 3.0)], 0);
    flat(&[Vector3::new(1.0, 2.0, 3.0); 100], 0);
    let line: Vec<Vector3> = (0..50).map(|_| Vector3::new(1.0, -2.0, 0.5) * noise.next()).collect();
    flat(&line, 1);
    flat(&[Vector3::zeros(), Vector3::x()], 1);
    flat(&[Vector3::zeros(), Vector3::x(), Vector3::y()], 2);
    let q = Rotation::from_euler_angles(0.3, 0.5, 0.7);
    let plane: Vec<Vector3> = (0..50).map(|_| q * Vector3::new(noise.next(), 0.0, noise.next())).collect();
    flat(&plane, 2);
    // Below the smallest size, although far from flat.
    flat(&grid(2, 1.0e-6), 0);
}

#[test]
fn bad_points_are_named() {
    let mut cloud = grid(2, 1.0);
    cloud[5].y = Real::NAN;
    let refused = ConvexHull::new(&cloud).expect_err("not a number");
    assert!(matches!(refused, ShapeError::NotFinite { field: "points", index: 5, .. }));
    cloud[5].y = Real::INFINITY;
    assert!(matches!(ConvexHull::new(&cloud), Err(ShapeError::NotFinite { index: 5, .. })));
    cloud[5].y = 1.1e6;
    let refused = ConvexHull::new(&cloud).expect_err("too far");
    assert_eq!(
        refused.to_string(),
        "points[5] must lie within 1000000 m of the origin on every axis, got (1, 1100000, 1)"
    );
    cloud[5].y = Real::MAX;
    assert!(ConvexHull::new(&cloud).is_err());
}

#[test]
fn too_many_corners_are_refused_with_the_count() {
    let mut noise = Noise(4);
    let cloud: Vec<Vector3> = (0..30_000).map(|_| noise.direction()).collect();
    match ConvexHull::new(&cloud) {
        Err(ShapeError::TooManyVertices { point_count: 30_000, limit: MAX_HULL_VERTICES, count }) => {
            assert!(count > MAX_HULL_VERTICES);
        }
        other => panic!("expected a refusal, got {:?}", other.map(|h| h.vertices.len())),
    }
}

#[test]
fn a_million_points_in_a_ball_take_bounded_work() {
    let mut noise = Noise(6);
    let cloud: Vec<Vector3> = (0..1_000_000).map(|_| noise.vector()).filter(|v| v.norm() < 0.9).collect();
    let hull = ConvexHull::new(&cloud).expect("fewer corners than the limit");
    // All points against all faces would take longer than the hull itself.
    let sample: Vec<Vector3> = cloud.iter().step_by(997).chain(&hull.vertices).copied().collect();
    assert_valid(&hull, &sample);
}

#[test]
fn thin_plate_and_needle_are_valid() {
    let thin = |h: Vector3| {
        let hull = ConvexHull::cuboid(&h).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((hull.vertices.len(), hull.faces.len()), (8, 6));
        assert_valid(&hull, &hull.vertices.clone());
    };
    thin(Vector3::new(1.0, 1.0e-4, 1.0));
    thin(Vector3::new(1.0e-3, 1.0, 1.0e-3));
    thin(Vector3::repeat(1.0e5));
    thin(Vector3::repeat(1.0e-5));
}

#[test]
fn order_of_points_changes_only_the_numbering() {
    let mut noise = Noise(7);
    let mut cloud: Vec<Vector3> = (0..200).map(|_| noise.vector()).collect();
    let hull = valid_hull(&cloud);
    assert_eq!(hull, valid_hull(&cloud), "same cloud, same bits");
    cloud.reverse();
    let reversed = valid_hull(&cloud);
    let sorted = |h: &ConvexHull| {
        let mut v: Vec<[u32; 3]> = h.vertices.iter().map(|p| [p.x, p.y, p.z].map(Real::to_bits)).collect();
        v.sort_unstable();
        v
    };
    assert_eq!(sorted(&hull), sorted(&reversed));
    assert_eq!(hull.faces.len(), reversed.faces.len());
}

#[test]
fn support_vertex_is_the_farthest() {
    let mut noise = Noise(8);
    let cloud: Vec<Vector3> = (0..300).map(|_| noise.vector()).collect();
    let hull = valid_hull(&cloud);
    for _ in 0..1000 {
        let d = noise.direction();
        let reach = widen(&hull.vertices[hull.support_vertex(&d, 0) as usize]).dot(&widen(&d));
        let best = hull.vertices.iter().map(|v| widen(v).dot(&widen(&d))).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(reach, best);
    }
}

/// Clouds of many kinds: free, on a coarse lattice (many ties), nearly flat, on lines, with far outliers.
fn cloud() -> impl Strategy<Value = Vec<Vector3>> {
    let free = prop::collection::vec(prop::array::uniform3(-1.0_f32..1.0), 0..80);
    let lattice = prop::collection::vec(prop::array::uniform3(-2_i32..3), 0..80)
        .prop_map(|v| v.into_iter().map(|p| p.map(|c| c as Real)).collect::<Vec<_>>());
    let kinds = prop_oneof![free, lattice];
    (kinds, -3_i32..6, 0..5_u32, prop::array::uniform3(-3.0_f32..3.0)).prop_map(
        |(points, power, kind, axis)| {
            let q = Rotation::from_scaled_axis(Vector3::from(axis));
            let squash = match kind {
                0 => Vector3::new(1.0, 1.0, 1.0e-6),
                1 => Vector3::new(1.0, 1.0e-4, 1.0e-6),
                2 => Vector3::new(1.0, 1.0, 3.0e-3),
                _ => Vector3::repeat(1.0),
            };
            let scale = 10.0_f32.powi(power);
            points.into_iter().map(|p| q * Vector3::from(p).component_mul(&squash) * scale).collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any cloud gives a valid hull or a refusal, never anything else.
    #[test]
    fn any_cloud_gives_a_valid_hull_or_a_refusal(cloud in cloud()) {
        if let Ok(hull) = ConvexHull::new(&cloud) {
            assert_valid(&hull, &cloud);
        }
    }

    /// Raw bits as coordinates: no panic, no endless loop.
    #[test]
    fn arbitrary_bits_do_not_panic(bits in prop::collection::vec(prop::array::uniform3(any::<u32>()), 0..40)) {
        let cloud: Vec<Vector3> = bits.into_iter().map(|b| Vector3::from(b.map(Real::from_bits))).collect();
        if let Ok(hull) = ConvexHull::new(&cloud) {
            assert_valid(&hull, &cloud);
        }
    }
}
