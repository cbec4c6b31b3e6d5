//! The system of a set of ties: what impulses of one change at the others, and its factors.
//!
//! `J M⁻¹ Jᵀ`, block by block: `J` of a tie and one of its bodies is a matrix of places and turns, and a block the product of one of them with the
//! response of the other. A tie turns its bodies by inertias of its own ([`super::stiff`]), so blocks across the diagonal are not quite
//! each other's transposes.

use super::block::TieBlock;
use super::member::Turns;
use super::sets::{FixedState, Member};
use crate::factor::{BlockLu, BlockPlace, Tile};
use drystone_math::wide::{Isa, Kernel, Lanes};
use hashbrown::HashSet;

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
    Places(System<3, 4>),
    /// Places and turns.
    All(System<6, 8>),
}

/// The system with so many coordinates per tie, in columns of `P`.
#[derive(Clone, Debug)]
pub(super) struct System<const B: usize, const P: usize> {
    couplings: Vec<Coupling>,
    /// Where the blocks of each coupling are: the first tie's row, and the second one's.
    places: Vec<[BlockPlace; 2]>,
    /// Whether it is the first one there.
    is_first: Vec<bool>,
    own: Vec<BlockPlace>,
    /// Blocks that are no coupling's: zero until rows are eliminated.
    between: Vec<BlockPlace>,
    /// Factors of one pattern, one for each use.
    factors: Vec<Factors<B, P>>,
    /// Both bodies of each tie.
    ends: Vec<[End<B, P>; 2]>,
}

/// The matrix or, once factored, its factors.
#[derive(Clone, Debug)]
struct Factors<const B: usize, const P: usize> {
    lu: BlockLu<B, P>,
    /// Compliance of each tie: of its places and of its turns.
    soft: Vec<[f64; 2]>,
}

/// A tie and one of its bodies, in columns.
#[derive(Clone, Copy, Debug)]
struct End<const B: usize, const P: usize> {
    /// Inverse mass, 1/kg.
    mass: f64,
    /// What its turning changes of each coordinate: `−[r]ₓ` and the axes of its turns.
    turn: [[f64; P]; 3],
    /// How an impulse along each coordinate turns it.
    response: [[f64; 3]; B],
}

impl<const B: usize, const P: usize> End<B, P> {
    const NONE: Self = Self { mass: 0.0, turn: [[0.0; P]; 3], response: [[0.0; 3]; B] };

    /// What impulses of `j` change at `i`, through the body that both have; with the sign of the sides.
    #[inline(always)]
    fn respond(i: &Self, j: &Self, sign: f64) -> Tile<B, P> {
        let mut out = Tile::ZERO;
        let mut column = 0;
        while column < B {
            let [x, y, z] = j.response[column];
            let by = [sign * x, sign * y, sign * z];
            let mut row = 0;
            while row < P {
                out.0[column][row] = i.turn[0][row] * by[0] + i.turn[1][row] * by[1] + i.turn[2][row] * by[2];
                row += 1;
            }
            column += 1;
        }
        let mut k = 0;
        while k < 3 {
            out.0[k][k] += sign * j.mass;
            k += 1;
        }
        out
    }

    /// Of a side of a tie, where it is now.
    fn update(&mut self, block: &TieBlock, lane: usize, side: usize, turns: &Turns) {
        let (mass, inertia) = block.body(lane, side);
        let lever = block.lever(lane, side);
        let by_force = inertia * lever;
        self.mass = f64::from(mass);
        for k in 0..3 {
            for row in 0..3 {
                self.turn[k][row] = -lever[(row, k)];
            }
            self.response[k] = [by_force[(0, k)], by_force[(1, k)], by_force[(2, k)]];
        }
        if B > 3 {
            let axes = turns.axes();
            let by_turn = inertia * axes.transpose();
            for k in 0..3 {
                for row in 0..3 {
                    self.turn[k][3 + row] = axes[(row, k)];
                }
                self.response[3 + k] = [by_turn[(0, k)], by_turn[(1, k)], by_turn[(2, k)]];
            }
        }
    }
}

impl<const B: usize, const P: usize> System<B, P> {
    fn new(members: usize, couplings: &[Coupling], uses: usize) -> Self {
        let pairs: Vec<(u32, u32)> = couplings.iter().map(|c| (c.members[0], c.members[1])).collect();
        let lu = BlockLu::new(members, &pairs);
        let places: Vec<[BlockPlace; 2]> =
            pairs.iter().map(|&(i, j)| [lu.place(i, j), lu.place(j, i)]).collect();
        let mut taken: HashSet<BlockPlace, FixedState> = HashSet::default();
        let mut take = |&[there, back]: &[BlockPlace; 2]| {
            let is_first = taken.insert(there);
            taken.insert(back);
            is_first
        };
        Self {
            is_first: places.iter().map(&mut take).collect(),
            between: lu.places().filter(|place| !taken.contains(place)).collect(),
            places,
            own: (0..members as u32).map(|k| lu.place(k, k)).collect(),
            couplings: couplings.to_vec(),
            ends: vec![[End::NONE; 2]; members],
            factors: vec![Factors { lu, soft: vec![[0.0; 2]; members] }; uses],
        }
    }

    /// Fills and factors the matrix of these ties for a use; false when it has no factors.
    fn factor(
        &mut self,
        of: usize,
        (members, turns): (&[Member], &[Turns]),
        (blocks, first): (&[TieBlock], u32),
        isa: Isa,
    ) -> bool {
        for ((ends, member), turns) in self.ends.iter_mut().zip(members).zip(turns) {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            ends.iter_mut().enumerate().for_each(|(side, end)| end.update(block, lane, side, turns));
        }
        isa.run(Factor { system: self, of, turns })
    }

    #[inline(always)]
    fn fill(&mut self, of: usize, turns: &[Turns]) {
        let Factors { lu, soft } = &mut self.factors[of];
        let mut k = 0;
        while k < self.couplings.len() {
            let Coupling { members: [i, j], sides: [a, b] } = self.couplings[k];
            let ends = [&self.ends[i as usize][a], &self.ends[j as usize][b]];
            let (sign, [there, back]) = (if a == b { 1.0 } else { -1.0 }, self.places[k]);
            lu.at(there).put(End::respond(ends[0], ends[1], sign), self.is_first[k]);
            if i != j {
                lu.at(back).put(End::respond(ends[1], ends[0], sign), self.is_first[k]);
            }
            k += 1;
        }
        let mut k = 0;
        while k < self.between.len() {
            *lu.at(self.between[k]) = Tile::ZERO;
            k += 1;
        }
        let mut k = 0;
        while k < self.own.len() {
            let own = &mut lu.at(self.own[k]).0;
            let trace =
                |first: usize| own[first][first] + own[first + 1][first + 1] + own[first + 2][first + 2];
            soft[k] = [trace(0) * (SOFT / 3.0), if B > 3 { trace(3) * (SOFT / 3.0) } else { 0.0 }];
            let mut axis = 0;
            while axis < B {
                // What is neither locked nor at a limit is a row of its own, with nothing to do.
                let is_free = axis >= 3 && turns[k].is_free(axis - 3);
                own[axis][axis] += if is_free { 1.0 } else { soft[k][axis / 3] };
                axis += 1;
            }
            k += 1;
        }
    }
}

struct Factor<'a, const B: usize, const P: usize> {
    system: &'a mut System<B, P>,
    of: usize,
    turns: &'a [Turns],
}

impl<const B: usize, const P: usize> Kernel for Factor<'_, B, P> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> bool {
        self.system.fill(self.of, self.turns);
        self.system.factors[self.of].lu.factor_definite()
    }
}

impl Lu {
    /// Of so many ties, coupled like this, for so many uses; with `turns` where some of them lock or limit turns.
    pub(super) fn new(members: usize, couplings: &[Coupling], uses: usize, turns: bool) -> Self {
        if turns {
            Self::All(System::new(members, couplings, uses))
        } else {
            Self::Places(System::new(members, couplings, uses))
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
            Self::Places(system) => system.factors[0].lu.off_diagonal(),
            Self::All(system) => system.factors[0].lu.off_diagonal(),
        }
    }

    /// Compliance of each tie, as it is in the factors of a use: of its places and of its turns.
    pub(super) fn soft(&self, of: usize) -> &[[f64; 2]] {
        match self {
            Self::Places(system) => &system.factors[of].soft,
            Self::All(system) => &system.factors[of].soft,
        }
    }

    /// Factors for a use where the bodies are; false when there are no factors.
    pub(super) fn factor(
        &mut self,
        of: usize,
        members: (&[Member], &[Turns]),
        blocks: (&[TieBlock], u32),
        isa: Isa,
    ) -> bool {
        match self {
            Self::Places(system) => system.factor(of, members, blocks, isa),
            Self::All(system) => system.factor(of, members, blocks, isa),
        }
    }

    /// Solves in place with the factors of a use.
    pub(super) fn solve(&self, of: usize, isa: Isa, right: &mut [f64]) {
        match self {
            Self::Places(system) => system.factors[of].lu.solve_with(isa, right),
            Self::All(system) => system.factors[of].lu.solve_with(isa, right),
        }
    }
}
