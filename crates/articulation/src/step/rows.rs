//! Limits, dry friction and motors at their largest force: one complementarity problem in joint space.
//!
//! Each row acts along one degree of freedom or one coordinate of a ball joint with an impulse x; with `v` the velocities at the end of the step
//! ```text
//! limits    x ≥ 0,  v + gap/h ≥ 0, one of them 0       (lower; the upper with the other signs)
//! friction  |x| ≤ h F,  v = 0 unless |x| = h F
//! motor     |x| ≤ h max,  v + x/κ - h s/κ = 0 unless |x| = h max,   κ = h (d + h k)
//! ```
//! Limits are speculative: they push where the step would pass them, by as much as lets it end on them. Where a state is beyond a limit
//! already, it may not go further; it is taken back by displacement (`correction`), which gives no velocity.
//!
//! With the responses `H⁻¹ e` of the rows, less what loop closures answer, this is the problem of [`BoundedSolver`].

use super::bounded::{BoundedSolver, Ended};
use super::loops::LoopSet;
use crate::dynamics::{Factor, Response};
use crate::kinematics::Kinematics;
use crate::model::{Ball, JointDirection, Model};
use drystone_math::Carried;

/// What is added to the diagonal, as a share: rows on one degree of freedom (a limit and friction) share the impulse.
const COMPLIANCE: f64 = 1e-10;

/// Share of its response that loop closures must leave to a degree of freedom for a row to act on it: below is what rounding leaves of
/// none.
const LOCKED: f64 = 1e-7;

/// Which rule a row follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowKind {
    LowerLimit,
    UpperLimit,
    Cone,
    Friction,
    Motor,
    BallMotor,
}

impl RowKind {
    /// True for what only pushes back.
    pub(crate) fn is_limit(self) -> bool {
        matches!(self, Self::LowerLimit | Self::UpperLimit | Self::Cone)
    }
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The degree of freedom whose row it is; of a ball joint, the first one and the number of the coordinate.
    pub(crate) dof: usize,
    pub(crate) at: JointDirection,
    pub(crate) kind: RowKind,
    /// Impulses that it may have.
    pub(crate) bounds: (f64, f64),
    /// What is added to the velocity.
    pub(crate) offset: f64,
    /// Velocity that it yields per impulse.
    pub(crate) compliance: f64,
}

/// The rows of a solve, and its working memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowSet {
    pub(crate) rows: Vec<Row>,
    /// Impulse of each row.
    pub(crate) impulses: Vec<f64>,
    responses: Vec<f64>,
    /// What the loop closures give per impulse of each row.
    loop_answers: Vec<f64>,
    matrix: Vec<f64>,
    offset: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    unit: Vec<f64>,
    solver: BoundedSolver,
}

/// What a row needs to know: the model at a place.
pub(crate) struct Place<'a> {
    pub(crate) model: &'a Model,
    pub(crate) kinematics: &'a Kinematics,
    pub(crate) factor: &'a Factor,
}

impl RowSet {
    /// Memory that it holds, bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.rows.heap_bytes()
            + self.impulses.heap_bytes()
            + self.responses.heap_bytes()
            + self.loop_answers.heap_bytes()
            + self.matrix.heap_bytes()
            + self.offset.heap_bytes()
            + self.bounds.heap_bytes()
            + self.unit.heap_bytes()
            + self.solver.heap_bytes()
    }

    pub(crate) fn new(model: &Model) -> Self {
        Self { unit: vec![0.0; model.dof_count()], ..Self::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.impulses.clear();
    }

    /// Adds to the forces of loop closures what they answered to the rows, over a step `h`.
    pub(crate) fn add_loop_forces(&self, loops: &mut LoopSet, h: f64) {
        let count = loops.forces.len();
        for (impulse, answer) in self.impulses.iter().zip(self.loop_answers.chunks_exact(count.max(1))) {
            loops.forces.iter_mut().zip(answer).for_each(|(force, part)| *force += part * impulse / h);
        }
    }

    /// Adds the limits that `velocities` would pass, as far as they are not there yet; `room` is the velocity that a gap leaves. True
    /// when one was added.
    pub(crate) fn add_passed_limits(
        &mut self,
        model: &Model,
        positions: &[f64],
        velocities: &[f64],
        room: impl Fn(f64) -> f64,
    ) -> bool {
        let before = self.rows.len();
        for link in model.links() {
            for (k, dof) in link.dofs().enumerate() {
                let Some([lower, upper]) = model.dofs[dof].limits else { continue };
                let position = positions[link.first_position as usize + k];
                let sides = [
                    (RowKind::LowerLimit, position - lower, 1.0, (0.0, f64::INFINITY)),
                    (RowKind::UpperLimit, upper - position, -1.0, (f64::NEG_INFINITY, 0.0)),
                ];
                for (kind, gap, sign, bounds) in sides {
                    let room = room(gap);
                    let passes = room + sign * velocities[dof] < 0.0;
                    if passes && !self.has(dof, kind) {
                        let at = JointDirection::Dof(dof);
                        self.rows.push(Row { dof, at, kind, bounds, offset: sign * room, compliance: 0.0 });
                    }
                }
            }
        }
        for ball in model.balls.iter().filter(|ball| ball.spec.is_limited()) {
            ball_limits(ball, model, positions, velocities, |limit| {
                let room = room(limit.gap);
                let passes = room + limit.sign * limit.at.rate(velocities) < 0.0;
                if passes && !self.has(limit.dof, limit.kind) {
                    self.rows.push(limit.row(room));
                }
            });
        }
        self.rows.len() > before
    }

    fn has(&self, dof: usize, kind: RowKind) -> bool {
        self.rows.iter().any(|row| row.dof == dof && row.kind == kind)
    }

    /// Finds the impulses of all rows and adds what they do, with what loop closures answer, to `velocities`; `loops` is prepared for
    /// the same factor, and the velocities satisfy it.
    pub(crate) fn solve(
        &mut self,
        place: &Place<'_>,
        loops: &mut LoopSet,
        response: &mut Response,
        velocities: &mut [f64],
        max_iterations: u32,
    ) -> Ended {
        let (n, count) = (self.unit.len(), self.rows.len());
        self.responses.resize(count * n, 0.0);
        self.matrix.resize(count * count, 0.0);
        self.offset.clear();
        self.bounds.clear();
        self.loop_answers.clear();
        for (index, row) in self.rows.iter().enumerate() {
            let answer = &mut self.responses[index * n..(index + 1) * n];
            row.at.add_to(1.0, &mut self.unit);
            response.to_joint_impulses(place.model, place.kinematics, place.factor, &self.unit, answer);
            self.unit.fill(0.0);
            let alone = row.at.rate(answer);
            if !loops.is_empty() {
                loops.measure_velocity(answer);
                loops.cancel(answer);
                if row.at.rate(answer) <= LOCKED * alone {
                    answer.fill(0.0);
                    loops.rows.fill(0.0);
                }
                self.loop_answers.extend_from_slice(&loops.rows);
            }
            for (other, entry) in self.matrix[index * count..(index + 1) * count].iter_mut().enumerate() {
                *entry = self.rows[other].at.rate(answer);
            }
            self.matrix[index * count + index] += row.compliance + COMPLIANCE * alone;
            self.offset.push(row.at.rate(velocities) + row.offset);
            self.bounds.push(row.bounds);
        }
        self.leave_out_locked(count);
        let ended = self.solver.solve(&self.matrix, &self.offset, &self.bounds, max_iterations);
        self.impulses.clear();
        self.impulses.extend_from_slice(&self.solver.solution);
        for (impulse, answer) in self.impulses.iter().zip(self.responses.chunks_exact(n.max(1))) {
            velocities.iter_mut().zip(answer).for_each(|(v, r)| *v += impulse * r);
        }
        ended
    }

    /// What loop closures lock answers to nobody, and to itself by what it yields.
    fn leave_out_locked(&mut self, count: usize) {
        for (index, row) in self.rows.iter().enumerate() {
            let answer = &self.responses[index * self.unit.len()..][..self.unit.len()];
            if row.at.rate(answer) == 0.0 {
                for other in 0..count {
                    self.matrix[other * count + index] = 0.0;
                }
                self.matrix[index * count + index] = 1.0;
            }
        }
    }
}

/// A limit of a ball joint where it is.
pub(crate) struct BallLimit {
    pub(crate) dof: usize,
    pub(crate) kind: RowKind,
    pub(crate) at: JointDirection,
    /// How far it is, rad; negative beyond.
    pub(crate) gap: f64,
    /// 1 where the coordinate must not be less, -1 where it must not be more.
    pub(crate) sign: f64,
}

impl BallLimit {
    /// Its row, where its gap leaves this velocity.
    pub(crate) fn row(&self, room: f64) -> Row {
        let &Self { dof, kind, at, sign, .. } = self;
        let bounds = if sign > 0.0 { (0.0, f64::INFINITY) } else { (f64::NEG_INFINITY, 0.0) };
        Row { dof, at, kind, bounds, offset: sign * room, compliance: 0.0 }
    }
}

/// Calls `visit` for each limit of a ball joint.
pub(crate) fn ball_limits(
    ball: &Ball,
    model: &Model,
    positions: &[f64],
    velocities: &[f64],
    mut visit: impl FnMut(BallLimit),
) {
    let (place, dof) = (ball.place(model, positions, velocities), ball.first_dof(model));
    for (k, axis) in ball.spec.axes.iter().enumerate() {
        let Some([lower, upper]) = axis.limits else { continue };
        let (at, value, dof) = (place.directions[k], place.values[k], dof + k);
        visit(BallLimit { dof, kind: RowKind::LowerLimit, at, gap: value - lower, sign: 1.0 });
        visit(BallLimit { dof, kind: RowKind::UpperLimit, at, gap: upper - value, sign: -1.0 });
    }
    if ball.spec.cone < f64::INFINITY {
        let gap = ball.spec.cone - place.opening;
        visit(BallLimit { dof, kind: RowKind::Cone, at: place.opens, gap, sign: -1.0 });
    }
}
