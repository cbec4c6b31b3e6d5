//! In which order contacts are swept.

use crate::problem::BlockRows;

/// In which order contacts are swept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SweepOrder {
    /// As they come.
    #[default]
    Given,
    /// By breadth from a contact at the rim, last first (Cuthill and McKee, reversed): neighbours are swept soon after each
    /// other, so what a contact changes travels through a row of bodies in one sweep.
    Bandwidth,
    /// By colours: no two contacts of a colour act on each other, so threads share a colour. What a contact changes
    /// travels only as far as there are colours.
    Colours,
}

/// The order itself, with memory for finding it.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    /// Contacts in the order of a sweep.
    pub(super) contacts: Vec<u32>,
    /// First contact of each colour in [`Sequence::contacts`], and the end; one colour a contact when not by colours.
    pub(super) starts: Vec<u32>,
    mark: Vec<u32>,
    degree: Vec<u32>,
}

impl Sequence {
    /// Finds the order for a coupling matrix. O(blocks) for all orders but for sorting by degree.
    pub(super) fn find(&mut self, order: SweepOrder, coupling: &BlockRows) {
        let count = coupling.row_count();
        self.contacts.clear();
        self.starts.clear();
        match order {
            SweepOrder::Given => self.contacts.extend(0..count as u32),
            SweepOrder::Bandwidth => self.cuthill_mckee(coupling),
            SweepOrder::Colours => self.colour(coupling),
        }
    }

    fn cuthill_mckee(&mut self, coupling: &BlockRows) {
        let count = coupling.row_count();
        self.degree.clear();
        self.degree.extend((0..count).map(|k| coupling.row(k).0.len() as u32));
        self.mark.clear();
        self.mark.resize(count, 0);
        let mut next = 0;
        for seed in 0..count {
            if self.mark[seed] != 0 {
                continue;
            }
            let root = self.rim(seed as u32, coupling);
            self.mark[root as usize] = u32::MAX;
            self.contacts.push(root);
            while next < self.contacts.len() {
                let from = self.contacts.len();
                for &column in coupling.row(self.contacts[next] as usize).0 {
                    if std::mem::replace(&mut self.mark[column as usize], u32::MAX) != u32::MAX {
                        self.contacts.push(column);
                    }
                }
                let degree = &self.degree;
                self.contacts[from..].sort_unstable_by_key(|&k| (degree[k as usize], k));
                next += 1;
            }
        }
        self.contacts.reverse();
    }

    /// The contact found last by breadth from `seed`, and from there again: one at the rim. Marks with small numbers.
    fn rim(&mut self, seed: u32, coupling: &BlockRows) -> u32 {
        let begun = self.contacts.len();
        let mut root = seed;
        for round in 1..=2 {
            self.contacts.truncate(begun);
            self.contacts.push(root);
            self.mark[root as usize] = round;
            let mut next = begun;
            while next < self.contacts.len() {
                for &column in coupling.row(self.contacts[next] as usize).0 {
                    let mark = &mut self.mark[column as usize];
                    if *mark != round && *mark != u32::MAX {
                        *mark = round;
                        self.contacts.push(column);
                    }
                }
                next += 1;
            }
            root = self.contacts.last().copied().unwrap_or(seed);
        }
        self.contacts.truncate(begun);
        root
    }

    /// Gives each contact the smallest colour that none of its neighbours before it has.
    fn colour(&mut self, coupling: &BlockRows) {
        let count = coupling.row_count();
        let colours = &mut self.degree;
        colours.clear();
        colours.resize(count, u32::MAX);
        let mut used = 0;
        for k in 0..count {
            self.mark.clear();
            self.mark.resize(used as usize + 1, 0);
            for &column in coupling.row(k).0 {
                if let Some(taken) = self.mark.get_mut(colours[column as usize] as usize) {
                    *taken = 1;
                }
            }
            let free = self.mark.iter().position(|&taken| taken == 0).unwrap_or(used as usize) as u32;
            colours[k] = free;
            used = used.max(free + 1);
        }
        for colour in 0..used {
            self.starts.push(self.contacts.len() as u32);
            self.contacts.extend((0..count as u32).filter(|&k| colours[k as usize] == colour));
        }
        self.starts.push(count as u32);
    }
}
