//! In which order the parts of a stage are claimed.

/// The parts of a stage in the order they are claimed, each at most once.
pub(crate) enum Order<'a> {
    /// Parts `0..count` by index.
    Ascending(usize),
    /// As listed; made by [`Stamps::check`] only, so free of duplicates.
    Given(Checked<'a>),
}

/// A list of part indices without duplicates, each in range.
pub(crate) struct Checked<'a>(&'a [u32]);

impl Order<'_> {
    /// Number of claims.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Ascending(count) => *count,
            Self::Given(order) => order.0.len(),
        }
    }

    /// Part of the given claim; none past the end.
    #[inline]
    pub(crate) fn get(&self, claim: usize) -> Option<usize> {
        match self {
            Self::Ascending(count) => (claim < *count).then_some(claim),
            Self::Given(order) => order.0.get(claim).map(|&index| index as usize),
        }
    }
}

/// Finds duplicates in O(length) without clearing or allocating each time: an entry of `last_seen` is the
/// number of the check that saw that part last.
pub(crate) struct Stamps {
    last_seen: Vec<u32>,
    check: u32,
}

impl Stamps {
    pub(crate) const fn new() -> Self {
        Self { last_seen: Vec::new(), check: 0 }
    }

    /// The order as a checked one, or what is wrong with it.
    pub(crate) fn check<'a>(&mut self, order: &'a [u32], part_count: usize) -> Result<Checked<'a>, String> {
        if self.check == u32::MAX {
            self.last_seen.fill(0);
            self.check = 0;
        }
        self.check += 1;
        if self.last_seen.len() < part_count {
            self.last_seen.resize(part_count, 0);
        }
        let last_seen = &mut self.last_seen[..part_count];
        for &index in order {
            match last_seen.get_mut(index as usize) {
                None => return Err(format!("order names part {index} of {part_count} parts")),
                Some(stamp) if *stamp == self.check => {
                    return Err(format!("order names part {index} twice"));
                }
                Some(stamp) => *stamp = self.check,
            }
        }
        Ok(Checked(order))
    }
}

#[cfg(test)]
mod tests {
    use super::Stamps;

    #[test]
    fn duplicates_are_found_when_the_check_number_wraps() {
        let mut stamps = Stamps::new();
        assert!(stamps.check(&[0, 1], 2).is_ok());
        stamps.check = u32::MAX;
        assert!(stamps.check(&[0, 1], 2).is_ok());
        assert!(stamps.check(&[1, 1], 2).is_err());
        assert!(stamps.check(&[1, 0], 2).is_ok());
    }
}
