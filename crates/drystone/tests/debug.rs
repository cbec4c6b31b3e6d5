//! Debug drawing: lines lie on what they show, and everything that is asked for is drawn.

use drystone::debug::{DebugColour, DebugDraw, DebugOptions, Rgb, wires};
use drystone::math::{Pose, Position, Quaternion, Rotation, Vector3};
use drystone::{BodySpec, ColliderSpec, JointSpec, Shape, World, WorldConfig};

#[derive(Default)]
struct Lines(Vec<(Position, Position, Rgb)>);

impl DebugDraw for Lines {
    fn line(&mut self, from: &Position, to: &Position, colour: Rgb) {
        self.0.push((*from, *to, colour));
    }
}

impl Lines {
    fn of(world: &World, options: &DebugOptions) -> Self {
        let mut lines = Self::default();
        world.draw(options, &mut lines);
        lines
    }

    fn count(&self, colour: Rgb) -> usize {
        self.0.iter().filter(|line| line.2 == colour).count()
    }
}

const NOTHING: DebugOptions = DebugOptions {
    shapes: false,
    colour: DebugColour::Activity,
    boxes: false,
    contacts: false,
    normals: false,
    forces: false,
    graph: false,
    joints: false,
    size: 0.1,
    force_scale: 1e-4,
};

fn solid(shape: Shape) -> ColliderSpec {
    ColliderSpec::new(shape)
}

#[test]
fn wires_lie_on_their_shapes() {
    let points: Vec<Vector3> =
        (0..8).map(|k| Vector3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32)).collect();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Vector3::from);
    let shapes = [
        (Shape::sphere(0.7), 72),
        (Shape::cuboid(Vector3::new(0.3, 0.5, 0.7)), 12),
        (Shape::capsule(0.5, 0.3), 2 * 24 + 4 * 12 + 4),
        (Shape::cylinder(0.5, 0.3), 2 * 24 + 4),
        (Shape::cone(0.5, 0.3), 24 + 4),
        (Shape::hull(&points), 12),
        (Shape::half_space(Vector3::new(0.6, 0.8, 0.0)), 42),
        (Shape::mesh(&corners, &[[0, 1, 2]]), 3),
        (Shape::height_field(2, 2, &[0.0; 4], [1.0, 1.0]), 6),
    ];
    let turn = Rotation::new_normalize(Quaternion::new(0.3, 0.5, -0.2, 0.7));
    let pose = Pose::new(Position::new(1e5, -3.0, 7.0), turn);
    for (shape, expected) in shapes {
        let shape = shape.expect("valid");
        let mut count = 0;
        wires(&shape, &pose, &mut |from, to| {
            count += 1;
            for end in [from, to] {
                let local = pose.inverse_transform_point(end);
                // No farther out than the shape reaches in that direction, and on its surface: farther in some direction than almost all of it.
                let reach = shape.aabb(&Pose::IDENTITY);
                for k in 0..3 {
                    let at = f64::from(local[k]);
                    assert!(
                        at >= reach.min[k] - 1e-5 && at <= reach.max[k] + 1e-5,
                        "{:?}: {local}",
                        shape.kind()
                    );
                }
            }
        });
        assert_eq!(count, expected, "{:?}", shape.kind());
    }
}

#[test]
fn the_ends_of_a_balls_wires_are_a_radius_away() {
    let ball = Shape::sphere(0.7).expect("valid");
    wires(&ball, &Pose::IDENTITY, &mut |from, to| {
        for end in [from, to] {
            assert!((end.coords.norm() - 0.7).abs() < 1e-5, "{end}");
        }
    });
}

/// A ground, a pile of two cubes, one of which sleeps, a trigger, a pendulum.
fn scene() -> World {
    let mut world = World::new(WorldConfig::default()).expect("in range");
    let mut add = |spec: BodySpec| world.add_body(spec).expect("valid");
    add(BodySpec::fixed().collider(solid(Shape::half_space(Vector3::y()).expect("valid"))));
    for y in [0.5, 1.5] {
        add(BodySpec::dynamic()
            .pose(Pose::at(0.0, y, 0.0))
            .collider(solid(Shape::cuboid([0.5; 3].into()).expect("valid"))));
    }
    add(BodySpec::fixed()
        .pose(Pose::at(9.0, 9.0, 0.0))
        .collider(solid(Shape::cuboid([0.5; 3].into()).expect("valid")).trigger()));
    let post = add(BodySpec::kinematic()
        .pose(Pose::at(5.0, 3.0, 0.0))
        .collider(solid(Shape::sphere(0.1).expect("valid"))));
    let bob = add(BodySpec::dynamic()
        .pose(Pose::at(6.0, 3.0, 0.0))
        .collider(solid(Shape::sphere(0.1).expect("valid"))));
    world
        .add_joint(&JointSpec::hinge(post, bob).at(Position::new(5.0, 3.0, 0.0)).along(Vector3::z()))
        .expect("valid");
    for _ in 0..10 {
        world.step(1.0 / 60.0).expect("valid");
    }
    world
}

#[test]
fn each_option_draws_what_it_says_and_nothing_else() {
    let world = scene();
    assert!(Lines::of(&world, &NOTHING).0.is_empty());
    let shapes = Lines::of(&world, &DebugOptions { shapes: true, ..NOTHING });
    assert_eq!(
        (shapes.count(Rgb::TRIGGER), shapes.count(Rgb::FIXED), shapes.count(Rgb::KINEMATIC)),
        (12, 42, 72)
    );
    assert_eq!(shapes.count(Rgb::AWAKE), 2 * 12 + 72);
    let contacts = Lines::of(&world, &DebugOptions { contacts: true, ..NOTHING });
    assert_eq!(contacts.count(Rgb::CONTACT), 3 * world.contacts().count());
    assert!(world.contacts().count() >= 8);
    let normals = Lines::of(&world, &DebugOptions { normals: true, ..NOTHING });
    assert!(normals.0.iter().all(|(from, to, _)| ((to - from).norm() - 0.1).abs() < 1e-6));
    // Four points carry two cubes, four points one: the lengths are their forces.
    let forces = Lines::of(&world, &DebugOptions { forces: true, ..NOTHING });
    let length: f64 = forces.0.iter().map(|(from, to, _)| (to - from).y.abs()).sum();
    let weight = world
        .bodies()
        .filter(|body| body.center.x == 0.0)
        .map(|body| f64::from(body.mass) * 9.81)
        .fold(0.0, f64::max);
    assert!((length / (3.0 * weight * 1e-4) - 1.0).abs() < 0.02, "{length}");
    let graph = Lines::of(&world, &DebugOptions { graph: true, ..NOTHING });
    assert_eq!(graph.count(Rgb::EDGE), 1 + 4, "between the cubes, and to what the lower one stands on");
    let joints = Lines::of(&world, &DebugOptions { joints: true, ..NOTHING });
    assert_eq!((joints.count(Rgb::JOINT), joints.count(Rgb::FORCE)), (2, 1));
    let (from, to, _) = joints.0[2];
    assert!((to - from).norm() < 1e-3, "it is not apart");
    let boxes = Lines::of(&world, &DebugOptions { boxes: true, ..NOTHING });
    assert_eq!(boxes.count(Rgb::BOX), 5 * 12);
}

#[test]
fn colours_tell_sleep_islands_and_levels() {
    let mut world = scene();
    for _ in 0..120 {
        world.step(1.0 / 60.0).expect("valid");
    }
    let shapes = Lines::of(&world, &DebugOptions { shapes: true, ..NOTHING });
    assert_eq!((shapes.count(Rgb::ASLEEP), shapes.count(Rgb::AWAKE)), (24, 72));
    let by = |colour| Lines::of(&world, &DebugOptions { shapes: true, colour, ..NOTHING });
    // The lower cube and what hangs on the post are carried by what cannot move.
    let levels = by(DebugColour::Level);
    assert_eq!((levels.count(Rgb::of(1)), levels.count(Rgb::of(2))), (12 + 72, 12));
    let numbers: Vec<Rgb> = (0..20).map(Rgb::of).collect();
    for (k, a) in numbers.iter().enumerate() {
        assert!(a.0.iter().all(|c| (0.0..=1.0).contains(c)));
        assert!(numbers[..k].iter().all(|b| a != b), "{k}");
    }
}
