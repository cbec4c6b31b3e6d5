//! The page: one HTML file with everything in it, which plays a recording in a browser.
//!
//! In: a [`Recording`] (or one of the plane, [`crate::plane`]). Out: HTML that opens from disk, without server or network. The sources are in
//! `crates/viewer/page/`, one file per concern; they are put together here by replacing the places
//! marked `{{...}}` in `index.html`. The page holds the bytes of the recording's file without its state hashes,
//! which nobody looks at there, and draws with WebGL 2; what it cannot do it says in a message.
//!
//! After `#` the address may name a frame to stop at and what to show, for example
//! `run.html#f=120&color=sleeping&contacts=1`; `page/main.js` lists all of it.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::colour;
use crate::recording::{Recording, RecordingError};
use crate::view::{DEFAULT_AZIMUTH, DEFAULT_ELEVATION, FIELD_OF_VIEW, Framing, MARGIN};

const INDEX: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/style.css");
/// Scripts of both kinds of pages.
const BYTES: &str = include_str!("../page/bytes.js");
const POINTERS: &str = include_str!("../page/pointers.js");
const PLOTS: &str = include_str!("../page/plots.js");
const UI: &str = include_str!("../page/ui.js");
const PLAYBACK: &str = include_str!("../page/playback.js");
/// In the order in which they rely on each other.
const SCRIPTS: [&str; 10] = [
    BYTES,
    include_str!("../page/decode.js"),
    include_str!("../page/camera.js"),
    POINTERS,
    include_str!("../page/meshes.js"),
    include_str!("../page/gl.js"),
    PLOTS,
    UI,
    PLAYBACK,
    include_str!("../page/main.js"),
];
/// Of the page of the plane, likewise.
pub(crate) const PLANE_SCRIPTS: [&str; 6] =
    [BYTES, POINTERS, PLOTS, UI, PLAYBACK, include_str!("../page/plane.js")];

/// What keys and pointers do.
const HELP: &str = "<kbd>drag</kbd> orbit <kbd>shift drag</kbd> pan <kbd>wheel</kbd> zoom <kbd>space</kbd> play
    <kbd>←</kbd><kbd>→</kbd> step <kbd>W</kbd><kbd>A</kbd><kbd>S</kbd><kbd>D</kbd> orbit <kbd>Q</kbd><kbd>E</kbd> zoom
    <kbd>R</kbd> reset view <kbd>C</kbd> colours <kbd>L</kbd> loop <kbd>P</kbd> panel";
/// The same on the page of the plane.
pub(crate) const PLANE_HELP: &str = "<kbd>drag</kbd> pan <kbd>wheel</kbd> zoom <kbd>space</kbd> play
    <kbd>←</kbd><kbd>→</kbd> step <kbd>W</kbd><kbd>A</kbd><kbd>S</kbd><kbd>D</kbd> pan <kbd>Q</kbd><kbd>E</kbd> zoom
    <kbd>R</kbd> reset view <kbd>C</kbd> colours <kbd>L</kbd> loop <kbd>P</kbd> panel";

/// What the page shares with the pictures: view and colours.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Look {
    framing: Framing,
    azimuth: f32,
    elevation: f32,
    field_of_view: f32,
    margin: f32,
    #[serde(flatten)]
    colours: Colours,
}

/// Colours of the page and the pictures.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Colours {
    palette: [[u8; 3]; 12],
    ramp: [[u8; 3]; 5],
    fixed: [u8; 3],
    awake: [u8; 3],
    asleep: [u8; 3],
    ungrouped: [u8; 3],
    contact: [u8; 3],
    outline: [u8; 3],
    ground: [[u8; 3]; 2],
    backdrop: [[u8; 3]; 2],
}

const COLOURS: Colours = Colours {
    palette: colour::PALETTE,
    ramp: colour::SPEED_RAMP,
    fixed: colour::FIXED,
    awake: colour::AWAKE,
    asleep: colour::ASLEEP,
    ungrouped: colour::UNGROUPED,
    contact: colour::CONTACT,
    outline: colour::OUTLINE,
    ground: colour::GROUND,
    backdrop: colour::BACKDROP,
};

/// The page that plays a recording, as HTML. About 80 kB plus 4/3 of the recording's file.
pub fn page_html(recording: &Recording) -> String {
    let look = Look {
        framing: Framing::of(recording),
        azimuth: DEFAULT_AZIMUTH,
        elevation: DEFAULT_ELEVATION,
        field_of_view: FIELD_OF_VIEW,
        margin: MARGIN,
        colours: COLOURS,
    };
    let data = STANDARD.encode(recording.to_bytes_without_hashes());
    page_of(&recording.meta.scene, &json(&look), &data, &SCRIPTS, HELP)
}

/// The colours alone, as JSON.
pub(crate) fn colours() -> String {
    json(&COLOURS)
}

/// Numbers and fixed keys only: nothing in it can end the script element.
fn json(look: &impl Serialize) -> String {
    serde_json::to_string(look).expect("plain data with text keys always has a JSON form")
}

/// Puts a page together.
pub(crate) fn page_of(scene: &str, look: &str, data: &str, scripts: &[&str], help: &str) -> String {
    let script = scripts.join("\n");
    fill(
        INDEX,
        &[
            ("title", &escaped(scene)),
            ("style", STYLE),
            ("help", help),
            ("look", look),
            ("recording", data),
            ("script", &script),
        ],
    )
}

/// Writes [`page_html`] to a file.
pub fn write_page(recording: &Recording, path: impl AsRef<Path>) -> Result<(), RecordingError> {
    let path = path.as_ref();
    let io = |source| RecordingError::Io { path: path.to_owned(), source };
    std::fs::write(path, page_html(recording)).map_err(io)
}

/// Replaces each `{{name}}` of a template once; what is put in is not looked at again.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + values.iter().map(|v| v.1.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        match values.iter().find(|v| v.0 == name) {
            Some((_, value)) => out.push_str(value),
            None => debug_assert!(false, "index.html names {name:?}, which page.rs does not fill in"),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
