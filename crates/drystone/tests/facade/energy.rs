//! Energy that grows from nothing is named by the report (`StepReport::energy_growth`), and nothing else is. Trusted: the energy that a method with a fault gives, by velocities.

use crate::common::*;
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{
    Batches, Bodies, BodySpec, ContactGraph, EnergyCheck, Exec, ImpulseConfig, ImpulseSolver, JointSpec,
    Motor, Solver, SolverReport, StepParams, SubStepConfig, SubStepSolver, WorldConfig,
};

/// User data of the bodies that a faulty method pushes.
const PUSHED: u64 = 7;

/// A method with a fault: it multiplies the velocities of some bodies.
struct Faulty<A> {
    method: A,
    factor: Real,
}

impl<A: Solver> Solver for Faulty<A> {
    fn integrates_before_detection(&self) -> bool {
        self.method.integrates_before_detection()
    }

    fn supports_joints(&self) -> bool {
        self.method.supports_joints()
    }

    fn begin(&mut self, bodies: &mut Bodies, graph: &ContactGraph, step: &StepParams, exec: &Exec) {
        self.method.begin(bodies, graph, step, exec);
    }

    fn solve(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        let report = self.method.solve(bodies, graph, batches, step, exec);
        let pushed: Vec<_> = bodies.indices().filter(|&body| bodies.user_data(body) == PUSHED).collect();
        for body in pushed {
            let hot = &mut bodies.view_mut().hot[body.get()];
            hot.linear *= self.factor;
            hot.angular *= self.factor;
        }
        report
    }
}

/// Both ways to move bodies: in sub-steps, and before detection; with their steps per second.
fn faulty(factor: Real) -> [(Box<dyn Solver>, WorldConfig, Real); 2] {
    let sub_step = Faulty { method: SubStepSolver::new(SubStepConfig::default()), factor };
    let impulse = Faulty { method: ImpulseSolver::new(ImpulseConfig::fast()), factor };
    [(Box::new(sub_step), WorldConfig::fast(), 60.0), (Box::new(impulse), WorldConfig::thesis_fast(), 240.0)]
}

fn checking(config: &WorldConfig, energy_check: EnergyCheck) -> WorldConfig {
    WorldConfig { energy_check, ..config.clone() }
}

/// Two cubes on a joint, of which a faulty method pushes the second, fly beside one that is alone.
fn flight(config: &WorldConfig, method: Box<dyn Solver>) -> Run {
    let fast = |body: BodySpec| body.linear_velocity(Vector3::x());
    let mut run = Scene::on_ground()
        .with(fast(cube(0.1, 0.0, 5.0, 0.0)))
        .with(fast(cube(0.1, 0.2, 5.0, 0.0)).user_data(PUSHED))
        .with(fast(cube(0.1, 2.0, 5.0, 0.0)))
        .start(config, 1);
    let [a, b] = [run.bodies[1], run.bodies[2]];
    run.world.add_joint(&JointSpec::ball(a, b).at(Position::new(0.1, 5.0, 0.0))).expect("two bodies");
    run.world.set_solver(method).expect("it takes joints");
    run
}

#[test]
fn what_a_method_gives_from_nothing_is_named_with_the_body_that_got_it() {
    for (method, config, hz) in faulty(1.2) {
        let mut run = flight(&checking(&config, EnergyCheck::Joints), method);
        let mass = f64::from(run.world.body(run.bodies[2]).expect("it is there").mass);
        let report = run.step(hz).clone();
        let growth = report.energy_growth.expect("it got energy");
        assert_eq!((growth.body, growth.bodies, growth.islands), (run.bodies[2], 2, 1), "{growth:?}");
        // 1 m/s became 1.2 m/s.
        let wanted = 0.5 * mass * (1.2 * 1.2 - 1.0);
        assert!((growth.joules / wanted - 1.0).abs() < 0.05, "{} J, {wanted} J wanted", growth.joules);
        assert!(!report.is_solved);
        assert_eq!(run.world.report().energy_growth, Some(growth), "and it is kept until the next step");
    }
}

#[test]
fn which_islands_are_judged_is_a_setting() {
    for check in [EnergyCheck::Off, EnergyCheck::Joints, EnergyCheck::All] {
        for (method, config, hz) in faulty(1.2) {
            let mut run = flight(&checking(&config, check), method);
            assert_eq!(run.step(hz).energy_growth.is_some(), check != EnergyCheck::Off, "{check:?}");
        }
        for (method, config, hz) in faulty(1.2) {
            let alone = cube(0.1, 0.0, 5.0, 0.0).linear_velocity(Vector3::x()).user_data(PUSHED);
            let mut run = Scene::on_ground().with(alone).start(&checking(&config, check), 1);
            run.world.set_solver(method).expect("no joints");
            let growth = run.step(hz).energy_growth;
            assert_eq!(growth.is_some(), check == EnergyCheck::All, "{check:?}: {growth:?}");
            assert!(growth.is_none_or(|growth| growth.bodies == 1 && growth.body == run.bodies[1]));
        }
    }
}

/// A hundredth of the kinetic energy may be gained: half a percent of the velocity.
#[test]
fn a_hundredth_is_no_finding() {
    for (factor, is_named) in [(1.004, false), (1.01, true)] {
        for (method, config, hz) in faulty(factor) {
            let quick = ball(0.1, 0.0, 5.0, 0.0).linear_velocity(Vector3::x() * 20.0).user_data(PUSHED);
            let mut run = Scene::on_ground().with(quick).start(&checking(&config, EnergyCheck::All), 1);
            run.world.set_solver(method).expect("no joints");
            assert_eq!(run.step(hz).energy_growth.is_some(), is_named, "{factor}, {hz} Hz");
        }
    }
}

/// All presets with their steps per second.
fn presets() -> Vec<(WorldConfig, Real)> {
    let hz = |name: &str| match name {
        "fast" | "qp_suite" => 60.0,
        "fine" => 1920.0,
        "thesis_accurate" => 960.0,
        _ => 240.0,
    };
    let config = |name: &&str| (WorldConfig::preset(name).expect("a preset"), hz(name));
    WorldConfig::PRESETS.iter().map(config).collect()
}

#[test]
fn gravity_and_global_forces_give_what_they_give() {
    for (mut config, hz) in presets() {
        config.global_force = Vector3::new(3.0, 0.0, -2.0);
        let mut run = Scene::on_ground()
            .with(ball(0.1, 0.0, 40.0, 0.0).gravity_scale(0.5))
            .with(
                cube(0.2, 2.0, 40.0, 0.0)
                    .linear_velocity(Vector3::y() * 5.0)
                    .angular_velocity(Vector3::new(3.0, 4.0, 1.0)),
            )
            .start(&checking(&config, EnergyCheck::All), 1);
        for _ in 0..hz as u32 {
            let report = run.step(hz);
            assert_eq!(report.energy_growth, None, "{:?}", config.solver);
        }
    }
}

/// Balls that meet and bounce, a tower, a heap that falls and comes to rest: nothing of that is growth.
#[test]
fn what_bounces_and_comes_to_rest_gains_nothing() {
    for (config, hz) in presets().into_iter().filter(|(_, hz)| *hz <= 240.0) {
        let mut run = Scene::on_ground()
            .with_all(tower(5, 3.0, 0.0))
            .with_all(heap(12, 0.0, 0.0, 5))
            .with(ball(0.1, -3.0, 0.1, 0.0).linear_velocity(Vector3::x() * 2.0))
            .with(ball(0.1, -2.0, 0.1, 0.0))
            .surface(0.5, 0.5, 0.5)
            .start(&checking(&config, EnergyCheck::All), 1);
        for _ in 0..2 * hz as u32 {
            let report = run.step(hz);
            assert_eq!(report.energy_growth, None, "step {} of {:?}", report.step, config.solver);
        }
    }
}

/// What asleep gets a blow has energy that it had not; the island has not.
#[test]
fn a_blow_that_wakes_gives_nothing() {
    for config in [WorldConfig::fast(), WorldConfig::thesis_fast()] {
        let mut run = Scene::on_ground()
            .with_all(tower(3, 0.0, 0.0))
            .with(ball(0.1, 2.0, 0.2, 0.0))
            .start(&checking(&config, EnergyCheck::All), 1);
        run.until_asleep(60.0, &[1, 2, 3]);
        let ball = run.bodies[4];
        run.world.set_pose(ball, Pose::at(0.5, 0.15, 0.0)).expect("it is there");
        run.world.set_velocity(ball, Vector3::x() * -8.0, Vector3::zeros()).expect("finite");
        let mut woken = 0;
        for _ in 0..30 {
            let report = run.step(60.0);
            woken += report.wakes.total();
            assert_eq!(report.energy_growth, None, "step {}", report.step);
        }
        assert!(woken >= 3, "{woken} woken");
    }
}

/// Motors, springs, forces on a body, kinematic bodies and belts do work that is not counted.
#[test]
fn what_does_work_is_left_out() {
    for (config, hz) in [(WorldConfig::fast(), 60.0), (WorldConfig::thesis_fast(), 240.0)] {
        let config = checking(&config, EnergyCheck::All);
        // A motor, a spring that was stretched.
        let mut run = Scene::on_ground()
            .with(cube(0.1, 0.0, 2.0, 0.0))
            .with(cube(0.1, 0.0, 4.0, 0.0))
            .start(&config, 1);
        let [ground, a, b] = [0, 1, 2].map(|k| run.bodies[k]);
        let hinge = JointSpec::hinge(ground, a).at(Position::new(0.0, 2.0, 0.0)).along(Vector3::z());
        run.world.add_joint(&hinge.motor(Motor::Speed { speed: 30.0, most: 1e3 })).expect("valid");
        let slider = JointSpec::slider(ground, b).at(Position::new(0.0, 4.0, 0.0)).along(Vector3::y());
        let spring = Motor::Spring { target: 1.0, stiffness: 1e3, damping: 0.0, most: Real::INFINITY };
        run.world.add_joint(&slider.motor(spring)).expect("valid");
        // For 0.05 s: the spring turns back after 0.16 s.
        for _ in 0..hz as u32 / 20 {
            assert_eq!(run.step(hz).energy_growth, None);
        }
        assert!(run.angular(1).norm() > 20.0 && run.linear(2).norm() > 0.5, "both were driven");
        // A force.
        let mut run = Scene::on_ground().with(cube(0.1, 0.0, 2.0, 0.0)).start(&config, 1);
        let force = Vector3::x() * 2e3;
        for _ in 0..10 {
            run.world.add_force(run.bodies[1], force, Vector3::zeros()).expect("finite");
            assert_eq!(run.step(hz).energy_growth, None);
        }
        assert!(run.linear(1).x > 2.0);
        // A kinematic ram, and a belt.
        let ram = BodySpec::kinematic().pose(Pose::at(-0.3, 0.1, 0.0)).collider(block(0.1, 0.1, 0.1));
        let belt = block(1.0, 0.05, 0.5).surface_velocity(Vector3::x() * 4.0);
        let belt = BodySpec::fixed().pose(Pose::at(0.0, 0.05, 3.0)).collider(belt);
        let mut run = Scene::on_ground()
            .with_all([ram, cube(0.1, -0.1, 0.05, 0.0), belt, cube(0.1, 0.0, 0.15, 3.0)])
            .start(&config, 1);
        run.world.set_velocity(run.bodies[1], Vector3::x() * 3.0, Vector3::zeros()).expect("kinematic");
        for _ in 0..(hz * 0.3) as u32 {
            assert_eq!(run.step(hz).energy_growth, None);
        }
        let driven = [2, 4].map(|body| run.linear(body).x);
        assert!(driven[0] > 2.5 && driven[1] > 0.1, "both were driven: {driven:?} m/s");
    }
}
