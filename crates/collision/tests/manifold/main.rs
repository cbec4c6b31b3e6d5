//! Tests of the narrow phase through its public entry point, `narrow::contact`.
//!
//! References, in order of trust: formulas written down here in `f64` (closed forms, distance of a point
//! from a shape), a brute-force separating axis test in `f64`, the same pair seen differently (roles
//! exchanged, both moved, scaled, boxes given as hulls).

mod box_pairs;
mod closed_forms;
mod degenerate;
mod facing;
mod features;
mod frustums;
mod hulls;
mod inside;
mod metamorphic;
mod support;
mod touching;
