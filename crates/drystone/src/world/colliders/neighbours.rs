//! Which bodies have colliders with neighbours: colliders that never move against them.

use super::Colliders;
use drystone_contact::BodyIndex;

/// Fixed bodies, where there is more than one fixed collider, and bodies with several colliders.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    /// Ascending.
    list: Vec<BodyIndex>,
    is_stale: bool,
    /// Colliders of each body; scratch.
    counts: Vec<u32>,
}

drystone_math::carried!(Neighbours { part: [list], value: [is_stale], scratch: [counts] });

impl Neighbours {
    /// Colliders came, went, or are moved by another body.
    pub(super) fn doubt(&mut self) {
        self.is_stale = true;
    }

    /// The colliders of a body went.
    pub(super) fn doubt_of(&mut self, body: BodyIndex) {
        self.is_stale |= self.list.binary_search(&body).is_ok();
    }
}

impl Colliders {
    /// Brings [`Colliders::neighbours`] up to date; triggers do not count. Costs nothing while nothing changed.
    pub(crate) fn find_neighbours(&mut self, is_fixed: impl Fn(BodyIndex) -> bool) {
        if !std::mem::take(&mut self.neighbours.is_stale) {
            return;
        }
        let mut neighbours = std::mem::take(&mut self.neighbours);
        neighbours.counts.clear();
        neighbours.counts.resize(self.first.len(), 0);
        for slot in self.all().filter(|&slot| !self.is_trigger(slot)) {
            neighbours.counts[self.get(slot).body.get()] += 1;
        }
        let bodies =
            || neighbours.counts.iter().enumerate().map(|(body, &count)| (BodyIndex(body as u32), count));
        let fixed_count: u32 =
            bodies().filter(|&(body, count)| count > 0 && is_fixed(body)).map(|(_, count)| count).sum();
        let has =
            |&(body, count): &(BodyIndex, u32)| count > 1 || count == 1 && fixed_count > 1 && is_fixed(body);
        neighbours.list.clear();
        neighbours.list.extend(bodies().filter(has).map(|(body, _)| body));
        self.neighbours = neighbours;
    }

    /// Bodies with colliders that have neighbours, ascending.
    pub(crate) fn neighbours(&self) -> &[BodyIndex] {
        &self.neighbours.list
    }
}
