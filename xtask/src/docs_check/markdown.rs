//! What a document points at: inline code that reads as a path, links, and `scene:name`.

/// Something named that should exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    /// A path from the root or from the document, maybe with `*` in it or `::function` behind it.
    Path(String),
    /// The target of a link, from the document.
    Link(String),
    /// A scene by its name.
    Scene(String),
}

/// Top-level folders: inline code that begins with one is a path.
const FOLDERS: [&str; 10] =
    ["crates", "docs", "xtask", "benches", "bindings", "examples", "fuzz", "testbed", ".ci", ".cargo"];

/// Endings by which inline code with a slash is known as a path.
const ENDINGS: [&str; 8] = [".rs", ".md", ".toml", ".js", ".png", ".svg", ".csv", ".ron"];

/// References in a document with their lines (from 1). Fenced blocks are left out.
pub(super) fn references(text: &str) -> Vec<(usize, Reference)> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            found.extend(inline_code(line).filter_map(read).map(|r| (i + 1, r)));
            found.extend(links(line).into_iter().map(|target| (i + 1, Reference::Link(target))));
        }
    }
    found
}

/// References in the comments of a source, by inline code that begins with one of our folders.
pub(super) fn in_comments(text: &str) -> Vec<(usize, Reference)> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for (i, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//").filter(|(code, _)| code.trim().is_empty()) else {
            is_fenced = false;
            continue;
        };
        if comment.trim_start_matches(['/', '!', ' ']).starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            let paths = inline_code(comment).filter(|code| begins_with_folder(code)).filter_map(read);
            found.extend(paths.map(|r| (i + 1, r)));
        }
    }
    found
}

/// Inline code of a line: what stands between single backticks.
fn inline_code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// What inline code points at, if it points at anything.
fn read(code: &str) -> Option<Reference> {
    if let Some(scene) = code.strip_prefix("scene:") {
        return Some(Reference::Scene(scene.to_owned()));
    }
    let (path, _) = code.split_once("::").unwrap_or((code, ""));
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-./*<>".contains(c);
    let has_ending = ENDINGS.iter().any(|ending| path.ends_with(ending));
    let is_path = path.contains('/') && path.chars().all(is_word) && (begins_with_folder(path) || has_ending);
    is_path.then(|| Reference::Path(code.to_owned()))
}

fn begins_with_folder(path: &str) -> bool {
    path.split_once('/').is_some_and(|(folder, _)| FOLDERS.contains(&folder))
}

/// Targets of the links and pictures of a line that lead to files.
fn links(line: &str) -> Vec<String> {
    // Inline code may show a link without being one.
    let visible: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let targets = visible.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let targets = targets.map(|(target, _)| target.split('#').next().unwrap_or_default().to_owned());
    targets.filter(|t| !t.is_empty() && !t.contains("://") && !t.starts_with("mailto:")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let name = |(_, reference)| match reference {
            Reference::Path(p) => p,
            Reference::Link(l) => format!("link {l}"),
            Reference::Scene(s) => format!("scene {s}"),
        };
        references(text).into_iter().map(name).collect()
    }

    #[test]
    fn paths_are_told_from_units_and_code() {
        assert_eq!(paths("`crates/math/src/lib.rs` in `m/s`, `g/dt`, `a / b`"), ["crates/math/src/lib.rs"]);
        assert_eq!(paths("`benches/` and `src/x.rs`, `tests::name`"), ["benches/", "src/x.rs"]);
        assert_eq!(paths("`docs/measurements/<machine>/`"), ["docs/measurements/<machine>/"]);
        assert_eq!(
            paths("`crates/a/tests/b.rs::holds` `scene:tower`"),
            ["crates/a/tests/b.rs::holds", "scene tower"]
        );
    }

    #[test]
    fn fenced_blocks_are_left_out() {
        assert_eq!(paths("```text\n`crates/x/y.rs`\n```\n`docs/a.md`"), ["docs/a.md"]);
    }

    #[test]
    fn links_to_files_are_found() {
        let text = "[a](docs/a.md#part), ![p](docs/p.png) [w](https://example.org/x) [h](#here) `[c](d)`";
        assert_eq!(paths(text), ["link docs/a.md", "link docs/p.png"]);
    }

    #[test]
    fn comments_are_searched_and_code_is_not() {
        let text =
            "//! See `docs/architecture.md`, `gjk/simplex.rs`.\nlet x = \"`docs/no.md`\"; // `docs/no.md`\n";
        assert_eq!(in_comments(text), [(1, Reference::Path("docs/architecture.md".into()))]);
        let text = "// `fuzz/targets/hull.rs` and `testbed/src`.\n";
        let found = ["fuzz/targets/hull.rs", "testbed/src"].map(|path| (1, Reference::Path(path.into())));
        assert_eq!(in_comments(text), found, "what lies beside the workspace");
    }
}
