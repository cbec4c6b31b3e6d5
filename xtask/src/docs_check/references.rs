//! Whether what is named exists.

use super::markdown::Reference;
use std::path::{Path, PathBuf};

/// What is wrong with a reference in `document` (a path from `root`); `None` when it leads somewhere.
pub(super) fn fault(root: &Path, document: &Path, reference: &Reference) -> Option<String> {
    let folder = root.join(document.parent().unwrap_or(Path::new("")));
    match reference {
        Reference::Link(target) => {
            (!folder.join(target).exists()).then(|| format!("the link to `{target}` leads nowhere"))
        }
        // Of `drystone-lab`.
        Reference::Scene(_) => None,
        Reference::Path(named) => {
            let (path, item) = named.split_once("::").map_or((named.as_str(), None), |(p, i)| (p, Some(i)));
            let found: Vec<PathBuf> =
                [root, &folder].into_iter().flat_map(|base| matches(base, path)).collect();
            if found.is_empty() {
                return Some(format!("there is no `{path}`"));
            }
            let item = item?;
            let name = item.rsplit("::").next().unwrap_or(item);
            let is_there = found.iter().any(|file| defines(file, name));
            (!is_there).then(|| format!("`{path}` has no function `{name}`"))
        }
    }
}

/// Everything below `base` that a path names. `*` stands for any part of a name; a name such as `<machine>`
/// stands for whatever the reader puts there, so the way up to it is what is looked at.
fn matches(base: &Path, path: &str) -> Vec<PathBuf> {
    let mut found = vec![base.to_path_buf()];
    for name in path.split('/').filter(|name| !name.is_empty()) {
        if name.contains('<') {
            break;
        }
        found = if name.contains('*') {
            found.iter().flat_map(|folder| entries(folder, name)).collect()
        } else {
            found.into_iter().map(|folder| folder.join(name)).filter(|p| p.exists()).collect()
        };
    }
    found
}

/// Entries of a folder whose name fits a pattern with `*`, sorted.
fn entries(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let Ok(list) = std::fs::read_dir(folder) else { return Vec::new() };
    let fitting = list.flatten().filter(|e| fits(&e.file_name().to_string_lossy(), pattern));
    let mut found: Vec<PathBuf> = fitting.map(|e| e.path()).collect();
    found.sort();
    found
}

/// True when a name fits a pattern, in which `*` (and `**`) stands for any characters.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, rest)) => name
            .strip_prefix(start)
            .is_some_and(|left| (0..=left.len()).any(|i| left.is_char_boundary(i) && fits(&left[i..], rest))),
    }
}

/// True when a source defines a function of this name.
fn defines(file: &Path, name: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(file) else { return false };
    text.match_indices(name).any(|(i, _)| {
        let is_end = !text[i + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        is_end && text[..i].ends_with("fn ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::root;

    fn path_fault(path: &str) -> Option<String> {
        fault(root(), Path::new("docs/x.md"), &Reference::Path(path.into()))
    }

    #[test]
    fn what_exists_passes_and_what_does_not_is_named() {
        assert_eq!(path_fault("xtask/src/main.rs"), None);
        assert_eq!(path_fault("xtask/src/"), None);
        assert_eq!(path_fault("crates/*/src/lib.rs"), None);
        assert_eq!(path_fault("xtask/src/<anything>/x"), None);
        assert_eq!(path_fault("xtask/src/nothing.rs"), Some("there is no `xtask/src/nothing.rs`".into()));
        assert!(path_fault("crates/*/nothing.rs").is_some());
    }

    #[test]
    fn functions_behind_a_path_are_looked_for() {
        assert_eq!(path_fault("xtask/src/layers.rs::tests::broken_tables_are_refused"), None);
        let fault = path_fault("xtask/src/layers.rs::broken_tables");
        assert_eq!(fault, Some("`xtask/src/layers.rs` has no function `broken_tables`".into()));
    }

    #[test]
    fn links_are_looked_for() {
        let link =
            |target: &str| fault(root(), Path::new("xtask/Cargo.toml"), &Reference::Link(target.into()));
        assert_eq!(link("src/main.rs"), None);
        assert!(link("main.rs").is_some());
    }

    #[test]
    fn patterns_fit_any_part() {
        assert!(fits("stack_test.rs", "*.rs") && fits("a", "*") && fits("abc", "a*c"));
        assert!(!fits("abd", "a*c") && !fits("x.rs", "*.md"));
    }
}
