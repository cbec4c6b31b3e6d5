//! Geoms: shapes of bodies.

use super::defaults::Element;
use super::{Reader, about};
use crate::error::SceneError;
use crate::import::rig::{DENSITY, along, hull_of, part, upright, vector};
use crate::model::{Body, PartSpec, ShapeSpec};
use crate::run::build_shape;
use drystone::math::inertia::MassProperties;
use drystone::math::{Real, RelativePose, Vector3};

/// A shape with its mass.
pub(super) struct Geom {
    pub part: PartSpec,
    pub mass: Option<MassProperties>,
}

impl Reader<'_> {
    /// A plane of the world.
    pub(super) fn plane(&self, geom: &Element<'_>) -> Result<Body, SceneError> {
        let place = self.place(geom.node, geom.attribute("pos"))?;
        let normal = place.rotation * Vector3::z();
        let name = geom.node.attribute("name").unwrap_or("ground");
        let at = place.translation.cast::<f64>();
        Ok(Body::new(name, ShapeSpec::HalfSpace { normal: normal.into() }, "robot")
            .fixed()
            .at(at.x, at.y, at.z))
    }

    /// A geom; `None` for one that is only looked at, or that there is no counterpart of (which is noted).
    pub(super) fn geom(&mut self, geom: &Element<'_>) -> Result<Option<Geom>, SceneError> {
        let node = geom.node;
        if [geom.attribute("contype"), geom.attribute("conaffinity")] == [Some("0"); 2] {
            self.left_out.add("geoms that touch nothing");
            return Ok(None);
        }
        if let Some(text) = geom.attribute("friction") {
            let sliding = self.source.numbers(node, "friction", text)?.first().map(|&mu| mu as Real);
            if self.friction.is_some() && self.friction != sliding {
                self.left_out.add("frictions that differ between geoms: the first one counts for all");
            }
            self.friction = self.friction.or(sliding);
        }
        let Some((shape, place)) = self.shape(geom)? else { return Ok(None) };
        let part = part(shape, &place);
        let solid = build_shape(&ShapeSpec::Compound { parts: vec![part.clone()] });
        let solid = solid.map_err(|error| self.source.fault(node, error.to_string()))?;
        let number = |name: &str| {
            let text = geom.attribute(name);
            text.map(|text| self.source.exactly(node, name, text).map(|[value]: [f64; 1]| value as Real))
                .transpose()
        };
        let density = number("density")?.unwrap_or(DENSITY);
        let mass = match number("mass")? {
            // Spread evenly: as heavy as it has to be for that mass.
            Some(mass) => solid.mass_properties(1.0).map(|unit| mass / unit.mass),
            None => Some(density),
        };
        let mass = mass.filter(|&density| density > 0.0).and_then(|density| solid.mass_properties(density));
        Ok(Some(Geom { part, mass }))
    }

    fn shape(&mut self, geom: &Element<'_>) -> Result<Option<(ShapeSpec, RelativePose)>, SceneError> {
        let node = geom.node;
        let kind = geom.attribute("type").unwrap_or("sphere");
        let size =
            geom.attribute("size").map_or(Ok(Vec::new()), |text| self.source.numbers(node, "size", text))?;
        let size = |k: usize| {
            let value = size.get(k).map(|&value| value as Real);
            value.ok_or_else(|| {
                self.source.fault(node, format!("the size of a {kind} must have {} numbers", k + 1))
            })
        };
        let place = self.place(node, geom.attribute("pos"))?;
        // A segment in place of a pose and a length.
        let segment = match geom.attribute("fromto") {
            Some(text) if matches!(kind, "capsule" | "cylinder" | "box") => {
                let v: [f64; 6] = self.source.exactly(node, "fromto", text)?;
                let (from, to) = (vector([v[0], v[1], v[2]]), vector([v[3], v[4], v[5]]));
                Some((0.5 * (to - from).norm(), RelativePose::new(0.5 * (from + to), along(&(to - from)))))
            }
            _ => None,
        };
        let round = || match &segment {
            Some((half, place)) => Ok::<_, SceneError>((*half, *place)),
            None => Ok((size(1)?, place.compose(&upright()))),
        };
        Ok(Some(match kind {
            "sphere" => (ShapeSpec::Sphere { radius: size(0)? }, place),
            "capsule" => {
                let (half_length, place) = round()?;
                (ShapeSpec::Capsule { half_length, radius: size(0)? }, place)
            }
            "cylinder" => {
                let (half_height, place) = round()?;
                (ShapeSpec::Cylinder { half_height, radius: size(0)? }, place)
            }
            "box" => match segment {
                Some((half, place)) => {
                    (ShapeSpec::Cuboid { half_extents: [size(0)?, half, size(0)?] }, place)
                }
                None => (ShapeSpec::Cuboid { half_extents: [size(0)?, size(1)?, size(2)?] }, place),
            },
            "ellipsoid" => {
                let radii = [size(0)?, size(1)?, size(2)?];
                let name = self.named(node);
                self.notes.push(format!("the ellipsoid {name} is a hull of {} points", RINGS * AROUND + 2));
                (ShapeSpec::Hull { points: ellipsoid(radii) }, place)
            }
            "mesh" => {
                let mesh = geom.attribute("mesh").unwrap_or("");
                let name = self.named(node);
                let found = self.file_of(mesh).ok_or_else(|| "there is no such asset".to_owned());
                match found.and_then(|(file, scale)| hull_of(&file, scale)) {
                    Ok(hull) => {
                        self.notes.push(format!("the mesh {mesh:?} of the geom {name} is its convex hull"));
                        (hull, place)
                    }
                    Err(reason) => {
                        self.notes
                            .push(format!("left out: the mesh {mesh:?} of the geom {name}, since {reason}"));
                        return Ok(None);
                    }
                }
            }
            other => {
                self.left_out.add(format!("geoms of type `{other}`"));
                return Ok(None);
            }
        }))
    }
}

const RINGS: usize = 7;
const AROUND: usize = 16;

/// Points on an ellipsoid.
fn ellipsoid(radii: [Real; 3]) -> Vec<[Real; 3]> {
    let mut points = vec![[0.0, 0.0, radii[2]], [0.0, 0.0, -radii[2]]];
    for ring in 1..=RINGS {
        let tilt =
            about(&Vector3::y(), std::f32::consts::PI * ring as Real / (RINGS + 1) as Real) * Vector3::z();
        for k in 0..AROUND {
            let p = about(&Vector3::z(), std::f32::consts::TAU * k as Real / AROUND as Real) * tilt;
            points.push([p.x * radii[0], p.y * radii[1], p.z * radii[2]]);
        }
    }
    points
}
