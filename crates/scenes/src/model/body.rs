//! A body of a scene: its shape, where it starts and how it moves.

use super::{MotionSpec, is_default};
use drystone::math::Real;
use serde::{Deserialize, Serialize};

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its name, needed where actions or `standing` refer to it; unique unless empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How it moves. Default `dynamic`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: Kind,
    /// Its shape, about its own origin.
    pub shape: ShapeSpec,
    /// The name of its material.
    pub material: String,
    /// Its mass, and how it is spread. Default: by the density of its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<MassSpec>,
    /// Where its origin starts, m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: [f64; 3],
    /// How it is turned at the start.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rotation: Orientation,
    /// Velocity of its centre of mass at the start, m/s.
    #[serde(default, skip_serializing_if = "is_default")]
    pub linear: [Real; 3],
    /// Angular velocity at the start, rad/s, world.
    #[serde(default, skip_serializing_if = "is_default")]
    pub angular: [Real; 3],
    /// Linear damping, 1/s; at least 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub linear_damping: Real,
    /// Angular damping, 1/s; at least 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub angular_damping: Real,
    /// Factor on gravity. Default 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub gravity_scale: Real,
    /// Whether it may be put to sleep. Default true.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub can_sleep: bool,
    /// Whether it starts asleep; only for dynamic bodies at rest that may sleep. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub asleep: bool,
    /// World axes along and about which it cannot move.
    #[serde(default, skip_serializing_if = "is_default")]
    pub locks: Locks,
    /// How fast its surface runs over it, m/s, in the frame of its shape (of each part of a compound): a conveyor belt.
    #[serde(default, skip_serializing_if = "is_default")]
    pub surface_velocity: [Real; 3],
    /// Groups it belongs to, 0 to 31, for rules. Default: group 0.
    #[serde(default = "first_group", skip_serializing_if = "is_first_group")]
    pub groups: Vec<u32>,
    /// It is a trigger volume: it tells what comes in and goes out, and touches nothing. Not for dynamic bodies. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub trigger: bool,
    /// Where it is at which time; only for kinematic bodies. `position` and `rotation` are not read then. Default: it moves with its velocity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
    /// It is simulated but not drawn, except for a thin outline.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// When it enters the world, s; at least 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub appears: f64,
}

impl Body {
    /// A dynamic body at rest at the origin.
    pub fn new(name: impl Into<String>, shape: ShapeSpec, material: &str) -> Self {
        Self {
            name: name.into(),
            kind: Kind::Dynamic,
            shape,
            material: material.into(),
            mass: None,
            position: [0.0; 3],
            rotation: Orientation::default(),
            linear: [0.0; 3],
            angular: [0.0; 3],
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            can_sleep: true,
            asleep: false,
            locks: Locks::default(),
            surface_velocity: [0.0; 3],
            groups: first_group(),
            trigger: false,
            motion: None,
            hidden: false,
            appears: 0.0,
        }
    }

    /// The level ground through the origin: a fixed half-space called `ground`.
    pub fn ground(material: &str) -> Self {
        Self::new("ground", ShapeSpec::HalfSpace { normal: [0.0, 1.0, 0.0] }, material).fixed()
    }

    /// The same body, never moving.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { kind: Kind::Fixed, ..self }
    }

    /// The same body, asleep at the start.
    #[must_use]
    pub fn sleeping(self) -> Self {
        Self { asleep: true, ..self }
    }

    /// The same body at another place, m.
    #[must_use]
    pub fn at(self, x: f64, y: f64, z: f64) -> Self {
        Self { position: [x, y, z], ..self }
    }

    /// The same body turned about x, then y, then z, in degrees.
    #[must_use]
    pub fn turned(self, x: Real, y: Real, z: Real) -> Self {
        Self { rotation: Orientation::EulerDegrees([x, y, z]), ..self }
    }

    /// The same body with this velocity (m/s) and angular velocity (rad/s).
    #[must_use]
    pub fn moving(self, linear: [Real; 3], angular: [Real; 3]) -> Self {
        Self { linear, angular, ..self }
    }
}

/// The mass of a dynamic body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MassSpec {
    /// In all, kg.
    pub mass: Real,
    /// Centre and moments. Default: as its shape has them, of one density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<InertiaSpec>,
}

/// How mass is spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InertiaSpec {
    /// Centre of mass, m, from the origin of the body.
    pub center: [Real; 3],
    /// Principal moments about it, kg m².
    pub principal: [Real; 3],
    /// How the axes of these are turned on the body.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rotation: Orientation,
}

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// By forces and impulses.
    #[default]
    Dynamic,
    /// Never.
    Fixed,
    /// With its own velocity, which nothing changes but actions.
    #[serde(alias = "scripted")]
    Kinematic,
}

/// A shape in its own frame; lengths in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeSpec {
    /// A ball.
    Sphere {
        /// Its radius.
        radius: Real,
    },
    /// A box.
    Cuboid {
        /// Half of its edges along x, y and z.
        half_extents: [Real; 3],
    },
    /// A cylinder along y with round caps.
    Capsule {
        /// Half of the distance between the centres of the caps.
        half_length: Real,
        /// Radius of the cylinder and of the caps.
        radius: Real,
    },
    /// A cylinder along y, its middle at the origin.
    Cylinder {
        /// Half of its height.
        half_height: Real,
        /// Its radius.
        radius: Real,
    },
    /// A cone along y: apex at `half_height`, base at `-half_height`.
    Cone {
        /// Half of its height.
        half_height: Real,
        /// Radius of its base.
        radius: Real,
    },
    /// The convex hull of points.
    Hull {
        /// The points.
        points: Vec<[Real; 3]>,
    },
    /// Everything below a plane; only for bodies that are fixed.
    HalfSpace {
        /// The outward normal.
        normal: [Real; 3],
    },
    /// A surface of triangles, touched from its front; only for bodies that are fixed or kinematic.
    Mesh {
        /// Corners.
        vertices: Vec<[Real; 3]>,
        /// Corners of each triangle by index, anticlockwise seen from the front.
        triangles: Vec<[u32; 3]>,
    },
    /// A [`ShapeSpec::Mesh`] whose triangles are in a file: OBJ, STL, glTF or MSH (`.obj`, `.stl`, `.gltf`, `.glb`, `.msh`). Reading a scene puts the triangles in its place.
    MeshFile {
        /// The file; a relative path begins at the folder of the scene file.
        path: String,
        /// Factor on its lengths, for files that are not in metres.
        #[serde(default = "one")]
        scale: Real,
    },
    /// A [`ShapeSpec::Hull`] of the vertices of such a file.
    HullFile {
        /// The file; a relative path begins at the folder of the scene file.
        path: String,
        /// Factor on its lengths, for files that are not in metres.
        #[serde(default = "one")]
        scale: Real,
    },
    /// Heights over a grid around the origin in the x-z plane, touched from above; only for bodies that are fixed or kinematic.
    HeightField {
        /// Rows, one after the other along z.
        rows: u32,
        /// Columns, along x.
        columns: u32,
        /// Distance of columns and of rows.
        cell: [Real; 2],
        /// The heights, row by row.
        heights: Vec<Real>,
    },
    /// Several shapes as one.
    Compound {
        /// The shapes; at least one, themselves not compound.
        parts: Vec<PartSpec>,
    },
}

impl ShapeSpec {
    /// A box with these half edges, m.
    pub fn cuboid(x: Real, y: Real, z: Real) -> Self {
        Self::Cuboid { half_extents: [x, y, z] }
    }

    /// A cube with this edge, m.
    pub fn cube(edge: Real) -> Self {
        Self::Cuboid { half_extents: [0.5 * edge; 3] }
    }

    /// A ball with this diameter, m.
    pub fn ball(diameter: Real) -> Self {
        Self::Sphere { radius: 0.5 * diameter }
    }
}

/// A shape of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartSpec {
    /// The shape.
    pub shape: ShapeSpec,
    /// Where it sits on the body, m.
    #[serde(default, skip_serializing_if = "is_default")]
    pub position: [Real; 3],
    /// How it is turned on the body.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rotation: Orientation,
}

/// An orientation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    /// A quaternion `(x, y, z, w)`; of unit length within 1 %, and normalised.
    Quaternion([Real; 4]),
    /// Turned about the world's x, then y, then z axis, in degrees.
    EulerDegrees([Real; 3]),
}

impl Default for Orientation {
    fn default() -> Self {
        Self::Quaternion([0.0, 0.0, 0.0, 1.0])
    }
}

/// World axes along and about which a body cannot move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Locks {
    /// Translation along x, y, z.
    pub translation: [bool; 3],
    /// Rotation about x, y, z.
    pub rotation: [bool; 3],
}

fn one() -> Real {
    1.0
}

fn is_one(value: &Real) -> bool {
    *value == 1.0
}

fn first_group() -> Vec<u32> {
    vec![0]
}

fn is_first_group(groups: &Vec<u32>) -> bool {
    *groups == [0]
}

fn yes() -> bool {
    true
}

fn is_true(value: &bool) -> bool {
    *value
}
