//! Why joint constraints do not make an articulation.

use drystone_articulation::ArticulationError;
use drystone_contact::BodyHandle;

/// Why joint constraints were refused as an articulation, or a change of one; nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReducedError {
    /// No joints.
    #[error("an articulation needs at least one joint, got none")]
    Empty,
    /// A joint is named twice.
    #[error("each joint of an articulation is named once, got joint number {0} twice")]
    Twice(usize),
    /// An edge that is no joint.
    #[error("joint number {0} is not in the contact graph")]
    Unknown(usize),
    /// A joint is not of a kind that a tree can have.
    #[error(
        "joint number {joint} cannot be in an articulation: {what}; hinges, sliders and balls with limits, motors and friction, \
         and fixed joints can"
    )]
    Kind {
        /// Which joint, in the order given.
        joint: usize,
        /// What is in the way.
        what: &'static str,
    },
    /// The two frames of a joint are apart.
    #[error(
        "the bodies of joint number {joint} must be within {most} m and rad of where it has them, got {off}; bring them together first"
    )]
    Apart {
        /// Which joint, in the order given.
        joint: usize,
        /// What they are off, m or rad.
        off: f64,
        /// What is taken.
        most: f64,
    },
    /// A body cannot be a link.
    #[error("body {body:?} cannot be a link of an articulation: {what}")]
    Body {
        /// The body.
        body: Option<BodyHandle>,
        /// What is in the way.
        what: &'static str,
    },
    /// The joints do not hang together.
    #[error("the joints of an articulation must hang together, got body {0:?} that none of them reaches")]
    Apiece(Option<BodyHandle>),
    /// All slots are in use.
    #[error("the number of articulations exceeds 2^32 - 2")]
    Full,
    /// Refused by the articulation.
    #[error("articulation: {0}")]
    Articulation(#[from] ArticulationError),
}
