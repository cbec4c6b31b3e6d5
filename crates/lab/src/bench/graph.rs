//! `cargo xtask bench graph`: the contact graph while everything meets everything (S3-06, S3-07).
//!
//! Counts edges, links and touches over the time in which a drum stirs bodies, and what asking the graph costs. Prints
//! tables and writes `docs/measurements/graph.md`.

use super::solvers::digits;
use crate::PROFILE;
use crate::machine;
use crate::papers::report::Section;
use crate::shell::Outcome;
use crate::workspace::root;
use drystone::math::Vector3;
use drystone::{EdgeState, Stage};
use drystone_scenes::{RunOptions, Runner, scene};
use std::collections::BTreeSet;
use std::time::Instant;

/// Name of the suite.
pub(super) const SUITE: &str = "graph";
/// Bodies in the drum, and simulated seconds: a minute of the largest takes a quarter of an hour.
const RUNS: [(u32, f64); 3] = [(100, 60.0), (1000, 60.0), (10_000, 60.0)];
/// Rows of a table.
const ROWS: u64 = 12;
/// Steps from one look at who meets whom to the next.
const LOOK: u64 = 6;
/// Cosine of the largest angle between up and the normal of what carries.
const LEAST_COSINE: f32 = 0.7;

const HEAD: &str = "# The contact graph while all is stirred\n\n\
    Written by `cargo xtask bench graph`; edits are lost. A closed drum turns and stirs balls and cubes (scene `drum`, preset `fast`, one\n\
    thread). Edges are pairs of colliders whose boxes are near, links have contact points; pairs met counts all pairs that ever had an edge: without an end\n\
    for edges that are obsolete (S3-06, S3-07) the graph would have them all. Times are wall times, those of questions the least of three.\n\n";

/// Runs the drums.
///
/// # Errors
/// What the engine refuses, files that cannot be written.
pub(super) fn run() -> Outcome {
    let mut text = String::from(HEAD);
    machine::describe(PROFILE).iter().for_each(|line| text += &format!("- {line}\n"));
    let mut sections = Vec::new();
    for (bodies, seconds) in RUNS {
        eprintln!("  {bodies} bodies");
        sections.push(stir(bodies, seconds)?);
    }
    sections.push(questions()?);
    for section in &sections {
        section.print();
        text += &format!("\n{}", section.markdown(SUITE));
    }
    let path = root().join("docs/measurements/graph.md");
    std::fs::write(&path, text)?;
    println!("\nwritten: {}", path.display());
    Ok(())
}

/// Edges per body over time.
fn stir(bodies: u32, seconds: f64) -> Outcome<Section> {
    let options = RunOptions { seconds: Some(seconds), ..RunOptions::default() };
    let mut runner = Runner::new(&scene(&format!("drum:{bodies}"))?, &options)?;
    let mut section = Section::new(
        &format!("{bodies} bodies, {seconds} s"),
        "Largest counts of the time before each row.",
        &[
            "until s",
            "edges per body",
            "contact points per body",
            "pairs met per body",
            "stage graph, us per step and body",
        ],
    );
    let steps = runner.schedule().step_count;
    let (mut edges, mut points, mut graph, mut since) = (0, 0, 0.0, 0);
    let mut met = BTreeSet::new();
    while runner.step()? {
        if runner.step_count() % LOOK == 0 {
            let world = runner.world();
            let slots = |index| world.graph().edge(index).colliders().map(|collider| collider.index);
            met.extend(world.graph().edge_indices().map(slots));
        }
        let Some(report) = runner.report() else { continue };
        edges = edges.max(report.edges);
        points = points.max(report.contacts);
        graph += report.stage_time(Stage::Graph).as_secs_f64() * 1e6;
        if runner.step_count() * ROWS / steps > (runner.step_count() - 1) * ROWS / steps {
            let count = f64::from(bodies);
            let taken = (runner.step_count() - since) as f64;
            section.rows.push(vec![
                format!("{:.1}", runner.step_count() as f64 / runner.schedule().hz),
                digits(f64::from(edges) / count),
                digits(f64::from(points) / count),
                digits(met.len() as f64 / count),
                digits(graph / taken / count),
            ]);
            (edges, points, graph, since) = (0, 0, 0.0, runner.step_count());
        }
    }
    Ok(section)
}

/// What questions cost, on a pyramid that stands.
fn questions() -> Outcome<Section> {
    let mut section = Section::new(
        "Asking",
        "A flat pyramid (scene `metre_pyramid`) after one second; us of each question to all of it.",
        &[
            "bodies",
            "edges",
            "touching",
            "snapshot",
            "supports",
            "falls without one",
            "articulation nodes",
            "changes",
        ],
    );
    for rows in [10, 30, 100] {
        let options = RunOptions { seconds: Some(1.0), ..RunOptions::default() };
        let mut runner = Runner::new(&scene(&format!("metre_pyramid:{rows}"))?, &options)?;
        while runner.step()? {}
        let world = runner.world();
        let graph = world.graph_snapshot();
        let supports = graph.supports(&Vector3::y(), LEAST_COSINE);
        let touching = graph.edges().iter().filter(|edge| edge.state == EdgeState::Touching).count();
        let mut row =
            vec![graph.nodes().len().to_string(), graph.edges().len().to_string(), touching.to_string()];
        row.push(least(|| world.graph_snapshot().edges().len()));
        row.push(least(|| graph.supports(&Vector3::y(), LEAST_COSINE).unsupported().len()));
        row.push(least(|| supports.falls_without(graph.nodes().len() / 2).len()));
        row.push(least(|| graph.articulation_nodes().len()));
        row.push(least(|| graph.changes_since(&graph).begun.len()));
        section.rows.push(row);
    }
    Ok(section)
}

/// The least time of three, us.
fn least<T>(question: impl Fn() -> T) -> String {
    let time = || {
        let start = Instant::now();
        std::hint::black_box(question());
        start.elapsed().as_secs_f64() * 1e6
    };
    digits((0..3).map(|_| time()).fold(f64::INFINITY, f64::min))
}
