//! The operations.

mod joints;

use super::{Hand, MOST_BODIES, place, pose, seldom_wild_vector};
use crate::input::Input;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, RelativePose, Vector3};
use drystone::{
    AxisLocks, BodyHandle, BodySpec, CoherenceConfig, ColliderSpec, DetectMode, Key, Keyframes, QueryFilter,
    Ray, Rule, RuleSide, TimerSpec, Triggers,
};

/// Does what the next bytes say.
pub(super) fn play(hand: &mut Hand, input: &mut Input<'_>) {
    match input.below(29) {
        0..=4 => add(hand, input),
        5 => remove(hand, input),
        6..=9 => {
            for _ in 0..=input.below(4) {
                hand.step(1.0 / 60.0);
            }
        }
        10 => {
            let dt = [1.0 / 240.0, 1e-3, 1.0, input.wild()][input.below(4)];
            hand.step(dt);
        }
        11 => hand.step_twice(1.0 / 60.0),
        12 | 13 => move_body(hand, input),
        14 | 15 => push(hand, input),
        16 => wake_or_sleep(hand, input),
        17 => change_collider(hand, input),
        18 => change_world(hand, input),
        19 | 20 => ask(hand, input),
        21 => containers(hand, input),
        22 => logic(hand, input),
        23..=26 => joints::joints(hand, input),
        27 => joints::settings(hand, input),
        _ => keep_or_go_back(hand, input),
    }
}

fn add(hand: &mut Hand, input: &mut Input<'_>) {
    if hand.added == MOST_BODIES {
        return;
    }
    let kind = input.below(8);
    let mut spec = match kind {
        0 => BodySpec::fixed(),
        1 => BodySpec::kinematic(),
        _ => BodySpec::dynamic(),
    };
    spec = spec.pose(pose(input));
    if input.below(3) == 0 {
        spec = spec.linear_velocity(seldom_wild_vector(input)).angular_velocity(seldom_wild_vector(input));
    }
    if input.below(6) == 0 {
        spec = spec.linear_damping(input.seldom_wild()).angular_damping(input.seldom_wild());
        spec = spec.gravity_scale(input.seldom_wild());
    }
    if input.below(6) == 0 {
        let mut flags = || [0; 3].map(|_| input.below(3) == 0);
        spec = spec.locks(AxisLocks { translation: flags(), rotation: flags() });
    }
    if input.below(8) == 0 {
        let mass = if input.below(2) == 0 { input.scale() } else { input.wild() };
        spec = spec.mass(MassProperties::aligned(mass, seldom_wild_vector(input)));
    }
    spec = spec.asleep(input.below(6) == 0).can_sleep(input.below(6) != 0);
    for _ in 0..1 + usize::from(input.below(6) == 0) {
        let shape = if kind < 2 { input.shape() } else { input.convex() };
        let Some(shape) = shape else { return };
        let mut collider = ColliderSpec::new(shape);
        if input.below(4) == 0 {
            collider = collider.local(RelativePose::new(seldom_wild_vector(input) * 0.1, input.rotation()));
        }
        if input.below(10) == 0 {
            collider = collider.surface_velocity(seldom_wild_vector(input));
        }
        if input.below(10) == 0 {
            collider = collider.filter(u32::from(input.byte()), u32::from(input.byte()));
        }
        if input.below(12) == 0 {
            collider = collider.trigger();
        }
        spec = spec.collider(collider);
    }
    hand.added += 1;
    if let Some(body) = hand.attempt(|world| world.add_body(spec)) {
        hand.things.bodies.push(body);
        let colliders: Vec<_> = hand.world.colliders_of(body).expect("it was just added").collect();
        hand.things.colliders.extend(colliders);
    }
}

fn remove(hand: &mut Hand, input: &mut Input<'_>) {
    let Some(body) = hand.any_body(input) else { return };
    if hand.attempt(|world| world.remove_body(body)).is_some() {
        assert!(!hand.things.gone.contains(&body), "{body:?} was removed twice");
        hand.lose(body);
        assert!(hand.world.remove_body(body).is_err(), "{body:?} was removed twice");
    }
}

fn move_body(hand: &mut Hand, input: &mut Input<'_>) {
    let Some(body) = hand.any_body(input) else { return };
    if input.below(2) == 0 {
        let to = pose(input);
        hand.attempt(|world| world.set_pose(body, to));
    } else {
        let (linear, angular) = (seldom_wild_vector(input), seldom_wild_vector(input));
        hand.attempt(|world| world.set_velocity(body, linear, angular));
    }
}

fn push(hand: &mut Hand, input: &mut Input<'_>) {
    let Some(body) = hand.any_body(input) else { return };
    let scale = if input.below(4) == 0 { input.scale() } else { 1.0 };
    let (a, b) = (seldom_wild_vector(input) * scale, seldom_wild_vector(input) * scale);
    let kind = input.below(4);
    hand.attempt(|world| match kind {
        0 => world.add_force(body, a, b),
        1 => world.add_impulse(body, a, b),
        2 => world.set_damping(body, a.x, a.y),
        _ => world.set_gravity_scale(body, a.x),
    });
}

fn wake_or_sleep(hand: &mut Hand, input: &mut Input<'_>) {
    let Some(body) = hand.any_body(input) else { return };
    let kind = input.below(4);
    hand.attempt(|world| match kind {
        0 => world.wake(body),
        1 => world.put_to_sleep(body).map(drop),
        2 => world.set_active(body, false),
        _ => world.set_active(body, true),
    });
}

fn change_collider(hand: &mut Hand, input: &mut Input<'_>) {
    let colliders = &hand.things.colliders;
    let Some(&collider) = colliders.get(input.below(colliders.len())) else { return };
    let velocity = seldom_wild_vector(input);
    let groups = [input.byte(), input.byte()].map(u32::from);
    if input.below(2) == 0 {
        hand.attempt(|world| world.set_surface_velocity(collider, velocity));
    } else {
        hand.attempt(|world| world.set_filter(collider, groups[0], groups[1]));
    }
    let found = hand.world.inside(collider).map(Iterator::count);
    assert!(found.is_err() || hand.world.is_trigger(collider) == Ok(true));
}

fn change_world(hand: &mut Hand, input: &mut Input<'_>) {
    let value = seldom_wild_vector(input);
    match input.below(4) {
        0 => hand.attempt(|world| world.set_gravity(value)),
        1 => hand.attempt(|world| world.set_global_force(value)),
        2 => hand.attempt(|world| world.set_gravity(Vector3::zeros())),
        _ => {
            let mut flag = || input.below(2) == 0;
            let coherence = CoherenceConfig {
                grouping: flag(),
                cache_points: flag(),
                cache_forces: flag(),
                zero_restitution: flag(),
                sleepy_groups: flag(),
                damping: value.x,
                ..CoherenceConfig::default()
            };
            hand.attempt(|world| world.set_coherence(coherence))
        }
    };
}

/// Queries change nothing, and answer with numbers.
fn ask(hand: &mut Hand, input: &mut Input<'_>) {
    let mode = match input.below(8) {
        0 => Some(DetectMode::Full),
        1 => Some(DetectMode::ProximityOnly),
        2 => Some(DetectMode::FirstPenetration { deeper_than: input.seldom_wild() }),
        _ => None,
    };
    if let Some(mode) = mode {
        let places = |hand: &Hand| {
            hand.world.bodies().map(|b| (b.pose, b.linear_velocity, b.angular_velocity)).collect::<Vec<_>>()
        };
        let before = places(hand);
        let found = hand.world.detect(mode);
        // Who may meet what it could not before wakes.
        assert!(found.is_err() || places(hand) == before, "{mode:?} moved something");
        if let Ok(Some(found)) = found {
            assert!(found.depth > 0.0, "{found:?}");
        }
        return;
    }
    let world = &hand.world;
    let hash = world.state_hash();
    let triggers = [Triggers::Without, Triggers::With, Triggers::Only][input.below(3)];
    let filter = QueryFilter::default().triggers(triggers);
    let (at, way) = (pose(input), seldom_wild_vector(input).map(f64::from));
    let far = f64::from(if input.below(4) == 0 { input.wild() } else { 100.0 });
    if let Ok(ray) = Ray::new(place(input), way)
        && let Ok(Some(found)) = world.cast_ray(&ray, far, &filter)
    {
        assert!((0.0..=far).contains(&found.hit.distance), "{found:?}");
    }
    if let Some(shape) = input.convex() {
        if let Ok(Some(found)) = world.cast_shape(&shape, &at, &Displacement::from(way), &filter) {
            assert!((0.0..=1.0).contains(&found.hit.fraction), "{found:?}");
        }
        let overlap = world.overlap(&shape, &at, &filter);
        if let Ok(Some(found)) = world.closest(&shape, &at, far, &filter) {
            assert!(found.hit.distance.is_finite() && overlap.is_ok(), "{found:?}");
        }
    }
    if let Ok(Some(found)) = world.closest_point(&place(input), far, &filter) {
        assert!(found.hit.distance <= far, "{found:?}");
    }
    if let Ok(Some(found)) = world.contains_point(&place(input), &filter) {
        assert!(hand.things.bodies.contains(&found.body), "{found:?}");
    }
    assert!(world.graph_snapshot().nodes().len() >= hand.things.bodies.len() && world.state_hash() == hash);
}

fn some_bodies(hand: &Hand, input: &mut Input<'_>) -> Vec<BodyHandle> {
    (0..input.below(5)).filter_map(|_| hand.any_body(input)).collect()
}

fn containers(hand: &mut Hand, input: &mut Input<'_>) {
    match input.below(6) {
        0 | 1 => {
            let members = some_bodies(hand, input);
            if let Some(composite) = hand.attempt(|world| world.fasten(&members)) {
                hand.things.composites.push(composite);
            }
        }
        2 => {
            let links = some_bodies(hand, input);
            if let Some(multibody) = hand.attempt(|world| world.add_multibody(&links)) {
                hand.things.multibodies.push(multibody);
            }
        }
        3 => {
            let list = &hand.things.composites;
            let Some(&composite) = list.get(input.below(list.len())) else { return };
            hand.attempt(|world| world.unfasten(composite));
        }
        4 => {
            let list = &hand.things.multibodies;
            let Some(&multibody) = list.get(input.below(list.len())) else { return };
            hand.attempt(|world| world.remove_multibody(multibody));
        }
        _ => {
            let list = &hand.things.multibodies;
            let Some(&multibody) = list.get(input.below(list.len())) else { return };
            let is_on = input.below(2) == 0;
            hand.attempt(|world| world.set_self_collision(multibody, is_on));
        }
    }
}

fn logic(hand: &mut Hand, input: &mut Input<'_>) {
    match input.below(6) {
        0 => {
            let time = |input: &mut Input<'_>| f64::from(input.seldom_wild()) * 0.1;
            let once = TimerSpec::once(time(input));
            let period = TimerSpec::periodic(time(input).max(1e-3)).first_after(time(input));
            let spec = if input.below(2) == 0 { once } else { period };
            if let Some(timer) = hand.attempt(|world| world.add_timer(spec)) {
                hand.things.timers.push(timer);
            }
        }
        1 => {
            let list = &hand.things.timers;
            let Some(&timer) = list.get(input.below(list.len())) else { return };
            hand.attempt(|world| world.remove_timer(timer));
        }
        2 => {
            let mut side = || match input.below(3) {
                0 => RuleSide::Anything,
                1 => RuleSide::Groups(u32::from(input.byte())),
                _ => hand.any_body(input).map_or(RuleSide::Anything, RuleSide::Body),
            };
            let sides = [side(), side()];
            let is_forcing = input.below(2) == 0;
            let rule = if is_forcing { Rule::force } else { Rule::ignore }(sides[0], sides[1]);
            if let Some(rule) = hand.attempt(|world| world.add_rule(rule)) {
                hand.things.rules.push(rule);
            }
        }
        3 => {
            let list = &hand.things.rules;
            let Some(&rule) = list.get(input.below(list.len())) else { return };
            hand.attempt(|world| world.remove_rule(rule));
        }
        4 => {
            let Some(body) = hand.any_body(input) else { return };
            let keys: Vec<Key> = (0..1 + input.below(4))
                .map(|i| Key::new(i as f64 * 0.1 + f64::from(input.byte()) / 1024.0, pose(input)))
                .collect();
            let motion = if input.below(2) == 0 { Keyframes::linear(keys) } else { Keyframes::smooth(keys) };
            if let Ok(motion) = motion {
                hand.attempt(|world| world.follow_motion(body, motion));
            }
        }
        _ => {
            let Some(body) = hand.any_body(input) else { return };
            hand.attempt(|world| world.end_motion(body));
        }
    }
}

/// Keeps this moment, or goes back to the one that was kept: with all that was there then, and nothing that came since.
fn keep_or_go_back(hand: &mut Hand, input: &mut Input<'_>) {
    if input.below(2) == 0 {
        hand.kept = Some((hand.world.snapshot(), hand.things.clone()));
    } else if let Some((snapshot, things)) = &hand.kept {
        // Settings may have changed since.
        if hand.world.restore(snapshot).is_ok() {
            // What it was given just before it was kept may be no number: the next step takes it out.
            hand.things = things.clone();
        }
    }
}
