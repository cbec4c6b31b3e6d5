//! Arrays that follow the world: what was asked for once is written anew after every step, in place.

use crate::convert::{body_number, quadruple};
use drystone::World;
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The arrays of a world, in the order of its bodies; each is there once it was asked for.
#[derive(Default)]
pub(crate) struct Arrays {
    pub bodies: Option<Py<PyArray1<u64>>>,
    pub positions: Option<Py<PyArray2<f64>>>,
    pub rotations: Option<Py<PyArray2<f32>>>,
    pub velocities: Option<Py<PyArray2<f32>>>,
    pub asleep: Option<Py<PyArray1<bool>>>,
}

pub(crate) fn positions(world: &World) -> Vec<f64> {
    world.bodies().flat_map(|body| <[f64; 3]>::from(body.pose.translation.coords)).collect()
}

pub(crate) fn rotations(world: &World) -> Vec<f32> {
    world.bodies().flat_map(|body| quadruple(&body.pose.rotation)).collect()
}

pub(crate) fn velocities(world: &World) -> Vec<f32> {
    let six = |body: drystone::BodyRef| {
        let (v, w) = (body.linear_velocity, body.angular_velocity);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    };
    world.bodies().flat_map(six).collect()
}

pub(crate) fn asleep(world: &World) -> Vec<bool> {
    world.bodies().map(|body| body.is_asleep).collect()
}

impl Arrays {
    /// Bodies came or went: who asks again gets arrays of another length. Those that were given out stay as they are.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Writes who sleeps anew: what wakes bodies moves none.
    pub(crate) fn refresh_asleep(&self, py: Python<'_>, world: &World) {
        refresh(py, &self.asleep, || asleep(world));
    }

    /// Writes what was asked for anew.
    pub(crate) fn refresh(&self, py: Python<'_>, world: &World) {
        refresh(py, &self.positions, || positions(world));
        refresh(py, &self.rotations, || rotations(world));
        refresh(py, &self.velocities, || velocities(world));
        self.refresh_asleep(py, world);
    }
}

/// Writes an array that somebody has asked for.
fn refresh<T: Element + Copy, D: numpy::ndarray::Dimension>(
    py: Python<'_>,
    array: &Option<Py<numpy::PyArray<T, D>>>,
    values: impl FnOnce() -> Vec<T>,
) {
    let Some(array) = array else { return };
    let array = array.bind(py);
    let values = values();
    if !array.is_c_contiguous() || array.len() != values.len() {
        debug_assert!(false, "the array is this module's own, and forgotten when bodies come or go");
        return;
    }
    for (k, value) in values.into_iter().enumerate() {
        // SAFETY: the array is of one block of memory that it owns, with as many elements as there are values, and aligned, as the module made it. Nobody
        // else writes, since it is read-only. No reference into it is made, for it may be read meanwhile: the interpreter's lock is held, but loops of
        // numpy's over an array let go of it. Each element is written whole, so such a reader in another thread finds those of the step before and of this
        // one mixed, and nothing else; the README says how it is kept from that.
        unsafe { array.data().add(k).write_volatile(value) };
    }
}

/// The array kept in `place`, made of rows of `columns` when it is not there.
pub(crate) fn table<'py, T: Element + Copy>(
    py: Python<'py>,
    place: &mut Option<Py<PyArray2<T>>>,
    columns: usize,
    values: impl FnOnce() -> Vec<T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    if let Some(array) = place {
        return Ok(array.bind(py).clone());
    }
    let values = values();
    let rows = values.len() / columns;
    // A copy of its own: `reshape` alone would be a view.
    let array = values.into_pyarray(py).reshape([rows, columns])?.to_owned_array().into_pyarray(py);
    lock(array.as_any())?;
    *place = Some(array.clone().unbind());
    Ok(array)
}

/// As [`table`], of one column.
pub(crate) fn column<'py, T: Element + Copy>(
    py: Python<'py>,
    place: &mut Option<Py<PyArray1<T>>>,
    values: impl FnOnce() -> Vec<T>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    if let Some(array) = place {
        return Ok(array.bind(py).clone());
    }
    let array = values().into_pyarray(py);
    lock(array.as_any())?;
    *place = Some(array.clone().unbind());
    Ok(array)
}

pub(crate) fn handles(world: &World) -> Vec<u64> {
    world.bodies().map(|body| body_number(body.handle)).collect()
}

/// Makes an array read-only for Python.
fn lock(array: &Bound<'_, PyAny>) -> PyResult<()> {
    let keywords = PyDict::new(array.py());
    keywords.set_item("write", false)?;
    array.call_method("setflags", (), Some(&keywords))?;
    Ok(())
}
