//! The programs as the general solver takes them: with the pyramid, with bounces, and for jams.
//!
//! ```text
//! min d·M d/2 + q·r    such that   M d = Jᵀ r    r in the cone or pyramid    (J d + q)_N ≥ bound
//! ```
//! with the change `d` of velocities and the impulses `r`. As long as no bound is above 0 the last condition follows from
//! the others; with `bound = e c` for what closes at `c` it is Baraff's rule (S2-10).

use crate::interior::{IMMOVABLE, IslandProgram};
use crate::solver::{ConeChoice, columns_of, sides};
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus, ZeroConeT,
};
use drystone_resolution::problem::Triplets;

/// Accuracy that is asked for, in the scaled program.
const TOLERANCE: f64 = 1e-9;

/// Impulses of a program, N·s, and the iterations they took; `None` where the solver has no answer (bounces that cannot all be, numbers that are not
/// finite).
pub(super) fn solve(
    program: &IslandProgram,
    bounds: &[f64],
    cone: ConeChoice,
) -> (u32, Option<Vec<[f64; 3]>>) {
    if !program.is_finite() || !bounds.iter().all(|x| x.is_finite()) {
        return (0, None);
    }
    let (n, k) = (6 * program.masses.len(), program.contacts.len());
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, |m, x| m.max(x.abs()));
    let velocity =
        largest(&mut program.contacts.iter().flat_map(|c| c.free)).max(largest(&mut bounds.iter().copied()));
    if velocity == 0.0 {
        return (0, Some(vec![[0.0; 3]; k]));
    }
    let mass = program.masses.iter().map(|m| m[0][0]).sum::<f64>() / program.masses.len() as f64;
    let mut objective = Triplets::new(n + 3 * k, n + 3 * k);
    let mut rows = Triplets::new(0, n + 3 * k);
    for (body, m) in program.masses.iter().enumerate() {
        for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))).filter(|&(i, j)| m[i][j] != 0.0) {
            let (row, column) = ((6 * body + i) as u32, (6 * body + j) as u32);
            if i <= j {
                objective.push(row, column, m[i][j] / mass);
            }
            rows.push(row, column, m[i][j] / mass);
        }
    }
    let (mut cones, mut right, mut linear) = (vec![ZeroConeT(n)], vec![0.0; n], vec![0.0; n]);
    let mut next = n as u32;
    for (c, (contact, &bound)) in program.contacts.iter().zip(bounds).enumerate() {
        let column = (n + 3 * c) as u32;
        linear.extend(contact.free.map(|q| q / velocity));
        for (&body, jacobian) in contact.bodies.iter().zip(&contact.jacobian) {
            if body == IMMOVABLE {
                continue;
            }
            for (axis, row) in jacobian.iter().enumerate() {
                for (dof, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    rows.push(6 * body + dof as u32, column + axis as u32, -x);
                }
            }
            for (dof, &x) in jacobian[0].iter().enumerate().filter(|(_, x)| **x != 0.0) {
                rows.push(next, 6 * body + dof as u32, -x);
            }
        }
        right.push((contact.free[0] - bound) / velocity);
        cones.push(NonnegativeConeT(1));
        next += 1;
        let mu = contact.friction;
        let mut push = |directions: &[[f64; 3]]| {
            for direction in directions {
                for (axis, &x) in direction.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    rows.push(next, column + axis as u32, -x);
                }
                right.push(0.0);
                next += 1;
            }
        };
        if mu == 0.0 {
            push(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
            cones.extend([NonnegativeConeT(1), ZeroConeT(2)]);
        } else if cone == ConeChoice::Circular {
            push(&[[mu, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
            cones.push(SecondOrderConeT(3));
        } else {
            push(&sides(mu));
            cones.push(NonnegativeConeT(8));
        }
    }
    rows.rows = next as usize;
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: TOLERANCE,
        tol_gap_rel: TOLERANCE,
        tol_feas: TOLERANCE,
        ..DefaultSettings::default()
    };
    let solver =
        DefaultSolver::new(&columns_of(&objective), &linear, &columns_of(&rows), &right, &cones, settings);
    let Ok(mut solver) = solver else { return (0, None) };
    solver.solve();
    let solution = &solver.solution;
    let is_answer = matches!(solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
    let unit = velocity * mass;
    let impulses = is_answer
        .then(|| (0..k).map(|c| std::array::from_fn(|axis| solution.x[n + 3 * c + axis] * unit)).collect());
    (solution.iterations, impulses)
}
