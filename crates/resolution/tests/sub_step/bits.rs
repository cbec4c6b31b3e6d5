//! Promise 3: equal bits from every instruction set, at any number of threads, with used memory. Trusted: another run.

use crate::common::{Random, Rig, surface};
use crate::scene::*;
use drystone_contact::{BodyDesc, BodyIndex, BodyKind};
use drystone_exec::Exec;
use drystone_math::wide::Isa;
use drystone_math::{Real, StateHasher, Vector3};
use drystone_resolution::{SolverReport, SubStepConfig, SubStepSolver};

/// Many islands of all sizes; some are driven by what is kinematic.
fn crowd(islands: u64) -> Rig {
    let mut rig = rig();
    for seed in 0..islands {
        let mut random = Random::new(seed);
        let count = if seed % 10 == 0 { 20 + random.below(60) } else { 1 + random.below(8) };
        let extra = random.below(count + 1);
        let kinematic = (seed % 7 == 0).then(|| kinematic(&mut rig, &mut random));
        let members = cluster(&mut rig, count, extra, &mut random);
        if let Some(kinematic) = kinematic {
            drive(&mut rig, kinematic, members[0], &mut random);
        }
        if seed % 4 == 1 {
            enliven(&mut rig, members[0], &mut random);
        }
    }
    rig
}

/// Something kinematic that moves; add it before what it touches.
fn kinematic(rig: &mut Rig, random: &mut Random) -> BodyIndex {
    rig.add(&BodyDesc {
        kind: BodyKind::Kinematic,
        linear: random.vector(1.0),
        angular: random.vector(2.0),
        ..BodyDesc::fixed()
    })
}

/// Lets it touch a body.
fn drive(rig: &mut Rig, kinematic: BodyIndex, body: BodyIndex, random: &mut Random) {
    let at = crate::common::center(&rig.bodies, body);
    let normal = random.direction();
    rig.touch(kinematic, body, normal, &square(at - normal * 0.3, &normal, 0.2), 0.0, surface(0.2, 0.5));
}

/// Boxes side by side and on top of each other, all in one island of more than 1500 manifolds.
fn wall(columns: usize, rows: usize, has_kinematic: bool) -> Rig {
    let mut rig = rig();
    let material = surface(0.1, 0.5);
    let floor = rig.fixed();
    let mut random = Random::new(5);
    let drivers = if has_kinematic {
        vec![kinematic(&mut rig, &mut random), kinematic(&mut rig, &mut random)]
    } else {
        Vec::new()
    };
    let mut boxes: Vec<BodyIndex> = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let at = Vector3::new(column as Real, row as Real + 0.5, 0.0);
            let body = rig.add(&BodyDesc { linear: random.vector(0.3), ..cube(at) });
            let under = if row == 0 { floor } else { boxes[(row - 1) * columns + column] };
            let face = square(at - Vector3::y() * 0.5, &Vector3::y(), 0.5);
            // Some manifolds of two points and of one.
            let points = if column % 5 == 1 { &face[..2] } else { &face[..] };
            rig.touch(under, body, Vector3::y(), points, 0.0, material);
            if column > 0 {
                let side = at - Vector3::x() * 0.5;
                let face = square(side, &Vector3::x(), 0.5);
                let points = if row % 3 == 1 { &face[..1] } else { &face[..] };
                rig.touch(boxes[row * columns + column - 1], body, Vector3::x(), points, 1e-4, material);
            }
            boxes.push(body);
        }
    }
    for (driver, place) in drivers.into_iter().zip([columns / 2, 0]) {
        drive(&mut rig, driver, boxes[place], &mut random);
        (0..20).for_each(|k| enliven(&mut rig, boxes[(place + 7 * k) % boxes.len()], &mut random));
    }
    rig
}

/// The bits of velocities, poses and impulses.
fn hash(rig: &Rig) -> u64 {
    let mut hasher = StateHasher::new();
    hasher.write_u64(rig.hash());
    for body in rig.bodies.indices() {
        let pose = rig.bodies.center_pose(body);
        pose.translation.coords.iter().for_each(|c| hasher.write_u64(c.to_bits()));
        pose.rotation.coords.iter().for_each(|&c| hasher.write_f32(c));
    }
    for edge in rig.graph.edge_indices() {
        rig.graph.edge(edge).manifold.rolling_impulse.iter().for_each(|&c| hasher.write_f32(c));
        for point in rig.graph.edge(edge).manifold.points() {
            point.warm_start_impulse.iter().for_each(|&c| hasher.write_f32(c));
            hasher.write_f32(point.distance);
        }
    }
    hasher.finish()
}

/// Three steps: their hashes and their reports.
fn run(start: &Rig, method: &mut SubStepSolver, exec: &Exec) -> Vec<(u64, SolverReport)> {
    let mut rig = start.clone();
    let steps = (0..3).map(|_| {
        let _awake = exec.wake();
        let report = rig.advance_with(method, exec);
        (hash(&rig), report)
    });
    steps.collect()
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    for start in [crowd(60), wall(12, 6, true)] {
        let with = |isa| {
            let mut method = SubStepSolver::with_isa(SubStepConfig::default(), isa);
            run(&start, &mut method, &Exec::serial())
        };
        let expected = with(Isa::best());
        for isa in Isa::all() {
            assert_eq!(with(isa), expected, "{}", isa.name());
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let start = crowd(200);
    let expected = run(&start, &mut method(), &Exec::serial());
    for threads in [1, 2, 4] {
        let exec = Exec::with_threads(threads).expect("threads");
        for _ in 0..2 {
            assert_eq!(run(&start, &mut method(), &exec), expected, "{threads} threads");
        }
    }
}

/// An island above 1500 manifolds is shared by all threads, in domains.
#[test]
fn a_large_island_gives_the_same_bits_at_any_number_of_threads() {
    for (has_kinematic, rolls) in [(false, false), (true, false), (false, true)] {
        let mut start = wall(80, 12, has_kinematic);
        assert!(start.graph.edge_count() > 1800);
        for edge in start.graph.edges_mut().iter_mut().step_by(3).filter(|_| rolls) {
            edge.manifold.material.rolling_friction = 0.02;
        }
        let expected = run(&start, &mut method(), &Exec::serial());
        for threads in [2, 4] {
            let exec = Exec::with_threads(threads).expect("threads");
            let found = run(&start, &mut method(), &exec);
            assert_eq!(
                found, expected,
                "{threads} threads, kinematic: {has_kinematic}, rolling friction: {rolls}"
            );
        }
    }
}

/// What a method did before leaves nothing behind.
#[test]
fn a_used_method_gives_the_bits_of_a_new_one() {
    let mut used = method();
    run(&wall(80, 12, true), &mut used, &Exec::serial());
    run(&crowd(60), &mut used, &Exec::serial());
    for start in [crowd(7), wall(5, 3, false)] {
        let expected = run(&start, &mut method(), &Exec::serial());
        assert_eq!(run(&start, &mut used, &Exec::serial()), expected);
    }
}

/// Also the sign of zero counts.
fn bits(vector: Vector3) -> [u32; 3] {
    vector.map(f32::to_bits).into()
}

/// S1-27: an island does among others what it does alone, though they share blocks of lanes.
#[test]
fn a_island_does_not_depend_on_the_others() {
    let build = |rig: &mut Rig, seed: u64| {
        let mut random = Random::new(seed);
        cluster(rig, 1 + random.below(8), 3, &mut random)
    };
    let mut together = rig();
    let islands: Vec<_> = (0..40).map(|seed| build(&mut together, seed)).collect();
    step(&mut together, &mut method());
    for (seed, members) in islands.iter().enumerate() {
        let mut alone = rig();
        let same = build(&mut alone, seed as u64);
        step(&mut alone, &mut method());
        for (&a, &b) in members.iter().zip(&same) {
            assert_eq!(bits(together.linear(a)), bits(alone.linear(b)), "island {seed}");
            assert_eq!(bits(together.angular(a)), bits(alone.angular(b)), "island {seed}");
        }
    }
}
