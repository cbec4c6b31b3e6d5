//! Queries of meshes and height fields: triangle by triangle, of those near.
//!
//! Rays and moving shapes look along their way in stretches, and stop after the first one in which they met something; what is nearest is
//! looked for nearby first. So costs follow the triangles near by, not those of the surface.
//!
//! Surfaces have two sides for queries: what comes from behind is met too, with the normal on its side. They have no inside, so nothing
//! is contained, and a shape overlaps as deep as it would have to be moved, either way, to leave the triangle that it cuts deepest.

use super::cast::{CastStatus, ShapeHit, Sweep, SweptPose, size, sweep};
use super::ray::Met;
use super::side::{Apart, Gap, Side, depth_in_triangle, frame_beside, frame_in, gap, loosened};
use crate::Shape;
use crate::narrow::gjk::GjkSeed;
use crate::shape::{Frame, Surface};
use drystone_math::{Displacement, Pose, Position, Real, Vector3, narrow, widen};

/// Stretches of a ray or a motion through the box of the surface.
const STRETCHES: u32 = 64;
/// How much farther a search for the nearest looks each time.
const WIDER: f64 = 4.0;
/// How often at most before it looks everywhere.
const WIDENINGS: u32 = 24;
/// Distance, as a part of the size of the coordinates, up to which a point is on a triangle: an offset has six digits left there.
const ON_SURFACE: f64 = 1.0e-10;

/// Lower and upper corner of the box around `surface`, m.
fn extents(surface: &Surface<'_>) -> [Displacement; 2] {
    surface.extents().map(|corner| widen(&corner))
}

/// Visits the triangles whose box meets the one from `low` to `high`, m.
fn search(
    surface: &Surface<'_>,
    low: &Displacement,
    high: &Displacement,
    mut visit: impl FnMut(&[Vector3; 3]),
) {
    let bounded = |v: &Displacement| v.map(|x| x.clamp(-f64::from(Real::MAX), f64::from(Real::MAX)));
    let (low, high) = (narrow(&bounded(low)), narrow(&bounded(high)));
    surface.search(&low.map(Real::next_down), &high.map(Real::next_up), |_, corners| visit(corners));
}

/// The part of the line `o + t d` that lies in a box, `0 <= t <= end`.
fn stretch_in(
    [low, high]: &[Displacement; 2],
    o: &Displacement,
    d: &Displacement,
    end: f64,
) -> Option<[f64; 2]> {
    let (mut enter, mut leave): (f64, f64) = (0.0, end);
    for axis in 0..3 {
        if d[axis] == 0.0 {
            if o[axis] < low[axis] || o[axis] > high[axis] {
                return None;
            }
            continue;
        }
        let (a, b) = ((low[axis] - o[axis]) / d[axis], (high[axis] - o[axis]) / d[axis]);
        (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
    }
    (enter <= leave).then_some([enter, leave])
}

/// Where the ray `o + t d` (m, `d` of length 1) meets a surface first, within `end` (m).
pub(super) fn meet(surface: &Surface<'_>, o: &Displacement, d: &Displacement, end: f64) -> Option<Met> {
    let [low, high] = extents(surface);
    // Flat surfaces have flat boxes; rounding must not miss them.
    let slack = Displacement::repeat(1e-6 * f64::from(surface.radius()));
    let [enter, leave] = stretch_in(&[low - slack, high + slack], o, d, end)?;
    let step = (leave - enter) / f64::from(STRETCHES);
    // Looked at from where the ray enters the box: of volumes about an origin far away rounding leaves nothing.
    let entry = o + d * enter;
    let mut best: Option<Met> = None;
    for k in 0..STRETCHES {
        let [from, to] = [k, k + 1].map(|k| entry + d * (step * f64::from(k)));
        search(surface, &(from.inf(&to) - slack), &(from.sup(&to) + slack), |corners| {
            if let Some(met) = meet_triangle(&corners.map(|v| widen(&v)), &entry, d) {
                let met = Met { distance: enter + met.distance, ..met };
                if met.distance >= 0.0
                    && met.distance <= end
                    && best.is_none_or(|best| met.distance < best.distance)
                {
                    best = Some(met);
                }
            }
        });
        if best.is_some_and(|best| best.distance <= enter + step * f64::from(k + 1)) {
            break;
        }
    }
    best
}

/// Where a line meets a triangle, by the signs of the volumes of its edges with the line: those of a shared edge are equal to the bit, so
/// rays do not pass between neighbours. The distance is negative before `o`, which is to be near the triangle.
fn meet_triangle(corners: &[Displacement; 3], o: &Displacement, d: &Displacement) -> Option<Met> {
    let [a, b, c] = corners.map(|v| v - o);
    let volumes = [b.cross(&c).dot(d), c.cross(&a).dot(d), a.cross(&b).dot(d)];
    let is_front = volumes.iter().all(|&v| v <= 0.0);
    if !is_front && volumes.iter().any(|&v| v < 0.0) {
        return None;
    }
    let sum: f64 = volumes.iter().sum();
    if sum == 0.0 {
        // Along the plane of the triangle.
        return None;
    }
    let at = (a * volumes[0] + b * volumes[1] + c * volumes[2]) / sum;
    let distance = at.dot(d);
    let normal = (b - a).cross(&(c - a));
    let normal = normal / normal.norm().max(f64::MIN_POSITIVE);
    Some(Met { distance, normal: Some(if is_front { normal } else { -normal }) })
}

/// The nearest of what `measure` tells the signed distance of, m, up to `limit`, around the box from `low` to `high` (m). `measure` may leave
/// out what is farther than it is told. What overlaps has its box near by, so that limits below 0 look no less far than 0.
fn nearest<T: Copy>(
    surface: &Surface<'_>,
    [low, high]: [Displacement; 2],
    limit: f64,
    mut measure: impl FnMut(&[Vector3; 3], f64) -> Option<(f64, T)>,
) -> Option<(f64, T)> {
    let [surface_low, surface_high] = extents(surface);
    let apart = (surface_low - high).sup(&(low - surface_high)).map(|x| x.max(0.0)).norm();
    let farthest = limit.max(0.0);
    if apart > farthest {
        return None;
    }
    let whole = (surface_high - surface_low).norm() + (high - low).norm();
    let mut radius = (apart + whole / f64::from(STRETCHES)).min(farthest);
    for widening in 0..=WIDENINGS {
        let is_last = widening == WIDENINGS || radius >= farthest || radius >= apart + whole;
        let reach = Displacement::repeat(if is_last { farthest.min(apart + whole) } else { radius });
        let mut best: Option<(f64, T)> = None;
        search(surface, &(low - reach), &(high + reach), |corners| {
            let end = best.map_or(limit, |(distance, _)| distance);
            if let Some(found) = measure(corners, end)
                && found.0 <= limit
                && best.is_none_or(|(distance, _)| found.0 < distance)
            {
                best = Some(found);
            }
        });
        if is_last || best.is_some_and(|(distance, _)| distance <= radius) {
            return best;
        }
        radius *= WIDER;
    }
    None
}

/// Nearest point, normal towards `p` and distance of a point, all in the frame of the surface, m. On the surface the normal is that of the
/// triangle.
pub(super) fn project(surface: &Surface<'_>, p: &Displacement) -> Option<(Displacement, Displacement, f64)> {
    let found = nearest(surface, [*p, *p], f64::INFINITY, |corners, _| {
        let corners = corners.map(|v| widen(&v));
        let on = nearest_on_triangle(&corners, p);
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let size = corners.iter().map(Displacement::amax).fold(p.amax(), f64::max);
        Some(((p - on).norm(), (on, normal, size)))
    });
    found.map(|(distance, (on, normal, size))| {
        let offset = p - on;
        let front = normal / normal.norm().max(f64::MIN_POSITIVE);
        let normal = match front.dot(&offset) {
            _ if distance > ON_SURFACE * size => offset / distance,
            height if height < 0.0 => -front,
            _ => front,
        };
        (on, normal, distance)
    })
}

/// The point of a triangle nearest to `p`, m.
///
/// Source: Ericson, "Real-Time Collision Detection", section 5.1.5.
fn nearest_on_triangle([a, b, c]: &[Displacement; 3], p: &Displacement) -> Displacement {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let on_edge = |from: &Displacement, way: &Displacement| {
        let t = (p - from).dot(way) / way.norm_squared().max(f64::MIN_POSITIVE);
        from + way * t.clamp(0.0, 1.0)
    };
    let n = ab.cross(&ac);
    let sides = [ab.cross(&(p - a)).dot(&n), bc.cross(&(p - b)).dot(&n), (a - c).cross(&(p - c)).dot(&n)];
    if sides.iter().all(|&s| s >= 0.0) {
        return p - n * ((p - a).dot(&n) / n.norm_squared().max(f64::MIN_POSITIVE));
    }
    let candidates = [on_edge(a, &ab), on_edge(b, &bc), on_edge(c, &(a - c))];
    let nearer = |x: Displacement, y: Displacement| {
        if (y - p).norm_squared() < (x - p).norm_squared() { y } else { x }
    };
    candidates.into_iter().fold(candidates[0], nearer)
}

/// The box around a shape at `at`, in the frame whose pose is `frame`, m.
fn box_in(frame: &Frame, shape: &Shape, at: &Frame) -> [Displacement; 2] {
    let placed = frame_in(frame, at);
    let reach = |axis: usize| {
        let mut unit = Displacement::zeros();
        unit[axis] = 1.0;
        let local = placed.turn_back(&unit);
        let along = |sign: f64| f64::from(shape.reach(&narrow(&(local * sign))));
        (along(1.0), along(-1.0))
    };
    let reaches = [0, 1, 2].map(reach);
    let slack = Displacement::repeat(1e-6 * f64::from(shape.bounding_radius()));
    let high = Displacement::from(reaches.map(|(high, _)| high)) + slack;
    let low = Displacement::from(reaches.map(|(_, low)| -low)) - slack;
    [placed.origin + low, placed.origin + high]
}

/// How far a convex shape and a surface are apart, or how deep the shape cuts the triangle that it cuts deepest, in the frame of the shape,
/// which is A. `None` beyond `limit` (m).
pub(super) fn apart(
    (shape, side): (&Shape, &Side<'_>),
    surface: &Surface<'_>,
    [frame, frame_of_surface]: [&Frame; 2],
    limit: f64,
) -> Option<Gap> {
    let around = box_in(frame_of_surface, shape, frame);
    let b_in_a = frame_in(frame, frame_of_surface);
    let found = nearest(surface, around, limit, |corners, end| {
        let end = loosened(end, &b_in_a, [shape.bounding_radius(), surface.radius()]);
        // Each triangle from the same seed: where the search of the one before ended depends on the limit.
        let seed = &mut GjkSeed::default();
        let found = match gap(side, &Side::triangle(corners), &b_in_a, end, None, seed)? {
            Apart::Near(found) => found,
            Apart::Beyond => return None,
            Apart::Inside => depth_in_triangle(side, corners, &b_in_a)?,
        };
        Some((found.distance, found))
    });
    found.map(|(_, found)| found)
}

/// Whether a convex shape and a surface share a point.
pub(super) fn touches(
    (shape, side): (&Shape, &Side<'_>),
    surface: &Surface<'_>,
    [frame, frame_of_surface]: [&Frame; 2],
) -> bool {
    let around = box_in(frame_of_surface, shape, frame);
    let b_in_a = frame_in(frame, frame_of_surface);
    let mut seed = GjkSeed::default();
    let found = nearest(surface, around, 0.0, |corners, _| {
        match gap(side, &Side::triangle(corners), &b_in_a, 0.0, None, &mut seed)? {
            Apart::Near(found) => Some((found.distance, ())),
            Apart::Inside => Some((0.0, ())),
            Apart::Beyond => None,
        }
    });
    found.is_some()
}

/// Which of a convex shape and a surface moves, while the other one rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mover {
    /// The shape.
    Shape,
    /// The surface.
    Surface,
}

/// When `shape`, at `from`, and a surface, at `at`, of which one moves by `way` (m, world) without turning, first touch. A is what moves.
pub(super) fn cast(
    (shape, side, from): (&Shape, Side<'_>, &Pose),
    (surface, at): (&Surface<'_>, &Pose),
    way: &Displacement,
    mover: Mover,
) -> Option<ShapeHit> {
    let origin: Position = from.translation;
    let (frame, frame_of_surface) = (frame_beside(from, &origin), frame_beside(at, &origin));
    let [low, high] = box_in(&frame_of_surface, shape, &frame);
    // Seen from the surface, it is always the shape that moves.
    let [way_of_shape, way_of_surface] = match mover {
        Mover::Shape => [*way, Displacement::zeros()],
        Mover::Surface => [Displacement::zeros(), *way],
    };
    let local_way = frame_of_surface.turn_back(&(way_of_shape - way_of_surface));
    let mut best: Option<ShapeHit> = None;
    let [surface_low, surface_high] = extents(surface);
    // The origin of the box around the shape meets the box of the surface grown by it.
    let [enter, leave] =
        stretch_in(&[surface_low - high, surface_high - low], &Displacement::zeros(), &local_way, 1.0)?;
    let step = (leave - enter) / f64::from(STRETCHES);
    for k in 0..STRETCHES {
        let [start, end] = [k, k + 1].map(|k| local_way * (enter + step * f64::from(k)));
        search(surface, &(low + start.inf(&end)), &(high + start.sup(&end)), |corners| {
            let a = Sweep::straight(side, size(shape), from, way_of_shape);
            let b = Sweep::straight(Side::triangle(corners), f64::from(surface.radius()), at, way_of_surface);
            let hit = match mover {
                Mover::Shape => sweep(&a, &b, 0.0),
                Mover::Surface => sweep(&b, &a, 0.0),
            };
            if let Some(hit) = hit
                && best.is_none_or(|best| hit.fraction < best.fraction)
            {
                best = Some(hit);
            }
        });
        let is_over = |hit: ShapeHit| hit.fraction <= enter + step * f64::from(k + 1);
        if best.is_some_and(|hit| is_over(hit) || hit.status == CastStatus::StartsOverlapping) {
            break;
        }
    }
    best
}

/// When a convex side and a surface, of which both may move and turn, first are `target` (m) apart; `mover` says which of them is A. Triangles
/// are met from their front alone, as in contacts.
///
/// Seen from the surface, the centre of the shape moves along a line where the surface does not turn. Where it does, the centre leaves the way between
/// the ends of a stretch by no more than twice what the surface turns by meanwhile, at the largest distance of both centres.
pub(super) fn cast_turning(
    shape: &Sweep<'_>,
    (surface, of_surface, motion): (&Surface<'_>, &Shape, &SweptPose),
    mover: Mover,
    target: f64,
) -> Option<ShapeHit> {
    let origin = shape.start();
    let nowhere = [Vector3::zeros(); 3];
    let sheet = Sweep::of(Side::triangle(&nowhere), of_surface, motion);
    let between = |fraction| shape.center_at(fraction, &origin) - sheet.center_at(fraction, &origin);
    let local = |fraction| sheet.frame(fraction, &origin).turn_back(&between(fraction)) + sheet.center();
    let bulge = 2.0 * sheet.turn() * between(0.0).norm().max(between(1.0).norm());
    let way = (between(1.0) - between(0.0)).norm() + bulge;
    let stretches = (way / shape.reach().max(f64::MIN_POSITIVE)).ceil().clamp(1.0, f64::from(STRETCHES));
    let around = Displacement::repeat(shape.reach() * (1.0 + 1e-6) + target + bulge / stretches);
    let mut best: Option<ShapeHit> = None;
    let mut end = local(0.0);
    for k in 1..=stretches as u32 {
        let over = f64::from(k) / stretches;
        let start = std::mem::replace(&mut end, local(over));
        search(surface, &(start.inf(&end) - around), &(start.sup(&end) + around), |corners| {
            let triangle = Sweep::of(Side::triangle(corners), of_surface, motion);
            let hit = match mover {
                Mover::Shape => sweep(shape, &triangle, target),
                Mover::Surface => sweep(&triangle, shape, target),
            };
            let is_from_front = |hit: &ShapeHit| {
                let [a, b, c] = corners.map(|corner| widen(&corner));
                let front = sheet.frame(hit.fraction, &origin).turn(&(b - a).cross(&(c - a)));
                let along = widen(&hit.normal).dot(&front);
                if mover == Mover::Shape { along < 0.0 } else { along > 0.0 }
            };
            if let Some(hit) = hit.filter(is_from_front)
                && best.is_none_or(|best| hit.fraction < best.fraction)
            {
                best = Some(hit);
            }
        });
        if best.is_some_and(|hit| hit.fraction <= over) {
            break;
        }
    }
    best
}
