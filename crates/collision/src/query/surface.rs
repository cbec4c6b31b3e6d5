//! Queries of meshes and height fields: triangle by triangle, of those near.
//!
//! Rays and moving shapes look along their way in stretches, and stop after the first one in which they met something (`way`); what is nearest is
//! looked for nearby first. So costs follow the triangles near by, not those of the surface.
//!
//! Surfaces have two sides for queries: what comes from behind is met too, with the normal on its side. They have no inside, so nothing
//! is contained, and a shape overlaps as deep as it would have to be moved, either way, to leave the triangle that it cuts deepest.

mod way;

pub(super) use way::{Mover, cast, cast_turning, meet};

use super::side::{Apart, Gap, Side, depth_in_triangle, frame_in, gap, loosened};
use crate::Shape;
use crate::narrow::gjk::GjkSeed;
use crate::shape::{Frame, Surface};
use drystone_math::{Displacement, Real, Vector3, narrow, widen};

/// How much farther a search for the nearest looks each time.
const WIDER: f64 = 4.0;
/// How often at most before it looks everywhere: a height field is 2^15 cells wide, and 4^24 are more.
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

/// About how far the triangles of a surface reach, m: the shorter side of a cell, or what it is where those of a mesh lie evenly on a square.
fn grain(surface: &Surface<'_>) -> f64 {
    match surface {
        Surface::Field(field) => f64::from(field.cell()[0].min(field.cell()[1])),
        Surface::Mesh(mesh) => {
            let [low, high] = extents(surface);
            (high - low).norm() / (mesh.triangles().len() as f64).sqrt()
        }
    }
}

/// The nearest of what `measure` tells the signed distance of, m, up to `limit`, around the box from `low` to `high` (m). `measure` may leave
/// out what is farther than it is told. What overlaps has its box near by, so that limits below 0 look no less far than 0.
///
/// Looks as far as the box of the surface is away and the [`grain`] of its triangles farther, then [`WIDER`] until something is there; what is found
/// says how far anything nearer may be.
fn nearest<T: Copy>(
    surface: &Surface<'_>,
    [low, high]: [Displacement; 2],
    limit: f64,
    mut measure: impl FnMut(&[Vector3; 3], f64) -> Option<(f64, T)>,
) -> Option<(f64, T)> {
    let [surface_low, surface_high] = extents(surface);
    let apart = (surface_low - high).sup(&(low - surface_high)).map(|x| x.max(0.0)).norm();
    if apart > limit.max(0.0) {
        return None;
    }
    let whole = (surface_high - surface_low).norm() + (high - low).norm();
    let farthest = limit.max(0.0).min(apart + whole);
    let mut radius = apart + grain(surface);
    for widening in 0..=WIDENINGS {
        radius = if widening < WIDENINGS { radius.min(farthest) } else { farthest };
        let reach = Displacement::repeat(radius);
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
        match best {
            _ if radius >= farthest => return best,
            Some((distance, _)) if distance <= radius => return best,
            Some((distance, _)) => radius = distance,
            None => radius *= WIDER,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A centimetre above a field of a million cells, and above a mesh of as fine triangles, the triangles around are looked at and not a share of all.
    #[test]
    fn the_nearest_is_found_among_the_triangles_near_by() {
        let flat = |n: usize| {
            Shape::height_field(n + 1, n + 1, &vec![0.0; (n + 1) * (n + 1)], [1.0, 1.0]).expect("a field")
        };
        let (field, part) = (flat(1024), flat(128));
        let mut corners = Vec::new();
        let all = Vector3::repeat(1e3);
        part.surface().expect("a field").search(&-all, &all, |_, found| corners.extend(*found));
        let indices: Vec<_> = (0..corners.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let mesh = Shape::mesh(&corners, &indices).expect("a mesh");
        for shape in [&field, &mesh] {
            for height in [0.01, 1.5, -1.5] {
                let p = Displacement::new(0.3, height, 0.2);
                let mut looked_at = 0;
                let found =
                    nearest(&shape.surface().expect("it is one"), [p, p], f64::INFINITY, |corners, _| {
                        looked_at += 1;
                        Some(((p - nearest_on_triangle(&corners.map(|v| widen(&v)), &p)).norm(), ()))
                    });
                assert!((found.expect("it is near").0 - height.abs()).abs() < 1e-12);
                // No farther than 2.5 m to either side, in cells of two.
                assert!(looked_at <= 2 * 6 * 6, "{looked_at} triangles, {height} m above");
            }
        }
    }
}
