//! The convex program of a discrete problem as the general solver (clarabel) takes it.
//!
//! clarabel solves `min x·P x/2 + c·x` with `A x + s = b`, `s` in a product of cones; `z` are the multipliers of the rows.
//! There are two forms of our program, dual to each other; both give impulses and velocities:
//! ```text
//! contacts   x = r    P = W    c = q       s = (mu r_N, r_T) in the cone
//! bodies     x = v    P = M    c = −f      s = (u_N, mu u_T) in the cone,  u = Hᵀ v + w,   r = (z_N, mu z_T)
//! ```
//! The second is sparse where `W` is not: contacts at one body do not couple with each other.

use super::{ConeChoice, Form};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus,
    SupportedConeT, ZeroConeT,
};
use drystone_resolution::problem::{GlobalForm, Problem, Triplets};

/// Accuracies that are asked of clarabel in the scaled program, no unit: as far as double precision carries, and what is
/// tried where it stops for want of progress, which it sometimes does with a gap of 1e-2.
pub(super) const TOLERANCES: [f64; 3] = [1e-13, 1e-11, 1e-9];

/// When clarabel stops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Time, s.
    pub(super) seconds: f64,
    /// One of [`TOLERANCES`].
    pub(super) tolerance: f64,
}

/// A program that was set up, for several right-hand sides.
pub(super) struct Program {
    solver: DefaultSolver<f64>,
    form: Form,
    cone: ConeChoice,
    rows: Vec<Row>,
    scale: Scale,
    friction: Vec<f64>,
    /// `f` of the body form, scaled; `q` or `w` of the problem, scaled.
    right: Vec<f64>,
}

/// Units in which the program has entries of about one: velocities in `velocity`, inverse masses in `coupling`.
#[derive(Clone, Copy, Debug)]
struct Scale {
    velocity: f64,
    coupling: f64,
}

impl Scale {
    fn of(problem: &Problem) -> Self {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, |m, x| m.max(x.abs()));
        let velocity = largest(&mut problem.free_velocities().iter().copied());
        let coupling = largest(&mut (0..problem.contact_count()).flat_map(|k| {
            let block = problem.coupling().diagonal(k);
            (0..3).map(|i| block[(i, i)])
        }));
        let or_one = |x: f64| if x > 0.0 { x } else { 1.0 };
        Self { velocity: or_one(velocity), coupling: or_one(coupling) }
    }

    fn impulse(&self) -> f64 {
        self.velocity / self.coupling
    }
}

/// One row `A x + s = b`: its entries, and which quantity of which contact `s` is.
struct Row {
    contact: u32,
    /// `s = direction · (local vector)`; the vector is `r` in the contact form and `u` in the body form.
    direction: [f64; 3],
}

/// The sides of the inscribed pyramid of S2-08: inward normals `(mu cos(π/8), cos(π h/4), sin(π h/4))`.
pub(crate) fn sides(mu: f64) -> [[f64; 3]; 8] {
    pyramid_angles(0.0).map(|[cos, sin]| [mu * COS_EIGHTH, cos, sin])
}

/// Its edges `(1, mu cos, mu sin)`, between the sides: they lie on the cone.
fn edges(mu: f64) -> [[f64; 3]; 8] {
    pyramid_angles(0.5).map(|[cos, sin]| [1.0, mu * cos, mu * sin])
}

/// `cos(π/8)`.
const COS_EIGHTH: f64 = 0.923_879_532_511_286_7;
/// `sin(π/8)`.
const SIN_EIGHTH: f64 = 0.382_683_432_365_089_8;

/// Cosine and sine of `(h + shift) π/4` for h = 0..7 and a shift of 0 or 1/2, without functions of the platform.
fn pyramid_angles(shift: f64) -> [[f64; 2]; 8] {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let (first, second) = if shift == 0.0 {
        ([1.0, 0.0], [half, half])
    } else {
        ([COS_EIGHTH, SIN_EIGHTH], [SIN_EIGHTH, COS_EIGHTH])
    };
    let turned = |[x, y]: [f64; 2]| [-y, x];
    let mut angles = [[0.0; 2]; 8];
    let (mut a, mut b) = (first, second);
    for quarter in 0..4 {
        angles[2 * quarter] = a;
        angles[2 * quarter + 1] = b;
        (a, b) = (turned(a), turned(b));
    }
    angles
}

impl Program {
    /// Sets the program up in this form. The body form wants a problem with bodies.
    pub(super) fn new(
        problem: &Problem,
        cone: ConeChoice,
        form: Form,
        limits: Limits,
    ) -> Result<Self, String> {
        let scale = Scale::of(problem);
        let friction = problem.friction().to_vec();
        let (rows, cones) = rows(&friction, cone, form);
        let bodies = problem.global().filter(|_| form == Form::Bodies);
        let (objective, constraints, linear, right) = match bodies {
            Some(global) => body_form(global, &rows, scale),
            None => contact_form(problem, &rows, scale),
        };
        let settings = DefaultSettings {
            verbose: false,
            time_limit: limits.seconds,
            tol_gap_abs: limits.tolerance,
            tol_gap_rel: limits.tolerance,
            tol_feas: limits.tolerance,
            // Rows of the body form are never redundant bounds, and updates want them all.
            presolve_enable: false,
            max_iter: 200,
            ..DefaultSettings::default()
        };
        let b = vec![0.0; rows.len()];
        let solver = DefaultSolver::new(&objective, &linear, &constraints, &b, &cones, settings)
            .map_err(|error| format!("clarabel refused the program: {error:?}"))?;
        Ok(Self { solver, form, cone, rows, scale, friction, right })
    }

    /// Solves with `extra` (m/s, three per contact) added to the free velocities. Impulses are written where
    /// clarabel has an answer of any accuracy; gives its iterations and its own judgement.
    pub(super) fn solve(&mut self, extra: &[f64], impulses: &mut [f64]) -> (u64, Result<(), String>) {
        let mut q = self.right.clone();
        q.iter_mut().zip(extra).for_each(|(q, extra)| *q += extra / self.scale.velocity);
        let updated = match self.form {
            Form::Contacts => self.solver.update_q(&q),
            Form::Bodies => {
                let b: Vec<f64> = self.rows.iter().map(|row| row.dot(&q)).collect();
                self.solver.update_b(&b)
            }
        };
        if let Err(error) = updated {
            return (0, Err(format!("clarabel refused new data: {error:?}")));
        }
        self.solver.solve();
        let solution = &self.solver.solution;
        let is_answer = matches!(
            solution.status,
            SolverStatus::Solved
                | SolverStatus::AlmostSolved
                | SolverStatus::InsufficientProgress
                | SolverStatus::NumericalError
                | SolverStatus::MaxIterations
                | SolverStatus::MaxTime
        );
        if is_answer && solution.x.iter().chain(&solution.z).all(|x| x.is_finite()) {
            self.read_impulses(impulses);
        }
        // Less than asked for is the rule at this tolerance; the measure judges.
        let verdict = match solution.status {
            _ if is_answer => Ok(()),
            status => Err(format!("clarabel ended with {status:?}")),
        };
        (u64::from(solution.iterations), verdict)
    }

    /// True when clarabel ended at a minimum, of the accuracy that was asked for or nearly.
    pub(super) fn is_converged(&self) -> bool {
        matches!(self.solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved)
    }

    /// True when clarabel stopped on its way for want of progress.
    pub(super) fn is_stuck(&self) -> bool {
        matches!(
            self.solver.solution.status,
            SolverStatus::InsufficientProgress | SolverStatus::NumericalError | SolverStatus::Unsolved
        )
    }

    /// True when clarabel ended for its limit of time.
    pub(super) fn is_out_of_time(&self) -> bool {
        self.solver.solution.status == SolverStatus::MaxTime
    }

    fn read_impulses(&self, impulses: &mut [f64]) {
        let unit = self.scale.impulse();
        let solution = &self.solver.solution;
        match self.form {
            Form::Contacts => impulses.iter_mut().zip(&solution.x).for_each(|(r, x)| *r = x * unit),
            Form::Bodies => {
                impulses.fill(0.0);
                for (row, z) in self.rows.iter().zip(&solution.z) {
                    let r = &mut impulses[3 * row.contact as usize..][..3];
                    r.iter_mut().zip(row.direction).for_each(|(r, d)| *r += d * z * unit);
                }
            }
        }
        for (contact, &mu) in self.friction.iter().enumerate() {
            let r = &mut impulses[3 * contact..][..3];
            // Without friction there is no tangential part at all. Multipliers are in the cone where they are read; `x` is as far as clarabel got.
            let most = match self.form {
                _ if mu == 0.0 => 0.0,
                Form::Contacts => share_inside(r, mu, self.cone),
                Form::Bodies => 1.0,
            };
            r[0] = r[0].max(0.0);
            if most < 1.0 {
                (r[1], r[2]) = (r[1] * most, r[2] * most);
            }
        }
    }
}

/// The largest part of the tangential impulse that is inside of the cone with the normal one, in [0, 1].
fn share_inside(r: &[f64], mu: f64, cone: ConeChoice) -> f64 {
    let normal = r[0].max(0.0);
    let largest =
        |tangential: f64, allowed: f64| if tangential > allowed { allowed / tangential } else { 1.0 };
    match cone {
        ConeChoice::Circular => largest((r[1] * r[1] + r[2] * r[2]).sqrt(), mu * normal),
        ConeChoice::Pyramid => {
            let side = |s: [f64; 3]| largest(-(s[1] * r[1] + s[2] * r[2]), s[0] * normal);
            sides(mu).into_iter().map(side).fold(1.0, f64::min)
        }
    }
}

impl Row {
    fn dot(&self, local: &[f64]) -> f64 {
        let local = &local[3 * self.contact as usize..][..3];
        self.direction.iter().zip(local).map(|(d, x)| d * x).sum()
    }
}

/// The rows of all contacts, and their cones.
fn rows(friction: &[f64], cone: ConeChoice, form: Form) -> (Vec<Row>, Vec<SupportedConeT<f64>>) {
    let (mut rows, mut cones) = (Vec::new(), Vec::new());
    for (contact, &mu) in friction.iter().enumerate() {
        let mut push = |directions: &[[f64; 3]], cone: SupportedConeT<f64>| {
            let contact = contact as u32;
            rows.extend(directions.iter().map(|&direction| Row { contact, direction }));
            cones.push(cone);
        };
        match (form, cone) {
            _ if mu == 0.0 => {
                push(&[[1.0, 0.0, 0.0]], NonnegativeConeT(1));
                if form == Form::Contacts {
                    push(&[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], ZeroConeT(2));
                }
            }
            (Form::Contacts, ConeChoice::Circular) => {
                push(&[[mu, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], SecondOrderConeT(3));
            }
            (Form::Bodies, ConeChoice::Circular) => {
                push(&[[1.0, 0.0, 0.0], [0.0, mu, 0.0], [0.0, 0.0, mu]], SecondOrderConeT(3));
            }
            (Form::Contacts, ConeChoice::Pyramid) => push(&sides(mu), NonnegativeConeT(8)),
            (Form::Bodies, ConeChoice::Pyramid) => push(&edges(mu), NonnegativeConeT(8)),
        }
    }
    (rows, cones)
}

type Parts = (CscMatrix<f64>, CscMatrix<f64>, Vec<f64>, Vec<f64>);

/// `x = r`: the symmetric part of `W`, and `q`.
fn contact_form(problem: &Problem, rows: &[Row], scale: Scale) -> Parts {
    let coupling = problem.coupling();
    let size = 3 * problem.contact_count();
    let mut objective = Triplets::new(size, size);
    for i in 0..coupling.row_count() {
        let (columns, blocks) = coupling.row(i);
        for (&j, block) in columns.iter().zip(blocks) {
            // Half of the entry and half of its mirror image, above the diagonal.
            for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                let (row, column) = (3 * i + a, 3 * j as usize + b);
                let share = if row == column { 1.0 } else { 0.5 };
                let (low, high) = (row.min(column), row.max(column));
                objective.push(low as u32, high as u32, share * block[(a, b)] / scale.coupling);
            }
        }
    }
    let mut constraints = Triplets::new(rows.len(), size);
    for (i, row) in rows.iter().enumerate() {
        for (axis, &d) in row.direction.iter().enumerate() {
            constraints.push(i as u32, 3 * row.contact + axis as u32, -d);
        }
    }
    let right: Vec<f64> = problem.free_velocities().iter().map(|q| q / scale.velocity).collect();
    (columns_of(&objective), columns_of(&constraints), right.clone(), right)
}

/// `x = v`: the symmetric part of `M`, and `f`.
fn body_form(global: &GlobalForm, rows: &[Row], scale: Scale) -> Parts {
    let dofs = global.mass.rows;
    let mut objective = Triplets::new(dofs, dofs);
    for (i, j, x) in global.mass.iter() {
        let share = if i == j { 1.0 } else { 0.5 };
        objective.push(i.min(j), i.max(j), share * x * scale.coupling);
    }
    let mut by_column: Vec<Vec<(u32, f64)>> = vec![Vec::new(); global.directions.columns];
    global.directions.iter().for_each(|(dof, column, x)| by_column[column as usize].push((dof, x)));
    let mut constraints = Triplets::new(rows.len(), dofs);
    for (i, row) in rows.iter().enumerate() {
        for (axis, &d) in row.direction.iter().enumerate().filter(|(_, d)| **d != 0.0) {
            for &(dof, x) in &by_column[3 * row.contact as usize + axis] {
                constraints.push(i as u32, dof, -d * x);
            }
        }
    }
    let linear = global.f.iter().map(|f| -f * scale.coupling / scale.velocity).collect();
    let right = global.w.iter().map(|w| w / scale.velocity).collect();
    (columns_of(&objective), columns_of(&constraints), linear, right)
}

/// Compressed columns; entries at the same place add up.
pub(crate) fn columns_of(matrix: &Triplets) -> CscMatrix<f64> {
    let mut entries: Vec<(u32, u32, f64)> = matrix.iter().map(|(i, j, x)| (j, i, x)).collect();
    entries.sort_by_key(|&(column, row, _)| (column, row));
    entries.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        if is_same {
            kept.2 += next.2;
        }
        is_same
    });
    let mut starts = vec![0_usize; matrix.columns + 1];
    entries.iter().for_each(|entry| starts[entry.0 as usize + 1] += 1);
    (0..matrix.columns).for_each(|column| starts[column + 1] += starts[column]);
    let rows = entries.iter().map(|entry| entry.1 as usize).collect();
    let values = entries.iter().map(|entry| entry.2).collect();
    CscMatrix::new(matrix.rows, matrix.columns, starts, rows, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S2-08: never outside of the cone, and at most 7.6 % of friction lost.
    #[test]
    fn pyramid_is_inscribed() {
        let mu = 0.7;
        for edge in edges(mu) {
            assert!((edge[1].hypot(edge[2]) - mu).abs() < 1e-15, "an edge lies on the cone");
            let on_sides =
                sides(mu).iter().filter(|s| (s[0] + s[1] * edge[1] + s[2] * edge[2]).abs() < 1e-12).count();
            assert_eq!(on_sides, 2, "an edge is where two sides meet");
        }
        for side in sides(mu) {
            assert!((side[1].hypot(side[2]) - 1.0).abs() < 1e-15);
            assert!((side[0] / mu - (std::f64::consts::PI / 8.0).cos()).abs() < 1e-15);
        }
    }
}
