//! `drystone graph`: simulates a scene and tells its contact graph.

use crate::args::{GraphArguments, GraphFormat};
use crate::failure::Failure;
use crate::interrupt;
use crate::lists::{print, tell};
use crate::names::Names;
use crate::run::{find_scene, gave_up, options};
use crate::target::Target;
use drystone::math::Vector3;
use drystone::{EdgeState, GraphSnapshot, NodeKind};
use drystone_scenes::Runner;
use drystone_viewer::graph::{DrawnEdge, DrawnNode, graph_svg};
use std::path::Path;
use std::process::ExitCode;

/// Cosine of the largest angle between up and the normal of what carries: 45 degrees.
const LEAST_COSINE: f32 = 0.7;

/// Runs a scene to its end and writes the graph of its last step.
pub(crate) fn run(arguments: &GraphArguments) -> Result<ExitCode, Failure> {
    let scene = find_scene(&arguments.scene)?;
    let mut runner = Runner::new(&scene, &options(&arguments.settings)?)?;
    let input = Path::new(&arguments.scene);
    let out = arguments.out.as_deref().map(|path| Target::new("--out", path, input)).transpose()?;
    interrupt::listen()?;
    while !interrupt::is_asked() && runner.step().map_err(|error| gave_up(&runner, &error))? {}
    let snapshot = runner.world().graph_snapshot();
    // Against gravity; without it nothing rests.
    let up = -runner.world().config().gravity;
    let names = Names::new(&scene, &runner);
    let text = match arguments.format {
        GraphFormat::Text => in_words(&snapshot, &up, &names),
        GraphFormat::Dot => snapshot.to_dot(),
        GraphFormat::Graphml => snapshot.to_graphml(),
        GraphFormat::Json => serde_json::to_string_pretty(&snapshot).map_err(Failure::work)? + "\n",
        GraphFormat::Svg => picture(&scene.name, &snapshot, &names)?,
    };
    match &out {
        None => print(&text)?,
        Some(target) => target.write(&text)?,
    }
    let (steps, step_count) = (runner.step_count(), runner.schedule().step_count);
    let interrupted = steps < step_count;
    if interrupted {
        tell(&format!("interrupted after {steps} of {step_count} steps, whose graph this is"));
    }
    Ok(if interrupted { ExitCode::from(interrupt::EXIT_CODE) } else { ExitCode::SUCCESS })
}

/// A line for every body that can move and for every composite: what it rests on, what rests on it, what would fall without it.
fn in_words(snapshot: &GraphSnapshot, up: &Vector3, names: &Names) -> String {
    let supports = snapshot.supports(up, LEAST_COSINE);
    let cuts = snapshot.articulation_nodes();
    let all = |places: &[u32]| {
        let all: Vec<String> =
            places.iter().map(|&i| names.of_node(snapshot.nodes()[i as usize].key)).collect();
        if all.is_empty() { "nothing".to_owned() } else { all.join(" ") }
    };
    let mut text = format!(
        "{} nodes, {} edges after {} steps\n",
        snapshot.nodes().len(),
        snapshot.edges().len(),
        snapshot.step()
    );
    let is_told = |kind: NodeKind| kind.is_movable() || kind == NodeKind::Composite;
    for (place, node) in snapshot.nodes().iter().enumerate().filter(|(_, node)| is_told(node.kind)) {
        let name = names.of_node(node.key);
        if node.kind == NodeKind::Composite {
            let members: Vec<u32> = snapshot.neighbours(place).map(|(member, _)| member as u32).collect();
            text += &format!("{name}: fastens {}", all(&members));
        } else {
            let (below, above) = (all(supports.carriers_of(place)), all(supports.carried_by(place)));
            text += &format!("{name}: rests on {below}; carries {above}");
        }
        let falling = supports.falls_without(place).len();
        if falling > 0 {
            text += &format!("; {falling} fall without it");
        }
        if cuts.binary_search(&place).is_ok() {
            text += "; its island falls into parts without it";
        }
        text += if node.is_asleep { "; asleep\n" } else { "\n" };
    }
    text
}

fn picture(title: &str, snapshot: &GraphSnapshot, names: &Names) -> Result<String, Failure> {
    let nodes: Vec<DrawnNode> = snapshot
        .nodes()
        .iter()
        .map(|node| DrawnNode {
            place: node.center.map(|c| (c.x, c.y)),
            label: names.of_node(node.key),
            is_anchor: !node.kind.is_movable() && !node.kind.is_container(),
            group: node.island,
        })
        .collect();
    let edges: Vec<DrawnEdge> = snapshot
        .edges()
        .iter()
        .map(|edge| DrawnEdge {
            ends: edge.ends.map(|end| end as usize),
            is_firm: edge.state == EdgeState::Touching,
            weight: f64::from(edge.impulse.norm()),
        })
        .collect();
    graph_svg(title, &nodes, &edges).map_err(Failure::work)
}
