//! What [`drystone::World::lint`] finds of the joints of scenes and linkages that are known: nothing of those that hold, and what is known of the others.

use drystone::{LintFinding, LintKind, WorldConfig};
use drystone_scenes::linkages::named;
use drystone_scenes::{RunOptions, Runner, list, scene};

const KINDS: [LintKind; 4] =
    [LintKind::JointSpin, LintKind::JointMassRatio, LintKind::RedundantLoop, LintKind::UndampedSpring];

fn about_joints(findings: Vec<LintFinding>) -> Vec<LintFinding> {
    findings.into_iter().filter(|finding| KINDS.contains(&finding.concern)).collect()
}

fn of_scene(name: &str) -> Vec<LintFinding> {
    let scene = scene(name).expect("known");
    let runner = Runner::new(&scene, &RunOptions::default()).expect("valid");
    about_joints(runner.world().lint(runner.schedule().dt()).expect("a step"))
}

/// A bridge between two banks is a plane linkage, whose hinges hold three coordinates twice; the ball at the end of a chain is 8000 times as heavy as its links. All else
/// of the library is fine.
#[test]
fn scenes_with_joints_are_fine_but_for_what_is_known() {
    for info in list() {
        let found: Vec<(LintKind, f64)> =
            of_scene(info.name).iter().map(|finding| (finding.concern, finding.value.round())).collect();
        let name = info.name;
        match name {
            "bridge" => assert_eq!(found, [(LintKind::RedundantLoop, 3.0)]),
            "chain" => {
                assert!(found.len() == 1 && found[0].0 == LintKind::JointMassRatio, "{found:?}");
                assert!((8000.0..9000.0).contains(&found[0].1), "{found:?}");
            }
            _ => assert_eq!(found, [], "{name}"),
        }
    }
}

/// Rods by themselves from above 40 rad/s, as far as they are slender; linkages of hinges hold three coordinates twice.
#[test]
fn linkages_are_found_where_they_miss_something() {
    for case in named::all() {
        let world = case.linkage.build(WorldConfig::default()).expect("valid").world;
        let found: Vec<LintKind> = about_joints(world.lint((1.0 / case.hz) as f32).expect("a step"))
            .iter()
            .map(|f| f.concern)
            .collect();
        let expected = match case.family {
            "rod" if case.speed > 40.0 && case.slenderness > 3.0 => vec![LintKind::JointSpin],
            "four-bar" | "arc" if case.joint == "hinge" => vec![LintKind::RedundantLoop],
            _ => vec![],
        };
        assert_eq!(found, expected, "{}", case.name);
    }
}
