//! The bodies of units, and the cells that their contacts fall into.
#![expect(unsafe_code, reason = "several threads note bodies of one array; islands share no body")]

use super::Layout;
use super::colours::Cell;
use super::nodes::Node;
use super::plan::sets_of;
use crate::sub_step::domains::MOST_DOMAINS;
use crate::sweep::is_pushed;
use drystone_contact::{Batches, Bodies, BodyIndex};
use drystone_exec::Shared;

impl Layout {
    /// Lists the cells of all units, and the bodies of large islands, which are cut into domains.
    pub(super) fn list_cells(&mut self, bodies: &Bodies, batches: &Batches) {
        self.members.resize(self.plan.members.last().map_or(0, |&end| end as usize), 0);
        let mut marks = 0;
        for k in 0..self.units.len() {
            let unit = &self.units[k];
            let (members, is_large) = (unit.members.clone(), unit.is_large);
            let first = self.sorting.cells.len() as u32;
            let number = k as u32;
            if is_large {
                let batch = self.plan.islands[unit.islands.start as usize].batch;
                let (own, contacts) = (batches.bodies(&batch), batches.edges(&batch).len());
                let domains = self.domains.divide(bodies, own, contacts);
                let starts = self.list_domains(members.start);
                let of = |domain: usize| starts[domain]..starts[domain + 1];
                let cells = &mut self.sorting.cells;
                let cell =
                    |set: usize, is_ground, members| Cell::new(number, Some(set as u32), is_ground, members);
                cells.extend((0..domains).map(|domain| cell(domain, false, of(domain))));
                cells.push(cell(domains, false, members));
                cells.extend((0..domains).map(|domain| cell(domains + 1 + domain, true, of(domain))));
                debug_assert_eq!(cells.len() as u32 - first, sets_of(domains as u32));
                self.sorting.of_large.extend(first..cells.len() as u32);
                self.units[k].domains = domains as u32;
            } else {
                self.sorting.cells.push(Cell::new(number, None, false, members));
            }
            for cell in &self.sorting.cells[first as usize..] {
                self.sorting.first_mark.push(marks);
                marks += cell.mark_count();
            }
            self.units[k].cells = first..self.sorting.cells.len() as u32;
        }
        self.sorting.first_mark.push(marks);
        self.plan.cut_parts(&self.units, &self.sorting.first_mark);
    }

    /// Lists the bodies of the large island that was cut last, domain after domain, from member `first` on; returns where the domains begin, and the end.
    fn list_domains(&mut self, first: u32) -> [u32; MOST_DOMAINS + 1] {
        let Self { nodes, members, domains, .. } = self;
        let mut starts = [0; MOST_DOMAINS + 1];
        for &body in domains.pushed() {
            starts[usize::from(domains.of(body)) + 1] += 1;
        }
        starts[0] = first;
        for domain in 0..MOST_DOMAINS {
            starts[domain + 1] += starts[domain];
        }
        let mut next = starts;
        for &body in domains.pushed() {
            let domain = domains.of(body);
            let member = &mut next[usize::from(domain)];
            nodes[BodyIndex(body)] = Node { member: *member, domain };
            members[*member as usize] = body;
            *member += 1;
        }
        starts
    }
}

/// Lists the bodies of an island that contacts change, from member `first` on.
pub(super) fn list_bodies(
    bodies: &Bodies,
    own: &[BodyIndex],
    first: u32,
    members: &mut [u32],
    nodes: &Shared<'_, Node>,
) {
    let pushed = own.iter().filter(|&&body| is_pushed(bodies, body));
    for ((member, place), &body) in (first..).zip(members).zip(pushed) {
        *place = body.0;
        // SAFETY: every body has an entry; it is in one island, and no other thread looks at the bodies of this one that contacts change.
        *unsafe { nodes.get_mut(body.0) } = Node { member, domain: 0 };
    }
}
