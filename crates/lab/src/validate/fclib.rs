//! `cargo xtask validate fclib`: every solver of discrete contact problems on every problem there is.
//!
//! Prints a line for each and writes `docs/measurements/fclib.md` with performance profiles (Dolan and Moré: the share of
//! problems that a solver has within a multiple of the fastest solver's time). Without the collection's files it runs
//! problems of our own, of the first steps of scenes. A problem that a solver does not solve to the first tolerance it is not asked to solve to
//! the second one. What the convex program's minima say is in `fclib_convex`.

use super::fclib_convex;
use crate::machine;
use crate::shell::{Failure, Outcome};
use crate::workspace::root;
use drystone::Exec;
use drystone_convex::ConvexSolver;
use drystone_fclib::{Record, files_in, read};
use drystone_resolution::problem::{Outcome as Solved, Problem, ProblemSolver, SolveOptions, all_solvers};
use drystone_resolution::{IslandSolver, IslandSolverConfig, Nsgs, NsgsConfig};
use drystone_scenes::{Preset, RunOptions, Runner, scene};
use drystone_viewer::plot::{Curve, lines_svg};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Where problems come from, and how long they may take.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder of the collection's JSON files; without it `fclib` in the folder that `DRYSTONE_DATA` names.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Time for each problem and solver to 1e-4, s.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    limit: f64,
    /// Time for each problem and solver to 1e-8, s.
    #[arg(long, value_name = "S", default_value_t = 600.0)]
    tight_limit: f64,
    /// The folder of the document and its plots: `docs/measurements`, unless the problems are our own, which are only printed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What counts as solved, in turn.
const TOLERANCES: [f64; 2] = [1e-4, 1e-8];
/// The scenes whose first steps are problems of our own.
const OWN: [(&str, u64); 8] = [
    ("tower:10", 1),
    ("metre_tower:30", 1),
    ("mass_ratio:1000", 1),
    ("mass_ratio:10000", 1),
    ("pyramid:10", 1),
    ("metre_pyramid:20", 1),
    ("many_pyramids:1", 1),
    ("well324", 240),
];

/// A problem by its name.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) problem: Problem,
    /// The least value of its convex program and how well that is known, as its source says.
    pub(super) convex: Option<(f64, Option<f64>)>,
}

impl From<Record> for Named {
    fn from(record: Record) -> Self {
        let convex = record.convex_minimum.map(|minimum| (minimum, record.convex_error));
        Self { name: record.name, problem: record.problem, convex }
    }
}

/// One solver's ends on one problem, for each tolerance.
struct Entry {
    ends: Vec<Vec<Solved>>,
}

/// Solves everything, prints, writes.
///
/// # Errors
/// Files that cannot be read or written; a limit that is not positive.
pub(crate) fn run(args: &Args) -> Outcome {
    for (name, limit) in [("limit", args.limit), ("tight-limit", args.tight_limit)] {
        if !(limit > 0.0 && limit < 1e8) {
            return Err(Failure::new(format!("{name} must be above 0 and below 1e8 s, got {limit}")));
        }
    }
    let folder = args.data.clone().or_else(drystone_fclib::collection_folder);
    let out = args.out.clone().or_else(|| folder.is_some().then(|| root().join("docs/measurements")));
    let problems = match &folder {
        Some(folder) => collection(folder)?,
        None => {
            println!(
                "no collection: name the folder of its JSON files with --data DIR, or the one above it with DRYSTONE_DATA; \
                 problems of our own:"
            );
            own()?
        }
    };
    let names: Vec<&str> = solvers().iter().map(|solver| solver.name()).collect();
    let mut entries = Vec::new();
    for Named { name, problem, .. } in &problems {
        let ends = solve_all(problem, [args.limit, args.tight_limit]);
        for (solver, k) in names.iter().zip(0..) {
            let shown = |end: &Solved| format!("{:.1e} in {:.3} s", end.residual, end.seconds);
            let cells: Vec<String> = ends.iter().map(|ends| shown(&ends[k])).collect();
            println!("{name:40} {:5} {solver:15} {}", problem.contact_count(), cells.join("   "));
        }
        entries.push(Entry { ends });
    }
    let Some(out) = out else { return Ok(()) };
    let text = document(args, folder.is_some(), &problems, &names, &entries);
    std::fs::write(out.join("fclib.md"), text)?;
    let plots = out.join("fclib");
    std::fs::create_dir_all(&plots)?;
    for (t, tolerance) in TOLERANCES.iter().enumerate() {
        let title = format!("solved to {tolerance:.0e}: share of problems over time relative to the fastest");
        let svg = lines_svg(&title, "log2 of time / fastest time", "share", &profile(&names, &entries, t))?;
        std::fs::write(plots.join(format!("profile-{tolerance:.0e}.svg")), svg)?;
    }
    Ok(())
}

/// The solvers that are compared: those of the engine, and rounds of the convex program by a general solver.
fn solvers() -> Vec<Box<dyn ProblemSolver>> {
    let mut solvers = all_solvers();
    solvers.push(Box::new(ConvexSolver::coulomb()));
    solvers
}

/// The ends of all solvers, for each tolerance.
fn solve_all(problem: &Problem, limits: [f64; 2]) -> Vec<Vec<Solved>> {
    let mut ends: Vec<Vec<Solved>> = Vec::new();
    for (tolerance, limit) in TOLERANCES.into_iter().zip(limits) {
        let time_limit = Some(Duration::from_secs_f64(limit));
        let options = SolveOptions { tolerance, max_iterations: u64::MAX, time_limit };
        let solve = |(k, mut solver): (usize, Box<dyn ProblemSolver>)| {
            if let Some(end) = ends.last().map(|ends| &ends[k]).filter(|end| !end.is_solved()) {
                return end.clone();
            }
            let mut impulses = vec![0.0; 3 * problem.contact_count()];
            solver.solve_in_place(problem, &options, &mut impulses)
        };
        let found = solvers().into_iter().enumerate().map(solve).collect();
        ends.push(found);
    }
    ends
}

/// The problems of a folder.
fn collection(folder: &Path) -> Outcome<Vec<Named>> {
    let files = files_in(folder)?;
    if files.is_empty() {
        return Err(Failure::new(format!("{} holds no JSON file", folder.display())));
    }
    files.iter().map(|file| Ok(read(file)?.into())).collect()
}

/// The largest group of each scene's last step.
fn own() -> Outcome<Vec<Named>> {
    let largest = |&(name, steps): &(&str, u64)| -> Outcome<Named> {
        let options = RunOptions { preset: Preset::Nsgs, ..RunOptions::default() };
        let mut runner = Runner::new(&scene(name)?, &options)?;
        let keeper = Keeper::default();
        let seen = Arc::clone(&keeper.seen);
        runner.set_solver(Box::new(IslandSolver::new(IslandSolverConfig::default(), keeper)))?;
        for _ in 0..steps {
            seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
            runner.step()?;
        }
        let groups = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        let found = groups.into_iter().max_by_key(Problem::contact_count);
        found
            .map(|problem| Named { name: name.to_owned(), problem, convex: None })
            .ok_or_else(|| Failure::new(format!("no contact in {name} after {steps} steps")))
    };
    OWN.iter().map(largest).collect()
}

/// Solves with sweeps and keeps what it was given.
#[derive(Clone, Default)]
struct Keeper {
    solver: Nsgs,
    seen: Arc<Mutex<Vec<Problem>>>,
}

impl ProblemSolver for Keeper {
    fn name(&self) -> &'static str {
        "keeper"
    }

    fn reads_global(&self) -> bool {
        true
    }

    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        exec: Option<&Exec>,
    ) -> Solved {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(problem.clone());
        self.solver.config = NsgsConfig::default();
        self.solver.solve_on(problem, options, impulses, exec)
    }
}

/// Share of problems that each solver has within a multiple of the fastest one's time.
fn profile(names: &[&str], entries: &[Entry], tolerance: usize) -> Vec<Curve> {
    const LONGEST: f64 = 16.0;
    let fastest = |ends: &[Solved]| {
        ends.iter().filter(|end| end.is_solved()).fold(f64::INFINITY, |least, end| least.min(end.seconds))
    };
    let curve = |(k, name): (usize, &&str)| {
        let mut ratios: Vec<f64> = entries
            .iter()
            .map(|entry| &entry.ends[tolerance])
            .filter(|ends| ends[k].is_solved())
            // Times below a microsecond are those of the clock.
            .map(|ends| (ends[k].seconds.max(1e-6) / fastest(ends).max(1e-6)).log2())
            .collect();
        ratios.sort_by(f64::total_cmp);
        let share = |count: usize| count as f64 / entries.len() as f64;
        let mut points = vec![(0.0, share(ratios.partition_point(|&ratio| ratio <= 0.0)))];
        for (count, &ratio) in ratios.iter().enumerate().filter(|(_, ratio)| **ratio > 0.0) {
            points.extend([(ratio, share(count)), (ratio, share(count + 1))]);
        }
        points.push((LONGEST, share(ratios.len())));
        Curve { name: (*name).to_owned(), points }
    };
    names.iter().enumerate().map(curve).collect()
}

fn document(
    args: &Args,
    has_collection: bool,
    problems: &[Named],
    names: &[&str],
    entries: &[Entry],
) -> String {
    let mut text = String::from("# Solvers of discrete contact problems, side by side\n\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "Written by `cargo xtask validate fclib{}`: {} s for each problem and solver to 1e-4, {} s to 1e-8, which is asked only of who reached 1e-4 (else \
         the row repeats the first end).\n",
        if has_collection { " --data DIR" } else { "" },
        args.limit,
        args.tight_limit
    );
    for line in machine::describe(crate::PROFILE) {
        let _ = writeln!(text, "- {line}");
    }
    text += "\nError: natural map with rho = 1 over the norm of q. Times are wall times on a machine that does other work as well.\n\n\
             | to | ";
    let _ = writeln!(text, "{} | best |\n| ---: |{}", names.join(" | "), " ---: |".repeat(names.len() + 1));
    for (t, tolerance) in TOLERANCES.iter().enumerate() {
        let solved = |k: usize| entries.iter().filter(|entry| entry.ends[t][k].is_solved()).count();
        let best = entries.iter().filter(|entry| entry.ends[t].iter().any(Solved::is_solved)).count();
        let counts: Vec<String> =
            (0..names.len()).map(solved).chain([best]).map(|n| format!("{n} of {}", entries.len())).collect();
        let _ = writeln!(text, "| {tolerance:.0e} | {} |", counts.join(" | "));
    }
    for tolerance in TOLERANCES {
        let _ = write!(text, "\n![profile to {tolerance:.0e}](fclib/profile-{tolerance:.0e}.svg)\n");
    }
    text += "\n| problem | contacts |";
    for tolerance in TOLERANCES {
        names.iter().for_each(|name| {
            let _ = write!(text, " {name} to {tolerance:.0e} |");
        });
    }
    let _ = writeln!(text, "\n| --- | ---: |{}", " ---: |".repeat(TOLERANCES.len() * names.len()));
    for (Named { name, problem, .. }, entry) in problems.iter().zip(entries) {
        let _ = write!(text, "| {name} | {} |", problem.contact_count());
        for end in entry.ends.iter().flatten() {
            let mark = if end.is_solved() { "" } else { "**not** " };
            let _ = write!(text, " {mark}{:.0e}, {:.3} s |", end.residual, end.seconds);
        }
        text.push('\n');
    }
    text += &fclib_convex::section(problems);
    text
}
