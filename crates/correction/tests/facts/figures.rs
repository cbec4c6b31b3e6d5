//! The figures of S1 section 2 as small cases on a line; distances in mm for threshold 10, slack 5.

use super::pile::{Pile, SLACK, assert_near, paper};
use drystone_correction::CorrectionConfig;
use drystone_exec::Exec;
use drystone_math::{Real, Vector3};

const X: Vector3 = Vector3::new(1.0, 0.0, 0.0);
const Y: Vector3 = Vector3::new(0.0, 1.0, 0.0);

/// S1-12: X goes 20 mm, the gap of 3 mm and the slack of 5 mm are taken up first, so Y goes 12 mm, also
/// when their contact is oblique to the displacement.
#[test]
fn figure_7a_gap_is_closed_by_the_intercept_theorem() {
    let mut pile = Pile::default();
    let (wall, x, y) = (pile.fixed(), pile.ball(0.0, 0.0), pile.ball(1.0, 0.0));
    pile.touch(wall, x, X, &[-0.025]);
    let gap = pile.touch(x, y, X, &[0.003]);
    let (moves, _) = pile.moves_x();
    assert_near(moves[x.get()], 0.02);
    assert_near(moves[y.get()], 0.012);
    assert_near(pile.distance(gap), -SLACK);

    let mut pile = Pile::default();
    let (wall, x, y) = (pile.fixed(), pile.ball(0.0, 0.0), pile.ball(1.0, 0.0));
    let oblique = Vector3::new(0.6, 0.8, 0.0);
    pile.touch(wall, x, X, &[-0.025]);
    let gap = pile.touch(x, y, oblique, &[0.001]);
    let (moves, _) = pile.moves(&paper());
    // d · n = 12 mm, less 6 mm of gap and slack: half of d.
    assert_near(moves[y.get()].x as Real, 0.01);
    assert_near(moves[y.get()].y as Real, 0.0);
    assert_near(pile.distance(gap), -SLACK);
}

/// S1-18: the left block has two contacts with the ground; one correction frees both. The right block's
/// correction then finds the gap that the left one has opened under the top block, which stays.
#[test]
fn figure_7b_one_correction_frees_two_contacts() {
    let mut pile = Pile::default();
    let (ground, left, right, top) =
        (pile.fixed(), pile.ball(0.0, 0.0), pile.ball(1.0, 0.0), pile.ball(0.5, 1.0));
    let contacts = [
        pile.touch(ground, left, Y, &[-0.02]),
        pile.touch(ground, left, Y, &[-0.019]),
        pile.touch(ground, right, Y, &[-0.018]),
    ];
    let (from_left, from_right) = (pile.touch(left, top, Y, &[-SLACK]), pile.touch(right, top, Y, &[-SLACK]));
    let (moves, report) = pile.moves(&paper());
    assert_eq!((report.penetrating_count, report.corrected_count, report.attempt_count), (3, 3, 2));
    let up = |i: usize| moves[i].y as Real;
    assert_near(up(left.get()), 0.015);
    assert_near(up(right.get()), 0.013);
    assert_near(up(top.get()), 0.015);
    for (edge, distance) in contacts.into_iter().zip([-SLACK, -0.004, -SLACK]) {
        assert_near(pile.distance(edge), distance);
    }
    assert_near(pile.distance(from_left), -SLACK);
    assert_near(pile.distance(from_right), -0.003);
}

/// S1-15: (a) a sphere between ground and wall that overlap it from both sides, (b) a pair whose pushed
/// neighbours come round to the other body.
#[test]
fn figure_8_blocked_contacts_stay_as_they_are() {
    let mut pile = Pile::default();
    let (left, ball, right) = (pile.fixed(), pile.ball(0.0, 0.0), pile.fixed());
    let edges = [pile.touch(left, ball, X, &[-0.02]), pile.touch(ball, right, X, &[-0.015])];
    let (moves, report) = pile.moves_x();
    assert_eq!((report.unresolved_count, report.displaced_count), (2, 0));
    assert_eq!((moves[ball.get()], edges.map(|e| pile.distance(e))), (0.0, [-0.02, -0.015]));
    assert_eq!((report.worst_after, report.worst_after_edge), (0.02, Some(edges[0])));

    let mut pile = Pile::default();
    let bodies = [0.0, 1.0, 2.0].map(|x| pile.ball(x, 0.0));
    let pair = pile.touch(bodies[0], bodies[1], X, &[-0.02]);
    let ring = [pile.touch(bodies[1], bodies[2], X, &[0.0]), pile.touch(bodies[2], bodies[0], X, &[0.0])];
    let (_, report) = pile.moves_x();
    assert_eq!((report.unresolved_count, report.displaced_count, report.attempt_count), (1, 0, 2));
    assert_eq!((pile.distance(pair), ring.map(|e| pile.distance(e))), (-0.02, [0.0, 0.0]));
}

/// S1-17: (a) two bodies to the left of the overlap, three to the right: the left goes. (b) As many bodies
/// either way: back along the last translation rather than along the normal.
#[test]
fn figure_9_the_least_disturbance_is_chosen() {
    let mut pile = Pile::default();
    let line: Vec<_> = (0..7).map(|i| pile.ball(f64::from(i), 0.0)).collect();
    let mut contacts = Vec::new();
    for (i, pair) in line.windows(2).enumerate() {
        contacts.push(pile.touch(pair[0], pair[1], X, &[if i == 2 { -0.03 } else { -SLACK }]));
    }
    let (moves, report) = pile.moves_x();
    assert_eq!((report.displaced_count, report.attempt_count), (3, 2));
    for (i, body) in line.iter().enumerate() {
        assert_near(moves[body.get()], if i < 3 { -0.025 } else { 0.0 });
    }
    assert!(contacts.iter().all(|&e| (pile.distance(e) + SLACK).abs() < 1e-7));

    let mut pile = Pile::default();
    let (a, b) = (pile.ball(0.0, 0.0), pile.ball(1.0, 0.0));
    let edge = pile.touch(a, b, X, &[-0.015]);
    // B came from above right, and more slowly than A, whose approach along the normal is tried first.
    pile.came_by(b, Vector3::new(-0.02, -0.02, 0.0));
    pile.bodies.view_mut().hot[a.get()].linear = X;
    let (moves, _) = pile.moves(&paper());
    assert_eq!(moves[a.get()].norm(), 0.0);
    assert_near(moves[b.get()].x as Real, 0.01);
    assert_near(moves[b.get()].y as Real, 0.01);
    assert_near(pile.distance(edge), -SLACK);
    let normal_only = CorrectionConfig { use_backward: false, ..paper() };
    let mut again = Pile::default();
    let (a, b) = (again.ball(0.0, 0.0), again.ball(1.0, 0.0));
    again.touch(a, b, X, &[-0.015]);
    again.came_by(b, Vector3::new(-0.02, -0.02, 0.0));
    let (moves, _) = again.moves(&normal_only);
    assert_eq!(moves[a.get()].y + moves[b.get()].y, 0.0);
}

/// S1-20: the sphere on the right has no contact in this step; another is moved into it unseen.
#[test]
fn figure_10_unseen_overlap_is_possible() {
    let mut pile = Pile::default();
    let (wall, middle) = (pile.fixed(), pile.ball(0.0, 0.0));
    let unseen = pile.ball(1.0, 0.0);
    pile.touch(wall, middle, X, &[-0.03]);
    let (moves, report) = pile.moves_x();
    assert_near(moves[middle.get()], 0.025);
    assert_eq!((moves[unseen.get()], report.unresolved_count), (0.0, 0));
    assert!((pile.at(unseen) - pile.at(middle)).norm() < 0.98);
}

/// S1-22, S1-23: the faster body of a pair is displaced, by its linear or by its angular velocity, and the
/// other approach is given up at once; with equal speeds it is B.
#[test]
fn figure_11_the_faster_body_is_tried_first() {
    let spin = Vector3::new(0.0, 0.0, -1.0);
    for (linear, angular, a_goes) in
        [(X, Vector3::zeros(), true), (-X, Vector3::zeros(), false), (Vector3::zeros(), spin, true)]
    {
        let mut pile = Pile::default();
        let (a, b) = (pile.ball(0.0, 0.0), pile.ball(1.0, 0.0));
        // The point is above the centre of A, so that A's spin moves it towards B.
        let point = drystone_contact::ContactPoint {
            arm_a: Y * 0.5,
            arm_b: -X + Y * 0.5,
            distance: -0.02,
            ..Default::default()
        };
        pile.link(a, b, X, [point]);
        let hot = &mut pile.bodies.view_mut().hot[a.get()];
        (hot.linear, hot.angular) = (linear, angular);
        let (moves, report) = pile.moves_x();
        assert_eq!((moves[a.get()] != 0.0, moves[b.get()] != 0.0), (a_goes, !a_goes));
        assert_eq!((report.attempt_count, report.aborted_count), (2, 1));
    }
}

/// S1-25: four spheres move towards the wall and the first penetrates the one at the wall by 12 mm. It goes
/// back 7 mm, the next 2 mm, the others stay; with next to no slack all four go.
#[test]
fn figure_13_two_of_four_spheres_move() {
    let run = |remaining_fraction| {
        let mut pile = Pile::default();
        let (wall, still) = (pile.fixed(), pile.ball(0.0, 0.0));
        let row: Vec<_> = (1..5).map(|i| pile.ball(f64::from(i), 0.0)).collect();
        pile.touch(wall, still, X, &[-0.005]);
        pile.touch(still, row[0], X, &[-0.012]);
        for pair in row.windows(2) {
            pile.touch(pair[0], pair[1], X, &[0.0]);
        }
        let config = CorrectionConfig { remaining_fraction, ..paper() };
        let (moves, report) = pile.moves(&config);
        let row: Vec<_> = row.iter().map(|b| moves[b.get()].x as Real).collect();
        (row, report.displaced_count)
    };
    let (row, count) = run(0.5);
    assert_eq!(count, 2);
    for (moved, expected) in row.iter().zip([0.007, 0.002, 0.0, 0.0]) {
        assert_near(*moved, expected);
    }
    assert_eq!(run(1e-6).1, 4);
}

/// What a figure shows does not depend on where it is: 10 000 km away, contacts have the same bits.
#[test]
fn far_from_the_origin_equals_at_the_origin() {
    let run = |base: f64| {
        let mut pile = Pile::default();
        let wall = pile.fixed();
        let balls: Vec<_> = (0..20)
            .map(|i| pile.ball(base + f64::from(i % 5) * 0.984375, base + f64::from(i / 5) * 0.984375))
            .collect();
        for &ball in &balls[..5] {
            pile.touch(wall, ball, Y, &[-0.02]);
        }
        for (i, &a) in balls.iter().enumerate() {
            for &b in &balls[i + 1..] {
                pile.touch_balls(a, b, 0.05);
            }
        }
        let report = pile.correct_with(&paper(), &Exec::serial());
        (pile, balls, report)
    };
    let (near, balls, report) = run(0.0);
    let (far, _, far_report) = run(1e7);
    assert!(report.displaced_count > 5 && report == far_report, "{report:?}");
    for (a, b) in near.graph.edges().iter().zip(far.graph.edges()) {
        assert_eq!(a.manifold, b.manifold);
    }
    for ball in balls {
        let (a, b) = (near.at(ball), far.at(ball));
        // Spacing of f64 at 1e7 m is 1.9e-9 m.
        assert!((b - a).iter().take(2).all(|d| (d - 1e7).abs() < 4e-9), "{a} and {b}");
    }
}
