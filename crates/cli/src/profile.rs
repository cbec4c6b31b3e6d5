//! `--profile FILE`: what ran when, on which thread.

use crate::failure::Failure;
use crate::lists::tell;
use crate::target::Target;
use drystone::Recording;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Most spans kept of a thread: more than trace viewers show with ease.
const MAX_SPANS: usize = 1 << 20;
/// Most spans kept of all threads, of 72 bytes each.
const MAX_SPANS_IN_ALL: usize = 1 << 23;

/// A file that can be written.
pub(crate) struct Profile(Target);

impl Profile {
    /// Of a run of a scene, which may be a file.
    pub(crate) fn new(path: &Path, scene: &Path) -> Result<Self, Failure> {
        Target::new("--profile", path, scene).map(Self)
    }

    /// Room for spans, by the number of threads.
    pub(crate) fn spans_per_thread(threads: usize) -> usize {
        (MAX_SPANS_IN_ALL / threads.max(1)).min(MAX_SPANS)
    }

    /// Writes the recording, and tells on stderr what it lacks.
    pub(crate) fn write(&self, recording: &Recording, scene: &str) -> Result<(), Failure> {
        let write = || {
            let mut out = BufWriter::new(File::create(self.0.path())?);
            recording.write_chrome_trace(&format!("drystone {scene}"), &mut out)?;
            out.flush()
        };
        let path = self.0.path().display();
        write().map_err(|error| Failure::work(format!("cannot write {path}: {error}")))?;
        let dropped = recording.dropped();
        if dropped > 0 {
            tell(&format!(
                "{path} lacks {dropped} spans for which there was no room; record a shorter run (--seconds)"
            ));
        }
        Ok(())
    }
}
