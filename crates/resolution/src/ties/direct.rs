//! Ties solved directly: chains, bridges, rigs, where what one of them gives runs through all.
//!
//! Sweeps carry an impulse from one tie to the next; a chain of a hundred with a heavy end needs more of them than there is time for. So what hangs
//! together is solved as one system, exactly, in `f64`: `J M⁻¹ Jᵀ λ = −(J v + bend)` for all that is locked, by a sparse factorisation, whose cost grows
//! with the number of ties where they form a tree. `J` on the left is that of the end of the sub-step, which turning bodies make another one than that of its begin: so that is Newton's method, of which two steps
//! and sometimes more are taken. Errors of the places are taken back with factors of their own, without the turning. Motors, friction and contacts are the sweeps'.
//!
//! Factors serve the sub-steps that follow, within the step, as long as a look at what a solve with them left says that they do ([`CONTRACTION`]): how far bodies may turn
//! meanwhile depends on masses, lengths and loads by orders of magnitude. What is wrong by little is left as it is. Nobody looks at errors of places, whose factors are new unless
//! bodies have hardly turned, or the errors are small.
//!
//! In loops every row yields a little ([`super::system`]): what is held twice has one answer, and nothing works against itself from sub-step to sub-step.
//!
//! Limits of turns that pushed last are among the unknowns, as if they were locks where they are met: a limit that knows the inertia of its two bodies
//! alone is a weak spring where these are thin and much hangs on them. What is found to pull is let go and the rest solved again, a few times: what the others give rests on
//! what all of them give, and arms of links with limits tore themselves apart where only its own part was cut off. What is met anew is the sweeps' for one sub-step.
//! What is beyond a limit is left to the single ties to take back: where contacts allow no place within all limits, something has to give way.
//!
//! Small sets of bodies of like mass and shape without such limits are left to the sweeps altogether: they need no more ([`WORTH`]); nets are too, as their factors fill in
//! ([`MOST_FILL`]).
#![expect(unsafe_code, reason = "changes disjoint bodies of one array")]

use super::block::TieBlock;
use super::member::{Gift, Turns};
use super::sets::{FixedState, Member};
use super::system::{Coupling, Lu, Spin};
use drystone_contact::HotLanes;
use drystone_math::wide::Isa;
use drystone_math::{Real, Vector3, larger, smaller};
use hashbrown::HashMap;

/// Ties from which a set is solved directly, whatever its masses and limits.
const WORTH: usize = 4;
/// Ratio of masses from which a smaller one is.
const UNEVEN: Real = 4.0;
/// Most ties of a set.
const MOST: usize = 1000;
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
/// Angle, rad, by which bodies may have turned since the factors were made, for two ties of like masses: sweeps take what is wrong by then. What an angle
/// does to the answer grows with the ratio of the masses and the length of a chain.
const STALE: Real = 0.01;
/// The same where what old factors leave is looked at: they stay as long as a solve leaves no more than this share of what was wrong, or than twice what it left with new ones.
const OLDEST: Real = 0.3;
const CONTRACTION: f64 = 0.1;
/// Angle up to which factors take errors back in trees, in units of [`STALE`]: what they leave is taken back in the sub-steps that follow. At most [`OLDEST`] counts.
const STALE_PLACES: Real = 100.0;
/// Angle up to which factors take errors back that left little of velocities ([`CONTRACTION`]) after another one, in units of that.
const TRUST: Real = 2.0;
/// Angle up to which nobody looks whether they left little again, likewise.
const CHECKED: Real = 1.25;
/// Errors, of which nobody looks at what old factors leave, that they take back nevertheless; what is more calls for new ones. (With old ones bridges between two banks flew apart, which are nearly straight.)
const LITTLE: Real = 3e-5;
/// Errors that can wait for another sub-step.
const PATIENT: Real = 1e-3;
/// Errors that are left alone: of places as a share of the arms, and of turns, rad.
const SMALL_ERROR: Real = 1e-6;

/// The factors of a set.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    lu: Lu,
    /// Whether its ties are more than a tree.
    has_loops: bool,
    is_limited: bool,
    /// What impulses are solved with, and where some turns have limits, what displacements are.
    uses: Vec<Use>,
    right: Vec<f64>,
    /// What was wrong before the last solve, and before the one before it, m/s or rad/s.
    wrong: [f64; 2],
    /// Whether errors were left to the next sub-step.
    waits: bool,
    /// Whether inertias are those of what its ties give ([`super::stiff`]).
    is_stiff: bool,
    /// What the last solve gave each tie; none where there were no factors.
    gifts: Vec<Gift>,
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
    /// Share of what was wrong that a solve with them left when they were new.
    when_new: f64,
    /// Angle after which they still left little in this step, rad.
    served: Real,
    /// Angle up to which they are tried in this step, rad: less where that was seen to be too much.
    oldest: Real,
}

/// How the sets of a step are solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetSolve {
    /// Length of a sub-step, s; 0 where bodies do not turn.
    pub(crate) h: Real,
    pub(crate) isa: Isa,
    /// What may be left of wrong velocities, m/s or rad/s, where solves are repeated until that is so; none where there is one with factors of less than an angle ([`STALE`]).
    pub(crate) enough: Option<f64>,
}

/// What is to be done about what is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It is left.
    Left,
    /// It is solved with the factors that there are.
    Solved,
    /// Factors are too old for that.
    Stale,
}

/// Which solve of a sub-step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    First,
    /// Whether what old factors left is little.
    Check,
    /// The last word.
    Second,
    /// Velocities by now call for new factors; the last of all.
    More {
        is_last: bool,
    },
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
        let locks_turns = members.iter().any(|m| blocks[m.block as usize].locks_turns(m.lane as usize));
        let has_loops = has_loops(blocks, members);
        let is_uneven = is_uneven || slender > UNEVEN;
        let is_worth = members.len() >= WORTH || is_uneven || is_limited || has_loops;
        let is_alone = members.len() == 1 && !(locks_turns && slender > UNEVEN);
        if is_alone || members.len() > MOST || !is_worth {
            return None;
        }
        let mut of_body: HashMap<u32, Vec<(u32, usize)>, FixedState> = HashMap::default();
        let mut couplings = Vec::new();
        for (k, &member) in members.iter().enumerate() {
            for (side, &body) in member.pushed(blocks).iter().enumerate().filter(|(_, body)| **body != 0) {
                let list = of_body.entry(body).or_default();
                couplings.push(Coupling { members: [k as u32; 2], sides: [side; 2] });
                for &(other, other_side) in list.iter() {
                    couplings.push(Coupling { members: [other, k as u32], sides: [other_side, side] });
                }
                list.push((k as u32, side));
                if list.len() > MOST_OF_BODY {
                    return None;
                }
            }
        }
        let turns = is_limited || locks_turns;
        let lu = Lu::new(members.len(), &couplings, 2, [turns, has_loops]);
        let like = least / (most * (members.len() as Real).sqrt() * if turns { slender.sqrt() } else { 1.0 });
        let stale = STALE * like;
        let turns =
            || members.iter().map(|m| blocks[m.block as usize].turns(m.lane as usize, false, 0)).collect();
        // Loops are nearly singular where they are taut.
        let places = if has_loops { stale } else { smaller(STALE_PLACES * stale, OLDEST) };
        let of = |stale: Real| Use {
            turns: turns(),
            is_factored: false,
            turned: 0.0,
            is_stiff: false,
            stale,
            when_new: 0.0,
            served: 0.0,
            oldest: OLDEST,
        };
        (lu.fill() <= MOST_FILL * members.len()).then(|| Self {
            has_loops,
            is_limited,
            wrong: [0.0; 2],
            is_stiff: false,
            waits: false,
            right: vec![0.0; lu.rows() * members.len()],
            gifts: Vec::with_capacity(members.len()),
            lu,
            uses: vec![of(stale), of(places)],
        })
    }

    /// A step begins.
    pub(super) fn begin(&mut self) {
        self.waits = false;
        for factors in &mut self.uses {
            factors.begin();
            (factors.oldest, factors.served) = (OLDEST, 0.0);
        }
    }

    /// The bodies moved for `h` seconds: factors are those of before.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    pub(super) unsafe fn follow(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &HotLanes<'_>,
        SetSolve { h, enough, .. }: SetSolve,
    ) {
        let fastest = members.iter().fold(0.0, |fastest: Real, member| {
            let block = &blocks[(member.block - first) as usize];
            // SAFETY: passed on.
            fastest.max(unsafe { block.turning(member.lane as usize, hot) })
        });
        let block = |m: &Member| &blocks[(m.block - first) as usize];
        self.is_stiff = members.iter().any(|m| block(m).is_stiff(m.lane as usize));
        for (of, factors) in self.uses.iter_mut().enumerate() {
            factors.turned += fastest.sqrt() * h;
            // What old factors leave of velocities is looked at; nobody looks at places.
            let is_checked = enough.is_some() && of == IMPULSES;
            let oldest = if enough.is_some() { factors.oldest } else { factors.stale };
            let is_other = (self.is_stiff || factors.is_stiff) && !is_checked;
            // What is no number is as good as anything.
            if is_other || factors.turned.is_nan() || factors.turned > oldest {
                factors.begin();
            }
        }
    }

    /// Brings the velocities of all that is locked, and of limits that are met, to what keeps it, at the end of a sub-step of `h` seconds; what that takes is for [`Direct::write`].
    /// `first` is the first of `blocks`. What is wrong by little is left as it is, and factors stay as long as they serve ([`CONTRACTION`]).
    ///
    /// # Safety
    /// The bodies of the members belong to this call alone.
    pub(super) unsafe fn solve(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &HotLanes<'_>,
        how: SetSolve,
        attempt: Attempt,
    ) {
        let mut h = how.h;
        let [last, before] = self.wrong;
        let ends = match attempt {
            Attempt::More { is_last } => is_last || last >= CONVERGING * before,
            _ => false,
        };
        if matches!(attempt, Attempt::More { .. }) {
            self.uses[IMPULSES].begin();
        }
        if ends {
            // The linear part alone ([`Attempt::More`]).
            h = 0.0;
        }
        self.gifts.clear();
        self.wrong = [0.0, last];
        self.uses[IMPULSES].turns.iter_mut().for_each(Turns::begin);
        for round in (0..MOST_ROUNDS).rev() {
            // SAFETY: passed on.
            let spins = |block: &TieBlock, lane: usize| unsafe { block.spins(lane, hot, h) };
            if !self.factor(IMPULSES, members, (blocks, first), spins, how.isa) {
                return;
            }
            // SAFETY: passed on.
            self.wrong[0] = unsafe { self.find_wrong(members, (blocks, first), hot, h) };
            if let Some(enough) = how.enough.filter(|_| !ends) {
                match self.judge(attempt, last, enough) {
                    Verdict::Left => return,
                    Verdict::Solved => {}
                    Verdict::Stale => {
                        self.uses[IMPULSES].begin();
                        if !self.factor(IMPULSES, members, (blocks, first), spins, how.isa) {
                            return;
                        }
                        // SAFETY: passed on.
                        self.wrong[0] = unsafe { self.find_wrong(members, (blocks, first), hot, h) };
                    }
                }
            }
            self.lu.solve(IMPULSES, how.isa, &mut self.right);
            // SAFETY: passed on.
            if round == 0 || !self.is_limited || !unsafe { self.let_go(members, (blocks, first), hot) } {
                break;
            }
        }
        let rows = self.lu.rows();
        let right = self.right.chunks_exact(rows);
        for ((member, turns), right) in members.iter().zip(&self.uses[IMPULSES].turns).zip(right) {
            let block = &blocks[(member.block - first) as usize];
            let (force, turn) = read(right);
            // SAFETY: passed on.
            self.gifts.push(unsafe { block.give(member.lane as usize, turns, hot, force, &turn) });
        }
        if ends {
            self.uses[IMPULSES].begin();
            self.wrong[0] = 0.0;
        }
    }

    /// What is to be done about what is wrong, where so much is enough and so much was wrong before the last solve.
    fn judge(&mut self, attempt: Attempt, before: f64, enough: f64) -> Verdict {
        let wrong = self.wrong[0];
        // Loops forget what they give against themselves by being solved.
        let is_little = wrong <= enough && !(self.has_loops && attempt == Attempt::First);
        let factors = &mut self.uses[IMPULSES];
        if is_little {
            return Verdict::Left;
        }
        if !matches!(attempt, Attempt::Check | Attempt::Second) || before <= enough {
            return Verdict::Solved;
        }
        let share = wrong / before;
        if factors.is_new() {
            factors.when_new = share;
            return if attempt == Attempt::Check { Verdict::Left } else { Verdict::Solved };
        }
        let most = CONTRACTION.max(2.0 * factors.when_new);
        if share > most {
            factors.oldest = factors.turned * (most / share) as Real;
            return Verdict::Stale;
        }
        factors.served = larger(factors.served, factors.turned);
        if attempt == Attempt::Check { Verdict::Left } else { Verdict::Solved }
    }

    /// Whether the factors are older than those that were seen to serve.
    pub(super) fn is_to_be_checked(&self) -> bool {
        let factors = &self.uses[IMPULSES];
        let is_stiff = self.is_stiff || factors.is_stiff;
        factors.is_factored && !factors.is_new() && (is_stiff || factors.turned > CHECKED * factors.served)
    }

    /// What was wrong before the last solve, m/s or rad/s.
    pub(super) fn wrong(&self) -> f64 {
        self.wrong[0]
    }

    /// Writes what the last solve gave into the lanes of the members.
    pub(super) fn write(&self, members: &[Member], (blocks, first): (&mut [TieBlock], u32)) {
        for (k, (member, turns)) in members.iter().zip(&self.uses[IMPULSES].turns).enumerate() {
            let block = &mut blocks[(member.block - first) as usize];
            block.take(member.lane as usize, turns, self.gifts.get(k));
        }
    }

    /// Finds what is wrong with all that is locked, and with limits that are met; returns the largest of it, m/s or rad/s.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    unsafe fn find_wrong(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &HotLanes<'_>,
        h: Real,
    ) -> f64 {
        let (rows, turns) = (self.lu.rows(), &self.uses[IMPULSES].turns);
        let right = self.right.chunks_exact_mut(rows).zip(turns);
        let mut wrong: f64 = 0.0;
        for (k, (member, (right, turns))) in members.iter().zip(right).enumerate() {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            // SAFETY: passed on.
            let (place, turn) = unsafe { block.motion(lane, turns, hot, h) };
            fill(right, &place, &turn);
            wrong = right.iter().fold(wrong, |most, x| most.max(x.abs()));
            if self.has_loops {
                let given = block.given(lane, turns);
                let given = given.iter().flat_map(|given| given.iter());
                for ((right, soft), given) in right.iter_mut().zip(self.lu.soft(IMPULSES, k)).zip(given) {
                    *right -= soft * f64::from(*given);
                }
            }
        }
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
        hot: &HotLanes<'_>,
    ) -> bool {
        let mut is_any = false;
        let right = self.right.chunks_exact(self.lu.rows());
        for ((member, turns), right) in members.iter().zip(&mut self.uses[IMPULSES].turns).zip(right) {
            let block = &blocks[(member.block - first) as usize];
            // SAFETY: passed on.
            is_any |= unsafe { block.let_go(member.lane as usize, turns, hot, &read(right).1) };
        }
        is_any
    }

    /// Takes errors back by displacement, after the bodies moved.
    ///
    /// # Safety
    /// As [`Direct::solve`].
    pub(super) unsafe fn place(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        hot: &HotLanes<'_>,
        how: SetSolve,
    ) {
        let mut largest = Real::INFINITY;
        if how.enough.is_some() {
            let missed = |m: &Member| blocks[(m.block - first) as usize].missed(m.lane as usize);
            largest = members.iter().map(missed).fold(0.0, larger);
            // What is no number is no reason to wait.
            if largest <= SMALL_ERROR {
                return;
            }
            self.waits = !self.waits && largest <= PATIENT;
            if self.waits {
                return;
            }
        }
        let of = self.use_of_places(members, (blocks, first), how, largest);
        let still = |_: &TieBlock, _: usize| [Spin::zeros(); 2];
        if of == DISPLACEMENTS && !self.factor(of, members, (blocks, first), still, how.isa) {
            return;
        }
        let (rows, turns) = (self.lu.rows(), &self.uses[of].turns);
        let right = self.right.chunks_exact_mut(rows);
        for ((member, turns), right) in members.iter().zip(turns).zip(right) {
            let (place, turn) = blocks[(member.block - first) as usize].errors(member.lane as usize, turns);
            fill(right, &place, &turn);
        }
        self.lu.solve(of, how.isa, &mut self.right);
        for ((member, turns), right) in members.iter().zip(turns).zip(self.right.chunks_exact(rows)) {
            let block = &blocks[(member.block - first) as usize];
            let (force, turn) = read(right);
            // SAFETY: passed on.
            unsafe { block.shift(member.lane as usize, turns, hot, force, &turn) };
        }
    }

    /// Which factors take errors back: those of impulses where they serve, or the other ones, which are new unless they do.
    fn use_of_places(
        &mut self,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        how: SetSolve,
        largest: Real,
    ) -> usize {
        let shared = &mut self.uses[IMPULSES];
        let (is_lazy, trusted) = (how.enough.is_some() && largest <= LITTLE, TRUST * shared.served);
        let is_stiff = self.is_stiff || shared.is_stiff;
        if is_lazy && shared.is_factored && !is_stiff && shared.turned <= trusted {
            let of = |m: &Member| &blocks[(m.block - first) as usize];
            let mut ties = shared.turns.iter_mut().zip(members);
            if ties.all(|(turns, m)| of(m).has_locks_alone(m.lane as usize, turns)) {
                return IMPULSES;
            }
        }
        let own = &mut self.uses[DISPLACEMENTS];
        let own_stale = if is_lazy { larger(own.stale, trusted) } else { own.stale };
        if own.turned > own_stale {
            own.begin();
        }
        DISPLACEMENTS
    }

    /// Factors for a use where the bodies are; false where there are none, so that sweeps have to do.
    fn factor(
        &mut self,
        of: usize,
        members: &[Member],
        (blocks, first): (&[TieBlock], u32),
        spins_of: impl Fn(&TieBlock, usize) -> [Spin; 2],
        isa: Isa,
    ) -> bool {
        // Impulses are those of limits too; where there are no limits, both have the same factors.
        let with_limits = self.is_limited && of == IMPULSES;
        let has_turns = self.lu.rows() > 3;
        let block = |member: &Member| &blocks[(member.block - first) as usize];
        let factors = &mut self.uses[of];
        if factors.is_factored {
            let mut ties = factors.turns.iter_mut().zip(members);
            let keep =
                |(turns, m): (&mut Turns, &Member)| block(m).keeps_turns(m.lane as usize, turns, with_limits);
            if !has_turns || ties.all(keep) {
                return true;
            }
            factors.begin();
        }
        for (turns, member) in factors.turns.iter_mut().zip(members) {
            *turns = block(member).turns(member.lane as usize, with_limits, turns.gone());
        }
        factors.is_stiff = members.iter().any(|member| block(member).is_stiff(member.lane as usize));
        factors.turned = 0.0;
        factors.is_factored = self.lu.factor(of, (members, &factors.turns), (blocks, first), spins_of, isa);
        factors.is_factored
    }
}

impl Use {
    /// There are no factors of this step.
    fn begin(&mut self) {
        (self.is_factored, self.turned) = (false, 0.0);
        self.when_new = 0.0;
    }

    /// Whether bodies did not turn since the factors were made.
    fn is_new(&self) -> bool {
        self.turned == 0.0
    }
}

/// Whether ties are more than a tree of the bodies that are pushed, with all that is not as one root.
fn has_loops(blocks: &[TieBlock], members: &[Member]) -> bool {
    let mut bodies: Vec<u32> = members.iter().flat_map(|member| member.pushed(blocks)).collect();
    let is_held = bodies.contains(&0);
    bodies.retain(|&body| body != 0);
    bodies.sort_unstable();
    bodies.dedup();
    members.len() + 1 > bodies.len() + usize::from(is_held)
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
