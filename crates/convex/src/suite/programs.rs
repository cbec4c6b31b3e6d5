//! Steps 2 and 3: what is connected by contacts is a program of its own, and programs are solved side by side.

use super::SuiteConfig;
use super::general;
use super::state::{State, SuiteBody, SuitePoint};
use crate::interior::{InteriorOptions, IslandProgram, IslandProgramSolver};
use crate::solver::ConeChoice;
use drystone_exec::{Exec, PerWorker, items, items_mut, segments_mut};
use nalgebra::Vector3;

/// Which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Step 2: what closes bounces (S2-10); frozen bodies count with their mass (S2-24).
    Collision,
    /// Step 3: nothing bounces (S2-13); frozen bodies hold.
    Static,
}

/// What programs did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProgramReport {
    /// Programs solved.
    pub(super) programs: u32,
    /// Contacts in them.
    pub(super) contacts: u64,
    /// Iterations times contacts.
    pub(super) iterations: u64,
    /// Programs that missed the tolerance.
    pub(super) unsolved: u32,
    /// Collision programs taken back in part, because bounces would have added energy.
    pub(super) scaled: u32,
}

impl ProgramReport {
    pub(super) fn merge(&mut self, other: &Self) {
        self.programs += other.programs;
        self.contacts += other.contacts;
        self.iterations += other.iterations;
        self.unsolved += other.unsolved;
        self.scaled += other.scaled;
    }
}

/// The parts that contacts connect, and memory for their programs.
#[derive(Debug)]
pub(super) struct Programs {
    workers: PerWorker<Worker>,
    /// Part of each body, by place.
    part_of: Vec<u32>,
    /// Representatives while parts are found, and other numbers for a moment.
    roots: Vec<u32>,
    /// Place of each body among those of its part.
    slots: Vec<u32>,
    /// Of each point: whether it is in a program, and whether it asks for one.
    is_taken: Vec<bool>,
    is_wanted: Vec<bool>,
    parts: Vec<Part>,
    bodies: Vec<u32>,
    points: Vec<u32>,
    body_ends: Vec<u32>,
    point_ends: Vec<u32>,
    changes: Vec<[f64; 6]>,
    impulses: Vec<[f64; 3]>,
    reports: Vec<ProgramReport>,
}

/// One connected part: its bodies and points in their lists.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    body_count: u32,
    point_count: u32,
    first_body: u32,
    first_point: u32,
    /// Something in it is to be solved.
    is_wanted: bool,
    number: u32,
}

#[derive(Debug, Default)]
struct Worker {
    program: IslandProgram,
    bounds: Vec<f64>,
    method: IslandProgramSolver,
}

/// Contacts from which a part is solved on all threads, alone.
const LARGE: u32 = 1000;
/// Stands for "in no part".
const NONE: u32 = u32::MAX;

impl Default for Programs {
    fn default() -> Self {
        Self {
            workers: PerWorker::new(&Exec::serial(), Worker::default),
            part_of: Vec::new(),
            roots: Vec::new(),
            slots: Vec::new(),
            is_taken: Vec::new(),
            is_wanted: Vec::new(),
            parts: Vec::new(),
            bodies: Vec::new(),
            points: Vec::new(),
            body_ends: Vec::new(),
            point_ends: Vec::new(),
            changes: Vec::new(),
            impulses: Vec::new(),
            reports: Vec::new(),
        }
    }
}

impl Programs {
    /// Solves the parts in which a point closes faster than `threshold` (m/s; in step 2: and bounces or hits what is frozen), and applies what
    /// they give. Points that would have to close faster by `slack` (m/s) before they matter are left out.
    pub(super) fn run(
        &mut self,
        config: &SuiteConfig,
        state: &mut State,
        kind: Kind,
        [threshold, slack]: [f64; 2],
        exec: &Exec,
    ) -> ProgramReport {
        let moves = |body: &SuiteBody| body.is_dynamic && (kind == Kind::Collision || !body.is_frozen);
        let is_frozen = |&body: &u32| state.bodies[body as usize].is_frozen;
        let wants = |point: &SuitePoint, excess: f64| {
            let collides = || point.restitution > 0.0 || point.bodies.iter().any(is_frozen);
            excess > threshold && (kind == Kind::Static || collides())
        };
        self.is_wanted.clear();
        self.is_taken.clear();
        for point in &state.points {
            let excess = if state.is_active(point) { state.excess(point) } else { f64::NEG_INFINITY };
            self.is_taken.push(excess > -slack);
            self.is_wanted.push(wants(point, excess));
        }
        if !self.is_wanted.contains(&true) {
            return ProgramReport::default();
        }
        self.split(state, moves);
        self.workers.resize(exec, Worker::default);
        self.reports.clear();
        self.reports.resize(self.parts.len(), ProgramReport::default());
        self.changes.clear();
        self.changes.resize(self.bodies.len(), [0.0; 6]);
        self.impulses.clear();
        self.impulses.resize(self.points.len(), [0.0; 3]);
        self.solve(config, state, kind, exec);
        for (&body, change) in self.bodies.iter().zip(&self.changes) {
            state.bodies[body as usize].change(change, 1.0);
        }
        for (&point, impulse) in self.points.iter().zip(&self.impulses) {
            state.points[point as usize].impulse += Vector3::from(*impulse);
        }
        let mut total = ProgramReport::default();
        self.reports.iter().for_each(|report| total.merge(report));
        total
    }

    /// Solves all parts: large ones one after another, each on all threads, then the others side by side. The parts are in the order of
    /// their sizes.
    fn solve(&mut self, config: &SuiteConfig, state: &State, kind: Kind, exec: &Exec) {
        let (bodies, points, slots, part_of) = (&self.bodies, &self.points, &self.slots, &self.part_of);
        let make = |worker: &mut Worker, part: &Part| {
            let bodies = &bodies[part.first_body as usize..][..part.body_count as usize];
            let points = &points[part.first_point as usize..][..part.point_count as usize];
            let slot = |body: u32| (part_of[body as usize] != NONE).then(|| slots[body as usize]);
            worker.state(state, kind, bodies, points, slot);
        };
        let large = self.parts.iter().take_while(|part| part.point_count >= LARGE).count();
        let (large, small) = self.parts.split_at(large);
        let (of_large, of_small) = self.reports.split_at_mut(large.len());
        if let Some(worker) = self.workers.iter_mut().next() {
            for (part, report) in large.iter().zip(of_large) {
                make(worker, part);
                let changes = &mut self.changes[part.first_body as usize..][..part.body_count as usize];
                let impulses = &mut self.impulses[part.first_point as usize..][..part.point_count as usize];
                *report = worker.solve(config, kind, changes, impulses, exec);
            }
        }
        let (Ok(changes), Ok(impulses)) = (
            segments_mut(&mut self.changes, &self.body_ends[large.len()..]),
            segments_mut(&mut self.impulses, &self.point_ends[large.len()..]),
        ) else {
            debug_assert!(false, "parts follow each other");
            return;
        };
        let work = (items(small), changes, impulses, items_mut(of_small));
        exec.for_each_dynamic_with(
            &mut self.workers,
            work,
            |worker, _, (part, changes, impulses, report)| {
                make(worker, part);
                *report = worker.solve(config, kind, changes, impulses, &Exec::serial());
            },
        );
    }

    /// Finds the parts: bodies that move and are joined by active points, and their points. Parts with the most points
    /// come first; those in which nothing is wanted are left out.
    fn split(&mut self, state: &State, moves: impl Fn(&SuiteBody) -> bool) {
        let is_mover = |body: u32| moves(&state.bodies[body as usize]);
        self.roots.clear();
        self.roots.extend(0..state.bodies.len() as u32);
        for (point, _) in state.points.iter().zip(&self.is_taken).filter(|(_, taken)| **taken) {
            if point.bodies.iter().all(|&body| is_mover(body)) {
                let [a, b] = point.bodies.map(|body| root(&mut self.roots, body));
                self.roots[a.max(b) as usize] = a.min(b);
            }
        }
        self.parts.clear();
        self.part_of.clear();
        self.part_of.resize(state.bodies.len(), NONE);
        for body in (0..state.bodies.len() as u32).filter(|&body| is_mover(body)) {
            // The representative has the smallest place of its part, so it was numbered before.
            let first = root(&mut self.roots, body);
            if first == body {
                self.part_of[body as usize] = self.parts.len() as u32;
                self.parts.push(Part::default());
            }
            self.part_of[body as usize] = self.part_of[first as usize];
        }
        for k in (0..state.points.len()).filter(|&k| self.is_taken[k]) {
            if let Some(part) = self.part_of_point(state, k) {
                let part = &mut self.parts[part as usize];
                part.point_count += 1;
                part.is_wanted |= self.is_wanted[k];
            }
        }
        self.sort();
        self.list(state);
    }

    fn part_of_point(&self, state: &State, point: usize) -> Option<u32> {
        let ends = state.points[point].bodies.map(|body| self.part_of[body as usize]);
        ends.into_iter().find(|&part| part != NONE)
    }

    /// Keeps the wanted parts, the largest first.
    fn sort(&mut self) {
        for (number, part) in self.parts.iter_mut().enumerate() {
            part.number = number as u32;
        }
        let count = self.parts.len();
        self.parts.retain(|part| part.is_wanted);
        self.parts.sort_unstable_by_key(|part| (std::cmp::Reverse(part.point_count), part.number));
        self.roots.clear();
        self.roots.resize(count, NONE);
        for (new, part) in self.parts.iter().enumerate() {
            self.roots[part.number as usize] = new as u32;
        }
        for part in self.part_of.iter_mut().filter(|part| **part != NONE) {
            *part = self.roots[*part as usize];
        }
    }

    /// Lists bodies and points by part.
    fn list(&mut self, state: &State) {
        self.slots.clear();
        self.slots.resize(state.bodies.len(), NONE);
        for (slot, &part) in self.slots.iter_mut().zip(&self.part_of).filter(|(_, part)| **part != NONE) {
            let part = &mut self.parts[part as usize];
            *slot = part.body_count;
            part.body_count += 1;
        }
        self.body_ends.clear();
        self.point_ends.clear();
        let (mut body, mut point) = (0, 0);
        for part in &mut self.parts {
            self.body_ends.push(body);
            self.point_ends.push(point);
            (part.first_body, part.first_point) = (body, point);
            body += part.body_count;
            point += part.point_count;
        }
        self.body_ends.push(body);
        self.point_ends.push(point);
        self.bodies.clear();
        self.bodies.resize(body as usize, NONE);
        self.points.clear();
        self.points.resize(point as usize, NONE);
        for (k, (&slot, &part)) in self.slots.iter().zip(&self.part_of).enumerate() {
            if part != NONE {
                self.bodies[(self.parts[part as usize].first_body + slot) as usize] = k as u32;
            }
        }
        self.roots.clear();
        self.roots.extend(self.parts.iter().map(|part| part.first_point));
        for k in (0..state.points.len()).filter(|&k| self.is_taken[k]) {
            if let Some(part) = self.part_of_point(state, k) {
                let next = &mut self.roots[part as usize];
                self.points[*next as usize] = k as u32;
                *next += 1;
            }
        }
    }
}

/// Representative of a body, with the way to it halved.
fn root(roots: &mut [u32], mut i: u32) -> u32 {
    while roots[i as usize] != i {
        roots[i as usize] = roots[roots[i as usize] as usize];
        i = roots[i as usize];
    }
    i
}

impl Worker {
    /// Makes the program of a part.
    fn state(
        &mut self,
        state: &State,
        kind: Kind,
        bodies: &[u32],
        points: &[u32],
        slot: impl Fn(u32) -> Option<u32>,
    ) {
        self.program.clear();
        self.bounds.clear();
        self.program.masses.extend(bodies.iter().map(|&body| state.bodies[body as usize].mass()));
        for &point in points {
            let point = &state.points[point as usize];
            self.program.contacts.push(state.contact(point, &slot));
            // A collision that is slow is not told from rest here: its bounce is as slow.
            let excess = state.excess(point);
            let bounces = kind == Kind::Collision && excess > 0.0;
            let bounce = if bounces { point.restitution * (excess + point.gap_speed) } else { 0.0 };
            self.bounds.push(if bounce > 0.0 { bounce + point.gap_speed } else { 0.0 });
        }
    }

    /// Solves it.
    fn solve(
        &mut self,
        config: &SuiteConfig,
        kind: Kind,
        changes: &mut [[f64; 6]],
        impulses: &mut [[f64; 3]],
        exec: &Exec,
    ) -> ProgramReport {
        let mut report =
            ProgramReport { programs: 1, contacts: self.program.contacts.len() as u64, ..Default::default() };
        let mut iterations = self.solve_at_rest(config, &mut report, changes, impulses, exec);
        // Without bounces (what hits a frozen body without restitution) that was the answer.
        if kind == Kind::Collision && self.bounds.iter().any(|&bound| bound > 0.0) {
            let cone = if config.exact_cone { ConeChoice::Circular } else { ConeChoice::Pyramid };
            let (steps, bounced) = general::solve(&self.program, &self.bounds, cone);
            iterations += steps;
            match bounced {
                Some(bounced) => report.scaled = u32::from(self.blend(&bounced, changes, impulses)),
                None => report.unsolved = 1,
            }
        }
        report.iterations = u64::from(iterations) * report.contacts;
        report
    }

    /// The program without bounces, whose impulses never add energy: by the method for islands, by the general solver with the
    /// pyramid or where that misses the tolerance.
    fn solve_at_rest(
        &mut self,
        config: &SuiteConfig,
        report: &mut ProgramReport,
        changes: &mut [[f64; 6]],
        impulses: &mut [[f64; 3]],
        exec: &Exec,
    ) -> u32 {
        let mut iterations = 0;
        if config.exact_cone {
            let options = InteriorOptions {
                tolerance: f64::from(config.tolerance),
                max_iterations: config.max_iterations,
            };
            let found = self.method.solve_on(&self.program, &options, exec);
            iterations = found.iterations;
            changes.copy_from_slice(self.method.changes());
            impulses.copy_from_slice(self.method.impulses());
            if found.is_converged {
                return iterations;
            }
        }
        let cone = if config.exact_cone { ConeChoice::Circular } else { ConeChoice::Pyramid };
        let none = vec![0.0; self.program.contacts.len()];
        let (steps, answer) = general::solve(&self.program, &none, cone);
        match answer {
            Some(answer) => {
                impulses.copy_from_slice(&answer);
                self.program.changes(&answer, changes);
            }
            None => report.unsolved = 1,
        }
        iterations + steps
    }

    /// Goes from the answer without bounces (in `changes` and `impulses`) towards that with them as far as no energy is
    /// added; true when that is not all the way. Both lie in the cone, so everything between does.
    ///
    /// With the answers `d₀` and `d₁`, energy along `d₀ + t (d₁ − d₀)` is `E₀ + (E₁ − E₀ − C) t + C t²` with
    /// `C = (d₁ − d₀)·M (d₁ − d₀)/2`, and `E₀ ≤ 0`.
    fn blend(&self, bounced: &[[f64; 3]], changes: &mut [[f64; 6]], impulses: &mut [[f64; 3]]) -> bool {
        let program = &self.program;
        let mut other = vec![[0.0; 6]; changes.len()];
        program.changes(bounced, &mut other);
        let [at_rest, moving] = [program.energy(changes, impulses), program.energy(&other, bounced)];
        let apart: Vec<[f64; 6]> =
            other.iter().zip(changes.iter()).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k])).collect();
        let curve = program.square(&apart);
        let share = if moving <= 0.0 || curve <= 0.0 {
            1.0
        } else {
            let slope = moving - at_rest - curve;
            let root = (slope * slope - 4.0 * curve * at_rest.min(0.0)).sqrt();
            ((root - slope) / (2.0 * curve)).clamp(0.0, 1.0)
        };
        for (change, apart) in changes.iter_mut().zip(&apart) {
            change.iter_mut().zip(apart).for_each(|(x, d)| *x += share * d);
        }
        for (impulse, bounced) in impulses.iter_mut().zip(bounced) {
            impulse.iter_mut().zip(bounced).for_each(|(x, b)| *x += share * (b - *x));
        }
        share < 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interior::{IMMOVABLE, ProgramContact};

    /// A cube that falls onto the ground with one corner, at 1 m/s.
    fn falling() -> Worker {
        let mut mass = [[0.0; 6]; 6];
        (0..6).for_each(|axis| mass[axis][axis] = if axis < 3 { 2.0 } else { 0.1 });
        let jacobian =
            [[0.0, 1.0, 0.0, 0.1, 0.0, 0.2], [1.0, 0.0, 0.0, 0.0, 0.1, 0.3], [0.0, 0.0, 1.0, 0.2, 0.1, 0.0]];
        let contact = ProgramContact {
            bodies: [0, IMMOVABLE],
            jacobian: [jacobian, [[0.0; 6]; 3]],
            free: [-1.0, 0.3, 0.0],
            friction: 0.5,
        };
        let program = IslandProgram { masses: vec![mass], contacts: vec![contact] };
        Worker { program, bounds: vec![0.0], ..Worker::default() }
    }

    fn solve(worker: &mut Worker, kind: Kind) -> (ProgramReport, [f64; 6]) {
        let (mut changes, mut impulses) = ([[0.0; 6]], [[0.0; 3]]);
        let report =
            worker.solve(&SuiteConfig::default(), kind, &mut changes, &mut impulses, &Exec::serial());
        (report, changes[0])
    }

    /// Where nothing bounces (S2-24: what hits a frozen body without restitution) the collision program is the static one, and is
    /// not solved again by the general solver, which takes minutes for what takes the method for islands a second (S2-29).
    #[test]
    fn without_bounces_a_collision_is_solved_once() {
        let mut worker = falling();
        let at_rest = solve(&mut worker, Kind::Static);
        assert!(at_rest.0.iterations > 0 && at_rest.0.unsolved == 0, "{:?}", at_rest.0);
        assert_eq!(solve(&mut worker, Kind::Collision), at_rest);
        worker.bounds[0] = 0.25;
        let (report, changes) = solve(&mut worker, Kind::Collision);
        assert!(report.iterations > at_rest.0.iterations);
        // Normal velocity afterwards: free, and what the impulses changed.
        let normal = -1.0 + changes[1] + 0.1 * changes[3] + 0.2 * changes[5];
        assert!((normal - 0.25).abs() < 1e-6, "{normal}");
    }
}
