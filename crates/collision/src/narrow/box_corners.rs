//! Contact points of two faces of boxes: the corners of what they share, named, reduced to four and put in the pair's frame.
//!
//! Lanes are the candidates for corners. What is done for single ones has no branches that depend on which of them are corners: that cannot
//! be foreseen.

use super::box_box::from_axis;
use super::box_clip::{CANDIDATES, Shared, both, clip, first_four};
use super::box_face::FacePair;
use super::reduce::{Candidates, reduce};
use super::{LocalManifold, LocalPoint, MAX_POINTS};
use drystone_math::wide::{Isa, Kernel, LANES, Lanes, Wide};
use drystone_math::{Real, RelativePose, Vector3, bits};

/// Marks the features of points along a normal that is no face's.
const ALONG: u32 = 3 << 29;
/// Where a frame's coordinates stand that are told along the two axes after an axis and along it.
const ROWS: [[usize; 3]; 3] = [[2, 0, 1], [1, 2, 0], [0, 1, 2]];

/// Where the points of corners are.
#[derive(Clone, Copy)]
pub(super) enum Placing<'a> {
    /// Half way between corner and reference face, frame of the reference box.
    Between,
    /// The same in another frame, in which the reference box has this pose, and the normal against the face's.
    Turned(&'a RelativePose),
    /// Half way between corner and reference face along this unit vector (frame of the reference box).
    Along(&'a Vector3),
}

/// Fills `manifold` with the corners within `margin` (m) that the incident face shares with the reference face, at most four, and the normal
/// of the reference face.
#[inline]
pub(super) fn corners(faces: &FacePair, placing: Placing<'_>, margin: Real, manifold: &mut LocalManifold) {
    Isa::best().run(Corners { faces, placing, margin, manifold });
}

/// The work on one pair of faces.
struct Corners<'a> {
    faces: &'a FacePair,
    placing: Placing<'a>,
    margin: Real,
    manifold: &'a mut LocalManifold,
}

impl Kernel for Corners<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { faces, placing, margin, manifold } = self;
        let shared = clip(&faces.incident, faces.sides, lanes);
        let names = Names::new(faces, &shared);
        let within = shared.within(margin, lanes);
        let mut places = Places::between(faces, &shared, lanes);
        let normal = from_axis(faces.axis, [faces.sign, 0.0, 0.0]);
        manifold.count = within.count_ones();
        let chosen = if manifold.count as usize <= MAX_POINTS {
            first_four(within)
        } else {
            let (sorted, count) = names.sorted(within);
            let size = faces.sides[0] + faces.sides[1];
            let (chosen, left) = reduce(&Candidates { count, normal, margin, size }, |i| {
                let k = usize::from(sorted[i]);
                (places.get(k), shared.z[k])
            });
            manifold.count = left as u32;
            let candidate = |slot: usize| usize::from(sorted[chosen[slot]]);
            [candidate(0), candidate(1), candidate(2), candidate(3)]
        };

        manifold.normal = normal;
        let mut faces_and_kind = faces.faces << 5;
        match placing {
            Placing::Between => {}
            Placing::Turned(pose) => {
                places.turn(pose, lanes);
                manifold.normal = -(pose.rotation * normal);
            }
            Placing::Along(normal) => {
                places.lay_along(normal, faces, &shared, lanes);
                faces_and_kind |= ALONG;
            }
        }
        // What lies beyond the count means nothing.
        for (slot, k) in chosen.into_iter().enumerate() {
            let feature = faces_and_kind | u32::from(names.of[k]);
            manifold.points[slot] = LocalPoint { point: places.get(k), distance: shared.z[k], feature };
        }
    }
}

/// Where the points of all candidates are.
struct Places {
    /// Coordinates, m, and which of them are x, y and z.
    rows: [[Real; CANDIDATES]; 3],
    axes: [usize; 3],
}

impl Places {
    /// Half way between corner and reference face.
    #[inline(always)]
    fn between<L: Lanes>(faces: &FacePair, shared: &Shared, lanes: L) -> Self {
        let up = [Self::up(faces, &shared.z[..LANES], lanes), Self::up(faces, &shared.z[LANES..], lanes)];
        Self { rows: [shared.x, shared.y, both(up[0], up[1])], axes: ROWS[faces.axis] }
    }

    /// Coordinate along the axis of the reference face of what is at these distances from it.
    #[inline(always)]
    fn up<L: Lanes>(faces: &FacePair, distances: &[Real], lanes: L) -> L::F32 {
        let half = lanes.splat(0.5) * lanes.load_slice(distances);
        lanes.splat(faces.sign) * (lanes.splat(faces.height) + half)
    }

    /// The point of a candidate, m.
    #[inline(always)]
    fn get(&self, k: usize) -> Vector3 {
        let [x, y, z] = self.axes;
        Vector3::new(self.rows[x][k], self.rows[y][k], self.rows[z][k])
    }

    /// Seen from where their frame has this pose.
    #[inline(always)]
    fn turn<L: Lanes>(&mut self, pose: &RelativePose, lanes: L) {
        let (first, others) = (self.turned(pose, 0, lanes), self.turned(pose, LANES, lanes));
        self.axes = [0, 1, 2];
        self.put(first, others);
    }

    /// Eight of the points seen from where their frame has this pose: the operations of [`RelativePose::transform_point`] in their order.
    #[inline(always)]
    fn turned<L: Lanes>(&self, pose: &RelativePose, from: usize, lanes: L) -> [L::F32; 3] {
        let (q, t) = (&pose.rotation.coords, &pose.translation);
        let (i, j, k, w) = (lanes.splat(q.x), lanes.splat(q.y), lanes.splat(q.z), lanes.splat(q.w));
        let x = lanes.load_slice(&self.rows[self.axes[0]][from..]);
        let y = lanes.load_slice(&self.rows[self.axes[1]][from..]);
        let z = lanes.load_slice(&self.rows[self.axes[2]][from..]);
        let two = lanes.splat(2.0);
        let (a, b, c) = ((j * z - k * y) * two, (k * x - i * z) * two, (i * y - j * x) * two);
        [
            lanes.splat(t.x) + (a * w + (j * c - k * b) + x),
            lanes.splat(t.y) + (b * w + (k * a - i * c) + y),
            lanes.splat(t.z) + (c * w + (i * b - j * a) + z),
        ]
    }

    /// Half way between corner and reference face along `normal`.
    #[inline(always)]
    fn lay_along<L: Lanes>(&mut self, normal: &Vector3, faces: &FacePair, shared: &Shared, lanes: L) {
        let first = Self::laid_along(normal, faces, shared, 0, lanes);
        let others = Self::laid_along(normal, faces, shared, LANES, lanes);
        self.put(first, others);
    }

    /// Eight of these.
    #[inline(always)]
    fn laid_along<L: Lanes>(
        normal: &Vector3,
        faces: &FacePair,
        shared: &Shared,
        from: usize,
        lanes: L,
    ) -> [L::F32; 3] {
        let axis = faces.axis;
        let half = lanes.splat(0.5) * lanes.load_slice(&shared.z[from..]);
        [
            lanes.load_slice(&shared.x[from..]) + lanes.splat(normal[(axis + 1) % 3]) * half,
            lanes.load_slice(&shared.y[from..]) + lanes.splat(normal[(axis + 2) % 3]) * half,
            lanes.splat(faces.sign * faces.height) + lanes.splat(normal[axis]) * half,
        ]
    }

    /// Other coordinates of the first eight and of the others.
    #[inline(always)]
    fn put<F: Wide>(&mut self, first: [F; 3], others: [F; 3]) {
        self.rows = [both(first[0], others[0]), both(first[1], others[1]), both(first[2], others[2])];
    }
}

/// Names of candidates, below 20 and each given once: 4 and its number, or that of a corner of the incident face.
struct Names {
    /// The name of each candidate; one more entry takes what is not given.
    of: [u8; CANDIDATES + 1],
    /// The candidate of each name, and which of the first four names are given.
    candidates: [u8; 4 + CANDIDATES],
    given: u32,
}

impl Names {
    /// A corner is named after the corner of the incident face that it is or stands for and is nearest to, or after its place among the candidates.
    #[inline(always)]
    fn new(faces: &FacePair, shared: &Shared) -> Self {
        /// Above the keys of all that are at a finite distance.
        const NONE: u64 = (Real::INFINITY.to_bits() as u64) << 8;
        // Squares of distances are ordered like their bits. Of equal ones the first is the nearest; what is no corner comes last.
        let key = |k: usize| {
            let is_none = (shared.corners >> k & 1).wrapping_sub(1);
            u64::from(shared.from_corner[k].to_bits() | is_none) << 8 | k as u64
        };
        // The corner itself and the cuts of the two edges at it. (Written out: not all closures are inlined into a kernel.)
        let at = |base: usize| key(base).min(key(LANES + base)).min(key(LANES + 4 + (base + 3) % 4));
        let mut nearest = [at(0), at(1), at(2), at(3)];
        for k in 4..LANES {
            let base = shared.base(k as u32) & 3;
            nearest[base] = nearest[base].min(key(k));
        }
        let mut names = Self { of: OF, candidates: CANDIDATES_BY_NAME, given: 0 };
        for (key, name) in nearest.into_iter().zip(faces.bases) {
            // Seen at a slant two corners may lie in the same direction: the later one goes without that name.
            let is_given = key < NONE && names.given >> name & 1 == 0;
            let (k, name) = (key as u8 as usize, name & 3);
            names.of[if is_given { k } else { CANDIDATES }] = name;
            names.candidates[usize::from(name)] =
                if is_given { k as u8 } else { names.candidates[usize::from(name)] };
            names.given |= u32::from(is_given) << name;
        }
        names
    }

    /// These candidates in the order of their names, and how many they are.
    #[inline(always)]
    fn sorted(&self, candidates: u32) -> ([u8; CANDIDATES], usize) {
        let (mut names, mut unnamed) = (0, candidates);
        for name in 0..4 {
            let bit = (self.given >> name & 1) << self.candidates[name];
            names |= u32::from(candidates & bit != 0) << name;
            unnamed &= !bit;
        }
        let mut sorted = [0; CANDIDATES];
        for (place, name) in sorted.iter_mut().zip(bits(u64::from(unnamed << 4 | names))) {
            *place = self.candidates[name as usize];
        }
        (sorted, candidates.count_ones() as usize)
    }
}

/// Names of candidates and candidates of names where no corner of the incident face is near.
const OF: [u8; CANDIDATES + 1] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
const CANDIDATES_BY_NAME: [u8; 4 + CANDIDATES] =
    [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

#[cfg(test)]
mod tests {
    use super::super::box_clip::Parallelogram;
    use super::*;
    use drystone_math::wide::Baseline;
    use proptest::prelude::*;

    /// Names by comparing one candidate after the other.
    fn one_by_one(bases: [u8; 4], shared: &Shared) -> [u8; CANDIDATES] {
        let (mut nearest, mut least) = ([None; 4], [Real::INFINITY; 4]);
        for candidate in bits(u64::from(shared.corners)) {
            let k = candidate as usize;
            let base = match k {
                4..8 => shared.base(candidate),
                12.. => (k + 1) % 4,
                _ => k % 4,
            };
            if shared.from_corner[k] < least[base] {
                (nearest[base], least[base]) = (Some(k), shared.from_corner[k]);
            }
        }
        let mut names = std::array::from_fn(|k| 4 + k as u8);
        let mut given = Vec::new();
        for (k, name) in nearest.into_iter().zip(bases) {
            if let Some(k) = k
                && !given.contains(&name)
            {
                names[k] = name;
                given.push(name);
            }
        }
        names
    }

    proptest! {
        /// Names and their order are those of the plain way, also where two corners have one name.
        #[test]
        fn names_are_those_given_one_by_one(
            numbers in prop::array::uniform9(prop_oneof![-1.0f32..1.0, prop::sample::select(vec![-1.0f32, 0.0, 0.5])]),
            sides in prop::array::uniform2(0.1f32..1.0),
            bases in prop_oneof![Just([0u8, 1, 3, 2]), prop::array::uniform4(0u8..4)],
        ) {
            let [a, b, c, d, e, f, g, h, i] = numbers;
            let incident = Parallelogram { center: [a, b, c], p: [d, e, f], q: [g, h, i] };
            let shared = clip(&incident, sides, Baseline::default());
            let faces = FacePair { axis: 0, sign: 1.0, sides, height: 1.0, incident, bases, faces: 0 };
            let names = Names::new(&faces, &shared);
            let plain = one_by_one(bases, &shared);
            for k in bits(u64::from(shared.corners)) {
                prop_assert_eq!(names.of[k as usize], plain[k as usize]);
            }
            let (sorted, count) = names.sorted(shared.corners);
            let mut expected: Vec<u8> = bits(u64::from(shared.corners)).map(|k| k as u8).collect();
            expected.sort_by_key(|k| plain[usize::from(*k)]);
            prop_assert_eq!(&sorted[..count], &expected[..]);
        }
    }
}
