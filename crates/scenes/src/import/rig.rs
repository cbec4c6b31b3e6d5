//! A robot between its file and a scene: links with shapes and masses, and what holds them together.

use super::{ImportOptions, Imported};
use crate::mesh_file;
use crate::model::{
    Body, InertiaSpec, JointAxisEntry, JointEntry, JointKindSpec, Kind, MassSpec, MaterialSpec, Orientation,
    PartSpec, Scene, ShapeSpec,
};
use crate::run::{build_shape, rotation};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Quaternion, Real, RelativePose, Rotation, Vector3, narrow};
use std::path::Path;

/// Density of what has no mass of its own, kg/m³: water's.
pub(super) const DENSITY: Real = 1000.0;
/// Radius of the ball that stands for a link without shapes, m.
const STAND_IN: Real = 0.01;
const MATERIAL: &str = "robot";

/// A robot.
pub(super) struct Rig {
    pub name: String,
    pub gravity: [Real; 3],
    pub links: Vec<Link>,
    pub holds: Vec<Hold>,
    /// Bodies that are there besides: a ground, walls.
    pub fixtures: Vec<Body>,
    pub friction: Option<Real>,
    pub notes: Vec<String>,
}

/// A link: where it is, and what it is made of, in its own frame.
pub(super) struct Link {
    pub name: String,
    pub pose: Pose,
    pub parts: Vec<PartSpec>,
    pub mass: Option<MassProperties>,
    /// It does not move.
    pub is_fixed: bool,
}

/// What holds a link to another one.
pub(super) struct Hold {
    pub name: String,
    pub ends: [usize; 2],
    pub how: How,
}

pub(super) enum How {
    /// They are one body.
    Welded,
    /// A joint, with places in the world.
    Joint(Box<JointEntry>),
}

impl Rig {
    pub(super) fn new(name: String, gravity: [Real; 3]) -> Self {
        let (links, holds, fixtures) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, gravity, links, holds, fixtures, friction: None, notes: Vec::new() }
    }

    /// The scene: links that are welded to each other are one body, in the frame of the first of them.
    pub(super) fn scene(mut self, options: &ImportOptions) -> Imported {
        if options.fixed_base
            && let Some(base) = self.links.iter_mut().find(|link| !link.is_fixed)
        {
            base.is_fixed = true;
        }
        let leaders = self.leaders();
        let mut bodies = std::mem::take(&mut self.fixtures);
        let mut names: Vec<String> = self.links.iter().map(|link| link.name.clone()).collect();
        for leader in (0..self.links.len()).filter(|&link| leaders[link] == link) {
            let members: Vec<usize> = (0..self.links.len()).filter(|&link| leaders[link] == leader).collect();
            let body = self.body(leader, &members);
            members.iter().for_each(|&member| names[member].clone_from(&body.name));
            bodies.push(body);
        }
        let mut joints = Vec::new();
        for hold in std::mem::take(&mut self.holds) {
            let How::Joint(mut entry) = hold.how else { continue };
            let ends = hold.ends.map(|end| names[end].clone());
            let movable =
                |name: &String| bodies.iter().any(|body| body.name == *name && body.kind == Kind::Dynamic);
            if ends[0] == ends[1] || !ends.iter().any(movable) {
                self.notes
                    .push(format!("left out: joint {:?}, since what it holds cannot move apart", hold.name));
                continue;
            }
            entry.bodies = ends;
            joints.push(*entry);
        }
        if options.ground && !bodies.iter().any(|body| matches!(body.shape, ShapeSpec::HalfSpace { .. })) {
            bodies.push(self.ground(&bodies));
        }
        let friction = self.friction.unwrap_or(0.8);
        let material = MaterialSpec {
            restitution: 0.0,
            // A pair has the sum of both.
            static_friction: friction / 2.0,
            kinetic_friction: friction / 2.0,
            ..MaterialSpec::new(MATERIAL, DENSITY)
        };
        let (gravity, materials) = (self.gravity, vec![material]);
        let scene = Scene { gravity, materials, bodies, joints, ..Scene::new(self.name) };
        Imported { scene, notes: self.notes }
    }

    /// For each link, the first of those that it is welded to.
    fn leaders(&self) -> Vec<usize> {
        let mut leaders: Vec<usize> = (0..self.links.len()).collect();
        // As often as links may be in a row.
        for _ in 0..self.links.len() {
            let mut changed = false;
            for hold in self.holds.iter().filter(|hold| matches!(hold.how, How::Welded)) {
                let first = hold.ends.map(|end| leaders[end]).into_iter().min().unwrap_or_default();
                for end in hold.ends {
                    changed |= leaders[end] != first;
                    leaders[end] = first;
                }
            }
            if !changed {
                break;
            }
        }
        leaders
    }

    /// One body of links that are welded to each other.
    fn body(&mut self, leader: usize, members: &[usize]) -> Body {
        let frame = self.links[leader].pose;
        let is_fixed = members.iter().any(|&member| self.links[member].is_fixed);
        let (mut parts, mut masses, mut without) = (Vec::new(), Vec::new(), Vec::new());
        for &member in members {
            let link = &self.links[member];
            let local = frame.relative(&link.pose);
            let own = link
                .parts
                .iter()
                .map(|part| if member == leader { part.clone() } else { placed(&local, part) });
            parts.extend(own);
            match link.mass {
                Some(mass) => masses.push(mass.transformed(&local.translation, &local.rotation)),
                None if link.parts.is_empty() => {}
                None => {
                    without.push(format!("{:?}", link.name));
                    masses.extend(link.parts.iter().filter_map(|part| mass_of(&placed(&local, part))));
                }
            }
        }
        let name = self.links[leader].name.clone();
        if members.len() > 1 {
            let others: Vec<String> = members
                .iter()
                .filter(|&&m| m != leader)
                .map(|&m| format!("{:?}", self.links[m].name))
                .collect();
            self.notes.push(format!(
                "{} are parts of the body {name:?}, which they are fixed to",
                others.join(", ")
            ));
        }
        if !is_fixed && !without.is_empty() {
            self.notes.push(format!(
                "{} have no mass: that of their shapes, as heavy as water, is taken",
                without.join(", ")
            ));
        }
        let has_shape = !parts.is_empty();
        if !has_shape {
            self.notes.push(format!("body {name:?} has no collision shape: a ball of {STAND_IN} m that touches nothing stands for it"));
            parts.push(PartSpec {
                shape: ShapeSpec::Sphere { radius: STAND_IN },
                position: [0.0; 3],
                rotation: Orientation::default(),
            });
        }
        let shape = match &parts[..] {
            [only] if only.position == [0.0; 3] && only.rotation == Orientation::default() => {
                only.shape.clone()
            }
            _ => ShapeSpec::Compound { parts },
        };
        let t = frame.translation;
        let mut body = Body::new(name, shape, MATERIAL).at(t.x, t.y, t.z);
        body.rotation = orientation(&frame.rotation);
        body.hidden = !has_shape;
        if is_fixed {
            body.kind = Kind::Fixed;
            body.trigger = !has_shape;
        } else {
            if !has_shape {
                // In no group, so it meets nothing.
                body.groups = Vec::new();
            }
            body.mass = MassProperties::combined(&masses).map(|mass| MassSpec {
                mass: mass.mass,
                inertia: Some(InertiaSpec {
                    center: mass.center.into(),
                    principal: mass.principal.into(),
                    rotation: orientation(&mass.frame),
                }),
            });
        }
        body
    }

    /// A level ground that touches what is lowest.
    fn ground(&self, bodies: &[Body]) -> Body {
        let up = -Vector3::from(self.gravity);
        let up = if up.norm() > 0.0 { up.normalize() } else { Vector3::y() };
        let lowest = bodies.iter().filter_map(|body| {
            let pose = Pose::new(Position::from(body.position), rotation(&body.rotation));
            let parts = build_shape(&body.shape).ok()?.parts;
            let heights = parts.iter().map(|part| {
                let placed = pose.compose(&part.local);
                let reach = part.shape.reach(&(placed.rotation.inverse() * -up));
                f64::from(narrow(&placed.translation.coords).dot(&up) - reach)
            });
            heights.reduce(f64::min)
        });
        let at = up.cast::<f64>() * lowest.reduce(f64::min).unwrap_or(0.0);
        Body::new("ground", ShapeSpec::HalfSpace { normal: up.into() }, MATERIAL).fixed().at(at.x, at.y, at.z)
    }
}

/// A part of a link, in the frame of its body.
fn placed(local: &RelativePose, part: &PartSpec) -> PartSpec {
    let own = RelativePose::new(Vector3::from(part.position), rotation(&part.rotation));
    let place = local.compose(&own);
    PartSpec {
        shape: part.shape.clone(),
        position: place.translation.into(),
        rotation: orientation(&place.rotation),
    }
}

fn mass_of(part: &PartSpec) -> Option<MassProperties> {
    build_shape(&ShapeSpec::Compound { parts: vec![part.clone()] }).ok()?.mass_properties(DENSITY)
}

/// A part at a place of its link.
pub(super) fn part(shape: ShapeSpec, place: &RelativePose) -> PartSpec {
    PartSpec { shape, position: place.translation.into(), rotation: orientation(&place.rotation) }
}

pub(super) fn orientation(rotation: &Rotation) -> Orientation {
    let q = &rotation.coords;
    Orientation::Quaternion([q.x, q.y, q.z, q.w])
}

/// Rotation by fixed axes: about x, then y, then z, radians.
pub(super) fn roll_pitch_yaw(angles: [f64; 3]) -> Rotation {
    let [roll, pitch, yaw] = angles.map(|angle| angle as Real);
    Rotation::from_euler_angles(roll, pitch, yaw)
}

/// Rotation from a quaternion of any length but zero, `(w, x, y, z)`.
pub(super) fn quaternion(q: [f64; 4]) -> Option<Rotation> {
    let [w, x, y, z] = q.map(|c| c as Real);
    let quaternion = Quaternion::new(w, x, y, z);
    (quaternion.norm() > 0.0).then(|| Rotation::new_normalize(quaternion))
}

pub(super) fn vector(v: [f64; 3]) -> Vector3 {
    Vector3::new(v[0] as Real, v[1] as Real, v[2] as Real)
}

/// From y to z: our cylinders and capsules lie along y, those of robots along z.
pub(super) fn upright() -> RelativePose {
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    RelativePose::new(Vector3::zeros(), Rotation::new_normalize(Quaternion::new(quarter, quarter, 0.0, 0.0)))
}

/// A rotation that takes y to a direction.
pub(super) fn along(direction: &Vector3) -> Rotation {
    // Opposite directions have no shortest turn between them: any half turn about an axis across is one.
    Rotation::rotation_between(&Vector3::y(), direction)
        .unwrap_or_else(|| Rotation::new_normalize(Quaternion::new(0.0, 1.0, 0.0, 0.0)))
}

/// The convex hull of a mesh file, scaled.
///
/// # Errors
/// Why it cannot be read, in words that follow a file's name.
pub(super) fn hull_of(file: &Path, scale: [f64; 3]) -> Result<ShapeSpec, String> {
    let found = mesh_file::read(file)?;
    let scaled = found.vertices.iter().map(|v| [0, 1, 2].map(|k| v[k] * scale[k] as Real));
    let points = mesh_file::corners_of(&scaled.collect::<Vec<_>>());
    let hull = ShapeSpec::Hull { points };
    build_shape(&hull).map_err(|error| error.to_string())?;
    Ok(hull)
}

/// A joint of a kind at a place of the world, its axis in a direction of the world.
pub(super) fn joint(kind: JointKindSpec, at: &Position, axis: Option<Vector3>) -> JointEntry {
    let entry = JointEntry::new(kind, "", "", [at.x, at.y, at.z]);
    match axis {
        Some(axis) => entry.along(axis.into()),
        None => entry,
    }
}

/// A coordinate without limits.
pub(super) fn free(axis: crate::model::JointAxisSpec) -> JointAxisEntry {
    JointAxisEntry { axis, lower: None, upper: None, motor: None, friction: None }
}
