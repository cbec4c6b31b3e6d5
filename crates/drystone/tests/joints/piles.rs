//! Joints among contacts.

use super::*;
use drystone::math::{Position, rotation_from_vector};
use drystone::{JointHandle, JointSpec, PairMaterial};

// Not with `lcp`: its pivots cost the cube of the contacts, minutes for this pile (`crates/scenes/tests/joints_in_groups.rs` has one figure with it).
with_methods!(a_pile_of_figures_comes_to_rest: sub_step SUB_STEP, thesis_fast THESIS_FAST, thesis_accurate THESIS_ACCURATE, nsgs NSGS);

with_single_blows! {
    as_many_balls_leave_a_cradle_as_came,
    ten_swings_of_a_cradle_take_ten_periods,
}

/// Dry friction of the joints of a figure, N·m: a hundredth of what its weight of some 250 kg can give at its height.
const FRICTION: Real = 20.0;

/// A figure of eleven capsules at a height: joints at the neck, waist, shoulders, elbows, hips and knees.
fn figure(world: &mut World, at: [f64; 3], turn: Real, joints: &mut Vec<JointHandle>) -> Vec<BodyHandle> {
    let turn = rotation_from_vector(&(Vector3::new(0.3, 1.0, 0.5).normalize() * turn));
    let place = |p: [Real; 3]| {
        let p = turn * Vector3::from(p);
        Position::new(at[0] + f64::from(p.x), at[1] + f64::from(p.y), at[2] + f64::from(p.z))
    };
    let mut part = |middle: [Real; 3], half: Real, radius: Real| {
        let capsule = ColliderSpec::new(Shape::capsule(half, radius).expect("positive"));
        world
            .add_body(BodySpec::dynamic().pose(Pose::new(place(middle), turn)).collider(capsule))
            .expect("room")
    };
    let pelvis = part([0.0, 0.0, 0.0], 0.05, 0.12);
    let chest = part([0.0, 0.38, 0.0], 0.1, 0.14);
    let head = part([0.0, 0.75, 0.0], 0.04, 0.1);
    let arms: Vec<[BodyHandle; 2]> = [-1.0, 1.0]
        .map(|s: Real| [part([0.25 * s, 0.3, 0.0], 0.1, 0.05), part([0.25 * s, -0.05, 0.0], 0.1, 0.045)])
        .into();
    let legs: Vec<[BodyHandle; 2]> = [-1.0, 1.0]
        .map(|s: Real| [part([0.12 * s, -0.35, 0.0], 0.15, 0.07), part([0.12 * s, -0.8, 0.0], 0.15, 0.06)])
        .into();
    let down = turn * -Vector3::y();
    let across = turn * Vector3::x();
    let mut join = |spec: JointSpec| joints.push(world.add_joint(&spec).expect("a joint"));
    let cone = |a, b, p, angle| {
        JointSpec::cone_twist(a, b).at(place(p)).along(down).cone(angle).limits(-0.4, 0.4).friction(FRICTION)
    };
    let hinge = |a, b, p, range: [Real; 2]| {
        JointSpec::hinge(a, b).at(place(p)).along(across).limits(range[0], range[1]).friction(FRICTION)
    };
    join(cone(pelvis, chest, [0.0, 0.18, 0.0], 0.6));
    join(cone(chest, head, [0.0, 0.6, 0.0], 0.7));
    for (k, s) in [-1.0, 1.0].into_iter().enumerate() {
        join(cone(chest, arms[k][0], [0.25 * s, 0.45, 0.0], 1.4));
        join(hinge(arms[k][0], arms[k][1], [0.25 * s, 0.12, 0.0], [-2.2, 0.0]));
        join(cone(pelvis, legs[k][0], [0.12 * s, -0.12, 0.0], 1.0));
        join(hinge(legs[k][0], legs[k][1], [0.12 * s, -0.58, 0.0], [0.0, 2.2]));
    }
    let mut all = vec![pelvis, chest, head];
    all.extend(arms.into_iter().chain(legs).flatten());
    all
}

/// Figures in a pile: nothing flies, joints hold, and they come to rest. Half of them and four seconds with impulses, where they only have to hold.
fn a_pile_of_figures_comes_to_rest(method: &Method) {
    let mut world = method.world();
    let plane = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit vector"));
    world.add_body(BodySpec::fixed().collider(plane)).expect("room");
    let (mut joints, mut bodies) = (Vec::new(), Vec::new());
    let (count, sixtieths) = method.pick((20, 1200), (10, 240));
    for k in 0..count {
        let at = [1.6 * f64::from(k % 2), 1.5 + 2.0 * f64::from(k / 4), 1.6 * f64::from(k / 2 % 2)];
        bodies.extend(figure(&mut world, at, 0.7 * k as Real, &mut joints));
    }
    let (mut fastest, mut worst, mut worst_late): (Real, Real, Real) = (0.0, 0.0, 0.0);
    let mut deepest: Real = 0.0;
    for step in 0..world.steps(sixtieths) {
        world.tick();
        deepest = deepest.max(world.report().worst_overlap);
        let late = step > world.steps(300);
        for body in world.bodies().filter(|_| late) {
            fastest = fastest.max(body.linear_velocity.norm());
        }
        let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
        worst = worst.max(joints.iter().map(error).fold(0.0, Real::max));
        worst_late = if late { worst_late.max(joints.iter().map(error).fold(0.0, Real::max)) } else { 0.0 };
    }
    assert!(world.report().quarantined.is_empty());
    let is_above = |&body: &BodyHandle| world.pose(body).expect("it is there").translation.y > 0.0;
    assert!(bodies.iter().all(is_above), "none is lost");
    // What falls at 8 m/s goes 17 mm in a sub-step.
    assert!(worst < 0.1, "joints are apart by {worst} m in the fall");
    if method.is_impulse() {
        // Contacts of a heap are not solved within the rounds; joints are put in place, and correction takes back what is too deep then: see
        // `docs/joints.md`.
        let config = (method.config)();
        let threshold = config.correction.config.penetration_threshold
            * config.reference_acceleration
            * method.dt
            * method.dt;
        assert!(deepest < 1.05 * threshold, "{deepest} m deep, corrected from {threshold} m on");
        return;
    }
    let asleep = bodies.iter().filter(|&&b| world.body(b).expect("it is there").is_asleep).count();
    assert!(worst_late < 2e-3, "joints are apart by {worst_late} m in the pile");
    assert!(fastest < 2.0, "nothing flies: {fastest} m/s after five seconds");
    assert!(asleep * 10 > bodies.len() * 9, "{asleep} of {} sleep", bodies.len());
}

/// A cradle of five balls on rods of a metre, `lifted` of them by 0.4 rad; the balls.
fn cradle(method: &Method, lifted: usize) -> (Sim, Vec<BodyHandle>) {
    let mut world = sleepless(method);
    let bouncing =
        PairMaterial { restitution: 1.0, static_friction: 0.0, kinetic_friction: 0.0, rolling_friction: 0.0 };
    let granite = drystone::MaterialId(0);
    world.materials_mut().set_pair(granite, granite, bouncing).expect("in range");
    let ceiling = world.add_body(BodySpec::fixed()).expect("room");
    let mut balls = Vec::new();
    for k in 0..5 {
        let x = 0.1 * k as f64;
        let angle: f64 = if k < lifted { -0.4 } else { 0.0 };
        let pose = Pose::at(x + angle.sin(), -angle.cos(), 0.0);
        let ball = ColliderSpec::new(Shape::sphere(0.05).expect("positive"));
        let body = world.add_body(BodySpec::dynamic().pose(pose).collider(ball)).expect("room");
        let hook = Position::new(x, 0.0, 0.0);
        world
            .add_joint(&JointSpec::distance(ceiling, body).between(hook, pose.translation))
            .expect("a joint");
        balls.push(body);
    }
    (world, balls)
}

/// Period of a pendulum of a metre that swings by 0.4 rad, s: the series of the elliptic integral.
fn period() -> f64 {
    let square = 0.4f64 * 0.4;
    let series = 1.0 + square / 16.0 + 11.0 / 3072.0 * square * square;
    2.0 * std::f64::consts::PI * (1.0f64 / 9.81).sqrt() * series
}

/// A cradle of balls on rods (S1-92): as many leave on the far side as came.
fn as_many_balls_leave_a_cradle_as_came(method: &Method) {
    for lifted in 1..=3 {
        let (mut world, balls) = cradle(method, lifted);
        // A quarter of a period to the blow and another one to the turn on the far side.
        run_for(&mut world, 0.5 * period(), 1.0 / 240.0);
        for (k, &ball) in balls.iter().enumerate() {
            let x = world.pose(ball).expect("it is there").translation.x - 0.1 * k as f64;
            let wanted = if k >= 5 - lifted { 0.4f64.sin() } else { 0.0 };
            assert!((x - wanted).abs() < 0.05, "{lifted} lifted, ball {k}: {x} m, wanted {wanted}");
        }
    }
}

/// Ten swings of the cradle there and back take ten periods, within a thousandth.
fn ten_swings_of_a_cradle_take_ten_periods(method: &Method) {
    for &hz in method.pick(&[60.0, 240.0][..], &[240.0]) {
        let (mut world, balls) = cradle(method, 1);
        let dt = 1.0 / hz;
        let speed = |world: &World| f64::from(world.velocity(balls[0]).expect("it is there").0.x);
        let (mut before, mut turns) = (0.0, Vec::new());
        while turns.len() < 10 && world.time() < 11.0 * period() {
            world.step(dt).expect("a step");
            let (now, x) = (speed(&world), world.pose(balls[0]).expect("it is there").translation.x);
            // It turns on its own side where its speed changes its sign: found between two steps.
            if x < -0.2 && before < 0.0 && now >= 0.0 {
                turns.push(world.time() - f64::from(dt) * now / (now - before));
            }
            before = now;
        }
        let wanted = 10.0 * period();
        let last = *turns.last().expect("it came back");
        assert!(turns.len() == 10 && (last / wanted - 1.0).abs() < 1e-3, "{hz}: {last} s, wanted {wanted}");
    }
}

fn run_for(world: &mut World, seconds: f64, dt: Real) {
    while world.time() < seconds {
        world.step(dt).expect("a step");
    }
}
