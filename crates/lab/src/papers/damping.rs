//! Gravity damping on and off (S1-86): one run as S1 shows it, and what is left when chance is averaged out.
//!
//! Damping saves what it saves by letting bodies fall asleep sooner. When they do is chance in scenes like these, so beside the
//! run itself stand means over several starts ([`super::starts`]).

use super::experiments::{FLOOR_MS, Plan, curves, header, pair};
use super::measure::{Measured, Variant, best_ratio, interleaved};
use super::report::Section;
use super::starts::{MANY_STARTS, STARTS, Starts};
use crate::shell::Outcome;

/// Gravity damping on and off (S1-86).
pub(crate) fn damping(plan: &Plan) -> Outcome<Section> {
    let count = |starts: [u32; 2]| starts[usize::from(plan.is_quick)];
    let text = format!(
        "Fast settings with damping of 70 % and without; always the whole run: what damping saves, it saves while things \
         come to rest. In S1 the undamped well never sleeps, because its iteration limit leaves too much velocity. \
         Runs that differ by rounding differ by half, so the last columns are means over several starts ({} for bullet5, {} for the \
         others, half as many with sleep off; response time off / on, least and most of a start, and thousands of iterations): \
         with all our settings, with sleep off, and with S1's method to the letter.",
        count(MANY_STARTS),
        count(STARTS),
    );
    let mut section = Section::new(
        "Gravity damping (S1-86)",
        &text,
        &header(&[
            "asleep at end, off / on",
            "all asleep from step, off / on",
            "starts: response",
            "iterations",
            "no sleep: response",
            "iterations",
            "to the letter: response",
            "iterations",
        ]),
    );
    let variants = variants();
    for (name, speedup, best, quick, starts) in [
        ("bullet5", "1.99", "4.71", 6.0, count(MANY_STARTS)),
        ("well324", "1.78", "5.23", 6.0, count(STARTS)),
        ("cage384", "1.53", "3.47", 8.0, count(STARTS)),
    ] {
        let seconds = plan.seconds(quick);
        let runs = interleaved(name, seconds, plan.rounds, &variants)?;
        let [off, on] = [&runs[0], &runs[1]];
        let mut row = pair(name, speedup, best, off, on);
        let since = |run: &Measured| run.all_asleep.map_or("never".into(), |step| step.to_string());
        row.push(format!("{} / {} of {}", off.asleep_end, on.asleep_end, on.bodies));
        row.push(format!("{} / {}", since(off), since(on)));
        row.extend(Starts::of(name, seconds, starts, &variants)?.response_cells());
        row.extend(
            Starts::of(name, seconds, starts / 2, &variants.clone().map(Variant::sleepless))?
                .response_cells(),
        );
        row.extend(
            Starts::of(name, seconds, starts, &variants.clone().map(Variant::letter))?.response_cells(),
        );
        section.rows.push(row);
        let (at, ratio) = best_ratio(&off.response_ms, &on.response_ms, FLOOR_MS);
        let title = format!("{name}: gravity damping (response {ratio:.1} times quicker in step {at})");
        let lines = [("off", off.step_ms.clone()), ("on", on.step_ms.clone())];
        section.plots.push((format!("damping-{name}"), curves(&title, "ms", lines)?));
    }
    Ok(section)
}

fn variants() -> [Variant; 2] {
    [
        Variant::fast("damping off").with("resolution.gravity_damping_threshold", "0"),
        Variant::fast("damping on"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damped_sleeps_no_later() {
        let runs = interleaved("tower", Some(2.0), 1, &variants()).expect("settings of the preset");
        let [off, on] = [0, 1].map(|k| runs[k].all_asleep);
        let on = on.expect("a tower comes to rest");
        assert!(off.is_none_or(|off| on <= off), "{on} and {off:?}");
    }
}
