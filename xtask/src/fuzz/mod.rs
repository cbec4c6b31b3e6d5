//! `cargo xtask fuzz [TARGET..] [--minutes N]`: builds the fuzz targets of `fuzz/` with libFuzzer's counters and the address sanitizer, and
//! runs them one after another.
//!
//! Prints what each run did and writes `docs/measurements/fuzz.md`, where targets that did not run keep their rows. Inputs that were worth
//! keeping and those that broke something lie under cargo's target folder, in `fuzz-corpus/` and `fuzz-artifacts/`. Fails when
//! something was found.
//!
//! libFuzzer is C++: a compiler for it (g++ or clang) is needed. The switches of the compiler that it needs are those of nightly, which
//! `RUSTC_BOOTSTRAP` lets the stable compiler take.

mod document;

use crate::leaf::Leaf;
use crate::shell::{self, Failure, Outcome, cargo};
use crate::workspace::{Workspace, root};
use document::Row;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A target: its name, and the longest input, bytes, that is worth its time.
const TARGETS: [(&str, u32); 5] =
    [("hull", 2048), ("gjk_epa", 512), ("mesh", 1024), ("scene_file", 4096), ("world_ops", 2048)];
/// Triple of the builds: with one named, build scripts and macros are built without the sanitizer.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// Time after which one input counts as a hang, s.
const TIMEOUT: u32 = 20;
/// Memory beyond which one input counts as a finding, MiB.
const MEMORY: u32 = 2048;
/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Targets to run, one after another; all when left out.
    targets: Vec<String>,
    /// Minutes for each.
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
}

/// Builds and runs the targets.
///
/// # Errors
/// A target that does not exist, a build that fails, files that cannot be written, or a finding.
pub(crate) fn run(args: &Args) -> Outcome {
    let chosen = chosen(&args.targets)?;
    if !(args.minutes > 0.0 && args.minutes <= 10_000.0) {
        return Err(Failure::new(format!(
            "--minutes must be above 0 and at most 10000, got {}",
            args.minutes
        )));
    }
    let home = Workspace::load()?.target_directory;
    let programs = build(&home)?;
    let mut rows = Vec::new();
    for (target, max_len) in chosen {
        let row = fuzz(target, max_len, args.minutes, &programs, &home)?;
        row.print();
        rows.push(row);
    }
    let path = root().join("docs/measurements/fuzz.md");
    document::write(&path, &rows)?;
    println!("\nwritten: {}", path.display());
    let found: Vec<&str> = rows.iter().filter(|row| row.has_finding()).map(Row::target).collect();
    if found.is_empty() { Ok(()) } else { Err(Failure::new(format!("findings in {}", found.join(", ")))) }
}

/// The targets that are asked for.
fn chosen(asked: &[String]) -> Outcome<Vec<(&'static str, u32)>> {
    if asked.is_empty() {
        return Ok(TARGETS.to_vec());
    }
    let find = |name: &String| {
        TARGETS.iter().copied().find(|(target, _)| target == name).ok_or_else(|| {
            let known = TARGETS.map(|(target, _)| target).join(", ");
            Failure::new(format!("there is no fuzz target `{name}`; known targets: {known}"))
        })
    };
    asked.iter().map(find).collect()
}

/// Compiles all targets, unlinked and so without a compiler for C++: what the gate needs to know.
///
/// # Errors
/// Sources that are not formatted or do not compile.
pub(crate) fn check() -> Outcome {
    let leaf = Leaf::new("fuzz", "fuzz")?;
    shell::run(leaf.cargo().args(["fmt", "--check"]))?;
    // A library of one's own is not compiled, and nothing asks for it before programs are linked.
    let nothing = leaf.target.join("libfuzzer.a");
    shell::run(leaf.cargo().args(["check", "--locked"]).env("CUSTOM_LIBFUZZER_PATH", nothing))
}

/// Builds all targets; returns the folder of the programs.
fn build(home: &Path) -> Outcome<PathBuf> {
    let counters = ["level=4", "inline-8bit-counters", "pc-table", "trace-compares"];
    let counters = counters.map(|name| format!("-Cllvm-args=-sanitizer-coverage-{name}")).join(" ");
    let flags = format!("-Cpasses=sancov-module {counters} --cfg fuzzing -Zsanitizer=address");
    let folder = home.join("fuzz");
    let mut command = cargo();
    command
        .args([
            "build",
            "--release",
            "--bins",
            "--locked",
            "--target",
            TRIPLE,
            "--manifest-path",
            "fuzz/Cargo.toml",
        ])
        .env("CARGO_TARGET_DIR", &folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags);
    shell::run(&mut command).map_err(|failure| {
        Failure::new(format!("{failure}; libFuzzer needs a C++ compiler (g++ or clang)"))
    })?;
    Ok(folder.join(TRIPLE).join("release"))
}

/// Runs a target until its time is over or something is found.
fn fuzz(target: &str, max_len: u32, minutes: f64, programs: &Path, home: &Path) -> Outcome<Row> {
    let [corpus, artifacts] = ["fuzz-corpus", "fuzz-artifacts"].map(|name| home.join(name).join(target));
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&artifacts)?;
    let mut command = Command::new(programs.join(target));
    command
        .arg(&corpus)
        .arg(format!("-max_total_time={}", (minutes * 60.0).ceil()))
        .arg(format!("-max_len={max_len}"))
        .arg(format!("-timeout={TIMEOUT}"))
        .arg(format!("-rss_limit_mb={MEMORY}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(["-print_final_stats=1", "-detect_leaks=0", "-len_control=0"]);
    println!("\n{target}: {minutes} min, corpus in {}", corpus.display());
    let mut row = Row::new(target);
    let start = std::time::Instant::now();
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).split(b'\n') {
            // A broken input is shown as it is, and need not be text.
            let line = String::from_utf8_lossy(&line?).into_owned();
            if row.read(&line) {
                println!("  {line}");
            }
        }
    }
    let status = child.wait()?;
    row.end(start.elapsed(), status.success());
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_target_is_refused_with_those_that_exist() {
        assert_eq!(chosen(&["mesh".to_owned()]).expect("it exists"), [TARGETS[2]]);
        assert_eq!(chosen(&[]).expect("all").len(), TARGETS.len());
        let refused = chosen(&["mash".to_owned()]).expect_err("unknown").to_string();
        assert!(refused.contains("`mash`") && refused.contains("gjk_epa"), "{refused}");
    }

    #[test]
    fn every_target_has_a_program() {
        for (target, _) in TARGETS {
            assert!(root().join(format!("fuzz/targets/{target}.rs")).is_file(), "{target}");
        }
    }
}
