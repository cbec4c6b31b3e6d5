//! What full runs measured, kept so that a run of an hour may be interrupted and gone on with.
//!
//! A folder per state of `crates/` (its tree in git) below the target directory, a file per case and preset. Rows are kept as cases give them: limits
//! are applied when they are read. Only what the engine is decides where rows are looked for; a case whose own code changed is measured anew by
//! naming it.

use super::row::Row;
use crate::shell::Outcome;
use crate::workspace::{Workspace, root};
use std::path::PathBuf;
use std::process::Command;

/// Rows of this state of the engine.
#[derive(Debug)]
pub(super) struct Store(PathBuf);

/// Rows of a case with one preset, and the processor time that they took, s.
pub(super) type Measured = (Vec<Row>, f64);

impl Store {
    /// The store of the engine as it is committed; `None` when `crates/` has changes that are not, or git does not answer.
    ///
    /// # Errors
    /// A workspace that cannot be read.
    pub(super) fn open() -> Outcome<Option<Self>> {
        let changed = git(&["status", "--porcelain", "--", "crates"]);
        let Some((_, tree)) = changed.filter(String::is_empty).zip(git(&["rev-parse", "HEAD:crates"])) else {
            return Ok(None);
        };
        Ok(Some(Self(Workspace::load()?.target_directory.join("validation").join(tree))))
    }

    /// The rows of a case with a preset, where they were measured.
    pub(super) fn read(&self, case: &str, preset: &str) -> Option<Measured> {
        parse(&std::fs::read_to_string(self.file(case, preset)).ok()?)
    }

    /// Keeps the rows of a case with a preset.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn write(&self, case: &str, preset: &str, measured: &Measured) -> Outcome {
        std::fs::create_dir_all(&self.0)?;
        Ok(std::fs::write(self.file(case, preset), text(measured))?)
    }

    fn file(&self, case: &str, preset: &str) -> PathBuf {
        self.0.join(format!("{case}-{preset}.tsv"))
    }
}

/// What git says at the root of the repository, without the end of the line.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").current_dir(root()).args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The processor time, then a line per row; numbers as they are read back to the last bit.
fn text((rows, seconds): &Measured) -> String {
    let line = |row: &Row| {
        let (plot, x) = row.point.unwrap_or(("", 0.0));
        let Row { quantity, reference, ours, error, limit, is_relative, unit, source, .. } = row;
        format!(
            "{quantity}\t{reference}\t{ours}\t{error}\t{limit}\t{is_relative}\t{unit}\t{source}\t{plot}\t{x}"
        )
    };
    let lines: Vec<String> = std::iter::once(seconds.to_string()).chain(rows.iter().map(line)).collect();
    lines.join("\n")
}

/// The opposite of [`text`]; `None` for what it did not write.
fn parse(text: &str) -> Option<Measured> {
    let mut lines = text.lines();
    let seconds = lines.next()?.parse().ok()?;
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [quantity, reference, ours, error, limit, is_relative, unit, source, plot, x] = fields[..] else {
            return None;
        };
        // Names live as long as the run, which reads each file once.
        let kept = |word: &str| -> &'static str { Box::leak(word.to_owned().into_boxed_str()) };
        Some(Row {
            quantity: quantity.to_owned(),
            reference: reference.parse().ok()?,
            ours: ours.parse().ok()?,
            error: error.parse().ok()?,
            limit: limit.parse().ok()?,
            is_relative: is_relative.parse().ok()?,
            unit: kept(unit),
            source: kept(source),
            point: if plot.is_empty() { None } else { Some((kept(plot), x.parse().ok()?)) },
        })
    };
    Some((lines.map(row).collect::<Option<_>>()?, seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let rows = vec![
            Row::relative("speed, left", "m/s", 2.0, 1.0 / 3.0, 0.1).from("B1: v, w").over("v over x", 0.3),
            Row::told("a number", "", f64::NAN),
        ];
        let (back, seconds) = parse(&text(&(rows.clone(), 0.1))).expect("written by us");
        assert_eq!(seconds, 0.1);
        assert_eq!(format!("{back:?}"), format!("{rows:?}"));
        assert!(parse("").is_none() && parse("1\nno row").is_none());
    }
}
