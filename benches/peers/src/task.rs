//! What is simulated, as every engine gets it: a scene whose pairs all have the same friction and restitution.

use crate::joint::{TaskJoint, joints};
use drystone_collision::Shape;
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Position, Quaternion, Real, Rotation, Vector3};
use drystone_scenes::{Action, Body, Bounds, Kind, Locks, Orientation, Scene, Standing, build_shape};

/// Density of the materials that every world has, kg/m³ (`crates/contact/src/material.rs`).
fn density_of(scene: &Scene, name: &str) -> Option<Real> {
    let own = scene.materials.iter().find(|m| m.name == name).map(|m| m.density);
    own.or_else(|| {
        let table = drystone::World::new(drystone::WorldConfig::default()).ok()?;
        let id = table.materials().find(name).ok()?;
        table.materials().get(id).map(|m| m.density)
    })
}

/// A body.
#[derive(Clone, Debug)]
pub(crate) struct TaskBody {
    /// Its shape, about its own origin.
    pub(crate) shape: Shape,
    /// Never moves.
    pub(crate) is_fixed: bool,
    /// Where it starts.
    pub(crate) pose: Pose,
    /// Velocity of its centre of mass at the start, m/s.
    pub(crate) linear: Vector3,
    /// Angular velocity at the start, rad/s, world.
    pub(crate) angular: Vector3,
    /// kg/m³.
    pub(crate) density: Real,
    /// Of what can move.
    pub(crate) mass: Option<MassProperties>,
    /// Should stay where it starts.
    pub(crate) stands: bool,
}

/// Something due at the beginning of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    /// The body with this index enters.
    Appear(usize),
    /// The joint with this index is made.
    Join(usize),
    /// Gravity becomes this, m/s².
    SetGravity(Vector3),
}

/// A scene for any engine.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// Name of the scene.
    pub(crate) name: String,
    pub(crate) bodies: Vec<TaskBody>,
    pub(crate) joints: Vec<TaskJoint>,
    /// What happens when (s), in order; bodies, then joints, before what else happens at the same time.
    pub(crate) events: Vec<(f64, Event)>,
    /// m/s², at the start.
    pub(crate) gravity: Vector3,
    /// m/s², what drystone's thresholds refer to.
    pub(crate) reference_acceleration: Real,
    /// Of all pairs, static and kinetic.
    pub(crate) friction: Real,
    /// Of all pairs.
    pub(crate) restitution: Real,
    /// What leaves it is lost.
    pub(crate) bounds: Option<Bounds>,
}

impl Task {
    /// The scene, with the friction and restitution of its `contact`, or those given, for all pairs.
    ///
    /// # Errors
    /// What not every engine here can do: compounds, locks, damping, kinematic bodies, other actions than a
    /// change of gravity.
    pub(crate) fn new(
        scene: &Scene,
        friction: Option<Real>,
        restitution: Option<Real>,
    ) -> Result<Self, String> {
        scene.validate().map_err(|e| e.to_string())?;
        let pair = drystone::PairMaterial::default();
        let (own_friction, own_restitution) = scene
            .contact
            .as_ref()
            .map_or((pair.kinetic_friction, pair.restitution), |c| (c.kinetic_friction, c.restitution));
        let mut events = Vec::new();
        let mut bodies = Vec::with_capacity(scene.bodies.len());
        let mut densities: Vec<(&str, Real)> = Vec::new();
        for (index, body) in scene.bodies.iter().enumerate() {
            let known = densities.iter().find(|(name, _)| *name == body.material).map(|d| d.1);
            let density = match known.or_else(|| density_of(scene, &body.material)) {
                Some(density) => density,
                None => return Err(format!("there is no material {:?}", body.material)),
            };
            if known.is_none() {
                densities.push((&body.material, density));
            }
            bodies.push(task_body(scene, body, density)?);
            events.push((body.appears, Event::Appear(index)));
        }
        let has_motion = scene.bodies.iter().any(|b| b.motion.is_some() || b.trigger);
        if has_motion || !scene.composites.is_empty() || !scene.rules.is_empty() {
            return Err(format!(
                "{}: composites, rules, triggers and motions are not known here",
                scene.name
            ));
        }
        let joints = joints(scene)?;
        for (index, joint) in joints.iter().enumerate() {
            let last = joint.bodies.map(|body| scene.bodies[body].appears);
            events.push((last[0].max(last[1]), Event::Join(index)));
        }
        for timed in &scene.actions {
            let Action::SetGravity { gravity } = &timed.action else {
                return Err(format!("{}: only changes of gravity are known here", scene.name));
            };
            events.push((timed.at, Event::SetGravity(Vector3::from(*gravity))));
        }
        // Stable: bodies stay in front of actions of the same time.
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        let gravity = Vector3::from(scene.gravity);
        let strength =
            if gravity.norm() > 0.0 { gravity.norm() } else { drystone_scenes::DEFAULT_ACCELERATION };
        Ok(Self {
            name: scene.name.clone(),
            bodies,
            joints,
            events,
            gravity,
            reference_acceleration: scene.reference_acceleration.unwrap_or(strength),
            friction: friction.unwrap_or(own_friction),
            restitution: restitution.unwrap_or(own_restitution),
            bounds: scene.bounds,
        })
    }

    /// A named scene without changes.
    #[cfg(test)]
    pub(crate) fn of_test(name: &str) -> Self {
        let scene = drystone_scenes::scene(name).expect("listed");
        Self::new(&scene, None, None).expect(name)
    }

    /// Number of dynamic bodies.
    pub(crate) fn dynamic_count(&self) -> usize {
        self.bodies.iter().filter(|b| !b.is_fixed).count()
    }
}

fn task_body(scene: &Scene, body: &Body, density: Real) -> Result<TaskBody, String> {
    let refuse = |what: &str| Err(format!("{}: body {:?} {what}", scene.name, body.name));
    let mut parts = build_shape(&body.shape).map_err(|e| e.to_string())?.parts;
    let (Some(part), true) = (parts.pop(), parts.is_empty()) else {
        return refuse("has several shapes");
    };
    if body.kind == Kind::Kinematic || body.locks != Locks::default() {
        return refuse("is kinematic or locked");
    }
    if body.linear_damping != 0.0
        || body.angular_damping != 0.0
        || body.gravity_scale != 1.0
        || !body.can_sleep
    {
        return refuse("is damped, has a gravity of its own or never sleeps");
    }
    let is_fixed = body.kind == Kind::Fixed;
    let stands = match &scene.standing {
        Standing::None => false,
        Standing::All => !is_fixed,
        Standing::Bodies(names) => names.contains(&body.name),
    };
    Ok(TaskBody {
        mass: if is_fixed { None } else { part.shape.mass_properties(density) },
        shape: part.shape,
        is_fixed,
        pose: Pose::new(Position::from(body.position), rotation(&body.rotation)),
        linear: Vector3::from(body.linear),
        angular: Vector3::from(body.angular),
        density,
        stands,
    })
}

fn rotation(orientation: &Orientation) -> Rotation {
    match orientation {
        Orientation::Quaternion([x, y, z, w]) => Rotation::from_quaternion(Quaternion::new(*w, *x, *y, *z)),
        Orientation::EulerDegrees(angles) => {
            let [x, y, z] = angles.map(Real::to_radians);
            Rotation::from_euler_angles(x, y, z)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_becomes_a_task_with_one_friction() {
        let scene = drystone_scenes::scene("bullet5").expect("listed");
        let task = Task::new(&scene, None, None).expect("only boxes and a ball");
        assert_eq!((task.bodies.len(), task.dynamic_count()), (277, 276));
        assert_eq!((task.friction, task.restitution), (0.2, 0.25));
        assert_eq!(task.bodies[276].density, 7874.0);
        assert_eq!(task.events.len(), 277);
        let rougher = Task::new(&scene, Some(0.6), Some(0.0)).expect("as above");
        assert_eq!((rougher.friction, rougher.restitution), (0.6, 0.0));
    }

    #[test]
    fn what_not_every_engine_can_do_is_refused() {
        let mut scene = drystone_scenes::scene("tower").expect("listed");
        scene.bodies[1].locks.rotation = [true; 3];
        let error = Task::new(&scene, None, None).expect_err("locked");
        assert!(error.contains("box 0"), "{error}");
    }
}
