//! Timers of a world.

use super::World;
use crate::WorldError;
use drystone_contact::{TimerHandle, TimerSpec, TimerState};

impl World {
    /// Adds a timer (S3-01) whose time begins now; its ticks come with [`World::events`], several in a step where several
    /// are due, each with its time. After a time `t` a timer of period `p` has ticked `floor(t / p)` times, however large and
    /// however many the steps are: nothing drifts.
    ///
    /// ```
    /// use drystone::{EventDetail, TimerSpec, World, WorldConfig};
    /// let mut world = World::new(WorldConfig::default())?;
    /// let timer = world.add_timer(TimerSpec::periodic(0.25))?;
    /// world.step(0.6)?;
    /// let ticks: Vec<_> = world.events().map(|event| event.time).collect();
    /// assert_eq!(ticks, [0.25, 0.5]);
    /// world.remove_timer(timer)?;
    /// # Ok::<(), drystone::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// A time out of range.
    pub fn add_timer(&mut self, spec: TimerSpec) -> Result<TimerHandle, WorldError> {
        Ok(self.logic.timers.add(spec)?)
    }

    /// Removes a timer; its ticks of the last step stay told.
    ///
    /// # Errors
    /// An unknown timer, or one that ticked its only time.
    pub fn remove_timer(&mut self, handle: TimerHandle) -> Result<(), WorldError> {
        Ok(self.logic.timers.remove(handle)?)
    }

    /// How often a timer has ticked, and when it will next.
    ///
    /// # Errors
    /// An unknown timer, or one that ticked its only time.
    pub fn timer(&self, handle: TimerHandle) -> Result<TimerState, WorldError> {
        Ok(self.logic.timers.get(handle)?)
    }
}
