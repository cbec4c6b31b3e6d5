//! Bodies: dense, struct of arrays, generational handles.
//!
//! The hot record of a body is one 64-byte line (velocity half, pose-delta half); everything a stage
//! reads rarely lies in arrays of its own. A body's index is its slot: it stays while the body lives, and
//! freed slots are reused last in, first out, so equal histories give equal indices. Index 0 is a
//! read-only dummy that stands for "cannot move".
//!
//! Being asleep is data here (a bit per body): correction and resolution wake what they move or hit
//! (S1-38, S1-39) without knowing the sleeping crate.

mod desc;
mod lanes;
mod record;
mod state;

pub use desc::{AxisLocks, BodyDesc, BodyKind, MASSES, MOMENTS};
pub use lanes::{Row, SharedBodyStates, StateIndex, StateSlot};
pub use record::{BodyHot, LocalInertia, TurnRemainder};
pub use state::{Wake, WakeCause, WakeCounts};

use crate::error::ContactError;
use crate::handle::{BodyHandle, BodyIndex, Slots};
use drystone_math::{BitSet, Pose, Real, Symmetric3, Vector3, integrate_rotation, widen};
use record::Cold;

/// All bodies of a world.
#[derive(Clone, Debug)]
pub struct Bodies {
    slots: Slots,
    hot: Vec<BodyHot>,
    pose: Vec<Pose>,
    inverse_inertia: Vec<Symmetric3>,
    local_inertia: Vec<LocalInertia>,
    motion: Vec<Real>,
    supports: Vec<u32>,
    last_move: Vec<Vector3>,
    turn_remainder: Vec<TurnRemainder>,
    cold: Vec<Cold>,
    /// Bodies that move or may begin to: awake dynamic ones, and kinematic ones that have a velocity.
    awake: BitSet,
    wakes: WakeCounts,
    /// Bodies that woke since the list was last taken, and for each the cause.
    woken: BitSet,
    wake_cause: Vec<WakeCause>,
    dynamic_count: u32,
    kinematic_count: u32,
    /// Whether a force was added since they were last forgotten.
    has_forces: bool,
}

drystone_math::carried!(Bodies {
    part: [
        slots,
        hot,
        pose,
        inverse_inertia,
        local_inertia,
        motion,
        supports,
        last_move,
        turn_remainder,
        cold,
        awake,
        woken,
        wake_cause
    ],
    value: [wakes, dynamic_count, kinematic_count, has_forces],
});

/// All arrays of [`Bodies`] at once, for stages that read.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// Velocities, inverse masses, flags.
    pub hot: &'a [BodyHot],
    /// Centre of mass and orientation.
    pub pose: &'a [Pose],
    /// Inverse inertia about the centre of mass, world axes, 1/(kg m²).
    pub inverse_inertia: &'a [Symmetric3],
    /// Inertia in the body's frame.
    pub local_inertia: &'a [LocalInertia],
    /// Awake bodies.
    pub awake: &'a BitSet,
}

/// Arrays of [`Bodies`] at once, for stages that write.
#[derive(Debug)]
pub struct BodyViewMut<'a> {
    /// Velocities, inverse masses, flags.
    pub hot: &'a mut [BodyHot],
    /// Centre of mass and orientation.
    pub pose: &'a mut [Pose],
    /// Inverse inertia about the centre of mass, world axes, 1/(kg m²).
    pub inverse_inertia: &'a mut [Symmetric3],
    /// Inertia in the body's frame.
    pub local_inertia: &'a [LocalInertia],
    /// Displacement of the last position update, m, world.
    pub last_move: &'a mut [Vector3],
    /// What rounding left out of orientation and angular velocity in the last position update.
    pub turn_remainder: &'a mut [TurnRemainder],
    /// Weighted average of the squared motion bound, (m/s)² (S1-32).
    pub motion: &'a mut [Real],
    /// Contacts in the direction of the global forces at the last look (S1-41).
    pub supports: &'a mut [u32],
    /// Awake bodies.
    pub awake: &'a BitSet,
}

impl Default for Bodies {
    fn default() -> Self {
        let mut bodies = Self {
            slots: Slots::default(),
            hot: Vec::new(),
            pose: Vec::new(),
            inverse_inertia: Vec::new(),
            local_inertia: Vec::new(),
            motion: Vec::new(),
            supports: Vec::new(),
            last_move: Vec::new(),
            turn_remainder: Vec::new(),
            cold: Vec::new(),
            awake: BitSet::new(),
            wakes: WakeCounts::default(),
            woken: BitSet::new(),
            wake_cause: Vec::new(),
            dynamic_count: 0,
            kinematic_count: 0,
            has_forces: false,
        };
        // Slot 0 is the dummy; no handle to it is ever given out.
        let taken = bodies.slots.take();
        debug_assert_eq!(taken, Some((0, 1)), "the first slot of a new set is 0");
        bodies.grow_to(1);
        bodies
    }
}

impl Bodies {
    /// Adds a body.
    ///
    /// # Errors
    /// A value of the description that is out of range, with its name; nothing is added.
    pub fn add(&mut self, desc: &BodyDesc) -> Result<BodyHandle, ContactError> {
        desc.validate()?;
        let desc = &BodyDesc { pose: desc::unit_pose(&desc.pose), ..*desc };
        let (index, generation) = self.slots.take().ok_or(ContactError::Full("bodies"))?;
        self.grow_to(index as usize + 1);
        let i = index as usize;
        self.hot[i] = BodyHot::new(desc);
        self.pose[i] = desc.center_pose();
        self.local_inertia[i] = LocalInertia::new(desc);
        self.inverse_inertia[i] = self.local_inertia[i].inverse_world(&self.pose[i].rotation);
        // Starts at the largest motion, so that a body must prove to be at rest before it sleeps.
        self.motion[i] = Real::MAX;
        self.supports[i] = 0;
        self.last_move[i] = Vector3::zeros();
        self.turn_remainder[i] = TurnRemainder::default();
        self.cold[i] = Cold::new(desc);
        self.dynamic_count += u32::from(self.hot[i].is_dynamic());
        self.kinematic_count += u32::from(self.hot[i].is_kinematic());
        if desc.is_asleep {
            // Its average is low: a waking body sleeps again only if its motion is below the threshold (S1-36).
            self.motion[i] = 0.0;
            self.awake.remove(index);
        } else {
            self.refresh_awake(BodyIndex(index), true);
        }
        Ok(BodyHandle { index, generation })
    }

    /// Removes a body; its handle is stale from then on. Contacts of the body belong to the graph, whose
    /// owner removes them and wakes the neighbours (S1-40).
    ///
    /// # Errors
    /// [`ContactError::UnknownBody`].
    pub fn remove(&mut self, handle: BodyHandle) -> Result<(), ContactError> {
        let index = self.index(handle)?;
        self.slots.release(handle.index, handle.generation);
        let hot = &self.hot[index.get()];
        self.dynamic_count -= u32::from(hot.is_dynamic() && !hot.is_passive());
        self.kinematic_count -= u32::from(self.hot[index.get()].is_kinematic());
        self.hot[index.get()] = BodyHot::VACANT;
        self.awake.remove(index.0);
        self.woken.remove(index.0);
        Ok(())
    }

    /// Index of a handle.
    ///
    /// # Errors
    /// [`ContactError::UnknownBody`] when the handle is stale or foreign.
    #[inline]
    pub fn index(&self, handle: BodyHandle) -> Result<BodyIndex, ContactError> {
        if handle.index != 0 && self.slots.is_alive(handle.index, handle.generation) {
            Ok(BodyIndex(handle.index))
        } else {
            Err(ContactError::UnknownBody(handle))
        }
    }

    /// Handle of an index; `None` for the dummy and for free slots.
    #[inline]
    pub fn handle(&self, index: BodyIndex) -> Option<BodyHandle> {
        if index == BodyIndex::IMMOVABLE {
            return None;
        }
        self.slots.generation(index.0).map(|generation| BodyHandle { index: index.0, generation })
    }

    /// Number of bodies.
    pub fn count(&self) -> usize {
        self.slots.count() - 1
    }

    /// Number of dynamic bodies, quarantined ones included, passive ones not.
    pub fn dynamic_count(&self) -> u32 {
        self.dynamic_count
    }

    /// Number of kinematic bodies, moving or not.
    pub fn kinematic_count(&self) -> u32 {
        self.kinematic_count
    }

    /// Number of dynamic bodies that are awake.
    pub fn awake_dynamic_count(&self) -> u32 {
        // What is awake and not dynamic is kinematic.
        if self.kinematic_count == 0 {
            return self.awake.count();
        }
        self.awake.iter().filter(|&i| self.hot[i as usize].is_dynamic()).count() as u32
    }

    /// Length of the arrays; indices are below it. Free slots and the dummy count.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.hot.len()
    }

    /// Indices of all bodies, ascending.
    pub fn indices(&self) -> impl Iterator<Item = BodyIndex> + '_ {
        self.slots.iter().skip(1).map(|(index, _)| BodyIndex(index))
    }

    /// All arrays, to read.
    #[inline]
    pub fn view(&self) -> BodyView<'_> {
        BodyView {
            hot: &self.hot,
            pose: &self.pose,
            inverse_inertia: &self.inverse_inertia,
            local_inertia: &self.local_inertia,
            awake: &self.awake,
        }
    }

    /// The arrays a stage writes. Entry 0 is the dummy and must stay as it is.
    #[inline]
    pub fn view_mut(&mut self) -> BodyViewMut<'_> {
        BodyViewMut {
            hot: &mut self.hot,
            pose: &mut self.pose,
            inverse_inertia: &mut self.inverse_inertia,
            local_inertia: &self.local_inertia,
            last_move: &mut self.last_move,
            turn_remainder: &mut self.turn_remainder,
            motion: &mut self.motion,
            supports: &mut self.supports,
            awake: &self.awake,
        }
    }

    /// Velocities, inverse mass and flags of a body.
    #[inline]
    pub fn hot(&self, index: BodyIndex) -> &BodyHot {
        &self.hot[index.get()]
    }

    /// Centre of mass and orientation of a body.
    #[inline]
    pub fn center_pose(&self, index: BodyIndex) -> &Pose {
        &self.pose[index.get()]
    }

    /// Pose of a body's own origin.
    #[inline]
    pub fn origin_pose(&self, index: BodyIndex) -> Pose {
        let center = &self.pose[index.get()];
        let offset = center.rotation * -self.cold[index.get()].center_local;
        center.translated(&drystone_math::widen(&offset))
    }

    /// Centre of mass in the body's own frame, m.
    #[inline]
    pub fn center_local(&self, index: BodyIndex) -> Vector3 {
        self.cold[index.get()].center_local
    }

    /// Inverse inertia about the centre of mass, world axes, 1/(kg m²).
    #[inline]
    pub fn inverse_inertia(&self, index: BodyIndex) -> &Symmetric3 {
        &self.inverse_inertia[index.get()]
    }

    /// Largest distance of the body's surface from its centre of mass, m (S1's `r_max`).
    #[inline]
    pub fn radius(&self, index: BodyIndex) -> Real {
        self.cold[index.get()].radius
    }

    /// What the user attached to the body.
    pub fn user_data(&self, index: BodyIndex) -> u64 {
        self.cold[index.get()].user_data
    }

    /// Attaches a number to the body.
    pub fn set_user_data(&mut self, index: BodyIndex, data: u64) {
        self.cold[index.get()].user_data = data;
    }

    /// Linear and angular damping, 1/s.
    #[inline]
    pub fn damping(&self, index: BodyIndex) -> (Real, Real) {
        let cold = &self.cold[index.get()];
        (cold.linear_damping, cold.angular_damping)
    }

    /// Factor on the global accelerations for this body.
    #[inline]
    pub fn gravity_scale(&self, index: BodyIndex) -> Real {
        self.cold[index.get()].gravity_scale
    }

    /// Force (N) and torque about the centre of mass (N·m) that act during the next step.
    #[inline]
    pub fn force(&self, index: BodyIndex) -> (Vector3, Vector3) {
        let cold = &self.cold[index.get()];
        (cold.force, cold.torque)
    }

    /// Displacement of the last position update, m, world.
    #[inline]
    pub fn last_move(&self, index: BodyIndex) -> &Vector3 {
        &self.last_move[index.get()]
    }

    /// What rounding left out of orientation and angular velocity.
    #[inline]
    pub fn turn_remainder(&self, index: BodyIndex) -> &TurnRemainder {
        &self.turn_remainder[index.get()]
    }

    /// Recomputes the inverse world inertia after a rotation changed.
    #[inline]
    pub fn refresh_inertia(&mut self, index: BodyIndex) {
        let i = index.get();
        self.inverse_inertia[i] = self.local_inertia[i].inverse_world(&self.pose[i].rotation);
    }

    /// Moves a body by a way (m, in `f64`, so that it is the same far from the origin) and a rotation vector (rad, world), without velocity.
    pub fn displace(&mut self, index: BodyIndex, moved: &Vector3, turned: &Vector3) {
        let pose = &mut self.pose[index.get()];
        pose.translation += widen(moved);
        if *turned != Vector3::zeros() {
            pose.rotation = integrate_rotation(&pose.rotation, turned, 1.0);
            self.refresh_inertia(index);
        }
    }

    /// Room for indices below `len`.
    fn grow_to(&mut self, len: usize) {
        if self.hot.len() >= len {
            return;
        }
        self.hot.resize(len, BodyHot::VACANT);
        self.pose.resize(len, Pose::IDENTITY);
        self.inverse_inertia.resize(len, Symmetric3::ZERO);
        self.local_inertia.resize(len, LocalInertia::IMMOVABLE);
        self.motion.resize(len, 0.0);
        self.supports.resize(len, 0);
        self.last_move.resize(len, Vector3::zeros());
        self.turn_remainder.resize(len, TurnRemainder::default());
        self.cold.resize(len, Cold::default());
        self.awake.resize(len as u32);
        self.woken.resize(len as u32);
        self.wake_cause.resize(len, WakeCause::User);
    }
}
