//! Holding what sticks: slip of resting contacts is stopped after a phase. Beyond S1.
//!
//! S1 applies friction only while a contact closes. What the neighbours of a resting contact leave behind
//! after its last turn is a slip that no later iteration sees, because the contact no longer closes: a
//! 10-row pyramid then creeps apart by a millimetre per second however fine the resolution threshold.
//! After a phase, a few sweeps upwards through the contacts that carry load take their slip to zero where
//! the impulses of the step leave room in the static cone. What slides is left alone.

use super::ContactOrder;
use super::batch::BatchSolver;
use super::row::{Load, Masses};
use super::speeds::StepSpeeds;
use std::ops::Range;

impl<O: ContactOrder> BatchSolver<O> {
    /// Sweeps upwards through `members`; true when a contact closes faster than the threshold afterwards.
    /// Bodies of a level in `1..frozen_below` count as infinitely heavy.
    pub(super) fn hold(&mut self, members: Range<usize>, frozen_below: u32, speeds: &StepSpeeds) -> bool {
        for _ in 0..speeds.stick_sweeps {
            let mut any = false;
            let mut first = members.start;
            while first < members.end {
                let end = first + self.rows[first].left_in_manifold as usize;
                any |= self.hold_manifold(first..end, frozen_below, speeds);
                first = end;
            }
            if !any {
                break;
            }
        }
        self.excess[members].iter().any(|&e| e > speeds.threshold)
    }

    /// Holds the points of one manifold; true when something was done. Most manifolds have no slip: what the load
    /// and the matrices cost is paid for those that do.
    fn hold_manifold(&mut self, rows: Range<usize>, frozen_below: u32, speeds: &StepSpeeds) -> bool {
        if !Load::carries(&self.rows[rows.clone()]) {
            return false;
        }
        let (mut any, mut load) = (false, None);
        for i in rows.clone() {
            let [a, b] = self.rows[i].bodies.map(|k| k as usize);
            let Some((u, slip)) = self.rows[i].slip_above(&self.bodies[a], &self.bodies[b], speeds.threshold)
            else {
                continue;
            };
            let load = load.get_or_insert_with(|| Load::of(&self.rows[rows.clone()]));
            let row = &mut self.rows[i];
            let Ok([body_a, body_b]) = self.bodies.get_disjoint_mut([a, b]) else { return false };
            let masses = Masses::new(body_a.moves(frozen_below), body_b.moves(frozen_below));
            if masses == Masses::new(false, false) {
                return false;
            }
            if row.masses != masses {
                row.prepare(body_a, body_b, masses);
            }
            let Some(resolved) = row.hold(body_a, body_b, load, &u, &slip, speeds.resolve.energy.is_safe())
            else {
                continue;
            };
            any = true;
            // No order is under way: only the closing speeds follow.
            self.update_excess(a, &resolved.linear_a, &resolved.angular_a, &(0..0));
            self.update_excess(b, &resolved.linear_b, &resolved.angular_b, &(0..0));
        }
        any
    }
}
