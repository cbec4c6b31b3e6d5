//! The contact graph as a picture: bodies in rows by their level, lines where they touch.

use drystone::debug::Rgb;
use drystone::{BodyHandle, EdgeState, GraphSnapshot, NodeKey};
use std::collections::BTreeMap;
use three_d::egui::{self, Color32, Pos2, Rect, Sense, Stroke, Vec2};

/// Most nodes that are drawn: more are a blot.
const MOST_NODES: usize = 600;
/// Radius of a node, points.
const RADIUS: f32 = 4.0;

/// A node at its place in the unit square, x to the right, y up.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    body: Option<BodyHandle>,
    at: [f32; 2],
    island: Option<u32>,
    is_asleep: bool,
}

/// An edge between two nodes by index.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Edge {
    ends: [usize; 2],
    is_firm: bool,
    /// Impulse of the last step, as a share of the largest.
    weight: f32,
}

/// A graph laid out.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    left_out: usize,
}

impl Layout {
    /// Lays out what moves, in rows from what cannot move upwards and in a row from left to right as in the world. Of more than 600 bodies
    /// those of the largest islands are shown; with a body selected those of its island.
    pub(crate) fn of(snapshot: &GraphSnapshot, selected: Option<BodyHandle>) -> Self {
        let chosen = choose(snapshot, selected);
        let mut rows: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &node in &chosen {
            // What nothing fixed carries floats above all others.
            rows.entry(snapshot.nodes()[node].level.unwrap_or(u32::MAX)).or_default().push(node);
        }
        let mut layout = Self::default();
        let mut places = BTreeMap::new();
        let count = rows.len() as f32;
        for (row, (_, mut members)) in rows.into_iter().enumerate() {
            let x = |node: usize| snapshot.nodes()[node].center.map_or(0.0, |center| center.x);
            members.sort_by(|&a, &b| x(a).total_cmp(&x(b)).then(a.cmp(&b)));
            let width = members.len() as f32;
            for (column, node) in members.into_iter().enumerate() {
                let facts = &snapshot.nodes()[node];
                let body = if let NodeKey::Body(body) = facts.key { Some(body) } else { None };
                places.insert(node, layout.nodes.len());
                layout.nodes.push(Node {
                    body,
                    at: [(column as f32 + 0.5) / width, (row as f32 + 0.5) / count],
                    island: facts.island,
                    is_asleep: facts.is_asleep,
                });
            }
        }
        let most = snapshot.edges().iter().map(|edge| edge.impulse.norm()).fold(f32::MIN_POSITIVE, f32::max);
        for edge in snapshot.edges() {
            let [Some(&a), Some(&b)] = edge.ends.map(|end| places.get(&(end as usize))) else { continue };
            let is_firm = edge.state == EdgeState::Touching;
            layout.edges.push(Edge { ends: [a, b], is_firm, weight: edge.impulse.norm() / most });
        }
        layout.left_out = movable(snapshot).count() - chosen.len();
        layout
    }

    /// Draws it; returns the body that was clicked.
    pub(crate) fn show(&self, ui: &mut egui::Ui, selected: Option<BodyHandle>) -> Option<BodyHandle> {
        let size = ui.available_size().max(Vec2::new(240.0, 160.0));
        let (area, painter) = ui.allocate_painter(size, Sense::click());
        let inner = area.rect.shrink(2.0 * RADIUS);
        let place = |node: &Node| on(inner, node.at);
        for edge in &self.edges {
            let line = edge.ends.map(|end| place(&self.nodes[end]));
            let colour = if edge.is_firm { Color32::from_gray(150) } else { Color32::from_gray(70) };
            painter.line_segment(line, Stroke::new(0.5 + 3.5 * edge.weight, colour));
        }
        for node in &self.nodes {
            let colour = node.island.map_or(Color32::GRAY, |island| {
                let [r, g, b] = Rgb::of(island).0.map(|c| (c * 255.0) as u8);
                Color32::from_rgb(r, g, b)
            });
            let at = place(node);
            if node.is_asleep {
                painter.circle_stroke(at, RADIUS, Stroke::new(1.5, colour));
            } else {
                painter.circle_filled(at, RADIUS, colour);
            }
            if node.body.is_some() && node.body == selected {
                painter.circle_stroke(at, RADIUS + 3.0, Stroke::new(2.0, Color32::WHITE));
            }
        }
        if self.left_out > 0 {
            let text = format!("{} more bodies are left out; select one to see its island", self.left_out);
            painter.text(
                area.rect.left_top(),
                egui::Align2::LEFT_TOP,
                text,
                egui::FontId::proportional(12.0),
                Color32::YELLOW,
            );
        }
        let clicked = area.interact_pointer_pos().filter(|_| area.clicked())?;
        let nearest = self
            .nodes
            .iter()
            .min_by(|a, b| place(a).distance(clicked).total_cmp(&place(b).distance(clicked)))?;
        nearest.body.filter(|_| place(nearest).distance(clicked) < 3.0 * RADIUS)
    }
}

fn on(rect: Rect, [x, y]: [f32; 2]) -> Pos2 {
    Pos2::new(rect.left() + x * rect.width(), rect.bottom() - y * rect.height())
}

fn movable(snapshot: &GraphSnapshot) -> impl Iterator<Item = usize> + '_ {
    snapshot.nodes().iter().enumerate().filter(|(_, node)| node.kind.is_movable()).map(|(index, _)| index)
}

/// The nodes to show, ascending.
fn choose(snapshot: &GraphSnapshot, selected: Option<BodyHandle>) -> Vec<usize> {
    let all: Vec<usize> = movable(snapshot).collect();
    if all.len() <= MOST_NODES {
        return all;
    }
    let island = |&node: &usize| snapshot.nodes()[node].island;
    let is_selected =
        |&&node: &&usize| selected.is_some_and(|body| snapshot.nodes()[node].key == NodeKey::Body(body));
    if let Some(wanted) = all.iter().find(is_selected).and_then(island) {
        return all.into_iter().filter(|node| island(node) == Some(wanted)).take(MOST_NODES).collect();
    }
    let mut sizes: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    all.iter().for_each(|node| *sizes.entry(island(node)).or_default() += 1);
    let mut by_size = all;
    by_size.sort_by_key(|node| (std::cmp::Reverse(sizes[&island(node)]), island(node), *node));
    by_size.truncate(MOST_NODES);
    by_size.sort_unstable();
    by_size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use drystone_scenes::Preset;

    fn snapshot(name: &str) -> (Session, GraphSnapshot) {
        let mut session = Session::open(name, Preset::Fast, 1).expect("a scene of the library");
        for _ in 0..5 {
            session.step().expect("it steps");
        }
        let snapshot = session.runner().world().graph_snapshot();
        (session, snapshot)
    }

    #[test]
    fn a_tower_is_a_row_for_each_box() {
        let (session, snapshot) = snapshot("tower:5");
        let layout = Layout::of(&snapshot, None);
        assert_eq!((layout.nodes.len(), layout.left_out), (5, 0));
        // The lowest box comes first and lowest; each touches the next one.
        let heights: Vec<f32> = layout.nodes.iter().map(|node| node.at[1]).collect();
        assert_eq!(heights, [0.1, 0.3, 0.5, 0.7, 0.9]);
        let lowest = layout.nodes[0].body;
        let bodies = &session.runner().scene().bodies;
        let is_lowest = |index: &usize| session.runner().body(*index) == lowest;
        let index = (0..bodies.len()).find(is_lowest).expect("of the scene");
        assert!(bodies[index].position[1] < 1.0);
        let firm = layout.edges.iter().filter(|edge| edge.is_firm).count();
        assert_eq!(firm, 4);
        assert!(layout.edges.iter().all(|edge| (0.0..=1.0).contains(&edge.weight)));
    }

    #[test]
    fn of_many_bodies_the_largest_islands_or_the_selected_one_are_shown() {
        let (session, snapshot) = snapshot("many_pyramids:4");
        let layout = Layout::of(&snapshot, None);
        let all = movable(&snapshot).count();
        assert!(all > MOST_NODES && layout.nodes.len() == MOST_NODES, "{all}");
        assert_eq!(layout.left_out, all - MOST_NODES);
        let body = session.runner().body(1).expect("in the world");
        let layout = Layout::of(&snapshot, Some(body));
        assert!(layout.nodes.len() < MOST_NODES && layout.nodes.iter().any(|node| node.body == Some(body)));
        let island = layout.nodes[0].island;
        assert!(layout.nodes.iter().all(|node| node.island == island));
    }
}
