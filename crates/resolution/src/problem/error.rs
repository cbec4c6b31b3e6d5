//! Why a discrete problem was refused.

/// Why a discrete problem was refused. Fields are named as in the module's equations.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A list or matrix does not have the size that the others ask for.
    #[error("{field} must have {expected} entries, got {got}")]
    Size {
        /// Which one.
        field: &'static str,
        /// Its size by the others.
        expected: usize,
        /// Its size.
        got: usize,
    },
    /// A number is infinite or none.
    #[error("{field}[{index}] must be finite, got {value}")]
    NotFinite {
        /// Where.
        field: &'static str,
        /// Which entry.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A coefficient of friction is negative.
    #[error("mu[{contact}] must be at least 0, got {value}")]
    NegativeFriction {
        /// Of which contact.
        contact: usize,
        /// The value.
        value: f64,
    },
    /// A triplet lies outside its matrix.
    #[error("entry {entry} of {field} is at ({row}, {column}), outside of {rows} x {columns}")]
    OutsideMatrix {
        /// Which matrix.
        field: &'static str,
        /// Which of its triplets.
        entry: usize,
        /// Its row.
        row: u32,
        /// Its column.
        column: u32,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// The mass matrix cannot be inverted.
    #[error("M is singular in the block of degree of freedom {dof}")]
    SingularMass {
        /// The first degree of freedom of the block.
        dof: usize,
    },
    /// The mass matrix couples more degrees of freedom than are inverted densely.
    #[error("M couples {got} degrees of freedom with each other, at most {limit} are supported")]
    MassTooLarge {
        /// Coupled degrees of freedom.
        got: usize,
        /// Most that are supported.
        limit: usize,
    },
}

/// `Ok` when a list has the size that others ask for.
pub(super) fn check_size(field: &'static str, expected: usize, got: usize) -> Result<(), ProblemError> {
    if got == expected { Ok(()) } else { Err(ProblemError::Size { field, expected, got }) }
}

/// `Ok` when all numbers are finite.
pub(super) fn check_finite(field: &'static str, values: &[f64]) -> Result<(), ProblemError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(ProblemError::NotFinite { field, index, value: values[index] }),
        None => Ok(()),
    }
}
