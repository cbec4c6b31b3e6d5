//! What a run gives.

use std::time::Duration;

/// What a run gives: its settings, what it cost, how good it was.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the scene.
    pub scene: String,
    /// Name of the preset.
    pub preset: &'static str,
    /// Steps per second.
    pub hz: f64,
    /// Threads.
    pub threads: usize,
    /// Whether bodies could sleep.
    pub sleep_enabled: bool,
    /// Dynamic bodies of the scene.
    pub bodies: usize,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time, s.
    pub sim_seconds: f64,
    /// Time of the steps.
    pub times: StepTimes,
    /// Time per stage of the step over the whole run, in the order of the stages.
    pub stages: Vec<(&'static str, Duration)>,
    /// How good it was.
    pub quality: Quality,
    /// What became of its joints.
    pub joints: JointQuality,
    /// Sleeping dynamic bodies at the end.
    pub sleeping_end: usize,
    /// Most contact points after a step, near ones and those of sleepers included.
    pub contacts_max: u32,
    /// Contact points at the end.
    pub contacts_end: u32,
    /// Islands at the end: bodies that contacts and joints connect.
    pub islands_end: u32,
    /// Iterations of the solver over the whole run.
    pub iterations: u64,
    /// Steps that left a contact unsolved.
    pub unsolved_steps: u64,
    /// Largest residual that the solver left in any step, m/s.
    pub worst_residual: f64,
    /// Heap allocations per step in the second half of the run; `None` where nobody counted.
    pub allocations_per_step: Option<f64>,
    /// Hash of the state at the end; equal for equal runs.
    pub state_hash: u64,
    /// What a snapshot of the end costs.
    pub snapshot: SnapshotCost,
    /// Values of each step.
    pub history: History,
}

/// What going back to a state costs ([`World::snapshot_into`](drystone::World::snapshot_into)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotCost {
    /// Memory of a snapshot, bytes.
    pub bytes: usize,
    /// Time to take it in memory that is there.
    pub take: Duration,
    /// Time to put it back.
    pub restore: Duration,
}

/// Time of the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTimes {
    /// Sum, ms.
    pub total_ms: f64,
    /// Mean, ms.
    pub mean_ms: f64,
    /// Median, ms.
    pub p50_ms: f64,
    /// 99th percentile, ms.
    pub p99_ms: f64,
    /// Longest, ms.
    pub max_ms: f64,
}

impl StepTimes {
    /// From the time of each step, ns. Percentiles are nearest-rank. All zero without steps.
    pub fn of(step_ns: &[u64]) -> Self {
        let mut sorted = step_ns.to_vec();
        sorted.sort_unstable();
        let Some(&max) = sorted.last() else {
            return Self::default();
        };
        let ms = |ns: u64| ns as f64 * 1e-6;
        let rank = |share: f64| {
            let rank = (share * sorted.len() as f64).ceil() as usize;
            ms(sorted[rank.clamp(1, sorted.len()) - 1])
        };
        let total_ms = ms(sorted.iter().sum());
        Self {
            total_ms,
            mean_ms: total_ms / sorted.len() as f64,
            p50_ms: rank(0.5),
            p99_ms: rank(0.99),
            max_ms: ms(max),
        }
    }
}

/// How good a run was, measured alike for any engine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Deepest overlap at the end, m.
    pub pen_end_max_m: f64,
    /// Mean overlap at the end over the contact points that overlap, m.
    pub pen_end_mean_m: f64,
    /// Deepest overlap in any step, m.
    pub pen_run_max_m: f64,
    /// Kinetic energy of the dynamic bodies at the end, J.
    pub kinetic_energy_end_j: f64,
    /// Farthest that a body which should stand is from where it started, m.
    pub drift_max_m: f64,
    /// Dynamic bodies that are outside of the scene's bounds, not finite, or given up by the engine.
    pub lost: usize,
}

/// How well joints held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointQuality {
    /// Joints at the end.
    pub count: usize,
    /// Joints that broke.
    pub broken: u32,
    /// Farthest that what a joint holds together was apart after any step, m.
    pub stretch_run_max_m: f64,
    /// The same at the end.
    pub stretch_end_max_m: f64,
}

/// Values of each step, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Time of the step, ns.
    pub step_ns: Vec<u64>,
    /// Sleeping dynamic bodies after it.
    pub asleep: Vec<u32>,
    /// Contact points in it.
    pub contacts: Vec<u32>,
    /// Heap allocations in it; empty where nobody counted.
    pub allocations: Vec<u32>,
}

impl History {
    /// Heap allocations per step in the second half of the run.
    pub(super) fn allocations_per_step(&self) -> Option<f64> {
        let late = &self.allocations[self.allocations.len() / 2..];
        let sum: f64 = late.iter().map(|&count| f64::from(count)).sum();
        (!late.is_empty()).then(|| sum / late.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let times: Vec<u64> = (1..=200).rev().map(|ms| ms * 1_000_000).collect();
        let of = StepTimes::of(&times);
        assert_eq!((of.p50_ms, of.p99_ms, of.max_ms, of.mean_ms), (100.0, 198.0, 200.0, 100.5));
        assert_eq!(StepTimes::of(&[]), StepTimes::default());
        assert_eq!(StepTimes::of(&[7_000_000]).p50_ms, 7.0);
    }

    #[test]
    fn allocations_of_the_first_half_do_not_count() {
        let history = History { allocations: vec![100, 50, 1, 2], ..History::default() };
        assert_eq!(history.allocations_per_step(), Some(1.5));
        assert_eq!(History::default().allocations_per_step(), None);
    }
}
