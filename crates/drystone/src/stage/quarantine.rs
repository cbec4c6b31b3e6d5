//! Bodies whose state turned non-finite are taken out, named, and the rest goes on.

use super::words_per_part;
use crate::StepReport;
use crate::world::World;
use drystone_contact::{Bodies, BodyHot, BodyIndex, ContactPoint, EdgeIndex, JointConstraint};
use drystone_exec::{Exec, chunks, items_mut};
use drystone_math::{Pose, Real, indices, is_finite};
use std::ops::AddAssign;

/// Finds bodies with a non-finite state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quarantine {
    /// Whether there is anyone to ask in a part of the bodies.
    suspects: Vec<bool>,
    found: Vec<BodyIndex>,
}

impl Quarantine {
    /// Looks at all awake bodies; those with a velocity or pose that is not finite lose velocity and mass,
    /// stay where they last were, and are named in the report.
    fn check(&mut self, bodies: &mut Bodies, report: &mut StepReport, exec: &Exec) {
        self.found.clear();
        let view = bodies.view();
        if !view.awake.has_any() {
            return;
        }
        let words = view.awake.words();
        let per_part = words_per_part(words.len());
        self.suspects.resize(words.len().div_ceil(per_part), false);
        let parts = (chunks(words, per_part), items_mut(&mut self.suspects));
        exec.for_each_static(parts, |part, (words, has_suspects)| {
            let mut sums = Sums::default();
            bodies_of(part * per_part, words).for_each(|i| sums.add(&view.hot[i.get()], &view.pose[i.get()]));
            *has_suspects = !sums.are_finite();
        });
        let is_broken = |i: &BodyIndex| !view.hot[i.get()].is_finite() || !view.pose[i.get()].is_finite();
        for (part, words) in words.chunks(per_part).enumerate().filter(|&(part, _)| self.suspects[part]) {
            self.found.extend(bodies_of(part * per_part, words).filter(is_broken));
        }
        for &index in &self.found {
            // Velocities are looked at before they move anything, so the pose is finite unless a method of
            // the user's wrote it.
            let pose = *bodies.center_pose(index);
            bodies.quarantine(index, if pose.is_finite() { pose } else { Pose::IDENTITY });
            report.quarantined.extend(bodies.handle(index));
        }
    }
}

/// What some bodies add up to. Sums are finite only if all their terms are; where they are not, each body is asked, as large numbers may
/// overflow them. Side by side, so that they take an instruction for several numbers.
#[derive(Default)]
struct Sums {
    linear: [Real; 4],
    angular: [Real; 3],
    rotation: [Real; 4],
    translation: [f64; 3],
}

impl Sums {
    #[inline]
    fn add(&mut self, hot: &BodyHot, pose: &Pose) {
        let (v, w, q, t) = (&hot.linear, &hot.angular, &pose.rotation.coords, &pose.translation);
        // The mass is finite, and makes four numbers of three.
        add(&mut self.linear, [v.x, v.y, v.z, hot.inverse_mass]);
        add(&mut self.angular, [w.x, w.y, w.z]);
        add(&mut self.rotation, [q.x, q.y, q.z, q.w]);
        add(&mut self.translation, [t.x, t.y, t.z]);
    }

    fn are_finite(&self) -> bool {
        let single = self.linear.iter().chain(&self.angular).chain(&self.rotation).all(|sum| sum.is_finite());
        single && self.translation.iter().all(|sum| sum.is_finite())
    }
}

#[inline]
fn add<T: AddAssign, const N: usize>(sums: &mut [T; N], terms: [T; N]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

/// The bodies in the words of a set from word `first` on.
#[inline]
fn bodies_of(first: usize, words: &[u64]) -> impl Iterator<Item = BodyIndex> + '_ {
    indices(words.iter().copied()).map(move |i| BodyIndex((first * 64) as u32 + i))
}

impl World {
    /// Takes out what is broken now ([`Quarantine::check`]). Asleep as it is from then on, nobody follows it: its colliders and contacts go once more to where
    /// it stays, as those of what was disturbed.
    pub(super) fn take_out_broken(&mut self, exec: &Exec) {
        self.quarantine.check(&mut self.bodies, &mut self.report, exec);
        if self.articulations.count() > 0 {
            self.take_out_articulations();
        }
        for place in 0..self.quarantine.found.len() {
            self.disturb(self.quarantine.found[place]);
        }
    }

    /// An articulation of which a link was taken out goes as a whole: its other links are named and stay where they are too, and it is removed.
    fn take_out_articulations(&mut self) {
        for place in 0..self.quarantine.found.len() {
            let Some(handle) = self.articulations.of(self.quarantine.found[place]) else { continue };
            let Some(reduced) = self.articulations.remove(handle) else { continue };
            for link in reduced.bodies() {
                if self.bodies.hot(link).is_quarantined() {
                    continue;
                }
                let pose = *self.bodies.center_pose(link);
                self.bodies.quarantine(link, pose);
                self.report.quarantined.extend(self.bodies.handle(link));
                self.quarantine.found.push(link);
            }
        }
    }

    /// After the response: contacts of bodies that were taken out in this step lose the points that the same arithmetic left without numbers. The next
    /// step looks at them anew. Costs the contacts of these bodies.
    pub(super) fn forget_broken_contacts(&mut self) {
        let is_broken = |point: &ContactPoint| {
            let vectors = [&point.impulse, &point.accumulated_slip, &point.warm_start_impulse];
            !point.distance.is_finite() || vectors.into_iter().any(|v| !is_finite(v))
        };
        for place in 0..self.report.quarantined.len() {
            let Ok(index) = self.bodies.index(self.report.quarantined[place]) else { continue };
            let edges: Vec<EdgeIndex> = self.graph.linked_edges_of(index).collect();
            for edge in edges {
                let known = self.graph.edge(edge);
                if known.is_tie() || known.manifold.points().iter().any(is_broken) {
                    self.forget_contact(edge);
                }
            }
        }
    }

    /// A contact loses its points, a joint what it gave: the next step looks at them anew.
    pub(super) fn forget_contact(&mut self, edge: EdgeIndex) {
        if self.graph.change_tie(edge, JointConstraint::forget).is_some() {
            return;
        }
        self.graph.edges_mut()[edge.get()].manifold.clear();
        self.graph.relink(&self.bodies, edge);
        self.contacts.reopen(edge, true);
    }
}
