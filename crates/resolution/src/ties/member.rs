//! A tie as a member of a set that is solved directly ([`super::direct`]): three places, and three turns, of which each is locked, a limit that is
//! met, or free.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array")]

use super::algebra::{get, inertia, set};
use super::block::{ROWS, TieBlock};
use super::held::{Turn, Turns};
use super::kernel::WIDEST;
use super::sets::Key;
use super::single::SLACK;
use super::system::Spin;
use crate::energy::share_of;
use drystone_contact::SharedBodyStates;
use drystone_math::{Real, Symmetric3, Vector3, bits, larger};

/// Way of a point over the length of a sub-step: what the lanes have ([`super::kernel`]), of what turns no faster than they follow.
pub(super) fn arc(v: &Vector3, w: &Vector3, r: &Vector3, h: Real) -> Vector3 {
    let s = drystone_math::smaller(w.norm_squared() * (h * h), WIDEST);
    let over = |k: Real| s * (1.0 / k);
    let sine = 1.0 - over(6.0) * (1.0 - over(20.0) * (1.0 - over(42.0) * (1.0 - over(72.0))));
    let cosine = 1.0 - over(12.0) * (1.0 - over(30.0) * (1.0 - over(56.0) * (1.0 - over(90.0))));
    let along = w.cross(r);
    v + along * sine + w.cross(&along) * (0.5 * h * cosine)
}

/// [`arc`] of a body that turns by `w`, found to first order from where it turns by `from`.
fn arc_from(v: &Vector3, w: &Vector3, r: &Vector3, h: Real, from: &Vector3) -> Vector3 {
    if w == from {
        return arc(v, w, r, h);
    }
    let more = w - from;
    let along = more.cross(r);
    arc(v, from, r, h) + along + (more.cross(&from.cross(r)) + from.cross(&along)) * (0.5 * h)
}

/// How a tie moves before a solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// What is to stop: of the places, m/s, and of the turns about their axes, rad/s.
    pub(super) place: Vector3,
    pub(super) turn: Vector3,
    /// Angular velocities of both bodies, rad/s.
    pub(super) spins: [Vector3; 2],
    /// Kinetic energy of both without that of their turning, J.
    pub(super) energy: Real,
    /// Square of the larger speed, of the centres or of their points by the turning, m²/s².
    pub(super) speed: Real,
}

/// An angular velocity, no more than the lanes follow in `h` seconds ([`super::kernel::WIDEST`]).
pub(super) fn bounded(turning: &Vector3, h: Real) -> Vector3 {
    let (square, widest) = (turning.norm_squared() * (h * h), WIDEST);
    if square > widest { turning * (widest / square).sqrt() } else { *turning }
}

/// What a solve gives a tie, for its block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gift {
    /// Impulses that are added to those of what is locked.
    lock: Vector3,
    turn_lock: Vector3,
    /// What drives of places have given by now.
    places: [Real; 3],
    /// What limits and drives have given by now, turn by turn.
    limits: [Real; 3],
}

impl TieBlock {
    /// What the pattern of a set depends on.
    pub(super) fn key(&self, lane: usize) -> Key {
        let masses = [0, 1].map(|side: usize| self.inverse_mass[side][lane].to_bits());
        let limits_turns = self.limits_turns(lane);
        let [has_drives, bounds_drives] = self.drives.map(|lanes| lanes >> lane & 1 == 1);
        let body_locks = [0, 1].map(|side: usize| self.body_locks[side][lane]);
        Key {
            ends: self.pushed_ends(lane),
            masses,
            body_locks,
            locks: self.locks_of(lane),
            limits_turns,
            has_drives,
            bounds_drives,
        }
    }

    /// True where a place is free.
    pub(super) fn frees_places(&self, lane: usize) -> bool {
        self.parts[0] && self.locks_of(lane) & 0b111 != 0b111
    }

    /// Places that are free, with their axes, world.
    pub(super) fn free_axes(&self, lane: usize) -> impl Iterator<Item = (usize, Vector3)> + '_ {
        let is_free = move |axis: &usize| self.locked[*axis] >> lane & 1 == 0;
        (0..3).filter(is_free).map(move |axis| (axis, get(&self.frame[axis], lane)))
    }

    /// Places that drives hold, with their axes, world.
    fn driven_axes(&self, lane: usize, driven: u8) -> impl Iterator<Item = (usize, Vector3)> + '_ {
        self.free_axes(lane).filter(move |(place, _)| driven >> place & 1 == 1)
    }

    /// The part of a vector that lies along locked places.
    fn along_locked(&self, lane: usize, v: Vector3) -> Vector3 {
        self.free_axes(lane).fold(v, |v, (_, axis)| v - axis * axis.dot(&v))
    }

    /// Its lock is solved together with others from now on.
    pub(super) fn enter_set(&mut self, lane: usize) {
        self.in_set |= 1 << lane;
        self.unswept = self.in_set;
    }

    /// Sub-steps begin without the impulses of what is locked, and where nothing else acts on its bodies, without any.
    pub(super) fn begin_afresh(&mut self, lane: usize, is_alone: bool) {
        self.afresh |= 1 << lane;
        self.alone |= u8::from(is_alone) << lane;
        self.hold(lane);
    }

    /// Puts the impulses of what is locked aside, and begins without those of stiff drives.
    pub(super) fn hold(&mut self, lane: usize) {
        let (lock, turn_lock) = (get(&self.lock, lane), get(&self.turn_lock, lane));
        set(&mut self.held, lane, &lock);
        set(&mut self.held_turn, lane, &turn_lock);
        set(&mut self.lock, lane, &Vector3::zeros());
        set(&mut self.turn_lock, lane, &Vector3::zeros());
        if self.rows != 0 {
            // Stiff drives are as locks are.
            let held = self.drives_of(lane).filter(|&k| self.is_held_by_drive(lane, k, true));
            let held = held.fold(0_u8, |bits, k| bits | 1 << k);
            bits(u64::from(held)).for_each(|k| self.row[k as usize].given[0][lane] = 0.0);
        }
    }

    /// What was given in the sub-step before of what is locked, where nothing was yet in this one: force, and turns about their axes.
    pub(super) fn held(&self, lane: usize, turns: &Turns) -> [Vector3; 2] {
        let mut turn = turns.along(&get(&self.held_turn, lane));
        for (turn, kind) in turn.iter_mut().zip(turns.kinds) {
            if !matches!(kind, Turn::Locked(_)) {
                *turn = 0.0;
            }
        }
        [get(&self.held, lane), turn]
    }

    /// Sweeps take the locks of a lane of a set as well.
    pub(super) fn sweep(&mut self, lane: usize) {
        self.unswept &= !(1 << lane);
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

    /// True where a coupling of some lane brings energy from elsewhere.
    pub(crate) fn has_couplings(&self) -> bool {
        !self.couplings.is_empty()
    }

    /// True where a drive of some lane may give energy.
    pub(crate) fn has_drives(&self) -> bool {
        (0..ROWS).any(|k| self.rows >> k & 1 == 1 && self.row[k].driven != 0)
    }

    /// Scales the impulses of the sub-step.
    pub(crate) fn scale(&mut self, share: Real) {
        let locks = self.lock.iter_mut().chain(&mut self.turn_lock);
        let rows = self.row.iter_mut().flat_map(|row| &mut row.given);
        locks.chain(rows).flatten().for_each(|given| *given = share_of(*given, share));
        self.couplings.iter_mut().for_each(|coupling| coupling.scale(share));
    }

    /// Ratio of the largest and the least moment of a body of it.
    pub(super) fn slenderness(&self, lane: usize) -> Real {
        self.slender[0][lane].max(self.slender[1][lane])
    }

    /// Scales the impulses of the sub-step of each tie by the scale of a body of it.
    pub(crate) fn scale_by(&mut self, scale_of: impl Fn(u32) -> Real) {
        for lane in (0..8).filter(|lane| self.there >> lane & 1 == 1) {
            let Some(body) = self.pushed_ends(lane).into_iter().find(|&body| body != 0) else { continue };
            let scale = scale_of(body);
            if scale == 1.0 {
                continue;
            }
            let locks = self.lock.iter_mut().chain(&mut self.turn_lock);
            let rows = self.row.iter_mut().flat_map(|row| &mut row.given);
            locks.chain(rows).for_each(|given| given[lane] *= scale);
        }
    }

    /// Inverse masses of the bodies that are pushed, 1/kg.
    pub(super) fn masses(&self, lane: usize) -> impl Iterator<Item = Real> + use<> {
        let masses = [self.inverse_mass[0][lane], self.inverse_mass[1][lane]];
        masses.into_iter().filter(|&mass| mass > 0.0)
    }

    /// Inverse mass along each world axis and inverse inertia (xx, yy, zz, xy, xz, yz) of a body.
    pub(super) fn body(&self, lane: usize, side: usize) -> ([f64; 3], [f64; 6]) {
        let (masses, rows) = (&self.axis_mass[side], &self.inverse_inertia[side]);
        let mass = std::array::from_fn(|k| f64::from(masses[k][lane]));
        (mass, std::array::from_fn(|k| f64::from(rows[k][lane])))
    }

    /// The most that both bodies give way by without locked axes: their centres to forces, 1/kg, where the tie acts, 1/kg, and to torques, 1/(kg m²).
    pub(super) fn largest_responses(&self, lane: usize) -> [f64; 3] {
        let (mut mass, mut place, mut turn): (f64, f64, f64) = (0.0, 0.0, 0.0);
        for side in 0..2 {
            let own = f64::from(self.inverse_mass[side][lane]);
            let turning = self.body(lane, side).1[..3].iter().copied().fold(0.0, f64::max);
            let square = self.arm(lane, side).norm_squared();
            (mass, place, turn) = (mass.max(own), place.max(own + square * turning), turn.max(turning));
        }
        [mass, place, turn]
    }

    /// The arm of a body.
    pub(super) fn arm(&self, lane: usize, side: usize) -> Spin {
        get(&self.arms[side], lane).cast()
    }

    /// Whether nothing but locks acts between the bodies of a lane.
    pub(super) fn is_pure(&self, lane: usize) -> bool {
        self.rows == 0 || self.rows_of(lane) == 0
    }

    /// Whether the errors of what is locked are those of rounding: within a share of the arms, and as an angle.
    pub(super) fn is_exact(&self, lane: usize, share: Real) -> bool {
        let (place, turn) = (get(&self.error, lane), get(&self.turn_error, lane));
        let most = share * self.slack[lane] / SLACK;
        place.norm_squared() <= most * most && turn.norm_squared() <= share * share
    }

    /// Motion that is to stop: of the places, with the bend of a sub-step of `h` seconds, and of the turns about their axes, what limits leave free apart. What is of second order in the turning is
    /// found from these angular velocities of both bodies, rad/s.
    ///
    /// # Safety
    /// The bodies of the block belong to this call alone.
    pub(super) unsafe fn motion(
        &self,
        lane: usize,
        turns: &Turns,
        hot: &SharedBodyStates<'_>,
        h: Real,
        from: &[Vector3; 2],
    ) -> Motion {
        let side = |side: usize| {
            // SAFETY: passed on.
            let (v, w) = unsafe { self.velocity(lane, side, hot) };
            let arm = get(&self.arms[side], lane);
            (arc_from(&v, &w, &arm, h, &from[side]), v, w, arm)
        };
        let ((way_a, v_a, w_a, arm_a), (way_b, v_b, w_b, arm_b)) = (side(0), side(1));
        let mut turning = Vector3::zeros();
        if turns.holds_any() {
            // As the lanes have it: an axis in common turns with A in the sub-step.
            let [from_a, from_b] = from;
            let both = if w_a == *from_a && w_b == *from_b {
                w_b.cross(&w_a)
            } else {
                from_b.cross(&w_a) + w_b.cross(from_a) - from_b.cross(from_a)
            };
            turning = turns.along(&(w_b - w_a + both * (0.5 * h)));
            for ((turning, turn), axis) in turning.iter_mut().zip(turns.kinds).zip(&turns.axes) {
                let (Turn::Limit { row, .. } | Turn::Drive(row)) = turn else { continue };
                let bend = (way_b - v_b - w_b.cross(&arm_b)) - (way_a - v_a - w_a.cross(&arm_a));
                *turning = axis.dot(&(w_b - w_a));
                // The place stops but for its bend, which the force of the row sees.
                let row = &self.row[usize::from(row)];
                let left = match turn {
                    Turn::Limit { is_lower: true, .. } => -row.room[0][lane],
                    Turn::Limit { .. } => row.room[1][lane],
                    _ => row.wanted[lane] - row.softness[lane] * row.given[0][lane],
                };
                *turning -= get(&row.force, lane).dot(&bend) + left;
            }
        }
        let way = way_b - way_a;
        // What goes along A's axes goes with them.
        let way = if self.frees_places(lane) {
            let way = way + way.cross(&from[0]) * h;
            self.driven_axes(lane, turns.driven).fold(self.along_locked(lane, way), |locked, (k, axis)| {
                let row = &self.row[k];
                let wanted = row.wanted[lane] - row.softness[lane] * row.given[0][lane];
                locked + axis * (axis.dot(&way) - wanted)
            })
        } else {
            way
        };
        let masses = [self.inverse_mass[0][lane], self.inverse_mass[1][lane]];
        let energy = |mass: Real, square: Real| if mass > 0.0 { 0.5 * square / mass } else { 0.0 };
        let squares = [v_a.norm_squared(), v_b.norm_squared()];
        let energy = energy(masses[0], squares[0]) + energy(masses[1], squares[1]);
        let turning_of = |w: &Vector3, arm: &Vector3| w.norm_squared() * arm.norm_squared();
        let speed = larger(
            larger(squares[0], squares[1]),
            larger(turning_of(&w_a, &arm_a), turning_of(&w_b, &arm_b)),
        );
        Motion { place: way, turn: turning, spins: [w_a, w_b], energy, speed }
    }

    /// What the change of the turning in a solve leaves by its second order, which the factors do not know: the way of the places over half the square of a sub-step, m/s², and what the
    /// impulses of the tie are to that, N m/s.
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn left(
        &self,
        lane: usize,
        hot: &SharedBodyStates<'_>,
        before: &[Vector3; 2],
        gift: &Gift,
    ) -> [Real; 2] {
        let side = |side: usize| {
            // SAFETY: passed on.
            let square = (unsafe { self.velocity(lane, side, hot) }.1 - before[side]).norm_squared();
            (square, square * get(&self.arms[side], lane).norm())
        };
        let ((a, way_a), (b, way_b)) = (side(0), side(1));
        let lock = (get(&self.lock, lane) + gift.lock).norm_squared();
        let turn = (get(&self.turn_lock, lane) + gift.turn_lock).norm_squared();
        let way = way_a + way_b;
        [larger(a, b), lock.sqrt() * way + turn.sqrt() * larger(a, b)]
    }

    /// Square of the turning of the faster one, (rad/s)².
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn turning(&self, lane: usize, hot: &SharedBodyStates<'_>) -> Real {
        // SAFETY: passed on.
        let [a, b] = [0, 1].map(|side: usize| unsafe { self.velocity(lane, side, hot) }.1.norm_squared());
        a.max(b)
    }

    /// Angular velocities of both bodies, rad/s.
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn turnings(&self, lane: usize, hot: &SharedBodyStates<'_>) -> [Vector3; 2] {
        // SAFETY: passed on.
        [0, 1].map(|side: usize| unsafe { self.velocity(lane, side, hot) }.1)
    }

    /// Velocity and angular velocity of a body.
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn velocity(
        &self,
        lane: usize,
        side: usize,
        hot: &SharedBodyStates<'_>,
    ) -> (Vector3, Vector3) {
        // SAFETY: passed on; body 0 is never written.
        let record = unsafe { hot.velocity(self.ends[side][lane]) };
        (Vector3::new(record[0], record[1], record[2]), Vector3::new(record[4], record[5], record[6]))
    }

    /// Errors of what is locked, to be taken back in a sub-step.
    pub(super) fn errors(&self, lane: usize, turns: &Turns) -> (Vector3, Vector3) {
        let [place, error] = self.taken_back(lane);
        let mut turn = turns.along(&error);
        for (turn, kind) in turn.iter_mut().zip(turns.kinds) {
            // Springs stay as they are.
            if matches!(kind, Turn::Drive(_)) {
                *turn = 0.0;
            }
        }
        (place, turn)
    }

    /// Whether what the tie gives makes inertias more ([`super::stiff`]).
    pub(super) fn is_stiff(&self, lane: usize) -> bool {
        self.damping[lane] > 0.0
    }

    /// Applies impulses: a force, and turns about their axes. A limit that would pull gives back what it gave, and no more. Bodies change at once, the block by what is returned
    /// ([`TieBlock::take`]).
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn give(
        &self,
        lane: usize,
        turns: &Turns,
        hot: &SharedBodyStates<'_>,
        force: Vector3,
        by_turn: &Vector3,
    ) -> Gift {
        let mut places = [0.0; 3];
        let (mut lock, mut force) = (force, force);
        if self.frees_places(lane) {
            let whole = force;
            lock = self.along_locked(lane, whole);
            force = lock;
            for (k, axis) in self.driven_axes(lane, turns.driven) {
                let row = &self.row[k];
                let (before, most) = (row.given[0][lane], row.most[lane]);
                places[k] = (before + axis.dot(&whole)).clamp(-most, most);
                force += axis * (places[k] - before);
            }
        }
        let (mut turn_lock, mut torque) = (Vector3::zeros(), Vector3::zeros());
        let mut limits = [0.0; 3];
        if turns.holds_any() {
            turn_lock = turns.sum(by_turn);
            torque = turn_lock;
            let own = turns.kinds.into_iter().zip(&turns.axes).zip(&mut limits);
            for (((turn, axis), limit), &given) in own.zip(by_turn) {
                let (Turn::Limit { row, .. } | Turn::Drive(row)) = turn else { continue };
                let row = &self.row[usize::from(row)];
                let wanted = row.given[turn.given()][lane] + given;
                let after = match turn {
                    Turn::Limit { is_lower: true, .. } => wanted.max(0.0),
                    Turn::Limit { .. } => wanted.min(0.0),
                    _ => wanted.clamp(-row.most[lane], row.most[lane]),
                };
                *limit = after;
                // What it does not give goes along the row, which leaves the locks as they are.
                let along = get(&row.force, lane);
                force += along * (after - wanted);
                torque += axis * (after - wanted);
                lock -= along * given;
                turn_lock -= axis * given;
            }
        }
        // SAFETY: passed on.
        unsafe { self.push(lane, hot, |side| self.change(lane, side, force, torque)) };
        Gift { lock, turn_lock, places, limits }
    }

    /// Keeps what a solve gave, and forgets what limits gave that were let go.
    pub(super) fn take(&mut self, lane: usize, turns: &Turns, gift: Option<&Gift>) {
        for (k, sign) in turns.gone.full() {
            let row = &mut self.row[k];
            row.given[0][lane] = sign * row.most[lane];
        }
        for k in bits(u64::from(turns.gone.limits)) {
            self.row[k as usize].given[2][lane] = 0.0;
        }
        let Some(gift) = gift else { return };
        for (turn, &limit) in turns.kinds.into_iter().zip(&gift.limits) {
            if let Turn::Limit { row, .. } | Turn::Drive(row) = turn {
                self.row[usize::from(row)].given[turn.given()][lane] = limit;
            }
        }
        for k in bits(u64::from(turns.driven)) {
            self.row[k as usize].given[0][lane] = gift.places[k as usize];
        }
        let lock = get(&self.lock, lane) + gift.lock;
        set(&mut self.lock, lane, &lock);
        if turns.holds_any() {
            let turn_lock = get(&self.turn_lock, lane) + gift.turn_lock;
            set(&mut self.turn_lock, lane, &turn_lock);
        }
    }

    /// What was given in this sub-step: force, and turns about their axes.
    pub(super) fn given(&self, lane: usize, turns: &Turns) -> [Vector3; 2] {
        let mut given = turns.along(&get(&self.turn_lock, lane));
        for (given, turn) in given.iter_mut().zip(turns.kinds) {
            if let Turn::Limit { row, .. } | Turn::Drive(row) = turn {
                *given = self.row[usize::from(row)].given[turn.given()][lane];
            }
        }
        [get(&self.lock, lane), given]
    }

    /// Takes back from the bodies what limits gave that would pull with these impulses more, and gives what drives have left that would give more than they may; false where none would. The block learns of it by [`TieBlock::take`].
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn let_go(
        &self,
        lane: usize,
        turns: &mut Turns,
        hot: &SharedBodyStates<'_>,
        (by_place, by_turn): (&Vector3, &Vector3),
    ) -> bool {
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        let mut is_any = false;
        let driven = turns.driven;
        let mut fill = |k: usize, given: Real| {
            let row = &self.row[k];
            let (before, most) = (row.given[0][lane], row.most[lane]);
            if (before + given).abs() <= most {
                return;
            }
            is_any = true;
            let is_forward = given > 0.0;
            *(if is_forward { &mut turns.gone.forward } else { &mut turns.gone.backward }) |= 1 << k;
            let more = if is_forward { most } else { -most } - before;
            force += get(&row.force, lane) * more;
            torque += get(&row.torque, lane) * more;
        };
        for (k, axis) in self.driven_axes(lane, driven) {
            fill(k, axis.dot(by_place));
        }
        for (turn, &given) in turns.kinds.into_iter().zip(by_turn) {
            if let Turn::Drive(k) = turn {
                fill(usize::from(k), given);
            }
        }
        for ((turn, axis), &given) in turns.kinds.into_iter().zip(&turns.axes).zip(by_turn) {
            let Turn::Limit { row: k, is_lower } = turn else { continue };
            let row = &self.row[usize::from(k)];
            let back = row.given[2][lane];
            let wanted = back + given;
            let pulls = if is_lower { wanted < 0.0 } else { wanted > 0.0 };
            if pulls {
                is_any = true;
                turns.gone.limits |= 1 << k;
                force -= get(&row.force, lane) * back;
                torque -= axis * back;
            }
        }
        if is_any {
            // SAFETY: passed on.
            unsafe { self.push(lane, hot, |side| self.change(lane, side, force, torque)) };
        }
        is_any
    }

    /// The same in displacements times mass.
    ///
    /// # Safety
    /// As [`TieBlock::motion`].
    pub(super) unsafe fn shift(
        &self,
        lane: usize,
        turns: &Turns,
        hot: &SharedBodyStates<'_>,
        force: Vector3,
        by_turn: &Vector3,
    ) {
        // SAFETY: passed on.
        unsafe { self.displace(lane, hot, force, turns.sum(by_turn)) };
    }
}
