//! Eight ties side by side, and what of them changes from sub-step to sub-step.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]

use super::super::layout::is_pushed;
use super::super::vector::F8;
use super::algebra::{
    SINGULAR, full, get, inertia, invert, point_response, set, set_symmetric, turn_by_force,
};
use super::layout::EMPTY;
use super::stiff::stiffened;
use drystone_contact::{
    Bodies, BodyIndex, ContactGraph, EdgeIndex, HotLanes, SPAN, TIE_AXES, Tie, TieAxis, TieCoordinates,
    TieFrames, TieMemory,
};
use drystone_math::{Matrix3, Real, Rotation, Symmetric3, Vector3, rotation_from_vector};

/// Coordinates, and the angle of the cone.
pub(super) const ROWS: usize = TIE_AXES + 1;
/// Place of the cone among them.
pub(super) const CONE: usize = TIE_AXES;
/// A gap, m or rad, that nothing closes within a sub-step.
const FAR: f32 = 1e6;
/// Share of an error that a sub-step takes back, by displacement.
pub(super) const RECOVERY: Real = 0.5;
/// Share of the arms up to which an error of a place is small.
const SLACK: Real = 0.3;
/// Share of a large error that a sub-step takes back nevertheless.
pub(super) const LEAST_RECOVERY: Real = 0.02;

/// One coordinate of eight ties: drive, friction and limits along one direction. With it goes what keeps what is locked meanwhile.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Row {
    /// Force and torque of a unit impulse on B, world.
    pub(super) force: [F8; 3],
    pub(super) torque: [F8; 3],
    /// Speed along the direction by a unit impulse, and its inverse; 0 in lanes without.
    pub(super) response: F8,
    pub(super) mass: F8,
    /// Speed at which the coordinate grows beside that of the bodies along the direction, m/s.
    pub(super) bend: F8,
    /// Ways that are left to the limits within the sub-step, as speeds: what is beyond one counts as at it.
    pub(super) room: [F8; 2],
    /// Of the drive: its mass, softness, wanted speed and largest impulse.
    pub(super) drive_mass: F8,
    pub(super) softness: F8,
    pub(super) wanted: F8,
    pub(super) most: F8,
    /// Largest impulse of friction.
    pub(super) rub: F8,
    /// Impulses of the sub-step: drive, friction, limits.
    pub(super) given: [F8; 3],
    /// What is beyond a limit, m or rad.
    beyond: F8,
}

impl Row {
    const NONE: Self = Self {
        force: [[0.0; 8]; 3],
        torque: [[0.0; 8]; 3],
        response: [0.0; 8],
        mass: [0.0; 8],
        bend: [0.0; 8],
        room: [[FAR; 8]; 2],
        drive_mass: [0.0; 8],
        softness: [0.0; 8],
        wanted: [0.0; 8],
        most: [0.0; 8],
        rub: [0.0; 8],
        given: [[0.0; 8]; 3],
        beyond: [0.0; 8],
    };
}

/// One tie, in its lane: what stays in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    /// Axes and origins of the frames when the step began, world, m from the centres.
    frames: [Rotation; 2],
    arms: [Vector3; 2],
    /// From the centre of A to that of B when the step began, m, world.
    centers: Vector3,
    axes: [TieAxis; TIE_AXES],
    cone: Real,
    /// Coordinates that have a row, and those that are locked.
    rows: u8,
    pub(super) locks: u8,
    pub(super) is_there: bool,
    /// What is locked is solved with others ([`super::direct`]).
    pub(super) is_in_set: bool,
    /// Inverse inertias; what the tie gives may make them less, and takes this share of the relative turning ([`super::stiff`]).
    inertias: [Symmetric3; 2],
    pub(super) damping: Real,
    /// Axes of A's frame now, world.
    pub(super) frame: [Vector3; 3],
}

/// Eight ties that share no body that moves.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(in super::super) struct TieBlock {
    /// Indices of A and B; 0 for an empty lane and for what cannot move.
    pub(super) ends: [[u32; 8]; 2],
    pub(super) inverse_mass: [F8; 2],
    pub(super) inverse_inertia: [[F8; 6]; 2],
    /// From both centres of mass to the origin of B's frame, m, world: where the tie acts.
    pub(super) arms: [[F8; 3]; 2],
    /// Inverse of the response of the places that are locked to forces, world axes: xx, yy, zz, xy, xz, yz.
    pub(super) lock_mass: [F8; 6],
    /// Inverse of the response of the turns that are locked to torques while those places are kept.
    pub(super) turn_mass: [F8; 6],
    /// Impulses of the sub-step for it, world.
    pub(super) lock: [F8; 3],
    pub(super) turn_lock: [F8; 3],
    /// Errors of what is locked, m and rad, world.
    pub(super) error: [F8; 3],
    pub(super) turn_error: [F8; 3],
    /// Sums over the sub-steps of all impulses at the origin, and of torques beside.
    pub(super) total: [F8; 3],
    pub(super) total_turn: [F8; 3],
    /// Arms and way between the centres when the step began, and [`Lane::slack`].
    pub(super) start_arms: [[F8; 3]; 2],
    pub(super) start_centers: [F8; 3],
    pub(super) slack: F8,
    /// Lanes that hold a point and nothing else ([`super::places`]), those where a body is stiffened, and those solved with others.
    pub(super) plain: u8,
    pub(super) stiff: u8,
    pub(super) in_set: u8,
    /// Coordinates that some lane has a row for.
    pub(super) rows: u8,
    /// Whether some lane has a locked turn.
    pub(super) turns: bool,
    pub(super) row: [Row; ROWS],
    pub(super) lanes: [Lane; 8],
}

impl Lane {
    const NONE: Self = Self {
        frames: [Rotation::new_unchecked(nalgebra::Quaternion::new(1.0, 0.0, 0.0, 0.0)); 2],
        arms: [Vector3::new(0.0, 0.0, 0.0); 2],
        centers: Vector3::new(0.0, 0.0, 0.0),
        axes: [TieAxis::FREE; TIE_AXES],
        cone: Real::INFINITY,
        rows: 0,
        locks: 0,
        is_there: false,
        is_in_set: false,
        inertias: [Symmetric3::ZERO; 2],
        damping: 0.0,
        frame: [Vector3::new(0.0, 0.0, 0.0); 3],
    };

    fn new(bodies: &Bodies, tie: &Tie) -> Self {
        let is_row = |k: usize| {
            let axis = &tie.axes[k];
            // A locked distance has a direction that changes, so it is a row.
            axis.is_limited() || axis.is_driven() || (k == SPAN && axis.is_locked())
        };
        let bits = |is: &dyn Fn(usize) -> bool| (0..TIE_AXES).fold(0, |bits, k| bits | u8::from(is(k)) << k);
        let (frames, arms, centers) = tie.place(bodies);
        Self {
            frames,
            arms,
            centers,
            axes: tie.axes,
            cone: tie.cone,
            rows: bits(&is_row) | u8::from(tie.cone < Real::INFINITY) << CONE,
            locks: bits(&|k| k != SPAN && tie.axes[k].is_locked()),
            is_there: true,
            is_in_set: false,
            inertias: tie.bodies.map(|body| {
                if is_pushed(bodies, body) { *bodies.inverse_inertia(body) } else { Symmetric3::ZERO }
            }),
            damping: 0.0,
            frame: [Vector3::zeros(); 3],
        }
    }

    /// Coordinates now, and arms of the centres to the origin of B's frame.
    fn look(&self, deltas: [&[f32; 8]; 2]) -> (TieCoordinates, [Vector3; 2]) {
        let part = |row: &[f32; 8], first: usize| Vector3::new(row[first], row[first + 1], row[first + 2]);
        let turns = deltas.map(|row| rotation_from_vector(&part(row, 4)));
        let centers = self.centers + part(deltas[1], 0) - part(deltas[0], 0);
        let (frames, arms) = TieFrames::turned(&self.frames, &self.arms, &turns, &centers);
        // Where places alone are held, nobody asks for the rest.
        let found = if self.is_of_places() { frames.places() } else { frames.coordinates() };
        // What is locked acts where both frames meet; a large error is no lever.
        let error: Vector3 = (0..3)
            .filter(|k| self.locks >> k & 1 == 1)
            .map(|k| found.axes[k] * (found.values[k] - self.axes[k].lower))
            .sum();
        let over = error * (1.0 - within(&error, self.slack()));
        (found, [arms[0] + frames.gap - over, arms[1]])
    }

    /// True without rows and without locked turns.
    fn is_of_places(&self) -> bool {
        self.rows == 0 && self.locks & 0b111_000 == 0
    }

    /// True where three places are held, at zero, and nothing else.
    fn is_plain(&self) -> bool {
        self.is_of_places() && self.locks == 0b111 && self.axes[..3].iter().all(|axis| axis.lower == 0.0)
    }

    /// Errors up to this, m, are levers, and are taken back within a sub-step: a share of the arms.
    pub(super) fn slack(&self) -> Real {
        SLACK * (self.arms[0].norm() + self.arms[1].norm())
    }

    /// Value and limits of a coordinate.
    fn coordinate(&self, k: usize, found: &TieCoordinates) -> (Real, [Real; 2]) {
        if k == CONE {
            (found.swing.1, [Real::NEG_INFINITY, self.cone])
        } else {
            (found.values[k], [self.axes[k].lower, self.axes[k].upper])
        }
    }
}

impl TieBlock {
    pub(super) const NONE: Self = Self {
        ends: [[0; 8]; 2],
        inverse_mass: [[0.0; 8]; 2],
        inverse_inertia: [[[0.0; 8]; 6]; 2],
        arms: [[[0.0; 8]; 3]; 2],
        lock_mass: [[0.0; 8]; 6],
        turn_mass: [[0.0; 8]; 6],
        lock: [[0.0; 8]; 3],
        turn_lock: [[0.0; 8]; 3],
        error: [[0.0; 8]; 3],
        turn_error: [[0.0; 8]; 3],
        total: [[0.0; 8]; 3],
        total_turn: [[0.0; 8]; 3],
        start_arms: [[[0.0; 8]; 3]; 2],
        start_centers: [[0.0; 8]; 3],
        slack: [0.0; 8],
        plain: 0,
        stiff: 0,
        in_set: 0,
        rows: 0,
        turns: false,
        row: [Row::NONE; ROWS],
        lanes: [Lane::NONE; 8],
    };

    /// Becomes that of the ties in these lanes, in sub-steps of `h` seconds; a sub-step begins with a `share` of the impulses of a step.
    pub(super) fn fill(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        slots: &[u32; 8],
        share: Real,
        h: Real,
    ) {
        let block = self;
        block.clear();
        for (lane, &edge) in slots.iter().enumerate() {
            if edge == EMPTY {
                continue;
            }
            let Some(tie) = graph.tie(EdgeIndex(edge)) else { continue };
            for (side, &body) in tie.bodies.iter().enumerate() {
                if is_pushed(bodies, body) {
                    block.ends[side][lane] = body.0;
                    block.inverse_mass[side][lane] = bodies.hot(body).inverse_mass;
                } else if bodies.hot(body).is_scripted() {
                    block.ends[side][lane] = body.0;
                }
            }
            block.lanes[lane] = Lane::new(bodies, tie);
            block.rows |= block.lanes[lane].rows;
            block.turns |= block.locks_turns(lane);
            let own = &block.lanes[lane];
            block.plain |= u8::from(own.is_plain()) << lane;
            set(&mut block.start_arms[0], lane, &own.arms[0]);
            set(&mut block.start_arms[1], lane, &own.arms[1]);
            set(&mut block.start_centers, lane, &own.centers);
            block.slack[lane] = own.slack();
            let TieMemory { lock, turn_lock, drive, friction, limit } = &tie.memory;
            set(&mut block.lock, lane, &(lock * share));
            set(&mut block.turn_lock, lane, &(turn_lock * share));
            let rows = block.lanes[lane].rows;
            for k in (0..ROWS).filter(|k| rows >> k & 1 == 1) {
                let given = [drive.get(k), friction.get(k), limit.get(k)];
                for (given, own) in given.into_iter().zip(&mut block.row[k].given) {
                    own[lane] = given.map_or(0.0, |given| given * share);
                }
            }
        }
        let nothing = [[0.0; 8]; 8];
        let velocities = |side: usize| -> [[f32; 8]; 8] {
            block.ends[side].map(|body| {
                let hot = bodies.hot(BodyIndex(body));
                let (v, w) = (&hot.linear, &hot.angular);
                [v.x, v.y, v.z, 0.0, w.x, w.y, w.z, 0.0]
            })
        };
        let velocities = [velocities(0), velocities(1)];
        for lane in 0..8 {
            block.renew(lane, [&nothing[lane]; 2], [&velocities[0][lane], &velocities[1][lane]], h);
        }
    }

    /// Without ties, as [`TieBlock::NONE`], but for rows that nobody reads: a block is some kilobytes.
    fn clear(&mut self) {
        for row in (0..ROWS).filter(|k| self.rows >> k & 1 == 1) {
            self.row[row] = Row::NONE;
        }
        self.ends = [[0; 8]; 2];
        self.inverse_mass = [[0.0; 8]; 2];
        self.inverse_inertia = [[[0.0; 8]; 6]; 2];
        self.arms = [[[0.0; 8]; 3]; 2];
        (self.lock_mass, self.turn_mass) = ([[0.0; 8]; 6], [[0.0; 8]; 6]);
        for sums in [&mut self.lock, &mut self.turn_lock, &mut self.error, &mut self.turn_error] {
            *sums = [[0.0; 8]; 3];
        }
        (self.total, self.total_turn) = ([[0.0; 8]; 3], [[0.0; 8]; 3]);
        (self.rows, self.turns) = (0, false);
        (self.plain, self.stiff, self.in_set) = (0, 0, 0);
        self.lanes.iter_mut().for_each(|lane| lane.is_there = false);
    }

    /// Ends a sub-step of `h` seconds for these lanes: takes errors back by displacement, and makes everything ready for the next one.
    ///
    /// # Safety
    /// The bodies of the block belong to this call alone.
    pub(super) unsafe fn place(&mut self, left: u8, hot: &HotLanes<'_>, h: Real, is_last: bool) {
        for lane in 0..8 {
            if left >> lane & 1 == 0 || !self.lanes[lane].is_there {
                continue;
            }
            let ends = [self.ends[0][lane], self.ends[1][lane]];
            let read = || {
                // SAFETY: ours alone by the caller's promise; body 0 is never written.
                let [deltas, velocities] = unsafe {
                    [
                        hot.deltas(&[ends[0], ends[1], 0, 0, 0, 0, 0, 0]),
                        hot.velocities(&[ends[0], ends[1], 0, 0, 0, 0, 0, 0]),
                    ]
                };
                ([*deltas[0], *deltas[1]], [*velocities[0], *velocities[1]])
            };
            let (deltas, velocities) = read();
            let given = self.wrenches(lane);
            self.renew(lane, [&deltas[0], &deltas[1]], [&velocities[0], &velocities[1]], h);
            if !is_last {
                // The next sub-step begins with the same impulses, where they act by then: repeated as they were, they would turn what swings.
                let now = self.wrenches(lane);
                let change = |side: usize| {
                    let [force, torque] = [0, 1].map(|k: usize| now[side][k] - given[side][k]);
                    (force, inertia(&self.inverse_inertia[side], lane) * torque)
                };
                // SAFETY: as above.
                unsafe { self.push(lane, hot, change) };
                if self.lanes[lane].damping > 0.0 {
                    let velocities = read().1;
                    let turning = |side: usize| {
                        Vector3::new(velocities[side][4], velocities[side][5], velocities[side][6])
                    };
                    let torque = self.damp(lane, &(turning(1) - turning(0)));
                    let change =
                        |side: usize| (Vector3::zeros(), inertia(&self.inverse_inertia[side], lane) * torque);
                    // SAFETY: as above.
                    unsafe { self.push(lane, hot, change) };
                }
            }
            let (force, torque) = self.back(lane);
            if force == Vector3::zeros() && torque == Vector3::zeros() {
                continue;
            }
            // SAFETY: as above.
            unsafe { self.displace(lane, hot, force, torque) };
        }
    }

    /// Moves the bodies of a lane by a force and a torque on B and their opposites on A, in displacements times mass.
    ///
    /// # Safety
    /// The bodies of the block belong to this call alone.
    pub(super) unsafe fn displace(&self, lane: usize, hot: &HotLanes<'_>, force: Vector3, torque: Vector3) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let mass = self.inverse_mass[side][lane];
            if mass > 0.0 {
                let (force, turn) = self.change(lane, side, force, torque);
                // SAFETY: passed on.
                let record = unsafe { hot.record(self.ends[side][lane]) };
                record.delta_translation += force * (sign * mass);
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
        hot: &HotLanes<'_>,
        change: impl Fn(usize) -> (Vector3, Vector3),
    ) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let mass = self.inverse_mass[side][lane];
            if mass > 0.0 {
                let (force, turn) = change(side);
                // SAFETY: passed on.
                let record = unsafe { hot.record(self.ends[side][lane]) };
                record.linear += force * (sign * mass);
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

    /// Force of the impulses of the sub-step, N·s.
    fn force(&self, lane: usize) -> Vector3 {
        let rows = (0..ROWS).filter(|k| self.lanes[lane].rows >> k & 1 == 1).map(|k| &self.row[k]);
        let by_rows =
            |row: &Row| get(&row.force, lane) * row.given.iter().map(|given| given[lane]).sum::<Real>();
        get(&self.lock, lane) + rows.map(by_rows).sum::<Vector3>()
    }

    /// Force, and torque about the centre, of the impulses of the sub-step: of both sides.
    fn wrenches(&self, lane: usize) -> [[Vector3; 2]; 2] {
        let mut force = get(&self.lock, lane);
        let mut torque = get(&self.turn_lock, lane);
        for k in (0..ROWS).filter(|k| self.lanes[lane].rows >> k & 1 == 1) {
            let row = &self.row[k];
            let sum = row.given[0][lane] + row.given[1][lane] + row.given[2][lane];
            force += get(&row.force, lane) * sum;
            torque += get(&row.torque, lane) * sum;
        }
        [0, 1].map(|side: usize| [force, get(&self.arms[side], lane).cross(&force) + torque])
    }

    /// Torque impulse on B that takes a share of the relative turning: where the sub-step cannot follow it.
    fn damp(&self, lane: usize, turning: &Vector3) -> Vector3 {
        let [a, b] = [0, 1].map(|side: usize| full(&inertia(&self.inverse_inertia[side], lane)));
        invert(&mut (a + b), [true; 3]) * turning * -self.lanes[lane].damping
    }

    /// Force and torque on B that take back their share of all errors, in displacements times mass.
    fn back(&self, lane: usize) -> (Vector3, Vector3) {
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        if !self.lanes[lane].is_in_set {
            let [place, turn] = self.taken_back(lane);
            (force, torque) = self.keep(lane, &place, &turn);
        }
        for k in (0..ROWS).filter(|k| self.lanes[lane].rows >> k & 1 == 1) {
            let row = &self.row[k];
            let push = -RECOVERY * row.beyond[lane] * row.mass[lane];
            force += get(&row.force, lane) * push;
            torque += get(&row.torque, lane) * push;
        }
        (force, torque)
    }

    /// What a sub-step takes back of the errors of what is locked: of the place, m, and of the turns, rad.
    pub(super) fn taken_back(&self, lane: usize) -> [Vector3; 2] {
        let (place, turn) = (get(&self.error, lane), get(&self.turn_error, lane));
        let share = (RECOVERY * within(&place, self.lanes[lane].slack() / RECOVERY)).max(LEAST_RECOVERY);
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
            sums[0] += force * self.inverse_mass[side][lane] + turn.cross(&get(&self.arms[side], lane));
            sums[1] += turn;
        }
        sums
    }

    /// Everything that depends on where the bodies of a lane are (displacements of the step) and how fast.
    fn renew(&mut self, lane: usize, deltas: [&[f32; 8]; 2], velocities: [&[f32; 8]; 2], h: Real) {
        let own = &mut self.lanes[lane];
        if !own.is_there {
            return;
        }
        let (found, arms) = own.look(deltas);
        own.frame = found.axes;
        let (rows, locks, inertias) = (own.rows, own.locks, own.inertias);
        self.arms.iter_mut().zip(&arms).for_each(|(own, arm)| set(own, lane, arm));
        let pull = self.force(lane) * h;
        let stiffened = [0, 1].map(|side: usize| stiffened(&inertias[side], &arms[side], &pull));
        self.lanes[lane].damping =
            stiffened.iter().flatten().fold(0.0, |most, stiff| most.max(stiff.damping));
        let is_stiff = stiffened.iter().any(Option::is_some);
        self.stiff = self.stiff & !(1 << lane) | u8::from(is_stiff) << lane;
        for ((rows, stiff), own) in self.inverse_inertia.iter_mut().zip(stiffened).zip(&inertias) {
            let i = stiff.map_or(*own, |stiff| stiff.inverse);
            for (row, value) in rows.iter_mut().zip([i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]) {
                row[lane] = value;
            }
        }
        let masses = [self.inverse_mass[0][lane], self.inverse_mass[1][lane]];
        let inertias = [0, 1].map(|side: usize| inertia(&self.inverse_inertia[side], lane));
        if locks & 0b111 != 0 {
            let response = point_response(masses, &inertias, &arms);
            let (mass, error) = locked(&self.lanes[lane], &found, 0, &response);
            set_symmetric(&mut self.lock_mass, lane, &mass);
            set(&mut self.error, lane, &error);
        }
        if locks & 0b111_000 != 0 {
            let by_force = turn_by_force(&inertias, &arms);
            let kept = full(&inertia(&self.lock_mass, lane));
            let response = full(&inertias[0]) + full(&inertias[1]) - by_force * kept * by_force.transpose();
            let (mass, error) = locked(&self.lanes[lane], &found, 3, &response);
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
            let (row, own) = (&mut self.row[k], &self.lanes[lane]);
            set(&mut row.force, lane, &force);
            set(&mut row.torque, lane, &torque);
            row.response[lane] = response;
            row.mass[lane] = if response > 0.0 { 1.0 / response } else { 0.0 };
            row.bend[lane] = if k == SPAN { bend(&found, &arms, velocities, h) } else { 0.0 };
            let (value, [lower, upper]) = own.coordinate(k, &found);
            let is_lock = lower == upper && k != SPAN;
            let room = |way: Real| if is_lock { FAR } else { (way.max(0.0) / h).min(FAR) };
            row.room[0][lane] = room(value - lower);
            row.room[1][lane] = room(upper - value);
            row.beyond[lane] =
                if is_lock { 0.0 } else { (value - lower).min(0.0) + (value - upper).max(0.0) };
            if k < TIE_AXES {
                drive(row, lane, &own.axes[k], value, h);
            }
        }
    }

    /// What the step gave: for the graph.
    pub(super) fn write(&self, lane: usize, sub_steps: Real, tie: &mut Tie) {
        tie.impulse = get(&self.total, lane);
        tie.torque = get(&self.total_turn, lane);
        let memory = &mut tie.memory;
        memory.lock = get(&self.lock, lane) * sub_steps;
        memory.turn_lock = get(&self.turn_lock, lane) * sub_steps;
        for k in 0..ROWS {
            let [drive, friction, limit] = self.row[k].given.map(|given| given[lane] * sub_steps);
            memory.limit[k] = limit;
            if k < TIE_AXES {
                (memory.drive[k], memory.friction[k]) = (drive, friction);
            }
        }
    }

    /// Largest error of a lane, m: of what is locked and of the distance.
    pub(super) fn stretch(&self, lane: usize) -> Real {
        get(&self.error, lane).norm().max(self.row[SPAN].beyond[lane].abs())
    }
}

/// The share of a vector that is within a length; all of it where the length is 0, as nothing is a lever then.
fn within(v: &Vector3, most: Real) -> Real {
    let length = v.norm();
    if length > most && most > 0.0 { most / length } else { 1.0 }
}

/// The drive of a row: a spring and damper as an implicit step takes them, and what friction may give.
fn drive(row: &mut Row, lane: usize, axis: &TieAxis, value: Real, h: Real) {
    let drive = &axis.drive;
    row.rub[lane] = drive.friction * h;
    row.most[lane] = (drive.most * h).min(Real::MAX);
    let strength = drive.damping + h * drive.stiffness;
    if drive.most == 0.0 || strength == 0.0 {
        return;
    }
    // Infinite damping: softness 0, and nothing of the spring is felt.
    let softness = if strength.is_finite() { 1.0 / (h * strength) } else { 0.0 };
    let pull = if strength.is_finite() { drive.stiffness / strength } else { 0.0 };
    row.softness[lane] = softness;
    row.wanted[lane] = drive.speed * (if strength.is_finite() { drive.damping / strength } else { 1.0 })
        + (drive.target - value) * pull;
    let response = row.response[lane] + softness;
    row.drive_mass[lane] = if response > 0.0 { 1.0 / response } else { 0.0 };
}

/// Speed at which the distance of two points grows in a sub-step because they move across it.
fn bend(found: &TieCoordinates, arms: &[Vector3; 2], velocities: [&[f32; 8]; 2], h: Real) -> Real {
    let length = found.values[SPAN];
    if length <= 0.0 {
        return 0.0;
    }
    let part = |row: &[f32; 8], first: usize| Vector3::new(row[first], row[first + 1], row[first + 2]);
    // The anchor of A itself, not what lies beside B's.
    let arm_a = arms[0] - found.span * length;
    let at = |side: usize, arm: &Vector3| {
        let spin = part(velocities[side], 4);
        let turning = spin.cross(arm);
        (part(velocities[side], 0) + turning, spin.cross(&turning))
    };
    let ((v_a, c_a), (v_b, c_b)) = (at(0, &arm_a), at(1, &arms[1]));
    let v = v_b - v_a;
    let across = v - found.span * found.span.dot(&v);
    0.5 * h * (across.norm_squared() / length + found.span.dot(&(c_b - c_a)))
}

/// The inverse of a response among the coordinates from `first` on that are locked, and what they miss; world axes.
fn locked(own: &Lane, found: &TieCoordinates, first: usize, response: &Matrix3) -> (Matrix3, Vector3) {
    let is_locked = |k: usize| own.locks >> (first + k) & 1 == 1;
    if (0..3).all(is_locked) {
        // In any axes the same.
        let off = |k: usize| found.axes[k] * (found.values[first + k] - own.axes[first + k].lower);
        return (invert(&mut response.clone_owned(), [true; 3]), off(0) + off(1) + off(2));
    }
    let frame = Matrix3::from_columns(&found.axes);
    let mut local = frame.transpose() * response * frame;
    let mut error = Vector3::zeros();
    for k in 0..3 {
        if is_locked(k) {
            error[k] = found.values[first + k] - own.axes[first + k].lower;
        }
    }
    let mut mass = invert(&mut local, [is_locked(0), is_locked(1), is_locked(2)]);
    mass = frame * mass * frame.transpose();
    (mass, frame * error)
}
