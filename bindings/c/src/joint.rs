//! Joints.

use crate::body::{ds_body, handle};
use crate::call::{Failure, call, change, ds_status, give, give_all, read, slice};
use crate::collider::{ds_position, ds_vec3};
use crate::world::ds_world;
use drystone::{ArticulationHandle, JointAxis, JointHandle, JointKind, JointSpec, Motor, Softness};

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
    /// One axis in common: it goes on by `pitch` per revolution.
    Screw = 6,
    /// B is a wheel on A: it turns about `axis`, and goes along `across` on a spring (`suspension`), about which it is steered.
    Wheel = 7,
    /// Everything is held, by springs as far as `linear` and `angular` say.
    SoftWeld = 8,
}

/// A coordinate of a joint; a place in `coordinates` and `velocities`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_joint_axis {
    /// Ways along the axes of A's frame, m.
    X = 0,
    Y = 1,
    Z = 2,
    /// Turn about x, rad; of hinges, screws and wheels over any number of revolutions.
    Twist = 3,
    /// Turns of the x axis, rad.
    SwingY = 4,
    SwingZ = 5,
    /// Distance of the two points, m.
    Distance = 6,
}

/// How a spring with a damper is told.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_spring_kind {
    /// None: held.
    None = 0,
    /// By its constants: N/m and N·s/m, or N·m/rad and N·m·s/rad.
    Stiffness = 1,
    /// By how the two bodies would swing on it: Hz, and a damping ratio (1: critical).
    Frequency = 2,
}

/// A spring with a damper; of zeros alone: none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_spring {
    /// A ds_spring_kind.
    pub kind: u32,
    /// Stiffness or frequency.
    pub value: f32,
    pub damping: f32,
}

impl ds_spring {
    const NONE: Self = Self { kind: ds_spring_kind::None as u32, value: 0.0, damping: 0.0 };

    fn softness(self) -> Result<Option<Softness>, Failure> {
        let Self { kind, value, damping } = self;
        match kind {
            0 => Ok(None),
            1 => Ok(Some(Softness::Stiffness { stiffness: value, damping })),
            2 => Ok(Some(Softness::Frequency { frequency: value, damping_ratio: damping })),
            other => Err(Failure::refused(format!(
                "the kind of a spring must be a ds_spring_kind, 0 to 2, got {other}"
            ))),
        }
    }
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
    /// All of it: `motor_force` and a spring with a damper to a target that moves with `motor_speed`.
    Servo = 3,
}

/// A motor. Of zeros alone: none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_motor {
    /// A ds_motor_kind.
    pub kind: u32,
    /// m/s or rad/s.
    pub speed: f32,
    /// m or rad.
    pub target: f32,
    pub stiffness: f32,
    pub damping: f32,
    /// Feed-forward of a servo, N or N·m.
    pub force: f32,
    /// Largest force (N) or torque (N·m).
    pub most: f32,
}

impl ds_motor {
    fn motor(self) -> Result<Option<Motor>, Failure> {
        let Self { kind, speed, target, stiffness, damping, force, most } = self;
        match kind {
            NO_MOTOR => Ok(None),
            SPEED => Ok(Some(Motor::Speed { speed, most })),
            SPRING => Ok(Some(Motor::Spring { target, stiffness, damping, most })),
            SERVO => Ok(Some(Motor::Servo { target, speed, stiffness, damping, force, max_force: most })),
            other => Err(Failure::refused(format!("motor must be a ds_motor_kind, 0 to 3, got {other}"))),
        }
    }
}

const NO_MOTOR: u32 = ds_motor_kind::None as u32;
const SPEED: u32 = ds_motor_kind::Speed as u32;
const SPRING: u32 = ds_motor_kind::Spring as u32;
const SERVO: u32 = ds_motor_kind::Servo as u32;

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
    /// Feed-forward of a servo, N or N·m.
    pub motor_force: f32,
    /// Largest force (N) or torque (N·m) of the motor.
    pub motor_most: f32,
    /// Of a wheel: its y axis, world, any length: the part of it across `axis`.
    pub across: ds_vec3,
    /// Of a wheel: angle by which it is steered, rad.
    pub steering: f32,
    pub suspension: ds_spring,
    /// Of a screw: how far it goes per revolution, m.
    pub pitch: f32,
    /// Of a soft weld: along ways and about axes.
    pub linear: ds_spring,
    pub angular: ds_spring,
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
    /// Ways along x, y, z (m), twist and two swings (rad), distance (m); the twist of hinges, screws and wheels counts revolutions.
    pub coordinates: [f32; 7],
    /// How fast they change, m/s and rad/s.
    pub velocities: [f32; 7],
    /// Of a wheel: angle by which it is steered, rad.
    pub steering: f32,
    /// Of couplings and screws: the sum that they hold, how fast it changes, how far it is beyond its limits, and the force along it; else 0.
    pub sum: f64,
    pub sum_velocity: f32,
    pub sum_error: f32,
    pub sum_force: f32,
    /// How far what it holds is from where it should be, m, and turned, rad.
    pub error: f32,
    pub angular_error: f32,
}

pub(crate) fn number(handle: JointHandle) -> ds_joint {
    u64::from(handle.generation) << 32 | u64::from(handle.index)
}

pub(crate) fn joint(number: ds_joint) -> JointHandle {
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
        motor_force: 0.0,
        motor_most: f32::INFINITY,
        across: ds_vec3 { x: 0.0, y: 1.0, z: 0.0 },
        steering: 0.0,
        suspension: ds_spring::NONE,
        pitch: 0.0,
        linear: ds_spring::NONE,
        angular: ds_spring::NONE,
        friction: 0.0,
        cone: f32::INFINITY,
        break_force: f32::INFINITY,
        break_torque: f32::INFINITY,
        collides: false,
    }
}

impl ds_joint_options {
    fn spec(&self) -> Result<JointSpec, Failure> {
        const KINDS: [JointKind; 9] = [
            JointKind::Distance,
            JointKind::Ball,
            JointKind::Hinge,
            JointKind::Slider,
            JointKind::Fixed,
            JointKind::ConeTwist,
            JointKind::Screw,
            JointKind::Wheel,
            JointKind::SoftWeld,
        ];
        let kind = *KINDS.get(self.kind as usize).ok_or_else(|| {
            Failure::refused(format!("kind must be a ds_joint_kind, 0 to 8, got {}", self.kind))
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
        if kind == JointKind::Wheel {
            spec = spec.across(self.across.into()).steering(self.steering);
        }
        if kind == JointKind::Screw {
            spec = spec.pitch(self.pitch);
        }
        if let Some(softness) = self.suspension.softness()? {
            spec = spec.suspension(softness);
        }
        if let Some(softness) = self.linear.softness()? {
            spec = spec.linear_spring(softness);
        }
        if let Some(softness) = self.angular.softness()? {
            spec = spec.angular_spring(softness);
        }
        let motor = ds_motor {
            kind: self.motor,
            speed: self.motor_speed,
            target: self.motor_target,
            stiffness: self.motor_stiffness,
            damping: self.motor_damping,
            force: self.motor_force,
            most: self.motor_most,
        };
        if let Some(motor) = motor.motor()? {
            spec = spec.motor(motor);
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

/// A coordinate by its number.
pub(crate) fn axis(number: u32) -> Result<JointAxis, Failure> {
    let axis = JointAxis::ALL.get(number as usize).copied();
    axis.ok_or_else(|| Failure::refused(format!("axis must be a ds_joint_axis, 0 to 6, got {number}")))
}

/// Sets what drives a coordinate (a ds_joint_axis) of a joint; its bodies wake.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_set_motor(
    world: *mut ds_world,
    of: ds_joint,
    axis_of: u32,
    motor: ds_motor,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { change(world, "world") }?;
        world.change(|world| Ok(world.set_motor(joint(of), axis(axis_of)?, motor.motor()?)?))
    })
}

/// Sets the limits of a coordinate (a ds_joint_axis) of a joint, m or rad, infinite for none; its bodies wake.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_set_joint_limits(
    world: *mut ds_world,
    of: ds_joint,
    axis_of: u32,
    lower: f32,
    upper: f32,
) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { change(world, "world") }?;
        world.change(|world| Ok(world.set_joint_limits(joint(of), axis(axis_of)?, [lower, upper])?))
    })
}

/// Steers a wheel by an angle from straight on, rad; its bodies wake.
///
/// # Safety
/// `world` is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_set_steering(world: *mut ds_world, of: ds_joint, angle: f32) -> ds_status {
    call(|| {
        // SAFETY: as the caller promises.
        let world = unsafe { change(world, "world") }?;
        world.change(|world| Ok(world.set_steering(joint(of), angle)?))
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

/// Removes a joint, and what couples it; its bodies wake.
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
            velocities: found.velocities,
            steering: found.steering,
            sum: found.coupling.map_or(0.0, |coupling| coupling.sum),
            sum_velocity: found.coupling.map_or(0.0, |coupling| coupling.velocity),
            sum_error: found.coupling.map_or(0.0, |coupling| coupling.error() as f32),
            sum_force: found.coupling.map_or(0.0, |coupling| coupling.force),
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
