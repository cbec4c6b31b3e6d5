//! A joint solve of the few contacts where sequential bouncing would add energy (S2-31, S2-32). Beyond S1.
//!
//! Newton's restitution with Coulomb's friction can add energy where the collision matrix couples both, however single the contact.
//! Where an impulse would (`Row::resolve` finds out before it is applied), the contact is resolved with all contacts of its two
//! bodies that close: their impulses `r` minimise the kinetic energy within the cones of kinetic friction, as S2's programs do,
//! ```text
//! r* = argmin ½ rᵀ W r + rᵀ (u₀ + w)      r in K        w_N = allowed approach, at least 0
//! ```
//! and are then multiplied by `1 + e`, with the mean restitution `e` of the contacts that bounce, weighted by their impulses.
//! At the minimum `r*ᵀ (u₀ + w) = −r*ᵀ W r*`, so with `s = 1 + e`, at most 2, the energy changes by
//! ```text
//! s r*ᵀ u₀ + ½ s² r*ᵀ W r* = s (s/2 − 1) r*ᵀ W r* − s r*ᵀ w ≤ 0
//! ```
//! Sweeps end before the minimum; what they have is measured, and `s` is cut to where nothing is gained.
//!
//! All other contacts are bounced one after the other, to the bit as without the rule. The friction of the minimum is associated: what
//! slides leaves with `mu` times its slip (S2-30), which is why only these contacts get it.

use super::ContactOrder;
use super::batch::BatchSolver;
use super::row::Masses;
use super::speeds::StepSpeeds;
use drystone_math::{Real, Vector3};
use std::ops::Range;

/// Most contacts that are solved together; further ones wait for their turn.
pub(super) const MOST: usize = 32;
/// Sweeps; each lowers the energy.
const SWEEPS: usize = 40;
/// Share of the resolution threshold below which a sweep changes nothing that matters.
const STILL: Real = 0.1;

/// A contact of a joint solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointContact {
    row: u32,
    /// Bound of the largest eigenvalue of its collision matrix, 1/kg.
    stiffness: Real,
    /// Velocity of B relative to A before, m/s.
    before: Vector3,
    /// Of both sides of the minimum's impulse, N·s.
    impulse: Vector3,
    /// Restitution; 0 where it closes too slowly to bounce.
    restitution: Real,
}

/// A body of a joint solve, with its velocities before.
pub(super) type JointBody = (u32, [Vector3; 2]);

impl<O: ContactOrder> BatchSolver<O> {
    /// Resolves a contact jointly with those of its bodies that close; returns how many. O(sweeps · contacts), no allocation.
    pub(super) fn resolve_jointly(
        &mut self,
        i: usize,
        frozen_below: u32,
        speeds: &StepSpeeds,
        members: &Range<usize>,
    ) -> u32 {
        self.gather_joint(i, frozen_below, speeds, members);
        let mut joint = std::mem::take(&mut self.joint);
        for _ in 0..SWEEPS {
            let largest = joint.iter_mut().map(|c| self.descend(c)).fold(0.0, Real::max);
            if largest <= STILL * speeds.threshold {
                break;
            }
        }
        let [mut linear, mut square, mut normal, mut bounce] = [0.0_f32; 4];
        for c in &joint {
            let row = &self.rows[c.row as usize];
            let [a, b] = row.bodies.map(|k| &self.bodies[k as usize]);
            linear += c.impulse.dot(&c.before);
            square += c.impulse.dot(&(row.relative_velocity(a, b) - c.before));
            normal += row.normal.dot(&c.impulse);
            bounce += row.normal.dot(&c.impulse) * c.restitution;
        }
        // Restitution of all, cut to where the energy is that of the begin.
        let wanted = if normal > 0.0 { 1.0 + bounce / normal } else { 1.0 };
        let most = if square > 0.0 { -2.0 * linear / square } else { 1.0 };
        let scale = wanted.min(most).max(0.0);
        for c in &joint {
            let more = c.impulse * (scale - 1.0);
            self.push_row(c.row as usize, &more);
            let row = &mut self.rows[c.row as usize];
            row.impulse += c.impulse * scale;
            row.resting_velocity = row.repeated_velocity;
        }
        let count = joint.len() as u32;
        self.joint = joint;
        self.follow_joint(members);
        count
    }

    /// Lists the contact and those of its bodies that close, and the bodies of all of them.
    fn gather_joint(&mut self, i: usize, frozen_below: u32, speeds: &StepSpeeds, members: &Range<usize>) {
        self.joint.clear();
        self.joint_bodies.clear();
        self.add_joint(i, frozen_below, speeds);
        for body in self.rows[i].bodies.into_iter().filter(|&body| body != 0) {
            let blocks =
                self.touch_offsets[body as usize] as usize..self.touch_offsets[body as usize + 1] as usize;
            for block in blocks {
                for k in 0..self.touches[block].rows().len() {
                    let row = self.touches[block].rows()[k] as usize;
                    let closes = members.contains(&row) && self.excess[row] > speeds.threshold;
                    let is_new = || self.joint.iter().all(|c| c.row as usize != row);
                    if closes && self.joint.len() < MOST && is_new() {
                        self.add_joint(row, frozen_below, speeds);
                    }
                }
            }
        }
    }

    fn add_joint(&mut self, i: usize, frozen_below: u32, speeds: &StepSpeeds) {
        let row = &mut self.rows[i];
        let [a, b] = row.bodies.map(|k| &self.bodies[k as usize]);
        let masses = Masses::new(a.moves(frozen_below), b.moves(frozen_below));
        if masses == Masses::new(false, false) {
            return;
        }
        let k = row.prepare(a, b, masses);
        let before = row.relative_velocity(a, b);
        let bounces = -row.normal.dot(&before) > speeds.resolve.restitution_speed;
        let restitution = if bounces { row.material.restitution } else { 0.0 };
        let stiffness = k.xx + k.yy + k.zz;
        let ends = row.bodies;
        self.joint.push(JointContact {
            row: i as u32,
            stiffness,
            before,
            impulse: Vector3::zeros(),
            restitution,
        });
        for body in ends.into_iter().filter(|&body| body != 0) {
            if self.joint_bodies.iter().all(|(known, _)| *known != body) {
                let local = &self.bodies[body as usize];
                self.joint_bodies.push((body, [local.linear, local.angular]));
            }
        }
    }

    /// A projected step of one contact down the energy; how far its velocity changed, m/s.
    fn descend(&mut self, c: &mut JointContact) -> Real {
        if c.stiffness <= 0.0 {
            return 0.0;
        }
        let row = &self.rows[c.row as usize];
        let [a, b] = row.bodies.map(|k| &self.bodies[k as usize]);
        let velocity = row.relative_velocity(a, b) + row.normal * row.allowed_approach.max(0.0);
        let wanted = c.impulse - velocity / c.stiffness;
        let impulse = project(&wanted, &row.normal, row.material.kinetic_friction);
        let change = impulse - c.impulse;
        c.impulse = impulse;
        self.push_row(c.row as usize, &change);
        change.norm() * c.stiffness
    }

    /// Changes the velocities of a row's bodies by an impulse on B.
    fn push_row(&mut self, i: usize, impulse: &Vector3) {
        let row = &self.rows[i];
        if let Ok([a, b]) = self.bodies.get_disjoint_mut(row.bodies.map(|k| k as usize)) {
            row.push(a, b, impulse);
        }
    }

    /// Closing speeds follow the bodies; they are awake from now on (S1-39).
    fn follow_joint(&mut self, members: &Range<usize>) {
        for k in 0..self.joint_bodies.len() {
            let (body, [linear, angular]) = self.joint_bodies[k];
            let local = &mut self.bodies[body as usize];
            local.is_awake |= local.inverse_mass > 0.0;
            let (linear, angular) = (local.linear - linear, local.angular - angular);
            self.update_excess(body as usize, &linear, &angular, members);
        }
    }
}

/// The impulse of the cone that is nearest.
fn project(impulse: &Vector3, normal: &Vector3, friction: Real) -> Vector3 {
    let along = normal.dot(impulse);
    let across = impulse - normal * along;
    let length = across.norm();
    if length <= friction * along {
        return *impulse;
    }
    if friction * length <= -along {
        return Vector3::zeros();
    }
    let share = (along + friction * length) / (1.0 + friction * friction);
    let direction = if length > 0.0 { across / length } else { Vector3::zeros() };
    (normal + direction * friction) * share
}
