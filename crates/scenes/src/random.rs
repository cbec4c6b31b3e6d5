//! A small generator of reproducible numbers for scenes.

/// Numbers that look random and are the same on every machine: SplitMix64 (Steele, Lea and Flood 2014).
/// Good enough to scatter bodies; not for cryptography or statistics.
///
/// ```
/// use drystone_scenes::Random;
/// let (mut a, mut b) = (Random::new(7), Random::new(7));
/// assert_eq!(a.between(-1.0, 1.0), b.between(-1.0, 1.0));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose numbers depend on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        // 53 bits fill the significand of an f64.
        let unit = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// Three numbers in `[-half, half)`.
    pub fn vector(&mut self, half: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.between(-half, half))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_range_and_spread() {
        let mut random = Random::new(1);
        let numbers: Vec<f64> = (0..1000).map(|_| random.between(2.0, 4.0)).collect();
        assert!(numbers.iter().all(|n| (2.0..4.0).contains(n)));
        let mean = numbers.iter().sum::<f64>() / 1000.0;
        assert!((mean - 3.0).abs() < 0.06, "three standard errors are 0.055, got {mean}");
    }

    #[test]
    fn first_number_is_that_of_the_published_generator() {
        assert_eq!(Random::new(0).bits(), 0xE220_A839_7B1D_CDAF);
    }
}
