//! The documents as a book: each page is in its table of contents, and the Rust code of each is run as a test.

use super::Finding;
use std::path::{Path, PathBuf};

/// The table of contents.
const CONTENTS: &str = "docs/SUMMARY.md";

/// Pages that nobody finds, and code that nobody runs. `read` gives the text of a file, from the root; `sources` are all of ours.
pub(super) fn faults(
    documents: &[PathBuf],
    contents: &str,
    sources: &str,
    read: impl Fn(&Path) -> String,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in documents {
        let name = path.to_string_lossy().replace('\\', "/");
        let Some(page) = name.strip_prefix("docs/") else { continue };
        if !page.starts_with("measurements/") && name != CONTENTS && !contents.contains(&format!("]({page})"))
        {
            let message = format!("the page is not in {CONTENTS}");
            findings.push(Finding { file: name.clone(), line: 1, message });
        }
        // Named in a list of pages, or included with its path from a crate.
        let is_run =
            [format!("\"{name}\""), format!("/{name}\"")].iter().any(|named| sources.contains(named));
        for (i, line) in read(path).lines().enumerate() {
            let Some(info) = line.trim_start().strip_prefix("```rust") else { continue };
            let message = match is_run {
                _ if info.contains("ignore") || info.contains("no_run") => "the code says that it is not run",
                false => "no crate includes the page, so its code is not run as a test",
                true => continue,
            };
            findings.push(Finding { file: name.clone(), line: i + 1, message: message.to_owned() });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(page: &str, text: &str, contents: &str, sources: &str) -> Vec<(usize, String)> {
        let findings = faults(&[PathBuf::from(page)], contents, sources, |_| text.to_owned());
        findings.into_iter().map(|finding| (finding.line, finding.message)).collect()
    }

    #[test]
    fn pages_are_listed_and_their_code_is_run() {
        let code = "text\n```rust\nlet x = 1;\n```\n";
        let listed = "- [A](a.md)";
        assert_eq!(found("docs/a.md", code, listed, "pages! { A: \"docs/a.md\", }"), []);
        assert_eq!(found("docs/a.md", code, listed, "include_str!(\"../../../docs/a.md\")"), []);
        assert_eq!(found("docs/a.md", code, listed, "")[0].0, 2);
        assert_eq!(found("docs/a.md", &code.replace("rust", "rust,ignore"), listed, "\"docs/a.md\"")[0].0, 2);
        assert_eq!(found("docs/a.md", "text", "", "")[0].0, 1);
        assert_eq!(found("docs/measurements/a.md", "text", "", ""), []);
        assert_eq!(found("README.md", "text", "", ""), []);
    }
}
