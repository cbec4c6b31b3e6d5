//! What sanitized runs told, and the document of it.

use crate::shell::{Outcome, seconds};
use std::path::Path;
use std::time::Duration;
use xtask::machine;

const HEAD: &str = "# Sanitizers\n\n\
    Written by `cargo xtask sanitize`; edits are lost. What steps on several threads, built with a sanitizer of the compiler and run: with `address`, accesses outside\n\
    of what was allocated, or after it was freed, and leaks; with `thread`, accesses of two threads that nothing orders, the standard library included. What is\n\
    suppressed stands in `xtask/src/sanitize/address.supp` and `xtask/src/sanitize/thread.supp`. Time: build and run.\n\n";

/// Columns of the table.
const COLUMNS: [&str; 5] = ["sanitizer", "cargo test", "tests passed", "time", "reports"];

/// One run.
#[derive(Debug)]
pub(super) struct Row {
    sanitizer: &'static str,
    arguments: String,
    time: Duration,
    passed: u32,
    failed: u32,
    /// First lines of what was reported, each once.
    reports: Vec<String>,
}

impl Row {
    pub(super) fn new(sanitizer: &'static str, arguments: &[&str], time: Duration) -> Self {
        let arguments = arguments.join(" ");
        Self { sanitizer, arguments, time, passed: 0, failed: 0, reports: Vec::new() }
    }

    pub(super) fn name(&self) -> String {
        format!("{} ({})", self.sanitizer, self.arguments)
    }

    /// No test ran.
    pub(super) fn is_empty(&self) -> bool {
        self.passed + self.failed == 0
    }

    /// No test failed, and nothing was reported.
    pub(super) fn is_clean(&self) -> bool {
        self.failed == 0 && self.reports.is_empty()
    }

    /// Takes the sums of the test programs.
    pub(super) fn read_tests(&mut self, text: &str) {
        for line in text.lines().filter(|line| line.starts_with("test result:")) {
            let number = |what: &str| {
                let words: Vec<&str> = line.split([' ', ';']).collect();
                let at = words.iter().position(|word| *word == what)?;
                words.get(at.checked_sub(1)?)?.parse::<u32>().ok()
            };
            self.passed += number("passed").unwrap_or(0);
            self.failed += number("failed").unwrap_or(0);
        }
    }

    /// Takes what a sanitizer wrote.
    pub(super) fn read_reports(&mut self, text: &str) {
        for line in text.lines().filter(|line| line.starts_with("SUMMARY:")) {
            let line = line.trim().to_owned();
            if !self.reports.contains(&line) {
                println!("  {line}");
                self.reports.push(line);
            }
        }
    }

    pub(super) fn print(&self) {
        println!(
            "  {}: {} tests passed, {} failed, {} reports, {}",
            self.sanitizer,
            self.passed,
            self.failed,
            self.reports.len(),
            seconds(self.time)
        );
    }

    fn markdown(&self) -> String {
        let reports = if self.reports.is_empty() {
            "none".to_owned()
        } else {
            self.reports.join("; ").replace('|', "/")
        };
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        format!(
            "| {} | `{}` | {}{failed} | {} | {reports} |\n",
            self.sanitizer,
            self.arguments,
            self.passed,
            seconds(self.time)
        )
    }
}

/// Writes the document: the rows, and those of the sanitizer that did not run as they were.
///
/// # Errors
/// What the file system refuses.
pub(super) fn write(path: &Path, rows: &[Row]) -> Outcome {
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let mut text = String::from(HEAD);
    machine::describe("test").iter().for_each(|line| text += &format!("- {line}\n"));
    text += &format!("\n| {} |\n|{}\n", COLUMNS.join(" | "), " --- |".repeat(COLUMNS.len()));
    for sanitizer in super::Sanitizer::ALL.map(super::Sanitizer::name) {
        if rows.iter().any(|row| row.sanitizer == sanitizer) {
            rows.iter().filter(|row| row.sanitizer == sanitizer).for_each(|row| text += &row.markdown());
        } else {
            let old = before.lines().filter(|line| line.starts_with(&format!("| {sanitizer} |")));
            old.for_each(|line| text += &format!("{line}\n"));
        }
    }
    Ok(std::fs::write(path, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tests_and_sanitizers_say_is_read() {
        let mut row = Row::new("thread", &["--package", "drystone-exec"], Duration::from_secs(2));
        row.read_tests(
            "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\
             test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 9 filtered out\n",
        );
        assert_eq!((row.passed, row.failed, row.is_clean()), (5, 1, false));
        row.read_reports(
            "WARNING: ThreadSanitizer: data race (pid=7)\nSUMMARY: ThreadSanitizer: data race a.rs:1 in f\n",
        );
        row.read_reports("SUMMARY: ThreadSanitizer: data race a.rs:1 in f\n");
        assert_eq!(
            row.markdown(),
            "| thread | `--package drystone-exec` | 5, 1 failed | 2.0 s | SUMMARY: ThreadSanitizer: data race a.rs:1 in f |\n"
        );
    }

    #[test]
    fn rows_of_the_other_sanitizer_stay() {
        let path = std::env::temp_dir().join(format!("drystone-sanitizers-{}.md", std::process::id()));
        write(&path, &[Row::new("thread", &["a"], Duration::ZERO)]).expect("written");
        write(&path, &[Row::new("address", &["b"], Duration::ZERO)]).expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::remove_file(&path).expect("there");
        assert!(text.contains("\n| address | `b` |") && text.contains("\n| thread | `a` |"), "{text}");
    }
}
