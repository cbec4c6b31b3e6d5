//! How bodies of a run are called.

use drystone::{BodyHandle, NodeKey};
use drystone_scenes::{Runner, Scene};
use std::collections::BTreeMap;

/// Names of the bodies of a scene that are in the world: their own, or `bodies[INDEX]` where they have none.
pub(crate) struct Names(BTreeMap<BodyHandle, String>);

impl Names {
    pub(crate) fn new(scene: &Scene, runner: &Runner) -> Self {
        let called = |(index, name): (usize, &str)| {
            let name = if name.is_empty() { format!("bodies[{index}]") } else { name.to_owned() };
            runner.body(index).map(|handle| (handle, name))
        };
        Self(scene.bodies.iter().map(|body| body.name.as_str()).enumerate().filter_map(called).collect())
    }

    /// The name of a body.
    pub(crate) fn of_body(&self, handle: BodyHandle) -> String {
        self.0.get(&handle).cloned().unwrap_or_else(|| NodeKey::Body(handle).to_string())
    }

    /// The name of a node of the contact graph.
    pub(crate) fn of_node(&self, key: NodeKey) -> String {
        match key {
            NodeKey::Body(handle) => self.of_body(handle),
            other => other.to_string(),
        }
    }
}
