//! The one helper of the suite: bodies, contacts, correct.

use drystone_contact::{
    Batches, Bodies, BodyDesc, BodyIndex, ColliderHandle, ContactGraph, ContactPoint, EdgeIndex, Manifold,
    PairMaterial, StepParams,
};
use drystone_correction::{CorrectionConfig, CorrectionReport, Corrector};
use drystone_exec::Exec;
use drystone_math::inertia::MassProperties;
use drystone_math::{Displacement, Pose, Position, Real, Vector3, narrow};

/// Radius of every ball, m.
pub(crate) const RADIUS: Real = 0.5;
/// Depth above which contacts are corrected with [`STEP`] and the default configuration, m.
pub(crate) const THRESHOLD: Real = 0.01;
/// Depth that a correction leaves with the default configuration, m.
pub(crate) const SLACK: Real = 0.005;
/// A step with `g dt²` of 1 mm.
pub(crate) const STEP: StepParams = StepParams {
    dt: 0.01,
    acceleration: Vector3::new(0.0, -10.0, 0.0),
    force: Vector3::new(0.0, 0.0, 0.0),
    reference_acceleration: 10.0,
    index: 0,
    may_sleep: false,
};
/// Rounding of distances of some cm, m.
pub(crate) const ROUNDING: Real = 1e-7;

/// Bodies and their contacts.
#[derive(Clone, Default)]
pub(crate) struct Pile {
    pub(crate) bodies: Bodies,
    pub(crate) graph: ContactGraph,
    colliders: u32,
}

impl Pile {
    pub(crate) fn add(&mut self, desc: BodyDesc) -> BodyIndex {
        let handle = self.bodies.add(&desc).expect("valid");
        let index = self.bodies.index(handle).expect("alive");
        self.graph.add_body(&self.bodies, index);
        index
    }

    pub(crate) fn ball_desc() -> BodyDesc {
        BodyDesc::dynamic(MassProperties::sphere(RADIUS, 1000.0), RADIUS)
    }

    pub(crate) fn ball(&mut self, x: f64, y: f64) -> BodyIndex {
        self.add(Self::ball_desc().at(Pose::at(x, y, 0.0)))
    }

    pub(crate) fn fixed(&mut self) -> BodyIndex {
        self.add(BodyDesc::fixed())
    }

    /// A contact with one point per distance (m), from A to B along `normal`.
    pub(crate) fn touch(
        &mut self,
        a: BodyIndex,
        b: BodyIndex,
        normal: Vector3,
        distances: &[Real],
    ) -> EdgeIndex {
        let arm = normal * RADIUS;
        let points = distances.iter().map(|&distance| ContactPoint {
            arm_a: arm,
            arm_b: -arm,
            distance,
            ..Default::default()
        });
        self.link(a, b, normal, points)
    }

    /// A contact with these points.
    pub(crate) fn link(
        &mut self,
        a: BodyIndex,
        b: BodyIndex,
        normal: Vector3,
        points: impl IntoIterator<Item = ContactPoint>,
    ) -> EdgeIndex {
        let colliders = [0, 1].map(|i| ColliderHandle { index: self.colliders + i, generation: 1 });
        self.colliders += 2;
        let material = PairMaterial::default();
        let edge = self.graph.add_edge(colliders, &self.bodies, [a, b], material).expect("room");
        let mut manifold = Manifold::new(a, b, material);
        manifold.normal = normal;
        for point in points {
            assert!(manifold.push(point), "at most four points");
        }
        self.graph.set_manifold(&self.bodies, edge, &manifold);
        edge
    }

    /// The contact of two balls by closed form, when they are nearer than `margin` (m).
    pub(crate) fn touch_balls(&mut self, a: BodyIndex, b: BodyIndex, margin: Real) -> Option<EdgeIndex> {
        let apart = narrow(&(self.at(b) - self.at(a)));
        let distance = apart.norm() - 2.0 * RADIUS;
        if distance > margin {
            return None;
        }
        let normal = apart / apart.norm();
        let arm_a = normal * (RADIUS + 0.5 * distance);
        Some(self.link(
            a,
            b,
            normal,
            [ContactPoint { arm_a, arm_b: arm_a - apart, distance, ..Default::default() }],
        ))
    }

    pub(crate) fn at(&self, body: BodyIndex) -> Position {
        self.bodies.center_pose(body).translation
    }

    pub(crate) fn distances(&self, edge: EdgeIndex) -> Vec<Real> {
        self.graph.edge(edge).manifold.points().iter().map(|p| p.distance).collect()
    }

    pub(crate) fn distance(&self, edge: EdgeIndex) -> Real {
        self.graph.edge(edge).manifold.min_distance().expect("linked")
    }

    pub(crate) fn came_by(&mut self, body: BodyIndex, last_move: Vector3) {
        self.bodies.view_mut().last_move[body.get()] = last_move;
    }

    pub(crate) fn batches(&mut self) -> Batches {
        self.graph.update_islands();
        let mut batches = Batches::default();
        batches.rebuild(&self.bodies, &self.graph, Batches::DEFAULT_SMALL_CUT);
        batches
    }

    pub(crate) fn correct_with(&mut self, config: &CorrectionConfig, exec: &Exec) -> CorrectionReport {
        let batches = self.batches();
        Corrector::new().correct(config, &mut self.bodies, &mut self.graph, &batches, &STEP, exec)
    }

    /// Corrects; how far every body was moved, by index.
    pub(crate) fn moves(&mut self, config: &CorrectionConfig) -> (Vec<Displacement>, CorrectionReport) {
        let before: Vec<Pose> = self.bodies.view().pose.to_vec();
        let report = self.correct_with(config, &Exec::serial());
        let after = self.bodies.view().pose;
        let moved = |(b, a): (&Pose, &Pose)| a.translation - b.translation;
        (before.iter().zip(after).map(moved).collect(), report)
    }

    /// Corrects with the default configuration; how far every body was moved along x, by index.
    pub(crate) fn moves_x(&mut self) -> (Vec<Real>, CorrectionReport) {
        let (moves, report) = self.moves(&paper());
        (moves.iter().map(|m| m.x as Real).collect(), report)
    }
}

/// Asserts equality within rounding.
#[track_caller]
pub(crate) fn assert_near(actual: Real, expected: Real) {
    assert!((actual - expected).abs() <= ROUNDING, "{actual} instead of {expected}");
}

/// The settings of these tests: S1 to the letter, so what no approach can solve stays as it is.
pub(crate) fn paper() -> CorrectionConfig {
    CorrectionConfig { relax_share: 0.0, relax_rounds: 0, ..CorrectionConfig::default() }
}
