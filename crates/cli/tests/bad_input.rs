//! Bad input gives one clear line and exit code 2, and writes nothing.

mod common;

use common::{Place, text};

/// Arguments, and a part of the message.
const CASES: &[(&[&str], &str)] = &[
    (&[], "requires a subcommand"),
    (&["jump"], "unrecognized subcommand 'jump'"),
    (&["run"], "SCENE"),
    (&["fclib"], "FILE"),
    (&["fclib", "nowhere.json"], "nowhere.json: cannot be read"),
    (&["fclib", "file.txt"], "file.txt: not JSON"),
    (&["fclib", "nowhere.json", "--solver", "best"], "no solver is called \"best\"; known: nsgs"),
    (&["fclib", "nowhere.json", "--tolerance", "0"], "tolerance must be positive"),
    (&["fclib", "nowhere.json", "--limit", "-1"], "limit must be above 0"),
    (&["graph"], "SCENE"),
    (&["graph", "bulet5"], "did you mean \"bullet5\"?"),
    (&["graph", "tower", "--format", "png"], "invalid value 'png'"),
    (&["graph", "tower", "--hz", "0"], "hz must be"),
    (&["diff", "file.txt"], "<B>"),
    (&["diff", "file.txt", "nowhere"], "file.txt: "),
    (&["planar"], "SCENE"),
    (&["planar", "squares"], "there is no planar scene \"squares\"; known: circles"),
    (&["planar", "circles:0"], "must be a number from 1 to 200000, got \"0\""),
    (&["planar", "circles", "--hz", "0"], "--hz must be above 0"),
    (&["planar", "circles", "--seconds", "nan"], "--seconds must be above 0"),
    (&["planar", "circles", "--threads", "0"], "0"),
    (&["planar", "circles", "--partitions", "65"], "partitions must be at most 64, got 65"),
    (&["run", "bulet5"], "did you mean \"bullet5\"?"),
    (&["run", ""], "no scene is called \"\""),
    (&["run", "qwertyuiopasdf"], "`drystone scenes` lists all"),
    (&["run", "tower:0"], "must be 1 to 10000"),
    (&["run", "tower:99999999999999999999"], "must be 1 to 10000"),
    (&["run", "bullet5:2"], "takes none"),
    (
        &["run", "tower", "--preset", "fastest"],
        "preset must be one of thesis_fast, thesis_accurate, fast, fine, nsgs, lcp, qp_suite",
    ),
    (&["run", "tower", "--hz", "0"], "hz must be 1 to 1000000"),
    (&["run", "tower", "--hz", "-240"], "hz must be"),
    (&["run", "tower", "--hz", "nan"], "hz must be"),
    (&["run", "tower", "--hz", "inf"], "hz must be"),
    (&["run", "tower", "--hz", "1e300"], "hz must be"),
    (&["run", "tower", "--hz", "many"], "--hz"),
    (&["run", "tower", "--seconds", "-1"], "seconds must be above 0"),
    (&["run", "tower", "--seconds", "0"], "seconds must be above 0"),
    (&["run", "tower", "--seconds", "nan"], "seconds must be"),
    (&["run", "tower", "--seconds", "1e300"], "seconds must be"),
    (&["run", "tower", "--seconds", "1e6", "--hz", "1e6"], "at most 100 at 1000000 steps per second"),
    (&["run", "tower", "--threads", "0"], "threads must be 1 to 256"),
    (&["run", "tower", "--threads", "100000"], "threads must be 1 to 256"),
    (&["run", "tower", "--threads", "-1"], "--threads"),
    (&["run", "tower", "--set", "gravity"], "--set must be FIELD=VALUE"),
    (&["run", "tower", "--set", "no.such=1"], "no.such"),
    (
        &["run", "tower", "--set", "resolution.global_limit=5"],
        "the preset fast has no setting \"resolution.global_limit\"; those that have it: thesis_fast, thesis_accurate",
    ),
    (&["run", "tower", "--set", "sleping.enabled=false"], "did you mean \"sleeping.enabled\"?"),
    (&["fields", "--preset", "best"], "preset must be one of thesis_fast"),
    (&["run", "fine.ron", "--profile", "fine.ron"], "it is the file that is read; name another one"),
    (&["graph", "fine.ron", "--out", "./fine.ron"], "it is the file that is read; name another one"),
    (&["graph", "fine.ron", "--out", "no/such/graph.svg"], "cannot write to --out no/such/graph.svg"),
    (&["import", "file.urdf", "--out", "file.urdf"], "it is the file that is read; name another one"),
    (&["run", "tower", "--set", "gravity.y=down"], "gravity.y"),
    (&["run", "tower", "--set", "gravity.y=nan"], "gravity must be finite"),
    (&["run", "tower", "--out", "file.txt"], "cannot write to --out file.txt"),
    (&["run", "tower", "--out", "file.txt/below"], "cannot write to --out file.txt/below"),
    (&["run", "tower", "--profile", "no/such/trace.json"], "cannot write to --profile no/such/trace.json"),
    (&["run", "tower", "--profile", "."], "cannot write to --profile .: "),
    (&["run", "tower", "--profile", "t.json", "--out", "file.txt"], "cannot write to --out file.txt"),
    (&["run", "tower", "--wings"], "--wings"),
    (&["run", "missing.ron"], "missing.ron: No such file"),
    (&["run", "file.txt"], "file.txt:1:1: "),
    (&["run", "binary.ron"], "binary.ron: "),
    (&["run", "."], "no scene is called"),
    (&["run", "./"], "./: "),
    (&["run", "negative.ron"], "negative.ron:3:30: bodies[0].shape.radius (of \"ball\") must be"),
    (&["run", "unknown.ron"], "unknown.ron:2:1: in colour: Unexpected field named `colour`"),
    (&["run", "ground.ron"], "a half_space needs kind: fixed"),
    (&["show", "nothing"], "no scene is called"),
];

#[test]
fn bad_input_is_one_line_with_exit_code_2_and_nothing_written() {
    let place = Place::new("bad_input");
    place.write("file.txt", "what is this?");
    std::fs::write(place.path("binary.ron"), [0_u8, 159, 146, 150]).expect("the folder can be written");
    let ball = "(name: \"ball\", shape: sphere(radius: -1.0), material: \"oak\")";
    place.write("negative.ron", &format!("(version: 1, name: \"n\", bodies: [\n// a comment\n{ball}])"));
    place.write("unknown.ron", "(version: 1, name: \"n\",\ncolour: 3,\nbodies: [])");
    let plane = "shape: half_space(normal: (0.0, 1.0, 0.0))";
    place.write("ground.ron", &format!("(version: 1, name: \"n\", bodies: [({plane}, material: \"oak\")])"));
    place.write("fine.ron", "(version: 1, name: \"fine\", bodies: [])");
    place.write("file.urdf", "<robot/>");
    let before = place.entries();
    let mut faults = Vec::new();
    for (arguments, expected) in CASES {
        let output = place.run(arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        let is_one_line = err.starts_with("error: ") && err.ends_with('\n') && err.matches('\n').count() == 1;
        let is_fine =
            output.status.code() == Some(2) && is_one_line && out.is_empty() && err.contains(expected);
        if !is_fine || place.entries() != before {
            faults.push(format!("{arguments:?}: {} {out:?} {err:?} {:?}", output.status, place.entries()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Names of the version before are taken, and told with what they are called now.
#[test]
fn old_names_are_warnings() {
    let place = Place::new("old_names");
    let lift = "(name: \"lift\", kind: scripted, shape: sphere(radius: 0.5), material: \"oak\")";
    place.write("lift.ron", &format!("(version: 1, name: \"lift\", seconds: 0.1, bodies: [{lift}])"));
    let output = place.run(&["run", "lift.ron", "--no-view", "--set", "sub_step.rest_band=0.5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let warnings = text(&output.stderr);
    assert!(warnings.contains("warning: lift.ron:1:") && warnings.contains("`kinematic`"), "{warnings}");
    assert!(warnings.contains("`sub_step.rest_band` is called `sub_step.contact_slop`"), "{warnings}");
}

#[test]
fn help_and_version_are_no_errors() {
    let place = Place::new("help");
    for arguments in [["--help"].as_slice(), &["--version"], &["run", "--help"], &["help"]] {
        let output = place.run(arguments);
        assert!(output.status.success() && !output.stdout.is_empty(), "{arguments:?}");
    }
}
