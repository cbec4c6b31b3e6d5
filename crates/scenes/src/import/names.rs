//! What a file calls things, as a scene can call them.

use crate::model::Scene;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a file's name that are taken for a scene, which may have some more.
const LONGEST: usize = 64;
/// Names that a note lists at most.
const LISTED: usize = 3;

/// Names of bodies, no two of which are equal.
#[derive(Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
    /// By names that were taken: the last number tried, and what was given instead.
    others: BTreeMap<String, (usize, Vec<String>)>,
}

impl Names {
    /// The name; where it is taken, the first of `NAME 2`, `NAME 3` and so on that is free. What has none is a `body`.
    pub(super) fn free(&mut self, name: &str) -> String {
        let name = if name.is_empty() { "body" } else { name };
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let (number, given) = self.others.entry(name.to_owned()).or_insert((1, Vec::new()));
        // Ends, since no more numbers are taken than there are names.
        loop {
            *number += 1;
            let other = format!("{name} {number}");
            if self.taken.insert(other.clone()) {
                given.push(other.clone());
                return other;
            }
        }
    }

    /// A note for each name that could not be given to all.
    pub(super) fn notes(self) -> impl Iterator<Item = String> {
        self.others.into_iter().map(|(name, (_, given))| {
            let listed: Vec<String> = given.iter().take(LISTED).map(|other| format!("{other:?}")).collect();
            let rest = if given.len() > LISTED { " and so on" } else { "" };
            format!(
                "{} bodies are called {name:?}: all but the first are {}{rest}",
                given.len() + 1,
                listed.join(", ")
            )
        })
    }
}

/// A scene's name that is like the one of a file: what a scene's name may not have is `_`, which is noted.
pub(super) fn scene_name(name: &str, notes: &mut Vec<String>) -> String {
    // The scene knows the rule.
    let is_fine = |name: &str| Scene::new(name).validate().is_ok();
    let mapped = name.chars().take(LONGEST).map(|c| if is_fine(&format!("a{c}")) { c } else { '_' });
    let mut fine: String = mapped.collect();
    if fine.is_empty() {
        "scene".clone_into(&mut fine);
    } else if !is_fine(&fine) {
        // It begins with what a name only may go on with.
        fine.replace_range(..1, "_");
    }
    if fine != name {
        notes.push(format!("the scene is called {fine:?}, since it cannot be called {name:?}"));
    }
    fine
}
