//! `drystone diff` tells where two recordings part, with the exit codes of `diff`.

mod common;

use common::{Place, text};

/// Runs a scene into a folder.
fn record(place: &Place, folder: &str, scene: &str, more: &[&str]) {
    let output = place.run(&[&["run", scene, "--json", "--out", folder], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Exit code, and what was printed: on stdout, or on stderr with 2.
fn diff(place: &Place, a: &str, b: &str) -> (Option<i32>, String) {
    let output = place.run(&["diff", a, b]);
    let is_error = output.status.code() == Some(2);
    (output.status.code(), text(if is_error { &output.stderr } else { &output.stdout }))
}

#[test]
fn equal_runs_are_the_same_at_any_number_of_threads() {
    let place = Place::new("diff_same");
    record(&place, "a", "tower:3", &["--seconds", "0.5"]);
    record(&place, "b", "tower:3", &["--seconds", "0.5", "--threads", "2"]);
    let (code, out) = diff(&place, "a", "b/recording.drystone");
    assert_eq!(code, Some(0), "{out}");
    // The start, and 30 steps in 16 frames.
    assert!(out.starts_with("the same: 31 state hashes, 16 frames compared"), "{out}");
}

#[test]
fn the_first_step_and_what_shows_it_are_named() {
    let place = Place::new("diff_differ");
    record(&place, "a", "tower:3", &["--seconds", "0.5"]);
    record(&place, "b", "tower:3", &["--seconds", "0.5", "--set", "gravity.x=5"]);
    let (code, out) = diff(&place, "a", "b");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.starts_with("states differ from step 1 on (0.0167 s)"), "{out}");
    assert!(out.contains("first seen at step") && out.contains("body 1 \"box 0\": "), "{out}");
    record(&place, "short", "tower:3", &["--seconds", "0.25"]);
    let (code, out) = diff(&place, "a", "short");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("A has 16 frames and 30 steps, B 8 and 15"), "{out}");
}

#[test]
fn what_cannot_be_compared_is_an_error_of_one_line() {
    let place = Place::new("diff_refused");
    record(&place, "a", "tower:3", &["--seconds", "0.1"]);
    record(&place, "other", "tower:4", &["--seconds", "0.1"]);
    record(&place, "faster", "tower:3", &["--seconds", "0.1", "--hz", "120"]);
    place.write("text.txt", "a text that is no recording");
    for (b, expected) in [
        ("other", "A is of the scene \"tower:3\", B of \"tower:4\""),
        ("faster", "A takes 60.000000 steps or frames per second, B 120.000000"),
        ("text.txt", "text.txt: not a recording"),
        ("nowhere", "nowhere: "),
    ] {
        let (code, out) = diff(&place, "a", b);
        assert_eq!(code, Some(2), "{out}");
        assert!(out.contains(expected) && out.lines().count() == 1, "{out}");
    }
}
