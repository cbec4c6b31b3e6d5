//! Bodies that are made anew: what stays.

use super::*;
use bevy_ecs::change_detection::DetectChangesMut;
use drystone::{JointAxis, JointHandle};

fn sleeper(app: &mut App) -> Entity {
    ground(app);
    let cube = add(app, Vec3::new(0.0, 0.5, 0.0));
    updates(app, 120);
    assert!(app.world().get::<Asleep>(cube).is_some());
    cube
}

#[test]
fn a_sleeper_made_anew_is_shown_awake() {
    let mut app = app();
    let cube = sleeper(&mut app);
    change(&mut app, cube);
    app.update();
    assert!(app.world().get::<Asleep>(cube).is_none());
    updates(&mut app, 240);
    assert!(app.world().get::<Asleep>(cube).is_some(), "and asleep where it came to rest");
}

#[test]
fn what_is_no_body_does_not_sleep() {
    let mut app = app();
    let cube = sleeper(&mut app);
    app.world_mut().entity_mut(cube).remove::<RigidBody>();
    app.update();
    assert!(app.world().get::<Asleep>(cube).is_none());
}

#[test]
fn a_body_between_steps_stays_where_the_engine_has_it() {
    let mut app = app_with(weightless(), StepClock::fixed(10.0, 1.0 / 30.0));
    let cube = add(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Velocity>(cube).expect("it has one").linear = Vec3::new(6.0, 0.0, 0.0);
    updates(&mut app, 7);
    let place = |app: &App| {
        let physics = app.world().resource::<Physics>();
        let body = physics.body_of(cube).expect("it has a body");
        (body, physics.world().pose(body).expect("alive").translation.x)
    };
    let (body, x) = place(&app);
    change(&mut app, cube);
    app.world_mut().get_mut::<Transform>(cube).expect("it is there").scale = Vec3::splat(0.2);
    app.update();
    assert!(place(&app).0 != body && place(&app).1 == x, "{} from {x}", place(&app).1);
}

#[test]
fn an_impulse_is_not_lost_with_the_body_that_got_it() {
    let mut app = app_with(weightless(), every_step());
    let cube = add(&mut app, Vec3::ZERO);
    app.update();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let body = physics.body_of(cube).expect("it has a body");
    physics.world_mut().set_velocity(body, Vector3::x(), Vector3::zeros()).expect("alive");
    change(&mut app, cube);
    updates(&mut app, 60);
    assert!((place(&app, cube).x - 1.0).abs() < 1e-3, "{}", place(&app, cube));
}

/// The value of a joint, and how far it is off, m.
fn joint(app: &App, entity: Entity, axis: JointAxis) -> [f32; 2] {
    let physics = app.world().resource::<Physics>();
    let handle: JointHandle = physics.joint_of(entity).expect("it is there");
    let joint = physics.world().joint(handle).expect("alive");
    [joint.value(axis), joint.error[0]]
}

#[test]
fn an_angle_counts_on_from_where_it_did() {
    let mut app = app_with(weightless(), every_step());
    let [door, hinge] = turned_door(&mut app);
    let [before, _] = joint(&app, hinge, JointAxis::Twist);
    assert!((before - 0.5).abs() < 0.02, "half a second at a radian a second: {before}");
    change(&mut app, door);
    app.update();
    let [after, _] = joint(&app, hinge, JointAxis::Twist);
    assert!((after - before - DT as f32).abs() < 2e-3, "{after} after {before}");
    // When the component itself changes, it is placed where the bodies are.
    app.world_mut().get_mut::<Joint>(hinge).expect("it is there").set_changed();
    app.update();
    let [anew, _] = joint(&app, hinge, JointAxis::Twist);
    assert!(anew.abs() < 0.02, "{anew}");
}

#[test]
fn a_pivot_stays_where_it_was_on_both_bodies() {
    let mut app = app_with(weightless(), every_step());
    let post = app.world_mut().spawn(RigidBody::Fixed).id();
    let bob = add(&mut app, Vec3::new(2.0, 0.0, 0.0));
    // Without a place said: in the middle of both.
    app.world_mut().spawn(Joint::new(post, bob, JointSpec::ball));
    *app.world_mut().get_mut::<Velocity>(bob).expect("it has one") =
        Velocity { linear: Vec3::Y, angular: Vec3::Z };
    updates(&mut app, 60);
    let arm = |app: &App| (place(app, bob) - Vec3::X).length();
    assert!((arm(&app) - 1.0).abs() < 0.02, "{}", arm(&app));
    change(&mut app, bob);
    for _ in 0..120 {
        app.update();
        assert!((arm(&app) - 1.0).abs() < 0.02, "{}", arm(&app));
    }
}

#[test]
fn a_measured_length_is_that_of_the_first_time() {
    let mut app = app_with(weightless(), every_step());
    let post = app.world_mut().spawn(RigidBody::Fixed).id();
    let bob = add(&mut app, Vec3::new(2.0, 0.0, 0.0));
    let rod = Joint::new(post, bob, |post, bob| {
        JointSpec::distance(post, bob).between(Position::origin(), Position::new(2.0, 0.0, 0.0))
    });
    let rod = app.world_mut().spawn(rod).id();
    app.update();
    // Away from where the rod lets it be, before it is made anew.
    app.world_mut().get_mut::<Transform>(bob).expect("it is there").translation.x = 2.1;
    app.world_mut().resource_mut::<StepClock>().set_paused(true);
    app.update();
    change(&mut app, bob);
    app.update();
    let [length, off] = joint(&app, rod, JointAxis::Distance);
    assert!((length - 2.1).abs() < 1e-5 && (off.abs() - 0.1).abs() < 1e-5, "{length} m, {off} m off");
}
