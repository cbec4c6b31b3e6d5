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
    /// Points at which no impulse does anything: they are done for this phase.
    is_done: Vec<bool>,
}

impl Bouncer {
    /// Resolves up to `budget` collisions that close faster than `threshold` (m/s), the fastest first. One that no impulse changes (locked
    /// axes, or energy that would be added) is left as it is, and takes nothing of the budget.
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
            if impulse == Vector3::zeros() {
                self.is_done[point] = true;
                self.rank(state, point);
                continue;
            }
            report.bounces += 1;
            report.scaled += u32::from(is_scaled);
            state.push(point, &impulse);
            for body in state.points[point].bodies {
                let struck = &mut state.bodies[body as usize];
                if struck.is_frozen && still.is_struck(struck) {
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
        self.is_done.clear();
        self.is_done.resize(count, false);
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
            self.rank(state, self.links[k as usize] as usize);
        }
    }

    /// Renews one point.
    fn rank(&mut self, state: &State, point: usize) {
        let excess = active_excess(state, &state.points[point]);
        self.excess[point] = if self.is_done[point] { f64::NEG_INFINITY } else { excess };
        let mut node = (self.leaves + point) / 2;
        while node > 0 {
            self.play(node);
            node /= 2;
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
/// Departures: friction stops the slip at most (S2 lets it reverse), and in variant b `j_n` is that which this friction leaves,
/// `((1 + e) c − j_t K_nt) / K_nn`, so that the bounce is as high as it should be; with `energy_safe` an impulse that would add energy,
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
    let stops = against.dot(&(k * against));
    let most = if stops > 0.0 { slip / stops } else { 0.0 };
    let (mut normal, mut tangential) = (change / along, change / along * direction.yz().norm());
    if tangential > most {
        tangential = most;
        if config.joint_friction {
            // Still inside the cone: `mu` times this one is `most` and a part of what was too much.
            normal = (change - most * (k * against).x) / k[(0, 0)];
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::state::SuiteBody;
    use drystone_contact::{BodyIndex, EdgeIndex};

    /// A body that strikes what cannot move, at 1 m/s and sliding at 0.1 m/s with a friction of 1, with a collision matrix of ones and this beside the diagonal.
    fn sliding(coupling: f64) -> State {
        // 1/m + i r² = 1 along both axes, and i r_x r_y across.
        let body = SuiteBody {
            index: BodyIndex(1),
            linear: Vector3::new(-1.0, 0.1, 0.0),
            angular: Vector3::zeros(),
            inverse_mass: Vector3::repeat(1.0 - coupling.abs()),
            unlocked_inverse_mass: 1.0 - coupling.abs(),
            inverse_inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, coupling.abs())),
            fall_speed: 0.0,
            pull: Vector3::zeros(),
            is_dynamic: true,
            is_frozen: false,
            is_driven: false,
        };
        let fixed = SuiteBody { is_dynamic: false, linear: Vector3::zeros(), ..body };
        let point = SuitePoint {
            bodies: [0, 1],
            edge: EdgeIndex(0),
            place: 0,
            frame: Matrix3::identity(),
            arms: [Vector3::zeros(), Vector3::new(1.0, -coupling.signum(), 0.0)],
            gap_speed: 0.0,
            restitution: 0.0,
            friction: 1.0,
            impulse: Vector3::zeros(),
            is_closed: true,
        };
        let mut state = State::default();
        (state.bodies, state.points) = (vec![fixed, body], vec![point]);
        state
    }

    /// S2-07: the bounce is as high as restitution says also where friction stops the slip before it is used up, inside the cone.
    #[test]
    fn joint_friction_that_stops_the_slip_leaves_the_bounce_as_it_is() {
        for coupling in [-0.9, -0.5, 0.5, 0.9] {
            for energy_safe in [false, true] {
                let mut state = sliding(coupling);
                let k = collision_matrix(&state, &state.points[0]);
                assert!((k[(0, 1)] - coupling).abs() < 1e-12 && (k[(0, 0)] - 1.0).abs() < 1e-12, "{k}");
                let config = SuiteConfig { joint_friction: true, energy_safe, ..SuiteConfig::default() };
                let (j, is_scaled) = impulse(&config, &state, &state.points[0]);
                state.push(0, &j);
                let left = state.velocity(&state.points[0]).x;
                assert!(!is_scaled && left.abs() < 1e-12, "{coupling}: {left} m/s after the bounce");
                assert!(j.yz().norm() <= j.x, "{coupling}: {j} is outside of the cone");
            }
        }
    }
}
