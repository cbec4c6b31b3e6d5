//! `cargo xtask layers`: the dependencies between our crates are those of `docs/architecture.md`, no more.
//!
//! The document holds one fenced block:
//! ````text
//! ```layers
//! math ->
//! collision -> math exec
//! drystone -dev-> scenes
//! ```
//! ````
//! Names are those of packages without the prefix `drystone-`. A crate may depend only on what is listed
//! after its arrow and stands above its line, so the table cannot hold a circle. What only tests and benches
//! use may be anything that a crate reaches over its arrows, and what a `-dev->` line adds.

use crate::shell::{Failure, Outcome};
use crate::workspace::{Package, Workspace, root, short};
use std::collections::{BTreeMap, BTreeSet};

/// The document with the table.
const DOCUMENT: &str = "docs/architecture.md";

/// What each crate may depend on.
#[derive(Debug, Default)]
struct Table {
    allowed: BTreeMap<String, BTreeSet<String>>,
    /// For tests and benches alone.
    dev: BTreeMap<String, BTreeSet<String>>,
}

/// What a comparison found.
#[derive(Debug, Default, PartialEq)]
struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

/// Compares the table with the workspace.
///
/// # Errors
/// Every edge and crate that the table does not list.
pub(crate) fn run() -> Outcome {
    let document = std::fs::read_to_string(root().join(DOCUMENT))
        .map_err(|e| Failure::new(format!("cannot read {DOCUMENT}: {e}")))?;
    let table = Table::parse(&document).map_err(|e| Failure::new(format!("{DOCUMENT}: {e}")))?;
    let workspace = Workspace::load()?;
    let findings = table.compare(&workspace.packages);
    findings.warnings.iter().for_each(|w| println!("warning: {w}"));
    findings.errors.iter().for_each(|e| println!("error: {e}"));
    if findings.errors.is_empty() {
        let count: usize = workspace.packages.iter().map(|p| p.internal.len()).sum();
        println!(
            "layers: {} packages, {count} dependencies between them, all listed",
            workspace.packages.len()
        );
        Ok(())
    } else {
        Err(Failure::new(format!("{} departures from the table in {DOCUMENT}", findings.errors.len())))
    }
}

impl Table {
    /// Reads the one `layers` block of a document.
    fn parse(document: &str) -> Result<Self, String> {
        let mut blocks = document.split("\n```layers\n").skip(1);
        let block = blocks.next().ok_or("there is no fenced block `layers`")?;
        if blocks.next().is_some() {
            return Err("there is more than one fenced block `layers`".into());
        }
        let (block, _) = block.split_once("\n```").ok_or("the fenced block `layers` does not end")?;
        let mut table = Self::default();
        for line in block.lines().map(str::trim).filter(|line| !line.is_empty()) {
            table.take_line(line)?;
        }
        Ok(table)
    }

    fn take_line(&mut self, line: &str) -> Result<(), String> {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>();
        if let Some((name, rest)) = line.split_once("-dev->") {
            let known = |n: &str| self.allowed.contains_key(n);
            let name = name.trim();
            if let Some(unknown) = std::iter::once(name).chain(rest.split_whitespace()).find(|n| !known(n)) {
                return Err(format!("`{unknown}` in the line `{line}` has no line of its own above"));
            }
            self.dev.entry(name.to_owned()).or_default().extend(names(rest));
            return Ok(());
        }
        let (name, rest) = line.split_once("->").ok_or_else(|| format!("the line `{line}` has no arrow"))?;
        let below = names(rest);
        if let Some(unknown) = below.iter().find(|n| !self.allowed.contains_key(*n)) {
            return Err(format!(
                "`{unknown}` in the line `{line}` does not stand above it: edges point down only"
            ));
        }
        match self.allowed.insert(name.trim().to_owned(), below) {
            None => Ok(()),
            Some(_) => Err(format!("`{}` has two lines", name.trim())),
        }
    }

    fn compare(&self, packages: &[Package]) -> Findings {
        let mut findings = Findings::default();
        for package in packages {
            let name = package.short_name();
            let Some(allowed) = self.allowed.get(name) else {
                findings.errors.push(format!("`{name}` has no line in the table"));
                continue;
            };
            for (target, is_dev) in &package.internal {
                let target = short(target);
                if *is_dev && !self.may_test_with(name, target) {
                    findings.errors.push(format!("tests of `{name}` use `{target}`, which is not listed"));
                } else if !is_dev && !allowed.contains(target) {
                    findings.errors.push(format!("`{name}` depends on `{target}`, which is not listed"));
                }
            }
            for listed in allowed {
                if !package.internal.iter().any(|(target, _)| short(target) == listed) {
                    findings.warnings.push(format!("`{name}` no longer depends on `{listed}`"));
                }
            }
        }
        for name in self.allowed.keys() {
            if !packages.iter().any(|p| p.short_name() == name) {
                findings.warnings.push(format!("there is no package `{name}`"));
            }
        }
        findings
    }

    /// True for what a crate reaches over the arrows, and for what is listed for its tests.
    fn may_test_with(&self, name: &str, target: &str) -> bool {
        self.dev.get(name).is_some_and(|d| d.contains(target)) || self.reaches(name, target)
    }

    /// The table has no circles, so this ends.
    fn reaches(&self, name: &str, target: &str) -> bool {
        let below = self.allowed.get(name);
        below.is_some_and(|below| below.iter().any(|b| b == target || self.reaches(b, target)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "text\n```layers\nmath ->\nexec ->\ncontact -> math exec\nscenes -> contact\n\
        contact -dev-> scenes\n```\nmore\n";

    fn package(name: &str, internal: &[(&str, bool)]) -> Package {
        let internal = internal.iter().map(|(n, dev)| ((*n).to_owned(), *dev)).collect();
        Package { name: name.to_owned(), internal, benches: Vec::new(), examples: Vec::new() }
    }

    fn errors(packages: &[Package]) -> Vec<String> {
        Table::parse(DOCUMENT).expect("well formed").compare(packages).errors
    }

    #[test]
    fn listed_edges_pass_and_others_are_named() {
        let fine = package("drystone-contact", &[("drystone-math", false), ("drystone-exec", false)]);
        assert_eq!(errors(&[fine]), [""; 0]);
        let up = package("drystone-math", &[("drystone-contact", false)]);
        assert_eq!(errors(&[up]), ["`math` depends on `contact`, which is not listed"]);
        assert_eq!(errors(&[package("joint", &[])]), ["`joint` has no line in the table"]);
    }

    #[test]
    fn tests_may_use_what_lies_below_and_what_is_listed_for_them() {
        let below = package("drystone-scenes", &[("drystone-contact", false), ("drystone-math", true)]);
        assert_eq!(errors(&[below]), [""; 0]);
        assert_eq!(errors(&[package("drystone-contact", &[("drystone-scenes", true)])]), [""; 0]);
        let beside = package("drystone-exec", &[("drystone-math", true)]);
        assert_eq!(errors(&[beside]), ["tests of `exec` use `math`, which is not listed"]);
    }

    #[test]
    fn a_listed_edge_that_is_gone_is_a_warning() {
        let findings = Table::parse(DOCUMENT)
            .expect("well formed")
            .compare(&[package("drystone-contact", &[("drystone-math", false)])]);
        assert!(findings.errors.is_empty());
        assert!(
            findings.warnings.contains(&"`contact` no longer depends on `exec`".to_owned()),
            "{findings:?}"
        );
    }

    #[test]
    fn broken_tables_are_refused() {
        let refused = |text: &str| Table::parse(text).unwrap_err();
        assert!(refused("no block").contains("no fenced block"));
        assert!(refused("\n```layers\na -> b\nb ->\n```").contains("does not stand above"));
        assert!(refused("\n```layers\na ->\na ->\n```").contains("two lines"));
        assert!(refused("\n```layers\na\n```").contains("no arrow"));
        assert!(refused("\n```layers\na ->\n").contains("does not end"));
        assert!(refused("\n```layers\na ->\na -dev-> c\n```").contains("`c`"));
    }
}
