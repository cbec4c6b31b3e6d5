//! What is remembered of a pair between steps, and the places of its points that follow from it.

use drystone_collision::narrow::{LocalManifold, LocalPoint, PairCache};
use drystone_contact::{MAX_POINTS, PointGeometry};
use drystone_math::{Pose, Real, RelativePose, Vector3, narrow};

/// What is remembered of a pair between steps. Whole cache lines, so that fetching it ahead fetches all of it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct PairMemory {
    /// Pose of B's collider seen from A's at the last full look.
    pub(super) pose: RelativePose,
    pub(super) margin: Real,
    pub(super) is_known: bool,
    pub(super) is_anchored: bool,
    pub(super) local: LocalManifold,
    /// Where the points lie on B, m, frame of B's collider.
    on_b: [Vector3; MAX_POINTS],
    pub(super) cache: PairCache,
}

impl Default for PairMemory {
    fn default() -> Self {
        Self {
            pose: RelativePose::IDENTITY,
            margin: 0.0,
            is_known: false,
            is_anchored: false,
            local: LocalManifold::default(),
            on_b: [Vector3::zeros(); MAX_POINTS],
            cache: PairCache::default(),
        }
    }
}

impl PairMemory {
    /// Marks where the points lie on B, once.
    #[inline(always)]
    fn anchor(&mut self) {
        if std::mem::replace(&mut self.is_anchored, true) {
            return;
        }
        let n = self.local.normal;
        for (on_b, point) in self.on_b.iter_mut().zip(self.local.points()) {
            *on_b = self.pose.inverse_transform_point(&(point.point + n * (0.5 * point.distance)));
        }
    }

    /// Places of the points with the surfaces where they are now.
    #[inline(always)]
    pub(super) fn carry(
        &mut self,
        poses: [&Pose; 2],
        normal: &Vector3,
        ends: &Ends,
        places: &mut [PointGeometry],
    ) {
        self.anchor();
        let [turn_a, turn_b] = poses.map(|p| p.rotation.to_rotation_matrix());
        let between = narrow(&(poses[1].translation - poses[0].translation));
        for ((place, point), on_b) in places.iter_mut().zip(self.local.points()).zip(&self.on_b) {
            let on_a = turn_a * point.point - normal * (0.5 * point.distance);
            let on_b = turn_b * on_b + between;
            let now = LocalPoint { distance: normal.dot(&(on_b - on_a)), ..*point };
            *place = ends.place(&now, &((on_a + on_b) * 0.5), normal);
        }
    }
}

/// Places of the points of a full look; the normal in world axes.
#[inline(always)]
pub(super) fn place_all(
    local: &LocalManifold,
    pose: &Pose,
    normal: &Vector3,
    ends: &Ends,
    places: &mut [PointGeometry],
) {
    let turn = pose.rotation.to_rotation_matrix();
    for (place, point) in places.iter_mut().zip(local.points()) {
        *place = ends.place(point, &(turn * point.point), normal);
    }
}

/// What the places of points are seen from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// From the centres of mass to the origin of one collider, m, world axes.
    pub(super) offsets: [Vector3; 2],
    /// See [`beside`].
    beside: Real,
}

/// Where contact points lie between the surfaces of A and B, which contacts can move or not: as a share of the gap, from the middle towards B.
///
/// Where one body alone can be moved it is its own surface that touches in the end: an arm to the middle of a gap that closes
/// within the step is too long, and friction of the blow turns it by too much (B9 of the validation). Between two that
/// move, the middle keeps angular momentum.
#[inline]
pub(super) fn beside(is_dynamic: [bool; 2]) -> Real {
    match is_dynamic {
        [true, false] => -0.5,
        [false, true] => 0.5,
        _ => 0.0,
    }
}

impl Ends {
    /// Of A and B, which contacts can move or not.
    #[inline]
    pub(super) fn new(offsets: [Vector3; 2], is_dynamic: [bool; 2]) -> Self {
        Self { offsets, beside: beside(is_dynamic) }
    }

    /// A point whose middle lies at `arm` (m, world axes) from that origin.
    #[inline]
    pub(super) fn place(&self, point: &LocalPoint, arm: &Vector3, normal: &Vector3) -> PointGeometry {
        let at = arm + normal * (self.beside * point.distance);
        PointGeometry {
            arm_a: at + self.offsets[0],
            arm_b: at + self.offsets[1],
            distance: point.distance,
            feature: point.feature,
        }
    }
}
