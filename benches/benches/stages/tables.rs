//! Tables of stages and of what they work on.

use crate::scenes::{Case, Measured, WAYS, Work};
use std::time::Duration;

/// A line of a table.
pub(crate) fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

/// The head of a table: the first column to the left, the others to the right.
pub(crate) fn head(cells: &[&str]) {
    let rule: Vec<_> = (0..cells.len()).map(|i| if i == 0 { "---" } else { "---:" }).collect();
    println!("| {} |\n| {} |", cells.join(" | "), rule.join(" | "));
}

fn per(time: Duration, count: u64) -> f64 {
    time.as_secs_f64() * 1e9 / count.max(1) as f64
}

/// Time by stage: per step, per body, per contact point.
pub(crate) fn print_stages(case: &Case, all: &[Measured]) {
    println!("\n## Stages: {} (`{}`)\n", case.title, case.scene);
    let names: Vec<String> = WAYS
        .iter()
        .flat_map(|(preset, threads)| {
            let plural = if *threads == 1 { "" } else { "s" };
            let way = format!("{}, {threads} thread{plural}", preset.name());
            [format!("{way}: µs per step"), "ns per body".into(), "ns per contact point".into()]
        })
        .collect();
    let names: Vec<&str> = std::iter::once("stage").chain(names.iter().map(String::as_str)).collect();
    head(&names);
    let cells = |time: Duration, work: &Work| {
        let us = per(time, work.steps) * 1e-3;
        [
            format!("{us:.1}"),
            format!("{:.1}", per(time, work.bodies)),
            format!("{:.1}", per(time, work.points)),
        ]
    };
    for (i, (name, _)) in all[0].stages.iter().enumerate() {
        let times = all.iter().flat_map(|way| cells(way.stages[i].1, &way.work));
        row(&std::iter::once((*name).to_owned()).chain(times).collect::<Vec<_>>());
        if *name == "solve" {
            for (part, time) in &all[0].parts {
                let blank = (1..all.len()).flat_map(|_| ["", "", ""].map(str::to_owned));
                let cells = cells(*time, &all[0].work).into_iter().chain(blank);
                row(&std::iter::once(format!("… {part}")).chain(cells).collect::<Vec<_>>());
            }
        }
    }
    let totals = all.iter().flat_map(|way| {
        let sum = way.stages.iter().map(|(_, time)| *time).sum();
        cells(sum, &way.work)
    });
    row(&std::iter::once("**step**".to_owned()).chain(totals).collect::<Vec<_>>());
}

/// What a step works on, on average.
pub(crate) fn print_work(taken: &[(Case, Vec<Measured>)]) {
    println!("\n## What a step works on\n");
    println!(
        "Means over the steps of the tables above. A pair that has not moved at all keeps its contact; one that moved"
    );
    println!(
        "less than `detection.coherence_tolerance` has its points carried along; the others are looked at anew.\n"
    );
    head(&[
        "scene, preset",
        "bodies",
        "groups",
        "pairs",
        "unmoved",
        "carried",
        "anew",
        "contact points",
        "manifolds of 1",
        "of 2",
        "of 3",
        "of 4 points",
        "state hash",
    ]);
    for (case, all) in taken {
        for ((preset, threads), Measured { work, .. }) in WAYS.iter().zip(all) {
            if *threads > 1 {
                continue;
            }
            let mean = |sum: u64| format!("{:.1}", sum as f64 / work.steps as f64);
            let share = |part: u64| format!("{:.1} %", 100.0 * part as f64 / work.examined.max(1) as f64);
            let mut cells = vec![format!("`{}`, {}", case.scene, preset.name())];
            cells.extend([work.bodies, work.groups, work.examined].map(mean));
            cells
                .extend([work.skipped - work.carried, work.carried, work.examined - work.skipped].map(share));
            cells.push(mean(work.points));
            cells.extend(work.manifolds.map(mean));
            cells.push(format!("{:#018x}", work.hash));
            row(&cells);
        }
    }
}
