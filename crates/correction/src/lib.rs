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
//! graph is written once, after all corrections; and [`rotate`], a switch that is off by default.
//!
//! Invariants: no velocity and no last translation is written; what is fixed, scripted or in quarantine
//! never moves; each contact is corrected at most once per step; no contact that was detected becomes
//! deeper than the slack, or deeper than it was; equal input gives equal bits at any thread count.
//! Conventions: SI, world frame; unit normal from body A to B (S1's point from B to A: equations are
//! restated in our signs where they are used); `distance` negative when overlapping. The threshold is
//! positive here, a depth.
//!
//! Two balls of radius 0.5 m overlap by 0.1 m; one of them is moved until the slack is left:
//! ```
//! use drystone_contact::*;
//! use drystone_correction::{CorrectionConfig, Corrector};
//! use drystone_exec::Exec;
//! use drystone_math::{Pose, Vector3, inertia::MassProperties};
//!
//! // Bodies, and the contact that some detection has found.
//! let (mut bodies, mut graph) = (Bodies::default(), ContactGraph::default());
//! let mut ends = [BodyIndex::IMMOVABLE; 2];
//! for (end, x) in ends.iter_mut().zip([0.0, 0.9]) {
//!     let ball = BodyDesc::dynamic(MassProperties::sphere(0.5, 1000.0), 0.5).at(Pose::at(x, 0.0, 0.0));
//!     let handle = bodies.add(&ball)?;
//!     *end = bodies.index(handle)?;
//!     graph.add_body(&bodies, *end);
//! }
//! let colliders = [0, 1].map(|index| ColliderHandle { index, generation: 1 });
//! let edge = graph.add_edge(colliders, &bodies, ends, PairMaterial::default())?;
//! let mut manifold = Manifold::new(ends[0], ends[1], PairMaterial::default());
//! manifold.normal = Vector3::x();
//! let arm = Vector3::new(0.45, 0.0, 0.0);
//! manifold.push(ContactPoint { arm_a: arm, arm_b: -arm, distance: -0.1, ..Default::default() });
//! graph.set_manifold(&bodies, edge, &manifold);
//! graph.update_groups();
//! let mut batches = Batches::default();
//! batches.rebuild(&bodies, &graph, Batches::DEFAULT_SMALL_CUT);
//!
//! // 60 steps a second: the threshold is 10 g dt² = 27 mm, of which half is left.
//! let step = StepParams {
//!     dt: 1.0 / 60.0,
//!     acceleration: Vector3::new(0.0, -9.81, 0.0),
//!     force: Vector3::zeros(),
//!     reference_acceleration: 9.81,
//!     index: 0,
//! };
//! let (config, exec) = (CorrectionConfig::default(), Exec::serial());
//! let report = Corrector::new().correct(&config, &mut bodies, &mut graph, &batches, &step, &exec);
//!
//! let left = config.remaining_fraction * config.penetration_threshold * step.length_unit();
//! let gap = bodies.center_pose(ends[1]).translation.x - bodies.center_pose(ends[0]).translation.x - 1.0;
//! assert!((gap + f64::from(left)).abs() < 1e-6, "gap {gap} m");
//! assert!((graph.edge(edge).manifold.points()[0].distance + left).abs() < 1e-6);
//! assert_eq!((report.corrected_count, report.displaced_count), (1, 1));
//! # Ok::<(), ContactError>(())
//! ```

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
