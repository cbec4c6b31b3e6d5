//! The run as one line of JSON, for programs.

use drystone_scenes::Outcome;
use serde::Serialize;
use std::collections::BTreeMap;

/// The keys, in their order. Numbers that are not finite become `null`.
#[derive(Serialize)]
struct Line<'a> {
    engine: &'static str,
    version: &'static str,
    scene: &'a str,
    preset: &'a str,
    hz: f64,
    threads: usize,
    sleep_enabled: bool,
    /// By Ctrl-C.
    interrupted: bool,
    /// All steps that were asked for are taken: nobody interrupted the run, and the engine did not give up.
    complete: bool,
    bodies: usize,
    steps: u64,
    sim_seconds: f64,
    total_ms: f64,
    ms_per_sim_second: f64,
    mean_ms: f64,
    p50_ms: f64,
    p99_ms: f64,
    max_ms: f64,
    /// Sums over the run, as `total_ms`; those of the plane (`stages_ms`) are means over the steps.
    stage_ms: BTreeMap<&'a str, f64>,
    pen_end_max_m: f64,
    pen_end_mean_m: f64,
    pen_run_max_m: f64,
    kinetic_energy_end_j: f64,
    drift_max_m: f64,
    lost: usize,
    joints: usize,
    broken_joints: u32,
    stretch_run_max_m: f64,
    stretch_end_max_m: f64,
    sleeping_end: usize,
    contacts_max: u32,
    contacts_end: u32,
    islands_end: u32,
    iterations: u64,
    unsolved_steps: u64,
    worst_residual: f64,
    allocations_per_step: Option<f64>,
    snapshot_bytes: usize,
    snapshot_take_ms: f64,
    snapshot_restore_ms: f64,
    /// Hexadecimal text: a JSON number would lose its last digits.
    state_hash: String,
}

/// The run as one line, without its end.
pub(crate) fn json_line(outcome: &Outcome, interrupted: bool, complete: bool) -> String {
    let (times, quality) = (&outcome.times, &outcome.quality);
    let line = Line {
        engine: "drystone",
        version: env!("CARGO_PKG_VERSION"),
        scene: &outcome.scene,
        preset: outcome.preset,
        hz: outcome.hz,
        threads: outcome.threads,
        sleep_enabled: outcome.sleep_enabled,
        interrupted,
        complete,
        bodies: outcome.bodies,
        steps: outcome.steps,
        sim_seconds: outcome.sim_seconds,
        total_ms: times.total_ms,
        ms_per_sim_second: super::table::per_second(outcome),
        mean_ms: times.mean_ms,
        p50_ms: times.p50_ms,
        p99_ms: times.p99_ms,
        max_ms: times.max_ms,
        stage_ms: outcome.stages.iter().map(|(name, time)| (*name, time.as_secs_f64() * 1e3)).collect(),
        pen_end_max_m: quality.pen_end_max_m,
        pen_end_mean_m: quality.pen_end_mean_m,
        pen_run_max_m: quality.pen_run_max_m,
        kinetic_energy_end_j: quality.kinetic_energy_end_j,
        drift_max_m: quality.drift_max_m,
        lost: quality.lost,
        joints: outcome.joints.count,
        broken_joints: outcome.joints.broken,
        stretch_run_max_m: outcome.joints.stretch_run_max_m,
        stretch_end_max_m: outcome.joints.stretch_end_max_m,
        sleeping_end: outcome.sleeping_end,
        contacts_max: outcome.contacts_max,
        contacts_end: outcome.contacts_end,
        islands_end: outcome.islands_end,
        iterations: outcome.iterations,
        unsolved_steps: outcome.unsolved_steps,
        worst_residual: outcome.worst_residual,
        allocations_per_step: outcome.allocations_per_step,
        snapshot_bytes: outcome.snapshot.bytes,
        snapshot_take_ms: outcome.snapshot.take.as_secs_f64() * 1e3,
        snapshot_restore_ms: outcome.snapshot.restore.as_secs_f64() * 1e3,
        state_hash: format!("{:#018x}", outcome.state_hash),
    };
    serde_json::to_string(&line).expect("plain data with text keys always has a JSON form")
}
