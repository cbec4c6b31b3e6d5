//! Tables of paper beside ours, for the terminal and for the document.

use crate::machine;
use crate::shell::{Failure, Outcome};
use std::fmt::Write as _;
use std::path::Path;

/// One experiment: its table, what has to be said about it, its plots.
#[derive(Debug, Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// Name of the file without its ending, and the SVG text.
    pub(crate) plots: Vec<(String, String)>,
}

impl Section {
    /// A section with a table that has these columns.
    pub(crate) fn new(title: &str, text: &str, header: &[&str]) -> Self {
        let header = header.iter().map(|&h| h.to_owned()).collect();
        Self { title: title.into(), text: text.into(), header, ..Self::default() }
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        let width = |i: usize| {
            let cells = self.rows.iter().chain([&self.header]).filter_map(|row| row.get(i));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        println!("\n{}", self.title);
        for row in std::iter::once(&self.header).chain(&self.rows) {
            let cells = row.iter().enumerate().map(|(i, cell)| {
                let width = width(i);
                if i == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            println!("  {}", cells.collect::<Vec<_>>().join("  "));
        }
    }

    /// The table in markdown; plots are in this folder.
    pub(crate) fn markdown(&self, plots: &str) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = self.header.iter().enumerate().map(|(i, _)| if i == 0 { "---" } else { "---:" });
        let mut text = format!("## {}\n\n{}\n\n{}", self.title, self.text, line(&self.header));
        text += &format!("| {} |\n", rule.collect::<Vec<_>>().join(" | "));
        self.rows.iter().for_each(|row| text += &line(row));
        for (name, _) in &self.plots {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n![{name}]({plots}/{name}.svg)\n");
        }
        text
    }
}

/// Writes `papers.md` and its plots into a folder.
///
/// # Errors
/// What the file system refuses.
pub(crate) fn write(folder: &Path, command: &str, machine: &[String], sections: &[Section]) -> Outcome {
    let mut text = format!(
        "# The experiments of S1 to S4, repeated\n\n\
         Written by `{command}`; edits are lost. The left of each pair is what S1 states (section 5, rows\n\
         S1-76 to S1-94 of the requirements map) or S2 in its Table 1, the right is ours. S1's machines were a Core 2 Duo E6400\n\
         (2.13 GHz) and an i7-940 (2.93 GHz), so times compare two decades of hardware; ratios compare methods.\n\
         A simulation step is 33 1/3 ms of simulated time. Runs of a pair take turns; times are medians.\n\n"
    );
    machine.iter().for_each(|line| text += &format!("- {line}\n"));
    for section in sections {
        text += "\n";
        text += &section.markdown("papers");
    }
    store(folder, text, sections)
}

/// `Ok` when `papers.md` in this folder is the work of this command: sections of other runs (shorter ones, say) would stand unmarked among its own.
///
/// # Errors
/// A document of another command, or one that cannot be read.
pub(crate) fn is_written_by(folder: &Path, command: &str) -> Outcome {
    let path = folder.join("papers.md");
    let text = std::fs::read_to_string(&path)?;
    let before = command_of(&text).unwrap_or("another command");
    if before == command {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::new(format!(
        "{path} was written by `{before}`; sections of `{command}` go into another folder"
    )))
}

/// The command that a document says it was written by.
fn command_of(text: &str) -> Option<&str> {
    text.split_once("Written by `")?.1.split_once('`').map(|(command, _)| command)
}

/// Replaces these sections in a `papers.md` that is there, or adds them at its end; all others stay as they are.
///
/// # Errors
/// What the file system refuses.
pub(crate) fn replace(folder: &Path, sections: &[Section]) -> Outcome {
    let text = std::fs::read_to_string(folder.join("papers.md"))?;
    store(folder, replaced(&text, sections), sections)
}

/// A document with these sections in place of those of the same titles.
fn replaced(text: &str, sections: &[Section]) -> String {
    let mut parts: Vec<String> = text.split("\n## ").map(str::to_owned).collect();
    for section in sections {
        let new = section.markdown("papers");
        let new = new.strip_prefix("## ").unwrap_or(&new).to_owned();
        let has_title = |part: &String| part.lines().next() == Some(&section.title);
        match parts.iter_mut().skip(1).find(|part| has_title(part)) {
            Some(part) => *part = new,
            None => parts.push(new),
        }
    }
    parts.join("\n## ")
}

fn store(folder: &Path, text: String, sections: &[Section]) -> Outcome {
    let plots = folder.join("papers");
    std::fs::create_dir_all(&plots)?;
    std::fs::write(folder.join("papers.md"), text)?;
    for (name, svg) in sections.iter().flat_map(|s| &s.plots) {
        std::fs::write(plots.join(format!("{name}.svg")), svg)?;
    }
    println!("\nwritten: {}", folder.join("papers.md").display());
    Ok(())
}

/// The machine, for the document.
pub(crate) fn machine() -> Vec<String> {
    machine::describe(crate::PROFILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_replaced_by_title_and_new_ones_come_last() {
        let text = "# Head\n\nwords\n\n## One\n\nold\n\n## Two\n\nstays\n";
        let section = |title: &str, words: &str| Section::new(title, words, &["a"]);
        let new = replaced(text, &[section("One", "new"), section("Three", "added")]);
        let titles: Vec<&str> = new.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(titles, ["# Head", "## One", "## Two", "## Three"]);
        assert!(
            new.contains("new") && !new.contains("old") && new.contains("stays") && new.contains("added")
        );
    }

    /// `papers --quick --only time --out docs/measurements` put its seconds among those of whole runs.
    #[test]
    fn a_document_takes_sections_of_its_own_command_alone() {
        let folder = std::env::temp_dir().join(format!("drystone-papers-{}", std::process::id()));
        write(&folder, "cargo xtask papers --rounds 2", &[], &[]).expect("written");
        let is_taken = |command: &str| is_written_by(&folder, command).is_ok();
        let taken = ["papers --rounds 2", "papers --quick --rounds 2", "papers"]
            .map(|c| is_taken(&format!("cargo xtask {c}")));
        std::fs::remove_dir_all(&folder).expect("there");
        assert_eq!(taken, [true, false, false]);
    }
}
