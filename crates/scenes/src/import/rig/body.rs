//! Bodies: what links that are welded to each other are together, and the ground below all.

use super::assembly::{Assembly, sorted};
use super::inertia::{mended, water_ball};
use super::{DENSITY, MATERIAL, Rig};
use crate::import::convert::{orientation, part};
use crate::import::filter::{Filter, Groups};
use crate::model::{Body, InertiaSpec, JointEntry, Kind, MassSpec, Orientation, PartSpec, ShapeSpec};
use crate::run::{build_shape, rotation};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Real, RelativePose, Vector3, narrow};

/// Radius of the ball that stands for a link without shapes, m.
const STAND_IN: Real = 0.01;

/// What links have together, in the frame of one of them.
#[derive(Default)]
struct Sum {
    parts: Vec<PartSpec>,
    filters: Vec<Filter>,
    masses: Vec<MassProperties>,
    /// Factors on gravity, with the masses that they are for.
    pulls: Vec<(Real, Real)>,
    /// Names of those that have shapes, but no mass.
    without: Vec<String>,
}

/// A body to be: links that are welded to each other, in the frame of the first of them.
pub(super) struct Cluster {
    pub name: String,
    pub pose: Pose,
    pub parts: Vec<PartSpec>,
    pub filters: Vec<Filter>,
    pub mass: Option<MassProperties>,
    pub gravity_scale: Real,
    pub is_fixed: bool,
    /// It is a part of another one now, or of a joint.
    pub is_gone: bool,
    /// A mesh of it that could not be read, and why.
    pub lost: Option<String>,
    /// It is no link of the file, or has its mass from others.
    is_between: bool,
}

impl Cluster {
    /// A link between two others, of nothing yet, that moves where `like` does.
    pub(super) fn between(name: String, like: &Self) -> Self {
        Self {
            name,
            pose: like.pose,
            parts: Vec::new(),
            filters: Vec::new(),
            mass: None,
            gravity_scale: like.gravity_scale,
            is_fixed: false,
            is_gone: false,
            lost: None,
            is_between: true,
        }
    }

    /// True for what can move, but has neither mass nor shape.
    pub(super) fn is_nothing(&self) -> bool {
        self.mass.is_none() && self.parts.is_empty() && !self.is_fixed
    }

    /// Takes masses, in its frame, as its own.
    pub(super) fn take(&mut self, masses: &[MassProperties]) {
        self.mass = MassProperties::combined(masses);
        self.is_between = true;
    }

    /// The body that it is.
    fn body(&self, groups: &mut Groups, notes: &mut Vec<String>) -> Body {
        let mut parts = self.parts.clone();
        let has_shape = !parts.is_empty();
        if !has_shape {
            if !self.is_between {
                notes.push(format!("body {:?} has no collision shape: a ball of {STAND_IN} m that touches nothing stands for it", self.name));
            }
            parts.push(part(ShapeSpec::Sphere { radius: STAND_IN }, &RelativePose::IDENTITY));
        }
        let shape = match &parts[..] {
            [only] if only.position == [0.0; 3] && only.rotation == Orientation::default() => {
                only.shape.clone()
            }
            _ => ShapeSpec::Compound { parts },
        };
        let t = self.pose.translation;
        let mut body = Body::new(self.name.clone(), shape, MATERIAL).at(t.x, t.y, t.z);
        body.rotation = orientation(&self.pose.rotation);
        body.hidden = !has_shape;
        if let Some(group) = groups.of(&self.filters) {
            body.groups = vec![group];
        }
        if self.is_fixed {
            body.kind = Kind::Fixed;
            body.trigger = !has_shape;
            return body;
        }
        if !has_shape {
            // In no group, so it meets nothing.
            body.groups = Vec::new();
        }
        body.gravity_scale = self.gravity_scale;
        body.mass = self.mass.map(|mass| MassSpec {
            mass: mass.mass,
            inertia: Some(InertiaSpec {
                center: mass.center.into(),
                principal: mass.principal.into(),
                rotation: orientation(&mass.frame),
            }),
        });
        body
    }
}

impl Assembly {
    /// The bodies that there are.
    pub(super) fn bodies(&mut self, groups: &mut Groups) -> Vec<Body> {
        let there = self.clusters.iter().filter(|cluster| !cluster.is_gone);
        there.map(|cluster| cluster.body(groups, &mut self.notes)).collect()
    }

    /// Joints that close loops.
    pub(super) fn closing_joints(&mut self) -> Vec<JointEntry> {
        let mut joints = Vec::new();
        for closing in std::mem::take(&mut self.closings) {
            let pair = sorted(closing.ends);
            let bodies = closing.ends.map(|end| self.clusters[end].name.clone());
            let collides = closing.entry.collides && !self.apart.remove(&pair);
            joints.push(JointEntry { bodies, collides, ..closing.entry });
        }
        joints
    }
}

impl Rig {
    /// What links that are welded to each other are together.
    pub(super) fn cluster(&mut self, leader: usize, members: &[usize]) -> Cluster {
        let is_fixed = members.iter().any(|&member| self.links[member].is_fixed);
        let is_given = members.iter().any(|&member| self.links[member].is_given);
        let Sum { parts, filters, masses, pulls, without } = self.sum(leader, members);
        let name = self.links[leader].name.clone();
        self.tell_of_parts(leader, members);
        if !is_fixed && !without.is_empty() {
            self.notes.push(format!(
                "{} have no mass: that of their shapes, as heavy as water, is taken",
                without.join(", ")
            ));
        }
        let mut mass = MassProperties::combined(&masses);
        if is_given && !is_fixed {
            mass = mass.map(|mass| self.mend(&name, mass, &parts));
        }
        let gravity_scale = if is_fixed { 1.0 } else { self.gravity_scale(&name, &pulls) };
        let pose = self.links[leader].pose;
        let lost = members.iter().find_map(|&member| self.links[member].lost.clone());
        let (is_gone, is_between) = (false, false);
        Cluster { name, pose, parts, filters, mass, gravity_scale, is_fixed, is_gone, lost, is_between }
    }

    /// A mass with moments that a body of these parts can have.
    fn mend(&mut self, name: &str, mass: MassProperties, parts: &[PartSpec]) -> MassProperties {
        let own: Vec<MassProperties> = parts.iter().filter_map(mass_of).collect();
        let like = MassProperties::combined(&own).filter(MassProperties::is_valid);
        let like = like.unwrap_or_else(|| water_ball(mass.mass, mass.center));
        let Some(mended) = mended(&mass, &like) else { return mass };
        let listed = |moments: &Vector3| moments.map(|moment| format!("{moment:.3e}")).as_slice().join(", ");
        self.notes.push(format!(
            "link {name:?}: no body of {} kg with its shape has the moments ({}) kg m²: they are ({})",
            mass.mass,
            listed(&mass.principal),
            listed(&mended.principal)
        ));
        mended
    }

    fn sum(&self, leader: usize, members: &[usize]) -> Sum {
        let mut sum = Sum::default();
        for link in members.iter().map(|&member| &self.links[member]) {
            let local = self.links[leader].pose.relative(&link.pose);
            let is_leader = std::ptr::eq(link, &self.links[leader]);
            let own =
                link.parts.iter().map(|part| if is_leader { part.clone() } else { placed(&local, part) });
            sum.parts.extend(own);
            sum.filters.extend(&link.filters);
            let before = sum.masses.len();
            match link.mass {
                Some(mass) => sum.masses.push(mass.transformed(&local.translation, &local.rotation)),
                None if link.parts.is_empty() => {}
                None => {
                    sum.without.push(format!("{:?}", link.name));
                    sum.masses.extend(link.parts.iter().filter_map(|part| mass_of(&placed(&local, part))));
                }
            }
            let mass = sum.masses[before..].iter().map(|mass| mass.mass).sum();
            sum.pulls.push((link.gravity_scale, mass));
        }
        sum
    }

    /// Notes which links are parts of a body that is called after another one.
    fn tell_of_parts(&mut self, leader: usize, members: &[usize]) {
        let others = members.iter().filter(|&&member| member != leader);
        let others: Vec<String> = others.map(|&member| format!("{:?}", self.links[member].name)).collect();
        if !others.is_empty() {
            let name = &self.links[leader].name;
            let note =
                format!("{} are parts of the body {name:?}, which they are fixed to", others.join(", "));
            self.notes.push(note);
        }
    }

    /// The factor on gravity of what has these factors on these masses: their mean, which is the whole force, but not where it acts.
    fn gravity_scale(&mut self, name: &str, pulls: &[(Real, Real)]) -> Real {
        let heavy = || pulls.iter().filter(|(_, mass)| *mass > 0.0);
        let Some((first, _)) = heavy().next().or(pulls.first()) else { return 1.0 };
        if heavy().all(|(scale, _)| scale == first) {
            return *first;
        }
        self.notes
            .push(format!("gravity acts differently on parts of the body {name:?}: their mean is taken"));
        let force: Real = heavy().map(|(scale, mass)| scale * mass).sum();
        force / heavy().map(|(_, mass)| mass).sum::<Real>()
    }

    /// A level ground that touches what is lowest.
    pub(super) fn ground(&self, bodies: &[Body]) -> Body {
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
fn placed(local: &RelativePose, of: &PartSpec) -> PartSpec {
    let own = RelativePose::new(Vector3::from(of.position), rotation(&of.rotation));
    part(of.shape.clone(), &local.compose(&own))
}

fn mass_of(part: &PartSpec) -> Option<MassProperties> {
    build_shape(&ShapeSpec::Compound { parts: vec![part.clone()] }).ok()?.mass_properties(DENSITY)
}
