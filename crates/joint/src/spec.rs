//! What a joint is to be, before it is.

use crate::presets::{SoftPart, soften, steered};
use crate::{JointAxis, JointError, JointKind, Motor, Softness};
use drystone_contact::{Bodies, BodyHandle, ConstraintAxis, JointConstraint};
use drystone_math::{Position, Real, Rotation, Vector3, is_finite, narrow};

/// Where a joint is on one of its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// In the body's own frame: origin, m, and axes.
    Local {
        /// m.
        origin: Vector3,
        /// Axes of the joint in those of the body.
        axes: Rotation,
    },
    /// Where the body is when the joint is added: origin, m, and axes, world.
    World {
        /// m.
        origin: Position,
        /// Axes of the joint, world.
        axes: Rotation,
    },
}

/// Sine of the angle between the two directions of a joint below which they count as one.
const LEAST_SINE: Real = 1e-3;

/// A joint to be: its kind, its bodies, and what it does.
///
/// What is not said: the joint is at the middle of both bodies' origins, along the world's axes, without limits, motor or friction, does not break, and
/// lets its bodies pass through each other.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    pub(crate) kind: JointKind,
    bodies: [BodyHandle; 2],
    anchors: [Option<Anchor>; 2],
    axes: Vec<(JointAxis, AxisSpec)>,
    cone: Real,
    /// Of a screw: m per revolution.
    pub(crate) pitch: Real,
    /// Of a wheel, rad.
    pub(crate) steering: Real,
    pub(crate) soft: Vec<(SoftPart, Softness)>,
    pub(crate) breaking: [Real; 2],
    pub(crate) collides: bool,
    /// The first thing that went wrong while it was put together.
    error: Option<JointError>,
}

/// What is said of one coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct AxisSpec {
    limits: Option<[Real; 2]>,
    motor: Option<Motor>,
    friction: Real,
}

impl JointSpec {
    /// A joint of some kind.
    pub fn new(kind: JointKind, a: BodyHandle, b: BodyHandle) -> Self {
        Self {
            kind,
            bodies: [a, b],
            anchors: [None; 2],
            axes: Vec::new(),
            cone: Real::INFINITY,
            pitch: 0.0,
            steering: 0.0,
            soft: Vec::new(),
            breaking: [Real::INFINITY; 2],
            collides: false,
            error: None,
        }
    }

    /// A rod, rope or spring between two points: without limits a rod of the length that it has when it is added.
    pub fn distance(a: BodyHandle, b: BodyHandle) -> Self {
        Self::new(JointKind::Distance, a, b)
    }

    /// One point in common.
    pub fn ball(a: BodyHandle, b: BodyHandle) -> Self {
        Self::new(JointKind::Ball, a, b)
    }

    /// One axis in common, to turn about.
    pub fn hinge(a: BodyHandle, b: BodyHandle) -> Self {
        Self::new(JointKind::Hinge, a, b)
    }

    /// One axis in common, to slide along.
    pub fn slider(a: BodyHandle, b: BodyHandle) -> Self {
        Self::new(JointKind::Slider, a, b)
    }

    /// All held as it is.
    pub fn fixed(a: BodyHandle, b: BodyHandle) -> Self {
        Self::new(JointKind::Fixed, a, b)
    }

    /// One point in common, x axes in a cone ([`JointSpec::cone`]).
    pub fn cone_twist(a: BodyHandle, b: BodyHandle) -> Self {
        Self::new(JointKind::ConeTwist, a, b)
    }

    /// Six coordinates, held until they are let free ([`JointSpec::axis_limits`]).
    pub fn generic(a: BodyHandle, b: BodyHandle) -> Self {
        Self::new(JointKind::Generic, a, b)
    }

    /// Where it is on both bodies: a point of the world, where the bodies are when it is added.
    #[must_use]
    pub fn at(self, origin: Position) -> Self {
        let axes = self.axes_so_far();
        self.anchored([Anchor::World { origin, axes: axes[0] }, Anchor::World { origin, axes: axes[1] }])
    }

    /// Between two points of the world, on A and on B.
    #[must_use]
    pub fn between(self, on_a: Position, on_b: Position) -> Self {
        let axes = self.axes_so_far();
        self.anchored([
            Anchor::World { origin: on_a, axes: axes[0] },
            Anchor::World { origin: on_b, axes: axes[1] },
        ])
    }

    /// Its x axis, world, any length; after [`JointSpec::at`] or [`JointSpec::between`].
    #[must_use]
    pub fn along(mut self, axis: Vector3) -> Self {
        let Some(axis) = axis.try_normalize(0.0).filter(is_finite) else {
            return self.refuse(JointError::NoAxis { axis: axis.into() });
        };
        let turn = Rotation::rotation_between(&Vector3::x(), &axis).unwrap_or_else(|| {
            drystone_math::rotation_from_vector(&Vector3::new(0.0, 0.0, std::f32::consts::PI))
        });
        for anchor in &mut self.anchors {
            match anchor {
                Some(Anchor::World { axes, .. } | Anchor::Local { axes, .. }) => *axes = turn,
                None => {
                    let what = "place yet: say `at` or `between` before `along`";
                    let kind = self.kind;
                    return self.refuse(JointError::HasNo { kind, what });
                }
            }
        }
        self
    }

    /// The direction of its y axis, world, any length: the part of it across the x axis; after [`JointSpec::along`].
    #[must_use]
    pub fn across(self, axis: Vector3) -> Self {
        let [x, _] = self.axes_so_far().map(|axes| axes * Vector3::x());
        let along = axis.try_normalize(0.0).map(|axis| axis - x * x.dot(&axis));
        let Some(y) = along.and_then(|y| y.try_normalize(LEAST_SINE)).filter(is_finite) else {
            return self.refuse(JointError::NoAxis { axis: axis.into() });
        };
        let anchors = self.anchors.map(|anchor| match anchor {
            // Looks along z, with y above.
            Some(Anchor::World { origin, .. }) => {
                Some(Anchor::World { origin, axes: Rotation::face_towards(&x.cross(&y), &y) })
            }
            _ => None,
        });
        if anchors.contains(&None) {
            let what = "place in the world yet: say `at` or `between` before `across`";
            let kind = self.kind;
            return self.refuse(JointError::HasNo { kind, what });
        }
        Self { anchors, ..self }
    }

    /// Where it is on each of its bodies.
    #[must_use]
    pub fn anchored(mut self, anchors: [Anchor; 2]) -> Self {
        self.anchors = anchors.map(Some);
        self
    }

    /// Limits of its main coordinate: the angle of a hinge, screw or wheel (rad, over any number of turns) or of the twist of a cone (in -π ..= π), the way of a slider, the length of a distance (m). From where the two frames agree;
    /// `-∞` and `∞` where there is none. Equal ones hold it there.
    #[must_use]
    pub fn limits(self, lower: Real, upper: Real) -> Self {
        self.main("limits", |axis| axis.limits = Some([lower, upper]))
    }

    /// What drives its main coordinate.
    #[must_use]
    pub fn motor(self, motor: Motor) -> Self {
        self.main("motor", |axis| axis.motor = Some(motor))
    }

    /// Dry friction of its main coordinate, N or N·m; of a ball or cone-twist joint about each of its three axes.
    #[must_use]
    pub fn friction(self, friction: Real) -> Self {
        if !matches!(self.kind, JointKind::Ball | JointKind::ConeTwist) {
            return self.main("friction", |axis| axis.friction = friction);
        }
        [JointAxis::Twist, JointAxis::SwingY, JointAxis::SwingZ]
            .into_iter()
            .fold(self, |spec, axis| spec.axis_friction(axis, friction))
    }

    /// Limits of a coordinate (see [`JointSpec::limits`]).
    #[must_use]
    pub fn axis_limits(self, axis: JointAxis, lower: Real, upper: Real) -> Self {
        self.axis(axis, "limits there", |own| own.limits = Some([lower, upper]))
    }

    /// What drives a coordinate.
    #[must_use]
    pub fn axis_motor(self, axis: JointAxis, motor: Motor) -> Self {
        self.axis(axis, "motor there", |own| own.motor = Some(motor))
    }

    /// Dry friction of a coordinate, N or N·m.
    #[must_use]
    pub fn axis_friction(self, axis: JointAxis, friction: Real) -> Self {
        self.axis(axis, "friction there", |own| own.friction = friction)
    }

    /// Largest angle between the x axes, rad: of a ball or cone-twist joint.
    #[must_use]
    pub fn cone(mut self, angle: Real) -> Self {
        if !matches!(self.kind, JointKind::Ball | JointKind::ConeTwist) {
            let kind = self.kind;
            return self.refuse(JointError::HasNo { kind, what: "cone" });
        }
        self.cone = angle;
        self
    }

    /// Breaks when it has to give more than this force (N) or torque (N·m), the mean over a step; `∞` for one that holds all.
    #[must_use]
    pub fn breaks_above(mut self, force: Real, torque: Real) -> Self {
        for (field, value) in [("force that breaks a joint", force), ("torque that breaks a joint", torque)] {
            if value.is_nan() || value <= 0.0 {
                let expected = "positive, or inf without";
                return self.refuse(JointError::OutOfRange { field, expected, value: f64::from(value) });
            }
        }
        self.breaking = [force, torque];
        self
    }

    /// Whether its two bodies meet each other, as far as filters and rules say so.
    #[must_use]
    pub fn collides(mut self, collides: bool) -> Self {
        self.collides = collides;
        self
    }

    /// Its kind.
    pub fn kind(&self) -> JointKind {
        self.kind
    }

    /// Its bodies.
    pub fn bodies(&self) -> [BodyHandle; 2] {
        self.bodies
    }

    /// The tie that it is, where its bodies are now.
    ///
    /// # Errors
    /// The first thing that is wrong with it; an unknown body.
    pub fn tie(&self, bodies: &Bodies) -> Result<JointConstraint, JointError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if self.kind.couples_joints() {
            return Err(JointError::NeedsJoints { kind: self.kind });
        }
        let indices = [bodies.index(self.bodies[0])?, bodies.index(self.bodies[1])?];
        let origins = indices.map(|body| bodies.origin_pose(body));
        let middle = origins[0].translation + (origins[1].translation - origins[0].translation) * 0.5;
        let usual = Anchor::World { origin: middle, axes: Rotation::identity() };
        let mut anchors = [Vector3::zeros(); 2];
        let mut frames = [Rotation::identity(); 2];
        for side in 0..2 {
            let center = bodies.center_pose(indices[side]);
            let center_local = bodies.mass_properties(indices[side]).center;
            match self.anchors[side].unwrap_or(usual) {
                Anchor::Local { origin, axes } => {
                    (anchors[side], frames[side]) = (origin - center_local, axes);
                }
                Anchor::World { origin, axes } => {
                    let way = narrow(&(origin - center.translation));
                    let back = center.rotation.inverse();
                    (anchors[side], frames[side]) = (back * way, back * axes);
                }
            }
        }
        let mut tie = JointConstraint::new(indices, anchors, frames);
        tie.axes = self.kind.axes();
        tie.cone = self.cone;
        if self.kind == JointKind::Distance
            && !self.axes.iter().any(|(_, own)| own.limits.is_some() || own.motor.is_some())
        {
            let length = tie.coordinates(bodies).values[JointAxis::Distance as usize];
            tie.axes[JointAxis::Distance as usize] = ConstraintAxis::between(length, length);
        }
        for &(axis, own) in &self.axes {
            let place = &mut tie.axes[axis as usize];
            if let Some([lower, upper]) = own.limits {
                (place.lower, place.upper) = (lower, upper);
            }
            place.drive = Motor::drive(own.motor, own.friction);
        }
        for &(part, softness) in &self.soft {
            soften(&mut tie, part, softness, bodies);
        }
        if self.kind == JointKind::Screw {
            self.couple_screw(&mut tie, bodies)?;
        }
        if self.kind == JointKind::Wheel {
            // Straight on, until it is steered ([`crate::Joints::set_steering`]).
            steered(tie.frames[0], self.steering)?;
        }
        tie.validate()?;
        tie.memory.twist = tie.coordinates(bodies).values[JointAxis::Twist as usize];
        Ok(tie)
    }

    fn axes_so_far(&self) -> [Rotation; 2] {
        self.anchors.map(|anchor| match anchor {
            Some(Anchor::World { axes, .. } | Anchor::Local { axes, .. }) => axes,
            None => Rotation::identity(),
        })
    }

    fn main(self, what: &'static str, change: impl FnOnce(&mut AxisSpec)) -> Self {
        match self.kind.main_axis() {
            Some(axis) => self.axis(axis, what, change),
            None => {
                let kind = self.kind;
                self.refuse(JointError::HasNo { kind, what })
            }
        }
    }

    fn axis(mut self, axis: JointAxis, what: &'static str, change: impl FnOnce(&mut AxisSpec)) -> Self {
        if !self.kind.has(axis) {
            let kind = self.kind;
            return self.refuse(JointError::HasNo { kind, what });
        }
        let place = self.axes.iter().position(|(own, _)| *own == axis).unwrap_or_else(|| {
            self.axes.push((axis, AxisSpec::default()));
            self.axes.len() - 1
        });
        change(&mut self.axes[place].1);
        self
    }

    pub(crate) fn refuse(mut self, error: JointError) -> Self {
        self.error.get_or_insert(error);
        self
    }
}
