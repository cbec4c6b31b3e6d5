//! Loops of joints that hold more coordinates than there are.

use super::LintedJoint;
use super::forest::Forest;
use super::symmetric6::{Symmetric6, Vector6};
use crate::World;
use crate::world::lint::{LintFinding, LintKind};
use drystone_contact::{SPAN, TWIST};
use drystone_math::{Displacement, Position, Vector3, widen};
use std::collections::{BTreeMap, BTreeSet};

/// Square of the angle, rad, and of the share of the loop's size, within which axes are parallel and points the same: a milliradian.
const PARALLEL: f64 = 1e-6;

/// The loops of a set of bodies.
#[derive(Default)]
struct Loops {
    /// Constraints that follow from others of their loop.
    redundant: usize,
    /// Those of the worst loop, and its joints.
    most: usize,
    worst: Vec<usize>,
    /// The joints of all loops.
    all: BTreeSet<usize>,
}

impl World {
    /// Around a loop the joints must turn and slide so that it stays closed: six equations, of which those count that the free coordinates of its joints can
    /// answer. With `M` of a column for each of these, its screw (Davies, Mech. Mach. Theory 16, 1981), `6 - rank M` constraints of the loop follow from
    /// others: three of a plane four-bar linkage of hinges, five of a door on two hinges. Loops are judged where bodies are now and one by one. What only several
    /// loops hold together is found by the count of Kutzbach where it is negative: all locked coordinates of a set less six for each of its bodies.
    ///
    /// A set of bodies is one finding, with its worst loop; with all of its loops where none is held twice by itself.
    pub(super) fn lint_loops(
        &self,
        joints: &[LintedJoint<'_>],
        forest: &Forest,
        findings: &mut Vec<LintFinding>,
    ) {
        let mut sets: BTreeMap<usize, Loops> = BTreeMap::new();
        for (set, around) in forest.loops(joints) {
            let redundant = 6 - self.loop_rank(joints, &around);
            let loops = sets.entry(set).or_default();
            loops.redundant += redundant;
            loops.all.extend(&around);
            if redundant > loops.most {
                (loops.most, loops.worst) = (redundant, around);
            }
        }
        let mut locked = vec![0; forest.set_sizes().len()];
        for joint in joints {
            let set = joint.ends.into_iter().flatten().find_map(|body| forest.set_of(body));
            set.into_iter()
                .for_each(|set| locked[set] += joint.tie.axes.iter().filter(|axis| axis.is_locked()).count());
        }
        for (set, loops) in sets {
            let redundant = loops.redundant.max(locked[set].saturating_sub(6 * forest.set_sizes()[set]));
            if redundant > 0 {
                let named =
                    if loops.worst.is_empty() { loops.all.into_iter().collect() } else { loops.worst };
                let bodies = joints[named[0]].tie.bodies.map(|body| self.bodies.handle(body));
                let handles = named.iter().map(|&joint| joints[joint].handle).collect();
                findings.push(
                    LintFinding::new(LintKind::RedundantLoop, bodies, redundant as f64, 0.0).on(handles),
                );
            }
        }
    }

    /// Independent motions of the free coordinates of the joints around a loop, at most 6.
    fn loop_rank(&self, joints: &[LintedJoint<'_>], around: &[usize]) -> usize {
        let points: Vec<[Position; 2]> =
            around.iter().map(|&joint| self.anchors_of(&joints[joint])).collect();
        let count = 2.0 * points.len() as f64;
        let origin = points[0][0];
        let center =
            origin + points.iter().flatten().map(|point| point - origin).sum::<Displacement>() / count;
        let size =
            points.iter().flatten().map(|point| (point - center).norm()).fold(f64::MIN_POSITIVE, f64::max);
        let mut gram = Symmetric6::ZERO;
        for (&joint, anchors) in around.iter().zip(&points) {
            let [a, b] = anchors.map(|point| (point - center) / size);
            self.for_free_screws(&joints[joint], [a, b], |screw| gram.add(&screw, 1.0));
        }
        gram.rank(PARALLEL)
    }

    /// Where a joint is on both bodies, m, world.
    fn anchors_of(&self, joint: &LintedJoint<'_>) -> [Position; 2] {
        std::array::from_fn(|k| {
            let pose = self.bodies.center_pose(joint.tie.bodies[k]);
            pose.translation + widen(&(pose.rotation * joint.tie.anchors[k]))
        })
    }

    /// Turns about axes through a point and ways along axes that a joint leaves free; limits count when they are met only.
    fn for_free_screws(
        &self,
        joint: &LintedJoint<'_>,
        [a, b]: [Displacement; 2],
        mut add: impl FnMut(Vector6),
    ) {
        let (tie, ([frame_a, frame_b], ..)) = (joint.tie, joint.tie.place(&self.bodies));
        let units = [Vector3::x(), Vector3::y(), Vector3::z()];
        let is_free = |axis: usize| !tie.axes[axis].is_locked();
        let mut turn = |axis: Displacement, at: &Displacement| {
            let way = at.cross(&axis);
            add([axis.x, axis.y, axis.z, way.x, way.y, way.z]);
        };
        if tie.axes[SPAN].is_locked() {
            // A rod is as good as a ball joint at each of its ends.
            for unit in units {
                turn(widen(&unit), &a);
                turn(widen(&unit), &b);
            }
            return;
        }
        for (k, unit) in units.iter().enumerate() {
            if is_free(TWIST + k) {
                turn(widen(&(if k == 0 { frame_b } else { frame_a } * unit)), &b);
            }
        }
        for (k, unit) in units.iter().enumerate() {
            if is_free(k) {
                let way = widen(&(frame_a * unit));
                add([0.0, 0.0, 0.0, way.x, way.y, way.z]);
            }
        }
    }
}
