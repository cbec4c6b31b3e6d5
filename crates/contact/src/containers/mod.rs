//! Containers (S3-01 C, M): bodies fastened to each other to a composite, and links of a multibody.
//!
//! In: bodies. Out: who is in which container, and the motion that the members of a composite have in common ([`joined`]). Knows no
//! collider and no graph: who owns these hands colliders and edges over. Start reading at [`Composite`].
//!
//! Invariants: a body is in one container at most; a composite has two members or more, a multibody one or more; containers of
//! both kinds share their numbers, by which they are listed.

mod composite;
mod joined;

pub use composite::Composite;
pub use joined::joined;

use crate::error::ContactError;
use crate::handle::Slots;
use crate::{Bodies, BodyHandle, BodyIndex, CompositeHandle, MultibodyHandle};
use drystone_math::Carried;
use std::collections::BTreeMap;

/// What a body is to a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerRole {
    /// The body that moves for all members of a composite.
    Carrier(CompositeHandle),
    /// Fastened to others.
    Member(CompositeHandle),
    /// A link of a multibody.
    Link(MultibodyHandle),
}

impl ContainerRole {
    /// In words, with what can be done about it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Carrier(_) => "the body of a composite, which belongs to its members (unfasten them first)",
            Self::Member(_) => "a member of a composite (unfasten it first)",
            Self::Link(_) => "a link of a multibody (remove the multibody first)",
        }
    }
}

/// Links that belong together (S3-01 M), as one group of the contact graph whether they touch or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multibody {
    links: Vec<BodyHandle>,
    /// Whether its links meet each other.
    pub meets_itself: bool,
}

drystone_math::carried!(Multibody { part: [links], value: [meets_itself] });

impl Multibody {
    /// The links, in the order in which they were given.
    pub fn links(&self) -> &[BodyHandle] {
        &self.links
    }
}

/// All containers of a world.
#[derive(Clone, Debug, Default)]
pub struct Containers {
    slots: Slots,
    composites: BTreeMap<u32, Composite>,
    multibodies: BTreeMap<u32, Multibody>,
    roles: BTreeMap<BodyIndex, ContainerRole>,
}

impl Carried for Containers {
    fn copy_from(&mut self, source: &Self) {
        let Self { slots, composites, multibodies, roles } = source;
        self.slots.copy_from(slots);
        copy_map(&mut self.composites, composites, Composite::copy_from);
        copy_map(&mut self.multibodies, multibodies, Multibody::copy_from);
        copy_map(&mut self.roles, roles, |own, role| *own = *role);
    }

    /// Maps as if they were lists.
    fn heap_bytes(&self) -> usize {
        fn list<K, T>(map: &BTreeMap<K, T>) -> usize {
            map.len() * size_of::<(K, T)>()
        }
        let of_parts = self.composites.values().map(Carried::heap_bytes).sum::<usize>()
            + self.multibodies.values().map(Carried::heap_bytes).sum::<usize>();
        self.slots.heap_bytes()
            + list(&self.composites)
            + list(&self.multibodies)
            + list(&self.roles)
            + of_parts
    }
}

/// In the memory that is there, while the same containers are.
fn copy_map<K: Clone + Ord, T: Clone>(
    own: &mut BTreeMap<K, T>,
    source: &BTreeMap<K, T>,
    copy: impl Fn(&mut T, &T),
) {
    if !own.keys().eq(source.keys()) {
        own.clone_from(source);
    }
    // What was just cloned has less room than its source.
    own.values_mut().zip(source.values()).for_each(|(own, other)| copy(own, other));
}

impl Containers {
    /// What a body is to its container; `None` for a body by itself. O(log of the bodies in containers).
    pub fn role(&self, body: BodyIndex) -> Option<ContainerRole> {
        self.roles.get(&body).copied()
    }

    /// Indices of bodies that may become a `container` of at least so many bodies.
    ///
    /// # Errors
    /// Too few bodies, and the first of them that is unknown, in a container already, not dynamic, passive or named before.
    pub fn check(
        &self,
        bodies: &Bodies,
        members: &[BodyHandle],
        container: &'static str,
        least: usize,
    ) -> Result<Vec<BodyIndex>, ContactError> {
        let mut found = Vec::with_capacity(members.len());
        for &member in members {
            let index = bodies.index(member)?;
            let hot = bodies.hot(index);
            if let Some(role) = self.role(index) {
                return Err(ContactError::InContainer { body: member, role: role.name() });
            }
            if !hot.is_dynamic() {
                return Err(ContactError::NotDynamic(member));
            }
            if hot.is_passive() {
                return Err(ContactError::Passive(member));
            }
            if found.contains(&index) {
                return Err(ContactError::Repeated(member));
            }
            found.push(index);
        }
        if found.len() < least {
            return Err(ContactError::TooFew { container, least, count: found.len() });
        }
        Ok(found)
    }

    /// Takes note of a composite: the body that moves, and those that it carries, where they are now.
    ///
    /// # Errors
    /// [`ContactError::Full`] when the index width is exhausted.
    pub fn add_composite(
        &mut self,
        bodies: &Bodies,
        body: BodyHandle,
        members: &[BodyHandle],
    ) -> Result<CompositeHandle, ContactError> {
        let (index, generation) = self.slots.take().ok_or(ContactError::Full("containers"))?;
        let handle = CompositeHandle { index, generation };
        let composite = Composite::new(bodies, body, members);
        self.roles.insert(composite.index(), ContainerRole::Carrier(handle));
        for member in composite.member_indices() {
            self.roles.insert(member, ContainerRole::Member(handle));
        }
        self.composites.insert(index, composite);
        Ok(handle)
    }

    /// Forgets a composite and returns what it was.
    ///
    /// # Errors
    /// An unknown composite.
    pub fn remove_composite(&mut self, handle: CompositeHandle) -> Result<Composite, ContactError> {
        self.composite(handle)?;
        self.slots.release(handle.index, handle.generation);
        let composite =
            self.composites.remove(&handle.index).ok_or(ContactError::UnknownComposite(handle))?;
        self.roles.remove(&composite.index());
        for member in composite.member_indices() {
            self.roles.remove(&member);
        }
        Ok(composite)
    }

    /// Takes a member out of its composite, of which two others must be left; [`Composite::refit`] must follow.
    ///
    /// # Errors
    /// An unknown composite.
    pub fn remove_member(
        &mut self,
        handle: CompositeHandle,
        member: BodyIndex,
    ) -> Result<&mut Composite, ContactError> {
        self.composite(handle)?;
        self.roles.remove(&member);
        let composite =
            self.composites.get_mut(&handle.index).ok_or(ContactError::UnknownComposite(handle))?;
        composite.remove(member);
        Ok(composite)
    }

    /// A composite.
    ///
    /// # Errors
    /// An unknown composite.
    pub fn composite(&self, handle: CompositeHandle) -> Result<&Composite, ContactError> {
        let is_alive = self.slots.is_alive(handle.index, handle.generation);
        let found = self.composites.get(&handle.index).filter(|_| is_alive);
        found.ok_or(ContactError::UnknownComposite(handle))
    }

    /// A composite, to let its members follow.
    ///
    /// # Errors
    /// An unknown composite.
    pub fn composite_mut(&mut self, handle: CompositeHandle) -> Result<&mut Composite, ContactError> {
        let is_alive = self.slots.is_alive(handle.index, handle.generation);
        let found = self.composites.get_mut(&handle.index).filter(|_| is_alive);
        found.ok_or(ContactError::UnknownComposite(handle))
    }

    /// All composites, by number.
    pub fn composites(&self) -> impl Iterator<Item = (CompositeHandle, &Composite)> + '_ {
        self.composites.iter().filter_map(|(&index, composite)| {
            let generation = self.slots.generation(index)?;
            Some((CompositeHandle { index, generation }, composite))
        })
    }

    /// All composites, for the stage that lets members follow.
    pub fn composites_mut(&mut self) -> impl Iterator<Item = &mut Composite> + '_ {
        self.composites.values_mut()
    }

    /// Takes note of a multibody.
    ///
    /// # Errors
    /// [`ContactError::Full`] when the index width is exhausted.
    pub fn add_multibody(&mut self, links: &[BodyHandle]) -> Result<MultibodyHandle, ContactError> {
        let (index, generation) = self.slots.take().ok_or(ContactError::Full("containers"))?;
        let handle = MultibodyHandle { index, generation };
        for link in links {
            self.roles.insert(BodyIndex(link.index), ContainerRole::Link(handle));
        }
        self.multibodies.insert(index, Multibody { links: links.to_vec(), meets_itself: false });
        Ok(handle)
    }

    /// Forgets a multibody and returns what it was.
    ///
    /// # Errors
    /// An unknown multibody.
    pub fn remove_multibody(&mut self, handle: MultibodyHandle) -> Result<Multibody, ContactError> {
        self.multibody(handle)?;
        self.slots.release(handle.index, handle.generation);
        let removed = self.multibodies.remove(&handle.index);
        let multibody = removed.ok_or(ContactError::UnknownMultibody(handle))?;
        for link in &multibody.links {
            self.roles.remove(&BodyIndex(link.index));
        }
        Ok(multibody)
    }

    /// Takes a link out of its multibody; without links that is no more.
    ///
    /// # Errors
    /// An unknown multibody.
    pub fn remove_link(&mut self, handle: MultibodyHandle, link: BodyIndex) -> Result<(), ContactError> {
        let multibody = self.multibody_mut(handle)?;
        multibody.links.retain(|own| own.index != link.0);
        let is_empty = multibody.links.is_empty();
        self.roles.remove(&link);
        if is_empty { self.remove_multibody(handle).map(drop) } else { Ok(()) }
    }

    /// A multibody.
    ///
    /// # Errors
    /// An unknown multibody.
    pub fn multibody(&self, handle: MultibodyHandle) -> Result<&Multibody, ContactError> {
        let is_alive = self.slots.is_alive(handle.index, handle.generation);
        let found = self.multibodies.get(&handle.index).filter(|_| is_alive);
        found.ok_or(ContactError::UnknownMultibody(handle))
    }

    /// A multibody, to change.
    ///
    /// # Errors
    /// An unknown multibody.
    pub fn multibody_mut(&mut self, handle: MultibodyHandle) -> Result<&mut Multibody, ContactError> {
        let is_alive = self.slots.is_alive(handle.index, handle.generation);
        let found = self.multibodies.get_mut(&handle.index).filter(|_| is_alive);
        found.ok_or(ContactError::UnknownMultibody(handle))
    }

    /// All multibodies, by number.
    pub fn multibodies(&self) -> impl Iterator<Item = (MultibodyHandle, &Multibody)> + '_ {
        self.multibodies.iter().filter_map(|(&index, multibody)| {
            let generation = self.slots.generation(index)?;
            Some((MultibodyHandle { index, generation }, multibody))
        })
    }
}
