#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Penetration correction: moves overlapping bodies apart without touching a velocity.
//!
//! In: poses, last translations and the step's contacts. Out: new poses, updated contact arms and
//! distances, displaced sleepers woken, and a report. Knows nothing of shapes, resolution, the rules of
//! sleep or the facade. Start reading at [`Corrector::correct`]; then `batch.rs` (one contact after
//! another), `approach.rs` (how a correction may begin), `search.rs` (who else must move).
//!
//! Method: Schornbaum 2010 section 2, rows S1-05 to S1-25 of `docs/requirements-map.md`: each contact
//! deeper than a threshold is corrected by moving one of its bodies, along the normal or back along the way
//! it came, together with everything that this body would otherwise be pushed into; out of up to four such
//! approaches, the one that moves the fewest bodies is taken. Departures: contacts are taken deepest first
//! (S1-18 leaves the order open); displacements of one search are kept as parts of the initial one; the
//! graph is written once, after all corrections; what no approach can solve is loosened
//! ([`CorrectionConfig::relax_share`], [`CorrectionConfig::relax_rounds`]); and [`rotate`], a switch that is off by default.
//!
//! Invariants: no velocity and no last translation is written; what is fixed, kinematic or in quarantine
//! never moves; each contact is corrected at most once per step, but for loosening; but for loosening, no contact that was detected becomes
//! deeper than the slack, or deeper than it was (loosening presses together what lies beside, and leaves that for later rounds and steps); equal input gives
//! equal bits at any thread count.
//! Conventions: SI, world frame; unit normal from body A to B (S1's point from B to A: equations are
//! restated in our signs where they are used); `distance` negative when overlapping. The threshold is
//! positive here, a depth.
//!
//! Two balls of radius 0.5 m overlap by 0.1 m; one of them is moved until the slack is left:

mod approach;
mod batch;
mod config;
mod corrector;
mod pile;
mod report;
pub mod rotate;
mod scan;
mod search;
mod update;

pub use config::{CorrectionConfig, CorrectionError};
pub use corrector::Corrector;
pub use report::CorrectionReport;
