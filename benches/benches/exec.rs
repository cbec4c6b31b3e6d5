//! What a stage costs that does nothing: the price of going parallel, paid by every stage of a step.
//!
//! `plain_loop` is the floor; one thread adds the checks of a stage, two add meeting a worker.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use divan::{Bencher, black_box};
use drystone_exec::{Exec, items_mut, ranges};

/// Parts of the stage: as many as a small stage on two cores would have.
const PARTS: usize = 8;

fn main() {
    divan::main();
}

fn bench_stage(bencher: Bencher<'_, '_>, threads: usize, stay_awake: bool, stage: fn(&Exec, &mut [u64])) {
    let exec = Exec::with_threads(threads).expect("two threads can be started");
    let mut data = [0_u64; PARTS];
    let _awake = stay_awake.then(|| exec.wake());
    bencher.bench_local(|| stage(&exec, black_box(&mut data)));
}

fn dynamic(exec: &Exec, data: &mut [u64]) {
    exec.for_each_dynamic(items_mut(data), |_, part| *part += 1);
}

fn fixed(exec: &Exec, data: &mut [u64]) {
    exec.for_each_static(items_mut(data), |_, part| *part += 1);
}

#[divan::bench]
fn plain_loop(bencher: Bencher<'_, '_>) {
    let mut data = [0_u64; PARTS];
    bencher.bench_local(|| black_box(&mut data).iter_mut().for_each(|part| *part += 1));
}

#[divan::bench(args = [1, 2])]
fn dynamic_awake(bencher: Bencher<'_, '_>, threads: usize) {
    bench_stage(bencher, threads, true, dynamic);
}

#[divan::bench(args = [1, 2])]
fn dynamic_without_guard(bencher: Bencher<'_, '_>, threads: usize) {
    bench_stage(bencher, threads, false, dynamic);
}

#[divan::bench(args = [1, 2])]
fn fixed_awake(bencher: Bencher<'_, '_>, threads: usize) {
    bench_stage(bencher, threads, true, fixed);
}

#[divan::bench(args = [1, 2])]
fn fixed_without_guard(bencher: Bencher<'_, '_>, threads: usize) {
    bench_stage(bencher, threads, false, fixed);
}

/// Two parts that wait for each other under a guard: how long until a worker has come, and the caller knows.
#[divan::bench(sample_size = 64)]
fn meet_awake(bencher: Bencher<'_, '_>) {
    let exec = Exec::with_threads(2).expect("two threads can be started");
    let _awake = exec.wake();
    bencher.bench_local(|| {
        let met = AtomicUsize::new(0);
        exec.for_each_dynamic(ranges(2, 1), |_, _| {
            met.fetch_add(1, Ordering::Relaxed);
            while met.load(Ordering::Relaxed) < 2 {
                std::hint::spin_loop();
            }
        });
    });
}

/// A wake after a pause long enough for workers to park: what it costs the caller.
#[divan::bench(args = [1, 2], sample_count = 200, sample_size = 1)]
fn wake_of_parked(bencher: Bencher<'_, '_>, threads: usize) {
    let exec = Exec::with_threads(threads).expect("two threads can be started");
    bencher
        .with_inputs(|| std::thread::sleep(Duration::from_micros(300)))
        .bench_local_values(|()| drop(exec.wake()));
}
