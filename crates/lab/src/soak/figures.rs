//! What a part of a soak measured, and what must hold between its parts.

use crate::shell::{Failure, Outcome};

/// Parts of a run.
pub(super) const PARTS: usize = 20;
/// Growth of memory that counts as none, as a share: the pages of an allocator drift by some percent while bodies of all sizes come
/// and go.
pub(super) const MEMORY_SHARE: f64 = 0.05;
/// The same in bytes, where that is more. Over the half of the run that lies between what is compared, 2 MiB are 4 bytes a step in a million steps: a
/// leak of one pointer a step shows.
pub(super) const MEMORY_BYTES: f64 = 2.0 * 1048576.0;
/// Growth of the time of a step that is told as growth, as a share.
pub(super) const TIME_SHARE: f64 = 0.10;

/// One part of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Part {
    /// Steps taken up to its end.
    pub(super) steps: u64,
    /// Wall time of a step, s: median and 99th percentile.
    pub(super) wall: [f64; 2],
    /// Processor time of a step, s: the median. Not a number where the system does not tell.
    pub(super) cpu: f64,
    /// Resident memory that is no file's, bytes, at its end; `None` where the system does not tell.
    pub(super) memory: Option<u64>,
    /// What a snapshot of the world holds, bytes: its lists with the room that they have.
    pub(super) world: usize,
    /// Bodies at its end.
    pub(super) live: usize,
    /// Bodies added and removed up to its end.
    pub(super) exchanged: [u64; 2],
    /// Deepest overlap, m.
    pub(super) overlap: f64,
    /// Steps that left a contact closing.
    pub(super) unsolved: u64,
    /// Most bodies outside of the box at once.
    pub(super) outside: usize,
    /// Share of body steps asleep.
    pub(super) asleep: f64,
}

/// The value below which a share of the samples lies; they are sorted by it. Not a number without samples.
pub(super) fn percentile(samples: &mut [f64], share: f64) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    let last = samples.len().saturating_sub(1);
    samples.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

/// Resident anonymous memory of this process, bytes.
pub(super) fn resident() -> Option<u64> {
    std::fs::read_to_string("/proc/self/status").ok().and_then(|status| anonymous(&status))
}

/// The same in the text of `/proc/self/status`.
fn anonymous(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Means over the second and the last quarter of the parts. Not numbers where a quarter has none.
pub(super) fn quarters(parts: &[Part], value: impl Fn(&Part) -> f64) -> [f64; 2] {
    let quarter = parts.len() / 4;
    let mean = |parts: &[Part]| parts.iter().map(&value).sum::<f64>() / parts.len() as f64;
    [mean(&parts[quarter..2 * quarter]), mean(&parts[parts.len() - quarter..])]
}

/// `Ok` when nothing was lost and memory did not grow.
///
/// # Errors
/// What happened, with its figures.
pub(super) fn judge(parts: &[Part]) -> Outcome {
    if let Some(part) = parts.iter().find(|part| part.outside > 0) {
        let (outside, steps) = (part.outside, part.steps);
        return Err(Failure::new(format!("{outside} bodies left the box before step {steps}")));
    }
    if parts.iter().any(|part| part.memory.is_none()) {
        return Ok(());
    }
    let [before, after] = quarters(parts, |part| part.memory.unwrap_or(0) as f64);
    let allowed = (MEMORY_SHARE * before).max(MEMORY_BYTES);
    if after > before + allowed {
        let mib = |bytes: f64| format!("{:.1} MiB", bytes / 1048576.0);
        let [before, after, allowed] = [before, after, allowed].map(mib);
        return Err(Failure::new(format!(
            "memory grew from {before} in the second quarter to {after} in the last, allowed are {allowed} more"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(memory: impl Fn(usize) -> u64) -> Vec<Part> {
        (0..PARTS).map(|i| Part { memory: Some(memory(i)), ..Part::default() }).collect()
    }

    #[test]
    fn percentiles_are_samples() {
        let mut samples: Vec<f64> = (0..101).rev().map(f64::from).collect();
        assert_eq!(percentile(&mut samples, 0.5), 50.0);
        assert_eq!(percentile(&mut samples, 0.99), 99.0);
        assert!(percentile(&mut [], 0.5).is_nan());
    }

    #[test]
    fn memory_is_read_where_the_system_tells() {
        assert_eq!(anonymous("VmRSS:\t  900 kB\nRssAnon:\t     12 kB\nRssFile:\t 3 kB\n"), Some(12 * 1024));
        assert_eq!(anonymous("VmRSS: 1 kB\n"), None);
        let Some(before) = resident() else { return };
        let room = vec![1_u8; 32 << 20];
        let after = resident().expect("it told before");
        assert!(after > before + (30 << 20), "{before} and {after}, with {} more", room.len());
    }

    #[test]
    fn a_leak_of_a_pointer_a_step_is_told() {
        // A million steps in all, 10 MiB at the begin.
        let leak = |bytes: u64| parts(move |i| (10 << 20) + bytes * 50_000 * i as u64);
        judge(&leak(0)).expect("nothing grows");
        let told = judge(&leak(8)).expect_err("4 MB more in half of the run").to_string();
        assert!(told.contains("memory grew from 12.7 MiB in the second quarter to 16.5 MiB"), "{told}");
    }

    #[test]
    fn what_grows_in_the_first_quarter_alone_is_no_leak() {
        judge(&parts(|i| if i < 5 { 1 << 20 } else { 40 << 20 })).expect("it filled up");
    }

    #[test]
    fn lost_bodies_are_told() {
        let mut parts = parts(|_| 1 << 20);
        (parts[7].outside, parts[7].steps) = (2, 400);
        let told = judge(&parts).expect_err("two are lost").to_string();
        assert_eq!(told, "2 bodies left the box before step 400");
    }
}
