//! Values of the last steps, to be plotted.

use drystone::StepReport;
use std::collections::VecDeque;
use std::time::Duration;

/// Steps that are kept.
pub(crate) const KEPT: usize = 600;

/// What is kept of each step: name and unit.
pub(crate) const SERIES: [(&str, &str); 6] = [
    ("step", "ms"),
    ("contacts", ""),
    ("awake", ""),
    ("deepest overlap", "mm"),
    ("kinetic energy", "J"),
    ("residual", ""),
];

/// The last steps, oldest first.
#[derive(Debug, Default)]
pub(crate) struct History {
    rows: VecDeque<(f64, [f64; SERIES.len()])>,
}

impl History {
    /// Adds a step that took `cost` and ended at `time`, s.
    pub(crate) fn note(&mut self, time: f64, cost: Duration, report: &StepReport) {
        if self.rows.len() == KEPT {
            self.rows.pop_front();
        }
        let values = [
            cost.as_secs_f64() * 1e3,
            f64::from(report.contacts),
            f64::from(report.awake),
            f64::from(report.worst_overlap) * 1e3,
            report.energy_after,
            f64::from(report.worst_residual),
        ];
        self.rows.push_back((time, values));
    }

    /// Points (time in s, value) of a series; what is no number is left out.
    pub(crate) fn points(&self, series: usize) -> Vec<[f64; 2]> {
        let point = |(time, values): &(f64, [f64; SERIES.len()])| [*time, values[series]];
        self.rows.iter().map(point).filter(|[_, value]| value.is_finite()).collect()
    }

    /// The newest value of a series.
    pub(crate) fn last(&self, series: usize) -> Option<f64> {
        self.rows.back().map(|(_, values)| values[series])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_steps_are_kept() {
        let mut history = History::default();
        let mut report = StepReport::default();
        for step in 0..KEPT + 50 {
            report.contacts = step as u32;
            report.worst_residual = if step % 2 == 0 { f32::NAN } else { 0.5 };
            history.note(step as f64, Duration::from_millis(2), &report);
        }
        let contacts = history.points(1);
        assert_eq!((contacts.len(), contacts[0]), (KEPT, [50.0, 50.0]));
        assert_eq!((history.last(0), history.last(1)), (Some(2.0), Some((KEPT + 49) as f64)));
        assert_eq!(history.points(5).len(), KEPT / 2, "what is no number is left out");
        assert_eq!(History::default().last(0), None);
    }
}
