//! The page of the plane in a browser: it draws, scrubbing changes the picture, layers add to it, and nothing is logged as an error.
//!
//! Needs `chromium` on the path; without it the browser test says so and passes, unless `DRYSTONE_REQUIRE_CHROMIUM=1` is set.

mod common;

use common::browser::{Picture, Scratch, dump, find_chromium, open};
use drystone_viewer::plane::{
    PlaneBody, PlaneCell, PlaneContact, PlaneFrame, PlaneRecording, PlaneShape, PlaneState,
};
use drystone_viewer::{Meta, RecordingError, SeriesInfo};

const FRAME_COUNT: usize = 40;
/// Far from the origin: the page must show it as well.
const FAR: f64 = 1e7;

/// A disc, a square and a capsule that drift apart and turn over a floor, in two workers' squares.
fn drifting() -> PlaneRecording {
    let meta = Meta {
        scene: "drifting <test>".into(),
        frame_dt: 0.05,
        series: vec![SeriesInfo { name: "asleep".into(), unit: String::new() }],
        ..Meta::default()
    };
    let shape = |corners: &[[f32; 2]], radius| PlaneShape { corners: corners.to_vec(), radius };
    let body = |shape, fixed| PlaneBody { shapes: vec![shape], fixed };
    let square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let floor = [[-9.0, -2.0], [9.0, -2.0], [9.0, -1.0], [-9.0, -1.0]];
    let bodies = vec![
        body(shape(&[[0.0, 0.0]], 0.5), false),
        body(shape(&square, 0.0), false),
        body(shape(&[[-0.4, 0.0], [0.4, 0.0]], 0.2), false),
        body(shape(&floor, 0.0), true),
    ];
    let mut recording = PlaneRecording::new(meta, bodies, 2);
    for frame in 0..FRAME_COUNT {
        let t = 0.1 * frame as f64;
        let state = |x: f64, y: f64, angle: f64, worker| PlaneState {
            position: [FAR + x, y],
            angle,
            is_asleep: frame > 30,
            worker,
        };
        let states = [
            state(-t, 0.0, -t, 1),
            state(t, 0.5 * t, t, 2),
            state(0.0, -0.2 * t, 3.0 * t, 1),
            state(0.0, -0.5, 0.0, 0),
        ];
        let contacts = [PlaneContact { point: [FAR - t, -0.5], normal: [0.0, 1.0], impulse: 5.0 }];
        let cell = |x: f64, worker| PlaneCell { center: [FAR + x, 0.0], half: 2.0, worker };
        let cells = [cell(-2.0, 1), cell(2.0, 2)];
        let values = [f32::from(u8::from(frame > 30))];
        let frame = PlaneFrame { states: &states, contacts: &contacts, cells: &cells, values: &values };
        recording.push(&frame).expect("as announced");
    }
    recording
}

#[test]
fn page_is_one_file_without_references() {
    let html = drifting().page_html();
    for reference in ["http://", "https://", "src=", "@import", "url(", "import(", "{{"] {
        assert!(!html.contains(reference), "the page contains {reference:?}");
    }
    assert!(html.contains("<title>drifting &lt;test&gt;</title>"));
    assert!(html.len() < 80_000, "{} bytes for a small recording", html.len());
}

#[test]
fn frames_of_another_size_are_refused() {
    let mut recording = drifting();
    let frame = PlaneFrame { states: &[], contacts: &[], cells: &[], values: &[0.0] };
    assert!(matches!(recording.push(&frame), Err(RecordingError::Count { expected: 4, found: 0, .. })));
    assert_eq!(recording.frame_count(), FRAME_COUNT);
}

#[test]
fn page_plays_in_a_browser() {
    let Some(chromium) = find_chromium() else { return };
    let folder = Scratch::new("plane");
    let page = folder.0.join("page.html");
    drifting().write_page(&page).expect("it is written");
    let picture = |address: &str, name: &str| {
        Picture::read(&open(&chromium, &folder.0, &page, &format!("{address}&panel=0"), name))
    };
    let first = picture("f=0&cells=0", "first.png");
    let late = picture("f=25&cells=0", "late.png");
    assert!(first.color_count() > 20, "only {} colours: is the canvas blank?", first.color_count());
    assert!(first.share_changed(&late) > 0.02, "scrubbing changes the picture");
    let layers = picture("f=25&cells=1&contacts=1", "layers.png");
    assert!(late.share_changed(&layers) > 0.005, "layers change the picture");
    let asleep = picture("f=35&cells=0&color=sleeping", "asleep.png");
    assert!(asleep.share_changed(&picture("f=35&cells=0&color=speed", "speed.png")) > 0.01);

    let document = dump(&chromium, &folder.0, &page, "f=20&probe=1");
    assert!(document.contains("data-errors=\"\"") && document.contains("data-frame=\"20\""));
    let from = document.find("data-probe=\"").expect("it was asked for") + "data-probe=\"".len();
    let rest = &document[from..];
    let shown: Vec<f64> =
        rest[..rest.find('"').expect("it ends")].split(' ').map(|n| n.parse().expect("a number")).collect();
    // Relative to the middle of what moves in the first frame.
    for (shown, expected) in shown.iter().zip([2.0, 1.0, 2.0]) {
        assert!((shown - expected).abs() < 1e-5, "{shown} {expected}");
    }
}
