//! The corrections of one batch: Algorithm 2 of S1 (S1-17..19, S1-22).
//!
//! Reads the graph, writes the nodes of the batch only; [`crate::update`] writes bodies and contacts afterwards.
//! S1 takes contacts in any order. Deepest first was measured against edge order on 2816 crowded balls with
//! 2902 penetrating contacts (`crates/correction/examples/measure_heap.rs`): free after 4 passes instead of 5, with 2 % fewer
//! displacements and 7 % fewer searches; in a settled heap there is no difference.
//! Departure: a contact is looked at when its turn comes, not removed from the list before (S1-18): one
//! that was freed along the way then is above the threshold and costs one look. What no approach can solve is loosened, beyond S1
//! ([`CorrectionConfig::relax_share`]); that may touch a contact more than once.

use crate::CorrectionConfig;
use crate::approach::{Approach, approaches, free_share};
use crate::pile::{Node, Pile};
use crate::rotate;
use crate::search::{Bounds, Search, Stop};
use drystone_contact::{BodyIndex, EdgeIndex, IslandIndex};
use drystone_math::{Real, is_finite};

/// A penetrating contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Penetration {
    pub(crate) edge: EdgeIndex,
    /// Depth before all corrections, m.
    pub(crate) depth: Real,
    /// Island of the contact, which tells its batch.
    pub(crate) island: IslandIndex,
}

/// What happened in one batch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) corrected: u32,
    pub(crate) unresolved: u32,
    pub(crate) loosened: u32,
    pub(crate) spread: u32,
    pub(crate) attempts: u32,
    pub(crate) aborted: u32,
    pub(crate) turned: u32,
    pub(crate) displaced_limit: u32,
    pub(crate) correction_limit: u32,
    pub(crate) look_limit: u32,
    pub(crate) spread_limit: u32,
}

/// Corrects the penetrating contacts of one batch, the deepest first, each at most once (S1-19).
pub(crate) fn correct_batch(
    config: &CorrectionConfig,
    pile: &Pile<'_>,
    search: &mut Search,
    nodes: &mut [Node],
    contacts: &mut [Penetration],
) -> Outcome {
    contacts.sort_unstable_by(|a, b| b.depth.total_cmp(&a.depth).then(a.edge.cmp(&b.edge)));
    search.looks_left = u64::from(config.max_looks) * nodes.len() as u64;
    let mut worker = Worker { config, pile, search, nodes, stamp: 0, outcome: Outcome::default() };
    let mut corrections = 0;
    for contact in contacts.iter() {
        let distance = worker.distance(contact.edge);
        if distance >= -pile.threshold {
            worker.outcome.corrected += 1;
        } else if corrections == config.max_corrections {
            worker.outcome.correction_limit += 1;
            worker.outcome.unresolved += 1;
        } else {
            corrections += 1;
            worker.correct_contact(contact.edge, -(distance + pile.slack));
        }
    }
    worker.spread();
    worker.outcome
}

/// The best approach to a contact so far.
#[derive(Clone, Copy)]
struct Best {
    approach: Approach,
    count: usize,
}

struct Worker<'a, 'p> {
    config: &'a CorrectionConfig,
    pile: &'a Pile<'p>,
    search: &'a mut Search,
    nodes: &'a mut [Node],
    /// Number of the last search.
    stamp: u32,
    outcome: Outcome,
}

impl Worker<'_, '_> {
    /// Distance of a contact after the corrections so far, m.
    fn distance(&self, edge: EdgeIndex) -> Real {
        let m = &self.pile.graph.edge(edge).manifold;
        let node = |body| self.pile.node_of(self.nodes, body).map(|i| &self.nodes[i]);
        self.pile.distance(m, node(m.body_a), node(m.body_b))
    }

    /// Removes `depth` (m, positive) of a contact's overlap by the approach that moves the fewest bodies.
    fn correct_contact(&mut self, edge: EdgeIndex, depth: Real) {
        let Some(best) = self.best_approach(edge, depth) else {
            self.outcome.unresolved += 1;
            self.outcome.loosened += u32::from(self.loosen(edge, depth));
            return;
        };
        self.outcome.corrected += 1;
        if self.config.rotate
            && best.count == 1
            && let Some(turn) = rotate::turn(self.pile, self.nodes, edge, &best.approach, depth)
        {
            let node = &mut self.nodes[best.approach.node];
            node.moved += turn.linear;
            node.turned += turn.angular;
            (node.is_moved, node.is_turned) = (true, true);
            self.outcome.turned += 1;
            return;
        }
        for &(i, share) in &self.search.best {
            let node = &mut self.nodes[i as usize];
            node.moved += best.approach.displacement * share;
            node.is_moved = true;
        }
    }

    /// Moves the two bodies of an unsolvable contact apart by a share of its overlap, the lighter one more and none along locked axes,
    /// whatever that does to their neighbours; false when that moves neither, or by what is no number. Beyond S1, which leaves such a contact as it is (S1-18): in a
    /// heap between walls every search ends at a wall, and overlap would stay for ever. The overlap spreads
    /// through the heap instead and leaves it at the top.
    fn loosen(&mut self, edge: EdgeIndex, depth: Real) -> bool {
        let m = &self.pile.graph.edge(edge).manifold;
        let ends = [m.body_a, m.body_b].map(|body| self.pile.node_of(self.nodes, body));
        // Inverse mass, and how far apart the free part of a way along the normal takes the two.
        let weigh = |end: Option<usize>| {
            let Some(node) = end.map(|i| &self.nodes[i]) else { return (0.0, 0.0) };
            let inverse_mass = self.pile.hot[node.body.get()].inverse_mass;
            match free_share(node, &m.normal) {
                Some(share) => (inverse_mass, inverse_mass * share),
                None => (0.0, 0.0),
            }
        };
        let [(mass_a, weight_a), (mass_b, weight_b)] = ends.map(weigh);
        let sum = weight_a + weight_b;
        if sum <= 0.0 || self.config.relax_share <= 0.0 {
            return false;
        }
        let way = m.normal * (self.config.relax_share * depth / sum);
        let mut has_moved = false;
        for (end, part) in ends.into_iter().zip([-mass_a, mass_b]) {
            let Some(i) = end.filter(|_| part != 0.0) else { continue };
            let node = &mut self.nodes[i];
            let moved = node.moved + node.free_part(&(way * part));
            if !is_finite(&moved) {
                continue;
            }
            (node.moved, node.is_moved, has_moved) = (moved, true, true);
            if !std::mem::replace(&mut node.is_loose, true) {
                self.search.loose.push(i as u32);
            }
        }
        has_moved
    }

    /// Goes on with the contacts of what was loosened, and of what that loosens, in rounds: where a jam is pressed all the time, one pull a step
    /// does not keep up.
    fn spread(&mut self) {
        let mut rounds_left = self.config.relax_rounds;
        while rounds_left > 0 && !self.search.loose.is_empty() && self.search.looks_left > 0 {
            rounds_left -= 1;
            let Search { loose, next_loose, .. } = &mut *self.search;
            std::mem::swap(loose, next_loose);
            for k in 0..self.search.next_loose.len() {
                let i = self.search.next_loose[k] as usize;
                self.nodes[i].is_loose = false;
                self.relax_neighbours(self.nodes[i].body);
            }
            self.search.next_loose.clear();
        }
        // No round at all was asked for: nothing is left undone that would be done here.
        let is_left = !self.search.loose.is_empty() && self.config.relax_rounds > 0;
        self.outcome.spread_limit += u32::from(is_left);
        self.search.loose.clear();
    }

    /// Loosens all contacts of a body that are deeper than the threshold.
    fn relax_neighbours(&mut self, body: BodyIndex) {
        let pile = self.pile;
        for edge in pile.graph.edges_of(body).filter(|&edge| pile.graph.edge(edge).is_linked()) {
            self.search.looks_left = self.search.looks_left.saturating_sub(1);
            let distance = self.distance(edge);
            if distance < -pile.threshold && self.loosen(edge, -(distance + pile.slack)) {
                self.outcome.spread += 1;
            }
        }
    }

    /// Tries the approaches in turn. Fewest bodies win, then backward over normal (S1-17), then the first
    /// tried. An approach is given up once it can no longer win (S1-22): it needs fewer bodies than the
    /// best, or as many when it is backward and the best is not.
    fn best_approach(&mut self, edge: EdgeIndex, depth: Real) -> Option<Best> {
        let edge = self.pile.graph.edge(edge);
        let use_backward = self.config.use_backward;
        let (mut best, mut is_short_of_looks) = (None::<Best>, false);
        if self.search.looks_left == 0 {
            self.outcome.look_limit += 1;
            return None;
        }
        for approach in approaches(self.pile, self.nodes, edge, depth, use_backward).into_iter().flatten() {
            self.outcome.attempts += 1;
            self.stamp += 1;
            let below = best.map_or(usize::MAX, |best| {
                let wins_ties = approach.is_backward && !best.approach.is_backward;
                best.count + usize::from(wins_ties)
            });
            let bounds = Bounds { below, at_most: self.config.max_displaced as usize };
            match self.search.run(self.pile, self.nodes, &approach, self.stamp, bounds) {
                Ok(count) => best = Some(Best { approach, count }),
                Err(Stop::Blocked) => {}
                Err(Stop::NoBetter) => self.outcome.aborted += 1,
                Err(Stop::Limit) => self.outcome.displaced_limit += 1,
                Err(Stop::Looks) => is_short_of_looks = true,
            }
        }
        self.outcome.look_limit += u32::from(is_short_of_looks && best.is_none());
        best
    }
}
