//! URDF: robots as ROS describes them (wiki.ros.org/urdf/XML). Metres, radians, z up; angles roll, pitch, yaw about fixed axes.

mod mimic;

use super::convert::{along, from_where_it_stands, hull_of, part, roll_pitch_yaw, upright, vector};
use super::filter::Filter;
use super::overlaps::{Apart, keep_apart};
use super::rig::{Dof, Hold, How, Link, MATERIAL, Motion, Rig};
use super::xml::{LeftOut, Origins, Source, XACRO, child, elements, parse};
use super::{ImportOptions, Imported, name_of, unreadable};
use crate::error::SceneError;
use crate::model::{Body, MotorSpec, PartSpec, RotorSpec, ShapeSpec};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real, RelativePose, Rotation, Symmetric3, Vector3};
use roxmltree::Node;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A robot from the text of a file.
pub(super) fn read(
    text: &str,
    path: &Path,
    options: &ImportOptions,
) -> Result<(Imported, Vec<RotorSpec>), SceneError> {
    let document = parse(text, path)?;
    let source =
        Source { document: &document, file: path.display().to_string(), origins: Origins::default() };
    let robot = document.root_element();
    if !robot.has_tag_name("robot") {
        let found = robot.tag_name().name();
        return Err(source.fault(robot, format!("expected the element `robot`, got `{found}`")));
    }
    let mut reader = Reader {
        source,
        folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        left_out: LeftOut::default(),
        notes: Vec::new(),
        planes: Vec::new(),
        lost: None,
    };
    let name = robot.attribute("name").map_or_else(|| name_of(path), str::to_owned);
    let mut rig = Rig::new(name, [0.0, 0.0, -9.81]);
    let mut index = BTreeMap::new();
    for node in elements(robot) {
        if node.tag_name().namespace().is_some_and(|space| space.contains("xacro")) {
            reader.left_out.add(format!("`xacro:{}`{XACRO}", node.tag_name().name()));
            continue;
        }
        match node.tag_name().name() {
            "link" => {
                let link = reader.link(node)?;
                if index.insert(link.name.clone(), rig.links.len()).is_some() {
                    return Err(reader.source.fault(node, "there is another link of this name"));
                }
                rig.links.push(link);
            }
            "joint" => {}
            "material" => reader.left_out.add("colours of materials"),
            other => reader.left_out.add(format!("`{other}`")),
        }
    }
    if rig.links.is_empty() {
        return Err(reader.source.fault(robot, "there must be a link, there is none"));
    }
    reader.assemble(robot, &index, &mut rig)?;
    reader.level(&mut rig);
    // What became of the robot meanwhile comes after what was read.
    let later = std::mem::replace(&mut rig.notes, reader.notes);
    rig.notes.extend(later.into_iter().chain(reader.left_out.notes()));
    let (mut imported, rotors) = rig.scene(options).map_err(|reason| unreadable(path, reason))?;
    keep_apart(&mut imported, Apart::All);
    Ok((imported, rotors))
}

struct Reader<'a> {
    source: Source<'a>,
    folder: PathBuf,
    left_out: LeftOut,
    notes: Vec<String>,
    /// Planes of links: whose, a point and the normal, in the frame of the link.
    planes: Vec<(String, Vector3, Vector3)>,
    /// A mesh of the link being read that could not be read, and why.
    lost: Option<String>,
}

/// A joint before its links have places.
struct Joint<'a, 'd> {
    node: Node<'a, 'd>,
    ends: [usize; 2],
    local: RelativePose,
}

impl Reader<'_> {
    fn origin(&self, node: Node<'_, '_>) -> Result<RelativePose, SceneError> {
        let Some(origin) = child(node, "origin") else { return Ok(RelativePose::IDENTITY) };
        let at = self.source.array(origin, "xyz", [0.0; 3])?;
        let angles = self.source.array(origin, "rpy", [0.0; 3])?;
        Ok(RelativePose::new(vector(at), roll_pitch_yaw(angles)))
    }

    fn link(&mut self, node: Node<'_, '_>) -> Result<Link, SceneError> {
        let name = self.source.required(node, "name")?.to_owned();
        let (mut parts, mut mass) = (Vec::new(), None);
        self.lost = None;
        for inner in elements(node) {
            match inner.tag_name().name() {
                "inertial" => mass = self.inertial(inner)?,
                "collision" => parts.extend(self.collision(inner, &name)?),
                "visual" => self.left_out.add("visual shapes of links"),
                other => self.left_out.add(format!("`{other}` of links")),
            }
        }
        let (is_given, lost) = (mass.is_some(), self.lost.take());
        Ok(Link { parts, mass, is_given, lost, ..Link::new(name, Pose::IDENTITY) })
    }

    fn inertial(&mut self, node: Node<'_, '_>) -> Result<Option<MassProperties>, SceneError> {
        let place = self.origin(node)?;
        let fault = |what: &str| self.source.fault(node, what);
        let mass = child(node, "mass").ok_or_else(|| fault("the element `mass` is missing"))?;
        let mass = self.source.number(mass, "value")?;
        let tensor = child(node, "inertia").ok_or_else(|| fault("the element `inertia` is missing"))?;
        let entry = |name: &str| Ok::<_, SceneError>(self.source.optional(tensor, name)?.unwrap_or(0.0));
        let tensor = Symmetric3 {
            xx: entry("ixx")?,
            yy: entry("iyy")?,
            zz: entry("izz")?,
            xy: entry("ixy")?,
            xz: entry("ixz")?,
            yz: entry("iyz")?,
        };
        let link = node.parent().and_then(|link| link.attribute("name")).unwrap_or("").to_owned();
        let own = MassProperties::from_tensor(mass, Vector3::zeros(), &tensor);
        let is_finite = mass.is_finite() && own.principal.iter().all(|moment| moment.is_finite());
        if !is_finite || mass < 0.0 {
            self.notes.push(format!("link {link:?} has a mass or moments that no body has ({mass} kg): those of its shapes are taken"));
            return Ok(None);
        }
        // Without mass it is a frame, whatever its moments.
        if mass == 0.0 {
            return Ok(None);
        }
        Ok(Some(own.transformed(&place.translation, &place.rotation)))
    }

    fn collision(&mut self, node: Node<'_, '_>, link: &str) -> Result<Option<PartSpec>, SceneError> {
        let place = self.origin(node)?;
        let geometry = child(node, "geometry").and_then(|geometry| elements(geometry).next());
        let shape = geometry.ok_or_else(|| self.source.fault(node, "there is no shape in its `geometry`"))?;
        if self.is_of_no_size(shape)? {
            self.left_out.add("shapes of size 0");
            return Ok(None);
        }
        Ok(match shape.tag_name().name() {
            "box" => {
                let size: [f64; 3] =
                    self.source.exactly(shape, "size", self.source.required(shape, "size")?)?;
                Some(part(ShapeSpec::Cuboid { half_extents: size.map(|edge| 0.5 * edge as Real) }, &place))
            }
            "sphere" => {
                Some(part(ShapeSpec::Sphere { radius: self.source.number(shape, "radius")? }, &place))
            }
            kind @ ("cylinder" | "capsule") => {
                let radius = self.source.number(shape, "radius")?;
                let half = 0.5 * self.source.number(shape, "length")?;
                let shape = match kind {
                    "cylinder" => ShapeSpec::Cylinder { half_height: half, radius },
                    _ => ShapeSpec::Capsule { half_length: half, radius },
                };
                Some(part(shape, &place.compose(&upright())))
            }
            "mesh" => {
                let name = self.source.required(shape, "filename")?;
                let scale = self.source.array(shape, "scale", [1.0; 3])?;
                match self
                    .file_of(name)
                    .map_or_else(|| Err("it is not there".to_owned()), |file| hull_of(&file, scale))
                {
                    Ok(hull) => {
                        self.notes.push(format!("link {link:?}: the mesh {name:?} is its convex hull"));
                        Some(part(hull, &place))
                    }
                    Err(reason) => {
                        self.notes
                            .push(format!("left out: the mesh {name:?} of link {link:?}, since {reason}"));
                        self.lost = Some(format!("{name:?}: {reason}"));
                        None
                    }
                }
            }
            // Not of URDF itself, but of simulators that read it.
            "plane" => {
                let normal = vector(self.source.array(shape, "normal", [0.0, 0.0, 1.0])?);
                if normal.norm() == 0.0 {
                    return Err(self.source.fault(shape, "normal must not be zero"));
                }
                self.planes.push((link.to_owned(), place.translation, place.rotation * normal));
                None
            }
            other => {
                return Err(self.source.fault(
                    shape,
                    format!("expected box, cylinder, sphere, capsule, mesh or plane, got `{other}`"),
                ));
            }
        })
    }

    /// True for a box, ball, cylinder or capsule one of whose sizes is 0: people say so that there is none.
    fn is_of_no_size(&self, shape: Node<'_, '_>) -> Result<bool, SceneError> {
        for name in ["size", "radius", "length"] {
            let Some(text) = shape.attribute(name) else { continue };
            // A capsule of no length is a ball.
            let may_be_zero = name == "length" && shape.has_tag_name("capsule");
            if !may_be_zero && self.source.numbers(shape, name, text)?.contains(&0.0) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes half spaces of planes. A plane has no end and cannot move: neither does its link, where nothing else moves it.
    fn level(&mut self, rig: &mut Rig) {
        for (name, at, normal) in std::mem::take(&mut self.planes) {
            let Some(index) = rig.links.iter().position(|link| link.name == name) else { continue };
            // A child hangs on a joint.
            if rig.holds.iter().any(|hold| hold.ends[1] == index) {
                self.left_out.add("planes of links that hang on joints");
                continue;
            }
            if !rig.links[index].is_fixed {
                rig.links[index].is_fixed = true;
                self.notes.push(format!("link {name:?} has a plane: it does not move"));
            }
            let pose = rig.links[index].pose;
            let (at, normal) = (pose.transform_point(&at), pose.rotation * normal);
            let shape = ShapeSpec::HalfSpace { normal: normal.normalize().into() };
            let body = Body::new(format!("{name} plane"), shape, MATERIAL).fixed().at(at.x, at.y, at.z);
            rig.fixtures.push((body, Filter { is: 1, asks: 1 }));
        }
    }

    /// A file by its name: `package://NAME/PATH` is looked for below the folders above the robot's.
    fn file_of(&self, name: &str) -> Option<PathBuf> {
        if let Some(plain) = name.strip_prefix("file://") {
            return Some(PathBuf::from(plain)).filter(|file| file.is_file());
        }
        let Some(inside) = name.strip_prefix("package://") else {
            return Some(self.folder.join(name)).filter(|file| file.is_file());
        };
        let below = inside.split_once('/').map_or(inside, |(_, path)| path);
        let mut folders = self.folder.ancestors();
        folders.find_map(|folder| {
            [inside, below].map(|path| folder.join(path)).into_iter().find(|file| file.is_file())
        })
    }

    /// Puts the links where the joints say, and the joints between them.
    fn assemble(
        &mut self,
        robot: Node<'_, '_>,
        index: &BTreeMap<String, usize>,
        rig: &mut Rig,
    ) -> Result<(), SceneError> {
        let mut joints = Vec::new();
        for node in elements(robot).filter(|node| node.has_tag_name("joint")) {
            let end = |role: &str| {
                let link = child(node, role)
                    .ok_or_else(|| self.source.fault(node, format!("the element `{role}` is missing")))?;
                let name = self.source.required(link, "link")?;
                index
                    .get(name)
                    .copied()
                    .ok_or_else(|| self.source.fault(link, format!("there is no link {name:?}")))
            };
            joints.push(Joint { node, ends: [end("parent")?, end("child")?], local: self.origin(node)? });
        }
        let mut parents: Vec<Option<usize>> = vec![None; rig.links.len()];
        for (number, joint) in joints.iter().enumerate() {
            if parents[joint.ends[1]].replace(number).is_some() {
                return Err(self.source.fault(joint.node, "its child hangs on another joint already"));
            }
        }
        let roots: Vec<usize> = (0..rig.links.len()).filter(|&link| parents[link].is_none()).collect();
        let &[root] = &roots[..] else {
            let message = format!(
                "one link must hang on nothing, there are {} ({})",
                roots.len(),
                if roots.is_empty() { "the joints go in a ring" } else { "the others are not connected" }
            );
            return Err(self.source.fault(robot, message));
        };
        let mut placed = vec![false; rig.links.len()];
        placed[root] = true;
        let mut open = vec![root];
        while let Some(link) = open.pop() {
            for joint in joints.iter().filter(|joint| joint.ends[0] == link) {
                let end = joint.ends[1];
                rig.links[end].pose = rig.links[link].pose.compose(&joint.local);
                placed[end] = true;
                open.push(end);
            }
        }
        if let Some(lost) = placed.iter().position(|placed| !placed) {
            return Err(self.source.fault(
                robot,
                format!(
                    "link {:?} does not hang on the others (the joints go in a ring)",
                    rig.links[lost].name
                ),
            ));
        }
        // A root that is called so is the world.
        let world = &mut rig.links[root];
        world.is_fixed = world.name == "world";
        let mut holds = Vec::with_capacity(joints.len());
        for joint in &joints {
            let how = self.how(joint, rig)?;
            holds.push(how.is_some().then_some(rig.holds.len()));
            if let Some(how) = how {
                let name = format!("{:?}", joint.node.attribute("name").unwrap_or(""));
                rig.holds.push(Hold { name, ends: joint.ends, how });
            }
        }
        let nodes: Vec<_> = joints.iter().map(|joint| joint.node).zip(holds).collect();
        mimic::read(&self.source, &nodes, rig)?;
        // The root comes first, so that what is fixed to it is called after it.
        rig.links.swap(0, root);
        let moved = |link: usize| {
            if link == 0 {
                root
            } else if link == root {
                0
            } else {
                link
            }
        };
        rig.holds.iter_mut().for_each(|hold| hold.ends = hold.ends.map(moved));
        // What floats in the world is the robot.
        let floats = |joint: &&Joint<'_, '_>| {
            joint.ends[0] == root && joint.node.attribute("type") == Some("floating")
        };
        let afloat = joints.iter().find(floats).filter(|_| rig.links[0].is_fixed);
        rig.base = Some(moved(afloat.map_or(root, |joint| joint.ends[1])));
        Ok(())
    }

    /// What a joint is; `None` for one that holds nothing.
    fn how(&mut self, of: &Joint<'_, '_>, rig: &Rig) -> Result<Option<How>, SceneError> {
        let node = of.node;
        let pose = rig.links[of.ends[1]].pose;
        let kind = self.source.required(node, "type")?;
        let chain = |dofs: Vec<Dof>| Ok(Some(How::Chain { dofs, collides: false }));
        let name = node.attribute("name").unwrap_or("");
        let dof = |motion, axis| Dof::new(name, motion, pose.translation, axis);
        match kind {
            "fixed" => return Ok(Some(How::Welded)),
            "floating" => {
                self.leave_out(node, "floating");
                return Ok(None);
            }
            // Not of URDF itself, but of simulators that read it.
            "spherical" => {
                self.leave_out(node, "spherical");
                return chain(vec![dof(Motion::Ball, Vector3::x())]);
            }
            _ => {}
        }
        let axis = child(node, "axis")
            .map_or(Ok([1.0, 0.0, 0.0]), |axis| self.source.array(axis, "xyz", [1.0, 0.0, 0.0]))?;
        let Some(axis) = (pose.rotation * vector(axis)).try_normalize(0.0) else {
            return Err(self.source.fault(node, "its axis must not be zero"));
        };
        match kind {
            "revolute" | "continuous" => {
                chain(vec![self.movement(node, kind == "revolute", dof(Motion::Turn, axis))?])
            }
            "prismatic" => chain(vec![self.movement(node, true, dof(Motion::Slide, axis))?]),
            "planar" => {
                self.leave_out(node, "planar");
                let turn = Rotation::rotation_between(&Vector3::x(), &axis).unwrap_or_else(|| along(&axis));
                let ways = [Vector3::y(), Vector3::z()].map(|way| dof(Motion::Slide, turn * way));
                let [first, second] = ways;
                chain(vec![first, second, dof(Motion::Turn, axis)])
            }
            other => {
                let message = format!(
                    "type must be revolute, continuous, prismatic, fixed, floating, planar or spherical, got {other:?}"
                );
                Err(self.source.fault(node, message))
            }
        }
    }

    /// Notes what a joint of a type has no counterpart for.
    fn leave_out(&mut self, node: Node<'_, '_>, kind: &str) {
        for inner in elements(node) {
            match inner.tag_name().name() {
                "origin" | "parent" | "child" | "axis" => {}
                other => self.left_out.add(format!("`{other}` of {kind} joints")),
            }
        }
    }

    /// A number of an attribute that is not negative, and above 0 where there is one.
    fn above_zero(&self, node: Node<'_, '_>, name: &str) -> Result<Option<Real>, SceneError> {
        let value = self.source.optional(node, name)?;
        match value.filter(|&value| value < 0.0) {
            Some(value) => Err(self.source.fault(node, format!("{name} must be at least 0, got {value}"))),
            None => Ok(value.filter(|&value| value > 0.0)),
        }
    }

    /// Limits, damping and friction of a joint.
    fn movement(&mut self, node: Node<'_, '_>, has_limits: bool, mut dof: Dof) -> Result<Dof, SceneError> {
        for inner in elements(node) {
            match inner.tag_name().name() {
                "limit" => {
                    if has_limits {
                        let limits = ["lower", "upper"].map(|name| self.source.optional(inner, name));
                        let [lower, upper] = limits;
                        let (lower, upper) = (lower?.unwrap_or(0.0), upper?.unwrap_or(0.0));
                        if upper < lower {
                            self.notes.push(format!(
                                "limits of joint {:?} are upside down, {lower} and {upper}: they are taken the other way round",
                                dof.name
                            ));
                        }
                        (dof.lower, dof.upper) = (Some(lower.min(upper)), Some(lower.max(upper)));
                    }
                    if inner.has_attribute("effort") || inner.has_attribute("velocity") {
                        self.left_out.add("largest effort and velocity of joints: they are for controllers");
                    }
                }
                "dynamics" => {
                    if let Some(damping) = self.above_zero(inner, "damping")? {
                        dof.motor =
                            Some(MotorSpec::Spring { target: 0.0, stiffness: 0.0, damping, most: None });
                    }
                    dof.friction = self.above_zero(inner, "friction")?;
                }
                // Read when all joints are.
                "mimic" | "origin" | "parent" | "child" | "axis" => {}
                other => self.left_out.add(format!("`{other}` of joints")),
            }
        }
        Ok(from_where_it_stands(dof))
    }
}
