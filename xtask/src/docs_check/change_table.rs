//! The table "I want to change …" leads to the files of the default settings first.
//!
//! A solver or stage that the default settings do not use lies in a folder of its own ([`OTHERS`]). A row may name a file there behind one of the
//! folder that the default settings use in its place, or when its first cell says that the row is about that solver. That paths exist is checked for
//! all documents ([`super::references`]).

use super::Finding;
use super::markdown::{self, Reference};

/// The page with the table, and its heading.
pub(super) const PAGE: &str = "docs/architecture.md";
const HEADING: &str = "## I want to change";

/// What the default settings do not use.
struct Other {
    /// A folder, or a page, from the root.
    place: &'static str,
    /// The folder that the default settings use in its place.
    default: &'static str,
    /// Words by which a first cell says that its row is about this.
    names: &'static [&'static str],
}

const SUB_STEP: &str = "crates/resolution/src/sub_step/";
const OTHERS: [Other; 9] = [
    Other { place: "crates/resolution/src/impulse/", default: SUB_STEP, names: &["paper"] },
    Other { place: "docs/paper-pipeline.md", default: "docs/sub-step.md", names: &["paper"] },
    Other {
        place: "crates/collision/src/broad/hash_grid/",
        default: "crates/collision/src/broad/tree/",
        names: &["paper"],
    },
    Other {
        place: "crates/resolution/src/island/",
        default: SUB_STEP,
        names: &["`nsgs`", "`lcp`", "discrete contact problems"],
    },
    Other { place: "crates/resolution/src/lcp/", default: SUB_STEP, names: &["`lcp`"] },
    Other { place: "crates/resolution/src/nsgs/", default: SUB_STEP, names: &["`nsgs`"] },
    Other { place: "crates/resolution/src/interior/", default: SUB_STEP, names: &["`nsgs`"] },
    Other { place: "crates/resolution/src/proximal/", default: SUB_STEP, names: &["`nsgs`"] },
    Other { place: "crates/convex/", default: SUB_STEP, names: &["`qp_suite`"] },
];

/// Rows of the table in the text of the page that lead nowhere, or past the default.
pub(super) fn faults(text: &str) -> Vec<Finding> {
    let lines = (1..).zip(text.lines());
    let section = lines.skip_while(|(_, line)| !line.starts_with(HEADING)).skip(1);
    let section = section.take_while(|(_, line)| !line.starts_with("## "));
    // Behind the names of the columns and the line below them.
    let rows = section.filter(|(_, line)| line.starts_with('|')).skip(2);
    let mut row_count = 0;
    let mut findings = Vec::new();
    for (line, row) in rows {
        row_count += 1;
        findings.extend(fault(row).map(|message| Finding { file: PAGE.to_owned(), line, message }));
    }
    if row_count == 0 {
        let message = format!("there is no table below \"{HEADING}\"");
        findings.push(Finding { file: PAGE.to_owned(), line: 1, message });
    }
    findings
}

/// What is wrong with a row: what to change, what to open, and what shows it.
fn fault(row: &str) -> Option<String> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
    let [what, open, _] = cells[..] else { return Some(format!("the row has {} cells, not 3", cells.len())) };
    let opened: Vec<String> =
        markdown::references(open).into_iter().filter_map(|(_, reference)| path(reference)).collect();
    if opened.is_empty() {
        return Some("the row names no file to open".to_owned());
    }
    opened.iter().enumerate().find_map(|(k, path)| {
        let other = OTHERS.iter().find(|other| path.starts_with(other.place))?;
        let is_named = other.names.iter().any(|name| what.contains(name));
        let is_behind = opened[..k].iter().any(|before| before.starts_with(other.default));
        (!is_named && !is_behind).then(|| {
            let (default, names) = (other.default, other.names.join(" or "));
            format!("`{path}` comes before any file of the default settings in `{default}`, and the first cell does not say {names}")
        })
    })
}

/// Where a reference of the page leads, from the root.
fn path(reference: Reference) -> Option<String> {
    match reference {
        Reference::Path(path) => Some(path),
        Reference::Link(target) => Some(format!("docs/{target}")),
        Reference::Scene(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::references;
    use super::*;
    use crate::workspace::root;
    use std::path::Path;

    fn found(rows: &str) -> Vec<(usize, String)> {
        let text = format!("# A\n\n{HEADING} …\n\n| a | b | c |\n|---|---|---|\n{rows}\n## B\n| x |\n");
        faults(&text).into_iter().map(|finding| (finding.line, finding.message)).collect()
    }

    const PAPER: &str = "`crates/resolution/src/impulse/row.rs`";
    const DEFAULT: &str = "`crates/resolution/src/sub_step/kernel.rs`";

    #[test]
    fn a_row_that_opens_a_file_of_the_paper_first_is_refused() {
        let refused = found(&format!("| change friction | {PAPER}; then {DEFAULT} | |"));
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].0, 7);
        assert!(refused[0].1.starts_with(PAPER), "{refused:?}");
        assert_eq!(found(&format!("| change friction | {PAPER} | {DEFAULT} |")).len(), 1, "alone as well");
        let shared = "`crates/contact/src/material.rs`";
        assert_eq!(
            found(&format!("| change friction | {shared}, {PAPER} | |")).len(),
            1,
            "behind others too"
        );
        assert_eq!(found("| change the solver | [b](paper-pipeline.md), [a](sub-step.md) | |").len(), 1);
    }

    #[test]
    fn a_row_may_name_it_behind_the_default_or_be_about_it() {
        assert_eq!(found(&format!("| change friction | {DEFAULT}; in the paper's method {PAPER} | |")), []);
        assert_eq!(found(&format!("| change friction of the paper's method | {PAPER} | |")), []);
        assert_eq!(found("| change how `lcp` solves islands | `crates/resolution/src/lcp/mod.rs` | |"), []);
        assert_eq!(found("| change islands | `crates/contact/src/graph/islands.rs` | |"), []);
    }

    #[test]
    fn every_row_opens_something_and_a_table_is_there() {
        assert_eq!(found("| change friction | the solver | |").len(), 1);
        assert_eq!(found("| change friction | `crates/contact/src/material.rs` |").len(), 1);
        assert_eq!(found("").len(), 1);
        assert_eq!(faults("# A\n").len(), 1);
    }

    #[test]
    fn a_row_with_a_file_that_is_not_there_is_refused() {
        let row = "| change friction | `crates/resolution/src/sub_step/rub.rs` | |";
        let of_row = |(_, reference)| references::fault(root(), Path::new(PAGE), &reference);
        let named: Vec<String> = markdown::references(row).into_iter().filter_map(of_row).collect();
        assert_eq!(named, ["there is no `crates/resolution/src/sub_step/rub.rs`"]);
    }

    #[test]
    fn the_folders_are_there() {
        for Other { place, default, .. } in OTHERS {
            assert!(root().join(place).exists(), "{place}");
            assert!(root().join(default).exists(), "{default}");
        }
    }
}
