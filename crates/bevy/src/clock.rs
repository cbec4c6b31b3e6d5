//! How many steps a frame is worth.

use bevy_ecs::resource::Resource;
use drystone::WorldError;
use std::time::Instant;

/// Steps that one frame takes at most; time beyond them is dropped, and told ([`StepClock::dropped`]).
const MOST_STEPS: u32 = 8;

/// Where the time of a frame comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClockSource {
    /// What passed since the last frame.
    Wall,
    /// Each frame is worth the same, s: tests, replays, frames rendered to files.
    Fixed(f64),
    /// What [`StepClock::add`] was told since the last frame: another clock, a slow motion, a pause.
    Manual,
}

/// Turns the time of frames into steps of one length. What is left waits for the next frame, and poses are shown in between ([`StepClock::fraction`]).
///
/// A step takes at most 1 s, so the rate is 1 Hz or more. [`DrystonePlugin::clock`](crate::DrystonePlugin::clock) panics for another one; where the resource is
/// replaced by a clock with one, no step is taken and [`Refused`](crate::Refused) says so.
///
/// ```
/// use drystone_bevy::StepClock;
/// let mut clock = StepClock::manual(100.0);
/// clock.add(0.025);
/// assert_eq!(clock.due(), 2);
/// assert!((clock.fraction() - 0.5).abs() < 1e-9, "half a step is left");
/// ```
#[derive(Clone, Debug, Resource)]
pub struct StepClock {
    source: ClockSource,
    rate: f64,
    last: Option<Instant>,
    /// Time not yet stepped, s.
    owed: f64,
    dropped: f64,
    most: u32,
    is_paused: bool,
    shows_latest: bool,
}

impl StepClock {
    fn new(rate: f64, source: ClockSource) -> Self {
        Self {
            source,
            rate,
            last: None,
            owed: 0.0,
            dropped: 0.0,
            most: MOST_STEPS,
            is_paused: false,
            shows_latest: false,
        }
    }

    /// Real time, in steps of `1 / rate` s.
    pub fn wall(rate: f64) -> Self {
        Self::new(rate, ClockSource::Wall)
    }

    /// `per_frame` seconds each frame, in steps of `1 / rate` s.
    pub fn fixed(rate: f64, per_frame: f64) -> Self {
        Self::new(rate, ClockSource::Fixed(per_frame))
    }

    /// The time that [`StepClock::add`] is told, in steps of `1 / rate` s. With Bevy's own clock, a system before
    /// [`PhysicsSet::Drive`](crate::PhysicsSet) says `clock.add(time.delta_secs_f64())`.
    pub fn manual(rate: f64) -> Self {
        Self::new(rate, ClockSource::Manual)
    }

    /// At most so many steps a frame (8 unless said).
    pub fn most_steps(self, most: u32) -> Self {
        Self { most, ..self }
    }

    /// Shows entities where the last step left them, not on the way there. Between steps they stand still; on the way, what is shown is
    /// up to a step old.
    pub fn showing_latest(self) -> Self {
        Self { shows_latest: true, ..self }
    }

    /// Where time comes from.
    pub fn source(&self) -> ClockSource {
        self.source
    }

    /// Length of a step, s.
    pub fn step_length(&self) -> f64 {
        1.0 / self.rate
    }

    /// `Ok` for a rate whose steps a world takes.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let length = self.step_length() as f32;
        if length > 0.0 && length <= 1.0 {
            return Ok(());
        }
        let expected = "such that a step, 1 / rate, is in (0, 1] s";
        Err(WorldError::OutOfRange { field: "the rate of StepClock", expected, value: self.rate })
    }

    /// Adds time, s, for the next frame; what is no number or negative adds nothing.
    pub fn add(&mut self, seconds: f64) {
        if seconds.is_finite() && seconds > 0.0 {
            self.owed += seconds;
        }
    }

    /// Stops and goes on; while stopped no time passes.
    pub fn set_paused(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
    }

    /// Whether it is stopped.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// One step more, also while it is stopped: to look at what happens one by one.
    pub fn add_step(&mut self) {
        self.owed += self.step_length();
    }

    /// How far what is shown is between the last two steps: 0 at the one before the last, 1 at the last.
    pub fn fraction(&self) -> f64 {
        if self.shows_latest || self.check().is_err() {
            return 1.0;
        }
        (self.owed * self.rate).clamp(0.0, 1.0)
    }

    /// Time that was not stepped since frames came too slowly, s, in all.
    pub fn dropped(&self) -> f64 {
        self.dropped
    }

    /// Takes the steps that are due; none with a rate out of range. The plugin calls it once a frame.
    pub fn due(&mut self) -> u32 {
        if self.check().is_err() {
            return 0;
        }
        let now = (self.source == ClockSource::Wall).then(Instant::now);
        let passed = match (self.source, self.last, now) {
            (ClockSource::Fixed(seconds), ..) => seconds,
            (_, Some(last), Some(now)) => (now - last).as_secs_f64(),
            _ => 0.0,
        };
        self.last = now;
        if !self.is_paused {
            self.add(passed);
        }
        // Rounding must not make a frame of one step's length worth none.
        let whole = (self.owed * self.rate + 1e-9).floor().max(0.0);
        let steps = whole.min(f64::from(self.most));
        self.dropped += (whole - steps) / self.rate;
        self.owed = (self.owed - whole / self.rate).max(0.0);
        steps as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_a_step_is_a_step_every_time() {
        let mut clock = StepClock::fixed(60.0, 1.0 / 60.0);
        assert!((0..10_000).all(|_| clock.due() == 1));
    }

    #[test]
    fn slow_frames_drop_time_and_say_so() {
        let mut clock = StepClock::manual(100.0).most_steps(3);
        clock.add(0.105);
        assert_eq!(clock.due(), 3);
        assert!((clock.dropped() - 0.07).abs() < 1e-9 && (clock.fraction() - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_stopped_clock_takes_single_steps() {
        let mut clock = StepClock::fixed(60.0, 1.0);
        clock.set_paused(true);
        assert_eq!(clock.due(), 0);
        clock.add_step();
        assert_eq!([clock.due(), clock.due()], [1, 0]);
        for nothing in [f64::NAN, -1.0, f64::INFINITY] {
            clock.add(nothing);
        }
        assert_eq!(clock.due(), 0);
    }
}
