//! One island's contacts as a discrete problem.
//!
//! With `d` the gap (m), `c` the closing speed after the forces of the step, and `e` the restitution:
//! ```text
//! u = Hᵀ v + w       W = Hᵀ M⁻¹ H       q = Hᵀ v_free + w
//! w_N = max(d, 0) / dt        a gap may close within the step
//! w_N = −s(c, e, d)           where it bounces: c above the threshold, and it arrives in the step
//! w_T = b                     how fast the surface of B runs over that of A beside the bodies (belts), else 0
//! ```
//! `s` is the speed at which it leaves (`crate::bounce`; about `e c`). The friction coefficient is the kinetic one where
//! the contact slipped before the forces of the step, the static one elsewhere.
//!
//! Impulses are divided by a unit (kg) that makes the mean of the normal diagonal of `W` one, so that the natural map, which
//! adds impulses to velocities, does not depend on the masses.

use super::IslandSolverConfig;
use super::bilateral::Bilateral;
use super::rows::{End, Mover, contact_frame};
use crate::SolverReport;
use crate::bounce::Bounce;
use crate::problem::{Block, GlobalForm, Local, Problem};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, ContactPoint, EdgeIndex, Manifold, StepParams};
use drystone_math::{Real, Vector3, narrow, widen};

/// Stands for "no body that impulses move".
const NOBODY: u32 = u32::MAX;

/// A contact point of the problem.
#[derive(Clone, Copy, Debug)]
struct Contact {
    /// Rows: normal, two tangents, world.
    frame: Block,
    /// Movers at A and B.
    movers: [u32; 2],
    ends: [End; 2],
    /// What its velocity is besides that of the movers: of what is moved otherwise, of belts, and of what gaps and restitution add, m/s.
    offset: Local,
    /// Closing speed at the begin, m/s: what the report counts.
    closing: f64,
    bounces: bool,
}

/// A contact that a body has: which one, and on which side.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    contact: u32,
    side: u32,
}

/// What one point is given back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointResult {
    /// On B, N·s, world; `None` between bodies that do not move.
    pub(super) impulse: Option<Vector3>,
    /// With what the next step may begin.
    pub(super) resting: Vector3,
}

/// What one body is given back; `None` when contacts cannot move it.
pub(super) type BodyResult = Option<[Vector3; 2]>;

/// An island's problem and what it was made from; memory is kept from island to island.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    pub(super) problem: Problem,
    /// Three per contact, in units of [`Assembly::unit`]: where to begin, then the answer.
    pub(super) impulses: Vec<f64>,
    /// The unit of impulses, N·s per m/s.
    unit: f64,
    /// Manifolds with rolling friction, which problems of contact points have no place for.
    surfaces_left_out: u32,
    /// Whether a belt, or a body that is moved otherwise, touches some mover.
    is_driven: bool,
    pub(super) movers: Vec<Mover>,
    contacts: Vec<Contact>,
    /// What joints of the island do to its coupling.
    bilateral: Bilateral,
    /// Contacts of each mover, ascending: `links[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    links: Vec<Link>,
    /// Kept here while no solver asks for it.
    spare: GlobalForm,
}

impl Assembly {
    /// Makes the problem of an island whose movers were found ([`Assembly::find_movers`]): its edges, ascending. With joints among them their locked coordinates are
    /// eliminated.
    pub(super) fn build(
        &mut self,
        config: &IslandSolverConfig,
        bodies: &Bodies,
        graph: &ContactGraph,
        edges: &[EdgeIndex],
        step: &StepParams,
        has_joints: bool,
    ) {
        self.contacts.clear();
        self.impulses.clear();
        self.problem.friction.clear();
        self.problem.free.clear();
        self.surfaces_left_out = 0;
        self.is_driven = false;
        for &edge in edges {
            let manifold = &graph.edge(edge).manifold;
            let movers = [manifold.body_a, manifold.body_b].map(|body| self.mover_of(body));
            if movers != [NOBODY; 2] {
                let pair =
                    Pair { config, bodies, manifold, movers, frame: contact_frame(&manifold.normal), step };
                self.surfaces_left_out += u32::from(manifold.material.rolling_friction > 0.0);
                manifold.points().iter().for_each(|point| self.add_contact(&pair, point));
            }
        }
        self.link();
        if has_joints && !self.contacts.is_empty() {
            self.couple_by_joints((bodies, graph, edges));
        } else {
            self.couple();
        }
        self.scale();
    }

    /// Bodies of an island that impulses move, as forces left them.
    pub(super) fn find_movers(&mut self, bodies: &Bodies, members: &[BodyIndex], step: &StepParams) {
        self.movers.clear();
        self.movers.extend(members.iter().filter_map(|&body| Mover::of(bodies, body, step)));
    }

    pub(super) fn mover_of(&self, body: BodyIndex) -> u32 {
        self.movers.binary_search_by_key(&body, |m| m.body).map_or(NOBODY, |slot| slot as u32)
    }

    /// Adds a contact: frame, `q`, `mu`, where to begin.
    fn add_contact(&mut self, pair: &Pair<'_>, point: &ContactPoint) {
        let ends = [End::new(&pair.frame, &point.arm_a, 0), End::new(&pair.frame, &point.arm_b, 1)];
        let (mut free, mut gained, mut offset) = (Local::zeros(), Local::zeros(), Local::zeros());
        let bodies = [pair.manifold.body_a, pair.manifold.body_b];
        for ((end, &mover), body) in ends.iter().zip(&pair.movers).zip(bodies) {
            if let Some(mover) = self.movers.get(mover as usize) {
                free += end.velocity(&mover.linear, &mover.angular);
                gained += end.velocity(&mover.gained, &Local::zeros());
            } else {
                let hot = pair.bodies.hot(body);
                let own = end.velocity(&widen(&hot.linear), &widen(&hot.angular));
                free += own;
                offset += own;
            }
        }
        let (shift, bounces) = pair.shift(point, -free.x, -gained.x);
        // Friction acts between the surfaces.
        let belt =
            (pair.frame * widen(&pair.manifold.surface_velocity)).component_mul(&Local::new(0.0, 1.0, 1.0));
        self.is_driven |= offset != Local::zeros() || belt != Local::zeros();
        free += belt;
        offset += belt + Local::new(shift, 0.0, 0.0);
        let begun = free - gained;
        let slips = begun.y * begun.y + begun.z * begun.z > pair.slip_speed() * pair.slip_speed();
        let material = &pair.manifold.material;
        let mu = if slips { material.kinetic_friction } else { material.static_friction };
        self.problem.friction.push(f64::from(mu));
        self.problem.free.extend([free.x + shift, free.y, free.z]);
        self.impulses.extend((pair.frame * widen(&point.warm_start_impulse)).iter());
        self.contacts.push(Contact {
            frame: pair.frame,
            movers: pair.movers,
            ends,
            offset,
            closing: -free.x,
            bounces,
        });
    }

    /// Finds the contacts of each mover.
    fn link(&mut self) {
        self.starts.clear();
        self.starts.resize(self.movers.len() + 1, 0);
        let ends = |contact: &Contact| contact.movers.into_iter().enumerate().filter(|end| end.1 != NOBODY);
        for contact in &self.contacts {
            ends(contact).for_each(|(_, mover)| self.starts[mover as usize + 1] += 1);
        }
        for i in 0..self.movers.len() {
            self.starts[i + 1] += self.starts[i];
        }
        let count = self.starts.last().map_or(0, |&end| end as usize);
        self.links.clear();
        self.links.resize(count, Link::default());
        // Starts serve as places to fill, and end one mover further on.
        for (k, contact) in self.contacts.iter().enumerate() {
            for (side, mover) in ends(contact) {
                let place = &mut self.starts[mover as usize];
                self.links[*place as usize] = Link { contact: k as u32, side: side as u32 };
                *place += 1;
            }
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    fn links_of(&self, mover: u32) -> &[Link] {
        match self.starts.get(mover as usize..) {
            Some(&[start, end, ..]) => &self.links[start as usize..end as usize],
            _ => &[],
        }
    }

    /// `W`, row by row: the contacts of both bodies in ascending order, those of both once.
    fn couple(&mut self) {
        let mut coupling = std::mem::take(&mut self.problem.coupling);
        coupling.clear();
        for (k, contact) in self.contacts.iter().enumerate() {
            let [mut of_a, mut of_b] = contact.movers.map(|mover| self.links_of(mover));
            let mobility = [0, 1].map(|side| self.mobility(contact, side));
            loop {
                let (a, b) = (of_a.first(), of_b.first());
                let column = match (a, b) {
                    (None, None) => break,
                    (Some(a), Some(b)) => a.contact.min(b.contact),
                    (Some(link), None) | (None, Some(link)) => link.contact,
                };
                let mut block = Block::zeros();
                for (side, links) in [&mut of_a, &mut of_b].into_iter().enumerate() {
                    if let Some((link, rest)) = links.split_first()
                        && link.contact == column
                    {
                        let end = &self.contacts[column as usize].ends[link.side as usize];
                        block += mobility[side].0 * end.linear.transpose();
                        block += mobility[side].1 * end.angular.transpose();
                        *links = rest;
                    }
                }
                coupling.add_to_row(k as u32, column, &block);
            }
            coupling.end_row();
        }
        self.problem.coupling = coupling;
    }

    /// The same with what joints leave: contacts of all bodies that hang together are coupled.
    fn couple_by_joints(&mut self, island: (&Bodies, &ContactGraph, &[EdgeIndex])) {
        let mut bilateral = std::mem::take(&mut self.bilateral);
        if bilateral.prepare(island, &self.movers, |body| self.mover_of(body)) {
            bilateral.respond(self.contacts.iter().map(|c| (c.movers, &c.ends)), &self.movers);
            let mut coupling = std::mem::take(&mut self.problem.coupling);
            coupling.clear();
            for (k, contact) in self.contacts.iter().enumerate() {
                let mobility = [0, 1].map(|side| self.mobility(contact, side));
                let common = contact.movers.into_iter().flat_map(|mover| self.links_of(mover));
                let columns = bilateral.find_coupled(k, common.map(|link| link.contact));
                for place in 0..columns {
                    let column = bilateral.candidate(place) as usize;
                    let block = self.direct(contact, &mobility, column) - bilateral.taken(k, column);
                    coupling.add_to_row(k as u32, column as u32, &block);
                }
                coupling.end_row();
            }
            self.problem.coupling = coupling;
        } else {
            self.couple();
        }
        self.bilateral = bilateral;
    }

    /// What a contact's velocity is per impulse of another one by the bodies that both have.
    fn direct(&self, contact: &Contact, mobility: &[(Block, Block); 2], other: usize) -> Block {
        let other = &self.contacts[other];
        let mut block = Block::zeros();
        for (mover, (linear, angular)) in contact.movers.iter().zip(mobility) {
            for (_, end) in other.movers.iter().zip(&other.ends).filter(|(of, _)| *of == mover) {
                block += linear * end.linear.transpose();
                block += angular * end.angular.transpose();
            }
        }
        block
    }

    /// Sets `q` to what contacts have without their impulses, by the velocities of the movers, in which impulses are. Returns by how much velocities of contacts are
    /// not those that the problem had for these impulses, m/s.
    pub(super) fn refresh(&mut self) -> f64 {
        let mut most = 0.0_f64;
        for (k, contact) in self.contacts.iter().enumerate() {
            let mut now = contact.offset;
            for (end, &mover) in contact.ends.iter().zip(&contact.movers) {
                if let Some(mover) = self.movers.get(mover as usize) {
                    now += end.velocity(&mover.linear, &mover.angular);
                }
            }
            let off = now - self.problem.velocity(k, &self.impulses);
            most = most.max(off.amax());
            let free = &mut self.problem.free[3 * k..][..3];
            free.iter_mut().zip(off.iter()).for_each(|(free, off)| *free += off);
        }
        most
    }

    /// `Hᵀ M⁻¹` of a contact's side: what moves at the contact per impulse on the body.
    fn mobility(&self, contact: &Contact, side: usize) -> (Block, Block) {
        let end = &contact.ends[side];
        match self.movers.get(contact.movers[side] as usize) {
            Some(mover) => {
                let linear = end.linear * Block::from_diagonal(&mover.inverse_mass);
                (linear, end.angular * mover.inverse_inertia)
            }
            None => (Block::zeros(), Block::zeros()),
        }
    }

    /// Brings impulses to the unit in which the mean of the normal diagonal of `W` is one.
    fn scale(&mut self) {
        let coupling = &mut self.problem.coupling;
        let count = coupling.row_count();
        let sum: f64 = (0..count).map(|k| coupling.diagonal(k)[(0, 0)]).sum();
        // Contacts that no impulse moves (all axes locked) have no diagonal; any unit does.
        self.unit = if sum > 0.0 { count as f64 / sum } else { 1.0 };
        coupling.scale(self.unit);
        self.impulses.iter_mut().for_each(|r| *r /= self.unit);
    }

    /// Adds the global form to the problem, for solvers that read it: velocities and angular velocities of each
    /// mover in turn, in world axes.
    pub(super) fn add_global(&mut self) {
        let mut form = std::mem::take(&mut self.spare);
        let dofs = 6 * self.movers.len();
        form.mass.reset(dofs, dofs);
        form.directions.reset(dofs, 3 * self.contacts.len());
        form.f.clear();
        for (i, mover) in self.movers.iter().enumerate() {
            let (mass, inertia) = mover.inertia();
            for axis in 0..3 {
                let row = (6 * i + axis) as u32;
                form.mass.push(row, row, mass[axis] / self.unit);
                for other in 0..3 {
                    let value = inertia[(axis, other)] / self.unit;
                    form.mass.push(row + 3, (6 * i + 3 + other) as u32, value);
                }
            }
            form.f.extend((mover.linear.component_mul(&mass) / self.unit).iter());
            form.f.extend((inertia * mover.angular / self.unit).iter());
        }
        form.w.clear();
        for (k, contact) in self.contacts.iter().enumerate() {
            let q = self.problem.free_velocity(k);
            let mut of_movers = Local::zeros();
            for (end, &mover) in contact.ends.iter().zip(&contact.movers) {
                let Some(body) = self.movers.get(mover as usize) else { continue };
                of_movers += end.velocity(&body.linear, &body.angular);
                let can_turn = |axis: usize| body.inverse_inertia[(axis, axis)] != 0.0;
                for (row, axis) in (0..3).flat_map(|row| (0..3).map(move |axis| (row, axis))) {
                    let (dof, column) = (6 * mover + axis as u32, (3 * k + row) as u32);
                    if body.inverse_mass[axis] != 0.0 {
                        form.directions.push(dof, column, end.linear[(row, axis)]);
                    }
                    if can_turn(axis) {
                        form.directions.push(dof + 3, column, end.angular[(row, axis)]);
                    }
                }
            }
            form.w.extend((q - of_movers).iter());
        }
        self.problem.global = Some(form);
    }

    /// Takes the global form back, to keep its memory.
    pub(super) fn take_global(&mut self) {
        if let Some(form) = self.problem.global.take() {
            self.spare = form;
        }
    }

    /// True where belts or bodies that are moved otherwise may give energy.
    pub(super) fn is_driven(&self) -> bool {
        self.is_driven
    }

    /// Kinetic energy of the movers, J.
    pub(super) fn kinetic_energy(&self) -> f64 {
        self.movers.iter().map(Mover::energy).sum()
    }

    /// Applies the impulses to the movers.
    pub(super) fn apply(&mut self) {
        self.apply_beyond(&[]);
    }

    /// Applies what impulses are more than others, which were applied (none without).
    pub(super) fn apply_beyond(&mut self, applied: &[f64]) {
        let nothing = [0.0; 3];
        let applied = applied.chunks_exact(3).chain(std::iter::repeat(&nothing[..]));
        for ((contact, r), applied) in self.contacts.iter().zip(self.impulses.chunks_exact(3)).zip(applied) {
            let impulse = (Local::from_column_slice(r) - Local::from_column_slice(applied)) * self.unit;
            for (end, &mover) in contact.ends.iter().zip(&contact.movers) {
                if let Some(mover) = self.movers.get_mut(mover as usize) {
                    mover.push(end, &impulse);
                }
            }
        }
    }

    /// What bodies and points of the island are given back, in their orders.
    pub(super) fn hand_back(
        &self,
        graph: &ContactGraph,
        island: (&[BodyIndex], &[EdgeIndex]),
        bodies: &mut [BodyResult],
        points: &mut [PointResult],
    ) {
        for (&body, result) in island.0.iter().zip(bodies) {
            let mover = self.movers.get(self.mover_of(body) as usize);
            *result = mover.map(|m| [narrow(&m.linear), narrow(&m.angular)]);
        }
        let mut solved = self.contacts.iter().zip(self.impulses.chunks_exact(3));
        let mut points = points.iter_mut();
        for &edge in island.1 {
            let manifold = &graph.edge(edge).manifold;
            let is_solved =
                [manifold.body_a, manifold.body_b].iter().any(|&body| self.mover_of(body) != NOBODY);
            for _ in manifold.points() {
                let result =
                    if is_solved { solved.next().map(|(c, r)| c.result(r, self.unit)) } else { None };
                if let Some(point) = points.next() {
                    *point = result.unwrap_or_default();
                }
            }
        }
    }

    /// Closing speeds before and after, for the report: points, those that closed faster than `threshold` (m/s) at the
    /// begin, those that still do, and the fastest of these with its contact's bodies.
    pub(super) fn judge(&self, threshold: f64, report: &mut SolverReport) {
        report.points += self.contacts.len() as u32;
        report.surfaces_left_out += self.surfaces_left_out;
        for (k, contact) in self.contacts.iter().enumerate() {
            // What may close a gap or has to leave counts from there.
            let closing = -self.problem.velocity(k, &self.impulses).x;
            report.closing_points += u32::from(contact.closing > threshold);
            report.unsolved_points += u32::from(closing > threshold);
            if closing as Real > report.worst_residual {
                report.worst_residual = closing as Real;
                report.worst_bodies =
                    Some(contact.movers.map(|m| {
                        self.movers.get(m as usize).map_or(BodyIndex::IMMOVABLE, |mover| mover.body)
                    }));
            }
        }
    }
}

/// What the points of a manifold share.
struct Pair<'a> {
    config: &'a IslandSolverConfig,
    bodies: &'a Bodies,
    manifold: &'a Manifold,
    movers: [u32; 2],
    frame: Block,
    step: &'a StepParams,
}

impl Pair<'_> {
    fn slip_speed(&self) -> f64 {
        f64::from(self.config.slip_threshold * self.step.speed_unit())
    }

    /// `w_N` (m/s) of a point with this closing speed, of which the forces of the step gave `gained`, and whether it
    /// bounces.
    fn shift(&self, point: &ContactPoint, closing: f64, gained: f64) -> (f64, bool) {
        let dt = self.step.dt;
        let restitution = self.manifold.material.restitution;
        let gap = point.distance.max(0.0);
        let is_fast = closing as Real > self.config.restitution_threshold * self.step.speed_unit();
        if restitution > 0.0 && is_fast && closing as Real * dt > gap {
            let bounce = Bounce::new(gained as Real, point, 1.0 / dt);
            let leaving = bounce.speed_after(closing as Real, restitution, 0.0);
            if leaving > 0.0 {
                return (-f64::from(leaving), true);
            }
        }
        (f64::from(gap) / f64::from(dt), false)
    }
}

impl Contact {
    /// What its point is given back.
    fn result(&self, impulse: &[f64], unit: f64) -> PointResult {
        let impulse = narrow(&(self.frame.tr_mul(&Local::from_column_slice(impulse)) * unit));
        // The next step does not begin with a blow.
        let resting = if self.bounces { Vector3::zeros() } else { impulse };
        PointResult { impulse: Some(impulse), resting }
    }
}
