//! Mass, centre and inertia of solids of uniform density.

use crate::{
    Displacement, Matrix3, Real, Rotation, Symmetric3, Vector3, symmetric_eigen, widen, widen_rotation,
};

/// A tensor in double precision.
type WideTensor = nalgebra::Matrix3<f64>;

/// Mass properties of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: Real,
    /// Centre of mass in the solid's frame, m.
    pub center: Vector3,
    /// Moments about the centre along the principal axes, kg m².
    pub principal: Vector3,
    /// Principal axes: principal frame to the solid's frame.
    pub frame: Rotation,
}

impl MassProperties {
    /// A solid sphere. Radius m, density kg/m³.
    pub fn sphere(radius: Real, density: Real) -> Self {
        let mass = density * (4.0 / 3.0) * std::f32::consts::PI * radius * radius * radius;
        Self::aligned(mass, Vector3::repeat(0.4 * mass * radius * radius))
    }

    /// A solid box. Half extents m, density kg/m³.
    pub fn cuboid(half_extents: &Vector3, density: Real) -> Self {
        let h = half_extents;
        let mass = density * 8.0 * h.x * h.y * h.z;
        let (xx, yy, zz) = (h.x * h.x, h.y * h.y, h.z * h.z);
        Self::aligned(mass, Vector3::new(yy + zz, xx + zz, xx + yy) * (mass / 3.0))
    }

    /// A solid capsule along the local y axis: half length of the segment between the two cap centres
    /// and radius, m; density kg/m³.
    pub fn capsule(half_length: Real, radius: Real, density: Real) -> Self {
        let pi = std::f32::consts::PI;
        let (h, r2) = (2.0 * half_length, radius * radius);
        let cylinder = density * pi * r2 * h;
        let caps = density * (4.0 / 3.0) * pi * r2 * radius;
        let axial = cylinder * r2 * 0.5 + caps * 0.4 * r2;
        // Two half spheres, each with its centre 3/8 r outside the segment's end.
        let across =
            cylinder * (r2 * 0.25 + h * h / 12.0) + caps * (0.4 * r2 + h * h * 0.25 + 3.0 / 8.0 * h * radius);
        Self::aligned(cylinder + caps, Vector3::new(across, axial, across))
    }

    /// A solid cylinder along the local y axis: half height and radius, m; density kg/m³.
    pub fn cylinder(half_height: Real, radius: Real, density: Real) -> Self {
        let (h, r2) = (2.0 * half_height, radius * radius);
        let mass = density * std::f32::consts::PI * r2 * h;
        let across = mass * (r2 * 0.25 + h * h / 12.0);
        Self::aligned(mass, Vector3::new(across, 0.5 * mass * r2, across))
    }

    /// A solid cone along the local y axis, the middle of its height at the origin: apex at `half_height`, base of
    /// `radius` at `-half_height`, m; density kg/m³. Its centre of mass is a quarter of the height above the base.
    pub fn cone(half_height: Real, radius: Real, density: Real) -> Self {
        let (h, r2) = (2.0 * half_height, radius * radius);
        let mass = density * std::f32::consts::PI * r2 * h / 3.0;
        let across = mass * (3.0 / 20.0 * r2 + 3.0 / 80.0 * h * h);
        let center = Vector3::new(0.0, -0.5 * half_height, 0.0);
        Self { center, ..Self::aligned(mass, Vector3::new(across, 0.3 * mass * r2, across)) }
    }

    /// A solid whose principal axes are the frame's own and whose centre is the origin.
    pub fn aligned(mass: Real, principal: Vector3) -> Self {
        Self { mass, center: Vector3::zeros(), principal, frame: Rotation::identity() }
    }

    /// From an inertia tensor about the centre, kg m²; the principal axes are found by Jacobi rotations
    /// and ordered as the nearest ones to x, y, z.
    pub fn from_tensor(mass: Real, center: Vector3, tensor: &Symmetric3) -> Self {
        let (principal, frame) = principal_axes(&wide(tensor));
        Self { mass, center, principal, frame }
    }

    /// As [`MassProperties::from_tensor`], from the entries xx, yy, zz, xy, xz and yz in `f64`, for solids of any slenderness.
    ///
    /// The least moment of a rod is of the order of (thickness / length)² of the largest, and rounding a tensor to `f32` takes some 1e-7 of the
    /// largest from what is oblique. So that all others keep the bits that [`MassProperties::from_tensor`] gives, only tensors with moments
    /// that differ by more than a factor of `SLENDER`, 1000, are not rounded first.
    pub fn from_wide_tensor(mass: Real, center: Vector3, entries: &[f64; 6]) -> Self {
        let [xx, yy, zz, xy, xz, yz] = *entries;
        let [a, b, c, d, e, f] = entries.map(|entry| entry as Real);
        let rounded = Symmetric3 { xx: a, yy: b, zz: c, xy: d, xz: e, yz: f };
        Self::from_tensors(mass, center, &rounded, || WideTensor::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
    }

    /// From a tensor rounded to `f32`, and from `exact` where moments differ by more than [`SLENDER`].
    fn from_tensors(
        mass: Real,
        center: Vector3,
        rounded: &Symmetric3,
        exact: impl FnOnce() -> WideTensor,
    ) -> Self {
        let found = Self::from_tensor(mass, center, rounded);
        if found.principal.max() <= SLENDER * found.principal.min() {
            return found;
        }
        let (principal, frame) = principal_axes(&exact());
        Self { principal, frame, ..found }
    }

    /// The inertia tensor about the centre in the solid's frame, kg m².
    pub fn tensor(&self) -> Symmetric3 {
        Symmetric3::rotated_diagonal(&self.frame, &self.principal)
    }

    /// The same solid in a frame where its own one sits at `translation`, turned by `rotation`.
    pub fn transformed(&self, translation: &Vector3, rotation: &Rotation) -> Self {
        Self {
            mass: self.mass,
            center: translation + rotation * self.center,
            principal: self.principal,
            frame: rotation * self.frame,
        }
    }

    /// Several solids as one (parallel-axis theorem), slender ones too; `None` when the masses do not sum to a positive number.
    pub fn combined(parts: &[MassProperties]) -> Option<Self> {
        if let [only] = parts {
            return (only.mass > 0.0).then_some(*only);
        }
        let mass: Real = parts.iter().map(|p| p.mass).sum();
        if !(mass.is_finite() && mass > 0.0) {
            return None;
        }
        let center = parts.iter().fold(Vector3::zeros(), |sum, p| sum + p.center * p.mass) / mass;
        let tensor = parts.iter().fold(Symmetric3::ZERO, |sum, p| {
            let d = p.center - center;
            sum + p.tensor() + point_tensor(p.mass, &d)
        });
        Some(Self::from_tensors(mass, center, &tensor, || wide_sum(parts, &center)))
    }

    /// True when mass and moments are finite and positive.
    pub fn is_valid(&self) -> bool {
        let positive = |v: Real| v.is_finite() && v > 0.0;
        positive(self.mass) && self.principal.iter().all(|&v| positive(v)) && crate::is_finite(&self.center)
    }
}

/// Inertia of a point mass at the arm `d`: `m (d·d 1 − d dᵀ)`.
fn point_tensor(mass: Real, d: &Vector3) -> Symmetric3 {
    let m = (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * mass;
    Symmetric3::from_matrix(&m)
}

/// Ratio of the largest to the least moment above which a tensor must not be rounded to `f32`; below, that takes less than 1e-4 off the least.
const SLENDER: Real = 1.0e3;

/// The tensor of several solids about `center` (m), kg m², in `f64`.
fn wide_sum(parts: &[MassProperties], center: &Vector3) -> WideTensor {
    let tensor = |part: &MassProperties| {
        let axes = *widen_rotation(&part.frame).to_rotation_matrix().matrix();
        let d: Displacement = widen(&part.center) - widen(center);
        let moved = WideTensor::identity() * d.norm_squared() - d * d.transpose();
        axes * WideTensor::from_diagonal(&widen(&part.principal)) * axes.transpose()
            + moved * f64::from(part.mass)
    };
    parts.iter().map(tensor).sum()
}

/// A tensor as a full matrix in `f64`.
fn wide(tensor: &Symmetric3) -> WideTensor {
    tensor.to_matrix().map(f64::from)
}

/// Eigenvalues and a proper rotation to the eigenvectors of a symmetric matrix ([`symmetric_eigen`]).
fn principal_axes(tensor: &WideTensor) -> (Vector3, Rotation) {
    let rows = std::array::from_fn(|i| std::array::from_fn(|j| tensor[(i, j)]));
    let (values, vectors) = symmetric_eigen::<3>(&rows);
    let mut v = WideTensor::from_fn(|i, j| vectors[j][i]);
    if v.determinant() < 0.0 {
        v.column_mut(2).neg_mut();
    }
    let frame =
        nalgebra::UnitQuaternion::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(v));
    let c = frame.coords;
    let narrow = nalgebra::Quaternion::new(c.w as Real, c.x as Real, c.y as Real, c.z as Real);
    let moments = Vector3::from(values.map(|value| value as Real));
    (moments, Rotation::new_normalize(narrow))
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn two_half_boxes_make_the_whole_box() {
        let whole = MassProperties::cuboid(&Vector3::new(1.0, 0.5, 0.25), 800.0);
        let half = MassProperties::cuboid(&Vector3::new(0.5, 0.5, 0.25), 800.0);
        let turn = Rotation::identity();
        let parts = [
            half.transformed(&Vector3::new(-0.5, 0.0, 0.0), &turn),
            half.transformed(&Vector3::new(0.5, 0.0, 0.0), &turn),
        ];
        let sum = MassProperties::combined(&parts).expect("positive mass");
        assert_relative_eq!(sum.mass, whole.mass, max_relative = 1e-6);
        assert_relative_eq!(
            sum.tensor().to_matrix(),
            whole.tensor().to_matrix(),
            max_relative = 1e-5,
            epsilon = 1e-3
        );
    }

    #[test]
    fn principal_axes_rebuild_the_tensor() {
        let t = Symmetric3 { xx: 4.0, yy: 3.0, zz: 5.0, xy: 0.5, xz: -0.25, yz: 1.0 };
        let m = MassProperties::from_tensor(1.0, Vector3::zeros(), &t);
        assert_relative_eq!(m.tensor().to_matrix(), t.to_matrix(), epsilon = 1e-5);
    }

    /// The least moment of this one is 1e-9 of the others, less than rounding to `f32` takes; two of them at one place have twice it.
    #[test]
    fn oblique_needles_keep_their_least_moment() {
        let axis = Displacement::new(1.0, 2.0, -2.0) / 3.0;
        let t = WideTensor::identity() - axis * axis.transpose() * (1.0 - 1e-9);
        let entries = [t.m11, t.m22, t.m33, t.m12, t.m13, t.m23];
        let needle = MassProperties::from_wide_tensor(1.0, Vector3::zeros(), &entries);
        let pair = MassProperties::combined(&[needle; 2]).expect("positive mass");
        for (found, count) in [(needle, 1.0), (pair, 2.0)] {
            assert_relative_eq!(found.principal.min(), count * 1e-9, max_relative = 1e-4);
            assert_relative_eq!(found.principal.max(), count, max_relative = 1e-6);
        }
    }

    /// What is not slender has the bits of the tensor rounded to `f32`.
    #[test]
    fn stout_solids_are_rounded_first() {
        let entries = [4.0, 3.3, 5.1, 0.52, -0.21, 1.04];
        let [xx, yy, zz, xy, xz, yz] = entries.map(|entry| entry as Real);
        let rounded = Symmetric3 { xx, yy, zz, xy, xz, yz };
        let expected = MassProperties::from_tensor(1.0, Vector3::zeros(), &rounded);
        assert_eq!(MassProperties::from_wide_tensor(1.0, Vector3::zeros(), &entries), expected);
    }

    /// Monte-Carlo-free reference: a capsule of zero length is a sphere, a very long one a thin rod.
    #[test]
    fn capsule_has_the_right_limits() {
        let sphere = MassProperties::sphere(0.5, 1000.0);
        let short = MassProperties::capsule(0.0, 0.5, 1000.0);
        assert_relative_eq!(short.principal, sphere.principal, max_relative = 1e-6);
        let rod = MassProperties::capsule(50.0, 0.01, 1000.0);
        assert_relative_eq!(rod.principal.x, rod.mass * 100.0 * 100.0 / 12.0, max_relative = 1e-3);
    }
}
