//! Scene files: what is written is read back, what is wrong is said with line, column and field. Trusted
//! reference: the example file that users are pointed to, and the named scenes.

use drystone::JointAxis;
use drystone_scenes::{Kind, RunOptions, Runner, Scene, SceneError, ShapeSpec, list, scene};
use proptest::prelude::*;
use std::path::Path;

fn example() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/every_field.ron");
    std::fs::read_to_string(path).expect("the example is part of the crate")
}

#[test]
fn the_example_is_valid_and_survives_a_round_trip() {
    let read = Scene::parse(&example(), "every_field.ron").expect("the example is valid");
    assert_eq!(Scene::parse(&read.to_ron(), "again").expect("what is written can be read"), read);
}

#[test]
fn every_named_scene_survives_a_round_trip() {
    for info in list() {
        let built = scene(info.name).expect("listed");
        let text = built.to_ron();
        assert_eq!(Scene::parse(&text, info.name).expect("what is written can be read"), built, "{text}");
    }
}

/// What is changed in the example, the place of the error, and a part of its message.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "version: 1",
        "version: 7",
        "every_field.ron:8:5: version must be 1, the version this program reads, got 7",
    ),
    ("seconds: 2.0", "seconds: -1.0", ": seconds must be above 0"),
    ("seconds: 2.0", "seconds: NaN", ": seconds must be above 0"),
    ("seconds: 2.0", "secnds: 2.0", ":17:5: in secnds: "),
    ("seconds: 2.0", "seconds: \"two\"", ":17:13: in seconds: "),
    ("fast: 240", "fast: 0", ": hz.fast must be 1 to 1e6"),
    ("radius: 0.08", "radius: 0.0", ": bodies[3].shape.radius (of \"ball\") must be"),
    ("radius: 0.08", "radius: inf", ": bodies[3].shape.radius (of \"ball\") must be"),
    ("radius: 0.08", "radius: NaN", ": bodies[3].shape.radius (of \"ball\") must be"),
    ("radius: 0.08", "radus: 0.08", ": in bodies[3].shape.radus: "),
    (
        "(0.1, 0.04, 0.04)",
        "(0.1, 0.0, 0.04)",
        ": bodies[4].shape.parts[1].shape.half_extents (of \"hammer\") must be",
    ),
    ("material: \"oak\", position: (-1.5, 0.4, 0.0)", "position: (-1.5, 0.4, 0.0)", ": in bodies[5]: "),
    (
        "material: \"oak\", position",
        "material: \"oaks\", position",
        ": bodies[5].material (of \"wedge\") must be one of copper",
    ),
    ("(-1.5, 0.4, 0.0)", "(-1.5, 0.4)", ": in bodies[5].position: "),
    (
        "(0.0, 0.0, 0.0, 1.0)",
        "(0.0, 0.0, 0.0, 2.0)",
        ": bodies[4].shape.parts[1].rotation (of \"hammer\") must be a quaternion",
    ),
    (
        "asleep: true",
        "asleep: true, angular: (1.0, 0.0, 0.0)",
        ": bodies[7].asleep (of \"slider\") must be false unless the body is dynamic, at rest and may sleep, got true",
    ),
    ("name: \"late\"", "name: \"ball\"", ": bodies[8].name must be unlike"),
    (
        "remove(body: \"gate\")",
        "remove(body: \"door\")",
        ": actions[0].action.body must be the name of a body, got \"door\"",
    ),
    ("at: 0.5", "at: -0.5", ": actions[0].at must be"),
    ("[\"slider\"]", "[\"slidr\"]", ": standing[0] must be the name of a body"),
    ("least: 0)", "least: 0.5)", ": hz.least must be 0, or 1 to 1e6 steps per second, got 0.5"),
    ("max: (20.0", "max: (-20.0", ": bounds must be"),
    ("restitution: 0.7", "restitution: 1.7", ": pairs[0].restitution must be 0 to 1"),
    (
        "static_friction: 0.9",
        "static_friction: 0.1",
        ": pairs[0].static_friction must be at least the kinetic",
    ),
    ("density: 1100.0", "density: 0.0", ": materials[0].density (of \"rubber\") must be above 0"),
    ("name: \"every_field\"", "name: \"../x\"", ": name must be"),
    (
        "kind: kinematic, shape: cuboid(half_extents: (0.1, 0.1, 0.3))",
        "kind: kinematic, shape: half_space(normal: (0.0, 1.0, 0.0))",
        ": bodies[6].shape (of \"pusher\") must be a shape that can move",
    ),
    (
        "half_space(normal: (0.0, 1.0, 0.0))",
        "half_space(normal: (0.0, 0.0, 0.0))",
        ": bodies[0].shape.normal (of \"ground\") must be a direction",
    ),
    ("kind: kinematic", "kind: scriptd", ": in bodies[6].kind: "),
    (
        "time: 1.0",
        "time: 3.0",
        ": bodies[9].motion.keys (of \"lift\") must be a list of places whose times ascend",
    ),
    (
        "keys: [(time: 0.0",
        "keys: [(time: 0.5",
        ": bodies[9].motion.keys (of \"lift\") must be a list whose first time is 0 s",
    ),
    (
        "(time: 2.0, position: (-3.0, 0.05",
        "(time: 2.0, position: (-3.0, 0.15",
        ": bodies[9].motion.repeats (of \"lift\") must be false unless the last key is where the first one is, got true",
    ),
    (
        "position: (-3.0, 0.5, 0.0)",
        "position: (-3.0, NaN, 0.0)",
        ": bodies[9].motion.keys[1].position (of \"lift\") must be",
    ),
    ("trigger: true", "trigger: 1", ": in bodies[10].trigger: "),
    ("groups: [2]", "groups: [32]", ": bodies[13].groups[0] (of \"ghost\") must be 0 to 31, got 32"),
    ("groups: [2]", "trigger: true", ": bodies[13].trigger (of \"ghost\") must be false for a dynamic body"),
    (
        "[\"foot\", \"arm\"]",
        "[\"foot\"]",
        ": composites[0].bodies (of \"bracket\") must be a list of two bodies",
    ),
    (
        "[\"foot\", \"arm\"]",
        "[\"foot\", \"leg\"]",
        ": composites[0].bodies[1] (of \"bracket\") must be the name of a body",
    ),
    (
        "[\"foot\", \"arm\"]",
        "[\"foot\", \"lift\"]",
        ": composites[0].bodies[1] (of \"bracket\") must be the name of a dynamic body",
    ),
    (
        "[\"foot\", \"arm\"]",
        "[\"foot\", \"foot\"]",
        ": composites[0].bodies[1] (of \"bracket\") must be the name of a body that is in no",
    ),
    ("mass: (mass: 2.0", "mass: (mass: -2.0", ": bodies[14].mass.mass (of \"tumbler\") must be"),
    (
        "principal: (0.006,",
        "principal: (0.0,",
        ": bodies[14].mass.inertia.principal (of \"tumbler\") must be three moments from 1e-36",
    ),
    (
        "position: (2.0, 0.1, 1.0)",
        "kind: kinematic",
        ": bodies[14].mass (of \"tumbler\") must be left out unless the body is dynamic",
    ),
    ("a: [1], b: [2]", "a: [1], b: [77]", ": rules[0].b[0] must be 0 to 31, got 77"),
    ("action: ignore", "action: ignor", ": in rules[0].action: "),
    ("period: 0.1", "period: 0.0", ": timers[1].period must be 1e-6 to 1e9 s, got 0.0"),
    ("(first: 0.25)", "(first: -0.25)", ": timers[0].first must be 0 to 1e9 s"),
    ("(first: 0.25)", "()", ": timers[0] must be a timer with a first tick or a period"),
    (
        "unfasten(composite: \"bracket\")",
        "unfasten(composite: \"braket\")",
        ": actions[2].action.composite must be the name of a composite",
    ),
];

#[test]
fn mistakes_are_named_with_line_and_field() {
    let mut faults = Vec::new();
    for (right, wrong, expected) in MISTAKES {
        let text = example();
        let error = refusal(&text, right, wrong, "every_field.ron");
        // The line named is the line changed, or a later line of the same value.
        let at = text.find(right).expect("checked above");
        let line = text[..at].matches('\n').count() + 1;
        let named: usize = error.split(':').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
        let is_near = (line..=line + 2).contains(&named);
        if !(is_near && error.contains(expected) && !error.contains('\n')) {
            faults.push(format!("{wrong} on line {line}: {error}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn joints() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/joints.ron");
    std::fs::read_to_string(path).expect("the example is part of the crate")
}

/// The example of joints is read back as written, and does what its comments say.
#[test]
fn the_example_of_joints_runs() {
    let scene = Scene::parse(&joints(), "joints.ron").expect("the example is valid");
    assert_eq!(Scene::parse(&scene.to_ron(), "again").expect("what is written can be read"), scene);
    let mut runner = Runner::new(&scene, &RunOptions::default()).expect("it runs");
    let mut broken = 0;
    while runner.step().expect("a step") {
        broken += runner.report().expect("a step was made").broken_joints;
    }
    assert_eq!((broken, runner.world().joint_count()), (1, 8), "one of nine breaks");
    let place = |name: &str| {
        let index = scene.bodies.iter().position(|body| body.name == name).expect("of the scene");
        runner.world().pose(runner.body(index).expect("there")).expect("there").translation
    };
    // By 0.8 m less its weight over the stiffness.
    let lifted = 0.5 + 0.8 - 0.6 * 0.1 * 0.6 * 7874.0 * 9.81 / 20_000.0;
    assert!((place("lift").y - lifted).abs() < 0.01, "{} instead of {lifted}", place("lift"));
    assert!(place("lamp").y > 2.0 - 0.9 - 0.1 - 1e-3, "the rope holds it: {}", place("lamp"));
    assert!((place("axle").y - 1.0).abs() < 0.3, "the wheel is on its spring: {}", place("axle"));
    assert!(place("weight").y < 0.3, "it fell: {}", place("weight"));
}

fn machines() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/machines.ron");
    std::fs::read_to_string(path).expect("the example is part of the crate")
}

/// The example of machines is read back as written, and does what its comments say.
#[test]
fn the_example_of_machines_runs() {
    let scene = Scene::parse(&machines(), "machines.ron").expect("the example is valid");
    assert_eq!(Scene::parse(&scene.to_ron(), "again").expect("what is written can be read"), scene);
    let mut runner = Runner::new(&scene, &RunOptions::default()).expect("it runs");
    let place = |runner: &Runner, name: &str| {
        let index = scene.bodies.iter().position(|body| body.name == name).expect("of the scene");
        runner.world().pose(runner.body(index).expect("there")).expect("there").translation
    };
    let mut at_one = None;
    while runner.step().expect("a step") {
        if at_one.is_none() && runner.world().time() >= 1.0 - 1e-9 {
            at_one = Some(place(&runner, "heavy").y);
        }
    }
    let joints: Vec<_> = runner.world().joints().map(|(handle, _)| handle).collect();
    assert_eq!(joints.len(), 12, "nothing broke");
    let twist = |k: usize| runner.world().joint(joints[k]).expect("there").value(JointAxis::Twist);
    assert!((twist(0) - 12.0).abs() < 0.3 && (twist(1) + 0.5 * twist(0)).abs() < 1e-3, "{}", twist(1));
    let rack = place(&runner, "rack").x;
    assert!((rack + 0.02 * f64::from(twist(0))).abs() < 1e-3, "{rack}");
    // Half of g times the difference of the masses over their sum, in a second.
    let fallen = 1.0 - at_one.expect("it ran for a second");
    assert!((fallen - 0.5 * 9.81 * 0.2 / 2.2).abs() < 0.02, "{fallen}");
    assert!((place(&runner, "nut").y - 1.06).abs() < 2e-3, "three turns: {}", place(&runner, "nut"));
    let sag = 1.0 - place(&runner, "hub").y;
    assert!((sag - 10.0 * 9.81 / 2000.0).abs() < 1e-3, "{sag}");
    let sag = 1.0 - place(&runner, "buffer").y;
    assert!((sag - 9.81 / (4.0 * std::f64::consts::PI).powi(2)).abs() < 1e-3, "{sag}");
    assert!((twist(8) - 25.005).abs() < 0.05, "four turns: {}", twist(8));
}

#[test]
fn wrong_couplings_are_refused_where_they_stand() {
    for (right, wrong, expected) in [
        ("ratio: -0.5", "ratio: 0.0", ": couplings[0].kind must be finite and not 0, got 0"),
        ("ratio: -0.5", "ratio: NaN", ": couplings[0].kind must be finite and not 0, got NaN"),
        ("ratio: -0.5", "ratoi: -0.5", "ratoi"),
        (
            "(\"crank\", \"wheel\")",
            "(\"crank\", \"weel\")",
            "joints[1] must be the name of a joint, got \"weel\"",
        ),
        (
            "(\"crank\", \"wheel\")",
            "(\"crank\", \"rack\")",
            "couplings[0].kind must be about coordinates that can be coupled",
        ),
        (
            "(name: \"rack\", kind: slider",
            "(name: \"wheel\", kind: slider",
            ": joints[2].name must be a name of its own",
        ),
        (
            "pulley(ratio: 1.0)",
            "pulley(ratio: -1.0)",
            "couplings[2].kind must be finite and positive, got -1",
        ),
        (
            "breaks_above_force: 1000.0",
            "breaks_above_force: -1.0",
            "couplings[1].breaks_above_force must be positive, or inf without, got -1",
        ),
        (
            "joints: (\"left\", \"right\")",
            "joints: (\"left\", \"right\"), greatest: NaN",
            "couplings[2].greatest must be",
        ),
        ("pitch: 0.02", "pitch: 0.0", ".pitch must be finite and not 0, got 0"),
        ("steering: 0.2", "steering: 4.0", ".steering must be in -pi ..= pi, got 4"),
        (
            "stiffness(stiffness: 2000.0",
            "stiffness(stiffness: -1.0",
            ".suspension must be zero or positive, got -1",
        ),
        (
            "kind: soft_weld",
            "kind: fixed",
            ".linear_spring must be left out (a fixed joint has no linear spring)",
        ),
        ("force: 0.1", "force: NaN", ".motor must be finite, got NaN"),
    ] {
        let error = refusal(&machines(), right, wrong, "machines.ron");
        assert!(error.starts_with("machines.ron:") && error.contains(expected), "{wrong}: {error}");
    }
}

/// The example of articulations is read back as written; its arm comes to rest on the block.
#[test]
fn the_example_of_articulations_runs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/articulation.ron");
    let text = std::fs::read_to_string(path).expect("the example is part of the crate");
    let scene = Scene::parse(&text, "articulation.ron").expect("the example is valid");
    assert_eq!(Scene::parse(&scene.to_ron(), "again").expect("what is written can be read"), scene);
    let mut runner = Runner::new(&scene, &RunOptions::default()).expect("it runs");
    while runner.step().expect("a step") {}
    let world = runner.world();
    assert_eq!(world.articulations().count(), 2);
    for (joint, _) in world.joints() {
        assert!(world.joint(joint).expect("there").error[0] < 1e-6);
    }
    let index = scene.bodies.iter().position(|body| body.name == "tool").expect("of the scene");
    let (linear, _) = world.velocity(runner.body(index).expect("there")).expect("there");
    assert!(linear.norm() < 1e-3, "it rests: {linear:?}");
}

#[test]
fn wrong_joints_are_refused_where_they_stand() {
    for (right, wrong, expected) in [
        (
            "(\"frame\", \"door\")",
            "(\"frame\", \"dor\")",
            ": joints[0].bodies[1] must be the name of a body, got \"dor\"",
        ),
        ("(\"frame\", \"door\")", "(\"door\", \"door\")", ": joints[0].bodies must be two bodies"),
        (
            "(\"frame\", \"door\")",
            "(\"frame\", \"ground\")",
            ": joints[0].bodies must be two bodies, of which one at least is dynamic",
        ),
        ("at: (0.8, 1.0, 0.02)", "at: (NaN, 1.0, 0.02)", ": joints[1].at must be three finite numbers"),
        ("kind: slider", "kind: slidr", ": in joints[2].kind"),
        ("upper: 0.9, collides", "uper: 0.9, collides", "uper"),
        ("speed: 1.0, most: 20.0", "speed: 1.0, mst: 20.0", "mst"),
    ] {
        let error = refusal(&joints(), right, wrong, "joints.ron");
        assert!(error.starts_with("joints.ron:") && error.contains(expected), "{wrong}: {error}");
    }
}

/// What the engine does not take is said with line and field before anything moves, also of joints that are made later.
#[test]
fn joints_that_cannot_be_are_refused_where_they_stand() {
    for (right, wrong, expected) in [
        (
            "lower: 0.0, upper: 1.5",
            "lower: 1.5, upper: 0.0",
            "30:25: joints[0].upper must be a number not below the lower one, or inf without, got 0",
        ),
        ("lower: 0.0, upper: 1.5", "lower: 0.0, upper: NaN", "30:25: joints[0].upper must be a number"),
        ("lower: -0.5, upper: 0.5", "lower: -4.0, upper: 0.5", "joints[4].lower must be in -pi ..= pi"),
        ("lower: -0.5, upper: 0.5", "lower: -0.5, upper: 6.5", "joints[4].upper must be in -pi ..= pi"),
        ("lower: -0.5, upper: 0.5", "lower: -0.5", "joints[4].lower must be in -pi ..= pi, on both sides"),
        (
            "axis: (0.0, 1.0, 0.0)",
            "axis: (0.0, 0.0, 0.0)",
            "29:75: joints[0].axis must be of a finite length above 0",
        ),
        ("most: 20.0", "most: -20.0", "joints[0].motor must be zero or positive, got -20"),
        ("friction: 0.2", "friction: -0.2", "joints[0].friction must be zero or positive, got -0.2"),
        ("friction: 0.2", "friction: inf", "joints[0].friction must be zero or positive, got inf"),
        ("friction: 0.2", "cone: 1.0", "joints[0].cone must be left out (a hinge joint has no cone)"),
        ("stiffness: 20000.0", "stiffness: -1.0", "joints[2].motor must be zero or positive, got -1"),
        ("lower: 0.0, upper: 0.9", "lower: 1.0, upper: 0.9", "joints[3].upper must be a number not below"),
        ("cone: 1.0", "cone: -1.0", "joints[4].cone must be positive, or inf without, got -1"),
        ("cone: 0.8", "lower: 0.8", "joints[5].lower must be left out (a ball joint has no limits)"),
        (
            "twist, friction: 0.1",
            "twist, friction: -0.1",
            "joints[5].axes[0].friction must be zero or positive",
        ),
        (
            "lower: -0.3, upper: 0.3",
            "lower: 0.4, upper: 0.3",
            "joints[6].axes[0].upper must be a number not below",
        ),
        (
            "breaks_above_force: 100.0",
            "breaks_above_force: 0.0",
            "joints[7].breaks_above_force must be positive",
        ),
        (
            "at: (3.0, 2.0, 0.0), to: (4.0, 2.0, 0.0)",
            "at: (3.0, 2.0, 0.0), to: (4.0, 2.0, 0.0), upper: -1.0",
            "joints[8].upper must be positive, got -1",
        ),
        (
            "at: (3.0, 2.0, 0.0), to: (4.0, 2.0, 0.0)",
            "at: (3.0, 2.0, 0.0)",
            "joints[8].at must be positive, got 0",
        ),
    ] {
        let error = refusal(&joints(), right, wrong, "joints.ron");
        assert!(error.starts_with("joints.ron:") && error.contains(expected), "{wrong}: {error}");
    }
}

/// A joint takes no body of a composite, while that is whole.
#[test]
fn joints_are_not_of_bodies_of_composites() {
    let with = |late: &str, actions: &str| {
        let ball = |name: &str, x: f64, rest: &str| {
            format!(
                "(name: \"{name}\", shape: sphere(radius: 0.1), material: \"oak\", position: ({x:?}, 0.0, 0.0){rest})"
            )
        };
        let text = format!(
            "(version: 1, name: \"c\", seconds: 0.5, gravity: (0.0, 0.0, 0.0), bodies: [{}, {}, {}],
            composites: [(name: \"pair\", bodies: [\"a\", \"b\"])],
            joints: [(kind: ball, bodies: (\"c\", \"a\"), at: (0.5, 0.0, 0.0))], actions: [{actions}])",
            ball("a", 0.0, ""),
            ball("b", 0.2, ""),
            ball("c", 1.0, late)
        );
        Scene::parse(&text, "c.ron")
    };
    let error = with("", "").expect_err("refused").to_string();
    assert!(
        error.starts_with(
            "c.ron:3:35: joints[0].bodies[1] must be the name of a body that is in no composite"
        ),
        "{error}"
    );
    let unfasten = "(at: 0.1, action: unfasten(composite: \"pair\"))";
    assert!(with("", unfasten).is_err());
    let scene = with(", appears: 0.2", unfasten).expect("it is broken by then");
    let mut runner = Runner::new(&scene, &RunOptions::default()).expect("it runs");
    while runner.step().expect("a step") {}
    assert_eq!(runner.world().joint_count(), 1);
}

/// Editors may begin a file with a mark of its encoding, which takes no column.
#[test]
fn a_mark_of_the_encoding_is_passed_over() {
    let text = format!("\u{feff}{}", "(version: 1, name: \"empty\", bodies: [])");
    assert_eq!(Scene::parse(&text, "empty.ron").expect("valid").name, "empty");
    let error = Scene::parse(&text.replace("version: 1", "version: 2"), "empty.ron").expect_err("refused");
    assert!(error.to_string().starts_with("empty.ron:1:2: version must be 1"), "{error}");
}

/// Why a text is refused in which `wrong` stands for `right`.
fn refusal(text: &str, right: &str, wrong: &str, file: &str) -> String {
    assert!(text.contains(right), "{right}");
    Scene::parse(&text.replacen(right, wrong, 1), file).expect_err(wrong).to_string()
}

/// Sizes of height fields, which have messages of their own in the engine.
#[test]
fn wrong_height_fields_are_refused_by_field() {
    let text = r#"(version: 1, name: "field", bodies: [(kind: fixed, material: "oak", shape: height_field(
        rows: 2, columns: 2, cell: (1.0, 1.0), heights: [0.0, 0.0, 0.0, 0.0]))])"#;
    Scene::parse(text, "field.ron").expect("it is valid");
    for (right, wrong, expected) in [
        (
            "rows: 2",
            "rows: 100000",
            "field.ron:2:9: bodies[0].shape.rows must be between 2 and 32768, got 100000",
        ),
        (
            "columns: 2",
            "columns: 1",
            "field.ron:2:18: bodies[0].shape.columns must be between 2 and 32768, got 1",
        ),
        ("(1.0, 1.0)", "(0.0, 1.0)", "field.ron:2:30: bodies[0].shape.cell must be"),
        ("(1.0, 1.0)", "(1e9, 1.0)", "bodies[0].shape.cell must be"),
        (
            "columns: 2, cell: (1.0, 1.0), heights: [",
            "columns: 4, cell: (1e6, 1.0), heights: [0.0, 0.0, 0.0, 0.0, ",
            "bodies[0].shape must be one that can be built (columns * cell[0] / 2 must be at most 1e6 m, got 1500000)",
        ),
        ("rows: 2", "rows: 3", "(a height field of 3 rows and 2 columns has 6 heights, got 4)"),
        ("[0.0, 0.0, 0.0", "[0.0, 0.0, NaN", "(the height at row 1, column 0 must be finite and within"),
    ] {
        let error = refusal(text, right, wrong, "field.ron");
        assert!(error.contains(expected), "{wrong}: {error}");
    }
}

#[test]
fn broken_files_are_refused() {
    for text in
        ["", "(", "()", "[]", "(version: 1)", "\u{0}", "(version: 1, name: \"a\", bodies: [", "(((((((((("]
    {
        let error = Scene::parse(text, "broken.ron").expect_err(text);
        assert!(error.to_string().starts_with("broken.ron:"), "{error}");
    }
    assert!(matches!(Scene::load("/nowhere/at/all.ron"), Err(SceneError::Read { .. })));
    assert!(matches!(Scene::load("/"), Err(SceneError::Read { .. })));
}

#[test]
fn a_scene_without_bodies_is_valid() {
    let empty = Scene::parse("(version: 1, name: \"empty\", bodies: [])", "empty.ron").expect("valid");
    assert_eq!(empty.seconds, 5.0);
}

proptest! {
    /// Damaged text never panics; it is either refused with a place or still a scene.
    #[test]
    fn damaged_files_never_panic(cut in 0_usize..4000, insert in "[(){}\\[\\]:,\"a-z0-9./* -]{0,6}") {
        let mut text = example();
        let at = (0..=cut.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        text.insert_str(at, &insert);
        if let Err(error) = Scene::parse(&text, "damaged.ron") {
            prop_assert!(error.to_string().starts_with("damaged.ron:"));
        }
    }

    /// Any radius is either refused or built.
    #[test]
    fn what_is_valid_can_be_built(bits in any::<u32>()) {
        let mut built = scene("tower").expect("listed");
        built.bodies[1].shape = ShapeSpec::Sphere { radius: f32::from_bits(bits) };
        let is_valid = built.validate().is_ok();
        prop_assert_eq!(is_valid, drystone_scenes::build_shape(&built.bodies[1].shape).is_ok());
    }
}

/// Words of before are read, and a warning says where they are and what they are called now.
#[test]
fn old_words_are_read_with_a_warning() {
    let text = "(version: 1, name: \"scripted\", bodies: [ // a scripted one\n    (name: \"lift\", kind: scripted, shape: sphere(radius: 0.5), material: \"oak\"),\n])";
    let old = Scene::parse(text, "lift.ron").expect("it is read");
    assert_eq!(old.bodies[0].kind, Kind::Kinematic);
    let expected =
        "lift.ron:2:26: `scripted` is called `kinematic` now; the next version does not read the old word";
    assert_eq!(old.warnings, [expected]);
    let new = Scene::parse(&old.to_ron(), "lift.ron").expect("it is read");
    assert!(new.warnings.is_empty() && new.bodies == old.bodies);
    let error =
        Scene::parse(&text.replace("kind: scripted", "kind: static"), "lift.ron").expect_err("no kind");
    assert!(
        error.to_string().contains("`dynamic`, `fixed`") && error.to_string().contains("kinematic"),
        "{error}"
    );
}
