//! Runs cases on several threads, each case on one.

use crate::shell::{Failure, Outcome};
use drystone_scenes::linkages::{self, Case, Expectation, LinkageError, measure};
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let work = || {
        let mut own = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= count {
                break;
            }
            let case = make(place);
            own.push((place, measured(case)));
        }
        if let Ok(mut found) = found.lock() {
            found.append(&mut own);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut found = found.into_inner().map_err(|_| Failure::new("a thread that measured has panicked"))?;
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, measured)| measured).collect()
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
