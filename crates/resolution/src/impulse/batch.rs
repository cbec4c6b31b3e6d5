//! One batch: its bodies and contacts gathered into dense local arrays, solved, and handed back.
//!
//! A batch is independent of all others (S1-27), so a worker needs nothing but read access to the world
//! and room for its results. Rows (contact points) are ordered by level, so that the contacts of a stage
//! of shock propagation are neighbours in memory.

use super::accumulate::Side;
use super::joint::{JointBody, JointContact, MOST};
use super::levels::Link;
use super::order::{OrderedContact, room};
use super::patch::{Patch, PatchMatrix, PatchPoint};
use super::row::{Load, LocalBody, Masses, Row, Worst};
use super::speeds::{SINGLE_OVERSHOOT, StepSpeeds};
use super::{ContactOrder, ImpulseConfig};
use crate::SolverReport;
use crate::bounce::Bounce;
use crate::step_ties::Tied;
use drystone_contact::{Batch, Batches, Bodies, BodyHot, BodyIndex, ContactGraph, EdgeIndex, NO_LEVEL};
use drystone_math::wide::{Baseline, LANES, Lanes, Wide};
use drystone_math::{Real, Vector3};

/// What a batch found for one body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyResult {
    pub(super) linear: Vector3,
    pub(super) angular: Vector3,
    pub(super) is_awake: bool,
    /// Asleep before, awake now (S1-39).
    pub(super) is_woken: bool,
}

impl Default for BodyResult {
    fn default() -> Self {
        Self { linear: Vector3::zeros(), angular: Vector3::zeros(), is_awake: false, is_woken: false }
    }
}

/// What a batch found for one contact point.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointResult {
    pub(super) impulse: Vector3,
    pub(super) slip: Vector3,
    pub(super) resting: Vector3,
}

impl Default for PointResult {
    fn default() -> Self {
        Self { impulse: Vector3::zeros(), slip: Vector3::zeros(), resting: Vector3::zeros() }
    }
}

/// How the excess of up to eight contacts of a body changes with its velocity, lane by lane.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Touches {
    linear: [[Real; LANES]; 3],
    angular: [[Real; LANES]; 3],
    rows: [u32; LANES],
    count: u32,
}

impl Touches {
    const NONE: Self =
        Self { linear: [[0.0; LANES]; 3], angular: [[0.0; LANES]; 3], rows: [0; LANES], count: 0 };

    fn push(&mut self, row: u32, linear: &Vector3, angular: &Vector3) {
        let lane = self.count as usize;
        for k in 0..3 {
            self.linear[k][lane] = linear[k];
            self.angular[k][lane] = angular[k];
        }
        self.rows[lane] = row;
        self.count += 1;
    }

    /// The rows.
    #[inline]
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows[..(self.count as usize).min(LANES)]
    }

    /// Changes of the excess by a change of the body's velocities.
    #[inline]
    pub(super) fn changes(&self, linear: &Vector3, angular: &Vector3) -> [Real; LANES] {
        let lanes = Baseline::default();
        let dot = |columns: &[[Real; LANES]; 3], v: &Vector3| {
            let [x, y, z] = [0, 1, 2].map(|k| lanes.load(&columns[k]) * lanes.splat(v[k]));
            x + y + z
        };
        (dot(&self.linear, linear) + dot(&self.angular, angular)).to_array()
    }
}

/// Solves batches; owns the memory that solving one takes.
#[derive(Clone, Debug)]
pub(super) struct BatchSolver<O> {
    pub(super) bodies: Vec<LocalBody>,
    pub(super) rows: Vec<Row>,
    /// Closing speed of each row beyond what is allowed, m/s; negative infinity for rows that are done.
    pub(super) excess: Vec<Real>,
    /// Rows of each body, `touches[touch_offsets[i]..touch_offsets[i + 1]]`, eight at a time.
    pub(super) touches: Vec<Touches>,
    pub(super) touch_offsets: Vec<u32>,
    /// Block of each body that is being filled.
    touch_places: Vec<u32>,
    /// First row of each half level `2 l` (contacts of level `l` with the level just below) and `2 l + 1`
    /// (all others whose higher body has level `l`), and the end.
    pub(super) level_rows: Vec<u32>,
    pub(super) order: O,
    /// Contacts and bodies of a joint solve.
    pub(super) joint: Vec<JointContact>,
    pub(super) joint_bodies: Vec<JointBody>,
    /// What the order is told of the rows.
    contacts: Vec<OrderedContact>,
    pub(super) level_count: u32,
    /// Edges of the batch as the levels see them, in the batch's order.
    pub(super) links: Vec<Link>,
    /// Links of each body, `linked[link_offsets[i]..link_offsets[i + 1]]`.
    pub(super) linked: Vec<u32>,
    pub(super) link_offsets: Vec<u32>,
    pub(super) queue: Vec<u32>,
    pub(super) local_of: Vec<u32>,
    pub(super) sorted: Vec<Sorted>,
    /// As `level_rows`, for edges.
    pub(super) level_edges: Vec<u32>,
    /// The accumulated form: a patch per edge, points and matrices as rows, violations per patch, m/s.
    pub(super) patches: Vec<Patch>,
    pub(super) points: Vec<PatchPoint>,
    pub(super) matrices: Vec<PatchMatrix>,
    pub(super) keys: Vec<Real>,
    /// Patches of each body, `sides[side_offsets[i]..side_offsets[i + 1]]`.
    pub(super) sides: Vec<Side>,
    pub(super) side_offsets: Vec<u32>,
    /// Manifolds with rolling friction, which S1 does not have.
    surfaces_left_out: u32,
}

/// An edge on its way to rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sorted {
    pub(super) edge: EdgeIndex,
    /// Index of its first point among the batch's points.
    output: u32,
    pub(super) ends: [u32; 2],
}

impl<O: ContactOrder> BatchSolver<O> {
    pub(super) fn new(order: O) -> Self {
        Self {
            bodies: Vec::new(),
            rows: Vec::new(),
            excess: Vec::new(),
            touches: Vec::new(),
            touch_offsets: Vec::new(),
            touch_places: Vec::new(),
            level_rows: Vec::new(),
            order,
            contacts: Vec::new(),
            joint: Vec::new(),
            joint_bodies: Vec::new(),
            level_count: 0,
            links: Vec::new(),
            linked: Vec::new(),
            link_offsets: Vec::new(),
            queue: Vec::new(),
            local_of: Vec::new(),
            sorted: Vec::new(),
            level_edges: Vec::new(),
            patches: Vec::new(),
            points: Vec::new(),
            matrices: Vec::new(),
            keys: Vec::new(),
            sides: Vec::new(),
            side_offsets: Vec::new(),
            surfaces_left_out: 0,
        }
    }

    /// Makes room, so that no batch up to this size allocates.
    pub(super) fn reserve(&mut self, capacity: usize, bodies: usize, edges: usize, points: usize) {
        if self.local_of.len() < capacity {
            self.local_of.resize(capacity, 0);
        }
        // Kinematic bodies get a local entry per edge, so the number of edges bounds them.
        room(&mut self.bodies, 1 + bodies + edges);
        room(&mut self.rows, points);
        room(&mut self.excess, points);
        room(&mut self.touches, bodies + edges + 2 * points / LANES + 1);
        room(&mut self.touch_offsets, bodies + edges + 3);
        room(&mut self.touch_places, bodies + edges + 3);
        room(&mut self.level_rows, 2 * bodies + 5);
        room(&mut self.sorted, edges);
        room(&mut self.links, edges);
        room(&mut self.linked, 2 * edges);
        room(&mut self.link_offsets, bodies + edges + 3);
        room(&mut self.queue, bodies);
        room(&mut self.level_edges, 2 * bodies + 5);
        room(&mut self.patches, edges);
        room(&mut self.points, points);
        room(&mut self.matrices, points);
        room(&mut self.keys, edges);
        room(&mut self.sides, 2 * edges);
        room(&mut self.side_offsets, bodies + edges + 3);
        room(&mut self.joint, MOST);
        room(&mut self.joint_bodies, 2 * MOST);
        if O::LEARNS {
            room(&mut self.contacts, points);
        }
        self.order.reserve(points);
    }

    /// Solves one batch with its joints; fills the results of its bodies (in their order) and the impulses of its points
    /// (edge by edge).
    #[allow(clippy::too_many_arguments, reason = "inputs and outputs of one batch, called from one place")]
    pub(super) fn solve(
        &mut self,
        config: &ImpulseConfig,
        speeds: &StepSpeeds,
        bodies: &Bodies,
        graph: &ContactGraph,
        batches: &Batches,
        batch: &Batch,
        tied: &mut Tied<'_, '_>,
        results: &mut [BodyResult],
        points: &mut [PointResult],
    ) -> SolverReport {
        let members = batches.bodies(batch);
        self.gather_bodies(bodies, members);
        self.find_levels(graph, bodies, batches.edges(batch), speeds);
        self.sort_edges(graph, batches.edges(batch));
        self.gather_rows(bodies, graph, speeds);
        let mut report = SolverReport { points: self.rows.len() as u32, ..SolverReport::default() };
        report.surfaces_left_out = self.surfaces_left_out;
        report.closing_points = self.excess.iter().filter(|&&e| e > speeds.threshold).count() as u32;
        if O::LEARNS {
            self.teach(config.accumulates());
        }
        if config.accumulates() {
            report.energy_before = self.kinetic_energy(bodies, members);
            self.resolve_totals(config, speeds, graph, &mut report);
            report.energy_after = self.kinetic_energy(bodies, members);
        } else if !tied.is_empty() {
            report.energy_before = self.kinetic_energy(bodies, members);
            self.resolve_tied(config, speeds, tied, &mut report);
            self.limit_energy((bodies, members), (config, speeds), tied, &mut report);
            tied.note();
            report.energy_after = self.kinetic_energy(bodies, members);
        } else if report.closing_points > 0 {
            self.link_touches();
            let closing =
                self.rows.iter().zip(&self.excess).map(|(row, excess)| excess + row.allowed_approach);
            let speeds = &speeds.calmed_above(closing.fold(0.0, Real::max));
            report.energy_before = self.kinetic_energy(bodies, members);
            self.resolve_all(config, speeds, &mut report);
            report.energy_after = self.kinetic_energy(bodies, members);
        }
        self.worst(speeds.threshold, members, &mut report);
        for (k, (&body, result)) in members.iter().zip(results).enumerate() {
            let local = &self.bodies[k + 1];
            let was_awake = bodies.is_awake(body);
            *result = BodyResult {
                linear: local.linear,
                angular: local.angular,
                is_awake: local.is_awake,
                is_woken: local.is_awake && !was_awake,
            };
            report.woken += u32::from(result.is_woken);
        }
        self.write_points(graph, speeds, points);
        report
    }

    /// Hands out impulses and slips, by the order of edges and points.
    fn write_points(&self, graph: &ContactGraph, speeds: &StepSpeeds, points: &mut [PointResult]) {
        let mut rest = &self.rows[..];
        for &Sorted { edge, output, .. } in &self.sorted {
            let manifold = graph.edge(edge).manifold.points();
            let (rows, behind) = rest.split_at(manifold.len());
            rest = behind;
            let points = &mut points[output as usize..];
            if rows.first().is_none_or(|row| self.are_at_rest(row)) {
                for (point, result) in manifold.iter().zip(points) {
                    *result = PointResult {
                        impulse: point.impulse,
                        slip: point.accumulated_slip,
                        resting: point.warm_start_impulse,
                    };
                }
                continue;
            }
            let sticks = Load::carries(rows) && Load::of(rows).sticks();
            for ((point, row), result) in manifold.iter().zip(rows).zip(points) {
                let ends = row.bodies.map(|k| &self.bodies[k as usize]);
                let slip = if sticks {
                    row.slip_after(&point.accumulated_slip, ends, speeds.sticking_limit(), speeds.dt)
                } else {
                    Vector3::zeros()
                };
                *result = PointResult { impulse: row.impulse, slip, resting: row.total };
            }
        }
    }

    /// Copies the movable bodies; entry 0 is what cannot move.
    fn gather_bodies(&mut self, bodies: &Bodies, members: &[BodyIndex]) {
        self.bodies.clear();
        self.bodies.push(LocalBody::IMMOVABLE);
        for &member in members {
            self.local_of[member.get()] = self.bodies.len() as u32;
            let hot = bodies.hot(member);
            self.bodies.push(LocalBody {
                linear: hot.linear,
                inverse_mass: hot.inverse_mass,
                free: hot.locks().translation.map(|is_locked| Real::from(u8::from(!is_locked))).into(),
                angular: hot.angular,
                level: NO_LEVEL,
                inverse_inertia: *bodies.inverse_inertia(member),
                is_awake: bodies.is_awake(member),
            });
        }
    }

    /// Orders the edges by the higher of their bodies' levels, those that stand on the level just below first
    /// (a counting sort, stable), and notes where the rows of each half level begin. So the contacts of a
    /// stage of shock propagation are one run of rows. Edges of bodies without a level come last.
    fn sort_edges(&mut self, graph: &ContactGraph, edges: &[EdgeIndex]) {
        let last = self.level_count as usize + 1;
        let bucket = |link: &Link| {
            // Nothing below a body of no level is known, whatever it touches.
            let level = |k: u32| (self.bodies[k as usize].level as usize).min(last);
            let (a, b) = (level(link.ends[0]), level(link.ends[1]));
            2 * a.max(b) + usize::from(a.abs_diff(b) != 1)
        };
        let starts = &mut self.level_rows;
        starts.clear();
        starts.resize(2 * (last + 1) + 1, 0);
        for link in &self.links {
            starts[bucket(link) + 1] += 1;
        }
        for l in 1..starts.len() {
            starts[l] += starts[l - 1];
        }
        self.sorted.clear();
        self.sorted.resize(edges.len(), Sorted::default());
        let mut output = 0;
        for (&index, link) in edges.iter().zip(&self.links) {
            let place = &mut starts[bucket(link)];
            self.sorted[*place as usize] = Sorted { edge: index, output, ends: link.ends };
            *place += 1;
            output += graph.edge(index).manifold.points().len() as u32;
        }
        self.level_edges.clear();
        self.level_edges.push(0);
        self.level_edges.extend_from_slice(&starts[..starts.len() - 1]);
        // The loop moved each start to the next one; count rows instead of edges from here on.
        let (mut rows, mut next) = (0, 0);
        for start in starts.iter_mut() {
            let edge_end = *start as usize;
            let first = rows;
            while next < edge_end {
                rows += graph.edge(self.sorted[next].edge).manifold.points().len() as u32;
                next += 1;
            }
            *start = first;
        }
    }

    /// Tells the order what the contacts are. With totals it orders patches, of which it is told nothing.
    fn teach(&mut self, accumulates: bool) {
        self.contacts.clear();
        if !accumulates {
            for row in &mut self.rows {
                let [a, b] = row.bodies.map(|k| &self.bodies[k as usize]);
                row.prepare(a, b, Masses::new(a.moves(0), b.moves(0)));
                let effective_mass = if row.k_nn > 0.0 { 1.0 / row.k_nn } else { 0.0 };
                self.contacts.push(OrderedContact { bodies: row.bodies, effective_mass });
            }
        }
        self.order.learn(&self.contacts);
    }

    /// Makes a row of every contact point and finds its closing speed.
    fn gather_rows(&mut self, bodies: &Bodies, graph: &ContactGraph, speeds: &StepSpeeds) {
        self.rows.clear();
        self.excess.clear();
        self.surfaces_left_out = 0;
        for i in 0..self.sorted.len() {
            let Sorted { edge, ends, .. } = self.sorted[i];
            let manifold = &graph.edge(edge).manifold;
            let [a, b] = ends.map(|k| &self.bodies[k as usize]);
            let at_rest = !a.is_awake && !b.is_awake;
            let count = manifold.points().len() as u32;
            let overshoot = speeds.overshoot * if count == 1 { SINGLE_OVERSHOOT } else { 1.0 };
            let gained = if at_rest {
                0.0
            } else {
                let [a, b] = [manifold.body_a, manifold.body_b].map(|body| speeds.gained(bodies, body));
                manifold.normal.dot(&(a - b))
            };
            let surface_velocity = if manifold.has_surface_velocity() {
                let v = manifold.surface_velocity;
                v - manifold.normal * manifold.normal.dot(&v)
            } else {
                Vector3::zeros()
            };
            self.surfaces_left_out += u32::from(manifold.material.rolling_friction > 0.0);
            for (k, point) in manifold.points().iter().enumerate() {
                let (allowed_approach, resting_velocity) = speeds.approach_and_rest(point.distance, at_rest);
                let row = Row {
                    bodies: ends,
                    left_in_manifold: count - k as u32,
                    normal: manifold.normal,
                    arm_a: point.arm_a,
                    arm_b: point.arm_b,
                    allowed_approach,
                    resting_velocity,
                    repeated_velocity: resting_velocity.max(overshoot - allowed_approach.max(0.0)),
                    bounce: Bounce::new(gained, point, speeds.inverse_dt),
                    return_velocity: speeds.return_velocity(&point.accumulated_slip),
                    surface_velocity,
                    material: manifold.material,
                    impulse: Vector3::zeros(),
                    total: Vector3::zeros(),
                    masses: Masses::NONE,
                    inverse_k: drystone_math::Symmetric3::ZERO,
                    k_normal: Vector3::zeros(),
                    k_nn: 0.0,
                };
                self.excess.push(if at_rest { -allowed_approach } else { row.excess(a, b) });
                self.rows.push(row);
            }
        }
    }

    /// Local index of a body; kinematic ones that move get an entry of their own, all else that cannot be
    /// pushed is entry 0.
    pub(super) fn local(&mut self, bodies: &Bodies, body: BodyIndex) -> u32 {
        let hot = bodies.hot(body);
        if hot.is_dynamic() {
            return self.local_of[body.get()];
        }
        if !hot.is_kinematic() || !bodies.is_awake(body) {
            return 0;
        }
        self.bodies.push(LocalBody {
            linear: hot.linear,
            angular: hot.angular,
            is_awake: true,
            ..LocalBody::IMMOVABLE
        });
        self.bodies.len() as u32 - 1
    }

    /// Lists the rows of every movable body with how its velocity changes their closing speed (S1-64):
    /// `excess = n·(v_A + ω_A × r_A) − n·(v_B + ω_B × r_B) − allowed`.
    pub(super) fn link_touches(&mut self) {
        let offsets = &mut self.touch_offsets;
        offsets.clear();
        offsets.resize(self.bodies.len() + 1, 0);
        for body in self.rows.iter().flat_map(|row| row.bodies) {
            offsets[body as usize + 1] += u32::from(body != 0);
        }
        for i in 1..offsets.len() {
            offsets[i] = offsets[i - 1] + offsets[i].div_ceil(LANES as u32);
        }
        self.touches.clear();
        self.touches.resize(offsets[offsets.len() - 1] as usize, Touches::NONE);
        self.touch_places.clear();
        self.touch_places.extend_from_slice(offsets);
        for (i, row) in self.rows.iter().enumerate() {
            let (n, row_index) = (row.normal, i as u32);
            let sides = [(row.bodies[0], n, row.arm_a.cross(&n)), (row.bodies[1], -n, n.cross(&row.arm_b))];
            for (body, linear, angular) in sides {
                if body != 0 {
                    let place = &mut self.touch_places[body as usize];
                    let block = &mut self.touches[*place as usize];
                    block.push(row_index, &linear, &angular);
                    *place += u32::from(block.count as usize == LANES);
                }
            }
        }
    }

    /// Kinetic energy of the batch, J.
    pub(super) fn kinetic_energy(&self, bodies: &Bodies, members: &[BodyIndex]) -> f64 {
        self.energy_of(bodies, members, |local, _| (local.linear, local.angular))
    }

    /// Kinetic energy of what is awake in the batch, J, if it moved like this.
    pub(super) fn energy_of(
        &self,
        bodies: &Bodies,
        members: &[BodyIndex],
        motion: impl Fn(&LocalBody, &BodyHot) -> (Vector3, Vector3),
    ) -> f64 {
        let view = bodies.view();
        let energy = |(local, &member): (&LocalBody, &BodyIndex)| {
            if local.inverse_mass == 0.0 || !local.is_awake {
                return 0.0;
            }
            let (linear, angular) = motion(local, bodies.hot(member));
            let spin =
                view.local_inertia[member.get()].spin_energy(&view.pose[member.get()].rotation, &angular);
            f64::from(0.5 * linear.norm_squared() / local.inverse_mass) + f64::from(spin)
        };
        self.bodies[1..].iter().zip(members).map(energy).sum()
    }

    /// True when both bodies sleep: they do not move, and their contact does not close.
    #[inline]
    pub(super) fn are_at_rest(&self, row: &Row) -> bool {
        row.bodies.iter().all(|&k| !self.bodies[k as usize].is_awake)
    }

    /// Takes all closing speeds anew and reports what is left.
    fn worst(&mut self, threshold: Real, members: &[BodyIndex], report: &mut SolverReport) {
        let mut worst = Worst::default();
        for row in &self.rows {
            let [a, b] = row.bodies.map(|i| i as usize);
            if self.are_at_rest(row) {
                continue;
            }
            let excess = row.excess(&self.bodies[a], &self.bodies[b]);
            report.unsolved_points += u32::from(excess > threshold);
            if excess > worst.speed {
                let index = |local: usize| local.checked_sub(1).and_then(|k| members.get(k)).copied();
                let ends = [a, b].map(|local| index(local).unwrap_or(BodyIndex::IMMOVABLE));
                worst = Worst { speed: excess, bodies: Some(ends) };
            }
        }
        (report.worst_residual, report.worst_bodies) = (worst.speed, worst.bodies);
    }
}
