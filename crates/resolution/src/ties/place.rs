//! Ties of every kind but the distance, eight at a time: what of them changes from sub-step to sub-step.
//!
//! What [`super::single`] does to one tie, in lanes: frames and coordinates ([`super::frames`]), the inverse responses of what is locked, and
//! rows. Lanes for which this is not all (a turn of more than half a revolution, a matrix without an inverse) are left to that, whatever their
//! neighbours are. Blocks of ball joints alone need no frames.
#![expect(unsafe_code, reason = "changes disjoint bodies of one array; colours keep them apart")]

use super::algebra::SINGULAR;
use super::block::{CONE, ROWS, TieBlock};
use super::frames::{Found, coordinates, inverse_of, pick, scaled, turned_inertia, zeros};
use super::kernel::wrench;
use super::single::{EXTRA, FAR, LEAST_RECOVERY, MOST_BEYOND, RECOVERY, SLACK};
use super::spring::{LEAST, OF_ANGLE, OF_SQUARE};
use super::stiff::{CALM, fade_eight, stiffened_eight};
use super::turns::{Quaternion, shorter, wind, within};
use crate::vector::{Sym3, Vec3, load_all};
use drystone_contact::{SPAN, SharedBodyStates, TWIST};
use drystone_math::wide::{Kernel, Lanes, Mask, Wide};

/// Coordinates that turns decide: twist, swing and cone.
const OF_TURNS: u8 = 0b111_000 | 1 << CONE;

/// Both bodies of eight ties, as impulses move them.
struct Levers<W> {
    mass: [W; 2],
    inertia: [Sym3<W>; 2],
    arms: [Vec3<W>; 2],
}

impl<W: Wide> Levers<W> {
    /// What a force on B and its opposite on A change: velocity of B against A where the tie acts, and turning.
    #[inline(always)]
    fn by_force(&self, force: Vec3<W>) -> [Vec3<W>; 2] {
        let a = self.inertia[0].times(self.arms[0].cross(force));
        let b = self.inertia[1].times(self.arms[1].cross(force));
        let moved = a.cross(self.arms[0]).plus(b.cross(self.arms[1]));
        [moved.plus_times(force, self.mass[0] + self.mass[1]), a.plus(b)]
    }

    /// What a torque and its opposite change.
    #[inline(always)]
    fn by_torque(&self, torque: Vec3<W>) -> [Vec3<W>; 2] {
        let (a, b) = (self.inertia[0].times(torque), self.inertia[1].times(torque));
        [a.cross(self.arms[0]).plus(b.cross(self.arms[1])), a.plus(b)]
    }
}

/// What keeps the locked coordinates of eight ties.
struct Locks<W> {
    /// Inverse responses: of places, and of turns while places are kept.
    place: Sym3<W>,
    turn: Sym3<W>,
    has_turns: bool,
}

impl<W: Wide> Locks<W> {
    /// Force and torque on B that stop a motion of what is locked: of the place, and turning.
    #[inline(always)]
    fn keep<L: Lanes<F32 = W>>(
        &self,
        lanes: L,
        levers: &Levers<W>,
        place: Vec3<W>,
        turn: Vec3<W>,
    ) -> [Vec3<W>; 2] {
        let none = zeros(lanes);
        let force = none.minus(self.place.times(place));
        if !self.has_turns {
            return [force, none];
        }
        let torque = none.minus(self.turn.times(turn.plus(levers.by_force(force)[1])));
        [force.minus(self.place.times(levers.by_torque(torque)[0])), torque]
    }
}

/// Response of the velocity of a point at the arm `r` to forces on it, by turning: `[r]ₓ I [r]ₓᵀ`, as xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn by_turning<W: Wide>(zero: W, inertia: &Sym3<W>, r: Vec3<W>) -> [W; 6] {
    let about = [
        Vec3 { x: zero, y: r.z, z: zero - r.y },
        Vec3 { x: zero - r.z, y: zero, z: r.x },
        Vec3 { x: r.y, y: zero - r.x, z: zero },
    ];
    let turned = [inertia.times(about[0]), inertia.times(about[1]), inertia.times(about[2])];
    [
        about[0].dot(turned[0]),
        about[1].dot(turned[1]),
        about[2].dot(turned[2]),
        about[0].dot(turned[1]),
        about[0].dot(turned[2]),
        about[1].dot(turned[2]),
    ]
}

/// Response of the turns of two bodies against each other while their places are kept: `Iₐ + I_b − F K Fᵀ` with the turning `F` by forces.
#[inline(always)]
fn turn_response<L: Lanes>(lanes: L, levers: &Levers<L::F32>, kept: &Sym3<L::F32>) -> [L::F32; 6] {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let rows = [
        levers.by_torque(Vec3 { x: one, y: zero, z: zero })[0],
        levers.by_torque(Vec3 { x: zero, y: one, z: zero })[0],
        levers.by_torque(Vec3 { x: zero, y: zero, z: one })[0],
    ];
    let held = [kept.times(rows[0]), kept.times(rows[1]), kept.times(rows[2])];
    let (a, b) = (levers.inertia[0].entries(), levers.inertia[1].entries());
    [
        a[0] + b[0] - rows[0].dot(held[0]),
        a[1] + b[1] - rows[1].dot(held[1]),
        a[2] + b[2] - rows[2].dot(held[2]),
        a[3] + b[3] - rows[0].dot(held[1]),
        a[4] + b[4] - rows[0].dot(held[2]),
        a[5] + b[5] - rows[1].dot(held[2]),
    ]
}

/// What a sub-step needs of eight ties beside the block.
struct Renewed<L: Lanes> {
    /// Lanes that are done.
    done: L::Mask,
    levers: Levers<L::F32>,
    locks: Locks<L::F32>,
    /// Revolutions of the twist since the step began, rad.
    wound: L::F32,
    /// Errors of what is locked: of places, m, with their length, and of turns, rad.
    error: Vec3<L::F32>,
    length: L::F32,
    turn_error: Vec3<L::F32>,
    /// Strongest impulse of late.
    strongest: L::F32,
    /// Inertia that all ties of both bodies add, kg m², and the lanes that have some.
    extra: [L::F32; 2],
    has_extra: L::Mask,
    /// Lanes where a body is stiffened, the share of the relative turning that goes, and its inverse response to torques.
    stiff: L::Mask,
    damping: L::F32,
    together: Sym3<L::F32>,
}

/// Everything that depends on where the bodies are: displacements since the step began. What was given in the sub-step so far: `force`, N·s.
#[inline(always)]
fn renew<L: Lanes>(
    lanes: L,
    block: &mut TieBlock,
    deltas: [&[L::F32; 8]; 2],
    force: Vec3<L::F32>,
    extra: [L::F32; 2],
    h: f32,
) -> Renewed<L> {
    let [a, b] = deltas;
    let way = Vec3 { x: b[0] - a[0], y: b[1] - a[1], z: b[2] - a[2] };
    let (turn_a, is_near_a) = Quaternion::of_vector(lanes, Vec3 { x: a[4], y: a[5], z: a[6] });
    let (turn_b, is_near_b) = Quaternion::of_vector(lanes, Vec3 { x: b[4], y: b[5], z: b[6] });
    let arm_a = turn_a.turn(Vec3::load(lanes, &block.start_arms[0]));
    let arm_b = turn_b.turn(Vec3::load(lanes, &block.start_arms[1]));
    let centers = Vec3::load(lanes, &block.start_centers).plus(way);
    let gap = centers.plus(arm_b).minus(arm_a);
    let is_plain = block.plain == block.there;
    let found = if is_plain {
        Found::none(lanes)
    } else {
        let frames = [
            turn_a.after(Quaternion::load(lanes, &block.start_frames[0])),
            turn_b.after(Quaternion::load(lanes, &block.start_frames[1])),
        ];
        let found = coordinates(lanes, frames, gap, block.turns || block.rows & OF_TURNS != 0);
        if block.turns { found.lock_twist(lanes, &block.locked) } else { found }
    };
    let error = if is_plain { gap } else { found.missed(lanes, block, 0) };
    let length = error.dot(error).sqrt();
    // What is locked acts where both frames meet; a large error is no lever.
    let is_lever = within(lanes, length, lanes.load(&block.slack));
    let over = error.minus(error.times(is_lever));
    let arms = [arm_a.plus(gap).minus(over), arm_b];
    let strongest = fade_eight(lanes, lanes.load(&block.strongest), force.dot(force).sqrt());
    let pull = strongest * lanes.splat(h);
    let [felt_a, felt_b] = load_all(lanes, &block.felt);
    let own = [
        turned_inertia(lanes, &block.start_inertia[0], block.turns_inertia[0], turn_a),
        turned_inertia(lanes, &block.start_inertia[1], block.turns_inertia[1], turn_b),
    ];
    let (inertia_a, damping_a) = stiffened_eight(lanes, own[0], arms[0], pull * felt_a, extra[0]);
    let (inertia_b, damping_b) = stiffened_eight(lanes, own[1], arms[1], pull * felt_b, extra[1]);
    let damping = damping_a.max(damping_b);
    let has_extra = extra[0].max(extra[1]).greater(lanes.splat(0.0));
    let levers = Levers {
        mass: [lanes.load(&block.inverse_mass[0]), lanes.load(&block.inverse_mass[1])],
        inertia: [inertia_a, inertia_b],
        arms,
    };
    let mut done = lanes.mask(block.framed) & is_near_a & is_near_b;
    let zero = lanes.splat(0.0);
    let a = by_turning(zero, &levers.inertia[0], levers.arms[0]);
    let b = by_turning(zero, &levers.inertia[1], levers.arms[1]);
    let mass = levers.mass[0] + levers.mass[1];
    let response =
        [mass + a[0] + b[0], mass + a[1] + b[1], mass + a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]];
    let (place, is_well) = found.inverse(lanes, block, 0, response);
    done = done & is_well;
    let (mut turn, mut turn_error) = (Sym3::of([zero; 6]), zeros(lanes));
    if block.turns {
        let (inverse, is_well) = found.inverse(lanes, block, 3, turn_response(lanes, &levers, &place));
        done = done & is_well;
        (turn, turn_error) = (inverse, found.missed(lanes, block, 3));
    }
    let stiff = damping.greater(zero);
    let mut together = Sym3::of([zero; 6]);
    if stiff.any() {
        let (a, b) = (levers.inertia[0].entries(), levers.inertia[1].entries());
        let sum = [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]];
        let least = (sum[0] + sum[1] + sum[2]) * lanes.splat(SINGULAR);
        let (inverse, determinant) = inverse_of(sum);
        let is_well = sum[0].greater(least) & sum[1].greater(least) & sum[2].greater(least);
        let is_well = is_well & determinant.greater(zero);
        done = done & (is_well | !stiff);
        together = Sym3::of(scaled(inverse, lanes.splat(1.0) / determinant));
    }
    let locks = Locks { place, turn, has_turns: block.turns };
    let wound = if block.counted == 0 { zero } else { wind(lanes, block, found.values[TWIST], done) };
    let renewed = Renewed {
        done,
        levers,
        locks,
        wound,
        error,
        length,
        turn_error,
        strongest,
        extra,
        has_extra,
        stiff,
        damping,
        together,
    };
    if done.any() {
        renewed.store(lanes, block, &found);
        let mut k = 0;
        while k < ROWS {
            if k != SPAN && block.rows >> k & 1 == 1 {
                renew_row(lanes, block, k, &renewed, &found, h);
            }
            k += 1;
        }
    }
    renewed
}

impl<L: Lanes> Renewed<L> {
    /// What is done goes into the block.
    #[inline(always)]
    fn store(&self, lanes: L, block: &mut TieBlock, found: &Found<L::F32>) {
        let mut side = 0;
        while side < 2 {
            let old = Vec3::load(lanes, &block.arms[side]);
            pick(self.done, self.levers.arms[side], old).store(&mut block.arms[side]);
            side += 1;
        }
        let mut axis = if block.plain == block.there { 3 } else { 0 };
        while axis < 3 {
            let old = Vec3::load(lanes, &block.frame[axis]);
            pick(self.done, found.axes[axis], old).store(&mut block.frame[axis]);
            axis += 1;
        }
        if block.turns {
            let old = Vec3::load(lanes, &block.twist);
            pick(self.done, found.turn_axes[0], old).store(&mut block.twist);
        }
        found.keep_locked(lanes, block, self.done);
        pick(self.done, self.error, Vec3::load(lanes, &block.error)).store(&mut block.error);
        pick(self.done, self.turn_error, Vec3::load(lanes, &block.turn_error)).store(&mut block.turn_error);
        L::F32::select(self.done, self.strongest, lanes.load(&block.strongest)).store(&mut block.strongest);
        let done = self.done.bits();
        let stiff = self.stiff.bits() & done;
        let has_extra = self.has_extra.bits() & done;
        if (has_extra | block.has_extra) & done != 0 {
            let mut side = 0;
            while side < 2 {
                let old = lanes.load(&block.extra[side]);
                L::F32::select(self.done, self.extra[side], old).store(&mut block.extra[side]);
                side += 1;
            }
        }
        if (stiff
            | has_extra
            | block.has_extra
            | block.stiff
            | block.turns_inertia[0]
            | block.turns_inertia[1])
            & done
            != 0
        {
            let mut side = 0;
            while side < 2 {
                let inertia = self.levers.inertia[side].entries();
                let rows = &mut block.inverse_inertia[side];
                let mut k = 0;
                while k < 6 {
                    L::F32::select(self.done, inertia[k], lanes.load(&rows[k])).store(&mut rows[k]);
                    k += 1;
                }
                side += 1;
            }
            L::F32::select(self.done, self.damping, lanes.load(&block.damping)).store(&mut block.damping);
            block.stiff = block.stiff & !done | stiff;
        }
        block.has_extra = block.has_extra & !done | has_extra;
        let (place, turn) = (self.locks.place.entries(), self.locks.turn.entries());
        let mut k = 0;
        while k < 6 {
            L::F32::select(self.done, place[k], lanes.load(&block.lock_mass[k]))
                .store(&mut block.lock_mass[k]);
            L::F32::select(self.done, turn[k], lanes.load(&block.turn_mass[k]))
                .store(&mut block.turn_mass[k]);
            k += 1;
        }
    }
}

/// One coordinate: its direction with what keeps what is locked meanwhile, its response, and how far its limits and its target are.
#[inline(always)]
fn renew_row<L: Lanes>(
    lanes: L,
    block: &mut TieBlock,
    k: usize,
    renewed: &Renewed<L>,
    found: &Found<L::F32>,
    h: f32,
) {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let Renewed { levers, locks, .. } = renewed;
    let none = zeros(lanes);
    let is_place = k < 3;
    let along = match k {
        TWIST => found.twist,
        CONE => found.swing,
        _ => found.axes[k % 3],
    };
    let [place, turn] = if is_place { levers.by_force(along) } else { levers.by_torque(along) };
    let alone = along.dot(if is_place { place } else { turn });
    let [kept, kept_turn] = locks.keep(lanes, levers, place, turn);
    let force = kept.plus(if is_place { along } else { none });
    let torque = kept_turn.plus(if is_place { none } else { along });
    let (f, t) = (levers.by_force(force), levers.by_torque(torque));
    let response = force.dot(f[0].plus(t[0])) + torque.dot(f[1].plus(t[1]));
    // What is locked leaves nothing of it.
    let is_left = response.greater(alone * lanes.splat(SINGULAR));
    let response = L::F32::select(is_left, response, zero);
    let is_any = response.greater(zero);
    let row = &mut block.row[k];
    let done = renewed.done & lanes.mask(row.own);
    pick(done, force, Vec3::load(lanes, &row.force)).store(&mut row.force);
    pick(done, torque, Vec3::load(lanes, &row.torque)).store(&mut row.torque);
    L::F32::select(done, response, lanes.load(&row.response)).store(&mut row.response);
    L::F32::select(done, L::F32::select(is_any, one / response, zero), lanes.load(&row.mass))
        .store(&mut row.mass);
    let value = found.value(k);
    let value = if k == TWIST { value + renewed.wound } else { value };
    L::F32::select(done, value, lanes.load(&row.value)).store(&mut row.value);
    let [lower, upper] = load_all(lanes, &row.limits);
    let (down, up) = (value - lower, upper - value);
    let [room_down, room_up] = load_all(lanes, &row.room);
    let (far, step) = (lanes.splat(FAR), lanes.splat(h));
    L::F32::select(done, (down.max(zero) / step).min(far), room_down).store(&mut row.room[0]);
    L::F32::select(done, (up.max(zero) / step).min(far), room_up).store(&mut row.room[1]);
    let beyond = down.min(zero) - up.min(zero);
    // Half a turn and more in a sub-step would be counted as the rest of it.
    let most = lanes.splat(MOST_BEYOND);
    let beyond = if k == TWIST { beyond.min(most).max(zero - most) } else { beyond };
    L::F32::select(done, beyond, lanes.load(&row.beyond)).store(&mut row.beyond);
    let is_driven = done & lanes.mask(row.driven);
    if is_driven.any() {
        let mut way = lanes.load(&row.target) - value;
        if k == TWIST {
            // Between limits, and where it is counted, there is one way only.
            let is_free = upper.equal(lanes.splat(f32::INFINITY)) & lanes.mask(!block.counted);
            way = L::F32::select(is_free, shorter(lanes, way), way);
        }
        let (stiffness, drag) = (lanes.load(&row.stiffness), lanes.load(&row.drag));
        let angle = step * step * stiffness * response;
        let share = angle * (lanes.splat(OF_ANGLE) + lanes.splat(OF_SQUARE) * angle) + lanes.splat(LEAST);
        let strength = drag + share.min(one) * step * stiffness;
        let own = L::F32::select(drag.equal(lanes.splat(f32::INFINITY)), one, drag / strength);
        let wanted = lanes.load(&row.speed) * own + way * (stiffness / strength);
        let wanted = wanted + lanes.load(&row.feed) / strength;
        L::F32::select(is_driven, wanted, lanes.load(&row.wanted)).store(&mut row.wanted);
        let softness = one / (step * strength);
        L::F32::select(is_driven, softness, lanes.load(&row.softness)).store(&mut row.softness);
        let soft = response + softness;
        let mass = L::F32::select(soft.greater(zero), one / soft, zero);
        L::F32::select(is_driven, mass, lanes.load(&row.drive_mass)).store(&mut row.drive_mass);
    }
}

/// The strongest impulses of late with those of the sub-step, and the lanes where they may be more than a sub-step of `h` seconds follows.
#[inline(always)]
pub(super) fn pulled<L: Lanes>(lanes: L, block: &TieBlock, h: f32) -> ([f32; 8], u8) {
    let [force, _] = wrench(lanes, block);
    let strongest = fade_eight(lanes, lanes.load(&block.strongest), force.dot(force).sqrt());
    let most = strongest * lanes.splat(h) * lanes.load(&block.yielding);
    (strongest.to_array(), most.greater(lanes.splat(CALM)).bits())
}

/// Adds to the half of a record: a force by an inverse mass, and a turning.
#[inline(always)]
fn push<W: Wide>(half: &mut [W; 8], force: Vec3<W>, mass: W, turning: Vec3<W>) {
    (half[0], half[1], half[2]) =
        (half[0] + force.x * mass, half[1] + force.y * mass, half[2] + force.z * mass);
    (half[4], half[5], half[6]) = (half[4] + turning.x, half[5] + turning.y, half[6] + turning.z);
}

/// Makes the ties of a block ready for a step of sub-steps of `h` seconds. Gives the lanes that are left to do.
pub(super) struct Renew<'a> {
    pub(super) block: &'a mut TieBlock,
    pub(super) h: f32,
}

impl Kernel for Renew<'_> {
    type Output = u8;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u8 {
        let nothing = [lanes.splat(0.0); 8];
        let given = wrench(lanes, self.block);
        let extra = load_all(lanes, &self.block.extra);
        !renew(lanes, self.block, [&nothing; 2], given[0], extra, self.h).done.bits()
    }
}

/// Ends a sub-step of `h` seconds for the lanes that can be ([`TieBlock::framed`]): errors are taken back by displacement, and everything is
/// made ready for the next one. Returns the lanes that are left to do.
///
/// # Safety
/// The bodies of the block belong to this call alone.
#[inline(always)]
pub(super) unsafe fn place<L: Lanes>(
    lanes: L,
    block: &mut TieBlock,
    hot: &SharedBodyStates<'_>,
    h: f32,
    is_last: bool,
) -> u8 {
    if block.framed == 0 {
        return u8::MAX;
    }
    // SAFETY: passed on.
    let mut deltas =
        unsafe { [lanes.gather(hot.deltas(&block.ends[0])), lanes.gather(hot.deltas(&block.ends[1]))] };
    let mut given = wrench(lanes, block);
    let before = [Vec3::load(lanes, &block.arms[0]), Vec3::load(lanes, &block.arms[1])];
    let inertia_before =
        [Sym3::load(lanes, &block.inverse_inertia[0]), Sym3::load(lanes, &block.inverse_inertia[1])];
    let extra = [deltas[0][EXTRA], deltas[1][EXTRA]];
    let renewed = renew(lanes, block, [&deltas[0], &deltas[1]], given[0], extra, h);
    let done = renewed.done;
    if !done.any() {
        return u8::MAX;
    }
    let (levers, none, zero) = (&renewed.levers, zeros(lanes), lanes.splat(0.0));
    let mut written = [[0.0; 8]; 2];
    let mut side = 0;
    while side < 2 {
        L::F32::select(done, levers.mass[side], zero).store(&mut written[side]);
        side += 1;
    }
    if !is_last {
        // The next sub-step begins with the same impulses, where they act by then: repeated as they were, they would turn what swings.
        if block.afresh != 0 {
            let afresh = block.afresh & done.bits();
            for lane in (0..8).filter(|lane| afresh >> lane & 1 == 1) {
                block.hold(lane);
            }
            let alone = lanes.mask(block.alone);
            given = [pick(alone, none, given[0]), pick(alone, none, given[1])];
        }
        let now = wrench(lanes, block);
        let more = now[0].minus(given[0]);
        // SAFETY: passed on.
        let mut velocities = unsafe {
            [lanes.gather(hot.velocities(&block.ends[0])), lanes.gather(hot.velocities(&block.ends[1]))]
        };
        let mut side = 0;
        while side < 2 {
            let turning = levers.inertia[side].times(levers.arms[side].cross(now[0]).plus(now[1]));
            let turned = inertia_before[side].times(before[side].cross(given[0]).plus(given[1]));
            let sign = lanes.splat(if side == 0 { -1.0 } else { 1.0 });
            push(&mut velocities[side], more, levers.mass[side] * sign, turning.minus(turned).times(sign));
            side += 1;
        }
        if (renewed.stiff & done).any() {
            let [a, b] = &velocities;
            let turning = Vec3 { x: b[4] - a[4], y: b[5] - a[5], z: b[6] - a[6] };
            let torque = renewed.together.times(turning).times(zero - renewed.damping);
            let torque = pick(renewed.stiff, torque, none);
            push(&mut velocities[0], none, zero, none.minus(levers.inertia[0].times(torque)));
            push(&mut velocities[1], none, zero, levers.inertia[1].times(torque));
        }
        let mut side = 0;
        while side < 2 {
            // SAFETY: passed on.
            unsafe { hot.set_half::<0, L>(lanes, &block.ends[side], velocities[side], &written[side]) };
            side += 1;
        }
    }
    // Errors of what is locked, but for sets, which take them back by themselves; and what is beyond limits.
    let recovery = lanes.splat(RECOVERY);
    let slack = lanes.load(&block.slack);
    let share = (recovery * within(lanes, renewed.length, slack / recovery)).max(lanes.splat(LEAST_RECOVERY));
    let turned = renewed.turn_error.dot(renewed.turn_error).sqrt();
    let turn_share = recovery * within(lanes, turned, lanes.splat(SLACK / RECOVERY));
    let [force, torque] =
        renewed.locks.keep(lanes, levers, renewed.error.times(share), renewed.turn_error.times(turn_share));
    let is_alone = lanes.mask(!block.in_set);
    let (mut force, mut torque) = (pick(is_alone, force, none), pick(is_alone, torque, none));
    let mut k = 0;
    while k < ROWS {
        if k != SPAN && block.rows >> k & 1 == 1 {
            let row = &block.row[k];
            let push = zero - recovery * lanes.load(&row.beyond) * lanes.load(&row.mass);
            force = force.plus_times(Vec3::load(lanes, &row.force), push);
            torque = torque.plus_times(Vec3::load(lanes, &row.torque), push);
        }
        k += 1;
    }
    let mut side = 0;
    while side < 2 {
        let sign = lanes.splat(if side == 0 { -1.0 } else { 1.0 });
        let turn = levers.inertia[side].times(levers.arms[side].cross(force).plus(torque)).times(sign);
        push(&mut deltas[side], force, levers.mass[side] * sign, turn);
        // SAFETY: passed on.
        unsafe { hot.set_half::<1, L>(lanes, &block.ends[side], deltas[side], &written[side]) };
        side += 1;
    }
    !done.bits()
}

#[cfg(test)]
mod tests;
