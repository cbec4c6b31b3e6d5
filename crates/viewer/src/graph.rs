//! Pictures of graphs: nodes at places in a plane, edges as lines between them.
//!
//! In: places, names, groups, and which nodes are joined. Out: SVG text. Knows nothing of what the nodes are.

use crate::plot::{COLOURS, FONT, PlotError, TITLE_HEIGHT, WIDTH, draw, drawing, need};
use plotters::prelude::*;

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNode {
    /// Where, y upwards, in any unit; `None` for what is nowhere: it is left out, with its edges.
    pub place: Option<(f64, f64)>,
    /// Its name.
    pub label: String,
    /// Drawn as a square: what cannot move.
    pub is_anchor: bool,
    /// Equal groups have equal colours.
    pub group: Option<u32>,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnEdge {
    /// Which nodes it joins, by their index.
    pub ends: [usize; 2],
    /// Drawn dark; others are pale.
    pub is_firm: bool,
    /// How thick, relative to the largest one.
    pub weight: f64,
}

/// Names are drawn where there are at most so many nodes.
const MOST_NAMES: usize = 60;
/// Lowest and highest picture, pixels, and room around the nodes.
const HEIGHTS: (f64, f64) = (240.0, 900.0);
const MARGIN: f64 = 40.0;
/// Thickest line, pixels.
const THICKEST: f64 = 7.0;

/// Draws a graph, the same scale across and upwards.
///
/// # Errors
/// No node has a place, an edge names a node that is not there, or the drawing library refuses.
pub fn graph_svg(title: &str, nodes: &[DrawnNode], edges: &[DrawnEdge]) -> Result<String, PlotError> {
    let finite = |p: (f64, f64)| Some(p).filter(|p| p.0.is_finite() && p.1.is_finite());
    let places: Vec<Option<(f64, f64)>> = nodes.iter().map(|node| node.place.and_then(finite)).collect();
    need(title, "at least one node with a place", places.iter().all(Option::is_none))?;
    if let Some(&end) = edges.iter().flat_map(|edge| &edge.ends).find(|&&end| end >= nodes.len()) {
        return Err(PlotError::Length {
            name: "ends of edges".into(),
            expected: nodes.len(),
            found: end + 1,
        });
    }
    let ends = |of: fn((f64, f64)) -> f64| {
        let values = || places.iter().flatten().map(|&p| of(p));
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (low, high)) = (ends(|p| p.0), ends(|p| p.1));
    let width = f64::from(WIDTH) - 2.0 * MARGIN;
    let tallest = HEIGHTS.1 - 2.0 * MARGIN;
    let scale = (width / (right - left).max(1e-9)).min(tallest / (high - low).max(1e-9)).min(width);
    let height = (scale * (high - low) + 2.0 * MARGIN).max(HEIGHTS.0);
    let at = |(x, y): (f64, f64)| {
        let across = f64::from(WIDTH) / 2.0 + scale * (x - (left + right) / 2.0);
        let down = height / 2.0 - scale * (y - (low + high) / 2.0);
        (across.round() as i32, down.round() as i32)
    };
    let heaviest = edges.iter().map(|edge| edge.weight).fold(0.0, f64::max);
    draw(TITLE_HEIGHT + height as u32, title, |area| {
        for edge in edges {
            let [Some(a), Some(b)] = edge.ends.map(|end| places[end].map(at)) else { continue };
            let share = if heaviest > 0.0 { (edge.weight / heaviest).clamp(0.0, 1.0) } else { 0.0 };
            let colour = BLACK.mix(if edge.is_firm { 0.55 } else { 0.15 });
            let thickness = (1.0 + share * (THICKEST - 1.0)).round() as u32;
            area.draw(&PathElement::new([a, b], colour.stroke_width(thickness))).map_err(drawing)?;
        }
        for (node, place) in nodes.iter().zip(&places) {
            let Some((x, y)) = place.map(at) else { continue };
            let colour = node.group.map_or(BLACK, |group| COLOURS[group as usize % COLOURS.len()]);
            if node.is_anchor {
                let corners = [(x - 8, y - 8), (x + 8, y + 8)];
                area.draw(&Rectangle::new(corners, colour.filled())).map_err(drawing)?;
            } else {
                area.draw(&Circle::new((x, y), 7, colour.filled())).map_err(drawing)?;
            }
            if nodes.len() <= MOST_NAMES {
                let text = Text::new(node.label.clone(), (x + 10, y - 6), (FONT, 11).into_font());
                area.draw(&text).map_err(drawing)?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(x: f64, y: f64, is_anchor: bool) -> DrawnNode {
        DrawnNode { place: Some((x, y)), label: format!("n{x}"), is_anchor, group: Some(1) }
    }

    #[test]
    fn every_node_and_edge_is_drawn_once_and_upwards_is_up() {
        let mut nodes = vec![node(0.0, 0.0, true), node(0.0, 1.0, false), node(2.0, 1.0, false)];
        nodes.push(DrawnNode { place: None, label: "nowhere".into(), is_anchor: false, group: None });
        let edge = |a, b| DrawnEdge { ends: [a, b], is_firm: true, weight: 1.0 };
        let svg = graph_svg("g", &nodes, &[edge(0, 1), edge(1, 2), edge(1, 3)]).expect("drawn");
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polyline").count()), (2, 2));
        assert!(svg.contains("n2") && !svg.contains("nowhere"));
        let number = |text: &str, name: &str| -> f64 {
            let after = text.split(&format!("{name}=\"")).nth(1).expect("there");
            after.split('"').next().and_then(|n| n.parse().ok()).expect("a number")
        };
        // The sheet and the square are rectangles; the square is the last.
        let square = svg.rsplit("<rect").next().expect("a square");
        let circle = svg.split("<circle").nth(1).expect("a circle");
        assert!(number(circle, "cy") < number(square, " y"), "{svg}");
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let edge = DrawnEdge { ends: [0, 7], is_firm: true, weight: f64::NAN };
        assert!(matches!(graph_svg("g", &[], &[]), Err(PlotError::Empty { .. })));
        let refused = graph_svg("g", &[node(0.0, 0.0, true)], &[edge]);
        assert!(matches!(refused, Err(PlotError::Length { found: 8, .. })), "{refused:?}");
        let svg = graph_svg("g", &[node(0.0, 0.0, true)], &[DrawnEdge { ends: [0, 0], ..edge }]);
        assert!(svg.is_ok_and(|svg| !svg.contains("NaN")));
    }
}
