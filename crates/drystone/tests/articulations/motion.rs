//! Motion without contacts, against Lagrange's equations and small steps.

use crate::{Sim, hold};
use drystone::articulation::dynamics::{Factor, ForwardDynamics, Loads};
use drystone::articulation::spatial::SpatialForce;
use drystone::articulation::{Kinematics, Model, State};
use drystone::math::Vector3;
use drystone::{ArticulationHandle, BodySpec, JointAxis, JointSpec};

const DT: f32 = 1.0 / 240.0;
const GRAVITY: f64 = 9.81;

/// Angle of both rods and their speeds; rods of length `l`, mass `m` and moment about their middle `i`.
fn double_pendulum(x: [f64; 4], (m, l, i): (f64, f64, f64)) -> [f64; 4] {
    let (c, g) = (0.5 * l, GRAVITY);
    let (sine, cosine) = (x[0] - x[1]).sin_cos();
    let (m11, m22, m12) = (i + m * c * c + m * l * l, i + m * c * c, m * l * c * cosine);
    let f1 = -m * l * c * sine * x[3] * x[3] - (m * c + m * l) * g * x[0].sin();
    let f2 = m * l * c * sine * x[2] * x[2] - m * c * g * x[1].sin();
    let determinant = m11 * m22 - m12 * m12;
    [x[2], x[3], (m22 * f1 - m12 * f2) / determinant, (m11 * f2 - m12 * f1) / determinant]
}

/// The classical method of fourth order.
fn runge_kutta<const N: usize>(x: [f64; N], h: f64, rate: impl Fn([f64; N]) -> [f64; N]) -> [f64; N] {
    let moved = |k: &[f64; N], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
    let k1 = rate(x);
    let k2 = rate(moved(&k1, 0.5 * h));
    let k3 = rate(moved(&k2, 0.5 * h));
    let k4 = rate(moved(&k3, h));
    std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

#[test]
fn a_double_pendulum_follows_lagranges_equations() {
    let mut sim = Sim::new(DT);
    sim.world.set_gravity(Vector3::new(0.0, -GRAVITY as f32, 0.0)).expect("finite");
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let half = Vector3::new(0.02, 0.5, 0.02);
    let upper = sim.add_bone(1.0, half, [0.0, -0.5, 0.0]);
    let lower = sim.add_bone(1.0, half, [0.0, -1.5, 0.0]);
    let joints = [
        sim.hinge([post, upper], [0.0; 3], Vector3::z(), None),
        sim.hinge([upper, lower], [0.0, -1.0, 0.0], Vector3::z(), None),
    ];
    let arm = sim.articulate(&joints);
    let mut state = sim.world.articulation(arm).expect("there").state().clone();
    let model = sim.world.articulation(arm).expect("there").articulation().model().clone();
    state.set_positions(&model, &[0.6, -0.4]).expect("two");
    sim.world.set_articulation_state(arm, &state).expect("fits");
    let before = sim.energy();
    let moment = (0.5 * 0.5 + 0.02 * 0.02) / 3.0;
    let mut x = [0.6, 0.2, 0.0, 0.0];
    let h = f64::from(DT) / 20.0;
    let mut worst: f64 = 0.0;
    for _ in 0..2400 {
        sim.step();
        for _ in 0..20 {
            x = runge_kutta(x, h, |x| double_pendulum(x, (1.0, 1.0, moment)));
        }
        let tip = sim.world.pose(lower).expect("there").transform_point(&Vector3::new(0.0, -0.5, 0.0));
        let expected = [x[0].sin() + x[1].sin(), -x[0].cos() - x[1].cos()];
        worst = worst.max((tip.x - expected[0]).abs().max((tip.y - expected[1]).abs()));
    }
    assert!(worst < 1e-4, "the tip is off by {worst} m");
    let after = sim.energy();
    assert!((after - before).abs() < 1e-4 * before.abs(), "{before} J became {after} J");
    // The report of the step has the kinetic energy of links as well.
    let store = sim.world.body_store();
    let kinetic: f64 = store.indices().map(|body| store.kinetic_energy(body)).sum();
    let told = sim.world.report().solver.energy_after;
    assert!(kinetic > 0.0 && (told - kinetic).abs() < 1e-9 * kinetic, "{told} J of {kinetic} J");
}

/// An arm of seven hinges about axes that change, for 10 s, against steps of 1/4800 s of the same model.
#[test]
fn an_arm_of_seven_hinges_follows_its_equations() {
    let mut sim = Sim::new(DT);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let (mut below, mut joints) = (post, Vec::new());
    for k in 0..7 {
        let bone = sim.add_bone(
            2.0 - 0.2 * k as f32,
            Vector3::new(0.04, 0.1, 0.04),
            [0.0, -0.1 - 0.2 * f64::from(k), 0.0],
        );
        let axis = [Vector3::x(), Vector3::z(), Vector3::y()][k as usize % 3];
        joints.push(sim.hinge([below, bone], [0.0, -0.2 * f64::from(k), 0.0], axis, None));
        below = bone;
    }
    let arm = sim.articulate(&joints);
    let articulation = sim.world.articulation(arm).expect("there").articulation().clone();
    let mut state = articulation.state().clone();
    let velocities = [0.5, -0.4, 0.6, 0.3, -0.2, 0.4, -0.5];
    state.set_positions(articulation.model(), &[0.3, -0.2, 0.4, 0.2, -0.3, 0.1, 0.2]).expect("seven");
    state.set_velocities(articulation.model(), &velocities).expect("seven");
    sim.world.set_articulation_state(arm, &state).expect("fits");
    // Gravity of the model is that of the world.
    let before = sim.energy();
    sim.step();
    let mut model = articulation.model().clone();
    model.set_gravity(nalgebra(sim.world.config().gravity)).expect("finite");
    let mut reference = Reference::new(&model, state);
    reference.run(f64::from(DT), 20);
    for _ in 1..2400 {
        sim.step();
        reference.run(f64::from(DT), 20);
    }
    let found = sim.world.articulation(arm).expect("there").state().positions().to_vec();
    for (found, expected) in found.iter().zip(reference.state.positions()) {
        assert!((found - expected).abs() < 1e-4, "{found} rad, expected {expected}");
    }
    let after = sim.energy();
    assert!((after - before).abs() < 1e-4 * before.abs(), "{before} J became {after} J");
    assert!(joints_are_closed(&sim, arm));
}

fn nalgebra(v: Vector3) -> drystone::math::Displacement {
    drystone::math::widen(&v)
}

/// Joints are exact to the rounding of the poses of bodies.
fn joints_are_closed(sim: &Sim, arm: ArticulationHandle) -> bool {
    let joints: Vec<_> = sim.world.articulation(arm).expect("there").joints().collect();
    joints.iter().all(|&joint| sim.world.joint(joint).expect("there").error[0] < 1e-6)
}

/// The equations of motion of a tree of hinges by the classical method of fourth order.
struct Reference {
    model: Model,
    state: State,
    kinematics: Kinematics,
    factor: Factor,
    forward: ForwardDynamics,
}

impl Reference {
    fn new(model: &Model, state: State) -> Self {
        Self {
            kinematics: Kinematics::new(model),
            factor: Factor::new(model),
            forward: ForwardDynamics::new(model),
            model: model.clone(),
            state,
        }
    }

    fn rate(&mut self, x: [f64; 14]) -> [f64; 14] {
        self.state.set_positions(&self.model, &x[..7]).expect("seven");
        self.state.set_velocities(&self.model, &x[7..]).expect("seven");
        self.kinematics.update(&self.model, &self.state);
        self.factor.factorize(&self.model, &self.kinematics).expect("inertia");
        let wrenches = vec![SpatialForce::default(); 7];
        let loads = Loads { joint_forces: &[0.0; 7], wrenches: &wrenches };
        let mut out = [0.0; 7];
        self.forward.accelerate(&self.model, &self.kinematics, &self.factor, &loads, &mut out);
        std::array::from_fn(|k| if k < 7 { x[7 + k] } else { out[k - 7] })
    }

    fn run(&mut self, dt: f64, parts: u32) {
        let state = std::cell::RefCell::new(self);
        let start: [f64; 14] = {
            let own = state.borrow();
            let (q, v) = (own.state.positions(), own.state.velocities());
            std::array::from_fn(|k| if k < 7 { q[k] } else { v[k - 7] })
        };
        let mut x = start;
        for _ in 0..parts {
            x = runge_kutta(x, dt / f64::from(parts), |x| state.borrow_mut().rate(x));
        }
        let own = state.into_inner();
        own.state.set_positions(&own.model, &x[..7]).expect("seven");
        own.state.set_velocities(&own.model, &x[7..]).expect("seven");
    }
}

/// A free base with two arms turns in free fall: momentum stays, and its centre of mass falls as a stone does.
#[test]
fn a_free_base_keeps_its_momentum() {
    let mut sim = Sim::new(DT);
    let base = sim.add_bone(5.0, Vector3::new(0.2, 0.1, 0.2), [0.0, 10.0, 0.0]);
    let left = sim.add_bone(1.0, Vector3::new(0.2, 0.03, 0.03), [-0.4, 10.0, 0.0]);
    let right = sim.add_bone(2.0, Vector3::new(0.2, 0.03, 0.03), [0.4, 10.0, 0.0]);
    let joints = [
        sim.hinge([base, left], [-0.2, 10.0, 0.0], Vector3::z(), Some(hold(0.8, 20.0, 0.5, 100.0))),
        // The other way round: body A is the child.
        sim.hinge([right, base], [0.2, 10.0, 0.0], Vector3::y(), Some(hold(-0.6, 20.0, 0.5, 100.0))),
    ];
    let robot = sim.articulate(&joints);
    assert_eq!(sim.world.articulation(robot).expect("there").state().positions().len(), 9);
    sim.world.set_gravity(Vector3::zeros()).expect("finite");
    sim.world.add_impulse(left, Vector3::new(0.3, 0.2, -0.1), Vector3::zeros()).expect("dynamic");
    sim.step();
    let before = momentum(&sim);
    sim.run(4.0);
    let after = momentum(&sim);
    for k in 0..6 {
        assert!((before[k] - after[k]).abs() < 1e-5, "{before:?} became {after:?}");
    }
    let [first, second] = joints.map(|joint| sim.world.joint(joint).expect("there"));
    assert!((first.value(JointAxis::Twist) - 0.8).abs() < 0.05, "{}", first.value(JointAxis::Twist));
    assert!((second.value(JointAxis::Twist) + 0.6).abs() < 0.05, "{}", second.value(JointAxis::Twist));
    assert!((before[0] - 0.3).abs() < 1e-6, "what an impulse gives is there: {before:?}");
}

/// Linear and angular momentum about the origin, N s and N m s.
pub(crate) fn momentum(sim: &Sim) -> [f64; 6] {
    let store = sim.world.body_store();
    let mut sum = [nalgebra(Vector3::zeros()); 2];
    for body in store.indices().filter(|&body| store.hot(body).is_dynamic()) {
        let hot = store.hot(body);
        let pose = store.center_pose(body);
        let linear = nalgebra(hot.linear) * f64::from(store.mass(body));
        let spin = store.view().local_inertia[body.get()].world(&pose.rotation) * hot.angular;
        sum[0] += linear;
        sum[1] += nalgebra(spin) + pose.translation.coords.cross(&linear);
    }
    [sum[0].x, sum[0].y, sum[0].z, sum[1].x, sum[1].y, sum[1].z]
}

/// A four-bar linkage, its last hinge a closure, swings and keeps closed.
#[test]
fn a_hinge_closes_a_loop() {
    let mut sim = Sim::new(DT);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let left = sim.add_bone(1.0, Vector3::new(0.02, 0.25, 0.02), [0.0, -0.25, 0.0]);
    let bar = sim.add_bone(2.0, Vector3::new(0.5, 0.02, 0.02), [0.5, -0.5, 0.0]);
    let right = sim.add_bone(1.0, Vector3::new(0.02, 0.25, 0.02), [1.0, -0.25, 0.0]);
    let z = Vector3::z();
    let joints = [
        sim.hinge([post, left], [0.0, 0.0, 0.0], z, None),
        sim.hinge([left, bar], [0.0, -0.5, 0.0], z, None),
        sim.hinge([post, right], [1.0, 0.0, 0.0], z, None),
        sim.hinge([bar, right], [1.0, -0.5, 0.0], z, None),
    ];
    let linkage = sim.articulate(&joints);
    sim.world.add_impulse(bar, Vector3::new(3.0, 0.0, 0.0), Vector3::zeros()).expect("dynamic");
    sim.step();
    let before = sim.energy();
    let mut farthest: f64 = 0.0;
    for _ in 0..1200 {
        sim.step();
        assert!(joints_are_closed(&sim, linkage));
        // A parallelogram: the bar stays level.
        let pose = sim.world.pose(bar).expect("there");
        assert!(pose.rotation.angle() < 1e-5, "{}", pose.rotation.angle());
        farthest = farthest.max((pose.translation.x - 0.5).abs());
    }
    assert!(farthest > 0.1, "it swings: {farthest} m");
    assert!((sim.energy() - before).abs() < 1e-4 * before.abs());
}

/// Sliders and limits: a weight on a slider drops onto its limit and hangs there, and its motor lifts it.
#[test]
fn a_slider_has_limits_and_a_motor() {
    let mut sim = Sim::new(1.0 / 60.0);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let weight = sim.add_bone(3.0, Vector3::repeat(0.1), [0.0, 0.0, 0.0]);
    let spec = JointSpec::slider(post, weight).at(drystone::math::Position::origin()).along(Vector3::y());
    let slider = sim.world.add_joint(&spec.limits(-0.5, 0.5)).expect("valid");
    sim.articulate(&[slider]);
    sim.run(2.0);
    assert!((sim.place(weight).y + 0.5).abs() < 1e-6, "{}", sim.place(weight).y);
    let motor = drystone::Motor::Speed { speed: 0.25, most: 60.0 };
    sim.world.set_motor(slider, JointAxis::X, Some(motor)).expect("a slider");
    sim.run(1.0);
    assert!((sim.place(weight).y + 0.25).abs() < 0.01, "{}", sim.place(weight).y);
    // A motor that is too weak for the weight lets it down again.
    let motor = drystone::Motor::Speed { speed: 0.25, most: 20.0 };
    sim.world.set_motor(slider, JointAxis::X, Some(motor)).expect("a slider");
    sim.run(3.0);
    assert!((sim.place(weight).y + 0.5).abs() < 1e-6, "{}", sim.place(weight).y);
}

/// A crank of 0.3 m, a rod of 0.8 m and a piston whose slider closes the loop: the piston is where its closed form has it, and energy stays.
#[test]
fn a_slider_closes_a_loop() {
    let mut sim = Sim::new(1.0 / 240.0);
    let post = sim.world.add_body(BodySpec::fixed()).expect("valid");
    let (crank, rod, z) = (0.3_f64, 0.8_f64, Vector3::z());
    // The crank stands upright.
    let slant = (crank / rod).asin();
    let pin = rod * slant.cos();
    let first = sim.add_bone(2.0, Vector3::new(0.03, 0.15, 0.03), [0.0, 0.15, 0.0]);
    let turn = drystone::math::rotation_from_vector(&Vector3::new(0.0, 0.0, -slant as f32));
    let place = drystone::math::Position::new(0.5 * pin, 0.5 * crank, 0.0);
    let spec = BodySpec::dynamic().pose(drystone::math::Pose::new(place, turn));
    let second = sim.world.add_body(spec.mass(crate::box_mass(1.0, &Vector3::new(0.4, 0.03, 0.03))));
    let second = second.expect("valid");
    let piston = sim.add_bone(1.5, Vector3::repeat(0.05), [pin, 0.0, 0.0]);
    let at = drystone::math::Position::new(pin, 0.0, 0.0);
    let slide = JointSpec::slider(piston, post).at(at).along(Vector3::x());
    let joints = [
        sim.hinge([post, first], [0.0; 3], z, None),
        sim.hinge([first, second], [0.0, crank, 0.0], z, None),
        sim.hinge([second, piston], [pin, 0.0, 0.0], z, None),
        sim.world.add_joint(&slide).expect("valid"),
    ];
    sim.articulate(&joints);
    sim.world.set_velocity(first, Vector3::zeros(), Vector3::new(0.0, 0.0, -4.0)).expect("there");
    sim.step();
    let before = sim.energy();
    let mut least = f64::INFINITY;
    for _ in 0..960 {
        sim.step();
        let turned = f64::from(sim.world.joint(joints[0]).expect("there").value(JointAxis::Twist));
        let angle = turned + std::f64::consts::FRAC_PI_2;
        let expected = crank * angle.cos() + (rod * rod - (crank * angle.sin()).powi(2)).sqrt();
        let found = sim.place(piston);
        assert!((found.x - expected).abs() < 2e-6, "the piston is at {} m, not {expected}", found.x);
        assert!(found.y.abs() < 1e-6 && found.z.abs() < 1e-6, "{found}");
        assert!(sim.world.joint(joints[3]).expect("there").error[0] < 1e-5);
        assert!((sim.energy() - before).abs() < 1e-3, "energy {} from {before} J", sim.energy());
        least = least.min(found.x);
    }
    assert!(least < 0.6, "the crank went around");
}
