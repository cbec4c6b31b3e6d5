//! What couples two joints, before it does.

use crate::{Joint, JointAxis, JointError, JointKind};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, JointConstraint, JointHandle, TieCoupling};
use drystone_math::Real;

/// Sizes of factors: the squares of what is beyond, times inverse masses, leave the range in which single precision has all of its digits.
const LEAST_FACTOR: Real = 1e-9;
const MOST_FACTOR: Real = 1e9;

/// A joint to be that couples coordinates of two others: gears, racks, pulleys.
///
/// It holds a sum, `f₀ q₀ + f₁ q₁` of two coordinates of two joints, each against whatever its joint is on: the frame of a machine may stand or move. The coordinates are
/// counted over revolutions, so what is held does not drift, and the bodies of a joint may be in any place when it is added. It is gone when one of its joints is.
///
/// ```
/// use drystone_contact::JointHandle;
/// use drystone_joint::{CouplingSpec, JointKind};
/// # let (crank, wheel) = (JointHandle { index: 0, generation: 1 }, JointHandle { index: 1, generation: 1 });
/// // The wheel turns once while the crank turns three times the other way.
/// let gear = CouplingSpec::gear(crank, wheel, -1.0 / 3.0).breaks_above(f32::INFINITY, 50.0);
/// assert_eq!((gear.kind(), gear.joints()), (JointKind::Gear, [crank, wheel]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CouplingSpec {
    kind: JointKind,
    joints: [JointHandle; 2],
    axes: [JointAxis; 2],
    factors: [Real; 2],
    limits: Option<[f64; 2]>,
    pub(crate) breaking: [Real; 2],
    pub(crate) collides: bool,
}

impl CouplingSpec {
    /// Holds `factors[0] q₀ + factors[1] q₁` as it is when it is added. Factors are 1e-9 to 1e9 in size.
    pub fn new(joints: [JointHandle; 2], axes: [JointAxis; 2], factors: [Real; 2]) -> Self {
        Self {
            kind: JointKind::Coupling,
            joints,
            axes,
            factors,
            limits: None,
            breaking: [Real::INFINITY; 2],
            collides: false,
        }
    }

    /// The second joint turns by `ratio` times what the first one turns by: negative for wheels that mesh from outside. Both are hinges, screws or wheels, or
    /// generic joints whose twist is their only free turn.
    pub fn gear(first: JointHandle, second: JointHandle, ratio: Real) -> Self {
        let axes = [JointAxis::Twist; 2];
        Self { kind: JointKind::Gear, ..Self::new([first, second], axes, [ratio, -1.0]) }
    }

    /// The rack (a slider) goes by `radius` (m per rad) times what the pinion (a hinge) turns by.
    pub fn rack_and_pinion(pinion: JointHandle, rack: JointHandle, radius: Real) -> Self {
        let axes = [JointAxis::Twist, JointAxis::X];
        Self { kind: JointKind::RackAndPinion, ..Self::new([pinion, rack], axes, [radius, -1.0]) }
    }

    /// A rope over two fixed points, or points of bodies: `length₀ + ratio · length₁` is at most what it is when it is added. Both are distance joints with room
    /// (`limits(0.0, f32::INFINITY)`). With a ratio of 2 the second one hangs in two falls of the rope.
    pub fn pulley(first: JointHandle, second: JointHandle, ratio: Real) -> Self {
        let axes = [JointAxis::Distance; 2];
        Self { kind: JointKind::Pulley, ..Self::new([first, second], axes, [1.0, ratio]) }
    }

    /// Least and greatest value of the sum, in place of what it is when it is added; `-∞` and `∞` where there is none.
    #[must_use]
    pub fn limits(self, least: f64, greatest: f64) -> Self {
        Self { limits: Some([least, greatest]), ..self }
    }

    /// Breaks when it has to give the second joint more than this force (N) or torque (N·m), the mean over a step; `∞` for one that holds all.
    #[must_use]
    pub fn breaks_above(self, force: Real, torque: Real) -> Self {
        Self { breaking: [force, torque], ..self }
    }

    /// Whether the two bodies that it couples meet each other.
    #[must_use]
    pub fn collides(self, collides: bool) -> Self {
        Self { collides, ..self }
    }

    /// Its kind.
    pub fn kind(&self) -> JointKind {
        self.kind
    }

    /// The joints that it couples.
    pub fn joints(&self) -> [JointHandle; 2] {
        self.joints
    }

    /// The coordinates of them.
    pub fn axes(&self) -> [JointAxis; 2] {
        self.axes
    }

    /// What they are multiplied with.
    pub fn factors(&self) -> [Real; 2] {
        self.factors
    }

    /// The tie that it is between bodies of these two joints, where they are now.
    pub(crate) fn tie(
        &self,
        joints: [&Joint; 2],
        bodies: &Bodies,
        graph: &ContactGraph,
    ) -> Result<JointConstraint, JointError> {
        self.check()?;
        let ties = [0, 1].map(|k: usize| graph.tie(joints[k].edge()).ok_or(self.unknown(k)));
        let [first, second] = ties;
        let ties = [first?, second?];
        let mut sum = 0.0;
        for k in 0..2 {
            self.check_axis(k, joints[k], ties[k])?;
            sum += f64::from(self.factors[k]) * ties[k].value(bodies, self.axes[k] as usize);
        }
        let usual = if self.kind == JointKind::Pulley { [f64::NEG_INFINITY, sum] } else { [sum, sum] };
        let [least, greatest] = self.limits.unwrap_or(usual);
        let sides = sides(ties, bodies);
        let of = |k: usize| ties[k].bodies[sides[k]];
        let anchors = [0, 1].map(|k: usize| ties[k].anchors[sides[k]]);
        let mut tie =
            JointConstraint::new([of(0), of(1)], anchors, [0, 1].map(|k: usize| ties[k].frames[sides[k]]));
        tie.coupling = Some(TieCoupling {
            edges: Some([joints[0].edge(), joints[1].edge()]),
            axes: self.axes.map(|axis| axis as usize),
            factors: self.factors,
            least,
            greatest,
        });
        Ok(tie)
    }

    fn unknown(&self, k: usize) -> JointError {
        JointError::UnknownJoint(self.joints[k])
    }

    /// `Ok` when its numbers are none of nonsense.
    fn check(&self) -> Result<(), JointError> {
        let out = |field, expected, value: f64| Err(JointError::OutOfRange { field, expected, value });
        let field = match self.kind {
            JointKind::Gear => "ratio of a gear",
            JointKind::RackAndPinion => "radius of a pinion",
            JointKind::Pulley => "ratio of a pulley",
            _ => "factor of a coupling",
        };
        for factor in self.factors {
            let is_fine = factor.is_finite() && factor != 0.0;
            if self.kind == JointKind::Pulley && !(is_fine && factor > 0.0) {
                return out(field, "finite and positive", f64::from(factor));
            }
            if !is_fine {
                return out(field, "finite and not 0", f64::from(factor));
            }
            if !(LEAST_FACTOR..=MOST_FACTOR).contains(&factor.abs()) {
                return out(field, "1e-9 to 1e9 in size", f64::from(factor));
            }
        }
        for (field, value) in [
            ("force that breaks a joint", self.breaking[0]),
            ("torque that breaks a joint", self.breaking[1]),
        ] {
            if value.is_nan() || value <= 0.0 {
                return out(field, "positive, or inf without", f64::from(value));
            }
        }
        Ok(())
    }

    fn check_axis(&self, k: usize, joint: &Joint, tie: &JointConstraint) -> Result<(), JointError> {
        let axis = self.axes[k];
        let refused = |reason| Err(JointError::CannotCouple { joint: self.joints[k], axis, reason });
        if joint.kind().couples_joints() {
            return refused("it couples joints itself");
        }
        if tie.axes[axis as usize].is_locked() {
            return refused("it is held (a distance is free with limits of 0 and inf)");
        }
        if axis == JointAxis::Twist && !tie.counts_turns() {
            return refused("its swings are free as well, so that nothing tells how often it went around");
        }
        Ok(())
    }
}

/// Which bodies of two ties a coupling is between: two that move, if there are two, so that all it moves are one island; B rather than A.
fn sides(ties: [&JointConstraint; 2], bodies: &Bodies) -> [usize; 2] {
    let all = [[1, 1], [1, 0], [0, 1], [0, 0]];
    let moves = |body: BodyIndex| bodies.hot(body).is_dynamic();
    let of = |sides: [usize; 2]| [ties[0].bodies[sides[0]], ties[1].bodies[sides[1]]];
    let both = all.into_iter().find(|&sides| {
        let [a, b] = of(sides);
        a != b && moves(a) && moves(b)
    });
    let one = || all.into_iter().find(|&sides| of(sides)[0] != of(sides)[1]);
    both.or_else(one).unwrap_or([1, 1])
}
