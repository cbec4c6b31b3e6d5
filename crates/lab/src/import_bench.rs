//! `cargo xtask import-bench DIR... [--out FILE]`: robots from other programs, imported and run.
//!
//! Every `.xml`, `.urdf` and `.mjcf` file below the folders is tried by [`import_trial`]: imported with a ground and run for three seconds with the preset
//! `fast`. Writes `docs/measurements/import.md`. Fails when a model explodes, or when more than one in twenty is refused.

use crate::shell::{Failure, Outcome};
use crate::workspace::root;
use drystone_scenes::{ImportTrial, TrialRun, import_trial};
use std::path::{Path, PathBuf};

/// How long a model is run, s.
const SECONDS: f64 = 3.0;
/// Least share of the models that must be imported.
const IMPORTED: f64 = 0.95;

const HEAD: &str = "# Robots from files\n\n\
    Written by `cargo xtask import-bench DIR...`; edits are lost. Every URDF and MJCF file below the folders is imported with a ground (where it has none) and run for 3 s with `fast`,\n\
    from where its file puts it, without a controller: at 60 steps per second, or those that the file asks for where the importer finds that 60 are too few. Files that are no models\n\
    by themselves (others include them, or they have no body) are counted and not tried; a model is incomplete when a body has neither an inertial nor the file of the mesh that has\n\
    its mass.\n\n\
    A model *explodes* when a body is lost (not finite, or given up by the engine), when what a joint holds together is apart by more than a tenth of the model's size after any step,\n\
    or when the kinetic energy is ever more than 100 times what there is to become it: what gravity gave as far as centres of mass have sunk, the model's weight times its size\n\
    besides, what springs hold at the start, and the energy of the model moving by its size in ten seconds. Energy: the largest kinetic energy of the run, and the share that it\n\
    is of what there was. Speed: the largest of a centre of mass. Apart: the farthest that what a joint holds together is apart at the end, and in the run, as a share of the\n\
    model's size. Lengths, masses and energies are in the units of the file. Motors and muscles that need a controller do nothing.\n\n";

const COLUMNS: &str = "| file | bodies | joints | result | size | speed | energy | of what there was | apart at the end | in the run | notes |\n\
    | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";

/// What to try.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Folders of models.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// The document.
    #[arg(long, default_value = "docs/measurements/import.md")]
    out: PathBuf,
}

/// Tries the models and writes the document.
///
/// # Errors
/// Folders that cannot be read, none with a model in it, a document that cannot be written, models that explode, too many that are refused.
pub(crate) fn run(args: &Args) -> Outcome {
    let mut tried = Vec::new();
    for folder in &args.folders {
        let mut files = Vec::new();
        find(folder, &mut files)?;
        files.sort();
        // As the folder is called, wherever it is.
        let base = folder.parent().unwrap_or(Path::new(""));
        tried.extend(files.into_iter().map(|file| {
            let name = file.strip_prefix(base).unwrap_or(&file).display().to_string();
            println!("{name}");
            (name, import_trial(&file, SECONDS))
        }));
    }
    let (fragments, models): (Vec<_>, Vec<_>) =
        tried.into_iter().partition(|(_, trial)| *trial == ImportTrial::Fragment);
    if models.iter().all(|(_, trial)| matches!(trial, ImportTrial::Incomplete(_))) {
        return Err(Failure::new("there is no URDF or MJCF model in these folders"));
    }
    let totals = Totals::of(&models);
    let mut text = format!("{HEAD}{}", totals.text(fragments.len()));
    text += COLUMNS;
    models.iter().for_each(|(name, trial)| text += &row(name, trial));
    let path = root().join(&args.out);
    std::fs::write(&path, text)?;
    println!("written: {}", path.display());
    print!("{}", totals.text(fragments.len()));
    totals.verdict()
}

/// Files of robots below a folder.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let read = |error: std::io::Error| Failure::new(format!("cannot read {}: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            find(&path, files)?;
        } else if extension
            .is_some_and(|own| ["xml", "urdf", "mjcf"].contains(&own.to_ascii_lowercase().as_str()))
        {
            files.push(path);
        }
    }
    Ok(())
}

/// How many came to what.
struct Totals {
    /// Without those that are incomplete.
    models: usize,
    incomplete: usize,
    refused: usize,
    exploded: usize,
}

impl Totals {
    fn of(models: &[(String, ImportTrial)]) -> Self {
        let is_refused = |trial: &ImportTrial| matches!(trial, ImportTrial::Refused(_));
        let is_exploded =
            |trial: &ImportTrial| matches!(trial, ImportTrial::Ran(run) if run.exploded.is_some());
        let is_incomplete = |trial: &ImportTrial| matches!(trial, ImportTrial::Incomplete(_));
        let incomplete = models.iter().filter(|(_, trial)| is_incomplete(trial)).count();
        Self {
            models: models.len() - incomplete,
            incomplete,
            refused: models.iter().filter(|(_, trial)| is_refused(trial)).count(),
            exploded: models.iter().filter(|(_, trial)| is_exploded(trial)).count(),
        }
    }

    fn imported(&self) -> f64 {
        1.0 - self.refused as f64 / self.models as f64
    }

    fn text(&self, fragments: usize) -> String {
        format!(
            "- models: {} (besides, {} that are incomplete, and {fragments} files that are none)\n- imported: {} ({:.1} %; at least {:.0} % must be)\n- refused: {}\n- exploded: {} (none may)\n\n",
            self.models,
            self.incomplete,
            self.models - self.refused,
            100.0 * self.imported(),
            100.0 * IMPORTED,
            self.refused,
            self.exploded
        )
    }

    fn verdict(&self) -> Outcome {
        match self.exploded {
            0 if self.imported() >= IMPORTED => Ok(()),
            0 => Err(Failure::new(format!("{} of {} models are refused", self.refused, self.models))),
            exploded => Err(Failure::new(format!("{exploded} models explode"))),
        }
    }
}

fn row(name: &str, trial: &ImportTrial) -> String {
    match trial {
        ImportTrial::Fragment => String::new(),
        ImportTrial::Incomplete(reason) => told(name, "incomplete", reason),
        ImportTrial::Refused(reason) => told(name, "refused", reason),
        ImportTrial::Ran(run) => ran(name, run),
    }
}

/// A row of a model that was not run.
fn told(name: &str, what: &str, reason: &str) -> String {
    // The place is in the name.
    let reason = reason.rsplit_once(&format!("{}:", file_name(name))).map_or(reason, |(_, rest)| rest);
    format!("| {name} | | | {what}: {} | | | | | | | |\n", reason.trim().replace('|', "/"))
}

fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

fn ran(name: &str, run: &TrialRun) -> String {
    let result = run.exploded.as_ref().map_or("imported".to_owned(), |how| format!("**explodes**: {how}"));
    let share =
        |distance: f64| if run.size > 0.0 { format!("{:.1e}", distance / run.size) } else { "0".into() };
    format!(
        "| {name} | {} | {} | {result} | {:.3} | {:.2} | {:.2e} | {:.1e} | {} | {} | {} |\n",
        run.bodies,
        run.joints,
        run.size,
        run.largest_speed,
        run.largest_energy,
        if run.given_energy > 0.0 { run.largest_energy / run.given_energy } else { 0.0 },
        share(run.joint_distance),
        share(run.largest_joint_distance),
        run.notes
    )
}
