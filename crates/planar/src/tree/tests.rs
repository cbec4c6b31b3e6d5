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

    /// Every search finds what overlaps, once, and nothing else; cuts among workers change nothing.
    #[test]
    fn searches_find_what_brute_force_finds(calls in proptest::collection::vec(call(), 1..600), workers in 0_u16..5) {
        let mut tree = QuadTree::default();
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
            if n % 50 == 0 {
                partition.begin_step(&mut tree);
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
    let mut tree = QuadTree::default();
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

/// Shares of the workers stay near each other after a cut, and all but large boxes have a worker.
#[test]
fn a_cut_gives_equal_shares() {
    let mut tree = QuadTree::default();
    for i in 0..4000_u32 {
        // Crowded towards one corner.
        let (x, y) = (f64::from(i % 63).powi(2) * 0.1, f64::from(i / 63).powi(2) * 0.1);
        let half = nalgebra::Vector2::repeat(0.3);
        tree.insert(i, &Box2 { min: Position2::new(x, y) - half, max: Position2::new(x, y) + half });
    }
    let mut partition = Partition::new(4);
    // All are the master's, until enough steps have passed for a cut.
    for _ in 0..=PAUSE_BEFORE_CUT {
        partition.begin_step(&mut tree);
        partition.report.loads[4] = 4000;
    }
    let mut shares = [0_u32; 5];
    (0..4000).for_each(|i| shares[usize::from(tree.owner(i))] += 1);
    assert!(
        shares[4] <= 4000 / OUTSIDE_SHARE + OUTSIDE_COUNT
            && shares[..4].iter().all(|&s| (700..=1300).contains(&s)),
        "{shares:?}"
    );
}
