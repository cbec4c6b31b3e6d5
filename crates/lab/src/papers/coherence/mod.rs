//! S3's Tables 4 and 5 and its Figure 15: what contact groups and the speed-ups of section 7 save, and what they cost in motion.
//!
//! The scene is S3's: 120 balls fall onto an inclined plane engraved with DIKU, 10 s at 100 steps per second. Brute force is one problem over
//! all contacts without any cache, and all pairs in the narrow phase. It takes so long that it is run in full for the first part
//! alone ([`Lengths`]); after that, a few steps are taken by brute force at equal distances of a run with groups, and stand for those around them.

mod runs;

use super::experiments::Plan;
use super::report::Section;
use crate::shell::Outcome;
use drystone_viewer::plot::{Curve, lines_svg};
use runs::{METHODS, Method, NO_CACHES, Run, Switches, brute_force, run};

const SCENE: &str = "incline120";
const HZ: f64 = 100.0;
/// Between two windows of brute force, steps.
const EVERY: usize = 50;
/// Time of S3's brute force, s (Table 4).
const BRUTE_FORCE: f64 = 28424.0;

/// How much is run.
struct Lengths {
    /// All of a run, s.
    seconds: f64,
    /// Steps that brute force is run in full for, with a method that may be superlinear.
    brute_steps: usize,
    /// Steps of a window.
    window: usize,
    /// Whether all combinations are run, or a few.
    has_all: bool,
}

impl Lengths {
    fn steps(&self) -> usize {
        (self.seconds * HZ) as usize
    }
}

/// S3's Tables 4 and 5, and Figure 15.
pub(crate) fn coherence(plan: &Plan) -> Outcome<Section> {
    let lengths = if plan.is_quick {
        Lengths { seconds: 1.5, brute_steps: 5, window: 1, has_all: false }
    } else {
        Lengths { seconds: 10.0, brute_steps: 100, window: 2, has_all: true }
    };
    let mut section = Section::new("Contact graph and its speed-ups (S3-30, S3-31)", TEXT, &HEADER);
    for method in &METHODS {
        add_method(method, &lengths, &mut section)?;
    }
    Ok(section)
}

/// What rows of a method are compared with.
struct Reference {
    name: &'static str,
    /// Time of S3's brute force, s, for its own solver.
    theirs: Option<f64>,
    /// Time of brute force for the whole run, s, and its first part.
    total: f64,
    brute: Run,
    graph: Run,
}

/// All runs of a method: brute force, the graph alone, then with sleepy groups and switches.
fn add_method(method: &Method, lengths: &Lengths, section: &mut Section) -> Outcome {
    let steps = lengths.steps();
    let name = method.preset.name();
    eprintln!("  {name}: brute force");
    let (brute, total, taken) = brute_force(method, lengths)?;
    let graph = run(method, &NO_CACHES, false, steps)?;
    let theirs = method.is_theirs.then_some(BRUTE_FORCE);
    let reference = Reference { name, theirs, total, brute, graph };
    let mut add = |label: &str, switches: Option<Switches>, theirs: Option<f64>, run: &Run| {
        eprintln!("  {name}: {label}, {:.2} s", run.total());
        section.rows.push(reference.row(label, switches, theirs, run));
    };
    add(&format!("brute force, {taken} of {steps} steps"), None, Some(BRUTE_FORCE), &reference.brute);
    add("contact graph", None, Some(1011.4), &reference.graph);
    let nudge = [&NO_CACHES[..], &[("reference_acceleration", "10.000001")]].concat();
    let nudged = run(method, &nudge, false, steps)?;
    add("contact graph, thresholds 1e-7 larger", None, None, &nudged);
    add("contact graph, cached points", None, None, &run(method, &NO_CACHES[1..], false, steps)?);
    add("contact graph, cached forces", None, None, &run(method, &NO_CACHES[..1], false, steps)?);
    add("S1's sleeping, caches", None, None, &run(method, &[], true, steps)?);
    let mut shown = vec![("thresholds 1e-7 larger".to_owned(), nudged)];
    let mut best: Option<(f64, Run)> = None;
    for switches in if lengths.has_all { Switches::all() } else { Switches::some() } {
        let run = run(method, &switches.settings(method), true, steps)?;
        let cpu = run.total();
        add("sleepy groups", Some(switches), switches.theirs(), &run);
        if switches == Switches::default() {
            shown.push(("sleepy groups".into(), run));
        } else if best.as_ref().is_none_or(|(least, _)| cpu < *least) {
            best = Some((cpu, run));
        }
    }
    shown.extend(best.map(|(_, run)| ("the quickest".into(), run)));
    section.plots.push((format!("coherence-{name}"), figure(name, &shown, &reference.graph)?));
    Ok(())
}

impl Reference {
    /// The cells of a run; `theirs` is S3's time, s.
    fn row(&self, label: &str, switches: Option<Switches>, theirs: Option<f64>, run: &Run) -> Vec<String> {
        let cpu = if std::ptr::eq(run, &raw const self.brute) { self.total } else { run.total() };
        let mut line = vec![format!("{}: {label}", self.name)];
        line.extend(switches.map_or(vec![String::new(); 7], Switches::cells));
        let theirs = self.theirs.zip(theirs);
        line.push(theirs.map_or("-".into(), |(brute, s)| format!("{s:.0} ({:.0})", brute / s)));
        line.extend([format!("{cpu:.2}"), format!("{:.0}", self.total / cpu)]);
        line.push(format!("{:.1}", run.mean_contacts()));
        line.push(format!("{} of {}", run.asleep_end, run.track.last().map_or(0, Vec::len)));
        line.extend([format!("{:.1}", 1e3 * run.overlap), run.unsolved.to_string()]);
        let until = |(equal, both): (usize, usize)| {
            if equal == both { "equal".into() } else { format!("{:.2} s", equal as f64 / HZ) }
        };
        line.push(until(run.equal_until(&self.brute)));
        line.push(distance(run.distance(&self.brute, self.brute.track.len() - 1)));
        line.push(until(run.equal_until(&self.graph)));
        let end = self.graph.track.len();
        line.extend([end / 2, end].map(|steps| distance(run.distance(&self.graph, steps - 1))));
        line
    }
}

/// Figure 15: how far the balls are from those of the contact graph alone, over time.
fn figure(name: &str, runs: &[(String, Run)], graph: &Run) -> Outcome<String> {
    let curve = |(name, run): &(String, Run)| Curve {
        name: name.clone(),
        points: (0..graph.track.len())
            .filter_map(|step| Some(((step + 1) as f64 / HZ, run.distance(graph, step)?)))
            .collect(),
    };
    let title = format!("{SCENE}, {name}: mean distance of the balls from the contact graph alone");
    Ok(lines_svg(&title, "time (s)", "m", &runs.iter().map(curve).collect::<Vec<_>>())?)
}

/// A length in words, m.
fn distance(metres: Option<f64>) -> String {
    match metres {
        None => "-".into(),
        Some(0.0) => "0".into(),
        Some(m) if m < 1e-3 => format!("{m:.0e}"),
        Some(m) => format!("{m:.3}"),
    }
}

const HEADER: [&str; 20] = [
    "run",
    "cache",
    "tweak",
    "reduce",
    "zero",
    "damp",
    "subgroup",
    "fixate",
    "S3 s (times)",
    "ours CPU s",
    "times",
    "contacts per step",
    "asleep at end",
    "deepest overlap mm",
    "steps unsolved",
    "equal to brute force to the bit until",
    "m from it at its end",
    "equal to the graph until",
    "m from it after half",
    "at the end",
];

const TEXT: &str = "S3's scene: 120 balls fall onto an inclined plane engraved with DIKU (`incline120`), 10 s at 100 steps per second, one thread; slope and sizes are \
ours. `lcp` is set to S3's law (Stewart and Trinkle, pyramids of four facets), every problem solved by Lemke's algorithm, `fast` is the default. Brute force is all \
contacts in one problem, no caches, all pairs in the narrow phase. It is run in full for the first second, and for two steps of every fifty after that, from \
a run with groups; each such window stands for its fifty steps. The contact graph has groups and no caches; the rows below it have sleepy groups as \
in S3's Table 5, and a + for each switch: cache (points and forces), tweak (15 sweeps in place of Lemke's algorithm; four sub-steps in place of eight), reduce, \
zero, damp (0.5 1/s), subgroup, fixate. Balls touch at a point, so reduction does nothing and is on in one row alone. Times are processor time of the steps; \
those of S3 stand beside them where its Table 5 has a row once. Motion is compared with brute force as far as that was run, and with the contact graph to the \
end, as the mean distance of a ball from where it is there, to be seen beside what a change of the thresholds by 1e-7 does (restless motion multiplies \
rounding). Balls that roll off go on along the ground, which is most of the distance with damping. A step is unsolved when a contact closes faster than the threshold of the preset. \
In two of the first hundred steps of brute force Lemke's algorithm has no answer for all contacts at once, and sweeps take over: hence its deeper overlap, and the 6 mm \
after a second from all runs with groups, which agree with each other to far less.";
