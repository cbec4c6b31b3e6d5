//! Pairs whose direction the candidates of [`Pair::axes`] do not prove: GJK and EPA find it.

use super::super::closest::{core_separation, push_separation};
use super::super::epa::Separation;
use super::super::gjk::{GjkSeed, Proximity, distance};
use super::super::polytope::{MAX_FACES, Polytope};
use super::super::segment::{PARALLEL_SINE_SQUARED, unit};
use super::super::{LocalManifold, NarrowStatus, PairCache};
use super::patch::{Face, Line, Patch, facing};
use super::{Outcome, Pair, Part};
use crate::Shape;
use crate::shape::Core;
use drystone_math::{Real, RelativePose, Vector3};

/// Sine of the largest angle between a line of a surface and the plane of contact for the line to lie in it: that of
/// `PARALLEL_SINE_SQUARED`.
const LEVEL_SINE: Real = 0.01;
/// Part of the length by which an edge may lie below the farthest point and still be the one that touches.
const EDGE_DROP: Real = 1.0e-3;
/// Part of the lengths involved by which overlapping cores are moved apart in addition to their depth.
const MOVED_APART: Real = 1.0e-4;

impl Pair<'_> {
    /// Contact where no direction was proven to be the best: GJK and EPA find it.
    #[inline(never)]
    pub(super) fn along_separation(
        &self,
        (a, b): (&Shape, &Shape),
        pose: &RelativePose,
        cache: &mut PairCache,
        manifold: &mut LocalManifold,
    ) -> Outcome {
        let (Some((core_a, radius_a)), Some((core_b, radius_b))) = (a.core(), b.core()) else {
            return Outcome::EXACT;
        };
        (manifold.count, manifold.gap) = (0, Real::NEG_INFINITY);
        let limit = self.margin + radius_a + radius_b;
        let Some(separation) = core_separation(&core_a, &core_b, pose, limit, cache, manifold) else {
            manifold.gap -= radius_a + radius_b;
            return Outcome::Done(NarrowStatus::Converged);
        };
        let separation = polished(separation, (&core_a, &core_b), pose);
        let distance = separation.distance - radius_a - radius_b;
        if !(self.on_large_face(&separation, distance, manifold)
            || self.along_lines(&separation, distance, manifold))
        {
            manifold.count = 0;
            push_separation(&separation, radius_a, radius_b, self.margin, manifold);
        }
        Outcome::Done(separation.status)
    }

    /// Points on the face of a polytope of many faces, which [`Pair::axes`] leaves out, where it is as good as the
    /// direction found.
    fn on_large_face(&self, separation: &Separation, distance: Real, manifold: &mut LocalManifold) -> bool {
        let Part::Polytope(polytope) = &self.a else { return false };
        if polytope.face_count() <= MAX_FACES {
            return false;
        }
        let face = polytope.most_aligned(&separation.normal);
        let (normal, offset) = polytope.plane(face);
        let axis = self.b.lowest(&normal) - offset;
        let slack = self.slack(distance);
        if axis < distance - slack {
            return false;
        }
        let patch = Patch::Face(Face::new(*polytope, face, None));
        facing(&patch, &self.b.facing(&-normal), &normal, self.margin, manifold);
        manifold.gap = axis;
        manifold.count > 0 && manifold.deepest() <= distance + slack
    }

    /// Two points where lines of both surfaces lie in the plane of contact, side by side.
    fn along_lines(&self, separation: &Separation, distance: Real, manifold: &mut LocalManifold) -> bool {
        let n = separation.normal;
        let Patch::Line(line_b) = self.b.facing(&-n) else { return false };
        let Some(along) = level(&line_b, &n) else { return false };
        let line_a = match &self.a {
            Part::Polytope(polytope) => edge_along(*polytope, &n, &along),
            part => match part.facing(&n) {
                Patch::Line(line) => level(&line, &n).map(|_| line),
                _ => None,
            },
        };
        let Some(line_a) = line_a else { return false };
        facing(&Patch::Line(line_a), &Patch::Line(line_b), &n, self.margin, manifold);
        manifold.gap = distance - separation.error_bound;
        manifold.count == 2 && manifold.deepest() <= distance + self.slack(distance)
    }
}

/// The separation of overlapping cores with its direction found more exactly.
///
/// EPA ends when the depth is known to the rounding of `f32`. On a curved surface the depth is level to first order, so its
/// direction is good to the square root of that only: 4e-4 rad. GJK on the cores moved apart along that direction, by the
/// depth and as much again, gives one whose error is smaller by about the ratio of the depth to the radius of curvature.
fn polished(separation: Separation, (a, b): (&Core<'_>, &Core<'_>), pose: &RelativePose) -> Separation {
    let depth = -separation.distance;
    if depth <= 0.0 {
        return separation;
    }
    let scale = separation.point_a.norm() + pose.translation.norm();
    let shift = separation.normal * (2.0 * depth + MOVED_APART * scale);
    let moved = RelativePose::new(pose.translation + shift, pose.rotation);
    let Proximity::Separated(closest) = distance(a, b, &moved, Real::INFINITY, &mut GjkSeed::default())
    else {
        return separation;
    };
    let point_b = closest.point_b - shift;
    let along = (point_b - closest.point_a).dot(&closest.normal);
    // Another side of the surface may be nearer once they are moved: not what was asked for.
    if along < separation.distance - separation.error_bound - 1.0e-6 * scale {
        return separation;
    }
    Separation { normal: closest.normal, distance: along, point_a: closest.point_a, point_b, ..separation }
}

/// Direction of a line that lies in the plane square to `n`, nearly.
fn level(line: &Line, n: &Vector3) -> Option<Vector3> {
    let (along, _) = unit(&(line.ends[1] - line.ends[0]))?;
    (along.dot(n).abs() < LEVEL_SINE).then_some(along)
}

/// The edge of a polytope farthest along `n` of those that go along `along`, if no point is farther.
fn edge_along(polytope: &dyn Polytope, n: &Vector3, along: &Vector3) -> Option<Line> {
    let highest = -polytope.lowest(&-n).1;
    let mut best: Option<([Vector3; 2], Real)> = None;
    for e in 0..polytope.edge_count() {
        let ends = polytope.edge(e).vertices.map(|v| polytope.vertex(v as usize));
        let Some((direction, length)) = unit(&(ends[1] - ends[0])) else { continue };
        let height = n.dot(&ends[0]).max(n.dot(&ends[1]));
        let is_along = direction.cross(along).norm_squared() < PARALLEL_SINE_SQUARED;
        if is_along
            && direction.dot(n).abs() < LEVEL_SINE
            && height >= highest - EDGE_DROP * length
            && best.is_none_or(|(_, h)| height > h)
        {
            best = Some((ends, height));
        }
    }
    best.map(|(ends, _)| Line { ends, radii: [0.0; 2], names: [0, 1] })
}
