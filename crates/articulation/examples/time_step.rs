//! Microseconds of forward dynamics and of steps, for three robots: an arm of seven axes, a quadruped (free base and 12 joints), a humanoid
//! (free base and 30 joints).
//!
//! `cargo run --release -p drystone-articulation --example time_step`. Each figure is the least of 7 rounds: what else the machine did is
//! left out. Links are boxes, joints turn with up to 1 rad/s. `forward`: kinematics, factor and accelerations. `semi-implicit`: a step of
//! 1/240 s with damping and a position motor on each joint, limits and no friction, as robots usually have. `runge-kutta`: the same with the
//! default step, and without motors and limits (`free`).

use drystone_articulation::dynamics::{Factor, ForwardDynamics, InverseDynamics, Loads};
use drystone_articulation::{
    Articulation, ArticulationError, Integrator, JointSpec, Kinematics, LinkIndex, LinkSpec, Model,
    ModelBuilder, Motor, State, StepConfig,
};
use nalgebra::Vector3;
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: u32 = 7;
const DT: f64 = 1.0 / 240.0;

fn main() -> Result<(), ArticulationError> {
    println!(
        "{:10} {:>5} {:>9} {:>14} {:>12} {:>12}",
        "robot", "dof", "forward", "semi-implicit", "runge-kutta", "free"
    );
    for (name, robot) in [("arm", arm as fn(bool) -> _), ("quadruped", quadruped), ("humanoid", humanoid)] {
        let (free, driven) = (robot(false)?, robot(true)?);
        let forward = forward(&free)?;
        let semi_implicit = steps(&driven, Integrator::SemiImplicit)?;
        let runge_kutta = steps(&driven, Integrator::RungeKutta)?;
        let alone = steps(&free, Integrator::RungeKutta)?;
        let count = free.dof_count();
        println!(
            "{name:10} {count:>5} {forward:>9.2} {semi_implicit:>14.2} {runge_kutta:>12.2} {alone:>12.2}"
        );
    }
    println!("µs each");
    Ok(())
}

/// The least time of a call, µs.
fn least(
    calls: u32,
    mut call: impl FnMut() -> Result<(), ArticulationError>,
) -> Result<f64, ArticulationError> {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        least = least.min(start.elapsed().as_secs_f64() * 1e6 / f64::from(calls));
    }
    Ok(least)
}

fn forward(model: &Model) -> Result<f64, ArticulationError> {
    let state = moving(model)?;
    let mut kinematics = Kinematics::new(model);
    let (mut factor, mut dynamics) = (Factor::new(model), ForwardDynamics::new(model));
    let forces = vec![0.0; model.dof_count()];
    let mut out = forces.clone();
    let time = least(5_000, || {
        kinematics.update(model, black_box(&state));
        factor.factorize(model, &kinematics)?;
        let loads = Loads { joint_forces: &forces, wrenches: &[] };
        dynamics.accelerate(model, &kinematics, &factor, &loads, &mut out);
        black_box(&out);
        Ok(())
    })?;
    let mut back = forces.clone();
    InverseDynamics::new(model).forces(model, &kinematics, &out, &[], &mut back);
    assert!(back.iter().all(|force| force.abs() < 1e-9), "inverse dynamics gives the forces back");
    Ok(time)
}

fn steps(model: &Model, integrator: Integrator) -> Result<f64, ArticulationError> {
    let mut robot = Articulation::new(model.clone(), StepConfig { integrator, ..StepConfig::default() })?;
    robot.set_state(&moving(model)?)?;
    let time = least(240, || robot.step(DT).map(drop))?;
    assert!(robot.state().velocities().iter().all(|v| v.abs() < 1e3), "the robot is in hand");
    Ok(time)
}

/// All joints a little off their zero and moving.
fn moving(model: &Model) -> Result<State, ArticulationError> {
    let mut state = State::zero(model);
    let wave = |k: usize| f64::from((k * 37 % 21) as u32) / 10.0 - 1.0;
    let positions: Vec<f64> = state.positions().iter().enumerate().map(|(k, q)| q + 0.3 * wave(k)).collect();
    state.set_positions(model, &positions)?;
    let velocities: Vec<f64> = (0..model.dof_count()).map(wave).collect();
    state.set_velocities(model, &velocities)?;
    Ok(state)
}

/// A robot under construction: `driven` joints have damping, a motor and limits.
struct Robot {
    builder: ModelBuilder,
    driven: bool,
}

impl Robot {
    fn new(driven: bool) -> Result<Self, ArticulationError> {
        let mut builder = ModelBuilder::new();
        builder.gravity(Vector3::new(0.0, 0.0, -9.81))?;
        Ok(Self { builder, driven })
    }

    fn base(&mut self, mass: f64, edges: Vector3<f64>) -> Result<LinkIndex, ArticulationError> {
        self.builder.root(LinkSpec::new(JointSpec::free()).cuboid(mass, Vector3::zeros(), edges))
    }

    /// A chain of links along `way`, one per axis, each `length` long.
    fn limb(
        &mut self,
        on: Option<LinkIndex>,
        start: Vector3<f64>,
        way: Vector3<f64>,
        mass: f64,
        axes: &[Vector3<f64>],
    ) -> Result<LinkIndex, ArticulationError> {
        let (mut above, mut place) = (on, start);
        for axis in axes {
            let joint = JointSpec::revolute(*axis).armature(0.01);
            let motor = Motor::position(0.0, 40.0, 2.0).at_most(200.0);
            let joint = if self.driven { joint.damping(0.1).motor(motor).limits(-2.0, 2.0) } else { joint };
            let edges = Vector3::repeat(0.06) + way.abs();
            let spec = LinkSpec::new(joint).at(place.x, place.y, place.z).cuboid(mass, way * 0.5, edges);
            above = Some(match above {
                Some(parent) => self.builder.child(parent, spec)?,
                None => self.builder.root(spec)?,
            });
            place = way;
        }
        above.ok_or(ArticulationError::Empty)
    }
}

fn arm(driven: bool) -> Result<Model, ArticulationError> {
    let mut robot = Robot::new(driven)?;
    let (y, z) = (Vector3::y(), Vector3::z());
    robot.limb(None, Vector3::zeros(), z * 0.18, 2.5, &[z, y, z, y, z, y, z])?;
    robot.builder.build()
}

fn quadruped(driven: bool) -> Result<Model, ArticulationError> {
    let mut robot = Robot::new(driven)?;
    let base = robot.base(12.0, Vector3::new(0.6, 0.25, 0.15))?;
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    for corner in [x + y, x - y, -x + y, -x - y] {
        robot.limb(
            Some(base),
            corner.component_mul(&Vector3::new(0.3, 0.12, 0.0)),
            -z * 0.2,
            1.0,
            &[x, y, y],
        )?;
    }
    robot.builder.build()
}

fn humanoid(driven: bool) -> Result<Model, ArticulationError> {
    let mut robot = Robot::new(driven)?;
    let pelvis = robot.base(9.0, Vector3::new(0.2, 0.3, 0.2))?;
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let chest = robot.limb(Some(pelvis), z * 0.1, z * 0.15, 6.0, &[z, y, x])?;
    robot.limb(Some(chest), z * 0.15, z * 0.08, 1.5, &[z, y, x])?;
    for side in [-1.0, 1.0] {
        robot.limb(Some(pelvis), y * (0.1 * side) - z * 0.1, -z * 0.2, 2.5, &[z, x, y, y, y, x])?;
        robot.limb(Some(chest), y * (0.2 * side) + z * 0.1, -z * 0.12, 1.0, &[y, x, z, y, z, y])?;
    }
    robot.builder.build()
}
