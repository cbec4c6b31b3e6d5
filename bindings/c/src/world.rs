//! Settings, worlds, steps, snapshots.

use crate::body::{ds_body, number};
use crate::call::{Failure, call, change, ds_status, give, read, text};
use crate::collider::ds_vec3;
use drystone::{EventConfig, Exec, Snapshot, World, WorldConfig};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Settings of a world.
#[derive(Debug)]
pub struct ds_config(WorldConfig);

/// Bodies in contact, and what advances them.
#[derive(Debug)]
pub struct ds_world {
    world: World,
    has_failed: bool,
}

/// The state of a world between two steps.
#[derive(Debug)]
pub struct ds_snapshot(Snapshot);

impl ds_world {
    /// The world, unless a call of it failed where it must not.
    pub(crate) fn alive(&mut self) -> Result<&mut World, Failure> {
        if self.has_failed { Err(Failure::panicked()) } else { Ok(&mut self.world) }
    }

    pub(crate) fn to_read(&self) -> Result<&World, Failure> {
        if self.has_failed { Err(Failure::panicked()) } else { Ok(&self.world) }
    }

    /// Changes the world; what panics is not used again.
    pub(crate) fn change<T>(
        &mut self,
        body: impl FnOnce(&mut World) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let world = self.alive()?;
        match catch_unwind(AssertUnwindSafe(|| body(world))) {
            Ok(outcome) => outcome,
            Err(payload) => {
                self.has_failed = true;
                resume_unwind(payload)
            }
        }
    }
}

/// What one step did.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ds_report {
    /// Number of the step, from 0, and time after it, s.
    pub step: u64,
    pub time: f64,
    pub bodies: u32,
    pub awake: u32,
    pub asleep: u32,
    pub contacts: u32,
    pub joints: u32,
    pub broken_joints: u32,
    pub islands: u32,
    pub iterations: u64,
    /// No contact closes faster than the threshold, no joint is apart by more than a hundredth of its arms or turned by more than 0.01 rad where that is
    /// locked, and no energy grew from nothing.
    pub is_solved: bool,
    /// Joints that are apart, and joints that are turned by more.
    pub unsolved_joints: u32,
    pub turned_joints: u32,
    /// Energy that an island of bodies gained from nothing, J; 0 where none did. The setting "energy_check" says which islands are looked at: "off" (the default), "joints" or "all".
    pub energy_grown: f64,
    /// The body of that island whose kinetic energy grew most; none where `energy_grown` is 0.
    pub energy_grown_body: ds_body,
    /// Largest closing speed left, m/s.
    pub worst_residual: f32,
    /// Deepest overlap, m.
    pub worst_overlap: f32,
    /// Limits that were reached.
    pub limit_hits: u32,
    /// Bodies that were taken out since their state was no number.
    pub quarantined: u32,
    /// Time that the step took, s.
    pub seconds: f64,
}

impl From<&drystone::StepReport> for ds_report {
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
            energy_grown: report.energy_growth.map_or(0.0, |growth| growth.joules),
            energy_grown_body: report.energy_growth.map_or(0, |growth| number(growth.body)),
            worst_residual: report.worst_residual,
            worst_overlap: report.worst_overlap,
            limit_hits: report.limit_hits,
            quarantined: report.quarantined.len() as u32,
            seconds: report.stages().map(|(_, time)| time.as_secs_f64()).sum(),
        }
    }
}

/// The settings of a name: "fast", "fine", "nsgs", "lcp", "qp_suite", "thesis_fast" or "thesis_accurate".
///
/// Events gather until `ds_world_take_events`, without bound; who never calls it sets "events.queue" to "false" (`ds_config_set`).
///
/// # Safety
/// `preset` ends with a zero; `config` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_config_create(preset: *const c_char, config: *mut *mut ds_config) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let settings = WorldConfig::preset(unsafe { text(preset, "preset") }?)?;
        // Who asks after many steps is told of all of them.
        let settings = WorldConfig { events: EventConfig { queue: true, ..settings.events }, ..settings };
        if config.is_null() {
            return Err(Failure::null("config"));
        }
        // SAFETY: as the caller promises.
        unsafe { give(config, Box::into_raw(Box::new(ds_config(settings))), "config") }
    })
}

/// Sets a setting from text, for example "sub_step.sweeps" to "2"; the error names those that there are.
///
/// # Safety
/// `config` is one; the texts end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_config_set(
    config: *mut ds_config,
    name: *const c_char,
    value: *const c_char,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let (config, name, value) =
            unsafe { (change(config, "config")?, text(name, "name")?, text(value, "value")?) };
        Ok(config.0.set_field(name, value)?)
    })
}

/// Sets gravity, m/s².
///
/// # Safety
/// `config` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_config_set_gravity(config: *mut ds_config, gravity: ds_vec3) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let config = unsafe { change(config, "config") }?;
        let changed = WorldConfig { gravity: gravity.into(), ..config.0.clone() };
        changed.validate()?;
        config.0 = changed;
        Ok(())
    })
}

/// Whether touches that begin fast are told as hits, and from which closing speed on, m/s.
///
/// # Safety
/// `config` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_config_tell_hits(config: *mut ds_config, tell: bool, speed: f32) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let config = unsafe { change(config, "config") }?;
        let events = EventConfig { hit: tell, hit_speed: speed, ..config.0.events.clone() };
        let changed = WorldConfig { events, ..config.0.clone() };
        changed.validate()?;
        config.0 = changed;
        Ok(())
    })
}

/// Destroys settings; null is nothing.
///
/// # Safety
/// `config` is null, or one that is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_config_destroy(config: *mut ds_config) {
    if !config.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(config) });
    }
}

/// An empty world that steps on so many threads; null settings are those of "fast", with which events gather (`ds_config_create`). Motion is
/// the same with any number of threads.
///
/// # Safety
/// `config` is null or one; `world` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_create(
    config: *const ds_config,
    threads: usize,
    world: *mut *mut ds_world,
) -> ds_status {
    call(|| {
        if world.is_null() {
            return Err(Failure::null("world"));
        }
        // SAFETY: as the caller promises.
        let settings = match unsafe { config.as_ref() } {
            Some(config) => config.0.clone(),
            None => {
                let fast = WorldConfig::fast();
                WorldConfig { events: EventConfig { queue: true, ..fast.events.clone() }, ..fast }
            }
        };
        let made =
            ds_world { world: World::with_exec(settings, Exec::with_threads(threads)?)?, has_failed: false };
        // SAFETY: as the caller promises.
        unsafe { give(world, Box::into_raw(Box::new(made)), "world") }
    })
}

/// Destroys a world; null is nothing.
///
/// # Safety
/// `world` is null, or one that is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_destroy(world: *mut ds_world) {
    if !world.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(world) });
    }
}

/// Makes one step of `dt` seconds. `report` may be null.
///
/// # Safety
/// `world` is one; `report` is null or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_step(world: *mut ds_world, dt: f32, report: *mut ds_report) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { change(world, "world") }?;
        let told = world.change(|world| Ok(ds_report::from(world.step(dt)?)))?;
        if report.is_null() {
            return Ok(());
        }
        // SAFETY: as the caller promises.
        unsafe { give(report, told, "report") }
    })
}

/// Simulated time, s.
///
/// # Safety
/// `world` is one; `time` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_time(world: *const ds_world, time: *mut f64) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { give(time, read(world, "world")?.to_read()?.time(), "time") })
}

/// A hash of the state of all bodies: equal worlds hash equal, on every machine and at any number of threads.
///
/// # Safety
/// `world` is one; `hash` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_state_hash(world: *const ds_world, hash: *mut u64) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { give(hash, read(world, "world")?.to_read()?.state_hash(), "hash") })
}

/// All that the world carries from step to step.
///
/// # Safety
/// `world` is one; `snapshot` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_snapshot(
    world: *const ds_world,
    snapshot: *mut *mut ds_snapshot,
) -> ds_status {
    call(|| {
        if snapshot.is_null() {
            return Err(Failure::null("snapshot"));
        }
        // SAFETY: as the caller promises.
        let taken = unsafe { read(world, "world") }?.to_read()?.snapshot();
        // SAFETY: as the caller promises.
        unsafe { give(snapshot, Box::into_raw(Box::new(ds_snapshot(taken))), "snapshot") }
    })
}

/// Goes back to a snapshot of this world, or of one with the same settings.
///
/// # Safety
/// `world` and `snapshot` are one each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_restore(world: *mut ds_world, snapshot: *const ds_snapshot) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let (world, snapshot) = unsafe { (change(world, "world")?, read(snapshot, "snapshot")?) };
        world.change(|world| Ok(world.restore(&snapshot.0)?))
    })
}

/// Destroys a snapshot; null is nothing.
///
/// # Safety
/// `snapshot` is null, or one that is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_snapshot_destroy(snapshot: *mut ds_snapshot) {
    if !snapshot.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(snapshot) });
    }
}
