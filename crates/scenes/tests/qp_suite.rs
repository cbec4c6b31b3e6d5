//! The suite of S2 in its own scenes. Trusted: what S2 says of them (section 6, figures 3 to 5), energy, and another run of
//! the same engine for the bits.
#![cfg(feature = "convex")]

use drystone::{BodyKind, World};
use drystone_scenes::{Outcome, Preset, RunOptions, run_scene, scene};

/// A run with settings that differ from the preset.
fn run(name: &str, seconds: f64, overrides: &[(&str, &str)], look: impl FnMut(&World, f64)) -> Outcome {
    let scene = scene(name).expect("listed");
    let overrides = overrides.iter().map(|&(field, value)| (field.to_owned(), value.to_owned())).collect();
    let options =
        RunOptions { preset: Preset::QpSuite, seconds: Some(seconds), overrides, ..RunOptions::default() };
    let mut look = look;
    run_scene(&scene, &options, |world, report| look(world, report.energy_after - report.energy_before))
        .expect("it runs")
}

/// Velocities of the balls along the row.
fn speeds(world: &World) -> Vec<f32> {
    world.bodies().filter(|body| body.kind == BodyKind::Dynamic).map(|body| body.linear_velocity.x).collect()
}

/// S2 figure 3: with `s − 1` single bounces the last of the balls leaves alone; without any, the program sets all in motion,
/// with the same momentum.
#[test]
fn single_bounces_run_through_the_office_toy_and_one_program_does_not() {
    let mut alone = Vec::new();
    run("cradle", 0.4, &[("qp_suite.bounce_budget", "4")], |world, _| alone = speeds(world));
    // Programs leave 1e-4 of the fastest approach.
    assert!((alone[4] - 1.0).abs() < 1e-4, "{alone:?}");
    assert!(alone[..4].iter().all(|speed| speed.abs() < 1e-4), "{alone:?}");
    let mut together = Vec::new();
    run("cradle", 0.4, &[("qp_suite.bounce_budget", "0")], |world, _| together = speeds(world));
    assert!(together.iter().filter(|speed| speed.abs() > 0.01).count() > 2, "{together:?}");
    assert!((together.iter().sum::<f32>() - 1.0).abs() < 1e-3, "momentum stays: {together:?}");
}

/// Impulses add no energy in any scene, with single bounces or programs alone, with the cone or the pyramid, with both
/// variants of friction (S2-06, S2-07, S2-31).
#[test]
fn impulses_add_no_energy() {
    for name in ["cradle", "falling_stack:4", "cs_stack:4", "cubejam:24", "frozen_pair", "two_balls_wall"] {
        for overrides in [
            &[("qp_suite.bounce_budget", "0")][..],
            &[("qp_suite.joint_friction", "true")],
            &[("qp_suite.exact_cone", "false")],
        ] {
            let mut most = 0.0_f64;
            let mut size = 0.0_f64;
            let outcome = run(name, 0.8, overrides, |world, gained| {
                most = most.max(gained);
                size = size.max(world.report().energy_before);
            });
            // The tolerance of the programs, 1e-4 of velocities, is 1e-4 of energies.
            assert!(most <= 1e-4 * size, "{name} {overrides:?}: gained {most} J of {size}");
            assert_eq!(outcome.quality.lost, 0, "{name}");
        }
    }
}

/// S2's stack of ten cubes stands, frozen or not.
#[test]
fn falling_cubes_stack_up_and_freeze() {
    for freeze in ["true", "false"] {
        let mut heights = Vec::new();
        let mut asleep = 0;
        run("falling_stack", 5.0, &[("qp_suite.freeze", freeze)], |world, _| {
            heights = world
                .bodies()
                .filter(|b| b.kind == BodyKind::Dynamic)
                .map(|b| b.pose.translation.y)
                .collect();
            asleep = world.bodies().filter(|b| b.is_asleep).count();
        });
        for (i, height) in heights.iter().enumerate() {
            assert!((height - (0.05 + 0.1 * i as f64)).abs() < 2e-3, "freeze {freeze}: {heights:?}");
        }
        assert_eq!(asleep, if freeze == "true" { 10 } else { 0 });
    }
}

/// S2 figure 4: a small `c_f` freezes the ball on its ball, a large one lets it roll off.
#[test]
fn a_ball_rolls_off_when_freezing_waits_long_enough() {
    let place = |count: &str| {
        let mut place = 0.0;
        run("ball_on_ball", 3.0, &[("qp_suite.freeze_count", count)], |world, _| {
            place =
                world.bodies().find(|b| b.kind == BodyKind::Dynamic).map_or(0.0, |b| b.pose.translation.y);
        });
        place
    };
    assert!((place("3") - 0.15).abs() < 1e-3, "frozen on top");
    assert!((place("60") - 0.05).abs() < 2e-3, "on the ground");
}

/// S2 figure 5: with single bounces a blow frees both frozen cubes in its step, one program alone frees the nearer one first.
/// Programs that follow the blow free both.
#[test]
fn single_bounces_free_what_a_blow_runs_on_to() {
    let freed_per_step = |budget: &str, rounds: &str| {
        let (mut before, mut freed) = (0, Vec::new());
        let overrides = [("qp_suite.bounce_budget", budget), ("qp_suite.impact_rounds", rounds)];
        run("frozen_pair", 1.5, &overrides, |world, _| {
            let asleep = world.bodies().filter(|b| b.is_asleep).count();
            if asleep < before {
                freed.push(before - asleep);
            }
            before = asleep;
        });
        freed
    };
    assert_eq!(freed_per_step("10", "1").first(), Some(&2));
    assert_eq!(freed_per_step("0", "1").first(), Some(&1));
    assert_eq!(freed_per_step("0", "64").first(), Some(&2));
}

/// Cold volumes are where bodies freeze, and nowhere else (S2-22).
#[test]
fn nothing_freezes_above_the_cold_volume() {
    let mut asleep = 0;
    run("falling_stack:4", 3.0, &[("qp_suite.freeze_below", "0.2")], |world, _| {
        asleep = world.bodies().filter(|b| b.is_asleep).count();
    });
    assert_eq!(asleep, 2, "the two below 20 cm");
}

/// S1 figure 37: a blow goes through a plank and all that is frozen on its other end.
#[test]
fn what_is_frozen_on_a_lever_is_tossed() {
    let (mut frozen, mut highest) = (0, 0.0_f64);
    run("catapult7", 1.2, &[], |world, _| {
        let boxes = || world.bodies().filter(|body| body.kind == BodyKind::Dynamic);
        if world.time() < 0.85 {
            frozen = boxes().filter(|body| body.is_asleep).count();
        }
        // The top box lies at 93 cm before.
        highest = boxes().skip(1).take(7).map(|body| body.pose.translation.y).fold(highest, f64::max);
    });
    assert_eq!(frozen, 8, "plank and boxes");
    assert!(highest > 1.1, "{highest} m");
}
