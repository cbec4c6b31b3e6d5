//! `drystone run`: everything is checked, then the scene is simulated, then the results are written.

use crate::args::{RunArguments, SettingArguments};
use crate::failure::Failure;
use crate::interrupt;
use crate::lists::{print, tell};
use crate::output::{Folder, figures, json_line, table};
use crate::profile::Profile;
use crate::progress::Progress;
use crate::record::Tape;
use drystone::WorldConfig;
use drystone_scenes::{Preset, RunOptions, Runner, Scene, SceneError, parse_setting, scene};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs a scene.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let scene = find_scene(&arguments.scene)?;
    let options = options(&arguments.settings)?;
    let mut runner = Runner::new(&scene, &options)?;
    let mut tape = if arguments.no_view { None } else { Some(Tape::new(&runner, options.preset.name())?) };
    interrupt::listen()?;
    // Last, so that nothing is written where something else is wrong.
    let (profile, folder) = targets(arguments, &scene)?;

    if profile.is_some() {
        runner.start_recording(Profile::spans_per_thread(options.threads));
    }
    // What was simulated before the engine gave up is kept as well.
    let simulated = simulate(&mut runner, tape.as_mut());
    let step_count = runner.schedule().step_count;
    let complete = runner.step_count() == step_count;
    let interrupted = simulated.is_ok() && !complete;

    let recording = runner.stop_recording();
    let outcome = runner.finish();
    let line = json_line(&outcome, interrupted, complete);
    // What cannot be written of the results costs none of the others.
    let printed = print(&if arguments.json { format!("{line}\n") } else { table(&outcome) });
    let profiled = match (&profile, recording) {
        (Some(profile), Some(recording)) => profile.write(&recording, &scene.name),
        _ => Ok(()),
    };
    let figured = folder.as_ref().map_or(Ok(()), |folder| folder.write_figures(&outcome, &line));
    let viewed = match (&folder, tape) {
        (Some(folder), Some(tape)) => folder.write_view(&tape.finish(figures(&outcome))),
        (Some(folder), None) => folder.drop_view(),
        (None, _) => Ok(()),
    };
    if interrupted {
        let kept = if folder.is_some() { "; what was simulated is kept" } else { "" };
        tell(&format!("interrupted after {} of {step_count} steps{kept}", outcome.steps));
    }
    let shown = match &folder {
        Some(folder) if viewed.is_ok() && !arguments.json && !arguments.no_view => {
            print(&format!("\n{}\n", folder.page().display()))
        }
        _ => Ok(()),
    };
    Failure::all([simulated, printed, profiled, figured, viewed, shown])?;
    Ok(if interrupted { ExitCode::from(interrupt::EXIT_CODE) } else { ExitCode::SUCCESS })
}

/// Takes all steps, or those until Ctrl-C.
fn simulate(runner: &mut Runner, mut tape: Option<&mut Tape>) -> Result<(), Failure> {
    let schedule = runner.schedule();
    let progress = Progress::new(&runner.scene().name, schedule.step_count, schedule.hz);
    let result = loop {
        if interrupt::is_asked() {
            break Ok(());
        }
        match runner.step() {
            Ok(false) => break Ok(()),
            Ok(true) => {}
            Err(error) => break Err(gave_up(runner, &error)),
        }
        progress.at(runner.step_count());
        if let Some(Err(failure)) = tape.as_mut().map(|tape| tape.note(runner)) {
            break Err(failure);
        }
    };
    progress.clear();
    result
}

/// What the engine refused in the middle of a run.
pub(crate) fn gave_up(runner: &Runner, error: &SceneError) -> Failure {
    Failure::work(format!("the engine gave up in step {}: {error}", runner.step_count()))
}

/// A file where the text looks like one or names one, else a named scene. What is to be changed in the file is told.
pub(crate) fn find_scene(text: &str) -> Result<Scene, Failure> {
    let scene = read_scene(text)?;
    scene.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    Ok(scene)
}

fn read_scene(text: &str) -> Result<Scene, Failure> {
    let path = Path::new(text);
    let looks_like_a_file = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ron"))
        || text.contains(std::path::MAIN_SEPARATOR);
    if looks_like_a_file {
        return Ok(Scene::load(path)?);
    }
    match scene(text) {
        Err(SceneError::UnknownScene { .. }) if path.is_file() => Ok(Scene::load(path)?),
        result => Ok(result?),
    }
}

/// What the command line says of settings.
pub(crate) fn options(arguments: &SettingArguments) -> Result<RunOptions, Failure> {
    let overrides: Vec<_> = arguments.set.iter().map(|text| parse_setting(text)).collect::<Result<_, _>>()?;
    for (old, _) in &overrides {
        if let Some(new) = WorldConfig::renamed_field(old) {
            eprintln!(
                "warning: the setting `{old}` is called `{new}` now; the next version does not take the old name"
            );
        }
    }
    Ok(RunOptions {
        preset: Preset::find(&arguments.preset)?,
        overrides,
        hz: arguments.hz,
        seconds: arguments.seconds,
        threads: arguments.threads,
        sleep: arguments.no_sleep.then_some(false),
        allocation_count: Some(crate::allocations::count),
    })
}

/// The profile and the folder of results, as far as they are asked for; both can be written.
fn targets(arguments: &RunArguments, scene: &Scene) -> Result<(Option<Profile>, Option<Folder>), Failure> {
    let (input, out) = (Path::new(&arguments.scene), folder(arguments, scene));
    let profile = || arguments.profile.as_deref().map(|path| Profile::new(path, input)).transpose();
    let folder = || out.as_deref().map(Folder::create).transpose();
    if let (Some(path), Some(out)) = (&arguments.profile, &out)
        && is_in(path, out)
    {
        let name = resolved(path).file_name().map(OsStr::to_owned).unwrap_or_default();
        if Folder::has(&name) {
            let path = path.display();
            let reason = "it is one of the files that the run writes there; name another one";
            return Err(Failure::input(format!("cannot write to --profile {path}: {reason}")));
        }
        if !out.exists() {
            // Before the folder is there, the profile cannot be tried.
            let folder = folder()?;
            return Ok((profile()?, folder));
        }
    }
    let profile = profile()?;
    Ok((profile, folder()?))
}

/// Whether a file is right in a folder, or will be.
fn is_in(file: &Path, folder: &Path) -> bool {
    let file = resolved(file);
    file.parent().is_some_and(|parent| resolved(parent) == resolved(folder))
}

/// A path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or_else(|_| absolute())
}

/// Where results go, if anywhere.
fn folder(arguments: &RunArguments, scene: &Scene) -> Option<PathBuf> {
    // A scene file may still be called as the scene that it began as.
    let file = Path::new(&arguments.scene);
    let stem = file.file_stem().filter(|_| file.is_file()).map(|stem| stem.to_string_lossy().into_owned());
    // Those are folders that are there: a file may be called `...ron`.
    let stem = stem.filter(|stem| !matches!(stem.as_str(), "." | ".."));
    let default = || Path::new("out").join(stem.as_ref().unwrap_or(&scene.name).replace(':', "_"));
    match &arguments.out {
        Some(path) => Some(path.clone()),
        None if arguments.no_view => None,
        None => Some(default()),
    }
}
