//! Joints that go with others: `mimic` of URDF, `joint` of an MJCF equality. They become couplings of the scene.
//!
//! ```text
//! qₐ = offset + ratio · q_b
//! ```
//! with the follower's coordinate `qₐ` and the leader's `q_b`, both rad or m from where the file puts the model. What goes with a joint that is held is held itself.

use super::Rig;
use super::assembly::Assembly;
use super::dof::{Dof, Motion};
use super::{Hold, How};
use crate::model::{CouplingEntry, CouplingKindSpec, JointAxisSpec, JointEntry, JointKindSpec};
use drystone::math::Real;
use std::collections::BTreeSet;
use std::f32::consts::PI;

/// A coordinate that goes with another one. See the module.
pub(in crate::import) struct Mimic {
    /// What notes call the follower and the leader.
    pub names: [String; 2],
    /// Their numbers ([`Dof::number`]).
    pub dofs: [usize; 2],
    /// Not 0.
    pub ratio: f64,
    /// rad or m.
    pub offset: f64,
}

/// Least and greatest size of a ratio, no unit, or m per rad: its square and that of its inverse are numbers that masses can be multiplied with.
const RATIOS: [f64; 2] = [1e-6, 1e6];

impl Mimic {
    /// Why a ratio cannot be, in words that follow what the file calls it; `None` for one that can, and 0, which holds the follower.
    pub(in crate::import) fn refusal(ratio: f64) -> Option<String> {
        let [least, greatest] = RATIOS;
        let is_fine = ratio == 0.0 || (least..=greatest).contains(&ratio.abs());
        (!is_fine).then(|| format!("must be 0 or of a size of {least:e} to {greatest:e}, got {ratio:e}"))
    }

    /// Where the follower is when the leader is there.
    pub(super) fn follow(&self, leader: f64) -> f64 {
        self.offset + self.ratio * leader
    }

    /// Where the leader is when the follower is there.
    pub(super) fn lead(&self, follower: f64) -> f64 {
        (follower - self.offset) / self.ratio
    }
}

impl Rig {
    /// A degree of freedom of a hold; `None` where it has none of this index.
    pub(in crate::import) fn dof_mut(&mut self, hold: usize, index: usize) -> Option<&mut Dof> {
        match self.holds.get_mut(hold) {
            Some(Hold { how: How::Chain { dofs, .. }, .. }) => dofs.get_mut(index),
            _ => None,
        }
    }

    /// The number by which a [`Mimic`] names a degree of freedom.
    pub(in crate::import) fn number_of(&mut self, hold: usize, index: usize) -> Option<usize> {
        let chains = self.holds.iter().filter_map(|hold| match &hold.how {
            How::Chain { dofs, .. } => Some(dofs),
            _ => None,
        });
        let next = chains.flatten().filter_map(|dof| dof.number).max().map_or(0, |last| last + 1);
        let dof = self.dof_mut(hold, index)?;
        Some(*dof.number.get_or_insert(next))
    }
}

impl Assembly {
    /// The chain of a degree of freedom with a number, and the place in it.
    pub(super) fn place_of(&self, number: usize) -> Option<[usize; 2]> {
        let within = |chain: usize| self.chains[chain].dofs.iter().position(|dof| dof.number == Some(number));
        (0..self.chains.len()).find_map(|chain| Some([chain, within(chain)?]))
    }

    fn numbered(&mut self, number: usize) -> Option<&mut Dof> {
        self.place_of(number).map(|[chain, k]| &mut self.chains[chain].dofs[k])
    }

    /// Holds what goes with something that is held, and gives all that is held its value as its limits.
    pub(super) fn hold_mimics(&mut self) {
        // Each round takes one away, or is the last.
        for _ in 0..self.mimics.len() {
            let found = (0..self.mimics.len()).find_map(|k| {
                let held = self.mimics[k].dofs.map(|dof| self.numbered(dof).and_then(|dof| dof.locked_at()));
                held.iter().any(Option::is_some).then_some((k, held))
            });
            let Some((k, held)) = found else { break };
            let mimic = self.mimics.remove(k);
            let (other, value) = match held {
                [None, Some(leader)] => (0, mimic.follow(f64::from(leader)) as Real),
                [Some(follower), _] => (1, mimic.lead(f64::from(follower)) as Real),
                [None, None] => continue,
            };
            let [name, of] = [&mimic.names[other], &mimic.names[1 - other]];
            if held[other].is_some_and(|own| own != value) {
                self.notes.push(format!("left out: joint {name} goes with joint {of}, since both are held"));
            } else if let Some(dof) = self.numbered(mimic.dofs[other]) {
                if dof.motion == Motion::Turn && value.abs() > PI {
                    let note = "since it would be held beyond half a turn";
                    self.notes.push(format!("left out: joint {name} goes with joint {of}, {note}"));
                    continue;
                }
                dof.held = Some(value);
                self.notes.push(format!(
                    "joint {name} is held at {value}, since it goes with joint {of}, which is held"
                ));
            }
        }
        for dof in self.chains.iter_mut().flat_map(|chain| &mut chain.dofs) {
            if let Some(value) = dof.held {
                (dof.lower, dof.upper) = (Some(value), Some(value));
            }
        }
        let left: BTreeSet<usize> = self.mimics.iter().flat_map(|mimic| mimic.dofs).collect();
        for dof in self.chains.iter_mut().flat_map(|chain| &mut chain.dofs) {
            dof.number = dof.number.filter(|number| left.contains(number));
        }
    }

    /// Couplings of what goes together, between joints that have a name from now on.
    pub(super) fn couplings(&mut self, joints: &mut [JointEntry]) -> Vec<CouplingEntry> {
        let mut couplings = Vec::new();
        for mimic in std::mem::take(&mut self.mimics) {
            let [Some(follower), Some(leader)] = mimic.dofs.map(|dof| self.placed.get(&dof).copied()) else {
                let [name, of] = &mimic.names;
                self.notes.push(format!(
                    "left out: joint {name} goes with joint {of}, since one of them is left out"
                ));
                continue;
            };
            // In terms of what both are from where they start.
            let value = mimic.follow(f64::from(leader.1)) - f64::from(follower.1);
            let kind = CouplingKindSpec::Sum {
                axes: [leader, follower].map(|(joint, _)| axis_of(&joints[joint])),
                factors: [-mimic.ratio as Real, 1.0],
            };
            let [leader, follower] = [(leader.0, &mimic.names[1]), (follower.0, &mimic.names[0])]
                .map(|(joint, name)| named(joints, joint, name));
            let (least, greatest, collides) = (Some(value), Some(value), true);
            couplings.push(CouplingEntry {
                least,
                greatest,
                collides,
                ..CouplingEntry::new(kind, leader, follower)
            });
        }
        couplings
    }
}

/// The coordinate of a joint of one degree of freedom.
fn axis_of(joint: &JointEntry) -> JointAxisSpec {
    match joint.kind {
        JointKindSpec::Slider => JointAxisSpec::X,
        _ => JointAxisSpec::Twist,
    }
}

/// The name of a joint of the scene: the one that it has, or what the file calls it, with a number where another joint is called so.
fn named(joints: &mut [JointEntry], joint: usize, name: &str) -> String {
    if let Some(name) = &joints[joint].name {
        return name.clone();
    }
    let plain = name.trim_matches('"');
    let plain = if plain.is_empty() { "joint" } else { plain };
    let is_taken = |name: &str| joints.iter().any(|joint| joint.name.as_deref() == Some(name));
    let mut free = plain.to_owned();
    let mut number = 1;
    // Ends, since no more numbers are taken than there are joints.
    while is_taken(&free) {
        number += 1;
        free = format!("{plain} {number}");
    }
    joints[joint].name = Some(free.clone());
    free
}
