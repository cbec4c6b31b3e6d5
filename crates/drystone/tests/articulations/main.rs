//! Articulations in a world. Trusted: Lagrange's equations integrated by a Runge-Kutta method of small steps, statics, conservation of energy.

mod balls;
mod contact;
mod fast;
mod life;
mod motion;
mod overlaps;

use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Real, Vector3};
use drystone::{
    ArticulationHandle, BodyHandle, BodySpec, ColliderSpec, JointHandle, JointSpec, Motor, Shape, World,
    WorldConfig,
};

/// A world of this shape of step.
struct Sim {
    world: World,
    dt: Real,
}

impl Sim {
    fn new(dt: Real) -> Self {
        Self::with(WorldConfig::default(), dt)
    }

    fn with(config: WorldConfig, dt: Real) -> Self {
        Self { world: World::new(config).expect("valid"), dt }
    }

    /// Without sleep, so that what creeps is seen.
    fn awake(dt: Real) -> Self {
        let mut config = WorldConfig::default();
        config.sleeping.enabled = false;
        Self::with(config, dt)
    }

    fn step(&mut self) {
        self.world.step(self.dt).expect("a step");
    }

    fn run(&mut self, seconds: Real) {
        for _ in 0..(seconds / self.dt).round() as u32 {
            self.step();
        }
    }

    /// Ground whose top is at height 0.
    fn ground(&mut self) -> BodyHandle {
        let half = Vector3::new(20.0, 0.5, 20.0);
        let spec = BodySpec::fixed().pose(Pose::at(0.0, -0.5, 0.0)).collider(cuboid(half));
        self.world.add_body(spec).expect("valid")
    }

    /// A box of this mass (kg) and half extents (m) here.
    fn add_box(&mut self, mass: Real, half: Vector3, at: [f64; 3]) -> BodyHandle {
        let spec = BodySpec::dynamic().pose(Pose::at(at[0], at[1], at[2])).collider(cuboid(half));
        self.world.add_body(spec.mass(box_mass(mass, &half))).expect("valid")
    }

    /// A box of a robot: of this mass, and without a collider where it has no half extents to touch with.
    fn add_bone(&mut self, mass: Real, half: Vector3, at: [f64; 3]) -> BodyHandle {
        let spec = BodySpec::dynamic().pose(Pose::at(at[0], at[1], at[2]));
        self.world.add_body(spec.mass(box_mass(mass, &half))).expect("valid")
    }

    fn hinge(
        &mut self,
        bodies: [BodyHandle; 2],
        at: [f64; 3],
        axis: Vector3,
        motor: Option<Motor>,
    ) -> JointHandle {
        let [a, b] = bodies;
        let spec = JointSpec::hinge(a, b).at(Position::new(at[0], at[1], at[2])).along(axis);
        let spec = if let Some(motor) = motor { spec.motor(motor) } else { spec };
        self.world.add_joint(&spec).expect("valid")
    }

    fn articulate(&mut self, joints: &[JointHandle]) -> ArticulationHandle {
        self.world.add_articulation(joints).expect("a tree")
    }

    fn place(&self, body: BodyHandle) -> Position {
        self.world.pose(body).expect("there").translation
    }

    /// Kinetic and potential energy of all bodies that move, J.
    fn energy(&self) -> f64 {
        let store = self.world.body_store();
        let gravity = f64::from(self.world.config().gravity.y);
        let own = |body| {
            store.kinetic_energy(body)
                - f64::from(store.mass(body)) * gravity * store.center_pose(body).translation.y
        };
        store.indices().filter(|&body| store.hot(body).is_dynamic()).map(own).sum()
    }
}

fn cuboid(half: Vector3) -> ColliderSpec {
    ColliderSpec::new(Shape::cuboid(half).expect("positive"))
}

fn box_mass(mass: Real, half: &Vector3) -> MassProperties {
    let square = half.component_mul(half);
    let moments = Vector3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (mass / 3.0);
    MassProperties::aligned(mass, moments)
}

/// A spring with a damper on a joint.
fn hold(target: Real, stiffness: Real, damping: Real, most: Real) -> Motor {
    Motor::Spring { target, stiffness, damping, most }
}
