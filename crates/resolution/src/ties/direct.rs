//! Ties solved directly: chains, bridges, rigs, where what one of them gives runs through all.
//!
//! Sweeps carry an impulse from one tie to the next; a chain of a hundred with a heavy end needs more of them than there is time for. So what hangs
//! together is solved as one system, exactly, in `f64`: `J M⁻¹ Jᵀ λ = −(J v + bend)` for all that is locked, by a sparse factorisation, whose cost grows
//! with the number of ties where they form a tree. The same factors take back the errors of the places, and serve the sub-steps that follow as long as
//! bodies have hardly turned. Motors, friction and contacts
//! are left to the sweeps that follow.
//!
//! Limits of turns that pushed last are among the unknowns, as if they were locks where they are met: a limit that knows the inertia of its two bodies
//! alone is a weak spring where these are thin and much hangs on them. What is found to pull gives nothing; what is met anew is the sweeps' for one sub-step.
//! What is beyond a limit is left to the single ties to take back: where contacts allow no place within all limits, something has to give way.
//!
//! Small sets of bodies of like mass without such limits are left to the sweeps altogether: they need no more ([`WORTH`]); nets are too, as their factors fill in
//! ([`MOST_FILL`]).
#![expect(unsafe_code, reason = "changes disjoint bodies of one array")]

use super::block::TieBlock;
use super::member::Turns;
use super::sets::{FixedState, Member};
use super::system::{Coupling, Lu};
use drystone_contact::HotLanes;
use drystone_math::wide::Isa;
use drystone_math::{Real, Vector3};
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
/// Angle, rad, by which bodies may have turned since the factors were made, for two ties of like masses: sweeps take what is wrong by then. What an angle
/// does to the answer grows with the ratio of the masses and the length of a chain.
const STALE: Real = 0.01;

/// The factors of a set.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    lu: Lu,
    /// Turns of each tie, as they are in the factors; whether some of them have limits.
    turns: Vec<Turns>,
    is_limited: bool,
    right: Vec<f64>,
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
        let is_worth = members.len() >= WORTH || is_uneven || is_limited;
        if members.len() < 2 || members.len() > MOST || !is_worth {
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
        let turns =
            is_limited || members.iter().any(|m| blocks[m.block as usize].locks_turns(m.lane as usize));
        let lu = Lu::new(members.len(), &couplings, turns);
        let stale = STALE * least / (most * (members.len() as Real).sqrt());
        (lu.fill() <= MOST_FILL * members.len()).then(|| Self {
            right: vec![0.0; lu.rows() * members.len()],
            lu,
            turns: members.iter().map(|m| blocks[m.block as usize].turns(m.lane as usize, false)).collect(),
            is_limited,
            is_factored: false,
            turned: 0.0,
            is_stiff: false,
            stale,
        })
    }

    /// A step begins.
    pub(super) fn begin(&mut self) {
        (self.is_factored, self.turned) = (false, 0.0);
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
        h: Real,
    ) {
        let fastest = members.iter().fold(0.0, |fastest: Real, member| {
            let block = &blocks[(member.block - first) as usize];
            // SAFETY: passed on.
            fastest.max(unsafe { block.turning(member.lane as usize, hot) })
        });
        self.turned += fastest.sqrt() * h;
        let is_stiff = members.iter().any(|m| blocks[(m.block - first) as usize].is_stiff(m.lane as usize));
        // What is no number is as good as anything.
        if is_stiff || self.is_stiff || self.turned.is_nan() || self.turned > self.stale {
            self.begin();
        }
    }

    /// Brings the velocities of all that is locked, and of limits that are met, to what keeps it, at the end of a sub-step of `h` seconds. `first` is the
    /// first of `blocks`.
    ///
    /// # Safety
    /// The bodies of the blocks belong to this call alone.
    pub(super) unsafe fn solve(
        &mut self,
        members: &[Member],
        (blocks, first): (&mut [TieBlock], u32),
        hot: &HotLanes<'_>,
        (h, isa): (Real, Isa),
    ) {
        if !self.factor(members, true, (blocks, first), isa) {
            return;
        }
        let rows = self.lu.rows();
        let right = self.right.chunks_exact_mut(rows).zip(&self.turns);
        for ((member, soft), (right, turns)) in members.iter().zip(self.lu.soft()).zip(right) {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            // SAFETY: passed on.
            let (place, turn) = unsafe { block.motion(lane, turns, hot, h) };
            fill(right, &place, &turn);
            let (force, torque) = block.given(lane, turns);
            for (k, right) in right.iter_mut().enumerate() {
                let given = if k < 3 { force[k] } else { torque[k - 3] };
                *right -= soft[k / 3] * f64::from(given);
            }
        }
        self.lu.solve(isa, &mut self.right);
        for ((member, turns), right) in members.iter().zip(&self.turns).zip(self.right.chunks_exact(rows)) {
            let block = &mut blocks[(member.block - first) as usize];
            let (force, turn) = read(right);
            // SAFETY: passed on.
            unsafe { block.give(member.lane as usize, turns, hot, force, &turn) };
        }
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
        isa: Isa,
    ) {
        if !self.factor(members, false, (blocks, first), isa) {
            return;
        }
        let rows = self.lu.rows();
        let right = self.right.chunks_exact_mut(rows);
        for ((member, turns), right) in members.iter().zip(&self.turns).zip(right) {
            let (place, turn) = blocks[(member.block - first) as usize].errors(member.lane as usize, turns);
            fill(right, &place, &turn);
        }
        self.lu.solve(isa, &mut self.right);
        for ((member, turns), right) in members.iter().zip(&self.turns).zip(self.right.chunks_exact(rows)) {
            let block = &blocks[(member.block - first) as usize];
            let (force, turn) = read(right);
            // SAFETY: passed on.
            unsafe { block.shift(member.lane as usize, turns, hot, force, &turn) };
        }
    }

    /// Factors where the bodies are, with or without limits that are met; false where there are none, so that sweeps have to do.
    fn factor(
        &mut self,
        members: &[Member],
        with_limits: bool,
        (blocks, first): (&[TieBlock], u32),
        isa: Isa,
    ) -> bool {
        let block = |member: &Member| &blocks[(member.block - first) as usize];
        if self.is_factored && self.is_limited {
            for (turns, member) in self.turns.iter_mut().zip(members) {
                self.is_factored &= block(member).keeps_turns(member.lane as usize, with_limits, turns);
            }
        }
        if self.is_factored {
            return true;
        }
        for (turns, member) in self.turns.iter_mut().zip(members) {
            *turns = block(member).turns(member.lane as usize, with_limits);
        }
        self.is_stiff = members.iter().any(|member| block(member).is_stiff(member.lane as usize));
        self.is_factored = self.lu.factor((members, &self.turns), (blocks, first), isa);
        self.is_factored
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
