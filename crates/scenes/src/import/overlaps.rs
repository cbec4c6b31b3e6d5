//! Links that lie in each other where a robot stands. URDF does not say who meets whom, MJCF lets only parents and children through each other; shapes of links near a joint usually
//! overlap, and a robot whose links push each other apart from the start tears itself up.

use super::Imported;
use crate::model::{Body, JointAxisEntry, JointAxisSpec, JointEntry, JointKindSpec, Kind, Scene, ShapeSpec};
use crate::run::{RunOptions, Runner};
use crate::validate::MAX_HZ;
use drystone::math::Real;
use std::collections::{BTreeMap, BTreeSet};

/// How deep bodies are in each other that are kept apart, as a share of the radius of the smaller one: less is rounding, or lies on.
const DEEP: Real = 0.01;

/// A joint that leaves all free: its bodies do not meet.
pub(super) fn separation(a: &str, b: &str, at: [f64; 3]) -> JointEntry {
    let free = |axis| JointAxisEntry { axis, lower: None, upper: None, motor: None, friction: None };
    let all = [
        JointAxisSpec::X,
        JointAxisSpec::Y,
        JointAxisSpec::Z,
        JointAxisSpec::Twist,
        JointAxisSpec::SwingY,
        JointAxisSpec::SwingZ,
    ];
    let mut entry = JointEntry::new(JointKindSpec::Generic, a, b, at);
    entry.axes = all.map(free).to_vec();
    entry
}

/// Which links that overlap where a robot stands are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apart {
    /// All: the file does not say who meets whom.
    All,
    /// Those that move and hang on the same link that does: the file says who meets whom, but for what overlaps at a joint.
    Neighbours,
}

/// Keeps links apart that overlap where the robot stands, with a note that names them. A scene that the engine refuses is left as it is, for its run to say why.
pub(super) fn keep_apart(imported: &mut Imported, which: Apart) {
    let mut pairs = overlapping(&imported.scene).unwrap_or_default();
    pairs.retain(|&pair| !let_through(imported, pair));
    if which == Apart::Neighbours && !pairs.is_empty() {
        let near = neighbours(&imported.scene);
        pairs.retain(|&[a, b]| near[a].intersection(&near[b]).next().is_some());
    }
    if pairs.is_empty() {
        return;
    }
    let bodies = &imported.scene.bodies;
    let mut named = Vec::new();
    for &[a, b] in &pairs {
        named.push(format!("{:?} and {:?}", bodies[a].name, bodies[b].name));
        imported.scene.joints.push(separation(&bodies[a].name, &bodies[b].name, bodies[b].position));
    }
    imported
        .notes
        .push(format!("links that overlap where the robot stands do not meet: {}", named.join(", ")));
}

/// Lets two bodies through each other that a joint holds together; false without one. What hangs on the world meets it in MJCF, but not where it is in it from the start.
fn let_through(imported: &mut Imported, pair: [usize; 2]) -> bool {
    let names = pair.map(|body| imported.scene.bodies[body].name.clone());
    let mut held =
        imported.scene.joints.iter_mut().filter(|joint| names.iter().all(|name| joint.bodies.contains(name)));
    let Some(joint) = held.next() else { return false };
    joint.collides = false;
    held.for_each(|joint| joint.collides = false);
    imported
        .notes
        .push(format!("{:?} and {:?} overlap at their joint: they do not meet", names[0], names[1]));
    true
}

/// For each body that moves those that joints hold to it, which move as well; links in between, which have no shape, are stepped over.
fn neighbours(scene: &Scene) -> Vec<BTreeSet<usize>> {
    let index: BTreeMap<&str, usize> =
        scene.bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect();
    let is_moving = |body: usize| scene.bodies[body].kind == Kind::Dynamic;
    let mut held = vec![BTreeSet::new(); scene.bodies.len()];
    for joint in scene.joints.iter().filter(|joint| !is_separation(joint)) {
        let [Some(&a), Some(&b)] = [0, 1].map(|end| index.get(joint.bodies[end].as_str())) else { continue };
        if is_moving(a) && is_moving(b) {
            held[a].insert(b);
            held[b].insert(a);
        }
    }
    let reach = |body: usize| {
        let (mut near, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([body]), vec![body]);
        while let Some(next) = open.pop() {
            for &other in &held[next] {
                if !seen.insert(other) {
                    continue;
                }
                near.insert(other);
                if scene.bodies[other].hidden {
                    open.push(other);
                }
            }
        }
        near
    };
    (0..scene.bodies.len()).map(reach).collect()
}

/// True for a joint that leaves all free.
pub(super) fn is_separation(joint: &JointEntry) -> bool {
    joint.kind == JointKindSpec::Generic
        && joint.axes.len() == 6
        && joint.axes.iter().all(|own| own.lower.is_none() && own.upper.is_none())
}

/// Pairs of bodies of a robot, of which one moves at least, that are deep in each other.
fn overlapping(scene: &Scene) -> Option<Vec<[usize; 2]>> {
    // As good as no time, without what moves things.
    let still = Scene { gravity: [0.0; 3], ..scene.clone() };
    let options = RunOptions { hz: Some(MAX_HZ), seconds: Some(1.0 / MAX_HZ), ..RunOptions::default() };
    let mut runner = Runner::new(&still, &options).ok()?;
    runner.step().ok()?;
    let is_part = |body: &Body| !matches!(body.shape, ShapeSpec::HalfSpace { .. });
    let handles = scene.bodies.iter().enumerate().filter(|(_, body)| is_part(body));
    let of_handle: BTreeMap<_, usize> =
        handles.filter_map(|(index, _)| Some((runner.body(index)?, index))).collect();
    let mut pairs = BTreeSet::new();
    for contact in runner.world().contacts() {
        let ends = contact.bodies.map(|body| of_handle.get(&body).copied());
        let [Some(a), Some(b)] = ends else { continue };
        let radius = contact.bodies.map(|body| runner.world().body(body).map_or(0.0, |body| body.radius));
        if contact.distance < -DEEP * radius[0].min(radius[1]) {
            pairs.insert([a.min(b), a.max(b)]);
        }
    }
    Some(pairs.into_iter().collect())
}
