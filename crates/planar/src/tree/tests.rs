//! The tree against brute force, for any history of calls.

use super::partition::PAUSE as PAUSE_BEFORE_CUT;
use super::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Call {
    Set(u32, f64, f64, f64),
    Remove(u32),
}

fn call() -> impl Strategy<Value = Call> {
    // Clumps, wide spreads, sizes over five decades.
    let place = prop_oneof![-1.0..1.0_f64, -100.0..100.0_f64, -1e5..1e5_f64, Just(1e14)];
    let size = prop_oneof![1e-3..1e-2_f64, 0.5..1.0_f64, 10.0..1000.0_f64];
    prop_oneof![
        8 => (0_u32..120, place.clone(), place, size).prop_map(|(i, x, y, s)| Call::Set(i, x, y, s)),
        1 => (0_u32..120).prop_map(Call::Remove),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every search finds what overlaps, once, and nothing else; cuts among workers and tightened outlines change nothing.
    #[test]
    fn searches_find_what_brute_force_finds(
        calls in proptest::collection::vec(call(), 1..600),
        workers in 0_u16..5,
    ) {
        let mut tree = QuadTree::new(workers);
        let mut partition = Partition::new(workers);
        let mut boxes: Vec<Option<Box2>> = vec![None; 120];
        for (n, call) in calls.iter().enumerate() {
            match *call {
                Call::Set(i, x, y, s) => {
                    let half = nalgebra::Vector2::new(s, 0.5 * s);
                    let bounds = Box2 { min: Position2::new(x, y) - half, max: Position2::new(x, y) + half };
                    if boxes[i as usize].replace(bounds).is_some() {
                        tree.set(i, &bounds);
                    } else {
                        tree.insert(i, &bounds);
                    }
                }
                Call::Remove(i) => {
                    tree.remove(i);
                    boxes[i as usize] = None;
                }
            }
            if n % 20 == 0 {
                partition.begin_step(&mut tree, |i| i % 3 == 0);
                tree.tighten();
                // All of them count, so that there are cuts.
                let present = (0..120).filter(|&i| boxes[i as usize].is_some());
                report_loads(&tree, &mut partition, present);
            }
        }
        prop_assert_eq!(tree.report().boxes as usize, boxes.iter().flatten().count());
        for bounds in boxes.iter().flatten() {
            let mut found = Vec::new();
            tree.search(bounds, |i| found.push(i));
            found.sort_unstable();
            let overlaps = |b: &Option<Box2>| b.is_some_and(|b| b.overlaps(bounds));
            let wanted: Vec<u32> = (0..120).filter(|&i| overlaps(&boxes[i as usize])).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}

/// A thousand boxes on the borders of the largest cells, where the tree of S4 would keep all of them in the root.
#[test]
fn what_straddles_borders_does_not_crowd_the_root() {
    let mut tree = QuadTree::new(0);
    for i in 0..1000_u32 {
        let along = f64::from(i) * 0.5 - 250.0;
        let center = if i % 2 == 0 { Position2::new(along, 0.0) } else { Position2::new(0.0, along) };
        let half = nalgebra::Vector2::repeat(0.25);
        tree.insert(i, &Box2 { min: center - half, max: center + half });
    }
    let report = tree.report();
    assert_eq!(report.boxes, 1000);
    assert!(report.at_root <= SPLIT_COUNT as u32, "{report:?}");
}

/// A square box.
fn square(x: f64, y: f64, half: f64) -> Box2 {
    Box2 { min: Position2::new(x - half, y - half), max: Position2::new(x + half, y + half) }
}

/// Five thousand boxes of 0.5 m within 100 m, by index.
fn crowd(i: u32) -> Box2 {
    square(f64::from(i % 71) - 35.0, f64::from(i / 71) - 35.0, 0.25)
}

/// Most boxes in one node: what a search for one of them looks at, several times over.
fn most_in_a_node(tree: &QuadTree) -> usize {
    tree.nodes.iter().map(|node| node.items.len()).max().unwrap_or(0)
}

/// One box as far as a light-minute away leaves the cells as small as they were, whenever it comes.
#[test]
fn one_box_far_away_does_not_crowd_the_others() {
    for comes in [0, 10, 2500, 4999] {
        let mut tree = QuadTree::new(0);
        for i in 0..5000 {
            if i == comes {
                tree.insert(5000, &square(1e11, 0.0, 0.25));
            }
            tree.insert(i, &crowd(i));
        }
        assert!(most_in_a_node(&tree) <= 2 * OUTSIDE_COUNT as usize, "{} in one node", most_in_a_node(&tree));
        assert!(tree.report().rebuilds < 20, "{:?}", tree.report());
    }
}

/// A tree that was built around many far away is built anew for those that are left, also when none of these leaves its cell.
#[test]
fn what_is_left_of_a_wide_world_does_not_stay_crowded() {
    let mut tree = QuadTree::new(0);
    for i in 0..5000 {
        tree.insert(i, &crowd(i));
    }
    for i in 0..1000 {
        let w = f64::from(i);
        tree.insert(5000 + i, &square(1e11 * w.cos(), 1e11 * w.sin(), 0.25));
    }
    for i in 0..1000 {
        tree.remove(5000 + i);
    }
    // A step's worth of boxes that change a little.
    for i in 0..5000 {
        let mut moved = crowd(i);
        moved.max.x += 1e-3;
        tree.set(i, &moved);
    }
    assert!(most_in_a_node(&tree) <= 2 * OUTSIDE_COUNT as usize, "{} in one node", most_in_a_node(&tree));
}

/// Boxes at work of each worker, the master's last, as a world reports them.
fn report_loads(tree: &QuadTree, partition: &mut Partition, active: impl Iterator<Item = u32>) {
    active.for_each(|i| partition.report.loads[usize::from(tree.owner(i))] += 1);
}

/// Shares of the workers stay near each other after a cut, and all but large boxes have a worker: also when only a few of all
/// boxes are at work, in one place. Then nothing is cut anew.
#[test]
fn a_cut_gives_equal_shares() {
    for active in [0..4000, 0..200] {
        let mut tree = QuadTree::new(4);
        for i in 0..4000_u32 {
            // Crowded towards one corner.
            let (x, y) = (f64::from(i % 63).powi(2) * 0.1, f64::from(i / 63).powi(2) * 0.1);
            tree.insert(i, &square(x, y, 0.3));
        }
        let mut partition = Partition::new(4);
        // All are the master's, until enough steps have passed for a cut.
        for _ in 0..4 * PAUSE_BEFORE_CUT {
            partition.begin_step(&mut tree, |i| active.contains(&i));
            report_loads(&tree, &mut partition, active.clone());
        }
        let loads = &partition.report.loads;
        let mean = active.len() as u32 / 4;
        assert!(
            loads[4] <= mean / 8 + OUTSIDE_COUNT
                && loads[..4].iter().all(|&s| s > 7 * mean / 10 && s < 13 * mean / 10),
            "{loads:?}"
        );
        assert_eq!(partition.report.cuts, 1);
    }
}
