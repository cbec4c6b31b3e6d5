//! From a scene's data to the engine's composites, rules, timers and motions.

use super::build::rotation;
use crate::error::SceneError;
use crate::model::{Body, MotionSpec, RuleKind, Scene};
use drystone::math::{Pose, Position};
use drystone::{
    BodyHandle, CompositeHandle, ContactError, Key, Keyframes, Rule, RuleSide, TimerSpec, World, WorldError,
};

fn refused(path: String, name: &str, reason: impl ToString) -> SceneError {
    SceneError::Refused { path, name: name.to_owned(), reason: reason.to_string() }
}

/// Adds what is there from the beginning and belongs to no body.
pub(super) fn add_rules_and_timers(world: &mut World, scene: &Scene) -> Result<(), SceneError> {
    for (index, entry) in scene.rules.iter().enumerate() {
        let [a, b] = [&entry.a, &entry.b].map(|groups| {
            if groups.is_empty() { RuleSide::Anything } else { RuleSide::Groups(bits(groups)) }
        });
        let rule = match entry.action {
            RuleKind::Ignore => Rule::ignore(a, b),
            RuleKind::Force => Rule::force(a, b),
        };
        world.add_rule(rule).map_err(|e| refused(format!("rules[{index}]"), "", e))?;
    }
    for (index, entry) in scene.timers.iter().enumerate() {
        let spec = match (entry.first, entry.period) {
            (first, Some(period)) => TimerSpec::periodic(period).first_after(first.unwrap_or(period)),
            (first, None) => TimerSpec::once(first.unwrap_or(0.0)),
        };
        world.add_timer(spec).map_err(|e| refused(format!("timers[{index}]"), "", e))?;
    }
    Ok(())
}

/// Groups as bits.
pub(super) fn bits(groups: &[u32]) -> u32 {
    groups.iter().fold(0, |bits, &group| bits | 1_u32.checked_shl(group).unwrap_or(0))
}

/// The motion of a body.
///
/// # Errors
/// Times that do not ascend from 0 s, or a last place that is not the first one of a motion that repeats.
pub(crate) fn build_motion(spec: &MotionSpec) -> Result<Keyframes, ContactError> {
    let key = |key: &crate::model::KeySpec| {
        Key::new(key.time, Pose::new(Position::from(key.position), rotation(&key.rotation)))
    };
    let keys: Vec<Key> = spec.keys.iter().map(key).collect();
    let motion = if spec.smooth { Keyframes::smooth(keys) } else { Keyframes::linear(keys) }?;
    if spec.repeats { motion.repeating() } else { Ok(motion) }
}

/// Lets a body that has just appeared follow its motion.
pub(super) fn follow(
    world: &mut World,
    index: usize,
    body: &Body,
    handle: BodyHandle,
) -> Result<(), SceneError> {
    let Some(spec) = &body.motion else { return Ok(()) };
    let refused = |reason: String| refused(format!("bodies[{index}].motion"), &body.name, reason);
    let motion = build_motion(spec).map_err(|e| refused(e.to_string()))?;
    world.follow_motion(handle, motion).map_err(|e: WorldError| refused(e.to_string()))
}

/// Fastens the bodies of the composite with this index.
pub(super) fn fasten(
    world: &mut World,
    scene: &Scene,
    index: usize,
    body: impl Fn(&str) -> Option<BodyHandle>,
) -> Result<CompositeHandle, SceneError> {
    let spec = &scene.composites[index];
    let refused = |reason: String| refused(format!("composites[{index}]"), &spec.name, reason);
    let members: Option<Vec<BodyHandle>> = spec.bodies.iter().map(|name| body(name)).collect();
    let members = members.ok_or_else(|| refused("one of its bodies was removed before".to_owned()))?;
    world.fasten(&members).map_err(|e| refused(e.to_string()))
}
