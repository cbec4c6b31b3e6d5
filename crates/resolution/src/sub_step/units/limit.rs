//! The energy of a unit after the sweeps of a sub-step: contacts give none ([`energy`]).
#![expect(unsafe_code, reason = "reads and changes bodies of one array, those of one unit")]

use super::{SubSteps, Work};
use crate::sub_step::crew::{Crew, MEMBERS_PER_PART};
use crate::sub_step::energy;
use crate::sub_step::push::{self, Looked, Push};
use crate::ties::{self, TieBlock};
use drystone_contact::BodyIndex;
use drystone_exec::{chunks, items_mut};

impl SubSteps<'_> {
    /// Takes back what contacts gave in energy, island by island; returns the manifolds that were scaled.
    ///
    /// # Safety
    /// The members of the unit belong to this call alone.
    pub(super) unsafe fn limit_energy(
        &self,
        is_first: bool,
        has_blows: bool,
        work: &mut Work<'_>,
        crew: Crew<'_>,
    ) -> u32 {
        let (isa, islands, hot) = (work.rhythm.passes.isa, (work.islands, work.first_member), &self.hot);
        let has_drives = work.ties.iter().any(TieBlock::has_drives);
        if has_drives {
            // SAFETY: passed on.
            unsafe { self.count_work(is_first, work) };
        }
        let members = work.members;
        let may_give = match crew {
            Crew::Alone => {
                let bodies = Looked { members, pushes: work.pushes, hot, has_blows };
                // SAFETY: passed on; members are read only.
                unsafe { push::may_give(isa, islands, bodies) }
            }
            Crew::All(exec) => {
                debug_assert_eq!(work.islands.len(), 1, "a large island is a unit of its own");
                let parts = (
                    chunks(members, MEMBERS_PER_PART),
                    chunks(work.pushes, MEMBERS_PER_PART),
                    items_mut(&mut *work.gains),
                );
                exec.for_each_static(parts, |_, (members, pushes, gain)| {
                    // SAFETY: passed on; members are read only.
                    *gain = unsafe { push::gain(isa, Looked { members, pushes, hot, has_blows }) };
                });
                push::is_open(work.gains.iter().sum())
            }
        };
        // SAFETY: passed on.
        let scaled = if may_give { unsafe { self.scale_back(has_blows, work) } } else { 0 };
        if has_drives {
            work.pushes.iter_mut().for_each(Push::forget_work);
        }
        scaled
    }

    /// Counts what drives of joints gave in the sub-step.
    ///
    /// # Safety
    /// The members of the unit belong to this call alone.
    unsafe fn count_work(&self, is_first: bool, work: &mut Work<'_>) {
        let Work { ties, pushes, first_member, .. } = work;
        let member_of = |body: u32| (self.layout.member_of(BodyIndex(body)) - *first_member) as usize;
        for block in ties.iter_mut() {
            for lane in block.driven_lanes() {
                let before = |body: u32| {
                    pushes[member_of(body)].before(is_first).map(|[linear, angular]| (linear, angular))
                };
                // SAFETY: passed on; members are read only.
                let given = unsafe { block.drive_work(lane, &self.hot, before, true) };
                if let Some((body, worked)) = given {
                    pushes[member_of(body)].add_work(worked);
                }
            }
        }
    }

    /// Scales back the impulses of the islands that gave energy; returns the manifolds that were scaled.
    ///
    /// # Safety
    /// The members of the unit belong to this call alone.
    #[cold]
    unsafe fn scale_back(&self, has_blows: bool, work: &mut Work<'_>) -> u32 {
        let (isa, islands, hot) = (work.rhythm.passes.isa, (work.islands, work.first_member), &self.hot);
        let members = work.members;
        let look = |eight: usize, pushes: &[Push]| {
            let own = 8 * eight..(8 * eight + 8).min(members.len());
            let bodies = Looked { members: &members[own.clone()], pushes: &pushes[own], hot, has_blows };
            // SAFETY: passed on; members are read only.
            unsafe { push::energies(isa, bodies) }
        };
        // SAFETY: passed on.
        let is_any = unsafe {
            energy::limit(islands, members, work.pushes, hot, has_blows, work.rhythm.speed_unit, look)
        };
        if is_any { self.scale_contacts(work) } else { 0 }
    }

    /// Scales impulses as those of their bodies were; returns the manifolds that were.
    fn scale_contacts(&self, work: &mut Work<'_>) -> u32 {
        let pushes = &*work.pushes;
        let member_of = |body: u32| (self.layout.member_of(BodyIndex(body)) - work.first_member) as usize;
        let scale_of = |body: u32| pushes[member_of(body)].scale();
        let scaled = energy::scale(work.contacts.four, scale_of)
            + energy::scale(work.contacts.two, scale_of)
            + energy::scale(work.contacts.one, scale_of);
        for rolling in work.contacts.rolling.iter_mut() {
            rolling.scale(scale_of);
        }
        for block in work.ties.iter_mut() {
            block.scale_by(scale_of);
        }
        ties::scale_couplings(work.ties, work.first_tie, scale_of);
        work.pushes.iter_mut().for_each(Push::forget_scale);
        scaled
    }
}
