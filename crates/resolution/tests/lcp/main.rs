//! The complementarity solver.
//!
//! Which reference is trusted where: Lemke's algorithm against all complementary bases one by one ([`lemke`]); the frictionless
//! law against collisions by hand ([`frictionless`]); the pyramid against its definition and the cone against `Measure`
//! ([`friction`]); steps against Newton's and Coulomb's laws ([`steps`]).

#[path = "../common/mod.rs"]
mod common;
mod friction;
mod frictionless;
mod lemke;
#[path = "../sub_step/scene.rs"]
#[allow(dead_code, reason = "shared with the tests of another method, each uses its own part")]
mod scene;
mod steps;
