//! Cylinders and cones: the solid between two discs around the local y axis.
//!
//! A cylinder has two equal discs, a cone one of radius zero. Their queries are the same closed forms.
//!
//! GJK and EPA see polytopes. A frustum is one to within rounding: each rim is a polygon of 2^31 corners, which a
//! corner's index names by the tangent of half its angle within a quadrant, rounded to 29 bits. Corners are then
//! at most 3.8e-9 rad apart and the middle of a side is 2e-18 of the radius inside the circle, a hundredth of the
//! rounding of `f64`. So a farthest corner costs a square root and a division, an index is a point again without
//! a cosine, and what holds for polytopes holds here: the same corner has the same name, and there are finitely many.

use super::Frame;
use drystone_math::{Aabb, Displacement, Position, Real, Vector3};

/// A solid of revolution between two discs around the local y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// Half the distance of the discs, m.
    pub half_height: Real,
    /// Radius of the disc at `+half_height`, m; 0 for an apex.
    pub top: Real,
    /// Radius of the disc at `-half_height`, m.
    pub base: Real,
}

/// Bit of an index that is set for corners of the base.
const BASE: u32 = 1 << 31;
/// Bits of an index that hold the tangent; the quadrant lies above.
const TANGENT_BITS: u32 = 29;
/// Tangents per quadrant.
const TANGENTS: u32 = 1 << TANGENT_BITS;

impl Frustum {
    /// Outward normal of the side, across (away from the axis) and along y; of unit length.
    #[inline]
    pub(crate) fn side_normal(&self) -> (Real, Real) {
        // In f64, which neither overflows nor loses a small difference of radii.
        let (across, along) = (2.0 * f64::from(self.half_height), f64::from(self.base) - f64::from(self.top));
        let length = (across * across + along * along).sqrt();
        ((across / length) as Real, (along / length) as Real)
    }

    /// Height of a point above the surface, m: negative inside, where it is the distance; outside at most that.
    #[inline]
    pub(crate) fn height(&self, point: &Vector3) -> Real {
        let (across, along) = self.side_normal();
        let side = across * (point.xz().norm() - self.base) + along * (point.y + self.half_height);
        side.max(point.y.abs() - self.half_height)
    }

    /// Least distance of the surface from a point well inside, m: the scale of preferences.
    #[inline]
    pub(crate) fn thinness(&self) -> Real {
        let middle = 0.5 * self.side_normal().0 * (self.top + self.base);
        middle.min(self.half_height)
    }

    /// The smallest box, m, around the frustum in `frame` (its origin is not looked at) at `position`.
    pub(super) fn aabb(&self, frame: &Frame, position: &Position) -> Aabb {
        let axis = frame.y * f64::from(self.half_height);
        // A disc reaches as far along an axis as its plane leans to it.
        let lean = frame.x.zip_map(&frame.z, |x, z| (x * x + z * z).sqrt());
        let (top, base) = (lean * f64::from(self.top), lean * f64::from(self.base));
        Aabb {
            min: position + (axis - top).inf(&(-axis - base)),
            max: position + (axis + top).sup(&(base - axis)),
        }
    }

    /// Index of a corner farthest along `direction` (any length, own frame).
    #[inline]
    pub(super) fn support_index(&self, direction: &Displacement) -> u32 {
        let across = (direction.x * direction.x + direction.z * direction.z).sqrt();
        // How much farther the top reaches than the base.
        let lead = 2.0 * f64::from(self.half_height) * direction.y
            + (f64::from(self.top) - f64::from(self.base)) * across;
        let (disc, radius) = if lead >= 0.0 { (0, self.top) } else { (BASE, self.base) };
        if radius > 0.0 { disc | rim_index(direction.x, direction.z, across) } else { disc }
    }

    /// The corner at `index`, m, own frame. Any index is one.
    #[inline]
    pub(super) fn corner(&self, index: u32) -> Displacement {
        let (height, radius) =
            if index & BASE == 0 { (self.half_height, self.top) } else { (-self.half_height, self.base) };
        if radius == 0.0 {
            return Displacement::new(0.0, f64::from(height), 0.0);
        }
        let t = f64::from(index & (TANGENTS - 1)) / f64::from(TANGENTS);
        let scale = f64::from(radius) / (1.0 + t * t);
        let (cosine, sine) = ((1.0 - t * t) * scale, 2.0 * t * scale);
        let (x, z) = match index >> TANGENT_BITS & 3 {
            0 => (cosine, sine),
            1 => (-sine, cosine),
            2 => (-cosine, -sine),
            _ => (sine, -cosine),
        };
        Displacement::new(x, f64::from(height), z)
    }
}

/// Name of the corner of a rim in the direction `(x, z)` of length `across`: quadrant and tangent of half the angle.
#[inline]
fn rim_index(x: f64, z: f64, across: f64) -> u32 {
    let (quadrant, cosine, sine) = if x > 0.0 && z >= 0.0 {
        (0, x, z)
    } else if z > 0.0 {
        (1, z, -x)
    } else if x < 0.0 {
        (2, -x, -z)
    } else {
        (3, -z, x)
    };
    let sum = across + cosine;
    let tangent = if sum > 0.0 { sine / sum } else { 0.0 };
    // Rounding up to a whole quadrant carries into the next one; the last wraps to the first.
    let steps = (tangent * f64::from(TANGENTS) + 0.5) as u32;
    ((quadrant << TANGENT_BITS) + steps) & !BASE
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLIDS: [Frustum; 3] = [
        Frustum { half_height: 0.5, top: 0.3, base: 0.3 },
        Frustum { half_height: 0.7, top: 0.0, base: 0.4 },
        Frustum { half_height: 1.0e-3, top: 20.0, base: 20.0 },
    ];

    /// The farthest point of the exact solid is `height · y + radius · across` away; the corner is as far.
    #[test]
    fn corners_are_as_far_as_the_circle() {
        for solid in SOLIDS {
            for i in 0..20_000 {
                let angle = f64::from(i) * 0.618_033_988;
                let tilt = f64::from(i % 201 - 100) / 100.0;
                let d = Displacement::new(angle.cos(), tilt * 3.0, angle.sin()) * 10.0_f64.powi(i % 9 - 4);
                let found = solid.corner(solid.support_index(&d)).dot(&d);
                let across = d.xz().norm();
                let h = f64::from(solid.half_height) * d.y;
                let exact = (h + f64::from(solid.top) * across).max(f64::from(solid.base) * across - h);
                let rounding = 4.0 * f64::EPSILON * d.norm() * f64::from(solid.half_height + solid.base);
                assert!((found - exact).abs() <= rounding, "{found} {exact} {d:?} {solid:?}");
            }
        }
    }

    #[test]
    fn directions_along_the_axes_have_corners() {
        let solid = SOLIDS[0];
        for (x, z) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, -1.0e-30), (-1.0, 1.0e-30)] {
            let corner = solid.corner(solid.support_index(&Displacement::new(x, 0.0, z)));
            let exact = Displacement::new(x, 0.0, z) * f64::from(solid.top);
            assert!((corner.xz() - exact.xz()).norm() < 1.0e-8, "{corner:?} {exact:?}");
        }
        assert_eq!(solid.corner(solid.support_index(&Displacement::zeros())).y, 0.5);
        let apex = SOLIDS[1].support_index(&Displacement::new(0.1, 5.0, -0.1));
        assert_eq!((apex, SOLIDS[1].corner(apex)), (0, Displacement::new(0.0, f64::from(0.7_f32), 0.0)));
    }
}
