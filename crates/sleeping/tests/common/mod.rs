//! Bodies and contacts by hand, and the two functions of the crate in the order of a step.
#![allow(dead_code, reason = "every test file uses its own part of this module")]

use drystone_contact::{
    Bodies, BodyDesc, BodyIndex, ColliderHandle, ContactGraph, ContactPoint, EdgeIndex, Manifold,
    PairMaterial, StepParams,
};
use drystone_math::inertia::MassProperties;
use drystone_math::{Real, Vector3};
use drystone_sleeping::{SleepConfig, SleepMemory, SleepReport, WakeReport, put_to_sleep, wake_unsupported};

/// Step size of the tests, s.
pub(crate) const DT: Real = 1.0 / 240.0;
/// Size of gravity, m/s².
pub(crate) const G: Real = 9.81;
/// Radius of the balls, m.
pub(crate) const RADIUS: Real = 0.1;

/// A small world with gravity along -y.
pub(crate) struct Rig {
    pub(crate) bodies: Bodies,
    pub(crate) graph: ContactGraph,
    pub(crate) step: StepParams,
    pub(crate) config: SleepConfig,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let step = StepParams {
            dt: DT,
            acceleration: Vector3::new(0.0, -G, 0.0),
            force: Vector3::zeros(),
            reference_acceleration: G,
            index: 0,
            may_sleep: false,
        };
        Self {
            bodies: Bodies::default(),
            graph: ContactGraph::default(),
            step,
            config: SleepConfig::default(),
        }
    }

    pub(crate) fn add(&mut self, desc: &BodyDesc) -> BodyIndex {
        let handle = self.bodies.add(desc).expect("a valid description");
        let index = self.bodies.index(handle).expect("just added");
        self.graph.add_body(&self.bodies, index);
        index
    }

    pub(crate) fn fixed(&mut self) -> BodyIndex {
        self.add(&BodyDesc::fixed())
    }

    pub(crate) fn ball(&mut self) -> BodyIndex {
        self.add(&ball())
    }

    /// A contact of so many points and this gap; A before B, normal from A to B.
    pub(crate) fn touch(
        &mut self,
        a: BodyIndex,
        b: BodyIndex,
        normal: Vector3,
        point_count: u32,
        distance: Real,
    ) -> EdgeIndex {
        let colliders = [a, b].map(|body| {
            let handle = self.bodies.handle(body).expect("alive");
            ColliderHandle { index: handle.index, generation: handle.generation }
        });
        let material = PairMaterial::default();
        let edge = self.graph.add_edge(colliders, &self.bodies, [a, b], material).expect("room");
        let mut manifold = Manifold::new(a, b, material);
        manifold.normal = normal;
        for feature in 0..point_count {
            assert!(manifold.push(ContactPoint { distance, feature, ..ContactPoint::default() }));
        }
        self.graph.set_manifold(&self.bodies, edge, &manifold);
        edge
    }

    /// A ball asleep on a floor, with one contact below it, after a step in which nothing happened.
    pub(crate) fn sleeper_on_floor(&mut self) -> (BodyIndex, EdgeIndex) {
        let floor = self.fixed();
        let ball = self.ball();
        let edge = self.touch(floor, ball, Vector3::y(), 1, 0.0);
        self.fall_asleep(ball);
        (ball, edge)
    }

    /// Runs steps at rest until the body sleeps, then ends the step.
    pub(crate) fn fall_asleep(&mut self, body: BodyIndex) {
        for _ in 0..1000 {
            if self.bodies.is_asleep(body) {
                break;
            }
            self.sleep();
        }
        assert!(self.bodies.is_asleep(body), "a body at rest falls asleep");
        self.next_step();
    }

    /// The wake rules of a step.
    pub(crate) fn wake(&mut self) -> WakeReport {
        wake_unsupported(&self.config, &mut self.bodies, &self.graph, &self.step, &mut SleepMemory::default())
    }

    /// The sleep rule of a step.
    pub(crate) fn sleep(&mut self) -> SleepReport {
        put_to_sleep(
            &self.config,
            &mut self.bodies,
            &self.graph,
            &self.step,
            &mut Vec::new(),
            &mut SleepMemory::default(),
        )
    }

    /// Forgets what changed in the last step.
    pub(crate) fn next_step(&mut self) {
        self.graph.begin_step();
        self.bodies.take_wakes();
    }

    pub(crate) fn linear(&self, body: BodyIndex) -> Vector3 {
        self.bodies.hot(body).linear
    }

    pub(crate) fn set_velocity(&mut self, body: BodyIndex, linear: Vector3, angular: Vector3) {
        let hot = &mut self.bodies.view_mut().hot[body.get()];
        (hot.linear, hot.angular) = (linear, angular);
    }

    /// The averaged squared motion of a body, (m/s)².
    pub(crate) fn average(&mut self, body: BodyIndex) -> &mut Real {
        &mut self.bodies.view_mut().motion[body.get()]
    }

    /// The squared sleep threshold, (m/s)².
    pub(crate) fn threshold_squared(&self) -> Real {
        let threshold = self.config.threshold * self.step.speed_unit();
        threshold * threshold
    }

    /// A velocity along x whose motion bound, `√2 |v|`, is this multiple of the threshold.
    pub(crate) fn velocity_at(&self, multiple: Real) -> Vector3 {
        Vector3::new(
            multiple * self.config.threshold * self.step.speed_unit() / (2.0 as Real).sqrt(),
            0.0,
            0.0,
        )
    }
}

/// A ball of oak.
pub(crate) fn ball() -> BodyDesc {
    BodyDesc::dynamic(MassProperties::sphere(RADIUS, 800.0), RADIUS)
}
