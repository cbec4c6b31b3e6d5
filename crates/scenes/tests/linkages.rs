//! Joints give no energy, lose none that a step can resolve, and lose no body: the part for every day of what `cargo xtask joints-energy` runs in full, which says what does not hold yet.
//!
//! The reference is what was put in (`crates/scenes/src/linkages/mod.rs`), the limits are those that joints were promised to keep, and no engine's. A test
//! names every case that misses; `cargo xtask joints-energy --only NAME` runs one with its figures.

use drystone_scenes::Preset;
use drystone_scenes::linkages::{Case, matrix, measure, named, random};

/// Measures all and fails with a line for each case that misses something.
fn keep(cases: &[Case]) {
    let miss = |case: &Case| {
        let outcome = measure(case).unwrap_or_else(|error| panic!("{}: {error}", case.title()));
        let misses = case.misses(&outcome);
        (!misses.is_empty()).then(|| format!("{}: {}", case.title(), misses.join("; ")))
    };
    let misses: Vec<String> = cases.iter().filter_map(miss).collect();
    assert!(misses.is_empty(), "{} of {} cases:\n{}", misses.len(), cases.len(), misses.join("\n"));
}

/// Named cases whose names contain one of these; each of these names one at least.
fn named(parts: &[&str]) -> Vec<Case> {
    let cases = named::all();
    for part in parts {
        assert!(cases.iter().any(|case| case.name.contains(part)), "no case has {part:?} in its name");
    }
    cases.into_iter().filter(|case| parts.iter().any(|part| case.name.contains(part))).collect()
}

#[test]
fn a_rod_on_a_hinge_keeps_its_energy() {
    keep(&named(&[
        "rod on hinge, 20 mm",
        "hinge, 5 mm, 12 rad/s",
        "hinge, 5 mm, 200 rad/s",
        "hinge, 500 mm, 40",
    ]));
}

#[test]
fn a_rod_on_other_joints_keeps_its_energy() {
    keep(&named(&[
        "rod on ball, 20 mm",
        "cone-twist, 20 mm, 40",
        "generic, 20 mm, 12 rad/s",
        "generic, 20 mm, 200",
    ]));
}

#[test]
fn a_rod_keeps_its_energy_with_other_presets() {
    let rods = named(&["rod on hinge, 20 mm, 12", "rod on hinge, 20 mm, 200"]);
    let with = |preset| rods.iter().map(move |rod| rod.with(preset, 60.0));
    keep(&with(Preset::Fine).chain(with(Preset::ThesisFast)).collect::<Vec<_>>());
}

#[test]
fn a_fan_turns_at_the_speed_of_its_motor_and_about_no_other_axis() {
    keep(&named(&["fan blade"]));
}

#[test]
fn hinges_of_a_loop_force_each_other_no_more_than_balls_do() {
    let loops = named(&["four-bar on", "arc of 8 rods"]);
    let with = |(preset, hz)| loops.iter().map(move |case| case.with(preset, hz));
    keep(&loops);
    // In shorter steps, and by impulses, the same holds of the forces and of the speed of the crank; also at the rates that presets are made for, where what rounding leaves is divided by a short step.
    let own = [(Preset::Fine, 1920.0), (Preset::ThesisFast, 240.0), (Preset::Nsgs, 240.0)];
    let others = [(Preset::Fine, 60.0), (Preset::ThesisFast, 60.0)].into_iter().chain(own).flat_map(with);
    keep(&others.collect::<Vec<_>>());
}

#[test]
fn pendulums_keep_their_energy() {
    keep(&named(&["pendulum of"]));
}

#[test]
fn carts_and_poles_keep_their_energy() {
    // Every eighth start, of either pole.
    let starts: Vec<Case> = named(&["cart and pole"]).into_iter().step_by(8).collect();
    assert_eq!(starts.len(), 16);
    keep(&starts);
}

#[test]
fn springs_that_a_step_resolves_keep_their_amplitude() {
    keep(&named(&["spring of 2 s"]));
}

#[test]
fn every_kind_of_joint_keeps_its_energy_at_every_thickness_and_speed() {
    let mut cases = matrix::rows(matrix::Extent::Thin);
    cases.retain(|case| ["free", "door"].contains(&case.family));
    assert!(cases.len() > 80, "{}", cases.len());
    keep(&cases);
}

/// Chains, flights, rings, motors and what falls onto its limits, thick and thin, up to 200 rad/s: whatever a step of the impulse method cannot follow, nothing gains by it, and no body is lost. Before its gains were limited, a chain of twelve thick links at
/// 12 rad/s came to 1e10 of what was put in, at 240 steps per second, and of what was counted from after bodies had turned flights of thin rods came to 40 times.
#[test]
fn linkages_gain_no_energy_with_the_impulse_method() {
    let mut cases = matrix::rows(matrix::Extent::Thin);
    cases.retain(|case| ["chain", "flight", "ring", "motor", "limited"].contains(&case.family));
    assert!(cases.len() > 200, "{}", cases.len());
    let cases = cases.iter().map(|case| case.with(Preset::ThesisFast, 240.0));
    let gained = gains(cases);
    assert!(gained.is_empty(), "{} gain energy:\n{}", gained.len(), gained.join("\n"));
}

/// The cases whose energy is above 1.02 of what was put in; none may lose a body.
fn gains(cases: impl Iterator<Item = Case>) -> Vec<String> {
    let mut gained = Vec::new();
    for case in cases {
        let outcome = measure(&case).unwrap_or_else(|error| panic!("{}: {error}", case.title()));
        assert_eq!([outcome.quarantined, outcome.non_finite], [0; 2], "{} lost bodies", case.title());
        if outcome.largest > 1.02 {
            gained.push(format!("{}: {:.3}", case.title(), outcome.largest));
        }
    }
    gained
}

/// Trees and loops of all kinds of joints, with masses over 1:10000, rods of 1:2 to 1:200, motors, springs, limits and blows: far beyond what steps can follow. Whatever they do, no body is lost, nothing becomes
/// non-finite, and what gains energy is the exception that `cargo xtask joints-energy` lists.
#[test]
fn random_linkages_lose_no_body_and_hardly_ever_gain_energy() {
    let gained = gains((0..300).map(random));
    assert!(gained.len() <= 9, "{} of 300 gain energy:\n{}", gained.len(), gained.join("\n"));
}

/// The same by impulses, and with joints as rows of a group's problem: there steps are as long as eight sub-steps, and half of what gains does so by what stiff springs swing in half of one.
#[test]
fn random_linkages_hardly_ever_gain_energy_in_whole_steps() {
    for (preset, count, most) in [(Preset::ThesisFast, 100, 12), (Preset::Nsgs, 30, 2)] {
        let gained = gains((0..count).map(|seed| random(seed).with(preset, 240.0)));
        assert!(gained.len() <= most, "{} of {count} gain energy:\n{}", gained.len(), gained.join("\n"));
    }
}
