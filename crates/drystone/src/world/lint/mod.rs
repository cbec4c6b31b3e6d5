//! What a world is likely to do badly, said before it does: starts that overlap, heavy on light, thin parts, steps that are too long, and joints that spin,
//! carry, hold or swing beyond what a step resolves.
//!
//! In: where bodies are now, and the step that is to be made. Out: findings, each with a figure, the bound it passes, and a remedy. Nothing is
//! changed, and nothing here is an error: what cannot be simulated is refused where it is added. Start reading at [`World::lint`].
//! Cost: a look at all bodies, at what is near each of them and at all joints; meant for a start, not for every step.

mod bodies;
mod joints;
mod pairs;

use super::World;
use crate::WorldError;
use drystone_contact::{BodyHandle, JointHandle};
use drystone_math::Real;
use std::fmt;

/// What may go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LintKind {
    /// The step is long. Figure: its seconds.
    LongStep,
    /// Two colliders overlap. Figure: how deep, m.
    Overlap,
    /// A heavy body is on a light one, and the method solves contacts one by one. Figure: the ratio of their masses.
    MassRatio,
    /// A part is as thin as the distance at which contacts begin. Figure: its thickness, m.
    ThinPart,
    /// A body goes farther in a step than it is thick, and is not swept against all that it may meet. Figure: the way, m.
    FastForStep,
    /// A body turns far in a step. Figure: the angle, rad.
    FastTurn,
    /// Moments of inertia that are tiny for the extent of the body, or that no solid has. Figure: the share of the least plausible one.
    Moments,
    /// The filters of a body let it meet nothing that there is. Figure: its number of colliders.
    MeetsNothing,
    /// A slender body on joints turns far in a step, now or at the speed of a motor. Figure: the angle across its length, rad.
    JointSpin,
    /// A light body carries heavy ones over a joint. Figure: the mass of all that hangs on it there over its own.
    JointMassRatio,
    /// Joints around a loop hold more coordinates than there are. Figure: how many constraints follow from others. A note: it is solved, to one of
    /// many sets of forces.
    RedundantLoop,
    /// A spring that is to swing has so short a period that steps damp it. Figure: the share of its amplitude that they take per period.
    UndampedSpring,
}

impl LintKind {
    /// All of them.
    pub const ALL: [LintKind; 12] = [
        LintKind::LongStep,
        LintKind::Overlap,
        LintKind::MassRatio,
        LintKind::ThinPart,
        LintKind::FastForStep,
        LintKind::FastTurn,
        LintKind::Moments,
        LintKind::MeetsNothing,
        LintKind::JointSpin,
        LintKind::JointMassRatio,
        LintKind::RedundantLoop,
        LintKind::UndampedSpring,
    ];

    /// True for what is worth knowing and goes well nevertheless.
    pub fn is_note(self) -> bool {
        self == LintKind::RedundantLoop
    }

    /// Its name, as in tables.
    pub fn name(self) -> &'static str {
        match self {
            LintKind::LongStep => "long step",
            LintKind::Overlap => "overlap",
            LintKind::MassRatio => "mass ratio",
            LintKind::ThinPart => "thin part",
            LintKind::FastForStep => "fast for the step",
            LintKind::FastTurn => "turns fast for the step",
            LintKind::Moments => "moments of inertia",
            LintKind::MeetsNothing => "meets nothing",
            LintKind::JointSpin => "slender body spins on a joint",
            LintKind::JointMassRatio => "mass ratio along a joint",
            LintKind::RedundantLoop => "loop held twice",
            LintKind::UndampedSpring => "undamped stiff motor",
        }
    }

    /// Unit of the figure; empty where it has none.
    pub fn unit(self) -> &'static str {
        match self {
            LintKind::LongStep => "s",
            LintKind::Overlap | LintKind::ThinPart | LintKind::FastForStep => "m",
            LintKind::FastTurn | LintKind::JointSpin => "rad",
            LintKind::MassRatio
            | LintKind::Moments
            | LintKind::MeetsNothing
            | LintKind::JointMassRatio
            | LintKind::RedundantLoop
            | LintKind::UndampedSpring => "",
        }
    }

    /// What to do about it.
    pub fn remedy(self) -> &'static str {
        match self {
            LintKind::LongStep => "make more steps per second; 60 is usual",
            LintKind::Overlap => "set them apart: what overlaps is pushed apart in the first steps",
            LintKind::MassRatio => {
                "use preset fast, or nsgs where it must be exact, or turn escalation on (docs/choosing-a-solver.md)"
            }
            LintKind::ThinPart => {
                "make more steps per second (the distance falls with their square), or the part thicker"
            }
            LintKind::FastForStep => {
                "sweep it (continuous.fixed, continuous.moving), make more steps per second, or make it thicker"
            }
            LintKind::FastTurn => "make more steps per second, or limit its speed",
            LintKind::Moments => "leave the mass to the colliders, or give moments of the whole body",
            LintKind::MeetsNothing => {
                "let its groups and those of what it is to touch name each other (ColliderSpec::filter)"
            }
            LintKind::JointSpin => "make more steps per second, limit the speed, or make the body thicker",
            LintKind::JointMassRatio => {
                "make what carries heavier or what hangs on it lighter, or make more sub-steps (docs/joints.md)"
            }
            LintKind::RedundantLoop => {
                "it moves as it should, but its inner forces are one of many answers: free axes of these joints, or use ball joints"
            }
            LintKind::UndampedSpring => {
                "make more steps per second or sub-steps (the share falls with their number), or give it the damping that it is to have"
            }
        }
    }
}

/// Something that is likely to go wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct LintFinding {
    /// What.
    pub concern: LintKind,
    /// The bodies that it is about: none, one or two; of a mass ratio the heavy one first; of a joint those that it holds; of a loop those of the
    /// first of its joints.
    pub bodies: [Option<BodyHandle>; 2],
    /// The joints that it is about: one, or those around a loop in turn; none where it is about bodies alone.
    pub joints: Vec<JointHandle>,
    /// The figure ([`LintKind`] says which), and the bound that it passes.
    pub value: f64,
    /// See `value`.
    pub bound: f64,
}

impl LintFinding {
    fn new(concern: LintKind, bodies: [Option<BodyHandle>; 2], value: f64, bound: f64) -> Self {
        Self { concern, bodies, joints: Vec::new(), value, bound }
    }

    /// The same about joints.
    fn on(self, joints: Vec<JointHandle>) -> Self {
        Self { joints, ..self }
    }
}

impl fmt::Display for LintFinding {
    /// What is wrong with which figure, and the remedy; bodies and joints are left to who knows their names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { concern, value, bound, .. } = self;
        let unit = concern.unit();
        let space = if unit.is_empty() { "" } else { " " };
        write!(
            f,
            "{}: {value:.3e}{space}{unit}, bound {bound:.3e}{space}{unit}: {}",
            concern.name(),
            concern.remedy()
        )
    }
}

/// Steps longer than this, s, are long: bodies fall by more than a centimetre in one.
const LONGEST_STEP: f64 = 1.0 / 29.0;

impl World {
    /// What is likely to go badly when steps of `dt` seconds are made from here on, the same for the same world, by concern and body.
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, LintKind, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let cube = || ColliderSpec::new(Shape::cuboid(Vector3::repeat(0.5)).expect("positive"));
    /// let below = world.add_body(BodySpec::dynamic().collider(cube()))?;
    /// let above = world.add_body(BodySpec::dynamic().pose(Pose::at(0.0, 0.9, 0.0)).collider(cube()))?;
    /// let findings = world.lint(1.0 / 60.0)?;
    /// assert_eq!(findings.len(), 1);
    /// assert!(findings[0].concern == LintKind::Overlap && findings[0].bodies == [Some(below), Some(above)]);
    /// assert!((findings[0].value - 0.1).abs() < 1e-6, "m deep");
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// A `dt` that is not above 0 and finite.
    pub fn lint(&self, dt: Real) -> Result<Vec<LintFinding>, WorldError> {
        if !(dt > 0.0 && dt < Real::INFINITY) {
            let (field, expected) = ("dt", "above 0 and finite, s");
            return Err(WorldError::OutOfRange { field, expected, value: f64::from(dt) });
        }
        let mut findings = Vec::new();
        let seconds = f64::from(dt);
        if seconds > LONGEST_STEP {
            findings.push(LintFinding::new(LintKind::LongStep, [None; 2], seconds, LONGEST_STEP));
        }
        self.lint_bodies(seconds, &mut findings);
        self.lint_pairs(seconds, &mut findings);
        self.lint_joints(seconds, &mut findings);
        let key = |finding: &LintFinding| (finding.concern, finding.bodies.map(|body| body.map(|b| b.index)));
        findings.sort_by_key(key);
        Ok(findings)
    }

    /// Distance within which contacts begin, m: `detection.contact_margin` times `a dt²`.
    fn margin_of(&self, dt: f64) -> f64 {
        f64::from(self.config.detection.contact_margin)
            * f64::from(self.config.reference_acceleration)
            * dt
            * dt
    }
}
