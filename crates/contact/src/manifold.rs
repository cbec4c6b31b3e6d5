//! Contact manifolds as the response sees them: arms, not shapes.

use crate::{BodyIndex, PairMaterial};
use drystone_math::{Real, Vector3, prefetch};

/// Most points of a manifold.
pub const MAX_POINTS: usize = 4;

/// One contact point. Geometry is held as arms from both centres of mass, so it is as exact far from the
/// origin as at it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ContactPoint {
    /// From the centre of mass of A to the point, m, world axes.
    pub arm_a: Vector3,
    /// From the centre of mass of B to the point, m, world axes.
    pub arm_b: Vector3,
    /// Signed gap along the normal, m; negative when overlapping.
    pub distance: Real,
    /// The part of `distance` that displacements since detection made, m: positive when penetration
    /// correction moved the bodies apart. Impacts happened at the gap that was found.
    pub corrected_distance: Real,
    /// Which features touch; the same feature keeps its point and impulse from step to step.
    pub feature: u32,
    /// Impulse of the last step on B, N·s, world axes (A got the opposite).
    pub impulse: Vector3,
    /// How far B has slipped along A at this point since it stuck, m, world axes. Methods that bring
    /// sticking contacts back keep it here; zero for contacts that slide.
    pub accumulated_slip: Vector3,
    /// Impulse that the next step may begin with, N·s in all of a step, world axes: without impacts.
    pub warm_start_impulse: Vector3,
}

impl Default for ContactPoint {
    fn default() -> Self {
        Self {
            arm_a: Vector3::zeros(),
            arm_b: Vector3::zeros(),
            distance: 0.0,
            corrected_distance: 0.0,
            feature: 0,
            impulse: Vector3::zeros(),
            accumulated_slip: Vector3::zeros(),
            warm_start_impulse: Vector3::zeros(),
        }
    }
}

/// Where a contact point is and what touches there: what detection says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointGeometry {
    /// From the centre of mass of A to the point, m, world axes.
    pub arm_a: Vector3,
    /// From the centre of mass of B to the point, m, world axes.
    pub arm_b: Vector3,
    /// Signed gap along the normal, m; negative when overlapping.
    pub distance: Real,
    /// Which features touch.
    pub feature: u32,
}

/// Up to four contact points with one normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manifold {
    /// Body A.
    pub body_a: BodyIndex,
    /// Body B.
    pub body_b: BodyIndex,
    /// Unit normal from A to B, world.
    pub normal: Vector3,
    /// Restitution and friction of the pair.
    pub material: PairMaterial,
    /// How fast the surface of B runs over B itself, less the same of A, m/s, world: what a belt does. Friction
    /// acts against the velocity at the contact plus this; the part along the normal is not read.
    pub surface_velocity: Vector3,
    /// Angular impulse of rolling friction on B in the last step, N·m·s, world (A got the opposite); what the next step
    /// begins with.
    pub rolling_impulse: Vector3,
    points: [ContactPoint; MAX_POINTS],
    count: u32,
}

impl Manifold {
    /// A manifold without points.
    pub fn new(body_a: BodyIndex, body_b: BodyIndex, material: PairMaterial) -> Self {
        Self {
            body_a,
            body_b,
            normal: Vector3::zeros(),
            material,
            surface_velocity: Vector3::zeros(),
            rolling_impulse: Vector3::zeros(),
            points: [ContactPoint::default(); MAX_POINTS],
            count: 0,
        }
    }

    /// Fetches the number of points, which is about to be read.
    #[inline]
    pub(crate) fn expect_count(&self) {
        prefetch(&self.count);
    }

    /// Fetches what a look at the impulse that the first point may begin with reads.
    #[inline]
    pub fn expect_resting(&self) {
        prefetch(&self.count);
        prefetch(&self.points[0].warm_start_impulse);
    }

    /// Fetches what a look at the gaps of all points reads.
    #[inline]
    pub(crate) fn expect_gaps(&self) {
        prefetch(&self.count);
        self.points.iter().for_each(|point| prefetch(&point.distance));
    }

    /// The points.
    #[inline]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count as usize]
    }

    /// The points, for the stages that move bodies or apply impulses.
    #[inline]
    pub fn points_mut(&mut self) -> &mut [ContactPoint] {
        &mut self.points[..self.count as usize]
    }

    /// Removes all points.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a point; false (and nothing added) when four are there already.
    #[inline]
    pub fn push(&mut self, point: ContactPoint) -> bool {
        let free = self.points.get_mut(self.count as usize);
        let is_free = free.is_some();
        if let Some(slot) = free {
            *slot = point;
            self.count += 1;
        }
        is_free
    }

    /// Removes the points for which `keeps` is false; the others stay in their order.
    pub fn retain(&mut self, mut keeps: impl FnMut(&ContactPoint) -> bool) {
        let mut kept = 0;
        for k in 0..self.count as usize {
            if keeps(&self.points[k]) {
                self.points[kept] = self.points[k];
                kept += 1;
            }
        }
        self.count = kept as u32;
    }

    /// Takes over impulse and slip from `old` for points whose feature is the same, and rolling friction where there
    /// is such a point.
    pub fn keep_history(&mut self, old: &Manifold) {
        for i in 0..self.count as usize {
            let point = &mut self.points[i];
            if let Some(previous) = old.points().iter().find(|p| p.feature == point.feature) {
                (point.impulse, point.accumulated_slip) = (previous.impulse, previous.accumulated_slip);
                point.warm_start_impulse = previous.warm_start_impulse;
                self.rolling_impulse = old.rolling_impulse;
            }
        }
    }

    /// Puts points (the first four) and normal of this step in place of the last step's. Points whose feature is
    /// the same keep their history, as with [`Manifold::keep_history`].
    #[inline]
    pub fn renew(&mut self, normal: &Vector3, points: &[PointGeometry]) {
        let points = &points[..points.len().min(MAX_POINTS)];
        self.normal = *normal;
        let is_same = self.count as usize == points.len()
            && self.points.iter().zip(points).all(|(old, new)| old.feature == new.feature);
        if !is_same {
            self.replace(points);
        }
        for (point, new) in self.points.iter_mut().zip(points) {
            (point.arm_a, point.arm_b) = (new.arm_a, new.arm_b);
            (point.distance, point.corrected_distance) = (new.distance, 0.0);
        }
    }

    /// Puts points with the features of `points` in place of those that are there, with the history of the same features.
    #[inline(never)]
    fn replace(&mut self, points: &[PointGeometry]) {
        let old = self.points;
        let old = &old[..self.count as usize];
        self.count = points.len() as u32;
        let rolling = std::mem::replace(&mut self.rolling_impulse, Vector3::zeros());
        for (point, new) in self.points.iter_mut().zip(points) {
            let past = old.iter().find(|p| p.feature == new.feature);
            if past.is_some() {
                self.rolling_impulse = rolling;
            }
            *point = past.copied().unwrap_or_default();
            point.feature = new.feature;
        }
    }

    /// The smallest signed gap, m; `None` without points.
    #[inline]
    pub fn min_distance(&self) -> Option<Real> {
        self.points().iter().map(|p| p.distance).reduce(Real::min)
    }

    /// Follows the displacement of both bodies (m, world): points and distances as in S1-14
    /// (equations 2.3.7a, b), whose point moves by half of both displacements.
    #[inline]
    pub fn displaced(&mut self, moved_a: &Vector3, moved_b: &Vector3) {
        let relative = moved_b - moved_a;
        let change = relative.dot(&self.normal);
        for point in self.points_mut() {
            point.arm_a += relative * 0.5;
            point.arm_b -= relative * 0.5;
            point.distance += change;
            point.corrected_distance += change;
        }
    }

    /// [`Manifold::displaced`] for bodies that turned as well, by way (m) and rotation vector (rad, world): every point is displaced by
    /// what its own arms say (first order), and the contact point goes half of both ways, as in equation 2.3.7a.
    pub fn displaced_and_turned(
        &mut self,
        [moved_a, turned_a]: &[Vector3; 2],
        [moved_b, turned_b]: &[Vector3; 2],
    ) {
        let normal = self.normal;
        for point in self.points_mut() {
            let by_a = moved_a + turned_a.cross(&point.arm_a);
            let by_b = moved_b + turned_b.cross(&point.arm_b);
            let half = (by_a + by_b) * 0.5;
            point.arm_a += half - moved_a;
            point.arm_b += half - moved_b;
            let change = (by_b - by_a).dot(&normal);
            point.distance += change;
            point.corrected_distance += change;
        }
    }

    /// True when a surface of the pair runs over its body.
    #[inline]
    pub fn has_surface_velocity(&self) -> bool {
        self.surface_velocity != Vector3::zeros()
    }

    /// Sum of the impulses on B of the last step, N·s.
    pub fn impulse(&self) -> Vector3 {
        self.points().iter().fold(Vector3::zeros(), |sum, p| sum + p.impulse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_point_is_refused() {
        let mut m = Manifold::new(BodyIndex(1), BodyIndex(2), PairMaterial::default());
        assert!((0..4).all(|_| m.push(ContactPoint::default())));
        assert!(!m.push(ContactPoint::default()) && m.points().len() == 4);
    }

    /// S1-14: the point moves by half of both displacements, the distance by the relative one.
    #[test]
    fn displacement_moves_point_and_distance() {
        let mut m = Manifold::new(BodyIndex(1), BodyIndex(2), PairMaterial::default());
        m.normal = Vector3::y();
        m.push(ContactPoint {
            arm_a: Vector3::y(),
            arm_b: -Vector3::y(),
            distance: -0.1,
            ..Default::default()
        });
        let (a, b) = (Vector3::new(0.0, -0.02, 0.0), Vector3::new(0.1, 0.08, 0.0));
        m.displaced(&a, &b);
        let p = &m.points()[0];
        assert!(p.distance.abs() < 1e-6 && (p.corrected_distance - 0.1).abs() < 1e-6);
        // World point = centre + arm, from either body: the old one plus (a + b) / 2.
        let moved = (a + b) * 0.5;
        assert!((a + p.arm_a - (Vector3::y() + moved)).norm() < 1e-6);
        assert!((b + p.arm_b - (-Vector3::y() + moved)).norm() < 1e-6);
    }

    #[test]
    fn impulses_follow_their_feature() {
        let mut old = Manifold::new(BodyIndex(1), BodyIndex(2), PairMaterial::default());
        old.push(ContactPoint { feature: 7, impulse: Vector3::x(), ..Default::default() });
        let mut new = Manifold::new(BodyIndex(1), BodyIndex(2), PairMaterial::default());
        new.push(ContactPoint { feature: 3, ..Default::default() });
        new.push(ContactPoint { feature: 7, ..Default::default() });
        let mut renewed = old;
        new.keep_history(&old);
        assert_eq!((new.points()[0].impulse, new.points()[1].impulse), (Vector3::zeros(), Vector3::x()));

        let geometry = [3, 7].map(|feature| PointGeometry { feature, ..Default::default() });
        renewed.renew(&Vector3::zeros(), &geometry);
        assert_eq!(renewed, new, "in place and by copy are the same");
        new.keep_history(&renewed);
        renewed.renew(&Vector3::zeros(), &geometry);
        assert_eq!(renewed, new, "the same features in order");
    }
}
