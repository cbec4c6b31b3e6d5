//! Where the time of a step goes, what it works on, and what it takes in memory: tables in Markdown on stdout.
//!
//! In: scenes of the library, each at a state that is typical of its kind. Out: time per stage, per body and per
//! contact; which pairs are looked at anew; contacts by their number of points; bytes; the price of a stage that
//! does nothing. `cargo xtask bench stages` puts the tables into `docs/measurements/stages.md`. Start reading at
//! [`scenes::CASES`].
//!
//! With `--steps SCENE WARM_UP COUNT` it only takes steps, for programs that count what the processor does.

mod barrier;
mod memory;
mod scenes;
mod tables;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    // `cargo bench` says so; `cargo test` does not, and wants to see it work, in little time.
    let is_full = std::env::args().any(|a| a == "--bench");
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            print(is_full);
            ExitCode::SUCCESS
        }
        ["--steps", scene, warm_up, count] => match (warm_up.parse(), count.parse()) {
            (Ok(warm_up), Ok(count)) => {
                println!("{:#018x}", scenes::only_steps(scene, warm_up, count));
                ExitCode::SUCCESS
            }
            _ => refuse("--steps takes a scene and two whole numbers"),
        },
        _ => refuse("takes nothing, or --steps SCENE WARM_UP COUNT"),
    }
}

fn refuse(reason: &str) -> ExitCode {
    eprintln!("error: {reason}");
    ExitCode::FAILURE
}

fn print(is_full: bool) {
    let mut taken = Vec::new();
    for case in scenes::cases(is_full) {
        eprintln!("{}", case.scene);
        let measured = scenes::measure(&case, is_full);
        tables::print_stages(&case, &measured);
        taken.push((case, measured));
    }
    tables::print_work(&taken);
    memory::print(is_full);
    barrier::print(is_full);
}
