//! Bodies.

use crate::call::{Failure, call, change, ds_status, give, give_all, read, slice};
use crate::collider::{ds_collider, ds_position, ds_quat, ds_vec3};
use crate::world::ds_world;
use drystone::math::{Pose, Position};
use drystone::{AxisLocks, BodyHandle, BodyKind, BodyRef, BodySpec, World};

/// A body of a world. One that is gone is refused. Zero is none.
pub type ds_body = u64;

/// How a body moves.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_body_kind {
    /// Forces and impulses move it.
    Dynamic = 0,
    /// It does not move.
    Fixed = 1,
    /// It moves with the velocity that it is given; nothing pushes it.
    Kinematic = 2,
}

/// A body to be. Begin with `ds_body_options_default`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_body_options {
    /// A ds_body_kind.
    pub kind: u32,
    pub position: ds_position,
    pub rotation: ds_quat,
    /// Of the centre of mass, m/s.
    pub velocity: ds_vec3,
    /// rad/s.
    pub angular_velocity: ds_vec3,
    /// kg; 0 for what its colliders have.
    pub mass: f32,
    /// World axes along and about which it cannot move.
    pub lock_translation: [bool; 3],
    pub lock_rotation: [bool; 3],
    /// 1/s.
    pub linear_damping: f32,
    pub angular_damping: f32,
    pub gravity_scale: f32,
    pub can_sleep: bool,
    pub is_asleep: bool,
    /// Anything.
    pub user_data: u64,
}

/// A body as it is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_body_state {
    pub body: ds_body,
    pub kind: ds_body_kind,
    pub position: ds_position,
    pub rotation: ds_quat,
    pub center_of_mass: ds_position,
    pub velocity: ds_vec3,
    pub angular_velocity: ds_vec3,
    /// kg; 0 when it is not dynamic.
    pub mass: f32,
    pub is_asleep: bool,
    pub user_data: u64,
}

pub(crate) fn number(handle: BodyHandle) -> ds_body {
    u64::from(handle.generation) << 32 | u64::from(handle.index)
}

pub(crate) fn handle(body: ds_body) -> BodyHandle {
    BodyHandle { index: body as u32, generation: (body >> 32) as u32 }
}

impl From<&Position> for ds_position {
    fn from(p: &Position) -> Self {
        Self { x: p.x, y: p.y, z: p.z }
    }
}

impl From<ds_position> for Position {
    fn from(p: ds_position) -> Self {
        Self::new(p.x, p.y, p.z)
    }
}

impl From<BodyRef> for ds_body_state {
    fn from(state: BodyRef) -> Self {
        Self {
            body: number(state.handle),
            kind: match state.kind {
                BodyKind::Dynamic => ds_body_kind::Dynamic,
                BodyKind::Fixed => ds_body_kind::Fixed,
                BodyKind::Kinematic => ds_body_kind::Kinematic,
            },
            position: (&state.pose.translation).into(),
            rotation: (&state.pose.rotation).into(),
            center_of_mass: (&state.center).into(),
            velocity: (&state.linear_velocity).into(),
            angular_velocity: (&state.angular_velocity).into(),
            mass: state.mass,
            is_asleep: state.is_asleep,
            user_data: state.user_data,
        }
    }
}

/// A dynamic body at the origin, at rest.
#[unsafe(no_mangle)]
pub extern "C" fn ds_body_options_default() -> ds_body_options {
    let zero = ds_vec3 { x: 0.0, y: 0.0, z: 0.0 };
    ds_body_options {
        kind: ds_body_kind::Dynamic as u32,
        position: ds_position { x: 0.0, y: 0.0, z: 0.0 },
        rotation: ds_quat::IDENTITY,
        velocity: zero,
        angular_velocity: zero,
        mass: 0.0,
        lock_translation: [false; 3],
        lock_rotation: [false; 3],
        linear_damping: 0.0,
        angular_damping: 0.0,
        gravity_scale: 1.0,
        can_sleep: true,
        is_asleep: false,
        user_data: 0,
    }
}

impl ds_body_options {
    fn spec(&self) -> Result<BodySpec, Failure> {
        let makers = [BodySpec::dynamic, BodySpec::fixed, BodySpec::kinematic];
        let spec = makers.get(self.kind as usize).ok_or_else(|| {
            Failure::refused(format!("kind must be a ds_body_kind, 0 to 2, got {}", self.kind))
        })?();
        let locks = AxisLocks { translation: self.lock_translation, rotation: self.lock_rotation };
        let spec = spec
            .pose(Pose::new(self.position.into(), self.rotation.rotation()?))
            .linear_velocity(self.velocity.into())
            .angular_velocity(self.angular_velocity.into())
            .locks(locks)
            .linear_damping(self.linear_damping)
            .angular_damping(self.angular_damping)
            .gravity_scale(self.gravity_scale)
            .can_sleep(self.can_sleep)
            .asleep(self.is_asleep)
            .user_data(self.user_data);
        Ok(if self.mass == 0.0 { spec } else { spec.total_mass(self.mass) })
    }
}

/// Adds a body with its colliders.
///
/// # Safety
/// `world` is one; `options` is valid; `colliders` is null or has `count` values with shapes that are alive; `body` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_add_body(
    world: *mut ds_world,
    options: *const ds_body_options,
    colliders: *const ds_collider,
    count: usize,
    body: *mut ds_body,
) -> ds_status {
    call(|| {
        if body.is_null() {
            return Err(Failure::null("body"));
        }
        // SAFETY: as the caller promises.
        let (world, options) = unsafe { (change(world, "world")?, read(options, "options")?) };
        let mut spec = options.spec()?;
        // SAFETY: as the caller promises.
        for collider in unsafe { slice(colliders, count, "colliders") }? {
            // SAFETY: as the caller promises.
            spec = spec.collider(unsafe { collider.spec() }?);
        }
        let added = world.change(|world| Ok(world.add_body(spec)?))?;
        // SAFETY: as the caller promises.
        unsafe { give(body, number(added), "body") }
    })
}

/// Changes a world.
///
/// # Safety
/// `world` is one.
unsafe fn edit(
    world: *mut ds_world,
    body: impl FnOnce(&mut World) -> Result<(), drystone::WorldError>,
) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    unsafe { change(world, "world") }?.change(|world| Ok(body(world)?))
}

/// Removes a body; what rested on it wakes.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_remove_body(world: *mut ds_world, body: ds_body) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { edit(world, |world| world.remove_body(handle(body))) })
}

/// A body as it is.
///
/// # Safety
/// `world` is one; `state` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_body(
    world: *const ds_world,
    body: ds_body,
    state: *mut ds_body_state,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let found = unsafe { read(world, "world") }?.to_read()?.body(handle(body))?;
        // SAFETY: as the caller promises.
        unsafe { give(state, found.into(), "state") }
    })
}

/// All bodies: as many as there is room for, and how many there are.
///
/// # Safety
/// `world` is one; `states` is null with a capacity of 0, or has room for `capacity` values; `count` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_bodies(
    world: *const ds_world,
    states: *mut ds_body_state,
    capacity: usize,
    count: *mut usize,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { read(world, "world") }?.to_read()?;
        // SAFETY: as the caller promises.
        unsafe { give_all(world.bodies().map(ds_body_state::from), states, capacity, count) }
    })
}

/// Gives the bodies that `list` names.
///
/// # Safety
/// As `ds_world_bodies`; the world is valid for `'w`.
unsafe fn give_bodies<'w, L: Iterator<Item = BodyHandle>>(
    world: *const ds_world,
    list: impl FnOnce(&'w World) -> L,
    states: *mut ds_body_state,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    // SAFETY: as the caller promises.
    let world = unsafe { read(world, "world") }?.to_read()?;
    let found = list(world).filter_map(|body| world.body(body).ok()).map(ds_body_state::from);
    // SAFETY: as the caller promises.
    unsafe { give_all(found, states, capacity, count) }
}

/// Bodies that move or may begin to, as `ds_world_bodies`. What moved in the last step is more than that: see `ds_world_moved_bodies`.
///
/// # Safety
/// As `ds_world_bodies`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_awake_bodies(
    world: *const ds_world,
    states: *mut ds_body_state,
    capacity: usize,
    count: *mut usize,
) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { give_bodies(world, World::awake_bodies, states, capacity, count) })
}

/// Bodies that may be elsewhere, or sleep otherwise, than before the last step, as `ds_world_bodies`: those that are awake, those that fell
/// asleep in it, and those that were added or changed since. What copies poses out after every step asks for these alone.
///
/// # Safety
/// As `ds_world_bodies`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_moved_bodies(
    world: *const ds_world,
    states: *mut ds_body_state,
    capacity: usize,
    count: *mut usize,
) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { give_bodies(world, World::moved_bodies, states, capacity, count) })
}

/// Puts a body elsewhere; it wakes.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_set_pose(
    world: *mut ds_world,
    body: ds_body,
    position: ds_position,
    rotation: ds_quat,
) -> ds_status {
    call(|| {
        let pose = Pose::new(position.into(), rotation.rotation()?);
        // SAFETY: as the caller promises.
        unsafe { edit(world, |world| world.set_pose(handle(body), pose)) }
    })
}

/// Sets the velocity of a body, m/s and rad/s; this is how a kinematic body moves.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_set_velocity(
    world: *mut ds_world,
    body: ds_body,
    velocity: ds_vec3,
    angular_velocity: ds_vec3,
) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe {
        edit(world, |world| world.set_velocity(handle(body), velocity.into(), angular_velocity.into()))
    })
}

/// A force (N) and a torque (N·m) about the centre of mass, for the next step.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_add_force(
    world: *mut ds_world,
    body: ds_body,
    force: ds_vec3,
    torque: ds_vec3,
) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { edit(world, |world| world.add_force(handle(body), force.into(), torque.into())) })
}

/// An impulse (N·s) at the centre of mass and an angular one (N·m·s), now.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_add_impulse(
    world: *mut ds_world,
    body: ds_body,
    impulse: ds_vec3,
    angular: ds_vec3,
) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { edit(world, |world| world.add_impulse(handle(body), impulse.into(), angular.into())) })
}

/// Wakes a body.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_wake(world: *mut ds_world, body: ds_body) -> ds_status {
    // SAFETY: as the caller promises.
    call(|| unsafe { edit(world, |world| world.wake(handle(body))) })
}
