//! Motion: closed forms, references of their own, what is conserved, and what motors, limits, friction and loop closures do.

#[path = "../support/mod.rs"]
mod support;

mod balls;
mod closed_form;
mod conservation;
mod drives;
mod everything;
mod halves;
mod loops;
mod reaching;
mod reference;
