//! Materials.

use crate::call::{Failure, call, change, ds_status, give, text};
use crate::world::ds_world;
use drystone::{Material, MaterialId, PairMaterial};
use std::ffi::c_char;

/// What two bodies have between them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ds_pair {
    /// From 0 to 1.
    pub restitution: f32,
    pub static_friction: f32,
    /// At most the static one.
    pub kinetic_friction: f32,
    /// m.
    pub rolling_friction: f32,
}

/// Adds a material. `alike` is what it has against itself; against another one restitution is that of `ds_world_set_pair`, or what both mix to, and friction
/// the mean.
///
/// # Safety
/// `world` is a world; `name` ends with a zero; `material` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_add_material(
    world: *mut ds_world,
    name: *const c_char,
    density: f32,
    alike: ds_pair,
    material: *mut u32,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let (world, name) = unsafe { (change(world, "world")?, text(name, "name")?) };
        if material.is_null() {
            return Err(Failure::null("material"));
        }
        let table = world.alive()?.materials_mut();
        let like = table
            .get(MaterialId::default())
            .cloned()
            .ok_or_else(|| Failure::refused("there are no materials"))?;
        let id = table.add(Material {
            name: name.to_owned(),
            density,
            restitution: alike.restitution,
            // A pair has the sum of both.
            static_friction: alike.static_friction / 2.0,
            kinetic_friction: alike.kinetic_friction / 2.0,
            rolling_friction: alike.rolling_friction / 2.0,
            ..like
        })?;
        // SAFETY: as the caller promises.
        unsafe { give(material, id.0, "material") }
    })
}

/// What two materials have between them.
///
/// # Safety
/// `world` is a world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_set_pair(world: *mut ds_world, a: u32, b: u32, pair: ds_pair) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { change(world, "world") }?;
        let pair = PairMaterial {
            restitution: pair.restitution,
            static_friction: pair.static_friction,
            kinetic_friction: pair.kinetic_friction,
            rolling_friction: pair.rolling_friction,
        };
        Ok(world.alive()?.materials_mut().set_pair(MaterialId(a), MaterialId(b), pair)?)
    })
}
