//! Mass properties, boxes and farthest points of shapes.
//!
//! Trusted here: closed forms (box, tetrahedron, sphere) and the laws of translation, rotation and scaling.

use drystone_collision::shape::ConvexHull;
use drystone_collision::{Shape, ShapeError};
use drystone_math::inertia::MassProperties;
use drystone_math::{Displacement, Pose, Position, Real, Rotation, Symmetric3, Vector3, narrow, widen};
use proptest::prelude::*;

/// Relative error of quantities computed in `f64` from exact corners and stored in `f32`: one rounding of
/// the mass, three more through the principal axes and back (each entry of the tensor).
const ROUNDING: Real = 8.0 * Real::EPSILON;

fn assert_close(a: &MassProperties, b: &MassProperties, size: Real, tolerance: Real) {
    assert!((a.mass - b.mass).abs() <= tolerance * b.mass, "mass {} != {}", a.mass, b.mass);
    assert!((a.center - b.center).norm() <= tolerance * size, "centre {:?} != {:?}", a.center, b.center);
    let (s, t) = (a.tensor().to_matrix(), b.tensor().to_matrix());
    assert!((s - t).norm() <= tolerance * t.norm(), "inertia {s} != {t}");
}

#[test]
fn box_hull_equals_the_closed_form() {
    for h in [Vector3::new(0.5, 0.5, 0.5), Vector3::new(1.0, 0.01, 3.0), Vector3::repeat(1.0e4)] {
        let hull = ConvexHull::cuboid(&h).expect("valid");
        assert_close(&hull.unit_mass, &MassProperties::cuboid(&h, 1.0), h.norm(), ROUNDING);
    }
}

#[test]
fn corner_tetrahedron_is_exact() {
    // V = 1/6, centre 1/4, ∫x² = 1/60, ∫xy = 1/120 about the corner; moved to the centre by the
    // parallel-axis theorem: 1/60 − 1/96 = 1/160 and 1/120 − 1/96 = −1/480.
    let corners = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    let hull = ConvexHull::new(&corners).expect("valid");
    let (diagonal, product) = (2.0 / 160.0, 1.0 / 480.0);
    let tensor =
        Symmetric3 { xx: diagonal, yy: diagonal, zz: diagonal, xy: product, xz: product, yz: product };
    let expected = MassProperties::from_tensor(1.0 / 6.0, Vector3::repeat(0.25), &tensor);
    assert_close(&hull.unit_mass, &expected, 1.0, ROUNDING);
}

/// Square rods along (1, 1, 1): the moment about the axis is a millionth of the others and less, and is kept all the same; so it is for a body of two
/// halves. Allowed: twice what rounding takes off or adds to the thickness at the ends, and as much for the compound.
#[test]
fn slender_rods_that_lie_obliquely_keep_their_least_moment() {
    for (length, side) in [(1.0, 0.1), (3.0, 0.1), (20.0, 0.005), (50.0, 0.01), (100.0, 0.01), (1000.0, 0.05)]
    {
        let turn = Rotation::rotation_between(&Vector3::y(), &Vector3::repeat(1.0)).expect("not opposite");
        let rod = |from: f64, to: f64| {
            let corner = |k: u32| {
                let sign = |bit: u32| if k >> bit & 1 == 1 { -0.5 } else { 0.5 };
                let along = if k & 4 == 0 { from } else { to };
                drystone_math::widen_rotation(&turn)
                    * Displacement::new(sign(0) * side, along, sign(1) * side)
            };
            let corners: [_; 8] = std::array::from_fn(|k| narrow(&corner(k as u32)));
            ConvexHull::new(&corners).expect("a rod").unit_mass
        };
        let [whole, low, high] =
            [[-0.5, 0.5], [-0.5, 0.0], [0.0, 0.5]].map(|[a, b]| rod(a * length, b * length));
        let joined = MassProperties::combined(&[low, high]).expect("a mass");
        let rounding = 4.0 * length * f64::from(Real::EPSILON) / side;
        for found in [whole, joined] {
            let mass = side * side * length;
            let least = f64::from(found.principal.min()) / (mass * side * side / 6.0);
            let most = f64::from(found.principal.max()) / (mass * (length * length + side * side) / 12.0);
            assert!(
                (least - 1.0).abs() < 1e-3 + rounding,
                "{length} m x {side} m: least moment {least} of what it is"
            );
            assert!(
                (most - 1.0).abs() < 1e-3 + rounding,
                "{length} m x {side} m: largest moment {most} of what it is"
            );
        }
    }
}

#[test]
fn densities_and_shapes_without_mass_give_none() {
    let sphere = Shape::sphere(1.0).expect("valid");
    for density in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        assert!(sphere.mass_properties(density).is_none());
    }
    assert!(Shape::half_space(Vector3::y()).expect("valid").mass_properties(1.0).is_none());
    let largest = Shape::cuboid(Vector3::repeat(1.0e6)).expect("valid");
    assert!(largest.mass_properties(1.0e4).is_some() && largest.mass_properties(1.0e30).is_none());
}

#[test]
fn sizes_out_of_range_are_refused() {
    for bad in [0.0, -1.0, Real::NAN, Real::INFINITY, 1.0e-6, 2.0e6, Real::MIN_POSITIVE] {
        assert!(Shape::sphere(bad).is_err() && Shape::capsule(1.0, bad).is_err());
        assert!(Shape::cuboid(Vector3::new(1.0, bad, 1.0)).is_err());
        assert!(Shape::cylinder(1.0, bad).is_err() && Shape::cylinder(bad, 1.0).is_err());
        assert!(Shape::cone(1.0, bad).is_err() && Shape::cone(bad, 1.0).is_err());
    }
    assert!(Shape::capsule(0.0, 1.0).is_ok() && Shape::capsule(-0.0, 1.0).is_ok());
    assert!(Shape::capsule(-1.0e-9, 1.0).is_err() && Shape::capsule(Real::NAN, 1.0).is_err());
    assert!(Shape::half_space(Vector3::zeros()).is_err());
    assert!(Shape::half_space(Vector3::new(Real::NAN, 0.0, 0.0)).is_err());
    for tiny_or_huge in [Real::MIN_POSITIVE, 1.0e-45, Real::MAX] {
        let Ok(Shape::HalfSpace { normal }) = Shape::half_space(Vector3::repeat(tiny_or_huge)) else {
            panic!("any direction is a direction");
        };
        assert!((normal.norm() - 1.0).abs() < 1e-6);
    }
}

/// What is written by hand is what a constructor makes of the same numbers, or is refused as there.
#[test]
fn shapes_written_by_hand_are_checked_as_made_ones() {
    let sizes = [1.0e-6, 1.0e-5, 0.3, 1.0e6, 2.0e6, 0.0, -1.0, Real::NAN, Real::INFINITY];
    for (a, b) in sizes.iter().flat_map(|&a| sizes.map(|b| (a, b))) {
        let half_extents = Vector3::new(a, b, 1.0);
        for (by_hand, made) in [
            (Shape::Sphere { radius: a }, Shape::sphere(a)),
            (Shape::Box { half_extents }, Shape::cuboid(half_extents)),
            (Shape::Capsule { half_length: a, radius: b }, Shape::capsule(a, b)),
            (Shape::Cylinder { half_height: a, radius: b }, Shape::cylinder(a, b)),
            (Shape::Cone { half_height: a, radius: b }, Shape::cone(a, b)),
        ] {
            // By their words: what is no number differs from itself.
            let words = |result: Result<(), ShapeError>| result.map_err(|error| error.to_string());
            assert_eq!(words(by_hand.check()), words(made.map(|_| ())), "{by_hand:?}");
        }
    }
    for (length, is_unit) in [(1.0, true), (1.0 + 1e-6, true), (2.0, false), (0.0, false), (Real::NAN, false)]
    {
        assert_eq!(Shape::HalfSpace { normal: Vector3::y() * length }.check().is_ok(), is_unit, "{length}");
    }
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vector3::from);
    assert!(Shape::mesh(&square, &[[0, 2, 1]]).expect("a mesh").check().is_ok());
}

/// The parts of a hull are open, and its queries go by more than one of them.
#[test]
fn hulls_whose_parts_were_changed_are_told() {
    let made = ConvexHull::cuboid(&Vector3::new(0.1, 0.2, 0.3)).expect("valid");
    let after = |change: &dyn Fn(&mut ConvexHull)| {
        let mut hull = made.clone();
        change(&mut hull);
        Shape::Hull(hull.into()).check()
    };
    assert_eq!(after(&|_| ()), Ok(()));
    let changes: [&dyn Fn(&mut ConvexHull); 9] = [
        &|hull| hull.vertices[3].x *= 2.0,
        &|hull| hull.vertices[0].y = Real::NAN,
        &|hull| hull.vertices.truncate(7),
        &|hull| hull.faces[1].offset += 0.1,
        &|hull| hull.faces[1].count = 400,
        &|hull| hull.edges[5].vertices[0] = 8,
        &|hull| hull.edges.truncate(11),
        &|hull| hull.tolerance = Real::INFINITY,
        &|hull| hull.unit_mass.mass = -1.0,
    ];
    for (k, change) in changes.iter().enumerate() {
        assert_eq!(after(*change), Err(ShapeError::ChangedHull), "change {k}");
    }
}

#[test]
fn half_space_box_is_bounded_along_an_axis_only() {
    let pose = Pose::at(1.0, 2.0, 3.0);
    let floor = Shape::half_space(Vector3::new(0.0, 3.0, 0.0)).expect("valid").aabb(&pose);
    assert_eq!((floor.max.y, floor.min.y, floor.max.x), (2.0, f64::MIN, f64::MAX));
    let ceiling = Shape::half_space(Vector3::new(0.0, -1.0, 0.0)).expect("valid").aabb(&pose);
    assert_eq!((ceiling.max.y, ceiling.min.y), (f64::MAX, 2.0));
    let slope = Shape::half_space(Vector3::new(0.0, 1.0, 1.0e-6)).expect("valid").aabb(&pose);
    assert_eq!((slope.max.y, slope.min.y), (f64::MAX, f64::MIN));
}

#[test]
fn zero_length_capsule_is_a_sphere() {
    let (capsule, sphere) = (Shape::capsule(0.0, 0.7).expect("valid"), Shape::sphere(0.7).expect("valid"));
    let pose = Pose::new(Position::new(1.0, 2.0, 3.0), Rotation::from_euler_angles(0.1, 0.2, 0.3));
    assert_eq!(capsule.aabb(&pose), sphere.aabb(&pose));
    assert_eq!(capsule.bounding_radius(), sphere.bounding_radius());
    assert_eq!(capsule.support(&Vector3::new(1.0, 2.0, -3.0)), sphere.support(&Vector3::new(1.0, 2.0, -3.0)));
    assert!((capsule.volume() - sphere.volume()).abs() <= ROUNDING * sphere.volume());
}

/// Volume, height of the centre, and moments about it along y and across, of a solid of revolution at density 1:
/// a sum over 200 000 discs with the given radius at a height, in `f64`.
fn summed(half_height: f64, radius_at: impl Fn(f64) -> f64) -> [f64; 4] {
    const DISCS: u32 = 200_000;
    let thickness = 2.0 * half_height / f64::from(DISCS);
    let disc = |i: u32| {
        let y = -half_height + (f64::from(i) + 0.5) * thickness;
        let r2 = radius_at(y) * radius_at(y);
        (y, r2, std::f64::consts::PI * r2 * thickness)
    };
    let volume: f64 = (0..DISCS).map(|i| disc(i).2).sum();
    let center = (0..DISCS).map(|i| disc(i).0 * disc(i).2).sum::<f64>() / volume;
    let along = (0..DISCS).map(|i| 0.5 * disc(i).1 * disc(i).2).sum();
    let across = (0..DISCS).map(disc).map(|(y, r2, v)| v * (0.25 * r2 + (y - center) * (y - center))).sum();
    [volume, center, along, across]
}

#[test]
fn cylinders_and_cones_weigh_what_their_discs_do() {
    for (h, r) in [(0.5_f32, 0.3_f32), (2.0, 0.05), (0.01, 1.5)] {
        let (half, radius) = (f64::from(h), f64::from(r));
        let cases = [
            (Shape::cylinder(h, r), summed(half, |_| radius)),
            (Shape::cone(h, r), summed(half, |y| radius * (half - y) / (2.0 * half))),
        ];
        for (shape, [volume, center, along, across]) in cases {
            let shape = shape.expect("valid");
            let found = shape.mass_properties(2.0).expect("a density");
            let [m, c, y, x] =
                [found.mass, found.center.y, found.principal.y, found.principal.x].map(f64::from);
            // The sum is good to the square of a disc's share of the height.
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs() + 1e-9;
            assert!(close(m, 2.0 * volume) && close(c, center), "{found:?} {volume} {center}");
            assert!(close(y, 2.0 * along) && close(x, 2.0 * across), "{found:?} {along} {across}");
            assert_eq!(
                (found.principal.z, found.center.x, found.frame),
                (found.principal.x, 0.0, Rotation::identity())
            );
            assert!((f64::from(shape.volume()) - volume).abs() <= 1e-6 * volume);
        }
    }
}

/// The inner radius is the distance of the surface from the centre of mass: no direction leaves sooner.
#[test]
fn the_centre_of_mass_is_the_inner_radius_below_the_surface() {
    for (h, r) in [(0.5_f32, 0.3_f32), (2.0, 0.05), (0.01, 1.5)] {
        for shape in [Shape::cylinder(h, r), Shape::cone(h, r)] {
            let shape = shape.expect("valid");
            let center = shape.mass_properties(1.0).expect("a density").center;
            let least = (0..20_000)
                .map(|i| {
                    let angle = i as Real * std::f32::consts::PI / 20_000.0;
                    let d = Vector3::new(angle.sin(), angle.cos(), 0.0);
                    shape.reach(&d) - d.dot(&center)
                })
                .fold(Real::INFINITY, Real::min);
            let inner = shape.inner_radius();
            // Between two directions the reach changes by their angle times the size.
            let step = std::f32::consts::PI / 20_000.0 * 2.0 * shape.bounding_radius();
            assert!(inner <= least * (1.0 + 1e-5) && least <= inner + step, "{inner} {least} {shape:?}");
        }
    }
}

fn vector(size: Real) -> impl Strategy<Value = Vector3> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

fn rotation() -> impl Strategy<Value = Rotation> {
    vector(3.0).prop_map(Rotation::from_scaled_axis)
}

fn cloud() -> impl Strategy<Value = Vec<Vector3>> {
    prop::collection::vec(vector(1.0), 8..40)
}

fn shape() -> impl Strategy<Value = Shape> {
    let size = 0.05_f32..2.0;
    let round = (size.clone(), size.clone());
    prop_oneof![
        round.clone().prop_map(|(h, r)| Shape::cylinder(h, r).expect("valid")),
        round.prop_map(|(h, r)| Shape::cone(h, r).expect("valid")),
        size.clone().prop_map(|r| Shape::sphere(r).expect("valid")),
        prop::array::uniform3(size.clone()).prop_map(|h| Shape::cuboid(h.into()).expect("valid")),
        (0.0_f32..2.0, size).prop_map(|(h, r)| Shape::capsule(h, r).expect("valid")),
        cloud().prop_filter_map("flat", |c| Shape::hull(&c).ok()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Mass is invariant, the centre moves along, the tensor turns. Corners are rounded to `f32` when the
    /// cloud is moved, by up to `ROUNDING` of their size each; thin hulls amplify that by size over
    /// thickness, so hulls thinner than a tenth are left out.
    #[test]
    fn hull_mass_follows_the_frame(cloud in cloud(), shift in vector(2.0), turn in rotation()) {
        let Ok(hull) = ConvexHull::new(&cloud) else { return Ok(()) };
        prop_assume!(hull.unit_mass.mass > 0.1);
        let moved: Vec<Vector3> = cloud.iter().map(|p| shift + turn * p).collect();
        let Ok(moved) = ConvexHull::new(&moved) else { return Err(TestCaseError::fail("moved hull refused")) };
        // Area (at most 24) times rounding of a corner, over the smallest volume.
        let tolerance = 24.0 / 0.1 * ROUNDING;
        assert_close(&moved.unit_mass, &hull.unit_mass.transformed(&shift, &turn), 4.0, tolerance);
    }

    /// Scaling by a power of two is exact in `f32`: mass grows with s³, inertia with s⁵.
    #[test]
    fn hull_mass_follows_the_scale(cloud in cloud(), power in -6_i32..12) {
        let Ok(hull) = ConvexHull::new(&cloud) else { return Ok(()) };
        let s = 2.0_f32.powi(power);
        let Ok(scaled) = ConvexHull::new(&cloud.iter().map(|p| p * s).collect::<Vec<_>>()) else { return Ok(()) };
        let unit = hull.unit_mass;
        let expected = MassProperties {
            mass: unit.mass * s * s * s,
            center: unit.center * s,
            principal: unit.principal * (s * s * s * s * s),
            frame: unit.frame,
        };
        assert_close(&scaled.unit_mass, &expected, s, ROUNDING);
    }

    /// The box touches the farthest point of the shape along each axis, and none sticks out.
    #[test]
    fn aabb_is_tight(shape in shape(), place in vector(100.0), turn in rotation()) {
        let pose = Pose::new(Position::new(place.x.into(), place.y.into(), place.z.into()), turn);
        let aabb = shape.aabb(&pose);
        // The oracle turns and adds in f32: a few roundings of the shape's size.
        let tolerance = 8.0 * f64::from(Real::EPSILON) * f64::from(shape.bounding_radius());
        for axis in 0..3 {
            let mut direction = Vector3::zeros();
            direction[axis] = 1.0;
            let local = turn.inverse() * direction;
            let high = pose.transform_point(&shape.support(&local))[axis];
            let low = pose.transform_point(&shape.support(&-local))[axis];
            prop_assert!((aabb.max[axis] - high).abs() <= tolerance, "{} != {high}", aabb.max[axis]);
            prop_assert!((aabb.min[axis] - low).abs() <= tolerance, "{} != {low}", aabb.min[axis]);
        }
    }

    /// What is told without the mass is what the mass says.
    #[test]
    fn the_centre_of_mass_is_that_of_the_mass(shape in shape()) {
        let unit = shape.mass_properties(1.0).expect("solid");
        prop_assert!((shape.center_of_mass() - unit.center).norm() <= 1e-6 * shape.bounding_radius());
    }

    /// The farthest point reaches at least as far as any other, and none is beyond the bounding radius.
    #[test]
    fn support_is_farthest(shape in shape(), d in vector(1.0), other in vector(1.0)) {
        let far = widen(&shape.support(&d)).dot(&widen(&d));
        let rival = shape.support(&other);
        let tolerance = 4.0 * f64::from(Real::EPSILON) * f64::from(shape.bounding_radius() * d.norm());
        prop_assert!(widen(&rival).dot(&widen(&d)) <= far + tolerance);
        let reach = f64::from(shape.reach(&d.normalize()) * d.norm());
        prop_assert!((reach - far).abs() <= 2.0 * tolerance, "{} != {}", reach, far);
        let limit = f64::from(shape.bounding_radius());
        prop_assert!(widen(&rival).norm() <= limit * (1.0 + 2.0 * f64::from(Real::EPSILON)));
    }

    /// A half-space's support and every shape's sizes are finite for any direction at all.
    #[test]
    fn support_is_total(shape in shape(), d in prop::array::uniform3(any::<f32>())) {
        let d = Vector3::from(d);
        if d.iter().all(|c| c.is_finite()) {
            let p = shape.support(&d);
            prop_assert!(p.iter().all(|c| c.is_finite()));
        }
    }
}
