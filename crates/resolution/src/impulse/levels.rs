//! Levels for shock propagation: how many bodies lie between a body and what carries it.
//!
//! S1 starts from every body that touches something fixed (S1-61). In a container that is wrong: bodies at the
//! walls would be done first, count as infinitely heavy high up in the heap, and what lies between
//! them could only be squeezed. Here a body stands on another one when the contact faces the global
//! acceleration; levels are breadth-first distances over these contacts from what cannot move. Without a
//! global acceleration every contact counts, as in S1.

use super::ContactOrder;
use super::batch::BatchSolver;
use super::speeds::StepSpeeds;
use drystone_contact::{Bodies, ContactGraph, EdgeIndex, NO_LEVEL};
use drystone_math::Real;

/// Smallest cosine between the contact normal and the global acceleration for a contact to carry: within
/// about 80 degrees, so that the sides of a heap's balls count and walls do not.
const CARRIES: Real = 0.17;

/// An edge as the levels see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Local indices of A and B.
    pub(super) ends: [u32; 2],
    /// Which of the two can stand on the other.
    stands: [bool; 2],
}

impl<O: ContactOrder> BatchSolver<O> {
    /// Finds the level of every body: 1 for what stands on something that cannot move, and so on upwards;
    /// `NO_LEVEL` for what stands on nothing.
    pub(super) fn find_levels(
        &mut self,
        graph: &ContactGraph,
        bodies: &Bodies,
        edges: &[EdgeIndex],
        speeds: &StepSpeeds,
    ) {
        self.links.clear();
        let has_pull = speeds.pull != drystone_math::Vector3::zeros();
        for &index in edges {
            let manifold = &graph.edge(index).manifold;
            let ends = [manifold.body_a, manifold.body_b].map(|b| self.local(bodies, b));
            // Along the normal lies B, against it A.
            let cosine = manifold.normal.dot(&speeds.pull);
            let stands = if has_pull { [cosine > CARRIES, cosine < -CARRIES] } else { [true; 2] };
            self.links.push(Link { ends, stands });
        }
        self.index_links();
        self.queue.clear();
        for link in &self.links {
            for (side, other) in [(0, 1), (1, 0)] {
                let [me, below] = [link.ends[side], link.ends[other]].map(|k| k as usize);
                let is_ground = self.bodies[below].inverse_mass == 0.0;
                if link.stands[side]
                    && is_ground
                    && self.bodies[me].inverse_mass > 0.0
                    && self.bodies[me].level == NO_LEVEL
                {
                    self.bodies[me].level = 1;
                    self.queue.push(me as u32);
                }
            }
        }
        self.level_count = u32::from(!self.queue.is_empty());
        let mut next = 0;
        while next < self.queue.len() {
            let below = self.queue[next];
            next += 1;
            let level = self.bodies[below as usize].level + 1;
            let range =
                self.link_offsets[below as usize] as usize..self.link_offsets[below as usize + 1] as usize;
            for k in range {
                let link = self.links[self.linked[k] as usize];
                let side = usize::from(link.ends[0] == below);
                let above = link.ends[side] as usize;
                if link.stands[side]
                    && self.bodies[above].level == NO_LEVEL
                    && self.bodies[above].inverse_mass > 0.0
                {
                    self.bodies[above].level = level;
                    self.level_count = level;
                    self.queue.push(above as u32);
                }
            }
        }
    }

    /// Lists the links of every body.
    fn index_links(&mut self) {
        let offsets = &mut self.link_offsets;
        offsets.clear();
        offsets.resize(self.bodies.len() + 1, 0);
        for end in self.links.iter().flat_map(|l| l.ends) {
            offsets[end as usize + 1] += 1;
        }
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        self.linked.clear();
        self.linked.resize(2 * self.links.len(), 0);
        for (i, link) in self.links.iter().enumerate() {
            for end in link.ends {
                let place = &mut offsets[end as usize];
                self.linked[*place as usize] = i as u32;
                *place += 1;
            }
        }
        // Each offset moved to the start of the next body: shift them back.
        for i in (1..offsets.len()).rev() {
            offsets[i] = offsets[i - 1];
        }
        offsets[0] = 0;
    }
}
