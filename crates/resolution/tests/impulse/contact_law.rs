//! One contact: closed forms, and S1's equations in contact coordinates as an independent reference.
//!
//! Rows: S1-46 (right-handed), S1-47 and S1-52 (basis, collision matrix), S1-48 and S1-49 (what closes),
//! S1-50 (opposite impulses), S1-51 and S1-65 (restitution and its threshold), S1-53 (frictionless),
//! S1-54..56 (friction). Tolerances: one resolution is some ten rounded operations, each off by half of
//! [`EPS`]; inverting the collision matrix multiplies that by its condition number, in cofactors squared.

use crate::common::reference::read;
use crate::common::{
    DT, EPS, G, G_DT, RADIUS, Random, Rig, ball_desc, box_desc, center, pose, strict, surface,
};
use drystone_contact::{BodyDesc, BodyIndex, EdgeIndex, PairMaterial};
use drystone_math::inertia::MassProperties;
use drystone_math::{Real, Rotation, Vector3, widen};
use drystone_resolution::ImpulseConfig;
use proptest::prelude::*;

/// Rounding of one resolution, relative.
const ROUNDING: Real = 16.0 * EPS;

fn assert_near(found: Real, expected: Real, tolerance: Real, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected} within {tolerance}");
}

/// A ball over a floor at its origin that hits with this velocity.
fn ball_on_floor(linear: Vector3, material: PairMaterial) -> (Rig, BodyIndex, EdgeIndex) {
    let mut rig = Rig::new();
    let floor = rig.fixed();
    let ball = rig.ball(1.0, Vector3::new(0.0, RADIUS, 0.0), linear);
    let edge = rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, material);
    (rig, ball, edge)
}

/// The same under gravity.
fn falling_ball_on_floor(linear: Vector3, material: PairMaterial) -> (Rig, BodyIndex, EdgeIndex) {
    let (mut rig, ball, edge) = ball_on_floor(linear, material);
    rig.step.acceleration = Vector3::new(0.0, -G, 0.0);
    (rig, ball, edge)
}

#[test]
fn a_ball_leaves_a_wall_with_restitution_times_its_speed() {
    for restitution in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (mut rig, ball, edge) = ball_on_floor(Vector3::new(0.0, -3.0, 0.0), surface(restitution, 0.3));
        let report = rig.advance(&strict());
        assert_near(rig.linear(ball).y, 3.0 * restitution, 3.0 * ROUNDING, "rebound");
        assert_near(rig.impulse(edge).y, 3.0 * (1.0 + restitution), 6.0 * ROUNDING, "impulse on the ball");
        assert_eq!((report.iterations, report.unsolved_points, rig.angular(ball)), (1, 0, Vector3::zeros()));
    }
}

/// Newton's law for two masses (S1-51): the common velocity stays, the relative one turns and shrinks.
#[test]
fn two_balls_part_by_newtons_law() {
    let (light, heavy, restitution) = (1.0, 3.0, 0.4);
    let (fast, slow) = (Vector3::new(4.0, 0.0, 0.0), Vector3::new(-1.0, 0.0, 0.0));
    let mut rig = Rig::new();
    let a = rig.ball(light, Vector3::zeros(), fast);
    let b = rig.ball(heavy, Vector3::new(2.0 * RADIUS, 0.0, 0.0), slow);
    let edge = rig.touch_balls(a, b, surface(restitution, 0.0));
    rig.advance(&strict());
    let common = (light * fast.x + heavy * slow.x) / (light + heavy);
    let closing = fast.x - slow.x;
    assert_near(
        rig.linear(a).x,
        common - restitution * closing * heavy / (light + heavy),
        5.0 * ROUNDING,
        "A",
    );
    assert_near(
        rig.linear(b).x,
        common + restitution * closing * light / (light + heavy),
        5.0 * ROUNDING,
        "B",
    );
    let impulse = (1.0 + restitution) * closing * light * heavy / (light + heavy);
    assert_near(rig.impulse(edge).x, impulse, impulse * ROUNDING, "impulse on B");
}

/// S1-46: an impulse along z at an arm along x spins about -y.
#[test]
fn axes_are_right_handed() {
    let (mut rig, cube, _) = tilted_cube(0.0, 0.0);
    rig.advance(&strict());
    assert!(rig.angular(cube).y < 0.0 && rig.linear(cube).z > 0.0);
}

/// The off-centre impact of the validation list (B10): a cube of 0.2 m and 1 kg, turned by 30 degrees about y,
/// whose lowest edge hits at 2 m/s with restitution 0.5; the normal is z. `about_x` in degrees turns it on
/// a corner.
fn tilted_cube(friction: Real, about_x: Real) -> (Rig, BodyIndex, EdgeIndex) {
    let mut rig = Rig::new();
    let floor = rig.fixed();
    let turn = Rotation::from_axis_angle(&Vector3::x_axis(), about_x.to_radians())
        * Rotation::from_axis_angle(&Vector3::y_axis(), (30.0 as Real).to_radians());
    let width = if about_x == 0.0 { 0.0 } else { -0.1 };
    let corner = turn * Vector3::new(0.1, width, -0.1);
    let mass = MassProperties::aligned(1.0, Vector3::repeat(1.0 / 150.0));
    let cube = rig.add(&BodyDesc {
        linear: Vector3::new(0.0, 0.0, -2.0),
        ..BodyDesc::dynamic(mass, 0.2).at(pose(-corner, turn))
    });
    let edge = rig.touch(floor, cube, Vector3::z(), &[Vector3::zeros()], 0.0, surface(0.5, friction));
    (rig, cube, edge)
}

#[test]
fn off_centre_impact_without_friction_has_the_closed_form() {
    let (mut rig, cube, edge) = tilted_cube(0.0, 0.0);
    rig.advance(&strict());
    assert_near(rig.impulse(edge).z, 2.497998, 1e-5, "impulse");
    assert_near(rig.linear(cube).z, 0.497998, 1e-5, "velocity");
    // 13.71 rad/s with an arm rounded at 0.037 m: six digits.
    assert_near(rig.angular(cube).y, -13.714_96, 1e-4, "spin");
}

#[test]
fn off_centre_impact_with_friction_sticks_at_the_closed_form() {
    for friction in [0.198, 0.5] {
        let (mut rig, _, edge) = tilted_cube(friction, 0.0);
        rig.advance(&strict());
        let impulse = rig.impulse(edge);
        assert_near(impulse.x.abs(), 0.5625, 1e-5, "tangential impulse");
        assert_near(impulse.z, 2.849_279, 1e-5, "normal impulse");
        let after = rig.relative_velocity(edge, 0);
        assert!((after - Vector3::new(0.0, 0.0, 1.0)).norm() < 4.0 * ROUNDING, "sticks, bounces: {after}");
    }
    let (mut rig, _, edge) = tilted_cube(0.196, 0.0);
    rig.advance(&strict());
    assert!(rig.relative_velocity(edge, 0).x.abs() > 1e-3, "below 0.1974 the corner slips");
}

/// B10 on a corner: `J n·(K n) = (1 + e) v` with `K = 1/m - [r] I⁻¹ [r]`.
#[test]
fn corner_impact_in_space_has_the_closed_form() {
    let (mut rig, cube, edge) = tilted_cube(0.0, 20.0);
    let arm = -center(&rig.bodies, cube);
    rig.advance(&strict());
    let lever = arm.cross(&Vector3::z()).norm_squared() * 150.0;
    assert_near(rig.impulse(edge).z, 3.0 / (1.0 + lever), 1e-5, "impulse");
}

/// B9: a rough ball of 0.1 m hits at (5, -3) m/s with restitution 0.8.
#[test]
fn oblique_ball_slips_or_sticks_at_the_closed_forms() {
    for (friction, along, rim) in [(0.1, 4.46, 1.35), (0.5, 3.571_428_6, 3.571_428_6)] {
        let (mut rig, ball, _) = ball_on_floor(Vector3::new(5.0, -3.0, 0.0), surface(0.8, friction));
        rig.advance(&strict());
        assert_near(rig.linear(ball).x, along, 5.0 * ROUNDING, "along");
        assert_near(-rig.angular(ball).z * RADIUS, rim, 5.0 * ROUNDING, "rim");
        assert_near(rig.linear(ball).y, 2.4, 5.0 * ROUNDING, "rebound");
    }
}

/// B9's border, `μ (1 + e) |v_n| = 2/7 |v_t|`, from both sides.
#[test]
fn oblique_ball_begins_to_stick_at_the_border() {
    let border = 2.0 / 7.0 * 5.0 / (1.8 * 3.0);
    for (factor, sticks) in [(0.999, false), (1.001, true)] {
        let (mut rig, _, edge) = ball_on_floor(Vector3::new(5.0, -3.0, 0.0), surface(0.8, border * factor));
        rig.advance(&strict());
        let slip = rig.relative_velocity(edge, 0).x;
        // Without friction it would be 5 m/s; 0.1 % of the border friction leaves 5 mm/s.
        assert_eq!(slip.abs() < 1e-4, sticks, "slip {slip}");
    }
}

/// S1-56: between the two coefficients the contact sticks; above the static one it slides with the kinetic.
#[test]
fn static_and_kinetic_friction_are_two_numbers() {
    let material =
        PairMaterial { restitution: 0.5, static_friction: 0.4, kinetic_friction: 0.2, rolling_friction: 0.0 };
    // A ball sticks up to 2/7 |v_t| = μ_s (1 + e) |v_n|.
    let border = 3.5 * 0.4 * 1.5 * 2.0;
    let (mut rig, _, edge) = ball_on_floor(Vector3::new(0.99 * border, -2.0, 0.0), material);
    rig.advance(&strict());
    assert_near(rig.relative_velocity(edge, 0).x, 0.0, border * ROUNDING, "slip inside the static cone");
    let ratio = rig.impulse(edge).x / rig.impulse(edge).y;
    assert!(ratio.abs() > 0.2, "more than the kinetic cone gives: {ratio}");
    let (mut rig, _, edge) = ball_on_floor(Vector3::new(1.01 * border, -2.0, 0.0), material);
    rig.advance(&strict());
    let impulse = rig.impulse(edge);
    assert_near(impulse.x, -0.2 * impulse.y, 3.0 * ROUNDING, "kinetic impulse");
    assert_near(impulse.y, 3.0, 3.0 * ROUNDING, "wanted normal change");
}

/// S1-53: without friction the tangential velocity and the spin stay as they are, to the bit.
#[test]
fn without_friction_a_ball_keeps_its_tangential_velocity() {
    let (mut rig, ball, _) = ball_on_floor(Vector3::new(5.0, -3.0, 1.0), surface(0.8, 0.0));
    rig.bodies.view_mut().hot[ball.get()].angular = Vector3::new(1.0, 2.0, 3.0);
    rig.advance(&strict());
    assert_eq!((rig.linear(ball).x, rig.linear(ball).z), (5.0, 1.0));
    assert_eq!(rig.angular(ball), Vector3::new(1.0, 2.0, 3.0));
}

/// S1-65: below `1.1 g dt` a contact does not bounce.
#[test]
fn slow_impacts_do_not_bounce() {
    for (factor, bounces) in [(0.99, false), (1.01, true)] {
        let speed = 1.10 * G_DT * factor;
        let (mut rig, ball, _) = ball_on_floor(Vector3::new(0.0, -speed, 0.0), surface(1.0, 0.0));
        rig.advance(&strict());
        let expected = if bounces { speed } else { 0.0 };
        assert_near(rig.linear(ball).y, expected, speed * ROUNDING, "rebound");
    }
}

/// S1-49: only what closes faster than the resolution threshold is resolved.
#[test]
fn closing_below_the_resolution_threshold_is_left_alone() {
    for (factor, is_resolved) in [(0.99, false), (1.01, true)] {
        let speed = strict().resolution_threshold * G_DT * factor;
        let (mut rig, ball, edge) = ball_on_floor(Vector3::new(0.0, -speed, 0.0), surface(0.0, 0.5));
        let report = rig.advance(&strict());
        let found = (report.iterations, report.closing_points, report.unsolved_points);
        assert_eq!(found, if is_resolved { (1, 1, 0) } else { (0, 0, 0) });
        if !is_resolved {
            assert_eq!((rig.linear(ball).y, rig.impulse(edge)), (-speed, Vector3::zeros()));
            assert_near(report.worst_residual, speed, speed * ROUNDING, "what is left is reported");
        }
    }
}

/// S1-48: separating and non-changing contacts are not touched, whatever slides along them.
#[test]
fn only_closing_contacts_are_resolved() {
    for normal_speed in [0.0, 1e-3, 2.0] {
        let linear = Vector3::new(4.0, normal_speed, -1.0);
        let (mut rig, ball, edge) = ball_on_floor(linear, surface(0.5, 0.5));
        let report = rig.advance(&ImpulseConfig::default());
        assert_eq!((rig.linear(ball), rig.angular(ball)), (linear, Vector3::zeros()));
        assert_eq!((rig.impulse(edge), report.iterations), (Vector3::zeros(), 0));
    }
}

/// A contact reported before touch may close its gap within the step; what is faster stops at that.
#[test]
fn a_gap_may_close_within_the_step() {
    let gap = 1e-4;
    let allowed = gap / DT;
    for (factor, is_resolved) in [(0.5, false), (1.0, false), (1.5, true)] {
        // Below the restitution threshold, so that nothing bounces: 24 mm/s allowed, 45 mm/s threshold.
        let speed = allowed * factor;
        let (mut rig, ball, edge) = ball_on_floor(Vector3::new(0.0, -speed, 0.0), surface(0.5, 0.0));
        rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0].distance = gap;
        let report = rig.advance(&strict());
        assert_eq!(report.iterations, u64::from(is_resolved));
        let expected = if is_resolved { -allowed } else { -speed };
        assert_near(rig.linear(ball).y, expected, speed * ROUNDING, "approach");
    }
}

/// Wherever a step finds a falling ball, with a gap left, an overlap, or one that correction has taken back, it
/// rises to `e²` times the height it fell from.
#[test]
fn a_bounce_has_its_height_wherever_the_ball_is_found() {
    let unit = G_DT * DT;
    for e in [0.25, 0.5, 0.8, 1.0] {
        for (found, displaced) in [(0.0, 0.0), (40.0, 0.0), (-5.0, 0.0), (-95.0, 95.0), (-95.0, 90.0)] {
            // Along a free path (w² / 2 + g height) stays, with w in the middle of two velocities.
            let fall = 60.0 * G_DT;
            let meets = (fall * fall - 2.0 * G * found * unit).sqrt();
            let before_gravity = Vector3::new(0.0, 0.5 * G_DT - meets, 0.0);
            let (mut rig, ball, edge) = falling_ball_on_floor(before_gravity, surface(e, 0.0));
            let point = &mut rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0];
            (point.distance, point.corrected_distance) = ((found + displaced) * unit, displaced * unit);
            let height = point.distance;
            rig.advance(&strict());
            let rises = rig.linear(ball).y + 0.5 * G_DT;
            let energy = 0.5 * rises * rises + G * height;
            let expected = 0.5 * e * e * fall * fall;
            let rounding = 0.5 * fall * fall * ROUNDING;
            assert_near(
                energy,
                expected,
                rounding,
                &format!("e {e}, found at {found}, lifted by {displaced}"),
            );
        }
    }
}

/// Gravity alone makes nothing bounce, however strong it is for a body.
#[test]
fn what_gravity_gives_never_bounces() {
    for (scale, gap) in [(1.0, 0.0), (5.0, 0.0), (50.0, 0.0), (5.0, 2.0)] {
        let (mut rig, ball, edge) = falling_ball_on_floor(Vector3::zeros(), surface(1.0, 0.0));
        let handle = rig.bodies.handle(ball).expect("alive");
        rig.bodies.set_gravity_scale(handle, scale).expect("finite");
        rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0].distance = gap * G_DT * DT;
        rig.advance(&strict());
        assert!(rig.linear(ball).y <= EPS * scale * G_DT, "{} at {scale} g", rig.linear(ball).y);
    }
}

/// A resting contact that overlaps separates with the recovery speed once it is resolved, and no faster
/// than the overlap needs; overlap within the slop is left alone.
#[test]
fn overlap_recovers_no_faster_than_configured() {
    let config = ImpulseConfig { recovery_speed: 0.01, recovery_slop: 0.05, ..strict() };
    let unit = G_DT * DT;
    for (overlap, expected) in [(5.0 * unit, 0.01 * G_DT), (0.055 * unit, 0.005 * G_DT), (0.04 * unit, 0.0)] {
        // Half of what gravity gives in a step: a contact that rests.
        let linear = Vector3::new(0.0, -0.5 * G_DT, 0.0);
        let (mut rig, ball, edge) = ball_on_floor(linear, surface(0.5, 0.0));
        rig.graph.edges_mut()[edge.get()].manifold.points_mut()[0].distance = -overlap;
        rig.advance(&config);
        assert_near(rig.linear(ball).y, expected, 0.5 * G_DT * ROUNDING, "recovery");
    }
}

/// A random body hits a fixed or a free one at an ordinary contact.
#[derive(Clone, Debug)]
struct Pair {
    material: PairMaterial,
    normal: Vector3,
    point: Vector3,
    descs: [BodyDesc; 2],
}

impl Pair {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let is_grounded = random.below(4) == 0;
        let mass = random.between(0.1, 10.0);
        let free = box_desc(mass, &mut random);
        let other =
            if is_grounded { BodyDesc::fixed() } else { box_desc(random.between(0.1, 10.0), &mut random) };
        let from = if is_grounded { free.center_pose() } else { other.center_pose() };
        let middle = (from.translation.coords + free.center_pose().translation.coords) * 0.5;
        Self {
            material: random.material(),
            normal: random.direction(),
            point: drystone_math::narrow(&middle) + random.vector(0.2),
            descs: [other, free],
        }
    }

    /// The pair in a world turned by `rotation`, with the normal on the side that closes; `None` when it
    /// hardly closes.
    fn build(&self, rotation: &Rotation) -> Option<(Rig, [BodyIndex; 2], EdgeIndex)> {
        let mut rig = Rig::new();
        let ends = self.descs.clone().map(|mut desc| {
            desc.pose.translation =
                (widen(&(rotation * drystone_math::narrow(&desc.pose.translation.coords)))).into();
            desc.pose.rotation = rotation * desc.pose.rotation;
            (desc.linear, desc.angular) = (rotation * desc.linear, rotation * desc.angular);
            rig.add(&desc)
        });
        let point = rotation * self.point;
        let mut normal = rotation * self.normal;
        let edge = rig.touch(ends[0], ends[1], normal, &[point], 0.0, self.material);
        let closing = -normal.dot(&rig.relative_velocity(edge, 0));
        if closing < 0.0 {
            normal = -normal;
            rig.graph.edges_mut()[edge.get()].manifold.normal = normal;
        }
        (closing.abs() > 0.1).then_some((rig, ends, edge))
    }
}

/// Size of the velocities and how much an inverse collision matrix may blow up their rounding.
fn tolerance(rig: &Rig, edge: EdgeIndex, condition: f64) -> Real {
    let speed = rig.relative_velocity(edge, 0).norm();
    4.0 * ROUNDING * (condition * condition) as Real * speed
}

/// S1-47, S1-52, S1-53, S1-55, S1-56 against the equations in contact coordinates, in double precision.
#[test]
fn resolution_agrees_with_the_equations_in_contact_coordinates() {
    let (mut static_count, mut kinetic_count) = (0, 0);
    for seed in 0..2000 {
        let Some((mut rig, ends, edge)) = Pair::new(seed).build(&Rotation::identity()) else { continue };
        let (mut bodies, contacts) = read(&rig);
        let threshold = f64::from(strict().restitution_threshold * G_DT);
        let expected = contacts[0].impulse(&bodies, threshold);
        if !expected.is_ordinary || expected.margin < 1e-3 || expected.condition > 30.0 {
            continue;
        }
        let tolerance = f64::from(tolerance(&rig, edge, expected.condition));
        contacts[0].apply(&mut bodies, &expected.on_a);
        // One resolution only: a Painlevé-like pair may close again after it.
        rig.advance(&ImpulseConfig { global_limit: Some(1.0), ..strict() });
        for (&end, side) in ends.iter().zip(["A", "B"]) {
            let found = (widen(&rig.linear(end)), widen(&rig.angular(end)));
            let reference = &bodies[end.get()];
            // Spin is speed over an arm; arms here are above a tenth of a metre.
            let off = (found.0 - reference.linear).norm() + 0.1 * (found.1 - reference.angular).norm();
            assert!(off <= tolerance * 4.0, "seed {seed}, body {side}: off by {off}, {tolerance} allowed");
        }
        if expected.is_static { static_count += 1 } else { kinetic_count += 1 }
    }
    assert!(static_count > 100 && kinetic_count > 100, "{static_count} static, {kinetic_count} kinetic");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// S1-50, S1-51, S1-54..56: whatever two bodies meet, one resolution conserves momentum and angular
    /// momentum, pushes, gives the wanted normal change, stays in the static cone, and either stops the slip or
    /// has the kinetic share.
    #[test]
    fn one_resolution_obeys_coulomb_and_newton(seed in any::<u64>()) {
        let pair = Pair::new(seed);
        let Some((mut rig, ends, edge)) = pair.build(&Rotation::identity()) else { return Ok(()) };
        let (bodies, contacts) = read(&rig);
        let reference = contacts[0].impulse(&bodies, 0.0);
        if !reference.is_ordinary || reference.condition > 30.0 {
            return Ok(());
        }
        let before = rig.relative_velocity(edge, 0);
        let tolerance = tolerance(&rig, edge, reference.condition);
        let (momentum, angular) = (rig.momentum(), rig.angular_momentum());
        rig.advance(&ImpulseConfig { global_limit: Some(1.0), ..strict() });
        let normal = rig.graph.edge(edge).manifold.normal;
        let (j, after) = (rig.impulse(edge), rig.relative_velocity(edge, 0));
        let pushed = normal.dot(&j);
        let along = j - normal * pushed;
        prop_assert!(pushed > 0.0);
        let closing = -normal.dot(&before);
        let expected = pair.material.restitution * closing;
        prop_assert!((normal.dot(&after) - expected).abs() <= tolerance, "Newton: {after}, {expected}");
        // The direction of sliding is the slip's, which is what is left of the velocity without its normal part.
        let share = before.norm() / (before + normal * closing).norm();
        let rounding = ROUNDING * (1.0 + share) * pushed;
        let cone = pair.material.static_friction * pushed;
        prop_assert!(along.norm() <= cone + rounding, "{} outside {cone}", along.norm());
        let slip = (after - normal * normal.dot(&after)).norm();
        let kinetic = pair.material.kinetic_friction * pushed;
        let is_kinetic = (along.norm() - kinetic).abs() <= rounding;
        prop_assert!(is_kinetic || slip <= tolerance, "slip {slip} with {} of {kinetic}", along.norm());
        // Momentum: velocities are rounded once each, at the size they have then.
        let is_free = rig.bodies.hot(ends[0]).is_dynamic();
        if is_free {
            let size: Real = ends.iter().map(|&e| {
                rig.bodies.mass(e) * (rig.linear(e).norm() + rig.angular(e).norm() + 8.0)
            }).sum::<Real>() + j.norm();
            let off = (rig.momentum() - momentum).norm() as Real;
            prop_assert!(off <= ROUNDING * size, "momentum off by {off}");
            // The inverse inertia of a turned body is rounded too, in relation to its largest entry.
            let off = (rig.angular_momentum() - angular).norm() as Real;
            prop_assert!(off <= 8.0 * ROUNDING * size, "angular momentum off by {off} of {size}");
        }
    }

    /// S1-47: no direction is special. A world turned as a whole gives the turned answer.
    #[test]
    fn a_turned_world_gives_the_turned_answer(seed in any::<u64>()) {
        let rotation = Random::new(!seed).rotation();
        let pair = Pair::new(seed);
        let built = (pair.build(&Rotation::identity()), pair.build(&rotation));
        let (Some((mut plain, ends, edge)), Some((mut turned, ..))) = built else { return Ok(()) };
        let (bodies, contacts) = read(&plain);
        let reference = contacts[0].impulse(&bodies, 0.0);
        if !reference.is_ordinary || reference.condition > 30.0 || reference.margin < 1e-3 {
            return Ok(());
        }
        let tolerance = tolerance(&plain, edge, reference.condition);
        let config = ImpulseConfig { global_limit: Some(1.0), ..strict() };
        plain.advance(&config);
        turned.advance(&config);
        for end in ends {
            let off = (rotation * plain.linear(end) - turned.linear(end)).norm();
            prop_assert!(off <= 4.0 * tolerance, "off by {off}, {tolerance} allowed");
        }
    }
}

/// S1-50: swapping the two bodies (and the normal with them) swaps the answer, to the bit of the impulse.
#[test]
fn swapping_the_bodies_swaps_the_answer() {
    let descs = [
        BodyDesc { linear: Vector3::new(1.0, 0.5, 0.0), ..ball_desc(1.0, Vector3::zeros()) },
        BodyDesc { linear: Vector3::new(-2.0, 0.0, 0.3), ..ball_desc(2.0, Vector3::new(0.2, 0.0, 0.0)) },
    ];
    let run = |order: [usize; 2]| {
        let mut rig = Rig::new();
        let ends = order.map(|k| rig.add(&descs[k]));
        let edge = rig.touch_balls(ends[0], ends[1], surface(0.5, 0.3));
        rig.advance(&strict());
        (rig.impulse(edge), order.map(|k| rig.linear(ends[k])))
    };
    let (plain, swapped) = (run([0, 1]), run([1, 0]));
    assert_eq!(plain.0, -swapped.0);
    assert_eq!(plain.1, swapped.1);
}
