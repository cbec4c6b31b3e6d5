//! A pile that never ends: bodies of all shapes fall into a closed box, and old ones are taken out at the same rate.

use crate::shell::{Failure, Outcome};
use drystone::math::{Pose, Position, Real, RelativePose, Rotation, Vector3};
use drystone::{BodyHandle, BodySpec, ColliderSpec, Exec, Shape, StepReport, World, WorldConfig};
use drystone_scenes::Random;
use std::collections::VecDeque;

/// Half of the inner width of the box, m.
const HALF_WIDTH: f64 = 0.9;
/// Inner height of the box, m.
const HEIGHT: f64 = 5.0;
/// Thickness of its walls, m.
const WALL: f64 = 0.5;
/// Height at which bodies are added, m: above any pile of a few hundred.
const ADDED_AT: f64 = 4.4;
/// Farthest from the middle that they are, m.
const ADDED_WITHIN: f64 = 0.5;
/// Radius of the sphere around a body, m.
const SIZES: [f64; 2] = [0.08, 0.18];
/// One in so many bodies may not sleep.
const RESTLESS: u64 = 12;

/// The world, and what is in it.
pub(super) struct Churn {
    world: World,
    random: Random,
    /// Oldest first.
    live: VecDeque<BodyHandle>,
    target: usize,
    added: u64,
    removed: u64,
}

impl Churn {
    /// An empty box that will hold `target` bodies.
    pub(super) fn new(config: WorldConfig, exec: Exec, target: usize, seed: u64) -> Outcome<Self> {
        let mut world = World::with_exec(config, exec)?;
        world.add_body(walls()?)?;
        Ok(Self {
            world,
            random: Random::new(seed),
            live: VecDeque::with_capacity(target + 1),
            target,
            added: 0,
            removed: 0,
        })
    }

    pub(super) fn world(&self) -> &World {
        &self.world
    }

    pub(super) fn live(&self) -> usize {
        self.live.len()
    }

    /// Bodies added and removed so far.
    pub(super) fn exchanged(&self) -> [u64; 2] {
        [self.added, self.removed]
    }

    /// Adds a body; takes one of the older half out when there are enough.
    ///
    /// # Errors
    /// What the world refuses, or a removed body that is still known.
    pub(super) fn exchange(&mut self) -> Outcome {
        let old = if self.live.len() < self.target {
            None
        } else {
            let place = self.random.bits() as usize % (self.live.len() / 2 + 1);
            self.live.remove(place)
        };
        if let Some(old) = old {
            self.world.remove_body(old)?;
            self.removed += 1;
        }
        let spec = self.body()?;
        self.live.push_back(self.world.add_body(spec)?);
        self.added += 1;
        // The new body may have the slot of the old one.
        match old {
            Some(old) if self.world.pose(old).is_ok() => {
                Err(Failure::new(format!("body {old:?} was removed and is still known")))
            }
            _ => Ok(()),
        }
    }

    /// One step.
    ///
    /// # Errors
    /// What the world refuses, a body in quarantine, or a report with another number of bodies.
    pub(super) fn step(&mut self, dt: Real) -> Outcome<&StepReport> {
        self.world.step(dt)?;
        let report = self.world.report();
        if !report.quarantined.is_empty() {
            let step = report.step;
            return Err(Failure::new(format!("step {step}: {:?} turned non-finite", report.quarantined)));
        }
        if report.bodies as usize != self.live.len() + 1 {
            let (step, told, there) = (report.step, report.bodies, self.live.len() + 1);
            return Err(Failure::new(format!(
                "step {step}: the report has {told} bodies, there are {there}"
            )));
        }
        Ok(report)
    }

    /// Bodies that are not in the box, or nowhere.
    pub(super) fn outside(&self) -> usize {
        let is_inside = |place: Position| {
            place.x.abs() < HALF_WIDTH && place.z.abs() < HALF_WIDTH && (0.0..HEIGHT).contains(&place.y)
        };
        self.world.bodies().skip(1).filter(|body| !is_inside(body.center)).count()
    }

    /// A body at the top, of any shape and turned any way.
    fn body(&mut self) -> Outcome<BodySpec> {
        let place = [0; 2].map(|_| self.random.between(-ADDED_WITHIN, ADDED_WITHIN));
        let axis = Vector3::from(self.random.vector(std::f64::consts::PI).map(|c| c as Real));
        let pose = Pose::new(Position::new(place[0], ADDED_AT, place[1]), Rotation::from_scaled_axis(axis));
        let spec = BodySpec::dynamic().pose(pose).can_sleep(!self.random.bits().is_multiple_of(RESTLESS));
        let r = self.random.between(SIZES[0], SIZES[1]) as Real;
        let mut share = |low: f64| self.random.between(low, 1.0) as Real * r;
        let shape = match self.added % 7 {
            0 => Shape::sphere(0.8 * r)?,
            1 => Shape::capsule(0.5 * r, 0.5 * r)?,
            2 => Shape::cylinder(0.6 * r, 0.7 * r)?,
            3 => {
                let corners: Vec<Vector3> = (0..12)
                    .map(|i| {
                        // All ways from the middle, so that it is never flat.
                        let sign = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                        Vector3::new(sign(0) * share(0.3), sign(1) * share(0.3), sign(2) * share(0.3))
                    })
                    .collect();
                Shape::hull(&corners)?
            }
            4 => return angle(spec, r),
            _ => Shape::cuboid(Vector3::new(share(0.4), share(0.4), share(0.4)) * 0.6)?,
        };
        Ok(spec.collider(ColliderSpec::new(shape)))
    }
}

/// Two bars that make an L.
fn angle(spec: BodySpec, r: Real) -> Outcome<BodySpec> {
    let thick = 0.2 * r;
    let upright = ColliderSpec::new(Shape::cuboid(Vector3::new(thick, 0.7 * r, thick))?);
    let foot = ColliderSpec::new(Shape::cuboid(Vector3::new(0.4 * r, thick, thick))?);
    let foot = foot.local(RelativePose::new(Vector3::new(0.6 * r, -0.5 * r, 0.0), Rotation::identity()));
    Ok(spec.collider(upright).collider(foot))
}

/// The box, closed on all sides.
fn walls() -> Outcome<BodySpec> {
    let (half, thick) = (HALF_WIDTH, 0.5 * WALL);
    let [wide, tall] = [half + WALL, 0.5 * HEIGHT + WALL];
    let middle = 0.5 * HEIGHT;
    let sides = [
        ([wide, thick, wide], [0.0, -thick, 0.0]),
        ([wide, thick, wide], [0.0, HEIGHT + thick, 0.0]),
        ([thick, tall, wide], [half + thick, middle, 0.0]),
        ([thick, tall, wide], [-half - thick, middle, 0.0]),
        ([wide, tall, thick], [0.0, middle, half + thick]),
        ([wide, tall, thick], [0.0, middle, -half - thick]),
    ];
    sides.into_iter().try_fold(BodySpec::fixed(), |spec, (half_extents, place)| {
        let shape = Shape::cuboid(Vector3::from(half_extents.map(|c| c as Real)))?;
        let local = RelativePose::new(Vector3::from(place.map(|c| c as Real)), Rotation::identity());
        Ok(spec.collider(ColliderSpec::new(shape).local(local)))
    })
}
