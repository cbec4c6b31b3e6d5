//! Which tie goes to which lane: as with contacts, by colours (see `sub_step::layout`).
//!
//! Joints stay from step to step, and so do their lanes: units whose ties, with their colours, are those of the last step keep their blocks as they are.

use super::{Cut, RHYTHMS, rhythm_at};
use crate::sweep::is_pushed;
use drystone_contact::{ActiveAxes, Bodies, BodyIndex, ContactGraph, EdgeIndex};
use std::ops::Range;

/// Colours of a body; further ties of it are visited one by one.
const COLOURS: usize = 64;
/// An empty lane.
pub(crate) const EMPTY: u32 = u32::MAX;

/// A tie to be laid out. Likes go into one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    colour: u32,
    holds: ActiveAxes,
    edge: u32,
    place: u32,
}

/// Items, blocks and spans of a step up to the end of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct End {
    items: u32,
    blocks: u32,
    spans: u32,
}

/// Ties of a step, in lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct TieLayout {
    /// Edges in the lanes of each block, and the places of their ties in the graph.
    pub(crate) slots: Vec<[u32; 8]>,
    pub(crate) places: Vec<[u32; 8]>,
    /// Blocks of one colour; colours of a unit follow one another.
    pub(crate) spans: Vec<Range<u32>>,
    /// First block of each unit, and the end.
    pub(crate) offsets: Vec<u32>,
    /// Where the blocks of each rhythm but the last one end.
    pub(crate) rhythm_ends: [u32; RHYTHMS - 1],
    /// Colours taken at each body.
    taken: Vec<u64>,
    /// Ties of the step, unit after unit, as they came, and where the units end.
    items: Vec<Item>,
    ends: Vec<End>,
    /// Those of the last step.
    last_items: Vec<Item>,
    last_ends: Vec<End>,
    /// Whether all units so far are as in the last step.
    is_same: bool,
    /// Those of the unit at work.
    sorted: Vec<Item>,
}

impl TieLayout {
    /// Before the first unit.
    pub(crate) fn begin(&mut self, bodies: usize, ties: usize) {
        std::mem::swap(&mut self.items, &mut self.last_items);
        std::mem::swap(&mut self.ends, &mut self.last_ends);
        self.items.clear();
        self.ends.clear();
        self.offsets.clear();
        self.is_same = true;
        if ties > 0 {
            for items in [&mut self.items, &mut self.last_items, &mut self.sorted] {
                items.reserve(ties.saturating_sub(items.len()));
            }
            self.taken.resize(bodies, 0);
        }
    }

    /// Into what the step is cut for a block.
    pub(super) fn cut_of(&self, block: usize, cuts: &[Cut; RHYTHMS]) -> Cut {
        cuts[rhythm_at(&self.rhythm_ends, block)]
    }

    /// Whether a block is that of an island that takes fewer sub-steps than there are.
    pub(super) fn is_coarse(&self, block: usize) -> bool {
        block < self.coarse_end()
    }

    /// Where those blocks end.
    fn coarse_end(&self) -> usize {
        self.rhythm_ends[RHYTHMS - 2] as usize
    }

    /// Ties of islands that take fewer sub-steps than there are.
    pub(crate) fn coarse_count(&self) -> u32 {
        let coarse = self.places.iter().take(self.coarse_end()).flatten();
        coarse.filter(|&&place| place != EMPTY).count() as u32
    }

    /// Makes room for so many units.
    pub(crate) fn reserve(&mut self, units: usize) {
        self.offsets.reserve((units + 1).saturating_sub(self.offsets.len()));
        for ends in [&mut self.ends, &mut self.last_ends] {
            ends.reserve(units.saturating_sub(ends.len()));
        }
    }

    /// Before the bodies of a unit get colours; O(bodies) where there are ties.
    #[inline]
    pub(crate) fn forget(&mut self, body: BodyIndex) {
        if let Some(taken) = self.taken.get_mut(body.get()) {
            *taken = 0;
        }
    }

    /// Takes in a tie of the unit; false where nothing of it is pushed, or an end is passive: that holds nothing.
    pub(crate) fn add(&mut self, bodies: &Bodies, graph: &ContactGraph, edge: EdgeIndex) -> bool {
        let Some(place) = graph.tie_place(edge) else { return false };
        let manifold = &graph.edge(edge).manifold;
        let ends = [manifold.body_a, manifold.body_b];
        let pushed = ends.map(|body| is_pushed(bodies, body));
        if pushed == [false; 2] || ends.iter().any(|&body| bodies.hot(body).is_passive()) {
            return false;
        }
        let taken = |side: usize| if pushed[side] { self.taken[ends[side].get()] } else { 0 };
        let colour = (!(taken(0) | taken(1))).trailing_zeros();
        if (colour as usize) < COLOURS {
            for side in 0..2 {
                if pushed[side] {
                    self.taken[ends[side].get()] |= 1 << colour;
                }
            }
        }
        let holds = graph.tie_holds()[place as usize];
        self.items.push(Item { colour, holds, edge: edge.0, place });
        true
    }

    /// Sorts the ties of a unit into blocks; returns its spans.
    pub(crate) fn pack(&mut self) -> Range<u32> {
        let unit = self.ends.len();
        let begin = self.ends.last().copied().unwrap_or_default();
        self.offsets.push(begin.blocks);
        let own = begin.items as usize..self.items.len();
        let last = self.last_ends.get(unit).copied().filter(|end| end.items as usize == own.end);
        let is_known = |_: &End| self.last_items[own.clone()] == self.items[own.clone()];
        if let Some(end) = last.filter(|_| self.is_same).filter(is_known) {
            self.ends.push(end);
            return begin.spans..end.spans;
        }
        if std::mem::take(&mut self.is_same) {
            self.cut(begin);
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.items[own]);
        self.sorted.sort_unstable();
        self.lay();
        let (items, blocks, spans) = (self.items.len(), self.slots.len(), self.spans.len());
        self.ends.push(End { items: items as u32, blocks: blocks as u32, spans: spans as u32 });
        begin.spans..spans as u32
    }

    /// Appends the blocks and spans of the sorted ties.
    fn lay(&mut self) {
        let Self { sorted, slots, places, spans, .. } = self;
        let mut at = 0;
        while at < sorted.len() {
            let colour = sorted[at].colour;
            // Ties of a body with too many share no span.
            let most = if colour as usize == COLOURS { 1 } else { usize::MAX };
            let count = sorted[at..].iter().take(most).take_while(|item| item.colour == colour).count();
            let begin = slots.len() as u32;
            for chunk in sorted[at..at + count].chunks(8) {
                let (mut edges, mut of_ties) = ([EMPTY; 8], [EMPTY; 8]);
                for (lane, item) in chunk.iter().enumerate() {
                    (edges[lane], of_ties[lane]) = (item.edge, item.place);
                }
                slots.push(edges);
                places.push(of_ties);
            }
            spans.push(begin..slots.len() as u32);
            at += count;
        }
    }

    /// Ties that are laid out.
    pub(crate) fn count(&self) -> u32 {
        self.items.len() as u32
    }

    /// Drops what is left of the last step from here on.
    fn cut(&mut self, end: End) {
        self.slots.truncate(end.blocks as usize);
        self.places.truncate(end.blocks as usize);
        self.spans.truncate(end.spans as usize);
    }

    /// After the last unit.
    pub(crate) fn end(&mut self) {
        let end = self.ends.last().copied().unwrap_or_default();
        self.offsets.push(end.blocks);
        self.cut(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_contact::{BodyDesc, ConstraintAxis, JointConstraint};
    use drystone_math::inertia::MassProperties;
    use drystone_math::{Pose, Rotation, Vector3};

    /// Chains of five ties, of balls and hinges in turn.
    fn chains(count: usize) -> (Bodies, ContactGraph, Vec<Vec<EdgeIndex>>) {
        let (mut bodies, mut graph) = (Bodies::default(), ContactGraph::default());
        let mut add = |graph: &mut ContactGraph, x: usize| {
            let mass = MassProperties::aligned(1.0, Vector3::repeat(0.1));
            let desc = BodyDesc::dynamic(mass, 1.0).at(Pose::at(x as f64, 0.0, 0.0));
            let handle = bodies.add(&desc).expect("room");
            let index = bodies.index(handle).expect("just added");
            graph.add_body(&bodies, index);
            index
        };
        let links: Vec<Vec<BodyIndex>> =
            (0..count).map(|_| (0..6).map(|x| add(&mut graph, x)).collect()).collect();
        let mut tie = |pair: &[BodyIndex], k: usize| {
            let arm = Vector3::new(0.5, 0.0, 0.0);
            let mut tie = JointConstraint::new([pair[0], pair[1]], [arm, -arm], [Rotation::identity(); 2]);
            let locks = if k.is_multiple_of(2) { 3 } else { 5 };
            tie.axes[..locks].fill(ConstraintAxis::LOCKED);
            graph.add_tie(&bodies, tie).expect("a tie")
        };
        let edges = links
            .iter()
            .map(|chain| chain.windows(2).enumerate().map(|(k, pair)| tie(pair, k)).collect())
            .collect();
        (bodies, graph, edges)
    }

    /// Lays these chains out, two to a unit; returns the spans of the units.
    fn lay_out(
        layout: &mut TieLayout,
        (bodies, graph): (&Bodies, &ContactGraph),
        chains: &[&Vec<EdgeIndex>],
    ) -> Vec<Range<u32>> {
        layout.begin(bodies.capacity(), graph.tie_count());
        let spans = chains
            .chunks(2)
            .map(|unit| {
                for &edge in unit.iter().flat_map(|chain| chain.iter()) {
                    let manifold = &graph.edge(edge).manifold;
                    [manifold.body_a, manifold.body_b].into_iter().for_each(|body| layout.forget(body));
                }
                unit.iter().flat_map(|chain| chain.iter()).for_each(|&edge| {
                    assert!(layout.add(bodies, graph, edge), "both bodies are pushed");
                });
                layout.pack()
            })
            .collect();
        layout.end();
        spans
    }

    /// What is out of the simulation holds nothing, and the ties between others stay as they are.
    #[test]
    fn ties_of_a_passive_body_are_left_out() {
        let (mut bodies, graph, edges) = chains(1);
        let middle = graph.edge(edges[0][2]).manifold.body_a;
        let mut layout = TieLayout::default();
        for (is_passive, wanted) in [(false, 5), (true, 3), (false, 5)] {
            bodies.set_passive(middle, is_passive);
            layout.begin(bodies.capacity(), graph.tie_count());
            bodies.indices().for_each(|body| layout.forget(body));
            for (k, &edge) in edges[0].iter().enumerate() {
                let is_in = layout.add(&bodies, &graph, edge);
                assert_eq!(is_in, !(is_passive && (k == 1 || k == 2)), "tie {k}");
            }
            layout.pack();
            layout.end();
            assert_eq!(layout.count(), wanted);
        }
    }

    /// Whatever the last steps were, a layout is that of an empty one.
    #[test]
    fn what_is_kept_is_as_if_made_anew() {
        let (bodies, mut graph, edges) = chains(9);
        let mut kept = TieLayout::default();
        let steps: [&[usize]; 9] = [
            &[0, 1, 2, 3, 4, 5, 6, 7, 8],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8],
            // One in the middle sleeps, two go, all are back, other units, none.
            &[0, 1, 2, 4, 5, 6, 7, 8],
            &[0, 1, 2, 4, 5, 6],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8],
            &[8, 7, 6, 5],
            &[],
            &[8, 7, 6, 5],
            &[8, 7, 6, 5],
        ];
        for (step, chosen) in steps.into_iter().enumerate() {
            if step == 8 {
                // One of them locks its twist from now on.
                graph.change_tie(edges[6][0], |tie| tie.axes[3] = ConstraintAxis::LOCKED).expect("a tie");
            }
            let chains: Vec<&Vec<EdgeIndex>> = chosen.iter().map(|&k| &edges[k]).collect();
            let mut anew = TieLayout::default();
            let wanted = lay_out(&mut anew, (&bodies, &graph), &chains);
            let found = lay_out(&mut kept, (&bodies, &graph), &chains);
            assert_eq!(found, wanted, "step {step}");
            assert_eq!(kept.slots, anew.slots, "step {step}");
            assert_eq!(kept.places, anew.places, "step {step}");
            assert_eq!((&kept.spans, &kept.offsets), (&anew.spans, &anew.offsets), "step {step}");
            assert_eq!(kept.count(), 5 * chosen.len() as u32);
        }
    }
}
