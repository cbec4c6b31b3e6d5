//! Contacts of an articulation with itself give it no energy.
//!
//! Nothing comes in by contacts between links of one articulation, nor by those with what it stands on: their impulses may take energy, and not give any. Solved to the end they do
//! not. What sweeps leave unsolved does (neighbours that overlap at a hinge touch over levers that are next to none, so that impulses are large and change from sub-step to sub-step).
//! The impulses `λ` of all these contacts in a sub-step are one impulse along the joints, and their work has a closed form, for what becomes of a share `s` of them as well:
//!
//! ```text
//! p = Σ λ J        w = p·(q̇₀ + q̇₁)/2        a = p·Ĥ⁻¹p / 2        w(s) = s (w − (1 − s) a)
//! ```
//!
//! `w` is what they add to the kinetic energy, with the place that goes with a velocity half a sub-step back; the velocities are those before and after the sub-step. The largest share whose
//! work is not above zero is kept: all of them, or `1 − w/a`, or none. Momentum stays, since the contacts are within the articulation.
//!
//! Everything else is then swept once more, as it was solved for the whole impulses; the share has the last word. Source: none; a budget as in `ties/energy_limit.rs`, which here needs no credit.

#![expect(unsafe_code, reason = "passes bodies of one array on")]

use super::contact::{LinkContact, Side};
use super::rows::{Rows, add_scaled, dot};
use super::{ArticulatedUnit, Member};
use drystone_contact::SharedBodyStates;

/// Times that the share is found; other contacts are swept in between.
const ROUNDS: u32 = 3;

impl ArticulatedUnit {
    /// After the sweeps of a sub-step.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn limit_own_work(&mut self, hot: &SharedBodyStates<'_>) {
        for round in 1..=ROUNDS {
            let mut is_scaled = false;
            for place in 0..self.members.len() {
                is_scaled |= self.scale_own_impulses(place);
            }
            if !is_scaled || round == ROUNDS {
                return;
            }
            let Self { members, contacts, rows, .. } = self;
            for contact in contacts.iter_mut().filter(|contact| contact.own.is_none()) {
                // SAFETY: passed on.
                unsafe { contact.solve(false, members, rows, hot) };
            }
            members.iter_mut().for_each(|member| member.sweep_bounds(rows));
        }
    }

    /// Keeps the share of the impulses of a member on itself that gives no energy; true where that is not all.
    fn scale_own_impulses(&mut self, place: usize) -> bool {
        let Self { members, contacts, rows, .. } = self;
        let member = &mut members[place];
        if !member.gather_own_impulse(place, contacts, rows) {
            return false;
        }
        let room = &mut member.room;
        let [before, after] =
            [&room.start, &room.velocities].map(|velocities| dot(&room.own_impulse, velocities));
        let (work, half) = (0.5 * (before + after), 0.5 * dot(&room.own_impulse, &room.own_response));
        let share = share_without_gain(work, half);
        if share == 1.0 {
            return false;
        }
        room.taken += work - share * (work - (1.0 - share) * half);
        add_scaled(&mut room.velocities, share - 1.0, &room.own_response);
        for contact in contacts.iter_mut().filter(|contact| contact.own == Some(place)) {
            contact.impulse.iter_mut().for_each(|impulse| *impulse *= share);
        }
        true
    }
}

impl Member {
    /// What its contacts with itself give along its joints in this sub-step, and what that makes of velocities; false where they give nothing.
    fn gather_own_impulse(&mut self, place: usize, contacts: &[LinkContact], rows: &Rows) -> bool {
        let (room, mut gives) = (&mut self.room, false);
        let n = room.velocities.len();
        for contact in contacts.iter().filter(|contact| contact.own == Some(place)) {
            let Some(first) = contact.own_rows() else { continue };
            for row in contact.rows().filter(|&row| contact.impulse[row] != 0.0) {
                if !gives {
                    room.own_impulse.fill(0.0);
                    room.own_response.fill(0.0);
                    gives = true;
                }
                add_scaled(&mut room.own_impulse, contact.impulse[row], rows.jacobian(first + row * n, n));
                add_scaled(&mut room.own_response, contact.impulse[row], rows.response(first + row * n, n));
            }
        }
        gives
    }
}

impl LinkContact {
    /// The first of its rows, of which a contact of a member with itself has one set.
    pub(super) fn own_rows(&self) -> Option<usize> {
        self.sides.iter().find_map(|side| match side {
            Side::Link { first, .. } => *first,
            _ => None,
        })
    }
}

/// The largest share of impulses whose work is not above zero: see the module.
fn share_without_gain(work: f64, half: f64) -> f64 {
    if work <= 0.0 {
        return 1.0;
    }
    if half > 0.0 { (1.0 - work / half).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::share_without_gain;

    /// What is kept of an impulse of one contact on a mass of 1 kg that has these speeds before and after, and the speed that it leaves.
    fn keep(before: f64, after: f64, impulse: f64) -> (f64, f64) {
        let share = share_without_gain(0.5 * impulse * (before + after), 0.5 * impulse * impulse);
        (share, after - (1.0 - share) * impulse)
    }

    #[test]
    fn what_stops_or_bounces_back_no_faster_is_kept() {
        for restitution in [0.0, 0.5, 1.0] {
            let after = 3.0 * restitution;
            assert_eq!(keep(-3.0, after, 3.0 + after), (1.0, after));
        }
        assert_eq!(
            keep(1.0, -2.0, 4.0),
            (1.0, -2.0),
            "another force presses, and more than it left is taken"
        );
    }

    #[test]
    fn what_pushes_what_leaves_gives_nothing() {
        assert_eq!(keep(0.0, 2.0, 2.0), (0.0, 0.0));
        assert_eq!(keep(1.0, 2.0, 1.0), (0.0, 1.0));
    }

    #[test]
    fn what_gives_too_much_comes_back_as_fast_as_it_went() {
        for (before, after, impulse) in [(-3.0, 4.0, 7.0), (1.0, 0.0, 4.0)] {
            let (share, left) = keep(before, after, impulse);
            assert!(share > 0.0 && share < 1.0, "{share}");
            assert!((left + before).abs() < 1e-12, "{left}");
        }
    }
}
