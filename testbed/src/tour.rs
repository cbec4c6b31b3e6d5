//! A walk through scenes that leaves a picture of each, and tells which are blank.

use crate::session::Session;
use drystone_scenes::SceneError;
use std::collections::BTreeMap;
use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Computing before a picture.
const MOST_WORK: Duration = Duration::from_secs(4);
/// A picture of which more than this share has one colour is blank.
const MOST_OF_ONE_COLOUR: f64 = 0.9995;
/// A picture with fewer colours is blank.
const LEAST_COLOURS: usize = 24;

/// A picture as it comes from the screen: rows from the top, red, green, blue, opacity.
pub(crate) struct Shot {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Vec<[u8; 4]>,
}

/// A walk through scenes.
#[derive(Debug)]
pub(crate) struct Tour {
    folder: PathBuf,
    /// Scenes to come, the next one last.
    left: Vec<String>,
    seconds: f64,
    seen: usize,
    failures: Vec<String>,
}

impl Tour {
    /// A walk through these scenes, whose pictures go to a folder that is made.
    ///
    /// # Errors
    /// The folder, and why it cannot be made.
    pub(crate) fn new(folder: &Path, mut scenes: Vec<String>, seconds: f64) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        scenes.reverse();
        Ok(Self { folder: folder.to_owned(), left: scenes, seconds, seen: 0, failures: Vec::new() })
    }

    /// The scene that comes next.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.left.pop()
    }

    /// Simulates up to the picture.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(crate) fn simulate(&self, session: &mut Session) -> Result<(), SceneError> {
        let start = Instant::now();
        while session.runner().time() < self.seconds && start.elapsed() < MOST_WORK {
            session.step()?;
        }
        Ok(())
    }

    /// Writes a scene's picture and judges it. `panel` is the width, in pixels, of what is no picture, at the left.
    pub(crate) fn take(&mut self, session: &Session, shot: &Shot, panel: u32) {
        let name = session.name().replace([':', '/', '\\'], "_");
        let path = self.folder.join(format!("{name}.png"));
        self.seen += 1;
        let verdict = write(&path, shot).and_then(|()| judge(shot, panel));
        let facts = format!("{} after {:.2} s", session.name(), session.runner().time());
        match verdict {
            Ok(told) => println!("{facts}: {told}"),
            Err(problem) => {
                println!("{facts}: {problem}");
                self.failures.push(format!("{}: {problem}", session.name()));
            }
        }
    }

    /// Notes a scene that could not be shown at all.
    pub(crate) fn fail(&mut self, scene: &str, why: &str) {
        self.seen += 1;
        println!("{scene}: {why}");
        self.failures.push(format!("{scene}: {why}"));
    }

    /// Ends with a line; whether all went well.
    pub(crate) fn finish(&self) -> bool {
        println!(
            "{} scenes, {} blank or failed; pictures in {}",
            self.seen,
            self.failures.len(),
            self.folder.display()
        );
        self.failures.iter().for_each(|failure| eprintln!("error: {failure}"));
        self.failures.is_empty()
    }
}

/// Says how full a picture is, or that it is blank.
fn judge(shot: &Shot, panel: u32) -> Result<String, String> {
    let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    let mut all = 0_usize;
    for row in shot.pixels.chunks_exact(shot.width.max(1) as usize) {
        for [r, g, b, _] in row.iter().skip(panel as usize) {
            *counts.entry([*r, *g, *b]).or_default() += 1;
            all += 1;
        }
    }
    let most = counts.values().copied().max().unwrap_or(0) as f64 / all.max(1) as f64;
    let told = format!("{} colours, {:.1} % of one", counts.len(), 100.0 * most);
    if all == 0 || most > MOST_OF_ONE_COLOUR || counts.len() < LEAST_COLOURS {
        return Err(format!("the picture is blank: {told}"));
    }
    Ok(told)
}

fn write(path: &Path, shot: &Shot) -> Result<(), String> {
    let refused = |error: &dyn std::fmt::Display| format!("cannot write {}: {error}", path.display());
    let file = fs::File::create(path).map_err(|error| refused(&error))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), shot.width, shot.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = shot.pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    let mut writer = encoder.write_header().map_err(|error| refused(&error))?;
    writer.write_image_data(&bytes).map_err(|error| refused(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(pixel: impl Fn(u32, u32) -> [u8; 4]) -> Shot {
        let (width, height) = (100, 50);
        let pixels = (0..width * height).map(|i| pixel(i % width, i / width)).collect();
        Shot { width, height, pixels }
    }

    #[test]
    fn blank_pictures_are_told() {
        let grey = |_, _| [40, 40, 40, 255];
        assert!(judge(&shot(grey), 0).is_err());
        // What the panel shows is no picture.
        let panel = |x: u32, y: u32| if x < 30 { [x as u8, y as u8, 7, 255] } else { [40, 40, 40, 255] };
        assert!(judge(&shot(panel), 0).is_ok() && judge(&shot(panel), 30).is_err());
        // A floor of two colours without anything on it.
        let floor =
            |x: u32, y: u32| if (x + y).is_multiple_of(2) { [40, 40, 40, 255] } else { [60, 60, 60, 255] };
        assert!(judge(&shot(floor), 0).is_err());
        let pile = |x: u32, y: u32| {
            if x.abs_diff(50) < 8 && y > 20 { [x as u8, 90, y as u8, 255] } else { [40, 40, 40, 255] }
        };
        assert!(judge(&shot(pile), 0).is_ok());
    }

    #[test]
    fn what_is_written_is_a_picture() {
        let folder = std::env::temp_dir().join(format!("drystone-tour-{}", std::process::id()));
        let tour = Tour::new(&folder, vec!["a".into(), "b".into()], 0.5);
        let mut tour = tour.expect("a folder");
        assert_eq!((tour.next(), tour.next(), tour.next()), (Some("a".into()), Some("b".into()), None));
        let path = folder.join("x.png");
        write(&path, &shot(|x, y| [x as u8, y as u8, 3, 255])).expect("it is written");
        let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(&path).expect("it is there")));
        let mut reader = decoder.read_info().expect("a picture");
        let mut bytes = vec![0; reader.output_buffer_size().expect("it fits")];
        reader.next_frame(&mut bytes).expect("whole");
        assert_eq!(
            (reader.info().width, reader.info().height, &bytes[3 * 207..3 * 208]),
            (100, 50, &[7, 2, 3][..])
        );
        tour.fail("c", "no scene");
        assert!(!tour.finish());
        fs::remove_dir_all(&folder).expect("it is there");
        let error = Tour::new(Path::new("/dev/null/x"), Vec::new(), 0.5).expect_err("no folder");
        assert!(error.contains("/dev/null/x"), "{error}");
    }
}
