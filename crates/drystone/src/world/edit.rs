//! Changing a world from outside: every change wakes what it concerns (S1-37, S1-40).

use super::World;
use crate::{BodySpec, WorldError};
use drystone_contact::{BodyDesc, BodyHandle, BodyIndex, BodyKind, ColliderHandle, MaterialId, WakeCause};
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Real, RelativePose, Rotation, Vector3, unit_rotation};

impl World {
    /// Adds a body with its colliders.
    ///
    /// # Errors
    /// A value out of range, a shape that no constructor makes ([`Shape::check`](drystone_collision::Shape::check)), a dynamic body without volume, or an
    /// unknown material; nothing is added.
    pub fn add_body(&mut self, spec: BodySpec) -> Result<BodyHandle, WorldError> {
        let mass = spec.scaled(self.mass_of(&spec)?)?;
        let center = if spec.kind == BodyKind::Dynamic { mass.center } else { Vector3::zeros() };
        let solid = spec.colliders.iter().filter(|c| !c.is_trigger);
        let radius = solid.map(|c| (c.local.translation - center).norm() + c.shape.bounding_radius());
        let desc = BodyDesc {
            kind: spec.kind,
            pose: spec.pose,
            linear: spec.linear,
            angular: spec.angular,
            mass,
            radius: radius.fold(0.0, Real::max),
            locks: spec.locks.with(self.config.locks),
            linear_damping: spec.linear_damping,
            angular_damping: spec.angular_damping,
            gravity_scale: spec.gravity_scale,
            can_sleep: spec.can_sleep,
            is_asleep: spec.is_asleep,
            user_data: spec.user_data,
        };
        desc.validate()?;
        let desc = BodyDesc { is_asleep: desc.is_asleep && self.config.sleeping.enabled, ..desc };
        let handle = self.bodies.add(&desc)?;
        let index = self.bodies.index(handle)?;
        self.graph.add_body(&self.bodies, index);
        self.sleepy.forget(index);
        let fixed = spec.kind != BodyKind::Dynamic;
        for collider in &spec.colliders {
            let rotation = unit_rotation(&collider.local.rotation);
            let local = RelativePose::new(collider.local.translation - center, rotation);
            if self.colliders.add(collider, local, index, fixed).is_none() {
                self.remove_body(handle)?;
                return Err(WorldError::Full);
            }
        }
        self.disturb(index);
        self.widen_filters_of(index);
        Ok(handle)
    }

    /// Removes a body, its colliders and contacts; sleepers that touched it wake (S1-40). A member of a composite takes its share of
    /// mass and momentum with it, a link leaves its multibody.
    ///
    /// # Errors
    /// An unknown body, or the body of a composite ([`World::unfasten`]).
    pub fn remove_body(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let index = self.bodies.index(handle)?;
        self.refuse_carrier(handle)?;
        self.loosen(index)?;
        self.unlink(index)?;
        self.remove_joints_of(index)?;
        let bodies = &mut self.bodies;
        self.scratch.clear();
        self.logic.triggers.end_of(bodies, index);
        self.graph.edges_of(index).for_each(|edge| self.contacts.end(edge));
        self.graph.remove_body(bodies, index, |neighbour| self.scratch.push(neighbour));
        for &neighbour in &self.scratch {
            drystone_sleeping::wake(&self.config.sleeping, bodies, neighbour, WakeCause::NeighbourRemoved);
        }
        self.colliders.remove_of(index);
        self.logic.motions.end(handle);
        self.bodies.remove(handle)?;
        Ok(())
    }

    /// Sets the pose of a body's own origin; the body and what rests on it wake. Ends a motion that it follows. A composite is moved as
    /// a whole, whichever of its bodies is named.
    ///
    /// # Errors
    /// An unknown body, one in quarantine, a link of an articulation or what one stands on, or a pose that is not finite.
    pub fn set_pose(&mut self, handle: BodyHandle, pose: Pose) -> Result<(), WorldError> {
        let index = self.free_index(handle)?;
        self.refuse_link(handle, index)?;
        self.bodies.set_pose(handle, pose)?;
        if let Some((_, composite)) = self.fastened_to(index) {
            let to = composite.carrier_pose(index, self.bodies.center_pose(index));
            let moved = self.bodies.set_pose(composite.body(), to);
            self.follow_change(index)?;
            moved?;
        } else {
            self.follow_change(index)?;
        }
        self.logic.motions.end(handle);
        let index = self.carrier(index);
        self.disturb(index);
        self.wake_neighbours(index);
        Ok(())
    }

    /// Sets the velocity of a body, m/s and rad/s; this is how a kinematic body moves that follows no motion
    /// ([`World::follow_motion`]). Ends a motion that it follows. A composite moves as a whole: so that the body named has that velocity.
    ///
    /// # Errors
    /// An unknown or fixed body, one in quarantine, or a value that is not finite.
    pub fn set_velocity(
        &mut self,
        handle: BodyHandle,
        linear: Vector3,
        angular: Vector3,
    ) -> Result<(), WorldError> {
        let index = self.free_index(handle)?;
        if let Some((_, composite)) = self.fastened_to(index) {
            let linear = linear - angular.cross(&composite.arm(&self.bodies, index));
            self.bodies.set_velocity(composite.body(), linear, angular)?;
        } else {
            self.bodies.set_velocity(handle, linear, angular)?;
        }
        self.follow_change(index)?;
        self.logic.motions.end(handle);
        if self.bodies.hot(index).is_kinematic() {
            if !self.bodies.is_awake(index) {
                // What stops is followed once more, to where the last step took it.
                self.disturb(index);
            }
            self.wake_neighbours(index);
        }
        Ok(())
    }

    /// Sets how fast the surface of a collider runs over it, m/s, in the frame of its shape
    /// ([`crate::ColliderSpec::surface_velocity`]). When that changes anything, the body and what touches it wake.
    ///
    /// # Errors
    /// An unknown collider, or a value that is not finite.
    pub fn set_surface_velocity(
        &mut self,
        handle: ColliderHandle,
        velocity: Vector3,
    ) -> Result<(), WorldError> {
        if !self.colliders.is_alive(handle) {
            return Err(WorldError::UnknownCollider(handle));
        }
        check_surface_velocity(&velocity)?;
        let body = self.colliders.get(handle.index).body;
        if self.colliders.surface_velocity_of(handle.index) == velocity {
            return Ok(());
        }
        self.colliders.set_surface_velocity(handle.index, velocity);
        // A belt that stops is on no list any more: its contacts are told here, and so is what is in the air above it.
        let colliders = &self.colliders;
        self.graph.update_edges(body, |pair, manifold| {
            manifold.surface_velocity = colliders.surface_velocity(pair);
        });
        self.bodies.wake(body, WakeCause::User);
        self.wake_neighbours(body);
        Ok(())
    }

    /// Adds a force (N) and a torque about the centre of mass (N·m) for the next step. On a member of a composite they act on the whole,
    /// the force at the member's centre of mass.
    ///
    /// # Errors
    /// An unknown or not dynamic body, one in quarantine, or a value that is not finite.
    pub fn add_force(
        &mut self,
        handle: BodyHandle,
        force: Vector3,
        torque: Vector3,
    ) -> Result<(), WorldError> {
        let index = self.free_index(handle)?;
        let Some((_, composite)) = self.fastened_to(index) else {
            return Ok(self.bodies.add_force(handle, force, torque)?);
        };
        let (body, arm) = (composite.body(), composite.arm(&self.bodies, index));
        Ok(self.bodies.add_force(body, force, torque + arm.cross(&force))?)
    }

    /// Adds an impulse at the centre of mass (N·s) and an angular impulse (N·m·s); on a member of a composite as [`World::add_force`].
    ///
    /// # Errors
    /// An unknown, passive or not dynamic body, one in quarantine, or a value that is not finite.
    pub fn add_impulse(
        &mut self,
        handle: BodyHandle,
        impulse: Vector3,
        angular: Vector3,
    ) -> Result<(), WorldError> {
        let index = self.free_index(handle)?;
        if let Some((_, composite)) = self.fastened_to(index) {
            let (body, arm) = (composite.body(), composite.arm(&self.bodies, index));
            self.bodies.add_impulse(body, impulse, angular + arm.cross(&impulse))?;
        } else {
            self.bodies.add_impulse(handle, impulse, angular)?;
        }
        self.follow_change(index)
    }

    /// Sets linear and angular damping, 1/s; of a member of a composite, whose damping is then the mean by mass of its members'.
    ///
    /// # Errors
    /// An unknown body or a value out of range.
    pub fn set_damping(&mut self, handle: BodyHandle, linear: Real, angular: Real) -> Result<(), WorldError> {
        self.bodies.set_damping(handle, linear, angular)?;
        self.refresh_means(handle)
    }

    /// Sets the factor on the global accelerations of a body; of a member of a composite as [`World::set_damping`].
    ///
    /// # Errors
    /// An unknown body or a value that is not finite.
    pub fn set_gravity_scale(&mut self, handle: BodyHandle, scale: Real) -> Result<(), WorldError> {
        self.bodies.set_gravity_scale(handle, scale)?;
        self.refresh_means(handle)
    }

    /// Wakes a body.
    ///
    /// # Errors
    /// An unknown body.
    pub fn wake(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let index = self.bodies.index(handle)?;
        self.bodies.wake(self.carrier(index), WakeCause::User);
        Ok(())
    }

    /// Puts a body to sleep where it is, whatever its motion: for a rule of sleep of the caller's own, beside or in place of the engine's
    /// ([`drystone_sleeping::SleepConfig::enabled`]). It wakes as any sleeper does. Returns whether it sleeps now: what may not sleep, what nothing carries
    /// against gravity as of the last step, and what is pushed by a kinematic body or a belt stays awake.
    ///
    /// # Errors
    /// An unknown body.
    pub fn put_to_sleep(&mut self, handle: BodyHandle) -> Result<bool, WorldError> {
        let index = self.bodies.index(handle)?;
        let body = self.carrier(index);
        let was_awake = !self.bodies.is_asleep(body);
        let (config, step) = (&self.config.sleeping, self.params(self.last_dt));
        let sleeps = drystone_sleeping::put_one_to_sleep(config, &mut self.bodies, &self.graph, body, &step);
        if was_awake && sleeps {
            // The step may have moved it since its boxes and contacts were made.
            self.disturb(body);
            self.follow_change(body)?;
        }
        Ok(sleeps)
    }

    /// After a body's damping or factor on gravity changed: its composite has the means of its members.
    fn refresh_means(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let index = self.bodies.index(handle)?;
        if let Some((_, composite)) = self.fastened_to(index) {
            composite.clone().refresh_means(&mut self.bodies)?;
        }
        Ok(())
    }

    /// Sets the acceleration of all bodies, m/s²; all wake.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn set_gravity(&mut self, gravity: Vector3) -> Result<(), WorldError> {
        let config = crate::WorldConfig { gravity, ..self.config.clone() };
        config.validate()?;
        self.config = config;
        self.bodies.wake_all(WakeCause::User);
        Ok(())
    }

    /// Sets the force on every body, N; all wake.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn set_global_force(&mut self, global_force: Vector3) -> Result<(), WorldError> {
        let config = crate::WorldConfig { global_force, ..self.config.clone() };
        config.validate()?;
        self.config = config;
        self.bodies.wake_all(WakeCause::User);
        Ok(())
    }

    /// Colliders of a body; of the body of a composite those of all members.
    ///
    /// # Errors
    /// An unknown body.
    pub fn colliders_of(
        &self,
        handle: BodyHandle,
    ) -> Result<impl Iterator<Item = ColliderHandle> + '_, WorldError> {
        let index = self.bodies.index(handle)?;
        let carrier = self.carrier(index);
        let own = move |&i: &u32| carrier == index || self.colliders.owner(i) == index;
        Ok(self.colliders.of(carrier).filter(own).filter_map(|i| self.colliders.handle(i)))
    }

    /// Shape of a collider.
    ///
    /// # Errors
    /// An unknown collider.
    pub fn shape(&self, handle: ColliderHandle) -> Result<&drystone_collision::Shape, WorldError> {
        if self.colliders.is_alive(handle) {
            Ok(&self.colliders.get(handle.index).shape)
        } else {
            Err(WorldError::UnknownCollider(handle))
        }
    }

    /// Index of a body that may be changed.
    pub(super) fn free_index(&self, handle: BodyHandle) -> Result<BodyIndex, WorldError> {
        let index = self.bodies.index(handle)?;
        if self.bodies.hot(self.carrier(index)).is_quarantined() {
            return Err(WorldError::Quarantined(handle));
        }
        Ok(index)
    }

    /// How fast the surface of a collider runs over it, m/s, in the frame of its shape.
    ///
    /// # Errors
    /// An unknown collider.
    pub fn surface_velocity(&self, handle: ColliderHandle) -> Result<Vector3, WorldError> {
        if self.colliders.is_alive(handle) {
            Ok(self.colliders.surface_velocity_of(handle.index))
        } else {
            Err(WorldError::UnknownCollider(handle))
        }
    }

    pub(super) fn wake_neighbours(&mut self, body: BodyIndex) {
        for index in self.graph.edges_of(body) {
            let edge = self.graph.edge(index);
            if edge.is_linked() {
                let other = edge.other(body);
                drystone_sleeping::wake(&self.config.sleeping, &mut self.bodies, other, WakeCause::User);
            }
        }
    }

    /// Mass properties of a body to be: its own, or those of its colliders.
    fn mass_of(&self, spec: &BodySpec) -> Result<MassProperties, WorldError> {
        let nothing = MassProperties::aligned(0.0, Vector3::zeros());
        let mut parts = Vec::with_capacity(spec.colliders.len());
        for collider in &spec.colliders {
            collider.shape.check()?;
            let id: MaterialId = collider.material;
            let material =
                self.materials.get(id).ok_or(drystone_contact::ContactError::UnknownMaterialId(id))?;
            check_surface_velocity(&collider.surface_velocity)?;
            let local: (Vector3, Rotation) = (collider.local.translation, collider.local.rotation);
            // Written so that what is not a number is refused too.
            let is_unit = (local.1.norm() - 1.0).abs() <= 1e-3;
            if !drystone_math::is_finite(&local.0) || !is_unit {
                return Err(WorldError::OutOfRange {
                    field: "collider.local",
                    expected: "finite with a unit rotation",
                    value: f64::from(local.1.norm()),
                });
            }
            if collider.is_trigger {
                continue;
            }
            match collider.shape.mass_properties(material.density) {
                Some(part) => parts.push(part.transformed(&local.0, &local.1)),
                None if spec.kind == BodyKind::Dynamic => {
                    return Err(WorldError::NoMass(format!("{:?}", collider.shape.kind())));
                }
                None => {}
            }
        }
        if spec.kind != BodyKind::Dynamic {
            return Ok(nothing);
        }
        if let Some(mass) = spec.mass {
            return Ok(mass);
        }
        MassProperties::combined(&parts)
            .ok_or_else(|| WorldError::NoMass(format!("{} colliders", parts.len())))
    }
}

/// `Ok` for a finite velocity.
fn check_surface_velocity(velocity: &Vector3) -> Result<(), WorldError> {
    if drystone_math::is_finite(velocity) {
        return Ok(());
    }
    Err(WorldError::OutOfRange {
        field: "surface_velocity",
        expected: "finite",
        value: f64::from(velocity.norm()),
    })
}
