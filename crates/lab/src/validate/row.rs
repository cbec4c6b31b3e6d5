//! A row of the table: what theory says, what we get, and how far apart they may be.

/// One compared quantity.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) quantity: String,
    pub(crate) reference: f64,
    pub(crate) ours: f64,
    /// Difference of both; as a share of the reference when `is_relative`.
    pub(crate) error: f64,
    /// Largest error that passes; infinite for a row that only tells.
    pub(crate) limit: f64,
    pub(crate) is_relative: bool,
    /// Unit of reference and ours, and of an absolute error.
    pub(crate) unit: &'static str,
    /// Where the reference and the limit come from.
    pub(crate) source: &'static str,
    /// The plot ("y over x") that it is a point of, and its abscissa there.
    pub(crate) point: Option<(&'static str, f64)>,
}

impl Row {
    /// Ours may differ from the reference by `limit`, in their unit.
    pub(crate) fn absolute(
        quantity: impl Into<String>,
        unit: &'static str,
        reference: f64,
        ours: f64,
        limit: f64,
    ) -> Self {
        let (error, quantity) = ((ours - reference).abs(), quantity.into());
        Self { quantity, reference, ours, error, limit, is_relative: false, unit, source: "", point: None }
    }

    /// Ours may differ from the reference by the share `limit` of it.
    pub(crate) fn relative(
        quantity: impl Into<String>,
        unit: &'static str,
        reference: f64,
        ours: f64,
        limit: f64,
    ) -> Self {
        let error = ((ours - reference) / reference).abs();
        Self { error, is_relative: true, ..Self::absolute(quantity, unit, reference, ours, limit) }
    }

    /// What should be zero, and may be `limit`.
    pub(crate) fn at_most(quantity: impl Into<String>, unit: &'static str, ours: f64, limit: f64) -> Self {
        Self::absolute(quantity, unit, 0.0, ours, limit)
    }

    /// What should be above a bound; the error is what is missing.
    pub(crate) fn at_least(quantity: impl Into<String>, unit: &'static str, bound: f64, ours: f64) -> Self {
        let error = if ours >= bound { 0.0 } else { bound - ours };
        Self { error, ..Self::absolute(quantity, unit, bound, ours, 0.0) }
    }

    /// What should be a bound or less, and may exceed it by the share `limit`; the error is what it has too much.
    pub(crate) fn no_worse(
        quantity: impl Into<String>,
        unit: &'static str,
        bound: f64,
        ours: f64,
        limit: f64,
    ) -> Self {
        let row = Self::relative(quantity, unit, bound, ours, limit);
        if ours <= bound { Self { error: 0.0, ..row } } else { row }
    }

    /// The same row with its source.
    pub(crate) fn from(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// The same row as a point of a plot, named "y over x".
    pub(crate) fn over(self, plot: &'static str, x: f64) -> Self {
        Self { point: Some((plot, x)), ..self }
    }

    /// A number without a reference, which only tells.
    pub(crate) fn told(quantity: impl Into<String>, unit: &'static str, ours: f64) -> Self {
        Self::absolute(quantity, unit, f64::NAN, ours, f64::INFINITY).only_told()
    }

    /// The same row, which only tells and cannot fail.
    pub(crate) fn only_told(self) -> Self {
        Self { limit: f64::INFINITY, ..self }
    }

    /// Whether it cannot fail.
    pub(crate) fn only_tells(&self) -> bool {
        self.limit == f64::INFINITY
    }

    /// False also for an error that is not a number; what only tells is always good.
    pub(crate) fn is_good(&self) -> bool {
        self.error <= self.limit || self.only_tells()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_fails() {
        assert!(!Row::at_most("drift", "m", f64::NAN, 1.0).is_good());
        assert!(!Row::at_least("ratio", "", 1.0, f64::NAN).is_good());
        assert!(!Row::relative("speed", "m/s", 0.0, 0.0, 1.0).is_good());
        assert!(!Row::no_worse("error", "", 1.0, f64::NAN, 1.0).is_good());
    }

    #[test]
    fn errors_are_compared_as_stated() {
        assert!(Row::relative("speed", "m/s", 10.0, 10.05, 0.01).is_good());
        assert!(!Row::absolute("speed", "m/s", 10.0, 10.05, 0.01).is_good());
        assert!(Row::at_least("ratio", "", 1.0, 1.2).is_good());
        assert!(Row::no_worse("error", "", 2.0, 1.0, 0.05).is_good());
        assert!(!Row::no_worse("error", "", 2.0, 2.2, 0.05).is_good());
    }
}
