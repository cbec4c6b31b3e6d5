//! `drystone import`: a file of another program as a scene file.

use crate::args::ImportArguments;
use crate::failure::Failure;
use crate::lists::{print, tell};
use crate::target::Target;
use drystone_scenes::{ImportOptions, import};

/// Writes the scene; what it has not goes to stderr, a line each.
pub(crate) fn run(arguments: &ImportArguments) -> Result<(), Failure> {
    let out = arguments.out.as_deref().map(|path| Target::new("--out", path, &arguments.file)).transpose()?;
    let options = ImportOptions {
        fixed_base: arguments.fixed_base,
        ground: arguments.ground,
        articulated: arguments.articulated,
    };
    let imported = import(&arguments.file, &options)?;
    for note in &imported.notes {
        tell(&format!("note: {note}"));
    }
    let text = imported.scene.to_ron();
    let Some(out) = &out else { return print(&(text + "\n")) };
    out.write(&(text + "\n"))?;
    let (bodies, joints) = (imported.scene.bodies.len(), imported.scene.joints.len());
    let couplings = match imported.scene.couplings.len() {
        0 => String::new(),
        count => format!("{count} couplings, "),
    };
    let articulations = match imported.scene.articulations.len() {
        0 => String::new(),
        count => format!("{count} articulations, "),
    };
    print(&format!(
        "{}: {bodies} bodies, {joints} joints, {couplings}{articulations}{} notes\n",
        out.path().display(),
        imported.notes.len()
    ))
}
