//! Why a request was refused.

use crate::MAX_THREADS;

/// Why threads or a partition were refused; nothing was started or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// The number of threads is out of range.
    #[error("thread count must be 1 to {MAX_THREADS}, got {0}")]
    ThreadCount(usize),
    /// More than one thread was asked of a build without the feature `parallel`.
    #[error("thread count must be 1 because drystone-exec was built without its feature `parallel`, got {0}")]
    NotParallel(usize),
    /// The operating system refused to start a thread.
    #[error("{count} worker threads could not be started: {reason}")]
    Spawn {
        /// How many were asked for.
        count: usize,
        /// What the operating system said.
        reason: String,
    },
    /// Offsets of segments decrease.
    #[error("segment offsets must not decrease, got {after} after {before} at index {index}")]
    OffsetsDecrease {
        /// Where in the offsets the smaller one stands.
        index: usize,
        /// The offset before it.
        before: u32,
        /// The offset itself.
        after: u32,
    },
    /// The last segment reaches past the end of the slice.
    #[error("segment offsets must be at most the slice's length {len}, got {last}")]
    OffsetsPastEnd {
        /// The last offset.
        last: u32,
        /// Length of the slice.
        len: usize,
    },
}
