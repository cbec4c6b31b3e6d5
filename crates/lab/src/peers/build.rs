//! The builds: one program per engine.

use crate::shell::{Failure, Outcome, cargo};
use crate::workspace::{Workspace, root};
use std::path::{Path, PathBuf};

/// Manifest of the package.
const MANIFEST: &str = "benches/peers/Cargo.toml";

/// A way to build the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    /// Its name in reports.
    pub(crate) name: &'static str,
    /// The engine it is told to run.
    pub(crate) engine: &'static str,
    features: &'static str,
    flags: &'static str,
    /// Package whose version is that of the engine; drystone's own is that of the workspace.
    pub(crate) package: &'static str,
    /// The numbers of threads that make sense with it.
    pub(crate) min_threads: usize,
    pub(crate) max_threads: usize,
}

/// drystone first, then the peers.
const VARIANTS: [Variant; 6] = [
    Variant {
        name: "drystone",
        engine: "drystone",
        features: "",
        flags: "",
        package: "drystone",
        min_threads: 1,
        max_threads: usize::MAX,
    },
    Variant {
        name: "rapier",
        engine: "rapier",
        features: "rapier",
        flags: "",
        package: "rapier3d",
        min_threads: 1,
        max_threads: 1,
    },
    Variant {
        name: "rapier-parallel",
        engine: "rapier",
        features: "rapier-parallel",
        flags: "",
        package: "rapier3d",
        min_threads: 2,
        max_threads: usize::MAX,
    },
    Variant {
        name: "rapier-simd8",
        engine: "rapier",
        features: "rapier-simd8",
        flags: "-C target-cpu=native",
        package: "rapier3d",
        min_threads: 1,
        max_threads: usize::MAX,
    },
    Variant {
        name: "box3d",
        engine: "box3d",
        features: "box3d",
        flags: "",
        package: "box3d-sys",
        min_threads: 1,
        max_threads: usize::MAX,
    },
    Variant {
        name: "jolt",
        engine: "jolt",
        features: "jolt",
        flags: "",
        package: "joltc-sys",
        min_threads: 1,
        max_threads: usize::MAX,
    },
];

/// A build that worked.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) variant: Variant,
    pub(crate) path: PathBuf,
    pub(crate) version: String,
}

impl Program {
    /// How it was built, as in a shell.
    pub(crate) fn built_with(&self) -> String {
        let features = match self.variant.features {
            "" => "no features".to_owned(),
            features => format!("features `{features}`"),
        };
        match self.variant.flags {
            "" => features,
            flags => format!("{features}, RUSTFLAGS `{flags}`"),
        }
    }
}

/// What could be built, and what not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builds {
    pub(crate) programs: Vec<Program>,
    /// Name and reason.
    pub(crate) missing: Vec<(&'static str, String)>,
}

/// Builds the engines asked for, all when none is named; drystone always.
///
/// # Errors
/// A name that is not known; drystone failing to build.
pub(crate) fn all(asked: &[String]) -> Outcome<Builds> {
    let names = VARIANTS.map(|v| v.name);
    if let Some(unknown) = asked.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(Failure::new(format!("there is no engine `{unknown}`; known: {}", names.join(", "))));
    }
    let folder = Workspace::load()?.target_directory.join("peers");
    let mut builds = Builds::default();
    for variant in VARIANTS {
        let is_ours = variant.name == "drystone";
        if !(asked.is_empty() || is_ours || asked.iter().any(|name| name == variant.name)) {
            continue;
        }
        match build(&variant, &folder) {
            Ok(path) => {
                let version = version(variant.package);
                builds.programs.push(Program { variant, path, version });
            }
            Err(reason) if is_ours => return Err(reason),
            Err(reason) => {
                println!("  {} is missing: {reason}", variant.name);
                builds.missing.push((variant.name, reason.to_string()));
            }
        }
    }
    Ok(builds)
}

/// Builds one and returns a copy of the program: the next build writes over the original.
fn build(variant: &Variant, folder: &Path) -> Outcome<PathBuf> {
    println!("building {}", variant.name);
    let mut command = cargo();
    command.args(["build", "--release", "--quiet", "--manifest-path", MANIFEST, "--target-dir"]).arg(folder);
    command.args(["--no-default-features", "--features", variant.features]);
    command.env("RUSTFLAGS", variant.flags);
    let output = command.output()?;
    if !output.status.success() {
        return Err(Failure::new(reason(&String::from_utf8_lossy(&output.stderr))));
    }
    let program = format!("peers-run{}", std::env::consts::EXE_SUFFIX);
    let copy = folder.join("bin").join(format!("{}-{program}", variant.name));
    std::fs::create_dir_all(folder.join("bin"))?;
    std::fs::copy(folder.join("release").join(program), &copy)?;
    Ok(copy)
}

/// The lines of a failed build that say why.
fn reason(stderr: &str) -> String {
    let telling = |line: &&str| {
        let line = line.to_lowercase();
        ["error", "panicked", "not found", "is `cmake`", "libclang"].iter().any(|word| line.contains(word))
    };
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(telling).take(4).collect();
    let text = lines.join("; ");
    let short: String = text.chars().take(400).collect();
    if short.is_empty() { "it does not build, without a message".into() } else { short.replace('|', "/") }
}

/// The version of a package in the lock file beside the manifest.
fn version(package: &str) -> String {
    let lock = root().join(MANIFEST).with_file_name("Cargo.lock");
    let text = std::fs::read_to_string(lock).unwrap_or_default();
    version_in(&text, package).unwrap_or("unknown").to_owned()
}

fn version_in<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let (_, rest) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    rest.split_once('"').map(|(version, _)| version)
}

/// drystone and a peer, for tests of what is done with measurements.
#[cfg(test)]
pub(crate) fn two_for_tests() -> [Variant; 2] {
    [VARIANTS[0], VARIANTS[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_lock_file() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.2\"\n\n[[package]]\nname = \"ab\"\nversion = \"3.4+x\"\n";
        assert_eq!(version_in(lock, "a"), Some("1.2"));
        assert_eq!(version_in(lock, "ab"), Some("3.4+x"));
        assert_eq!(version_in(lock, "b"), None);
    }

    #[test]
    fn the_reason_of_a_failed_build_is_short() {
        let said = "   Compiling x\nerror: failed to run custom build command for `joltc-sys`\n  thread panicked: \
                    is `cmake` not installed?\n";
        assert!(reason(said).contains("cmake"), "{}", reason(said));
        assert!(!reason("").is_empty());
    }
}
