//! Whether two moving shapes stay apart, told from an axis: most of those that are asked about do, and need no search.
//!
//! In: what a cast is asked. Out: a proof that it finds nothing, or nothing. Start reading at [`stay_apart`].

use super::cast::{MAX_CAST_ROUNDS, MotionCast, SweptPose, size};
use crate::Shape;
use crate::shape::Frame;
use drystone_math::{Displacement, narrow, widen};

/// Part of the sizes of two shapes by which they must be apart: ten times what counts as touching, which is more than the rounding of `f32`, in
/// which rotations are blended and reaches told.
const MARGIN: f64 = 1.0e-5;
/// Rounding of a place in the world, as a part of its coordinates.
const PLACE_ROUNDING: f64 = 16.0 * f64::EPSILON;
/// Part of the fastest approach by which they must be apart: a cast goes on by at least as much each round, and is through before its rounds end.
const STEP: f64 = 2.0 / MAX_CAST_ROUNDS as f64;

/// True only where a cast of two sides finds nothing ([`cast_sides`](super::cast::cast_sides)).
///
/// Why it holds: along a unit axis `n` from B to A that stays as it is they begin apart by
/// ```text
/// gap = n·(a - b) - reach of A along -n - reach of B along n
/// ```
/// with their origins `a` and `b`. Until any fraction of the motion this loses at most `max(0, -n·(way of A - way of B))` and what turning carries
/// points of both. No distance is less than such a gap, so all the way they are farther apart than is needed here. That is more than the target,
/// so a cast never sees them touch; and since it goes on each time by what is free above the target over the fastest approach, which is [`STEP`] or
/// more, it reaches the end before its rounds do. What is eroded reaches less far by at least the erosion: a box by as much along each of its axes,
/// what has a radius by just that, and a core made smaller about its centre by a share of its reach from there, which nowhere is less than the
/// radius of which the erosion is that share.
///
/// Asked is one axis of each: of a box the normal of the face that the other one is farthest outside of, of a half-space its own, and else the line
/// between the origins. No for what is not made of numbers. O(1), of a hull O(vertices).
pub(super) fn stay_apart(cast: &MotionCast<'_>) -> bool {
    let [a, b] = [0, 1].map(|k| Mover::of(cast.shapes[k], &cast.motions[k], cast.erosion[k]));
    let offset = cast.motions[0].from.translation - cast.motions[1].from.translation;
    let approach = a.way - b.way;
    let turned = a.turned + b.turned;
    let needed = cast.target
        + STEP * (approach.norm() + 2.0 * turned)
        + MARGIN * (a.size + b.size)
        + PLACE_ROUNDING * (a.farthest + b.farthest);
    let parts_from = |own: &Mover<'_>, other: &Mover<'_>, away: &Displacement, way: &Displacement| {
        let (axis, reach) = own.axis(away);
        let gap = axis.dot(away) - reach - other.reach(&-axis);
        gap + axis.dot(way).min(0.0) - turned > needed
    };
    parts_from(&b, &a, &offset, &approach) || parts_from(&a, &b, &-offset, &-approach)
}

/// A shape that moves.
struct Mover<'a> {
    shape: &'a Shape,
    /// Where it begins, around its own origin.
    frame: Frame,
    erosion: f64,
    /// Way of its origin, m.
    way: Displacement,
    /// How far its points leave that way at most, m.
    turned: f64,
    /// How far it reaches from its origin, without end taken for 0, and what its centre adds to that and to its way, m.
    size: f64,
    /// Farthest from the origin of the world, m.
    farthest: f64,
}

impl<'a> Mover<'a> {
    fn of(shape: &'a Shape, motion: &SweptPose, erosion: f64) -> Self {
        let (a, b) = (motion.from.rotation.coords, motion.to.rotation.coords);
        let (start, way) = (motion.from.translation, motion.to.translation - motion.from.translation);
        let arm = widen(&motion.center).norm();
        // The chord between the quaternions is twice the sine of a quarter of the angle. Turning carries a point by no more than twice the chord
        // times its distance from the centre, and the origin as well. Half-spaces are carried without bound.
        let chord = || f64::from((a - b).norm().min((a + b).norm()));
        let radius = f64::from(shape.bounding_radius());
        let turned = if a == b { 0.0 } else { 2.0 * chord() * (radius + 2.0 * arm) };
        Self {
            shape,
            frame: Frame::of_rotation(&motion.from.rotation),
            erosion,
            way,
            turned,
            size: size(shape) + 2.0 * arm,
            farthest: start.coords.norm() + way.norm(),
        }
    }

    /// A unit axis along which another shape, so far from its origin, may be apart from it; and how far it reaches along that.
    fn axis(&self, to: &Displacement) -> (Displacement, f64) {
        match self.shape {
            Shape::Box { half_extents } => {
                let (local, half) = (self.frame.turn_back(to), widen(half_extents));
                let outside = local.abs() - half;
                // Not `imax`, which asks what is no number.
                let beside = if outside.y > outside.x { (1, outside.y) } else { (0, outside.x) };
                let (k, axis) = match beside {
                    (_, most) if outside.z > most => (2, self.frame.z),
                    (1, _) => (1, self.frame.y),
                    _ => (0, self.frame.x),
                };
                (if local[k] < 0.0 { -axis } else { axis }, half[k] - self.erosion)
            }
            Shape::HalfSpace { normal } => (self.frame.turn(&widen(normal)), 0.0),
            _ => {
                let line = to.normalize();
                (line, self.reach(&line))
            }
        }
    }

    /// How far it reaches along a unit axis at most, m; infinite for half-spaces.
    fn reach(&self, axis: &Displacement) -> f64 {
        f64::from(self.shape.reach(&narrow(&self.frame.turn_back(axis)))) - self.erosion
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::cast::cast_sides;
    use drystone_math::{Pose, Position, Rotation, Vector3};
    use proptest::prelude::*;

    fn unit() -> impl Strategy<Value = Vector3> {
        prop::array::uniform3(-1.0f32..1.0).prop_map(Vector3::from)
    }

    fn size() -> impl Strategy<Value = f32> {
        (-2.0f32..0.3).prop_map(|x| 10f32.powf(x))
    }

    fn any_shape() -> impl Strategy<Value = Shape> {
        prop_oneof![
            size().prop_map(Shape::sphere),
            prop::array::uniform3(size()).prop_map(|h| Shape::cuboid(Vector3::from(h))),
            (size(), size()).prop_map(|(l, r)| Shape::capsule(l, r)),
            (size(), size()).prop_map(|(h, r)| Shape::cone(h, r)),
            (size(), size()).prop_map(|(h, r)| Shape::cylinder(h, r)),
            (prop::collection::vec(unit(), 5..14), size())
                .prop_map(|(points, s)| Shape::hull(&points.iter().map(|p| p * s).collect::<Vec<_>>())),
            unit().prop_map(Shape::half_space),
        ]
        .prop_filter_map("flat", Result::ok)
    }

    /// Up to a metre or so, often much less, with a turn or without one.
    fn any_motion() -> impl Strategy<Value = SweptPose> {
        let part = || prop_oneof![Just(0.0f32), Just(1.0), (-3.0f32..0.0).prop_map(|x| 10f32.powf(x))];
        (unit(), unit(), (unit(), part()), (unit(), part()), (unit(), 0..2)).prop_map(
            |(place, turn, (way, far), (spin, fast), (center, is_beside))| {
                let turned = Rotation::from_scaled_axis(turn * 3.0);
                let from = Pose::new(Position::from(widen(&(place * 2.0))), turned);
                let to = from.translated(&widen(&(way * far * 2.0)));
                let rotation = Rotation::from_scaled_axis(spin * fast * 2.0) * turned;
                let center = center * 0.3 * is_beside as f32;
                SweptPose { from, to: Pose { rotation, ..to }, center }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

        /// Trusted is the cast by search.
        #[test]
        fn what_stays_apart_is_not_met(
            (a, b) in (any_shape(), any_shape()), motions in prop::array::uniform2(any_motion()),
            shares in prop::array::uniform2(prop_oneof![Just(0.0), 0.0..0.9]), target in prop_oneof![Just(0.0), 0.0..0.1],
        ) {
            let shapes = [&a, &b];
            let erosion = [0, 1].map(|k: usize| shares[k] * f64::from(shapes[k].inner_radius()));
            let cast = MotionCast { shapes, motions, erosion, target };
            if stay_apart(&cast) {
                prop_assert_eq!(cast_sides(&cast), None);
            }
        }
    }

    /// What slides along a wall, sunk into it by less than is eroded, is told to stay apart from it; what flies at it is not.
    #[test]
    fn what_slides_along_a_wall_stays_apart() {
        let [cube, wall] = [[0.1; 3], [3.0, 0.05, 2.0]].map(|h| Shape::cuboid(h.into()).expect("in range"));
        let turn = Rotation::from_euler_angles(0.0, 0.4, 0.0);
        let start = Pose::new(Position::new(0.5, 0.14, -0.3), turn);
        let moves_by =
            |way: [f64; 3]| SweptPose { to: start.translated(&way.into()), ..SweptPose::resting(start) };
        let is_apart = |way, erosion| {
            let motions = [moves_by(way), SweptPose::resting(Pose::IDENTITY)];
            stay_apart(&MotionCast { shapes: [&cube, &wall], motions, erosion, target: 0.0 })
        };
        let [of_cube, of_wall] = [[0.05, 0.0], [0.0, 0.02]];
        assert!(is_apart([0.3, 0.0, 0.2], of_cube) && is_apart([0.3, -0.02, 0.0], of_cube));
        assert!(is_apart([0.0, 1.0, 0.0], of_cube) && is_apart([0.0, -0.005, 0.0], of_wall));
        assert!(!is_apart([0.3, 0.0, 0.2], [0.0; 2]) && !is_apart([0.3, -0.04, 0.0], of_cube));
        assert!(!is_apart([0.0, -0.012, 0.0], of_wall));
    }
}
