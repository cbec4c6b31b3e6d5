//! `cargo xtask docs-check`: what the documents name exists.
//!
//! - Every path and link in `README.md`, `CHANGELOG.md`, the documents in `docs/` and the comments of our
//!   sources leads somewhere, and a test or function named behind a path (`file.rs::name`) is in that file.
//! - Scenes that commands name are scenes of the library: a test of `drystone-lab`, which has the engine ([`scenes`]).
//! - Every page in `docs/` is in the table of contents of the book, and its Rust code is run as a test.
//! - The rows of the table "I want to change …" name the files of the default settings first (`change_table`).
//! - Every requirement row cited anywhere is in `docs/requirements-map.md`, once.
//!
//! The parsers are in `markdown.rs` and `rows.rs`; `references.rs` looks at the file system.

mod book;
mod change_table;
mod markdown;
mod references;
mod rows;

use crate::shell::{Failure, Outcome};
use crate::workspace::root;
use markdown::Reference;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The table of requirement rows.
const MAP: &str = "docs/requirements-map.md";

/// Something named that is not there.
#[derive(Debug, PartialEq)]
struct Finding {
    /// File, from the root.
    file: String,
    /// Line, from 1.
    line: usize,
    message: String,
}

/// Scenes that commands in documents and comments name, each with its file (from the root), line, from 1, and name.
///
/// # Errors
/// A file that cannot be read.
pub fn scenes() -> Outcome<Vec<(PathBuf, usize, String)>> {
    let (documents, sources) = files()?;
    let mut named = Vec::new();
    for path in documents.into_iter().chain(sources) {
        let text = std::fs::read_to_string(root().join(&path))?;
        let is_document = path.extension().is_some_and(|e| e == "md");
        let references = if is_document { markdown::references(&text) } else { markdown::in_comments(&text) };
        let scenes = references.into_iter().filter_map(|(line, reference)| match reference {
            Reference::Scene(name) => Some((path.clone(), line, name)),
            Reference::Link(_) | Reference::Path(_) => None,
        });
        named.extend(scenes);
    }
    Ok(named)
}

/// Checks all documents and sources.
///
/// # Errors
/// The number of things named that do not exist; each is printed with its place.
pub fn run() -> Outcome {
    let (documents, sources) = files()?;
    let mut findings = Vec::new();
    let map_text = std::fs::read_to_string(root().join(MAP))
        .map_err(|e| Failure::new(format!("cannot read {MAP}: {e}")))?;
    let mapped = mapped_rows(&map_text, &mut findings);
    let (mut reference_count, mut citation_count) = (0, 0);
    for path in documents.iter().chain(&sources) {
        let text = std::fs::read_to_string(root().join(path))?;
        let name = path.to_string_lossy().replace('\\', "/");
        let is_document = path.extension().is_some_and(|e| e == "md");
        let named = if is_document { markdown::references(&text) } else { markdown::in_comments(&text) };
        reference_count += named.len();
        for (line, reference) in named {
            if let Some(message) = references::fault(root(), path, &reference) {
                findings.push(Finding { file: name.clone(), line, message });
            }
        }
        for (i, text) in text.lines().enumerate() {
            let cited = rows::cited(text);
            citation_count += cited.len();
            for row in cited.iter().filter(|row| !mapped.contains_key(*row)) {
                let message = format!("{row} is cited and not in {MAP}");
                findings.push(Finding { file: name.clone(), line: i + 1, message });
            }
        }
    }
    let text_of = |path: &Path| std::fs::read_to_string(root().join(path)).unwrap_or_default();
    let libraries: String =
        sources.iter().filter(|path| path.ends_with("src/lib.rs")).map(|path| text_of(path)).collect();
    findings.extend(book::faults(&documents, &text_of(Path::new("docs/SUMMARY.md")), &libraries, text_of));
    findings.extend(change_table::faults(&text_of(Path::new(change_table::PAGE))));
    for finding in &findings {
        println!("{}:{}: {}", finding.file, finding.line, finding.message);
    }
    if findings.is_empty() {
        println!(
            "docs-check: {reference_count} paths and links, {citation_count} citations of {} rows, {} files",
            mapped.len(),
            documents.len() + sources.len(),
        );
        Ok(())
    } else {
        Err(Failure::new(format!("{} faults", findings.len())))
    }
}

/// The rows of the map with the line each is on.
fn mapped_rows(text: &str, findings: &mut Vec<Finding>) -> BTreeMap<rows::Row, usize> {
    let mut mapped = BTreeMap::new();
    for (line, row) in rows::table_rows(text) {
        if let Some(first) = mapped.insert(row, line) {
            let message = format!("{row} has a line already ({first})");
            findings.push(Finding { file: MAP.to_owned(), line, message });
        }
    }
    mapped
}

/// Documents and sources, from the root, sorted.
fn files() -> Outcome<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut documents, mut sources) = (Vec::new(), Vec::new());
    for name in ["README.md", "CHANGELOG.md"] {
        if root().join(name).is_file() {
            documents.push(name.into());
        }
    }
    let mut open: Vec<PathBuf> =
        ["benches", "bindings", "crates", "docs", "examples", "fuzz", "testbed", "xtask"]
            .map(PathBuf::from)
            .into();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root().join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let extension = |e: &str| path.extension().is_some_and(|found| found == e);
            if entry.file_type()?.is_dir() {
                if !is_output(&path) {
                    open.push(path);
                }
            } else if extension("md") {
                documents.push(path);
            } else if extension("rs") || extension("js") {
                sources.push(path);
            }
        }
    }
    documents.sort();
    sources.sort();
    Ok((documents, sources))
}

/// Folders that hold what was built or dropped.
fn is_output(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name == "target" || name == "out" || name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_may_stand_in_the_map_once() {
        let mut findings = Vec::new();
        let text = "| row |\n|---|\n| S1-01 | a |\n| S1-02 | b |\n| S1-01 | c |\n";
        assert_eq!(mapped_rows(text, &mut findings).len(), 2);
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].line, findings[0].message.as_str()), (5, "S1-01 has a line already (3)"));
    }
}
