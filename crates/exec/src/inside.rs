//! Which stage this thread is in: what makes a nested stage an error instead of a puzzle.

use std::cell::Cell;

thread_local! {
    /// Identity of the `Exec` whose stage this thread is running innermost; 0 outside of any stage.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Marks this thread as inside a stage until dropped.
pub(crate) struct Inside {
    previous: usize,
}

impl Inside {
    /// Enters a stage as its caller.
    ///
    /// # Panics
    /// When the innermost stage that this thread is inside of is of the same `Exec`. One farther out is not looked for: workers of the stages
    /// between do not know of it, so that it would depend on the thread whether it is found. What is started then is as a stage of a
    /// second caller.
    #[inline]
    pub(crate) fn enter(exec: usize) -> Self {
        assert!(
            CURRENT.get() != exec,
            "nested stage: a part of a stage started another stage on the same Exec; \
             run stages one after another, or give the inner one Exec::serial()"
        );
        Self::mark(exec)
    }

    /// Enters a stage, or a wait for one, as a worker.
    #[inline]
    pub(crate) fn mark(exec: usize) -> Self {
        Self { previous: CURRENT.replace(exec) }
    }

    /// Whether this thread is inside any stage.
    #[cfg(feature = "parallel")]
    pub(crate) fn is_any() -> bool {
        CURRENT.get() != 0
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.previous);
    }
}
