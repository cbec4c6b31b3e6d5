//! Orders that go round the contacts instead of searching for the worst one (S1-96).

use super::{ABSENT, ContactOrder, OrderedContact, room};
use drystone_math::Real;
use drystone_math::wide::{Baseline, LANES, Lanes, Mask, Wide};
use std::ops::Range;

/// Which way a [`LevelSweep`] goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From what rests on the ground to what lies on top, again and again.
    #[default]
    Up,
    /// From the top down.
    Down,
    /// In turn.
    Both,
}

/// Sweeps along the levels of gravity: contacts are in the order of their levels, and each that closes faster than the
/// threshold is resolved when its turn comes. A search costs nothing but the contacts that are passed over.
#[derive(Clone, Debug, Default)]
pub struct LevelSweep {
    direction: Direction,
    members: Range<usize>,
    threshold: Real,
    /// Where the search goes on: the next to be looked at, or the one after it when going down.
    place: usize,
    is_down: bool,
}

impl LevelSweep {
    /// Sweeps in this direction.
    pub fn new(direction: Direction) -> Self {
        Self { direction, ..Self::default() }
    }

    /// The next contact in the present direction up to the end of the sweep.
    fn rest_of_sweep(&self, excess: &[Real]) -> Option<usize> {
        if self.is_down {
            let rest = &excess[self.members.start..self.place];
            rest.iter().rposition(|&e| e > self.threshold).map(|k| self.members.start + k)
        } else {
            first_above(&excess[self.place..self.members.end], self.threshold).map(|k| self.place + k)
        }
    }

    fn turn_round(&mut self) {
        if self.direction == Direction::Both {
            self.is_down = !self.is_down;
        }
        self.place = if self.is_down { self.members.end } else { self.members.start };
    }
}

impl ContactOrder for LevelSweep {
    fn begin(&mut self, _excess: &[Real], members: Range<usize>, threshold: Real) {
        (self.members, self.threshold) = (members, threshold);
        self.is_down = self.direction == Direction::Down;
        self.place = if self.is_down { self.members.end } else { self.members.start };
    }

    fn next(&mut self, excess: &[Real]) -> Option<usize> {
        // The rest of this sweep, and one more.
        for _ in 0..2 {
            if let Some(found) = self.rest_of_sweep(excess) {
                self.place = if self.is_down { found } else { found + 1 };
                return Some(found);
            }
            self.turn_round();
        }
        None
    }

    fn changed(&mut self, _i: usize, _excess: &[Real]) {}

    fn reserve(&mut self, _contacts: usize) {}
}

/// Sweeps by residual with bounded staleness: a bar is set at a share of the highest closing speed, and the contacts above it
/// are resolved in turn until a whole round finds none; then the bar is set anew. So what is resolved closes with at least that share
/// of the highest speed there was when the bar was set, and the search costs a look at each contact per round.
#[derive(Clone, Debug)]
pub struct FallingBar {
    /// Share of the highest closing speed at which the bar is set, in (0, 1).
    share: Real,
    members: Range<usize>,
    threshold: Real,
    bar: Real,
    place: usize,
}

impl Default for FallingBar {
    fn default() -> Self {
        Self { share: 0.5, members: 0..0, threshold: 0.0, bar: 0.0, place: 0 }
    }
}

impl FallingBar {
    /// With the bar at this share of the highest closing speed; in (0, 1). Larger resolves what is worse first, and searches more.
    pub fn new(share: Real) -> Self {
        Self { share, ..Self::default() }
    }

    /// Sets the bar; false when nothing closes.
    fn set_bar(&mut self, excess: &[Real]) -> bool {
        let highest = highest(&excess[self.members.clone()]);
        self.bar = (self.share * highest).max(self.threshold);
        highest > self.threshold
    }
}

impl ContactOrder for FallingBar {
    fn begin(&mut self, excess: &[Real], members: Range<usize>, threshold: Real) {
        (self.place, self.members, self.threshold) = (members.start, members, threshold);
        self.set_bar(excess);
    }

    fn next(&mut self, excess: &[Real]) -> Option<usize> {
        loop {
            for _ in 0..2 {
                if let Some(k) = first_above(&excess[self.place..self.members.end], self.bar) {
                    self.place += k + 1;
                    return Some(self.place - 1);
                }
                self.place = self.members.start;
            }
            if !self.set_bar(excess) {
                return None;
            }
        }
    }

    fn changed(&mut self, _i: usize, _excess: &[Real]) {}

    fn reserve(&mut self, _contacts: usize) {}
}

/// Sweeps colour by colour: contacts of one colour share no body that moves, so they do not change each other and could be
/// resolved side by side. Colours are given in the order of the contacts, the smallest that both bodies have left.
#[derive(Clone, Debug, Default)]
pub struct ColourSweep {
    /// Contacts by colour.
    order: Vec<u32>,
    colours: Vec<u8>,
    /// Colours that a body has, as bits.
    used: Vec<u64>,
    members: Range<usize>,
    threshold: Real,
    place: usize,
}

/// Colours; contacts that find none left share the last.
const COLOURS: usize = 64;

impl ColourSweep {
    fn colour(&mut self, contacts: &[OrderedContact]) {
        let bodies = contacts.iter().flat_map(|c| c.bodies).max().map_or(0, |last| last as usize + 1);
        self.used.clear();
        self.used.resize(bodies, 0);
        self.colours.clear();
        for contact in contacts {
            let [a, b] = contact.bodies.map(|body| body as usize);
            let colour = (!(self.used[a] | self.used[b])).trailing_zeros().min(COLOURS as u32 - 1);
            for body in [a, b].into_iter().filter(|&body| body != 0) {
                self.used[body] |= 1 << colour;
            }
            self.colours.push(colour as u8);
        }
    }

    /// Counting sort of the contacts by colour.
    fn sort(&mut self) {
        let mut starts = [0_u32; COLOURS + 1];
        self.colours.iter().for_each(|&colour| starts[colour as usize + 1] += 1);
        (0..COLOURS).for_each(|c| starts[c + 1] += starts[c]);
        self.order.clear();
        self.order.resize(self.colours.len(), ABSENT);
        for (contact, &colour) in self.colours.iter().enumerate() {
            let place = &mut starts[colour as usize];
            self.order[*place as usize] = contact as u32;
            *place += 1;
        }
    }
}

impl ContactOrder for ColourSweep {
    const LEARNS: bool = true;

    fn learn(&mut self, contacts: &[OrderedContact]) {
        self.colour(contacts);
        self.sort();
    }

    fn begin(&mut self, excess: &[Real], members: Range<usize>, threshold: Real) {
        (self.members, self.threshold, self.place) = (members, threshold, 0);
        if self.order.len() != excess.len() {
            // Nothing is known of them: as they come.
            self.order.clear();
            self.order.extend(0..excess.len() as u32);
        }
    }

    fn next(&mut self, excess: &[Real]) -> Option<usize> {
        let closes = |&contact: &u32| {
            let contact = contact as usize;
            self.members.contains(&contact) && excess[contact] > self.threshold
        };
        let found = self.order[self.place..].iter().position(closes).map(|k| self.place + k);
        let found = found.or_else(|| self.order[..self.place].iter().position(closes))?;
        self.place = found + 1;
        Some(self.order[found] as usize)
    }

    fn changed(&mut self, _i: usize, _excess: &[Real]) {}

    fn reserve(&mut self, contacts: usize) {
        room(&mut self.order, contacts);
        room(&mut self.colours, contacts);
        room(&mut self.used, 2 * contacts + 1);
    }
}

/// Index of the first value above a bound, eight at a time.
#[inline]
fn first_above(values: &[Real], bound: Real) -> Option<usize> {
    let lanes = Baseline::default();
    let bounds = lanes.splat(bound);
    let (eights, rest) = values.as_chunks::<LANES>();
    for (k, eight) in eights.iter().enumerate() {
        let above = lanes.load(eight).greater(bounds).bits();
        if above != 0 {
            return Some(k * LANES + above.trailing_zeros() as usize);
        }
    }
    rest.iter().position(|&v| v > bound).map(|k| eights.len() * LANES + k)
}

/// The largest value; negative infinity of none.
#[inline]
fn highest(values: &[Real]) -> Real {
    let lanes = Baseline::default();
    let (eights, rest) = values.as_chunks::<LANES>();
    let start = lanes.splat(Real::NEG_INFINITY);
    let largest = eights.iter().fold(start, |max, v| lanes.load(v).max(max)).largest();
    rest.iter().copied().fold(largest, |max, v| if v > max { v } else { max })
}
