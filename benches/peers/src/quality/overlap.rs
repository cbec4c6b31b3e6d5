//! How deep bodies overlap: the narrow phase on every pair whose boxes do.

use crate::engine::Motion;
use crate::task::{Task, TaskBody};
use drystone_collision::Shape;
use drystone_collision::broad::{
    BroadPhase, HashGridConfig, HierarchicalHashGrid, PairChanges, Proxies, ProxyFilter,
};
use drystone_collision::narrow::{LocalManifold, PairCache, contact};
use drystone_exec::Exec;
use drystone_math::{Aabb, BitSet, Pose, widen};
use std::collections::BTreeSet;

/// Overlap of a state. A pair counts with its deepest point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Overlap {
    /// Deepest of all pairs, m.
    pub(crate) max: f64,
    /// Mean over the pairs that overlap, m.
    pub(crate) mean: f64,
    /// Number of pairs that overlap.
    pub(crate) pairs: usize,
}

/// Judges states of the same bodies.
pub(super) struct Judge<'a> {
    bodies: &'a [TaskBody],
    filters: Vec<ProxyFilter>,
    /// Pairs that joints keep from meeting, the lower index first.
    joined: BTreeSet<[usize; 2]>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(task: &'a Task) -> Self {
        let bodies = &task.bodies[..];
        let filter = |(index, body): (usize, &TaskBody)| ProxyFilter {
            member_of: 1,
            meets: 1,
            fixed: body.is_fixed,
            owner: index as u32,
        };
        let ascending = |[a, b]: [usize; 2]| [a.min(b), a.max(b)];
        let joined = task.joints.iter().map(|joint| ascending(joint.bodies)).collect();
        Self { bodies, filters: bodies.iter().enumerate().map(filter).collect(), joined }
    }

    /// Number of pairs whose surfaces are nearer than `reach` m.
    pub(super) fn touching(&mut self, motions: &[Option<Motion>], reach: f32) -> usize {
        let mut count = 0;
        self.visit(motions, reach, |a, b| count += usize::from(gap(a, b, reach).is_some()));
        count
    }

    /// Overlap of a state; bodies that are not there or not finite are left out. What is fixed is where the scene
    /// has it: the poses of peers are those of the boxes that stand in for half-spaces.
    pub(super) fn overlap(&mut self, motions: &[Option<Motion>]) -> Overlap {
        let (mut overlap, mut sum) = (Overlap::default(), 0.0);
        self.visit(motions, 0.0, |a, b| {
            let depth = gap(a, b, 0.0).map_or(0.0, |gap| -gap);
            if depth > 0.0 {
                overlap.max = overlap.max.max(depth);
                overlap.pairs += 1;
                sum += depth;
            }
        });
        overlap.mean = sum / overlap.pairs.max(1) as f64;
        overlap
    }

    /// Shows all pairs whose boxes, grown by `reach` m together, overlap.
    fn visit(
        &mut self,
        motions: &[Option<Motion>],
        reach: f32,
        mut look: impl FnMut((&Shape, &Pose), (&Shape, &Pose)),
    ) {
        let there = |(motion, body): (&Option<Motion>, &TaskBody)| {
            let pose = motion.map(|m| if body.is_fixed { body.pose } else { m.pose });
            pose.filter(Pose::is_finite)
        };
        let poses: Vec<Option<Pose>> = motions.iter().zip(self.bodies).map(there).collect();
        let boxed = |(pose, body): (&Option<Pose>, &TaskBody)| {
            pose.as_ref().map_or(Aabb::EMPTY, |pose| body.shape.aabb(pose).grown(f64::from(reach)))
        };
        let boxes: Vec<Aabb> = poses.iter().zip(self.bodies).map(boxed).collect();
        let mut changed = BitSet::new();
        changed.resize(boxes.len() as u32);
        (0..boxes.len() as u32).for_each(|i| changed.insert(i));
        // A new grid each time: every overlapping pair has begun.
        let mut grid = HierarchicalHashGrid::new(HashGridConfig::default()).expect("defaults are valid");
        let mut pairs = PairChanges::default();
        let proxies = Proxies { boxes: &boxes, filters: &self.filters, changed: &changed };
        grid.update(proxies, &Exec::serial(), &mut pairs);
        for pair in &pairs.begun {
            let (a, b) = (pair.a as usize, pair.b as usize);
            if self.joined.contains(&[a.min(b), a.max(b)]) {
                continue;
            }
            let (Some(pose_a), Some(pose_b)) = (&poses[a], &poses[b]) else { continue };
            look((&self.bodies[a].shape, pose_a), (&self.bodies[b].shape, pose_b));
        }
    }
}

/// Signed gap of a pair at its deepest point, m; `None` where it is farther apart than `reach` m.
fn gap(a: (&Shape, &Pose), b: (&Shape, &Pose), reach: f32) -> Option<f64> {
    let (pose_a, pose_b) = (near(a, b.1), near(b, a.1));
    let mut manifold = LocalManifold::default();
    contact(a.0, b.0, &pose_a.relative(&pose_b), reach, &mut PairCache::default(), &mut manifold);
    manifold
        .points()
        .iter()
        .map(|p| f64::from(p.distance))
        .filter(|&gap| gap <= f64::from(reach))
        .min_by(f64::total_cmp)
}

/// The frame of a shape; that of a half-space moved along its plane to where the other shape is, which keeps
/// the precision of `f32`.
fn near((shape, pose): (&Shape, &Pose), other: &Pose) -> Pose {
    let Shape::HalfSpace { normal } = shape else { return *pose };
    let n = widen(&(pose.rotation * normal));
    let way = other.translation - pose.translation;
    pose.translated(&(way - n * (n.dot(&way) / n.norm_squared())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vector3;

    fn depth(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> f64 {
        gap(a, b, 0.0).map_or(0.0, |gap| -gap)
    }

    #[test]
    fn depth_is_that_of_the_shapes() {
        let ball = Shape::sphere(1.0).expect("valid");
        let ground = Shape::half_space(Vector3::y()).expect("valid");
        let cube = Shape::cuboid(Vector3::repeat(0.5)).expect("valid");
        let far = Pose::at(1e6, 0.9, -1e6);
        assert!((depth((&ground, &Pose::at(0.0, 0.0, 0.0)), (&ball, &far)) - 0.1).abs() < 1e-6);
        let (low, high) = (Pose::at(0.0, 0.0, 0.0), Pose::at(0.2, 0.97, 0.0));
        assert!((depth((&cube, &low), (&cube, &high)) - 0.03).abs() < 1e-6);
        assert_eq!(depth((&cube, &low), (&cube, &Pose::at(0.0, 1.01, 0.0))), 0.0);
    }

    #[test]
    fn every_pair_counts_once_with_its_deepest_point() {
        let task = crate::task::Task::of_test("tower:4");
        // All boxes 1 mm, 2 mm, ... too low: each overlaps the one below, or the ground, by 1 mm.
        let motion = |(i, body): (usize, &TaskBody)| {
            let down = drystone_math::Displacement::new(0.0, -1e-3 * i as f64, 0.0);
            // What an engine says of the ground does not count.
            let pose = if body.is_fixed { Pose::at(0.0, -5.0, 0.0) } else { body.pose.translated(&down) };
            Some(Motion { pose, linear: Vector3::zeros(), angular: Vector3::zeros() })
        };
        let motions: Vec<_> = task.bodies.iter().enumerate().map(motion).collect();
        let overlap = Judge::new(&task).overlap(&motions);
        assert_eq!(overlap.pairs, 4);
        assert!((overlap.max - 1e-3).abs() < 1e-6 && (overlap.mean - 1e-3).abs() < 1e-6, "{overlap:?}");
    }
}
