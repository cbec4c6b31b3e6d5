//! `cargo xtask hashes`: the state hash of every scene with every preset, as a file that a later run is compared with.
//!
//! What only moves or renames code changes no motion: `--check FILE` says so to the bit. Each run is made twice, on one thread with the widest lanes of
//! the machine and on two threads with the narrowest, and the two must agree, so one hash stands for all of them (S1-71, S1-72). Start reading at [`run`].

use crate::shell::{Failure, Outcome};
use crate::side_by_side::side_by_side;
use crate::workspace::root;
use drystone_math::wide::Isa;
use drystone_planar::scenes::{PLANAR_SCENES, planar_scene};
use drystone_planar::{Exec, PlanarConfig};
use drystone_scenes::{Preset, RunOptions, Runner, Scene, list, scene};
use std::path::PathBuf;
use std::time::Instant;

/// What to do with the hashes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Compares with this file in place of writing one; the command fails where a hash differs or a run is missing.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// File to write.
    #[arg(
        long,
        value_name = "FILE",
        default_value = "docs/measurements/hashes.txt",
        conflicts_with = "check"
    )]
    out: PathBuf,
    /// Only scenes whose name begins so; may be repeated. Without `--check` nothing is written then.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
}

/// Simulated time of a run, s, where the scene is not shorter.
const SECONDS: f64 = 2.0;
/// Steps of a run at most: those of `fine` at 1920 per second are a quarter of a second.
const STEPS: u64 = 480;
/// Bodies from which less time is taken for all presets but `fast`.
const LARGE: usize = 250;
/// Simulated time of scenes beyond [`LARGE`] with presets other than `fast`, s.
const SECONDS_OF_LARGE: f64 = 0.1;
/// Steps per second of planar scenes.
const PLANAR_HZ: f32 = 60.0;

/// One run: a scene of space with a preset, or one of the plane with a number of partitions.
#[derive(Debug)]
enum Job {
    Space { scene: Box<Scene>, preset: Preset },
    Plane { name: String, partitions: u32 },
}

impl Job {
    /// Its name in the file.
    fn title(&self) -> String {
        match self {
            Self::Space { scene, preset } => format!("{} {}", scene.name, preset.name()),
            Self::Plane { name, partitions } => format!("{name} partitions:{partitions}"),
        }
    }

    /// The hash at its end, or the sentence in which the engine refuses it.
    fn hash(&self, threads: usize) -> Result<u64, String> {
        match self {
            Self::Space { scene, preset } => {
                let is_short = scene.bodies.len() > LARGE && *preset != Preset::Fast;
                let most = if is_short { SECONDS_OF_LARGE } else { SECONDS };
                let seconds = Some(scene.seconds.min(most));
                let options = RunOptions { preset: *preset, threads, seconds, ..RunOptions::default() };
                let mut runner = Runner::new(scene, &options).map_err(|error| error.to_string())?;
                while runner.step_count() < STEPS && runner.step().map_err(|error| error.to_string())? {}
                Ok(runner.world().state_hash())
            }
            Self::Plane { name, partitions } => {
                let exec = Exec::with_threads(threads).map_err(|error| error.to_string())?;
                let config = PlanarConfig { partitions: *partitions, ..PlanarConfig::default() };
                let mut world = planar_scene(name)?.build(config, exec).map_err(|error| error.to_string())?;
                for _ in 0..(SECONDS * f64::from(PLANAR_HZ)) as u32 {
                    world.step(1.0 / PLANAR_HZ).map_err(|error| error.to_string())?;
                }
                Ok(world.state_hash())
            }
        }
    }
}

/// Makes all runs, and writes their hashes or compares them.
///
/// # Errors
/// A run whose two hashes differ, a hash that is not that of the file, a file that cannot be read or written.
pub(crate) fn run(args: &Args) -> Outcome {
    let jobs = jobs(&args.only)?;
    let start = Instant::now();
    let widest = Isa::best();
    let narrowest = Isa::all().next().unwrap_or(widest);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wide = side_by_side(jobs.len(), cores, |k| {
        let begin = Instant::now();
        let hash = jobs[k].hash(1);
        eprintln!("{:7.1} s  {}", begin.elapsed().as_secs_f64(), jobs[k].title());
        hash
    })?;
    narrowest.make_best();
    let narrow: Vec<_> = jobs.iter().map(|job| job.hash(2)).collect();
    widest.make_best();
    let mut lines = Vec::new();
    let mut apart = Vec::new();
    for ((job, wide), narrow) in jobs.iter().zip(wide).zip(narrow) {
        let title = job.title();
        if wide != narrow {
            apart.push(format!(
                "{title}: {wide:?} with {}, {narrow:?} with {}",
                widest.name(),
                narrowest.name()
            ));
        }
        lines.push(match wide {
            Ok(hash) => format!("{title} {hash:016x}"),
            Err(error) => {
                eprintln!("{title}: {error}");
                format!("{title} refused")
            }
        });
    }
    println!("{} runs, {:.0} s", jobs.len(), start.elapsed().as_secs_f64());
    if !apart.is_empty() {
        return Err(Failure::new(format!("threads or lanes change the motion:\n{}", apart.join("\n"))));
    }
    match &args.check {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
            compare(&lines, &text, &args.only)
        }
        None if args.only.is_empty() => {
            let file = root().join(&args.out);
            std::fs::write(&file, lines.join("\n") + "\n")
                .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
            println!("written: {}", file.display());
            Ok(())
        }
        None => {
            lines.iter().for_each(|line| println!("{line}"));
            Ok(())
        }
    }
}

/// All runs of scenes whose names begin with one of `only`; all scenes if there is none.
fn jobs(only: &[String]) -> Outcome<Vec<Job>> {
    let wanted = |name: &str| only.is_empty() || only.iter().any(|start| name.starts_with(start.as_str()));
    let mut jobs = Vec::new();
    for info in list().iter().filter(|info| wanted(info.name)) {
        let scene = scene(info.small())?;
        jobs.extend(Preset::ALL.iter().map(|&preset| Job::Space { scene: Box::new(scene.clone()), preset }));
    }
    for (name, ..) in PLANAR_SCENES.iter().filter(|(name, ..)| wanted(name)) {
        jobs.extend([0, 2].map(|partitions| Job::Plane { name: (*name).to_owned(), partitions }));
    }
    if jobs.is_empty() {
        return Err(Failure::new(format!("no scene has a name that begins with {only:?}")));
    }
    Ok(jobs)
}

/// Compares lines with those of a file; with `only`, those that are there.
fn compare(lines: &[String], text: &str, only: &[String]) -> Outcome {
    let title = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let mut differences = Vec::new();
    for line in lines {
        match text.lines().find(|known| title(known) == title(line)) {
            Some(known) if known == line => (),
            Some(known) => differences.push(format!("{line}, the file has {known}")),
            None => differences.push(format!("{line}, the file has no such run")),
        }
    }
    for known in text.lines().filter(|_| only.is_empty()) {
        if !lines.iter().any(|line| title(line) == title(known)) {
            differences.push(format!("{known} was not run"));
        }
    }
    match differences.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!("{count} runs move in another way:\n{}", differences.join("\n")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_and_missing_runs_are_named() {
        let lines = ["a fast 01".to_owned(), "b fast refused".to_owned()];
        assert!(compare(&lines, "a fast 01\nb fast refused\n", &[]).is_ok());
        let all = |text: &str| compare(&lines, text, &[]).expect_err("it differs").to_string();
        assert!(all("a fast 02\nb fast refused\n").contains("a fast 01, the file has a fast 02"));
        assert!(all("a fast 01\n").contains("b fast refused, the file has no such run"));
        assert!(all("a fast 01\nb fast refused\nc fast 03\n").contains("c fast 03 was not run"));
        let only = ["a".to_owned()];
        assert!(compare(&lines[..1], "a fast 01\nb fast 02\n", &only).is_ok());
    }

    /// The same motion on one thread with the widest lanes and on two with the narrowest.
    #[test]
    fn a_run_has_one_hash() {
        // Two bodies: a test beside this one looks at the memory of the process.
        for job in jobs(&["ball_on_ball".to_owned()]).expect("it is a scene") {
            assert_eq!(job.hash(1), job.hash(2), "{}", job.title());
        }
        assert!(jobs(&["nothing".to_owned()]).is_err());
    }
}
