//! What of a tie changes from sub-step to sub-step, one tie after the other: all of it, for every kind of joint.
//!
//! Most ties are done eight at a time ([`super::place`]), which is the same arithmetic in lanes; what that leaves comes here: locked distances,
//! turns of more than half a revolution, and what has no inverse.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]

use super::algebra::{
    SINGULAR, full, get, inertia, invert, point_response, set, set_inertia, set_symmetric, symmetric,
    turn_by_force,
};
use super::block::{CONE, ROWS, TieBlock};
use super::null_space::pseudo_inverse;
use super::spring::implicit;
use super::stiff::{extra_inertia, fade, stiffened};
use drystone_contact::{JointCoordinates, JointFrames, SPAN, SharedBodyStates, TWIST};
use drystone_math::{Matrix3, Quaternion, Real, Rotation, Symmetric3, Vector3, larger, rotation_from_vector};
use std::f32::consts::TAU;

/// A gap, m or rad, that nothing closes within a sub-step.
pub(super) const FAR: f32 = 1e6;
/// Share of an error that a sub-step takes back, by displacement.
pub(super) const RECOVERY: Real = 0.5;
/// Share of the arms up to which an error of a place is small.
pub(super) const SLACK: Real = 0.3;
/// What a twist counts as beyond a limit at most, rad: sub-steps take less than a radian of it back.
pub(super) const MOST_BEYOND: Real = 1.0;
/// Share of a large error that a sub-step takes back nevertheless.
pub(super) const LEAST_RECOVERY: Real = 0.02;

/// Where a half of a record with displacements has the inertia that all ties of the body add.
pub(super) const EXTRA: usize = 3;

impl TieBlock {
    /// Ends a sub-step of `h` seconds for these lanes: takes errors back by displacement, and makes everything ready for the next one.
    ///
    /// # Safety
    /// The bodies of the block belong to this call alone.
    pub(super) unsafe fn place(&mut self, left: u8, hot: &SharedBodyStates<'_>, h: Real, is_last: bool) {
        for lane in 0..8 {
            if (left & self.there) >> lane & 1 == 0 {
                continue;
            }
            let ends = self.ends_of(lane);
            let (mut given, before) = (self.wrenches(lane), self.inertias(lane));
            // SAFETY: ours alone by the caller's promise; body 0 is never written.
            let deltas = unsafe { hot.deltas(&ends) };
            self.renew(lane, [deltas[0], deltas[1]], h);
            if !is_last {
                // The next sub-step begins with the same impulses, where they act by then: repeated as they were, they would turn what swings.
                if self.afresh >> lane & 1 == 1 {
                    self.hold(lane);
                    if self.alone >> lane & 1 == 1 {
                        given = [[Vector3::zeros(); 2]; 2];
                    }
                }
                let (now, after) = (self.wrenches(lane), self.inertias(lane));
                let change = |side: usize| {
                    let turned = after[side] * now[side][1] - before[side] * given[side][1];
                    (now[side][0] - given[side][0], turned)
                };
                // SAFETY: as above.
                unsafe { self.push(lane, hot, change) };
                // SAFETY: passed on.
                unsafe { self.calm(lane, hot) };
            }
            let (force, torque) = self.back(lane);
            if force == Vector3::zeros() && torque == Vector3::zeros() {
                continue;
            }
            // SAFETY: as above.
            unsafe { self.displace(lane, hot, force, torque) };
        }
    }

    /// Tells both bodies of a lane what inertia the tie adds ([`super::stiff`]), where its strongest impulse of late is so much; the most of all ties counts.
    ///
    /// # Safety
    /// The bodies of the block belong to this call alone.
    pub(super) unsafe fn stiffen(&self, lane: usize, hot: &SharedBodyStates<'_>, strongest: Real, h: Real) {
        for side in 0..2 {
            if self.inverse_mass[side][lane] == 0.0 {
                continue;
            }
            let (own, arm) = (inertia(&self.start_inertia[side], lane), get(&self.start_arms[side], lane));
            let (extra, _) = extra_inertia(&own, &arm, strongest * h * self.felt[side][lane]);
            if extra > 0.0 {
                // SAFETY: passed on.
                let record = unsafe { hot.record(self.ends[side][lane]) };
                record.extra_inertia = larger(record.extra_inertia, extra);
            }
        }
    }

    /// Forgets what the bodies of a lane were told.
    ///
    /// # Safety
    /// As [`TieBlock::stiffen`].
    pub(super) unsafe fn slacken(&self, lane: usize, hot: &SharedBodyStates<'_>) {
        for side in (0..2).filter(|&side| self.inverse_mass[side][lane] > 0.0) {
            // SAFETY: passed on.
            unsafe { hot.record(self.ends[side][lane]) }.extra_inertia = 0.0;
        }
    }

    /// Inverse inertias of both bodies for what the tie gives.
    fn inertias(&self, lane: usize) -> [Symmetric3; 2] {
        [0, 1].map(|side: usize| inertia(&self.inverse_inertia[side], lane))
    }

    /// Inverse inertia of a body that has turned by this rotation vector since the step began, world axes.
    fn turned_inertia(&self, lane: usize, side: usize, turned: &Vector3) -> Symmetric3 {
        let start = inertia(&self.start_inertia[side], lane);
        if self.turns_inertia[side] >> lane & 1 == 0 {
            return start;
        }
        let turn = rotation_from_vector(turned).to_rotation_matrix();
        symmetric(&(turn.matrix() * full(&start) * turn.matrix().transpose()))
    }

    /// Both bodies of a lane, to be read as the first of eight.
    fn ends_of(&self, lane: usize) -> [u32; 8] {
        [self.ends[0][lane], self.ends[1][lane], 0, 0, 0, 0, 0, 0]
    }

    /// Takes from the bodies of a lane what a strong tie leaves of their turning ([`super::stiff`]).
    ///
    /// # Safety
    /// The bodies of the block belong to this call alone.
    pub(super) unsafe fn calm(&self, lane: usize, hot: &SharedBodyStates<'_>) {
        if self.damping[lane] > 0.0 {
            // SAFETY: ours alone by the caller's promise.
            let velocities = unsafe { hot.velocities(&self.ends_of(lane)) };
            let turning =
                |side: usize| Vector3::new(velocities[side][4], velocities[side][5], velocities[side][6]);
            let torque = self.damp(lane, &(turning(1) - turning(0)));
            let change =
                |side: usize| (Vector3::zeros(), inertia(&self.inverse_inertia[side], lane) * torque);
            // SAFETY: as above.
            unsafe { self.push(lane, hot, change) };
        }
    }

    /// Moves the bodies of a lane by a force and a torque on B and their opposites on A, in displacements times mass.
    ///
    /// # Safety
    /// The bodies of the block belong to this call alone.
    pub(super) unsafe fn displace(
        &self,
        lane: usize,
        hot: &SharedBodyStates<'_>,
        force: Vector3,
        torque: Vector3,
    ) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if self.inverse_mass[side][lane] > 0.0 {
                let (force, turn) = self.change(lane, side, force, torque);
                // SAFETY: passed on.
                let record = unsafe { hot.record(self.ends[side][lane]) };
                record.delta_translation += force.component_mul(&(self.mass(lane, side) * sign));
                record.delta_rotation += turn * sign;
            }
        }
    }

    /// Changes velocities by an impulse (N·s) and a change of turning (rad/s) of each side, of which A gets the opposite.
    ///
    /// # Safety
    /// As [`TieBlock::displace`].
    pub(super) unsafe fn push(
        &self,
        lane: usize,
        hot: &SharedBodyStates<'_>,
        change: impl Fn(usize) -> (Vector3, Vector3),
    ) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if self.inverse_mass[side][lane] > 0.0 {
                let (force, turn) = change(side);
                // SAFETY: passed on.
                let record = unsafe { hot.record(self.ends[side][lane]) };
                record.linear += force.component_mul(&(self.mass(lane, side) * sign));
                record.angular += turn * sign;
            }
        }
    }

    /// A force where the tie acts, and what it and a torque turn a body by.
    pub(super) fn change(
        &self,
        lane: usize,
        side: usize,
        force: Vector3,
        torque: Vector3,
    ) -> (Vector3, Vector3) {
        let arm = get(&self.arms[side], lane);
        (force, inertia(&self.inverse_inertia[side], lane) * (arm.cross(&force) + torque))
    }

    /// Force on B of the impulses of the sub-step, N·s, and the torque beside it.
    fn wrench(&self, lane: usize) -> [Vector3; 2] {
        let mut force = get(&self.lock, lane);
        let mut torque = get(&self.turn_lock, lane);
        let rows = self.rows_of(lane);
        for row in (0..ROWS).filter(|k| rows >> k & 1 == 1).map(|k| &self.row[k]) {
            let [drive, rub, limit, coupled] = row.given.map(|given| given[lane]);
            let sum = drive + rub + limit + coupled;
            force += get(&row.force, lane) * sum;
            torque += get(&row.torque, lane) * sum;
        }
        [force, torque]
    }

    /// That force, and the torque about the centre: of both sides.
    fn wrenches(&self, lane: usize) -> [[Vector3; 2]; 2] {
        let [force, torque] = self.wrench(lane);
        [0, 1].map(|side: usize| [force, get(&self.arms[side], lane).cross(&force) + torque])
    }

    /// Torque impulse on B that takes a share of the relative turning: where the sub-step cannot follow it.
    fn damp(&self, lane: usize, turning: &Vector3) -> Vector3 {
        let [a, b] = [0, 1].map(|side: usize| full(&inertia(&self.inverse_inertia[side], lane)));
        invert(&mut (a + b), [true; 3]) * turning * -self.damping[lane]
    }

    /// Force and torque on B that take back their share of all errors, in displacements times mass.
    fn back(&self, lane: usize) -> (Vector3, Vector3) {
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        if self.in_set >> lane & 1 == 0 {
            let [place, turn] = self.taken_back(lane);
            (force, torque) = self.keep(lane, &place, &turn);
        }
        let rows = self.rows_of(lane);
        for row in (0..ROWS).filter(|k| rows >> k & 1 == 1).map(|k| &self.row[k]) {
            let push = -RECOVERY * row.beyond[lane] * row.mass[lane];
            force += get(&row.force, lane) * push;
            torque += get(&row.torque, lane) * push;
        }
        (force, torque)
    }

    /// What a sub-step takes back of the errors of what is locked: of the place, m, and of the turns, rad.
    pub(super) fn taken_back(&self, lane: usize) -> [Vector3; 2] {
        let (place, turn) = (get(&self.error, lane), get(&self.turn_error, lane));
        let share = (RECOVERY * within(&place, self.slack[lane] / RECOVERY)).max(LEAST_RECOVERY);
        [place * share, turn * RECOVERY * within(&turn, SLACK / RECOVERY)]
    }

    /// Force and torque on B that stop a motion of what is locked: of the place, and turning.
    fn keep(&self, lane: usize, place: &Vector3, turn: &Vector3) -> (Vector3, Vector3) {
        let lock_mass = inertia(&self.lock_mass, lane);
        let force = lock_mass * -place;
        if !self.locks_turns(lane) {
            return (force, Vector3::zeros());
        }
        let inertias = [0, 1].map(|side: usize| inertia(&self.inverse_inertia[side], lane));
        let by_force = turn_by_force(&inertias, &[get(&self.arms[0], lane), get(&self.arms[1], lane)]);
        let torque = inertia(&self.turn_mass, lane) * -(turn + by_force * force);
        (force - lock_mass * (by_force.transpose() * torque), torque)
    }

    /// What a force and a torque on B, and their opposites on A, change: velocity of B against A where the tie acts, and turning.
    fn relative_change(&self, lane: usize, force: Vector3, torque: Vector3) -> [Vector3; 2] {
        let mut sums = [Vector3::zeros(); 2];
        for side in 0..2 {
            let (force, turn) = self.change(lane, side, force, torque);
            let moved = force.component_mul(&self.mass(lane, side));
            sums[0] += moved + turn.cross(&get(&self.arms[side], lane));
            sums[1] += turn;
        }
        sums
    }

    /// Coordinates of a lane now, and arms of the centres to the origin of B's frame; nobody asks for more than places where places alone are held
    /// (`is_of_places`).
    fn look(
        &self,
        lane: usize,
        deltas: [&[f32; 8]; 2],
        is_of_places: bool,
    ) -> (JointCoordinates, [Vector3; 2]) {
        let part = |row: &[f32; 8], first: usize| Vector3::new(row[first], row[first + 1], row[first + 2]);
        let turns = deltas.map(|row| rotation_from_vector(&part(row, 4)));
        let centers = get(&self.start_centers, lane) + part(deltas[1], 0) - part(deltas[0], 0);
        let starts = [0, 1].map(|side: usize| {
            let [w, i, j, k] = self.start_frames[side].map(|row| row[lane]);
            Rotation::new_unchecked(Quaternion::new(w, i, j, k))
        });
        let arms = [0, 1].map(|side: usize| get(&self.start_arms[side], lane));
        let (frames, arms) = JointFrames::turned(&starts, &arms, &turns, &centers);
        let found = if is_of_places { frames.places() } else { frames.coordinates() };
        // What is locked acts where both frames meet; a large error is no lever.
        let error: Vector3 = (0..3)
            .filter(|&k| self.locked[k] >> lane & 1 == 1)
            .map(|k| found.axes[k] * (found.values[k] - self.locked_at[k][lane]))
            .sum();
        let over = error * (1.0 - within(&error, self.slack[lane]));
        (found, [arms[0] + frames.gap - over, arms[1]])
    }

    /// Axes of three coordinates from `first` on: as the lanes have them ([`super::frames::Found::lock_twist`]).
    fn axes_from(&self, lane: usize, found: &JointCoordinates, first: usize) -> [Vector3; 3] {
        let is_locked = |k: usize| self.locked[k] >> lane & 1 == 1;
        let mut axes = found.axes;
        if first == TWIST && is_locked(TWIST) && !is_locked(TWIST + 1) && !is_locked(TWIST + 2) {
            axes[0] = found.twist / larger(found.twist.norm(), Real::MIN_POSITIVE);
        }
        axes
    }

    /// The inverse of a response among the coordinates from `first` on that are locked, and what they miss; world axes. What gives way by less than
    /// [`SINGULAR`] of `scale` does not, where bodies have locked axes.
    fn invert_locked(
        &self,
        lane: usize,
        found: &JointCoordinates,
        first: usize,
        (response, scale): (&Matrix3, Real),
    ) -> (Matrix3, Vector3) {
        let is_locked = |k: usize| self.locked[first + k] >> lane & 1 == 1;
        let axes = self.axes_from(lane, found, first);
        if (0..3).all(is_locked) {
            // In any axes the same.
            let off = |k: usize| axes[k] * found.off(first + k, self.locked_at[first + k][lane]);
            let mass = if self.has_locked_bodies(lane) {
                pseudo_inverse(response, [true; 3], scale)
            } else {
                invert(&mut response.clone_owned(), [true; 3])
            };
            return (mass, off(0) + off(1) + off(2));
        }
        let frame = Matrix3::from_columns(&axes);
        let mut local = frame.transpose() * response * frame;
        let mut error = Vector3::zeros();
        for k in 0..3 {
            if is_locked(k) {
                error[k] = found.off(first + k, self.locked_at[first + k][lane]);
            }
        }
        let are_locked = [is_locked(0), is_locked(1), is_locked(2)];
        let mut mass = if self.has_locked_bodies(lane) {
            pseudo_inverse(&local, are_locked, scale)
        } else {
            invert(&mut local, are_locked)
        };
        mass = frame * mass * frame.transpose();
        (mass, frame * error)
    }

    /// How far both bodies give way to forces without locked axes: the trace of that, 1/kg.
    fn free_response(&self, lane: usize) -> Real {
        3.0 * (self.inverse_mass[0][lane] + self.inverse_mass[1][lane])
    }

    /// Leaves of the impulses of what is locked the part that still lies along, or about, locked axes: these turn, and along the free ones nothing would
    /// ever take it back.
    fn keep_locked(&mut self, lane: usize, found: &JointCoordinates) {
        let locks = self.locks_of(lane);
        let all = [0, 3].map(|first| self.axes_from(lane, found, first));
        for ((given, first), axes) in [(&mut self.lock, 0), (&mut self.turn_lock, 3)].into_iter().zip(all) {
            let own = locks >> first & 0b111;
            if own != 0b111 {
                let before = get(given, lane);
                let along = (0..3).filter(|k| own >> k & 1 == 1).map(|k| axes[k] * axes[k].dot(&before));
                set(given, lane, &along.sum());
            }
        }
    }

    /// Keeps what all ties of both bodies add to their inertias.
    fn set_extra(&mut self, lane: usize, extra: [Real; 2]) {
        self.extra.iter_mut().zip(extra).for_each(|(own, extra)| own[lane] = extra);
        let has_any = extra.iter().any(|&extra| extra > 0.0);
        self.has_extra = self.has_extra & !(1 << lane) | u8::from(has_any) << lane;
    }

    /// Everything that depends on where the bodies of a lane are (displacements of the step).
    pub(super) fn renew(&mut self, lane: usize, deltas: [&[f32; 8]; 2], h: Real) {
        let (rows, locks) = (self.rows_of(lane), self.locks_of(lane));
        let (mut found, arms) = self.look(lane, deltas, rows == 0 && locks & 0b111_000 == 0);
        if self.counted >> lane & 1 == 1 {
            let twist = found.values[TWIST];
            let turns = JointCoordinates::turned(self.last_twist[lane], twist);
            self.last_twist[lane] = twist;
            self.wound[lane] += turns as Real * TAU;
            found.values[TWIST] += self.wound[lane];
        }
        let inertias = [0, 1].map(|side: usize| {
            let turned = Vector3::new(deltas[side][4], deltas[side][5], deltas[side][6]);
            self.turned_inertia(lane, side, &turned)
        });
        if rows >> SPAN & 1 == 1 {
            set(&mut self.span, lane, &(found.span * found.values[SPAN]));
        }
        self.frame.iter_mut().zip(&found.axes).for_each(|(own, axis)| set(own, lane, axis));
        let [twist, _, _] = self.axes_from(lane, &found, TWIST);
        set(&mut self.twist, lane, &twist);
        self.arms.iter_mut().zip(&arms).for_each(|(own, arm)| set(own, lane, arm));
        self.strongest[lane] = fade(self.strongest[lane], self.wrench(lane)[0].norm());
        let stiffened = [0, 1].map(|side: usize| {
            let pull = self.strongest[lane] * h * self.felt[side][lane];
            stiffened(&inertias[side], &arms[side], pull, deltas[side][EXTRA])
        });
        self.set_extra(lane, [deltas[0][EXTRA], deltas[1][EXTRA]]);
        self.damping[lane] = stiffened.iter().flatten().fold(0.0, |most, stiff| most.max(stiff.damping));
        let is_stiff = stiffened.iter().any(Option::is_some);
        self.stiff = self.stiff & !(1 << lane) | u8::from(is_stiff) << lane;
        for ((rows, stiff), own) in self.inverse_inertia.iter_mut().zip(stiffened).zip(&inertias) {
            set_inertia(rows, lane, &stiff.map_or(*own, |stiff| stiff.inverse));
        }
        self.keep_locked(lane, &found);
        let masses = [0, 1].map(|side: usize| self.mass(lane, side));
        let inertias = [0, 1].map(|side: usize| inertia(&self.inverse_inertia[side], lane));
        if locks & 0b111 != 0 {
            let response = point_response(masses, &inertias, &arms);
            let (mass, error) =
                self.invert_locked(lane, &found, 0, (&response, self.free_response(lane) + response.trace()));
            set_symmetric(&mut self.lock_mass, lane, &mass);
            set(&mut self.error, lane, &error);
        }
        if locks & 0b111_000 != 0 {
            let by_force = turn_by_force(&inertias, &arms);
            let kept = full(&inertia(&self.lock_mass, lane));
            let free = full(&inertias[0]) + full(&inertias[1]);
            let response = free - by_force * kept * by_force.transpose();
            let (mass, error) = self.invert_locked(lane, &found, 3, (&response, free.trace()));
            set_symmetric(&mut self.turn_mass, lane, &mass);
            set(&mut self.turn_error, lane, &error);
        }
        for k in (0..ROWS).filter(|k| rows >> k & 1 == 1) {
            let [mut force, mut torque] = found.direction(k);
            let [place, turn] = self.relative_change(lane, force, torque);
            let alone = force.dot(&place) + torque.dot(&turn);
            let (kept, kept_turn) = self.keep(lane, &place, &turn);
            (force, torque) = (force + kept, torque + kept_turn);
            let [place, turn] = self.relative_change(lane, force, torque);
            let response = force.dot(&place) + torque.dot(&turn);
            // What is locked leaves nothing of it.
            let response = if response > SINGULAR * alone { response } else { 0.0 };
            let row = &mut self.row[k];
            set(&mut row.force, lane, &force);
            set(&mut row.torque, lane, &torque);
            row.response[lane] = response;
            row.mass[lane] = if response > 0.0 { 1.0 / response } else { 0.0 };
            let value = if k == CONE { found.swing.1 } else { found.values[k] };
            row.value[lane] = value;
            let [down, up] = [value - row.limits[0][lane], row.limits[1][lane] - value];
            let room = |way: Real| (way.max(0.0) / h).min(FAR);
            (row.room[0][lane], row.room[1][lane]) = (room(down), room(up));
            let beyond = down.min(0.0) - up.min(0.0);
            row.beyond[lane] = if k == TWIST { beyond.clamp(-MOST_BEYOND, MOST_BEYOND) } else { beyond };
            if row.driven >> lane & 1 == 1 {
                let mut way = row.target[lane] - value;
                // Between limits, and where it is counted, there is one way only.
                if k == TWIST && self.counted >> lane & 1 == 0 && row.limits[1][lane] == Real::INFINITY {
                    way = JointCoordinates::shorter(way);
                }
                let (stiffness, drag) = (row.stiffness[lane], row.drag[lane]);
                let strength = drag + implicit(h * h * stiffness * response) * h * stiffness;
                let own = if drag == Real::INFINITY { 1.0 } else { drag / strength };
                row.wanted[lane] =
                    row.speed[lane] * own + way * (stiffness / strength) + row.feed[lane] / strength;
                row.softness[lane] = 1.0 / (h * strength);
                let response = response + row.softness[lane];
                row.drive_mass[lane] = if response > 0.0 { 1.0 / response } else { 0.0 };
            }
        }
    }
}

/// The share of a vector that is within a length; all of it where the length is 0, as nothing is a lever then.
pub(super) fn within(v: &Vector3, most: Real) -> Real {
    let length = v.norm();
    if length > most && most > 0.0 { most / length } else { 1.0 }
}
