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
