//! Boxes, patches of up to four points in a plane, and a step.

use crate::common::{Random, Rig, center, pose};
use drystone_contact::{BodyDesc, BodyIndex, EdgeIndex, PairMaterial};
use drystone_exec::Exec;
use drystone_math::inertia::MassProperties;
use drystone_math::{ContactBasis, Displacement, Real, Rotation, Vector3, widen};
use drystone_resolution::{Solver, SolverReport, SubStepConfig, SubStepSolver};

/// The rate that the settings are made for, steps per second.
pub(crate) const HZ: Real = 60.0;

/// A world at this method's rate, with gravity along -y.
pub(crate) fn rig() -> Rig {
    let mut rig = Rig::with_gravity();
    rig.step.dt = 1.0 / HZ;
    rig
}

/// The same without gravity.
pub(crate) fn floating() -> Rig {
    Rig { step: drystone_contact::StepParams { acceleration: Vector3::zeros(), ..rig().step }, ..rig() }
}

pub(crate) fn method() -> SubStepSolver {
    SubStepSolver::new(SubStepConfig::default())
}

/// One step on this thread.
pub(crate) fn step(rig: &mut Rig, method: &mut SubStepSolver) -> SolverReport {
    method.config.validate().expect("a valid configuration");
    rig.advance_with(method, &Exec::serial())
}

/// A solid box of this mass with these edges, m, at rest.
pub(crate) fn cuboid(mass: Real, edges: Vector3, at: Vector3) -> BodyDesc {
    let density = mass / (edges.x * edges.y * edges.z);
    let properties = MassProperties::cuboid(&(edges * 0.5), density);
    BodyDesc::dynamic(properties, 0.5 * edges.norm()).at(pose(at, Rotation::identity()))
}

/// A cube of 1 m and 1 kg.
pub(crate) fn cube(at: Vector3) -> BodyDesc {
    cuboid(1.0, Vector3::repeat(1.0), at)
}

/// Corners of a square of this half width around a point, in the plane across a normal.
pub(crate) fn square(middle: Vector3, normal: &Vector3, half: Real) -> [Vector3; 4] {
    let basis = ContactBasis::new(normal);
    let (u, v) = (basis.tangent_1 * half, basis.tangent_2 * half);
    [middle + u + v, middle - u + v, middle - u - v, middle + u - v]
}

/// Cubes of 1 m on a fixed floor with y up; edge `i` is below cube `i`.
pub(crate) fn tower(rig: &mut Rig, count: usize, material: PairMaterial) -> (Vec<BodyIndex>, Vec<EdgeIndex>) {
    let floor = rig.fixed();
    let (mut cubes, mut edges) = (Vec::new(), Vec::new());
    for i in 0..count {
        let cube = rig.add(&cube(Vector3::new(0.0, i as Real + 0.5, 0.0)));
        let below = *cubes.last().unwrap_or(&floor);
        let face = square(Vector3::new(0.0, i as Real, 0.0), &Vector3::y(), 0.5);
        edges.push(rig.touch(below, cube, Vector3::y(), &face, 0.0, material));
        cubes.push(cube);
    }
    (cubes, edges)
}

/// Boxes with random poses and velocities, joined by patches of one to four points in a plane; the first one
/// touches something fixed.
pub(crate) fn cluster(rig: &mut Rig, count: usize, extra: usize, random: &mut Random) -> Vec<BodyIndex> {
    let floor = rig.fixed();
    let mut members: Vec<BodyIndex> = Vec::new();
    for _ in 0..count {
        let edges = Vector3::from_fn(|_, _| random.between(0.4, 1.0));
        let desc = cuboid(random.between(0.5, 4.0), edges, random.vector(1.0));
        let turned = pose(drystone_math::narrow(&desc.pose.translation.coords), random.rotation());
        let desc = BodyDesc { linear: random.vector(3.0), angular: random.vector(5.0), ..desc.at(turned) };
        let member = rig.add(&desc);
        let other = if members.is_empty() { floor } else { members[random.below(members.len())] };
        patch(rig, other, member, random);
        members.push(member);
    }
    for _ in 0..extra {
        let (i, j) = (random.below(count), random.below(count));
        if i != j {
            patch(rig, members[i.min(j)], members[i.max(j)], random);
        }
    }
    members
}

/// A patch of random points with a random small gap or overlap.
fn patch(rig: &mut Rig, a: BodyIndex, b: BodyIndex, random: &mut Random) {
    let from = if rig.bodies.hot(a).is_dynamic() { center(&rig.bodies, a) } else { center(&rig.bodies, b) };
    let middle = (from + center(&rig.bodies, b)) * 0.5 + random.vector(0.1);
    let normal = random.direction();
    let basis = ContactBasis::new(&normal);
    let place = |random: &mut Random| {
        middle + basis.tangent_1 * random.between(-0.3, 0.3) + basis.tangent_2 * random.between(-0.3, 0.3)
    };
    let points: Vec<Vector3> = (0..1 + random.below(4)).map(|_| place(random)).collect();
    let (gap, material) = (random.between(-1e-3, 1e-3), random.material());
    rig.touch(a, b, normal, &points, gap, material);
}

/// Momentum and angular momentum about its centre of one body.
pub(crate) fn momenta(rig: &Rig, body: BodyIndex) -> [Displacement; 2] {
    let rotation = rig.bodies.center_pose(body).rotation;
    let inertia = rig.bodies.view().local_inertia[body.get()].world(&rotation);
    [widen(&rig.linear(body)) * f64::from(rig.bodies.mass(body)), widen(&(inertia * rig.angular(body)))]
}

/// Gives the edges of a body surfaces that run, and rolling friction.
pub(crate) fn enliven(rig: &mut Rig, body: BodyIndex, random: &mut Random) {
    let edges: Vec<EdgeIndex> = rig.graph.edges_of(body).collect();
    for edge in edges {
        let manifold = &mut rig.graph.edges_mut()[edge.get()].manifold;
        manifold.surface_velocity = random.vector(1.0);
        manifold.material.rolling_friction = random.between(0.0, 0.05);
    }
}

/// What the reported impulses say that a body got: their sum, their moment about its centre, and the sum of
/// their sizes.
pub(crate) fn given(rig: &Rig, body: BodyIndex) -> ([Displacement; 2], f64) {
    let (mut sum, mut size) = ([Displacement::zeros(); 2], 0.0);
    for edge in rig.graph.edges_of(body) {
        let manifold = &rig.graph.edge(edge).manifold;
        for point in manifold.points() {
            let (sign, arm) = if manifold.body_b == body { (1.0, point.arm_b) } else { (-1.0, point.arm_a) };
            let impulse = widen(&point.impulse) * sign;
            sum[0] += impulse;
            sum[1] += widen(&arm).cross(&impulse);
            size += impulse.norm();
        }
        let sign = if manifold.body_b == body { 1.0 } else { -1.0 };
        sum[1] += widen(&manifold.rolling_impulse) * sign;
        size += widen(&manifold.rolling_impulse).norm();
    }
    (sum, size)
}

/// Steps once, and compares the change of momentum and angular momentum of each body with what its contacts report.
/// Trusted: Newton's laws, in `f64`. They may differ by the share `rounding` of all that acts on the body.
pub(crate) fn check_momenta(rig: &mut Rig, method: &mut dyn Solver, rounding: f64, name: &str) {
    let bodies: Vec<_> = rig.bodies.indices().filter(|&b| rig.bodies.hot(b).is_dynamic()).collect();
    let before: Vec<_> = bodies.iter().map(|&b| momenta(rig, b)).collect();
    rig.advance_with(method, &Exec::serial());
    for (&body, before) in bodies.iter().zip(before) {
        let after = momenta(rig, body);
        let weight = widen(&rig.step.acceleration) * f64::from(rig.bodies.mass(body) * rig.step.dt);
        let (given, size) = given(rig, body);
        let scale = size + before[0].norm() + before[1].norm() + weight.norm();
        let off = (after[0] - before[0] - weight - given[0]).norm();
        assert!(off < rounding * scale, "{name}: momentum of {body:?} off by {off} of {scale}");
        let off = (after[1] - before[1] - given[1]).norm();
        assert!(off < rounding * scale, "{name}: angular momentum of {body:?} off by {off} of {scale}");
    }
}
