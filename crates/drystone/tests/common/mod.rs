//! What all tests of the facade share: small scenes, and the one way they are run ([`Scene::start`],
//! [`settle`]), so that a change of the API edits this place.
#![allow(dead_code, reason = "every test binary uses a part of it")]

use drystone::math::{Displacement, Pose, Position, Real, Vector3};
use drystone::{
    BodyHandle, BodyKind, BodySpec, ColliderSpec, EventConfig, EventDetail, Exec, ImpulseConfig,
    PairMaterial, Shape, SolverChoice, StepReport, TouchEvent, World, WorldConfig,
};

/// Steps per second that the fast preset is made for (S1-77).
pub(crate) const FAST: Real = 240.0;
/// Steps per second that the accurate preset is made for (S1-88).
pub(crate) const ACCURATE: Real = 960.0;
/// Standard gravity of the presets, m/s².
pub(crate) const G: f64 = 9.81;

/// Bodies to be, what all their contacts do, and the rate at which they are stepped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    /// In the order in which they are added; handles come out in the same order.
    pub(crate) bodies: Vec<BodySpec>,
    /// What every contact does; `None` for the built-in 0.25, 0.20, 0.20.
    pub(crate) pair: Option<PairMaterial>,
}

impl Scene {
    /// A half-space below y = 0 as body 0.
    pub(crate) fn on_ground() -> Self {
        Self::default().with(ground())
    }

    /// One body more.
    pub(crate) fn with(mut self, body: BodySpec) -> Self {
        self.bodies.push(body);
        self
    }

    /// Bodies more.
    pub(crate) fn with_all(mut self, bodies: impl IntoIterator<Item = BodySpec>) -> Self {
        self.bodies.extend(bodies);
        self
    }

    /// What every contact does.
    pub(crate) fn surface(self, restitution: Real, static_friction: Real, kinetic_friction: Real) -> Self {
        Self {
            pair: Some(PairMaterial {
                restitution,
                static_friction,
                kinetic_friction,
                rolling_friction: 0.0,
            }),
            ..self
        }
    }

    /// The scene as a world with `threads` threads.
    pub(crate) fn start(&self, config: &WorldConfig, threads: usize) -> Run {
        let exec = Exec::with_threads(threads).expect("so many threads start");
        // A thread allocates while it starts, which may be late: all meet before anything is counted.
        let awake = exec.wake();
        let meeting = std::sync::Barrier::new(threads);
        exec.for_each_dynamic(drystone_exec::ranges(threads, 1), |_, _| {
            meeting.wait();
        });
        drop(awake);
        // However few bodies there are: tests are small.
        let config = WorldConfig { parallel_threshold: 0, ..config.clone() };
        let mut world = World::with_exec(config, exec).expect("the settings are valid");
        if let Some(pair) = self.pair {
            world.materials_mut().set_all_pairs(pair).expect("the surface is valid");
        }
        let bodies: Vec<BodyHandle> =
            self.bodies.iter().map(|b| world.add_body(b.clone()).expect("the body is valid")).collect();
        let homes = bodies.iter().map(|&b| world.pose(b).expect("just added").translation).collect();
        Run { world, bodies, homes }
    }
}

/// A scene under way.
#[derive(Debug)]
pub(crate) struct Run {
    /// The world.
    pub(crate) world: World,
    /// The bodies, in the order of the scene.
    pub(crate) bodies: Vec<BodyHandle>,
    /// Where they began, m.
    pub(crate) homes: Vec<Position>,
}

impl Run {
    /// One step at `hz` steps per second.
    pub(crate) fn step(&mut self, hz: Real) -> &StepReport {
        self.world.step(1.0 / hz).expect("the step size is valid")
    }

    /// Steps for `seconds` at `hz`; `look` sees the world after every step.
    pub(crate) fn steps(&mut self, hz: Real, seconds: f64, mut look: impl FnMut(&World)) {
        for _ in 0..(seconds * f64::from(hz)).round() as u64 {
            self.step(hz);
            look(&self.world);
        }
    }

    /// Where a body is, m.
    pub(crate) fn place(&self, body: usize) -> Position {
        self.world.pose(self.bodies[body]).expect("the body exists").translation
    }

    /// How far a body has gone, m.
    pub(crate) fn way(&self, body: usize) -> Displacement {
        self.place(body) - self.homes[body]
    }

    /// Velocity of a body, m/s.
    pub(crate) fn linear(&self, body: usize) -> Vector3 {
        self.world.velocity(self.bodies[body]).expect("the body exists").0
    }

    /// Angular velocity of a body, rad/s.
    pub(crate) fn angular(&self, body: usize) -> Vector3 {
        self.world.velocity(self.bodies[body]).expect("the body exists").1
    }

    /// True when a body is asleep.
    pub(crate) fn is_asleep(&self, body: usize) -> bool {
        self.world.body(self.bodies[body]).expect("the body exists").is_asleep
    }

    /// Steps until all of these bodies sleep.
    pub(crate) fn until_asleep(&mut self, hz: Real, bodies: &[usize]) {
        for _ in 0..(10.0 * hz) as u32 {
            if bodies.iter().all(|&b| self.is_asleep(b)) {
                return;
            }
            self.step(hz);
        }
        panic!("bodies {bodies:?} do not all sleep after 10 s: {:?}", self.world.report());
    }
}

/// Touch events of the last step.
pub(crate) fn touches(world: &World) -> impl Iterator<Item = TouchEvent> + '_ {
    world.events().filter_map(|event| match event.detail {
        EventDetail::Touch(touch) => Some(touch),
        _ => None,
    })
}

/// The same settings, with events of touches that go on when asked.
pub(crate) fn telling(config: WorldConfig, touch_persist: bool) -> WorldConfig {
    WorldConfig { events: EventConfig { touch_persist, ..config.events }, ..config }
}

/// What came of a run.
#[derive(Clone)]
pub(crate) struct Outcome {
    /// Farthest that a dynamic body is from where it began, m.
    pub(crate) drift: f64,
    /// Deepest overlap in any step, m.
    pub(crate) worst_overlap: Real,
    /// Fastest dynamic body at the end, m/s.
    pub(crate) fastest: Real,
    /// State hash after every step.
    pub(crate) hashes: Vec<u64>,
}

/// Runs a scene for `seconds` at `hz` on one thread and measures it.
pub(crate) fn settle(scene: &Scene, config: &WorldConfig, hz: Real, seconds: f64) -> Outcome {
    settle_on(scene, config, hz, seconds, 1)
}

/// The same on `threads` threads.
pub(crate) fn settle_on(
    scene: &Scene,
    config: &WorldConfig,
    hz: Real,
    seconds: f64,
    threads: usize,
) -> Outcome {
    let mut run = scene.start(config, threads);
    let (mut worst_overlap, mut hashes) = (0.0_f32, Vec::new());
    run.steps(hz, seconds, |world| {
        worst_overlap = worst_overlap.max(world.report().worst_overlap);
        hashes.push(world.state_hash());
    });
    let is_dynamic = |b: &BodyHandle| run.world.body(*b).expect("it exists").kind == BodyKind::Dynamic;
    let dynamic: Vec<usize> = (0..run.bodies.len()).filter(|&i| is_dynamic(&run.bodies[i])).collect();
    Outcome {
        drift: dynamic.iter().map(|&i| run.way(i).norm()).fold(0.0, f64::max),
        worst_overlap,
        fastest: dynamic.iter().map(|&i| run.linear(i).norm()).fold(0.0, Real::max),
        hashes,
    }
}

/// S1's fast settings with sleeping off.
pub(crate) fn awake() -> WorldConfig {
    let mut config = WorldConfig::thesis_fast();
    config.sleeping.enabled = false;
    config
}

/// S1's accurate settings with sleeping off.
pub(crate) fn accurate() -> WorldConfig {
    let mut config = WorldConfig::thesis_accurate();
    config.sleeping.enabled = false;
    config
}

/// The tuning of the impulse method.
pub(crate) fn impulse(config: &mut WorldConfig) -> &mut ImpulseConfig {
    match &mut config.solver {
        SolverChoice::Impulse { config, .. } => config,
        other => panic!("the presets choose the impulse method, got {other:?}"),
    }
}

/// A half-space below y = 0.
pub(crate) fn ground() -> BodySpec {
    BodySpec::fixed().collider(ColliderSpec::new(Shape::half_space(Vector3::y()).expect("a unit normal")))
}

/// A collider of a box, half extents in m.
pub(crate) fn block(x: Real, y: Real, z: Real) -> ColliderSpec {
    ColliderSpec::new(Shape::cuboid(Vector3::new(x, y, z)).expect("a size in range"))
}

/// A cube of granite with this edge, m, its middle at a place.
pub(crate) fn cube(edge: Real, x: f64, y: f64, z: f64) -> BodySpec {
    let half = 0.5 * edge;
    BodySpec::dynamic().pose(Pose::at(x, y, z)).collider(block(half, half, half))
}

/// A ball of granite with this radius, m, its middle at a place.
pub(crate) fn ball(radius: Real, x: f64, y: f64, z: f64) -> BodySpec {
    let shape = Shape::sphere(radius).expect("a size in range");
    BodySpec::dynamic().pose(Pose::at(x, y, z)).collider(ColliderSpec::new(shape))
}

/// Cubes of 0.1 m on top of each other, touching exactly, the lowest on y = 0.
pub(crate) fn tower(count: u32, x: f64, z: f64) -> impl Iterator<Item = BodySpec> {
    (0..count).map(move |i| cube(0.1, x, 0.05 + 0.1 * f64::from(i), z))
}

/// A flat pyramid of cubes of 0.1 m, 5 mm apart, touching exactly from row to row.
pub(crate) fn pyramid(rows: u32) -> impl Iterator<Item = BodySpec> {
    (0..rows).flat_map(move |row| {
        (0..rows - row).map(move |i| cube(0.1, pyramid_x(rows, row, i), 0.05 + 0.1 * f64::from(row), 0.0))
    })
}

/// Where the cube `i` of a row of a pyramid is, m.
pub(crate) fn pyramid_x(rows: u32, row: u32, i: u32) -> f64 {
    (f64::from(i) - 0.5 * f64::from(rows - 1 - row)) * 0.105
}

/// Four fixed walls around a square of this half width, m, open above.
pub(crate) fn pen(half: Real) -> impl Iterator<Item = BodySpec> {
    let far = f64::from(half) + 0.05;
    [(far, 0.0), (-far, 0.0), (0.0, far), (0.0, -far)].into_iter().map(move |(x, z)| {
        let (a, b) = if x == 0.0 { (half + 0.1, 0.05) } else { (0.05, half + 0.1) };
        BodySpec::fixed().pose(Pose::at(x, 1.0, z)).collider(block(a, 1.0, b))
    })
}

/// Random numbers that are the same everywhere (xorshift64*, Vigna 2016).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// From a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next word.
    pub(crate) fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.word() >> 33) as usize % end
    }

    /// In [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Balls and cubes of about 0.1 m dropped in a column around a place.
pub(crate) fn heap(count: usize, x: f64, z: f64, seed: u64) -> Vec<BodySpec> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|i| {
            let (dx, dz) = (random.between(-0.12, 0.12), random.between(-0.12, 0.12));
            let (px, py, pz) = (x + dx, 0.1 + 0.11 * i as f64, z + dz);
            if i % 2 == 0 { cube(0.1, px, py, pz) } else { ball(0.055, px, py, pz) }
        })
        .collect()
}
