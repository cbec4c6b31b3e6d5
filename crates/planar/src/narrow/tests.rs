//! The narrow phase against an oracle that knows no edges or clipping: support mappings sampled over directions, in
//! double precision, and closest points of all pairs of features.

use super::*;
use crate::PlanarShape;
use proptest::prelude::*;

fn corners(core: &Core, turn: &Turn, offset: &Vector2) -> Vec<[f64; 2]> {
    let place = |c: &crate::shape::Corner| turn.apply(&c.point) + offset;
    core.corners.iter().map(place).map(|p| [f64::from(p.x), f64::from(p.y)]).collect()
}

fn point_to_segment(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (d, r) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let dd = d[0] * d[0] + d[1] * d[1];
    let t = if dd > 0.0 { ((r[0] * d[0] + r[1] * d[1]) / dd).clamp(0.0, 1.0) } else { 0.0 };
    (r[0] - t * d[0]).hypot(r[1] - t * d[1])
}

/// Distance of two cores: the largest separation over 3600 directions where they overlap, the least distance of a
/// corner from an edge where they do not.
fn oracle(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let separation = |n: [f64; 2]| {
        let reach =
            |points: &[[f64; 2]]| points.iter().map(|p| p[0] * n[0] + p[1] * n[1]).fold(f64::MIN, f64::max);
        let least =
            |points: &[[f64; 2]]| points.iter().map(|p| p[0] * n[0] + p[1] * n[1]).fold(f64::MAX, f64::min);
        least(b) - reach(a)
    };
    let directions =
        (0..3600).map(|k| f64::from(k) * std::f64::consts::TAU / 3600.0).map(|w| [w.cos(), w.sin()]);
    let best = directions.map(separation).fold(f64::MIN, f64::max);
    let between = |points: &[[f64; 2]], edges: &[[f64; 2]]| {
        let n = edges.len();
        let to_edges = |p: &[f64; 2]| {
            (0..n).map(|i| point_to_segment(*p, edges[i], edges[(i + 1) % n])).fold(f64::MAX, f64::min)
        };
        points.iter().map(to_edges).fold(f64::MAX, f64::min)
    };
    if best > 0.0 { between(a, b).min(between(b, a)) } else { best }
}

fn shape() -> impl Strategy<Value = PlanarShape> {
    let circle = (0.1_f32..2.0).prop_map(|r| PlanarShape::circle(r).expect("in range"));
    let capsule = (0.1_f32..2.0, 0.05_f32..1.0).prop_map(|(l, r)| {
        PlanarShape::capsule(Vector2::new(-l, 0.3 * l), Vector2::new(l, 0.0), r).expect("in range")
    });
    let points = proptest::collection::vec((0.0_f64..1.0, 0.5_f32..2.0), 3..9);
    let polygon = points.prop_filter_map("without area", |list| {
        let at = |&(w, r): &(f64, f32)| Turn::new(w * std::f64::consts::TAU).apply(&Vector2::new(r, 0.0));
        let shape = PlanarShape::polygon(&list.iter().map(at).collect::<Vec<_>>()).ok()?;
        // Slivers have no useful depth: the oracle's directions would miss theirs.
        (Core::new(&shape, &Vector2::zeros(), &Turn::IDENTITY).extent > 0.2).then_some(shape)
    });
    prop_oneof![circle, capsule, polygon.clone(), polygon]
}

fn pair() -> impl Strategy<Value = (Core, Core, Placement)> {
    let core = |s: &PlanarShape| Core::new(s, &Vector2::zeros(), &Turn::IDENTITY);
    (shape(), shape(), -3.0_f32..3.0, -3.0_f32..3.0, 0.0_f64..6.3, 0.0_f64..6.3).prop_map(
        move |(a, b, x, y, wa, wb)| {
            let place =
                Placement { offset: Vector2::new(x, y), turn_a: Turn::new(wa), turn_b: Turn::new(wb) };
            (core(&a), core(&b), place)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The least distance of the points is that of the shapes; nothing is reported beyond the margin.
    #[test]
    fn distance_is_that_of_the_oracle((a, b, place) in pair()) {
        let margin = 0.5;
        let manifold = collide(&a, &b, &place, margin);
        let cores = (corners(&a, &place.turn_a, &Vector2::zeros()), corners(&b, &place.turn_b, &place.offset));
        let core_gap = oracle(&cores.0, &cores.1);
        let wanted = core_gap - f64::from(a.radius + b.radius);
        let found = manifold.points().iter().map(|p| f64::from(p.distance)).fold(f64::INFINITY, f64::min);
        // Directions sampled at a tenth of a degree see depths of cores to about 1 - cos(0.05°) of 4 m; two segments
        // that cross are parted along an edge's normal, never along the shorter way past an end.
        let is_crossing = a.corners.len() == 2 && b.corners.len() == 2 && core_gap <= 0.0;
        if wanted > f64::from(margin) + 1e-4 {
            prop_assert_eq!(manifold.count, 0);
        } else if !is_crossing && core_gap.abs() > 1e-3 && wanted < f64::from(margin) - 1e-4 {
            prop_assert!((found - wanted).abs() < 5e-3 * wanted.abs().max(1.0), "{found} m, oracle {wanted} m");
            if core_gap > 1e-3 {
                // The edges of A are preferred to those of B by a thousandth of the smaller width.
                let width = a.extent.max(a.radius).min(b.extent.max(b.radius));
                let tolerance = 1e-4 + 1e-3 * f64::from(width);
                prop_assert!((found - wanted).abs() < tolerance, "{found} m, oracle {wanted} m");
            }
        }
    }

    /// Points lie between both surfaces, the normal is of unit length, and B moved out along it no longer overlaps.
    #[test]
    fn moving_out_by_the_depth_parts_the_shapes((a, b, place) in pair()) {
        let manifold = collide(&a, &b, &place, 0.0);
        if manifold.count == 0 {
            return Ok(());
        }
        prop_assert!((manifold.normal.norm() - 1.0).abs() < 1e-4);
        let depth = manifold.points().iter().map(|p| -p.distance).fold(0.0, Real::max);
        let out = Placement { offset: place.offset + manifold.normal * (depth + 1e-3), ..place };
        let after = collide(&a, &b, &out, 1.0);
        let least = after.points().iter().map(|p| p.distance).fold(Real::INFINITY, Real::min);
        prop_assert!(least > -1e-3, "{least} m after moving {depth} m out");
    }

    /// Swapping the shapes turns the normal round and keeps distances and features.
    #[test]
    fn swapped_shapes_give_the_mirrored_manifold((a, b, place) in pair()) {
        let there = collide(&a, &b, &place, 0.1);
        let swapped = Placement { offset: -place.offset, turn_a: place.turn_b, turn_b: place.turn_a };
        let back = collide(&b, &a, &swapped, 0.1);
        let least = |m: &Manifold| m.points().iter().map(|p| p.distance).fold(Real::INFINITY, Real::min);
        if there.count > 0 && least(&there) < 0.09 {
            prop_assert!((least(&there) - least(&back)).abs() < 5e-3, "{} {}", least(&there), least(&back));
            let turned_round = there.normal.dot(&back.normal);
            // Two cores apart have one way between them, but for the preference that edges of A have; where they overlap, two
            // ways may be as short. With a circle both orders are one computation.
            let is_round = a.corners.len() == 1 || b.corners.len() == 1;
            let is_apart = least(&there) + a.radius + b.radius > 1e-2;
            prop_assert!(!(is_apart || is_round) || turned_round < -0.99, "{turned_round}");
            let names = |m: &Manifold, turn: u32| {
                let mut names: Vec<u16> = m.points().iter().map(|p| p.feature.rotate_left(turn)).collect();
                names.sort_unstable();
                names
            };
            let is_face = there.count == 2 && back.count == 2 && turned_round < -0.9999;
            if is_face || is_round {
                prop_assert_eq!(names(&there, 0), names(&back, 8));
            }
        }
    }
}

#[test]
fn boxes_face_to_face_touch_in_two_points_that_keep_their_features() {
    let cube = PlanarShape::cuboid(0.5, 0.5).expect("positive");
    let core = Core::new(&cube, &Vector2::zeros(), &Turn::IDENTITY);
    let at = |x: f32, w: f64| {
        let place = Placement { offset: Vector2::new(x, 1.0), turn_a: Turn::IDENTITY, turn_b: Turn::new(w) };
        collide(&core, &core, &place, 0.02)
    };
    let m = at(0.2, 0.0);
    assert_eq!((m.count, m.normal), (2, Vector2::y()));
    let mut xs = [m.points[0].arm_a.x, m.points[1].arm_a.x];
    xs.sort_by(Real::total_cmp);
    assert!((xs[0] + 0.3).abs() < 1e-6 && (xs[1] - 0.5).abs() < 1e-6, "{xs:?}");
    let features = |m: &Manifold| [m.points[0].feature, m.points[1].feature];
    for (x, w) in [(0.201, 0.0), (0.199, 1e-3), (0.2, -1e-3)] {
        assert_eq!(features(&at(x, w)), features(&m), "{x} {w}");
    }
}

#[test]
fn parallel_capsules_touch_in_two_points_and_in_line_in_one() {
    let shape =
        PlanarShape::capsule(Vector2::new(-1.0, 0.0), Vector2::new(1.0, 0.0), 0.25).expect("in range");
    let core = Core::new(&shape, &Vector2::zeros(), &Turn::IDENTITY);
    let at = |x: f32, y: f32| {
        let place = Placement { offset: Vector2::new(x, y), turn_a: Turn::IDENTITY, turn_b: Turn::IDENTITY };
        collide(&core, &core, &place, 0.01)
    };
    assert_eq!((at(0.5, 0.5).count, at(0.5, 0.5).normal), (2, Vector2::y()));
    let line = at(2.49, 0.0);
    assert_eq!(line.count, 1);
    assert!((line.normal - Vector2::x()).norm() < 1e-6 && (line.points[0].distance + 0.01).abs() < 1e-5);
    assert_eq!(at(2.6, 0.0).count, 0);
}
