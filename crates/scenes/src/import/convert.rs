//! From the words of robots' files to those of scenes: turns, places, hulls, joints.

use super::rig::{Dof, Motion};
use super::xml::LeftOut;
use crate::mesh_file;
use crate::model::{JointEntry, JointKindSpec, MotorSpec, Orientation, PartSpec, ShapeSpec};
use crate::run::build_shape;
use drystone::math::{Position, Quaternion, Real, RelativePose, Rotation, Vector3};
use std::f32::consts::{PI, TAU};
use std::path::Path;

/// A part at a place of its link.
pub(super) fn part(shape: ShapeSpec, place: &RelativePose) -> PartSpec {
    PartSpec { shape, position: place.translation.into(), rotation: orientation(&place.rotation) }
}

pub(super) fn orientation(rotation: &Rotation) -> Orientation {
    let q = &rotation.coords;
    Orientation::Quaternion([q.x, q.y, q.z, q.w])
}

/// Rotation by fixed axes: about x, then y, then z, radians.
pub(super) fn roll_pitch_yaw(angles: [f64; 3]) -> Rotation {
    let [roll, pitch, yaw] = angles.map(|angle| angle as Real);
    Rotation::from_euler_angles(roll, pitch, yaw)
}

/// Rotation from a quaternion of any length but zero, `(w, x, y, z)`.
pub(super) fn quaternion(q: [f64; 4]) -> Option<Rotation> {
    let [w, x, y, z] = q.map(|c| c as Real);
    let quaternion = Quaternion::new(w, x, y, z);
    (quaternion.norm() > 0.0).then(|| Rotation::new_normalize(quaternion))
}

pub(super) fn vector(v: [f64; 3]) -> Vector3 {
    Vector3::new(v[0] as Real, v[1] as Real, v[2] as Real)
}

/// From y to z: our cylinders and capsules lie along y, those of robots along z.
pub(super) fn upright() -> RelativePose {
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    RelativePose::new(Vector3::zeros(), Rotation::new_normalize(Quaternion::new(quarter, quarter, 0.0, 0.0)))
}

/// A rotation that takes y to a direction.
pub(super) fn along(direction: &Vector3) -> Rotation {
    // Opposite directions have no shortest turn between them: any half turn about an axis across is one.
    Rotation::rotation_between(&Vector3::y(), direction)
        .unwrap_or_else(|| Rotation::new_normalize(Quaternion::new(0.0, 1.0, 0.0, 0.0)))
}

/// The convex hull of a mesh file, scaled.
///
/// # Errors
/// Why it cannot be read, in words that follow a file's name.
pub(super) fn hull_of(file: &Path, scale: [f64; 3]) -> Result<ShapeSpec, String> {
    let found = mesh_file::read(file)?;
    let scaled = found.vertices.iter().map(|v| [0, 1, 2].map(|k| v[k] * scale[k] as Real));
    let points = mesh_file::corners_of(&scaled.collect::<Vec<_>>());
    let hull = ShapeSpec::Hull { points };
    build_shape(&hull).map_err(|error| error.to_string())?;
    Ok(hull)
}

/// A joint of a kind at a place of the world.
pub(super) fn joint(kind: JointKindSpec, at: &Position) -> JointEntry {
    JointEntry::new(kind, "", "", [at.x, at.y, at.z])
}

/// Counts limits of a turn that do not have where the model stands within them by the whole turns that bring them nearest to it: it is there, as far as anybody can see.
pub(super) fn from_where_it_stands(mut dof: Dof) -> Dof {
    let (Some(lower), Some(upper)) = (dof.lower, dof.upper) else { return dof };
    if dof.motion == Motion::Turn && (lower > 0.0 || upper < 0.0) && lower <= upper {
        let turns = (0.5 * (lower + upper) / TAU).round() * TAU;
        (dof.lower, dof.upper) = (Some(lower - turns), Some(upper - turns));
    }
    dof
}

/// Brings what is said of a turn into half a turn either way, for a joint of several turns, or one that leaves all free: these tell turns from each other by where the bodies
/// are. What lies beyond is left out.
pub(super) fn within_half_a_turn(mut dof: Dof, left_out: &mut LeftOut) -> Dof {
    if dof.motion != Motion::Turn {
        return dof;
    }
    if let (Some(lower), Some(upper)) = (dof.lower, dof.upper) {
        if upper - lower >= TAU {
            left_out.add("limits of hinges that are a part of a joint of several turns, a whole turn or more from each other");
            (dof.lower, dof.upper) = (None, None);
        } else {
            let within = [lower, upper].map(|limit| limit.clamp(-PI, PI));
            if within != [lower, upper] {
                left_out.add("what limits of hinges that are a part of a joint of several turns leave free beyond half a turn: they end there");
            }
            (dof.lower, dof.upper) = (Some(within[0]), Some(within[1]));
        }
    }
    if let Some(MotorSpec::Spring { target, stiffness, damping, most }) = dof.motor
        && target.abs() > PI
    {
        if stiffness > 0.0 {
            left_out.add("springs of hinges that are a part of a joint of several turns and pull to beyond half a turn");
        }
        let damper = MotorSpec::Spring { target: 0.0, stiffness: 0.0, damping, most };
        dof.motor = (damping > 0.0).then_some(damper);
    }
    if let Some(MotorSpec::Spring { target, .. }) = &mut dof.servo {
        *target = target.clamp(-PI, PI);
    }
    dof
}
