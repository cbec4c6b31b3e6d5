//! A hash of simulation state that is the same on every machine.

/// Hashes words in order into 64 bits. Not cryptographic: it tells runs apart, it does not resist attack.
///
/// ```
/// use drystone_math::StateHasher;
/// let mut a = StateHasher::new();
/// a.write_f32(1.0);
/// let mut b = StateHasher::new();
/// b.write_f32(1.0000001);
/// assert_ne!(a.finish(), b.finish());
/// ```
#[derive(Clone, Debug)]
pub struct StateHasher {
    state: u64,
}

impl Default for StateHasher {
    fn default() -> Self {
        Self::new()
    }
}

impl StateHasher {
    /// A hasher that has seen nothing.
    pub fn new() -> Self {
        Self { state: 0x9E37_79B9_7F4A_7C15 }
    }

    /// Takes one word.
    #[inline]
    pub fn write_u64(&mut self, word: u64) {
        // The finaliser of SplitMix64 (Steele, Lea, Flood 2014) over a running state.
        let mut z = (self.state ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.state = z ^ (z >> 31);
    }

    /// Takes the bits of a single, so that -0 and 0 differ.
    #[inline]
    pub fn write_f32(&mut self, value: f32) {
        self.write_u64(u64::from(value.to_bits()));
    }

    /// Takes the bits of a double.
    #[inline]
    pub fn write_f64(&mut self, value: f64) {
        self.write_u64(value.to_bits());
    }

    /// The hash of all words so far.
    pub fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_sign_of_zero_matter() {
        let hash = |values: &[f32]| {
            let mut h = StateHasher::new();
            values.iter().for_each(|&v| h.write_f32(v));
            h.finish()
        };
        assert_ne!(hash(&[1.0, 2.0]), hash(&[2.0, 1.0]));
        assert_ne!(hash(&[0.0]), hash(&[-0.0]));
        assert_eq!(hash(&[1.0, 2.0]), hash(&[1.0, 2.0]));
    }
}
