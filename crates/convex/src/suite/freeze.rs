//! Step 4: what has been still for long enough, and touches what is fixed or frozen, freezes (S2-17..25).
//!
//! Frozen is asleep ([`Bodies::put_to_sleep`]): no forces, no motion, and its contacts with what is frozen or fixed are not even
//! looked at. Beyond S2 the rules of sleep and waking of the engine hold: only what is carried freezes, nothing freezes that the user pushes or a kinematic
//! body drives, and what loses its support unfreezes (S1-41). So nothing is left hanging.

use super::SuiteConfig;
use super::state::{State, SuiteBody};
use drystone_contact::{Bodies, BodyIndex, SUPPORT_COSINE, StepParams};

/// The energy below which a body is still (eq. 15): `p_g²/2m` with `p_g = m g dt`, that of a body which falls for one
/// step (S2-17).
#[derive(Clone, Copy, Debug)]
pub(super) struct StillEnergy {
    share: f64,
}

impl StillEnergy {
    pub(super) fn new(config: &SuiteConfig) -> Self {
        Self { share: f64::from(config.freeze_threshold) }
    }

    /// True when a frozen body has so much that it was struck: what has none was not, also where no global force acts.
    pub(super) fn is_struck(&self, body: &SuiteBody) -> bool {
        body.is_moving() && self.is_exceeded(body)
    }

    /// True when a body has more. Where no global force acts, everything has.
    pub(super) fn is_exceeded(&self, body: &SuiteBody) -> bool {
        let speed = self.share * body.fall_speed;
        2.0 * body.kinetic_energy() * body.unlocked_inverse_mass >= speed * speed
    }
}

/// The counters (S2-18), by body index, and whose they are: slots are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Freezer {
    counters: Vec<u32>,
    generations: Vec<u32>,
    is_held: Vec<bool>,
}

drystone_math::carried!(Freezer { part: [counters, generations], scratch: [is_held] });

impl Freezer {
    /// Counts, and puts to sleep what has been still for more than `freeze_count` steps; returns how many.
    pub(super) fn run(
        &mut self,
        config: &SuiteConfig,
        state: &State,
        bodies: &mut Bodies,
        still: &StillEnergy,
        step: &StepParams,
    ) -> u32 {
        self.counters.resize(bodies.capacity(), 0);
        self.generations.resize(bodies.capacity(), 0);
        self.find_held(state);
        let mut frozen = 0;
        for i in 1..bodies.capacity() {
            let index = BodyIndex(i as u32);
            let counter = &mut self.counters[i];
            let generation = bodies.handle(index).map_or(0, |handle| handle.generation);
            if std::mem::replace(&mut self.generations[i], generation) != generation {
                *counter = 0;
            }
            let place = state.find(index).filter(|_| bodies.is_awake(index));
            let is_still = place.is_some_and(|place| {
                let body = &state.bodies[place];
                let is_left_alone = !body.is_driven && bodies.force(index) == Default::default();
                body.is_dynamic && is_left_alone && self.is_held[place] && !still.is_exceeded(body)
            });
            *counter = if is_still { *counter + 1 } else { 0 };
            if *counter > config.freeze_count
                && bodies.hot(index).can_sleep()
                && is_cold(config, bodies, index, step)
            {
                *counter = 0;
                bodies.put_to_sleep(index);
                bodies.view_mut().motion[i] = 0.0;
                frozen += 1;
            }
        }
        frozen
    }

    /// Finds what is held: it touches what is frozen or at rest for good, and leans on it, where global forces can move it at all.
    fn find_held(&mut self, state: &State) {
        self.is_held.clear();
        self.is_held.resize(state.bodies.len(), false);
        for point in state.points.iter().filter(|point| point.is_closed || point.impulse.x > 0.0) {
            let normal = point.frame.row(0).transpose();
            for (side, outward) in [normal, -normal].into_iter().enumerate() {
                let [body, other] = [side, 1 - side].map(|end| &state.bodies[point.bodies[end] as usize]);
                let holds = other.is_frozen || !(other.is_dynamic || other.is_moving());
                let pull = body.pull.norm();
                let is_carried = pull == 0.0 || outward.dot(&body.pull) > f64::from(SUPPORT_COSINE) * pull;
                self.is_held[point.bodies[side] as usize] |= holds && is_carried;
            }
        }
    }
}

/// True where a body may freeze (S2-22).
fn is_cold(config: &SuiteConfig, bodies: &Bodies, index: BodyIndex, step: &StepParams) -> bool {
    let place = bodies.center_pose(index).translation;
    if let Some(height) = config.freeze_below {
        let pull = step.global_acceleration_of(bodies, index);
        let up = -drystone_math::widen(&pull);
        let along = up.dot(&place.coords);
        let size = up.norm();
        if size == 0.0 || along > f64::from(height) * size {
            return false;
        }
    }
    let is_inside = |volume: &drystone_math::Aabb| {
        (0..3).all(|axis| place[axis] >= volume.min[axis] && place[axis] <= volume.max[axis])
    };
    config.cold_volumes.is_empty() || config.cold_volumes.iter().any(is_inside)
}
