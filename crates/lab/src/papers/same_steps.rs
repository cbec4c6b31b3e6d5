//! Two orders of contacts on the same steps (S1-87): a run goes on by one of them, and the other resolves a copy of each of its steps.
//!
//! Two runs end up in different states, and what they cost with them; here both orders begin each step from one state and end it at one
//! residual, so that their iterations are all that differs.

use super::experiments::{Plan, orders};
use super::measure::Variant;
use super::report::Section;
use crate::attended::attended;
use crate::shell::{Failure, Outcome};
use drystone::{ImpulseSolver, Solver, SolverChoice};
use drystone_resolution::impulse::{FirstFound, HighestClosingSpeed};
use drystone_scenes::{RunOptions, Runner, scene};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Highest closing speed first against first found, on the same steps (S1-87).
pub(crate) fn same_steps(plan: &Plan) -> Outcome<Section> {
    let mut section = Section::new(
        "Order of contacts, on the same steps (S1-87)",
        "Highest closing speed first against the first found at equal accuracy: a run goes on by one of the two orders, and each of its steps \
         is also resolved from a copy by the other one, so both begin in one state and go on to one threshold, that of S1 (83 µm/s). \
         No iteration limit but the safety limit of 10 000 per contact point, no shock propagation. First S1's method to the letter, then with what we add \
         to it, which saves first found most of what it does in vain. Unsolved are steps that one of the two left with a contact that closes.",
        &[
            "scene",
            "settings",
            "sleep",
            "run by",
            "S1 fewer iterations",
            "ours",
            "thousand iterations first found / highest",
            "unsolved steps",
        ],
    );
    for (name, paper, quick) in
        [("bullet5", "85.8 %", 2.0), ("bullet5_square", "85.8 %", 2.0), ("well324", "84.5 %", 1.5)]
    {
        for settings in ["S1 to the letter", "ours"] {
            for sleep in ["on", "off"] {
                let [_, mut variant] = orders();
                variant = if settings == "ours" { variant } else { variant.letter() };
                variant = if sleep == "on" { variant } else { variant.sleepless() };
                for (order, by) in [("highest closing speed", By::Highest), ("first found", By::First)] {
                    eprintln!("  {name}, {settings}, sleep {sleep}, run by {order}");
                    let same = resolve_twice(name, plan.seconds(quick), &variant, by)?;
                    let [first, highest] = same.totals().map(|n| n as f64);
                    section.rows.push(vec![
                        name.into(),
                        settings.into(),
                        sleep.into(),
                        order.into(),
                        paper.into(),
                        format!("{:.1} %", 100.0 * (1.0 - highest / first)),
                        format!("{:.0} / {:.0}", 1e-3 * first, 1e-3 * highest),
                        same.unsolved.load(Relaxed).to_string(),
                    ]);
                }
            }
        }
    }
    Ok(section)
}

/// What both orders needed.
#[derive(Debug, Default)]
struct Same {
    /// Iterations of first found, and of highest closing speed.
    iterations: [AtomicU64; 2],
    /// Steps that one of them left with a contact that closes.
    unsolved: AtomicU64,
}

impl Same {
    /// Iterations of first found, and of highest closing speed.
    fn totals(&self) -> [u64; 2] {
        [&self.iterations[0], &self.iterations[1]].map(|n| n.load(Relaxed))
    }
}

/// The order by which the run goes on.
#[derive(Clone, Copy, Debug)]
enum By {
    First,
    Highest,
}

/// Runs a scene by one order, and resolves each step by both.
///
/// # Errors
/// What the engine refuses.
fn resolve_twice(name: &str, seconds: Option<f64>, variant: &Variant, by: By) -> Outcome<Arc<Same>> {
    let mut runner = Runner::new(&scene(name)?, &RunOptions { seconds, ..variant.options().clone() })?;
    let SolverChoice::Impulse { config, .. } = runner.world().config().solver.clone() else {
        return Err(Failure::new("the preset is not the impulse method"));
    };
    let first = ImpulseSolver::with_order(config.clone(), FirstFound::default());
    let highest = ImpulseSolver::with_order(config, HighestClosingSpeed::default());
    let same = Arc::new(Same::default());
    runner.set_solver(match by {
        By::First => twice(first, highest, 0, Arc::clone(&same)),
        By::Highest => twice(highest, first, 1, Arc::clone(&same)),
    })?;
    while runner.step()? {}
    Ok(same)
}

/// A method whose steps another one resolves as well, from copies; `place` is which of the counts is that of the method.
fn twice(
    method: impl Solver + 'static,
    mut other: impl Solver + 'static,
    place: usize,
    same: Arc<Same>,
) -> Box<dyn Solver> {
    attended(method, move |method, scene| {
        let copy = scene.resolve_copy(&mut other);
        let report = scene.resolve(method);
        same.iterations[place].fetch_add(report.iterations, Relaxed);
        same.iterations[1 - place].fetch_add(copy.iterations, Relaxed);
        same.unsolved.fetch_add(u64::from(!report.is_solved() || !copy.is_solved()), Relaxed);
        report
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::measure::interleaved;

    #[test]
    fn the_same_steps_take_fewer_iterations() {
        let letter = orders().map(Variant::letter);
        let [first_run, highest_run] = {
            let runs = interleaved("tower", Some(0.1), 1, &letter).expect("settings of the preset");
            [0, 1].map(|k| runs[k].total_iterations())
        };
        for by in [By::Highest, By::First] {
            let same = resolve_twice("tower", Some(0.1), &letter[1], by).expect("settings of the preset");
            let [first, highest] = same.totals();
            assert!(0 < highest && highest < first, "{by:?}: {highest} of {first}");
            assert_eq!(same.unsolved.load(Relaxed), 0);
            let own = match by {
                By::First => (first, first_run),
                By::Highest => (highest, highest_run),
            };
            assert_eq!(own.0, own.1, "the run is the same with someone looking on");
        }
    }
}
