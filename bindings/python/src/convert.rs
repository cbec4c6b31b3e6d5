//! Between Python's numbers and the engine's.

use drystone::math::{Pose, Position, Quaternion, Rotation, Vector3};
use drystone::{ArticulationHandle, BodyHandle, ColliderHandle, JointHandle, WorldConfig};
use pyo3::exceptions::{PyDeprecationWarning, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    drystone,
    DrystoneError,
    PyValueError,
    "What was asked for was refused; it says which value, and what was expected. Nothing has changed."
);

/// Any error of the engine.
pub(crate) fn refused(error: impl std::fmt::Display) -> PyErr {
    DrystoneError::new_err(error.to_string())
}

pub(crate) fn vector(v: [f64; 3]) -> Vector3 {
    Vector3::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

pub(crate) fn position(v: [f64; 3]) -> Position {
    Position::new(v[0], v[1], v[2])
}

pub(crate) fn triple(v: &Vector3) -> [f32; 3] {
    [v.x, v.y, v.z]
}

/// A rotation from `(x, y, z, w)` of any length.
pub(crate) fn rotation(q: [f64; 4]) -> PyResult<Rotation> {
    let coords = q.map(|c| c as f32);
    let quaternion = Quaternion::new(coords[3], coords[0], coords[1], coords[2]);
    if quaternion.norm() > 0.0 && quaternion.norm().is_finite() {
        Ok(Rotation::new_normalize(quaternion))
    } else {
        Err(refused(format!("rotation must be a quaternion (x, y, z, w) of a length above 0, got {q:?}")))
    }
}

pub(crate) fn quadruple(rotation: &Rotation) -> [f32; 4] {
    let q = &rotation.coords;
    [q.x, q.y, q.z, q.w]
}

pub(crate) fn pose(at: [f64; 3], turned: Option<[f64; 4]>) -> PyResult<Pose> {
    Ok(Pose::new(position(at), turned.map_or(Ok(Rotation::identity()), rotation)?))
}

/// A handle as one number: its generation above its slot.
macro_rules! handles {
    ($($handle:ident: $to:ident, $from:ident;)*) => {$(
        pub(crate) fn $to(handle: $handle) -> u64 {
            u64::from(handle.generation) << 32 | u64::from(handle.index)
        }

        pub(crate) fn $from(number: u64) -> $handle {
            $handle { index: number as u32, generation: (number >> 32) as u32 }
        }
    )*};
}

handles! {
    BodyHandle: body_number, body;
    JointHandle: joint_number, joint;
    ArticulationHandle: articulation_number, articulation;
}

pub(crate) fn collider_number(handle: ColliderHandle) -> u64 {
    u64::from(handle.generation) << 32 | u64::from(handle.index)
}

/// Sets one setting; a name of the version before is taken with a warning.
pub(crate) fn set_field(config: &mut WorldConfig, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Some(new) = WorldConfig::renamed_field(name) {
        let text =
            format!("the setting {name} is called {new} now; the next version does not take the old name");
        let category = value.py().get_type::<PyDeprecationWarning>();
        PyErr::warn(value.py(), &category, &std::ffi::CString::new(text)?, 1)?;
    }
    config.set_field(name, &text_of(value)?).map_err(refused)
}

/// Text of a setting, as Python people write it.
fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_none() {
        return Ok("none".into());
    }
    if let Ok(switch) = value.extract::<bool>() {
        return Ok(switch.to_string());
    }
    Ok(value.str()?.to_string())
}
