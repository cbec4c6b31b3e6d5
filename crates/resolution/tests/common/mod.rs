//! Bodies and contacts built by hand, advanced by one step: the one way these tests drive the crate.
#![allow(dead_code, reason = "every test binary uses its own part of this module")]

pub(crate) mod reference;

use drystone_contact::{
    Batches, Bodies, BodyDesc, BodyIndex, ColliderHandle, ContactGraph, ContactPoint, EdgeIndex, Manifold,
    PairMaterial, StepParams,
};
use drystone_exec::Exec;
use drystone_math::inertia::MassProperties;
use drystone_math::{Displacement, Pose, Position, Real, Rotation, StateHasher, Vector3, widen};
use drystone_resolution::{ImpulseConfig, ImpulseSolver, Solver, SolverReport};

/// Step size of the tests, s.
pub(crate) const DT: Real = 1.0 / 240.0;
/// Size of gravity, m/s².
pub(crate) const G: Real = 9.81;
/// The unit of all speed thresholds, m/s.
pub(crate) const G_DT: Real = G * DT;
/// Half the distance between neighbouring singles, relative to the larger.
pub(crate) const EPS: Real = Real::EPSILON;
/// Radius of [`Rig::ball`], m.
pub(crate) const RADIUS: Real = 0.1;

/// S1 to the letter, solved to the end: no limit, no shock propagation, no gravity damping, and neither
/// recovery of overlap nor holding of sticking contacts; every step begins without impulses.
pub(crate) fn strict() -> ImpulseConfig {
    ImpulseConfig {
        recovery_speed: 0.0,
        overshoot: 0.0,
        stick_sweeps: 0,
        impact_limit: 0.0,
        accumulate: false,
        ..ImpulseConfig::accurate()
    }
}

/// A pair with one coefficient of friction.
pub(crate) fn surface(restitution: Real, friction: Real) -> PairMaterial {
    PairMaterial { restitution, static_friction: friction, kinetic_friction: friction, rolling_friction: 0.0 }
}

/// A small world: bodies, contacts given by hand, and the parameters of its step.
#[derive(Clone)]
pub(crate) struct Rig {
    pub(crate) bodies: Bodies,
    pub(crate) graph: ContactGraph,
    pub(crate) batches: Batches,
    pub(crate) step: StepParams,
}

impl Rig {
    /// Without gravity; thresholds refer to [`G`] and [`DT`].
    pub(crate) fn new() -> Self {
        let step = StepParams {
            dt: DT,
            acceleration: Vector3::zeros(),
            force: Vector3::zeros(),
            reference_acceleration: G,
            index: 0,
            may_sleep: false,
        };
        Self { bodies: Bodies::default(), graph: ContactGraph::default(), batches: Batches::default(), step }
    }

    /// With gravity along -y.
    pub(crate) fn with_gravity() -> Self {
        let mut rig = Self::new();
        rig.step.acceleration = Vector3::new(0.0, -G, 0.0);
        rig
    }

    pub(crate) fn add(&mut self, desc: &BodyDesc) -> BodyIndex {
        let handle = self.bodies.add(desc).expect("a valid description");
        let index = self.bodies.index(handle).expect("just added");
        self.graph.add_body(&self.bodies, index);
        index
    }

    /// What cannot move. Add it before the bodies it touches: pairs are ordered.
    pub(crate) fn fixed(&mut self) -> BodyIndex {
        self.add(&BodyDesc::fixed())
    }

    /// A solid ball of [`RADIUS`].
    pub(crate) fn ball(&mut self, mass: Real, at: Vector3, linear: Vector3) -> BodyIndex {
        self.add(&BodyDesc { linear, ..ball_desc(mass, at) })
    }

    /// A contact at world points, all with one gap; A before B, normal from A to B.
    pub(crate) fn touch(
        &mut self,
        a: BodyIndex,
        b: BodyIndex,
        normal: Vector3,
        points: &[Vector3],
        distance: Real,
        material: PairMaterial,
    ) -> EdgeIndex {
        let colliders = [a, b].map(|body| {
            let handle = self.bodies.handle(body).expect("alive");
            ColliderHandle { index: handle.index, generation: handle.generation }
        });
        let edge = self.graph.add_edge(colliders, &self.bodies, [a, b], material).expect("room");
        let mut manifold = Manifold::new(a, b, material);
        manifold.normal = normal;
        for (feature, point) in points.iter().enumerate() {
            let arm = |body| point - center(&self.bodies, body);
            let point = ContactPoint {
                arm_a: arm(a),
                arm_b: arm(b),
                distance,
                feature: feature as u32,
                ..ContactPoint::default()
            };
            assert!(manifold.push(point), "at most four points");
        }
        self.graph.set_manifold(&self.bodies, edge, &manifold);
        edge
    }

    /// Two balls that touch at the middle between their centres.
    pub(crate) fn touch_balls(&mut self, a: BodyIndex, b: BodyIndex, material: PairMaterial) -> EdgeIndex {
        let (from, to) = (center(&self.bodies, a), center(&self.bodies, b));
        self.touch(a, b, (to - from).normalize(), &[(from + to) * 0.5], 0.0, material)
    }

    /// Advances by a step with a method of this configuration, on this thread.
    pub(crate) fn advance(&mut self, config: &ImpulseConfig) -> SolverReport {
        config.validate().expect("a valid configuration");
        self.advance_with(&mut ImpulseSolver::new(config.clone()), &Exec::serial())
    }

    pub(crate) fn advance_with(&mut self, method: &mut dyn Solver, exec: &Exec) -> SolverReport {
        self.graph.update_islands();
        self.batches.rebuild(&self.bodies, &self.graph, Batches::DEFAULT_SMALL_CUT);
        let report = method.solve(&mut self.bodies, &mut self.graph, &self.batches, &self.step, exec);
        self.graph.begin_step();
        report
    }

    pub(crate) fn linear(&self, body: BodyIndex) -> Vector3 {
        self.bodies.hot(body).linear
    }

    pub(crate) fn angular(&self, body: BodyIndex) -> Vector3 {
        self.bodies.hot(body).angular
    }

    /// Gives a body a velocity without waking it or anything else.
    pub(crate) fn set_linear(&mut self, body: BodyIndex, linear: Vector3) {
        self.bodies.view_mut().hot[body.get()].linear = linear;
    }

    /// Impulse on B, N·s.
    pub(crate) fn impulse(&self, edge: EdgeIndex) -> Vector3 {
        self.graph.edge(edge).manifold.impulse()
    }

    /// Velocity of B relative to A at a point of a contact, m/s.
    pub(crate) fn relative_velocity(&self, edge: EdgeIndex, point: usize) -> Vector3 {
        let manifold = &self.graph.edge(edge).manifold;
        let point = &manifold.points()[point];
        self.bodies.hot(manifold.body_b).velocity_at(&point.arm_b)
            - self.bodies.hot(manifold.body_a).velocity_at(&point.arm_a)
    }

    /// Largest closing speed beyond what the gaps allow, m/s, looked at afresh; only for gaps of at least 0.
    pub(crate) fn residual(&self) -> Real {
        let mut worst: Real = 0.0;
        for edge in self.graph.edge_indices() {
            let manifold = &self.graph.edge(edge).manifold;
            for (k, point) in manifold.points().iter().enumerate() {
                let closing = -manifold.normal.dot(&self.relative_velocity(edge, k));
                worst = worst.max(closing - point.distance / self.step.dt);
            }
        }
        worst
    }

    /// Momentum of all bodies, kg m/s.
    pub(crate) fn momentum(&self) -> Displacement {
        let mut sum = Displacement::zeros();
        for body in self.bodies.indices() {
            sum += widen(&self.linear(body)) * f64::from(self.bodies.mass(body));
        }
        sum
    }

    /// Angular momentum of all bodies about the world's origin, kg m²/s.
    pub(crate) fn angular_momentum(&self) -> Displacement {
        let mut sum = Displacement::zeros();
        let view = self.bodies.view();
        for body in self.bodies.indices() {
            let pose = self.bodies.center_pose(body);
            let orbit = pose.translation.coords.cross(&widen(&self.linear(body)));
            let inertia = view.local_inertia[body.get()].world(&pose.rotation);
            sum += orbit * f64::from(self.bodies.mass(body)) + widen(&(inertia * self.angular(body)));
        }
        sum
    }

    /// Kinetic energy of all bodies, J.
    pub(crate) fn energy(&self) -> f64 {
        self.bodies.indices().map(|body| self.bodies.kinetic_energy(body)).sum()
    }

    /// The bits of all velocities, impulses and slips.
    pub(crate) fn hash(&self) -> u64 {
        let mut hasher = StateHasher::new();
        let mut write = |v: &Vector3| v.iter().for_each(|&c| hasher.write_f32(c));
        for body in self.bodies.indices() {
            write(&self.linear(body));
            write(&self.angular(body));
        }
        for edge in self.graph.edge_indices() {
            for point in self.graph.edge(edge).manifold.points() {
                write(&point.impulse);
                write(&point.accumulated_slip);
            }
        }
        hasher.finish()
    }

    pub(crate) fn is_finite(&self) -> bool {
        let finite = |v: &Vector3| drystone_math::is_finite(v);
        self.bodies.indices().all(|body| self.bodies.hot(body).is_finite())
            && self.graph.edge_indices().all(|edge| {
                let points = self.graph.edge(edge).manifold.points();
                points.iter().all(|p| finite(&p.impulse) && finite(&p.accumulated_slip))
            })
    }
}

/// A solid ball of [`RADIUS`] at rest.
pub(crate) fn ball_desc(mass: Real, at: Vector3) -> BodyDesc {
    let inertia = Vector3::repeat(0.4 * mass * RADIUS * RADIUS);
    BodyDesc::dynamic(MassProperties::aligned(mass, inertia), RADIUS).at(pose(at, Rotation::identity()))
}

pub(crate) fn pose(at: Vector3, rotation: Rotation) -> Pose {
    Pose::new(Position::from(widen(&at)), rotation)
}

/// Centre of mass as a vector from the world's origin; 0 for what cannot move and has no pose of its own.
pub(crate) fn center(bodies: &Bodies, body: BodyIndex) -> Vector3 {
    drystone_math::narrow(&bodies.center_pose(body).translation.coords)
}

/// Balls of 1 kg on a fixed floor, each resting on the one below; the floor's contact is the first edge.
pub(crate) fn column(rig: &mut Rig, count: usize, material: PairMaterial) -> Vec<BodyIndex> {
    let floor = rig.fixed();
    let mut balls: Vec<BodyIndex> = Vec::new();
    for i in 0..count {
        let height = RADIUS * (2 * i + 1) as Real;
        let ball = rig.ball(1.0, Vector3::new(0.0, height, 0.0), Vector3::zeros());
        if let Some(&below) = balls.last() {
            rig.touch_balls(below, ball, material);
        } else {
            rig.touch(floor, ball, Vector3::y(), &[Vector3::zeros()], 0.0, material);
        }
        balls.push(ball);
    }
    balls
}

/// Numbers that look random and are the same in every run.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: StateHasher,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = StateHasher::new();
        state.write_u64(seed);
        Self { state }
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.state.write_u64(0);
        (self.state.finish() % bound as u64) as usize
    }

    /// Uniform in `low..high`.
    pub(crate) fn between(&mut self, low: Real, high: Real) -> Real {
        self.state.write_u64(0);
        low + (high - low) * ((self.state.finish() >> 40) as Real / (1 << 24) as Real)
    }

    pub(crate) fn vector(&mut self, size: Real) -> Vector3 {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    pub(crate) fn direction(&mut self) -> Vector3 {
        loop {
            let v = self.vector(1.0);
            let length = v.norm();
            if (0.1..=1.0).contains(&length) {
                return v / length;
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> Rotation {
        Rotation::from_euler_angles(self.between(-3.0, 3.0), self.between(-1.5, 1.5), self.between(-3.0, 3.0))
    }

    /// Any restitution, and a static friction not below the kinetic one.
    pub(crate) fn material(&mut self) -> PairMaterial {
        let kinetic_friction = self.between(0.0, 0.8);
        PairMaterial {
            restitution: self.between(0.0, 1.0),
            static_friction: kinetic_friction * self.between(1.0, 2.0),
            kinetic_friction,
            rolling_friction: 0.0,
        }
    }
}

/// How a random cluster is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cluster {
    pub(crate) body_count: usize,
    /// Contacts beyond those that hold the cluster together.
    pub(crate) extra_contacts: usize,
    /// Whether the first body touches something fixed.
    pub(crate) is_grounded: bool,
    /// Masses are 10 to the power of ± this.
    pub(crate) mass_exponent: Real,
}

impl Cluster {
    pub(crate) const SMALL: Self =
        Self { body_count: 5, extra_contacts: 3, is_grounded: true, mass_exponent: 0.5 };

    /// Boxes with random poses and velocities, joined by random contacts with no gap.
    pub(crate) fn build(&self, rig: &mut Rig, random: &mut Random) -> Vec<BodyIndex> {
        let floor = self.is_grounded.then(|| rig.fixed());
        let mut members = Vec::new();
        for _ in 0..self.body_count {
            let mass = (10.0 as Real).powf(random.between(-self.mass_exponent, self.mass_exponent));
            let member = rig.add(&box_desc(mass, random));
            if let Some(&other) = members.get(random.below(members.len().max(1))) {
                random_contact(rig, other, member, random);
            } else if let Some(floor) = floor {
                random_contact(rig, floor, member, random);
            }
            members.push(member);
        }
        for _ in 0..self.extra_contacts {
            let (i, j) = (random.below(self.body_count), random.below(self.body_count));
            if i != j {
                random_contact(rig, members[i.min(j)], members[i.max(j)], random);
            }
        }
        members
    }
}

/// A solid box of this mass with a random shape, pose and velocity.
pub(crate) fn box_desc(mass: Real, random: &mut Random) -> BodyDesc {
    let half = Vector3::from_fn(|_, _| random.between(0.2, 0.5));
    let density = mass / (8.0 * half.x * half.y * half.z);
    let mass = MassProperties::cuboid(&half, density);
    BodyDesc {
        linear: random.vector(3.0),
        angular: random.vector(5.0),
        ..BodyDesc::dynamic(mass, half.norm()).at(pose(random.vector(1.0), random.rotation()))
    }
}

/// One or two points near the middle of the two bodies; nothing when the pair touches already.
fn random_contact(rig: &mut Rig, a: BodyIndex, b: BodyIndex, random: &mut Random) -> EdgeIndex {
    let is_fixed = !rig.bodies.hot(a).is_dynamic();
    let from = if is_fixed { center(&rig.bodies, b) } else { center(&rig.bodies, a) };
    let middle = (from + center(&rig.bodies, b)) * 0.5;
    let points: Vec<Vector3> = (0..1 + random.below(2)).map(|_| middle + random.vector(0.3)).collect();
    let (normal, material) = (random.direction(), random.material());
    rig.touch(a, b, normal, &points, 0.0, material)
}
