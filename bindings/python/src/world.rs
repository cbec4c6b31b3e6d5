//! The world. As long as it has methods: a class of Python has one block of them.

use crate::arrays::{self, Arrays};
use crate::convert::{
    articulation, articulation_number, body, body_number, joint, joint_number, pose, position, quadruple,
    refused, set_field, triple, vector,
};
use crate::joint::{JointState, Motor, Spring, Wanted, WantedCoupling, axis};
use crate::report::{Contacts, Event, LintFinding, RayHit, Report};
use crate::shape::Colliders;
use drystone::math::Displacement;
use drystone::{
    AxisLocks, BodyHandle, BodyKind, BodySpec, Exec, JointAxis, Material, MaterialId, PairMaterial,
    QueryFilter, Ray, WorldConfig, WorldError,
};
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArray2, PyArrayLike2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// How often a run of many steps looks whether it was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// Bodies in contact, and what advances them.
#[pyclass(module = "drystone")]
pub(crate) struct World {
    world: drystone::World,
    arrays: Arrays,
}

/// The state of a world between two steps.
#[pyclass(frozen, module = "drystone")]
#[derive(Debug)]
pub(crate) struct Snapshot(drystone::Snapshot);

/// A body as it is.
#[pyclass(frozen, get_all, module = "drystone")]
#[derive(Clone, Debug)]
pub(crate) struct BodyState {
    handle: u64,
    kind: &'static str,
    position: [f64; 3],
    rotation: [f32; 4],
    center: [f64; 3],
    velocity: [f32; 3],
    angular_velocity: [f32; 3],
    mass: f32,
    is_asleep: bool,
    island: Option<u32>,
    level: Option<u32>,
    user_data: u64,
}

fn spec_of(kind: &str) -> PyResult<BodySpec> {
    match kind {
        "dynamic" => Ok(BodySpec::dynamic()),
        "fixed" => Ok(BodySpec::fixed()),
        "kinematic" => Ok(BodySpec::kinematic()),
        _ => Err(refused(format!("the kind of a body must be dynamic, fixed or kinematic, got {kind:?}"))),
    }
}

impl World {
    /// Does what may wake a body. Who sleeps is written anew only when it slept: forces are given to many, one by one.
    fn rouse(
        &mut self,
        py: Python<'_>,
        handle: u64,
        act: impl FnOnce(&mut drystone::World, BodyHandle) -> Result<(), WorldError>,
    ) -> PyResult<()> {
        let handle = body(handle);
        let slept = self.world.body(handle).is_ok_and(|state| state.is_asleep);
        act(&mut self.world, handle).map_err(refused)?;
        if slept {
            self.arrays.refresh_asleep(py, &self.world);
        }
        Ok(())
    }

    /// The coordinate of this name of a joint, or its main one.
    fn axis_of(&self, handle: u64, name: Option<&str>) -> PyResult<JointAxis> {
        if let Some(name) = name {
            return axis(name);
        }
        let kind = self.world.joint(joint(handle)).map_err(refused)?.kind;
        kind.main_axis()
            .ok_or_else(|| refused(format!("a {} joint has no main coordinate: say which axis", kind.name())))
    }
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (preset="fast", *, gravity=None, threads=1, settings=None, hits=false))]
    fn new(
        preset: &str,
        gravity: Option<[f64; 3]>,
        threads: usize,
        settings: Option<&Bound<'_, PyDict>>,
        hits: bool,
    ) -> PyResult<Self> {
        let mut config = WorldConfig::preset(preset).map_err(refused)?;
        if let Some(gravity) = gravity {
            config.gravity = vector(gravity);
        }
        // Who asks after many steps is told of all of them, unless the settings say otherwise.
        config.events.queue = true;
        for (name, value) in settings.into_iter().flatten() {
            set_field(&mut config, &name.extract::<String>()?, &value)?;
        }
        config.events.hit |= hits;
        let exec = Exec::with_threads(threads).map_err(refused)?;
        let world = drystone::World::with_exec(config, exec).map_err(refused)?;
        Ok(Self { world, arrays: Arrays::default() })
    }

    /// Adds a body; returns its handle.
    #[pyo3(signature = (colliders, position=[0.0; 3], *, kind="dynamic", rotation=None, velocity=[0.0; 3], angular_velocity=[0.0; 3], mass=None, lock_translation=[false; 3], lock_rotation=[false; 3], linear_damping=0.0, angular_damping=0.0, gravity_scale=1.0, can_sleep=true, asleep=false, user_data=0))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add_body(
        &mut self,
        colliders: Colliders<'_>,
        position: [f64; 3],
        kind: &str,
        rotation: Option<[f64; 4]>,
        velocity: [f64; 3],
        angular_velocity: [f64; 3],
        mass: Option<f32>,
        lock_translation: [bool; 3],
        lock_rotation: [bool; 3],
        linear_damping: f32,
        angular_damping: f32,
        gravity_scale: f32,
        can_sleep: bool,
        asleep: bool,
        user_data: u64,
    ) -> PyResult<u64> {
        let mut spec = spec_of(kind)?
            .pose(pose(position, rotation)?)
            .linear_velocity(vector(velocity))
            .angular_velocity(vector(angular_velocity))
            .locks(AxisLocks { translation: lock_translation, rotation: lock_rotation })
            .linear_damping(linear_damping)
            .angular_damping(angular_damping)
            .gravity_scale(gravity_scale)
            .can_sleep(can_sleep)
            .asleep(asleep)
            .user_data(user_data);
        if let Some(mass) = mass {
            spec = spec.total_mass(mass);
        }
        let spec = colliders.specs().into_iter().fold(spec, BodySpec::collider);
        let handle = self.world.add_body(spec).map_err(refused)?;
        self.arrays.forget();
        Ok(body_number(handle))
    }

    /// Adds a body of the same colliders at every row of `positions`, (n, 3), turned by the rows of `rotations`, (n, 4); returns their handles.
    /// All or none: who tries again gets the same order.
    #[pyo3(signature = (colliders, positions, *, kind="dynamic", rotations=None, mass=None))]
    fn add_bodies<'py>(
        &mut self,
        py: Python<'py>,
        colliders: Colliders<'py>,
        positions: PyArrayLike2<'py, f64, AllowTypeChange>,
        kind: &str,
        rotations: Option<PyArrayLike2<'py, f64, AllowTypeChange>>,
        mass: Option<f32>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let places = positions.as_array();
        let turns = rotations.as_ref().map(|rotations| rotations.as_array());
        if places.ncols() != 3 {
            let (rows, columns) = (places.nrows(), places.ncols());
            return Err(refused(format!("positions must have the shape (n, 3), got ({rows}, {columns})")));
        }
        if let Some(turns) = turns.as_ref().filter(|turns| turns.dim() != (places.nrows(), 4)) {
            let (n, (rows, columns)) = (places.nrows(), turns.dim());
            return Err(refused(format!("rotations must have the shape ({n}, 4), got ({rows}, {columns})")));
        }
        let mut spec = spec_of(kind)?;
        if let Some(mass) = mass {
            spec = spec.total_mass(mass);
        }
        let spec = colliders.specs().into_iter().fold(spec, BodySpec::collider);
        let mut handles = Vec::with_capacity(places.nrows());
        for (row, place) in places.rows().into_iter().enumerate() {
            let turn = turns.as_ref().map(|turns| [0, 1, 2, 3].map(|column| turns[[row, column]]));
            let pose = pose([place[0], place[1], place[2]], turn);
            let added = pose.and_then(|pose| self.world.add_body(spec.clone().pose(pose)).map_err(refused));
            match added {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    // The last first: what comes next fills the slot that became free last.
                    handles.into_iter().rev().for_each(|handle| _ = self.world.remove_body(handle));
                    return Err(refused(format!("row {row}: {error}")));
                }
            }
        }
        if !handles.is_empty() {
            self.arrays.forget();
        }
        Ok(handles.into_iter().map(body_number).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Removes a body; what rested on it wakes.
    fn remove_body(&mut self, handle: u64) -> PyResult<()> {
        self.world.remove_body(body(handle)).map_err(refused)?;
        self.arrays.forget();
        Ok(())
    }

    /// A body as it is.
    fn body(&self, handle: u64) -> PyResult<BodyState> {
        let state = self.world.body(body(handle)).map_err(refused)?;
        let (at, center) = (state.pose.translation, state.center);
        Ok(BodyState {
            handle,
            kind: match state.kind {
                BodyKind::Dynamic => "dynamic",
                BodyKind::Fixed => "fixed",
                BodyKind::Kinematic => "kinematic",
            },
            position: [at.x, at.y, at.z],
            rotation: quadruple(&state.pose.rotation),
            center: [center.x, center.y, center.z],
            velocity: triple(&state.linear_velocity),
            angular_velocity: triple(&state.angular_velocity),
            mass: state.mass,
            is_asleep: state.is_asleep,
            island: state.island,
            level: self.world.level(body(handle)).map_err(refused)?,
            user_data: state.user_data,
        })
    }

    /// Puts a body elsewhere; it wakes. Without a rotation it keeps the one that it has.
    #[pyo3(signature = (handle, position, rotation=None))]
    fn set_pose(
        &mut self,
        py: Python<'_>,
        handle: u64,
        position: [f64; 3],
        rotation: Option<[f64; 4]>,
    ) -> PyResult<()> {
        let (handle, mut to) = (body(handle), pose(position, rotation)?);
        if rotation.is_none() {
            to.rotation = self.world.pose(handle).map_err(refused)?.rotation;
        }
        self.world.set_pose(handle, to).map_err(refused)?;
        self.arrays.refresh(py, &self.world);
        Ok(())
    }

    /// Sets the velocity of a body, m/s and rad/s; this is how a kinematic body moves.
    #[pyo3(signature = (handle, velocity, angular_velocity=[0.0; 3]))]
    fn set_velocity(
        &mut self,
        py: Python<'_>,
        handle: u64,
        velocity: [f64; 3],
        angular_velocity: [f64; 3],
    ) -> PyResult<()> {
        let (linear, angular) = (vector(velocity), vector(angular_velocity));
        self.world.set_velocity(body(handle), linear, angular).map_err(refused)?;
        self.arrays.refresh(py, &self.world);
        Ok(())
    }

    /// A force (N) and torque (N·m) about the centre of mass, for the next step.
    #[pyo3(signature = (handle, force, torque=[0.0; 3]))]
    fn add_force(&mut self, py: Python<'_>, handle: u64, force: [f64; 3], torque: [f64; 3]) -> PyResult<()> {
        self.rouse(py, handle, |world, body| world.add_force(body, vector(force), vector(torque)))
    }

    /// An impulse (N·s) at the centre of mass and an angular impulse (N·m·s), now.
    #[pyo3(signature = (handle, impulse, angular=[0.0; 3]))]
    fn add_impulse(
        &mut self,
        py: Python<'_>,
        handle: u64,
        impulse: [f64; 3],
        angular: [f64; 3],
    ) -> PyResult<()> {
        self.world.add_impulse(body(handle), vector(impulse), vector(angular)).map_err(refused)?;
        self.arrays.refresh(py, &self.world);
        Ok(())
    }

    /// Wakes a body.
    fn wake(&mut self, py: Python<'_>, handle: u64) -> PyResult<()> {
        self.rouse(py, handle, |world, body| world.wake(body))
    }

    /// Adds a material; returns its number.
    #[pyo3(signature = (name, *, density=2600.0, restitution=0.5, friction=0.2, rolling_friction=0.0))]
    fn add_material(
        &mut self,
        name: String,
        density: f32,
        restitution: f32,
        friction: f32,
        rolling_friction: f32,
    ) -> PyResult<u32> {
        let like = self
            .world
            .materials()
            .get(MaterialId::default())
            .cloned()
            .ok_or_else(|| refused("there are no materials"))?;
        let material = Material {
            name,
            density,
            restitution,
            // A pair has the sum of both.
            static_friction: friction / 2.0,
            kinetic_friction: friction / 2.0,
            rolling_friction: rolling_friction / 2.0,
            ..like
        };
        self.world.materials_mut().add(material).map(|id| id.0).map_err(refused)
    }

    /// What two materials have between them.
    #[pyo3(signature = (a, b, *, restitution, friction, rolling_friction=0.0))]
    fn set_pair(
        &mut self,
        a: u32,
        b: u32,
        restitution: f32,
        friction: f32,
        rolling_friction: f32,
    ) -> PyResult<()> {
        let pair = PairMaterial {
            restitution,
            static_friction: friction,
            kinetic_friction: friction,
            rolling_friction,
        };
        self.world.materials_mut().set_pair(MaterialId(a), MaterialId(b), pair).map_err(refused)
    }

    /// Adds a joint between two bodies, which wake; returns its handle.
    #[pyo3(signature = (kind, a, b, *, at=None, between=None, along=None, across=None, pitch=None, steering=None, suspension=None, linear_spring=None, angular_spring=None, limits=None, motor=None, friction=None, cone=None, breaks_above=None, collides=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add_joint(
        &mut self,
        py: Python<'_>,
        kind: String,
        a: u64,
        b: u64,
        at: Option<[f64; 3]>,
        between: Option<[[f64; 3]; 2]>,
        along: Option<[f64; 3]>,
        across: Option<[f64; 3]>,
        pitch: Option<f32>,
        steering: Option<f32>,
        suspension: Option<&Spring>,
        linear_spring: Option<&Spring>,
        angular_spring: Option<&Spring>,
        limits: Option<[f32; 2]>,
        motor: Option<&Motor>,
        friction: Option<f32>,
        cone: Option<f32>,
        breaks_above: Option<[f32; 2]>,
        collides: bool,
    ) -> PyResult<u64> {
        let motor = motor.map(|motor| motor.0);
        let ends = [a, b];
        let [suspension, linear_spring, angular_spring] =
            [suspension, linear_spring, angular_spring].map(|spring| spring.map(|spring| spring.0));
        let wanted = Wanted {
            kind,
            ends,
            at,
            between,
            along,
            across,
            pitch,
            steering,
            suspension,
            linear_spring,
            angular_spring,
            limits,
            motor,
            friction,
            cone,
            breaks_above,
            collides,
        };
        let handle = self.world.add_joint(&wanted.spec()?).map_err(refused)?;
        self.arrays.refresh_asleep(py, &self.world);
        Ok(joint_number(handle))
    }

    /// Couples coordinates of two joints; returns the handle of the joint that it is.
    #[pyo3(signature = (kind, first, second, *, ratio=None, axes=None, factors=None, limits=None, breaks_above=None, collides=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add_coupling(
        &mut self,
        py: Python<'_>,
        kind: String,
        first: u64,
        second: u64,
        ratio: Option<f32>,
        axes: Option<[String; 2]>,
        factors: Option<[f32; 2]>,
        limits: Option<[f64; 2]>,
        breaks_above: Option<[f32; 2]>,
        collides: bool,
    ) -> PyResult<u64> {
        let joints = [first, second];
        let wanted = WantedCoupling { kind, joints, ratio, axes, factors, limits, breaks_above, collides };
        let handle = self.world.add_coupling(&wanted.spec()?).map_err(refused)?;
        self.arrays.refresh_asleep(py, &self.world);
        Ok(joint_number(handle))
    }

    /// Sets what drives a coordinate of a joint, by default its main one; `None` for nothing. Its bodies wake.
    #[pyo3(signature = (handle, motor, axis=None))]
    fn set_motor(
        &mut self,
        py: Python<'_>,
        handle: u64,
        motor: Option<&Motor>,
        axis: Option<&str>,
    ) -> PyResult<()> {
        let at = self.axis_of(handle, axis)?;
        self.world.set_motor(joint(handle), at, motor.map(|motor| motor.0)).map_err(refused)?;
        self.arrays.refresh_asleep(py, &self.world);
        Ok(())
    }

    /// Sets the limits of a coordinate of a joint, m or rad, by default of its main one; infinite for none. Its bodies wake.
    #[pyo3(signature = (handle, limits, axis=None))]
    fn set_joint_limits(
        &mut self,
        py: Python<'_>,
        handle: u64,
        limits: [f32; 2],
        axis: Option<&str>,
    ) -> PyResult<()> {
        let at = self.axis_of(handle, axis)?;
        self.world.set_joint_limits(joint(handle), at, limits).map_err(refused)?;
        self.arrays.refresh_asleep(py, &self.world);
        Ok(())
    }

    /// Steers a wheel by an angle from straight on, rad; its bodies wake.
    fn set_steering(&mut self, py: Python<'_>, handle: u64, angle: f32) -> PyResult<()> {
        self.world.set_steering(joint(handle), angle).map_err(refused)?;
        self.arrays.refresh_asleep(py, &self.world);
        Ok(())
    }

    /// Makes joints an articulation: they are solved by their coordinates from now on; returns its handle.
    fn add_articulation(&mut self, py: Python<'_>, joints: Vec<u64>) -> PyResult<u64> {
        let joints: Vec<_> = joints.into_iter().map(joint).collect();
        let handle = self.world.add_articulation(&joints).map_err(refused)?;
        self.arrays.refresh_asleep(py, &self.world);
        Ok(articulation_number(handle))
    }

    /// Removes an articulation: its joints are constraints again.
    fn remove_articulation(&mut self, py: Python<'_>, handle: u64) -> PyResult<()> {
        self.world.remove_articulation(articulation(handle)).map_err(refused)?;
        self.arrays.refresh_asleep(py, &self.world);
        Ok(())
    }

    /// Removes a joint, and what couples it; its bodies wake.
    fn remove_joint(&mut self, py: Python<'_>, handle: u64) -> PyResult<()> {
        self.world.remove_joint(joint(handle)).map_err(refused)?;
        self.arrays.refresh_asleep(py, &self.world);
        Ok(())
    }

    /// A joint as it is.
    fn joint(&self, handle: u64) -> PyResult<JointState> {
        self.world.joint(joint(handle)).map(|state| JointState::of(&state)).map_err(refused)
    }

    /// Joints that broke in the last step.
    #[getter]
    fn broken_joints(&self) -> Vec<u64> {
        self.world.broken_joints().iter().copied().map(joint_number).collect()
    }

    /// Makes `count` steps of `dt` seconds; returns what the last one did. Other threads run meanwhile, and Ctrl-C ends it between two steps.
    #[pyo3(signature = (dt=1.0 / 60.0, count=1))]
    fn step(&mut self, py: Python<'_>, dt: f32, count: u64) -> PyResult<Report> {
        let mut left = count;
        let mut outcome = Ok(());
        while left > 0 && outcome.is_ok() {
            let world = &mut self.world;
            outcome = py.detach(|| {
                let begin = Instant::now();
                while left > 0 && begin.elapsed() < LOOK {
                    world.step(dt)?;
                    left -= 1;
                }
                Ok(())
            });
            if let Err(interrupt) = py.check_signals() {
                self.arrays.refresh(py, &self.world);
                return Err(interrupt);
            }
        }
        // A body that the engine made or took (a composite) changes their number.
        self.arrays.refresh(py, &self.world);
        outcome.map_err(|error: WorldError| refused(error))?;
        Ok(self.world.report().into())
    }

    /// What the last step did.
    #[getter]
    fn report(&self) -> Report {
        self.world.report().into()
    }

    /// Handles of all bodies, (n,): the order of the other arrays.
    #[getter]
    fn bodies<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        arrays::column(py, &mut self.arrays.bodies, || arrays::handles(&self.world))
    }

    /// Origins of all bodies, (n, 3), m. The array follows the world until a body comes or goes.
    #[getter]
    fn positions<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        arrays::table(py, &mut self.arrays.positions, 3, || arrays::positions(&self.world))
    }

    /// Rotations of all bodies, (n, 4), as (x, y, z, w); follows the world as `positions` does.
    #[getter]
    fn rotations<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        arrays::table(py, &mut self.arrays.rotations, 4, || arrays::rotations(&self.world))
    }

    /// Velocities of all bodies, (n, 6): m/s, then rad/s; follows the world as `positions` does.
    #[getter]
    fn velocities<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        arrays::table(py, &mut self.arrays.velocities, 6, || arrays::velocities(&self.world))
    }

    /// Which bodies are asleep, (n,); follows the world as `positions` does.
    #[getter]
    fn asleep<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        arrays::column(py, &mut self.arrays.asleep, || arrays::asleep(&self.world))
    }

    /// All contact points now.
    fn contacts(&self, py: Python<'_>) -> PyResult<Contacts> {
        Contacts::of(py, &self.world)
    }

    /// What happened since this was asked the last time; until then all is kept. Nothing with the setting `events.queue` off.
    fn events(&mut self) -> Vec<Event> {
        self.world.take_events().iter().map(Event::of).collect()
    }

    /// What a ray hits first, not farther than `max_distance` (m).
    #[pyo3(signature = (origin, direction, max_distance=f64::INFINITY))]
    fn cast_ray(&self, origin: [f64; 3], direction: [f64; 3], max_distance: f64) -> PyResult<Option<RayHit>> {
        let ray = Ray::new(position(origin), Displacement::from(direction)).map_err(refused)?;
        let found = self.world.cast_ray(&ray, max_distance, &QueryFilter::default()).map_err(refused)?;
        Ok(found.as_ref().map(RayHit::of))
    }

    /// What is likely to go badly with steps of `dt` seconds.
    #[pyo3(signature = (dt=1.0 / 60.0))]
    fn lint(&self, dt: f32) -> PyResult<Vec<LintFinding>> {
        Ok(self.world.lint(dt).map_err(refused)?.iter().map(LintFinding::of).collect())
    }

    /// All that the world carries from step to step.
    fn snapshot(&self) -> Snapshot {
        Snapshot(self.world.snapshot())
    }

    /// Goes back to a snapshot. Arrays follow when the bodies are the same ones as before the call; else ask for them anew.
    fn restore(&mut self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        let before = arrays::handles(&self.world);
        self.world.restore(&snapshot.0).map_err(refused)?;
        if arrays::handles(&self.world) == before {
            self.arrays.refresh(py, &self.world);
        } else {
            self.arrays.forget();
        }
        Ok(())
    }

    /// Names and values of all settings.
    #[getter]
    fn settings(&self) -> Vec<(&'static str, String)> {
        self.world.config().fields()
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.world.time()
    }

    /// Kinetic energy of all bodies, J.
    #[getter]
    fn kinetic_energy(&self) -> f64 {
        self.world.kinetic_energy()
    }

    /// A hash of the state of all bodies: equal worlds hash equal, on every machine and at any number of threads.
    #[getter]
    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    fn __len__(&self) -> usize {
        self.world.body_count()
    }

    fn __repr__(&self) -> String {
        format!("<World of {} bodies at {:.6} s>", self.world.body_count(), self.world.time())
    }
}
