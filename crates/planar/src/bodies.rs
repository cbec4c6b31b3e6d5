//! Bodies and colliders of the plane, as arrays.

use crate::frame::{PlanarPose, Position2, Turn, Vector2};
use crate::shape::{Core, PlanarMass, PlanarShape};
use crate::{PlanarBodySpec, PlanarColliderSpec, PlanarLocks};
use drystone_contact::{BodyHandle, BodyKind, ColliderHandle, MaterialId, Slots};
use drystone_math::{BitSet, Real};

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

/// What the solver reads and writes of a body: `v.x v.y w 1/m | d.x d.y turn 1/I`, velocities and the displacement since the
/// step began.
pub(crate) type Row = [f32; 8];

/// What does not change within a step.
#[derive(Clone, Debug)]
pub(crate) struct BodyFacts {
    pub(crate) kind: BodyKind,
    pub(crate) can_sleep: bool,
    /// Added asleep, and no step has been since.
    pub(crate) begins_asleep: bool,
    pub(crate) locks: PlanarLocks,
    pub(crate) is_quarantined: bool,
    pub(crate) gravity_scale: Real,
    /// Linear and angular damping, 1/s.
    pub(crate) damping: [Real; 2],
    /// Force, N, and torque, N·m, of the next step.
    pub(crate) force: [Real; 3],
    /// Largest distance of the surface from the centre of mass, m.
    pub(crate) reach: Real,
    /// Centre of mass in the body's frame, m.
    pub(crate) center: Vector2,
    pub(crate) mass: PlanarMass,
    pub(crate) user_data: u64,
    pub(crate) first_collider: u32,
    /// First of the contacts of the body; see [`crate::contacts::Contacts`].
    pub(crate) first_contact: u32,
    /// How long the body has been at rest, s.
    pub(crate) rest_time: Real,
}

impl BodyFacts {
    /// What gravity and forces give the centre of mass, m/s².
    #[inline]
    pub(crate) fn acceleration(&self, inverse_mass: Real, gravity: &Vector2) -> Vector2 {
        let [fx, fy, _] = self.force;
        let scale = if self.locks.translation { 0.0 } else { self.gravity_scale };
        Vector2::new(gravity.x * scale + fx * inverse_mass, gravity.y * scale + fy * inverse_mass)
    }
}

/// Bodies; index 0 is one that cannot move and belongs to nobody.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    pub(crate) slots: Slots,
    pub(crate) rows: Vec<Row>,
    /// Poses of the centres of mass.
    pub(crate) pose: Vec<PlanarPose>,
    /// Centres of mass at the start of the last step awake, m, from which arms of contacts are.
    pub(crate) start: Vec<Position2>,
    pub(crate) facts: Vec<BodyFacts>,
    /// How far gravity and forces may move the surface in a step, m, besides its velocity: of the last step awake, 0 for
    /// what is not dynamic.
    pub(crate) pull: Vec<Real>,
    /// Colours that contacts of the body have.
    pub(crate) colours: Vec<u64>,
    pub(crate) awake: BitSet,
    /// The awake bodies, ascending, while `is_listed`.
    pub(crate) list: Vec<u32>,
    pub(crate) is_listed: bool,
}

impl Default for Bodies {
    fn default() -> Self {
        let mut bodies = Self {
            slots: Slots::default(),
            rows: Vec::new(),
            pose: Vec::new(),
            start: Vec::new(),
            facts: Vec::new(),
            pull: Vec::new(),
            colours: Vec::new(),
            awake: BitSet::new(),
            list: Vec::new(),
            is_listed: false,
        };
        let (index, _) = bodies.slots.take().unwrap_or_default();
        bodies.write(index, &PlanarBodySpec::fixed(), None, 0.0);
        bodies
    }
}

impl Bodies {
    /// Adds a body; `None` when indices run out.
    pub(crate) fn add(
        &mut self,
        spec: &PlanarBodySpec,
        mass: Option<PlanarMass>,
        reach: Real,
    ) -> Option<BodyHandle> {
        let (index, generation) = self.slots.take()?;
        self.write(index, spec, mass, reach);
        let is_moving = spec.linear != Vector2::zeros() || spec.angular != 0.0;
        let begins_awake = spec.kind == BodyKind::Dynamic && !spec.is_asleep;
        if begins_awake || (spec.kind == BodyKind::Kinematic && is_moving) {
            self.set_awake(index, true);
        }
        Some(BodyHandle { index, generation })
    }

    fn write(&mut self, index: u32, spec: &PlanarBodySpec, mass: Option<PlanarMass>, reach: Real) {
        let count = index as usize + 1;
        let nothing = PlanarMass { mass: 0.0, center: Vector2::zeros(), inertia: 0.0 };
        let own = mass.unwrap_or(nothing);
        let inverse = |x: Real| if x > 0.0 { 1.0 / x } else { 0.0 };
        let free = [!spec.locks.translation, !spec.locks.translation, !spec.locks.rotation];
        let is_dynamic = spec.kind == BodyKind::Dynamic;
        let kept = |k: usize| spec.kind != BodyKind::Fixed && (free[k] || !is_dynamic);
        let given = [spec.linear.x, spec.linear.y, spec.angular];
        let [x, y, turning] = [0, 1, 2].map(|k| if kept(k) { given[k] } else { 0.0 });
        let unlocked = |k: usize, value: Real| if free[k] { inverse(value) } else { 0.0 };
        let row = [x, y, turning, unlocked(0, own.mass), 0.0, 0.0, 0.0, unlocked(2, own.inertia)];
        let facts = BodyFacts {
            kind: spec.kind,
            can_sleep: spec.can_sleep,
            begins_asleep: spec.is_asleep,
            locks: spec.locks,
            is_quarantined: false,
            gravity_scale: spec.gravity_scale,
            damping: [spec.linear_damping, spec.angular_damping],
            force: [0.0; 3],
            reach,
            center: own.center,
            mass: own,
            user_data: spec.user_data,
            first_collider: NONE,
            first_contact: NONE,
            rest_time: 0.0,
        };
        let pose = PlanarPose { translation: spec.pose.transform_point(&own.center), turn: spec.pose.turn };
        if self.rows.len() < count {
            self.rows.resize(count, row);
            self.pose.resize(count, pose);
            self.start.resize(count, pose.translation);
            self.facts.resize(count, facts.clone());
            self.pull.resize(count, 0.0);
            self.colours.resize(count, 0);
            self.awake.resize(count as u32);
        }
        let i = index as usize;
        (self.rows[i], self.facts[i]) = (row, facts);
        self.place(index, pose);
        (self.pull[i], self.colours[i]) = (0.0, 0);
    }

    /// Puts a body elsewhere.
    pub(crate) fn place(&mut self, index: u32, pose: PlanarPose) {
        (self.pose[index as usize], self.start[index as usize]) = (pose, pose.translation);
    }

    pub(crate) fn remove(&mut self, handle: BodyHandle) {
        self.set_awake(handle.index, false);
        let i = handle.index as usize;
        self.rows[i] = [0.0; 8];
        self.facts[i].kind = BodyKind::Fixed;
        self.slots.release(handle.index, handle.generation);
    }

    pub(crate) fn handle(&self, index: u32) -> Option<BodyHandle> {
        self.slots.generation(index).map(|generation| BodyHandle { index, generation })
    }

    #[inline]
    pub(crate) fn is_dynamic(&self, index: u32) -> bool {
        self.facts[index as usize].kind == BodyKind::Dynamic
    }

    #[inline]
    pub(crate) fn is_awake(&self, index: u32) -> bool {
        self.awake.contains(index)
    }

    /// Asleep: dynamic, not in quarantine, not awake.
    pub(crate) fn is_asleep(&self, index: u32) -> bool {
        let facts = &self.facts[index as usize];
        facts.kind == BodyKind::Dynamic && !facts.is_quarantined && !self.is_awake(index)
    }

    pub(crate) fn set_awake(&mut self, index: u32, is_awake: bool) {
        if is_awake {
            self.awake.insert(index);
        } else {
            self.awake.remove(index);
        }
        self.is_listed = false;
    }

    /// Brings the list of awake bodies up to date.
    pub(crate) fn update_list(&mut self) {
        if !self.is_listed {
            self.list.clear();
            self.list.extend(self.awake.iter());
            self.is_listed = true;
        }
    }

    /// Pose of the body's own origin.
    pub(crate) fn origin(&self, index: u32) -> PlanarPose {
        let (pose, facts) = (&self.pose[index as usize], &self.facts[index as usize]);
        PlanarPose { translation: pose.transform_point(&-facts.center), turn: pose.turn }
    }

    /// Kinetic energy, J.
    pub(crate) fn kinetic_energy(&self, index: u32) -> f64 {
        let (row, mass) = (&self.rows[index as usize], &self.facts[index as usize].mass);
        let [x, y, w] = [row[0], row[1], row[2]].map(f64::from);
        0.5 * (f64::from(mass.mass) * (x * x + y * y) + f64::from(mass.inertia) * w * w)
    }
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub(crate) struct Collider {
    pub(crate) core: Core,
    pub(crate) body: u32,
    pub(crate) material: MaterialId,
    pub(crate) member_of: u32,
    pub(crate) meets: u32,
    pub(crate) surface_speed: Real,
    pub(crate) next: u32,
    pub(crate) shape: PlanarShape,
}

/// Colliders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colliders {
    pub(crate) slots: Slots,
    pub(crate) list: Vec<Collider>,
}

impl Colliders {
    /// Adds a collider to a body whose centre of mass is at `center` in its frame.
    pub(crate) fn add(
        &mut self,
        spec: &PlanarColliderSpec,
        body: u32,
        center: &Vector2,
        next: u32,
    ) -> Option<u32> {
        let (index, _) = self.slots.take()?;
        let collider = Collider {
            core: Core::new(&spec.shape, &(spec.translation - center), &spec.turn),
            body,
            material: spec.material,
            member_of: spec.member_of,
            meets: spec.meets,
            surface_speed: spec.surface_speed,
            next,
            shape: spec.shape.clone(),
        };
        if (index as usize) < self.list.len() {
            self.list[index as usize] = collider;
        } else {
            self.list.push(collider);
        }
        Some(index)
    }

    pub(crate) fn handle(&self, index: u32) -> Option<ColliderHandle> {
        self.slots.generation(index).map(|generation| ColliderHandle { index, generation })
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &Collider {
        &self.list[index as usize]
    }

    /// Colliders of a body, last added first.
    pub(crate) fn of(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = first;
        std::iter::from_fn(move || {
            let here = (at != NONE).then_some(at)?;
            at = self.list[here as usize].next;
            Some(here)
        })
    }
}

/// Turn of a spec's collider, for mass properties.
pub(crate) fn part_of(spec: &PlanarColliderSpec, density: Real) -> Option<PlanarMass> {
    let turn: &Turn = &spec.turn;
    spec.shape.mass_properties(density).map(|mass| mass.transformed(&spec.translation, turn))
}
