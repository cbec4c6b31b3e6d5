//! The program as it is used, in a window on a screen in memory (Xvfb): every scene has a picture, and bad input an error. Skipped, with a line that says so,
//! where there is no `xvfb-run`. Trusted: the judgement of blank pictures, which has tests of its own.

use drystone_scenes::list;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs the program on a screen in memory; `None` without one.
fn run(arguments: &[&str]) -> Option<Output> {
    let is_there = Command::new("xvfb-run").arg("--help").output().is_ok();
    if !is_there {
        eprintln!("skipped: xvfb-run is not installed (Debian: xvfb, xauth, libgl1-mesa-dri)");
        return None;
    }
    let mut command = Command::new("xvfb-run");
    command.args(["-a", "-s", "-screen 0 1400x900x24", env!("CARGO_BIN_EXE_testbed")]).args(arguments);
    Some(command.env("LIBGL_ALWAYS_SOFTWARE", "1").output().expect("it starts"))
}

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("drystone-testbed-{name}-{}", std::process::id()))
}

#[test]
fn every_scene_has_a_picture_that_is_not_blank() {
    let folder = folder("tour");
    let text = folder.to_str().expect("a plain path");
    // Short: a picture of the beginning is enough, and some scenes have 20 000 bodies.
    let Some(output) = run(&["--tour", text, "--seconds", "0.1", "--size", "800x600"]) else { return };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    let summary = format!("{} scenes, 0 blank or failed", list().len());
    assert!(said.contains(&summary), "{said}{errors}");
    for info in list() {
        let file = fs::File::open(folder.join(format!("{}.png", info.name))).expect(info.name);
        let reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect(info.name);
        assert_eq!((reader.info().width, reader.info().height), (800, 600), "{}", info.name);
    }
    fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn a_tour_that_fails_says_why() {
    let folder = folder("failing");
    let text = folder.to_str().expect("a plain path");
    let Some(output) = run(&["--tour", text, "--only", "tower:2", "--only", "nothing"]) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("nothing") && folder.join("tower_2.png").is_file(), "{errors}");
    fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn bad_input_is_named_before_a_window_opens() {
    let program = env!("CARGO_BIN_EXE_testbed");
    for (arguments, expected) in [
        (&["towr"][..], "towr"),
        (&["nowhere.ron"], "nowhere.ron"),
        (&["--preset", "quick"], "thesis_fast"),
        (&["--threads", "0"], "threads"),
        (&["--tour", "/dev/null/x"], "/dev/null/x"),
    ] {
        let output = Command::new(program).args(arguments).env_remove("DISPLAY").output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
}

/// It panicked with 101 in the library's words.
#[test]
fn a_machine_without_a_screen_is_told() {
    let program = env!("CARGO_BIN_EXE_testbed");
    // None at all, and one that nobody answers for.
    for display in [None, Some(":4217")] {
        let mut command = Command::new(program);
        command.arg("tower:2").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        display.map(|display| command.env("DISPLAY", display));
        let output = command.output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{display:?}: {errors}");
        assert!(
            errors.starts_with("error: cannot open a window: no screen answers"),
            "{display:?}: {errors}"
        );
        assert!(!errors.contains("panicked") && errors.lines().count() == 1, "{display:?}: {errors}");
    }
}
