//! The command line.

use clap::Parser;
use drystone_scenes::{Preset, Scene, SceneError, scene};
use std::path::{Path, PathBuf};

/// Every scene of drystone in a window: pick and throw bodies, pause, step, switch the solver, look at the contact graph.
#[derive(Clone, Debug, Parser)]
#[command(name = "testbed", version)]
pub(crate) struct Args {
    /// A scene by name, with its number where it takes one (`tower:20`), or a scene file (.ron)
    #[arg(default_value = "bullet5")]
    pub(crate) scene: String,
    /// The solver's settings: fast, fine, nsgs, lcp, thesis_fast, thesis_accurate, qp_suite
    #[arg(long, value_name = "NAME", default_value = "fast", value_parser = preset)]
    pub(crate) preset: Preset,
    /// Threads, 1 to 256; the motion does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) threads: usize,
    /// Size of the window in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size)]
    pub(crate) size: (u32, u32),
    /// Begins paused
    #[arg(long)]
    pub(crate) paused: bool,
    /// Goes through all scenes, writes a picture of each into this folder and ends; fails where one is blank
    #[arg(long, value_name = "DIR")]
    pub(crate) tour: Option<PathBuf>,
    /// Of a tour only this scene; may be repeated
    #[arg(long, value_name = "SCENE", requires = "tour")]
    pub(crate) only: Vec<String>,
    /// Simulated before each picture of a tour, s; a scene that needs more than 4 s of computing for it stops there
    #[arg(long, value_name = "S", default_value_t = 0.5, value_parser = seconds, requires = "tour")]
    pub(crate) seconds: f64,
}

fn preset(text: &str) -> Result<Preset, String> {
    Preset::find(text).map_err(|error| error.to_string())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let refused = || "expected WIDTHxHEIGHT in pixels, each from 320 to 8192, as in 1280x800".to_owned();
    let (width, height) = text.split_once('x').ok_or_else(refused)?;
    let parse = |side: &str| side.parse().ok().filter(|side| (320..=8192).contains(side)).ok_or_else(refused);
    Ok((parse(width)?, parse(height)?))
}

fn seconds(text: &str) -> Result<f64, String> {
    let is_fine = |value: &f64| (0.0..=3600.0).contains(value);
    text.parse().ok().filter(is_fine).ok_or_else(|| "expected 0 to 3600".to_owned())
}

/// A scene by name, or from a file.
pub(crate) fn find_scene(text: &str) -> Result<Scene, SceneError> {
    let path = Path::new(text);
    let is_file = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron"));
    let scene = if is_file { Scene::load(path)? } else { scene(text)? };
    scene.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    Ok(scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("testbed").chain(arguments.iter().copied()))
    }

    #[test]
    fn what_is_typed_is_understood() {
        let args = parse(&["tower:20", "--preset", "accurate", "--size", "640x480"]).expect("valid");
        assert_eq!((args.scene.as_str(), args.preset), ("tower:20", Preset::ThesisAccurate));
        assert_eq!((args.size, args.threads, args.seconds), ((640, 480), 1, 0.5));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (arguments, expected) in [
            (&["--preset", "quick"][..], "one of thesis_fast"),
            (&["--size", "640"], "WIDTHxHEIGHT"),
            (&["--size", "12x800"], "320 to 8192"),
            (&["--tour", "out", "--seconds", "NaN"], "0 to 3600"),
            (&["--only", "tower"], "--tour"),
        ] {
            let error = parse(arguments).expect_err("refused").to_string();
            assert!(error.contains(expected), "{arguments:?}: {error}");
        }
        let error = find_scene("towr").expect_err("unknown").to_string();
        assert!(error.contains("towr") && error.contains("tower"), "{error}");
        let error = find_scene("nowhere.ron").expect_err("no file").to_string();
        assert!(error.contains("nowhere.ron"), "{error}");
    }
}
