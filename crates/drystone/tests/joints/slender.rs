//! Thin light bodies between heavy ones, and motors that work: what they have is theirs, and no more. Trusted: a rigid body that flies keeps its energy and momentum; work of a force against a weight.

use super::*;
use drystone::math::Position;
use drystone::{JointAxis, JointSpec, Motor};

/// A box with these half edges, m, of this mass, kg.
fn part(world: &mut World, at: [f64; 3], half: [Real; 3], mass: Real) -> BodyHandle {
    let half = Vector3::from(half);
    let shape = ColliderSpec::new(Shape::cuboid(half).expect("positive")).filter(1, 0);
    let properties = MassProperties::cuboid(&half, mass / (8.0 * half.x * half.y * half.z));
    let pose = Pose::at(at[0], at[1], at[2]);
    world.add_body(BodySpec::dynamic().pose(pose).collider(shape).mass(properties)).expect("room")
}

fn weightless_world() -> World {
    let sleeping = SleepConfig { enabled: false, ..SleepConfig::default() };
    let config = WorldConfig { sleeping, gravity: Vector3::zeros(), ..WorldConfig::default() };
    World::new(config).expect("valid")
}

/// Two weights at the ends of a light wire that turn about their middle: what each joint gives the wire about its length is a million times what it takes to spin it.
#[test]
fn a_wire_between_two_weights_is_not_thrown_about() {
    for (thickness, spin) in [(0.01, 5.0), (0.002, 20.0), (0.0005, 20.0), (0.002, 40.0)] {
        let mut world = weightless_world();
        let left = part(&mut world, [-0.3, 0.0, 0.0], [0.1, 0.05, 0.07], 20.0);
        let wire = part(&mut world, [0.0, 0.0, 0.0], [0.2, thickness, thickness], 0.05);
        let right = part(&mut world, [0.3, 0.0, 0.0], [0.1, 0.07, 0.05], 20.0);
        for (pair, x) in [([left, wire], -0.2), ([wire, right], 0.2)] {
            let fixed = JointSpec::fixed(pair[0], pair[1]).at(Position::new(x, 0.0, 0.0));
            world.add_joint(&fixed).expect("a joint");
        }
        let axis = Vector3::new(0.0, 1.0, 0.3).normalize() * spin;
        for body in [left, wire, right] {
            let arm = world.pose(body).expect("it is there").translation.coords;
            let velocity = axis.cross(&drystone::math::narrow(&arm));
            world.set_velocity(body, velocity, axis).expect("it is there");
        }
        let before = world.kinetic_energy();
        for _ in 0..300 {
            let report = world.step(1.0 / 60.0).expect("a step");
            assert!(report.quarantined.is_empty(), "{thickness} m, {spin} rad/s");
            assert!(report.solver.worst_stretch < 1e-3, "{thickness} m: {}", report.solver.worst_stretch);
        }
        let share = world.kinetic_energy() / before;
        assert!((0.95..1.02).contains(&share), "{thickness} m, {spin} rad/s: {share} of the energy");
        // No faster than all of it.
        let (_, turning) = world.velocity(wire).expect("it is there");
        assert!(turning.norm() < 1.2 * spin, "{thickness} m: {turning} rad/s");
    }
}

/// A motor that lifts a weight works against it all the time: that is no energy from nothing, at any speed.
#[test]
fn a_lift_keeps_its_speed() {
    for speed in [0.03, 0.5, 4.0] {
        let sleeping = SleepConfig { enabled: false, ..SleepConfig::default() };
        let mut world = World::new(WorldConfig { sleeping, ..WorldConfig::default() }).expect("valid");
        let post = world.add_body(BodySpec::fixed()).expect("room");
        let cabin = part(&mut world, [0.0, 0.0, 0.0], [0.2, 0.3, 0.25], 40.0);
        let load = part(&mut world, [0.0, -0.6, 0.0], [0.02, 0.3, 0.01], 2.0);
        let up = Vector3::y();
        let slider = JointSpec::slider(post, cabin).at(Position::origin()).along(up);
        let lift = slider.motor(Motor::Speed { speed, most: 2000.0 });
        world.add_joint(&lift).expect("a joint");
        let hinge = JointSpec::hinge(cabin, load).at(Position::new(0.0, -0.3, 0.0)).along(Vector3::z());
        world.add_joint(&hinge).expect("a joint");
        let mut taken = 0.0;
        for _ in 0..120 {
            taken += world.step(1.0 / 60.0).expect("a step").solver.joint_energy_taken;
        }
        let climbed = world.pose(cabin).expect("it is there").translation.y;
        // What it takes to get there with the force that is left.
        let acceleration = 2000.0 / 42.0 - 9.81;
        let wanted = f64::from(speed) * (2.0 - 0.5 * f64::from(speed) / acceleration);
        assert!((climbed / wanted - 1.0).abs() < 0.02, "{speed} m/s: {climbed} m of {wanted}");
        assert!(taken < 1e-3 * 42.0 * 9.8 * wanted, "{speed} m/s: {taken} J were taken");
    }
}

/// A weak spring between heavy links keeps swinging: what it stores and gives is its own.
#[test]
fn a_spring_between_links_gives_back_what_it_stored() {
    let mut world = weightless_world();
    let left = part(&mut world, [-0.5, 0.0, 0.0], [0.3, 0.05, 0.07], 3.0);
    let right = part(&mut world, [0.5, 0.0, 0.0], [0.3, 0.07, 0.05], 5.0);
    let hinge = JointSpec::hinge(left, right).at(Position::origin()).along(Vector3::z());
    let spring = Motor::Spring { target: 0.6, stiffness: 4.0, damping: 0.0, most: Real::INFINITY };
    let joint = world.add_joint(&hinge.motor(spring)).expect("a joint");
    let (mut taken, mut farthest) = (0.0, [Real::INFINITY, Real::NEG_INFINITY]);
    for step in 0..1200 {
        taken += world.step(1.0 / 60.0).expect("a step").solver.joint_energy_taken;
        if step >= 900 {
            let angle = world.joint(joint).expect("it is there").value(JointAxis::Twist);
            farthest = [farthest[0].min(angle), farthest[1].max(angle)];
        }
    }
    // From 0 about 0.6: up to 1.2. Its period is a second, of which sub-steps take a thousandth.
    let amplitude = farthest.map(|angle| (angle - 0.6).abs() / 0.6);
    assert!(amplitude.iter().all(|share| (0.95..1.005).contains(share)), "{farthest:?}");
    assert!(taken < 1e-3 * 0.5 * 4.0 * 0.36, "{taken} J were taken");
}
