//! Linkages: a few bodies that joints hold together, and whether they keep their energy.
//!
//! In: a [`Case`], plain data: bodies, joints, blows, a rate and a preset. Out: its [`Outcome`]: energy against what was put in, forces,
//! distances, and what was lost. Start reading at [`measure`]. The cases are in [`named`] (those that are known by name), [`matrix`]
//! (kinds of joints, thickness, speed, chains, loops) and [`random`] (any linkage, by its seed). `cargo xtask joints-energy` runs all of
//! them and writes `docs/measurements/joints-energy.md`.
//!
//! # What is measured, and against what
//!
//! Energy is kinetic, of gravity and of springs, from poses and velocities in `f64`, not from what the engine says of itself. The
//! potential is zero where each link is as low as its joints let it get ([`Linkage::lowest_potential`]), so that the energy at the start
//! is what can become motion: kinetic energy and the largest drop. What is put in later is the work of motors and blows:
//!
//! - *Blows*: the kinetic energy of the link after the impulse less that before.
//! - *A motor that keeps a speed* of a hinge, a slider, or about the twist of another joint, on a fixed body: the mean force of the step along
//!   the axis times the mean of the rates before and after, which is exact for one coordinate with a constant inertia; at most what follows.
//!   Only in steps in which the axis turns by less than 0.05 rad and, where other joints hold the link, too, the rate changes by less
//!   than a tenth of that speed.
//! - *Otherwise* such a motor gives at most its largest force times the speed that it is to keep: it pulls towards that speed, so that it
//!   gives energy only while the rate is between zero and it.
//! - *Springs* are potential energy, their dampers, friction and limits only take.
//!
//! Where there is gravity, a drop of every link by a thousandth of its length counts as put in at least: places are not held better.
//!
//! With `E` the energy, `W` the work so far and `G` the sum of its positive parts, what is judged is `1 + (E - E₀ - W) / (E₀ + G)`: 1 for what
//! keeps all, and at most [`CEILING`] in every step. The velocities that a step leaves are those of the end of a sub-step of
//! `h` seconds: seen so, the energy of an exact solution has a ripple of `h/2 |F·v|` for every force `F` that has a potential
//! (the first term of the modified energy of semi-implicit Euler: Hairer, Lubich, Wanner, Geometric Numerical Integration, IX.3).
//! `E` is judged after that was taken off, at the start and now.
//!
//! Conventions: SI, world frame, +y up where there is gravity.

mod case;
mod ledger;
mod linkage;
pub mod matrix;
mod measure;
pub mod named;
mod random;
mod rods;

pub use case::{CEILING, Case, Expectation, FORCE_FACTOR, Outcome, RATES};
pub use linkage::{Blow, Built, Hold, Link, Linkage};
pub use measure::measure;
pub use random::random;

use drystone::{ShapeError, WorldError};

/// Why a linkage cannot be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkageError {
    /// Nothing holds a link up, so that no least energy is known.
    #[error(
        "link {body} must hang on a fixed one by joints of a bounded length where there is gravity, got none"
    )]
    Unbounded {
        /// Its place among the links.
        body: usize,
    },
    /// Steps or seconds out of range.
    #[error("{field} must be {expected}, got {value}")]
    OutOfRange {
        /// What.
        field: &'static str,
        /// Its range.
        expected: &'static str,
        /// The value refused.
        value: f64,
    },
    /// Refused by the world.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A link whose shape is refused.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}
