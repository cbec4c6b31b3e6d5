//! A primal-dual interior-point method for the exact-cone program of one island, over the velocities of its bodies.
//!
//! The program is the dual of that of [`crate::solver`], with the change `d` of the velocities as unknown:
//! ```text
//! min d·M d/2    such that    s_c = S_c (J_c d + q_c) in the cone, for every contact c       S_c = diag(1, mu, mu)
//! ```
//! Its multipliers `z_c` give the impulses `r_c = S_c z_c`, and `M d = Σ J_cᵀ r_c`. Newton's equations, once the contacts
//! are eliminated one by one (3x3 each), have six unknowns per body and couple bodies that touch:
//! ```text
//! (M + Σ J_cᵀ S_c W_c⁻² S_c J_c) Δd = …
//! ```
//! where a general solver factors bodies and contacts together. Piles have three to five contacts per body, so that
//! is a sixth of the unknowns, and points of one pair of bodies share a block. Source of the method: Mehrotra's predictor and
//! corrector with Nesterov and Todd's scaling (`cone`), as in Vandenberghe (2010); the factor is in `sparse`.
//!
//! S2-33 asks for such a solver. Guarantees: impulses inside the cone; the least energy of all impulses there are, to the
//! tolerance; equal bits for equal input. In a jam, where no motion opens all contacts, impulses have no bound and digits
//! are lost: the tolerance may be missed, and the report says so. Cost: 8 to 15 iterations; memory is kept from island to island.

mod block;
mod cone;
mod order;
mod panels;
mod problem;
mod program;
mod sparse;
mod system;
mod tile;

pub use problem::InteriorSolver;
pub use program::{IMMOVABLE, IslandProgram, ProgramContact};

use block::Vector6;
use cone::{Point, Scaling, UNIT, determinant, distance_outside, drawn_in, product, quotient, step_inside};
use drystone_exec::{Exec, chunks, chunks_mut, items_mut};
use system::System;

/// Contacts that a thread takes at a time.
const TAKEN: usize = 256;

/// Share of the way to the border that a step goes, at first and once the predictor gets nearly there.
const BACK_OFF: [f64; 2] = [0.99, 0.9999];
/// A predictor that goes this far is good.
const GOOD_STEP: f64 = 0.9;
/// Least product of a contact's two eigenvalues, as a share of that in the middle of the cones: steps end before. Nearer to
/// the border the next direction leads nowhere, and predictor and corrector may take turns without end.
const NEAREST: f64 = 1e-2;
/// What is left of a step that would go nearer, and how often it is shortened at most.
const SHORTER: f64 = 0.8;
const MOST_SHORTER: u32 = 20;
/// Iterations without a smaller error after which it is given up: rounding leads astray near the answer.
const STALLED: u32 = 15;
/// Steps shorter than this get nowhere.
const SHORTEST_STEP: f64 = 1e-6;

/// When the method stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InteriorOptions {
    /// Error of velocities, as a share of the fastest approach or slip in `q`; in (0, 1). Default 1e-5.
    pub tolerance: f64,
    /// Most iterations. Default 60.
    pub max_iterations: u32,
}

impl Default for InteriorOptions {
    fn default() -> Self {
        Self { tolerance: 1e-5, max_iterations: 60 }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InteriorReport {
    /// Iterations made: one factor each.
    pub iterations: u32,
    /// True when the tolerance was reached.
    pub is_converged: bool,
    /// Gap per contact between the program and its dual, in units of `M q²`.
    pub gap: f64,
    /// Error of velocities that is left, in the unit of [`InteriorOptions::tolerance`].
    pub error: f64,
    /// Blocks of the factor: what an iteration costs.
    pub factor_blocks: usize,
}

/// The method, with its memory.
#[derive(Clone, Debug, Default)]
pub struct IslandProgramSolver {
    system: System,
    change: Vec<Vector6>,
    right: Vec<Vector6>,
    direction: Vec<Vector6>,
    cones: Vec<Cone>,
    results: Vec<Pass>,
    /// The multipliers with the least error.
    best: Vec<Point>,
    impulses: Vec<[f64; 3]>,
    unit: Unit,
}

/// Units in which velocities and masses are about one.
#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    velocity: f64,
    mass: f64,
}

/// The state of a contact.
#[derive(Clone, Copy, Debug, Default)]
struct Cone {
    s: Point,
    z: Point,
    scaling: Scaling,
    /// `λ = W z`.
    both: Point,
    /// `s − S (J d + q)`.
    residual: Point,
    /// Newton's steps.
    ds: Point,
    dz: Point,
    /// `λ \ right-hand side` of the complementarity.
    target: Point,
    /// What it adds to the right-hand sides of its bodies.
    push: Point,
}

/// What a pass over contacts finds.
#[derive(Clone, Copy, Debug)]
struct Pass {
    largest: f64,
    sums: [f64; 2],
    /// The longest step in [0, 1].
    step: f64,
    is_fine: bool,
}

impl Default for Pass {
    fn default() -> Self {
        Self { largest: 0.0, sums: [0.0; 2], step: 1.0, is_fine: true }
    }
}

impl IslandProgramSolver {
    /// Impulses of the last solve, N·s, one per contact, normal first.
    pub fn impulses(&self) -> &[[f64; 3]] {
        &self.impulses
    }

    /// Changes of the bodies' velocities by these impulses, m/s and rad/s.
    pub fn changes(&self) -> &[[f64; 6]] {
        &self.change
    }

    /// As [`Self::solve_on`], on this thread alone.
    pub fn solve(&mut self, program: &IslandProgram, options: &InteriorOptions) -> InteriorReport {
        self.solve_on(program, options, &Exec::serial())
    }

    /// Solves a program from the middle of its cones. Without any approach there are no impulses. Neither are there where nothing can move, which is an answer only
    /// where nothing closes, nor for numbers that are not finite, which have none. The answer has equal bits at any thread count.
    pub fn solve_on(
        &mut self,
        program: &IslandProgram,
        options: &InteriorOptions,
        exec: &Exec,
    ) -> InteriorReport {
        self.start(program);
        if !program.is_finite() {
            return InteriorReport { error: f64::INFINITY, ..InteriorReport::default() };
        }
        if program.masses.is_empty() && self.unit.velocity > 0.0 {
            let outside = program.contacts.iter().map(|contact| distance_outside(&contact.opening()));
            let error = outside.fold(0.0, f64::max) / self.unit.velocity;
            let is_converged = error <= options.tolerance;
            return InteriorReport { is_converged, error, ..InteriorReport::default() };
        }
        if program.contacts.is_empty() || self.unit.velocity == 0.0 {
            return InteriorReport { is_converged: true, ..InteriorReport::default() };
        }
        self.system.analyse(program);
        let mut report = InteriorReport {
            factor_blocks: self.system.block_count(),
            error: f64::INFINITY,
            ..InteriorReport::default()
        };
        let mut since_best = 0;
        loop {
            let [dual, primal, gap] = self.residuals(program, exec);
            let error = gap.sqrt().max(primal).max(dual);
            since_best += 1;
            if error < report.error {
                (report.gap, report.error, since_best) = (gap, error, 0);
                self.best.clear();
                self.best.extend(self.cones.iter().map(|cone| cone.z));
            }
            report.is_converged = report.error <= options.tolerance;
            let is_last = report.is_converged || report.iterations == options.max_iterations;
            if is_last || since_best > STALLED || !self.iterate(program, gap, exec) {
                break;
            }
            report.iterations += 1;
        }
        self.finish(program);
        report
    }

    /// Units, and a start in the middle of all cones.
    fn start(&mut self, program: &IslandProgram) {
        let contacts = &program.contacts;
        let velocity = contacts.iter().fold(0.0_f64, |m, c| {
            // What separates sets no scale: a gap that is far from closing within the step separates fast.
            m.max(-c.free[0]).max(c.free[1].abs()).max(c.free[2].abs())
        });
        let count = program.masses.len();
        let mass = program.masses.iter().map(|m| m[0][0]).sum::<f64>() / count.max(1) as f64;
        self.unit = Unit { velocity, mass };
        for vectors in [&mut self.change, &mut self.right, &mut self.direction] {
            vectors.clear();
            vectors.resize(count, [0.0; 6]);
        }
        self.cones.clear();
        self.cones.resize(contacts.len(), Cone { s: UNIT, z: UNIT, ..Cone::default() });
        self.results.clear();
        self.results.resize(contacts.len().div_ceil(TAKEN), Pass::default());
        self.best.clear();
        self.impulses.clear();
        self.impulses.resize(contacts.len(), [0.0; 3]);
    }

    /// Does something to every contact, and puts together what that finds, in their order.
    fn pass(
        &mut self,
        program: &IslandProgram,
        exec: &Exec,
        work: impl Fn(&mut Cone, &ProgramContact, &mut Pass) + Sync,
    ) -> Pass {
        let parts = (
            chunks_mut(&mut self.cones, TAKEN),
            chunks(&program.contacts, TAKEN),
            items_mut(&mut self.results),
        );
        exec.for_each_dynamic(parts, |_, (cones, contacts, result)| {
            *result = Pass::default();
            cones.iter_mut().zip(contacts).for_each(|(cone, contact)| work(cone, contact, result));
        });
        self.results.iter().fold(Pass::default(), |a, b| Pass {
            largest: a.largest.max(b.largest),
            sums: [a.sums[0] + b.sums[0], a.sums[1] + b.sums[1]],
            step: a.step.min(b.step),
            is_fine: a.is_fine && b.is_fine,
        })
    }

    /// Residuals of the cones, and the right-hand side `Jᵀ S z − M d` of the bodies; gives the largest of the latter and of the
    /// former, and the gap per contact.
    fn residuals(&mut self, program: &IslandProgram, exec: &Exec) -> [f64; 3] {
        let unit = self.unit;
        let change = std::mem::take(&mut self.change);
        let found = self.pass(program, exec, |cone, contact, found| {
            let u = contact.velocity(&change) + Point::from(contact.free) / unit.velocity;
            cone.residual = cone.s - contact.stretched(&u);
            cone.push = contact.stretched(&cone.z);
            found.largest = found.largest.max(cone.residual.amax());
            found.sums[0] += cone.s.dot(&cone.z);
        });
        for ((right, change), mass) in self.right.iter_mut().zip(&change).zip(&program.masses) {
            for (right, row) in right.iter_mut().zip(mass) {
                *right = -row.iter().zip(change).map(|(m, d)| m * d).sum::<f64>() / unit.mass;
            }
        }
        self.change = change;
        self.system.gather(program, |contact| self.cones[contact].push, &mut self.right, exec);
        let dual = self.right.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        [dual, found.largest, found.sums[0] / self.cones.len() as f64]
    }

    /// One step of predictor and corrector; false when it gets nowhere.
    fn iterate(&mut self, program: &IslandProgram, gap: f64, exec: &Exec) -> bool {
        let scaled = self.pass(program, exec, |cone, contact, found| {
            let Some(scaling) = Scaling::new(&cone.s, &cone.z) else {
                found.is_fine = false;
                return;
            };
            cone.scaling = scaling;
            cone.both = scaling.apply(&cone.z);
            cone.target = -cone.both;
            cone.aim(contact, 1.0);
        });
        if !scaled.is_fine || !self.fill_and_factor(program, exec) {
            return false;
        }
        let predicted = self.newton(program, 1.0, exec);
        // Mehrotra: how much of the gap the predictor leaves says how much to aim at the middle.
        let [linear, square] = self.per_contact(predicted.sums);
        let share = (1.0 + predicted.step * (linear + predicted.step * square) / gap).clamp(0.0, 1.0);
        let centring = (share * share * share).clamp(1e-10, 1.0);
        self.pass(program, exec, |cone, contact, _| {
            let both = product(&cone.both, &cone.both);
            let second = product(&cone.scaling.unapply(&cone.ds), &cone.scaling.apply(&cone.dz));
            cone.target = quotient(&cone.both, &(UNIT * (centring * gap) - both - second));
            cone.aim(contact, 1.0 - centring);
        });
        let corrected = self.newton(program, 1.0 - centring, exec);
        let longest = (BACK_OFF[usize::from(predicted.step > GOOD_STEP)] * corrected.step).min(1.0);
        let step = self.kept_from_border(program, longest, gap, self.per_contact(corrected.sums), exec);
        // Also where rounding left no numbers in the direction: the last point stays.
        if step <= SHORTEST_STEP {
            return false;
        }
        self.pass(program, exec, |cone, _, _| {
            cone.s += cone.ds * step;
            cone.z += cone.dz * step;
        });
        for (change, direction) in self.change.iter_mut().zip(&self.direction) {
            change.iter_mut().zip(direction).for_each(|(x, d)| *x += step * d);
        }
        true
    }

    /// `M + Σ Jᵀ S W⁻² S J`, factored.
    fn fill_and_factor(&mut self, program: &IslandProgram, exec: &Exec) -> bool {
        let cones = &self.cones;
        let weights = |contact: usize| {
            let mut weight = cones[contact].scaling.inverse_square();
            let contact = &program.contacts[contact];
            for i in 0..3 {
                for j in 0..3 {
                    weight[(i, j)] *= contact.stretch(i) * contact.stretch(j);
                }
            }
            weight
        };
        self.system.factor(program, self.unit.mass, weights, exec)
    }

    /// Newton's direction for what the cones aim at with this share of the residuals. Gives the longest step that keeps all cones, and the
    /// change of all gaps along the way: at a step `t` it is `t (sums[0] + t sums[1])`.
    fn newton(&mut self, program: &IslandProgram, share: f64, exec: &Exec) -> Pass {
        for (direction, right) in self.direction.iter_mut().zip(&self.right) {
            direction.iter_mut().zip(right).for_each(|(d, r)| *d = share * r);
        }
        self.system.gather(program, |contact| self.cones[contact].push, &mut self.direction, exec);
        self.system.solve(&mut self.direction);
        let direction = std::mem::take(&mut self.direction);
        let found = self.pass(program, exec, |cone, contact, found| {
            cone.ds = contact.stretched(&contact.velocity(&direction)) - cone.residual * share;
            cone.dz = cone.scaling.unapply(&(cone.target - cone.scaling.unapply(&cone.ds)));
            found.step = step_inside(&cone.z, &cone.dz, step_inside(&cone.s, &cone.ds, found.step));
            found.sums[0] += cone.ds.dot(&cone.z) + cone.s.dot(&cone.dz);
            found.sums[1] += cone.ds.dot(&cone.dz);
        });
        self.direction = direction;
        found
    }

    fn per_contact(&self, sums: [f64; 2]) -> [f64; 2] {
        sums.map(|sum| sum / self.cones.len() as f64)
    }

    /// The step, shortened until no contact is much nearer to the border than all are on average.
    fn kept_from_border(
        &mut self,
        program: &IslandProgram,
        mut step: f64,
        gap: f64,
        [linear, square]: [f64; 2],
        exec: &Exec,
    ) -> f64 {
        for _ in 0..MOST_SHORTER {
            let middle = gap + step * (linear + step * square);
            let found = self.pass(program, exec, |cone, _, found| {
                let (s, z) = (cone.s + cone.ds * step, cone.z + cone.dz * step);
                found.is_fine &= determinant(&s) * determinant(&z) >= NEAREST * middle * s.dot(&z);
            });
            if found.is_fine {
                break;
            }
            step *= SHORTER;
        }
        step
    }

    /// Impulses, and the velocities that follow from them to the last bit.
    fn finish(&mut self, program: &IslandProgram) {
        let unit = self.unit.velocity * self.unit.mass;
        for ((impulse, z), contact) in self.impulses.iter_mut().zip(&self.best).zip(&program.contacts) {
            *impulse = (contact.stretched(&drawn_in(z)) * unit).into();
        }
        program.changes(&self.impulses, &mut self.change);
    }
}

impl Cone {
    /// Sets the push for the target and this share of the residual.
    #[inline]
    fn aim(&mut self, contact: &ProgramContact, share: f64) {
        let weighted = self.scaling.unapply(&(self.target + self.scaling.unapply(&(self.residual * share))));
        self.push = contact.stretched(&weighted);
    }
}
