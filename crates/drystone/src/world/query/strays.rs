//! Colliders that are not where the broad phase has them.
//!
//! The broad phase knows the boxes of the last detection. Methods that move bodies after it, and users who add, move and change bodies
//! between steps, leave some of them wrong. The first query after a change finds out which; the others read it.

use drystone_math::{Aabb, Carried};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A collider whose box in the broad phase cannot be relied on: its slot, and its box where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stray {
    pub(crate) slot: u32,
    pub(crate) aabb: Aabb,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Strays {
    /// By slot, ascending; not known before somebody asks.
    known: OnceLock<Vec<Stray>>,
    /// The memory of the last list.
    spare: Mutex<Vec<Stray>>,
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
        self.known.get().map_or(0, |list| list.capacity() * size_of::<Stray>())
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
    pub(crate) fn get(&self, collect: impl FnOnce(&mut Vec<Stray>)) -> &[Stray] {
        self.known.get_or_init(|| {
            let mut list = std::mem::take(&mut *self.spare.lock().unwrap_or_else(PoisonError::into_inner));
            collect(&mut list);
            list
        })
    }
}
