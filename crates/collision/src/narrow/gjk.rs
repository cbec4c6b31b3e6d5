//! Distance of two convex polytopes by GJK (S5-08).
//!
//! In: two cores as [`Support`] functions, the frame of B seen from A. Out: their distance with closest
//! points and an error bound, or the simplex of A − B around the origin when they touch or overlap; that is
//! where `epa` goes on. Knows nothing of radii: a sphere's or capsule's is added by the caller.
//! Start reading at [`distance`].
//!
//! Method: Gilbert, Johnson, Keerthi 1988, with the nearest point of a simplex found feature by feature
//! (`simplex`). Computed in `f64`: the inputs are `f32`, so the differences of coordinates are exact or
//! nearly so, and thin simplices (S5-13) keep enough digits.

mod simplex;

pub(crate) use simplex::{Difference, nearest_on_triangle};
pub use simplex::{MinkowskiVertex, Simplex};

use crate::shape::Support;
use drystone_math::{Displacement, Real, RelativePose, Vector3, narrow};

/// Most rounds. The worst of 1e5 random pairs of boxes, segments and hulls took 22, EPA's rounds included.
const MAX_ROUNDS: u32 = 128;
/// Relative gap between the distance found and its lower bound that counts as converged. The direction is
/// then good to the square root of twice that, 4e-7 rad: what `f32` can hold.
const RELATIVE_GAP: f64 = 1.0e-13;
/// Distance, as a part of the size of the coordinates, up to which the polytopes count as touching: there a
/// difference of `f64` points has six digits left for the normal, and EPA finds it from whole faces.
const TOUCHING: f64 = 1.0e-10;
/// Rounding of a vertex of A − B, as a part of the size of its coordinates: the turn of B and two sums.
pub(crate) const VERTEX_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// No vertex pair.
const NO_PAIR: u32 = u32::MAX;

/// Where the last search between the same two shapes ended: up to four vertex pairs of a simplex, A's
/// vertex in the upper half of a word. It saves rounds and, where several answers are equally good, keeps
/// the choice. Any content is safe: what does not fit the shapes is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GjkSeed {
    /// The pairs; `u32::MAX` where there is none.
    pub words: [u32; 4],
}

impl Default for GjkSeed {
    fn default() -> Self {
        Self { words: [NO_PAIR; 4] }
    }
}

impl GjkSeed {
    /// The pairs of `simplex`, as far as their indices fit into 16 bits.
    fn of(simplex: &Simplex) -> Self {
        let mut seed = Self::default();
        for (word, v) in seed.words.iter_mut().zip(simplex.vertices()) {
            if v.a < 0xFFFF && v.b < 0xFFFF {
                *word = v.a << 16 | v.b;
            }
        }
        seed
    }

    /// The simplex of the pairs that exist; empty when there are none.
    fn simplex<A: Support, B: Support>(&self, difference: &Difference<'_, A, B>) -> Simplex {
        let mut simplex = Simplex::default();
        for word in self.words {
            let (a, b) = (word >> 16, word & 0xFFFF);
            if word != NO_PAIR && a < difference.a.vertex_count() && b < difference.b.vertex_count() {
                let vertex = difference.vertex(a, b);
                if !simplex.holds(&vertex) {
                    simplex.push(vertex);
                }
            }
        }
        simplex
    }
}

/// The closest points of two separated polytopes, frame of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Unit normal from A to B.
    pub normal: Vector3,
    /// Distance, m, positive.
    pub distance: Real,
    /// Closest point of A, m.
    pub point_a: Vector3,
    /// Closest point of B, m.
    pub point_b: Vector3,
    /// The true distance is at most this much smaller, m, and not larger by more than rounding: the gap to
    /// the best separating plane found, plus rounding.
    pub error_bound: Real,
    /// Vertices of A − B looked for.
    pub rounds: u32,
}

/// What [`distance`] found.
#[derive(Clone, Copy, Debug)]
pub enum Proximity {
    /// Apart; the closest points.
    Separated(Closest),
    /// Farther apart than asked for.
    Beyond {
        /// By at least this much, m ...
        gap: Real,
        /// ... along this unit vector from A to B.
        normal: Vector3,
    },
    /// Touching (within 1e-10 of their size) or overlapping; where EPA goes on.
    Overlap {
        /// The simplex of A − B found around the origin.
        simplex: Simplex,
        /// Vertices of A − B looked for.
        rounds: u32,
    },
    /// The bound on rounds was hit, or the input is not a number (the error bound is infinite then). Best
    /// found so far.
    RoundLimit(Closest),
}

/// The distance of polytopes `a` and `b`, whose frame seen from A's is `b_in_a`; m.
///
/// Gives up early, with a proof, when they are farther apart than `limit` (m, may be infinite). `seed` is
/// where to start, and becomes where it ended.
///
/// Each round has the nearest point `v` of a simplex inside A − B, so `|v|` is an upper bound, and the
/// vertex `w` of A − B farthest along `−v`, so `v·w / |v|` is a lower bound. It ends when they meet, when
/// `w` is in the simplex already, or when `|v|` no longer shrinks, which is as far as rounding lets it go;
/// the remaining gap is in the error bound.
///
/// Total: any input ends within a fixed number of rounds, and the normal is finite and of unit length.
pub fn distance<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &RelativePose,
    limit: Real,
    seed: &mut GjkSeed,
) -> Proximity {
    search(&Difference::new(a, b, b_in_a), f64::from(limit), seed)
}

/// [`distance`] on a Minkowski difference.
pub(crate) fn search<A: Support, B: Support>(
    difference: &Difference<'_, A, B>,
    limit: f64,
    seed: &mut GjkSeed,
) -> Proximity {
    match walk(difference, limit, seed) {
        Walk::Apart { simplex, v, bounds, rounds, is_limit } => {
            let closest = closest(difference, &simplex, &v, bounds, rounds);
            if is_limit { Proximity::RoundLimit(closest) } else { Proximity::Separated(closest) }
        }
        Walk::Beyond { gap, normal } => Proximity::Beyond { gap: gap as Real, normal: narrow(&normal) },
        Walk::Overlap { simplex, rounds } => Proximity::Overlap { simplex, rounds },
        Walk::Undefined => Proximity::RoundLimit(UNDEFINED),
    }
}

/// What [`walk`] found, in double precision.
pub(crate) enum Walk {
    /// Apart.
    Apart {
        /// The simplex that holds the nearest point.
        simplex: Simplex,
        /// The point of A − B nearest to the origin, m, frame of A.
        v: Displacement,
        /// Lower bound of the distance and size of the coordinates, m.
        bounds: (f64, f64),
        /// Vertices of A − B looked for.
        rounds: u32,
        /// The bound on rounds was hit.
        is_limit: bool,
    },
    /// Farther apart than asked for: by at least `gap` (m) along the unit vector `normal` from A to B.
    Beyond { gap: f64, normal: Displacement },
    /// Touching or overlapping.
    Overlap { simplex: Simplex, rounds: u32 },
    /// The frame is not made of numbers.
    Undefined,
}

/// The rounds of [`search`].
#[inline]
pub(crate) fn walk<A: Support, B: Support>(
    difference: &Difference<'_, A, B>,
    limit: f64,
    seed: &mut GjkSeed,
) -> Walk {
    if !difference.frame.is_finite() {
        return Walk::Undefined;
    }
    let mut simplex = seed.simplex(difference);
    if simplex.count == 0 {
        // A − B lies around the negative offset of B, so its vertex farthest along the offset is near the
        // origin. For no offset any direction will do.
        let offset = difference.frame.origin;
        let start = if offset.norm_squared() > 0.0 { offset } else { Displacement::x() };
        simplex.push(difference.support(&start, &MinkowskiVertex::default()));
    }
    let mut size = simplex.vertices().iter().map(|v| difference.size_of(v)).fold(0.0, f64::max);
    let mut best: Option<(Simplex, Displacement)> = None;
    let mut lower = f64::NEG_INFINITY;
    for round in 0..MAX_ROUNDS {
        let nearest = simplex.reduce();
        let Some(v) = nearest.filter(|v| v.norm() > TOUCHING * size) else {
            *seed = GjkSeed::of(&simplex);
            return Walk::Overlap { simplex, rounds: round };
        };
        if let Some((best_simplex, best_v)) = &best
            && v.norm_squared() >= best_v.norm_squared()
        {
            *seed = GjkSeed::of(best_simplex);
            let (simplex, v) = (*best_simplex, *best_v);
            return Walk::Apart { simplex, v, bounds: (lower, size), rounds: round, is_limit: false };
        }
        best = Some((simplex, v));
        let length = v.norm();
        let w = difference.support(&-v, &simplex.vertices[0]);
        size = size.max(difference.size_of(&w));
        let bound = v.dot(&w.point) / length;
        lower = lower.max(bound);
        if bound > limit {
            *seed = GjkSeed::of(&simplex);
            return Walk::Beyond { gap: bound, normal: -v / length };
        }
        if length - lower <= RELATIVE_GAP * length || simplex.holds(&w) {
            *seed = GjkSeed::of(&simplex);
            return Walk::Apart { simplex, v, bounds: (lower, size), rounds: round + 1, is_limit: false };
        }
        simplex.push(w);
    }
    let (simplex, v) = best.unwrap_or((simplex, Displacement::x()));
    *seed = GjkSeed::of(&simplex);
    Walk::Apart { simplex, v, bounds: (lower, size), rounds: MAX_ROUNDS, is_limit: true }
}

/// What is said about input that is not a number: nothing, with an unbounded error.
const UNDEFINED: Closest = Closest {
    normal: Vector3::new(0.0, 1.0, 0.0),
    distance: Real::INFINITY,
    point_a: Vector3::new(0.0, 0.0, 0.0),
    point_b: Vector3::new(0.0, 0.0, 0.0),
    error_bound: Real::INFINITY,
    rounds: 0,
};

/// The answer from the nearest point `v` of `simplex`. `bounds` are the lower bound of the distance and the
/// size of the coordinates, m.
fn closest<A: Support, B: Support>(
    difference: &Difference<'_, A, B>,
    simplex: &Simplex,
    v: &Displacement,
    (lower, size): (f64, f64),
    rounds: u32,
) -> Closest {
    let distance = v.norm();
    let gap = (distance - lower).max(0.0) + VERTEX_ROUNDING * size;
    Closest {
        normal: narrow(&(-v / distance)),
        distance: distance as Real,
        point_a: narrow(&simplex.blend(|w| difference.a.vertex(w.a))),
        point_b: narrow(&simplex.blend(|w| difference.point_of_b(w.b))),
        error_bound: (gap + distance * f64::from(Real::EPSILON)) as Real,
        rounds,
    }
}
