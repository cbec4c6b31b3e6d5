//! Kinetic energy (S2-31, S2-32): sequential impulses with Newton's restitution and friction can add some;
//! with `energy_safe` they never do, scaled back or solved jointly.

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
    fn energy_safe_impulses_never_add_energy(seed in any::<u64>(), bounce in 0..3u8, energy_joint in any::<bool>()) {
        let mut rig = cluster(seed);
        for edge in rig.graph.edges_mut() {
            match bounce {
                0 => edge.manifold.material.restitution = 1.0,
                1 => edge.manifold.material.restitution = 0.0,
                _ => {}
            }
        }
        let config = ImpulseConfig { energy_safe: true, energy_joint, global_limit: Some(20.0), ..strict() };
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
    let (mut scaled, mut joint) = (0, 0);
    for seed in 0..200 {
        let limits = ImpulseConfig { global_limit: Some(20.0), ..strict() };
        assert_eq!(cluster(seed).advance(&limits).energy_scaled, 0);
        let scaling = ImpulseConfig { energy_safe: true, energy_joint: false, ..limits };
        let report = cluster(seed).advance(&scaling);
        assert_eq!(report.energy_joint, 0);
        scaled += report.energy_scaled;
        let report = cluster(seed).advance(&ImpulseConfig { energy_joint: true, ..scaling });
        assert_eq!(report.energy_scaled, 0);
        joint += report.energy_joint;
    }
    assert!(scaled > 0 && joint > 0, "{scaled}, {joint}");
}

/// Where nothing would add energy, the switch changes no bit.
#[test]
fn energy_safe_changes_nothing_where_nothing_is_gained() {
    let mut compared = 0;
    for seed in 0..200 {
        let config = ImpulseConfig { energy_safe: true, global_limit: Some(4.0), ..strict() };
        let (mut safe, mut plain) = (cluster(seed), cluster(seed));
        if safe.advance(&config).energy_joint == 0 {
            plain.advance(&ImpulseConfig { energy_safe: false, ..config });
            assert_eq!(safe.hash(), plain.hash(), "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 10, "only {compared}");
}

/// A joint solve gets further than scaled impulses: more clusters have nothing closing within the same limit, and momentum is
/// conserved all the same.
#[test]
fn what_is_solved_jointly_closes_no_more() {
    let mut solved = [0; 2];
    for seed in 0..300 {
        for energy_joint in [false, true] {
            let mut rig = Rig::new();
            Cluster { is_grounded: false, ..Cluster::SMALL }.build(&mut rig, &mut Random::new(seed));
            let before = rig.momentum();
            let config =
                ImpulseConfig { energy_safe: true, energy_joint, global_limit: Some(20.0), ..strict() };
            let report = rig.advance(&config);
            solved[usize::from(energy_joint)] += u32::from(report.is_solved());
            let moved = (rig.momentum() - before).norm();
            assert!(moved < 1e-3, "seed {seed}, joint {energy_joint}: momentum changed by {moved} kg m/s");
        }
    }
    println!("solved, scaled and joint: {solved:?}");
    assert!(solved[1] >= solved[0], "{solved:?}");
}
