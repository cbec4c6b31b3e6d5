//! The scene as data: what a scene file holds, field by field.

mod body;
mod coupling;
mod joint;
mod logic;

pub use body::{Body, InertiaSpec, Kind, Locks, MassSpec, Orientation, PartSpec, ShapeSpec};
pub use coupling::{CouplingEntry, CouplingKindSpec};
pub use joint::{
    ArticulationSpec, JointAxisEntry, JointAxisSpec, JointEntry, JointKindSpec, MotorSpec, RotorSpec,
    SoftnessSpec,
};
pub use logic::{CompositeSpec, KeySpec, MotionSpec, RuleEntry, RuleKind, TimerEntry};

use drystone::math::Real;
use serde::{Deserialize, Serialize};

/// The version of the scene format that this crate reads and writes.
pub const SCENE_VERSION: u32 = 1;

/// A scene. Lengths in m, times in s, masses by density; `+y` is up in the scenes of this crate, but nothing
/// depends on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Version of the format, [`SCENE_VERSION`].
    pub version: u32,
    /// Name, which also names the folder of results.
    pub name: String,
    /// What happens, and where it comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Gravity at the start, m/s². Default `(0, -10, 0)` (S1-77).
    #[serde(default = "default_gravity")]
    pub gravity: [Real; 3],
    /// The acceleration that the engine's thresholds are multiples of, m/s². Default: the size of `gravity`,
    /// or 10 where that is zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_acceleration: Option<Real>,
    /// How long to simulate, s; above 0.
    #[serde(default = "default_seconds")]
    pub seconds: f64,
    /// Steps per second, per family of presets.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hz: Rates,
    /// What every pair of materials does. Default: the built-in materials 0.25; 0.20, 0.20, own materials by
    /// the engine's mixing rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<PairValues>,
    /// Materials beside the built-in granite, iron, copper, oak and fir.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<MaterialSpec>,
    /// Pairs of materials that differ from `contact`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairSpec>,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Bodies fastened to each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub composites: Vec<CompositeSpec>,
    /// What holds two bodies together, and leaves a part of their motion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointEntry>,
    /// What couples joints: gears, racks, pulleys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub couplings: Vec<CouplingEntry>,
    /// Joints that are solved by their coordinates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub articulations: Vec<ArticulationSpec>,
    /// Who meets whom, by groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleEntry>,
    /// Timers, from the beginning on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<TimerEntry>,
    /// What happens at given times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<TimedAction>,
    /// Which bodies should stay where they start; the largest way one of them went is the run's drift.
    #[serde(default, skip_serializing_if = "is_default")]
    pub standing: Standing,
    /// A body whose centre of mass leaves this box counts as lost. Default: no box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// What is to be changed in the file that it was read from, a sentence each with its place: words that have others now. Not written.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// Steps per second where the user does not say, with presets that leave it to the scene: `fast` and `qp_suite` take 60, `fine` 1920, or `least`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rates {
    /// With `thesis_fast`, `nsgs` and `lcp`. Default 240 (S1-77).
    pub fast: f64,
    /// With `thesis_accurate`. Default 960 (S1-88).
    pub accurate: f64,
    /// Least with any preset, where the user does not say: for what moves too fast for the preset's own rate. Default 0, no least one.
    #[serde(skip_serializing_if = "is_default")]
    pub least: f64,
}

impl Default for Rates {
    fn default() -> Self {
        Self { fast: 240.0, accurate: 960.0, least: 0.0 }
    }
}

/// What a contact of two surfaces does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairValues {
    /// Share of the closing speed that returns, 0 to 1.
    pub restitution: Real,
    /// Coefficient of static friction, not below the kinetic one.
    pub static_friction: Real,
    /// Coefficient of kinetic friction, at least 0.
    pub kinetic_friction: Real,
    /// Coefficient of rolling friction, m, at least 0. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rolling_friction: Real,
}

/// What contacts of two named materials do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairSpec {
    /// One material.
    pub a: String,
    /// The other one, or the same.
    pub b: String,
    /// Share of the closing speed that returns, 0 to 1.
    pub restitution: Real,
    /// Coefficient of static friction, not below the kinetic one.
    pub static_friction: Real,
    /// Coefficient of kinetic friction, at least 0.
    pub kinetic_friction: Real,
    /// Coefficient of rolling friction, m, at least 0. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rolling_friction: Real,
}

/// A material of the scene's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialSpec {
    /// Its name, unlike those of the other materials.
    pub name: String,
    /// Density, kg/m³; above 0.
    pub density: Real,
    /// Restitution against itself, 0 to 1. Default 0.5, that of the built-in materials.
    #[serde(default = "half")]
    pub restitution: Real,
    /// Static friction; a pair has the sum of both. Default 0.1.
    #[serde(default = "tenth")]
    pub static_friction: Real,
    /// Kinetic friction; a pair has the sum of both. Default 0.1.
    #[serde(default = "tenth")]
    pub kinetic_friction: Real,
    /// Rolling friction, m; a pair has the sum of both. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rolling_friction: Real,
    /// Poisson's ratio, -1 to 0.5. Default 0.3.
    #[serde(default = "default_poisson")]
    pub poisson: Real,
    /// Young's modulus, GPa; above 0. Default 10. Also the weight with which restitutions mix.
    #[serde(default = "default_young")]
    pub young: Real,
}

impl MaterialSpec {
    /// A material with the given density (kg/m³) and default values otherwise.
    pub fn new(name: &str, density: Real) -> Self {
        Self {
            name: name.into(),
            density,
            restitution: half(),
            static_friction: tenth(),
            kinetic_friction: tenth(),
            rolling_friction: 0.0,
            poisson: default_poisson(),
            young: default_young(),
        }
    }
}

/// Something that happens at a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedAction {
    /// When, s; at the beginning of the step nearest to it.
    pub at: f64,
    /// What.
    pub action: Action,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Gravity becomes this, m/s².
    SetGravity {
        /// The new gravity.
        gravity: [Real; 3],
    },
    /// A body gets a velocity.
    SetVelocity {
        /// Its name.
        body: String,
        /// Velocity of the centre of mass, m/s.
        linear: [Real; 3],
        /// Angular velocity, rad/s, world.
        #[serde(default, skip_serializing_if = "is_default")]
        angular: [Real; 3],
    },
    /// A body's surface runs over it from now on, as a belt does, at this velocity, m/s, in the frame of its shape.
    SetSurfaceVelocity {
        /// Its name.
        body: String,
        /// The velocity.
        velocity: [Real; 3],
    },
    /// A composite breaks into its bodies; nothing happens to one that is broken, or not made yet.
    Unfasten {
        /// Its name.
        composite: String,
    },
    /// A body disappears (a prop is knocked out, a gate opens).
    Remove {
        /// Its name.
        body: String,
    },
}

/// Which bodies should stay where they start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// None: the drift of the run is 0.
    #[default]
    None,
    /// All that are dynamic.
    All,
    /// Those with these names.
    Bodies(Vec<String>),
}

/// A box along the axes of the world, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Its lowest corner.
    pub min: [f64; 3],
    /// Its highest corner.
    pub max: [f64; 3],
}

impl Bounds {
    /// True for a point in the box or on its faces; false when a coordinate is not a number.
    pub fn contains(&self, point: &[f64; 3]) -> bool {
        (0..3).all(|i| (self.min[i]..=self.max[i]).contains(&point[i]))
    }
}

fn default_gravity() -> [Real; 3] {
    [0.0, -10.0, 0.0]
}

fn default_seconds() -> f64 {
    5.0
}

fn default_poisson() -> Real {
    0.3
}

fn default_young() -> Real {
    10.0
}

fn half() -> Real {
    0.5
}

fn tenth() -> Real {
    0.1
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Scene {
    /// An empty scene with default values.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            version: SCENE_VERSION,
            name: name.into(),
            description: String::new(),
            gravity: default_gravity(),
            reference_acceleration: None,
            seconds: default_seconds(),
            hz: Rates::default(),
            contact: None,
            materials: Vec::new(),
            pairs: Vec::new(),
            bodies: Vec::new(),
            composites: Vec::new(),
            joints: Vec::new(),
            couplings: Vec::new(),
            articulations: Vec::new(),
            rules: Vec::new(),
            timers: Vec::new(),
            actions: Vec::new(),
            standing: Standing::None,
            bounds: None,
            warnings: Vec::new(),
        }
    }
}
