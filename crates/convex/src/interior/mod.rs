//! A primal-dual interior-point method for the exact-cone program of one group, over the velocities of its bodies.
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
//! are lost: the tolerance may be missed, and the report says so. Cost: 8 to 15 iterations; memory is kept from group to group.

mod block;
mod cone;
mod problem;
mod sparse;

pub use problem::InteriorSolver;

use block::{Block6, Vector6, ZERO};
use cone::{Point, Scaling, UNIT, determinant, drawn_in, product, quotient, step_inside};
use sparse::SparseCholesky;

/// Stands for "cannot move" where a body is asked for.
pub const IMMOVABLE: u32 = u32::MAX;
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

/// A contact of a [`GroupProgram`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgramContact {
    /// The bodies by index, or [`IMMOVABLE`]; not twice the same.
    pub bodies: [u32; 2],
    /// `J`: contact velocity (normal first, m/s) per velocity of each body (linear, angular); unused for what cannot move.
    pub jacobian: [[[f64; 6]; 3]; 2],
    /// Velocity without any impulse, m/s, normal first.
    pub free: [f64; 3],
    /// Coefficient of friction, at least 0.
    pub friction: f64,
}

/// The exact-cone program of one group of bodies in contact.
#[derive(Clone, Debug, Default)]
pub struct GroupProgram {
    /// `M`: mass and inertia of each body (kg, kg m²), symmetric and positive definite.
    pub masses: Vec<[[f64; 6]; 6]>,
    /// The contacts.
    pub contacts: Vec<ProgramContact>,
}

impl GroupProgram {
    /// Forgets bodies and contacts and keeps the memory.
    pub fn clear(&mut self) {
        self.masses.clear();
        self.contacts.clear();
    }

    /// `M⁻¹ Jᵀ r`: what impulses (N·s) change in the velocities.
    pub fn changes(&self, impulses: &[[f64; 3]], changes: &mut [[f64; 6]]) {
        changes.iter_mut().for_each(|change| *change = [0.0; 6]);
        for (impulse, contact) in impulses.iter().zip(&self.contacts) {
            contact.push(&Point::from(*impulse), changes);
        }
        for (change, mass) in changes.iter_mut().zip(&self.masses) {
            let mut l: Block6 = *mass;
            if block::factor(&mut l) {
                block::solve_lower(&l, change);
                block::solve_upper(&l, change);
            } else {
                debug_assert!(false, "a mass matrix is positive definite");
                *change = [0.0; 6];
            }
        }
    }

    /// `d·M d/2`, J.
    pub fn square(&self, changes: &[[f64; 6]]) -> f64 {
        let of = |(change, mass): (&Vector6, &Block6)| {
            let row = |row: &Vector6| row.iter().zip(change).map(|(m, d)| m * d).sum::<f64>();
            0.5 * mass.iter().zip(change).map(|(m, d)| row(m) * d).sum::<f64>()
        };
        changes.iter().zip(&self.masses).map(of).sum()
    }

    /// `d·M d/2 + q·r`, J: the program's objective, and the change of the kinetic energy where no contact has a gap.
    pub fn energy(&self, changes: &[[f64; 6]], impulses: &[[f64; 3]]) -> f64 {
        let work = |(contact, r): (&ProgramContact, &[f64; 3])| -> f64 {
            contact.free.iter().zip(r).map(|(q, r)| q * r).sum()
        };
        self.square(changes) + self.contacts.iter().zip(impulses).map(work).sum::<f64>()
    }
}

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
pub struct GroupProgramSolver {
    factor: SparseCholesky,
    pairs: Vec<[u32; 2]>,
    change: Vec<Vector6>,
    right: Vec<Vector6>,
    direction: Vec<Vector6>,
    cones: Vec<Cone>,
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
}

impl GroupProgramSolver {
    /// Impulses of the last solve, N·s, one per contact, normal first.
    pub fn impulses(&self) -> &[[f64; 3]] {
        &self.impulses
    }

    /// Changes of the bodies' velocities by these impulses, m/s and rad/s.
    pub fn changes(&self) -> &[[f64; 6]] {
        &self.change
    }

    /// Solves a program from the middle of its cones. Without any approach there are no impulses.
    pub fn solve(&mut self, program: &GroupProgram, options: &InteriorOptions) -> InteriorReport {
        self.start(program);
        if program.contacts.is_empty() || program.masses.is_empty() || self.unit.velocity == 0.0 {
            return InteriorReport { is_converged: true, ..InteriorReport::default() };
        }
        let mut report = InteriorReport {
            factor_blocks: self.factor.block_count(),
            error: f64::INFINITY,
            ..InteriorReport::default()
        };
        let mut since_best = 0;
        loop {
            let dual = self.residuals(program);
            let primal = self.cones.iter().fold(0.0_f64, |m, cone| m.max(cone.residual.amax()));
            let gap =
                self.cones.iter().map(|cone| cone.s.dot(&cone.z)).sum::<f64>() / self.cones.len() as f64;
            let error = gap.sqrt().max(primal).max(dual);
            since_best += 1;
            if error < report.error {
                (report.gap, report.error, since_best) = (gap, error, 0);
                self.best.clear();
                self.best.extend(self.cones.iter().map(|cone| cone.z));
            }
            report.is_converged = report.error <= options.tolerance;
            let is_last = report.is_converged || report.iterations == options.max_iterations;
            if is_last || since_best > STALLED || !self.iterate(program, gap) {
                break;
            }
            report.iterations += 1;
        }
        self.finish(program);
        report
    }

    /// Units, order of elimination, and a start in the middle of all cones.
    fn start(&mut self, program: &GroupProgram) {
        let contacts = &program.contacts;
        let velocity = contacts.iter().fold(0.0_f64, |m, c| {
            // What separates sets no scale: a gap that is far from closing within the step separates fast.
            m.max(-c.free[0]).max(c.free[1].abs()).max(c.free[2].abs())
        });
        let count = program.masses.len();
        let mass = program.masses.iter().map(|m| m[0][0]).sum::<f64>() / count.max(1) as f64;
        self.unit = Unit { velocity, mass };
        self.pairs.clear();
        self.pairs.extend(contacts.iter().filter(|c| !c.bodies.contains(&IMMOVABLE)).map(|c| {
            let [a, b] = c.bodies;
            [a.min(b), a.max(b)]
        }));
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.factor.analyse(count, self.pairs.iter().copied());
        self.change.clear();
        self.change.resize(count, [0.0; 6]);
        self.right.clear();
        self.right.resize(count, [0.0; 6]);
        self.direction.clear();
        self.direction.resize(count, [0.0; 6]);
        self.cones.clear();
        self.cones.resize(contacts.len(), Cone { s: UNIT, z: UNIT, ..Cone::default() });
        self.best.clear();
        self.impulses.clear();
        self.impulses.resize(contacts.len(), [0.0; 3]);
    }

    /// Residuals of the cones, and the right-hand side `Jᵀ S z − M d` of the bodies; gives the largest of the latter.
    fn residuals(&mut self, program: &GroupProgram) -> f64 {
        let unit = self.unit;
        for (body, mass) in program.masses.iter().enumerate() {
            self.right[body] = [0.0; 6];
            let (right, change) = (&mut self.right[body], &self.change[body]);
            for (right, row) in right.iter_mut().zip(mass) {
                *right = -row.iter().zip(change).map(|(m, d)| m * d).sum::<f64>() / unit.mass;
            }
        }
        for (cone, contact) in self.cones.iter_mut().zip(&program.contacts) {
            let u = contact.velocity(&self.change) + Point::from(contact.free) / unit.velocity;
            cone.residual = cone.s - contact.stretched(&u);
            contact.push(&contact.stretched(&cone.z), &mut self.right);
        }
        self.right.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()))
    }

    /// One step of predictor and corrector; false when it gets nowhere.
    fn iterate(&mut self, program: &GroupProgram, gap: f64) -> bool {
        for cone in &mut self.cones {
            let Some(scaling) = Scaling::new(&cone.s, &cone.z) else { return false };
            cone.scaling = scaling;
            cone.both = scaling.apply(&cone.z);
            cone.target = -cone.both;
        }
        if !self.fill_and_factor(program) {
            return false;
        }
        let right = std::mem::take(&mut self.right);
        let mut direction = std::mem::take(&mut self.direction);
        self.newton(program, &right, 1.0, &mut direction);
        let predicted = self.longest_step();
        // Mehrotra: how much of the gap the predictor leaves says how much to aim at the middle.
        let [linear, square] = self.gap_along();
        let share = (1.0 + predicted * (linear + predicted * square) / gap).clamp(0.0, 1.0);
        let centring = (share * share * share).clamp(1e-10, 1.0);
        for cone in &mut self.cones {
            let both = product(&cone.both, &cone.both);
            let second = product(&cone.scaling.unapply(&cone.ds), &cone.scaling.apply(&cone.dz));
            cone.target = quotient(&cone.both, &(UNIT * (centring * gap) - both - second));
        }
        self.newton(program, &right, 1.0 - centring, &mut direction);
        let longest = (BACK_OFF[usize::from(predicted > GOOD_STEP)] * self.longest_step()).min(1.0);
        let step = self.kept_from_border(longest, gap);
        self.right = right;
        // Also where rounding left no numbers in the direction: the last point stays.
        if step <= SHORTEST_STEP {
            self.direction = direction;
            return false;
        }
        for cone in &mut self.cones {
            cone.s += cone.ds * step;
            cone.z += cone.dz * step;
        }
        for (change, direction) in self.change.iter_mut().zip(&direction) {
            change.iter_mut().zip(direction).for_each(|(x, d)| *x += step * d);
        }
        self.direction = direction;
        true
    }

    /// `M + Σ Jᵀ S W⁻² S J`, factored.
    fn fill_and_factor(&mut self, program: &GroupProgram) -> bool {
        self.factor.clear();
        for (body, mass) in program.masses.iter().enumerate() {
            let block = self.factor.diagonal_mut(body as u32);
            for (row, mass) in block.iter_mut().zip(mass) {
                row.iter_mut().zip(mass).for_each(|(x, m)| *x = m / self.unit.mass);
            }
        }
        for (cone, contact) in self.cones.iter().zip(&program.contacts) {
            let mut weight = cone.scaling.inverse_square();
            for i in 0..3 {
                for j in 0..3 {
                    weight[(i, j)] *= contact.stretch(i) * contact.stretch(j);
                }
            }
            contact.add_to(&mut self.factor, &weight);
        }
        self.factor.factor()
    }

    /// Newton's direction for the targets of the cones and this share of the residuals.
    fn newton(&mut self, program: &GroupProgram, dual: &[Vector6], share: f64, direction: &mut [Vector6]) {
        for (direction, dual) in direction.iter_mut().zip(dual) {
            direction.iter_mut().zip(dual).for_each(|(d, r)| *d = share * r);
        }
        for (cone, contact) in self.cones.iter().zip(&program.contacts) {
            let weighted =
                cone.scaling.unapply(&(cone.target + cone.scaling.unapply(&(cone.residual * share))));
            contact.push(&contact.stretched(&weighted), direction);
        }
        self.factor.solve(direction);
        for (cone, contact) in self.cones.iter_mut().zip(&program.contacts) {
            cone.ds = contact.stretched(&contact.velocity(direction)) - cone.residual * share;
            cone.dz = cone.scaling.unapply(&(cone.target - cone.scaling.unapply(&cone.ds)));
        }
    }

    /// Longest step in [0, 1] that keeps all cones.
    fn longest_step(&self) -> f64 {
        let of = |limit, cone: &Cone| step_inside(&cone.z, &cone.dz, step_inside(&cone.s, &cone.ds, limit));
        self.cones.iter().fold(1.0, of)
    }

    /// The gap per contact at a step `t` changes by `t (linear + t square)`: the two.
    fn gap_along(&self) -> [f64; 2] {
        let of = |[linear, square]: [f64; 2], c: &Cone| {
            [linear + c.ds.dot(&c.z) + c.s.dot(&c.dz), square + c.ds.dot(&c.dz)]
        };
        let count = self.cones.len() as f64;
        self.cones.iter().fold([0.0; 2], of).map(|sum| sum / count)
    }

    /// The step, shortened until no contact is much nearer to the border than all are on average.
    fn kept_from_border(&self, mut step: f64, gap: f64) -> f64 {
        let [linear, square] = self.gap_along();
        for _ in 0..MOST_SHORTER {
            let middle = gap + step * (linear + step * square);
            let is_inside = |c: &Cone| {
                let (s, z) = (c.s + c.ds * step, c.z + c.dz * step);
                determinant(&s) * determinant(&z) >= NEAREST * middle * s.dot(&z)
            };
            if self.cones.iter().all(is_inside) {
                break;
            }
            step *= SHORTER;
        }
        step
    }

    /// Impulses, and the velocities that follow from them to the last bit.
    fn finish(&mut self, program: &GroupProgram) {
        let unit = self.unit.velocity * self.unit.mass;
        for ((impulse, z), contact) in self.impulses.iter_mut().zip(&self.best).zip(&program.contacts) {
            *impulse = (contact.stretched(&drawn_in(z)) * unit).into();
        }
        program.changes(&self.impulses, &mut self.change);
    }
}

impl ProgramContact {
    /// `S x`.
    #[inline]
    fn stretched(&self, x: &Point) -> Point {
        Point::new(x.x, self.friction * x.y, self.friction * x.z)
    }

    #[inline]
    fn stretch(&self, axis: usize) -> f64 {
        if axis == 0 { 1.0 } else { self.friction }
    }

    /// `J d`.
    #[inline]
    fn velocity(&self, changes: &[Vector6]) -> Point {
        let mut u = Point::zeros();
        for (&body, jacobian) in
            self.bodies.iter().zip(&self.jacobian).filter(|(body, _)| **body != IMMOVABLE)
        {
            let change = &changes[body as usize];
            for (u, row) in u.iter_mut().zip(jacobian) {
                *u += row.iter().zip(change).map(|(j, d)| j * d).sum::<f64>();
            }
        }
        u
    }

    /// Adds `Jᵀ r` to the bodies.
    #[inline]
    fn push(&self, r: &Point, bodies: &mut [Vector6]) {
        for (&body, jacobian) in
            self.bodies.iter().zip(&self.jacobian).filter(|(body, _)| **body != IMMOVABLE)
        {
            let target = &mut bodies[body as usize];
            for (row, r) in jacobian.iter().zip(r.iter()) {
                target.iter_mut().zip(row).for_each(|(x, j)| *x += j * r);
            }
        }
    }

    /// Adds `Jᵀ D J` to the matrix.
    #[inline]
    fn add_to(&self, matrix: &mut SparseCholesky, weight: &nalgebra::Matrix3<f64>) {
        let [a, b] = self.bodies;
        let weighted = self.jacobian.map(|jacobian| {
            let mut out = [[0.0; 6]; 3];
            for (i, out) in out.iter_mut().enumerate() {
                for (j, row) in jacobian.iter().enumerate() {
                    out.iter_mut().zip(row).for_each(|(x, jac)| *x += weight[(i, j)] * jac);
                }
            }
            out
        });
        for ((&body, jacobian), weighted) in self.bodies.iter().zip(&self.jacobian).zip(&weighted) {
            if body != IMMOVABLE {
                add_outer(matrix.diagonal_mut(body), jacobian, weighted);
            }
        }
        if a != IMMOVABLE
            && b != IMMOVABLE
            && let Some((block, rows_are_b)) = matrix.coupling_mut(a, b)
        {
            let [row, column] = if rows_are_b { [1, 0] } else { [0, 1] };
            add_outer(block, &self.jacobian[row], &weighted[column]);
        }
    }
}

/// `target += aᵀ b`.
#[inline]
fn add_outer(target: &mut Block6, a: &[[f64; 6]; 3], b: &[[f64; 6]; 3]) {
    let mut sum = ZERO;
    for (a, b) in a.iter().zip(b) {
        for (row, &x) in sum.iter_mut().zip(a) {
            row.iter_mut().zip(b).for_each(|(entry, y)| *entry += x * y);
        }
    }
    for (target, sum) in target.as_flattened_mut().iter_mut().zip(sum.as_flattened()) {
        *target += sum;
    }
}
