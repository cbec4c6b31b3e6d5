//! Timers (S3-01 T): tick once or periodically, exactly as often as their period fits into the time since they were added.

use super::clock::Ticks;
use crate::error::ContactError;
use crate::handle::{Slots, TimerHandle};
use drystone_math::Real;

/// When a timer ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimerSpec {
    /// From its adding to its first tick, s.
    delay: f64,
    /// From tick to tick, s; `None` for one tick.
    period: Option<f64>,
}

impl TimerSpec {
    /// Shortest period, s: at most a million ticks per second.
    pub const SHORTEST: f64 = 1e-6;
    /// Longest delay and period, s.
    pub const LONGEST: f64 = 1e9;

    /// One tick after `delay` s, 0 to [`TimerSpec::LONGEST`]. Then the timer is gone.
    pub fn once(delay: f64) -> Self {
        Self { delay, period: None }
    }

    /// A tick every `period` s, [`TimerSpec::SHORTEST`] to [`TimerSpec::LONGEST`]; the first one after a period.
    pub fn periodic(period: f64) -> Self {
        Self { delay: period, period: Some(period) }
    }

    /// The first tick after `delay` s instead, 0 to [`TimerSpec::LONGEST`].
    pub fn first_after(self, delay: f64) -> Self {
        Self { delay, ..self }
    }

    fn validate(&self) -> Result<(), ContactError> {
        let check = |field, expected, value: f64, least| {
            if (least..=Self::LONGEST).contains(&value) {
                Ok(())
            } else {
                Err(ContactError::OutOfRange { field, expected, value })
            }
        };
        check("timer delay", "0 to 1e9 s", self.delay, 0.0)?;
        self.period.map_or(Ok(()), |period| check("timer period", "1e-6 to 1e9 s", period, Self::SHORTEST))
    }
}

/// A timer ticked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimerTick {
    /// The timer; stale after the only tick of a timer that ticks once.
    pub timer: TimerHandle,
    /// Which tick it is, from 1.
    pub number: u64,
    /// When, s of simulated time: within the step that tells it.
    pub time: f64,
}

/// A timer, to read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimerState {
    /// Ticks so far.
    pub ticks: u64,
    /// When it ticks next, s of simulated time.
    pub next: f64,
}

#[derive(Clone, Copy, Debug)]
struct Timer {
    handle: TimerHandle,
    next: Ticks,
    period: Option<Ticks>,
    ticks: u64,
}

/// The clock of a world and its timers.
///
/// Time is kept in whole units, so that after a time `t` a timer of period `p` has ticked `floor(t / p)` times for the
/// numbers `t` (the sum of all steps) and `p` as they are, after any number of steps.
#[derive(Clone, Debug, Default)]
pub struct Timers {
    now: Ticks,
    slots: Slots,
    /// In the order in which they were added.
    list: Vec<Timer>,
    ticks: Vec<TimerTick>,
}

drystone_math::carried!(Timers { part: [slots, list, ticks], value: [now] });

impl Timers {
    /// Adds a timer whose time begins now.
    ///
    /// # Errors
    /// A time out of range; nothing is added.
    pub fn add(&mut self, spec: TimerSpec) -> Result<TimerHandle, ContactError> {
        spec.validate()?;
        let (index, generation) = self.slots.take().ok_or(ContactError::Full("timers"))?;
        let handle = TimerHandle { index, generation };
        let next = self.now.plus(Ticks::from_seconds(spec.delay));
        let period = spec.period.map(Ticks::from_seconds);
        self.list.push(Timer { handle, next, period, ticks: 0 });
        Ok(handle)
    }

    /// Removes a timer.
    ///
    /// # Errors
    /// An unknown timer, or one that ticked once and is gone.
    pub fn remove(&mut self, handle: TimerHandle) -> Result<(), ContactError> {
        let at = self.find(handle)?;
        self.list.remove(at);
        self.slots.release(handle.index, handle.generation);
        Ok(())
    }

    /// All timers, in the order in which they were added.
    pub fn handles(&self) -> impl Iterator<Item = TimerHandle> + '_ {
        self.list.iter().map(|timer| timer.handle)
    }

    /// A timer's state.
    ///
    /// # Errors
    /// An unknown timer, or one that ticked once and is gone.
    pub fn get(&self, handle: TimerHandle) -> Result<TimerState, ContactError> {
        let timer = &self.list[self.find(handle)?];
        Ok(TimerState { ticks: timer.ticks, next: timer.next.seconds() })
    }

    /// Lets `dt` s pass and returns the time, s. Ticks of the span (the end included, the begin not) are those of
    /// [`Timers::ticks`] from then on. O(timers + ticks).
    pub fn advance(&mut self, dt: Real) -> f64 {
        self.now = self.now.plus(Ticks::from(dt));
        self.ticks.clear();
        if !self.list.is_empty() {
            self.collect();
        }
        self.now.seconds()
    }

    /// Ticks of the last span, sorted by time, then timer.
    pub fn ticks(&self) -> &[TimerTick] {
        &self.ticks
    }

    fn collect(&mut self) {
        let Self { now, slots, list, ticks } = self;
        list.retain_mut(|timer| {
            // A period is at least a microsecond and a span at most a second.
            while timer.next <= *now {
                timer.ticks += 1;
                let Timer { handle, next, period, ticks: number } = *timer;
                ticks.push(TimerTick { timer: handle, number, time: next.seconds() });
                let Some(period) = period else {
                    slots.release(handle.index, handle.generation);
                    return false;
                };
                timer.next = next.plus(period);
            }
            true
        });
        ticks.sort_unstable_by(|a, b| {
            a.time.total_cmp(&b.time).then((a.timer, a.number).cmp(&(b.timer, b.number)))
        });
    }

    fn find(&self, handle: TimerHandle) -> Result<usize, ContactError> {
        let found = self.list.iter().position(|timer| timer.handle == handle);
        found.ok_or(ContactError::UnknownTimer(handle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_has_ticked_as_often_as_its_period_fits_in() {
        // Periods that steps meet exactly, just miss, and meet several times; a million steps.
        let periods = [1.0 / 64.0, 0.1, f64::from(1.0_f32 / 60.0), 1e-3, 7.7, 1.0 / 60.0];
        for dt in [1.0_f32 / 64.0, 1.0 / 60.0] {
            let mut timers = Timers::default();
            let handles = periods.map(|p| timers.add(TimerSpec::periodic(p)).expect("in range"));
            let (mut counts, mut last) = ([0; 6], [0.0; 6]);
            for _ in 0..1_000_000 {
                timers.advance(dt);
                for tick in timers.ticks() {
                    let k = handles.iter().position(|&h| h == tick.timer).expect("one of them");
                    (counts[k], last[k]) = (counts[k] + 1, tick.time);
                    assert_eq!(tick.number, counts[k]);
                }
            }
            for (k, period) in periods.into_iter().enumerate() {
                // Exact in whole numbers: both are multiples of 2⁻⁷⁵ s.
                let whole = |x: f64| (x * 2.0_f64.powi(75)) as u128;
                let expected = 1_000_000 * whole(f64::from(dt)) / whole(period);
                assert_eq!(u128::from(counts[k]), expected, "period {period} s, step {dt} s");
                let state = timers.get(handles[k]).expect("it goes on");
                assert_eq!(
                    (state.ticks, last[k]),
                    (counts[k], counts[k] as f64 * period),
                    "to the last digit"
                );
            }
        }
    }

    #[test]
    fn several_ticks_of_a_step_come_in_the_order_of_their_times() {
        let mut timers = Timers::default();
        let fast = timers.add(TimerSpec::periodic(0.25)).expect("in range");
        let once = timers.add(TimerSpec::once(0.375)).expect("in range");
        let late = timers.add(TimerSpec::periodic(0.5).first_after(0.0)).expect("in range");
        assert_eq!(timers.advance(0.5), 0.5);
        let told: Vec<_> = timers.ticks().iter().map(|t| (t.timer, t.number, t.time)).collect();
        let expected = [(late, 1, 0.0), (fast, 1, 0.25), (once, 1, 0.375), (fast, 2, 0.5), (late, 2, 0.5)];
        assert_eq!(told, expected);
        assert_eq!(timers.remove(once), Err(ContactError::UnknownTimer(once)), "it is gone");
        timers.remove(fast).expect("it goes on");
        timers.advance(0.5);
        assert_eq!(timers.ticks().iter().map(|t| (t.timer, t.time)).collect::<Vec<_>>(), [(late, 1.0)]);
    }

    #[test]
    fn times_out_of_range_are_refused() {
        let mut timers = Timers::default();
        for spec in [
            TimerSpec::once(-1.0),
            TimerSpec::once(f64::NAN),
            TimerSpec::periodic(0.0),
            TimerSpec::periodic(1e-7),
            TimerSpec::periodic(f64::INFINITY),
            TimerSpec::periodic(1.0).first_after(1e10),
        ] {
            assert!(matches!(timers.add(spec), Err(ContactError::OutOfRange { .. })), "{spec:?}");
        }
    }
}
