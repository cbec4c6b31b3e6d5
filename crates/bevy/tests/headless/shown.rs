//! Bodies that hang on others, and that hang on them no more.

use super::*;

fn world_place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<GlobalTransform>(entity).expect("it is there").translation()
}

#[test]
fn a_body_on_a_body_on_something_is_shown_where_it_is() {
    let mut app = app_with(weightless(), every_step());
    let root = app.world_mut().spawn(Transform::from_xyz(0.0, 5.0, 0.0)).id();
    let mut chain = vec![root];
    for _ in 0..3 {
        let above = *chain.last().expect("the root");
        let link = add(&mut app, Vec3::new(2.0, 0.0, 0.0));
        app.world_mut().entity_mut(link).insert(ChildOf(above));
        chain.push(link);
    }
    let speeds = [6.0, -3.0, 0.0];
    for (&link, z) in chain[1..].iter().zip(speeds) {
        app.world_mut().get_mut::<Velocity>(link).expect("it has one").linear = Vec3::new(0.0, 0.0, z);
    }
    for step in 1..=30 {
        app.update();
        for (i, (&link, z)) in chain[1..].iter().zip(speeds).enumerate() {
            let expected = Vec3::new(2.0 * (i + 1) as f32, 5.0, z * step as f32 / 60.0);
            let at = world_place(&app, link);
            assert!((at - expected).length() < 1e-3, "link {i} is at {at}, not at {expected}");
        }
    }
}

#[test]
fn what_hangs_on_nothing_any_more_is_shown_where_it_is() {
    let mut app = app();
    ground(&mut app);
    let turn = Quat::from_rotation_y(0.7);
    let parent = app.world_mut().spawn(Transform::from_xyz(4.0, 0.5, 0.0).with_rotation(turn)).id();
    let sleeper = add(&mut app, Vec3::ZERO);
    let fixed = add(&mut app, Vec3::new(0.0, 3.0, 0.0));
    app.world_mut().entity_mut(fixed).insert(RigidBody::Fixed);
    app.world_mut().entity_mut(parent).add_children(&[sleeper, fixed]);
    updates(&mut app, 120);
    assert!(app.world().get::<Asleep>(sleeper).is_some());
    let before = [sleeper, fixed].map(|entity| world_place(&app, entity));
    for entity in [sleeper, fixed] {
        app.world_mut().entity_mut(entity).remove::<ChildOf>();
    }
    updates(&mut app, 2);
    for (entity, before) in [sleeper, fixed].into_iter().zip(before) {
        let at = world_place(&app, entity);
        assert!((at - before).length() < 1e-5 && place(&app, entity) == at, "at {at}, not at {before}");
    }
    assert!(app.world().get::<Asleep>(sleeper).is_some(), "nobody moved it");
}

/// Correction displaces a cube that sleeps, which sleeps again in the same step, so that it is awake between no two steps.
#[test]
fn what_sleeps_again_in_the_step_in_which_it_is_displaced_is_shown_there() {
    let clock = StepClock::fixed(240.0, 1.0 / 240.0).showing_latest();
    let mut app = app_with(WorldConfig::thesis_fast(), clock);
    ground(&mut app);
    let small = || Colliders::from(Shape::cuboid(Vector3::repeat(0.05)).expect("positive"));
    let cube = (RigidBody::Dynamic, small(), Transform::from_xyz(0.0, 0.05, 0.0));
    let wall = (RigidBody::Fixed, small(), Transform::from_xyz(3.0, 0.05, 0.0));
    let [cube, wall] = [app.world_mut().spawn(cube).id(), app.world_mut().spawn(wall).id()];
    updates(&mut app, 600);
    assert!(app.world().get::<Asleep>(cube).is_some());
    let before = place(&app, cube).x;
    app.world_mut().get_mut::<Transform>(wall).expect("it is there").translation.x = 0.085;
    for _ in 0..24 {
        app.update();
        let physics = app.world().resource::<Physics>();
        let pose = physics.world().pose(physics.body_of(cube).expect("it has a body")).expect("alive");
        let at = f64::from(place(&app, cube).x);
        assert!(
            (at - pose.translation.x).abs() < 1e-6,
            "shown at {at} m, and is at {} m",
            pose.translation.x
        );
    }
    assert!(place(&app, cube).x < before - 0.01, "displaced to {}", place(&app, cube));
}

/// A parent that is scaled to nothing hides what hangs on it: no number tells where that is in its frame.
#[test]
fn a_body_on_what_is_scaled_to_nothing_moves_on_and_is_shown_when_that_is_back() {
    let mut app = app_with(weightless(), every_step());
    let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let child = add(&mut app, Vec3::new(1.0, 0.0, 0.0));
    app.world_mut().entity_mut(child).insert(ChildOf(parent));
    app.world_mut().get_mut::<Velocity>(child).expect("it has one").linear = Vec3::Z;
    updates(&mut app, 2);
    app.world_mut().get_mut::<Transform>(parent).expect("it is there").scale = Vec3::ZERO;
    for _ in 0..10 {
        app.update();
        assert!(app.world().get::<Transform>(child).expect("it is there").is_finite());
    }
    assert!(told::<Refused>(&mut app).is_empty(), "nobody asked for anything");
    app.world_mut().get_mut::<Transform>(parent).expect("it is there").scale = Vec3::ONE;
    updates(&mut app, 1);
    let at = world_place(&app, child);
    assert!((at - Vec3::new(2.0, 0.0, 13.0 / 60.0)).length() < 1e-3, "{at}");
}
