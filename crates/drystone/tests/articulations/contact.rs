//! Contacts of links.

use crate::{Sim, cuboid, hold};
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, JointHandle, JointSpec, Material, MaterialId, PairMaterial, Shape,
};

const DT: Real = 1.0 / 60.0;

/// A material that grips and does not bounce.
fn grippy(sim: &mut Sim) -> MaterialId {
    let oak = sim.world.materials().get(MaterialId(0)).expect("built in").clone();
    // A pair has the sum of both coefficients.
    let rubber = Material {
        name: "rubber".into(),
        static_friction: 0.4,
        kinetic_friction: 0.4,
        restitution: 0.0,
        ..oak
    };
    sim.world.materials_mut().add(rubber).expect("valid")
}

/// An arm of two rods lies with its tip on a block, held up by its shoulder's hinge alone.
#[test]
fn the_tip_of_an_arm_rests_on_a_block() {
    let mut sim = Sim::awake(DT);
    let material = grippy(&mut sim);
    let half = Vector3::new(0.2, 0.25, 0.2);
    let block = BodySpec::fixed().pose(Pose::at(0.9, -0.35, 0.0)).collider(cuboid(half).material(material));
    sim.world.add_body(block).expect("valid");
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let upper = sim.add_bone(2.0, Vector3::new(0.25, 0.03, 0.03), [0.25, 0.0, 0.0]);
    let ball = ColliderSpec::new(Shape::sphere(0.05).expect("positive")).material(material);
    let tip = ball.local(drystone::math::RelativePose::new(Vector3::new(0.2, 0.0, 0.0), Default::default()));
    let lower = BodySpec::dynamic().pose(Pose::at(0.75, 0.0, 0.0)).collider(tip);
    let lower = lower.mass(crate::box_mass(1.0, &Vector3::new(0.25, 0.03, 0.03)));
    let lower = sim.world.add_body(lower).expect("valid");
    let z = Vector3::z();
    let joints = [
        sim.hinge([post, upper], [0.0; 3], z, None),
        sim.hinge([upper, lower], [0.5, 0.0, 0.0], z, Some(hold(0.0, 500.0, 20.0, 1e3))),
    ];
    sim.articulate(&joints);
    sim.run(3.0);
    let before = sim.place(lower);
    sim.run(10.0);
    let after = sim.place(lower);
    assert!((after - before).norm() < 1e-5, "it creeps by {} m", (after - before).norm());
    let tip = sim.world.pose(lower).expect("there").transform_point(&Vector3::new(0.2, 0.0, 0.0));
    let overlap = 0.05 - (tip.y - -0.1);
    assert!(overlap < 1e-3, "it sinks by {overlap} m");
    // Moments about the shoulder: what the block gives holds the weights.
    let moment = |at: Position, force: Vector3| at.x * f64::from(force.y) - at.y * f64::from(force.x);
    let carried: f64 = sim
        .world
        .contacts()
        .map(|contact| {
            let on_arm = if contact.bodies[1] == lower { contact.force } else { -contact.force };
            moment(contact.point, on_arm)
        })
        .sum();
    let gravity = sim.world.config().gravity;
    let weights = moment(sim.place(upper), gravity * 2.0) + moment(sim.place(lower), gravity);
    assert!((carried + weights).abs() < 2e-3 * weights.abs(), "{carried} N m of {weights}");
}

/// A robot with four legs of three hinges each.
struct Quadruped {
    body: BodyHandle,
    joints: Vec<JointHandle>,
    feet: Vec<BodyHandle>,
}

fn quadruped(sim: &mut Sim, height: f64) -> Quadruped {
    let material = grippy(sim);
    let spec = BodySpec::dynamic().pose(Pose::at(0.0, height, 0.0));
    let half = Vector3::new(0.3, 0.08, 0.15);
    let spec = spec.collider(cuboid(half).material(material)).mass(crate::box_mass(8.0, &half));
    let body = sim.world.add_body(spec).expect("valid");
    let (mut joints, mut feet) = (Vec::new(), Vec::new());
    for (x, z) in [(0.25, 0.2), (0.25, -0.2), (-0.25, 0.2), (-0.25, -0.2)] {
        let side = if z > 0.0 { 1.0 } else { -1.0 };
        let hip = sim.add_bone(0.4, Vector3::repeat(0.04), [x, height, z]);
        let thigh = sim.add_bone(0.6, Vector3::new(0.03, 0.1, 0.03), [x, height - 0.1, z + 0.03 * side]);
        let foot = ColliderSpec::new(Shape::sphere(0.03).expect("positive")).material(material);
        let foot =
            foot.local(drystone::math::RelativePose::new(Vector3::new(0.0, -0.1, 0.0), Default::default()));
        let spec = BodySpec::dynamic().pose(Pose::at(x, height - 0.3, z + 0.03 * side)).collider(foot);
        let shank = spec.mass(crate::box_mass(0.3, &Vector3::new(0.02, 0.1, 0.02)));
        let shank = sim.world.add_body(shank).expect("valid");
        let motor = |target| Some(hold(target, 200.0, 6.0, 60.0));
        joints.push(sim.hinge([body, hip], [x, height, z], Vector3::x(), motor(0.0)));
        joints.push(sim.hinge([hip, thigh], [x, height, z + 0.03 * side], Vector3::z(), motor(0.35)));
        joints.push(sim.hinge([thigh, shank], [x, height - 0.2, z + 0.03 * side], Vector3::z(), motor(-0.7)));
        feet.push(shank);
    }
    Quadruped { body, joints, feet }
}

#[test]
fn a_quadruped_stands_on_its_legs() {
    let mut sim = Sim::awake(DT);
    sim.ground();
    let robot = quadruped(&mut sim, 0.5);
    sim.articulate(&robot.joints);
    sim.run(4.0);
    let before = (sim.place(robot.body), robot.feet.iter().map(|&foot| sim.place(foot)).collect::<Vec<_>>());
    sim.run(16.0);
    let pose = sim.world.pose(robot.body).expect("there");
    assert!(pose.translation.y > 0.3, "it stands: {} m", pose.translation.y);
    assert!(pose.rotation.angle() < 0.05, "upright: {} rad", pose.rotation.angle());
    assert!(
        (pose.translation - before.0).norm() < 1e-3,
        "it creeps by {} m",
        (pose.translation - before.0).norm()
    );
    for (&foot, before) in robot.feet.iter().zip(&before.1) {
        assert!((sim.place(foot) - before).norm() < 1e-3);
        let sole = sim.world.pose(foot).expect("there").transform_point(&Vector3::new(0.0, -0.1, 0.0));
        assert!((sole.y - 0.03).abs() < 1e-3, "a foot at {} m", sole.y);
    }
    let mass: Real = 8.0 + 4.0 * 1.3;
    let force = sim.world.contacts().map(|contact| contact.impulse.y.abs()).sum::<Real>() / DT;
    let weight = mass * sim.world.config().gravity.norm();
    assert!((force - weight).abs() < 0.01 * weight, "the feet carry {force} N of {weight}");
}

/// A platform on a slider and a spring carries a pile of boxes.
#[test]
fn boxes_stand_on_a_platform() {
    let mut sim = Sim::awake(DT);
    let material = grippy(&mut sim);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let half = Vector3::new(1.0, 0.1, 1.0);
    let spec = BodySpec::dynamic().pose(Pose::at(0.0, 0.0, 0.0)).collider(cuboid(half).material(material));
    let platform = sim.world.add_body(spec.mass(crate::box_mass(20.0, &half))).expect("valid");
    let slider = JointSpec::slider(post, platform).at(Position::origin()).along(Vector3::y());
    let slider = slider.motor(hold(0.0, 2e4, 2e3, 1e5));
    let slider = sim.world.add_joint(&slider).expect("valid");
    sim.articulate(&[slider]);
    let boxes: Vec<BodyHandle> = (0..5)
        .map(|k| {
            let spec = BodySpec::dynamic().pose(Pose::at(0.0, 0.3 + 0.4 * f64::from(k), 0.0));
            let half = Vector3::repeat(0.2);
            let spec = spec.collider(cuboid(half).material(material)).mass(crate::box_mass(5.0, &half));
            sim.world.add_body(spec).expect("valid")
        })
        .collect();
    sim.run(4.0);
    let before: Vec<Position> = boxes.iter().map(|&body| sim.place(body)).collect();
    sim.run(8.0);
    for (k, (&body, before)) in boxes.iter().zip(&before).enumerate() {
        let pose = sim.world.pose(body).expect("there");
        assert!(
            (pose.translation - before).norm() < 1e-3,
            "box {k} creeps by {} m",
            (pose.translation - before).norm()
        );
        assert!(pose.rotation.angle() < 0.01, "box {k} is turned by {} rad", pose.rotation.angle());
        let expected = sim.place(platform).y + 0.3 + 0.4 * k as f64;
        assert!(
            (pose.translation.y - expected).abs() < 5e-3,
            "box {k} at {} m",
            pose.translation.y - expected
        );
    }
    let sag = sim.place(platform).y;
    let expected = -f64::from(sim.world.config().gravity.norm()) * 45.0 / 2e4;
    assert!((sag - expected).abs() < 1e-4, "{sag} m, expected {expected}");
}

/// Two fingers squeeze a box and lift nothing but its weight: it hangs between them by friction.
#[test]
fn fingers_hold_a_box() {
    let mut sim = Sim::awake(DT);
    let material = grippy(&mut sim);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let half = Vector3::repeat(0.1);
    let spec = BodySpec::dynamic().collider(cuboid(half).material(material));
    let held = sim.world.add_body(spec.mass(crate::box_mass(1.0, &half))).expect("valid");
    let mut joints = Vec::new();
    for side in [-1.0, 1.0] {
        let half = Vector3::new(0.02, 0.08, 0.08);
        let spec = BodySpec::dynamic().pose(Pose::at(0.12 * side, 0.0, 0.0));
        let spec = spec.collider(cuboid(half).material(material)).mass(crate::box_mass(0.2, &half));
        let finger = sim.world.add_body(spec).expect("valid");
        let spec =
            JointSpec::slider(post, finger).at(Position::new(0.12 * side, 0.0, 0.0)).along(Vector3::x());
        // 2 cm into the box: 20 N.
        let squeeze = hold(-0.02 * side as Real, 1000.0, 50.0, 100.0);
        joints.push(sim.world.add_joint(&spec.motor(squeeze)).expect("valid"));
    }
    sim.articulate(&joints);
    sim.run(0.5);
    let before = sim.place(held);
    assert!(before.coords.norm() < 0.01, "it is caught at once: {before}");
    sim.run(10.0);
    let slip = (sim.place(held) - before).norm();
    assert!(slip < 1e-3, "it slips by {slip} m");
    // Fingers that squeeze too little for its weight let it go.
    for (joint, side) in joints.into_iter().zip([-1.0, 1.0]) {
        let weak = hold(-0.02 * side, 1000.0, 50.0, 4.0);
        sim.world.set_motor(joint, drystone::JointAxis::X, Some(weak)).expect("a slider");
    }
    sim.run(1.0);
    assert!(sim.place(held).y < -0.1, "{}", sim.place(held).y);
}

/// A figure of hinges and balls falls down stairs: it has no more energy at any time than before.
#[test]
fn a_figure_falls_down_stairs() {
    let mut sim = Sim::awake(DT);
    let material = grippy(&mut sim);
    for k in 0..8 {
        let half = Vector3::new(0.2, 0.1, 2.0);
        let at = Pose::at(0.4 * f64::from(k), -0.2 * f64::from(k), 0.0);
        sim.world
            .add_body(BodySpec::fixed().pose(at).collider(cuboid(half).material(material)))
            .expect("valid");
    }
    let floor = BodySpec::fixed()
        .pose(Pose::at(5.0, -2.2, 0.0))
        .collider(cuboid(Vector3::new(10.0, 0.5, 4.0)).material(material));
    sim.world.add_body(floor).expect("valid");
    let mut part = |mass: Real, half: Vector3, at: [f64; 3]| {
        let spec = BodySpec::dynamic()
            .pose(Pose::at(at[0], at[1], at[2]))
            .linear_velocity(Vector3::new(2.0, 0.0, 0.0));
        let spec = spec.collider(cuboid(half).material(material)).mass(crate::box_mass(mass, &half));
        sim.world.add_body(spec).expect("valid")
    };
    let limb = Vector3::new(0.05, 0.18, 0.05);
    let torso = part(20.0, Vector3::new(0.1, 0.25, 0.18), [0.0, 1.2, 0.0]);
    let head = part(4.0, Vector3::repeat(0.1), [0.0, 1.6, 0.0]);
    let mut limbs = Vec::new();
    for z in [-0.1, 0.1] {
        let (thigh, shank) = (part(6.0, limb, [0.0, 0.72, z]), part(3.0, limb, [0.0, 0.34, z]));
        limbs.push((thigh, shank, z, 0.93, 0.53));
    }
    for z in [-0.26, 0.26] {
        let (upper, lower) = (part(2.0, limb, [0.0, 1.25, z]), part(1.5, limb, [0.0, 0.87, z]));
        limbs.push((upper, lower, z, 1.45, 1.06));
    }
    let ball = |a, b, at: Position| JointSpec::ball(a, b).at(at).friction(1.0);
    let mut joints =
        vec![sim.world.add_joint(&ball(torso, head, Position::new(0.0, 1.48, 0.0))).expect("valid")];
    for (upper, lower, z, hip, knee) in limbs {
        joints.push(sim.world.add_joint(&ball(torso, upper, Position::new(0.0, hip, z))).expect("valid"));
        let spec = JointSpec::hinge(upper, lower).at(Position::new(0.0, knee, z)).along(Vector3::z());
        joints.push(sim.world.add_joint(&spec.limits(-2.0, 0.1).friction(1.0)).expect("valid"));
    }
    sim.articulate(&joints);
    let mut least = sim.energy();
    let first = least;
    let mut touched = false;
    for step in 0..600 {
        sim.step();
        touched |= sim.world.report().contacts > 0;
        let now = sim.energy();
        // Taking overlap back lifts weights a little; kinetic energy does not come of it.
        assert!(now < least + 0.002 * first.abs().max(100.0), "step {step}: {now} J after {least} J");
        least = least.min(now);
    }
    assert!(touched && least < first - 100.0, "it fell: {first} J to {least} J");
    assert!(sim.place(torso).y < 0.9 && sim.place(torso).y > -2.2, "{}", sim.place(torso));
}

/// What floats and has a hinge strikes a box off its middle: momentum and its moment stay, and energy does not grow.
#[test]
fn a_blow_keeps_momentum() {
    let mut sim = Sim::awake(DT);
    let material = grippy(&mut sim);
    sim.world.set_gravity(Vector3::zeros()).expect("finite");
    let half = Vector3::new(0.3, 0.1, 0.1);
    let mut part = |x: f64, y: f64, mass: Real, speed: Real| {
        let spec =
            BodySpec::dynamic().pose(Pose::at(x, y, 0.0)).linear_velocity(Vector3::new(speed, 0.0, 0.0));
        let spec = spec.collider(cuboid(half).material(material)).mass(crate::box_mass(mass, &half));
        sim.world.add_body(spec).expect("valid")
    };
    let (rear, front) = (part(-0.7, 0.0, 2.0, 1.5), part(0.0, 0.0, 1.0, 1.5));
    let target = part(0.9, 0.12, 1.5, 0.0);
    let joint = sim.hinge([rear, front], [-0.35, 0.0, 0.0], Vector3::z(), None);
    sim.articulate(&[joint]);
    let (before, energy) = (crate::motion::momentum(&sim), sim.energy());
    assert!((before[0] - 4.5).abs() < 1e-5, "all of it is that of before: {before:?}");
    sim.run(1.0);
    let after = crate::motion::momentum(&sim);
    let speed = sim.world.velocity(target).expect("there").0.x;
    assert!(speed > 0.5, "it was struck: {speed} m/s");
    for k in 0..6 {
        // Arms on bodies stand still for a step, in which what strikes goes on by 25 mm: of 4.5 N s that is 0.1 N m s at most, and a tenth of it once both go on together.
        let most = if k < 3 { 1e-5 } else { 0.01 };
        assert!((before[k] - after[k]).abs() < most, "{before:?} became {after:?}");
    }
    assert!(sim.energy() < energy * (1.0 + 1e-6), "{energy} J became {} J", sim.energy());
    assert!(
        sim.world.joint(joint).expect("there").value(drystone::JointAxis::Twist).abs() > 0.01,
        "and it bends"
    );
}

/// A plate that moves as its user says lifts a pair of boxes on a hinge.
#[test]
fn a_kinematic_plate_carries_links() {
    let mut sim = Sim::awake(DT);
    let material = grippy(&mut sim);
    let plate = BodySpec::kinematic().pose(Pose::at(0.0, -0.1, 0.0));
    let plate = plate.collider(cuboid(Vector3::new(1.0, 0.1, 1.0)).material(material));
    let plate = sim.world.add_body(plate).expect("valid");
    let half = Vector3::new(0.2, 0.1, 0.2);
    let [a, b] = [-0.25, 0.25].map(|x| {
        let spec = BodySpec::dynamic().pose(Pose::at(x, 0.1, 0.0));
        let spec = spec.collider(cuboid(half).material(material)).mass(crate::box_mass(2.0, &half));
        sim.world.add_body(spec).expect("valid")
    });
    let joint = sim.hinge([a, b], [0.0, 0.1, 0.0], Vector3::z(), None);
    sim.articulate(&[joint]);
    sim.world.set_velocity(plate, Vector3::new(0.2, 0.5, 0.0), Vector3::zeros()).expect("kinematic");
    sim.run(2.0);
    let top = sim.place(plate).y + 0.1;
    assert!((top - 1.0).abs() < 1e-3, "it rose by {top} m");
    for body in [a, b] {
        let overlap = top + 0.1 - sim.place(body).y;
        assert!(overlap.abs() < 1e-3, "it is in the plate by {overlap} m");
        let speed = sim.world.velocity(body).expect("there").0;
        assert!((speed - Vector3::new(0.2, 0.5, 0.0)).norm() < 1e-2, "it goes along: {speed:?}");
    }
}

/// A ball with a small box fixed in its middle rolls to a stop by rolling friction: what it loses is the work of `c N` over the angle, and it stays.
#[test]
fn a_link_rolls_to_a_stop() {
    let (radius, mass, coefficient, speed) = (0.1_f32, 2.0_f32, 2e-3_f32, 0.6_f32);
    let mut sim = Sim::awake(DT);
    let pair = PairMaterial {
        restitution: 0.0,
        static_friction: 0.8,
        kinetic_friction: 0.8,
        rolling_friction: coefficient,
    };
    sim.world.materials_mut().set_all_pairs(pair).expect("valid");
    sim.ground();
    let moment = 0.4 * mass * radius * radius;
    let ball = BodySpec::dynamic()
        .pose(Pose::at(0.0, f64::from(radius), 0.0))
        .mass(drystone::math::inertia::MassProperties::aligned(mass, Vector3::repeat(moment)))
        .collider(ColliderSpec::new(Shape::sphere(radius).expect("positive")));
    let ball = sim.world.add_body(ball).expect("valid");
    let rider = sim.add_bone(0.5, Vector3::repeat(0.02), [0.0, f64::from(radius), 0.0]);
    let at = Position::new(0.0, f64::from(radius), 0.0);
    let joint = sim.world.add_joint(&JointSpec::fixed(ball, rider).at(at)).expect("valid");
    sim.articulate(&[joint]);
    for body in [ball, rider] {
        let spin = Vector3::new(0.0, 0.0, -speed / radius);
        sim.world.set_velocity(body, Vector3::new(speed, 0.0, 0.0), spin).expect("there");
    }
    sim.run(20.0);
    let small = 0.5 * 2.0 / 3.0 * 0.02 * 0.02;
    let energy = 0.5 * (mass + 0.5) * speed * speed + 0.5 * (moment + small) * (speed / radius).powi(2);
    let expected = f64::from(energy * radius / (coefficient * (mass + 0.5) * 9.81));
    let way = sim.place(ball).x;
    assert!((way / expected - 1.0).abs() < 0.02, "it rolled {way} m, not {expected}");
    sim.run(5.0);
    assert!((sim.place(ball).x - way).abs() < 1e-4, "it stands, and went on by {}", sim.place(ball).x - way);
}

/// Below the slope of `tan a = c / R` a link stays, above it rolls.
#[test]
fn rolling_friction_holds_a_link_on_a_slope() {
    for (share, stays) in [(0.8_f32, true), (1.3, false)] {
        let (radius, coefficient) = (0.1_f32, 5e-3_f32);
        let mut sim = Sim::awake(DT);
        let pair = PairMaterial {
            restitution: 0.0,
            static_friction: 0.8,
            kinetic_friction: 0.8,
            rolling_friction: coefficient,
        };
        sim.world.materials_mut().set_all_pairs(pair).expect("valid");
        sim.ground();
        let slope = share * coefficient / radius;
        let gravity = Vector3::new(9.81 * slope, -9.81, 0.0);
        sim.world.set_gravity(gravity).expect("finite");
        let ball = BodySpec::dynamic()
            .pose(Pose::at(0.0, f64::from(radius), 0.0))
            .collider(ColliderSpec::new(Shape::sphere(radius).expect("positive")));
        let ball = sim.world.add_body(ball).expect("valid");
        let rider = sim.add_bone(0.5, Vector3::repeat(0.02), [0.0, f64::from(radius), 0.0]);
        let at = Position::new(0.0, f64::from(radius), 0.0);
        let joint = sim.world.add_joint(&JointSpec::fixed(ball, rider).at(at)).expect("valid");
        sim.articulate(&[joint]);
        sim.run(5.0);
        let way = sim.place(ball).x;
        assert_eq!(way.abs() < 5e-3, stays, "at {share} of the slope that holds it rolled {way} m");
    }
}
