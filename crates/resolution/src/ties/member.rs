//! A tie as a member of a set that is solved directly ([`super::direct`]).
#![expect(unsafe_code, reason = "changes disjoint bodies of one array")]

use super::algebra::{full, get, inertia, set};
use super::block::{ROWS, TieBlock};
use super::sets::Key;
use drystone_contact::HotLanes;
use drystone_math::{Matrix3, Real, Symmetric3, Vector3};

impl TieBlock {
    /// What the pattern of a set depends on.
    pub(super) fn key(&self, lane: usize) -> Key {
        let masses = [0, 1].map(|side: usize| self.inverse_mass[side][lane].to_bits());
        Key { ends: self.pushed_ends(lane), masses, locks: self.locks_of(lane) }
    }

    /// True where all three places are locked, as all kinds have it but slider and distance.
    pub(super) fn can_be_in_set(&self, lane: usize) -> bool {
        (0..3).all(|axis| self.locked[axis] >> lane & 1 == 1)
    }

    /// Its lock is solved together with others from now on.
    pub(super) fn enter_set(&mut self, lane: usize) {
        self.in_set |= 1 << lane;
    }

    /// Bodies that are pushed; 0 for what is not.
    pub(super) fn pushed_ends(&self, lane: usize) -> [u32; 2] {
        [0, 1].map(|side: usize| if self.inverse_mass[side][lane] > 0.0 { self.ends[side][lane] } else { 0 })
    }

    /// Bodies that are pushed, with the lengths of their arms, m.
    pub(crate) fn pushed(&self) -> impl Iterator<Item = (u32, Real)> + '_ {
        let lanes = (0..2).flat_map(|side| (0..8).map(move |lane| (side, lane)));
        lanes
            .filter(|&(side, lane)| self.inverse_mass[side][lane] > 0.0)
            .map(|(side, lane)| (self.ends[side][lane], get(&self.arms[side], lane).norm()))
    }

    /// Bodies that are stiffened, with their inverse inertias for what the tie gives.
    pub(crate) fn stiffened(&self) -> impl Iterator<Item = (u32, Symmetric3)> + '_ {
        let lanes = (0..2).flat_map(|side| (0..8).map(move |lane| (side, lane)));
        lanes
            .filter(|&(side, lane)| self.stiff >> lane & 1 == 1 && self.inverse_mass[side][lane] > 0.0)
            .map(|(side, lane)| (self.ends[side][lane], inertia(&self.inverse_inertia[side], lane)))
    }

    /// True where a drive of some lane gives energy.
    pub(crate) fn is_driven(&self) -> bool {
        (0..ROWS).any(|k| self.rows >> k & 1 == 1 && self.row[k].driven != 0)
    }

    /// Scales the impulses of the sub-step.
    pub(crate) fn scale(&mut self, share: Real) {
        let locks = self.lock.iter_mut().chain(&mut self.turn_lock);
        let rows = self.row.iter_mut().flat_map(|row| &mut row.given);
        locks.chain(rows).flatten().for_each(|given| *given *= share);
    }

    /// Inverse masses of the bodies that are pushed, 1/kg.
    pub(super) fn masses(&self, lane: usize) -> impl Iterator<Item = Real> + use<> {
        let masses = [self.inverse_mass[0][lane], self.inverse_mass[1][lane]];
        masses.into_iter().filter(|&mass| mass > 0.0)
    }

    /// True where the turn about an axis of A's frame is locked.
    pub(super) fn locks_turn(&self, lane: usize, axis: usize) -> bool {
        self.locked[3 + axis] >> lane & 1 == 1
    }

    /// True where one of the turns is.
    pub(super) fn locks_turns(&self, lane: usize) -> bool {
        (0..3).any(|axis| self.locks_turn(lane, axis))
    }

    /// Inverse mass and inertia of a body.
    pub(super) fn body(&self, lane: usize, side: usize) -> (Real, nalgebra::Matrix3<f64>) {
        (self.inverse_mass[side][lane], full(&inertia(&self.inverse_inertia[side], lane)).cast())
    }

    /// The arm of a body as the matrix of its cross product.
    pub(super) fn lever(&self, lane: usize, side: usize) -> nalgebra::Matrix3<f64> {
        get(&self.arms[side], lane).cross_matrix().cast()
    }

    /// Axes whose turns are locked, in rows; zero for the others.
    pub(super) fn turn_axes(&self, lane: usize) -> nalgebra::Matrix3<f64> {
        let row =
            |axis: usize| if self.locks_turn(lane, axis) { self.axis(lane, axis) } else { Vector3::zeros() };
        Matrix3::from_columns(&[row(0), row(1), row(2)]).transpose().cast()
    }

    /// Motion that is to stop: of the places, with the bend of a sub-step of `h` seconds, and of the turns about their axes.
    ///
    /// # Safety
    /// The bodies of the block belong to this call alone.
    pub(super) unsafe fn motion(&self, lane: usize, hot: &HotLanes<'_>, h: Real) -> (Vector3, Vector3) {
        let side = |side: usize| {
            // SAFETY: passed on.
            let (v, w) = unsafe { self.velocity(lane, side, hot) };
            let turning = w.cross(&get(&self.arms[side], lane));
            (v + turning + w.cross(&turning) * (0.5 * h), w)
        };
        let ((v_a, w_a), (v_b, w_b)) = (side(0), side(1));
        (v_b - v_a, self.about(lane, &(w_b - w_a)))
    }

    /// Square of the turning of the faster one, (rad/s)².
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn turning(&self, lane: usize, hot: &HotLanes<'_>) -> Real {
        // SAFETY: passed on.
        let [a, b] = [0, 1].map(|side: usize| unsafe { self.velocity(lane, side, hot) }.1.norm_squared());
        a.max(b)
    }

    /// Velocity and angular velocity of a body.
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    unsafe fn velocity(&self, lane: usize, side: usize, hot: &HotLanes<'_>) -> (Vector3, Vector3) {
        // SAFETY: passed on; body 0 is never written.
        let record = unsafe { hot.velocities(&[self.ends[side][lane], 0, 0, 0, 0, 0, 0, 0]) }[0];
        (Vector3::new(record[0], record[1], record[2]), Vector3::new(record[4], record[5], record[6]))
    }

    /// What was given for what is locked in this sub-step: force, and turns about their axes.
    pub(super) fn given(&self, lane: usize) -> (Vector3, Vector3) {
        (get(&self.lock, lane), self.about(lane, &get(&self.turn_lock, lane)))
    }

    /// Errors to be taken back in a sub-step.
    pub(super) fn errors(&self, lane: usize) -> (Vector3, Vector3) {
        let [place, turn] = self.taken_back(lane);
        (place, self.about(lane, &turn))
    }

    /// Whether what the tie gives makes inertias more ([`super::stiff`]).
    pub(super) fn is_stiff(&self, lane: usize) -> bool {
        self.damping[lane] > 0.0
    }

    /// Applies impulses for what is locked, turns about their axes.
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn give(&mut self, lane: usize, hot: &HotLanes<'_>, force: Vector3, turn: &Vector3) {
        let torque = self.torque(lane, turn);
        // SAFETY: passed on.
        unsafe { self.push(lane, hot, |side| self.change(lane, side, force, torque)) };
        let (lock, turn_lock) = (get(&self.lock, lane) + force, get(&self.turn_lock, lane) + torque);
        set(&mut self.lock, lane, &lock);
        set(&mut self.turn_lock, lane, &turn_lock);
    }

    /// The same in displacements times mass.
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn shift(&self, lane: usize, hot: &HotLanes<'_>, force: Vector3, turn: &Vector3) {
        // SAFETY: passed on.
        unsafe { self.displace(lane, hot, force, self.torque(lane, turn)) };
    }

    fn about(&self, lane: usize, v: &Vector3) -> Vector3 {
        let part = |axis: usize| if self.locks_turn(lane, axis) { self.axis(lane, axis).dot(v) } else { 0.0 };
        Vector3::new(part(0), part(1), part(2))
    }

    fn torque(&self, lane: usize, turn: &Vector3) -> Vector3 {
        let given = |axis: usize| self.axis(lane, axis) * turn[axis];
        (0..3).filter(|&axis| self.locks_turn(lane, axis)).map(given).sum()
    }

    /// An axis of A's frame, world.
    fn axis(&self, lane: usize, axis: usize) -> Vector3 {
        get(&self.frame[axis], lane)
    }
}
