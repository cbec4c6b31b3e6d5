//! Single rows of S1 section 2; distances in mm for threshold 10, slack 5.

use super::pile::{Pile, SLACK, THRESHOLD, assert_near, paper};
use drystone_contact::{AxisLocks, BodyDesc, BodyKind, WakeCause};
use drystone_correction::CorrectionConfig;
use drystone_math::{Pose, Real, Vector3};

const X: Vector3 = Vector3::new(1.0, 0.0, 0.0);

#[test]
fn contact_above_the_threshold_is_left_alone() {
    let mut pile = Pile::default();
    let (wall, ball) = (pile.fixed(), pile.ball(0.0, 0.0));
    let edge = pile.touch(wall, ball, X, &[-0.99 * THRESHOLD]);
    let (moves, report) = pile.moves_x();
    assert_eq!((moves[ball.get()], report.penetrating_count), (0.0, 0));
    assert_eq!((report.worst_before, report.worst_after), (0.99 * THRESHOLD, 0.99 * THRESHOLD));
    assert_eq!(report.worst_after_edge, Some(edge));
}

#[test]
fn one_body_is_displaced_and_not_turned() {
    let mut pile = Pile::default();
    let (a, b) = (pile.ball(0.0, 0.0), pile.ball(1.0, 0.0));
    pile.touch(a, b, X, &[-0.02]);
    let velocity = (Vector3::new(1.0, 2.0, 3.0), Vector3::new(4.0, 5.0, 6.0));
    for body in [a, b] {
        let hot = &mut pile.bodies.view_mut().hot[body.get()];
        (hot.linear, hot.angular) = velocity;
        pile.came_by(body, Vector3::new(0.1, 0.2, 0.3));
    }
    let (before, turns) = (pile.bodies.view().hot.to_vec(), pile.bodies.clone());
    let (moves, report) = pile.moves(&paper());
    assert_eq!(report.displaced_count, 1);
    assert_eq!([a, b].iter().filter(|i| moves[i.get()].norm() > 0.0).count(), 1);
    assert_eq!(before, pile.bodies.view().hot, "no velocity is written");
    for body in [a, b] {
        assert_eq!(turns.center_pose(body).rotation, pile.bodies.center_pose(body).rotation);
        assert_eq!(pile.bodies.view_mut().last_move[body.get()], Vector3::new(0.1, 0.2, 0.3));
    }
}

/// A by `distance n`, B by `-distance n`, each with the slack left (our signs).
#[test]
fn free_body_leaves_along_the_normal() {
    let normal = Vector3::new(0.6, 0.0, 0.8);
    for free_is_a in [true, false] {
        let mut pile = Pile::default();
        let (free, wall) = (pile.ball(0.0, 0.0), pile.fixed());
        let (a, b) = if free_is_a { (free, wall) } else { (wall, free) };
        pile.touch(a, b, normal, &[-0.025]);
        let (moves, _) = pile.moves(&paper());
        let expected = normal * if free_is_a { -0.02 } else { 0.02 };
        assert!((drystone_math::narrow(&moves[free.get()]) - expected).norm() < 1e-7);
    }
}

/// The last translation must have closed the whole depth to be removed (20 mm here).
#[test]
fn body_goes_back_only_when_it_came_far_enough() {
    for (came, goes_back) in [(0.0201, true), (0.0199, false), (-0.1, false)] {
        let mut pile = Pile::default();
        let (ball, wall) = (pile.ball(0.0, 0.0), pile.fixed());
        let edge = pile.touch(ball, wall, X, &[-0.025]);
        pile.came_by(ball, Vector3::new(came, 3.0 * came, 0.0));
        let (moves, _) = pile.moves(&paper());
        let moved = moves[ball.get()];
        assert_near(moved.x as Real, -0.02);
        assert_near(moved.y as Real, if goes_back { -0.06 } else { 0.0 });
        assert_near(pile.distance(edge), -SLACK);
    }
}

#[test]
fn fixed_kinematic_and_quarantined_bodies_stay() {
    for kind in 0..3 {
        let mut pile = Pile::default();
        let ball = pile.ball(0.0, 0.0);
        let wall = match kind {
            0 => pile.fixed(),
            1 => pile.add(BodyDesc { kind: BodyKind::Kinematic, ..Pile::ball_desc() }),
            _ => pile.ball(1.0, 0.0),
        };
        if kind == 2 {
            pile.bodies.quarantine(wall, Pose::at(1.0, 0.0, 0.0));
        }
        let edge = pile.touch(ball, wall, X, &[-0.02]);
        // It came fast, and would be the first choice if it could move.
        pile.came_by(wall, -X);
        pile.bodies.view_mut().hot[wall.get()].linear = X * -5.0;
        let (moves, report) = pile.moves_x();
        assert_eq!((moves[wall.get()], report.corrected_count), (0.0, 1));
        assert_near(moves[ball.get()], -0.015);
        assert_near(pile.distance(edge), -SLACK);
    }
}

#[test]
fn neighbour_beyond_the_gap_stays() {
    let mut pile = Pile::default();
    let (wall, ball) = (pile.fixed(), pile.ball(0.0, 0.0));
    let (beyond, behind) = (pile.ball(1.0, 0.0), pile.ball(-1.0, 0.0));
    pile.touch(wall, ball, X, &[-0.025]);
    pile.touch(ball, beyond, X, &[0.0151]);
    pile.touch(ball, behind, -X, &[-0.009]);
    let (moves, report) = pile.moves_x();
    assert_near(moves[ball.get()], 0.02);
    assert_eq!((moves[beyond.get()], moves[behind.get()], report.displaced_count), (0.0, 0.0, 1));
}

/// The last body is reached by a way with a gap and by one without: it goes as far as the longer says,
/// once, whichever contact is looked at first.
#[test]
fn the_longer_displacement_counts() {
    for gaps in [[0.004, -SLACK], [-SLACK, 0.004]] {
        let mut pile = Pile::default();
        let (wall, first) = (pile.fixed(), pile.ball(0.0, 0.0));
        let (upper, lower) = (pile.ball(1.0, 0.5), pile.ball(1.0, -0.5));
        let (last, after) = (pile.ball(2.0, 0.0), pile.ball(3.0, 0.0));
        pile.touch(wall, first, X, &[-0.025]);
        for (middle, gap) in [upper, lower].into_iter().zip(gaps) {
            pile.touch(first, middle, X, &[gap]);
            pile.touch(middle, last, X, &[-SLACK]);
        }
        pile.touch(last, after, X, &[-SLACK]);
        let (moves, report) = pile.moves_x();
        assert_near(moves[last.get()], 0.02);
        assert_near(moves[after.get()], 0.02);
        assert_eq!(report.displaced_count, 5);
        let middles = [moves[upper.get()], moves[lower.get()]];
        assert!((middles[0] - middles[1]).abs() > 0.0089, "{middles:?}");
    }
}

/// Contacts inside the displaced lot keep their distance, all points of the others follow, and the points
/// seen from both bodies agree.
#[test]
fn every_contact_of_a_displaced_body_is_updated_once() {
    let mut pile = Pile::default();
    let (wall, a, b, c) = (pile.fixed(), pile.ball(0.0, 0.0), pile.ball(1.0, 0.0), pile.ball(2.0, 0.0));
    let first = pile.touch(wall, a, X, &[-0.025, -0.015, -0.01, 0.0]);
    let inner = pile.touch(a, b, X, &[-SLACK, 0.001]);
    let last = pile.touch(b, c, X, &[0.03]);
    let side = pile.touch(c, b, Vector3::y(), &[0.002]);
    let (moves, _) = pile.moves_x();
    let expected = [
        (first, vec![-SLACK, 0.005, 0.01, 0.02]),
        (inner, vec![-SLACK, 0.001]),
        (last, vec![0.01]),
        (side, vec![0.002]),
    ];
    for (edge, distances) in expected {
        for (actual, expected) in pile.distances(edge).into_iter().zip(distances) {
            assert_near(actual, expected);
        }
        let m = pile.graph.edge(edge).manifold;
        let [a, b] = [m.body_a, m.body_b].map(|body| moves[body.get()]);
        for point in m.points() {
            let half = 0.5 * (a + b);
            let (by_a, by_b) = (a + point.arm_a.x, b + point.arm_b.x);
            assert_near(by_a, m.normal.x * 0.5 + half);
            assert_near(by_b, -m.normal.x * 0.5 + half);
        }
    }
}

#[test]
fn slack_is_left_standing() {
    for remaining_fraction in [0.1, 0.5, 0.9] {
        let mut pile = Pile::default();
        let (wall, ball) = (pile.fixed(), pile.ball(0.0, 0.0));
        let edge = pile.touch(wall, ball, X, &[-0.04]);
        let config = CorrectionConfig { remaining_fraction, ..paper() };
        let (_, report) = pile.moves(&config);
        assert_near(pile.distance(edge), -remaining_fraction * THRESHOLD);
        assert_near(report.worst_after, remaining_fraction * THRESHOLD);
    }
}

#[test]
fn displaced_sleepers_wake() {
    let mut pile = Pile::default();
    let bodies = [0.0, 1.0, 2.0, 3.0].map(|x| pile.ball(x, 0.0));
    let wall = pile.fixed();
    pile.touch(wall, bodies[0], X, &[-0.02]);
    pile.touch(bodies[0], bodies[1], X, &[-SLACK]);
    pile.touch(bodies[1], bodies[2], X, &[0.02]);
    pile.touch(bodies[2], bodies[3], X, &[0.02]);
    for body in &bodies[..3] {
        pile.bodies.put_to_sleep(*body);
    }
    let (_, report) = pile.moves_x();
    let asleep = bodies.map(|b| pile.bodies.is_asleep(b));
    assert_eq!((asleep, report.woken_count), ([false, false, true, false], 2));
    assert_eq!(pile.bodies.take_wakes().get(WakeCause::Corrected), 2);
}

/// A body that may only move in a plane is moved in that plane, and stands like a wall out of it.
#[test]
fn locked_axes_are_kept() {
    let mut desc = Pile::ball_desc();
    desc.locks = AxisLocks { translation: [false, true, true], ..Default::default() };
    let normal = Vector3::new(0.8, 0.6, 0.0);
    let mut pile = Pile::default();
    let (wall, ball) = (pile.fixed(), pile.add(desc.clone()));
    let edge = pile.touch(wall, ball, normal, &[-0.02]);
    let (moves, _) = pile.moves(&paper());
    assert!(moves[ball.get()].x > 0.0 && moves[ball.get()].y == 0.0);
    assert_near(pile.distance(edge), -SLACK);

    let mut pile = Pile::default();
    let (wall, free, ball) = (pile.fixed(), pile.ball(0.0, 0.0), pile.add(desc));
    pile.touch(wall, free, normal, &[-0.02]);
    pile.touch(free, ball, normal, &[-SLACK]);
    let (_, report) = pile.moves_x();
    assert_eq!((report.unresolved_count, report.displaced_count), (1, 0));
}

#[test]
fn limits_are_reported() {
    let chain = |count: u32, config: &CorrectionConfig| {
        let mut pile = Pile::default();
        let wall = pile.fixed();
        let row: Vec<_> = (0..count).map(|i| pile.ball(f64::from(i), 0.0)).collect();
        pile.touch(wall, row[0], X, &[-0.03]);
        for pair in row.windows(2) {
            pile.touch(pair[0], pair[1], X, &[-SLACK]);
        }
        pile.moves(config).1
    };
    let four = chain(5, &CorrectionConfig { max_displaced: 4, ..paper() });
    assert_eq!((four.displaced_limit_count, four.unresolved_count, four.displaced_count), (1, 1, 0));
    assert!(four.hit_a_limit());
    let five = chain(5, &CorrectionConfig { max_displaced: 5, ..paper() });
    assert_eq!((five.hit_a_limit(), five.displaced_count), (false, 5));

    // What the lowest box of a hundred rows carries: given up with the fast settings.
    let [fast, accurate] = [CorrectionConfig::fast(), CorrectionConfig::accurate()].map(|c| {
        chain(2500, &CorrectionConfig { max_displaced: c.max_displaced, max_looks: c.max_looks, ..paper() })
    });
    assert_eq!((fast.hit_a_limit(), fast.displaced_count), (true, 0));
    assert_eq!((accurate.hit_a_limit(), accurate.displaced_count), (false, 2500));

    let mut pile = Pile::default();
    let (wall, a, b) = (pile.fixed(), pile.ball(0.0, 0.0), pile.ball(1.0, 0.0));
    let edges = [pile.touch(wall, a, X, &[-0.02]), pile.touch(wall, b, X, &[-0.03])];
    pile.touch(a, b, Vector3::y(), &[0.0]);
    let (_, report) = pile.moves(&CorrectionConfig { max_corrections: 1, ..paper() });
    assert_eq!((report.correction_limit_count, report.corrected_count), (1, 1));
    assert_near(pile.distance(edges[0]), -0.02);
    assert_near(pile.distance(edges[1]), -SLACK);
}

/// Everything at one place: each body has a contact with each, and an approach that pushes n bodies looks at n^2
/// contacts.
#[test]
fn looks_per_step_are_bounded_by_the_bodies() {
    let crowd = |max_looks| {
        let mut pile = Pile::default();
        let wall = pile.fixed();
        let balls: Vec<_> = (0..40).map(|i| pile.ball(0.001 * f64::from(i), 0.0)).collect();
        for (i, &a) in balls.iter().enumerate() {
            pile.touch(wall, a, X, &[-0.05]);
            for &b in &balls[i + 1..] {
                pile.touch(a, b, X, &[-0.05]);
            }
        }
        pile.moves(&CorrectionConfig { max_looks, ..CorrectionConfig::default() }).1
    };
    let free = crowd(1_000_000);
    assert_eq!((free.look_limit_count, free.hit_a_limit()), (0, false));
    let bounded = crowd(2);
    assert!(bounded.hit_a_limit(), "{bounded:?}");
    assert!(bounded.attempt_count < free.attempt_count, "{bounded:?}");
    assert!((1..=bounded.loosened_count).contains(&bounded.look_limit_count), "what is left is loosened");
    assert_eq!(bounded.penetrating_count, bounded.corrected_count + bounded.unresolved_count);
    // A search that runs out of looks on its way says so as well, and not that it displaced too many.
    assert_eq!(bounded.displaced_limit_count, 0, "40 bodies are fewer than may be displaced");
}

/// Whatever detection hands in, nothing panics and nothing turns non-finite.
#[test]
fn numbers_that_are_not_finite_are_left_alone() {
    for bad in [Real::NAN, Real::NEG_INFINITY, Real::INFINITY, Real::MIN] {
        let mut pile = Pile::default();
        let (wall, ball, other) = (pile.fixed(), pile.ball(0.0, 0.0), pile.ball(1.0, 0.0));
        pile.touch(wall, ball, X, &[bad]);
        pile.touch(ball, other, X, &[-0.02]);
        pile.came_by(ball, X * bad);
        let mut jammed = pile.clone();
        let right = jammed.fixed();
        jammed.touch(other, right, X, &[bad]);
        for (mut pile, config) in [(pile, paper()), (jammed, CorrectionConfig::default())] {
            pile.moves(&config);
            for body in [ball, other] {
                assert!(pile.at(body).iter().all(|c| c.is_finite()), "{bad}");
            }
        }
    }
}
