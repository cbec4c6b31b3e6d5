//! Convex programs for discrete problems, by a general solver of cone programs (clarabel).
//!
//! The program is `min r·W r/2 + q·r` over the friction cones: the *associated* model, in which a contact that slides
//! also separates, `u_N = mu |u_T|`. Its minimum is unique; it is what S2's static-contact program is (eq. 14 with
//! restitution 0: impulses that leave the least kinetic energy), and with De Saxcé's correction it becomes Coulomb's law:
//! ```text
//! r⁺ = argmin over the cone of  r·W r/2 + (q + mu |u_T(r)| e_N)·r
//! ```
//! repeated with the last answer on the right, where a fixed point is an exact answer. Source: Acary, Cadoux,
//! Lemaréchal, Malick, "A formulation of the linear discrete Coulomb friction problem via convex optimization", ZAMM 91
//! (2011). The fixed point need not attract; [`Status`] says what [`Measure`](drystone_resolution::problem::Measure) says.
//!
//! An unsymmetric `W` is no program: its symmetric part is, and the rest is moved to `q` like De Saxcé's term.
//! Cost: 30 to 100 µs per contact and round for sparse problems. Sets up its matrices for every problem, so it
//! allocates. For references and for islands that the small solver does not take; see [`crate::interior`].

mod program;

use crate::rounds::Rounds;
use drystone_exec::Exec;
use drystone_resolution::problem::{Local, Outcome, Problem, ProblemSolver, SolveOptions, Status};
use program::{Limits, Program, TOLERANCES};
pub(crate) use program::{columns_of, sides};

/// What impulses are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConeChoice {
    /// Coulomb's cone, as a second-order cone.
    #[default]
    Circular,
    /// The inscribed pyramid with eight sides (S2-08), as linear inequalities. Loses at most 7.6 % of friction.
    Pyramid,
}

/// Which law the answer follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// The convex program as it is.
    Associated,
    /// Coulomb's: De Saxcé's correction in an outer iteration.
    #[default]
    Coulomb,
}

/// Unknowns of the program: see the module's `program`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Contacts,
    Bodies,
}

/// Entries of `W`, as a share of the largest one, by which it may differ from its transpose and still be taken as symmetric.
const SYMMETRY: f64 = 1e-12;

/// Convex programs by clarabel, as a [`ProblemSolver`].
///
/// `iterations` counts those of the interior-point method. Ignores where to begin: an interior-point method begins
/// in the middle of the cone.
///
/// ```
/// use drystone_convex::ConvexSolver;
/// use drystone_resolution::problem::{BlockRows, Problem, SolveOptions, ProblemSolver, Triplets};
///
/// // A body of 1 kg that closes at 1 m/s and slides at 2 m/s, mu = 0.5.
/// let mut w = Triplets::new(3, 3);
/// (0..3).for_each(|i| w.push(i, i, 1.0));
/// let problem = Problem::new(BlockRows::from_triplets("W", &w)?, vec![-1.0, 2.0, 0.0], vec![0.5])?;
/// let solution = ConvexSolver::coulomb().solve_problem(&problem, &SolveOptions::default(), None);
/// assert!((solution.impulses[0] - 1.0).abs() < 1e-7 && (solution.impulses[1] + 0.5).abs() < 1e-7);
/// # Ok::<(), drystone_resolution::problem::ProblemError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConvexSolver {
    /// What impulses are allowed.
    pub cone: ConeChoice,
    /// Which law the answer follows.
    pub law: Law,
    /// Whether the sparse form over bodies is used where the problem has them. Default: when it is smaller.
    pub use_bodies: Option<bool>,
}

impl ConvexSolver {
    /// Coulomb's law by rounds of the exact-cone program.
    pub fn coulomb() -> Self {
        Self::default()
    }

    /// One exact-cone program.
    pub fn associated() -> Self {
        Self { law: Law::Associated, ..Self::default() }
    }

    /// One program with the pyramid of S2.
    pub fn pyramid() -> Self {
        Self { cone: ConeChoice::Pyramid, ..Self::associated() }
    }

    fn form(&self, problem: &Problem) -> Form {
        let Some(global) = problem.global().filter(|g| is_symmetric(g)) else { return Form::Contacts };
        let entries = global.mass.values.len() + global.directions.values.len();
        let is_smaller = entries < 9 * problem.coupling().block_count();
        if self.use_bodies.unwrap_or(is_smaller) { Form::Bodies } else { Form::Contacts }
    }
}

/// True when `M` is symmetric to rounding.
fn is_symmetric(global: &drystone_resolution::problem::GlobalForm) -> bool {
    let mut entries: Vec<(u32, u32, f64)> = Vec::with_capacity(2 * global.mass.values.len());
    for (i, j, x) in global.mass.iter().filter(|(i, j, _)| i != j) {
        entries.push(if i < j { (i, j, x) } else { (j, i, -x) });
    }
    entries.sort_by_key(|&(i, j, _)| (i, j));
    let largest = global.mass.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let sums = entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    sums.map(|same| same.iter().map(|e| e.2).sum::<f64>()).all(|sum| sum.abs() <= SYMMETRY * largest)
}

/// What the outer iteration adds to `q`: De Saxcé's `mu |u_T|`, and what the program leaves out of an unsymmetric `W`.
fn corrections(problem: &Problem, adds_rest: bool, impulses: &[f64], extra: &mut [f64]) {
    for contact in 0..problem.contact_count() {
        let u = problem.velocity(contact, impulses);
        let raised = problem.friction()[contact] * (u.y * u.y + u.z * u.z).sqrt();
        extra[3 * contact..][..3].copy_from_slice(&[raised, 0.0, 0.0]);
    }
    if adds_rest {
        add_unsymmetric_part(problem, impulses, extra);
    }
}

/// Adds `(W − Wᵀ) r / 2`.
fn add_unsymmetric_part(problem: &Problem, impulses: &[f64], extra: &mut [f64]) {
    let of = |k: usize| Local::from_column_slice(&impulses[3 * k..][..3]);
    let mut add = |k: usize, share: Local| (0..3).for_each(|axis| extra[3 * k + axis] += share[axis]);
    for row in 0..problem.contact_count() {
        let (columns, blocks) = problem.coupling().row(row);
        for (&column, block) in columns.iter().zip(blocks) {
            add(row, block * of(column as usize) * 0.5);
            add(column as usize, block.tr_mul(&of(row)) * -0.5);
        }
    }
}

impl ProblemSolver for ConvexSolver {
    fn name(&self) -> &'static str {
        match (self.law, self.cone) {
            (Law::Coulomb, ConeChoice::Circular) => "convex",
            (Law::Coulomb, ConeChoice::Pyramid) => "convex_pyramid_rounds",
            (Law::Associated, ConeChoice::Circular) => "associated",
            (Law::Associated, ConeChoice::Pyramid) => "pyramid",
        }
    }

    fn reads_global(&self) -> bool {
        self.use_bodies != Some(false)
    }

    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        _exec: Option<&Exec>,
    ) -> Outcome {
        let mut rounds = Rounds::new(problem, options, self.law);
        if problem.contact_count() == 0 {
            return rounds.judge(impulses, 0, Status::Solved);
        }
        let seconds = options.time_limit.map_or(f64::INFINITY, |limit| limit.as_secs_f64());
        let form = self.form(problem);
        let set_up = |level: usize| {
            Program::new(problem, self.cone, form, Limits { seconds, tolerance: TOLERANCES[level] })
        };
        let mut level = 0;
        let mut program = match set_up(level) {
            Ok(program) => program,
            Err(why) => return rounds.judge(impulses, 0, Status::Failed { why: why.into() }),
        };
        let adds_rest = form == Form::Contacts && problem.coupling().asymmetry() > SYMMETRY;
        let mut extra = vec![0.0; 3 * problem.contact_count()];
        let mut round = impulses.to_vec();
        let mut iterations = 0;
        let otherwise = loop {
            let (steps, verdict) = program.solve(&extra, &mut round);
            iterations += steps;
            if program.is_stuck() && level + 1 < TOLERANCES.len() {
                level += 1;
                match set_up(level) {
                    Ok(looser) => program = looser,
                    Err(why) => break Status::Failed { why: why.into() },
                }
                continue;
            }
            if let Err(why) = verdict {
                break Status::Failed { why: why.into() };
            }
            let ended = (program.is_converged(), program.is_out_of_time());
            if let Some(end) = rounds.take(&round, impulses, iterations, ended.0, ended.1) {
                break end;
            }
            corrections(problem, adds_rest, &round, &mut extra);
        };
        rounds.judge(impulses, iterations, otherwise)
    }
}

/// `r·W r/2 + q·r` of impulses, J: what the convex program makes least, by the symmetric part of `W`.
pub fn objective(problem: &Problem, impulses: &[f64]) -> f64 {
    let per_contact = |k: usize| {
        let r = Local::from_column_slice(&impulses[3 * k..][..3]);
        0.5 * r.dot(&(problem.velocity(k, impulses) + problem.free_velocity(k)))
    };
    (0..problem.contact_count()).map(per_contact).sum()
}
