//! Scene files: RON text to [`Scene`] and back.
//!
//! RON is read with `implicit_some`, so optional values are written plainly. Unknown fields are refused.

use crate::error::{Fault, Place, SceneError};
use crate::model::{SCENE_VERSION, Scene};
use crate::old_words;
use crate::outline::{Outline, line_and_column, offset_at};
use ron::Options;
use ron::error::{Error, SpannedError};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::Deserialize;
use std::path::Path;

/// The part of a file that every version of the format has.
#[derive(Deserialize)]
struct Header {
    version: u32,
}

/// Largest scene file, bytes: one that is larger is taken for a mistake.
const MAX_FILE_SIZE: u64 = 256 << 20;

fn options() -> Options {
    Options::default().with_default_extension(Extensions::IMPLICIT_SOME)
}

impl Scene {
    /// Reads and validates a scene; `file` is the name that errors give, and relative paths in the scene begin at its folder.
    ///
    /// # Errors
    /// [`SceneError::Syntax`] and [`SceneError::InvalidFile`], with line, column and field.
    ///
    /// ```
    /// use drystone_scenes::Scene;
    /// let text = r#"(version: 1, name: "drop", bodies: [
    ///     (shape: sphere(radius: 0.5), material: "oak", position: (0.0, 2.0, 0.0)),
    /// ])"#;
    /// assert_eq!(Scene::parse(text, "drop.ron")?.bodies.len(), 1);
    ///
    /// let error = Scene::parse(&text.replace("0.5", "-0.5"), "drop.ron").unwrap_err().to_string();
    /// assert!(error.starts_with("drop.ron:2:20: bodies[0].shape.radius must be"), "{error}");
    /// # Ok::<(), drystone_scenes::SceneError>(())
    /// ```
    pub fn parse(text: &str, file: &str) -> Result<Self, SceneError> {
        // Some editors begin a file with a mark of its encoding.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let place = |offset: usize| {
            let (line, column) = line_and_column(text, offset);
            Place { file: file.to_owned(), line, column }
        };
        let invalid = |fault: Fault| {
            let place = place(Outline::of(text).offset_of(&fault.path));
            SceneError::InvalidFile { place, fault: Box::new(fault) }
        };
        if let Ok(Header { version }) = options().from_str::<Header>(text)
            && version != SCENE_VERSION
        {
            return Err(invalid(Fault {
                path: "version".into(),
                owner: String::new(),
                expected: format!("{SCENE_VERSION}, the version this program reads"),
                found: version.to_string(),
            }));
        }
        let mut scene: Self = options().from_str(text).map_err(|error| {
            let offset = offset_at(text, error.span.start.line, error.span.start.col);
            let path = path_of_error(text, &error);
            SceneError::Syntax { place: place(offset), path, message: one_line(&error.code) }
        })?;
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        scene.read_meshes(folder).map_err(invalid)?;
        scene.check().map_err(invalid)?;
        scene.warnings = old_words::warnings(text, file);
        Ok(scene)
    }

    /// Reads and validates a scene file.
    ///
    /// # Errors
    /// [`SceneError::Read`], and those of [`Scene::parse`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let read = |source| SceneError::Read { path: path.to_owned(), source };
        let size = std::fs::metadata(path).map_err(read)?.len();
        if size > MAX_FILE_SIZE {
            let reason = format!("a scene file has at most {MAX_FILE_SIZE} bytes, this one {size}");
            return Err(read(std::io::Error::other(reason)));
        }
        let text = std::fs::read_to_string(path).map_err(read)?;
        Self::parse(&text, &path.display().to_string())
    }

    /// The scene as the text of a file; default values are left out.
    pub fn to_ron(&self) -> String {
        let config = PrettyConfig::new().indentor("  ").compact_arrays(true).depth_limit(3);
        options().to_string_pretty(self, config).expect("plain data always has a RON form")
    }
}

/// The field that an error is about.
fn path_of_error(text: &str, error: &SpannedError) -> String {
    let start = offset_at(text, error.span.start.line, error.span.start.col);
    let end = offset_at(text, error.span.end.line, error.span.end.col);
    let outline = Outline::of(text);
    match &error.code {
        // Found once the struct is read to its end, which is where it is.
        Error::MissingStructField { .. } => outline.holder_at(start).to_owned(),
        _ => outline.path_at(start.max(end.saturating_sub(1))).to_owned(),
    }
}

fn one_line(error: &Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
