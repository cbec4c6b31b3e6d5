//! Jolt 5.0.0, through the C interface of `joltc-sys`, which exposes neither gravity nor the solver's settings:
//! gravity is a factor on Jolt's own 9.81 m/s² downwards, and slop (20 mm) and iterations (10 + 2) stay.
#![expect(unsafe_code, reason = "joltc-sys is a C interface of Jolt")]

use super::{SLAB, slab_pose};
use crate::engine::{Engine, Motion};
use crate::joint::TaskJoint;
use crate::run::Options;
use crate::task::{Task, TaskBody};
use drystone_collision::Shape;
use drystone_math::{Pose, Position, Quaternion, Real, Rotation, Vector3};
use joltc_sys::*;
use std::ffi::{CStr, c_uint, c_void};
use std::ptr;

/// Gravity of a world that nobody changed, m/s², downwards.
const OWN_GRAVITY: Real = 9.81;
/// Jolt's own convex radius, m.
const CONVEX_RADIUS: Real = 0.05;
/// Most of a box's shortest half edge that its rounded corners take; Jolt refuses all of it.
const MAX_ROUNDING: Real = 0.25;
/// Memory of a step, bytes. Taken from the system only where it is used.
const TEMPORARY: u32 = 1 << 30;
/// Room for pairs and for contacts, per body.
const PAIRS_PER_BODY: usize = 24;
const CONTACTS_PER_BODY: usize = 12;

const FIXED: JPC_ObjectLayer = 0;
const MOVING: JPC_ObjectLayer = 1;

/// A world of Jolt.
pub(super) struct Jolt {
    system: *mut JPC_PhysicsSystem,
    temporary: *mut JPC_TempAllocatorImpl,
    jobs: *mut JPC_JobSystemThreadPool,
    layers: *mut JPC_BroadPhaseLayerInterface,
    against_layer: *mut JPC_ObjectVsBroadPhaseLayerFilter,
    pairs: *mut JPC_ObjectLayerPairFilter,
    bodies: Vec<(usize, bool, JPC_BodyID)>,
    friction: Real,
    restitution: Real,
    gravity_factor: Real,
    sleep: bool,
    /// No step was taken yet.
    is_first: bool,
}

unsafe extern "C" fn layer_count(_: *const c_void) -> c_uint {
    2
}

unsafe extern "C" fn layer_of(_: *const c_void, layer: JPC_ObjectLayer) -> JPC_BroadPhaseLayer {
    u8::from(layer == MOVING)
}

unsafe extern "C" fn meets_layer(_: *const c_void, a: JPC_ObjectLayer, b: JPC_BroadPhaseLayer) -> bool {
    a == MOVING || b == 1
}

unsafe extern "C" fn meets(_: *const c_void, a: JPC_ObjectLayer, b: JPC_ObjectLayer) -> bool {
    a == MOVING || b == MOVING
}

fn vector(v: &Vector3) -> JPC_Vec3 {
    // The fourth component must repeat the third.
    JPC_Vec3 { x: v.x, y: v.y, z: v.z, _w: v.z }
}

fn from_vector(v: JPC_Vec3) -> Vector3 {
    Vector3::new(v.x, v.y, v.z)
}

/// The factor that makes this of Jolt's own gravity.
fn factor(gravity: &Vector3) -> Result<Real, String> {
    if gravity.x == 0.0 && gravity.z == 0.0 {
        Ok(-gravity.y / OWN_GRAVITY)
    } else {
        Err(format!("joltc-sys has gravity along y alone, got {gravity:?}"))
    }
}

impl Jolt {
    pub(super) fn new(task: &Task, options: &Options) -> Result<Self, String> {
        let gravity_factor = factor(&task.gravity)?;
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let bodies = task.bodies.len();
        // SAFETY: the calls in the order that Jolt asks for; what is created here is deleted in `drop`; the
        // callbacks read no user data.
        let jolt = unsafe {
            JPC_RegisterDefaultAllocator();
            JPC_FactoryInit();
            JPC_RegisterTypes();
            let jobs = JPC_JobSystemThreadPool_new3(
                JPC_MAX_PHYSICS_JOBS as c_uint,
                JPC_MAX_PHYSICS_BARRIERS as c_uint,
                i32::try_from(options.threads).unwrap_or(1) - 1,
            );
            let layers = JPC_BroadPhaseLayerInterface_new(
                ptr::null(),
                JPC_BroadPhaseLayerInterfaceFns {
                    GetNumBroadPhaseLayers: Some(layer_count),
                    GetBroadPhaseLayer: Some(layer_of),
                },
            );
            let fns = JPC_ObjectVsBroadPhaseLayerFilterFns { ShouldCollide: Some(meets_layer) };
            let against_layer = JPC_ObjectVsBroadPhaseLayerFilter_new(ptr::null(), fns);
            let fns = JPC_ObjectLayerPairFilterFns { ShouldCollide: Some(meets) };
            let pairs = JPC_ObjectLayerPairFilter_new(ptr::null(), fns);
            let system = JPC_PhysicsSystem_new();
            JPC_PhysicsSystem_Init(
                system,
                count(bodies + 16),
                0,
                count(PAIRS_PER_BODY * bodies + 1024),
                count(CONTACTS_PER_BODY * bodies + 1024),
                layers,
                against_layer,
                pairs,
            );
            Self {
                system,
                temporary: JPC_TempAllocatorImpl_new(TEMPORARY),
                jobs,
                layers,
                against_layer,
                pairs,
                bodies: Vec::with_capacity(bodies),
                friction: task.friction,
                restitution: task.restitution,
                gravity_factor,
                sleep: options.sleep,
                is_first: true,
            }
        };
        Ok(jolt)
    }

    fn interface(&self) -> *mut JPC_BodyInterface {
        // SAFETY: the system lives as long as `self`.
        unsafe { JPC_PhysicsSystem_GetBodyInterface(self.system) }
    }
}

/// Makes a shape; a body takes a reference to it.
fn shape_of(spec: &TaskBody) -> Result<*mut JPC_Shape, String> {
    let (mut shape, mut error) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: settings live through the calls, which copy what they need.
    let is_made = unsafe {
        match &spec.shape {
            Shape::Sphere { radius } => {
                let settings =
                    JPC_SphereShapeSettings { Radius: *radius, Density: spec.density, ..Default::default() };
                JPC_SphereShapeSettings_Create(&settings, &mut shape, &mut error)
            }
            Shape::Capsule { half_length, radius } => {
                let settings = JPC_CapsuleShapeSettings {
                    Radius: *radius,
                    HalfHeightOfCylinder: *half_length,
                    Density: spec.density,
                    ..Default::default()
                };
                JPC_CapsuleShapeSettings_Create(&settings, &mut shape, &mut error)
            }
            Shape::Box { .. } | Shape::HalfSpace { .. } => {
                let half = match &spec.shape {
                    Shape::Box { half_extents } => *half_extents,
                    _ => Vector3::from(SLAB),
                };
                let settings = JPC_BoxShapeSettings {
                    HalfExtent: vector(&half),
                    ConvexRadius: CONVEX_RADIUS.min(MAX_ROUNDING * half.min()),
                    Density: spec.density,
                    ..Default::default()
                };
                JPC_BoxShapeSettings_Create(&settings, &mut shape, &mut error)
            }
            Shape::Hull(hull) => {
                let points: Vec<_> = hull.vertices.iter().map(vector).collect();
                let settings = JPC_ConvexHullShapeSettings {
                    Points: points.as_ptr(),
                    PointsLen: points.len(),
                    Density: spec.density,
                    ..Default::default()
                };
                JPC_ConvexHullShapeSettings_Create(&settings, &mut shape, &mut error)
            }
            other => return Err(format!("no such shape here: {other:?}")),
        }
    };
    if is_made {
        return Ok(shape);
    }
    // SAFETY: a refused shape comes with a message.
    let message = unsafe { CStr::from_ptr(JPC_String_c_str(error)) };
    Err(format!("Jolt refuses a shape: {}", message.to_string_lossy()))
}

impl Engine for Jolt {
    fn add(&mut self, index: usize, spec: &TaskBody) -> Result<(), String> {
        let shape = shape_of(spec)?;
        let pose = match &spec.shape {
            Shape::HalfSpace { normal } => slab_pose(normal, &spec.pose),
            _ => spec.pose,
        };
        let (p, q) = (&pose.translation, pose.rotation.coords);
        let settings = JPC_BodyCreationSettings {
            Position: vector(&Vector3::new(p.x as f32, p.y as f32, p.z as f32)),
            Rotation: JPC_Quat { x: q.x, y: q.y, z: q.z, w: q.w },
            LinearVelocity: vector(&spec.linear),
            AngularVelocity: vector(&spec.angular),
            ObjectLayer: if spec.is_fixed { FIXED } else { MOVING },
            MotionType: if spec.is_fixed { JPC_MOTION_TYPE_STATIC } else { JPC_MOTION_TYPE_DYNAMIC },
            AllowSleeping: self.sleep,
            Friction: self.friction,
            Restitution: self.restitution,
            LinearDamping: 0.0,
            AngularDamping: 0.0,
            GravityFactor: self.gravity_factor,
            Shape: shape,
            ..Default::default()
        };
        let activation = if spec.is_fixed { JPC_ACTIVATION_DONT_ACTIVATE } else { JPC_ACTIVATION_ACTIVATE };
        // SAFETY: the settings live through the call. The shape's own reference is kept until the process
        // ends, which is soon.
        let body = unsafe { JPC_BodyInterface_CreateAndAddBody(self.interface(), &settings, activation) };
        self.bodies.push((index, spec.is_fixed, body));
        Ok(())
    }

    fn join(&mut self, _joint: &TaskJoint, _bodies: &[TaskBody]) -> Result<(), String> {
        Err("joltc-sys has no joints".into())
    }

    fn set_gravity(&mut self, gravity: Vector3) -> Result<(), String> {
        self.gravity_factor = factor(&gravity)?;
        for (_, _, body) in self.bodies.iter().filter(|(_, is_fixed, _)| !is_fixed) {
            // SAFETY: bodies are never removed.
            unsafe {
                JPC_BodyInterface_SetGravityFactor(self.interface(), *body, self.gravity_factor);
                JPC_BodyInterface_ActivateBody(self.interface(), *body);
            }
        }
        Ok(())
    }

    fn step(&mut self, dt: f32) -> Result<(), String> {
        // SAFETY: all live as long as `self`, and nothing else uses the system now.
        let error = unsafe {
            // As Jolt advises after many bodies were added, and not while they come one by one.
            if std::mem::take(&mut self.is_first) {
                JPC_PhysicsSystem_OptimizeBroadPhase(self.system);
            }
            JPC_PhysicsSystem_Update(self.system, dt, 1, self.temporary, self.jobs)
        };
        if error == JPC_PHYSICS_UPDATE_ERROR_NONE {
            Ok(())
        } else {
            Err(format!("Jolt ran out of room ({error})"))
        }
    }

    fn motions(&self, body_count: usize) -> Vec<Option<Motion>> {
        let mut motions = vec![None; body_count];
        let interface = self.interface();
        for &(index, _, body) in &self.bodies {
            // SAFETY: bodies are never removed.
            let (p, q, linear, angular) = unsafe {
                (
                    JPC_BodyInterface_GetPosition(interface, body),
                    JPC_BodyInterface_GetRotation(interface, body),
                    JPC_BodyInterface_GetLinearVelocity(interface, body),
                    JPC_BodyInterface_GetAngularVelocity(interface, body),
                )
            };
            let turn = Rotation::from_quaternion(Quaternion::new(q.w, q.x, q.y, q.z));
            motions[index] = Some(Motion {
                pose: Pose::new(Position::new(f64::from(p.x), f64::from(p.y), f64::from(p.z)), turn),
                linear: from_vector(linear),
                angular: from_vector(angular),
            });
        }
        motions
    }

    fn asleep(&self) -> usize {
        // SAFETY: bodies are never removed.
        let sleeps = |body: JPC_BodyID| unsafe { !JPC_BodyInterface_IsActive(self.interface(), body) };
        self.bodies.iter().filter(|(_, is_fixed, body)| !is_fixed && sleeps(*body)).count()
    }

    fn settings(&self) -> String {
        format!(
            "Jolt 5.0.0; 1 collision step, 10 + 2 iterations, slop 20 mm (not exposed), no damping, convex radius at most \
             {CONVEX_RADIUS} m and {MAX_ROUNDING} of the shortest half edge, gravity by factor, profiler hooks compiled in"
        )
    }

    fn lanes(&self) -> String {
        "4 lanes, AVX2 and FMA by the defaults of its build".into()
    }
}

impl Drop for Jolt {
    fn drop(&mut self) {
        // SAFETY: each was created in `new` and is deleted once, users before what they use.
        unsafe {
            JPC_PhysicsSystem_delete(self.system);
            JPC_JobSystemThreadPool_delete(self.jobs);
            JPC_TempAllocatorImpl_delete(self.temporary);
            JPC_ObjectLayerPairFilter_delete(self.pairs);
            JPC_ObjectVsBroadPhaseLayerFilter_delete(self.against_layer);
            JPC_BroadPhaseLayerInterface_delete(self.layers);
        }
    }
}
