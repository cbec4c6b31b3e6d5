//! Lists of scenes and settings.

use crate::failure::Failure;
use drystone::WorldConfig;
use drystone_scenes::{SceneInfo, list};
use std::io::Write;

/// Prints the named scenes.
pub(crate) fn scenes() -> Result<(), Failure> {
    let heading = |info: &SceneInfo| match info.parameter {
        Some(_) => format!("{}:N", info.name),
        None => info.name.to_owned(),
    };
    let width = list().iter().map(|info| heading(info).len()).max().unwrap_or(0);
    let mut text = String::new();
    for info in list() {
        text += &format!("{:width$}  {} ({})", heading(info), info.summary, info.source);
        if let Some(p) = info.parameter {
            text += &format!("; N: {}, {} to {}, {} if left out", p.meaning, p.min, p.max, p.default);
        }
        text.push('\n');
    }
    print(&text)
}

/// Prints a scene as a file.
pub(crate) fn show(scene: &str) -> Result<(), Failure> {
    let mut text = crate::run::find_scene(scene)?.to_ron();
    text.push('\n');
    print(&text)
}

/// Prints the settings of the engine, one per line.
pub(crate) fn fields() -> Result<(), Failure> {
    let mut text = WorldConfig::field_names().join("\n");
    text.push('\n');
    print(&text)
}

/// Prints to stdout; who stops reading early wanted no more.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::work(format!("cannot print: {error}")))
        }
        _ => Ok(()),
    }
}
