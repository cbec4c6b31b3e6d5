//! `drystone fclib`: discrete contact problems from files, a line for each problem and solver.

use crate::args::FclibArguments;
use crate::failure::Failure;
use crate::lists::print;
use drystone_fclib::Record;
use drystone_resolution::problem::{Measure, ProblemSolver, Solution, SolveOptions, Status, all_solvers};
use std::time::Duration;

/// Longest time limit, s: a year and more.
const MAX_SECONDS: f64 = 1e8;

/// Reads all files, then solves each with each solver.
pub(crate) fn run(arguments: &FclibArguments) -> Result<(), Failure> {
    let options = options(arguments)?;
    let mut solvers = chosen(&arguments.solvers)?;
    let read = |file| drystone_fclib::read(file).map_err(Failure::input);
    let records = arguments.files.iter().map(|file| read(file)).collect::<Result<Vec<Record>, _>>()?;
    print(HEADER)?;
    for record in &records {
        for solver in &mut solvers {
            let solution = solver.solve_problem(&record.problem, &options, None);
            print(&line(record, solver.name(), &solution))?;
        }
    }
    Ok(())
}

fn options(arguments: &FclibArguments) -> Result<SolveOptions, Failure> {
    let (tolerance, limit) = (arguments.tolerance, arguments.limit);
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(Failure::input(format!("tolerance must be positive and finite, got {tolerance}")));
    }
    if !(limit > 0.0 && limit <= MAX_SECONDS) {
        return Err(Failure::input(format!(
            "limit must be above 0 and at most {MAX_SECONDS} s, got {limit}"
        )));
    }
    let time_limit = Some(Duration::from_secs_f64(limit));
    Ok(SolveOptions { tolerance, max_iterations: u64::MAX, time_limit })
}

/// The solvers of these names; all when none is named.
fn chosen(names: &[String]) -> Result<Vec<Box<dyn ProblemSolver>>, Failure> {
    let known: Vec<&str> = all_solvers().iter().map(|solver| solver.name()).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::input(format!("no solver is called {name:?}; known: {}", known.join(", "))));
    }
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    Ok(all_solvers().into_iter().filter(|solver| is_wanted(solver.name())).collect())
}

/// Error: natural map over |q|; error_siconos: over the largest of |q|, |r| and |u|.
const HEADER: &str = "problem                                  contacts solver          status       error error_siconos \
                      penetration      cone   coulomb      work iterations     ms\n";

fn line(record: &Record, solver: &str, solution: &Solution) -> String {
    let m = Measure::of(&record.problem, &solution.impulses);
    let status = match &solution.status {
        Status::Solved => "solved",
        Status::IterationLimit => "iterations",
        Status::TimeLimit => "time",
        Status::Failed { .. } => "failed",
        Status::Unsupported { .. } => "unsupported",
    };
    format!(
        "{:40} {:8} {solver:15} {status:11} {:.2e} {:13.2e} {:11.2e} {:9.2e} {:9.2e} {:9.2e} {:10} {:.2}\n",
        record.name,
        record.problem.contact_count(),
        m.natural_map,
        m.natural_map_siconos,
        m.penetration_velocity,
        m.cone_violation,
        m.coulomb_violation,
        m.work,
        solution.iterations,
        1e3 * solution.seconds
    )
}
