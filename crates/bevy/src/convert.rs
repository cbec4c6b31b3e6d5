//! Between Bevy's vectors and the engine's. Positions are `f64` in the engine and `f32` in `Transform`: far from the origin what is shown is
//! coarser than what is computed.

use crate::Velocity;
use bevy_math::{Quat, Vec3};
use bevy_transform::components::Transform;
use drystone::BodyRef;
use drystone::math::{Pose, Position, Quaternion, Rotation, Vector3};

/// A vector for the engine.
pub fn vector(v: Vec3) -> Vector3 {
    Vector3::new(v.x, v.y, v.z)
}

/// A vector for Bevy.
pub fn vec3(v: &Vector3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// A pose for the engine: translation and rotation, brought to length 1; the scale is left out.
pub fn pose(transform: &Transform) -> Pose {
    let (t, q) = (transform.translation.as_dvec3(), transform.rotation);
    Pose::new(Position::new(t.x, t.y, t.z), Rotation::new_normalize(Quaternion::new(q.w, q.x, q.y, q.z)))
}

/// Puts a `Transform` where a pose is; its scale stays.
pub fn place(transform: &mut Transform, pose: &Pose) {
    let (t, q) = (&pose.translation, &pose.rotation.coords);
    transform.translation = Vec3::new(t.x as f32, t.y as f32, t.z as f32);
    transform.rotation = Quat::from_xyzw(q.x, q.y, q.z, q.w);
}

/// The velocity of a body.
pub(crate) fn velocity(body: &BodyRef) -> Velocity {
    Velocity { linear: vec3(&body.linear_velocity), angular: vec3(&body.angular_velocity) }
}

/// The pose between two.
pub(crate) fn between(before: &Pose, after: &Pose, fraction: f64) -> Pose {
    let translation = before.translation + (after.translation - before.translation) * fraction;
    let [from, mut to] = [before.rotation.coords, after.rotation.coords];
    if from.dot(&to) < 0.0 {
        to = -to;
    }
    // Over one step rotations are near each other: the chord is the arc.
    let coords = from + (to - from) * fraction as f32;
    Pose::new(translation, Rotation::new_normalize(Quaternion::from(coords)))
}
