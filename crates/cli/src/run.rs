//! `drystone run`: everything is checked, then the scene is simulated, then the results are written.

use crate::args::{RunArguments, SettingArguments};
use crate::failure::Failure;
use crate::interrupt;
use crate::lists::print;
use crate::output::{Folder, figures, json_line, table};
use crate::profile::Profile;
use crate::progress::Progress;
use crate::record::Tape;
use drystone_scenes::{Preset, RunOptions, Runner, Scene, SceneError, scene};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs a scene.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let scene = find_scene(&arguments.scene)?;
    let options = options(&arguments.settings)?;
    let mut runner = Runner::new(&scene, &options)?;
    let mut tape = if arguments.no_view { None } else { Some(Tape::new(&runner, options.preset.name())?) };
    let input = Path::new(&arguments.scene);
    let profile = arguments.profile.as_deref().map(|path| Profile::new(path, input)).transpose()?;
    interrupt::listen()?;
    // Last, so that nothing is written where something else is wrong.
    let folder = folder(arguments, &scene).map(|path| Folder::create(&path)).transpose()?;

    if profile.is_some() {
        runner.start_recording(Profile::spans_per_thread(options.threads));
    }
    // What was simulated before the engine gave up is kept as well.
    let simulated = simulate(&mut runner, tape.as_mut());
    let step_count = runner.schedule().step_count;
    let interrupted = simulated.is_ok() && runner.step_count() < step_count;

    let recording = runner.stop_recording();
    let outcome = runner.finish();
    let line = json_line(&outcome, interrupted);
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
        eprintln!("interrupted after {} of {step_count} steps{kept}", outcome.steps);
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
            Err(error) => {
                let step = runner.step_count();
                break Err(Failure::work(format!("the engine gave up in step {step}: {error}")));
            }
        }
        progress.at(runner.step_count());
        if let Some(Err(failure)) = tape.as_mut().map(|tape| tape.note(runner)) {
            break Err(failure);
        }
    };
    progress.clear();
    result
}

/// A file where the text looks like one or names one, else a named scene.
pub(crate) fn find_scene(text: &str) -> Result<Scene, Failure> {
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
    let mut overrides = Vec::new();
    for text in &arguments.set {
        let (field, value) = text.split_once('=').ok_or_else(|| {
            Failure::input(format!(
                "--set must be FIELD=VALUE, got {text:?} (`drystone fields` lists the fields)"
            ))
        })?;
        overrides.push((field.trim().to_owned(), value.trim().to_owned()));
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

/// Where results go, if anywhere.
fn folder(arguments: &RunArguments, scene: &Scene) -> Option<PathBuf> {
    // A scene file may still be called as the scene that it began as.
    let file = Path::new(&arguments.scene);
    let stem = file.file_stem().filter(|_| file.is_file()).map(|stem| stem.to_string_lossy().into_owned());
    let default = || Path::new("out").join(stem.as_ref().unwrap_or(&scene.name).replace(':', "_"));
    match &arguments.out {
        Some(path) => Some(path.clone()),
        None if arguments.no_view => None,
        None => Some(default()),
    }
}
