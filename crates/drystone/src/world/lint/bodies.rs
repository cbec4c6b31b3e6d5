//! What single bodies are likely to do badly.

use super::{LintFinding, LintKind};
use crate::World;
use drystone_contact::BodyIndex;
use std::collections::BTreeMap;

/// Angle in a step from which a turn is far, rad: contacts are linear in a step.
const FAR_TURN: f64 = 0.5;
/// Least moment about any axis across which a body extends, as a share of its mass times the square of its farthest point. That of a rod about its own axis is
/// left alone: the second largest one counts.
const LEAST_MOMENT: f64 = 1e-3;
/// How much the largest moment may be more than the sum of the others, by rounding.
const ROUNDING: f64 = 1e-2;

/// Islands that a collider belongs to, and those it meets.
type Islands = (u32, u32);

impl World {
    pub(super) fn lint_bodies(&self, dt: f64, findings: &mut Vec<LintFinding>) {
        let movers: Vec<BodyIndex> = self.bodies.indices().filter(|&body| self.is_linted(body)).collect();
        let thinnest = movers.iter().map(|&body| self.thickness(body)).fold(f64::INFINITY, f64::min);
        let islands = self.islands();
        for &body in &movers {
            let mut find = |concern, value: f64, bound: f64| {
                findings.push(LintFinding::new(concern, [self.bodies.handle(body), None], value, bound));
            };
            let thickness = self.thickness(body);
            let margin = self.margin_of(dt);
            if thickness < margin {
                find(LintKind::ThinPart, thickness, margin);
            }
            let hot = self.bodies.hot(body);
            let way = f64::from(hot.linear.norm()) * dt;
            // What it may pass through unseen: what is fixed, or else another body.
            let continuous = &self.config.continuous;
            let seen = match (continuous.fixed, continuous.moving) {
                (true, true) => f64::INFINITY,
                (true, false) if movers.len() > 1 => thickness + thinnest,
                (true, false) => f64::INFINITY,
                (false, _) => 0.5 * thickness,
            };
            if way > seen {
                find(LintKind::FastForStep, way, seen);
            }
            let angle = f64::from(hot.angular.norm()) * dt;
            if angle > FAR_TURN && !self.is_round(body) {
                find(LintKind::FastTurn, angle, FAR_TURN);
            }
            if let Some((value, bound)) = self.odd_moments(body) {
                find(LintKind::Moments, value, bound);
            }
            let count = self.colliders.solid(body).count();
            if count > 0
                && !self.logic.screen.has_rules()
                && !self.colliders.solid(body).any(|slot| self.meets_any(slot, &islands))
            {
                find(LintKind::MeetsNothing, count as f64, 1.0);
            }
        }
    }

    /// Dynamic, and there by itself: members of composites are looked at as the composite.
    pub(super) fn is_linted(&self, body: BodyIndex) -> bool {
        let hot = self.bodies.hot(body);
        hot.is_dynamic() && !hot.is_passive() && !hot.is_quarantined()
    }

    /// That of the thinnest part of a body, m; infinite without any.
    pub(super) fn thickness(&self, body: BodyIndex) -> f64 {
        let of = |slot: u32| 2.0 * f64::from(self.colliders.inner(slot));
        self.colliders.solid(body).map(of).filter(|&thickness| thickness > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// A single ball may spin as it likes.
    fn is_round(&self, body: BodyIndex) -> bool {
        let is_ball =
            |slot: u32| matches!(self.colliders.get(slot).shape, drystone_collision::Shape::Sphere { .. });
        self.colliders.solid(body).all(is_ball) && self.colliders.solid(body).count() < 2
    }

    /// The second largest moment of inertia as a share of `m r²`, where that is tiny; or the largest over the sum of the others, where that is more than
    /// any solid has. With the bound. Locked turns have no moments to judge.
    fn odd_moments(&self, body: BodyIndex) -> Option<(f64, f64)> {
        let hot = self.bodies.hot(body);
        let locks = hot.locks();
        if locks.rotation.contains(&true) || hot.inverse_mass <= 0.0 {
            return None;
        }
        let inverse = self.bodies.inverse_inertia(body).to_matrix().cast::<f64>();
        let mut moments: Vec<f64> =
            inverse.symmetric_eigenvalues().iter().map(|inverse| 1.0 / inverse.max(0.0)).collect();
        moments.sort_by(f64::total_cmp);
        let (extent, mass) = (f64::from(self.bodies.radius(body)), 1.0 / f64::from(hot.inverse_mass));
        let share = moments[1] / (mass * extent * extent);
        if share < LEAST_MOMENT {
            return Some((share, LEAST_MOMENT));
        }
        let excess = moments[2] / (moments[0] + moments[1]);
        (excess > 1.0 + ROUNDING && moments[2] < f64::INFINITY).then_some((excess, 1.0))
    }

    /// The islands of all solid colliders, each with a body that has them and whether others have too.
    fn islands(&self) -> BTreeMap<Islands, (BodyIndex, bool)> {
        let mut islands = BTreeMap::new();
        for slot in self.colliders.all().filter(|&slot| !self.colliders.is_trigger(slot)) {
            let body = self.colliders.get(slot).body;
            let (first, has_others) = islands.entry(self.colliders.filter(slot)).or_insert((body, false));
            *has_others |= *first != body;
        }
        islands
    }

    fn meets_any(&self, slot: u32, islands: &BTreeMap<Islands, (BodyIndex, bool)>) -> bool {
        let (body, (member_of, meets)) = (self.colliders.get(slot).body, self.colliders.filter(slot));
        islands.iter().any(|(&(other_member, other_meets), &(first, has_others))| {
            member_of & other_meets != 0 && other_member & meets != 0 && (has_others || first != body)
        })
    }
}
