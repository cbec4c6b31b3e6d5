//! Rapier. Serial, `parallel` and `simd8` are builds of their own: its features hold for the whole program.

use super::{SLAB, slab_pose};
use crate::engine::{Engine, Motion, compiled_for};
use crate::joint::{JointForm, TaskJoint};
use crate::run::Options;
use crate::task::{Task, TaskBody};
use drystone_collision::Shape;
use drystone_math::{Pose, Position, Quaternion, Rotation, Vector3};
use rapier3d::prelude::{
    ColliderBuilder, GenericJointBuilder, JointAxesMask, JointAxis, PhysicsWorld, RigidBodyBuilder,
    RigidBodyHandle,
};
use std::collections::BTreeMap;

/// A world of Rapier.
pub(super) struct Rapier {
    world: PhysicsWorld,
    handles: Vec<(usize, RigidBodyHandle)>,
    /// The same by index.
    at: BTreeMap<usize, RigidBodyHandle>,
    friction: f32,
    restitution: f32,
    sleep: bool,
}

/// Factor of a motor that stands for friction, 1/s: so large that only its largest torque counts.
const STIFF: f32 = 1e3;

fn vector(v: &Vector3) -> rapier3d::math::Vector {
    rapier3d::math::Vector::new(v.x, v.y, v.z)
}

fn pose_of(pose: &Pose) -> rapier3d::math::Pose {
    let (p, q) = (&pose.translation, pose.rotation.coords);
    let turn = rapier3d::math::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    rapier3d::math::Pose::from_parts(vector(&Vector3::new(p.x as f32, p.y as f32, p.z as f32)), turn)
}

impl Rapier {
    pub(super) fn new(task: &Task, options: &Options) -> Result<Self, String> {
        let mut world = PhysicsWorld { gravity: vector(&task.gravity), ..PhysicsWorld::new() };
        threads(&mut world, options.threads)?;
        let (friction, restitution) = (task.friction, task.restitution);
        Ok(Self {
            world,
            handles: Vec::new(),
            at: BTreeMap::new(),
            friction,
            restitution,
            sleep: options.sleep,
        })
    }
}

#[cfg(feature = "rapier-parallel")]
fn threads(world: &mut PhysicsWorld, count: usize) -> Result<(), String> {
    world.configure_thread_pool(count).map_err(|e| e.to_string())
}

#[cfg(not(feature = "rapier-parallel"))]
fn threads(_: &mut PhysicsWorld, count: usize) -> Result<(), String> {
    if count == 1 { Ok(()) } else { Err("this build of Rapier has one thread".into()) }
}

impl Engine for Rapier {
    fn add(&mut self, index: usize, body: &TaskBody) -> Result<(), String> {
        let mut pose = body.pose;
        let collider = match &body.shape {
            Shape::Sphere { radius } => ColliderBuilder::ball(*radius),
            Shape::Box { half_extents: h } => ColliderBuilder::cuboid(h.x, h.y, h.z),
            Shape::Capsule { half_length, radius } => ColliderBuilder::capsule_y(*half_length, *radius),
            Shape::Hull(hull) => {
                let points: Vec<_> = hull.vertices.iter().map(vector).collect();
                ColliderBuilder::convex_hull(&points).ok_or("Rapier refuses a hull")?
            }
            Shape::HalfSpace { normal } => {
                pose = slab_pose(normal, &pose);
                ColliderBuilder::cuboid(SLAB[0], SLAB[1], SLAB[2])
            }
            other => return Err(format!("no such shape here: {other:?}")),
        };
        let collider = collider.density(body.density).friction(self.friction).restitution(self.restitution);
        let rigid = if body.is_fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
        let rigid = rigid
            .pose(pose_of(&pose))
            .linvel(vector(&body.linear))
            .angvel(vector(&body.angular))
            .can_sleep(self.sleep);
        let (handle, _) = self.world.insert(rigid, collider);
        self.handles.push((index, handle));
        self.at.insert(index, handle);
        Ok(())
    }

    fn join(&mut self, joint: &TaskJoint, bodies: &[TaskBody]) -> Result<(), String> {
        let frame = |end: usize| {
            let (place, turn) = joint.frame(end, &bodies[joint.bodies[end]].pose, &Vector3::x());
            let q = turn.coords;
            let turn = rapier3d::math::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
            rapier3d::math::Pose::from_parts(vector(&place), turn)
        };
        let locked = match joint.form {
            JointForm::Ball | JointForm::Cone { .. } => JointAxesMask::LIN_AXES,
            JointForm::Hinge(_) => JointAxesMask::LOCKED_REVOLUTE_AXES,
            JointForm::Rod(_) => return Err("Rapier has no rigid rod".into()),
        };
        let mut made = GenericJointBuilder::new(locked)
            .local_frame1(frame(0))
            .local_frame2(frame(1))
            .contacts_enabled(false);
        let (free, limits): (&[JointAxis], &[(JointAxis, [f32; 2])]) = match &joint.form {
            JointForm::Hinge(range) => (&[JointAxis::AngX], &[(JointAxis::AngX, *range)]),
            // It has no cones: both swings have the cone's angle.
            JointForm::Cone { cone, twist } => (
                &[JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ],
                &[
                    (JointAxis::AngX, *twist),
                    (JointAxis::AngY, [-cone, *cone]),
                    (JointAxis::AngZ, [-cone, *cone]),
                ],
            ),
            JointForm::Ball | JointForm::Rod(_) => (&[], &[]),
        };
        for (axis, range) in limits.iter().filter(|(_, range)| range.iter().all(|end| end.is_finite())) {
            made = made.limits(*axis, *range);
        }
        // Dry friction is a motor that wants rest and may push so much.
        for axis in free.iter().filter(|_| joint.friction > 0.0) {
            made = made.motor_velocity(*axis, 0.0, STIFF).motor_max_force(*axis, joint.friction);
        }
        let [a, b] = joint.bodies.map(|body| self.at.get(&body).copied());
        let (Some(a), Some(b)) = (a, b) else { return Err("a joint of a body that is not there".into()) };
        self.world.insert_impulse_joint(a, b, made.build());
        Ok(())
    }

    fn set_gravity(&mut self, gravity: Vector3) -> Result<(), String> {
        self.world.gravity = vector(&gravity);
        self.world.wake_up_all(true);
        Ok(())
    }

    fn step(&mut self, dt: f32) -> Result<(), String> {
        self.world.integration_parameters.dt = dt;
        self.world.step();
        Ok(())
    }

    fn motions(&self, body_count: usize) -> Vec<Option<Motion>> {
        let mut motions = vec![None; body_count];
        for &(index, handle) in &self.handles {
            let body = &self.world.bodies[handle];
            let (p, q) = (body.translation(), body.rotation());
            let (v, w) = (body.linvel(), body.angvel());
            let turn = Rotation::from_quaternion(Quaternion::new(q.w, q.x, q.y, q.z));
            motions[index] = Some(Motion {
                pose: Pose::new(Position::new(f64::from(p.x), f64::from(p.y), f64::from(p.z)), turn),
                linear: Vector3::new(v.x, v.y, v.z),
                angular: Vector3::new(w.x, w.y, w.z),
            });
        }
        motions
    }

    fn asleep(&self) -> usize {
        let sleeps = |handle: &RigidBodyHandle| {
            let body = &self.world.bodies[*handle];
            body.is_dynamic() && body.is_sleeping()
        };
        self.handles.iter().filter(|(_, handle)| sleeps(handle)).count()
    }

    fn settings(&self) -> String {
        let p = &self.world.integration_parameters;
        format!("defaults: {} solver iterations, length unit {} m", p.num_solver_iterations, p.length_unit)
    }

    fn lanes(&self) -> String {
        let lanes = if cfg!(feature = "rapier-simd8") { 8 } else { 4 };
        let parallel = if cfg!(feature = "rapier-parallel") { "parallel" } else { "serial" };
        format!("{lanes} lanes, {parallel}, compiled for {}", compiled_for())
    }
}
