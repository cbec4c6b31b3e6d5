//! Contacts on their way to a lane: a look at every edge, part by part.
#![expect(unsafe_code, reason = "reads bodies of an array in which threads note those of their own islands")]

use super::nodes::{GROUND, NO_MEMBER, Node};
use super::{EnergyLimit, LISTED_AHEAD, SORTS, Slot};
use crate::sub_step::domains::MOST_DOMAINS;
use drystone_contact::{ContactPoint, Edge, EdgeIndex, Manifold};
use drystone_exec::Shared;
use drystone_math::{Real, larger, prefetch};

/// A contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) slot: Slot,
    /// Its bodies among the members, [`NO_MEMBER`] where impulses do not change one.
    pub(super) ends: [u32; 2],
    /// Its class, an index into `CLASS_POINTS`, times [`SORTS`], and 1 more where it is idle as yet.
    pub(super) sort: u8,
    /// The domain of what it pushes, with [`GROUND`] where the other one cannot move, or [`BETWEEN`]: as a number, in the order of a pass.
    set: u8,
}

/// What stands for the domain of contacts between domains.
const BETWEEN: u8 = 0x40;
const _: () = assert!(MOST_DOMAINS <= BETWEEN as usize && BETWEEN < GROUND);
/// Numbers of sets that there may be.
const SETS: usize = GROUND as usize + MOST_DOMAINS;

impl Item {
    /// The place of a contact where none is.
    pub(super) const NONE: Self = Self { slot: Slot::EMPTY, ends: [NO_MEMBER; 2], sort: 0, set: 0 };

    /// With what cannot move.
    #[inline]
    pub(super) fn is_ground(&self) -> bool {
        self.set >= GROUND
    }

    /// With what moves as its user says.
    fn is_driven(&self) -> bool {
        !self.is_ground() && self.ends.contains(&NO_MEMBER)
    }

    /// It has three points or more.
    #[inline]
    pub(super) fn is_face(&self) -> bool {
        usize::from(self.sort) < SORTS
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

    /// What keeps the energy of an island of these.
    pub(super) fn limit(&self) -> EnergyLimit {
        if self.drives { EnergyLimit::None } else { EnergyLimit::Contacts }
    }
}

/// What looks at edges need.
pub(super) struct Look<'a> {
    pub(super) edges: &'a [Edge],
    pub(super) nodes: &'a Shared<'a, Node>,
    /// Some bodies move as their user says.
    pub(super) any_moved: bool,
}

impl Look<'_> {
    /// Lists the contacts among some edges that push something, in their order; returns their number.
    pub(super) fn list(&self, own: &[EdgeIndex], items: &mut [Item], traits: &mut Traits) -> usize {
        let &Self { edges, nodes, any_moved } = self;
        let mut count = 0;
        let mut seen = Seen::default();
        for (k, &index) in own.iter().enumerate() {
            if let Some(&next) = own.get(k + LISTED_AHEAD) {
                prefetch(&edges[next.get()].manifold);
            }
            let edge = &edges[index.get()];
            if let Some(item) = item_of(edge, index, nodes, &mut seen) {
                items[count] = item;
                count += 1;
            }
        }
        traits.add(seen.traits());
        traits.drives |= any_moved && items[..count].iter().any(Item::is_driven);
        count
    }
}

/// The contact of an edge; none where it pushes nothing, or is a joint.
#[inline(always)]
fn item_of(edge: &Edge, index: EdgeIndex, nodes: &Shared<'_, Node>, seen: &mut Seen) -> Option<Item> {
    let manifold = &edge.manifold;
    // SAFETY: every body has an entry. Those of this island were noted by this thread, or before; no contact reaches members of other
    // islands, and nobody notes what is no member.
    let [a, b] = [manifold.body_a, manifold.body_b].map(|body| unsafe { *nodes.get(body.0) });
    let pushed = [a.is_member(), b.is_member()];
    let points = manifold.points();
    if !(pushed[0] | pushed[1]) || points.is_empty() || edge.is_tie() {
        return None;
    }
    let is_between = pushed[0] & pushed[1] & (a.domain != b.domain);
    // Where only one is pushed, the other one has no domain.
    let set = if is_between { BETWEEN } else { a.domain | b.domain };
    // Those of a colour share no body, so their order is of no account; side by side, what is idle costs less.
    let is_idle = points.iter().fold(true, |all, point| all & is_idle(point));
    seen.look(manifold);
    Some(Item {
        slot: Slot::new(index, !pushed[1]),
        ends: [a.member, b.member],
        sort: (class_of(manifold) * SORTS) as u8 + u8::from(is_idle),
        set,
    })
}

/// Whether a point is open and carried nothing.
#[inline]
fn is_idle(point: &ContactPoint) -> bool {
    let resting = &point.warm_start_impulse;
    // A number is zero when all bits but its sign are.
    let bits = (resting.x.to_bits() | resting.y.to_bits() | resting.z.to_bits()) << 1;
    (point.distance > 0.0) & (bits == 0)
}

/// What contacts have in common, on the way over them: the largest coefficients, and all bits of what is a number with a sign.
#[derive(Default)]
struct Seen {
    rolling_friction: Real,
    restitution: Real,
    surface_velocity: u32,
}

impl Seen {
    #[inline(always)]
    fn look(&mut self, manifold: &Manifold) {
        let material = &manifold.material;
        self.rolling_friction = larger(material.rolling_friction, self.rolling_friction);
        self.restitution = larger(material.restitution, self.restitution);
        let velocity = &manifold.surface_velocity;
        self.surface_velocity |= velocity.x.to_bits() | velocity.y.to_bits() | velocity.z.to_bits();
    }

    fn traits(&self) -> Traits {
        let is_belt = self.surface_velocity << 1 != 0;
        Traits {
            rolls: self.rolling_friction > 0.0,
            bounces: self.restitution > 0.0,
            is_belt,
            drives: is_belt,
        }
    }
}

/// Class of a contact: index into `CLASS_POINTS`.
pub(super) fn class_of(manifold: &Manifold) -> usize {
    // Two bits for each number of points, which need no table.
    0b00_00_01_10_10 >> (2 * manifold.points().len()) & 3
}

/// Puts the contacts of a part of a large island one set after the other, and notes where each set begins, and the end.
pub(super) fn by_set(items: &[Item], sorted: &mut [Item], starts: &mut [u32]) {
    let mut places = [0_u32; SETS];
    for item in items {
        places[usize::from(item.set)] += 1;
    }
    let domains = (starts.len() / 2 - 1) as u8;
    let sets = (0..domains).chain([BETWEEN]).chain(GROUND..GROUND + domains);
    let mut before = 0;
    for (start, set) in starts.iter_mut().zip(sets) {
        *start = before;
        before += std::mem::replace(&mut places[usize::from(set)], before);
    }
    starts[starts.len() - 1] = before;
    for item in items {
        let place = &mut places[usize::from(item.set)];
        sorted[*place as usize] = *item;
        *place += 1;
    }
}
