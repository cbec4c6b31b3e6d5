//! Random packings of balls over a floor, with contacts by closed form. Trusted: the geometry itself.

use super::pile::{Pile, RADIUS, SLACK, THRESHOLD};
use drystone_contact::{BodyIndex, ContactPoint};
use drystone_correction::{CorrectionConfig, CorrectionReport, Corrector};
use drystone_exec::Exec;
use drystone_math::{Pose, Real, Vector3};
use proptest::prelude::*;

/// What rounding and the angle between a contact's normal and the displacement leave, m.
const TOLERANCE: Real = 1e-6;

/// Balls near the points of a grid, `jitter` (m) away from it at most, over a floor.
fn packing(sides: [u32; 3], spacing: f64, jitter: impl Fn(u32) -> Vector3) -> Pile {
    let mut pile = Pile::default();
    let floor = pile.fixed();
    let mut balls = Vec::new();
    for i in 0..sides.iter().product::<u32>() {
        let place = [i % sides[0], i / sides[0] % sides[1], i / sides[0] / sides[1]];
        let offset = jitter(i);
        let at = [0, 1, 2].map(|k| f64::from(place[k]) * spacing + f64::from(offset[k]));
        let ball = pile.add(Pile::ball_desc().at(Pose::at(at[0], at[1], at[2])));
        pile.came_by(ball, offset * 0.5);
        pile.bodies.view_mut().hot[ball.get()].linear = offset;
        let height = at[1] as Real;
        if height < 0.05 {
            let arm_b = Vector3::new(0.0, -RADIUS - 0.5 * height, 0.0);
            let arm_a = Vector3::new(at[0] as Real, -RADIUS + 0.5 * height, at[2] as Real);
            let point = ContactPoint { arm_a, arm_b, distance: height, ..Default::default() };
            pile.link(floor, ball, Vector3::y(), [point]);
        }
        balls.push(ball);
    }
    for (i, &a) in balls.iter().enumerate() {
        for &b in &balls[i + 1..] {
            pile.touch_balls(a, b, 0.05);
        }
    }
    pile
}

/// Offsets without a random generator: three incommensurable rotations of a circle, in [-size, size].
fn scattered(i: u32, size: Real) -> Vector3 {
    let part = |factor: f64| ((f64::from(i) * factor).fract() * 2.0 - 1.0) as Real * size;
    Vector3::new(part(0.754_877_666), part(0.569_840_290), part(0.618_033_988))
}

/// Everything a caller may rely on, with the distances before.
fn check(pile: &Pile, before: &[Real], report: &CorrectionReport) {
    let mut deep = 0;
    for (edge, &was) in pile.graph.edges().iter().zip(before) {
        let now = edge.manifold.min_distance().expect("linked");
        assert!(now >= was.min(-SLACK) - TOLERANCE, "{was} m became {now} m");
        deep += u32::from(now < -THRESHOLD);
    }
    assert_eq!(deep, report.unresolved_count, "{report:?}");
    assert_eq!(report.penetrating_count, report.corrected_count + report.unresolved_count);
    assert!(report.attempt_count <= 4 * report.penetrating_count, "each contact at most once");
    assert!(report.worst_after <= report.worst_before + TOLERANCE);
}

fn distances(pile: &Pile) -> Vec<Real> {
    pile.graph.edges().iter().map(|e| e.manifold.min_distance().expect("linked")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// S1-19: no detected contact gets deeper than the slack or than it was; what is corrected stays so
    /// (a second pass finds the unresolved contacts only); contact data follow the balls to first order.
    #[test]
    fn corrected_contacts_stay_corrected(
        jitter in prop::collection::vec((-0.04f32..0.04, -0.04f32..0.04, -0.04f32..0.04), 80),
        spacing in 0.96f64..1.02,
    ) {
        let mut pile = packing([5, 4, 4], spacing, |i| Vector3::from(<[f32; 3]>::from(jitter[i as usize])));
        let (before, poses) = (distances(&pile), pile.bodies.view().pose.to_vec());
        let report = pile.correct_with(&CorrectionConfig::default(), &Exec::serial());
        check(&pile, &before, &report);
        for edge in pile.graph.edges() {
            let m = &edge.manifold;
            let [a, b] = [m.body_a, m.body_b].map(|i| pile.at(i));
            let [was_a, was_b] = [m.body_a, m.body_b].map(|i| poses[i.get()].translation);
            let slid = ((b - a) - (was_b - was_a)).norm() as Real;
            let point = &m.points()[0];
            let by_a = a + drystone_math::widen(&point.arm_a);
            let by_b = b + drystone_math::widen(&point.arm_b);
            prop_assert!((by_a - by_b).norm() < 1e-5, "points apart by {}", (by_a - by_b).norm());
            if pile.bodies.hot(m.body_a).is_dynamic() {
                let exact = (b - a).norm() as Real - 2.0 * RADIUS;
                prop_assert!((exact - point.distance).abs() < slid * slid + TOLERANCE);
            } else {
                prop_assert!((b.y as Real - point.distance).abs() < TOLERANCE);
            }
        }
        let moved = pile.bodies.view().pose.iter().zip(&poses).filter(|(a, b)| a != b).count();
        prop_assert_eq!(moved as u32, report.displaced_count);
        let again = pile.correct_with(&CorrectionConfig::default(), &Exec::serial());
        prop_assert_eq!(again.penetrating_count, report.unresolved_count);
    }
}

/// Fifty packings of their own and one large one: same bits and same report at 1, 2 and 4 threads.
#[test]
fn equal_bits_at_any_thread_count() {
    let mut start = packing([10, 5, 10], 0.985, |i| scattered(i, 0.03));
    for k in 0..50u32 {
        let base = f64::from(10 * (k + 2));
        let balls = [0.0, 0.975, 1.95]
            .map(|x| start.add(Pile::ball_desc().at(Pose::at(base + x, base, f64::from(k) * 1e-3))));
        start.touch_balls(balls[0], balls[1], 0.05);
        start.touch_balls(balls[1], balls[2], 0.05);
    }
    let config = CorrectionConfig { rotate: true, ..Default::default() };
    let run = |threads| {
        let mut pile = start.clone();
        let report = pile.correct_with(&config, &Exec::with_threads(threads).expect("few threads"));
        (pile, report)
    };
    let (serial, report) = run(1);
    assert!(report.corrected_count > 150 && report.displaced_count > 100, "{report:?}");
    for threads in [2, 4] {
        let (pile, other) = run(threads);
        assert_eq!(report, other);
        assert_eq!(serial.bodies.view().pose, pile.bodies.view().pose, "{threads} threads");
        for (a, b) in serial.graph.edges().iter().zip(pile.graph.edges()) {
            assert_eq!(a.manifold, b.manifold, "{threads} threads");
        }
    }
}

/// Scratch of one scene does not show in the next.
#[test]
fn a_used_corrector_equals_a_new_one() {
    let mut corrector = Corrector::new();
    let config = CorrectionConfig::default();
    let mut used = |mut pile: Pile| {
        let batches = pile.batches();
        let step = &super::pile::STEP;
        corrector.correct(&config, &mut pile.bodies, &mut pile.graph, &batches, step, &Exec::serial());
        pile.bodies.view().pose.to_vec()
    };
    used(packing([6, 6, 6], 0.98, |i| scattered(i, 0.03)));
    for size in [0.02, 0.04] {
        let mut fresh = packing([4, 4, 4], 0.985, |i| scattered(i, size));
        let poses = used(fresh.clone());
        fresh.correct_with(&config, &Exec::serial());
        assert_eq!(poses, fresh.bodies.view().pose);
    }
}

/// Turning the numbering of the bodies round moves the same balls to the same places when contacts do not
/// compete: one deep contact in a loose row.
#[test]
fn a_contact_seen_from_the_other_side_is_corrected_alike() {
    let run = |is_turned: bool| {
        let mut pile = Pile::default();
        let wall = pile.fixed();
        let ball = pile.ball(0.0, 0.0);
        let next = pile.ball(0.99, 0.0);
        let mut link = |a: BodyIndex, b: BodyIndex, n: Vector3, d| {
            if is_turned { pile.touch(b, a, -n, &[d]) } else { pile.touch(a, b, n, &[d]) }
        };
        link(wall, ball, Vector3::x(), -0.03);
        link(ball, next, Vector3::x(), -0.001);
        pile.correct_with(&CorrectionConfig::default(), &Exec::serial());
        [ball, next].map(|b| pile.at(b))
    };
    assert_eq!(run(false), run(true));
}
