//! Hulls against boxes, against GJK and EPA, and hulls with many faces.

use crate::support::*;
use drystone_collision::Shape;
use drystone_collision::narrow::epa::{EpaScratch, penetration};
use drystone_collision::narrow::gjk::GjkSeed;
use drystone_collision::narrow::{LocalManifold, NarrowStatus, PairCache, contact};
use drystone_collision::shape::{ConvexHull, HullEdge};
use drystone_math::{Displacement, Real, RelativePose, Rotation, Vector3, widen};

#[test]
fn hulls_that_are_boxes_touch_like_boxes() {
    let mut rng = Rng(1);
    let (mut touching, mut equal) = (0, 0);
    for _ in 0..20_000 {
        let h: [Real; 6] = std::array::from_fn(|_| rng.within(0.2, 1.0));
        let (a, b) = (cuboid(h[0], h[1], h[2]), cuboid(h[3], h[4], h[5]));
        let (hull_a, hull_b) = (box_hull(h[0], h[1], h[2]), box_hull(h[3], h[4], h[5]));
        let pose = RelativePose::new(rng.direction() * rng.within(0.4, 2.0), rng.rotation());
        let boxes = run(&a, &b, &pose, 0.01);
        for (x, y) in [(&hull_a, &hull_b), (&a, &hull_b), (&hull_a, &b)] {
            let hulls = run(x, y, &pose, 0.01);
            let (d, e) = (deepest(&boxes).min(0.01), deepest(&hulls).min(0.01));
            assert!((d - e).abs() < 0.07 * d.abs() + 8e-3, "{d} m and {e} m: {boxes:?} {hulls:?}");
            if boxes.count > 0 {
                touching += 1;
                let near = |p: Vector3| hulls.points().iter().any(|q| (q.point - p).norm() < 1e-4);
                let is_equal = boxes.count == hulls.count && boxes.points().iter().all(|p| near(p.point));
                equal += u32::from(is_equal);
            }
        }
    }
    // The rest are reductions and preferences that tell equally good points apart by other names.
    assert!(touching > 10_000 && f64::from(equal) > 0.95 * f64::from(touching), "{equal} of {touching}");
}

/// The signed distance by GJK and EPA, m.
fn reference(a: &Shape, b: &Shape, pose: &RelativePose) -> Real {
    let (Some((core_a, _)), Some((core_b, _))) = (a.core(), b.core()) else { panic!("both have cores") };
    penetration(&core_a, &core_b, pose, &mut GjkSeed::default(), &mut EpaScratch::default()).distance
}

/// Random overlapping pairs: the depth is EPA's up to the preference for faces.
fn compare(seed: u64, count: usize, corners: (usize, usize)) {
    let mut rng = Rng(seed);
    let mut touching = 0;
    for _ in 0..count {
        let (a, b) = (round_hull(corners.0, 1.0, &mut rng), round_hull(corners.1, 0.7, &mut rng));
        let pose = RelativePose::new(rng.direction() * rng.within(0.8, 1.8), rng.rotation());
        let (truth, manifold) = (reference(&a, &b, &pose), run(&a, &b, &pose, 0.01));
        if truth > 0.011 {
            // Features that face each other are measured along a face, which is nearer than the corners.
            assert!(manifold.count == 0 || deepest(&manifold) > 0.0, "{truth} m: {manifold:?}");
        } else if truth < 0.0 {
            touching += 1;
            let found = deepest(&manifold);
            let allowed = 0.05 * truth.abs() + 5e-3;
            assert!(
                truth - allowed < found && found < truth + allowed,
                "{found} m, {truth}: {pose:?} {manifold:?}"
            );
        }
    }
    assert!(touching > count / 5, "{touching}");
}

#[test]
fn depth_of_overlapping_hulls_matches_epa() {
    compare(2, 2_000, (12, 8));
    compare(3, 1_000, (30, 30));
}

#[test]
fn hulls_with_many_faces_match_epa() {
    compare(4, 300, (200, 20));
    compare(5, 200, (150, 150));
}

#[test]
fn a_many_sided_cylinder_stands_on_four_far_points() {
    let (ground, cylinder) = (cuboid(3.0, 0.5, 3.0), prism(120, 1.0, 0.5));
    for (a, b, pose) in [
        (&ground, &cylinder, at(0.0, 0.999, 0.0)),
        (&cylinder, &ground, at(0.0, 0.999, 0.0)),
        (&cylinder, &cylinder, at(0.2, 0.999, 0.1)),
    ] {
        let manifold = run(a, b, &pose, 0.01);
        assert_eq!((manifold.count, manifold.normal), (4, Vector3::y()));
        let p: Vec<Vector3> = manifold.points().iter().map(|p| p.point).collect();
        let diagonals = (p[0] - p[1]).norm().max((p[0] - p[2]).norm()).max((p[0] - p[3]).norm());
        assert!(diagonals > 1.6, "{manifold:?}");
        assert!(manifold.points().iter().all(|p| (p.distance + 1e-3).abs() < 1e-5), "{manifold:?}");
    }
}

#[test]
fn status_tells_how_an_answer_was_found() {
    let status = |a: &Shape, b: &Shape, pose: &RelativePose| {
        contact(a, b, pose, 0.01, &mut PairCache::default(), &mut LocalManifold::default())
    };
    let (unit, many) = (cuboid(0.5, 0.5, 0.5), prism(100, 0.5, 0.5));
    assert_eq!(status(&unit, &unit, &at(0.0, 1.0, 0.0)), NarrowStatus::Exact);
    assert_eq!(status(&unit, &many, &at(0.0, 1.0, 0.0)), NarrowStatus::Converged);
}

/// Vertices, unit face normals and edge directions of a polytope in `f64`.
struct Wide {
    vertices: Vec<Displacement>,
    normals: Vec<Displacement>,
    edges: Vec<Displacement>,
}

impl Wide {
    fn new(shape: &Shape) -> Self {
        let hull = match shape {
            Shape::Hull(hull) => (**hull).clone(),
            Shape::Box { half_extents } => ConvexHull::cuboid(half_extents).expect("a box has volume"),
            _ => panic!("not a polytope"),
        };
        let vertices: Vec<_> = hull.vertices.iter().map(widen).collect();
        let edge = |e: &HullEdge| vertices[e.vertices[1] as usize] - vertices[e.vertices[0] as usize];
        Self {
            normals: hull.faces.iter().map(|f| widen(&f.normal).normalize()).collect(),
            edges: hull.edges.iter().map(|e| edge(e).normalize()).collect(),
            vertices,
        }
    }

    fn reach(&self, direction: &Displacement) -> f64 {
        self.vertices.iter().map(|v| v.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Largest signed gap over all face normals and all crossings of edges, m: minus the least depth of what overlaps.
fn widest_gap(a: &Shape, b: &Shape, pose: &RelativePose) -> f64 {
    let (a, b, pose) = (Wide::new(a), Wide::new(b), WidePose::new(pose));
    let back = |v: &Displacement| pose.inverse_point(&(v + pose.translation));
    let gap = |n: &Displacement| n.dot(&pose.translation) - b.reach(&back(&-n)) - a.reach(n);
    let mut widest = f64::NEG_INFINITY;
    for normal in &a.normals {
        widest = widest.max(gap(normal));
    }
    for normal in &b.normals {
        widest = widest.max(gap(&-pose.turn(normal)));
    }
    for along_b in b.edges.iter().map(|e| pose.turn(e)) {
        for along_a in &a.edges {
            let cross = along_a.cross(&along_b);
            if cross.norm() > 1e-6 {
                let axis = cross.normalize();
                widest = widest.max(gap(&axis)).max(gap(&-axis));
            }
        }
    }
    widest
}

/// Needles, plates, wedges, frusta, boxes, round hulls: what cuts corners of the search off.
fn any_polytope(rng: &mut Rng) -> Shape {
    let flatten = |shape: &Shape, scale: Vector3| {
        let Shape::Hull(hull) = shape else { panic!("a hull is flattened") };
        let points: Vec<_> = hull.vertices.iter().map(|v| v.component_mul(&scale)).collect();
        Shape::hull(&points).expect("it keeps a volume")
    };
    let count = 4 + rng.below(26);
    match rng.below(6) {
        0 => cuboid(rng.within(0.05, 1.0), rng.within(0.05, 1.0), rng.within(0.05, 1.0)),
        1 => flatten(&round_hull(count + 4, 0.7, rng), Vector3::new(1.0, 0.05, 1.0)),
        2 => flatten(&round_hull(count + 4, 0.7, rng), Vector3::new(0.08, 1.0, 0.08)),
        3 => prism(3 + rng.below(12), rng.within(0.2, 1.0), rng.within(0.05, 1.0)),
        4 => {
            // A tetrahedron, possibly sharp.
            let points: Vec<_> = (0..4).map(|_| rng.direction() * rng.within(0.3, 1.0)).collect();
            Shape::hull(&points).unwrap_or_else(|_| box_hull(0.5, 0.4, 0.3))
        }
        _ => round_hull(count + 4, 0.7, rng),
    }
}

fn least_thickness(shape: &Shape) -> Real {
    match shape {
        Shape::Box { half_extents } => half_extents.min(),
        Shape::Hull(hull) => {
            let center = hull.unit_mass.center;
            hull.faces.iter().map(|f| f.offset - f.normal.dot(&center)).fold(Real::INFINITY, Real::min)
        }
        _ => panic!("not a polytope"),
    }
}

/// Depths and distances of all kinds of polytopes are those of brute force in `f64`, up to the preferences, with
/// nothing remembered and with what was remembered from a pose nearby or from another one altogether.
#[test]
fn polytopes_match_brute_force_with_and_without_memory() {
    const MARGIN: Real = 0.05;
    let mut rng = Rng(77);
    let (mut overlapping, mut near, mut beyond) = (0, 0, 0);
    for _ in 0..400 {
        let (a, b) = (any_polytope(&mut rng), any_polytope(&mut rng));
        let reach = size(&a) + size(&b);
        let thin = least_thickness(&a).min(least_thickness(&b));
        let mut cache = PairCache::default();
        let mut pose = RelativePose::new(rng.direction() * (rng.within(0.1, 1.0) * reach), rng.rotation());
        for k in 0..12 {
            if k == 8 {
                pose = RelativePose::new(rng.direction() * (rng.within(0.1, 0.8) * reach), rng.rotation());
            }
            pose.translation += rng.vector(0.02);
            pose.rotation = Rotation::from_scaled_axis(rng.vector(0.05)) * pose.rotation;
            let gap = widest_gap(&a, &b, &pose) as Real;
            let truth = if gap > 0.0 { reference(&a, &b, &pose) } else { gap };
            let rounding = 4.0 * rounding(&a, &b, &pose);
            for manifold in [run(&a, &b, &pose, MARGIN), run_with(&a, &b, &pose, MARGIN, &mut cache)] {
                let allowed = 0.08 * truth.abs() + 8.0e-3 * thin + 6.0e-4 * reach + rounding;
                let found = deepest(&manifold);
                let context = || format!("{found} m, {truth} m: {a:?} {b:?} {pose:?} {manifold:?}");
                if truth > MARGIN + allowed {
                    beyond += 1;
                    assert!(manifold.count == 0, "{}", context());
                    assert!(manifold.gap <= truth + rounding, "{}", context());
                } else if truth < MARGIN - allowed {
                    overlapping += u32::from(truth < 0.0);
                    near += u32::from(truth >= 0.0);
                    assert!((found - truth).abs() < allowed, "allowed {allowed}, {}", context());
                }
            }
        }
    }
    assert!(overlapping > 2_000 && near > 200 && beyond > 2_000, "{overlapping} {near} {beyond}");
}

/// What a cache may hold is anything: it never changes more than the preferences do.
#[test]
fn any_memory_is_safe() {
    let mut rng = Rng(78);
    let (a, b) = (round_hull(16, 0.6, &mut rng), cuboid(0.4, 0.3, 0.5));
    let (c, d) = (round_hull(12, 0.5, &mut rng), round_hull(30, 0.4, &mut rng));
    let mut caches = vec![PairCache::default()];
    for k in 0..4_000 {
        let (x, y) = [(&a, &b), (&c, &d), (&a, &c), (&d, &b)][k % 4];
        let pose = RelativePose::new(rng.direction() * rng.within(0.3, 1.1), rng.rotation());
        let fresh = run(x, y, &pose, 0.02);
        // Of another pair, at another time.
        let mut foreign = caches[rng.below(caches.len())];
        let kept = run_with(x, y, &pose, 0.02, &mut foreign);
        let (p, q) = (deepest(&fresh).min(0.02), deepest(&kept).min(0.02));
        assert!((p - q).abs() < 0.08 * p.abs() + 8.0e-3, "{p} m and {q} m: {fresh:?} {kept:?} {pose:?}");
        caches.push(foreign);
    }
}
