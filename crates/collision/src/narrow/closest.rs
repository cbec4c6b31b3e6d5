//! One contact point between the closest or deepest points of two cores, found by GJK and EPA.
//!
//! For pairs whose features do not face each other (corner to corner, corner to edge), and to supply the
//! normal of hulls with many faces.

use super::epa::{EpaScratch, Separation, penetration};
use super::gjk::{Closest, GjkSeed, Proximity, distance};
use super::{LocalManifold, LocalPoint, NarrowStatus, PairCache};
use crate::Shape;
use crate::shape::Core;
use drystone_math::{Real, RelativePose};

/// The feature of the only point of a manifold that belongs to no face and no pair of edges.
const CLOSEST_FEATURE: u32 = 1 << 30;
/// Where the seed of GJK lies in the words of a cache.
pub(super) const SEED: std::ops::Range<usize> = 4..8;

/// The signed distance of two cores within `margin` (m); or `None`, and `manifold` knows how far they are apart.
/// The seed is kept in `cache`.
///
/// Source: see `gjk` and `epa`. Separated cores pay for GJK only; EPA brings its working memory (about
/// 25 KB) on the stack.
pub(super) fn core_separation(
    a: &Core<'_>,
    b: &Core<'_>,
    b_in_a: &RelativePose,
    margin: Real,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> Option<Separation> {
    // Words are kept inverted, so that an empty cache is an empty seed.
    let mut seed = GjkSeed::default();
    for (word, kept) in seed.words.iter_mut().zip(&cache.words[SEED]) {
        *word = !kept;
    }
    let separation = match distance(a, b, b_in_a, margin, &mut seed) {
        Proximity::Beyond { gap, normal } => {
            (manifold.normal, manifold.gap) = (normal, gap * (1.0 - Real::EPSILON));
            None
        }
        Proximity::Separated(closest) => Some(apart(&closest, NarrowStatus::Converged)),
        Proximity::RoundLimit(closest) => Some(apart(&closest, NarrowStatus::RoundLimit)),
        Proximity::Overlap { .. } => Some(overlapping(a, b, b_in_a, &mut seed)),
    };
    for (kept, word) in cache.words[SEED].iter_mut().zip(&seed.words) {
        *kept = !word;
    }
    separation
}

/// The answer of GJK in the words of EPA.
fn apart(closest: &Closest, status: NarrowStatus) -> Separation {
    Separation {
        normal: closest.normal,
        distance: closest.distance,
        point_a: closest.point_a,
        point_b: closest.point_b,
        status,
        error_bound: closest.error_bound,
        rounds: closest.rounds,
    }
}

/// Apart from its caller, so that only overlapping cores pay for the working memory.
#[cold]
#[inline(never)]
fn overlapping(a: &Core<'_>, b: &Core<'_>, b_in_a: &RelativePose, seed: &mut GjkSeed) -> Separation {
    penetration(a, b, b_in_a, seed, &mut EpaScratch::default())
}

/// Fills `manifold` with one point, along the direction of least distance or depth; none beyond `margin`.
pub(super) fn closest_point(
    a: &Shape,
    b: &Shape,
    b_in_a: &RelativePose,
    margin: Real,
    cache: &mut PairCache,
    manifold: &mut LocalManifold,
) -> NarrowStatus {
    let (Some((core_a, radius_a)), Some((core_b, radius_b))) = (a.core(), b.core()) else {
        return NarrowStatus::Exact;
    };
    let limit = margin + radius_a + radius_b;
    let Some(separation) = core_separation(&core_a, &core_b, b_in_a, limit, cache, manifold) else {
        manifold.gap -= radius_a + radius_b;
        return NarrowStatus::Converged;
    };
    push_separation(&separation, radius_a, radius_b, margin, manifold);
    separation.status
}

/// Adds the one point of `separation` with the radii (m) around the cores.
pub(super) fn push_separation(
    separation: &Separation,
    radius_a: Real,
    radius_b: Real,
    margin: Real,
    manifold: &mut LocalManifold,
) {
    let normal = separation.normal;
    manifold.normal = normal;
    let sum = separation.point_a + separation.point_b + normal * (radius_a - radius_b);
    let distance = separation.distance - radius_a - radius_b;
    if separation.status == NarrowStatus::Converged {
        manifold.gap = distance - separation.error_bound;
    }
    manifold.push_within(margin, LocalPoint { point: sum * 0.5, distance, feature: CLOSEST_FEATURE });
}
