//! Ranges and names of composites, rules, timers and motions; what leads to joints.

use super::{MAX_POSITION, check_orientation, fault, require};
use crate::error::Fault;
use crate::model::{Body, Kind, MotionSpec, Scene};
use crate::run::build_motion;
use std::collections::BTreeSet;

/// Number of groups.
const GROUPS: u32 = 32;

impl Scene {
    pub(super) fn check_logic(&self) -> Result<(), Fault> {
        self.check_composites()?;
        self.check_joints()?;
        self.check_articulations()?;
        for (index, rule) in self.rules.iter().enumerate() {
            check_groups(&rule.a, &format!("rules[{index}].a"), "")?;
            check_groups(&rule.b, &format!("rules[{index}].b"), "")?;
        }
        for (index, timer) in self.timers.iter().enumerate() {
            let path = |field: &str| format!("timers[{index}].{field}");
            if let Some(period) = timer.period {
                let is_fine = (1e-6..=1e9).contains(&period);
                require(is_fine, &path("period"), "", "1e-6 to 1e9 s", period)?;
            }
            match timer.first {
                Some(first) => {
                    require((0.0..=1e9).contains(&first), &path("first"), "", "0 to 1e9 s", first)?;
                }
                None => {
                    let expected = "a timer with a first tick or a period";
                    require(timer.period.is_some(), &format!("timers[{index}]"), "", expected, timer)?;
                }
            }
        }
        Ok(())
    }

    fn check_composites(&self) -> Result<(), Fault> {
        let (mut names, mut members) = (BTreeSet::new(), BTreeSet::new());
        for (index, composite) in self.composites.iter().enumerate() {
            let (path, name) = (format!("composites[{index}]"), composite.name.as_str());
            if !name.is_empty() {
                let expected = "unlike those of the other composites";
                require(names.insert(name), &format!("{path}.name"), "", expected, name)?;
            }
            let expected = "a list of two bodies at least";
            require(
                composite.bodies.len() >= 2,
                &format!("{path}.bodies"),
                name,
                expected,
                &composite.bodies,
            )?;
            for (k, member) in composite.bodies.iter().enumerate() {
                let here = format!("{path}.bodies[{k}]");
                let found = self.bodies.iter().find(|b| !b.name.is_empty() && b.name == *member);
                let Some(body) = found else {
                    return Err(fault(here, name, "the name of a body", member));
                };
                let is_movable = body.kind == Kind::Dynamic;
                require(is_movable, &here, name, "the name of a dynamic body", member)?;
                let expected = "the name of a body that is in no other composite";
                require(members.insert(member), &here, name, expected, member)?;
            }
        }
        Ok(())
    }
}

/// What a body has beside its place and shape.
pub(super) fn check_body_logic(body: &Body, path: &str) -> Result<(), Fault> {
    let (name, field) = (body.name.as_str(), |field: &str| format!("{path}.{field}"));
    check_groups(&body.groups, &field("groups"), name)?;
    let may_trigger = !body.trigger || body.kind != Kind::Dynamic;
    require(
        may_trigger,
        &field("trigger"),
        name,
        "false for a dynamic body, which needs mass",
        body.trigger,
    )?;
    let Some(motion) = &body.motion else { return Ok(()) };
    let is_kinematic = body.kind == Kind::Kinematic;
    require(is_kinematic, &field("motion"), name, "left out for a body that is not kinematic", body.kind)?;
    for (k, key) in motion.keys.iter().enumerate() {
        let here = |field: &str| format!("{path}.motion.keys[{k}].{field}");
        let is_near = key.position.iter().all(|c| c.abs() <= MAX_POSITION);
        require(is_near, &here("position"), name, "three finite numbers within ±1e12 m", key.position)?;
        check_orientation(&key.rotation, &here("rotation"), name)?;
    }
    let begins = motion.keys.first().map(|key| key.time);
    let expected = "a list whose first time is 0 s";
    require(begins == Some(0.0), &field("motion.keys"), name, expected, begins)?;
    let once = MotionSpec { repeats: false, ..motion.clone() };
    let expected = "a list of places whose times ascend";
    build_motion(&once).map_err(|error| fault(field("motion.keys"), name, expected, error.to_string()))?;
    let expected = "false unless the last key is where the first one is";
    let repeats = build_motion(motion).is_ok();
    require(repeats, &field("motion.repeats"), name, expected, motion.repeats)
}

fn check_groups(groups: &[u32], path: &str, owner: &str) -> Result<(), Fault> {
    for (k, &group) in groups.iter().enumerate() {
        require(group < GROUPS, &format!("{path}[{k}]"), owner, "0 to 31", group)?;
    }
    Ok(())
}
