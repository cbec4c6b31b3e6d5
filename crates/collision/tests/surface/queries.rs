//! Rays, points and moving shapes against surfaces of triangles. Trusted: all triangles one by one, and closed forms over flat ground.

use super::hills::{distance_by_search, hills};
use super::support::{Random, irregular_ground, solid};
use drystone_collision::Shape;
use drystone_collision::narrow::NarrowStatus;
use drystone_collision::query::{
    CastStatus, ClosestPoints, Ray, cast_ray, cast_shape, closest_points, contains_point, overlaps,
    project_point,
};
use drystone_collision::shape::{Frame, Surface};
use drystone_math::{Displacement, Pose, Position, Rotation, Vector3, widen};

/// All triangles of a surface.
fn triangles(shape: &Shape) -> Vec<[Vector3; 3]> {
    let everything = Vector3::repeat(1e6);
    let mut all = Vec::new();
    let surface: Surface<'_> = shape.surface().expect("a surface");
    surface.search(&-everything, &everything, |_, corners| all.push(*corners));
    all
}

/// Distance along a ray to the plane of a triangle, where it passes inside; in `f64`, by barycentric coordinates.
fn distance_on_ray(corners: &[Vector3; 3], o: &Displacement, d: &Displacement) -> Option<f64> {
    let [a, b, c] = corners.map(|v| widen(&v));
    let (ab, ac) = (b - a, c - a);
    let p = d.cross(&ac);
    let det = ab.dot(&p);
    let s = (o - a) / det;
    let (u, q) = (s.dot(&p), s.cross(&ab));
    let (v, t) = (q.dot(d), q.dot(&ac));
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}

#[test]
fn rays_meet_the_first_of_all_triangles() {
    let pose =
        Pose::new(Position::new(2.0e6, -3.0, 10.0), Rotation::from_scaled_axis(Vector3::new(0.3, 1.0, -0.4)));
    let mut random = Random::new(11);
    let mut met = 0;
    for shape in hills(Displacement::zeros()) {
        let all = triangles(&shape);
        for _ in 0..2000 {
            let mut point = |reach: f32| widen(&Vector3::from_fn(|_, _| random.between(-reach, reach)));
            let (o, way) = (point(12.0), point(6.0));
            let d = (way - o).normalize();
            let expected = all
                .iter()
                .filter_map(|corners| distance_on_ray(corners, &o, &d))
                .fold(f64::INFINITY, f64::min);
            let turn = |v: &Displacement| Frame::of_rotation(&pose.rotation).turn(v);
            let ray = Ray::new(pose.translation + turn(&o), turn(&d)).expect("a direction");
            let hit = cast_ray(&shape, &pose, &ray, 1e4).expect("a length");
            assert_eq!(hit.is_some(), expected.is_finite(), "{o} {d}");
            if let Some(hit) = hit {
                assert!((hit.distance - expected).abs() < 1e-5, "{} for {expected}", hit.distance);
                assert!(widen(&hit.normal).dot(&turn(&d)) <= 0.0 && !hit.is_inside);
                met += 1;
                // A limit before it leaves nothing, one behind it leaves it.
                let limited = |end: f64| cast_ray(&shape, &pose, &ray, end).expect("a length").is_some();
                assert!(!limited(0.999 * expected) && limited(1.001 * expected));
            }
        }
    }
    assert!(met > 1000, "only {met} rays met anything");
}

/// Straight down through corners, along edges and anywhere else: nothing falls through.
#[test]
fn no_ray_passes_between_neighbours() {
    let (vertices, indices) = irregular_ground(10, 1, false);
    let ground = Shape::mesh(&vertices, &indices).expect("a mesh");
    let inner = |v: &Vector3| v.x.abs() < 4.0 && v.z.abs() < 4.0;
    let mut random = Random::new(12);
    let middles = indices.iter().map(|t| (vertices[t[0] as usize] + vertices[t[1] as usize]) * 0.5);
    let anywhere = (0..5000).map(|_| Vector3::new(random.between(-4.0, 4.0), 0.0, random.between(-4.0, 4.0)));
    for point in vertices.iter().copied().chain(middles).chain(anywhere).filter(inner) {
        for (height, normal) in [(3.0, Vector3::y()), (-3.0, -Vector3::y())] {
            let from = Position::new(f64::from(point.x), height, f64::from(point.z));
            let ray = Ray::new(from, Displacement::new(0.0, -height, 0.0)).expect("a direction");
            let hit = cast_ray(&ground, &Pose::IDENTITY, &ray, f64::INFINITY).expect("a length");
            let hit = hit.unwrap_or_else(|| panic!("nothing at {point}"));
            assert!((hit.distance - 3.0).abs() < 1e-12 && (hit.normal - normal).norm() < 1e-6, "{hit:?}");
        }
    }
}

/// From 1000 km away rays at triangles of a centimetre hit what they are aimed at. With volumes about the origin of the ray they hit anything
/// or nothing.
#[test]
fn rays_from_far_away_meet_small_triangles() {
    let (n, cell) = (100, 0.01);
    let heights = vec![0.0; (n + 1) * (n + 1)];
    let field = Shape::height_field(n + 1, n + 1, &heights, [cell; 2]).expect("a field");
    let mut vertices = Vec::new();
    let mut indices = Vec::new();
    for corners in triangles(&field) {
        let first = vertices.len() as u32;
        vertices.extend(corners);
        indices.push([first, first + 1, first + 2]);
    }
    let mesh = Shape::mesh(&vertices, &indices).expect("a mesh");
    let mut random = Random::new(16);
    for shape in [&field, &mesh] {
        for k in 0..1000 {
            let mut unit = || f64::from(random.between(-1.0, 1.0));
            let aim = Displacement::new(0.45 * unit(), 0.0, 0.45 * unit());
            let slope = Displacement::new(unit(), 0.3 + unit().abs(), unit()).normalize();
            let front = if k % 2 == 0 { 1.0 } else { -1.0 };
            let from = Position::from(aim + slope * (1e6 * front));
            let expected = (aim - from.coords).norm();
            let ray = Ray::new(from, aim - from.coords).expect("a direction");
            let hit = cast_ray(shape, &Pose::IDENTITY, &ray, f64::INFINITY).expect("a length");
            let hit = hit.unwrap_or_else(|| panic!("{k}: nothing at {aim}"));
            assert!((hit.distance - expected).abs() < 1e-8, "{k}: {} m for {expected}", hit.distance);
            assert!((hit.point.coords - aim).norm() < 1e-8 && hit.normal == Vector3::y() * front as f32);
            // Limits are those of the whole way.
            let limited = |end: f64| cast_ray(shape, &Pose::IDENTITY, &ray, end).expect("a length").is_some();
            assert!(limited(hit.distance) && !limited(hit.distance - 1e-3));
        }
        // Away from it.
        let ray = Ray::new(Position::new(0.0, 1e6, 0.0), Displacement::y()).expect("a direction");
        assert_eq!(cast_ray(shape, &Pose::IDENTITY, &ray, f64::INFINITY), Ok(None));
    }
}

/// On the surface and as near that only rounding is left of the offset, the normal is that of the triangle, on the side of the point.
#[test]
fn normals_of_points_on_the_surface_are_those_of_their_triangle() {
    let mut random = Random::new(17);
    for shape in hills(Displacement::zeros()) {
        let all = triangles(&shape);
        for _ in 0..500 {
            let [a, b, c] = all[(random.unit() * all.len() as f32) as usize].map(|v| widen(&v));
            let mut share = || f64::from(random.between(0.2, 0.4));
            let on = a + (b - a) * share() + (c - a) * share();
            let normal = (b - a).cross(&(c - a)).normalize();
            // Rounding lets what is meant to be on it lie on either side.
            for (height, is_exact) in [(0.0, false), (1e-10, true), (-1e-10, true), (1e-3, true)] {
                let at = Position::from(on + normal * height);
                let found = project_point(&shape, &Pose::IDENTITY, &at).expect("finite").expect("near");
                assert!(
                    (found.distance - height.abs()).abs() < 1e-13 && (found.point.coords - on).norm() < 1e-13
                );
                let sine = widen(&found.normal).cross(&normal).norm();
                assert!(sine < 1e-5, "{sine} off at {height} m: {found:?}");
                assert!(
                    !is_exact || widen(&found.normal).dot(&normal) * height > 0.0,
                    "{height} m: {found:?}"
                );
            }
        }
    }
}

/// Away from the edges of a floor of two triangles of 100 m, what is cut is as deep as it must be moved up or down, whichever is less, as
/// half-spaces tell in closed form.
#[test]
fn what_cuts_a_large_triangle_is_as_deep_as_in_its_plane() {
    let corners = [[-50.0, 0.0, -50.0], [-50.0, 0.0, 50.0], [50.0, 0.0, 50.0], [50.0, 0.0, -50.0]];
    let floor = Shape::mesh(&corners.map(Vector3::from), &[[0, 1, 2], [0, 2, 3]]).expect("a mesh");
    let here = Pose::at(1e5, 0.0, 0.0);
    let cube = Shape::cuboid(Vector3::repeat(0.5)).expect("a box");
    let at = Pose::at(1e5 + 40.0, 0.3, 35.0);
    let found = closest_points(&cube, &at, &floor, &here, f64::INFINITY).expect("they overlap");
    assert!((found.distance + 0.2).abs() < 1e-5 && (found.normal + Vector3::y()).norm() < 1e-6, "{found:?}");
    let sides = [0.5, -0.5].map(|sign| Shape::half_space(Vector3::y() * sign).expect("a normal"));
    let mut random = Random::new(18);
    for k in 0..600 {
        let solid = solid(&mut random, k);
        let mut place = |low: f32, high: f32| f64::from(random.between(low, high));
        let at = Position::new(1e5 + place(20.0, 40.0), place(-0.04, 0.04), place(-40.0, 15.0));
        let at = Pose::new(at, random.rotation());
        let depth = |side: &Shape| {
            closest_points(&solid, &at, side, &here, f64::INFINITY)
                .expect("a solid has a lowest point")
                .distance
        };
        let expected = depth(&sides[0]).max(depth(&sides[1]));
        assert!(expected < 0.0, "{k}: it is cut");
        let found = closest_points(&solid, &at, &floor, &here, f64::INFINITY).expect("both exist");
        assert!((found.distance - expected).abs() < 1e-5, "{k}: {} m for {expected}", found.distance);
        assert_is_pair(&found, [(&solid, &at), (&floor, &here)]);
        assert!(overlaps(&solid, &at, &floor, &here) && overlaps(&floor, &here, &solid, &at));
        let out = at.translated(&(widen(&found.normal) * found.distance));
        let left = closest_points(&solid, &out, &floor, &here, f64::INFINITY).expect("both exist").distance;
        assert!(left.abs() < 1e-5, "{k}: {left} m after it was moved out");
    }
}

/// Points on both shapes, as far from each other as told, along the normal.
fn assert_is_pair(found: &ClosestPoints, shapes: [(&Shape, &Pose); 2]) {
    let between = found.points[1] - found.points[0];
    assert!((between - widen(&found.normal) * found.distance).norm() < 1e-4, "{found:?}");
    for ((shape, pose), point) in shapes.into_iter().zip(&found.points) {
        let off = project_point(shape, pose, point).expect("finite").expect("it has a surface").distance;
        assert!(off.abs() < 1e-4, "{off} m off {shape:?}: {found:?}");
    }
}

/// Apart or cut through, the answer is the same with every limit that it is within, and with no other there is one: a world that asks with
/// the best distance so far finds the nearest or deepest in any order.
#[test]
fn limits_leave_nearest_and_deepest_points_as_they_are() {
    let mut random = Random::new(19);
    let (mut apart, mut cut) = (0, 0);
    for shape in hills(Displacement::zeros()) {
        for k in 0..600 {
            let solid = solid(&mut random, k);
            let mut place = |reach: f32| f64::from(random.between(-reach, reach));
            let at = Position::new(place(6.0), place(1.5), place(6.0));
            let at = Pose::new(at, random.rotation());
            let ask = |limit: f64| closest_points(&solid, &at, &shape, &Pose::IDENTITY, limit);
            let found = ask(f64::INFINITY).expect("both exist");
            for more in [0.0, 1e-12, 0.1, 10.0] {
                assert_eq!(ask(found.distance + more), Some(found), "{k}: {more} m more");
            }
            for less in [found.distance.next_down(), found.distance - 0.1, -1e3] {
                assert_eq!(ask(less), None, "{k}: {less} m for {found:?}");
            }
            assert_eq!(overlaps(&solid, &at, &shape, &Pose::IDENTITY), found.distance <= 0.0, "{found:?}");
            if found.status == NarrowStatus::Converged {
                assert_is_pair(&found, [(&solid, &at), (&shape, &Pose::IDENTITY)]);
            }
            *(if found.distance > 0.0 { &mut apart } else { &mut cut }) += 1;
        }
    }
    assert!(apart > 300 && cut > 300, "{apart} apart, {cut} cut");
}

#[test]
fn the_nearest_point_is_that_of_all_triangles() {
    let mut random = Random::new(13);
    let ball = Shape::sphere(0.25).expect("a ball");
    for shape in hills(Displacement::zeros()) {
        let all = triangles(&shape);
        for k in 0..25 {
            let reach = if k % 4 == 0 { 40.0 } else { 6.0 };
            let p = Vector3::from_fn(|_, _| random.between(-reach, reach));
            let expected =
                all.iter().map(|corners| distance_by_search(&p, corners)).fold(f32::INFINITY, f32::min);
            let at = Position::from(widen(&p));
            let found =
                project_point(&shape, &Pose::IDENTITY, &at).expect("finite").expect("it has triangles");
            assert!((found.distance - f64::from(expected)).abs() < 1e-3, "{} for {expected}", found.distance);
            assert!(((at - found.point).norm() - found.distance).abs() < 1e-9);
            assert!(!contains_point(&shape, &Pose::IDENTITY, &at).expect("finite") || found.distance == 0.0);
            let pose = Pose::new(at, Rotation::identity());
            let between =
                closest_points(&ball, &pose, &shape, &Pose::IDENTITY, f64::INFINITY).expect("both exist");
            let back =
                closest_points(&shape, &Pose::IDENTITY, &ball, &pose, f64::INFINITY).expect("both exist");
            let apart = found.distance - 0.25;
            if apart > 1e-3 {
                assert!((between.distance - apart).abs() < 1e-6, "{} for {apart}", between.distance);
                assert!((between.points[1] - found.point).norm() < 1e-4);
                assert!(back.points[0] == between.points[1] && back.normal == -between.normal);
                assert!(closest_points(&ball, &pose, &shape, &Pose::IDENTITY, 0.9 * apart).is_none());
            }
            if apart.abs() > 1e-3 {
                assert_eq!(overlaps(&ball, &pose, &shape, &Pose::IDENTITY), apart < 0.0);
                assert_eq!(overlaps(&shape, &Pose::IDENTITY, &ball, &pose), apart < 0.0);
            }
        }
    }
}

/// Where a cast ends the shape touches, and a little before it did not.
#[test]
fn moving_shapes_stop_where_they_touch() {
    let mut random = Random::new(14);
    let solids = [
        Shape::sphere(0.3).expect("a ball"),
        Shape::cuboid(Vector3::new(0.2, 0.3, 0.4)).expect("a box"),
        Shape::cylinder(0.3, 0.2).expect("a cylinder"),
    ];
    let mut met = 0;
    for shape in hills(Displacement::zeros()) {
        for k in 0..300 {
            let solid = &solids[k % 3];
            let at = Position::new(
                f64::from(random.between(-4.0, 4.0)),
                5.0,
                f64::from(random.between(-4.0, 4.0)),
            );
            let from = Pose::new(at, random.rotation());
            let way = widen(&Vector3::new(random.between(-4.0, 4.0), -10.0, random.between(-4.0, 4.0)));
            let Some(hit) = cast_shape(solid, &from, &way, &shape, &Pose::IDENTITY).expect("finite") else {
                continue;
            };
            assert_eq!(hit.status, CastStatus::Hit);
            let at_fraction = |f: f64| Pose::new(from.translation + way * f, from.rotation);
            let apart = |f: f64| {
                closest_points(solid, &at_fraction(f), &shape, &Pose::IDENTITY, f64::INFINITY)
                    .expect("both exist")
                    .distance
            };
            assert!(apart(hit.fraction) < 1e-4, "{} at the end", apart(hit.fraction));
            for part in [0.2, 0.5, 0.8, 0.99] {
                assert!(apart(part * hit.fraction) > 0.0);
            }
            met += 1;
        }
    }
    assert!(met > 400, "only {met} met anything");
}

/// A surface that moves meets what a shape that comes the opposite way meets, and tells where on the shape.
#[test]
fn moving_surfaces_stop_where_they_touch() {
    let mut random = Random::new(15);
    let solids = [
        Shape::sphere(0.3).expect("a ball"),
        Shape::cuboid(Vector3::new(0.2, 0.3, 0.4)).expect("a box"),
        Shape::cylinder(0.3, 0.2).expect("a cylinder"),
    ];
    let (mut met, mut told) = (0, 0);
    for shape in hills(Displacement::zeros()) {
        for k in 0..300 {
            let solid = &solids[k % 3];
            let mut place = |low: f32, high: f32| f64::from(random.between(low, high));
            let at = Position::new(1e5 + place(-4.0, 4.0), 5.0, place(-4.0, 4.0));
            let way = Displacement::new(place(-4.0, 4.0), 10.0, place(-4.0, 4.0));
            let at = Pose::new(at, random.rotation());
            let tilt = Vector3::from_fn(|_, _| random.between(-0.2, 0.2));
            let from = Pose::new(Position::new(1e5, 0.0, 0.0), Rotation::from_scaled_axis(tilt));
            let hit = cast_shape(&shape, &from, &way, solid, &at).expect("finite");
            let back = cast_shape(solid, &at, &-way, &shape, &from).expect("finite");
            let (Some(hit), Some(back)) = (hit, back) else {
                assert_eq!(hit.is_some(), back.is_some(), "{hit:?} {back:?}");
                continue;
            };
            assert_eq!(hit.status, CastStatus::Hit);
            assert!((hit.fraction - back.fraction).abs() < 1e-5, "{hit:?} {back:?}");
            let moved = way * hit.fraction;
            let apart = |pose: &Pose| {
                closest_points(&shape, pose, solid, &at, f64::INFINITY).expect("both exist").distance
            };
            assert!(apart(&from.translated(&moved)) < 1e-4 && apart(&from.translated(&(moved * 0.99))) > 0.0);
            let on = project_point(solid, &at, &hit.point).expect("finite").expect("convex");
            assert!(on.distance.abs() < 1e-6, "{} m off", on.distance);
            let touching = from.translated(&moved);
            // Cores that rounding lets overlap there tell the point of the step before; the centre of a ball does not overlap.
            if k % 3 == 0 || apart(&touching) > 1e-9 {
                let on = project_point(&shape, &touching, &hit.point).expect("finite").expect("near");
                assert!(on.distance < 1e-5, "{} m off the surface", on.distance);
                told += 1;
            }
            assert!((hit.normal + back.normal).norm() < 1e-3, "{hit:?} {back:?}");
            met += 1;
        }
    }
    assert!(met > 400 && told > 200, "only {met} met anything, {told} were apart");
}

#[test]
fn surfaces_that_start_in_contact_say_so() {
    let [field, mesh] = hills(Displacement::zeros());
    let (at, up) = (Pose::at(0.5, 3.0, 2.0), Displacement::new(0.0, 1.0, 0.0));
    let cube = Shape::cuboid(Vector3::repeat(4.0)).expect("a box");
    for shape in [&field, &mesh] {
        let nearest =
            project_point(shape, &Pose::IDENTITY, &at.translation).expect("finite").expect("it has some");
        let ball = Shape::sphere(nearest.distance as f32 + 0.1).expect("a ball");
        for way in [up, -up, Displacement::zeros()] {
            // A ball reaches it with its rind, a box is cut through.
            let hit =
                cast_shape(shape, &Pose::IDENTITY, &way, &ball, &at).expect("finite").expect("they overlap");
            assert_eq!((hit.status, hit.fraction), (CastStatus::StartsOverlapping, 0.0));
            let on = project_point(&ball, &at, &hit.point).expect("finite").expect("convex");
            assert!(on.distance.abs() < 1e-6 && hit.normal.y > 0.0, "{hit:?}");
            let hit =
                cast_shape(shape, &Pose::IDENTITY, &way, &cube, &at).expect("finite").expect("they overlap");
            assert_eq!((hit.status, hit.fraction), (CastStatus::StartsOverlapping, 0.0));
            let on = project_point(&cube, &at, &hit.point).expect("finite").expect("convex");
            assert!(on.distance.abs() < 1e-5 && hit.normal.y > 0.99, "{hit:?}");
        }
        // Neither has a core.
        let ground = Shape::half_space(Vector3::y()).expect("a normal");
        for other in [&mesh, &ground] {
            assert_eq!(cast_shape(shape, &Pose::IDENTITY, &-up, other, &at), Ok(None));
        }
    }
}
