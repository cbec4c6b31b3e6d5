//! Metamorphic tests of whole scenes: a scene that is turned, mirrored, moved, scaled, or whose bodies are listed in another order, must end as it
//! did before, within bounds that a test states. For an integrator's own scenes as for the engine's.
//!
//! In: an [`Experiment`], which is a world as data. Out: how far its end departs from that of the same scene under a [`Change`]
//! ([`Experiment::departure`]). Start reading there.
//!
//! What to expect. Rounding differs after every change but [`Change::Scaled`] by a power of two, and bodies in collision magnify it, by some factor in each blow.
//! So states at the end may be compared where bodies rest, roll or slide, and for the first moments of anything else; of what tumbles for long
//! compare [`Departure::typical`], or sums.
//!
//! ```
//! use drystone::math::{Displacement, Pose, Vector3};
//! use drystone::testing::{Change, Experiment};
//! use drystone::{BodySpec, ColliderSpec, Shape, WorldConfig};
//!
//! let ground = BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(Vector3::y())?));
//! let cube = ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5))?);
//! let falling = BodySpec::dynamic().pose(Pose::at(0.0, 0.6, 0.0)).collider(cube);
//! let experiment = Experiment::new(WorldConfig::default(), [ground, falling]).steps(60);
//! // Ten thousand kilometres from the origin it comes down as it did there.
//! let far = Change::Moved(Displacement::new(1.0e7, 0.0, 0.0));
//! assert!(experiment.departure(&far)?.position < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;

pub use change::{Change, TestingError};

use crate::{BodySpec, Exec, PairMaterial, World, WorldConfig};
use drystone_math::{Pose, Real, Vector3};

/// A world as data, and how long it runs.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Settings.
    pub config: WorldConfig,
    /// The bodies, in the order in which they are added.
    pub bodies: Vec<BodySpec>,
    /// What all pairs of surfaces do; those of the default materials when `None`.
    pub surfaces: Option<PairMaterial>,
    /// Length of a step, s; in (0, 1].
    pub dt: Real,
    /// Number of steps.
    pub steps: u32,
}

/// Where a body ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndState {
    /// Pose of its origin, world.
    pub pose: Pose,
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector3,
    /// Angular velocity, rad/s.
    pub angular: Vector3,
    /// Whether it slept.
    pub is_asleep: bool,
}

/// How far two ends are apart, after the change is taken back from the second: in the frame, order and size of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Departure {
    /// Farthest that a body's origin is from where it ended before, m.
    pub position: f64,
    /// That body, as an index into [`Experiment::bodies`].
    pub body: usize,
    /// The median of these distances over all dynamic bodies, m.
    pub typical: f64,
    /// Largest angle between two orientations of a body, rad.
    pub angle: f64,
    /// Largest difference of velocities, m/s.
    pub speed: f64,
    /// Bodies that slept in one of the two only.
    pub asleep_differs: u32,
}

impl Experiment {
    /// Sixty steps a second for five seconds, with the default surfaces.
    pub fn new(config: WorldConfig, bodies: impl IntoIterator<Item = BodySpec>) -> Self {
        Self { config, bodies: bodies.into_iter().collect(), surfaces: None, dt: 1.0 / 60.0, steps: 300 }
    }

    /// So many steps.
    pub fn steps(self, steps: u32) -> Self {
        Self { steps, ..self }
    }

    /// Steps of this length, s.
    pub fn dt(self, dt: Real) -> Self {
        Self { dt, ..self }
    }

    /// All pairs of surfaces do this.
    pub fn surfaces(self, surfaces: PairMaterial) -> Self {
        Self { surfaces: Some(surfaces), ..self }
    }

    /// Builds the world, steps it on the calling thread, and tells where the bodies ended, in the order of the list.
    ///
    /// # Errors
    /// What the world refuses.
    pub fn run(&self) -> Result<Vec<EndState>, TestingError> {
        let mut world = World::with_exec(self.config.clone(), Exec::serial())?;
        if let Some(surfaces) = self.surfaces {
            world.materials_mut().set_all_pairs(surfaces).map_err(crate::WorldError::from)?;
        }
        let handles: Vec<_> =
            self.bodies.iter().map(|body| world.add_body(body.clone())).collect::<Result<_, _>>()?;
        for _ in 0..self.steps {
            world.step(self.dt)?;
        }
        let end = |&handle| {
            let body = world.body(handle)?;
            let (linear, angular) = (body.linear_velocity, body.angular_velocity);
            Ok(EndState { pose: body.pose, linear, angular, is_asleep: body.is_asleep })
        };
        handles.iter().map(end).collect()
    }

    /// Runs the experiment as it is and under the change, and compares the ends.
    ///
    /// # Errors
    /// What the world refuses, and what cannot be changed like that: see [`Change`].
    pub fn departure(&self, change: &Change) -> Result<Departure, TestingError> {
        self.departure_from(&self.run()?, change)
    }

    /// The same beside an end that is known already: that of [`Experiment::run`].
    ///
    /// # Errors
    /// Those of [`Experiment::departure`].
    ///
    /// # Panics
    /// When `before` is not the end of as many bodies.
    pub fn departure_from(&self, before: &[EndState], change: &Change) -> Result<Departure, TestingError> {
        assert_eq!(before.len(), self.bodies.len(), "one end per body");
        let after = self.changed(change)?.run()?;
        let mut departure = Departure::default();
        let mut ways = Vec::new();
        for (index, a) in before.iter().enumerate() {
            let b = change.taken_back(&after[change.place(index, before.len())]);
            let way = (b.pose.translation - a.pose.translation).norm();
            if way > departure.position || way.is_nan() {
                (departure.position, departure.body) = (way, index);
            }
            let turn = f64::from(a.pose.rotation.angle_to(&b.pose.rotation));
            departure.angle = larger(departure.angle, turn);
            departure.speed = larger(departure.speed, f64::from((b.linear - a.linear).norm()));
            departure.asleep_differs += u32::from(a.is_asleep != b.is_asleep);
            if self.bodies[index].kind == drystone_contact::BodyKind::Dynamic {
                ways.push(way);
            }
        }
        ways.sort_unstable_by(f64::total_cmp);
        departure.typical = ways.get(ways.len() / 2).copied().unwrap_or(0.0);
        Ok(departure)
    }

    /// The same experiment under the change.
    ///
    /// # Errors
    /// What cannot be changed like that.
    pub fn changed(&self, change: &Change) -> Result<Self, TestingError> {
        let bodies = self.bodies.iter().map(|body| change.body(body)).collect::<Result<Vec<_>, _>>()?;
        let mut placed = bodies.clone();
        for (index, body) in bodies.into_iter().enumerate() {
            let place = change.place(index, placed.len());
            placed[place] = body;
        }
        let surfaces = self.surfaces.map(|pair| change.surfaces(&pair));
        Ok(Self { config: change.config(&self.config)?, bodies: placed, surfaces, ..self.clone() })
    }
}

/// The larger of the two; what is not a number wins, so that no comparison hides it.
fn larger(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b }
}
