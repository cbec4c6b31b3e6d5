//! What articulations take out of a world while a step is solved, and give back.

use super::contact::{LinkContact, ROWS, Side};
use super::{ArticulatedUnit, Member, Rates, Room};
use crate::articulated::{Articulations, Reduced};
use crate::sub_step::layout::Layout;
use crate::ties::{Damped, RIPPLE};
use crate::{SolverReport, sweep::is_pushed};
use drystone_contact::{
    Batches, Bodies, BodyIndex, ContactGraph, EdgeIndex, Manifold, StepParams, WakeCause,
};
use drystone_math::{Real, Symmetric3, Vector3};
use nalgebra::Matrix3;

/// Articulations of a step, unit by unit.
#[derive(Debug, Default)]
pub(in crate::sub_step) struct Lent {
    /// An entry for each unit; all empty in a world without articulations.
    pub(in crate::sub_step) articulated_units: Vec<Option<Box<ArticulatedUnit>>>,
    /// Contacts that were taken out of the graph.
    taken: Vec<(EdgeIndex, Manifold)>,
    /// Edges of a link.
    touching: Vec<EdgeIndex>,
    /// Islands of earlier steps, and room for articulations by slot: memory.
    #[expect(
        clippy::vec_box,
        reason = "a unit holds its articulated_unit by its box, which comes from here and goes back"
    )]
    spare: Vec<Box<ArticulatedUnit>>,
    rooms: Vec<Room>,
    /// Articulations that take part, by slot, and the kinetic energy of their links before the sub-steps, J.
    slots: Vec<u32>,
    energy: f64,
    /// The unit of each, and its place there.
    places: Vec<(u32, usize)>,
}

impl Lent {
    /// Takes the awake articulations out, before bodies and contacts are laid out: their links lose their inverse masses, and their contacts their points.
    pub(in crate::sub_step) fn take_out(
        &mut self,
        articulations: &mut Articulations,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        step: &StepParams,
    ) {
        self.taken.clear();
        self.slots.clear();
        self.energy = 0.0;
        if articulations.count() == 0 {
            return;
        }
        for (slot, reduced) in (0..).zip(&mut articulations.list) {
            let Some(reduced) = reduced.as_mut().filter(|own| own.bodies().any(|body| bodies.is_awake(body)))
            else {
                continue;
            };
            reduced.begin_step(bodies, graph, step);
            self.slots.push(slot);
            for body in reduced.bodies() {
                if bodies.is_asleep(body) {
                    bodies.wake(body, WakeCause::Impact);
                }
                self.touching.clear();
                self.touching.extend(graph.edges_of(body));
                for &edge in &self.touching {
                    let own = graph.edge(edge);
                    if !own.is_tie() && !own.manifold.points().is_empty() {
                        self.taken.push((edge, own.manifold));
                        graph.edges_mut()[edge.get()].manifold.clear();
                    }
                }
                self.energy += bodies.kinetic_energy(body);
                bodies.view_mut().hot[body.get()].inverse_mass = 0.0;
            }
        }
        self.taken.sort_unstable_by_key(|(edge, _)| *edge);
    }

    /// Makes the articulated units of the units, after these are known.
    pub(in crate::sub_step) fn make_islands(
        &mut self,
        articulations: &mut Articulations,
        layout: &mut Layout,
        (bodies, graph, batches): (&Bodies, &ContactGraph, &Batches),
        rates: Rates,
    ) {
        let units = layout.units.len();
        self.articulated_units.truncate(units);
        self.articulated_units.resize_with(units, || None);
        if self.slots.is_empty() {
            return;
        }
        self.places.clear();
        self.places.resize(articulations.list.len(), (u32::MAX, 0));
        self.rooms.resize_with(articulations.list.len(), Room::default);
        let Self { articulated_units, places, spare, rooms, .. } = self;
        layout.visit_tied_bodies(batches, |unit, body| {
            let Some(slot) = articulations.slot_of(body) else { return false };
            let Some(reduced) = articulations.list[slot as usize].take() else { return true };
            let articulated_unit =
                articulated_units[unit as usize].get_or_insert_with(|| spare.pop().unwrap_or_default());
            articulated_unit.rates = rates;
            places[slot as usize] = (unit, articulated_unit.members.len());
            articulated_unit.members.push(Member::new(
                slot,
                reduced,
                std::mem::take(&mut rooms[slot as usize]),
            ));
            true
        });
        debug_assert!(
            self.slots.iter().all(|&slot| self.places[slot as usize].0 != u32::MAX),
            "what is awake and has joints is in a batch"
        );
        self.distribute(articulations, bodies, graph, rates);
    }

    /// Gives articulated units their contacts.
    fn distribute(
        &mut self,
        articulations: &Articulations,
        bodies: &Bodies,
        graph: &ContactGraph,
        rates: Rates,
    ) {
        debug_assert!(graph.tie_count() > 0, "articulations have joints");
        for (edge, manifold) in &self.taken {
            let ends = [manifold.body_a, manifold.body_b];
            let places = ends.map(|body| {
                let slot = articulations.slot_of(body)?;
                Some(self.places[slot as usize]).filter(|&(unit, _)| unit != u32::MAX)
            });
            let Some((unit, _)) = places[0].or(places[1]) else { continue };
            let Some(articulated_unit) = self.articulated_units[unit as usize].as_deref_mut() else {
                continue;
            };
            let ArticulatedUnit { members, contacts, .. } = articulated_unit;
            let sides = [0, 1].map(|side: usize| match places[side] {
                Some((_, member)) => link_side(&members[member], member, ends[side]),
                None => body_side(bodies, ends[side]),
            });
            let own = touches_itself(members, &sides, manifold);
            contacts.push(LinkContact::new(*edge, *manifold, sides, own, &rates));
        }
        for articulated_unit in self.articulated_units.iter_mut().flatten() {
            articulated_unit.make_rows();
        }
    }

    /// Gives everything back after the sub-steps: articulations, the poses and velocities of their links, and contacts; returns how many articulations there were, and
    /// what their contacts with themselves would have given.
    pub(in crate::sub_step) fn give_back(
        &mut self,
        articulations: &mut Articulations,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        report: &mut SolverReport,
    ) -> (u32, Damped) {
        let (mut count, mut damped) = (0, Damped::default());
        for mut articulated_unit in self.articulated_units.iter_mut().filter_map(Option::take) {
            let ArticulatedUnit { members, contacts, rates, worst, unsolved, .. } = &mut *articulated_unit;
            report.unsolved_points += *unsolved;
            for contact in contacts.drain(..) {
                report.points += contact.count as u32;
                contact.tell_links(members);
                let (edge, manifold) = contact.finish(rates);
                if *worst as Real > report.worst_residual {
                    report.worst_residual = *worst as Real;
                    report.worst_bodies = Some([manifold.body_a, manifold.body_b]);
                }
                graph.edges_mut()[edge.get()].manifold = manifold;
            }
            for Member { slot, mut reduced, room } in members.drain(..) {
                count += 1;
                reduced.write(bodies);
                let unsolved = rates.threshold * rates.threshold;
                let of =
                    |body| RIPPLE * bodies.kinetic_energy(body) + unsolved * f64::from(bodies.mass(body));
                let least: f64 = reduced.bodies().map(of).sum();
                if let Some(first) = reduced.bodies().next().filter(|_| room.taken > least) {
                    damped.take((first, reduced.links().len() as u32), room.taken);
                }
                reduced.write_reactions(graph, rates.h * rates.sub_steps);
                articulations.list[slot as usize] = Some(reduced);
                self.rooms[slot as usize] = room;
            }
            (*worst, *unsolved) = (0.0, 0);
            self.spare.push(articulated_unit);
        }
        // What no unit had stays as it was.
        for (edge, manifold) in self.taken.drain(..) {
            let own = &mut graph.edges_mut()[edge.get()].manifold;
            if own.points().is_empty() {
                *own = manifold;
            }
        }
        if !self.slots.is_empty() {
            articulations.give_back_masses(bodies);
        }
        report.energy_before += self.energy;
        report.energy_after += self.kinetic_energy(articulations, bodies);
        (count, damped)
    }

    /// Kinetic energy of the links that take part, J.
    fn kinetic_energy(&self, articulations: &Articulations, bodies: &Bodies) -> f64 {
        let own = |&slot: &u32| articulations.list[slot as usize].as_deref();
        let links = self.slots.iter().filter_map(own).flat_map(Reduced::bodies);
        links.map(|body| bodies.kinetic_energy(body)).sum()
    }
}

fn link_side(member: &Member, place: usize, body: BodyIndex) -> Side {
    let Some(own) = member.reduced.links().iter().find(|link| link.body == body) else { return Side::Still };
    let (link, center) = (own.link, own.center.translation.vector);
    let pose = &member.reduced.articulation().kinematics().links()[link.index()];
    let start = pose.origin + pose.rotation * center;
    Side::Link { member: place, link, first: None, center, start, axes: pose.rotation }
}

/// The member that touches itself, or what it stands on, in a contact. What runs as a belt is something else.
fn touches_itself(members: &[Member], sides: &[Side; 2], manifold: &Manifold) -> Option<usize> {
    let (member, other) = match *sides {
        [Side::Link { member, .. }, Side::Link { member: same, .. }] => {
            return (member == same).then_some(member);
        }
        [Side::Link { member, .. }, Side::Still] => (member, manifold.body_b),
        [Side::Still, Side::Link { member, .. }] => (member, manifold.body_a),
        _ => return None,
    };
    let is_base = members[member].reduced.bases().contains(&other);
    (is_base && manifold.surface_velocity == Vector3::zeros()).then_some(member)
}

fn body_side(bodies: &Bodies, body: BodyIndex) -> Side {
    let hot = bodies.hot(body);
    if is_pushed(bodies, body) {
        let &Symmetric3 { xx, yy, zz, xy, xz, yz } = bodies.inverse_inertia(body);
        let inverse = nalgebra::Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz).cast::<f64>();
        Side::Body { body: body.0, inverse_mass: f64::from(hot.inverse_mass), inverse_inertia: inverse }
    } else if hot.is_kinematic() {
        Side::Body { body: body.0, inverse_mass: 0.0, inverse_inertia: Matrix3::zeros() }
    } else {
        Side::Still
    }
}

impl ArticulatedUnit {
    /// Gives each contact the places of its rows.
    fn make_rows(&mut self) {
        let mut len = 0;
        for contact in &mut self.contacts {
            let of_a = match contact.sides[0] {
                Side::Link { member, .. } => Some(member),
                _ => None,
            };
            let of_b = match contact.sides[1] {
                Side::Link { member, .. } => Some(member),
                _ => None,
            };
            for (side, own) in [(0, of_a), (1, of_b)] {
                let Some(member) = own else { continue };
                let Side::Link { first, .. } = &mut contact.sides[side] else { continue };
                // Both sides of one member have the rows of side B.
                if side == 0 && of_a == of_b {
                    continue;
                }
                *first = Some(len);
                len += ROWS * self.members[member].room.velocities.len();
            }
        }
        self.rows.resize(len);
    }
}
