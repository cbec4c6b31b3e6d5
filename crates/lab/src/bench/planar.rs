//! `cargo xtask bench planar [--quick]`: scenes of the plane in drystone and in Box2D (`benches/peers/planar`), as a document.

use crate::machine;
use crate::shell::{self, Failure, Outcome, cargo, run_and_read};
use crate::workspace::{Workspace, root};
use std::process::Command;

/// Name of the suite.
pub(super) const SUITE: &str = "planar";
/// The workspace that may need what nobody else needs.
const MANIFEST: &str = "benches/peers/Cargo.toml";
/// Scenes by size, and of each how many steps are measured, how many come before, and in how many rounds.
const SCENES: [(&[&str], [&str; 3]); 3] = [
    (
        &["circles:500", "circles:2000", "circles:10000", "polygons:500", "polygons:2000", "polygons:10000"],
        ["60", "60", "3"],
    ),
    (
        &["planar_pyramid:10", "planar_pyramid:30", "planar_pyramid:60", "planar_column:50", "tumbler:1000"],
        ["300", "120", "3"],
    ),
    (&["circles:50000", "polygons:50000"], ["20", "30", "1"]),
];

/// Builds the program, runs it and writes `docs/measurements/planar.md`; with `--quick`, small scenes only and no document.
///
/// # Errors
/// The program failing, the file not being writable.
pub(super) fn run(rest: &[String]) -> Outcome {
    let is_quick = match rest {
        [] => false,
        [word] if word == "--quick" => true,
        other => return Err(Failure::new(format!("`bench planar` takes --quick or nothing, got {other:?}"))),
    };
    let folder = Workspace::load()?.target_directory.join("peers");
    let mut build = cargo();
    build.args(["build", "--release", "--manifest-path", MANIFEST, "--package", "drystone-planar-peers"]);
    build.args(["--features", "box2d", "--target-dir"]).arg(&folder);
    shell::run(&mut build)?;
    let program =
        folder.join("release").join(format!("drystone-planar-peers{}", std::env::consts::EXE_SUFFIX));
    let machine = machine::describe("release");
    let mut text = String::from(HEAD);
    machine.iter().for_each(|line| text += &format!("- {line}\n"));
    let groups = if is_quick { &SCENES[..1] } else { &SCENES[..] };
    for (scenes, [steps, warm_up, rounds]) in groups {
        let scenes = if is_quick { &scenes[..1] } else { scenes };
        let mut command = Command::new(&program);
        command.args([
            "--threads",
            "1,2",
            "--partitions",
            "--steps",
            steps,
            "--warm-up",
            warm_up,
            "--rounds",
            rounds,
        ]);
        scenes.iter().for_each(|scene| {
            command.args(["--scene", scene]);
        });
        let (table, outcome) = run_and_read(&mut command);
        outcome?;
        text += &format!("\n{table}");
    }
    if is_quick {
        return Ok(());
    }
    let path = root().join("docs/measurements/planar.md");
    std::fs::write(&path, text)?;
    println!("\nwritten: {}", path.display());
    Ok(())
}

const HEAD: &str = "# The world of the plane beside Box2D\n\n\
    Written by `cargo xtask bench planar`; edits are lost. drystone's planar world and Box2D v3 (crate `boxdd` 0.6, AVX2) take turns in one\n\
    process on the same bodies; 60 steps of 4 sub-steps per second, sleep off in both, Box2D's continuous detection off. A row is the\n\
    median of three rounds of steps after a warm-up of 60 to 120 (30 steps and one round for 50 000 bodies), wall time. Drift is the way of the body that moved most since it was set\n\
    up, for piles that should not move. The last two columns are above 1 where drystone is faster, by wall time and by CPU time of all threads.\n\
    On a machine that does other work CPU time is the fairer measure for one thread; with two nothing but wall time counts, and the spread is wide.\n\n";
