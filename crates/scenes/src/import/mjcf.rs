//! MJCF, the part of it that has counterparts: bodies, geoms, joints, inertials, defaults, equalities of bodies and joints (mujoco.readthedocs.io/XMLreference).
//! Angles are degrees unless `compiler` says radians; poses are in the frame of the parent. What is not read is noted, see [`known`].

mod actuators;
mod compiler;
mod defaults;
mod equality;
mod exclude;
mod flags;
mod frames;
mod geom;
pub(super) mod include;
mod joints;
mod known;
mod masses;
mod pose;

use super::overlaps::{Apart, keep_apart};
use super::rate::resolve;
use super::rig::{Link, Rig};
use super::xml::{LeftOut, Source, elements, parse};
use super::{ImportOptions, Imported, name_of, unreadable};
use crate::error::SceneError;
use crate::import::filter::Filter;
use crate::model::RotorSpec;
use compiler::Compiler;
use defaults::{Defaults, Element};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real, RelativePose};
use flags::Flags;
use frames::Content;
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Deepest nesting of bodies, and of classes of defaults.
const MAX_DEPTH: usize = 200;
/// Length of a step, s, of MuJoCo where a file says none.
const STEP: f64 = 0.002;
/// What the world is called where a body can be named.
const WORLD: &str = "world";

/// A model from the text of a file.
pub(super) fn read(
    text: String,
    path: &Path,
    options: &ImportOptions,
) -> Result<(Imported, Vec<RotorSpec>), SceneError> {
    let include::Expanded { text, origins, missing, .. } = include::expand(text, path)?;
    let document = parse(&text, path)?;
    let source = Source { document: &document, file: path.display().to_string(), origins };
    let model = document.root_element();
    if !model.has_tag_name("mujoco") {
        let found = model.tag_name().name();
        return Err(source.fault(model, format!("expected the element `mujoco`, got `{found}`")));
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut reader = Reader::new(source, folder, model)?;
    let name = model.attribute("model").map_or_else(|| name_of(path), str::to_owned);
    let mut rig = Rig::new(name, [0.0, 0.0, -9.81]);
    reader.notes.extend(missing);
    for node in elements(model) {
        match node.tag_name().name() {
            "worldbody" => reader.world(node, &mut rig)?,
            "option" => reader.option(node, &mut rig)?,
            "compiler" => known::note(node, &mut reader.left_out),
            // Read before all others, and after them.
            "default" | "asset" | "equality" | "actuator" => {}
            // Pairs are read with the geoms, what is excluded after the bodies.
            "contact" => {
                let inner = elements(node).map(|inner| inner.tag_name().name());
                let others = inner.filter(|&name| !matches!(name, "exclude" | "pair"));
                others.for_each(|other| reader.left_out.add(format!("`{other}` of contacts")));
            }
            other => {
                let count = elements(node).count().max(1);
                (0..count).for_each(|_| reader.left_out.add(format!("`{other}`")));
            }
        }
    }
    let mut equalities = elements(model).filter(|node| node.has_tag_name("equality"));
    equalities.try_for_each(|node| reader.equality(node, &mut rig))?;
    let contacts = elements(model).filter(|node| node.has_tag_name("contact"));
    let mut excludes = contacts.flat_map(elements).filter(|node| node.has_tag_name("exclude"));
    excludes.try_for_each(|node| reader.exclude(node, &mut rig))?;
    // Springs of actuators are not switched off with those of joints.
    reader.flags.apply(&mut rig);
    let mut actuators = elements(model).filter(|node| node.has_tag_name("actuator")).flat_map(elements);
    actuators.try_for_each(|node| reader.actuator(node, &mut rig))?;
    if let Some(total) = reader.compiler.total_mass {
        masses::scale(&mut rig, total);
    }
    (rig.friction, rig.meshes_weigh) = (reader.friction, true);
    let (step, is_said) = (reader.step, reader.step.is_some());
    // What became of the robot meanwhile comes after what was read.
    let later = std::mem::replace(&mut rig.notes, reader.notes);
    rig.notes.extend(later.into_iter().chain(reader.left_out.notes()));
    let (mut imported, rotors) = rig.scene(options).map_err(|reason| unreadable(path, reason))?;
    // The text of the number, not what it is rounded to.
    let step = step.map_or(STEP, |step| step.to_string().parse().unwrap_or(STEP));
    resolve(&mut imported, step, is_said);
    keep_apart(&mut imported, Apart::Neighbours);
    Ok((imported, rotors))
}

/// What is read, and how.
struct Reader<'a> {
    source: Source<'a>,
    folder: PathBuf,
    compiler: Compiler,
    defaults: Defaults<'a>,
    /// Files of meshes by name, with their scales.
    meshes: BTreeMap<String, (PathBuf, [f64; 3])>,
    /// Links of the bodies that have names.
    bodies: BTreeMap<&'a str, usize>,
    /// Names of bodies in all of the file.
    names: BTreeSet<&'a str>,
    /// Where sites are that have names: on which link (none for the world), and where there.
    sites: BTreeMap<&'a str, (Option<usize>, RelativePose)>,
    /// Names of joints that have one: which hold, and which of its degrees of freedom.
    joints: BTreeMap<&'a str, (usize, usize)>,
    /// What these are at where the model stands, rad or m, where that is not 0.
    zeros: BTreeMap<&'a str, Real>,
    /// Kinds that geoms are of and ask for besides, because pairs name them.
    paired: BTreeMap<&'a str, Filter>,
    flags: Flags,
    /// The link that does not move, once something hangs on it.
    world: Option<usize>,
    friction: Option<Real>,
    /// Length of a step, s, that the file asks for.
    step: Option<Real>,
    left_out: LeftOut,
    notes: Vec<String>,
    unnamed: usize,
}

impl<'a> Reader<'a> {
    fn new(source: Source<'a>, folder: PathBuf, model: Node<'a, 'a>) -> Result<Self, SceneError> {
        let mut left_out = LeftOut::default();
        let compiler = Compiler::read(&source, model)?;
        let defaults = Defaults::read(&source, model, &mut left_out)?;
        let bodies = model.descendants().filter(|node| node.has_tag_name("body"));
        let names = bodies.filter_map(|body| body.attribute("name")).collect();
        let mut reader = Self {
            source,
            folder,
            compiler,
            defaults,
            meshes: BTreeMap::new(),
            bodies: BTreeMap::new(),
            names,
            sites: BTreeMap::new(),
            joints: BTreeMap::new(),
            zeros: BTreeMap::new(),
            paired: exclude::pairs(model, &mut left_out),
            flags: Flags::default(),
            world: None,
            friction: None,
            step: None,
            left_out,
            notes: Vec::new(),
            unnamed: 0,
        };
        let assets = elements(model).filter(|node| node.has_tag_name("asset"));
        assets.flat_map(elements).try_for_each(|node| reader.asset(node))?;
        Ok(reader)
    }

    fn asset(&mut self, node: Node<'a, 'a>) -> Result<(), SceneError> {
        match node.tag_name().name() {
            "mesh" => {
                let mesh = self.element(node, None)?;
                let Some(file) = mesh.attribute("file") else { return Ok(()) };
                let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
                let name = mesh.attribute("name").map(str::to_owned).or(stem).unwrap_or_default();
                let scale = self.array(&mesh, "scale", [1.0; 3])?;
                self.meshes.insert(name, (self.folder.join(&self.compiler.meshes).join(file), scale));
            }
            // Looks, and what is noted where it is used.
            "texture" | "material" | "skin" | "hfield" => {}
            other => self.left_out.add(format!("`{other}` of assets")),
        }
        Ok(())
    }

    fn option(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        known::note(node, &mut self.left_out);
        elements(node).filter(|inner| inner.has_tag_name("flag")).for_each(|flag| self.flags.read(flag));
        if let Some(text) = node.attribute("gravity") {
            rig.gravity = self.source.exactly(node, "gravity", text)?.map(|c: f64| c as Real);
        }
        if let Some(dt) = self.source.optional(node, "timestep")? {
            if dt <= 0.0 {
                return Err(self.source.fault(node, format!("timestep must be above 0, got {dt}")));
            }
            self.step = Some(dt);
        }
        Ok(())
    }

    /// The world: what lies in it does not move, its bodies do.
    fn world(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        known::note(node, &mut self.left_out);
        let mut still = Link { is_fixed: true, ..Link::new(WORLD, Pose::IDENTITY) };
        let contents = self.contents(node, None, RelativePose::IDENTITY)?;
        for Content { node: inner, class, frame } in contents.iter().filter(|own| !own.is_body()) {
            match inner.tag_name().name() {
                "geom" => {
                    let geom = self.element(*inner, *class)?;
                    if geom.attribute("type") == Some("plane") {
                        rig.fixtures.extend(self.plane(&geom, frame)?);
                    } else {
                        self.geom(&geom, frame, false, &mut still)?;
                    }
                }
                "site" => self.site(*inner, *class, frame, None)?,
                other => self.left_out.add(format!("`{other}` of the world")),
            }
        }
        if !still.parts.is_empty() {
            self.world.get_or_insert(rig.links.len());
            rig.links.push(still);
        }
        for Content { node: inner, class, frame } in contents.into_iter().filter(Content::is_body) {
            // Bodies without joints may lie about before the robot.
            if inner.descendants().any(|inner| matches!(inner.tag_name().name(), "joint" | "freejoint")) {
                rig.base.get_or_insert(rig.links.len());
            }
            self.body(inner, None, class, &Pose::IDENTITY.compose(&frame), 0, rig)?;
        }
        Ok(())
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
        self.defaults.class(&self.source, node, class)?;
        let body = self.element(node, None)?;
        let is_global = self.compiler.is_global;
        let pose = match body.attribute("pos") {
            // Where all is global the frame of a body is of no consequence.
            None if is_global => *above,
            _ if is_global => Pose::IDENTITY.compose(&self.place(&body)?),
            _ => above.compose(&self.place(&body)?),
        };
        let index = rig.links.len();
        let mut link = Link::new(self.name(node, index)?, pose);
        link.gravity_scale = 1.0 - self.number(&body, "gravcomp")?.unwrap_or(0.0);
        // What is in the body, from there.
        let inside = if is_global { pose.relative(&Pose::IDENTITY) } else { RelativePose::IDENTITY };
        let contents = self.contents(node, class, inside)?;
        let has_inertial = contents.iter().any(|own| own.node.has_tag_name("inertial"));
        let is_weighed = self.compiler.from_geoms.unwrap_or(!has_inertial);
        let (mut masses, mut joints) = (Vec::new(), Vec::new());
        for Content { node: inner, class, frame } in contents.iter().filter(|own| !own.is_body()) {
            match inner.tag_name().name() {
                "geom" => {
                    let geom = self.element(*inner, *class)?;
                    masses.extend(self.geom(&geom, frame, is_weighed, &mut link)?);
                }
                "inertial" if is_weighed => self.left_out.add("`inertial`, since `inertiafromgeom` is true"),
                "inertial" => {
                    let inertial = self.element(*inner, None)?;
                    (link.mass, link.is_given) = (self.inertial(&inertial, frame)?, true);
                }
                "joint" | "freejoint" => joints.push(self.element(*inner, *class)?),
                "site" => self.site(*inner, *class, frame, Some(index))?,
                other => self.left_out.add(format!("`{other}` of bodies")),
            }
        }
        link.mass = link.mass.or_else(|| MassProperties::combined(&masses));
        self.compiler.bound(&mut link.mass);
        link.is_fixed = joints.is_empty() && parent.is_none_or(|parent| rig.links[parent].is_fixed);
        if body.attribute("mocap") == Some("true") {
            link.is_fixed = true;
            self.notes.push(format!("body {:?} is moved by motion capture: it does not move", link.name));
        }
        rig.links.push(link);
        self.hang(&joints, parent, index, rig)?;
        for Content { node: inner, class, frame } in contents.into_iter().filter(Content::is_body) {
            // In a frame of global coordinates `frame` is from the world.
            let pose = if is_global { pose } else { pose.compose(&frame) };
            self.body(inner, Some(index), class, &pose, depth + 1, rig)?;
        }
        Ok(())
    }

    /// Keeps where a site is.
    fn site(
        &mut self,
        node: Node<'a, 'a>,
        class: Option<&'a str>,
        frame: &RelativePose,
        link: Option<usize>,
    ) -> Result<(), SceneError> {
        let Some(name) = node.attribute("name") else { return Ok(()) };
        let site = self.defaults.element(&self.source, node, class)?;
        let place =
            if site.attribute("fromto").is_some() { RelativePose::IDENTITY } else { self.place(&site)? };
        self.sites.insert(name, (link, frame.compose(&place)));
        Ok(())
    }

    /// The name of a body that becomes the link of this index; one that has none gets one that no other has.
    fn name(&mut self, node: Node<'a, 'a>, index: usize) -> Result<String, SceneError> {
        if let Some(name) = node.attribute("name") {
            if self.bodies.insert(name, index).is_some() {
                return Err(self.source.fault(node, "there is another body of this name"));
            }
            return Ok(name.to_owned());
        }
        loop {
            self.unnamed += 1;
            let name = format!("body {}", self.unnamed);
            if !self.names.contains(name.as_str()) {
                return Ok(name);
            }
        }
    }

    /// The link of a body that an element names; `None` for the world where nothing hangs on it.
    fn link(&self, node: Node<'_, '_>, name: &str) -> Result<Option<usize>, SceneError> {
        match self.bodies.get(name) {
            Some(&link) => Ok(Some(link)),
            None if name == WORLD => Ok(self.world),
            None => Err(self.source.fault(node, format!("there is no body {name:?}"))),
        }
    }

    /// The link that does not move; a new one is where something hangs on it.
    fn still(&mut self, at: Pose, rig: &mut Rig) -> usize {
        *self.world.get_or_insert_with(|| {
            rig.links.push(Link { is_fixed: true, ..Link::new(WORLD, at) });
            rig.links.len() - 1
        })
    }

    /// An element with its defaults; what of it is not read is noted.
    fn element(&mut self, node: Node<'a, 'a>, around: Option<&'a str>) -> Result<Element<'a>, SceneError> {
        known::note(node, &mut self.left_out);
        self.defaults.element(&self.source, node, around)
    }

    /// So many numbers that an element or its class says, or what there is without.
    fn array<const N: usize>(
        &self,
        of: &Element<'_>,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], SceneError> {
        of.attribute(name).map_or(Ok(default), |text| self.source.exactly(of.node, name, text))
    }

    /// A number that an element or its class says.
    fn number(&self, of: &Element<'_>, name: &str) -> Result<Option<Real>, SceneError> {
        let number = |text| self.source.exactly(of.node, name, text).map(|[value]: [f64; 1]| value as Real);
        of.attribute(name).map(number).transpose()
    }

    /// What a note calls an element.
    fn named(&self, node: Node<'_, '_>) -> String {
        let body = node.parent_element().and_then(|body| body.attribute("name")).unwrap_or("");
        node.attribute("name").map_or_else(|| format!("of {body:?}"), |name| format!("{name:?}"))
    }

    /// The file of a mesh; one that no asset names is looked for in the folder of the model.
    fn file_of(&self, name: &str) -> Option<(PathBuf, [f64; 3])> {
        let beside = || Some((self.folder.join(name), [1.0; 3])).filter(|(file, _)| file.is_file());
        self.meshes.get(name).cloned().or_else(beside)
    }
}
