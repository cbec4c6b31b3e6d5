//! Why a scene was refused.

use drystone::WorldError;
use std::fmt;
use std::path::PathBuf;

/// A place in a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the caller named it.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A value of a scene that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The field, for example `bodies[3].shape.radius`.
    pub path: String,
    /// The name of the body, material or scene it belongs to; may be empty.
    pub owner: String,
    /// What was expected, in words.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if !self.owner.is_empty() {
            write!(f, " (of {:?})", self.owner)?;
        }
        write!(f, " must be {}, got {}", self.expected, self.found)
    }
}

/// Why a scene was not found, not read or not run; every message is a single line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The text is not a scene.
    #[error("{place}: {}{message}", if path.is_empty() { String::new() } else { format!("in {path}: ") })]
    Syntax {
        /// Where.
        place: Place,
        /// The field being read, empty at the top.
        path: String,
        /// What was expected and found.
        message: String,
    },
    /// The text is a scene, but a value in it cannot be.
    #[error("{place}: {fault}")]
    InvalidFile {
        /// Where.
        place: Place,
        /// What.
        fault: Box<Fault>,
    },
    /// A value of a scene built in code cannot be.
    #[error("scene {scene:?}: {fault}")]
    Invalid {
        /// Name of the scene.
        scene: String,
        /// What.
        fault: Box<Fault>,
    },
    /// No scene has this name.
    #[error("no scene is called {name:?}{}", hint(nearest))]
    UnknownScene {
        /// The name asked for.
        name: String,
        /// The most similar name.
        nearest: Option<&'static str>,
    },
    /// What follows the colon of a name cannot be.
    #[error("scene {name:?}: the part after ':' must be {expected}, got {found:?}")]
    Parameter {
        /// The scene.
        name: String,
        /// What was expected, in words.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A setting of the run is out of range.
    #[error("{option} must be {expected}, got {found}")]
    Option {
        /// The setting.
        option: &'static str,
        /// Its valid range, in words.
        expected: String,
        /// The value refused.
        found: String,
    },
    /// The preset has no such setting.
    #[error("{}", no_setting(name, preset, owners, nearest))]
    UnknownSetting {
        /// The setting asked for.
        name: String,
        /// The preset.
        preset: &'static str,
        /// Presets that have it.
        owners: Vec<&'static str>,
        /// The most similar setting of the preset.
        nearest: Option<&'static str>,
    },
    /// A file could not be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The engine refused a setting, or a step.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The engine refused a body or a material.
    #[error("{path}{}: {reason}", if name.is_empty() { String::new() } else { format!(" ({name:?})") })]
    Refused {
        /// The field, for example `bodies[3]`.
        path: String,
        /// The name of the body or material, may be empty.
        name: String,
        /// What the engine said.
        reason: String,
    },
}

fn no_setting(name: &str, preset: &str, owners: &[&str], nearest: &Option<&str>) -> String {
    if !owners.is_empty() {
        let owners = owners.join(", ");
        return format!("the preset {preset} has no setting {name:?}; those that have it: {owners}");
    }
    let meant = nearest.map_or(String::new(), |nearest| format!(", did you mean {nearest:?}?"));
    format!("there is no setting {name:?}{meant} (`drystone fields --preset {preset}` lists all)")
}

fn hint(nearest: &Option<&'static str>) -> String {
    match nearest {
        Some(name) => format!(", did you mean {name:?}? (`drystone scenes` lists all)"),
        None => " (`drystone scenes` lists all)".into(),
    }
}
