//! A contact manifold with a link on one of its sides, or on both.
//!
//! In f64, in the frame (n, t₁, t₂) of the manifold, which stands still for the step, as do the arms from the centres of mass: a ball that rolls is touched below its centre all the
//! time, where a point that went with it would be behind it when the step ends, and drive it on. As in the lanes, a
//! manifold has one normal impulse per point, friction as one force in its middle and one moment about the normal, and rolling friction as a moment in its plane.
//! Each is a row:
//! ```text
//! v_r = J_r q̇ (links) ± d·(v + ω×r) (bodies)      K_rs = J_r Ĥ⁻¹ J_sᵀ (links) + d·d'/m + (r×d)·I⁻¹(r×d') (bodies)
//! ```
#![expect(unsafe_code, reason = "reads and changes bodies of one array, those of one unit")]

use super::rows::{Rows, add_scaled, dot};
use super::{Member, Rates};
use drystone_articulation::LinkIndex;
use drystone_articulation::spatial::SpatialForce;
use drystone_contact::{BodyHot, EdgeIndex, MAX_POINTS, Manifold, SharedBodyStates};
use drystone_math::{ContactBasis, Real, narrow, widen};
use nalgebra::{Cholesky, Matrix3, Matrix4, U4, Vector3};

/// Share of what levers could give at most ([`drystone_articulation::Articulation::response_by_levers`]) below which a row of a contact of an articulation with itself has no
/// effect: where the joints between two links leave no motion along it (neighbours that touch on their hinge's axis, links of a closed loop), rounding is left, and an impulse or a
/// displacement over it has no bound. This is a lever of a thousandth of the distance to the joint.
const LOCKED: f64 = 1e-6;
/// Determinant of the response in the tangent plane, as a share of the product of its diagonal, below which only the larger direction counts.
const SINGULAR: f64 = 1e-9;
/// Rows of friction: along both tangents, then about the normal. Those of points come before.
pub(super) const SLIDE: usize = MAX_POINTS;
const SLIDE_ACROSS: usize = MAX_POINTS + 1;
pub(super) const TWIST: usize = MAX_POINTS + 2;
/// Rows of rolling friction, about both tangents.
pub(super) const ROLL: usize = MAX_POINTS + 3;
/// Rows of a manifold.
pub(super) const ROWS: usize = MAX_POINTS + 5;

/// What is on a side of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    /// What cannot move.
    Still,
    /// A body: one that impulses change, or, without masses, one that moves as its user says.
    Body { body: u32, inverse_mass: f64, inverse_inertia: Matrix3<f64> },
    /// A link of a member of the articulated unit.
    Link {
        member: usize,
        link: LinkIndex,
        /// The first of its rows; `None` where both sides are of one member, whose rows are those of side B.
        first: Option<usize>,
        /// Its centre of mass in its frame, m.
        center: Vector3<f64>,
        /// Where that was when the step began, m, and the axes of the link.
        start: Vector3<f64>,
        axes: Matrix3<f64>,
    },
}

/// A place on both sides.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// From the centres of mass, m, world.
    pub(super) arms: [Vector3<f64>; 2],
}

/// A point of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    pub(super) place: Place,
    /// From the middle, along both tangents, m.
    offset: [f64; 2],
    /// Gap when the step began, m, and with what links made of it up to this sub-step.
    gap_0: f64,
    link_gap: f64,
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
    /// The member that touches itself here: both sides are links of it, or one is what it stands on. Nothing comes in from elsewhere ([`super::own_work`]).
    pub(super) own: Option<usize>,
    pub(super) axes: [Vector3<f64>; 3],
    pub(super) sides: [Side; 2],
    /// Coefficients of static and kinetic friction, and the mean distance of the points from the middle, m.
    pub(super) friction: [f64; 2],
    pub(super) radius: f64,
    /// Coefficient of rolling friction, m.
    pub(super) rolling: f64,
    restitution: f64,
    /// How fast the surface of B runs over that of A along the tangents, m/s.
    pub(super) belt: [f64; 2],
    middle: Place,
    pub(super) points: [Point; MAX_POINTS],
    pub(super) count: usize,
    /// Impulses of all rows in the sub-step, and in the step, N s and N m s.
    pub(super) impulse: [f64; ROWS],
    total: [f64; ROWS],
    /// Response of the normals to each other, the inverse of that in the tangent plane (11, 22, 12), of the twist, and of turns about the tangents, with the least
    /// moment (kg m²) that those feel.
    pub(super) normal: Matrix4<f64>,
    /// `normal` of the points that were last solved jointly, a bit for each, factored.
    pub(super) normal_factor: Option<(u8, Cholesky<f64, U4>)>,
    pub(super) slide_mass: [f64; 3],
    pub(super) twist_mass: f64,
    pub(super) roll_mass: [f64; 3],
    pub(super) least_roll_mass: f64,
}

impl LinkContact {
    /// Of a manifold.
    pub(super) fn new(
        edge: EdgeIndex,
        manifold: Manifold,
        sides: [Side; 2],
        own: Option<usize>,
        rates: &Rates,
    ) -> Self {
        let basis = ContactBasis::new(&manifold.normal);
        let axes = [&manifold.normal, &basis.tangent_1, &basis.tangent_2].map(widen);
        let belt = widen(&manifold.surface_velocity);
        let (material, count) = (&manifold.material, manifold.points().len());
        let sum = manifold
            .points()
            .iter()
            .fold([Vector3::zeros(); 2], |[a, b], point| [a + widen(&point.arm_a), b + widen(&point.arm_b)]);
        let middle = sum.map(|sum| sum / count as f64);
        let mut points = [Point::default(); MAX_POINTS];
        let mut impulse = [0.0; ROWS];
        let mut radius = 0.0;
        for (k, (own, point)) in points.iter_mut().zip(manifold.points()).enumerate() {
            let arms = [widen(&point.arm_a), widen(&point.arm_b)];
            let from_middle = arms[1] - middle[1];
            own.place = Place { arms };
            own.offset = [axes[1].dot(&from_middle), axes[2].dot(&from_middle)];
            own.gap_0 = f64::from(point.distance) - rates.open;
            radius += length(own.offset) / count as f64;
            let resting = widen(&point.warm_start_impulse) / rates.sub_steps;
            let along = axes.map(|axis| axis.dot(&resting));
            impulse[k] = along[0].max(0.0);
            impulse[SLIDE] += along[1];
            impulse[SLIDE_ACROSS] += along[2];
            impulse[TWIST] += own.offset[0] * along[2] - own.offset[1] * along[1];
        }
        let rolling = f64::from(material.rolling_friction);
        if rolling > 0.0 {
            let given = widen(&manifold.rolling_impulse) / rates.sub_steps;
            (impulse[ROLL], impulse[ROLL + 1]) = (axes[1].dot(&given), axes[2].dot(&given));
        }
        Self {
            edge,
            own,
            axes,
            sides,
            friction: [material.static_friction, material.kinetic_friction].map(f64::from),
            radius,
            rolling,
            restitution: f64::from(material.restitution),
            belt: [axes[1].dot(&belt), axes[2].dot(&belt)],
            middle: Place { arms: middle },
            points,
            count,
            impulse,
            total: [0.0; ROWS],
            normal: Matrix4::zeros(),
            normal_factor: None,
            slide_mass: [0.0; 3],
            twist_mass: 0.0,
            roll_mass: [0.0; 3],
            least_roll_mass: 0.0,
            manifold,
        }
    }

    /// Where a row acts.
    #[inline]
    pub(super) fn place(&self, row: usize) -> &Place {
        if row < MAX_POINTS { &self.points[row].place } else { &self.middle }
    }

    /// What a row is about: a turn, and a way.
    #[inline]
    pub(super) fn direction(&self, row: usize) -> (Vector3<f64>, Vector3<f64>) {
        match row {
            SLIDE => (Vector3::zeros(), self.axes[1]),
            SLIDE_ACROSS => (Vector3::zeros(), self.axes[2]),
            TWIST => (self.axes[0], Vector3::zeros()),
            ROLL.. => (self.axes[row - ROLL + 1], Vector3::zeros()),
            _ => (Vector3::zeros(), self.axes[0]),
        }
    }

    /// Its rows: those of its points, of sliding, with more points than one, of twist, and, where there is rolling friction, of rolling.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> + use<> {
        let last = if self.count > 1 { TWIST } else { TWIST - 1 };
        let rolls = if self.rolling > 0.0 { ROWS } else { ROLL };
        (0..self.count).chain(SLIDE..=last).chain(ROLL..rolls)
    }

    /// Impulses of the sub-step before act on links within the prediction.
    pub(super) fn warm_start_links(&self, members: &mut [Member], h: f64) {
        for row in self.rows().filter(|&row| self.impulse[row] != 0.0) {
            let (turn, way) = self.direction(row);
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Side::Link { member, link, center, .. } = self.sides[side] {
                    let articulation = &mut members[member].reduced.articulation;
                    let at = articulation.kinematics().point(link, &center) + self.place(row).arms[side];
                    let force = sign * self.impulse[row] / h;
                    // What is not finite is found by the prediction.
                    let _ = articulation.add_force(link, &at, way * force);
                    let _ = articulation.add_moment(link, turn * force);
                }
            }
        }
    }

    /// Impulses that the step begins with act on bodies; later sub-steps repeat them with all others of a body.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn warm_start_bodies(&self, hot: &SharedBodyStates<'_>) {
        for row in self.rows().filter(|&row| self.impulse[row] != 0.0) {
            // SAFETY: passed on.
            unsafe { self.push_bodies(row, self.impulse[row], hot) };
        }
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
        hot: &SharedBodyStates<'_>,
    ) {
        self.fill_rows(members, rows);
        self.normal_factor = None;
        let free: [bool; ROWS] = std::array::from_fn(|row| !self.is_locked(row, members, rows));
        for (row, _) in free.iter().enumerate().filter(|(_, is_free)| !*is_free) {
            self.drop_own_impulse(row, members, rows);
        }
        let of = |own: &Self, i: usize, j: usize| {
            if free[i] && free[j] { own.response(i, j, members, rows) } else { 0.0 }
        };
        for i in 0..self.count {
            for j in 0..=i {
                let response = of(self, i, j);
                (self.normal[(i, j)], self.normal[(j, i)]) = (response, response);
            }
        }
        let slide = |i: usize, j: usize| of(self, SLIDE + i, SLIDE + j);
        self.slide_mass = slide_mass(slide(0, 0), slide(1, 1), slide(0, 1));
        self.twist_mass = if self.count > 1 { inverse(of(self, TWIST, TWIST)) } else { 0.0 };
        if self.rolling > 0.0 {
            let roll = |i: usize, j: usize| of(self, ROLL + i, ROLL + j);
            let [r11, r22, r12] = [roll(0, 0), roll(1, 1), roll(0, 1)];
            self.roll_mass = slide_mass(r11, r22, r12);
            let most = 0.5 * (r11 + r22) + length([0.5 * (r11 - r22), r12]);
            self.least_roll_mass = inverse(most);
        }
        let moves = self.moves_of_links(members);
        for k in 0..self.count {
            let point = &mut self.points[k];
            let way = |side: usize| moves[side][0] + moves[side][1].cross(&point.place.arms[side]);
            point.link_gap = point.gap_0 + self.axes[0].dot(&(way(1) - way(0)));
            // SAFETY: passed on.
            let (gap, closing) =
                unsafe { (self.gap(k, rates.h, hot), -self.velocity(k, members, rows, hot)) };
            let strikes = self.impulse[k] == 0.0 && closing > rates.bounce_speed && gap < closing * rates.h;
            self.points[k].target =
                if strikes { self.restitution * closing } else { -gap.max(0.0) / rates.h };
        }
    }

    fn fill_rows(&mut self, members: &mut [Member], rows: &mut Rows) {
        let firsts = self.sides.map(|side| match side {
            Side::Link { member, first, .. } => Some((member, first)),
            _ => None,
        });
        for (member, first) in firsts.into_iter().flatten() {
            if let Some(first) = first {
                rows.clear(first, ROWS * members[member].room.velocities.len());
            }
        }
        let shared = firsts[1].and_then(|(_, first)| first);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Side::Link { member, link, first, center, .. } = self.sides[side] else { continue };
            let Some(first) = first.or(shared) else { continue };
            let own = &mut members[member];
            let n = own.room.velocities.len();
            let to_center = own.reduced.articulation.kinematics().links()[link.index()].rotation * center;
            let (mut impulses, mut places) = ([SpatialForce::default(); ROWS], [0; ROWS]);
            let mut count = 0;
            for row in self.rows() {
                let (turn, way) = self.direction(row);
                let moment = turn + (to_center + self.place(row).arms[side]).cross(&way);
                impulses[count] = SpatialForce::new(moment * sign, way * sign);
                places[count] = first + row * n;
                count += 1;
            }
            rows.add(own, link, &impulses[..count], &places[..count]);
        }
    }

    /// Change of the velocity along row `i` per impulse along row `j`.
    fn response(&self, i: usize, j: usize, members: &[Member], rows: &Rows) -> f64 {
        let mut sum = 0.0;
        for (side, own) in self.sides.iter().enumerate() {
            match own {
                Side::Still | Side::Link { first: None, .. } => {}
                Side::Body { inverse_mass, inverse_inertia, .. } => {
                    let [(turn_i, way_i), (turn_j, way_j)] = [self.direction(i), self.direction(j)];
                    let moment_i = turn_i + self.place(i).arms[side].cross(&way_i);
                    let moment_j = turn_j + self.place(j).arms[side].cross(&way_j);
                    sum += inverse_mass * way_i.dot(&way_j) + moment_i.dot(&(inverse_inertia * moment_j));
                }
                Side::Link { member, first: Some(first), .. } => {
                    let n = members[*member].room.velocities.len();
                    sum += dot(rows.jacobian(first + i * n, n), rows.response(first + j * n, n));
                }
            }
        }
        sum
    }

    /// True for a row along which an articulation that touches itself has no motion but rounding.
    fn is_locked(&self, row: usize, members: &[Member], rows: &Rows) -> bool {
        let is_there = match row {
            ROLL.. => self.rolling > 0.0,
            TWIST => self.count > 1,
            SLIDE.. => true,
            _ => row < self.count,
        };
        if self.own.is_none() || !is_there {
            return false;
        }
        let most = match self.sides {
            [Side::Link { link, .. }, Side::Link { .. }] => {
                self.response_by_levers(row, 1, Some(link), members)
            }
            [Side::Link { .. }, _] => self.response_by_levers(row, 0, None, members),
            _ => self.response_by_levers(row, 1, None, members),
        };
        let response = self.response(row, row, members, rows);
        response.is_nan() || response <= LOCKED * most
    }

    /// Takes back what the prediction had of the impulse along a row of an articulation that touches itself.
    fn drop_own_impulse(&mut self, row: usize, members: &mut [Member], rows: &Rows) {
        if let (Some(member), Some(first)) = (self.own, self.own_rows())
            && self.impulse[row] != 0.0
        {
            let velocities = &mut members[member].room.velocities;
            let n = velocities.len();
            add_scaled(velocities, -self.impulse[row], rows.response(first + row * n, n));
        }
        self.impulse[row] = 0.0;
    }

    /// What the response along a row would be if the joints between the link of a side and another (or the ground) acted with all of their levers.
    fn response_by_levers(
        &self,
        row: usize,
        side: usize,
        other: Option<LinkIndex>,
        members: &[Member],
    ) -> f64 {
        let Side::Link { member, link, center, .. } = self.sides[side] else { return 0.0 };
        let (turn, way) = self.direction(row);
        let articulation = &members[member].reduced.articulation;
        let at = articulation.kinematics().point(link, &center) + self.place(row).arms[side];
        // A member that broke has no rows.
        articulation.response_by_levers(link, other, &at, (&turn, &way)).unwrap_or(0.0)
    }

    /// How links moved since the step began: their centres, m, and their turns, rad (the sine of the angle, about the axis).
    fn moves_of_links(&self, members: &[Member]) -> [[Vector3<f64>; 2]; 2] {
        self.sides.map(|side| match side {
            Side::Link { member, link, center, start, axes, .. } => {
                let pose = &members[member].reduced.articulation.kinematics().links()[link.index()];
                let turn = pose.rotation * axes.transpose();
                let twice = Vector3::new(turn.m32 - turn.m23, turn.m13 - turn.m31, turn.m21 - turn.m12);
                [pose.origin + pose.rotation * center - start, twice * 0.5]
            }
            _ => [Vector3::zeros(); 2],
        })
    }

    /// Gap where the sub-step of `h` seconds begins, m. What moves as its user says is at its end already.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    pub(super) unsafe fn gap(&self, k: usize, h: f64, hot: &SharedBodyStates<'_>) -> f64 {
        let point = &self.points[k];
        let mut gap = point.link_gap;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Side::Body { body, inverse_mass, .. } = self.sides[side] {
                // SAFETY: passed on.
                let hot: &BodyHot = unsafe { hot.record(body) };
                let back = if inverse_mass > 0.0 { 0.0 } else { h };
                let moved = widen(&hot.delta_translation) - widen(&hot.linear) * back;
                let turned = widen(&hot.delta_rotation) - widen(&hot.angular) * back;
                gap += sign * self.axes[0].dot(&(moved + turned.cross(&point.place.arms[side])));
            }
        }
        gap
    }

    /// Velocity of B against A along a row, m/s or rad/s.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    #[inline]
    pub(super) unsafe fn velocity(
        &self,
        row: usize,
        members: &[Member],
        rows: &Rows,
        hot: &SharedBodyStates<'_>,
    ) -> f64 {
        let mut sum = 0.0;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            match self.sides[side] {
                Side::Still | Side::Link { first: None, .. } => {}
                Side::Body { body, .. } => {
                    // SAFETY: passed on.
                    let hot: &BodyHot = unsafe { hot.record(body) };
                    let (turn, way) = self.direction(row);
                    let angular = widen(&hot.angular);
                    let velocity = widen(&hot.linear) + angular.cross(&self.place(row).arms[side]);
                    sum += sign * (way.dot(&velocity) + turn.dot(&angular));
                }
                Side::Link { member, first: Some(first), .. } => {
                    let velocities = &members[member].room.velocities;
                    let n = velocities.len();
                    sum += dot(rows.jacobian(first + row * n, n), velocities);
                }
            }
        }
        sum
    }

    /// An impulse along a row on the bodies of its sides.
    ///
    /// # Safety
    /// The bodies of the unit belong to this call alone.
    #[inline]
    pub(super) unsafe fn push_bodies(&self, row: usize, impulse: f64, hot: &SharedBodyStates<'_>) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Side::Body { body, inverse_mass, inverse_inertia } = self.sides[side]
                && inverse_mass > 0.0
            {
                let (turn, way) = self.direction(row);
                let moment = turn + self.place(row).arms[side].cross(&way);
                // SAFETY: passed on.
                let hot = unsafe { hot.record(body) };
                hot.linear += narrow(&(way * (sign * impulse * inverse_mass)));
                hot.angular += narrow(&(inverse_inertia * moment * (sign * impulse)));
            }
        }
    }

    /// At the end of a sub-step: its impulses are those of the step as well.
    pub(super) fn note(&mut self) {
        self.total.iter_mut().zip(&self.impulse).for_each(|(total, impulse)| *total += impulse);
    }

    /// What it gave to the links of its sides in the step.
    pub(super) fn tell_links(&self, members: &mut [Member]) {
        for row in self.rows().filter(|&row| self.total[row] != 0.0) {
            let (turn, way) = self.direction(row);
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Side::Link { member, link, center, .. } = self.sides[side] {
                    let reduced = &mut members[member].reduced;
                    let center = reduced.articulation.kinematics().point(link, &center);
                    let at = center + self.place(row).arms[side];
                    let impulse = sign * self.total[row];
                    reduced.add_contact(link, &at, way * impulse, turn * impulse);
                }
            }
        }
    }

    /// The manifold after the step, with friction spread over its points such that its sum and its moment come out.
    pub(super) fn finish(mut self, rates: &Rates) -> (EdgeIndex, Manifold) {
        let (axes, share) = (self.axes, 1.0 / self.count as f64);
        let spread: f64 =
            self.points[..self.count].iter().map(|p| p.offset[0].powi(2) + p.offset[1].powi(2)).sum();
        let at_point = |k: usize, [x, y]: [f64; 2], all: &[f64; ROWS]| {
            let twist = all[TWIST] * inverse(spread);
            let (along, across) = (all[SLIDE] * share - y * twist, all[SLIDE_ACROSS] * share + x * twist);
            narrow(&(axes[0] * all[k] + axes[1] * along + axes[2] * across))
        };
        let next = self.impulse.map(|impulse| impulse * rates.sub_steps);
        for (k, (point, own)) in self.manifold.points_mut().iter_mut().zip(&self.points).enumerate() {
            point.impulse = at_point(k, own.offset, &self.total);
            point.warm_start_impulse = at_point(k, own.offset, &next);
            point.distance = (own.end_gap + rates.open) as Real;
        }
        if self.rolling > 0.0 {
            self.manifold.rolling_impulse =
                narrow(&(axes[1] * self.total[ROLL] + axes[2] * self.total[ROLL + 1]));
        }
        (self.edge, self.manifold)
    }
}

/// Length of a vector in the tangent plane; the platform's own functions differ between machines.
pub(super) fn length([x, y]: [f64; 2]) -> f64 {
    (x * x + y * y).sqrt()
}

/// `1 / v`, 0 where that is not positive.
pub(super) fn inverse(v: f64) -> f64 {
    if v > 0.0 { 1.0 / v } else { 0.0 }
}

/// The inverse of a response in the tangent plane.
fn slide_mass(a: f64, b: f64, c: f64) -> [f64; 3] {
    let determinant = a * b - c * c;
    if determinant > SINGULAR * a * b {
        return [b / determinant, a / determinant, -c / determinant];
    }
    if a >= b { [inverse(a), 0.0, 0.0] } else { [0.0, inverse(b), 0.0] }
}
