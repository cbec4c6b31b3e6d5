//! The linear system of Newton's steps on a discrete problem, over contacts or over bodies, whichever is smaller.
//!
//! In: a [`Problem`] and two blocks per contact. Out: factors, and with them the step. Knows nothing of what the blocks mean.
//! With `L` and `B` block diagonal over contacts, `w` given and `t` wanted:
//! ```text
//! contacts   (1 + Lᵀ B W L) t = w
//! bodies     (M + H L Lᵀ B Hᵀ) x = H L w      t = w − Lᵀ B Hᵀ x        where W = Hᵀ M⁻¹ H
//! ```
//! Both give the same `t`. Bodies are mostly fewer than contacts, and less coupled.

mod block_lu;
mod tile;

use crate::problem::{Block, GlobalForm, Local, Problem};
pub(crate) use block_lu::{BlockLu, BlockPlace};
use nalgebra::SMatrix;
use tile::Dense;
pub(crate) use tile::{Size, Tile};

/// How impulses of a contact act on a body: columns of `H`.
type Lever = SMatrix<f64, 6, 3>;

/// Degrees of freedom of a body.
const BODY: usize = 6;

/// The system, with its pattern.
#[derive(Clone, Debug)]
pub(crate) enum System {
    /// Over contacts.
    Contacts(BlockLu<3, 4>),
    /// Over bodies.
    Bodies(Bodies),
}

/// The system over bodies.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    lu: BlockLu<BODY, 8>,
    mass: Vec<Dense<BODY>>,
    /// Levers by contact: `levers[starts[k]..starts[k + 1]]`, each with its body.
    starts: Vec<u32>,
    levers: Vec<(u32, Lever)>,
    /// Scratch: a right-hand side.
    right: Vec<f64>,
}

/// The blocks `L` and `B` of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    pub(crate) l: Block,
    pub(crate) b: Block,
}

impl System {
    /// Finds the pattern.
    pub(crate) fn new(problem: &Problem) -> Self {
        if let Some(bodies) = problem.global().and_then(Bodies::new) {
            return Self::Bodies(bodies);
        }
        let coupling = problem.coupling();
        let pairs: Vec<(u32, u32)> = (0..coupling.row_count() as u32)
            .flat_map(|row| coupling.row(row as usize).0.iter().map(move |&column| (row, column)))
            .collect();
        Self::Contacts(BlockLu::new(coupling.row_count(), &pairs))
    }

    /// Fills and factors the matrix; false when it has no factors.
    pub(crate) fn factor(&mut self, problem: &Problem, factors: &[Factors]) -> bool {
        match self {
            Self::Contacts(lu) => {
                lu.clear();
                for (row, own) in factors.iter().enumerate() {
                    let left = own.l.transpose() * own.b;
                    lu.add(row as u32, row as u32, &Block::identity());
                    let (columns, blocks) = problem.coupling().row(row);
                    for (&column, block) in columns.iter().zip(blocks) {
                        lu.add(row as u32, column, &(left * block * factors[column as usize].l));
                    }
                }
                lu.factor()
            }
            Self::Bodies(bodies) => bodies.factor(factors),
        }
    }

    /// Multiplications of one factorisation: what a step costs, whatever the machine.
    pub(crate) fn work(&self) -> u64 {
        match self {
            Self::Contacts(lu) => lu.work(),
            Self::Bodies(bodies) => bodies.lu.work(),
        }
    }

    /// From `w` to `t`, three numbers per contact, in place.
    pub(crate) fn solve(&mut self, factors: &[Factors], vector: &mut [f64]) {
        match self {
            Self::Contacts(lu) => lu.solve(vector),
            Self::Bodies(bodies) => bodies.solve(factors, vector),
        }
    }
}

impl Bodies {
    /// `None` when the mass matrix is not made of blocks of six.
    fn new(form: &GlobalForm) -> Option<Self> {
        let block = BODY as u32;
        let is_bodies = form.mass.rows.is_multiple_of(BODY)
            && form.mass.iter().all(|(row, column, x)| row / block == column / block || x == 0.0);
        if !is_bodies {
            return None;
        }
        let mut mass = vec![Dense::<BODY>::zeros(); form.mass.rows / BODY];
        for (row, column, x) in form.mass.iter().filter(|entry| entry.2 != 0.0) {
            mass[(row / block) as usize][(row as usize % BODY, column as usize % BODY)] += x;
        }
        let mut entries: Vec<(u32, u32, usize, usize, f64)> = form
            .directions
            .iter()
            .map(|(row, column, x)| (column / 3, row / block, row as usize % BODY, column as usize % 3, x))
            .collect();
        entries.sort_by_key(|entry| (entry.0, entry.1));
        let (mut starts, mut levers): (Vec<u32>, Vec<(u32, Lever)>) = (vec![0], Vec::new());
        let mut next = entries.iter().peekable();
        for contact in 0..form.w.len() as u32 / 3 {
            let begun = levers.len();
            while let Some(&(_, body, row, column, x)) = next.next_if(|entry| entry.0 == contact) {
                if levers.len() == begun || levers.last().is_none_or(|last| last.0 != body) {
                    levers.push((body, Lever::zeros()));
                }
                if let Some((_, lever)) = levers.last_mut() {
                    lever[(row, column)] += x;
                }
            }
            starts.push(levers.len() as u32);
        }
        let mut pairs = Vec::new();
        for range in starts.windows(2) {
            let levers = &levers[range[0] as usize..range[1] as usize];
            pairs.extend(levers.iter().flat_map(|a| levers.iter().map(move |b| (a.0, b.0))));
        }
        let lu = BlockLu::new(mass.len(), &pairs);
        Some(Self { lu, mass, starts, levers, right: Vec::new() })
    }

    fn levers(&self, contact: usize) -> &[(u32, Lever)] {
        &self.levers[self.starts[contact] as usize..self.starts[contact + 1] as usize]
    }

    fn factor(&mut self, factors: &[Factors]) -> bool {
        let mut lu = std::mem::take(&mut self.lu);
        lu.clear();
        for (body, mass) in self.mass.iter().enumerate() {
            lu.add(body as u32, body as u32, mass);
        }
        for (k, own) in factors.iter().enumerate() {
            let compliance = own.l * own.l.transpose() * own.b;
            for (row, lever) in self.levers(k) {
                let left = lever * compliance;
                for (column, other) in self.levers(k) {
                    lu.add(*row, *column, &(left * other.transpose()));
                }
            }
        }
        let is_factored = lu.factor();
        self.lu = lu;
        is_factored
    }

    fn solve(&mut self, factors: &[Factors], vector: &mut [f64]) {
        let mut right = std::mem::take(&mut self.right);
        right.clear();
        right.resize(BODY * self.mass.len(), 0.0);
        for (k, own) in factors.iter().enumerate() {
            let w = own.l * Local::from_column_slice(&vector[3 * k..][..3]);
            for (body, lever) in self.levers(k) {
                let push = lever * w;
                let place = &mut right[BODY * *body as usize..][..BODY];
                place.iter_mut().zip(push.iter()).for_each(|(x, p)| *x += p);
            }
        }
        self.lu.solve(&mut right);
        for (k, own) in factors.iter().enumerate() {
            let mut velocity = Local::zeros();
            for (body, lever) in self.levers(k) {
                velocity += lever.tr_mul(&SMatrix::<f64, BODY, 1>::from_column_slice(
                    &right[BODY * *body as usize..][..BODY],
                ));
            }
            let change = own.l.tr_mul(&(own.b * velocity));
            vector[3 * k..][..3].iter_mut().zip(change.iter()).for_each(|(x, c)| *x -= c);
        }
        self.right = right;
    }
}
