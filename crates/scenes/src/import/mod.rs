//! Scenes from files of other programs: robots (URDF, MJCF), and levels (OBJ, STL, glTF).
//!
//! In: a file. Out: a [`Scene`], plain data as any other, and what of the file it does not have, in words ([`Imported::notes`]): nothing is dropped
//! without being named. Start reading at [`import`]; robots become a [`rig::Rig`] first, which is links, what holds them together, and no XML any more.
//!
//! Invariants: what comes out is valid ([`Scene::validate`]); names of bodies are unique ([`names::Names`]); angles are radians and lengths metres whatever the file says.

mod articulate;
mod convert;
mod filter;
mod level;
mod mjcf;
mod names;
mod overlaps;
mod rate;
mod rig;
mod trial;
mod urdf;
mod xml;

pub use trial::{ImportTrial, TrialRun, import_trial};

use crate::error::SceneError;
use crate::model::{RotorSpec, Scene};
use std::path::Path;

/// Largest file, bytes.
const MAX_SIZE: u64 = 64 << 20;

/// What a file does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// The base of a robot does not move: the link that the others hang on, in MJCF the first body of the world in which there is a joint.
    pub fixed_base: bool,
    /// A level ground below all that there is, where the file has none.
    pub ground: bool,
    /// The joints of a robot are one articulation, solved by their coordinates, where they make one; a note says why where they do not. Each degree of freedom is a joint
    /// then, with links in between where a body has several, and `armature` is the rotor of the joint.
    pub articulated: bool,
}

/// A scene from a file, and what was left out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The scene.
    pub scene: Scene,
    /// What the file has and the scene has not, or has otherwise: a sentence each, in the order of the file.
    pub notes: Vec<String>,
}

/// Reads a file of another program: URDF (`.urdf`), MJCF (`.xml`, `.mjcf`), or meshes of a level (`.obj`, `.stl`, `.gltf`, `.glb`).
///
/// Of URDF: links with inertials and collision shapes (box, cylinder, sphere, capsule, mesh, plane), joints of all types. Of MJCF: bodies, frames, geoms with who meets whom,
/// joints, inertials, defaults, included files, `connect`, `weld` and `joint` of equalities, actuators that are springs and dampers, flags. Joints that go with others (`mimic`, `joint`) are coupled. Links that are
/// fixed to each other become one body; links without mass are a part of a joint; several joints of one body are one of several axes, or have links in between. Meshes that move become their convex
/// hulls. Bodies of equal names get numbers.
///
/// # Errors
/// A file that cannot be read, is none of these, or says what cannot be, with line and column; a mesh that is not there and has the mass of a body.
pub fn import(path: impl AsRef<Path>, options: &ImportOptions) -> Result<Imported, SceneError> {
    let path = path.as_ref();
    let (mut imported, rotors) = read(path, options)?;
    if options.articulated {
        let reasons = articulate::articulate(&mut imported.scene, &rotors);
        if !reasons.is_empty() {
            // As constraints, joints have several axes, and rotors are in the masses of bodies.
            (imported, _) = read(path, &ImportOptions { articulated: false, ..*options })?;
            articulate::articulate(&mut imported.scene, &[]);
        }
        imported.notes.extend(reasons);
    }
    Ok(imported)
}

/// The scene of a file, and the rotors of its joints where articulations are asked for.
fn read(path: &Path, options: &ImportOptions) -> Result<(Imported, Vec<RotorSpec>), SceneError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let (imported, rotors) = match extension.as_str() {
        "urdf" => urdf::read(&text_of(path)?, path, options)?,
        "xml" | "mjcf" => mjcf::read(text_of(path)?, path, options)?,
        "obj" | "stl" | "gltf" | "glb" => (level::read(path, options)?, Vec::new()),
        other => {
            return Err(unreadable(
                path,
                format!("its extension is {other:?}, known are urdf, xml, mjcf, obj, stl, gltf and glb"),
            ));
        }
    };
    imported.scene.validate()?;
    Ok((imported, rotors))
}

/// Whether a file is a model of its own, not one that others include: its root is a robot or model, and there is a body in it or in what it includes.
/// What cannot be read counts as one, so that the reason is told.
fn names_a_model(path: &Path) -> bool {
    let expanded = text_of(path).and_then(|text| mjcf::include::expand(text, path));
    let Ok(expanded) = expanded else { return true };
    let Ok(document) = xml::parse(&expanded.text, path) else { return true };
    let root = document.root_element();
    let has = |tag: &str| root.descendants().any(|node| node.has_tag_name(tag));
    match root.tag_name().name() {
        "robot" => has("link"),
        "mujoco" => has("body"),
        _ => false,
    }
}

fn text_of(path: &Path) -> Result<String, SceneError> {
    let read = |source| SceneError::Read { path: path.to_owned(), source };
    let size = std::fs::metadata(path).map_err(read)?.len();
    if size > MAX_SIZE {
        return Err(unreadable(path, format!("it has {size} bytes, at most {MAX_SIZE} are read")));
    }
    Ok(xml::tidied(std::fs::read_to_string(path).map_err(read)?))
}

fn unreadable(path: &Path, reason: String) -> SceneError {
    SceneError::Read { path: path.to_owned(), source: std::io::Error::other(reason) }
}

/// What a scene is called after its file.
fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "scene".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
