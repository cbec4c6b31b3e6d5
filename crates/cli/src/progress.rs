//! The progress bar, shown only where stderr is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Redraws per second.
const REDRAW_RATE: u8 = 10;

/// A bar with the time left.
pub(crate) struct Progress {
    bar: ProgressBar,
    hz: f64,
}

impl Progress {
    pub(crate) fn new(scene: &str, step_count: u64, hz: f64) -> Self {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(Some(step_count), ProgressDrawTarget::stderr_with_hz(REDRAW_RATE))
        } else {
            ProgressBar::hidden()
        };
        let template = "{prefix} [{bar:36}] {percent:>3} %  {msg}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(scene.to_owned());
        Self { bar, hz }
    }

    /// Says how many steps are taken.
    pub(crate) fn at(&self, step: u64) {
        if !self.bar.is_hidden() {
            self.bar.set_message(format!("{:.2} s simulated", step as f64 / self.hz));
            self.bar.set_position(step);
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
