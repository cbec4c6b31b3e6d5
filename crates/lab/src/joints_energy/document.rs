//! The document of the matrix.

use super::jobs::Measured;
use drystone_scenes::Preset;
use drystone_scenes::linkages::CEILING;

const HEAD: &str = "# Joints and energy\n\n\
    Written by `cargo xtask joints-energy`; edits are lost. Whether joints give energy, lose it, or lose what they hold: linkages of one to twelve links that nothing but their\n\
    joints touches. The cases, what counts as put in and how energy is judged are in `crates/scenes/src/linkages/mod.rs`.\n\n\
    What is asked for:\n\n\
    - the energy is never above 1.02 of what was put in: at the start, by motors, by blows;\n\
    - after 20 s of free motion with `fast`, at 60 steps per second and more, there is at least 0.98 of it up to 12 rad/s, and 0.9 up to 40 rad/s;\n\
    - nothing turns non-finite, and no body is taken out;\n\
    - the largest force of a joint of a redundant loop of hinges is at most 3 times that in the same loop with ball joints;\n\
    - a motor turns a fan at its speed and about no other axis, within 1 %; an undamped spring of 2 s keeps 0.99 of its amplitude for 20 s.\n\n\
    A cell is a run: the largest share of the energy that there was in any step / the share that was left at the end; **bold** where something is missed. 1 is what was put in. A run ends when\n\
    it has 10000 times that, or when a body is lost.\n\n";

/// Worst seeds that are listed.
const WORST: usize = 12;

/// How many of how many fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    failed: usize,
    of: usize,
}

impl Count {
    fn of<'a>(measured: impl Iterator<Item = &'a Measured>) -> Self {
        measured.fold(Self::default(), |count, one| Self {
            failed: count.failed + usize::from(!one.misses.is_empty()),
            of: count.of + 1,
        })
    }
}

/// What all came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    cases: Count,
    random: Count,
    lost: usize,
}

impl Totals {
    pub(super) fn of(cases: &[Measured], random: &[(Preset, Vec<Measured>)]) -> Self {
        let drawn = || random.iter().flat_map(|(_, measured)| measured);
        let is_lost = |one: &&Measured| one.outcome.quarantined + one.outcome.non_finite > 0;
        Self {
            cases: Count::of(cases.iter()),
            random: Count::of(drawn()),
            lost: cases.iter().chain(drawn()).filter(is_lost).count(),
        }
    }

    pub(super) fn failed(&self) -> usize {
        self.cases.failed + self.random.failed
    }

    /// All in a line.
    pub(super) fn line(&self) -> String {
        let Self { cases, random, lost } = self;
        format!(
            "{} of {} cases and {} of {} random linkages miss something; in {lost} a body was lost or turned non-finite",
            cases.failed, cases.of, random.failed, random.of
        )
    }
}

/// The whole document.
pub(super) fn text(
    command: &str,
    machine: &[String],
    cases: &[Measured],
    random: &[(Preset, Vec<Measured>)],
) -> String {
    let mut text = String::from(HEAD);
    text += &format!("- command: `{command}`\n");
    machine.iter().for_each(|line| text += &format!("- {line}\n"));
    text += &format!("\n**{}.**\n\n", Totals::of(cases, random).line());
    let presets = unique(cases.iter().map(|one| one.case.preset));
    text += &counts(cases, &presets);
    text += &drawn(random);
    for (place, &preset) in presets.iter().enumerate() {
        text += &section(cases, preset, place == 0);
    }
    text
}

/// In the order in which they come first.
fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Steps per second of cases, ascending.
fn rates<'a>(cases: impl Iterator<Item = &'a Measured>) -> Vec<f64> {
    let mut rates = unique(cases.map(|one| one.case.hz));
    rates.sort_by(f64::total_cmp);
    rates
}

/// Failing of all cases, by family, preset and rate.
fn counts(cases: &[Measured], presets: &[Preset]) -> String {
    let rates = rates(cases.iter());
    let mut text =
        String::from("## Failing cases\n\nFailing of all, by steps per second.\n\n| family | preset |");
    rates.iter().for_each(|hz| text += &format!(" {hz} Hz |"));
    text += &format!(
        " largest share | farthest apart, mm |\n| --- | --- |{}\n",
        " ---: |".repeat(rates.len() + 2)
    );
    for family in unique(cases.iter().map(|one| one.case.family)) {
        for &preset in presets {
            let own = || cases.iter().filter(|one| one.case.family == family && one.case.preset == preset);
            text += &format!("| {family} | `{}` |", preset.name());
            for &hz in &rates {
                let Count { failed, of } = Count::of(own().filter(|one| one.case.hz == hz));
                text += &if of == 0 { " |".to_owned() } else { format!(" {failed} of {of} |") };
            }
            let largest = own().map(|one| one.outcome.largest).fold(0.0, larger);
            let apart = own().map(|one| one.outcome.distance).fold(0.0, larger);
            text += &format!(" {} | {} |\n", share(largest), share(1e3 * apart));
        }
    }
    text + "\n"
}

/// The larger, or what is no number.
fn larger(known: f64, value: f64) -> f64 {
    if value.is_nan() || value > known { value } else { known }
}

/// The random part.
fn drawn(random: &[(Preset, Vec<Measured>)]) -> String {
    if random.iter().all(|(_, measured)| measured.is_empty()) {
        return String::new();
    }
    let mut text = String::from(
        "## Random linkages\n\nTrees and loops of 1 to 12 links, joints, masses over 1:10000, motors, limits, friction and blows by a seed, 2 s. One of them again: `cargo xtask joints-energy --only random/SEED --preset P`.\n\n\
         | preset | linkages | failing | energy above 1.02 | lost or non-finite | largest share | farthest apart, m |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (preset, measured) in random {
        let outcomes = || measured.iter().map(|one| &one.outcome);
        text += &format!(
            "| `{}` | {} | {} | {} | {} | {} | {} |\n",
            preset.name(),
            measured.len(),
            Count::of(measured.iter()).failed,
            outcomes().filter(|o| o.largest > CEILING || o.largest.is_nan()).count(),
            outcomes().filter(|o| o.quarantined + o.non_finite > 0).count(),
            share(outcomes().map(|o| o.largest).fold(0.0, larger)),
            share(outcomes().map(|o| o.distance).fold(0.0, larger)),
        );
    }
    text += "\nWorst seeds:\n\n";
    for (preset, measured) in random {
        let mut worst: Vec<&Measured> = measured.iter().filter(|one| !one.misses.is_empty()).collect();
        // What is no number first.
        let badness =
            |one: &Measured| if one.outcome.largest.is_nan() { f64::INFINITY } else { one.outcome.largest };
        worst.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
        for one in worst.iter().take(WORST) {
            let (case, hz) = (&one.case, one.case.hz);
            let misses = one.misses.join("; ");
            text +=
                &format!("- `{}`, `{}`, {} links, {hz} Hz: {misses}\n", case.name, preset.name(), case.links);
        }
        if worst.is_empty() {
            text += &format!("- none with `{}`\n", preset.name());
        }
    }
    text + "\n"
}

/// Runs of one row of the matrix.
struct Row<'a> {
    runs: Vec<&'a Measured>,
}

/// Rows of a preset: all, or those with a run that misses.
fn section(cases: &[Measured], preset: Preset, all: bool) -> String {
    let own = || cases.iter().filter(|one| one.case.preset == preset);
    let rates = rates(own());
    let mut rows: Vec<Row<'_>> = Vec::new();
    for one in own() {
        match rows.last_mut() {
            Some(row) if row.runs[0].case.name == one.case.name => row.runs.push(one),
            _ => rows.push(Row { runs: vec![one] }),
        }
    }
    let fails = |row: &Row<'_>| row.runs.iter().any(|one| !one.misses.is_empty());
    // Starts of carts are alike: those that pass are told by their number alone.
    let (shown, left): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| fails(row) || all && row.runs[0].case.family != "cart");
    let what = if all { "all rows, but for carts that pass" } else { "rows that miss something" };
    let mut text = format!(
        "## With `{}`: {what}\n\n{} rows that miss nothing are not shown.\n\n| case |",
        preset.name(),
        left.len()
    );
    rates.iter().for_each(|hz| text += &format!(" {hz} Hz |"));
    text += &format!(" what is missed |\n| --- |{} --- |\n", " ---: |".repeat(rates.len()));
    shown.iter().for_each(|row| text += &row.line(&rates));
    text + "\n"
}

impl Row<'_> {
    fn line(&self, rates: &[f64]) -> String {
        let mut text = format!("| {} |", self.runs[0].case.name);
        for &hz in rates {
            let Some(one) = self.runs.iter().find(|one| one.case.hz == hz) else {
                text += " |";
                continue;
            };
            let cell = format!("{} / {}", share(one.outcome.largest), share(one.outcome.last));
            text += &if one.misses.is_empty() { format!(" {cell} |") } else { format!(" **{cell}** |") };
        }
        let other = |one: &&&Measured| one.misses.iter().any(|miss| !miss.starts_with("energy"));
        let others: Vec<String> = self.runs.iter().filter(other).map(|one| told(one)).collect();
        text + &format!(" {} |\n", others.join("; "))
    }
}

/// What a run misses beside energy, with its rate.
fn told(one: &Measured) -> String {
    let misses = one.misses.iter().filter(|miss| !miss.starts_with("energy"));
    format!("{} Hz: {}", one.case.hz, misses.cloned().collect::<Vec<_>>().join(", "))
}

/// A share for people; large ones in powers of ten.
fn share(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.3}") } else { format!("{value:.0e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_scenes::linkages::{Case, FORCE_FACTOR, Outcome, named};

    fn measured(largest: f64) -> Measured {
        let case = named::all().into_iter().next().expect("there are some");
        let case = Case { name: format!("rod {largest}"), ..case };
        let outcome = Outcome { largest, last: 1.0, ..Outcome::default() };
        Measured { misses: case.misses(&outcome), case, outcome }
    }

    #[test]
    fn what_misses_is_counted_and_bold() {
        let cases = [measured(1.0), measured(1.5)];
        let random = [(Preset::Fast, vec![measured(2e6)])];
        let text = text("cargo xtask joints-energy", &["processor: one".into()], &cases, &random);
        assert!(text.contains("**1 of 2 cases and 1 of 1 random linkages miss something"), "{text}");
        assert!(text.contains("| rod | `fast` | 1 of 2 | 1.500 |"), "{text}");
        assert!(text.contains("**1.500 / 1.000**") && text.contains("2e6"), "{text}");
        assert!(
            text.contains(&format!("at most {FORCE_FACTOR} times"))
                && text.contains(&format!("above {CEILING}"))
        );
    }
}
