//! Scenes that are turned, mirrored, moved, scaled or listed in another order end as they did before. The bounds say what each scene allows: what rests or slides keeps its
//! place to a fraction of a millimetre; what is smashed keeps its picture, not its pieces.

use drystone::math::{Displacement, Pose, Real, Rotation, Vector3};
use drystone::testing::{Change, Departure, Experiment, TestingError};
use drystone::{BodySpec, ColliderSpec, PairMaterial, Shape, WorldConfig};

/// Presets whose promises are the same for all changes, with steps per second.
fn presets() -> [(&'static str, WorldConfig, Real); 4] {
    [
        ("fast", WorldConfig::default(), 60.0),
        ("thesis_fast", WorldConfig::thesis_fast(), 240.0),
        ("thesis_accurate", WorldConfig::thesis_accurate(), 240.0),
        ("nsgs", WorldConfig::nsgs(), 60.0),
    ]
}

/// One of each kind. The turn is about no axis of the scene.
fn changes() -> [Change; 7] {
    [
        Change::Rotated(Rotation::from_euler_angles(0.4, 1.1, -0.7)),
        Change::Mirrored,
        Change::Moved(Displacement::new(1.0e7, -3.0e6, 2.0e6)),
        Change::Reversed,
        Change::Shuffled(7),
        Change::Scaled(4.0),
        Change::Scaled(0.3),
    ]
}

fn ground() -> BodySpec {
    BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a direction")))
}

fn cube(edge: Real, at: [f64; 3]) -> BodySpec {
    let shape = Shape::cuboid(Vector3::repeat(0.5 * edge)).expect("a size");
    BodySpec::dynamic().pose(Pose::at(at[0], at[1], at[2])).collider(ColliderSpec::new(shape))
}

fn ball(radius: Real, at: [f64; 3]) -> BodySpec {
    let shape = Shape::sphere(radius).expect("a size");
    BodySpec::dynamic().pose(Pose::at(at[0], at[1], at[2])).collider(ColliderSpec::new(shape))
}

fn surfaces(restitution: Real, friction: Real) -> PairMaterial {
    PairMaterial { restitution, static_friction: friction, kinetic_friction: friction, rolling_friction: 0.0 }
}

/// Runs the scene under every change with every preset; `is_same` judges, with what has to be divided by the scale taken care of.
fn judge(
    bodies: &[BodySpec],
    pair: PairMaterial,
    seconds: Real,
    is_same: impl Fn(&Departure) -> bool,
) -> Result<(), TestingError> {
    let mut failed = Vec::new();
    for (name, config, hz) in presets() {
        let experiment = Experiment::new(config, bodies.iter().cloned())
            .surfaces(pair)
            .dt(1.0 / hz)
            .steps((seconds * hz) as u32);
        let before = experiment.run()?;
        for change in changes() {
            let departure = experiment.departure_from(&before, &change)?;
            println!("{name:<16} {change:?}\n    {departure:?}");
            if !is_same(&departure) {
                failed.push(format!("{name}, {change:?}: {departure:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

#[test]
fn a_tower_stands_the_same_way() -> Result<(), TestingError> {
    let tower = (0..8).map(|level| cube(0.5, [0.0, 0.25 + 0.5 * f64::from(level), 0.0]));
    let bodies: Vec<_> = std::iter::once(ground()).chain(tower).collect();
    judge(&bodies, surfaces(0.2, 0.5), 2.0, |d| d.position < 2e-4 && d.angle < 1e-3 && d.asleep_differs == 0)
}

#[test]
fn what_slides_and_rolls_ends_at_the_same_place() -> Result<(), TestingError> {
    let bodies = [
        ground(),
        cube(0.4, [0.0, 0.2, 0.0]).linear_velocity(Vector3::new(3.0, 0.0, 1.0)),
        ball(0.2, [0.0, 0.2, 5.0]).linear_velocity(Vector3::new(2.0, 0.0, -0.5)),
    ];
    // A quarter of g dt at 240 steps per second: what stops does so in one step or the next.
    judge(&bodies, surfaces(0.0, 0.4), 2.0, |d| d.position < 2e-3 && d.speed < 0.01)
}

#[test]
fn what_bounces_does_so_alike() -> Result<(), TestingError> {
    let turned = Pose::new([3.0, 1.5, 0.0].into(), Rotation::from_euler_angles(0.3, 0.2, 0.1));
    let bodies = [
        ground(),
        ball(0.2, [0.0, 1.0, 0.0]),
        cube(0.4, [3.0, 1.5, 0.0]).pose(turned).angular_velocity(Vector3::x()),
    ];
    judge(&bodies, surfaces(0.5, 0.3), 0.7, |d| d.position < 5e-3)
}

#[test]
fn a_heap_that_is_smashed_looks_the_same() -> Result<(), TestingError> {
    let heap = (0..27).map(|k| {
        let [x, y, z] = [k % 3, k / 9, k / 3 % 3].map(|c| 0.52 * f64::from(c));
        cube(0.5, [x, 0.25 + y, z])
    });
    let bullet = ball(0.4, [-4.0, 0.8, 0.5]).linear_velocity(Vector3::new(12.0, 1.0, 0.0));
    let bodies: Vec<_> = std::iter::once(ground()).chain(heap).chain([bullet]).collect();
    // Half of the cubes end within an edge of where they did.
    judge(&bodies, surfaces(0.1, 0.6), 1.0, |d| d.typical < 0.5)
}

/// Twice as large, every number of the motion is the same but for its exponent: with masses that are given and not those of the shapes, and where rolling friction,
/// a length, stops a ball within a step or so of the end.
#[test]
fn given_masses_and_rolling_friction_are_scaled_too() -> Result<(), TestingError> {
    let light = cube(1.0, [1.2, 0.5, 0.0]).total_mass(100.0);
    let blow = [ground(), cube(1.0, [0.0, 0.5, 0.0]).linear_velocity(Vector3::x()), light];
    let rolling = [ground(), ball(0.25, [0.0, 0.25, 0.0]).linear_velocity(Vector3::x())];
    let stopping = PairMaterial { rolling_friction: 0.01, ..surfaces(0.0, 0.5) };
    for (bodies, pair) in [(&blow[..], surfaces(0.5, 0.0)), (&rolling[..], stopping)] {
        let experiment =
            Experiment::new(WorldConfig::default(), bodies.iter().cloned()).surfaces(pair).steps(60);
        let departure = experiment.departure(&Change::Scaled(2.0))?;
        assert_eq!((departure.position, departure.speed), (0.0, 0.0), "{departure:?}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_changed_is_refused_by_name() {
    let locked = cube(0.5, [0.0, 0.25, 0.0]).locks(drystone::AxisLocks::PLANE_XY);
    let experiment = Experiment::new(WorldConfig::default(), [ground(), locked]);
    let refused = experiment.departure(&Change::Rotated(Rotation::identity())).unwrap_err();
    assert_eq!(refused.to_string(), "a body with locked axes cannot be rotated");
    let field = Shape::height_field(2, 2, &[0.0; 4], [1.0, 1.0]).expect("a field");
    let experiment =
        Experiment::new(WorldConfig::default(), [BodySpec::fixed().collider(ColliderSpec::new(field))]);
    let refused = experiment.departure(&Change::Mirrored).unwrap_err();
    assert_eq!(refused.to_string(), "a height field cannot be mirrored");
    let refused = experiment.departure(&Change::Scaled(0.0)).unwrap_err();
    assert!(matches!(refused, TestingError::Shape(_) | TestingError::World(_)), "{refused}");
}

#[test]
fn the_changed_scene_is_another_one() -> Result<(), TestingError> {
    let bodies =
        [ground(), cube(0.5, [0.0, 0.25, 0.0]), ball(0.25, [2.0, 0.25, 0.0]).linear_velocity(Vector3::x())];
    let experiment = Experiment::new(WorldConfig::default(), bodies).steps(30);
    let end = |change| Ok::<_, TestingError>(experiment.changed(&change)?.run()?[2]);
    let before = experiment.run()?[2];
    assert_eq!(before, experiment.run()?[2], "runs repeat to the bit");
    let moved = end(Change::Moved(Displacement::new(0.0, 0.0, 5.0)))?;
    assert!((moved.pose.translation.z - before.pose.translation.z - 5.0).abs() < 1e-4);
    let mirror = end(Change::Mirrored)?;
    assert!(mirror.linear.x < -0.5 && before.linear.x > 0.5, "{mirror:?} {before:?}");
    assert!(
        mirror.angular.z > 0.5 && before.angular.z < -0.5,
        "it rolls the other way: {mirror:?} {before:?}"
    );
    let up =
        end(Change::Rotated(Rotation::from_axis_angle(&Vector3::z_axis(), std::f32::consts::FRAC_PI_2)))?;
    assert!(up.linear.y > 0.5, "what went along x goes along y: {up:?}");
    let large = end(Change::Scaled(4.0))?;
    assert!((large.linear.x / before.linear.x - 4.0).abs() < 0.01);
    let reversed = experiment.changed(&Change::Reversed)?;
    assert_eq!(reversed.bodies[0], experiment.bodies[2]);
    Ok(())
}
