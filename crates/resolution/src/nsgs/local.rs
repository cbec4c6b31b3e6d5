//! One contact, exactly: the impulse that obeys Signorini's and Coulomb's laws while all others stay.
//!
//! With the contact's block `W` of the coupling matrix and `b`, what the other impulses and `q` leave, `u = W r + b`. The
//! three ways a contact can be are tried in turn:
//! ```text
//! separating   r = 0                       b_N ≥ 0
//! sticking     r = −W⁻¹ b                  |r_T| ≤ mu r_N
//! sliding      u_N = 0,  u_T = −λ r_T,  |r_T| = mu r_N,  λ > 0
//! ```
//! Eliminating `r_N` from the last one leaves a plane problem with one unknown:
//! ```text
//! (S + λ 1) r_T = −c     S = W_TT − W_TN W_NT / W_NN     c = b_T − W_TN b_N / W_NN
//! r_T = −p / D           p = adj(S) c + λ c              D = det S + λ tr S + λ²
//! h(λ) = |p| − mu D r_N = 0                              D r_N = (W_NT p − D b_N) / W_NN
//! ```
//! `h` is positive at `λ = 0`, where sticking failed, and negative for large `λ`, because then `r_N → −b_N / W_NN > 0`.
//! Its root is found by Newton's method inside of a bracket, which halves where Newton leaves it: to rounding, in a
//! few rounds. Nothing of this asks for a symmetric block; for one that is strongly coupled (large `mu`, long
//! arms) there may be more than one answer, and any of them obeys the law.

use crate::problem::{Block, Local, tangential_norm};
use nalgebra::{Matrix2, Vector2};

/// A contact's block, prepared for being solved many times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalSolver {
    inverse: Block,
    /// Normal entry of the block, 1/kg; not positive where no impulse helps.
    normal: f64,
    /// Normal velocity per tangential impulse, and the other way round.
    w_nt: Vector2<f64>,
    w_tn: Vector2<f64>,
    /// Adjugate of `S`.
    adjugate: Matrix2<f64>,
    trace: f64,
    determinant: f64,
    mu: f64,
}

/// Most rounds of the root finder: a bracket of doubles halves to nothing in some 60, Newton needs 4.
const MAX_ROUNDS: usize = 100;

impl LocalSolver {
    /// Of a contact's block and friction.
    pub(crate) fn new(block: &Block, mu: f64) -> Self {
        let normal = block[(0, 0)];
        let w_nt = Vector2::new(block[(0, 1)], block[(0, 2)]);
        let w_tn = Vector2::new(block[(1, 0)], block[(2, 0)]);
        let tangential = block.fixed_view::<2, 2>(1, 1);
        let schur =
            if normal > 0.0 { tangential - w_tn * w_nt.transpose() / normal } else { tangential.into() };
        Self {
            // Without an inverse it cannot stick; what is no number fails the test for it.
            inverse: block.try_inverse().unwrap_or_else(|| Block::repeat(f64::NAN)),
            normal,
            w_nt,
            w_tn,
            adjugate: Matrix2::new(schur.m22, -schur.m12, -schur.m21, schur.m11),
            trace: schur.trace(),
            determinant: schur.determinant(),
            mu,
        }
    }

    /// The impulse for `b`; `lambda` is where the search for a sliding one begins and ends.
    #[inline]
    pub(crate) fn solve(&self, b: &Local, lambda: &mut f64) -> Local {
        if b.x >= 0.0 || self.normal <= 0.0 {
            return Local::zeros();
        }
        if self.mu == 0.0 {
            return Local::new(-b.x / self.normal, 0.0, 0.0);
        }
        let stuck = -(self.inverse * b);
        if tangential_norm(&stuck) <= self.mu * stuck.x {
            return stuck;
        }
        self.slide(b, lambda)
    }

    fn slide(&self, b: &Local, lambda: &mut f64) -> Local {
        let c = Vector2::new(b.y, b.z) - self.w_tn * (b.x / self.normal);
        let a = self.adjugate * c;
        let share = self.mu / self.normal;
        // Value and slope of h.
        let evaluate = |x: f64| {
            let p = a + c * x;
            let length = p.norm();
            let d = self.determinant + x * (self.trace + x);
            let value = length - share * (self.w_nt.dot(&p) - d * b.x);
            let turn = if length > 0.0 { p.dot(&c) / length } else { 0.0 };
            (value, turn - share * (self.w_nt.dot(&c) - (self.trace + 2.0 * x) * b.x))
        };
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut x = if lambda.is_finite() && *lambda > 0.0 { *lambda } else { self.trace.abs() };
        for _ in 0..MAX_ROUNDS {
            let (value, slope) = evaluate(x);
            if value == 0.0 {
                break;
            }
            if value > 0.0 {
                low = x
            } else {
                high = x
            }
            let newton = x - value / slope;
            let next = if newton > low && newton < high {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * x + f64::MIN_POSITIVE
            };
            let is_done = (next - x).abs() <= 2.0 * f64::EPSILON * x;
            x = next;
            if is_done {
                break;
            }
        }
        *lambda = x;
        let d = self.determinant + x * (self.trace + x);
        let r_t = (a + c * x) / -d;
        let r_n = -(b.x + self.w_nt.dot(&r_t)) / self.normal;
        // On the cone to the last bit: what the root left over is taken from the tangential part.
        let length = r_t.norm();
        let fit = if length > 0.0 { self.mu * r_n.max(0.0) / length } else { 0.0 };
        if r_n.is_finite() && fit.is_finite() {
            Local::new(r_n.max(0.0), fit * r_t.x, fit * r_t.y)
        } else {
            Local::new(-b.x / self.normal, 0.0, 0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::natural_map;
    use proptest::prelude::*;

    /// Blocks of a body that is hit at an arm: symmetric and positive definite, and what a turning frame adds.
    fn block() -> impl Strategy<Value = Block> {
        let entries = prop::array::uniform9(-1.0f64..1.0);
        (entries, 0.05f64..1.0, -0.2f64..0.2).prop_map(|(e, floor, skew)| {
            let a = Block::from_column_slice(&e);
            let mut w = a * a.transpose() + Block::identity() * floor;
            w[(0, 1)] += skew * floor;
            w[(1, 0)] -= skew * floor;
            w
        })
    }

    proptest! {
        /// Whatever the block: the law holds to rounding.
        #[test]
        fn the_law_holds(
            w in block(),
            b in prop::array::uniform3(-3.0f64..3.0),
            mu in prop_oneof![Just(0.0), 0.0f64..1.5],
            begin in 0.0f64..10.0,
        ) {
            let b = Local::from(b);
            let mut lambda = begin;
            let r = LocalSolver::new(&w, mu).solve(&b, &mut lambda);
            let u = w * r + b;
            let error = natural_map(&r, &u, mu).norm();
            let scale = b.norm() * (1.0 + w.norm() * w.try_inverse().map_or(1.0, |i| i.norm()));
            prop_assert!(error <= 1e-12 * scale, "off by {error:e}: r {r:?}, u {u:?}");
        }
    }

    #[test]
    fn a_block_without_an_inverse_gives_numbers() {
        let flat = Block::from_diagonal(&Local::new(1.0, 1.0, 0.0));
        let mut lambda = 0.0;
        let r = LocalSolver::new(&flat, 0.5).solve(&Local::new(-1.0, 2.0, 0.1), &mut lambda);
        assert!(r.iter().all(|x| x.is_finite()) && (tangential_norm(&r) - 0.5 * r.x).abs() < 1e-12);
        let nothing = LocalSolver::new(&Block::zeros(), 0.5).solve(&Local::new(-1.0, 2.0, 0.1), &mut lambda);
        assert_eq!(nothing, Local::zeros());
    }
}
