//! The interior-point method as a solver of discrete problems that have bodies.

use super::{IMMOVABLE, InteriorOptions, IslandProgram, IslandProgramSolver, ProgramContact};
use crate::rounds::Rounds;
use crate::solver::Law;
use drystone_exec::Exec;
use drystone_resolution::problem::{GlobalForm, Outcome, Problem, ProblemSolver, SolveOptions, Status};

/// Error of velocities that is asked for, as far as double precision carries, and the largest that is an answer.
const WANTED: f64 = 1e-8;
const LARGEST: f64 = 1e-4;

/// The interior-point method of this module as a [`ProblemSolver`], for problems whose bodies have at most six degrees of
/// freedom each and a symmetric mass matrix.
#[derive(Clone, Debug, Default)]
pub struct InteriorSolver {
    /// Which law the answer follows.
    pub law: Law,
    method: IslandProgramSolver,
    program: IslandProgram,
}

impl InteriorSolver {
    /// For one of the laws.
    pub fn new(law: Law) -> Self {
        Self { law, ..Self::default() }
    }

    /// One program, as far as it gets; false when that is not far enough.
    fn solve_program(&mut self, iterations: &mut u64) -> bool {
        let options = InteriorOptions { tolerance: WANTED, ..InteriorOptions::default() };
        let report = self.method.solve(&self.program, &options);
        *iterations += u64::from(report.iterations);
        report.error <= LARGEST
    }
}

impl ProblemSolver for InteriorSolver {
    fn name(&self) -> &'static str {
        match self.law {
            Law::Associated => "interior_associated",
            Law::Coulomb => "interior",
        }
    }

    fn reads_global(&self) -> bool {
        true
    }

    fn needs_global(&self) -> bool {
        true
    }

    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        _exec: Option<&Exec>,
    ) -> Outcome {
        let mut rounds = Rounds::new(problem, options, self.law);
        let mut iterations = 0;
        if let Err(why) = state(problem, &mut self.program) {
            return rounds.judge(impulses, 0, Status::Unsupported { why: why.into() });
        }
        let mut round = impulses.to_vec();
        let otherwise = loop {
            let is_converged = self.solve_program(&mut iterations);
            round.copy_from_slice(self.method.impulses().as_flattened());
            if let Some(end) = rounds.take(&round, impulses, iterations, is_converged, false) {
                break end;
            }
            for (contact, program) in self.program.contacts.iter_mut().enumerate() {
                let u = problem.velocity(contact, &round);
                let raised = program.friction * (u.y * u.y + u.z * u.z).sqrt();
                program.free[0] = problem.free_velocity(contact).x + raised;
            }
        };
        rounds.judge(impulses, iterations, otherwise)
    }
}

/// The problem as a program; what the method is not made for, in words.
fn state(problem: &Problem, program: &mut IslandProgram) -> Result<(), String> {
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
