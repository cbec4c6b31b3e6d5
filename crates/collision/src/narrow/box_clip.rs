//! A parallelogram clipped to a rectangle: the corners of what they share, all side by side and without branches.
//!
//! What they share has up to eight corners: corners of the parallelogram within the rectangle, corners of the rectangle within the
//! parallelogram, and on each edge of the parallelogram up to two cuts by the rectangle's sides. Which of these sixteen candidates are
//! corners follows for each by itself, so that they are found in lanes: an edge is cut where it enters and leaves (Liang, Barsky, "A new
//! concept and method for line clipping", ACM Transactions on Graphics 3(1), 1984).

use super::MAX_POINTS;
use drystone_math::Real;
use drystone_math::wide::{LANES, Lanes, Mask, Wide};

/// A corner that sticks out over a side by less than this part of the face's size counts as inside:
/// several roundings of `f32`, so that boxes aligned with each other keep their own corners.
const SIDE_TOLERANCE: Real = 2.0e-6;
/// Corners of the rectangle nearer than this many tolerances to another corner stand for the same place.
const SAME_PLACE: Real = 4.0;
/// What may be a corner of the shared polygon.
pub(super) const CANDIDATES: usize = 2 * LANES;

/// A parallelogram seen from a rectangle around the origin, m: x and y in its plane, z above it. Its corners lie around it in the order
/// (+p, +q), (−p, +q), (−p, −q), (+p, −q).
#[derive(Clone, Copy, Debug)]
pub(super) struct Parallelogram {
    pub center: [Real; 3],
    /// Half edges.
    pub p: [Real; 3],
    pub q: [Real; 3],
}

/// The corners of what a parallelogram and a rectangle share.
pub(super) struct Shared {
    /// Places, m.
    pub x: [Real; CANDIDATES],
    pub y: [Real; CANDIDATES],
    pub z: [Real; CANDIDATES],
    /// Squared distance in the plane from the corner of the parallelogram that a candidate stands for, m².
    pub from_corner: [Real; CANDIDATES],
    /// Which candidates are corners.
    pub corners: u32,
    /// Which corners of the rectangle lie on which side of the parallelogram's middle lines: bit `k` is set for −p and −q.
    minus: [u8; 2],
}

impl Shared {
    /// The corners at most `limit` (m) above the rectangle.
    #[inline(always)]
    pub(super) fn within<L: Lanes>(&self, limit: Real, lanes: L) -> u32 {
        let is_within =
            |half: usize| lanes.load_slice(&self.z[half * LANES..]).less_or_equal(lanes.splat(limit)).bits();
        self.corners & (u32::from(is_within(0)) | u32::from(is_within(1)) << LANES)
    }

    /// The corner of the parallelogram that a corner of the rectangle stands for, 0..4.
    #[inline(always)]
    pub(super) fn base(&self, candidate: u32) -> usize {
        debug_assert!(
            OF_RECTANGLE >> candidate & 1 == 1,
            "candidate {candidate} is a corner of the rectangle"
        );
        // Around the parallelogram (+, +), (−, +), (−, −), (+, −).
        let [p, q] = self.minus.map(|signs| signs >> candidate & 1);
        (q << 1 | (p ^ q)) as usize
    }
}

/// The candidates in their order around the polygon (corners of the rectangle where both faces are aligned). Which point of a manifold comes
/// first is up to this, and sweeps solve them one by one: in two other orders a blow through 15 boxes on a lever (`catapult15`) threw them a
/// tenth and a fifth less high.
const AROUND: [usize; CANDIDATES] = [0, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 4];

/// Where candidates stand in [`AROUND`], a bit each, for every set of the first eight and of the others: branches of a loop over all
/// sixteen cannot be foreseen.
const STANDS: [[u16; 256]; 2] = stands();

const fn stands() -> [[u16; 256]; 2] {
    let mut stands = [[0; 256]; 2];
    let mut set = 0;
    while set < 256 {
        let mut place = 0;
        while place < CANDIDATES {
            let candidate = AROUND[place];
            stands[candidate / LANES][set] |= ((set >> (candidate % LANES) & 1) << place) as u16;
            place += 1;
        }
        set += 1;
    }
    stands
}

/// The first four of a set of candidates in their order around the polygon; any where they are fewer.
#[inline(always)]
pub(super) fn first_four(candidates: u32) -> [usize; MAX_POINTS] {
    let [first, others] = [candidates & 0xFF, candidates >> LANES & 0xFF].map(|set| set as usize);
    let mut rest = u32::from(STANDS[0][first] | STANDS[1][others]);
    let mut four = [0; MAX_POINTS];
    for candidate in &mut four {
        *candidate = AROUND[rest.trailing_zeros() as usize % CANDIDATES];
        rest &= rest.wrapping_sub(1);
    }
    four
}

/// Signs of the lanes: which corner lane `k` starts at and ends at. The first four are the edges of the parallelogram from corner `k` to
/// the next one, the others the same from the other end.
const START_P: [f32; LANES] = [1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 1.0];
const START_Q: [f32; LANES] = [1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0];
const END_P: [f32; LANES] = [-1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 1.0];
const END_Q: [f32; LANES] = [1.0, -1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0];
/// The corners of both: first those of the parallelogram, then those of the rectangle.
const OF_PARALLELOGRAM: u8 = 0b1111;
const OF_RECTANGLE: u32 = 0b1111_0000;
const CORNER_P: [f32; LANES] = [1.0, -1.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
const CORNER_Q: [f32; LANES] = [1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0];
const CENTER: [f32; LANES] = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
const SIDE_X: [f32; LANES] = [0.0, 0.0, 0.0, 0.0, 1.0, -1.0, -1.0, 1.0];
const SIDE_Y: [f32; LANES] = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, -1.0, -1.0];

/// The corners that `quad` shares with the rectangle of these half edges (m).
#[inline(always)]
pub(super) fn clip<L: Lanes>(quad: &Parallelogram, half: [Real; 2], lanes: L) -> Shared {
    Clip { quad, half, tolerance: SIDE_TOLERANCE * (half[0] + half[1]) }.corners(lanes)
}

/// The work on one parallelogram.
struct Clip<'a> {
    quad: &'a Parallelogram,
    half: [Real; 2],
    tolerance: Real,
}

impl Clip<'_> {
    #[inline(always)]
    fn corners<L: Lanes>(&self, lanes: L) -> Shared {
        let (own, minus) = self.corners_of_both(lanes);
        let cuts = self.cuts(lanes);
        let mut out = Shared {
            x: both(own.x, cuts.x),
            y: both(own.y, cuts.y),
            z: both(own.z, cuts.z),
            from_corner: both(own.from_corner, cuts.from_corner),
            corners: u32::from(own.is_corner.bits()) | u32::from(cuts.is_corner.bits()) << LANES,
            minus,
        };

        // Corners of the rectangle nearer than that (m, along both axes) to another corner of the polygon are left out.
        let least = lanes.splat(SAME_PLACE * self.tolerance);
        let others = out.corners & !OF_RECTANGLE;
        let mut rest = out.corners & OF_RECTANGLE;
        while rest != 0 {
            let k = rest.trailing_zeros();
            let (x, y) = (lanes.splat(out.x[k as usize]), lanes.splat(out.y[k as usize]));
            let near = [own.near(x, y, least), cuts.near(x, y, least)];
            if others & (u32::from(near[0]) | u32::from(near[1]) << LANES) != 0 {
                out.corners &= !(1 << k);
            }
            rest &= rest - 1;
        }
        out
    }
}

/// The candidates of the lanes of both, one after the other.
#[inline(always)]
pub(super) fn both<F: Wide>(own: F, cuts: F) -> [Real; CANDIDATES] {
    let mut out = [0.0; CANDIDATES];
    own.store_slice(&mut out[..LANES]);
    cuts.store_slice(&mut out[LANES..]);
    out
}

impl Clip<'_> {
    /// Where edges are cut: lane `k` near the corner at which it starts.
    #[inline(always)]
    fn cuts<L: Lanes>(&self, lanes: L) -> Candidates<L> {
        let from = self.places(&START_P, &START_Q, lanes);
        let to = self.places(&END_P, &END_Q, lanes);
        let way = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        let (x, y) = (self.side(0, &from, &to, &way, lanes), self.side(1, &from, &to, &way, lanes));
        let is_x = x.entry.greater_or_equal(y.entry);
        let entry = L::F32::select(is_x, x.entry, y.entry);
        let exit = x.exit.max(y.exit);
        let room = lanes.splat(self.tolerance);
        let stretch = (lanes.splat(1.0) - entry - exit) * (way[0].abs() + way[1].abs());
        // Where the other end is on the side itself it stands for the cut.
        let inside = L::F32::select(is_x, x.inside, y.inside);
        Candidates {
            x: L::F32::select(is_x, x.limit, from[0] + way[0] * entry),
            y: L::F32::select(is_x, from[1] + way[1] * entry, y.limit),
            z: from[2] + way[2] * entry,
            from_corner: (way[0] * way[0] + way[1] * way[1]) * (entry * entry),
            is_corner: (x.is_beyond | y.is_beyond)
                & !(x.is_aside | y.is_aside)
                & stretch.greater(room)
                & inside.greater(room),
        }
    }

    /// Corners of the parallelogram with these signs of its half edges.
    #[inline(always)]
    fn places<L: Lanes>(&self, on_p: &[f32; LANES], on_q: &[f32; LANES], lanes: L) -> [L::F32; 3] {
        let (on_p, on_q) = (lanes.load(on_p), lanes.load(on_q));
        let Parallelogram { center: c, p, q } = self.quad;
        [
            lanes.splat(c[0]) + on_p * lanes.splat(p[0]) + on_q * lanes.splat(q[0]),
            lanes.splat(c[1]) + on_p * lanes.splat(p[1]) + on_q * lanes.splat(q[1]),
            lanes.splat(c[2]) + on_p * lanes.splat(p[2]) + on_q * lanes.splat(q[2]),
        ]
    }

    /// What the two sides across `axis` do to the edges.
    #[inline(always)]
    fn side<L: Lanes>(
        &self,
        axis: usize,
        from: &[L::F32; 3],
        to: &[L::F32; 3],
        way: &[L::F32; 3],
        lanes: L,
    ) -> Side<L> {
        let (from, to, way) = (from[axis], to[axis], way[axis]);
        let (zero, half) = (lanes.splat(0.0), lanes.splat(self.half[axis]));
        let outer = lanes.splat(self.half[axis] + self.tolerance);
        let (is_up, is_to_up) = (from.greater(zero), to.greater(zero));
        let (limit, to_limit) = (L::F32::select(is_up, half, -half), L::F32::select(is_to_up, half, -half));
        let (is_beyond, is_to_beyond) = (from.abs().greater(outer), to.abs().greater(outer));
        Side {
            limit,
            is_beyond,
            is_aside: is_beyond & is_to_beyond & (from * to).greater(zero),
            entry: L::F32::select(is_beyond, (limit - from) / way, zero),
            exit: L::F32::select(is_to_beyond, (to - to_limit) / way, zero),
            inside: half - L::F32::select(is_up, to, -to),
        }
    }

    /// Corners of the parallelogram within the rectangle, and the other way round, with their [`Shared::minus`].
    #[inline(always)]
    fn corners_of_both<L: Lanes>(&self, lanes: L) -> (Candidates<L>, [u8; 2]) {
        let Parallelogram { center: c, p, q } = self.quad;
        let half = self.half;
        let (corner_p, corner_q, counts) =
            (lanes.load(&CORNER_P), lanes.load(&CORNER_Q), lanes.load(&CENTER));
        let x = counts * lanes.splat(c[0])
            + corner_p * lanes.splat(p[0])
            + corner_q * lanes.splat(q[0])
            + lanes.load(&SIDE_X) * lanes.splat(half[0]);
        let y = counts * lanes.splat(c[1])
            + corner_p * lanes.splat(p[1])
            + corner_q * lanes.splat(q[1])
            + lanes.load(&SIDE_Y) * lanes.splat(half[1]);
        // In units of the half edges.
        let area = p[0] * q[1] - p[1] * q[0];
        let (off_x, off_y) = (x - lanes.splat(c[0]), y - lanes.splat(c[1]));
        let along_p = off_x * lanes.splat(q[1] / area) - off_y * lanes.splat(q[0] / area);
        let along_q = off_y * lanes.splat(p[0] / area) - off_x * lanes.splat(p[1] / area);
        let is_own = lanes.mask(OF_PARALLELOGRAM);
        let on_p = L::F32::select(is_own, corner_p, along_p);
        let on_q = L::F32::select(is_own, corner_q, along_q);

        let one = lanes.splat(1.0);
        let share = self.tolerance / area.abs();
        let slack_p = lanes.splat(1.0 + share * (q[0].abs() + q[1].abs()));
        let slack_q = lanes.splat(1.0 + share * (p[0].abs() + p[1].abs()));
        let outer_x = lanes.splat(half[0] + self.tolerance);
        let outer_y = lanes.splat(half[1] + self.tolerance);
        let is_in_rectangle = x.abs().less_or_equal(outer_x) & y.abs().less_or_equal(outer_y);
        let is_in_quad = on_p.abs().less_or_equal(slack_p) & on_q.abs().less_or_equal(slack_q);
        let zero = lanes.splat(0.0);
        let (minus_p, minus_q) = (on_p.less(zero), on_q.less(zero));
        let rest_p = on_p - L::F32::select(minus_p, -one, one);
        let rest_q = on_q - L::F32::select(minus_q, -one, one);
        let rest_x = rest_p * lanes.splat(p[0]) + rest_q * lanes.splat(q[0]);
        let rest_y = rest_p * lanes.splat(p[1]) + rest_q * lanes.splat(q[1]);
        let minus = [minus_p.bits(), minus_q.bits()];
        let candidates = Candidates {
            x,
            y,
            z: lanes.splat(c[2]) + on_p * lanes.splat(p[2]) + on_q * lanes.splat(q[2]),
            from_corner: rest_x * rest_x + rest_y * rest_y,
            // The corners of either one are in itself.
            is_corner: is_in_rectangle & is_in_quad,
        };
        (candidates, minus)
    }
}

/// What two opposite sides of the rectangle do to the edges of the parallelogram, each seen from its start.
struct Side<L: Lanes> {
    /// The side on which the start is, m, and whether that is beyond it.
    limit: L::F32,
    is_beyond: L::Mask,
    /// All of the edge is.
    is_aside: L::Mask,
    /// Share of the way at which the edge comes in from there, and share that is left where it goes out again.
    entry: L::F32,
    exit: L::F32,
    /// How far its end is inside of that side, m.
    inside: L::F32,
}

/// Eight of the candidates.
struct Candidates<L: Lanes> {
    x: L::F32,
    y: L::F32,
    z: L::F32,
    from_corner: L::F32,
    is_corner: L::Mask,
}

impl<L: Lanes> Candidates<L> {
    /// Which of them are within `least` of a place along both axes.
    #[inline(always)]
    fn near(&self, x: L::F32, y: L::F32, least: L::F32) -> u8 {
        ((self.x - x).abs().less_or_equal(least) & (self.y - y).abs().less_or_equal(least)).bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::bits;
    use drystone_math::wide::{Baseline, Isa, Kernel};
    use proptest::prelude::*;

    struct Alone<'a>(&'a Parallelogram, [Real; 2]);

    impl Kernel for Alone<'_> {
        type Output = Shared;

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> Shared {
            clip(self.0, self.1, lanes)
        }
    }

    fn clip_with(quad: &Parallelogram, half: [Real; 2], isa: Isa) -> Shared {
        isa.run(Alone(quad, half))
    }

    type Point = [f64; 3];

    /// Corners of the shared polygon by Sutherland and Hodgman's algorithm (CACM 17(1), 1974).
    fn clipped(quad: &Parallelogram, half: [Real; 2]) -> Vec<Point> {
        let corner = |sp: f64, sq: f64| {
            [0, 1, 2]
                .map(|i| f64::from(quad.center[i]) + sp * f64::from(quad.p[i]) + sq * f64::from(quad.q[i]))
        };
        let mut polygon = vec![corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)];
        for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
            let above = |p: &Point| sign * p[axis] - f64::from(half[axis]);
            let mut kept = Vec::new();
            for (k, this) in polygon.iter().enumerate() {
                let next = &polygon[(k + 1) % polygon.len()];
                if above(this) <= 0.0 {
                    kept.push(*this);
                }
                if (above(this) <= 0.0) != (above(next) <= 0.0) {
                    let share = above(this) / (above(this) - above(next));
                    kept.push([0, 1, 2].map(|i| this[i] + (next[i] - this[i]) * share));
                }
            }
            polygon = kept;
        }
        polygon
    }

    fn area(polygon: &[Point]) -> f64 {
        let cross = |a: &Point, b: &Point| a[0] * b[1] - a[1] * b[0];
        let next = |k: usize| &polygon[(k + 1) % polygon.len()];
        0.5 * polygon.iter().enumerate().map(|(k, p)| cross(p, next(k))).sum::<f64>().abs()
    }

    fn query() -> impl Strategy<Value = (Parallelogram, [Real; 2])> {
        let number = || {
            prop_oneof![
                3 => -1.0f32..1.0,
                1 => prop::sample::select(vec![-1.0f32, -0.5, 0.0, 0.5, 1.0]),
                1 => -1e-5f32..1e-5,
            ]
        };
        let vector = || prop::array::uniform3(number());
        let quad = (vector(), vector(), vector()).prop_filter_map("an area", |(center, p, q)| {
            let area = p[0] * q[1] - p[1] * q[0];
            (area.abs() > 0.02).then_some(Parallelogram { center, p, q })
        });
        // Aligned, and turned and shifted by next to nothing.
        let aligned = (vector(), number(), number(), -1e-5f32..1e-5).prop_map(|(center, a, b, turn)| {
            let (a, b) = (a.abs() + 0.1, b.abs() + 0.1);
            Parallelogram { center, p: [a, a * turn, 0.0], q: [-b * turn, b, 0.0] }
        });
        (
            prop_oneof![quad, aligned],
            prop::array::uniform2(prop_oneof![0.1f32..1.0, Just(0.5f32), Just(1.0f32)]),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, ..ProptestConfig::default() })]

        /// The corners span the shared polygon, once each, at their heights.
        #[test]
        fn the_corners_span_the_shared_polygon((quad, half) in query()) {
            let shared = clip_with(&quad, half, Isa::best());
            let found: Vec<Point> = bits(u64::from(shared.corners))
                .map(|k| [shared.x[k as usize], shared.y[k as usize], shared.z[k as usize]].map(f64::from))
                .collect();
            prop_assert!(found.len() <= 8, "{} corners", found.len());
            let expected = clipped(&quad, half);
            // What is thinner than the tolerance may be found or not.
            if area(&expected) > 1e-4 {
                prop_assert!(found.len() >= 3, "{found:?} of {expected:?}");
                for k in 0..16 {
                    let (sine, cosine) = (f64::from(k) * std::f64::consts::TAU / 16.0).sin_cos();
                    let farthest = |points: &[Point]| {
                        points.iter().map(|p| cosine * p[0] + sine * p[1]).fold(f64::NEG_INFINITY, f64::max)
                    };
                    let (one, other) = (farthest(&found), farthest(&expected));
                    prop_assert!((one - other).abs() < 2e-5, "{one} {other}: {found:?} of {expected:?}");
                }
            }
            let [center, p, q] = [quad.center, quad.p, quad.q].map(|v| v.map(f64::from));
            let determinant = p[0] * q[1] - p[1] * q[0];
            for (k, point) in found.iter().enumerate() {
                let (x, y) = (point[0] - center[0], point[1] - center[1]);
                let (on_p, on_q) = ((x * q[1] - y * q[0]) / determinant, (p[0] * y - p[1] * x) / determinant);
                prop_assert!(on_p.abs().max(on_q.abs()) < 1.0 + 1e-3, "{point:?} in the parallelogram");
                let height = center[2] + on_p * p[2] + on_q * q[2];
                prop_assert!((point[2] - height).abs() < 2e-4, "{point:?} is at {height}");
                let is_on_side = |axis: usize| point[axis].abs() <= f64::from(half[axis]) + 1e-5;
                prop_assert!(is_on_side(0) && is_on_side(1), "{point:?} in the rectangle");
                let is_twin = |other: &Point| (0..2).all(|i| (point[i] - other[i]).abs() < 1e-8);
                prop_assert!(!found[..k].iter().any(is_twin), "{point:?} is there twice");
            }
        }
    }

    proptest! {
        /// Equal bits with every instruction set.
        #[test]
        fn all_instruction_sets_find_the_same((quad, half) in query()) {
            let best = clip_with(&quad, half, Isa::best());
            for isa in Isa::all() {
                let found = clip_with(&quad, half, isa);
                prop_assert_eq!((found.corners, found.minus), (best.corners, best.minus), "{}", isa.name());
                for k in bits(u64::from(best.corners)).map(|k| k as usize) {
                    let of = |s: &Shared| [s.x[k], s.y[k], s.z[k], s.from_corner[k]].map(Real::to_bits);
                    prop_assert_eq!(of(&found), of(&best), "{}", isa.name());
                }
            }
        }
    }

    #[test]
    fn every_candidate_has_its_place_around() {
        assert_eq!(first_four(0xFFFF), AROUND[..4]);
        assert_eq!(first_four(1 << 3 | 1 << 8 | 1 << 15)[..3], [8, 3, 15]);
        for candidate in 0..CANDIDATES {
            assert_eq!(first_four(1 << candidate)[0], candidate);
        }
    }

    #[test]
    fn equal_faces_keep_their_own_corners() {
        let quad = Parallelogram { center: [0.0, 1e-7, 0.25], p: [0.5, 1e-7, 0.0], q: [-1e-7, 0.5, 0.0] };
        let shared = clip_with(&quad, [0.5, 0.5], Isa::best());
        assert_eq!(shared.corners, 0b1111, "no cuts and no corners of the rectangle");
        assert_eq!(shared.within(0.25, Baseline::default()), 0b1111);
        assert_eq!(shared.within(0.2, Baseline::default()), 0);
    }

    #[test]
    fn what_lies_aside_or_is_no_number_shares_nothing() {
        let quad = |x: Real| Parallelogram { center: [x, 0.0, 0.0], p: [0.5, 0.0, 0.0], q: [0.0, 0.5, 0.0] };
        assert_eq!(clip_with(&quad(1.5), [0.5, 0.5], Isa::best()).corners, 0);
        assert_eq!(clip_with(&quad(Real::NAN), [0.5, 0.5], Isa::best()).corners, 0);
        let around = Parallelogram { center: [0.0; 3], p: [2.0, 0.0, 0.0], q: [0.0, 2.0, 0.0] };
        assert_eq!(clip_with(&around, [0.5, 0.5], Isa::best()).corners, 0b1111_0000, "the rectangle's own");
    }
}
