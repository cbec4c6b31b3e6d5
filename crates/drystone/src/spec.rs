//! How bodies and colliders are described when they are added.

use crate::WorldError;
use drystone_collision::Shape;
use drystone_contact::{AxisLocks, BodyKind, MaterialId};
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Real, RelativePose, Vector3};

/// A shape on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderSpec {
    pub(crate) shape: Shape,
    pub(crate) local: RelativePose,
    pub(crate) material: MaterialId,
    pub(crate) member_of: u32,
    pub(crate) meets: u32,
    pub(crate) surface_velocity: Vector3,
    pub(crate) is_trigger: bool,
}

impl ColliderSpec {
    /// A collider of granite at the body's origin that meets everything.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            local: RelativePose::IDENTITY,
            material: MaterialId::default(),
            member_of: 1,
            meets: u32::MAX,
            surface_velocity: Vector3::zeros(),
            is_trigger: false,
        }
    }

    /// What it is made of; gives density, restitution and friction.
    pub fn material(self, material: MaterialId) -> Self {
        Self { material, ..self }
    }

    /// Where it sits on the body.
    pub fn local(self, local: RelativePose) -> Self {
        Self { local, ..self }
    }

    /// How fast its surface runs over it, m/s, in the frame of the shape: a conveyor belt, a track. What touches it is
    /// driven by friction towards that velocity, of which the part along the contact plane counts. Zero at first;
    /// [`crate::World::set_surface_velocity`] changes it.
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let slab = || Shape::cuboid(Vector3::new(5.0, 0.1, 1.0)).expect("positive");
    /// let belt = ColliderSpec::new(slab()).surface_velocity(Vector3::new(0.5, 0.0, 0.0));
    /// world.add_body(BodySpec::fixed().pose(Pose::at(0.0, -0.1, 0.0)).collider(belt))?;
    /// let shape = Shape::cuboid([0.1; 3].into()).expect("positive");
    /// let body = world.add_body(BodySpec::dynamic().pose(Pose::at(0.0, 0.1, 0.0)).collider(ColliderSpec::new(shape)))?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!((world.velocity(body)?.0.x - 0.5).abs() < 1e-3);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    pub fn surface_velocity(self, surface_velocity: Vector3) -> Self {
        Self { surface_velocity, ..self }
    }

    /// Makes it a trigger volume (S3-01): it tells what comes in and goes out, and nothing else. It has no mass, touches nothing, wakes
    /// nothing and holds nothing together. It sees all colliders that its filter lets it meet, of fixed, kinematic and
    /// sleeping bodies as well, but no other trigger and none of its own body (S3-08).
    ///
    /// ```
    /// use drystone::math::{Pose, Vector3};
    /// use drystone::{BodySpec, ColliderSpec, EventKind, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let zone = ColliderSpec::new(Shape::cuboid([1.0; 3].into())?).trigger();
    /// let zone = world.add_body(BodySpec::fixed().collider(zone))?;
    /// let trigger = world.colliders_of(zone)?.next().expect("one collider");
    /// let ball = ColliderSpec::new(Shape::sphere(0.1)?);
    /// world.add_body(BodySpec::dynamic().pose(Pose::at(0.0, 1.5, 0.0)).collider(ball))?;
    /// let mut told = Vec::new();
    /// for _ in 0..120 {
    ///     world.step(1.0 / 60.0)?;
    ///     told.extend(world.events().map(|event| event.kind()));
    /// }
    /// assert_eq!(told, [EventKind::TriggerIn, EventKind::TriggerOut]);
    /// assert_eq!(world.inside(trigger)?.count(), 0);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    pub fn trigger(self) -> Self {
        Self { is_trigger: true, ..self }
    }

    /// Groups (bits) it belongs to, and groups it meets. Two colliders meet when each is in a group that
    /// the other meets.
    pub fn filter(self, member_of: u32, meets: u32) -> Self {
        Self { member_of, meets, ..self }
    }
}

/// A body to be added.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    pub(crate) kind: BodyKind,
    pub(crate) pose: Pose,
    pub(crate) linear: Vector3,
    pub(crate) angular: Vector3,
    pub(crate) colliders: Vec<ColliderSpec>,
    pub(crate) mass: Option<MassProperties>,
    pub(crate) total_mass: Option<Real>,
    pub(crate) locks: AxisLocks,
    pub(crate) linear_damping: Real,
    pub(crate) angular_damping: Real,
    pub(crate) gravity_scale: Real,
    pub(crate) can_sleep: bool,
    pub(crate) is_asleep: bool,
    pub(crate) user_data: u64,
}

impl BodySpec {
    fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            pose: Pose::IDENTITY,
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            colliders: Vec::new(),
            mass: None,
            total_mass: None,
            locks: AxisLocks::default(),
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            can_sleep: true,
            is_asleep: false,
            user_data: 0,
        }
    }

    /// A body that forces and impulses move.
    pub fn dynamic() -> Self {
        Self::new(BodyKind::Dynamic)
    }

    /// A body that never moves.
    pub fn fixed() -> Self {
        Self::new(BodyKind::Fixed)
    }

    /// A body that moves with the velocity its user sets; nothing pushes it.
    pub fn kinematic() -> Self {
        Self::new(BodyKind::Kinematic)
    }

    /// Pose of the body's own origin.
    pub fn pose(self, pose: Pose) -> Self {
        Self { pose, ..self }
    }

    /// Velocity of the centre of mass, m/s.
    pub fn linear_velocity(self, linear: Vector3) -> Self {
        Self { linear, ..self }
    }

    /// Angular velocity, rad/s, world.
    pub fn angular_velocity(self, angular: Vector3) -> Self {
        Self { angular, ..self }
    }

    /// Adds a collider.
    pub fn collider(mut self, collider: ColliderSpec) -> Self {
        self.colliders.push(collider);
        self
    }

    /// Mass properties in place of those of the colliders.
    pub fn mass(self, mass: MassProperties) -> Self {
        Self { mass: Some(mass), ..self }
    }

    /// Its mass in all, kg, spread as that of its colliders (or as [`BodySpec::mass`] says).
    ///
    /// ```
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let ball = ColliderSpec::new(Shape::sphere(0.5)?);
    /// let ball = world.add_body(BodySpec::dynamic().collider(ball).total_mass(2.0))?;
    /// assert_eq!(world.body(ball)?.mass, 2.0);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    pub fn total_mass(self, mass: Real) -> Self {
        Self { total_mass: Some(mass), ..self }
    }

    /// World axes along and about which the body cannot move.
    pub fn locks(self, locks: AxisLocks) -> Self {
        Self { locks, ..self }
    }

    /// Linear damping, 1/s.
    pub fn linear_damping(self, linear_damping: Real) -> Self {
        Self { linear_damping, ..self }
    }

    /// Angular damping, 1/s.
    pub fn angular_damping(self, angular_damping: Real) -> Self {
        Self { angular_damping, ..self }
    }

    /// Factor on the global accelerations.
    pub fn gravity_scale(self, gravity_scale: Real) -> Self {
        Self { gravity_scale, ..self }
    }

    /// Whether the body may be put to sleep.
    pub fn can_sleep(self, can_sleep: bool) -> Self {
        Self { can_sleep, ..self }
    }

    /// Whether the body starts asleep; for dynamic bodies without velocity that may sleep. It wakes by the
    /// rules of S1, so in the first step when nothing carries it. In a world without sleeping it starts
    /// awake.
    ///
    /// ```
    /// use drystone::math::Pose;
    /// use drystone::{BodySpec, ColliderSpec, Shape, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let cube = || ColliderSpec::new(Shape::cuboid([0.1; 3].into()).expect("positive"));
    /// world.add_body(BodySpec::fixed().pose(Pose::at(0.0, -0.1, 0.0)).collider(cube()))?;
    /// let body = world.add_body(BodySpec::dynamic().pose(Pose::at(0.0, 0.1, 0.0)).collider(cube()).asleep(true))?;
    /// world.step(1.0 / 240.0)?;
    /// assert!(world.body(body)?.is_asleep);
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    pub fn asleep(self, is_asleep: bool) -> Self {
        Self { is_asleep, ..self }
    }

    /// Mass properties with the mass in all that was asked for.
    ///
    /// # Errors
    /// A mass that no body can have.
    pub(crate) fn scaled(&self, mass: MassProperties) -> Result<MassProperties, WorldError> {
        let Some(total) = self.total_mass.filter(|_| self.kind == BodyKind::Dynamic) else { return Ok(mass) };
        if !(total > 0.0 && total < Real::INFINITY) {
            let (field, expected) = ("total_mass", "above 0 and finite, kg");
            return Err(WorldError::OutOfRange { field, expected, value: f64::from(total) });
        }
        let factor = total / mass.mass;
        Ok(MassProperties { mass: total, principal: mass.principal * factor, ..mass })
    }

    /// Anything the user wants to find again.
    pub fn user_data(self, user_data: u64) -> Self {
        Self { user_data, ..self }
    }
}
