//! Batches in parallel (S1-71, S1-72): equal bits at any number of threads, and what a batch does has
//! nothing to do with the others (S1-27).

use crate::common::{Cluster, Random, Rig};
use drystone_contact::{Batches, BodyIndex, EdgeIndex};
use drystone_exec::Exec;
use drystone_math::{Real, Vector3};
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver, SolverReport};

/// An island drawn from its own seed; every tenth is large, and every fourth floats.
fn add_island(rig: &mut Rig, seed: u64) -> Vec<BodyIndex> {
    let mut random = Random::new(seed);
    let body_count = if seed.is_multiple_of(10) { 20 + random.below(60) } else { 1 + random.below(8) };
    let cluster = Cluster {
        body_count,
        extra_contacts: random.below(body_count + 1),
        is_grounded: !seed.is_multiple_of(4),
        mass_exponent: 0.5,
    };
    cluster.build(rig, &mut random)
}

fn world(islands: u64) -> Rig {
    let mut rig = Rig::with_gravity();
    for seed in 0..islands {
        add_island(&mut rig, seed);
    }
    rig
}

/// Three steps; the hash and the report of all.
fn run(rig: &mut Rig, method: &mut ImpulseSolver, exec: &Exec) -> (u64, SolverReport) {
    let mut report = SolverReport::default();
    for _ in 0..3 {
        let _awake = exec.wake();
        method.begin(&mut rig.bodies, &rig.graph, &rig.step, exec);
        report.merge(&rig.advance_with(method, exec));
    }
    let poses = rig.bodies.indices().fold(0, |sum: u64, body| {
        let at = rig.bodies.center_pose(body).translation;
        sum.rotate_left(7) ^ at.x.to_bits() ^ at.y.to_bits().rotate_left(21) ^ at.z.to_bits().rotate_left(42)
    });
    (rig.hash() ^ poses, report)
}

/// S1-71, S1-72, promise 3: 200 islands, large and small, give equal bits with 1, 2, 4 and 8 threads.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // Low limits, so that shock propagation has work.
    let fast = ImpulseConfig { global_limit: Some(0.5), shock_limit: Some(1.0), ..ImpulseConfig::fast() };
    for config in [ImpulseConfig { energy_safe: true, ..fast.clone() }, fast] {
        let start = world(200);
        let expected = run(&mut start.clone(), &mut ImpulseSolver::new(config.clone()), &Exec::serial());
        assert!(expected.1.iterations > 100 && expected.1.shock_stages > 0, "{:?}", expected.1);
        for threads in [1, 2, 4, 8] {
            let exec = Exec::with_threads(threads).expect("threads");
            for _ in 0..3 {
                let mut method = ImpulseSolver::new(config.clone());
                assert_eq!(run(&mut start.clone(), &mut method, &exec), expected, "{threads} threads");
            }
        }
    }
}

/// Promise 3 with totals: three steps, each beginning with the impulses of the one before.
#[test]
fn totals_give_the_same_bits_at_any_number_of_threads() {
    let config = ImpulseConfig { accumulate: true, ..ImpulseConfig::accurate() };
    let steps = |exec: &Exec| {
        let (mut rig, mut method) = (world(200), ImpulseSolver::new(config.clone()));
        [(); 3].map(|()| run(&mut rig, &mut method, exec))
    };
    let expected = steps(&Exec::serial());
    for threads in [1, 2, 4, 8] {
        assert_eq!(steps(&Exec::with_threads(threads).expect("threads")), expected, "{threads} threads");
    }
}

/// Both kinds of batches occur above: large ones first and falling in size, small ones behind (S1-72).
#[test]
fn the_world_of_these_tests_has_large_and_small_batches() {
    let mut rig = world(200);
    rig.advance(&ImpulseConfig::fast());
    let (large, small) = rig.batches.list().split_at(rig.batches.large_count());
    assert!(large.len() >= 10 && small.len() >= 50, "{} and {}", large.len(), small.len());
    assert!(large.is_sorted_by_key(|batch| std::cmp::Reverse(batch.point_count)));
    assert!(large.iter().all(|batch| batch.point_count >= Batches::DEFAULT_SMALL_CUT));
}

/// A method that worked on another world before gives the bits of a new one: nothing is left over.
#[test]
fn a_used_method_gives_the_bits_of_a_new_one() {
    let config = ImpulseConfig::fast();
    let mut method = ImpulseSolver::new(config.clone());
    run(&mut world(60), &mut method, &Exec::serial());
    let mut small = Rig::with_gravity();
    add_island(&mut small, 3);
    let expected = run(&mut small.clone(), &mut ImpulseSolver::new(config), &Exec::serial());
    assert_eq!(run(&mut small, &mut method, &Exec::serial()), expected);
}

/// S1-27: each island does among 200 what it does alone, to the bit.
#[test]
fn a_batch_does_not_depend_on_the_others() {
    let mut together = Rig::with_gravity();
    let islands: Vec<(Vec<BodyIndex>, usize)> = (0..200)
        .map(|seed| {
            let members = add_island(&mut together, seed);
            (members, together.graph.edge_count())
        })
        .collect();
    together.advance(&ImpulseConfig::fast());
    let mut first_edge = 0;
    for (seed, (members, end_edge)) in islands.iter().enumerate() {
        let mut alone = Rig::with_gravity();
        let same = add_island(&mut alone, seed as u64);
        alone.advance(&ImpulseConfig::fast());
        let bits = |v: Vector3| <[Real; 3]>::from(v).map(Real::to_bits);
        for (&a, &b) in members.iter().zip(&same) {
            assert_eq!(bits(together.linear(a)), bits(alone.linear(b)), "island {seed}");
            assert_eq!(bits(together.angular(a)), bits(alone.angular(b)), "island {seed}");
        }
        for (k, edge) in (first_edge..*end_edge).enumerate() {
            let [a, b] = [together.impulse(EdgeIndex(edge as u32)), alone.impulse(EdgeIndex(k as u32))];
            assert_eq!(bits(a), bits(b), "island {seed}, edge {k}");
        }
        first_edge = *end_edge;
    }
}
