//! Table 1 of S2 (S2-27, S2-28): what freezing saves of contacts, programs and their time.

use super::experiments::Plan;
use super::report::Section;
use crate::attended::attended;
use crate::shell::{Failure, Outcome};
use drystone::{QpSuite, SolverChoice, SuiteTotals};
use drystone_scenes::{Preset, RunOptions, Runner, scene};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Frames per second of S2.
const HZ: f64 = 30.0;

/// A column of S2's Table 1.
struct Column {
    scene: &'static str,
    seconds: f64,
    /// Settings that S2 states (`c_f`), and for the cubeglass those of `docs/measurements/cubeglass.md`.
    settings: &'static [(&'static str, &'static str)],
    /// Whether it is run without freezing too; S2 could not.
    has_both: bool,
    /// S2: contacts per frame; time of a program (s), number of programs and speed-up, for collisions and for static contacts.
    theirs: [&'static str; 7],
}

const COLUMNS: [Column; 4] = [
    Column {
        scene: "falling_stack",
        seconds: 10.0,
        settings: &[("qp_suite.freeze_count", "1")],
        has_both: true,
        theirs: ["28 / 1", "0.18 / 0.012", "489 / 145", "15", "0.2 / 0.008", "480 / 96", "25"],
    },
    Column {
        scene: "cubejam",
        seconds: 10.0,
        settings: &[("qp_suite.freeze_count", "3")],
        has_both: true,
        theirs: ["249 / 15", "2.6 / 0.12", "822 / 513", "22", "2.8 / 0.1", "749 / 428", "28"],
    },
    Column {
        scene: "cs_stack",
        seconds: 10.0,
        settings: &[("qp_suite.freeze_count", "3")],
        has_both: true,
        theirs: ["13 / 2", "0.1 / 0.04", "478 / 388", "2.5", "0.1 / 0.03", "469 / 344", "3"],
    },
    Column {
        scene: "cubeglass",
        seconds: 60.0,
        settings: &[
            ("qp_suite.freeze_below", "1.2"),
            ("qp_suite.slack", "6"),
            ("qp_suite.tolerance", "1e-3"),
        ],
        has_both: false,
        theirs: ["- / 528", "- / 12", "- / 493", "-", "- / 11", "- / 607", "-"],
    },
];

/// What a run did.
struct Run {
    totals: SuiteTotals,
    frozen_end: usize,
    bodies: usize,
}

/// Runs a column with or without freezing.
fn run(column: &Column, seconds: f64, freezes: bool) -> Outcome<Run> {
    let settings = column.settings.iter().map(|&(field, value)| (field.to_owned(), value.to_owned()));
    let freeze = ("qp_suite.freeze".to_owned(), freezes.to_string());
    let options = RunOptions {
        preset: Preset::QpSuite,
        hz: Some(HZ),
        seconds: Some(seconds),
        overrides: settings.chain([freeze]).collect(),
        ..RunOptions::default()
    };
    let mut runner = Runner::new(&scene(column.scene)?, &options)?;
    let SolverChoice::QpSuite { config } = &runner.world().config().solver else {
        return Err(Failure::new("the preset is not the suite"));
    };
    let totals = Arc::<Mutex<SuiteTotals>>::default();
    let told = Arc::clone(&totals);
    runner.set_solver(attended(QpSuite::new(config.clone()), move |suite, scene| {
        let report = scene.resolve(suite);
        *told.lock().unwrap_or_else(PoisonError::into_inner) = *suite.totals();
        report
    }))?;
    while runner.step()? {}
    let outcome = runner.finish();
    let totals = *totals.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Run { totals, frozen_end: outcome.sleeping_end, bodies: outcome.bodies })
}

/// Table 1 of S2.
pub(crate) fn suite(plan: &Plan) -> Outcome<Section> {
    let mut section = Section::new(
        "Freezing in the suite of S2 (S2-27, S2-28)",
        "Table 1 of S2 beside ours, without freezing / with it; S2's machine was a Pentium III with 450 MHz, and its programs went to \
         CPLEX. S2's scenes are known by counts and shapes alone (sizes are ours), 30 frames per second, its `c_f`. One thread. A program of S2 is a \
         frame's; ours are one per connected part, so they are more and smaller, and the last columns of a kind compare all the time that it took. \
         Contacts are those of bodies that are not frozen. The cubeglass was run with freezing alone, in S2 too.",
        &[
            "scene",
            "S2 contacts per frame",
            "ours",
            "S2 s per collision program",
            "ours ms",
            "S2 programs",
            "ours",
            "S2 speed-up",
            "ours per program, in all",
            "S2 s per static program",
            "ours ms",
            "S2 programs",
            "ours",
            "S2 speed-up",
            "ours per program, in all",
            "frozen at end",
        ],
    );
    for column in COLUMNS {
        if plan.is_quick && !column.has_both {
            continue;
        }
        let seconds = if plan.is_quick { 2.0 } else { column.seconds };
        eprintln!("  {}", column.scene);
        let thawed = if column.has_both { Some(run(&column, seconds, false)?) } else { None };
        section.rows.push(row(&column, thawed.as_ref(), &run(&column, seconds, true)?));
    }
    Ok(section)
}

/// Number and time of the programs of a kind.
type Kind = fn(&SuiteTotals) -> (u64, Duration);

fn row(column: &Column, thawed: Option<&Run>, frozen: &Run) -> Vec<String> {
    let both =
        |cell: &dyn Fn(&Run) -> String| format!("{} / {}", thawed.map_or("-".into(), cell), cell(frozen));
    let contacts = |run: &Run| format!("{:.1}", run.totals.contacts as f64 / run.totals.steps as f64);
    let mut row = vec![format!("`{}`", column.scene), column.theirs[0].into(), both(&contacts)];
    let collisions: Kind = |totals| (totals.collision_programs, totals.collision_time);
    let statics: Kind = |totals| (totals.static_programs, totals.static_time);
    let kinds = [collisions, statics];
    for (kind, theirs) in kinds.into_iter().zip(column.theirs[1..].chunks(3)) {
        let per_program = |run: &Run| {
            let (count, time) = kind(&run.totals);
            time.as_secs_f64() * 1e3 / count.max(1) as f64
        };
        let all = |run: &Run| kind(&run.totals).1.as_secs_f64();
        let speed_up = match thawed {
            Some(thawed) => {
                format!("{:.1}, {:.1}", per_program(thawed) / per_program(frozen), all(thawed) / all(frozen))
            }
            None => "-".into(),
        };
        row.extend([
            theirs[0].into(),
            both(&|run| format!("{:.3}", per_program(run))),
            theirs[1].into(),
            both(&|run| kind(&run.totals).0.to_string()),
            theirs[2].into(),
            speed_up,
        ]);
    }
    row.push(format!("{} of {}", frozen.frozen_end, frozen.bodies));
    row
}
