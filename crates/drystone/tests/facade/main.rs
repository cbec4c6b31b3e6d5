//! The facade as its users see it: worlds are built, stepped and read through [`drystone`] alone. One file
//! per promise; each says which rows of the requirements it shows and which reference it trusts.

#[path = "../common/mod.rs"]
mod common;

mod cost;
mod determinism;
mod driven;
mod energy;
mod events;
mod fast;
mod physics;
mod recording;
mod reports;
mod settings;
mod standing;
mod switches;
mod totality;
mod waking;
