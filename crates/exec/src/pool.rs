//! [`Exec`]: which threads there are, and when they are awake.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Mutex;

use crate::ExecError;
#[cfg(not(feature = "parallel"))]
use crate::alone::Team;
use crate::order::Stamps;
use crate::recording::Recorder;
#[cfg(feature = "parallel")]
use crate::team::Team;

/// Most threads an [`Exec`] may have: far above any gain, small enough that a slip is caught.
pub const MAX_THREADS: usize = 1024;

/// Runs stages, on this thread alone or with workers.
///
/// Stages are [`for_each_dynamic`](Self::for_each_dynamic), [`for_each_dynamic_ordered`](Self::for_each_dynamic_ordered) and
/// [`for_each_static`](Self::for_each_static); each returns when all parts are done. One thread at a time has the workers: a stage
/// started meanwhile from another thread runs on that thread alone, with the same result. A stage started by a
/// part of a stage of the same `Exec` panics ("nested stage"), at any thread count; where a stage of another `Exec`
/// lies between the two, the inner one runs as that of a second caller does. Parts must not wait for each other:
/// with one thread, they run one after another.
///
/// Dropping it ends and joins the threads it started.
///
/// ```
/// use drystone_exec::{Exec, ExecError, items_mut};
///
/// let exec = Exec::serial();
/// let mut values = [1, 2, 3];
/// exec.for_each_dynamic(items_mut(&mut values), |_, value| *value *= 2);
/// assert_eq!((values, exec.thread_count()), ([2, 4, 6], 1));
/// assert_eq!(Exec::with_threads(0).err(), Some(ExecError::ThreadCount(0)));
/// ```
pub struct Exec {
    /// The other threads; none when serial.
    team: Option<Team>,
    /// Checks the orders of `for_each_dynamic_ordered`; locked for the check only.
    pub(crate) stamps: Mutex<Stamps>,
    /// Notes what runs when; none unless asked for.
    pub(crate) recorder: Option<Box<Recorder>>,
    /// Leave the other threads asleep.
    is_alone: bool,
}

// A panic in a part leaves an `Exec` as usable as before (tested), so it may cross `catch_unwind`.
impl UnwindSafe for Exec {}
impl RefUnwindSafe for Exec {}

impl Exec {
    /// Runs every stage on the calling thread. Costs nothing to make.
    pub const fn serial() -> Self {
        Self { team: None, stamps: Mutex::new(Stamps::new()), recorder: None, is_alone: false }
    }

    /// Starts `n - 1` threads, kept until this `Exec` is dropped and parked between steps; the caller of a
    /// stage is the n-th.
    ///
    /// # Errors
    /// `n` is 0 or above [`MAX_THREADS`], the system refuses to start threads, or `n` is above 1 without the
    /// feature `parallel`.
    pub fn with_threads(n: usize) -> Result<Self, ExecError> {
        match n {
            1 => Ok(Self::serial()),
            2..=MAX_THREADS => Ok(Self { team: Some(Team::start(n)?), ..Self::serial() }),
            _ => Err(ExecError::ThreadCount(n)),
        }
    }

    /// Takes workers from a pool of the caller's: as many threads as the pool has, the calling one included.
    ///
    /// Workers visit the pool while there is work, and leave it when [`Awake`] is dropped or after 100 µs
    /// without a stage, so other work of the pool is delayed, never locked out. Each visit is a job that
    /// rayon allocates. May be made and used on the pool's own threads, since no stage waits for a visitor to
    /// come; parts should not use rayon themselves, because what it steals there may start a nested stage.
    ///
    /// # Errors
    /// The pool has more than [`MAX_THREADS`] threads.
    ///
    /// ```
    /// use drystone_exec::{Exec, ExecError, items_mut};
    /// use std::sync::Arc;
    ///
    /// let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    /// let exec = Exec::with_pool(pool.clone())?;
    /// let mut squares = [0; 100];
    /// pool.install(|| exec.for_each_dynamic(items_mut(&mut squares), |i, square| *square = i * i));
    /// assert_eq!((squares[99], exec.thread_count()), (9801, 2));
    /// # Ok::<(), ExecError>(())
    /// ```
    #[cfg(feature = "parallel")]
    pub fn with_pool(pool: std::sync::Arc<rayon::ThreadPool>) -> Result<Self, ExecError> {
        match pool.current_num_threads() {
            0 | 1 => Ok(Self::serial()),
            2..=MAX_THREADS => Ok(Self { team: Some(Team::visit(pool)), ..Self::serial() }),
            n => Err(ExecError::ThreadCount(n)),
        }
    }

    /// How many threads may take part in a stage, the calling one included; at least 1.
    #[inline]
    pub fn thread_count(&self) -> usize {
        self.team.as_ref().map_or(1, Team::thread_count)
    }

    /// Whether to leave the other threads asleep from now on: stages run on the calling thread alone then, with the same results, and [`Exec::wake`]
    /// wakes nobody. For steps with less work than waking a thread takes (some 10 µs).
    ///
    /// ```
    /// # use drystone_exec::{Exec, items_mut};
    /// # let (mut exec, mut values) = (Exec::with_threads(2)?, [0; 8]);
    /// exec.force_serial(true);
    /// let here = std::thread::current().id();
    /// exec.for_each_dynamic(items_mut(&mut values), |_, value| *value += u32::from(std::thread::current().id() == here));
    /// assert_eq!((values, exec.thread_count()), ([1; 8], 2));
    /// # Ok::<(), drystone_exec::ExecError>(())
    /// ```
    pub fn force_serial(&mut self, is_alone: bool) {
        self.is_alone = is_alone;
    }

    /// Wakes the workers and keeps them at hand until the guard is dropped: once per step, around its stages.
    ///
    /// Waiting workers spin for 2 to 5 µs and then yield their core between looks, so a guard held through a
    /// long serial passage costs power, not other threads' time; with nothing to do for longer, drop it. A
    /// stage without a guard wakes workers by itself, which costs several microseconds more. Guards may
    /// overlap, and cost nothing when serial.
    ///
    /// ```
    /// # use drystone_exec::{Exec, items_mut};
    /// # let (exec, mut values) = (Exec::serial(), [0; 8]);
    /// let _awake = exec.wake();
    /// for _ in 0..3 {
    ///     exec.for_each_dynamic(items_mut(&mut values), |_, value| *value += 1);
    /// }
    /// assert_eq!(values, [3; 8]);
    /// ```
    #[must_use = "workers go back to sleep when the guard is dropped"]
    pub fn wake(&self) -> Awake<'_> {
        let team = self.team.as_ref().filter(|_| !self.is_alone);
        if let Some(team) = team {
            team.wake();
        }
        Awake { team }
    }

    /// The workers, when a stage for so many threads needs any.
    pub(crate) fn team(&self, wanted_threads: usize) -> Option<&Team> {
        self.team.as_ref().filter(|_| wanted_threads > 1 && !self.is_alone)
    }

    /// Tells this `Exec` from others while it is borrowed; never 0.
    #[inline]
    pub(crate) fn identity(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl Default for Exec {
    /// [`Exec::serial`].
    fn default() -> Self {
        Self::serial()
    }
}

impl std::fmt::Debug for Exec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exec").field("thread_count", &self.thread_count()).finish_non_exhaustive()
    }
}

/// Keeps the workers of an [`Exec`] awake until dropped; made by [`Exec::wake`].
pub struct Awake<'a> {
    team: Option<&'a Team>,
}

impl Drop for Awake<'_> {
    fn drop(&mut self) {
        if let Some(team) = self.team {
            team.release();
        }
    }
}

impl std::fmt::Debug for Awake<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Awake").finish_non_exhaustive()
    }
}
