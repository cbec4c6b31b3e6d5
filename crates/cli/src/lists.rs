//! Lists of scenes and settings.

use crate::failure::Failure;
use drystone_scenes::{Preset, SceneInfo, list};
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
        if info.takes_jitter {
            text += &format!("; options {}:N:jitter=METRES:seed=DRAW", info.name);
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

/// The settings of all methods: of each, those it has.
fn all_fields() -> Vec<&'static str> {
    let mut names = Vec::new();
    for config in Preset::ALL.iter().map(|preset| preset.config()) {
        let new = config.field_names().into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>();
        names.extend(new);
    }
    names
}

/// Prints the settings of the engine, one per line: those of a preset, or of all.
pub(crate) fn fields(preset: Option<&str>) -> Result<(), Failure> {
    let names = match preset {
        Some(name) => Preset::find(name)?.config().field_names(),
        None => all_fields(),
    };
    let mut text = names.join("\n");
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

/// Tells on stderr, a line; who cannot hear it misses nothing else.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
