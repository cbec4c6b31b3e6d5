//! Arms that drives hold: however stiff, they give no energy of their own, and hold what they have the force for. Trusted: statics of an arm and of springs one below another.

use super::*;
use drystone::math::Position;
use drystone::{JointAxis, JointHandle, JointSpec, Motor};

const LENGTH: f64 = 0.5;
const GRAVITY: f64 = 9.81;

/// What holds the links of an arm to one another.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Hinges,
    Balls,
    /// That slide along the pull.
    Slides,
}

/// A level arm of links of a kilogram and half a metre, or a stair of what slides, from a fixed post.
struct Arm {
    world: World,
    joints: Vec<JointHandle>,
    links: Vec<BodyHandle>,
    dt: Real,
}

impl Arm {
    fn new(held: Held, count: usize, thickness: Real, motor: Motor, hz: Real) -> Self {
        let sleeping = SleepConfig { enabled: false, ..SleepConfig::default() };
        let mut world = World::new(WorldConfig { sleeping, ..WorldConfig::default() }).expect("valid");
        let post = world.add_body(BodySpec::fixed()).expect("room");
        let half = Vector3::new(0.5 * LENGTH as Real, 0.5 * thickness, 0.5 * thickness);
        let mass = MassProperties::cuboid(&half, 1.0 / (8.0 * half.x * half.y * half.z));
        let shape = ColliderSpec::new(Shape::cuboid(half).expect("positive")).filter(1, 0);
        let (mut joints, mut links, mut before) = (Vec::new(), Vec::new(), post);
        for k in 0..count {
            let begin = LENGTH * k as f64;
            let pose = Pose::at(begin + 0.5 * LENGTH, 0.0, 0.0);
            let spec = BodySpec::dynamic().pose(pose).collider(shape.clone()).mass(mass);
            let link = world.add_body(spec).expect("room");
            let at = Position::new(begin, 0.0, 0.0);
            let joint = match held {
                Held::Hinges => JointSpec::hinge(before, link).at(at).along(Vector3::z()).motor(motor),
                Held::Slides => JointSpec::slider(before, link).at(at).along(Vector3::y()).motor(motor),
                Held::Balls => [JointAxis::Twist, JointAxis::SwingY, JointAxis::SwingZ]
                    .into_iter()
                    .fold(JointSpec::ball(before, link).at(at), |joint, axis| joint.axis_motor(axis, motor)),
            };
            joints.push(world.add_joint(&joint).expect("a joint"));
            links.push(link);
            before = link;
        }
        Self { world, joints, links, dt: 1.0 / hz }
    }

    fn height(&self, link: usize) -> f64 {
        self.world.pose(self.links[link]).expect("it is there").translation.y
    }

    fn tip(&self) -> f64 {
        self.height(self.links.len() - 1)
    }

    /// Kinetic energy, that of the height, and what springs of this stiffness store, J.
    fn energy(&self, axis: JointAxis, stiffness: f64) -> f64 {
        let heights: f64 = (0..self.links.len()).map(|k| GRAVITY * self.height(k)).sum();
        let value =
            |&joint: &JointHandle| f64::from(self.world.joint(joint).expect("it is there").value(axis));
        let springs: f64 = self.joints.iter().map(|joint| 0.5 * stiffness * value(joint).powi(2)).sum();
        self.world.kinetic_energy() + heights + springs
    }

    /// A step; the joint that is farthest apart, m.
    fn tick(&mut self) -> Real {
        let report = self.world.step(self.dt).expect("a step");
        assert!(report.quarantined.is_empty());
        report.solver.worst_stretch
    }
}

/// Springs from what a step resolves to ten thousand times what it can follow: undamped ones of 1e5 N m/rad between links of a kilogram gained 1e4 J in five seconds while they were left to sweeps.
#[test]
fn springs_of_any_stiffness_gain_nothing() {
    let cases = [Held::Hinges, Held::Balls, Held::Slides]
        .into_iter()
        .flat_map(|held| [2, 6, 12].map(|count| (held, count)))
        .flat_map(|(held, count)| [1e3, 1e5, 1e7].map(|stiffness| (held, count, stiffness)))
        .flat_map(|(held, count, stiffness)| [0.02, 0.1].map(|thick| (held, count, stiffness, thick)));
    for (held, count, stiffness, thickness) in cases {
        for (damping, hz) in [(0.0, 60.0), (0.0, 240.0), (0.01 * stiffness, 60.0)] {
            let motor = Motor::Spring { target: 0.0, stiffness, damping, most: Real::INFINITY };
            let mut arm = Arm::new(held, count, thickness, motor, hz);
            let axis = if held == Held::Slides { JointAxis::X } else { JointAxis::Twist };
            // Balls store in three turns what hinges do in one: here what turns about z counts.
            let axis = if held == Held::Balls { JointAxis::SwingZ } else { axis };
            // What falls as far as the springs let it.
            let scale = GRAVITY * (0..count).map(|k| arm.height(k).abs()).sum::<f64>();
            let (mut most, mut apart): (f64, Real) = (0.0, 0.0);
            let mut lowest: f64 = scale;
            for _ in 0..(2.0 / arm.dt) as usize {
                apart = apart.max(arm.tick());
                most = most.max(arm.energy(axis, f64::from(stiffness)));
                let fallen: f64 = (0..count).map(|k| -GRAVITY * arm.height(k)).sum();
                lowest = lowest.max(fallen);
            }
            let name = format!("{held:?} of {count}, {stiffness} N m, {damping}, {thickness} m, {hz} Hz");
            assert!(most <= 0.02 * lowest + 1e-6 * count as f64, "{name}: {most} J, {lowest} J by height");
            assert!(apart < 1e-5, "{name}: {apart} m apart");
        }
    }
}

/// Where an arm comes to rest on its springs.
#[test]
fn arms_on_springs_hang_as_statics_say() {
    for (count, stiffness) in [(2, 1e4), (6, 1e5), (12, 1e6), (12, 1e7)] {
        let motor = Motor::Spring { target: 0.0, stiffness, damping: 0.01 * stiffness, most: Real::INFINITY };
        for held in [Held::Hinges, Held::Slides] {
            let mut arm = Arm::new(held, count, 0.02, motor, 60.0);
            for _ in 0..300 {
                arm.tick();
            }
            // Of what hangs on each joint.
            let hanging = (1..=count).map(|k| k as f64);
            let expected = match held {
                Held::Slides => hanging.map(|q| GRAVITY * q / f64::from(stiffness)).sum::<f64>(),
                _ => hanging
                    .map(|q| 0.5 * GRAVITY * LENGTH * q * q / f64::from(stiffness) * LENGTH * (q - 0.5))
                    .sum(),
            };
            let tip = -arm.tip();
            assert!(
                (tip / expected - 1.0).abs() < 0.02,
                "{held:?} of {count}, {stiffness}: {tip} m of {expected}"
            );
        }
    }
}

/// Motors that keep a speed of nothing: brakes. An arm of twelve links sank 1.7 m in five seconds while they were left to sweeps.
#[test]
fn brakes_hold_what_they_have_the_force_for() {
    for count in [2, 6, 12] {
        for thickness in [0.02, 0.1] {
            // What the first joint carries, N m.
            let needed = 0.5 * GRAVITY * LENGTH * (count * count) as f64;
            for (held, share) in [(Held::Hinges, 1.2), (Held::Hinges, 1e6), (Held::Slides, 1e6)] {
                let most = (share * needed) as Real;
                let mut arm = Arm::new(held, count, thickness, Motor::Speed { speed: 0.0, most }, 60.0);
                for _ in 0..300 {
                    assert!(arm.tick() < 1e-5, "{held:?} of {count}");
                }
                let tip = arm.tip();
                assert!(tip.abs() < 1e-4 * count as f64, "{held:?} of {count}, {share} of it: {tip} m");
            }
            // What they do not hold falls, with its joints together, and gains nothing.
            let most = (0.4 * needed) as Real;
            let mut arm = Arm::new(Held::Hinges, count, thickness, Motor::Speed { speed: 0.0, most }, 60.0);
            let mut apart: Real = 0.0;
            for _ in 0..120 {
                apart = apart.max(arm.tick());
                let energy = arm.energy(JointAxis::Twist, 0.0);
                assert!(energy <= 1e-3, "{count} links: {energy} J");
            }
            assert!(apart < 1e-3, "{count} links: {apart} m apart");
            assert!(arm.tip() < -0.2 * count as f64 * LENGTH, "{count} links: {} m", arm.tip());
        }
    }
}

/// Motors that come and go while an arm moves: what holds it is looked at anew.
#[test]
fn brakes_that_are_put_on_stop_what_falls() {
    for held in [Held::Hinges, Held::Slides] {
        let free = Motor::Spring { target: 0.0, stiffness: 0.0, damping: 1e-6, most: Real::INFINITY };
        let mut arm = Arm::new(held, 6, 0.02, free, 60.0);
        let axis = if held == Held::Slides { JointAxis::X } else { JointAxis::Twist };
        (0..15).for_each(|_| assert!(arm.tick() < 1e-3, "{held:?}"));
        let fallen = arm.tip();
        assert!(fallen < -0.1, "{held:?} fell to {fallen} m");
        for joint in arm.joints.clone() {
            let brake = Motor::Speed { speed: 0.0, most: Real::INFINITY };
            arm.world.set_motor(joint, axis, Some(brake)).expect("a motor");
        }
        (0..10).for_each(|_| assert!(arm.tick() < 1e-3, "{held:?}"));
        let stopped = arm.tip();
        (0..60).for_each(|_| assert!(arm.tick() < 1e-3, "{held:?}"));
        assert!((arm.tip() - stopped).abs() < 1e-3, "{held:?} went from {stopped} to {} m", arm.tip());
        for joint in arm.joints.clone() {
            arm.world.set_motor(joint, axis, None).expect("no motor");
        }
        (0..15).for_each(|_| assert!(arm.tick() < 1e-3, "{held:?}"));
        assert!(arm.tip() < stopped - 0.1, "{held:?} falls on to {} m", arm.tip());
    }
}
