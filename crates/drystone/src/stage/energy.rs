//! Energy that grows from nothing is told ([`EnergyGrowth`]).
//!
//! ```text
//! E = Σ K − m a·(x + s v)         gain = E' − E         told where gain > SHARE max(K, K') + Σ m (g dt)² + ½ h m |a·(v' − v)|
//! ```
//! with the kinetic energy `K`, the mass `m`, the place `x`, the velocity `v` and the acceleration `a` by global forces of every body of an island. Velocities of a step are those in
//! the middle between two places: `s` is half a step forward with methods that move bodies first, and half a sub-step back with sub-steps. What falls freely then keeps `E` exactly.
//! An impulse acts at an end of a step of length `h` (a sub-step of those that have them, the longest one), with gravity before or after it: that is the last term.
//!
//! What is credited is the work of global forces along the ways on which velocities lead. Ways of penetration correction, of `Solver::correct_joints` and back to where continuous
//! detection stops a body are not counted: they are stages of their own, and change no velocity. Islands on which something else does work are left out: see [`EnergyGrowth`].
//!
//! Cost: two looks at every body of the islands that are judged; with methods that move bodies first one of them is at all that is awake, since islands are not known by then.

use crate::report::EnergyGrowth;
use crate::world::World;
use crate::{EnergyCheck, SolverChoice};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, IslandIndex, NO_ISLAND, StepParams};
use drystone_math::{BitSet, Displacement, Vector3, widen};

/// Share of the kinetic energy of an island that it may gain in a step: what its method makes of the second order of the step (a pendulum of 2 s at 60 steps per second: a thousandth).
pub(crate) const SHARE: f64 = 0.01;
/// Not in the list of islands.
const NOWHERE: u32 = u32::MAX;

/// Times that the accounts depend on, s.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// From where a body is to where it has its velocity.
    shift: f64,
    /// Longest step in which velocities change once.
    h: f64,
    /// Way along the velocity with which the step begins; 0 with sub-steps.
    first: f64,
}

/// What a body had before the step.
#[derive(Clone, Copy, Debug)]
struct Before {
    /// Kinetic energy, and the same with what the place counts, J; not a number where the body is not judged.
    kinetic: f64,
    energy: f64,
    /// Power of global forces, W.
    power: f64,
}

impl Before {
    const NOTHING: Self = Self { kinetic: 0.0, energy: 0.0, power: 0.0 };
}

/// What is noted of a step for its judgement; nothing of it is carried to the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnergyNotes {
    /// By body, of those that are noted.
    before: Vec<Before>,
    noted: BitSet,
    /// The islands to judge, with whether something else does work on them; and where an island is in the list.
    islands: Vec<(IslandIndex, bool)>,
    slots: Vec<u32>,
}

/// Energies of an island, J, and its mass, kg.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    gain: f64,
    kinetic: [f64; 2],
    mass: f64,
    /// Change of the power of global forces, W, of all bodies alike.
    change: f64,
    bodies: u32,
    /// The body whose kinetic energy grew most, and by how much.
    worst: Option<(BodyIndex, f64)>,
}

/// Mass of a body times its acceleration by global forces, N.
fn pull(bodies: &Bodies, body: BodyIndex, step: &StepParams) -> Displacement {
    let acceleration = step.global_acceleration_of(bodies, body);
    widen(&acceleration) * f64::from(bodies.mass(body))
}

/// Kinetic energy of a body, J, and the power of global forces on it, W.
fn energies(bodies: &Bodies, body: BodyIndex, pull: &Displacement) -> [f64; 2] {
    [bodies.kinetic_energy(body), pull.dot(&widen(&bodies.hot(body).linear))]
}

/// True where what the bodies have says what they can gain: no force of its own, and no joint whose energy is kept elsewhere.
fn is_judged(bodies: &Bodies, body: BodyIndex) -> bool {
    !bodies.hot(body).is_link() && bodies.force(body) == (Vector3::zeros(), Vector3::zeros())
}

impl EnergyNotes {
    fn begin(&mut self, bodies: &Bodies) {
        self.before.resize(bodies.capacity(), Before::NOTHING);
        self.noted.clear();
        self.noted.resize(bodies.capacity() as u32);
    }

    /// Notes what a body has, and credits what global forces will give it where the step begins with a way along its velocity.
    fn note(&mut self, bodies: &Bodies, body: BodyIndex, step: &StepParams, times: &Times) {
        if !bodies.hot(body).is_dynamic() {
            return;
        }
        let [kinetic, power] = energies(bodies, body, &pull(bodies, body, step));
        let energy = kinetic + (times.first - times.shift) * power;
        let energy = if is_judged(bodies, body) { energy } else { f64::NAN };
        self.before[body.get()] = Before { kinetic, energy, power };
        self.noted.insert(body.0);
    }

    /// Lists an island; what does work on it leaves it out.
    fn list(&mut self, island: IslandIndex, is_left_out: bool) {
        if island == NO_ISLAND {
            return;
        }
        let place = island.0 as usize;
        if place >= self.slots.len() {
            self.slots.resize(place + 1, NOWHERE);
        }
        if self.slots[place] == NOWHERE {
            self.slots[place] = self.islands.len() as u32;
            self.islands.push((island, false));
        }
        self.islands[self.slots[place] as usize].1 |= is_left_out;
    }

    /// Leaves out an island where it is listed.
    fn leave_out(&mut self, island: IslandIndex) {
        if let Some(&slot) = self.slots.get(island.0 as usize).filter(|slot| **slot != NOWHERE) {
            self.islands[slot as usize].1 = true;
        }
    }

    fn forget_islands(&mut self) {
        for (island, _) in self.islands.drain(..) {
            self.slots[island.0 as usize] = NOWHERE;
        }
    }

    /// What an island has after the step, against before.
    fn sum(
        &self,
        island: IslandIndex,
        bodies: &Bodies,
        graph: &ContactGraph,
        step: &StepParams,
        times: &Times,
    ) -> Sum {
        let mut sum = Sum::default();
        for body in graph.bodies_of(island).filter(|&body| bodies.hot(body).is_dynamic()) {
            let pull = pull(bodies, body, step);
            let [kinetic, power] = energies(bodies, body, &pull);
            let before = if self.noted.contains(body.0) {
                self.before[body.get()]
            } else {
                // It slept, and was woken in the step.
                let energy = if is_judged(bodies, body) { 0.0 } else { f64::NAN };
                Before { energy, ..Before::NOTHING }
            };
            let way = if times.first > 0.0 { 0.0 } else { pull.dot(&widen(bodies.last_move(body))) };
            sum.gain += kinetic - times.shift * power - before.energy - way;
            sum.change += (power - before.power).abs();
            sum.kinetic[0] += before.kinetic;
            sum.kinetic[1] += kinetic;
            sum.mass += f64::from(bodies.mass(body));
            sum.bodies += 1;
            let own = kinetic - before.kinetic;
            if sum.worst.is_none_or(|(_, most)| own > most) {
                sum.worst = Some((body, own));
            }
        }
        sum
    }
}

impl World {
    /// True where steps are judged.
    fn checks_energy(&self) -> bool {
        match self.config.energy_check {
            EnergyCheck::Off => false,
            EnergyCheck::Joints => self.joints.count() > 0,
            EnergyCheck::All => true,
        }
    }

    fn times(&self, step: &StepParams) -> Times {
        let dt = f64::from(step.dt);
        if self.solver.integrates_before_detection() {
            return Times { shift: 0.5 * dt, h: dt, first: dt };
        }
        match &self.config.solver {
            SolverChoice::SubStep { config } => Times {
                shift: -0.5 * dt / f64::from(config.sub_steps),
                h: dt / f64::from(config.fewest_sub_steps()),
                first: 0.0,
            },
            _ => Times { shift: 0.0, h: dt, first: 0.0 },
        }
    }

    /// Before a method moves anything: notes what bodies have.
    pub(super) fn note_energies(&mut self, step: &StepParams) {
        if !self.checks_energy() {
            return;
        }
        let times = self.times(step);
        let mut notes = std::mem::take(&mut self.energy_notes);
        notes.begin(&self.bodies);
        if self.solver.integrates_before_detection() || self.config.energy_check == EnergyCheck::All {
            for body in self.bodies.view().awake.iter() {
                notes.note(&self.bodies, BodyIndex(body), step, &times);
            }
        } else {
            self.list_islands(&mut notes);
            for k in 0..notes.islands.len() {
                for body in self.graph.bodies_of(notes.islands[k].0) {
                    notes.note(&self.bodies, body, step, &times);
                }
            }
            notes.forget_islands();
        }
        self.energy_notes = notes;
    }

    /// Once bodies have their new velocities and places: names what grew.
    pub(super) fn judge_energies(&mut self, step: &StepParams) {
        if !self.checks_energy() {
            return;
        }
        let times = self.times(step);
        let mut notes = std::mem::take(&mut self.energy_notes);
        self.list_islands(&mut notes);
        let floor = f64::from(step.speed_unit()).powi(2);
        let mut worst: Option<(BodyIndex, Sum)> = None;
        let mut count = 0;
        for &(island, _) in notes.islands.iter().filter(|(_, is_left_out)| !is_left_out) {
            let sum = notes.sum(island, &self.bodies, &self.graph, step, &times);
            let tolerance =
                SHARE * sum.kinetic[0].max(sum.kinetic[1]) + sum.mass * floor + 0.5 * times.h * sum.change;
            // Not so where something is no number.
            if let Some((body, _)) = sum.worst
                && sum.gain > tolerance
                && sum.gain.is_finite()
            {
                count += 1;
                if worst.is_none_or(|(_, most)| sum.gain > most.gain) {
                    worst = Some((body, sum));
                }
            }
        }
        notes.forget_islands();
        self.energy_notes = notes;
        self.report.energy_growth = worst.and_then(|(body, sum)| {
            let body = self.bodies.handle(body)?;
            Some(EnergyGrowth { body, bodies: sum.bodies, joules: sum.gain, islands: count })
        });
    }

    /// Lists the islands to judge, and leaves out those on which something else does work.
    fn list_islands(&self, notes: &mut EnergyNotes) {
        let (bodies, graph) = (&self.bodies, &self.graph);
        if self.config.energy_check == EnergyCheck::All {
            for body in bodies.view().awake.iter().map(BodyIndex) {
                notes.list(graph.island_of(body), false);
            }
        }
        for (_, joint) in self.joints.iter() {
            let Some(tie) = graph.tie(joint.edge()) else { continue };
            if tie.bodies.iter().any(|&body| bodies.is_awake(body)) {
                for body in tie.bodies {
                    notes.list(graph.island_of(body), tie.is_driven());
                }
            }
        }
        if bodies.kinematic_count() > 0 {
            let kinematic = |body: &BodyIndex| bodies.hot(*body).is_kinematic();
            for body in bodies.view().awake.iter().map(BodyIndex).filter(kinematic) {
                for (_, other) in graph.linked_neighbours(body) {
                    notes.leave_out(graph.island_of(other));
                }
            }
        }
        for &belt in self.colliders.belts() {
            let body = self.colliders.get(belt).body;
            notes.leave_out(graph.island_of(body));
            for (_, other) in graph.linked_neighbours(body) {
                notes.leave_out(graph.island_of(other));
            }
        }
    }
}
