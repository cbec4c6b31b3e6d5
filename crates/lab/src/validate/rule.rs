//! Rules about rows: what is done with those that are not held to their case's limit. The table of them is [`super::limits`].
//!
//! A shortfall is a promise that is not kept: the row stays outside of its limit, marked "known", up to what is known of it. A limit of
//! the method's own ([`Rule::Within`]) follows from the law or the scheme of the method, which differs from the one that the reference
//! stands for; the reason derives it. What takes minutes is left out ([`Rule::LeftOut`]), and what takes too long for the gate is left to
//! full runs ([`Rule::FullOnly`]).

use super::row::Row;

/// What is done with the rows it is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// Outside of its limit, and known, up to this error (a share where the row is relative).
    Missed(f64),
    /// Outside of its limit or within, by chance: known up to this error.
    ByChance(f64),
    /// Gives no number, and that is known: the motion does not get as far as what is looked at.
    NoNumber,
    /// Held to this error instead (as a share where the row is relative).
    Within(f64),
    /// Not run at all.
    LeftOut,
    /// Not run in a quick run.
    FullOnly,
}

use Rule::{ByChance, FullOnly, LeftOut, Missed, NoNumber, Within};

impl Rule {
    /// Whether it is about rows, and not about what is run.
    pub(super) fn is_of_rows(self) -> bool {
        self.is_shortfall() || matches!(self, Within(_))
    }

    /// Whether it is about a promise that is not kept.
    pub(super) fn is_shortfall(self) -> bool {
        matches!(self, Missed(_) | ByChance(_) | NoNumber)
    }

    /// Whether it must leave when no row needs it.
    pub(super) fn must_be_needed(self) -> bool {
        matches!(self, Missed(_) | NoNumber)
    }

    /// Whether the row, which is outside of its limit, is no worse than what is known. An error that is no number is not known but by
    /// [`Rule::NoNumber`].
    pub(super) fn knows(self, row: &Row) -> bool {
        match self {
            Missed(most) | ByChance(most) => row.error <= most,
            NoNumber => row.error.is_nan(),
            Within(_) | LeftOut | FullOnly => false,
        }
    }

    /// Whether what it is about is not run.
    pub(super) fn leaves_out(self, is_full: bool) -> bool {
        self == LeftOut || self == FullOnly && !is_full
    }
}

/// A rule, the rows it is about, and the reason.
#[derive(Debug)]
pub(super) struct Exception {
    pub(super) case: &'static str,
    pub(super) presets: &'static [&'static str],
    /// Beginning of the quantity's name; for what is left out, of the scene's name. Empty for all. Behind a `*` stands what comes later
    /// in it.
    quantity: &'static str,
    pub(super) rule: Rule,
    pub(super) reason: &'static str,
}

/// A rule of the table.
pub(super) const fn to(
    case: &'static str,
    presets: &'static [&'static str],
    quantity: &'static str,
    rule: Rule,
    reason: &'static str,
) -> Exception {
    Exception { case, presets, quantity, rule, reason }
}

impl Exception {
    /// Whether it is about this quantity (or scene) of a case with a preset.
    pub(super) fn is_about(&self, case: &str, preset: &str, quantity: &str) -> bool {
        let (start, later) = self.quantity.split_once('*').unwrap_or((self.quantity, ""));
        let fits = || quantity.strip_prefix(start).is_some_and(|rest| rest.contains(later));
        self.case == case && self.presets.contains(&preset) && fits()
    }

    /// The quantity, to read.
    pub(super) fn what(&self) -> &'static str {
        if self.quantity.is_empty() { "all" } else { self.quantity }
    }

    /// Presets, quantity and limit, to read.
    pub(super) fn words(&self) -> [String; 3] {
        let limit = match self.rule {
            Missed(most) | ByChance(most) => format!(" up to {most}"),
            NoNumber => " no number".into(),
            Within(limit) => format!(" within {limit:.4}"),
            LeftOut | FullOnly => String::new(),
        };
        [self.presets.join(", "), self.what().into(), limit]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_fit_by_their_beginning_and_by_what_comes_later() {
        let fits = |pattern, name| to("B7", &["fast"], pattern, LeftOut, "").is_about("B7", "fast", name);
        assert!(fits("", "way") && fits("way", "way in 2 s") && fits("*after 4 s", "oblique: box after 4 s"));
        assert!(!fits("way", "a way") && !fits("along*after", "oblique: box after 4 s"));
        assert!(!to("B7", &[], "", LeftOut, "").is_about("B7", "fast", "way"), "of no preset");
    }
}
