//! Measures correction on a heap of balls: how the settings trade bodies moved against overlap left, and
//! what a step costs. `cargo run --release -p drystone-correction --example measure_heap`
//!
//! 2816 balls of 0.5 m in a box of five planes, jittered off a lattice whose
//! layers are shifted against each other. There is no contact resolution here;
//! each step, what is supported from below sinks by up to `g dt²` at random (what an approximate resolution
//! leaves), what is not falls on. So contacts come back to the threshold again and again, as in a heap that
//! settles.

use drystone_contact::{
    Batches, Bodies, BodyDesc, BodyIndex, ColliderHandle, ContactGraph, ContactPoint, EdgeIndex, Manifold,
    PairMaterial, StepParams,
};
use drystone_correction::{CorrectionConfig, CorrectionReport, Corrector};
use drystone_exec::Exec;
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Real, Vector3, narrow, widen};
use std::time::{Duration, Instant};

const RADIUS: Real = 0.5;
const MARGIN: Real = 0.02;
const SIDES: [u32; 3] = [16, 11, 16];
const STEPS: u64 = 240;
/// Steps before the figures count.
const WARM_UP: u64 = 120;

/// A reproducible number in [0, 1) (PCG-style multiply and shift).
fn random(state: &mut u64) -> Real {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 40) as u32) as Real / 16_777_216.0
}

struct Heap {
    bodies: Bodies,
    balls: Vec<BodyIndex>,
    walls: Vec<(BodyIndex, Vector3, f64)>,
    /// Speed of fall, m/s.
    falling: Vec<Real>,
    step: StepParams,
    random: u64,
}

impl Heap {
    fn new() -> Self {
        let mut bodies = Bodies::default();
        let mut add = |desc: &BodyDesc| {
            let handle = bodies.add(desc).expect("valid");
            bodies.index(handle).expect("alive")
        };
        let side = f64::from(SIDES[0]) * 1.03 + 0.25;
        let planes = [
            (Vector3::y(), 0.0),
            (Vector3::x(), 0.0),
            (-Vector3::x(), -side),
            (Vector3::z(), 0.0),
            (-Vector3::z(), -side),
        ];
        let walls = planes.map(|(n, offset)| (add(&BodyDesc::fixed()), n, offset)).to_vec();
        let mut random_state = 1;
        let mut balls = Vec::new();
        for i in 0..SIDES.iter().product::<u32>() {
            let place = [i % SIDES[0], i / SIDES[0] / SIDES[2], i / SIDES[0] % SIDES[2]];
            // Every other layer is shifted, so that balls rest on more than one.
            let shift = 0.25 * f64::from(place[1] % 2);
            let spread = [1.03, 0.98, 1.03];
            let at = [0, 1, 2].map(|k| {
                let jitter = f64::from(random(&mut random_state) - 0.5) * 0.03;
                f64::from(place[k]) * spread[k] + 0.515 + jitter + if k == 1 { 0.0 } else { shift }
            });
            let desc = BodyDesc::dynamic(MassProperties::sphere(RADIUS, 1000.0), RADIUS);
            balls.push(add(&desc.at(Pose::at(at[0], at[1], at[2]))));
        }
        let step = StepParams {
            dt: 1.0 / 240.0,
            acceleration: Vector3::new(0.0, -9.81, 0.0),
            force: Vector3::zeros(),
            reference_acceleration: 9.81,
            index: 0,
            may_sleep: false,
        };
        let falling = vec![0.0; bodies.capacity()];
        Self { bodies, balls, walls, falling, step, random: random_state }
    }

    /// Contacts by closed form, through cells of one diameter.
    fn detect(&self) -> ContactGraph {
        let mut graph = ContactGraph::default();
        for index in self.bodies.indices() {
            graph.add_body(&self.bodies, index);
        }
        let mut collider = 0;
        let mut link = |a, b, normal: Vector3, point| {
            let ends = [collider, collider + 1].map(|index| ColliderHandle { index, generation: 1 });
            collider += 2;
            let edge = graph.add_edge(ends, &self.bodies, [a, b], PairMaterial::default()).expect("room");
            let mut manifold = Manifold::new(a, b, PairMaterial::default());
            manifold.normal = normal;
            manifold.push(point);
            graph.set_manifold(&self.bodies, edge, &manifold);
        };
        let mut cells = std::collections::BTreeMap::<[i64; 3], Vec<BodyIndex>>::new();
        for &ball in &self.balls {
            let at = self.bodies.center_pose(ball).translation;
            for (wall, normal, offset) in &self.walls {
                let distance = (at.coords.dot(&widen(normal)) - offset) as Real - RADIUS;
                if distance < MARGIN {
                    let arm_b = normal * -RADIUS;
                    link(
                        *wall,
                        ball,
                        *normal,
                        ContactPoint { arm_a: arm_b, arm_b, distance, ..Default::default() },
                    );
                }
            }
            let cell = [at.x, at.y, at.z].map(|c| (c / 1.05).floor() as i64);
            for k in 0..27 {
                let near = [cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1];
                for &other in cells.get(&near).into_iter().flatten() {
                    let apart = narrow(&(at - self.bodies.center_pose(other).translation));
                    let distance = apart.norm() - 2.0 * RADIUS;
                    if distance < MARGIN {
                        let normal = apart / apart.norm();
                        let arm_a = normal * (RADIUS + 0.5 * distance);
                        let point =
                            ContactPoint { arm_a, arm_b: arm_a - apart, distance, ..Default::default() };
                        link(other, ball, normal, point);
                    }
                }
            }
            cells.entry(cell).or_default().push(ball);
        }
        graph.update_islands();
        graph
    }

    /// Balls that overlap from the start, on the floor alone.
    fn crowded() -> Self {
        let mut heap = Self::new();
        for &ball in &heap.balls {
            let mut jitter = || f64::from(random(&mut heap.random) - 0.5) * 0.06;
            let at = &mut heap.bodies.view_mut().pose[ball.get()].translation;
            *at *= 0.975;
            *at += drystone_math::Displacement::new(jitter(), jitter(), jitter());
        }
        heap.walls.truncate(1);
        heap
    }

    /// Lets unsupported balls fall and supported ones sink a little.
    fn advance(&mut self, graph: &ContactGraph) {
        let unit = self.step.length_unit();
        for &ball in &self.balls {
            let is_supported = graph.edges_of(ball).any(|edge: EdgeIndex| {
                let m = &graph.edge(edge).manifold;
                let up = if m.body_b == ball { m.normal.y } else { -m.normal.y };
                up > 0.5 && m.points()[0].distance < 0.0
            });
            let speed = &mut self.falling[ball.get()];
            *speed = if is_supported { 0.0 } else { *speed + self.step.speed_unit() };
            let sinking = if is_supported { 1.0 } else { 0.2 };
            let mut r = || random(&mut self.random);
            let mut moved = Vector3::new(r() - 0.5, -r(), r() - 0.5) * unit * sinking;
            moved.y -= *speed * self.step.dt;
            let view = self.bodies.view_mut();
            view.pose[ball.get()].translation += widen(&moved);
            view.last_move[ball.get()] = moved;
            view.hot[ball.get()].linear = moved / self.step.dt;
        }
    }
}

#[derive(Default)]
struct Sums {
    steps: u32,
    edges: usize,
    total: CorrectionReport,
    worst: Real,
    times: Vec<Duration>,
}

fn run(label: &str, config: &CorrectionConfig, exec: &Exec) {
    let (mut heap, mut corrector, mut sums) = (Heap::new(), Corrector::new(), Sums::default());
    let mut batches = Batches::default();
    for index in 0..STEPS {
        heap.step.index = index;
        let mut graph = heap.detect();
        batches.rebuild(&heap.bodies, &graph, Batches::DEFAULT_SMALL_CUT);
        let start = Instant::now();
        let r = corrector.correct(config, &mut heap.bodies, &mut graph, &batches, &heap.step, exec);
        if index >= WARM_UP {
            sums.times.push(start.elapsed());
            sums.steps += 1;
            sums.edges += graph.edge_count();
            sums.worst = sums.worst.max(r.worst_after);
            sums.total.penetrating_count += r.penetrating_count;
            sums.total.unresolved_count += r.unresolved_count;
            sums.total.attempt_count += r.attempt_count;
            sums.total.aborted_count += r.aborted_count;
            sums.total.displaced_count += r.displaced_count;
            sums.total.displaced_limit_count += r.displaced_limit_count;
        }
        heap.advance(&graph);
    }
    sums.times.sort_unstable();
    let per_step = |n: u32| f64::from(n) / f64::from(sums.steps);
    println!(
        "{label:>24}: {:6.0} contacts {:7.1} penetrating {:6.1} unresolved {:7.1} tried {:7.1} aborted {:7.1} displaced {:5.1} limits; worst {:5.2} T; {:7.1} us",
        sums.edges as f64 / f64::from(sums.steps),
        per_step(sums.total.penetrating_count),
        per_step(sums.total.unresolved_count),
        per_step(sums.total.attempt_count),
        per_step(sums.total.aborted_count),
        per_step(sums.total.displaced_count),
        per_step(sums.total.displaced_limit_count),
        sums.worst / (config.penetration_threshold * heap.step.length_unit()),
        sums.times[sums.times.len() / 2].as_secs_f64() * 1e6,
    );
}

/// Corrects an overlapping start again and again, with new contacts each time.
fn spread(label: &str, config: &CorrectionConfig, exec: &Exec) {
    let (mut heap, mut corrector, mut batches) = (Heap::crowded(), Corrector::new(), Batches::default());
    let (mut displaced, mut attempts, mut first) = (0, 0, None);
    for pass in 0..60 {
        let mut graph = heap.detect();
        batches.rebuild(&heap.bodies, &graph, Batches::DEFAULT_SMALL_CUT);
        let start = Instant::now();
        let r = corrector.correct(config, &mut heap.bodies, &mut graph, &batches, &heap.step, exec);
        first = first.or(Some((r, start.elapsed())));
        displaced += r.displaced_count;
        attempts += r.attempt_count;
        if r.penetrating_count == 0 || pass == 59 {
            let (r, time) = first.unwrap_or_default();
            println!(
                "{label:>24}: {pass} passes, {displaced} displaced, {attempts} tried; first pass {} penetrating {} unresolved {} tried {} aborted {} limits, {:.1} to {:.1} mm, {time:?}; left {} of {:.1} mm",
                r.penetrating_count,
                r.unresolved_count,
                r.attempt_count,
                r.aborted_count,
                r.displaced_limit_count,
                r.worst_before * 1e3,
                r.worst_after * 1e3,
                graph
                    .edges()
                    .iter()
                    .filter(|e| -e.manifold.points()[0].distance
                        > config.penetration_threshold * heap.step.length_unit())
                    .count(),
                heap.step.length_unit() * 1e4,
            );
            return;
        }
    }
}

fn main() {
    let exec = Exec::serial();
    for remaining_fraction in [0.1, 0.25, 0.5, 0.75, 0.9] {
        let config = CorrectionConfig { remaining_fraction, ..Default::default() };
        spread(&format!("crowded, f = {remaining_fraction}"), &config, &exec);
    }
    for max_displaced in [16, 64, 256, 4096] {
        let config = CorrectionConfig { max_displaced, ..Default::default() };
        spread(&format!("max_displaced = {max_displaced}"), &config, &exec);
    }
    for remaining_fraction in [0.1, 0.25, 0.5, 0.75, 0.9] {
        let config = CorrectionConfig { remaining_fraction, ..Default::default() };
        run(&format!("f = {remaining_fraction}"), &config, &exec);
    }
    for max_displaced in [64, 256, 4096] {
        let config = CorrectionConfig { max_displaced, ..Default::default() };
        run(&format!("max_displaced = {max_displaced}"), &config, &exec);
    }
    run("without backward", &CorrectionConfig { use_backward: false, ..Default::default() }, &exec);
    run("rotate", &CorrectionConfig { rotate: true, ..Default::default() }, &exec);
    run("no correction", &CorrectionConfig { penetration_threshold: 1e6, ..Default::default() }, &exec);
}
