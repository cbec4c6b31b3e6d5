//! How a caller and its workers meet: the gate of a stage, and sleep between steps.
//!
//! One word, the gate, says everything about the current stage: its number (upper 32 bits), how many seats are
//! still free (16 bits), and how many workers are inside (lower 16 bits). A worker gets in by one
//! compare-and-swap that takes a seat and counts it as inside, which cannot succeed once the caller has
//! removed the free seats. So the caller, having done what work it could claim, removes the free seats, waits
//! until nobody is inside, and may then let the stage's closure, which lives on its stack, go out of scope.
//! It waits for workers that are inside (each at the part it holds), never for one that has yet to come.
#![expect(unsafe_code, reason = "lends a closure on the caller's stack to workers that outlive the call")]

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;

use crate::schedule::Seat;

const INSIDE: u64 = 1;
const INSIDE_MASK: u64 = 0xffff;
const SEAT: u64 = 1 << 16;
const SEAT_MASK: u64 = 0xffff << 16;
const STAGE: u64 = 1 << 32;
const STAGE_MASK: u64 = u64::MAX << 32;

/// Looks at the gate before a waiting thread starts to yield its core. A look with its pause takes 15 to 50 ns
/// on current x86-64 machines: 2 to 5 µs together. `Backoff` of crossbeam takes as long, but pauses longer and
/// longer between looks, which would add up to a microsecond to the start of each stage.
const SPIN_LOOKS: u32 = 100;

/// Waits longer than this are slept through in naps (with the kernel's slack, 0.1 ms each): what goes on alone for so long loses
/// little by a late start of the next stage, and the core is free for others. Until then a waiting thread yields.
const LONG_WAIT: Duration = Duration::from_millis(1);
const NAP: Duration = Duration::from_micros(50);

/// How long a visitor stays in another owner's pool without a stage.
const VISIT: Duration = Duration::from_micros(100);

/// A stage's closure, its lifetime erased; valid while a worker is inside the gate.
type Body = *const (dyn Fn(Seat) + Sync + 'static);

/// What a worker does when there is nothing to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stay {
    /// Parks until woken; the thread is ours.
    Resident,
    /// Leaves; the thread is another pool's.
    Visitor,
}

/// State shared between workers and callers.
pub(crate) struct Crew {
    gate: CachePadded<AtomicU64>,
    /// Read by workers inside the gate; written by the owner of `is_taken` with nobody inside.
    body: UnsafeCell<Option<Body>>,
    /// Whether some caller has a stage going.
    is_taken: CachePadded<AtomicBool>,
    /// Guards that keep workers awake. Raised under `parked`, so that no worker misses it on its way to park.
    guard_count: CachePadded<AtomicUsize>,
    is_over: AtomicBool,
    /// Number of workers parked.
    parked: Mutex<usize>,
    bell: Condvar,
}

// SAFETY: `body` is the only field that is not `Send + Sync` by itself. It is written only between winning
// `is_taken` and opening the gate, and read only inside the gate; the gate orders the two (see `open` and
// `serve`). What it points to is `Sync`, so workers may call it.
unsafe impl Sync for Crew {}
// SAFETY: as above; the pointer means nothing outside of a stage.
unsafe impl Send for Crew {}

impl Crew {
    pub(crate) fn new() -> Self {
        Self {
            gate: CachePadded::new(AtomicU64::new(0)),
            body: UnsafeCell::new(None),
            is_taken: CachePadded::new(AtomicBool::new(false)),
            guard_count: CachePadded::new(AtomicUsize::new(0)),
            is_over: AtomicBool::new(false),
            parked: Mutex::new(0),
            bell: Condvar::new(),
        }
    }

    /// Runs `body` here in seat 0, and on up to `seat_count - 1` workers in the other seats, each seat once.
    /// Returns when all have left. False, with nothing done, when another caller has a stage going.
    pub(crate) fn run(&self, seat_count: usize, body: &(dyn Fn(Seat) + Sync)) -> bool {
        // Acquire: pairs with the release in `OpenStage::drop`, so that the previous caller's accesses to
        // `body` and `gate` lie before ours.
        if self.is_taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return false;
        }
        let _open = self.open(seat_count - 1, body);
        body(Seat { index: 0, worker: 0 });
        true
    }

    /// Lets workers into `body` until the guard is dropped. Only for the winner of `is_taken`.
    fn open<'a>(&'a self, free_seats: usize, body: &'a (dyn Fn(Seat) + Sync)) -> OpenStage<'a> {
        let gate = self.gate.load(Ordering::Relaxed);
        debug_assert_eq!(gate & !STAGE_MASK, 0, "the last stage left nobody inside and no free seat");
        // SAFETY: only the lifetime changes. Workers use it only while inside the gate, and `OpenStage::drop`,
        // which runs before 'a ends even on unwinding, waits until none is.
        let body = unsafe { std::mem::transmute::<*const (dyn Fn(Seat) + Sync + 'a), Body>(body) };
        // SAFETY: nobody is inside the gate and nobody can enter (no free seats), so no worker reads it; no
        // other caller writes it, since this one won `is_taken`. Earlier reads by workers happened before
        // this: they left by a release, which the previous stage's caller acquired before giving `is_taken` up.
        unsafe { *self.body.get() = Some(body) };
        // Release: whoever enters sees `body` and all that the caller wrote before the stage.
        self.gate.store(gate.wrapping_add(STAGE) | (free_seats as u64 * SEAT), Ordering::Release);
        OpenStage { crew: self }
    }

    /// Takes part in the current stage if it has a free seat and is not the one last `seen`.
    fn serve(&self, seen: &mut u64, worker: usize) -> bool {
        let mut gate = self.gate.load(Ordering::Relaxed);
        let seat = loop {
            if gate & SEAT_MASK == 0 || gate & STAGE_MASK == *seen {
                return false;
            }
            // Acquire: the value swapped out was stored by the release in `open`, or by other workers' swaps
            // and departures on top of it, which continue its release sequence.
            match self.gate.compare_exchange_weak(
                gate,
                gate - SEAT + INSIDE,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => break ((gate & SEAT_MASK) / SEAT) as usize,
                Err(now) => gate = now,
            }
        };
        *seen = gate & STAGE_MASK;
        let _leave = Leave { crew: self };
        // SAFETY: this worker is inside the gate until `_leave` is dropped, so the caller of the stage is still
        // in `run` and `body` is not written; its write happened before by the acquire above.
        let body = unsafe { *self.body.get() };
        debug_assert!(body.is_some(), "an open stage has a body");
        if let Some(body) = body {
            // SAFETY: as above, the caller keeps the closure alive while this worker is inside.
            let body = unsafe { &*body };
            body(Seat { index: seat, worker });
        }
        true
    }

    /// The life of a worker: serves stages until it is over, or, for a visitor, nothing is left to wait for.
    pub(crate) fn attend(&self, worker: usize, stay: Stay) {
        let mut seen = 0;
        let (mut idle_looks, mut idle_since) = (0, None);
        while !self.is_over.load(Ordering::Relaxed) {
            if self.serve(&mut seen, worker) {
                (idle_looks, idle_since) = (0, None);
            } else if idle_looks < SPIN_LOOKS {
                idle_looks += 1;
                std::hint::spin_loop();
            } else {
                let since = *idle_since.get_or_insert_with(Instant::now);
                match stay {
                    Stay::Resident if self.is_awake() => yield_or_nap(since),
                    Stay::Resident => {
                        self.park();
                        idle_since = None;
                    }
                    Stay::Visitor if !self.is_awake() || since.elapsed() > VISIT => return,
                    Stay::Visitor => std::thread::yield_now(),
                }
            }
        }
    }

    /// Whether workers are to wait for stages without parking.
    pub(crate) fn is_awake(&self) -> bool {
        self.guard_count.load(Ordering::Relaxed) > 0
    }

    /// Wakes parked workers, and keeps them from parking until as many calls of `release`.
    pub(crate) fn wake(&self) {
        let parked = self.parked();
        // Relaxed: a worker about to park reads it under the same lock; any other merely yields once more.
        self.guard_count.fetch_add(1, Ordering::Relaxed);
        let is_any_parked = *parked > 0;
        drop(parked);
        if is_any_parked {
            self.bell.notify_all();
        }
    }

    /// Takes back one `wake`.
    pub(crate) fn release(&self) {
        self.guard_count.fetch_sub(1, Ordering::Relaxed);
    }

    /// Sends every worker home for good.
    pub(crate) fn end(&self) {
        let parked = self.parked();
        self.is_over.store(true, Ordering::Relaxed);
        drop(parked);
        self.bell.notify_all();
    }

    fn park(&self) {
        let mut parked = self.parked();
        *parked += 1;
        while !self.is_awake() && !self.is_over.load(Ordering::Relaxed) {
            parked = self.bell.wait(parked).unwrap_or_else(PoisonError::into_inner);
        }
        *parked -= 1;
    }

    fn parked(&self) -> MutexGuard<'_, usize> {
        self.parked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets others have the core: for a moment, or for a nap if the wait has been long.
fn yield_or_nap(since: Instant) {
    if since.elapsed() < LONG_WAIT { std::thread::yield_now() } else { std::thread::sleep(NAP) }
}

/// A stage that workers may enter. Dropping it shuts the gate and waits for those inside.
struct OpenStage<'a> {
    crew: &'a Crew,
}

impl Drop for OpenStage<'_> {
    fn drop(&mut self) {
        let gate = &self.crew.gate;
        // From here on no swap in `serve` succeeds: they need a free seat.
        let mut inside = gate.fetch_and(!SEAT_MASK, Ordering::Acquire) & INSIDE_MASK;
        let (mut looks, mut since) = (0, None);
        while inside > 0 {
            if looks < SPIN_LOOKS {
                looks += 1;
                std::hint::spin_loop();
            } else {
                yield_or_nap(*since.get_or_insert_with(Instant::now));
            }
            // Acquire, here and above: zero inside is read from a departure or what followed it in the gate's
            // release sequence, so all that workers did in the stage happened before this.
            inside = gate.load(Ordering::Acquire) & INSIDE_MASK;
        }
        self.crew.is_taken.store(false, Ordering::Release);
    }
}

/// A worker inside a stage. Dropping it leaves, after which the stage must not be touched.
struct Leave<'a> {
    crew: &'a Crew,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        // Release: what this worker did happened before the caller's acquire of the gate.
        self.crew.gate.fetch_sub(INSIDE, Ordering::Release);
    }
}
