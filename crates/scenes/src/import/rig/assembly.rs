//! What a robot comes to: bodies of links that are fixed to each other, chains of degrees of freedom between them, and what holds them together besides.
//!
//! What has neither mass nor shape is no body ([`Assembly::reduce`]): it is a part of the chain that goes through it. A chain that is no joint of the engine
//! gets links in between ([`Assembly::split`]).

use super::body::Cluster;
use super::dof::{Dof, Motion};
use super::fit::{Fit, bounded, longest, servos};
use super::inertia::{add_rotor, split_off};
use super::mimic::Mimic;
use crate::import::names::Names;
use crate::import::overlaps::separation;
use crate::import::xml::LeftOut;
use crate::model::{JointEntry, RotorSpec};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real};
use std::collections::{BTreeMap, BTreeSet};

/// Share of a body's mass and moments that a link in between takes: small, so that little is elsewhere than in the file, but no speck between two bodies.
const SHARE: Real = 1.0 / 16.0;

/// Share of the least moment of the whole model that rotors may add to moments across their axes, all of them together.
const ROTORS: Real = 0.1;

/// Degrees of freedom between two clusters, from the first one on.
pub(super) struct Chain {
    pub name: String,
    pub ends: [usize; 2],
    pub dofs: Vec<Dof>,
    pub collides: bool,
}

/// A joint that closes a loop.
pub(super) struct Closing {
    pub name: String,
    pub ends: [usize; 2],
    pub entry: JointEntry,
}

/// See the module.
pub(super) struct Assembly {
    pub clusters: Vec<Cluster>,
    pub chains: Vec<Chain>,
    pub closings: Vec<Closing>,
    pub mimics: Vec<Mimic>,
    /// Joints that degrees of freedom became which mimics name, by their numbers: the place among the joints, and where it starts ([`Dof::start`]).
    pub placed: BTreeMap<usize, (usize, Real)>,
    /// Pairs that do not meet, smaller index first.
    pub apart: BTreeSet<[usize; 2]>,
    pub notes: Vec<String>,
}

impl Assembly {
    /// Leaves out chains that hold nothing, and clusters of nothing: at the end of a chain, at its beginning, or within.
    pub(super) fn reduce(&mut self) {
        self.drop_chains_of_nothing();
        while let Some(nothing) = (0..self.clusters.len()).find(|&cluster| self.can_go(cluster)) {
            self.leave_out(nothing);
        }
        self.weigh_junctions();
    }

    /// Chains into and out of a cluster.
    fn around(&self, cluster: usize) -> [Vec<usize>; 2] {
        [1, 0].map(|end| {
            let all = 0..self.chains.len();
            all.filter(|&chain| self.chains[chain].ends[end] == cluster).collect()
        })
    }

    /// What hangs on a cluster.
    pub(super) fn below(&self, cluster: usize) -> Vec<usize> {
        let [_, below] = self.around(cluster);
        below.into_iter().map(|chain| self.chains[chain].ends[1]).collect()
    }

    fn is_closed(&self, cluster: usize) -> bool {
        self.closings.iter().any(|closing| closing.ends.contains(&cluster))
    }

    /// Whether a cluster is nothing, and what hangs on it does without it.
    fn can_go(&self, cluster: usize) -> bool {
        let own = &self.clusters[cluster];
        let [above, below] = self.around(cluster).map(|chains| chains.len());
        let is_alone = above + below == 0;
        own.is_nothing() && !own.is_gone && !is_alone && below <= 1 && !self.is_closed(cluster)
    }

    fn leave_out(&mut self, cluster: usize) {
        let name = self.clusters[cluster].name.clone();
        let [above, below] = self.around(cluster);
        match (above.first().copied(), below.first().copied()) {
            (Some(above), Some(below)) => {
                let lower = self.chains.remove(below);
                let upper = &mut self.chains[above - usize::from(below < above)];
                upper.ends[1] = lower.ends[1];
                upper.dofs.extend(lower.dofs);
                upper.collides &= lower.collides;
                self.notes.push(format!(
                    "link {name:?} has neither mass nor shape: joints {} and {} are one, of several axes",
                    upper.name, lower.name
                ));
                upper.name = format!("{} and {}", upper.name, lower.name);
            }
            (Some(chain), None) => {
                let chain = self.chains.remove(chain);
                let parent = &self.clusters[chain.ends[0]].name;
                self.notes.push(format!(
                    "link {name:?} has neither mass nor shape: it is a part of {parent:?}, without its joint {}",
                    chain.name
                ));
            }
            (None, Some(chain)) => {
                let chain = self.chains.remove(chain);
                self.notes.push(format!(
                    "link {name:?} has neither mass nor shape, and hangs on nothing: it is left out with its joint {} (a fixed base would hold it)",
                    chain.name
                ));
            }
            (None, None) => {}
        }
        self.clusters[cluster].is_gone = true;
    }

    fn drop_chains_of_nothing(&mut self) {
        let (clusters, notes) = (&self.clusters, &mut self.notes);
        let mut holds = |name: &str, [a, b]: [usize; 2]| {
            let can_move = a != b && !(clusters[a].is_fixed && clusters[b].is_fixed);
            if !can_move {
                notes.push(format!("left out: joint {name}, since what it holds cannot move apart"));
            }
            can_move
        };
        self.chains.retain(|chain| holds(&chain.name, chain.ends));
        self.closings.retain(|closing| holds(&closing.name, closing.ends));
    }

    /// Gives what branches without a mass of its own a share of those that hang on it, the last ones first.
    fn weigh_junctions(&mut self) {
        let is_open = |cluster: &Cluster| cluster.is_nothing() && !cluster.is_gone && !cluster.is_fixed;
        // Each round weighs one at least, or is the last.
        for _ in 0..self.clusters.len() {
            let ready = (0..self.clusters.len()).find(|&cluster| {
                let below = self.below(cluster);
                is_open(&self.clusters[cluster])
                    && !below.is_empty()
                    && below.iter().all(|&child| !is_open(&self.clusters[child]))
            });
            let Some(junction) = ready else { break };
            let below = self.below(junction);
            self.share_out(junction, &below);
        }
    }

    /// Gives a cluster a share of the masses of others.
    fn share_out(&mut self, to: usize, of: &[usize]) {
        let mut taken = Vec::new();
        for &other in of {
            let local = self.clusters[to].pose.relative(&self.clusters[other].pose);
            if let Some(mass) = self.clusters[other].mass.as_mut() {
                taken.push(split_off(mass, SHARE).transformed(&local.translation, &local.rotation));
            }
        }
        self.clusters[to].take(&taken);
        let own = &self.clusters[to];
        let mass = own.mass.map_or(0.0, |mass| mass.mass);
        self.notes.push(format!(
            "link {:?} has neither mass nor shape, but several links hang on it: it takes a share of theirs, {mass:.3e} kg",
            own.name
        ));
    }

    /// Makes joints of the engine of all chains; puts links in between where it takes several. For articulations each degree of freedom is a joint, and rotors are
    /// apart from the masses of bodies.
    pub(super) fn split(
        &mut self,
        names: &mut Names,
        articulated: bool,
    ) -> (Vec<JointEntry>, Vec<RotorSpec>) {
        let mut joints = Vec::new();
        let mut apart = Vec::new();
        let most = if articulated { 1 } else { usize::MAX };
        let mut rotors = [0.0, 0.0];
        let (mut slides, mut left_out) = (0, LeftOut::default());
        let room = self.room_for_a_rotor();
        for chain in std::mem::take(&mut self.chains) {
            let mut chain = chain;
            if articulated {
                chain.dofs.iter_mut().for_each(Dof::part_damping);
            }
            let pair = sorted(chain.ends);
            let meets = chain.collides && !self.apart.contains(&pair);
            let mut pieces = Vec::new();
            let mut rest = &chain.dofs[..];
            while let Some((fit, count)) = longest(rest, most) {
                // For its notes.
                let _ = bounded(&rest[..count], &mut left_out);
                pieces.push((fit, &rest[..count]));
                rest = &rest[count..];
            }
            let last = pieces.len().saturating_sub(1);
            let between = self.links_between(&chain, &pieces, names);
            for (k, (fit, dofs)) in pieces.into_iter().enumerate() {
                let from = if k == 0 { chain.ends[0] } else { between[k - 1] };
                let to = if k == last { chain.ends[1] } else { between[k] };
                if articulated {
                    apart.extend(rotor_of(joints.len(), dofs));
                } else {
                    let is_slide = |dof: &&Dof| dof.motion == Motion::Slide && dof.armature > 0.0;
                    slides += dofs.iter().filter(is_slide).count();
                    self.add_rotors([from, to], dofs, room, &mut rotors);
                }
                let collides = meets || last > 0;
                if let [Dof { number: Some(number), start, .. }] = dofs {
                    self.placed.insert(*number, (joints.len(), *start));
                }
                for Fit { entry, is_reversed } in std::iter::once(fit).chain(servos(dofs)) {
                    let mut ends = [from, to].map(|end| self.clusters[end].name.clone());
                    if is_reversed {
                        ends.reverse();
                    }
                    joints.push(JointEntry { bodies: ends, collides, ..entry });
                }
            }
            if last > 0 && !meets {
                self.apart.insert(pair);
            } else {
                self.apart.remove(&pair);
            }
        }
        if rotors[0] > 0.0 {
            self.notes.push(format!(
                "armature of joints is inertia of what they turn, as far as a body can have it: {:.3e} of {:.3e} kg m² in all",
                rotors[1], rotors[0]
            ));
        }
        self.notes.extend(left_out.notes());
        if slides > 0 {
            self.notes.push(format!(
                "left out: `armature` of slides ({slides} times), which articulations alone have"
            ));
        }
        (joints, apart)
    }

    /// New links between the pieces of a chain; each takes a share of what hangs on the chain.
    fn links_between(&mut self, chain: &Chain, pieces: &[(Fit, &[Dof])], names: &mut Names) -> Vec<usize> {
        let mut between = Vec::new();
        if pieces.len() < 2 {
            return between;
        }
        // What is fixed has no mass to share.
        let owner = chain.ends.into_iter().rev().find(|&end| !self.clusters[end].is_fixed);
        let owner = owner.unwrap_or(chain.ends[1]);
        let mut given = 0.0;
        for (number, (_, dofs)) in pieces[..pieces.len() - 1].iter().enumerate() {
            let after = dofs.iter().map(|dof| dof.name.as_str()).find(|name| !name.is_empty());
            let after = after.map_or_else(|| (number + 1).to_string(), str::to_owned);
            let name = names.free(&format!("{}.{after}", self.clusters[chain.ends[1]].name));
            let source = &mut self.clusters[owner];
            let mut link = Cluster::between(name, source);
            if let Some(mass) = source.mass.as_mut() {
                // Of what there was, whatever others took before.
                let share = SHARE / (1.0 - SHARE * number as Real);
                let taken = split_off(mass, share);
                given += taken.mass;
                link.take(&[taken]);
            }
            between.push(self.clusters.len());
            self.clusters.push(link);
        }
        let listed: Vec<String> = between.iter().map(|&k| format!("{:?}", self.clusters[k].name)).collect();
        self.notes.push(format!(
            "joints {} of {:?} are {} joints with links in between ({}), which take {given:.3e} kg of the mass of {:?}",
            chain.name,
            self.clusters[chain.ends[1]].name,
            pieces.len(),
            listed.join(", "),
            self.clusters[owner].name
        ));
        between
    }

    /// Adds the rotors of a joint to the body that it turns; counts what there was, and what became of it.
    ///
    /// A rotor resists the turning of its joint, what is added here that of the body. On what is fixed that is the same; elsewhere all rotors together add
    /// [`ROTORS`] of the moment of the whole model at most, beyond what the bodies can have about the axes alone.
    fn add_rotors(&mut self, ends: [usize; 2], dofs: &[Dof], whole: Real, sums: &mut [Real; 2]) {
        let end = if self.clusters[ends[1]].is_fixed { ends[0] } else { ends[1] };
        let is_held = self.clusters[ends[0]].is_fixed && dofs.len() == 1;
        let room = if is_held { Real::INFINITY } else { whole };
        let cluster = &mut self.clusters[end];
        let Some(mass) = cluster.mass.as_mut().filter(|mass| mass.is_valid()) else { return };
        for dof in dofs.iter().filter(|dof| dof.armature > 0.0 && dof.motion != Motion::Slide) {
            sums[0] += dof.armature;
            if dof.motion == Motion::Turn {
                let axis = cluster.pose.rotation.inverse() * dof.axis;
                sums[1] += add_rotor(mass, &axis, dof.armature, room);
            }
        }
    }

    /// What a rotor may add to the moments of its body across its axis, kg m²: its share of those of the whole model.
    fn room_for_a_rotor(&self) -> Real {
        let count = self.chains.iter().flat_map(|chain| &chain.dofs).filter(|dof| dof.armature > 0.0).count();
        let first = self.clusters.first().map_or(Pose::IDENTITY, |cluster| cluster.pose);
        let moving = self.clusters.iter().filter(|cluster| !cluster.is_fixed && !cluster.is_gone);
        let masses = moving.filter_map(|cluster| {
            let local = first.relative(&cluster.pose);
            Some(cluster.mass?.transformed(&local.translation, &local.rotation))
        });
        let whole = MassProperties::combined(&masses.collect::<Vec<_>>());
        whole.map_or(0.0, |whole| ROTORS * whole.principal.min() / count.max(1) as Real)
    }

    /// Joints that hold nothing: their bodies do not meet. For pairs that no joint holds together.
    pub(super) fn separations(&mut self) -> Vec<JointEntry> {
        let mut joints = Vec::new();
        let mut fixed = 0;
        for [a, b] in std::mem::take(&mut self.apart) {
            let pair = [&self.clusters[a], &self.clusters[b]];
            if pair.iter().any(|own| own.is_gone) || pair.iter().all(|own| own.is_fixed) {
                continue;
            }
            if pair.iter().any(|own| own.is_fixed) {
                // What hangs on such a joint would count as carried.
                fixed += 1;
                continue;
            }
            let at = pair[1].pose.translation.coords.into();
            joints.push(separation(&pair[0].name, &pair[1].name, at));
        }
        if !joints.is_empty() {
            self.notes.push(format!(
                "{} pairs of bodies that do not meet have a joint that leaves all free",
                joints.len()
            ));
        }
        if fixed > 0 {
            self.notes.push(format!(
                "left out: `exclude` of contacts with what does not move, where no joint holds it ({fixed} times)"
            ));
        }
        joints
    }
}

/// The rotor of a joint of one degree of freedom in an articulation, with its damping; `None` where it has neither.
fn rotor_of(joint: usize, dofs: &[Dof]) -> Option<RotorSpec> {
    let [Dof { armature, damping, .. }] = dofs else { return None };
    let [armature, damping] = [*armature, *damping].map(f64::from);
    (armature > 0.0 || damping > 0.0).then_some(RotorSpec { joint, armature, damping })
}

/// Two clusters, whichever was named first.
pub(super) fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}
