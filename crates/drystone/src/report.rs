//! What a step tells: nothing degrades silently.

use crate::ContinuousReport;
use drystone_collision::broad::BroadReport;
use drystone_contact::{BodyHandle, Wake, WakeCounts};
use drystone_correction::CorrectionReport;
use drystone_math::Real;
use drystone_resolution::SolverReport;
use std::time::Duration;

/// The stages of a step, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Pipelines that move bodies first do it here.
    Begin,
    /// Boxes of what moved.
    Bounds,
    /// Pairs that began or ended.
    Pairs,
    /// Manifolds.
    Contacts,
    /// Edges, islands, batches, levels.
    Graph,
    /// Penetration correction.
    Correct,
    /// Wake rules.
    Wake,
    /// Velocities and impulses.
    Solve,
    /// Checks, forces forgotten.
    Finalize,
    /// Bodies put to sleep.
    Sleep,
    /// Events and figures.
    Report,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 11] = [
        Stage::Begin,
        Stage::Bounds,
        Stage::Pairs,
        Stage::Contacts,
        Stage::Graph,
        Stage::Correct,
        Stage::Wake,
        Stage::Solve,
        Stage::Finalize,
        Stage::Sleep,
        Stage::Report,
    ];

    /// Its name, as in tables.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Begin => "begin",
            Stage::Bounds => "bounds",
            Stage::Pairs => "pairs",
            Stage::Contacts => "contacts",
            Stage::Graph => "graph",
            Stage::Correct => "correct",
            Stage::Wake => "wake",
            Stage::Solve => "solve",
            Stage::Finalize => "finalize",
            Stage::Sleep => "sleep",
            Stage::Report => "report",
        }
    }
}

/// A contact that stands out, with its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorstContact {
    /// How bad: a speed (m/s) or an overlap (m).
    pub value: Real,
    /// Its bodies; `None` for what cannot move.
    pub bodies: [Option<BodyHandle>; 2],
}

/// Energy that grew from nothing: an island of bodies that hang together by joints and contacts, or a single body, has more kinetic energy after a step than before it and
/// than global forces (gravity, [`WorldConfig::global_force`](crate::WorldConfig)) gave it on its way.
///
/// An island is named where it gained more than a hundredth of its kinetic energy, the larger of both, and `m (g dt)²` with its mass and
/// [`WorldConfig::reference_acceleration`](crate::WorldConfig): 0.027 J per kg at 60 steps per second, as a push of 0.23 m/s gives. What grows by less per step is not seen.
///
/// Not judged, since what does work on them is not counted: islands with a motor, a spring, a soft weld or a coupling on one of their joints; with a body on which a force or
/// torque of its own acts, or that is a link of an articulation; that touch or hang on a kinematic body that moves, or a belt. Not counted either, and no growth where they lift
/// something: ways of penetration correction, those by which impulse methods take errors of joints back, and those back to where continuous detection stops a body. Overlap and errors of joints that a method takes
/// back within its sub-steps are growth where they lift an island that fast. What the caller sets between steps is what a step begins with.
///
/// Which islands are looked at says [`EnergyCheck`](crate::EnergyCheck).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EnergyGrowth {
    /// Of the island that gained most, the body whose kinetic energy grew most.
    pub body: BodyHandle,
    /// Bodies of that island.
    pub bodies: u32,
    /// What it gained from nothing, J.
    pub joules: f64,
    /// Islands that gained too much, this one included.
    pub islands: u32,
}

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepReport {
    /// Number of the step, from 0.
    pub step: u64,
    /// Time after the step since the world began, s.
    pub time: f64,
    /// Bodies of any kind.
    pub bodies: u32,
    /// Bodies awake after the step; a composite counts as one, its members do not.
    pub awake: u32,
    /// Dynamic bodies asleep after the step.
    pub asleep: u32,
    /// Bodies that fell asleep in this step.
    pub fell_asleep: u32,
    /// Bodies woken in or before this step, by cause.
    pub wakes: WakeCounts,
    /// These bodies, each once and with its cause, in the order of their indices; those that were removed since are left out.
    pub woken: Vec<Wake>,
    /// Collider pairs near each other.
    pub edges: u32,
    /// Pairs examined in this step (a body of theirs is awake), and of these the ones that skipped the narrow
    /// phase because they have not moved, or so little that their points were carried along.
    pub examined_pairs: u32,
    /// See `examined_pairs`.
    pub skipped_pairs: u32,
    /// Of `skipped_pairs`, those that have moved ([`DetectionConfig::coherence_tolerance`](crate::DetectionConfig)).
    pub reused_pairs: u32,
    /// Narrow-phase answers that hit a round limit.
    pub narrow_phase_limits: u32,
    /// Contact points left out because a neighbour hides them ([`DetectionConfig::seam_height`](crate::DetectionConfig)).
    pub hidden_points: u32,
    /// Contact points of the batches.
    pub contacts: u32,
    /// Joints that there are after this step.
    pub joints: u32,
    /// Joints that broke in it.
    pub broken_joints: u32,
    /// Islands of bodies, single ones included.
    pub islands: u32,
    /// Batches worked on.
    pub batches: u32,
    /// Broad-phase counters.
    pub broad: BroadReport,
    /// Correction.
    pub correction: CorrectionReport,
    /// Continuous detection.
    pub continuous: ContinuousReport,
    /// Resolution.
    pub solver: SolverReport,
    /// Single-contact resolutions.
    pub iterations: u64,
    /// Iteration and correction limits reached.
    pub limit_hits: u32,
    /// True when no contact closes faster than the threshold, no joint is apart by more than a hundredth of its arms or turned by more than a
    /// hundredth of a radian, and no energy grew from nothing ([`SolverReport::is_solved`], [`SolverReport::turned_joints`], [`StepReport::energy_growth`]).
    pub is_solved: bool,
    /// Largest closing speed left, m/s.
    pub worst_residual: Real,
    /// Its contact.
    pub worst_residual_contact: Option<WorstContact>,
    /// Deepest overlap of the contacts of this step's batches after correction, m; 0 without overlap.
    pub worst_overlap: Real,
    /// Its contact.
    pub worst_overlap_contact: Option<WorstContact>,
    /// Kinetic energy of the bodies in contact before and after the impulses, J.
    pub energy_before: f64,
    /// See `energy_before`.
    pub energy_after: f64,
    /// Energy that grew from nothing; `None` where none did, or [`WorldConfig::energy_check`](crate::WorldConfig) does not look (the default).
    pub energy_growth: Option<EnergyGrowth>,
    /// Bodies taken out in this step because their state turned non-finite.
    pub quarantined: Vec<BodyHandle>,
    pub(crate) stage_times: [Duration; Stage::ALL.len()],
}

drystone_math::carried!(StepReport {
    part: [quarantined, woken],
    value: [
        step,
        time,
        bodies,
        awake,
        asleep,
        fell_asleep,
        wakes,
        edges,
        examined_pairs,
        skipped_pairs,
        reused_pairs,
        narrow_phase_limits,
        hidden_points,
        contacts,
        joints,
        broken_joints,
        islands,
        batches,
        broad,
        correction,
        continuous,
        solver,
        iterations,
        limit_hits,
        is_solved,
        worst_residual,
        worst_residual_contact,
        worst_overlap,
        worst_overlap_contact,
        energy_before,
        energy_after,
        energy_growth,
        stage_times
    ],
});

impl StepReport {
    /// Wall time of every stage, in order. A stage that had nothing to do is not measured: its time is zero, and the little that it took counts to the
    /// stage before, so that the sum is the time of the step.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        Stage::ALL.iter().zip(&self.stage_times).map(|(s, t)| (s.name(), *t))
    }

    /// Wall time of one stage; see [`StepReport::stages`].
    pub fn stage_time(&self, stage: Stage) -> Duration {
        self.stage_times[stage as usize]
    }
}
