//! Links of one articulation that lie in each other where their joints are: what takes their overlap back must not move joints by more than that, nor give energy.

use crate::{Sim, box_mass, cuboid, hold};
use drystone::articulation::dynamics::spring_energy;
use drystone::math::{Pose, Real, Vector3};
use drystone::{ArticulationHandle, BodyHandle, BodySpec, Motor, SolverChoice, WorldConfig};

/// Length of a link, m.
const LENGTH: Real = 0.3;
/// Links of a chain that have a shape.
const LINKS: usize = 4;

/// A chain of boxes along x, each held to the one before by two hinges with a small link in between, so that neighbours are held by no joint and meet: they overlap by twice their
/// thickness at every joint.
fn chain(sim: &mut Sim, ratio: Real, is_held: bool, motor: Option<Motor>) -> ArticulationHandle {
    let thick = 0.5 * LENGTH / ratio;
    let half = Vector3::new(0.5 * LENGTH + thick, thick, thick);
    let mut joints = Vec::new();
    let mut before: Option<BodyHandle> = is_held.then(|| {
        let at = Pose::at(-0.5 * f64::from(LENGTH), 0.0, 0.0);
        sim.world.add_body(BodySpec::fixed().pose(at).collider(cuboid(half))).expect("valid")
    });
    for link in 0..LINKS {
        let start = f64::from(LENGTH) * link as f64;
        let body = sim.add_box(1.0, half, [start + 0.5 * f64::from(LENGTH), 0.0, 0.0]);
        if let Some(before) = before {
            let spec = BodySpec::dynamic().pose(Pose::at(start, 0.0, 0.0));
            let small = box_mass(0.02, &Vector3::repeat(0.05));
            let between = sim.world.add_body(spec.mass(small)).expect("valid");
            joints.push(sim.hinge([before, between], [start, 0.0, 0.0], Vector3::z(), motor));
            joints.push(sim.hinge([between, body], [start, 0.0, 0.0], Vector3::y(), motor));
        }
        before = Some(body);
    }
    sim.articulate(&joints)
}

/// Lets all joints turn at up to `rate` rad/s, one this way, the next that way.
fn turn(sim: &mut Sim, chain: ArticulationHandle, rate: f64) {
    let now = sim.world.articulation(chain).expect("there");
    let (mut state, model) = (now.state().clone(), now.articulation().model().clone());
    let velocities: Vec<f64> =
        (0..model.dof_count()).map(|dof| rate * (1.0 + 2.3 * dof as f64).sin()).collect();
    state.set_velocities(&model, &velocities).expect("as many");
    sim.world.set_articulation_state(chain, &state).expect("fits");
}

/// Energy with that in springs, J; not a number where the articulation was given up.
fn energy(sim: &Sim, chain: ArticulationHandle) -> f64 {
    let Ok(now) = sim.world.articulation(chain) else { return f64::NAN };
    now.articulation().energy() + spring_energy(now.articulation().model(), now.state())
}

/// The most energy in 2 s, as a share of what was put in; not a number where the articulation was given up.
fn most_energy(ratio: Real, rate: f64, hz: Real, is_held: bool) -> f64 {
    let mut sim = Sim::awake(1.0 / hz);
    sim.world.set_gravity(Vector3::zeros()).expect("finite");
    let chain = chain(&mut sim, ratio, is_held, None);
    turn(&mut sim, chain, rate);
    let put_in = energy(&sim, chain);
    let shares = (0..(2.0 * hz) as u32).map(|_| {
        sim.step();
        energy(&sim, chain) / put_in
    });
    shares.fold(0.0, |most, share| if share <= most { most } else { share })
}

#[test]
fn links_that_overlap_at_their_joints_gain_no_energy() {
    let mut wrong = Vec::new();
    for ratio in [2.0, 5.0, 20.0, 50.0, 200.0] {
        for rate in [0.1, 2.0, 10.0, 40.0] {
            for (hz, is_held) in
                [(30.0, true), (60.0, true), (240.0, true), (30.0, false), (60.0, false), (240.0, false)]
            {
                let most = most_energy(ratio, rate, hz, is_held);
                if most.is_nan() || most > 1.02 {
                    wrong.push((ratio, rate, hz, is_held, most));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "thickness 1:, rad/s, Hz, held, energy of what was put in: {wrong:#?}");
}

/// In weight, and on springs: an overlap lifts and strains by what it is, and no more than once.
#[test]
fn overlaps_at_joints_strain_springs_once() {
    for ratio in [2.0, 20.0, 200.0] {
        for (stiffness, damping) in [(2.0, 0.0), (200.0, 0.0), (200.0, 2.0), (2e4, 20.0)] {
            for hz in [60.0, 240.0] {
                let mut sim = Sim::awake(1.0 / hz);
                sim.world.set_gravity(Vector3::zeros()).expect("finite");
                let motor = hold(0.0, stiffness, damping, 1e9);
                let chain = chain(&mut sim, ratio, true, Some(motor));
                turn(&mut sim, chain, 5.0);
                let put_in = energy(&sim, chain);
                let mut most = 0.0_f64;
                for _ in 0..(2.0 * hz) as u32 {
                    sim.step();
                    most = most.max(energy(&sim, chain));
                }
                println!("1:{ratio} {stiffness} {damping} {hz} Hz: {put_in} J put in, most {most} J");
                assert!(
                    most <= 1.02 * put_in,
                    "1:{ratio} {stiffness} {damping} {hz} Hz: {most} of {put_in} J"
                );
            }
        }
    }
}

/// At rest an overlap is all that moves a joint: over a lever that is next to none, too, no farther than the bound of each sub-step.
#[test]
fn a_step_displaces_a_joint_by_so_much_at_most() {
    /// Most per sub-step, rad.
    const MOST: f64 = 0.1;
    let SolverChoice::SubStep { config } = WorldConfig::default().solver else {
        panic!("the default has sub-steps")
    };
    let most = MOST * f64::from(config.sub_steps);
    let mut farthest = 0.0_f64;
    for ratio in [2.0, 5.0, 20.0, 200.0] {
        for bend in [0.0, 1e-3, 0.05, 0.5] {
            let mut sim = Sim::awake(1.0 / 60.0);
            sim.world.set_gravity(Vector3::zeros()).expect("finite");
            let chain = chain(&mut sim, ratio, true, None);
            let now = sim.world.articulation(chain).expect("there");
            let (mut state, model) = (now.state().clone(), now.articulation().model().clone());
            let bent: Vec<f64> =
                (0..model.dof_count()).map(|dof| bend * (1.0 + 2.3 * dof as f64).sin()).collect();
            state.set_positions(&model, &bent).expect("as many");
            sim.world.set_articulation_state(chain, &state).expect("fits");
            for _ in 0..30 {
                let positions =
                    |sim: &Sim| sim.world.articulation(chain).expect("there").state().positions().to_vec();
                let before = positions(&sim);
                sim.step();
                let ways = before.iter().zip(positions(&sim)).map(|(before, after)| (after - before).abs());
                farthest = ways.fold(farthest, f64::max);
                assert_eq!(energy(&sim, chain), 0.0, "1:{ratio}, bent by {bend} rad");
            }
        }
    }
    assert!(farthest > 0.0 && farthest <= most * (1.0 + 1e-9), "{farthest} of {most} rad");
}
