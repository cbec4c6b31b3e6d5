//! Why a world cannot go on from a snapshot, and the comparisons that tell.

use crate::WorldConfig;
use drystone_contact::MaterialTable;

/// Why a world cannot go on from a snapshot; the world is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Nothing was taken into it.
    #[error("the snapshot is empty: take it with World::snapshot first")]
    Empty,
    /// A setting differs, other than gravity and the global force.
    #[error("the snapshot was taken with {field} = {snapshot}, the world has {world}")]
    Setting {
        /// The setting, as [`WorldConfig::set_field`] spells it where it takes it.
        field: &'static str,
        /// Its value in the world.
        world: String,
        /// Its value when the snapshot was taken.
        snapshot: String,
    },
    /// Materials differ: others were registered, or pairs were changed.
    #[error("materials differ: the snapshot was taken with {snapshot} of them, the world has {world}{}", if world == snapshot { ", of other values" } else { "" })]
    Materials {
        /// Materials of the world.
        world: usize,
        /// Materials when the snapshot was taken.
        snapshot: usize,
    },
    /// Another method was put in ([`World::set_solver`](crate::World::set_solver)), or one that does not take up what it kept.
    #[error("the snapshot was taken with the method {snapshot}, the world has {world}")]
    Method {
        /// The world's method.
        world: &'static str,
        /// The method when the snapshot was taken.
        snapshot: &'static str,
    },
}

/// `Ok` when settings are equal, but for gravity and the global force, which are state.
pub(super) fn compare_settings(world: &WorldConfig, snapshot: &WorldConfig) -> Result<(), SnapshotError> {
    let (gravity, global_force) = (world.gravity, world.global_force);
    let mut snapshot = WorldConfig { gravity, global_force, ..snapshot.clone() };
    if *world == snapshot {
        return Ok(());
    }
    let mut world = world.clone();
    if let Some((field, [world, snapshot])) = world.first_difference(&mut snapshot) {
        return Err(SnapshotError::Setting { field, world, snapshot });
    }
    // What has no name: locks, sizes of the hash grid, cold volumes.
    let [world, snapshot] = [world, snapshot].map(|config| format!("{config:?}"));
    Err(SnapshotError::Setting { field: "settings", world, snapshot })
}

/// `Ok` when materials and what their pairs do are equal.
pub(super) fn compare_materials(
    world: &MaterialTable,
    snapshot: &MaterialTable,
) -> Result<(), SnapshotError> {
    if world == snapshot {
        return Ok(());
    }
    Err(SnapshotError::Materials { world: world.len(), snapshot: snapshot.len() })
}
