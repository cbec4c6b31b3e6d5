//! Sweeps over the contacts of links, and what is bounded along their joints.
#![expect(unsafe_code, reason = "reads and changes bodies of one array, those of one unit")]

use super::contact::{LinkContact, ROLL, SLIDE, Side, TWIST, inverse, length};
use super::rows::{Rows, add_scaled};
use super::{ArticulatedUnit, Member};
use drystone_contact::{MAX_POINTS, SharedBodyStates};
use nalgebra::{Matrix4, Vector4};

/// Sweeps of an articulated unit in each of those through all contacts: points on one link hang together closely, and there are few of them.
const SWEEPS: usize = 4;
/// What is added to the diagonal of the response of the normals, as a share of its mean: four points on a rigid link are one too many, and share what they carry
/// as evenly as they can.
const EVENLY: f64 = 1e-6;

impl ArticulatedUnit {
    /// One way of a sweep; `is_back`: in reverse order.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(in crate::sub_step) unsafe fn sweep(&mut self, is_back: bool, hot: &SharedBodyStates<'_>) {
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
    pub(super) unsafe fn note_residual(&mut self, hot: &SharedBodyStates<'_>) {
        let Self { members, contacts, rows, rates, worst, unsolved } = self;
        (*worst, *unsolved) = (0.0, 0);
        for contact in contacts.iter() {
            for k in (0..contact.count).filter(|&k| contact.normal[(k, k)] > 0.0) {
                // SAFETY: passed on.
                let velocity = unsafe { contact.velocity(k, members, rows, hot) };
                let closing = contact.points[k].target - velocity;
                *unsolved += u32::from(closing > rates.threshold);
                *worst = worst.max(closing);
            }
        }
    }
}

impl LinkContact {
    /// Its part of a sweep.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn solve(
        &mut self,
        is_back: bool,
        members: &mut [Member],
        rows: &Rows,
        hot: &SharedBodyStates<'_>,
    ) {
        // SAFETY: passed on.
        unsafe {
            self.solve_normals(is_back, members, rows, hot);
            self.solve_friction(members, rows, hot);
        }
    }

    /// Normal impulses: all at once where that leaves none that pulls, else one after the other.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    unsafe fn solve_normals(
        &mut self,
        is_back: bool,
        members: &mut [Member],
        rows: &Rows,
        hot: &SharedBodyStates<'_>,
    ) {
        // SAFETY: passed on.
        if self.count > 1 && unsafe { self.solve_jointly(members, rows, hot) } {
            return;
        }
        for i in 0..self.count {
            let k = if is_back { self.count - 1 - i } else { i };
            // SAFETY: passed on.
            unsafe {
                let wrong = self.velocity(k, members, rows, hot) - self.points[k].target;
                let impulse = (self.impulse[k] - wrong * inverse(self.normal[(k, k)])).max(0.0);
                self.push(k, impulse - self.impulse[k], members, rows, hot);
            }
        }
    }

    /// Of points that push or close, the impulses with the least sum of squares that do what is asked for; false, and nothing done, where one would pull.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    unsafe fn solve_jointly(
        &mut self,
        members: &mut [Member],
        rows: &Rows,
        hot: &SharedBodyStates<'_>,
    ) -> bool {
        let (mut active, mut right) = (0_u8, Vector4::zeros());
        for k in 0..self.count {
            // SAFETY: passed on.
            let wrong = unsafe { self.velocity(k, members, rows, hot) } - self.points[k].target;
            let is_free = self.normal[(k, k)] > 0.0;
            active |= u8::from(is_free && (self.impulse[k] > 0.0 || wrong < 0.0)) << k;
            right[k] = -wrong;
        }
        let is_active = |k: usize| active >> k & 1 == 1;
        for i in 0..MAX_POINTS {
            let given = |j: usize| if is_active(j) { self.normal[(i, j)] * self.impulse[j] } else { 0.0 };
            right[i] =
                if is_active(i) { (0..self.count).fold(right[i], |sum, j| sum + given(j)) } else { 0.0 };
        }
        if self.normal_factor.as_ref().is_none_or(|(of, _)| *of != active) {
            self.normal_factor = self.joint_matrix(active).cholesky().map(|factor| (active, factor));
        }
        let Some((_, factor)) = &self.normal_factor else { return false };
        let impulses = factor.solve(&right);
        if (0..self.count).any(|k| impulses[k].is_nan() || impulses[k] < 0.0) {
            return false;
        }
        for k in (0..self.count).filter(|&k| is_active(k)) {
            // SAFETY: passed on.
            unsafe { self.push(k, impulses[k] - self.impulse[k], members, rows, hot) };
        }
        true
    }

    /// The response of the normals of some points to each other; of others that of themselves alone, 1.
    fn joint_matrix(&self, active: u8) -> Matrix4<f64> {
        let mut matrix = Matrix4::identity();
        let all = (0..MAX_POINTS).filter(|k| active >> k & 1 == 1);
        for i in all.clone() {
            for j in all.clone() {
                matrix[(i, j)] = self.normal[(i, j)];
            }
            matrix[(i, i)] *= 1.0 + EVENLY;
        }
        matrix
    }

    /// Friction: a force in the middle, and a moment about the normal.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    unsafe fn solve_friction(&mut self, members: &mut [Member], rows: &Rows, hot: &SharedBodyStates<'_>) {
        let load: f64 = self.impulse[..self.count].iter().sum();
        let now = [self.impulse[SLIDE], self.impulse[SLIDE + 1]];
        if load == 0.0 && now == [0.0; 2] && self.impulse[TWIST..].iter().all(|&impulse| impulse == 0.0) {
            return;
        }
        // SAFETY: passed on.
        unsafe {
            let slide = [0, 1].map(|k: usize| self.velocity(SLIDE + k, members, rows, hot) + self.belt[k]);
            let [m11, m22, m12] = self.slide_mass;
            let wanted =
                [now[0] - (m11 * slide[0] + m12 * slide[1]), now[1] - (m12 * slide[0] + m22 * slide[1])];
            let size = length(wanted);
            let [sticks, slides] = self.friction.map(|coefficient| coefficient * load);
            let share = if size > sticks { slides / size } else { 1.0 };
            for k in 0..2 {
                self.push(SLIDE + k, wanted[k] * share - now[k], members, rows, hot);
            }
            if self.count > 1 {
                let turning = self.velocity(TWIST, members, rows, hot);
                let wanted = self.impulse[TWIST] - self.twist_mass * turning;
                let [sticks, slides] = [sticks, slides].map(|most| most * self.radius);
                let twist = if wanted.abs() > sticks { slides.copysign(wanted) } else { wanted };
                self.push(TWIST, twist - self.impulse[TWIST], members, rows, hot);
            }
            if self.rolling > 0.0 {
                self.solve_rolling(load, members, rows, hot);
            }
        }
    }

    /// Rolling friction under a load (N s), as that of other bodies (`sub_step/rolling.rs`): the moment in the plane that stops the turning, or, where that is
    /// larger than what the load gives, one of that size against it.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    unsafe fn solve_rolling(
        &mut self,
        load: f64,
        members: &mut [Member],
        rows: &Rows,
        hot: &SharedBodyStates<'_>,
    ) {
        let now = [self.impulse[ROLL], self.impulse[ROLL + 1]];
        let most = self.rolling * load;
        // SAFETY: passed on.
        unsafe {
            let spin = [0, 1].map(|k: usize| self.velocity(ROLL + k, members, rows, hot));
            let [m11, m22, m12] = self.roll_mass;
            let mut wanted =
                [now[0] - (m11 * spin[0] + m12 * spin[1]), now[1] - (m12 * spin[0] + m22 * spin[1])];
            if length(wanted) > most {
                let against = [0, 1].map(|k: usize| now[k] - self.least_roll_mass * spin[k]);
                let share = most * inverse(length(against));
                wanted = against.map(|part| part * share);
            }
            for k in 0..2 {
                self.push(ROLL + k, wanted[k] - now[k], members, rows, hot);
            }
        }
    }

    /// Adds to the impulse of a row, with what it does.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    #[inline]
    unsafe fn push(
        &mut self,
        row: usize,
        change: f64,
        members: &mut [Member],
        rows: &Rows,
        hot: &SharedBodyStates<'_>,
    ) {
        if change == 0.0 {
            return;
        }
        self.impulse[row] += change;
        // SAFETY: passed on.
        unsafe { self.push_bodies(row, change, hot) };
        for side in self.sides {
            if let Side::Link { member, first: Some(first), .. } = side {
                let velocities = &mut members[member].room.velocities;
                let n = velocities.len();
                add_scaled(velocities, change, rows.response(first + row * n, n));
            }
        }
    }
}
