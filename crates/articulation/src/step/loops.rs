//! Loop closures: what joins two links that the tree does not, or a link and the world.
//!
//! Featherstone (2008), chapter 8. A closure has three rows for a point, three more for a weld, and five for a slide, which
//! leaves the way along x of A's frame free:
//! ```text
//! C = p_B - p_A  (world axes, m)       C = vector of R_B R_Aᵀ  (rad)
//! C = a·(p_B - p_A) for a = y, z of A's frame,   Ċ = a·u,   C̈ = a·(p̈_B - p̈_A - 2 ω_A × u)       (slide; A's point is the one at p_B, u = ṗ_B - ṗ_A)
//! J = J_B - J_A                        (J H⁻¹ Jᵀ) λ = right-hand side,   Δq̇ = H⁻¹ Jᵀ λ
//! ```
//! `H⁻¹ Jᵀ` takes O(n) per row; the small system is solved by [`RankFactor`], so that rows that follow from others are harmless: a planar
//! mechanism closed by a weld has three of them.

use super::rank::RankFactor;
use crate::dynamics::{Factor, OperationalInertia, Response, add_jacobian};
use crate::error::{ArticulationError, all_finite, in_range};
use crate::kinematics::Kinematics;
use crate::model::{LinkIndex, Model, Transform};
use crate::spatial::{SpatialForce, SpatialMotion, rotation_vector};
use drystone_math::Carried;
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

/// What a loop closure holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopKind {
    /// A point of B on a point of A.
    Point,
    /// A frame of B on a frame of A.
    Weld,
    /// The same but for the way along x of the frame of A.
    Slide,
}

/// A loop closure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopSpec {
    /// What it holds.
    pub kind: LoopKind,
    /// Link A; none for the world.
    pub a: Option<LinkIndex>,
    /// The frame on A: in A's frame, or in the world.
    pub frame_a: Transform,
    /// Link B.
    pub b: LinkIndex,
    /// The frame on B, in B's frame.
    pub frame_b: Transform,
}

impl LoopSpec {
    /// Holds a point of B (in its frame, m) on a point of A (in its frame or in the world, m).
    pub fn point(a: Option<LinkIndex>, point_a: Vector3<f64>, b: LinkIndex, point_b: Vector3<f64>) -> Self {
        let [frame_a, frame_b] = [point_a, point_b].map(|p| Transform::translation(p.x, p.y, p.z));
        Self { kind: LoopKind::Point, a, frame_a, b, frame_b }
    }

    /// Holds a frame of B on a frame of A.
    pub fn weld(a: Option<LinkIndex>, frame_a: Transform, b: LinkIndex, frame_b: Transform) -> Self {
        Self { kind: LoopKind::Weld, a, frame_a, b, frame_b }
    }

    /// Lets a frame of B slide along x of a frame of A, and holds it else.
    pub fn slide(a: Option<LinkIndex>, frame_a: Transform, b: LinkIndex, frame_b: Transform) -> Self {
        Self { kind: LoopKind::Slide, a, frame_a, b, frame_b }
    }

    pub(crate) fn validate(&self, model: &Model) -> Result<(), ArticulationError> {
        model.link(self.b)?;
        if let Some(a) = self.a {
            model.link(a)?;
            if a == self.b {
                return Err(ArticulationError::SameLink(format!("link {}", a.index())));
            }
        }
        for frame in [&self.frame_a, &self.frame_b] {
            all_finite("translation of a loop's frame", frame.translation.vector.as_slice())?;
            let length = frame.rotation.norm();
            in_range("length of a loop's rotation", "1 within 1e-6", length, |x| (x - 1.0).abs() < 1e-6)?;
        }
        Ok(())
    }

    fn row_count(&self) -> usize {
        match self.kind {
            LoopKind::Point => 3,
            LoopKind::Weld => 6,
            LoopKind::Slide => 5,
        }
    }

    /// How many of its rows are about places; the others are about turns.
    fn place_count(&self) -> usize {
        if self.kind == LoopKind::Slide { 2 } else { 3 }
    }

    /// Directions of its rows about places, as many as there are: those of the world, of a slide those across its way.
    fn place_axes(&self, turn_a: &UnitQuaternion<f64>) -> [Vector3<f64>; 3] {
        match self.kind {
            LoopKind::Slide => [turn_a * Vector3::y(), turn_a * Vector3::z(), Vector3::zeros()],
            LoopKind::Point | LoopKind::Weld => [Vector3::x(), Vector3::y(), Vector3::z()],
        }
    }

    /// The point of A that does not move against that of B, or, of a slide, along its way alone.
    fn point_on_a(&self, point_a: Vector3<f64>, point_b: Vector3<f64>) -> Vector3<f64> {
        if self.kind == LoopKind::Slide { point_b } else { point_a }
    }

    /// Where its frames are.
    fn places(&self, kinematics: &Kinematics) -> [(Vector3<f64>, UnitQuaternion<f64>); 2] {
        let place = |link: Option<LinkIndex>, frame: &Transform| {
            let Some(link) = link else { return (frame.translation.vector, frame.rotation) };
            let pose = &kinematics.links()[link.index()];
            let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(pose.rotation));
            (pose.origin + pose.rotation * frame.translation.vector, turn * frame.rotation)
        };
        [place(self.a, &self.frame_a), place(Some(self.b), &self.frame_b)]
    }
}

/// All loop closures, their Jacobian and their responses.
#[derive(Clone, Debug)]
pub(crate) struct LoopSet {
    specs: Vec<LoopSpec>,
    operational: OperationalInertia,
    /// J by rows.
    jacobian: Vec<f64>,
    /// H⁻¹ Jᵀ: a response per row.
    responses: Vec<f64>,
    matrix: Vec<f64>,
    scale: Vec<f64>,
    rank: RankFactor,
    /// Right-hand side, then multipliers, of the solve at work.
    pub(crate) rows: Vec<f64>,
    /// Force (or impulse) of each row: of the last flow.
    pub(crate) forces: Vec<f64>,
    dof_count: usize,
}

impl LoopSet {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.specs.heap_bytes()
            + self.operational.heap_bytes()
            + self.jacobian.heap_bytes()
            + self.responses.heap_bytes()
            + self.matrix.heap_bytes()
            + self.scale.heap_bytes()
            + self.rank.heap_bytes()
            + self.rows.heap_bytes()
            + self.forces.heap_bytes()
    }

    pub(crate) fn new(model: &Model) -> Self {
        Self {
            specs: Vec::new(),
            operational: OperationalInertia::new(model),
            jacobian: Vec::new(),
            responses: Vec::new(),
            matrix: Vec::new(),
            scale: Vec::new(),
            rank: RankFactor::default(),
            rows: Vec::new(),
            forces: Vec::new(),
            dof_count: model.dof_count(),
        }
    }

    pub(crate) fn push(&mut self, spec: LoopSpec) {
        self.specs.push(spec);
        let rows = self.rows.len() + spec.row_count();
        self.jacobian.resize(rows * self.dof_count, 0.0);
        self.responses.resize(rows * self.dof_count, 0.0);
        self.matrix.resize(rows * rows, 0.0);
        self.scale.resize(rows, 0.0);
        self.rows.resize(rows, 0.0);
        self.forces.resize(rows, 0.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.specs.is_empty()
    }

    pub(crate) fn specs(&self) -> &[LoopSpec] {
        &self.specs
    }

    pub(crate) fn redundant(&self) -> u32 {
        if self.is_empty() { 0 } else { self.rank.redundant() as u32 }
    }

    /// What closure `index` gave to B at B's point, and took from A there.
    pub(crate) fn force(&self, index: usize, kinematics: &Kinematics) -> SpatialForce {
        let first: usize = self.specs[..index].iter().map(LoopSpec::row_count).sum();
        let spec = &self.specs[index];
        let rows = &self.forces[first..first + spec.row_count()];
        let (places, turns) = rows.split_at(spec.place_count());
        let [(_, turn_a), _] = spec.places(kinematics);
        let axes = spec.place_axes(&turn_a);
        let force = places.iter().zip(&axes).map(|(force, axis)| axis * *force).sum();
        let moment = if turns.is_empty() { Vector3::zeros() } else { Vector3::from_column_slice(turns) };
        SpatialForce::new(moment, force)
    }

    /// Factors the small system for the places in `kinematics` and the mass matrix in `factor`.
    pub(crate) fn prepare(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        factor: &Factor,
        response: &mut Response,
    ) {
        self.fill_jacobian(model, kinematics);
        let (n, count) = (self.dof_count, self.rows.len());
        for row in 0..count {
            let range = row * n..(row + 1) * n;
            let out = &mut self.responses[range.clone()];
            response.to_joint_impulses(model, kinematics, factor, &self.jacobian[range], out);
        }
        for i in 0..count {
            for j in 0..=i {
                let entry = dot(&self.jacobian[i * n..(i + 1) * n], &self.responses[j * n..(j + 1) * n]);
                self.matrix[i * count + j] = entry;
                self.matrix[j * count + i] = entry;
            }
        }
        self.operational.update(model, kinematics, factor);
        self.find_scales(kinematics);
        self.rank.factorize(&self.matrix, &self.scale);
    }

    /// Metres and radians of each closure are measured by how easily its links move by themselves: of links that do not move against
    /// each other rounding is left, which must not count as rows.
    fn find_scales(&mut self, kinematics: &Kinematics) {
        let mut first = 0;
        for spec in &self.specs {
            let [(point_a, _), (point_b, _)] = spec.places(kinematics);
            let mut most = [0.0_f64; 2];
            for (link, point) in [(spec.a, point_a), (Some(spec.b), point_b)] {
                let Some(link) = link else { continue };
                let inverse = self.operational.inverse_at(kinematics, link, &point);
                for k in 0..3 {
                    most = [most[0].max(inverse[(k + 3, k + 3)]), most[1].max(inverse[(k, k)])];
                }
            }
            let scales = most.map(|most| if most > 0.0 { 1.0 / most.sqrt() } else { 0.0 });
            for row in first..first + spec.row_count() {
                self.scale[row] = scales[usize::from(row >= first + spec.place_count())];
            }
            first += spec.row_count();
        }
    }

    fn fill_jacobian(&mut self, model: &Model, kinematics: &Kinematics) {
        let zero = Vector3::zeros();
        let turns = [Vector3::x(), Vector3::y(), Vector3::z()];
        self.jacobian.fill(0.0);
        let mut first = 0;
        for spec in &self.specs {
            let [(point_a, turn_a), (point_b, _)] = spec.places(kinematics);
            let (count, places, axes) = (spec.row_count(), spec.place_count(), spec.place_axes(&turn_a));
            let directions: [_; 6] = std::array::from_fn(|k| match k.checked_sub(places) {
                Some(turn) => (*turns.get(turn).unwrap_or(&zero), zero),
                None => (zero, axes[k]),
            });
            let rows = &mut self.jacobian[first * self.dof_count..(first + count) * self.dof_count];
            add_jacobian(model, kinematics, spec.b, &point_b, &directions[..count], 1.0, rows);
            if let Some(a) = spec.a {
                let point_a = spec.point_on_a(point_a, point_b);
                add_jacobian(model, kinematics, a, &point_a, &directions[..count], -1.0, rows);
            }
            first += count;
        }
    }

    /// Writes the errors C into `rows`; returns the largest distance (m) and angle (rad).
    pub(crate) fn measure(&mut self, kinematics: &Kinematics) -> [f64; 2] {
        let (mut first, mut largest) = (0, [0.0_f64; 2]);
        for spec in &self.specs {
            let [(point_a, turn_a), (point_b, turn_b)] = spec.places(kinematics);
            let (distance, axes) = (point_b - point_a, spec.place_axes(&turn_a));
            let rows = &mut self.rows[first..first + spec.row_count()];
            let (places, turns) = rows.split_at_mut(spec.place_count());
            places.iter_mut().zip(&axes).for_each(|(row, axis)| *row = axis.dot(&distance));
            largest[0] = largest[0].max(places.iter().map(|row| row * row).sum::<f64>().sqrt());
            if !turns.is_empty() {
                let angle = rotation_vector(&(turn_b * turn_a.inverse()));
                turns.copy_from_slice(angle.as_slice());
                largest[1] = largest[1].max(angle.norm());
            }
            first += spec.row_count();
        }
        largest
    }

    /// Writes `d²C/dt²` into `rows`, from the spatial accelerations of the links (against free fall, as that of the world is).
    pub(crate) fn measure_acceleration(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        accelerations: &[SpatialMotion],
    ) {
        let of = |link: Option<LinkIndex>, point: &Vector3<f64>| {
            let Some(link) = link else { return SpatialMotion::new(Vector3::zeros(), -*model.gravity()) };
            let pose = &kinematics.links()[link.index()];
            let arm = point - pose.origin;
            let at = accelerations[link.index()].moved(&arm);
            // From spatial to classical: the point moves on with the link.
            let velocity = pose.velocity.moved(&arm);
            SpatialMotion::new(at.angular, at.linear + velocity.angular.cross(&velocity.linear))
        };
        let mut first = 0;
        for spec in &self.specs {
            let [(point_a, turn_a), (point_b, _)] = spec.places(kinematics);
            let point_a = spec.point_on_a(point_a, point_b);
            let mut apart = of(Some(spec.b), &point_b) - of(spec.a, &point_a);
            if let (LoopKind::Slide, Some(a)) = (spec.kind, spec.a) {
                let on_a = kinematics.velocity_at(a, &point_a);
                let slides = kinematics.velocity_at(spec.b, &point_b).linear - on_a.linear;
                apart.linear -= on_a.angular.cross(&slides) * 2.0;
            }
            let axes = spec.place_axes(&turn_a);
            let rows = &mut self.rows[first..first + spec.row_count()];
            let (places, turns) = rows.split_at_mut(spec.place_count());
            places.iter_mut().zip(&axes).for_each(|(row, axis)| *row = axis.dot(&apart.linear));
            if !turns.is_empty() {
                turns.copy_from_slice(apart.angular.as_slice());
            }
            first += spec.row_count();
        }
    }

    /// Writes `J v` into `rows`; returns the largest.
    pub(crate) fn measure_velocity(&mut self, velocities: &[f64]) -> f64 {
        for (row, jacobian) in self.rows.iter_mut().zip(self.jacobian.chunks_exact(self.dof_count.max(1))) {
            *row = dot(jacobian, velocities);
        }
        self.rows.iter().fold(0.0, |most, row| row.abs().max(most))
    }

    /// Takes what is in `rows` out of `values` by forces of the closures: `rows` becomes `λ = -A⁺ rows`, `values += H⁻¹ Jᵀ λ`.
    pub(crate) fn cancel(&mut self, values: &mut [f64]) {
        self.rows.iter_mut().for_each(|row| *row = -*row);
        self.rank.solve(&mut self.rows);
        for (lambda, response) in self.rows.iter().zip(self.responses.chunks_exact(self.dof_count.max(1))) {
            values.iter_mut().zip(response).for_each(|(value, r)| *value += lambda * r);
        }
    }
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
