//! Choosing at most four of many contact points.

use super::MAX_POINTS;
use drystone_math::{Real, Vector3};

/// Depths that differ by less than this part of the shape's size count as equal, so that rounding and
/// the tilt noise of a resting body (both well below it) do not swap the first point chosen.
const EQUAL_DEPTH: Real = 5.0e-4;
/// A later candidate must be better by this factor, in distance or area, to displace an earlier one.
const SWITCH: Real = 1.05;
/// Distances and areas below this part of the size (squared) add nothing.
const NEGLIGIBLE: Real = 1.0e-3;
/// Share of the margin up to which a gap beyond the deepest one counts as touching: what may close within a step. With half of it a stone of many facets rolled
/// off the points that it had.
const TOUCHING: Real = 0.25;

/// What is to be reduced.
pub(super) struct Candidates {
    /// How many points there are.
    pub count: usize,
    /// Unit normal of the plane in which area is measured.
    pub normal: Vector3,
    /// Points farther apart than this, m, do not take part.
    pub margin: Real,
    /// Size of the shape or polygon, m: the scale of the tolerances.
    pub size: Real,
}

/// Indices of at most four of the points `get(0..count)` = (position, distance): the deepest, the one
/// farthest from it, the one that spans most area with them, and the one that adds most to that triangle.
///
/// Each is taken from those that touch, overlap or are about to, and only where none of these adds anything from the others within the margin. The upper
/// corners of a blade that lies flat are within the margin too and farther apart than those it lies on: taken in their place it rocks for ever.
///
/// Equally good points are told apart by their order, with a bias to the earlier one: the answer flickers
/// only if the order of the points does. The deepest point is deepest up to [`EQUAL_DEPTH`] of the size.
/// Cost: four to seven passes over the points; nothing is stored.
pub(super) fn reduce(
    candidates: &Candidates,
    get: impl Fn(usize) -> (Vector3, Real),
) -> ([usize; MAX_POINTS], usize) {
    let Candidates { count, normal, margin, size } = candidates;
    let mut chosen = [0; MAX_POINTS];
    let mut deepest = (None, Real::INFINITY);
    for i in 0..*count {
        let distance = get(i).1;
        if distance <= *margin && distance < deepest.1 {
            deepest = (Some(i), distance - EQUAL_DEPTH * size);
        }
    }
    let Some(first) = deepest.0 else {
        return (chosen, 0);
    };
    chosen[0] = first;
    let p0 = get(first).0;
    let best_within = |limit: Real, least: Real, score: &dyn Fn(&Vector3) -> Real| {
        let mut best = (None, least);
        for i in 0..*count {
            let (position, distance) = get(i);
            if distance <= limit {
                let value = score(&position);
                if value > best.1 {
                    best = (Some(i), value * SWITCH);
                }
            }
        }
        best.0
    };

    let touching = get(first).1.max(0.0) + TOUCHING * margin.max(0.0);
    let best = |least: Real, score: &dyn Fn(&Vector3) -> Real| {
        best_within(touching.min(*margin), least, score).or_else(|| best_within(*margin, least, score))
    };
    let short = NEGLIGIBLE * size;
    let Some(second) = best(short * short, &|p| normal.cross(&(p - p0)).norm_squared()) else {
        return (chosen, 1);
    };
    chosen[1] = second;
    let p1 = get(second).0;
    let area = |p: &Vector3, q: &Vector3, r: &Vector3| (q - p).cross(&(r - p)).dot(normal);
    let small = short * (p1 - p0).norm();
    let Some(third) = best(small, &|p| area(&p0, &p1, p).abs()) else {
        return (chosen, 2);
    };
    chosen[2] = third;
    let p2 = get(third).0;
    // What lies outside an edge of the triangle adds the triangle it spans with that edge.
    let sign = (1.0 as Real).copysign(area(&p0, &p1, &p2));
    let outside = |p: &Vector3| {
        (-sign * area(&p0, &p1, p)).max(-sign * area(&p1, &p2, p)).max(-sign * area(&p2, &p0, p))
    };
    let Some(fourth) = best(small, &outside) else {
        return (chosen, 3);
    };
    chosen[3] = fourth;
    (chosen, 4)
}
