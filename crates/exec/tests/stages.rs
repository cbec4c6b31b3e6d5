//! What stages promise, at several thread counts on however many cores there are. The reference is the serial
//! `Exec`, itself checked against plain loops.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use drystone_exec::{
    Exec, ExecError, MAX_THREADS, PerWorker, chunks, chunks_mut, items, items_mut, ranges, segments,
    segments_mut,
};
use proptest::prelude::*;

const THREADS: &[usize] = if cfg!(feature = "parallel") { &[1, 2, 3, 8] } else { &[1] };

fn execs() -> impl Iterator<Item = Exec> {
    THREADS.iter().map(|&n| Exec::with_threads(n).unwrap())
}

fn message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("")
}

fn panic_of(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("should panic");
    message(&*payload).to_owned()
}

/// A chain of stages whose every result depends on all before: `rounds` times smooth, sum by segment, spread.
fn chained(exec: &Exec, rounds: usize) -> Vec<f32> {
    let mut values: Vec<f32> = (0..1003).map(|i| (i as f32).sin()).collect();
    let mut next = values.clone();
    let offsets: Vec<u32> = (0..=17_u32).map(|i| i * i * 3).collect();
    let order: Vec<u32> = (0..17).rev().collect();
    let mut sums = vec![0.0; 17];
    let _awake = exec.wake();
    for _ in 0..rounds {
        exec.for_each_dynamic((ranges(values.len(), 64), chunks_mut(&mut next, 64)), |_, (range, chunk)| {
            for (out, i) in chunk.iter_mut().zip(range) {
                *out = 0.5 * values[i] + 0.3 * values[(i + 1) % values.len()] + 0.1;
            }
        });
        let parts = (segments(&next, &offsets).unwrap(), items_mut(&mut sums));
        exec.for_each_dynamic_ordered(&order, parts, |_, (part, sum)| *sum = part.iter().sum());
        exec.for_each_static((items_mut(&mut values), items(&next)), |i, (value, next)| {
            *value = next - sums[i % 17] * 1e-3;
        });
    }
    values
}

#[test]
fn chained_stages_give_equal_bits_at_any_thread_count() {
    let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    let reference = bits(chained(&Exec::serial(), 50));
    for exec in execs() {
        assert_eq!(bits(chained(&exec, 50)), reference, "{exec:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_part_runs_exactly_once(count in 0_usize..300, rotation in 0_usize..300, kept in 0.0..1.0) {
        let order: Vec<u32> = (0..count).map(|i| ((i * 7 + rotation) % count.max(1)) as u32).collect();
        let distinct: BTreeSet<u32> = order.iter().copied().collect();
        let order: Vec<u32> = distinct.into_iter().rev().take((kept * count as f64) as usize).collect();
        for exec in execs() {
            let mut runs = vec![0_u32; count];
            let mut scratch = PerWorker::new(&exec, || 0_usize);
            exec.for_each_dynamic(items_mut(&mut runs), |_, run| *run += 1);
            exec.for_each_dynamic_with(&mut scratch, items_mut(&mut runs), |n, _, run| { *run += 1; *n += 1 });
            exec.for_each_static(items_mut(&mut runs), |_, run| *run += 1);
            exec.for_each_static_with(&mut scratch, items_mut(&mut runs), |n, _, run| { *run += 1; *n += 1 });
            prop_assert!(runs.iter().all(|&n| n == 4), "{exec:?}: {runs:?}");
            exec.for_each_dynamic_ordered(&order, items_mut(&mut runs), |_, run| *run += 1);
            exec.for_each_dynamic_ordered_with(&mut scratch, &order, items_mut(&mut runs), |n, _, run| {
                *run += 1;
                *n += 1;
            });
            for (i, &n) in runs.iter().enumerate() {
                prop_assert_eq!(n, if order.contains(&(i as u32)) { 6 } else { 4 });
            }
            prop_assert_eq!(scratch.iter_mut().map(|n| *n).sum::<usize>(), 2 * count + order.len());
        }
    }

    #[test]
    fn parts_lie_where_std_puts_them(len in 0_usize..100, chunk in 1_usize..20) {
        let data: Vec<usize> = (0..len).collect();
        let (mut copy, mut ends) = (data.clone(), vec![0; len.div_ceil(chunk)]);
        let expected: Vec<&[usize]> = data.chunks(chunk).collect();
        let parts = (chunks(&data, chunk), chunks_mut(&mut copy, chunk), ranges(len, chunk), items_mut(&mut ends));
        Exec::serial().for_each_dynamic(parts, |index, (shared, exclusive, range, end)| {
            assert_eq!((shared, &*exclusive, &data[range.clone()]), (expected[index], expected[index], expected[index]));
            *end = range.end;
        });
        prop_assert_eq!(ends.last().copied().unwrap_or(0), len);
    }
}

#[test]
fn parts_are_claimed_in_the_given_order() {
    let order = [4, 0, 3];
    for exec in execs() {
        let claims = Mutex::new(Vec::new());
        exec.for_each_dynamic_ordered(&order, ranges(5, 1), |index, range| {
            assert_eq!(range, index..index + 1);
            claims.lock().unwrap().push(index as u32);
        });
        let mut claims = claims.into_inner().unwrap();
        if exec.thread_count() == 1 {
            assert_eq!(claims, order);
        }
        claims.sort();
        assert_eq!(claims, [0, 3, 4]);
    }
}

#[test]
fn orders_with_repeated_or_missing_parts_are_refused() {
    for exec in execs() {
        let started = AtomicBool::new(false);
        let run = |order: &[u32]| {
            panic_of(|| {
                exec.for_each_dynamic_ordered(order, ranges(3, 1), |_, _| {
                    started.store(true, Ordering::Relaxed)
                });
            })
        };
        assert_eq!(run(&[0, 2, 0]), "order names part 0 twice");
        assert_eq!(run(&[0, 3]), "order names part 3 of 3 parts");
        assert!(!started.into_inner());
        exec.for_each_dynamic_ordered(&[2, 1, 0], ranges(3, 1), |_, _| ());
    }
}

#[test]
fn parts_of_unlike_count_are_refused() {
    let refused = panic_of(|| Exec::serial().for_each_dynamic((ranges(3, 1), ranges(2, 1)), |_, _| ()));
    assert_eq!(refused, "partitions of one stage must have equally many parts, got [3, 2]");
}

#[test]
fn eight_partitions_go_together() {
    let [mut a, mut b, mut c] = [[0; 4], [0; 4], [0; 4]];
    let parts = (
        items_mut(&mut a),
        items_mut(&mut b),
        items_mut(&mut c),
        ranges(4, 1),
        ranges(8, 2),
        ranges(4, 1),
        ranges(4, 1),
        ranges(4, 1),
    );
    Exec::serial()
        .for_each_dynamic(parts, |i, (a, b, c, _, pair, ..)| (*a, *b, *c) = (i, pair.start, pair.end));
    assert_eq!((a, b, c), ([0, 1, 2, 3], [0, 2, 4, 6], [2, 4, 6, 8]));
}

#[test]
fn fixed_scratch_comes_back_in_part_order() {
    for exec in execs() {
        let mut lists = PerWorker::new(&exec, Vec::new);
        for count in [0, 1, 2, 7, 100] {
            lists.iter_mut().for_each(Vec::clear);
            exec.for_each_static_with(&mut lists, ranges(count, 1), |list, index, _| list.push(index));
            let order: Vec<usize> = lists.iter_mut().flat_map(|list| list.iter().copied()).collect();
            assert_eq!(order, (0..count).collect::<Vec<_>>(), "{exec:?}");
        }
    }
}

#[test]
fn scratch_made_for_fewer_threads_limits_who_takes_part() {
    for exec in execs() {
        let mut scratch = PerWorker::new(&Exec::serial(), || 0);
        exec.for_each_dynamic_with(&mut scratch, ranges(100, 1), |n, _, _| *n += 1);
        exec.for_each_static_with(&mut scratch, ranges(100, 1), |n, _, _| *n += 1);
        assert_eq!(scratch.iter_mut().map(|n| *n).collect::<Vec<_>>(), [200]);
        scratch.resize(&exec, || 0);
        assert_eq!(scratch.iter_mut().len(), exec.thread_count());
    }
}

#[test]
fn a_panic_reaches_the_caller_and_stops_the_stage() {
    for exec in execs() {
        for round in 0..20 {
            let started = AtomicUsize::new(0);
            let work = |index: usize| {
                started.fetch_add(1, Ordering::Relaxed);
                assert!(index != 3, "part {index} failed");
                std::thread::yield_now();
            };
            let said = panic_of(|| match round % 2 {
                0 => exec.for_each_dynamic(ranges(1_000_000, 1), |index, _| work(index)),
                _ => exec.for_each_static(ranges(1_000_000, 1), |index, _| work(index)),
            });
            assert_eq!(said, "part 3 failed");
            assert!(started.into_inner() < 1_000_000);
            let mut runs = [0; 50];
            exec.for_each_dynamic(items_mut(&mut runs), |_, run| *run += 1);
            assert_eq!(runs, [1; 50]);
        }
    }
}

#[test]
fn nested_stages_are_refused() {
    for exec in execs() {
        for count in [1, 40] {
            let said = panic_of(|| {
                exec.for_each_dynamic(ranges(count, 1), |_, _| {
                    exec.for_each_static(ranges(count, 1), |_, _| ())
                });
            });
            assert!(said.starts_with("nested stage"), "{said}");
        }
        let sum = AtomicUsize::new(0);
        exec.for_each_dynamic(ranges(10, 1), |_, _| {
            Exec::serial().for_each_dynamic(ranges(5, 1), |_, _| _ = sum.fetch_add(1, Ordering::Relaxed));
        });
        assert_eq!(sum.into_inner(), 50);
    }
}

/// Alike at any number of threads, also where a worker of the stage between starts the inner one.
#[test]
fn a_stage_nested_through_another_exec_gives_its_result() {
    for (outer, between) in execs().zip(execs()) {
        let sum = AtomicUsize::new(0);
        outer.for_each_dynamic(ranges(3, 1), |_, _| {
            between.for_each_dynamic(ranges(4, 1), |_, _| {
                outer.for_each_dynamic(ranges(5, 1), |_, _| _ = sum.fetch_add(1, Ordering::Relaxed));
            });
        });
        assert_eq!(sum.into_inner(), 60);
    }
}

#[test]
fn several_callers_at_once_each_get_their_result() {
    for exec in execs() {
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut runs = vec![0; 97];
                    for round in 1..=300 {
                        let _awake = (round % 3 == 0).then(|| exec.wake());
                        exec.for_each_dynamic(chunks_mut(&mut runs, 5), |_, chunk| {
                            chunk.iter_mut().for_each(|run| *run += 1);
                        });
                        assert!(runs.iter().all(|&run| run == round));
                    }
                });
            }
        });
    }
}

#[test]
fn a_hundred_thousand_tiny_stages_end() {
    for exec in execs() {
        let mut counts = [0_u32; 9];
        let _awake = exec.wake();
        for _ in 0..100_000 {
            exec.for_each_dynamic(items_mut(&mut counts), |_, count| *count += 1);
        }
        assert_eq!(counts, [100_000; 9]);
    }
}

#[test]
fn stages_without_a_guard_wake_workers_themselves() {
    for exec in execs() {
        let mut counts = [0_u32; 9];
        for round in 0..2_000 {
            exec.for_each_static(items_mut(&mut counts), |_, count| *count += 1);
            if round % 500 == 0 {
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        }
        assert_eq!(counts, [2_000; 9]);
    }
}

#[test]
fn offsets_are_checked() {
    let mut data = [0; 5];
    let refused = |offsets: &[u32]| segments(&[0; 5], offsets).err();
    let decrease = ExecError::OffsetsDecrease { index: 2, before: 3, after: 1 };
    assert_eq!(segments_mut(&mut data, &[0, 3, 1, 5]).err(), Some(decrease.clone()));
    assert_eq!(refused(&[0, 3, 1, 5]), Some(decrease));
    assert_eq!(segments_mut(&mut data, &[0, 6]).err(), Some(ExecError::OffsetsPastEnd { last: 6, len: 5 }));
    assert_eq!(refused(&[6]), Some(ExecError::OffsetsPastEnd { last: 6, len: 5 }));
    for (offsets, count) in [(&[][..], 0), (&[5], 0), (&[0, 0, 5, 5], 3)] {
        let runs = AtomicU32::new(0);
        let parts = segments_mut(&mut data, offsets).unwrap();
        Exec::serial().for_each_dynamic(parts, |_, _| _ = runs.fetch_add(1, Ordering::Relaxed));
        assert_eq!(runs.into_inner(), count);
    }
}

#[test]
fn thread_counts_out_of_range_are_refused_with_the_value() {
    for n in [0, MAX_THREADS + 1, usize::MAX] {
        let refused = Exec::with_threads(n).unwrap_err();
        assert_eq!(refused, ExecError::ThreadCount(n));
        assert_eq!(refused.to_string(), format!("thread count must be 1 to 1024, got {n}"));
    }
    if !cfg!(feature = "parallel") {
        assert_eq!(Exec::with_threads(2).unwrap_err(), ExecError::NotParallel(2));
    }
}

#[test]
fn exec_is_shared_and_printed() {
    fn shared<T: Send + Sync + std::panic::RefUnwindSafe>(_: &T) {}
    let exec = Exec::default();
    shared(&exec);
    assert_eq!(format!("{exec:?}"), "Exec { thread_count: 1, .. }");
}

#[cfg(feature = "parallel")]
mod threads {
    use super::*;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    fn pool(threads: usize) -> Arc<rayon::ThreadPool> {
        Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
    }

    #[test]
    fn a_pool_of_the_callers_supplies_workers_from_outside_and_inside() {
        for threads in [1, 2, 4] {
            let pool = pool(threads);
            let exec = Exec::with_pool(Arc::clone(&pool)).unwrap();
            assert_eq!(exec.thread_count(), threads);
            let reference = chained(&Exec::serial(), 20);
            assert_eq!(chained(&exec, 20), reference);
            assert_eq!(pool.install(|| chained(&exec, 20)), reference);
            assert_eq!(
                pool.install(|| Exec::with_pool(Arc::clone(&pool)).map(|e| chained(&e, 20))),
                Ok(reference)
            );
        }
    }

    /// A guard's holder may wait for its pool, even where that steals a worker's job while it waits.
    #[test]
    fn a_pool_remains_usable_under_a_wake_guard() {
        let pool = pool(2);
        let exec = Exec::with_pool(Arc::clone(&pool)).unwrap();
        for _ in 0..200 {
            let _awake = exec.wake();
            exec.for_each_dynamic(ranges(4, 1), |_, _| ());
            let (a, b) = pool.install(|| rayon::join(|| 1, || 2));
            assert_eq!(a + b, 3);
        }
        pool.install(|| {
            for _ in 0..200 {
                let _awake = exec.wake();
                exec.for_each_dynamic(ranges(4, 1), |_, _| ());
                assert_eq!(rayon::join(|| 1, || 2), (1, 2));
            }
        });
    }

    /// Both parts wait for each other, so the test ends only if a worker comes (it has as long as it takes).
    #[test]
    fn two_threads_share_a_stage() {
        for exec in [Exec::with_threads(2).unwrap(), Exec::with_pool(pool(2)).unwrap()] {
            let started = AtomicUsize::new(0);
            exec.for_each_dynamic(ranges(2, 1), |_, _| {
                started.fetch_add(1, Ordering::SeqCst);
                while started.load(Ordering::SeqCst) < 2 {
                    std::thread::yield_now();
                }
            });
        }
    }

    #[test]
    fn a_busy_pool_does_not_hold_up_a_stage() {
        let pool = pool(2);
        let exec = Exec::with_pool(Arc::clone(&pool)).unwrap();
        let release = Arc::new(AtomicBool::new(false));
        for _ in 0..2 {
            let release = Arc::clone(&release);
            pool.spawn(move || {
                while !release.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
            });
        }
        let mut runs = [0; 100];
        exec.for_each_dynamic(items_mut(&mut runs), |_, run| *run += 1);
        assert_eq!(runs, [1; 100]);
        release.store(true, Ordering::Relaxed);
    }

    /// A thread-local value of a worker is dropped when its thread ends.
    #[test]
    fn dropping_an_exec_joins_its_threads() {
        struct Farewell(Arc<AtomicUsize>);
        impl Drop for Farewell {
            fn drop(&mut self) {
                std::thread::sleep(Duration::from_millis(20));
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        thread_local!(static FAREWELL: std::cell::RefCell<Option<Farewell>> = const { std::cell::RefCell::new(None) });

        let (caller, ended) = (std::thread::current().id(), Arc::new(AtomicUsize::new(0)));
        let exec = Exec::with_threads(3).unwrap();
        let met = AtomicUsize::new(0);
        let start = Instant::now();
        exec.for_each_dynamic(ranges(3, 1), |_, _| {
            if std::thread::current().id() != caller {
                FAREWELL.with_borrow_mut(|farewell| *farewell = Some(Farewell(Arc::clone(&ended))));
            }
            met.fetch_add(1, Ordering::SeqCst);
            while met.load(Ordering::SeqCst) < 3 && start.elapsed() < Duration::from_secs(60) {
                std::thread::yield_now();
            }
        });
        drop(exec);
        assert_eq!(ended.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_panic_on_a_worker_reaches_the_caller() {
        let exec = Exec::with_threads(2).unwrap();
        let caller = std::thread::current().id();
        for _ in 0..20 {
            let met = AtomicUsize::new(0);
            let said = panic_of(|| {
                exec.for_each_dynamic(ranges(2, 1), |_, _| {
                    met.fetch_add(1, Ordering::SeqCst);
                    while met.load(Ordering::SeqCst) < 2 {
                        std::thread::yield_now();
                    }
                    assert!(std::thread::current().id() == caller, "worker failed");
                });
            });
            assert_eq!(said, "worker failed");
        }
    }
}
