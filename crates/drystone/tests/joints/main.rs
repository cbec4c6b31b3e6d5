//! Joints in a world. Trusted: closed forms of pendulums and springs, conservation of momentum and energy, statics.

/// Tests a fact with these methods: `fact::name` each.
macro_rules! with_methods {
    ($fact:ident: $($name:ident $method:ident),*) => {
        mod $fact {
            $(#[test]
            fn $name() {
                super::$fact(&crate::$method);
            })*
        }
    };
}

/// Tests facts with every method.
macro_rules! with_every_method {
    ($($fact:ident),* $(,)?) => {$(
        with_methods!($fact: sub_step SUB_STEP, thesis_fast THESIS_FAST, thesis_accurate THESIS_ACCURATE, nsgs NSGS, lcp LCP);
    )*};
}

/// Tests facts with the methods that resolve blows one after the other: with all of a step at once a blow does not run through a row of balls.
macro_rules! with_single_blows {
    ($($fact:ident),* $(,)?) => {$(
        with_methods!($fact: sub_step SUB_STEP, thesis_fast THESIS_FAST, thesis_accurate THESIS_ACCURATE);
    )*};
}

mod chains;
mod couplings;
mod drives;
mod kinds;
mod life;
mod limits;
mod lint;
mod locked_axes;
mod paces;
mod passive;
mod pendulum;
mod piles;
mod presets;
mod residuals;
mod round;
mod servos;
mod slender;
mod turning;

use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real, Vector3};
use drystone::{BodyHandle, BodySpec, ColliderSpec, Shape, SleepConfig, World, WorldConfig};
use std::ops::{Deref, DerefMut};

/// A method, with the steps that it is made for.
struct Method {
    config: fn() -> WorldConfig,
    /// s.
    dt: Real,
}

const SUB_STEP: Method = Method { config: WorldConfig::default, dt: 1.0 / 60.0 };
const THESIS_FAST: Method = Method { config: WorldConfig::thesis_fast, dt: 1.0 / 240.0 };
const NSGS: Method = Method { config: WorldConfig::nsgs, dt: 1.0 / 240.0 };
const LCP: Method = Method { config: WorldConfig::lcp, dt: 1.0 / 240.0 };
const THESIS_ACCURATE: Method = Method { config: WorldConfig::thesis_accurate, dt: 1.0 / 240.0 };

impl Method {
    fn world(&self) -> Sim {
        self.world_of((self.config)())
    }

    fn world_of(&self, config: WorldConfig) -> Sim {
        Sim { world: World::new(config).expect("valid"), dt: self.dt }
    }

    /// True for impulses, whose steps are not cut into smaller ones.
    fn is_impulse(&self) -> bool {
        self.dt < SUB_STEP.dt
    }

    /// The one for sub-steps, or the other one for impulses.
    fn pick<T>(&self, sub_step: T, impulse: T) -> T {
        if self.is_impulse() { impulse } else { sub_step }
    }
}

/// A world with its step.
struct Sim {
    world: World,
    dt: Real,
}

impl Sim {
    fn tick(&mut self) {
        self.world.step(self.dt).expect("a step");
    }

    /// Steps in so many sixtieths of a second.
    fn steps(&self, sixtieths: u32) -> u32 {
        sixtieths * (1.0 / (60.0 * self.dt)).round() as u32
    }
}

impl Deref for Sim {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl DerefMut for Sim {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

/// A world in which nothing sleeps.
fn sleepless(method: &Method) -> Sim {
    let config = (method.config)();
    let sleeping = SleepConfig { enabled: false, ..config.sleeping };
    method.world_of(WorldConfig { sleeping, ..config })
}

/// The same without gravity.
fn weightless(method: &Method) -> Sim {
    let config = (method.config)();
    let sleeping = SleepConfig { enabled: false, ..config.sleeping };
    method.world_of(WorldConfig { sleeping, gravity: Vector3::zeros(), ..config })
}

/// A cube of 0.2 m of a kilogram (m).
fn cube(world: &mut World, pose: Pose) -> BodyHandle {
    let half = Vector3::new(0.1, 0.1, 0.1);
    let cube = ColliderSpec::new(Shape::cuboid(half).expect("positive"));
    let mass = MassProperties::cuboid(&half, 125.0);
    world.add_body(BodySpec::dynamic().pose(pose).collider(cube).mass(mass)).expect("room")
}

/// Goes on for so many sixtieths of a second.
fn run(world: &mut Sim, sixtieths: u32) {
    for _ in 0..world.steps(sixtieths) {
        world.tick();
    }
}
