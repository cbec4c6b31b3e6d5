//! Which closing contact is resolved next (S1-57, S1-67, S1-69, S1-70, S1-96).
//!
//! Here are the interface, S1's order and the one that it compares with; sweeps are in `sweep`, the order by impulse in
//! `weighted`. How they compare is measured in `docs/measurements/contact-order.md`.

mod sweep;
mod weighted;

pub use sweep::{ColourSweep, Direction, FallingBar, LevelSweep};
pub use weighted::HighestImpulse;

use drystone_math::Real;
use drystone_math::wide::{Baseline, LANES, Lanes, Mask, Wide};

/// Picks the next contact of a phase.
///
/// A phase is set up with [`ContactOrder::begin`]; then the resolver asks for [`ContactOrder::next`],
/// resolves that contact, tells every contact whose closing speed changed with [`ContactOrder::changed`],
/// and asks again. `excess[i]` is the closing speed (m/s) of contact `i` beyond what is allowed;
/// contacts outside the phase have `Real::NEG_INFINITY` and are never told.
pub trait ContactOrder: Clone + Send + Sync {
    /// Whether [`ContactOrder::learn`] is called, which takes the matrices of all contacts.
    const LEARNS: bool = false;

    /// What the contacts of a batch are, before its phases; nothing where nothing is known of them. For orders with
    /// [`ContactOrder::LEARNS`]. Default: nothing.
    fn learn(&mut self, _contacts: &[OrderedContact]) {}

    /// Starts a phase over the contacts `members` (a range of indices into `excess`).
    fn begin(&mut self, excess: &[Real], members: std::ops::Range<usize>, threshold: Real);
    /// The contact to resolve next; `None` when none exceeds the threshold.
    fn next(&mut self, excess: &[Real]) -> Option<usize>;
    /// The closing speed of contact `i` changed.
    fn changed(&mut self, i: usize, excess: &[Real]);
    /// Makes room for so many contacts, so that no phase allocates.
    fn reserve(&mut self, contacts: usize);
}

/// What an order may know of a contact beyond its closing speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderedContact {
    /// The bodies, numbered within the batch; 0 for what cannot move.
    pub bodies: [u32; 2],
    /// Mass that an impulse along the normal moves, kg; 0 where it moves nothing.
    pub effective_mass: Real,
}

/// Contacts per block and blocks per super-block: a maximum over sixteen is four vector instructions.
const BLOCK: usize = 16;

/// Largest number of contacts that is searched flat. Measured on heaps of balls and on towers
/// (`docs/measurements/contact-order.md`).
const FLAT: usize = 256;

/// S1's order: the contact with the highest closing speed first (S1-58).
///
/// Small phases are searched flat (S1-67, S1-70), sixteen contacts at a time; larger ones through maxima of
/// blocks of 16 closing speeds and maxima of 16 blocks, in place of S1's ordered multiset (S1-69). There a
/// change that is neither above its block's maximum nor was it costs one comparison; otherwise the
/// maximum is raised, or taken anew at the next search. Nothing is allocated or re-linked. Ties go to the
/// smaller index.
#[derive(Clone, Debug, Default)]
pub struct HighestClosingSpeed {
    first: usize,
    end: usize,
    threshold: Real,
    /// Closing speeds of the members, filled up with negative infinity to whole blocks; not used when flat.
    keys: Vec<[Real; BLOCK]>,
    /// Maxima of the blocks, filled up likewise.
    blocks: Vec<[Real; BLOCK]>,
    /// Maxima of the super-blocks.
    tops: Vec<Real>,
    /// Blocks whose maximum must be taken anew: a list, and the same as marks.
    stale: Vec<u32>,
    is_stale: Vec<bool>,
}

impl HighestClosingSpeed {
    fn is_flat(&self) -> bool {
        self.end - self.first <= FLAT
    }

    /// Takes the stale maxima anew.
    fn freshen(&mut self) {
        for k in 0..self.stale.len() {
            let b = self.stale[k] as usize;
            self.is_stale[b] = false;
            self.blocks[b / BLOCK][b % BLOCK] = maximum(&self.keys[b]);
        }
        while let Some(b) = self.stale.pop() {
            let t = b as usize / BLOCK;
            self.tops[t] = maximum(&self.blocks[t]);
        }
    }
}

impl ContactOrder for HighestClosingSpeed {
    fn begin(&mut self, excess: &[Real], members: std::ops::Range<usize>, threshold: Real) {
        (self.first, self.end, self.threshold) = (members.start, members.end, threshold);
        self.stale.clear();
        if !self.is_flat() {
            fill(&mut self.keys, excess[members].iter().copied());
            fill(&mut self.blocks, self.keys.iter().map(maximum));
            self.tops.clear();
            self.tops.extend(self.blocks.iter().map(maximum));
            self.is_stale.clear();
            self.is_stale.resize(self.keys.len(), false);
        }
    }

    fn next(&mut self, excess: &[Real]) -> Option<usize> {
        if self.is_flat() {
            return highest(&excess[self.first..self.end], self.threshold).map(|k| self.first + k);
        }
        self.freshen();
        let (mut top, mut best) = (0, self.threshold);
        for (t, &m) in self.tops.iter().enumerate() {
            if m > best {
                (top, best) = (t, m);
            }
        }
        let block = top * BLOCK + position(&self.blocks[top]);
        let k = position(&self.keys[block]);
        (self.keys[block][k] > self.threshold).then_some(self.first + block * BLOCK + k)
    }

    #[inline]
    fn changed(&mut self, i: usize, excess: &[Real]) {
        if self.is_flat() {
            return;
        }
        let (new, place) = (excess[i], i - self.first);
        let b = place / BLOCK;
        let old = std::mem::replace(&mut self.keys[b][place % BLOCK], new);
        let (block, top) = (&mut self.blocks[b / BLOCK][b % BLOCK], &mut self.tops[b / BLOCK]);
        if new > *block {
            *block = new;
            *top = if new > *top { new } else { *top };
        } else if old >= *block && !self.is_stale[b] {
            self.is_stale[b] = true;
            self.stale.push(b as u32);
        }
    }

    fn reserve(&mut self, contacts: usize) {
        let blocks = contacts.div_ceil(BLOCK);
        room(&mut self.keys, blocks);
        room(&mut self.blocks, blocks.div_ceil(BLOCK));
        room(&mut self.tops, blocks.div_ceil(BLOCK));
        room(&mut self.stale, blocks);
        room(&mut self.is_stale, blocks);
    }
}

/// Cuts values into whole blocks, the last filled up with negative infinity.
fn fill(blocks: &mut Vec<[Real; BLOCK]>, values: impl ExactSizeIterator<Item = Real>) {
    blocks.clear();
    blocks.resize(values.len().div_ceil(BLOCK), [Real::NEG_INFINITY; BLOCK]);
    for (i, value) in values.enumerate() {
        blocks[i / BLOCK][i % BLOCK] = value;
    }
}

/// Islands of lanes per chunk of the flat search.
const CHUNK_LANES: usize = 8;

/// Index of the first entry with the largest value, when that exceeds the threshold. Chunk by chunk, so that
/// only the best one is searched for the place.
#[inline]
fn highest(values: &[Real], threshold: Real) -> Option<usize> {
    let (lanes, rest) = values.as_chunks::<LANES>();
    let (mut best, mut chunk) = (threshold, None);
    for (c, members) in lanes.chunks(CHUNK_LANES).enumerate() {
        let start = Baseline::default().splat(threshold);
        let largest = members.iter().fold(start, |max, v| Baseline::default().load(v).max(max)).largest();
        if largest > best {
            (best, chunk) = (largest, Some(c));
        }
    }
    let last = rest.iter().copied().fold(best, |max, v| if v > max { v } else { max });
    if last > best {
        return rest.iter().position(|&v| v == last).map(|k| values.len() - rest.len() + k);
    }
    let first = chunk? * CHUNK_LANES;
    let masks = lanes[first..].iter().map(|v| equal_to(v, best));
    masks
        .enumerate()
        .find_map(|(k, mask)| (mask != 0).then(|| (first + k) * LANES + mask.trailing_zeros() as usize))
}

/// Bits of the entries that equal a value.
#[inline]
fn equal_to(values: &[Real; LANES], value: Real) -> u8 {
    let lanes = Baseline::default();
    lanes.load(values).equal(lanes.splat(value)).bits()
}

/// The two halves of a block.
#[inline]
fn halves(values: &[Real; BLOCK]) -> [&[Real; LANES]; 2] {
    let (halves, _) = values.as_chunks::<LANES>();
    [&halves[0], &halves[1]]
}

/// The largest of sixteen values.
#[inline]
fn maximum(values: &[Real; BLOCK]) -> Real {
    let [a, b] = halves(values).map(|half| Baseline::default().load(half));
    b.max(a).largest()
}

/// Index of the first entry with the largest value.
#[inline]
fn position(values: &[Real; BLOCK]) -> usize {
    let largest = maximum(values);
    let [a, b] = halves(values).map(|half| u32::from(equal_to(half, largest)));
    // A block of NaN alone matches nothing; its first entry is then as good as any.
    (a | b << LANES).trailing_zeros() as usize % BLOCK
}

/// Capacity for `len` entries, grown by powers of two.
pub(in crate::impulse) fn room<T>(list: &mut Vec<T>, len: usize) {
    if list.capacity() < len {
        list.reserve(len.next_power_of_two() - list.len());
    }
}

/// The order S1 compares with (S1-87): always the first entry of the unsorted list of closing contacts;
/// contacts enter at the end and leave by swapping with the last.
#[derive(Clone, Debug, Default)]
pub struct FirstFound {
    list: Vec<u32>,
    /// Position of each contact in the list, `u32::MAX` when absent.
    place: Vec<u32>,
    first: usize,
    threshold: Real,
}

const ABSENT: u32 = u32::MAX;

impl ContactOrder for FirstFound {
    fn begin(&mut self, excess: &[Real], members: std::ops::Range<usize>, threshold: Real) {
        (self.first, self.threshold) = (members.start, threshold);
        self.list.clear();
        self.place.clear();
        self.place.resize(members.len(), ABSENT);
        for i in members {
            if excess[i] > threshold {
                self.place[i - self.first] = self.list.len() as u32;
                self.list.push(i as u32);
            }
        }
    }

    fn next(&mut self, _excess: &[Real]) -> Option<usize> {
        self.list.first().map(|&i| i as usize)
    }

    fn changed(&mut self, i: usize, excess: &[Real]) {
        let place = self.place[i - self.first];
        let is_closing = excess[i] > self.threshold;
        if is_closing && place == ABSENT {
            self.place[i - self.first] = self.list.len() as u32;
            self.list.push(i as u32);
        } else if !is_closing && place != ABSENT {
            self.list.swap_remove(place as usize);
            self.place[i - self.first] = ABSENT;
            if let Some(&moved) = self.list.get(place as usize) {
                self.place[moved as usize - self.first] = place;
            }
        }
    }

    fn reserve(&mut self, contacts: usize) {
        room(&mut self.list, contacts);
        room(&mut self.place, contacts);
    }
}
