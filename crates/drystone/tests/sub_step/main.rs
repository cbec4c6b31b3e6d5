//! The sub-stepping method in whole worlds, with [`drystone::WorldConfig::fast`] at 60 steps per second: what
//! needs detection. One manifold at a time is tested in `crates/resolution/tests/sub_step`.

#[path = "../common/mod.rs"]
mod common;

mod bounce;
mod coarse;
mod held;
mod resting;
mod rolling;
mod sleeping;
mod sliding;
mod surfaces;
mod totality;

use drystone::WorldConfig;

/// The rate that the preset is made for, steps per second.
const HZ: f32 = 60.0;

/// The preset with sleeping off.
fn fast_awake() -> WorldConfig {
    let mut config = WorldConfig::fast();
    config.sleeping.enabled = false;
    config
}
