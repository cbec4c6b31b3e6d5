//! drystone for Python: worlds, shapes, joints, with numpy arrays for what there are many of.
//!
//! In: numbers, sequences and arrays of Python. Out: the same, in SI units; rotations are quaternions `(x, y, z, w)`. Contains no physics. Start reading at
//! `world.rs`; the types as Python sees them are in `python/drystone/_native.pyi`.
//!
//! Invariants: what the engine refuses is a `DrystoneError` that says which value was expected, and nothing changes; a step lets other
//! threads of Python run, and Ctrl-C ends a run of many steps between two of them. Arrays are written with the interpreter's lock held, which a Python
//! without one takes up for this module.

mod arrays;
mod convert;
mod joint;
mod report;
mod shape;
mod world;

use pyo3::prelude::*;

#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use crate::convert::DrystoneError;
    #[pymodule_export]
    use crate::joint::{CouplingState, JointState, Motor, Spring};
    #[pymodule_export]
    use crate::report::{Contacts, Event, LintFinding, RayHit, Report};
    #[pymodule_export]
    use crate::shape::{Collider, Shape};
    #[pymodule_export]
    use crate::world::{BodyState, Snapshot, World};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("PRESETS", drystone::WorldConfig::PRESETS.to_vec())
    }
}
