//! The step: a list of stages.

use super::PlanarWorld;
use super::detect::Change;
use crate::contacts::State;
use crate::error::check;
use crate::frame::widen;
use crate::report::{PlanarReport, PlanarStage, PlanarWorst};
use crate::solver::Solved;
use crate::{PlanarError, Vector2};
use drystone_contact::{BodyKind, TouchPhase};
use drystone_math::Real;
use std::time::Instant;

/// Longest step that is accepted, s.
const MAX_STEP: Real = 1.0;
/// Fastest motion in a step that is taken for a motion, m: farther is beyond what lengths in `f32` can tell.
const FARTHEST: Real = 1e15;

impl PlanarWorld {
    /// Advances the world by `dt` seconds and returns what happened.
    ///
    /// # Errors
    /// A step that is not in (0, 1] seconds; nothing changes.
    pub fn step(&mut self, dt: Real) -> Result<&PlanarReport, PlanarError> {
        check("dt", "in (0, 1] s", dt.into(), dt > 0.0 && dt <= MAX_STEP)?;
        // The guard borrows the workers, not the world: stages below take `&mut self`.
        let exec = std::mem::take(&mut self.exec);
        let awake = exec.wake();
        self.begin_report();
        let mut clock = Instant::now();
        let mut stage = |report: &mut PlanarReport, stage: PlanarStage| {
            let now = Instant::now();
            report.stage_times[stage as usize] = now - std::mem::replace(&mut clock, now);
        };
        self.quarantine(dt);
        self.find_pulls(dt);
        self.update_boxes(dt, &exec);
        stage(&mut self.report, PlanarStage::Bounds);
        self.find_pairs(&exec);
        stage(&mut self.report, PlanarStage::Pairs);
        self.update_manifolds(dt, &exec);
        stage(&mut self.report, PlanarStage::Contacts);
        let begun = self.apply_changes();
        stage(&mut self.report, PlanarStage::Graph);
        self.bodies.update_list();
        self.report.islands = self.islands.find(&self.bodies, &self.contacts);
        let solved = self.solver.solve(&self.config, &mut self.bodies, &mut self.contacts, begun, dt, &exec);
        self.limit_energy();
        stage(&mut self.report, PlanarStage::Solve);
        self.tell_begins();
        self.move_bodies(dt);
        self.quarantine(dt);
        self.update_sleep();
        self.tell_events();
        self.time += f64::from(dt);
        self.finish_report(&solved);
        self.step_index += 1;
        stage(&mut self.report, PlanarStage::Finish);
        drop(awake);
        self.exec = exec;
        Ok(&self.report)
    }

    /// Keeps the report's memory and forgets its content.
    fn begin_report(&mut self) {
        let mut quarantined = std::mem::take(&mut self.report.quarantined);
        quarantined.clear();
        let partition = std::mem::take(&mut self.report.partition);
        self.report =
            PlanarReport { step: self.step_index, quarantined, partition, ..PlanarReport::default() };
    }

    /// Contacts that began or ended to have points, in ascending order; what is touched wakes. Returns how many began.
    fn apply_changes(&mut self) -> u32 {
        let mut begun = 0;
        for i in 0..self.detection.changes.len() {
            let (contact, change) = self.detection.changes[i];
            match change {
                Change::Link => {
                    self.link(contact);
                    begun += 1;
                }
                Change::Unlink => self.unlink(contact),
                Change::End => self.end_contact(contact),
            }
        }
        self.wake_unsupported();
        self.disturbed.clear();
        begun
    }

    fn link(&mut self, contact: u32) {
        let own = &mut self.contacts.list[contact as usize];
        own.is_linked = true;
        let ends = own.bodies;
        // What was added asleep wakes nobody, and nobody who sleeps or cannot move wakes it.
        let begins_asleep = ends.iter().any(|&body| self.bodies.facts[body as usize].begins_asleep);
        if begins_asleep && ends.iter().all(|&body| !self.bodies.is_awake(body)) {
            self.contacts.state[contact as usize] = State::Asleep;
            return;
        }
        for body in ends {
            if self.bodies.is_asleep(body) {
                // Colours this contact as well.
                self.wake_island(body);
            }
        }
        let bodies = self.contacts.list[contact as usize].bodies;
        if bodies.iter().any(|&body| self.bodies.is_awake(body)) {
            self.contacts.colour(&mut self.bodies, contact);
        }
    }

    /// Bodies that were added asleep and touch nothing wake. All of them are among the disturbed of their first step.
    fn wake_unsupported(&mut self) {
        for k in 0..self.disturbed.len() {
            let body = self.disturbed[k];
            if !std::mem::take(&mut self.bodies.facts[body as usize].begins_asleep) {
                continue;
            }
            let mut at = self.contacts.first(&self.bodies, body);
            let mut is_held = false;
            while let Some(contact) = at {
                is_held |= self.contacts.list[contact as usize].is_linked;
                at = self.contacts.after(contact, body);
            }
            if !is_held {
                self.wake_island(body);
            }
        }
    }

    /// New poses of what is awake: by what the solver did, in one go for bodies without contacts.
    fn move_bodies(&mut self, dt: Real) {
        let threshold = self.config.sleeping.threshold * self.config.reference_acceleration * dt;
        let Self { bodies, solver, config, .. } = self;
        for &body in &bodies.list {
            let i = body as usize;
            let (row, facts) = (&mut bodies.rows[i], &mut bodies.facts[i]);
            if !solver.moved(body) {
                fly(row, facts, &config.gravity, dt);
            }
            let pose = &mut bodies.pose[i];
            bodies.start[i] = pose.translation;
            facts.force = [0.0; 3];
            if !is_motion(row[4].abs() + row[5].abs(), row[6].abs()) {
                // It stays where it is, for quarantine.
                continue;
            }
            pose.translation += widen(&Vector2::new(row[4], row[5]));
            if row[6] != 0.0 {
                pose.turn = pose.turn.advanced(row[6]);
            }
            (row[4], row[5], row[6]) = (0.0, 0.0, 0.0);
            let speed = (row[0] * row[0] + row[1] * row[1]).sqrt() + row[2].abs() * facts.reach;
            facts.rest_time = if speed < threshold { facts.rest_time + dt } else { 0.0 };
        }
    }

    /// How far gravity and forces may move the surfaces of awake bodies in this step: in all of it with the velocity that they
    /// give by its end, at most.
    fn find_pulls(&mut self, dt: Real) {
        let Self { bodies, config, .. } = self;
        for &body in &bodies.list {
            let i = body as usize;
            let (row, facts) = (&bodies.rows[i], &bodies.facts[i]);
            if facts.kind == BodyKind::Dynamic {
                let turning = (facts.force[2] * row[7]).abs();
                let gained = facts.acceleration(row[3], &config.gravity).norm() + turning * facts.reach;
                bodies.pull[i] = (gained * dt * dt).min(FARTHEST);
            }
        }
    }

    /// Bodies whose state is not finite, or about to be, lose velocity and mass, stay where they last were, and are named.
    fn quarantine(&mut self, dt: Real) {
        self.bodies.update_list();
        for k in 0..self.bodies.list.len() {
            let body = self.bodies.list[k];
            let (row, facts) = (&self.bodies.rows[body as usize], &self.bodies.facts[body as usize]);
            let [fx, fy, torque] = facts.force;
            let speed = (row[0].abs() + row[1].abs() + (fx.abs() + fy.abs()) * row[3] * dt) * dt;
            let turn = (row[2].abs() + torque.abs() * row[7] * dt) * dt;
            // A displacement that is still there was no motion.
            let has_moved = [row[4], row[5], row[6]] == [0.0; 3];
            if is_motion(speed + turn * facts.reach, turn) && has_moved {
                continue;
            }
            self.take_out(body);
        }
        self.bodies.update_list();
    }

    fn take_out(&mut self, body: u32) {
        self.report.quarantined.extend(self.bodies.handle(body));
        self.wake_neighbours(body);
        while let Some(contact) = self.contacts.first(&self.bodies, body) {
            self.end_contact(contact);
        }
        let facts = &mut self.bodies.facts[body as usize];
        (facts.is_quarantined, facts.force) = (true, [0.0; 3]);
        self.bodies.rows[body as usize] = [0.0; 8];
        self.bodies.awake.remove(body);
        // The list is being walked: it is made anew afterwards.
        self.bodies.is_listed = false;
    }

    /// Touches that begin. Told before quarantine, which ends those of what it takes out.
    fn tell_begins(&mut self) {
        for k in 0..self.solver.touches.len() {
            self.tell(self.solver.touches[k], TouchPhase::Begin);
        }
    }

    /// Touch events, sorted by colliders, then phase.
    fn tell_events(&mut self) {
        if self.config.tell_persisting {
            self.tell_persisting();
        }
        std::mem::swap(&mut self.events, &mut self.pending);
        self.pending.clear();
        self.events.sort_unstable_by_key(|e| (e.colliders, e.phase));
    }

    /// Touches of awake bodies that neither began nor ended.
    fn tell_persisting(&mut self) {
        self.solver.touches.sort_unstable();
        for colour in 0..self.contacts.colours.len() {
            for round in [false, true] {
                let list = |w: &Self| {
                    let lists = &w.contacts.colours[colour];
                    if round { lists.round.len() } else { lists.flat.len() }
                };
                for k in 0..list(self) {
                    let lists = &self.contacts.colours[colour];
                    let contact = if round { lists.round[k] } else { lists.flat[k] };
                    let is_touching = self.contacts.list[contact as usize].is_touching;
                    if is_touching && self.solver.touches.binary_search(&contact).is_err() {
                        self.tell(contact, TouchPhase::Persist);
                    }
                }
            }
        }
    }

    /// The figures of the report.
    fn finish_report(&mut self, solved: &Solved) {
        let worst = |found: Option<(Real, u32)>| {
            let (value, contact) = found?;
            let bodies = self.contacts.list[contact as usize].bodies.map(|b| self.bodies.handle(b));
            let [Some(a), Some(b)] = bodies else { return None };
            Some(PlanarWorst { value, bodies: [a, b] })
        };
        let (residual, overlap) = (worst(solved.residual), worst(solved.overlap));
        let report = &mut self.report;
        report.time = self.time;
        report.bodies = (self.bodies.slots.count() - 1) as u32;
        report.awake = self.bodies.awake.count();
        let is_asleep = |&(body, _): &(u32, u32)| self.bodies.is_asleep(body);
        report.asleep = if report.awake < report.bodies {
            self.bodies.slots.iter().filter(is_asleep).count() as u32
        } else {
            0
        };
        report.woken = std::mem::take(&mut self.woken);
        report.edges = self.contacts.count;
        report.contacts = solved.points;
        report.warm_points = solved.warm;
        report.ended = std::mem::take(&mut self.contacts.ended);
        report.reused = std::mem::take(&mut self.contacts.reused);
        report.colours = solved.colours;
        report.uncoloured = solved.uncoloured;
        report.worst_residual = residual.map_or(0.0, |w| w.value);
        report.worst_residual_contact = residual;
        report.worst_overlap = overlap.map_or(0.0, |w| w.value);
        report.worst_overlap_contact = overlap;
        report.partition.copy_from(&self.partition.report);
    }
}

/// True when a way (m) and a turn (rad) of a step can be taken for a motion.
fn is_motion(way: Real, turn: Real) -> bool {
    way < FARTHEST && turn < FARTHEST
}

/// A step without contacts: exact for constant forces without damping.
fn fly(row: &mut crate::bodies::Row, facts: &crate::bodies::BodyFacts, gravity: &Vector2, dt: Real) {
    let before = [row[0], row[1], row[2]];
    if facts.kind == BodyKind::Dynamic {
        let gained = facts.acceleration(row[3], gravity);
        let keep = facts.damping.map(|c| 1.0 / (1.0 + c * dt));
        row[0] = (row[0] + dt * gained.x) * keep[0];
        row[1] = (row[1] + dt * gained.y) * keep[0];
        row[2] = (row[2] + dt * facts.force[2] * row[7]) * keep[1];
    }
    for k in 0..3 {
        row[k + 4] = 0.5 * dt * (before[k] + row[k]);
    }
}
