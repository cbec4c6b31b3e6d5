//! What couples joints: gears, racks, pulleys.

use crate::call::{Failure, call, change, ds_status, give, read};
use crate::joint::{axis, ds_joint, ds_joint_axis, joint, number};
use crate::world::ds_world;
use drystone::CouplingSpec;

/// What couples two joints.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ds_coupling_kind {
    /// The second joint turns by `ratio` times what the first one turns by.
    Gear = 0,
    /// The second joint slides by `ratio` (m per rad) times what the first one turns by.
    RackAndPinion = 1,
    /// The first distance and `ratio` times the second one are at most what they are.
    Pulley = 2,
    /// The sum of two coordinates (`axes`) with `factors` is what it is.
    Sum = 3,
}

/// A coupling to be. Begin with `ds_coupling_options_default`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ds_coupling_options {
    /// A ds_coupling_kind.
    pub kind: u32,
    pub first: ds_joint,
    pub second: ds_joint,
    pub ratio: f32,
    /// ds_joint_axis, of a sum.
    pub axes: [u32; 2],
    pub factors: [f32; 2],
    /// Limits of the sum in place of what it is now; infinite for none.
    pub has_limits: bool,
    pub least: f64,
    pub greatest: f64,
    /// It breaks above this force (N) or torque (N·m) on the second joint; infinite for never.
    pub break_force: f32,
    pub break_torque: f32,
    /// Whether its bodies meet each other.
    pub collides: bool,
}

/// A coupling without limits of its own, that does not break; of a sum both factors are 0, which is refused.
#[unsafe(no_mangle)]
pub extern "C" fn ds_coupling_options_default(
    kind: u32,
    first: ds_joint,
    second: ds_joint,
    ratio: f32,
) -> ds_coupling_options {
    ds_coupling_options {
        kind,
        first,
        second,
        ratio,
        axes: [ds_joint_axis::Twist as u32; 2],
        factors: [0.0; 2],
        has_limits: false,
        least: f64::NEG_INFINITY,
        greatest: f64::INFINITY,
        break_force: f32::INFINITY,
        break_torque: f32::INFINITY,
        collides: false,
    }
}

impl ds_coupling_options {
    fn spec(&self) -> Result<CouplingSpec, Failure> {
        let [first, second] = [joint(self.first), joint(self.second)];
        let mut spec = match self.kind {
            0 => CouplingSpec::gear(first, second, self.ratio),
            1 => CouplingSpec::rack_and_pinion(first, second, self.ratio),
            2 => CouplingSpec::pulley(first, second, self.ratio),
            3 => {
                let axes = [axis(self.axes[0])?, axis(self.axes[1])?];
                CouplingSpec::new([first, second], axes, self.factors)
            }
            other => {
                return Err(Failure::refused(format!(
                    "kind must be a ds_coupling_kind, 0 to 3, got {other}"
                )));
            }
        };
        if self.has_limits {
            spec = spec.limits(self.least, self.greatest);
        }
        Ok(spec.breaks_above(self.break_force, self.break_torque).collides(self.collides))
    }
}

/// Couples coordinates of two joints: the joint that it is goes with either of them.
///
/// # Safety
/// `world` is one; `options` is valid; `added` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_world_add_coupling(
    world: *mut ds_world,
    options: *const ds_coupling_options,
    added: *mut ds_joint,
) -> ds_status {
    call(|| {
        if added.is_null() {
            return Err(Failure::null("added"));
        }
        // SAFETY: as the caller promises.
        let (world, options) = unsafe { (change(world, "world")?, read(options, "options")?) };
        let handle = world.change(|world| Ok(world.add_coupling(&options.spec()?)?))?;
        // SAFETY: as the caller promises.
        unsafe { give(added, number(handle), "added") }
    })
}
