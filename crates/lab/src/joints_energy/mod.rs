//! `cargo xtask joints-energy [--quick] [--random N] [--only NAME] [--preset P]`: whether joints give energy, lose it, or lose what they hold.
//!
//! Runs the cases of `crates/scenes/src/linkages/mod.rs`: those known by name, the matrix of kinds, thickness, speed, chains and loops at 30, 60, 120 and
//! 240 steps per second, and random linkages by their seeds. Writes `docs/measurements/joints-energy.md`, and a line for every miss to the terminal.
//! Fails when anything misses. A world has one thread; as many cases run at once as there are threads.

mod document;
mod jobs;

use crate::machine;
use crate::shell::{Failure, Outcome, seconds};
use drystone_scenes::Preset;
use drystone_scenes::linkages::matrix::Extent;
use drystone_scenes::linkages::{Case, RATES, matrix, named, random};
use jobs::Measured;
use std::time::Instant;

/// Presets that are measured where none is named.
const PRESETS: [Preset; 3] = [Preset::Fast, Preset::Fine, Preset::ThesisFast];
/// Random linkages of a full run and of a quick one.
const RANDOM: [u64; 2] = [100_000, 2_000];

/// What to run.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// A part of the matrix, at 60 steps per second with `fast`, and fewer random linkages: a minute.
    #[arg(long)]
    quick: bool,
    /// Random linkages, from seed 0 on; a tenth of it with other presets than `fast`. 100000 when left out, 2000 with `--quick`, none with `--only`.
    #[arg(long, value_name = "N")]
    random: Option<u64>,
    /// Only cases whose name, rate and preset as printed contain this (`random/17` for a seed), with all figures; writes no document.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Prints what the cases are made of before they run.
    #[arg(long, requires = "only")]
    show: bool,
    /// Only these presets, by name; may be repeated. `fast`, `fine` and `thesis_fast` when left out, `fast` with `--quick`.
    #[arg(long = "preset", value_name = "PRESET")]
    presets: Vec<String>,
    /// Only at this many steps per second, random linkages as well; may be repeated. 30, 60, 120 and 240 when left out, with other presets than `fast` 60
    /// and 240, and 60 with `--quick`; random linkages at their own.
    #[arg(long = "hz", value_name = "HZ")]
    rates: Vec<f64>,
    /// Cases that run at once; at least 1. As many as there are processors when left out.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Args {
    fn presets(&self) -> Outcome<Vec<Preset>> {
        if !self.presets.is_empty() {
            return self.presets.iter().map(|name| Ok(Preset::find(name)?)).collect();
        }
        Ok(if self.quick { vec![Preset::Fast] } else { PRESETS.to_vec() })
    }

    fn threads(&self) -> Outcome<usize> {
        match self.threads {
            Some(0) => Err(Failure::new("--threads must be at least 1, got 0")),
            Some(threads) => Ok(threads),
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        }
    }

    /// The command that runs the same.
    fn command(&self) -> String {
        let mut text = String::from("cargo xtask joints-energy");
        if self.quick {
            text += " --quick";
        }
        self.random.iter().for_each(|count| text += &format!(" --random {count}"));
        self.presets.iter().for_each(|preset| text += &format!(" --preset {preset}"));
        self.rates.iter().for_each(|hz| text += &format!(" --hz {hz}"));
        text
    }

    /// Cases but for random ones: each linkage with each preset and rate.
    fn cases(&self, presets: &[Preset]) -> Vec<Case> {
        let extent = if self.quick { Extent::Thin } else { Extent::Full };
        let rows: Vec<Case> = named::all().into_iter().chain(matrix::rows(extent)).collect();
        let all = |row: &Case| -> Vec<Case> {
            let settings =
                presets.iter().flat_map(|&preset| self.rates(preset).iter().map(move |&hz| (preset, hz)));
            settings.map(|(preset, hz)| row.with(preset, hz)).collect()
        };
        let is_wanted = |case: &Case| self.only.as_ref().is_none_or(|name| case.title().contains(name));
        rows.iter().flat_map(all).filter(is_wanted).collect()
    }

    /// Steps per second that a preset is measured at.
    fn rates(&self, preset: Preset) -> &[f64] {
        match preset {
            _ if !self.rates.is_empty() => &self.rates,
            _ if self.quick => &[60.0],
            Preset::Fast => &RATES,
            // They were made for more; that they lose nothing at fewer is asked for all the same.
            _ => &[60.0, 240.0],
        }
    }

    /// Seeds of random linkages with `fast`.
    fn seeds(&self) -> Outcome<std::ops::Range<u64>> {
        if let Some(text) = self.only.as_ref().and_then(|name| name.strip_prefix("random/")) {
            let refused = |_| Failure::new(format!("random/SEED must end in a whole number, got {text:?}"));
            let seed = text.parse::<u64>().map_err(refused)?;
            return Ok(seed..seed.saturating_add(1));
        }
        let usual = if self.only.is_some() { 0 } else { RANDOM[usize::from(self.quick)] };
        Ok(0..self.random.unwrap_or(usual))
    }
}

/// Runs all cases and writes the document.
///
/// # Errors
/// Arguments out of range, cases that the engine refuses, files that cannot be written, and what misses.
pub(crate) fn run(args: &Args) -> Outcome {
    let (presets, threads, seeds, start) = (args.presets()?, args.threads()?, args.seeds()?, Instant::now());
    let machine = machine::describe(crate::PROFILE);
    let cases = args.cases(&presets);
    let show = |case: Case| {
        if args.show {
            println!("{}: {:#?}", case.title(), case.linkage);
        }
        case
    };
    let measured = jobs::run(cases.len(), threads, |place| show(cases[place].clone()))?;
    let tell = |one: &Measured| tell(one, args.only.is_some());
    measured.iter().for_each(tell);
    let time_of_matrix = start.elapsed();
    let mut drawn = Vec::new();
    for &preset in &presets {
        let make = |place: usize| {
            let case = random(seeds.start + place as u64);
            let (hz, others) = (case.hz, args.rates.len());
            let hz = if others > 0 { args.rates[place % others] } else { hz };
            show(case.with(preset, hz))
        };
        let count = usize::try_from(seeds.end - seeds.start)?;
        let count = if preset == Preset::Fast { count } else { count.div_ceil(10) };
        drawn.push((preset, jobs::run(count, threads, make)?));
    }
    drawn.iter().flat_map(|(_, measured)| measured).for_each(tell);
    let totals = document::Totals::of(&measured, &drawn);
    println!("{}", totals.line());
    println!(
        "matrix {}, random linkages {}",
        seconds(time_of_matrix),
        seconds(start.elapsed() - time_of_matrix)
    );
    if measured.is_empty() && drawn.iter().all(|(_, measured)| measured.is_empty()) {
        let name = args.only.as_deref().unwrap_or_default();
        return Err(Failure::new(format!("--only must be part of the name of a case, got {name:?}")));
    }
    if args.only.is_none() {
        let path = crate::workspace::root().join("docs/measurements/joints-energy.md");
        std::fs::write(&path, document::text(&args.command(), &machine, &measured, &drawn))?;
        println!("written: {}", path.display());
    }
    if totals.failed() == 0 { Ok(()) } else { Err(Failure::new(totals.line())) }
}

/// A line for what misses; one for each case, and its figures, where cases were asked for by name.
fn tell(measured: &Measured, all: bool) {
    let Measured { case, outcome, misses } = measured;
    if !misses.is_empty() {
        println!("FAIL {}: {}", case.title(), misses.join("; "));
    } else if all {
        println!("  ok {}", case.title());
    }
    if all {
        println!(
            "     {:.4e} J put in, largest {:.5e}, last {:.5e}, apart {:.3e} m, force {:.3e} N, spin {:.3e} rad/s, {} limit hits, {} of {} steps unsolved",
            outcome.put_in,
            outcome.largest,
            outcome.last,
            outcome.distance,
            outcome.force,
            outcome.spin,
            outcome.limit_hits,
            outcome.unsolved,
            outcome.steps,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> Args {
        Args {
            quick: true,
            random: None,
            only: None,
            show: false,
            presets: Vec::new(),
            rates: Vec::new(),
            threads: None,
        }
    }

    #[test]
    fn a_part_is_chosen_by_name_and_preset() {
        let all = args().cases(&[Preset::Fast]);
        let some = Args { only: Some("fan blade".into()), ..args() }.cases(&[Preset::Fast, Preset::Fine]);
        assert_eq!(some.len(), 2);
        assert!(all.len() > 300, "{}", all.len());
        let refused = Args { presets: vec!["slow".into()], ..args() }.presets().expect_err("no preset");
        assert!(refused.to_string().contains("slow"), "{refused}");
        assert_eq!(Args { only: Some("random/17".into()), ..args() }.seeds().expect("a seed"), 17..18);
        let refused = Args { only: Some("random/x".into()), ..args() }.seeds().expect_err("no seed");
        assert!(refused.to_string().contains("\"x\""), "{refused}");
        assert!(Args { threads: Some(0), ..args() }.threads().is_err());
    }

    #[test]
    fn names_tell_cases_apart() {
        let mut titles: Vec<_> =
            Args { quick: false, ..args() }.cases(&PRESETS).iter().map(Case::title).collect();
        let count = titles.len();
        titles.sort();
        titles.dedup();
        assert_eq!(titles.len(), count);
    }
}
