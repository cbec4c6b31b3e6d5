//! When two colliders whose bodies move along their paths first meet so deep that it counts.

use crate::world::Colliders;
use drystone_collision::Shape;
use drystone_collision::query::{CastStatus, MotionCast, SweptPose, cast_motion};
use drystone_collision::shape::MIN_SIZE;
use drystone_math::{Pose, Real, Vector3};

/// Share of the least distance of a surface from its centre by which two may overlap before it counts: what rests, rolls and slides
/// overlaps a little, and must not be stopped by what carries it.
const SHALLOW: f64 = 0.5;
/// Radius of the core that never passes a surface, as a share of the same; as much is kept free around it.
const CORE: Real = 0.05;
/// Gap at which what was apart is stopped, as a share of the same.
const GAP: f64 = 0.01;

/// Where a body goes in a step, and how much of that it is let go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// Poses of the centre of mass.
    pub(super) from: Pose,
    pub(super) to: Pose,
    /// Fraction of the way after which it stays where it is.
    pub(super) limit: f64,
}

impl Path {
    pub(super) fn resting(pose: Pose) -> Self {
        Self { from: pose, to: pose, limit: 0.0 }
    }

    /// The pose at a time of the step, 0 to 1.
    pub(super) fn at(&self, time: f64) -> Pose {
        SweptPose { from: self.from, to: self.to, center: Vector3::zeros() }.at(time.min(self.limit))
    }
}

/// One side of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub(super) colliders: &'a Colliders,
    pub(super) slot: u32,
    pub(super) path: Path,
}

impl Side<'_> {
    fn shape(&self) -> &Shape {
        &self.colliders.get(self.slot).shape
    }

    /// Its motion between two times.
    fn motion(&self, [from, to]: [f64; 2]) -> SweptPose {
        let pose = |time| self.colliders.pose_on(self.slot, &self.path.at(time));
        let start = pose(from);
        let end = if from < self.path.limit { pose(to) } else { start };
        SweptPose { from: start, to: end, center: self.colliders.center_in(self.slot) }
    }

    /// Least distance of the surface from the centre of the collider, m.
    fn inner(&self) -> Real {
        self.colliders.inner(self.slot)
    }
}

/// When `a` first meets `b` so deep that a centre could pass; `None` when they do not. `a` is the one that may not be passed through: of two
/// that are `free`, that is dynamic, the thinner one; otherwise the one that is.
///
/// While both go, and then while one does: up to two casts. Three depths: what overlaps by less than half of the way to the centre of `a`
/// does not count; what was apart and would overlap by more is stopped where it touches, else where it does; and a ball in the middle (of
/// both where both are free) passes nothing, however deep the overlap was.
pub(super) fn impact(a: &Side<'_>, b: &Side<'_>, are_free: bool) -> Option<f64> {
    let [first, last] = [a.path.limit.min(b.path.limit), a.path.limit.max(b.path.limit)];
    let part = |times| impact_between(a, b, are_free, times);
    part([0.0, first]).or_else(|| part([first, last]))
}

fn impact_between(a: &Side<'_>, b: &Side<'_>, are_free: bool, times: [f64; 2]) -> Option<f64> {
    let [begin, end] = times;
    if end <= begin {
        return None;
    }
    let inner = f64::from(a.inner());
    let motions = [a, b].map(|side| side.motion(times));
    let shapes = [a.shape(), b.shape()];
    let cast = MotionCast { shapes, motions, erosion: [SHALLOW * inner, 0.0], target: 0.0 };
    let time = |fraction: f64| begin + fraction * (end - begin);
    let deep = cast_motion(&cast)?;
    if deep.status != CastStatus::StartsOverlapping {
        // Where the whole shape touches, unless it does so from the beginning.
        let whole = cast_motion(&MotionCast { erosion: [0.0; 2], target: GAP * inner, ..cast });
        let touch = whole.filter(|whole| whole.fraction > 0.0 && whole.fraction < deep.fraction);
        return Some(time(touch.unwrap_or(deep).fraction));
    }
    let [of_a, of_b] = [core_impact(a, b, motions), core_impact(b, a, [motions[1], motions[0]])];
    let first = match of_b.filter(|_| are_free) {
        Some(of_b) => Some(of_a.map_or(of_b, |of_a| of_a.min(of_b))),
        None => of_a,
    };
    first.map(time)
}

/// When a small ball in the middle of `a` meets `b`, as a fraction of their motions.
fn core_impact(a: &Side<'_>, b: &Side<'_>, motions: [SweptPose; 2]) -> Option<f64> {
    let core = Shape::sphere((CORE * a.inner()).max(MIN_SIZE)).ok()?;
    let middle = a.colliders.middle(a.slot);
    let center = |pose: Pose| Pose::new(pose.transform_point(&middle), pose.rotation);
    let [from, to] = [motions[0].from, motions[0].to].map(center);
    let motion = SweptPose { from, to, center: Vector3::zeros() };
    let target = f64::from(CORE * a.inner());
    let cast =
        MotionCast { shapes: [&core, b.shape()], motions: [motion, motions[1]], erosion: [0.0; 2], target };
    cast_motion(&cast).filter(|hit| hit.status != CastStatus::StartsOverlapping).map(|hit| hit.fraction)
}
