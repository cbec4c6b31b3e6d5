//! Orders against obvious models: highest closing speed against a linear search (S1-57, S1-58, S1-67, S1-69,
//! S1-70), first found against a list written out (S1-87), the others (S1-96) against what each says of itself. The values are
//! few, so that ties are many.

use crate::common::{Random, Rig, column, strict, surface};
use drystone_exec::Exec;
use drystone_math::Real;
use drystone_resolution::ImpulseSolver;
use drystone_resolution::impulse::{
    ColourSweep, ContactOrder, Direction, FallingBar, FirstFound, HighestClosingSpeed, HighestImpulse,
    LevelSweep, OrderedContact,
};
use proptest::prelude::*;
use std::ops::Range;

/// The largest value above the threshold; of equal ones the first.
fn argmax(excess: &[Real], members: Range<usize>, threshold: Real) -> Option<usize> {
    let mut best: Option<usize> = None;
    for i in members {
        if excess[i] > threshold && best.is_none_or(|b| excess[i] > excess[b]) {
            best = Some(i);
        }
    }
    best
}

/// The list of S1's comparison (S1-87): taken from the front, entered at the end, left by swapping with
/// the last.
#[derive(Default)]
struct List {
    entries: Vec<usize>,
}

impl List {
    fn new(excess: &[Real], members: Range<usize>, threshold: Real) -> Self {
        Self { entries: members.filter(|&i| excess[i] > threshold).collect() }
    }

    fn changed(&mut self, i: usize, is_closing: bool) {
        match (self.entries.iter().position(|&e| e == i), is_closing) {
            (None, true) => self.entries.push(i),
            (Some(place), false) => {
                self.entries.swap_remove(place);
            }
            _ => {}
        }
    }
}

/// A few speeds, what is out of the phase, and now and then a number of its own.
fn speed(random: &mut Random) -> Real {
    const SPEEDS: [Real; 6] = [Real::NEG_INFINITY, -1.0, 0.0, 0.5, 1.0, 2.0];
    if random.below(3) == 0 { random.between(-1.0, 3.0) } else { SPEEDS[random.below(SPEEDS.len())] }
}

/// Drives an order through phases with random changes; `check` sees every answer, `tell` every change.
fn drive<O: ContactOrder>(
    mut order: O,
    seed: u64,
    size: usize,
    mut begin: impl FnMut(&[Real], Range<usize>, Real),
    mut tell: impl FnMut(usize, bool),
    mut check: impl FnMut(&[Real], Range<usize>, Real, Option<usize>),
) {
    let mut random = Random::new(seed);
    order.reserve(size + 20);
    for _ in 0..3 {
        let first = random.below(20);
        let end = first + random.below(size + 1);
        let mut excess: Vec<Real> = (0..size + 20).map(|_| speed(&mut random)).collect();
        let threshold = [0.0, 0.5, 0.9][random.below(3)];
        order.begin(&excess, first..end, threshold);
        begin(&excess, first..end, threshold);
        for _ in 0..40 {
            check(&excess, first..end, threshold, order.next(&excess));
            if first == end {
                break;
            }
            for _ in 0..random.below(12) {
                let i = first + random.below(end - first);
                excess[i] = speed(&mut random);
                order.changed(i, &excess);
                tell(i, excess[i] > threshold);
            }
        }
    }
}

fn check_highest(seed: u64, size: usize) {
    drive(
        HighestClosingSpeed::default(),
        seed,
        size,
        |_, _, _| (),
        |_, _| (),
        |excess, members, threshold, found| {
            assert_eq!(found, argmax(excess, members, threshold), "seed {seed}, {size} contacts");
        },
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn highest_closing_speed_is_the_first_largest(seed in any::<u64>(), size in 1..1000usize) {
        check_highest(seed, size);
    }

    #[test]
    fn first_found_is_an_unsorted_list(seed in any::<u64>(), size in 1..300usize) {
        let list = std::cell::RefCell::new(List::default());
        drive(
            FirstFound::default(),
            seed,
            size,
            |excess, members, threshold| *list.borrow_mut() = List::new(excess, members, threshold),
            |i, is_closing| list.borrow_mut().changed(i, is_closing),
            |_, _, _, found| assert_eq!(found, list.borrow().entries.first().copied()),
        );
    }
}

/// S1-70: the flat search gives way to blocks somewhere near powers of two; all sizes around are right.
#[test]
fn every_size_up_to_a_few_blocks_is_right() {
    for size in (1..=260).chain([511, 512, 513, 1000]) {
        check_highest(size as u64, size);
    }
}

/// An order of one's own: the contacts in turn, whatever their speed. Also shows S1-64: what the order is
/// told of is exactly what changed.
#[derive(Clone, Debug, Default)]
struct InTurn {
    members: Range<usize>,
    last: usize,
    threshold: Real,
    /// What the order knows without looking.
    seen: Vec<Real>,
}

impl ContactOrder for InTurn {
    fn begin(&mut self, excess: &[Real], members: Range<usize>, threshold: Real) {
        (self.last, self.members, self.threshold) = (members.start, members, threshold);
        self.seen = excess.to_vec();
    }

    fn next(&mut self, excess: &[Real]) -> Option<usize> {
        for i in self.members.clone() {
            assert_eq!(excess[i], self.seen[i], "contact {i} changed and nobody told");
        }
        let count = self.members.len();
        let next = (1..=count).map(|k| self.members.start + (self.last - self.members.start + k) % count);
        let found = next.into_iter().find(|&i| excess[i] > self.threshold)?;
        self.last = found;
        Some(found)
    }

    fn changed(&mut self, i: usize, excess: &[Real]) {
        self.seen[i] = excess[i];
    }

    fn reserve(&mut self, _contacts: usize) {}
}

#[test]
fn any_order_solves_and_is_told_of_every_change() {
    let mut rig = Rig::with_gravity();
    column(&mut rig, 10, surface(0.0, 0.3));
    let report =
        rig.advance_with(&mut ImpulseSolver::with_order(strict(), InTurn::default()), &Exec::serial());
    let threshold = strict().resolution_threshold * crate::common::G_DT;
    assert!(report.is_solved() && rig.residual() <= threshold * 1.001, "{report:?}");
}

/// S1-87: highest closing speed needs fewer resolutions than an arbitrary order (85 % fewer in S1's piles).
#[test]
fn highest_closing_speed_needs_fewer_resolutions_than_first_found() {
    let mut rig = Rig::with_gravity();
    column(&mut rig, 12, surface(0.0, 0.3));
    let mut other = rig.clone();
    let highest = rig.advance(&strict());
    let mut first_found = ImpulseSolver::with_order(strict(), FirstFound::default());
    let first = other.advance_with(&mut first_found, &Exec::serial());
    assert!(highest.is_solved() && first.is_solved());
    assert!(highest.iterations < first.iterations, "{} against {}", highest.iterations, first.iterations);
}

/// Drives an order that goes round: it answers something while anything closes, and what `is_right` accepts.
fn check_sweep<O: ContactOrder>(
    order: &O,
    mut is_right: impl FnMut(&[Real], Range<usize>, Real, usize) -> bool,
) {
    for seed in 0..60 {
        drive(
            order.clone(),
            seed,
            5 + seed as usize,
            |_, _, _| (),
            |_, _| (),
            |excess, members, threshold, found| {
                assert_eq!(
                    found.is_some(),
                    argmax(excess, members.clone(), threshold).is_some(),
                    "seed {seed}"
                );
                if let Some(found) = found {
                    assert!(members.contains(&found) && excess[found] > threshold, "seed {seed}");
                    assert!(is_right(excess, members, threshold, found), "seed {seed}: {found}");
                }
            },
        );
    }
}

#[test]
fn sweeps_find_what_closes_and_nothing_else() {
    for direction in [Direction::Up, Direction::Down, Direction::Both] {
        check_sweep(&LevelSweep::new(direction), |_, _, _, _| true);
    }
    check_sweep(&FallingBar::default(), |_, _, _, _| true);
    check_sweep(&ColourSweep::default(), |_, _, _, _| true);
    // Without masses it is the highest closing speed.
    check_sweep(&HighestImpulse::default(), |excess, members, threshold, found| {
        Some(found) == argmax(excess, members, threshold)
    });
}

#[test]
fn sweeps_go_their_way() {
    let excess: Vec<Real> = (0..40).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let round = |direction| -> Vec<usize> {
        let mut order = LevelSweep::new(direction);
        order.begin(&excess, 4..36, 0.0);
        (0..22).map(|_| order.next(&excess).expect("ten close")).collect()
    };
    let up: Vec<usize> = (6..36).step_by(3).collect();
    let down: Vec<usize> = up.iter().rev().copied().collect();
    assert_eq!((&round(Direction::Up)[..10], &round(Direction::Up)[10..20]), (&up[..], &up[..]));
    assert_eq!((&round(Direction::Down)[..10], &round(Direction::Down)[10..20]), (&down[..], &down[..]));
    assert_eq!((&round(Direction::Both)[..10], &round(Direction::Both)[10..20]), (&up[..], &down[..]));
}

/// The bar lets nothing pass that closes with less than half of the highest, while that is there.
#[test]
fn the_falling_bar_takes_the_upper_half_first() {
    let mut excess: Vec<Real> = (0..100).map(|i| (i * 37 % 100) as Real).collect();
    let mut order = FallingBar::default();
    order.begin(&excess, 0..100, 0.5);
    let (mut taken, mut bars) = (0, vec![99.0]);
    while let Some(found) = order.next(&excess) {
        let highest = excess.iter().copied().fold(0.0, Real::max);
        if excess[found] <= 0.5 * bars[bars.len() - 1] {
            bars.push(highest);
        }
        assert!(excess[found] > 0.5 * bars[bars.len() - 1], "{} of {bars:?}", excess[found]);
        excess[found] = 0.0;
        taken += 1;
    }
    assert_eq!((taken, bars.len()), (99, 7), "{bars:?}");
}

/// Contacts that follow each other in a colour share no body that moves.
#[test]
fn colours_share_no_body() {
    let bodies = |k: u32| [k, k + 1];
    let contacts: Vec<OrderedContact> =
        (0..30).map(|k| OrderedContact { bodies: bodies(k), effective_mass: 1.0 }).collect();
    let mut order = ColourSweep::default();
    order.learn(&contacts);
    let excess = vec![1.0; 30];
    order.begin(&excess, 0..30, 0.0);
    let taken: Vec<usize> = (0..30).map(|_| order.next(&excess).expect("all close")).collect();
    // A row of bodies has two colours, whose first is that of the ground.
    let even: Vec<usize> = (0..30).step_by(2).collect();
    let odd: Vec<usize> = (1..30).step_by(2).collect();
    assert_eq!(taken, [even, odd].concat());
}

/// Every order ends with nothing closing, and with the impulses that carry a column.
#[test]
fn every_order_solves_a_column() {
    fn check(order: impl ContactOrder + 'static) {
        let mut rig = Rig::with_gravity();
        column(&mut rig, 10, surface(0.0, 0.3));
        let report = rig.advance_with(&mut ImpulseSolver::with_order(strict(), order), &Exec::serial());
        let threshold = strict().resolution_threshold * crate::common::G_DT;
        assert!(report.is_solved() && rig.residual() <= threshold * 1.001, "{report:?}");
    }
    check(HighestImpulse::default());
    check(LevelSweep::new(Direction::Up));
    check(LevelSweep::new(Direction::Down));
    check(LevelSweep::new(Direction::Both));
    check(FallingBar::default());
    check(ColourSweep::default());
}
