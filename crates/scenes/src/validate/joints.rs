//! Joints: names of bodies, places, and what the engine takes.

use super::{MAX_POSITION, fault, require};
use crate::error::Fault;
use crate::model::{Action, Body, CouplingEntry, JointEntry, Kind, Scene};
use crate::run::{JointTrial, frame};
use drystone::math::Real;
use drystone::{ContactError, JointError, WorldError};
use std::collections::{BTreeMap, BTreeSet};

impl Scene {
    pub(super) fn check_joints(&self) -> Result<(), Fault> {
        if self.joints.is_empty() && self.couplings.is_empty() {
            return Ok(());
        }
        let bodies: BTreeMap<&str, &Body> = self.bodies.iter().map(|b| (b.name.as_str(), b)).collect();
        let composites = self.members();
        let mut trial = JointTrial::new();
        for (index, joint) in self.joints.iter().enumerate() {
            let path = |field: &str| format!("joints[{index}].{field}");
            let (mut can_move, mut begins) = (false, 0.0_f64);
            for (k, name) in joint.bodies.iter().enumerate() {
                let Some(body) = bodies.get(name.as_str()).filter(|_| !name.is_empty()) else {
                    return Err(fault(path(&format!("bodies[{k}]")), "", "the name of a body", name));
                };
                can_move |= body.kind == Kind::Dynamic;
                begins = begins.max(body.appears);
            }
            let expected = "two bodies, of which one at least is dynamic";
            let are_two = joint.bodies[0] != joint.bodies[1];
            require(can_move && are_two, &path("bodies"), "", expected, &joint.bodies)?;
            for (k, name) in joint.bodies.iter().enumerate() {
                let is_free = composites.get(name.as_str()).is_none_or(|&composite| {
                    let made =
                        self.composites[composite].bodies.iter().map(|body| bodies[body.as_str()].appears);
                    self.breaks(composite, made.fold(0.0, f64::max)).is_some_and(|broken| broken < begins)
                });
                let expected = "the name of a body that is in no composite then";
                require(is_free, &path(&format!("bodies[{k}]")), "", expected, name)?;
            }
            for (field, place) in [("at", Some(joint.at)), ("to", joint.to)] {
                let is_fine = place.iter().flatten().all(|c| c.abs() <= MAX_POSITION);
                let expected = format!("three finite numbers within ±{MAX_POSITION:e}");
                require(is_fine, &path(field), "", &expected, place)?;
            }
            if let Some(across) = joint.across {
                let is_fine = frame(joint.axis, across).is_some();
                require(is_fine, &path("across"), "", "a direction that is not along the axis", across)?;
            }
            // The engine knows the ranges.
            if let Err(error) = trial.attempt(joint) {
                return Err(joint_fault(&error, index, joint, &mut trial));
            }
        }
        self.check_couplings(&mut trial)
    }

    fn check_couplings(&self, trial: &mut JointTrial) -> Result<(), Fault> {
        let mut named: BTreeMap<&str, &JointEntry> = BTreeMap::new();
        for (index, joint) in self.joints.iter().enumerate() {
            let Some(name) = joint.name.as_deref() else { continue };
            let is_new = !name.is_empty() && named.insert(name, joint).is_none();
            require(is_new, &format!("joints[{index}].name"), "", "a name of its own", name)?;
        }
        for (index, coupling) in self.couplings.iter().enumerate() {
            let path = |field: &str| format!("couplings[{index}].{field}");
            let mut found = Vec::new();
            for (k, name) in coupling.joints.iter().enumerate() {
                let Some(&joint) = named.get(name.as_str()) else {
                    return Err(fault(path(&format!("joints[{k}]")), "", "the name of a joint", name));
                };
                found.push(joint);
            }
            let joints = [found[0], found[1]];
            let Err(error) = trial.attempt_coupling(coupling, joints) else { continue };
            return Err(coupling_fault(&error, index, coupling, joints, trial));
        }
        Ok(())
    }

    /// Whether joints of articulations are there, each in one at most, and their rotors in range. What makes no tree the engine says when the scene is run.
    pub(super) fn check_articulations(&self) -> Result<(), Fault> {
        let mut taken = vec![false; self.joints.len()];
        for (index, articulation) in self.articulations.iter().enumerate() {
            let path = format!("articulations[{index}].joints");
            require(!articulation.joints.is_empty(), &path, "", "at least one joint", &articulation.joints)?;
            for (k, &joint) in articulation.joints.iter().enumerate() {
                let is_free = taken.get_mut(joint).is_some_and(|taken| !std::mem::replace(taken, true));
                let expected = "the place of a joint that is in no articulation yet";
                require(is_free, &format!("{path}[{k}]"), "", expected, joint)?;
            }
            let mut without: BTreeSet<usize> = articulation.joints.iter().copied().collect();
            for (k, rotor) in articulation.rotors.iter().enumerate() {
                let path = |field: &str| format!("articulations[{index}].rotors[{k}].{field}");
                let expected = "the place of a joint of the articulation that has no rotor yet";
                require(without.remove(&rotor.joint), &path("joint"), "", expected, rotor.joint)?;
                for (field, value) in [("armature", rotor.armature), ("damping", rotor.damping)] {
                    let is_fine = value.is_finite() && value >= 0.0;
                    require(is_fine, &path(field), "", "finite and at least 0", value)?;
                }
            }
        }
        Ok(())
    }

    /// The composite of each body that is in one.
    fn members(&self) -> BTreeMap<&str, usize> {
        let all = self.composites.iter().enumerate();
        all.flat_map(|(index, composite)| composite.bodies.iter().map(move |body| (body.as_str(), index)))
            .collect()
    }

    /// When a composite that is made at a time (s) breaks into its bodies, s; `None` for one that never does.
    fn breaks(&self, composite: usize, made: f64) -> Option<f64> {
        let name = &self.composites[composite].name;
        let is_it = |action: &Action| matches!(action, Action::Unfasten { composite } if composite == name);
        let all = self.actions.iter().filter(|timed| is_it(&timed.action)).map(|timed| timed.at);
        all.filter(|&at| at >= made).reduce(f64::min)
    }
}

/// What the engine refused of a coupling, at the field that it is about.
fn coupling_fault(
    error: &WorldError,
    index: usize,
    coupling: &CouplingEntry,
    joints: [&JointEntry; 2],
    trial: &mut JointTrial,
) -> Fault {
    type Without = fn(&mut CouplingEntry);
    let changes: [(&str, Without); 4] = [
        ("greatest", |entry| entry.greatest = None),
        ("least", |entry| entry.least = None),
        ("breaks_above_force", |entry| entry.breaks_above_force = None),
        ("breaks_above_torque", |entry| entry.breaks_above_torque = None),
    ];
    let field = changes.into_iter().find_map(|(field, change)| {
        let mut without = coupling.clone();
        change(&mut without);
        trial.attempt_coupling(&without, joints).is_ok().then_some(field)
    });
    let path = format!("couplings[{index}].{}", field.unwrap_or("kind"));
    match error {
        WorldError::Joint(
            JointError::OutOfRange { expected, value, .. }
            | JointError::Contact(ContactError::OutOfRange { expected, value, .. }),
        ) => Fault { found: (*value as Real).to_string(), ..fault(path, "", *expected, "") },
        // Handles are those of the trial: the reason alone.
        WorldError::Joint(JointError::CannotCouple { axis, reason, .. }) => {
            let expected = format!("about coordinates that can be coupled (the {}: {reason})", axis.name());
            Fault { found: "others".into(), ..fault(path, "", expected, "") }
        }
        _ => Fault { found: "it".into(), ..fault(path, "", format!("left out ({error})"), "") },
    }
}

/// What the engine refused, at the field that it is about.
fn joint_fault(error: &WorldError, index: usize, joint: &JointEntry, trial: &mut JointTrial) -> Fault {
    let whole = error.to_string();
    // It is about the field without which nothing is wrong, or else, where more is, something else. Compared as texts, since no NaN is equal to itself.
    let tried: Vec<(String, Option<String>)> = without_each(joint)
        .into_iter()
        .map(|(field, without)| (field, trial.attempt(&without).err().map(|e| e.to_string())))
        .collect();
    let alone = tried.iter().find(|(_, error)| error.is_none());
    let found = alone.or_else(|| tried.iter().find(|(_, error)| error.as_ref() != Some(&whole)));
    let field = found.map_or("at", |(field, _)| field);
    let path = format!("joints[{index}].{field}");
    match error {
        WorldError::Joint(
            JointError::OutOfRange { expected, value, .. }
            | JointError::Contact(ContactError::OutOfRange { expected, value, .. }),
        ) => Fault { found: (*value as Real).to_string(), ..fault(path, "", *expected, "") },
        WorldError::Joint(JointError::NoAxis { axis }) => fault(path, "", "of a finite length above 0", axis),
        _ => Fault { found: "it".into(), ..fault(path, "", format!("left out ({whole})"), "") },
    }
}

/// What a joint says, field by field, with the joint as it would be without, or with something harmless in its place.
fn without_each(joint: &JointEntry) -> Vec<(String, JointEntry)> {
    let mut all = Vec::new();
    let mut without = |field: &str, change: &dyn Fn(&mut JointEntry)| {
        let mut changed = joint.clone();
        change(&mut changed);
        if changed != *joint {
            all.push((field.to_owned(), changed));
        }
    };
    // A limit as the other one is, then both away: a kind may have none, and a twist has both.
    without("upper", &|joint| joint.upper = joint.upper.and(joint.lower));
    without("lower", &|joint| joint.lower = joint.lower.and(joint.upper));
    without("lower", &|joint| (joint.lower, joint.upper) = (None, None));
    without("axis", &|joint| (joint.axis, joint.across) = (None, None));
    without("motor", &|joint| joint.motor = None);
    without("friction", &|joint| joint.friction = None);
    for k in 0..joint.axes.len() {
        let field = |name: &str| format!("axes[{k}].{name}");
        let both = |joint: &JointEntry| (joint.axes[k].lower, joint.axes[k].upper);
        without(&field("upper"), &|joint| joint.axes[k].upper = both(joint).1.and(both(joint).0));
        without(&field("lower"), &|joint| joint.axes[k].lower = both(joint).0.and(both(joint).1));
        without(&field("lower"), &|joint| (joint.axes[k].lower, joint.axes[k].upper) = (None, None));
        without(&field("motor"), &|joint| joint.axes[k].motor = None);
        without(&field("friction"), &|joint| joint.axes[k].friction = None);
        without(&format!("axes[{k}]"), &|joint| _ = joint.axes.remove(k));
    }
    without("cone", &|joint| joint.cone = None);
    without("steering", &|joint| joint.steering = None);
    without("suspension", &|joint| joint.suspension = None);
    without("linear_spring", &|joint| joint.linear_spring = None);
    without("angular_spring", &|joint| joint.angular_spring = None);
    // One that every screw may have.
    without("pitch", &|joint| joint.pitch = joint.pitch.map(|_| 1.0));
    without("pitch", &|joint| joint.pitch = None);
    without("breaks_above_force", &|joint| joint.breaks_above_force = None);
    without("breaks_above_torque", &|joint| joint.breaks_above_torque = None);
    without("to", &|joint| joint.to = None);
    all
}
