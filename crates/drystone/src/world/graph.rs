//! The contact graph of a moment, with the logical nodes of the world.

use super::World;
use drystone_contact::{
    BodyHandle, BodyIndex, EdgeState, GraphSnapshot, NO_ISLAND, NodeKey, NodeKind, RuleSide, SnapshotBuilder,
    SnapshotNode,
};
use drystone_math::{Displacement, Position, Real};

impl World {
    /// The contact graph as it is now, to ask what rests on what, what changed, and to export: `docs/contact-graph.md`.
    /// Bodies and contacts, those of composites with their members; composites and multibodies with what is in them; triggers with what is near and inside; rules with the bodies of their sides, unless a side is
    /// everything; timers. Rules and timers are numbered by the index of their handles.
    /// A copy; O(n log n) in bodies and contacts.
    pub fn graph_snapshot(&self) -> GraphSnapshot {
        let mut builder = SnapshotBuilder::of(&self.bodies, &self.graph, self.step_index);
        self.add_composites(&mut builder);
        self.add_multibodies(&mut builder);
        self.add_triggers(&mut builder);
        self.add_rules(&mut builder);
        for timer in self.logic.timers.handles() {
            builder.insert(node(NodeKey::Timer(timer.index), NodeKind::Timer, None));
        }
        builder.finish()
    }

    /// A composite stands where its body would: contacts are its members', the island is one.
    fn add_composites(&self, builder: &mut SnapshotBuilder) {
        for (handle, composite) in self.containers.composites() {
            let Some(carrier) = builder.take(NodeKey::Body(composite.body())) else { continue };
            let key = NodeKey::Container(handle.index);
            for &member in composite.members() {
                if let Some(node) = builder.node_mut(NodeKey::Body(member)) {
                    (node.island, node.level) = (carrier.island, carrier.level);
                    node.is_asleep = carrier.is_asleep;
                }
            }
            builder.insert(SnapshotNode { key, kind: NodeKind::Composite, ..carrier });
            for &member in composite.members() {
                connect(builder, key, member, EdgeState::Static);
            }
        }
    }

    fn add_multibodies(&self, builder: &mut SnapshotBuilder) {
        for (handle, multibody) in self.containers.multibodies() {
            let key = NodeKey::Container(handle.index);
            let links = || multibody.links().iter().map(|link| BodyIndex(link.index));
            let mass: f64 = links().map(|link| f64::from(self.bodies.mass(link))).sum();
            let weighted =
                |link| self.bodies.center_pose(link).translation.coords * f64::from(self.bodies.mass(link));
            let center = Position::from(links().map(weighted).sum::<Displacement>() / mass);
            let island =
                links().next().map(|link| self.graph.island_of(link)).filter(|&island| island != NO_ISLAND);
            builder.insert(SnapshotNode {
                mass: mass as Real,
                island: island.map(|island| island.0),
                ..node(key, NodeKind::Multibody, Some(center))
            });
            for &link in multibody.links() {
                connect(builder, key, link, EdgeState::Static);
            }
        }
    }

    fn add_triggers(&self, builder: &mut SnapshotBuilder) {
        for slot in self.colliders.all().filter(|&slot| self.colliders.is_trigger(slot)) {
            let center = self.colliders.get(slot).pose.translation;
            if let Some(handle) = self.colliders.handle(slot) {
                builder.insert(node(NodeKey::Trigger(handle), NodeKind::Trigger, Some(center)));
            }
        }
        for pair in self.logic.triggers.pairs() {
            let state = if pair.is_inside { EdgeState::Touching } else { EdgeState::Near };
            if let Some(body) = self.bodies.handle(pair.bodies[1]) {
                connect(builder, NodeKey::Trigger(pair.colliders[0]), body, state);
            }
        }
    }

    fn add_rules(&self, builder: &mut SnapshotBuilder) {
        for (handle, rule) in self.logic.screen.rules() {
            let key = NodeKey::Rule(handle.index);
            builder.insert(node(key, NodeKind::Rule, None));
            for side in rule.sides() {
                match side {
                    RuleSide::Body(body) if self.bodies.index(body).is_ok() => {
                        connect(builder, key, body, EdgeState::Static);
                    }
                    RuleSide::Groups(groups) => {
                        for slot in self.colliders.all() {
                            let body = self.bodies.handle(self.colliders.owner(slot));
                            if let Some(body) = body.filter(|_| self.colliders.filter(slot).0 & groups != 0) {
                                connect(builder, key, body, EdgeState::Static);
                            }
                        }
                    }
                    RuleSide::Body(_) | RuleSide::Anything => {}
                }
            }
        }
    }
}

fn node(key: NodeKey, kind: NodeKind, center: Option<Position>) -> SnapshotNode {
    SnapshotNode { key, kind, center, mass: 0.0, is_asleep: false, island: None, level: None }
}

fn connect(builder: &mut SnapshotBuilder, key: NodeKey, body: BodyHandle, state: EdgeState) {
    let made = builder.connect(key, NodeKey::Body(body), state);
    debug_assert!(made.is_ok(), "triggers, rules and containers have edges to their bodies: {made:?}");
}
