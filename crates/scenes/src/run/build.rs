//! From a scene's data to the engine's materials and bodies.

use super::logic::bits;
use crate::error::SceneError;
use crate::model::{Body, InertiaSpec, Kind, Locks, MaterialSpec, Orientation, PairValues, Scene, ShapeSpec};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Quaternion, Real, RelativePose, Rotation, Vector3};
use drystone::{
    AxisLocks, BodyHandle, BodySpec, ColliderSpec, Material, PairMaterial, Shape, ShapeError, World,
};

/// A shape with its place on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapePart {
    /// The shape.
    pub shape: Shape,
    /// Where it sits on the body.
    pub local: RelativePose,
}

/// What a [`ShapeSpec`] becomes: one part, or several for a compound.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltShape {
    /// The parts; at least one.
    pub parts: Vec<ShapePart>,
}

impl BuiltShape {
    /// Mass (kg), centre (m) and inertia (kg m²) at a uniform density (kg/m³); `None` for a half-space.
    pub fn mass_properties(&self, density: Real) -> Option<MassProperties> {
        let place = |part: &ShapePart| {
            let own = part.shape.mass_properties(density)?;
            Some(own.transformed(&part.local.translation, &part.local.rotation))
        };
        MassProperties::combined(&self.parts.iter().map(place).collect::<Option<Vec<_>>>()?)
    }
}

/// Builds a shape.
///
/// # Errors
/// The first size that is out of range.
pub fn build_shape(spec: &ShapeSpec) -> Result<BuiltShape, ShapeError> {
    let mut parts = Vec::new();
    if let ShapeSpec::Compound { parts: specs } = spec {
        for part in specs {
            let local = RelativePose::new(Vector3::from(part.position), rotation(&part.rotation));
            for inner in build_shape(&part.shape)?.parts {
                parts.push(ShapePart { local: local.compose(&inner.local), shape: inner.shape });
            }
        }
    } else {
        parts.push(ShapePart { shape: simple_shape(spec)?, local: RelativePose::IDENTITY });
    }
    Ok(BuiltShape { parts })
}

fn simple_shape(spec: &ShapeSpec) -> Result<Shape, ShapeError> {
    match spec {
        ShapeSpec::Sphere { radius } => Shape::sphere(*radius),
        ShapeSpec::Cuboid { half_extents } => Shape::cuboid(Vector3::from(*half_extents)),
        ShapeSpec::Capsule { half_length, radius } => Shape::capsule(*half_length, *radius),
        ShapeSpec::Cylinder { half_height, radius } => Shape::cylinder(*half_height, *radius),
        ShapeSpec::Cone { half_height, radius } => Shape::cone(*half_height, *radius),
        ShapeSpec::Hull { points } => {
            Shape::hull(&points.iter().map(|p| Vector3::from(*p)).collect::<Vec<_>>())
        }
        ShapeSpec::HalfSpace { normal } => Shape::half_space(Vector3::from(*normal)),
        ShapeSpec::Mesh { vertices, triangles } => {
            Shape::mesh(&vertices.iter().map(|p| Vector3::from(*p)).collect::<Vec<_>>(), triangles)
        }
        ShapeSpec::HeightField { rows, columns, cell, heights } => {
            Shape::height_field(*rows as usize, *columns as usize, heights, *cell)
        }
        // Only reached for a compound without parts, and for files that were not read: a hull of no points is refused.
        ShapeSpec::Compound { .. } | ShapeSpec::MeshFile { .. } | ShapeSpec::HullFile { .. } => {
            Shape::hull(&[])
        }
    }
}

pub(crate) fn rotation(orientation: &Orientation) -> Rotation {
    match orientation {
        Orientation::Quaternion([x, y, z, w]) => Rotation::from_quaternion(Quaternion::new(*w, *x, *y, *z)),
        Orientation::EulerDegrees(angles) => {
            let [x, y, z] = angles.map(Real::to_radians);
            Rotation::from_euler_angles(x, y, z)
        }
    }
}

/// Puts the scene's materials and pairs into a world.
pub(super) fn add_materials(world: &mut World, scene: &Scene) -> Result<(), SceneError> {
    let refused = |path: String, name: &str, reason: String| SceneError::Refused {
        path,
        name: name.to_owned(),
        reason,
    };
    let table = world.materials_mut();
    for (index, spec) in scene.materials.iter().enumerate() {
        table
            .add(material(spec))
            .map_err(|e| refused(format!("materials[{index}]"), &spec.name, e.to_string()))?;
    }
    if let Some(values) = &scene.contact {
        table.set_all_pairs(pair(values)).map_err(|e| refused("contact".into(), "", e.to_string()))?;
    }
    for (index, spec) in scene.pairs.iter().enumerate() {
        let values = PairValues {
            restitution: spec.restitution,
            static_friction: spec.static_friction,
            kinetic_friction: spec.kinetic_friction,
            rolling_friction: spec.rolling_friction,
        };
        let both = table.find(&spec.a).and_then(|a| table.find(&spec.b).map(|b| (a, b)));
        both.and_then(|(a, b)| table.set_pair(a, b, pair(&values)))
            .map_err(|e| refused(format!("pairs[{index}]"), "", e.to_string()))?;
    }
    Ok(())
}

fn material(spec: &MaterialSpec) -> Material {
    Material {
        name: spec.name.clone(),
        density: spec.density,
        restitution: spec.restitution,
        static_friction: spec.static_friction,
        kinetic_friction: spec.kinetic_friction,
        rolling_friction: spec.rolling_friction,
        poisson: spec.poisson,
        young: spec.young,
        stiffness: spec.young,
    }
}

fn pair(values: &PairValues) -> PairMaterial {
    PairMaterial {
        restitution: values.restitution,
        static_friction: values.static_friction,
        kinetic_friction: values.kinetic_friction,
        rolling_friction: values.rolling_friction,
    }
}

/// Adds the body with this index; its index becomes its user data.
pub(super) fn add_body(
    world: &mut World,
    index: usize,
    body: &Body,
    shape: &BuiltShape,
) -> Result<BodyHandle, SceneError> {
    let refused = |reason: String| SceneError::Refused {
        path: format!("bodies[{index}]"),
        name: body.name.clone(),
        reason,
    };
    let material = world.materials().find(&body.material).map_err(|e| refused(e.to_string()))?;
    let mut spec = match body.kind {
        Kind::Dynamic => BodySpec::dynamic(),
        Kind::Fixed => BodySpec::fixed(),
        Kind::Kinematic => BodySpec::kinematic(),
    };
    spec = spec
        .pose(Pose::new(Position::from(body.position), rotation(&body.rotation)))
        .linear_velocity(Vector3::from(body.linear))
        .angular_velocity(Vector3::from(body.angular))
        .linear_damping(body.linear_damping)
        .angular_damping(body.angular_damping)
        .gravity_scale(body.gravity_scale)
        .can_sleep(body.can_sleep)
        .asleep(body.asleep)
        .locks(locks(&body.locks))
        .user_data(index as u64);
    if let Some(mass) = &body.mass {
        spec = spec.total_mass(mass.mass);
        if let Some(inertia) = &mass.inertia {
            spec = spec.mass(given(mass.mass, inertia));
        }
    }
    for part in &shape.parts {
        let collider = ColliderSpec::new(part.shape.clone())
            .material(material)
            .local(part.local)
            .surface_velocity(Vector3::from(body.surface_velocity))
            .filter(bits(&body.groups), u32::MAX);
        spec = spec.collider(if body.trigger { collider.trigger() } else { collider });
    }
    world.add_body(spec).map_err(|e| refused(e.to_string()))
}

/// Mass, centre and inertia of a body: those of its shape at this density (kg/m³) as far as it does not say otherwise. `None` for what has no volume.
pub(super) fn mass_properties(body: &Body, shape: &BuiltShape, density: Real) -> Option<MassProperties> {
    let Some(spec) = &body.mass else { return shape.mass_properties(density) };
    if let Some(inertia) = &spec.inertia {
        return Some(given(spec.mass, inertia));
    }
    let own = shape.mass_properties(density)?;
    // As heavy as it says, spread as in its shape.
    Some(MassProperties { mass: spec.mass, principal: own.principal * (spec.mass / own.mass), ..own })
}

/// What a body of this mass (kg) says of its inertia.
fn given(mass: Real, inertia: &InertiaSpec) -> MassProperties {
    MassProperties {
        mass,
        center: Vector3::from(inertia.center),
        principal: Vector3::from(inertia.principal),
        frame: rotation(&inertia.rotation),
    }
}

fn locks(locks: &Locks) -> AxisLocks {
    AxisLocks { translation: locks.translation, rotation: locks.rotation }
}
