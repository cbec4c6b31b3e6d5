//! What `compiler` says: how the rest of a file is to be understood.

use crate::error::SceneError;
use crate::import::xml::{Source, elements};
use drystone::math::Real;
use drystone::math::inertia::MassProperties;
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
    /// Poses are in the frame of the world, not in that of the parent.
    pub is_global: bool,
    /// Whether masses are those of geoms, whatever inertials say; without, where there is no inertial.
    pub from_geoms: Option<bool>,
    /// Least mass of a body, kg, and least of its moments, kg m².
    least: [Real; 2],
}

impl Compiler {
    pub(super) fn read(source: &Source<'_>, model: Node<'_, '_>) -> Result<Self, SceneError> {
        let find = |name: &str| {
            let compilers = elements(model).filter(|node| node.has_tag_name("compiler"));
            compilers.filter(|node| node.has_attribute(name)).last()
        };
        let said = |name: &str| find(name).and_then(|node| Some((node, node.attribute(name)?)));
        let text = |name: &str| said(name).map(|(_, text)| text);
        let is_global = match said("coordinate") {
            None | Some((_, "local")) => false,
            Some((_, "global")) => true,
            Some((node, other)) => {
                return Err(source.fault(node, format!("coordinate must be local or global, got {other:?}")));
            }
        };
        let from_geoms = match said("inertiafromgeom") {
            None | Some((_, "auto")) => None,
            Some((_, "true")) => Some(true),
            Some((_, "false")) => Some(false),
            Some((node, other)) => {
                let message = format!("inertiafromgeom must be true, false or auto, got {other:?}");
                return Err(source.fault(node, message));
            }
        };
        let least = |name: &str| {
            let number = find(name).map(|node| source.number(node, name)).transpose()?;
            Ok::<_, SceneError>(number.unwrap_or(0.0))
        };
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
            is_global,
            from_geoms,
            least: [least("boundmass")?, least("boundinertia")?],
        })
    }

    /// Brings a mass and its moments up to the least that the file allows.
    pub(super) fn bound(&self, mass: &mut Option<MassProperties>) {
        if let Some(mass) = mass {
            mass.mass = mass.mass.max(self.least[0]);
            mass.principal = mass.principal.map(|moment| moment.max(self.least[1]));
        }
    }
}
