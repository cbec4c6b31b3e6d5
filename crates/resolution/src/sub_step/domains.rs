//! Domains of a large island: bodies that lie together, so that threads share the island and seldom wait for each other.
//!
//! The bodies are halved by their places along the longest extent, and the halves again (recursive bisection, Berger and Bokhari 1987).
//! Contacts within a domain need no other one: a thread solves them from start to end. Contacts between domains are solved colour by
//! colour by all threads, those with what cannot move again domain by domain. So a pass meets at a few barriers instead of at one for each
//! colour, and a body stays in the cache of one core. The cut follows from places and contacts alone, never from the number of threads.

use super::layout::{CLASSES, Span};
use crate::sweep::is_pushed;
use drystone_contact::{Bodies, BodyIndex};
use drystone_math::{Real, larger, narrow, smaller};
use std::ops::Range;

/// Contacts of a domain: below, more than a third of them lie between domains.
const CONTACTS: usize = 768;
/// Domains at most.
pub(super) const MOST_DOMAINS: usize = 64;

/// Domains of a large island with so many contacts.
pub(super) fn domain_count(contacts: usize) -> usize {
    1 << (contacts / CONTACTS).clamp(2, MOST_DOMAINS).ilog2()
}

/// A body on its way to a domain: where it is from the first one, m.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: [Real; 3],
    body: u32,
}

impl Place {
    /// What orders bodies along an axis. Of equal places the body decides: the halves are sets that follow from the bodies alone.
    #[inline]
    fn key(&self, axis: usize) -> i64 {
        // As `f32::total_cmp` has it: the bits of negative numbers but the sign are turned round.
        let bits = self.at[axis].to_bits() as i32;
        let ordered = bits ^ ((bits >> 31) as u32 >> 1) as i32;
        i64::from(ordered) << 32 | i64::from(self.body)
    }
}

/// The domain of every body.
#[derive(Clone, Debug, Default)]
pub(super) struct Domains {
    of: Vec<u8>,
    places: Vec<Place>,
    /// The bodies of the island that was cut last that contacts change, in its order.
    pushed: Vec<u32>,
}

impl Domains {
    /// Makes room for so many bodies.
    pub(super) fn begin(&mut self, bodies: usize) {
        self.of.resize(bodies, 0);
        self.places.clear();
        self.places.reserve(bodies);
        self.pushed.clear();
        self.pushed.reserve(bodies);
    }

    /// The bodies of the island that was cut last that contacts change, in its order.
    pub(super) fn pushed(&self) -> &[u32] {
        &self.pushed
    }

    /// Domain of a body, within its island.
    #[inline]
    pub(super) fn of(&self, body: u32) -> u8 {
        self.of[body as usize]
    }

    /// Cuts an island with so many contacts into domains, at least two, and returns their number: a power of two. O(bodies times its
    /// logarithm), no memory.
    pub(super) fn divide(&mut self, bodies: &Bodies, members: &[BodyIndex], contacts: usize) -> usize {
        let halvings = domain_count(contacts).ilog2();
        let poses = bodies.view().pose;
        self.places.clear();
        self.pushed.clear();
        let Some(first) = members.first() else { return 1 };
        let origin = poses[first.get()].translation;
        self.pushed.extend(members.iter().filter(|&&body| is_pushed(bodies, body)).map(|body| body.0));
        self.places.extend(self.pushed.iter().map(|&body| {
            let at = narrow(&(poses[body as usize].translation - origin)).into();
            Place { at, body }
        }));
        let (of, places) = (&mut self.of, &mut self.places);
        halve(places, halvings, 0, of);
        1 << halvings
    }
}

/// Halves some bodies so often; their domains are numbered from `first` on.
fn halve(places: &mut [Place], halvings: u32, first: u8, of: &mut [u8]) {
    if halvings == 0 || places.len() < 2 {
        places.iter().for_each(|place| of[place.body as usize] = first);
        return;
    }
    let axis = longest(places);
    let middle = places.len() / 2;
    places.select_nth_unstable_by_key(middle, |place| place.key(axis));
    let (low, high) = places.split_at_mut(middle);
    halve(low, halvings - 1, first, of);
    halve(high, halvings - 1, first + (1 << (halvings - 1)), of);
}

/// The axis along which the places reach farthest.
fn longest(places: &[Place]) -> usize {
    let (mut low, mut high) = ([Real::INFINITY; 3], [Real::NEG_INFINITY; 3]);
    for place in places {
        for axis in 0..3 {
            let at = place.at[axis];
            (low[axis], high[axis]) = (smaller(at, low[axis]), larger(at, high[axis]));
        }
    }
    let extents = [0, 1, 2].map(|axis: usize| high[axis] - low[axis]);
    (1..3).fold(0, |best, axis| if extents[axis] > extents[best] { axis } else { best })
}

/// Where the domains of large units begin, each list unit after unit: the contacts within each domain, those between domains, those of each
/// domain with what cannot move, and the end. Counted from the first of the unit.
#[derive(Clone, Debug, Default)]
pub(super) struct CutLists {
    spans: Vec<u32>,
    blocks: [Vec<u32>; CLASSES],
    rolling: Vec<u32>,
}

/// The cuts of one unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cuts<'a> {
    pub(super) spans: &'a [u32],
    pub(super) blocks: [&'a [u32]; CLASSES],
    pub(super) rolling: &'a [u32],
}

impl CutLists {
    /// Forgets all cuts, and makes room for those of so many contacts.
    pub(super) fn begin(&mut self, contacts: usize) {
        // Twice the domains and two, where there are contacts for at least two.
        let room = 4 * (contacts / CONTACTS) + 6;
        for list in self.blocks.iter_mut().chain([&mut self.spans, &mut self.rolling]) {
            list.clear();
            list.reserve(room);
        }
    }

    /// Cuts before span `span` and before these blocks.
    pub(super) fn push(&mut self, span: u32, blocks: [u32; CLASSES]) {
        self.spans.push(span);
        self.blocks.iter_mut().zip(blocks).for_each(|(list, block)| list.push(block));
        self.rolling.push(0);
    }

    /// Number of cuts of all units so far.
    pub(super) fn len(&self) -> u32 {
        self.spans.len() as u32
    }

    /// Cuts what has rolling friction, in the spans of a unit, as their spans are cut.
    pub(super) fn cut_rolling(&mut self, cuts: &Range<u32>, spans: &[Span]) {
        let own = cuts.start as usize..cuts.end as usize;
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return };
        for (cut, &span) in self.rolling[own.clone()].iter_mut().zip(&self.spans[own]) {
            let at = spans.get(span as usize).map_or(last.rolling.end, |span| span.rolling.start);
            *cut = at - first.rolling.start;
        }
    }

    /// The cuts of one unit.
    pub(super) fn of(&self, cuts: &Range<u32>) -> Cuts<'_> {
        let own = cuts.start as usize..cuts.end as usize;
        let [a, b, c] = &self.blocks;
        Cuts {
            spans: &self.spans[own.clone()],
            blocks: [&a[own.clone()], &b[own.clone()], &c[own.clone()]],
            rolling: &self.rolling[own],
        }
    }
}

impl Cuts<'_> {
    /// Number of domains.
    pub(super) fn domain_count(&self) -> usize {
        self.spans.len().saturating_sub(2) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_even_and_lie_apart() {
        let place = |k: u32| Place { at: [(k * 7 % 32) as Real, (k % 2) as Real, 0.0], body: k };
        let mut places: Vec<Place> = (0..32).map(place).collect();
        let mut of = [u8::MAX; 32];
        halve(&mut places, 2, 0, &mut of);
        for domain in 0..4 {
            let own = |k: &u32| of[*k as usize] == domain;
            assert_eq!((0..32).filter(own).count(), 8);
            let along = (0..32).filter(own).map(|k| (k * 7 % 32) as u8 / 8);
            assert!(
                along.clone().all(|quarter| quarter == domain),
                "{domain}: {:?}",
                along.collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn bodies_in_one_place_are_told_apart_by_their_numbers() {
        let at = [1.0; 3];
        for order in [[0, 1, 2, 3], [3, 1, 0, 2]] {
            let mut of = [u8::MAX; 4];
            halve(&mut order.map(|body| Place { at, body }), 1, 0, &mut of);
            assert_eq!(of, [0, 0, 1, 1]);
        }
    }
}
