//! The algorithms against each other and against differences, on random trees with joints of all kinds.
//!
//! Trusted: positions of links (one product of transforms per link, checked in closed form in `tests/motion`), and energies of single
//! bodies. Everything else is derived from them by differences, or by two algorithms that share no code.

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod differences;
mod round_trips;
