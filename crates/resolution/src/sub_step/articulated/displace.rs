//! Overlap of links beyond the rest band is taken back by displacement, as that of bodies is: of positions of joints, and of the bodies on the other side.
//!
//! What an articulation takes back of overlaps with itself has two bounds that other overlaps have not: joints turn and slide by so much at most, and it gives no energy
//! ([`drystone_articulation::Articulation::displace_without_gain`]).
#![expect(unsafe_code, reason = "reads and changes bodies of one array, those of one unit")]

use super::contact::{Side, inverse};
use super::rows::{add_scaled, dot};
use super::{ArticulatedUnit, Member, Room};
use drystone_articulation::JointKind;
use drystone_contact::SharedBodyStates;
use drystone_math::narrow;

/// Most that overlaps of an articulation with itself turn a joint by in a sub-step, rad: over a short lever a small overlap asks for a large turn, of which the linear equations know nothing.
const MOST_TURN: f64 = 0.1;
/// The same for a way, as a multiple of what of the overlap is taken back.
const MOST_LEVERAGE: f64 = 10.0;

impl ArticulatedUnit {
    /// Finds the displacements of a sub-step, and displaces bodies; joints follow when the sub-step ends.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn take_overlap_back(&mut self, hot: &SharedBodyStates<'_>) {
        let Self { members, contacts, rows, rates, .. } = self;
        let band = 2.0 * rates.open;
        for contact in contacts.iter_mut() {
            contact.note();
            for k in 0..contact.count {
                // SAFETY: passed on.
                let mut gap = unsafe {
                    contact.gap(k, rates.h, hot) + rates.h * contact.velocity(k, members, rows, hot)
                };
                for side in contact.sides {
                    if let Side::Link { member, first: Some(first), .. } = side {
                        let Room { displacement, own_displacement, .. } = &members[member].room;
                        let n = displacement.len();
                        let row = rows.jacobian(first + k * n, n);
                        gap += dot(row, displacement) + dot(row, own_displacement);
                    }
                }
                contact.points[k].end_gap = gap;
                let excess = -gap - band;
                if excess.is_nan() || excess <= 0.0 {
                    continue;
                }
                let way = (excess * rates.recovery).min(rates.recovery_limit);
                let push = way * inverse(contact.normal[(k, k)]);
                if let (Some(member), Some(first)) = (contact.own, contact.own_rows()) {
                    let n = members[member].room.displacement.len();
                    members[member].displace_itself(push, way, rows.response(first + k * n, n));
                    continue;
                }
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    match contact.sides[side] {
                        Side::Body { body, inverse_mass, inverse_inertia } if inverse_mass > 0.0 => {
                            // SAFETY: passed on.
                            let hot = unsafe { hot.record(body) };
                            let along = contact.axes[0] * (sign * push);
                            let arm = contact.place(k).arms[side];
                            hot.delta_translation += narrow(&(along * inverse_mass));
                            hot.delta_rotation += narrow(&(inverse_inertia * arm.cross(&along)));
                        }
                        Side::Link { member, first: Some(first), .. } => {
                            let displacement = &mut members[member].room.displacement;
                            let n = displacement.len();
                            add_scaled(displacement, push, rows.response(first + k * n, n));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

impl Member {
    /// Adds as much of a push of a contact with itself that takes back this much of its overlap (m) as displaces no joint by too much, with what others displace it by.
    fn displace_itself(&mut self, push: f64, way: f64, response: &[f64]) {
        let model = self.reduced.articulation.model();
        let displacement = &mut self.room.own_displacement;
        let mut share = 1.0_f64;
        for link in model.links() {
            for (number, dof) in link.dofs().enumerate() {
                let turns = match link.kind() {
                    JointKind::Revolute { .. } | JointKind::Spherical => true,
                    JointKind::Free => number < 3,
                    _ => false,
                };
                let most = if turns { MOST_TURN } else { MOST_LEVERAGE * way };
                let step = push * response[dof];
                let room = (most - displacement[dof] * step.signum()).max(0.0);
                share = if step.abs() * share > room { room / step.abs() } else { share };
            }
        }
        add_scaled(displacement, push * share, response);
    }
}
