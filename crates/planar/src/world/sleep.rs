//! Groups, sleep and waking.
//!
//! Groups are the components of awake bodies over linked contacts; a group in which every body has been at rest for a while
//! sleeps as a whole, and wakes as a whole: when something awake touches it, when a contact of it ends because a neighbour
//! was removed or moved from outside, and when the user pushes it. So nothing is left hanging.

use super::PlanarWorld;
use crate::bodies::Bodies;
use crate::contacts::{Contacts, State};
use drystone_contact::BodyKind;
use drystone_math::Real;

/// Groups of awake bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Of each body another one of its group, closer to the first; the first one has itself.
    parent: Vec<u32>,
    /// Of the first body of a group, the shortest rest of its bodies, s.
    rest: Vec<Real>,
    sleepers: Vec<u32>,
}

impl Groups {
    fn first(&mut self, body: u32) -> u32 {
        let mut at = body;
        while self.parent[at as usize] != at {
            let next = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = next;
            at = next;
        }
        at
    }

    /// Finds the groups and how many there are.
    fn find(&mut self, bodies: &Bodies, contacts: &Contacts) -> u32 {
        let count = bodies.rows.len();
        self.parent.resize(count, 0);
        self.rest.resize(count, 0.0);
        let mut groups = 0;
        for &body in &bodies.list {
            self.parent[body as usize] = body;
            let facts = &bodies.facts[body as usize];
            groups += u32::from(facts.kind == BodyKind::Dynamic);
            self.rest[body as usize] = if facts.can_sleep { facts.rest_time } else { 0.0 };
        }
        for colour in &contacts.colours {
            for &contact in colour.flat.iter().chain(&colour.round) {
                let [a, b] = contacts.list[contact as usize].bodies;
                match [a, b].map(|body| bodies.is_dynamic(body)) {
                    [true, true] => {
                        let (a, b) = (self.first(a), self.first(b));
                        if a != b {
                            groups -= 1;
                            let (low, high) = (a.min(b), a.max(b));
                            self.parent[high as usize] = low;
                            self.rest[low as usize] = self.rest[low as usize].min(self.rest[high as usize]);
                        }
                    }
                    // Something scripted that moves keeps its neighbours awake.
                    [true, false] if bodies.is_awake(b) => self.keep_awake(a),
                    [false, true] if bodies.is_awake(a) => self.keep_awake(b),
                    _ => {}
                }
            }
        }
        groups
    }

    fn keep_awake(&mut self, body: u32) {
        let first = self.first(body);
        self.rest[first as usize] = 0.0;
    }
}

impl PlanarWorld {
    /// Groups, and those of them that have been at rest long enough sleep.
    pub(super) fn update_sleep(&mut self) {
        self.bodies.update_list();
        self.report.groups = self.groups.find(&self.bodies, &self.contacts);
        if !self.config.sleeping.enabled {
            return;
        }
        let Self { groups, bodies, contacts, config, .. } = self;
        let mut sleepers = std::mem::take(&mut groups.sleepers);
        sleepers.clear();
        for &body in &bodies.list {
            if bodies.is_dynamic(body) {
                let first = groups.first(body) as usize;
                // Above zero also when no time is asked for: a body that may not sleep has none.
                if groups.rest[first] > 0.0 && groups.rest[first] >= config.sleeping.time {
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
        self.groups.sleepers = sleepers;
    }

    /// Wakes a sleeper and its group.
    pub(super) fn wake_group(&mut self, body: u32) {
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

    /// Wakes the groups of what is linked with a body.
    pub(super) fn wake_neighbours(&mut self, body: u32) {
        let mut at = self.contacts.first(&self.bodies, body);
        while let Some(contact) = at {
            let own = &self.contacts.list[contact as usize];
            let (other, is_linked) = (own.other(body), own.is_linked);
            if is_linked {
                self.wake_group(other);
            }
            at = self.contacts.after(contact, body);
        }
    }
}
