//! Runs leave what they promise: a table or a line of JSON, a page, a picture, a plot and a recording.

mod common;

use common::{Place, text};
use drystone_viewer::Recording;
use serde_json::Value;

/// What every line of JSON has.
const KEYS: &[&str] = &[
    "engine",
    "version",
    "scene",
    "preset",
    "hz",
    "threads",
    "sleep_enabled",
    "interrupted",
    "complete",
    "bodies",
    "steps",
    "sim_seconds",
    "total_ms",
    "ms_per_sim_second",
    "mean_ms",
    "p50_ms",
    "p99_ms",
    "max_ms",
    "stage_ms",
    "pen_end_max_m",
    "pen_end_mean_m",
    "pen_run_max_m",
    "kinetic_energy_end_j",
    "drift_max_m",
    "lost",
    "joints",
    "broken_joints",
    "stretch_run_max_m",
    "stretch_end_max_m",
    "sleeping_end",
    "contacts_max",
    "iterations",
    "worst_residual",
    "allocations_per_step",
    "snapshot_bytes",
    "snapshot_take_ms",
    "snapshot_restore_ms",
    "state_hash",
];

fn json(place: &Place, arguments: &[&str]) -> Value {
    let output = place.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    let out = text(&output.stdout);
    assert_eq!(out.matches('\n').count(), 1, "one line: {out}");
    serde_json::from_str(&out).expect("the line is JSON")
}

#[test]
fn a_run_writes_page_picture_plot_and_recording() {
    let place = Place::new("files");
    let output = place.run(&["run", "tower:3", "--seconds", "0.5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let out = text(&output.stdout);
    assert!(out.contains("3 bodies") && out.contains("stage ") && out.contains("drift"), "{out}");
    assert_eq!(out.lines().last(), Some("out/tower_3/page.html"));

    let read = |name: &str| std::fs::read(place.path("out/tower_3").join(name)).expect(name);
    assert!(text(&read("page.html")).contains("<html"));
    assert!(text(&read("plot.svg")).contains("<svg"));
    assert!(read("last_frame.png").starts_with(b"\x89PNG"));
    serde_json::from_slice::<Value>(&read("result.json")).expect("the result is JSON");
    let recording = Recording::from_bytes(&read("recording.drystone")).expect("the recording can be read");
    // The start, and every eighth of 120 steps.
    assert_eq!(recording.frame_count(), 16);
    assert_eq!(recording.bodies().len(), 4);
    assert!(recording.bodies()[0].fixed && recording.bodies()[1].name == "box 0");
}

#[test]
fn json_has_all_keys_and_no_view_writes_nothing() {
    let place = Place::new("json");
    let line = json(&place, &["run", "bullet5", "--seconds", "0.05", "--no-view", "--json"]);
    for key in KEYS {
        assert!(line.get(key).is_some(), "{key} is missing in {line}");
    }
    assert_eq!(line["engine"], "drystone");
    assert_eq!(line["preset"], "fast");
    assert_eq!((line["bodies"].as_u64(), line["steps"].as_u64()), (Some(276), Some(3)));
    assert!(line["stage_ms"].as_object().is_some_and(|stages| !stages.is_empty()));
    assert!(place.entries().is_empty());
}

#[test]
fn options_reach_the_run() {
    let place = Place::new("options");
    let jittered = ["run", "metre_tower:3:jitter=0.005:seed=2", "--seconds", "0.1", "--json"];
    assert_eq!(json(&place, &jittered)["bodies"], 3);
    assert!(place.path("out/metre_tower_3_jitter=0.005_seed=2/page.html").is_file());
    let line = json(
        &place,
        &[
            "run",
            "tower",
            "--preset",
            "accurate",
            "--seconds",
            "0.1",
            "--no-sleep",
            "--no-view",
            "--json",
            "--out",
            "o",
        ],
    );
    assert_eq!((line["preset"].as_str(), line["steps"].as_u64()), (Some("thesis_accurate"), Some(96)));
    assert_eq!(line["sleep_enabled"], false);
    // With --out the figures are written, but nothing to look at.
    assert!(place.path("o/plot.svg").is_file() && !place.path("o/page.html").exists());
    let line = json(&place, &["run", "tower", "--hz", "100", "--seconds", "0.1", "--no-view", "--json"]);
    assert_eq!((line["hz"].as_f64(), line["steps"].as_u64()), (Some(100.0), Some(10)));
}

/// Names of the complete events of a lane with their first and last ns, in the order of the file.
fn lane(trace: &Value, thread: usize) -> Vec<(String, u64, u64)> {
    let events = trace["traceEvents"].as_array().expect("a list");
    let is_ours = |e: &&Value| e["ph"] == "X" && e["tid"].as_u64() == Some(thread as u64);
    let ns = |value: &Value| (value.as_f64().expect("a number") * 1e3).round() as u64;
    let span = |e: &Value| {
        let start = ns(&e["ts"]);
        (e["name"].as_str().expect("text").to_owned(), start, start + ns(&e["dur"]))
    };
    events.iter().filter(is_ours).map(span).collect()
}

#[test]
fn a_profile_is_a_trace_of_all_stages_on_all_threads() {
    let place = Place::new("profile");
    let stages = "begin bounds pairs contacts graph correct wake solve finalize sleep report";
    for threads in [1, 2] {
        let asked = threads.to_string();
        let mut arguments =
            vec!["run", "many_pyramids:2", "--preset", "fast", "--seconds", "0.5", "--no-view"];
        arguments.extend(["--json", "--threads", &asked]);
        let plain = json(&place, &arguments);
        arguments.extend(["--profile", "trace.json"]);
        let profiled = json(&place, &arguments);
        assert_eq!(plain["state_hash"], profiled["state_hash"]);

        let text = std::fs::read(place.path("trace.json")).expect("it was written");
        let trace: Value = serde_json::from_slice(&text).expect("the profile is JSON");
        assert_eq!(trace["otherData"]["dropped_spans"], 0);
        let events = trace["traceEvents"].as_array().expect("a list");
        let lanes = events.iter().filter(|e| e["name"] == "thread_name").count();
        assert_eq!(lanes, threads);
        for thread in 0..threads {
            let mut open: Vec<u64> = Vec::new();
            for (name, start, end) in lane(&trace, thread) {
                open.retain(|&outer| outer > start);
                assert!(open.iter().all(|&outer| end <= outer), "{name} at {start} ns crosses another");
                open.push(end);
            }
        }
        let spans = lane(&trace, 0);
        let is_named = |e: &&Value| e["cat"] == "span";
        for name in stages.split(' ').chain(["step", "prepare", "sub-steps", "write back"]) {
            let count = events.iter().filter(is_named).filter(|e| e["name"] == name).count();
            assert_eq!(count, 30, "{name}: one for each step");
        }
        assert!(spans.len() > 30 * 20, "parts of stages are there too");
    }
    assert_eq!(place.entries(), ["trace.json"]);
}

#[test]
fn equal_runs_give_equal_states_at_any_thread_count() {
    let place = Place::new("equal");
    let hash = |threads: &str| {
        json(&place, &["run", "well324", "--seconds", "0.6", "--no-view", "--json", "--threads", threads])["state_hash"]
            .clone()
    };
    let first = hash("1");
    assert_eq!(first, hash("1"));
    assert_eq!(first, hash("2"));
}

#[test]
fn own_scenes_run_even_without_bodies() {
    let place = Place::new("own");
    place.write("empty.ron", "(version: 1, name: \"empty\", seconds: 0.1, bodies: [])");
    let output = place.run(&["run", "empty.ron"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("0 bodies"));
    assert!(place.path("out/empty/page.html").is_file());

    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenes/examples/every_field.ron");
    let line = json(&place, &["run", example, "--json"]);
    assert_eq!(line["scene"], "every_field");
    let recording = Recording::load(place.path("out/every_field/recording.drystone")).expect("readable");
    let frame = |index| recording.frame(index).expect("it is there");
    let place_of = |name: &str| recording.bodies().iter().position(|b| b.name == name).expect("named");
    // The gate goes at 0.5 s, the late ball comes at 1 s.
    let (gate, late) = (place_of("gate"), place_of("late"));
    assert!(!frame(14).bodies[gate].removed && frame(17).bodies[gate].removed);
    assert!(frame(29).bodies[late].removed && !frame(32).bodies[late].removed);
}

#[test]
fn a_shown_scene_can_be_run() {
    let place = Place::new("show");
    let output = place.run(&["show", "cradle"]);
    place.write("mine.ron", &text(&output.stdout));
    let shown = json(&place, &["run", "mine.ron", "--seconds", "0.5", "--no-view", "--json"]);
    let named = json(&place, &["run", "cradle", "--seconds", "0.5", "--no-view", "--json"]);
    assert_eq!(shown["state_hash"], named["state_hash"]);
}

/// What is fine says so with exit code 0; what is not is named with its bodies, figure and remedy, with 1.
#[test]
fn lint_tells_what_may_go_badly() {
    let place = Place::new("lint");
    let line = json(&place, &["lint", "bullet5", "--json"]);
    assert_eq!(
        (&line["scene"], line["findings"].as_array().map(Vec::len)),
        (&Value::from("bullet5"), Some(0))
    );
    let output = place.run(&["lint", "mass_ratio:1000", "--preset", "thesis_fast"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(
        said.starts_with("heavy box, box 9: mass ratio: 1.000e3, bound 1.000e1: use preset fast"),
        "{said}"
    );
    assert!(said.ends_with("mass_ratio:1000: 1 findings\n"), "{said}");
    // A note names the joints of its loop, and is no failure.
    let output = place.run(&["lint", "bridge:10"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("note: ") && said.contains("loop held twice: 3.000e0"), "{said}");
    assert!(said.contains("plank 0 - plank 1") && said.contains(" ... 11 in all)"), "{said}");
    let output = place.run(&["lint", "nowhere.ron"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("nowhere.ron"));
}

#[test]
fn a_recording_is_exported_as_a_model_and_as_tables() {
    let place = Place::new("export");
    let run = place.run(&["run", "pyramid:3", "--seconds", "0.5"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let folder = std::fs::read_dir(place.path("out")).expect("a run writes a folder").next().expect("one");
    let folder = folder.expect("readable").path();
    let folder = folder.to_str().expect("UTF-8");
    let export = |arguments: &[&str]| place.run(&[&["export", folder][..], arguments].concat());
    assert!(export(&["pile.glb"]).status.success());
    assert!(std::fs::read(place.path("pile.glb")).expect("written").starts_with(b"glTF"));
    assert!(export(&["series.csv"]).status.success());
    let series = std::fs::read_to_string(place.path("series.csv")).expect("written");
    assert!(series.starts_with("time (s),"), "{series}");
    assert!(export(&["bodies.csv", "--table", "bodies", "--every", "5"]).status.success());
    let bodies = std::fs::read_to_string(place.path("bodies.csv")).expect("written");
    let frames = series.lines().count() - 1;
    let in_frame = bodies.lines().filter(|line| line.starts_with("0,")).count();
    assert!(in_frame >= 6, "{bodies}");
    assert_eq!(bodies.lines().count() - 1, frames.div_ceil(5) * in_frame);
    let refused = export(&["pile.stl"]);
    assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains(".glb or .csv"));
    assert_eq!(export(&["bodies.csv", "--every", "0"]).status.code(), Some(2));
    assert_eq!(place.run(&["export", "nowhere", "a.csv"]).status.code(), Some(2));
}

#[test]
fn robots_become_scene_files_that_run() {
    let place = Place::new("import");
    let robot = r#"<robot name="pendulum"><link name="world"/><link name="bob">
        <collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.1"/></geometry></collision></link>
        <joint name="pivot" type="continuous"><parent link="world"/><child link="bob"/><origin xyz="0 0 2" rpy="0.5 0 0"/>
        <axis xyz="1 0 0"/></joint></robot>"#;
    std::fs::write(place.path("pendulum.urdf"), robot).expect("writable");
    let output = place.run(&["import", "pendulum.urdf", "--out", "pendulum.ron"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("pendulum.ron: 2 bodies, 1 joints"), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("note: \"bob\" have no mass"), "{}", text(&output.stderr));
    let line = json(&place, &["run", "pendulum.ron", "--seconds", "1", "--no-view", "--json"]);
    assert_eq!((&line["joints"], &line["lost"]), (&Value::from(1), &Value::from(0)));
    let refused = place.run(&["import", "nowhere.urdf"]);
    assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains("nowhere.urdf"));
}

#[test]
fn lists_name_scenes_and_fields() {
    let place = Place::new("lists");
    let scenes = text(&place.run(&["scenes"]).stdout);
    for info in drystone_scenes::list() {
        assert!(scenes.lines().any(|line| line.starts_with(info.name)), "{}", info.name);
    }
    assert!(text(&place.run(&["fields"]).stdout).contains("resolution.global_limit"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_recorded() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = Place::new("interrupt");
    let mut command = place.command(&["run", "two_balls_wall", "--seconds", "100000", "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // The folder is made after the program began to listen.
    let start = Instant::now();
    while !place.path("out/two_balls_wall").is_dir() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(300));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill exists");
    assert!(killed.success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).starts_with("interrupted after "), "{}", text(&output.stderr));
    let line: Value = serde_json::from_slice(&output.stdout).expect("the line is JSON");
    assert_eq!((&line["interrupted"], &line["complete"]), (&true.into(), &false.into()));
    let recording = Recording::load(place.path("out/two_balls_wall/recording.drystone")).expect("readable");
    assert_eq!(recording.frame_count() as u64, line["steps"].as_u64().expect("a number") / 2 + 1);
    assert!(place.path("out/two_balls_wall/page.html").is_file());
}

#[test]
fn the_graph_says_what_rests_on_what() {
    let place = Place::new("graph");
    let graph = |rest: &[&str]| {
        let arguments = [&["graph", "tower:3", "--seconds", "0.5"], rest].concat();
        let output = place.run(&arguments);
        assert!(output.status.success(), "{rest:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let words = graph(&[]);
    let lines: Vec<&str> = words.lines().collect();
    assert_eq!((lines.len(), lines[0].starts_with("4 nodes, 3 edges")), (4, true), "{words}");
    assert!(lines[1].contains("2 fall without it") && lines[3].contains("carries nothing"), "{words}");
    let snapshot: Value = serde_json::from_str(&graph(&["--format", "json"])).expect("JSON");
    assert_eq!(snapshot["nodes"].as_array().map(Vec::len), Some(4));
    assert!(graph(&["--format", "dot"]).starts_with("graph contacts {"));
    assert!(graph(&["--format", "graphml"]).contains("</graphml>"));
    assert_eq!(graph(&["--format", "svg", "--out", "graph.svg"]), "");
    let svg = std::fs::read_to_string(place.path("graph.svg")).expect("written");
    assert_eq!(svg.matches("<circle").count(), 3);
}

/// A stack of two bodies on the ground, of which the upper one has no name.
const NAMELESS: &str = "(version: 1, name: \"two\", seconds: 0.2, bodies: [
    (name: \"floor\", kind: fixed, shape: half_space(normal: (0.0, 1.0, 0.0)), material: \"oak\"),
    (name: \"lower\", shape: cuboid(half_extents: (0.5, 0.5, 0.5)), position: (0.0, 0.5, 0.0), material: \"oak\"),
    (shape: cuboid(half_extents: (0.5, 0.5, 0.5)), position: (0.0, 1.4, 0.0), material: \"oak\"),
])";

#[test]
fn findings_and_graphs_name_bodies() {
    let place = Place::new("names");
    place.write("two.ron", NAMELESS);
    let output = place.run(&["lint", "two.ron"]);
    let findings = text(&output.stdout);
    assert!(findings.starts_with("lower, bodies[2]: overlap: "), "{findings}");
    let words = text(&place.run(&["graph", "two.ron"]).stdout);
    assert!(words.contains("lower: rests on floor; carries bodies[2]"), "{words}");
}

/// What cannot be written of the results costs none of the others.
#[test]
fn results_that_can_be_written_are() {
    let place = Place::new("results");
    std::fs::create_dir_all(place.path("out/result.json")).expect("the folder can be written");
    std::fs::create_dir_all(place.path("out/page.html")).expect("the folder can be written");
    let output = place.run(&["run", "tower:2", "--seconds", "0.1", "--json", "--out", "out"]);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write out/result.json") && error.contains("; cannot write out/page.html"));
    let line: Value = serde_json::from_slice(&output.stdout).expect("the line is JSON");
    assert_eq!(line["steps"], 6);
    assert!(place.path("out/plot.svg").is_file() && place.path("out/recording.drystone").is_file());
}

#[test]
fn a_folder_is_of_one_run_and_one_scene_file() {
    let place = Place::new("folders");
    place.write("mine.ron", &NAMELESS.replace("two", "tower:2"));
    assert!(place.run(&["run", "mine.ron"]).status.success());
    assert!(place.path("out/mine/page.html").is_file(), "its name is still that of another one");
    let output = place.run(&["run", "mine.ron", "--no-view", "--out", "out/mine"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let left = |name: &str| place.path("out/mine").join(name).exists();
    assert!(left("result.json"));
    assert!(!left("page.html") && !left("recording.drystone"), "they would be of the run before");
}
