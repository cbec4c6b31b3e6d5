//! The solver: which problem is solved how.

use super::dense::DenseLcp;
use super::polygon::{Polygon, secant, signed_angle, turned};
use super::pyramid::{Layout, law_residual, norm};
use super::sweep::{Law, Sweeps};
use super::{FrictionLaw, LcpConfig, Lemke, LemkeOptions, LemkeStatus};
use crate::problem::{Local, Measure, Outcome, Problem, ProblemSolver, SolveOptions, Status};
use drystone_exec::Exec;
use nalgebra::Vector2;
use std::borrow::Cow;
use std::time::Instant;

/// What a solve did, beside its [`Outcome`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LcpReport {
    /// How far the impulses are from the law of the last pyramids, relative to `‖q‖`; 0 exactly where that holds. Of the cone where
    /// friction is turned.
    pub law_residual: f64,
    /// Unknowns of the linear complementarity problem.
    pub unknowns: usize,
    /// Pivots of Lemke's algorithm, all turns together.
    pub pivots: u64,
    /// Times that pyramids were set and solved by Lemke's algorithm.
    pub turns: u32,
    /// How many of these a basis from before answered without pivoting.
    pub guessed: u32,
    /// Why Lemke's algorithm did not answer, when it was asked.
    pub lemke_failure: Option<LemkeStatus>,
    /// Whether sweeps took over.
    pub fell_back: bool,
    /// Double sweeps.
    pub sweeps: u64,
}

/// Complementarity with friction pyramids (see the module). An iteration is one turn of the pyramids or one double sweep.
#[derive(Clone, Debug, Default)]
pub struct LcpSolver {
    config: LcpConfig,
    report: LcpReport,
    lemke: Lemke,
    lcp: DenseLcp,
    layout: Layout,
    polygons: Vec<Polygon>,
    /// Where friction pointed after the last turn, and the angle from there to what opposes the slip.
    turned: Vec<Option<(Vector2<f64>, f64)>>,
    is_basic: Vec<bool>,
    start: Vec<f64>,
    sweeps: Sweeps,
    next: Vec<f64>,
    answer: Vec<f64>,
    best: Vec<f64>,
}

/// Tangent of half the angle beside a direction that is turned to: the largest and the least one.
const FIRST_SPREAD: f64 = 0.125;
const LEAST_SPREAD: f64 = 1e-3;
/// Sweeps after which the residual is looked at whatever they change.
const LOOK_EVERY: u64 = 25;
/// Residual of a pyramid's law that counts as solved, where the tolerance asks for less than Lemke's algorithm gives.
const LAW_FLOOR: f64 = 1e-13;

impl LcpSolver {
    /// With these settings; [`LcpConfig::validate`] them first.
    pub fn new(config: LcpConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// What the last solve did.
    pub fn report(&self) -> &LcpReport {
        &self.report
    }

    /// True when normals alone are solved for.
    fn is_frictionless(&self, problem: &Problem) -> bool {
        self.config.law == FrictionLaw::Frictionless || problem.friction().iter().all(|&mu| mu == 0.0)
    }

    /// Pivoting. True when the law holds; `impulses` is the best answer so far either way.
    fn pivot(&mut self, problem: &Problem, run: &Run<'_>, impulses: &mut [f64]) -> bool {
        let facets = self.config.facets as usize;
        self.polygons.clear();
        self.polygons.resize(problem.contact_count(), Polygon::even(facets, Vector2::x()));
        self.turned.clear();
        self.turned.resize(problem.contact_count(), None);
        self.answer.clear();
        self.answer.extend_from_slice(impulses);
        let is_turned = self.config.law == FrictionLaw::Cone && !run.is_frictionless;
        let turns = if is_turned { u64::from(self.config.max_turns) } else { 1 };
        let turns = turns.min(run.options.max_iterations);
        if is_turned {
            self.turn_to_seed(problem);
        }
        let deadline = run.options.time_limit.map(|limit| run.since + limit);
        let options = LemkeOptions { deadline, ..LemkeOptions::default() };
        self.report.law_residual = self.law_residual(problem, run, impulses);
        if self.report.law_residual <= run.law_tolerance() {
            return true;
        }
        self.layout.guess(problem, &self.polygons, &self.answer, &mut self.is_basic, &mut self.start);
        for _ in 0..turns {
            if run.is_late() {
                return false;
            }
            self.layout.assemble(problem, &self.polygons, &mut self.lcp);
            self.report.turns += 1;
            let has_start = self.is_basic.iter().any(|&basic| basic);
            if has_start && self.lemke.try_basis(&self.lcp, &self.is_basic, &self.start, &options) {
                self.report.guessed += 1;
            } else {
                let status = self.lemke.solve(&self.lcp, None, &options);
                self.report.pivots += self.lemke.pivots();
                if status != LemkeStatus::Solved {
                    self.report.lemke_failure = Some(status);
                }
                if !matches!(status, LemkeStatus::Solved | LemkeStatus::Inaccurate) {
                    return false;
                }
            }
            self.layout.decode(&self.polygons, self.lemke.z(), &mut self.answer);
            let residual = self.law_residual(problem, run, &self.answer);
            // What is inaccurate may still be nearer than where it began.
            if residual < self.report.law_residual {
                self.report.law_residual = residual;
                impulses.copy_from_slice(&self.answer);
            }
            if self.report.lemke_failure.is_some() {
                return residual <= run.law_tolerance();
            }
            if residual <= run.law_tolerance() {
                return true;
            }
            self.is_basic.clear();
            self.is_basic.extend_from_slice(self.lemke.basis());
            self.start.clear();
            self.start.extend_from_slice(self.lemke.z());
            self.turn(problem);
        }
        false
    }

    /// Fans for the contacts whose first impulses are at the limit of friction.
    fn turn_to_seed(&mut self, problem: &Problem) {
        for (k, &mu) in problem.friction().iter().enumerate() {
            let friction = Vector2::new(self.answer[3 * k + 1], self.answer[3 * k + 2]);
            let length = friction.norm();
            if length > 0.0 && length >= 0.999 * mu * self.answer[3 * k] {
                let direction = friction / length;
                self.polygons[k] = Polygon::fan(self.config.facets as usize, direction, FIRST_SPREAD);
            }
        }
    }

    /// Turns the pyramids of sliding contacts until friction is opposite to slip: to where the secant through this and the
    /// last turn has friction and slip in line, with a fan around it that keeps the next answer near.
    fn turn(&mut self, problem: &Problem) {
        let facets = self.config.facets as usize;
        for (k, &mu) in problem.friction().iter().enumerate() {
            let r = Local::from_column_slice(&self.answer[3 * k..][..3]);
            let u = problem.velocity(k, &self.answer);
            let (friction, slip) = (Vector2::new(r.y, r.z), Vector2::new(u.y, u.z));
            let (_, sector, _, rest) = self.polygons[k].split(&friction);
            let is_sliding = sector + rest >= (1.0 - 1e-9) * mu * r.x && r.x > 0.0 && mu > 0.0;
            let speed = slip.norm();
            if !is_sliding || speed.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
                continue;
            }
            let (is, should) = (friction / friction.norm(), -slip / speed);
            let angle = signed_angle(&is, &should);
            let share = secant(self.turned[k], &is, angle);
            self.turned[k] = Some((is, angle));
            let aim = turned(&is, &should, share);
            self.polygons[k] =
                Polygon::fan(facets, aim, (0.5 * share * angle.abs()).clamp(LEAST_SPREAD, FIRST_SPREAD));
            self.layout.guess_sliding(k, r.x, mu, &mut self.is_basic, &mut self.start);
        }
    }

    /// How far impulses are from the law: of the cone, of the pyramids of this turn, or without friction.
    fn law_residual(&self, problem: &Problem, run: &Run<'_>, impulses: &[f64]) -> f64 {
        if run.is_frictionless {
            law_residual(problem, impulses, |_| None)
        } else if self.config.law == FrictionLaw::Cone {
            Measure::of(problem, impulses).natural_map
        } else {
            law_residual(problem, impulses, |k| self.polygons.get(k))
        }
    }

    /// Sweeps from `impulses`. True when the law holds; `impulses` is the best answer found.
    fn sweep(&mut self, problem: &Problem, run: &Run<'_>, impulses: &mut [f64]) -> bool {
        let polygon = Polygon::even(self.config.facets as usize, Vector2::x());
        let law = match self.config.law {
            _ if run.is_frictionless => Law::Frictionless,
            FrictionLaw::Cone => Law::Cone,
            _ => Law::Pyramid(&polygon),
        };
        self.sweeps.begin(problem, law);
        for list in [&mut self.next, &mut self.answer, &mut self.best] {
            list.clear();
            list.extend_from_slice(impulses);
        }
        self.polygons.clear();
        self.polygons.resize(problem.contact_count(), polygon);
        self.report.law_residual = self.law_residual(problem, run, impulses);
        let target = run.law_tolerance() * norm(problem.free_velocities());
        while self.report.law_residual > run.law_tolerance() || self.report.law_residual.is_nan() {
            let iterations = self.report.sweeps + u64::from(self.report.turns);
            if iterations >= run.options.max_iterations || run.is_late() {
                impulses.copy_from_slice(&self.best);
                return false;
            }
            let moved = self.sweeps.run(problem, self.config.accelerates, &mut self.next, &mut self.answer);
            self.report.sweeps += 1;
            let is_last = iterations + 1 == run.options.max_iterations;
            if moved > target && !is_last && !self.report.sweeps.is_multiple_of(LOOK_EVERY) {
                continue;
            }
            let residual = self.law_residual(problem, run, &self.answer);
            if residual < self.report.law_residual || self.report.law_residual.is_nan() {
                self.report.law_residual = residual;
                self.best.copy_from_slice(&self.answer);
            }
        }
        impulses.copy_from_slice(&self.best);
        true
    }

    /// Why a problem is not for these settings.
    fn refusal(&self, problem: &Problem) -> Option<Cow<'static, str>> {
        let has_friction = problem.friction().iter().any(|&mu| mu > 0.0);
        if self.config.law == FrictionLaw::Frictionless && has_friction && !self.config.ignores_friction {
            return Some("the problem has friction, and the frictionless law may not leave it out".into());
        }
        let limit = self.config.lemke_limit as usize;
        if !self.config.falls_back && self.report.unknowns > limit {
            return Some(format!("{} unknowns, at most {limit} are pivoted", self.report.unknowns).into());
        }
        None
    }
}

/// What one solve is asked.
struct Run<'a> {
    options: &'a SolveOptions,
    since: Instant,
    is_frictionless: bool,
}

impl Run<'_> {
    fn is_late(&self) -> bool {
        self.options.time_limit.is_some_and(|limit| self.since.elapsed() >= limit)
    }

    fn law_tolerance(&self) -> f64 {
        self.options.tolerance.max(LAW_FLOOR)
    }
}

impl ProblemSolver for LcpSolver {
    fn name(&self) -> &'static str {
        match self.config.law {
            FrictionLaw::Frictionless => "lcp_frictionless",
            FrictionLaw::Pyramid => "lcp_pyramid",
            FrictionLaw::Cone => "lcp",
        }
    }

    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        _exec: Option<&Exec>,
    ) -> Outcome {
        let run = Run { options, since: Instant::now(), is_frictionless: self.is_frictionless(problem) };
        self.layout.set(problem, self.config.facets as usize, run.is_frictionless);
        self.report = LcpReport { unknowns: self.layout.size(), ..LcpReport::default() };
        if let Some(why) = self.refusal(problem) {
            let residual = Measure::of(problem, impulses).natural_map;
            let seconds = run.since.elapsed().as_secs_f64();
            return Outcome { status: Status::Unsupported { why }, residual, iterations: 0, seconds };
        }
        let mut is_lawful = false;
        if self.report.unknowns <= self.config.lemke_limit as usize {
            is_lawful = self.pivot(problem, &run, impulses);
        }
        if !is_lawful && self.config.falls_back && !run.is_late() {
            self.report.fell_back = true;
            is_lawful = self.sweep(problem, &run, impulses);
        }
        let iterations = self.report.sweeps + u64::from(self.report.turns);
        let otherwise = match (is_lawful, self.report.lemke_failure) {
            // The measure judges by Coulomb's cone.
            (true, _) => {
                Status::Failed { why: "the law that was asked for holds, Coulomb's does not".into() }
            }
            _ if run.is_late() => Status::TimeLimit,
            (false, Some(failure)) if !self.report.fell_back => {
                Status::Failed { why: failure.in_words().into() }
            }
            _ => Status::IterationLimit,
        };
        Outcome::judge(problem, options, impulses, iterations, run.since, otherwise)
    }
}
