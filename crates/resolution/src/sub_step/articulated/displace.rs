//! Overlap of links beyond the rest band is taken back by displacement, as that of bodies is: of positions of joints, and of the bodies on the other side.
#![expect(unsafe_code, reason = "reads and changes bodies of one array, those of one unit")]

use super::Island;
use super::contact::{Side, inverse};
use super::rows::{add_scaled, dot};
use drystone_contact::HotLanes;
use drystone_math::narrow;

impl Island {
    /// Finds the displacements of a sub-step, and displaces bodies; joints follow when the sub-step ends.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn take_overlap_back(&mut self, hot: &HotLanes<'_>) {
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
                        let displacement = &members[member].room.displacement;
                        let n = displacement.len();
                        gap += dot(rows.jacobian(first + k * n, n), displacement);
                    }
                }
                contact.points[k].end_gap = gap;
                let excess = -gap - band;
                if excess.is_nan() || excess <= 0.0 {
                    continue;
                }
                let way = (excess * rates.recovery).min(rates.recovery_limit);
                let push = way * inverse(contact.normal[(k, k)]);
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
