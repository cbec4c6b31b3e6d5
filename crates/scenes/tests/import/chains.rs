//! Joints of several axes: bodies with several joints, and links without mass between others.

use super::{Folder, body, place, read, stays, total_mass};
use drystone::JointAxis;
use drystone_scenes::{ImportOptions, Imported, JointAxisSpec, JointKindSpec, Kind, MotorSpec};

fn model(folder: &Folder, inside: &str) -> Imported {
    let text = format!("<mujoco><worldbody>{inside}</worldbody></mujoco>");
    read(folder, "chains.xml", &text, &ImportOptions::default()).expect("it is valid")
}

/// A body of 2 kg at (0, 0, 1) with these joints, on the world.
fn hung(folder: &Folder, joints: &str) -> Imported {
    let body = "<inertial pos='0 0 -0.3' mass='2' diaginertia='0.03 0.03 0.01'/>";
    model(folder, &format!("<body name='b' pos='0 0 1'>{joints}{body}</body>"))
}

#[test]
fn slides_and_a_hinge_are_one_joint_in_a_plane() {
    let folder = Folder::new("chain-planar");
    let found = hung(
        &folder,
        "<joint type='slide' axis='1 0 0' damping='2'/><joint type='slide' axis='0 0 1' range='-0.5 1' limited='true'/>
         <joint type='hinge' axis='0 -1 0' range='-30 60' pos='0 0 0.1'/>",
    );
    let [joint] = &found.scene.joints[..] else { panic!("{:?}", found.scene.joints) };
    assert_eq!((joint.kind, joint.axes.len()), (JointKindSpec::Generic, 3));
    // The twist is about -y; of the ways, x is the first one across it.
    assert_eq!((joint.axis, joint.across), (Some([0.0, -1.0, 0.0]), Some([1.0, 0.0, 0.0])));
    assert!((joint.at[2] - 1.1).abs() < 1e-6, "{:?}", joint.at);
    let of = |axis| joint.axes.iter().find(|own| own.axis == axis).expect("it is free");
    let damper = MotorSpec::Spring { target: 0.0, stiffness: 0.0, damping: 2.0, most: None };
    assert_eq!(of(JointAxisSpec::Y).motor, Some(damper));
    // -y × x = z.
    assert_eq!((of(JointAxisSpec::Z).lower, of(JointAxisSpec::Z).upper), (Some(-0.5), Some(1.0)));
    let twist = of(JointAxisSpec::Twist);
    assert!((twist.lower.expect("limited") + 30.0_f32.to_radians()).abs() < 1e-6);
    // It falls half a metre, and no further.
    let runner = stays(&found);
    let [_, y, z] = place(&runner, &found, "b");
    assert!(y.abs() < 1e-4 && (z - 0.2).abs() < 5e-3, "{y} {z}");
}

#[test]
fn a_hinge_before_slides_is_seen_from_the_other_end() {
    let folder = Folder::new("chain-reversed");
    let found = hung(
        &folder,
        "<joint type='hinge' axis='0 0 1' range='-20 50' stiffness='3' springref='10'/><joint type='slide' axis='1 0 0' range='-0.1 0.4'/>",
    );
    let [joint] = &found.scene.joints[..] else { panic!("{:?}", found.scene.joints) };
    assert_eq!((joint.kind, joint.bodies.join(" ")), (JointKindSpec::Generic, "b world".to_owned()));
    let limits = |axis| {
        let own = joint.axes.iter().find(|own| own.axis == axis).expect("it is free");
        [own.lower, own.upper].map(|limit| limit.expect("limited"))
    };
    let [lower, upper] = limits(JointAxisSpec::Twist).map(|limit| limit.to_degrees().round());
    assert_eq!([lower, upper], [-50.0, 20.0]);
    assert_eq!(limits(JointAxisSpec::Y), [-0.4, 0.1]);
    let twist = joint.axes.iter().find(|own| own.axis == JointAxisSpec::Twist).expect("it is free");
    let Some(MotorSpec::Spring { target, stiffness: 3.0, .. }) = twist.motor else { panic!("{twist:?}") };
    assert!((target.to_degrees() + 10.0).abs() < 1e-4);
    let runner = stays(&found);
    let [_, _, z] = place(&runner, &found, "b");
    assert!((z - 0.7).abs() < 1e-3, "it is held up: {z}");
}

#[test]
fn what_slides_and_turns_about_one_axis_is_one_joint() {
    let folder = Folder::new("chain-cylinder");
    let found =
        hung(&folder, "<joint type='hinge' axis='0 0 1'/><joint type='slide' axis='0 0 1' range='-0.2 0'/>");
    assert_eq!(found.scene.joints.len(), 1);
    let runner = stays(&found);
    let [x, y, z] = place(&runner, &found, "b");
    assert!(x.abs() < 1e-3 && y.abs() < 1e-3 && (z - 0.5).abs() < 5e-3, "{x} {y} {z}");
}

#[test]
fn three_hinges_that_meet_are_one_joint_as_far_as_twist_and_swing_go() {
    let folder = Folder::new("chain-ball");
    let hinges = |ranges: [&str; 3]| {
        let axes = ["1 0 0", "0 0 1", "0 1 0"];
        let joints = axes.iter().zip(ranges).map(|(axis, range)| {
            format!("<joint name='j{}' axis='{axis}' {range} damping='1'/>", &axis[..1])
        });
        hung(&folder, &joints.collect::<String>())
    };
    let free = hinges([""; 3]);
    assert_eq!((free.scene.joints.len(), free.scene.joints[0].kind), (1, JointKindSpec::Ball));
    stays(&free);
    // Half of the product of the first two: 0.23 rad at the corner.
    let hip = hinges(["range='-25 5'", "range='-60 35'", "range='-110 20'"]);
    let [joint] = &hip.scene.joints[..] else { panic!("{:?}", hip.scene.joints) };
    assert_eq!((joint.kind, joint.axes.len()), (JointKindSpec::Generic, 3));
    // x of the frame is y; across it x; so the third one is -z: those limits are the other way round.
    let swing = joint.axes.iter().find(|own| own.axis == JointAxisSpec::SwingZ).expect("it is free");
    let limits = [swing.lower, swing.upper].map(|limit| limit.expect("limited").to_degrees().round());
    assert_eq!(limits, [-35.0, 60.0]);
    stays(&hip);
    // Too wide for that: three hinges, with two links in between.
    let wide = hinges(["range='-90 90'", "range='-90 90'", "range='-90 90'"]);
    assert_eq!(wide.scene.joints.iter().filter(|joint| joint.kind == JointKindSpec::Hinge).count(), 3);
    assert!((total_mass(&wide) - 2.0).abs() < 1e-6, "{}", total_mass(&wide));
    for name in ["b.j1", "b.j0"] {
        assert!((body(&wide, name).mass.expect("a share").mass - 0.125).abs() < 1e-6, "{name}");
    }
    let sum: f32 = ["b", "b.j1", "b.j0"]
        .iter()
        .map(|name| body(&wide, name).mass.and_then(|mass| mass.inertia).expect("it has").principal[0])
        .sum();
    assert!((sum - 0.03).abs() < 1e-7, "{sum}");
    stays(&wide);
}

#[test]
fn two_hinges_that_meet_are_one_joint_where_one_of_them_is_narrow() {
    let folder = Folder::new("chain-universal");
    let hinges = |first: &str, second: &str| {
        hung(&folder, &format!("<joint axis='1 0 0' {first}/><joint axis='0 1 0' pos='0.25 3 0' {second}/>"))
    };
    let narrow = hinges("range='-15 10'", "range='-80 80'");
    let [joint] = &narrow.scene.joints[..] else { panic!("{:?}", narrow.scene.joints) };
    assert_eq!((joint.kind, joint.axes.len(), joint.at[0]), (JointKindSpec::Generic, 2, 0.25));
    stays(&narrow);
    // The other one is narrow: seen from the other end.
    let other = hinges("range='-80 80'", "range='-15 10'");
    assert_eq!((other.scene.joints.len(), other.scene.joints[0].bodies.join(" ")), (1, "b world".to_owned()));
    stays(&other);
    let wide = hinges("range='-80 80'", "range='-80 80'");
    assert_eq!(wide.scene.joints.iter().filter(|joint| joint.kind == JointKindSpec::Hinge).count(), 2);
    let at: Vec<_> = wide.scene.joints.iter().take(2).map(|joint| joint.at).collect();
    assert_eq!(at, [[0.0, 0.0, 1.0], [0.25, 3.0, 1.0]]);
    stays(&wide);
}

#[test]
fn parents_and_children_go_through_each_other_with_links_in_between() {
    let folder = Folder::new("chain-through");
    let text = "<body name='a' pos='0 0 3'><freejoint/><geom size='.2'/><body name='b'>
        <joint axis='1 0 0'/><joint axis='1 1 0'/><geom size='.2'/></body></body>";
    let found = model(&folder, text);
    let [_, _, apart] = &found.scene.joints[..] else { panic!("{:?}", found.scene.joints) };
    assert_eq!((apart.bodies.join(" "), apart.axes.len(), apart.collides), ("a b".to_owned(), 6, false));
    let text = format!("<mujoco><option gravity='0 0 0'/><worldbody>{text}</worldbody></mujoco>");
    let still = read(&folder, "still.xml", &text, &ImportOptions::default()).expect("valid");
    let runner = stays(&still);
    let at = place(&runner, &still, "b");
    assert!(at[0].abs() < 1e-3 && (at[2] - 3.0).abs() < 1e-3, "{at:?}");
}

/// Links of a robot, each with this inside, and joints between them.
fn robot(folder: &Folder, links: &[(&str, &str)], joints: &[(&str, &str, &str, &str)]) -> Imported {
    let links: String =
        links.iter().map(|(name, inside)| format!("<link name='{name}'>{inside}</link>")).collect();
    let joints = joints.iter().enumerate().map(|(k, (parent, child, axis, inside))| {
        format!("<joint name='j{k}' type='revolute'><parent link='{parent}'/><child link='{child}'/><axis xyz='{axis}'/>{inside}</joint>")
    });
    let text = format!("<robot name='r'>{links}{}</robot>", joints.collect::<String>());
    read(folder, "chain.urdf", &text, &ImportOptions::default()).expect("it is valid")
}

const HEAVY: &str = "<inertial><mass value='3'/><inertia ixx='0.05' iyy='0.05' izz='0.05'/></inertial>
    <collision><geometry><box size='0.3 0.3 0.3'/></geometry></collision>";
const SMALL: &str = "<limit lower='-0.3' upper='0.3'/>";
const WIDE: &str = "<limit lower='-2' upper='2'/>";

#[test]
fn links_without_mass_are_a_part_of_the_joint() {
    let folder = Folder::new("chain-massless");
    let zero = "<inertial><mass value='0'/><inertia ixx='0' iyy='0' izz='0'/></inertial>";
    let far = format!("<origin xyz='0.4 0 0'/>{SMALL}");
    let found = robot(
        &folder,
        &[("a", HEAVY), ("m", zero), ("b", HEAVY), ("tip", "")],
        &[("a", "m", "1 0 0", &far), ("m", "b", "0 1 0", WIDE), ("b", "tip", "0 0 1", WIDE)],
    );
    let names: Vec<&str> = found.scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!((names, found.scene.joints.len()), (vec!["a", "b"], 1));
    assert_eq!(total_mass(&found), 6.0);
    for expected in [
        "link \"m\" has neither mass nor shape: joints \"j0\" and \"j1\" are one",
        "it is a part of \"b\", without its joint \"j2\"",
    ] {
        assert!(found.notes.iter().any(|note| note.contains(expected)), "{expected}: {:?}", found.notes);
    }
    stays(&found);
}

#[test]
fn a_link_without_mass_on_which_several_hang_takes_a_share_of_theirs() {
    let folder = Folder::new("chain-junction");
    let left = format!("<origin xyz='0 0.4 0'/>{SMALL}");
    let right = format!("<origin xyz='0 -0.4 0'/>{SMALL}");
    let found = robot(
        &folder,
        &[("a", HEAVY), ("m", ""), ("b", HEAVY), ("c", HEAVY)],
        &[("a", "m", "0 0 1", WIDE), ("m", "b", "1 0 0", &left), ("m", "c", "1 0 0", &right)],
    );
    assert_eq!((found.scene.bodies.len(), found.scene.joints.len()), (4, 3));
    assert!((total_mass(&found) - 9.0).abs() < 1e-5);
    assert!((body(&found, "m").mass.expect("a share").mass - 6.0 / 16.0).abs() < 1e-5);
    stays(&found);
}

#[test]
fn a_root_without_mass_is_left_out_unless_it_is_held() {
    let folder = Folder::new("chain-root");
    let links = [("base", ""), ("b", HEAVY)];
    let found = robot(&folder, &links, &[("base", "b", "0 0 1", WIDE)]);
    assert_eq!((found.scene.bodies.len(), found.scene.joints.len()), (1, 0));
    let links = [("world", ""), ("b", HEAVY)];
    let held = robot(&folder, &links, &[("world", "b", "0 0 1", WIDE)]);
    assert_eq!((held.scene.joints.len(), body(&held, "world").kind), (1, Kind::Fixed));
    let runner = stays(&held);
    assert!(place(&runner, &held, "b")[2].abs() < 1e-3);
}

#[test]
fn moments_that_no_body_has_are_mended() {
    let folder = Folder::new("chain-moments");
    let with = |moments: [&str; 3]| {
        let [x, y, z] = moments;
        let link = format!(
            "<inertial><mass value='3'/><inertia ixx='{x}' iyy='{y}' izz='{z}'/></inertial><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>"
        );
        let found = robot(&folder, &[("a", &link)], &[]);
        let noted = found.notes.iter().any(|note| note.contains("link \"a\": no body of 3 kg"));
        (body(&found, "a").mass.and_then(|mass| mass.inertia).expect("it has").principal, noted)
    };
    assert_eq!(with(["0.03", "0.02", "0.02"]), ([0.03, 0.02, 0.02], false));
    // A cube of 3 kg and 0.2 m has 0.02 kg m².
    let (cube, noted) = with(["0", "0", "0"]);
    assert!(noted && cube.iter().all(|moment| (moment - 0.02).abs() < 1e-6), "{cube:?}");
    let (small, noted) = with(["1e-6", "1e-6", "1e-6"]);
    assert!(noted && small.iter().all(|moment| (moment - 0.002).abs() < 1e-7), "{small:?}");
    // 0.1 is more than 0.02 and 0.03 together: both get what is missing, by halves.
    let (flat, noted) = with(["0.1", "0.02", "0.03"]);
    assert!(noted && (flat[1] - 0.045).abs() < 1e-6 && (flat[2] - 0.055).abs() < 1e-6, "{flat:?}");
}

#[test]
fn armature_is_inertia_about_the_axis_as_far_as_a_body_can_have_it() {
    let folder = Folder::new("chain-armature");
    let found = |text: &str| {
        let found = model(&folder, text);
        stays(&found);
        let inertia = body(&found, "b").mass.and_then(|mass| mass.inertia).expect("it has");
        (inertia.principal, found.notes.join("\n"))
    };
    let thin = "<inertial pos='0 0 -0.3' mass='2' diaginertia='0.03 0.03 0.01'/>";
    let held = |armature: &str, axis: &str| {
        found(&format!(
            "<body name='b' pos='0 0 1'><joint axis='{axis}' armature='{armature}'/>{thin}</body>"
        ))
    };
    // About z there is room for 0.05 more.
    let (given, notes) = held("0.02", "0 0 1");
    assert!((given[2] - 0.03).abs() < 1e-6 && (given[0] - 0.03).abs() < 1e-6, "{given:?}");
    assert!(notes.contains("2.000e-2 of 2.000e-2 kg m²"), "{notes}");
    // About x for 0.01, but what hangs on the world turns about its axis alone: the others are of no consequence.
    let (given, _) = held("1", "1 0 0");
    assert!((given[0] - 1.03).abs() < 1e-4 && (given[1] + given[2] - given[0]).abs() < 0.01, "{given:?}");
    // On what moves, with a tenth of the least moment of both together: 0.1 of 0.2 kg m².
    let base = "<freejoint/><inertial pos='0 0 0' mass='20' diaginertia='0.2 0.2 0.19'/>";
    let (given, notes) = found(&format!(
        "<body name='a' pos='0 0 1'>{base}<body name='b'><joint axis='1 0 0' armature='1'/>{thin}</body></body>"
    ));
    assert!((given[0] - 0.03 - 0.02).abs() < 1e-3, "{given:?}");
    assert!(notes.contains("of 1.000e0 kg m²"), "{notes}");
}

#[test]
fn a_ball_keeps_its_range_and_damping() {
    let folder = Folder::new("chain-range");
    let found = hung(&folder, "<joint type='ball' range='0 40' damping='0.5'/>");
    let [joint] = &found.scene.joints[..] else { panic!("{:?}", found.scene.joints) };
    let cone = joint.cone.expect("it has one").to_degrees().round();
    assert_eq!((joint.kind, cone, joint.axes.len()), (JointKindSpec::Ball, 40.0, 3));
    stays(&found);
}

#[test]
fn twist_of_a_universal_joint_turns_about_the_second_axis() {
    let folder = Folder::new("chain-turns");
    // Pulled to 60° about the second axis alone.
    let found = hung(
        &folder,
        "<joint axis='1 0 0' range='-10 10'/><joint axis='0 1 0' range='-90 90' stiffness='500' damping='20' springref='60'/>",
    );
    let runner = stays(&found);
    let joint = runner.world().joints().next().expect("one").0;
    let twist = runner.world().joint(joint).expect("it holds").value(JointAxis::Twist);
    assert!((twist.to_degrees() - 60.0).abs() < 2.0, "{}", twist.to_degrees());
}

#[test]
fn a_spring_of_a_time_constant_swings_so() {
    let folder = Folder::new("chain-springdamper");
    // 2 kg at 0.3 m with 0.03 kg m² of their own, about y: 0.21 kg m².
    let found = hung(&folder, "<joint axis='0 1 0' springdamper='0.5 0.2' stiffness='9' damping='9'/>");
    let Some(MotorSpec::Spring { target, stiffness, damping, most: None }) = found.scene.joints[0].motor
    else {
        panic!("{:?}", found.scene.joints)
    };
    assert_eq!(target, 0.0);
    assert!(
        (stiffness - 0.21 / 0.01).abs() < 1e-4 && (damping - 2.0 * 0.21 / 0.5).abs() < 1e-5,
        "{stiffness} {damping}"
    );
    stays(&found);
}

#[test]
fn a_body_whose_mass_is_in_a_mesh_that_is_not_there_is_refused_with_its_name() {
    let folder = Folder::new("chain-mesh");
    let text = |inertial: &str| {
        format!(
            "<mujoco><asset><mesh name='m' file='none.obj'/></asset><worldbody><body name='b'><freejoint/>{inertial}<geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
        )
    };
    let refused =
        read(&folder, "mesh.xml", &text(""), &ImportOptions::default()).expect_err("refused").to_string();
    assert!(refused.contains("body \"b\" has no mass") && refused.contains("\"m\""), "{refused}");
    let given = text("<inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/>");
    let given = read(&folder, "mesh.xml", &given, &ImportOptions::default()).expect("its inertial is there");
    assert_eq!(total_mass(&given), 3.0);
    let link = "<robot name='r'><link name='a'><collision><geometry><mesh filename='none.stl'/></geometry></collision></link></robot>";
    let refused =
        read(&folder, "mesh.urdf", link, &ImportOptions::default()).expect_err("refused").to_string();
    assert!(refused.contains("body \"a\" has no mass") && refused.contains("none.stl"), "{refused}");
    // A link of URDF has the mass that it says: one whose mesh is not there has none, and is a part of the joint.
    let none = "<collision><geometry><mesh filename='none.stl'/></geometry></collision>";
    let links = [("a", HEAVY), ("m", none), ("b", HEAVY)];
    let found = robot(&folder, &links, &[("a", "m", "1 0 0", SMALL), ("m", "b", "0 1 0", SMALL)]);
    assert_eq!((found.scene.bodies.len(), found.scene.joints.len()), (2, 1));
    assert!(
        found.notes.iter().any(|note| note.contains("left out: the mesh \"none.stl\"")),
        "{:?}",
        found.notes
    );
}

#[test]
fn links_of_urdf_that_overlap_where_the_robot_stands_do_not_meet() {
    let folder = Folder::new("chain-overlap");
    let near = |x: &str| format!("<origin xyz='{x} 0 0'/>{SMALL}");
    let chain = |x: &str| {
        let links = [("a", HEAVY), ("b", HEAVY), ("c", HEAVY)];
        let near = near(x);
        robot(&folder, &links, &[("a", "b", "0 0 1", &near), ("b", "c", "0 0 1", &near)])
    };
    // 0.3 m wide: the first and the third are 0.1 m in each other, or apart.
    let deep = chain("0.1");
    let apart: Vec<_> = deep.scene.joints.iter().skip(2).map(|joint| joint.bodies.join(" ")).collect();
    assert_eq!(apart, ["a c"]);
    assert!(deep.notes.iter().any(|note| note.contains("do not meet: \"a\" and \"c\"")), "{:?}", deep.notes);
    let runner = stays(&deep);
    let at = place(&runner, &deep, "c");
    assert!(at[1].abs() < 1e-3 && (at[0] - 0.2).abs() < 1e-3, "{at:?}");
    assert_eq!(chain("0.2").scene.joints.len(), 2);
}

#[test]
fn joints_outside_of_their_limits_start_at_them() {
    let folder = Folder::new("chain-start");
    let rod = "<geom type='capsule' size='.05' fromto='0 0 0 1 0 0'/>";
    let text = |rest: &str| {
        format!(
            "<option gravity='0 0 0'/><worldbody><body name='a' pos='0 0 2'><joint name='p' axis='0 -1 0' range='30 60' springref='50' stiffness='1'/>{rod}
             <body name='b' pos='1 0 0'><joint name='s' type='slide' axis='1 0 0' range='0.5 1'/><joint name='q' axis='0 -1 0' range='-90 90'/>{rod}</body></body></worldbody>{rest}"
        )
    };
    let whole = |text: String| {
        read(&folder, "s.xml", &format!("<mujoco>{text}</mujoco>"), &ImportOptions::default()).expect("valid")
    };
    let found = whole(text(""));
    // The first is 30° up, and the second half a metre further along it.
    let (sine, cosine) = 30.0_f64.to_radians().sin_cos();
    let at = body(&found, "b").position;
    assert!((at[0] - 1.5 * cosine).abs() < 1e-6 && (at[2] - 2.0 - 1.5 * sine).abs() < 1e-6, "{at:?}");
    let p = &found.scene.joints[0];
    let degrees = |limit: Option<f32>| limit.expect("limited").to_degrees().round();
    assert_eq!([degrees(p.lower), degrees(p.upper)], [0.0, 30.0]);
    let Some(MotorSpec::Spring { target, .. }) = p.motor else { panic!("{p:?}") };
    assert!((target.to_degrees() - 20.0).abs() < 1e-4);
    let second = &found.scene.joints[1];
    let slide = second.axes.iter().find(|own| own.axis == JointAxisSpec::Y).expect("it slides");
    assert_eq!((slide.lower, slide.upper), (Some(0.0), Some(0.5)));
    let expected = "start at them, rad or m from where the file has them: \"p\" at 0.524, \"s\" at 0.500";
    assert!(found.notes.iter().any(|note| note.contains(expected)), "{:?}", found.notes);
    stays(&found);
    // A loop holds its bodies where they are.
    let closed = whole(text("<equality><connect body1='b' anchor='1 0 0'/></equality>"));
    assert_eq!(body(&closed, "b").position, [1.0, 0.0, 2.0]);
}

#[test]
fn shapes_that_overlap_at_a_joint_of_mjcf_do_not_meet() {
    let folder = Folder::new("chain-neighbours");
    let limb = |name: &str, x: &str, inside: &str| {
        format!(
            "<body name='{name}' pos='{x} 0 0'><joint axis='0 0 1' range='-20 20'/><geom size='.1'/>{inside}</body>"
        )
    };
    let pairs = |text: &str| {
        let found =
            model(&folder, &format!("<body name='a' pos='0 0 1'><freejoint/><geom size='.1'/>{text}</body>"));
        let apart = found.scene.joints.iter().filter(|joint| joint.axes.len() == 6);
        apart.map(|joint| joint.bodies.join(" ")).collect::<Vec<_>>()
    };
    // Two that hang on one, and one with what hangs on its child: 0.2 m wide.
    assert_eq!(pairs(&[limb("b", "0.1", ""), limb("c", "0.15", "")].concat()), ["b c"]);
    assert_eq!(pairs(&limb("b", "0.05", &limb("c", "0.05", ""))), ["a c"]);
    // What hangs on the world meets it, but not where it is in it.
    let post = |height: &str| {
        let text = format!(
            "<geom type='box' size='.1 .1 .1'/><body name='p' pos='0 0 {height}'><joint axis='1 0 0'/><geom type='box' size='.1 .1 .1' pos='0 0 .1'/></body>"
        );
        model(&folder, &text).scene.joints[0].collides
    };
    assert!(post("0.1") && !post("0.08"));
    // Farther along the chain it is as the file says.
    assert_eq!(pairs(&limb("b", "0.15", &limb("c", "0.1", &limb("d", "-0.15", "")))), ["b d"]);
    assert!(pairs(&limb("b", "0.15", &limb("c", "0.15", ""))).is_empty());
}
