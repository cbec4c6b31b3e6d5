//! By which of their coordinates ties hold something twice.

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

/// Coordinates of a tie, a bit for each: its places along the world axes, then its turns.
type Rows = u8;

/// All of them, and its turns.
const ALL: Rows = 0b111_111;
const TURNS: Rows = 0b111_000;

/// Coordinates by which ties are more than a tree of the bodies that are pushed, with all that is not as one root: those of each tie that closes a loop with the ties before it. Locked axes of a body hold it
/// as a tie to the root would, along each axis by itself; so a tie may close a loop along one axis, or of turns.
pub(super) fn closing(blocks: &[TieBlock], members: &[Member]) -> Vec<Rows> {
    let has_locked_bodies = |m: &Member| blocks[m.block as usize].has_locked_bodies(m.lane as usize);
    if members.iter().any(has_locked_bodies) {
        let mut found = vec![0; members.len()];
        for axis in 0..3 {
            close_along(axis, blocks, members, &mut found);
            close_about(axis, blocks, members, &mut found);
        }
        return found;
    }
    let mut parents: HashMap<u32, u32, FixedState> = HashMap::default();
    let closes = |member: &Member| {
        let [a, b] = member.pushed(blocks).map(|body| root(&mut parents, body));
        parents.insert(a, b);
        if a == b { ALL } else { 0 }
    };
    members.iter().map(closes).collect()
}

/// Marks the places of ties that close loops of what moves along a world axis and turns about the two others. A body that does neither belongs to the root.
fn close_along(axis: usize, blocks: &[TieBlock], members: &[Member], found: &mut [Rows]) {
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
    close(&mut parents, ties.into_iter().zip(found), 1 << axis);
}

/// Marks the turns of ties that lock some, and close loops of what turns about a world axis. A body that does not belongs to the root.
fn close_about(axis: usize, blocks: &[TieBlock], members: &[Member], found: &mut [Rows]) {
    let locks_turns = |m: &Member| blocks[m.block as usize].locks_turns(m.lane as usize);
    let ends = |m: &Member| {
        m.locked(blocks).map(|(body, locks)| if locks >> (3 + axis) & 1 == 1 { 0 } else { body })
    };
    let ties = members.iter().zip(found).filter(|(m, _)| locks_turns(m));
    close(&mut HashMap::default(), ties.map(|(m, found)| (ends(m), found)), TURNS);
}

/// Marks these rows of ties that are more than a tree with the root 0; those between it and itself hold nothing.
fn close<'f>(
    parents: &mut HashMap<u32, u32, FixedState>,
    ties: impl Iterator<Item = ([u32; 2], &'f mut Rows)>,
    rows: Rows,
) {
    for (ends, found) in ties {
        let [a, b] = ends.map(|body| root(parents, body));
        parents.insert(a, b);
        *found |= if a == b && ends != [0; 2] { rows } else { 0 };
    }
}
