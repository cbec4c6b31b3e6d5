//! A contact manifold with a link on one of its sides, or on both.
//!
//! In f64, point by point, in the frame (n, t₁, t₂) of the manifold, which stands still for the step as do the arms on bodies; points of links go with them:
//! ```text
//! v_k = Σ ± d_k·v(p)        K = Σ J Ĥ⁻¹ Jᵀ (links) + (d·d'/m + (r×d)·I⁻¹(r×d')) (bodies)
//! ```
#![expect(unsafe_code, reason = "reads and changes bodies of one array, those of one unit")]

use super::rows::{Rows, dot};
use super::{Member, Rates};
use drystone_articulation::LinkIndex;
use drystone_contact::{BodyHot, EdgeIndex, HotLanes, MAX_POINTS, Manifold};
use drystone_math::{ContactBasis, Real, narrow, widen};
use nalgebra::{Matrix3, Vector3};

/// Determinant of the response in the tangent plane, as a share of the product of its diagonal, below which only the larger direction counts.
const SINGULAR: f64 = 1e-9;

/// What is on a side of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    /// What cannot move.
    Still,
    /// A body: one that impulses change, or, without masses, one that moves as its user says.
    Body { body: u32, inverse_mass: f64, inverse_inertia: Matrix3<f64> },
    /// A link of a member of the island, with the first of its rows; `None` where both sides are of one member, whose rows are those of side B.
    Link { member: usize, link: LinkIndex, first: Option<usize> },
}

/// A point of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    /// From the centres of mass, m; of a link: in its frame, from its origin.
    pub(super) arms: [Vector3<f64>; 2],
    /// Where the points of both sides were when the step began, m; of links.
    start: [Vector3<f64>; 2],
    /// Gap when the step began, m, and what links made of it up to this sub-step.
    gap_0: f64,
    pub(super) link_gap: f64,
    /// Impulse of the sub-step and of the step, in the frame of the manifold, N s.
    pub(super) impulse: Vector3<f64>,
    total: Vector3<f64>,
    /// `1 / K_nn`, and the inverse of K in the tangent plane: 11, 22, 12.
    pub(super) normal_mass: f64,
    pub(super) slide_mass: [f64; 3],
    /// Separating speed that is asked for, m/s.
    pub(super) target: f64,
    /// Gap at the end of the sub-step, m.
    pub(super) end_gap: f64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct LinkContact {
    pub(super) edge: EdgeIndex,
    pub(super) manifold: Manifold,
    pub(super) axes: [Vector3<f64>; 3],
    pub(super) sides: [Side; 2],
    /// Coefficients of static and kinetic friction.
    pub(super) friction: [f64; 2],
    restitution: f64,
    /// How fast the surface of B runs over that of A along the tangents, m/s.
    pub(super) belt: [f64; 2],
    pub(super) points: [Point; MAX_POINTS],
    pub(super) count: usize,
    scratch: Vec<f64>,
}

impl LinkContact {
    /// Of a manifold; `start`: where a point of a side is, in its own frame and in the world, from its arm.
    pub(super) fn new(
        edge: EdgeIndex,
        manifold: Manifold,
        sides: [Side; 2],
        rates: &Rates,
        start: impl Fn(usize, &Vector3<f64>) -> [Vector3<f64>; 2],
    ) -> Self {
        let basis = ContactBasis::new(&manifold.normal);
        let axes = [&manifold.normal, &basis.tangent_1, &basis.tangent_2].map(widen);
        let belt = widen(&manifold.surface_velocity);
        let material = &manifold.material;
        let mut points = [Point::default(); MAX_POINTS];
        for (own, point) in points.iter_mut().zip(manifold.points()) {
            let resting = widen(&point.resting) / rates.sub_steps;
            let impulse = Vector3::from(axes.map(|axis| axis.dot(&resting)));
            own.impulse = if impulse.x > 0.0 { impulse } else { Vector3::zeros() };
            own.gap_0 = f64::from(point.distance) - rates.open;
            for (side, arm) in [point.arm_a, point.arm_b].iter().enumerate() {
                [own.arms[side], own.start[side]] = start(side, &widen(arm));
            }
        }
        Self {
            edge,
            axes,
            sides,
            friction: [material.static_friction, material.kinetic_friction].map(f64::from),
            restitution: f64::from(material.restitution),
            belt: [axes[1].dot(&belt), axes[2].dot(&belt)],
            count: manifold.points().len(),
            points,
            manifold,
            scratch: Vec::new(),
        }
    }

    /// Impulses of the sub-step before act on links within the prediction.
    pub(super) fn warm_start_links(&self, members: &mut [Member], h: f64) {
        for point in self.points[..self.count].iter().filter(|point| point.impulse != Vector3::zeros()) {
            let impulse = self.in_world(&point.impulse);
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Side::Link { member, link, .. } = self.sides[side] {
                    let articulation = &mut members[member].reduced.articulation;
                    let at = articulation.kinematics().point(link, &point.arms[side]);
                    // What is not finite is found by the prediction.
                    let _ = articulation.add_force(link, &at, impulse * (sign / h));
                }
            }
        }
    }

    /// Impulses that the step begins with act on bodies; later sub-steps repeat them with all others of a body.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn warm_start_bodies(&self, hot: &HotLanes<'_>) {
        for point in self.points[..self.count].iter().filter(|point| point.impulse != Vector3::zeros()) {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                // SAFETY: passed on.
                unsafe { self.push_body(side, point, &(self.in_world(&point.impulse) * sign), hot) };
            }
        }
    }

    fn in_world(&self, v: &Vector3<f64>) -> Vector3<f64> {
        self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z
    }

    /// Rows, masses, gaps and what is asked for, where links are now.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn prepare(
        &mut self,
        members: &mut [Member],
        rows: &mut Rows,
        rates: &Rates,
        hot: &HotLanes<'_>,
    ) {
        for k in 0..self.count {
            self.fill_rows(k, members, rows);
            let response = self.response(k, members, rows);
            let point = &mut self.points[k];
            point.normal_mass = inverse(response[(0, 0)]);
            point.slide_mass = slide_mass(&response);
            let (point, way) = (self.points[k], self.way_of_links(k, members));
            self.points[k].link_gap = point.gap_0 + way;
            // SAFETY: passed on.
            let (gap, velocity) = unsafe { (self.gap(k, hot), self.velocity(k, 0, members, rows, hot)) };
            let closing = -velocity;
            let strikes = point.impulse.x == 0.0 && closing > rates.bounce_speed && gap < closing * rates.h;
            self.points[k].target = if strikes { self.restitution * closing } else { -gap.max(0.0) / rates.h };
        }
    }

    fn fill_rows(&mut self, k: usize, members: &mut [Member], rows: &mut Rows) {
        let firsts = self.sides.map(|side| match side {
            Side::Link { member, first, .. } => Some((member, first)),
            _ => None,
        });
        for (member, first) in firsts.into_iter().flatten() {
            let n = members[member].velocities.len();
            if let Some(first) = first {
                rows.clear(first + 3 * k * n, 3 * n);
            }
        }
        let shared = firsts[1].and_then(|(_, first)| first);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Side::Link { member, link, first } = self.sides[side] {
                let Some(first) = first.or(shared) else { continue };
                let own = &mut members[member];
                let at = own.reduced.articulation.kinematics().point(link, &self.points[k].arms[side]);
                let first = first + 3 * k * own.velocities.len();
                rows.add(own, (link, &at, sign), &self.axes, first, &mut self.scratch);
            }
        }
    }

    /// Change of the relative velocity per impulse, in the frame of the manifold.
    fn response(&self, k: usize, members: &[Member], rows: &Rows) -> Matrix3<f64> {
        let mut sum = Matrix3::zeros();
        for (side, place) in self.sides.iter().enumerate() {
            match place {
                Side::Still | Side::Link { first: None, .. } => {}
                Side::Body { inverse_mass, inverse_inertia, .. } => {
                    let turns = self.axes.map(|axis| self.points[k].arms[side].cross(&axis));
                    for i in 0..3 {
                        for j in 0..3 {
                            sum[(i, j)] += turns[i].dot(&(inverse_inertia * turns[j]));
                        }
                        sum[(i, i)] += inverse_mass;
                    }
                }
                Side::Link { member, first: Some(first), .. } => {
                    let n = members[*member].velocities.len();
                    let at = |i: usize| first + (3 * k + i) * n;
                    for i in 0..3 {
                        for j in 0..3 {
                            sum[(i, j)] += dot(rows.jacobian(at(i), n), rows.response(at(j), n));
                        }
                    }
                }
            }
        }
        sum
    }

    /// How far links moved the point apart since the step began, m.
    fn way_of_links(&self, k: usize, members: &[Member]) -> f64 {
        let point = &self.points[k];
        let way = |side: usize| match self.sides[side] {
            Side::Link { member, link, .. } => {
                let kinematics = members[member].reduced.articulation.kinematics();
                self.axes[0].dot(&(kinematics.point(link, &point.arms[side]) - point.start[side]))
            }
            _ => 0.0,
        };
        way(1) - way(0)
    }

    /// Gap with what bodies moved in this step, m; links are where the sub-step began.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn gap(&self, k: usize, hot: &HotLanes<'_>) -> f64 {
        let point = &self.points[k];
        let mut gap = point.link_gap;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Side::Body { body, .. } = self.sides[side] {
                // SAFETY: passed on.
                let hot: &BodyHot = unsafe { hot.record(body) };
                let way = widen(&hot.delta_translation) + widen(&hot.delta_rotation).cross(&point.arms[side]);
                gap += sign * self.axes[0].dot(&way);
            }
        }
        gap
    }

    /// Velocity of B against A along axis `axis` of the frame, m/s.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    #[inline]
    pub(super) unsafe fn velocity(
        &self,
        k: usize,
        axis: usize,
        members: &[Member],
        rows: &Rows,
        hot: &HotLanes<'_>,
    ) -> f64 {
        let mut sum = 0.0;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            match self.sides[side] {
                Side::Still | Side::Link { first: None, .. } => {}
                Side::Body { body, .. } => {
                    // SAFETY: passed on.
                    let hot: &BodyHot = unsafe { hot.record(body) };
                    let velocity = widen(&hot.linear) + widen(&hot.angular).cross(&self.points[k].arms[side]);
                    sum += sign * self.axes[axis].dot(&velocity);
                }
                Side::Link { member, first: Some(first), .. } => {
                    let velocities = &members[member].velocities;
                    let n = velocities.len();
                    sum += dot(rows.jacobian(first + (3 * k + axis) * n, n), velocities);
                }
            }
        }
        sum
    }

    /// An impulse (world, N s) on the body of a side at a point; nothing where there is no body.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    #[inline]
    pub(super) unsafe fn push_body(
        &self,
        side: usize,
        point: &Point,
        impulse: &Vector3<f64>,
        hot: &HotLanes<'_>,
    ) {
        if let Side::Body { body, inverse_mass, inverse_inertia } = self.sides[side]
            && inverse_mass > 0.0
        {
            // SAFETY: passed on.
            let hot = unsafe { hot.record(body) };
            hot.linear += narrow(&(impulse * inverse_mass));
            hot.angular += narrow(&(inverse_inertia * point.arms[side].cross(impulse)));
        }
    }

    /// At the end of a sub-step: its impulses are those of the step as well.
    pub(super) fn note(&mut self) {
        self.points[..self.count].iter_mut().for_each(|point| point.total += point.impulse);
    }

    /// The manifold after the step.
    pub(super) fn finish(mut self, rates: &Rates) -> (EdgeIndex, Manifold) {
        let axes = self.axes;
        let in_world = |v: &Vector3<f64>| narrow(&(axes[0] * v.x + axes[1] * v.y + axes[2] * v.z));
        for (point, own) in self.manifold.points_mut().iter_mut().zip(&self.points) {
            point.impulse = in_world(&own.total);
            point.resting = in_world(&(own.impulse * rates.sub_steps));
            point.distance = (own.end_gap + rates.open) as Real;
        }
        (self.edge, self.manifold)
    }
}

/// `1 / v`, 0 where that is not positive.
fn inverse(v: f64) -> f64 {
    if v > 0.0 { 1.0 / v } else { 0.0 }
}

/// The inverse of the response in the tangent plane.
fn slide_mass(response: &Matrix3<f64>) -> [f64; 3] {
    let (a, b, c) = (response[(1, 1)], response[(2, 2)], 0.5 * (response[(1, 2)] + response[(2, 1)]));
    let determinant = a * b - c * c;
    if determinant > SINGULAR * a * b {
        return [b / determinant, a / determinant, -c / determinant];
    }
    if a >= b { [inverse(a), 0.0, 0.0] } else { [0.0, inverse(b), 0.0] }
}
