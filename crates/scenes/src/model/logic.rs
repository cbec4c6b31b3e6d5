//! What is in a scene beside bodies that move: composites, rules, timers, motions.

use super::body::Orientation;
use super::is_default;
use serde::{Deserialize, Serialize};

/// Bodies fastened to each other as soon as all are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompositeSpec {
    /// Its name, needed where actions refer to it; unique unless empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The names of its bodies: two or more, dynamic, in no other composite.
    pub bodies: Vec<String>,
}

/// A timer; its ticks are events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimerEntry {
    /// When it ticks first, s, 0 to 1e9. Default: after one period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<f64>,
    /// From tick to tick, s, 1e-6 to 1e9. Default: it ticks once, so `first` is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
}

/// What a rule does to the pairs between its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// They do not meet.
    Ignore,
    /// They meet, also where older rules keep them apart.
    Force,
}

/// A rule between groups of bodies; of several that apply, the last one decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleEntry {
    /// What it does.
    pub action: RuleKind,
    /// Groups on one side, 0 to 31; without any, all bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub a: Vec<u32>,
    /// Groups on the other side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub b: Vec<u32>,
}

/// Where a kinematic body is at which time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionSpec {
    /// The places in the order of their times; the first one at 0 s, which is when the body appears.
    pub keys: Vec<KeySpec>,
    /// Whether velocities are continuous (a cubic spline), not places alone. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub smooth: bool,
    /// Whether it begins anew at the last key, which is then where the first one is. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repeats: bool,
}

/// A place on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySpec {
    /// When, s.
    pub time: f64,
    /// Where the body's origin is, m.
    pub position: [f64; 3],
    /// How it is turned.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rotation: Orientation,
}
