//! Pairs of runs from several starts: what is left of their ratio when chance is averaged out.
//!
//! What runs in the scenes of S1 cost depends on when bodies come to rest, and that is chance: runs that differ by rounding
//! differ by half. A start is the scene with a resolution threshold that differs by nothing that matters.

use super::measure::{Variant, interleaved};
use crate::shell::Outcome;

/// Starts per scene, the run itself included, and those of a quick run.
pub(super) const STARTS: [u32; 2] = [6, 2];

/// As [`STARTS`], where what is looked for is smaller than what six starts leave to chance and runs are short.
pub(super) const MANY_STARTS: [u32; 2] = [30, 2];

/// How much the resolution threshold differs from start to start, `g dt`.
const NUDGE: f64 = 1e-6;

/// A ratio over the starts: of the sums, smallest and largest of a start.
type Spread = [f64; 3];

/// What a pair of runs, the slower first, comes to over several starts.
pub(super) struct Starts {
    /// Means of a run.
    iterations: [f64; 2],
    /// Response time of the first over that of the second.
    response: Spread,
    /// Share of the first one's iterations that the second one does without.
    saved: Spread,
}

impl Starts {
    /// Runs a pair from so many starts.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(super) fn of(name: &str, seconds: Option<f64>, count: u32, pair: &[Variant; 2]) -> Outcome<Self> {
        let mut runs = Vec::new();
        for start in 0..count {
            let threshold = format!("{}", 0.002 + NUDGE * f64::from(start));
            let nudged = pair.clone().map(|v| v.with("resolution.resolution_threshold", &threshold));
            let run = interleaved(name, seconds, 1, &nudged)?;
            runs.push([0, 1].map(|k| [run[k].response(), run[k].total_iterations() as f64]));
        }
        Ok(Self::from_runs(&runs))
    }

    /// Of each run: response time and iterations.
    fn from_runs(runs: &[[[f64; 2]; 2]]) -> Self {
        let sum = |k: usize, what: usize| runs.iter().map(|run| run[k][what]).sum::<f64>();
        let spread = |of: &dyn Fn(f64, f64) -> f64, what: usize| {
            let each = || runs.iter().map(|run| of(run[0][what], run[1][what]));
            let ends = [each().fold(f64::INFINITY, f64::min), each().fold(f64::NEG_INFINITY, f64::max)];
            [of(sum(0, what), sum(1, what)), ends[0], ends[1]]
        };
        Self {
            iterations: [0, 1].map(|k| sum(k, 1) / runs.len() as f64),
            response: spread(&|slow, quick| slow / quick, 0),
            saved: spread(&|slow, quick| 1.0 - quick / slow, 1),
        }
    }

    /// Ratio of response times, thousands of iterations.
    pub(super) fn response_cells(&self) -> [String; 2] {
        let [mean, least, most] = self.response;
        [format!("{mean:.2} ({least:.2}-{most:.2})"), self.thousands()]
    }

    /// Iterations saved, thousands of iterations.
    pub(super) fn saved_cells(&self) -> [String; 2] {
        let [mean, least, most] = self.saved.map(|share| 100.0 * share);
        [format!("{mean:.1} % ({least:.0}-{most:.0})"), self.thousands()]
    }

    fn thousands(&self) -> String {
        let [slow, quick] = self.iterations.map(|n| n * 1e-3);
        format!("{slow:.0} / {quick:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_sums_with_the_ends_of_single_starts() {
        let starts = Starts::from_runs(&[[[4.0, 1000.0], [1.0, 500.0]], [[2.0, 3000.0], [2.0, 500.0]]]);
        assert_eq!(starts.response_cells(), ["2.00 (1.00-4.00)", "2 / 0"].map(String::from));
        assert_eq!(starts.saved_cells()[0], "75.0 % (50-83)");
        assert_eq!(starts.iterations, [2000.0, 500.0]);
    }
}
