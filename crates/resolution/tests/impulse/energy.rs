//! Kinetic energy (S2-31, S2-32): sequential impulses with Newton's restitution and friction can add some;
//! with `energy_safe` they never do.

use crate::common::{Cluster, EPS, Random, Rig, strict};
use drystone_resolution::ImpulseConfig;
use proptest::prelude::*;

/// A cluster whose contacts close, bounce and rub, with nothing that is asked to separate.
fn cluster(seed: u64) -> Rig {
    let mut rig = Rig::new();
    Cluster::SMALL.build(&mut rig, &mut Random::new(seed));
    rig
}

/// Energy gained, relative to what there was, and what rounding may have added: two rounded velocities per
/// iteration, each of at most the size that all the energy gives.
fn gain(rig: &mut Rig, config: &ImpulseConfig) -> (f64, f64) {
    let before = rig.energy();
    let report = rig.advance(config);
    let rounding = f64::from(EPS) * (report.iterations + u64::from(report.points) + 8) as f64;
    ((rig.energy() - before) / before, 8.0 * rounding)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn energy_safe_impulses_never_add_energy(seed in any::<u64>(), bounce in 0..3u8) {
        let mut rig = cluster(seed);
        for edge in rig.graph.edges_mut() {
            match bounce {
                0 => edge.manifold.material.restitution = 1.0,
                1 => edge.manifold.material.restitution = 0.0,
                _ => {}
            }
        }
        let config = ImpulseConfig { energy_safe: true, global_limit: Some(20.0), ..strict() };
        let (gained, rounding) = gain(&mut rig, &config);
        prop_assert!(gained <= rounding, "gained {gained}, {rounding} from rounding");
    }
}

/// S2-31: without it some of the same clusters do gain energy; the switch is not for nothing.
#[test]
fn the_default_may_add_energy() {
    let config = ImpulseConfig { global_limit: Some(20.0), ..strict() };
    let gains = (0..400).filter(|&seed| gain(&mut cluster(seed), &config).0 > 1e-3).count();
    assert!(gains > 0, "none of 400 clusters gained energy");
}

/// The report counts what was scaled back, and only when asked for.
#[test]
fn scaled_impulses_are_counted() {
    let mut scaled = 0;
    for seed in 0..200 {
        let limits = ImpulseConfig { global_limit: Some(20.0), ..strict() };
        assert_eq!(cluster(seed).advance(&limits).energy_scaled, 0);
        scaled += cluster(seed).advance(&ImpulseConfig { energy_safe: true, ..limits }).energy_scaled;
    }
    assert!(scaled > 0);
}

/// Where nothing would add energy, the switch changes no bit.
#[test]
fn energy_safe_changes_nothing_where_nothing_is_gained() {
    let mut compared = 0;
    for seed in 0..200 {
        let config = ImpulseConfig { energy_safe: true, global_limit: Some(4.0), ..strict() };
        let (mut safe, mut plain) = (cluster(seed), cluster(seed));
        if safe.advance(&config).energy_scaled == 0 {
            plain.advance(&ImpulseConfig { energy_safe: false, ..config });
            assert_eq!(safe.hash(), plain.hash(), "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 10, "only {compared}");
}
