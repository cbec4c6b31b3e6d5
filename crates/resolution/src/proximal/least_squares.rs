//! Least squares on a smoothed law, from an answer that is near to one that is nearer.
//!
//! In: a [`Problem`] and impulses near an answer. Out: better ones, where it finds some. Knows nothing of proximal points. Start reading at
//! [`LeastSquares::descend`].
//!
//! Method: the return mapping `R` (see [`super`]) with its corners rounded off over a width `e` (N·s), at `ρ = 1` as the measure has it:
//! ```text
//! R_e(x) = (n, mu n x_T / max_e(sqrt(|x_T|² + e²), mu n))        n = max_e(x_N, 0)
//! max_e(a, b) = (a + b + sqrt((a − b)² + 4 e²)) / 2
//! F(r) = r − R_e(r − W r − q)        |F + F' dr|² + d² |dr|² least        F' = 1 − R_e' (1 − W)
//! ```
//! The steps `dr` are those of Levenberg and Marquardt, found by conjugate gradients on the normal equations, which need products with `W` only; `d`
//! follows what a step gained of what it promised. Once `F` is small beside the error that `e` leaves, `e` shrinks. The sum of squares falls where
//! Newton's method finds no way, and impulses that are not unique do no harm to a least step; on the law as it is the way down ends in its
//! corners. Sources: the smoothing function is that of Chen, Harker, Kanzow and Smale (in Facchinei, Pang, "Finite-dimensional
//! variational inequalities and complementarity problems", 2003, section 11.8); steps after Levenberg and Marquardt, conjugate gradients as CGLS (Björck,
//! "Numerical methods for least squares problems", 1996, section 7.4).
//!
//! Guarantees: the answer is in its cones and never worse than the first; equal input gives equal bits. Not guaranteed: that it gets
//! anywhere, for the sum of squares has minima that are no answers. Cost: up to 2000 pairs of products with `W` and its transpose for a step.

use super::Limits;
use crate::problem::{Block, Local, Measure, Problem, project_on_cone};

/// Width at the start, as a share of what is wrong at a contact on average. From 0.1 to 0.4 the pyramid of 385 balls is solved.
const FIRST_WIDTH: f64 = 0.2;
/// What is left of the width when `F` is below this share of the error.
const NARROWER: f64 = 0.3;
const SMALL: f64 = 0.1;
/// First damping `d`, and its bounds, no unit. Above the largest one steps lead nowhere.
const FIRST_DAMPING: f64 = 1e-2;
const LEAST_DAMPING: f64 = 1e-8;
const MOST_DAMPING: f64 = 0.5;
/// Shares of a step that are tried.
const SHARES: [f64; 2] = [1.0, 0.3];
/// Least gain of a step, as a share of what it promised; above which one it is good, below which one it is bad.
const LEAST_GAIN: f64 = 0.02;
const GOOD_GAIN: f64 = 0.75;
const BAD_GAIN: f64 = 0.25;
/// Steps within which `F` has to fall to this share: others get there sooner, if at all.
const WATCHED_STEPS: u32 = 15;
const WATCHED_SHARE: f64 = 0.75;
/// Conjugate gradients: most iterations of a step, and how often it is looked at whether they still help by a share of what they did so far.
const MAX_GRADIENTS: u32 = 2000;
const LOOK_EVERY: u32 = 50;
const LEAST_HELP: f64 = 0.01;
/// Square of the gradient, over the first one's, that counts as none.
const NO_GRADIENT: f64 = 1e-12;

/// The method, with its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct LeastSquares {
    point: Point,
    trial: Point,
    /// `e`, `d` and `|q|`.
    width: f64,
    damping: f64,
    free: f64,
    /// `|F|²` from which on steps are counted, and how many there were.
    watched: f64,
    waited: u32,
    is_over: bool,
    /// Multiplications so far.
    work: u64,
    /// The least error, and where.
    least: f64,
    best: Vec<f64>,
    /// `dr`.
    step: Vec<f64>,
    /// `F + F' dr` with its sign turned.
    residual: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    turned: Vec<f64>,
    /// The present impulses, drawn into their cones.
    inside: Vec<f64>,
}

/// Impulses, with `F`, `R_e'` and `|F|²` there.
#[derive(Clone, Debug, Default)]
struct Point {
    impulses: Vec<f64>,
    misfit: Vec<f64>,
    slopes: Vec<Block>,
    square: f64,
}

impl Point {
    fn evaluate(&mut self, problem: &Problem, width: f64) {
        self.misfit.clear();
        self.slopes.clear();
        for (k, &mu) in problem.friction().iter().enumerate() {
            let r = local(&self.impulses, k);
            let u = problem.velocity(k, &self.impulses);
            let (answer, slope) = smoothed_mapping(&(r - u), mu, width);
            self.misfit.extend((r - answer).iter());
            self.slopes.push(slope);
        }
        self.square = dot(&self.misfit, &self.misfit);
    }
}

impl LeastSquares {
    /// Goes to impulses whose [`Measure::natural_map`] is `error`, to [`LeastSquares::descend`] from there.
    pub(super) fn begin(&mut self, problem: &Problem, impulses: &[f64], error: f64) {
        let free = dot(problem.free_velocities(), problem.free_velocities()).sqrt();
        self.width = FIRST_WIDTH * error * free / (problem.contact_count() as f64).sqrt();
        self.damping = FIRST_DAMPING;
        self.free = free;
        self.point.impulses.clear();
        self.point.impulses.extend_from_slice(impulses);
        self.best.clone_from(&self.point.impulses);
        self.least = error;
        self.is_over = false;
        self.evaluate_anew(problem);
    }

    /// Lowers the error until it is within the tolerance, the way ends, or all descents since [`LeastSquares::forget`]
    /// took `most` multiplications. Gives the least error; the impulses are [`LeastSquares::best`]. Each step counts as an iteration.
    pub(super) fn descend(&mut self, problem: &Problem, limits: &mut Limits<'_>, most: u64) -> f64 {
        while !self.is_over && self.work < most && self.least > limits.options.tolerance && !limits.is_over()
        {
            limits.steps += 1;
            let promised = self.point.square - self.linear_step(problem, limits);
            match self.advance(problem, promised) {
                Some((share, gain)) => self.judge(problem, share, gain),
                None => self.damping *= 3.0,
            }
            self.is_over |= self.damping > MOST_DAMPING;
        }
        self.least
    }

    /// The impulses with the least error.
    pub(super) fn best(&self) -> &[f64] {
        &self.best
    }

    /// Forgets where it was.
    pub(super) fn forget(&mut self) {
        (self.is_over, self.work) = (true, 0);
        self.least = f64::INFINITY;
    }

    fn evaluate_anew(&mut self, problem: &Problem) {
        self.point.evaluate(problem, self.width);
        (self.watched, self.waited) = (self.point.square, 0);
    }

    /// After a step: keeps what is better, and sets width and damping for the next.
    fn judge(&mut self, problem: &Problem, share: f64, gain: f64) {
        let error = self.error_inside(problem);
        if error < self.least {
            self.least = error;
            self.best.clone_from(&self.inside);
        }
        self.waited += 1;
        if self.point.square.sqrt() < SMALL * error * self.free {
            self.width *= NARROWER;
            self.evaluate_anew(problem);
            return;
        }
        if self.waited == WATCHED_STEPS {
            self.is_over = self.point.square.sqrt() > WATCHED_SHARE * self.watched.sqrt();
            (self.watched, self.waited) = (self.point.square, 0);
        }
        if share < 1.0 {
            self.damping *= 3.0;
        } else if gain < BAD_GAIN {
            self.damping *= 2.0;
        } else if gain > GOOD_GAIN {
            self.damping = (0.3 * self.damping).max(LEAST_DAMPING);
        }
    }

    /// `dr`, and the square `|F + F' dr|²` that it promises.
    fn linear_step(&mut self, problem: &Problem, limits: &Limits<'_>) -> f64 {
        let square = self.damping * self.damping;
        let pair = 2 * 9 * problem.coupling().block_count() as u64;
        self.step.clear();
        self.step.resize(self.point.misfit.len(), 0.0);
        self.residual.clear();
        self.residual.extend(self.point.misfit.iter().map(|f| -f));
        self.find_gradient(problem, square);
        self.direction.clone_from(&self.gradient);
        let begun = dot(&self.gradient, &self.gradient);
        let (mut slope, mut last) = (begun, self.point.square);
        for i in 1..=MAX_GRADIENTS {
            self.work += pair;
            self.find_image(problem);
            let curvature = dot(&self.image, &self.image) + square * dot(&self.direction, &self.direction);
            if slope <= NO_GRADIENT * begun || curvature <= 0.0 {
                break;
            }
            let length = slope / curvature;
            add(&mut self.step, length, &self.direction);
            add(&mut self.residual, -length, &self.image);
            if i.is_multiple_of(LOOK_EVERY) {
                let now = dot(&self.residual, &self.residual) + square * dot(&self.step, &self.step);
                if last - now < LEAST_HELP * (self.point.square - now) || limits.is_late() {
                    break;
                }
                last = now;
            }
            self.find_gradient(problem, square);
            let next = dot(&self.gradient, &self.gradient);
            for (direction, gradient) in self.direction.iter_mut().zip(&self.gradient) {
                *direction = gradient + next / slope * *direction;
            }
            slope = next;
        }
        dot(&self.residual, &self.residual)
    }

    /// `F'ᵀ residual − d² dr`.
    fn find_gradient(&mut self, problem: &Problem, square: f64) {
        self.turned.clear();
        for (k, slope) in self.point.slopes.iter().enumerate() {
            self.turned.extend(slope.tr_mul(&local(&self.residual, k)).iter());
        }
        self.gradient.clone_from(&self.residual);
        add(&mut self.gradient, -1.0, &self.turned);
        add(&mut self.gradient, -square, &self.step);
        problem.coupling().add_transpose_times(&self.turned, &mut self.gradient);
    }

    /// `F' direction`.
    fn find_image(&mut self, problem: &Problem) {
        self.image.clear();
        for (k, slope) in self.point.slopes.iter().enumerate() {
            let d = local(&self.direction, k);
            let moved = problem.coupling().row_times(k, &self.direction);
            self.image.extend((d - slope * (d - moved)).iter());
        }
    }

    /// Takes as much of the step as gains something: gives that, and its gain.
    fn advance(&mut self, problem: &Problem, promised: f64) -> Option<(f64, f64)> {
        for share in SHARES {
            self.trial.impulses.clone_from(&self.point.impulses);
            add(&mut self.trial.impulses, share, &self.step);
            self.trial.evaluate(problem, self.width);
            let gain = (self.point.square - self.trial.square) / (share * promised);
            if self.trial.square < self.point.square && gain > LEAST_GAIN {
                std::mem::swap(&mut self.point, &mut self.trial);
                return Some((share, gain));
            }
        }
        None
    }

    /// The impulses, drawn into their cones, and their error.
    fn error_inside(&mut self, problem: &Problem) -> f64 {
        self.inside.clear();
        for (k, &mu) in problem.friction().iter().enumerate() {
            self.inside.extend(project_on_cone(&local(&self.point.impulses, k), mu).iter());
        }
        Measure::of(problem, &self.inside).natural_map
    }
}

/// `R_e` and its derivative.
fn smoothed_mapping(x: &Local, mu: f64, width: f64) -> (Local, Block) {
    let square = width * width;
    let root = (x.x * x.x + 4.0 * square).sqrt();
    // Where `x_N` is far below zero the sum would cancel.
    let normal = if x.x > 0.0 { 0.5 * (x.x + root) } else { 2.0 * square / (root - x.x) };
    let most = mu * normal;
    let length = (x.y * x.y + x.z * x.z + square).sqrt();
    let apart = ((length - most) * (length - most) + 4.0 * square).sqrt();
    let larger = 0.5 * (length + most + apart);
    let share = most / larger;
    // Derivatives: of the normal part by `x_N`, of the share by `x_N` and by the length.
    let normal_slope = normal / root;
    let by_most = (1.0 - 0.5 * share * (1.0 - (length - most) / apart)) / larger;
    let by_normal = by_most * mu * normal_slope;
    let by_length = -0.5 * share / larger * (1.0 + (length - most) / apart) / length;
    #[rustfmt::skip]
    let derivative = Block::new(
        normal_slope,    0.0,                            0.0,
        x.y * by_normal, share + x.y * x.y * by_length,  x.y * x.z * by_length,
        x.z * by_normal, x.y * x.z * by_length,          share + x.z * x.z * by_length,
    );
    (Local::new(normal, share * x.y, share * x.z), derivative)
}

fn local(vector: &[f64], contact: usize) -> Local {
    Local::from_column_slice(&vector[3 * contact..][..3])
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `a += factor b`.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}

#[cfg(test)]
mod tests {
    use super::super::return_mapping;
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Local> {
        prop::array::uniform3(-2.0f64..2.0).prop_map(Local::from)
    }

    proptest! {
        /// The corners are rounded off within the width, and by no more.
        #[test]
        fn the_smoothed_mapping_is_near_the_return_mapping(
            x in vector(),
            mu in prop_oneof![Just(0.0), 0.0f64..1.5],
            width in 1e-9f64..1e-2,
        ) {
            let apart = smoothed_mapping(&x, mu, width).0 - return_mapping(&x, mu).0;
            prop_assert!(apart.norm() <= 6.0 * width, "{apart}");
        }

        #[test]
        fn its_derivative_is_that_of_small_steps(x in vector(), d in vector(), mu in 0.0f64..1.5) {
            let (small, width) = (1e-7, 1e-2);
            let (r, derivative) = smoothed_mapping(&x, mu, width);
            let moved = (smoothed_mapping(&(x + d * small), mu, width).0 - r) / small;
            prop_assert!((moved - derivative * d).norm() < 1e-3, "{moved} {}", derivative * d);
        }
    }
}
