//! Colliders: shapes on bodies, with their boxes for the broad phase.

mod carry;
mod follow;
mod neighbours;

use super::query::Strays;
use crate::spec::ColliderSpec;
use drystone_collision::Shape;
use drystone_collision::broad::{Proxies, ProxyFilter};
use drystone_contact::{BodyIndex, ColliderHandle, MaterialId, Slots};
use drystone_math::{Aabb, BitSet, Displacement, Pose, Position, Real, RelativePose, Vector3};
use follow::Checked;
use neighbours::Neighbours;

/// One collider: what a look at a pair reads. One cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Collider {
    pub(crate) shape: Shape,
    /// World pose as of the last look at the body.
    pub(crate) pose: Pose,
    pub(crate) body: BodyIndex,
    /// Farthest point of the shape from its origin, m.
    pub(crate) radius: Real,
}

const _: () = assert!(size_of::<Collider>() == 64 && size_of::<ColliderMotion>() == 64);

/// How a collider sits on its body, and what else looks at pairs do not read.
#[derive(Clone, Debug)]
struct Fastening {
    local: Place,
    material: MaterialId,
    /// How fast the surface runs over the shape, m/s, frame of the shape.
    surface_velocity: Vector3,
    /// Farthest point from its origin of what turning moves, m: 0 for balls.
    rim: Real,
    /// Least distance of the surface from the shape's centre of mass, m.
    inner: Real,
    /// Next collider of the same body.
    next: Option<u32>,
    is_trigger: bool,
    /// Groups it belongs to and meets, where a rule may force it to meet others and the broad phase is told that it meets
    /// everything.
    narrow_filter: Option<(u32, u32)>,
}

/// Frame of a shape seen from the centre of mass of the body that moves it.
#[derive(Clone, Copy, Debug)]
struct Place {
    frame: RelativePose,
    /// From the centre of mass to the shape's origin, m.
    arm: Real,
    /// Whether the frame is that of the body itself, as mostly.
    is_same: bool,
}

impl Place {
    fn new(frame: RelativePose) -> Self {
        // 0 and -0 are not the same here.
        let bits =
            |p: &RelativePose| (p.translation.map(Real::to_bits), p.rotation.coords.map(Real::to_bits));
        let is_same = bits(&frame) == bits(&RelativePose::IDENTITY);
        Self { frame, arm: frame.translation.norm(), is_same }
    }

    /// The shape's pose with the centre of mass of its body at `center`, which is finite.
    #[inline(always)]
    fn on(&self, center: &Pose) -> Pose {
        let (t, q) = (&center.translation.coords, &center.rotation.coords);
        // What is not 0 comes through the arithmetic as it is; the sign of a 0 does not.
        if self.is_same && q.x * q.y * q.z * q.w != 0.0 {
            let pose = Pose::new((t + Displacement::zeros()).into(), center.rotation);
            debug_assert_eq!(pose, center.compose(&self.frame), "the same frame");
            return pose;
        }
        self.turned_on(center)
    }

    #[inline(never)]
    fn turned_on(&self, center: &Pose) -> Pose {
        center.compose(&self.frame)
    }
}

/// Where a collider belongs, whatever moves it.
#[derive(Clone, Copy, Debug)]
struct Home {
    /// The body that it was added to.
    owner: BodyIndex,
    /// Frame of the shape seen from the owner's centre of mass.
    local: RelativePose,
}

/// Where a collider is and how it moves, as of the last look at the body: all that a look at a pair reads that
/// stays apart. One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct ColliderMotion {
    /// Origin of the shape, m, world.
    pub(crate) origin: Position,
    /// How far turning has carried the shape's surface since the collider was made at most, m; only differences
    /// mean something. Infinite for unbounded shapes that turned.
    pub(crate) turned: f64,
    /// How far the surface has moved at most since then, m, turning included.
    pub(crate) travelled: f64,
    /// Way of the body's centre of mass that is looked ahead, m.
    pub(crate) way: Vector3,
    /// How far turning can carry a point of the shape in the time looked ahead at most, m.
    pub(crate) turn: Real,
    /// Share of its way that counts where what it meets is stopped by a third body.
    pub(crate) alone: Real,
    /// Whether the origin is the body's centre of mass.
    pub(crate) is_centred: bool,
    /// Whether contacts can move the body.
    pub(crate) is_dynamic: bool,
}

impl Default for ColliderMotion {
    fn default() -> Self {
        Self {
            origin: Position::origin(),
            turned: 0.0,
            travelled: 0.0,
            way: Vector3::zeros(),
            turn: 0.0,
            alone: 1.0,
            is_centred: false,
            is_dynamic: false,
        }
    }
}

/// All colliders of a world; boxes and filters lie apart, as the broad phase takes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colliders {
    slots: Slots,
    list: Vec<Collider>,
    fastenings: Vec<Fastening>,
    homes: Vec<Home>,
    checked: Vec<Checked>,
    motions: Vec<ColliderMotion>,
    boxes: Vec<Aabb>,
    filters: Vec<ProxyFilter>,
    changed: BitSet,
    /// Slots of colliders whose surface runs over them.
    belts: Vec<u32>,
    /// First collider of each body.
    first: Vec<Option<u32>>,
    /// Whether there ever was a trigger.
    has_triggers: bool,
    /// Bodies with colliders that have neighbours which do not move against them.
    neighbours: Neighbours,
    /// For queries: which boxes do not hold.
    strays: Strays,
}

drystone_math::carried!(Colliders {
    part: [
        slots, list, fastenings, homes, checked, motions, boxes, filters, changed, belts, first, neighbours,
        strays
    ],
    value: [has_triggers],
});

impl Colliders {
    /// Adds a collider; `None` when the index width is exhausted.
    pub(crate) fn add(
        &mut self,
        spec: &ColliderSpec,
        local: RelativePose,
        body: BodyIndex,
        fixed: bool,
    ) -> Option<ColliderHandle> {
        let (index, generation) = self.slots.take()?;
        let i = index as usize;
        if self.first.len() <= body.get() {
            self.first.resize(body.get() + 1, None);
        }
        if fixed || self.first[body.get()].is_some() {
            self.neighbours.doubt();
        }
        let radius = spec.shape.bounding_radius();
        let collider = Collider { shape: spec.shape.clone(), pose: Pose::IDENTITY, body, radius };
        let fastening = Fastening {
            local: Place::new(local),
            material: spec.material,
            surface_velocity: spec.surface_velocity,
            rim: if matches!(spec.shape, Shape::Sphere { .. }) { 0.0 } else { radius },
            inner: spec.shape.inner_radius(),
            next: self.first[body.get()].replace(index),
            is_trigger: spec.is_trigger,
            narrow_filter: None,
        };
        let is_centred = local.translation == Vector3::zeros();
        let motion = ColliderMotion { is_centred, is_dynamic: !fixed, ..ColliderMotion::default() };
        // A trigger sees what is fixed, even where it is fixed itself.
        let fixed = fixed && !spec.is_trigger;
        self.has_triggers |= spec.is_trigger;
        let filter = ProxyFilter { member_of: spec.member_of, meets: spec.meets, fixed, owner: body.0 };
        if i == self.list.len() {
            self.list.push(collider);
            self.fastenings.push(fastening);
            self.homes.push(Home { owner: body, local });
            self.checked.push(Checked::NEVER);
            self.motions.push(motion);
            self.boxes.push(Aabb::EMPTY);
            self.filters.push(filter);
            self.changed.resize(self.list.len() as u32);
        } else {
            (self.list[i], self.boxes[i], self.filters[i]) = (collider, Aabb::EMPTY, filter);
            (self.fastenings[i], self.checked[i], self.motions[i]) = (fastening, Checked::NEVER, motion);
            self.homes[i] = Home { owner: body, local };
        }
        if spec.surface_velocity != Vector3::zeros() {
            self.belts.push(index);
        }
        self.mark(index);
        Some(ColliderHandle { index, generation })
    }

    /// Removes all colliders of a body.
    pub(crate) fn remove_of(&mut self, body: BodyIndex) {
        self.neighbours.doubt_of(body);
        let mut next = self.first.get_mut(body.get()).and_then(Option::take);
        while let Some(index) = next {
            next = self.fastenings[index as usize].next;
            if let Some(generation) = self.slots.generation(index) {
                // The broad phase knows the slot until its next update.
                self.slots.retire(index, generation);
            }
            self.boxes[index as usize] = Aabb::EMPTY;
            self.mark(index);
            self.belts.retain(|&belt| belt != index);
        }
    }

    /// The broad phase must look at a slot again.
    #[inline]
    fn mark(&mut self, index: u32) {
        self.changed.insert(index);
        self.strays.forget();
    }

    /// True when the broad phase has not looked at a slot since it changed.
    pub(crate) fn is_changed(&self, index: u32) -> bool {
        self.changed.contains(index)
    }

    /// True when the broad phase has something to look at.
    pub(crate) fn has_changes(&self) -> bool {
        self.changed.has_any()
    }

    /// Bodies may have moved.
    pub(crate) fn forget_strays(&mut self) {
        self.strays.forget();
    }

    /// What queries know of boxes that do not hold.
    pub(crate) fn strays(&self) -> &Strays {
        &self.strays
    }

    /// Least distance of the surface of a collider from its centre, m; 0 for half-spaces.
    #[inline]
    pub(crate) fn inner(&self, index: u32) -> Real {
        self.fastenings[index as usize].inner
    }

    /// The centre of mass of the body that moves a collider, m, frame of the shape.
    pub(crate) fn center_in(&self, index: u32) -> Vector3 {
        self.fastenings[index as usize].local.frame.inverse().translation
    }

    /// Farthest point of a collider from the centre of mass of the body that moves it, m.
    #[inline]
    pub(crate) fn reach(&self, index: u32) -> Real {
        self.fastenings[index as usize].local.arm + self.list[index as usize].radius
    }

    /// Forgets that the colliders of a body may be at rest: looks at pairs find them anew, however little they moved.
    pub(crate) fn doubt_rest(&mut self, body: BodyIndex) {
        let mut next = self.first.get(body.get()).copied().flatten();
        while let Some(index) = next {
            // Only differences mean something, and no pair rests that moved by so much, m.
            self.motions[index as usize].travelled += 1.0;
            next = self.fastenings[index as usize].next;
        }
    }

    /// The centre of a shape that [`Colliders::inner`] is measured from, m, frame of the shape.
    pub(crate) fn middle(&self, index: u32) -> Vector3 {
        self.list[index as usize].shape.center_of_mass()
    }

    /// True unless two colliders are of one body, or of bodies that must not meet.
    pub(crate) fn may_meet(&self, slots: [u32; 2]) -> bool {
        let [a, b] = slots.map(|slot| self.filters[slot as usize].owner);
        a != b
    }

    /// The box that the broad phase has of a slot, or gets with its next look.
    pub(crate) fn box_of(&self, index: u32) -> &Aabb {
        &self.boxes[index as usize]
    }

    /// Pose of a collider on a body whose centre of mass is at `center`.
    pub(crate) fn pose_on(&self, index: u32, center: &Pose) -> Pose {
        self.fastenings[index as usize].local.on(center)
    }

    /// A collider by slot.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> &Collider {
        &self.list[index as usize]
    }

    /// Slots of colliders whose surface runs over them.
    pub(crate) fn belts(&self) -> &[u32] {
        &self.belts
    }

    /// Sets how fast a surface runs, m/s, frame of the shape.
    pub(crate) fn set_surface_velocity(&mut self, index: u32, velocity: Vector3) {
        self.fastenings[index as usize].surface_velocity = velocity;
        self.belts.retain(|&belt| belt != index);
        if velocity != Vector3::zeros() {
            self.belts.push(index);
        }
    }

    /// True when there is or was a trigger.
    #[inline]
    pub(crate) fn has_triggers(&self) -> bool {
        self.has_triggers
    }

    /// True for a trigger.
    pub(crate) fn is_trigger(&self, index: u32) -> bool {
        self.fastenings[index as usize].is_trigger
    }

    /// Groups that a collider belongs to, and those it meets.
    pub(crate) fn filter(&self, index: u32) -> (u32, u32) {
        let filter = &self.filters[index as usize];
        self.fastenings[index as usize].narrow_filter.unwrap_or((filter.member_of, filter.meets))
    }

    /// True when the filters of two colliders let them meet.
    pub(crate) fn filters_allow(&self, a: u32, b: u32) -> bool {
        let [(member_a, meets_a), (member_b, meets_b)] = [a, b].map(|c| self.filter(c));
        member_a & meets_b != 0 && member_b & meets_a != 0
    }

    /// Whether the broad phase is to be told that a collider meets everything.
    pub(crate) fn set_wide(&mut self, index: u32, is_wide: bool) {
        let own = self.filter(index);
        let narrow_filter = is_wide.then_some(own);
        if std::mem::replace(&mut self.fastenings[index as usize].narrow_filter, narrow_filter)
            != narrow_filter
        {
            let filter = &mut self.filters[index as usize];
            (filter.member_of, filter.meets) = if is_wide { (u32::MAX, u32::MAX) } else { own };
            self.mark(index);
        }
    }

    /// Slots of all colliders, ascending.
    pub(crate) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots.iter().map(|(index, _)| index)
    }

    /// Takes the boxes of a body's colliders out of the broad phase, until the body is followed again.
    pub(crate) fn withdraw(&mut self, body: BodyIndex) {
        let mut next = self.first.get(body.get()).copied().flatten();
        while let Some(index) = next {
            let i = index as usize;
            next = self.fastenings[i].next;
            (self.boxes[i], self.checked[i]) = (Aabb::EMPTY, Checked::NEVER);
            self.mark(index);
        }
    }

    /// Sets the groups that a collider belongs to, and those it meets.
    pub(crate) fn set_filter(&mut self, index: u32, member_of: u32, meets: u32) {
        if let Some(own) = &mut self.fastenings[index as usize].narrow_filter {
            *own = (member_of, meets);
            return;
        }
        let filter = &mut self.filters[index as usize];
        (filter.member_of, filter.meets) = (member_of, meets);
        self.mark(index);
    }

    /// How fast the surface of a collider runs over its shape, m/s, frame of the shape.
    pub(crate) fn surface_velocity_of(&self, index: u32) -> Vector3 {
        self.fastenings[index as usize].surface_velocity
    }

    /// Material of a collider.
    pub(crate) fn material(&self, index: u32) -> MaterialId {
        self.fastenings[index as usize].material
    }

    /// How fast the surface of B runs over that of A beside their bodies, m/s, world.
    pub(crate) fn surface_velocity(&self, colliders: [ColliderHandle; 2]) -> Vector3 {
        let [a, b] = colliders.map(|collider| {
            self.get(collider.index).pose.rotation * self.surface_velocity_of(collider.index)
        });
        b - a
    }

    /// Where all colliders are, by slot.
    #[inline]
    pub(crate) fn motions(&self) -> &[ColliderMotion] {
        &self.motions
    }

    /// Handle of a slot in use.
    pub(crate) fn handle(&self, index: u32) -> Option<ColliderHandle> {
        self.slots.generation(index).map(|generation| ColliderHandle { index, generation })
    }

    /// True while the handle's collider exists.
    pub(crate) fn is_alive(&self, handle: ColliderHandle) -> bool {
        self.slots.is_alive(handle.index, handle.generation)
    }

    /// Slots of a body's colliders, newest first.
    pub(crate) fn of(&self, body: BodyIndex) -> impl Iterator<Item = u32> + '_ {
        let first = self.first.get(body.get()).copied().flatten();
        std::iter::successors(first, |&i| self.fastenings[i as usize].next)
    }

    /// Those that are no triggers.
    pub(crate) fn solid(&self, body: BodyIndex) -> impl Iterator<Item = u32> + '_ {
        self.of(body).filter(|&slot| !self.is_trigger(slot))
    }

    /// After the broad phase has looked: nothing is changed, and slots of removed colliders are free.
    pub(crate) fn settle(&mut self) {
        self.changed.clear();
        self.slots.recycle();
    }

    /// Input of the broad phase.
    pub(crate) fn proxies(&self) -> Proxies<'_> {
        Proxies { boxes: &self.boxes, filters: &self.filters, changed: &self.changed }
    }
}
