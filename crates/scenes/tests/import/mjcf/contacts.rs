//! Whom what hangs on joints meets: parents and children go through each other, but not what is a part of the world (MuJoCo's documentation,
//! computation, collision detection); and what a fixed base is.

use super::super::{Folder, body, place, read, run};
use super::{left_out, model, refused};
use drystone_scenes::{ImportOptions, Imported, Kind};

/// A ball of 0.1 m that slides along z from 1 m down to a box whose top is at 0: both in the world, or in a base with these joints.
fn drop(folder: &Folder, base: Option<&str>, rest: &str) -> Imported {
    let ball =
        "<body name='ball' pos='0 0 1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/></body>";
    let floor = "<geom type='box' size='5 5 .1' pos='0 0 -.1'/>";
    let inside = match base {
        None => format!("{floor}{ball}"),
        Some(joints) => format!("<body name='base'>{joints}{floor}{ball}</body>"),
    };
    model(folder, &format!("{rest}<worldbody>{inside}</worldbody>")).expect("valid")
}

fn height(found: &Imported) -> f64 {
    place(&run(found, 2.0), found, "ball")[2]
}

#[test]
fn what_slides_on_the_world_lies_on_its_geoms() {
    let folder = Folder::new("world-geoms");
    let lies = |height: f64| (height - 0.1).abs() < 2e-3;
    assert!(lies(height(&drop(&folder, None, ""))), "on the world");
    // What has no joint is a part of the world, and so is what is fixed to that.
    assert!(lies(height(&drop(&folder, Some(""), ""))), "on a base");
    let stand = "<worldbody><body name='stand'><body><geom type='box' size='5 5 .1' pos='0 0 -.1'/>
        <body name='ball' pos='0 0 1'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/></body></body></body></worldbody>";
    assert!(lies(height(&model(&folder, stand).expect("valid"))), "on what is fixed to a base");
    // Parents that can move are gone through.
    assert!(!drop(&folder, Some("<freejoint/>"), "").scene.joints[0].collides);
}

#[test]
fn what_is_excluded_goes_through() {
    let folder = Folder::new("exclude");
    let exclude = |a: &str, b: &str| format!("<contact>\n<exclude body1='{a}' body2='{b}'/></contact>");
    for (base, a, b) in [(None, "ball", "world"), (Some(""), "base", "ball")] {
        let found = drop(&folder, base, &exclude(a, b));
        assert!(height(&found) < -5.0, "{a} {b}: {}", height(&found));
        assert!(!left_out(&found).iter().any(|note| note.contains("exclude")), "{:?}", found.notes);
    }
    // Of two that no joint holds together it is noted, of a parent and its child there is nothing to tell.
    let two = "<worldbody><body name='a'><freejoint/><geom size='.1'/><body name='b'><joint/><geom size='.1'/></body></body>
        <body name='c'><freejoint/><geom size='.1'/></body></worldbody>";
    let with = |a: &str, b: &str| model(&folder, &format!("{}{two}", exclude(a, b)));
    assert!(left_out(&with("b", "a").expect("valid")).is_empty());
    // Two that no joint holds together have one that leaves all free: they fall in each other and do not care.
    let apart = "<worldbody><body name='a' pos='0 0.1 0'><freejoint/><geom size='.1'/></body><body name='c'><freejoint/><geom size='.1'/></body></worldbody>";
    let apart = model(&folder, &format!("{}{apart}", exclude("a", "c"))).expect("valid");
    let [joint] = &apart.scene.joints[..] else { panic!("{:?}", apart.scene.joints) };
    assert_eq!((joint.bodies.join(" "), joint.axes.len(), joint.collides), ("a c".to_owned(), 6, false));
    let run = run(&apart, 1.0);
    for (name, y) in [("a", 0.1), ("c", 0.0)] {
        let at = place(&run, &apart, name);
        assert!(at[0].abs() < 1e-6 && (at[1] - y).abs() < 1e-6 && at[2] < -4.0, "{name}: {at:?}");
    }
    assert_eq!(left_out(&with("world", "c").expect("valid")), ["`exclude` of the world"]);
    let error = refused(with("a", "d"));
    assert!(error.contains("model.xml:2:") && error.contains("there is no body \"d\""), "{error}");
}

#[test]
fn what_equality_holds_together_meets_all_the_same() {
    let folder = Folder::new("equality-contacts");
    let text = |exclude: &str| {
        format!("<worldbody><body name='a'><freejoint/><geom size='.1'/></body><body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>
            <equality><connect body1='a' body2='b' anchor='.5 0 0'/></equality><contact>{exclude}</contact>")
    };
    let collides = |exclude: &str| model(&folder, &text(exclude)).expect("valid").scene.joints[0].collides;
    assert!(collides(""));
    assert!(!collides("<exclude body1='b' body2='a'/>"));
}

#[test]
fn a_fixed_base_is_the_first_body_of_the_robot() {
    let folder = Folder::new("base");
    let kinds = |inside: &str| {
        let text = format!("<mujoco><worldbody>{inside}</worldbody></mujoco>");
        let options = ImportOptions { fixed_base: true, ..ImportOptions::default() };
        let found = read(&folder, "base.xml", &text, &options).expect("valid");
        ["base", "arm"].map(|name| body(&found, name).kind)
    };
    let arm = "<body name='arm'><joint/><geom size='.1'/></body>";
    let robot = |joint: &str| format!("<body name='base'>{joint}<geom size='.1'/>{arm}</body>");
    let expected = [Kind::Fixed, Kind::Dynamic];
    // It is fixed already, or held as it is asked for, also behind what has no joints at all.
    assert_eq!(kinds(&robot("")), expected);
    assert_eq!(kinds(&robot("<freejoint/>")), expected);
    assert_eq!(
        kinds(&format!("<body name='table'><geom size='.1'/></body>{}", robot("<freejoint/>"))),
        expected
    );
}
