//! Ties solved directly: chains, bridges, rigs, where what one of them gives runs through all.
//!
//! Sweeps carry an impulse from one tie to the next; a chain of a hundred with a heavy end needs more of them than there is time for. So what hangs
//! together is solved as one system, exactly, in `f64`: `J M⁻¹ Jᵀ λ = −(J v + bend)` for all that is locked, by a sparse factorisation, whose cost grows
//! with the number of ties where they form a tree. `J` on the left is that of the end of the sub-step, which turning bodies make another one than that of its begin: so that is Newton's method, of which two steps
//! and sometimes more are taken. Errors of the places are taken back with factors of their own, without the turning. Both serve the sub-steps that follow as long as
//! bodies have hardly turned. Drives that are stiff are among the unknowns ([`super::held`]); weak ones, friction and contacts are the sweeps'.
//!
//! A sub-step begins without the impulses of what is locked in the one before (`TieBlock::afresh`): they balance each other where they acted, and no more where the bodies have turned to. A rod of 0.1 kg and 2 mm
//! between two heavy ones was thrown about its length by 600 rad/s before the solve, where its second order says nothing. What is of second order is taken from where bodies turned before
//! anything but locks acted (`Direct::start_from`), as motors and limits throw thin bodies as well.
//!
//! In loops every row yields a little, in long ones that of the tie that closes one ([`super::system`]): what is held twice has one answer, and nothing works against itself from sub-step to sub-step. Errors of places are taken back
//! by displacement (`displace`).
//!
//! Limits of turns that pushed last are among the unknowns, as if they were locks where they are met: a limit that knows the inertia of its two bodies
//! alone is a weak spring where these are thin and much hangs on them. What is found to pull is let go and the rest solved again, a few times: what the others give rests on
//! what all of them give, and arms of links with limits tore themselves apart where only its own part was cut off. What is met anew is the sweeps' for one sub-step.
//! What is beyond a limit is left to the single ties to take back: where contacts allow no place within all limits, something has to give way.
//!
//! Small sets of bodies of like mass and shape without such limits are left to the sweeps altogether: they need no more ([`WORTH`]); nets are too, as their factors fill in
//! ([`MOST_FILL`]).
#![expect(unsafe_code, reason = "changes disjoint bodies of one array")]

mod displace;

use super::block::TieBlock;
use super::held::{Gone, Turns};
use super::loops::closing;
use super::member::{Gift, Motion, bounded};
use super::sets::{FixedState, Member};
use super::system::{CommonBody, Lu, Spin};
use displace::Shifted;
use drystone_contact::SharedBodyStates;
use drystone_math::wide::Isa;
use drystone_math::{Real, Vector3, larger};
use hashbrown::HashMap;

/// Ties from which a set is solved directly, whatever its masses and limits.
const WORTH: usize = 4;
/// Ratio of masses from which a smaller one is.
const UNEVEN: Real = 4.0;
/// Most ties of a set.
pub(crate) const MOST: usize = 1000;
/// Most ties of one body: each is coupled to all others of it.
const MOST_OF_BODY: usize = 16;
/// Most blocks beside the diagonal of the factors, per tie.
const MOST_FILL: usize = 6;
/// Rounds in which limits that would pull are let go, before what is left of them is cut off.
const MOST_ROUNDS: usize = 4;
/// Which factors impulses are solved with, and displacements.
const IMPULSES: usize = 0;
const DISPLACEMENTS: usize = 1;
/// Share of what was wrong up to which a solve has to leave it, or the next one is the last.
const CONVERGING: f64 = 0.5;
/// Share of the kinetic energy up to which the work of what a solve leaves by the second order of the turning needs no other solve, and of the arms up to which errors of the places are left:
/// those of rounding are of this order. And the share of the velocities that rounding leaves.
const EXACT_WORK: Real = 1e-8;
const EXACT_SPEED: Real = 2e-6;
const EXACT_PLACE: Real = 5e-6;
/// Angle of a sub-step, rad, by which a body turns otherwise than the last solve left it, beyond which a solve starts from that.
const FAR_OFF: Real = 0.1;
/// Ratio of the moments beyond which a body is thin.
pub(crate) const THIN: Real = 20.0;
/// Ratio of masses up to which a tree of no more than so many ties without thin bodies is modest: sweeps hold it as well where it moves in contact.
pub(crate) const MODEST: Real = 20.0;
const MODEST_TIES: usize = 20;
/// Angle, rad, by which bodies may have turned since the factors were made, for two ties of like masses: sweeps take what is wrong by then. What an angle
/// does to the answer grows with the ratio of the masses and the length of a chain.
const STALE: Real = 0.01;

/// The factors of a set.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    lu: Lu,
    /// Whether its ties are more than a tree.
    pub(super) has_loops: bool,
    is_limited: bool,
    /// Whether one of its bodies is ([`THIN`]): rounding counts, and every sub-step takes all that there is.
    is_thin: bool,
    /// Whether its masses are so unlike that sweeps are not to have the last word where something touches it: what they leave of a heavy body's pull tears light ones about.
    pub(super) is_uneven: bool,
    /// Whether sweeps hold it as well where it moves in contact ([`MODEST`]).
    pub(super) is_modest: bool,
    /// What impulses are solved with, and where some turns have limits, what displacements are.
    uses: Vec<Use>,
    right: Vec<f64>,
    /// What was wrong before the last solve, and before the one before it, m/s or rad/s.
    wrong: [f64; 2],
    /// Angular velocities of both bodies of each tie before it, rad/s, and the kinetic energy without that of the turning, J, that of bodies on several ties several times.
    before: Vec<[Vector3; 2]>,
    energy: Real,
    /// Bodies of each tie that are displaced, and by how much they were before and are, m and rad.
    shifted: Vec<Shifted>,
    /// What the last solve gave each tie; none where there were no factors.
    gifts: Vec<Gift>,
    /// Angular velocities of both bodies of each tie that the last solve left, and those that the next one starts from, rad/s; whether these are others than theirs.
    settled: Vec<[Vector3; 2]>,
    from: Vec<[Vector3; 2]>,
    is_off: bool,
    /// Whether nothing but locks acts in it in this step, and none of its bodies is thin.
    is_pure: bool,
    /// Whether the last solve left no more than rounding does.
    is_exact: bool,
    /// Whether the next solve is the first one of a sub-step, which begins without the impulses of what is locked.
    pub(super) is_first: bool,
}

/// What is known of the factors that impulses or displacements are solved with.
#[derive(Clone, Debug)]
struct Use {
    /// Turns of each tie, as they are in the factors.
    turns: Vec<Turns>,
    /// Whether there are factors of this step, and the angle by which bodies may have turned since, rad.
    is_factored: bool,
    turned: Real,
    /// Whether they were made for one sub-step alone: inertias change with what ties give ([`super::stiff`]).
    is_stiff: bool,
    /// Angle from which on they are made anew, rad.
    stale: Real,
}

impl Direct {
    /// Of ties that hang together, where that is worth a direct solve.
    pub(super) fn new(blocks: &[TieBlock], members: &[Member]) -> Option<Self> {
        let masses = members.iter().flat_map(|m| blocks[m.block as usize].masses(m.lane as usize));
        let (least, most) = masses.fold((Real::INFINITY, 0.0), |(least, most): (Real, Real), inverse| {
            (least.min(inverse), most.max(inverse))
        });
        let is_uneven = most > UNEVEN * least;
        let is_limited = members.iter().any(|m| blocks[m.block as usize].limits_turns(m.lane as usize));
        let slender = members
            .iter()
            .fold(1.0, |most: Real, m| most.max(blocks[m.block as usize].slenderness(m.lane as usize)));
        let any_of =
            |kind: usize| members.iter().any(|m| blocks[m.block as usize].drives[kind] >> m.lane & 1 == 1);
        let (has_drives, bounds_drives) = (any_of(0), any_of(1));
        let locks_turns = members.iter().any(|m| blocks[m.block as usize].locks_turns(m.lane as usize));
        let closing = closing(blocks, members);
        let has_loops = closing.iter().any(|&rows| rows != 0);
        let is_uneven = is_uneven || slender > UNEVEN;
        let is_worth = members.len() >= WORTH || is_uneven || is_limited || has_loops || has_drives;
        let is_alone = members.len() == 1 && !(locks_turns && slender > UNEVEN);
        if is_alone || members.len() > MOST || !is_worth {
            return None;
        }
        let mut of_body: HashMap<u32, Vec<(u32, usize)>, FixedState> = HashMap::default();
        let mut couplings = Vec::new();
        for (k, &member) in members.iter().enumerate() {
            for (side, &body) in member.pushed(blocks).iter().enumerate().filter(|(_, body)| **body != 0) {
                let list = of_body.entry(body).or_default();
                couplings.push(CommonBody { members: [k as u32; 2], sides: [side; 2] });
                for &(other, other_side) in list.iter() {
                    couplings.push(CommonBody { members: [other, k as u32], sides: [other_side, side] });
                }
                list.push((k as u32, side));
                if list.len() > MOST_OF_BODY {
                    return None;
                }
            }
        }
        let turns = is_limited || locks_turns || has_drives;
        let lu = Lu::new(members.len(), &couplings, 2, turns, &closing);
        let like = least / (most * (members.len() as Real).sqrt() * if turns { slender.sqrt() } else { 1.0 });
        let stale = STALE * like;
        let turns = || {
            members
                .iter()
                .map(|m| blocks[m.block as usize].turns(m.lane as usize, false, Gone::default()))
                .collect()
        };
        let of = || Use { turns: turns(), is_factored: false, turned: 0.0, is_stiff: false, stale };
        (lu.fill() <= MOST_FILL * members.len()).then(|| Self {
            has_loops,
            is_limited: is_limited || bounds_drives,
            is_thin: slender > THIN,
            is_uneven: most > MODEST * least,
            is_modest: !has_loops
                && members.len() <= MODEST_TIES
                && most <= MODEST * least
                && slender <= THIN,
            wrong: [0.0; 2],
            before: Vec::with_capacity(members.len()),
            energy: 0.0,
            right: vec![0.0; lu.rows() * members.len()],
            shifted: Vec::with_capacity(2 * members.len()),
            gifts: Vec::with_capacity(members.len()),
            lu,
            uses: vec![of(), of()],
            settled: Vec::with_capacity(members.len()),
            from: Vec::with_capacity(members.len()),
            is_off: false,
            is_pure: false,
            is_exact: false,
            is_first: false,
        })
    }

    /// A step begins; `is_touched` where something else acts on its bodies.
    pub(super) fn begin(&mut self, is_touched: bool) {
        self.lu.yield_by_all(self.has_loops && is_touched);
        self.uses.iter_mut().for_each(Use::begin);
    }

    /// The blocks of a step are made.
    pub(super) fn look_at(&mut self, members: &[Member], blocks: &[TieBlock]) {
        self.is_pure =
            !self.is_thin && members.iter().all(|m| blocks[m.block as usize].is_pure(m.lane as usize));
    }

    /// Whether the last solve left no more than rounding does, and nothing else has acted since.
    pub(super) fn is_done(&self) -> bool {
        self.is_pure && self.is_exact
    }

    /// The bodies moved for `h` seconds: factors are those of before.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    pub(super) unsafe fn follow(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
        h: Real,
    ) {
        let fastest = members.iter().fold(0.0, |fastest: Real, member| {
            let block = &blocks[(member.block - first) as usize];
            // SAFETY: passed on.
            fastest.max(unsafe { block.turning(member.lane as usize, hot) })
        });
        let is_stiff = members.iter().any(|m| blocks[(m.block - first) as usize].is_stiff(m.lane as usize));
        for factors in &mut self.uses {
            factors.turned += fastest.sqrt() * h;
            // What is no number is as good as anything.
            if is_stiff || factors.is_stiff || factors.turned.is_nan() || factors.turned > factors.stale {
                factors.begin();
            }
        }
    }

    /// Brings the velocities of all that is locked, and of limits that are met, to what keeps it, at the end of a sub-step of `h` seconds; what that takes is for [`Direct::write`].
    /// `first` is the first of `blocks`.
    ///
    /// # Safety
    /// The bodies of the members belong to this call alone.
    pub(super) unsafe fn solve(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
        (h, isa): (Real, Isa),
    ) {
        self.gifts.clear();
        self.is_exact = false;
        self.wrong = [0.0, self.wrong[0]];
        self.uses[IMPULSES].turns.iter_mut().for_each(Turns::begin);
        // SAFETY: passed on.
        unsafe { self.start_from(members, (blocks, first), hot, h) };
        for round in (0..MOST_ROUNDS).rev() {
            if !self.factor(IMPULSES, members, (blocks, first), h, isa) {
                // SAFETY: passed on.
                unsafe { self.repeat(members, (blocks, first), hot) };
                return;
            }
            // SAFETY: passed on.
            self.wrong[0] = unsafe { self.find_impulses(members, (blocks, first), hot, (h, isa)) };
            // SAFETY: passed on.
            if !self.is_limited || round == 0 || !unsafe { self.let_go(members, (blocks, first), hot) } {
                break;
            }
        }
        self.is_first = false;
        let rows = self.lu.rows();
        let right = self.right.chunks_exact(rows);
        for ((member, turns), right) in members.iter().zip(&self.uses[IMPULSES].turns).zip(right) {
            let block = &blocks[(member.block - first) as usize];
            let (force, turn) = read(right);
            // SAFETY: passed on.
            self.gifts.push(unsafe { block.give(member.lane as usize, turns, hot, force, &turn) });
        }
        // Factors of these velocities leave what a change of the turning does in the second order: ½ h |Δω|² r.
        let (mut square, mut work): (Real, Real) = (0.0, 0.0);
        if self.is_pure {
            for ((member, before), gift) in members.iter().zip(&self.before).zip(&self.gifts) {
                let block = &blocks[(member.block - first) as usize];
                // SAFETY: passed on.
                let [own, of_impulses] = unsafe { block.left(member.lane as usize, hot, before, gift) };
                (square, work) = (larger(square, own), work + of_impulses);
            }
        }
        let is_small = 0.5 * h * work <= EXACT_WORK * self.energy && 0.5 * h * h * square <= EXACT_PLACE;
        let may_be_exact = self.is_pure && !self.is_off && is_small;
        // SAFETY: passed on.
        self.is_exact = may_be_exact && unsafe { self.is_left_exact(members, (blocks, first), hot, h) };
        if !self.settled.is_empty() {
            // SAFETY: passed on.
            unsafe { self.settle(members, (blocks, first), hot) };
        }
    }

    /// Notes how bodies turn when nothing was given yet: before the first sub-step, and after each solve.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    pub(super) unsafe fn settle(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
    ) {
        self.settled.clear();
        self.settled.extend(members.iter().map(|member| {
            // SAFETY: passed on.
            unsafe { blocks[(member.block - first) as usize].turnings(member.lane as usize, hot) }
        }));
    }

    /// Finds from where a solve starts: as bodies turn, but where impulses of rows or contacts alone made that another turning by more than [`FAR_OFF`] in a sub-step: thin bodies are thrown by
    /// what the locks of their neighbours take back at once, so what they turned by before that is nearer to what they will.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    unsafe fn start_from(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
        h: Real,
    ) {
        self.from.clear();
        self.is_off = false;
        for (k, member) in members.iter().enumerate() {
            let block = &blocks[(member.block - first) as usize];
            // SAFETY: passed on.
            let mut from = unsafe { block.turnings(member.lane as usize, hot) };
            if let Some(settled) = self.settled.get(k) {
                for (from, settled) in from.iter_mut().zip(settled) {
                    let is_near = (*from - settled).norm_squared() * (h * h) <= FAR_OFF * FAR_OFF;
                    if !is_near && drystone_math::is_finite(settled) {
                        (*from, self.is_off) = (*settled, true);
                    }
                }
            }
            for from in &mut from {
                let followed = bounded(from, h);
                self.is_off |= followed != *from;
                *from = followed;
            }
            self.from.push(from);
        }
    }

    /// Where there are no factors, gives what the last sub-step gave, if that was put aside.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    unsafe fn repeat(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
    ) {
        if !std::mem::take(&mut self.is_first) {
            return;
        }
        for (member, turns) in members.iter().zip(&self.uses[IMPULSES].turns) {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            let [force, turn] = block.held(lane, turns);
            // SAFETY: passed on.
            self.gifts.push(unsafe { block.give(lane, turns, hot, force, &turn) });
        }
    }

    /// Whether what is locked stops but for the rounding of velocities: where it does not, impulses are known too badly, as those of thin bodies.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    unsafe fn is_left_exact(
        &self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
        h: Real,
    ) -> bool {
        members.iter().zip(&self.uses[IMPULSES].turns).all(|(member, turns)| {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            // SAFETY: passed on.
            let from = unsafe { block.turnings(lane, hot) }.map(|turning| bounded(&turning, h));
            // SAFETY: passed on.
            let Motion { place, turn, spins, speed, .. } =
                unsafe { block.motion(lane, turns, hot, h, &from) };
            let spin = larger(spins[0].norm_squared(), spins[1].norm_squared());
            place.norm_squared() <= EXACT_SPEED * EXACT_SPEED * speed
                && turn.norm_squared() <= EXACT_SPEED * EXACT_SPEED * spin
        })
    }

    /// What was wrong before the last solve, m/s or rad/s.
    pub(super) fn wrong(&self) -> f64 {
        self.wrong[0]
    }

    /// [`Direct::solve`] once more, with factors of the velocities by now. Where the solves before it found no end, the last one is that of the begin of the sub-step: without the second order of the turning there is one
    /// answer, which bodies of a tree gain no energy by (loops come within a hundredth of it). What is left is an error of the places, to be taken back by displacement.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    pub(super) unsafe fn solve_again(
        &mut self,
        members: &[Member],
        blocks: (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
        (h, isa): (Real, Isa),
        is_last: bool,
    ) {
        let [wrong, before] = self.wrong;
        let ends = !is_last && wrong < CONVERGING * before;
        self.uses[IMPULSES].begin();
        // SAFETY: passed on.
        unsafe { self.solve(members, blocks, hot, (if ends { h } else { 0.0 }, isa)) };
        if !ends {
            self.uses[IMPULSES].begin();
            self.wrong[0] = 0.0;
        }
    }

    /// Writes what the last solve gave into the lanes of the members.
    pub(super) fn write(&self, members: &[Member], (blocks, first): (&mut [TieBlock], u32)) {
        for (k, (member, turns)) in members.iter().zip(&self.uses[IMPULSES].turns).enumerate() {
            let block = &mut blocks[(member.block - first) as usize];
            block.take(member.lane as usize, turns, self.gifts.get(k));
        }
    }

    /// Finds the impulses that stop all that is locked, and limits that are met; returns the largest of what is wrong without them, m/s or rad/s.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    unsafe fn find_impulses(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
        (h, isa): (Real, Isa),
    ) -> f64 {
        let (rows, turns) = (self.lu.rows(), &self.uses[IMPULSES].turns);
        let right = self.right.chunks_exact_mut(rows).zip(turns);
        let mut wrong: f64 = 0.0;
        self.energy = 0.0;
        self.before.clear();
        for (k, (member, (right, turns))) in members.iter().zip(right).enumerate() {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            // SAFETY: passed on.
            let Motion { place, turn, spins, energy, .. } =
                unsafe { block.motion(lane, turns, hot, h, &self.from[k]) };
            self.energy += energy;
            self.before.push(spins);
            fill(right, &place, &turn);
            wrong = right.iter().fold(wrong, |most, x| most.max(x.abs()));
            if self.has_loops {
                let given = block.given(lane, turns);
                let given = given.iter().flat_map(|given| given.iter());
                let soft = self.lu.soft(IMPULSES, k);
                for ((right, soft), given) in right.iter_mut().zip(soft).zip(given) {
                    *right -= soft * f64::from(*given);
                }
                if self.is_first {
                    // Without them, all of what the last sub-step gave is to be given again.
                    let held = block.held(lane, turns);
                    let held = held.iter().flat_map(|held| held.iter());
                    for ((right, soft), held) in right.iter_mut().zip(soft).zip(held) {
                        *right += soft * super::system::STAYS * f64::from(*held);
                    }
                }
            }
        }
        self.lu.solve(IMPULSES, isa, &mut self.right);
        wrong
    }

    /// Takes back what limits gave that would pull now; false where none would.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    unsafe fn let_go(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &SharedBodyStates<'_>,
    ) -> bool {
        let mut is_any = false;
        let right = self.right.chunks_exact(self.lu.rows());
        for ((member, turns), right) in members.iter().zip(&mut self.uses[IMPULSES].turns).zip(right) {
            let block = &blocks[(member.block - first) as usize];
            // SAFETY: passed on.
            let (by_place, by_turn) = read(right);
            // SAFETY: passed on.
            is_any |= unsafe { block.let_go(member.lane as usize, turns, hot, (&by_place, &by_turn)) };
        }
        is_any
    }

    /// Factors for a use where the bodies are; false where there are none, so that sweeps have to do.
    fn factor(
        &mut self,
        of: usize,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        h: Real,
        isa: Isa,
    ) -> bool {
        // Impulses are those of limits too; where there are no limits, both have the same factors.
        let (is_limited, with_limits) = (self.is_limited, of == IMPULSES);
        let block = |member: &Member| &blocks[(member.block - first) as usize];
        let factors = &mut self.uses[of];
        if factors.is_factored && is_limited && with_limits {
            for (turns, member) in factors.turns.iter_mut().zip(members) {
                factors.is_factored &= block(member).keeps_turns(member.lane as usize, turns);
            }
        }
        if factors.is_factored {
            return true;
        }
        for (turns, member) in factors.turns.iter_mut().zip(members) {
            *turns = block(member).turns(member.lane as usize, with_limits, turns.gone);
        }
        factors.is_stiff = members.iter().any(|member| block(member).is_stiff(member.lane as usize));
        factors.turned = 0.0;
        let from = &self.from;
        let spins_of = |k: usize| {
            from.get(k)
                .filter(|_| with_limits)
                .map_or([Spin::zeros(); 2], |from| from.map(|turning| (turning * h).cast()))
        };
        factors.is_factored = self.lu.factor(of, (members, &factors.turns), (blocks, first), spins_of, isa);
        factors.is_factored
    }
}

impl Use {
    /// There are no factors of this step.
    fn begin(&mut self) {
        (self.is_factored, self.turned) = (false, 0.0);
    }
}

fn fill(right: &mut [f64], place: &Vector3, turn: &Vector3) {
    for (k, right) in right.iter_mut().enumerate() {
        *right = -f64::from(if k < 3 { place[k] } else { turn[k - 3] });
    }
}

fn read(right: &[f64]) -> (Vector3, Vector3) {
    let part = |first: usize| {
        let at = |k: usize| right.get(first + k).map_or(0.0, |&value| value as Real);
        Vector3::new(at(0), at(1), at(2))
    };
    (part(0), part(3))
}
