//! Joints.

use crate::body::{ds_body, handle};
use crate::call::{Failure, call, change, ds_status, give, give_all, read, slice};
use crate::collider::{ds_position, ds_vec3};
use crate::world::ds_world;
use drystone::{ArticulationHandle, JointHandle, JointKind, JointSpec, Motor};

/// A joint of a world. One that is gone or broke is refused.
pub type ds_joint = u64;

/// What a joint is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_joint_kind {
    /// Two points keep their distance, or keep it between limits.
    Distance = 0,
    /// One point in common.
    Ball = 1,
    /// One axis in common, about which it turns.
    Hinge = 2,
    /// One axis in common, along which it slides.
    Slider = 3,
    /// Everything is held.
    Fixed = 4,
    /// One point in common, and the axes stay in a cone.
    ConeTwist = 5,
}

/// What drives a joint.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_motor_kind {
    /// Nothing.
    None = 0,
    /// Keeps `motor_speed`.
    Speed = 1,
    /// Pulls to `motor_target` with `motor_stiffness` and `motor_damping`.
    Spring = 2,
}

const NO_MOTOR: u32 = ds_motor_kind::None as u32;
const SPEED: u32 = ds_motor_kind::Speed as u32;
const SPRING: u32 = ds_motor_kind::Spring as u32;

/// A joint to be. Begin with `ds_joint_options_default`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_joint_options {
    /// A ds_joint_kind.
    pub kind: u32,
    pub a: ds_body,
    pub b: ds_body,
    /// Where it is on each body, as a place in the world now; the same twice but for distances.
    pub on_a: ds_position,
    pub on_b: ds_position,
    /// Its axis, world, any length.
    pub axis: ds_vec3,
    /// Limits of its angle (rad), way or distance (m); infinite for none.
    pub has_limits: bool,
    pub lower: f32,
    pub upper: f32,
    /// A ds_motor_kind.
    pub motor: u32,
    /// m/s or rad/s.
    pub motor_speed: f32,
    /// m or rad.
    pub motor_target: f32,
    pub motor_stiffness: f32,
    pub motor_damping: f32,
    /// Largest force (N) or torque (N·m) of the motor.
    pub motor_most: f32,
    /// Dry friction, N or N·m.
    pub friction: f32,
    /// Of a cone-twist joint: largest angle of the axes, rad.
    pub cone: f32,
    /// It breaks above this force (N) or torque (N·m); infinite for never.
    pub break_force: f32,
    pub break_torque: f32,
    /// Whether its bodies meet each other.
    pub collides: bool,
}

/// A joint as it is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_joint_state {
    /// On B in the last step, N and N·m, world.
    pub force: ds_vec3,
    pub torque: ds_vec3,
    /// Ways along x, y, z (m), twist and two swings (rad), distance (m).
    pub coordinates: [f32; 7],
    /// How far what it holds is from where it should be, m, and turned, rad.
    pub error: f32,
    pub angular_error: f32,
}

fn number(handle: JointHandle) -> ds_joint {
    u64::from(handle.generation) << 32 | u64::from(handle.index)
}

fn joint(number: ds_joint) -> JointHandle {
    JointHandle { index: number as u32, generation: (number >> 32) as u32 }
}

/// A joint at one place, without limits, motor or friction, that does not break; its axis is x.
#[unsafe(no_mangle)]
pub extern "C" fn ds_joint_options_default(
    kind: u32,
    a: ds_body,
    b: ds_body,
    at: ds_position,
) -> ds_joint_options {
    ds_joint_options {
        kind,
        a,
        b,
        on_a: at,
        on_b: at,
        axis: ds_vec3 { x: 1.0, y: 0.0, z: 0.0 },
        has_limits: false,
        lower: f32::NEG_INFINITY,
        upper: f32::INFINITY,
        motor: ds_motor_kind::None as u32,
        motor_speed: 0.0,
        motor_target: 0.0,
        motor_stiffness: 0.0,
        motor_damping: 0.0,
        motor_most: f32::INFINITY,
        friction: 0.0,
        cone: f32::INFINITY,
        break_force: f32::INFINITY,
        break_torque: f32::INFINITY,
        collides: false,
    }
}

impl ds_joint_options {
    fn spec(&self) -> Result<JointSpec, Failure> {
        const KINDS: [JointKind; 6] = [
            JointKind::Distance,
            JointKind::Ball,
            JointKind::Hinge,
            JointKind::Slider,
            JointKind::Fixed,
            JointKind::ConeTwist,
        ];
        let kind = *KINDS.get(self.kind as usize).ok_or_else(|| {
            Failure::refused(format!("kind must be a ds_joint_kind, 0 to 5, got {}", self.kind))
        })?;
        let mut spec = JointSpec::new(kind, handle(self.a), handle(self.b))
            .between(self.on_a.into(), self.on_b.into())
            .collides(self.collides);
        if kind != JointKind::Distance {
            spec = spec.along(self.axis.into());
        }
        if self.has_limits {
            spec = spec.limits(self.lower, self.upper);
        }
        let most = self.motor_most;
        match self.motor {
            NO_MOTOR => {}
            SPEED => spec = spec.motor(Motor::Speed { speed: self.motor_speed, most }),
            SPRING => {
                let (target, stiffness, damping) =
                    (self.motor_target, self.motor_stiffness, self.motor_damping);
                spec = spec.motor(Motor::Spring { target, stiffness, damping, most });
            }
            other => {
                return Err(Failure::refused(format!("motor must be a ds_motor_kind, 0 to 2, got {other}")));
            }
        }
        if self.friction != 0.0 {
            spec = spec.friction(self.friction);
        }
        if self.cone != f32::INFINITY {
            spec = spec.cone(self.cone);
        }
        if [self.break_force, self.break_torque] != [f32::INFINITY; 2] {
            spec = spec.breaks_above(self.break_force, self.break_torque);
        }
        Ok(spec)
    }
}

/// Adds a joint.
///
/// # Safety
/// `world` is one; `options` is valid; `added` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_add_joint(
    world: *mut ds_world,
    options: *const ds_joint_options,
    added: *mut ds_joint,
) -> ds_status {
    call(|| {
        if added.is_null() {
            return Err(Failure::null("added"));
        }
        // SAFETY: as the caller promises.
        let (world, options) = unsafe { (change(world, "world")?, read(options, "options")?) };
        let handle = world.change(|world| Ok(world.add_joint(&options.spec()?)?))?;
        // SAFETY: as the caller promises.
        unsafe { give(added, number(handle), "added") }
    })
}

/// An articulation of a world. One that is gone is refused.
pub type ds_articulation = u64;

/// Makes `count` joints an articulation: they are solved by their coordinates from now on, all of one tree of links at once. It is no more as soon as one of its
/// joints or bodies is removed.
///
/// # Safety
/// `world` is one; `joints` is valid for reads of `count`; `added` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_add_articulation(
    world: *mut ds_world,
    joints: *const ds_joint,
    count: usize,
    added: *mut ds_articulation,
) -> ds_status {
    call(|| {
        if added.is_null() {
            return Err(Failure::null("added"));
        }
        // SAFETY: as the caller promises.
        let (world, joints) = unsafe { (change(world, "world")?, slice(joints, count, "joints")?) };
        let joints: Vec<JointHandle> = joints.iter().copied().map(joint).collect();
        let handle = world.change(|world| Ok(world.add_articulation(&joints)?))?;
        // SAFETY: as the caller promises.
        unsafe { give(added, u64::from(handle.generation) << 32 | u64::from(handle.index), "added") }
    })
}

/// Removes an articulation: its joints are constraints again.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_remove_articulation(
    world: *mut ds_world,
    removed: ds_articulation,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { change(world, "world") }?;
        let handle = ArticulationHandle { index: removed as u32, generation: (removed >> 32) as u32 };
        world.change(|world| Ok(world.remove_articulation(handle)?))
    })
}

/// Removes a joint; its bodies wake.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_remove_joint(world: *mut ds_world, removed: ds_joint) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { change(world, "world") }?;
        world.change(|world| Ok(world.remove_joint(joint(removed))?))
    })
}

/// A joint as it is.
///
/// # Safety
/// `world` is one; `state` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_joint(
    world: *const ds_world,
    of: ds_joint,
    state: *mut ds_joint_state,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let found = unsafe { read(world, "world") }?.to_read()?.joint(joint(of))?;
        let state_of = ds_joint_state {
            force: (&found.force).into(),
            torque: (&found.torque).into(),
            coordinates: found.coordinates.values,
            error: found.error[0],
            angular_error: found.error[1],
        };
        // SAFETY: as the caller promises.
        unsafe { give(state, state_of, "state") }
    })
}

/// Joints that broke in the last step: as many as there is room for, and how many there are.
///
/// # Safety
/// `world` is one; `broken` is null with a capacity of 0, or has room for `capacity` values; `count` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_broken_joints(
    world: *const ds_world,
    broken: *mut ds_joint,
    capacity: usize,
    count: *mut usize,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { read(world, "world") }?.to_read()?;
        // SAFETY: as the caller promises.
        unsafe { give_all(world.broken_joints().iter().copied().map(number), broken, capacity, count) }
    })
}
