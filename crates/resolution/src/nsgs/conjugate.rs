//! Nonlinear conjugate gradients along the history of sweeps.
//!
//! A double sweep is a map `r → G(r)` whose fixed point is wanted; what it changes, `G(r) − r`, takes the place of the negative gradient:
//! ```text
//! p ← β p + (G(r) − r)      r ← G(r) + β p      β = |G(r) − r|² / |the last change|²
//! ```
//! with a fresh start where `β > 1`. Source: Silcowitz-Hansen, Niebe, Erleben, "A nonsmooth nonlinear conjugate gradient method for interactive
//! contact force problems", Vis. Comput. 26 (2010) 893. The new `r` may lie outside of its cones, which the next sweep repairs: what is
//! handed out is always the end of a sweep. Sweeps go to and fro, because that map is symmetric, as conjugate gradients need it.

/// Direction and size of the last change; the memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConjugateGradients {
    direction: Vec<f64>,
    last_square: f64,
}

impl ConjugateGradients {
    /// Begins with vectors of so many entries.
    pub(crate) fn begin(&mut self, size: usize) {
        self.direction.clear();
        self.direction.resize(size, 0.0);
        self.restart();
    }

    /// Forgets the direction.
    pub(crate) fn restart(&mut self) {
        self.last_square = f64::INFINITY;
    }

    /// From an iterate and what a double sweep made of it (`swept`), the next iterate, in its place.
    pub(crate) fn next(&mut self, iterate: &[f64], swept: &mut [f64]) {
        let square = swept.iter().zip(iterate).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let share = square / self.last_square;
        // Not a number where nothing changes any more, and nothing is known the first time.
        let share = if share <= 1.0 && self.last_square.is_finite() { share } else { 0.0 };
        for ((direction, before), next) in self.direction.iter_mut().zip(iterate).zip(swept) {
            let change = *next - before;
            *next += share * *direction;
            *direction = share * *direction + change;
        }
        self.last_square = square;
    }
}
