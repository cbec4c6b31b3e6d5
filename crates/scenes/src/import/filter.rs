//! Who meets whom, as MuJoCo says it, and as the groups and rules of a scene say it.
//!
//! A geom is of some of 32 kinds (`contype`), and asks for some of them (`conaffinity`); two meet where one is of a kind that the other asks for
//! (mujoco.readthedocs.io, computation, collision detection). Each pair of numbers that there is becomes a group, and groups that do not meet get a rule.

use crate::model::{RuleEntry, RuleKind};

/// Groups with a filter of their own; the one after them has no rules, so it meets all.
const MOST: usize = 31;

/// What a shape is, and what it asks for: a bit for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    pub is: u32,
    pub asks: u32,
}

impl Filter {
    /// True for what touches nothing.
    pub(super) fn is_nothing(self) -> bool {
        self.is == 0 && self.asks == 0
    }

    fn meets(self, other: Self) -> bool {
        self.is & other.asks != 0 || other.is & self.asks != 0
    }
}

/// Groups of a scene, with the filters that they stand for.
#[derive(Default)]
pub(super) struct Groups {
    filters: Vec<Filter>,
    /// Bodies whose shapes differ.
    mixed: usize,
    /// Bodies for whose filters no group was left.
    lost: usize,
}

impl Groups {
    /// The group of a body whose shapes have these filters: it meets what any of them does. `None` without any.
    pub(super) fn of(&mut self, filters: &[Filter]) -> Option<u32> {
        let (first, others) = filters.split_first()?;
        self.mixed += usize::from(others.iter().any(|other| other != first));
        let all = others
            .iter()
            .fold(*first, |all, other| Filter { is: all.is | other.is, asks: all.asks | other.asks });
        let known = self.filters.iter().position(|&known| known == all);
        if known.is_none() && self.filters.len() == MOST {
            self.lost += 1;
            return Some(MOST as u32);
        }
        let group = known.unwrap_or_else(|| {
            self.filters.push(all);
            self.filters.len() - 1
        });
        Some(group as u32)
    }

    /// A group that meets all.
    pub(super) fn open(&self) -> u32 {
        if self.rules().is_empty() { 0 } else { MOST as u32 }
    }

    /// What keeps groups apart.
    pub(super) fn rules(&self) -> Vec<RuleEntry> {
        let apart = |a: usize| {
            let others = (a..self.filters.len()).filter(|&b| !self.filters[a].meets(self.filters[b]));
            others.map(|b| b as u32).collect::<Vec<_>>()
        };
        let all = (0..self.filters.len()).map(|a| RuleEntry {
            action: RuleKind::Ignore,
            a: vec![a as u32],
            b: apart(a),
        });
        // A rule without groups on a side would be about all bodies.
        all.filter(|rule| !rule.b.is_empty()).collect()
    }

    /// What is otherwise than in the file.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let mixed = (self.mixed > 0).then(|| {
            format!("geoms of a body that differ in contype or conaffinity all meet what any of them does ({} bodies)", self.mixed)
        });
        let lost = (self.lost > 0).then(|| {
            format!(
                "there are more than {MOST} pairs of contype and conaffinity: {} bodies meet all others",
                self.lost
            )
        });
        mixed.into_iter().chain(lost)
    }
}
