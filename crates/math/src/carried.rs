//! State that stages carry from step to step: kept in memory that is there already, and put back.
//!
//! A stage lists its fields once, in [`crate::carried!`]: what is carried, and what every step makes anew. The list is checked against the
//! struct, so that a field added later cannot be forgotten.

use std::any::Any;
use std::fmt;

/// What a stage carries from step to step.
pub trait Carried {
    /// Becomes what `source` is, but for memory that every step fills anew. Asks for memory only where `source` has more room than this
    /// one ever had.
    fn copy_from(&mut self, source: &Self);

    /// Memory that it holds beyond itself, bytes.
    fn heap_bytes(&self) -> usize;
}

impl<T: Clone> Carried for Vec<T> {
    fn copy_from(&mut self, source: &Self) {
        // As much room as the source has: what grows inside of its room needs none here either.
        if self.capacity() < source.capacity() {
            self.reserve_exact(source.capacity() - self.len());
        }
        self.clone_from(source);
    }

    fn heap_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

impl<T: Carried, const N: usize> Carried for [T; N] {
    fn copy_from(&mut self, source: &Self) {
        self.iter_mut().zip(source).for_each(|(own, other)| own.copy_from(other));
    }

    fn heap_bytes(&self) -> usize {
        self.iter().map(Carried::heap_bytes).sum()
    }
}

/// [`Carried::copy_from`] for lists of what has memory of its own.
pub fn copy_parts<T: Carried + Default>(own: &mut Vec<T>, source: &Vec<T>) {
    if own.capacity() < source.capacity() {
        own.reserve_exact(source.capacity() - own.len());
    }
    own.resize_with(source.len(), T::default);
    own.iter_mut().zip(source).for_each(|(own, other)| own.copy_from(other));
}

/// [`Carried::heap_bytes`] of such a list.
pub fn parts_bytes<T: Carried>(own: &Vec<T>) -> usize {
    own.capacity() * size_of::<T>() + own.iter().map(Carried::heap_bytes).sum::<usize>()
}

/// Implements [`Carried`] for a struct, every field of which is named once: `part` for what is [`Carried`] itself (lists of plain values
/// included), `parts` for lists of such, `table` for hash tables of plain values, `value` for what has no memory of its own, `scratch` for
/// what every step makes anew.
///
/// ```
/// use drystone_math::{Carried, carried};
/// #[derive(Default)]
/// struct Counter {
///     counts: Vec<u32>,
///     step: u64,
///     found: Vec<u32>,
/// }
/// carried!(Counter { part: [counts], value: [step], scratch: [found] });
///
/// let counter = Counter { counts: vec![1, 2], step: 7, found: vec![3] };
/// let mut kept = Counter::default();
/// kept.copy_from(&counter);
/// assert_eq!((kept.counts, kept.step, kept.found), (vec![1, 2], 7, vec![]));
/// ```
#[macro_export]
macro_rules! carried {
    ($type:ty {
        $(part: [$($part:ident),* $(,)?] $(,)?)?
        $(parts: [$($parts:ident),* $(,)?] $(,)?)?
        $(table: [$($table:ident),* $(,)?] $(,)?)?
        $(value: [$($value:ident),* $(,)?] $(,)?)?
        $(scratch: [$($scratch:ident),* $(,)?] $(,)?)?
    }) => {
        impl $crate::Carried for $type {
            fn copy_from(&mut self, source: &Self) {
                let Self {
                    $($($part,)*)? $($($parts,)*)? $($($table,)*)? $($($value,)*)? $($($scratch: _,)*)?
                } = source;
                $($($crate::Carried::copy_from(&mut self.$part, $part);)*)?
                $($($crate::copy_parts(&mut self.$parts, $parts);)*)?
                // In the memory that is there, where the table is of the same size.
                $($(self.$table.clone_from($table);)*)?
                $($(self.$value.clone_from($value);)*)?
            }

            fn heap_bytes(&self) -> usize {
                0 $($(+ $crate::Carried::heap_bytes(&self.$part))*)?
                    $($(+ $crate::parts_bytes(&self.$parts))*)?
                    $($(+ self.$table.allocation_size())*)?
            }
        }
    };
}

/// Carried state whose type is known to its owner alone: a method's, a broad phase's.
#[derive(Default)]
pub struct AnyCarried(Option<Box<dyn Erased>>);

impl AnyCarried {
    /// Keeps a copy of `state`, in the memory of the last one where that was of the same type.
    pub fn keep<T: Carried + Default + Send + Sync + 'static>(&mut self, state: &T) {
        let kept = self.0.as_mut().and_then(|kept| kept.as_any_mut().downcast_mut::<T>());
        if let Some(kept) = kept {
            kept.copy_from(state);
        } else {
            let mut kept = Box::new(T::default());
            kept.copy_from(state);
            self.0 = Some(kept);
        }
    }

    /// Keeps nothing.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// What was kept; `None` for nothing, or for something of another type.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref().and_then(|kept| kept.as_any().downcast_ref())
    }

    /// True when nothing was kept.
    pub fn is_nothing(&self) -> bool {
        self.0.is_none()
    }
}

impl Carried for AnyCarried {
    fn copy_from(&mut self, source: &Self) {
        let Some(other) = &source.0 else {
            self.0 = None;
            return;
        };
        if !self.0.as_mut().is_some_and(|own| own.copy_if_same(other.as_ref())) {
            self.0 = Some(other.copy());
        }
    }

    fn heap_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |kept| kept.bytes())
    }
}

impl fmt::Debug for AnyCarried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyCarried({} bytes)", self.heap_bytes())
    }
}

/// [`Carried`] without its type.
trait Erased: Any + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn copy(&self) -> Box<dyn Erased>;
    /// False, and nothing changed, when `source` is of another type.
    fn copy_if_same(&mut self, source: &dyn Erased) -> bool;
    fn bytes(&self) -> usize;
}

impl<T: Carried + Default + Send + Sync + 'static> Erased for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn copy(&self) -> Box<dyn Erased> {
        let mut copy = Box::new(T::default());
        copy.copy_from(self);
        copy
    }

    fn copy_if_same(&mut self, source: &dyn Erased) -> bool {
        let source = source.as_any().downcast_ref::<T>();
        source.map(|source| self.copy_from(source)).is_some()
    }

    fn bytes(&self) -> usize {
        size_of::<T>() + self.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Lists {
        lists: Vec<Vec<u32>>,
        count: u32,
    }

    carried!(Lists { parts: [lists], value: [count] });

    #[test]
    fn a_copy_has_the_room_of_its_source_and_keeps_its_own() {
        let mut source = Lists { lists: vec![Vec::with_capacity(8), vec![1, 2, 3]], count: 2 };
        let mut copy = Lists::default();
        copy.copy_from(&source);
        assert_eq!(copy, source);
        assert!(copy.lists[0].capacity() >= 8, "room for what the source may get");
        let place = copy.lists[0].as_ptr();
        source.lists[0].extend([4, 5, 6, 7]);
        copy.copy_from(&source);
        assert_eq!((&copy, copy.lists[0].as_ptr()), (&source, place), "in its place");
        assert!(copy.heap_bytes() >= 2 * size_of::<Vec<u32>>() + 11 * 4);
    }

    #[test]
    fn what_is_kept_comes_back_as_its_own_type_only() {
        let lists = Lists { lists: vec![vec![7]], count: 1 };
        let (mut kept, mut other) = (AnyCarried::default(), AnyCarried::default());
        kept.keep(&lists);
        other.keep(&vec![1_u32]);
        assert_eq!(kept.get::<Lists>(), Some(&lists));
        assert!(kept.get::<Vec<u32>>().is_none() && !kept.is_nothing());
        other.copy_from(&kept);
        assert_eq!(other.get::<Lists>(), Some(&lists));
        other.copy_from(&AnyCarried::default());
        assert!(other.is_nothing() && other.heap_bytes() == 0);
    }
}
