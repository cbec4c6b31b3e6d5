//! Every scene of the library is the same motion each time and at any number of threads (S1-71, S1-72).
//! Trusted reference: another run of the same engine. Hashes are compared, not written down: what a scene is
//! to do is in the tests of its measures.

use drystone_scenes::{Preset, RunOptions, list, run_scene, scene};

/// State hash after every step of the first quarter second.
fn hashes(name: &str, preset: Preset, threads: usize) -> Vec<u64> {
    let scene = scene(name).expect("listed");
    let seconds = Some(scene.seconds.min(0.25));
    let options = RunOptions { preset, threads, seconds, ..RunOptions::default() };
    let mut hashes = Vec::new();
    run_scene(&scene, &options, |world, _| hashes.push(world.state_hash())).expect("it runs");
    hashes
}

#[test]
fn every_scene_moves_the_same_each_time_and_at_any_number_of_threads() {
    compare(Preset::ThesisFast);
}

#[test]
fn with_sub_steps_too() {
    compare(Preset::Fast);
}

/// Pairs come sorted from all broad phases, so the motion is the same to the bit.
#[test]
fn with_any_broad_phase() {
    for name in ["bullet5", "rain:150", "barrels:150", "hull_pile:60", "drum:100", "catapult7"] {
        let built = scene(name).expect("listed");
        let steps = |broad_phase: &str| {
            let overrides = vec![("detection.broad_phase".to_owned(), broad_phase.to_owned())];
            let options = RunOptions { seconds: Some(0.5), overrides, ..RunOptions::default() };
            let mut hashes = Vec::new();
            run_scene(&built, &options, |world, _| hashes.push(world.state_hash())).expect("it runs");
            hashes
        };
        let reference = steps("brute_force");
        for broad_phase in ["tree", "hash_grid", "uniform_grid"] {
            assert_eq!(steps(broad_phase), reference, "{name}, {broad_phase}");
        }
    }
}

/// Joint solves in double precision take longer: small scenes, and less time.
#[test]
fn by_complementarity_too() {
    for info in list() {
        let name = info.small();
        let built = scene(name).expect("listed");
        if built.bodies.len() > LARGE || refused(name, Preset::Lcp) {
            continue;
        }
        let steps = |threads| {
            let seconds = Some(built.seconds.min(0.05));
            let options = RunOptions { preset: Preset::Lcp, threads, seconds, ..RunOptions::default() };
            let mut hashes = Vec::new();
            let outcome =
                run_scene(&built, &options, |world, _| hashes.push(world.state_hash())).expect("it runs");
            assert_eq!(outcome.quality.lost, 0, "{name}");
            hashes
        };
        let reference = steps(1);
        for threads in [2, 4] {
            assert_eq!(steps(threads), reference, "{name}, {threads} threads");
        }
    }
}

/// Bodies from which a scene is left to the other methods here.
const LARGE: usize = 250;

#[cfg(feature = "convex")]
#[test]
fn with_convex_programs_too() {
    compare(Preset::QpSuite);
}

/// True where a method does not solve the joints of a scene: it says so.
fn refused(name: &str, preset: Preset) -> bool {
    let scene = scene(name).expect("listed");
    if preset.name() != "qp_suite" || scene.joints.is_empty() {
        return false;
    }
    let options = RunOptions { preset, ..RunOptions::default() };
    let error =
        run_scene(&scene, &options, |_, _| {}).map(drop).expect_err("joints that are not solved").to_string();
    assert!(error.contains("joints[0]") && error.contains("joint"), "{name}: {error}");
    true
}

fn compare(preset: Preset) {
    for info in list() {
        let name = info.small();
        if refused(name, preset) {
            continue;
        }
        let reference = hashes(name, preset, 1);
        assert!(reference.len() >= 8, "{name}: {} steps", reference.len());
        for threads in [1, 2, 4] {
            let step = hashes(name, preset, threads).iter().zip(&reference).position(|(a, b)| a != b);
            assert_eq!(step, None, "{name}, {preset:?}, {threads} threads: differs from this step on");
        }
    }
}
