//! Where elements are and how they are turned, by any of the ways to say so.

use super::Reader;
use super::defaults::Element;
use crate::error::SceneError;
use crate::import::convert::{quaternion, vector};
use drystone::math::{Real, RelativePose, Rotation, Vector3};

/// Attributes that say how an element is turned; it may have one of them.
pub(super) const TURNS: [&str; 5] = ["quat", "axisangle", "euler", "zaxis", "xyaxes"];

impl Reader<'_> {
    /// Where an element is in the frame of what it is in.
    pub(super) fn place(&self, of: &Element<'_>) -> Result<RelativePose, SceneError> {
        let at = self.array(of, "pos", [0.0; 3])?;
        Ok(RelativePose::new(vector(at), self.turn(of)?))
    }

    fn turn(&self, of: &Element<'_>) -> Result<Rotation, SceneError> {
        let mut ways = TURNS.iter().filter_map(|&way| Some((way, of.attribute(way)?)));
        let Some((way, text)) = ways.next() else { return Ok(Rotation::identity()) };
        let fault = |message: String| self.source.fault(of.node, message);
        if let Some((other, _)) = ways.next() {
            return Err(fault(format!("one of {} may be given, got {way} and {other}", TURNS.join(", "))));
        }
        Ok(match way {
            "quat" => {
                let q = self.source.exactly(of.node, way, text)?;
                quaternion(q).ok_or_else(|| fault("quat must not be zero".to_owned()))?
            }
            "axisangle" => {
                let [x, y, z, angle] = self.source.exactly(of.node, way, text)?;
                about(&vector([x, y, z]), angle as Real * self.compiler.unit)
            }
            "euler" => self.euler(self.source.exactly(of.node, way, text)?),
            "zaxis" => {
                let axis = vector(self.source.exactly(of.node, way, text)?);
                let from_z = Rotation::rotation_between(&Vector3::z(), &axis);
                from_z.unwrap_or_else(|| about(&Vector3::x(), std::f32::consts::PI))
            }
            _ => {
                let v: [f64; 6] = self.source.exactly(of.node, way, text)?;
                let x = vector([v[0], v[1], v[2]]);
                let y = vector([v[3], v[4], v[5]]);
                let z = x.cross(&y);
                if z.norm() == 0.0 {
                    return Err(fault("xyaxes must be two directions".to_owned()));
                }
                let (x, z) = (x.normalize(), z.normalize());
                // Where z goes to is looked along; x is up in that picture.
                Rotation::face_towards(&z, &z.cross(&x))
            }
        })
    }

    fn euler(&self, angles: [f64; 3]) -> Rotation {
        let turns = self.compiler.sequence.iter().zip(angles);
        turns.fold(Rotation::identity(), |turn, (axis, angle)| {
            let direction = match axis.to_ascii_lowercase() {
                'x' => Vector3::x(),
                'y' => Vector3::y(),
                _ => Vector3::z(),
            };
            let next = about(&direction, angle as Real * self.compiler.unit);
            // Small letters turn about axes that turn along, capitals about fixed ones.
            if axis.is_ascii_lowercase() { turn * next } else { next * turn }
        })
    }
}

/// A turn about a direction, by an angle in radians.
pub(super) fn about(direction: &Vector3, angle: Real) -> Rotation {
    if direction.norm() == 0.0 {
        return Rotation::identity();
    }
    Rotation::from_scaled_axis(direction.normalize() * angle)
}
