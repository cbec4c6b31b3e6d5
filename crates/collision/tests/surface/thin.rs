//! Surfaces that end, have two fronts, or close around less than the body is thick. Oracles: what a box or a half-space of the same place tells.

use super::support::{Random, contacts, irregular_ground, solid};
use drystone_collision::Shape;
use drystone_collision::narrow::surface::SurfaceContacts;
use drystone_collision::narrow::{LocalManifold, LocalPoint, PairCache, contact};
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, narrow, widen};

/// A square sheet at height 0 from `-width` to 0 along x and `-width / 2` to `width / 2` along z, m, of the triangles given.
fn sheet(width: Real, triangles: &[[u32; 3]]) -> Shape {
    let half = 0.5 * width;
    let corners = [[-width, -half], [0.0, -half], [0.0, half], [-width, half]];
    Shape::mesh(&corners.map(|[x, z]| Vector3::new(x, 0.0, z)), triangles).expect("a sheet")
}

/// The front of a sheet is up.
const UP: [[u32; 3]; 2] = [[0, 2, 1], [0, 3, 2]];

/// The surface of a box around `middle` with `half` edges, m: two triangles per side.
fn closed_box(middle: Vector3, half: Vector3) -> Shape {
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        middle + half.component_mul(&Vector3::new(side(0), side(1), side(2)))
    };
    let corners: Vec<_> = (0..8).map(corner).collect();
    let sides: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<_> = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Shape::mesh(&corners, &triangles).expect("a closed mesh")
}

/// All points with their normals.
fn points(found: &SurfaceContacts) -> Vec<(Vector3, LocalPoint)> {
    found.patches.iter().flat_map(|p| p.points().iter().map(|point| (p.normal, *point))).collect()
}

fn deepest(found: &SurfaceContacts) -> Real {
    points(found).iter().map(|(_, point)| point.distance).fold(Real::INFINITY, Real::min)
}

/// A sheet of triangles that look either way pulled bodies through, when those that look away came first: a ball of 0.5 m that
/// had sunk in by 1 mm got a contact 1 m deep along with the good one.
#[test]
fn a_sheet_with_two_fronts_keeps_bodies_on_their_side() {
    let orders = [
        [[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]],
        [[0, 2, 1], [0, 3, 2], [0, 1, 2], [0, 2, 3]],
        [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
    ];
    let solids = [
        (Shape::sphere(0.5), 0.5),
        (Shape::cuboid(Vector3::new(0.3, 0.5, 0.4)), 0.5),
        (Shape::capsule(0.3, 0.2), 0.5),
        (Shape::cylinder(0.5, 0.4), 0.5),
    ];
    for triangles in orders {
        let ground = sheet(4.0, &triangles);
        for (solid, height) in &solids {
            let solid = solid.as_ref().expect("a solid");
            for side in [1.0, -1.0] {
                for sunk in [0.001, 0.2, 0.49] {
                    let at = widen(&Vector3::new(-1.3, side * (height - sunk), 0.2));
                    let found = contacts(&ground, solid, &at, &Rotation::identity(), 0.01);
                    assert!((deepest(&found) + sunk).abs() < 1e-5, "{triangles:?}: {sunk} {found:?}");
                    let turned = points(&found).iter().any(|(normal, _)| normal.y * side < 0.999);
                    assert!(!turned, "{triangles:?}: {found:?}");
                }
            }
        }
    }
}

/// A plank that tips over the rim of an open sheet hung in the air there, as soon as its centre was below the plane of the sheet: it
/// was lifted, and the contact with the rim was left out.
#[test]
fn a_plank_tips_over_an_open_rim_as_over_a_box() {
    let plank = Shape::cuboid(Vector3::new(1.0, 0.1, 0.3)).expect("a plank");
    let field = Shape::height_field(5, 5, &[0.0; 25], [1.0, 1.0]).expect("a field");
    let fine = Shape::height_field(33, 33, &[0.0; 33 * 33], [0.125, 0.125]).expect("a field");
    for (ground, rim) in [(sheet(4.0, &UP), 0.0), (field, 2.0), (fine, 2.0)] {
        for degrees in 2..75_u8 {
            for (past, gap) in [(0.1, 0.0), (0.3, -0.001), (0.3, 0.001), (0.6, -0.0001), (0.6, 0.002)] {
                let rotation =
                    Rotation::from_axis_angle(&-Vector3::z_axis(), Real::from(degrees).to_radians());
                let at = Vector3::new(rim, 0.0, 0.05) + rotation * Vector3::new(past, 0.1 + gap, 0.0);
                let found = contacts(&ground, &plank, &widen(&at), &rotation, 0.01);
                let name = format!("{degrees} degrees, {past} m past, gap {gap} m: {found:?}");
                assert!((deepest(&found) - gap).abs() < 0.02 * gap.abs() + 1e-4, "{name}");
                for (normal, point) in points(&found).iter().filter(|(_, point)| point.distance <= gap + 1e-4)
                {
                    // Between those of the two faces.
                    let cosine = normal.dot(&(rotation * Vector3::y())).min(normal.y);
                    assert!(cosine > 0.999 * Real::from(degrees).to_radians().cos(), "{name}");
                    assert!((at + point.point - Vector3::x() * rim).xy().norm() < 0.005, "{name}");
                }
            }
        }
    }
}

/// What hangs beside an open rim without touching it was lifted: a capsule got a contact 0.6 m deep.
#[test]
fn what_is_beside_an_open_rim_is_not_lifted() {
    let capsule = Shape::capsule(1.0, 0.05).expect("a capsule");
    let turn = Rotation::from_axis_angle(&-Vector3::z_axis(), 45.0_f32.to_radians());
    let ground = sheet(4.0, &UP);
    let found = contacts(&ground, &capsule, &Displacement::new(0.3, -0.55, 0.0), &turn, 0.01);
    assert!(found.is_empty(), "{found:?}");
    let mut random = Random::new(21);
    for k in 0..2000 {
        let solid = solid(&mut random, k);
        let rotation = random.rotation();
        let reach = solid.reach(&rotation.inverse_transform_vector(&-Vector3::x()));
        let at = Vector3::new(reach + 0.02, random.between(-0.8, 0.8), random.between(-1.0, 1.0));
        let found = contacts(&ground, &solid, &widen(&at), &rotation, 0.01);
        assert!(found.is_empty(), "{k}: {solid:?} {at:?} {rotation:?} {found:?}");
    }
}

/// Far from any rim all that has sunk in with its centre comes out, over faces, edges, corners and T-junctions, in pits and grooves.
#[test]
fn what_has_sunk_in_comes_out_over_inner_edges() {
    let (vertices, triangles) = irregular_ground(10, 1, true);
    let soup: Vec<_> = triangles.iter().flatten().map(|&i| vertices[i as usize]).collect();
    let parts: Vec<_> = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let grounds =
        [Shape::mesh(&vertices, &triangles), Shape::mesh(&soup, &parts)].map(|s| s.expect("a mesh"));
    let inner = |v: &&Vector3| v.x.abs() < 3.0 && v.z.abs() < 3.0;
    let mut random = Random::new(22);
    for (k, above) in vertices.iter().filter(inner).cycle().take(1000).enumerate() {
        let solid = solid(&mut random, k);
        let rotation = random.rotation();
        let aside = if k % 2 == 0 { 0.0 } else { random.between(-0.5, 0.5) };
        let depth = random.between(0.01, 0.9) * solid.inner_radius();
        let center = above + Vector3::new(aside, -depth, 0.0);
        let at = center - rotation * solid.center_of_mass();
        for ground in &grounds {
            let found = contacts(ground, &solid, &widen(&at), &rotation, 0.01);
            let expected = -depth - solid.inner_radius();
            assert!((deepest(&found) - expected).abs() < 1e-3, "{k}: {expected} {found:?}");
            assert!(points(&found).iter().all(|(normal, _)| normal.y > 0.999), "{k}: {found:?}");
        }
    }
    // The lowest corner of a pit, and the bottom of a groove, are all there is near the centre.
    let pit = |i: usize, j: usize| (i.abs_diff(4).max(j.abs_diff(4)) as Real) * 0.5;
    let groove = |i: usize, _: usize| i.abs_diff(4) as Real * 0.5;
    let heights = |of: &dyn Fn(usize, usize) -> Real| (0..81).map(|k| of(k / 9, k % 9)).collect::<Vec<_>>();
    for heights in [heights(&pit), heights(&groove)] {
        let ground = Shape::height_field(9, 9, &heights, [0.5, 0.5]).expect("a field");
        let ball = Shape::sphere(0.25).expect("a ball");
        let found = contacts(&ground, &ball, &Displacement::new(0.0, -0.1, 0.0), &Rotation::identity(), 0.01);
        assert!(deepest(&found) < -0.25, "{found:?}");
    }
}

/// A plank that has sunk in aslant holds no surface above its centre, but is in it all the same.
#[test]
fn a_plank_that_has_sunk_in_aslant_comes_out() {
    let plank = Shape::cuboid(Vector3::new(1.0, 0.05, 0.3)).expect("a plank");
    let turn = Rotation::from_axis_angle(&-Vector3::z_axis(), 45.0_f32.to_radians());
    let ground = sheet(8.0, &UP);
    let found = contacts(&ground, &plank, &Displacement::new(-4.0, -0.2, 0.1), &turn, 0.01);
    assert!((deepest(&found) + 0.25).abs() < 1e-4, "{found:?}");
}

/// Nothing is deeper in a thin closed wall than in the box of the same place: what of a body was in the open on the far side of the wall, below
/// its top, counted as sunk in from the near side. A plank 1 mm over the wall was thrown off by a contact 1.17 m deep.
#[test]
fn what_reaches_over_a_thin_wall_is_not_sunk_in() {
    let half = Vector3::new(0.05, 1.0, 2.0);
    let wall = closed_box(Vector3::new(0.0, -1.0, 0.0), half);
    let cuboid = Shape::cuboid(half).expect("a box");
    let compare = |solid: &Shape, at: &Vector3, rotation: &Rotation, name: &dyn Fn() -> String| {
        let pose = RelativePose::new(at + Vector3::y(), *rotation);
        let mut expected = LocalManifold::default();
        contact(&cuboid, solid, &pose, 0.01, &mut PairCache::default(), &mut expected);
        let least = expected.points().iter().map(|p| p.distance).fold(Real::INFINITY, Real::min);
        let found = contacts(&wall, solid, &widen(at), rotation, 0.01);
        if least > -0.002 {
            assert!(deepest(&found) > 4.0 * least.min(0.0) - 0.002, "{}: {least} {found:?}", name());
        }
        (least, deepest(&found))
    };
    let plank = Shape::cuboid(Vector3::new(1.5, 0.05, 0.3)).expect("a plank");
    let turn = Rotation::from_axis_angle(&Vector3::z_axis(), 15.0_f32.to_radians());
    let at = Vector3::new(0.323_429, 0.152_824, 0.0);
    let (least, found) = compare(&plank, &at, &turn, &|| "a plank".into());
    assert!((least - found).abs() < 1e-4, "{least} {found}");
    let mut random = Random::new(23);
    let mut touching = 0;
    for k in 0..6000 {
        let long = random.between(0.5, 1.5);
        let solid = match k % 3 {
            0 => Shape::cuboid(Vector3::new(long, 0.05, 0.3)),
            1 => Shape::capsule(long, 0.06),
            _ => Shape::hull(
                &[[long, 0.1], [-long, 0.1], [long, -0.1], [-long, -0.1]]
                    .map(|[x, z]| [Vector3::new(x, 0.06, z), Vector3::new(x, -0.06, 0.5 * z)])
                    .concat(),
            ),
        }
        .expect("a solid");
        let lying = if k % 3 == 1 { core::f32::consts::FRAC_PI_2 } else { 0.0 };
        let rotation = Rotation::from_axis_angle(&Vector3::z_axis(), lying + random.between(-0.9, 0.9))
            * Rotation::from_scaled_axis(Vector3::from_fn(|_, _| random.between(-0.1, 0.1)));
        // Down onto the wall until it is about to touch.
        let mut at = Vector3::new(random.between(-0.6, 0.6), 3.0, random.between(-1.0, 1.0));
        for _ in 0..25 {
            let pose = RelativePose::new(at + Vector3::y(), rotation);
            let mut manifold = LocalManifold::default();
            contact(&cuboid, &solid, &pose, 4.0, &mut PairCache::default(), &mut manifold);
            let gap = manifold.points().iter().map(|p| p.distance).fold(4.0, Real::min);
            at.y -= 0.9 * (gap - 1.0e-4).max(0.0);
        }
        at.y -= random.between(-0.003, 0.002);
        let name = || format!("{k}: {solid:?} {rotation:?} {at:?}");
        let (least, found) = compare(&solid, &at, &rotation, &name);
        touching += u32::from(least < 0.0);
        assert!(least > -1e-3 || found < 0.01, "{}: {least}, and nothing found", name());
    }
    assert!(touching > 1000, "{touching}");
}

/// A wall thinner than what has sunk in still holds it: the body has come in through the front.
#[test]
fn a_thin_plate_holds_what_has_sunk_through() {
    let plate = closed_box(Vector3::new(0.0, -0.0005, 0.0), Vector3::new(4.0, 0.0005, 4.0));
    let mut random = Random::new(24);
    for k in 0..2000 {
        let solid = solid(&mut random, k);
        let rotation = if k % 3 == 0 { Rotation::identity() } else { random.rotation() };
        let lowest = solid.reach(&rotation.inverse_transform_vector(&-Vector3::y()));
        let sunk = random.between(0.002, 0.3 * solid.inner_radius());
        let at = Displacement::new(f64::from(random.between(-2.0, 2.0)), f64::from(lowest - sunk), 0.3);
        let found = contacts(&plate, &solid, &at, &rotation, 0.01);
        assert!((deepest(&found) + sunk).abs() < 1e-3 * solid.bounding_radius(), "{k}: {sunk} {found:?}");
        assert!(
            points(&found).iter().all(|(normal, _)| normal.y > 0.999),
            "{k}: {:?} {found:?}",
            narrow(&at)
        );
    }
}
