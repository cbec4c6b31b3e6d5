//! Joints that go with others: `mimic` of URDF, `joint` of an MJCF equality.

use super::{Folder, body, read};
use drystone::{JointAxis, JointHandle};
use drystone_scenes::{
    CouplingKindSpec, ImportOptions, Imported, JointAxisSpec, JointEntry, Orientation, RunOptions, Runner,
    Scene,
};

/// Farthest that a coordinate may be from where the one has it that it goes with, rad or m. A coupling is held as a lock is, and what is left after a sub-step is taken back by
/// displacement: 1e-6 where both turn or slide on the world, which is rounding, and 4e-5 where a link in between takes a sixteenth of its body's moments.
const APART: f64 = 1e-4;

/// A post with a rod that swings on it, and a link with a `child` joint of its own beside it.
fn urdf(child: &str) -> String {
    format!(
        "<robot name='r'><link name='world'/>
        <link name='rod'><inertial><origin xyz='0 0 -0.4'/><mass value='1'/><inertia ixx='0.05' iyy='0.05' izz='0.001'/></inertial></link>
        <link name='other'><inertial><mass value='0.5'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial></link>
        <joint name='swing' type='continuous'><parent link='world'/><child link='rod'/><origin xyz='0 0 2' rpy='0.9 0 0'/><axis xyz='1 0 0'/></joint>
        <joint name='follow' {child}</joint></robot>"
    )
}

const PLACE: &str = "<parent link='world'/><child link='other'/><origin xyz='1 0 2'/><axis xyz='1 0 0'/>";

fn robot(folder: &Folder, child: &str) -> Imported {
    read(folder, "r.urdf", &urdf(child), &ImportOptions::default()).expect("it is valid")
}

fn mjcf(folder: &Folder, bodies: &str, equality: &str) -> Imported {
    let text = format!(
        "<mujoco><compiler angle='radian'/><worldbody>{bodies}</worldbody><equality>{equality}</equality></mujoco>"
    );
    read(folder, "m.xml", &text, &ImportOptions::default()).expect("it is valid")
}

/// The handle of the joint with this name: scenes make joints in their order.
fn joint(runner: &Runner, scene: &Scene, name: &str) -> JointHandle {
    let index =
        scene.joints.iter().position(|joint| joint.name.as_deref() == Some(name)).expect("it has the name");
    runner.world().joints().nth(index).expect("it is there").0
}

fn coordinate(entry: &JointEntry) -> JointAxis {
    match entry.kind {
        drystone_scenes::JointKindSpec::Slider => JointAxis::X,
        _ => JointAxis::Twist,
    }
}

/// Runs for three seconds; the largest error of `follower = ratio * leader`, both from where they start, and the largest value of the leader.
fn follows(imported: &Imported, follower: &str, leader: &str, ratio: f64) -> [f64; 2] {
    let scene = &imported.scene;
    let options = RunOptions { seconds: Some(3.0), ..RunOptions::default() };
    let mut runner = Runner::new(scene, &options).expect("what was imported runs");
    let [follower, leader] = [follower, leader].map(|name| {
        let entry = scene.joints.iter().find(|joint| joint.name.as_deref() == Some(name)).expect("there");
        (joint(&runner, scene, name), coordinate(entry))
    });
    let mut worst = [0.0_f64; 2];
    while runner.step().expect("it steps") {
        let [own, of] = [follower, leader]
            .map(|(joint, axis)| f64::from(runner.world().joint(joint).expect("it holds").value(axis)));
        worst = [worst[0].max((own - ratio * of).abs()), worst[1].max(of.abs())];
    }
    worst
}

/// Turn of a body, rad, by its quaternion's largest part.
fn turn(imported: &Imported, name: &str) -> f32 {
    match body(imported, name).rotation {
        Orientation::Quaternion([x, y, z, w]) => 2.0 * (x * x + y * y + z * z).sqrt().atan2(w.abs()),
        _ => panic!("the importer writes quaternions"),
    }
}

#[test]
fn a_joint_that_mimics_another_one_follows_it() {
    let folder = Folder::new("mimic-follows");
    for (kind, multiplier, offset) in
        [("continuous", -2.0, 0.3), ("prismatic", 0.05, -0.1), ("continuous", 1.0, 0.0)]
    {
        let limits = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";
        let mimic = format!("<mimic joint='swing' multiplier='{multiplier}' offset='{offset}'/>");
        let found = robot(&folder, &format!("type='{kind}'>{PLACE}{limits}{mimic}"));
        assert_eq!(found.scene.couplings.len(), 1, "{:?}", found.notes);
        assert!(found.scene.couplings[0].collides, "fingers meet");
        // It starts at its offset.
        if kind == "continuous" {
            assert!((f64::from(turn(&found, "other")) - offset).abs() < 1e-6, "{}", turn(&found, "other"));
        } else {
            assert!((body(&found, "other").position[0] - 0.9).abs() < 1e-6);
        }
        let [error, swing] = follows(&found, "follow", "swing", multiplier);
        assert!(error < APART && swing > 1.0, "{kind} {multiplier}: {error} of {swing}");
    }
    // What is written otherwise is told.
    let odd = robot(&folder, &format!("type='continuous'>{PLACE}<mimic joint='swing' ofset='1'/>"));
    assert!(odd.notes.iter().any(|note| note == "left out: `ofset` of `mimic`"), "{:?}", odd.notes);
    // Both are 1 and 0 unless said.
    let plain = robot(&folder, &format!("type='continuous'>{PLACE}<mimic joint='swing'/>"));
    let [coupling] = &plain.scene.couplings[..] else { panic!("{:?}", plain.notes) };
    let expected = CouplingKindSpec::Sum { axes: [JointAxisSpec::Twist; 2], factors: [-1.0, 1.0] };
    assert_eq!((coupling.kind, coupling.least, coupling.greatest), (expected, Some(0.0), Some(0.0)));
    let again = Scene::parse(&plain.scene.to_ron(), "r.ron").expect("what was written is read");
    assert_eq!(again, plain.scene);
}

#[test]
fn a_follower_starts_where_a_leader_is_that_starts_at_its_limit() {
    let folder = Folder::new("mimic-start");
    let text = urdf(&format!("type='continuous'>{PLACE}<mimic joint='swing' multiplier='2' offset='0.1'/>"))
        .replace(
            "type='continuous'><parent link='world'/><child link='rod'/>",
            "type='revolute'><limit lower='0.2' upper='1.5'/><parent link='world'/><child link='rod'/>",
        );
    let found = read(&folder, "r.urdf", &text, &ImportOptions::default()).expect("it is valid");
    assert!((turn(&found, "other") - 0.5).abs() < 1e-6, "{}", turn(&found, "other"));
    let [error, _] = follows(&found, "follow", "swing", 2.0);
    assert!(error < APART, "{error}");
    // Where the follower cannot be there the leader goes to it, where neither can they part.
    let with = |limits: &str| {
        let child = format!(
            "type='revolute'>{PLACE}<limit {limits}/><mimic joint='swing' multiplier='2' offset='0.1'/>"
        );
        robot(&folder, &child)
    };
    let led = with("lower='0.7' upper='1.5'");
    assert_eq!(led.scene.couplings.len(), 1, "{:?}", led.notes);
    assert!((turn(&led, "rod") - 1.2).abs() < 1e-6, "0.9 + (0.7 - 0.1) / 2, got {}", turn(&led, "rod"));
    let text =
        urdf(&format!("type='revolute'>{PLACE}<limit lower='0.7' upper='1.5'/><mimic joint='swing'/>"))
            .replace(
                "type='continuous'><parent link='world'/><child link='rod'/>",
                "type='revolute'><limit lower='-0.2' upper='0.2'/><parent link='world'/><child link='rod'/>",
            );
    let parted = read(&folder, "r.urdf", &text, &ImportOptions::default()).expect("it is valid");
    assert!(parted.scene.couplings.is_empty());
    let expected = "left out: joint \"follow\" goes with joint \"swing\", since their limits do not let them start together";
    assert!(parted.notes.iter().any(|note| note == expected), "{:?}", parted.notes);
}

#[test]
fn what_goes_with_a_joint_that_is_held_is_held() {
    let folder = Folder::new("mimic-held");
    let held = |child: &str, swing: &str| {
        let text = urdf(child).replace("name='swing' type='continuous'>", swing);
        let found = read(&folder, "r.urdf", &text, &ImportOptions::default()).expect("it is valid");
        assert!(found.scene.couplings.is_empty());
        let note = found.notes.iter().find(|note| note.contains("is held at")).cloned().unwrap_or_default();
        let limits = |name: &str| {
            let joint = found.scene.joints.iter().find(|joint| joint.bodies[1] == name)?;
            Some((joint.lower, joint.upper))
        };
        (limits("other"), limits("rod"), note)
    };
    let child = |mimic: &str| format!("type='continuous'>{PLACE}<mimic joint='swing' {mimic}/>");
    let free = "name='swing' type='continuous'>";
    let (own, _, note) = held(&child("multiplier='0' offset='0.4'"), free);
    assert_eq!(own, Some((Some(0.4), Some(0.4))));
    assert_eq!(
        note,
        "joint \"follow\" is held at 0.4, since the multiplier by which it goes with joint \"swing\" is 0"
    );
    let (own, _, note) = held(&child("offset='-0.5'"), "name='swing' type='fixed'>");
    assert_eq!(own, Some((Some(-0.5), Some(-0.5))));
    assert_eq!(note, "joint \"follow\" is held at -0.5, since it goes with joint \"swing\", which is fixed");
    let (own, _, _) = held(
        &child("multiplier='2' offset='0.1'"),
        "name='swing' type='revolute'><limit lower='0.2' upper='0.2'/>",
    );
    assert_eq!(own, Some((Some(0.5), Some(0.5))));
    let still = format!(
        "type='revolute'>{PLACE}<limit lower='0.5' upper='0.5'/><mimic joint='swing' multiplier='2' offset='0.1'/>"
    );
    let (_, of, note) = held(&still, free);
    assert_eq!(of, Some((Some(0.2), Some(0.2))));
    assert!(note.contains("joint \"swing\" is held at 0.2, since it goes with joint \"follow\""), "{note}");
}

#[test]
fn a_mimic_of_what_is_no_joint_of_one_value_is_refused() {
    let folder = Folder::new("mimic-refused");
    let refused = |child: &str| {
        let text = urdf(child);
        read(&folder, "r.urdf", &text, &ImportOptions::default()).expect_err("refused").to_string()
    };
    let with = |mimic: &str| refused(&format!("type='continuous'>{PLACE}\n<mimic {mimic}/>"));
    let expected = "joint must be the name of another joint, revolute, continuous, prismatic or fixed, got";
    for (mimic, message) in [
        ("joint='none'", format!("{expected} \"none\", which no joint has")),
        ("joint='follow'", format!("{expected} \"follow\", which is its own")),
        ("multiplier='2'", "the attribute \"joint\" is missing".to_owned()),
        ("joint='swing' multiplier='nan'", "multiplier must be finite numbers, got \"nan\"".to_owned()),
        (
            "joint='swing' multiplier='1e-50'",
            "multiplier must be 0 or of a size of 1e-6 to 1e6, got 1e-50".to_owned(),
        ),
        ("joint='swing' multiplier='-1e30'", "of a size of 1e-6 to 1e6, got -1e30".to_owned()),
        ("joint='swing' offset='inf'", "offset must be finite numbers, got \"inf\"".to_owned()),
        ("joint='swing' multiplier='1 2'", "multiplier must be 1 numbers, got 2".to_owned()),
        ("joint='swing' multiplier=''", "multiplier must be 1 numbers, got 0".to_owned()),
    ] {
        let error = with(mimic);
        assert!(error.contains(&message) && error.contains("r.urdf:6:"), "{mimic}: {error}");
    }
    for kind in ["floating", "planar", "spherical"] {
        let text = urdf(&format!("type='continuous'>{PLACE}<mimic joint='swing'/>"))
            .replace("name='swing' type='continuous'", &format!("name='swing' type='{kind}'"));
        let error =
            read(&folder, "r.urdf", &text, &ImportOptions::default()).expect_err("refused").to_string();
        assert!(error.contains(&format!("got \"swing\", which is of a {kind} one")), "{error}");
    }
    let text = urdf(&format!("type='continuous'>{PLACE}<mimic joint='swing'/>"))
        .replace("name='swing' type='continuous'>", "name='swing' type='continuous'><mimic joint='follow'/>");
    let error = read(&folder, "r.urdf", &text, &ImportOptions::default()).expect_err("refused").to_string();
    assert!(error.contains("\"swing\", \"follow\" go with each other in a ring"), "{error}");
}

/// Two hinges beside each other, `lead` of a rod that swings, and two slides.
const BODIES: &str = "
    <body pos='0 0 2'><joint name='lead' axis='1 0 0'/><geom type='capsule' size='.03' fromto='0 0 0 0 .3 -.4'/></body>
    <body pos='1 0 2'><joint name='own' axis='1 0 0'/><geom size='.1'/></body>
    <body pos='2 0 2'><joint name='left' type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .1'/></body>
    <body pos='3 0 2'><joint name='right' type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .05'/></body>";

#[test]
fn an_equality_of_two_joints_is_a_coupling() {
    let folder = Folder::new("joint-equality");
    for (own, of, polynomial, offset, ratio) in [
        ("own", "lead", "0.2 -1.5 0 0 0", 0.2, -1.5),
        ("own", "lead", "", 0.0, 1.0),
        ("own", "lead", "0.25", 0.25, 1.0),
        // Two masses on a rope over a wheel: they go apart, 2 kg against 1 kg.
        ("right", "left", "0 -1", 0.0, -1.0),
    ] {
        let coefficients =
            if polynomial.is_empty() { String::new() } else { format!("polycoef='{polynomial}'") };
        let found = mjcf(&folder, BODIES, &format!("<joint joint1='{own}' joint2='{of}' {coefficients}/>"));
        assert_eq!(found.scene.couplings.len(), 1, "{:?}", found.notes);
        assert!(!found.notes.iter().any(|note| note.starts_with("left out")), "{:?}", found.notes);
        if own == "own" {
            assert!((f64::from(turn(&found, "body 2")) - offset).abs() < 1e-6);
        }
        let [error, way] = follows(&found, own, of, ratio);
        assert!(error < APART && way > 0.5, "{own} {polynomial}: {error} of {way}");
        if own == "right" {
            // g / 3 for 3 s.
            assert!((way - 0.5 * 9.81 / 3.0 * 9.0).abs() < 0.1, "{way}");
        }
    }
}

#[test]
fn what_is_no_line_of_a_polynomial_is_noted() {
    let folder = Folder::new("joint-polynomial");
    let curved = mjcf(&folder, BODIES, "<joint joint1='own' joint2='lead' polycoef='0.1 2 0.5 0 0'/>");
    assert_eq!(curved.scene.couplings.len(), 1);
    let expected = "joint \"own\" goes with joint \"lead\" by the linear part of its polynomial alone, 0.1 + 2 times, of polycoef \"0.1 2 0.5 0 0\"";
    assert!(curved.notes.iter().any(|note| note == expected), "{:?}", curved.notes);
    let bent = mjcf(&folder, BODIES, "<joint joint1='own' joint2='lead' polycoef='0 0 1 0 0'/>");
    assert!(bent.scene.couplings.is_empty());
    assert!(
        bent.notes.iter().any(|note| note.contains("without a linear part (polycoef \"0 0 1 0 0\")")),
        "{:?}",
        bent.notes
    );
    let held = mjcf(&folder, BODIES, "<joint joint1='own' joint2='lead' polycoef='0.3 0 0 0 0'/>");
    assert!(held.scene.couplings.is_empty());
    let own = held.scene.joints.iter().find(|joint| joint.bodies[1] == "body 2").expect("it is there");
    assert_eq!((own.lower, own.upper), (Some(0.3), Some(0.3)));
    let soft = mjcf(
        &folder,
        BODIES,
        "<joint joint1='own' joint2='lead' solref='0.1 1'/><joint joint1='own' joint2='lead' active='false'/>",
    );
    assert_eq!(soft.scene.couplings.len(), 1);
    let left: Vec<_> = soft.notes.iter().filter(|note| note.starts_with("left out")).collect();
    assert_eq!(left, ["left out: `solref` of `joint`", "left out: `joint` of equality that is not active"]);
    // A flag switches it off.
    let text = format!(
        "<mujoco><option><flag equality='disable'/></option><worldbody>{BODIES}</worldbody><equality><joint joint1='own' joint2='lead'/><joint joint1='left'/></equality></mujoco>"
    );
    let off = read(&folder, "m.xml", &text, &ImportOptions::default()).expect("it is valid");
    assert!(off.scene.couplings.is_empty() && off.scene.joints.iter().all(|joint| joint.lower.is_none()));
    assert!(
        off.notes.iter().any(|note| note == "left out: 2 equalities, which a flag disables"),
        "{:?}",
        off.notes
    );
}

#[test]
fn an_equality_of_what_is_no_hinge_or_slide_is_refused() {
    let folder = Folder::new("joint-refused");
    let bodies = format!(
        "{BODIES}<body name='b'><joint name='ball' type='ball'/><geom size='.1'/></body><body name='f'><freejoint name='free'/><geom size='.1'/></body>"
    );
    let refused = |joint: &str| {
        let text = format!(
            "<mujoco><worldbody>{bodies}</worldbody><equality><joint name='e' {joint}/></equality></mujoco>"
        );
        read(&folder, "m.xml", &text, &ImportOptions::default()).expect_err("refused").to_string()
    };
    let hinge = "must be the name of a hinge or slide, got";
    for (joint, message) in [
        ("joint1='none' joint2='lead'", format!("joint1 {hinge} \"none\", which no joint has")),
        ("joint1='own' joint2='none'", format!("joint2 {hinge} \"none\", which no joint has")),
        ("joint1='own' joint2='e'", format!("joint2 {hinge} \"e\", which no joint has")),
        ("joint1='own' joint2='ball'", format!("joint2 {hinge} \"ball\", which is a ball joint")),
        ("joint1='free'", format!("joint1 {hinge} \"free\", which is a free joint")),
        (
            "joint1='own' joint2='own'",
            "joint2 must be another joint than joint1, both are \"own\"".to_owned(),
        ),
        ("joint2='own'", "the attribute \"joint1\" is missing".to_owned()),
        (
            "joint1='own' joint2='lead' polycoef='0 nan'",
            "polycoef must be finite numbers, got \"nan\"".to_owned(),
        ),
        (
            "joint1='own' joint2='lead' polycoef='0 1e9'",
            "the second number of polycoef must be 0 or of a size of 1e-6 to 1e6, got 1e9".to_owned(),
        ),
        (
            "joint1='own' joint2='lead' polycoef='0 1 0 0 0 0'",
            "polycoef must be at most 5 numbers, got 6".to_owned(),
        ),
    ] {
        let error = refused(joint);
        assert!(error.contains(&message) && error.contains("joint \"e\""), "{joint}: {error}");
    }
}

/// Hinges of one body that meet are one joint, unless one of them goes with another joint: its turns are counted by themselves.
#[test]
fn a_hinge_among_others_of_its_body_goes_with_another_one() {
    let folder = Folder::new("joint-among");
    let bodies = "<body pos='0 0 2'><joint name='lead' axis='1 0 0'/><geom type='capsule' size='.03' fromto='0 0 0 0 .3 -.4'/></body>
        <body pos='1 0 2'><joint name='roll' axis='1 0 0' range='-.3 .3' limited='true'/><joint name='pitch' axis='0 1 0' range='-.3 .3' limited='true'/><geom size='.1'/></body>";
    let apart = mjcf(&folder, bodies, "");
    assert_eq!((apart.scene.joints.len(), apart.scene.bodies.len()), (2, 3));
    let found = mjcf(&folder, bodies, "<joint joint1='pitch' joint2='lead' polycoef='0 0.1'/>");
    assert_eq!((found.scene.joints.len(), found.scene.couplings.len()), (3, 1), "{:?}", found.notes);
    let [error, swing] = follows(&found, "pitch", "lead", 0.1);
    assert!(error < APART && swing > 1.0, "{error} of {swing}");
}

/// What articulations and couplings do of each other is told by name.
#[test]
fn joints_that_are_coupled_are_no_articulation() {
    let folder = Folder::new("mimic-articulated");
    let text = urdf(&format!("type='continuous'>{PLACE}<mimic joint='swing'/>"));
    let options = ImportOptions { articulated: true, ..ImportOptions::default() };
    let found = read(&folder, "r.urdf", &text, &options).expect("it is valid");
    assert_eq!((found.scene.articulations.len(), found.scene.couplings.len()), (0, 1));
    let expected =
        "2 joints stay constraints: an articulation has no couplings, but \"swing\" goes with \"follow\"";
    assert!(found.notes.iter().any(|note| note == expected), "{:?}", found.notes);
    let [error, _] = follows(&found, "follow", "swing", 1.0);
    assert!(error < APART, "{error}");
}
