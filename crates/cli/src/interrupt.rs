//! Ctrl-C: the first one ends the run after the step at hand, a second one ends the program at once.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program ended by Ctrl-C: 128 and the number of SIGINT.
pub(crate) const EXIT_CODE: u8 = 130;

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Begins to listen.
pub(crate) fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if IS_ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(EXIT_CODE));
        }
    })
    .map_err(|error| Failure::work(format!("cannot listen for Ctrl-C: {error}")))
}

/// True after Ctrl-C.
pub(crate) fn is_asked() -> bool {
    IS_ASKED.load(Ordering::SeqCst)
}
