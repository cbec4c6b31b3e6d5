//! What the children of a node really hold: four boxes side by side, in single precision and rounded outwards.
//!
//! Loose cells say where a box may be, which is about four cells on every level. What is there is mostly one or two of them.
//! Boxes grow at once with what comes in, and shrink when the tree is [tightened](super::QuadTree::tighten).

use crate::{Box2, Position2};

/// A box relative to the root's centre, m, at least as large as what it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outline {
    min: [f32; 2],
    max: [f32; 2],
}

impl Outline {
    /// Holds nothing.
    pub(super) const EMPTY: Self = Self { min: [f32::INFINITY; 2], max: [f32::NEG_INFINITY; 2] };

    pub(super) fn new(bounds: &Box2, origin: &Position2) -> Self {
        let low = |x: f64, from: f64| ((x - from) as f32).next_down();
        let high = |x: f64, from: f64| ((x - from) as f32).next_up();
        Self {
            min: [low(bounds.min.x, origin.x), low(bounds.min.y, origin.y)],
            max: [high(bounds.max.x, origin.x), high(bounds.max.y, origin.y)],
        }
    }

    pub(super) fn join(&self, other: &Self) -> Self {
        Self {
            min: [self.min[0].min(other.min[0]), self.min[1].min(other.min[1])],
            max: [self.max[0].max(other.max[0]), self.max[1].max(other.max[1])],
        }
    }
}

/// The outlines of four children.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Outlines {
    min: [[f32; 4]; 2],
    max: [[f32; 4]; 2],
}

impl Outlines {
    pub(super) const EMPTY: Self = Self { min: [[f32::INFINITY; 4]; 2], max: [[f32::NEG_INFINITY; 4]; 2] };

    pub(super) fn get(&self, lane: usize) -> Outline {
        Outline { min: [self.min[0][lane], self.min[1][lane]], max: [self.max[0][lane], self.max[1][lane]] }
    }

    pub(super) fn set(&mut self, lane: usize, own: &Outline) {
        for axis in 0..2 {
            self.min[axis][lane] = own.min[axis];
            self.max[axis][lane] = own.max[axis];
        }
    }

    /// A bit for each child whose outline overlaps `other`.
    #[inline(always)]
    pub(super) fn overlapping(&self, other: &Outline) -> u32 {
        let mut bits = 0;
        for lane in 0..4 {
            let overlaps = (self.min[0][lane] <= other.max[0])
                & (other.min[0] <= self.max[0][lane])
                & (self.min[1][lane] <= other.max[1])
                & (other.min[1] <= self.max[1][lane]);
            bits |= u32::from(overlaps) << lane;
        }
        bits
    }
}
