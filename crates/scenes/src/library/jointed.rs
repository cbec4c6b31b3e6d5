//! What joints hold: a chain, a bridge, figures, pendulums, a net. Numbers are ours.

use super::above_ground;
use crate::model::{Body, JointEntry, JointKindSpec, Orientation, PairValues, Scene, ShapeSpec};
use crate::random::Random;
use crate::run::rotation;
use drystone::math::{Real, Vector3};

/// A fixed point to hang things from.
fn hook(name: &str, at: [f64; 3]) -> Body {
    Body::new(name, ShapeSpec::ball(0.02), "iron").at(at[0], at[1], at[2]).fixed()
}

/// `links` oak rods, level at first, with an iron ball at the end: 264 kg to 32 g.
pub(super) fn chain(links: u32) -> Scene {
    const LENGTH: f64 = 0.1;
    let mut scene = Scene::new("chain");
    let way = f64::from(links) * LENGTH;
    scene.description = format!(
        "{links} oak rods of 10 cm in a chain on a hook, level at first, and at their end an iron ball of 40 cm, 8000 times as heavy as a rod."
    );
    scene.seconds = 10.0;
    scene.bodies.push(hook("hook", [0.0, way + 1.0, 0.0]));
    let mut above = "hook".to_owned();
    for k in 0..links {
        let x = (f64::from(k) + 0.5) * LENGTH;
        let rod = Body::new(format!("rod {k}"), ShapeSpec::cuboid(0.05, 0.01, 0.01), "oak");
        scene.joints.push(JointEntry::new(
            JointKindSpec::Ball,
            &*above,
            &*rod.name,
            [x - 0.5 * LENGTH, way + 1.0, 0.0],
        ));
        above.clone_from(&rod.name);
        scene.bodies.push(rod.at(x, way + 1.0, 0.0));
    }
    // It hangs by its rim: its middle would lie among the last rods.
    let ball = Body::new("ball", ShapeSpec::ball(0.4), "iron").at(way + 0.2, way + 1.0, 0.0);
    scene.joints.push(JointEntry::new(JointKindSpec::Ball, &*above, "ball", [way, way + 1.0, 0.0]));
    scene.bodies.push(ball);
    scene
}

/// `planks` oak planks on hinges between two banks, and boxes that fall onto them.
pub(super) fn bridge(planks: u32) -> Scene {
    const WIDTH: f64 = 0.2;
    const BEND: f64 = 1.0;
    let mut scene = Scene::new("bridge");
    scene.description = format!(
        "{planks} oak planks of 20 cm on hinges hang in an arc between two banks; oak boxes of 30 cm fall onto them."
    );
    scene.seconds = 10.0;
    // Boxes that bounce crowd into the middle and over its edges.
    scene.contact = Some(PairValues {
        restitution: 0.0,
        static_friction: 0.6,
        kinetic_friction: 0.6,
        rolling_friction: 0.0,
    });
    let radius = f64::from(planks) * WIDTH / BEND;
    let at = |k: f64| {
        let angle = (k / f64::from(planks) - 0.5) * BEND;
        (angle.sin() * radius, (1.0 - angle.cos()) * radius, angle)
    };
    let bank = |name: &str, (x, y, _): (f64, f64, f64)| hook(name, [x, y, 0.0]);
    scene.bodies.push(bank("left bank", at(0.0)));
    scene.bodies.push(bank("right bank", at(f64::from(planks))));
    let mut before = "left bank".to_owned();
    let hinge = |a: &str, b: &str, k: u32| {
        let (x, y, _) = at(f64::from(k));
        JointEntry::new(JointKindSpec::Hinge, a, b, [x, y, 0.0]).along([0.0, 0.0, 1.0])
    };
    for k in 0..planks {
        let (x, y, angle) = at(f64::from(k) + 0.5);
        // The half length of the chord: planks meet at their ends.
        let half = radius * (0.5 * BEND / f64::from(planks)).sin();
        let lower = radius * (1.0 - (0.5 * BEND / f64::from(planks)).cos());
        let (x, y) = (x - angle.sin() * lower, y + angle.cos() * lower);
        let plank =
            Body::new(format!("plank {k}"), ShapeSpec::cuboid(half as Real - 0.002, 0.02, 0.75), "oak");
        scene.joints.push(hinge(&before, &plank.name, k));
        before.clone_from(&plank.name);
        scene.bodies.push(plank.at(x, y, 0.0).turned(0.0, 0.0, angle.to_degrees() as Real));
    }
    scene.joints.push(hinge(&before, "right bank", planks));
    for k in 0..(planks / 10).max(1) {
        let (x, y, _) = at(f64::from(k * 10 + 5).min(f64::from(planks) - 0.5));
        scene.bodies.push(Body::new(format!("box {k}"), ShapeSpec::cube(0.3), "oak").at(x, y + 1.0, 0.0));
    }
    scene
}

/// Parts of a figure: where their middles are, m, half their length and their radius.
const PARTS: [(&str, [Real; 3], Real, Real); 11] = [
    ("pelvis", [0.0, 0.0, 0.0], 0.05, 0.12),
    ("chest", [0.0, 0.38, 0.0], 0.1, 0.14),
    ("head", [0.0, 0.75, 0.0], 0.04, 0.1),
    ("left arm", [-0.25, 0.3, 0.0], 0.1, 0.05),
    ("left hand", [-0.25, -0.05, 0.0], 0.1, 0.045),
    ("right arm", [0.25, 0.3, 0.0], 0.1, 0.05),
    ("right hand", [0.25, -0.05, 0.0], 0.1, 0.045),
    ("left thigh", [-0.12, -0.35, 0.0], 0.15, 0.07),
    ("left shin", [-0.12, -0.8, 0.0], 0.15, 0.06),
    ("right thigh", [0.12, -0.35, 0.0], 0.15, 0.07),
    ("right shin", [0.12, -0.8, 0.0], 0.15, 0.06),
];

/// Cones between parts: upper and lower one, where, and how wide, rad.
const CONES: [(&str, &str, [Real; 3], Real); 6] = [
    ("pelvis", "chest", [0.0, 0.18, 0.0], 0.6),
    ("chest", "head", [0.0, 0.6, 0.0], 0.7),
    ("chest", "left arm", [-0.25, 0.45, 0.0], 1.4),
    ("chest", "right arm", [0.25, 0.45, 0.0], 1.4),
    ("pelvis", "left thigh", [-0.12, -0.12, 0.0], 1.0),
    ("pelvis", "right thigh", [0.12, -0.12, 0.0], 1.0),
];

/// Hinges, with their limits, rad.
const HINGES: [(&str, &str, [Real; 3], [Real; 2]); 4] = [
    ("left arm", "left hand", [-0.25, 0.12, 0.0], [-2.2, 0.0]),
    ("right arm", "right hand", [0.25, 0.12, 0.0], [-2.2, 0.0]),
    ("left thigh", "left shin", [-0.12, -0.58, 0.0], [0.0, 2.2]),
    ("right thigh", "right shin", [0.12, -0.58, 0.0], [0.0, 2.2]),
];

/// Dry friction of all joints of a figure, N·m.
const FRICTION: Real = 4.0;

/// `count` figures of eleven parts fall onto a heap.
pub(super) fn ragdolls(count: u32) -> Scene {
    let mut scene = Scene::new("ragdolls");
    scene.description = format!(
        "{count} figures of eleven fir capsules, held by cones and hinges with limits and friction, fall onto a heap."
    );
    scene.seconds = 15.0;
    scene.bounds = Some(above_ground(1000.0));
    scene.bodies.push(Body::ground("granite"));
    let side = (f64::from(count) / 5.0).sqrt().ceil().max(1.0) as u32;
    let mut random = Random::new(u64::from(count));
    for k in 0..count {
        let (x, z, y) = (k % side, k / side % side, k / (side * side));
        let place = |i: u32| (f64::from(i) - 0.5 * f64::from(side - 1)) * 2.2;
        let turn = super::any_rotation(&mut random);
        figure(&mut scene, k, [place(x), 1.3 + 2.2 * f64::from(y), place(z)], turn);
    }
    scene
}

fn figure(scene: &mut Scene, index: u32, at: [f64; 3], turn: Orientation) {
    let rotate = rotation(&turn);
    let place = |p: &[Real; 3]| {
        let p = rotate * Vector3::from(*p);
        [at[0] + f64::from(p.x), at[1] + f64::from(p.y), at[2] + f64::from(p.z)]
    };
    let name = |part: &str| format!("{part} {index}");
    for (part, middle, half_length, radius) in &PARTS {
        let [x, y, z] = place(middle);
        let shape = ShapeSpec::Capsule { half_length: *half_length, radius: *radius };
        let body = Body::new(name(part), shape, "fir").at(x, y, z);
        scene.bodies.push(Body { rotation: turn, ..body });
    }
    let [down, across] = [rotate * -Vector3::y(), rotate * Vector3::x()].map(Into::into);
    for (a, b, p, angle) in &CONES {
        let mut joint = JointEntry::new(JointKindSpec::ConeTwist, name(a), name(b), place(p))
            .along(down)
            .between(-0.4, 0.4);
        (joint.cone, joint.friction) = (Some(*angle), Some(FRICTION));
        scene.joints.push(joint);
    }
    for (a, b, p, [lower, upper]) in &HINGES {
        let mut joint = JointEntry::new(JointKindSpec::Hinge, name(a), name(b), place(p))
            .along(across)
            .between(*lower, *upper);
        joint.friction = Some(FRICTION);
        scene.joints.push(joint);
    }
}

/// Newton's cradle of five iron balls on rods, `lifted` of them let go from the side (S1-92).
pub(super) fn pendulums(lifted: u32) -> Scene {
    const DIAMETER: f64 = 0.1;
    let mut scene = Scene::new("pendulums");
    scene.description = format!(
        "Newton's cradle: five iron balls of 10 cm on rods of a metre, {lifted} of them let go at 0.4 rad (S1-92)."
    );
    scene.seconds = 20.0;
    scene.contact = Some(PairValues {
        restitution: 1.0,
        static_friction: 0.0,
        kinetic_friction: 0.0,
        rolling_friction: 0.0,
    });
    for k in 0..5 {
        let x = f64::from(k) * DIAMETER;
        let angle: f64 = if k < lifted { -0.4 } else { 0.0 };
        let (hook_name, ball_name) = (format!("hook {k}"), format!("ball {k}"));
        let at = [x + angle.sin(), 2.0 - angle.cos(), 0.0];
        scene.bodies.push(hook(&hook_name, [x, 2.0, 0.0]));
        scene
            .bodies
            .push(Body::new(&*ball_name, ShapeSpec::ball(DIAMETER as Real), "iron").at(at[0], at[1], at[2]));
        let mut rod = JointEntry::new(JointKindSpec::Distance, hook_name, ball_name, [x, 2.0, 0.0]);
        rod.to = Some(at);
        scene.joints.push(rod);
    }
    scene
}

/// A square net of `side` by `side` balls with ball joints between neighbours, held at one edge.
pub(super) fn joint_grid(side: u32) -> Scene {
    const PITCH: f64 = 0.25;
    let mut scene = Scene::new("joint_grid");
    scene.description = format!(
        "A net of {side} by {side} oak balls of 20 cm, 25 cm apart, held by ball joints; one edge is fixed."
    );
    scene.seconds = 5.0;
    let name = |i: u32, j: u32| format!("{i} {j}");
    let place = |i: u32, j: u32| [f64::from(i) * PITCH, 0.0, f64::from(j) * PITCH];
    let middle = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| 0.5 * (a[k] + b[k]));
    for i in 0..side {
        for j in 0..side {
            let [x, y, z] = place(i, j);
            let ball = Body::new(name(i, j), ShapeSpec::ball(0.2), "oak").at(x, y, z);
            scene.bodies.push(if i == 0 { ball.fixed() } else { ball });
            let mut join = |other: [u32; 2]| {
                let at = middle(place(i, j), place(other[0], other[1]));
                scene.joints.push(JointEntry::new(
                    JointKindSpec::Ball,
                    name(other[0], other[1]),
                    name(i, j),
                    at,
                ));
            };
            if i > 0 {
                join([i - 1, j]);
            }
            if j > 0 && i > 0 {
                join([i, j - 1]);
            }
        }
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{RunOptions, Runner};

    /// Runs a scene for some seconds at 60 steps per second; returns the runner and the largest error of a joint after each step, m.
    fn run(scene: &Scene, seconds: f64) -> (Runner, f64) {
        let options = RunOptions { hz: Some(60.0), seconds: Some(seconds), ..RunOptions::default() };
        let mut runner = Runner::new(scene, &options).expect("valid");
        let mut worst: f64 = 0.0;
        while runner.step().expect("a step") {
            let report = runner.report().expect("a step was made");
            assert!(
                report.quarantined.is_empty() && report.solver.worst_stretch.is_finite(),
                "{:?}",
                report.quarantined
            );
            worst = worst.max(f64::from(report.solver.worst_stretch));
        }
        (runner, worst)
    }

    #[test]
    fn heavy_ends_hang_from_their_chain() {
        // Level at first, it whips to the other side and back: the ball falls into the taut chain.
        let (runner, worst) = run(&chain(100), 10.0);
        assert!(worst < 1e-2, "a tenth of a link: {worst} m");
        assert_eq!(runner.world().joint_count(), 101);
    }

    /// Waves along a taut chain leave a link slack for a moment; links of such chains tore themselves about, from two rods on.
    #[test]
    fn chains_of_many_lengths_hold() {
        for links in [2, 3, 4, 9, 17, 34, 82, 120, 140] {
            let scene = chain(links);
            let (runner, worst) = run(&scene, 6.0);
            assert!(worst < 1e-2, "{links} links: a tenth of one is {worst} m");
            assert_eq!(runner.world().joint_count(), scene.joints.len(), "{links} links");
        }
    }

    #[test]
    fn a_bridge_carries_its_boxes() {
        let (runner, worst) = run(&bridge(60), 5.0);
        assert!(worst < 5e-3, "{worst} m");
        let boxes = (0..6).filter_map(|k| {
            let index = bridge(60).bodies.iter().position(|b| b.name == format!("box {k}"))?;
            runner.world().pose(runner.body(index)?).ok()
        });
        let heights: Vec<f64> = boxes.map(|pose| pose.translation.y).collect();
        assert_eq!(heights.len(), 6);
        assert!(heights.iter().filter(|y| **y > -2.0).count() >= 5, "they lie on it: {heights:?}");
    }

    /// A bridge hangs between two banks: a loop, so what its hinges hold is held twice. Boxes fall onto it at 4 m/s.
    #[test]
    fn bridges_gain_nothing_from_what_falls_onto_them() {
        for planks in [20, 40, 70, 100] {
            let options = RunOptions { hz: Some(60.0), seconds: Some(6.0), ..RunOptions::default() };
            let mut runner = Runner::new(&bridge(planks), &options).expect("valid");
            let energy = |runner: &Runner| {
                let world = runner.world();
                let potential: f64 = world.bodies().map(|b| f64::from(b.mass) * 9.81 * b.center.y).sum();
                world.kinetic_energy() + potential
            };
            let begin = energy(&runner);
            let scale: f64 = runner.world().bodies().map(|b| f64::from(b.mass) * 9.81).sum();
            while runner.step().expect("a step") {
                assert!(runner.report().expect("a step was made").quarantined.is_empty(), "{planks} planks");
                let gain = energy(&runner) - begin;
                assert!(
                    gain < 0.002 * scale,
                    "{planks} planks: {gain} J, as much as all of it by {scale} J/m"
                );
            }
        }
    }

    #[test]
    fn figures_hold_together() {
        let (runner, worst) = run(&ragdolls(10), 6.0);
        assert!(worst < 0.1, "a blow of a sub-step: {worst} m");
        let errors = runner
            .world()
            .joints()
            .map(|(joint, _)| runner.world().joint(joint).expect("it is there").error[0]);
        assert!(errors.fold(0.0, Real::max) < 2e-3);
        assert!(runner.world().bodies().all(|body| body.center.coords.norm() < 20.0), "nothing flew off");
    }

    /// A period later those that were lifted are where they were let go; the blow takes place between them and those at the far end.
    #[test]
    fn pendulums_come_back() {
        let scene = pendulums(2);
        let period = 2.0 * std::f64::consts::PI * (1.0f64 / 9.81).sqrt() * 1.01;
        let (runner, _) = run(&scene, period);
        for (k, body) in [(0, 1), (1, 3), (4, 9)] {
            let x = runner
                .world()
                .pose(runner.body(body).expect("in the world"))
                .expect("in the world")
                .translation
                .x;
            let wanted = f64::from(k) * 0.1 - if k < 2 { 0.4f64.sin() } else { 0.0 };
            assert!((x - wanted).abs() < 0.08, "ball {k} at {x} m, wanted {wanted}");
        }
    }

    #[test]
    fn a_net_has_a_joint_for_each_pair_of_neighbours_that_can_move() {
        let scene = joint_grid(12);
        assert_eq!(scene.joints.len(), 11 * 12 + 11 * 11);
        let (runner, worst) = run(&scene, 3.0);
        assert_eq!(runner.world().joint_count(), scene.joints.len());
        assert!(worst < 0.02, "{worst} m");
    }
}
