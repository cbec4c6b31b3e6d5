//! A run, step by step.

use super::build::{BuiltShape, add_body, add_materials, build_shape};
use super::joint::{articulate, couple, join};
use super::logic::{add_rules_and_timers, fasten, follow};
use super::metrics::{Contacts, Tracked, quality, stretch, total_kinetic_energy};
use super::options::{Preset, RunOptions, Schedule};
use super::outcome::{History, JointQuality, Outcome, SnapshotCost, StepTimes};
use crate::error::SceneError;
use crate::model::{Action, Scene};
use drystone::math::Vector3;
use drystone::{BodyHandle, CompositeHandle, Exec, JointHandle, Recording, StepReport, World};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Something due, and when, s.
#[derive(Clone, Copy, Debug)]
struct Timed {
    at: f64,
    due: Due,
}

/// Something due at the beginning of the step that begins nearest to its time.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// The body with this index enters.
    Appear(usize),
    /// The composite with this index is made.
    Fasten(usize),
    /// The coupling with this index is made.
    Couple(usize),
    /// The joint with this index is made.
    Join(usize),
    /// The articulation with this index is made.
    Articulate(usize),
    /// The action with this index happens.
    Act(usize),
}

/// A scene being run.
///
/// ```no_run
/// use drystone_scenes::{RunOptions, Runner, scene};
/// let mut runner = Runner::new(&scene("tower")?, &RunOptions::default())?;
/// while runner.step()? {
///     println!("{:.3} s", runner.time());
/// }
/// println!("drift {} m", runner.finish().quality.drift_max_m);
/// # Ok::<(), drystone_scenes::SceneError>(())
/// ```
#[derive(Debug)]
pub struct Runner {
    scene: Scene,
    options: RunOptions,
    schedule: Schedule,
    sleep_enabled: bool,
    world: World,
    tracked: Vec<Tracked>,
    /// Bodies of the scene by name.
    places: BTreeMap<String, usize>,
    /// Of each composite of the scene, while it is whole.
    composites: Vec<Option<CompositeHandle>>,
    /// Joints that were made; some may be broken.
    joints: Vec<Option<JointHandle>>,
    /// Simulated time before the rate last changed, s, and the steps taken until then.
    before: (f64, u64),
    /// What is due, by time; `next` is the first that did not happen.
    due: Vec<Timed>,
    next: usize,
    report: Option<StepReport>,
    stages: Vec<(&'static str, Duration)>,
    /// After the last step.
    contacts: Contacts,
    pen_run_max: f64,
    stretch_run_max: f64,
    broken_joints: u32,
    contacts_max: u32,
    iterations: u64,
    unsolved_steps: u64,
    worst_residual: f64,
    history: History,
}

impl Runner {
    /// Builds the world. Nothing has moved yet.
    ///
    /// # Errors
    /// An invalid scene or option, or what the engine refuses.
    pub fn new(scene: &Scene, options: &RunOptions) -> Result<Self, SceneError> {
        scene.validate()?;
        options.check_threads()?;
        let schedule = options.schedule(scene)?;
        let config = options.config(scene)?;
        let sleep_enabled = config.sleeping.enabled;
        let exec =
            if options.threads == 1 { Ok(Exec::serial()) } else { Exec::with_threads(options.threads) };
        let exec = exec.map_err(|error| SceneError::Option {
            option: "threads",
            expected: format!("a number that this machine can start ({error})"),
            found: options.threads.to_string(),
        })?;
        let mut world = World::with_exec(config, exec)?;
        add_materials(&mut world, scene)?;
        add_rules_and_timers(&mut world, scene)?;
        let tracked = track(scene, &world)?;
        let mut runner = Self {
            before: (0.0, 0),
            due: due(scene, &schedule),
            scene: scene.clone(),
            options: options.clone(),
            schedule,
            sleep_enabled,
            world,
            tracked,
            places: scene.bodies.iter().enumerate().map(|(i, body)| (body.name.clone(), i)).collect(),
            composites: vec![None; scene.composites.len()],
            joints: vec![None; scene.joints.len()],
            next: 0,
            report: None,
            stages: Vec::new(),
            contacts: Contacts::default(),
            pen_run_max: 0.0,
            stretch_run_max: 0.0,
            broken_joints: 0,
            contacts_max: 0,
            iterations: 0,
            unsolved_steps: 0,
            worst_residual: 0.0,
            history: History::default(),
        };
        runner.act()?;
        Ok(runner)
    }

    /// Takes a step; false, and nothing done, when all are taken.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn step(&mut self) -> Result<bool, SceneError> {
        if self.step_count() == self.schedule.step_count {
            return Ok(false);
        }
        self.act()?;
        let count = |options: &RunOptions| options.allocation_count.map(|count| count());
        let allocations = count(&self.options);
        let start = Instant::now();
        let result = self.world.step(self.schedule.dt());
        let elapsed = start.elapsed();
        let after = count(&self.options);
        let report = result?.clone();
        if let (Some(before), Some(after)) = (allocations, after) {
            self.history.allocations.push(u32::try_from(after - before).unwrap_or(u32::MAX));
        }
        self.note(&report, elapsed);
        self.report = Some(report);
        Ok(true)
    }

    /// Keeps what a step says.
    fn note(&mut self, report: &StepReport, elapsed: Duration) {
        for (name, time) in report.stages() {
            match self.stages.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += time,
                None => self.stages.push((name, time)),
            }
        }
        self.contacts = Contacts::of(&self.world);
        self.pen_run_max = self.pen_run_max.max(self.contacts.deepest);
        self.stretch_run_max = self.stretch_run_max.max(stretch(&self.world));
        self.broken_joints += report.broken_joints;
        self.contacts_max = self.contacts_max.max(self.contacts.count);
        self.iterations += report.iterations;
        self.unsolved_steps += u64::from(!report.is_solved);
        self.worst_residual = self.worst_residual.max(f64::from(report.worst_residual));
        for handle in &report.quarantined {
            if let Some(body) = self.tracked.iter_mut().find(|b| b.handle == Some(*handle)) {
                body.is_quarantined = true;
            }
        }
        self.history.step_ns.push(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
        self.history.asleep.push(report.asleep);
        self.history.contacts.push(self.contacts.count);
    }

    /// Does what is due at the beginning of the next step.
    fn act(&mut self) -> Result<(), SceneError> {
        let (began, first) = self.before;
        let now = self.step_count() - first;
        let schedule = self.schedule;
        let is_due = |timed: &Timed| schedule.step_at((timed.at - began).max(0.0)) <= now;
        while let Some(timed) = self.due.get(self.next).copied().filter(is_due) {
            match timed.due {
                Due::Appear(index) => {
                    let (body, tracked) = (&self.scene.bodies[index], &mut self.tracked[index]);
                    let handle = add_body(&mut self.world, index, body, &tracked.shape)?;
                    tracked.handle = Some(handle);
                    follow(&mut self.world, index, body, handle)?;
                }
                Due::Fasten(index) => {
                    let (scene, tracked, places) = (&self.scene, &self.tracked, &self.places);
                    let body = |name: &str| tracked[*places.get(name)?].handle;
                    self.composites[index] = Some(fasten(&mut self.world, scene, index, body)?);
                }
                Due::Join(index) => {
                    let (scene, tracked, places) = (&self.scene, &self.tracked, &self.places);
                    let body = |name: &str| tracked[*places.get(name)?].handle;
                    self.joints[index] = Some(join(&mut self.world, index, &scene.joints[index], body)?);
                }
                Due::Couple(index) => {
                    let (scene, joints) = (&self.scene, &self.joints);
                    let named =
                        |name: &str| scene.joints.iter().position(|j| j.name.as_deref() == Some(name));
                    let joint = |name: &str| joints[named(name)?];
                    couple(&mut self.world, index, &scene.couplings[index], joint)?;
                }
                Due::Articulate(index) => {
                    let (entry, joints) = (&self.scene.articulations[index], &self.joints);
                    let joint = |at: usize| joints.get(at).copied().flatten();
                    articulate(&mut self.world, index, entry, joint)?;
                }
                Due::Act(index) => self.perform(index)?,
            }
            self.next += 1;
        }
        Ok(())
    }

    fn perform(&mut self, index: usize) -> Result<(), SceneError> {
        let world = &mut self.world;
        let place = |name: &String| self.places.get(name).copied();
        match &self.scene.actions[index].action {
            Action::SetGravity { gravity } => world.set_gravity(Vector3::from(*gravity))?,
            Action::SetVelocity { body, linear, angular } => {
                // A body that is not there yet, or no longer, has no velocity to set.
                if let Some(handle) = place(body).and_then(|i| self.tracked[i].handle) {
                    world.set_velocity(handle, Vector3::from(*linear), Vector3::from(*angular))?;
                }
            }
            Action::SetSurfaceVelocity { body, velocity } => {
                if let Some(handle) = place(body).and_then(|i| self.tracked[i].handle) {
                    let colliders: Vec<_> = world.colliders_of(handle)?.collect();
                    for collider in colliders {
                        world.set_surface_velocity(collider, Vector3::from(*velocity))?;
                    }
                }
            }
            Action::Unfasten { composite } => {
                let index = self.scene.composites.iter().position(|c| c.name == *composite);
                let handle = index.and_then(|i| self.composites[i].take());
                // One whose bodies were removed is gone already.
                if let Some(handle) = handle.filter(|&handle| world.composite(handle).is_ok()) {
                    world.unfasten(handle)?;
                }
            }
            Action::Remove { body } => {
                if let Some(handle) = place(body).and_then(|i| self.tracked[i].handle.take()) {
                    world.remove_body(handle)?;
                }
            }
        }
        Ok(())
    }

    /// Starts a recording of what steps do on which thread; see [`World::start_recording`].
    pub fn start_recording(&mut self, spans_per_thread: usize) {
        self.world.start_recording(spans_per_thread);
    }

    /// Ends the recording and returns it; `None` when there was none.
    pub fn stop_recording(&mut self) -> Option<Recording> {
        self.world.stop_recording()
    }

    /// The scene being run.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, for whoever pushes or throws something into it. The run's measures are about the bodies of the scene alone.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Puts another method in place of the preset's, for whoever measures one.
    ///
    /// # Errors
    /// As [`World::set_solver`].
    pub fn set_solver(&mut self, solver: Box<dyn drystone::Solver>) -> Result<(), SceneError> {
        Ok(self.world.set_solver(solver)?)
    }

    /// Goes on with another preset: its settings, with the same overrides, and where none was asked for its rate; the run ends at the same time. The broad
    /// phase stays what it is, which changes no motion.
    ///
    /// ```
    /// use drystone_scenes::{Preset, RunOptions, Runner, scene};
    /// let options = RunOptions { seconds: Some(0.5), ..RunOptions::default() };
    /// let mut runner = Runner::new(&scene("tower")?, &options)?;
    /// runner.step()?;
    /// runner.switch(Preset::Nsgs)?;
    /// while runner.step()? {}
    /// assert!((runner.time() - 0.5).abs() < 1e-9);
    /// # Ok::<(), drystone_scenes::SceneError>(())
    /// ```
    ///
    /// # Errors
    /// An override that the preset does not have, a method that would leave joints unsolved, or more steps than a run may have; nothing changes.
    pub fn switch(&mut self, preset: Preset) -> Result<(), SceneError> {
        let options = RunOptions { preset, ..self.options.clone() };
        let whole = options.schedule(&self.scene)?;
        let mut config = options.config(&self.scene)?;
        let present = self.world.config();
        config.detection.broad_phase.clone_from(&present.detection.broad_phase);
        // Actions of the scene may have changed it.
        config.gravity = present.gravity;
        let sleep_enabled = config.sleeping.enabled;
        self.world.set_config(config)?;
        let time = self.time();
        let total = options.seconds.unwrap_or(self.scene.seconds);
        let left = ((total - time) * whole.hz).round().max(0.0) as u64;
        self.before = (time, self.step_count());
        self.schedule = Schedule { hz: whole.hz, step_count: self.step_count() + left };
        (self.options, self.sleep_enabled) = (options, sleep_enabled);
        Ok(())
    }

    /// What the last step said; `None` before the first one.
    pub fn report(&self) -> Option<&StepReport> {
        self.report.as_ref()
    }

    /// Throws switches of coherence, for whoever compares them in one run.
    ///
    /// # Errors
    /// As [`World::set_coherence`].
    pub fn set_coherence(&mut self, coherence: drystone::CoherenceConfig) -> Result<(), SceneError> {
        Ok(self.world.set_coherence(coherence)?)
    }

    /// When the steps are.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// Steps taken.
    pub fn step_count(&self) -> u64 {
        self.history.step_ns.len() as u64
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        let (began, first) = self.before;
        began + (self.step_count() - first) as f64 / self.schedule.hz
    }

    /// Values of each step so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The body of the scene with this index, while it is in the world.
    pub fn body(&self, index: usize) -> Option<BodyHandle> {
        self.tracked.get(index)?.handle
    }

    /// The shape of the body of the scene with this index.
    pub fn shape(&self, index: usize) -> Option<&BuiltShape> {
        self.tracked.get(index).map(|body| &body.shape)
    }

    /// Kinetic energy of the dynamic bodies, J.
    pub fn kinetic_energy(&self) -> f64 {
        total_kinetic_energy(&self.world, &self.tracked)
    }

    /// Deepest overlap after the last step, m.
    pub fn deepest_overlap(&self) -> f64 {
        self.contacts.deepest
    }

    /// Ends the run, which may be before its last step.
    pub fn finish(mut self) -> Outcome {
        let dynamic = |h: &Tracked| h.is_dynamic;
        let steps = self.step_count();
        let snapshot = snapshot_cost(&mut self.world);
        let last = self.report.as_ref();
        Outcome {
            preset: self.options.preset.name(),
            hz: self.schedule.hz,
            threads: self.options.threads,
            sleep_enabled: self.sleep_enabled,
            bodies: self.tracked.iter().filter(|b| dynamic(b)).count(),
            steps,
            sim_seconds: self.time(),
            times: StepTimes::of(&self.history.step_ns),
            quality: quality(&self.world, &self.scene, &self.tracked, self.pen_run_max),
            joints: JointQuality {
                count: self.world.joint_count(),
                broken: self.broken_joints,
                stretch_run_max_m: self.stretch_run_max,
                stretch_end_max_m: stretch(&self.world),
            },
            sleeping_end: last.map_or(0, |r| r.asleep as usize),
            contacts_max: self.contacts_max,
            contacts_end: self.contacts.count,
            islands_end: last.map_or(0, |r| r.islands),
            iterations: self.iterations,
            unsolved_steps: self.unsolved_steps,
            worst_residual: self.worst_residual,
            allocations_per_step: self.history.allocations_per_step(),
            state_hash: self.world.state_hash(),
            snapshot,
            scene: self.scene.name,
            stages: self.stages,
            history: self.history,
        }
    }
}

/// Takes a snapshot twice, the second time in the memory of the first one, and puts it back.
fn snapshot_cost(world: &mut World) -> SnapshotCost {
    let mut snapshot = world.snapshot();
    let start = Instant::now();
    world.snapshot_into(&mut snapshot);
    let taken = Instant::now();
    let restored = world.restore(&snapshot);
    debug_assert_eq!(restored, Ok(()), "it is the world's own");
    SnapshotCost { bytes: snapshot.bytes(), take: taken - start, restore: taken.elapsed() }
}

fn track(scene: &Scene, world: &World) -> Result<Vec<Tracked>, SceneError> {
    let table = world.materials();
    let mut tracked = Vec::with_capacity(scene.bodies.len());
    for (index, body) in scene.bodies.iter().enumerate() {
        let refused = |reason: String| SceneError::Refused {
            path: format!("bodies[{index}]"),
            name: body.name.clone(),
            reason,
        };
        let shape = build_shape(&body.shape).map_err(|e| refused(e.to_string()))?;
        let material = table.find(&body.material).map_err(|e| refused(e.to_string()))?;
        let density = table.get(material).map_or(0.0, |m| m.density);
        tracked.push(Tracked::new(scene, body, shape, density));
    }
    Ok(tracked)
}

/// What happens when. Bodies appear before the composites, joints, couplings, articulations and actions of the same step, which may be about them.
fn due(scene: &Scene, schedule: &Schedule) -> Vec<Timed> {
    let appears: BTreeMap<&str, f64> =
        scene.bodies.iter().map(|body| (body.name.as_str(), body.appears)).collect();
    let last = |bodies: &[String]| {
        let appear = |name: &String| appears.get(name.as_str()).copied().unwrap_or(0.0);
        bodies.iter().map(appear).fold(0.0, f64::max)
    };
    let timed = |at: f64, due: Due| Timed { at, due };
    let bodies = scene.bodies.iter().enumerate().map(|(i, b)| timed(b.appears, Due::Appear(i)));
    let actions = scene.actions.iter().enumerate().map(|(i, a)| timed(a.at, Due::Act(i)));
    let composites = scene.composites.iter().enumerate().map(|(i, c)| timed(last(&c.bodies), Due::Fasten(i)));
    let joints = scene.joints.iter().enumerate().map(|(i, j)| timed(last(&j.bodies), Due::Join(i)));
    let of_name = |name: &String| {
        let named = scene.joints.iter().find(|joint| joint.name.as_ref() == Some(name));
        named.map_or(0.0, |joint| last(&joint.bodies))
    };
    let couplings = scene.couplings.iter().enumerate().map(|(i, c)| {
        let at = c.joints.iter().map(of_name).fold(0.0, f64::max);
        timed(at, Due::Couple(i))
    });
    let of_joint = |&at: &usize| scene.joints.get(at).map_or(0.0, |joint| last(&joint.bodies));
    let articulations = scene.articulations.iter().enumerate().map(|(i, articulation)| {
        timed(articulation.joints.iter().map(of_joint).fold(0.0, f64::max), Due::Articulate(i))
    });
    let all = bodies.chain(composites).chain(joints).chain(couplings).chain(articulations).chain(actions);
    let mut due: Vec<Timed> = all.collect();
    due.sort_by_key(|timed| schedule.step_at(timed.at));
    due
}
