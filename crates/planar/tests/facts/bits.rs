//! Equal input gives equal bits at any number of threads and partitions, and with any instruction set.

use super::*;
use drystone_math::wide::Isa;
use drystone_planar::scenes::planar_scene;

fn hash(scene: &str, threads: usize, partitions: u32, isa: Isa, steps: u32) -> (u64, PlanarReport) {
    let config = PlanarConfig { partitions, ..PlanarConfig::default() };
    let exec = Exec::with_threads(threads).expect("threads");
    let mut world = planar_scene(scene).expect("known").build(config, exec).expect("valid");
    world.set_isa(isa);
    for _ in 0..steps {
        world.step(1.0 / 60.0).expect("valid");
    }
    (world.state_hash(), world.report().clone())
}

#[test]
fn threads_partitions_and_instruction_sets_do_not_change_a_bit() {
    for scene in ["circles:600", "polygons:600", "tumbler:600", "planar_pyramid:25"] {
        let (wanted, _) = hash(scene, 1, 0, Isa::best(), 120);
        for (threads, partitions) in [(2, 0), (4, 0), (1, 1), (1, 3), (2, 2), (4, 7)] {
            let (found, _) = hash(scene, threads, partitions, Isa::best(), 120);
            assert_eq!(found, wanted, "{scene}: {threads} threads, {partitions} partitions");
        }
        for isa in Isa::all() {
            assert_eq!(hash(scene, 1, 0, isa, 120).0, wanted, "{scene}: {}", isa.name());
        }
    }
}

/// Bodies change hands, the shares of the workers stay near each other, and what straddles is the master's (S4-19..21, S4-33).
#[test]
fn partitions_share_the_work_and_bodies_migrate() {
    let (_, report) = hash("circles:2000", 1, 4, Isa::best(), 60);
    let partition = &report.partition;
    let (workers, master) = partition.loads.split_at(4);
    let mean = workers.iter().sum::<u32>() / 4;
    assert!(workers.iter().all(|&w| w > mean / 2 && w < mean * 3 / 2), "{partition:?}");
    assert!(master[0] < mean / 4, "{partition:?}");
    assert!(
        partition.pairs[4] > 0 && partition.pairs[4] < partition.pairs.iter().sum::<u32>() / 4,
        "{partition:?}"
    );
    assert!(partition.cuts >= 1, "{partition:?}");
    let config = PlanarConfig { partitions: 4, ..PlanarConfig::default() };
    let mut world =
        planar_scene("circles:2000").expect("known").build(config, Exec::serial()).expect("valid");
    let mut migrations = 0;
    for _ in 0..60 {
        migrations += world.step(1.0 / 60.0).expect("valid").partition.migrations;
    }
    assert!(migrations > 20, "{migrations} migrations");
}

/// Before the first cut everything is the master's, and there is no square that is somebody's.
#[test]
fn nobody_works_on_a_part_before_the_first_cut() {
    let config = PlanarConfig { partitions: 4, ..PlanarConfig::default() };
    let mut world = planar_scene("circles:600").expect("known").build(config, Exec::serial()).expect("valid");
    let workers = |world: &PlanarWorld| {
        let of = |b: PlanarBodyRef| world.worker_of(b.handle).expect("there");
        (world.bodies().filter(|&b| of(b).is_some()).count(), world.partition_cells().count())
    };
    let mut step = || {
        let cuts = world.step(1.0 / 60.0).expect("valid").partition.cuts;
        (cuts, workers(&world))
    };
    let mut first = step();
    while first.0 == 0 {
        assert_eq!(first.1, (0, 0));
        first = step();
    }
    assert!(first.1.0 > 500 && first.1.1 >= 4, "{first:?}");
}

/// All bodies gather in one corner: work moves from the worker that has it (S4-33).
#[test]
fn work_moves_from_overloaded_partitions() {
    let config = PlanarConfig { partitions: 4, ..PlanarConfig::default() };
    let mut scene = planar_scene("circles:1000").expect("known");
    scene.gravity = Vector2::new(20.0, -20.0);
    scene.material.restitution = 0.0;
    let mut world = scene.build(config, Exec::serial()).expect("valid");
    let mut rebalanced = 0;
    for _ in 0..240 {
        rebalanced += world.step(1.0 / 60.0).expect("valid").partition.rebalanced;
    }
    let partition = &world.report().partition;
    let mean = partition.loads[..4].iter().sum::<u32>() / 4;
    assert!(rebalanced > 1000 && partition.cuts > 1, "{rebalanced} changed hands, {partition:?}");
    assert!(partition.loads[..4].iter().all(|&w| w < 2 * mean), "{partition:?}");
}
