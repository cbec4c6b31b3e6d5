//! Joints: what holds two bodies together, and what of their motion it leaves.
//!
//! In: a [`JointSpec`] (a kind, where it is on both bodies, limits, motor, friction, strength). Out: a [`drystone_contact::Tie`], which
//! is all that solvers know of it, kept in the edge of the contact graph that it is (S3-02, L-L). Knows no solver and no shape. Start
//! reading at [`JointSpec`]; [`Joints`] keeps them by handle.
//!
//! The frame of a joint: its x axis is the axis of a hinge, a slider and a cone, and what a twist turns about. Angles are those of
//! [`drystone_contact::TieCoordinates`].
//!
//! ```
//! use drystone_contact::{Bodies, BodyDesc, ContactGraph};
//! use drystone_joint::{JointSpec, Joints};
//! use drystone_math::inertia::MassProperties;
//! use drystone_math::{Pose, Position, Vector3};
//! let (mut bodies, mut graph, mut joints) = (Bodies::default(), ContactGraph::default(), Joints::default());
//! let ball = MassProperties::sphere(0.1, 1000.0);
//! let mut add = |x: f64| {
//!     let body = bodies.add(&BodyDesc::dynamic(ball, 0.1).at(Pose::at(x, 0.0, 0.0)))?;
//!     graph.add_body(&bodies, bodies.index(body)?);
//!     Ok::<_, drystone_contact::ContactError>(body)
//! };
//! let (a, b) = (add(0.0)?, add(1.0)?);
//! let spec = JointSpec::hinge(a, b).at(Position::new(0.5, 0.0, 0.0)).along(Vector3::y()).limits(-1.0, 1.0);
//! let hinge = joints.add(&spec, &bodies, &mut graph)?;
//! let tie = graph.tie(joints.get(hinge)?.edge()).expect("it has one");
//! assert!((tie.anchors[0] - Vector3::new(0.5, 0.0, 0.0)).norm() < 1e-6);
//! graph.update_groups();
//! assert_eq!(graph.group_of(bodies.index(a)?), graph.group_of(bodies.index(b)?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod joints;
mod kind;
mod motor;
mod spec;

pub use error::JointError;
pub use joints::{Joint, Joints};
pub use kind::{JointAxis, JointKind};
pub use motor::Motor;
pub use spec::{Anchor, JointSpec};
