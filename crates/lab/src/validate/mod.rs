//! `cargo xtask validate`: the engine beside reference cases.
//!
//! A case is a function that returns rows (quantity, reference, ours, error, limit, source), one set per
//! preset. One set of parameters serves all cases and is printed first; limits follow from theory or from a
//! promise, never from what the engine gives, and a row that misses its limit stays in the table, also when the
//! reason is known. Where a method has a law or a scheme of its own, its limits are in one table with their reasons ([`limits`]). Start
//! reading at [`cases::ALL`]; the worlds of the cases are built with [`lab::Lab`].

mod cases;
mod data;
mod fclib;
mod fclib_convex;
pub(crate) mod lab;
mod limits;
mod report;
mod row;
mod rule;
mod store;
mod table;

use crate::machine::cpu_time;
use crate::shell::{Failure, Outcome};
use cases::Case;
use drystone_scenes::Preset;
use lab::{G, Setup};
use std::path::PathBuf;
use std::time::Instant;
use store::Store;
use table::Entry;

/// Which cases to run.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// Something else to compare with.
    #[command(subcommand)]
    other: Option<Other>,
    /// Short runs, a few minutes in all; the default.
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Long runs and every named scene.
    #[arg(long)]
    full: bool,
    /// Goes on with full runs of the same engine: what they measured is not measured again. Cases that are named are.
    #[arg(long, requires = "full")]
    resume: bool,
    /// Measures nothing more: the document of what was measured so far. A preset that was not measured in a case has no numbers there.
    #[arg(long, requires = "resume")]
    as_it_is: bool,
    /// Only these cases, by id; may be repeated.
    #[arg(long = "case", value_name = "ID")]
    cases: Vec<String>,
    /// Only these presets, by name; may be repeated. All when left out.
    #[arg(long = "preset", value_name = "PRESET")]
    presets: Vec<String>,
    /// Setting that differs from the presets', to find what a miss depends on; may be repeated. Named scenes do not have it.
    #[arg(long = "set", value_name = "FIELD=VALUE", conflicts_with = "resume")]
    settings: Vec<String>,
    /// Multiple of the presets' steps per second, for the same purpose.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, conflicts_with = "resume")]
    refine: f64,
    /// Also writes the table to this file.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// What is compared beside the cases.
#[derive(Debug, clap::Subcommand)]
enum Other {
    /// All solvers of discrete problems on the FCLib collection, or on problems of our own.
    Fclib(fclib::Args),
}

/// Runs the cases and prints a table.
///
/// # Errors
/// An unknown case or preset, what the engine refuses, rows that are farther outside their limits than is known, and after full runs known
/// shortfalls that are none any more.
pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(Other::Fclib(args)) = &args.other {
        return fclib::run(args);
    }
    let chosen = present(chosen(&args.cases, args.full)?);
    let presets = match args.presets.as_slice() {
        [] => Preset::ALL.to_vec(),
        names => names.iter().map(|name| Preset::find(name)).collect::<Result<_, _>>()?,
    };
    let settings: &'static [String] = Vec::leak(args.settings.clone());
    let setup = |&preset: &Preset| Setup::new(preset, args.full).varied(settings, args.refine);
    let setups = presets.iter().map(setup).collect::<Outcome<Vec<_>>>()?;
    let is_varied = !settings.is_empty() || args.refine != 1.0;
    println!("parameters of all cases: g = {G} m/s2, thresholds refer to it, bodies of a case never sleep");
    for setup in &setups {
        println!("  {} at {} steps per second", setup.preset.name(), setup.hz());
    }
    let (start, cpu) = (Instant::now(), cpu_time());
    let store = if args.full && !is_varied { Store::open()? } else { None };
    let entries = measure(args, store.as_ref(), &chosen, &setups)?;
    let outside = entries.iter().filter(|e| !e.row.is_good()).count();
    let failed = entries.iter().filter(|e| !e.row.is_good() && limits::reason(e).is_none()).count();
    // A quick run has not all rows that a rule may be about.
    let outlived = if args.full && !is_varied { limits::outlived(&entries) } else { Vec::new() };
    table::print(&chosen, &entries);
    limits::print(&entries, &chosen, &setups);
    // Part of a run, or one with other settings, would overwrite the document of a whole one.
    if args.full && args.cases.is_empty() && args.presets.is_empty() && !is_varied {
        report::write(&chosen, &setups, &entries)?;
    }
    if let Some(file) = &args.csv {
        std::fs::write(file, table::csv(&entries))?;
    }
    let used = cpu.zip(cpu_time()).map_or(String::new(), |(a, b)| format!(", {:.1} s of CPU", b - a));
    println!(
        "\n{} rows with a limit, {outside} outside of it, {} of them known; {:.1} s{used}",
        entries.iter().filter(|e| !e.row.only_tells()).count(),
        outside - failed,
        start.elapsed().as_secs_f64()
    );
    for line in &outlived {
        println!("must leave crates/lab/src/validate/limits.rs, since nothing misses by it: {line}");
    }
    match (failed, outlived.len()) {
        (0, 0) => Ok(()),
        (0, rules) => Err(Failure::new(format!("{rules} known shortfalls are none any more"))),
        _ => Err(Failure::new(format!("{failed} rows outside their limits and not known"))),
    }
}

/// The rows of the cases with each of the setups.
///
/// # Errors
/// What a case refuses, and rows that cannot be kept.
fn measure(args: &Args, store: Option<&Store>, cases: &[Case], setups: &[Setup]) -> Outcome<Vec<Entry>> {
    let known = store.filter(|_| args.resume && args.cases.is_empty());
    let mut entries = Vec::new();
    for case in cases {
        for setup in setups.iter().filter(|setup| !limits::is_left_out(setup, case.id, "")) {
            let preset = setup.preset;
            let rows = match known.and_then(|store| store.read(case.id, preset.name())) {
                Some((rows, _)) => rows,
                None if args.as_it_is => continue,
                None => {
                    let before = cpu_time();
                    let rows = (case.run)(setup)?;
                    let used = before.zip(cpu_time()).map_or(f64::NAN, |(a, b)| b - a);
                    eprintln!("{:<4}{:<16}{used:6.2} s  {}", case.id, preset.name(), case.title);
                    let measured = (rows, used);
                    if let Some(store) = store {
                        store.write(case.id, preset.name(), &measured)?;
                    }
                    measured.0
                }
            };
            let rows = rows.into_iter().map(|row| limits::held_to(case.id, preset, row));
            entries.extend(rows.map(|row| Entry { case: case.id, preset: preset.name(), row }));
        }
    }
    Ok(entries)
}

/// The cases that are asked for; when none is named all of them, in a quick run without the long ones.
fn chosen(ids: &[String], is_full: bool) -> Outcome<Vec<Case>> {
    let all = || cases::ALL.iter().copied().chain([cases::SCENES]);
    if ids.is_empty() {
        let (long, chosen): (Vec<Case>, Vec<Case>) = all().partition(|case| case.is_long && !is_full);
        if !long.is_empty() {
            let ids: Vec<&str> = long.iter().map(|case| case.id).collect();
            println!("left to a full run, or to --case: {}", ids.join(", "));
        }
        return Ok(chosen);
    }
    let find = |id: &String| {
        let known = || all().map(|c| c.id).collect::<Vec<_>>().join(", ");
        let found = all().find(|case| case.id.eq_ignore_ascii_case(id));
        found.ok_or_else(|| Failure::new(format!("there is no case `{id}`; known cases: {}", known())))
    };
    ids.iter().map(find).collect()
}

/// Those of the cases whose measurements are there; says which are not.
fn present(mut cases: Vec<Case>) -> Vec<Case> {
    cases.retain(|case| {
        let missing = case.data.filter(|name| data::folder(name).is_none());
        if let Some(name) = missing {
            println!("{} skipped: no folder `{name}` in what DRYSTONE_DATA names, nor in ../shared/data beside the repository", case.id);
        }
        missing.is_none()
    });
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_an_unknown_one_is_refused() {
        let mut ids: Vec<&str> = chosen(&[], true).expect("all").iter().map(|c| c.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        let refused = chosen(&["Z9".into()], false).unwrap_err().to_string();
        assert!(refused.starts_with("there is no case `Z9`; known cases: A1"), "{refused}");
    }
}
