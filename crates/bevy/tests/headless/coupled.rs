//! Couplings of joints of entities: they wait for both, hold, break, and come back with a snapshot.

use super::*;
use drystone::{CouplingSpec, JointAxis, JointHandle, JointRef, Motor};
use drystone_bevy::Coupling;

/// A wheel on an axle along z: its body and its joint.
fn axle(app: &mut App, base: Entity, x: f32, motor: Option<Motor>) -> [Entity; 2] {
    let wheel = add(app, Vec3::new(x, 0.0, 0.0));
    let joint = Joint::new(base, wheel, move |base, wheel| {
        let at = Position::new(f64::from(x), 0.0, 0.0);
        let hinge = JointSpec::hinge(base, wheel).at(at).along(Vector3::z());
        motor.map_or(hinge.clone(), |motor| hinge.motor(motor))
    });
    [wheel, app.world_mut().spawn(joint).id()]
}

fn state(app: &App, handle: Option<JointHandle>) -> JointRef {
    app.world().resource::<Physics>().world().joint(handle.expect("it is there")).expect("alive")
}

fn joint(app: &App, entity: Entity) -> JointRef {
    state(app, app.world().resource::<Physics>().joint_of(entity))
}

fn coupling(app: &App, entity: Entity) -> Option<JointHandle> {
    app.world().resource::<Physics>().coupling_of(entity)
}

#[test]
fn a_gear_waits_holds_and_comes_back() {
    let mut app = app_with(weightless(), every_step());
    let base = app.world_mut().spawn(RigidBody::Fixed).id();
    let motor =
        Motor::Servo { target: 0.0, speed: 6.0, stiffness: 0.0, damping: 1e6, force: 0.0, max_force: 1e7 };
    let [body, crank] = axle(&mut app, base, 0.0, Some(motor));
    let waiting = app.world_mut().spawn_empty().id();
    let gear = Coupling::new(crank, waiting, |crank, wheel| CouplingSpec::gear(crank, wheel, -2.0));
    let gear = app.world_mut().spawn(gear).id();
    updates(&mut app, 5);
    assert_eq!(coupling(&app, gear), None, "its second joint is not there");
    let [_, wheel] = axle(&mut app, base, 3.0, None);
    let own = Coupling::new(crank, wheel, |crank, wheel| CouplingSpec::gear(crank, wheel, -2.0));
    app.world_mut().entity_mut(gear).insert(own);
    app.update();
    let made = coupling(&app, gear);
    let before = joint(&app, crank).value(JointAxis::Twist);
    updates(&mut app, 60);
    let now = joint(&app, crank);
    assert!((now.velocity(JointAxis::Twist) - 6.0).abs() < 0.05, "{}", now.velocity(JointAxis::Twist));
    let turned = [now.value(JointAxis::Twist) - before, joint(&app, wheel).value(JointAxis::Twist)];
    assert!((turned[0] - 6.0).abs() < 0.1, "{turned:?}");
    // The gear is there a step before the turns are counted here.
    assert!((turned[1] + 2.0 * turned[0]).abs() < 0.25, "{turned:?}");
    let error = state(&app, made).coupling.expect("it couples").error();
    assert!(error.abs() < 1e-3, "{error}");
    // Back by a second, with the same coupling; what comes then is the same to the bit.
    let snapshot = app.world().resource::<Physics>().world().snapshot();
    updates(&mut app, 30);
    let hash = app.world().resource::<Physics>().world().state_hash();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    physics.world_mut().restore(&snapshot).expect("of this world");
    physics.refresh();
    updates(&mut app, 30);
    assert_eq!(coupling(&app, gear), made);
    assert_eq!(app.world().resource::<Physics>().world().state_hash(), hash);
    // A body that is made anew takes its joint and the gear with it, and both are made again.
    change(&mut app, body);
    updates(&mut app, 3);
    assert!(coupling(&app, gear).is_some() && coupling(&app, gear) != made);
    assert_eq!(app.world().resource::<Physics>().world().joint_count(), 3);
    let error = state(&app, coupling(&app, gear)).coupling.expect("it couples").error();
    assert!(error.abs() < 0.01, "{error}");
    app.world_mut().entity_mut(gear).remove::<Coupling>();
    app.update();
    assert_eq!(app.world().resource::<Physics>().world().joint_count(), 2);
    assert!(told::<Refused>(&mut app).is_empty());
}

#[test]
fn what_breaks_and_what_is_refused_is_told() {
    let mut app = app_with(weightless(), every_step());
    let base = app.world_mut().spawn(RigidBody::Fixed).id();
    let motor = Motor::Speed { speed: 5.0, most: 1e5 };
    let [_, crank] = axle(&mut app, base, 0.0, Some(motor));
    let [_, wheel] = axle(&mut app, base, 3.0, None);
    let weak = |crank, wheel| CouplingSpec::gear(crank, wheel, 1.0).breaks_above(f32::INFINITY, 1.0);
    let gear = app.world_mut().spawn(Coupling::new(crank, wheel, weak)).id();
    let wrong = |crank, wheel| CouplingSpec::gear(crank, wheel, 0.0);
    let nothing = app.world_mut().spawn(Coupling::new(crank, wheel, wrong)).id();
    let (mut broken, mut refused) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        app.update();
        broken.extend(told::<JointBroke>(&mut app));
        refused.extend(told::<Refused>(&mut app));
    }
    assert_eq!(broken, [JointBroke { entity: gear }]);
    assert!(app.world().get::<Coupling>(gear).is_none());
    assert_eq!(refused.len(), 1, "told once");
    assert_eq!(refused[0].entity, nothing);
    assert_eq!(refused[0].error.to_string(), "ratio of a gear must be finite and not 0, got 0");
}
