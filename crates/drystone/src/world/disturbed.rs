//! Bodies that were added or moved from outside since the last step.

use drystone_contact::BodyIndex;
use drystone_math::BitSet;

/// A list without repetitions, in the order of the calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disturbed {
    list: Vec<BodyIndex>,
    marks: BitSet,
}

drystone_math::carried!(Disturbed { part: [list, marks] });

impl Disturbed {
    /// Adds a body, once.
    pub(crate) fn insert(&mut self, body: BodyIndex) {
        if self.marks.len() <= body.0 {
            let len = (body.0 + 1).next_power_of_two();
            self.marks.resize(len);
            // Every body may fall asleep in one step: the list never grows in a step.
            self.list.reserve(len as usize - self.list.len());
        }
        if !self.marks.contains(body.0) {
            self.marks.insert(body.0);
            self.list.push(body);
        }
    }

    /// True for a body of the list.
    pub(crate) fn contains(&self, body: BodyIndex) -> bool {
        body.0 < self.marks.len() && self.marks.contains(body.0)
    }

    /// The bodies.
    pub(crate) fn list(&self) -> &[BodyIndex] {
        &self.list
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        for body in self.list.drain(..) {
            self.marks.remove(body.0);
        }
    }
}
