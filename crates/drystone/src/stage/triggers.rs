//! Trigger volumes: who is inside (S3-12). Tests shapes, not boxes, where detection sees them.

use super::pair::near;
use crate::world::{Collider, World};
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_math::widen;

impl World {
    /// Looks at all pairs of triggers with something that moved, was changed from outside or is new; costs nothing where no
    /// trigger has anything near it.
    pub(super) fn update_triggers(&mut self) {
        if self.logic.triggers.is_empty() {
            return;
        }
        let (bodies, colliders, disturbed) = (&self.bodies, &self.colliders, &self.disturbed);
        self.logic.triggers.update(
            bodies,
            |pair| {
                let moving = pair.colliders.map(|c| colliders.get(c.index).body);
                moving.iter().any(|&body| bodies.is_awake(body) || disturbed.contains(body))
            },
            |pair| {
                let [a, b] = pair.colliders.map(|c| colliders.get(c.index));
                overlap(a, b)
            },
        );
    }
}

/// True when two colliders overlap or touch, up to the rounding of the narrow phase. Remembers nothing, so that the
/// answer depends on where they are alone.
fn overlap(a: &Collider, b: &Collider) -> bool {
    if let (Shape::HalfSpace { normal: n }, Shape::HalfSpace { normal: m }) = (&a.shape, &b.shape) {
        // Two half-spaces share points unless they face away from each other.
        let [n, m] = [widen(&(a.pose.rotation * n)), widen(&(b.pose.rotation * m))];
        let are_opposite = n.cross(&m).norm() <= OPPOSITE && n.dot(&m) < 0.0;
        return !are_opposite || n.dot(&(b.pose.translation - a.pose.translation)) <= 0.0;
    }
    let pose = near(a, &b.pose).relative(&near(b, &a.pose));
    let mut found = LocalManifold::default();
    contact(&a.shape, &b.shape, &pose, 0.0, &mut PairCache::default(), &mut found);
    !found.points().is_empty()
}

/// Sine of the angle, rad, up to which half-spaces count as facing away from each other: a few roundings of `f32`.
const OPPOSITE: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_contact::BodyIndex;
    use drystone_math::{Pose, Real, Rotation, Vector3};

    fn half_space(height: f64, turn: Real) -> Collider {
        Collider {
            shape: Shape::half_space(Vector3::y()).expect("a unit vector"),
            pose: Pose::new([0.0, height, 0.0].into(), Rotation::from_euler_angles(0.0, 0.0, turn)),
            body: BodyIndex(1),
            radius: Real::INFINITY,
        }
    }

    #[test]
    fn half_spaces_overlap_unless_they_face_away_from_each_other() {
        let ground = half_space(0.0, 0.0);
        for (height, turn, is_inside) in [(5.0, 0.0, true), (5.0, 0.1, true), (-5.0, 1.0, true)] {
            assert_eq!(overlap(&ground, &half_space(height, turn)), is_inside, "{height} m, {turn} rad");
        }
        let turn = std::f32::consts::PI;
        assert!(!overlap(&ground, &half_space(1.0, turn)) && overlap(&ground, &half_space(-1.0, turn)));
    }
}
