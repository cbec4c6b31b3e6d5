//! Links that lie in each other where a robot stands. URDF does not say who meets whom; shapes of links near a joint usually overlap, and a robot whose links push each other
//! apart from the start tears itself up.

use super::Imported;
use crate::model::{Body, JointAxisEntry, JointAxisSpec, JointEntry, JointKindSpec, Scene, ShapeSpec};
use crate::run::{RunOptions, Runner};
use crate::validate::MAX_HZ;
use drystone::math::Real;
use std::collections::BTreeMap;

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

/// Keeps links apart that overlap where the robot stands, with a note that names them. A scene that the engine refuses is left as it is, for its run to say why.
pub(super) fn keep_apart(imported: &mut Imported) {
    let pairs = overlapping(&imported.scene).unwrap_or_default();
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
    let mut pairs = std::collections::BTreeSet::new();
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
