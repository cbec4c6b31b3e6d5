//! Stands in for workers in a build without the feature `parallel`: there never are any.

use crate::ExecError;
use crate::schedule::Seat;

/// Never made.
pub(crate) enum Team {}

impl Team {
    pub(crate) fn start(n: usize) -> Result<Self, ExecError> {
        Err(ExecError::NotParallel(n))
    }

    pub(crate) fn thread_count(&self) -> usize {
        match *self {}
    }

    pub(crate) fn wake(&self) {
        match *self {}
    }

    pub(crate) fn release(&self) {
        match *self {}
    }

    pub(crate) fn run(&self, _seat_count: usize, _body: &(dyn Fn(Seat) + Sync)) -> bool {
        match *self {}
    }
}
