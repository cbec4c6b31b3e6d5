//! The plugin without a window: what goes in, what comes out, and what is told.

mod anew;
mod coupled;
mod refused;
mod rollback;
mod shown;

use bevy_app::{App, Update};
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::{Entity, IntoScheduleConfigs, Query, ResMut};
use bevy_ecs::query::Changed;
use bevy_math::{Quat, Vec3};
use bevy_transform::TransformPlugin;
use bevy_transform::components::{GlobalTransform, Transform};
use drystone::math::{Position, Vector3};
use drystone::{AxisLocks, ColliderSpec, EventConfig, EventKind, JointSpec, Shape, WorldConfig, WorldError};
use drystone_bevy::{
    Asleep, CanSleep, Colliders, ConstantForce, Damping, DrystonePlugin, GravityScale, Happened, Joint,
    JointBroke, LockedAxes, Physics, PhysicsSet, PhysicsStep, Refused, RigidBody, StepClock, Velocity,
};

const DT: f64 = 1.0 / 60.0;

fn app_with(config: WorldConfig, clock: StepClock) -> App {
    let mut app = App::new();
    app.add_plugins(TransformPlugin).add_plugins(DrystonePlugin::new(config).expect("in range").clock(clock));
    app
}

/// A step a frame, shown where it ends.
fn every_step() -> StepClock {
    StepClock::fixed(60.0, DT).showing_latest()
}

fn app() -> App {
    app_with(WorldConfig::default(), every_step())
}

fn weightless() -> WorldConfig {
    WorldConfig { gravity: Vector3::zeros(), ..WorldConfig::default() }
}

fn ground(app: &mut App) -> Entity {
    app.world_mut()
        .spawn((RigidBody::Fixed, Colliders::from(Shape::half_space(Vector3::y()).expect("a unit"))))
        .id()
}

fn cube() -> Colliders {
    Shape::cuboid(Vector3::repeat(0.5)).expect("positive").into()
}

fn add(app: &mut App, at: Vec3) -> Entity {
    app.world_mut().spawn((RigidBody::Dynamic, cube(), Transform::from_translation(at))).id()
}

/// Other colliders, so that the body is made anew.
fn change(app: &mut App, entity: Entity) {
    *app.world_mut().get_mut::<Colliders>(entity).expect("it has some") =
        Shape::sphere(0.2).expect("positive").into();
}

/// A door on a hinge that turned for half a second, by a radian a second: the door and the hinge.
fn turned_door(app: &mut App) -> [Entity; 2] {
    let post = app.world_mut().spawn(RigidBody::Fixed).id();
    let door = add(app, Vec3::new(1.0, 0.0, 0.0));
    let hinge = Joint::new(post, door, |post, door| {
        JointSpec::hinge(post, door).at(Position::origin()).along(Vector3::y())
    });
    let hinge = app.world_mut().spawn(hinge).id();
    *app.world_mut().get_mut::<Velocity>(door).expect("it has one") =
        Velocity { linear: Vec3::new(0.0, 0.0, -1.0), angular: Vec3::Y };
    updates(app, 30);
    [door, hinge]
}

fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).expect("it is there").translation
}

fn updates(app: &mut App, count: usize) {
    (0..count).for_each(|_| app.update());
}

fn told<M: bevy_ecs::message::Message + Clone>(app: &mut App) -> Vec<M> {
    app.world_mut().resource_mut::<Messages<M>>().drain().collect()
}

#[test]
fn a_pile_stands_sleeps_and_then_costs_nothing() {
    let mut app = app();
    ground(&mut app);
    let pile: Vec<Entity> = (0..5).map(|i| add(&mut app, Vec3::new(0.0, 0.5 + i as f32, 0.0))).collect();
    updates(&mut app, 240);
    for (i, &entity) in pile.iter().enumerate() {
        assert!((place(&app, entity).y - (0.5 + i as f32)).abs() < 1e-3, "{i} is at {}", place(&app, entity));
        assert!(app.world().get::<Asleep>(entity).is_some(), "{i} sleeps");
        assert_eq!(*app.world().get::<Velocity>(entity).expect("it has one"), Velocity::default());
    }
    // Nothing that moves: no `Transform` and no `Velocity` is touched. The first run of a new system sees all as changed.
    #[derive(bevy_ecs::resource::Resource, Default)]
    struct Touched(Vec<[usize; 2]>);
    app.init_resource::<Touched>();
    let count = |moved: Query<(), Changed<Transform>>,
                 fast: Query<(), Changed<Velocity>>,
                 mut touched: ResMut<Touched>| {
        touched.0.push([moved.iter().count(), fast.iter().count()]);
    };
    app.add_systems(Update, count);
    updates(&mut app, 3);
    assert_eq!(app.world().resource::<Touched>().0, [[6, 6], [0, 0], [0, 0]]);
}

#[test]
fn poses_are_shown_between_steps() {
    // Three frames a step; what moves at 6 m/s goes 0.2 m in each of them.
    let mut app = app_with(weightless(), StepClock::fixed(10.0, 1.0 / 30.0));
    let mover = add(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Velocity>(mover).expect("it has one").linear = Vec3::new(6.0, 0.0, 0.0);
    updates(&mut app, 6);
    let mut last = place(&app, mover).x;
    for _ in 0..9 {
        app.update();
        let now = place(&app, mover).x;
        assert!((now - last - 0.2).abs() < 1e-4, "from {last} to {now}");
        last = now;
    }
}

#[test]
fn what_comes_to_rest_is_shown_where_it_rests() {
    let mut app = app_with(WorldConfig::default(), StepClock::fixed(60.0, 0.37 / 60.0));
    ground(&mut app);
    let cube = add(&mut app, Vec3::new(0.0, 0.7, 0.0));
    updates(&mut app, 1000);
    assert!(app.world().get::<Asleep>(cube).is_some());
    let physics = app.world().resource::<Physics>();
    let body = physics.body_of(cube).expect("it has a body");
    assert_eq!(
        f64::from(place(&app, cube).y),
        f64::from(physics.world().pose(body).expect("alive").translation.y as f32)
    );
}

#[test]
fn setting_a_transform_puts_the_body_there_and_wakes_it() {
    let mut app = app();
    ground(&mut app);
    let cube = add(&mut app, Vec3::new(0.0, 0.5, 0.0));
    updates(&mut app, 120);
    assert!(app.world().get::<Asleep>(cube).is_some());
    app.world_mut().get_mut::<Transform>(cube).expect("it is there").translation = Vec3::new(3.0, 5.0, 0.0);
    app.update();
    assert!(app.world().get::<Asleep>(cube).is_none());
    let at = place(&app, cube);
    assert!(at.x == 3.0 && at.y < 5.0 && at.y > 4.98, "it falls from there: {at}");
}

#[test]
fn setting_a_velocity_moves_the_body() {
    let mut app = app_with(weightless(), every_step());
    let cube = add(&mut app, Vec3::ZERO);
    app.update();
    *app.world_mut().get_mut::<Velocity>(cube).expect("it has one") =
        Velocity { linear: Vec3::new(0.0, 0.0, 3.0), angular: Vec3::ZERO };
    updates(&mut app, 60);
    assert!((place(&app, cube).z - 3.0).abs() < 1e-3);
}

#[test]
fn despawned_and_removed_bodies_are_gone_and_what_rested_on_them_falls() {
    let mut app = app();
    let plate = app.world_mut().spawn((RigidBody::Fixed, cube(), Transform::from_xyz(0.0, -0.5, 0.0))).id();
    let lower = add(&mut app, Vec3::new(0.0, 0.5, 0.0));
    let upper = add(&mut app, Vec3::new(0.0, 1.5, 0.0));
    updates(&mut app, 120);
    app.world_mut().entity_mut(lower).remove::<RigidBody>();
    updates(&mut app, 2);
    assert_eq!(app.world().resource::<Physics>().world().body_count(), 2);
    let still = place(&app, lower);
    app.world_mut().despawn(plate);
    updates(&mut app, 60);
    assert_eq!(app.world().resource::<Physics>().world().body_count(), 1);
    assert!(place(&app, upper).y < -2.0 && place(&app, lower) == still);
    // And back again, where it is by now.
    app.world_mut().entity_mut(lower).insert(RigidBody::Dynamic);
    updates(&mut app, 30);
    assert!(place(&app, lower).y < still.y - 0.5);
}

#[test]
fn removed_and_added_again_within_a_frame_is_one_body() {
    let mut app = app();
    ground(&mut app);
    let cube = add(&mut app, Vec3::new(0.0, 0.5, 0.0));
    updates(&mut app, 30);
    app.world_mut().entity_mut(cube).remove::<RigidBody>().insert(RigidBody::Dynamic);
    updates(&mut app, 30);
    let physics = app.world().resource::<Physics>();
    assert_eq!(physics.world().body_count(), 2);
    assert_eq!(physics.entity_of(physics.body_of(cube).expect("it has a body")), Some(cube));
    assert!((place(&app, cube).y - 0.5).abs() < 1e-3);
}

#[test]
fn other_colliders_make_another_body_where_it_is_and_as_fast() {
    let mut app = app_with(weightless(), every_step());
    let cube = add(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Velocity>(cube).expect("it has one").linear = Vec3::X;
    updates(&mut app, 30);
    let before = place(&app, cube).x;
    *app.world_mut().get_mut::<Colliders>(cube).expect("it has some") =
        Shape::sphere(0.1).expect("positive").into();
    updates(&mut app, 30);
    assert!((place(&app, cube).x - before - 0.5).abs() < 1e-3, "{} from {before}", place(&app, cube).x);
    let physics = app.world().resource::<Physics>();
    let body = physics.world().body(physics.body_of(cube).expect("it has a body")).expect("alive");
    assert!((body.radius - 0.1).abs() < 1e-6);
}

#[test]
fn forces_gravity_and_damping_do_what_they_say() {
    let mut app = app();
    let floating = add(&mut app, Vec3::ZERO);
    app.world_mut().entity_mut(floating).insert(GravityScale(0.0));
    let pushed = add(&mut app, Vec3::new(5.0, 0.0, 0.0));
    app.update();
    let physics = app.world().resource::<Physics>();
    let body = physics.world().body(physics.body_of(pushed).expect("it has a body")).expect("alive");
    let weight = body.mass * 9.81;
    app.world_mut().entity_mut(pushed).insert((
        ConstantForce { force: Vec3::new(0.0, weight, body.mass), torque: Vec3::ZERO },
        GravityScale(1.0),
    ));
    let damped = add(&mut app, Vec3::new(10.0, 0.0, 0.0));
    app.world_mut().entity_mut(damped).insert((GravityScale(0.0), Damping { linear: 2.0, angular: 0.0 }));
    app.world_mut().get_mut::<Velocity>(damped).expect("it has one").linear = Vec3::Z;
    updates(&mut app, 60);
    assert!(place(&app, floating).length() < 1e-6);
    let velocity = |entity| app.world().get::<Velocity>(entity).expect("it has one").linear;
    assert!(
        (velocity(pushed).z - 1.0).abs() < 0.02 && velocity(pushed).y.abs() < 0.2,
        "{}",
        velocity(pushed)
    );
    assert!((velocity(damped).z - (-2.0_f32).exp()).abs() < 0.01, "{}", velocity(damped));
    app.world_mut().entity_mut(floating).remove::<GravityScale>();
    updates(&mut app, 60);
    assert!(place(&app, floating).y < -4.0);
}

#[test]
fn locks_and_sleep_are_kept() {
    let mut app = app();
    ground(&mut app);
    let locked = add(&mut app, Vec3::new(0.0, 5.0, 0.0));
    app.world_mut()
        .entity_mut(locked)
        .insert(LockedAxes(AxisLocks { translation: [false, true, false], ..AxisLocks::default() }));
    let sleepless = add(&mut app, Vec3::new(5.0, 0.5, 0.0));
    app.world_mut().entity_mut(sleepless).insert(CanSleep(false));
    updates(&mut app, 180);
    assert_eq!(place(&app, locked).y, 5.0);
    assert!(app.world().get::<Asleep>(sleepless).is_none());
}

#[test]
fn a_child_moves_in_the_world_and_is_shown_there() {
    let mut app = app();
    ground(&mut app);
    let turn = Quat::from_rotation_y(0.7);
    let parent = app.world_mut().spawn(Transform::from_xyz(4.0, 2.0, 0.0).with_rotation(turn)).id();
    let child =
        app.world_mut().spawn((RigidBody::Dynamic, cube(), Transform::default(), ChildOf(parent))).id();
    updates(&mut app, 120);
    let at = |app: &App| app.world().get::<GlobalTransform>(child).expect("it is there").translation();
    assert!((at(&app) - Vec3::new(4.0, 0.5, 0.0)).length() < 1e-3, "it lies on the ground: {}", at(&app));
    // The parent goes; the body does not.
    app.world_mut().get_mut::<Transform>(parent).expect("it is there").translation.x = -7.0;
    updates(&mut app, 2);
    assert!((at(&app) - Vec3::new(4.0, 0.5, 0.0)).length() < 1e-3, "{}", at(&app));
}

#[test]
fn touches_and_hits_are_told_with_their_entities() {
    let events = EventConfig { hit: true, ..EventConfig::default() };
    let mut app = app_with(WorldConfig { events, ..WorldConfig::default() }, every_step());
    let ground = ground(&mut app);
    let cube = add(&mut app, Vec3::new(0.0, 2.0, 0.0));
    let mut events: Vec<Happened> = Vec::new();
    for _ in 0..120 {
        app.update();
        events.extend(told::<Happened>(&mut app));
    }
    let first =
        events.iter().find(|e| e.event.kind() == EventKind::TouchBegin).expect("it touches the ground");
    let mut entities = first.entities;
    entities.sort_unstable();
    let mut expected = [Some(ground), Some(cube)];
    expected.sort_unstable();
    assert_eq!(entities, expected);
    assert!(events.iter().any(|e| e.event.kind() == EventKind::Hit));
}

#[test]
fn a_queue_of_events_is_told_once() {
    let told_with = |queue: bool| {
        let events = EventConfig { queue, ..EventConfig::default() };
        let mut app = app_with(WorldConfig { events, ..WorldConfig::default() }, every_step());
        ground(&mut app);
        add(&mut app, Vec3::new(0.0, 1.0, 0.0));
        let mut kinds = Vec::new();
        for _ in 0..120 {
            app.update();
            kinds.extend(told::<Happened>(&mut app).iter().map(|happened| happened.event.kind()));
        }
        kinds
    };
    let told = told_with(true);
    assert!(told.contains(&EventKind::TouchBegin));
    assert_eq!(told, told_with(false));
}

#[test]
fn triggers_tell_what_comes_and_goes() {
    let mut app = app();
    let zone = ColliderSpec::new(Shape::cuboid(Vector3::repeat(1.0)).expect("positive")).trigger();
    let zone = app.world_mut().spawn((RigidBody::Fixed, Colliders::from(zone))).id();
    let cube = add(&mut app, Vec3::new(0.0, 3.0, 0.0));
    let mut told_kinds = Vec::new();
    for _ in 0..90 {
        app.update();
        told_kinds.extend(
            told::<Happened>(&mut app).iter().map(|happened| (happened.event.kind(), happened.entities)),
        );
    }
    assert_eq!(
        told_kinds,
        [(EventKind::TriggerIn, [Some(zone), Some(cube)]), (EventKind::TriggerOut, [Some(zone), Some(cube)])]
    );
}

#[test]
fn joints_hold_wait_for_their_bodies_and_break() {
    let mut app = app();
    let post = app.world_mut().spawn(RigidBody::Fixed).id();
    let bob = app.world_mut().spawn_empty().id();
    let hinge = Joint::new(post, bob, |post, bob| {
        JointSpec::hinge(post, bob).at(Position::origin()).along(Vector3::z()).breaks_above(60.0, 1e9)
    });
    let joint = app.world_mut().spawn(hinge).id();
    updates(&mut app, 3);
    assert!(app.world().resource::<Physics>().joint_of(joint).is_none(), "there is no body yet");
    let ball: Colliders = Shape::sphere(0.1).expect("positive").into();
    app.world_mut().entity_mut(bob).insert((RigidBody::Dynamic, ball, Transform::from_xyz(1.0, 0.0, 0.0)));
    updates(&mut app, 5);
    assert!(app.world().resource::<Physics>().joint_of(joint).is_some());
    assert!((place(&app, bob).length() - 1.0).abs() < 1e-3);
    // Another body, the same joint.
    app.world_mut().get_mut::<Colliders>(bob).expect("it has some").0[0] =
        ColliderSpec::new(Shape::sphere(0.11).expect("positive"));
    updates(&mut app, 2);
    let physics = app.world().resource::<Physics>();
    assert_eq!(physics.world().joint_count(), 1);
    assert!(physics.joint_of(joint).is_some());
    // A pull of more than it stands.
    app.world_mut()
        .entity_mut(bob)
        .insert(ConstantForce { force: Vec3::new(1e4, 0.0, 0.0), torque: Vec3::ZERO });
    let mut broken = Vec::new();
    for _ in 0..30 {
        app.update();
        broken.extend(told::<JointBroke>(&mut app));
    }
    assert_eq!(broken, [JointBroke { entity: joint }]);
    assert!(app.world().get::<Joint>(joint).is_none());
    assert!(place(&app, bob).length() > 2.0);
}

#[test]
fn what_is_refused_is_told() {
    let mut app = app();
    let massless = app.world_mut().spawn(RigidBody::Dynamic).id();
    app.update();
    let refused = told::<Refused>(&mut app);
    assert!(
        matches!(&refused[..], [Refused { entity, error: WorldError::NoMass(_) }] if *entity == massless),
        "{refused:?}"
    );
    // And taken once it is right.
    app.world_mut().entity_mut(massless).insert(cube());
    app.update();
    assert!(told::<Refused>(&mut app).is_empty());
    assert_eq!(app.world().resource::<Physics>().world().body_count(), 1);
    app.world_mut().get_mut::<Transform>(massless).expect("it is there").translation.x = f32::NAN;
    app.update();
    assert_eq!(told::<Refused>(&mut app).len(), 1);
}

#[test]
fn systems_of_a_step_run_once_a_step() {
    #[derive(bevy_ecs::resource::Resource, Default)]
    struct Steps(Vec<&'static str>);
    let mut app = app_with(weightless(), StepClock::fixed(60.0, 2.0 * DT));
    app.init_resource::<Steps>();
    app.add_systems(
        PhysicsStep,
        (|mut steps: ResMut<Steps>| steps.0.push("before")).in_set(PhysicsSet::Before),
    );
    app.add_systems(
        PhysicsStep,
        (|mut steps: ResMut<Steps>| steps.0.push("after")).in_set(PhysicsSet::After),
    );
    app.update();
    assert_eq!(app.world().resource::<Steps>().0, ["before", "after", "before", "after"]);
}

#[test]
fn motion_is_the_same_at_any_number_of_threads_and_frames() {
    let hash = |threads: usize, clock: StepClock, frames: usize| {
        let mut app = App::new();
        let plugin = DrystonePlugin::new(WorldConfig::default()).expect("in range").clock(clock);
        app.add_plugins(plugin.threads(threads).expect("there are threads"));
        ground(&mut app);
        for i in 0..20 {
            add(&mut app, Vec3::new(0.3 * (i % 3) as f32, 1.0 + 1.2 * i as f32, 0.2 * (i % 2) as f32));
        }
        updates(&mut app, frames);
        app.world().resource::<Physics>().world().state_hash()
    };
    let one = hash(1, StepClock::fixed(60.0, DT), 120);
    assert_eq!(one, hash(2, StepClock::fixed(60.0, DT), 120));
    assert_eq!(one, hash(1, StepClock::fixed(60.0, 2.0 * DT), 60));
}

#[test]
fn an_entity_that_nobody_moved_is_not_put_back() {
    // Rotations of unusual signs and lengths are shown as they are, and not taken for somebody's change.
    let mut app = app_with(weightless(), every_step());
    let cube = add(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Velocity>(cube).expect("it has one").angular = Vec3::new(3.0, 4.0, -5.0);
    updates(&mut app, 600);
    let physics = app.world().resource::<Physics>();
    let body = physics.world().body(physics.body_of(cube).expect("it has a body")).expect("alive");
    assert!(
        (body.angular_velocity - Vector3::new(3.0, 4.0, -5.0)).norm() < 1e-3,
        "{}",
        body.angular_velocity
    );
}
