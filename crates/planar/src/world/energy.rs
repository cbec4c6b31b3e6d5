//! Contacts give no energy (S2-31).
//!
//! Impulses that neither pull nor leave their cones, found exactly, leave an island with no more kinetic energy than it has
//! without them. A few sweeps from remembered impulses are not exact where several bodies meet at once, and bounces that
//! happen together may give energy though each obeys Newton's law. So each island is looked at after its step, and where
//! contacts gave energy, all its impulses are scaled back to where they give none. Arms do not change within a step, so
//! velocities are linear in impulses, and momentum stays what it is.
//!
//! The engine in three dimensions does the same in each sub-step (`crates/resolution/src/sub_step/energy.rs`), and scales back to
//! where energy is least; a step of the plane has one scale, and what bounced is not to stop.

use super::PlanarWorld;
use drystone_math::Real;

/// Share of its energy that an island may gain: what sums of velocities in `f32` are unsure of.
const TOLERANCE: f64 = 1e-6;

/// Energy of an island along the way from no impulses to all of them: `free + linear s + square s²`, J.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    free: f64,
    linear: f64,
    square: f64,
}

/// Memory of the sums.
#[derive(Clone, Debug, Default)]
pub(super) struct Energies {
    /// Of the first body of an island.
    ways: Vec<Way>,
    /// First bodies of the islands that gained, and by what their impulses are to be scaled.
    limited: Vec<(u32, Real)>,
}

impl Way {
    /// Where on the way energy is what it is without impulses, when all of them give some.
    fn neutral(&self) -> Option<Real> {
        let is_given = self.linear + self.square > TOLERANCE * self.free && self.square > 0.0;
        is_given.then(|| (-self.linear / self.square).clamp(0.0, 1.0) as Real)
    }
}

impl PlanarWorld {
    /// Scales back the impulses of the islands that gained energy by them. Driven islands are left alone: what moves by script
    /// gives what it likes.
    pub(super) fn limit_energy(&mut self) {
        let Self { bodies, contacts, solver, islands, energies, .. } = self;
        energies.ways.clear();
        energies.ways.resize(bodies.rows.len(), Way::default());
        energies.limited.clear();
        for (body, unpushed) in solver.members().filter(|&(body, _)| bodies.is_dynamic(body)) {
            let way = &mut energies.ways[islands.first(body) as usize];
            let (row, mass) = (&bodies.rows[body as usize], &bodies.facts[body as usize].mass);
            for (k, weight) in [mass.mass, mass.mass, mass.inertia].into_iter().enumerate() {
                let (half, free) = (0.5 * f64::from(weight), f64::from(unpushed[k]));
                let given = f64::from(row[k]) - free;
                way.free += half * free * free;
                way.linear += half * 2.0 * free * given;
                way.square += half * given * given;
            }
        }
        for (body, _) in solver.members() {
            if islands.first(body) == body
                && !islands.is_driven(body)
                && let Some(scale) = energies.ways[body as usize].neutral()
            {
                energies.limited.push((body, scale));
            }
        }
        self.report.limited_islands = energies.limited.len() as u32;
        if energies.limited.is_empty() {
            return;
        }
        let mut scale_of = |body: u32| {
            let first = islands.first(body);
            let found = energies.limited.binary_search_by_key(&first, |&(own, _)| own).ok()?;
            Some(energies.limited[found].1)
        };
        // Kinematic bodies have no island.
        for (body, unpushed) in solver.members() {
            if let Some(scale) = scale_of(body) {
                let row = &mut bodies.rows[body as usize];
                for (speed, free) in row[..3].iter_mut().zip(unpushed) {
                    *speed = free + scale * (*speed - free);
                }
            }
        }
        for colour in &contacts.colours {
            for &index in colour.flat.iter().chain(&colour.round) {
                let contact = &mut contacts.list[index as usize];
                let movable = contact.bodies.into_iter().find(|&body| bodies.is_dynamic(body));
                if let Some(scale) = movable.and_then(&mut scale_of) {
                    contact.normal_impulse = contact.normal_impulse.map(|impulse| scale * impulse);
                    contact.friction_impulse *= scale;
                    contact.rolling_impulse *= scale;
                    contact.total = contact.total.map(|impulse| scale * impulse);
                }
            }
        }
    }
}
