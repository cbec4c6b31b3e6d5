//! `cargo xtask bench solvers`: every method of the engine on the same scenes, judged by the same figures.
//!
//! Prints a table per scene and writes `docs/measurements/solvers.md`. Start reading at [`SCENES`] and [`measure`]; the figures
//! are those of [`law`], [`ledger`] and [`drystone_scenes::Quality`].

mod law;
mod ledger;

use crate::PROFILE;
use crate::machine;
use crate::papers::report::Section;
use crate::shell::{Failure, Outcome};
use crate::validate::lab::lag;
use crate::workspace::root;
use drystone::SolverChoice;
use drystone::math::Position;
use drystone_scenes::{Preset, RunOptions, Runner, Standing, scene};
use law::Law;
use ledger::Ledger;
use std::time::Instant;

/// Name of the suite.
pub(super) const SUITE: &str = "solvers";
/// The scenes with their simulated time, s, and what they are to show.
const SCENES: [(&str, f64, &str); 10] = [
    (
        "incline",
        2.0,
        "one block each on slopes of 5 to 15 degrees; the friction angle is 11.31: creep, and sliding",
    ),
    ("tower:10", 6.0, "ten boxes on each other: weight through a column"),
    ("metre_pyramid:10", 5.0, "55 boxes of one metre: weight that spreads"),
    ("mass_ratio:1000", 5.0, "1000 kg on ten boxes of 1 kg"),
    ("cs_stack:6", 4.0, "cubes and balls in turn fall onto each other (S2)"),
    ("cubejam:48", 4.0, "cubes fall between bars and jam (S2)"),
    ("ball_on_ball", 1.5, "a ball rolls off a ball (S2)"),
    ("cradle", 3.0, "five elastic balls in a row, no friction: blows that run on"),
    ("catapult7", 2.0, "a blow through a lever into a column of seven boxes (S1)"),
    ("bullet5", 1.2, "an iron bullet hits 275 boxes: blows into piles (S1)"),
];
/// Processor time after which a run ends, s; what was simulated until then is judged.
const PATIENCE: f64 = 8.0;
/// Way up to which a body that should stand still counts as standing, m.
const STANDS: f64 = 0.01;

/// Runs all methods on all scenes, or on those that are named; only the whole is written.
///
/// # Errors
/// A scene that is none of the comparison's, what the engine refuses, a file that cannot be written.
pub(super) fn run(names: &[String]) -> Outcome {
    let known = SCENES.map(|(name, ..)| name);
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Failure::new(format!("there is no scene `{unknown}` here; known: {}", known.join(", "))));
    }
    let machine = machine::describe(PROFILE);
    let mut sections = Vec::new();
    let mut gains = Section::new("Energy gained (S2-31)", GAINS, &["preset"]);
    let methods = methods();
    gains.rows = methods.iter().map(|method| vec![method.name()]).collect();
    for (name, seconds, summary) in SCENES {
        if !names.is_empty() && !names.iter().any(|n| n == name) {
            continue;
        }
        let mut section = Section::new(&format!("`{name}`"), &format!("{}.", capital(summary)), &COLUMNS);
        gains.header.push(format!("`{name}`"));
        for (method, row) in methods.iter().zip(&mut gains.rows) {
            eprint!("  {name}, {}:", method.name());
            let run = measure(method, name, seconds)?;
            eprintln!(" {:.2} s", run.wall);
            let [all, own] = run.ledger.shares().map(percent);
            let own = if method.reports_forces() { "-" } else { &own };
            row.push(format!("{all} (once {}), {own}", joules(run.ledger.largest)));
            section.rows.push(run.cells(method.name()));
        }
        section.print();
        sections.push(section);
    }
    gains.print();
    if !names.is_empty() {
        return Ok(());
    }
    sections.push(gains);
    let mut text = String::from(HEAD);
    machine.iter().for_each(|line| text += &format!("- {line}\n"));
    sections.iter().for_each(|section| text += &format!("\n{}", section.markdown(SUITE)));
    let path = root().join("docs/measurements/solvers.md");
    std::fs::write(&path, text)?;
    println!("\nwritten: {}", path.display());
    Ok(())
}

const COLUMNS: [&str; 12] = [
    "preset",
    "steps/s",
    "simulated s",
    "CPU ms per step",
    "per simulated s",
    "law missed by, median / worst mm/s",
    "closing left mm/s",
    "outside cone mm/s",
    "overlap mm",
    "drift mm",
    "creep µm/s",
    "stands",
];

const HEAD: &str = "# All methods on the same scenes\n\n\
    Written by `cargo xtask bench solvers`; edits are lost. What the figures lead to is in [choosing-a-solver.md](../choosing-a-solver.md).\n\n\
    Every preset at its own rate, one thread, neither sleep nor freezing: what is measured is the solving. A run that takes 8 s of processor\n\
    time ends there. Processor time is counted in ticks of some ms, so runs that are shorter show 0. All other figures are taken from places, velocities and contact points after each step, by the same code for all methods:\n\n\
    - *law missed by*: natural map of Signorini's and Coulomb's laws of the worst contact of a step (median and worst of the steps), as a speed:\n\
      impulses count by the speed they would make at their contact. Restitution is allowed for as far as a contact's own impulse explains it. Exact\n\
      answers have 0 but for blows: resolved one after the other they obey the law blow by blow, and resolved jointly a contact may bounce by what its\n\
      neighbours gave, so the worst figures of scenes with blows are large without being wrong. The median is without blows.\n\
    - Sub-steps (`fast`, `fine`) hold contacts within a band of rest, and round bodies at its upper end: a gap that a sub-step could close counts as a speed\n\
      (67 mm/s at most with `fast`).\n\
    - *closing left*: fastest approach left in any step beyond what closes a gap.\n\
    - *outside cone*: largest friction of a manifold beyond Coulomb's cone, as a speed.\n\
    - *overlap*: deepest in the run. *drift*: farthest that a body which should stand is from its place at the end; *creep*: what it went in the\n\
      second half, per second (- where the run was cut short before); it *stands* with less than 10 mm of drift.\n\
    - *energy gained*: steps after which there was more mechanical energy than before, summed, over the energy at the begin (heights above the\n\
      ground). Contacts must not give energy; correction may lift what overlaps.\n\n";

const GAINS: &str = "Sum over all steps that gained mechanical energy, in percent of the energy at the begin, and the largest gain of one step; then what \
    the method itself reports of its impulses, of kinetic energy. The difference is correction, which lifts what sank. Sub-steps (`fast`, `fine`) report the work of gravity too, which is left out here; what they gain is \
    of their position pass. \
    Sequential bouncing can gain energy, programs that minimise energy cannot. The last two rows have the rules against it: impulses scaled back, \
    and the contacts in question solved jointly. What is left with them is shock propagation, in which bodies push as if infinitely heavy and lose nothing \
    (`thesis_accurate` has none)";

/// What a run gave.
struct Run {
    hz: f64,
    seconds: f64,
    wall: f64,
    /// Processor time of a step, ms.
    step_ms: f64,
    residuals: Vec<f64>,
    worst: Law,
    ledger: Ledger,
    overlap: f64,
    /// Of what should stand, m, and m/s; none where nothing should.
    drift: Option<(f64, Option<f64>)>,
}

/// A preset with settings that differ.
struct Method {
    preset: Preset,
    settings: Vec<(&'static str, &'static str)>,
}

impl Method {
    fn name(&self) -> String {
        // That nothing freezes goes without saying.
        let shown = self.settings.iter().filter(|(field, _)| !field.ends_with("freeze"));
        let settings: Vec<String> = shown.map(|(field, value)| format!(", `{field}={value}`")).collect();
        format!("`{}`{}", self.preset.name(), settings.concat())
    }

    /// Whether the energies that it reports have the work of forces in them: sub-steps take them before and after theirs.
    fn reports_forces(&self) -> bool {
        matches!(self.preset.config().solver, SolverChoice::SubStep { .. })
    }
}

/// All presets, and the paper's fast settings with both rules against gains of energy.
fn methods() -> Vec<Method> {
    let plain = |&preset: &Preset| Method {
        preset,
        settings: if preset.name() == "qp_suite" { vec![("qp_suite.freeze", "false")] } else { Vec::new() },
    };
    let safe = |joint| Method {
        preset: Preset::ThesisFast,
        settings: vec![("resolution.energy_safe", "true"), ("resolution.energy_joint", joint)],
    };
    Preset::ALL.iter().map(plain).chain([safe("false"), safe("true")]).collect()
}

/// Runs a scene and judges every step.
fn measure(method: &Method, name: &str, seconds: f64) -> Outcome<Run> {
    let own = |&(field, value): &(&str, &str)| (field.to_owned(), value.to_owned());
    let options = RunOptions {
        preset: method.preset,
        overrides: method.settings.iter().map(own).collect(),
        seconds: Some(seconds),
        sleep: Some(false),
        ..RunOptions::default()
    };
    let mut runner = Runner::new(&scene(name)?, &options)?;
    let dt = f64::from(runner.schedule().dt());
    let acceleration = f64::from(runner.world().config().reference_acceleration);
    let config = runner.world().config();
    let mut ledger = Ledger::begin(runner.world(), lag(config, dt));
    let motion = match &config.solver {
        SolverChoice::SubStep { config } => dt / f64::from(config.sub_steps),
        _ => dt,
    };
    let (mut residuals, mut worst) = (Vec::new(), Law::default());
    let mut half_way = 0.0;
    let (start, used) = (Instant::now(), machine::cpu_time());
    let cpu = || used.zip(machine::cpu_time()).map_or(f64::NAN, |(before, now)| now - before);
    let is_over = |steps: u64| steps.is_multiple_of(16) && cpu() > PATIENCE;
    while !is_over(runner.step_count()) && runner.step()? {
        let law = Law::of(runner.world(), [dt, motion], acceleration);
        residuals.push(law.residual);
        worst.residual = worst.residual.max(law.residual);
        worst.closing = worst.closing.max(law.closing);
        worst.outside_cone = worst.outside_cone.max(law.outside_cone);
        ledger.note(runner.world());
        if runner.time() <= 0.5 * seconds {
            half_way = drift(&runner).unwrap_or(0.0);
        }
    }
    let simulated = runner.time();
    let drift = drift(&runner).map(|end| {
        // A run that was cut short may not have got beyond its half.
        let rest = simulated - 0.5 * seconds;
        (end, (rest > 0.0).then(|| (end - half_way) / rest))
    });
    // What the judging took goes off, by its share of the wall time.
    let (cpu, wall) = (cpu(), start.elapsed().as_secs_f64());
    residuals.sort_by(f64::total_cmp);
    let outcome = runner.finish();
    let share = 1e-3 * outcome.times.total_ms / wall;
    Ok(Run {
        hz: outcome.hz,
        seconds: simulated,
        wall,
        step_ms: 1e3 * cpu * share / outcome.steps as f64,
        residuals,
        worst,
        ledger,
        overlap: outcome.quality.pen_run_max_m,
        drift,
    })
}

/// Farthest that a body which should stand is from where it began, m; none where none should.
fn drift(runner: &Runner) -> Option<f64> {
    let stands = |body: &drystone_scenes::Body| match &runner.scene().standing {
        Standing::None => false,
        Standing::All => body.kind == drystone_scenes::Kind::Dynamic,
        Standing::Bodies(names) => names.contains(&body.name),
    };
    let way = |(index, body): (usize, &drystone_scenes::Body)| {
        let pose = runner.world().pose(runner.body(index)?).ok()?;
        Some((pose.translation - Position::from(body.position)).norm())
    };
    let bodies = runner.scene().bodies.iter().enumerate().filter(|(_, body)| stands(body));
    bodies.filter_map(way).reduce(f64::max)
}

impl Run {
    fn cells(&self, name: String) -> Vec<String> {
        let speed = |v: f64| millimetres(v);
        let median = self.residuals.get(self.residuals.len() / 2).copied().unwrap_or(f64::NAN);
        let [drift, creep, stands] = match self.drift {
            Some((way, rate)) => {
                let stands = if way < STANDS { "yes" } else { "falls" };
                [millimetres(way), rate.map_or("-".into(), |rate| millimetres(1e3 * rate)), stands.into()]
            }
            None => ["-", "-", "-"].map(String::from),
        };
        vec![
            name,
            format!("{:.0}", self.hz),
            format!("{:.1}", self.seconds),
            format!("{:.4}", self.step_ms),
            format!("{:.2}", self.step_ms * self.hz),
            format!("{} / {}", speed(median), speed(self.worst.residual)),
            speed(self.worst.closing),
            speed(self.worst.outside_cone),
            millimetres(self.overlap),
            drift,
            creep,
            stands,
        ]
    }
}

/// A length or speed in thousandths of its unit, with two significant digits below 100.
fn millimetres(metres: f64) -> String {
    digits(1e3 * metres)
}

fn percent(share: f64) -> String {
    format!("{} %", digits(100.0 * share))
}

fn joules(energy: f64) -> String {
    format!("{} J", digits(energy))
}

/// Two significant digits, plain between a thousandth and a hundred thousand.
pub(super) fn digits(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if (100.0..1e5).contains(&size) {
        format!("{value:.0}")
    } else if (1e-3..100.0).contains(&size) {
        let places = (1 - size.log10().floor() as i32).clamp(0, 5) as usize;
        format!("{value:.places$}")
    } else {
        format!("{value:.1e}")
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `fine` told the whole gain of a box that falls as that of its impulses.
    #[test]
    fn methods_that_report_the_work_of_gravity_are_known() {
        let reporting = methods().into_iter().filter(Method::reports_forces);
        assert_eq!(reporting.map(|method| method.preset).collect::<Vec<_>>(), [Preset::Fast, Preset::Fine]);
    }

    #[test]
    fn figures_keep_two_digits() {
        assert_eq!([0.0, 1234.4, 12.34, 0.01234, 1.2e-5].map(digits), ["0", "1234", "12", "0.012", "1.2e-5"]);
    }
}
