//! Contacts with friction pyramids as one linear complementarity problem.
//!
//! Source: Stewart, Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and Coulomb
//! friction" (1996); the method of S3's simulator. Per contact, with directions `D = (d_1 … d_m)` in the tangent plane:
//! ```text
//! 0 ≤ r_N   ⊥   u_N ≥ 0                      no penetration
//! 0 ≤ β     ⊥   Dᵀ u_T + λ 1 ≥ 0             friction r_T = D β of the greatest power
//! 0 ≤ λ     ⊥   mu r_N − Σ β ≥ 0             λ: slip speed as the pyramid sees it
//! ```
//! and `u = W r + q`. `M` is copositive for positive semidefinite `W`, so Lemke's algorithm ends with an answer where there is one. A contact
//! takes `2 + m` unknowns with friction and one without.

use super::dense::DenseLcp;
use super::polygon::Polygon;
use crate::problem::{Local, Problem};
use nalgebra::Vector2;

/// Where the unknowns of contacts are.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// First unknown of each contact (its normal impulse), and the end of the last one.
    starts: Vec<usize>,
}

impl Layout {
    /// With this many directions per contact; none where friction is zero or left out.
    pub(super) fn set(&mut self, problem: &Problem, facets: usize, is_frictionless: bool) {
        self.starts.clear();
        let mut next = 0;
        for &mu in problem.friction() {
            self.starts.push(next);
            next += if mu > 0.0 && !is_frictionless { 2 + facets } else { 1 };
        }
        self.starts.push(next);
    }

    /// Number of unknowns that it takes, in all.
    pub(super) fn size(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn start(&self, contact: usize) -> usize {
        self.starts[contact]
    }

    fn has_friction(&self, contact: usize) -> bool {
        self.starts[contact + 1] - self.starts[contact] > 1
    }

    /// Writes the problem.
    pub(super) fn assemble(&self, problem: &Problem, polygons: &[Polygon], lcp: &mut DenseLcp) {
        lcp.reset(self.size());
        for (k, &mu) in problem.friction().iter().enumerate() {
            let q = problem.free_velocity(k);
            let at = self.start(k);
            lcp.constant_mut()[at] = q.x;
            let (columns, blocks) = problem.coupling().row(k);
            for (&l, w) in columns.iter().zip(blocks) {
                let (l, w) = (l as usize, w);
                self.add_row(lcp.row_mut(at), l, polygons, [w[(0, 0)], w[(0, 1)], w[(0, 2)]]);
                if !self.has_friction(k) {
                    continue;
                }
                for (i, d) in polygons[k].corners().iter().enumerate() {
                    let along = |column: usize| d.x * w[(1, column)] + d.y * w[(2, column)];
                    self.add_row(lcp.row_mut(at + 1 + i), l, polygons, [along(0), along(1), along(2)]);
                }
            }
            if self.has_friction(k) {
                let count = polygons[k].corners().len();
                let lambda = at + 1 + count;
                for (i, d) in polygons[k].corners().iter().enumerate() {
                    lcp.constant_mut()[at + 1 + i] = d.x * q.y + d.y * q.z;
                    lcp.row_mut(at + 1 + i)[lambda] = 1.0;
                    lcp.row_mut(lambda)[at + 1 + i] = -1.0;
                }
                lcp.row_mut(lambda)[at] = mu;
            }
        }
    }

    /// Adds how the impulses of contact `l` change a velocity, given how its normal and tangents do.
    fn add_row(&self, row: &mut [f64], l: usize, polygons: &[Polygon], by: [f64; 3]) {
        let at = self.start(l);
        row[at] += by[0];
        if self.has_friction(l) {
            for (x, d) in row[at + 1..].iter_mut().zip(polygons[l].corners()) {
                *x += by[1] * d.x + by[2] * d.y;
            }
        }
    }

    /// Impulses of an answer.
    pub(super) fn decode(&self, polygons: &[Polygon], z: &[f64], impulses: &mut [f64]) {
        for (k, r) in impulses.chunks_exact_mut(3).enumerate() {
            let at = self.start(k);
            let mut friction = Vector2::zeros();
            if self.has_friction(k) {
                for (beta, d) in z[at + 1..].iter().zip(polygons[k].corners()) {
                    friction += d * *beta;
                }
            }
            r.copy_from_slice(&[z[at], friction.x, friction.y]);
        }
    }

    /// Unknowns that are basic where contacts push, stick or slide as these impulses say, and their values: where an answer
    /// may be near. Friction is split between the two corners of its sector; what is on the boundary of the pyramid slides.
    pub(super) fn guess(
        &self,
        problem: &Problem,
        polygons: &[Polygon],
        impulses: &[f64],
        is_basic: &mut Vec<bool>,
        z: &mut Vec<f64>,
    ) {
        is_basic.clear();
        is_basic.resize(self.size(), false);
        z.clear();
        z.resize(self.size(), 0.0);
        for (k, &mu) in problem.friction().iter().enumerate() {
            let (at, r) = (self.start(k), Local::from_column_slice(&impulses[3 * k..][..3]));
            if r.x > 0.0 {
                (is_basic[at], z[at]) = (true, r.x);
            }
            if !self.has_friction(k) {
                continue;
            }
            let u = problem.velocity(k, impulses);
            let lambda = at + 1 + polygons[k].corners().len();
            z[lambda] = polygons[k].support(&Vector2::new(-u.y, -u.z)).1.max(0.0);
            // Open contacts slip as they like: their λ depends on nothing and keeps this value.
            is_basic[lambda] = r.x <= 0.0;
            if r.x <= 0.0 {
                continue;
            }
            let (i, beta_i, j, beta_j) = polygons[k].split(&Vector2::new(r.y, r.z));
            let least = NEGLIGIBLE * mu * r.x;
            for (corner, beta) in [(i, beta_i), (j, beta_j)] {
                if beta > least {
                    (is_basic[at + 1 + corner], z[at + 1 + corner]) = (true, beta);
                }
            }
            is_basic[lambda] = beta_i + beta_j >= (1.0 - NEGLIGIBLE) * mu * r.x;
        }
    }

    /// The guess that a contact slides with friction along the first corner of its pyramid.
    pub(super) fn guess_sliding(
        &self,
        contact: usize,
        normal: f64,
        mu: f64,
        is_basic: &mut [bool],
        z: &mut [f64],
    ) {
        let own = self.start(contact)..self.starts[contact + 1];
        let (is_basic, z) = (&mut is_basic[own.clone()], &mut z[own]);
        is_basic.fill(false);
        z.fill(0.0);
        let lambda = is_basic.len() - 1;
        (is_basic[0], is_basic[1], is_basic[lambda]) = (true, true, true);
        (z[0], z[1]) = (normal, mu * normal);
    }
}

/// Share of the friction limit that counts as nothing.
const NEGLIGIBLE: f64 = 1e-6;

/// How far impulses are from the law of the pyramid, relative to `‖q‖`: per contact the natural maps of both halves,
/// ```text
/// r_N − max(0, r_N − u_N)        r_T − P( r_T − u_T )
/// ```
/// with `P` the projection on the polygon of size `mu r_N`. 0 exactly where the law holds. `polygon` gives each contact's.
pub(super) fn law_residual<'a>(
    problem: &Problem,
    impulses: &[f64],
    mut polygon: impl FnMut(usize) -> Option<&'a Polygon>,
) -> f64 {
    let mut sum = 0.0;
    for (k, &mu) in problem.friction().iter().enumerate() {
        let r = Local::from_column_slice(&impulses[3 * k..][..3]);
        let u = problem.velocity(k, impulses);
        let normal = r.x - (r.x - u.x).max(0.0);
        let (friction, slip) = (Vector2::new(r.y, r.z), Vector2::new(u.y, u.z));
        let tangential = match polygon(k) {
            Some(polygon) if mu > 0.0 => friction - polygon.project(&(friction - slip), mu * r.x.max(0.0)),
            _ => friction,
        };
        sum += normal * normal + tangential.norm_squared();
    }
    let scale = norm(problem.free_velocities());
    if scale > 0.0 { sum.sqrt() / scale } else { sum.sqrt() }
}

pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
