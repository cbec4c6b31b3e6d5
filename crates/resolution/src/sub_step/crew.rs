//! Who goes over what a unit has: one thread, or all of them in parts whose order is of no account.
//!
//! Invariant: parts are the same at any number of threads.

use super::push::Push;
use crate::ties::TieBlock;
use drystone_exec::{Exec, chunks, chunks_mut};

/// Members per part when a unit is shared by all threads.
pub(super) const MEMBERS_PER_PART: usize = 256;
/// Blocks of joints per part when a unit is shared by all threads.
const TIES_PER_PART: usize = 4;

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
            Self::All(exec) => exec.fixed(
                (chunks(members, MEMBERS_PER_PART), chunks_mut(pushes, MEMBERS_PER_PART)),
                |_, (members, pushes)| visit(members, pushes),
            ),
        }
    }

    /// Calls `visit` for slices of blocks of joints.
    pub(super) fn visit_ties(self, blocks: &mut [TieBlock], visit: impl Fn(&mut [TieBlock]) + Sync) {
        match self {
            Self::Alone => visit(blocks),
            Self::All(exec) => exec.fixed(chunks_mut(blocks, TIES_PER_PART), |_, part| visit(part)),
        }
    }
}
