//! The engines, one file each.

#[cfg(feature = "box3d")]
mod box3d;
mod drystone;
#[cfg(feature = "jolt")]
mod jolt;
#[cfg(feature = "rapier")]
mod rapier;

use crate::engine::Engine;
use crate::run::Options;
use crate::task::Task;

/// An empty world of the engine with this name, with room for the task.
///
/// # Errors
/// A name that this build does not know, settings that the engine refuses.
pub(crate) fn start(name: &str, task: &Task, options: &Options) -> Result<Box<dyn Engine>, String> {
    match name {
        "drystone" => Ok(Box::new(drystone::Drystone::new(task, options)?)),
        #[cfg(feature = "rapier")]
        "rapier" => Ok(Box::new(rapier::Rapier::new(task, options)?)),
        #[cfg(feature = "box3d")]
        "box3d" => Ok(Box::new(box3d::Box3d::new(task, options))),
        #[cfg(feature = "jolt")]
        "jolt" => Ok(Box::new(jolt::Jolt::new(task, options)?)),
        _ => Err(format!("this build has no engine {name:?}")),
    }
}

/// Half of the edges of the box that stands in for a half-space, m: across twice, and down. Not every peer
/// has half-spaces, so all get the box, whose upper face is the plane.
#[cfg(any(feature = "rapier", feature = "box3d", feature = "jolt"))]
const SLAB: [f32; 3] = [250.0, 5.0, 250.0];

/// Where the box of a half-space with this outward normal and pose is; its own +y is outwards.
#[cfg(any(feature = "rapier", feature = "box3d", feature = "jolt"))]
fn slab_pose(normal: &drystone_math::Vector3, pose: &drystone_math::Pose) -> drystone_math::Pose {
    use drystone_math::{Pose, Rotation, Vector3, widen};
    let outward = pose.rotation * normal;
    // Opposite to +y any half turn does.
    let turn = Rotation::rotation_between(&Vector3::y(), &outward)
        .unwrap_or_else(|| Rotation::from_axis_angle(&Vector3::x_axis(), std::f32::consts::PI));
    Pose::new(pose.translation - widen(&outward) * f64::from(SLAB[1]), turn)
}

#[cfg(all(test, any(feature = "rapier", feature = "box3d", feature = "jolt")))]
mod tests {
    use super::*;
    use drystone_math::{Pose, Vector3};
    use drystone_scenes::Preset;

    #[test]
    fn the_upper_face_of_a_slab_is_the_plane() {
        for normal in [Vector3::y(), -Vector3::y(), Vector3::x(), Vector3::new(0.6, 0.8, 0.0)] {
            let plane = Pose::at(1.0, 2.0, 3.0);
            let slab = slab_pose(&normal, &plane);
            let face = slab.transform_point(&Vector3::new(0.0, SLAB[1], 0.0));
            assert!((face - plane.translation).norm() < 1e-5, "{normal:?}: {face:?}");
            assert!((slab.rotation * Vector3::y() - normal).norm() < 1e-6, "{normal:?}");
        }
    }

    /// A ball at rest stays, one in the air falls, in whatever engines this build has.
    #[test]
    fn a_ball_falls_and_lies_on_the_ground_in_every_engine() {
        let text = r#"(version: 1, name: "two", seconds: 1.0, bodies: [
            (kind: fixed, shape: half_space(normal: (0.0, 1.0, 0.0)), material: "granite"),
            (shape: sphere(radius: 0.5), material: "oak", position: (0.0, 0.5, 0.0)),
            (shape: cuboid(half_extents: (0.5, 0.5, 0.5)), material: "oak", position: (3.0, 10.0, 0.0)),
            (shape: capsule(half_length: 0.5, radius: 0.5), material: "oak", position: (-3.0, 1.0, 0.0)),
            (shape: hull(points: [(-0.5, 0.0, -0.5), (0.5, 0.0, -0.5), (0.0, 0.0, 0.5), (0.0, 1.0, 0.0)]),
             material: "oak", position: (0.0, 0.0, 3.0), appears: 0.5),
        ])"#;
        let scene = drystone_scenes::Scene::parse(text, "two.ron").expect("valid");
        let task = Task::new(&scene, None, None).expect("simple");
        let options = Options { hz: 240.0, preset: Preset::ThesisAccurate, ..Options::of_test() };
        for name in ["drystone", "rapier", "box3d", "jolt"] {
            let Ok(mut engine) = start(name, &task, &options) else { continue };
            crate::run::run(engine.as_mut(), &task, &options).expect(name);
            let motions = engine.motions(task.bodies.len());
            let at = |i: usize| motions[i].expect("there").pose.translation;
            assert!((at(1).y - 0.5).abs() < 0.01, "{name}: the ball at rest is at {:?}", at(1));
            assert!((at(2).y - 5.0).abs() < 0.05, "{name}: the box in the air is at {:?}", at(2));
            assert!((at(3).y - 1.0).abs() < 0.02, "{name}: the upright capsule is at {:?}", at(3));
            assert!(at(4).y.abs() < 0.03, "{name}: the hull is at {:?}", at(4));
        }
    }
}
