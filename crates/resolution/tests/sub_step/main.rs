//! The sub-stepping method, driven by hand-made contacts through the public interface: one step at a time, no
//! shapes. What needs detection is tested at the facade (`crates/drystone/tests/sub_step`).
//!
//! | module | shows |
//! |---|---|
//! | `impulses` | promise 6: reported impulses are real; momentum; a collision by hand |
//! | `contact_law` | one manifold: sticking, sliding, twist, direction, bounces |
//! | `loads` | weights through towers, from nothing and from step to step |
//! | `bits` | promise 3: instruction sets, threads, large islands, kinematic bodies, used memory |
//! | `crowds` | more contacts on a body than there are colours |
//! | `surfaces` | surfaces that run over their bodies, rolling friction |
//! | `totality` | promise 1: extreme and broken input |
//! | `motion` | free bodies, locked axes, kinematic bodies, sleepers that are struck |

#[path = "../common/mod.rs"]
mod common;
mod scene;

mod bits;
mod blows;
mod contact_law;
mod crowds;
mod impulses;
mod loads;
mod motion;
mod surfaces;
mod totality;
