//! The system of a set of ties: what impulses of one change at the others, and its factors.
//!
//! `J M⁻¹ Jᵀ`, block by block: `J` of a tie and one of its bodies is a matrix of places and turns, and a block the product of one of them with the
//! response of the other. A tie turns its bodies by inertias of its own ([`super::stiff`]), so blocks across the diagonal are not quite
//! each other's transposes.

use super::block::TieBlock;
use super::held::Turns;
use super::sets::{FixedState, Member};
use crate::factor::{BlockLu, BlockPlace, Size, Tile};
use drystone_math::symmetric_eigen;
use drystone_math::wide::{Isa, Kernel, Lanes};
use hashbrown::HashSet;

/// What is added to the diagonal in loops, as a share of what the bodies of a row give way along it: the method of multipliers (Rockafellar 1976). From solve to solve impulses go to those that stop all that is locked,
/// wherever there is one answer; where something is held twice, what cannot be stopped moves them by no more than itself over this share. With 1e-4 and the same compliance, as with no more
/// than the compliance, four-bar linkages of hinges pushed with 30 to 600 times the force that is needed at steps of a millisecond; with the whole share, but on the tie alone that closes the loop, with 8 times.
///
/// The way along which a loop of `n` ties gives way as a whole is some `1/n²` of what one of them does, beside which this share on every tie is a soft spring: a bridge of 200 planks fell by 7 cm before its
/// ends held its weight, and bounced. So in sets of more than [`SHORT`] ties those that close no loop yield by the square of that less; the ties of a tree hold nothing twice.
///
/// Where something touches the bodies of a set, all of its ties yield alike: its sub-steps begin with what contacts gave and without what locks did, and the difference of the two has
/// rounding and turning in it that a bridge with ties that yield to nothing made a hundredfold of in each sub-step.
const PROXIMAL: f64 = 1e-2;
/// Ties of a set up to which all of them yield by [`PROXIMAL`].
const SHORT: f64 = 8.0;
/// Compliance of a row in a loop, as such a share: what is held twice forgets by it what it gives against itself.
const COMPLIANCE: f64 = 1e-6;

/// What of its last answer a solve stays by, as such a share of the compliance of a row: where impulses begin with nothing.
pub(super) const STAYS: f64 = PROXIMAL / COMPLIANCE;

/// How much easier a free place gives way than a locked one: what it lets through is below the rounding of impulses.
const LOOSE: f64 = 1e8;

/// Square of the share of what bodies of a tie give way by up to which an impulse of it counts as moving nothing, where they have locked axes.
const NOTHING: f64 = 1e-12;

/// Two ties (the same, or the first before the second) with a body in common, and which side it is of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonBody {
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
    couplings: Vec<CommonBody>,
    /// Where the blocks of each coupling are: the first tie's row, and the second one's.
    places: Vec<[BlockPlace; 2]>,
    /// Whether it is the first one there.
    is_first: Vec<bool>,
    own: Vec<BlockPlace>,
    /// Blocks that are no coupling's: zero until rows are eliminated.
    between: Vec<BlockPlace>,
    /// Factors of one pattern, one for each use.
    factors: Vec<BlockLu<B, P>>,
    /// Rows of each tie that close a loop, a bit for each: they yield by [`PROXIMAL`] and [`COMPLIANCE`].
    closing: Vec<u8>,
    /// Share of that by which other rows yield: by [`SHORT`] and the number of ties, 0 without loops.
    others: f64,
    /// Whether all rows yield alike.
    all_yield: bool,
    /// Compliance of each row, for each use.
    soft: Vec<Vec<[f64; B]>>,
    /// Both bodies of each tie.
    ends: Vec<[End<B, P>; 2]>,
    /// Axes along which places of ties are free: they yield like this to an impulse, m/s per N s, or without end ([`LOOSE`]).
    free: Vec<(u32, Spin, Option<f64>)>,
    /// Impulses of ties that move nothing, as their bodies have locked axes: they yield without end as well.
    idle: Vec<(u32, [f64; B])>,
}

/// What a body turns by in a sub-step, rad.
pub(super) type Spin = nalgebra::Vector3<f64>;

/// A tie and one of its bodies, in columns.
#[derive(Clone, Copy, Debug)]
struct End<const B: usize, const P: usize> {
    /// Inverse mass along each world axis, 1/kg.
    mass: [f64; 3],
    /// What its turning changes of each coordinate: `−[r]ₓ` and the axes of its turns.
    turn: [[f64; P]; 3],
    /// How an impulse along each coordinate turns it.
    response: [[f64; 3]; B],
}

impl<const B: usize, const P: usize> End<B, P> {
    const NONE: Self = Self { mass: [0.0; 3], turn: [[0.0; P]; 3], response: [[0.0; 3]; B] };

    /// What impulses of `j` change at `i`, through the body that both have, with the sign of the sides: takes the place of what was there, or
    /// is added to it unless it is the first one there.
    #[inline(always)]
    fn respond(i: &Self, j: &Self, sign: f64, size: Size, is_first: bool, out: &mut Tile<B, P>) {
        match (size.is_short::<P>(), is_first) {
            (true, true) => Self::respond_rows::<4, true>(i, j, sign, size.columns, out),
            (true, false) => Self::respond_rows::<4, false>(i, j, sign, size.columns, out),
            (false, true) => Self::respond_rows::<P, true>(i, j, sign, size.columns, out),
            (false, false) => Self::respond_rows::<P, false>(i, j, sign, size.columns, out),
        }
    }

    #[inline(always)]
    fn respond_rows<const R: usize, const FIRST: bool>(
        i: &Self,
        j: &Self,
        sign: f64,
        columns: usize,
        out: &mut Tile<B, P>,
    ) {
        // Places are always there; one by one they need not be told from turns.
        Self::respond_column::<R, FIRST>(i, j, sign, 0, out);
        Self::respond_column::<R, FIRST>(i, j, sign, 1, out);
        Self::respond_column::<R, FIRST>(i, j, sign, 2, out);
        let mut column = 3;
        while column < columns {
            Self::respond_column::<R, FIRST>(i, j, sign, column, out);
            column += 1;
        }
    }

    #[inline(always)]
    fn respond_column<const R: usize, const FIRST: bool>(
        i: &Self,
        j: &Self,
        sign: f64,
        column: usize,
        out: &mut Tile<B, P>,
    ) {
        let [x, y, z] = j.response[column];
        let by = [sign * x, sign * y, sign * z];
        let mut own = [0.0; R];
        let mut row = 0;
        while row < R {
            own[row] = i.turn[0][row] * by[0] + i.turn[1][row] * by[1] + i.turn[2][row] * by[2];
            row += 1;
        }
        if column < 3 {
            own[column] += sign * j.mass[column];
        }
        let out = &mut out.0[column];
        let mut row = 0;
        while row < R {
            out[row] = if FIRST { own[row] } else { own[row] + out[row] };
            row += 1;
        }
    }

    /// Of a side of a tie: impulses act where it is now; coordinates are those at the end of a sub-step in which A and B turn by `spins`, rad:
    /// ```text
    /// place   −[r + φ × r]ₓ (1 + ½ [φ]ₓ)           the derivative of the way of a point at the arm `r`
    /// turn    axis + ½ φ' × axis                   with the turn φ' of the other body: that of `ω_b − ω_a + ½ h ω_b × ω_a`
    /// ```
    fn update(&mut self, block: &TieBlock, lane: usize, side: usize, turns: &Turns, spins: &[Spin; 2]) {
        let (mass, inertia) = block.body(lane, side);
        let (arm, spin) = (block.arm(lane, side), &spins[side]);
        self.mass = mass;
        // [a]ₓ [b]ₓ = b aᵀ − (a·b) 1
        let at_end = arm + spin.cross(&arm);
        let half = spin * 0.5;
        let along = at_end.dot(&half);
        let cross = cross_columns(&at_end);
        for k in 0..3 {
            let column = half * at_end[k] + cross[k];
            self.turn[k][..3].copy_from_slice(column.as_slice());
            self.turn[k][k] -= along;
            self.turn[k][..3].iter_mut().for_each(|entry| *entry = -*entry);
        }
        for (response, column) in self.response.iter_mut().zip(cross_columns(&arm)) {
            *response = image(&inertia, &column);
        }
        if B > 3 {
            for turn in 0..3 {
                let axis = turns.axis(turn);
                let at_end =
                    if turns.is_locked(turn) { axis + spins[1 - side].cross(&axis) * 0.5 } else { axis };
                for k in 0..3 {
                    self.turn[k][3 + turn] = at_end[k];
                }
                if turn < turns.held() {
                    self.response[3 + turn] = image(&inertia, &axis);
                }
            }
        }
    }

    /// Impulses of a tie, of its first columns, that move neither of its bodies: the null space of `M⁻¹ Jᵀ`, from the eigenvalues of its square. Each in units of the root of what the bodies give
    /// way by ([`TieBlock::largest_responses`]), so that its outer product is of the size of the tie's block.
    fn find_idle(ends: &[Self; 2], columns: usize, largest: [f64; 3], mut found: impl FnMut([f64; B])) {
        // Where nothing moves anything, any unit does.
        let [mass, place, turn] = largest.map(|most| if most > 0.0 { most } else { 1.0 });
        let scales: [f64; B] = std::array::from_fn(|k| if k < 3 { place } else { turn }.sqrt());
        let weights = [1.0 / mass, 1.0 / turn];
        let mut square = [[0.0; B]; B];
        for i in 0..columns {
            for j in 0..columns {
                let of_end = |end: &Self| {
                    let moved = if i == j && i < 3 { end.mass[i] * end.mass[i] } else { 0.0 };
                    let turned: f64 = (0..3).map(|k| end.response[i][k] * end.response[j][k]).sum();
                    moved * weights[0] + turned * weights[1]
                };
                square[i][j] = (of_end(&ends[0]) + of_end(&ends[1])) / (scales[i] * scales[j]);
            }
        }
        let (values, vectors) = symmetric_eigen(&square);
        for (value, vector) in values.into_iter().zip(vectors) {
            let is_in_use = vector[..columns].iter().any(|&part| part != 0.0);
            if is_in_use && value <= NOTHING {
                found(std::array::from_fn(|k| if k < columns { vector[k] * scales[k] } else { 0.0 }));
            }
        }
    }
}

/// The columns of `[r]ₓ`.
#[inline(always)]
fn cross_columns(r: &Spin) -> [Spin; 3] {
    [Spin::new(0.0, r.z, -r.y), Spin::new(-r.z, 0.0, r.x), Spin::new(r.y, -r.x, 0.0)]
}

/// A symmetric matrix (xx, yy, zz, xy, xz, yz) times a vector.
#[inline(always)]
fn image([xx, yy, zz, xy, xz, yz]: &[f64; 6], v: &Spin) -> [f64; 3] {
    [xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z, xz * v.x + yz * v.y + zz * v.z]
}

impl<const B: usize, const P: usize> System<B, P> {
    fn new(members: usize, couplings: &[CommonBody], uses: usize, closing: &[u8]) -> Self {
        let has_loops = closing.iter().any(|&rows| rows != 0);
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
            free: Vec::new(),
            idle: Vec::new(),
            factors: vec![lu; uses],
            soft: vec![vec![[0.0; B]; members]; uses],
            closing: closing.to_vec(),
            others: if has_loops { (SHORT / members as f64).min(1.0).powi(2) } else { 0.0 },
            all_yield: false,
        }
    }

    /// Fills and factors the matrix of these ties for a use; false when it has no factors.
    fn factor(
        &mut self,
        of: usize,
        (members, turns): (&[Member], &[Turns]),
        (blocks, first): (&[TieBlock], u32),
        spins_of: impl Fn(usize) -> [Spin; 2],
        isa: Isa,
    ) -> bool {
        self.free.clear();
        self.idle.clear();
        for (k, ((ends, member), turns)) in self.ends.iter_mut().zip(members).zip(turns).enumerate() {
            let (block, lane) = (&blocks[(member.block - first) as usize], member.lane as usize);
            if block.frees_places(lane) {
                self.free.extend(
                    block
                        .free_axes(lane)
                        .map(|(place, axis)| (k as u32, axis.cast(), turns.softness_of_place(place))),
                );
            }
            let spins = spins_of(k);
            ends.iter_mut().enumerate().for_each(|(side, end)| end.update(block, lane, side, turns, &spins));
            if block.has_locked_bodies(lane) {
                let columns = if B > 3 { 3 + turns.held() } else { 3 };
                let found = |impulse| self.idle.push((k as u32, impulse));
                End::find_idle(ends, columns, block.largest_responses(lane), found);
            }
        }
        isa.run(Factor { system: self, of, turns })
    }

    #[inline(always)]
    fn fill(&mut self, of: usize, turns: &[Turns]) {
        let lu = &mut self.factors[of];
        // What is neither locked nor at a limit has no row.
        let size_of = |turns: &Turns| if B > 3 { 3 + turns.held() } else { 3 };
        let mut k = 0;
        while k < self.couplings.len() {
            let CommonBody { members: [i, j], sides: [a, b] } = self.couplings[k];
            let ends = [&self.ends[i as usize][a], &self.ends[j as usize][b]];
            let (sign, [there, back]) = (if a == b { 1.0 } else { -1.0 }, self.places[k]);
            let (rows, columns) = (size_of(&turns[i as usize]), size_of(&turns[j as usize]));
            End::respond(ends[0], ends[1], sign, Size { rows, columns }, self.is_first[k], lu.at(there));
            if i != j {
                let size = Size { rows: columns, columns: rows };
                End::respond(ends[1], ends[0], sign, size, self.is_first[k], lu.at(back));
            }
            k += 1;
        }
        let mut k = 0;
        while k < self.between.len() {
            *lu.at(self.between[k]) = Tile::ZERO;
            k += 1;
        }
        let mut k = 0;
        while k < self.free.len() {
            let (tie, axis, softness) = self.free[k];
            let own = &mut lu.at(self.own[tie as usize]).0;
            let yielding = softness.unwrap_or(LOOSE * (own[0][0] + own[1][1] + own[2][2]));
            let mut column = 0;
            while column < 3 {
                let mut row = 0;
                while row < 3 {
                    own[column][row] += yielding * axis[column] * axis[row];
                    row += 1;
                }
                column += 1;
            }
            k += 1;
        }
        let share = |tie: usize, row: usize| {
            if self.all_yield || self.closing[tie] >> row & 1 == 1 { 1.0 } else { self.others }
        };
        let mut k = 0;
        while k < self.own.len() {
            let size = size_of(&turns[k]);
            if B > 3 {
                lu.set_size(k as u32, size);
            }
            let own = &mut lu.at(self.own[k]).0;
            let soft = &mut self.soft[of][k];
            let mut axis = 0;
            while axis < size {
                let yielding = share(k, axis) * own[axis][axis];
                soft[axis] = COMPLIANCE * yielding;
                own[axis][axis] += PROXIMAL * yielding;
                if axis >= 3 {
                    own[axis][axis] += turns[k].softness(axis - 3);
                }
                axis += 1;
            }
            k += 1;
        }
        for &(tie, impulse) in &self.idle {
            let own = &mut lu.at(self.own[tie as usize]).0;
            for column in 0..B {
                for row in 0..B {
                    own[column][row] += LOOSE * impulse[column] * impulse[row];
                }
            }
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
        let lu = &mut self.system.factors[self.of];
        if B > 3 { lu.factor_sized() } else { lu.factor_definite() }
    }
}

impl Lu {
    /// Of so many ties, coupled like this, for so many uses; with `turns` where some of them lock or limit turns, with loops where they are more than a tree.
    pub(super) fn new(
        members: usize,
        couplings: &[CommonBody],
        uses: usize,
        turns: bool,
        closing: &[u8],
    ) -> Self {
        if turns {
            Self::All(System::new(members, couplings, uses, closing))
        } else {
            Self::Places(System::new(members, couplings, uses, closing))
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
            Self::Places(system) => system.factors[0].off_diagonal(),
            Self::All(system) => system.factors[0].off_diagonal(),
        }
    }

    /// Factors for a use where the bodies are; false when there are no factors.
    pub(super) fn factor(
        &mut self,
        of: usize,
        members: (&[Member], &[Turns]),
        blocks: (&[TieBlock], u32),
        spins_of: impl Fn(usize) -> [Spin; 2],
        isa: Isa,
    ) -> bool {
        match self {
            Self::Places(system) => system.factor(of, members, blocks, spins_of, isa),
            Self::All(system) => system.factor(of, members, blocks, spins_of, isa),
        }
    }

    /// Whether all rows of loops yield alike.
    pub(super) fn yield_by_all(&mut self, all_yield: bool) {
        match self {
            Self::Places(system) => system.all_yield = all_yield,
            Self::All(system) => system.all_yield = all_yield,
        }
    }

    /// Compliance of the rows of a tie in a loop, by the factors of a use.
    pub(super) fn soft(&self, of: usize, member: usize) -> &[f64] {
        match self {
            Self::Places(system) => &system.soft[of][member],
            Self::All(system) => &system.soft[of][member],
        }
    }

    /// Solves in place with the factors of a use.
    pub(super) fn solve(&self, of: usize, isa: Isa, right: &mut [f64]) {
        match self {
            Self::Places(system) => system.factors[of].solve_with(isa, right),
            Self::All(system) => system.factors[of].solve_sized(isa, right),
        }
    }
}
