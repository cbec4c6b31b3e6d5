//! Snapshots that are restored while entities come and go.

use super::*;
use drystone::math::Pose;
use drystone::{BodySpec, JointAxis, Snapshot};

fn snapshot(app: &App) -> Snapshot {
    app.world().resource::<Physics>().world().snapshot()
}

fn restore(app: &mut App, snapshot: &Snapshot) {
    let mut physics = app.world_mut().resource_mut::<Physics>();
    physics.world_mut().restore(snapshot).expect("of this world");
    physics.refresh();
}

fn body_count(app: &App) -> usize {
    app.world().resource::<Physics>().world().body_count()
}

/// Each of these entities has a body of its own.
fn assert_own_bodies(app: &App, entities: &[Entity]) {
    let physics = app.world().resource::<Physics>();
    for &entity in entities {
        let body = physics.body_of(entity).expect("it has a body");
        assert_eq!(physics.entity_of(body), Some(entity));
        assert_eq!(physics.world().body(body).expect("alive").user_data, entity.to_bits());
    }
}

#[test]
fn a_snapshot_brings_all_entities_back() {
    let mut app = app();
    ground(&mut app);
    let cubes: Vec<Entity> =
        (0..4).map(|i| add(&mut app, Vec3::new(0.0, 3.0 + 1.5 * i as f32, 0.0))).collect();
    updates(&mut app, 20);
    let snapshot = app.world().resource::<Physics>().world().snapshot();
    let then: Vec<Vec3> = cubes.iter().map(|&cube| place(&app, cube)).collect();
    updates(&mut app, 60);
    let later: Vec<Vec3> = cubes.iter().map(|&cube| place(&app, cube)).collect();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    physics.world_mut().restore(&snapshot).expect("of this world");
    physics.refresh();
    app.world_mut().resource_mut::<StepClock>().set_paused(true);
    app.update();
    assert_eq!(cubes.iter().map(|&cube| place(&app, cube)).collect::<Vec<_>>(), then);
    app.world_mut().resource_mut::<StepClock>().set_paused(false);
    updates(&mut app, 60);
    assert_eq!(cubes.iter().map(|&cube| place(&app, cube)).collect::<Vec<_>>(), later, "the same again");
}

#[test]
fn what_came_since_gets_a_body_of_its_own_again_and_removes_no_other() {
    for refreshes in [true, false] {
        let mut app = app();
        ground(&mut app);
        app.update();
        let before = snapshot(&app);
        let early = add(&mut app, Vec3::new(0.0, 0.5, 0.0));
        app.update();
        if refreshes {
            restore(&mut app, &before);
            assert!(
                app.world().resource::<Physics>().body_of(early).is_none(),
                "the snapshot does not have it"
            );
        } else {
            app.world_mut().resource_mut::<Physics>().world_mut().restore(&before).expect("of this world");
        }
        let late = add(&mut app, Vec3::new(5.0, 0.5, 0.0));
        app.update();
        let owners = if refreshes { vec![early, late] } else { vec![late] };
        assert_own_bodies(&app, &owners);
        app.world_mut().despawn(early);
        app.update();
        assert_eq!(body_count(&app), 2);
        assert_own_bodies(&app, &[late]);
    }
}

#[test]
fn what_went_since_stays_gone_and_bodies_of_others_stay() {
    let mut app = app();
    ground(&mut app);
    let [gone, plain, kept] = [0.0, 2.0, 4.0].map(|x| add(&mut app, Vec3::new(x, 0.5, 0.0)));
    app.update();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    // Whatever they hold: nothing, a number, an entity.
    let others = [0, 7, gone.to_bits()].map(|user_data| {
        let spec = BodySpec::fixed().pose(Pose::at(0.0, -9.0, 0.0)).user_data(user_data);
        physics.world_mut().add_body(spec).expect("in range")
    });
    app.update();
    let before = snapshot(&app);
    app.world_mut().despawn(gone);
    app.world_mut().entity_mut(plain).remove::<RigidBody>();
    updates(&mut app, 2);
    restore(&mut app, &before);
    updates(&mut app, 2);
    assert_eq!(body_count(&app), 2 + others.len(), "the ground, what was kept, and the others");
    assert_own_bodies(&app, &[kept]);
    let physics = app.world().resource::<Physics>();
    assert!(others.into_iter().all(|body| physics.world().pose(body).is_ok()));
}

#[test]
fn what_was_made_anew_since_goes_on_from_the_snapshot_as_its_components_say() {
    let mut app = app_with(weightless(), every_step());
    let cube = add(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Velocity>(cube).expect("it has one").linear = Vec3::X;
    updates(&mut app, 30);
    let (before, x) = (snapshot(&app), place(&app, cube).x);
    *app.world_mut().get_mut::<Colliders>(cube).expect("it has some") =
        Shape::sphere(0.1).expect("positive").into();
    app.world_mut().get_mut::<Velocity>(cube).expect("it has one").linear = Vec3::Y;
    updates(&mut app, 30);
    restore(&mut app, &before);
    updates(&mut app, 30);
    assert!((place(&app, cube) - Vec3::new(x + 0.5, 0.0, 0.0)).length() < 1e-3, "{}", place(&app, cube));
    assert_eq!(body_count(&app), 1);
    assert_own_bodies(&app, &[cube]);
    let physics = app.world().resource::<Physics>();
    let body = physics.world().body(physics.body_of(cube).expect("it has a body")).expect("alive");
    assert!((body.radius - 0.1).abs() < 1e-6);
}

#[test]
fn handles_that_went_to_other_entities_since_find_back() {
    let mut app = app_with(weightless(), every_step());
    app.update();
    let empty = snapshot(&app);
    let mut cubes = [0.0, 2.0].map(|x| add(&mut app, Vec3::new(x, 0.0, 0.0)));
    app.update();
    let body_of = |app: &App, cube| app.world().resource::<Physics>().body_of(cube);
    cubes.sort_by_key(|&cube| body_of(&app, cube));
    let [gone, kept] = cubes;
    let (handle, x) = (body_of(&app, gone), place(&app, kept).x);
    let both = snapshot(&app);
    restore(&mut app, &empty);
    app.world_mut().despawn(gone);
    app.update();
    assert_eq!(body_of(&app, kept), handle, "it got the handle that the other one had");
    restore(&mut app, &both);
    app.update();
    assert_eq!(body_count(&app), 1);
    assert_own_bodies(&app, &[kept]);
    assert!((place(&app, kept) - Vec3::new(x, 0.0, 0.0)).length() < 1e-6);
}

/// Whatever it holds: a number, or an entity that never had that handle.
#[test]
fn a_body_of_others_stays_although_its_handle_was_an_entity_s() {
    for holds_entity in [false, true] {
        let mut app = app_with(weightless(), every_step());
        let other = app.world_mut().spawn_empty().id();
        app.update();
        let empty = snapshot(&app);
        let cube = add(&mut app, Vec3::ZERO);
        app.update();
        let handle = app.world().resource::<Physics>().body_of(cube).expect("it has a body");
        restore(&mut app, &empty);
        app.world_mut().despawn(cube);
        app.update();
        let spec = BodySpec::fixed().user_data(if holds_entity { other.to_bits() } else { 7 });
        let own = app.world_mut().resource_mut::<Physics>().world_mut().add_body(spec).expect("in range");
        assert_eq!(own, handle, "the snapshot gives it out again");
        let with_own = snapshot(&app);
        app.update();
        restore(&mut app, &with_own);
        assert!(app.world().resource::<Physics>().world().pose(own).is_ok(), "an entity: {holds_entity}");
    }
}

#[test]
fn a_joint_of_others_stays_although_its_handle_was_an_entity_s() {
    let mut app = app_with(weightless(), every_step());
    let [a, b, c] = [0.0, 2.0, 4.0].map(|x| add(&mut app, Vec3::new(x, 0.0, 0.0)));
    app.update();
    let without = snapshot(&app);
    let joint = app.world_mut().spawn(Joint::new(a, b, JointSpec::ball)).id();
    app.update();
    let handle = app.world().resource::<Physics>().joint_of(joint).expect("it is there");
    restore(&mut app, &without);
    app.world_mut().despawn(joint);
    app.update();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let ends = [b, c].map(|end| physics.body_of(end).expect("it has a body"));
    let own = physics.world_mut().add_joint(&JointSpec::ball(ends[0], ends[1])).expect("in range");
    assert_eq!(own, handle, "the snapshot gives it out again");
    let with = snapshot(&app);
    app.update();
    restore(&mut app, &with);
    app.update();
    assert!(app.world().resource::<Physics>().world().joint(own).is_ok());
}

#[test]
fn an_angle_is_that_of_the_snapshot_although_the_body_was_made_anew_since() {
    let mut app = app_with(weightless(), every_step());
    let [door, hinge] = turned_door(&mut app);
    let before = snapshot(&app);
    change(&mut app, door);
    updates(&mut app, 30);
    restore(&mut app, &before);
    app.update();
    let physics = app.world().resource::<Physics>();
    let joint = physics.world().joint(physics.joint_of(hinge).expect("it is there")).expect("alive");
    let angle = joint.value(JointAxis::Twist);
    assert!((angle - 31.0 * DT as f32).abs() < 0.02, "{angle}");
    assert_eq!(physics.world().joint_count(), 1);
}

#[test]
fn joints_are_those_that_components_say() {
    let mut app = app_with(weightless(), every_step());
    let [a, b, c] = [0.0, 2.0, 4.0].map(|x| add(&mut app, Vec3::new(x, 0.0, 0.0)));
    app.update();
    let without = snapshot(&app);
    let joint = app.world_mut().spawn(Joint::new(a, b, JointSpec::ball)).id();
    app.update();
    restore(&mut app, &without);
    app.update();
    let physics = app.world().resource::<Physics>();
    assert!(physics.world().joint(physics.joint_of(joint).expect("made again")).is_ok());
    // One of the caller's own between bodies of entities, which no component says, stays.
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let ends = [b, c].map(|end| physics.body_of(end).expect("it has a body"));
    let own = physics.world_mut().add_joint(&JointSpec::ball(ends[0], ends[1])).expect("in range");
    let with = snapshot(&app);
    app.world_mut().despawn(joint);
    app.update();
    restore(&mut app, &with);
    app.update();
    let world = app.world().resource::<Physics>().world();
    assert_eq!(world.joint_count(), 1);
    assert!(world.joint(own).is_ok());
}
