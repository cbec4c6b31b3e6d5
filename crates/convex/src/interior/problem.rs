//! The interior-point method as a solver of discrete problems that have bodies.

use super::{GroupProgram, IMMOVABLE, InteriorOptions, InteriorPoint, ProgramContact};
use crate::solver::Law;
use drystone_resolution::problem::{
    GlobalForm, Measure, Outcome, Problem, SolveOptions, SolveProblem, Status,
};
use std::time::Instant;

/// Tolerances that are tried one after the other: as far as double precision carries, then looser ones.
const TOLERANCES: [f64; 3] = [1e-8, 1e-6, 1e-4];
/// Rounds of the outer iteration without a better answer after which it is given up.
const STALLED: u32 = 12;

/// The interior-point method of this module as a [`SolveProblem`], for problems whose bodies have at most six degrees of
/// freedom each and a symmetric mass matrix.
#[derive(Clone, Debug, Default)]
pub struct InteriorSolver {
    /// Which law the answer follows.
    pub law: Law,
    method: InteriorPoint,
    program: GroupProgram,
}

impl InteriorSolver {
    /// For one of the laws.
    pub fn new(law: Law) -> Self {
        Self { law, ..Self::default() }
    }

    /// One program, to the tightest tolerance that it gets to; false when to none.
    fn solve_program(&mut self, iterations: &mut u64) -> bool {
        TOLERANCES.iter().any(|&tolerance| {
            let options = InteriorOptions { tolerance, ..InteriorOptions::default() };
            let report = self.method.solve(&self.program, &options);
            *iterations += u64::from(report.iterations);
            report.is_converged
        })
    }
}

impl SolveProblem for InteriorSolver {
    fn name(&self) -> &'static str {
        match self.law {
            Law::Associated => "interior_associated",
            Law::Coulomb => "interior",
        }
    }

    fn reads_global(&self) -> bool {
        true
    }

    fn solve_in_place(&mut self, problem: &Problem, options: &SolveOptions, impulses: &mut [f64]) -> Outcome {
        let since = Instant::now();
        let mut iterations = 0;
        let judge = |impulses: &[f64], iterations, otherwise| {
            Outcome::judge(problem, options, impulses, iterations, since, otherwise)
        };
        if let Err(why) = state(problem, &mut self.program) {
            return judge(impulses, 0, Status::Unsupported { why: why.into() });
        }
        let mut round = impulses.to_vec();
        let (mut best, mut stalled) = (f64::INFINITY, 0);
        let otherwise = loop {
            let is_converged = self.solve_program(&mut iterations);
            round.copy_from_slice(self.method.impulses().as_flattened());
            let error = Measure::of(problem, &round).natural_map;
            stalled = if error < 0.9 * best { 0 } else { stalled + 1 };
            if error < best {
                best = error;
                impulses.copy_from_slice(&round);
            }
            if best <= options.tolerance || self.law == Law::Associated {
                let why = if is_converged {
                    "the minimum of the convex program is not within the tolerance of Coulomb's law"
                } else {
                    "the interior-point method does not converge"
                };
                break Status::Failed { why: why.into() };
            }
            if stalled > STALLED {
                break Status::Failed { why: "rounds with De Saxcé's correction do not get better".into() };
            }
            if options.time_limit.is_some_and(|limit| since.elapsed() > limit) {
                break Status::TimeLimit;
            }
            if iterations >= options.max_iterations {
                break Status::IterationLimit;
            }
            for (contact, program) in self.program.contacts.iter_mut().enumerate() {
                let u = problem.velocity(contact, &round);
                let raised = program.friction * (u.y * u.y + u.z * u.z).sqrt();
                program.free[0] = problem.free_velocity(contact).x + raised;
            }
        };
        judge(impulses, iterations, otherwise)
    }
}

/// The problem as a program; what the method is not made for, in words.
fn state(problem: &Problem, program: &mut GroupProgram) -> Result<(), String> {
    program.clear();
    let global = problem.global().ok_or("it has no bodies")?;
    let place = places(global)?;
    let count = place.iter().map(|p| p.0 + 1).max().unwrap_or(0) as usize;
    program.masses.resize(count, [[0.0; 6]; 6]);
    let mut used = vec![[false; 6]; count];
    for (i, j, x) in global.mass.iter() {
        let ((body, row), (_, column)) = (place[i as usize], place[j as usize]);
        program.masses[body as usize][row][column] += x;
        used[body as usize][row] = true;
    }
    for (mass, used) in program.masses.iter_mut().zip(&used) {
        let largest = mass.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for i in 0..6 {
            if !used[i] {
                mass[i][i] = 1.0;
            }
            if (0..i).any(|j| (mass[i][j] - mass[j][i]).abs() > 1e-12 * largest) {
                return Err("its mass matrix is not symmetric".into());
            }
        }
    }
    program.contacts.extend((0..problem.contact_count()).map(|k| ProgramContact {
        bodies: [IMMOVABLE; 2],
        jacobian: [[[0.0; 6]; 3]; 2],
        free: problem.free_velocity(k).into(),
        friction: problem.friction()[k],
    }));
    for (dof, column, x) in global.directions.iter().filter(|entry| entry.2 != 0.0) {
        let (body, axis) = place[dof as usize];
        let contact = &mut program.contacts[column as usize / 3];
        let side = contact.bodies.iter().position(|&b| b == body || b == IMMOVABLE);
        let side = side.ok_or("a contact joins more than two bodies")?;
        contact.bodies[side] = body;
        contact.jacobian[side][column as usize % 3][axis] += x;
    }
    Ok(())
}

/// Body of each degree of freedom, and its place among the six of that body.
fn places(global: &GlobalForm) -> Result<Vec<(u32, usize)>, String> {
    let count = global.mass.rows;
    // Degrees of freedom that the mass matrix couples lie side by side in all sources: a body ends where nothing reaches on.
    let mut last: Vec<usize> = (0..count).collect();
    for (i, j, _) in global.mass.iter().filter(|entry| entry.2 != 0.0) {
        let (low, high) = (i.min(j) as usize, i.max(j) as usize);
        last[low] = last[low].max(high);
    }
    let mut place = Vec::with_capacity(count);
    let (mut body, mut begin, mut reach) = (0_u32, 0, 0);
    for (dof, &last) in last.iter().enumerate() {
        // Without couplings, six in a row are one body as well: those of a free body with its principal axes.
        let is_new = dof > reach && (dof - begin == 6 || !count.is_multiple_of(6));
        if is_new {
            (body, begin) = (body + 1, dof);
        }
        reach = reach.max(last);
        if dof - begin >= 6 {
            return Err("its mass matrix couples more than six degrees of freedom".into());
        }
        place.push((body, dof - begin));
    }
    Ok(place)
}
