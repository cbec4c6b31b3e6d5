//! An interior-point method for exact Signorini and Coulomb: few steps, each with a sparse factorisation.
//!
//! In: a [`Problem`]. Out: impulses that obey both laws within a tolerance of the natural map. Knows nothing of steps
//! and bodies, but uses the global form of the problem where there is one. Start reading at [`InteriorPoint`].
//!
//! Method: with `y = u + mu |u_T| e_N` the laws are `r ∈ K, y ∈ K*, r · y = 0` at each contact. A point with `r` and `y` strictly
//! inside of their cones moves towards `r ∘ y = 0` by Newton's method, with Nesterov and Todd's scaling (`cone`), a predictor and
//! a corrector (Mehrotra). In coordinates `x = T r`, `z = T⁻¹ y`, `T = diag(mu, 1, 1)`, in which both cones are
//! Lorentz's, and with `L = T⁻¹ P`, `ρ = u + mu |u_T| e_N − y`, the step is
//! ```text
//! (1 + Lᵀ B W L) t = v − Lᵀ ρ     dr = L t     dy = T P⁻¹ (v − t)     λ ∘ v = σ μ e − λ ∘ λ − corrector
//! B = 1 + mu e_N (0, u_T / |u_T|)ᵀ                                    (the change of mu |u_T|)
//! ```
//! `B` makes it Newton's method for Coulomb's law; with `B = 1` and the term left out it is that for the convex ("associated") model, in
//! which what slides lifts. Sources: Acary, Armand, Nguyen, Shpakovych, "Second order cone programming for frictional contact mechanics using
//! interior point algorithm", Optim. Methods Softw. (2024); Vandenberghe, "The CVXOPT linear and quadratic cone program solvers" (2010).
//!
//! Departures: `|u_T|` enters with its derivative from the first step on, and is lagged (`B = 1`) for a step where
//! that does not lead on; the answer is finished by sweeps ([`Nsgs`]), which put contacts onto their cones exactly, and go on to the limit where rounding ends the
//! steps before the tolerance. Where steps stall, the convex model is followed instead: where an answer without slip exists, it is
//! one of Coulomb's law too (heaps of balls at rest, which the derivative of `mu |u_T|` leads nowhere).
//!
//! Guarantees: impulses lie in their cones; what is left is the best point found; equal input gives equal bits. Not
//! guaranteed: that it converges, which for `mu |u_T|` nobody can. It cannot begin from a good guess. Cost: some 15 to 60
//! factorisations of a matrix with six rows per body (three per contact without a global form). Choose it for piles from rest with
//! hundreds of contacts and for heavy on light, where sweeps stall.

mod cone;

use crate::factor::{Factors, System};
use crate::problem::{
    Block, Local, Measure, Outcome, Problem, ProblemSolver, SolveOptions, Status, tangential_norm,
};
use crate::{Nsgs, NsgsConfig};
use cone::{depth, divide, longest_step, product, scaling};
use drystone_exec::Exec;
use std::time::Instant;

/// Most steps of the method; past this rounding rules.
const MAX_STEPS: u64 = 200;
/// Share of the tolerance at which it ends: what is left of the way costs a step.
const FINISH_SHARE: f64 = 0.1;
/// Share of the way to the boundary that a step takes. With 0.99 points come too near to it too soon: walls and balls in a
/// box then end at three to five times the error.
const STEP_SHARE: f64 = 0.9;
/// A step shorter than this leads nowhere.
const SHORT: f64 = 1e-3;
/// Steps in which the residual does not halve after which the method ends.
const PATIENCE: u32 = 25;

/// The solver, with its memory.
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    contacts: Vec<Point>,
    factors: Vec<Factors>,
    vector: Vec<f64>,
    trial: Vec<f64>,
    rest: Vec<f64>,
    best: Vec<f64>,
    finish: Nsgs,
}

/// A contact's place inside of its cones.
#[derive(Clone, Copy, Debug)]
struct Point {
    mu: f64,
    /// `T r` and `T⁻¹ y`; without friction only the normal part counts.
    x: Local,
    z: Local,
    p: Block,
    lambda: Local,
    /// Newton's steps of both.
    dx: Local,
    dz: Local,
    /// `P⁻¹ dx` and `P dz` of the predictor.
    scaled: [Local; 2],
    /// `T⁻¹` times the residual.
    rho: Local,
}

impl Point {
    fn is_frictionless(&self) -> bool {
        self.mu == 0.0
    }

    /// Degree of the cone's barrier.
    fn degree(&self) -> f64 {
        if self.is_frictionless() { 1.0 } else { 2.0 }
    }

    fn to_x(self, r: &Local) -> Local {
        if self.is_frictionless() { Local::new(r.x, 0.0, 0.0) } else { Local::new(self.mu * r.x, r.y, r.z) }
    }

    fn to_r(self, x: &Local) -> Local {
        if self.is_frictionless() { Local::new(x.x, 0.0, 0.0) } else { Local::new(x.x / self.mu, x.y, x.z) }
    }

    /// `T⁻¹` of a velocity.
    fn to_z(self, y: &Local) -> Local {
        if self.is_frictionless() { Local::new(y.x, 0.0, 0.0) } else { Local::new(y.x / self.mu, y.y, y.z) }
    }

    fn scale(&mut self) {
        if self.is_frictionless() {
            let p = (self.x.x / self.z.x).sqrt();
            (self.p, self.lambda) = (Block::zeros(), Local::new((self.x.x * self.z.x).sqrt(), 0.0, 0.0));
            self.p[(0, 0)] = p;
        } else {
            (self.p, self.lambda) = scaling(&self.x, &self.z);
        }
    }

    /// `L = T⁻¹ P`.
    fn l(&self) -> Block {
        let mut l = self.p;
        if !self.is_frictionless() {
            l.row_mut(0).unscale_mut(self.mu);
        }
        l
    }

    /// `v` for a centring `target` (`σ μ`), with the corrector of the predictor's steps.
    fn aim(&self, target: f64, is_corrected: bool) -> Local {
        if self.is_frictionless() {
            let second = if is_corrected { self.scaled[0].x * self.scaled[1].x } else { 0.0 };
            let lambda = self.lambda.x;
            return Local::new((target - lambda * lambda - second) / lambda, 0.0, 0.0);
        }
        let mut wanted = Local::new(target, 0.0, 0.0) - product(&self.lambda, &self.lambda);
        if is_corrected {
            wanted -= product(&self.scaled[0], &self.scaled[1]);
        }
        divide(&self.lambda, &wanted)
    }

    /// `v − Lᵀ ρ`. The residual is kept as `T⁻¹ ρ`, and `Lᵀ ρ = P T⁻¹ ρ`.
    fn right(&self, target: f64, is_corrected: bool) -> Local {
        self.aim(target, is_corrected) - self.p * self.rho
    }

    /// Longest step of both that stays inside.
    fn longest(&self) -> f64 {
        if self.is_frictionless() {
            let one = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
            return one(self.x.x, self.dx.x).min(one(self.z.x, self.dz.x));
        }
        longest_step(&self.x, &self.dx).min(longest_step(&self.z, &self.dz))
    }
}

/// How `mu |u_T|` enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    /// As it is, with its derivative.
    Coulomb,
    /// As it is, without its derivative.
    Lagged,
    /// Left out: the convex model, which agrees with Coulomb's where nothing slides.
    Convex,
}

/// Why the method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Solved,
    Stalled,
    Time,
}

/// What is kept between models.
struct Search<'a> {
    options: &'a SolveOptions,
    since: Instant,
    /// Least residual so far.
    least: f64,
    steps: u64,
}

impl InteriorPoint {
    /// The solver.
    pub fn new() -> Self {
        let finish = Nsgs::new(NsgsConfig::default());
        Self { finish, ..Self::default() }
    }

    /// Impulses of the present point.
    fn impulses(&mut self) {
        self.trial.clear();
        for point in &self.contacts {
            self.trial.extend(point.to_r(&point.x).iter());
        }
    }

    /// A point in the middle of all cones, of the size of the problem.
    fn begin(&mut self, problem: &Problem) {
        let contacts = problem.contact_count();
        let speed = problem.free_velocities().iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        let stiff: f64 = (0..contacts).map(|k| problem.coupling().diagonal(k)[(0, 0)]).sum();
        let impulse = if stiff > 0.0 { speed * contacts as f64 / stiff } else { speed };
        self.contacts.clear();
        self.contacts.extend(problem.friction().iter().map(|&mu| {
            let zero = Local::zeros();
            let mut point = Point {
                mu,
                x: zero,
                z: zero,
                p: Block::zeros(),
                lambda: zero,
                dx: zero,
                dz: zero,
                scaled: [zero; 2],
                rho: zero,
            };
            point.x = point.to_x(&Local::new(impulse, 0.0, 0.0));
            point.z = point.to_z(&Local::new(speed, 0.0, 0.0));
            point
        }));
    }

    /// From the middle until the answer is found, or no step leads on.
    fn follow(
        &mut self,
        problem: &Problem,
        system: &mut System,
        model: Model,
        search: &mut Search<'_>,
    ) -> End {
        self.begin(problem);
        let (mut reached, mut waited, mut is_lagged) = (f64::INFINITY, 0, false);
        for _ in 0..MAX_STEPS {
            if search.steps >= search.options.max_iterations {
                return End::Stalled;
            }
            let used = if is_lagged { Model::Lagged } else { model };
            let step = self.advance(problem, system, used);
            search.steps += 1;
            // After a step that leads nowhere, one without the derivative of mu |u_T|.
            let leads_on = step.is_some_and(|step| step >= SHORT);
            is_lagged = model == Model::Coulomb && !is_lagged && !leads_on;
            self.impulses();
            let residual = Measure::of(problem, &self.trial).natural_map;
            if residual < search.least {
                search.least = residual;
                self.best.clone_from(&self.trial);
            }
            waited += 1;
            if residual < 0.5 * reached {
                (reached, waited) = (residual, 0);
            }
            if search.least <= FINISH_SHARE * search.options.tolerance {
                return End::Solved;
            }
            if waited > PATIENCE {
                return End::Stalled;
            }
            if search.options.time_limit.is_some_and(|limit| search.since.elapsed() > limit) {
                return End::Time;
            }
        }
        End::Stalled
    }

    /// Residuals, scalings, factors of the matrix.
    fn linearise(&mut self, problem: &Problem, model: Model) {
        self.impulses();
        self.factors.clear();
        for (k, point) in self.contacts.iter_mut().enumerate() {
            let u = problem.velocity(k, &self.trial);
            let slip = tangential_norm(&u);
            let lift = if model == Model::Convex { 0.0 } else { point.mu * slip };
            let raised = Local::new(u.x + lift, u.y, u.z);
            point.rho = point.to_z(&raised) - point.z;
            point.scale();
            let mut b = Block::identity();
            if model == Model::Coulomb && slip > 0.0 {
                b[(0, 1)] = point.mu * u.y / slip;
                b[(0, 2)] = point.mu * u.z / slip;
            }
            self.factors.push(Factors { l: point.l(), b });
        }
    }

    /// Solves for the step that aims at `target`; gives how far it can be taken, at most 1.
    fn direction(&mut self, problem: &Problem, system: &mut System, target: f64, is_corrected: bool) -> f64 {
        self.vector.clear();
        for point in &self.contacts {
            self.vector.extend(point.right(target, is_corrected).iter());
        }
        system.solve(&self.factors, &mut self.vector);
        self.refine(problem, system, target, is_corrected);
        let mut longest = 1.0 / STEP_SHARE;
        for (point, t) in self.contacts.iter_mut().zip(self.vector.chunks_exact(3)) {
            let t = Local::from_column_slice(t);
            let rest = point.aim(target, is_corrected) - t;
            point.dx = point.p * t;
            point.dz = if point.is_frictionless() {
                Local::new(rest.x / point.p[(0, 0)], 0.0, 0.0)
            } else {
                point.p.try_inverse().map_or_else(Local::zeros, |inverse| inverse * rest)
            };
            point.scaled = [t, rest];
            longest = longest.min(point.longest());
        }
        STEP_SHARE * longest
    }

    /// Solves once more for what rounding left of the step: near the end `L` spans many orders of magnitude.
    fn refine(&mut self, problem: &Problem, system: &mut System, target: f64, is_corrected: bool) {
        self.trial.clear();
        for (own, t) in self.factors.iter().zip(self.vector.chunks_exact(3)) {
            self.trial.extend((own.l * Local::from_column_slice(t)).iter());
        }
        self.rest.clear();
        for (k, (point, own)) in self.contacts.iter().zip(&self.factors).enumerate() {
            let moved = own.l.tr_mul(&(own.b * problem.coupling().row_times(k, &self.trial)));
            let t = Local::from_column_slice(&self.vector[3 * k..][..3]);
            self.rest.extend((point.right(target, is_corrected) - t - moved).iter());
        }
        system.solve(&self.factors, &mut self.rest);
        self.vector.iter_mut().zip(&self.rest).for_each(|(t, change)| *t += change);
    }

    /// Mean of `x · z`.
    fn gap(&self) -> f64 {
        let sum: f64 = self.contacts.iter().map(|p| p.x.dot(&p.z)).sum();
        let degree: f64 = self.contacts.iter().map(Point::degree).sum();
        sum / degree.max(1.0)
    }

    /// One step; false when there is no direction.
    fn advance(&mut self, problem: &Problem, system: &mut System, model: Model) -> Option<f64> {
        self.linearise(problem, model);
        if !system.factor(problem, &self.factors) {
            return None;
        }
        let gap = self.gap();
        let reach = self.direction(problem, system, 0.0, false);
        let sigma = (1.0 - reach.min(1.0)).powi(3).clamp(1e-8, 1.0);
        let step = self.direction(problem, system, sigma * gap, true);
        if !(step.is_finite() && self.vector.iter().all(|t| t.is_finite())) {
            return None;
        }
        for point in &mut self.contacts {
            let (x, z) = (point.x + point.dx * step, point.z + point.dz * step);
            let is_inside = if point.is_frictionless() {
                x.x > 0.0 && z.x > 0.0
            } else {
                depth(&x) > 0.0 && depth(&z) > 0.0
            };
            // Rounding may put a point onto the boundary; it waits for the next step.
            if is_inside {
                (point.x, point.z) = (x, z);
            }
        }
        Some(step)
    }
}

impl ProblemSolver for InteriorPoint {
    fn name(&self) -> &'static str {
        "interior_point"
    }

    fn reads_global(&self) -> bool {
        true
    }

    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        _exec: Option<&Exec>,
    ) -> Outcome {
        let since = Instant::now();
        let begun = Outcome::judge(problem, options, impulses, 0, since, Status::IterationLimit);
        let has_approach = problem.free_velocities().iter().any(|&q| q != 0.0);
        if begun.is_solved() || !has_approach {
            return begun;
        }
        let mut system = System::new(problem);
        self.best.clear();
        self.best.extend_from_slice(impulses);
        let mut search = Search { options, since, least: begun.residual, steps: 0 };
        let mut otherwise = Status::IterationLimit;
        for model in [Model::Coulomb, Model::Convex] {
            let end = self.follow(problem, &mut system, model, &mut search);
            if end == End::Time {
                otherwise = Status::TimeLimit;
            }
            if end != End::Stalled || search.least <= options.tolerance {
                break;
            }
        }
        let Search { least, steps, .. } = search;
        // Sweeps put contacts onto their cones; they are kept where they help.
        self.trial.clone_from(&self.best);
        let left = options.time_limit.map(|limit| limit.saturating_sub(since.elapsed()));
        let sweeps = options.max_iterations.saturating_sub(steps);
        let finishing = SolveOptions { max_iterations: sweeps, time_limit: left, ..*options };
        let finished = self.finish.solve_in_place(problem, &finishing, &mut self.trial);
        impulses.copy_from_slice(if finished.residual < least { &self.trial } else { &self.best });
        if finished.status == Status::TimeLimit {
            otherwise = Status::TimeLimit;
        }
        Outcome::judge(problem, options, impulses, steps + finished.iterations, since, otherwise)
    }
}
