//! Islands, sleep and waking.
//!
//! Islands are the components of awake bodies over linked contacts, found before contacts are solved; an island in which every body has been at rest for a while
//! sleeps as a whole, and wakes as a whole: when something awake touches it, when a contact of it ends because a neighbour
//! was removed or moved from outside, and when the user pushes it. What gravity pulls and nothing carries does not fall asleep,
//! however slow it is. So nothing is left hanging.

use super::PlanarWorld;
use crate::bodies::Bodies;
use crate::contacts::{Contacts, State};
use crate::{PlanarConfig, Vector2};
use drystone_math::Real;

/// Islands of awake bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// Of each body another one of its island, closer to the first; the first one has itself.
    parent: Vec<u32>,
    /// Of the first body of an island: something kinematic that moves touches it.
    is_driven: Vec<bool>,
    /// Of the first body of an island, the shortest rest of its bodies, s.
    rest: Vec<Real>,
    sleepers: Vec<u32>,
}

impl Islands {
    /// The body that stands for the island of another one.
    pub(super) fn first(&mut self, body: u32) -> u32 {
        let mut at = body;
        while self.parent[at as usize] != at {
            let next = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = next;
            at = next;
        }
        at
    }

    /// True when something kinematic that moves touches the island whose first body this is.
    pub(super) fn is_driven(&self, first: u32) -> bool {
        self.is_driven[first as usize]
    }

    /// Finds the islands and how many there are.
    pub(super) fn find(&mut self, bodies: &Bodies, contacts: &Contacts) -> u32 {
        let count = bodies.rows.len();
        self.parent.resize(count, 0);
        self.is_driven.resize(count, false);
        let mut islands = 0;
        for &body in &bodies.list {
            (self.parent[body as usize], self.is_driven[body as usize]) = (body, false);
            islands += u32::from(bodies.is_dynamic(body));
        }
        for colour in &contacts.colours {
            for &contact in colour.flat.iter().chain(&colour.round) {
                let own = &contacts.list[contact as usize];
                let [a, b] = own.bodies;
                if own.drive != 0.0 {
                    // So does a belt.
                    [a, b]
                        .into_iter()
                        .filter(|&body| bodies.is_dynamic(body))
                        .for_each(|body| self.drive(body));
                }
                match [a, b].map(|body| bodies.is_dynamic(body)) {
                    [true, true] => {
                        let (a, b) = (self.first(a), self.first(b));
                        if a != b {
                            islands -= 1;
                            let (low, high) = (a.min(b), a.max(b));
                            self.parent[high as usize] = low;
                            self.is_driven[low as usize] |= self.is_driven[high as usize];
                        }
                    }
                    // Something kinematic that moves keeps its neighbours awake.
                    [true, false] if bodies.is_awake(b) => self.drive(a),
                    [false, true] if bodies.is_awake(a) => self.drive(b),
                    _ => {}
                }
            }
        }
        islands
    }

    fn drive(&mut self, body: u32) {
        let first = self.first(body);
        self.is_driven[first as usize] = true;
    }

    /// Of every island the shortest rest of its bodies; none of those that would sleep with a body that nothing carries.
    fn find_rest(&mut self, bodies: &Bodies, contacts: &Contacts, config: &PlanarConfig) {
        self.rest.clear();
        self.rest.resize(bodies.rows.len(), Real::INFINITY);
        let dynamic = || bodies.list.iter().copied().filter(|&body| bodies.is_dynamic(body));
        for body in dynamic() {
            let first = self.first(body);
            let facts = &bodies.facts[body as usize];
            let may_sleep = facts.can_sleep && !self.is_driven[first as usize];
            let own = if may_sleep { facts.rest_time } else { 0.0 };
            self.rest[first as usize] = self.rest[first as usize].min(own);
        }
        for body in dynamic() {
            let first = self.first(body) as usize;
            if self.is_rested(first, config) && !is_carried(bodies, contacts, config, body) {
                self.rest[first] = 0.0;
            }
        }
    }

    /// True when all of the island whose first body this is have rested long enough.
    fn is_rested(&self, first: usize, config: &PlanarConfig) -> bool {
        // Above zero also when no time is asked for: a body that may not sleep has none.
        self.rest[first] > 0.0 && self.rest[first] >= config.sleeping.time
    }
}

/// True when contacts push a body against gravity, or gravity does not pull it: what is as slow as at rest may still fall, and
/// asleep it would hang there (S1-42). O(contacts of the body).
fn is_carried(bodies: &Bodies, contacts: &Contacts, config: &PlanarConfig, body: u32) -> bool {
    let facts = &bodies.facts[body as usize];
    let pull = config.gravity * facts.gravity_scale;
    if facts.locks.translation || pull == Vector2::zeros() {
        return true;
    }
    let mut given = Vector2::zeros();
    let mut at = contacts.first(bodies, body);
    while let Some(index) = at {
        let contact = &contacts.list[index as usize];
        if contact.is_linked {
            let sign = if contact.side(body) == 1 { 1.0 } else { -1.0 };
            given += contact.impulse() * sign;
        }
        at = contacts.after(index, body);
    }
    given.dot(&pull) < 0.0
}

impl PlanarWorld {
    /// Islands that have been at rest long enough sleep.
    pub(super) fn update_sleep(&mut self) {
        self.bodies.update_list();
        if !self.config.sleeping.enabled {
            return;
        }
        self.islands.find_rest(&self.bodies, &self.contacts, &self.config);
        let Self { islands, bodies, contacts, config, .. } = self;
        let mut sleepers = std::mem::take(&mut islands.sleepers);
        sleepers.clear();
        for &body in &bodies.list {
            if bodies.is_dynamic(body) {
                let first = islands.first(body) as usize;
                if islands.is_rested(first, config) {
                    sleepers.push(body);
                }
            }
        }
        for &body in &sleepers {
            bodies.set_awake(body, false);
            let row = &mut bodies.rows[body as usize];
            (row[0], row[1], row[2]) = (0.0, 0.0, 0.0);
        }
        for &body in &sleepers {
            let mut at = contacts.first(bodies, body);
            while let Some(contact) = at {
                let other = contacts.list[contact as usize].other(body);
                if !bodies.is_awake(other) {
                    contacts.uncolour(bodies, contact);
                    contacts.state[contact as usize] = State::Asleep;
                }
                at = contacts.after(contact, body);
            }
        }
        self.report.fell_asleep = sleepers.len() as u32;
        self.islands.sleepers = sleepers;
    }

    /// Wakes a sleeper and its island.
    pub(super) fn wake_island(&mut self, body: u32) {
        if !self.bodies.is_asleep(body) {
            if self.bodies.is_dynamic(body) {
                self.bodies.facts[body as usize].rest_time = 0.0;
            }
            return;
        }
        let Self { bodies, contacts, stack, woken, .. } = self;
        stack.clear();
        stack.push(body);
        bodies.set_awake(body, true);
        while let Some(body) = stack.pop() {
            *woken += 1;
            bodies.facts[body as usize].rest_time = 0.0;
            let mut at = contacts.first(bodies, body);
            while let Some(contact) = at {
                let other = contacts.list[contact as usize].other(body);
                contacts.state[contact as usize] = State::Awake;
                if contacts.list[contact as usize].is_linked {
                    contacts.colour(bodies, contact);
                    if bodies.is_asleep(other) {
                        bodies.set_awake(other, true);
                        stack.push(other);
                    }
                }
                at = contacts.after(contact, body);
            }
        }
    }

    /// Wakes the islands of what is linked with a body.
    pub(super) fn wake_neighbours(&mut self, body: u32) {
        let mut at = self.contacts.first(&self.bodies, body);
        while let Some(contact) = at {
            let own = &self.contacts.list[contact as usize];
            let (other, is_linked) = (own.other(body), own.is_linked);
            if is_linked {
                self.wake_island(other);
            }
            at = self.contacts.after(contact, body);
        }
    }

    /// Contacts of a body that moves from outside are looked at again. Those with sleepers that it is near without touching
    /// sleep, and no search finds them anew; sleepers that it comes to touch wake.
    pub(super) fn look_around(&mut self, body: u32) {
        let mut at = self.contacts.first(&self.bodies, body);
        while let Some(contact) = at {
            self.contacts.state[contact as usize] = State::Awake;
            at = self.contacts.after(contact, body);
        }
    }
}
