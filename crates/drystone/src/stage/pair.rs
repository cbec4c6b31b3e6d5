//! A look at one pair: its manifold of this step, found anew or carried along.
//!
//! A full look asks the narrow phase and keeps, beside the points, where each of them lies on B. As long as no
//! point of the two surfaces has moved relative to the other by more than a tolerance since, the points stay on
//! both surfaces, and distances and arms follow from the poses of this step, exact to first order in the
//! motion: a turn of the normal changes a distance by its product with the slip, both below the tolerance. What is round is
//! carried by next to nothing: the point on which it rolls is no place of it, and one that lags behind its centre drives it. (A ball
//! that rolled at 10 mm/s gained speed up to the tolerance per step, 16.4 mm/s.)
//!
//! What approaches fast is looked at with a margin that covers the approach of the step
//! ([`crate::DetectionConfig::look_ahead`]); see `approach.rs`. A pair that is found apart or at rest is not looked at
//! again before that can have changed; see `gate.rs`.

use super::approach::Approach;
use super::gate::Gate;
use super::memory::{Ends, PairMemory, place_all};
use crate::WorldConfig;
use crate::world::{Collider, ColliderMotion, Colliders};
use drystone_collision::Shape;
use drystone_collision::narrow::{
    BoxAxes, LocalManifold, MAX_OFFSET, Margin, NarrowStatus, PairCache, add_facing_points, box_contact,
    contact_within,
};
use drystone_contact::{Bodies, BodyHot, BodyIndex, BodyView, Edge, MAX_POINTS, PointGeometry, StepParams};
use drystone_math::{Pose, Position, Real, RelativePose, Vector3, larger, narrow, prefetch, smaller, widen};

/// What a look at a pair found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) is_skipped: bool,
    /// Skipped although it moved.
    pub(super) is_carried: bool,
    pub(super) is_limited: bool,
    pub(super) news: News,
}

/// What the graph must be told of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum News {
    /// Nothing.
    #[default]
    None,
    /// Its points were renewed, and one of both sleeps or cannot move.
    Renewed,
    /// It has another number of points than before.
    Recounted,
}

/// What is known of a pair before the narrow phase is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glance {
    /// Pose of B's collider seen from A's.
    pub(super) pose: RelativePose,
    /// How far the surfaces can approach in the step, and the margin to look with, m.
    reach: Real,
    margin: Real,
}

impl Default for Glance {
    fn default() -> Self {
        Self { pose: RelativePose::IDENTITY, reach: 0.0, margin: 0.0 }
    }
}

/// How a look ended.
pub(super) enum Look {
    /// The manifold is renewed.
    Done(Seen),
    /// Two boxes (half extents in m): [`Context::look_at_boxes`] must follow.
    Boxes { glance: Glance, half_extents: [Vector3; 2] },
}

/// What looks at pairs share.
pub(super) struct Context<'a> {
    pub(super) bodies: BodyView<'a>,
    pub(super) colliders: &'a Colliders,
    pub(super) approach: Approach,
    /// Whether pairs at rest may go unread. What correction displaces after detection counts as motion, but
    /// methods that move bodies before detection read how far a contact was displaced in this very step.
    pub(super) can_rest: bool,
    /// Whether what is known of a pair may take the place of a look (S3-22).
    pub(super) caches: bool,
    /// Overlap from which only the deepest point counts (S3-24), m; infinite for never.
    reduction: Real,
}

/// What a look found, in world axes.
pub(super) struct Finding {
    pub(super) normal: Vector3,
    /// Shares of the ways of A and of B that count alone.
    pub(super) alone: [Real; 2],
    /// How far the surfaces can approach in the step, and the margin they were looked at with, m.
    pub(super) reach: Real,
    pub(super) margin: Real,
    /// Gap along the normal where the look was a full one, m.
    pub(super) gap: Option<Real>,
}

/// Pose of a collider for a look at its pair with something at `other`. A half-space is moved along its plane
/// to beside it: the same half-space, whose origin is near however far it was.
#[inline]
pub(super) fn near(collider: &Collider, other: &Pose) -> Pose {
    let Shape::HalfSpace { normal } = &collider.shape else { return collider.pose };
    let n = widen(&(collider.pose.rotation * normal));
    let way = other.translation - collider.pose.translation;
    collider.pose.translated(&(way - n * (n.dot(&way) / n.norm_squared())))
}

/// True for shapes that more points than the nearest one may be found for.
#[inline]
fn has_faces(collider: &Collider) -> bool {
    matches!(collider.shape, Shape::Box { .. } | Shape::Hull(_) | Shape::Capsule { .. })
        || collider.shape.frustum().is_some()
}

/// True for shapes that roll.
#[inline]
fn is_round(collider: &Collider) -> bool {
    matches!(
        collider.shape,
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Cone { .. }
    )
}

/// How far two bounded shapes are apart along a unit `axis` (world, from A to B), m; negative when they overlap along
/// it.
fn gap_along(axis: &Vector3, a: &Collider, b: &Collider) -> Real {
    let between = narrow(&(b.pose.translation - a.pose.translation));
    let reach = |c: &Collider, direction: &Vector3| match &c.shape {
        Shape::Sphere { radius } => *radius,
        shape => shape.reach(&c.pose.rotation.inverse_transform_vector(direction)),
    };
    axis.dot(&between) - reach(a, axis) - reach(b, &-axis)
}

/// The two colliders of a pair and how they move.
pub(super) type Pair<'a> = ([&'a Collider; 2], [&'a ColliderMotion; 2]);

impl<'a> Context<'a> {
    pub(super) fn new(
        bodies: &'a Bodies,
        colliders: &'a Colliders,
        config: &WorldConfig,
        step: &StepParams,
    ) -> Self {
        let approach = Approach::new(&config.detection, step);
        let can_rest = !config.correction.enabled || config.detection.look_ahead > 0.0;
        let caches = config.coherence.cache_points;
        let reduction = config.coherence.reduction.map_or(Real::INFINITY, |r| r * step.length_unit());
        Self { bodies: bodies.view(), colliders, approach, can_rest, caches, reduction }
    }

    /// True when the pair is at least as far apart as the gate says, up to rounding.
    #[cfg(debug_assertions)]
    pub(super) fn holds(&self, gate: &Gate) -> bool {
        // Small overlaps may come out as deep ones, through the other side.
        let Some((slots, bound)) = gate.promise(self.colliders.motions()).filter(|(_, gap)| *gap > 0.0)
        else {
            return true;
        };
        let [a, b] = slots.map(|c| self.colliders.get(c));
        let pose = near(a, &b.pose).relative(&near(b, &a.pose));
        let mut found = LocalManifold::default();
        let mut cache = PairCache::default();
        drystone_collision::narrow::contact(&a.shape, &b.shape, &pose, bound as Real, &mut cache, &mut found);
        let size = |c: &Collider| if c.radius.is_finite() { c.radius } else { 0.0 };
        let rounding = 1.0e-4 * f64::from(size(a) + size(b) + pose.translation.norm());
        found.points().iter().all(|point| f64::from(point.distance) > bound - rounding)
    }

    /// Without debug assertions nobody asks.
    #[cfg(not(debug_assertions))]
    pub(super) fn holds(&self, _: &Gate) -> bool {
        true
    }

    /// Fetches what the look at a pair will read of its colliders.
    #[inline]
    pub(super) fn expect(&self, gate: &Gate) {
        for slot in gate.colliders() {
            prefetch(self.colliders.get(slot));
        }
    }

    /// Looks at a pair whose surfaces can approach by `reach` (m) and renews its manifold, or says what is to be asked of two boxes first.
    #[inline(always)]
    pub(super) fn look(
        &self,
        reach: Real,
        memory: &mut PairMemory,
        gate: &mut Gate,
        edge: &mut Edge,
    ) -> Look {
        debug_assert_eq!(edge.colliders().map(|c| c.index), gate.colliders(), "the gate of the edge");
        let (ends @ [a, b], motions) = self.pair(gate);
        if self.caches
            && let Some(axis) = gate.axis()
            && gate.measure(gap_along(&axis, a, b), &self.approach, reach, motions)
        {
            debug_assert!(edge.manifold.points().is_empty(), "what is apart has no points");
            return Look::Done(Seen { is_skipped: true, ..Seen::default() });
        }
        // Not copied, but where a half-space is moved.
        let moved;
        let poses = if ends.iter().any(|end| matches!(end.shape, Shape::HalfSpace { .. })) {
            moved = [near(a, &b.pose), near(b, &a.pose)];
            [&moved[0], &moved[1]]
        } else {
            [&a.pose, &b.pose]
        };
        let pose = poses[0].relative(poses[1]);
        let margin = self.approach.margin(reach, memory.margin);
        let is_valid = self.caches && memory.is_known && memory.margin == margin;
        let is_unmoved = is_valid && memory.pose == pose;
        let is_carried = is_valid && !is_unmoved && self.stays(memory, &pose, a, b);
        let glance = Glance { pose, reach, margin };
        let seen = if is_unmoved || is_carried {
            Seen { is_skipped: true, is_carried, ..Seen::default() }
        } else if let (Shape::Box { half_extents: half_a }, Shape::Box { half_extents: half_b }) =
            (&a.shape, &b.shape)
        {
            return Look::Boxes { glance, half_extents: [*half_a, *half_b] };
        } else {
            let is_limited = self.examine(&glance, ends, motions, memory, |within, cache, local| {
                contact_within(&a.shape, &b.shape, &pose, within, cache, local)
            });
            Seen { is_limited, ..Seen::default() }
        };
        Look::Done(self.renew(&glance, poses, seen, (ends, motions), memory, gate, edge))
    }

    /// Fetches what the end of the look at two boxes will read of their bodies.
    #[inline]
    pub(super) fn expect_bodies(&self, gate: &Gate) {
        for slot in gate.colliders() {
            prefetch(&self.bodies.hot[self.colliders.get(slot).body.get()]);
        }
    }

    /// Ends the look at two boxes, whose axes are known by now.
    #[inline(always)]
    pub(super) fn look_at_boxes(
        &self,
        glance: &Glance,
        axes: &BoxAxes,
        memory: &mut PairMemory,
        gate: &mut Gate,
        edge: &mut Edge,
    ) -> Seen {
        let (ends @ [a, b], motions) = self.pair(gate);
        let (Shape::Box { half_extents: half_a }, Shape::Box { half_extents: half_b }) = (&a.shape, &b.shape)
        else {
            debug_assert!(false, "two boxes");
            return Seen::default();
        };
        let is_limited = self.examine(glance, ends, motions, memory, |within, cache, local| {
            box_contact(axes, [half_a, half_b], &glance.pose, within, cache, local)
        });
        let seen = Seen { is_limited, ..Seen::default() };
        self.renew(glance, [&a.pose, &b.pose], seen, (ends, motions), memory, gate, edge)
    }

    /// Asks the narrow phase; true when it hit a limit.
    #[inline(always)]
    fn examine(
        &self,
        glance: &Glance,
        [a, b]: [&Collider; 2],
        motions: [&ColliderMotion; 2],
        memory: &mut PairMemory,
        contact: impl FnOnce(&Margin, &mut PairCache, &mut LocalManifold) -> NarrowStatus,
    ) -> bool {
        let Glance { pose, reach, margin } = *glance;
        let within = self.margin(margin, reach, [a, b], motions);
        let local = &mut memory.local;
        let status = contact(&within, &mut memory.cache, local);
        // What turns about one point within the step meets others.
        if margin > self.approach.base
            && local.count == 1
            && has_faces(a)
            && has_faces(b)
            && local.gap <= within.along(&local.normal)
        {
            add_facing_points(&a.shape, &b.shape, &pose, within.all, local);
        }
        // What needs no points because of where it goes is not known for other ways.
        let is_known = local.count > 0 || local.gap > margin || local.gap == Real::NEG_INFINITY;
        (memory.pose, memory.margin, memory.is_known, memory.is_anchored) = (pose, margin, is_known, false);
        status == NarrowStatus::RoundLimit
    }

    /// Renews manifold and gate by what is remembered of the pair now.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "what is known of one pair, called from two places")]
    fn renew(
        &self,
        glance: &Glance,
        poses: [&Pose; 2],
        seen: Seen,
        (colliders, motions): Pair<'_>,
        memory: &mut PairMemory,
        gate: &mut Gate,
        edge: &mut Edge,
    ) -> Seen {
        let local = &memory.local;
        let finding = Finding {
            normal: poses[0].rotation * local.normal,
            alone: motions.map(|motion| motion.alone),
            reach: glance.reach,
            margin: glance.margin,
            gap: (!seen.is_skipped).then_some(local.gap),
        };
        let count = local.points().len();
        let mut places = [PointGeometry::default(); MAX_POINTS];
        let places = &mut places[..count];
        if count > 0 {
            let ends = self.ends(&poses[0].translation, colliders, motions);
            if seen.is_carried {
                memory.carry(poses, &finding.normal, &ends, places);
            } else {
                place_all(local, poses[0], &finding.normal, &ends, places);
            }
        }
        Seen { news: self.store(&finding, places, (colliders, motions), gate, edge), ..seen }
    }

    /// The margin of a look that covers `all` (m) at most. It depends on the direction where the narrow phase looks at axes
    /// before points, and for what may get more of them.
    fn margin(
        &self,
        all: Real,
        reach: Real,
        [a, b]: [&Collider; 2],
        motions: [&ColliderMotion; 2],
    ) -> Margin {
        if all > self.approach.base && has_faces(a) && has_faces(b) {
            let turn = a.pose.rotation.inverse();
            self.approach.within(all, reach, motions, |v| turn * v)
        } else {
            Margin::uniform(all + self.approach.tolerance)
        }
    }

    /// What points are seen from that are told from `origin`. From positions in f64: the arm of a body is exact
    /// however far the other's centre is.
    #[inline(always)]
    pub(super) fn ends(
        &self,
        origin: &Position,
        colliders: [&Collider; 2],
        motions: [&ColliderMotion; 2],
    ) -> Ends {
        let offset = |collider: &Collider, motion: &ColliderMotion| {
            // What is read already; the body would be another cache line.
            let center =
                if motion.is_centred { &collider.pose } else { &self.bodies.pose[collider.body.get()] };
            // A half-space has its origin anywhere; what does not turn has any arm, as long as it is a number.
            narrow(&(origin - center.translation)).map(|c| c.clamp(-MAX_OFFSET, MAX_OFFSET))
        };
        let offsets = [offset(colliders[0], motions[0]), offset(colliders[1], motions[1])];
        Ends::new(offsets, motions.map(|motion| motion.is_dynamic))
    }

    /// Renews the manifold by the points found, and the gate; tells what the graph must be told.
    #[inline(always)]
    pub(super) fn store(
        &self,
        finding: &Finding,
        places: &mut [PointGeometry],
        ([a, b], motions): Pair<'_>,
        gate: &mut Gate,
        edge: &mut Edge,
    ) -> News {
        let manifold = &mut edge.manifold;
        let before = manifold.points().len();
        let is_wide = finding.margin > self.approach.base;
        let mut count = if is_wide && !places.is_empty() {
            let ends = [manifold.body_a, manifold.body_b];
            self.keep_near(ends, &finding.normal, finding.alone, finding.reach, places)
        } else {
            places.len()
        };
        if count > 1 && self.reduction < Real::INFINITY {
            count = self.reduce(&mut places[..count]);
        }
        // Beside an unbounded shape the rounding of the axis counts as often as the way along it is long.
        let is_bounded = || a.radius.is_finite() && b.radius.is_finite();
        match finding.gap {
            Some(gap) if count == 0 && gap.is_finite() && is_bounded() => {
                gate.learn(&finding.normal, gap, motions)
            }
            // What is carried and apart stays as it was found.
            None if count == 0 => {}
            _ if self.can_rest && !is_wide => gate.rest(self.approach.slack, motions),
            _ => gate.forget(),
        }
        if before == 0 && count == 0 {
            // A pair that was and stays apart has nothing to tell.
            return News::None;
        }
        manifold.renew(&finding.normal, &places[..count]);
        let is_awake = |body: BodyIndex| self.bodies.awake.contains(body.0);
        match before == count {
            true if is_awake(a.body) && is_awake(b.body) => News::None,
            true => News::Renewed,
            false => News::Recounted,
        }
    }

    /// True when nothing of the two surfaces that is near the other has moved by more than the tolerance since the
    /// last full look; of what rolls, by more than what is not looked at.
    #[inline]
    fn stays(&self, memory: &PairMemory, pose: &RelativePose, a: &Collider, b: &Collider) -> bool {
        // What lies near A is at most so far from B's origin.
        let beside = a.radius + memory.margin + pose.translation.norm();
        let rolls = is_round(a) || is_round(b);
        let tolerance = if rolls { self.approach.slack } else { self.approach.tolerance };
        tolerance > 0.0
            && (memory.pose.translation - pose.translation).norm_squared() <= tolerance * tolerance
            && memory.pose.motion_bound(pose, smaller(beside, b.radius)) <= tolerance
    }

    /// Keeps the points that are within the least margin or may come together in the step; returns their number.
    #[inline(always)]
    pub(super) fn keep_near(
        &self,
        [a, b]: [BodyIndex; 2],
        normal: &Vector3,
        alone: [Real; 2],
        reach: Real,
        places: &mut [PointGeometry],
    ) -> usize {
        let (ahead, base) = (self.approach.ahead, self.approach.base);
        // What is within the least margin stays, wherever the bodies go.
        if places.iter().all(|place| place.distance <= base) {
            return places.len();
        }
        // Ways along the normal: of the centre, and of a point per m of its arm.
        let [a, b] =
            self.hot(a, b).map(|hot| (normal.dot(&hot.linear) * ahead, normal.cross(&hot.angular) * ahead));
        let mut count = 0;
        for k in 0..places.len() {
            let place = places[k];
            let along = [a.0 + a.1.dot(&place.arm_a), b.0 + b.1.dot(&place.arm_b)];
            let farthest = self.approach.farthest(along, alone, reach);
            if place.distance <= larger(farthest, base) {
                places[count] = place;
                count += 1;
            }
        }
        count
    }

    /// Keeps the deepest point alone where that overlaps by more than the limit (S3-24); returns how many are left.
    pub(super) fn reduce(&self, places: &mut [PointGeometry]) -> usize {
        let deepest = places.iter().copied().reduce(|a, b| if b.distance < a.distance { b } else { a });
        match deepest.filter(|place| place.distance < -self.reduction) {
            Some(deepest) => {
                places[0] = deepest;
                1
            }
            None => places.len(),
        }
    }

    #[inline]
    fn hot(&self, a: BodyIndex, b: BodyIndex) -> [&BodyHot; 2] {
        [a, b].map(|i| &self.bodies.hot[i.get()])
    }
}
