//! Floors of many colliders: what slides or rolls over flush neighbours does not catch, and walls and kerbs are felt as before.
//! Trusted references: the closed forms of sliding and rolling.

use drystone::math::{Pose, Real, RelativePose, Rotation, Vector3};
use drystone::{BodyHandle, BodySpec, ColliderSpec, PairMaterial, Shape, World, WorldConfig, WorldError};

const GRAVITY: f64 = 9.81;

fn presets() -> [(&'static str, WorldConfig, Real); 4] {
    [
        ("fast", WorldConfig::default(), 60.0),
        ("thesis_fast", WorldConfig::thesis_fast(), 240.0),
        ("thesis_accurate", WorldConfig::thesis_accurate(), 960.0),
        ("nsgs", WorldConfig::nsgs(), 60.0),
    ]
}

fn cuboid(x: Real, y: Real, z: Real) -> ColliderSpec {
    ColliderSpec::new(Shape::cuboid(Vector3::new(x, y, z)).expect("a size"))
}

/// A world in which all surfaces have this friction and nothing bounces.
fn world(config: &WorldConfig, friction: Real) -> Result<World, WorldError> {
    let mut world = World::new(config.clone())?;
    let (static_friction, kinetic_friction) = (friction, friction);
    let pair = PairMaterial { restitution: 0.0, static_friction, kinetic_friction, rolling_friction: 0.0 };
    world.materials_mut().set_all_pairs(pair)?;
    Ok(world)
}

/// Thirty fixed tiles, one metre long each, from x = -0.5 on; their top is at 0.
fn tiles(world: &mut World) -> Result<(), WorldError> {
    for k in 0..30 {
        world.add_body(
            BodySpec::fixed().pose(Pose::at(f64::from(k), -0.25, 0.0)).collider(cuboid(0.5, 0.25, 2.0)),
        )?;
    }
    Ok(())
}

/// The same as one fixed body of thirty colliders.
fn platform(world: &mut World) -> Result<(), WorldError> {
    let tile = |k: i32| {
        cuboid(0.5, 0.25, 2.0)
            .local(RelativePose::new(Vector3::new(k as Real, 0.0, 0.0), Rotation::identity()))
    };
    let body = (0..30).fold(BodySpec::fixed(), |body, k| body.collider(tile(k)));
    world.add_body(body.pose(Pose::at(0.0, -0.25, 0.0))).map(drop)
}

/// Tiles in two rows, one of which is shifted by half a tile: their corners meet the middle of an edge.
fn shifted_rows(world: &mut World) -> Result<(), WorldError> {
    for k in 0..30 {
        for (row, shift) in [(-1.0, 0.0), (1.0, 0.5)] {
            let pose = Pose::at(f64::from(k) + shift - 1.0, -0.25, row);
            world.add_body(BodySpec::fixed().pose(pose).collider(cuboid(0.5, 0.25, 1.0)))?;
        }
    }
    Ok(())
}

/// Half-space and tiles let into it.
fn inlaid(world: &mut World) -> Result<(), WorldError> {
    world.add_body(BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(Vector3::y())?)))?;
    for k in 0..10 {
        world.add_body(
            BodySpec::fixed()
                .pose(Pose::at(2.0 + 3.0 * f64::from(k), -0.25, 0.0))
                .collider(cuboid(0.5, 0.25, 2.0)),
        )?;
    }
    Ok(())
}

/// Meshes of two triangles, one beside the other.
fn meshes(world: &mut World) -> Result<(), WorldError> {
    let corners = [[-0.5, 0.0, -2.0], [0.5, 0.0, -2.0], [0.5, 0.0, 2.0], [-0.5, 0.0, 2.0]].map(Vector3::from);
    let mesh = Shape::mesh(&corners, &[[0, 2, 1], [0, 3, 2]])?;
    for k in 0..30 {
        let pose = Pose::at(f64::from(k), 0.0, 0.0);
        world.add_body(BodySpec::fixed().pose(pose).collider(ColliderSpec::new(mesh.clone())))?;
    }
    Ok(())
}

type Floor = fn(&mut World) -> Result<(), WorldError>;
const FLOORS: [(&str, Floor); 5] = [
    ("tiles", tiles),
    ("platform", platform),
    ("shifted rows", shifted_rows),
    ("inlaid", inlaid),
    ("meshes", meshes),
];

/// Runs for `seconds` and returns the greatest height that the body rose by, m.
fn run(world: &mut World, hz: Real, seconds: Real, body: BodyHandle) -> Result<f64, WorldError> {
    let home = world.pose(body)?.translation.y;
    let mut risen: f64 = 0.0;
    for _ in 0..(seconds * hz) as u32 {
        world.step(1.0 / hz)?;
        risen = risen.max(world.pose(body)?.translation.y - home);
    }
    Ok(risen)
}

#[test]
fn what_slides_without_friction_keeps_its_speed() -> Result<(), WorldError> {
    let movers: [(&str, ColliderSpec, f64); 4] = [
        ("box", cuboid(0.15, 0.15, 0.15), 0.15),
        ("ball", ColliderSpec::new(Shape::sphere(0.1)?), 0.1),
        ("capsule", ColliderSpec::new(Shape::capsule(0.2, 0.1)?).local(across()), 0.1),
        ("cylinder", ColliderSpec::new(Shape::cylinder(0.1, 0.2)?), 0.1),
    ];
    for (preset, config, hz) in presets() {
        for (floor_name, floor) in FLOORS {
            for (name, mover, height) in &movers {
                for speed in [0.7, 6.0] {
                    let mut world = world(&config, 0.0)?;
                    floor(&mut world)?;
                    let linear = Vector3::new(speed, 0.0, 0.0);
                    let spec = BodySpec::dynamic()
                        .pose(Pose::at(0.0, *height, 0.1))
                        .linear_velocity(linear)
                        .collider(mover.clone());
                    let body = world.add_body(spec)?;
                    let risen = run(&mut world, hz, 2.0, body)?;
                    let (linear, angular) = world.velocity(body)?;
                    let what = format!(
                        "{preset}, {floor_name}, {name} at {speed} m/s: {linear:?} {angular:?}, risen {risen} m"
                    );
                    assert!((linear.x - speed).abs() < 2e-3 * speed, "{what}");
                    assert!(
                        linear.y.abs() < 5e-3 && linear.z.abs() < 5e-3 && angular.norm() < 0.02,
                        "{what}"
                    );
                    assert!(risen < 1e-3, "{what}");
                    let way = world.pose(body)?.translation.x;
                    assert!(
                        (way - 2.0 * f64::from(speed)).abs() < 0.02 * f64::from(speed),
                        "{what}: it went {way} m"
                    );
                }
            }
        }
    }
    Ok(())
}

/// A capsule that lies across the way.
fn across() -> RelativePose {
    RelativePose::new(
        Vector3::zeros(),
        Rotation::from_axis_angle(&Vector3::x_axis(), std::f32::consts::FRAC_PI_2),
    )
}

#[test]
fn friction_stops_a_box_where_it_would_on_one_floor() -> Result<(), WorldError> {
    for (preset, config, hz) in presets() {
        for (name, floor) in FLOORS {
            let mut world = world(&config, 0.4)?;
            floor(&mut world)?;
            let spec = BodySpec::dynamic()
                .pose(Pose::at(0.0, 0.15, 0.1))
                .linear_velocity(Vector3::x() * 4.0)
                .collider(cuboid(0.3, 0.15, 0.3));
            let body = world.add_body(spec)?;
            run(&mut world, hz, 3.0, body)?;
            let (way, exact) = (world.pose(body)?.translation.x, 16.0 / (2.0 * 0.4 * GRAVITY));
            assert!((way / exact - 1.0).abs() < 0.04, "{preset}, {name}: {way} m, {exact} m by theory");
        }
    }
    Ok(())
}

#[test]
fn walls_and_kerbs_are_felt() -> Result<(), WorldError> {
    for (preset, config, hz) in presets() {
        // A kerb ten times as high as what is not felt, and a wall; both stand on the floor, and end flush with its side.
        let kerb = 10.0 * 9.81 / (hz * hz);
        for height in [kerb.max(0.02), 1.0] {
            let mut world = world(&config, 0.2)?;
            tiles(&mut world)?;
            let wall = BodySpec::fixed().pose(Pose::at(3.0, f64::from(height) * 0.5, 0.0)).collider(cuboid(
                0.5,
                height * 0.5,
                2.0,
            ));
            world.add_body(wall)?;
            let spec = BodySpec::dynamic()
                .pose(Pose::at(0.0, 0.15, 0.0))
                .linear_velocity(Vector3::x() * 3.0)
                .collider(cuboid(0.15, 0.15, 0.15));
            let body = world
                .add_body(spec.locks(drystone::AxisLocks { rotation: [true; 3], ..Default::default() }))?;
            run(&mut world, hz, 2.0, body)?;
            let place = world.pose(body)?.translation;
            assert!(place.x < 2.36 && place.y < 0.16, "{preset}, height {height}: the box is at {place:?}");
        }
        // A ball in a corner of floor and walls rests in it.
        let mut world = world(&config, 0.2)?;
        tiles(&mut world)?;
        world.add_body(BodySpec::fixed().pose(Pose::at(3.0, 1.0, 0.0)).collider(cuboid(0.5, 1.0, 2.0)))?;
        let ball = ColliderSpec::new(Shape::sphere(0.1)?);
        let body = world.add_body(
            BodySpec::dynamic()
                .pose(Pose::at(2.0, 0.1, 0.0))
                .linear_velocity(Vector3::x() * 3.0)
                .collider(ball),
        )?;
        run(&mut world, hz, 2.0, body)?;
        let place = world.pose(body)?.translation;
        assert!(place.x < 2.401 && (place.y - 0.1).abs() < 2e-3, "{preset}: the ball is at {place:?}");
    }
    Ok(())
}

#[test]
fn a_height_of_zero_leaves_all_contacts_in() -> Result<(), WorldError> {
    let mut config = WorldConfig::default();
    config.detection.seam_height = 0.0;
    let mut world = world(&config, 0.0)?;
    tiles(&mut world)?;
    let spec = BodySpec::dynamic()
        .pose(Pose::at(0.0, 0.15, 0.0))
        .linear_velocity(Vector3::x() * 6.0)
        .collider(cuboid(0.15, 0.15, 0.15));
    let body = world.add_body(spec)?;
    run(&mut world, 60.0, 2.0, body)?;
    assert!(world.velocity(body)?.0.x < 3.0, "without the stage it catches, which is what the others test");
    config.detection.seam_height = -1.0;
    let refused = World::new(config).unwrap_err();
    assert_eq!(refused.to_string(), "detection.seam_height must be at least 0, got -1");
    Ok(())
}
