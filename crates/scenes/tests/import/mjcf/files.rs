//! Models in several files, frames, global coordinates, and what the compiler does to masses.

use super::super::{Folder, body, read, stays};
use super::{left_out, model, one, refused};
use drystone_scenes::{ImportOptions, ImportTrial, Kind, import_trial};

#[test]
fn included_files_are_in_the_place_of_what_names_them() {
    let folder = Folder::new("include");
    folder.add("parts/arm.xml", "<mujocoinclude><body name='arm' pos='0 0 1'><joint name='j'/><geom class='rod'/>\n<include file='parts/hand.xml'/></body></mujocoinclude>");
    folder.add(
        "parts/hand.xml",
        "<mujoco><body name='hand' pos='1 0 0'><joint/><geom class='rod'/></body></mujoco>",
    );
    folder.add("classes.xml", "<mujoco><default><default class='rod'><geom type='capsule' size='.05 .2'/></default></default></mujoco>");
    let text = "<mujoco><include file='classes.xml'/><worldbody><include file='parts/arm.xml'/></worldbody></mujoco>";
    let found = read(&folder, "whole.xml", text, &ImportOptions::default()).expect("valid");
    assert_eq!(found.scene.joints.len(), 2);
    assert_eq!(body(&found, "hand").position, [1.0, 0.0, 1.0]);
    stays(&found);
    // Errors are where they are.
    folder.add("parts/hand.xml", "<mujoco>\n<body name='hand'>\n<joint type='screw'/></body></mujoco>");
    let error = refused(read(&folder, "whole.xml", text, &ImportOptions::default()));
    assert!(error.contains("hand.xml:3:1") && error.contains("got \"screw\""), "{error}");
    let twice = "<mujoco>\n<include file='classes.xml'/>\n<include file='classes.xml'/></mujoco>";
    let error = refused(read(&folder, "twice.xml", twice, &ImportOptions::default()));
    assert!(error.contains("twice.xml:3:") && error.contains("included twice"), "{error}");
    let none = "<mujoco><include file='none.xml'/><worldbody/></mujoco>";
    let found = read(&folder, "none.xml", none, &ImportOptions::default());
    // It includes itself, and what it includes is there already.
    assert!(refused(found).contains("included twice"));
    let missing =
        read(&folder, "m.xml", &none.replace("none", "nowhere"), &ImportOptions::default()).expect("a note");
    assert!(left_out(&missing)[0].starts_with("`include` of \"nowhere.xml\""), "{:?}", missing.notes);
}

#[test]
fn only_models_of_their_own_are_tried() {
    let folder = Folder::new("fragments");
    let fragment = folder.add("part.xml", "<mujoco><asset/></mujoco>");
    let body = folder.add("body.xml", "<mujocoinclude><body name='a'/></mujocoinclude>");
    let other = folder.add("other.xml", "<package/>");
    for path in [&fragment, &body, &other] {
        assert_eq!(import_trial(path, 0.1), ImportTrial::Fragment, "{path:?}");
    }
    let wrong =
        folder.add("wrong.xml", "<mujoco><worldbody><body><joint type='screw'/></body></worldbody></mujoco>");
    assert!(matches!(import_trial(&wrong, 0.1), ImportTrial::Refused(reason) if reason.contains("screw")));
    let fine =
        "<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
    let ImportTrial::Ran(run) = import_trial(folder.add("fine.xml", fine), 2.0) else {
        panic!("it is a model")
    };
    assert_eq!((run.bodies, run.joints, &run.exploded), (1, 0, &None));
    // Half a metre per 0.32 s, or so: it fell onto the ground below it at once.
    assert!(run.largest_speed < 0.2 && (run.mass - 4.19).abs() < 0.01, "{run:?}");
}

#[test]
fn frames_place_what_is_in_them() {
    let folder = Folder::new("frames");
    let text = "<default><default class='big'><geom size='.3'/></default></default><worldbody>
        <frame pos='0 0 2' euler='0 0 90'><geom name='post' type='box' size='.1 .2 .3' pos='1 0 0'/>
        <body name='b' pos='0 1 0'><freejoint/><frame pos='0 0 .5'><frame pos='.5 0 0' childclass='big'><geom/></frame></frame></body></frame></worldbody>";
    let found = model(&folder, text).expect("valid");
    let near = |at: [f64; 3], expected: [f64; 3]| at.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(near(body(&found, "b").position, [-1.0, 0.0, 2.0]), "{:?}", body(&found, "b").position);
    let inertia = body(&found, "b").mass.and_then(|mass| mass.inertia).expect("of its geom");
    assert_eq!(inertia.center, [0.5, 0.0, 0.5]);
    assert!((inertia.principal[0] / body(&found, "b").mass.expect("it has").mass - 0.4 * 0.09).abs() < 1e-6);
    stays(&found);
}

#[test]
fn global_coordinates_are_those_of_the_world() {
    let folder = Folder::new("global");
    let text = "<compiler coordinate='global'/><worldbody><body name='a' pos='0 0 2'><joint axis='0 1 0' pos='0 0 2'/><geom type='capsule' size='.05' fromto='0 0 2 1 0 2'/>
        <body name='b'><joint axis='0 1 0' pos='1 0 2'/><geom type='capsule' size='.05' fromto='1 0 2 2 0 2'/></body></body></worldbody>";
    let found = model(&folder, text).expect("valid");
    let at: Vec<_> = found.scene.joints.iter().map(|joint| joint.at).collect();
    assert_eq!(at, [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0]]);
    let center = |name: &str| {
        let own = body(&found, name);
        own.position[0] as f32 + own.mass.and_then(|mass| mass.inertia).expect("of its geom").center[0]
    };
    assert_eq!([center("a"), center("b")], [0.5, 1.5]);
    stays(&found);
}

#[test]
fn masses_are_what_the_compiler_makes_of_them() {
    let folder = Folder::new("bounds");
    let mass = |compiler: &str| {
        let text = format!(
            "<compiler {compiler}/><worldbody><body name='b'><freejoint/><inertial pos='0 0 0' mass='.5' diaginertia='.1 .1 .1'/><geom size='.1' mass='2'/></body></worldbody>"
        );
        let mass = body(&model(&folder, &text).expect("valid"), "b").mass.expect("it has");
        (mass.mass, mass.inertia.expect("it has").principal[0])
    };
    assert_eq!(mass(""), (0.5, 0.1));
    assert_eq!(mass("inertiafromgeom='false'"), (0.5, 0.1));
    assert_eq!(mass("inertiafromgeom='true'").0, 2.0);
    assert_eq!(mass("boundmass='3' boundinertia='.2'"), (3.0, 0.2));
    let error = refused(model(&folder, "<compiler inertiafromgeom='yes'/>"));
    assert!(error.contains("inertiafromgeom must be true, false or auto, got \"yes\""), "{error}");
    // An inertial of no moments gets those of its geoms.
    let found = one(&folder, "<freejoint/><inertial pos='0 0 0' mass='1'/><geom size='.1'/>").expect("valid");
    let principal = body(&found, "b").mass.and_then(|mass| mass.inertia).expect("it has").principal;
    assert!((principal[0] - 0.004).abs() < 1e-6, "{principal:?}");
}

#[test]
fn what_is_moved_by_motion_capture_does_not_move() {
    let folder = Folder::new("mocap");
    let text = "<worldbody><body name='m' mocap='true' pos='0 0 1'><geom size='.1'/></body></worldbody>";
    let found = model(&folder, text).expect("valid");
    assert_eq!(body(&found, "m").kind, Kind::Fixed);
}

#[test]
fn pairs_meet_whatever_their_kinds() {
    let folder = Folder::new("pairs");
    let text = |pair: &str| {
        format!("<worldbody><geom name='floor' type='box' size='1 1 .1' pos='0 0 -.1' contype='0' conaffinity='0'/>
        <body name='ball' pos='0 0 .2'><freejoint/><geom name='g' size='.1' contype='0' conaffinity='0'/></body></worldbody><contact>{pair}</contact>")
    };
    let height = |pair: &str| {
        let found = model(&folder, &text(pair)).expect("valid");
        super::super::place(&stays(&found), &found, "ball")[2]
    };
    assert!(height("") < -1.0);
    assert!((height("<pair geom1='g' geom2='floor'/>") - 0.1).abs() < 2e-3);
}
