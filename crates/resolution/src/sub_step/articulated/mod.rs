//! Articulations in sub-steps, with all contacts of their links.
//!
//! The links of an articulation are no bodies to the rest of the method: while a step is solved they have no inverse mass, and their contacts are taken out of the
//! graph, so that layout and lanes know neither. Unit by unit, an [`ArticulatedUnit`] has the articulations of its island and these contacts. In each sub-step
//!
//! ```text
//! begin    q̇ from motors, damping, friction, limits, closures, gravity, and the contact impulses of the sub-step before   (Articulation::predict)
//! sweeps   contacts of links beside those of the lanes: Δλ along n and in the tangent plane, q̇ += Ĥ⁻¹ Jᵀ Δλ              (`sweep`)
//! limit    contacts of an articulation with itself give no energy                                                       (`own_work`)
//! end      overlap beyond the rest band taken back by displacement, q ← q ⊕ h q̇                                        (Articulation::finish)
//! ```
//!
//! Where nothing touches a link of an articulated unit, its articulations take the whole step at once by [`drystone_articulation::Articulation::step`], which is of fifth order.
//!
//! Ĥ is the mass matrix with what motors yield in the sub-step: so a contact feels an arm that a stiff motor holds as nearly immovable, and finds its impulse at once, where
//! bodies on joint constraints hand it on from link to link. What is bounded (limits, dry friction, motors at their largest force) is part of the
//! sweeps, with what the prediction found to start from.
//!
//! Sources: contacts of trees by impulse responses: Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems (1996), chapter 4; sub-steps as for all
//! other contacts ([`super`]). Departure: the impulses of the sub-step before act within the prediction, so that a motor that is at its largest
//! force because something is in its way is known to be.
//!
//! Invariants: an articulated unit is solved by one thread, in the order of its edges, so bits do not depend on the number of threads; a world without
//! articulations has no articulated units.

#![expect(unsafe_code, reason = "passes bodies of one array on")]

mod contact;
mod displace;
mod lend;
mod own_work;
mod rows;
mod sweep;

use crate::articulated::Reduced;
use contact::LinkContact;
use drystone_contact::SharedBodyStates;
use rows::{BoundRow, Rows};

pub(super) use lend::Lent;

/// Articulations of a unit, and the contacts of their links.
#[derive(Debug, Default)]
pub(super) struct ArticulatedUnit {
    members: Vec<Member>,
    contacts: Vec<LinkContact>,
    rows: Rows,
    rates: Rates,
    /// Largest closing speed that was left in the last sub-step, m/s, and how many points closed faster than the threshold.
    worst: f64,
    unsolved: u32,
}

/// An articulation while a step is solved.
#[derive(Debug)]
struct Member {
    slot: u32,
    reduced: Box<Reduced>,
    room: Room,
}

/// What an articulation needs room for while a step is solved.
#[derive(Debug, Default)]
struct Room {
    /// Velocities of its degrees of freedom, those that were predicted, and those before the sub-step.
    velocities: Vec<f64>,
    predicted: Vec<f64>,
    start: Vec<f64>,
    /// What this sub-step displaces it by, and what contacts with itself add to that.
    displacement: Vec<f64>,
    own_displacement: Vec<f64>,
    /// What contacts with itself give along its joints in the sub-step, and what that makes of velocities; what was taken of it in the step, J.
    own_impulse: Vec<f64>,
    own_response: Vec<f64>,
    taken: f64,
    bounds: Vec<BoundRow>,
}

/// What articulated units have to know of the sub-steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    /// Length of a sub-step, s, and how many there are.
    pub(super) h: f64,
    pub(super) sub_steps: f64,
    /// Half of the rest band, m.
    pub(super) open: f64,
    /// Closing speed from which a contact bounces, m/s.
    pub(super) bounce_speed: f64,
    /// Share of an overlap that a sub-step takes back, and how much of it at most, m.
    pub(super) recovery: f64,
    pub(super) recovery_limit: f64,
    /// Closing speed above which a contact counts as unsolved, m/s.
    pub(super) threshold: f64,
}

impl ArticulatedUnit {
    /// Begins a sub-step, after forces and remembered impulses were applied to all other bodies.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn begin_sub_step(&mut self, is_first: bool, hot: &SharedBodyStates<'_>) {
        let h = self.rates.h;
        if self.contacts.is_empty() {
            if is_first {
                self.members.iter_mut().for_each(|member| member.fly(h * self.rates.sub_steps));
            }
            return;
        }
        for member in &mut self.members {
            member.reduced.add_forces(h);
        }
        for contact in &self.contacts {
            contact.warm_start_links(&mut self.members, h);
        }
        for member in &mut self.members {
            member.predict(h);
        }
        if is_first {
            for contact in &self.contacts {
                // SAFETY: passed on.
                unsafe { contact.warm_start_bodies(hot) };
            }
        }
        for contact in &mut self.contacts {
            // SAFETY: passed on.
            unsafe { contact.prepare(&mut self.members, &mut self.rows, &self.rates, hot) };
        }
        self.rows.forget_bounds();
        for member in &mut self.members {
            member.prepare_bounds(&mut self.rows);
        }
    }

    /// Ends a sub-step: links move, and other bodies are displaced where they overlap links.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn end_sub_step(&mut self, hot: &SharedBodyStates<'_>, is_last: bool) {
        if self.contacts.is_empty() {
            return;
        }
        // SAFETY: passed on.
        unsafe {
            self.limit_own_work(hot);
            if is_last {
                self.note_residual(hot);
            }
            self.take_overlap_back(hot);
        }
        for member in &mut self.members {
            member.finish();
        }
    }
}

impl Member {
    fn new(slot: u32, reduced: Box<Reduced>, mut room: Room) -> Self {
        let count = reduced.articulation().model().dof_count();
        let Room {
            velocities,
            predicted,
            start,
            displacement,
            own_displacement,
            own_impulse,
            own_response,
            ..
        } = &mut room;
        for list in [velocities, predicted, start, displacement, own_displacement, own_impulse, own_response]
        {
            list.clear();
            list.resize(count, 0.0);
        }
        room.taken = 0.0;
        room.bounds.clear();
        Self { slot, reduced, room }
    }

    /// A whole step of `dt` seconds at once, where nothing touches: by the method of the articulation, which follows smooth motion to its tolerance.
    fn fly(&mut self, dt: f64) {
        self.reduced.add_forces(dt);
        if !self.reduced.is_broken {
            self.reduced.is_broken = self.reduced.articulation.step(dt).is_err();
        }
    }

    fn predict(&mut self, h: f64) {
        if self.reduced.is_broken {
            return;
        }
        let articulation = &mut self.reduced.articulation;
        self.room.start.copy_from_slice(articulation.state().velocities());
        if articulation.predict(h).is_err() {
            self.reduced.is_broken = true;
            return;
        }
        self.room.predicted.copy_from_slice(articulation.state().velocities());
        self.room.velocities.copy_from_slice(&self.room.predicted);
    }

    fn finish(&mut self) {
        if self.reduced.is_broken {
            return;
        }
        let Room { velocities, predicted, displacement, own_displacement, .. } = &mut self.room;
        let articulation = &mut self.reduced.articulation;
        predicted.iter_mut().zip(velocities.iter()).for_each(|(change, v)| *change = v - *change);
        let displaces = |way: &[f64]| way.iter().any(|&step| step != 0.0);
        let outcome = articulation
            .add_velocities(predicted, 1.0)
            .and_then(|()| articulation.finish())
            .and_then(|_| if displaces(displacement) { articulation.displace(displacement) } else { Ok(()) })
            .and_then(|()| match displaces(own_displacement) {
                true => articulation.displace_without_gain(own_displacement).map(|_| ()),
                false => Ok(()),
            });
        self.reduced.is_broken = outcome.is_err();
        displacement.fill(0.0);
        own_displacement.fill(0.0);
    }
}
