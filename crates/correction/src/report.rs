//! What a correction did.

use crate::batch::Outcome;
use drystone_contact::{ContactGraph, EdgeIndex};
use drystone_math::Real;

/// What one call of [`crate::Corrector::correct`] did. A contact here is a manifold: its points share a
/// normal, so the displacement that frees the deepest frees all.
///
/// `penetrating_count = corrected_count + unresolved_count`, and depths are what the contact data say:
/// nobody looks at shapes here.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CorrectionReport {
    /// Contacts deeper than the threshold before.
    pub penetrating_count: u32,
    /// Contacts corrected, by their own correction or along with another one's (S1-18).
    pub corrected_count: u32,
    /// Contacts not corrected: no approach was possible, or a limit was hit.
    pub unresolved_count: u32,
    /// Of these, contacts pulled apart by a share of their overlap.
    pub loosened_count: u32,
    /// Times that contacts beside them were pulled apart, to pass on what that pressed together
    /// ([`crate::CorrectionConfig::relax_rounds`]).
    pub spread_count: u32,
    /// Approaches looked at (up to four per contact, S1-10).
    pub attempt_count: u32,
    /// Approaches given up early because a better one was known (S1-22).
    pub aborted_count: u32,
    /// Bodies displaced, each counted once.
    pub displaced_count: u32,
    /// Corrections that turned a body as well (S1-97).
    pub turned_count: u32,
    /// Bodies that slept and were woken (S1-38).
    pub woken_count: u32,
    /// Largest depth before, m; 0 without overlap.
    pub worst_before: Real,
    /// Largest depth after, m; 0 without overlap. An upper estimate: a contact above the threshold that was
    /// loosened along the way counts with its old depth.
    pub worst_after: Real,
    /// The contact of `worst_after`.
    pub worst_after_edge: Option<EdgeIndex>,
    /// Approaches given up at [`crate::CorrectionConfig::max_displaced`] bodies, or in a search that came
    /// back to the same bodies too often.
    pub displaced_limit_count: u32,
    /// Contacts not looked at because of [`crate::CorrectionConfig::max_corrections`].
    pub correction_limit_count: u32,
    /// Contacts left uncorrected because no approach to them was looked at to its end within [`crate::CorrectionConfig::max_looks`].
    pub look_limit_count: u32,
    /// Batches in which loosening ended at [`crate::CorrectionConfig::relax_rounds`] (unless that is 0) or at `max_looks`, with the neighbours of what was
    /// pulled apart last not looked at.
    pub spread_limit_count: u32,
}

impl CorrectionReport {
    /// True when a limit of the configuration left something undone.
    pub fn hit_a_limit(&self) -> bool {
        let counts = [
            self.displaced_limit_count,
            self.correction_limit_count,
            self.look_limit_count,
            self.spread_limit_count,
        ];
        counts.iter().any(|&count| count > 0)
    }

    /// Adds what happened in one batch.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        self.corrected_count += outcome.corrected;
        self.unresolved_count += outcome.unresolved;
        self.loosened_count += outcome.loosened;
        self.spread_count += outcome.spread;
        self.attempt_count += outcome.attempts;
        self.aborted_count += outcome.aborted;
        self.turned_count += outcome.turned;
        self.displaced_limit_count += outcome.displaced_limit;
        self.correction_limit_count += outcome.correction_limit;
        self.look_limit_count += outcome.look_limit;
        self.spread_limit_count += outcome.spread_limit;
    }

    /// Lets a contact compete for the worst one afterwards.
    pub(crate) fn note_depth(&mut self, depth: Real, edge: EdgeIndex) {
        if depth > self.worst_after {
            (self.worst_after, self.worst_after_edge) = (depth, Some(edge));
        }
    }

    /// Lets a contact as it is now compete for the worst one afterwards.
    pub(crate) fn note_edge(&mut self, graph: &ContactGraph, edge: EdgeIndex) {
        let depth = -graph.edge(edge).manifold.min_distance().unwrap_or(0.0);
        self.note_depth(depth, edge);
    }
}
