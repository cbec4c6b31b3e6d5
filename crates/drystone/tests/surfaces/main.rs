//! Meshes and height fields under bodies: what rolls and slides does as on a half-space, whatever the triangles are like, and
//! nothing falls through. Trusted reference: the same body on a half-space.

#[path = "../common/mod.rs"]
mod common;

mod catching;
mod grounds;
mod sliding;
