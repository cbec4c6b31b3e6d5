//! Where links are and how they move, from a state: in world axes, at each link's origin.
//!
//! Featherstone (2008), section 4.4 and the first loop of algorithm 5.1:
//! ```text
//! v̂ᵢ = v̂_p + Sᵢ q̇ᵢ          ĉᵢ = d/dt(Sᵢ) q̇ᵢ,  v̂ᵢ × Sᵢ q̇ᵢ for directions that are fixed in the link
//! ```
//! `S` are the directions in which a joint moves its link, `ĉ` the acceleration that its velocity causes. All directions are fixed
//! in the link but the linear ones of a free joint, which are fixed in the world: their `ĉ` is zero.

use crate::model::{JointKind, Link, LinkIndex, Model, Transform};
use crate::spatial::small::{outer, product, sum, times, turned};
use crate::spatial::{SpatialForce, SpatialInertia, SpatialMotion, cross_matrix, sine_cosine};
use crate::state::{State, quaternion};
use drystone_math::Carried;
use nalgebra::{Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

/// A link now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkPose {
    /// From the link's axes to the world's.
    pub rotation: Matrix3<f64>,
    /// Its origin in the world, m.
    pub origin: Vector3<f64>,
    /// Its origin from its parent's origin, m; zero for a root.
    pub arm: Vector3<f64>,
    /// Its velocity at its origin.
    pub velocity: SpatialMotion,
    /// `ĉ`: the acceleration that the velocity of its joint causes.
    pub velocity_bias: SpatialMotion,
    /// Its inertia at its origin, in world axes.
    pub inertia: SpatialInertia,
}

impl LinkPose {
    /// What the link has of the motion of its parent, at its own origin: velocity, acceleration or a change of either; `world` for a root.
    #[inline(always)]
    pub(crate) fn inherited(
        &self,
        parent: Option<LinkIndex>,
        motions: &[SpatialMotion],
        world: SpatialMotion,
    ) -> SpatialMotion {
        parent.map_or(world, |parent| motions[parent.index()].moved(&self.arm))
    }
}

/// All links of a model, for one state. Made once, updated without allocation.
#[derive(Clone, Debug, PartialEq)]
pub struct Kinematics {
    pub(crate) links: Vec<LinkPose>,
    /// `S`: a direction per degree of freedom, at the origin of its link.
    pub(crate) axes: Vec<SpatialMotion>,
}

impl Kinematics {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.links.heap_bytes() + self.axes.heap_bytes()
    }

    /// Room for a model; [`Kinematics::update`] fills it.
    pub fn new(model: &Model) -> Self {
        let zero = Vector3::zeros();
        let inertia = SpatialInertia { mass: 0.0, center: zero, rotational: Matrix3::zeros() };
        let still = SpatialMotion::default();
        let pose = LinkPose {
            rotation: Matrix3::identity(),
            origin: zero,
            arm: zero,
            velocity: still,
            velocity_bias: still,
            inertia,
        };
        Self { links: vec![pose; model.link_count()], axes: vec![still; model.dof_count()] }
    }

    /// Finds all links from a state of this model. O(links).
    pub fn update(&mut self, model: &Model, state: &State) {
        debug_assert!(state.fits(model) && self.axes.len() == model.dof_count(), "sizes of another model");
        for (index, link) in model.links.iter().enumerate() {
            let (before, rest) = self.links.split_at_mut(index);
            let parent = link.parent.map(|parent| &before[parent.index()]);
            update_link(link, parent, &state.positions, &state.velocities, &mut self.axes, &mut rest[0]);
        }
    }

    /// Finds the velocities of all links anew, with links where they are. A third of the time of [`Kinematics::update`].
    pub fn update_velocities(&mut self, model: &Model, velocities: &[f64]) {
        debug_assert!(velocities.len() == model.dof_count(), "sizes of another model");
        for (index, link) in model.links.iter().enumerate() {
            let mut joint = SpatialMotion::default();
            for dof in link.dofs() {
                joint += self.axes[dof] * velocities[dof];
            }
            let parent =
                link.parent.map_or_else(SpatialMotion::default, |parent| self.links[parent.index()].velocity);
            let pose = &mut self.links[index];
            pose.velocity = parent.moved(&pose.arm) + joint;
            pose.velocity_bias = velocity_bias(&link.kind, &pose.velocity, &joint);
        }
    }

    /// All links.
    pub fn links(&self) -> &[LinkPose] {
        &self.links
    }

    /// The direction in which each degree of freedom moves its link, at the link's origin.
    pub fn axes(&self) -> &[SpatialMotion] {
        &self.axes
    }

    /// The frame of a link in the world.
    pub fn pose(&self, link: LinkIndex) -> Transform {
        let LinkPose { rotation, origin, .. } = &self.links[link.index()];
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation));
        Transform::from_parts(Translation3::from(*origin), rotation)
    }

    /// A point of a link (in its frame, m) in the world.
    pub fn point(&self, link: LinkIndex, local: &Vector3<f64>) -> Vector3<f64> {
        let LinkPose { rotation, origin, .. } = &self.links[link.index()];
        origin + rotation * local
    }

    /// Velocity of a link at a point of the world (m).
    pub fn velocity_at(&self, link: LinkIndex, point: &Vector3<f64>) -> SpatialMotion {
        let link = &self.links[link.index()];
        link.velocity.moved(&(point - link.origin))
    }

    /// A force or impulse through a point of the world, as it acts at the origin of a link.
    pub fn force_at(&self, link: LinkIndex, point: &Vector3<f64>, force: Vector3<f64>) -> SpatialForce {
        SpatialForce::at(&(point - self.links[link.index()].origin), force)
    }
}

#[inline(always)]
fn update_link(
    link: &Link,
    parent: Option<&LinkPose>,
    positions: &[f64],
    velocities: &[f64],
    axes: &mut [SpatialMotion],
    out: &mut LinkPose,
) {
    let place = &link.placement.translation.vector;
    let (frame, arm) = match parent {
        Some(parent) => (product(&parent.rotation, &link.placement_rotation), times(&parent.rotation, place)),
        None => (link.placement_rotation, *place),
    };
    let (rotation, way, joint) = move_joint(link, &frame, positions, velocities, axes);
    out.rotation = rotation;
    let arm = arm + way;
    match parent {
        Some(parent) => {
            out.arm = arm;
            out.origin = parent.origin + arm;
            out.velocity = parent.velocity.moved(&arm) + joint;
        }
        None => {
            out.arm = Vector3::zeros();
            out.origin = arm;
            out.velocity = joint;
        }
    }
    out.velocity_bias = velocity_bias(&link.kind, &out.velocity, &joint);
    out.inertia.mass = link.mass;
    out.inertia.center = times(&rotation, &link.center);
    out.inertia.rotational = turned(&rotation, &link.inertia);
}

/// The motion of a joint whose frame has these axes in the world: the link's axes, the way of its origin, and what the joint adds to its
/// velocity; fills its directions.
#[inline(always)]
fn move_joint(
    link: &Link,
    frame: &Matrix3<f64>,
    positions: &[f64],
    velocities: &[f64],
    axes: &mut [SpatialMotion],
) -> (Matrix3<f64>, Vector3<f64>, SpatialMotion) {
    let (first, dof) = (link.first_position as usize, link.first_dof as usize);
    let zero = Vector3::zeros();
    let (mut way, mut joint) = (zero, SpatialMotion::default());
    let rotation = match &link.kind {
        JointKind::Fixed => *frame,
        JointKind::Revolute { axis } => {
            let world = times(frame, axis);
            axes[dof] = SpatialMotion::new(world, zero);
            joint.angular = world * velocities[dof];
            product(frame, &turn_about(axis, positions[first]))
        }
        JointKind::Prismatic { axis } => {
            let world = times(frame, axis);
            axes[dof] = SpatialMotion::new(zero, world);
            joint.linear = world * velocities[dof];
            way = world * positions[first];
            *frame
        }
        JointKind::Spherical | JointKind::Free => {
            let q = quaternion(link, positions);
            let q = UnitQuaternion::new_unchecked(q * (1.0 / q.norm()));
            let rotation = product(frame, &q.to_rotation_matrix().into_inner());
            for k in 0..3 {
                axes[dof + k] = SpatialMotion::new(rotation.column(k).into_owned(), zero);
                joint.angular += axes[dof + k].angular * velocities[dof + k];
            }
            if link.kind == JointKind::Free {
                for k in 0..3 {
                    let world = frame.column(k).into_owned();
                    axes[dof + 3 + k] = SpatialMotion::new(zero, world);
                    way += world * positions[first + 4 + k];
                    joint.linear += world * velocities[dof + 3 + k];
                }
            }
            rotation
        }
    };
    (rotation, way, joint)
}

/// `ĉ` of a link with this velocity, of which its joint gives `joint`.
#[inline(always)]
fn velocity_bias(kind: &JointKind, velocity: &SpatialMotion, joint: &SpatialMotion) -> SpatialMotion {
    if *kind == JointKind::Free {
        return SpatialMotion::new(Vector3::zeros(), joint.linear.cross(&joint.angular));
    }
    velocity.cross_motion(joint)
}

/// The rotation by `angle` about a unit axis (Rodrigues): `1 + sin a [n]ₓ + (1 - cos a) (n nᵀ - 1)`.
#[inline(always)]
fn turn_about(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    let (sin, cos) = sine_cosine(angle);
    let mut turn = sum(&cross_matrix(&(axis * sin)), &outer(axis, &(axis * (1.0 - cos))));
    for k in 0..3 {
        turn[(k, k)] += cos;
    }
    turn
}
