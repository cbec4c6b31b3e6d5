//! Box3D, through its raw C interface.
#![expect(unsafe_code, reason = "box3d-sys is the C interface of Box3D")]

use super::{SLAB, slab_pose};
use crate::engine::{Engine, Motion};
use crate::joint::{JointForm, TaskJoint};
use crate::run::Options;
use crate::task::{Task, TaskBody};
use box3d_sys as sys;
use drystone_collision::Shape;
use drystone_math::{Pose, Position, Quaternion, Rotation, Vector3};
use std::collections::BTreeMap;

/// Sub-steps of a step, as Box3D's own samples and benchmarks use.
const SUB_STEPS: i32 = 4;
/// Room for contacts per body; without it the world grows while it is timed.
const CONTACTS_PER_BODY: usize = 8;
/// Most vertices of a hull that are kept; more than the scenes have.
const MAX_VERTICES: i32 = 64;

/// A world of Box3D.
pub(super) struct Box3d {
    world: sys::b3WorldId,
    bodies: Vec<(usize, bool, sys::b3BodyId)>,
    /// The same by index.
    at: BTreeMap<usize, sys::b3BodyId>,
    friction: f32,
    restitution: f32,
    workers: usize,
}

fn vector(v: &Vector3) -> sys::b3Vec3 {
    sys::b3Vec3 { x: v.x, y: v.y, z: v.z }
}

fn from_vector(v: sys::b3Vec3) -> Vector3 {
    Vector3::new(v.x, v.y, v.z)
}

impl Box3d {
    pub(super) fn new(task: &Task, options: &Options) -> Self {
        let count = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let dynamic = task.dynamic_count();
        // SAFETY: plain data in, plain data out.
        let mut def = unsafe { sys::b3DefaultWorldDef() };
        def.gravity = vector(&task.gravity);
        def.enableSleep = options.sleep;
        def.workerCount = u32::try_from(options.threads).unwrap_or(1);
        def.capacity.staticShapeCount = count(task.bodies.len() - dynamic);
        def.capacity.staticBodyCount = count(task.bodies.len() - dynamic);
        def.capacity.dynamicShapeCount = count(dynamic);
        def.capacity.dynamicBodyCount = count(dynamic);
        def.capacity.contactCount = count(CONTACTS_PER_BODY * dynamic);
        // SAFETY: the definition comes from the engine itself and lives through the call.
        let world = unsafe { sys::b3CreateWorld(&def) };
        Self {
            world,
            bodies: Vec::with_capacity(task.bodies.len()),
            at: BTreeMap::new(),
            friction: task.friction,
            restitution: task.restitution,
            workers: options.threads,
        }
    }

    /// Puts the shape on a body; the slab of a half-space is made by the caller.
    fn attach(&self, body: sys::b3BodyId, spec: &TaskBody) -> Result<(), String> {
        // SAFETY: the body was created just before; definitions and shapes live through the calls, which copy
        // them; a hull made here is destroyed here.
        unsafe {
            let mut def = sys::b3DefaultShapeDef();
            def.density = spec.density;
            def.baseMaterial.friction = self.friction;
            def.baseMaterial.restitution = self.restitution;
            match &spec.shape {
                Shape::Sphere { radius } => {
                    let sphere = sys::b3Sphere { center: vector(&Vector3::zeros()), radius: *radius };
                    sys::b3CreateSphereShape(body, &def, &sphere);
                }
                Shape::Capsule { half_length, radius } => {
                    let end = Vector3::new(0.0, *half_length, 0.0);
                    let capsule =
                        sys::b3Capsule { center1: vector(&-end), center2: vector(&end), radius: *radius };
                    sys::b3CreateCapsuleShape(body, &def, &capsule);
                }
                Shape::Box { half_extents: h } => {
                    let hull = sys::b3MakeBoxHull(h.x, h.y, h.z);
                    sys::b3CreateHullShape(body, &def, &hull.base);
                }
                Shape::HalfSpace { .. } => {
                    let hull = sys::b3MakeBoxHull(SLAB[0], SLAB[1], SLAB[2]);
                    sys::b3CreateHullShape(body, &def, &hull.base);
                }
                Shape::Hull(hull) => {
                    let points: Vec<_> = hull.vertices.iter().map(vector).collect();
                    let made = sys::b3CreateHull(points.as_ptr(), points.len() as i32, MAX_VERTICES);
                    if made.is_null() {
                        return Err("Box3D refuses a hull".into());
                    }
                    sys::b3CreateHullShape(body, &def, made);
                    sys::b3DestroyHull(made);
                }
                other => return Err(format!("no such shape here: {other:?}")),
            }
        }
        Ok(())
    }
}

impl Engine for Box3d {
    fn add(&mut self, index: usize, spec: &TaskBody) -> Result<(), String> {
        let pose = match &spec.shape {
            Shape::HalfSpace { normal } => slab_pose(normal, &spec.pose),
            _ => spec.pose,
        };
        let (p, q) = (&pose.translation, pose.rotation.coords);
        // SAFETY: the world lives as long as `self`; the definition lives through the call.
        let body = unsafe {
            let mut def = sys::b3DefaultBodyDef();
            def.type_ =
                if spec.is_fixed { sys::b3BodyType_b3_staticBody } else { sys::b3BodyType_b3_dynamicBody };
            def.position = vector(&Vector3::new(p.x as f32, p.y as f32, p.z as f32));
            def.rotation = sys::b3Quat { v: vector(&Vector3::new(q.x, q.y, q.z)), s: q.w };
            def.linearVelocity = vector(&spec.linear);
            def.angularVelocity = vector(&spec.angular);
            sys::b3CreateBody(self.world, &def)
        };
        self.bodies.push((index, spec.is_fixed, body));
        self.at.insert(index, body);
        self.attach(body, spec)
    }

    fn join(&mut self, joint: &TaskJoint, bodies: &[TaskBody]) -> Result<(), String> {
        let [Some(a), Some(b)] = joint.bodies.map(|body| self.at.get(&body).copied()) else {
            return Err("a joint of a body that is not there".into());
        };
        let frame = |end: usize| {
            let (place, turn) = joint.frame(end, &bodies[joint.bodies[end]].pose, &Vector3::z());
            let q = turn.coords;
            let q = sys::b3Quat { v: vector(&Vector3::new(q.x, q.y, q.z)), s: q.w };
            sys::b3Transform { p: vector(&place), q }
        };
        let fill = |base: &mut sys::b3JointDef| {
            (base.bodyIdA, base.bodyIdB) = (a, b);
            (base.localFrameA, base.localFrameB) = (frame(0), frame(1));
            base.collideConnected = false;
        };
        // SAFETY: the bodies were created before and are never destroyed; definitions come from the engine and live through the calls.
        unsafe {
            match joint.form {
                JointForm::Ball | JointForm::Cone { .. } => {
                    let mut def = sys::b3DefaultSphericalJointDef();
                    fill(&mut def.base);
                    if let JointForm::Cone { cone, twist } = joint.form {
                        (def.enableConeLimit, def.coneAngle) = (true, cone);
                        def.enableTwistLimit = true;
                        (def.lowerTwistAngle, def.upperTwistAngle) = (twist[0], twist[1]);
                    }
                    // Dry friction is a motor that wants rest and may push so much.
                    (def.enableMotor, def.maxMotorTorque) = (joint.friction > 0.0, joint.friction);
                    sys::b3CreateSphericalJoint(self.world, &def);
                }
                JointForm::Hinge(range) => {
                    let mut def = sys::b3DefaultRevoluteJointDef();
                    fill(&mut def.base);
                    def.enableLimit = range.iter().all(|end| end.is_finite());
                    if def.enableLimit {
                        (def.lowerAngle, def.upperAngle) = (range[0], range[1]);
                    }
                    (def.enableMotor, def.maxMotorTorque) = (joint.friction > 0.0, joint.friction);
                    sys::b3CreateRevoluteJoint(self.world, &def);
                }
                JointForm::Rod(length) => {
                    let mut def = sys::b3DefaultDistanceJointDef();
                    fill(&mut def.base);
                    def.length = length;
                    sys::b3CreateDistanceJoint(self.world, &def);
                }
            }
        }
        Ok(())
    }

    fn set_gravity(&mut self, gravity: Vector3) -> Result<(), String> {
        // SAFETY: world and bodies live as long as `self`.
        unsafe {
            sys::b3World_SetGravity(self.world, vector(&gravity));
            for (_, _, body) in self.bodies.iter().filter(|(_, is_fixed, _)| !is_fixed) {
                sys::b3Body_SetAwake(*body, true);
            }
        }
        Ok(())
    }

    fn step(&mut self, dt: f32) -> Result<(), String> {
        // SAFETY: the world lives as long as `self`.
        unsafe { sys::b3World_Step(self.world, dt, SUB_STEPS) };
        Ok(())
    }

    fn motions(&self, body_count: usize) -> Vec<Option<Motion>> {
        let mut motions = vec![None; body_count];
        for &(index, _, body) in &self.bodies {
            // SAFETY: bodies are never destroyed.
            let (frame, linear, angular) = unsafe {
                (
                    sys::b3Body_GetTransform(body),
                    sys::b3Body_GetLinearVelocity(body),
                    sys::b3Body_GetAngularVelocity(body),
                )
            };
            let (p, q) = (frame.p, frame.q);
            let turn = Rotation::from_quaternion(Quaternion::new(q.s, q.v.x, q.v.y, q.v.z));
            motions[index] = Some(Motion {
                pose: Pose::new(Position::new(f64::from(p.x), f64::from(p.y), f64::from(p.z)), turn),
                linear: from_vector(linear),
                angular: from_vector(angular),
            });
        }
        motions
    }

    fn asleep(&self) -> usize {
        // SAFETY: bodies are never destroyed.
        let sleeps = |body: sys::b3BodyId| unsafe { !sys::b3Body_IsAwake(body) };
        self.bodies.iter().filter(|(_, is_fixed, body)| !is_fixed && sleeps(*body)).count()
    }

    fn settings(&self) -> String {
        // SAFETY: plain data out.
        let v = unsafe { sys::b3GetVersion() };
        format!(
            "Box3D {}.{}.{}; {SUB_STEPS} sub-steps, {} workers of its own scheduler, room for {CONTACTS_PER_BODY} contacts \
             per body",
            v.major, v.minor, v.revision, self.workers
        )
    }

    fn lanes(&self) -> String {
        "4 lanes, SSE2 or NEON whatever the machine, no contraction".into()
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: created in `new`, destroyed once.
        unsafe { sys::b3DestroyWorld(self.world) };
    }
}
