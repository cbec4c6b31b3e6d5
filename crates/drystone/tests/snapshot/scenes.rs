//! Scenes that leave something in every memory.

use crate::common::*;
use drystone::math::{Pose, Rotation, Vector3};
use drystone::{
    BodyKind, BodySpec, ColliderSpec, Key, Keyframes, Rule, RulePair, RuleSide, Shape, TimerSpec, World,
};

/// Three flat pyramids one behind the other, and a heavy ball that comes along them; a thin fast one beside.
pub(crate) fn smash() -> Scene {
    let stacks = (0..3).flat_map(|stack| {
        let place = move |row, i| {
            cube(0.1, pyramid_x(5, row, i), 0.05 + 0.1 * f64::from(row), 0.4 * f64::from(stack))
        };
        (0..5).flat_map(move |row| (0..5 - row).map(move |i| place(row, i)))
    });
    let bullet = ball(0.13, 0.02, 0.25, -0.5).linear_velocity(Vector3::new(0.0, 0.5, 12.0));
    let pellet = ball(0.01, 0.3, 0.08, -1.0).linear_velocity(Vector3::new(-0.2, 0.0, 60.0));
    Scene::on_ground().with_all(stacks).with(bullet).with(pellet)
}

/// A tower and a low heap that come to rest.
pub(crate) fn settling() -> Scene {
    let low = (0..14).map(|i| {
        let (x, y, z) =
            (f64::from(i % 3) * 0.11, 0.06 + 0.12 * f64::from(i / 6), f64::from(i / 3 % 2) * 0.115);
        if i % 2 == 0 { cube(0.1, 1.0 + x, y, z) } else { ball(0.055, 1.0 + x, y, z) }
    });
    Scene::on_ground().with_all(tower(5, 0.0, 0.0)).with_all(low).surface(0.0, 0.6, 0.5)
}

/// A pen that bodies will come into.
pub(crate) fn rain() -> Scene {
    Scene::on_ground().with_all(pen(0.3)).with_all(heap(30, 0.0, 0.0, 3))
}

/// A body comes every third step; every fifth one a body goes, old or new.
pub(crate) fn come_and_go(world: &mut World, step: u64) {
    if step.is_multiple_of(3) {
        let x = 0.05 * ((step * 7 % 5) as f64 - 2.0);
        let body = if step.is_multiple_of(2) { cube(0.1, x, 0.8, 0.03) } else { ball(0.05, x, 0.8, -0.04) };
        world.add_body(body).expect("valid");
    }
    if step.is_multiple_of(5) {
        let dynamic: Vec<_> = world.bodies().filter(|b| b.kind == BodyKind::Dynamic).collect();
        if let Some(body) = dynamic.get(step as usize * 13 % dynamic.len()) {
            world.remove_body(body.handle).expect("it exists");
        }
    }
}

/// Balls in a pen with a belt, a lift and a zone.
pub(crate) fn everything() -> Scene {
    let balls = (0..24).map(|i| {
        let (x, y, z) = (f64::from(i % 4), f64::from(i / 12), f64::from(i / 4 % 3));
        ball(0.05, 0.11 * (x - 1.5), 0.1 + 0.11 * y, 0.11 * (z - 1.0))
    });
    let belt = block(0.15, 0.02, 0.15).surface_velocity(Vector3::x());
    let zone = BodySpec::fixed().pose(Pose::at(0.1, 0.1, 0.0)).collider(block(0.1, 0.1, 0.2).trigger());
    let lift = BodySpec::kinematic().pose(Pose::at(-0.2, 0.05, 0.0)).collider(block(0.05, 0.05, 0.05));
    Scene::on_ground()
        .with_all(pen(0.35))
        .with_all(balls)
        .with(BodySpec::fixed().pose(Pose::at(0.2, 0.02, 0.0)).collider(belt))
        .with(zone)
        .with(lift)
}

/// Composites, a multibody, a motion, timers and rules of both kinds.
pub(crate) fn with_logic(run: &mut Run) {
    let (lift, balls) = (run.bodies[run.bodies.len() - 1], &run.bodies[5..29]);
    let world = &mut run.world;
    let keys = [0.0, 0.4, 0.8]
        .map(|t| Key::new(t, Pose::at(-0.2, 0.05 + 0.2 * (1.0 - (t / 0.4 - 1.0_f64).abs()), 0.0)));
    let motion = Keyframes::linear(keys).expect("in order").repeating().expect("it ends where it begins");
    world.follow_motion(lift, motion).expect("kinematic");
    for island in balls[..12].chunks(3) {
        world.fasten(island).expect("free bodies");
    }
    world.add_multibody(&balls[12..15]).expect("free bodies");
    world.add_timer(TimerSpec::periodic(0.01)).expect("in range");
    world.add_timer(TimerSpec::once(0.1)).expect("in range");
    let odd = |pair: &RulePair| (pair.colliders[0].index + pair.colliders[1].index).is_multiple_of(7);
    world.add_rule(Rule::ignore(RuleSide::Anything, RuleSide::Anything).when(odd)).expect("valid");
    world.add_rule(Rule::force(RuleSide::Body(balls[20]), RuleSide::Groups(1))).expect("it exists");
}

/// A composite breaks, others are made, a body is taken out and comes back.
pub(crate) fn break_and_fasten(world: &mut World, step: u64) {
    match step % 20 {
        5 => {
            let first = world.composites().next().map(|(handle, _)| handle);
            if let Some(handle) = first {
                world.unfasten(handle).expect("it exists");
            }
        }
        10 => {
            let free = |b: &drystone::BodyRef| {
                b.kind == BodyKind::Dynamic
                    && b.is_active
                    && world.composite_of(b.handle) == Ok(None)
                    && world.multibody_of(b.handle) == Ok(None)
            };
            let free: Vec<_> = world.bodies().filter(free).map(|b| b.handle).take(2).collect();
            if free.len() == 2 {
                world.fasten(&free).expect("free bodies");
            }
        }
        15 => {
            let last = world.bodies().filter(|b| b.kind == BodyKind::Dynamic).map(|b| b.handle).last();
            let is_active = last.is_some_and(|body| world.body(body).expect("it exists").is_active);
            if let Some(body) = last.filter(|&body| world.composite_of(body) == Ok(None)) {
                world.set_active(body, !is_active).expect("it exists");
            }
        }
        _ => {}
    }
}

/// Boxes, balls, hulls, cylinders and capsules on a height field and on a mesh.
pub(crate) fn rough() -> Scene {
    let heights: Vec<f32> = (0..169).map(|k| if k % 3 == 0 { 0.0 } else { -0.03 * (k % 5) as f32 }).collect();
    let field = Shape::height_field(13, 13, &heights, [0.1, 0.1]).expect("a field");
    let corners = [[-0.5, 0.0, -0.5], [0.5, 0.0, -0.5], [0.5, 0.1, 0.5], [-0.5, 0.0, 0.5], [0.0, -0.05, 0.0]];
    let corners = corners.map(|[x, y, z]| Vector3::new(x, y, z));
    let triangles = [[0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0]];
    let mesh = Shape::mesh(&corners, &triangles).expect("a mesh");
    let wedge = [[-1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [0.0, -1.0, 1.0], [0.0, 1.0, 0.2], [0.4, 0.6, -0.6]];
    let wedge = wedge.map(|[x, y, z]: [f32; 3]| Vector3::new(x, y, z) * 0.06);
    let shapes = [
        Shape::cuboid(Vector3::new(0.05, 0.04, 0.06)),
        Shape::sphere(0.05),
        Shape::hull(&wedge),
        Shape::cylinder(0.05, 0.05),
        Shape::capsule(0.04, 0.04),
        Shape::cone(0.06, 0.05),
    ]
    .map(|shape| shape.expect("in range"));
    let fallers = (0..24).map(|i| {
        let x = if i < 12 { 0.0 } else { 3.0 } + 0.13 * f64::from(i % 3 - 1);
        let turn = Rotation::from_euler_angles(0.3 * i as f32, 0.2, 0.1 * i as f32);
        let place = Pose::new(
            drystone::math::Position::new(
                x,
                0.12 + 0.13 * f64::from(i % 12 / 6),
                0.13 * f64::from(i / 3 % 2),
            ),
            turn,
        );
        BodySpec::dynamic().pose(place).collider(ColliderSpec::new(shapes[i as usize % shapes.len()].clone()))
    });
    Scene::default()
        .with(BodySpec::fixed().collider(ColliderSpec::new(field)))
        .with(BodySpec::fixed().pose(Pose::at(3.0, 0.0, 0.0)).collider(ColliderSpec::new(mesh)))
        .with_all(fallers)
}
