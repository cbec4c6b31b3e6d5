//! `cargo xtask bindings`: builds what other languages use, and runs its tests and examples as their users would.
//!
//! C: formatted, the header compared with the sources, the example compiled by the C compiler with its warnings as errors, and run. Python: the
//! package put together (as a wheel where `maturin` is installed, or else from the library alone), its tests and its example
//! run. They are workspaces of their own, built under cargo's target folder, in `bindings`. What a machine lacks (a C compiler,
//! Python with numpy) is left out with a line that says so.

use crate::shell::{self, Failure, Outcome, cargo};
use crate::workspace::{Workspace, root};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs all of them.
///
/// # Errors
/// The first that does not build, or whose tests or example fail.
pub(crate) fn run() -> Outcome {
    let target = Workspace::load()?.target_directory.join("bindings");
    c(&target)?;
    python(&target)
}

/// A command of cargo for a workspace of the bindings.
fn cargo_of(language: &str, target: &Path) -> Command {
    let mut command = cargo();
    command.current_dir(root().join("bindings").join(language)).env("CARGO_TARGET_DIR", target);
    command
}

fn check_sources(language: &str, target: &Path) -> Outcome {
    shell::run(cargo_of(language, target).args(["fmt", "--check"]))?;
    shell::run(cargo_of(language, target).args([
        "clippy",
        "--locked",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))
}

fn c(target: &Path) -> Outcome {
    check_sources("c", target)?;
    shell::run(cargo_of("c", target).args(["test", "--locked"]))?;
    shell::run(cargo_of("c", target).args(["build", "--locked"]))?;
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    if !answers(&compiler, &["--version"]) {
        println!("left out: the example in C, since there is no C compiler ({})", compiler.display());
        return Ok(());
    }
    let (source, libraries) = (root().join("bindings").join("c"), target.join("debug"));
    let program = libraries.join("drystone-pile-c");
    shell::run(
        Command::new(&compiler)
            .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
            .arg(source.join("include"))
            .arg(source.join("examples").join("pile.c"))
            .arg("-L")
            .arg(&libraries)
            .args(["-ldrystone_c", "-lm", "-o"])
            .arg(&program),
    )?;
    shell::run(Command::new(&program).env("LD_LIBRARY_PATH", &libraries))
}

fn python(target: &Path) -> Outcome {
    check_sources("python", target)?;
    let interpreter = std::env::var_os("DRYSTONE_PYTHON").unwrap_or_else(|| "python3".into());
    if !answers(&interpreter, &["-c", "import numpy"]) {
        println!(
            "left out: the tests in Python, since {} has no numpy (DRYSTONE_PYTHON names another one)",
            interpreter.display()
        );
        return shell::run(cargo_of("python", target).args(["build", "--locked"]));
    }
    let package = target.join("python-package");
    if package.exists() {
        std::fs::remove_dir_all(&package)?;
    }
    std::fs::create_dir_all(&package)?;
    if answers(&"maturin".into(), &["--version"]) {
        wheel(target, &interpreter, &package)?;
    } else {
        println!("left out: the wheel, since maturin is not installed (`pip install maturin`)");
        without_wheel(target, &package)?;
    }
    let folder = root().join("bindings").join("python");
    let python = |arguments: [OsString; 2]| {
        let mut command = Command::new(&interpreter);
        command
            .args(arguments)
            .env("PYTHONPATH", &package)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(target);
        command
    };
    for script in ["tests/test_drystone.py", "examples/pile.py"] {
        shell::run(&mut python(["-B".into(), folder.join(script).into()]))?;
    }
    Ok(())
}

/// Builds the wheel and unpacks it: what is tested is what users get.
fn wheel(target: &Path, interpreter: &OsString, package: &Path) -> Outcome {
    let wheels = target.join("wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let folder = root().join("bindings").join("python");
    let mut command = Command::new("maturin");
    command
        .args(["build", "--locked", "--profile", "dev", "--interpreter"])
        .arg(interpreter)
        .arg("--out")
        .arg(&wheels);
    shell::run(command.current_dir(folder).env("CARGO_TARGET_DIR", target))?;
    let files = std::fs::read_dir(&wheels)?.map(|entry| Ok(entry?.path()));
    let files = files.collect::<Outcome<Vec<PathBuf>>>()?;
    let [wheel] = &files[..] else {
        return Err(Failure::new(format!(
            "one wheel was expected in {}, there are {}",
            wheels.display(),
            files.len()
        )));
    };
    shell::run(Command::new(interpreter).args(["-m", "zipfile", "-e"]).arg(wheel).arg(package))
}

/// The package as the wheel has it: its files, and the library beside them.
fn without_wheel(target: &Path, package: &Path) -> Outcome {
    shell::run(cargo_of("python", target).args(["build", "--locked"]))?;
    let (from, to) = (root().join("bindings/python/python/drystone"), package.join("drystone"));
    std::fs::create_dir_all(&to)?;
    for name in ["__init__.py", "_native.pyi", "py.typed"] {
        std::fs::copy(from.join(name), to.join(name))?;
    }
    let library = format!("{}_native{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let extension = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
    std::fs::copy(target.join("debug").join(library), to.join(extension))?;
    Ok(())
}

/// Whether a program is there and answers.
fn answers(program: &OsString, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let status = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
