//! Ties: what a joint asks of two bodies, as the response sees it. A tie is to a joint what a [`crate::Manifold`] is to two
//! shapes: anchors and frames, not kinds of joints.
//!
//! A tie has a frame fixed to each of its bodies. The motion of the frame of B seen from the frame of A has six coordinates:
//! where the origin of the one is along the axes of the other (m), and how far it is turned (rad): by its *twist* about x and
//! its *swing*, the turn of the x axis, about y and z (`q = swing · twist`; the swing is told by its rotation vector). Each
//! coordinate is locked, free, or free between limits, and may be driven. A seventh is the distance of the two origins.
//!
//! Invariants: a tie joins two bodies of which one at least can move; anchors and frames are in the axes of the bodies' centre
//! poses ([`crate::Bodies::center_pose`]); limits ascend.
//!
//! Where the twist is the only turn that is free (a hinge, or a shaft that slides as well), it is counted on from revolution to revolution
//! ([`JointConstraint::counts_turns`]): its limits and its target may be any number of turns away.

mod coordinates;
mod coupling;
mod rates;

pub use coordinates::{JointCoordinates, JointFrames, LEAST_OPENING};
pub use coupling::TieCoupling;

use crate::error::{ContactError, check_finite};
use crate::{Bodies, BodyIndex};
use drystone_math::{Real, Rotation, Vector3, narrow};

/// Coordinates of a tie: three along the axes of the frame of A, the twist and both components of the swing, and the distance.
pub const TIE_AXES: usize = 7;
/// Place of the distance of the origins among them.
pub const SPAN: usize = 6;
/// Place of the twist.
pub const TWIST: usize = 3;

/// What drives a coordinate of a tie: a spring and damper towards a moving target, as strong as it may be, and dry friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisDrive {
    /// Where the spring pulls to, m or rad: of a twist that is not counted ([`JointConstraint::counts_turns`]) in -π ..= π and, where that has no limits, the shorter way around.
    pub target: Real,
    /// What the damper brings the speed to, m/s or rad/s.
    pub speed: Real,
    /// Stiffness of the spring, N/m or N·m/rad.
    pub stiffness: Real,
    /// Damping, N·s/m or N·m·s/rad; infinite for a motor that keeps its speed as far as its force goes.
    pub damping: Real,
    /// Force or torque that acts besides (feed-forward), N or N·m; nothing of it is felt where the damping is infinite.
    pub force: Real,
    /// Largest force or torque of spring, damper and that together, N or N·m; 0 without a drive.
    pub most: Real,
    /// Force or torque of dry friction, N or N·m.
    pub friction: Real,
}

impl AxisDrive {
    /// No drive.
    pub const NONE: Self =
        Self { target: 0.0, speed: 0.0, stiffness: 0.0, damping: 0.0, force: 0.0, most: 0.0, friction: 0.0 };

    /// True for a motor that is to run: what it holds never rests.
    pub fn runs(&self) -> bool {
        self.most > 0.0 && self.speed != 0.0
    }
}

/// What one coordinate of a tie may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintAxis {
    /// Least value, m or rad, of a twist that is not counted ([`JointConstraint::counts_turns`]) in -π ..= π; -∞ without.
    pub lower: Real,
    /// Greatest value, likewise; ∞ without. Equal to the least one: locked there.
    pub upper: Real,
    /// What drives it.
    pub drive: AxisDrive,
}

impl ConstraintAxis {
    /// Free.
    pub const FREE: Self = Self { lower: Real::NEG_INFINITY, upper: Real::INFINITY, drive: AxisDrive::NONE };
    /// Locked at 0.
    pub const LOCKED: Self = Self { lower: 0.0, upper: 0.0, drive: AxisDrive::NONE };

    /// Free between two values, m or rad.
    pub const fn between(lower: Real, upper: Real) -> Self {
        Self { lower, upper, drive: AxisDrive::NONE }
    }

    /// True where it may have one value only.
    pub fn is_locked(&self) -> bool {
        self.lower == self.upper
    }

    /// True with a limit that is not both at once.
    pub fn is_limited(&self) -> bool {
        !self.is_locked() && (self.lower > Real::NEG_INFINITY || self.upper < Real::INFINITY)
    }

    /// True where something drives it or rubs.
    pub fn is_driven(&self) -> bool {
        self.drive.most > 0.0 || self.drive.friction > 0.0
    }
}

/// Impulses that the next step begins with: those of a whole step at the rate of the last sub-step, N·s and N·m·s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointWarmStart {
    /// Of what is locked: on B, world axes.
    pub lock: Vector3,
    /// The same about the axes of the world.
    pub turn_lock: Vector3,
    /// Of drives, by coordinate.
    pub drive: [Real; TIE_AXES],
    /// Of friction.
    pub friction: [Real; TIE_AXES],
    /// Of limits; the last one that of the cone.
    pub limit: [Real; TIE_AXES + 1],
    /// Strongest pull of late, however it was directed: it fades from sub-step to sub-step.
    pub strongest: Real,
    /// Inertia that both bodies had beside their own for what their ties did in the last sub-step, kg m².
    pub extra_inertia: [Real; 2],
    /// Work of its drives in the last step, J: what they gave both bodies in kinetic energy.
    pub work: f64,
    /// Of the first tie of those that hang together: what they gained over the least energy that they had, and their largest kinetic energy of late, J; and what
    /// they gained in places that no velocity could be slowed down for yet.
    pub energy: [Real; 3],
    /// The twist when it was last looked at, rad, in -π ..= π, and the whole revolutions that were counted by then.
    pub twist: Real,
    /// See `twist`.
    pub turns: i32,
    /// Of its coupling, per unit of what that is a sum of.
    pub coupling: Real,
    /// Length of the sub-steps that it was last solved in, s; 0 before that. Velocities are those in the middle of the last one.
    pub sub_step: Real,
    /// Whether it was solved together with others, as one system, in the last step.
    pub is_direct: bool,
    /// Whether it was part of a loop of joints that are solved together.
    pub in_loop: bool,
}

impl JointWarmStart {
    /// Forgets what the drive of a coordinate gave against its limit: no body felt it, and it would go on when one of both changes.
    pub fn release(&mut self, axis: usize) {
        let (drive, limit) = (&mut self.drive[axis], &mut self.limit[axis]);
        if *drive * *limit < 0.0 {
            let lost = drive.abs().min(limit.abs()).copysign(*drive);
            (*drive, *limit) = (*drive - lost, *limit + lost);
        }
    }
}

/// Which coordinates of a tie ask for anything: a bit for each by its place, and one for the cone after them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActiveAxes {
    /// Those that are limited, driven, rubbed or coupled, and a locked distance, whose direction changes.
    pub rows: u8,
    /// Those that are locked, but for the distance.
    pub locks: u8,
}

/// A joint as the response sees it. See the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointConstraint {
    /// Bodies A and B.
    pub bodies: [BodyIndex; 2],
    /// Origins of the two frames, from the centres of mass, m, axes of the bodies.
    pub anchors: [Vector3; 2],
    /// Axes of the two frames, in those of the bodies.
    pub frames: [Rotation; 2],
    /// What the coordinates may do.
    pub axes: [ConstraintAxis; TIE_AXES],
    /// Largest angle between the x axes of the frames, rad; ∞ without.
    pub cone: Real,
    /// Coordinates that couplings are about, of this tie or of others: a bit for each by its place. None of them is locked.
    pub coupled: u8,
    /// What it couples: two of its own coordinates, or those of two other ties.
    pub coupling: Option<TieCoupling>,
    /// Impulse on B of the last step at its anchor, N·s, world axes (A got the opposite).
    pub impulse: Vector3,
    /// Angular impulse on B of the last step besides, N·m·s, world axes (A got the opposite).
    pub torque: Vector3,
    /// What the next step begins with.
    pub memory: JointWarmStart,
}

impl JointConstraint {
    /// A tie without any hold: all coordinates are free.
    pub fn new(bodies: [BodyIndex; 2], anchors: [Vector3; 2], frames: [Rotation; 2]) -> Self {
        Self {
            bodies,
            anchors,
            frames,
            axes: [ConstraintAxis::FREE; TIE_AXES],
            cone: Real::INFINITY,
            coupled: 0,
            coupling: None,
            impulse: Vector3::zeros(),
            torque: Vector3::zeros(),
            memory: JointWarmStart::default(),
        }
    }

    /// Axes of both frames, origins from the centres, and the way from the centre of A to that of B where the bodies are; m, world.
    pub fn place(&self, bodies: &Bodies) -> ([Rotation; 2], [Vector3; 2], Vector3) {
        let poses = self.bodies.map(|body| bodies.center_pose(body));
        let turned = |k: usize| poses[k].rotation * self.frames[k];
        let arm = |k: usize| poses[k].rotation * self.anchors[k];
        let centers = narrow(&(poses[1].translation - poses[0].translation));
        ([turned(0), turned(1)], [arm(0), arm(1)], centers)
    }

    /// Coordinates where the bodies are; a twist that is counted, with its revolutions.
    pub fn coordinates(&self, bodies: &Bodies) -> JointCoordinates {
        let mut found = self.frames_now(bodies).coordinates();
        if self.counts_turns() {
            found.values[TWIST] = self.counted(found.values[TWIST]) as Real;
        }
        found
    }

    /// A coordinate where the bodies are, m or rad, in full: many revolutions are rounded in [`JointConstraint::coordinates`].
    pub fn value(&self, bodies: &Bodies, axis: usize) -> f64 {
        let value = self.frames_now(bodies).coordinates().values[axis];
        if axis == TWIST && self.counts_turns() { self.counted(value) } else { f64::from(value) }
    }

    fn frames_now(&self, bodies: &Bodies) -> JointFrames {
        let (rotations, arms, centers) = self.place(bodies);
        JointFrames { rotations, gap: centers + arms[1] - arms[0] }
    }

    /// True where the twist is the only turn that is free: it is counted on from revolution to revolution. Where a swing is free as well there is no telling
    /// how often it went around, and the twist stays in -π ..= π.
    pub fn counts_turns(&self) -> bool {
        let [twist, swing_y, swing_z] = [0, 1, 2].map(|k: usize| self.axes[TWIST + k].is_locked());
        !twist && swing_y && swing_z
    }

    /// Begins to count revolutions anew from a twist, rad, with its revolutions: where something else than the tie turned the bodies ([`JointConstraint::counts_turns`]).
    ///
    /// ```
    /// use drystone_contact::{BodyIndex, JointConstraint};
    /// use drystone_math::{Rotation, Vector3};
    /// let mut tie = JointConstraint::new([BodyIndex(1), BodyIndex(2)], [Vector3::zeros(); 2], [Rotation::identity(); 2]);
    /// tie.count_from(13.0);
    /// assert_eq!(tie.memory.turns, 2);
    /// assert!((f64::from(tie.memory.twist) + 2.0 * std::f64::consts::TAU - 13.0).abs() < 1e-6);
    /// ```
    pub fn count_from(&mut self, twist: f64) {
        let turns = (twist / std::f64::consts::TAU).round();
        self.memory.turns = turns as i32;
        self.memory.twist = (twist - turns * std::f64::consts::TAU) as Real;
    }

    /// A twist in -π ..= π with the revolutions that were counted, rad: it has turned by less than half a one since.
    fn counted(&self, twist: Real) -> f64 {
        let turns = self.memory.turns + JointCoordinates::turned(self.memory.twist, twist);
        f64::from(twist) + std::f64::consts::TAU * f64::from(turns)
    }

    /// How far what is locked is from where it should be: of places and the distance, m, and of angles, rad.
    pub fn error(&self, bodies: &Bodies) -> [Real; 2] {
        let found = self.coordinates(bodies);
        let miss = |k: usize| {
            let axis = &self.axes[k];
            if axis.is_locked() { found.off(k, axis.lower) } else { 0.0 }
        };
        let [x, y, z, twist, swing_y, swing_z, span] = std::array::from_fn(miss);
        [Vector3::new(x, y, z).norm().max(span.abs()), Vector3::new(twist, swing_y, swing_z).norm()]
    }

    /// Which coordinates ask for anything.
    pub fn holds(&self) -> ActiveAxes {
        let cone = u8::from(self.cone < Real::INFINITY) << TIE_AXES;
        let mut holds = ActiveAxes { rows: cone, locks: 0 };
        for (k, axis) in self.axes.iter().enumerate() {
            let (is_span, is_locked) = (k == SPAN, axis.is_locked());
            let is_coupled = self.coupled >> k & 1 == 1;
            let is_row = axis.is_limited() || axis.is_driven() || is_coupled || (is_span && is_locked);
            holds.rows |= u8::from(is_row) << k;
            holds.locks |= u8::from(is_locked && !is_span) << k;
        }
        holds
    }

    /// Forgets what the last step gave: after jumps. Revolutions stay counted.
    pub fn forget(&mut self) {
        (self.impulse, self.torque) = (Vector3::zeros(), Vector3::zeros());
        let JointWarmStart { twist, turns, .. } = self.memory;
        self.memory = JointWarmStart { twist, turns, ..JointWarmStart::default() };
    }

    /// False where an end is passive: that is out of the simulation, and the tie holds nothing.
    #[inline]
    pub fn is_active(&self, bodies: &Bodies) -> bool {
        !self.bodies.iter().any(|&body| bodies.hot(body).is_passive())
    }

    /// `Ok` when anchors are finite, limits ascend and drives are no nonsense.
    ///
    /// # Errors
    /// The first value out of range.
    pub fn validate(&self) -> Result<(), ContactError> {
        check_finite("anchor on body A", &self.anchors[0])?;
        check_finite("anchor on body B", &self.anchors[1])?;
        for frame in &self.frames {
            let norm = frame.norm();
            if norm.is_nan() || (norm - 1.0).abs() > 1e-3 {
                return Err(refused("frame", "a unit quaternion", norm));
            }
        }
        for (k, axis) in self.axes.iter().enumerate() {
            let ConstraintAxis { lower, upper, drive } = *axis;
            if lower.is_nan() || lower == Real::INFINITY {
                return Err(refused("lower limit", "a number, or -inf without", lower));
            }
            if upper.is_nan() || upper < lower || upper == Real::NEG_INFINITY {
                return Err(refused(
                    "upper limit",
                    "a number not below the lower one, or inf without",
                    upper,
                ));
            }
            if k == SPAN && upper <= 0.0 {
                return Err(refused("greatest distance", "positive", upper));
            }
            let (turn, is_held) = (std::f32::consts::PI, axis.is_locked() || axis.is_limited());
            let is_within = k == TWIST && !self.counts_turns();
            if is_within && is_held && (lower < -turn || upper > turn) {
                let value = if lower < -turn { lower } else { upper };
                return Err(refused("limit of the twist", "in -pi ..= pi, on both sides", value));
            }
            if is_within && drive.target.abs() > turn {
                return Err(refused("target of the twist", "in -pi ..= pi", drive.target));
            }
            for (name, value, can_be_infinite) in [
                ("target of the drive", drive.target, false),
                ("speed of the drive", drive.speed, false),
                ("stiffness of the drive", drive.stiffness, false),
                ("damping of the drive", drive.damping, true),
                ("force of the drive", drive.force, false),
                ("largest force of the drive", drive.most, true),
                ("friction of the joint", drive.friction, false),
            ] {
                let may_be_negative =
                    ["target", "speed", "force"].iter().any(|begin| name.starts_with(begin));
                let is_fine = (value.is_finite() || can_be_infinite && value == Real::INFINITY)
                    && (may_be_negative || value >= 0.0);
                if !is_fine {
                    let expected = if may_be_negative { "finite" } else { "zero or positive" };
                    return Err(refused(name, expected, value));
                }
            }
        }
        if self.cone.is_nan() || self.cone <= 0.0 {
            return Err(refused("angle of the cone", "positive, or inf without", self.cone));
        }
        self.coupling.map_or(Ok(()), |coupling| coupling.validate())
    }

    /// True when something of it gives energy: a motor that pulls to a moving target, or any spring. What is coupled gets energy from elsewhere.
    pub fn is_driven(&self) -> bool {
        self.coupled != 0 || self.coupling.is_some() || self.axes.iter().any(|axis| axis.drive.most > 0.0)
    }
}

fn refused(field: &'static str, expected: &'static str, value: Real) -> ContactError {
    ContactError::OutOfRange { field, expected, value: f64::from(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tie() -> JointConstraint {
        let frames = [Rotation::identity(); 2];
        JointConstraint::new([BodyIndex(1), BodyIndex(2)], [Vector3::zeros(); 2], frames)
    }

    #[test]
    fn nonsense_is_refused_by_name_and_value() {
        assert_eq!(tie().validate(), Ok(()));
        let text = |change: &dyn Fn(&mut JointConstraint)| {
            let mut tie = tie();
            change(&mut tie);
            tie.validate().expect_err("nonsense").to_string()
        };
        assert_eq!(text(&|t| t.anchors[1].y = Real::NAN), "anchor on body B must be finite, got (0, NaN, 0)");
        assert_eq!(
            text(&|t| t.axes[0] = ConstraintAxis::between(1.0, -1.0)),
            "upper limit must be a number not below the lower one, or inf without, got -1"
        );
        let nowhere = Real::NEG_INFINITY;
        assert_eq!(
            text(&|t| t.axes[0] = ConstraintAxis::between(nowhere, nowhere)),
            "upper limit must be a number not below the lower one, or inf without, got -inf"
        );
        assert_eq!(
            text(&|t| t.axes[3] = ConstraintAxis::between(-4.0, 1.0)),
            "limit of the twist must be in -pi ..= pi, on both sides, got -4"
        );
        assert_eq!(
            text(&|t| t.axes[3] = ConstraintAxis::between(4.0, 4.0)),
            "limit of the twist must be in -pi ..= pi, on both sides, got 4"
        );
        assert_eq!(
            text(&|t| t.axes[3].drive.target = -3.5),
            "target of the twist must be in -pi ..= pi, got -3.5"
        );
        assert_eq!(
            text(&|t| t.axes[4].drive.friction = -2.0),
            "friction of the joint must be zero or positive, got -2"
        );
        assert_eq!(text(&|t| t.cone = 0.0), "angle of the cone must be positive, or inf without, got 0");
        assert_eq!(
            text(&|t| t.axes[SPAN] = ConstraintAxis::between(-1.0, 0.0)),
            "greatest distance must be positive, got 0"
        );
    }
}
