//! One run, and the same run interrupted at every step.

use crate::common::*;
use drystone::math::{StateHasher, Vector3};
use drystone::{BodyKind, Snapshot, World, WorldConfig};

/// A scene, and what is done to it on the way.
pub(crate) struct Play {
    name: String,
    scene: Scene,
    config: WorldConfig,
    hz: f32,
    steps: u64,
    begin: fn(&mut Run),
    edit: fn(&mut World, u64),
}

/// Steps that a world goes wrong for, and those that one restored elsewhere is followed for.
const ASTRAY: u64 = 2;
const FOLLOWED: u64 = 12;

impl Play {
    pub(crate) fn new(name: &str, scene: Scene, config: WorldConfig, hz: f32, seconds: f32) -> Self {
        // Slow presets take their time: as many steps as 60 per second would be, and half as many again.
        let steps = (seconds * hz.min(90.0)) as u64;
        Self { name: name.into(), scene, config, hz, steps, begin: |_| {}, edit: |_, _| {} }
    }

    /// With this done before the first step.
    pub(crate) fn begun(self, begin: fn(&mut Run)) -> Self {
        Self { begin, ..self }
    }

    /// With this done before every step; it must follow from the world and the number of the step.
    pub(crate) fn edited(self, edit: fn(&mut World, u64)) -> Self {
        Self { edit, ..self }
    }

    fn start(&self, threads: usize) -> World {
        let mut run = self.scene.start(&self.config, threads);
        (self.begin)(&mut run);
        run.world
    }

    fn step(&self, world: &mut World, step: u64) -> u64 {
        (self.edit)(world, step);
        world.step(1.0 / self.hz).expect("the step size is valid");
        digest(world)
    }

    /// Interrupts the run before every step. Returns how many bodies sleep at the end.
    pub(crate) fn check(self) -> u32 {
        let mut world = self.start(1);
        let reference: Vec<u64> = (0..self.steps).map(|step| self.step(&mut world, step)).collect();
        let asleep = world.report().asleep;
        for threads in [1, 2] {
            let mut world = self.start(threads);
            let mut snapshot = Snapshot::default();
            for step in 0..self.steps {
                world.snapshot_into(&mut snapshot);
                self.check_ahead(&mut world, step, &reference);
                world.restore(&snapshot).expect("the same world");
                if step % (self.steps / 4) == 2 {
                    self.check_elsewhere(&snapshot, 3 - threads, step, &reference);
                }
                let what = format!("{} with {threads} threads, restored before step {step}", self.name);
                assert_eq!(self.step(&mut world, step), reference[step as usize], "{what}");
            }
        }
        asleep
    }

    /// Goes on for a while, rightly or astray.
    fn check_ahead(&self, world: &mut World, step: u64, reference: &[u64]) {
        for ahead in step..(step + ASTRAY).min(self.steps) {
            if step.is_multiple_of(2) {
                let what = format!("{} going on from step {step} at {ahead}", self.name);
                assert_eq!(self.step(world, ahead), reference[ahead as usize], "{what}");
            } else {
                go_astray(world, ahead);
                world.step(1.0 / self.hz).expect("the step size is valid");
            }
        }
    }

    /// Goes on in a world built by the same calls, and in one that is empty.
    fn check_elsewhere(&self, snapshot: &Snapshot, threads: usize, step: u64, reference: &[u64]) {
        let copy = snapshot.clone();
        let empty = Scene { bodies: Vec::new(), ..self.scene.clone() };
        for mut world in [self.start(threads), empty.start(&self.config, threads).world] {
            let bodies = world.body_count();
            world.restore(&copy).expect("the same settings");
            for later in step..(step + FOLLOWED).min(self.steps) {
                let what = format!("{} in a world of {bodies} bodies, {later} after step {step}", self.name);
                assert_eq!(self.step(&mut world, later), reference[later as usize], "{what}");
            }
        }
    }
}

/// Does to a world what its run does not: what is added, removed, pushed, put elsewhere and pulled must all be undone.
fn go_astray(world: &mut World, step: u64) {
    let dynamic: Vec<_> = world.bodies().filter(|b| b.kind == BodyKind::Dynamic && b.is_active).collect();
    for k in 0..3 {
        world.add_body(ball(0.06, 0.1 * f64::from(k), 0.3, 0.0)).expect("valid");
    }
    if let Some(body) = dynamic.get(step as usize % dynamic.len().max(1)) {
        // Bodies of composites cannot be removed.
        let _ = world.remove_body(body.handle);
    }
    if let Some(body) = dynamic.last() {
        let _ = world.add_impulse(body.handle, Vector3::new(1.0, 0.5, 0.0), Vector3::repeat(0.01));
    }
    world.set_gravity(Vector3::new(3.0, -4.0, 1.0)).expect("finite");
}

/// All that users can see of a world: bodies, contacts, what the step tells.
fn digest(world: &World) -> u64 {
    let mut hasher = StateHasher::new();
    hasher.write_u64(world.state_hash());
    hasher.write_f64(world.time());
    for contact in world.contacts() {
        contact.point.iter().for_each(|&c| hasher.write_f64(c));
        contact.normal.iter().chain(contact.impulse.iter()).for_each(|&c| hasher.write_f32(c));
        hasher.write_f32(contact.distance);
        contact.colliders.iter().for_each(|c| hasher.write_u64(u64::from(c.index)));
    }
    for body in world.bodies() {
        hasher.write_u64(u64::from(body.handle.index) << 32 | u64::from(body.handle.generation));
        hasher.write_u64(body.island.map_or(0, |island| u64::from(island) + 1));
        let level = world.level(body.handle).expect("it exists");
        hasher.write_u64(level.map_or(0, |level| u64::from(level) + 1));
    }
    for event in world.events() {
        format!("{event:?}").bytes().for_each(|byte| hasher.write_u64(u64::from(byte)));
    }
    let report = world.report();
    let counts = [report.examined_pairs, report.skipped_pairs, report.reused_pairs, report.broad.pairs];
    counts.iter().for_each(|&count| hasher.write_u64(u64::from(count)));
    hasher.write_u64(report.broad.box_tests);
    hasher.write_u64(report.iterations);
    hasher.write_f64(report.energy_after);
    hasher.finish()
}
