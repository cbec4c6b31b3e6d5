//! MJCF.

mod actuators;
mod contacts;
mod defaults;
mod files;
mod filters;
mod masses;
mod notes;

use super::{Folder, body, place, read, run};
use drystone_scenes::{ImportOptions, Imported, JointKindSpec, Kind, MotorSpec, SceneError, ShapeSpec};

/// A model with this inside.
fn model(folder: &Folder, inside: &str) -> Result<Imported, SceneError> {
    read(folder, "model.xml", &format!("<mujoco>{inside}</mujoco>"), &ImportOptions::default())
}

/// A model of one body with this inside, which begins on line 3.
fn one(folder: &Folder, inside: &str) -> Result<Imported, SceneError> {
    model(folder, &format!("<worldbody>\n<body name='b'>\n{inside}\n</body></worldbody>"))
}

fn left_out(found: &Imported) -> Vec<&str> {
    found.notes.iter().filter_map(|note| note.strip_prefix("left out: ")).collect()
}

fn refused(result: Result<Imported, SceneError>) -> String {
    result.expect_err("refused").to_string()
}

/// A floor, a wall, a free box, a pendulum of two with defaults, and things that have no counterpart.
const MODEL: &str = r#"<mujoco model="mix">
  <compiler angle="degree"/>
  <option gravity="0 0 -10" timestep="0.002"/>
  <default>
    <geom density="500" friction="0.6 0.005 0.0001"/>
    <default class="rod"><geom type="capsule" size="0.05"/><joint damping="0.1"/></default>
  </default>
  <asset><texture name="t" type="2d" builtin="checker" width="8" height="8"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <geom name="wall" type="box" size="0.1 1 1" pos="3 0 1"/>
    <body name="crate" pos="1 0 0.5" euler="0 0 90">
      <freejoint/>
      <geom type="box" size="0.2 0.1 0.3" mass="4"/>
      <geom type="sphere" size="1" contype="0" conaffinity="0" mass="0"/>
    </body>
    <body name="first" pos="0 0 3" childclass="rod">
      <joint name="top" type="hinge" axis="0 1 0" range="-90 45"/>
      <geom fromto="0 0 0 1 0 0"/>
      <body name="second" pos="1 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0"/>
        <geom fromto="0 0 0 0.5 0 0"/>
        <body name="tip" pos="0.5 0 0"><geom type="ellipsoid" size="0.1 0.05 0.05"/></body>
      </body>
    </body>
    <body name="rider" pos="-2 0 1">
      <joint type="slide" axis="1 0 0" stiffness="100" damping="5" springref="0.25"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.02 0.03"/>
      <geom type="cylinder" size="0.1 0.2"/>
    </body>
  </worldbody>
  <actuator><motor joint="top"/><motor joint="elbow"/></actuator>
</mujoco>"#;

#[test]
fn a_model_comes_out_as_it_is() {
    let folder = Folder::new("model");
    let model = read(&folder, "mix.xml", MODEL, &ImportOptions::default()).expect("it is valid");
    assert_eq!((model.scene.name.as_str(), model.scene.gravity), ("mix", [0.0, 0.0, -10.0]));
    assert!(
        matches!(body(&model, "floor").shape, ShapeSpec::HalfSpace { normal } if (normal[2] - 1.0).abs() < 1e-6)
    );
    assert_eq!((body(&model, "world").kind, body(&model, "crate").kind), (Kind::Fixed, Kind::Dynamic));
    assert_eq!(body(&model, "crate").mass.expect("it says so").mass, 4.0);
    assert!(matches!(body(&model, "crate").shape, ShapeSpec::Cuboid { half_extents: [0.2, 0.1, 0.3] }));
    // A capsule of the class, between two points: 1 m long, 5 cm thick, of 500 kg/m³.
    let (radius, length) = (0.05_f32, 1.0_f32);
    let volume = std::f32::consts::PI * radius * radius * (length + 4.0 / 3.0 * radius);
    let mass = body(&model, "first").mass.expect("of its density").mass;
    assert!((mass - 500.0 * volume).abs() < 1e-3, "{mass}");
    let inertia = body(&model, "first").mass.and_then(|mass| mass.inertia).expect("of its shape");
    assert!((inertia.center[0] - 0.5).abs() < 1e-6 && inertia.center[2].abs() < 1e-6, "{:?}", inertia.center);

    let joint = |a: &str, b: &str| {
        let ends = [a.to_owned(), b.to_owned()];
        model.scene.joints.iter().find(|joint| joint.bodies == ends).unwrap_or_else(|| panic!("{ends:?}"))
    };
    let top = joint("world", "first");
    assert_eq!((top.kind, top.at), (JointKindSpec::Hinge, [0.0, 0.0, 3.0]));
    let limits = [top.lower, top.upper].map(|limit| limit.expect("it has both").to_degrees().round());
    assert_eq!(limits, [-90.0, 45.0]);
    assert_eq!(top.motor, Some(MotorSpec::Spring { target: 0.0, stiffness: 0.0, damping: 0.1, most: None }));
    let elbow = joint("first", "second");
    assert_eq!((elbow.kind, elbow.at, elbow.lower), (JointKindSpec::Hinge, [1.0, 0.0, 3.0], None));
    let slide = joint("world", "rider");
    assert_eq!(slide.kind, JointKindSpec::Slider);
    assert_eq!(
        slide.motor,
        Some(MotorSpec::Spring { target: 0.25, stiffness: 100.0, damping: 5.0, most: None })
    );
    assert_eq!(model.scene.joints.len(), 3);

    let notes = model.notes.join("\n");
    for expected in [
        "--hz 500",
        "`light` of the world",
        "touch nothing",
        "\"tip\" are parts of the body \"second\"",
        "ellipsoid",
        "`motor` of actuators that push as a controller says, which there is none of (2 times)",
    ] {
        assert!(notes.contains(expected), "{expected} is not in:\n{notes}");
    }
}

#[test]
fn a_model_moves_as_it_should() {
    let folder = Folder::new("moves");
    let model = read(&folder, "mix.xml", MODEL, &ImportOptions::default()).expect("it is valid");
    let runner = run(&model, 8.0);
    let [x, y, z] = place(&runner, &model, "crate");
    assert!(
        (x - 1.0).abs() < 0.02 && y.abs() < 0.02 && (z - 0.3).abs() < 2e-3,
        "the crate stands: {x} {y} {z}"
    );
    let [x, _, z] = place(&runner, &model, "rider");
    assert!((x + 1.75).abs() < 0.01 && (z - 1.0).abs() < 1e-3, "the spring pulled it there: {x} {z}");
    // About +y a turn of +45° takes +x down by that: the limit holds the rod there.
    let [x, _, z] = place(&runner, &model, "first");
    let half = 0.5 * std::f64::consts::FRAC_1_SQRT_2;
    assert!((x - half).abs() < 0.02 && (z - 3.0 + half).abs() < 0.02, "{x} {z}");
}

#[test]
fn turns_are_said_in_many_ways() {
    let folder = Folder::new("turns");
    // A box, long along its z, laid along the world's x.
    let ways = [
        "quat=\"0.70710678 0 0.70710678 0\"",
        "euler=\"0 90 0\"",
        "axisangle=\"0 1 0 90\"",
        "zaxis=\"1 0 0\"",
        "xyaxes=\"0 0 -1 0 1 0\"",
    ];
    for way in ways {
        let text = format!(
            "<mujoco><worldbody><body name='b' pos='0 0 5' {way}><freejoint/><geom type='box' size='0.1 0.2 0.9'/></body></worldbody></mujoco>"
        );
        let model =
            read(&folder, "turn.xml", &text, &ImportOptions { ground: true, ..ImportOptions::default() })
                .expect("valid");
        // Its lowest point is 0.1 below its middle when it lies so.
        let ground = body(&model, "ground").position[2];
        assert!((ground - 4.9).abs() < 1e-4, "{way}: {ground}");
    }
}

#[test]
fn a_segment_stands_for_a_pose_and_a_length() {
    let folder = Folder::new("segment");
    for kind in ["box", "ellipsoid", "cylinder", "capsule"] {
        let found =
            one(&folder, &format!("<geom type='{kind}' size='0.1' fromto='1 0 0 3 0 0'/>")).expect("valid");
        let parts = drystone_scenes::build_shape(&body(&found, "b").shape).expect("it can be built").parts;
        let reach = |x: f32, y: f32| {
            let direction = drystone::math::Vector3::new(x, y, 0.0);
            let reach = parts[0].shape.reach(&(parts[0].local.rotation.inverse() * direction));
            reach + parts[0].local.translation.dot(&direction)
        };
        let end = if kind == "capsule" { 3.1 } else { 3.0 };
        let found = [reach(1.0, 0.0) - end, reach(-1.0, 0.0) - end + 4.0, reach(0.0, 1.0) - 0.1];
        assert!(found.iter().all(|miss| miss.abs() < 1e-5), "{kind}: {found:?}");
    }
}

#[test]
fn what_has_no_counterpart_is_refused_or_noted() {
    let folder = Folder::new("odd");
    let with = |inside: &str| {
        let text = format!(
            "<mujoco>\n<worldbody>\n<body name='b'>\n{inside}\n<geom size='0.1'/></body></worldbody></mujoco>"
        );
        read(&folder, "odd.xml", &text, &ImportOptions::default())
    };
    let ball = with("<joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='0 0 1'/>").expect("a ball joint");
    assert_eq!(ball.scene.joints[0].kind, JointKindSpec::Ball);
    let cases = [
        ("<joint type='slide'/><freejoint/>", "a free joint must be the only one"),
        ("<joint type='screw'/>", "type must be hinge"),
        ("<joint range='1'/>", "range must be 2 numbers"),
        ("<frame childclass='none'/>", "a class must be one of main"),
        ("<inertial mass='1' diaginertia='0 0 -1'/>", "no body has this mass"),
        ("<geom type='box' size='1 1'/>", "must have 3 numbers"),
        ("<geom type='sphere' size='-1'/>", "radius"),
        ("<geom size='1' fromto='0 0 0 1 0 0'/>", "fromto must be of a capsule, cylinder, box or ellipsoid"),
    ];
    for (inside, expected) in cases {
        let error = with(inside).expect_err("refused").to_string();
        assert!(error.contains(expected), "{inside}: {error}");
    }
    let hfield = with("<geom type='hfield'/>").expect("it is left out");
    assert!(hfield.notes.iter().any(|note| note.contains("`hfield`")), "{:?}", hfield.notes);
}
