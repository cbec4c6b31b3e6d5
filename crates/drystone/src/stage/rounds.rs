//! Looks at pairs of round shapes, eight side by side: a ball with a ball, capsule or box, a capsule with a capsule.
//!
//! They touch in one point that costs little to find, so nothing is carried along or remembered but the gate: neither the memory of a pair nor
//! its edge is read before the contact is known. Everything is seen from the ball, or from capsule A, in world axes.

use super::gate::Gate;
use super::pair::{Context, Finding, Seen};
use crate::world::{Collider, ColliderMotion};
use drystone_collision::Shape;
use drystone_collision::narrow::{
    BALL_BATCH, BallBatch, BallContact, CAPSULE_BATCH, CapsuleBatch, CapsuleContact, LocalPoint, RoundedBox,
};
use drystone_contact::{Edge, PointGeometry};
use drystone_math::wide::Isa;
use drystone_math::{Real, Rotation, Vector3, narrow};

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

/// Pairs of balls that wait.
#[derive(Default)]
pub(super) struct Balls {
    batch: BallBatch,
    waiting: [Waiting; BALL_BATCH],
}

/// Pairs of capsules that wait.
#[derive(Default)]
pub(super) struct Capsules {
    batch: CapsuleBatch,
    waiting: [Waiting; CAPSULE_BATCH],
}

impl Balls {
    /// True when the batch must be taken.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.batch.is_full()
    }

    /// Those that wait with their contacts, and an empty batch.
    #[inline]
    pub(super) fn take(&mut self, isa: Isa) -> impl Iterator<Item = (Waiting, BallContact)> + use<> {
        let count = self.batch.len();
        let contacts = (count > 0).then(|| self.batch.take(isa));
        self.waiting.into_iter().zip(contacts.into_iter().flatten()).take(count)
    }
}

impl Capsules {
    /// True when the batch must be taken.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.batch.is_full()
    }

    /// Those that wait with their contacts, none where they have to be looked at alone, and an empty batch.
    #[inline]
    pub(super) fn take(
        &mut self,
        isa: Isa,
    ) -> impl Iterator<Item = (Waiting, Option<CapsuleContact>)> + use<> {
        let count = self.batch.len();
        let contacts = (count > 0).then(|| self.batch.take(isa));
        let contact = move |lane| contacts.as_ref().and_then(|contacts| contacts.get(lane)).copied();
        self.waiting.into_iter().take(count).enumerate().map(move |(lane, pair)| (pair, contact(lane)))
    }
}

/// What a look at a round pair found, seen from its origin.
struct Point {
    normal: Vector3,
    distance: Real,
    point: Vector3,
    gap: Real,
}

impl Context<'_> {
    #[inline]
    fn pair(&self, gate: &Gate) -> ([&Collider; 2], [&ColliderMotion; 2]) {
        (gate.colliders().map(|slot| self.colliders.get(slot)), gate.motions(self.colliders.motions()))
    }

    /// Puts the pair of a ball and something into the batch.
    #[inline]
    pub(super) fn wait_for_balls(&self, k: u32, gate: &Gate, balls: &mut Balls) {
        let (colliders, motions) = self.pair(gate);
        let is_ball = |c: &Collider| if let Shape::Sphere { radius } = c.shape { Some(radius) } else { None };
        let (origin, radius) = match (is_ball(colliders[0]), is_ball(colliders[1])) {
            (Some(radius), _) => (0, radius),
            (None, Some(radius)) => (1, radius),
            (None, None) => return debug_assert!(false, "a ball"),
        };
        let (ball, other) = (colliders[origin], colliders[1 - origin]);
        let Some(rounded) = RoundedBox::of(&other.shape) else {
            return debug_assert!(false, "ball, capsule or box");
        };
        let way = narrow(&(other.pose.translation - ball.pose.translation));
        let is_turned = !matches!(other.shape, Shape::Sphere { .. });
        let rotation = if is_turned { other.pose.rotation } else { Rotation::identity() };
        let reach = self.approach.reach(motions);
        balls.waiting[balls.batch.len()] = Waiting { k, origin, reach, margin: self.approach.needed(reach) };
        balls.batch.push(radius, &rounded, &way, &rotation);
    }

    /// Puts the pair of two capsules into the batch.
    #[inline]
    pub(super) fn wait_for_capsules(&self, k: u32, gate: &Gate, capsules: &mut Capsules) {
        let ([a, b], motions) = self.pair(gate);
        let (
            Shape::Capsule { half_length: half_a, radius: radius_a },
            Shape::Capsule { half_length: half_b, radius: radius_b },
        ) = (&a.shape, &b.shape)
        else {
            return debug_assert!(false, "two capsules");
        };
        let way = narrow(&(b.pose.translation - a.pose.translation));
        let reach = self.approach.reach(motions);
        let margin = self.approach.needed(reach);
        capsules.waiting[capsules.batch.len()] = Waiting { k, origin: 0, reach, margin };
        let sizes = [(*half_a, *radius_a), (*half_b, *radius_b)];
        capsules.batch.push(sizes, &way, [&a.pose.rotation, &b.pose.rotation]);
    }

    /// Ends the look at a ball and something.
    #[inline]
    pub(super) fn look_at_ball(
        &self,
        waiting: &Waiting,
        contact: &BallContact,
        gate: &mut Gate,
        edge: &mut Edge,
    ) -> Seen {
        let (normal, distance) = (contact.normal(), contact.distance());
        let normal = if waiting.origin == 0 { normal } else { -normal };
        let found = Point { normal, distance, point: contact.point(), gap: distance };
        self.end_round(waiting, &found, gate, edge)
    }

    /// Ends the look at two capsules that touch in one point.
    #[inline]
    pub(super) fn look_at_capsules(
        &self,
        waiting: &Waiting,
        contact: &CapsuleContact,
        gate: &mut Gate,
        edge: &mut Edge,
    ) -> Seen {
        let (normal, distance) = (contact.normal(), contact.distance());
        let found = Point { normal, distance, point: contact.point(), gap: contact.gap() };
        self.end_round(waiting, &found, gate, edge)
    }

    #[inline]
    fn end_round(&self, waiting: &Waiting, found: &Point, gate: &mut Gate, edge: &mut Edge) -> Seen {
        let ([a, b], motions) = self.pair(gate);
        let finding = Finding {
            normal: found.normal,
            alone: motions.map(|motion| motion.alone),
            reach: waiting.reach,
            margin: waiting.margin,
            gap: Some(found.gap),
        };
        let mut places = [PointGeometry::default()];
        let mut count = 0;
        if found.distance <= waiting.margin {
            let origin = [a, b][waiting.origin];
            let ends = self.ends(&origin.pose.translation, [a, b], motions);
            let point = LocalPoint { point: found.point, distance: found.distance, feature: 0 };
            places[0] = ends.place(&point, &found.point, &found.normal);
            count = 1;
        }
        Seen { is_news: self.store(&finding, &mut places[..count], a, b, gate, edge), ..Seen::default() }
    }
}
