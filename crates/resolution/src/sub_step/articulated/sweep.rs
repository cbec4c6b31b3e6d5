//! Sweeps over the contacts of links, and what is bounded along their joints.
#![expect(unsafe_code, reason = "reads and changes bodies of one array, those of one unit")]

use super::contact::{LinkContact, Side};
use super::rows::{Rows, add_scaled};
use super::{Island, Member};
use drystone_contact::HotLanes;
use nalgebra::Vector3;

/// Sweeps of an island in each of those through all contacts: points on one link hang together closely, and there are few of them.
const SWEEPS: usize = 4;

impl Island {
    /// One way of a sweep; `is_back`: in reverse order.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(in crate::sub_step) unsafe fn sweep(&mut self, is_back: bool, hot: &HotLanes<'_>) {
        let Self { members, contacts, rows, .. } = self;
        let count = contacts.len();
        for _ in 0..if count > 0 { SWEEPS } else { 0 } {
            for k in 0..count {
                let contact = &mut contacts[if is_back { count - 1 - k } else { k }];
                // SAFETY: passed on.
                unsafe { contact.solve(is_back, members, rows, hot) };
            }
            members.iter_mut().for_each(|member| member.sweep_bounds(rows));
        }
    }

    /// After the last sweep of a step: how fast contacts still close.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn note_residual(&mut self, hot: &HotLanes<'_>) {
        let Self { members, contacts, rows, rates, worst, unsolved } = self;
        (*worst, *unsolved) = (0.0, 0);
        for contact in contacts.iter() {
            for k in 0..contact.count {
                // SAFETY: passed on.
                let velocity = unsafe { contact.velocity(k, 0, members, rows, hot) };
                let closing = contact.points[k].target - velocity;
                *unsolved += u32::from(closing > rates.threshold);
                *worst = worst.max(closing);
            }
        }
    }
}

impl LinkContact {
    /// Solves its points one after the other: normal, then friction.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    unsafe fn solve(&mut self, is_back: bool, members: &mut [Member], rows: &Rows, hot: &HotLanes<'_>) {
        for i in 0..self.count {
            let k = if is_back { self.count - 1 - i } else { i };
            // SAFETY: passed on.
            unsafe {
                let velocity = self.velocity(k, 0, members, rows, hot);
                let point = &self.points[k];
                let before = point.impulse.x;
                let normal = (before - (velocity - point.target) * point.normal_mass).max(0.0);
                self.push(k, &Vector3::new(normal - before, 0.0, 0.0), members, rows, hot);
                if normal == 0.0 && self.points[k].impulse == Vector3::zeros() {
                    continue;
                }
                let slide = [1, 2].map(|axis| {
                    self.velocity(k, axis, members, rows, hot) + self.belt[axis - 1]
                });
                let [m11, m22, m12] = self.points[k].slide_mass;
                let now = self.points[k].impulse;
                let y = now.y - (m11 * slide[0] + m12 * slide[1]);
                let z = now.z - (m12 * slide[0] + m22 * slide[1]);
                let size = y.hypot(z);
                let share = if size > self.friction[0] * now.x { self.friction[1] * now.x / size } else { 1.0 };
                self.push(k, &Vector3::new(0.0, y * share - now.y, z * share - now.z), members, rows, hot);
            }
        }
    }

    /// Adds to the impulse of a point (in the frame of the manifold, N s), with what it does.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    #[inline]
    unsafe fn push(
        &mut self,
        k: usize,
        change: &Vector3<f64>,
        members: &mut [Member],
        rows: &Rows,
        hot: &HotLanes<'_>,
    ) {
        if *change == Vector3::zeros() {
            return;
        }
        self.points[k].impulse += change;
        let world = self.axes[0] * change.x + self.axes[1] * change.y + self.axes[2] * change.z;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            match self.sides[side] {
                Side::Still | Side::Link { first: None, .. } => {}
                // SAFETY: passed on.
                Side::Body { .. } => unsafe { self.push_body(side, &self.points[k], &(world * sign), hot) },
                Side::Link { member, first: Some(first), .. } => {
                    let velocities = &mut members[member].velocities;
                    let n = velocities.len();
                    for (axis, &part) in change.iter().enumerate().filter(|(_, part)| **part != 0.0) {
                        add_scaled(velocities, part, rows.response(first + (3 * k + axis) * n, n));
                    }
                }
            }
        }
    }
}
