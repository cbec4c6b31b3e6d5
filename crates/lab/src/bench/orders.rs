//! `cargo xtask bench orders`: which closing contact to resolve next (S1-96).
//!
//! A scene runs with the paper's fast settings. Some of its steps are kept as they are before their velocities are resolved, and
//! each is resolved by every order down to a ladder of closing speeds, without limits and without shock propagation: so all orders
//! do the same work to the same residual, from the same states. Prints tables and writes `docs/measurements/orders.md` with plots.

use super::solvers::digits;
use crate::PROFILE;
use crate::attended::attended;
use crate::machine;
use crate::papers::report::Section;
use crate::shell::Outcome;
use crate::workspace::root;
use drystone::{
    Batches, Bodies, ContactGraph, Exec, ImpulseConfig, ImpulseSolver, Solver, SolverChoice, SolverReport,
    StepParams,
};
use drystone_resolution::impulse::{
    ColourSweep, ContactOrder, Direction, FallingBar, FirstFound, HighestClosingSpeed, HighestImpulse,
    LevelSweep,
};
use drystone_scenes::{Preset, RunOptions, Runner, scene};
use drystone_viewer::plot::{Curve, lines_svg};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Name of the suite.
pub(super) const SUITE: &str = "orders";
/// Scenes, the steps (240 per second) from and to which states are kept, and what they are.
const SCENES: [(&str, u64, u64, &str); 5] = [
    ("bullet5", 165, 285, "a bullet goes through five piles of boxes"),
    ("well324", 200, 680, "324 balls jam in a well"),
    ("cage384", 340, 640, "balls and boxes fall into a heap"),
    ("metre_pyramid:20", 1, 120, "210 boxes that stand"),
    ("cubejam:100", 150, 600, "cubes jam between bars"),
];
/// States of each scene.
const STATES: u64 = 6;
/// Closing speeds to which states are resolved, `g dt`; the last is that of the fast settings.
const LADDER: [f32; 4] = [0.128, 0.032, 0.008, 0.002];
/// Resolutions per contact point after which an order is given up.
const PATIENCE: f32 = 400.0;
/// Times each solve is repeated; the least time counts.
const REPEATS: usize = 3;

/// What an order cost to one residual: sums over the states.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    resolutions: u64,
    seconds: f64,
    unsolved: u32,
}

/// Costs of an order, by settings and by residual.
type Costs = [[Cost; LADDER.len()]; 2];

/// Orders by name, with how one state is resolved by them.
const ORDERS: [(&str, Solve); 8] = [
    ("highest closing speed", |state, config| timed(state, config, HighestClosingSpeed::default())),
    ("first found", |state, config| timed(state, config, FirstFound::default())),
    ("highest impulse", |state, config| timed(state, config, HighestImpulse::default())),
    ("levels up", |state, config| timed(state, config, LevelSweep::new(Direction::Up))),
    ("levels down", |state, config| timed(state, config, LevelSweep::new(Direction::Down))),
    ("levels up and down", |state, config| timed(state, config, LevelSweep::new(Direction::Both))),
    ("falling bar", |state, config| timed(state, config, FallingBar::default())),
    ("colours", |state, config| timed(state, config, ColourSweep::default())),
];

type Solve = fn(&State, &ImpulseConfig) -> (SolverReport, f64);

/// A step before its velocities are resolved.
struct State {
    bodies: Bodies,
    graph: ContactGraph,
    batches: Batches,
    step: StepParams,
}

/// Resolves a state; the report, and the least time of the repeats, s.
fn timed<O: ContactOrder>(state: &State, config: &ImpulseConfig, order: O) -> (SolverReport, f64) {
    let mut method = ImpulseSolver::with_order(config.clone(), order);
    let (mut report, mut least) = (SolverReport::default(), f64::INFINITY);
    for _ in 0..REPEATS {
        let (mut bodies, mut graph) = (state.bodies.clone(), state.graph.clone());
        let start = Instant::now();
        report = method.solve(&mut bodies, &mut graph, &state.batches, &state.step, &Exec::serial());
        least = least.min(start.elapsed().as_secs_f64());
    }
    (report, least)
}

/// S1's method to the letter, or with what we add to it, without limits.
fn config(is_letter: bool, threshold: f32) -> ImpulseConfig {
    let ours = ImpulseConfig {
        resolution_threshold: threshold,
        global_limit: None,
        shock_limit: None,
        safety_limit: PATIENCE,
        // What is given beyond what is asked for is the same at every rung.
        overshoot: 4.0 * LADDER[LADDER.len() - 1] / threshold,
        ..ImpulseConfig::fast()
    };
    if is_letter {
        ImpulseConfig { overshoot: 0.0, stick_sweeps: 0, recovery_speed: 0.0, ..ours }
    } else {
        ours
    }
}

/// Runs the study on all scenes.
///
/// # Errors
/// What the engine refuses, files that cannot be written.
pub(super) fn run() -> Outcome {
    let machine = machine::describe(PROFILE);
    let plots = root().join("docs/measurements").join(SUITE);
    std::fs::create_dir_all(&plots)?;
    let mut sections = Vec::new();
    for (name, from, to, summary) in SCENES {
        eprintln!("  {name}");
        let states = states(name, from, to)?;
        let points: usize = states.iter().map(points).sum();
        let costs: Vec<Costs> = ORDERS.iter().map(|(_, solve)| costs(&states, *solve)).collect();
        let mut section =
            table(name, &format!("{summary}: {STATES} states, {points} contact points"), &costs);
        for (what, label) in [
            ("work", "log10 of resolutions per contact point"),
            ("time", "log10 of microseconds per contact point"),
        ] {
            let file = format!("{what}-{}", name.replace(':', "-"));
            let title = format!("{name}: closing speed left against {what}");
            let svg = lines_svg(
                &title,
                label,
                "log10 of closing speed left / g dt",
                &curves(&costs, what, points),
            )?;
            std::fs::write(plots.join(format!("{file}.svg")), svg)?;
            section.plots.push((file, String::new()));
        }
        section.print();
        sections.push(section);
    }
    let mut text = String::from(HEAD);
    machine.iter().for_each(|line| text += &format!("- {line}\n"));
    sections.iter().for_each(|section| text += &format!("\n{}", section.markdown(SUITE)));
    let path = root().join("docs/measurements/orders.md");
    std::fs::write(&path, text)?;
    println!("\nwritten: {}", path.display());
    Ok(())
}

const HEAD: &str = "# Orders of contacts, measured\n\n\
    Written by `cargo xtask bench orders`; edits are lost. What follows from it is in [contact-order.md](contact-order.md).\n\n\
    Steps of each scene are kept before their velocities are resolved (the scene runs with `thesis_fast`), and each is resolved by every order until no\n\
    contact closes faster than a residual, without limits (but 400 resolutions per contact point) and without shock propagation. Resolutions and times\n\
    are sums over the states; a time is the least of three, gathering included. First S1's method to the letter, then with what is added to it\n\
    (overshoot, holding what sticks). Plots are of the second. The number in brackets counts states in which an order was given up.\n\n";

/// States of a scene, evenly between two steps.
fn states(name: &str, from: u64, to: u64) -> Outcome<Vec<State>> {
    let options = RunOptions {
        preset: Preset::ThesisFast,
        hz: Some(240.0),
        seconds: Some((to + 1) as f64 / 240.0),
        sleep: Some(false),
        ..RunOptions::default()
    };
    let mut runner = Runner::new(&scene(name)?, &options)?;
    let SolverChoice::Impulse { config, .. } = &runner.world().config().solver else {
        unreachable!("the paper's settings are of the impulse method");
    };
    let steps: Vec<u64> = (0..STATES).map(|k| from + k * (to - from) / (STATES - 1)).collect();
    let states = Arc::<Mutex<Vec<State>>>::default();
    let kept = Arc::clone(&states);
    runner.set_solver(attended(ImpulseSolver::new(config.clone()), move |method, scene| {
        if steps.contains(&scene.step.index) {
            let (bodies, graph) = (scene.bodies.clone(), scene.graph.clone());
            let state = State { bodies, graph, batches: scene.batches.clone(), step: *scene.step };
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(state);
        }
        scene.resolve(method)
    }))?;
    while runner.step()? {}
    let kept = std::mem::take(&mut *states.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(kept)
}

/// Contact points of a state.
fn points(state: &State) -> usize {
    state.batches.list().iter().map(|batch| batch.point_count as usize).sum()
}

fn costs(states: &[State], solve: Solve) -> Costs {
    let mut costs = Costs::default();
    for (is_letter, row) in [true, false].into_iter().zip(&mut costs) {
        for (threshold, cost) in LADDER.into_iter().zip(row) {
            let config = config(is_letter, threshold);
            for state in states {
                let (report, seconds) = solve(state, &config);
                cost.resolutions += report.iterations;
                cost.seconds += seconds;
                cost.unsolved += u32::from(!report.is_solved());
            }
        }
    }
    costs
}

fn table(name: &str, text: &str, costs: &[Costs]) -> Section {
    let mut header = vec!["order".to_owned()];
    for settings in ["letter", "ours"] {
        header.extend(LADDER.map(|residual| format!("{settings}, {residual} g dt: thousand, ms")));
    }
    header.push("time of highest closing speed / time, ours".into());
    let mut section = Section::new(&format!("`{name}`"), &format!("{text}."), &[]);
    section.header = header;
    for ((order, _), of_order) in ORDERS.iter().zip(costs) {
        let mut row = vec![(*order).to_owned()];
        for cost in of_order.iter().flatten() {
            let given_up = if cost.unsolved > 0 { format!(" ({})", cost.unsolved) } else { String::new() };
            row.push(format!(
                "{}, {}{given_up}",
                digits(1e-3 * cost.resolutions as f64),
                digits(1e3 * cost.seconds)
            ));
        }
        let ratio = |k: usize| format!("{:.2}", costs[0][1][k].seconds / of_order[1][k].seconds);
        row.push((0..LADDER.len()).map(ratio).collect::<Vec<_>>().join(" "));
        section.rows.push(row);
    }
    section
}

/// Residual against work or time, with our settings.
fn curves(costs: &[Costs], what: &str, points: usize) -> Vec<Curve> {
    let curve = |((name, _), of_order): (&(&str, Solve), &Costs)| {
        let at = |(cost, residual): (&Cost, f32)| {
            let spent = if what == "work" { cost.resolutions as f64 } else { 1e6 * cost.seconds };
            let per_point = (spent / points.max(1) as f64).max(1e-6);
            (per_point.log10(), f64::from(residual).log10())
        };
        let solved = of_order[1].iter().zip(LADDER).filter(|(cost, _)| cost.unsolved == 0);
        Curve { name: (*name).into(), points: solved.map(at).collect() }
    };
    ORDERS.iter().zip(costs).map(curve).filter(|curve| curve.points.len() > 1).collect()
}
