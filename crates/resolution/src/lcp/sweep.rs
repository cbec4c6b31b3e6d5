//! Projected Gauss-Seidel over contacts, made faster by conjugate gradients.
//!
//! A sweep solves every contact under its law while all others stay, forwards, then backwards. Conjugate gradients along the history of these
//! double sweeps are those of [`crate::nsgs`] (`conjugate` there). What is handed out is always the end of a sweep.
//!
//! Measured on the 39 problems of the FCLib collection, 2 s each (problems to 1e-4, 1e-6, 1e-8; seconds in all), plain / conjugate gradients / Anderson's
//! method over 8 changes with a safeguard: pyramid 36 31 30 in 17.0, **37 34 32 in 14.7**, 33 30 27 in 21.5; cone 35 30 29 in
//! 16.4, **37 34 32 in 13.5**, 32 31 28 in 19.9; frictionless 39 38 38 in 8.5, **39 38 38 in 3.7**, 39 36 36 in 6.0. Anderson's method is
//! the faster one on walls (20x10 to 1e-8 in 0.4 s, conjugate gradients 3e-6 in 2 s) and stays behind plain sweeps on heaps of balls.

use super::polygon::{LocalContact, Mode, Polygon};
use crate::nsgs::conjugate::ConjugateGradients;
use crate::nsgs::local::LocalSolver;
use crate::problem::{Local, Problem};

/// State of sweeps over a problem; the memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweeps {
    contacts: Contacts,
    /// The impulses at the begin of a double sweep.
    before: Vec<f64>,
    gradients: ConjugateGradients,
}

/// What contacts are solved under.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law<'a> {
    /// Normals alone.
    Frictionless,
    /// A pyramid with this cross-section.
    Pyramid(&'a Polygon),
    /// Coulomb's cone.
    Cone,
}

/// Contacts as their law needs them; one of both lists is in use.
#[derive(Clone, Debug, Default)]
struct Contacts {
    polygon: Polygon,
    pyramids: Vec<(LocalContact, Mode)>,
    cones: Vec<(LocalSolver, f64)>,
}

impl Contacts {
    fn set(&mut self, problem: &Problem, law: Law<'_>) {
        self.pyramids.clear();
        self.cones.clear();
        for (k, &mu) in problem.friction().iter().enumerate() {
            let block = problem.coupling().diagonal(k);
            match law {
                Law::Frictionless => self.pyramids.push((LocalContact::new(block, 0.0), Mode::Open)),
                Law::Pyramid(polygon) => {
                    self.polygon = *polygon;
                    self.pyramids.push((LocalContact::new(block, mu), Mode::Open));
                }
                Law::Cone => self.cones.push((LocalSolver::new(block, mu), 0.0)),
            }
        }
    }

    /// The impulse of a contact while all others stay, with `b` its velocity without this impulse.
    fn solve(&mut self, k: usize, b: &Local) -> Local {
        if let Some((cone, slip)) = self.cones.get_mut(k) {
            return cone.solve(b, slip);
        }
        let (contact, mode) = &mut self.pyramids[k];
        contact.solve(&self.polygon, b, mode)
    }
}

impl Sweeps {
    /// Prepares sweeps over this problem.
    pub(super) fn begin(&mut self, problem: &Problem, law: Law<'_>) {
        self.contacts.set(problem, law);
        self.gradients.begin(3 * problem.contact_count());
    }

    /// One sweep forwards and one backwards, and then, if asked for, what conjugate gradients add. `answer` is the end of the sweeps, `next` where they begin and
    /// where the next ones do. Returns how much they changed, as velocity (m/s, over all contacts): an estimate of the error.
    pub(super) fn run(
        &mut self,
        problem: &Problem,
        is_accelerated: bool,
        next: &mut [f64],
        answer: &mut [f64],
    ) -> f64 {
        self.before.clear();
        self.before.extend_from_slice(next);
        let count = problem.contact_count();
        (0..count).for_each(|k| self.visit(problem, k, next));
        (0..count).rev().for_each(|k| self.visit(problem, k, next));
        answer.copy_from_slice(next);
        let moved = (0..count).map(|k| {
            let of = |list: &[f64]| Local::from_column_slice(&list[3 * k..][..3]);
            (problem.coupling().diagonal(k) * (of(next) - of(&self.before))).norm_squared()
        });
        let moved = moved.sum::<f64>().sqrt();
        if is_accelerated {
            self.gradients.next(&self.before, next);
        }
        moved
    }

    /// Solves a contact while all others stay.
    fn visit(&mut self, problem: &Problem, k: usize, impulses: &mut [f64]) {
        let r = Local::from_column_slice(&impulses[3 * k..][..3]);
        let b = problem.velocity(k, impulses) - problem.coupling().diagonal(k) * r;
        impulses[3 * k..][..3].copy_from_slice(self.contacts.solve(k, &b).as_slice());
    }
}
