//! Queries of shapes. Trusted: signed distances by [`closest_points`], which [`drystone_collision::narrow`] is tested against too, at many
//! places along a motion; planes and balls in closed form.

use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_collision::query::{
    CastStatus, MotionCast, QueryError, Ray, SweptPose, cast_motion, cast_ray, cast_shape, closest_points,
    contains_point, overlaps, project_point,
};
use drystone_math::{Displacement, Pose, Position, Rotation, Vector3, widen};
use proptest::prelude::*;

fn unit() -> impl Strategy<Value = f32> {
    -1.0f32..1.0
}

fn size() -> impl Strategy<Value = f32> {
    (-2.0f32..0.3).prop_map(|x| 10f32.powf(x))
}

/// Bounded shapes, thin and small ones among them.
fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        size().prop_map(|r| Shape::sphere(r).expect("in range")),
        prop::array::uniform3(size()).prop_map(|h| Shape::cuboid(Vector3::from(h)).expect("in range")),
        (size(), size()).prop_map(|(l, r)| Shape::capsule(l, r).expect("in range")),
        (prop::collection::vec(prop::array::uniform3(unit()), 5..14), size()).prop_filter_map(
            "a flat cloud",
            |(points, s)| {
                let points: Vec<Vector3> = points.into_iter().map(|p| Vector3::from(p) * s).collect();
                Shape::hull(&points).ok()
            }
        ),
    ]
}

/// A box as a mesh, its triangles seen from outside.
fn box_mesh(half: [f32; 3]) -> Shape {
    let corner = |k: u32| {
        Vector3::from([0, 1, 2].map(|axis| half[axis] * if k >> axis & 1 == 1 { 1.0 } else { -1.0 }))
    };
    let corners: Vec<Vector3> = (0..8).map(corner).collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Shape::mesh(&corners, &triangles).expect("a box")
}

fn any_pose() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(unit()), prop::array::uniform3(-3.0f32..3.0)).prop_map(|(t, [a, b, c])| {
        let [x, y, z] = t.map(|x| 2.0 * f64::from(x));
        Pose::new(Position::new(x, y, z), Rotation::from_euler_angles(a, b, c))
    })
}

fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    closest_points(a, pose_a, b, pose_b, f64::INFINITY).expect("bounded shapes").distance
}

/// What a cast may be wrong by, m: it ends when it is as near as that.
fn rounding(a: &Shape, b: &Shape) -> f64 {
    1e-5 * f64::from(a.bounding_radius().max(b.bounding_radius())) + 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Closest points lie on both surfaces, at the distance told, along the normal.
    #[test]
    fn closest_points_are_on_both_shapes(
        (a, b) in (any_shape(), any_shape()), (pose_a, pose_b) in (any_pose(), any_pose()),
    ) {
        let found = closest_points(&a, &pose_a, &b, &pose_b, f64::INFINITY).expect("bounded");
        let rounding = 10.0 * rounding(&a, &b);
        let between = found.points[1] - found.points[0];
        prop_assert!((between - widen(&found.normal) * found.distance).norm() < rounding + 1e-6 * found.distance.abs());
        for (shape, pose, point) in [(&a, &pose_a, &found.points[0]), (&b, &pose_b, &found.points[1])] {
            let on = project_point(shape, pose, point).expect("finite").expect("convex");
            prop_assert!(on.distance.abs() < rounding, "{} m off {shape:?}", on.distance);
        }
        prop_assert_eq!(overlaps(&a, &pose_a, &b, &pose_b), found.distance <= 0.0);
        let back = closest_points(&b, &pose_b, &a, &pose_a, f64::INFINITY).expect("bounded");
        prop_assert!((back.distance - found.distance).abs() < rounding);
        // The limit is kept to, and what is just as far is told, whatever the sign: a world that asks with the best distance so far finds
        // what is equally near in any order.
        let limited = |limit: f64| closest_points(&a, &pose_a, &b, &pose_b, limit);
        prop_assert_eq!(limited(found.distance), Some(found));
        prop_assert_eq!(limited(found.distance.next_down()), None);
    }

    /// A cast without turning: apart before the fraction, touching at it; and apart all the way where it misses.
    #[test]
    fn casts_end_at_the_first_touch(
        (a, b) in (any_shape(), any_shape()), (from, at) in (any_pose(), any_pose()), way in prop::array::uniform3(unit()),
    ) {
        let way = widen(&Vector3::from(way)) * 8.0;
        let rounding = rounding(&a, &b);
        let pose = |fraction: f64| Pose::new(from.translation + way * fraction, from.rotation);
        let hit = cast_shape(&a, &from, &way, &b, &at).expect("finite");
        let until = hit.map_or(1.0, |hit| hit.fraction);
        prop_assert!((0.0..=1.0).contains(&until));
        let starts = distance(&a, &from, &b, &at) <= 0.0;
        prop_assert_eq!(starts, hit.is_some_and(|hit| hit.status == CastStatus::StartsOverlapping));
        if starts {
            // Told is the way out: moved along the normal by the depth the other one only touches.
            let hit = hit.expect("it is hit at once");
            prop_assert!((hit.normal.norm() - 1.0).abs() < 1e-5, "{:?}", hit);
            let out = at.translated(&(widen(&hit.normal) * -distance(&a, &from, &b, &at)));
            let left = distance(&a, &from, &b, &out);
            prop_assert!(left.abs() < 10.0 * rounding, "{left} m after it was moved out: {:?}", hit);
            let off = project_point(&b, &at, &hit.point).expect("finite").expect("convex").distance;
            prop_assert!(off.abs() < 10.0 * rounding, "the point is {off} m off");
            return Ok(());
        }
        for k in 0..200 {
            let gap = distance(&a, &pose(until * f64::from(k) / 200.0), &b, &at);
            prop_assert!(gap > -rounding, "{gap} m at {k} of 200 before {until}");
        }
        if let Some(hit) = hit {
            prop_assert!(hit.status == CastStatus::Hit, "{:?}", hit);
            let gap = distance(&a, &pose(until), &b, &at);
            prop_assert!(gap.abs() < 2.0 * rounding, "{gap} m when it touches");
            let off = project_point(&b, &at, &hit.point).expect("finite").expect("convex").distance;
            prop_assert!(off.abs() < 10.0 * rounding, "the point is {off} m off");
            prop_assert!(widen(&hit.normal).dot(&way) > -1e-6 * way.norm());
        }
    }

    /// The same with both moving and turning; and what is eroded is hit later.
    #[test]
    fn casts_of_turning_shapes_end_at_the_first_touch(
        (a, b) in (any_shape(), any_shape()),
        (from_a, to_a) in (any_pose(), any_pose()),
        (from_b, to_b) in (any_pose(), any_pose()),
        center in prop::array::uniform3(unit()),
    ) {
        let motions = [
            SweptPose { from: from_a, to: to_a, center: Vector3::from(center) * 0.3 },
            SweptPose { from: from_b, to: to_b, center: Vector3::zeros() },
        ];
        let rounding = rounding(&a, &b);
        let cast = MotionCast { shapes: [&a, &b], motions, erosion: [0.0; 2], target: 0.0 };
        let hit = cast_motion(&cast);
        let until = hit.map_or(1.0, |hit| hit.fraction);
        let gap = |fraction: f64| distance(&a, &motions[0].at(fraction), &b, &motions[1].at(fraction));
        if gap(0.0) <= 0.0 {
            prop_assert_eq!(hit.map(|hit| hit.status), Some(CastStatus::StartsOverlapping));
            prop_assert!(hit.is_some_and(|hit| (hit.normal.norm() - 1.0).abs() < 1e-5), "{:?}", hit);
            return Ok(());
        }
        for k in 0..200 {
            let gap = gap(until * f64::from(k) / 200.0);
            prop_assert!(gap > -rounding, "{gap} m at {k} of 200 before {until}");
        }
        if let Some(hit) = hit.filter(|hit| hit.status == CastStatus::Hit) {
            prop_assert!(gap(hit.fraction).abs() < 2.0 * rounding, "{} m when it touches", gap(hit.fraction));
        }
        let less = 0.5 * f64::from(a.inner_radius());
        let later = cast_motion(&MotionCast { erosion: [less, 0.0], ..cast });
        prop_assert!(later.is_none_or(|later| later.fraction >= until - 1e-9 || hit.is_none()));
        if let Some(later) = later.filter(|later| later.status == CastStatus::Hit) {
            prop_assert!(gap(later.fraction) < -0.9 * less + 2.0 * rounding, "{} m deep, less {less}", gap(later.fraction));
        }
    }

    /// The same with a mesh, which is as a box where it is a box.
    #[test]
    fn casts_of_meshes_end_where_those_of_solids_do(
        (a, half) in (any_shape(), prop::array::uniform3(size())),
        (from_a, to_a) in (any_pose(), any_pose()),
        (from_b, to_b) in (any_pose(), any_pose()),
        (center, is_first) in (prop::array::uniform3(unit()), any::<bool>()),
    ) {
        let (solid, mesh) = (Shape::cuboid(Vector3::from(half)).expect("in range"), box_mesh(half));
        let [of_a, of_b] = [
            SweptPose { from: from_a, to: to_a, center: Vector3::from(center) * 0.3 },
            SweptPose { from: from_b, to: to_b, center: Vector3::zeros() },
        ];
        let rounding = rounding(&a, &solid);
        let gap = |fraction: f64| distance(&a, &of_a.at(fraction), &solid, &of_b.at(fraction));
        if gap(0.0) <= rounding {
            return Ok(());
        }
        let (shapes, motions) = if is_first { ([&a, &mesh], [of_a, of_b]) } else { ([&mesh, &a], [of_b, of_a]) };
        let hit = cast_motion(&MotionCast { shapes, motions, erosion: [0.0; 2], target: 0.0 });
        let until = hit.map_or(1.0, |hit| hit.fraction);
        for k in 0..200 {
            let gap = gap(until * f64::from(k) / 200.0);
            prop_assert!(gap > -rounding, "{gap} m at {k} of 200 before {until}");
        }
        if let Some(hit) = hit {
            prop_assert!(hit.status != CastStatus::StartsOverlapping);
            if hit.status == CastStatus::Hit {
                prop_assert!(gap(hit.fraction).abs() < 2.0 * rounding, "{} m when it touches", gap(hit.fraction));
            }
        }
    }

    /// With a margin as wide as fast bodies need, no contact point is nearer than the shapes are: boxes apart by 0.2 m came out as
    /// 0.3 m deep where the face that told so had nothing in front of it.
    #[test]
    fn wide_margins_find_nothing_that_is_nearer_than_the_shapes(
        (a, b) in (any_shape(), any_shape()), (pose_a, pose_b) in (any_pose(), any_pose()), share in 0.9f32..3.0,
    ) {
        let gap = distance(&a, &pose_a, &b, &pose_b);
        if gap <= 1e-3 {
            return Ok(());
        }
        let (margin, mut found) = (gap as f32 * share, LocalManifold::default());
        contact(&a, &b, &pose_a.relative(&pose_b), margin, &mut PairCache::default(), &mut found);
        let least = gap - 1e-4 * (1.0 + gap);
        prop_assert!(found.points().iter().all(|point| f64::from(point.distance) > least), "{gap} m: {:?}", found);
    }

    /// A ray is the cast of a tiny ball, and 10 000 km from the origin it is the ray at the origin.
    #[test]
    fn rays_end_at_the_surface_near_and_far(
        shape in any_shape(), pose in any_pose(), from in prop::array::uniform3(unit()), aim in prop::array::uniform3(unit()),
    ) {
        let origin = Position::from(widen(&Vector3::from(from)) * 4.0);
        let ray = Ray::new(origin, pose.translation + widen(&Vector3::from(aim)) - origin).expect("a direction");
        let hit = cast_ray(&shape, &pose, &ray, 100.0).expect("in range");
        let is_inside = contains_point(&shape, &pose, &origin).expect("finite");
        prop_assert_eq!(hit.is_some_and(|hit| hit.is_inside), is_inside);
        let until = hit.map_or(20.0, |hit| hit.distance);
        for k in 0..100 {
            let at = ray.at(until * f64::from(k) / 100.0);
            let gap = project_point(&shape, &pose, &at).expect("finite").expect("convex").distance;
            prop_assert!(gap > -1e-6 || is_inside, "{gap} m at {k} of 100 before {until} m");
        }
        if let Some(hit) = hit.filter(|hit| !hit.is_inside) {
            let on = project_point(&shape, &pose, &hit.point).expect("finite").expect("convex");
            prop_assert!(on.distance.abs() < 1e-5, "{} m off", on.distance);
            prop_assert!(widen(&hit.normal).dot(&ray.direction()) <= 1e-6);
            prop_assert!((hit.normal.norm() - 1.0).abs() < 1e-5);
            prop_assert_eq!(cast_ray(&shape, &pose, &ray, hit.distance * 0.999).expect("in range"), None);
        }
        let far = Displacement::new(1.0e7, -1.0e7, 1.0e7);
        let far_ray = Ray::new(origin + far, ray.direction()).expect("a direction");
        let far_hit = cast_ray(&shape, &pose.translated(&far), &far_ray, 100.0).expect("in range");
        if let (Some(near), Some(far)) = (hit, far_hit) {
            // Positions there are 2e-9 m apart; a slight slope makes more of it.
            prop_assert!((near.distance - far.distance).abs() < 1e-4, "{near:?} {far:?}");
        }
    }
}

#[test]
fn half_spaces_answer_in_closed_form() {
    let ground = Shape::half_space(Vector3::new(0.0, 2.0, 0.0)).expect("a normal");
    // Its origin may be anywhere: a plane 10 000 km away is as good.
    let at = Pose::at(1.0e7, 0.0, -1.0e7);
    let cube = Shape::cuboid(Vector3::new(0.5, 0.25, 0.5)).expect("in range");
    let above = Pose::at(3.0, 2.0, 1.0);
    for (found, sign) in [
        (closest_points(&cube, &above, &ground, &at, f64::INFINITY), -1.0),
        (closest_points(&ground, &at, &cube, &above, f64::INFINITY), 1.0),
    ] {
        let found = found.expect("a cube has a lowest point");
        assert!((found.distance - 1.75).abs() < 1e-6 && found.normal.y == sign, "{found:?}");
    }
    let hit = cast_shape(&cube, &above, &Displacement::new(1.0, -3.5, 0.0), &ground, &at).expect("finite");
    assert!((hit.expect("it falls").fraction - 0.5).abs() < 1e-6);
    assert_eq!(cast_shape(&cube, &above, &Displacement::new(1.0, 0.0, 0.0), &ground, &at), Ok(None));
    assert_eq!(closest_points(&ground, &at, &ground, &at, f64::INFINITY), None);
    assert!(!overlaps(&ground, &at, &ground, &at));
    let sunk =
        project_point(&ground, &at, &Position::new(0.0, -0.25, 0.0)).expect("finite").expect("a plane");
    assert!(sunk.is_inside && sunk.distance == -0.25 && sunk.normal == Vector3::y());
}

/// Where the depth is not looked for, the normal of what overlaps from the beginning is the way on which they approach, however short or long
/// that is; up where they do not.
#[test]
fn motions_that_start_overlapping_tell_where_they_go() {
    let cube = Shape::cuboid(Vector3::repeat(0.5)).expect("in range");
    let rest = SweptPose::resting(Pose::IDENTITY);
    let start = Pose::at(0.1, 0.2, 0.3);
    for (scale, normal) in [
        (0.0, Vector3::y()),
        (1e-300, Vector3::new(0.6, 0.0, -0.8)),
        (2.0, Vector3::new(0.6, 0.0, -0.8)),
        (1e200, Vector3::new(0.6, 0.0, -0.8)),
    ] {
        let to = start.translated(&(Displacement::new(0.6, 0.0, -0.8) * scale));
        let flight = SweptPose { from: start, to, center: Vector3::zeros() };
        let cast =
            MotionCast { shapes: [&cube, &cube], motions: [flight, rest], erosion: [0.0; 2], target: 0.0 };
        let hit = cast_motion(&cast).expect("they overlap");
        assert_eq!((hit.status, hit.fraction), (CastStatus::StartsOverlapping, 0.0));
        // A way shorter than the rounding of the position is none.
        let normal = if to == start { Vector3::y() } else { normal };
        assert!((hit.normal - normal).norm() < 1e-6, "{hit:?} on a way of {scale} m");
    }
}

/// A ball that flies at a floor of two triangles, or at hills, by 6 m in the step: met at its radius, whoever of both moves; from behind not at all.
#[test]
fn motions_meet_surfaces_from_their_front() {
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| Vector3::new(x, 0.0, z));
    let field = Shape::height_field(5, 5, &[0.0; 25], [0.5, 0.5]).expect("in range");
    let ball = Shape::sphere(0.1).expect("in range");
    let rest = SweptPose::resting(Pose::IDENTITY);
    for floor in [Shape::mesh(&square, &[[0, 2, 1], [0, 3, 2]]).expect("a floor"), field] {
        for (from, erosion, wanted) in [
            (3.0, 0.0, Some(2.9 / 6.0)),
            (3.0, 0.05, Some(2.95 / 6.0)),
            (-3.0, 0.0, None),
            (4.0, 0.0, Some(3.9 / 6.0)),
            (7.0, 0.0, None),
        ] {
            let down = if from > 0.0 { -6.0 } else { 6.0 };
            let pose = |y: f64, turn: f32| {
                Pose::new(Position::new(0.03, y, 0.05), Rotation::from_euler_angles(turn, 0.4 * turn, 0.0))
            };
            let flight =
                SweptPose { from: pose(from, 0.0), to: pose(from + down, 1.0), center: Vector3::zeros() };
            let cast = MotionCast {
                shapes: [&ball, &floor],
                motions: [flight, rest],
                erosion: [erosion, 0.0],
                target: 0.0,
            };
            let other_way = MotionCast {
                shapes: [&floor, &ball],
                motions: [rest, flight],
                erosion: [0.0, erosion],
                target: 0.0,
            };
            for cast in [cast, other_way] {
                let found = cast_motion(&cast).map(|hit| (hit.status, hit.fraction));
                let is_right = match (found, wanted) {
                    (Some((CastStatus::Hit, fraction)), Some(wanted)) => (fraction - wanted).abs() < 1e-5,
                    (found, wanted) => found.is_none() && wanted.is_none(),
                };
                assert!(is_right, "{found:?} in place of {wanted:?} from {from} m");
            }
        }
    }
}

#[test]
fn points_on_the_axis_and_in_the_middle_have_a_way_out() {
    let shapes = [
        Shape::sphere(0.5).expect("in range"),
        Shape::capsule(0.5, 0.5).expect("in range"),
        Shape::cuboid(Vector3::repeat(0.5)).expect("in range"),
        Shape::cylinder(1.0, 0.5).expect("in range"),
        Shape::cylinder(0.5, 1.0).expect("in range"),
    ];
    for shape in &shapes {
        let found =
            project_point(shape, &Pose::IDENTITY, &Position::origin()).expect("finite").expect("convex");
        assert!((found.distance + 0.5).abs() < 1e-9 && (found.normal.norm() - 1.0).abs() < 1e-6, "{found:?}");
        assert!((found.point.coords.norm() - 0.5).abs() < 1e-9);
    }
    // From within a cone through its side, which is 4 to 1; above its apex to the apex.
    let cone = Shape::cone(0.5, 0.25).expect("in range");
    for (y, distance) in [(-0.3, -0.8 / 17.0_f64.sqrt()), (-0.4, -0.1), (0.5, 0.0), (0.7, 0.2), (-0.6, 0.1)] {
        let at = Position::new(0.0, y, 0.0);
        let found = project_point(&cone, &Pose::IDENTITY, &at).expect("finite").expect("convex");
        assert!((found.distance - distance).abs() < 1e-9, "{found:?} at {y}");
        assert!((found.point + widen(&found.normal) * distance - at).norm() < 1e-7, "{found:?} at {y}");
    }
}

/// From outside as far as the closest point of a tiny ball there; from inside no direction leaves sooner. Round shapes went by EPA, which comes as near to
/// a round side as its rounds allow and did not say so.
#[test]
fn points_are_projected_onto_cylinders_and_cones_exactly() {
    let pose = Pose::new(Position::new(1.0e3, -3.0, 7.0), Rotation::from_euler_angles(0.4, -1.1, 0.7));
    let tiny = Shape::sphere(1.0e-5).expect("in range");
    let (mut inside, mut outside) = (0, 0);
    for (h, r) in [(0.5_f32, 0.3_f32), (1.0, 0.5), (2.0, 0.05), (0.01, 1.5)] {
        for shape in [Shape::cylinder(h, r), Shape::cone(h, r)] {
            let shape = shape.expect("in range");
            for k in 0..150 {
                let (angle, share) = (k as f32 * 2.4, (k as f32 * 0.618).fract() * 1.3);
                let height = ((k as f32 * 0.755).fract() * 2.0 - 1.0) * 1.2 * h;
                // Every tenth on the axis or next to it.
                let out = if k % 10 == 0 { 1e-3 * r * (k % 20) as f32 } else { share * r };
                let p = Vector3::new(angle.cos() * out, height, angle.sin() * out);
                let at = pose.transform_point(&p);
                let found = project_point(&shape, &pose, &at).expect("finite").expect("convex");
                let off = at - found.point - widen(&found.normal) * found.distance;
                assert!(off.norm() < 1e-6, "{off:?}: {found:?}");
                assert!(
                    (found.normal.norm() - 1.0).abs() < 1e-6 && found.is_inside == (found.distance <= 0.0)
                );
                let ball = Pose::new(found.point, Rotation::identity());
                assert!(overlaps(&shape, &pose, &tiny, &ball), "{found:?} is not on {shape:?}");
                if found.distance > 0.0 {
                    outside += 1;
                    let there = Pose::new(at, Rotation::identity());
                    let apart = distance(&shape, &pose, &tiny, &there) + f64::from(1.0e-5_f32);
                    assert!((apart - found.distance).abs() < 1e-8, "{} m for {apart}", found.distance);
                    continue;
                }
                inside += 1;
                // The side that is left reaches no farther than to the point found.
                let away = Vector3::new(angle.cos(), 0.0, angle.sin());
                let turns = (0..2000).map(|i| f64::from(i) * std::f64::consts::PI / 1000.0);
                let left = |d: Vector3| f64::from(shape.reach(&d) - d.dot(&p));
                let least = turns
                    .map(|turn| left(away * turn.cos() as f32 + Vector3::y() * turn.sin() as f32))
                    .fold(f64::INFINITY, f64::min);
                assert!(-found.distance < least + 1e-6, "{} m deep for {least}", found.distance);
            }
        }
    }
    assert!(inside > 300 && outside > 300, "{inside} inside, {outside} outside");
}

/// A wedge 1 m long and 0.04 mm thick at its back: its planes, rounded to `f32`, meet up to 1.4 mm beyond its edge, and up to there points were inside and rays
/// hit at once.
#[test]
fn hulls_end_at_their_sharp_edges() {
    let corners = [
        [-0.219_119_27, 0.343_210_82, -0.290_160_45],
        [0.219_119_27, -0.343_210_82, 0.290_160_45],
        [-0.575_778_3, 0.803_038_95, 0.523_075_34],
        [-0.137_539_76, 0.116_617_285, 1.103_396_2],
        [-0.575_745_3, 0.803_061_5, 0.523_077_1],
        [-0.137_506_75, 0.116_639_815, 1.103_398],
    ];
    let corners = corners.map(Vector3::from);
    let (wedge, here) = (Shape::hull(&corners).expect("it is 0.04 mm thick"), Pose::IDENTITY);
    let beyond = Position::new(3.099_068_61e-4, -3.995_771_89e-4, -7.066_634_77e-4);
    let tiny = Shape::sphere(1.0e-5).expect("in range");
    let there = Pose::new(beyond, Rotation::identity());
    let apart = distance(&wedge, &here, &tiny, &there) + f64::from(1.0e-5_f32);
    assert!((8.6e-4..8.8e-4).contains(&apart), "{apart} m");
    assert_eq!(contains_point(&wedge, &here, &beyond), Ok(false));
    let found = project_point(&wedge, &here, &beyond).expect("finite").expect("convex");
    assert!(!found.is_inside && (found.distance - apart).abs() < 1e-6, "{found:?} for {apart} m");
    // Across the edge: past it nothing, a hand's breadth behind it the wedge.
    let [a, b, c] = [0, 1, 2].map(|k| widen(&corners[k]));
    let across = (b - a).cross(&(c - a)).normalize();
    let back = (c - a).normalize();
    for (at, is_hit) in [(beyond, false), (beyond + back * 0.1, true)] {
        for way in [across, -across] {
            let ray = Ray::new(at - way * 0.5, way).expect("a direction");
            let hit = cast_ray(&wedge, &here, &ray, 1.0).expect("in range");
            assert_eq!(hit.is_some(), is_hit, "{hit:?}");
            assert!(hit.is_none_or(|hit| (hit.distance - 0.5).abs() < 1e-4 && !hit.is_inside), "{hit:?}");
        }
        assert_eq!(contains_point(&wedge, &here, &(at - across * 1e-4)), Ok(false));
    }
    let ray = Ray::new(beyond, -back).expect("a direction");
    assert_eq!(cast_ray(&wedge, &here, &ray, 1.0), Ok(None), "away from it");
}

/// Squares of distances overflow from 1e154 m on: the normal was of length 0, and a ray hit at once with one that is no number.
#[test]
fn what_is_farther_than_numbers_reach_has_no_answer() {
    let ball = Shape::sphere(1.0).expect("in range");
    let far = |x: f64| Position::new(x, 0.0, 0.0);
    for (shape_at, from) in [(0.0, 1.0e155), (1.7e308, -1.7e308), (0.0, 1.1e100)] {
        let pose = Pose::new(far(shape_at), Rotation::identity());
        assert_eq!(project_point(&ball, &pose, &far(from)), Ok(None));
        assert_eq!(contains_point(&ball, &pose, &far(from)), Ok(false));
        let ray = Ray::new(far(from), Displacement::x() * (shape_at - from).signum()).expect("a direction");
        assert_eq!(cast_ray(&ball, &pose, &ray, f64::INFINITY), Ok(None));
    }
    let found = project_point(&ball, &Pose::IDENTITY, &far(9e99)).expect("finite").expect("in reach");
    assert!((found.distance / 9e99 - 1.0).abs() < 1e-12 && found.normal == Vector3::x(), "{found:?}");
    let ray = Ray::new(far(9e99), -Displacement::x()).expect("a direction");
    let hit =
        cast_ray(&ball, &Pose::IDENTITY, &ray, f64::INFINITY).expect("in range").expect("it is aimed at");
    assert!((hit.distance / 9e99 - 1.0).abs() < 1e-12 && hit.normal == Vector3::x(), "{hit:?}");
}

#[test]
fn what_is_no_number_is_refused_or_misses() {
    let ball = Shape::sphere(1.0).expect("in range");
    let nan = Position::new(0.0, f64::NAN, 0.0);
    assert!(matches!(Ray::new(nan, Displacement::x()), Err(QueryError::NotFinite { field: "origin", .. })));
    assert!(matches!(
        Ray::new(Position::origin(), Displacement::zeros()),
        Err(QueryError::NoDirection { .. })
    ));
    assert!(Ray::new(Position::origin(), Displacement::new(f64::INFINITY, 0.0, 0.0)).is_err());
    // Directions as small and as large as numbers go keep their way.
    for scale in [f64::MIN_POSITIVE, 1e-200, 1e200, f64::MAX] {
        let ray =
            Ray::new(Position::new(-3.0, 0.0, 0.0), Displacement::new(scale, 0.0, 0.0)).expect("a direction");
        let hit = cast_ray(&ball, &Pose::IDENTITY, &ray, f64::INFINITY)
            .expect("in range")
            .expect("it points at it");
        assert!((hit.distance - 2.0).abs() < 1e-12);
    }
    let ray = Ray::new(Position::origin(), Displacement::x()).expect("a direction");
    assert!(cast_ray(&ball, &Pose::IDENTITY, &ray, -1.0).is_err());
    assert!(cast_ray(&ball, &Pose::IDENTITY, &ray, f64::NAN).is_err());
    let lost = Pose::new(nan, Rotation::identity());
    assert_eq!(cast_ray(&ball, &lost, &ray, 1.0), Ok(None));
    assert_eq!(closest_points(&ball, &lost, &ball, &Pose::IDENTITY, f64::INFINITY), None);
    assert!(!overlaps(&ball, &lost, &ball, &Pose::IDENTITY));
    assert!(
        project_point(&ball, &Pose::IDENTITY, &nan).is_err()
            && contains_point(&ball, &lost, &Position::origin()) == Ok(false)
    );
    let way = Displacement::new(f64::NAN, 0.0, 0.0);
    assert!(cast_shape(&ball, &Pose::IDENTITY, &way, &ball, &Pose::IDENTITY).is_err());
    assert_eq!(cast_shape(&ball, &lost, &Displacement::x(), &ball, &Pose::IDENTITY), Ok(None));
}
