//! drystone in Bevy 0.19: bodies, colliders and joints as components, steps of fixed length, poses between steps, messages, queries.
//!
//! In: components ([`RigidBody`], [`Colliders`], [`Joint`], [`Coupling`] and what belongs to them) and the time that frames take ([`StepClock`]). Out:
//! `Transform`s in [`PostUpdate`](bevy_app::PostUpdate), before they are propagated; [`Velocity`]; [`Asleep`]; messages ([`Happened`],
//! [`JointBroke`], [`Refused`]). Start reading at [`DrystonePlugin`].
//!
//! Invariants: one step is one run of [`PhysicsStep`], always of the same length, so a run depends on the components and on the number of steps, not on
//! frames; what is read back costs the bodies that move, not those that are there; what the world refuses is told, never dropped, and leaves
//! the world as it was.
//!
//! Depends on `bevy_app`, `bevy_ecs`, `bevy_math` and `bevy_transform` alone: no window, no renderer, no clock of Bevy's.
//!
//! ```
//! use bevy_app::App;
//! use bevy_transform::components::Transform;
//! use drystone::{Shape, WorldConfig};
//! use drystone_bevy::{Colliders, DrystonePlugin, RigidBody, StepClock};
//! let mut app = App::new();
//! app.add_plugins(DrystonePlugin::new(WorldConfig::default())?.clock(StepClock::fixed(60.0, 1.0 / 60.0)));
//! app.world_mut().spawn((RigidBody::Fixed, Colliders::from(Shape::half_space([0.0, 1.0, 0.0].into())?)));
//! let ball = app.world_mut().spawn((RigidBody::Dynamic, Colliders::from(Shape::sphere(0.5)?), Transform::from_xyz(0.0, 3.0, 0.0))).id();
//! for _ in 0..180 {
//!     app.update();
//! }
//! let height = app.world().get::<Transform>(ball).expect("it is there").translation.y;
//! assert!((height - 0.5).abs() < 1e-3, "it lies on the ground");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
mod components;
mod convert;
mod coupling;
mod joint;
mod joints;
mod message;
mod physics;
mod plugin;
mod read_in;
mod rollback;
mod step;
mod write_out;

pub use clock::{ClockSource, StepClock};
pub use components::{
    Asleep, CanSleep, Colliders, ConstantForce, Damping, GravityScale, LockedAxes, MassOverride, RigidBody,
    Velocity,
};
pub use convert::{place, pose, vec3, vector};
pub use coupling::Coupling;
pub use joint::Joint;
pub use message::{Happened, JointBroke, Refused};
pub use physics::{EntityHit, Physics};
pub use plugin::{DrystonePlugin, PhysicsSet, PhysicsStep};

/// The engine, for what the components do not say.
pub use drystone;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/first-pile.md")]
struct FirstPile;
