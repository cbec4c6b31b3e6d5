//! What all passes over contacts and joints share: which way they go, and what they push.

use drystone_contact::{Bodies, BodyIndex};

/// One way of a sweep through all contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    There,
    /// Back, with another sweep to follow.
    Between,
    Back,
    /// The last one of a step: it notes the residual.
    LastBack,
}

impl Way {
    /// Whether impulses are final at its end, for their totals.
    pub(crate) fn ends(self) -> bool {
        matches!(self, Self::Back | Self::LastBack)
    }
}

/// True when impulses change the body in this step.
#[inline]
pub(crate) fn is_pushed(bodies: &Bodies, body: BodyIndex) -> bool {
    bodies.hot(body).inverse_mass > 0.0 && bodies.is_awake(body)
}
