//! The plugin: what runs when.

use crate::{Happened, JointBroke, Physics, Refused, StepClock, read_in, step, write_out};
use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::prelude::{IntoScheduleConfigs, World as Ecs};
use bevy_ecs::schedule::{ScheduleLabel, SystemSet};
use bevy_transform::TransformSystems;
use drystone::{Exec, ExecError, World, WorldConfig, WorldError};

/// Rate of steps unless said, Hz.
const RATE: f64 = 60.0;

/// What the plugin adds to a frame's [`PostUpdate`], and to a step's [`PhysicsStep`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, SystemSet)]
pub enum PhysicsSet {
    /// In `PostUpdate`, before transforms are propagated: the steps that are due, and where they leave entities.
    Drive,
    /// In `PhysicsStep`: systems of yours that must run once a step, before it.
    Before,
    /// In `PhysicsStep`: the step.
    Step,
    /// In `PhysicsStep`: systems of yours that must run once a step, after it.
    After,
}

/// Runs once a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ScheduleLabel)]
pub struct PhysicsStep;

/// Rigid bodies in contact, for an [`App`].
///
/// In `PostUpdate` it takes what entities say (added, changed, removed), steps as often as is due, and puts `Transform`s where bodies are
/// shown: between the last two steps, as far as time has come.
#[derive(Clone, Debug)]
pub struct DrystonePlugin {
    config: WorldConfig,
    threads: usize,
    clock: StepClock,
}

impl DrystonePlugin {
    /// With the settings of a world, 60 steps a second of real time, on one thread.
    ///
    /// # Errors
    /// The first setting out of range.
    pub fn new(config: WorldConfig) -> Result<Self, WorldError> {
        World::new(config.clone())?;
        Ok(Self { config, threads: 1, clock: StepClock::wall(RATE) })
    }

    /// How long steps are, and where time comes from.
    ///
    /// # Panics
    /// A rate whose steps would not take more than 0 s and at most 1 s, or a fixed frame that is negative or no number: there is no world to be had
    /// with it.
    pub fn clock(self, clock: StepClock) -> Self {
        if let Err(error) = clock.check() {
            panic!("{error}");
        }
        if let crate::ClockSource::Fixed(seconds) = clock.source() {
            assert!(
                seconds.is_finite() && seconds >= 0.0,
                "a frame must be worth 0 s or more, got {seconds} s"
            );
        }
        Self { clock, ..self }
    }

    /// How many threads of the engine's own steps take; motion is the same with any number.
    ///
    /// # Errors
    /// A number that there cannot be.
    pub fn threads(self, threads: usize) -> Result<Self, ExecError> {
        Exec::with_threads(threads)?;
        Ok(Self { threads, ..self })
    }
}

impl Plugin for DrystonePlugin {
    fn build(&self, app: &mut App) {
        let exec = Exec::with_threads(self.threads).expect("it was tried when it was asked for");
        let world = World::with_exec(self.config.clone(), exec).expect("it was tried when it was asked for");
        app.insert_resource(Physics::new(world)).insert_resource(self.clock.clone());
        app.add_message::<Happened>().add_message::<JointBroke>().add_message::<Refused>();
        app.add_systems(PostUpdate, drive.in_set(PhysicsSet::Drive).before(TransformSystems::Propagate));
        app.configure_sets(PhysicsStep, (PhysicsSet::Before, PhysicsSet::Step, PhysicsSet::After).chain());
        app.add_systems(PhysicsStep, (read, step::step).chain().in_set(PhysicsSet::Step));
        read_in::add_systems(app);
        app.add_systems(write_out::WriteOut, (write_out::bodies, write_out::children).chain());
    }
}

/// A frame: the steps that are due.
fn drive(ecs: &mut Ecs) {
    if let Err(error) = ecs.resource::<StepClock>().check() {
        let clock = ecs.component_id::<StepClock>().and_then(|id| ecs.resource_entities().get(id));
        let entity = clock.expect("a resource that is there is on an entity");
        ecs.write_message(Refused { entity, error });
    }
    let due = ecs.resource_mut::<StepClock>().due();
    if due == 0 {
        // What was added is there, what was removed is gone, with the frame.
        read(ecs);
    }
    for _ in 0..due {
        ecs.run_schedule(PhysicsStep);
    }
    ecs.run_schedule(write_out::WriteOut);
}

/// What entities say since the last time, read in one place so that it is read once.
fn read(ecs: &mut Ecs) {
    ecs.run_schedule(read_in::ReadIn);
}
