//! What may be done to a scene without changing what happens in it.

use super::EndState;
use crate::{BodySpec, ColliderSpec, PairMaterial, Shape, ShapeError, WorldConfig, WorldError};
use drystone_contact::AxisLocks;
use drystone_math::inertia::MassProperties;
use drystone_math::{
    Displacement, Pose, Position, Real, RelativePose, Rotation, Vector3, narrow_rotation, widen_rotation,
};

/// What is done to a scene, gravity included.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Turned about the origin. Bodies with locked axes, which are the world's, are refused.
    Rotated(Rotation),
    /// Mirrored at the plane `x = 0`. Height fields are refused.
    Mirrored,
    /// Moved as a whole, m.
    Moved(Displacement),
    /// Bodies are added in the opposite order.
    Reversed,
    /// Bodies are added in an order drawn with this number.
    Shuffled(u64),
    /// All lengths are so many times as long, and so are accelerations and speeds; times and densities stay, and given masses grow as volumes do. With a power of two every number of the motion is the
    /// same but for its exponent, so that what differs shows a length or speed that is written into the engine or its settings.
    Scaled(Real),
}

/// Why an experiment could not be run or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TestingError {
    /// The world refused something.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A scaled or mirrored shape was refused.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Something in the scene cannot be changed like that.
    #[error("{what} cannot be {change}")]
    Unsupported {
        /// What it is.
        what: &'static str,
        /// What was to be done with it.
        change: &'static str,
    },
}

/// A mirrored vector: a place, a velocity.
fn mirrored(v: &Vector3) -> Vector3 {
    Vector3::new(-v.x, v.y, v.z)
}

/// A mirrored rotation, of a body whose shape is mirrored too.
fn mirrored_rotation(rotation: &Rotation) -> Rotation {
    let mut mirrored = *rotation.quaternion();
    (mirrored.j, mirrored.k) = (-mirrored.j, -mirrored.k);
    Rotation::new_unchecked(mirrored)
}

impl Change {
    /// Where the body with this index in the list of `count` is added.
    pub(super) fn place(&self, index: usize, count: usize) -> usize {
        match self {
            Self::Reversed => count - 1 - index,
            Self::Shuffled(seed) => shuffled(*seed, count)[index],
            _ => index,
        }
    }

    /// Settings under the change.
    pub(super) fn config(&self, config: &WorldConfig) -> Result<WorldConfig, TestingError> {
        let mut config = config.clone();
        let scale = self.scale();
        config.gravity = self.vector(&config.gravity) * scale;
        config.reference_acceleration *= scale;
        // A force is a mass times an acceleration.
        config.global_force = self.vector(&config.global_force) * scale.powi(4);
        self.check_locks(&config.locks)?;
        Ok(config)
    }

    /// A body under the change.
    pub(super) fn body(&self, body: &BodySpec) -> Result<BodySpec, TestingError> {
        self.check_locks(&body.locks)?;
        let colliders = body.colliders.iter().map(|c| self.collider(c)).collect::<Result<_, _>>()?;
        let mass = body.mass.map(|mass| self.mass(&mass));
        let total_mass = body.total_mass.map(|mass| mass * self.scale().powi(3));
        Ok(BodySpec {
            pose: self.pose(&body.pose),
            linear: self.vector(&body.linear) * self.scale(),
            angular: self.axial(&body.angular),
            colliders,
            mass,
            total_mass,
            ..body.clone()
        })
    }

    /// What pairs of surfaces do under the change: rolling friction is a length.
    pub(super) fn surfaces(&self, pair: &PairMaterial) -> PairMaterial {
        PairMaterial { rolling_friction: pair.rolling_friction * self.scale(), ..*pair }
    }

    /// What a state under the change was before it.
    pub(super) fn taken_back(&self, end: &EndState) -> EndState {
        let back = match self {
            Self::Rotated(rotation) => Self::Rotated(rotation.inverse()),
            Self::Moved(way) => Self::Moved(-way),
            Self::Scaled(factor) => Self::Scaled(1.0 / factor),
            other => other.clone(),
        };
        EndState {
            pose: back.pose(&end.pose),
            linear: back.vector(&end.linear) * back.scale(),
            angular: back.axial(&end.angular),
            ..*end
        }
    }

    fn scale(&self) -> Real {
        if let Self::Scaled(factor) = self { *factor } else { 1.0 }
    }

    /// Direction of a vector that is no axis of a turn; its length stays.
    fn vector(&self, v: &Vector3) -> Vector3 {
        match self {
            Self::Rotated(rotation) => rotation * v,
            Self::Mirrored => mirrored(v),
            _ => *v,
        }
    }

    /// Direction of an axis of a turn.
    fn axial(&self, v: &Vector3) -> Vector3 {
        match self {
            Self::Rotated(rotation) => rotation * v,
            // A mirror turns round the sense of a turn.
            Self::Mirrored => -mirrored(v),
            _ => *v,
        }
    }

    fn pose(&self, pose: &Pose) -> Pose {
        let at = pose.translation.coords;
        let (at, rotation) = match self {
            Self::Rotated(turn) => {
                let wide = widen_rotation(turn);
                (wide * at, narrow_rotation(&(wide * widen_rotation(&pose.rotation))))
            }
            Self::Mirrored => (Displacement::new(-at.x, at.y, at.z), mirrored_rotation(&pose.rotation)),
            Self::Moved(way) => (at + way, pose.rotation),
            Self::Scaled(factor) => (at * f64::from(*factor), pose.rotation),
            Self::Reversed | Self::Shuffled(_) => (at, pose.rotation),
        };
        Pose::new(Position::from(at), rotation)
    }

    /// A vector in the frame of a body or shape, which turns and moves with the body.
    fn local(&self, v: &Vector3) -> Vector3 {
        if matches!(self, Self::Mirrored) { mirrored(v) } else { v * self.scale() }
    }

    fn local_rotation(&self, rotation: &Rotation) -> Rotation {
        if matches!(self, Self::Mirrored) { mirrored_rotation(rotation) } else { *rotation }
    }

    fn collider(&self, collider: &ColliderSpec) -> Result<ColliderSpec, TestingError> {
        let local = &collider.local;
        Ok(ColliderSpec {
            shape: self.shape(&collider.shape)?,
            local: RelativePose::new(self.local(&local.translation), self.local_rotation(&local.rotation)),
            surface_velocity: self.local(&collider.surface_velocity),
            ..collider.clone()
        })
    }

    fn shape(&self, shape: &Shape) -> Result<Shape, TestingError> {
        let (is_mirrored, s) = (matches!(self, Self::Mirrored), self.scale());
        if !is_mirrored && s == 1.0 {
            return Ok(shape.clone());
        }
        let moved = |points: &[Vector3]| points.iter().map(|v| self.local(v)).collect::<Vec<_>>();
        Ok(match shape {
            Shape::Sphere { radius } => Shape::sphere(radius * s)?,
            Shape::Box { half_extents } => Shape::cuboid(half_extents * s)?,
            Shape::Capsule { half_length, radius } => Shape::capsule(half_length * s, radius * s)?,
            Shape::Cylinder { half_height, radius } => Shape::cylinder(half_height * s, radius * s)?,
            Shape::Cone { half_height, radius } => Shape::cone(half_height * s, radius * s)?,
            Shape::Hull(hull) => Shape::hull(&moved(&hull.vertices))?,
            Shape::HalfSpace { normal } => Shape::half_space(self.local(normal) / s)?,
            Shape::Mesh(mesh) => {
                let turned = |&[a, b, c]: &[u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
                let triangles: Vec<_> = mesh.triangles().iter().map(turned).collect();
                Shape::mesh(&moved(mesh.vertices()), &triangles)?
            }
            Shape::HeightField(field) if !is_mirrored => {
                let heights: Vec<Real> = field.heights().iter().map(|h| h * s).collect();
                Shape::height_field(field.rows(), field.columns(), &heights, field.cell().map(|c| c * s))?
            }
            _ => return Err(TestingError::Unsupported { what: "a height field", change: "mirrored" }),
        })
    }

    fn mass(&self, mass: &MassProperties) -> MassProperties {
        let s = self.scale();
        MassProperties {
            mass: mass.mass * s.powi(3),
            center: self.local(&mass.center),
            principal: mass.principal * s.powi(5),
            frame: self.local_rotation(&mass.frame),
        }
    }

    fn check_locks(&self, locks: &AxisLocks) -> Result<(), TestingError> {
        if matches!(self, Self::Rotated(_)) && !locks.is_free() {
            return Err(TestingError::Unsupported { what: "a body with locked axes", change: "rotated" });
        }
        Ok(())
    }
}

/// A permutation of `count` indices drawn with `seed`.
fn shuffled(seed: u64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = seed;
    for k in (1..count).rev() {
        // A linear congruential step (Knuth's constants); its upper half is even enough for a shuffle.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(k, (state >> 33) as usize % (k + 1));
    }
    order
}
