//! Which tie goes to which lane: as with contacts, by colours (see `sub_step::layout`).

use super::block::rows_and_locks;
use crate::sweep::is_pushed;
use drystone_contact::{Bodies, BodyIndex, ContactGraph, EdgeIndex};
use std::ops::Range;

/// Colours of a body; further ties of it are visited one by one.
const COLOURS: usize = 64;
/// An empty lane.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Ties of a step, in lanes.
#[derive(Clone, Debug, Default)]
pub(crate) struct TieLayout {
    /// Edges in the lanes of each block.
    pub(crate) slots: Vec<[u32; 8]>,
    /// Blocks of one colour; colours of a unit follow one another.
    pub(crate) spans: Vec<Range<u32>>,
    /// First block of each unit, and the end.
    pub(crate) offsets: Vec<u32>,
    /// Colours taken at each body.
    taken: Vec<u64>,
    /// Edges of the unit at work, with their colours, and with what they hold: likes go into one block.
    items: Vec<(u32, [u8; 2], u32)>,
}

impl TieLayout {
    /// Before the first unit.
    pub(crate) fn begin(&mut self, bodies: usize, ties: usize) {
        self.slots.clear();
        self.spans.clear();
        self.offsets.clear();
        if ties > 0 {
            self.items.reserve(ties);
            self.taken.resize(bodies, 0);
        }
    }

    /// Before the bodies of a unit get colours; O(bodies) where there are ties.
    #[inline]
    pub(crate) fn forget(&mut self, body: BodyIndex) {
        if let Some(taken) = self.taken.get_mut(body.get()) {
            *taken = 0;
        }
    }

    /// Takes in a tie of the unit; false where nothing of it is pushed.
    pub(crate) fn add(&mut self, bodies: &Bodies, graph: &ContactGraph, edge: EdgeIndex) -> bool {
        let manifold = &graph.edge(edge).manifold;
        let ends = [manifold.body_a, manifold.body_b];
        let pushed = ends.map(|body| is_pushed(bodies, body));
        if pushed == [false; 2] {
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
        let hold = graph.tie(edge).map_or([0; 2], rows_and_locks);
        self.items.push((colour, hold, edge.0));
        true
    }

    /// Sorts the ties of a unit into blocks; returns its spans.
    pub(crate) fn pack(&mut self) -> Range<u32> {
        self.offsets.push(self.slots.len() as u32);
        let first = self.spans.len() as u32;
        self.items.sort_unstable();
        let mut at = 0;
        while at < self.items.len() {
            let colour = self.items[at].0;
            // Ties of a body with too many share no span.
            let most = if colour as usize == COLOURS { 1 } else { usize::MAX };
            let count = self.items[at..].iter().take(most).take_while(|item| item.0 == colour).count();
            let begin = self.slots.len() as u32;
            for chunk in self.items[at..at + count].chunks(8) {
                let mut lanes = [EMPTY; 8];
                lanes.iter_mut().zip(chunk).for_each(|(lane, item)| *lane = item.2);
                self.slots.push(lanes);
            }
            self.spans.push(begin..self.slots.len() as u32);
            at += count;
        }
        self.items.clear();
        first..self.spans.len() as u32
    }

    /// After the last unit.
    pub(crate) fn end(&mut self) {
        self.offsets.push(self.slots.len() as u32);
    }
}
