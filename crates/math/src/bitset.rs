//! A growable set of small indices.

/// A set of `u32` indices, one bit each; iterates in ascending order.
///
/// ```
/// use drystone_math::BitSet;
/// let mut set = BitSet::new();
/// set.resize(100);
/// set.insert(70);
/// set.insert(3);
/// assert_eq!(set.iter().collect::<Vec<_>>(), [3, 70]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
    len: u32,
}

crate::carried!(BitSet { part: [words], value: [len] });

impl BitSet {
    /// The empty set over no indices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for indices below `len`; keeps what is inside the new range.
    pub fn resize(&mut self, len: u32) {
        self.words.resize((len as usize).div_ceil(64), 0);
        self.len = len;
        if !len.is_multiple_of(64)
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << (len % 64)) - 1;
        }
    }

    /// Number of indices there is room for.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// True when there is room for no index at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an index.
    ///
    /// # Panics
    /// When `index` is not below [`BitSet::len`].
    #[inline]
    pub fn insert(&mut self, index: u32) {
        assert!(index < self.len, "index {index} is outside a bit set over {} indices", self.len);
        self.words[index as usize / 64] |= 1 << (index % 64);
    }

    /// Removes an index; one out of range is not in the set anyway.
    #[inline]
    pub fn remove(&mut self, index: u32) {
        if let Some(word) = self.words.get_mut(index as usize / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    /// True when the index is in the set.
    #[inline]
    pub fn contains(&self, index: u32) -> bool {
        self.words.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Removes all indices and keeps the room.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Makes this set equal to `other`, in the memory it has.
    pub fn copy_from(&mut self, other: &BitSet) {
        self.words.clone_from(&other.words);
        self.len = other.len;
    }

    /// The indices in ascending order that are in one of the two sets but not in both.
    pub fn iter_difference<'a>(&'a self, other: &'a BitSet) -> impl Iterator<Item = u32> + 'a {
        let word = |set: &BitSet, i: usize| set.words.get(i).copied().unwrap_or(0);
        let words = (0..self.words.len().max(other.words.len())).map(move |i| word(self, i) ^ word(other, i));
        indices(words)
    }

    /// The bits, 64 indices to a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bits, 64 indices to a word, for threads that each change words of their own. Bits past [`BitSet::len`] must stay 0.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// True when the set has an index.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.words.iter().any(|&word| word != 0)
    }

    /// Number of indices in the set.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The indices in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        indices(self.words.iter().copied())
    }
}

/// The places of the bits that are set in words, 64 to a word, ascending.
#[inline]
pub fn indices(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    (0..).step_by(64).zip(words).flat_map(|(first, word)| bits(word).map(move |bit| first + bit))
}

/// The places of the bits that are set, ascending.
#[inline]
pub fn bits(word: u64) -> impl Iterator<Item = u32> + Clone {
    let mut rest = word;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_forgets_what_is_outside() {
        let mut set = BitSet::new();
        set.resize(130);
        set.insert(129);
        set.insert(5);
        set.resize(70);
        set.resize(130);
        assert!(!set.contains(129) && set.contains(5) && set.count() == 1 && set.has_any());
        set.remove(5);
        assert!(set.iter().count() == 0 && !set.has_any());
    }

    #[test]
    fn the_difference_is_in_one_of_two_sets_of_any_length() {
        let (mut long, mut short) = (BitSet::new(), BitSet::new());
        long.resize(200);
        short.resize(10);
        [3, 5, 190].into_iter().for_each(|i| long.insert(i));
        [5, 9].into_iter().for_each(|i| short.insert(i));
        assert_eq!(long.iter_difference(&short).collect::<Vec<_>>(), [3, 9, 190]);
        assert!(short.iter_difference(&long).eq(long.iter_difference(&short)));
        short.copy_from(&long);
        assert_eq!(short, long);
    }
}
