//! Solids against surfaces of triangles. Oracles: the half-space where the ground is flat, the box where the mesh is one's
//! surface, a search over all triangles for balls.

mod boxes;
mod flat;
mod hills;
mod queries;
mod support;
mod thin;
