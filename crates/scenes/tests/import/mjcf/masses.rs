//! Masses: of geoms, of bodies, in all.

use super::super::{Folder, body, place, run};
use super::{model, one, refused};

#[test]
fn what_touches_nothing_has_a_mass() {
    let folder = Folder::new("mass");
    let ghost = "contype='0' conaffinity='0'";
    let with = |inside: &str| {
        let found = one(&folder, inside).expect("valid");
        let mass = body(&found, "b").mass.expect("it has one");
        (mass.mass, mass.inertia.expect("it is said").center[0], found)
    };
    let two =
        format!("<freejoint/><geom size='0.1' mass='1'/><geom size='0.1' pos='1 0 0' mass='99' {ghost}/>");
    let (mass, center, found) = with(&two);
    assert!(mass == 100.0 && (center - 0.99).abs() < 1e-6, "{mass} {center}");
    // It still touches nothing.
    assert!(matches!(body(&found, "b").shape, drystone_scenes::ShapeSpec::Sphere { .. }));
    let given = "<inertial pos='0 0 0' mass='7' diaginertia='1 1 1'/>";
    assert_eq!(with(&(two.clone() + given)).0, 7.0);
    // A box of 2 m x 1 m x 1 m as heavy as water, without one that touches.
    let heavy = format!("<freejoint/><geom type='box' size='1 .5 .5' {ghost}/>");
    assert!((with(&heavy).0 - 2000.0).abs() < 0.01);
}

#[test]
fn masses_that_cannot_be_are_refused_with_their_line() {
    let folder = Folder::new("no-mass");
    for (geom, expected) in [
        ("mass='-5'", "mass must be at least 0, got -5"),
        ("density='-1'", "density must be at least 0, got -1"),
        ("mass='heavy'", "mass must be finite numbers, got \"heavy\""),
        ("friction='-1'", "friction must be at least 0, got -1"),
        ("contype='0.5'", "contype must be a whole number of 32 bits, got \"0.5\""),
    ] {
        let error = refused(one(&folder, &format!("<geom size='0.1' {geom}/>")));
        assert!(error.contains(expected) && error.contains("model.xml:3:"), "{error}");
    }
    // Nothing weighs nothing, though others of its body may.
    let light =
        one(&folder, "<freejoint/><geom size='.1' mass='0'/><geom size='.1' mass='2'/>").expect("valid");
    assert_eq!(body(&light, "b").mass.map(|mass| mass.mass), Some(2.0));
}

#[test]
fn all_bodies_weigh_together_what_is_asked_for() {
    let folder = Folder::new("total");
    let inside = "<worldbody><geom size='.1' mass='50'/><body name='still'><geom size='.1' mass='3'/></body>
        <body name='b'><freejoint/><geom size='.1' mass='1'/></body></worldbody>";
    let mass = |compiler: &str| {
        let found = model(&folder, &format!("{compiler}{inside}")).expect("valid");
        let mass = body(&found, "b").mass.expect("it has one");
        (mass.mass, mass.inertia.expect("it is said").principal[0])
    };
    // What does not move counts too, the world does not.
    let (heavy, moment) = mass("<compiler settotalmass='8'/><compiler angle='degree'/>");
    assert!(heavy == 2.0 && (moment - 0.4 * 2.0 * 0.01).abs() < 1e-6, "{heavy} {moment}");
    assert_eq!(mass("").0, 1.0);
    assert_eq!(mass("<compiler settotalmass='-1'/>").0, 1.0);
}

#[test]
fn what_carries_its_own_weight_does_not_fall() {
    let folder = Folder::new("gravcomp");
    let text = |own: &str, tip: &str| {
        format!(
            "<worldbody><body name='b' gravcomp='{own}'><freejoint/><geom size='.1' mass='1'/>
            <body name='tip' gravcomp='{tip}'><geom size='.1' mass='3'/></body></body></worldbody>"
        )
    };
    let floats = model(&folder, &text("1", "1")).expect("valid");
    assert_eq!(body(&floats, "b").gravity_scale, 0.0);
    assert!(!floats.notes.iter().any(|note| note.contains("grav")), "{:?}", floats.notes);
    let [_, _, z] = place(&run(&floats, 1.0), &floats, "b");
    assert_eq!(z, 0.0);
    // Of 4 kg, 3 kg are held.
    let mixed = model(&folder, &text("0", "1")).expect("valid");
    assert_eq!(body(&mixed, "b").gravity_scale, 0.25);
    assert!(mixed.notes.iter().any(|note| note.contains("their mean is taken")), "{:?}", mixed.notes);
}
