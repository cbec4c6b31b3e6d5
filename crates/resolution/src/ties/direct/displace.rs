//! Errors of places and turns taken back by displacement, with factors of their own.
//!
//! In: the errors of the joints of a set after a sub-step, and its factors. Out: displacements of its bodies, without velocity, which the end of the step or of the sub-step makes of them.
//! Start reading at [`Direct::place`].
//!
//! The equations are linear. What is apart by more than its arms, and what could take an error back by a large turn alone, is nothing that they know of: of these a share is taken back at a time
//! ([`MOST_SHIFT`]: a linkage with limits that had gone 0.3 m apart was 28 m apart after one sub-step).
#![expect(unsafe_code, reason = "changes disjoint bodies of one array")]

use super::{DISPLACEMENTS, Direct, EXACT_PLACE, Member, TieBlock, fill, read};
use crate::energy::between;
use drystone_contact::SharedBodyStates;
use drystone_math::wide::Isa;
use drystone_math::{Real, Vector3, larger};

/// Angle, rad, that taking errors back may turn a body by in a sub-step, and the share of the length of its set that it may move it by: the equations know nothing of what is beyond.
const MOST_SHIFT: Real = 0.5;

/// A body that is displaced: by how much before, and now, m and rad.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shifted {
    body: u32,
    before: [Vector3; 2],
    now: [Vector3; 2],
}

impl Direct {
    /// Takes errors back by displacement, after the bodies moved.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    pub(in super::super) unsafe fn place(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
        isa: Isa,
    ) {
        let of = DISPLACEMENTS;
        let is_exact = |m: &Member| blocks[(m.block - first) as usize].is_exact(m.lane as usize, EXACT_PLACE);
        // What is held twice pushes against what is left, and thin bodies turn away by it.
        if !self.has_loops && !self.is_thin && members.iter().all(is_exact) {
            return;
        }
        if !self.factor(of, members, (blocks, first), 0.0, isa) {
            return;
        }
        let (rows, turns) = (self.lu.rows(), &self.uses[of].turns);
        let right = self.right.chunks_exact_mut(rows);
        let (mut farthest, mut length): (Real, Real) = (1.0, 0.0);
        self.shifted.clear();
        for ((member, turns), right) in members.iter().zip(turns).zip(right) {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            let (place, turn) = block.errors(lane, turns);
            let reach = block.reach(lane);
            farthest = larger(farthest, larger(place.norm() / reach, turn.norm()));
            length += 2.0 * reach;
            fill(right, &place, &turn);
            for body in block.pushed_ends(lane).into_iter().filter(|&body| body != 0) {
                // SAFETY: passed on; one reference at a time.
                let record = unsafe { hot.record(body) };
                let before = [record.delta_translation, record.delta_rotation];
                self.shifted.push(Shifted { body, before, now: before });
            }
        }
        // What is apart by more than its arms is no small displacement: all of them together take a share.
        if farthest > 1.0 {
            let share = 1.0 / f64::from(farthest);
            self.right.iter_mut().for_each(|right| *right *= share);
        }
        self.lu.solve(of, isa, &mut self.right);
        for ((member, turns), right) in members.iter().zip(turns).zip(self.right.chunks_exact(rows)) {
            let block = &blocks[(member.block - first) as usize];
            let (force, turn) = read(right);
            // SAFETY: passed on.
            unsafe { block.shift(member.lane as usize, turns, hot, force, &turn) };
        }
        // SAFETY: passed on.
        unsafe { self.bound_shifts(length, hot) };
    }

    /// Takes back a share of all displacements where some body went farther than [`MOST_SHIFT`] in a set of this length, m: what can hardly move along an error moves without bound for it.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    unsafe fn bound_shifts(&mut self, length: Real, hot: &SharedBodyStates<'_>) {
        let mut most: Real = 0.0;
        for shifted in &mut self.shifted {
            // SAFETY: passed on; one reference at a time.
            let record = unsafe { hot.record(shifted.body) };
            shifted.now = [record.delta_translation, record.delta_rotation];
            let way = |k: usize| (shifted.now[k] - shifted.before[k]).norm();
            most = larger(most, larger(way(0) / length, way(1)));
        }
        // What is no number moves nobody (`sub_step/motion.rs`).
        if most <= MOST_SHIFT {
            return;
        }
        let share = if most.is_finite() { MOST_SHIFT / most } else { 0.0 };
        for Shifted { body, before, now } in &self.shifted {
            // SAFETY: as above.
            let record = unsafe { hot.record(*body) };
            let [way, turn] = std::array::from_fn(|k| between(&before[k], &now[k], share));
            (record.delta_translation, record.delta_rotation) = (way, turn);
        }
    }
}
