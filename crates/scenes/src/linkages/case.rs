//! A case, what is expected of it, and what became of it.

use super::Linkage;
use crate::Preset;

/// Most that the energy may be of what was put in.
pub const CEILING: f64 = 1.02;
/// Most that the largest force of a joint may be of that in the same linkage with released axes.
pub const FORCE_FACTOR: f64 = 3.0;
/// Steps per second that the matrix is measured at.
pub const RATES: [f64; 4] = [30.0, 60.0, 120.0, 240.0];
/// Least that is left of the energy after free motion, up to a speed, rad/s.
const FLOORS: [(f64, f64); 2] = [(12.0, 0.98), (40.0, 0.9)];
/// Steps per second from which the floors hold, with `fast`.
const FLOOR_HZ: f64 = 60.0;
/// Seconds of free motion that the floors are about.
const FLOOR_SECONDS: f64 = 20.0;
/// How far a motor may be from its speed, and how fast it may turn about other axes, as a share of that.
const TURNING: f64 = 0.01;
/// Least that an undamped spring keeps of its amplitude.
const AMPLITUDE: f64 = 0.99;

/// A linkage, how it is stepped, and what is expected of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name: what `--only` looks for.
    pub name: String,
    /// What it is one of: `free`, `motor`, `limited`, `chain` and so on.
    pub family: &'static str,
    /// Its joints, in a word or two.
    pub joint: &'static str,
    /// Length of a link over its thickness.
    pub slenderness: f64,
    /// Speed that it begins with, or is to reach, rad/s.
    pub speed: f64,
    /// Number of links that move.
    pub links: usize,
    /// Steps per second.
    pub hz: f64,
    /// Settings of the engine.
    pub preset: Preset,
    /// Simulated time, s.
    pub seconds: f64,
    /// What moves.
    pub linkage: Linkage,
    /// Beside that energy does not come from nothing.
    pub expects: Expectation,
}

/// What is expected of a case beside that its energy stays below [`CEILING`] and that nothing is lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectation {
    /// Nothing brakes it: no friction, limit, motor, damper or blow. After 20 s with `fast` at 60 steps per second and more it has 0.98 of its energy up
    /// to 12 rad/s, and 0.9 up to 40 rad/s.
    pub is_free: bool,
    /// For free motion that speeds up on its way: the fastest that a link turned across its length counts, not the speed at the start.
    pub speeds_up: bool,
    /// The motor of this joint turns its body B at this speed, rad/s, within 1 %, and about no other axis, in the second half of the run.
    pub turns: Option<(usize, f64)>,
    /// The spring of this joint keeps 0.99 of its amplitude; with its period, s.
    pub swings: Option<(usize, f64)>,
    /// The same linkage with released axes: the largest force of a joint is at most [`FORCE_FACTOR`] times what it is there.
    pub released: Option<Linkage>,
}

/// What became of a case. Ratios are those of the [module](super).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Energy put in: that at the start, and all work of motors and blows that was positive, J.
    pub put_in: f64,
    /// Largest share of it that there was in any step, no unit.
    pub largest: f64,
    /// Share of it that was left at the end, no unit.
    pub last: f64,
    /// Farthest that a joint was apart in any step, m.
    pub distance: f64,
    /// Largest force of a joint, mean over a step, N.
    pub force: f64,
    /// Force that moves the heaviest link by the rounding of its place (`f32`, relative to its length) in a sub-step, N: no difference of forces below it counts.
    pub force_noise: f64,
    /// The largest force with released axes, where that was asked for.
    pub released_force: Option<f64>,
    /// Fastest that a link turned across its length, rad/s.
    pub spin: f64,
    /// Farthest from the motor's speed, and fastest about another axis, in the second half, rad/s.
    pub turning: Option<[f64; 2]>,
    /// What is left of a spring's amplitude, no unit.
    pub amplitude: Option<f64>,
    /// Bodies that the engine took out.
    pub quarantined: usize,
    /// Links whose state was no number.
    pub non_finite: usize,
    /// Limits of iterations reached, in all steps.
    pub limit_hits: u64,
    /// Steps that left something closing.
    pub unsolved: u64,
    /// Steps that were made; fewer than asked for where it flew apart.
    pub steps: usize,
}

impl Case {
    /// The same case with other settings.
    #[must_use]
    pub fn with(&self, preset: Preset, hz: f64) -> Self {
        Self { preset, hz, ..self.clone() }
    }

    /// Steps in all.
    pub fn steps(&self) -> usize {
        (self.seconds * self.hz).round() as usize
    }

    /// Name, rate and preset.
    pub fn title(&self) -> String {
        format!("{} {} Hz {}", self.name, self.hz, self.preset.name())
    }

    /// Least that must be left of the energy, if that is asked for.
    pub fn floor(&self, outcome: &Outcome) -> Option<f64> {
        let is_held = self.expects.is_free
            && self.preset == Preset::Fast
            && self.hz >= FLOOR_HZ
            && self.seconds >= FLOOR_SECONDS;
        let speed = if self.expects.speeds_up { outcome.spin } else { self.speed };
        FLOORS.iter().find(|(up_to, _)| is_held && speed <= *up_to).map(|&(_, floor)| floor)
    }

    /// What it misses, in words; empty where all is as it should be.
    pub fn misses(&self, outcome: &Outcome) -> Vec<String> {
        let mut misses = Vec::new();
        let mut miss = |is_missed: bool, text: &dyn Fn() -> String| {
            if is_missed {
                misses.push(text());
            }
        };
        // Written so that what is no number is a miss.
        let above = |value: f64, most: f64| value.is_nan() || value > most;
        let below = |value: f64, least: f64| value.is_nan() || value < least;
        let o = outcome;
        miss(o.non_finite > 0, &|| format!("{} links no numbers", o.non_finite));
        miss(o.quarantined > 0, &|| format!("{} bodies taken out", o.quarantined));
        miss(above(o.largest, CEILING), &|| {
            format!("energy {} of what was put in > {CEILING}", share(o.largest))
        });
        if let Some(floor) = self.floor(o) {
            miss(below(o.last, floor), &|| format!("energy {} left < {floor}", share(o.last)));
        }
        if let (Some((_, speed)), Some([off, across])) = (self.expects.turns, o.turning) {
            let most = TURNING * speed.abs();
            miss(above(off, most), &|| format!("{off:.3} rad/s off its speed of {speed} > {most}"));
            miss(above(across, most), &|| format!("{across:.3} rad/s about other axes > {most}"));
        }
        if let Some(amplitude) = o.amplitude {
            miss(below(amplitude, AMPLITUDE), &|| {
                format!("{amplitude:.4} of its amplitude left < {AMPLITUDE}")
            });
        }
        if let Some(released) = o.released_force {
            miss(above(o.force, FORCE_FACTOR * released + o.force_noise), &|| {
                format!("force {:.3e} N > {FORCE_FACTOR} x {released:.3e} N with released axes", o.force)
            });
        }
        misses
    }
}

impl Outcome {
    /// True when no step left anything closing.
    pub fn is_solved(&self) -> bool {
        self.unsolved == 0
    }
}

/// A share for people: what exploded in powers of ten.
pub(super) fn share(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.4}") } else { format!("{value:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(speed: f64, hz: f64) -> Case {
        Case {
            name: "free/hinge".into(),
            family: "free",
            joint: "hinge",
            slenderness: 50.0,
            speed,
            links: 1,
            hz,
            preset: Preset::Fast,
            seconds: 20.0,
            linkage: Linkage::default(),
            expects: Expectation { is_free: true, ..Expectation::default() },
        }
    }

    #[test]
    fn what_is_asked_for_depends_on_the_speed() {
        let outcome = Outcome { largest: 1.0, last: 0.95, ..Outcome::default() };
        assert_eq!(case(12.0, 60.0).misses(&outcome), ["energy 0.9500 left < 0.98"]);
        assert!(case(40.0, 60.0).misses(&outcome).is_empty());
        assert!(case(12.0, 30.0).misses(&outcome).is_empty(), "no floor at 30 steps per second");
        let low = Outcome { last: 0.1, ..outcome };
        assert!(case(100.0, 60.0).misses(&low).is_empty(), "what a step cannot resolve may be damped");
    }

    #[test]
    fn forces_of_rounding_are_no_forces_of_a_loop() {
        let outcome = Outcome { force: 0.3, released_force: Some(0.05), last: 1.0, ..Outcome::default() };
        assert_eq!(case(0.1, 240.0).misses(&outcome).len(), 1);
        let noisy = Outcome { force_noise: 0.2, ..outcome };
        assert!(case(0.1, 240.0).misses(&noisy).is_empty());
    }

    #[test]
    fn what_is_no_number_is_a_miss() {
        let outcome = Outcome { largest: f64::NAN, last: f64::NAN, ..Outcome::default() };
        assert_eq!(case(12.0, 60.0).misses(&outcome).len(), 2);
    }
}
