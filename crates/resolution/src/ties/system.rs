//! The system of a set of ties: what impulses of one change at the others, and its factors.
//!
//! `J M⁻¹ Jᵀ`, block by block: `J` of a tie and one of its bodies is a matrix of places and turns, and a block the product of one of them with the
//! response of the other. A tie turns its bodies by inertias of its own ([`super::stiff`]), so blocks across the diagonal are not quite
//! each other's transposes.

use super::block::TieBlock;
use super::member::Turns;
use super::sets::Member;
use crate::factor::{BlockLu, BlockPlace, Dense};
use drystone_math::wide::{Isa, Kernel, Lanes};
use nalgebra::ArrayStorage;

/// Compliance of a tie, as a share of what its bodies give way by themselves: what is held twice has one solution, then, and impulses that
/// work against each other die away.
const SOFT: f64 = 1e-6;

/// Two ties (the same, or the first before the second) with a body in common, and which side it is of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupling {
    pub(super) members: [u32; 2],
    pub(super) sides: [usize; 2],
}

/// Factors, by what is locked.
#[derive(Clone, Debug)]
pub(super) enum Lu {
    /// Places alone.
    Places(System<3>),
    /// Places and turns.
    All(System<6>),
}

/// The system with so many coordinates per tie.
#[derive(Clone, Debug)]
pub(super) struct System<const B: usize> {
    couplings: Vec<Coupling>,
    /// Where the blocks of each coupling are: the first tie's row, and the second one's.
    places: Vec<[BlockPlace; 2]>,
    own: Vec<BlockPlace>,
    lu: BlockLu<B>,
    /// Both bodies of each tie.
    ends: Vec<[End<B>; 2]>,
    /// Compliance of each tie: of its places and of its turns.
    soft: Vec<[f64; 2]>,
}

/// A tie and one of its bodies, in columns.
#[derive(Clone, Copy, Debug)]
struct End<const B: usize> {
    /// Inverse mass, 1/kg.
    mass: f64,
    /// What its turning changes of each coordinate: `−[r]ₓ` and the axes of its turns.
    turn: [[f64; B]; 3],
    /// How an impulse along each coordinate turns it.
    response: [[f64; 3]; B],
}

impl<const B: usize> End<B> {
    const NONE: Self = Self { mass: 0.0, turn: [[0.0; B]; 3], response: [[0.0; 3]; B] };

    /// What impulses of `j` change at `i`, through the body that both have; with the sign of the sides.
    #[inline(always)]
    fn respond(i: &Self, j: &Self, sign: f64) -> Dense<B> {
        let mut out = [[0.0; B]; B];
        let mut column = 0;
        while column < B {
            let by = &j.response[column];
            let mut row = 0;
            while row < B {
                let turned = i.turn[0][row] * by[0] + i.turn[1][row] * by[1] + i.turn[2][row] * by[2];
                out[column][row] = sign * turned;
                row += 1;
            }
            column += 1;
        }
        let mut k = 0;
        while k < 3 {
            out[k][k] += sign * j.mass;
            k += 1;
        }
        Dense::from_array_storage(ArrayStorage(out))
    }

    /// Of a side of a tie.
    fn of(block: &TieBlock, lane: usize, side: usize, turns: &Turns) -> Self {
        let (mass, inertia) = block.body(lane, side);
        let lever = block.lever(lane, side);
        let by_force = inertia * lever;
        let mut end = Self { mass: f64::from(mass), ..Self::NONE };
        for k in 0..3 {
            for row in 0..3 {
                end.turn[k][row] = -lever[(row, k)];
            }
            end.response[k] = [by_force[(0, k)], by_force[(1, k)], by_force[(2, k)]];
        }
        if B > 3 {
            let axes = turns.axes();
            let by_turn = inertia * axes.transpose();
            for k in 0..3 {
                for row in 0..3 {
                    end.turn[k][3 + row] = axes[(row, k)];
                }
                end.response[3 + k] = [by_turn[(0, k)], by_turn[(1, k)], by_turn[(2, k)]];
            }
        }
        end
    }
}

impl<const B: usize> System<B> {
    fn new(members: usize, couplings: &[Coupling]) -> Self {
        let pairs: Vec<(u32, u32)> = couplings.iter().map(|c| (c.members[0], c.members[1])).collect();
        let lu = BlockLu::new(members, &pairs);
        Self {
            places: pairs.iter().map(|&(i, j)| [lu.place(i, j), lu.place(j, i)]).collect(),
            own: (0..members as u32).map(|k| lu.place(k, k)).collect(),
            couplings: couplings.to_vec(),
            ends: vec![[End::NONE; 2]; members],
            soft: vec![[0.0; 2]; members],
            lu,
        }
    }

    /// Fills and factors the matrix of these ties; false when it has no factors.
    fn factor(
        &mut self,
        (members, turns): (&[Member], &[Turns]),
        (blocks, first): (&[TieBlock], u32),
        isa: Isa,
    ) -> bool {
        for ((ends, member), turns) in self.ends.iter_mut().zip(members).zip(turns) {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            *ends = [End::of(block, lane, 0, turns), End::of(block, lane, 1, turns)];
        }
        isa.run(Factor { system: self, turns })
    }

    #[inline(always)]
    fn fill(&mut self, turns: &[Turns]) {
        self.lu.clear();
        let mut k = 0;
        while k < self.couplings.len() {
            let Coupling { members: [i, j], sides: [a, b] } = self.couplings[k];
            let ends = [&self.ends[i as usize][a], &self.ends[j as usize][b]];
            let sign = if a == b { 1.0 } else { -1.0 };
            self.lu.add_at(self.places[k][0], &End::respond(ends[0], ends[1], sign));
            if i != j {
                self.lu.add_at(self.places[k][1], &End::respond(ends[1], ends[0], sign));
            }
            k += 1;
        }
        let mut k = 0;
        while k < self.own.len() {
            let own = self.lu.at(self.own[k]);
            let trace = |first: usize| {
                own[(first, first)] + own[(first + 1, first + 1)] + own[(first + 2, first + 2)]
            };
            let soft = [trace(0) * (SOFT / 3.0), if B > 3 { trace(3) * (SOFT / 3.0) } else { 0.0 }];
            self.soft[k] = soft;
            let mut axis = 0;
            while axis < B {
                // What is neither locked nor at a limit is a row of its own, with nothing to do.
                let is_free = axis >= 3 && turns[k].is_free(axis - 3);
                own[(axis, axis)] += if is_free { 1.0 } else { soft[axis / 3] };
                axis += 1;
            }
            k += 1;
        }
    }
}

struct Factor<'a, const B: usize> {
    system: &'a mut System<B>,
    turns: &'a [Turns],
}

impl<const B: usize> Kernel for Factor<'_, B> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> bool {
        self.system.fill(self.turns);
        self.system.lu.factor_definite()
    }
}

impl Lu {
    /// Of so many ties, coupled like this; with `turns` where some of them lock or limit turns.
    pub(super) fn new(members: usize, couplings: &[Coupling], turns: bool) -> Self {
        if turns {
            Self::All(System::new(members, couplings))
        } else {
            Self::Places(System::new(members, couplings))
        }
    }

    /// Coordinates per tie.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Places(_) => 3,
            Self::All(_) => 6,
        }
    }

    /// Blocks on one side of the diagonal of the factors.
    pub(super) fn fill(&self) -> usize {
        match self {
            Self::Places(system) => system.lu.off_diagonal(),
            Self::All(system) => system.lu.off_diagonal(),
        }
    }

    /// Compliance of each tie: of its places and of its turns.
    pub(super) fn soft(&self) -> &[[f64; 2]] {
        match self {
            Self::Places(system) => &system.soft,
            Self::All(system) => &system.soft,
        }
    }

    /// Factors where the bodies are; false when there are no factors.
    pub(super) fn factor(
        &mut self,
        members: (&[Member], &[Turns]),
        blocks: (&[TieBlock], u32),
        isa: Isa,
    ) -> bool {
        match self {
            Self::Places(system) => system.factor(members, blocks, isa),
            Self::All(system) => system.factor(members, blocks, isa),
        }
    }

    /// Solves in place.
    pub(super) fn solve(&self, isa: Isa, right: &mut [f64]) {
        match self {
            Self::Places(system) => system.lu.solve_with(isa, right),
            Self::All(system) => system.lu.solve_with(isa, right),
        }
    }
}
