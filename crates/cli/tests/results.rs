//! What is written where, what is left as it is, and what is said of runs that end early.

mod common;

use common::{Place, text};
use drystone_viewer::Recording;
use serde_json::Value;

/// A joint to what was removed before: refused in step 12 of 30, at 0.2 s.
const GIVES_UP: &str = "(version: 1, name: \"late\", seconds: 0.5, bodies: [
    (name: \"a\", kind: fixed, shape: sphere(radius: 0.1), material: \"oak\"),
    (name: \"b\", shape: sphere(radius: 0.1), material: \"oak\", position: (0.0, 1.0, 0.0), appears: 0.2),
], joints: [(kind: ball, bodies: (\"a\", \"b\"), at: (0.0, 0.5, 0.0))], actions: [(at: 0.1, action: remove(body: \"a\"))])";

#[test]
fn a_run_that_was_given_up_is_not_complete() {
    let place = Place::new("given_up");
    place.write("late.ron", GIVES_UP);
    let output = place.run(&["run", "late.ron", "--no-view", "--json"]);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("the engine gave up in step 12"), "{error}");
    let line: Value = serde_json::from_slice(&output.stdout).expect("the line is JSON");
    assert_eq!(
        (&line["steps"], &line["interrupted"], &line["complete"]),
        (&12.into(), &false.into(), &false.into())
    );
    // The same failure has the same code.
    let output = place.run(&["graph", "late.ron"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), error));
    for arguments in [&["run", "tower:2", "--no-view"][..], &["planar", "circles:20", "--no-view"]] {
        let output = place.run(&[arguments, &["--seconds", "0.1", "--json"]].concat());
        let line: Value = serde_json::from_slice(&output.stdout).expect("the line is JSON");
        assert_eq!((&line["interrupted"], &line["complete"]), (&false.into(), &true.into()), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_left_as_it_is() {
    let place = Place::new("link");
    place.write("file.txt", "");
    std::os::unix::fs::symlink("real.json", place.path("link.json")).expect("the folder can be written");
    let output =
        place.run(&["run", "tower:2", "--seconds", "0.1", "--profile", "link.json", "--out", "file.txt"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(place.path("link.json").is_symlink() && !place.path("real.json").exists());
    let output = place.run(&["run", "tower:2", "--seconds", "0.1", "--profile", "link.json", "--no-view"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(place.path("link.json").is_symlink() && place.path("real.json").is_file());
}

#[test]
fn a_profile_may_lie_in_the_folder_of_results_but_on_none_of_them() {
    let place = Place::new("profile_in_folder");
    let run = |profile: &str, out: &str| {
        place.run(&["run", "tower:2", "--seconds", "0.1", "--no-view", "--profile", profile, "--out", out])
    };
    let output = run("new/trace.json", "./new");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(place.path("new/trace.json").is_file() && place.path("new/result.json").is_file());
    for (profile, out) in [
        ("new/result.json", "new"),
        ("new/../new/plot.svg", "new"),
        ("new/page.html", "new/"),
        ("other/recording.drystone", "other"),
    ] {
        let output = run(profile, out);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{profile}: {error}");
        assert!(error.contains("it is one of the files that the run writes there"), "{error}");
    }
    // Another folder's file may be called so, and one that has no folder is still refused before anything is made.
    assert!(run("result.json", "new").status.success());
    assert_eq!(run("none/a/trace.json", "none").status.code(), Some(2));
    assert!(!place.path("other").exists() && !place.path("none").exists());
}

#[test]
fn a_page_without_a_recording_is_not_of_an_earlier_run() {
    let place = Place::new("own_page");
    std::fs::create_dir(place.path("site")).expect("the folder can be written");
    place.write("site/page.html", "mine");
    let output = place.run(&["run", "tower:2", "--seconds", "0.1", "--no-view", "--out", "site"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(place.path("site/result.json").is_file());
    assert_eq!(std::fs::read_to_string(place.path("site/page.html")).expect("it is there"), "mine");
}

#[test]
fn a_scene_file_called_by_dots_has_a_folder_below_out() {
    let place = Place::new("dots");
    place.write("...ron", "(version: 1, name: \"dotted\", seconds: 0.1, bodies: [])");
    let output = place.run(&["run", "...ron"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(place.path("out/dotted/page.html").is_file() && !place.path("page.html").exists());
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let place = Place::new("nothing");
    let output = place.run(&["planar", "circles:20", "--seconds", "0.1", "--no-view", "--out", "out"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("cannot be used with"));
    let output = place.run(&["run", "tower:2", "--seconds", "1", "--out", "run"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = place.run(&["export", "run", "pile.glb", "--table", "bodies"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("--table is of .csv files"));
    assert_eq!(place.entries(), ["run"]);
}

/// All tables and models have every so many of the frames, and it is said how many these are.
#[test]
fn exports_have_every_so_many_frames() {
    let place = Place::new("every");
    let output = place.run(&["run", "tower:2", "--seconds", "1", "--out", "run"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let count = Recording::load(place.path("run/recording.drystone")).expect("readable").frame_count();
    assert_eq!(count, 31);
    let export = |name: &str, rest: &[&str]| {
        let output = place.run(&[&["export", "run", name], rest].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        let frames =
            said.split(", ").find_map(|part| part.split_once(" frames of tower")).expect("it is said").0;
        (frames.parse::<usize>().expect("a number"), std::fs::read(place.path(name)).expect("written"))
    };
    let (all, whole) = export("all.csv", &[]);
    let whole = text(&whole);
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!((all, lines.len()), (31, 32));
    for (every, frames) in [("1", 31), ("4", 8), ("30", 2), ("31", 1), ("1000", 1)] {
        let (told, table) = export("series.csv", &["--every", every]);
        let step = every.parse().expect("a number");
        let expected: Vec<&str> =
            [lines[0]].into_iter().chain(lines[1..].iter().copied().step_by(step)).collect();
        assert_eq!((told, text(&table).lines().collect::<Vec<_>>()), (frames, expected), "{every}");
        assert_eq!(export("bodies.csv", &["--table", "bodies", "--every", every]).0, frames, "{every}");
    }
    // Models end where the run does.
    for (every, frames) in [("4", 9), ("30", 2), ("1000", 2)] {
        assert_eq!(export("pile.glb", &["--every", every]).0, frames, "{every}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_needs_to_hear_what_is_told() {
    let place = Place::new("deaf");
    place.write("robot.urdf", "<robot name='r'><link name='a'/></robot>");
    for (arguments, code) in [(&["run", "bulet5"][..], 2), (&["import", "robot.urdf"], 0)] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let status = place.command(arguments).stdout(std::process::Stdio::null()).stderr(full).status();
        assert_eq!(status.expect("the program starts").code(), Some(code), "{arguments:?}");
    }
}
