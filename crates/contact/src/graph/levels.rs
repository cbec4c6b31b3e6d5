//! Levels: steps from what cannot move. Found when somebody asks, for no stage needs them, and kept until a link changes.

use super::edge::{Heads, Link, list_from};
use super::islands::{IslandIndex, NO_ISLAND, NO_LEVEL};
use drystone_math::Carried;
use std::sync::OnceLock;

/// The levels of all bodies, once somebody has asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels(OnceLock<Vec<u32>>);

impl Levels {
    /// A link began or ended.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.0.take();
    }

    /// The levels by body; `label` tells whose island is none, `structure` the next link of the same multibody. O(links), once.
    pub(super) fn get(
        &self,
        links: &[Link],
        heads: &[Heads],
        label: &[IslandIndex],
        structure: &[u32],
    ) -> &[u32] {
        self.0.get_or_init(|| find(links, heads, label, structure))
    }
}

/// A copy finds its own.
impl Carried for Levels {
    fn copy_from(&mut self, _: &Self) {
        self.forget();
    }

    fn heap_bytes(&self) -> usize {
        self.0.get().map_or(0, |levels| levels.capacity() * size_of::<u32>())
    }
}

/// 1 for what touches something fixed, and a step more from there on, breadth first; from a link of a multibody a step leads to all its
/// links.
fn find(links: &[Link], heads: &[Heads], label: &[IslandIndex], structure: &[u32]) -> Vec<u32> {
    let mut level = vec![NO_LEVEL; label.len()];
    let mut queue = Vec::new();
    for body in (0..label.len()).filter(|&body| label[body] != NO_ISLAND) {
        if list_from(links, heads[body].linked).any(|end| !links[end.edge().get()].is_internal) {
            level[body] = 1;
            queue.push(body as u32);
        }
    }
    let mut next = 0;
    while let Some(&body) = queue.get(next) {
        next += 1;
        let above = level[body as usize] + 1;
        let mut reach = |other: u32| {
            if level[other as usize] == NO_LEVEL {
                level[other as usize] = above;
                queue.push(other);
            }
        };
        for end in list_from(links, heads[body as usize].linked) {
            let link = &links[end.edge().get()];
            if link.is_internal {
                reach(link.bodies[1 - end.side()].0);
            }
        }
        let mut joined = structure[body as usize];
        while joined != body {
            reach(joined);
            joined = structure[joined as usize];
        }
    }
    level
}
