//! What a step, a query and a look at the world tell.

use crate::convert::{body_number, collider_number, joint_number, triple};
use drystone::{EventDetail, EventKind, QueryHit, World};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// What one step did.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct Report {
    step: u64,
    time: f64,
    bodies: u32,
    awake: u32,
    asleep: u32,
    contacts: u32,
    joints: u32,
    broken_joints: u32,
    islands: u32,
    iterations: u64,
    is_solved: bool,
    unsolved_joints: u32,
    turned_joints: u32,
    worst_residual: f32,
    worst_overlap: f32,
    limit_hits: u32,
    energy_before: f64,
    energy_after: f64,
    /// What an island gained from nothing, J, and one of its bodies.
    energy_grown: f64,
    energy_grown_body: Option<u64>,
    quarantined: Vec<u64>,
    seconds: BTreeMap<String, f64>,
}

impl From<&drystone::StepReport> for Report {
    fn from(report: &drystone::StepReport) -> Self {
        Self {
            step: report.step,
            time: report.time,
            bodies: report.bodies,
            awake: report.awake,
            asleep: report.asleep,
            contacts: report.contacts,
            joints: report.joints,
            broken_joints: report.broken_joints,
            islands: report.islands,
            iterations: report.iterations,
            is_solved: report.is_solved,
            unsolved_joints: report.solver.unsolved_joints,
            turned_joints: report.solver.turned_joints,
            worst_residual: report.worst_residual,
            worst_overlap: report.worst_overlap,
            limit_hits: report.limit_hits,
            energy_before: report.energy_before,
            energy_after: report.energy_after,
            energy_grown: report.energy_growth.map_or(0.0, |growth| growth.joules),
            energy_grown_body: report.energy_growth.map(|growth| body_number(growth.body)),
            quarantined: report.quarantined.iter().copied().map(body_number).collect(),
            seconds: report.stages().map(|(name, time)| (name.to_owned(), time.as_secs_f64())).collect(),
        }
    }
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        format!(
            "Report(step={}, time={:.6}, awake={}, asleep={}, contacts={}, iterations={}, is_solved={}, worst_overlap={:.3e})",
            self.step,
            self.time,
            self.awake,
            self.asleep,
            self.contacts,
            self.iterations,
            if self.is_solved { "True" } else { "False" },
            self.worst_overlap
        )
    }
}

/// All contact points, one a row.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Debug)]
pub(crate) struct Contacts {
    /// (n, 2) handles.
    bodies: Py<PyArray2<u64>>,
    /// (n, 3), m.
    points: Py<PyArray2<f64>>,
    /// (n, 3), from the first body to the second.
    normals: Py<PyArray2<f32>>,
    /// (n,), m; negative when overlapping.
    distances: Py<PyArray1<f32>>,
    /// (n, 3), N·s on the second body in the last step.
    impulses: Py<PyArray2<f32>>,
}

impl Contacts {
    pub(crate) fn of(py: Python<'_>, world: &World) -> PyResult<Self> {
        let (mut bodies, mut points, mut normals) = (Vec::new(), Vec::new(), Vec::new());
        let (mut distances, mut impulses) = (Vec::new(), Vec::new());
        for contact in world.contacts() {
            bodies.extend(contact.bodies.map(body_number));
            points.extend(contact.point.coords.iter());
            normals.extend(contact.normal.iter());
            distances.push(contact.distance);
            impulses.extend(contact.impulse.iter());
        }
        let n = distances.len();
        Ok(Self {
            bodies: bodies.into_pyarray(py).reshape([n, 2])?.unbind(),
            points: points.into_pyarray(py).reshape([n, 3])?.unbind(),
            normals: normals.into_pyarray(py).reshape([n, 3])?.unbind(),
            distances: distances.into_pyarray(py).unbind(),
            impulses: impulses.into_pyarray(py).reshape([n, 3])?.unbind(),
        })
    }
}

#[pymethods]
impl Contacts {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.distances.bind(py).len()
    }
}

/// What a ray hit.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct RayHit {
    body: u64,
    collider: u64,
    distance: f64,
    point: [f64; 3],
    normal: [f32; 3],
}

impl RayHit {
    pub(crate) fn of(found: &QueryHit<drystone::RayHit>) -> Self {
        let point = &found.hit.point;
        Self {
            body: body_number(found.body),
            collider: collider_number(found.collider),
            distance: found.hit.distance,
            point: [point.x, point.y, point.z],
            normal: triple(&found.hit.normal),
        }
    }
}

/// Something that happened in a step.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct Event {
    kind: &'static str,
    time: f64,
    bodies: Option<[u64; 2]>,
    /// Of a hit: closing speed, m/s.
    speed: Option<f32>,
}

impl Event {
    pub(crate) fn of(event: &drystone::Event) -> Self {
        let kind = match event.kind() {
            EventKind::TriggerIn => "trigger_in",
            EventKind::TriggerOut => "trigger_out",
            EventKind::TouchBegin => "touch_begin",
            EventKind::TouchPersist => "touch_persist",
            EventKind::TouchEnd => "touch_end",
            EventKind::ProximityBegin => "proximity_begin",
            EventKind::ProximityPersist => "proximity_persist",
            EventKind::ProximityEnd => "proximity_end",
            EventKind::TimerTick => "timer_tick",
            EventKind::Hit => "hit",
            _ => "other",
        };
        let bodies = match &event.detail {
            EventDetail::Trigger(event) => Some(event.bodies),
            EventDetail::Touch(event) => Some(event.bodies),
            EventDetail::Proximity(event) => Some(event.bodies),
            EventDetail::Hit(event) => Some(event.bodies),
            _ => None,
        };
        let speed = match &event.detail {
            EventDetail::Hit(hit) => Some(hit.speed),
            _ => None,
        };
        Self { kind, time: event.time, bodies: bodies.map(|bodies| bodies.map(body_number)), speed }
    }
}

#[pymethods]
impl Event {
    fn __repr__(&self) -> String {
        format!("Event(kind='{}', time={:.6}, bodies={:?})", self.kind, self.time, self.bodies)
    }
}

/// Something that is likely to go badly.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct LintFinding {
    concern: &'static str,
    bodies: Vec<u64>,
    joints: Vec<u64>,
    is_note: bool,
    value: f64,
    bound: f64,
    message: String,
}

impl LintFinding {
    pub(crate) fn of(finding: &drystone::LintFinding) -> Self {
        Self {
            concern: finding.concern.name(),
            bodies: finding.bodies.iter().flatten().copied().map(body_number).collect(),
            joints: finding.joints.iter().copied().map(joint_number).collect(),
            is_note: finding.concern.is_note(),
            value: finding.value,
            bound: finding.bound,
            message: finding.to_string(),
        }
    }
}

#[pymethods]
impl LintFinding {
    fn __repr__(&self) -> String {
        format!("LintFinding({:?})", self.message)
    }
}
