//! Rapier: multibodies, serial and in `f32`.

use crate::Runs;
use crate::robots::{DAMPING, FRICTION, Form, GROUND, MAX_TORQUE, Robot};
use rapier3d::math::Vector;
use rapier3d::prelude::{
    ColliderBuilder, MassProperties, MotorModel, MultibodyJointHandle, PhysicsWorld, RevoluteJointBuilder,
    RigidBodyBuilder, RigidBodyHandle,
};

/// A robot on its ground.
struct RapierRobot {
    world: PhysicsWorld,
    links: Vec<RigidBodyHandle>,
    /// Child, axis of its hinge, target: joints of a multibody are read by the turn between links.
    hinges: Vec<(Option<usize>, usize, usize, f64)>,
    joints: Vec<MultibodyJointHandle>,
}

fn narrow(v: [f64; 3]) -> Vector {
    Vector::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

fn minus(a: [f64; 3], b: [f64; 3]) -> Vector {
    narrow(std::array::from_fn(|k| a[k] - b[k]))
}

fn cuboid(half: [f64; 3]) -> ColliderBuilder {
    ColliderBuilder::cuboid(half[0] as f32, half[1] as f32, half[2] as f32)
}

pub(crate) fn start(robot: &Robot) -> Result<Box<dyn Runs>, String> {
    let mut world = PhysicsWorld { gravity: Vector::new(0.0, -9.81, 0.0), ..PhysicsWorld::new() };
    world.integration_parameters.dt = 1.0 / 60.0;
    let surface = |collider: ColliderBuilder| collider.density(0.0).friction(FRICTION as f32);
    let ground = RigidBodyBuilder::fixed().translation(narrow([0.0, -GROUND[1], 0.0]));
    world.insert(ground, surface(cuboid(GROUND)));
    let base = world.insert_body(RigidBodyBuilder::fixed());
    let mut links = Vec::new();
    for link in &robot.links {
        let mass = MassProperties::new(Vector::ZERO, link.mass as f32, narrow(link.moments()));
        let body = RigidBodyBuilder::dynamic()
            .translation(narrow(link.at))
            .additional_mass_properties(mass)
            .can_sleep(false);
        let collider = link.form.map(|form| match form {
            Form::Cuboid(half) => cuboid(half),
            Form::Ball(radius, at) => ColliderBuilder::ball(radius as f32).translation(narrow(at)),
        });
        links.push(match collider {
            Some(collider) => world.insert(body, surface(collider)).0,
            None => world.insert_body(body),
        });
    }
    let mut joints = Vec::new();
    for hinge in &robot.hinges {
        let (parent, place) = match hinge.parent {
            Some(link) => (links[link], robot.links[link].at),
            None => (base, [0.0; 3]),
        };
        let joint = RevoluteJointBuilder::new(narrow(hinge.direction()))
            .local_anchor1(minus(hinge.at, place))
            .local_anchor2(minus(hinge.at, robot.links[hinge.child].at))
            .motor_model(MotorModel::ForceBased)
            .motor_position(hinge.target as f32, hinge.stiffness as f32, (DAMPING * hinge.stiffness) as f32)
            .motor_max_force(MAX_TORQUE as f32)
            .contacts_enabled(false);
        let made = world.insert_multibody_joint(parent, links[hinge.child], joint.build());
        joints.push(made.ok_or("Rapier refuses a joint")?);
    }
    let hinges =
        robot.hinges.iter().map(|hinge| (hinge.parent, hinge.child, hinge.axis, hinge.target)).collect();
    Ok(Box::new(RapierRobot { world, links, hinges, joints }))
}

impl Runs for RapierRobot {
    fn step(&mut self) -> Result<(), String> {
        self.world.step();
        Ok(())
    }

    fn look(&self) -> Result<[f64; 3], String> {
        debug_assert!(self.joints.len() == self.hinges.len(), "a joint per hinge");
        let turn = |link: usize| *self.world.bodies[self.links[link]].rotation();
        let mut sum = 0.0;
        for &(parent, child, axis, target) in &self.hinges {
            let relative = parent.map_or(turn(child), |parent| turn(parent).inverse() * turn(child));
            let part = [relative.x, relative.y, relative.z][axis];
            sum += (2.0 * f64::from(part).atan2(f64::from(relative.w)) - target).abs();
        }
        let points = |pair: &rapier3d::geometry::ContactPair| pair.has_any_active_contact();
        let contacts = self.world.narrow_phase.contact_pairs().filter(|pair| points(pair)).count();
        let height = f64::from(self.world.bodies[self.links[0]].translation().y);
        Ok([contacts as f64, height, sum / self.hinges.len() as f64])
    }
}
