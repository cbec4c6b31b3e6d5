//! The order by impulse instead of speed (S1-96).

use super::{ContactOrder, HighestClosingSpeed, OrderedContact, room};
use drystone_math::Real;
use std::ops::Range;

/// The contact whose resolution changes the most impulse first: closing speed times effective mass. Found like the highest closing
/// speed ([`HighestClosingSpeed`]).
#[derive(Clone, Debug, Default)]
pub struct HighestImpulse {
    masses: Vec<Real>,
    keys: Vec<Real>,
    threshold: Real,
    inner: HighestClosingSpeed,
}

impl HighestImpulse {
    /// Impulse of a contact, N·s; negative infinity when it does not close.
    #[inline]
    fn key(&self, i: usize, excess: &[Real]) -> Real {
        if excess[i] > self.threshold {
            self.masses.get(i).map_or(excess[i], |mass| mass * excess[i])
        } else {
            Real::NEG_INFINITY
        }
    }
}

impl ContactOrder for HighestImpulse {
    const LEARNS: bool = true;

    fn learn(&mut self, contacts: &[OrderedContact]) {
        self.masses.clear();
        self.masses.extend(contacts.iter().map(|contact| contact.effective_mass));
    }

    fn begin(&mut self, excess: &[Real], members: Range<usize>, threshold: Real) {
        self.threshold = threshold;
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        keys.resize(excess.len(), Real::NEG_INFINITY);
        for i in members.clone() {
            keys[i] = self.key(i, excess);
        }
        // Every key that is a number is above it, whatever its size.
        self.inner.begin(&keys, members, Real::MIN);
        self.keys = keys;
    }

    fn next(&mut self, _excess: &[Real]) -> Option<usize> {
        self.inner.next(&self.keys)
    }

    fn changed(&mut self, i: usize, excess: &[Real]) {
        self.keys[i] = self.key(i, excess);
        self.inner.changed(i, &self.keys);
    }

    fn reserve(&mut self, contacts: usize) {
        room(&mut self.masses, contacts);
        room(&mut self.keys, contacts);
        self.inner.reserve(contacts);
    }
}
