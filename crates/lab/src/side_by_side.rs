//! Independent pieces of work on several threads, each piece on one.

use crate::shell::{Failure, Outcome};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` makes of each place below `count`, in the order of the places.
///
/// # Errors
/// A piece that panicked.
pub(crate) fn side_by_side<T: Send>(
    count: usize,
    threads: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Outcome<Vec<T>> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let take = || {
        let mut own = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= count {
                break;
            }
            own.push((place, work(place)));
        }
        if let Ok(mut found) = found.lock() {
            found.append(&mut own);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(take);
        }
        take();
    });
    let mut found = found.into_inner().map_err(|_| Failure::new("a thread that measured has panicked"))?;
    found.sort_by_key(|(place, _)| *place);
    Ok(found.into_iter().map(|(_, made)| made).collect())
}
