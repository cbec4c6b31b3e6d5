//! Runs cases on several threads, each case on one.

use crate::shell::{Failure, Outcome};
use crate::side_by_side::side_by_side;
use drystone_scenes::linkages::{self, Case, Expectation, LinkageError, measure};
use std::panic::catch_unwind;

/// A case, what became of it, and what it misses.
#[derive(Debug)]
pub(super) struct Measured {
    /// Without its linkages: what it was made of is not needed any more.
    pub(super) case: Case,
    pub(super) outcome: linkages::Outcome,
    pub(super) misses: Vec<String>,
}

/// Measures `count` cases, which `make` gives by their places; in the order of these.
///
/// # Errors
/// The first case that the engine refuses, by its name.
pub(super) fn run(
    count: usize,
    threads: usize,
    make: impl Fn(usize) -> Case + Sync,
) -> Outcome<Vec<Measured>> {
    side_by_side(count, threads, |place| measured(make(place)))?.into_iter().collect()
}

fn measured(case: Case) -> Outcome<Measured> {
    let refused = |error: LinkageError| Failure::new(format!("{}: {error}", case.title()));
    // A panic of the engine is a miss of this case, and the others go on.
    let (outcome, misses) = match catch_unwind(|| measure(&case)) {
        Ok(outcome) => {
            let outcome = outcome.map_err(refused)?;
            let misses = case.misses(&outcome);
            (outcome, misses)
        }
        Err(_) => (linkages::Outcome::default(), vec!["the engine panicked".to_owned()]),
    };
    let expects = Expectation { released: None, ..case.expects };
    Ok(Measured { case: Case { linkage: linkages::Linkage::default(), expects, ..case }, outcome, misses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_do_not_depend_on_threads() {
        let make = |place: usize| Case { seconds: 0.2, ..linkages::random(place as u64) };
        let run = |threads| {
            let outcomes = run(12, threads, make).expect("valid");
            outcomes.into_iter().map(|m| (m.case.name, m.outcome.put_in.to_bits())).collect::<Vec<_>>()
        };
        let alone = run(1);
        assert_eq!(alone.len(), 12);
        assert_eq!(alone, run(3));
    }
}
