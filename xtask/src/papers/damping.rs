//! Gravity damping on and off (S1-86): one run as S1 shows it, and what is left when chance is averaged out.
//!
//! Damping saves what it saves by letting bodies fall asleep sooner. When they do is chance in scenes like these:
//! runs that differ by rounding differ by half. So beside the run itself stand means over several starts.

use super::experiments::{FLOOR_MS, Plan, curves, header, pair};
use super::measure::{Measured, Variant, best_ratio, interleaved};
use super::report::Section;
use crate::shell::Outcome;

/// Starts per scene, the run itself included, and those of a quick run.
const STARTS: [u32; 2] = [6, 2];

/// How much the resolution threshold differs from start to start, `g dt`: nothing that matters.
const NUDGE: f64 = 1e-6;

/// Means over several starts of a pair of runs without and with damping.
struct Starts {
    iterations: [f64; 2],
    /// Response time without over with damping: of the sums, smallest and largest of a start.
    ratio: [f64; 3],
}

impl Starts {
    fn of(name: &str, seconds: Option<f64>, count: u32, pair: &[Variant; 2]) -> Outcome<Self> {
        let (mut iterations, mut sums, mut range) = ([0.0; 2], [0.0; 2], [f64::INFINITY, 0.0_f64]);
        for start in 0..count {
            let threshold = format!("{}", 0.002 + NUDGE * f64::from(start));
            let nudged = pair.clone().map(|v| v.with("resolution.resolution_threshold", &threshold));
            let runs = interleaved(name, seconds, 1, &nudged)?;
            for (k, run) in runs.iter().enumerate() {
                iterations[k] += run.total_iterations() as f64 / f64::from(count);
                sums[k] += run.response();
            }
            let ratio = runs[0].response() / runs[1].response();
            range = [range[0].min(ratio), range[1].max(ratio)];
        }
        Ok(Self { iterations, ratio: [sums[0] / sums[1], range[0], range[1]] })
    }

    fn cells(&self) -> [String; 2] {
        let [mean, least, most] = self.ratio;
        let [off, on] = self.iterations.map(|n| n * 1e-3);
        [format!("{mean:.2} ({least:.2}-{most:.2})"), format!("{off:.0} / {on:.0}")]
    }
}

/// Gravity damping on and off (S1-86).
pub(crate) fn damping(plan: &Plan) -> Outcome<Section> {
    let mut section = Section::new(
        "Gravity damping (S1-86)",
        "Fast settings with damping of 70 % and without; always the whole run: what damping saves, it saves while things \
         come to rest. In S1 the undamped well never sleeps, because its iteration limit leaves too much velocity. \
         Runs that differ by rounding differ by half, so the last columns are means over several starts (response time off / on, \
         and thousands of iterations): with all our settings, with sleep off, and with S1's method to the letter.",
        &header(&[
            "asleep at end, off / on",
            "all asleep from step, off / on",
            "starts: response",
            "iterations",
            "no sleep: response",
            "iterations",
            "to the letter: response",
            "iterations",
        ]),
    );
    let variants = [
        Variant::fast("damping off").with("resolution.gravity_damping_threshold", "0"),
        Variant::fast("damping on"),
    ];
    let count = STARTS[usize::from(plan.is_quick)];
    for (name, speedup, best, quick) in
        [("bullet5", "1.99", "4.71", 6.0), ("well324", "1.78", "5.23", 6.0), ("cage384", "1.53", "3.47", 8.0)]
    {
        let seconds = plan.seconds(quick);
        let runs = interleaved(name, seconds, plan.rounds, &variants)?;
        let [off, on] = [&runs[0], &runs[1]];
        let mut row = pair(name, speedup, best, off, on);
        let since = |run: &Measured| run.all_asleep.map_or("never".into(), |step| step.to_string());
        row.push(format!("{} / {} of {}", off.asleep_end, on.asleep_end, on.bodies));
        row.push(format!("{} / {}", since(off), since(on)));
        row.extend(Starts::of(name, seconds, count, &variants)?.cells());
        row.extend(Starts::of(name, seconds, count / 2, &variants.clone().map(Variant::sleepless))?.cells());
        row.extend(Starts::of(name, seconds, count, &variants.clone().map(Variant::letter))?.cells());
        section.rows.push(row);
        let (at, ratio) = best_ratio(&off.response_ms, &on.response_ms, FLOOR_MS);
        let title = format!("{name}: gravity damping (response {ratio:.1} times quicker in step {at})");
        let lines = [("off", off.step_ms.clone()), ("on", on.step_ms.clone())];
        section.plots.push((format!("damping-{name}"), curves(&title, "ms", lines)?));
    }
    Ok(section)
}
