//! Scenes of the plane, built by functions: the same bits each time.
//!
//! `circles` and `polygons` are the stress tests of S4 (sections 5.1 and 5.2, rows S4-22, S4-23): bodies with random
//! velocities in a closed box. S4 gives neither sizes nor speeds; here a quarter of the box is filled, bodies are about a
//! metre across and fly at up to 5 m/s, without gravity, friction or loss, so that it does not come to rest.

use crate::{
    BodyKind, Exec, PairMaterial, PlanarBodySpec, PlanarColliderSpec, PlanarConfig, PlanarError, PlanarPose,
    PlanarShape, PlanarWorld, Turn, Vector2,
};
use drystone_math::Real;

/// A shape on a body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarSceneShape {
    /// The shape.
    pub shape: PlanarShape,
    /// Where it sits on the body, m.
    pub translation: Vector2,
    /// Turned by so much, rad.
    pub angle: f64,
}

/// A body of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarSceneBody {
    /// How it moves.
    pub kind: BodyKind,
    /// Where it begins: x and y, m, and angle, rad.
    pub place: [f64; 3],
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector2,
    /// Angular velocity, rad/s.
    pub angular: Real,
    /// Its shapes.
    pub shapes: Vec<PlanarSceneShape>,
}

/// A scene of the plane. All bodies have the density of granite, and all pairs the same material.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarScene {
    /// Its name with its parameter, `circles:500`.
    pub name: String,
    /// Gravity, m/s².
    pub gravity: Vector2,
    /// What all pairs do.
    pub material: PairMaterial,
    /// How long it is worth looking at, s.
    pub seconds: f64,
    /// The bodies.
    pub bodies: Vec<PlanarSceneBody>,
}

/// Name, parameter by default, its range and what it means of each scene.
pub const PLANAR_SCENES: [(&str, u32, u32, &str); 5] = [
    ("circles", 500, 200_000, "circles with random velocities in a closed box"),
    ("polygons", 500, 200_000, "polygons with random velocities in a closed box"),
    ("planar_pyramid", 30, 200, "rows of a pyramid of squares"),
    ("planar_column", 50, 200, "squares on top of one another, set up 5 mm askew"),
    ("tumbler", 400, 20_000, "squares in a drum that turns"),
];

/// The scene of this name, `circles` or with its parameter `circles:2000`.
///
/// # Errors
/// A name that does not exist, a parameter that is not in its range; in a sentence.
pub fn planar_scene(text: &str) -> Result<PlanarScene, String> {
    let (name, parameter) = text.split_once(':').map_or((text, None), |(name, n)| (name, Some(n)));
    let known = || PLANAR_SCENES.map(|(name, ..)| name).join(", ");
    let (_, default, most, _) = PLANAR_SCENES
        .into_iter()
        .find(|(own, ..)| *own == name)
        .ok_or_else(|| format!("there is no planar scene {name:?}; known: {}", known()))?;
    let wrong = |got: &str| format!("the parameter of {name} must be a number from 1 to {most}, got {got:?}");
    let count = match parameter {
        Some(n) => n.parse::<u32>().ok().filter(|n| (1..=most).contains(n)).ok_or_else(|| wrong(n))?,
        None => default,
    };
    let built = match name {
        "circles" => gas(count, |_, random| PlanarShape::circle(random.between(0.4, 0.6))),
        "polygons" => gas(count, |_, random| some_polygon(random)),
        "planar_pyramid" => pyramid(count),
        "planar_column" => column(count),
        _ => tumbler(count),
    };
    let scene = built.map_err(|e| e.to_string())?;
    Ok(PlanarScene { name: format!("{name}:{count}"), ..scene })
}

impl PlanarScene {
    /// A world with the bodies of the scene. Gravity of `config` is replaced by that of the scene.
    ///
    /// # Errors
    /// A setting out of range.
    pub fn build(&self, config: PlanarConfig, exec: Exec) -> Result<PlanarWorld, PlanarError> {
        let mut world = PlanarWorld::with_exec(PlanarConfig { gravity: self.gravity, ..config }, exec)?;
        world.materials_mut().set_all_pairs(self.material)?;
        for body in &self.bodies {
            let spec = match body.kind {
                BodyKind::Dynamic => PlanarBodySpec::dynamic(),
                BodyKind::Fixed => PlanarBodySpec::fixed(),
                BodyKind::Kinematic => PlanarBodySpec::kinematic(),
            };
            let [x, y, angle] = body.place;
            let spec = spec.pose(PlanarPose::new(x, y, angle)).velocity(body.linear, body.angular);
            let spec = body.shapes.iter().fold(spec, |spec, own| {
                spec.collider(PlanarColliderSpec::new(own.shape.clone()).local(own.translation, own.angle))
            });
            world.add_body(spec)?;
        }
        Ok(world)
    }
}

/// Random numbers, the same everywhere (SplitMix64, Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> Real {
        (low + (high - low) * self.unit()) as Real
    }
}

fn body(kind: BodyKind, x: f64, y: f64, shape: PlanarShape) -> PlanarSceneBody {
    let shapes = vec![PlanarSceneShape { shape, translation: Vector2::zeros(), angle: 0.0 }];
    PlanarSceneBody { kind, place: [x, y, 0.0], linear: Vector2::zeros(), angular: 0.0, shapes }
}

fn scene(gravity: Real, friction: Real, restitution: Real, seconds: f64) -> PlanarScene {
    let material = PairMaterial {
        restitution,
        static_friction: friction,
        kinetic_friction: friction,
        ..PairMaterial::default()
    };
    PlanarScene {
        name: String::new(),
        gravity: Vector2::new(0.0, -gravity),
        material,
        seconds,
        bodies: Vec::new(),
    }
}

/// A hull of three to eight corners about a metre across.
fn some_polygon(random: &mut Random) -> Result<PlanarShape, PlanarError> {
    let corners = 3 + (random.unit() * 6.0) as u32;
    let radius = f64::from(random.between(0.4, 0.65));
    let shift = random.unit();
    let at = |k: u32, jitter: f64| {
        let angle = std::f64::consts::TAU * (f64::from(k) + shift + 0.3 * jitter) / f64::from(corners);
        Turn::new(angle).apply(&Vector2::new(radius as Real, 0.0))
    };
    let points: Vec<Vector2> = (0..corners).map(|k| at(k, random.unit())).collect();
    PlanarShape::polygon(&points)
}

/// Bodies on a jittered grid that fill about a quarter of a closed box, with random velocities.
fn gas(
    count: u32,
    mut shape: impl FnMut(u32, &mut Random) -> Result<PlanarShape, PlanarError>,
) -> Result<PlanarScene, PlanarError> {
    let mut out = scene(0.0, 0.0, 1.0, 10.0);
    let mut random = Random(u64::from(count));
    let side = f64::from(count).sqrt().ceil();
    let pitch = 1.8;
    let half = 0.5 * side * pitch + 0.5;
    for (x, y, long, high) in [
        (0.0, -1.0, half + 2.0, 1.0),
        (0.0, 1.0, half + 2.0, 1.0),
        (-1.0, 0.0, 1.0, half),
        (1.0, 0.0, 1.0, half),
    ] {
        let wall = PlanarShape::cuboid(long as Real, high as Real)?;
        out.bodies.push(body(BodyKind::Fixed, x * (half + 1.0), y * (half + 1.0), wall));
    }
    for k in 0..count {
        let (column, row) = (f64::from(k % side as u32), f64::from(k / side as u32));
        let place = |c: f64, jitter: f64| (c + 0.5) * pitch - 0.5 * side * pitch + 0.4 * (jitter - 0.5);
        let (jx, jy) = (random.unit(), random.unit());
        let mut own = body(BodyKind::Dynamic, place(column, jx), place(row, jy), shape(k, &mut random)?);
        own.linear = Vector2::new(random.between(-5.0, 5.0), random.between(-5.0, 5.0));
        own.angular = random.between(-2.0, 2.0);
        out.bodies.push(own);
    }
    Ok(out)
}

/// Squares of a metre, `rows` in the lowest row.
fn pyramid(rows: u32) -> Result<PlanarScene, PlanarError> {
    let mut out = scene(9.81, 0.6, 0.0, 10.0);
    let wide = f64::from(rows) + 20.0;
    out.bodies.push(body(BodyKind::Fixed, 0.0, -1.0, PlanarShape::cuboid(wide as Real, 1.0)?));
    for row in 0..rows {
        for k in 0..rows - row {
            let x = 1.05 * (f64::from(k) - 0.5 * f64::from(rows - row - 1));
            let y = 0.5 + f64::from(row);
            out.bodies.push(body(BodyKind::Dynamic, x, y, PlanarShape::cuboid(0.5, 0.5)?));
        }
    }
    Ok(out)
}

/// Squares of a metre on top of one another, each up to 5 mm off.
fn column(count: u32) -> Result<PlanarScene, PlanarError> {
    let mut out = scene(9.81, 0.6, 0.0, 60.0);
    let mut random = Random(7);
    out.bodies.push(body(BodyKind::Fixed, 0.0, -1.0, PlanarShape::cuboid(20.0, 1.0)?));
    for k in 0..count {
        let x = 0.01 * (random.unit() - 0.5);
        out.bodies.push(body(BodyKind::Dynamic, x, 0.5 + f64::from(k), PlanarShape::cuboid(0.5, 0.5)?));
    }
    Ok(out)
}

/// A square drum that turns once in 12 s, half full of small squares.
fn tumbler(count: u32) -> Result<PlanarScene, PlanarError> {
    let mut out = scene(9.81, 0.5, 0.1, 10.0);
    let side = f64::from(count).sqrt().ceil();
    let pitch = 0.3;
    let half = (0.75 * side * pitch).max(1.0);
    let mut drum = PlanarSceneBody {
        kind: BodyKind::Kinematic,
        place: [0.0; 3],
        linear: Vector2::zeros(),
        angular: (std::f64::consts::TAU / 12.0) as Real,
        shapes: Vec::new(),
    };
    for (x, y, long, high) in [
        (0.0, -1.0, half + 0.5, 0.25),
        (0.0, 1.0, half + 0.5, 0.25),
        (-1.0, 0.0, 0.25, half),
        (1.0, 0.0, 0.25, half),
    ] {
        let translation = Vector2::new((x * (half + 0.25)) as Real, (y * (half + 0.25)) as Real);
        let shape = PlanarShape::cuboid(long as Real, high as Real)?;
        drum.shapes.push(PlanarSceneShape { shape, translation, angle: 0.0 });
    }
    out.bodies.push(drum);
    for k in 0..count {
        let (column, row) = (f64::from(k % side as u32), f64::from(k / side as u32));
        let place = |c: f64| (c + 0.5) * pitch - 0.5 * side * pitch;
        out.bodies.push(body(
            BodyKind::Dynamic,
            place(column),
            place(row),
            PlanarShape::cuboid(0.125, 0.125)?,
        ));
    }
    Ok(out)
}
