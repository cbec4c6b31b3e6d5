//! Penetration depth of two convex polytopes by EPA (S5-09), and the signed distance of any two.
//!
//! In: two cores as [`Support`] functions and, from GJK, a simplex of A − B at the origin. Out: the direction
//! of least depth, the depth, the two deepest points and an error bound. Start reading at [`separation`].
//!
//! Method: van den Bergen 2001. A polytope inside A − B grows by the vertex farthest along the normal of its
//! face nearest to the origin. Departures, all against thin simplices at small depth (S5-13):
//! - Distances of faces are signed, so the first tetrahedron need not hold the origin. It is chosen for its
//!   shape, from GJK's simplex where that is thick enough, and the growth reaches the origin by itself.
//! - A face in whose plane the new vertex lies counts as visible, so that no new triangle is a sliver.
//! - The depth reported is the reach of A − B along the normal: moving B by it really separates the two.
//!   The distance of the polytope's nearest face bounds the true depth from below; the difference is the
//!   error bound.
//! - A flat A − B (points, segments and their like) has depth 0 along its normal.

mod polytope;

use super::NarrowStatus;
use super::gjk::{Closest, Difference, GjkSeed, Proximity, Simplex, VERTEX_ROUNDING, search};
use crate::shape::Support;
use drystone_math::{Displacement, Real, RelativePose, Vector3, narrow};
pub use polytope::EpaScratch;
use polytope::{Growth, SeedError};

/// Gap between depth and lower bound that counts as converged, as a part of the size of the coordinates:
/// an eighth of the spacing of `f32` numbers of that size. Smaller would follow the rounding of corners.
const DEPTH_GAP: f64 = 1.5e-8;

/// Signed distance of two polytopes, frame of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Unit normal from A to B.
    pub normal: Vector3,
    /// Signed distance along the normal, m: negative when overlapping.
    pub distance: Real,
    /// Point of A closest to B or deepest in it, m.
    pub point_a: Vector3,
    /// Point of B closest to A or deepest in it, m; `point_a + distance · normal` up to the error bound.
    pub point_b: Vector3,
    /// `Converged`, or `RoundLimit` when rounds, memory or digits ran out first.
    pub status: NarrowStatus,
    /// Bound of the distance's error, m; infinite when the input is not a number.
    pub error_bound: Real,
    /// Vertices of A − B looked for.
    pub rounds: u32,
}

impl Separation {
    fn of_closest(closest: &Closest, status: NarrowStatus) -> Self {
        Self {
            normal: closest.normal,
            distance: closest.distance,
            point_a: closest.point_a,
            point_b: closest.point_b,
            status,
            error_bound: closest.error_bound,
            rounds: closest.rounds,
        }
    }
}

/// Signed distance of polytopes `a` and `b`, whose frame seen from A's is `b_in_a`; m. `None` when they are
/// farther apart than `limit` (m).
///
/// `seed` is where to start and becomes where it ended; `scratch` is working memory, its content does not
/// matter. Nothing is allocated. Shapes with a radius (S5-08): pass their cores and subtract the radii.
///
/// Total: any input ends after a fixed number of rounds, the normal is finite and of unit length, and what
/// is not known is in the error bound. Touching exactly, deep overlap, equal centres and flat cores are
/// ordinary input.
pub fn separation<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &RelativePose,
    limit: Real,
    seed: &mut GjkSeed,
    scratch: &mut EpaScratch,
) -> Option<Separation> {
    let difference = Difference::new(a, b, b_in_a);
    match search(&difference, f64::from(limit), seed) {
        Proximity::Beyond { .. } => None,
        Proximity::Separated(closest) => Some(Separation::of_closest(&closest, NarrowStatus::Converged)),
        Proximity::RoundLimit(closest) => Some(Separation::of_closest(&closest, NarrowStatus::RoundLimit)),
        Proximity::Overlap { simplex, rounds } => Some(expand(&difference, &simplex, rounds, scratch)),
    }
}

/// [`separation`] without a limit.
pub fn penetration<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &RelativePose,
    seed: &mut GjkSeed,
    scratch: &mut EpaScratch,
) -> Separation {
    // Nothing is farther than infinity, so there is always an answer.
    separation(a, b, b_in_a, Real::INFINITY, seed, scratch).unwrap_or(Separation {
        normal: Vector3::y(),
        distance: Real::INFINITY,
        point_a: Vector3::zeros(),
        point_b: Vector3::zeros(),
        status: NarrowStatus::RoundLimit,
        error_bound: Real::INFINITY,
        rounds: 0,
    })
}

/// Grows a polytope from `simplex` until its face nearest to the origin lies on the surface of A − B.
fn expand<A: Support, B: Support>(
    difference: &Difference<'_, A, B>,
    simplex: &Simplex,
    rounds_before: u32,
    scratch: &mut EpaScratch,
) -> Separation {
    let size = match scratch.begin(difference, simplex) {
        Ok(size) => size,
        Err(SeedError { normal, thickness }) => {
            let answer = flat(difference, simplex, &normal, thickness as Real);
            return Separation { rounds: rounds_before, ..answer };
        }
    };
    let mut rounds = rounds_before;
    // The direction along which A − B reaches least, so far, and the reach.
    let mut best = (Displacement::y(), f64::INFINITY);
    // Bounded: each round adds a vertex, and there is room for a fixed number.
    let (status, lower) = loop {
        let face = scratch.nearest_face();
        let w = difference.support(&face.normal, &scratch.vertices[usize::from(face.corners[0])]);
        let reach = face.normal.dot(&w.point);
        rounds += 1;
        let has_converged = reach - face.offset <= DEPTH_GAP * size;
        if reach < best.1 || has_converged {
            best = (face.normal, reach);
        }
        if has_converged {
            break (NarrowStatus::Converged, face.offset);
        }
        match scratch.add(w, &face, size) {
            Growth::Grown => {}
            Growth::Exhausted => break (NarrowStatus::RoundLimit, face.offset),
        }
    };
    let (normal, reach) = best;
    let simplex = scratch.simplex_nearest(&(normal * reach), reach + DEPTH_GAP * size);
    let gap = (reach - lower).max(0.0) + VERTEX_ROUNDING * size;
    Separation {
        normal: narrow(&normal),
        distance: -reach as Real,
        point_a: narrow(&simplex.blend(|v| difference.a.vertex(v.a))),
        point_b: narrow(&simplex.blend(|v| difference.point_of_b(v.b))),
        status,
        error_bound: (gap + reach.abs() * f64::from(Real::EPSILON)) as Real,
        rounds,
    }
}

/// The answer for a flat A − B around the origin: touching along its `normal`, to within `thickness` (m).
fn flat<A: Support, B: Support>(
    difference: &Difference<'_, A, B>,
    simplex: &Simplex,
    normal: &Displacement,
    thickness: Real,
) -> Separation {
    // A tetrahedron that is flat still carries no weights of its own.
    let mut simplex = *simplex;
    if simplex.count == 4 {
        simplex.count = 3;
        let _ = simplex.reduce();
    }
    Separation {
        normal: narrow(normal),
        distance: 0.0,
        point_a: narrow(&simplex.blend(|v| difference.a.vertex(v.a))),
        point_b: narrow(&simplex.blend(|v| difference.point_of_b(v.b))),
        status: NarrowStatus::Converged,
        error_bound: thickness,
        rounds: 0,
    }
}
