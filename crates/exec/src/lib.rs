#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Who runs a stage on how many threads.
//!
//! In: a stage as a closure over disjoint parts of the caller's data. Out: every part worked on exactly once
//! before the call returns. Knows nothing of bodies, contacts or any other stage's subject. Start reading at
//! [`Exec`] and its [`Exec::for_each_dynamic`]; how threads meet is in `crew.rs`.
//!
//! Method: persistent workers, one wake per step, stages gated by completion (the idea of Rapier's
//! `StageSync`): a stage is over when all its *work* is done, not when all workers have arrived. The caller
//! always works, so no stage ever needs another thread to show up. Joins of rayon would pay a wake of 5 to
//! 50 µs for each stage after a serial passage, and a step has some hundred stages.
//!
//! Invariants a caller may rely on:
//! - a part is handed out at most once per stage, so mutable parts never alias ([`Partition`]);
//! - which thread runs a part is open, so a stage whose parts depend on their own data alone gives equal bits
//!   at any thread count, [`Exec::serial`] included;
//! - a stage allocates nothing (exceptions: `Exec::with_pool`, and [`Exec::for_each_dynamic_ordered`] while it grows);
//! - a panic in a part reaches the caller after every thread has left the stage, and the `Exec` stays usable;
//! - no stage waits for another: one nested in a part of the same `Exec` is refused; that of a second caller, or nested through a stage of another
//!   `Exec`, runs on its thread alone.
//!
//! What ran when can be recorded ([`Exec::start_recording`]): spans of the caller, and what each thread took.
//!
//! Conventions: `thread_count` counts the calling thread; a *worker* is any other thread.
//!

#[cfg(not(feature = "parallel"))]
mod alone;
#[cfg(feature = "parallel")]
mod crew;
mod error;
mod inside;
mod order;
mod partition;
mod per_worker;
mod pool;
mod recording;
mod schedule;
mod shared;
mod stage;
#[cfg(feature = "parallel")]
mod team;

pub use error::ExecError;
pub use partition::{
    Chunks, ChunksMut, Either, EitherPart, Items, ItemsMut, Partition, Ranges, Segments, SegmentsMut, chunks,
    chunks_mut, either, items, items_mut, ranges, segments, segments_mut,
};
pub use per_worker::PerWorker;
pub use pool::{Awake, Exec, MAX_THREADS};
pub use recording::{Lane, Recording, Span, SpanDetail, SpanRecord};
pub use shared::Shared;
