//! `cargo xtask bindings`: builds what other languages use, and runs its tests and examples as their users would.
//!
//! C: formatted, the header compared with the sources, the example compiled by the C compiler with its warnings as errors, and run. Python: the
//! package put together (as a wheel where `maturin` is installed, or else from the library alone), its tests and its example
//! run. They are workspaces of their own, built under cargo's target folder, in `bindings`. What a machine lacks (a C compiler,
//! Python with numpy) is left out with a line that says so.

use crate::leaf::{Leaf, answers};
use crate::shell::{self, Failure, Outcome};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs all of them.
///
/// # Errors
/// The first that does not build, or whose tests or example fail.
pub(crate) fn run() -> Outcome {
    // One target folder: they share what they are made of.
    c(&Leaf::new("bindings/c", "bindings")?)?;
    python(&Leaf::new("bindings/python", "bindings")?)
}

fn c(leaf: &Leaf) -> Outcome {
    leaf.check_sources()?;
    leaf.test()?;
    shell::run(leaf.cargo().args(["build", "--locked"]))?;
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    if !answers(&compiler, &["--version"]) {
        println!("left out: the example in C, since there is no C compiler ({})", compiler.display());
        return Ok(());
    }
    let (source, libraries) = (&leaf.folder, leaf.target.join("debug"));
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

fn python(leaf: &Leaf) -> Outcome {
    leaf.check_sources()?;
    let interpreter = std::env::var_os("DRYSTONE_PYTHON").unwrap_or_else(|| "python3".into());
    if !answers(&interpreter, &["-c", "import numpy"]) {
        println!(
            "left out: the tests in Python, since {} has no numpy (DRYSTONE_PYTHON names another one)",
            interpreter.display()
        );
        return shell::run(leaf.cargo().args(["build", "--locked"]));
    }
    let package = leaf.target.join("python-package");
    if package.exists() {
        std::fs::remove_dir_all(&package)?;
    }
    std::fs::create_dir_all(&package)?;
    if answers(&"maturin".into(), &["--version"]) {
        wheel(leaf, &interpreter, &package)?;
    } else {
        println!("left out: the wheel, since maturin is not installed (`pip install maturin`)");
        without_wheel(leaf, &package)?;
    }
    let python = |arguments: [OsString; 2]| {
        let mut command = Command::new(&interpreter);
        command
            .args(arguments)
            .env("PYTHONPATH", &package)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(&leaf.target);
        command
    };
    for script in ["tests/test_drystone.py", "examples/pile.py"] {
        shell::run(&mut python(["-B".into(), leaf.folder.join(script).into()]))?;
    }
    Ok(())
}

/// Builds the wheel and unpacks it: what is tested is what users get.
fn wheel(leaf: &Leaf, interpreter: &OsString, package: &Path) -> Outcome {
    let wheels = leaf.target.join("wheels");
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let mut command = Command::new("maturin");
    command
        .args(["build", "--locked", "--profile", "dev", "--interpreter"])
        .arg(interpreter)
        .arg("--out")
        .arg(&wheels);
    shell::run(command.current_dir(&leaf.folder).env("CARGO_TARGET_DIR", &leaf.target))?;
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
fn without_wheel(leaf: &Leaf, package: &Path) -> Outcome {
    shell::run(leaf.cargo().args(["build", "--locked"]))?;
    let (from, to) = (leaf.folder.join("python/drystone"), package.join("drystone"));
    std::fs::create_dir_all(&to)?;
    for name in ["__init__.py", "_native.pyi", "py.typed"] {
        std::fs::copy(from.join(name), to.join(name))?;
    }
    let library = format!("{}_native{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let extension = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
    std::fs::copy(leaf.target.join("debug").join(library), to.join(extension))?;
    Ok(())
}
