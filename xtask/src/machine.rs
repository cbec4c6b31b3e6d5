//! What the numbers were measured on, and with: machine, processor time.

use crate::shell::cargo;
use std::fs::read_to_string;

/// Processor time of this process so far, all threads, s; `None` where the system does not tell.
///
/// On a machine that does other work as well this is the fairer measure for a run with one thread.
pub fn cpu_time() -> Option<f64> {
    cpu_time::ProcessTime::try_now().ok().map(|time| time.as_duration().as_secs_f64())
}

/// Mean number of processes that wanted to run in the last minute.
pub fn load() -> Option<f64> {
    read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Processor, number of cores, compiler and the profile that what runs was built with, each a line.
pub fn describe(profile: &str) -> Vec<String> {
    let info = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|line| Some(line.strip_prefix("model name")?.split_once(':')?.1.trim()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let compiler = cargo().arg("--version").output().ok();
    let compiler = compiler.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    vec![
        format!("processor: {} ({}), {cores} cores", model.unwrap_or("unknown"), std::env::consts::ARCH),
        format!("built with {}, {profile} profile", compiler.unwrap_or_else(|| "an unknown compiler".into())),
        match load() {
            Some(load) => format!("load before the first run: {load:.1} processes"),
            None => "load before the first run: unknown".into(),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_grows_with_work() {
        let Some(before) = cpu_time() else { return };
        let mut sum = 0_u64;
        while cpu_time().is_some_and(|now| now < before + 0.02) {
            sum = (0..100_000).fold(sum, |s, i| s.wrapping_mul(31).wrapping_add(i));
        }
        assert!(cpu_time() > Some(before), "{sum}");
        // Also what takes far less than a tick of the scheduler.
        let (start, mut last) = (cpu_time(), 0_u64);
        (0..100_000_u64).for_each(|i| last = std::hint::black_box(last ^ i));
        assert!(cpu_time() > start, "{last}");
    }
}
