//! Whether ties hold something twice.

use super::block::TieBlock;
use super::sets::{FixedState, Member};
use hashbrown::HashMap;

/// The body that stands for all that hang together with this one so far.
fn root(parents: &mut HashMap<u32, u32, FixedState>, mut body: u32) -> u32 {
    while let Some(&parent) = parents.get(&body).filter(|&&parent| parent != body) {
        let next = *parents.get(&parent).unwrap_or(&parent);
        parents.insert(body, next);
        body = next;
    }
    body
}

/// Whether ties are more than a tree of the bodies that are pushed, with all that is not as one root. Locked axes of a body hold it as a tie to the root would, along each axis by itself.
pub(super) fn has_loops(blocks: &[TieBlock], members: &[Member]) -> bool {
    let has_locked_bodies = |m: &Member| blocks[m.block as usize].has_locked_bodies(m.lane as usize);
    if members.iter().any(has_locked_bodies) {
        return (0..3)
            .any(|axis| has_loops_along(axis, blocks, members) || has_loops_about(axis, blocks, members));
    }
    let mut parents: HashMap<u32, u32, FixedState> = HashMap::default();
    members.iter().any(|member| {
        let [a, b] = member.pushed(blocks).map(|body| root(&mut parents, body));
        parents.insert(a, b);
        a == b
    })
}

/// [`has_loops`] for what moves along a world axis and turns about the two others. A body that does neither belongs to the root.
fn has_loops_along(axis: usize, blocks: &[TieBlock], members: &[Member]) -> bool {
    let turns = 0b111_000 & !(1 << (3 + axis));
    let mut parents: HashMap<u32, u32, FixedState> = HashMap::default();
    let mut ties = Vec::with_capacity(members.len());
    for &member in members {
        ties.push(member.locked(blocks).map(|(body, locks)| {
            let is_along = locks >> axis & 1 == 1;
            if is_along && locks & turns == turns {
                return 0;
            }
            if is_along {
                parents.insert(body, 0);
            }
            body
        }));
    }
    closes(&mut parents, ties)
}

/// [`has_loops`] for what turns about a world axis: of ties that lock turns. A body that does not belongs to the root.
fn has_loops_about(axis: usize, blocks: &[TieBlock], members: &[Member]) -> bool {
    let locks_turns = |m: &&Member| blocks[m.block as usize].locks_turns(m.lane as usize);
    let ends = |m: &Member| {
        m.locked(blocks).map(|(body, locks)| if locks >> (3 + axis) & 1 == 1 { 0 } else { body })
    };
    closes(&mut HashMap::default(), members.iter().filter(locks_turns).map(ends).collect())
}

/// Whether ties are more than a tree with the root 0; those between it and itself hold nothing.
fn closes(parents: &mut HashMap<u32, u32, FixedState>, ties: Vec<[u32; 2]>) -> bool {
    ties.into_iter().any(|ends| {
        let [a, b] = ends.map(|body| root(parents, body));
        parents.insert(a, b);
        a == b && ends != [0; 2]
    })
}
