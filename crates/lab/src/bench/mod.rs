//! `cargo xtask bench [SUITE]`: the benchmarks of the package `drystone-benches`. The suite `stages` alone also
//! writes a document; `broad_phases`, `solvers`, `orders`, `graph` and `planar` are none of the package, and only write one; `robots` prints a table.

mod broad_phases;
mod graph;
mod orders;
mod planar;
mod robots;
mod solvers;
mod stages;

use crate::shell::{self, Failure, Outcome, cargo};
use crate::workspace::Workspace;

/// Package that holds the suites.
const PACKAGE: &str = "drystone-benches";

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Suite to run; all of the package when left out. `solvers` compares all methods on the same
    /// scenes, `orders` the orders of contacts of the impulse method, `graph` counts edges while all is stirred, `broad_phases` compares
    /// the broad phases from 100 to 100 000 boxes, `planar` runs
    /// scenes of the plane beside Box2D, `robots` runs three robots beside Rapier and MuJoCo.
    suite: Option<String>,
    /// Passed on to the suite: a name to filter by, and so on.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs one suite, or all.
///
/// # Errors
/// A suite that does not exist (the message lists those that do), or that fails.
pub(crate) fn run(args: &Args) -> Outcome {
    if args.suite.as_deref() == Some(solvers::SUITE) {
        return solvers::run(&args.rest);
    }
    if args.suite.as_deref() == Some(orders::SUITE) && args.rest.is_empty() {
        return orders::run();
    }
    if args.suite.as_deref() == Some(broad_phases::SUITE) && args.rest.is_empty() {
        return broad_phases::run();
    }
    if args.suite.as_deref() == Some(graph::SUITE) && args.rest.is_empty() {
        return graph::run();
    }
    if args.suite.as_deref() == Some(planar::SUITE) {
        return planar::run(&args.rest);
    }
    if args.suite.as_deref() == Some(robots::SUITE) {
        return robots::run(&args.rest);
    }
    let workspace = Workspace::load()?;
    if args.suite.as_deref() == Some(stages::SUITE) && args.rest.is_empty() {
        return stages::run(PACKAGE);
    }
    for suite in chosen(&workspace.package(PACKAGE)?.benches, args.suite.as_deref())? {
        shell::run(cargo().args(["bench", "--package", PACKAGE, "--bench", suite, "--"]).args(&args.rest))?;
    }
    Ok(())
}

/// The suites that are asked for.
fn chosen<'a>(known: &'a [String], asked: Option<&str>) -> Outcome<&'a [String]> {
    let Some(asked) = asked else { return Ok(known) };
    match known.iter().position(|suite| suite == asked) {
        Some(i) => Ok(&known[i..=i]),
        None => Err(Failure::new(format!("there is no suite `{asked}`; known suites: {}", known.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_suite_is_refused_with_those_that_exist() {
        let known = ["exec".to_owned(), "broad".to_owned()];
        assert_eq!(chosen(&known, Some("broad")).expect("known"), &known[1..]);
        assert_eq!(chosen(&known, None).expect("all").len(), 2);
        let refused = chosen(&known, Some("brod")).unwrap_err().to_string();
        assert_eq!(refused, "there is no suite `brod`; known suites: exec, broad");
    }
}
