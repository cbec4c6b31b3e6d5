//! Non-smooth Gauss-Seidel: exact Signorini and Coulomb, contact by contact, to a stated error.
//!
//! In: a [`Problem`], symmetric or not. Out: impulses that obey both laws within a tolerance of the natural map. Knows
//! nothing of steps and bodies. Start reading at [`Nsgs`] and, for one contact, at `local`.
//!
//! Method: contacts are visited in turn, and each is solved exactly with the others as they are (`local`). Source: Jourdan,
//! Alart, Jean, Comput. Methods Appl. Mech. Eng. 155 (1998) 31; "NSGS" of Acary, Bremond, Huber, INRIA RR-9118
//! (2018). A sweep carries what a contact changes by a contact or two, so that piles take sweeps with the square
//! of their height. Two accelerations guess what sweeps leave of that: differences of the last iterates (`anderson`), and conjugate gradients
//! along the history of sweeps (`conjugate`). The one is best near an answer and on stacks, the other on what has to find its place, and neither can be told
//! from the problem; so they take turns, each from the best answer so far, with turns twice as long each time. The differences are
//! safeguarded: where the error grows to `GIVE_UP` times the least one, the solver goes back there and sweeps plainly for a while.
//!
//! Guarantees: impulses lie in their cones, to rounding; the answer left is the best one found; equal input gives equal bits
//! at any thread count. What is not guaranteed is that it converges: there are problems without an answer, and some
//! with one that takes longer than anyone waits (heaps of hundreds of balls from rest; `docs/measurements/fclib.md`).
//!
//! Cost: per sweep a product with `W` and some 100 operations per contact. Choose it where the law matters and problems
//! are warm started or below some hundred contacts.

mod anderson;
mod config;
pub(crate) mod conjugate;
pub(crate) mod local;
mod order;

pub use config::NsgsConfig;
pub use order::SweepOrder;

use crate::problem::{
    Local, Measure, Outcome, Problem, ProblemSolver, SolveOptions, Status, natural_map, project_on_cone,
};
use anderson::Anderson;
use conjugate::ConjugateGradients;
use drystone_exec::{Exec, chunks, chunks_mut};
use local::LocalSolver;
use order::Sequence;
use std::time::Instant;

/// Growth of the error, over the least one so far, at which the acceleration is given up for a while.
const GIVE_UP: f64 = 4.0;
/// Most plain sweeps between two attempts to accelerate.
const LONGEST_PAUSE: u32 = 512;
/// Accelerated sweeps after which the next pause is half as long again.
const FORGIVE: u32 = 64;
/// Sweeps of the first turn of an acceleration: what steps of the engine take is left to the first one.
const FIRST_TURN: u64 = 256;
/// Contacts of a colour that a thread takes at a time.
const CONTACTS_PER_PART: usize = 64;

/// The solver, with its memory.
#[derive(Clone, Debug, Default)]
pub struct Nsgs {
    /// Settings; checked by [`NsgsConfig::validate`] where they enter.
    pub config: NsgsConfig,
    locals: Vec<LocalSolver>,
    /// Results of a colour, in the order of the sweep; `lambda` is kept from sweep to sweep.
    visits: Vec<Visit>,
    sequence: Sequence,
    anderson: Anderson,
    gradients: ConjugateGradients,
    iterate: Vec<f64>,
    best: Vec<f64>,
}

/// What a visit found.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    impulse: Local,
    /// Where the search for a sliding contact ended.
    lambda: f64,
    /// Squared natural map of the contact before.
    error: f64,
}

/// What a visit reads.
struct Sweep<'a> {
    problem: &'a Problem,
    locals: &'a [LocalSolver],
    relaxation: f64,
}

impl Sweep<'_> {
    /// Solves a contact with all others as they are.
    #[inline]
    fn visit(&self, k: usize, impulses: &[f64], visit: &mut Visit) {
        let old = Local::from_column_slice(&impulses[3 * k..][..3]);
        let mu = self.problem.friction()[k];
        let u = self.problem.velocity(k, impulses);
        visit.error = natural_map(&old, &u, mu).norm_squared();
        let left = u - self.problem.coupling().diagonal(k) * old;
        let new = self.locals[k].solve(&left, &mut visit.lambda);
        visit.impulse = if self.relaxation == 1.0 {
            new
        } else {
            project_on_cone(&(old + (new - old) * self.relaxation), mu)
        };
    }
}

impl Nsgs {
    /// The solver with these settings.
    pub fn new(config: NsgsConfig) -> Self {
        Self { config, ..Self::default() }
    }

    fn prepare(&mut self, problem: &Problem) {
        let contacts = problem.contact_count();
        self.locals.clear();
        let blocks = (0..contacts).map(|k| problem.coupling().diagonal(k));
        self.locals.extend(blocks.zip(problem.friction()).map(|(block, &mu)| LocalSolver::new(block, mu)));
        self.visits.clear();
        self.visits.resize(contacts, Visit::default());
        self.sequence.find(self.config.order, problem.coupling());
        self.anderson.begin(3 * contacts, self.config.memory as usize);
        self.gradients.begin(3 * contacts);
    }

    /// Visits every contact once. Gives the norm of the natural map, each contact's as it was found: an estimate of
    /// the error before the sweep.
    fn sweep(
        &mut self,
        problem: &Problem,
        backwards: bool,
        impulses: &mut [f64],
        exec: Option<&Exec>,
    ) -> f64 {
        let Self { locals, visits, sequence, config, .. } = self;
        let sweep = Sweep { problem, locals, relaxation: f64::from(config.relaxation) };
        if sequence.starts.is_empty() {
            let count = visits.len();
            for i in 0..count {
                let i = if backwards { count - 1 - i } else { i };
                let k = sequence.contacts[i] as usize;
                sweep.visit(k, impulses, &mut visits[i]);
                impulses[3 * k..][..3].copy_from_slice(visits[i].impulse.as_slice());
            }
        } else {
            let colours = sequence.starts.len() - 1;
            for i in 0..colours {
                let i = if backwards { colours - 1 - i } else { i };
                let range = sequence.starts[i] as usize..sequence.starts[i + 1] as usize;
                let (contacts, visits) = (&sequence.contacts[range.clone()], &mut visits[range]);
                let read = &*impulses;
                let work = |contacts: &[u32], visits: &mut [Visit]| {
                    contacts.iter().zip(visits).for_each(|(&k, visit)| sweep.visit(k as usize, read, visit));
                };
                match exec {
                    Some(exec) => {
                        let parts =
                            (chunks(contacts, CONTACTS_PER_PART), chunks_mut(visits, CONTACTS_PER_PART));
                        exec.for_each_dynamic(parts, |_, (contacts, visits)| work(contacts, visits));
                    }
                    None => work(contacts, visits),
                }
                for (&k, visit) in contacts.iter().zip(&*visits) {
                    impulses[3 * k as usize..][..3].copy_from_slice(visit.impulse.as_slice());
                }
            }
        }
        self.visits.iter().map(|visit| visit.error).sum::<f64>().sqrt()
    }

    fn keep(&mut self, impulses: &[f64]) {
        self.best.clear();
        self.best.extend_from_slice(impulses);
    }
}

/// Which acceleration is in use, and until when.
#[derive(Debug)]
struct Turn {
    is_of_gradients: bool,
    sweeps: u64,
    ends_at: u64,
}

impl Default for Turn {
    fn default() -> Self {
        Self { is_of_gradients: false, sweeps: FIRST_TURN, ends_at: FIRST_TURN }
    }
}

impl Turn {
    /// Whether the turn has ended after so many sweeps; the next one has begun then.
    fn has_ended(&mut self, sweeps: u64) -> bool {
        let has_ended = sweeps >= self.ends_at;
        if has_ended {
            self.is_of_gradients = !self.is_of_gradients;
            self.sweeps *= 2;
            self.ends_at = sweeps + self.sweeps;
        }
        has_ended
    }
}

/// What follows a sweep.
enum Next {
    Plain,
    Accelerate,
    GoBack,
}

/// Watches whether the acceleration helps.
#[derive(Debug)]
struct Guard {
    least: f64,
    /// Plain sweeps still to come.
    plain: u32,
    /// How many the next failure costs.
    pause: u32,
    /// Accelerated sweeps since the last failure.
    accelerated: u32,
}

impl Default for Guard {
    fn default() -> Self {
        Self { least: f64::INFINITY, plain: 0, pause: 1, accelerated: 0 }
    }
}

impl Guard {
    /// Whether this error is the least so far; it is noted.
    fn is_better(&mut self, error: f64) -> bool {
        let is_better = error < self.least;
        if is_better {
            self.least = error;
        }
        is_better
    }

    fn next(&mut self, error: f64) -> Next {
        if self.plain > 0 {
            self.plain -= 1;
            return Next::Plain;
        }
        if error > GIVE_UP * self.least || error.is_nan() {
            self.pause = (2 * self.pause).min(LONGEST_PAUSE);
            (self.plain, self.accelerated) = (self.pause, 0);
            return Next::GoBack;
        }
        self.accelerated += 1;
        if self.accelerated.is_multiple_of(FORGIVE) {
            self.pause = (self.pause / 2).max(1);
        }
        Next::Accelerate
    }
}

impl ProblemSolver for Nsgs {
    fn name(&self) -> &'static str {
        "nsgs"
    }

    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        exec: Option<&Exec>,
    ) -> Outcome {
        let since = Instant::now();
        self.prepare(problem);
        let scale = problem.free_velocities().iter().map(|q| q * q).sum::<f64>().sqrt();
        // Where nothing approaches from rest the measure is absolute, and so is the estimate.
        let wanted = options.tolerance * if scale > 0.0 { scale } else { 1.0 };
        let mut guard = Guard::default();
        let mut otherwise = Status::IterationLimit;
        let mut iterations = 0;
        let mut turn = Turn::default();
        self.keep(impulses);
        while iterations < options.max_iterations {
            self.iterate.clear();
            self.iterate.extend_from_slice(impulses);
            let mut error = self.sweep(problem, false, impulses, exec);
            iterations += 1;
            if self.config.symmetric {
                error = self.sweep(problem, true, impulses, exec);
                iterations += 1;
            }
            if error <= wanted && Measure::of(problem, impulses).is_within(options.tolerance) {
                self.keep(impulses);
                break;
            }
            if guard.is_better(error) {
                // The estimate is that of the iterate before, the sweep has made it better and put it into its cones.
                self.keep(impulses);
            }
            if self.config.memory > 0 && turn.has_ended(iterations) {
                impulses.copy_from_slice(&self.best);
                self.anderson.restart();
                self.gradients.restart();
                guard = Guard { least: guard.least, ..Guard::default() };
            } else if turn.is_of_gradients {
                self.gradients.next(&self.iterate, impulses);
            } else {
                match guard.next(error) {
                    Next::Plain => {}
                    Next::Accelerate => self.anderson.next(&self.iterate, impulses),
                    Next::GoBack => {
                        impulses.copy_from_slice(&self.best);
                        self.anderson.restart();
                    }
                }
            }
            if options.time_limit.is_some_and(|limit| since.elapsed() > limit) {
                otherwise = Status::TimeLimit;
                break;
            }
        }
        impulses.copy_from_slice(&self.best);
        Outcome::judge(problem, options, impulses, iterations, since, otherwise)
    }
}
