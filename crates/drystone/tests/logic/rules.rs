//! Rules (S3-01 A, S3-08): who meets whom, changed while the world runs.

use crate::common::*;
use drystone::math::{Pose, Real};
use drystone::{BodySpec, ContactError, EventKind, Rule, RuleSide, TouchPhase, WorldConfig, WorldError};

const HZ: Real = 60.0;

/// Phases of touches told in some seconds.
fn phases(run: &mut Run, hz: Real, seconds: f64) -> Vec<TouchPhase> {
    let mut phases = Vec::new();
    run.steps(hz, seconds, |world| phases.extend(touches(world).map(|e| e.phase)));
    phases
}

#[test]
fn what_may_not_meet_any_more_falls_apart_and_wakes() {
    for (config, hz) in [(WorldConfig::fast(), HZ), (WorldConfig::thesis_fast(), FAST)] {
        let mut run = Scene::on_ground().with_all(tower(2, 0.0, 0.0)).start(&config, 1);
        run.until_asleep(hz, &[1, 2]);
        let [lower, upper] = [1, 2].map(|k| run.bodies[k]);
        let rule = run
            .world
            .add_rule(Rule::ignore(RuleSide::Body(upper), RuleSide::Body(lower)))
            .expect("both exist");
        // The touch of the two ends; the upper one falls to the ground, into the lower one. It bounces by 6 mm there, which may end the touch.
        let told = phases(&mut run, hz, 1.0);
        assert!(
            matches!(told.len(), 2 | 4)
                && told.chunks(2).all(|two| two == [TouchPhase::End, TouchPhase::Begin]),
            "{told:?}"
        );
        assert!((run.place(2).y - 0.05).abs() < 1e-3 && (run.place(1).y - 0.05).abs() < 1e-3);
        run.until_asleep(hz, &[1, 2]);
        // They meet again, asleep and deep in each other: both wake and part.
        run.world.remove_rule(rule).expect("it exists");
        let told = phases(&mut run, hz, 2.0);
        assert_eq!(told[0], TouchPhase::Begin);
        let apart = (run.place(2) - run.place(1)).norm();
        assert!(apart > 0.095, "they are {apart} m apart");
        assert_eq!(run.world.remove_rule(rule), Err(WorldError::Contact(ContactError::UnknownRule(rule))));
    }
}

#[test]
fn what_a_rule_forces_meets_against_its_filter() {
    let ghost = |x: f64| {
        BodySpec::dynamic().pose(Pose::at(x, 0.2, 0.0)).collider(block(0.05, 0.05, 0.05).filter(2, 0))
    };
    let mut run = Scene::on_ground().with(ghost(0.0)).with(ghost(1.0)).start(&WorldConfig::fast(), 1);
    let [ground, solid, _] = run.bodies[..] else { panic!("three bodies") };
    let rule =
        run.world.add_rule(Rule::force(RuleSide::Body(ground), RuleSide::Body(solid))).expect("both exist");
    // A body that comes later, by its group.
    run.world.add_rule(Rule::force(RuleSide::Groups(4), RuleSide::Groups(1))).expect("groups");
    let late =
        BodySpec::dynamic().pose(Pose::at(2.0, 0.2, 0.0)).collider(block(0.05, 0.05, 0.05).filter(4, 0));
    let late = run.world.add_body(late).expect("valid");
    run.steps(HZ, 1.0, |_| {});
    let height = |run: &Run, body| run.world.pose(body).expect("it exists").translation.y;
    assert!((height(&run, solid) - 0.05).abs() < 1e-3 && (height(&run, late) - 0.05).abs() < 1e-3);
    assert!(run.place(2).y < -4.0, "nothing forces the other one");
    run.until_asleep(HZ, &[1]);
    run.world.remove_rule(rule).expect("it exists");
    assert_eq!(phases(&mut run, HZ, 0.5), [TouchPhase::End]);
    assert!(height(&run, solid) < -1.0 && (height(&run, late) - 0.05).abs() < 1e-3);
    // A collider whose groups change meets by those it has now.
    let collider = run.world.colliders_of(late).expect("it exists").next().expect("one");
    run.world.set_filter(collider, 8, 0).expect("it exists");
    assert_eq!(run.world.filter(collider), Ok((8, 0)));
    run.steps(HZ, 0.5, |_| {});
    assert!(height(&run, late) < -1.0);
}

/// What filters alone kept apart lies in each other, asleep. A rule that lets it meet takes effect for it as for what a rule kept apart.
#[test]
fn what_a_rule_forces_to_meet_wakes_where_it_sleeps_in_each_other() {
    // The second meets all but its own group, the first nothing.
    let fixed = BodySpec::fixed().pose(Pose::at(0.0, 0.1, 0.0)).collider(block(0.1, 0.1, 0.1).filter(2, 0));
    let loner = |x: f64| {
        let collider = block(0.05, 0.05, 0.05).filter(4, !4);
        BodySpec::dynamic().pose(Pose::at(x, 0.05, 0.0)).collider(collider)
    };
    for (config, hz) in [(WorldConfig::fast(), HZ), (WorldConfig::thesis_fast(), FAST)] {
        let scene = Scene::on_ground().with(fixed.clone()).with(ball(0.1, 0.05, 0.1, 0.0));
        let mut run = scene.with(loner(1.0)).with(loner(1.06)).start(&config, 1);
        run.until_asleep(hz, &[2, 3, 4]);
        let [a, b] = [1, 2].map(|k| RuleSide::Body(run.bodies[k]));
        run.world.add_rule(Rule::force(a, b)).expect("both exist");
        run.world.add_rule(Rule::force(RuleSide::Groups(4), RuleSide::Groups(4))).expect("groups");
        run.step(hz);
        let begun = touches(&run.world).filter(|e| e.phase == TouchPhase::Begin).count();
        assert_eq!(begun, 2, "{:?}", config.solver);
        run.steps(hz, 2.0, |_| {});
        let out = run.place(2);
        assert!(out.x > 0.195 || out.y > 0.295, "the ball is at {out}");
        let apart = run.place(4).x - run.place(3).x;
        assert!(apart > 0.095, "they are {apart} m apart");
    }
}

#[test]
fn the_newest_rule_whose_predicate_holds_decides() {
    let cube = |k: u64| cube(0.1, 0.3 * k as f64, 0.2, 0.0).user_data(k);
    let mut run = Scene::on_ground().with_all((0..4).map(cube)).start(&WorldConfig::fast(), 1);
    let is_odd = |pair: &drystone::RulePair| pair.user_data.iter().sum::<u64>() % 2 == 1;
    let is_three = |pair: &drystone::RulePair| pair.user_data.contains(&3);
    run.world.add_rule(Rule::ignore(RuleSide::Anything, RuleSide::Anything).when(is_odd)).expect("valid");
    run.world.add_rule(Rule::force(RuleSide::Anything, RuleSide::Anything).when(is_three)).expect("valid");
    run.steps(HZ, 1.0, |_| {});
    for k in 0..4 {
        let stands = (run.place(k + 1).y - 0.05).abs() < 1e-3;
        assert_eq!(stands, k != 1, "cube {k} at {} m", run.place(k + 1).y);
    }
}

#[test]
fn triggers_do_not_see_what_a_rule_keeps_from_them() {
    let zone = BodySpec::fixed().collider(block(0.5, 0.5, 0.5).trigger());
    let mut run = Scene::default()
        .with(cube(0.1, 0.0, 0.0, 0.0).gravity_scale(0.0).asleep(true))
        .with(zone)
        .start(&WorldConfig::fast(), 1);
    let kinds = |run: &mut Run| {
        run.step(HZ);
        run.world.events().map(|event| event.kind()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&mut run), [EventKind::TriggerIn]);
    let sides = [0, 1].map(|k| RuleSide::Body(run.bodies[k]));
    let rule = run.world.add_rule(Rule::ignore(sides[0], sides[1])).expect("both exist");
    assert_eq!(kinds(&mut run), [EventKind::TriggerOut]);
    assert_eq!(kinds(&mut run), []);
    run.world.remove_rule(rule).expect("it exists");
    assert_eq!(kinds(&mut run), [EventKind::TriggerIn]);
    assert!(run.is_asleep(0), "triggers wake nobody");
    run.world.remove_body(run.bodies[0]).expect("it exists");
    assert!(run.world.add_rule(Rule::ignore(sides[0], RuleSide::Anything)).is_err(), "it is gone");
}
