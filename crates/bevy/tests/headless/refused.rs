//! What is refused leaves all as it was, and is asked for again once it may be right.

use super::*;
use bevy_ecs::prelude::{Component, With};
use drystone::BodyHandle;
use drystone::math::inertia::MassProperties;
use drystone_bevy::MassOverride;

fn body(app: &App, entity: Entity) -> Option<BodyHandle> {
    app.world().resource::<Physics>().body_of(entity)
}

/// How often an entity is refused in so many frames.
fn refusals(app: &mut App, of: Entity, frames: usize) -> usize {
    let in_frame = |app: &mut App| {
        app.update();
        told::<Refused>(app).iter().filter(|refused| refused.entity == of).count()
    };
    (0..frames).map(|_| in_frame(app)).sum()
}

#[test]
fn a_refused_change_leaves_the_body_as_it_was() {
    let mut app = app_with(weightless(), every_step());
    let cube = add(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Velocity>(cube).expect("it has one").linear = Vec3::X;
    app.update();
    let before = body(&app, cube);
    app.world_mut().entity_mut(cube).insert(Colliders(vec![]));
    assert_eq!((refusals(&mut app, cube, 1), body(&app, cube)), (1, before));
    let nothing = MassProperties::aligned(f32::NAN, Vector3::repeat(1.0));
    app.world_mut().entity_mut(cube).insert((self::cube(), MassOverride(nothing)));
    let told = refusals(&mut app, cube, 58);
    assert_eq!((told, body(&app, cube)), (1, before), "once, not in every step");
    assert_eq!(app.world().resource::<Physics>().world().body_count(), 1);
    assert!((place(&app, cube).x - 1.0).abs() < 1e-3, "{}", place(&app, cube));
    app.world_mut().entity_mut(cube).remove::<MassOverride>();
    assert!(refusals(&mut app, cube, 1) == 0 && body(&app, cube) != before);
}

#[test]
fn a_change_refused_for_a_setting_is_made_once_that_is_right() {
    let mut app = app_with(weightless(), every_step());
    let cube = add(&mut app, Vec3::ZERO);
    app.update();
    let before = body(&app, cube);
    let ball: Colliders = Shape::sphere(0.1).expect("positive").into();
    app.world_mut().entity_mut(cube).insert((ball, Damping { linear: -1.0, angular: 0.0 }));
    app.update();
    assert_eq!(body(&app, cube), before);
    app.world_mut().entity_mut(cube).remove::<Damping>();
    app.update();
    assert!(body(&app, cube) != before);
}

/// An entity that is refused with a component, and gets its body when that is right.
fn corrected<C: Component>(wrong: C, right: C) {
    let mut app = app();
    let cube = add(&mut app, Vec3::ZERO);
    app.world_mut().entity_mut(cube).insert(wrong);
    assert_eq!((refusals(&mut app, cube, 3), body(&app, cube)), (1, None), "told once");
    app.world_mut().entity_mut(cube).insert(right);
    assert!(refusals(&mut app, cube, 1) == 0 && body(&app, cube).is_some());
}

#[test]
fn what_was_refused_is_there_once_its_components_are_right() {
    corrected(Transform::from_xyz(f32::NAN, 0.0, 0.0), Transform::default());
    corrected(Velocity { linear: Vec3::NAN, angular: Vec3::ZERO }, Velocity::default());
    corrected(Damping { linear: -1.0, angular: 0.0 }, Damping::default());
    corrected(GravityScale(f32::NAN), GravityScale(1.0));
}

#[test]
fn what_was_refused_is_there_once_the_component_is_gone_or_what_it_hangs_on_is_right() {
    let mut app = app();
    let parent = app.world_mut().spawn(Transform::from_xyz(f32::NAN, 0.0, 0.0)).id();
    let [child, damped] = [0.0, 3.0].map(|x| add(&mut app, Vec3::new(x, 0.0, 0.0)));
    app.world_mut().entity_mut(child).insert(ChildOf(parent));
    app.world_mut().entity_mut(damped).insert(Damping { linear: f32::NAN, angular: 0.0 });
    app.update();
    assert_eq!([body(&app, child), body(&app, damped)], [None; 2]);
    app.world_mut().get_mut::<Transform>(parent).expect("it is there").translation.x = 1.0;
    app.world_mut().entity_mut(damped).remove::<Damping>();
    app.update();
    assert!(body(&app, child).is_some() && body(&app, damped).is_some());
}

#[test]
fn a_refused_joint_is_made_once_its_bodies_are_others_or_it_is() {
    let mut app = app_with(weightless(), every_step());
    let [a, b] = [0.0, 2.0].map(|x| add(&mut app, Vec3::new(x, 0.0, 0.0)));
    app.world_mut().entity_mut(a).insert(RigidBody::Fixed);
    app.world_mut().entity_mut(b).insert(RigidBody::Fixed);
    let fixed = app.world_mut().spawn(Joint::new(a, b, JointSpec::ball)).id();
    let wrong = Joint::new(a, b, |a, b| {
        JointSpec::ball(a, b).motor(drystone::Motor::Speed { speed: 1.0, most: 1.0 })
    });
    let wrong = app.world_mut().spawn(wrong).id();
    assert_eq!(
        [refusals(&mut app, fixed, 3), app.world().resource::<Physics>().world().joint_count()],
        [1, 0]
    );
    app.world_mut().entity_mut(b).insert(RigidBody::Dynamic);
    app.update();
    let joint_of = |app: &App, joint| app.world().resource::<Physics>().joint_of(joint);
    assert!(joint_of(&app, fixed).is_some() && joint_of(&app, wrong).is_none());
    app.world_mut().entity_mut(wrong).insert(Joint::new(a, b, JointSpec::ball));
    app.update();
    assert!(joint_of(&app, wrong).is_some());
}

#[test]
#[should_panic(expected = "in (0, 1] s, got 0.5")]
fn a_clock_slower_than_steps_may_be_is_refused_at_once() {
    let _ = DrystonePlugin::new(WorldConfig::default()).expect("in range").clock(StepClock::wall(0.5));
}

#[test]
fn a_clock_that_no_step_can_follow_is_told_and_takes_none() {
    let mut app = app_with(weightless(), StepClock::fixed(60.0, DT));
    let cube = add(&mut app, Vec3::ZERO);
    app.world_mut().get_mut::<Velocity>(cube).expect("it has one").linear = Vec3::X;
    updates(&mut app, 2);
    let last = app.world().resource::<Physics>().world().state_hash();
    for rate in [0.5, 0.0, -60.0, f64::NAN, f64::INFINITY] {
        app.insert_resource(StepClock::fixed(rate, 4.0));
        app.update();
        // Whoever runs the steps himself is told as well.
        app.world_mut().run_schedule(PhysicsStep);
        let told = told::<Refused>(&mut app);
        let holders =
            app.world_mut().query_filtered::<Entity, With<StepClock>>().iter(app.world()).collect::<Vec<_>>();
        assert_eq!(
            told.iter().map(|refused| refused.entity).collect::<Vec<_>>(),
            [holders[0]; 2],
            "{rate} Hz"
        );
        assert!(told.iter().all(|refused| matches!(refused.error, WorldError::OutOfRange { value, .. } if value.to_bits() == rate.to_bits())));
        assert!(place(&app, cube).is_finite());
        assert_eq!(app.world().resource::<Physics>().world().state_hash(), last);
    }
    let x = place(&app, cube).x;
    app.insert_resource(every_step());
    updates(&mut app, 60);
    assert!((place(&app, cube).x - x - 1.0).abs() < 1e-3, "{} from {x}", place(&app, cube).x);
}
