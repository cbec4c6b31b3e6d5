//! How a scene is run: preset, rate, length, threads.

use crate::error::SceneError;
use crate::model::Scene;
use crate::similar::nearest;
use crate::validate::{MAX_HZ, MAX_SECONDS, MIN_HZ};
use drystone::math::{Real, Vector3};
use drystone::{WorldConfig, WorldError};

/// Most steps of a run; the time of each is kept.
pub const MAX_STEPS: u64 = 100_000_000;
/// The acceleration that thresholds refer to where a scene has neither gravity nor its own value, m/s².
pub const DEFAULT_ACCELERATION: Real = 10.0;
/// Steps per second of the presets `fast` and `qp_suite`.
const FAST_HZ: f64 = 60.0;
/// Steps per second of the preset `fine`.
const FINE_HZ: f64 = 1920.0;
/// Most threads of a run.
const MAX_THREADS: usize = 256;

/// A bundle of settings of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// `thesis_fast`, the paper's high-performance settings (S1-78). 240 steps per second.
    ThesisFast,
    /// `thesis_accurate`, the paper's high-accuracy settings (S1-88). 960 steps per second.
    ThesisAccurate,
    /// `fast`, sub-stepped contacts. 60 steps per second.
    #[default]
    Fast,
    /// `fine`, sub-stepped contacts for accuracy. 1920 steps per second.
    Fine,
    /// `nsgs`, exact contact laws by non-smooth Gauss-Seidel. 240 steps per second.
    Nsgs,
    /// `lcp`, complementarity by Lemke's algorithm and accelerated sweeps. 240 steps per second.
    Lcp,
    /// `qp_suite`, convex programs and freezing (S2). 60 steps per second.
    #[cfg(feature = "convex")]
    QpSuite,
}

impl Preset {
    /// Every preset.
    pub const ALL: &[Self] = &[
        Self::ThesisFast,
        Self::ThesisAccurate,
        Self::Fast,
        Self::Fine,
        Self::Nsgs,
        Self::Lcp,
        #[cfg(feature = "convex")]
        Self::QpSuite,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ThesisFast => "thesis_fast",
            Self::ThesisAccurate => "thesis_accurate",
            Self::Fast => "fast",
            Self::Fine => "fine",
            Self::Nsgs => "nsgs",
            Self::Lcp => "lcp",
            #[cfg(feature = "convex")]
            Self::QpSuite => "qp_suite",
        }
    }

    /// The preset of a name; `accurate` is short for that of the paper.
    ///
    /// # Errors
    /// [`SceneError::Option`].
    pub fn find(name: &str) -> Result<Self, SceneError> {
        let name = if name == "accurate" { "thesis_accurate" } else { name };
        let is_named = |p: &Self| p.name() == name;
        let names: Vec<_> = Self::ALL.iter().map(|p| p.name()).collect();
        Self::ALL.iter().copied().find(is_named).ok_or_else(|| SceneError::Option {
            option: "preset",
            expected: format!("one of {} (or accurate)", names.join(", ")),
            found: format!("{name:?}"),
        })
    }

    /// The engine's settings.
    pub fn config(self) -> WorldConfig {
        match self {
            Self::ThesisFast => WorldConfig::thesis_fast(),
            Self::ThesisAccurate => WorldConfig::thesis_accurate(),
            Self::Fast => WorldConfig::fast(),
            Self::Fine => WorldConfig::fine(),
            Self::Nsgs => WorldConfig::nsgs(),
            Self::Lcp => WorldConfig::lcp(),
            #[cfg(feature = "convex")]
            Self::QpSuite => WorldConfig::qp_suite(),
        }
    }

    /// `config` with these changes, each a field and its value: made one after the other, as [`WorldConfig::set_field`] does. `config` is that
    /// of this preset ([`Preset::config`]), with what a scene or its user put into it.
    ///
    /// ```
    /// use drystone_scenes::{Preset, parse_setting};
    /// let settings = [parse_setting("sub_step.sub_steps=4")?];
    /// let config = Preset::Fast.apply(Preset::Fast.config(), &settings)?;
    /// assert!(config.fields().contains(&("sub_step.sub_steps", "4".into())));
    /// let refused = Preset::Nsgs.apply(Preset::Nsgs.config(), &settings).expect_err("it takes no sub-steps");
    /// assert!(refused.to_string().contains("those that have it: fast, fine"));
    /// # Ok::<(), drystone_scenes::SceneError>(())
    /// ```
    ///
    /// # Errors
    /// [`SceneError::UnknownSetting`] for one that names no field, with the presets that have it or the one that was meant;
    /// [`SceneError::World`] for one that does not fit its field.
    pub fn apply(
        self,
        mut config: WorldConfig,
        settings: &[(String, String)],
    ) -> Result<WorldConfig, SceneError> {
        for (field, value) in settings {
            config.set_field(field, value).map_err(|error| self.explained(error))?;
        }
        Ok(config)
    }

    /// Says of a setting that the preset has not, which have it or which was meant.
    fn explained(self, error: WorldError) -> SceneError {
        let WorldError::UnknownField { name, known } = error else { return error.into() };
        let has = |preset: &&Self| preset.config().field_names().contains(&name.as_str());
        let owners = Self::ALL.iter().filter(has).map(|preset| preset.name()).collect();
        let nearest = nearest(&name, known.into_iter());
        SceneError::UnknownSetting { preset: self.name(), owners, nearest, name }
    }

    /// Steps per second that a scene wants with this preset.
    pub fn hz(self, scene: &Scene) -> f64 {
        let own = match self {
            Self::ThesisFast | Self::Nsgs | Self::Lcp => scene.hz.fast,
            Self::ThesisAccurate => scene.hz.accurate,
            Self::Fast => FAST_HZ,
            Self::Fine => FINE_HZ,
            #[cfg(feature = "convex")]
            Self::QpSuite => FAST_HZ,
        };
        own.max(scene.hz.least)
    }
}

/// Field and value of a setting as command lines take it, `FIELD=VALUE`, without the spaces around them.
///
/// ```
/// use drystone_scenes::parse_setting;
/// assert_eq!(parse_setting("gravity.y = -1.62")?, ("gravity.y".into(), "-1.62".into()));
/// assert!(parse_setting("gravity").is_err());
/// # Ok::<(), drystone_scenes::SceneError>(())
/// ```
///
/// # Errors
/// [`SceneError::Option`] for a text without `=`.
pub fn parse_setting(text: &str) -> Result<(String, String), SceneError> {
    let Some((field, value)) = text.split_once('=') else {
        let expected = "FIELD=VALUE (`drystone fields` lists the fields)".into();
        return Err(SceneError::Option { option: "--set", expected, found: format!("{text:?}") });
    };
    Ok((field.trim().to_owned(), value.trim().to_owned()))
}

/// How a scene is run. The default is the rate of the preset, the scene's own length, and one thread.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The engine's settings to begin with.
    pub preset: Preset,
    /// Settings that differ from the preset, as field and value; see [`WorldConfig::set_field`].
    pub overrides: Vec<(String, String)>,
    /// Steps per second, 1 to 10⁶; `None` for what the preset and the scene say ([`Preset::hz`]).
    pub hz: Option<f64>,
    /// How long, s, above 0 and at most 10⁶; `None` for the scene's own.
    pub seconds: Option<f64>,
    /// Threads, 1 to 256; the motion does not depend on it.
    pub threads: usize,
    /// Whether bodies may sleep; `None` for what the preset says.
    pub sleep: Option<bool>,
    /// Tells how many heap allocations the process has made; see
    /// [`Outcome::allocations_per_step`](crate::Outcome::allocations_per_step).
    pub allocation_count: Option<fn() -> u64>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            preset: Preset::default(),
            overrides: Vec::new(),
            hz: None,
            seconds: None,
            threads: 1,
            sleep: None,
            allocation_count: None,
        }
    }
}

/// When the steps of a run are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Steps per second.
    pub hz: f64,
    /// Number of steps, at least 1.
    pub step_count: u64,
}

impl Schedule {
    /// Length of a step, s.
    pub fn dt(&self) -> Real {
        (1.0 / self.hz) as Real
    }

    /// The step whose beginning is nearest to a time in s, counted from 0.
    pub(crate) fn step_at(&self, time: f64) -> u64 {
        // A float cast saturates, so times past any run stay there.
        (time * self.hz).round() as u64
    }
}

impl RunOptions {
    /// When the steps are.
    ///
    /// # Errors
    /// [`SceneError::Option`] for a rate, length or product of both that is out of range.
    pub fn schedule(&self, scene: &Scene) -> Result<Schedule, SceneError> {
        let hz = self.hz.unwrap_or_else(|| self.preset.hz(scene));
        let seconds = self.seconds.unwrap_or(scene.seconds);
        let refuse = |option, expected: String, found: f64| {
            Err(SceneError::Option { option, expected, found: found.to_string() })
        };
        if !(MIN_HZ..=MAX_HZ).contains(&hz) {
            return refuse("hz", format!("{MIN_HZ} to {MAX_HZ} steps per second"), hz);
        }
        if !(seconds > 0.0 && seconds <= MAX_SECONDS) {
            return refuse("seconds", format!("above 0 and at most {MAX_SECONDS}"), seconds);
        }
        let steps = (seconds * hz).round().max(1.0);
        if steps > MAX_STEPS as f64 {
            let expected = format!("at most {} at {hz} steps per second", MAX_STEPS as f64 / hz);
            return refuse("seconds", expected, seconds);
        }
        Ok(Schedule { hz, step_count: steps as u64 })
    }

    /// The engine's settings for this run.
    ///
    /// # Errors
    /// As [`Preset::apply`], for an override.
    pub(crate) fn config(&self, scene: &Scene) -> Result<WorldConfig, SceneError> {
        let mut config = self.preset.config();
        config.gravity = Vector3::from(scene.gravity);
        let strength = config.gravity.norm();
        let fallback = if strength > 0.0 { strength } else { DEFAULT_ACCELERATION };
        config.reference_acceleration = scene.reference_acceleration.unwrap_or(fallback);
        if let Some(sleep) = self.sleep {
            config.sleeping.enabled = sleep;
        }
        self.preset.apply(config, &self.overrides)
    }

    pub(crate) fn check_threads(&self) -> Result<(), SceneError> {
        if (1..=MAX_THREADS).contains(&self.threads) {
            return Ok(());
        }
        let expected = format!("1 to {MAX_THREADS}");
        Err(SceneError::Option { option: "threads", expected, found: self.threads.to_string() })
    }
}
