//! When bodies were solved last.

use drystone_contact::{BodyIndex, StepParams};
use drystone_math::Real;

/// The last step in which each body was awake, by index. Impulses of contacts and joints among sleepers are of that step, which may have been longer or shorter than
/// the last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solved {
    last: Vec<SolvedIn>,
}

drystone_math::carried!(Solved { part: [last] });

#[derive(Clone, Copy, Debug, Default)]
struct SolvedIn {
    /// Number of the step, from 1; 0 for none.
    step: u64,
    /// Its length, s.
    dt: Real,
}

impl Solved {
    /// Makes room for so many bodies.
    pub(crate) fn make_room(&mut self, capacity: usize) {
        if self.last.len() < capacity {
            self.last.resize(capacity, SolvedIn::default());
        }
    }

    /// A body was awake in this step. There must be room.
    #[inline]
    pub(crate) fn note(&mut self, body: BodyIndex, step: &StepParams) {
        self.last[body.get()] = SolvedIn { step: step.index + 1, dt: step.dt };
    }

    /// Length of the step in which what is between two bodies was solved last, s; `otherwise` where it never was.
    pub(crate) fn length(&self, ends: [BodyIndex; 2], otherwise: Real) -> Real {
        let of = |body: BodyIndex| self.last.get(body.get()).copied().unwrap_or_default();
        let last = ends.map(of);
        let SolvedIn { step, dt } = if last[0].step > last[1].step { last[0] } else { last[1] };
        if step > 0 { dt } else { otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vector3;

    #[test]
    fn what_is_between_two_was_solved_when_the_later_one_was_awake() {
        let mut solved = Solved::default();
        solved.make_room(4);
        let step = |index: u64, dt: Real| StepParams {
            dt,
            acceleration: Vector3::zeros(),
            force: Vector3::zeros(),
            reference_acceleration: 9.81,
            index,
        };
        let [ground, a, b] = [1, 2, 3].map(BodyIndex);
        assert_eq!(solved.length([ground, a], 0.5), 0.5, "never");
        solved.note(a, &step(0, 0.25));
        solved.note(b, &step(0, 0.25));
        solved.note(b, &step(1, 0.125));
        assert_eq!(solved.length([ground, a], 0.5), 0.25);
        assert_eq!((solved.length([a, b], 0.5), solved.length([b, a], 0.5)), (0.125, 0.125));
    }
}
