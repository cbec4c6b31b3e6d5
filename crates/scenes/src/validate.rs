//! What a scene must be beyond its form: ranges, names that exist, shapes that can be built.

mod joints;
mod logic;

use crate::error::{Fault, SceneError};
use crate::model::{
    Action, Body, Kind, MassSpec, Orientation, PairValues, SCENE_VERSION, Scene, ShapeSpec, Standing,
};
use crate::run::build_shape;
use drystone::math::Real;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// The materials every world has.
pub(crate) const BUILT_IN_MATERIALS: [&str; 5] = ["granite", "iron", "copper", "oak", "fir"];
/// Longest run, s: eleven days.
pub(crate) const MAX_SECONDS: f64 = 1e6;
/// Highest step rate, 1/s.
pub(crate) const MAX_HZ: f64 = 1e6;
/// Lowest step rate, 1/s.
pub(crate) const MIN_HZ: f64 = 1.0;
/// Farthest position, m: beyond it an f64 no longer resolves a tenth of a millimetre.
const MAX_POSITION: f64 = 1e12;
/// Largest velocity (m/s), angular velocity (rad/s) or acceleration (m/s²) that a scene may ask for.
const MAX_RATE: Real = 1e6;
/// How far the length of a quaternion may be from 1.
const QUATERNION_TOLERANCE: Real = 0.01;

/// A fault at `path`.
fn fault(path: impl Into<String>, owner: &str, expected: impl Into<String>, found: impl Debug) -> Fault {
    Fault { path: path.into(), owner: owner.into(), expected: expected.into(), found: format!("{found:?}") }
}

/// `Ok` when `is_fine`.
fn require(is_fine: bool, path: &str, owner: &str, expected: &str, found: impl Debug) -> Result<(), Fault> {
    if is_fine { Ok(()) } else { Err(fault(path, owner, expected, found)) }
}

fn in_range(value: Real, low: Real, high: Real, path: &str, owner: &str) -> Result<(), Fault> {
    require((low..=high).contains(&value), path, owner, &format!("{low} to {high}"), value)
}

fn rates(value: &[Real; 3], path: &str, owner: &str) -> Result<(), Fault> {
    let is_fine = value.iter().all(|c| c.abs() <= MAX_RATE);
    require(is_fine, path, owner, "three finite numbers within ±1e6", value)
}

impl Scene {
    /// `Ok` when the scene can be run.
    ///
    /// # Errors
    /// [`SceneError::Invalid`], with the first field that is wrong.
    pub fn validate(&self) -> Result<(), SceneError> {
        self.check().map_err(|fault| SceneError::Invalid { scene: self.name.clone(), fault: Box::new(fault) })
    }

    pub(crate) fn check(&self) -> Result<(), Fault> {
        require(self.version == SCENE_VERSION, "version", "", "1", self.version)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '=');
        let name_is_fine = !self.name.is_empty()
            && self.name.len() <= 80
            && self.name.chars().all(is_name)
            && !self.name.starts_with('.');
        // It becomes the name of a folder.
        let expected = "1 to 80 of the characters a-z A-Z 0-9 _ - . : =, not starting with a dot";
        require(name_is_fine, "name", "", expected, &self.name)?;
        rates(&self.gravity, "gravity", "")?;
        if let Some(reference) = self.reference_acceleration {
            let is_fine = reference > 0.0 && reference <= MAX_RATE;
            require(is_fine, "reference_acceleration", "", "above 0 and at most 1e6 m/s²", reference)?;
        }
        let is_time = self.seconds > 0.0 && self.seconds <= MAX_SECONDS;
        require(is_time, "seconds", "", "above 0 and at most 1e6 s", self.seconds)?;
        for (path, hz) in [("hz.fast", self.hz.fast), ("hz.accurate", self.hz.accurate)] {
            require((MIN_HZ..=MAX_HZ).contains(&hz), path, "", "1 to 1e6 steps per second", hz)?;
        }
        let is_least = self.hz.least == 0.0 || (MIN_HZ..=MAX_HZ).contains(&self.hz.least);
        require(is_least, "hz.least", "", "0, or 1 to 1e6 steps per second", self.hz.least)?;
        if let Some(values) = &self.contact {
            check_pair(values, "contact")?;
        }
        let materials = self.check_materials()?;
        self.check_bodies(&materials)?;
        self.check_logic()?;
        self.check_actions()?;
        if let Some(bounds) = &self.bounds {
            let is_fine = (0..3).all(|i| bounds.min[i] < bounds.max[i]);
            require(is_fine, "bounds", "", "a box with min below max on every axis", bounds)?;
        }
        Ok(())
    }

    fn check_materials(&self) -> Result<BTreeSet<&str>, Fault> {
        let mut names: BTreeSet<&str> = BUILT_IN_MATERIALS.into();
        for (index, material) in self.materials.iter().enumerate() {
            let path = |field: &str| format!("materials[{index}].{field}");
            let name = material.name.as_str();
            require(!name.is_empty(), &path("name"), "", "a name", name)?;
            require(names.insert(name), &path("name"), "", "unlike those of the other materials", name)?;
            let is_dense = material.density > 0.0 && material.density <= 1e12;
            require(is_dense, &path("density"), name, "above 0 and at most 1e12 kg/m³", material.density)?;
            let values = PairValues {
                restitution: material.restitution,
                static_friction: material.static_friction,
                kinetic_friction: material.kinetic_friction,
                rolling_friction: material.rolling_friction,
            };
            check_pair(&values, &format!("materials[{index}]"))?;
            in_range(material.poisson, -1.0, 0.5, &path("poisson"), name)?;
            let is_stiff = material.young > 0.0 && material.young <= 1e9;
            require(is_stiff, &path("young"), name, "above 0 and at most 1e9 GPa", material.young)?;
        }
        for (index, pair) in self.pairs.iter().enumerate() {
            for (field, name) in [("a", &pair.a), ("b", &pair.b)] {
                check_material(&names, name, &format!("pairs[{index}].{field}"), "")?;
            }
            let values = PairValues {
                restitution: pair.restitution,
                static_friction: pair.static_friction,
                kinetic_friction: pair.kinetic_friction,
                rolling_friction: pair.rolling_friction,
            };
            check_pair(&values, &format!("pairs[{index}]"))?;
        }
        Ok(names)
    }

    fn check_bodies(&self, materials: &BTreeSet<&str>) -> Result<(), Fault> {
        let mut names = BTreeSet::new();
        for (index, body) in self.bodies.iter().enumerate() {
            let path = format!("bodies[{index}]");
            if !body.name.is_empty() && !names.insert(body.name.as_str()) {
                let expected = "unlike those of the other bodies";
                return Err(fault(format!("{path}.name"), "", expected, &body.name));
            }
            check_material(materials, &body.material, &format!("{path}.material"), &body.name)?;
            check_body(body, &path)?;
        }
        if let Standing::Bodies(standing) = &self.standing {
            for (index, name) in standing.iter().enumerate() {
                let expected = "the name of a body";
                require(names.contains(name.as_str()), &format!("standing[{index}]"), "", expected, name)?;
            }
        }
        Ok(())
    }

    fn check_actions(&self) -> Result<(), Fault> {
        for (index, timed) in self.actions.iter().enumerate() {
            let path = format!("actions[{index}]");
            let is_time = (0.0..=MAX_SECONDS).contains(&timed.at);
            require(is_time, &format!("{path}.at"), "", "0 to 1e6 s", timed.at)?;
            let target = match &timed.action {
                Action::SetGravity { gravity } => {
                    rates(gravity, &format!("{path}.action.gravity"), "")?;
                    continue;
                }
                Action::SetVelocity { body, linear, angular } => {
                    rates(linear, &format!("{path}.action.linear"), body)?;
                    rates(angular, &format!("{path}.action.angular"), body)?;
                    body
                }
                Action::SetSurfaceVelocity { body, velocity } => {
                    rates(velocity, &format!("{path}.action.velocity"), body)?;
                    body
                }
                Action::Unfasten { composite } => {
                    let found = self.composites.iter().any(|c| !c.name.is_empty() && c.name == *composite);
                    let here = format!("{path}.action.composite");
                    require(found, &here, "", "the name of a composite", composite)?;
                    continue;
                }
                Action::Remove { body } => body,
            };
            let found = self.bodies.iter().find(|b| !b.name.is_empty() && b.name == *target);
            let here = format!("{path}.action.body");
            let Some(body) = found else {
                return Err(fault(here, "", "the name of a body", target));
            };
            let is_movable = body.kind != Kind::Fixed || !matches!(timed.action, Action::SetVelocity { .. });
            require(is_movable, &here, "", "the name of a body that is not fixed", target)?;
        }
        Ok(())
    }
}

fn check_material(names: &BTreeSet<&str>, name: &str, path: &str, owner: &str) -> Result<(), Fault> {
    if names.contains(name) {
        return Ok(());
    }
    let known: Vec<&str> = names.iter().copied().collect();
    Err(fault(path, owner, format!("one of {}", known.join(", ")), name))
}

fn check_pair(values: &PairValues, path: &str) -> Result<(), Fault> {
    in_range(values.restitution, 0.0, 1.0, &format!("{path}.restitution"), "")?;
    in_range(values.kinetic_friction, 0.0, 1e6, &format!("{path}.kinetic_friction"), "")?;
    in_range(values.rolling_friction, 0.0, 1e6, &format!("{path}.rolling_friction"), "")?;
    let is_fine = values.static_friction >= values.kinetic_friction && values.static_friction <= 1e6;
    let expected = "at least the kinetic friction, and at most 1e6";
    require(is_fine, &format!("{path}.static_friction"), "", expected, values.static_friction)
}

fn check_body(body: &Body, path: &str) -> Result<(), Fault> {
    let name = body.name.as_str();
    let field = |field: &str| format!("{path}.{field}");
    let is_near = body.position.iter().all(|c| c.abs() <= MAX_POSITION);
    require(is_near, &field("position"), name, "three finite numbers within ±1e12 m", body.position)?;
    check_orientation(&body.rotation, &field("rotation"), name)?;
    rates(&body.linear, &field("linear"), name)?;
    rates(&body.angular, &field("angular"), name)?;
    rates(&body.surface_velocity, &field("surface_velocity"), name)?;
    in_range(body.linear_damping, 0.0, 1e6, &field("linear_damping"), name)?;
    in_range(body.angular_damping, 0.0, 1e6, &field("angular_damping"), name)?;
    in_range(body.gravity_scale, -1e6, 1e6, &field("gravity_scale"), name)?;
    let can_rest = body.kind == Kind::Dynamic
        && body.can_sleep
        && body.linear.iter().chain(&body.angular).all(|&c| c == 0.0);
    let expected = "false unless the body is dynamic, at rest and may sleep";
    require(!body.asleep || can_rest, &field("asleep"), name, expected, body.asleep)?;
    let is_time = (0.0..=MAX_SECONDS).contains(&body.appears);
    require(is_time, &field("appears"), name, "0 to 1e6 s", body.appears)?;
    if let Some(mass) = &body.mass {
        check_mass(mass, body, &field("mass"))?;
    }
    logic::check_body_logic(body, path)?;
    check_shape(&body.shape, &field("shape"), body)
}

fn check_mass(spec: &MassSpec, body: &Body, path: &str) -> Result<(), Fault> {
    let name = body.name.as_str();
    let field = |field: &str| format!("{path}.{field}");
    require(body.kind == Kind::Dynamic, path, name, "left out unless the body is dynamic", "a mass")?;
    in_range(spec.mass, 1e-30, 1e30, &field("mass"), name)?;
    let Some(inertia) = &spec.inertia else { return Ok(()) };
    rates(&inertia.center, &field("inertia.center"), name)?;
    let are_moments = inertia.principal.iter().all(|moment| (1e-36..=1e36).contains(moment));
    let expected = "three moments from 1e-36 to 1e36 kg m²";
    require(are_moments, &field("inertia.principal"), name, expected, inertia.principal)?;
    check_orientation(&inertia.rotation, &field("inertia.rotation"), name)
}

fn check_orientation(orientation: &Orientation, path: &str, owner: &str) -> Result<(), Fault> {
    match orientation {
        Orientation::Quaternion(q) => {
            let length = q.iter().map(|c| c * c).sum::<Real>().sqrt();
            let is_fine = (length - 1.0).abs() <= QUATERNION_TOLERANCE;
            require(is_fine, path, owner, "a quaternion (x, y, z, w) of length 1", q)
        }
        Orientation::EulerDegrees(angles) => {
            let is_fine = angles.iter().all(|a| a.abs() <= 1e4);
            require(is_fine, path, owner, "three angles within ±10000 degrees", angles)
        }
    }
}

fn check_shape(shape: &ShapeSpec, path: &str, body: &Body) -> Result<(), Fault> {
    let name = body.name.as_str();
    if let ShapeSpec::Compound { parts } = shape {
        require(!parts.is_empty(), &format!("{path}.parts"), name, "a list of at least one shape", parts)?;
        for (index, part) in parts.iter().enumerate() {
            let here = format!("{path}.parts[{index}]");
            let is_simple = !matches!(part.shape, ShapeSpec::Compound { .. });
            require(is_simple, &format!("{here}.shape"), name, "a shape that is not compound", "compound")?;
            let is_near = part.position.iter().all(|c| c.abs() <= MAX_RATE);
            let expected = "three finite numbers within ±1e6 m";
            require(is_near, &format!("{here}.position"), name, expected, part.position)?;
            check_orientation(&part.rotation, &format!("{here}.rotation"), name)?;
            check_shape(&part.shape, &format!("{here}.shape"), body)?;
        }
        return Ok(());
    }
    if let ShapeSpec::MeshFile { path: file, .. } | ShapeSpec::HullFile { path: file, .. } = shape {
        let expected = "a file that was read (Scene::parse and Scene::load read it)";
        return require(false, &format!("{path}.path"), name, expected, file);
    }
    if matches!(shape, ShapeSpec::HalfSpace { .. }) && body.kind != Kind::Fixed {
        let expected = "a shape that can move (a half_space needs kind: fixed)";
        return Err(Fault { found: "half_space".into(), ..fault(path, name, expected, "") });
    }
    let surface = match shape {
        ShapeSpec::Mesh { .. } => Some("mesh"),
        ShapeSpec::HeightField { .. } => Some("height_field"),
        _ => None,
    };
    if let Some(found) = surface.filter(|_| body.kind == Kind::Dynamic) {
        let expected = format!("a shape that can move (a {found} needs kind: fixed or kinematic)");
        return Err(Fault { found: found.into(), ..fault(path, name, expected, "") });
    }
    if let ShapeSpec::HalfSpace { normal } = shape {
        let is_direction = normal.iter().any(|c| *c != 0.0);
        require(is_direction, &format!("{path}.normal"), name, "a direction, not zero", normal)?;
    }
    // The engine's own constructors know the ranges.
    build_shape(shape).map(drop).map_err(|error| shape_fault(&error.to_string(), shape, path, name))
}

/// From the engine's message, which usually is "FIELD must be RANGE, got VALUE".
fn shape_fault(message: &str, shape: &ShapeSpec, path: &str, name: &str) -> Fault {
    let parts = message.split_once(" must be ").and_then(|(place, rest)| {
        let (range, value) = rest.rsplit_once(", got ")?;
        let field = place.strip_suffix(" of a height field").unwrap_or(place).split(['.', '[']).next()?;
        is_field(shape, field).then_some((field, range, value))
    });
    // Others are about several fields at once.
    let Some((field, range, value)) = parts else {
        let expected = format!("one that can be built ({message})");
        return Fault { found: "this shape".into(), ..fault(path, name, expected, "") };
    };
    Fault {
        path: format!("{path}.{field}"),
        owner: name.to_owned(),
        expected: range.to_owned(),
        found: value.to_owned(),
    }
}

fn is_field(shape: &ShapeSpec, name: &str) -> bool {
    let fields: &[&str] = match shape {
        ShapeSpec::Sphere { .. } => &["radius"],
        ShapeSpec::Cuboid { .. } => &["half_extents"],
        ShapeSpec::Capsule { .. } => &["half_length", "radius"],
        ShapeSpec::Cylinder { .. } | ShapeSpec::Cone { .. } => &["half_height", "radius"],
        ShapeSpec::Hull { .. } => &["points"],
        ShapeSpec::HalfSpace { .. } => &["normal"],
        ShapeSpec::Mesh { .. } => &["vertices", "triangles"],
        ShapeSpec::HeightField { .. } => &["rows", "columns", "cell", "heights"],
        ShapeSpec::MeshFile { .. } | ShapeSpec::HullFile { .. } => &["path", "scale"],
        ShapeSpec::Compound { .. } => &["parts"],
    };
    fields.contains(&name)
}
