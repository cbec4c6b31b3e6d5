//! Who goes over what a unit has: one thread, or all of them in parts whose order is of no account.
//!
//! Invariant: parts are the same at any number of threads.

use super::push::Push;
use super::spin::Spin;
use crate::ties::{TieBlock, TieSet};
use drystone_exec::{Exec, Shared, chunks, chunks_mut, items_mut};

/// Members per part when a unit is shared by all threads.
pub(super) const MEMBERS_PER_PART: usize = 64;
/// Blocks of joints per part when a unit is shared by all threads.
const TIES_PER_PART: usize = 4;
/// Bodies that spin per part.
const SPINS_PER_PART: usize = 16;

/// Who does the work of a unit: this thread, or all.
#[derive(Clone, Copy)]
pub(super) enum Crew<'a> {
    Alone,
    All(&'a Exec),
}

impl Crew<'_> {
    /// Calls `visit` for all members and what pushes them.
    pub(super) fn visit_members(
        self,
        members: &[u32],
        pushes: &mut [Push],
        visit: impl Fn(&mut Push, u32) + Sync,
    ) {
        self.visit_parts(members, pushes, |members, pushes| {
            pushes.iter_mut().zip(members).for_each(|(push, &body)| visit(push, body));
        });
    }

    /// Calls `visit` for slices of the members and of what pushes them.
    pub(super) fn visit_parts(
        self,
        members: &[u32],
        pushes: &mut [Push],
        visit: impl Fn(&[u32], &mut [Push]) + Sync,
    ) {
        match self {
            Self::Alone => visit(members, pushes),
            Self::All(exec) => exec.for_each_static(
                (chunks(members, MEMBERS_PER_PART), chunks_mut(pushes, MEMBERS_PER_PART)),
                |_, (members, pushes)| visit(members, pushes),
            ),
        }
    }

    /// Calls `visit` for slices of blocks of joints.
    pub(super) fn visit_ties(self, blocks: &mut [TieBlock], visit: impl Fn(&mut [TieBlock]) + Sync) {
        match self {
            Self::Alone => visit(blocks),
            Self::All(exec) => exec.for_each_static(chunks_mut(blocks, TIES_PER_PART), |_, part| visit(part)),
        }
    }

    /// Calls `visit` for all sets of joints.
    pub(super) fn visit_sets(self, sets: &mut [TieSet], visit: impl Fn(&mut TieSet) + Sync) {
        match self {
            Self::Alone => sets.iter_mut().for_each(visit),
            Self::All(exec) => exec.for_each_static(items_mut(sets), |_, set| visit(set)),
        }
    }

    /// Calls `visit` for slices of bodies that spin, with what pushes all members: those of a slice are its alone.
    pub(super) fn visit_spins(
        self,
        spins: &mut [Spin],
        pushes: &mut [Push],
        visit: impl Fn(&mut [Spin], &Shared<'_, Push>) + Sync,
    ) {
        let pushes = Shared::new(pushes);
        match self {
            Self::Alone => visit(spins, &pushes),
            Self::All(exec) => {
                exec.for_each_static(chunks_mut(spins, SPINS_PER_PART), |_, spins| visit(spins, &pushes));
            }
        }
    }
}
