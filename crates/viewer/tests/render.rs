//! Pictures: expected colours at known places, and the same bits every time.

mod common;

use drystone_viewer::view::Framing;
use drystone_viewer::{
    BodyState, BodyVisual, ColorBy, FrameInput, Meta, Part, Recorder, Recording, RenderOptions, VisualShape,
    colour, render_frame,
};

fn small() -> RenderOptions {
    RenderOptions { width: 320, height: 180, ..RenderOptions::default() }
}

#[test]
fn ball_is_in_the_middle_and_the_corner_is_backdrop() {
    let image = render_frame(&common::one_ball(), 0, &small()).expect("it draws");
    let [r, g, b, a] = image.pixel(160, 90);
    let expected = colour::PALETTE[0];
    assert_eq!(a, 255);
    assert!(r > 120 && r > g && g > b, "not orange like {expected:?}: {r} {g} {b}");
    let corner = image.pixel(0, 0);
    let top = colour::BACKDROP[1];
    for i in 0..3 {
        assert!(corner[i].abs_diff(top[i]) <= 2, "corner {corner:?}, backdrop {top:?}");
    }
    // The ball fills the height up to the margin, and no more.
    let column: Vec<bool> = (0..180).map(|y| image.pixel(160, y)[0] > 90).collect();
    let tall = column.iter().filter(|is_ball| **is_ball).count();
    assert!((80..=178).contains(&tall), "{tall} rows of ball");
}

#[test]
fn picture_does_not_depend_on_threads() {
    let recording = common::tumbling(2);
    let draw = |threads| {
        let options = RenderOptions { threads, contacts: true, ..small() };
        render_frame(&recording, 1, &options).expect("it draws")
    };
    assert_eq!(draw(1), draw(3));
}

#[test]
fn sleeping_bodies_change_colour() {
    let recording = common::tumbling(150);
    let options = RenderOptions { color_by: ColorBy::Sleeping, ..small() };
    let blue_share = |frame| {
        let image = render_frame(&recording, frame, &options).expect("it draws");
        let blue = image.rgba.chunks(4).filter(|p| i32::from(p[2]) > i32::from(p[0]) + 40).count();
        blue as f64 / (320.0 * 180.0)
    };
    assert!(blue_share(0) < 0.01 && blue_share(149) > 0.05);
}

#[test]
fn every_movable_body_changes_pixels_of_its_own() {
    let recording = common::tumbling(1);
    let image = render_frame(&recording, 0, &small()).expect("it draws");
    let mut colours: Vec<[u8; 4]> = image.rgba.chunks(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
    colours.sort_unstable();
    colours.dedup();
    assert!(colours.len() > 2000, "only {} colours: is it blank?", colours.len());
}

#[test]
fn png_has_its_signature_and_size() {
    let image = render_frame(&common::one_ball(), 0, &small()).expect("it draws");
    let bytes = image.to_png().expect("it encodes");
    assert_eq!(bytes[..8], [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A]);
    assert_eq!((&bytes[16..20], &bytes[20..24]), (&320_u32.to_be_bytes()[..], &180_u32.to_be_bytes()[..]));
}

#[test]
fn impossible_requests_are_refused() {
    let recording = common::one_ball();
    let message = render_frame(&recording, 5, &small()).expect_err("no such frame").to_string();
    assert!(message.contains('5') && message.contains('1'), "{message}");
    let flat = RenderOptions { height: 0, ..small() };
    assert!(render_frame(&recording, 0, &flat).is_err());
}

/// What is not there in the first frame was not looked at: a box that appeared 30 m away was never in the picture.
#[test]
fn what_appears_later_is_in_view() {
    let meta = Meta { frame_dt: 0.1, gravity: [0.0, -10.0, 0.0], ..Meta::default() };
    let body = |fixed, shape| BodyVisual {
        name: String::new(),
        material: "oak".into(),
        fixed,
        hidden: false,
        parts: vec![Part::new(shape)],
    };
    let shapes =
        vec![VisualShape::Plane { normal: [0.0, 1.0, 0.0] }, VisualShape::Box { half_extents: [0.05; 3] }];
    let bodies = vec![body(true, 0), body(false, 1), body(false, 1)];
    let mut recorder = Recorder::new(meta, shapes, bodies).expect("valid");
    // Past the first run of frames, too.
    for frame in 0..100 {
        let mut states = [[0.0; 3], [30.0, 0.05, 0.0], [32.0, 0.05, 0.0]]
            .map(|place| BodyState::at(place, [0.0, 0.0, 0.0, 1.0]));
        states[1].removed = frame < 3;
        states[2].removed = frame < 90;
        recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[] }).expect("valid");
    }
    let recording = recorder.finish();
    let framing = Framing::of(&recording);
    let x = framing.center[0] + recording.origin()[0] as f32;
    assert!((x - 31.0).abs() < 1e-3 && (framing.half[0] - 1.05).abs() < 1e-3, "{framing:?}");
    let read = Recording::from_bytes(&recording.to_bytes()).expect("it reads what it wrote");
    assert_eq!(Framing::of(&read), framing);
}
