//! Actuators, as far as they are springs and dampers without a controller; flags that switch things off; couplings.

use super::super::{Folder, body, place, stays};
use super::{left_out, model, refused};
use drystone_scenes::{Imported, JointAxisSpec, JointKindSpec, MotorSpec};

/// A body of 1 kg on a hinge of the world with this of its own, and this in the model.
fn hinged(folder: &Folder, joint: &str, rest: &str) -> Imported {
    let text = format!(
        "{rest}<worldbody><body name='b' pos='0 0 1'><joint name='j' axis='0 1 0' {joint}/>
         <inertial pos='0.2 0 0' mass='1' diaginertia='0.01 0.01 0.01'/></body></worldbody>"
    );
    model(folder, &text).expect("it is valid")
}

fn motor(found: &Imported) -> Option<MotorSpec> {
    found.scene.joints[0].motor
}

#[test]
fn what_pulls_to_a_position_is_a_spring() {
    let folder = Folder::new("actuators");
    let with = |actuator: &str| {
        let found = hinged(&folder, "", &format!("<actuator>{actuator}</actuator>"));
        stays(&found);
        (motor(&found), left_out(&found).len())
    };
    let spring = |target: f32, stiffness: f32, damping: f32, most| {
        (Some(MotorSpec::Spring { target, stiffness, damping, most }), 0)
    };
    assert_eq!(with("<position joint='j' kp='50' kv='2'/>"), spring(0.0, 50.0, 2.0, None));
    assert_eq!(with("<position joint='j' kp='50' forcerange='-3 4'/>"), spring(0.0, 50.0, 0.0, Some(4.0)));
    // The force is that of the gear times as much, and the way too.
    assert_eq!(
        with("<position joint='j' kp='50' gear='2' forcerange='-3 3'/>"),
        spring(0.0, 200.0, 0.0, Some(6.0))
    );
    // Controls begin at 0, or the nearest that they may be.
    assert_eq!(with("<position joint='j' kp='50' ctrlrange='0.5 1'/>"), spring(0.5, 50.0, 0.0, None));
    assert_eq!(with("<velocity joint='j' kv='3'/>"), spring(0.0, 0.0, 3.0, None));
    let affine = "<general joint='j' biastype='affine' gainprm='20' biasprm='0 -20 -1'/>";
    assert_eq!(with(affine), spring(0.0, 20.0, 1.0, None));
    for pushes in ["<motor joint='j' gear='60'/>", "<general joint='j' gainprm='20'/>", "<muscle joint='j'/>"]
    {
        assert_eq!(with(pushes), (None, 1), "{pushes}");
    }
    let error = refused(model(&folder, "<worldbody/><actuator>\n<motor joint='k'/></actuator>"));
    assert!(error.contains("model.xml:2:") && error.contains("there is no joint \"k\""), "{error}");
}

#[test]
fn actuators_add_to_what_the_joint_has_and_have_defaults_of_their_own() {
    let folder = Folder::new("actuators-add");
    let classes =
        "<default><position kp='30'/><default class='soft'><general forcerange='-1 1'/></default></default>";
    let found = hinged(
        &folder,
        "stiffness='10' damping='1' springref='40'",
        &format!("{classes}<actuator><position class='soft' joint='j'/></actuator>"),
    );
    // What is only so strong is a joint of its own, which leaves all free.
    let own = motor(&found).expect("its own");
    assert!(matches!(own, MotorSpec::Spring { stiffness: 10.0, damping: 1.0, most: None, .. }), "{own:?}");
    let servo = &found.scene.joints[1];
    let drives: Vec<_> = servo.axes.iter().filter_map(|axis| Some((axis.axis, axis.motor?))).collect();
    let expected = MotorSpec::Spring { target: 0.0, stiffness: 30.0, damping: 0.0, most: Some(1.0) };
    assert_eq!((servo.axes.len(), drives), (6, vec![(JointAxisSpec::Twist, expected)]));
    assert!(servo.axes.iter().all(|axis| axis.lower.is_none() && axis.upper.is_none()));
    stays(&found);
    let strong = hinged(
        &folder,
        "stiffness='10' damping='1' springref='40'",
        "<actuator><position joint='j' kp='30'/></actuator>",
    );
    let Some(MotorSpec::Spring { target, stiffness: 40.0, damping: 1.0, most: None }) = motor(&strong) else {
        panic!("{:?}", motor(&strong))
    };
    assert!((target.to_degrees() - 10.0).abs() < 1e-4, "{target}");
    // The joint is at 20° where it stands, so that its 0 is at -20°.
    let found = hinged(&folder, "ref='20'", "<actuator><position joint='j' kp='5'/></actuator>");
    let Some(MotorSpec::Spring { target, .. }) = motor(&found) else { panic!("{:?}", motor(&found)) };
    assert!((target.to_degrees() + 20.0).abs() < 1e-4, "{target}");
}

#[test]
fn flags_switch_off() {
    let folder = Folder::new("flags");
    let with = |flag: &str| {
        let option = format!("<option><flag {flag}/></option>");
        hinged(&folder, "range='-10 20' stiffness='3' damping='1' frictionloss='0.1'", &option)
    };
    let all = with("energy='enable'");
    assert_eq!(all.scene.gravity[2], -9.81);
    assert_eq!(with("gravity='disable'").scene.gravity, [0.0; 3]);
    let joint = |found: &Imported| found.scene.joints[0].clone();
    assert!(joint(&all).lower.is_some() && joint(&all).friction.is_some());
    assert!(joint(&with("limit='disable'")).lower.is_none());
    let none = joint(&with("constraint='disable'"));
    assert!(none.lower.is_none() && none.friction.is_none());
    let damper = MotorSpec::Spring { target: 0.0, stiffness: 0.0, damping: 1.0, most: None };
    assert_eq!(joint(&with("spring='disable'")).motor, Some(damper));
    assert_eq!(joint(&with("passive='disable'")).motor, None);
    // Without contacts what lies on the floor falls through it.
    let text = "<option><flag contact='disable'/></option><worldbody><geom type='plane' size='1 1 1'/>
        <body name='ball' pos='0 0 0.1'><freejoint/><geom size='.1'/></body></worldbody>";
    let found = model(&folder, text).expect("valid");
    assert!(place(&stays(&found), &found, "ball")[2] < -1.0);
}

#[test]
fn an_equality_of_one_joint_holds_it() {
    let folder = Folder::new("held");
    let text = "<worldbody><body name='a'><joint name='p'/><geom size='.1'/></body></worldbody>
        <equality><joint joint1='p' polycoef='0.3'/></equality>";
    let held = model(&folder, text).expect("valid");
    assert_eq!((held.scene.joints[0].lower, held.scene.joints[0].upper), (Some(0.3), Some(0.3)));
    stays(&held);
    // A flag that switches limits off leaves it.
    let free = text.replace("<worldbody>", "<option><flag limit='disable'/></option><worldbody>");
    assert_eq!(model(&folder, &free).expect("valid").scene.joints[0].lower, Some(0.3));
}

#[test]
fn sites_are_held_at_each_other() {
    let folder = Folder::new("sites");
    let text = "<worldbody><site name='hook' pos='0 0 2'/><body name='a' pos='0 0 1'><freejoint/><geom size='.1'/><site name='eye' pos='0 0 1'/></body></worldbody>
        <equality><connect site1='eye' site2='hook'/></equality>";
    let found = model(&folder, text).expect("valid");
    let [joint] = &found.scene.joints[..] else { panic!("{:?}", found.scene.joints) };
    assert_eq!(
        (joint.kind, joint.at, joint.bodies.join(" ")),
        (JointKindSpec::Ball, [0.0, 0.0, 2.0], "a world".to_owned())
    );
    assert!((place(&stays(&found), &found, "a")[2] - 1.0).abs() < 1e-3);
    assert_eq!(body(&found, "a").mass.map(|mass| mass.mass > 0.0), Some(true));
    let error = refused(model(&folder, &text.replace("site1='eye'", "site1='ear'")));
    assert!(error.contains("there is no site \"ear\""), "{error}");
}
