//! Proximal points by Newton's method: contacts that give a little, ever less, around the last answer.
//!
//! In: a [`Problem`]. Out: impulses that obey both laws within a tolerance of the natural map. Knows nothing of steps and bodies, but uses
//! the global form of the problem where there is one. Start reading at [`ProximalNewton`].
//!
//! Method: the problem with a compliance `1/ρ` at each contact, centred at impulses `a`, so that `u + (r − a)/ρ` takes the place of `u` in both
//! laws. Its contacts are solved by a formula, the return mapping of Alart and Curnier, and Newton's method has to find velocities only:
//! ```text
//! r = R(a − ρ u)        u = W r + q        R(x) = 0                          where x_N ≤ 0
//!                                                 x                          where |x_T| ≤ mu x_N
//!                                                 (x_N, mu x_N x_T / |x_T|)  else
//! (1 + ρ R' W) dr = R(a − ρ u) − r         merit  |R(a − ρ u) − r| in the norm of W
//! ```
//! Then `a ← r`. Where `a` stays as it is the compliance has no effect, and the laws hold exactly. Impulses that are not unique (hyperstatic
//! piles) make `W` singular, not `1 + ρ R' W`. Sources: Alart, Curnier, "A mixed formulation for frictional contact problems prone to Newton
//! like solution methods", Comput. Methods Appl. Mech. Eng. 92 (1991) 353; proximal points around Newton's method: "PROX" in Acary, Bremond, Huber, INRIA RR-9118 (2018).
//!
//! `ρ` begins low, where contacts hardly act on each other, and grows while Newton's method arrives; where it does not, the last answer is taken up again
//! with a smaller one. Coulomb's law is not monotone: with a small `ρ` the outer rounds of piles that slide apart wind away from the
//! answer, with a large one Newton's method finds no way to it. So where a round fails near an answer, least squares on a smoothed law
//! (`least_squares`) go on from the last centre, beside the rounds, as long as they gain and cost no more than twice what the rounds did.
//!
//! Guarantees: impulses lie in their cones; what is left is the best answer found; equal input gives equal bits. Not guaranteed: that it
//! converges. Cost: 100 to 500 factorisations of the same size as [`crate::InteriorPoint`]'s, of which that takes 15 to 60. Choose it where
//! the others do not arrive: heaps of balls that slide apart; to less than 1e-5, walls that are struck and balls in a box.

mod least_squares;

use crate::factor::{Factors, System};
use crate::problem::{
    Block, Local, Measure, Outcome, Problem, ProblemSolver, SolveOptions, Status, tangential_norm,
};
use drystone_exec::Exec;
use least_squares::LeastSquares;
use std::time::Instant;

/// First `ρ` over the mean of the diagonal of `W`, no unit: contacts bear a tenth of what they would alone.
const FIRST_STIFFNESS: f64 = 0.1;
/// Largest and smallest `ρ`, likewise: past the one rounding of `W r` rules, past the other nothing is solved any more.
const STIFFNESS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;
/// Growth of `ρ` after a round in which Newton's method arrived soon. With 1.2 and 2 the wall that is struck takes as many steps.
const GROWTH: f64 = 1.5;
/// Newton's steps in a round, and how many are soon. Rounds that arrive at all take 5 to 30.
const MAX_STEPS: u64 = 40;
const FEW_STEPS: u64 = 20;
/// Merit at which a round ends, as a share of the error of the last one.
const ROUND_SHARE: f64 = 1e-4;
/// Least merit that is asked for, as a share of the free velocities': rounding.
const FLOOR: f64 = 1e-15;
/// Times that a step is halved at most, and the decrease that is enough for it (Armijo).
const MAX_HALVINGS: u32 = 10;
const DECREASE: f64 = 1e-4;
/// Error below which the last answer goes into least squares when a round fails, and the share of the last one's that went there.
const NEAR: f64 = 1e-2;
const NEARER: f64 = 0.5;
/// Most that least squares may cost over what the rounds did, in multiplications. With 1 a small pyramid that slides is not solved, with 2
/// the wall that is struck takes 1.7 times as long to 1e-8.
const WORK_OVER_ROUNDS: u64 = 2;
/// Rounds without a better answer after which the method ends.
const PATIENCE: u32 = 60;

/// The solver, with its memory. An iteration is one of Newton's steps, or one of least squares.
///
/// ```
/// use drystone_resolution::ProximalNewton;
/// use drystone_resolution::problem::{BlockRows, Problem, SolveOptions, ProblemSolver, Triplets};
///
/// // A body of 1 kg that closes at 1 m/s and slides at 2 m/s, mu = 0.5: half of the normal impulse against the slip.
/// let mut w = Triplets::new(3, 3);
/// (0..3).for_each(|i| w.push(i, i, 1.0));
/// let problem = Problem::new(BlockRows::from_triplets("W", &w)?, vec![-1.0, 2.0, 0.0], vec![0.5])?;
/// let solution = ProximalNewton::new().solve_problem(&problem, &SolveOptions::default(), None);
/// assert!((solution.impulses[0] - 1.0).abs() < 1e-7 && (solution.impulses[1] + 0.5).abs() < 1e-7);
/// # Ok::<(), drystone_resolution::problem::ProblemError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProximalNewton {
    /// `a`.
    centre: Vec<f64>,
    /// `r`, and what the contacts answer, `R(a − ρ u)`.
    impulses: Vec<f64>,
    answer: Vec<f64>,
    factors: Vec<Factors>,
    step: Vec<f64>,
    /// Where a step begins; where a round began.
    begun: Vec<f64>,
    last: Vec<f64>,
    best: Vec<f64>,
    /// What goes on where a round fails.
    least_squares: LeastSquares,
}

/// What a solve is asked, and what it has used up.
struct Limits<'a> {
    options: &'a SolveOptions,
    since: Instant,
    steps: u64,
}

impl Limits<'_> {
    fn is_late(&self) -> bool {
        self.options.time_limit.is_some_and(|limit| self.since.elapsed() > limit)
    }

    fn is_over(&self) -> bool {
        self.steps >= self.options.max_iterations || self.is_late()
    }
}

impl ProximalNewton {
    /// The solver.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the contacts answer to the present impulses, its derivative, and the merit.
    fn respond(&mut self, problem: &Problem, stiffness: f64) -> f64 {
        self.answer.clear();
        self.factors.clear();
        for (k, &mu) in problem.friction().iter().enumerate() {
            let u = problem.velocity(k, &self.impulses);
            let centre = Local::from_column_slice(&self.centre[3 * k..][..3]);
            let (r, derivative) = return_mapping(&(centre - u * stiffness), mu);
            self.answer.extend(r.iter());
            self.factors.push(Factors { l: Block::identity(), b: derivative * stiffness });
        }
        self.step.clear();
        self.step.extend(self.answer.iter().zip(&self.impulses).map(|(answer, r)| answer - r));
        let power = |(k, off): (usize, &[f64])| {
            problem.coupling().row_times(k, &self.step).dot(&Local::from_column_slice(off))
        };
        // Rounding may make it negative near zero; what is no number stays so.
        let square: f64 = self.step.chunks_exact(3).enumerate().map(power).sum();
        if square < 0.0 { 0.0 } else { square.sqrt() }
    }

    /// Newton's method for one centre and stiffness. True when the merit fell to `wanted`.
    fn round(
        &mut self,
        problem: &Problem,
        system: &mut System,
        stiffness: f64,
        wanted: f64,
        limits: &mut Limits<'_>,
    ) -> bool {
        let mut merit = self.respond(problem, stiffness);
        for _ in 0..MAX_STEPS {
            if merit <= wanted || limits.is_over() || !system.factor(problem, &self.factors) {
                break;
            }
            limits.steps += 1;
            let mut step = std::mem::take(&mut self.step);
            system.solve(&self.factors, &mut step);
            self.begun.clone_from(&self.impulses);
            let (before, mut share) = (merit, 1.0);
            for _ in 0..MAX_HALVINGS {
                for ((r, begun), change) in self.impulses.iter_mut().zip(&self.begun).zip(&step) {
                    *r = begun + share * change;
                }
                merit = self.respond(problem, stiffness);
                if merit <= (1.0 - DECREASE * share) * before {
                    break;
                }
                share *= 0.5;
            }
            if !merit.is_finite() {
                break;
            }
        }
        merit <= wanted
    }

    /// Rounds until the answer is found. Gives how it ended where it is not; the best answer is in `best`.
    fn search(&mut self, problem: &Problem, limits: &mut Limits<'_>, begun: f64) -> Status {
        let contacts = problem.contact_count();
        let diagonal: f64 = (0..contacts).map(|k| problem.coupling().diagonal(k).trace()).sum();
        let mobility = diagonal / (3 * contacts) as f64;
        let free = problem.free_velocities().iter().map(|q| q * q).sum::<f64>().sqrt();
        if mobility.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return Status::Failed { why: "no impulse moves anything".into() };
        }
        let scale = free / mobility.sqrt();
        let mut system = System::new(problem);
        let (mut stiffness, mut error, mut least, mut waited) = (FIRST_STIFFNESS, begun, begun, 0);
        let (mut rounds_steps, mut descend_below) = (0, NEAR);
        self.least_squares.forget();
        while least > limits.options.tolerance {
            if limits.is_over() {
                return if limits.is_late() { Status::TimeLimit } else { Status::IterationLimit };
            }
            waited += 1;
            if waited > PATIENCE || stiffness < *STIFFNESS.start() {
                return Status::Failed { why: "answers do not get better".into() };
            }
            self.last.clone_from(&self.impulses);
            let steps = limits.steps;
            let wanted = (ROUND_SHARE * error).max(FLOOR) * scale;
            let is_found = self.round(problem, &mut system, stiffness / mobility, wanted, limits);
            let taken = limits.steps - steps;
            rounds_steps += taken;
            if !is_found {
                stiffness /= GROWTH * GROWTH;
                self.impulses.clone_from(&self.last);
                if error < descend_below {
                    descend_below = NEARER * error;
                    self.least_squares.begin(problem, &self.centre, error);
                }
                let most = WORK_OVER_ROUNDS * system.work() * rounds_steps;
                let found = self.least_squares.descend(problem, limits, most);
                if found < least {
                    (least, waited) = (found, 0);
                    self.best.copy_from_slice(self.least_squares.best());
                }
                continue;
            }
            self.centre.clone_from(&self.answer);
            error = Measure::of(problem, &self.answer).natural_map;
            if error < least {
                (least, waited) = (error, 0);
                self.best.clone_from(&self.answer);
            }
            if taken <= FEW_STEPS {
                stiffness = (stiffness * GROWTH).min(*STIFFNESS.end());
            }
        }
        Status::Solved
    }
}

/// `R` and its derivative, by cases (see the module).
fn return_mapping(x: &Local, mu: f64) -> (Local, Block) {
    if x.x <= 0.0 {
        return (Local::zeros(), Block::zeros());
    }
    let (length, most) = (tangential_norm(x), mu * x.x);
    if length <= most && mu > 0.0 {
        return (*x, Block::identity());
    }
    // Without friction and without slip there is no direction; any does, with a share of 0.
    let (y, z) = if length > 0.0 { (x.y / length, x.z / length) } else { (0.0, 0.0) };
    let share = if length > 0.0 { most / length } else { 0.0 };
    #[rustfmt::skip]
    let derivative = Block::new(
        1.0,    0.0,                     0.0,
        mu * y, share * (1.0 - y * y),   -share * y * z,
        mu * z, -share * y * z,          share * (1.0 - z * z),
    );
    (Local::new(x.x, most * y, most * z), derivative)
}

impl ProblemSolver for ProximalNewton {
    fn name(&self) -> &'static str {
        "proximal_newton"
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
        for list in [&mut self.centre, &mut self.impulses, &mut self.best] {
            list.clear();
            list.extend_from_slice(impulses);
        }
        let mut limits = Limits { options, since, steps: 0 };
        let otherwise = self.search(problem, &mut limits, begun.residual);
        impulses.copy_from_slice(&self.best);
        Outcome::judge(problem, options, impulses, limits.steps, since, otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::natural_map;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Local> {
        prop::array::uniform3(-2.0f64..2.0).prop_map(Local::from)
    }

    proptest! {
        /// A contact that gives by `1/ρ` and nothing else: `u + r/ρ` in place of `u` obeys both laws.
        #[test]
        fn the_return_mapping_is_the_law_of_a_contact_that_gives(
            x in vector(),
            mu in prop_oneof![Just(0.0), 0.0f64..1.5],
        ) {
            let (r, _) = return_mapping(&x, mu);
            prop_assert!(natural_map(&r, &(r - x), mu).norm() < 1e-12);
        }

        #[test]
        fn its_derivative_is_that_of_small_steps(x in vector(), d in vector(), mu in 0.0f64..1.5) {
            let (small, (r, derivative)) = (1e-7, return_mapping(&x, mu));
            // Kinks between the cases have no derivative.
            let near = (tangential_norm(&x) - mu * x.x).abs().min(x.x.abs());
            prop_assume!(near > 1e-5 && tangential_norm(&x) > 1e-2);
            let moved = (return_mapping(&(x + d * small), mu).0 - r) / small;
            prop_assert!((moved - derivative * d).norm() < 1e-3, "{moved} {}", derivative * d);
        }
    }
}
