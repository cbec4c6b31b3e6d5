//! Changing a world from outside: every change wakes what it concerns.

use super::PlanarWorld;
use crate::bodies::{NONE, part_of};
use crate::error::{check, check_vector};
use crate::{
    Box2, PlanarBodySpec, PlanarError, PlanarMass, PlanarPose, PlanarShape, PlanarShapeKind, Vector2,
};
use drystone_contact::{
    BodyHandle, BodyKind, ColliderHandle, ContactError, MASSES, MOMENTS, TouchEvent, TouchPhase,
};
use drystone_math::Real;

impl PlanarWorld {
    /// Adds a body with its colliders.
    ///
    /// # Errors
    /// A value out of range, a dynamic body without area or with a segment, or an unknown material; nothing is added.
    pub fn add_body(&mut self, spec: PlanarBodySpec) -> Result<BodyHandle, PlanarError> {
        let pose = checked_pose(&spec.pose)?;
        check_vector("linear", &spec.linear)?;
        check("angular", "finite", spec.angular.into(), true)?;
        let [linear, angular] = [spec.linear_damping, spec.angular_damping];
        check("linear_damping", "at least 0", linear.into(), linear >= 0.0)?;
        check("angular_damping", "at least 0", angular.into(), angular >= 0.0)?;
        check("gravity_scale", "finite", spec.gravity_scale.into(), true)?;
        let at_rest = spec.kind == BodyKind::Dynamic
            && spec.can_sleep
            && spec.linear == Vector2::zeros()
            && spec.angular == 0.0;
        let asleep = f64::from(u8::from(spec.is_asleep));
        check("is_asleep", "of a dynamic body at rest that may sleep", asleep, !spec.is_asleep || at_rest)?;
        for collider in &spec.colliders {
            check("surface_speed", "finite", collider.surface_speed.into(), true)?;
        }
        let mut spec = spec;
        spec.pose = pose;
        spec.is_asleep &= self.config.sleeping.enabled;
        let mass = self.mass_of(&spec)?;
        let center = mass.map_or_else(Vector2::zeros, |m| m.center);
        let full = || PlanarError::Contact(ContactError::Full("bodies or colliders"));
        let mut first = NONE;
        let mut reach: Real = 0.0;
        let handle = self.bodies.add(&spec, mass, 0.0).ok_or_else(full)?;
        for collider in &spec.colliders {
            let Some(index) = self.colliders.add(collider, handle.index, &center, first) else {
                self.bodies.facts[handle.index as usize].first_collider = first;
                self.remove_body(handle)?;
                return Err(full());
            };
            first = index;
            reach = reach.max(self.colliders.get(index).core.reach);
            if self.boxes.len() <= index as usize {
                self.boxes.resize(index as usize + 1, Box2::EMPTY);
            }
            // Its box is made in the next step.
            self.boxes[index as usize] = Box2::EMPTY;
        }
        let facts = &mut self.bodies.facts[handle.index as usize];
        (facts.first_collider, facts.reach) = (first, reach);
        self.disturbed.push(handle.index);
        Ok(handle)
    }

    /// Removes a body, its colliders and contacts; sleepers that touched it wake.
    ///
    /// # Errors
    /// An unknown body.
    pub fn remove_body(&mut self, handle: BodyHandle) -> Result<(), PlanarError> {
        let body = self.index(handle)?;
        self.wake_neighbours(body);
        while let Some(contact) = self.contacts.first(&self.bodies, body) {
            self.end_contact(contact);
        }
        let mut collider = self.bodies.facts[body as usize].first_collider;
        while collider != NONE {
            let next = self.colliders.get(collider).next;
            if self.boxes[collider as usize] != Box2::EMPTY {
                self.tree.remove(collider);
                self.boxes[collider as usize] = Box2::EMPTY;
            }
            if let Some(own) = self.colliders.handle(collider) {
                self.colliders.slots.release(own.index, own.generation);
            }
            collider = next;
        }
        self.bodies.facts[body as usize].first_collider = NONE;
        self.disturbed.retain(|&b| b != body);
        self.bodies.remove(handle);
        Ok(())
    }

    /// Sets the pose of a body's own origin; the body and what touches it wake.
    ///
    /// # Errors
    /// An unknown body, one in quarantine, or a pose that is not finite.
    pub fn set_pose(&mut self, handle: BodyHandle, pose: PlanarPose) -> Result<(), PlanarError> {
        let body = self.free_index(handle)?;
        let pose = checked_pose(&pose)?;
        self.wake_island(body);
        self.wake_neighbours(body);
        self.look_around(body);
        let center = self.bodies.facts[body as usize].center;
        self.bodies.place(body, PlanarPose { translation: pose.transform_point(&center), turn: pose.turn });
        self.disturbed.push(body);
        Ok(())
    }

    /// Sets the velocity of a body, m/s and rad/s; this is how a kinematic body moves.
    ///
    /// # Errors
    /// An unknown or fixed body, one in quarantine, or a value that is not finite.
    pub fn set_velocity(
        &mut self,
        handle: BodyHandle,
        linear: Vector2,
        angular: Real,
    ) -> Result<(), PlanarError> {
        let body = self.free_index(handle)?;
        check_vector("linear", &linear)?;
        check("angular", "finite", angular.into(), true)?;
        match self.bodies.facts[body as usize].kind {
            BodyKind::Fixed => return Err(ContactError::NotDynamic(handle).into()),
            BodyKind::Kinematic => {
                self.bodies.set_awake(body, linear != Vector2::zeros() || angular != 0.0);
                // What stopped before has moved since its contacts were found; they will be found from where it is.
                self.bodies.start[body as usize] = self.bodies.pose[body as usize].translation;
                self.wake_neighbours(body);
                self.look_around(body);
            }
            BodyKind::Dynamic => self.wake_island(body),
        }
        let facts = &self.bodies.facts[body as usize];
        let is_dynamic = facts.kind == BodyKind::Dynamic;
        let stays = is_dynamic && facts.locks.translation;
        let linear = if stays { Vector2::zeros() } else { linear };
        let angular = if is_dynamic && facts.locks.rotation { 0.0 } else { angular };
        let row = &mut self.bodies.rows[body as usize];
        (row[0], row[1], row[2]) = (linear.x, linear.y, angular);
        Ok(())
    }

    /// Sets the speed with which a collider's surface runs ([`crate::PlanarColliderSpec::surface_speed`]); what touches it wakes.
    ///
    /// # Errors
    /// An unknown collider or a value that is not finite.
    pub fn set_surface_speed(&mut self, handle: ColliderHandle, speed: Real) -> Result<(), PlanarError> {
        self.shape(handle)?;
        check("surface_speed", "finite", speed.into(), true)?;
        let collider = &mut self.colliders.list[handle.index as usize];
        collider.surface_speed = speed;
        let body = collider.body;
        let mut at = self.contacts.first(&self.bodies, body);
        while let Some(index) = at {
            let contact = &mut self.contacts.list[index as usize];
            contact.drive = contact.colliders.iter().map(|&c| self.colliders.get(c).surface_speed).sum();
            at = self.contacts.after(index, body);
        }
        self.wake_island(body);
        self.wake_neighbours(body);
        Ok(())
    }

    /// Adds a force (N) and a torque about the centre of mass (N·m) for the next step.
    ///
    /// # Errors
    /// An unknown or not dynamic body, one in quarantine, or a value that is not finite.
    pub fn add_force(&mut self, handle: BodyHandle, force: Vector2, torque: Real) -> Result<(), PlanarError> {
        let body = self.dynamic_index(handle)?;
        check_vector("force", &force)?;
        check("torque", "finite", torque.into(), true)?;
        self.wake_island(body);
        let own = &mut self.bodies.facts[body as usize].force;
        *own = [own[0] + force.x, own[1] + force.y, own[2] + torque];
        Ok(())
    }

    /// Adds an impulse at the centre of mass (N·s) and an angular impulse (N·m·s).
    ///
    /// # Errors
    /// An unknown or not dynamic body, one in quarantine, or a value that is not finite.
    pub fn add_impulse(
        &mut self,
        handle: BodyHandle,
        impulse: Vector2,
        angular: Real,
    ) -> Result<(), PlanarError> {
        let body = self.dynamic_index(handle)?;
        check_vector("impulse", &impulse)?;
        check("angular impulse", "finite", angular.into(), true)?;
        self.wake_island(body);
        let row = &mut self.bodies.rows[body as usize];
        row[0] += impulse.x * row[3];
        row[1] += impulse.y * row[3];
        row[2] += angular * row[7];
        Ok(())
    }

    /// Sets linear and angular damping, 1/s.
    ///
    /// # Errors
    /// An unknown body or a value out of range.
    pub fn set_damping(
        &mut self,
        handle: BodyHandle,
        linear: Real,
        angular: Real,
    ) -> Result<(), PlanarError> {
        let body = self.index(handle)?;
        check("linear_damping", "at least 0", linear.into(), linear >= 0.0)?;
        check("angular_damping", "at least 0", angular.into(), angular >= 0.0)?;
        self.bodies.facts[body as usize].damping = [linear, angular];
        Ok(())
    }

    /// Sets the factor on gravity of a body, and wakes it.
    ///
    /// # Errors
    /// An unknown body or a value that is not finite.
    pub fn set_gravity_scale(&mut self, handle: BodyHandle, scale: Real) -> Result<(), PlanarError> {
        let body = self.index(handle)?;
        check("gravity_scale", "finite", scale.into(), true)?;
        self.bodies.facts[body as usize].gravity_scale = scale;
        self.wake_island(body);
        Ok(())
    }

    /// Wakes a body and what is connected with it by contacts.
    ///
    /// # Errors
    /// An unknown body.
    pub fn wake(&mut self, handle: BodyHandle) -> Result<(), PlanarError> {
        let body = self.index(handle)?;
        self.wake_island(body);
        Ok(())
    }

    /// Sets the acceleration of all bodies, m/s²; all wake.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn set_gravity(&mut self, gravity: Vector2) -> Result<(), PlanarError> {
        check_vector("gravity", &gravity)?;
        self.config.gravity = gravity;
        for body in 1..self.bodies.rows.len() as u32 {
            self.wake_island(body);
        }
        Ok(())
    }

    /// Colliders of a body, the last added first.
    ///
    /// # Errors
    /// An unknown body.
    pub fn colliders_of(
        &self,
        handle: BodyHandle,
    ) -> Result<impl Iterator<Item = ColliderHandle> + '_, PlanarError> {
        let body = self.index(handle)?;
        let first = self.bodies.facts[body as usize].first_collider;
        Ok(self.colliders.of(first).filter_map(|c| self.colliders.handle(c)))
    }

    /// Shape of a collider, in its own frame.
    ///
    /// # Errors
    /// An unknown collider.
    pub fn shape(&self, handle: ColliderHandle) -> Result<&PlanarShape, PlanarError> {
        if self.colliders.slots.is_alive(handle.index, handle.generation) {
            Ok(&self.colliders.get(handle.index).shape)
        } else {
            Err(PlanarError::UnknownCollider(handle))
        }
    }

    /// Index of a body that exists.
    pub(super) fn index(&self, handle: BodyHandle) -> Result<u32, PlanarError> {
        if handle.index != 0 && self.bodies.slots.is_alive(handle.index, handle.generation) {
            Ok(handle.index)
        } else {
            Err(ContactError::UnknownBody(handle).into())
        }
    }

    /// Index of a body that may be changed.
    fn free_index(&self, handle: BodyHandle) -> Result<u32, PlanarError> {
        let body = self.index(handle)?;
        if self.bodies.facts[body as usize].is_quarantined {
            return Err(PlanarError::Quarantined(handle));
        }
        Ok(body)
    }

    fn dynamic_index(&self, handle: BodyHandle) -> Result<u32, PlanarError> {
        let body = self.free_index(handle)?;
        if self.bodies.is_dynamic(body) { Ok(body) } else { Err(ContactError::NotDynamic(handle).into()) }
    }

    /// Ends a contact, and its touch.
    pub(super) fn end_contact(&mut self, contact: u32) {
        self.unlink(contact);
        self.contacts.end(&mut self.bodies, contact);
    }

    /// A contact lost its points: so it has no colour and does not touch.
    pub(super) fn unlink(&mut self, contact: u32) {
        self.contacts.uncolour(&mut self.bodies, contact);
        let own = &mut self.contacts.list[contact as usize];
        own.is_linked = false;
        if std::mem::take(&mut own.is_touching) {
            self.tell(contact, TouchPhase::End);
        }
    }

    /// Notes an event for the end of the step.
    pub(super) fn tell(&mut self, contact: u32, phase: TouchPhase) {
        let own = &self.contacts.list[contact as usize];
        let colliders = own.colliders.map(|c| self.colliders.handle(c));
        let bodies = own.bodies.map(|b| self.bodies.handle(b));
        if let ([Some(a), Some(b)], [Some(c), Some(d)]) = (colliders, bodies) {
            self.pending.push(TouchEvent { colliders: [a, b], bodies: [c, d], phase });
        } else {
            debug_assert!(false, "a contact outlived its body");
        }
    }

    /// Mass properties of a body to be: its own, or those of its colliders; `None` when it is not dynamic.
    fn mass_of(&self, spec: &PlanarBodySpec) -> Result<Option<PlanarMass>, PlanarError> {
        let mut parts = Vec::with_capacity(spec.colliders.len());
        for collider in &spec.colliders {
            let material = self.materials.get(collider.material);
            let material = material.ok_or(ContactError::UnknownMaterialId(collider.material))?;
            check_vector("collider.local", &collider.translation)?;
            check("collider.local angle", "finite", collider.turn.cos.into(), true)?;
            match part_of(collider, material.density) {
                Some(part) => parts.push(part),
                None if spec.kind == BodyKind::Dynamic => {
                    return Err(PlanarError::NoMass(format!("{:?}", PlanarShapeKind::Segment)));
                }
                None => {}
            }
        }
        if spec.kind != BodyKind::Dynamic {
            return Ok(None);
        }
        if let Some(mass) = spec.mass {
            check("mass.mass", "in [1e-30, 1e30] kg", mass.mass.into(), MASSES.contains(&mass.mass))?;
            let is_ordinary = MOMENTS.contains(&mass.inertia);
            check("mass.inertia", "in [1e-36, 1e36] kg m²", mass.inertia.into(), is_ordinary)?;
            check_vector("mass.center", &mass.center)?;
            return Ok(Some(mass));
        }
        let mass = PlanarMass::combined(&parts);
        let is_usable = |m: &PlanarMass| MASSES.contains(&m.mass) && MOMENTS.contains(&m.inertia);
        mass.filter(is_usable)
            .map(Some)
            .ok_or_else(|| PlanarError::NoMass(format!("{} colliders", parts.len())))
    }
}

/// The pose with a turn of unit length: shapes would grow by what it is longer.
fn checked_pose(pose: &PlanarPose) -> Result<PlanarPose, PlanarError> {
    check("pose.translation.x", "finite", pose.translation.x, true)?;
    check("pose.translation.y", "finite", pose.translation.y, true)?;
    let length = pose.turn.cos.hypot(pose.turn.sin);
    check("pose.turn norm", "1 within 1e-3", length.into(), (length - 1.0).abs() < 1e-3)?;
    Ok(PlanarPose { turn: pose.turn.normalised(), ..*pose })
}
