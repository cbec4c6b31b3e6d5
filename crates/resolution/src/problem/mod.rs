//! Discrete contact problems: what a step asks of the contacts of one island, in `f64`, and how good an answer is.
//!
//! In: contacts with their coupling `W`, free velocities `q` and friction coefficients `mu`, from a step of
//! the engine or from a file. Out: one impulse per contact, with a figure that says how far
//! it is from the law. Knows no shape and no file format. Start reading at [`Problem`] and [`ProblemSolver`].
//!
//! Contact `k` has an impulse `r_k = (r_N, r_T1, r_T2)` (N·s) and a velocity `u_k` (m/s) in its own frame, **normal
//! first**, with `u_N` positive when separating and `r_N` positive when pushing:
//! ```text
//! M v = H r + f     u = Hᵀ v + w                                     (global form: bodies)
//! u = W r + q       W = Hᵀ M⁻¹ H     q = w + Hᵀ M⁻¹ f                (local form: contacts)
//! r_N ≥ 0    u_N ≥ 0    r_N u_N = 0                                  (Signorini)
//! |r_T| ≤ mu r_N    and    r_T = −mu r_N u_T / |u_T| where u_T ≠ 0    (Coulomb)
//! ```
//! or, with the cone `K = { |r_T| ≤ mu r_N }` and its dual `K*`: `K* ∋ u + mu |u_T| e_N ⊥ r ∈ K`. Restitution
//! and gaps are in `w`, and so in `q`. Source: De Saxcé and Feng; Acary, Bremond, Huber, "On solving contact problems
//! with Coulomb friction: formulations and numerical comparisons", INRIA RR-9118 (2018).
//!
//! Invariants: a [`Problem`] that exists has fitting sizes, finite numbers and `mu ≥ 0`; `W` is used as it was given, symmetric or not; an
//! [`Outcome`] is [`Status::Solved`] only when [`Measure`] says so.

mod blocks;
mod cone;
mod error;
mod global;
mod measure;
mod solve;
mod solvers;
mod statement;

pub use blocks::BlockRows;
pub use cone::project_on_cone;
pub(crate) use cone::tangential_norm;
pub use error::ProblemError;
pub use global::{GlobalForm, Triplets};
pub use measure::Measure;
pub(crate) use measure::natural_map;
pub use solve::{Outcome, ProblemSolver, Solution, SolveOptions, Status};
pub use solvers::all_solvers;
pub use statement::Problem;

/// What couples two contacts, 1/kg: the velocity (m/s) of one per impulse (N·s) at the other, in their frames.
pub type Block = nalgebra::Matrix3<f64>;
/// A vector in the frame of a contact: normal, then two tangents.
pub type Local = nalgebra::Vector3<f64>;
