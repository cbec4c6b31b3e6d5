//! Why a file was refused.

use drystone_resolution::problem::ProblemError;

/// Why a file was refused; the message is one line that names the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FclibError {
    /// It cannot be read.
    #[error("{file}: cannot be read: {reason}")]
    Read {
        /// The file or folder.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// It is not JSON.
    #[error("{file}: not JSON: {reason}")]
    Syntax {
        /// The file.
        file: String,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// A field that the format asks for is missing.
    #[error("{file}: {field} must be {expected}, but is missing")]
    Missing {
        /// The file.
        file: String,
        /// The field.
        field: String,
        /// What it should hold.
        expected: String,
    },
    /// A field holds something else than the format says.
    #[error("{file}: {field} must be {expected}, got {got}")]
    Field {
        /// The file.
        file: String,
        /// The field.
        field: String,
        /// What it should hold.
        expected: String,
        /// What it holds.
        got: String,
    },
    /// The problem contradicts itself.
    #[error("{file}: {source}")]
    Problem {
        /// The file.
        file: String,
        /// How.
        source: ProblemError,
    },
}
