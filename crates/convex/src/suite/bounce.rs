//! Step 1: the fastest collisions one by one (S2-14), within a budget (S2-15), unfreezing what they hit (S2-20).

use super::SuiteConfig;
use super::freeze::StillEnergy;
use super::state::{State, SuitePoint};
use nalgebra::{Matrix3, Vector3};

/// What step 1 did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BounceReport {
    pub(super) bounces: u32,
    /// Bounces scaled back because they would have added energy.
    pub(super) scaled: u32,
    pub(super) unfrozen: u32,
}

/// Memory of step 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Bouncer {
    /// Points of each body: `links[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    links: Vec<u32>,
    /// A binary heap of points by closing speed, as a tournament: the winner of each pair, leaves last.
    winners: Vec<u32>,
    excess: Vec<f64>,
    leaves: usize,
}

impl Bouncer {
    /// Resolves up to `budget` collisions that close faster than `threshold` (m/s), the fastest first.
    pub(super) fn run(
        &mut self,
        config: &SuiteConfig,
        state: &mut State,
        still: &StillEnergy,
        budget: u32,
        threshold: f64,
    ) -> BounceReport {
        let mut report = BounceReport::default();
        if budget == 0 || state.points.is_empty() {
            return report;
        }
        self.link(state);
        self.rank_all(state);
        while report.bounces < budget {
            let point = self.winners[1] as usize;
            if self.excess[point] <= threshold {
                break;
            }
            let (impulse, is_scaled) = impulse(config, state, &state.points[point]);
            report.bounces += 1;
            report.scaled += u32::from(is_scaled);
            state.push(point, &impulse);
            for body in state.points[point].bodies {
                let struck = &mut state.bodies[body as usize];
                if struck.is_frozen && still.is_exceeded(struck) {
                    struck.is_frozen = false;
                    report.unfrozen += 1;
                }
                self.rank_of(state, body);
            }
        }
        report
    }

    /// Finds the points of each body.
    fn link(&mut self, state: &State) {
        self.starts.clear();
        self.starts.resize(state.bodies.len() + 1, 0);
        for point in &state.points {
            point.bodies.iter().for_each(|&body| self.starts[body as usize + 1] += 1);
        }
        for i in 0..state.bodies.len() {
            self.starts[i + 1] += self.starts[i];
        }
        self.links.clear();
        self.links.resize(2 * state.points.len(), 0);
        for (k, point) in state.points.iter().enumerate() {
            for &body in &point.bodies {
                let place = &mut self.starts[body as usize];
                self.links[*place as usize] = k as u32;
                *place += 1;
            }
        }
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    fn rank_all(&mut self, state: &State) {
        let count = state.points.len();
        self.leaves = count.next_power_of_two();
        self.excess.clear();
        self.excess.extend(state.points.iter().map(|point| active_excess(state, point)));
        // Room that no point has is never a winner.
        self.excess.resize(self.leaves, f64::NEG_INFINITY);
        self.winners.clear();
        self.winners.resize(2 * self.leaves, 0);
        (0..self.leaves).for_each(|k| self.winners[self.leaves + k] = k as u32);
        (1..self.leaves).rev().for_each(|node| self.play(node));
    }

    /// Renews the points of a body that moves; what stands still changes none.
    fn rank_of(&mut self, state: &State, body: u32) {
        if !state.bodies[body as usize].is_dynamic {
            return;
        }
        for k in self.starts[body as usize]..self.starts[body as usize + 1] {
            let point = self.links[k as usize] as usize;
            self.excess[point] = active_excess(state, &state.points[point]);
            let mut node = (self.leaves + point) / 2;
            while node > 0 {
                self.play(node);
                node /= 2;
            }
        }
    }

    /// The faster one of two wins; of equals the one with the smaller index.
    fn play(&mut self, node: usize) {
        let [left, right] = [self.winners[2 * node], self.winners[2 * node + 1]];
        let is_right = self.excess[right as usize] > self.excess[left as usize];
        self.winners[node] = if is_right { right } else { left };
    }
}

/// Closing speed of an active point; nothing for others.
fn active_excess(state: &State, point: &SuitePoint) -> f64 {
    if state.is_active(point) { state.excess(point) } else { f64::NEG_INFINITY }
}

/// The impulse on B of a single bounce, N·s in the point's frame, and whether it was scaled back.
///
/// ```text
/// variant a (S2-06)   j_n = (1 + e) c / K_nn     j_t = −mu j_n v_t/|v_t|
/// variant b (S2-07)   j = j_n J    J = n − mu v_t/|v_t|    j_n = (1 + e) c / (K J)_n
/// ```
/// Departures: friction stops the slip at most (S2 lets it reverse); with `energy_safe` an impulse that would add energy,
/// `j·v + j·K j/2 > 0`, is scaled to add none (S2-31, S2-32).
fn impulse(config: &SuiteConfig, state: &State, point: &SuitePoint) -> (Vector3<f64>, bool) {
    let k = collision_matrix(state, point);
    let v = state.velocity(point);
    let change = (1.0 + point.restitution) * -v.x;
    let slip = v.yz().norm();
    let against = if slip > 0.0 { Vector3::new(0.0, -v.y / slip, -v.z / slip) } else { Vector3::zeros() };
    let direction = Vector3::x() + against * point.friction;
    let along = if config.joint_friction { (k * direction).x } else { k[(0, 0)] };
    // A jam: friction takes more closing speed than the normal impulse gives. The normal impulse alone never does.
    let (along, direction) = if along > 0.0 { (along, direction) } else { (k[(0, 0)], Vector3::x()) };
    if along <= 0.0 {
        return (Vector3::zeros(), false);
    }
    let normal = change / along;
    let stops = against.dot(&(k * against));
    let most = if stops > 0.0 { slip / stops } else { 0.0 };
    let tangential = (normal * direction.yz().norm()).min(most);
    let j = Vector3::x() * normal + against * tangential;
    let (work, square) = (j.dot(&v), j.dot(&(k * j)));
    if config.energy_safe && work + 0.5 * square > 0.0 {
        let share = (-2.0 * work / square).clamp(0.0, 1.0);
        return (j * share, true);
    }
    (j, false)
}

/// `K`: velocity of B relative to A per impulse on B, 1/kg, in the point's frame.
fn collision_matrix(state: &State, point: &SuitePoint) -> Matrix3<f64> {
    let mut world = Matrix3::zeros();
    for (&body, arm) in point.bodies.iter().zip(&point.arms) {
        let body = &state.bodies[body as usize];
        if body.is_dynamic {
            let cross = arm.cross_matrix();
            world += Matrix3::from_diagonal(&body.inverse_mass) - cross * body.inverse_inertia * cross;
        }
    }
    point.frame * world * point.frame.transpose()
}
