//! Sleep, waking and touch events.

use super::*;

fn sleepy() -> PlanarWorld {
    world_of(PlanarConfig { tell_persisting: true, ..PlanarConfig::default() }, 0.5, 0.0)
}

#[test]
fn a_pile_sleeps_as_a_whole_and_wakes_when_its_support_is_removed() {
    let mut world = sleepy();
    add_floor(&mut world);
    let bodies: Vec<BodyHandle> =
        (0..4).map(|k| add(&mut world, 0.0, 0.5 + f64::from(k), cuboid(0.5, 0.5))).collect();
    run(&mut world, 60.0, 2.0);
    assert_eq!((world.report().asleep, world.report().contacts), (4, 0));
    let height = world.pose(bodies[3]).expect("there").translation.y;
    world.remove_body(bodies[0]).expect("there");
    run(&mut world, 60.0, 0.2);
    assert!(bodies[1..].iter().all(|&b| !world.body(b).expect("there").is_asleep));
    run(&mut world, 60.0, 2.0);
    let fallen = height - world.pose(bodies[3]).expect("there").translation.y;
    assert!((fallen - 1.0).abs() < 0.01, "it fell {fallen} m");
    assert_eq!(world.report().asleep, 3);
}

#[test]
fn what_is_pushed_or_loses_a_moved_floor_wakes() {
    let mut world = sleepy();
    let floor = add_floor(&mut world);
    let (a, b) = (add(&mut world, 0.0, 0.5, cuboid(0.5, 0.5)), add(&mut world, 3.0, 0.5, cuboid(0.5, 0.5)));
    run(&mut world, 60.0, 2.0);
    world.add_impulse(a, Vector2::new(100.0, 0.0), 0.0).expect("dynamic");
    assert!(!world.body(a).expect("there").is_asleep && world.body(b).expect("there").is_asleep);
    world.set_pose(floor, PlanarPose::at(0.0, -5.0)).expect("there");
    run(&mut world, 60.0, 2.0);
    for body in [a, b] {
        let y = world.pose(body).expect("there").translation.y;
        assert!((y + 3.5).abs() < 0.01, "{y} m");
    }
}

#[test]
fn a_sleeper_that_is_struck_wakes_with_its_group() {
    let mut world = sleepy();
    add_floor(&mut world);
    let pile = [0.5, 1.5].map(|y| add(&mut world, 0.0, y, cuboid(0.5, 0.5)));
    run(&mut world, 60.0, 2.0);
    let shot =
        PlanarBodySpec::dynamic().pose(PlanarPose::at(-5.0, 0.5)).velocity(Vector2::new(10.0, 0.0), 0.0);
    world.add_body(shot.collider(ball(0.3))).expect("valid");
    run(&mut world, 60.0, 0.6);
    assert!(pile.iter().all(|&b| !world.body(b).expect("there").is_asleep));
    assert!(world.pose(pile[0]).expect("there").translation.x > 0.01);
}

/// The touches that are open by the events so far; what contradicts itself fails.
#[derive(Default)]
struct Ledger {
    open: std::collections::BTreeSet<[ColliderHandle; 2]>,
    begun: u32,
    ended: u32,
    edges: u32,
}

impl Ledger {
    fn look(&mut self, world: &PlanarWorld) {
        for event in world.events() {
            let pair = event.colliders;
            match event.phase {
                TouchPhase::Begin => assert!(self.open.insert(pair), "{event:?} began twice"),
                TouchPhase::Persist => assert!(self.open.contains(&pair), "{event:?} never began"),
                TouchPhase::End => assert!(self.open.remove(&pair), "{event:?} ended without a begin"),
            }
            self.begun += u32::from(event.phase == TouchPhase::Begin);
            self.ended += u32::from(event.phase == TouchPhase::End);
        }
        let report = world.report();
        self.edges = self.edges + report.begun - report.ended;
        assert_eq!(self.edges, report.edges, "what began less what ended is what there is");
    }
}

/// For any order of life and death, every begin has exactly one end, and nothing persists outside of a touch: bodies are removed,
/// taken out in mid-pile, swept by something kinematic that starts, stops and is put elsewhere.
#[test]
fn every_touch_that_begins_ends_once() {
    let mut world = sleepy();
    add_floor(&mut world);
    let sweeper = PlanarBodySpec::kinematic().pose(PlanarPose::at(-8.0, 0.6)).collider(cuboid(0.3, 0.5));
    let sweeper = world.add_body(sweeper).expect("valid");
    let mut alive: Vec<BodyHandle> = Vec::new();
    let (mut ledger, mut quarantined) = (Ledger::default(), 0);
    for step in 0..900_u32 {
        if step % 10 == 0 && step < 600 {
            let x = f64::from(step % 70) * 0.1 - 3.0;
            alive.push(add(&mut world, x, 6.0, if step % 20 == 0 { ball(0.4) } else { cuboid(0.4, 0.4) }));
        }
        if step % 35 == 34 && alive.len() > 3 {
            world.remove_body(alive.remove(step as usize % alive.len())).expect("alive");
        }
        if step % 97 == 96 {
            let lost = alive[step as usize % alive.len()];
            // Refused for what is out already.
            let _ = world.set_velocity(lost, Vector2::new(f32::MAX, 0.0), 0.0);
        }
        match step % 180 {
            30 => world.set_velocity(sweeper, Vector2::new(4.0, 0.0), 0.0).expect("kinematic"),
            120 => world.set_velocity(sweeper, Vector2::zeros(), 0.0).expect("kinematic"),
            150 => world.set_pose(sweeper, PlanarPose::at(-8.0, 0.6)).expect("kinematic"),
            _ => {}
        }
        quarantined += world.step(1.0 / 60.0).expect("valid").quarantined.len();
        ledger.look(&world);
    }
    assert!(quarantined > 3, "{quarantined} bodies taken out");
    for body in alive.drain(..).chain([sweeper]) {
        world.remove_body(body).expect("alive");
    }
    world.step(1.0 / 60.0).expect("valid");
    ledger.look(&world);
    let Ledger { open, begun, ended, edges } = ledger;
    assert_eq!((open.len(), edges), (0, 0));
    assert!(begun > 100 && begun == ended, "{begun} begins, {ended} ends");
}

/// A touch that begins in the step in which its bodies are taken out is told whole.
#[test]
fn a_touch_of_what_is_taken_out_at_once_begins_and_ends() {
    let mut world = sleepy();
    add(&mut world, 0.0, 0.0, ball(0.5));
    add(&mut world, 0.6, 0.0, ball(0.5));
    world.set_gravity(Vector2::new(0.0, -1e30)).expect("finite");
    assert_eq!(world.step(1.0 / 60.0).expect("goes on").quarantined.len(), 2);
    let mut ledger = Ledger::default();
    ledger.look(&world);
    assert_eq!((ledger.begun, ledger.ended), (1, 1));
}

/// A contact point lies between the surfaces as they were when its distance was measured, whichever body is A and however fast it
/// came.
#[test]
fn contact_points_lie_between_the_surfaces() {
    for ball_is_first in [true, false] {
        let mut world = world(0.0, 0.0, 0.0);
        let shot =
            PlanarBodySpec::dynamic().pose(PlanarPose::at(-1.2, 0.0)).velocity(Vector2::new(60.0, 0.0), 0.0);
        let shot = shot.collider(ball(0.5));
        let wall = PlanarBodySpec::fixed().pose(PlanarPose::at(1.0, 0.0)).collider(cuboid(1.0, 5.0));
        for spec in if ball_is_first { [shot, wall] } else { [wall, shot] } {
            world.add_body(spec).expect("valid");
        }
        world.step(1.0 / 60.0).expect("valid");
        let found: Vec<PlanarContactRef> = world.contacts().collect();
        assert_eq!(found.len(), 1, "0.7 m away and 1 m a step fast");
        let (point, distance) = (found[0].point, found[0].distance);
        assert!((distance - 0.7).abs() < 1e-5 && found[0].impulse.norm() > 0.0, "{found:?}");
        assert!((point.x + 0.35).abs() < 1e-5 && point.y.abs() < 1e-5, "{point}");
    }
}

#[test]
fn filters_keep_colliders_apart_and_kinematic_bodies_carry() {
    let mut world = sleepy();
    add_floor(&mut world);
    let ghost = add(&mut world, 0.0, 2.0, cuboid(0.5, 0.5).filter(2, 4));
    let belt =
        PlanarBodySpec::kinematic().pose(PlanarPose::at(10.0, 1.0)).velocity(Vector2::new(1.0, 0.0), 0.0);
    world.add_body(belt.collider(cuboid(2.0, 0.5))).expect("valid");
    let rider = add(&mut world, 10.0, 2.0, cuboid(0.5, 0.5));
    run(&mut world, 60.0, 2.0);
    assert!(world.pose(ghost).expect("there").translation.y < -10.0);
    let (x, speed) =
        (world.pose(rider).expect("there").translation.x, world.velocity(rider).expect("there").0.x);
    assert!((speed - 1.0).abs() < 1e-3 && x > 11.5, "{x} m, {speed} m/s");
}

/// A compound of two discs and a bar lies on its discs; its mass is that of its parts.
#[test]
fn a_compound_moves_as_one_body() {
    let mut world = sleepy();
    add_floor(&mut world);
    let spec = PlanarBodySpec::dynamic()
        .pose(PlanarPose::at(0.0, 1.0))
        .collider(cuboid(1.0, 0.1))
        .collider(ball(0.3).local(Vector2::new(-1.0, 0.0), 0.0))
        .collider(ball(0.3).local(Vector2::new(1.0, 0.0), 0.0));
    let body = world.add_body(spec).expect("valid");
    run(&mut world, 60.0, 2.0);
    let facts = world.body(body).expect("there");
    let wanted = 2800.0 * (0.4 + 2.0 * std::f32::consts::PI * 0.09);
    assert!((facts.mass / wanted - 1.0).abs() < 1e-5 && facts.is_asleep);
    assert!((facts.center.y - 0.3).abs() < 1e-3, "{} m", facts.center.y);
}

/// What is added asleep stays so, in a pile as well, until something wakes it; in the air it wakes at once.
#[test]
fn a_pile_added_asleep_sleeps_until_it_is_woken() {
    let mut world = sleepy();
    let floor = add_floor(&mut world);
    let mut place = |x: f64, y: f64| {
        let spec = PlanarBodySpec::dynamic().pose(PlanarPose::at(x, y)).asleep(true);
        world.add_body(spec.collider(cuboid(0.5, 0.5))).expect("valid")
    };
    let pile = [0.5, 1.5, 2.5].map(|y| place(0.0, y));
    let alone = place(5.0, 4.0);
    run(&mut world, 60.0, 1.0);
    let is_asleep = |world: &PlanarWorld, body| world.body(body).expect("there").is_asleep;
    assert!(pile.iter().all(|&body| is_asleep(&world, body)), "nothing woke the pile");
    assert!(world.pose(alone).expect("there").translation.y < 3.0, "what nothing carries falls");
    assert_eq!(world.pose(pile[2]).expect("there").translation.y, 2.5);
    world.remove_body(pile[0]).expect("there");
    world.step(1.0 / 60.0).expect("valid");
    assert!(pile[1..].iter().all(|&body| !is_asleep(&world, body)), "the pile lost its support");
    run(&mut world, 60.0, 3.0);
    assert!(pile[1..].iter().all(|&body| is_asleep(&world, body)));
    assert!((world.pose(pile[2]).expect("there").translation.y - 1.5).abs() < 1e-3);
    world.remove_body(floor).expect("there");
    run(&mut world, 60.0, 1.0);
    assert!(world.pose(pile[1]).expect("there").translation.y < 0.0);
    let moving = PlanarBodySpec::dynamic().velocity(Vector2::new(1.0, 0.0), 0.0).asleep(true);
    assert!(world.add_body(moving.collider(ball(0.5))).is_err(), "what moves does not sleep");
}
