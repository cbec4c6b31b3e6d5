//! Words of scene files that have others now: the old ones are read for one version, and a warning names the new one.

use crate::outline::{bare_words, line_and_column};

/// A word that a file may still have, and what is written in its place.
struct Renamed {
    old: &'static str,
    new: &'static str,
}

/// Words that stand for a value: `kind: scripted`. [`serde`] reads them as aliases.
const VALUES: [Renamed; 1] = [Renamed { old: "scripted", new: "kinematic" }];

/// A warning for each old word of a text, with its place in `file`.
pub(crate) fn warnings(text: &str, file: &str) -> Vec<String> {
    if !VALUES.iter().any(|word| text.contains(word.old)) {
        return Vec::new();
    }
    let warning = |(offset, word): (usize, &str)| {
        let Renamed { old, new } = VALUES.iter().find(|renamed| renamed.old == word)?;
        let (line, column) = line_and_column(text, offset);
        Some(format!(
            "{file}:{line}:{column}: `{old}` is called `{new}` now; the next version does not read the old word"
        ))
    };
    bare_words(text).filter_map(warning).collect()
}
