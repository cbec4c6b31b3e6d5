//! Everything that shapes the motion, in one value; one struct per stage, owned by its crate.

use crate::{CoherenceConfig, ContinuousConfig, WorldError};
use drystone_collision::broad::{HashGridConfig, UniformGridConfig};
use drystone_contact::{AxisLocks, EventConfig};
#[cfg(feature = "convex")]
use drystone_convex::SuiteConfig;
use drystone_correction::CorrectionConfig;
use drystone_math::{Real, Vector3};
use drystone_resolution::{
    EscalationConfig, ImpulseConfig, IslandSolverConfig, LcpConfig, NsgsConfig, NsgsThenInterior,
    SubStepConfig,
};
use drystone_sleeping::SleepConfig;

/// Settings of a world.
///
/// Thresholds are multiples of `g dt` (speeds) and `g dt²` (lengths), where `g` is
/// [`WorldConfig::reference_acceleration`]: one set serves any step size (S1-94).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct WorldConfig {
    /// Acceleration of every body, m/s². Default (0, −9.81, 0).
    pub gravity: Vector3,
    /// Force on every body alike, N. Default zero.
    pub global_force: Vector3,
    /// Locked axes of every dynamic body that is added, beside its own. Default none; see [`WorldConfig::planar`].
    pub locks: AxisLocks,
    /// Acceleration that the thresholds refer to, m/s²; positive. Default 9.81. Stays while gravity is off.
    pub reference_acceleration: Real,
    /// Detection.
    pub detection: DetectionConfig,
    /// What bodies that move far in one step are swept against.
    pub continuous: ContinuousConfig,
    /// Penetration correction.
    pub correction: CorrectionSettings,
    /// How bodies in contact are advanced.
    pub solver: SolverChoice,
    /// Joint solves of islands that [`SolverChoice::Impulse`] or [`SolverChoice::SubStep`] leave unsolved; the others solve jointly anyway.
    pub escalation: EscalationConfig,
    /// Sleeping.
    pub sleeping: SleepConfig,
    /// What is known from step to step, contact islands, and S3's speed-ups.
    pub coherence: CoherenceConfig,
    /// Contact points below which a batch counts as small (S1-72). Default 32.
    pub small_batch_size: u32,
    /// Awake bodies and contact points of the step before, together, from which a step uses the threads there are; with fewer it stays on the calling thread, since
    /// waking the others takes longer than they save. Default 400 in [`WorldConfig::fast`] and [`WorldConfig::fine`], 0 (always) where a body costs more. No
    /// effect on results.
    pub parallel_threshold: u32,
    /// Which islands of bodies a step judges by their energy. Default: none. No effect on the motion.
    pub energy_check: EnergyCheck,
    /// Which events are told.
    pub events: EventConfig,
}

/// Which islands of bodies are judged by whether their energy grew from nothing ([`EnergyGrowth`](crate::EnergyGrowth)). No effect on the motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum EnergyCheck {
    /// None.
    #[default]
    Off,
    /// Those with a joint: costs nothing where there is none. With methods that move bodies first (impulses) all bodies that are awake are noted where there is one.
    Joints,
    /// All, single bodies as well.
    All,
}

/// Settings of detection.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DetectionConfig {
    /// How far apart contacts are already made, in units of `g dt²`. Default 20; at least 0. Larger
    /// catches fast approaches earlier and costs contacts.
    pub contact_margin: Real,
    /// Share of a step's motion that boxes and margins cover ahead, no unit. Default 0; at least 0. With 1 a
    /// contact is known before bodies that approach reach each other in the step, however fast they are:
    /// right for methods that move bodies after detection and let a gap close ([`SubStepConfig`]). Costs pairs
    /// and contacts of fast bodies only.
    pub look_ahead: Real,
    /// Overlap by which bodies may meet before their contact is known, as a share of half a shape's thickness, no unit.
    /// Default 0; 0 to 1. That much of a step's motion, and at most half of it, is not looked ahead: fewer pairs and
    /// contacts of what falls and pours. Larger leaves more to penetration correction; without that, leave it at 0.
    pub unseen_overlap_fraction: Real,
    /// Growth of the boxes of the broad phase, as a share of the collider's longest edge. Default 0.05; at
    /// least 0. Larger means fewer updates and more pairs.
    pub box_growth: Real,
    /// Motion of a pair's surfaces relative to each other, in units of `g dt²`, up to which its contact is
    /// carried along instead of being found anew: points stay where they are on both surfaces, distances
    /// and arms follow. Default 0: exactly unmoved pairs only (S3-18). At least 0. Larger is cheaper;
    /// the places of the points are as old as the tolerance allows. For balls, capsules, cylinders and cones a 128th of it counts: a
    /// point that lags behind what rolls drives it.
    pub coherence_tolerance: Real,
    /// Height of a step between colliders that do not move against each other (all fixed ones, those of one body), in units of `g dt²`, that is not felt: what
    /// slides or rolls over flush neighbours does not catch at the seams. Default 1 (2.7 mm at 60 steps per second); at least 0, and 0 leaves
    /// all contacts in. Larger smooths coarser floors, and lets what is pushed against a kerb that low over it.
    pub seam_height: Real,
    /// Which broad phase. The motion is the same to the bit. Default: the tree, which is the faster at any number and mix of sizes
    /// (`docs/measurements/broad-phases.md`); the thesis presets have the hash grid of S1.
    pub broad_phase: BroadPhaseChoice,
}

/// Which broad phase finds the pairs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum BroadPhaseChoice {
    /// Hierarchical hash grid (S1-75).
    HashGrid(HashGridConfig),
    /// Uniform hash grid (S5-03).
    UniformGrid(UniformGridConfig),
    /// Dynamic bounding-volume tree.
    Tree,
    /// All pairs; for tests and tiny scenes.
    BruteForce,
}

/// Whether overlap is corrected, and how.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CorrectionSettings {
    /// Whether the stage runs. Default true.
    pub enabled: bool,
    /// Its tuning.
    pub config: CorrectionConfig,
}

/// Which contact of a batch is resolved next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum OrderChoice {
    /// Highest closing speed first (S1-57).
    HighestClosingSpeed,
    /// First entry of an unsorted list, what S1 compares with (S1-87).
    FirstFound,
    /// Most impulse first: closing speed times effective mass.
    HighestImpulse,
    /// In turn along the levels of gravity, upwards.
    LevelsUp,
    /// The same downwards.
    LevelsDown,
    /// The same upwards and downwards in turn.
    LevelsBoth,
    /// In turn, of those that close with half of the highest speed at least.
    FallingBar,
    /// In turn, colour by colour: contacts of a colour share no body.
    Colours,
}

/// How bodies in contact are advanced.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SolverChoice {
    /// The impulse pipeline of S1.
    Impulse {
        /// Its tuning.
        config: ImpulseConfig,
        /// Its contact order.
        order: OrderChoice,
    },
    /// Sub-stepped contacts.
    SubStep {
        /// Its tuning.
        config: SubStepConfig,
    },
    /// Exact Signorini and Coulomb for each island, by non-smooth Gauss-Seidel and an interior-point method.
    Nsgs {
        /// How islands become problems, and how well they are solved.
        group: IslandSolverConfig,
        /// Tuning of the sweeps.
        config: NsgsConfig,
        /// Sweeps after which an island that is not solved is handed on to the interior-point method; 0 for never.
        /// Default 200. Smaller is faster for piles set down at once, slower for islands that nearly stand.
        escalate_after: u32,
    },
    /// Complementarity with friction pyramids for each island: Lemke's algorithm for small ones, accelerated sweeps otherwise.
    Lcp {
        /// How islands become problems, and how well they are solved.
        group: IslandSolverConfig,
        /// Tuning of the solver.
        config: LcpConfig,
    },
    /// The suite of Schmidl and Milenkovic: sequential collisions, convex programs, freezing.
    #[cfg(feature = "convex")]
    QpSuite {
        /// Its tuning.
        config: SuiteConfig,
    },
}

impl SolverChoice {
    /// Its name, as settings of it begin: `resolution.order`, `sub_step.sub_steps`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Impulse { .. } => "resolution",
            Self::SubStep { .. } => "sub_step",
            Self::Nsgs { .. } => "nsgs",
            Self::Lcp { .. } => "lcp",
            #[cfg(feature = "convex")]
            Self::QpSuite { .. } => "qp_suite",
        }
    }
}

impl Default for WorldConfig {
    fn default() -> Self {
        Self::fast()
    }
}

impl WorldConfig {
    /// Names that [`WorldConfig::preset`] knows.
    pub const PRESETS: &[&str] = &[
        "fast",
        "fine",
        "nsgs",
        "lcp",
        "thesis_fast",
        "thesis_accurate",
        #[cfg(feature = "convex")]
        "qp_suite",
    ];

    /// The settings of a name: those of the function that is called so.
    ///
    /// ```
    /// use drystone::WorldConfig;
    /// assert_eq!(WorldConfig::preset("nsgs")?, WorldConfig::nsgs());
    /// assert!(WorldConfig::PRESETS.iter().all(|name| WorldConfig::preset(name).is_ok()));
    /// assert!(WorldConfig::preset("quick").is_err());
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// Another name.
    pub fn preset(name: &str) -> Result<Self, WorldError> {
        Ok(match name {
            "fast" => Self::fast(),
            "fine" => Self::fine(),
            "nsgs" => Self::nsgs(),
            "lcp" => Self::lcp(),
            "thesis_fast" => Self::thesis_fast(),
            "thesis_accurate" => Self::thesis_accurate(),
            #[cfg(feature = "convex")]
            "qp_suite" => Self::qp_suite(),
            _ => {
                let (field, value) = ("preset".to_owned(), name.to_owned());
                let expected = "fast, fine, nsgs, lcp, thesis_fast, thesis_accurate, or qp_suite with the feature `convex`";
                return Err(WorldError::BadValue { field, expected, value });
            }
        })
    }

    /// Sub-stepped contacts: the settings for games and simulators, made for 60 steps per second.
    pub fn fast() -> Self {
        Self {
            detection: DetectionConfig {
                contact_margin: 2.0,
                look_ahead: 1.0,
                unseen_overlap_fraction: 0.5,
                coherence_tolerance: 0.1,
                seam_height: 1.0,
                broad_phase: BroadPhaseChoice::Tree,
                ..Self::thesis_fast().detection
            },
            correction: CorrectionSettings {
                enabled: true,
                config: CorrectionConfig { penetration_threshold: 5.0, ..CorrectionConfig::fast() },
            },
            solver: SolverChoice::SubStep { config: SubStepConfig::default() },
            parallel_threshold: 400,
            sleeping: SleepConfig {
                support_gap: 0.25,
                side_support_gap: Some(2.0),
                must_settle: true,
                max_overlap: Some(0.35),
                max_imbalance: Some(0.3),
                ..SleepConfig::default()
            },
            ..Self::thesis_fast()
        }
    }

    /// Sub-stepped contacts for accuracy: short steps of two sub-steps with eight sweeps each, blows solved through levers and with their friction,
    /// nothing carried along, and nothing held without being solved. Errors are of first order in the step: what `fast` misses by tens of percent
    /// (blocks that rock, what rolls on its rim, levers that are struck) comes within 1 or 2. Made for 1920 steps per second.
    pub fn fine() -> Self {
        let fast = Self::fast();
        Self {
            detection: DetectionConfig { coherence_tolerance: 0.0, ..fast.detection },
            solver: SolverChoice::SubStep {
                config: SubStepConfig {
                    sub_steps: 2,
                    low_pile_sub_steps: 2,
                    sweeps: 8,
                    impact_sweeps: 16,
                    // 2.7 µm: corners of what is metres large are not known better, and would open and close by rounding.
                    contact_slop: 1.0,
                    resting_speed: 0.0,
                    ..SubStepConfig::default()
                },
            },
            ..fast
        }
    }

    /// The same settings for a world of planar motion: every dynamic body moves along x and y and turns about z alone. Shapes and
    /// contacts stay those of space; a world that is planar throughout costs less in the crate `drystone-planar`.
    ///
    /// ```
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig, math::{Pose, Vector3}};
    /// let mut world = World::new(WorldConfig::fast().planar())?;
    /// let ball = ColliderSpec::new(Shape::sphere(0.5)?);
    /// let ball = world.add_body(BodySpec::dynamic().linear_velocity(Vector3::new(1.0, 0.0, 2.0)).collider(ball))?;
    /// world.step(0.5)?;
    /// let place = world.pose(ball)?.translation;
    /// assert!(place.x > 0.4 && place.y < -1.0 && place.z == 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn planar(self) -> Self {
        Self { locks: self.locks.with(AxisLocks::PLANE_XY), ..self }
    }

    /// S1's high-performance settings (S1-78), made for 240 steps per second.
    pub fn thesis_fast() -> Self {
        Self {
            gravity: Vector3::new(0.0, -9.81, 0.0),
            global_force: Vector3::zeros(),
            locks: AxisLocks::default(),
            reference_acceleration: 9.81,
            detection: DetectionConfig {
                contact_margin: 20.0,
                box_growth: 0.05,
                look_ahead: 0.0,
                unseen_overlap_fraction: 0.0,
                coherence_tolerance: 0.0,
                seam_height: 1.0,
                broad_phase: BroadPhaseChoice::HashGrid(HashGridConfig::default()),
            },
            continuous: ContinuousConfig::default(),
            correction: CorrectionSettings { enabled: true, config: CorrectionConfig::fast() },
            solver: SolverChoice::Impulse {
                config: ImpulseConfig::fast(),
                order: OrderChoice::HighestClosingSpeed,
            },
            escalation: EscalationConfig::default(),
            sleeping: SleepConfig::default(),
            coherence: CoherenceConfig::default(),
            small_batch_size: drystone_contact::Batches::DEFAULT_SMALL_CUT,
            parallel_threshold: 0,
            energy_check: EnergyCheck::default(),
            events: EventConfig::default(),
        }
    }

    /// S1's high-accuracy settings (S1-88), made for 960 steps per second.
    pub fn thesis_accurate() -> Self {
        Self {
            correction: CorrectionSettings { enabled: true, config: CorrectionConfig::accurate() },
            solver: SolverChoice::Impulse {
                config: ImpulseConfig::accurate(),
                order: OrderChoice::HighestClosingSpeed,
            },
            sleeping: SleepConfig::accurate(),
            ..Self::thesis_fast()
        }
    }

    /// Exact contact laws: every island solved to a stated error, in double precision. The reference for
    /// accuracy, made for 240 steps per second; slow where hundreds of bodies move at once.
    pub fn nsgs() -> Self {
        Self {
            solver: SolverChoice::Nsgs {
                group: IslandSolverConfig::default(),
                config: NsgsConfig::default(),
                escalate_after: NsgsThenInterior::ESCALATE_AFTER,
            },
            ..Self::joint()
        }
    }

    /// What the methods that solve islands jointly share. They take back no overlap, so that sleep must not wait for it.
    fn joint() -> Self {
        let fast = Self::fast();
        Self { sleeping: SleepConfig { max_overlap: None, ..fast.sleeping }, parallel_threshold: 0, ..fast }
    }

    /// Complementarity: small islands solved by Lemke's algorithm (S5-11, Stewart and Trinkle), large ones by accelerated
    /// sweeps, in double precision. Made for 240 steps per second.
    pub fn lcp() -> Self {
        Self {
            solver: SolverChoice::Lcp { group: IslandSolverConfig::default(), config: LcpConfig::default() },
            ..Self::joint()
        }
    }

    /// The suite of Schmidl and Milenkovic: collisions and static contacts as convex programs, and bodies that freeze in
    /// place of sleeping. Made for 60 steps per second; for piles that come to rest.
    #[cfg(feature = "convex")]
    pub fn qp_suite() -> Self {
        let mut config =
            Self { solver: SolverChoice::QpSuite { config: SuiteConfig::default() }, ..Self::fast() };
        config.sleeping.enabled = false;
        config.parallel_threshold = 0;
        // What the programs leave of overlap is taken back from 3 mm on at 60 steps per second.
        config.correction.config.penetration_threshold = 1.0;
        config
    }

    /// `Ok` when every value is in range.
    ///
    /// # Errors
    /// The first value out of range, with its name.
    pub fn validate(&self) -> Result<(), WorldError> {
        let check = |field, expected, value: Real, valid: bool| {
            if value.is_finite() && valid {
                Ok(())
            } else {
                Err(WorldError::OutOfRange { field, expected, value: f64::from(value) })
            }
        };
        for (field, v) in [("gravity", &self.gravity), ("global_force", &self.global_force)] {
            for &c in v.iter() {
                check(field, "finite", c, true)?;
            }
        }
        let g = self.reference_acceleration;
        check("reference_acceleration", "positive", g, g > 0.0)?;
        let d = &self.detection;
        check("detection.contact_margin", "at least 0", d.contact_margin, d.contact_margin >= 0.0)?;
        check("detection.look_ahead", "at least 0", d.look_ahead, d.look_ahead >= 0.0)?;
        check(
            "detection.unseen_overlap_fraction",
            "0 to 1",
            d.unseen_overlap_fraction,
            (0.0..=1.0).contains(&d.unseen_overlap_fraction),
        )?;
        check("detection.box_growth", "at least 0", d.box_growth, d.box_growth >= 0.0)?;
        let tolerance = d.coherence_tolerance;
        check("detection.coherence_tolerance", "at least 0", tolerance, tolerance >= 0.0)?;
        check("detection.seam_height", "at least 0", d.seam_height, d.seam_height >= 0.0)?;
        match &d.broad_phase {
            BroadPhaseChoice::HashGrid(grid) => grid.validate()?,
            BroadPhaseChoice::UniformGrid(grid) => grid.validate()?,
            BroadPhaseChoice::Tree | BroadPhaseChoice::BruteForce => {}
        }
        self.continuous.validate()?;
        self.correction.config.validate()?;
        match &self.solver {
            SolverChoice::Impulse { config, .. } => config.validate()?,
            SolverChoice::SubStep { config } => config.validate()?,
            SolverChoice::Nsgs { group, config, .. } => {
                group.validate()?;
                config.validate()?;
            }
            SolverChoice::Lcp { group, config } => {
                group.validate()?;
                config.validate()?;
            }
            #[cfg(feature = "convex")]
            SolverChoice::QpSuite { config } => config.validate()?,
        }
        self.escalation.validate()?;
        self.sleeping.validate()?;
        self.coherence.validate()?;
        self.events.validate()?;
        Ok(())
    }
}
