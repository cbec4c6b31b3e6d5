//! Generational handles: small copies that never follow a stale reference.

/// Defines a handle type: an index with the generation of its slot.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name {
            /// Slot.
            pub index: u32,
            /// How often the slot was used before.
            pub generation: u32,
        }
    };
}

handle!(
    /// A body of one [`crate::Bodies`]; stale once the body is removed.
    BodyHandle
);
handle!(
    /// A collider (a shape on a body); stale once the collider or its body is removed.
    ColliderHandle
);
handle!(
    /// A timer of a world; stale once the timer is removed or has ticked its only time.
    TimerHandle
);
handle!(
    /// A rule of a world; stale once the rule is removed.
    RuleHandle
);
handle!(
    /// A composite of a world: bodies fastened to each other; stale once it is broken.
    CompositeHandle
);
handle!(
    /// A multibody of a world: links that belong together; stale once it is removed.
    MultibodyHandle
);

handle!(
    /// A joint of a world; stale once the joint or one of its bodies is removed, or the joint broke.
    JointHandle
);
handle!(
    /// An articulation of a world: joints that are solved by their coordinates; stale once it is removed, or one of its joints or bodies is.
    ArticulationHandle
);

/// Dense index of a body inside the arrays of [`crate::Bodies`]. Index 0 is the read-only dummy that
/// stands for "cannot move".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyIndex(pub u32);

impl BodyIndex {
    /// The dummy that stands for "cannot move".
    pub const IMMOVABLE: Self = Self(0);

    /// As an array index.
    #[inline]
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// Issues slots with generations; freed slots are reused last in, first out, so equal histories give
/// equal indices.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    generations: Vec<u32>,
    /// Odd generations are alive, so that one array tells both.
    free: Vec<u32>,
    /// Slots whose handles are stale already, and which are not free yet.
    retired: Vec<u32>,
}

drystone_math::carried!(Slots { part: [generations, free, retired] });

impl Slots {
    /// Takes a slot; `None` when 2³² − 1 slots are in use.
    pub fn take(&mut self) -> Option<(u32, u32)> {
        if let Some(index) = self.free.pop() {
            let generation = &mut self.generations[index as usize];
            *generation = generation.wrapping_add(1);
            return Some((index, *generation));
        }
        let index = u32::try_from(self.generations.len()).ok().filter(|&i| i != u32::MAX)?;
        self.generations.push(1);
        // Room for all of them to be given back, whenever that is.
        self.free.reserve(self.generations.capacity() - self.free.len());
        Some((index, 1))
    }

    /// Gives a slot back; false when the handle was stale.
    pub fn release(&mut self, index: u32, generation: u32) -> bool {
        if !self.is_alive(index, generation) {
            return false;
        }
        self.generations[index as usize] = generation.wrapping_add(1);
        self.free.push(index);
        true
    }

    /// Makes a handle stale without giving its slot back before [`Slots::recycle`]: for slots that someone
    /// else still knows by index. False when the handle was stale.
    pub fn retire(&mut self, index: u32, generation: u32) -> bool {
        if !self.is_alive(index, generation) {
            return false;
        }
        self.generations[index as usize] = generation.wrapping_add(1);
        self.retired.push(index);
        true
    }

    /// Gives all retired slots back.
    pub fn recycle(&mut self) {
        self.free.append(&mut self.retired);
    }

    /// True while the slot belongs to this generation.
    #[inline]
    pub fn is_alive(&self, index: u32, generation: u32) -> bool {
        generation % 2 == 1 && self.generations.get(index as usize) == Some(&generation)
    }

    /// The current generation of a slot in use; `None` for a free one.
    #[inline]
    pub fn generation(&self, index: u32) -> Option<u32> {
        self.generations.get(index as usize).copied().filter(|g| g % 2 == 1)
    }

    /// Slots ever issued; indices are below it.
    pub fn capacity(&self) -> usize {
        self.generations.len()
    }

    /// Slots in use.
    pub fn count(&self) -> usize {
        self.generations.len() - self.free.len() - self.retired.len()
    }

    /// Slots in use, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.generations.iter().enumerate().filter(|(_, g)| *g % 2 == 1).map(|(i, g)| (i as u32, *g))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_slots_come_back_with_a_new_generation() {
        let mut slots = Slots::default();
        let (a, first) = slots.take().expect("room");
        assert!(slots.release(a, first) && !slots.release(a, first));
        let (b, second) = slots.take().expect("room");
        assert_eq!(a, b);
        assert!(slots.is_alive(b, second) && !slots.is_alive(a, first));
        assert_eq!(slots.count(), 1);
        assert!(slots.retire(b, second) && !slots.is_alive(b, second) && slots.count() == 0);
        assert_ne!(slots.take().expect("room").0, b, "a retired slot is not given out");
        slots.recycle();
        assert_eq!(slots.take().expect("room").0, b);
    }
}
