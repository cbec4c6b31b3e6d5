//! A robot in a world of drystone.

use super::{DAMPING, FRICTION, Form, GROUND, MAX_TORQUE, Robot};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Real, RelativePose, Rotation, Vector3};
use drystone::{
    ArticulationHandle, BodyHandle, BodySpec, ColliderSpec, JointAxis, JointHandle, JointSpec, Motor,
    PairMaterial, Shape, World, WorldConfig, WorldError,
};

const DT: Real = 1.0 / 60.0;

/// A robot on its ground.
pub(crate) struct RobotWorld {
    pub(crate) world: World,
    pub(crate) joints: Vec<JointHandle>,
    links: Vec<BodyHandle>,
    targets: Vec<Real>,
}

fn narrow(v: [f64; 3]) -> Vector3 {
    Vector3::from(v.map(|x| x as Real))
}

fn pose(at: [f64; 3]) -> Pose {
    Pose::at(at[0], at[1], at[2])
}

impl RobotWorld {
    /// With joints as constraints; [`RobotWorld::articulate`] makes them an articulation.
    pub(crate) fn new(robot: &Robot) -> Result<Self, WorldError> {
        let mut config = WorldConfig::default();
        config.sleeping.enabled = false;
        let mut world = World::new(config)?;
        let friction = FRICTION as Real;
        world.materials_mut().set_all_pairs(PairMaterial {
            restitution: 0.0,
            static_friction: friction,
            kinetic_friction: friction,
            ..PairMaterial::default()
        })?;
        let collider = |form: Form| -> Result<ColliderSpec, WorldError> {
            Ok(match form {
                Form::Cuboid(half) => ColliderSpec::new(Shape::cuboid(narrow(half))?),
                Form::Ball(radius, at) => ColliderSpec::new(Shape::sphere(radius as Real)?)
                    .local(RelativePose::new(narrow(at), Rotation::identity())),
            })
        };
        let ground = collider(Form::Cuboid(GROUND))?;
        world.add_body(BodySpec::fixed().pose(pose([0.0, -GROUND[1], 0.0])).collider(ground))?;
        let base = world.add_body(BodySpec::fixed())?;
        let mut links = Vec::new();
        for link in &robot.links {
            let mass = MassProperties::aligned(link.mass as Real, narrow(link.moments()));
            let spec = BodySpec::dynamic().pose(pose(link.at)).mass(mass);
            let form = link.form.map(collider).transpose()?;
            links.push(world.add_body(form.into_iter().fold(spec, BodySpec::collider))?);
        }
        let (mut joints, mut targets) = (Vec::new(), Vec::new());
        for hinge in &robot.hinges {
            let (target, stiffness) = (hinge.target as Real, hinge.stiffness as Real);
            let motor = Motor::Spring {
                target,
                stiffness,
                damping: DAMPING as Real * stiffness,
                most: MAX_TORQUE as Real,
            };
            let parent = hinge.parent.map_or(base, |link| links[link]);
            let spec = JointSpec::hinge(parent, links[hinge.child])
                .at(Position::from(hinge.at))
                .along(narrow(hinge.direction()))
                .motor(motor);
            joints.push(world.add_joint(&spec)?);
            targets.push(target);
        }
        Ok(Self { world, joints, links, targets })
    }

    /// Makes its joints an articulation.
    pub(crate) fn articulate(&mut self) -> Result<ArticulationHandle, WorldError> {
        self.world.add_articulation(&self.joints)
    }

    pub(crate) fn step(&mut self) -> Result<(), WorldError> {
        self.world.step(DT).map(drop)
    }

    /// Farthest that a joint is apart, m.
    pub(crate) fn joint_error(&self) -> Result<Real, WorldError> {
        self.joints.iter().try_fold(0.0, |most: Real, &joint| Ok(most.max(self.world.joint(joint)?.error[0])))
    }

    /// Height of the first link, m, and the mean of how far its hinges are from their targets, rad.
    pub(crate) fn pose(&self) -> Result<[f64; 2], WorldError> {
        let mut sum = 0.0;
        for (joint, target) in self.joints.iter().zip(&self.targets) {
            sum += f64::from((self.world.joint(*joint)?.value(JointAxis::Twist) - target).abs());
        }
        let height = self.world.body(self.links[0])?.pose.translation.y;
        Ok([height, sum / self.joints.len() as f64])
    }
}
