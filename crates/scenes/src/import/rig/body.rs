//! Bodies: what links that are welded to each other are together, and the ground below all.

use super::{DENSITY, MATERIAL, Rig};
use crate::import::convert::{orientation, part};
use crate::import::filter::{Filter, Groups};
use crate::model::{Body, InertiaSpec, Kind, MassSpec, Orientation, PartSpec, ShapeSpec};
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

impl Rig {
    /// One body of links that are welded to each other.
    pub(super) fn body(&mut self, leader: usize, members: &[usize], groups: &mut Groups) -> Body {
        let frame = self.links[leader].pose;
        let is_fixed = members.iter().any(|&member| self.links[member].is_fixed);
        let Sum { mut parts, filters, masses, pulls, without } = self.sum(leader, members);
        let name = self.links[leader].name.clone();
        self.tell_of_parts(leader, members);
        if !is_fixed && !without.is_empty() {
            self.notes.push(format!(
                "{} have no mass: that of their shapes, as heavy as water, is taken",
                without.join(", ")
            ));
        }
        let has_shape = !parts.is_empty();
        if !has_shape {
            self.notes.push(format!("body {name:?} has no collision shape: a ball of {STAND_IN} m that touches nothing stands for it"));
            parts.push(part(ShapeSpec::Sphere { radius: STAND_IN }, &RelativePose::IDENTITY));
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
        if let Some(group) = groups.of(&filters) {
            body.groups = vec![group];
        }
        if is_fixed {
            body.kind = Kind::Fixed;
            body.trigger = !has_shape;
        } else {
            if !has_shape {
                // In no group, so it meets nothing.
                body.groups = Vec::new();
            }
            body.gravity_scale = self.gravity_scale(&body.name, &pulls);
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
