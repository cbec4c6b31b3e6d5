//! What runs of libFuzzer tell, and the document of it.

use crate::shell::{Outcome, seconds};
use crate::workspace::root;
use std::path::Path;
use std::time::Duration;
use xtask::machine;

const HEAD: &str = "# Fuzzing\n\n\
    Written by `cargo xtask fuzz`; edits are lost. libFuzzer makes up inputs for the targets of `fuzz/`, keeps those that reach new code, and stops at\n\
    a panic (debug assertions and overflow checks are on), at what the address sanitizer refuses, and at an input that takes 20 s or 2 GiB. A row is the last\n\
    run of its target, on one thread, beginning with what earlier runs kept; in all: minutes of all of its runs, each with the engine as it was then. Edges: branches of the program, the engine and its\n\
    dependencies taken together, that were reached, of all there are.\n\n";

/// Columns of the table.
const COLUMNS: [&str; 9] = [
    "target",
    "minutes",
    "in all",
    "executions",
    "per second",
    "edges",
    "inputs kept",
    "slowest, s",
    "findings",
];

/// What was found so far: target, symptom, and where it is kept from coming back.
const MENDED: &[(&str, &str, &str)] = &[
    (
        "gjk_epa",
        "closest points of two surfaces of triangles overflowed the stack",
        "crates/collision/tests/regressions.rs::two_surfaces_have_no_closest_points",
    ),
    (
        "gjk_epa",
        "contact points of sliver faces lay beyond their tips",
        "crates/collision/tests/regressions.rs::clipped_faces_end_at_the_tips_of_slivers",
    ),
    (
        "gjk_epa",
        "the side line of a cone that is seen along its axis was not on the cone",
        "crates/collision/tests/regressions.rs::the_side_of_a_cone_seen_along_its_axis_is_on_the_cone",
    ),
    (
        "gjk_epa",
        "a short edge of a hull reached beyond its end along a long edge",
        "crates/collision/tests/regressions.rs::a_short_edge_does_not_reach_beyond_its_end_because_the_other_is_long",
    ),
    (
        "gjk_epa",
        "two points of a thin capsule that crosses a thick one lay beside it",
        "crates/collision/tests/regressions.rs::a_thin_capsule_that_crosses_a_thick_one_at_milliradians_has_its_points_on_itself",
    ),
    (
        "world_ops",
        "without `coherence.grouping` the overlaps of one group alone were taken back",
        "crates/drystone/tests/regressions.rs::without_islands_overlap_is_taken_back_everywhere",
    ),
    (
        "world_ops",
        "contacts of a body in quarantine kept what is no number, and hid the deepest overlap",
        "crates/drystone/tests/regressions.rs::contacts_of_a_body_in_quarantine_are_numbers",
    ),
    (
        "world_ops",
        "contacts 3e44 m along a half-space were no numbers",
        "crates/drystone/tests/regressions.rs::what_lies_far_along_a_half_space_rests_on_it",
    ),
    (
        "world_ops",
        "masses whose inverse is no ordinary number had impulses that were none",
        "crates/drystone/tests/regressions.rs::the_lightest_and_the_heaviest_bodies_rest",
    ),
];

/// One run of a target.
#[derive(Debug, Default)]
pub(super) struct Row {
    target: String,
    minutes: f64,
    executions: u64,
    per_second: u64,
    edges: u64,
    all_edges: u64,
    inputs: String,
    slowest: u64,
    finding: Option<String>,
}

impl Row {
    pub(super) fn new(target: &str) -> Self {
        Self { target: target.to_owned(), ..Self::default() }
    }

    pub(super) fn target(&self) -> &str {
        &self.target
    }

    pub(super) fn has_finding(&self) -> bool {
        self.finding.is_some()
    }

    /// Takes what a line of libFuzzer's tells; true when it is about a finding and worth showing.
    pub(super) fn read(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1));
        let number = |name: &str| after(name).and_then(|word| word.parse::<u64>().ok());
        if let Some(edges) = number("cov:") {
            self.edges = edges;
        }
        if let Some(inputs) = after("corp:") {
            self.inputs = inputs.split('/').next().unwrap_or_default().to_owned();
        }
        if line.contains("inline 8-bit counters)")
            && let Some(count) = words.iter().find_map(|word| word.strip_prefix('(')?.parse().ok())
        {
            self.all_edges = count;
        }
        for (name, target) in [
            ("stat::number_of_executed_units:", &mut self.executions),
            ("stat::average_exec_per_sec:", &mut self.per_second),
            ("stat::slowest_unit_time_sec:", &mut self.slowest),
        ] {
            if let Some(value) = number(name) {
                *target = value;
            }
        }
        let is_finding = line.contains("panicked at") || line.contains("ERROR:") || line.contains("SUMMARY:");
        if is_finding && self.finding.is_none() {
            // Where the checkout lies is nobody's business.
            self.finding = Some(line.trim().replace(&format!("{}/", root().display()), ""));
        }
        is_finding || line.contains("Test unit written to")
    }

    /// Takes note of how the run ended.
    pub(super) fn end(&mut self, time: Duration, success: bool) {
        self.minutes = time.as_secs_f64() / 60.0;
        if success {
            self.finding = None;
        } else if self.finding.is_none() {
            self.finding = Some("the program ended badly".to_owned());
        }
    }

    pub(super) fn print(&self) {
        println!(
            "  {}: {} executions, {} per second, {} of {} edges, {} inputs kept, slowest {} s, {}",
            seconds(Duration::from_secs_f64(60.0 * self.minutes)),
            self.executions,
            self.per_second,
            self.edges,
            self.all_edges,
            self.inputs,
            self.slowest,
            self.finding.as_deref().unwrap_or("nothing found"),
        );
    }

    /// The row of the table, after the runs of this one's.
    fn markdown(&self, before: Option<&str>) -> String {
        let in_all =
            before.and_then(|line| line.split('|').nth(3)?.trim().parse::<f64>().ok()).unwrap_or(0.0);
        let share = 100.0 * self.edges as f64 / self.all_edges.max(1) as f64;
        format!(
            "| {} | {:.1} | {:.1} | {} | {} | {} of {} ({share:.0} %) | {} | {} | {} |\n",
            self.target,
            self.minutes,
            in_all + self.minutes,
            self.executions,
            self.per_second,
            self.edges,
            self.all_edges,
            self.inputs,
            self.slowest,
            self.finding.as_ref().map_or("none".to_owned(), |text| text.replace('|', "/")),
        )
    }
}

/// Writes the document: the rows, and those of targets that did not run as they were.
///
/// # Errors
/// What the file system refuses.
pub(super) fn write(path: &Path, rows: &[Row]) -> Outcome {
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let mut text = String::from(HEAD);
    machine::describe("release").iter().for_each(|line| text += &format!("- {line}\n"));
    text += &format!("\n| {} |\n| --- |{}\n", COLUMNS.join(" | "), " ---: |".repeat(COLUMNS.len() - 1));
    for (target, _) in super::TARGETS {
        let old = before.lines().find(|line| line.starts_with(&format!("| {target} |")));
        text += &match rows.iter().find(|row| row.target == target) {
            Some(row) => row.markdown(old),
            None => old.map(|line| format!("{line}\n")).unwrap_or_default(),
        };
    }
    if !MENDED.is_empty() {
        text += "\n## Found and mended\n\n| target | what | kept by |\n| --- | --- | --- |\n";
        for (target, what, test) in MENDED {
            text += &format!("| {target} | {what} | `{test}` |\n");
        }
    }
    Ok(std::fs::write(path, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libfuzzer_says_is_read() {
        let mut row = Row::new("mesh");
        for line in [
            "INFO: Loaded 1 modules   (58742 inline 8-bit counters): 58742 [0x55, 0x66),",
            "#2\tINITED cov: 310 ft: 311 corp: 1/1b exec/s: 0 rss: 40Mb",
            "#2048\tpulse  cov: 1500 ft: 4011 corp: 211/9876b lim: 21 exec/s: 1024 rss: 60Mb",
            "stat::number_of_executed_units: 123456",
            "stat::average_exec_per_sec:     2057",
            "stat::slowest_unit_time_sec:    3",
        ] {
            assert!(!row.read(line), "{line}");
        }
        row.end(Duration::from_secs(60), true);
        let first = row.markdown(None);
        assert_eq!(first, "| mesh | 1.0 | 1.0 | 123456 | 2057 | 1500 of 58742 (3 %) | 211 | 3 | none |\n");
        assert!(row.markdown(Some(&first)).starts_with("| mesh | 1.0 | 2.0 | 123456 |"));
    }

    #[test]
    fn findings_are_told_and_other_rows_stay() {
        let mut row = Row::new("hull");
        assert!(
            row.read(&format!("thread '<unnamed>' (7) panicked at {}/src/lib.rs:44:5:", root().display()))
        );
        assert!(row.read("==7== ERROR: libFuzzer: deadly signal"));
        row.end(Duration::from_secs(3), false);
        assert!(row.has_finding() && row.markdown(None).contains("(7) panicked at src/lib.rs:44:5:"));

        let path = std::env::temp_dir().join(format!("drystone-fuzz-{}.md", std::process::id()));
        write(&path, &[Row::new("mesh")]).expect("written");
        write(&path, &[row]).expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        std::fs::remove_file(&path).expect("there");
        assert!(text.contains("\n| hull |") && text.contains("\n| mesh |"), "{text}");
    }
}
