#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Contact resolution: what makes bodies in contact stop, bounce, slide and stick.
//!
//! One trait, [`Solver`], many methods behind it. Implementations take bodies and a contact graph, never a
//! shape (S1-02), so anyone's collision detection can feed them.
//!
//! | module | source | method |
//! |---|---|---|
//! | [`impulse`] | S1 | highest-closing-speed impulses with friction, then shock propagation |
//! | [`sub_step`] | current practice, improved | sub-stepped contacts, manifolds solved jointly, eight lanes |
//! | [`Escalation`] | S3 | a fast method, and a joint solve for the islands it leaves unsolved |
//! | [`island`] with [`lcp`] | S5, S3 | each island as linear complementarity problems: Lemke's algorithm, or accelerated sweeps |
//! | [`island`] with [`nsgs`], [`interior`] and [`proximal`] | beyond the papers | each island a discrete problem ([`problem`]), exact Signorini and Coulomb |
//!
//! Conventions (`docs/architecture.md`): SI, world frame; normal from A to B; an impulse `j` acts as `+j` on
//! B and `-j` on A. S1's normals point from B to A; module docs restate its equations in our signs.
//! Invariants: what cannot move is never written; equal input gives equal bits at any thread count; running
//! into an iteration limit is said in the report.

pub mod articulated;
mod bounce;
mod energy;
mod error;
mod factor;
mod free;
mod hybrid;
pub mod impulse;
mod integrate;
pub mod interior;
pub mod island;
pub mod lcp;
pub mod nsgs;
pub mod problem;
pub mod proximal;
mod solver;
mod step_ties;
mod strike;
pub mod sub_step;
mod sweep;
mod ties;
mod vector;

pub use articulated::{Articulations, Reduced, ReducedError};
pub use error::ResolutionError;
pub use hybrid::NsgsThenInterior;
pub use impulse::{ImpulseConfig, ImpulseSolver};
pub use integrate::{apply_forces, move_bodies};
pub use interior::InteriorPoint;
pub use island::{Escalation, EscalationConfig, IslandSolver, IslandSolverConfig};
pub use lcp::{LcpConfig, LcpSolver};
pub use nsgs::{Nsgs, NsgsConfig};
pub use proximal::ProximalNewton;
pub use solver::{Solver, SolverReport};
pub use sub_step::{SubStepConfig, SubStepSolver};
pub use ties::spring_loss;
