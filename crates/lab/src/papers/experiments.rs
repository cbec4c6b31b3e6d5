//! The experiments of S1's section 5, of S2's Table 1, of S3's Tables 4 and 5 and of S4's section 5, one function each: paper beside ours.

use super::coherence::coherence;
use super::damping::damping;
use super::measure::{Measured, PER_SECOND, Variant, best_ratio, interleaved};
use super::plane::plane;
use super::report::Section;
use super::same_steps::same_steps;
use super::starts::{STARTS, Starts};
use super::suite::suite;
use crate::shell::Outcome;
use drystone_scenes::Preset;
use drystone_viewer::plot::{BarSet, Curve, bars_svg, lines_svg};

/// How long and how often to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) is_quick: bool,
    pub(crate) rounds: usize,
}

impl Plan {
    /// Length of a run, s: the scene's own, or the shorter one of a quick run.
    pub(crate) fn seconds(&self, quick: f64) -> Option<f64> {
        self.is_quick.then_some(quick)
    }
}

/// Simulation steps that take less are not compared: their time is that of the clock, ms.
pub(crate) const FLOOR_MS: f64 = 0.5;

/// An experiment by name.
pub(crate) type Experiment = (&'static str, fn(&Plan) -> Outcome<Section>);

/// All experiments, in the order of the document.
pub(crate) const ALL: [Experiment; 9] = [
    ("time", time),
    ("damping", damping),
    ("same_steps", same_steps),
    ("order", order),
    ("accuracy", accuracy),
    ("threads", threads),
    ("suite", suite),
    ("coherence", coherence),
    ("plane", plane),
];

/// Time per simulation step (S1-79..84). S1 used all cores of its machines; we use one thread.
fn time(plan: &Plan) -> Outcome<Section> {
    // Scene, S1's total (s), S1's time per simulation step (ms), length of a quick run (s).
    const SCENES: [(&str, f64, f64, f64); 6] = [
        ("bullet5", 2.993, 16.63, 3.0),
        ("well324", 2.693, 14.96, 3.0),
        ("cage384", 4.226, 17.61, 3.5),
        ("bullet8", 3.477, 19.32, 3.0),
        ("well392", 2.857, 15.87, 3.0),
        ("cage2816", 356.0, 1482.0, 1.5),
    ];
    let mut section = Section::new(
        "Time per simulation step (S1-79 to S1-84)",
        "Fast settings, one thread (S1: two threads on the first three, four on the others). The real-time \
         factor is simulated time over wall time; S1 calls a scene real time when no simulation step takes \
         more than 33 1/3 ms.",
        &[
            "scene",
            "bodies",
            "simulated s",
            "S1 ms",
            "ours ms",
            "ours longest ms",
            "ours wall s",
            "ours CPU s",
            "S1 real-time factor",
            "ours",
            "asleep at end",
            "overlap at end mm",
            "lost",
        ],
    );
    let (mut names, mut theirs, mut ours) = (Vec::new(), Vec::new(), Vec::new());
    for (name, _total, ms, quick) in SCENES {
        let rounds = if name == "cage2816" { 1 } else { plan.rounds };
        let runs = interleaved(name, plan.seconds(quick), rounds, &[Variant::fast("fast")])?;
        let run = &runs[0];
        let factor = run.sim_seconds / run.wall;
        section.rows.push(vec![
            name.into(),
            run.bodies.to_string(),
            format!("{:.1}", run.sim_seconds),
            format!("{ms:.2}"),
            format!("{:.3}", run.mean_ms()),
            {
                let (at, ms) = run.longest();
                format!("{ms:.2} (step {at})")
            },
            format!("{:.3}", run.wall),
            format!("{:.3}", run.cpu),
            format!("{:.2}", 1e3 / PER_SECOND / ms),
            format!("{factor:.1}"),
            format!("{} of {}", run.asleep_end, run.bodies),
            format!("{:.2}", 1e3 * run.overlap_end),
            run.lost.to_string(),
        ]);
        names.push(name);
        theirs.push((1e3 / PER_SECOND / ms).log10());
        ours.push(factor.log10());
    }
    let sets = [BarSet { name: "S1".into(), values: theirs }, BarSet { name: "ours".into(), values: ours }];
    let svg = bars_svg("Real-time factor", "log10 of simulated over wall time", &names, &sets)?;
    section.plots.push(("real-time".into(), svg));
    Ok(section)
}

/// Columns that pairs of runs share.
const PAIR: [&str; 9] = [
    "scene",
    "S1 speedup",
    "ours (wall)",
    "ours (CPU)",
    "S1 best step",
    "ours",
    "at step",
    "wall s, slow / quick",
    "range of rounds s",
];

/// The cells of a pair: `slow` is the run that S1 found slower.
pub(crate) fn pair(name: &str, speedup: &str, best: &str, slow: &Measured, quick: &Measured) -> Vec<String> {
    let (at, ratio) = best_ratio(&slow.step_ms, &quick.step_ms, FLOOR_MS);
    vec![
        name.into(),
        speedup.into(),
        format!("{:.2}", slow.wall / quick.wall),
        format!("{:.2}", slow.cpu / quick.cpu),
        best.into(),
        format!("{ratio:.2}"),
        at.to_string(),
        format!("{:.3} / {:.3}", slow.wall, quick.wall),
        format!(
            "{:.3}-{:.3} / {:.3}-{:.3}",
            slow.spread[0], slow.spread[1], quick.spread[0], quick.spread[1]
        ),
    ]
}

pub(crate) fn header(more: &[&'static str]) -> Vec<&'static str> {
    PAIR.iter().chain(more).copied().collect()
}

/// Curves of two runs per simulation step.
pub(crate) fn curves(title: &str, label: &str, runs: [(&str, Vec<f64>); 2]) -> Outcome<String> {
    let curve = |(name, values): (&str, Vec<f64>)| Curve {
        name: name.into(),
        points: values.into_iter().enumerate().map(|(i, v)| (i as f64, v)).collect(),
    };
    Ok(lines_svg(title, "simulation step (33 1/3 ms)", label, &runs.map(curve))?)
}

/// Highest closing speed first against first found (S1-87).
fn order(plan: &Plan) -> Outcome<Section> {
    let mut section = Section::new(
        "Order of contacts (S1-87)",
        "Highest closing speed first against the first found, to the same threshold: no iteration limit but \
         the safety limit of 10 000 per contact point, no shock propagation. Iterations are single-contact resolutions. First \
         S1's method to the letter, then with what we add to it: most of what the order saves are contacts that \
         close each other again by less and less, and the overshoot of resolved contacts saves the same. What such a run comes to is \
         chance (the same steps by both orders are the section before): the last columns are means over several starts. With sleep the two runs of a pair do not solve the same: when bodies \
         come to rest is chance, and what sleeps costs neither of them anything. Without sleep all contacts are solved in all steps by both, \
         and only their order differs.",
        &header(&[
            "S1 fewer iterations",
            "ours",
            "S1 most iterations",
            "ours",
            "iterations first found / highest",
            "S1 best step (iterations)",
            "ours",
            "unsolved steps",
            "starts: fewer iterations",
            "thousand iterations",
            "no sleep: fewer iterations",
            "thousand iterations",
        ]),
    );
    let count = STARTS[usize::from(plan.is_quick)];
    let both = orders();
    let letter = both.clone().map(Variant::letter);
    const BULLET: [&str; 5] = ["3.72", "13.1", "85.8 %", "217 313", "267"];
    const WELL: [&str; 5] = ["3.08", "13.3", "84.5 %", "172 764", "25.9"];
    for (name, paper, quick) in
        [("bullet5", BULLET, 2.0), ("bullet5_square", BULLET, 2.0), ("well324", WELL, 1.5)]
    {
        for (settings, variants) in [("S1 to the letter", &letter), ("ours", &both)] {
            let runs = interleaved(name, plan.seconds(quick), 1, variants)?;
            let [first, highest] = [&runs[0], &runs[1]];
            let counts = |run: &Measured| run.iterations.iter().map(|&n| n as f64).collect::<Vec<_>>();
            let totals = [first.total_iterations(), highest.total_iterations()];
            let [speedup, best, fewer, most, best_iterations] = paper;
            let mut row = pair(&format!("{name}, {settings}"), speedup, best, first, highest);
            row.extend([
                fewer.into(),
                format!("{:.1} %", 100.0 * (1.0 - totals[1] as f64 / totals[0] as f64)),
                most.into(),
                highest.max_iterations().to_string(),
                format!("{} / {}", totals[0], totals[1]),
                best_iterations.into(),
                format!("{:.1}", best_ratio(&counts(first), &counts(highest), 1000.0).1),
                format!("{} / {}", first.unsolved, highest.unsolved),
            ]);
            row.extend(Starts::of(name, plan.seconds(quick), count, variants)?.saved_cells());
            // Runs without sleep are long; half of the starts differ by next to nothing.
            let awake = variants.clone().map(Variant::sleepless);
            row.extend(Starts::of(name, plan.seconds(quick), count / 2, &awake)?.saved_cells());
            section.rows.push(row);
            if settings != "ours" {
                let lines = [("first found", counts(first)), ("highest closing speed", counts(highest))];
                let title = format!("{name}: order of contacts, S1 to the letter");
                section.plots.push((format!("order-{name}"), curves(&title, "iterations", lines)?));
            }
        }
    }
    Ok(section)
}

/// First found, and highest closing speed, without limits and shock propagation.
pub(crate) fn orders() -> [Variant; 2] {
    let base = |name| {
        Variant::fast(name).with("resolution.global_limit", "none").with("resolution.shock_limit", "none")
    };
    [base("first found").with("resolution.order", "first_found"), base("highest closing speed")]
}

/// Fast against accurate settings (S1-89).
fn accuracy(plan: &Plan) -> Outcome<Section> {
    let mut section = Section::new(
        "Fast against accurate settings (S1-89)",
        "240 steps per second with limits, shock propagation and damping, against 960 without.",
        &header(&[
            "S1 accurate ms",
            "ours",
            "iterations accurate / fast",
            "overlap at end mm",
            "asleep at end",
            "lost",
            "unsolved steps",
        ]),
    );
    let variants = [Variant::fast("accurate").preset(Preset::ThesisAccurate), Variant::fast("fast")];
    for (name, speedup, best, ms, quick) in [
        ("bullet5", "29.03", "75.3", "482.80", 2.0),
        ("well324", "17.67", "58.4", "264.32", 1.5),
        ("cage384", "6.88", "10.3", "121.17", 2.5),
    ] {
        let runs = interleaved(name, plan.seconds(quick), 1, &variants)?;
        let [accurate, fast] = [&runs[0], &runs[1]];
        let mut row = pair(name, speedup, best, accurate, fast);
        row.extend([
            ms.into(),
            format!("{:.2}", accurate.mean_ms()),
            format!("{} / {}", accurate.total_iterations(), fast.total_iterations()),
            format!("{:.3} / {:.3}", 1e3 * accurate.overlap_end, 1e3 * fast.overlap_end),
            format!("{} / {} of {}", accurate.asleep_end, fast.asleep_end, fast.bodies),
            format!("{} / {}", accurate.lost, fast.lost),
            format!("{} / {}", accurate.unsolved, fast.unsolved),
        ]);
        section.rows.push(row);
        let lines = [("accurate", accurate.step_ms.clone()), ("fast", fast.step_ms.clone())];
        section
            .plots
            .push((format!("accuracy-{name}"), curves(&format!("{name}: fast and accurate"), "ms", lines)?));
    }
    Ok(section)
}

/// One thread against two and four (S1-85).
fn threads(plan: &Plan) -> Outcome<Section> {
    let mut section = Section::new(
        "Threads (S1-85)",
        "Fast settings; the response is correction and resolution, which is what S1 runs in parallel. Only wall \
         time counts here, and only on a machine that does nothing else.",
        &header(&[
            "threads",
            "S1 time saved",
            "ours",
            "S1 response, best step",
            "ours",
            "ours, whole response",
            "same state",
        ]),
    );
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for (name, count, speedup, best, saved, response, quick) in [
        ("bullet5", 2, "1.22", "1.65", "18 %", "1.92", 3.0),
        ("cage384", 2, "1.30", "1.62", "23 %", "1.89", 3.0),
        ("bullet8", 4, "1.47", "2.18", "32 %", "3.77", 3.0),
    ] {
        if count > cores {
            continue;
        }
        let variants = [Variant::fast("1 thread"), Variant::fast("more threads").threads(count)];
        let runs = interleaved(name, plan.seconds(quick), plan.rounds, &variants)?;
        let [one, more] = [&runs[0], &runs[1]];
        let whole = one.response_ms.iter().sum::<f64>() / more.response_ms.iter().sum::<f64>();
        let mut row = pair(name, speedup, best, one, more);
        row.extend([
            count.to_string(),
            saved.into(),
            format!("{:.0} %", 100.0 * (1.0 - more.wall / one.wall)),
            response.into(),
            format!("{:.2}", best_ratio(&one.response_ms, &more.response_ms, FLOOR_MS).1),
            format!("{whole:.2}"),
            if one.state_hash == more.state_hash { "yes" } else { "NO" }.into(),
        ]);
        section.rows.push(row);
        names.push(name);
        values.push([one.wall / more.wall, whole]);
    }
    if !names.is_empty() {
        let set = |name: &str, i: usize| BarSet {
            name: name.into(),
            values: values.iter().map(|v| v[i]).collect(),
        };
        let sets = [set("step", 0), set("response alone", 1)];
        section.plots.push(("threads".into(), bars_svg("Speedup by threads", "times", &names, &sets)?));
    }
    Ok(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_settings_are_accepted_and_its_order_saves_iterations() {
        for pair in [orders(), orders().map(Variant::letter)] {
            let runs = interleaved("tower", Some(0.1), 1, &pair).expect("settings of the preset");
            let [first, highest] = [&runs[0], &runs[1]].map(Measured::total_iterations);
            assert!(0 < highest && highest < first, "{highest} of {first}");
        }
    }
}
