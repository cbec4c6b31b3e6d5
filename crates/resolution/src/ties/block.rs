//! Eight ties side by side, and what of them changes from sub-step to sub-step.
use super::Cut;
use super::algebra::{get, set, set_inertia};
use super::coupling::Coupling;
use super::layout::EMPTY;
use super::place::Renew;
use super::single::{EXTRA, FAR, SLACK};
use crate::sweep::is_pushed;
use crate::vector::F8;
use drystone_contact::{
    ActiveAxes, AxisDrive, Bodies, BodyIndex, ContactGraph, EdgeIndex, JointConstraint, JointWarmStart, SPAN,
    TIE_AXES, TWIST,
};
use drystone_math::wide::Isa;
use drystone_math::{Real, Vector3};
use std::f64::consts::TAU;

/// Coordinates, and the angle of the cone.
pub(super) const ROWS: usize = TIE_AXES + 1;
/// Place of the cone among them.
pub(super) const CONE: usize = TIE_AXES;
/// Damping of a drive with a force of its own, as a share of that per m/s or rad/s: what is solved for needs some.
const LEAST_DAMPING: Real = 1e-6;
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
    /// Ways that are left to the limits within the sub-step, as speeds: what is beyond one counts as at it.
    pub(super) room: [F8; 2],
    /// Of the drive: its mass, softness, wanted speed and largest impulse.
    pub(super) drive_mass: F8,
    pub(super) softness: F8,
    pub(super) wanted: F8,
    pub(super) most: F8,
    /// Largest impulse of friction.
    pub(super) rub: F8,
    /// Impulses of the sub-step: drive, friction, limits, couplings.
    pub(super) given: [F8; 4],
    /// The coordinate, m or rad; a twist that is counted from the revolution on in which the step began.
    pub(super) value: F8,
    /// What is beyond a limit, m or rad.
    pub(super) beyond: F8,
    /// Lanes that have this row, and those of them that are driven.
    pub(super) own: u8,
    pub(super) driven: u8,
    /// Limits of the coordinate, m or rad; infinite without, and where it is locked.
    pub(super) limits: [F8; 2],
    /// Of the drive: speed and target, stiffness and damping (infinite: nothing of the spring is felt), and its force.
    pub(super) speed: F8,
    pub(super) target: F8,
    pub(super) stiffness: F8,
    pub(super) feed: F8,
    pub(super) drag: F8,
}

impl Row {
    const NONE: Self = Self {
        force: [[0.0; 8]; 3],
        torque: [[0.0; 8]; 3],
        response: [0.0; 8],
        mass: [0.0; 8],
        room: [[FAR; 8]; 2],
        drive_mass: [0.0; 8],
        softness: [0.0; 8],
        wanted: [0.0; 8],
        most: [0.0; 8],
        rub: [0.0; 8],
        given: [[0.0; 8]; 4],
        value: [0.0; 8],
        beyond: [0.0; 8],
        own: 0,
        driven: 0,
        limits: [[Real::NEG_INFINITY; 8], [Real::INFINITY; 8]],
        speed: [0.0; 8],
        target: [0.0; 8],
        stiffness: [0.0; 8],
        feed: [0.0; 8],
        drag: [0.0; 8],
    };

    /// What of it stays for a step of sub-steps of `h` seconds: the limits, and the drive, as an implicit step takes a spring and damper.
    fn fill(&mut self, lane: usize, limits: [Real; 2], drive: Option<&AxisDrive>, h: Real) {
        self.own |= 1 << lane;
        self.limits.iter_mut().zip(limits).for_each(|(own, limit)| own[lane] = limit);
        let Some(drive) = drive else { return };
        self.rub[lane] = drive.friction * h;
        self.most[lane] = (drive.most * h).min(Real::MAX);
        let strength = drive.damping + h * drive.stiffness;
        if drive.most == 0.0 || (strength == 0.0 && drive.force == 0.0) {
            return;
        }
        self.driven |= 1 << lane;
        (self.target[lane], self.speed[lane]) = (drive.target, drive.speed);
        let is_finite = strength.is_finite();
        self.stiffness[lane] = if is_finite { drive.stiffness } else { 0.0 };
        self.feed[lane] = drive.force;
        let least = LEAST_DAMPING * drive.force.abs();
        self.drag[lane] = if is_finite { drive.damping.max(least) } else { Real::INFINITY };
    }
}

/// Eight ties that share no body that moves.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct TieBlock {
    /// Indices of A and B; 0 for an empty lane and for what cannot move.
    pub(super) ends: [[u32; 8]; 2],
    pub(super) inverse_mass: [F8; 2],
    /// The same along each world axis, 1/kg: 0 where the body's axis is locked.
    pub(super) axis_mass: [[F8; 3]; 2],
    /// Locked world axes of the bodies that are pushed: bit `k` for the translation along axis `k`, bit `3 + k` for the rotation about it.
    pub(super) body_locks: [[u8; 8]; 2],
    /// What a tie gives turns its bodies by these, which may be less than their own, and takes this share of the relative turning ([`super::stiff`]).
    pub(super) inverse_inertia: [[F8; 6]; 2],
    /// Inverse inertias of the bodies when the step began, world axes, and the lanes in which they turn with the body: not those of what turns alike about all
    /// axes, or about some of the world's only.
    pub(super) start_inertia: [[F8; 6]; 2],
    pub(super) turns_inertia: [u8; 2],
    /// Ratios of the largest and the least moment of both bodies; 1 for what is not pushed.
    pub(super) slender: [F8; 2],
    pub(super) damping: F8,
    /// Strongest impulse of a sub-step of late, N·s ([`super::stiff::fade`]).
    pub(super) strongest: F8,
    /// Shares of it by which both bodies stiffen, 0 or 1.
    pub(super) felt: [F8; 2],
    /// What a unit of pull is beyond at most of what a sub-step follows, of the one of both bodies where that is more ([`super::stiff::most_stiffness`]).
    pub(super) yielding: F8,
    /// Inertia that all ties of both bodies give them beside their own, kg m², and the lanes that have some.
    pub(super) extra: [F8; 2],
    pub(super) has_extra: u8,
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
    /// Arms, way between the centres, and frames (w, i, j, k) when the step began.
    pub(super) start_arms: [[F8; 3]; 2],
    pub(super) start_centers: [F8; 3],
    pub(super) start_frames: [[F8; 4]; 2],
    /// Errors up to this, m, are levers, and are taken back within a sub-step: a share of the arms.
    pub(super) slack: F8,
    /// Axes of A's frame now, world.
    pub(super) frame: [[F8; 3]; 3],
    /// From the anchor of A to that of B, m, world: of ties with a row of the distance.
    pub(super) span: [F8; 3],
    /// Axis of the first turn where that is locked, world: A's x axis, but for a twist that is locked alone.
    pub(super) twist: [F8; 3],
    /// Lanes in which a coordinate is locked, and where.
    pub(super) locked: [u8; 6],
    pub(super) locked_at: [F8; 6],
    /// Whether some lane locks a part of the places only, or of the turns.
    pub(super) parts: [bool; 2],
    /// Lanes in which a turn has limits, and those with a coordinate that is coupled.
    pub(super) limited: u8,
    pub(super) coupled: u8,
    /// Lanes with drives that sets may solve, and those of them with a largest force ([`super::held`]).
    pub(super) drives: [u8; 2],
    /// Lanes whose twist is counted over revolutions, the twist when it was last looked at, rad, and the revolutions since the step began, rad.
    pub(super) counted: u8,
    pub(super) last_twist: F8,
    pub(super) wound: F8,
    /// Work of drives in the sub-steps so far, J.
    pub(super) work: [f64; 8],
    /// Lanes in loops of sets.
    pub(super) looped: u8,
    /// Lanes whose sub-steps are not as long as those of the last step.
    pub(super) recut: u8,
    /// Couplings of the unit that begins with this block.
    pub(super) couplings: Vec<Coupling>,
    /// Edges in the lanes, and whether the step before had the same bodies, masses, locks and limits of turns in them.
    slots: [u32; 8],
    pub(super) is_same: bool,
    /// Lanes with ties; those that hold a point and nothing else, those that [`super::place`] does, those where a body is
    /// stiffened, and those solved with others.
    pub(super) there: u8,
    pub(super) plain: u8,
    pub(super) framed: u8,
    pub(super) stiff: u8,
    pub(super) in_set: u8,
    /// Those of them whose locks sweeps leave alone.
    pub(super) unswept: u8,
    /// Those of them whose sub-steps begin without the impulses of what is locked in the one before, which are these, N·s and N·m·s ([`super::direct`]); and those whose bodies
    /// begin without any, as nothing else acts on them.
    pub(super) afresh: u8,
    pub(super) alone: u8,
    pub(super) held: [F8; 3],
    pub(super) held_turn: [F8; 3],
    /// Coordinates that some lane has a row for.
    pub(super) rows: u8,
    /// Whether some lane has a locked turn.
    pub(super) turns: bool,
    pub(super) row: [Row; ROWS],
}

/// Ties of a body that hold it.
fn ties_of<'a>(
    bodies: &'a Bodies,
    graph: &'a ContactGraph,
    body: BodyIndex,
) -> impl Iterator<Item = EdgeIndex> + 'a {
    graph.edges_of(body).filter(|&edge| graph.tie(edge).is_some_and(|tie| tie.is_active(bodies)))
}

impl TieBlock {
    pub(super) const NONE: Self = Self {
        ends: [[0; 8]; 2],
        inverse_mass: [[0.0; 8]; 2],
        axis_mass: [[[0.0; 8]; 3]; 2],
        body_locks: [[0; 8]; 2],
        inverse_inertia: [[[0.0; 8]; 6]; 2],
        start_inertia: [[[0.0; 8]; 6]; 2],
        turns_inertia: [0; 2],
        slender: [[1.0; 8]; 2],
        damping: [0.0; 8],
        strongest: [0.0; 8],
        felt: [[1.0; 8]; 2],
        yielding: [0.0; 8],
        extra: [[0.0; 8]; 2],
        has_extra: 0,
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
        start_frames: [[[0.0; 8]; 4]; 2],
        slack: [0.0; 8],
        frame: [[[0.0; 8]; 3]; 3],
        span: [[0.0; 8]; 3],
        twist: [[0.0; 8]; 3],
        locked: [0; 6],
        locked_at: [[0.0; 8]; 6],
        parts: [false; 2],
        limited: 0,
        coupled: 0,
        drives: [0; 2],
        counted: 0,
        last_twist: [0.0; 8],
        wound: [0.0; 8],
        work: [0.0; 8],
        looped: 0,
        recut: 0,
        couplings: Vec::new(),
        slots: [EMPTY; 8],
        is_same: false,
        there: 0,
        plain: 0,
        framed: 0,
        stiff: 0,
        in_set: 0,
        unswept: 0,
        afresh: 0,
        alone: 0,
        held: [[0.0; 8]; 3],
        held_turn: [[0.0; 8]; 3],
        rows: 0,
        turns: false,
        row: [Row::NONE; ROWS],
    };

    /// Becomes that of the ties of these edges, at these places of the graph; a sub-step begins with its share of the impulses of a step.
    pub(super) fn fill(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        [slots, places]: [&[u32; 8]; 2],
        (Cut { sub_steps, h }, spares_ends): (Cut, bool),
        isa: Isa,
    ) {
        let share = 1.0 / sub_steps as Real;
        let block = self;
        let before = block.pattern();
        block.clear();
        block.slots = *slots;
        for (lane, &place) in places.iter().enumerate().filter(|(_, place)| **place != EMPTY) {
            let tie = &graph.ties()[place as usize];
            for (side, &body) in tie.bodies.iter().enumerate() {
                if is_pushed(bodies, body) {
                    let is_end = spares_ends && ties_of(bodies, graph, body).nth(1).is_none();
                    block.felt[side][lane] = if is_end { 0.0 } else { 1.0 };
                    block.ends[side][lane] = body.0;
                    let hot = bodies.hot(body);
                    block.inverse_mass[side][lane] = hot.inverse_mass;
                    let [free, free_turns] = hot.free_axes();
                    set(&mut block.axis_mass[side], lane, &(free * hot.inverse_mass));
                    if hot.has_locks() {
                        let locks = free.iter().chain(free_turns.iter()).enumerate();
                        block.body_locks[side][lane] =
                            locks.fold(0, |bits, (axis, &free)| bits | u8::from(free == 0.0) << axis);
                    }
                    set_inertia(&mut block.start_inertia[side], lane, bodies.inverse_inertia(body));
                    let inertia = &bodies.view().local_inertia[body.get()];
                    if !inertia.is_isotropic && inertia.turns_freely() {
                        block.turns_inertia[side] |= 1 << lane;
                        block.slender[side][lane] = inertia.principal.max() / inertia.principal.min();
                    }
                } else if bodies.hot(body).is_kinematic() {
                    block.ends[side][lane] = body.0;
                }
            }
            let ActiveAxes { rows, locks } = graph.tie_holds()[place as usize];
            let (frames, arms, centers) = tie.place(bodies);
            let bit = 1 << lane;
            block.there |= bit;
            block.rows |= rows;
            block.turns |= locks & 0b111_000 != 0;
            let is_at_zero = || tie.axes[..3].iter().all(|axis| axis.lower == 0.0);
            block.plain |= if rows == 0 && locks == 0b111 && is_at_zero() { bit } else { 0 };
            // Lanes take it that what is locked gives way to forces in all directions.
            block.framed |= if rows >> SPAN & 1 == 0 && !block.has_locked_bodies(lane) { bit } else { 0 };
            for k in (0..6).filter(|k| locks >> k & 1 == 1) {
                block.locked[k] |= bit;
                block.locked_at[k][lane] = tie.axes[k].lower;
            }
            for (part, of) in block.parts.iter_mut().zip([locks & 0b111, locks >> 3]) {
                *part |= of != 0 && of != 0b111;
            }
            for (rows, frame) in block.start_frames.iter_mut().zip(&frames) {
                let values = [frame.w, frame.i, frame.j, frame.k];
                rows.iter_mut().zip(values).for_each(|(row, value)| row[lane] = value);
            }
            block.start_arms.iter_mut().zip(&arms).for_each(|(own, arm)| set(own, lane, arm));
            let turning = |side: usize| {
                let trace: Real = block.start_inertia[side][..3].iter().map(|row| row[lane]).sum();
                block.felt[side][lane] * trace * arms[side].norm()
            };
            block.yielding[lane] = turning(0).max(turning(1));
            set(&mut block.start_centers, lane, &centers);
            block.slack[lane] = SLACK * (arms[0].norm() + arms[1].norm());
            let JointWarmStart {
                lock,
                turn_lock,
                drive,
                friction,
                limit,
                strongest,
                extra_inertia,
                sub_step,
                ..
            } = &tie.memory;
            // What a twist is compared with counts from the revolution on in which the step begins.
            let begin = if tie.counts_turns() { f64::from(tie.memory.turns) * TAU } else { 0.0 };
            block.counted |= if tie.counts_turns() { bit } else { 0 };
            block.last_twist[lane] = tie.memory.twist;
            block.strongest[lane] = strongest * share;
            if *extra_inertia != [0.0; 2] {
                // It goes with the square of the length of a sub-step.
                let scale = if *sub_step > 0.0 { (h / sub_step) * (h / sub_step) } else { 0.0 };
                block.extra.iter_mut().zip(extra_inertia).for_each(|(own, extra)| own[lane] = extra * scale);
                block.has_extra |= bit;
            }
            block.coupled |= if tie.coupled != 0 { bit } else { 0 };
            block.recut |= if *sub_step > 0.0 && *sub_step != h { bit } else { 0 };
            // What is locked no more gives nothing.
            if locks & 0b111 != 0 {
                set(&mut block.lock, lane, &(lock * share));
            }
            if locks & 0b111_000 != 0 {
                set(&mut block.turn_lock, lane, &(turn_lock * share));
            }
            for k in (0..ROWS).filter(|k| rows >> k & 1 == 1) {
                let row = &mut block.row[k];
                match tie.axes.get(k) {
                    None => row.fill(lane, [Real::NEG_INFINITY, tie.cone], None, h),
                    // A lock has no limits beside, but for that of the distance, which is one on both sides.
                    Some(axis) if axis.is_locked() && k != SPAN => {
                        row.fill(lane, [Real::NEG_INFINITY, Real::INFINITY], Some(&axis.drive), h);
                    }
                    Some(axis) => {
                        let from_begin =
                            |at: Real| (f64::from(at) - if k == TWIST { begin } else { 0.0 }) as Real;
                        let drive = AxisDrive { target: from_begin(axis.drive.target), ..axis.drive };
                        row.fill(lane, [axis.lower, axis.upper].map(from_begin), Some(&drive), h);
                    }
                }
                let is_limited =
                    k >= TWIST && k != SPAN && row.limits.iter().any(|limit| limit[lane].is_finite());
                block.limited |= if is_limited { bit } else { 0 };
                let given = [drive.get(k), friction.get(k), limit.get(k)];
                for (given, own) in given.into_iter().zip(&mut row.given) {
                    own[lane] = given.map_or(0.0, |given| given * share);
                }
            }
        }
        if block.rows != 0 {
            for lane in (0..8).filter(|lane| block.there >> lane & 1 == 1) {
                let (has, bounds) = (block.drives_of(lane).next().is_some(), block.bounds_drives(lane));
                block.drives[0] |= u8::from(has) << lane;
                block.drives[1] |= u8::from(bounds) << lane;
            }
        }
        block.is_same = before == block.pattern();
        block.inverse_inertia = block.start_inertia;
        let left = isa.run(Renew { block, h }) & block.there;
        for lane in (0..8).filter(|lane| left >> lane & 1 == 1) {
            let mut deltas = [[0.0; 8]; 2];
            deltas.iter_mut().zip(&block.extra).for_each(|(delta, extra)| delta[EXTRA] = extra[lane]);
            block.renew(lane, [&deltas[0], &deltas[1]], h);
        }
    }

    /// What the sets of its ties depend on.
    fn pattern(&self) -> impl PartialEq + use<> {
        (self.slots, self.ends, self.inverse_mass, self.body_locks, self.locked, self.limited, self.drives)
    }

    /// Without ties, as [`TieBlock::NONE`], but for rows that nobody reads: a block is some kilobytes.
    fn clear(&mut self) {
        for row in (0..ROWS).filter(|k| self.rows >> k & 1 == 1) {
            self.row[row] = Row::NONE;
        }
        self.ends = [[0; 8]; 2];
        self.inverse_mass = [[0.0; 8]; 2];
        (self.axis_mass, self.body_locks) = ([[[0.0; 8]; 3]; 2], [[0; 8]; 2]);
        (self.inverse_inertia, self.start_inertia) = ([[[0.0; 8]; 6]; 2], [[[0.0; 8]; 6]; 2]);
        (self.turns_inertia, self.slender) = ([0; 2], [[1.0; 8]; 2]);
        (self.damping, self.strongest) = ([0.0; 8], [0.0; 8]);
        (self.extra, self.has_extra) = ([[0.0; 8]; 2], 0);
        self.arms = [[[0.0; 8]; 3]; 2];
        (self.span, self.twist) = ([[0.0; 8]; 3], [[0.0; 8]; 3]);
        (self.lock_mass, self.turn_mass) = ([[0.0; 8]; 6], [[0.0; 8]; 6]);
        for sums in [&mut self.lock, &mut self.turn_lock, &mut self.error, &mut self.turn_error] {
            *sums = [[0.0; 8]; 3];
        }
        (self.total, self.total_turn) = ([[0.0; 8]; 3], [[0.0; 8]; 3]);
        (self.rows, self.turns) = (0, false);
        (self.there, self.plain, self.framed, self.stiff, self.in_set, self.unswept) = (0, 0, 0, 0, 0, 0);
        (self.afresh, self.alone) = (0, 0);
        (self.locked, self.parts) = ([0; 6], [false; 2]);
        (self.limited, self.coupled, self.drives) = (0, 0, [0; 2]);
        (self.counted, self.wound, self.recut, self.looped) = (0, [0.0; 8], 0, 0);
        self.work = [0.0; 8];
        self.couplings.clear();
    }

    /// What the step gave: for the graph.
    pub(super) fn write(&self, lane: usize, Cut { sub_steps, h }: Cut, tie: &mut JointConstraint) {
        let sub_steps = sub_steps as Real;
        tie.impulse = get(&self.total, lane);
        tie.torque = get(&self.total_turn, lane);
        let memory = &mut tie.memory;
        memory.lock = get(&self.lock, lane) * sub_steps;
        memory.turn_lock = get(&self.turn_lock, lane) * sub_steps;
        memory.strongest = self.strongest[lane] * sub_steps;
        memory.extra_inertia = [self.extra[0][lane], self.extra[1][lane]];
        memory.coupling = 0.0;
        memory.work = self.work[lane];
        memory.sub_step = h;
        (memory.is_direct, memory.in_loop) = (self.in_set >> lane & 1 == 1, self.looped >> lane & 1 == 1);
        if self.counted >> lane & 1 == 1 {
            memory.twist = self.last_twist[lane];
            let turns = (f64::from(self.wound[lane]) / TAU).round() as i32;
            memory.turns = memory.turns.saturating_add(turns);
        }
        for k in 0..ROWS {
            let given = if self.rows >> k & 1 == 1 { self.row[k].given } else { [[0.0; 8]; 4] };
            let [drive, friction, limit, _] = given.map(|given| given[lane] * sub_steps);
            memory.limit[k] = limit;
            if k < TIE_AXES {
                (memory.drive[k], memory.friction[k]) = (drive, friction);
            }
        }
    }

    /// Largest error of a lane, m: of what is locked and of the distance.
    pub(super) fn stretch(&self, lane: usize) -> Real {
        let span = if self.rows >> SPAN & 1 == 1 { self.row[SPAN].beyond[lane].abs() } else { 0.0 };
        get(&self.error, lane).norm().max(span)
    }

    /// Error of the turns of a lane that are locked, rad.
    pub(super) fn turned(&self, lane: usize) -> Real {
        get(&self.turn_error, lane).norm()
    }

    /// Lengths of both arms of a lane when the step began, m; infinite without.
    pub(super) fn reach(&self, lane: usize) -> Real {
        let reach = self.slack[lane] * (1.0 / SLACK);
        if reach > 0.0 { reach } else { Real::INFINITY }
    }

    /// Inverse mass of a body along each world axis, 1/kg.
    pub(super) fn mass(&self, lane: usize, side: usize) -> Vector3 {
        get(&self.axis_mass[side], lane)
    }

    /// True where a body cannot move along some world axis, or not turn about one.
    pub(super) fn has_locked_bodies(&self, lane: usize) -> bool {
        self.body_locks[0][lane] | self.body_locks[1][lane] != 0
    }

    /// Coordinates of a lane that have a row.
    pub(super) fn rows_of(&self, lane: usize) -> u8 {
        let is_row = |k: &usize| self.rows >> k & 1 == 1 && self.row[*k].own >> lane & 1 == 1;
        (0..ROWS).filter(is_row).fold(0, |bits, k| bits | 1 << k)
    }

    /// Coordinates of a lane that are locked.
    pub(super) fn locks_of(&self, lane: usize) -> u8 {
        (0..6).fold(0, |bits, k| bits | (self.locked[k] >> lane & 1) << k)
    }
}
