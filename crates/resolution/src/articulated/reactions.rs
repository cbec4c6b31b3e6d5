//! What joints gave in a step, from the momenta before and after it.
//!
//! From the leaves to the roots, with the momenta `p`, `L` of each link, what acts on it from outside (gravity, forces, contacts) as impulses `c`, `l`, and
//! its joint at `o`, all about its centre of mass:
//! ```text
//! R = Δp - c + Σ R'        T = ΔL - l - (o - x)×R + Σ (T' + (o' - x)×R')        primed: of the joints of its children
//! ```
//! Exact in the impulse, and of first order in how far links turn within the step. Damping of bodies counts to the joints.

use super::reduced::{Closure, Reduced, TreeJoint};
use drystone_articulation::spatial::SpatialForce;
use drystone_articulation::{JointKind, LinkIndex};
use drystone_contact::{ContactGraph, StepParams};
use drystone_math::{narrow, widen};
use nalgebra::Vector3;

/// Momenta of a link, and what acted on it from outside in a step, about its centre of mass, N s and N m s.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    before: SpatialForce,
    given: SpatialForce,
}

impl Reduced {
    /// Notes momenta before a step.
    pub(super) fn begin_reactions(&mut self, step: &StepParams) {
        let dt = f64::from(step.dt);
        for k in 0..self.links.len() {
            let link = &self.links[k];
            let weight = widen(&step.acceleration) * link.mass;
            let given = SpatialForce::new(link.torque, link.force + weight) * dt;
            self.balances[k] = Balance { before: self.momentum(k), given };
        }
    }

    /// A contact gave this to a link in the step: an impulse through a point of the world (m) and a moment.
    pub(crate) fn add_contact(
        &mut self,
        link: LinkIndex,
        at: &Vector3<f64>,
        force: Vector3<f64>,
        moment: Vector3<f64>,
    ) {
        let k = link.index();
        let arm = at - self.center(k);
        self.balances[k].given += SpatialForce::at(&arm, force) + SpatialForce::new(moment, Vector3::zeros());
    }

    /// Writes what joints gave in the step of `dt` seconds.
    pub(crate) fn write_reactions(&mut self, graph: &mut ContactGraph, dt: f64) {
        if self.is_broken {
            return;
        }
        self.add_closures(graph, dt);
        // What each link's joint gave it, at the link's origin.
        self.impulses.fill(SpatialForce::default());
        for k in (0..self.links.len()).rev() {
            let center = self.center(k);
            let Balance { before, given } = self.balances[k];
            // What its children need, gathered so far, and what it needs itself, about its centre.
            let own = self.impulses[k] + self.momentum(k) - before - given;
            let origin = self.articulation.kinematics().links()[k].origin;
            let arm = origin - center;
            let reaction = SpatialForce::new(own.moment - arm.cross(&own.force), own.force);
            self.impulses[k] = reaction;
            if let Some(parent) = self.articulation.model().links()[k].parent() {
                let lever = origin - self.center(parent.index());
                self.impulses[parent.index()] += reaction.moved_back(&lever);
            }
        }
        self.write_turns(graph);
        for joint in &self.joints {
            let SpatialForce { moment, force } = self.impulses[joint.link.index()];
            let _ = graph.change_tie(joint.edge, |tie| {
                if joint.is_turned {
                    // B is the parent, and its anchor the joint's frame before its way.
                    let way = self.way(joint);
                    (tie.impulse, tie.torque) = (narrow(&-force), narrow(&-(moment + way.cross(&force))));
                } else {
                    (tie.impulse, tie.torque) = (narrow(&force), narrow(&moment));
                }
            });
        }
    }

    /// Writes how far its hinges have turned, with their revolutions.
    pub(crate) fn write_turns(&self, graph: &mut ContactGraph) {
        for joint in self.joints.iter().filter(|joint| joint.freedom.counts_turns()) {
            let place = self.articulation.model().links()[joint.link.index()].positions().start;
            let Some(&angle) = self.articulation.state().positions().get(place) else { continue };
            let _ = graph.change_tie(joint.edge, |tie| tie.count_from(angle));
        }
    }

    /// How far a slider's link is from its joint's frame, m, world.
    fn way(&self, joint: &TreeJoint) -> Vector3<f64> {
        let link = &self.articulation.model().links()[joint.link.index()];
        let axes = &self.articulation.kinematics().axes()[link.dofs()];
        let positions = &self.articulation.state().positions()[link.positions()];
        match (link.kind(), axes, positions) {
            (JointKind::Prismatic { .. }, [axis], [position]) => axis.linear * *position,
            _ => Vector3::zeros(),
        }
    }

    /// What closures gave acts on their links from outside of the tree.
    fn add_closures(&mut self, graph: &mut ContactGraph, dt: f64) {
        let mut index = 0;
        for place in 0..self.loops.len() {
            let Closure { edge, anchor, on, is_turned, count } = self.loops[place];
            let pose = &self.articulation.kinematics().links()[on[1].map_or(0, LinkIndex::index)];
            let anchor = pose.origin + pose.rotation * anchor;
            let mut sum = SpatialForce::default();
            for point in &self.points[index..index + count] {
                let Ok(force) = self.articulation.loop_force(index) else { return };
                index += 1;
                let arm = pose.rotation * point + pose.origin - anchor;
                sum += (force + SpatialForce::new(arm.cross(&force.force), Vector3::zeros())) * dt;
            }
            for (link, sign) in [(on[0], -1.0), (on[1], 1.0)] {
                let Some(link) = link else { continue };
                self.add_contact(link, &anchor, sum.force * sign, sum.moment * sign);
            }
            let sign = if is_turned { -1.0 } else { 1.0 };
            let _ = graph.change_tie(edge, |tie| {
                (tie.impulse, tie.torque) = (narrow(&(sum.force * sign)), narrow(&(sum.moment * sign)));
            });
        }
    }
}
