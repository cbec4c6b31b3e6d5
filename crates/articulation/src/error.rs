//! What is wrong with what was asked.

/// Why a request was refused; nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArticulationError {
    /// A number is out of range.
    #[error("{field} must be {expected}, got {value}")]
    OutOfRange {
        /// The field, as spelled in its struct.
        field: &'static str,
        /// Its valid range, in words.
        expected: &'static str,
        /// The value refused.
        value: f64,
    },
    /// Something in the description of a link is wrong.
    #[error("link {link}: {source}")]
    Link {
        /// The index that the link was to have.
        link: usize,
        /// What is wrong.
        source: Box<ArticulationError>,
    },
    /// A slice has the wrong length.
    #[error("{field} must have {expected} entries, got {got}")]
    Length {
        /// Which slice.
        field: &'static str,
        /// How many it should have.
        expected: usize,
        /// How many it has.
        got: usize,
    },
    /// No such link.
    #[error("link {index} does not exist: the model has links 0 up to but not including {count}")]
    UnknownLink {
        /// The index asked for.
        index: usize,
        /// How many links there are.
        count: usize,
    },
    /// No such degree of freedom.
    #[error("degree of freedom {index} does not exist: there are {count}, counted from 0")]
    UnknownDof {
        /// The index asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The springs of the three axes of a quaternion differ: such a pull has no energy, and a link could be turned round and round by it.
    #[error(
        "motor.stiffness of the three turns of a {joint} joint must be the same (set them together), got {first} and {other}"
    )]
    UnequalStiffness {
        /// The joint's kind.
        joint: &'static str,
        /// Stiffness about the first axis, N m/rad.
        first: f64,
        /// A stiffness that differs.
        other: f64,
    },
    /// A joint has not the degrees of freedom that a setting needs.
    #[error("{setting} needs {expected}, got a {joint} joint")]
    WrongJoint {
        /// The setting.
        setting: &'static str,
        /// Which joints can have it.
        expected: &'static str,
        /// The joint's kind.
        joint: &'static str,
    },
    /// A ball joint has motors both along its coordinates and about the link's axes.
    #[error("a spherical joint has motors along its coordinates or about its link's axes, got both")]
    TwoMotors,
    /// A degree of freedom moves nothing that has inertia.
    #[error(
        "degree of freedom {dof} moves nothing: the inertia it feels must be above {threshold} (kg or kg m²), \
         got {value}; give a link below it a mass, or the joint an armature"
    )]
    NoInertia {
        /// The degree of freedom.
        dof: usize,
        /// The inertia it feels with all others free, kg or kg m².
        value: f64,
        /// The least that is taken.
        threshold: f64,
    },
    /// A model without links.
    #[error("a model must have at least one link, got 0")]
    Empty,
    /// A loop closure that joins a link to itself, or the world to the world.
    #[error("a loop closure must join two different links or a link and the world, got {0} twice")]
    SameLink(String),
    /// Something that is for between the halves of a step was asked for outside of them.
    #[error("this needs a step that has been predicted and not finished: call `predict` first")]
    NotPredicted,
    /// The motion left the range of numbers within a step; the state is that before the step. Forces or velocities are too large.
    #[error("the state after {dt} s must be finite, got {value} at degree of freedom {dof}")]
    NotFinite {
        /// The step, s.
        dt: f64,
        /// The first degree of freedom that is not finite.
        dof: usize,
        /// Its value.
        value: f64,
    },
}

/// `value` when it is finite and passes `test`.
pub(crate) fn in_range(
    field: &'static str,
    expected: &'static str,
    value: f64,
    test: impl Fn(f64) -> bool,
) -> Result<f64, ArticulationError> {
    if value.is_finite() && test(value) {
        return Ok(value);
    }
    Err(ArticulationError::OutOfRange { field, expected, value })
}

/// Passes when all values are finite.
pub(crate) fn all_finite(field: &'static str, values: &[f64]) -> Result<(), ArticulationError> {
    values.iter().try_for_each(|&value| in_range(field, "finite", value, |_| true).map(drop))
}

/// Passes when there are `expected` entries.
pub(crate) fn length(field: &'static str, values: &[f64], expected: usize) -> Result<(), ArticulationError> {
    if values.len() == expected {
        return Ok(());
    }
    Err(ArticulationError::Length { field, expected, got: values.len() })
}
