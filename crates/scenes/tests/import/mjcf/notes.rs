//! What is not read is noted; limits, and what holds bodies together besides the tree.

use super::super::{Folder, run};
use super::{left_out, model, one, refused};
use drystone_scenes::{JointKindSpec, MotorSpec};

#[test]
fn attributes_that_are_not_read_are_noted_once_each() {
    let folder = Folder::new("unread");
    let text = r#"
      <compiler boundmass="0.1" settotalmass="-1" discardvisual="true" inertiafromgeom="auto"/>
      <option wind="1 0 0" viscosity="0.1" density="1.2" integrator="RK4" gravity="0 0 -1"><flag contact="disable" energy="enable"/></option>
      <option timestep="0.01"/>
      <default><geom solref="0.01 1" condim="3" rgba="1 0 0 1"/><motor ctrlrange="0 1"/></default>
      <worldbody>
        <body name="b" mocap="false"><freejoint/><geom size="0.1" condim="1" group="2" margin="0"/><geom size="0.1" condim="4" foo="1"/></body>
        <body user="1 2"><joint type="ball" damping="1" range="0 90"/><geom size="0.1" gap="0.001"/></body>
        <body><joint armature="0.1" margin="0.0" name="j" solimplimit="0.9 0.95 0.001"/><geom size="0.1"><plugin/></geom></body>
      </worldbody>"#;
    let found = model(&folder, text).expect("valid");
    let expected = [
        "`solref` of `geom`",
        "`wind` of `option`",
        "`viscosity` of `option`",
        "`density` of `option`",
        "`condim` of `geom` (2 times)",
        "`foo` of `geom`",
        "`gap` of `geom`",
        "`plugin` of `geom`",
    ];
    assert_eq!(left_out(&found), expected);
    // A second element of options takes nothing from the first one.
    assert_eq!(found.scene.gravity, [0.0, 0.0, -1.0]);
}

#[test]
fn a_spring_that_pulls_beyond_half_a_turn_is_left_out_of_joints_of_several_turns() {
    let folder = Folder::new("springref");
    let spring = |joint: &str, other: &str| {
        let text = format!("<joint stiffness='2' {joint}/>{other}<geom size='0.1'/>");
        let found = one(&folder, &text).expect("valid");
        let entry = &found.scene.joints[0];
        let motor = entry.motor.or(entry.axes.iter().find_map(|own| own.motor));
        (motor, left_out(&found).iter().any(|note| note.contains("springs of hinges")))
    };
    let expected = |target: f32, stiffness, damping| {
        Some(MotorSpec::Spring { target: target.to_radians(), stiffness, damping, most: None })
    };
    // A hinge counts its turns.
    assert_eq!(spring("springref='170'", ""), (expected(170.0, 2.0, 0.0), false));
    assert_eq!(spring("springref='190'", ""), (expected(190.0, 2.0, 0.0), false));
    // Of two that are one joint the first one is a swing.
    let second = "<joint axis='0 1 0'/>";
    let small = "limited='true' range='-10 10'";
    assert_eq!(spring(&format!("springref='190' {small}"), second), (None, true));
    assert_eq!(
        spring(&format!("springref='190' damping='3' {small}"), second),
        (expected(0.0, 0.0, 3.0), true)
    );
}

#[test]
fn a_range_that_does_not_ascend_is_no_limit() {
    let folder = Folder::new("range");
    let limits = |joint: &str| {
        let found = one(&folder, &format!("<joint {joint}/><geom size='0.1'/>")).expect("valid");
        let entry = &found.scene.joints[0];
        let limits = [entry.lower, entry.upper].map(|limit| limit.map(|limit| limit.to_degrees().round()));
        (limits, left_out(&found).iter().any(|note| note.contains("`range`")))
    };
    assert_eq!(limits("range='-90 45'"), ([Some(-90.0), Some(45.0)], false));
    assert_eq!(limits("range='90 -90'"), ([None; 2], true));
    assert_eq!(limits("range='10 10'"), ([None; 2], true));
    assert_eq!(limits("range='0 0'"), ([None; 2], false));
    assert_eq!(limits("range='90 -90' limited='false'"), ([None; 2], false));
    // Where the file has the joint at 10°.
    assert_eq!(limits("range='0 20' ref='10'"), ([Some(-10.0), Some(10.0)], false));
    for (joint, expected) in [
        (
            "range='90 -90' limited='true'",
            "the first below the second, since limited is true, got \"90 -90\"",
        ),
        ("limited='true'", "since limited is true, got \"\""),
        ("range='0 1' limited='maybe'", "limited must be true, false or auto, got \"maybe\""),
        ("damping='-1'", "damping must be at least 0, got -1"),
        ("damping='1e39'", "damping must be finite numbers, got \"1e39\""),
    ] {
        let error = refused(one(&folder, &format!("<joint {joint}/><geom size='0.1'/>")));
        assert!(error.contains(expected) && error.contains("model.xml:3:"), "{error}");
    }
}

#[test]
fn equality_may_come_before_the_bodies() {
    let folder = Folder::new("equality");
    let bodies = "<worldbody><body name='a' pos='1 0 0'><freejoint/><geom size='.1'/></body>
        <body name='b' pos='2 0 0'><freejoint/><geom size='.1'/></body></worldbody>";
    let with = |inside: &str| model(&folder, &format!("<equality>\n{inside}</equality>{bodies}"));
    let found = with(
        "<connect body1='a' body2='b' anchor='0.5 0 0'/><weld body1='b'/><weld body1='a' body2='b' active='false'/>",
    )
    .expect("valid");
    let joints: Vec<_> =
        found.scene.joints.iter().map(|joint| (joint.kind, joint.bodies.join(" "), joint.at)).collect();
    assert_eq!(
        joints,
        [
            (JointKindSpec::Ball, "a b".to_owned(), [1.5, 0.0, 0.0]),
            (JointKindSpec::Fixed, "b world".to_owned(), [2.0, 0.0, 0.0]),
        ]
    );
    assert_eq!(left_out(&found), ["`weld` that is not active"]);
    let error = refused(with("<connect body1='a' body2='c' anchor='0 0 0'/>"));
    assert!(error.contains("model.xml:2:") && error.contains("there is no body \"c\""), "{error}");
}

#[test]
fn settings_of_the_compiler_are_what_they_can_be() {
    let folder = Folder::new("compiler");
    for (setting, expected) in [
        ("angle='grad'", "angle must be degree or radian, got \"grad\""),
        ("eulerseq='xy'", "eulerseq must be three of x, y, z, X, Y, Z, got \"xy\""),
        ("coordinate='mine'", "coordinate must be local or global, got \"mine\""),
    ] {
        let error = refused(model(&folder, &format!("\n<compiler {setting}/>")));
        assert!(error.contains(expected) && error.contains("model.xml:2:"), "{error}");
    }
}

/// A fly in centimetres and grams falls by 0.27 cm in the first step of 60 per second, and is 0.3 cm long; a dog in metres by 3 mm.
#[test]
fn what_falls_by_its_size_in_a_step_gets_the_steps_of_its_file() {
    let folder = Folder::new("rate");
    let with = |option: &str, size: &str| {
        let text = format!(
            "<option {option}/><worldbody><body><freejoint/><geom type='box' size='{size}'/></body></worldbody>"
        );
        model(&folder, &text).expect("valid")
    };
    let fly = with("timestep='0.0001' gravity='0 0 -981'", ".1 .1 .05");
    assert_eq!(fly.scene.hz.least, 10000.0);
    let expected = "steps of 0.0001 s are asked for and taken, 10000 per second: with 60 of them gravity would move the model, of size 0.300, by 0.273 more in each than in the one before";
    assert_eq!(fly.notes[0], expected);
    assert_eq!(run(&fly, 0.01).step_count(), 100, "with the preset that takes 60 by itself");
    let usual = with("gravity='0 0 -981'", ".1 .1 .05");
    assert_eq!(usual.scene.hz.least, 500.0);
    assert!(
        usual.notes[0].starts_with("steps of 0.002 s are usual for MJCF and taken, 500 per second"),
        "{:?}",
        usual.notes
    );
    let dog = with("timestep='0.0001'", ".4 .1 .3");
    assert_eq!(
        (dog.scene.hz.least, dog.notes[0].as_str()),
        (0.0, "steps of 0.0001 s are asked for: say --hz 10000")
    );
    // Nothing is gained by longer ones.
    assert_eq!(with("timestep='0.05' gravity='0 0 -981'", ".1 .1 .05").scene.hz.least, 0.0);
}

#[test]
fn steps_that_no_run_has_are_told() {
    let folder = Folder::new("timestep");
    let with = |step: &str| model(&folder, &format!("\n<option timestep='{step}'/><worldbody/>"));
    let notes = |step: &str| with(step).expect("valid").notes.concat();
    assert!(notes("0.002").ends_with("say --hz 500"), "{}", notes("0.002"));
    for step in ["4", "1e-9"] {
        assert!(notes(step).starts_with("left out: steps of "), "{}", notes(step));
    }
    for step in ["0", "-0.002"] {
        let error = refused(with(step));
        assert!(error.contains("model.xml:2:") && error.contains("timestep must be above 0, got"), "{error}");
    }
}

#[test]
fn a_joint_that_is_left_out_is_named_as_it_is_called() {
    let folder = Folder::new("left-joint");
    let text = "<worldbody><body name='a'/><body name='b'/></worldbody>
        <equality><weld name='w' body1='a' body2='b'/></equality>";
    let notes = model(&folder, text).expect("valid").notes;
    let expected = "left out: joint \"w\", since what it holds cannot move apart";
    assert!(notes.iter().any(|note| note == expected), "{notes:?}");
}
