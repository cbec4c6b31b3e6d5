//! The program `drystone`: runs scenes, prints what they cost and how good they are, and writes what people
//! look at.
//!
//! In: a command line. Out: a table or a line of JSON, and a folder with a page, a picture, a plot and a
//! recording. Knows nothing of physics or pictures; it connects `drystone-scenes`, which runs and measures,
//! with `drystone-viewer`, which shows. Start reading at [`run`].
//!
//! Exit codes: 0 when done; 1 when results could not be written or the engine gave up; 2 for bad input, with
//! one line on stderr and nothing written; of `diff` 0 for the same, 1 for a difference, 2 for what cannot be compared; of `lint` 1 where it
//! found something that is more than a note; 130 after Ctrl-C, with what was simulated until then written.

mod allocations;
mod args;
mod diff;
mod export;
mod failure;
mod fclib;
mod graph;
mod import;
mod interrupt;
mod lint;
mod lists;
mod names;
mod output;
mod planar;
mod plane_tape;
mod profile;
mod progress;
mod record;
mod run;
mod target;

use args::{Arguments, Command};
use clap::Parser;
use clap::error::ErrorKind;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Arguments::try_parse() {
        Ok(arguments) => dispatch(arguments),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            // Nobody reads what cannot be printed.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => Err(Failure::input(args::one_line(&error))),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            lists::tell(&format!("error: {failure}"));
            failure.exit_code()
        }
    }
}

fn dispatch(arguments: Arguments) -> Result<ExitCode, Failure> {
    match arguments.command {
        Command::Run(options) => run::run(&options),
        Command::Scenes => lists::scenes().map(|()| ExitCode::SUCCESS),
        Command::Show { scene } => lists::show(&scene).map(|()| ExitCode::SUCCESS),
        Command::Fields { preset } => lists::fields(preset.as_deref()).map(|()| ExitCode::SUCCESS),
        Command::Graph(arguments) => graph::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Import(arguments) => import::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Fclib(arguments) => fclib::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Planar(arguments) => planar::run(&arguments),
        Command::Export(arguments) => export::run(&arguments).map(|()| ExitCode::SUCCESS),
        Command::Diff(arguments) => diff::run(&arguments),
    }
}
