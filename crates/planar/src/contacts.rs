//! Contacts of the plane: pairs of colliders near each other, kept from step to step, with colours.
//!
//! A contact is *linked* while it has points. Linked contacts with an awake body have a colour, so that no two contacts of a
//! colour share a body that can move; colours change as contacts begin and end and are never made anew.

use crate::bodies::{Bodies, NONE};
use crate::frame::{Vector2, perpendicular};
use crate::narrow::{Manifold, Placement};
use drystone_contact::PairMaterial;
use drystone_math::Real;
use hashbrown::HashMap;

/// Colours; one more takes what finds none and is solved one contact at a time.
pub(crate) const COLOURS: usize = 63;
/// Room that the list of a colour begins with.
const FIRST_ROOM: usize = 64;
/// The colour of a contact that has none.
const NO_COLOUR: u8 = u8::MAX;

/// What is to be done for a contact in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not in use.
    Free,
    /// Nothing: none of its bodies is awake.
    Asleep,
    /// Looked at.
    Awake,
}

/// Where two bodies were, and the gaps of their points there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) place: Placement,
    pub(crate) gaps: [Real; 2],
}

/// A pair of colliders near each other.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    pub(crate) colliders: [u32; 2],
    pub(crate) bodies: [u32; 2],
    pub(crate) manifold: Manifold,
    /// Where the bodies were when the manifold was made; `None` when it must be made anew.
    pub(crate) seen: Option<Seen>,
    /// The last sub-step in which it was solved, s; 0 before. What it gave is measured by it, also when it slept meanwhile.
    pub(crate) h: Real,
    /// Normal impulses of that sub-step, N·s.
    pub(crate) normal_impulse: [Real; 2],
    /// Friction impulse of that sub-step, N·s, along the normal turned by a quarter against the clock.
    pub(crate) friction_impulse: Real,
    /// Rolling impulse of that sub-step, N·m·s.
    pub(crate) rolling_impulse: Real,
    /// Impulses of the whole last step on B: normal and friction, N·s.
    pub(crate) total: [Real; 2],
    pub(crate) material: PairMaterial,
    /// Speed at which B is to slide over A, along the normal turned by a quarter against the clock, m/s: that of both surfaces.
    pub(crate) drive: Real,
    pub(crate) is_touching: bool,
    pub(crate) is_linked: bool,
    /// One of the shapes is a circle, so that there is one point at most.
    pub(crate) is_round: bool,
    colour: u8,
    /// Place in the list of its colour.
    place: u32,
    next: [u32; 2],
    previous: [u32; 2],
}

impl Contact {
    /// 0 when the body is A, 1 when it is B.
    #[inline]
    pub(crate) fn side(&self, body: u32) -> usize {
        usize::from(self.bodies[0] != body)
    }

    /// Colour, and place in its list; `None` without colour.
    pub(crate) fn coloured(&self) -> Option<(usize, usize)> {
        (usize::from(self.colour) < COLOURS).then_some((usize::from(self.colour), self.place as usize))
    }

    pub(crate) fn other(&self, body: u32) -> u32 {
        self.bodies[1 - self.side(body)]
    }

    /// What it gave B in the last step, N·s.
    pub(crate) fn impulse(&self) -> Vector2 {
        let [normal, friction] = self.total;
        self.manifold.normal * normal + perpendicular(&self.manifold.normal) * friction
    }
}

/// The lists of one colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colour {
    /// Contacts of up to two points.
    pub(crate) flat: Vec<u32>,
    /// Contacts of one.
    pub(crate) round: Vec<u32>,
}

/// All contacts.
#[derive(Clone, Debug)]
pub(crate) struct Contacts {
    pub(crate) list: Vec<Contact>,
    pub(crate) state: Vec<State>,
    free: Vec<u32>,
    pairs: HashMap<u64, u32, foldhash::fast::FixedState>,
    /// The last one takes what has no colour.
    pub(crate) colours: Vec<Colour>,
    pub(crate) count: u32,
    /// Contacts begun in this step in the memory of others, and contacts that ended since the step before.
    pub(crate) reused: u32,
    pub(crate) ended: u32,
}

impl Default for Contacts {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            state: Vec::new(),
            free: Vec::new(),
            pairs: HashMap::default(),
            colours: vec![Colour::default(); COLOURS + 1],
            count: 0,
            reused: 0,
            ended: 0,
        }
    }
}

/// Names a pair of colliders.
#[inline]
pub(crate) fn key(pair: [u32; 2]) -> u64 {
    u64::from(pair[0]) << 32 | u64::from(pair[1])
}

impl Contacts {
    #[inline]
    pub(crate) fn is_known(&self, pair: [u32; 2]) -> bool {
        self.pairs.contains_key(&key(pair))
    }

    /// Begins a contact of two colliders, the smaller index first.
    pub(crate) fn begin(
        &mut self,
        bodies: &mut Bodies,
        colliders: [u32; 2],
        ends: [u32; 2],
        material: PairMaterial,
        drive: Real,
        is_round: bool,
    ) -> u32 {
        let contact = Contact {
            colliders,
            bodies: ends,
            manifold: Manifold::default(),
            seen: None,
            h: 0.0,
            normal_impulse: [0.0; 2],
            friction_impulse: 0.0,
            rolling_impulse: 0.0,
            total: [0.0; 2],
            material,
            drive,
            is_touching: false,
            is_linked: false,
            is_round,
            colour: NO_COLOUR,
            place: NONE,
            next: ends.map(|body| bodies.facts[body as usize].first_contact),
            previous: [NONE; 2],
        };
        let pooled = self.free.pop();
        self.reused += u32::from(pooled.is_some());
        let index = pooled.unwrap_or(self.list.len() as u32);
        for (side, &body) in ends.iter().enumerate() {
            let second = contact.next[side];
            if second != NONE {
                let second = &mut self.list[second as usize];
                let own = second.side(body);
                second.previous[own] = index;
            }
            bodies.facts[body as usize].first_contact = index;
        }
        if index as usize == self.list.len() {
            self.list.push(contact);
            // Room for all of them to be freed, whenever that is.
            self.free.reserve(self.list.capacity() - self.free.len());
            self.state.push(State::Awake);
        } else {
            self.list[index as usize] = contact;
            self.state[index as usize] = State::Awake;
        }
        self.pairs.insert(key(colliders), index);
        self.count += 1;
        index
    }

    /// Ends a contact.
    pub(crate) fn end(&mut self, bodies: &mut Bodies, index: u32) {
        self.uncolour(bodies, index);
        let Contact { colliders, bodies: ends, next, previous, .. } = self.list[index as usize];
        for side in 0..2 {
            if next[side] != NONE {
                let after = &mut self.list[next[side] as usize];
                let own = after.side(ends[side]);
                after.previous[own] = previous[side];
            }
            if previous[side] != NONE {
                let before = &mut self.list[previous[side] as usize];
                let own = before.side(ends[side]);
                before.next[own] = next[side];
            } else {
                bodies.facts[ends[side] as usize].first_contact = next[side];
            }
        }
        self.pairs.remove(&key(colliders));
        self.state[index as usize] = State::Free;
        self.free.push(index);
        self.count -= 1;
        self.ended += 1;
    }

    /// The contact of a body that began last; the others come by [`Contacts::after`].
    pub(crate) fn first(&self, bodies: &Bodies, body: u32) -> Option<u32> {
        let first = bodies.facts[body as usize].first_contact;
        (first != NONE).then_some(first)
    }

    /// The contact of a body that follows another one of it.
    pub(crate) fn after(&self, contact: u32, body: u32) -> Option<u32> {
        let own = &self.list[contact as usize];
        let next = own.next[own.side(body)];
        (next != NONE).then_some(next)
    }

    /// Gives a contact the first colour that no other contact of its bodies has.
    pub(crate) fn colour(&mut self, bodies: &mut Bodies, index: u32) {
        let contact = &mut self.list[index as usize];
        if contact.colour != NO_COLOUR {
            return;
        }
        let used = contact.bodies.map(|b| if bodies.is_dynamic(b) { bodies.colours[b as usize] } else { 0 });
        let colour = ((used[0] | used[1]).trailing_ones() as usize).min(COLOURS);
        if colour < COLOURS {
            for body in contact.bodies {
                bodies.colours[body as usize] |= 1 << colour;
            }
        }
        let lists = &mut self.colours[colour];
        let list = if contact.is_round { &mut lists.round } else { &mut lists.flat };
        contact.colour = colour as u8;
        contact.place = list.len() as u32;
        if list.capacity() == 0 {
            list.reserve(FIRST_ROOM);
        }
        list.push(index);
    }

    /// Takes the colour from a contact.
    pub(crate) fn uncolour(&mut self, bodies: &mut Bodies, index: u32) {
        let contact = &mut self.list[index as usize];
        if contact.colour == NO_COLOUR {
            return;
        }
        let (colour, place) = (usize::from(contact.colour), contact.place as usize);
        if colour < COLOURS {
            for body in contact.bodies {
                bodies.colours[body as usize] &= !(1 << colour);
            }
        }
        contact.colour = NO_COLOUR;
        let lists = &mut self.colours[colour];
        let list = if contact.is_round { &mut lists.round } else { &mut lists.flat };
        list.swap_remove(place);
        if let Some(&moved) = list.get(place) {
            self.list[moved as usize].place = place as u32;
        }
    }
}
