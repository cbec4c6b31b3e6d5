//! When bodies were solved last.

use drystone_contact::{BodyIndex, StepParams};
use drystone_math::{BitSet, Real};

/// The last step in which each body was awake. Impulses of contacts and joints among sleepers are of that step, which may have been longer
/// or shorter than the last one.
///
/// All that are awake share one step. Only a body that leaves them gets one of its own, so that a step costs who fell asleep in it and not
/// who is awake.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solved {
    /// The last step.
    latest: SolvedIn,
    /// Who was awake in it.
    awake: BitSet,
    /// The last step in which each of the others was, by index.
    earlier: Vec<SolvedIn>,
}

drystone_math::carried!(Solved { part: [awake, earlier], value: [latest] });

#[derive(Clone, Copy, Debug, Default)]
struct SolvedIn {
    /// Number of the step, from 1; 0 for none.
    step: u64,
    /// Its length, s.
    dt: Real,
}

impl Solved {
    /// These bodies were awake in this step. O(length of the set / 64 + bodies that woke or fell asleep since the step before).
    pub(crate) fn note(&mut self, awake: &BitSet, step: &StepParams) {
        if self.earlier.len() < awake.len() as usize {
            self.earlier.resize(awake.len() as usize, SolvedIn::default());
        }
        for body in self.awake.iter_difference(awake).filter(|&body| self.awake.contains(body)) {
            self.earlier[body as usize] = self.latest;
        }
        self.awake.copy_from(awake);
        self.latest = SolvedIn { step: step.index + 1, dt: step.dt };
    }

    /// So was a body that sleeps by now. Its index is below the capacity of the set that was noted.
    pub(crate) fn note_too(&mut self, body: BodyIndex) {
        self.awake.insert(body.0);
    }

    /// Length of the step in which what is between two bodies was solved last, s; `otherwise` where it never was.
    pub(crate) fn length(&self, ends: [BodyIndex; 2], otherwise: Real) -> Real {
        let last = ends.map(|body| self.last(body));
        let SolvedIn { step, dt } = if last[0].step > last[1].step { last[0] } else { last[1] };
        if step > 0 { dt } else { otherwise }
    }

    fn last(&self, body: BodyIndex) -> SolvedIn {
        if self.awake.contains(body.0) {
            return self.latest;
        }
        self.earlier.get(body.get()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::{Carried, Vector3};
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn step(index: u64, dt: Real) -> StepParams {
        StepParams {
            dt,
            acceleration: Vector3::zeros(),
            force: Vector3::zeros(),
            reference_acceleration: 9.81,
            index,
            may_sleep: false,
        }
    }

    fn set(capacity: usize, bodies: &[BodyIndex]) -> BitSet {
        let mut set = BitSet::new();
        set.resize(capacity as u32);
        bodies.iter().for_each(|body| set.insert(body.0));
        set
    }

    #[test]
    fn what_is_between_two_was_solved_when_the_later_one_was_awake() {
        let mut solved = Solved::default();
        let [ground, a, b] = [1, 2, 3].map(BodyIndex);
        assert_eq!(solved.length([ground, a], 0.5), 0.5, "never");
        solved.note(&set(4, &[a, b]), &step(0, 0.25));
        solved.note(&set(4, &[b]), &step(1, 0.125));
        assert_eq!(solved.length([ground, a], 0.5), 0.25);
        assert_eq!((solved.length([a, b], 0.5), solved.length([b, a], 0.5)), (0.125, 0.125));
        assert_eq!(solved.length([ground, ground], 0.5), 0.5, "never");
    }

    #[test]
    fn what_froze_in_a_step_was_solved_in_it() {
        let mut solved = Solved::default();
        let body = BodyIndex(2);
        solved.note(&set(3, &[body]), &step(0, 0.25));
        solved.note(&set(3, &[]), &step(1, 0.125));
        solved.note_too(body);
        assert_eq!(solved.length([body; 2], 0.5), 0.125);
        solved.note(&set(3, &[]), &step(2, 0.0625));
        assert_eq!(solved.length([body; 2], 0.5), 0.125, "it slept since");
    }

    proptest! {
        /// As if the step were written down for each body that was awake in it, with sets that grow; and so it is in a copy.
        #[test]
        fn every_body_has_the_last_step_in_which_it_was_awake(
            steps in vec((vec(0_u32..200, 0..100), vec(0_u32..200, 0..5), 0.01_f32..0.1), 1..12),
        ) {
            let (mut solved, mut plain) = (Solved::default(), [None; 200]);
            for (index, (awake, frozen, dt)) in (0..).zip(&steps) {
                let capacity = (50 * (index as usize + 1)).min(200);
                let inside = |list: &[u32]| -> Vec<BodyIndex> {
                    let inside = list.iter().filter(|&&body| (body as usize) < capacity);
                    inside.map(|&body| BodyIndex(body)).collect()
                };
                let (awake, frozen) = (inside(awake), inside(frozen));
                solved.note(&set(capacity, &awake), &step(index, *dt));
                frozen.iter().for_each(|&body| solved.note_too(body));
                awake.iter().chain(&frozen).for_each(|body| plain[body.get()] = Some((index, *dt)));
                let mut copy = Solved::default();
                copy.copy_from(&solved);
                let last = |body: usize| plain[body].map(|(index, _)| index);
                for a in 0..200 {
                    let b = (7 * a + 3) % 200;
                    let later = if last(a) > last(b) { a } else { b };
                    let expected = plain[later].map_or(1.0, |(_, dt)| dt);
                    let ends = [a, b].map(|body| BodyIndex(body as u32));
                    prop_assert_eq!(solved.length(ends, 1.0), expected);
                    prop_assert_eq!(copy.length(ends, 1.0), expected);
                }
            }
        }
    }
}
