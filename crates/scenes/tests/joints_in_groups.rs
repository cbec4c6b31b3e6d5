//! Joints with the methods that solve contacts as one problem per group: `nsgs` and `lcp`. Trusted: conservation of energy, statics, the same bits at any number of
//! threads.

use drystone::math::{Pose, Position, Real, Vector3, rotation_from_vector};
use drystone::{
    BodyHandle, BodySpec, ColliderSpec, JointHandle, JointSpec, PairMaterial, Shape, SleepConfig, World,
    WorldConfig,
};
use drystone_scenes::linkages::matrix::{self, Extent};
use drystone_scenes::linkages::{CEILING, Outcome, measure, named};
use drystone_scenes::{Preset, RunOptions, Runner, scene};

const PRESETS: [Preset; 2] = [Preset::Nsgs, Preset::Lcp];
const RATES: [f64; 2] = [120.0, 240.0];

/// A linkage that is known by name, for five seconds.
fn linkage(name: &str, preset: Preset, hz: f64) -> Outcome {
    let all = named::all();
    let case = all.iter().find(|case| case.name == name).expect("it is listed");
    let mut case = case.with(preset, hz);
    (case.seconds, case.expects.released) = (5.0, None);
    measure(&case).expect("it is valid")
}

#[test]
fn a_pendulum_keeps_its_energy() {
    for preset in PRESETS {
        for hz in RATES {
            let outcome = linkage("named/pendulum of 1, let go level", preset, hz);
            let energy = [outcome.largest, outcome.last];
            assert!(energy.iter().all(|share| (share - 1.0).abs() < 0.02), "{preset:?} {hz} Hz: {energy:?}");
            assert!(outcome.distance < 1e-3, "{preset:?} {hz} Hz: {} m apart", outcome.distance);
        }
    }
}

/// Its hinges hold three coordinates twice; weight and motion ask for some 38 N.
#[test]
fn a_loop_of_hinges_pushes_no_more_than_it_moves() {
    for preset in PRESETS {
        for hz in RATES {
            let outcome = linkage("named/four-bar on four hinges, 6 rad/s", preset, hz);
            assert!((1.0..120.0).contains(&outcome.force), "{preset:?} {hz} Hz: {} N", outcome.force);
            assert!(outcome.distance < 1e-3, "{preset:?} {hz} Hz: {} m apart", outcome.distance);
            assert_eq!((outcome.quarantined, outcome.non_finite), (0, 0));
        }
    }
}

/// Chains that whirl faster than a step follows gain nothing: without limits they reached 1e40 times their energy. They may come apart until bodies are taken out (`docs/joints.md`), which ends a run.
#[test]
fn chains_that_whirl_gain_no_energy() {
    let rows = matrix::rows(Extent::Thin);
    let chains = [
        "chain/hinge/1:50/12 links/12 rad/s",
        "chain/hinge/1:2/12 links/12 rad/s",
        "flight/hinge/1:50/6 links/12 rad/s",
    ];
    for name in chains {
        let case = rows.iter().find(|case| case.name == name).expect("it is listed");
        for preset in PRESETS {
            let mut case = case.with(preset, 240.0);
            case.seconds = 5.0;
            let outcome = measure(&case).expect("it is valid");
            assert!(outcome.largest <= CEILING, "{name} {preset:?}: {} of what was put in", outcome.largest);
        }
    }
}

/// What motors give is theirs to give: a fan turns at its speed, and so does the crank of a loop.
#[test]
fn motors_reach_their_speed() {
    for name in ["named/fan blade, 20 rad/s", "named/four-bar on four hinges, 6 rad/s"] {
        let all = named::all();
        let case = all.iter().find(|case| case.name == name).expect("it is listed");
        for preset in PRESETS {
            let mut case = case.with(preset, 240.0);
            (case.seconds, case.expects.released) = (5.0, None);
            let misses = case.misses(&measure(&case).expect("it is valid"));
            assert!(misses.is_empty(), "{name} {preset:?}: {misses:?}");
        }
    }
}

/// A beam that a chain of three rods holds up at one end, and that stands on the ground with the other one; its joints from the top, and the ground's contact carries
/// the rest of its weight.
struct HeldBeam {
    world: World,
    joints: Vec<JointHandle>,
    rods: Vec<BodyHandle>,
    beam: BodyHandle,
}

fn held_beam(preset: Preset) -> HeldBeam {
    let config = preset.config();
    let sleeping = SleepConfig { enabled: false, ..config.sleeping };
    let mut world = World::new(WorldConfig { sleeping, ..config }).expect("valid");
    let smooth =
        PairMaterial { restitution: 0.0, static_friction: 0.5, kinetic_friction: 0.5, rolling_friction: 0.0 };
    let granite = drystone::MaterialId(0);
    world.materials_mut().set_pair(granite, granite, smooth).expect("in range");
    let plane = ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit vector"));
    world.add_body(BodySpec::fixed().collider(plane)).expect("room");
    let (radius, angle): (Real, Real) = (0.05, 0.3);
    let along = Vector3::new(angle.cos(), angle.sin(), 0.0);
    let middle = Vector3::new(0.0, radius, 0.0) + along * 0.5;
    let capsule = |half| ColliderSpec::new(Shape::capsule(half, radius).expect("positive"));
    // Capsules lie along y.
    let turn = rotation_from_vector(&(Vector3::z() * (angle - std::f32::consts::FRAC_PI_2)));
    let place = |p: Vector3| Position::new(f64::from(p.x), f64::from(p.y), f64::from(p.z));
    let beam = BodySpec::dynamic().pose(Pose::new(place(middle), turn)).collider(capsule(0.5));
    let beam = world.add_body(beam).expect("room");
    let end = place(middle + along * 0.5);
    let (mut joints, mut rods, mut below) = (Vec::new(), Vec::new(), beam);
    let mut at = end;
    for _ in 0..3 {
        let pose = Pose::at(at.x, at.y + 0.2, 0.0);
        let rod = world.add_body(BodySpec::dynamic().pose(pose).collider(capsule(0.1))).expect("room");
        joints.push(world.add_joint(&JointSpec::ball(below, rod).at(at)).expect("two bodies"));
        rods.push(rod);
        (below, at) = (rod, Position::new(at.x, at.y + 0.4, 0.0));
    }
    let ceiling = world.add_body(BodySpec::fixed().pose(Pose::at(at.x, at.y + 0.5, 0.0))).expect("room");
    joints.push(world.add_joint(&JointSpec::ball(below, ceiling).at(at)).expect("two bodies"));
    joints.reverse();
    HeldBeam { world, joints, rods, beam }
}

/// The chain carries half of the beam and its own rods, the ground the other half.
#[test]
fn a_chain_and_the_ground_share_a_weight() {
    for preset in PRESETS {
        for hz in RATES {
            let HeldBeam { mut world, joints, rods, beam } = held_beam(preset);
            let gravity = world.config().gravity.norm();
            let [rod, beam_mass] = [rods[0], beam].map(|body| world.body(body).expect("it is there").mass);
            for step in 0..hz as u32 {
                world.step((1.0 / hz) as Real).expect("a step");
                let report = world.report();
                assert!(report.solver.is_solved(), "{preset:?} {hz} Hz, step {step}: {:?}", report.solver);
                assert_eq!(report.solver.ties, 4);
            }
            for (k, &joint) in joints.iter().enumerate() {
                let found = world.joint(joint).expect("it is there").force.norm();
                let wanted = gravity * (0.5 * beam_mass + rod * (3 - k) as Real);
                let share = found / wanted;
                assert!((share - 1.0).abs() < 2e-3, "{preset:?} {hz} Hz, joint {k}: {found} N of {wanted}");
            }
            let contacts: Real = world.contacts().map(|contact| contact.impulse.y.abs()).sum::<Real>();
            let (found, wanted) = (contacts * hz as Real, 0.5 * gravity * beam_mass);
            assert!((found / wanted - 1.0).abs() < 2e-3, "{preset:?} {hz} Hz: ground {found} N of {wanted}");
            let speed = world.body(beam).expect("it is there").linear_velocity.norm();
            assert!(speed < 2e-3, "{preset:?} {hz} Hz: it moves at {speed} m/s");
        }
    }
}

/// A figure falls, and lies still: the mean speed of its parts is less than a tenth of a metre per second, and no joint is apart.
#[test]
fn a_figure_falls_and_lies_still() {
    for (preset, hz) in [(Preset::Nsgs, 120.0), (Preset::Nsgs, 240.0), (Preset::Lcp, 240.0)] {
        let hashes = [1, 2].map(|threads| {
            let options = RunOptions {
                preset,
                hz: Some(hz),
                seconds: Some(4.0),
                threads,
                sleep: Some(false),
                ..RunOptions::default()
            };
            let scene = scene("ragdolls:1").expect("known");
            let mut runner = Runner::new(&scene, &options).expect("valid");
            let mut apart: Real = 0.0;
            while runner.step().expect("it runs") {
                apart = apart.max(runner.report().expect("a step was made").solver.worst_stretch);
            }
            let world = runner.world();
            let speeds = world.bodies().map(|body| body.linear_velocity.norm());
            let mean = speeds.sum::<Real>() / world.bodies().count() as Real;
            assert!(mean < 0.1, "{preset:?} {hz} Hz: {mean} m/s");
            assert!(apart < 0.02, "{preset:?} {hz} Hz: joints were apart by {apart} m");
            let hash = world.state_hash();
            assert_eq!(runner.finish().quality.lost, 0);
            hash
        });
        assert_eq!(hashes[0], hashes[1], "{preset:?} {hz} Hz: other bits with two threads");
    }
}
