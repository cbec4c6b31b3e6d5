//! What `compiler` says: how the rest of a file is to be understood.

use crate::error::SceneError;
use crate::import::xml::{Source, elements};
use drystone::math::Real;
use roxmltree::Node;
use std::path::PathBuf;

/// Settings; of several elements the last one that has a setting counts.
pub(super) struct Compiler {
    /// Folder of meshes, from that of the file.
    pub meshes: PathBuf,
    /// Radians in a unit of the file's angles.
    pub unit: Real,
    /// Axes of Euler angles; small letters turn along, capitals do not.
    pub sequence: Vec<char>,
    /// Limits count where they are given.
    pub autolimits: bool,
    /// What all bodies weigh together, kg, where it is not what they say.
    pub total_mass: Option<Real>,
}

impl Compiler {
    pub(super) fn read(source: &Source<'_>, model: Node<'_, '_>) -> Result<Self, SceneError> {
        let find = |name: &str| {
            let compilers = elements(model).filter(|node| node.has_tag_name("compiler"));
            compilers.filter(|node| node.has_attribute(name)).last()
        };
        let said = |name: &str| find(name).and_then(|node| Some((node, node.attribute(name)?)));
        let text = |name: &str| said(name).map(|(_, text)| text);
        if let Some((node, _)) = said("coordinate").filter(|(_, text)| *text == "global") {
            return Err(source.fault(node, "global coordinates are not read, only local ones"));
        }
        let unit = match said("angle") {
            Some((_, "radian")) => 1.0,
            Some((_, "degree")) | None => std::f32::consts::PI / 180.0,
            Some((node, other)) => {
                return Err(source.fault(node, format!("angle must be degree or radian, got {other:?}")));
            }
        };
        let sequence: Vec<char> = text("eulerseq").unwrap_or("xyz").chars().collect();
        if sequence.len() != 3 || !sequence.iter().all(|axis| "xyzXYZ".contains(*axis)) {
            let (node, text) = said("eulerseq").unwrap_or((model, ""));
            return Err(
                source.fault(node, format!("eulerseq must be three of x, y, z, X, Y, Z, got {text:?}"))
            );
        }
        let total = find("settotalmass").map(|node| source.number(node, "settotalmass")).transpose()?;
        Ok(Self {
            meshes: text("meshdir").or(text("assetdir")).unwrap_or("").into(),
            unit,
            sequence,
            autolimits: text("autolimits") != Some("false"),
            total_mass: total.filter(|&total| total > 0.0),
        })
    }
}
