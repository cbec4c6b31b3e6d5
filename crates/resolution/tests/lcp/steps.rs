//! Steps of a world by complementarity: towers, slopes, and equal bits on any number of threads.

use crate::common::{G, Random, Rig, surface};
use crate::scene::{check_momenta, cluster, floating, rig, tower};
use drystone_exec::Exec;
use drystone_math::{Real, Vector3};
use drystone_resolution::lcp::{FrictionLaw, LcpConfig, LcpSolver};
use drystone_resolution::{IslandSolver, IslandSolverConfig};

fn method(config: LcpConfig) -> IslandSolver<LcpSolver> {
    config.validate().expect("valid");
    IslandSolver::new(IslandSolverConfig::default(), LcpSolver::new(config))
}

/// Islands by pivoting alone, by sweeps alone, and as they come.
fn ways() -> [LcpConfig; 3] {
    let pivoted = LcpConfig { lemke_limit: 1000, ..LcpConfig::default() };
    [pivoted, LcpConfig { lemke_limit: 0, ..LcpConfig::default() }, LcpConfig::default()]
}

#[test]
fn a_tower_carries_its_weight_by_every_way() {
    for config in ways() {
        let mut rig = rig();
        let (_, edges) = tower(&mut rig, 6, surface(0.0, 0.5));
        let mut method = method(config.clone());
        for step in 0..10 {
            let report = rig.advance_with(&mut method, &Exec::serial());
            assert!(report.is_solved() && report.limit_hits == 0, "{config:?}, step {step}: {report:?}");
            for (i, &edge) in edges.iter().enumerate() {
                let load = (6 - i) as Real * G * rig.step.dt;
                let off = (rig.impulse(edge) - Vector3::y() * load).norm();
                assert!(off < 1e-4 * load, "{config:?}, face {i}: {off} of {load}");
            }
        }
    }
}

/// Coulomb's law on a slope, in directions that are none of the pyramid's: sticks below the angle, slides as it should above.
#[test]
fn a_slope_is_stuck_to_and_slid_down_in_any_direction() {
    for config in ways() {
        for heading in [0.0_f64, 0.2, 0.39, 0.7] {
            for tangent in [0.49_f64, 0.6] {
                let mut rig = rig();
                let (cubes, _) = tower(&mut rig, 1, surface(0.0, 0.5));
                let (angle, g) = (tangent.atan(), f64::from(G));
                let along = Vector3::new(heading.cos() as Real, 0.0, heading.sin() as Real);
                rig.step.acceleration =
                    along * (g * angle.sin()) as Real - Vector3::y() * (g * angle.cos()) as Real;
                let mut method = method(config.clone());
                for step in 1..=30 {
                    rig.advance_with(&mut method, &Exec::serial());
                    let pull = (angle.sin() - 0.5 * angle.cos()).max(0.0);
                    let expected = g * pull * f64::from(rig.step.dt) * f64::from(step);
                    let off = (rig.linear(cubes[0]) - along * expected as Real).norm();
                    assert!(
                        off < 2e-6 * step as Real,
                        "{config:?}, {heading}, {tangent}, step {step}: {off} m/s"
                    );
                }
            }
        }
    }
}

#[test]
fn reported_impulses_are_the_change_of_momentum() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut rig = if seed % 3 == 0 { floating() } else { rig() };
        let count = 1 + random.below(10);
        let extra = random.below(count + 1);
        cluster(&mut rig, count, extra, &mut random);
        let law = [FrictionLaw::Cone, FrictionLaw::Pyramid][seed as usize % 2];
        let mut method = method(LcpConfig { law, ..LcpConfig::default() });
        // Velocities and impulses are rounded to `f32`.
        check_momenta(&mut rig, &mut method, 2e-6, &format!("seed {seed}"));
    }
}

/// Islands small and large, all at once.
#[test]
fn bits_are_equal_on_any_number_of_threads() {
    let run = |config: &LcpConfig, threads: usize| {
        let exec = Exec::with_threads(threads).expect("threads");
        let mut rig: Rig = rig();
        tower(&mut rig, 8, surface(0.2, 0.5));
        for seed in 0..12 {
            let mut random = Random::new(seed);
            cluster(&mut rig, 2 + random.below(8), random.below(6), &mut random);
        }
        let mut method = method(config.clone());
        let mut hashes = Vec::new();
        for _ in 0..6 {
            let _awake = exec.wake();
            rig.advance_with(&mut method, &exec);
            hashes.push(rig.hash());
        }
        hashes
    };
    for config in ways() {
        let alone = run(&config, 1);
        for threads in [2, 4] {
            assert_eq!(run(&config, threads), alone, "{threads} threads, {config:?}");
        }
    }
}
