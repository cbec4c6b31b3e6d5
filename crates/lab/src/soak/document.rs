//! The document of a soak.

use super::figures::{MEMORY_BYTES, MEMORY_SHARE, PARTS, Part, TIME_SHARE, quarters};
use crate::shell::{Outcome, seconds};
use std::time::Duration;

const HEAD: &str = "# Soak\n\n\
    Written by `cargo xtask soak`; edits are lost. Bodies of all shapes (boxes, balls, capsules, cylinders, hulls, angles of two bars) fall into a closed box, one a\n\
    second, and one of the older half is taken out for each, so that slots are used again and again, and the pile sleeps and wakes. A row is a part of the run. Times are of a step;\n\
    memory is what the process holds apart from files, at the end of the part; world is what a snapshot of the world holds, lists with the room that they have. Outside: most bodies\n\
    that were not in the box at once. Overlap: the deepest of any contact in the part; bodies that fall from 4 m bring the most.\n\n";

/// Columns of the table.
const COLUMNS: [&str; 12] = [
    "steps",
    "median, us",
    "p99, us",
    "processor time, us",
    "memory, MiB",
    "world, KiB",
    "bodies",
    "added",
    "removed",
    "asleep, %",
    "overlap, mm",
    "outside",
];

fn mib(bytes: Option<u64>) -> String {
    bytes.map_or("unknown".into(), |bytes| format!("{:.2}", bytes as f64 / 1048576.0))
}

/// A part in a line, for people who wait.
pub(super) fn line(part: &Part, time: Duration) -> String {
    format!(
        "{}: {} steps, median {:.1} us, p99 {:.1} us, {} MiB, {} bodies, {:.0} % asleep, overlap {:.2} mm, {} outside",
        seconds(time),
        part.steps,
        1e6 * part.wall[0],
        1e6 * part.wall[1],
        mib(part.memory),
        part.live,
        100.0 * part.asleep,
        1e3 * part.overlap,
        part.outside,
    )
}

/// The whole document.
pub(super) fn text(command: &str, machine: &[String], parts: &[Part], verdict: &Outcome) -> String {
    let mut text = String::from(HEAD);
    text += &format!("- command: `{command}`\n");
    machine.iter().for_each(|line| text += &format!("- {line}\n"));
    text += &format!("\n| {} |\n|{}\n", COLUMNS.join(" | "), " ---: |".repeat(COLUMNS.len()));
    parts.iter().for_each(|part| text += &row(part));
    text += &summary(parts, verdict);
    text
}

fn row(part: &Part) -> String {
    format!(
        "| {} | {:.1} | {:.1} | {:.1} | {} | {:.0} | {} | {} | {} | {:.0} | {:.2} | {} |\n",
        part.steps,
        1e6 * part.wall[0],
        1e6 * part.wall[1],
        1e6 * part.cpu,
        mib(part.memory),
        part.world as f64 / 1024.0,
        part.live,
        part.exchanged[0],
        part.exchanged[1],
        100.0 * part.asleep,
        1e3 * part.overlap,
        part.outside,
    )
}

/// Means over the second and the last quarter, side by side.
fn summary(parts: &[Part], verdict: &Outcome) -> String {
    let mut text = format!(
        "\n## Second and last quarter\n\n\
         Means over {} parts each. Memory may grow by {:.0} % or {:.0} MiB, whichever is more; a step that takes {:.0} % longer is told as slower, and no failure: machines do other work as well.\n\n\
         | what | second | last | change | verdict |\n| --- | ---: | ---: | ---: | --- |\n",
        PARTS / 4,
        100.0 * MEMORY_SHARE,
        MEMORY_BYTES / 1048576.0,
        100.0 * TIME_SHARE,
    );
    let mut row = |what: &str, [before, after]: [f64; 2], verdict: &str| {
        let change = 100.0 * (after / before - 1.0);
        text += &format!("| {what} | {before:.2} | {after:.2} | {change:+.1} % | {verdict} |\n");
    };
    let slower =
        |[before, after]: [f64; 2]| if after > (1.0 + TIME_SHARE) * before { "slower" } else { "as fast" };
    let memory = quarters(parts, |part| part.memory.map_or(f64::NAN, |bytes| bytes as f64 / 1048576.0));
    row("memory, MiB", memory, if verdict.is_ok() { "does not grow" } else { "see below" });
    row("world, KiB", quarters(parts, |part| part.world as f64 / 1024.0), "");
    let [wall, cpu] = [quarters(parts, |part| 1e6 * part.wall[0]), quarters(parts, |part| 1e6 * part.cpu)];
    row("median of a step, us", wall, slower(wall));
    row("processor time of a step, us", cpu, slower(cpu));
    row("asleep, %", quarters(parts, |part| 100.0 * part.asleep), "");
    let unsolved: u64 = parts.iter().map(|part| part.unsolved).sum();
    text += &format!("\nSteps that left a contact closing: {unsolved}. ");
    text += &match verdict {
        Ok(()) => "Nothing was lost, nothing turned non-finite, no handle outlived its body.\n".to_owned(),
        Err(failure) => format!("**Failed: {failure}.**\n"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::Failure;

    #[test]
    fn the_document_has_a_row_for_every_part_and_says_how_it_ended() {
        let part = |i: u64| Part {
            steps: 10 * (i + 1),
            wall: [1e-5 * (1 + i / 10) as f64, 1e-4],
            memory: Some(3 << 20),
            ..Part::default()
        };
        let parts: Vec<Part> = (0..PARTS as u64).map(part).collect();
        let good = text("cargo xtask soak", &["processor: one".into()], &parts, &Ok(()));
        assert_eq!(good.lines().filter(|line| line.contains("| 3.00 |")).count(), PARTS + 1, "{good}");
        assert!(good.contains("| median of a step, us | 10.00 | 20.00 | +100.0 % | slower |"), "{good}");
        assert!(good.contains("no handle outlived") && good.contains("- processor: one\n"));
        let bad = text("cargo xtask soak", &[], &parts, &Err(Failure::new("2 bodies left")));
        assert!(bad.contains("**Failed: 2 bodies left.**") && bad.contains("see below"), "{bad}");
    }
}
