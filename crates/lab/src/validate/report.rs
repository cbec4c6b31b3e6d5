//! The document of a full run: machine, parameters, every row of every preset, reasons, plots.

use super::cases::Case;
use super::lab::{G, Setup};
use super::limits;
use super::row::Row;
use super::table::{Entry, number, share};
use crate::machine;
use crate::shell::Outcome;
use crate::workspace::root;
use drystone_viewer::plot::{Curve, lines_svg};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Writes `validation.md` among the measurements, and its plots beside it.
///
/// # Errors
/// Files that cannot be written; a plot without points.
pub(super) fn write(cases: &[Case], setups: &[Setup], entries: &[Entry]) -> Outcome {
    let folder = root().join("docs/measurements");
    let plots = folder.join("validation");
    std::fs::create_dir_all(&plots)?;
    let mut drawn = Vec::new();
    for case in cases {
        for name in plot_names(case.id, entries) {
            // Of what names of quantities hold, letters and numbers alone go into names of files.
            let words: Vec<&str> =
                name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
            let file = format!("{}-{}.svg", case.id, words.join("-"));
            std::fs::write(plots.join(&file), plot(case, name, entries)?)?;
            drawn.push((case.id, file));
        }
    }
    std::fs::write(folder.join("validation.md"), document(cases, setups, entries, &drawn))?;
    Ok(())
}

fn document(cases: &[Case], setups: &[Setup], entries: &[Entry], drawn: &[(&str, String)]) -> String {
    let mut text = String::from("# The engine beside reference cases\n\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "Written by `cargo xtask validate --full`. One set of parameters serves all cases; what misses its limit stays in the table. Limits of a method's \
         own and known shortfalls are in `crates/lab/src/validate/limits.rs` and below.\n"
    );
    for line in machine::describe(crate::PROFILE) {
        let _ = writeln!(text, "- {line}");
    }
    let _ = writeln!(text, "- g = {G} m/s², bodies of a case never sleep unless it is about sleep");
    for setup in setups {
        let _ = writeln!(text, "- `{}`: {} steps per second", setup.preset.name(), setup.hz());
    }
    text += "\n## Cases within their limits\n\nA case counts when all of its rows do; with a limit of the method's own, the row is held to that. Rows that only tell are not counted.\n\n\
             | preset | cases | of | rows | of |\n| --- | ---: | ---: | ---: | ---: |\n";
    for preset in setups.iter().map(|s| s.preset.name()) {
        let of = |case: &Case| {
            let id = case.id;
            entries.iter().filter(move |e| e.preset == preset && e.case == id)
        };
        let ran: Vec<&Case> = cases.iter().filter(|case| of(case).next().is_some()).collect();
        let held = ran.iter().filter(|case| of(case).all(|e| e.row.is_good())).count();
        let rows = || entries.iter().filter(|e| e.preset == preset && !e.row.only_tells());
        let good = rows().filter(|e| e.row.is_good()).count();
        let _ = writeln!(text, "| `{preset}` | {held} | {} | {good} | {} |", ran.len(), rows().count());
    }
    for setup in setups {
        let name = setup.preset.name();
        let is_missing = |case: &&Case| {
            let is_measured = entries.iter().any(|e| e.preset == name && e.case == case.id);
            !is_measured && !limits::is_left_out(setup, case.id, "")
        };
        let missing: Vec<&str> = cases.iter().filter(is_missing).map(|case| case.id).collect();
        if !missing.is_empty() {
            let _ = writeln!(text, "\nNot measured with `{name}` in this run: {}.", missing.join(", "));
        }
    }
    best_presets(&mut text, cases, setups, entries);
    for case in cases {
        let _ = writeln!(text, "\n## {} {}\n", case.id, case.title);
        for (_, file) in drawn.iter().filter(|(id, _)| *id == case.id) {
            let _ = writeln!(text, "![{}](validation/{file})\n", case.title);
        }
        text += "| quantity | reference | limit |";
        let names: Vec<&str> = setups.iter().map(|s| s.preset.name()).collect();
        let _ = writeln!(
            text,
            " {} |\n| --- | ---: | ---: |{}",
            names.join(" | "),
            " ---: |".repeat(names.len())
        );
        rows(&mut text, case.id, &names, entries);
    }
    text += "\nA value in bold misses its limit; one with a star is held to a limit of its method's own.\n\n## Reasons\n\n";
    for line in limits::reasons(entries, cases, setups) {
        let _ = writeln!(text, "- {line}");
    }
    text
}

/// A line per case: the preset that misses fewest of its rows (the first of several), and whether that is none; then the share of cases that
/// are within their limits with that preset.
fn best_presets(text: &mut String, cases: &[Case], setups: &[Setup], entries: &[Entry]) {
    *text += "\n## Best preset of each case\n\n| case | best preset | rows within their limits | of | within limits |\n\
              | --- | --- | ---: | ---: | --- |\n";
    let (mut held, mut ran) = (0_u32, 0_u32);
    for case in cases {
        let counted = |setup: &Setup| {
            let name = setup.preset.name();
            let of_preset =
                || entries.iter().filter(|e| e.case == case.id && e.preset == name && !e.row.only_tells());
            let rows = of_preset().count();
            (rows > 0).then(|| (name, of_preset().filter(|e| e.row.is_good()).count(), rows))
        };
        let missed = |&(_, good, rows): &(&str, usize, usize)| rows - good;
        let Some((name, good, rows)) = setups.iter().filter_map(counted).min_by_key(missed) else { continue };
        (held, ran) = (held + u32::from(good == rows), ran + 1);
        let verdict = if good == rows { "yes" } else { "no" };
        let _ = writeln!(text, "| {} {} | `{name}` | {good} | {rows} | {verdict} |", case.id, case.title);
    }
    let share = 100.0 * f64::from(held) / f64::from(ran.max(1));
    let _ = writeln!(
        text,
        "\n{held} of {ran} cases ({share:.0} %) are within their limits with their best preset."
    );
}

/// The rows of a case: a line per quantity, a column per preset. Reference and limit stand in columns of their own where they are those of all
/// presets (but for limits of a method's own); where a preset has another, what it is held to stands beside its value.
fn rows(text: &mut String, case: &str, presets: &[&str], entries: &[Entry]) {
    let of_case = || entries.iter().filter(|e| e.case == case);
    let mut seen = BTreeSet::new();
    for entry in of_case() {
        if !seen.insert(entry.row.quantity.clone()) {
            continue;
        }
        let Row { quantity, unit, .. } = &entry.row;
        let alike = || of_case().filter(|e| e.row.quantity == *quantity);
        let first = alike().find(|e| !limits::is_own(e)).unwrap_or(entry);
        let has_one_reference = alike().all(|e| reference(&e.row) == reference(&first.row));
        let has_one_limit = alike().all(|e| limits::is_own(e) || limit(&e.row) == limit(&first.row));
        let for_all = |is_one: bool, value: String| if is_one { value } else { "per preset".into() };
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        let _ = write!(
            text,
            "| {}{unit} | {} | {} |",
            // A bar would end the cell.
            quantity.replace('|', "\\|"),
            for_all(has_one_reference, reference(&first.row)),
            for_all(has_one_limit, limit(&first.row))
        );
        for preset in presets {
            let cell = alike().find(|e| e.preset == *preset).map_or_else(String::new, |e| {
                let ours = number(e.row.ours);
                let value = match (e.row.is_good(), limits::is_own(e)) {
                    (false, _) => format!("**{ours}**"),
                    (true, true) => format!("{ours}\\*"),
                    (true, false) => ours,
                };
                let of = if has_one_reference { String::new() } else { format!(" of {}", reference(&e.row)) };
                let within = match (has_one_limit, e.row.only_tells()) {
                    (true, _) => String::new(),
                    (false, true) => " told".into(),
                    (false, false) => format!(" within {}", limit(&e.row)),
                };
                value + &of + &within
            });
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
}

/// The reference of a row, to read; nothing where there is none.
fn reference(row: &Row) -> String {
    if row.reference.is_finite() { number(row.reference) } else { String::new() }
}

/// The limit of a row, to read.
fn limit(row: &Row) -> String {
    if row.only_tells() { "told".into() } else { share(row.limit, row.is_relative) }
}

/// Names of the plots that a case has points for, in order.
fn plot_names<'a>(case: &str, entries: &'a [Entry]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (name, _) in entries.iter().filter(|e| e.case == case).filter_map(|e| e.row.point) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A curve for the reference and for each preset, over the abscissas of the rows.
fn plot(case: &Case, name: &str, entries: &[Entry]) -> Outcome<String> {
    let mut curves: Vec<Curve> = Vec::new();
    for entry in entries.iter().filter(|e| e.case == case.id) {
        let Some((_, x)) = entry.row.point.filter(|(of, _)| *of == name) else { continue };
        for (curve, y) in [("reference", entry.row.reference), (entry.preset, entry.row.ours)] {
            let known = curves.iter_mut().find(|c| c.name == curve);
            match known {
                // References of later presets repeat those of the first.
                Some(known) if known.points.iter().any(|p| p.0 == x) => {}
                Some(known) => known.points.push((x, y)),
                None => curves.push(Curve { name: curve.to_owned(), points: vec![(x, y)] }),
            }
        }
    }
    curves.retain(|curve| curve.points.iter().any(|p| p.1.is_finite()));
    curves.iter_mut().for_each(|curve| curve.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let (x, y) = name.split_once(" over ").map_or((name, ""), |(y, x)| (x, y));
    Ok(lines_svg(&format!("{} {}", case.id, case.title), x, y, &curves)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_scenes::Preset;

    fn entries() -> Vec<Entry> {
        let row = |x: f64, ours| {
            Row::relative(format!("speed at {x}"), "m/s", 2.0 * x, ours, 0.1).over("speed over gap", x)
        };
        let entry = |preset, row| Entry { case: "D4", preset, row };
        vec![entry("fast", row(1.0, 2.0)), entry("fast", row(2.0, 9.0)), entry("nsgs", row(1.0, 2.1))]
    }

    #[test]
    fn the_document_counts_cases_and_marks_what_misses() {
        let case = *super::super::cases::ALL.iter().find(|case| case.id == "D4").expect("listed");
        let setups = [Preset::Fast, Preset::Nsgs].map(|preset| Setup::new(preset, true));
        let text = document(&[case], &setups, &entries(), &[]);
        assert!(
            text.contains("| `fast` | 0 | 1 | 1 | 2 |") && text.contains("| `nsgs` | 1 | 1 | 1 | 1 |"),
            "{text}"
        );
        assert!(text.contains("| **9.00000** |  |"), "{text}");
        assert!(text.contains("| D4 dominoes | `nsgs` | 1 | 1 | yes |"), "{text}");
        assert!(
            text.contains("1 of 1 cases (100 %) are within their limits with their best preset."),
            "{text}"
        );
    }

    /// They stood beside the reference of the first preset, and were good although far off it.
    #[test]
    fn what_differs_by_preset_stands_beside_the_value() {
        let row =
            |reference, ours, limit| Row::absolute("height above the parabola", "m", reference, ours, limit);
        let entry = |preset, row| Entry { case: "A1", preset, row };
        let alike = [entry("fast", row(0.5, 0.51, 0.02)), entry("nsgs", row(0.5, 0.54, 0.02))];
        let text = |entries: &[Entry]| {
            let mut text = String::new();
            rows(&mut text, "A1", &["fast", "nsgs"], entries);
            text
        };
        let expected = "| height above the parabola (m) | 0.500000 | 0.0200 | 0.510000 | **0.540000** |\n";
        assert_eq!(text(&alike), expected);
        let apart = [entry("fast", row(0.5, 0.51, 0.02)), entry("nsgs", row(-0.25, -0.24, 0.02))];
        let expected = "| height above the parabola (m) | per preset | 0.0200 | 0.510000 of 0.500000 | -0.240000 of -0.250000 |\n";
        assert_eq!(text(&apart), expected);
        let limits = [entry("fast", row(0.5, 0.51, 0.02)), entry("nsgs", row(0.5, 0.6, 0.2))];
        let expected = "| height above the parabola (m) | 0.500000 | per preset | 0.510000 within 0.0200 | 0.600000 within 0.2000 |\n";
        assert_eq!(text(&limits), expected);
    }

    #[test]
    fn bars_in_names_do_not_end_their_cells() {
        let row = Row::at_most("change of |L| / L", "", 0.5, 1.0);
        let mut text = String::new();
        rows(&mut text, "A2", &["fast"], &[Entry { case: "A2", preset: "fast", row }]);
        assert_eq!(text, "| change of \\|L\\| / L | 0 | 1.0000 | 0.500000 |\n");
    }

    #[test]
    fn rows_that_only_tell_are_not_counted() {
        let case = *super::super::cases::ALL.iter().find(|case| case.id == "D4").expect("listed");
        let setups = [Setup::new(Preset::Nsgs, true)];
        let mut entries: Vec<Entry> = entries().into_iter().filter(|e| e.preset == "nsgs").collect();
        entries.push(Entry { case: "D4", preset: "nsgs", row: Row::told("time", "s", 1.0) });
        let text = document(&[case], &setups, &entries, &[]);
        assert!(
            text.contains("| `nsgs` | 1 | 1 | 1 | 1 |")
                && text.contains("| D4 dominoes | `nsgs` | 1 | 1 | yes |"),
            "{text}"
        );
    }

    #[test]
    fn a_plot_has_a_curve_for_the_reference_and_each_preset() {
        let case = *super::super::cases::ALL.iter().find(|case| case.id == "D4").expect("listed");
        assert_eq!(plot_names("D4", &entries()), ["speed over gap"]);
        let svg = plot(&case, "speed over gap", &entries()).expect("drawn");
        assert!(["reference", "fast", "nsgs"].iter().all(|name| svg.contains(name)), "{svg}");
    }
}
