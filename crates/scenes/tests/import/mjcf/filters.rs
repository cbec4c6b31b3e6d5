//! Who meets whom: `contype` and `conaffinity` as groups and rules.

use super::super::{Folder, body, place, read, run};
use super::model;
use drystone_scenes::{ImportOptions, RuleKind};

#[test]
fn two_meet_where_one_is_of_a_kind_that_the_other_asks_for() {
    let folder = Folder::new("filter");
    // Drops a ball on a plane.
    let falls = |ball: [&str; 2], plane: [&str; 2]| {
        let text = format!(
            "<worldbody><geom name='floor' type='plane' size='1 1 1' contype='{}' conaffinity='{}'/>
            <body name='ball' pos='0 0 0.2'><freejoint/><geom size='0.1' contype='{}' conaffinity='{}'/></body></worldbody>",
            plane[0], plane[1], ball[0], ball[1]
        );
        let found = model(&folder, &text).expect("valid");
        assert!(!found.notes.iter().any(|note| note.contains("con")), "{:?}", found.notes);
        place(&run(&found, 1.0), &found, "ball")[2] < 0.0
    };
    assert!(!falls(["1", "1"], ["1", "1"]));
    assert!(!falls(["0", "4"], ["4", "0"]));
    assert!(!falls(["6", "0"], ["0", "3"]));
    assert!(!falls(["-1", "0"], ["0", "1"]));
    assert!(falls(["2", "2"], ["1", "1"]));
    assert!(falls(["1", "0"], ["1", "0"]));
    assert!(falls(["0", "1"], ["0", "1"]));
    assert!(falls(["0", "-1"], ["0", "1"]));
}

#[test]
fn groups_are_as_few_as_there_are_filters() {
    let folder = Folder::new("groups");
    let ball = |name: &str, bits: &str| {
        format!("<body name='{name}' pos='0 0 1'><freejoint/><geom size='.1' {bits}/></body>")
    };
    let usual =
        model(&folder, &format!("<worldbody>{}{}</worldbody>", ball("a", ""), ball("b", "contype='1'")))
            .expect("valid");
    assert_eq!((&body(&usual, "b").groups, usual.scene.rules.len()), (&vec![0], 0));
    // What the robot is made of does not meet itself, but asks for the rest.
    let own = "contype='0' conaffinity='1'";
    let text =
        [ball("a", own), ball("b", own), ball("c", ""), ball("d", "contype='2' conaffinity='2'")].concat();
    let found = read(
        &folder,
        "groups.xml",
        &format!("<mujoco><worldbody>{text}</worldbody></mujoco>"),
        &ImportOptions { ground: true, ..ImportOptions::default() },
    )
    .expect("valid");
    let group = |name: &str| body(&found, name).groups.clone();
    assert_eq!([group("a"), group("b"), group("c"), group("d")].concat(), [0, 0, 1, 2]);
    let rules: Vec<_> =
        found.scene.rules.iter().map(|rule| (rule.a[0], rule.b.clone(), rule.action)).collect();
    assert_eq!(rules, [(0, vec![0, 2], RuleKind::Ignore), (1, vec![2], RuleKind::Ignore)]);
    // The ground that is asked for is for all of them.
    let runner = run(&found, 2.0);
    for name in ["a", "c", "d"] {
        assert!(place(&runner, &found, name)[2] > 0.9, "{name} lies on the ground");
    }
}

#[test]
fn what_cannot_be_said_with_groups_is_noted_once() {
    let folder = Folder::new("mixed");
    let body_of = |name: usize, bits: [u32; 2]| {
        let geoms = bits.map(|bit| format!("<geom size='.1' contype='{bit}' conaffinity='0'/>")).concat();
        format!("<body name='{name}'><freejoint/>{geoms}</body>")
    };
    let mixed = [body_of(1, [1, 2]), body_of(2, [4, 8])].concat();
    let mixed = model(&folder, &format!("<worldbody>{mixed}</worldbody>")).expect("valid");
    let notes: Vec<_> = mixed.notes.iter().filter(|note| note.contains("contype")).collect();
    assert!(notes.len() == 1 && notes[0].contains("(2 bodies)"), "{notes:?}");
    let many: String = (1..=40).map(|kind| body_of(kind as usize, [kind; 2])).collect();
    let many = model(&folder, &format!("<worldbody>{many}</worldbody>")).expect("valid");
    let notes: Vec<_> = many.notes.iter().filter(|note| note.contains("contype")).collect();
    assert!(notes.len() == 1 && notes[0].contains("9 bodies meet all others"), "{notes:?}");
    // A floor that is only looked at is none.
    let seen = "<worldbody><geom type='plane' size='1 1 1' contype='0' conaffinity='0'/><geom size='1'/></worldbody>";
    let seen = model(&folder, seen).expect("valid");
    assert_eq!(seen.scene.bodies.len(), 1);
    assert!(seen.notes.iter().any(|note| note == "left out: planes that touch nothing"), "{:?}", seen.notes);
}
