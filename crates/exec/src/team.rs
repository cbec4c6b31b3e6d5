//! Where workers come from: threads of our own, or visits to a pool of the caller's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::ExecError;
use crate::crew::{Crew, Stay};
use crate::inside::Inside;
use crate::schedule::Seat;

/// The workers of one `Exec`.
pub(crate) struct Team {
    crew: Arc<Crew>,
    worker_count: usize,
    source: Source,
}

enum Source {
    /// Worker threads are ours and serve this team alone.
    Own { pool: Option<ThreadPool>, threads: Vec<JoinHandle<()>> },
    /// Workers come as jobs of a pool; `visitor_count` of them are queued or running, never more than workers.
    Visited { pool: Arc<ThreadPool>, visitor_count: Arc<AtomicUsize> },
}

impl Team {
    /// Starts threads for all but the caller of `thread_count`.
    pub(crate) fn start(thread_count: usize) -> Result<Self, ExecError> {
        let (crew, worker_count) = (Arc::new(Crew::new()), thread_count - 1);
        let mut threads = Vec::with_capacity(worker_count);
        // Threads are started here and not by rayon, which would not let us join them.
        let pool = ThreadPoolBuilder::new()
            .num_threads(worker_count)
            .spawn_handler(|thread| {
                let name = format!("drystone-{}", thread.index() + 1);
                threads.push(std::thread::Builder::new().name(name).spawn(|| thread.run())?);
                Ok(())
            })
            .build()
            .map_err(|e| ExecError::Spawn { count: worker_count, reason: e.to_string() })?;
        let shared = Arc::clone(&crew);
        pool.spawn_broadcast(move |worker| shared.attend(worker.index() + 1, Stay::Resident));
        Ok(Self { crew, worker_count, source: Source::Own { pool: Some(pool), threads } })
    }

    /// Takes workers from `pool`, one thread of which is left for the caller.
    pub(crate) fn visit(pool: Arc<ThreadPool>) -> Self {
        let worker_count = pool.current_num_threads() - 1;
        let source = Source::Visited { pool, visitor_count: Arc::new(AtomicUsize::new(0)) };
        Self { crew: Arc::new(Crew::new()), worker_count, source }
    }

    pub(crate) fn thread_count(&self) -> usize {
        self.worker_count + 1
    }

    /// Has workers wait for stages until `release`.
    pub(crate) fn wake(&self) {
        self.crew.wake();
        self.send_visitors();
    }

    /// Takes back one `wake`.
    pub(crate) fn release(&self) {
        self.crew.release();
    }

    /// See [`Crew::run`].
    pub(crate) fn run(&self, seat_count: usize, body: &(dyn Fn(Seat) + Sync)) -> bool {
        // Another thread's guard may end during the stage; then the caller does the work alone.
        if self.crew.is_awake() {
            self.send_visitors();
            return self.crew.run(seat_count, body);
        }
        self.wake();
        let _release = Release { crew: &self.crew };
        self.crew.run(seat_count, body)
    }

    /// Brings the number of visitors, when there is a pool to visit, up to that of workers.
    fn send_visitors(&self) {
        let Source::Visited { pool, visitor_count } = &self.source else { return };
        let worker_count = self.worker_count;
        let one_more = |count| (count < worker_count).then_some(count + 1);
        // Relaxed: a bound on the number of jobs, nothing is read through it.
        while let Ok(count) = visitor_count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more) {
            let (crew, visit) = (Arc::clone(&self.crew), Visit { visitor_count: Arc::clone(visitor_count) });
            pool.spawn(move || {
                let _visit = visit;
                // A part that waits in rayon may find this job: it must get back to its part.
                if !Inside::is_any() {
                    crew.attend(count + 1, Stay::Visitor);
                }
            });
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.crew.end();
        if let Source::Own { pool, threads } = &mut self.source {
            drop(pool.take());
            for thread in threads.drain(..) {
                // Workers do not panic: stages catch what parts throw. Rayon aborts on what else might.
                let _ = thread.join();
            }
        }
    }
}

/// Counts a visitor until it has left, or its job is dropped.
struct Visit {
    visitor_count: Arc<AtomicUsize>,
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.visitor_count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Lets workers sleep again, also when a stage unwinds.
struct Release<'a> {
    crew: &'a Crew,
}

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.crew.release();
    }
}
