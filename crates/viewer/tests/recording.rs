//! Recordings: what is read equals what was written within the stated bounds, and damage is an error.

mod common;

use drystone_viewer::recording::{CLAMPED_FIGURE, FORMAT_VERSION, FRAMES_PER_CHUNK, RecorderOptions};
use drystone_viewer::{
    BodyState, BodyVisual, Contact, FrameInput, Meta, Part, Recorder, Recording, RecordingError, SeriesInfo,
    VisualShape,
};
use proptest::prelude::*;

/// Half of a bit of the stored 16 bits per part of a quaternion, four times, twice as an angle; rounded up.
const ROTATION_ERROR: f64 = 1e-4;
/// A float with 8 significant bits.
const RELATIVE_ERROR: f32 = 1.0 / 256.0;
const NORMAL_ERROR: f32 = 0.01;

fn ball_recorder(body_count: usize, radius: f32) -> Recorder {
    let body = BodyVisual {
        name: String::new(),
        material: "m".into(),
        fixed: false,
        hidden: false,
        parts: vec![Part::new(0)],
    };
    let series = vec![SeriesInfo { name: "energy".into(), unit: "J".into() }];
    let meta = Meta { frame_dt: 0.01, series, ..Meta::default() };
    let shapes = vec![VisualShape::Sphere { radius }];
    Recorder::new(meta, shapes, vec![body; body_count]).expect("the scene is valid")
}

fn unit<const N: usize>(v: [f32; N]) -> [f32; N] {
    let size = v.iter().map(|c| c * c).sum::<f32>().sqrt();
    v.map(|c| c / size)
}

fn body_state() -> impl Strategy<Value = BodyState> {
    let position = prop::array::uniform3(-900.0..900.0_f64);
    let rotation = prop::array::uniform4(-1.0..1.0_f32)
        .prop_filter("no direction", |q| q.iter().map(|c| c * c).sum::<f32>() > 1e-3);
    (position, rotation, any::<bool>(), any::<bool>(), any::<u32>(), 0.0..500.0_f32).prop_map(
        |(position, rotation, asleep, removed, island, speed)| BodyState {
            position,
            rotation: unit(rotation),
            asleep,
            removed,
            island,
            speed,
        },
    )
}

fn contact() -> impl Strategy<Value = Contact> {
    let normal = prop::array::uniform3(-1.0..1.0_f32)
        .prop_filter("no direction", |n| n.iter().map(|c| c * c).sum::<f32>() > 1e-2);
    (prop::array::uniform3(-900.0..900.0_f64), normal, -1.0..1.0_f32, 0.0..1e6_f32)
        .prop_map(|(point, normal, depth, impulse)| Contact { point, normal: unit(normal), depth, impulse })
}

fn frames(body_count: usize) -> impl Strategy<Value = Vec<(Vec<BodyState>, Vec<Contact>, f32)>> {
    let frame = (
        prop::collection::vec(body_state(), body_count),
        prop::collection::vec(contact(), 0..6),
        any::<f32>(),
    );
    // Sometimes more than one chunk.
    prop::collection::vec(frame, 1..FRAMES_PER_CHUNK + 20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Writing and reading keeps every value within the bounds that the module states.
    #[test]
    fn round_trip_keeps_every_value_within_its_bound(frames in frames(3)) {
        let mut recorder = ball_recorder(3, 0.5);
        for (bodies, contacts, energy) in &frames {
            recorder.frame(&FrameInput { bodies, contacts, series: &[*energy] }).expect("valid");
        }
        let recording = Recording::from_bytes(&recorder.finish().to_bytes()).expect("it reads what it wrote");
        prop_assert!(recording.position_step() <= 0.5 / 2048.0);
        // Half a step, and the rounding of the division by it.
        let position_error = 0.5 * recording.position_step() * (1.0 + 1e-6) + 1e-12;
        prop_assert_eq!(recording.frame_count(), frames.len());
        for (index, (read, (bodies, contacts, energy))) in recording.frames().zip(&frames).enumerate() {
            let read = read.expect("it decodes");
            prop_assert_eq!(&read, &recording.frame(index).expect("it decodes"));
            for (a, b) in read.bodies.iter().zip(bodies) {
                for i in 0..3 {
                    prop_assert!((a.position[i] - b.position[i]).abs() <= position_error);
                }
                // The sine of half the angle between them, which near zero a cosine cannot tell.
                let sign = if (0..4).map(|i| a.rotation[i] * b.rotation[i]).sum::<f32>() < 0.0 { -1.0 } else { 1.0 };
                let chord = (0..4).map(|i| f64::from(a.rotation[i] - sign * b.rotation[i]).powi(2)).sum::<f64>();
                prop_assert!(2.0 * chord.sqrt() <= ROTATION_ERROR, "{} rad", 2.0 * chord.sqrt());
                prop_assert!((a.speed - b.speed).abs() <= RELATIVE_ERROR * b.speed);
                prop_assert_eq!((a.asleep, a.removed, a.island), (b.asleep, b.removed, b.island));
            }
            prop_assert_eq!(read.contacts.len(), contacts.len());
            for (a, b) in read.contacts.iter().zip(contacts) {
                for i in 0..3 {
                    prop_assert!((a.point[i] - b.point[i]).abs() <= position_error);
                    prop_assert!((a.normal[i] - b.normal[i]).abs() <= NORMAL_ERROR);
                }
                prop_assert!((a.depth - b.depth).abs() <= RELATIVE_ERROR * b.depth.abs());
                prop_assert!((a.impulse - b.impulse).abs() <= RELATIVE_ERROR * b.impulse);
            }
            prop_assert_eq!(recording.series()[0].values[index].to_bits(), energy.to_bits());
        }
    }

    /// Any single damaged byte is noticed, or changes nothing that is read; it never panics.
    #[test]
    fn damaged_byte_never_panics(place in any::<prop::sample::Index>(), change in 1..=255_u8) {
        let original = common::tumbling(3).to_bytes();
        let mut bytes = original.clone();
        let at = place.index(bytes.len());
        bytes[at] ^= change;
        if let Ok(recording) = Recording::from_bytes(&bytes) {
            for frame in recording.frames() {
                frame.expect("what was accepted decodes");
            }
        }
    }
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = common::tumbling(2).to_bytes();
    for end in 0..bytes.len() {
        assert!(Recording::from_bytes(&bytes[..end]).is_err(), "cut to {end} of {} bytes", bytes.len());
    }
}

#[test]
fn errors_name_what_was_expected_and_found() {
    let bytes = common::one_ball().to_bytes();
    let message = |bytes: &[u8]| Recording::from_bytes(bytes).expect_err("damaged").to_string();
    assert_eq!(
        message(b"PK\x03\x04 something else"),
        "not a recording: expected it to start with \"DRYSTONE\", found \"PK\\u{3}\\u{4} som\""
    );
    let mut other_version = bytes.clone();
    other_version[8..12].copy_from_slice(&7_u32.to_le_bytes());
    assert_eq!(
        message(&other_version),
        format!("recording format version 7, this program reads version {FORMAT_VERSION}")
    );
    assert!(message(&bytes[..bytes.len() - 20]).contains("cut off"));
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(message(&longer).contains("expected nothing after it, found 1 bytes"));
    let mut flipped = bytes.clone();
    let middle = bytes.len() - 40;
    flipped[middle] ^= 0xFF;
    assert!(matches!(Recording::from_bytes(&flipped), Err(RecordingError::Corrupt { .. })));
}

#[test]
fn missing_file_is_an_error_with_its_path() {
    let message = Recording::load("no/such/file.rec").expect_err("it does not exist").to_string();
    assert!(message.starts_with("no/such/file.rec: "), "{message}");
}

#[test]
fn recording_stopped_after_any_frame_is_valid() {
    for frame_count in [0, 1, FRAMES_PER_CHUNK - 1, FRAMES_PER_CHUNK, FRAMES_PER_CHUNK + 1] {
        let mut recorder = ball_recorder(1, 1.0);
        for i in 0..frame_count {
            let states = [BodyState::at([0.0, i as f64, 0.0], [0.0, 0.0, 0.0, 1.0])];
            recorder
                .frame(&FrameInput { bodies: &states, contacts: &[], series: &[f32::NAN] })
                .expect("valid");
        }
        let recording = Recording::from_bytes(&recorder.finish().to_bytes()).expect("valid");
        assert_eq!((recording.frame_count(), recording.frames().count()), (frame_count, frame_count));
        assert!(recording.frame(frame_count).is_err());
    }
}

#[test]
fn pose_that_is_not_finite_is_recorded_as_removed_where_it_was() {
    let mut recorder = ball_recorder(1, 1.0);
    for y in [2.0, f64::NAN] {
        let states = [BodyState::at([0.0, y, 0.0], [0.0, 0.0, 0.0, 1.0])];
        recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[0.0] }).expect("valid");
    }
    let recording = recorder.finish();
    let last = recording.frame(1).expect("it exists").bodies[0];
    assert!(last.removed && last.position == [0.0, 2.0, 0.0], "{last:?}");
}

#[test]
fn strongest_contacts_are_kept_in_their_order() {
    let mut recorder = ball_recorder(1, 1.0).with_options(RecorderOptions { max_contacts: 2 });
    let contacts = [3.0, 1.0, 4.0].map(|impulse| Contact {
        point: [0.0; 3],
        normal: [0.0, 1.0, 0.0],
        depth: 0.0,
        impulse,
    });
    let states = [BodyState::at([0.0; 3], [0.0, 0.0, 0.0, 1.0])];
    recorder.frame(&FrameInput { bodies: &states, contacts: &contacts, series: &[0.0] }).expect("valid");
    let frame = recorder.finish().frame(0).expect("it exists");
    assert_eq!(frame.contacts.iter().map(|c| c.impulse).collect::<Vec<_>>(), [3.0, 4.0]);
    assert_eq!(frame.contact_count, 3);
}

#[test]
fn impossible_scenes_and_frames_are_refused() {
    let meta = || Meta { frame_dt: 0.01, ..Meta::default() };
    let new = |meta, shape| Recorder::new(meta, vec![shape], Vec::new());
    assert!(new(meta(), VisualShape::Sphere { radius: f32::NAN }).is_err());
    assert!(new(meta(), VisualShape::Plane { normal: [0.0, 2.0, 0.0] }).is_err());
    let faces = vec![vec![0, 1, 9]];
    assert!(new(meta(), VisualShape::Hull { vertices: vec![[0.0; 3]; 3], faces }).is_err());
    assert!(new(Meta { frame_dt: 0.0, ..meta() }, VisualShape::Sphere { radius: 1.0 }).is_err());
    let mut recorder = ball_recorder(2, 1.0);
    let one = [BodyState::at([0.0; 3], [0.0, 0.0, 0.0, 1.0])];
    let error = recorder.frame(&FrameInput { bodies: &one, contacts: &[], series: &[0.0] });
    assert_eq!(error.expect_err("one of two").to_string(), "expected 2 body states in every frame, found 1");
    assert_eq!(recorder.frame_count(), 0);
}

/// What does not move costs almost nothing.
#[test]
fn resting_scene_is_small() {
    let mut recorder = ball_recorder(1000, 0.5);
    let states: Vec<BodyState> =
        (0..1000).map(|i| BodyState::at([f64::from(i), 0.5, 0.0], [0.0, 0.0, 0.0, 1.0])).collect();
    for _ in 0..FRAMES_PER_CHUNK * 4 {
        recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[0.0] }).expect("valid");
    }
    let size = recorder.finish().to_bytes().len();
    assert!(size < 60_000, "{size} bytes");
}

/// A shot of 1.5 mm was drawn, and written to tables, at 2048 m for the rest of its flight, and nobody was told.
#[test]
fn positions_out_of_range_are_counted() {
    let fly = |places: &[f64]| {
        let mut recorder = ball_recorder(1, 0.0015);
        for &x in places {
            let states = [BodyState::at([x, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])];
            let contact =
                Contact { point: [0.0, 0.0, -x], normal: [0.0, 1.0, 0.0], depth: 0.0, impulse: 1.0 };
            recorder
                .frame(&FrameInput { bodies: &states, contacts: &[contact], series: &[0.0] })
                .expect("valid");
        }
        Recording::from_bytes(&recorder.finish().to_bytes()).expect("it reads what it wrote")
    };
    let figure = |recording: &Recording| {
        let figures = &recording.meta.figures;
        figures.iter().find(|figure| figure.name == CLAMPED_FIGURE).map(|figure| figure.value.clone())
    };
    let far = fly(&[0.0, 2000.0, 3000.0, -4000.0]);
    assert_eq!(figure(&far).as_deref(), Some("4, beyond 2048 m"), "two of the ball, two of contacts");
    assert!((far.reach() - 2048.0).abs() < 0.01 && far.position_step() == 2.0_f64.powi(-20));
    let kept: Vec<[bool; 3]> =
        far.frames().map(|frame| far.keeps(frame.expect("it decodes").bodies[0].position)).collect();
    assert_eq!(kept, [[true; 3], [true; 3], [false, true, true], [false, true, true]]);
    assert_eq!(figure(&fly(&[0.0, 2000.0])), None);
}

/// Twenty digits per step in the head: more than 13 million steps made a head that is refused.
#[test]
fn the_head_does_not_grow_with_the_steps() {
    let with_hashes = |count: u64| {
        let mut recorder = ball_recorder(1, 0.5).with_steps(8);
        (0..count).for_each(|step| recorder.state_hash(u64::MAX - step));
        let states = [BodyState::at([0.0; 3], [0.0, 0.0, 0.0, 1.0])];
        recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[0.0] }).expect("valid");
        recorder.finish()
    };
    // After the magic, the version, the tag and the length of the block: the length of the head unpacked.
    let head_size = |recording: &Recording| {
        let bytes = recording.to_bytes();
        u32::from_le_bytes(std::array::from_fn(|i| bytes[20 + i]))
    };
    let (few, many) = (with_hashes(1), with_hashes(100_000));
    assert_eq!(head_size(&many) - head_size(&few), 5, "a number of six digits in place of one of one");
    let read = Recording::from_bytes(&many.to_bytes()).expect("it reads what it wrote");
    assert_eq!(read.state_hashes(), many.state_hashes());
    assert_eq!((read.state_hashes().steps_per_frame, read.state_hashes().hashes.len()), (8, 100_000));
}

/// Where nothing that moves is there at first, positions are kept about what is to come.
#[test]
fn the_origin_is_near_what_comes_later() {
    let mut recorder = ball_recorder(1, 0.001);
    for removed in [true, false] {
        let state = BodyState { removed, ..BodyState::at([1e6, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]) };
        recorder.frame(&FrameInput { bodies: &[state], contacts: &[], series: &[0.0] }).expect("valid");
    }
    let recording = recorder.finish();
    assert_eq!(recording.origin(), [1e6, 0.0, 0.0]);
    assert_eq!(recording.frame(1).expect("it exists").bodies[0].position, [1e6, 0.0, 0.0]);
}
