//! Predicted motion of what joints hold: a swing that turns round has no speed, and is not at rest.
//!
//! A body of an island with joints falls asleep only if it would move by less than [`SleepConfig::swing_limit`] allows within the next second; what joints hold
//! together sleeps only as a whole (`tied`), and what lies on it is judged by the same rule, for asleep it would hold that like a nail. With the pose `p`, its
//! mean `p̄` and the mean `p̿` of that, both over [`SleepConfig::averaging_time`] `τ` (filters of first order), and the horizon `T` of one second:
//! ```text
//! d = |v| T + ½ |a| T²      v = (p − p̄) / τ      a = ((p − p̄) − (p̄ − p̿)) / τ²      |v|² = 2 (v·v + ω·ω r²)
//! ```
//! Source: the solution of a free oscillation, `x(t) − x(0) = v sin(ωt)/ω + a (1 − cos ωt)/ω²`, whose size is at most `|v| t + ½ |a| t²` at any frequency and in
//! any phase. The filters delay both: for periods from 0.1 to 20 s the farthest way within a second is at most 1.72 `d`, without the factor 2 of S1-30.
//!
//! Poses, not velocities: bodies at rest on joints keep velocities that correction takes back in each step. With velocities a trunk with four limbs on the ground
//! stayed awake for ever with the thesis's method at 240 Hz, at 0.6 mm/s and without moving.
//!
//! Departure: the bound is of swings about a stable balance. What leaves an unstable one (a pendulum on its head) grows faster than velocity and acceleration say.

use crate::SleepConfig;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, StepParams};
use drystone_math::{BitSet, Pose, Real, Vector3, narrow};

/// How far ahead motion is predicted, s: the unit of time, since the limit is a speed times this.
const HORIZON: Real = 1.0;

/// Mean poses of the awake bodies of islands with joints, which last from step to step. Empty in a world without joints.
#[derive(Clone, Debug, Default)]
pub(crate) struct PredictedMotion {
    /// By body.
    means: Vec<MeanPose>,
    /// The islands with joints of which something is awake.
    islands: BitSet,
    /// Largest predicted motion of a body that may sleep, m.
    limit: Real,
}

drystone_math::carried!(PredictedMotion { part: [means], scratch: [islands, limit] });

/// A displacement (m) and a rotation vector (rad), or what they change by, world.
#[derive(Clone, Copy, Debug, Default)]
struct Twist {
    linear: Vector3,
    angular: Vector3,
}

/// How far a body is from where it was in the mean.
#[derive(Clone, Copy, Debug, Default)]
struct MeanPose {
    /// The last one.
    pose: Pose,
    /// From the mean pose to the last one.
    behind: Twist,
    /// From the mean of the mean poses to the mean pose.
    behind_mean: Twist,
    /// The step after the last one that is part of it. A body that was asleep or without joints in between begins anew, at rest.
    next_step: u64,
}

impl PredictedMotion {
    /// Before the first body of a step: finds the islands with joints. O(joints), nothing without any.
    pub(crate) fn begin(
        &mut self,
        config: &SleepConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        step: &StepParams,
    ) {
        self.islands.clear();
        let Some(limit) = config.swing_limit.filter(|_| graph.tie_count() > 0) else { return };
        self.limit = limit * config.threshold * step.speed_unit() * HORIZON;
        self.means.resize(bodies.capacity().max(self.means.len()), MeanPose::default());
        // Islands are of bodies, and no more than these.
        self.islands.resize((2 * bodies.capacity() as u32).max(self.islands.len()));
        for body in graph.ties().iter().flat_map(|joint| joint.bodies) {
            let island = graph.island_of(body).0;
            if bodies.hot(body).is_dynamic() && bodies.is_awake(body) && island < self.islands.len() {
                self.islands.insert(island);
            }
        }
    }

    /// True for a body of an island with joints: whatever touches what hangs there goes with it.
    #[inline]
    pub(crate) fn covers(&self, graph: &ContactGraph, body: BodyIndex) -> bool {
        let is_marked = |island: u32| island < self.islands.len() && self.islands.contains(island);
        !self.islands.is_empty() && is_marked(graph.island_of(body).0)
    }

    /// Once in a step for each awake body: true where joints hold its island and it is going to move by more than the limit.
    #[inline]
    pub(crate) fn update(
        &mut self,
        config: &SleepConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        body: BodyIndex,
        step: &StepParams,
    ) -> bool {
        self.covers(graph, body) && self.follow(config, bodies, body, step) > self.limit
    }

    /// Takes the pose of this step into the means; returns how far the body is going to move within [`HORIZON`], m.
    ///
    /// As S1 caps the averaged motion, so is this one, at [`SleepConfig::motion_cap`] limits: otherwise the impact of a fall takes 0.7 s to fade.
    fn follow(&mut self, config: &SleepConfig, bodies: &Bodies, body: BodyIndex, step: &StepParams) -> Real {
        let mean = &mut self.means[body.get()];
        let pose = *bodies.center_pose(body);
        let moved =
            if mean.next_step == step.index { Twist::between(&mean.pose, &pose) } else { Twist::default() };
        if mean.next_step != step.index {
            *mean = MeanPose::default();
        }
        mean.pose = pose;
        mean.next_step = step.index + 1;
        // Without averaging the velocity is that of one step.
        let time = config.averaging_time.max(step.dt);
        let share = step.dt / (time + step.dt);
        let behind = mean.behind.plus(&moved, 1.0);
        mean.behind_mean = mean.behind_mean.plus(&behind, share).scaled(1.0 - share);
        mean.behind = behind.scaled(1.0 - share);
        let radius = bodies.radius(body);
        let speed = mean.behind.bound(radius) / time;
        let acceleration = mean.behind.plus(&mean.behind_mean, -1.0).bound(radius) / (time * time);
        let motion = speed * HORIZON + 0.5 * acceleration * HORIZON * HORIZON;
        let most = config.motion_cap * self.limit;
        if motion > most {
            mean.behind = mean.behind.scaled(most / motion);
            mean.behind_mean = mean.behind_mean.scaled(most / motion);
        }
        motion
    }
}

impl Twist {
    /// From one pose to another; of rotations the first order, which is right where they are small enough to matter.
    fn between(from: &Pose, to: &Pose) -> Self {
        let turn = to.rotation * from.rotation.inverse();
        let (axis, cosine) = (turn.as_ref().vector().into_owned(), turn.as_ref().scalar());
        let linear = narrow(&(to.translation - from.translation));
        Self { linear, angular: axis * if cosine < 0.0 { -2.0 } else { 2.0 } }
    }

    fn plus(&self, other: &Self, share: Real) -> Self {
        Self { linear: self.linear + other.linear * share, angular: self.angular + other.angular * share }
    }

    fn scaled(&self, factor: Real) -> Self {
        Self { linear: self.linear * factor, angular: self.angular * factor }
    }

    /// Upper bound of what a surface point moves by, as that of speeds ([`drystone_contact::BodyHot::motion_bound_squared`]).
    fn bound(&self, radius: Real) -> Real {
        (2.0 * (self.linear.norm_squared() + self.angular.norm_squared() * (radius * radius))).sqrt()
    }
}
