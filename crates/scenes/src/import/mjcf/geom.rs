//! Geoms: shapes of bodies, with their masses and whom they meet.

use super::Reader;
use super::defaults::Element;
use super::pose::about;
use crate::error::SceneError;
use crate::import::convert::{along, hull_of, part, upright, vector};
use crate::import::filter::Filter;
use crate::import::rig::{DENSITY, Link, MATERIAL};
use crate::model::{Body, ShapeSpec};
use crate::run::build_shape;
use drystone::math::inertia::MassProperties;
use drystone::math::{Real, RelativePose, Vector3};

impl Reader<'_> {
    /// A plane of the world; `None` for one that touches nothing.
    pub(super) fn plane(
        &mut self,
        geom: &Element<'_>,
        frame: &RelativePose,
    ) -> Result<Option<(Body, Filter)>, SceneError> {
        let place = frame.compose(&self.place(geom)?);
        let filter = self.filter(geom)?;
        if filter.is_nothing() {
            self.left_out.add("planes that touch nothing");
            return Ok(None);
        }
        self.slide(geom)?;
        let normal = place.rotation * Vector3::z();
        let name = geom.attribute("name").unwrap_or("ground");
        let at = place.translation.cast::<f64>();
        let body = Body::new(name, ShapeSpec::HalfSpace { normal: normal.into() }, MATERIAL);
        Ok(Some((body.fixed().at(at.x, at.y, at.z), filter)))
    }

    /// Adds a geom to its link, and returns its mass; `None` where it has none, or nobody asks (`is_weighed`).
    ///
    /// What touches nothing has a mass all the same (MuJoCo infers inertias from all geoms). What has no counterpart is noted.
    pub(super) fn geom(
        &mut self,
        geom: &Element<'_>,
        frame: &RelativePose,
        is_weighed: bool,
        link: &mut Link,
    ) -> Result<Option<MassProperties>, SceneError> {
        let filter = self.filter(geom)?;
        let mass = self.at_least_zero(geom, "mass")?;
        let density = self.at_least_zero(geom, "density")?.unwrap_or(DENSITY);
        let has_mass = is_weighed && mass.unwrap_or(density) > 0.0;
        if filter.is_nothing() {
            self.left_out.add("shapes of geoms that touch nothing");
            if !has_mass {
                return Ok(None);
            }
        } else {
            self.slide(geom)?;
        }
        let Some((shape, place)) = self.shape(geom)? else {
            // A mesh that is only looked at is not missed, but one that has the mass is.
            let is_mesh = geom.attribute("type") == Some("mesh") && has_mass;
            link.lost =
                link.lost.take().or_else(|| is_mesh.then(|| self.notes.last().cloned().unwrap_or_default()));
            return Ok(None);
        };
        let part = part(shape, &frame.compose(&place));
        let solid = build_shape(&ShapeSpec::Compound { parts: vec![part.clone()] });
        let solid = solid.map_err(|error| self.source.fault(geom.node, error.to_string()))?;
        if !filter.is_nothing() {
            link.parts.push(part);
            link.filters.push(filter);
        }
        if !has_mass {
            return Ok(None);
        }
        let density = match mass {
            // Spread evenly: as heavy as it has to be for that mass.
            Some(mass) => solid.mass_properties(1.0).map(|unit| mass / unit.mass),
            None => Some(density),
        };
        Ok(density.and_then(|density| solid.mass_properties(density)))
    }

    /// A number that is not negative.
    pub(super) fn at_least_zero(&self, of: &Element<'_>, name: &str) -> Result<Option<Real>, SceneError> {
        let value = self.number(of, name)?;
        match value.filter(|&value| value < 0.0) {
            Some(value) => Err(self.source.fault(of.node, format!("{name} must be at least 0, got {value}"))),
            None => Ok(value),
        }
    }

    /// Whom a geom meets.
    fn filter(&self, geom: &Element<'_>) -> Result<Filter, SceneError> {
        let bits = |name: &str| match geom.attribute(name).map(|text| (text, text.trim().parse::<i32>())) {
            Some((_, Ok(bits))) => Ok(bits as u32),
            Some((text, Err(_))) => Err(self
                .source
                .fault(geom.node, format!("{name} must be a whole number of 32 bits, got {text:?}"))),
            None => Ok(1),
        };
        let more = geom.attribute("name").and_then(|name| self.paired.get(name));
        let more = more.copied().unwrap_or(Filter { is: 0, asks: 0 });
        Ok(Filter { is: bits("contype")? | more.is, asks: bits("conaffinity")? | more.asks })
    }

    /// Takes the friction of a geom for all of the scene, if it is the first one.
    fn slide(&mut self, geom: &Element<'_>) -> Result<(), SceneError> {
        let said = geom.attribute("friction").map(|text| self.source.numbers(geom.node, "friction", text));
        // MuJoCo's own number is 1.
        let friction = said.transpose()?.and_then(|all| all.first().copied()).unwrap_or(1.0) as Real;
        if friction < 0.0 {
            let message = format!("friction must be at least 0, got {friction}");
            return Err(self.source.fault(geom.node, message));
        }
        if *self.friction.get_or_insert(friction) != friction {
            self.left_out.add("frictions that differ between geoms: the first one counts for all");
        }
        Ok(())
    }

    fn shape(&mut self, geom: &Element<'_>) -> Result<Option<(ShapeSpec, RelativePose)>, SceneError> {
        let node = geom.node;
        let kind = geom.attribute("type").unwrap_or("sphere");
        if kind != "mesh" && geom.attribute("mesh").is_some() {
            self.left_out.add("fits of simple shapes to meshes");
        }
        let size =
            geom.attribute("size").map_or(Ok(Vec::new()), |text| self.source.numbers(node, "size", text))?;
        let size = |k: usize| {
            let value = size.get(k).map(|&value| value as Real);
            value.ok_or_else(|| {
                self.source.fault(node, format!("the size of a {kind} must have {} numbers", k + 1))
            })
        };
        let place = self.place(geom)?;
        // A segment in place of a pose and a length.
        let segment = match geom.attribute("fromto") {
            Some(text) if matches!(kind, "capsule" | "cylinder" | "box" | "ellipsoid") => {
                let v: [f64; 6] = self.source.exactly(node, "fromto", text)?;
                let (from, to) = (vector([v[0], v[1], v[2]]), vector([v[3], v[4], v[5]]));
                Some((0.5 * (to - from).norm(), RelativePose::new(0.5 * (from + to), along(&(to - from)))))
            }
            Some(_) => {
                let message =
                    format!("fromto must be of a capsule, cylinder, box or ellipsoid, got a {kind}");
                return Err(self.source.fault(node, message));
            }
            None => None,
        };
        let round = || match &segment {
            Some((half, place)) => Ok::<_, SceneError>((*half, *place)),
            None => Ok((size(1)?, place.compose(&upright()))),
        };
        // Along the segment is y.
        let three = || match &segment {
            Some((half, place)) => Ok::<_, SceneError>(([size(0)?, *half, size(0)?], *place)),
            None => Ok(([size(0)?, size(1)?, size(2)?], place)),
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
            "box" => {
                let (half_extents, place) = three()?;
                (ShapeSpec::Cuboid { half_extents }, place)
            }
            "ellipsoid" => {
                let (radii, place) = three()?;
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
