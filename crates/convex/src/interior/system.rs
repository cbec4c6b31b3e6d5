//! Newton's equations of an island: six unknowns per body, with the contacts eliminated.
//!
//! Blocks and right-hand sides are gathered, body by body and pair by pair, from the contacts in their order: equal bits
//! whoever gathers them. Keeps its memory.

use super::block::{Block6, Vector6, ZERO};
use super::cone::Point;
use super::program::{IMMOVABLE, IslandProgram, push};
use super::sparse::SparseCholesky;
use drystone_exec::{Exec, chunks, chunks_mut};
use drystone_math::wide::{Isa, Kernel, Lanes};
use nalgebra::Matrix3;

/// Bodies or pairs that a thread takes at a time.
const TAKEN: usize = 32;

/// `M + Σ Jᵀ D J`, with a weight `D` for each contact.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    factor: SparseCholesky,
    /// Sides of contacts that can move, by body: `sides[body_starts[b]..body_starts[b + 1]]`.
    body_starts: Vec<u32>,
    sides: Vec<Side>,
    /// Pairs of bodies in contact, the smaller one first, and their contacts as above.
    pairs: Vec<[u32; 2]>,
    pair_starts: Vec<u32>,
    pair_contacts: Vec<u32>,
    keys: Vec<([u32; 2], u32)>,
    diagonal: Vec<Block6>,
    couplings: Vec<Block6>,
}

/// A side of a contact.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    contact: u32,
    side: u32,
}

impl System {
    /// Finds what is coupled with what.
    pub(super) fn analyse(&mut self, program: &IslandProgram) {
        self.list_sides(program);
        self.keys.clear();
        self.keys.extend(program.contacts.iter().enumerate().filter_map(|(k, contact)| {
            let [a, b] = contact.bodies;
            (a != IMMOVABLE && b != IMMOVABLE).then_some(([a.min(b), a.max(b)], k as u32))
        }));
        self.keys.sort_unstable();
        self.pairs.clear();
        self.pair_starts.clear();
        self.pair_contacts.clear();
        for (place, &(pair, contact)) in self.keys.iter().enumerate() {
            if self.pairs.last() != Some(&pair) {
                self.pairs.push(pair);
                self.pair_starts.push(place as u32);
            }
            self.pair_contacts.push(contact);
        }
        self.pair_starts.push(self.pair_contacts.len() as u32);
        self.factor.analyse(program.masses.len(), &self.pairs);
        self.diagonal.clear();
        self.diagonal.resize(program.masses.len(), ZERO);
        self.couplings.clear();
        self.couplings.resize(self.pairs.len(), ZERO);
    }

    fn list_sides(&mut self, program: &IslandProgram) {
        let sides = || {
            program.contacts.iter().enumerate().flat_map(|(k, contact)| {
                let of =
                    move |(side, &body): (usize, &u32)| (body, Side { contact: k as u32, side: side as u32 });
                contact.bodies.iter().enumerate().map(of).filter(|(body, _)| *body != IMMOVABLE)
            })
        };
        self.body_starts.clear();
        self.body_starts.resize(program.masses.len() + 1, 0);
        sides().for_each(|(body, _)| self.body_starts[body as usize + 1] += 1);
        for body in 0..program.masses.len() {
            self.body_starts[body + 1] += self.body_starts[body];
        }
        self.sides.clear();
        self.sides.resize(self.body_starts.last().map_or(0, |&end| end as usize), Side::default());
        for (body, side) in sides() {
            let next = &mut self.body_starts[body as usize];
            self.sides[*next as usize] = side;
            *next += 1;
        }
        // Each start has become the next one.
        self.body_starts.rotate_right(1);
        self.body_starts[0] = 0;
    }

    /// Blocks of the factor.
    pub(super) fn block_count(&self) -> usize {
        self.factor.block_count()
    }

    /// Adds `Jᵀ r` with the push `r` of each contact.
    pub(super) fn gather(
        &self,
        program: &IslandProgram,
        pushes: impl Fn(usize) -> Point + Sync,
        target: &mut [Vector6],
        exec: &Exec,
    ) {
        exec.for_each_dynamic(chunks_mut(target, TAKEN), |chunk, target| {
            for (k, target) in target.iter_mut().enumerate() {
                for side in self.sides_of(TAKEN * chunk + k) {
                    let jacobian = &program.contacts[side.contact as usize].jacobian[side.side as usize];
                    push(jacobian, &pushes(side.contact as usize), target);
                }
            }
        });
    }

    fn sides_of(&self, body: usize) -> &[Side] {
        &self.sides[self.body_starts[body] as usize..self.body_starts[body + 1] as usize]
    }

    /// Fills in the matrix, masses in this unit, and factors it; false when it is not positive definite to rounding.
    pub(super) fn factor(
        &mut self,
        program: &IslandProgram,
        mass_unit: f64,
        weights: impl Fn(usize) -> Matrix3<f64> + Sync,
        exec: &Exec,
    ) -> bool {
        let isa = Isa::best();
        let (mut diagonal, mut couplings) =
            (std::mem::take(&mut self.diagonal), std::mem::take(&mut self.couplings));
        let this = &*self;
        let bodies = (chunks_mut(&mut diagonal, TAKEN), chunks(&program.masses, TAKEN));
        exec.for_each_dynamic(bodies, |chunk, (blocks, masses)| {
            for (k, (block, mass)) in blocks.iter_mut().zip(masses).enumerate() {
                *block = mass.map(|row| row.map(|x| x / mass_unit));
                let terms = this.sides_of(TAKEN * chunk + k).iter().map(|side| {
                    let contact = side.contact as usize;
                    let jacobian = &program.contacts[contact].jacobian[side.side as usize];
                    (jacobian, weights(contact), jacobian)
                });
                isa.run(AddProducts { block, terms });
            }
        });
        exec.for_each_dynamic(chunks_mut(&mut couplings, TAKEN), |chunk, blocks| {
            for (k, block) in blocks.iter_mut().enumerate() {
                *block = ZERO;
                let pair = TAKEN * chunk + k;
                let range = this.pair_starts[pair] as usize..this.pair_starts[pair + 1] as usize;
                let terms = this.pair_contacts[range].iter().map(|&contact| {
                    let [a, b] = &program.contacts[contact as usize].jacobian;
                    let is_turned = program.contacts[contact as usize].bodies[0] != this.pairs[pair][0];
                    let [columns, rows] = if is_turned { [b, a] } else { [a, b] };
                    (rows, weights(contact as usize), columns)
                });
                isa.run(AddProducts { block, terms });
            }
        });
        (self.diagonal, self.couplings) = (diagonal, couplings);
        self.factor.factor(&self.diagonal, &self.couplings, exec)
    }

    /// Solves in place.
    pub(super) fn solve(&mut self, x: &mut [Vector6]) {
        self.factor.solve(x);
    }
}

/// Adds `Σ Aᵀ D B`, with `A`, `D` and `B` from each of the terms, to a block stored by columns.
struct AddProducts<'a, T> {
    block: &'a mut Block6,
    terms: T,
}

impl<'a, T: Iterator<Item = (&'a [Vector6; 3], Matrix3<f64>, &'a [Vector6; 3])>> Kernel
    for AddProducts<'_, T>
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        let mut sum = *self.block;
        for (rows, weight, columns) in self.terms {
            for i in 0..3 {
                for (column, sum) in sum.iter_mut().enumerate() {
                    let weighted = weight[(i, 0)] * columns[0][column]
                        + weight[(i, 1)] * columns[1][column]
                        + weight[(i, 2)] * columns[2][column];
                    for (sum, row) in sum.iter_mut().zip(&rows[i]) {
                        *sum += row * weighted;
                    }
                }
            }
        }
        *self.block = sum;
    }
}
