//! What comes in from C and should not, and what is told.

use drystone_c::*;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

fn said() -> String {
    // SAFETY: it ends with a zero and lives until the next call.
    unsafe { CStr::from_ptr(ds_last_error()) }.to_str().expect("UTF-8").to_owned()
}

fn world() -> *mut ds_world {
    let mut world = null_mut();
    // SAFETY: null settings are allowed; the place to write is there.
    assert_eq!(unsafe { ds_world_create(null(), 1, &mut world) }, ds_status::Ok);
    world
}

#[test]
fn null_is_said_by_name() {
    let world = world();
    let mut body = 0;
    let (options, mut count) = (ds_body_options_default(), 0);
    let collider = ds_collider_default(null());
    // SAFETY: null is allowed everywhere here, to be refused.
    unsafe {
        assert_eq!(ds_world_step(null_mut(), 0.01, null_mut()), ds_status::Null);
        assert_eq!(said(), "world must not be null");
        assert_eq!(ds_world_add_body(world, null(), null(), 0, &mut body), ds_status::Null);
        assert_eq!(said(), "options must not be null");
        assert_eq!(ds_world_add_body(world, &options, null(), 1, &mut body), ds_status::Null);
        assert_eq!(said(), "colliders must not be null");
        assert_eq!(ds_world_add_body(world, &options, &collider, 1, &mut body), ds_status::Null);
        assert_eq!(said(), "the shape of a collider must not be null");
        assert_eq!(ds_shape_sphere(1.0, null_mut()), ds_status::Null);
        assert_eq!(ds_config_create(null(), null_mut()), ds_status::Null);
        assert_eq!(ds_world_bodies(world, null_mut(), 3, &mut count), ds_status::Null);
        assert_eq!(ds_world_take_events(world, None, null_mut()), ds_status::Null);
        ds_world_destroy(null_mut());
        ds_shape_destroy(null_mut());
        ds_world_destroy(world);
    }
}

/// Runs a test with joints: in a build without optimisation a step with some takes more stack than threads of tests have.
fn with_room(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(test);
    thread.expect("a thread").join().expect("the test passes");
}

/// A driven hinge, a gear to another one, and what is read of them; then a motor and limits that are set later.
#[test]
fn gears_and_servos_do_what_they_are_told() {
    with_room(gears_and_servos_run);
}

fn gears_and_servos_run() {
    let world = world();
    let nowhere = ds_position { x: 0.0, y: 0.0, z: 0.0 };
    // SAFETY: all that is pointed to is there.
    unsafe {
        let mut shape = null_mut();
        assert_eq!(ds_shape_sphere(0.1, &mut shape), ds_status::Ok);
        let collider = ds_collider_default(shape);
        let mut bodies = [0; 3];
        for (k, body) in bodies.iter_mut().enumerate() {
            let options = ds_body_options {
                kind: if k == 0 { ds_body_kind::Fixed as u32 } else { ds_body_kind::Dynamic as u32 },
                position: ds_position { x: k as f64, ..nowhere },
                mass: if k == 0 { 0.0 } else { 1.0 },
                ..ds_body_options_default()
            };
            let count = usize::from(k > 0);
            assert_eq!(
                ds_world_add_body(world, &options, &collider, count, body),
                ds_status::Ok,
                "{}",
                said()
            );
        }
        let mut joints = [0; 2];
        for k in 0..2 {
            let at = ds_position { x: k as f64 + 1.0, ..nowhere };
            let hinge = ds_joint_kind::Hinge as u32;
            let mut options = ds_joint_options_default(hinge, bodies[0], bodies[k + 1], at);
            options.axis = ds_vec3 { x: 0.0, y: 0.0, z: 1.0 };
            if k == 0 {
                options.motor = ds_motor_kind::Servo as u32;
                (options.motor_speed, options.motor_damping) = (10.0, 5.0);
            }
            assert_eq!(ds_world_add_joint(world, &options, &mut joints[k]), ds_status::Ok, "{}", said());
        }
        let gear = ds_coupling_kind::Gear as u32;
        let mut coupling = 0;
        let options = ds_coupling_options_default(gear, joints[0], joints[1], 3.0);
        assert_eq!(ds_world_add_coupling(world, &options, &mut coupling), ds_status::Ok, "{}", said());
        for _ in 0..60 {
            assert_eq!(ds_world_step(world, 1.0 / 60.0, null_mut()), ds_status::Ok);
        }
        let read = |joint| {
            let mut state = std::mem::zeroed();
            assert_eq!(ds_world_joint(world, joint, &mut state), ds_status::Ok);
            state
        };
        let [first, second] = [read(joints[0]), read(joints[1])];
        assert!((first.coordinates[3] - 10.0).abs() < 0.1, "{:?}", first.coordinates);
        assert!(
            (second.coordinates[3] - 3.0 * first.coordinates[3]).abs() < 1e-3,
            "{:?}",
            second.coordinates
        );
        assert!((second.velocities[3] - 30.0).abs() < 0.1, "{:?}", second.velocities);
        let state: ds_joint_state = read(coupling);
        assert!(state.sum_error.abs() < 1e-3 && state.sum.abs() < 1e-3, "{state:?}");
        // The other way, and against a limit that is turns away.
        let twist = ds_joint_axis::Twist as u32;
        let back = ds_motor {
            kind: ds_motor_kind::Speed as u32,
            speed: -10.0,
            target: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            force: 0.0,
            most: 100.0,
        };
        assert_eq!(ds_world_set_motor(world, joints[0], twist, back), ds_status::Ok, "{}", said());
        assert_eq!(ds_world_set_joint_limits(world, joints[0], twist, -8.0, 100.0), ds_status::Ok);
        for _ in 0..180 {
            assert_eq!(ds_world_step(world, 1.0 / 60.0, null_mut()), ds_status::Ok);
        }
        let first: ds_joint_state = read(joints[0]);
        assert!((first.coordinates[3] + 8.0).abs() < 5e-3, "{:?}", first.coordinates);
        let refused = [
            (
                ds_coupling_options { ratio: 0.0, ..options },
                "ratio of a gear must be finite and not 0, got 0",
            ),
            (ds_coupling_options { first: 77, ..options }, "does not exist"),
            (ds_coupling_options { kind: 9, ..options }, "ds_coupling_kind, 0 to 3, got 9"),
            (ds_coupling_options { kind: 3, axes: [7, 0], ..options }, "ds_joint_axis, 0 to 6, got 7"),
        ];
        for (options, wanted) in refused {
            assert_eq!(ds_world_add_coupling(world, &options, &mut coupling), ds_status::Refused);
            assert!(said().contains(wanted), "{}", said());
        }
        assert_eq!(ds_world_set_steering(world, joints[0], 0.1), ds_status::Refused);
        assert_eq!(said(), "a hinge joint has no steering");
        ds_shape_destroy(shape);
        ds_world_destroy(world);
    }
}

/// A screw goes on by its pitch, a wheel sags on its spring, a soft weld swings.
#[test]
fn screws_wheels_and_welds_do_what_they_are_told() {
    with_room(screws_wheels_and_welds_run);
}

fn screws_wheels_and_welds_run() {
    let world = world();
    let origin = ds_position { x: 0.0, y: 0.0, z: 0.0 };
    // SAFETY: all that is pointed to is there.
    unsafe {
        let mut shape = null_mut();
        assert_eq!(ds_shape_sphere(0.1, &mut shape), ds_status::Ok);
        let collider = ds_collider_default(shape);
        let (mut base, mut bodies, mut joints) = (0, [0; 3], [0; 3]);
        let options = ds_body_options { kind: ds_body_kind::Fixed as u32, ..ds_body_options_default() };
        assert_eq!(ds_world_add_body(world, &options, null(), 0, &mut base), ds_status::Ok);
        for k in 0..3 {
            let at = ds_position { x: k as f64, ..origin };
            let options = ds_body_options { position: at, mass: 1.0, ..ds_body_options_default() };
            assert_eq!(ds_world_add_body(world, &options, &collider, 1, &mut bodies[k]), ds_status::Ok);
            let kinds = [ds_joint_kind::Screw, ds_joint_kind::Wheel, ds_joint_kind::SoftWeld];
            let mut options = ds_joint_options_default(kinds[k] as u32, base, bodies[k], at);
            let spring = ds_spring { kind: ds_spring_kind::Stiffness as u32, value: 200.0, damping: 20.0 };
            match k {
                0 => {
                    options.axis = ds_vec3 { x: 0.0, y: 1.0, z: 0.0 };
                    (options.pitch, options.motor) = (0.1, ds_motor_kind::Speed as u32);
                    options.motor_speed = std::f32::consts::TAU;
                }
                1 => (options.suspension, options.steering) = (spring, 0.3),
                _ => {
                    options.linear =
                        ds_spring { kind: ds_spring_kind::Frequency as u32, value: 2.0, damping: 1.0 };
                }
            }
            assert_eq!(ds_world_add_joint(world, &options, &mut joints[k]), ds_status::Ok, "{}", said());
        }
        for _ in 0..120 {
            assert_eq!(ds_world_step(world, 1.0 / 60.0, null_mut()), ds_status::Ok);
        }
        let height = |body| {
            let mut state: ds_body_state = std::mem::zeroed();
            assert_eq!(ds_world_body(world, body, &mut state), ds_status::Ok);
            state.position.y
        };
        assert!((height(bodies[0]) - 0.2).abs() < 2e-3, "{}", height(bodies[0]));
        assert!((height(bodies[1]) + 9.81 / 200.0).abs() < 1e-3, "{}", height(bodies[1]));
        let sag = 9.81 / (4.0 * std::f64::consts::PI).powi(2);
        assert!((height(bodies[2]) + sag).abs() < 1e-3, "{}", height(bodies[2]));
        assert_eq!(ds_world_set_steering(world, joints[1], -0.2), ds_status::Ok);
        let mut state: ds_joint_state = std::mem::zeroed();
        assert_eq!(ds_world_joint(world, joints[1], &mut state), ds_status::Ok);
        assert_eq!(state.steering, -0.2);
        ds_shape_destroy(shape);
        ds_world_destroy(world);
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let world = world();
    let (mut shape, mut body, mut count, mut hash) = (null_mut(), 0, 7, [0; 2]);
    // SAFETY: all that is pointed to is there.
    unsafe {
        assert_eq!(ds_world_state_hash(world, &mut hash[0]), ds_status::Ok);
        assert_eq!(ds_shape_cuboid(ds_vec3 { x: 1.0, y: f32::NAN, z: 1.0 }, &mut shape), ds_status::Refused);
        assert!(shape.is_null() && !said().is_empty());
        assert_eq!(ds_shape_sphere(0.5, &mut shape), ds_status::Ok);
        let collider = ds_collider_default(shape);
        let wrong = [
            (ds_body_options { kind: 9, ..ds_body_options_default() }, "ds_body_kind"),
            (ds_body_options { mass: -1.0, ..ds_body_options_default() }, "total_mass"),
            (ds_body_options { gravity_scale: f32::NAN, ..ds_body_options_default() }, "gravity_scale"),
            (
                ds_body_options {
                    rotation: ds_quat { x: 0.0, y: 0.0, z: 0.0, w: 0.0 },
                    ..ds_body_options_default()
                },
                "quaternion",
            ),
        ];
        for (options, expected) in wrong {
            assert_eq!(ds_world_add_body(world, &options, &collider, 1, &mut body), ds_status::Refused);
            assert!(said().contains(expected), "{}", said());
        }
        assert_eq!(ds_world_step(world, f32::NAN, null_mut()), ds_status::Refused);
        assert_eq!(ds_world_remove_body(world, u64::MAX), ds_status::Refused);
        assert_eq!(ds_world_bodies(world, null_mut(), 0, &mut count), ds_status::Ok);
        assert_eq!(ds_world_state_hash(world, &mut hash[1]), ds_status::Ok);
        assert_eq!((count, hash[0]), (0, hash[1]));
        ds_shape_destroy(shape);
        ds_world_destroy(world);
    }
}

#[test]
fn text_that_is_none_is_refused() {
    let mut config = null_mut();
    // SAFETY: the texts end with a zero.
    unsafe {
        assert_eq!(ds_config_create(c"\xff".as_ptr(), &mut config), ds_status::NotUtf8);
        assert_eq!(ds_config_create(c"quick".as_ptr(), &mut config), ds_status::Refused);
        assert!(said().contains("fast, fine"), "{}", said());
    }
}

unsafe extern "C" fn count_it(user: *mut c_void, _event: *const ds_event) {
    // SAFETY: the test gives a counter.
    unsafe { *user.cast::<usize>() += 1 };
}

/// Steps two balls that overlap, and counts what is told of that afterwards, twice.
fn told(config: *const ds_config) -> [usize; 2] {
    let (mut world, mut shape, mut body, mut counts) = (null_mut(), null_mut(), 0, [0; 2]);
    // SAFETY: all that is pointed to is there; null settings are allowed.
    unsafe {
        assert_eq!(ds_world_create(config, 1, &mut world), ds_status::Ok);
        assert_eq!(ds_shape_sphere(0.5, &mut shape), ds_status::Ok);
        let collider = ds_collider_default(shape);
        for x in [0.0, 0.99] {
            let options =
                ds_body_options { position: ds_position { x, y: 0.0, z: 0.0 }, ..ds_body_options_default() };
            assert_eq!(ds_world_add_body(world, &options, &collider, 1, &mut body), ds_status::Ok);
        }
        for _ in 0..3 {
            assert_eq!(ds_world_step(world, 0.01, null_mut()), ds_status::Ok);
        }
        for count in &mut counts {
            let user = std::ptr::from_mut(count).cast();
            assert_eq!(ds_world_take_events(world, Some(count_it), user), ds_status::Ok);
        }
        ds_shape_destroy(shape);
        ds_world_destroy(world);
    }
    counts
}

#[test]
fn events_gather_unless_switched_off() {
    let mut config = null_mut();
    assert_eq!(told(null()), [1, 0]);
    // SAFETY: the texts end with a zero; the settings are there.
    unsafe {
        assert_eq!(ds_config_create(c"fast".as_ptr(), &mut config), ds_status::Ok);
        assert_eq!(told(config), [1, 0]);
        let (name, value) = (c"events.queue".as_ptr(), c"false".as_ptr());
        assert_eq!(ds_config_set(config, name, value), ds_status::Ok);
        assert_eq!(told(config), [0, 0]);
        ds_config_destroy(config);
    }
}

#[test]
fn values_are_written_as_far_as_there_is_room() {
    let world = world();
    let mut shape = null_mut();
    // SAFETY: all that is pointed to is there.
    unsafe {
        assert_eq!(ds_shape_sphere(0.5, &mut shape), ds_status::Ok);
        let collider = ds_collider_default(shape);
        let mut bodies = [0; 3];
        for (i, body) in bodies.iter_mut().enumerate() {
            let position = ds_position { x: 3.0 * i as f64, y: 0.0, z: 0.0 };
            let options = ds_body_options { position, user_data: i as u64, ..ds_body_options_default() };
            assert_eq!(ds_world_add_body(world, &options, &collider, 1, body), ds_status::Ok);
        }
        let mut states = Vec::with_capacity(3);
        let mut count = 0;
        assert_eq!(ds_world_bodies(world, states.as_mut_ptr(), 2, &mut count), ds_status::Ok);
        assert_eq!(count, 3, "all that there are, though there was room for two");
        states.set_len(2);
        let found: Vec<_> = states
            .iter()
            .map(|state: &ds_body_state| (state.body, state.position.x, state.user_data))
            .collect();
        assert_eq!(found, [(bodies[0], 0.0, 0), (bodies[1], 3.0, 1)]);
        ds_shape_destroy(shape);
        ds_world_destroy(world);
    }
}

/// Who takes `ds_world_moved_bodies` after every step has the last way to rest too, which is made in the step in which a body falls asleep.
#[test]
fn what_moved_is_told_until_it_sleeps() {
    let world = world();
    let (mut floor, mut cube, mut bodies) = (null_mut(), null_mut(), [0; 2]);
    let half = |y| ds_vec3 { x: 0.5, y, z: 0.5 };
    // SAFETY: all that is pointed to is there.
    unsafe {
        assert_eq!(ds_shape_cuboid(half(0.1), &mut floor), ds_status::Ok);
        assert_eq!(ds_shape_cuboid(half(0.5), &mut cube), ds_status::Ok);
        for (i, (shape, y)) in [(floor, -0.1), (cube, 0.6)].into_iter().enumerate() {
            let kind = if i == 0 { ds_body_kind::Fixed } else { ds_body_kind::Dynamic };
            let position = ds_position { x: 0.0, y, z: 0.0 };
            let options = ds_body_options { kind: kind as u32, position, ..ds_body_options_default() };
            let collider = ds_collider_default(shape);
            assert_eq!(ds_world_add_body(world, &options, &collider, 1, &mut bodies[i]), ds_status::Ok);
        }
        let mut shown = None;
        for _ in 0..300 {
            assert_eq!(ds_world_step(world, 1.0 / 60.0, null_mut()), ds_status::Ok);
            let (mut states, mut count) = (Vec::<ds_body_state>::with_capacity(2), 0);
            assert_eq!(ds_world_moved_bodies(world, states.as_mut_ptr(), 2, &mut count), ds_status::Ok);
            states.set_len(count);
            for state in states.iter().filter(|state| state.body == bodies[1]) {
                shown = Some((state.position.y, state.is_asleep));
            }
        }
        let mut now = Vec::<ds_body_state>::with_capacity(1);
        assert_eq!(ds_world_body(world, bodies[1], now.as_mut_ptr()), ds_status::Ok);
        now.set_len(1);
        assert!(now[0].is_asleep);
        assert_eq!(shown, Some((now[0].position.y, true)));
        ds_shape_destroy(floor);
        ds_shape_destroy(cube);
        ds_world_destroy(world);
    }
}

#[test]
fn joints_make_an_articulation() {
    let world = world();
    let (mut shape, mut bodies, mut joint, mut arm) = (null_mut(), [0; 2], 0, 0);
    // SAFETY: all that is pointed to is there.
    unsafe {
        assert_eq!(ds_shape_sphere(0.1, &mut shape), ds_status::Ok);
        let collider = ds_collider_default(shape);
        for (k, body) in bodies.iter_mut().enumerate() {
            let mut options = ds_body_options_default();
            options.position.x = k as f64;
            assert_eq!(ds_world_add_body(world, &options, &collider, 1, body), ds_status::Ok);
        }
        let hinge = ds_joint_options_default(
            ds_joint_kind::Hinge as u32,
            bodies[0],
            bodies[1],
            ds_position { x: 0.5, y: 0.0, z: 0.0 },
        );
        assert_eq!(ds_world_add_joint(world, &hinge, &mut joint), ds_status::Ok);
        assert_eq!(ds_world_add_articulation(world, null(), 0, &mut arm), ds_status::Refused);
        assert!(said().contains("at least one joint"), "{}", said());
        assert_eq!(ds_world_add_articulation(world, &joint, 1, null_mut()), ds_status::Null);
        assert_eq!(ds_world_add_articulation(world, &joint, 1, &mut arm), ds_status::Ok);
        assert_eq!(ds_world_step(world, 0.01, null_mut()), ds_status::Ok);
        assert_eq!(ds_world_remove_articulation(world, arm), ds_status::Ok);
        assert_eq!(ds_world_remove_articulation(world, arm), ds_status::Refused);
        ds_shape_destroy(shape);
        ds_world_destroy(world);
    }
}
