//! `cargo xtask sanitize [address|thread]..`: builds what steps on several threads with the address sanitizer, then with the thread sanitizer,
//! runs it, and writes `docs/measurements/sanitizers.md`, where a sanitizer that did not run keeps its rows.
//!
//! The thread sanitizer must see every access, those of the standard library too, so that is built as well (`-Zbuild-std`), from sources that
//! `rustup component add rust-src` brings. The switches of the compiler that both need are those of nightly, which
//! `RUSTC_BOOTSTRAP` lets the stable compiler take. What is suppressed stands in `xtask/src/sanitize/address.supp` and `xtask/src/sanitize/thread.supp`, with reasons. Fails when something is reported, a
//! test fails, or the leak of `xtask/src/sanitize/deliberate.rs` is not reported.

mod document;

use crate::shell::{self, Failure, Outcome, cargo, run_and_read};
use crate::workspace::{Workspace, root};
use document::Row;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Triple of the builds: with one named, build scripts and macros are built without the sanitizer.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// What is run: arguments of `cargo test`. All of it works on several threads.
const RUNS: [&[&str]; 3] = [
    &["--package", "drystone-exec", "--lib", "--tests"],
    &["--package", "drystone", "--test", "facade", "--", "determinism", "thread_count"],
    &["--package", "drystone", "--test", "sub_step", "--", "number_of_threads"],
];

/// A sanitizer of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Sanitizer {
    /// Accesses outside of what was allocated, or after it was freed; leaks.
    Address,
    /// Accesses of two threads that nothing orders.
    Thread,
}

impl Sanitizer {
    const ALL: [Self; 2] = [Self::Address, Self::Thread];

    /// Its name for the compiler.
    fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Thread => "thread",
        }
    }

    /// Names and values of the variables with its options; reports go to files that begin with `log`.
    fn options(self, log: &Path) -> Vec<(&'static str, String)> {
        let log = format!("log_path={}", log.display());
        let list = format!("suppressions={}", suppressions(self).display());
        match self {
            // Leaks are found by a part of it that has options of its own.
            Self::Address => {
                vec![("ASAN_OPTIONS", log), ("LSAN_OPTIONS", format!("{list}:print_suppressions=0"))]
            }
            Self::Thread => vec![("TSAN_OPTIONS", format!("{log}:{list}"))],
        }
    }
}

/// The file of what a sanitizer is not to report.
fn suppressions(sanitizer: Sanitizer) -> PathBuf {
    root().join("xtask/src/sanitize").join(sanitizer.name()).with_extension("supp")
}

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Sanitizers, one after another; both when left out.
    sanitizers: Vec<Sanitizer>,
}

/// Builds and runs with each of the sanitizers.
///
/// # Errors
/// Missing sources of the standard library, a build that fails, leaks that would not be seen, files that cannot be written, or a finding.
pub(crate) fn run(args: &Args) -> Outcome {
    let chosen = if args.sanitizers.is_empty() { &Sanitizer::ALL[..] } else { &args.sanitizers };
    if chosen.contains(&Sanitizer::Thread) {
        find_sources()?;
    }
    let home = Workspace::load()?.target_directory;
    let mut rows = Vec::new();
    for &sanitizer in chosen {
        if sanitizer == Sanitizer::Address {
            see_a_leak(&home)?;
        }
        for arguments in RUNS {
            rows.push(test(sanitizer, arguments, &home)?);
        }
    }
    let path = root().join("docs/measurements/sanitizers.md");
    document::write(&path, &rows)?;
    println!("\nwritten: {}", path.display());
    let bad: Vec<String> = rows.iter().filter(|row| !row.is_clean()).map(Row::name).collect();
    if bad.is_empty() { Ok(()) } else { Err(Failure::new(format!("findings in {}", bad.join(", ")))) }
}

/// `Ok` when the standard library can be built.
fn find_sources() -> Outcome {
    let output = Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()).output()?;
    let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let lock = Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock");
    if lock.is_file() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the thread sanitizer needs the sources of the standard library, which are not at {}: `rustup component add rust-src`",
        lock.display()
    )))
}

/// `Ok` when a test that leaks is reported, with all that is suppressed.
fn see_a_leak(home: &Path) -> Outcome {
    let folder = home.join("sanitize/deliberate");
    let logs = empty(folder.join("reports"))?;
    let (source, program) = (root().join("xtask/src/sanitize/deliberate.rs"), folder.join("leaks"));
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.args(["--test", "--edition", "2024", "-g", "-Zsanitizer=address", "--target", TRIPLE]);
    compiler.current_dir(root()).arg(source).arg("-o").arg(&program).env("RUSTC_BOOTSTRAP", "1");
    shell::run(&mut compiler)?;
    let arguments = ["deliberate"];
    let mut row = Row::new(Sanitizer::Address.name(), &arguments, Duration::ZERO);
    println!("  a leak that is to be reported:");
    // It fails by what it leaks.
    let _ = run_and_read(Command::new(program).envs(Sanitizer::Address.options(&logs.join("report"))));
    read_logs(&logs, &mut row)?;
    if row.is_clean() {
        let list = suppressions(Sanitizer::Address);
        return Err(Failure::new(format!(
            "a deliberate leak was not reported: is {} too wide?",
            list.display()
        )));
    }
    Ok(())
}

/// A folder with nothing in it.
fn empty(folder: PathBuf) -> Outcome<PathBuf> {
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Takes all that a sanitizer wrote into a folder.
fn read_logs(logs: &Path, row: &mut Row) -> Outcome {
    for entry in std::fs::read_dir(logs)? {
        let text = String::from_utf8_lossy(&std::fs::read(entry?.path())?).into_owned();
        row.read_reports(&text);
    }
    Ok(())
}

/// One run of `cargo test` with a sanitizer.
fn test(sanitizer: Sanitizer, arguments: &[&str], home: &Path) -> Outcome<Row> {
    let name = sanitizer.name();
    let folder = home.join("sanitize").join(name);
    let logs = empty(folder.join("reports"))?;
    let mut command = cargo();
    command.args(["test", "--locked", "--target", TRIPLE]);
    if sanitizer == Sanitizer::Thread {
        command.arg("-Zbuild-std");
    }
    command
        .args(arguments)
        .env("CARGO_TARGET_DIR", &folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", format!("-Zsanitizer={name}"))
        .envs(sanitizer.options(&logs.join("report")));
    let start = Instant::now();
    let (text, outcome) = run_and_read(&mut command);
    let mut row = Row::new(name, arguments, start.elapsed());
    row.read_tests(&text);
    read_logs(&logs, &mut row)?;
    row.print();
    match outcome {
        // Nothing was reported and no test failed: it did not get that far.
        Err(failure) if row.is_clean() => Err(failure),
        _ if row.is_empty() => Err(Failure::new(format!("no test ran: {}", row.name()))),
        _ => Ok(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suppression_has_a_reason_above_it() {
        for (sanitizer, kind) in [(Sanitizer::Address, "leak:"), (Sanitizer::Thread, "race:")] {
            let text = std::fs::read_to_string(suppressions(sanitizer)).expect("it is there");
            let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
            assert!(lines.first().is_some_and(|line| line.starts_with('#')));
            for pair in lines.windows(2).filter(|pair| !pair[1].starts_with('#')) {
                assert!(pair[0].starts_with('#'), "{} has no reason above it", pair[1]);
                assert!(pair[1].starts_with(kind), "{} does not begin with {kind}", pair[1]);
            }
        }
    }
}
