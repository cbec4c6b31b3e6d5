//! The run as a table, for people.

use drystone_scenes::Outcome;

/// Wall time per simulated second, ms.
pub(super) fn per_second(outcome: &Outcome) -> f64 {
    if outcome.sim_seconds > 0.0 { outcome.times.total_ms / outcome.sim_seconds } else { 0.0 }
}

/// Names and values of what is shown beside the picture and in the table, but for the stages.
pub(crate) fn figures(outcome: &Outcome) -> Vec<(String, String)> {
    let (times, quality) = (&outcome.times, &outcome.quality);
    let rows = [
        ("time per simulated second", format!("{} ms", number(per_second(outcome)))),
        ("step, mean", format!("{} ms", number(times.mean_ms))),
        ("step, median", format!("{} ms", number(times.p50_ms))),
        ("step, 99th percentile", format!("{} ms", number(times.p99_ms))),
        ("step, worst", format!("{} ms", number(times.max_ms))),
        ("contacts, most and at the end", format!("{} and {}", outcome.contacts_max, outcome.contacts_end)),
        ("islands at the end", outcome.islands_end.to_string()),
        ("iterations", iterations(outcome)),
        ("worst residual", format!("{} mm/s", number(outcome.worst_residual * 1e3))),
        ("steps left unsolved", format!("{} of {}", outcome.unsolved_steps, outcome.steps)),
        ("worst overlap in the run", format!("{} mm", number(quality.pen_run_max_m * 1e3))),
        ("worst overlap at the end", format!("{} mm", number(quality.pen_end_max_m * 1e3))),
        ("mean overlap at the end", format!("{} mm", number(quality.pen_end_mean_m * 1e3))),
        ("kinetic energy at the end", format!("{} J", number(quality.kinetic_energy_end_j))),
        ("drift of what should stand", format!("{} mm", number(quality.drift_max_m * 1e3))),
        ("asleep at the end", format!("{} of {}", outcome.sleeping_end, outcome.bodies)),
        ("lost bodies", quality.lost.to_string()),
    ];
    let cost = &outcome.snapshot;
    let joints = &outcome.joints;
    let per_body = cost.bytes as f64 / outcome.bodies.max(1) as f64 * 1e-3;
    let [take, restore] = [cost.take, cost.restore].map(|time| number(time.as_secs_f64() * 1e3));
    let mut rows: Vec<(String, String)> = rows.map(|(name, value)| (name.to_owned(), value)).into();
    if joints.count > 0 || joints.broken > 0 {
        let [run, end] = [joints.stretch_run_max_m, joints.stretch_end_max_m].map(|m| number(m * 1e3));
        rows.push(("joints at the end, broken".into(), format!("{}, {}", joints.count, joints.broken)));
        rows.push(("joints apart, most in the run and at the end".into(), format!("{run} mm and {end} mm")));
    }
    rows.push((
        "snapshot of the end".into(),
        format!(
            "{} kB ({} per body), taken in {take} ms, put back in {restore} ms",
            number(cost.bytes as f64 * 1e-3),
            number(per_body)
        ),
    ));
    if let Some(allocations) = outcome.allocations_per_step {
        rows.push(("heap allocations per step, second half".into(), number(allocations)));
    }
    rows
}

fn iterations(outcome: &Outcome) -> String {
    let mean = outcome.iterations as f64 / outcome.steps.max(1) as f64;
    format!("{} ({} per step)", outcome.iterations, number(mean))
}

/// The whole table, ending in a newline.
pub(crate) fn table(outcome: &Outcome) -> String {
    let threads =
        if outcome.threads == 1 { "1 thread".into() } else { format!("{} threads", outcome.threads) };
    let sleep = if outcome.sleep_enabled { "on" } else { "off" };
    let mut text = format!(
        "{}: {} bodies, {} s in {} steps ({} per second), {}, {threads}, sleeping {sleep}\n\n",
        outcome.scene,
        outcome.bodies,
        number(outcome.sim_seconds),
        outcome.steps,
        number(outcome.hz),
        outcome.preset,
    );
    let mut rows = figures(outcome);
    let total: f64 = outcome.stages.iter().map(|(_, time)| time.as_secs_f64()).sum();
    let stages = outcome.stages.iter().map(|(name, time)| {
        let mean = time.as_secs_f64() * 1e3 / outcome.steps.max(1) as f64;
        let share = if total > 0.0 { 100.0 * time.as_secs_f64() / total } else { 0.0 };
        (format!("stage {name}, mean"), format!("{} ms  {share:5.1} %", number(mean)))
    });
    // Stages follow the five rows about time.
    rows.splice(5..5, stages);
    rows.push(("state hash".into(), format!("{:#018x}", outcome.state_hash)));
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, value) in rows {
        text += &format!("{name:width$}  {value}\n");
    }
    text
}

/// About four digits that count, without exponents where people would not write them.
fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size == 0.0 || (1000.0..1e9).contains(&size) {
        format!("{value:.0}")
    } else if !(1e-4..1e9).contains(&size) {
        format!("{value:.2e}")
    } else {
        let whole_digits = size.log10().floor() as i32 + 1;
        let decimals = usize::try_from(4 - whole_digits).unwrap_or(0).min(6);
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_about_four_digits() {
        let cases = [
            (0.0, "0"),
            (1234.6, "1235"),
            (16.634, "16.63"),
            (240.0, "240"),
            (0.012361, "0.01236"),
            (-2.5, "-2.5"),
            (0.000012345, "1.23e-5"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }
}
