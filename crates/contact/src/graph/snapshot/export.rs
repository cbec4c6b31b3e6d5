//! Snapshots as text for other tools: DOT (Graphviz) and GraphML.

use super::{EdgeState, GraphSnapshot, NodeKey, SnapshotEdge, SnapshotNode};
use std::fmt::{self, Display, Formatter, Write as _};

impl Display for NodeKey {
    /// As in exports: `body_3_1`, slot and generation. Letters, digits and `_` only.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(handle) => write!(f, "body_{}_{}", handle.index, handle.generation),
            Self::Trigger(handle) => write!(f, "trigger_{}_{}", handle.index, handle.generation),
            Self::Container(number) => write!(f, "container_{number}"),
            Self::Rule(number) => write!(f, "rule_{number}"),
            Self::Timer(number) => write!(f, "timer_{number}"),
        }
    }
}

/// Name, type and value of what GraphML tells of a node or an edge.
type Datum = (&'static str, &'static str, String);

fn node_data(node: &SnapshotNode) -> Vec<Datum> {
    let mut data = vec![
        ("kind", "string", node.kind.name().to_owned()),
        ("mass_kg", "double", node.mass.to_string()),
        ("is_asleep", "boolean", node.is_asleep.to_string()),
    ];
    if let Some(center) = node.center {
        for (name, value) in ["x_m", "y_m", "z_m"].into_iter().zip(center.iter()) {
            data.push((name, "double", value.to_string()));
        }
    }
    data.extend(node.island.map(|island| ("island", "long", island.to_string())));
    data.extend(node.level.map(|level| ("level", "long", level.to_string())));
    data
}

fn edge_data(edge: &SnapshotEdge) -> Vec<Datum> {
    let mut data = vec![
        ("edge_kind", "string", edge.kind.name()),
        ("class", "string", edge.kind.class().name().to_owned()),
        ("state", "string", edge.state.name().to_owned()),
        ("points", "long", edge.points.to_string()),
        ("impulse_n_s", "double", edge.impulse.norm().to_string()),
    ];
    data.extend(edge.distance.map(|distance| ("distance_m", "double", distance.to_string())));
    data
}

impl GraphSnapshot {
    /// The graph in the language of Graphviz: boxes for what cannot move, hexagons for containers, names and islands as colours of a scheme, touching
    /// edges drawn through, others dashed. Nodes carry their places (`pos`, in m, x and y), which `neato -n` keeps.
    pub fn to_dot(&self) -> String {
        let mut text = String::from("graph contacts {\n  node [style=filled, colorscheme=set312];\n");
        for node in &self.nodes {
            let shape = match node.kind {
                kind if kind.is_movable() => "ellipse",
                kind if kind.is_container() => "hexagon",
                _ => "box",
            };
            let colour = node.island.map_or("white".into(), |island| (island % 12 + 1).to_string());
            let place = node.center.map_or(String::new(), |c| format!(", pos=\"{},{}\"", c.x, c.y));
            let (key, letter) = (node.key, node.kind.letter());
            let label = key.to_string();
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "  {key} [label=\"{letter} {label}\", shape={shape}, fillcolor={colour}{place}];"
            );
        }
        for edge in &self.edges {
            let [a, b] = edge.ends.map(|end| self.nodes[end as usize].key);
            let style = if matches!(edge.state, EdgeState::Touching | EdgeState::Static) {
                "solid"
            } else {
                "dashed"
            };
            let _ = writeln!(text, "  {a} -- {b} [style={style}, label=\"{}\"];", edge.kind.name());
        }
        text.push_str("}\n");
        text
    }

    /// The graph as GraphML, with all that a snapshot knows as data.
    ///
    /// Source: the GraphML specification (graphml.graphdrawing.org). Nothing needs escaping: values are numbers and fixed words.
    pub fn to_graphml(&self) -> String {
        let nodes: Vec<Vec<Datum>> = self.nodes.iter().map(node_data).collect();
        let edges: Vec<Vec<Datum>> = self.edges.iter().map(edge_data).collect();
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
        );
        for (list, of) in [(&nodes, "node"), (&edges, "edge")] {
            let mut keys: Vec<(&str, &str)> = list.iter().flatten().map(|d| (d.0, d.1)).collect();
            keys.sort_unstable();
            keys.dedup();
            for (name, kind) in keys {
                let _ = writeln!(
                    text,
                    "  <key id=\"{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
                );
            }
        }
        let _ = writeln!(text, "  <graph id=\"step_{}\" edgedefault=\"undirected\">", self.step);
        for (node, data) in self.nodes.iter().zip(&nodes) {
            let _ = writeln!(text, "    <node id=\"{}\">", node.key);
            write_data(&mut text, data);
            text.push_str("    </node>\n");
        }
        for (edge, data) in self.edges.iter().zip(&edges) {
            let [a, b] = edge.ends.map(|end| self.nodes[end as usize].key);
            let _ = writeln!(text, "    <edge source=\"{a}\" target=\"{b}\">");
            write_data(&mut text, data);
            text.push_str("    </edge>\n");
        }
        text.push_str("  </graph>\n</graphml>\n");
        text
    }
}

fn write_data(text: &mut String, data: &[Datum]) {
    for (name, _, value) in data {
        let _ = writeln!(text, "      <data key=\"{name}\">{value}</data>");
    }
}
