//! Loosening, beyond S1-18: what no approach can solve is pulled apart, in rounds.

use super::pile::{Pile, RADIUS, ROUNDING, SLACK, assert_near, paper};
use drystone_contact::{AxisLocks, BodyDesc};
use drystone_correction::CorrectionConfig;
use drystone_math::inertia::MassProperties;
use drystone_math::{Real, Vector3, narrow};

const X: Vector3 = Vector3::new(1.0, 0.0, 0.0);

/// Beyond S1-18: a contact that no approach can solve is pulled apart by the configured share of what is
/// above the slack, the lighter body more.
#[test]
fn what_no_approach_can_solve_is_loosened() {
    let mut pile = Pile::default();
    let (left, right) = (pile.fixed(), pile.fixed());
    let balls = [0.0, 1.0].map(|x| pile.ball(x, 0.0));
    pile.touch(left, balls[0], X, &[-SLACK]);
    let jammed = pile.touch(balls[0], balls[1], X, &[-0.02]);
    pile.touch(balls[1], right, X, &[-SLACK]);
    let (moves, report) = pile.moves(&CorrectionConfig { relax_share: 0.2, ..paper() });
    assert_eq!((report.unresolved_count, report.loosened_count), (1, 1));
    let way = 0.5 * 0.2 * f64::from(0.02 - SLACK);
    assert!((moves[balls[0].get()].x + way).abs() < 1e-6 && (moves[balls[1].get()].x - way).abs() < 1e-6);
    assert_near(pile.distance(jammed), -0.02 + 0.2 * (0.02 - SLACK));
    let (moves, report) = pile.moves(&paper());
    assert_eq!((report.loosened_count, moves[balls[0].get()].x), (0, 0.0), "0 leaves it as it is");
}

/// Beyond S1-18: what loosening presses together is loosened in the same step, until nothing is deeper than the threshold.
#[test]
fn loosening_goes_on_to_what_it_presses() {
    let jam = |relax_rounds| {
        let mut pile = Pile::default();
        let (left, right) = (pile.fixed(), pile.fixed());
        let balls = [0.0, 1.0, 2.0].map(|x| pile.ball(x, 0.0));
        let edges = [
            pile.touch(left, balls[0], X, &[-SLACK]),
            pile.touch(balls[0], balls[1], X, &[-4.0 * SLACK]),
            pile.touch(balls[1], balls[2], X, &[-1.6 * SLACK]),
            pile.touch(balls[2], right, X, &[-0.8 * SLACK]),
        ];
        let (_, report) =
            pile.moves(&CorrectionConfig { relax_share: 0.5, relax_rounds, ..CorrectionConfig::default() });
        (edges.map(|edge| pile.distance(edge)), report)
    };
    let (once, report) = jam(0);
    assert_eq!((report.loosened_count, report.spread_count), (1, 0));
    assert!(once.iter().any(|&d| d < -2.0 * SLACK), "one pull is not enough: {once:?}");
    let (spread, report) = jam(16);
    assert_eq!(report.loosened_count, 1);
    assert!(report.spread_count > 0, "{report:?}");
    // 7.4 slacks in all are shared by four contacts that may have two each.
    assert!(spread.iter().all(|&d| d >= -2.0 * SLACK - ROUNDING), "{spread:?}");
    let sum: Real = spread.iter().sum();
    assert!((sum + 7.4 * SLACK).abs() < 4.0 * ROUNDING, "between walls the sum stays");
}

/// Beyond S1-18: loosening moves nobody along locked axes, and who can move takes the part of who cannot. A block of a tonne
/// between a wall and a ball of a kilogram that is locked goes half of what is above the slack, where it went a thousandth of it and the ball was woken each time.
#[test]
fn loosening_keeps_locked_axes() {
    let config = CorrectionConfig { relax_share: 0.5, relax_rounds: 0, ..CorrectionConfig::default() };
    let of_mass = |mass: Real| {
        BodyDesc::dynamic(MassProperties { mass, ..MassProperties::sphere(RADIUS, 1000.0) }, RADIUS)
    };
    let locked =
        |translation| BodyDesc { locks: AxisLocks { translation, ..Default::default() }, ..of_mass(1.0) };
    for (translation, normal, moved) in [([true; 3], X, 7.5e-3), ([false, true, true], Vector3::y(), 7.5e-3)]
    {
        let mut pile = Pile::default();
        let (wall, block, ball) = (pile.fixed(), pile.add(of_mass(1000.0)), pile.add(locked(translation)));
        pile.touch(wall, block, normal, &[-SLACK]);
        let jammed = pile.touch(block, ball, normal, &[-0.02]);
        pile.bodies.put_to_sleep(ball);
        let (moves, report) = pile.moves(&config);
        assert_eq!((report.loosened_count, report.displaced_count, report.woken_count), (1, 1, 0));
        assert_near(narrow(&moves[block.get()]).dot(&normal), -moved);
        assert_near(pile.distance(jammed), -0.02 + moved);
        assert!(pile.bodies.is_asleep(ball));
    }
    // Both locked: nothing moves, and nothing is said to.
    let mut pile = Pile::default();
    let (a, b) = (pile.add(locked([true; 3])), pile.add(locked([true; 3])));
    pile.touch(a, b, X, &[-0.02]);
    let (_, report) = pile.moves(&config);
    assert_eq!((report.unresolved_count, report.loosened_count, report.displaced_count), (1, 0, 0));
    // Locked across the slope of the contact: along its free axis it is pushed as far as the opening wants.
    let mut pile = Pile::default();
    let slope = Vector3::new(0.8, 0.6, 0.0);
    let (wall, ball, stop) = (pile.fixed(), pile.add(locked([false, true, true])), pile.fixed());
    let edge = pile.touch(wall, ball, slope, &[-0.02]);
    pile.touch(ball, stop, X, &[-SLACK]);
    let (moves, report) = pile.moves(&config);
    assert_eq!((report.loosened_count, moves[ball.get()].y), (1, 0.0));
    assert_near(pile.distance(edge), -0.0125);
}

/// Loosening that ends before all that it pressed was looked at says so, whether for its rounds or for looks; with room for both there is nothing to say, nor where
/// no rounds were asked for.
#[test]
fn what_loosening_leaves_undone_is_reported() {
    let jam = |relax_rounds, max_looks| {
        let mut pile = Pile::default();
        let walls = [pile.fixed(), pile.fixed()];
        let row: Vec<_> = (0..20).map(|i| pile.ball(f64::from(i), 0.0)).collect();
        pile.touch(walls[0], row[0], X, &[-SLACK]);
        pile.touch(row[0], row[1], X, &[-8.0 * SLACK]);
        for pair in row[1..].windows(2) {
            pile.touch(pair[0], pair[1], X, &[-SLACK]);
        }
        pile.touch(row[19], walls[1], X, &[-SLACK]);
        let config = CorrectionConfig { relax_rounds, max_looks, ..CorrectionConfig::default() };
        pile.moves(&config).1
    };
    let free = jam(1000, 1_000_000);
    assert_eq!((free.spread_limit_count, free.hit_a_limit()), (0, false), "{free:?}");
    let short = jam(1, 1_000_000);
    assert_eq!((short.spread_limit_count, short.look_limit_count, short.hit_a_limit()), (1, 0, true));
    let none = jam(0, 1_000_000);
    assert_eq!(
        (none.loosened_count, none.hit_a_limit()),
        (1, false),
        "one pull a step is what was asked for"
    );
    let hurried = jam(1000, 4);
    assert_eq!((hurried.loosened_count, hurried.spread_limit_count), (1, 1), "{hurried:?}");
}
