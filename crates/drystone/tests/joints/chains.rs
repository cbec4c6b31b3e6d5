//! Chains: what hangs, and what it hangs by.

use super::*;
use drystone::math::Position;
use drystone::{JointHandle, JointSpec};

with_every_method! {
    a_chain_carries_what_hangs_from_it,
    heavy_ends_do_not_stretch_it,
    a_chain_that_swings_holds_a_heavy_end,
    a_bridge_swings_as_it_is_let_go,
    a_bridge_of_planks_carries_a_box,
    a_necklace_stays_closed,
}

/// A chain of balls of 5 cm on a hook, 0.2 m from each other, hanging; the last one of `end` times the mass.
fn chain(method: &Method, links: usize, end: Real) -> (Sim, Vec<BodyHandle>, Vec<JointHandle>) {
    let mut world = sleepless(method);
    let mut above = world.add_body(BodySpec::fixed()).expect("room");
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for k in 0..links {
        let y = -0.2 * (k + 1) as f64;
        let ball = ColliderSpec::new(Shape::sphere(0.05).expect("positive")).filter(0, 0);
        let times = if k + 1 == links { end } else { 1.0 };
        let volume = 4.0 / 3.0 * std::f32::consts::PI * 0.05 * 0.05 * 0.05;
        let mass = MassProperties::sphere(0.05, 0.5 * times / volume);
        let spec = BodySpec::dynamic().pose(Pose::at(0.0, y, 0.0)).collider(ball).mass(mass);
        let body = world.add_body(spec).expect("room");
        let joint = JointSpec::ball(above, body).at(Position::new(0.0, y + 0.1, 0.0));
        joints.push(world.add_joint(&joint).expect("a joint"));
        bodies.push(body);
        above = body;
    }
    (world, bodies, joints)
}

fn a_chain_carries_what_hangs_from_it(method: &Method) {
    let (mut world, bodies, joints) = chain(method, 10, 1.0);
    run(&mut world, 300);
    for (k, &joint) in joints.iter().enumerate() {
        let found = world.joint(joint).expect("it is there");
        let wanted = 0.5 * 9.81 * (bodies.len() - k) as Real;
        assert!(
            (found.force - Vector3::y() * wanted).norm() < 0.01 * wanted,
            "{k}: {:?}, wanted {wanted}",
            found.force
        );
    }
}

/// Required: 1 % stretch of 100 links with 1000 times the mass at the end.
fn heavy_ends_do_not_stretch_it(method: &Method) {
    for (links, end) in [(10, 1.0), (10, 1000.0), (100, 1.0), (100, 1000.0)] {
        let (mut world, bodies, joints) = chain(method, links, end);
        let mut worst: Real = 0.0;
        for _ in 0..world.steps(600) {
            world.tick();
            let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
            worst = worst.max(joints.iter().map(error).fold(0.0, Real::max));
        }
        // A thousandth of a link; what hangs straight has nothing to do but to hold.
        assert!(worst < 2e-4, "{links} links, end {end}: {worst} m");
        let low = world.pose(bodies[links - 1]).expect("it is there").translation.y;
        assert!((low + 0.2 * links as f64).abs() < 1e-3, "{links} links, end {end}: the end is at {low} m");
    }
}

/// By sweeps alone a chain gives way under what hangs from it, until the sweeps of many steps have found what holds it. Either way holds from the step on after it was
/// chosen.
#[test]
fn sweeps_alone_hold_a_heavy_end_less_well() {
    let worst_of_a_second = |world: &mut Sim, joints: &[JointHandle], is_direct: bool| {
        let mut config = world.config().clone();
        config.set_field("sub_step.direct_joints", &is_direct.to_string()).expect("a setting");
        world.set_config(config).expect("valid");
        let mut worst: Real = 0.0;
        for _ in 0..60 {
            world.tick();
            let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
            worst = joints.iter().map(error).fold(worst, Real::max);
        }
        worst
    };
    let [held, given] = [true, false].map(|is_direct| {
        let (mut world, _, joints) = chain(&SUB_STEP, 20, 20.0);
        worst_of_a_second(&mut world, &joints, is_direct)
    });
    assert!(held < 1e-4 && given > 10.0 * held && given < 0.1, "{held} m and {given} m");
    let (mut world, bodies, joints) = chain(&SUB_STEP, 20, 20.0);
    let found = [true, false, true, false].map(|is| {
        // What stands still the sweeps have found by then as well.
        let end = *bodies.last().expect("links");
        let mass = world.body(end).expect("it is there").mass;
        world.add_impulse(end, Vector3::x() * (2.0 * mass), Vector3::zeros()).expect("finite");
        worst_of_a_second(&mut world, &joints, is)
    });
    let held = found[0].max(found[2]);
    assert!(found[1].min(found[3]) > 10.0 * held, "{found:?}");
}

/// Let go from the side, such a chain swings and whips.
fn a_chain_that_swings_holds_a_heavy_end(method: &Method) {
    let mut world = sleepless(method);
    let mut above = world.add_body(BodySpec::fixed()).expect("room");
    let mut joints = Vec::new();
    for k in 0..40 {
        let x = 0.2 * (k + 1) as f64;
        let ball = ColliderSpec::new(Shape::sphere(0.05).expect("positive")).filter(0, 0);
        let mass = MassProperties::sphere(0.05, if k == 39 { 1e6 } else { 1e3 });
        let body = world.add_body(BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).collider(ball).mass(mass));
        let body = body.expect("room");
        let joint = JointSpec::ball(above, body).at(Position::new(x - 0.1, 0.0, 0.0));
        joints.push(world.add_joint(&joint).expect("a joint"));
        above = body;
    }
    let energy = |world: &World| {
        let potential: f64 = world.bodies().map(|b| f64::from(b.mass) * 9.81 * b.center.y).sum();
        world.kinetic_energy() + potential
    };
    let (begin, scale) =
        (energy(&world), world.bodies().map(|b| f64::from(b.mass) * 9.81 * 8.0).sum::<f64>());
    let (mut most, mut apart) = (0.0_f64, 0.0);
    for _ in 0..world.steps(600) {
        world.tick();
        let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
        let worst = joints.iter().map(error).fold(0.0, Real::max);
        apart = Real::max(apart, worst);
        most = most.max(energy(&world) - begin);
    }
    assert!(apart < 2e-3, "{apart} m");
    assert!(most < 0.02 * scale, "{most} J of {scale}");
}

/// A round of balls is hung up by one of them and falls into two strands: links in a round, whose system fills in.
fn a_necklace_stays_closed(method: &Method) {
    const BEADS: usize = 12;
    let mut world = sleepless(method);
    let hook = world.add_body(BodySpec::fixed()).expect("room");
    let beads: Vec<BodyHandle> = (0..BEADS)
        .map(|k| {
            let (sine, cosine) = (k as f64 * std::f64::consts::TAU / BEADS as f64).sin_cos();
            let ball = ColliderSpec::new(Shape::sphere(0.02).expect("positive")).filter(0, 0);
            let pose = Pose::at(0.3 * sine, 0.3 * cosine - 0.3, 0.05 * sine);
            world.add_body(BodySpec::dynamic().pose(pose).collider(ball)).expect("room")
        })
        .collect();
    let place = |world: &Sim, k: usize| world.pose(beads[k % BEADS]).expect("it is there").translation;
    let mut joints = vec![world.add_joint(&JointSpec::ball(hook, beads[0])).expect("a joint")];
    for k in 0..BEADS {
        let (a, b) = (place(&world, k), place(&world, k + 1));
        let middle = Position::new(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z));
        let joint = JointSpec::ball(beads[k], beads[(k + 1) % BEADS]).at(middle);
        joints.push(world.add_joint(&joint).expect("a joint"));
    }
    let mut apart: Real = 0.0;
    for _ in 0..world.steps(300) {
        world.tick();
        let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
        apart = joints.iter().map(error).fold(apart, Real::max);
    }
    assert!(apart < 2e-3, "{apart} m");
    // Whatever swings, the round hangs on both sides of the hook.
    let lowest = (0..BEADS).map(|k| place(&world, k).y).fold(0.0, f64::min);
    assert!(lowest < -0.6, "the lowest bead is at {lowest} m");
}

/// Planks of a bridge.
const PLANKS: usize = 200;

/// Planks on hinges between two posts.
fn bridge(world: &mut Sim) -> (Vec<JointHandle>, Vec<BodyHandle>) {
    let half = Vector3::new(0.1, 0.02, 0.3);
    let plank = ColliderSpec::new(Shape::cuboid(half).expect("positive"));
    let post = world.add_body(BodySpec::fixed()).expect("room");
    let (mut before, mut joints, mut planks) = (post, Vec::new(), Vec::new());
    for k in 0..=PLANKS {
        // An arc with a sag, so that there is length to hang in.
        let at = |k: f64| {
            let angle = (k / PLANKS as f64 - 0.5) * 1.5;
            (angle.sin() * PLANKS as f64 * 0.2 / 1.5, (1.0 - angle.cos()) * PLANKS as f64 * 0.2 / 1.5)
        };
        let hinge = |a, b, x, y| JointSpec::hinge(a, b).at(Position::new(x, y, 0.0)).along(Vector3::z());
        let (x, y) = at(k as f64);
        if k == PLANKS {
            joints.push(world.add_joint(&hinge(before, post, x, y)).expect("a joint"));
            break;
        }
        let (next_x, next_y) = at(k as f64 + 1.0);
        let turn =
            drystone::math::rotation_from_vector(&(Vector3::z() * (next_y - y).atan2(next_x - x) as Real));
        let middle = Position::new(0.5 * (x + next_x), 0.5 * (y + next_y), 0.0);
        let spec = BodySpec::dynamic().pose(Pose::new(middle, turn)).collider(plank.clone());
        let body = world.add_body(spec).expect("room");
        joints.push(world.add_joint(&hinge(before, body, x, y)).expect("a joint"));
        planks.push(body);
        before = body;
    }
    (joints, planks)
}

/// Share of the weight of all bodies that both posts hold.
fn carried(world: &Sim, joints: &[JointHandle]) -> Real {
    let ends = [joints[0], joints[PLANKS]].map(|joint| world.joint(joint).expect("it is there").force.y);
    (ends[0] - ends[1]) / world.bodies().map(|b| b.mass * 9.81).sum::<Real>()
}

/// A bridge that is let go near to where it hangs swings for long, as much with steps of a sixtieth as of a thousandth of a second: its middle is 0.292 m below after one second, and 0.05 m after two, and there is never more than what its arc
/// is above the curve in which it would hang. Its two ends hold its weight from the first steps on. (Where all rows of a loop yielded a little, it fell on a soft spring, and 1300 J came from nothing in the first second, 7600 J in the next.)
fn a_bridge_swings_as_it_is_let_go(method: &Method) {
    let mut world = sleepless(method);
    let (joints, planks) = bridge(&mut world);
    let middle = |world: &Sim| world.pose(planks[PLANKS / 2]).expect("it is there").translation.y;
    for (seconds, depth) in [(1, -0.292), (2, -0.05)] {
        for step in 0..world.steps(60) {
            world.tick();
            let share = carried(&world, &joints);
            let has_begun = seconds > 1 || step > world.steps(6);
            assert!(!has_begun || (0.9..1.1).contains(&share), "{share} of its weight in step {step}");
            assert!(world.kinetic_energy() < 150.0, "{} J in step {step}", world.kinetic_energy());
        }
        let found = middle(&world);
        assert!((found - depth).abs() < 0.01, "{found} m after {seconds} s, {depth} wanted");
    }
    let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
    let worst = joints.iter().map(error).fold(0.0, Real::max);
    assert!(worst < 1e-4, "{worst} m apart");
}

/// With a box of a kilogram in the middle.
fn a_bridge_of_planks_carries_a_box(method: &Method) {
    let mut world = sleepless(method);
    let (joints, planks) = bridge(&mut world);
    let low = world.pose(planks[PLANKS / 2]).expect("it is there").translation.y;
    let load = cube(&mut world, Pose::at(0.0, low + 0.15, 0.0));
    let mut worst: Real = 0.0;
    for _ in 0..world.steps(600) {
        world.tick();
        let error = |&joint: &JointHandle| world.joint(joint).expect("it is there").error[0];
        worst = worst.max(joints.iter().map(error).fold(0.0, Real::max));
    }
    assert!(worst < 2e-3, "{worst} m of 0.2 m");
    let middle = world.pose(planks[PLANKS / 2]).expect("it is there").translation;
    let load = world.pose(load).expect("it is there").translation;
    assert!((load.y - middle.y - 0.12).abs() < 0.01, "the box at {load:?} lies on the plank at {middle:?}");
    // All of its weight is held by its ends.
    let share = carried(&world, &joints);
    assert!((share - 1.0).abs() < 0.05, "{share} of their weight");
}
