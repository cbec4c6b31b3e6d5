//! The exact-cone program of an island, and what its contacts do to its bodies.

use super::block::{self, Block6, Vector6};
use super::cone::Point;

/// Stands for "cannot move" where a body is asked for.
pub const IMMOVABLE: u32 = u32::MAX;

/// A contact of a [`IslandProgram`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgramContact {
    /// The bodies by index, or [`IMMOVABLE`]; not twice the same.
    pub bodies: [u32; 2],
    /// `J`: contact velocity (normal first, m/s) per velocity of each body (linear, angular); unused for what cannot move.
    pub jacobian: [[[f64; 6]; 3]; 2],
    /// Velocity without any impulse, m/s, normal first.
    pub free: [f64; 3],
    /// Coefficient of friction, at least 0.
    pub friction: f64,
}

/// The exact-cone program of one island of bodies in contact.
#[derive(Clone, Debug, Default)]
pub struct IslandProgram {
    /// `M`: mass and inertia of each body (kg, kg m²), symmetric and positive definite.
    pub masses: Vec<[[f64; 6]; 6]>,
    /// The contacts.
    pub contacts: Vec<ProgramContact>,
}

impl IslandProgram {
    /// Forgets bodies and contacts and keeps the memory.
    pub fn clear(&mut self) {
        self.masses.clear();
        self.contacts.clear();
    }

    /// True when all its numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let masses = self.masses.iter().flatten().flatten();
        let contact = |c: &ProgramContact| {
            let jacobian = c.jacobian.iter().flatten().flatten();
            jacobian.chain(&c.free).chain([&c.friction]).all(|x| x.is_finite())
        };
        masses.copied().all(f64::is_finite) && self.contacts.iter().all(contact)
    }

    /// `M⁻¹ Jᵀ r`: what impulses (N·s) change in the velocities.
    pub fn changes(&self, impulses: &[[f64; 3]], changes: &mut [[f64; 6]]) {
        changes.iter_mut().for_each(|change| *change = [0.0; 6]);
        for (impulse, contact) in impulses.iter().zip(&self.contacts) {
            contact.push(&Point::from(*impulse), changes);
        }
        for (change, mass) in changes.iter_mut().zip(&self.masses) {
            let mut l: Block6 = *mass;
            if block::factor(&mut l) {
                block::solve_lower(&l, change);
                block::solve_upper(&l, change);
            } else {
                debug_assert!(false, "a mass matrix is positive definite");
                *change = [0.0; 6];
            }
        }
    }

    /// `d·M d/2`, J.
    pub fn square(&self, changes: &[[f64; 6]]) -> f64 {
        let of = |(change, mass): (&Vector6, &Block6)| {
            let row = |row: &Vector6| row.iter().zip(change).map(|(m, d)| m * d).sum::<f64>();
            0.5 * mass.iter().zip(change).map(|(m, d)| row(m) * d).sum::<f64>()
        };
        changes.iter().zip(&self.masses).map(of).sum()
    }

    /// `d·M d/2 + q·r`, J: the program's objective, and the change of the kinetic energy where no contact has a gap.
    pub fn energy(&self, changes: &[[f64; 6]], impulses: &[[f64; 3]]) -> f64 {
        let work = |(contact, r): (&ProgramContact, &[f64; 3])| -> f64 {
            contact.free.iter().zip(r).map(|(q, r)| q * r).sum()
        };
        self.square(changes) + self.contacts.iter().zip(impulses).map(work).sum::<f64>()
    }
}

impl ProgramContact {
    /// `S q`: what must be in the cone where nothing moves.
    pub(super) fn opening(&self) -> Point {
        self.stretched(&Point::from(self.free))
    }

    /// `S x`.
    #[inline]
    pub(super) fn stretched(&self, x: &Point) -> Point {
        Point::new(x.x, self.friction * x.y, self.friction * x.z)
    }

    #[inline]
    pub(super) fn stretch(&self, axis: usize) -> f64 {
        if axis == 0 { 1.0 } else { self.friction }
    }

    /// `J d`.
    #[inline]
    pub(super) fn velocity(&self, changes: &[Vector6]) -> Point {
        let mut u = Point::zeros();
        for (&body, jacobian) in
            self.bodies.iter().zip(&self.jacobian).filter(|(body, _)| **body != IMMOVABLE)
        {
            let change = &changes[body as usize];
            for (u, row) in u.iter_mut().zip(jacobian) {
                *u += row.iter().zip(change).map(|(j, d)| j * d).sum::<f64>();
            }
        }
        u
    }

    /// Adds `Jᵀ r` to the bodies.
    #[inline]
    fn push(&self, r: &Point, bodies: &mut [Vector6]) {
        for (&body, jacobian) in
            self.bodies.iter().zip(&self.jacobian).filter(|(body, _)| **body != IMMOVABLE)
        {
            push(jacobian, r, &mut bodies[body as usize]);
        }
    }
}

/// Adds `Jᵀ r` of one side of a contact to its body.
#[inline]
pub(super) fn push(jacobian: &[Vector6; 3], r: &Point, target: &mut Vector6) {
    for (row, r) in jacobian.iter().zip(r.iter()) {
        target.iter_mut().zip(row).for_each(|(x, j)| *x += j * r);
    }
}
