//! Small files of each kind that people have and that failed: `field` in the folder that `DRYSTONE_DATA` names, or in `../shared/data` beside the repository. They are
//! no part of it; without them the tests say that they were skipped.

use super::{body, place, stays, total_mass};
use drystone::JointAxis;
use drystone_scenes::{ImportOptions, Imported, JointAxisSpec, JointKindSpec, Kind, import};
use std::path::PathBuf;

fn read(name: &str, options: &ImportOptions) -> Option<Imported> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("DRYSTONE_DATA").map_or_else(beside, PathBuf::from);
    let path = folder.join("field").join(name);
    if !path.is_file() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(import(path, options).expect("it is read"))
}

#[test]
fn a_hip_of_massless_links_is_one_joint_of_three_turns() {
    let Some(hip) = read("hip_of_massless_links.urdf", &ImportOptions { ground: true, ..Default::default() })
    else {
        return;
    };
    let moving: Vec<&str> = hip
        .scene
        .bodies
        .iter()
        .filter(|body| body.kind == Kind::Dynamic)
        .map(|body| body.name.as_str())
        .collect();
    assert_eq!(moving, ["pelvis", "thigh"]);
    assert_eq!(total_mass(&hip), 11.0);
    let [joint] = &hip.scene.joints[..] else { panic!("{:?}", hip.scene.joints) };
    assert_eq!((joint.kind, joint.bodies.join(" ")), (JointKindSpec::Generic, "pelvis thigh".to_owned()));
    let limits: Vec<_> = joint.axes.iter().map(|own| (own.axis, own.lower, own.upper)).collect();
    // The last turn, about y, is the twist; yaw is the first swing, and x, seen from y and z, the second one.
    let expected = [
        (JointAxisSpec::SwingY, Some(-0.7), Some(0.7)),
        (JointAxisSpec::SwingZ, Some(-0.5), Some(0.5)),
        (JointAxisSpec::Twist, Some(-1.5), Some(0.6)),
    ];
    for (axis, lower, upper) in expected {
        assert!(limits.contains(&(axis, lower, upper)), "{axis:?}: {limits:?}");
    }
    stays(&hip);
}

#[test]
fn what_urdf_has_besides_is_noted_and_not_refused() {
    let Some(odd) = read("limit_upside_down.urdf", &ImportOptions::default()) else { return };
    let shoulder =
        odd.scene.joints.iter().find(|joint| joint.kind == JointKindSpec::Hinge).expect("a shoulder");
    assert_eq!((shoulder.lower, shoulder.upper), (Some(0.0), Some(1.0)));
    assert!(odd.scene.joints.iter().any(|joint| joint.kind == JointKindSpec::Ball), "a wrist");
    assert!(odd.notes.iter().any(|note| note.contains("upside down, 1 and 0")), "{:?}", odd.notes);
    assert_eq!(body(&odd, "base").kind, Kind::Fixed);
    assert!((total_mass(&odd) - 1.5).abs() < 1e-6);
    stays(&odd);
}

#[test]
fn a_planar_walker_moves_in_its_plane() {
    let Some(walker) = read("planar_root.xml", &ImportOptions::default()) else { return };
    let root = walker.scene.joints.iter().find(|joint| joint.bodies[1] == "trunk").expect("a root");
    assert_eq!((root.kind, root.axes.len()), (JointKindSpec::Generic, 3));
    assert!(root.axes.iter().all(|own| own.lower.is_none() && own.upper.is_none()), "{:?}", root.axes);
    let runner = stays(&walker);
    for name in ["trunk", "leg"] {
        let [x, y, z] = place(&runner, &walker, name);
        assert!(y.abs() < 1e-3 && z > 0.0 && z < 1.0 && x.abs() < 2.0, "{name}: {x} {y} {z}");
    }
}

#[test]
fn hinges_that_do_not_meet_stay_where_they_are() {
    let Some(ankle) = read("two_hinges_apart.xml", &ImportOptions { ground: true, ..Default::default() })
    else {
        return;
    };
    let joints: Vec<_> =
        ankle.scene.joints.iter().filter(|joint| joint.kind == JointKindSpec::Hinge).collect();
    assert_eq!(joints.len(), 2);
    let [pitch, roll] = [joints[0], joints[1]];
    assert_eq!((pitch.axis, pitch.bodies.join(" ")), (Some([0.0, 1.0, 0.0]), "shin foot.pitch".to_owned()));
    let near = |at: f64, expected: f64| (at - expected).abs() < 1e-6;
    assert!(near(pitch.at[2], 0.19) && near(roll.at[2], 0.15), "{:?} {:?}", pitch.at, roll.at);
    let axis = roll.axis.expect("it has one");
    assert!((axis[2] / axis[0] - 0.5).abs() < 1e-6, "{axis:?}");
    let limits = [roll.lower, roll.upper].map(|limit| limit.expect("both").to_degrees().round());
    assert_eq!(limits, [-40.0, 40.0]);
    // 0.008 kg of 0.64 kg are in between.
    let between = body(&ankle, "foot.pitch").mass.expect("a share").mass;
    let foot = body(&ankle, "foot").mass.expect("the rest").mass;
    assert!((between / (between + foot) - 1.0 / 16.0).abs() < 1e-6, "{between} {foot}");
    assert!((between + foot - 1000.0 * 8.0 * 0.1 * 0.04 * 0.02).abs() < 1e-4, "{between} {foot}");
    let runner = stays(&ankle);
    for (handle, _) in runner.world().joints().take(2) {
        let twist = runner.world().joint(handle).expect("it holds").value(JointAxis::Twist);
        assert!(twist.abs() < 0.9, "{twist}");
    }
}

#[test]
fn each_stays_for_three_seconds_as_constraints_and_as_an_articulation() {
    for name in
        ["hip_of_massless_links.urdf", "limit_upside_down.urdf", "planar_root.xml", "two_hinges_apart.xml"]
    {
        let Some(plain) = read(name, &ImportOptions { ground: true, ..Default::default() }) else { return };
        assert!(plain.scene.articulations.is_empty());
        stays(&plain);
        let options = ImportOptions { ground: true, articulated: true, ..Default::default() };
        let Some(found) = read(name, &options) else { return };
        assert_eq!(found.scene.articulations.len(), 1, "{name}: {:?}", found.notes);
        // Each degree of freedom is a joint, and all are in it.
        let held = found.scene.joints.iter().filter(|joint| joint.kind != JointKindSpec::Generic).count();
        assert_eq!(found.scene.articulations[0].joints.len(), held, "{name}");
        let runner = stays(&found);
        for (handle, _) in runner.world().joints().take(held) {
            let error = runner.world().joint(handle).expect("it holds").error;
            assert!(error[0] < 1e-6 && error[1] < 1e-6, "{name}: {error:?}");
        }
    }
}
