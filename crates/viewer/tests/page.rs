//! The page in a browser: it draws, scrubbing changes the picture, and nothing is logged as an error.
//!
//! Needs `chromium` on the path; without it the browser test says so and passes, unless
//! `DRYSTONE_REQUIRE_CHROMIUM=1` is set.

mod common;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::browser::{Picture, Scratch, attribute, dump, find_chromium, open, with_script};
use drystone_viewer::page::{page_html, write_page};
use drystone_viewer::{BodyState, BodyVisual, FrameInput, Meta, Part, Recorder, Recording, VisualShape};
use std::path::PathBuf;

const FRAME_COUNT: usize = 120;
const LATE_FRAME: usize = 100;
/// A body in the middle of the lattice, whose pose the page must report.
const PROBE: usize = 137;

#[test]
fn page_is_one_file_without_references() {
    let html = page_html(&common::tumbling(2));
    for reference in ["http://", "https://", "src=", "@import", "url(", "import(", "{{"] {
        assert!(!html.contains(reference), "the page contains {reference:?}");
    }
    assert!(html.contains("<title>tumbling &lt;test&gt; &amp; more</title>"));
    assert!(html.len() < 200_000, "{} bytes for a small recording", html.len());
}

#[test]
fn page_plays_in_a_browser() {
    let Some(chromium) = find_chromium() else { return };
    let folder = Scratch::new("page");
    let recording = common::tumbling(FRAME_COUNT);
    let page = folder.0.join("page.html");
    write_page(&recording, &page).expect("it is written");

    let first = open(&chromium, &folder.0, &page, "f=0&panel=0", "first.png");
    let late = open(&chromium, &folder.0, &page, &format!("f={LATE_FRAME}&panel=0&contacts=1"), "late.png");
    let (first, late) = (Picture::read(&first), Picture::read(&late));
    assert!(first.color_count() > 1000, "only {} colours: is the canvas blank?", first.color_count());
    let changed = first.share_changed(&late);
    assert!(changed > 0.05, "only {changed} of the picture changed between frames 0 and {LATE_FRAME}");

    let address = format!("f={LATE_FRAME}&probe={PROBE}");
    let document = dump(&chromium, &folder.0, &page, &address);
    let attribute = |name: &str| attribute(&document, name);
    assert_eq!(attribute("data-errors"), "");
    assert_eq!((attribute("data-ready").as_str(), attribute("data-frame")), ("true", LATE_FRAME.to_string()));
    // From the first frame to the last, which is one interval less than there are frames.
    assert!(document.contains("120 frames, 1.98 s"), "119 sixtieths of a second");
    // The page reads the same pose as we do.
    let shown: Vec<f64> = attribute("data-probe").split(' ').map(|n| n.parse().expect("a number")).collect();
    let state = recording.frame(LATE_FRAME).expect("it exists").bodies[PROBE];
    let position = (0..3).map(|i| state.position[i] - recording.origin()[i]);
    let expected = position.chain(state.rotation.iter().map(|&c| f64::from(c)));
    for (shown, expected) in shown.iter().zip(expected) {
        assert!((shown - expected).abs() < 1e-5, "{shown} {expected}");
    }
}

/// A page with a script of the test's in a folder of its own.
fn kinematic(folder: &Scratch, recording: &Recording, script: &str) -> PathBuf {
    let page = folder.0.join("kinematic.html");
    std::fs::write(&page, with_script(&page_html(recording), script)).expect("it is written");
    page
}

/// A context that is lost left a page that drew nothing any more and said nothing.
#[test]
fn what_is_drawn_with_may_be_lost_and_given_again() {
    let Some(chromium) = find_chromium() else { return };
    let folder = Scratch::new("lost");
    let recording = common::tumbling(2);
    let untouched = kinematic(&folder, &recording, "");
    let before = Picture::read(&open(&chromium, &folder.0, &untouched, "f=0&panel=0", "before.png"));
    let script = r#"
await ready();
const extension = document.getElementById("view").getContext("webgl2").getExtension("WEBGL_lose_context");
const message = document.getElementById("message");
await sleep(100);
extension.loseContext();
await sleep(100);
note("told", message.hidden ? "nothing" : message.textContent);
window.drystone.setFrame(1);
await sleep(100);
window.drystone.setFrame(0);
extension.restoreContext();
await sleep(300);
note("after", message.hidden ? "nothing" : message.textContent);
"#;
    let page = kinematic(&folder, &recording, script);
    let document = dump(&chromium, &folder.0, &page, "f=0&panel=0");
    let told = attribute(&document, "data-told");
    assert!(told.contains("taken back"), "{told}");
    assert_eq!(
        (attribute(&document, "data-after"), attribute(&document, "data-errors")),
        ("nothing".into(), String::new())
    );
    let after = Picture::read(&open(&chromium, &folder.0, &page, "f=0&panel=0", "after.png"));
    let changed = before.share_changed(&after);
    assert!(changed < 1e-3, "{changed} of the picture differs from that of a page that lost nothing");
}

/// A page with nothing but some of the scripts and one of the test's, which looks at what they do.
fn looking(folder: &Scratch, names: &[&str], script: &str) -> PathBuf {
    let source = |name: &&str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("page").join(name);
        std::fs::read_to_string(path).expect("a script of the page")
    };
    let sources: Vec<String> = names.iter().map(source).collect();
    let script = format!("{}\n{script}", sources.join("\n"));
    let page = folder.0.join("looking.html");
    std::fs::write(&page, with_script("<!doctype html><html><body></body></html>", &script))
        .expect("it is written");
    page
}

/// Paused between two frames, contacts hung beside bodies; and one step back from the last frame, while it stayed, led to the last frame.
#[test]
fn pausing_and_stepping_lead_to_frames() {
    let Some(chromium) = find_chromium() else { return };
    let folder = Scratch::new("pause");
    let script = r#"
const player = new Playback({ frameCount: 12, head: { meta: { frame_dt: 0.125 } } }, {});
player.advance(0.3);
player.playOrPause();
note("paused", `${player.time} ${player.isPlaying}`);
player.playOrPause();
player.advance(1.375);
note("staying", player.time);
player.step(-1);
note("back", player.time);
"#;
    let document = dump(&chromium, &folder.0, &looking(&folder, &["playback.js"], script), "");
    let found = ["data-paused", "data-staying", "data-back"].map(|name| attribute(&document, name));
    assert_eq!(found, ["2 false", "13", "10"], "2.4 intervals, 2 and 11 of them, and one less than the last");
}

/// A zoom of the address was taken as it was: -1 looked from behind, 0 at nothing.
#[test]
fn zoom_of_the_address_has_the_bounds_of_the_wheel() {
    let Some(chromium) = find_chromium() else { return };
    let folder = Scratch::new("zoom");
    let page = kinematic(&folder, &common::one_ball(), "");
    let picture = |zoom: &str| {
        let address = format!("f=0&panel=0&zoom={zoom}");
        Picture::read(&open(&chromium, &folder.0, &page, &address, "zoom.png"))
    };
    let least = picture("0.05");
    assert!(least.share_changed(&picture("1")) > 0.01, "the ball is smaller");
    for zoom in ["0", "-1"] {
        assert_eq!(least.share_changed(&picture(zoom)), 0.0, "zoom {zoom}");
    }
}

/// A canvas of the size that one begins with was never measured: a ball was twice as wide as high.
#[test]
fn balls_are_round_in_a_canvas_of_the_usual_size() {
    let Some(chromium) = find_chromium() else { return };
    let folder = Scratch::new("round");
    let style =
        "#view { position: fixed; inset: 0 auto auto 0; width: 300px !important; height: 150px !important; }
#stage > :not(canvas) { display: none !important; }";
    let html = page_html(&common::one_ball()).replace("</style>", &format!("{style}</style>"));
    let page = folder.0.join("small.html");
    std::fs::write(&page, html).expect("it is written");
    let picture = Picture::read(&open(&chromium, &folder.0, &page, "f=0&panel=0", "small.png"));
    // The ball is orange, all else grey or blue.
    let [width, height] = picture.extent(|[red, _, blue]| red > blue.saturating_add(30));
    assert!(height > 60 && width.abs_diff(height) < height / 10, "{width} x {height}");
}

/// All corners at once were arguments of one call, which more than about 125 000 are too many for.
#[test]
fn hidden_surfaces_may_have_any_number_of_corners() {
    let Some(chromium) = find_chromium() else { return };
    let folder = Scratch::new("corners");
    let corner = |i: u16, j: u16| [f32::from(i), 0.0, f32::from(j)];
    let vertices = (0..400).flat_map(|i| (0..400).map(move |j| corner(i, j))).collect();
    let shapes = vec![VisualShape::Hull { vertices, faces: vec![vec![0, 1, 400]] }];
    let body = |hidden| BodyVisual {
        name: "sheet".into(),
        material: "stone".into(),
        fixed: false,
        hidden,
        parts: vec![Part::new(0)],
    };
    let meta = Meta { frame_dt: 0.1, ..Meta::default() };
    let mut recorder = Recorder::new(meta, shapes, vec![body(true), body(false)]).expect("valid");
    let states = [BodyState::at([0.0; 3], [0.0, 0.0, 0.0, 1.0]); 2];
    recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[] }).expect("valid");
    let document = dump(&chromium, &folder.0, &kinematic(&folder, &recorder.finish(), ""), "f=0");
    assert_eq!(
        (attribute(&document, "data-errors"), attribute(&document, "data-ready")),
        (String::new(), "true".into())
    );
}

/// Contacts were unpacked when they were asked for, and so were not there in every 64th frame.
#[test]
fn contacts_of_the_run_that_follows_are_there_in_time() {
    let Some(chromium) = find_chromium() else { return };
    let folder = Scratch::new("contacts");
    let recording = common::tumbling(130);
    let data = STANDARD.encode(recording.to_bytes());
    let script = format!(
        r#"
const data = await decodeRecording("{data}", () => {{}});
data.contacts(63, () => {{}});
await sleep(500);
note("next", data.contacts(64, () => {{}})?.length);
data.contacts(129, () => {{}});
await sleep(500);
note("first", data.contacts(0, () => {{}})?.length);
"#
    );
    let page = looking(&folder, &["bytes.js", "decode.js"], &script);
    let document = dump(&chromium, &folder.0, &page, "");
    let counts = [64, 0].map(|frame| recording.frame(frame).expect("it exists").contacts.len().to_string());
    assert_ne!(counts[0], "0");
    assert_eq!([attribute(&document, "data-next"), attribute(&document, "data-first")], counts);
}

/// A page does not carry what it does not show: at 1920 steps per second state hashes were more than half of it.
#[test]
fn pages_have_no_state_hashes() {
    let page_with = |count: u64| {
        let mut recorder = Recorder::new(Meta { frame_dt: 0.1, ..Meta::default() }, Vec::new(), Vec::new())
            .expect("valid")
            .with_steps(64);
        // As good as random: nothing that could be packed.
        (0..count).for_each(|step| recorder.state_hash(step.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        recorder.frame(&FrameInput { bodies: &[], contacts: &[], series: &[] }).expect("valid");
        page_html(&recorder.finish())
    };
    assert_eq!(page_with(10_000).len(), page_with(0).len());
}
