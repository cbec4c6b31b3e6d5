//! Colliders follow their bodies: poses, how far they moved, and boxes of what left its own.

use super::{Collider, ColliderMotion, Colliders, Fastening};
use drystone_contact::{BodyIndex, BodyView};
use drystone_exec::{Exec, chunks, chunks_mut};
use drystone_math::{Aabb, Pose, Real, Vector3, larger, smaller, widen};

/// Slots per part: words of the set of what changed.
const SLOTS_PER_PART: usize = 64;

/// When a collider was last seen to be inside of its grown box, and by how much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked {
    /// [`ColliderMotion::travelled`] and [`ColliderMotion::way`] then.
    travelled: f64,
    way: Vector3,
    /// What was added to the shape on all sides, m.
    grown: Real,
    /// How much nearer all sides may come, m; negative where nothing is known.
    slack: Real,
}

impl Checked {
    pub(super) const NEVER: Self =
        Self { travelled: 0.0, way: Vector3::new(0.0, 0.0, 0.0), grown: 0.0, slack: -1.0 };
    /// Share of the slack that rounding may take.
    const ROUNDING: f64 = 1e-4;

    /// True when the shape, with its way and what is added to it (m), cannot have left its box since.
    #[inline]
    fn holds(&self, motion: &ColliderMotion, grown: Real) -> bool {
        // What is no number holds nothing.
        let moved = (motion.travelled - self.travelled) as Real;
        moved + (motion.way - self.way).norm() + larger(grown - self.grown, 0.0) <= self.slack
    }

    /// Of a collider that needs `needed` and has `has`.
    fn new(motion: &ColliderMotion, grown: Real, needed: &Aabb, has: &Aabb) -> Self {
        let sides = (needed.min - has.min).inf(&(has.max - needed.max));
        let slack = (sides.min() * (1.0 - Self::ROUNDING)) as Real;
        Self { travelled: motion.travelled, way: motion.way, grown, slack }
    }
}

/// How boxes are grown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxRule {
    /// Contacts are made up to this far apart, m.
    pub(crate) margin: Real,
    /// Growth as a share of the longest edge.
    pub(crate) growth: Real,
    pub(crate) dt: Real,
    /// Motion that boxes cover at least, s.
    pub(crate) ahead: Real,
    /// Overlap by which a contact may become known late, as a share of half a shape's thickness.
    pub(crate) unseen_overlap_fraction: Real,
}

impl BoxRule {
    /// Share of what a shape whose surface is `inner` (m) from its centre moves in the step, up to `way` (m), that is not
    /// left to correction.
    #[inline]
    fn foreseen(&self, inner: Real, way: Real) -> Real {
        let late = smaller(self.unseen_overlap_fraction * inner, MOST_LATE * way);
        if late > 0.0 { 1.0 - late / way } else { 1.0 }
    }
}

/// Share of a motion that may be left out of sight.
const MOST_LATE: Real = 0.5;
/// Speed beyond which nothing is looked ahead, m/s.
const FASTEST: Real = 1e6;
/// Steps of straight motion that a new box covers ahead: what moves then changes its box every few steps instead of
/// every step.
const STEPS_AHEAD: f64 = 3.0;
/// Way that a new box covers ahead at most, as a share of the longest edge of the tight box: what falls together would
/// otherwise be near everything around it (`hourglass` at 60 steps per second: 41 pairs per body).
const MOST_AHEAD: f64 = 0.25;

impl Collider {
    /// How far the turn from the present pose to `pose` moves a point of the surface relative to the shape's origin
    /// at most, m.
    #[inline]
    fn turned_by(&self, pose: &Pose, rim: Real) -> f64 {
        let (from, to) = (self.pose.rotation.coords, pose.rotation.coords);
        if from == to || rim == 0.0 {
            return 0.0;
        }
        // See `RelativePose::motion_bound`.
        let square = smaller((from - to).norm_squared(), (from + to).norm_squared());
        f64::from(2.0 * square.sqrt() * rim)
    }
}

/// All of one collider that follows its body.
struct Follower<'a> {
    collider: &'a mut Collider,
    fastening: &'a Fastening,
    motion: &'a mut ColliderMotion,
    checked: &'a mut Checked,
    has: &'a mut Aabb,
}

impl Colliders {
    /// Follows a body to its pose, with its linear and angular velocity (m/s, rad/s); a collider that leaves its grown box gets a
    /// new one.
    #[inline]
    pub(crate) fn follow(&mut self, body: BodyIndex, center: &Pose, velocity: [&Vector3; 2], rule: &BoxRule) {
        let mut next = self.first.get(body.get()).copied().flatten();
        while let Some(index) = next {
            let i = index as usize;
            let fastening = &self.fastenings[i];
            next = fastening.next;
            let follower = Follower {
                collider: &mut self.list[i],
                fastening,
                motion: &mut self.motions[i],
                checked: &mut self.checked[i],
                has: &mut self.boxes[i],
            };
            if follower.follow(center, velocity, rule) {
                self.changed.insert(index);
            }
        }
    }

    /// The same for all bodies that are awake. Shared among threads where most colliders are theirs, since it looks at each then.
    pub(crate) fn follow_awake(&mut self, bodies: &BodyView<'_>, rule: &BoxRule, exec: &Exec) {
        if exec.thread_count() == 1 || 2 * bodies.awake.count() < self.list.len() as u32 {
            bodies.awake.iter().map(BodyIndex).for_each(|body| {
                let hot = &bodies.hot[body.get()];
                self.follow(body, &bodies.pose[body.get()], [&hot.linear, &hot.angular], rule);
            });
            return;
        }
        let slots = &self.slots;
        let parts = (
            chunks_mut(&mut self.list, SLOTS_PER_PART),
            chunks(&self.fastenings, SLOTS_PER_PART),
            chunks_mut(&mut self.motions, SLOTS_PER_PART),
            chunks_mut(&mut self.checked, SLOTS_PER_PART),
            chunks_mut(&mut self.boxes, SLOTS_PER_PART),
            chunks_mut(self.changed.words_mut(), SLOTS_PER_PART / 64),
        );
        exec.for_each_static(parts, |part, (list, fastenings, motions, checked, boxes, changed)| {
            for (k, collider) in list.iter_mut().enumerate() {
                let body = collider.body;
                let is_used = slots.generation((part * SLOTS_PER_PART + k) as u32).is_some();
                if !is_used || !bodies.awake.contains(body.0) {
                    continue;
                }
                let (fastening, motion, hot) = (&fastenings[k], &mut motions[k], &bodies.hot[body.get()]);
                let (checked, has) = (&mut checked[k], &mut boxes[k]);
                let follower = Follower { collider, fastening, motion, checked, has };
                if follower.follow(&bodies.pose[body.get()], [&hot.linear, &hot.angular], rule) {
                    changed[k / 64] |= 1 << (k % 64);
                }
            }
        });
    }
}

impl Follower<'_> {
    /// Goes where the body is; true when it left its grown box and got a new one.
    #[inline(always)]
    fn follow(self, center: &Pose, [linear, angular]: [&Vector3; 2], rule: &BoxRule) -> bool {
        let Self { collider, fastening, motion, checked, has } = self;
        let pose = fastening.local.on(center);
        let (speed, turn) = (linear.norm(), angular.norm() * rule.ahead);
        // What is no number leads nowhere: the next step takes the body out, and leaves it where it is.
        let linear = if speed.is_finite() { *linear } else { Vector3::zeros() };
        // Faster than that is no motion but an accident: it must not reach what it does not touch.
        let ahead = if speed < FASTEST { rule.ahead } else { 0.0 };
        if !has.is_empty() {
            let turned = collider.turned_by(&pose, fastening.rim);
            motion.turned += turned;
            motion.travelled += turned + (pose.translation - motion.origin).norm();
        }
        (motion.origin, motion.turn) = (pose.translation, 0.0);
        (motion.way, motion.alone) = (linear * ahead, rule.foreseen(fastening.inner, speed * ahead));
        collider.pose = pose;
        if rule.ahead > 0.0 && collider.radius.is_finite() {
            // A shape does not leave the ball around its origin, which itself is carried round the centre of mass.
            let turned = smaller(turn, 1.0) * fastening.rim + smaller(turn, 2.0) * fastening.local.arm;
            motion.turn = turned * rule.foreseen(fastening.inner, turned);
        }
        // Half the margin on either side makes pairs of everything within the margin.
        let grown = rule.margin * 0.5 + motion.turn;
        if checked.holds(motion, grown) {
            return false;
        }
        let (needed, is_outside) = fit(has, collider, motion, linear, rule);
        *checked = Checked::new(motion, grown, &needed, has);
        is_outside
    }
}

/// The box that a collider needs, and whether it is outside of the one that it `has`, which is replaced then.
#[inline(never)]
fn fit(
    has: &mut Aabb,
    collider: &Collider,
    motion: &ColliderMotion,
    linear: Vector3,
    rule: &BoxRule,
) -> (Aabb, bool) {
    let tight = collider.shape.aabb(&collider.pose).grown(f64::from(rule.margin) * 0.5);
    let needed = if tight.is_bounded() {
        tight.grown(f64::from(motion.turn)).swept(&widen(&motion.way))
    } else {
        tight
    };
    let is_outside = !has.contains(&needed);
    if is_outside {
        let longest = tight.longest_edge().min(f64::MAX.sqrt());
        // A surface that moves at all is kinematic; what it would be grown by is near everything above it.
        let growth = if collider.shape.is_immovable() { 0.0 } else { f64::from(rule.growth) * longest };
        let ahead = widen(&(linear * rule.dt)) * STEPS_AHEAD;
        let share = (MOST_AHEAD * longest / ahead.norm()).min(1.0);
        let ahead = if share > 0.0 { ahead * share } else { ahead };
        *has = if needed.is_bounded() { needed.grown(growth).swept(&ahead) } else { needed };
    }
    (needed, is_outside)
}

impl Colliders {
    /// How boxes are grown in a step.
    pub(crate) fn box_rule(config: &crate::DetectionConfig, step: &drystone_contact::StepParams) -> BoxRule {
        BoxRule {
            margin: config.contact_margin * step.length_unit(),
            growth: config.box_growth,
            dt: step.dt,
            ahead: config.look_ahead * step.dt,
            unseen_overlap_fraction: config.unseen_overlap_fraction,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::ColliderSpec;
    use drystone_collision::Shape;
    use drystone_math::{RelativePose, Rotation};

    /// A hull that moves, turns and changes its speed is inside of its box after every step, with all that is looked ahead, and most
    /// steps do not look at its corners.
    #[test]
    fn a_hull_stays_in_its_box() {
        let corners =
            [[0.5, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 0.3], [-0.3, -0.2, -0.25], [0.3, -0.3, 0.1]];
        let shape = Shape::hull(&corners.map(Vector3::from)).expect("a hull");
        let local = RelativePose::new(Vector3::new(0.1, 0.0, -0.05), Rotation::identity());
        let mut colliders = Colliders::default();
        let spec = ColliderSpec::new(shape.clone());
        colliders.add(&spec, local, BodyIndex(0), false).expect("the first collider");
        let rule = BoxRule {
            margin: 0.02,
            growth: 0.05,
            dt: 1.0 / 60.0,
            ahead: 1.0 / 60.0,
            unseen_overlap_fraction: 0.5,
        };
        let (mut center, mut skipped) = (Pose::IDENTITY, 0);
        for step in 0..600 {
            // Still, then faster and faster, with a jolt now and then.
            let phase = step as Real * 0.05;
            let speed = if step % 97 == 0 { 2.0 } else { 1e-3 * (step / 100) as Real };
            let linear = Vector3::new(phase.cos(), phase.sin(), 0.3) * speed;
            let angular = Vector3::new(0.2, (0.7 * phase).cos(), phase.sin()) * speed;
            center.translation += widen(&(linear * rule.dt));
            center.rotation = Rotation::from_scaled_axis(angular * rule.dt) * center.rotation;
            colliders.follow(BodyIndex(0), &center, [&linear, &angular], &rule);
            let motion = &colliders.motions[0];
            let needed = shape
                .aabb(&colliders.list[0].pose)
                .grown(f64::from(rule.margin * 0.5 + motion.turn))
                .swept(&widen(&motion.way));
            assert!(colliders.boxes[0].grown(1e-9).contains(&needed), "step {step}");
            skipped += u32::from(colliders.checked[0].travelled != motion.travelled);
        }
        assert!((300..600).contains(&skipped), "{skipped} of 600 steps without a look at the corners");
    }
}
