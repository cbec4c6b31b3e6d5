//! Contacts on their way to a lane: a look at every edge, part by part.
#![expect(unsafe_code, reason = "reads bodies of an array in which threads note those of their own groups")]

use super::nodes::{NO_MEMBER, Node};
use super::{BETWEEN, FETCHED_AHEAD, Slot, WITH_GROUND};
use drystone_contact::{Bodies, BodyIndex, ContactGraph, ContactPoint, EdgeIndex, Manifold};
use drystone_exec::Shared;
use drystone_math::prefetch;

/// A contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) slot: Slot,
    /// Its bodies among the members, [`NO_MEMBER`] where impulses do not change one.
    pub(super) ends: [u32; 2],
    /// Index into `CLASS_POINTS`.
    pub(super) class: u8,
    /// Whether it is idle as yet.
    pub(super) is_idle: bool,
    /// Within a domain, between domains, or with what cannot move.
    pub(super) kind: u8,
    /// Domain of what it pushes.
    domain: u8,
}

impl Item {
    /// The place of a contact where none is.
    pub(super) const NONE: Self =
        Self { slot: Slot::EMPTY, ends: [NO_MEMBER; 2], class: 0, is_idle: true, kind: 0, domain: 0 };

    /// Set of a large group that it belongs to, in the order of a pass.
    #[inline]
    fn set(&self, domains: usize) -> usize {
        let own = usize::from(self.domain);
        [own, domains, domains + 1 + own][usize::from(self.kind)]
    }
}

/// What contacts have in common that few have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    /// Rolling friction.
    pub(super) rolls: bool,
    /// Restitution.
    pub(super) bounces: bool,
    /// A surface runs over its body.
    pub(super) is_belt: bool,
    /// It can give energy to its bodies.
    pub(super) drives: bool,
}

impl Traits {
    pub(super) fn add(&mut self, other: Self) {
        self.rolls |= other.rolls;
        self.bounces |= other.bounces;
        self.is_belt |= other.is_belt;
        self.drives |= other.drives;
    }
}

/// What looks at edges need.
pub(super) struct Look<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) graph: &'a ContactGraph,
    pub(super) nodes: &'a Shared<'a, Node>,
    pub(super) has_scripted: bool,
}

impl Look<'_> {
    /// Lists the contacts among some edges that push something, in their order; returns their number.
    pub(super) fn list(&self, edges: &[EdgeIndex], items: &mut [Item], traits: &mut Traits) -> usize {
        let mut count = 0;
        for (k, &edge) in edges.iter().enumerate() {
            if let Some(&next) = edges.get(k + FETCHED_AHEAD) {
                prefetch(&self.graph.edge(next).manifold);
            }
            if let Some(item) = self.at(edge, traits) {
                items[count] = item;
                count += 1;
            }
        }
        count
    }

    /// The contact of an edge; none where it pushes nothing, or is a joint.
    #[inline]
    fn at(&self, edge: EdgeIndex, traits: &mut Traits) -> Option<Item> {
        let record = self.graph.edge(edge);
        let manifold = &record.manifold;
        let bodies = [manifold.body_a, manifold.body_b];
        // SAFETY: every body has an entry. Those of this group were noted by this thread, or before; no contact reaches members of other
        // groups, and nobody notes what is no member.
        let [a, b] = bodies.map(|body| unsafe { *self.nodes.get(body.0) });
        let pushed = [a.is_member(), b.is_member()];
        let points = manifold.points();
        if pushed == [false, false] || points.is_empty() || record.is_tie() {
            return None;
        }
        let is_flipped = !pushed[1];
        let is_moved = |body: BodyIndex| {
            self.has_scripted && self.bodies.hot(body).is_scripted() && self.bodies.is_awake(body)
        };
        let are_pushed = pushed[0] & pushed[1];
        let is_ground = !are_pushed & !is_moved(bodies[usize::from(is_flipped)]);
        let is_between = are_pushed & (a.domain != b.domain);
        let kind = u8::from(is_between) * BETWEEN + u8::from(is_ground) * WITH_GROUND;
        // Those of a colour share no body, so their order is of no account; side by side, what is idle costs less.
        let is_idle = |point: &ContactPoint| {
            let resting = &point.resting;
            (point.distance > 0.0) & (resting.x == 0.0) & (resting.y == 0.0) & (resting.z == 0.0)
        };
        let is_idle = points.iter().fold(true, |all, point| all & is_idle(point));
        let is_belt = manifold.has_surface_velocity();
        traits.add(Traits {
            rolls: manifold.material.rolling_friction > 0.0,
            bounces: manifold.material.restitution > 0.0,
            is_belt,
            drives: is_belt || !(is_ground || are_pushed),
        });
        Some(Item {
            slot: Slot::new(edge, is_flipped),
            ends: [a.member, b.member],
            class: class_of(manifold) as u8,
            is_idle,
            kind,
            domain: if pushed[1] { b.domain } else { a.domain },
        })
    }
}

/// Class of a contact: index into `CLASS_POINTS`.
pub(super) fn class_of(manifold: &Manifold) -> usize {
    [2, 2, 1, 0, 0][manifold.points().len()]
}

/// Puts the contacts of a part of a large group one set after the other, and notes where each set begins, and the end.
pub(super) fn by_set(items: &[Item], domains: usize, sorted: &mut [Item], starts: &mut [u32]) {
    starts.fill(0);
    for item in items {
        starts[item.set(domains) + 1] += 1;
    }
    for set in 1..starts.len() {
        starts[set] += starts[set - 1];
    }
    for item in items {
        let place = &mut starts[item.set(domains)];
        sorted[*place as usize] = *item;
        *place += 1;
    }
    // Each start moved to the next one.
    starts.rotate_right(1);
    starts[0] = 0;
}
