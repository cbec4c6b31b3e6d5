//! What comes along a way through a surface: rays and moving shapes, stretch by stretch.

use super::super::cast::{ShapeHit, Sweep, SweptPose, size, sweep};
use super::super::ray::Met;
use super::super::side::{Side, frame_beside};
use super::{box_in, extents, search};
use crate::Shape;
use crate::shape::{MAX_FIELD_SIDE, Surface};
use drystone_math::{Displacement, Pose, Position, Vector3, widen};

/// Stretches of a way through a mesh, at most: each is a search of its tree.
const STRETCHES: f64 = 64.0;
/// Cells of a height field to a stretch. Aslant over `n` cells, stretches of `c` look at `n / c` squares of `c + 3` cells, which is 12 for each of the `n`
/// with 3 or 4; as many stretches over any field would look at a share of all `n²`.
const CELLS: f64 = 4.0;

/// A way through a surface, in the frame of that.
struct Way {
    /// Where it begins and ends: fractions of a motion, or m along a ray.
    span: [f64; 2],
    /// How many stretches of it are looked at, one after the other.
    count: u32,
    /// Lower and upper corner of the box around what moves, m, seen from its place.
    around: [Displacement; 2],
}

impl Way {
    /// The first of what `meet` finds on the way, with where in the span: of what is met at once that of the triangle seen first. `place` is where
    /// that is which moves, m. Ends with the first stretch in which something was met.
    fn first<M: Copy>(
        &self,
        surface: &Surface<'_>,
        place: impl Fn(f64) -> Displacement,
        mut meet: impl FnMut(&[Vector3; 3]) -> Option<(f64, M)>,
    ) -> Option<M> {
        let ([begin, end], [low, high]) = (self.span, &self.around);
        let step = (end - begin) / f64::from(self.count);
        let mut best: Option<(f64, M)> = None;
        let mut to = place(begin);
        for k in 1..=self.count {
            let over = begin + step * f64::from(k);
            let from = std::mem::replace(&mut to, place(over));
            search(surface, &(from.inf(&to) + low), &(from.sup(&to) + high), |corners| {
                if let Some(found) = meet(corners)
                    && best.is_none_or(|best| found.0 < best.0)
                {
                    best = Some(found);
                }
            });
            if best.is_some_and(|(at, _)| at <= over) {
                break;
            }
        }
        best.map(|(_, found)| found)
    }
}

/// How many stretches are made of a way that goes as far as `way` along the axes (m), for what is `size` (m) large: none shorter than that, since each meets
/// once more what is around it then. Of a mesh at most [`STRETCHES`], of a height field one for [`CELLS`] cells.
fn stretch_count(surface: &Surface<'_>, way: &Displacement, size: f64) -> u32 {
    let most = match surface {
        Surface::Mesh(_) => STRETCHES,
        Surface::Field(field) => {
            let [x, z] = field.cell().map(f64::from);
            ((way.x / x).abs().max((way.z / z).abs()) / CELLS).ceil().min(MAX_FIELD_SIDE as f64)
        }
    };
    (way.norm() / size.max(f64::MIN_POSITIVE)).ceil().min(most).max(1.0) as u32
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
pub(in super::super) fn meet(
    surface: &Surface<'_>,
    o: &Displacement,
    d: &Displacement,
    end: f64,
) -> Option<Met> {
    let [low, high] = extents(surface);
    // Flat surfaces have flat boxes; rounding must not miss them.
    let slack = Displacement::repeat(1e-6 * f64::from(surface.radius()));
    let span = stretch_in(&[low - slack, high + slack], o, d, end)?;
    let [enter, leave] = span;
    // Looked at from where the ray enters the box: of volumes about an origin far away rounding leaves nothing.
    let entry = o + d * enter;
    let way =
        Way { span, count: stretch_count(surface, &(d * (leave - enter)), 0.0), around: [-slack, slack] };
    way.first(
        surface,
        |at| entry + d * (at - enter),
        |corners| {
            let met = meet_triangle(&corners.map(|v| widen(&v)), &entry, d)?;
            let distance = enter + met.distance;
            (0.0..=end).contains(&distance).then_some((distance, Met { distance, ..met }))
        },
    )
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

/// Which of a convex shape and a surface moves, while the other one rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Mover {
    /// The shape.
    Shape,
    /// The surface.
    Surface,
}

impl Mover {
    /// When the shape and a triangle of the surface first are `target` (m) apart. A is what moves.
    fn sweep(self, shape: &Sweep<'_>, triangle: &Sweep<'_>, target: f64) -> Option<ShapeHit> {
        match self {
            Self::Shape => sweep(shape, triangle, target),
            Self::Surface => sweep(triangle, shape, target),
        }
    }
}

/// When `shape`, at `from`, and a surface, at `at`, of which one moves by `way` (m, world) without turning, first touch. A is what moves.
pub(in super::super) fn cast(
    (shape, side, from): (&Shape, Side<'_>, &Pose),
    (surface, at): (&Surface<'_>, &Pose),
    way: &Displacement,
    mover: Mover,
) -> Option<ShapeHit> {
    let origin: Position = from.translation;
    let (frame, frame_of_surface) = (frame_beside(from, &origin), frame_beside(at, &origin));
    let around = box_in(&frame_of_surface, shape, &frame);
    // Seen from the surface, it is always the shape that moves.
    let [way_of_shape, way_of_surface] = match mover {
        Mover::Shape => [*way, Displacement::zeros()],
        Mover::Surface => [Displacement::zeros(), *way],
    };
    let local_way = frame_of_surface.turn_back(&(way_of_shape - way_of_surface));
    let ([low, high], [surface_low, surface_high]) = (around, extents(surface));
    // The origin of the box around the shape meets the box of the surface grown by it.
    let span =
        stretch_in(&[surface_low - high, surface_high - low], &Displacement::zeros(), &local_way, 1.0)?;
    let count = stretch_count(surface, &(local_way * (span[1] - span[0])), (high - low).max());
    let moving = Sweep::straight(side, size(shape), from, way_of_shape);
    Way { span, count, around }.first(
        surface,
        |fraction| local_way * fraction,
        |corners| {
            let triangle =
                Sweep::straight(Side::triangle(corners), f64::from(surface.radius()), at, way_of_surface);
            let hit = mover.sweep(&moving, &triangle, 0.0)?;
            Some((hit.fraction, hit))
        },
    )
}

/// When a convex side and a surface, of which both may move and turn, first are `target` (m) apart; `mover` says which of them is A. Triangles
/// are met from their front alone, as in contacts.
///
/// Seen from the surface, the centre of the shape moves along a line where the surface does not turn. Where it does, the centre leaves the way between
/// the ends of a stretch by no more than twice what the surface turns by meanwhile, at the largest distance of both centres.
pub(in super::super) fn cast_turning(
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
    let way = (local(1.0) - local(0.0)).abs().add_scalar(bulge);
    // The way is not cut to the box of the surface, so its length is bounded by nothing.
    let count = stretch_count(surface, &way, shape.reach()).min(STRETCHES as u32);
    let reach = shape.reach() * (1.0 + 1e-6) + target + bulge / f64::from(count);
    let around = [-reach, reach].map(Displacement::repeat);
    Way { span: [0.0, 1.0], count, around }.first(surface, local, |corners| {
        let hit = mover.sweep(shape, &Sweep::of(Side::triangle(corners), of_surface, motion), target)?;
        let [a, b, c] = corners.map(|corner| widen(&corner));
        let front = sheet.frame(hit.fraction, &origin).turn(&(b - a).cross(&(c - a)));
        let along = widen(&hit.normal).dot(&front);
        let is_from_front = if mover == Mover::Shape { along < 0.0 } else { along > 0.0 };
        is_from_front.then_some((hit.fraction, hit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of `n` by `n` cells of 1 m, whose heights go up and down so that the box of every triangle holds the height 0.
    fn rough(n: usize) -> Shape {
        let heights: Vec<_> = (0..(n + 1) * (n + 1)).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
        Shape::height_field(n + 1, n + 1, &heights, [1.0, 1.0]).expect("a field")
    }

    /// What `way` (m) from `start` is held against, of something as large as `size` around it.
    fn looked_at(shape: &Shape, start: Displacement, way: Displacement, size: f64) -> usize {
        let (surface, mut count) = (shape.surface().expect("a surface"), 0);
        let around = [-0.5, 0.5].map(|share| Displacement::repeat(share * size));
        let ways = Way { span: [0.0, 1.0], count: stretch_count(&surface, &way, size), around };
        let met = ways.first(
            &surface,
            |at| start + way * at,
            |_| {
                count += 1;
                None::<(f64, ())>
            },
        );
        assert_eq!(met, None);
        count
    }

    /// The triangles looked at grow with the side of a field, not with its area.
    #[test]
    fn ways_aslant_over_a_field_look_at_what_is_near_them() {
        for n in [250_usize, 500, 1000] {
            let half = n as f64 * 0.5;
            let (start, way) = (Displacement::new(-half, 0.0, -half), Displacement::new(1.0, 0.0, 1.0));
            let count = looked_at(&rough(n), start, way * (2.0 * half), 0.0);
            // On the way itself are 2 n of them.
            assert!((2 * n..24 * n).contains(&count), "{count} of {n} cells by {n}");
        }
    }

    /// What goes nowhere, or less far than it is large, is held against what is around it once; not 64 times.
    #[test]
    fn short_ways_look_at_each_triangle_once() {
        let field = rough(20);
        let surface = field.surface().expect("a surface");
        let mut corners = Vec::new();
        surface.search(&Vector3::repeat(-1e3), &Vector3::repeat(1e3), |_, found| corners.extend(*found));
        let indices: Vec<_> = (0..corners.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let mesh = Shape::mesh(&corners, &indices).expect("a mesh");
        for shape in [&field, &mesh] {
            let start = Displacement::new(0.5, 0.0, 0.5);
            let at_rest = looked_at(shape, start, Displacement::zeros(), 2.5);
            assert_eq!(at_rest, 18, "of 3 cells by 3, two each");
            assert_eq!(looked_at(shape, start, Displacement::new(0.05, 0.0, 0.0), 2.5), at_rest);
            // A stretch and the next one have what is as large as both in common.
            let long = looked_at(shape, start - Displacement::x() * 9.0, Displacement::x() * 18.0, 2.5);
            assert!(long < 3 * (20 * 3 * 2), "{long} on a way of 18 m, 3 cells wide");
        }
        assert_eq!(stretch_count(&mesh.surface().expect("a mesh"), &Displacement::repeat(1e9), 2.5), 64);
    }
}
