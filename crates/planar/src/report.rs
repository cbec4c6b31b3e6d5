//! What a step tells: nothing degrades silently.

use crate::{PartitionReport, TreeReport};
use drystone_contact::BodyHandle;
use drystone_math::Real;
use std::time::Duration;

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanarStage {
    /// Boxes of what moved, and the tree.
    Bounds,
    /// Pairs that began.
    Pairs,
    /// Manifolds.
    Contacts,
    /// Contacts begun and ended, colours, bodies woken.
    Graph,
    /// Sub-steps.
    Solve,
    /// Poses, islands, sleep, events.
    Finish,
}

impl PlanarStage {
    /// All stages, in order.
    pub const ALL: [Self; 6] =
        [Self::Bounds, Self::Pairs, Self::Contacts, Self::Graph, Self::Solve, Self::Finish];

    /// Its name, as in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bounds => "bounds",
            Self::Pairs => "pairs",
            Self::Contacts => "contacts",
            Self::Graph => "graph",
            Self::Solve => "solve",
            Self::Finish => "finish",
        }
    }
}

/// A contact that stands out, with its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarWorst {
    /// How bad: a speed (m/s) or an overlap (m).
    pub value: Real,
    /// Its bodies.
    pub bodies: [BodyHandle; 2],
}

/// What one step of a planar world did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanarReport {
    /// Number of the step, from 0.
    pub step: u64,
    /// Time after the step since the world began, s.
    pub time: f64,
    /// Bodies of any kind.
    pub bodies: u32,
    /// Bodies awake after the step.
    pub awake: u32,
    /// Dynamic bodies asleep after the step.
    pub asleep: u32,
    /// Bodies that fell asleep in this step.
    pub fell_asleep: u32,
    /// Bodies woken in or before this step.
    pub woken: u32,
    /// Pairs of colliders near each other.
    pub edges: u32,
    /// Pairs looked at in this step.
    pub examined_pairs: u32,
    /// Contact points solved.
    pub contacts: u32,
    /// Of these, points that began with an impulse: that of the step before (S4-31), or the load above a pile set down.
    pub warm_points: u32,
    /// Islands of awake bodies, single ones included.
    pub islands: u32,
    /// Islands whose contacts would have given them energy in this step; their impulses were scaled back.
    pub limited_islands: u32,
    /// Colours of contacts; contacts that found none and were solved one by one.
    pub colours: u32,
    /// See `colours`.
    pub uncoloured: u32,
    /// Boxes that moved in the tree, and how many of them changed their node.
    pub moved_boxes: u32,
    /// See `moved_boxes`.
    pub reinserted: u32,
    /// Pairs that began in this step, and pairs that ended in or before it, by removal and quarantine as well: their
    /// difference is what `edges` changes by.
    pub begun: u32,
    /// See `begun`.
    pub ended: u32,
    /// Pairs that began in the memory of ones that had ended (S4-32).
    pub reused: u32,
    /// The quad-tree.
    pub tree: TreeReport,
    /// Its partition among workers.
    pub partition: PartitionReport,
    /// Largest closing speed at a contact that the last sweep still found, m/s.
    pub worst_residual: Real,
    /// Its contact.
    pub worst_residual_contact: Option<PlanarWorst>,
    /// Deepest overlap that the step began with, m.
    pub worst_overlap: Real,
    /// Its contact.
    pub worst_overlap_contact: Option<PlanarWorst>,
    /// Bodies taken out in this step because their state turned non-finite.
    pub quarantined: Vec<BodyHandle>,
    pub(crate) stage_times: [Duration; PlanarStage::ALL.len()],
}

impl PlanarReport {
    /// Wall time of every stage, in order.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        PlanarStage::ALL.iter().zip(&self.stage_times).map(|(s, t)| (s.name(), *t))
    }
}
