//! Why a recording could not be made or read.

use std::path::PathBuf;

/// Why a recording could not be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file starts like something else.
    #[error("not a recording: expected it to start with {expected:?}, found {found:?}")]
    NotARecording {
        /// The first bytes of every recording.
        expected: String,
        /// The first bytes found.
        found: String,
    },
    /// The file has another version of the format.
    #[error("recording format version {found}, this program reads version {expected}")]
    Version {
        /// The version this program reads and writes.
        expected: u32,
        /// The version found.
        found: u32,
    },
    /// The file ends too early.
    #[error("recording is cut off in {block}: expected {expected} more bytes, found {found}")]
    Truncated {
        /// The part of the file.
        block: &'static str,
        /// Bytes needed.
        expected: usize,
        /// Bytes left.
        found: usize,
    },
    /// A part of the file holds something impossible.
    #[error("recording is damaged in {block}: {reason}")]
    Corrupt {
        /// The part of the file.
        block: &'static str,
        /// What was expected and found.
        reason: String,
    },
    /// A value is out of its range.
    #[error("{what} must be {expected}, found {found}")]
    Invalid {
        /// The value.
        what: String,
        /// Its range, in words.
        expected: &'static str,
        /// The value found.
        found: String,
    },
    /// A list has the wrong length.
    #[error("expected {expected} {what} in every frame, found {found}")]
    Count {
        /// What the list holds.
        what: &'static str,
        /// The length promised at the start.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// The frame does not exist.
    #[error("frame {frame} does not exist: the recording has {frame_count} frames, counted from 0")]
    NoSuchFrame {
        /// The frame asked for.
        frame: usize,
        /// Number of frames.
        frame_count: usize,
    },
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
