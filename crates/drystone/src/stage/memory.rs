//! What is remembered of a pair between steps, and the places of its points that follow from it.

use drystone_collision::narrow::{LocalManifold, LocalPoint, PairCache};
use drystone_contact::{MAX_POINTS, PointGeometry};
use drystone_math::{Pose, Real, RelativePose, Vector3, narrow};

/// What is remembered of a pair between steps.
#[derive(Clone, Copy, Debug)]
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
    fn anchor(&mut self) {
        if std::mem::replace(&mut self.is_anchored, true) {
            return;
        }
        let n = self.local.normal;
        for (on_b, point) in self.on_b.iter_mut().zip(self.local.points()) {
            *on_b = self.pose.inverse_transform_point(&(point.point + n * (0.5 * point.distance)));
        }
    }

    /// Places of the points with the surfaces where they are now; `offsets` lead from the centres of mass to the
    /// origin of A's collider.
    #[inline]
    pub(super) fn carry(
        &mut self,
        poses: &[Pose; 2],
        normal: &Vector3,
        offsets: &[Vector3; 2],
        places: &mut [PointGeometry],
    ) {
        self.anchor();
        let [turn_a, turn_b] = poses.map(|p| p.rotation.to_rotation_matrix());
        let between = narrow(&(poses[1].translation - poses[0].translation));
        for ((place, point), on_b) in places.iter_mut().zip(self.local.points()).zip(&self.on_b) {
            let on_a = turn_a * point.point - normal * (0.5 * point.distance);
            let on_b = turn_b * on_b + between;
            let arm = (on_a + on_b) * 0.5;
            *place = PointGeometry {
                arm_a: arm + offsets[0],
                arm_b: arm + offsets[1],
                distance: normal.dot(&(on_b - on_a)),
                feature: point.feature,
            };
        }
    }
}

/// Places of the points of a full look.
#[inline]
pub(super) fn place_all(
    local: &LocalManifold,
    pose: &Pose,
    offsets: &[Vector3; 2],
    places: &mut [PointGeometry],
) {
    let turn = pose.rotation.to_rotation_matrix();
    for (place, point) in places.iter_mut().zip(local.points()) {
        *place = place_of(point, &(turn * point.point), offsets);
    }
}

/// A point that lies at `arm` (m, world axes) from the origin of A's collider.
#[inline]
pub(super) fn place_of(point: &LocalPoint, arm: &Vector3, offsets: &[Vector3; 2]) -> PointGeometry {
    PointGeometry {
        arm_a: arm + offsets[0],
        arm_b: arm + offsets[1],
        distance: point.distance,
        feature: point.feature,
    }
}
