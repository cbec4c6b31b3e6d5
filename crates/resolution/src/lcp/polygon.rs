//! The cross-section of a friction pyramid, and one contact under its law.
//!
//! The pyramid of Stewart and Trinkle is spanned by directions `d_i` on the unit circle: friction is `r_T = Σ β_i d_i` with
//! `β ≥ 0`, `Σ β_i ≤ mu r_N`, and takes the most power that allows. With eight even directions that is the
//! inscribed pyramid of S2-08 (its normals lie between ours): never outside of Coulomb's cone, at most 7.6 % inside.

use crate::problem::{Block, Local};
use nalgebra::Vector2;

/// Most directions of a pyramid.
pub const MAX_FACETS: usize = 16;

/// Corners of a convex polygon on the unit circle, counter-clockwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Polygon {
    count: usize,
    corners: [Vector2<f64>; MAX_FACETS],
}

impl Default for Polygon {
    fn default() -> Self {
        Self::even(8, Vector2::x())
    }
}

impl Polygon {
    /// Even directions (4 to [`MAX_FACETS`]), the first one as given (unit length).
    pub(super) fn even(count: usize, first: Vector2<f64>) -> Self {
        let count = count.clamp(4, MAX_FACETS);
        let mut corners = [first; MAX_FACETS];
        let turn = turn_of(count);
        for i in 1..count {
            corners[i] = rotate(corners[i - 1], turn);
        }
        Self { count, corners }
    }

    /// Turned to `first`, with a corner at `spread` (tangent of half the angle, at most 0.15) on either side of it and the others even.
    pub(super) fn fan(count: usize, first: Vector2<f64>, spread: f64) -> Self {
        let count = count.clamp(6, MAX_FACETS);
        let even = Self::even(count - 2, first);
        let mut corners = [first; MAX_FACETS];
        let (c, s) =
            ((1.0 - spread * spread) / (1.0 + spread * spread), 2.0 * spread / (1.0 + spread * spread));
        corners[1] = rotate(first, Vector2::new(c, s));
        corners[2..count - 1].copy_from_slice(&even.corners[1..count - 2]);
        corners[count - 1] = rotate(first, Vector2::new(c, -s));
        Self { count, corners }
    }

    #[inline]
    pub(super) fn corners(&self) -> &[Vector2<f64>] {
        &self.corners[..self.count]
    }

    #[inline]
    pub(super) fn next(&self, i: usize) -> usize {
        if i + 1 == self.count { 0 } else { i + 1 }
    }

    #[inline]
    fn previous(&self, i: usize) -> usize {
        if i == 0 { self.count - 1 } else { i - 1 }
    }

    /// `max_i d_i · x`, where it is reached, or 0 when all are negative (never, for directions all around).
    pub(super) fn support(&self, x: &Vector2<f64>) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, corner) in self.corners().iter().enumerate() {
            let value = corner.dot(x);
            if value > best.1 {
                best = (i, value);
            }
        }
        best
    }

    /// `x` as `β_i d_i + β_j d_j` of the two neighbours whose sector it is in, `j` after `i`.
    pub(super) fn split(&self, x: &Vector2<f64>) -> (usize, f64, usize, f64) {
        for i in 0..self.count {
            let j = self.next(i);
            let (a, b) = (self.corners[i], self.corners[j]);
            let det = cross(&a, &b);
            let (beta_i, beta_j) = (cross(x, &b) / det, cross(&a, x) / det);
            if beta_i >= 0.0 && beta_j >= 0.0 {
                return (i, beta_i, j, beta_j);
            }
        }
        (0, 0.0, 1, 0.0)
    }

    /// The point of the polygon of this size that is nearest to `x`.
    pub(super) fn project(&self, x: &Vector2<f64>, size: f64) -> Vector2<f64> {
        let (mut nearest, mut least) = (Vector2::zeros(), f64::INFINITY);
        let mut is_inside = size > 0.0;
        for i in 0..self.count {
            let (a, b) = (self.corners[i] * size, self.corners[self.next(i)] * size);
            let edge = b - a;
            is_inside &= cross(&edge, &(x - a)) >= 0.0;
            let length = edge.norm_squared();
            let share = if length > 0.0 { (edge.dot(&(x - a)) / length).clamp(0.0, 1.0) } else { 0.0 };
            let point = a + edge * share;
            let distance = (x - point).norm_squared();
            if distance < least {
                (nearest, least) = (point, distance);
            }
        }
        if is_inside { *x } else { nearest }
    }
}

/// Rotation by the angle between two of `count` even directions, as (cosine, sine). By their series, because the sine of the
/// platform may differ between machines in its last bit.
fn turn_of(count: usize) -> Vector2<f64> {
    let x = std::f64::consts::TAU / count as f64;
    let (mut c, mut s, mut term) = (1.0, 0.0, 1.0);
    // x ≤ π/2: 1e-17 is reached before the 20th power.
    for power in 1..24 {
        term *= x / f64::from(power);
        match power % 4 {
            1 => s += term,
            2 => c -= term,
            3 => s -= term,
            _ => c += term,
        }
    }
    Vector2::new(c, s)
}

fn rotate(x: Vector2<f64>, by: Vector2<f64>) -> Vector2<f64> {
    let turned = Vector2::new(x.x * by.x - x.y * by.y, x.x * by.y + x.y * by.x);
    turned / turned.norm()
}

#[inline]
fn cross(a: &Vector2<f64>, b: &Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

/// Sine of the angle from one direction to another; past a right angle, 1 with its sign.
pub(super) fn signed_angle(from: &Vector2<f64>, to: &Vector2<f64>) -> f64 {
    let sine = cross(from, to);
    if from.dot(to) > 0.0 { sine } else { 1.0_f64.copysign(sine) }
}

/// From one direction towards another.
pub(super) fn turned(from: &Vector2<f64>, to: &Vector2<f64>, share: f64) -> Vector2<f64> {
    let aim = from + (to - from) * share;
    // Opposite directions have nothing between them.
    if aim.norm() > 0.1 { aim / aim.norm() } else { *to }
}

/// The share of the angle between friction and what opposes slip by which friction is turned: where the secant through the last direction and
/// this one has them in line.
pub(super) fn secant(last: Option<(Vector2<f64>, f64)>, direction: &Vector2<f64>, angle: f64) -> f64 {
    let Some((last, last_angle)) = last else { return 1.0 };
    if angle.abs() >= 1.0 || last_angle.abs() >= 1.0 {
        return 1.0;
    }
    let share = signed_angle(&last, direction) / (last_angle - angle);
    if share > 0.0 { share.clamp(0.01, 2.0) } else { 1.0 }
}

/// What a contact does under the law of a pyramid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// No impulse.
    #[default]
    Open,
    /// No slip.
    Stick,
    /// Slides with friction along a corner.
    Corner(u8),
    /// Slides across the edge after a corner, friction somewhere on it.
    Edge(u8),
}

/// A contact's block of `W` and what it needs to be solved alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalContact {
    block: Block,
    inverse: Block,
    mu: f64,
}

/// Violations up to this share of the contact's scale are rounding.
const ROUNDING: f64 = 1e-13;

impl LocalContact {
    pub(super) fn new(block: &Block, mu: f64) -> Self {
        // Without an inverse it cannot stick.
        let inverse = block.try_inverse().unwrap_or_else(|| Block::repeat(f64::NAN));
        Self { block: *block, inverse, mu }
    }

    /// The impulse that obeys the law while all others stay, with `b` the velocity without this impulse: all ways the contact can be
    /// are tried in turn, last time's first. Where rounding leaves none, the one that misses least. Zero when no impulse helps.
    pub(super) fn solve(&self, polygon: &Polygon, b: &Local, mode: &mut Mode) -> Local {
        let normal = self.block[(0, 0)];
        if b.x >= 0.0 || !(normal > 0.0 && normal.is_finite()) {
            *mode = Mode::Open;
            return Local::zeros();
        }
        if self.mu == 0.0 {
            *mode = Mode::Corner(0);
            return Local::new(-b.x / normal, 0.0, 0.0);
        }
        let mut best = (f64::INFINITY, Local::new(-b.x / normal, 0.0, 0.0), Mode::Stick);
        let limit = ROUNDING * b.amax();
        let mut take = |this: Mode| {
            let (violation, r) = self.candidate(polygon, b, this);
            if violation < best.0 {
                best = (violation, r, this);
            }
            violation <= limit
        };
        let is_found = (*mode != Mode::Open && take(*mode)) || take(Mode::Stick) || {
            // Mostly the corner against the slip that is left without friction, or one next to it.
            let slip = b.fixed_rows::<2>(1) - self.block.fixed_view::<2, 1>(1, 0) * (b.x / normal);
            let first = polygon.support(&-slip).0;
            (0..polygon.count).any(|k| {
                let i = if k % 2 == 0 { first + k / 2 } else { first + polygon.count - k.div_ceil(2) }
                    % polygon.count;
                take(Mode::Corner(i as u8))
                    || take(Mode::Edge(i as u8))
                    || take(Mode::Edge(polygon.previous(i) as u8))
            })
        };
        let _ = is_found;
        *mode = best.2;
        best.1
    }

    /// The impulse for a mode, and by how much (m/s) it misses what the mode asks for.
    fn candidate(&self, polygon: &Polygon, b: &Local, mode: Mode) -> (f64, Local) {
        let w = &self.block;
        let w_nt = Vector2::new(w[(0, 1)], w[(0, 2)]);
        let normal = w[(0, 0)];
        let scale = normal;
        match mode {
            Mode::Open => ((-b.x).max(0.0), Local::zeros()),
            Mode::Stick => {
                let r = -(self.inverse * b);
                let tangential = Vector2::new(r.y, r.z);
                let excess = (tangential - polygon.project(&tangential, (self.mu * r.x).max(0.0))).norm();
                (scale * excess.max(-r.x), r)
            }
            Mode::Corner(i) => {
                let corner = polygon.corners[i as usize];
                let r_n = -b.x / (normal + self.mu * w_nt.dot(&corner));
                let friction = corner * (self.mu * r_n);
                let r = Local::new(r_n, friction.x, friction.y);
                let u = w * r + b;
                let power = |at: usize| -(u.y * polygon.corners[at].x + u.z * polygon.corners[at].y);
                let own = power(i as usize);
                let missed = (power(polygon.next(i as usize)) - own)
                    .max(power(polygon.previous(i as usize)) - own)
                    .max(-own);
                (missed.max(-scale * r_n), r)
            }
            Mode::Edge(i) => {
                let (from, to) = (polygon.corners[i as usize], polygon.corners[polygon.next(i as usize)]);
                let (a, e) = (from * self.mu, (to - from) * self.mu);
                let tangents = w.fixed_view::<2, 2>(1, 1);
                let w_tn = Vector2::new(w[(1, 0)], w[(2, 0)]);
                let b_t = Vector2::new(b.y, b.z);
                let (m11, m12) = (normal + w_nt.dot(&a), w_nt.dot(&e));
                let (m21, m22) = (e.dot(&(w_tn + tangents * a)), e.dot(&(tangents * e)));
                let det = m11 * m22 - m12 * m21;
                let (r_n, share) =
                    ((m12 * e.dot(&b_t) - m22 * b.x) / det, (m21 * b.x - m11 * e.dot(&b_t)) / det);
                let friction = a * r_n + e * share;
                let r = Local::new(r_n, friction.x, friction.y);
                let u = w * r + b;
                let outward = -(u.y * (from.x + to.x) + u.z * (from.y + to.y));
                let missed = (-outward).max(-scale * share).max(scale * (share - r_n)).max(-scale * r_n);
                (missed, r)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Blocks of a body that is hit at an arm.
    fn block() -> impl Strategy<Value = Block> {
        (prop::array::uniform9(-1.0f64..1.0), 0.05f64..1.0).prop_map(|(e, floor)| {
            let a = Block::from_column_slice(&e);
            a * a.transpose() + Block::identity() * floor
        })
    }

    #[test]
    fn eight_even_directions_are_the_corners_of_the_inscribed_pyramid() {
        let polygon = Polygon::even(8, Vector2::x());
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let expected = [(1.0, 0.0), (half, half), (0.0, 1.0), (-half, half), (-1.0, 0.0)];
        for (corner, (x, y)) in polygon.corners().iter().zip(expected) {
            assert!((corner - Vector2::new(x, y)).norm() < 1e-15, "{corner}");
        }
    }

    #[test]
    fn a_fan_is_convex_and_goes_all_around() {
        for count in [6, 8, 16] {
            for spread in [0.15, 1e-3, 1e-6] {
                let fan = Polygon::fan(count, Vector2::new(0.6, 0.8), spread);
                assert_eq!(fan.corners().len(), count);
                for i in 0..count {
                    let (a, b) = (fan.corners[i], fan.corners[fan.next(i)]);
                    assert!(cross(&a, &b) > 0.0, "corner {i} of {count} with {spread}");
                }
            }
        }
    }

    proptest! {
        /// What characterises a projection on a convex polygon: no corner lies further along what is left over.
        #[test]
        fn projection_is_the_nearest_point(x in prop::array::uniform2(-2.0f64..2.0), size in 0.01f64..1.0) {
            let (polygon, x) = (Polygon::even(8, Vector2::x()), Vector2::from(x));
            let p = polygon.project(&x, size);
            let (_, furthest) = polygon.support(&(x - p));
            prop_assert!(furthest * size <= (x - p).dot(&p) + 1e-12);
        }

        #[test]
        fn nothing_is_inside_of_nothing(x in prop::array::uniform2(-2.0f64..2.0)) {
            let polygon = Polygon::even(8, Vector2::x());
            prop_assert_eq!(polygon.project(&Vector2::from(x), 0.0), Vector2::zeros());
        }

        #[test]
        fn splitting_adds_up(x in prop::array::uniform2(-2.0f64..2.0)) {
            let (polygon, x) = (Polygon::even(6, Vector2::new(0.6, 0.8)), Vector2::from(x));
            let (i, beta_i, j, beta_j) = polygon.split(&x);
            prop_assert!((polygon.corners[i] * beta_i + polygon.corners[j] * beta_j - x).norm() < 1e-12);
        }

        /// One contact: no penetration, friction within the pyramid, and of the greatest power against the slip.
        #[test]
        fn the_law_of_the_pyramid_holds(
            w in block(),
            b in prop::array::uniform3(-3.0f64..3.0),
            mu in 0.0f64..1.0,
            (count, first) in (2usize..8, 0.0f64..6.0),
        ) {
            let polygon = Polygon::even(2 * count, Vector2::new(first.cos(), first.sin()));
            let b = Local::from(b);
            let r = LocalContact::new(&w, mu).solve(&polygon, &b, &mut Mode::default());
            let u = w * r + b;
            let (slip, friction) = (Vector2::new(u.y, u.z), Vector2::new(r.y, r.z));
            let scale = 1e-9 * (1.0 + r.norm());
            prop_assert!(r.x >= -scale && u.x >= -scale && (r.x * u.x).abs() <= scale, "{r} {u}");
            prop_assert!((friction - polygon.project(&friction, mu * r.x)).norm() <= scale);
            let most = mu * r.x * polygon.support(&-slip).1.max(0.0);
            prop_assert!((most + slip.dot(&friction)).abs() <= scale, "{most} {}", slip.dot(&friction));
        }
    }
}
