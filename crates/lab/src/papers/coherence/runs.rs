//! What is run: methods, switches, and runs of the scene.

use super::{EVERY, HZ, Lengths, SCENE};
use crate::machine::cpu_time;
use crate::shell::Outcome;
use drystone::CoherenceConfig;
use drystone::math::Position;
use drystone_scenes::{Preset, RunOptions, Runner, scene};

/// Fields and values.
pub(super) type Settings = &'static [(&'static str, &'static str)];

/// A method, and its settings for S3's experiment.
pub(super) struct Method {
    pub(super) preset: Preset,
    /// S3's solver family, or the preset as it is.
    pub(super) base: Settings,
    /// What tweaking sets (S3-23).
    pub(super) tweak: Settings,
    /// Times of S3 beside ours: only for its own solver.
    pub(super) is_theirs: bool,
}

pub(super) const METHODS: [Method; 2] = [
    Method {
        preset: Preset::Lcp,
        base: &[("lcp.law", "pyramid"), ("lcp.facets", "4"), ("lcp.lemke_limit", "20000")],
        tweak: &[("lcp.lemke_limit", "0"), ("lcp.max_iterations", "15")],
        is_theirs: true,
    },
    Method { preset: Preset::Fast, base: &[], tweak: &[("sub_step.sub_steps", "4")], is_theirs: false },
];

/// Pairs are looked at anew when anything moved, with every run of an experiment.
pub(super) const EXACT: (&str, &str) = ("detection.coherence_tolerance", "0");
/// Boxes so large that all pairs overlap: all of them are in the narrow phase.
pub(super) const ALL_PAIRS: (&str, &str) = ("detection.box_growth", "100");
pub(super) const NO_CACHES: [(&str, &str); 2] =
    [("coherence.cache_points", "false"), ("coherence.cache_forces", "false")];

/// Which of S3's speed-ups are on, beside groups and sleepy groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Switches {
    pub(super) cache: bool,
    pub(super) tweak: bool,
    pub(super) reduce: bool,
    pub(super) zero: bool,
    pub(super) damp: bool,
    pub(super) subgroup: bool,
    pub(super) fixate: bool,
}

impl Switches {
    /// All sensible combinations: fixation needs subgrouping, and reduction does nothing to balls, which touch at a point; it is on once.
    pub(super) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for k in 0..48_u32 {
            let bit = |b: u32| k >> b & 1 == 1;
            let sleepers = k / 16;
            all.push(Self {
                cache: bit(0),
                tweak: bit(1),
                reduce: false,
                zero: bit(2),
                damp: bit(3),
                subgroup: sleepers > 0,
                fixate: sleepers > 1,
            });
        }
        all.insert(4, Self { reduce: true, ..Self::default() });
        all
    }

    /// Those of a quick run: each switch once, and all of them.
    pub(super) fn some() -> Vec<Self> {
        let off = Self::default();
        let all = Self { cache: true, zero: true, damp: true, subgroup: true, fixate: true, ..off };
        vec![
            off,
            Self { cache: true, ..off },
            Self { tweak: true, ..off },
            Self { reduce: true, ..off },
            Self { cache: true, subgroup: true, ..off },
            all,
        ]
    }

    pub(super) fn settings(self, method: &Method) -> Vec<(&'static str, &'static str)> {
        let mut settings = vec![("coherence.sleepy_groups", "true")];
        let mut add = |is_on: bool, more: &[(&'static str, &'static str)]| {
            if is_on {
                settings.extend_from_slice(more);
            }
        };
        add(!self.cache, &NO_CACHES);
        add(self.tweak, method.tweak);
        add(self.reduce, &[("coherence.reduction", "1")]);
        add(self.zero, &[("coherence.zero_restitution", "true")]);
        add(self.damp, &[("coherence.damping", "0.5")]);
        add(self.subgroup, &[("coherence.subgrouping", "true")]);
        add(self.fixate, &[("coherence.freeze_sleepy", "true")]);
        settings
    }

    /// As S3 heads its columns.
    pub(super) fn cells(self) -> Vec<String> {
        let all = [self.cache, self.tweak, self.reduce, self.zero, self.damp, self.subgroup, self.fixate];
        all.map(|is_on| if is_on { "+" } else { "-" }.to_owned()).to_vec()
    }

    /// S3's time, s, of rows whose switches its Table 5 states without a doubt.
    pub(super) fn theirs(self) -> Option<f64> {
        let off = Self::default();
        let known = [
            (Self { cache: true, ..off }, 658.499),
            (Self { tweak: true, ..off }, 589.523),
            (Self { cache: true, tweak: true, ..off }, 952.519),
            (Self { reduce: true, ..off }, 712.567),
        ];
        known.into_iter().find(|(switches, _)| *switches == self).map(|(_, seconds)| seconds)
    }
}

/// What a run did.
#[derive(Default)]
pub(super) struct Run {
    /// Processor time of each step, s.
    pub(super) cpu: Vec<f64>,
    pub(super) contacts: u64,
    /// Places of the balls after each step, m.
    pub(super) track: Vec<Vec<Position>>,
    pub(super) asleep_end: u32,
    /// Deepest overlap, m.
    pub(super) overlap: f64,
    /// Steps that left a contact closing.
    pub(super) unsolved: u32,
}

impl Run {
    pub(super) fn total(&self) -> f64 {
        self.cpu.iter().sum()
    }

    pub(super) fn mean_contacts(&self) -> f64 {
        self.contacts as f64 / self.cpu.len().max(1) as f64
    }

    /// Mean distance of the balls from where they are in another run after a step, m; `None` where either has not got so far.
    pub(super) fn distance(&self, other: &Self, step: usize) -> Option<f64> {
        let (own, others) = (self.track.get(step)?, other.track.get(step)?);
        let sum: f64 = own.iter().zip(others).map(|(a, b)| (a - b).norm()).sum();
        Some(sum / own.len() as f64)
    }

    /// Steps until which both runs are equal to the bit, and the number that they have both.
    pub(super) fn equal_until(&self, other: &Self) -> (usize, usize) {
        let both = self.track.len().min(other.track.len());
        let differs = self.track.iter().zip(&other.track).position(|(a, b)| a != b);
        (differs.unwrap_or(both), both)
    }
}

/// A run with these settings beside those of the method.
pub(super) fn run(method: &Method, settings: &[(&str, &str)], sleeps: bool, steps: usize) -> Outcome<Run> {
    let mut runner = start(method, settings, sleeps, steps)?;
    let mut run = Run::default();
    while step(&mut runner, &mut run)? {}
    Ok(run)
}

pub(super) fn start(
    method: &Method,
    settings: &[(&str, &str)],
    sleeps: bool,
    steps: usize,
) -> Outcome<Runner> {
    let overrides = method.base.iter().chain([&EXACT]).chain(settings);
    let options = RunOptions {
        preset: method.preset,
        hz: Some(HZ),
        seconds: Some(steps as f64 / HZ),
        sleep: Some(sleeps),
        overrides: overrides.map(|&(field, value)| (field.to_owned(), value.to_owned())).collect(),
        ..RunOptions::default()
    };
    Ok(Runner::new(&scene(SCENE)?, &options)?)
}

/// A step; false when all are taken.
pub(super) fn step(runner: &mut Runner, run: &mut Run) -> Outcome<bool> {
    let before = cpu_time();
    if !runner.step()? {
        return Ok(false);
    }
    run.cpu.push(before.zip(cpu_time()).map_or(f64::NAN, |(a, b)| b - a));
    let world = runner.world();
    run.contacts += u64::from(world.report().contacts);
    run.overlap = run.overlap.max(runner.deepest_overlap());
    run.unsolved += u32::from(!world.report().is_solved);
    run.asleep_end = world.report().asleep;
    let is_ball = |i: &usize| runner.scene().bodies[*i].name.starts_with("ball");
    let balls = (0..runner.scene().bodies.len()).filter(is_ball).filter_map(|i| runner.body(i));
    run.track.push(balls.filter_map(|body| Some(world.pose(body).ok()?.translation)).collect());
    Ok(true)
}

/// Brute force in full up to a step, then in windows of a run with groups.
pub(super) fn brute_force(method: &Method, lengths: &Lengths) -> Outcome<(Run, f64, usize)> {
    let steps = lengths.steps();
    let settings = [&[ALL_PAIRS, ("coherence.grouping", "false")][..], &NO_CACHES].concat();
    let full = run(method, &settings, false, lengths.brute_steps.min(steps))?;
    let mut total = full.total();
    let mut taken = full.cpu.len();
    if taken == steps {
        return Ok((full, total, taken));
    }
    let groups = CoherenceConfig { grouping: true, ..CoherenceConfig::brute_force() };
    let mut runner = start(method, &[&[ALL_PAIRS], &NO_CACHES[..]].concat(), false, steps)?;
    let mut windows = Run::default();
    while (runner.step_count() as usize) < steps {
        let at = runner.step_count() as usize;
        if at < full.cpu.len() || !(at - full.cpu.len()).is_multiple_of(EVERY) {
            step(&mut runner, &mut Run::default())?;
            continue;
        }
        runner.set_coherence(CoherenceConfig::brute_force())?;
        let before = windows.cpu.len();
        for _ in 0..lengths.window {
            step(&mut runner, &mut windows)?;
        }
        runner.set_coherence(groups.clone())?;
        let window = &windows.cpu[before..];
        taken += window.len();
        let stands_for = EVERY.min(steps - at) as f64;
        total += window.iter().sum::<f64>() / window.len() as f64 * stands_for;
    }
    Ok((full, total, taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_all_different_and_none_lacks_what_it_needs() {
        let all = Switches::all();
        assert_eq!(all.len(), 49);
        assert!(all.iter().enumerate().all(|(i, s)| !all[..i].contains(s)));
        assert!(all.iter().all(|s| s.subgroup || !s.fixate));
        for (method, switches) in METHODS.iter().flat_map(|m| all.iter().map(move |s| (m, s))) {
            start(method, &switches.settings(method), true, 1).expect("settings of the preset");
        }
    }
}
