//! URDF.

use super::{Folder, body, place, read, run};
use drystone::JointAxis;
use drystone_scenes::{ImportOptions, JointKindSpec, Kind, MotorSpec, RunOptions, Runner, Scene, ShapeSpec};

/// An arm on a base: of each kind of joint one, a sensor that is fixed to the last link, inertials, limits, damping.
const ARM: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base">
    <inertial><mass value="10"/><inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.4 0.4 0.2"/></geometry></visual>
    <collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.25"/><mass value="2"/><inertia ixx="0.04" iyy="0.04" izz="0.002"/></inertial>
    <collision><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.05" length="0.5"/></geometry></collision>
  </link>
  <link name="slide">
    <collision><geometry><sphere radius="0.06"/></geometry></collision>
  </link>
  <link name="sensor">
    <inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.2" rpy="0 0 1.5707963"/><axis xyz="0 1 0"/>
    <limit lower="-1.2" upper="1.5" effort="100" velocity="2"/>
    <dynamics damping="0.7" friction="0.1"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="upper"/><child link="slide"/>
    <origin xyz="0 0 0.6"/><axis xyz="0 0 1"/><limit lower="0" upper="0.3" effort="1" velocity="1"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="slide"/><child link="sensor"/><origin xyz="0.1 0 0"/>
  </joint>
  <transmission name="t"/>
</robot>"#;

#[test]
fn an_arm_comes_out_as_it_is() {
    let folder = Folder::new("arm");
    let arm = read(&folder, "arm.urdf", ARM, &ImportOptions { fixed_base: true, ..ImportOptions::default() })
        .expect("it is valid");
    let names: Vec<&str> = arm.scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!((arm.scene.name.as_str(), names), ("arm", vec!["base", "upper", "slide"]));
    assert_eq!(arm.scene.gravity, [0.0, 0.0, -9.81]);
    assert_eq!(body(&arm, "base").kind, Kind::Fixed);
    let upper = body(&arm, "upper");
    let mass = upper.mass.expect("it says so");
    let inertia = mass.inertia.expect("it says so");
    assert_eq!((mass.mass, inertia.center), (2.0, [0.0, 0.0, 0.25]));
    let mut moments = inertia.principal;
    moments.sort_by(f32::total_cmp);
    assert!((moments[0] - 0.002).abs() < 1e-6 && (moments[2] - 0.04).abs() < 1e-6, "{moments:?}");
    // A ball as heavy as water, and half a kilogram 0.1 m beside it.
    let slide = body(&arm, "slide").mass.expect("of both").mass;
    let ball = 1000.0 * 4.0 / 3.0 * std::f32::consts::PI * 0.06_f32.powi(3);
    assert!((slide - ball - 0.5).abs() < 1e-4, "{slide}");

    let [shoulder, lift] = &arm.scene.joints[..] else { panic!("two joints: {:?}", arm.scene.joints) };
    assert_eq!(
        (shoulder.kind, &shoulder.bodies),
        (JointKindSpec::Hinge, &["base".to_owned(), "upper".to_owned()])
    );
    assert_eq!((shoulder.lower, shoulder.upper, shoulder.friction), (Some(-1.2), Some(1.5), Some(0.1)));
    assert!(shoulder.at[..2] == [0.0, 0.0] && (shoulder.at[2] - 0.2).abs() < 1e-7, "{:?}", shoulder.at);
    // Turned by a quarter about z with the link.
    let axis = shoulder.axis.expect("it has one");
    assert!((axis[0] + 1.0).abs() < 1e-6 && axis[1].abs() < 1e-6, "{axis:?}");
    assert_eq!(
        shoulder.motor,
        Some(MotorSpec::Spring { target: 0.0, stiffness: 0.0, damping: 0.7, most: None })
    );
    assert_eq!((lift.kind, lift.lower, lift.upper), (JointKindSpec::Slider, Some(0.0), Some(0.3)));

    let notes = arm.notes.join("\n");
    for expected in [
        "\"sensor\" are parts of the body \"slide\"",
        "\"slide\" have no mass",
        "visual",
        "`transmission`",
        "effort",
    ] {
        assert!(notes.contains(expected), "{expected} is not in:\n{notes}");
    }
}

#[test]
fn an_arm_falls_to_its_limits_and_slides_to_its_end() {
    let folder = Folder::new("falls");
    let text = ARM
        .replace("rpy=\"0 0 1.5707963\"", "rpy=\"0.3 0 0\"")
        .replace("<axis xyz=\"0 1 0\"/>", "<axis xyz=\"1 0 0\"/>");
    let arm =
        read(&folder, "arm.urdf", &text, &ImportOptions { fixed_base: true, ..ImportOptions::default() })
            .expect("it is valid");
    let runner = run(&arm, 6.0);
    let shoulder = runner.world().joints().next().expect("there are two").0;
    let angle = runner.world().joint(shoulder).expect("it holds").value(drystone::JointAxis::Twist);
    assert!((angle - 1.5).abs() < 0.02, "it fell over to the limit: {angle}");
    let [_, y, z] = place(&runner, &arm, "upper");
    // A quarter of a metre along what leans by 0.3 + 1.5.
    let lean = 1.8_f64;
    assert!((y + 0.25 * lean.sin()).abs() < 0.01 && (z - 0.2 - 0.25 * lean.cos()).abs() < 0.01, "{y} {z}");
}

/// Arms turn by more than half a turn: the two whole turns of one, the 3.75 rad of another, and one that begins outside of its limits.
#[test]
fn limits_beyond_half_a_turn_are_as_in_the_file() {
    let folder = Folder::new("turns");
    for (limits, expected) in [
        ([-1.5, 3.0], [-1.5, 3.0]),
        ([-6.3, 6.3], [-6.3, 6.3]),
        ([-0.0175, 3.7525], [-0.0175, 3.7525]),
        ([0.0, 12.5], [0.0, 12.5]),
        // A turn away it is 0.28 rad below where it stands, so it starts there.
        ([4.0, 6.0], [-2.0, 0.0]),
    ] {
        let [lower, upper]: [f32; 2] = limits;
        let text =
            ARM.replace("lower=\"-1.2\" upper=\"1.5\"", &format!("lower=\"{lower}\" upper=\"{upper}\""));
        let arm =
            read(&folder, "arm.urdf", &text, &ImportOptions { fixed_base: true, ..ImportOptions::default() })
                .expect("it is valid");
        let shoulder = &arm.scene.joints[0];
        assert_eq!([shoulder.lower, shoulder.upper], expected.map(Some), "{limits:?}");
        assert!(!arm.notes.iter().any(|note| note.contains("limits of hinges")), "{:?}", arm.notes);
        run(&arm, 0.1);
    }
}

/// A wheel that a motor drives stops at its limit, one and a half turns away.
#[test]
fn a_hinge_turns_as_far_as_its_limits_let_it() {
    let folder = Folder::new("wheel");
    let text = "<robot name='r'><link name='world'/><link name='wheel'><inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1'/></inertial></link>
        <joint name='axle' type='revolute'><parent link='world'/><child link='wheel'/><axis xyz='0 0 1'/><limit lower='-9.5' upper='9.5'/></joint></robot>";
    for articulated in [false, true] {
        let options = ImportOptions { articulated, ..ImportOptions::default() };
        let mut wheel = read(&folder, "wheel.urdf", text, &options).expect("it is valid");
        wheel.scene.joints[0].motor = Some(MotorSpec::Speed { speed: 8.0, most: Some(10.0) });
        let runner = run(&wheel, 3.0);
        let (handle, _) = runner.world().joints().next().expect("there is one");
        let turned = runner.world().joint(handle).expect("it holds").value(JointAxis::Twist);
        assert!((turned - 9.5).abs() < 1e-3, "{turned} {articulated}");
    }
}

/// The base is what the others hang on, in whatever order links are written, and held already where it is fixed to the world.
#[test]
fn a_fixed_base_is_the_root() {
    let folder = Folder::new("root");
    let kinds = |root: &str, to_world: &str| {
        let link = |name: &str| {
            format!(
                "<link name='{name}'><collision><geometry><sphere radius='.05'/></geometry></collision></link>"
            )
        };
        let joint = |kind: &str, parent: &str, child: &str| {
            format!(
                "<joint name='{child}' type='{kind}'><parent link='{parent}'/><child link='{child}'/></joint>"
            )
        };
        let text = format!(
            "<robot name='r'>{}{}{}{root}{to_world}{}{}</robot>",
            link("tip"),
            link("mid"),
            link("base"),
            joint("continuous", "base", "mid"),
            joint("continuous", "mid", "tip")
        );
        let options = ImportOptions { fixed_base: true, ..ImportOptions::default() };
        let robot = read(&folder, "root.urdf", &text, &options).expect("it is valid");
        let is_fixed =
            |name: &&str| robot.scene.bodies.iter().any(|b| b.name == *name && b.kind == Kind::Fixed);
        ["world", "base", "mid", "tip"].into_iter().filter(is_fixed).collect::<Vec<_>>()
    };
    let to_world = |kind: &str| {
        format!("<joint name='w' type='{kind}'><parent link='world'/><child link='base'/></joint>")
    };
    assert_eq!(kinds("", ""), ["base"]);
    assert_eq!(kinds("<link name='world'/>", &to_world("fixed")), ["world"]);
    assert_eq!(kinds("<link name='world'/>", &to_world("floating")), ["world", "base"]);
}

#[test]
fn what_joints_in_a_plane_have_besides_is_noted() {
    let folder = Folder::new("planar");
    let arm = ARM.replace("type=\"revolute\"", "type=\"planar\"");
    let arm = read(&folder, "arm.urdf", &arm, &ImportOptions::default()).expect("it is valid");
    for expected in ["left out: `limit` of planar joints", "left out: `dynamics` of planar joints"] {
        assert!(arm.notes.iter().any(|note| note == expected), "{expected}: {:?}", arm.notes);
    }
}

#[test]
fn a_robot_without_a_fixed_base_stands_on_the_ground_it_asks_for() {
    let folder = Folder::new("stands");
    let arm = read(&folder, "arm.urdf", ARM, &ImportOptions { ground: true, ..ImportOptions::default() })
        .expect("it is valid");
    assert!(matches!(body(&arm, "ground").shape, ShapeSpec::HalfSpace { normal: [0.0, 0.0, 1.0] }));
    assert!(body(&arm, "ground").position[2].abs() < 1e-6, "its lowest point");
    let runner = run(&arm, 3.0);
    let [x, y, z] = place(&runner, &arm, "base");
    assert!(x.abs() < 0.1 && y.abs() < 0.1 && z.abs() < 0.02, "the base stands: {x} {y} {z}");
}

#[test]
fn meshes_are_hulls_found_by_their_package() {
    let folder = Folder::new("mesh");
    folder.add(
        "pkg/meshes/tetra.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    );
    let text = r#"<robot name="m"><link name="a">
        <collision><geometry><mesh filename="package://pkg/meshes/tetra.obj" scale="0.1 0.2 0.3"/></geometry></collision>
        <collision><geometry><mesh filename="package://pkg/meshes/none.dae"/></geometry></collision>
    </link></robot>"#;
    let robot = read(&folder, "pkg/urdf/m.urdf", text, &ImportOptions::default()).expect("it is valid");
    let ShapeSpec::Hull { points } = &body(&robot, "a").shape else { panic!("a hull") };
    assert!(
        points.len() == 4 && points.contains(&[0.0, 0.0, 0.3]) && points.contains(&[0.0, 0.2, 0.0]),
        "{points:?}"
    );
    let mass = body(&robot, "a").mass.expect("as heavy as water").mass;
    assert!((mass - 1000.0 * 0.1 * 0.2 * 0.3 / 6.0).abs() < 1e-4, "{mass}");
    let notes = robot.notes.join("\n");
    assert!(
        notes.contains("tetra.obj\" is its convex hull")
            && notes.contains("left out: the mesh \"package://pkg/meshes/none.dae\""),
        "{notes}"
    );
}

#[test]
fn what_cannot_be_is_refused_with_its_line() {
    let folder = Folder::new("wrong");
    let cases = [
        ("<child link=\"upper\"/>", "<child link=\"uper\"/>", "there is no link \"uper\""),
        ("type=\"prismatic\"", "type=\"sliding\"", "type must be revolute"),
        ("<parent link=\"upper\"/>", "<parent link=\"slide\"/>", "the joints go in a ring"),
        ("<link name=\"sensor\">", "<link name=\"slide\">", "another link of this name"),
        ("radius=\"0.06\"", "radius=\"-1\"", "radius"),
        ("radius=\"0.06\"", "radius=\"six\"", "finite numbers, got \"six\""),
        (
            "<box size=\"0.4 0.4 0.2\"/></geometry></collision>",
            "<box size=\"0.4 0.4\"/></geometry></collision>",
            "3 numbers, got 2",
        ),
        ("<sphere radius=\"0.06\"/>", "<torus/>", "expected box, cylinder"),
        ("<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 0 0\"/>", "must not be zero"),
        ("damping=\"0.7\"", "damping=\"-0.7\"", "in dynamics: damping must be at least 0, got -0.7"),
        ("friction=\"0.1\"", "friction=\"-0.1\"", "in dynamics: friction must be at least 0, got -0.1"),
        ("<child link=\"sensor\"/>", "<child link=\"upper\"/>", "hangs on another joint"),
    ];
    for (from, to, expected) in cases {
        assert!(ARM.contains(from), "{from}");
        let error = read(&folder, "arm.urdf", &ARM.replace(from, to), &ImportOptions::default())
            .expect_err("refused")
            .to_string();
        assert!(error.contains(expected), "{to}: {error}");
    }
    let error = read(
        &folder,
        "arm.urdf",
        &ARM.replace("radius=\"0.06\"", "radius=\"six\""),
        &ImportOptions::default(),
    );
    let error = error.expect_err("refused").to_string();
    assert!(error.contains("arm.urdf:14:"), "{error}");
}

/// What stands before the root, and what is left over from the program that wrote the file.
#[test]
fn what_comes_before_the_root_is_of_no_consequence() {
    let folder = Folder::new("before");
    let robot = "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    for before in [
        "",
        "\n\n",
        "\u{feff}",
        "<!-- a -->\n",
        "\n<?xml version='1.0'?>\n",
        "<!-- made\nby hand -->\n<?xml version='1.0' encoding='utf-8'?>",
    ] {
        let text = format!("{before}{robot}");
        let found = read(&folder, "before.urdf", &text, &ImportOptions::default());
        assert_eq!(found.unwrap_or_else(|error| panic!("{before:?}: {error}")).scene.bodies.len(), 1);
    }
    // Lines are counted with what comes before.
    let wrong = "\n\n<?xml version='1.0'?>\n<robot name='r'>\n<link/></robot>";
    let error =
        read(&folder, "before.urdf", wrong, &ImportOptions::default()).expect_err("refused").to_string();
    assert!(error.contains("before.urdf:5:1"), "{error}");
}

#[test]
fn what_is_left_over_from_xacro_is_named_so() {
    let folder = Folder::new("xacro");
    let with = |root: &str, radius: &str| {
        let text = format!(
            "<robot name='r' {root}><xacro:property name='w' value='1'/><link name='a'><collision><geometry><sphere radius='{radius}'/></geometry></collision></link></robot>"
        );
        read(&folder, "x.urdf", &text, &ImportOptions::default())
    };
    let space = "xmlns:xacro='http://www.ros.org/wiki/xacro'";
    let found = with(space, "1").expect("it is a note");
    assert!(
        found.notes.iter().any(|note| note.contains("`xacro:property`: that is left over from xacro")),
        "{:?}",
        found.notes
    );
    for (root, radius) in [(space, "${w}"), ("", "1")] {
        let error = with(root, radius).expect_err("refused").to_string();
        assert!(error.contains("left over from xacro, expand the file first"), "{error}");
    }
}

/// What programs write that is not quite right: commas behind numbers, shapes of no size for none.
#[test]
fn commas_and_shapes_of_no_size_are_taken_as_they_are_meant() {
    let folder = Folder::new("meant");
    let text = ARM
        .replace("xyz=\"0 0 0.2\" rpy=\"0 0 1.5707963\"", "xyz=\"0, 0, 0.2\" rpy=\"0 0 1.5707963,\"")
        .replace("<sphere radius=\"0.06\"/>", "<sphere radius=\"0\"/>");
    let arm = read(&folder, "arm.urdf", &text, &ImportOptions::default()).expect("it is valid");
    assert!((body(&arm, "upper").position[2] - 0.2).abs() < 1e-6);
    // Half a kilogram of the sensor that is fixed to it.
    assert_eq!(body(&arm, "slide").mass.map(|mass| mass.mass), Some(0.5));
    assert!(arm.notes.iter().any(|note| note == "left out: shapes of size 0"), "{:?}", arm.notes);
    // A comma in a number is none of ours.
    let wrong = ARM.replace("radius=\"0.06\"", "radius=\"0,06\"");
    let error =
        read(&folder, "arm.urdf", &wrong, &ImportOptions::default()).expect_err("refused").to_string();
    assert!(error.contains("finite numbers, got \"0,06\""), "{error}");
}

#[test]
fn a_robot_is_one_articulation_where_that_is_asked_for() {
    let folder = Folder::new("articulated");
    let options = ImportOptions { fixed_base: true, articulated: true, ..ImportOptions::default() };
    let arm = read(&folder, "arm.urdf", ARM, &options).expect("it is valid");
    let joints = arm.scene.joints.len();
    assert_eq!(arm.scene.articulations.len(), 1, "{:?}", arm.notes);
    assert_eq!(arm.scene.articulations[0].joints, (0..joints).collect::<Vec<_>>());
    let again = Scene::parse(&arm.scene.to_ron(), "arm.ron").expect("what was written is read");
    assert_eq!(again, arm.scene);
    let mut runner = Runner::new(&arm.scene, &RunOptions::default()).expect("a tree");
    for _ in 0..120 {
        runner.step().expect("a step");
    }
    let world = runner.world();
    assert_eq!(world.articulations().count(), 1);
    for (joint, _) in world.joints() {
        assert!(world.joint(joint).expect("there").error[0] < 1e-6);
    }
}

#[test]
fn places_of_joints_that_are_none_are_refused() {
    let folder = Folder::new("articulations");
    let options = ImportOptions { fixed_base: true, articulated: true, ..ImportOptions::default() };
    let arm = read(&folder, "arm.urdf", ARM, &options).expect("it is valid");
    for (joints, field) in
        [(vec![], "articulations[0].joints"), (vec![7], "joints[0]"), (vec![0, 0], "joints[1]")]
    {
        let mut scene = arm.scene.clone();
        scene.articulations[0].joints = joints;
        let message = scene.validate().expect_err("refused").to_string();
        assert!(message.contains(field), "{message}");
    }
}
