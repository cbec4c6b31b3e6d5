//! Colliders that are not where the broad phase has them.
//!
//! The broad phase knows the boxes of the last detection. Methods that move bodies after it, and users who add, move and change bodies
//! between steps, leave some of them wrong. The first query after a change finds out which; the others read it.

use drystone_math::Carried;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Slots of colliders whose boxes in the broad phase cannot be relied on.
#[derive(Debug, Default)]
pub(crate) struct Strays {
    /// Ascending; not known before somebody asks.
    known: OnceLock<Vec<u32>>,
    /// The memory of the last list.
    spare: Mutex<Vec<u32>>,
}

impl Clone for Strays {
    /// A copy does not know yet.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Carried for Strays {
    /// A copy does not know yet.
    fn copy_from(&mut self, _source: &Self) {
        self.forget();
    }

    fn heap_bytes(&self) -> usize {
        self.known.get().map_or(0, Carried::heap_bytes)
    }
}

impl Strays {
    /// Bodies may have moved, or boxes changed.
    #[inline]
    pub(crate) fn forget(&mut self) {
        if let Some(mut list) = self.known.take() {
            list.clear();
            *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = list;
        }
    }

    /// The list, made by `collect` where it is not known.
    pub(crate) fn get(&self, collect: impl FnOnce(&mut Vec<u32>)) -> &[u32] {
        self.known.get_or_init(|| {
            let mut list = std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
            collect(&mut list);
            list
        })
    }
}
