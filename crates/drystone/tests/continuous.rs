//! Continuous detection: what is fast passes through nothing (S4-29, S5-06, S5-18). Trusted: which side of a plate a centre is on.

mod common;

use common::*;
use drystone::math::{Pose, Position, Rotation, Vector3, narrow};
use drystone::{BodySpec, ColliderSpec, ContinuousConfig, Rule, RuleSide, Shape, World, WorldConfig};
use proptest::prelude::*;

/// Half the thickness of all plates, m.
const THIN: f32 = 0.0005;
/// Half the width of the room, m.
const ROOM: f32 = 2.0;

fn with(config: WorldConfig, continuous: ContinuousConfig) -> WorldConfig {
    WorldConfig { continuous, ..config }
}

/// Both ways to move bodies, with the rate each is made for; everything is swept against.
fn methods() -> [(WorldConfig, f32); 2] {
    [(WorldConfig::fast(), 60.0), (WorldConfig::thesis_fast(), FAST)]
        .map(|(config, hz)| (with(config, ContinuousConfig::ALL), hz))
}

fn plate(half_x: f32, half_y: f32, half_z: f32) -> ColliderSpec {
    ColliderSpec::new(Shape::cuboid(Vector3::new(half_x, half_y, half_z)).expect("in range"))
}

/// Six fixed plates, 1 mm thick, around a room.
fn room() -> Vec<BodySpec> {
    let wide = ROOM * 1.2;
    let at = |x: f32, y: f32, z: f32| Pose::at(f64::from(x), f64::from(y), f64::from(z));
    let wall = |pose, collider| BodySpec::fixed().pose(pose).collider(collider);
    [-ROOM, ROOM]
        .into_iter()
        .flat_map(|side| {
            [
                wall(at(side, 0.0, 0.0), plate(THIN, wide, wide)),
                wall(at(0.0, side, 0.0), plate(wide, THIN, wide)),
                wall(at(0.0, 0.0, side), plate(wide, wide, THIN)),
            ]
        })
        .collect()
}

/// What is thrown.
#[derive(Clone, Debug)]
struct Throw {
    kind: u8,
    size: f32,
    at: [f32; 3],
    turn: [f32; 3],
    way: [f32; 3],
    speed: f32,
    spin: [f32; 3],
}

impl Throw {
    fn shape(&self) -> Shape {
        let s = self.size;
        let corners =
            [[1.0, 0.0, 0.1], [-0.8, 0.2, 0.0], [0.0, 0.9, -0.2], [0.1, -0.3, 0.8], [0.0, -0.5, -0.7]];
        match self.kind % 5 {
            0 => Shape::sphere(s),
            1 => Shape::cuboid(Vector3::new(s, 0.6 * s, 0.3 * s)),
            2 => Shape::capsule(s, 0.3 * s),
            3 => Shape::hull(&corners.map(|c| Vector3::from(c) * s)),
            _ => Shape::cuboid(Vector3::new(2.0 * s, 2.0 * s, THIN)),
        }
        .expect("in range")
    }

    fn spec(&self) -> BodySpec {
        let [x, y, z] = self.at.map(|c| f64::from(c * (ROOM - 0.5)));
        let [a, b, c] = self.turn;
        let pose = Pose::new(Position::new(x, y, z), Rotation::from_euler_angles(a, b, c));
        let way = Vector3::from(self.way);
        let way = way.try_normalize(1e-3).unwrap_or(Vector3::x());
        BodySpec::dynamic()
            .pose(pose)
            .linear_velocity(way * self.speed)
            .angular_velocity(Vector3::from(self.spin) * 20.0)
            .collider(ColliderSpec::new(self.shape()))
    }
}

fn throw() -> impl Strategy<Value = Throw> {
    let vector = || prop::array::uniform3(-1.0f32..1.0);
    let speed = prop_oneof![1.0f32..30.0, 30.0f32..300.0, 300.0f32..1000.0];
    (any::<u8>(), 0.05f32..0.25, vector(), vector(), vector(), speed, vector()).prop_map(
        |(kind, size, at, turn, way, speed, spin)| Throw {
            kind,
            size,
            at,
            turn: turn.map(|angle| angle * 3.0),
            way,
            speed,
            spin,
        },
    )
}

/// Centres that are outside of the room.
fn outside(world: &World) -> Vec<(Position, Vector3)> {
    let is_out = |center: &Position| center.coords.amax() > f64::from(ROOM);
    let loose = world.bodies().filter(|body| body.mass > 0.0 && is_out(&body.center));
    loose.map(|body| (body.center, body.linear_velocity)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever is thrown about in a room of plates of 1 mm, at up to 1000 m/s, stays inside, also where they throw each other.
    #[test]
    fn no_centre_leaves_a_room_of_thin_plates(
        throws in prop::collection::vec(throw(), 1..12), bounce in prop_oneof![Just(0.0f32), Just(0.5), Just(1.0)],
    ) {
        for (config, hz) in methods() {
            let scene = Scene::default().with_all(room()).with_all(throws.iter().map(Throw::spec));
            let mut run = scene.surface(bounce, 0.2, 0.2).start(&config, 1);
            for step in 0..(0.7 * hz) as u32 {
                run.step(hz);
                let out = outside(&run.world);
                prop_assert!(out.is_empty(), "step {step} of {hz} Hz: {out:?} {:?}", run.world.report().continuous);
            }
        }
    }

    /// One body thrown at the middle of a free plate of 1 mm stays on its side of it.
    #[test]
    fn no_centre_passes_a_free_plate(throw in throw(), toward in prop::array::uniform2(-0.3f32..0.3), own in -300.0f32..300.0) {
        prop_assume!(throw.kind % 5 != 4 && throw.speed > own.abs());
        for (config, hz) in methods() {
            let config = WorldConfig { gravity: Vector3::zeros(), ..config };
            let wide = 1.0;
            let plate = BodySpec::dynamic().linear_velocity(Vector3::z() * own).collider(plate(wide, wide, THIN));
            let thrown = throw.spec();
            let start = Position::new(0.0, 0.0, 3.0);
            let aim = Vector3::new(toward[0], toward[1], -10.0).normalize() * throw.speed;
            let thrown = thrown.pose(Pose::new(start, Rotation::identity())).linear_velocity(aim);
            let mut run = Scene::default().with(plate).with(thrown).start(&config, 1);
            let mut before = Vector3::new(0.0, 0.0, 3.0);
            let mut facing = Rotation::identity();
            for step in 0..(0.3 * hz) as u32 {
                run.step(hz);
                let [plate, body] = [0, 1].map(|k| run.world.body(run.bodies[k]).expect("it exists"));
                let now = plate.pose.rotation.inverse() * narrow(&(body.center - plate.center));
                let turned = facing.angle_to(&plate.pose.rotation);
                if turned > 0.3 {
                    // A plate that spins so fast has no sides from step to step.
                    break;
                }
                if before.z * now.z < 0.0 {
                    let at = before + (now - before) * (before.z / (before.z - now.z));
                    let is_through = at.x.abs() < 0.9 * wide && at.y.abs() < 0.9 * wide;
                    prop_assert!(!is_through, "step {step} of {hz} Hz: through at {at:?}");
                }
                (before, facing) = (now, plate.pose.rotation);
            }
        }
    }
}

/// What the tests above would not see if it were not there: without it what is fast passes through.
#[test]
fn without_it_a_fast_ball_passes_a_plate() {
    let throw = |config: &WorldConfig, hz: f32| {
        let wall = BodySpec::fixed().collider(plate(3.0, 3.0, THIN));
        let shot = BodySpec::dynamic()
            .pose(Pose::at(0.1, 0.2, 9.0))
            .linear_velocity(Vector3::new(0.0, 0.0, -900.0))
            .collider(ColliderSpec::new(Shape::sphere(0.05).expect("in range")));
        let mut run = Scene::default().with(wall).with(shot).start(config, 1);
        let mut stopped = 0;
        run.steps(hz, 0.05, |world| stopped += world.report().continuous.stopped);
        (run.place(1).z, stopped)
    };
    let (config, hz) = (WorldConfig::thesis_fast(), FAST);
    let (z, stopped) = throw(&config, hz);
    assert!(z > 0.0 && stopped > 0, "at {z} m, stopped {stopped} times");
    let (z, stopped) = throw(&with(config.clone(), ContinuousConfig::OFF), hz);
    assert!(z < -1.0 && stopped == 0, "at {z} m");
    assert!(throw(&with(config, ContinuousConfig::ALL), hz).0 > 0.0);
}

/// Meshes and height fields hold what is fast, too, on their front; by impulses it passed them. Behind them there is nothing.
#[test]
fn surfaces_are_not_passed_from_their_front() {
    let wide = 4.0_f32;
    let square = [[-wide, -wide], [wide, -wide], [wide, wide], [-wide, wide]];
    let square = square.map(|[x, z]| Vector3::new(x, 0.0, z));
    let mesh = Shape::mesh(&square, &[[0, 2, 1], [0, 3, 2]]).expect("a floor");
    let field = Shape::height_field(9, 9, &[0.0; 81], [wide / 4.0; 2]).expect("in range");
    let rod = Shape::capsule(0.15, 0.05).expect("in range");
    for (config, hz) in methods().into_iter().chain([(WorldConfig::thesis_accurate(), ACCURATE)]) {
        for floor in [&mesh, &field] {
            for shape in [Shape::sphere(0.05).expect("in range"), rod.clone()] {
                for (speed, is_front) in [(30.0, true), (100.0, true), (900.0, true), (100.0, false)] {
                    let side = if is_front { 1.0 } else { -1.0 };
                    let shot = BodySpec::dynamic()
                        .pose(Pose::at(0.13, f64::from(side) * 2.0, 0.2))
                        .linear_velocity(Vector3::new(0.0, -side * speed, 0.0))
                        .angular_velocity(Vector3::new(3.0, 0.0, 5.0))
                        .collider(ColliderSpec::new(shape.clone()));
                    let ground = BodySpec::fixed().collider(ColliderSpec::new(floor.clone()));
                    let config = WorldConfig { gravity: Vector3::zeros(), ..config.clone() };
                    let mut run = Scene::default().with(ground).with(shot).start(&config, 1);
                    run.steps(hz, 0.1, |_| ());
                    let y = run.place(1).y;
                    assert!(y > 0.0, "at {y} m, {speed} m/s at {hz} Hz, from the front: {is_front}");
                }
            }
        }
    }
}

/// What is slow moves as it does without, to the bit.
#[test]
fn what_is_slow_does_not_notice() {
    for (config, hz) in methods() {
        let scene = Scene::on_ground().with_all(tower(8, 0.0, 0.0)).with_all(heap(12, 3.0, 0.0, 1));
        let play = |continuous: ContinuousConfig| {
            let mut run = scene.start(&with(config.clone(), continuous), 1);
            let mut swept = 0;
            run.steps(hz, 2.0, |world| swept += world.report().continuous.stopped);
            (run.world.state_hash(), swept)
        };
        assert_eq!(play(ContinuousConfig::ALL), play(ContinuousConfig::OFF), "{hz} Hz");
    }
}

/// What rolls and slides fast is not stopped by what carries it.
#[test]
fn a_fast_ball_rolls_on() {
    const SPEED: f32 = 80.0;
    let thin = (plate(200.0, THIN, 5.0), -f64::from(THIN));
    let field = Shape::height_field(11, 401, &[0.0; 11 * 401], [1.0; 2]).expect("in range");
    for (floor, height) in [thin, (ColliderSpec::new(field), 0.0)] {
        for (config, hz) in methods() {
            let floor = BodySpec::fixed().pose(Pose::at(50.0, height, 0.0)).collider(floor.clone());
            let ball = BodySpec::dynamic()
                .pose(Pose::at(0.0, 0.1, 0.0))
                .linear_velocity(Vector3::x() * SPEED)
                .angular_velocity(Vector3::z() * (-SPEED / 0.1))
                .collider(ColliderSpec::new(Shape::sphere(0.1).expect("in range")));
            let mut run = Scene::default().with(floor).with(ball).start(&config, 1);
            let mut swept = 0;
            run.steps(hz, 1.0, |world| swept += world.report().continuous.swept);
            let (way, height) = (run.way(1).x, run.place(1).y);
            assert!((way - f64::from(SPEED)).abs() < 1.5, "{way} m in 1 s, {hz} Hz");
            assert!(height > 0.09 && height < 0.15, "{height} m");
            assert!(swept as f32 > 0.9 * hz, "it is fast");
        }
    }
}

/// Equal to the bit at any number of threads.
#[test]
fn threads_do_not_matter() {
    for (config, hz) in methods() {
        let thrown = (0..60u8).map(|k| {
            let phase = f32::from(k);
            let wave = |f: f32| (phase * f).sin();
            let throw = Throw {
                kind: k,
                size: 0.06,
                at: [wave(1.3), wave(2.1), wave(0.7)],
                turn: [wave(0.3), wave(1.9), wave(0.2)],
                way: [wave(3.3), wave(4.7), wave(2.9)],
                speed: 20.0 + 15.0 * phase,
                spin: [wave(0.9), wave(1.1), wave(1.7)],
            };
            throw.spec()
        });
        let scene = Scene::default().with_all(room()).with_all(thrown).surface(0.8, 0.3, 0.3);
        let hash = |threads| {
            let mut run = scene.start(&config, threads);
            let mut stopped = 0;
            run.steps(hz, 0.5, |world| stopped += world.report().continuous.stopped);
            assert_eq!(outside(&run.world), [], "{threads} threads, {hz} Hz");
            (run.world.state_hash(), stopped)
        };
        let alone = hash(1);
        assert!(alone.1 > 10, "{} stops", alone.1);
        assert_eq!([hash(2), hash(4)], [alone; 2], "{hz} Hz");
    }
}

/// Who is moved by its user is where the user put it, however far that is; what is added is seen at once.
#[test]
fn what_a_user_moves_is_not_swept() {
    for (config, hz) in methods() {
        let config = WorldConfig { gravity: Vector3::zeros(), ..config };
        let wall = BodySpec::fixed().collider(plate(3.0, 3.0, THIN));
        let ball = || ColliderSpec::new(Shape::sphere(0.05).expect("in range"));
        let body = BodySpec::dynamic().pose(Pose::at(0.0, 0.0, 2.0)).collider(ball());
        let mut run = Scene::default().with(wall).with(body).start(&config, 1);
        run.step(hz);
        run.world.set_pose(run.bodies[1], Pose::at(0.0, 0.0, -2.0)).expect("finite");
        run.step(hz);
        assert!((run.place(1).z + 2.0).abs() < 1e-6);
        // A wall and a shot between two steps.
        let wall = BodySpec::fixed().pose(Pose::at(0.0, 0.0, -4.0)).collider(plate(3.0, 3.0, THIN));
        run.world.add_body(wall).expect("valid");
        let shot = Vector3::new(0.0, 0.0, -2000.0);
        run.world.set_velocity(run.bodies[1], shot, Vector3::zeros()).expect("finite");
        run.steps(hz, 0.1, |_| ());
        assert!(run.place(1).z > -4.0, "{} m at {hz} Hz", run.place(1).z);
    }
}

/// Rules that force a plate to meet something else widen its filter for the broad phase, and do not disturb it: in the step in which one came or
/// went, the plate was left out of what is swept against. By impulses: `fast` looks ahead for contacts, which stop the bullet by themselves.
#[test]
fn a_forcing_rule_about_a_plate_opens_it_for_no_bullet() {
    const SPEED: f32 = 900.0;
    for (continuous, ends) in [ContinuousConfig::ALL, ContinuousConfig::default()]
        .into_iter()
        .flat_map(|continuous| [false, true].map(|ends| (continuous, ends)))
    {
        let config =
            WorldConfig { gravity: Vector3::zeros(), ..with(WorldConfig::thesis_fast(), continuous) };
        let ball = || ColliderSpec::new(Shape::sphere(0.05).expect("in range"));
        let wall = BodySpec::fixed().collider(plate(3.0, 3.0, THIN));
        let bystander = BodySpec::dynamic().pose(Pose::at(50.0, 0.0, 0.0)).collider(ball());
        // Half a step's way before the plate when the rule changes.
        let bullet = BodySpec::dynamic()
            .pose(Pose::at(0.1, 0.2, 1.5 * f64::from(SPEED / FAST)))
            .linear_velocity(Vector3::z() * -SPEED)
            .collider(ball());
        let mut run = Scene::default().with_all([wall, bystander, bullet]).start(&config, 1);
        let rule = Rule::force(RuleSide::Body(run.bodies[0]), RuleSide::Body(run.bodies[1]));
        let added = ends.then(|| run.world.add_rule(rule.clone()).expect("both exist"));
        run.step(FAST);
        match added {
            Some(added) => run.world.remove_rule(added).expect("it was added"),
            None => drop(run.world.add_rule(rule).expect("both exist")),
        }
        let stopped = run.step(FAST).continuous.stopped;
        let z = run.place(2).z;
        assert!(z > 0.0 && stopped == 1, "at {z} m, stopped {stopped} times, {continuous:?}, ends: {ends}");
    }
}
