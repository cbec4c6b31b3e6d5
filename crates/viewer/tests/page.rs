//! The page in a browser: it draws, scrubbing changes the picture, and nothing is logged as an error.
//!
//! Needs `chromium` on the path; without it the browser test says so and passes, unless
//! `DRYSTONE_REQUIRE_CHROMIUM=1` is set.

mod common;

use common::browser::{Picture, Scratch, dump, find_chromium, open};
use drystone_viewer::page::{page_html, write_page};

const FRAME_COUNT: usize = 120;
const LATE_FRAME: usize = 100;
/// A body in the middle of the lattice, whose pose the page must report.
const PROBE: usize = 137;

#[test]
fn page_is_one_file_without_references() {
    let html = page_html(&common::tumbling(2)).expect("it is made");
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
    let attribute = |name: &str| {
        let from = document.find(&format!("{name}=\"")).map(|at| at + name.len() + 2);
        let rest = &document[from.unwrap_or_else(|| panic!("the document has no {name}"))..];
        rest[..rest.find('"').expect("the attribute ends")].to_owned()
    };
    assert_eq!(attribute("data-errors"), "");
    assert_eq!((attribute("data-ready").as_str(), attribute("data-frame")), ("true", LATE_FRAME.to_string()));
    // The page reads the same pose as we do.
    let shown: Vec<f64> = attribute("data-probe").split(' ').map(|n| n.parse().expect("a number")).collect();
    let state = recording.frame(LATE_FRAME).expect("it exists").bodies[PROBE];
    let position = (0..3).map(|i| state.position[i] - recording.origin()[i]);
    let expected = position.chain(state.rotation.iter().map(|&c| f64::from(c)));
    for (shown, expected) in shown.iter().zip(expected) {
        assert!((shown - expected).abs() < 1e-5, "{shown} {expected}");
    }
}
