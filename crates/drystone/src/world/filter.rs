//! Who meets whom, changed while the world runs.

use super::World;
use crate::WorldError;
use drystone_contact::{ColliderHandle, WakeCause};

impl World {
    /// Groups (bits) that a collider belongs to, and groups it meets.
    ///
    /// # Errors
    /// An unknown collider.
    pub fn filter(&self, handle: ColliderHandle) -> Result<(u32, u32), WorldError> {
        self.check_collider(handle)?;
        Ok(self.colliders.filter(handle.index))
    }

    /// Sets the groups (bits) that a collider belongs to, and those it meets ([`crate::ColliderSpec::filter`]). From the next
    /// step on, pairs that must not meet any more end with their events, and new ones begin. When that changes
    /// anything, the body and what touches it wake.
    ///
    /// # Errors
    /// An unknown collider.
    pub fn set_filter(
        &mut self,
        handle: ColliderHandle,
        member_of: u32,
        meets: u32,
    ) -> Result<(), WorldError> {
        self.check_collider(handle)?;
        if self.colliders.filter(handle.index) == (member_of, meets) {
            return Ok(());
        }
        self.colliders.set_filter(handle.index, member_of, meets);
        self.rules_or_groups_changed();
        if !self.colliders.is_trigger(handle.index) {
            let body = self.colliders.get(handle.index).body;
            self.bodies.wake(body, WakeCause::User);
            self.disturb(body);
            self.wake_neighbours(body);
        }
        Ok(())
    }

    /// `Ok` for a collider that exists.
    pub(super) fn check_collider(&self, handle: ColliderHandle) -> Result<(), WorldError> {
        if self.colliders.is_alive(handle) { Ok(()) } else { Err(WorldError::UnknownCollider(handle)) }
    }
}
