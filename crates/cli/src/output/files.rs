//! The folder of results.

use crate::failure::Failure;
use drystone_scenes::Outcome;
use drystone_viewer::page::write_page;
use drystone_viewer::plane::PlaneRecording;
use drystone_viewer::plot::{Curve, time_series_svg};
use drystone_viewer::{Recording, RenderOptions, render_frame};
use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Points of a plot; more are not seen.
const PLOT_POINTS: usize = 1800;

/// What a run leaves to look at: the recording, the page that plays it, and its last frame.
const VIEW: [&str; 3] = ["recording.drystone", "page.html", "last_frame.png"];
/// Its figures, and their plot.
const FIGURES: [&str; 2] = ["result.json", "plot.svg"];

/// A folder that exists and can be written to.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes the folder and tries to write into it, so that no run is lost to a mistyped name.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let refuse = |error| Failure::input(format!("cannot write to --out {}: {error}", path.display()));
        std::fs::create_dir_all(path).map_err(refuse)?;
        let probe = path.join(format!(".drystone-{}", std::process::id()));
        std::fs::write(&probe, []).and_then(|()| std::fs::remove_file(&probe)).map_err(refuse)?;
        Ok(Self(path.to_owned()))
    }

    /// Whether a run writes a file into its folder that is called so.
    pub(crate) fn has(name: &OsStr) -> bool {
        VIEW.iter().chain(&FIGURES).any(|own| name == *own)
    }

    /// The page's path.
    pub(crate) fn page(&self) -> PathBuf {
        self.0.join(VIEW[1])
    }

    /// Writes what people look at: the recording, the page that plays it, and a picture of its last frame.
    pub(crate) fn write_view(&self, recording: &Recording) -> Result<(), Failure> {
        let last = recording.frame_count().saturating_sub(1);
        let [saved, page, picture] = VIEW;
        Failure::all([
            self.within(saved, |path| recording.save(path)),
            self.within(page, |path| write_page(recording, path)),
            self.within(picture, |path| {
                render_frame(recording, last, &RenderOptions::default())?.write_png(path)
            }),
        ])
    }

    /// Takes away what an earlier run left to look at: it would be taken for this one's. Without a recording it is somebody else's.
    pub(crate) fn drop_view(&self) -> Result<(), Failure> {
        if !self.0.join(VIEW[0]).is_file() {
            return Ok(());
        }
        // The recording goes last, so that what could not be removed can be the next time.
        Failure::all(VIEW.iter().rev().map(|name| {
            let path = self.0.join(name);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(Failure::work(format!("cannot remove {}: {error}", path.display())))
                }
                _ => Ok(()),
            }
        }))
    }

    /// Writes the page of a run in the plane.
    pub(crate) fn write_plane(&self, recording: &PlaneRecording) -> Result<(), Failure> {
        self.within(VIEW[1], |path| recording.write_page(path))
    }

    /// Writes the figures as JSON and plots time per step above bodies asleep.
    pub(crate) fn write_figures(&self, outcome: &Outcome, json_line: &str) -> Result<(), Failure> {
        let [figures, plotted] = FIGURES;
        let result = self.within(figures, |path| std::fs::write(path, format!("{json_line}\n")));
        let (step_ns, asleep) = (&outcome.history.step_ns, &outcome.history.asleep);
        let curves = [
            curve("time per step (ms)", outcome, step_ns.iter().map(|&ns| ns as f64 * 1e-6)),
            curve("bodies asleep", outcome, asleep.iter().map(|&count| f64::from(count))),
        ];
        let title = format!("{}, {}", outcome.scene, outcome.preset);
        let plot = time_series_svg(&title, "time (s)", &curves).map_err(Failure::work);
        let plot = plot.and_then(|svg| self.within(plotted, |path| std::fs::write(path, svg)));
        Failure::all([result, plot])
    }

    fn within<E: Display>(
        &self,
        name: &str,
        write: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<(), Failure> {
        let path = self.0.join(name);
        write(&path).map_err(|error| Failure::work(format!("cannot write {}: {error}", path.display())))
    }
}

/// A curve over steps; where there are many, the highest of each run of steps.
fn curve(name: &str, outcome: &Outcome, values: impl ExactSizeIterator<Item = f64>) -> Curve {
    let bucket = values.len().div_ceil(PLOT_POINTS).max(1);
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (step, value) in values.enumerate() {
        match points.last_mut() {
            Some(last) if step % bucket != 0 => last.1 = last.1.max(value),
            _ => points.push(((step + 1) as f64 / outcome.hz, value)),
        }
    }
    Curve { name: name.into(), points }
}
