//! Joint solves of islands, driven by hand-made contacts through the public interface, with the solvers of this crate. Trusted: Newton's and Coulomb's laws in `f64`, and another run for bits.

#[path = "../common/mod.rs"]
mod common;
#[path = "../sub_step/scene.rs"]
#[allow(dead_code, reason = "shared with the tests of another method, each uses its own part")]
mod scene;

use common::{G, Random, Rig, surface};
use drystone_contact::{
    AxisLocks, Batches, Bodies, BodyDesc, BodyKind, ContactGraph, PairMaterial, StepParams,
};
use drystone_exec::Exec;
use drystone_math::{Real, StateHasher, Vector3};
use drystone_resolution::island::Moves;
use drystone_resolution::nsgs::SweepOrder;
use drystone_resolution::problem::{Outcome, Problem, ProblemSolver, SolveOptions};
use drystone_resolution::{
    Escalation, EscalationConfig, InteriorPoint, IslandSolver, IslandSolverConfig, Nsgs, NsgsConfig,
    NsgsThenInterior, ProximalNewton, Solver, SolverReport, apply_forces, move_bodies,
};
use scene::*;

fn method() -> IslandSolver<Nsgs> {
    IslandSolver::new(IslandSolverConfig::default(), Nsgs::new(NsgsConfig::default()))
}

fn step(rig: &mut Rig, method: &mut dyn Solver) -> SolverReport {
    rig.advance_with(method, &Exec::serial())
}

/// Share of all that acts on a body that rounding of velocities and impulses to `f32` may hide.
const ROUNDING: f64 = 2e-6;

#[test]
fn reported_impulses_are_the_change_of_momentum() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut rig = if seed % 3 == 0 { floating() } else { rig() };
        let count = 1 + random.below(12);
        let extra = random.below(count + 1);
        cluster(&mut rig, count, extra, &mut random);
        let mut method = method();
        for k in 0..3 {
            check_momenta(&mut rig, &mut method, ROUNDING, &format!("seed {seed}, step {k}"));
        }
    }
}

/// Every face carries what stands above it, from the first step on, and nothing moves.
#[test]
fn a_tower_carries_its_weight() {
    let mut rig = rig();
    let (cubes, edges) = tower(&mut rig, 10, surface(0.0, 0.5));
    let mut method = method();
    for _ in 0..20 {
        let report = step(&mut rig, &mut method);
        assert!(report.is_solved() && report.limit_hits == 0, "{report:?}");
        for (i, &edge) in edges.iter().enumerate() {
            let load = (10 - i) as Real * G * rig.step.dt;
            let off = (rig.impulse(edge) - Vector3::y() * load).norm();
            assert!(off < 1e-4 * load, "face {i}: {off} of {load}");
        }
    }
    let fastest = cubes.iter().fold(0.0, |most: Real, &cube| most.max(rig.linear(cube).norm()));
    // Each face may close at the tolerance, 1e-6, times the norm of 40 free velocities; ten of them add up.
    assert!(fastest < 10.0 * 1e-6 * (40.0 as Real).sqrt() * G * rig.step.dt, "{fastest} m/s");
}

/// Set down in one piece, with 10 000 times the weight on top: sweeps alone would take some hundred thousand.
#[test]
fn heavy_on_light_is_carried_from_the_first_step_on() {
    let mut rig = rig();
    let (cubes, edges) = tower(&mut rig, 10, surface(0.0, 0.5));
    let heavy = rig.add(&cuboid(10_000.0, Vector3::repeat(1.0), Vector3::new(0.0, 10.5, 0.0)));
    let face = square(Vector3::new(0.0, 10.0, 0.0), &Vector3::y(), 0.5);
    let top = rig.touch(cubes[9], heavy, Vector3::y(), &face, 0.0, surface(0.0, 0.5));
    let solver = NsgsThenInterior::new(NsgsConfig::default(), NsgsThenInterior::ESCALATE_AFTER);
    let report = step(&mut rig, &mut IslandSolver::new(IslandSolverConfig::default(), solver));
    assert!(report.is_solved() && report.limit_hits == 0, "{report:?}");
    let speed = G * rig.step.dt;
    for (edge, mass) in [(edges[0], 10_010.0), (top, 10_000.0)] {
        let off = (rig.impulse(edge) - Vector3::y() * (mass * speed)).norm();
        assert!(off < 1e-4 * mass * speed, "{off} N s of {}", mass * speed);
    }
    let fastest = cubes.iter().fold(0.0, |most: Real, &cube| most.max(rig.linear(cube).norm()));
    assert!(fastest < 1e-4 * speed, "{fastest} m/s");
}

/// The answers of the interior-point method and of proximal points obey the law as those of sweeps do, also where contacts slide and separate, and says so.
#[test]
fn all_solvers_find_answers_of_the_same_law() {
    for seed in 0..20 {
        let mut rigs = [rig(), rig(), rig()];
        rigs.iter_mut().for_each(|rig| _ = cluster(rig, 12, 6, &mut Random::new(seed)));
        let [mut a, mut b, mut c] = rigs;
        let config = IslandSolverConfig { max_iterations: 20_000, ..IslandSolverConfig::default() };
        let swept = step(&mut a, &mut IslandSolver::new(config.clone(), Nsgs::new(NsgsConfig::default())));
        let inside = step(&mut b, &mut IslandSolver::new(config.clone(), InteriorPoint::new()));
        let near = step(&mut c, &mut IslandSolver::new(config, ProximalNewton::new()));
        let reports = [swept, inside, near];
        assert_eq!(reports.each_ref().map(|report| report.limit_hits), [0; 3], "seed {seed}");
        assert!(reports.iter().all(|report| report.is_solved()), "seed {seed}: {reports:?}");
    }
}

/// A cube on a plane that is tilted by turning gravity: speed down the slope, and away from it, after each step.
fn slide(tangent: f64, material: PairMaterial, begin: Real, steps: usize) -> Vec<[f64; 2]> {
    let mut rig = rig();
    let (cubes, _) = tower(&mut rig, 1, material);
    let angle = tangent.atan();
    rig.step.acceleration = Vector3::new(angle.sin() as Real, -(angle.cos() as Real), 0.0) * G;
    rig.set_linear(cubes[0], Vector3::x() * begin);
    let mut method = method();
    let mut speeds = Vec::new();
    for _ in 0..steps {
        step(&mut rig, &mut method);
        let v = rig.linear(cubes[0]);
        speeds.push([f64::from(v.x), f64::from(v.y)]);
    }
    speeds
}

#[test]
fn below_the_friction_angle_nothing_creeps() {
    for [x, y] in slide(0.499, surface(0.0, 0.5), 0.0, 60) {
        assert!(x.abs() < 1e-6 && y.abs() < 1e-6, "{x} and {y} m/s");
    }
}

/// `a = g (sin − mu cos)` above it, from the first step on, with every contact on the plane.
#[test]
fn above_the_friction_angle_it_slides_as_coulomb_says_and_does_not_lift() {
    let material =
        PairMaterial { restitution: 0.0, static_friction: 0.5, kinetic_friction: 0.3, rolling_friction: 0.0 };
    let angle = 0.6_f64.atan();
    let dt = 1.0 / f64::from(HZ);
    for (k, [x, y]) in slide(0.6, material, 0.5, 60).into_iter().enumerate() {
        let expected = 0.5 + f64::from(G) * (angle.sin() - 0.3 * angle.cos()) * dt * (k + 1) as f64;
        // Impulses within the tolerance of the natural map, velocities in f32.
        assert!((x - expected).abs() < 2e-6 * (k + 1) as f64, "step {k}: {x} m/s, {expected} expected");
        assert!(y.abs() < 1e-6, "step {k}: lifts at {y} m/s");
    }
}

/// Braking goes to rest and no further.
#[test]
fn a_sliding_cube_stops() {
    let speeds = slide(0.0, surface(0.0, 0.5), 0.5, 30);
    let dt = 1.0 / f64::from(HZ);
    for (k, [x, y]) in speeds.into_iter().enumerate() {
        let expected = (0.5 - 0.5 * f64::from(G) * dt * (k + 1) as f64).max(0.0);
        assert!((x - expected).abs() < 1e-5 && y.abs() < 1e-6, "step {k}: {x} m/s, {expected} expected");
    }
}

#[test]
fn a_ball_leaves_with_its_share_of_the_speed() {
    for (restitution, gap) in [(0.5, 0.0), (1.0, 0.0), (0.8, 0.01)] {
        let mut rig = floating();
        let floor = rig.fixed();
        let ball = rig.ball(2.0, Vector3::new(0.0, common::RADIUS + gap, 0.0), Vector3::new(0.0, -3.0, 0.0));
        rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], gap, surface(restitution, 0.0));
        step(&mut rig, &mut method());
        let left = rig.linear(ball).y;
        assert!((left - 3.0 * restitution).abs() < 1e-5, "{left} m/s with e = {restitution}");
    }
}

/// A gap may close within the step, and no more than that.
#[test]
fn a_gap_closes_and_no_further() {
    let mut rig = floating();
    let floor = rig.fixed();
    let ball = rig.ball(2.0, Vector3::new(0.0, common::RADIUS + 0.01, 0.0), Vector3::new(0.0, -3.0, 0.0));
    rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.01, surface(0.0, 0.0));
    step(&mut rig, &mut method());
    let height = rig.bodies.center_pose(rig.bodies.indices().last().expect("a ball")).translation.y;
    assert!((height - f64::from(common::RADIUS)).abs() < 1e-7, "{height} m");
    let _ = ball;
}

#[test]
fn locked_axes_and_what_is_kinematic_keep_their_motion() {
    let mut rig = rig();
    let lift = rig.add(&BodyDesc { kind: BodyKind::Kinematic, linear: Vector3::y(), ..BodyDesc::fixed() });
    let locks = AxisLocks { translation: [true, false, true], rotation: [true, true, true] };
    let piston = rig.add(&BodyDesc { locks, ..cube(Vector3::new(0.0, 0.5, 0.0)) });
    let face = square(Vector3::new(0.2, 0.0, 0.1), &Vector3::y(), 0.2);
    rig.touch(lift, piston, Vector3::y(), &face, 0.0, surface(0.0, 0.8));
    let report = step(&mut rig, &mut method());
    assert!(report.is_solved(), "{report:?}");
    assert!((rig.linear(piston) - Vector3::y()).norm() < 1e-5, "{:?}", rig.linear(piston));
    assert_eq!(rig.angular(piston), Vector3::zeros());
    assert_eq!(rig.linear(lift), Vector3::y());
}

#[test]
fn a_sleeper_that_is_struck_wakes_and_others_hold() {
    let mut rig = rig();
    let (cubes, edges) = tower(&mut rig, 3, surface(0.0, 0.5));
    let mut method = method();
    step(&mut rig, &mut method);
    cubes[..2].iter().for_each(|&cube| rig.bodies.put_to_sleep(cube));
    let kept = rig.impulse(edges[0]);
    step(&mut rig, &mut method);
    assert!(rig.bodies.is_asleep(cubes[1]) && rig.impulse(edges[0]) == kept, "what sleeps is not solved");
    rig.set_linear(cubes[2], Vector3::new(0.0, -2.0, 0.0));
    let report = step(&mut rig, &mut method);
    // What is struck, and what the blow runs on to.
    assert_eq!(report.woken, 2, "{report:?}");
    cubes.iter().for_each(|&cube| rig.bodies.put_to_sleep(cube));
    rig.bodies.wake(cubes[2], drystone_contact::WakeCause::User);
    step(&mut rig, &mut method);
    assert!(rig.bodies.is_asleep(cubes[1]), "weight alone wakes nothing");
}

/// Many islands, one of them beyond what a thread solves alone.
fn crowd() -> Rig {
    let mut rig = rig();
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let count = if seed == 0 { 250 } else { 1 + random.below(20) };
        let extra = random.below(count + 1);
        cluster(&mut rig, count, extra, &mut random);
    }
    rig
}

fn hash(rig: &Rig) -> u64 {
    let mut hasher = StateHasher::default();
    let mut add = |v: &Vector3| v.iter().for_each(|&x| hasher.write_f32(x));
    for body in rig.bodies.indices() {
        [rig.linear(body), rig.angular(body)].iter().for_each(&mut add);
    }
    for edge in rig.graph.edge_indices() {
        rig.graph.edge(edge).manifold.points().iter().for_each(|point| add(&point.impulse));
    }
    hasher.finish()
}

#[test]
fn bits_do_not_depend_on_threads() {
    for order in [SweepOrder::Given, SweepOrder::Bandwidth, SweepOrder::Colours] {
        let run = |threads: usize| {
            let exec = Exec::with_threads(threads).expect("threads");
            let config = IslandSolverConfig { max_iterations: 60, ..IslandSolverConfig::default() };
            let solver = Nsgs::new(NsgsConfig { order, ..NsgsConfig::default() });
            let (mut rig, mut method) = (crowd(), IslandSolver::new(config, solver));
            let reports: Vec<_> = (0..3).map(|_| rig.advance_with(&mut method, &exec)).collect();
            (hash(&rig), reports)
        };
        let one = run(1);
        for threads in [2, 3, 4] {
            assert_eq!(run(threads), one, "{order:?} on {threads} threads");
        }
    }
}

/// Compares the two forms of each problem that it is given, and solves nothing.
#[derive(Clone)]
struct Compare;

impl ProblemSolver for Compare {
    fn name(&self) -> &'static str {
        "compare"
    }

    fn reads_global(&self) -> bool {
        true
    }

    fn solve_on(
        &mut self,
        problem: &Problem,
        options: &SolveOptions,
        impulses: &mut [f64],
        _exec: Option<&Exec>,
    ) -> Outcome {
        let global = problem.global().expect("asked for");
        let formed = Problem::from_global(global.clone(), problem.friction().to_vec()).expect("consistent");
        let scale = problem.free_velocities().iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        for (a, b) in problem.free_velocities().iter().zip(formed.free_velocities()) {
            assert!((a - b).abs() <= 1e-12 * scale, "q: {a} and {b}");
        }
        assert!(problem.coupling().asymmetry() < 1e-14);
        for row in 0..problem.contact_count() {
            for column in 0..problem.contact_count() {
                let [a, b] =
                    [problem, &formed].map(|p| p.coupling().block(row, column).copied().unwrap_or_default());
                assert!(
                    (a - b).amax() < 1e-6 * problem.coupling().diagonal(row).amax(),
                    "W({row}, {column}): {a} {b}"
                );
            }
        }
        let since = std::time::Instant::now();
        Outcome::judge(
            problem,
            options,
            impulses,
            0,
            since,
            drystone_resolution::problem::Status::IterationLimit,
        )
    }
}

/// `W` and `q` are what masses, arms and locks give, formed in another way.
#[test]
fn both_forms_of_a_island_are_the_same_problem() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut rig = rig();
        let members = cluster(&mut rig, 2 + random.below(10), 5, &mut random);
        let locks = AxisLocks { translation: [true, false, false], rotation: [false, true, false] };
        let locked = rig.add(&BodyDesc { locks, ..cube(random.vector(1.0)) });
        let face = square(random.vector(0.5), &Vector3::y(), 0.3);
        rig.touch(members[0], locked, Vector3::y(), &face, 1e-4, surface(0.3, 0.5));
        step(&mut rig, &mut IslandSolver::new(IslandSolverConfig::default(), Compare));
    }
}

/// Forces and nothing else: contacts close as they like.
struct Careless(Moves);

impl Solver for Careless {
    fn solve(
        &mut self,
        bodies: &mut Bodies,
        _graph: &mut ContactGraph,
        _batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        apply_forces(bodies, step, |_, _| 1.0);
        if self.0 == Moves::InSolver {
            move_bodies(bodies, step, exec);
        }
        SolverReport::default()
    }
}

/// What a fast method did to an island is undone, velocities and places, and the joint solve does what it does alone; what is solved is left.
#[test]
fn escalation_solves_a_island_from_the_begin_of_the_step() {
    for moves in [Moves::AtBegin, Moves::InSolver] {
        let config = EscalationConfig { enabled: true, ..EscalationConfig::default() };
        let [mut rig, mut alone] = [rig(), rig()];
        let (cubes, edges) = tower(&mut rig, 5, surface(0.0, 0.5));
        let flying = rig.add(&cuboid(1.0, Vector3::repeat(1.0), Vector3::new(50.0, 10.0, 0.0)));
        let report = step(&mut rig, &mut Escalation::new(config, Box::new(Careless(moves)), moves));
        assert_eq!(
            (report.escalated_islands, report.limit_hits, report.unsolved_points),
            (1, 0, 0),
            "{moves:?}"
        );
        // The lowest cube closes with all that gravity gave it.
        let gained = G * rig.step.dt;
        assert!((report.escalated_before - gained).abs() < 1e-6 * gained, "{report:?}");
        assert!(report.escalated_after < 1e-4 * gained, "{report:?}");
        let (own_cubes, own_edges) = tower(&mut alone, 5, surface(0.0, 0.5));
        let solver = NsgsThenInterior::new(NsgsConfig::default(), NsgsThenInterior::ESCALATE_AFTER);
        step(&mut alone, &mut IslandSolver::new(IslandSolverConfig::default(), solver));
        for (a, b) in edges.iter().zip(&own_edges) {
            assert_eq!(rig.impulse(*a), alone.impulse(*b), "{moves:?}");
        }
        for (a, b) in cubes.iter().zip(&own_cubes) {
            assert_eq!(rig.linear(*a), alone.linear(*b), "{moves:?}");
            if moves == Moves::InSolver {
                let poses = [(&rig, a), (&alone, b)].map(|(rig, body)| rig.bodies.view().pose[body.get()]);
                assert_eq!(poses[0], poses[1]);
            }
        }
        assert_eq!(rig.linear(flying), Vector3::y() * -gained, "what touches nothing is left as it is");
    }
}
