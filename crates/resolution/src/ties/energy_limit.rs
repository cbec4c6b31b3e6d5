//! Joints give no energy, from step to step: a limit on what bodies that hang together gain.
//!
//! ```text
//! E = Σ ½ m v² + ½ ω·Iω − m a·(x − ½ h v)         used ← max(0, used + E' − E)
//! ```
//! with the mass `m`, the acceleration `a` by global forces, and the sub-step `h`: velocities are those in the middle between two places, so the place that goes with them is half a sub-step
//! back. The method of the sub-steps keeps `E` but for a ripple of second order. What a set gains over the least it ever had may be up to [`RIPPLE`] of the largest kinetic energy that it had
//! of late; what goes beyond that is what the sub-steps cannot follow (a chain that whirls so fast that waves run along it by more than a link per sub-step), and is taken from all velocities
//! alike, which leaves joints as they are. (Springs that displacement stretched give theirs later: what is gained while nothing moves is taken as it does.)
//!
//! (And up to [`NOISE`] of what its bodies weigh along their arms: errors of places are those of rounding, and taking them back lifts bodies.)
//!
//! Methods that move bodies before they change velocities (`impulse`) have the place that goes with a velocity half a step ahead, `h` is negative there.
//!
//! What springs of joints store is part of that energy, and what other drives work is theirs to give ([`super::work`]). Sets are left alone where something else gives energy: forces on single
//! bodies, couplings, bodies that are moved from outside, contacts. Source: none; the idea is that of a budget which losses refill.

use super::sets::{TieSet, TieSets};
use super::work::{Drives, drives};
use super::{Cut, RHYTHMS, TieLayout};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, EdgeIndex, JointConstraint, StepParams};
use drystone_exec::{Exec, chunks_mut};
use drystone_math::{Real, Vector3, widen};

/// Share of its largest kinetic energy of late that a set may gain.
pub(crate) const RIPPLE: f64 = 0.01;
/// Share of the arms of joints by which rounding moves what hangs on them: `f32` has 24 bits.
const NOISE: f64 = 1e-6;
/// Share of the largest kinetic energy of late that is left after a step with less.
const FADE: f64 = 0.999;

/// Times of what a set had at which its kinetic energy is no motion any more.
const ENDLESS: f64 = 1e9;

/// Square of the speed, in units of `g dt`, up to which sets are not judged where bodies moved first: damping of bodies takes a share of what gravity gives in the step, and beside so slow a motion that looks like a gain.
const SLOW: f64 = 10.0;

/// Share of the kinetic energy that rounding may give a set before forces act.
const ROUNDING: f64 = 1e-6;

/// Sets that are looked at by one thread.
pub(super) const SETS_PER_PART: usize = 16;

/// What was taken in a step from sets, and from articulations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Damped {
    /// Bodies that were slowed down.
    pub(crate) bodies: u32,
    /// Energy that was taken, J.
    pub(crate) energy: f64,
    /// One of the bodies of the set that lost most, and what it lost, J.
    pub(crate) worst: Option<(BodyIndex, f64)>,
}

impl Damped {
    /// Takes in what so many bodies lost, of which this is one.
    pub(crate) fn take(&mut self, (body, count): (BodyIndex, u32), energy: f64) {
        self.bodies += count;
        self.energy += energy;
        if self.worst.is_none_or(|(_, most)| energy > most) {
            self.worst = Some((body, energy));
        }
    }

    /// Takes in what was taken elsewhere.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.bodies += other.bodies;
        self.energy += other.energy;
        if let Some((_, energy)) = other.worst
            && self.worst.is_none_or(|(_, most)| energy > most)
        {
            self.worst = other.worst;
        }
    }
}

impl TieSet {
    /// One of its bodies, and how many there are.
    fn named(&self) -> (BodyIndex, u32) {
        (BodyIndex(self.bodies[0]), self.bodies.len() as u32)
    }

    /// Whether the method moves bodies before it changes velocities: the place that goes with a velocity is ahead.
    fn has_moved(&self) -> bool {
        self.h < 0.0
    }
}

/// Kinetic energy of bodies that are as slow as [`SLOW`], J.
fn slow(bodies: &Bodies, set: &[u32], step: &StepParams) -> f64 {
    let of = |body: BodyIndex| {
        let pull = step.global_acceleration_of(bodies, body);
        f64::from(bodies.mass(body)) * f64::from((pull * step.dt).norm_squared())
    };
    SLOW * set.iter().map(|&body| of(BodyIndex(body))).sum::<f64>()
}

/// Scales the velocities of the bodies of a set.
fn scale(bodies: &mut Bodies, set: &[u32], share: Real) {
    let view = bodies.view_mut();
    for &body in set {
        let (hot, remainder) = (&mut view.hot[body as usize], &mut view.turn_remainder[body as usize]);
        hot.linear *= share;
        hot.angular *= share;
        remainder.held *= share;
    }
}

/// Kinetic energy of a body, J, and that with the correction for the place half a sub-step back.
fn energies(bodies: &Bodies, body: BodyIndex, step: &StepParams, h: Real) -> [f64; 2] {
    let kinetic = bodies.kinetic_energy(body);
    let hot = bodies.hot(body);
    let pull = step.global_acceleration_of(bodies, body);
    let back = f64::from(bodies.mass(body)) * f64::from(pull.dot(&hot.linear)) * f64::from(0.5 * h);
    [kinetic, kinetic + back]
}

/// What a body has with the place that goes with its velocity, J, by its place in the world.
fn absolute(bodies: &Bodies, body: BodyIndex, step: &StepParams, h: Real) -> f64 {
    let [_, whole] = energies(bodies, body, step, h);
    let pull = step.global_acceleration_of(bodies, body);
    whole - f64::from(bodies.mass(body)) * widen(&pull).dot(&bodies.center_pose(body).translation.coords)
}

/// Energies of bodies at the start of a step, J: what displacement and turning change of them before [`TieSets::begin_step`] is no motion's.
#[derive(Clone, Debug, Default)]
pub(crate) struct StartEnergies {
    /// NaN where it is not known.
    values: Vec<f64>,
    /// Bodies whose energies are known.
    known: Vec<BodyIndex>,
}

impl StartEnergies {
    /// Notes those of bodies with joints. `h` as in [`TieSets::begin_step`].
    pub(crate) fn note(&mut self, graph: &ContactGraph, bodies: &Bodies, step: &StepParams, h: Real) {
        for body in self.known.drain(..) {
            self.values[body.get()] = f64::NAN;
        }
        if graph.tie_count() == 0 {
            return;
        }
        self.values.resize(bodies.capacity(), f64::NAN);
        for body in graph.ties().iter().flat_map(|tie| tie.bodies) {
            let value = &mut self.values[body.get()];
            if value.is_nan() && bodies.is_awake(body) && bodies.hot(body).is_dynamic() {
                *value = absolute(bodies, body, step, h);
                self.known.push(body);
            }
        }
    }

    /// What a set gained since, J, beyond rounding; nothing where some start is not known.
    fn gained(&self, set: &[u32], bodies: &Bodies, step: &StepParams, (h, kinetic): (Real, f64)) -> f64 {
        let of = |&body: &u32| {
            let before = self.values.get(body as usize).copied().unwrap_or(f64::NAN);
            absolute(bodies, BodyIndex(body), step, h) - before
        };
        let gained: f64 = set.iter().map(of).sum();
        if gained > ROUNDING * kinetic && gained.is_finite() { gained } else { 0.0 }
    }
}

impl TieSets {
    /// Before the sub-steps, or, where bodies moved first (`h` of the cuts is the negative step), after forces acted: notes what sets have, but for those to which something else gives energy. What they gained since the
    /// `start` of the step is taken off, where anything moved or displaced them before this.
    pub(crate) fn begin_step(
        &mut self,
        bodies: &Bodies,
        graph: &ContactGraph,
        step: &StepParams,
        (layout, cuts): (&TieLayout, &[Cut; RHYTHMS]),
        start: Option<&StartEnergies>,
        exec: &Exec,
    ) {
        let look = |set: &mut TieSet| {
            let is_moved =
                |edge: &u32| graph.tie(EdgeIndex(*edge)).is_none_or(|tie| has_foreign_energy(tie, bodies));
            let nothing = (Vector3::zeros(), Vector3::zeros());
            let is_forced = |body: &u32| bodies.force(BodyIndex(*body)) != nothing;
            set.h = set.first_block().map_or(0.0, |block| layout.cut_of(block, cuts).h);
            let is_left_alone = set.edges.iter().any(is_moved) || set.bodies.iter().any(is_forced);
            let last = set.edges.first().and_then(|&edge| graph.tie(EdgeIndex(edge)));
            let h = last.map(|tie| tie.memory.sub_step).filter(|&last| last > 0.0).unwrap_or(set.h);
            set.energy = (!is_left_alone).then(|| {
                let of = |&body: &u32| energies(bodies, BodyIndex(body), step, h);
                let [kinetic, whole] =
                    set.bodies.iter().map(of).fold([0.0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]]);
                // Where bodies moved first, springs are those of before the forces, which have acted.
                let gained = |body: BodyIndex| {
                    let takes = set.has_moved() && bodies.hot(body).is_dynamic();
                    let pull = || step.global_acceleration_of(bodies, body);
                    if takes { pull() * step.dt } else { Vector3::zeros() }
                };
                let stored = of_drives(&set.edges, bodies, graph, h.abs(), gained).stored_with(kinetic);
                let gained = start.map_or(0.0, |start| start.gained(&set.bodies, bodies, step, (h, kinetic)));
                whole + stored - gained
            });
        };
        exec.for_each_static(chunks_mut(&mut self.list, SETS_PER_PART), |_, sets| {
            sets.iter_mut().filter(|set| set.is_active()).for_each(look);
        });
    }

    /// At the end of the step: takes from sets what they gained beyond the limit.
    pub(crate) fn limit_energy(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        step: &StepParams,
    ) -> Damped {
        let mut damped = Damped::default();
        for set in self.list.iter().filter(|set| set.is_active()) {
            let Some(before) = set.energy else { continue };
            if set.has_contacts && set.bodies.iter().any(|&body| is_touched(graph, BodyIndex(body))) {
                continue;
            }
            let (mut kinetic, mut after) = (0.0, 0.0);
            let has_moved = set.has_moved();
            for body in set.bodies.iter().map(|&body| BodyIndex(body)) {
                let [own, whole] = energies(bodies, body, step, set.h);
                let pull = step.global_acceleration_of(bodies, body);
                let fall = if has_moved { 0.0 } else { f64::from(pull.dot(bodies.last_move(body))) };
                kinetic += own;
                after += whole - f64::from(bodies.mass(body)) * fall;
            }
            if has_moved && kinetic < slow(bodies, &set.bodies, step) {
                continue;
            }
            let drives = of_drives(&set.edges, bodies, graph, set.h, |_| Vector3::zeros());
            let gain = after + drives.stored_with(kinetic) - before - drives.worked;
            let noise = NOISE * weight_on_arms(bodies, graph, step, &set.edges);
            let place = set.edges.first().and_then(|&edge| graph.tie_place(EdgeIndex(edge)));
            let Some(tie) = place.and_then(|place| graph.ties_mut().get_mut(place as usize)) else {
                continue;
            };
            let [used, largest, owed] = &mut tie.memory.energy;
            let late = f64::from(*largest) * FADE;
            // Beside what is too much by orders of magnitude rounding leaves nothing to reckon with: all of it is taken.
            let had = before.abs() + (after - kinetic).abs() + late + noise;
            if gain > 0.0 && kinetic > ENDLESS * had && kinetic.is_finite() {
                let left = (before + drives.worked).clamp(0.0, kinetic);
                *largest = left.max(late) as Real;
                scale(bodies, &set.bodies, (left / kinetic).sqrt() as Real);
                damped.take(set.named(), kinetic - left);
                continue;
            }
            let most = (kinetic - gain.max(0.0)).max(late);
            if !(gain.is_finite() && most.is_finite()) {
                continue;
            }
            let wanted = (f64::from(*used) + gain).max(0.0);
            let beyond = wanted - RIPPLE * most;
            let due = (beyond - noise).min(gain.max(0.0) + f64::from(*owed));
            let taken = if beyond > 0.0 { due.min(kinetic) } else { beyond };
            // What is owed beyond what springs store has nothing to come back from.
            *owed = (due - taken).max(0.0).min(drives.stored) as Real;
            *largest = most as Real;
            if taken <= 0.0 {
                *used = wanted as Real;
                continue;
            }
            *used = (wanted - taken) as Real;
            scale(bodies, &set.bodies, ((kinetic - taken) / kinetic).sqrt() as Real);
            damped.take(set.named(), taken);
        }
        damped
    }
}

/// Weight of the bodies of joints times the lengths of their arms, J.
fn weight_on_arms(bodies: &Bodies, graph: &ContactGraph, step: &StepParams, edges: &[u32]) -> f64 {
    let ties = edges.iter().filter_map(|&edge| graph.tie(EdgeIndex(edge)));
    let ends = ties.flat_map(|tie| tie.bodies.iter().zip(&tie.anchors));
    let pushed = ends.filter(|(body, _)| bodies.hot(**body).inverse_mass > 0.0);
    pushed
        .map(|(&body, arm)| {
            let pull = step.global_acceleration_of(bodies, body);
            f64::from(bodies.mass(body)) * f64::from(pull.norm()) * f64::from(arm.norm())
        })
        .sum()
}

/// The drives of joints, all together.
fn of_drives(
    edges: &[u32],
    bodies: &Bodies,
    graph: &ContactGraph,
    h: Real,
    gained: impl Fn(BodyIndex) -> Vector3 + Copy,
) -> Drives {
    let ties = edges.iter().filter_map(|&edge| graph.tie(EdgeIndex(edge)));
    ties.map(|tie| drives(tie, bodies, h, gained)).fold(Drives::default(), |sum, own| Drives {
        stored: sum.stored + own.stored,
        before: sum.before + own.before,
        worked: sum.worked + own.worked,
    })
}

/// True where a joint can bring energy from elsewhere: a coupling, and what a kinematic body moves.
pub(crate) fn has_foreign_energy(tie: &JointConstraint, bodies: &Bodies) -> bool {
    tie.coupled != 0
        || tie.coupling.is_some()
        || tie.bodies.iter().any(|&body| bodies.hot(body).is_kinematic())
}

/// True where the body has a contact in this step.
pub(super) fn has_points(graph: &ContactGraph, body: BodyIndex) -> bool {
    graph.edges_of(body).any(|edge| !graph.edge(edge).manifold.points().is_empty())
}

/// True where a contact of the body gave something in this step.
fn is_touched(graph: &ContactGraph, body: BodyIndex) -> bool {
    graph.edges_of(body).any(|edge| {
        let manifold = &graph.edge(edge).manifold;
        manifold.points().iter().any(|point| point.impulse != Vector3::zeros())
    })
}
