//! Files that options name.

use crate::failure::Failure;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// A file that can be written.
pub(crate) struct Target(PathBuf);

impl Target {
    /// Tries to write the file that an option names, so that no work is lost to a mistyped name, and leaves everything as it was. `input`, which is
    /// read, is nothing to write over.
    pub(crate) fn new(option: &str, path: &Path, input: &Path) -> Result<Self, Failure> {
        let refuse =
            |reason: String| Failure::input(format!("cannot write to {option} {}: {reason}", path.display()));
        let is_new = !path.exists();
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.map_err(|error| refuse(error.to_string()))?;
        if is_new {
            // Of a link that leads nowhere it is not the link that is new.
            let removed = path.canonicalize().and_then(std::fs::remove_file);
            removed.map_err(|error| refuse(error.to_string()))?;
        } else if is_same(path, input) {
            return Err(refuse("it is the file that is read; name another one".into()));
        }
        Ok(Self(path.to_owned()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the whole file.
    pub(crate) fn write(&self, content: &str) -> Result<(), Failure> {
        std::fs::write(&self.0, content)
            .map_err(|error| Failure::work(format!("cannot write {}: {error}", self.0.display())))
    }
}

/// Whether both paths lead to one file.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
