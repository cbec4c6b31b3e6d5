//! Ties solved directly: chains, bridges, rigs, where what one of them gives runs through all.
//!
//! Sweeps carry an impulse from one tie to the next; a chain of a hundred with a heavy end needs more of them than there is time for. So what hangs
//! together is solved as one system, exactly, in `f64`: `J M⁻¹ Jᵀ λ = −(J v + bend)` for all that is locked, by a sparse factorisation, whose cost grows
//! with the number of ties where they form a tree. The same factors take back the errors of the places, and serve the sub-steps that follow as long as
//! bodies have hardly turned. Limits, motors, friction and contacts
//! are left to the sweeps that follow.
//!
//! Small sets of bodies of like mass are left to the sweeps altogether: they need no more ([`WORTH`]); nets are too, as their factors fill in
//! ([`MOST_FILL`]).
#![expect(unsafe_code, reason = "changes disjoint bodies of one array")]

use super::block::TieBlock;
use super::sets::{FixedState, Member};
use crate::factor::{BlockLu, Dense};
use drystone_contact::HotLanes;
use drystone_math::{Real, Vector3};
use hashbrown::HashMap;
use nalgebra::Matrix3;

/// Ties from which a set is solved directly, whatever its masses.
const WORTH: usize = 4;
/// Ratio of masses from which a smaller one is.
const UNEVEN: Real = 4.0;
/// Most ties of a set.
const MOST: usize = 1000;
/// Most ties of one body: each is coupled to all others of it.
const MOST_OF_BODY: usize = 16;
/// Most blocks beside the diagonal of the factors, per tie.
const MOST_FILL: usize = 6;
/// Compliance of a tie, as a share of what its bodies give way by themselves: what is held twice has one solution, then, and impulses that
/// work against each other die away.
const SOFT: f64 = 1e-6;

/// Angle, rad, by which bodies may have turned since the factors were made, for two ties of like masses: sweeps take what is wrong by then. What an angle
/// does to the answer grows with the ratio of the masses and the length of a chain.
const STALE: Real = 0.01;

/// Two ties (the same, or the first before the second) with a body in common, and which side it is of each.
#[derive(Clone, Copy, Debug)]
struct Coupling {
    members: [u32; 2],
    sides: [usize; 2],
}

/// Factors, by what is locked.
#[derive(Clone, Debug)]
enum Lu {
    /// Places alone.
    Places(BlockLu<3>),
    /// Places and turns.
    All(BlockLu<6>),
}

/// The factors of a set.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    couplings: Vec<Coupling>,
    lu: Lu,
    right: Vec<f64>,
    /// Compliance of each tie: of its places and of its turns.
    soft: Vec<[f64; 2]>,
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
        if members.len() < 2 || members.len() > MOST || (members.len() < WORTH && !is_uneven) {
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
        let pairs: Vec<(u32, u32)> = couplings.iter().map(|c| (c.members[0], c.members[1])).collect();
        let turns = members.iter().any(|m| blocks[m.block as usize].locks_turns(m.lane as usize));
        let lu = if turns {
            Lu::All(BlockLu::new(members.len(), &pairs))
        } else {
            Lu::Places(BlockLu::new(members.len(), &pairs))
        };
        let (fill, rows) = match &lu {
            Lu::Places(lu) => (lu.off_diagonal(), 3),
            Lu::All(lu) => (lu.off_diagonal(), 6),
        };
        let right = vec![0.0; rows * members.len()];
        let stale = STALE * least / (most * (members.len() as Real).sqrt());
        let soft = vec![[0.0; 2]; members.len()];
        (fill <= MOST_FILL * members.len()).then_some(Self {
            couplings,
            lu,
            right,
            soft,
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

    /// Brings the velocities of all that is locked to what keeps it, at the end of a sub-step of `h` seconds. `first` is the first of `blocks`.
    ///
    /// # Safety
    /// The bodies of the blocks belong to this call alone.
    pub(super) unsafe fn solve(
        &mut self,
        members: &[Member],
        (blocks, first): (&mut [TieBlock], u32),
        hot: &HotLanes<'_>,
        h: Real,
    ) {
        if !self.factor(members, blocks, first) {
            return;
        }
        let rows = self.rows();
        let right = self.right.chunks_exact_mut(rows);
        for ((member, soft), right) in members.iter().zip(&self.soft).zip(right) {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            // SAFETY: passed on.
            let (place, turn) = unsafe { block.motion(lane, hot, h) };
            fill(right, &place, &turn);
            let (force, torque) = block.given(lane);
            for (k, right) in right.iter_mut().enumerate() {
                let given = if k < 3 { force[k] } else { torque[k - 3] };
                *right -= soft[k / 3] * f64::from(given);
            }
        }
        self.back_substitute();
        for (member, right) in members.iter().zip(self.right.chunks_exact(rows)) {
            let block = &mut blocks[(member.block - first) as usize];
            let (force, turn) = read(right);
            // SAFETY: passed on.
            unsafe { block.give(member.lane as usize, hot, force, &turn) };
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
    ) {
        if !self.factor(members, blocks, first) {
            return;
        }
        let rows = self.rows();
        for (member, right) in members.iter().zip(self.right.chunks_exact_mut(rows)) {
            let (place, turn) = blocks[(member.block - first) as usize].errors(member.lane as usize);
            fill(right, &place, &turn);
        }
        self.back_substitute();
        for (member, right) in members.iter().zip(self.right.chunks_exact(rows)) {
            let block = &blocks[(member.block - first) as usize];
            let (force, turn) = read(right);
            // SAFETY: passed on.
            unsafe { block.shift(member.lane as usize, hot, force, &turn) };
        }
    }

    fn rows(&self) -> usize {
        match self.lu {
            Lu::Places(_) => 3,
            Lu::All(_) => 6,
        }
    }

    fn back_substitute(&mut self) {
        match &self.lu {
            Lu::Places(lu) => lu.solve(&mut self.right),
            Lu::All(lu) => lu.solve(&mut self.right),
        }
    }

    /// Factors where the bodies are; false where there are none, so that sweeps have to do.
    fn factor(&mut self, members: &[Member], blocks: &[TieBlock], first: u32) -> bool {
        if self.is_factored {
            return true;
        }
        self.is_stiff = members.iter().any(|m| blocks[(m.block - first) as usize].is_stiff(m.lane as usize));
        let Self { couplings, lu, soft, .. } = self;
        let tie = |k: u32| {
            let member = members[k as usize];
            (&blocks[(member.block - first) as usize], member.lane as usize)
        };
        let respond = |coupling: &Coupling| {
            response(tie(coupling.members[0]), tie(coupling.members[1]), coupling.sides)
        };
        soft.fill([0.0; 2]);
        for coupling in couplings.iter().filter(|c| c.members[0] == c.members[1]) {
            let Response { places, turns, .. } = respond(coupling);
            let soft = &mut soft[coupling.members[0] as usize];
            soft[0] += places.trace() * (SOFT / 3.0);
            soft[1] += turns.trace() * (SOFT / 3.0);
        }
        self.is_factored = match lu {
            Lu::Places(lu) => {
                lu.clear();
                for coupling in couplings.iter() {
                    add(lu, coupling, &respond(coupling).places);
                    if let Some(back) = coupling.back() {
                        add(lu, &back, &respond(&back).places);
                    }
                }
                for (k, soft) in soft.iter().enumerate() {
                    lu.add(k as u32, k as u32, &Dense::from_diagonal_element(soft[0]));
                }
                lu.factor()
            }
            Lu::All(lu) => {
                lu.clear();
                for coupling in couplings.iter() {
                    add(lu, coupling, &respond(coupling).block());
                    if let Some(back) = coupling.back() {
                        add(lu, &back, &respond(&back).block());
                    }
                }
                for (k, soft) in soft.iter().enumerate() {
                    let (block, lane) = tie(k as u32);
                    let turn = |axis: usize| if block.locks_turn(lane, axis) { soft[1] } else { 1.0 };
                    let own = [soft[0], soft[0], soft[0], turn(0), turn(1), turn(2)];
                    lu.add(k as u32, k as u32, &Dense::from_diagonal(&own.into()));
                }
                lu.factor()
            }
        };
        self.is_factored
    }
}

fn add<const B: usize>(lu: &mut BlockLu<B>, coupling: &Coupling, block: &Dense<B>) {
    let [i, j] = coupling.members;
    lu.add(i, j, block);
}

impl Coupling {
    /// The same seen from the other one; none for a tie with itself (with both ends on one body it is none).
    fn back(&self) -> Option<Self> {
        let ([i, j], [a, b]) = (self.members, self.sides);
        (i != j).then_some(Self { members: [j, i], sides: [b, a] })
    }
}

/// What impulses of one tie change at another one.
struct Response {
    /// Places by forces.
    places: Matrix3<f64>,
    /// Places by turns.
    place_turn: Matrix3<f64>,
    /// Turns by forces.
    turn_place: Matrix3<f64>,
    /// Turns by turns.
    turns: Matrix3<f64>,
}

impl Response {
    fn block(&self) -> Dense<6> {
        let mut block = Dense::<6>::zeros();
        block.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.places);
        block.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.place_turn);
        block.fixed_view_mut::<3, 3>(3, 0).copy_from(&self.turn_place);
        block.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.turns);
        block
    }
}

/// What impulses of the tie `j` change at the tie `i` through a body that is of these sides of theirs.
fn response(i: (&TieBlock, usize), j: (&TieBlock, usize), sides: [usize; 2]) -> Response {
    let sign = if sides[0] == sides[1] { 1.0 } else { -1.0 };
    // A tie turns its bodies by inertias of its own.
    let (mass, inertia) = j.0.body(j.1, sides[1]);
    let (inertia, mass) = (inertia * sign, f64::from(mass) * sign);
    let [r, s] = [i.0.lever(i.1, sides[0]), j.0.lever(j.1, sides[1])];
    let [t, u] = [i.0.turn_axes(i.1), j.0.turn_axes(j.1)];
    let by_force = inertia * s;
    let by_turn = inertia * u.transpose();
    Response {
        places: Matrix3::identity() * mass - r * by_force,
        place_turn: -(r * by_turn),
        turn_place: t * by_force,
        turns: t * by_turn,
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
