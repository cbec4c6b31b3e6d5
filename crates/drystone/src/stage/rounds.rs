//! Looks at pairs of round shapes, eight side by side: a ball with a ball, capsule or box, a capsule with a capsule.
//!
//! They touch in one point that costs little to find, so nothing is carried along or remembered but the gate: neither the memory of a pair nor
//! its edge is read before the contact is known. Everything is seen from the ball, or from capsule A, in world axes.

use super::gate::Gate;
use super::pair::{Context, Finding, Pair, Seen};
use crate::world::Collider;
use drystone_collision::Shape;
use drystone_collision::narrow::{
    LocalPoint, OfBalls, OfCapsules, PAIR_BATCH, PairBatch, PointContact, RoundedBox,
};
use drystone_contact::{Edge, PointGeometry};
use drystone_math::wide::Isa;
use drystone_math::{Real, Rotation, narrow};

/// Who looks at a pair of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A ball with a ball, capsule or box.
    Ball,
    /// Two capsules.
    Capsules,
    /// Everything else.
    Other,
}

impl Kind {
    pub(super) fn of(a: &Shape, b: &Shape) -> Self {
        let is_ball = |shape: &Shape| matches!(shape, Shape::Sphere { .. });
        match (a, b) {
            (Shape::Capsule { .. }, Shape::Capsule { .. }) => Self::Capsules,
            _ if is_ball(a) && RoundedBox::of(b).is_some() => Self::Ball,
            _ if is_ball(b) && RoundedBox::of(a).is_some() => Self::Ball,
            _ => Self::Other,
        }
    }
}

/// A pair that waits for its batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    /// Place of its edge in the part.
    pub(super) k: u32,
    /// Which of its colliders everything is seen from.
    origin: usize,
    /// How far the surfaces can approach in the step, and the margin of the look, m.
    reach: Real,
    margin: Real,
}

/// Pairs of one kind that wait.
pub(super) struct Waits<K> {
    batch: PairBatch<K>,
    waiting: [Waiting; PAIR_BATCH],
}

impl<K> Default for Waits<K> {
    fn default() -> Self {
        Self { batch: PairBatch::default(), waiting: [Waiting::default(); PAIR_BATCH] }
    }
}

impl<K: Round> Waits<K> {
    /// True when they must be taken.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.batch.is_full()
    }

    /// Takes note of a pair that goes into the batch next.
    #[inline]
    fn note(&mut self, waiting: Waiting) {
        self.waiting[self.batch.len()] = waiting;
    }

    /// Those that wait, with their contacts, and a bit for each that has to be looked at alone. Nothing waits then.
    #[inline(always)]
    pub(super) fn take(&mut self, isa: Isa) -> (&[Waiting], [PointContact; PAIR_BATCH], u8) {
        let count = self.batch.len();
        let (contacts, alone) = K::take(&mut self.batch, isa);
        (&self.waiting[..count], contacts, alone)
    }
}

/// A kind of round pairs.
pub(super) trait Round: Sized {
    /// Puts the pair of edge `k`, whose surfaces can approach by `reach` (m), into the batch.
    fn wait(context: &Context<'_>, k: u32, gate: &Gate, reach: Real, waits: &mut Waits<Self>);
    /// The contacts, and which pairs have to be looked at alone.
    fn take(batch: &mut PairBatch<Self>, isa: Isa) -> ([PointContact; PAIR_BATCH], u8);
}

impl Round for OfBalls {
    #[inline(always)]
    fn wait(context: &Context<'_>, k: u32, gate: &Gate, reach: Real, waits: &mut Waits<Self>) {
        let [a, b] = context.colliders_of(gate);
        let radius_of =
            |c: &Collider| if let Shape::Sphere { radius } = c.shape { Some(radius) } else { None };
        let (origin, radius, ball, other) = match (radius_of(a), radius_of(b)) {
            (Some(radius), _) => (0, radius, a, b),
            (None, Some(radius)) => (1, radius, b, a),
            (None, None) => return debug_assert!(false, "a ball"),
        };
        let Some(rounded) = RoundedBox::of(&other.shape) else {
            return debug_assert!(false, "ball, capsule or box");
        };
        let way = narrow(&(other.pose.translation - ball.pose.translation));
        let is_turned = !matches!(other.shape, Shape::Sphere { .. });
        let rotation = if is_turned { other.pose.rotation } else { Rotation::identity() };
        waits.note(context.waiting(k, origin, reach));
        waits.batch.push(radius, &rounded, &way, &rotation);
    }

    #[inline]
    fn take(batch: &mut PairBatch<Self>, isa: Isa) -> ([PointContact; PAIR_BATCH], u8) {
        (batch.take(isa), 0)
    }
}

impl Round for OfCapsules {
    #[inline(always)]
    fn wait(context: &Context<'_>, k: u32, gate: &Gate, reach: Real, waits: &mut Waits<Self>) {
        let [a, b] = context.colliders_of(gate);
        let (
            Shape::Capsule { half_length: half_a, radius: radius_a },
            Shape::Capsule { half_length: half_b, radius: radius_b },
        ) = (&a.shape, &b.shape)
        else {
            return debug_assert!(false, "two capsules");
        };
        let way = narrow(&(b.pose.translation - a.pose.translation));
        let sizes = [(*half_a, *radius_a), (*half_b, *radius_b)];
        waits.note(context.waiting(k, 0, reach));
        waits.batch.push(sizes, &way, [&a.pose.rotation, &b.pose.rotation]);
    }

    #[inline]
    fn take(batch: &mut PairBatch<Self>, isa: Isa) -> ([PointContact; PAIR_BATCH], u8) {
        batch.take(isa)
    }
}

impl Context<'_> {
    #[inline]
    fn colliders_of(&self, gate: &Gate) -> [&Collider; 2] {
        gate.colliders().map(|slot| self.colliders.get(slot))
    }

    #[inline]
    pub(super) fn pair(&self, gate: &Gate) -> Pair<'_> {
        (self.colliders_of(gate), gate.motions(self.colliders.motions()))
    }

    #[inline(always)]
    fn waiting(&self, k: u32, origin: usize, reach: Real) -> Waiting {
        Waiting { k, origin, reach, margin: self.approach.needed(reach) }
    }

    /// Ends the look at a pair that touches in one point.
    #[inline(always)]
    pub(super) fn look_at_round(
        &self,
        waiting: &Waiting,
        contact: &PointContact,
        gate: &mut Gate,
        edge: &mut Edge,
    ) -> Seen {
        let (colliders @ [a, b], motions) = self.pair(gate);
        let finding = Finding {
            normal: if waiting.origin == 0 { contact.normal() } else { -contact.normal() },
            alone: motions.map(|motion| motion.alone),
            reach: waiting.reach,
            margin: waiting.margin,
            gap: Some(contact.gap()),
        };
        let mut places = [PointGeometry::default()];
        let mut count = 0;
        if contact.distance() <= waiting.margin {
            let origin = if waiting.origin == 0 { a } else { b };
            let ends = self.ends(&origin.pose.translation, colliders, motions);
            let point = LocalPoint { point: contact.point(), distance: contact.distance(), feature: 0 };
            places[0] = ends.place(&point, &point.point, &finding.normal);
            count = 1;
        }
        Seen {
            news: self.store(&finding, &mut places[..count], (colliders, motions), gate, edge),
            ..Seen::default()
        }
    }
}
