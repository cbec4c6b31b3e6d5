//! What a stage costs that does nothing.

use crate::tables::{head, row};
use drystone::Exec;
use drystone_exec::items_mut;
use std::hint::black_box;
use std::time::Instant;

/// Stages timed together: far longer than a reading of the clock.
const BATCH: u32 = 1000;

/// Least and median time of an empty stage, ns.
fn time(exec: &Exec, batches: usize, stage: impl Fn(&Exec, &mut [u64])) -> [f64; 2] {
    let mut data = vec![0_u64; 4 * exec.thread_count()];
    let _awake = exec.wake();
    let mut times: Vec<f64> = (0..batches)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..BATCH {
                stage(exec, black_box(&mut data));
            }
            start.elapsed().as_secs_f64() * 1e9 / f64::from(BATCH)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    [times[0], times[times.len() / 2]]
}

pub(crate) fn print(is_full: bool) {
    println!("\n## A stage that does nothing\n");
    println!(
        "Four empty parts per thread, workers awake; ns per stage, least / median of batches of {BATCH}. More threads"
    );
    println!("than cores wait for each other's turns.\n");
    head(&["threads", "parts claimed one by one", "a run of parts per thread"]);
    let batches = if is_full { 200 } else { 2 };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, 2, 4, cores];
    counts.sort_unstable();
    counts.dedup();
    for threads in counts {
        let exec = Exec::with_threads(threads).expect("a few threads can be started");
        let dynamic =
            time(&exec, batches, |exec, data| exec.for_each_dynamic(items_mut(data), |_, part| *part += 1));
        let fixed =
            time(&exec, batches, |exec, data| exec.for_each_static(items_mut(data), |_, part| *part += 1));
        let cell = |[least, median]: [f64; 2]| format!("{least:.0} / {median:.0}");
        row(&[threads.to_string(), cell(dynamic), cell(fixed)]);
    }
}
