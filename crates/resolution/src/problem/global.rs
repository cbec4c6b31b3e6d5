//! The global form of a problem: bodies, and how contacts act on them.

use super::error::{ProblemError, check_finite, check_size};
use super::{Block, BlockRows};
use nalgebra::DMatrix;

/// A sparse matrix as a list of entries; entries at the same place add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triplets {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row of each entry.
    pub row_index: Vec<u32>,
    /// Column of each entry.
    pub column_index: Vec<u32>,
    /// The entries.
    pub values: Vec<f64>,
}

impl Triplets {
    /// A matrix of zeros.
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, ..Self::default() }
    }

    /// Adds an entry.
    pub fn push(&mut self, row: u32, column: u32, value: f64) {
        self.row_index.push(row);
        self.column_index.push(column);
        self.values.push(value);
    }

    /// Row, column and value of each entry.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        let places = self.row_index.iter().zip(&self.column_index);
        places.zip(&self.values).map(|((&row, &column), &value)| (row, column, value))
    }

    /// Forgets all entries and keeps the memory.
    pub(crate) fn reset(&mut self, rows: usize, columns: usize) {
        (self.rows, self.columns) = (rows, columns);
        self.row_index.clear();
        self.column_index.clear();
        self.values.clear();
    }

    /// `Ok` when every entry is finite and inside; `field` names the matrix.
    ///
    /// # Errors
    /// The first entry that is not.
    pub fn check(&self, field: &'static str) -> Result<(), ProblemError> {
        check_size(field, self.values.len(), self.row_index.len())?;
        check_size(field, self.values.len(), self.column_index.len())?;
        check_finite(field, &self.values)?;
        let (rows, columns) = (self.rows, self.columns);
        let outside = |&(_, (row, column, _)): &(usize, (u32, u32, f64))| {
            row as usize >= rows || column as usize >= columns
        };
        match self.iter().enumerate().find(outside) {
            Some((entry, (row, column, _))) => {
                Err(ProblemError::OutsideMatrix { field, entry, row, column, rows, columns })
            }
            None => Ok(()),
        }
    }
}

/// The global form of a problem: `M v = H r + f`, `u = Hᵀ v + w`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlobalForm {
    /// `M`: masses and inertias (kg, kg m²), mostly a block per body. Maybe unsymmetric.
    pub mass: Triplets,
    /// `H`: how impulses in the contacts' frames act on the degrees of freedom; three columns per contact.
    pub directions: Triplets,
    /// `f`: momentum that the bodies would have without contacts, kg m/s and kg m²/s.
    pub f: Vec<f64>,
    /// `w`: velocities that contacts have beside those of the bodies (of what is kinematic, of gaps, of bounces), m/s.
    pub w: Vec<f64>,
}

/// Most degrees of freedom that the mass matrix may couple with each other: they are inverted as a dense matrix.
const MAX_COUPLED: usize = 4096;

impl GlobalForm {
    /// `Ok` when sizes fit and all numbers are finite.
    ///
    /// # Errors
    /// The first thing that does not, by name.
    pub fn check(&self) -> Result<(), ProblemError> {
        self.mass.check("M")?;
        self.directions.check("H")?;
        let dofs = self.mass.rows;
        check_size("M", dofs, self.mass.columns)?;
        check_size("H", dofs, self.directions.rows)?;
        check_size("H", self.directions.columns.next_multiple_of(3), self.directions.columns)?;
        check_size("f", dofs, self.f.len())?;
        check_size("w", self.directions.columns, self.w.len())?;
        check_finite("f", &self.f)?;
        check_finite("w", &self.w)
    }

    /// `W = Hᵀ M⁻¹ H` and `q = w + Hᵀ M⁻¹ f`.
    ///
    /// `M` falls into the parts that its entries couple (a body each, mostly), which are inverted densely.
    ///
    /// # Errors
    /// As [`GlobalForm::check`]; a part that is singular or too large.
    pub(super) fn to_local(&self) -> Result<(BlockRows, Vec<f64>), ProblemError> {
        self.check()?;
        let parts = self.coupled_parts();
        let mut q = self.w.clone();
        let mut blocks = Vec::new();
        for part in &parts {
            if part.dofs.len() > MAX_COUPLED {
                return Err(ProblemError::MassTooLarge { got: part.dofs.len(), limit: MAX_COUPLED });
            }
            part.add(self, &mut blocks, &mut q)?;
        }
        Ok((BlockRows::from_blocks(self.w.len() / 3, blocks), q))
    }

    /// The sets of degrees of freedom that `M` couples, each with its entries of `M` and `H`.
    fn coupled_parts(&self) -> Vec<Part> {
        let mut owner: Vec<u32> = (0..self.mass.rows as u32).collect();
        let root = |owner: &mut Vec<u32>, mut i: u32| {
            while owner[i as usize] != i {
                owner[i as usize] = owner[owner[i as usize] as usize];
                i = owner[i as usize];
            }
            i
        };
        for (row, column, value) in self.mass.iter() {
            let (a, b) = (root(&mut owner, row), root(&mut owner, column));
            if value != 0.0 {
                owner[a.max(b) as usize] = a.min(b);
            }
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut part_of = vec![0_u32; self.mass.rows];
        let mut place = vec![0_u32; self.mass.rows];
        for dof in 0..self.mass.rows as u32 {
            let first = root(&mut owner, dof);
            if first == dof {
                part_of[dof as usize] = parts.len() as u32;
                parts.push(Part::default());
            }
            let part = part_of[first as usize];
            part_of[dof as usize] = part;
            place[dof as usize] = parts[part as usize].dofs.len() as u32;
            parts[part as usize].dofs.push(dof);
        }
        for (row, column, value) in self.mass.iter().filter(|entry| entry.2 != 0.0) {
            let entry = (place[row as usize], place[column as usize], value);
            parts[part_of[row as usize] as usize].mass.push(entry);
        }
        for (row, column, value) in self.directions.iter() {
            parts[part_of[row as usize] as usize].directions.push((place[row as usize], column, value));
        }
        parts
    }
}

/// Degrees of freedom that the mass matrix couples, with entries (place in the part, place or column, value).
#[derive(Debug, Default)]
struct Part {
    dofs: Vec<u32>,
    mass: Vec<(u32, u32, f64)>,
    directions: Vec<(u32, u32, f64)>,
}

impl Part {
    /// Adds the part's share of `W` and `q`.
    fn add(
        &self,
        form: &GlobalForm,
        blocks: &mut Vec<(u32, u32, Block)>,
        q: &mut [f64],
    ) -> Result<(), ProblemError> {
        let n = self.dofs.len();
        let mut contacts: Vec<u32> = self.directions.iter().map(|entry| entry.1 / 3).collect();
        contacts.sort_unstable();
        contacts.dedup();
        if contacts.is_empty() {
            return Ok(());
        }
        let mut mass = DMatrix::<f64>::zeros(n, n);
        self.mass.iter().for_each(|&(i, j, x)| mass[(i as usize, j as usize)] += x);
        let mut h = DMatrix::<f64>::zeros(n, 3 * contacts.len());
        for &(i, column, x) in &self.directions {
            let slot = contacts.partition_point(|&contact| contact < column / 3);
            h[(i as usize, 3 * slot + column as usize % 3)] += x;
        }
        // The momentum is one more column.
        let mut right = h.clone().insert_column(3 * contacts.len(), 0.0);
        for (i, &dof) in self.dofs.iter().enumerate() {
            right[(i, 3 * contacts.len())] = form.f[dof as usize];
        }
        let singular = ProblemError::SingularMass { dof: self.dofs[0] as usize };
        let solved = mass.lu().solve(&right).filter(|x| x.iter().all(|v| v.is_finite())).ok_or(singular)?;
        let local = h.tr_mul(&solved);
        for (i, &row) in contacts.iter().enumerate() {
            for (j, &column) in contacts.iter().enumerate() {
                blocks.push((row, column, local.fixed_view::<3, 3>(3 * i, 3 * j).into_owned()));
            }
            for axis in 0..3 {
                q[3 * row as usize + axis] += local[(3 * i + axis, 3 * contacts.len())];
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    /// Two point masses one above the other, the lower one on the ground; velocities along one axis (the normal).
    fn two_masses(lower: f64, upper: f64) -> GlobalForm {
        let mut mass = Triplets::new(2, 2);
        mass.push(0, 0, lower);
        mass.push(1, 1, upper);
        let mut directions = Triplets::new(2, 6);
        directions.push(0, 0, 1.0);
        directions.push(0, 3, -1.0);
        directions.push(1, 3, 1.0);
        GlobalForm { mass, directions, f: vec![-lower, -upper], w: vec![0.25, 0.0, 0.0, 0.0, 0.0, 0.0] }
    }

    #[test]
    fn local_form_of_two_masses_by_hand() {
        let problem = Problem::from_global(two_masses(4.0, 2.0), vec![0.5; 2]).expect("fits");
        let w = |i: usize, j: usize| problem.coupling().block(i, j).map_or(0.0, |b| b[(0, 0)]);
        assert_eq!([w(0, 0), w(0, 1), w(1, 0), w(1, 1)], [0.25, -0.25, -0.25, 0.75]);
        assert_eq!(problem.free_velocities(), [-0.75, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    /// A mass matrix with a coupling is inverted as a whole, also when it is unsymmetric.
    #[test]
    fn coupled_and_unsymmetric_masses_are_inverted() {
        let mut form = two_masses(4.0, 2.0);
        form.mass.push(0, 1, 1.0);
        let problem = Problem::from_global(form, vec![0.5; 2]).expect("fits");
        // M⁻¹ = [[1/4, −1/8], [0, 1/2]].
        let w = |i: usize, j: usize| problem.coupling().block(i, j).map_or(0.0, |b| b[(0, 0)]);
        assert_eq!([w(0, 0), w(0, 1), w(1, 0), w(1, 1)], [0.25, -0.375, -0.25, 0.875]);
    }

    #[test]
    fn a_body_without_mass_is_refused() {
        let refused = Problem::from_global(two_masses(4.0, 0.0), vec![0.5; 2]).expect_err("refused");
        assert_eq!(refused, ProblemError::SingularMass { dof: 1 });
    }
}
