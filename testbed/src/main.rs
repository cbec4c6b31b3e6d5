//! The testbed: every scene of drystone in a window. Pick and throw bodies, pause, step, switch the solver, look at plots of the report and at the contact
//! graph.
//!
//! In: a command line ([`args`]). Out: a window, or with `--tour` a picture of every scene. [`session`] simulates and knows no window, [`sketch`] says what
//! is to be drawn of a world, [`picture`] draws it, [`panel`] and [`graph_view`] are the controls, and [`pointer`] says what of the mouse is theirs. Start
//! reading at [`window`].
//!
//! Exit codes: 0 when it is closed; 1 when a picture of a tour is blank; 2 for bad input or a machine without a screen.

mod aim;
mod args;
mod graph_view;
mod hand;
mod history;
mod panel;
mod picture;
mod pointer;
mod session;
mod sketch;
mod tour;
mod window;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = args::Args::parse();
    match window::show(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
