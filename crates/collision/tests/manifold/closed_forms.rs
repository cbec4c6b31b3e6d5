//! Pairs that have a formula, against that formula in `f64`.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::narrow::gjk::{GjkSeed, Proximity, distance};
use drystone_math::{Displacement, Real, RelativePose, Vector3, widen};

/// Runs `count` random pairs and compares the deepest point with `expected` (a signed distance, m).
fn compare(
    seed: u64,
    count: usize,
    pair: impl Fn(&mut Rng) -> (Shape, Shape, RelativePose),
    expected: impl Fn(&Shape, &Shape, &WidePose) -> f64,
    preference: impl Fn(f64, &Shape) -> f64,
) {
    let mut rng = Rng(seed);
    let (mut near, mut far) = (0, 0);
    for _ in 0..count {
        let (a, b, pose) = pair(&mut rng);
        let margin = 0.1;
        let truth = expected(&a, &b, &WidePose::new(&pose));
        let found = run(&a, &b, &pose, margin);
        let rounding = f64::from(rounding(&a, &b, &pose));
        if truth > f64::from(margin) + rounding {
            far += 1;
            assert_eq!(found.count, 0, "{truth} m apart: {a:?} {b:?} {pose:?}");
        } else if truth < f64::from(margin) - 1.0e-3 - rounding {
            near += 1;
            let d = f64::from(deepest(&found));
            let low = truth - rounding - 1e-4 * truth.abs() - preference(truth, &b);
            let high = truth + rounding + 1e-4 * (truth.abs() + 1.0);
            assert!(low <= d && d <= high, "{d} m, expected {truth}: {a:?} {b:?} {pose:?} {found:?}");
        }
    }
    assert!(near > count / 5 && far > count / 20, "{near} near, {far} far of {count}");
}

fn exact(_: f64, _: &Shape) -> f64 {
    0.0
}

/// A random pose whose translation is within `reach` m.
fn pose(rng: &mut Rng, reach: Real) -> RelativePose {
    RelativePose::new(rng.direction() * rng.within(0.0, reach), rng.rotation())
}

fn radius_of(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => f64::from(*radius),
        _ => 0.0,
    }
}

#[test]
fn spheres_match_the_distance_of_their_centres() {
    let pair = |rng: &mut Rng| (sphere(rng.within(0.1, 1.0)), sphere(rng.within(0.1, 1.0)), pose(rng, 3.0));
    compare(1, 5_000, pair, |a, b, p| p.translation.norm() - radius_of(a) - radius_of(b), exact);
}

/// Ends of the segment of capsule `b`.
fn ends(b: &Shape, pose: &WidePose) -> [Displacement; 2] {
    let Shape::Capsule { half_length, .. } = b else { panic!("a capsule") };
    let half = pose.turn(&Displacement::new(0.0, f64::from(*half_length), 0.0));
    [pose.translation - half, pose.translation + half]
}

/// The least value of a convex function on the segment, by ternary search.
fn least_on([p, q]: [Displacement; 2], f: impl Fn(&Displacement) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let value = |s: f64| f(&(p + (q - p) * s));
    for _ in 0..80 {
        let (l, h) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if value(l) < value(h) { high = h } else { low = l }
    }
    value(low).min(value(0.0)).min(value(1.0))
}

#[test]
fn sphere_and_capsule_match_the_distance_to_the_segment() {
    let pair = |rng: &mut Rng| {
        let capsule = capsule(rng.within(0.0, 2.0), rng.within(0.1, 1.0));
        (sphere(rng.within(0.1, 1.0)), capsule, pose(rng, 4.0))
    };
    let truth =
        |a: &Shape, b: &Shape, p: &WidePose| least_on(ends(b, p), |q| q.norm()) - radius_of(a) - radius_of(b);
    compare(2, 5_000, pair, truth, exact);
}

#[test]
fn capsules_match_the_distance_of_their_segments() {
    let pair = |rng: &mut Rng| {
        let a = capsule(rng.within(0.0, 2.0), rng.within(0.1, 1.0));
        (a, capsule(rng.within(0.0, 2.0), rng.within(0.1, 1.0)), pose(rng, 5.0))
    };
    let truth = |a: &Shape, b: &Shape, p: &WidePose| {
        let Shape::Capsule { half_length, .. } = a else { panic!("a capsule") };
        let h = f64::from(*half_length);
        let to_a = |q: &Displacement| (q - Displacement::new(0.0, q.y.clamp(-h, h), 0.0)).norm();
        least_on(ends(b, p), to_a) - radius_of(a) - radius_of(b)
    };
    // Nearly parallel capsules are measured along one normal: up to 5e-4 of the radii too deep.
    compare(3, 5_000, pair, truth, |_, _| 5e-4 * 2.0);
}

/// Signed distance of a point from a box, m.
fn box_distance(half: &Displacement, p: &Displacement) -> f64 {
    let q = p.abs() - half;
    let outside = q.sup(&Displacement::zeros()).norm();
    if outside > 0.0 { outside } else { q.max() }
}

#[test]
fn sphere_and_box_match_the_signed_distance_of_the_box() {
    let pair = |rng: &mut Rng| {
        let half = Vector3::from_fn(|_, _| rng.within(0.1, 1.5));
        (sphere(rng.within(0.1, 1.0)), cuboid(half.x, half.y, half.z), pose(rng, 3.0))
    };
    let truth = |a: &Shape, b: &Shape, p: &WidePose| {
        let Shape::Box { half_extents } = b else { panic!("a box") };
        box_distance(&widen(half_extents), &p.inverse_point(&Displacement::zeros())) - radius_of(a)
    };
    compare(4, 10_000, pair, truth, exact);
    // The same box as a hull.
    let pair = |rng: &mut Rng| (sphere(rng.within(0.1, 1.0)), box_hull(0.5, 1.0, 0.75), pose(rng, 3.0));
    let truth = |a: &Shape, _: &Shape, p: &WidePose| {
        let half = Displacement::new(0.5, 1.0, 0.75);
        box_distance(&half, &p.inverse_point(&Displacement::zeros())) - radius_of(a)
    };
    compare(5, 10_000, pair, truth, exact);
}

/// Signed distance of a segment from a box, both in the frame of the box: by search outside, by the
/// separating axes inside.
fn segment_box(half: &Displacement, ends: [Displacement; 2]) -> f64 {
    let apart = least_on(ends, |p| box_distance(half, p).max(0.0));
    if apart > 1e-7 {
        return apart;
    }
    let along = ends[1] - ends[0];
    let unit = [Displacement::x(), Displacement::y(), Displacement::z()];
    let crosses = unit.map(|e| e.cross(&along)).into_iter().filter(|c| c.norm() > 1e-6);
    let axes = unit.into_iter().chain(crosses.map(|c| c.normalize()));
    let gap = |n: Displacement| {
        let reach = n.abs().dot(half);
        let (p, q) = (n.dot(&ends[0]), n.dot(&ends[1]));
        (p.min(q) - reach).max(-p.max(q) - reach)
    };
    axes.map(gap).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn capsule_and_box_match_search_outside_and_axes_inside() {
    let truth = |a: &Shape, half: &Vector3, p: &WidePose| {
        let Shape::Capsule { half_length, .. } = a else { panic!("a capsule") };
        let end = Displacement::new(0.0, f64::from(*half_length), 0.0);
        segment_box(&widen(half), [-end, end].map(|e| p.inverse_point(&e))) - radius_of(a)
    };
    // Faces are preferred to edges within 2 % of the core's overlap and 1e-3 of the thickness.
    let preference =
        |d: f64, _: &Shape| 0.05 * (d.abs() + 1.0).min(2.0) * f64::from(u8::from(d < -0.1)) + 2e-3;
    let pair = |rng: &mut Rng| {
        let half = Vector3::from_fn(|_, _| rng.within(0.1, 1.5));
        (capsule(rng.within(0.0, 2.0), rng.within(0.1, 0.5)), cuboid(half.x, half.y, half.z), pose(rng, 4.0))
    };
    let of_box = |a: &Shape, b: &Shape, p: &WidePose| {
        let Shape::Box { half_extents } = b else { panic!("a box") };
        truth(a, half_extents, p)
    };
    compare(6, 10_000, pair, of_box, preference);
    let pair = |rng: &mut Rng| {
        (capsule(rng.within(0.0, 2.0), rng.within(0.1, 0.5)), box_hull(0.5, 1.0, 0.75), pose(rng, 4.0))
    };
    let of_hull = |a: &Shape, _: &Shape, p: &WidePose| truth(a, &Vector3::new(0.5, 1.0, 0.75), p);
    compare(7, 10_000, pair, of_hull, preference);
}

#[test]
fn capsule_and_hull_outside_each_other_match_gjk() {
    let mut rng = Rng(8);
    let mut compared = 0;
    for _ in 0..3_000 {
        let (a, b) = (capsule(rng.within(0.0, 1.0), 0.2), round_hull(20, 1.0, &mut rng));
        let pose = pose(&mut rng, 3.0);
        let (Some((core_a, _)), Some((core_b, _))) = (a.core(), b.core()) else { panic!("both have cores") };
        let found = run(&a, &b, &pose, 0.1);
        if let Proximity::Separated(closest) =
            distance(&core_a, &core_b, &pose, Real::INFINITY, &mut GjkSeed::default())
        {
            let truth = closest.distance - 0.2;
            if truth > 0.1 + 1e-5 {
                assert_eq!(found.count, 0);
            } else if truth < 0.099 {
                compared += 1;
                assert!((deepest(&found) - truth).abs() < 3e-5, "{truth} m: {found:?} {pose:?}");
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn lowest_points_over_a_half_space_decide() {
    let mut rng = Rng(9);
    let plane = half_space(Vector3::new(0.3, 1.0, -0.2));
    let Shape::HalfSpace { normal } = &plane else { unreachable!() };
    for k in 0..4_000 {
        let shape = match k % 4 {
            0 => sphere(rng.within(0.1, 1.0)),
            1 => capsule(rng.within(0.0, 1.0), rng.within(0.1, 0.5)),
            2 => cuboid(rng.within(0.1, 1.0), rng.within(0.1, 1.0), rng.within(0.1, 1.0)),
            _ => round_hull(16, 0.7, &mut rng),
        };
        let pose = pose(&mut rng, 2.0);
        let wide = WidePose::new(&pose);
        // The half-space is A: its normal is the manifold's.
        let down = pose.rotation.inverse() * -normal;
        let truth = widen(normal).dot(&(wide.translation + wide.turn(&widen(&shape.support(&down)))));
        let manifold = run(&plane, &shape, &pose, 0.05);
        if truth < 0.049 {
            assert!((manifold.normal - normal).norm() < 1e-6);
            // The reduction of a hull may pass over a vertex deeper by 5e-4 of its size.
            assert!((f64::from(deepest(&manifold)) - truth).abs() < 5e-4, "{truth}: {manifold:?} {shape:?}");
        } else if truth > 0.051 {
            assert_eq!(manifold.count, 0);
        }
    }
}

#[test]
fn boxes_and_capsules_lie_on_a_half_space_with_all_their_corners() {
    let ground = half_space(Vector3::y());
    let manifold = run(&cuboid(0.5, 0.25, 1.0), &ground, &at(0.0, -0.25, 0.0), 0.01);
    assert_eq!((manifold.count, manifold.normal), (4, -Vector3::y()));
    assert!(manifold.points().iter().all(|p| p.distance == 0.0 && p.point.y == -0.25));
    let lying = turned(0.0, 0.2, 0.0, Vector3::z(), std::f32::consts::FRAC_PI_2);
    let manifold = run(&ground, &capsule(0.5, 0.2), &lying, 0.01);
    assert_eq!(manifold.count, 2);
    assert!(
        manifold.points().iter().all(|p| (p.point.x.abs() - 0.5).abs() < 1e-6 && p.distance.abs() < 1e-6)
    );
    let prism = prism(16, 1.0, 0.5);
    let manifold = run(&ground, &prism, &at(0.0, 0.5, 0.0), 0.01);
    assert_eq!(manifold.count, 4);
    // The best square in the regular 16-gon around the unit circle has 2 m².
    let p = manifold.points().iter().map(|p| p.point).collect::<Vec<_>>();
    let area =
        0.5 * (p[1] - p[0]).cross(&(p[2] - p[0])).norm() + 0.5 * (p[1] - p[0]).cross(&(p[3] - p[0])).norm();
    assert!(area > 1.8, "{area} m²");
}

#[test]
fn parallel_capsules_touch_twice_and_crossed_ones_once() {
    let a = capsule(1.0, 0.25);
    let beside = run(&a, &a, &at(0.49, 0.5, 0.0), 0.0);
    assert_eq!((beside.count, beside.normal), (2, Vector3::x()));
    let mut heights = beside.points().iter().map(|p| p.point.y).collect::<Vec<_>>();
    heights.sort_by(Real::total_cmp);
    assert!((heights[0] + 0.5).abs() < 1e-6 && (heights[1] - 1.0).abs() < 1e-6, "{heights:?}");
    assert!(beside.points().iter().all(|p| (p.distance + 0.01).abs() < 1e-6));
    let crossed = run(&a, &a, &turned(0.49, 0.0, 0.0, Vector3::x(), 1.5), 0.0);
    assert_eq!(crossed.count, 1);
    let stacked = run(&a, &a, &at(0.0, 2.49, 0.0), 0.0);
    assert_eq!((stacked.count, stacked.normal), (1, Vector3::y()), "end to end");
}

#[test]
fn a_capsule_lying_on_a_face_or_along_an_edge_touches_twice() {
    let lying = turned(0.1, 0.75, 0.0, Vector3::z(), std::f32::consts::FRAC_PI_2);
    for block in [cuboid(0.5, 0.5, 0.5), box_hull(0.5, 0.5, 0.5)] {
        let manifold = run(&block, &capsule(2.0, 0.25), &lying, 0.01);
        assert_eq!(manifold.count, 2, "{manifold:?}");
        assert!((manifold.normal - Vector3::y()).norm() < 1e-6);
        assert!(manifold.points().iter().all(|p| (p.point.x.abs() - 0.5).abs() < 1e-5));
        // Along the edge, pushed diagonally.
        let reach = 0.5 + 0.25 * std::f32::consts::FRAC_1_SQRT_2;
        let along = turned(0.0, reach, reach, Vector3::z(), std::f32::consts::FRAC_PI_2);
        let manifold = run(&block, &capsule(2.0, 0.25), &along, 0.01);
        assert_eq!(manifold.count, 2, "{manifold:?}");
        assert!(manifold.points().iter().all(|p| p.distance.abs() < 1e-5));
    }
}
