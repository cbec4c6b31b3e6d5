//! A look at one pair: its manifold of this step, found anew or carried along.
//!
//! A full look asks the narrow phase and keeps, beside the points, where each of them lies on B. As long as no
//! point of the two surfaces has moved relative to the other by more than a tolerance since, the points stay on
//! both surfaces, and distances and arms follow from the poses of this step, exact to first order in the
//! motion: a turn of the normal changes a distance by its product with the slip, both below the tolerance.
//!
//! What approaches fast is looked at with a margin that covers the approach of the step
//! ([`DetectionConfig::look_ahead`]). Margins are the least one times a power of two, so that a pair keeps its margin, and
//! what was found with it, while its speed changes a little.

use crate::DetectionConfig;
use crate::world::{Collider, Colliders};
use drystone_collision::Shape;
use drystone_collision::narrow::{LocalManifold, NarrowStatus, PairCache, contact};
use drystone_contact::{
    Bodies, BodyHot, BodyIndex, BodyView, Edge, MAX_POINTS, Manifold, PointGeometry, StepParams,
};
use drystone_math::{Pose, Real, RelativePose, Vector3, narrow, widen};

/// Share of the approach that a point may be farther than its own closing speed says: other contacts of the step
/// change velocities.
const UNFORESEEN: Real = 0.125;
/// Speed beyond which nothing is looked ahead, m/s.
const FASTEST: Real = 1e6;
/// Margin, in units of the one that is needed, above which a pair gets a smaller one.
const TOO_LARGE: Real = 4.0;

/// What is remembered of a pair between steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairMemory {
    /// Pose of B's collider seen from A's at the last full look.
    pose: RelativePose,
    margin: Real,
    is_known: bool,
    local: LocalManifold,
    /// Where the points lie on B, m, frame of B's collider.
    on_b: [Vector3; MAX_POINTS],
    cache: PairCache,
}

impl Default for PairMemory {
    fn default() -> Self {
        Self {
            pose: RelativePose::IDENTITY,
            margin: 0.0,
            is_known: false,
            local: LocalManifold::default(),
            on_b: [Vector3::zeros(); MAX_POINTS],
            cache: PairCache::default(),
        }
    }
}

/// What a look at a pair found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) is_skipped: bool,
    /// Skipped although it moved.
    pub(super) is_carried: bool,
    pub(super) is_limited: bool,
    /// The graph must be told.
    pub(super) is_news: bool,
}

/// What looks at pairs share.
pub(super) struct Context<'a> {
    bodies: BodyView<'a>,
    colliders: &'a Colliders,
    /// Margin of pairs that do not approach, m.
    base: Real,
    /// Motion of a pair up to which points are carried along, m.
    tolerance: Real,
    /// `g dt²`, m: approach that gravity adds in a step.
    unit: Real,
    /// Time that margins cover ahead, s.
    ahead: Real,
}

/// Pose of a collider for a look at its pair with something at `other`. A half-space is moved along its plane
/// to beside it: the same half-space, whose origin is near however far it was.
#[inline]
fn near(collider: &Collider, other: &Pose) -> Pose {
    let Shape::HalfSpace { normal } = &collider.shape else { return collider.pose };
    let n = widen(&(collider.pose.rotation * normal));
    let way = other.translation - collider.pose.translation;
    collider.pose.translated(&(way - n * (n.dot(&way) / n.norm_squared())))
}

impl<'a> Context<'a> {
    pub(super) fn new(
        bodies: &'a Bodies,
        colliders: &'a Colliders,
        config: &DetectionConfig,
        step: &StepParams,
    ) -> Self {
        let unit = step.length_unit();
        Self {
            bodies: bodies.view(),
            colliders,
            base: config.contact_margin * unit,
            tolerance: config.coherence_tolerance * unit,
            unit,
            ahead: config.look_ahead * step.dt,
        }
    }

    /// Looks at a pair and renews its manifold.
    pub(super) fn look(&self, memory: &mut PairMemory, edge: &mut Edge) -> Seen {
        let [a, b] = edge.colliders().map(|c| self.colliders.get(c.index));
        let poses = [near(a, &b.pose), near(b, &a.pose)];
        let pose = poses[0].relative(&poses[1]);
        let reach = self.reach(a, b);
        let margin = self.margin(reach, memory.margin);
        let is_valid = memory.is_known && memory.margin == margin;
        let is_unmoved = is_valid && memory.pose == pose;
        let is_carried = is_valid && !is_unmoved && self.stays(memory, &pose, a, b);

        let mut seen = Seen { is_skipped: is_unmoved || is_carried, is_carried, ..Seen::default() };
        if !seen.is_skipped {
            let status = contact(
                &a.shape,
                &b.shape,
                &pose,
                margin + self.tolerance,
                &mut memory.cache,
                &mut memory.local,
            );
            seen.is_limited = status == NarrowStatus::RoundLimit;
            (memory.pose, memory.margin, memory.is_known) = (pose, margin, true);
            if self.tolerance > 0.0 {
                memory.anchor();
            }
        }
        let manifold = &mut edge.manifold;
        let before = manifold.points().len();
        if before == 0 && memory.local.points().is_empty() {
            // A pair that was and stays apart has nothing to tell.
            return seen;
        }
        // Both arms from positions in f64: the arm of a body is exact however far the other's centre is.
        let centers = [a.body, b.body].map(|i| &self.bodies.pose[i.get()]);
        let offsets = centers.map(|center| narrow(&(poses[0].translation - center.translation)));
        let mut places = [PointGeometry::default(); MAX_POINTS];
        let normal = poses[0].rotation * memory.local.normal;
        let count = memory.local.points().len();
        if is_carried {
            memory.carry(&poses, &normal, &offsets, &mut places);
        } else {
            for (place, point) in places.iter_mut().zip(memory.local.points()) {
                let arm = poses[0].rotation * point.point;
                *place = PointGeometry {
                    arm_a: arm + offsets[0],
                    arm_b: arm + offsets[1],
                    distance: point.distance,
                    feature: point.feature,
                };
            }
        }
        let count = if margin > self.base {
            self.keep_near(manifold, &normal, &mut places[..count], reach)
        } else {
            count
        };
        manifold.renew(&normal, &places[..count]);
        let is_awake = |body: BodyIndex| self.bodies.awake.contains(body.0);
        seen.is_news = before != count || !(is_awake(a.body) && is_awake(b.body));
        seen
    }

    /// How far the surfaces of a pair can approach each other in the time looked ahead, m, gravity aside. Either
    /// body may be stopped on the way by a third one, so that its own velocity does not count.
    #[inline]
    fn reach(&self, a: &Collider, b: &Collider) -> Real {
        if self.ahead == 0.0 {
            return 0.0;
        }
        let [hot_a, hot_b] = self.hot(a.body, b.body);
        let between = (hot_b.linear - hot_a.linear).norm_squared();
        let fastest = between.max(hot_a.linear.norm_squared()).max(hot_b.linear.norm_squared());
        // Faster than that is no motion but an accident: it must not reach what it does not touch.
        if fastest < FASTEST * FASTEST { fastest.sqrt() * self.ahead + a.turn + b.turn } else { 0.0 }
    }

    /// Margin of a pair that had the margin `before`, m.
    #[inline]
    fn margin(&self, reach: Real, before: Real) -> Real {
        if self.ahead == 0.0 {
            return self.base;
        }
        let needed = (reach + self.unit).max(self.base);
        if needed <= before && before <= TOO_LARGE * needed {
            return before;
        }
        let least = self.base.max(self.unit);
        if needed <= self.base { self.base } else { least * next_power_of_two(needed / least) }
    }

    /// True when nothing of the two surfaces that is near the other has moved by more than the tolerance since the
    /// last full look.
    #[inline]
    fn stays(&self, memory: &PairMemory, pose: &RelativePose, a: &Collider, b: &Collider) -> bool {
        // What lies near A is at most so far from B's origin.
        let beside = a.radius + memory.margin + pose.translation.norm();
        self.tolerance > 0.0 && memory.pose.motion_bound(pose, b.radius.min(beside)) <= self.tolerance
    }

    /// Keeps the points that are within the least margin or may come together in the step; returns their number.
    fn keep_near(
        &self,
        manifold: &Manifold,
        normal: &Vector3,
        places: &mut [PointGeometry],
        reach: Real,
    ) -> usize {
        let [a, b] = self.hot(manifold.body_a, manifold.body_b);
        let mut count = 0;
        for k in 0..places.len() {
            let place = places[k];
            let along = [a.velocity_at(&place.arm_a), b.velocity_at(&place.arm_b)].map(|v| normal.dot(&v));
            // Of both, and of either one while the other is stopped by a third.
            let closing = (along[0] - along[1]).max(along[0]).max(-along[1]).max(0.0);
            let limit = self.unit + closing * self.ahead + UNFORESEEN * reach;
            if place.distance <= limit.max(self.base) {
                places[count] = place;
                count += 1;
            }
        }
        count
    }

    #[inline]
    fn hot(&self, a: BodyIndex, b: BodyIndex) -> [&BodyHot; 2] {
        [a, b].map(|i| &self.bodies.hot[i.get()])
    }
}

impl PairMemory {
    /// Marks where the points lie on B.
    fn anchor(&mut self) {
        let n = self.local.normal;
        for (on_b, point) in self.on_b.iter_mut().zip(self.local.points()) {
            *on_b = self.pose.inverse_transform_point(&(point.point + n * (0.5 * point.distance)));
        }
    }

    /// Places of the points with the surfaces where they are now; `offsets` lead from the centres of mass to the
    /// origin of A's collider.
    #[inline]
    fn carry(
        &self,
        poses: &[Pose; 2],
        normal: &Vector3,
        offsets: &[Vector3; 2],
        places: &mut [PointGeometry],
    ) {
        let [turn_a, turn_b] = poses.map(|p| p.rotation.to_rotation_matrix());
        let between = narrow(&(poses[1].translation - poses[0].translation));
        for ((place, point), on_b) in places.iter_mut().zip(self.local.points()).zip(&self.on_b) {
            let on_a = turn_a * point.point - normal * (0.5 * point.distance);
            let on_b = turn_b * on_b + between;
            let arm = (on_a + on_b) * 0.5;
            *place = PointGeometry {
                arm_a: arm + offsets[0],
                arm_b: arm + offsets[1],
                distance: normal.dot(&(on_b - on_a)),
                feature: point.feature,
            };
        }
    }
}

/// The smallest power of two that is not below `x`, for `x` of at least 1.
#[inline]
fn next_power_of_two(x: Real) -> Real {
    // Adding all bits of the fraction carries into the exponent unless they are all zero.
    Real::from_bits((x.min(1.0e30).to_bits() + 0x007F_FFFF) & 0xFF80_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_rounded_up() {
        for (x, power) in [(1.0, 1.0), (1.5, 2.0), (2.0, 2.0), (2.000_001, 4.0), (1000.0, 1024.0)] {
            assert_eq!(next_power_of_two(x), power);
        }
        assert!(next_power_of_two(Real::INFINITY).is_finite());
    }
}
