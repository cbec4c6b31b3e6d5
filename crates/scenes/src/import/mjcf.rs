//! MJCF, the part of it that has counterparts: bodies, geoms, joints, inertials, defaults, `connect` and `weld` (mujoco.readthedocs.io/XMLreference).
//! Angles are degrees unless `compiler` says radians; poses are in the frame of the parent.

mod defaults;
mod geom;
mod joints;

use super::rig::{Hold, How, Link, Rig, joint, quaternion, vector};
use super::xml::{LeftOut, Source, elements, parse};
use super::{ImportOptions, Imported, name_of};
use crate::error::SceneError;
use crate::model::JointKindSpec;
use defaults::{Defaults, Element};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Position, Real, RelativePose, Rotation, Symmetric3, Vector3};
use roxmltree::Node;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Deepest nesting of bodies.
const MAX_DEPTH: usize = 200;

/// A model from the text of a file.
pub(super) fn read(text: &str, path: &Path, options: &ImportOptions) -> Result<Imported, SceneError> {
    let document = parse(text, path)?;
    let source = Source { document: &document, file: path.display().to_string() };
    let model = document.root_element();
    if !model.has_tag_name("mujoco") {
        let found = model.tag_name().name();
        return Err(source.fault(model, format!("expected the element `mujoco`, got `{found}`")));
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut reader = Reader::new(source, folder, model)?;
    let name = model.attribute("model").map_or_else(|| name_of(path), str::to_owned);
    let mut rig = Rig::new(name, [0.0, 0.0, -9.81]);
    for node in elements(model) {
        match node.tag_name().name() {
            "worldbody" => reader.world(node, &mut rig)?,
            "option" => {
                let gravity = reader.source.array(node, "gravity", [0.0, 0.0, -9.81])?;
                rig.gravity = gravity.map(|c| c as Real);
                if let Some(dt) = reader.source.optional(node, "timestep")? {
                    reader
                        .notes
                        .push(format!("steps of {dt} s are asked for: say --hz {}", (1.0 / dt).round()));
                }
            }
            "compiler" | "default" | "asset" => {}
            "equality" => reader.equality(node, &mut rig)?,
            "contact" => elements(node).for_each(|inner| match inner.tag_name().name() {
                // Bodies that a joint holds together do not meet as it is.
                "exclude" => {
                    reader.left_out.add("`exclude` of contacts between bodies that no joint holds together")
                }
                other => reader.left_out.add(format!("`{other}` of contacts")),
            }),
            other => {
                let count = elements(node).count().max(1);
                (0..count).for_each(|_| reader.left_out.add(format!("`{other}`")));
            }
        }
    }
    rig.friction = reader.friction;
    rig.notes = reader.notes;
    rig.notes.extend(reader.left_out.notes());
    Ok(rig.scene(options))
}

/// What is read, and how.
struct Reader<'a> {
    source: Source<'a>,
    folder: PathBuf,
    defaults: Defaults<'a>,
    /// Files of meshes by name, with their scales.
    meshes: BTreeMap<String, (PathBuf, [f64; 3])>,
    /// Radians in a unit of the file's angles.
    unit: Real,
    /// Axes of Euler angles, and whether they turn with what they turn.
    sequence: Vec<char>,
    /// Limits count where they are given.
    autolimits: bool,
    friction: Option<Real>,
    left_out: LeftOut,
    notes: Vec<String>,
    unnamed: usize,
}

impl<'a> Reader<'a> {
    fn new(source: Source<'a>, folder: PathBuf, model: Node<'a, 'a>) -> Result<Self, SceneError> {
        let compilers = || elements(model).filter(|node| node.has_tag_name("compiler"));
        let setting = |name: &str| compilers().filter_map(|node| node.attribute(name)).last();
        if let Some(node) = compilers().find(|node| node.attribute("coordinate") == Some("global")) {
            return Err(source.fault(node, "global coordinates are not read, only local ones"));
        }
        let unit = match setting("angle") {
            Some("radian") => 1.0,
            _ => std::f32::consts::PI / 180.0,
        };
        let below = folder.join(setting("meshdir").or(setting("assetdir")).unwrap_or(""));
        let mut meshes = BTreeMap::new();
        let assets = elements(model).filter(|node| node.has_tag_name("asset"));
        for mesh in assets.flat_map(elements).filter(|node| node.has_tag_name("mesh")) {
            let Some(file) = mesh.attribute("file") else { continue };
            let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let name = mesh.attribute("name").map(str::to_owned).or(stem).unwrap_or_default();
            meshes.insert(name, (below.join(file), source.array(mesh, "scale", [1.0; 3])?));
        }
        let sequence = setting("eulerseq").unwrap_or("xyz").chars().collect();
        let autolimits = setting("autolimits") != Some("false");
        let defaults = Defaults::read(model);
        let (left_out, notes) = (LeftOut::default(), Vec::new());
        Ok(Self {
            source,
            folder,
            defaults,
            meshes,
            unit,
            sequence,
            autolimits,
            friction: None,
            left_out,
            notes,
            unnamed: 0,
        })
    }

    /// The world: what lies in it does not move, its bodies do.
    fn world(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        let mut still = Vec::new();
        for inner in elements(node).filter(|inner| !inner.has_tag_name("body")) {
            match inner.tag_name().name() {
                "geom" => {
                    let geom = Element::new(&self.defaults, inner, None);
                    if geom.attribute("type") == Some("plane") {
                        rig.fixtures.push(self.plane(&geom)?);
                    } else if let Some(geom) = self.geom(&geom)? {
                        still.push(geom.part);
                    }
                }
                "frame" => {
                    return Err(self.source.fault(inner, "`frame` is not read: give poses to what is in it"));
                }
                other => self.left_out.add(format!("`{other}` of the world")),
            }
        }
        if !still.is_empty() {
            let name = "world".to_owned();
            rig.links.push(Link { name, pose: Pose::IDENTITY, parts: still, mass: None, is_fixed: true });
        }
        let mut bodies = elements(node).filter(|inner| inner.has_tag_name("body"));
        bodies.try_for_each(|inner| self.body(inner, None, None, &Pose::IDENTITY, 0, rig))
    }

    /// A body, and what hangs on it.
    fn body(
        &mut self,
        node: Node<'a, 'a>,
        parent: Option<usize>,
        class: Option<&'a str>,
        above: &Pose,
        depth: usize,
        rig: &mut Rig,
    ) -> Result<(), SceneError> {
        if depth > MAX_DEPTH {
            return Err(self.source.fault(node, format!("bodies are nested more than {MAX_DEPTH} deep")));
        }
        let class = node.attribute("childclass").or(class);
        let pose = above.compose(&self.place(node, node.attribute("pos"))?);
        let name = node.attribute("name").map_or_else(
            || {
                self.unnamed += 1;
                format!("body {}", self.unnamed)
            },
            str::to_owned,
        );
        if rig.links.iter().any(|link| link.name == name) {
            return Err(self.source.fault(node, "there is another body of this name"));
        }
        let (mut parts, mut masses, mut inertial, mut joints) = (Vec::new(), Vec::new(), None, Vec::new());
        for inner in elements(node) {
            match inner.tag_name().name() {
                "geom" => {
                    let geom = Element::new(&self.defaults, inner, class);
                    if let Some(geom) = self.geom(&geom)? {
                        masses.extend(geom.mass);
                        parts.push(geom.part);
                    }
                }
                "inertial" => inertial = Some(self.inertial(inner)?),
                "joint" | "freejoint" => joints.push(Element::new(&self.defaults, inner, class)),
                "body" => {}
                "frame" => {
                    return Err(self.source.fault(inner, "`frame` is not read: give poses to what is in it"));
                }
                other => self.left_out.add(format!("`{other}` of bodies")),
            }
        }
        let mass = inertial.or_else(|| MassProperties::combined(&masses));
        let index = rig.links.len();
        rig.links.push(Link { name, pose, parts, mass, is_fixed: parent.is_none() && joints.is_empty() });
        self.hang(node, &joints, parent, index, rig)?;
        let mut bodies = elements(node).filter(|inner| inner.has_tag_name("body"));
        bodies.try_for_each(|inner| self.body(inner, Some(index), class, &pose, depth + 1, rig))
    }

    fn inertial(&self, node: Node<'_, '_>) -> Result<MassProperties, SceneError> {
        let mass = self.source.number(node, "mass")?;
        let place = self.place(node, node.attribute("pos"))?;
        let tensor = match (node.attribute("fullinertia"), node.attribute("diaginertia")) {
            (Some(text), _) => {
                let [xx, yy, zz, xy, xz, yz] =
                    self.source.exactly(node, "fullinertia", text)?.map(|c: f64| c as Real);
                Symmetric3 { xx, yy, zz, xy, xz, yz }
            }
            (None, Some(text)) => {
                let [xx, yy, zz] = self.source.exactly(node, "diaginertia", text)?.map(|c: f64| c as Real);
                Symmetric3 { xx, yy, zz, ..Symmetric3::ZERO }
            }
            (None, None) => return Err(self.source.fault(node, "diaginertia or fullinertia is missing")),
        };
        let own = MassProperties::from_tensor(mass, Vector3::zeros(), &tensor);
        if !own.is_valid() {
            return Err(self
                .source
                .fault(node, format!("no body has this mass and these moments ({mass} kg)")));
        }
        Ok(own.transformed(&place.translation, &place.rotation))
    }

    /// `connect` and `weld` between two bodies.
    fn equality(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        for inner in elements(node) {
            let kind = match inner.tag_name().name() {
                "connect" => JointKindSpec::Ball,
                "weld" => JointKindSpec::Fixed,
                other => {
                    self.left_out.add(format!("`{other}` of equality"));
                    continue;
                }
            };
            let (Some(first), Some(second)) = (inner.attribute("body1"), inner.attribute("body2")) else {
                self.left_out.add(format!("`{}` with the world or with sites", inner.tag_name().name()));
                continue;
            };
            let find = |name: &str| rig.links.iter().position(|link| link.name == name);
            let [Some(a), Some(b)] = [first, second].map(find) else {
                return Err(self
                    .source
                    .fault(inner, format!("there must be bodies {first:?} and {second:?}")));
            };
            let anchor = vector(self.source.array(inner, "anchor", [0.0; 3])?);
            let at: Position = rig.links[a].pose.transform_point(&anchor);
            let name = inner.attribute("name").unwrap_or("").to_owned();
            rig.holds.push(Hold { name, ends: [a, b], how: How::Joint(Box::new(joint(kind, &at, None))) });
        }
        Ok(())
    }

    /// Where an element is in the frame of what it is in.
    fn place(&self, node: Node<'_, '_>, at: Option<&str>) -> Result<RelativePose, SceneError> {
        let at = at.map_or(Ok([0.0; 3]), |text| self.source.exactly(node, "pos", text))?;
        Ok(RelativePose::new(vector(at), self.turn(node)?))
    }

    /// How an element is turned, by any of the ways to say so.
    fn turn(&self, node: Node<'_, '_>) -> Result<Rotation, SceneError> {
        if let Some(text) = node.attribute("quat") {
            let q = self.source.exactly(node, "quat", text)?;
            return quaternion(q).ok_or_else(|| self.source.fault(node, "quat must not be zero"));
        }
        if let Some(text) = node.attribute("axisangle") {
            let [x, y, z, angle] = self.source.exactly(node, "axisangle", text)?;
            return Ok(about(&vector([x, y, z]), angle as Real * self.unit));
        }
        if let Some(text) = node.attribute("euler") {
            let angles: [f64; 3] = self.source.exactly(node, "euler", text)?;
            let mut turn = Rotation::identity();
            for (axis, angle) in self.sequence.iter().zip(angles) {
                let direction = match axis.to_ascii_lowercase() {
                    'x' => Vector3::x(),
                    'y' => Vector3::y(),
                    'z' => Vector3::z(),
                    other => {
                        return Err(self
                            .source
                            .fault(node, format!("eulerseq must be of x, y and z, got {other:?}")));
                    }
                };
                let next = about(&direction, angle as Real * self.unit);
                // Small letters turn about axes that turn along, capitals about fixed ones.
                turn = if axis.is_ascii_lowercase() { turn * next } else { next * turn };
            }
            return Ok(turn);
        }
        if let Some(text) = node.attribute("zaxis") {
            let axis = vector(self.source.exactly(node, "zaxis", text)?);
            let from_z = Rotation::rotation_between(&Vector3::z(), &axis);
            return Ok(from_z.unwrap_or_else(|| about(&Vector3::x(), std::f32::consts::PI)));
        }
        if let Some(text) = node.attribute("xyaxes") {
            let v: [f64; 6] = self.source.exactly(node, "xyaxes", text)?;
            let x = vector([v[0], v[1], v[2]]);
            let y = vector([v[3], v[4], v[5]]);
            let z = x.cross(&y);
            if z.norm() == 0.0 {
                return Err(self.source.fault(node, "xyaxes must be two directions"));
            }
            let (x, z) = (x.normalize(), z.normalize());
            // Where z goes to is looked along; x is up in that picture.
            let toward = Rotation::face_towards(&z, &z.cross(&x));
            return Ok(toward);
        }
        Ok(Rotation::identity())
    }

    fn named(&self, node: Node<'_, '_>) -> String {
        let body = node.parent_element().and_then(|body| body.attribute("name")).unwrap_or("");
        node.attribute("name").map_or_else(|| format!("of {body:?}"), |name| format!("{name:?}"))
    }

    /// The folder of the file, where meshes that no asset names are.
    fn file_of(&self, name: &str) -> Option<(PathBuf, [f64; 3])> {
        let beside = || Some((self.folder.join(name), [1.0; 3])).filter(|(file, _)| file.is_file());
        self.meshes.get(name).cloned().or_else(beside)
    }
}

/// A turn about a direction, by an angle in radians.
fn about(direction: &Vector3, angle: Real) -> Rotation {
    if direction.norm() == 0.0 {
        return Rotation::identity();
    }
    Rotation::from_scaled_axis(direction.normalize() * angle)
}
