//! Fast links and thin plates: continuous detection stops an articulation where the first of its links would pass through something.

use crate::{Sim, cuboid, hold};
use drystone::math::{Pose, Position, Real, Vector3, rotation_from_vector};
use drystone::{BodyHandle, BodySpec, ContinuousConfig, JointAxis, WorldConfig};

const DT: Real = 1.0 / 60.0;

fn sim(continuous: ContinuousConfig) -> Sim {
    let mut config = WorldConfig::default();
    config.sleeping.enabled = false;
    config.continuous = continuous;
    // Who looks ahead knows the contact before, and closes it.
    config.detection.look_ahead = 0.0;
    let mut sim = Sim::with(config, DT);
    sim.world.set_gravity(Vector3::zeros()).expect("finite");
    sim
}

/// A rod that turns by a radian per step against a plate of 1 cm; true where it never got behind the plate in two seconds.
fn rod_is_stopped(continuous: ContinuousConfig, has_forearm: bool) -> bool {
    let mut sim = sim(continuous);
    let at = 1.3_f64;
    let plate = Pose::new(
        Position::new(0.8 * at.cos(), 0.8 * at.sin(), 0.0),
        rotation_from_vector(&Vector3::new(0.0, 0.0, at as Real)),
    );
    let spec = BodySpec::fixed().pose(plate).collider(cuboid(Vector3::new(0.35, 0.005, 0.3)));
    sim.world.add_body(spec).expect("valid");
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let rod = |sim: &mut Sim, x: f64| -> BodyHandle {
        let spec = BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0));
        sim.world.add_body(spec.collider(cuboid(Vector3::new(0.25, 0.01, 0.02)))).expect("valid")
    };
    let (upper, z) = (rod(&mut sim, 0.25), Vector3::z());
    let mut joints = vec![sim.hinge([post, upper], [0.0; 3], z, None)];
    if has_forearm {
        let lower = rod(&mut sim, 0.75);
        joints.push(sim.hinge([upper, lower], [0.5, 0.0, 0.0], z, Some(hold(0.0, 200.0, 5.0, 1e3))));
    }
    let arm = sim.articulate(&joints);
    let model = sim.world.articulation(arm).expect("there").articulation().model().clone();
    let mut state = sim.world.articulation(arm).expect("there").state().clone();
    let mut velocities = vec![0.0; joints.len()];
    velocities[0] = 60.0;
    state.set_velocities(&model, &velocities).expect("fits");
    sim.world.set_articulation_state(arm, &state).expect("fits");
    (0..120).all(|_| {
        sim.step();
        // Back and forth it may go, over the other side as well, but not through.
        f64::from(sim.world.joint(joints[0]).expect("there").value(JointAxis::Twist)) < at + 0.05
    })
}

#[test]
fn a_fast_rod_does_not_pass_a_thin_plate() {
    for has_forearm in [false, true] {
        assert!(rod_is_stopped(ContinuousConfig::default(), has_forearm), "forearm {has_forearm}");
        assert!(
            !rod_is_stopped(ContinuousConfig::OFF, has_forearm),
            "without it passes, forearm {has_forearm}"
        );
    }
}

/// Two boxes on a hinge that fly at 120 m/s, two metres per step, at a wall of 2 cm.
fn dart_is_stopped(continuous: ContinuousConfig) -> bool {
    let mut sim = sim(continuous);
    let wall = BodySpec::fixed().pose(Pose::at(4.9, 0.0, 0.0)).collider(cuboid(Vector3::new(0.01, 3.0, 3.0)));
    sim.world.add_body(wall).expect("valid");
    let half = Vector3::new(0.1, 0.03, 0.03);
    let [front, back] = [0.1, -0.1].map(|x| {
        let spec =
            BodySpec::dynamic().pose(Pose::at(x, 0.0, 0.0)).linear_velocity(Vector3::new(120.0, 3.0, 0.0));
        sim.world.add_body(spec.collider(cuboid(half))).expect("valid")
    });
    let joint = sim.hinge([front, back], [0.0; 3], Vector3::z(), Some(hold(0.0, 50.0, 2.0, 1e3)));
    sim.articulate(&[joint]);
    (0..60).all(|_| {
        sim.step();
        assert!(sim.world.joint(joint).expect("there").error[0] < 1e-5);
        [front, back].iter().all(|&body| sim.place(body).x < 4.9)
    })
}

#[test]
fn a_thrown_articulation_does_not_pass_a_thin_wall() {
    assert!(dart_is_stopped(ContinuousConfig::default()));
    assert!(!dart_is_stopped(ContinuousConfig::OFF), "without it passes");
}
