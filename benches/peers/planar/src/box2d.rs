//! Box2D v3, by the crate `boxdd`.

use crate::Runs;
use boxdd::shapes::SurfaceMaterial;
use boxdd::types::{BodyId, Vec2};
use boxdd::world::WorkerCount;
use boxdd::{BodyBuilder, BodyType, Foundation, Position, ShapeDef, World, WorldBuilder};
use drystone_planar::scenes::PlanarScene;
use drystone_planar::{BodyKind, PlanarShapeKind, Turn, Vector2};

/// Density of all bodies, kg/m³: that of drystone's granite.
const DENSITY: f32 = 2800.0;
/// Its default.
const SUB_STEPS: i32 = 4;

struct Box2d {
    world: World,
    bodies: Vec<BodyId>,
}

pub(crate) fn start(scene: &PlanarScene, threads: usize, _partitions: u32) -> Result<Box<dyn Runs>, String> {
    build(scene, threads).map(|world| Box::new(world) as Box<dyn Runs>).map_err(|e| e.to_string())
}

fn build(scene: &PlanarScene, threads: usize) -> Result<Box2d, Box<dyn std::error::Error>> {
    let foundation = match Foundation::get() {
        Some(foundation) => foundation,
        None => Foundation::initialize_default()?,
    };
    let builder = WorldBuilder::from(foundation.world_def())
        .gravity(Vec2::new(scene.gravity.x, scene.gravity.y))
        .enable_sleep(false)
        .enable_continuous(false)
        .worker_count(WorkerCount::new(threads as u32)?);
    let mut world = foundation.create_world(builder.build()?)?;
    let material = SurfaceMaterial::default()
        .with_friction(scene.material.static_friction)?
        .with_restitution(scene.material.restitution)?;
    let shape_def = ShapeDef::builder().density(DENSITY).material(material).build()?;
    let mut bodies = Vec::new();
    for own in &scene.bodies {
        let kind = match own.kind {
            BodyKind::Dynamic => BodyType::Dynamic,
            BodyKind::Fixed => BodyType::Static,
            BodyKind::Kinematic => BodyType::Kinematic,
        };
        let [x, y, angle] = own.place;
        let builder = BodyBuilder::from(foundation.body_def())
            .body_type(kind)
            .position(Position::new(x as _, y as _))
            .angle(angle as f32)
            .linear_velocity(Vec2::new(own.linear.x, own.linear.y))
            .angular_velocity(own.angular);
        let id = world.create_body(builder.build()?)?;
        let mut body = world.body(id)?;
        for part in &own.shapes {
            let turn = Turn::new(part.angle);
            let at = |corner: &Vector2| turn.apply(corner) + part.translation;
            let corners: Vec<Vector2> = part.shape.corners().iter().map(at).collect();
            let point = |k: usize| Vec2::new(corners[k].x, corners[k].y);
            match part.shape.kind() {
                PlanarShapeKind::Circle => {
                    body.create_circle(
                        &shape_def,
                        &boxdd::shapes::Circle::new(point(0), part.shape.radius())?,
                    )?;
                }
                PlanarShapeKind::Polygon => {
                    body.create_polygon_from_points(&shape_def, (0..corners.len()).map(point), 0.0)?;
                }
                PlanarShapeKind::Capsule => {
                    body.create_capsule_between(&shape_def, point(0), point(1), part.shape.radius())?;
                }
                PlanarShapeKind::Segment => {
                    body.create_segment_between(&shape_def, point(0), point(1))?;
                }
            }
        }
        bodies.push(id);
    }
    Ok(Box2d { world, bodies })
}

impl Runs for Box2d {
    fn step(&mut self, dt: f32) -> Result<(), String> {
        self.world.step(dt, SUB_STEPS).map(|_| ()).map_err(|e| e.to_string())
    }

    fn centers(&mut self) -> Vec<[f64; 2]> {
        let center = |world: &mut World, id: BodyId| {
            let body = world.body(id).ok()?;
            let c = body.world_center_of_mass().ok()?;
            Some([f64::from(c.x), f64::from(c.y)])
        };
        self.bodies.iter().map(|&id| center(&mut self.world, id).unwrap_or([f64::NAN; 2])).collect()
    }
}
