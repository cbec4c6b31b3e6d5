//! The glTF model and the plots: well-formed, and with what they should show.

mod common;

use drystone_viewer::gltf::{GltfOptions, glb};
use drystone_viewer::plot::{BarSet, Curve, bars_svg, lines_svg, recording_svg};
use drystone_viewer::{BodyState, BodyVisual, FrameInput, Meta, Part, Recorder, VisualShape};
use serde_json::Value;

/// The document and the binary chunk of a `.glb` file.
fn parts(bytes: &[u8]) -> (Value, &[u8]) {
    let word =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let text_size = word(12);
    assert_eq!((&bytes[16..20], text_size % 4), (&b"JSON"[..], 0));
    let document = serde_json::from_slice(&bytes[20..20 + text_size]).expect("the document is JSON");
    let binary = &bytes[20 + text_size..];
    assert_eq!(&binary[4..8], b"BIN\0");
    (document, &binary[8..])
}

#[test]
fn model_has_a_mesh_per_shape_and_colour_and_moving_nodes() {
    let recording = common::tumbling(20);
    let bytes = glb(&recording, &GltfOptions { frame_stride: 4 }).expect("it exports");
    let (document, binary) = parts(&bytes);
    assert_eq!(document["buffers"][0]["byteLength"].as_u64(), Some(binary.len() as u64));
    // Five movable shapes of one material each, and the floor; the hidden wall is left out.
    assert_eq!(document["meshes"].as_array().map(Vec::len), Some(6));
    let channels = document["animations"][0]["channels"].as_array().expect("there is an animation");
    assert_eq!(channels.len(), 2 * common::BODY_COUNT);
    // Keys at frames 0, 4, 8, 12, 16 and the last.
    let input = document["animations"][0]["samplers"][0]["input"].as_u64().expect("an index") as usize;
    assert_eq!(document["accessors"][input]["count"], 6);
    for view in document["bufferViews"].as_array().expect("there are views") {
        let number = |name: &str| view[name].as_u64().expect("a number") as usize;
        assert!(number("byteOffset") % 4 == 0 && number("byteOffset") + number("byteLength") <= binary.len());
    }
    let node_count = document["nodes"].as_array().map_or(0, Vec::len);
    for channel in channels {
        assert!((channel["target"]["node"].as_u64().expect("an index") as usize) < node_count);
    }
}

fn body(name: &str, fixed: bool) -> BodyVisual {
    let parts = vec![Part::new(u32::from(fixed))];
    BodyVisual { name: name.into(), material: "oak".into(), fixed, hidden: false, parts }
}

fn shapes() -> Vec<VisualShape> {
    vec![VisualShape::Sphere { radius: 0.1 }, VisualShape::Plane { normal: [0.0, 1.0, 0.0] }]
}

/// Three numbers of a node or of an accessor's minimum.
fn vector(value: &Value) -> [f64; 3] {
    std::array::from_fn(|i| value[i].as_f64().expect("a number"))
}

/// A key of a removed body was where its state said, which may be its start: it flew back there before it vanished.
#[test]
fn what_is_removed_stays_where_it_was_and_what_is_to_come_where_it_comes() {
    let meta = Meta { frame_dt: 0.1, ..Meta::default() };
    let mut recorder =
        Recorder::new(meta, shapes(), vec![body("goes", false), body("comes", false)]).expect("valid");
    for frame in 0..9 {
        let (x, is_gone, is_to_come) = (f64::from(frame), frame >= 6, frame < 4);
        let mut states = [if is_gone { 0.0 } else { x }, if is_to_come { -3.0 } else { x }]
            .map(|x| BodyState::at([x, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
        (states[0].removed, states[1].removed) = (is_gone, is_to_come);
        recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[] }).expect("valid");
    }
    let recording = recorder.finish();
    let origin = recording.origin()[0];
    let bytes = glb(&recording, &GltfOptions { frame_stride: 1 }).expect("it exports");
    let (document, binary) = parts(&bytes);
    let animation = &document["animations"][0];
    let path_of = |name: &str| -> Vec<f64> {
        let nodes = document["nodes"].as_array().expect("there are nodes");
        let node = nodes.iter().position(|node| node["name"] == name).expect("of that name");
        let is_meant = |c: &&Value| c["target"]["node"] == node && c["target"]["path"] == "translation";
        let channels = animation["channels"].as_array().expect("there are channels");
        let sampler =
            channels.iter().find(is_meant).expect("it moves")["sampler"].as_u64().expect("an index");
        let output = animation["samplers"][sampler as usize]["output"].as_u64().expect("an index") as usize;
        let view = document["accessors"][output]["bufferView"].as_u64().expect("an index") as usize;
        let at = document["bufferViews"][view]["byteOffset"].as_u64().expect("a number") as usize;
        let x = |key: usize| f32::from_le_bytes(std::array::from_fn(|i| binary[at + 12 * key + i]));
        (0..9).map(|key| (f64::from(x(key)) + origin).round()).collect()
    };
    assert_eq!(path_of("goes"), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0]);
    assert_eq!(path_of("comes"), [4.0, 4.0, 4.0, 4.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
}

/// The square in place of a plane lay around the plane's own origin: a box that falls 500 m away had no floor.
#[test]
fn floors_lie_under_the_scene() {
    let meta = Meta { frame_dt: 0.1, gravity: [0.0, -10.0, 0.0], ..Meta::default() };
    let bodies = vec![body("box", false), body("floor", true), body("wall", true)];
    let mut recorder = Recorder::new(meta, shapes(), bodies).expect("valid");
    // A quarter of a turn about x: the wall's normal is z.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let states = [
        BodyState::at([500.0, 2.0, -30.0], [0.0, 0.0, 0.0, 1.0]),
        BodyState::at([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]),
        BodyState::at([0.0, 0.0, -32.0], [half, 0.0, 0.0, half]),
    ];
    recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[] }).expect("valid");
    let recording = recorder.finish();
    let bytes = glb(&recording, &GltfOptions::default()).expect("it exports");
    let (document, _) = parts(&bytes);
    let nodes = document["nodes"].as_array().expect("there are nodes");
    let middle = |name: &str| {
        let node = nodes.iter().find(|node| node["name"] == name).expect("of that name");
        let square = &nodes[node["children"][0].as_u64().expect("an index") as usize];
        let (place, [x, y, z]) = (vector(&node["translation"]), vector(&square["translation"]));
        let turned = if name == "wall" { [x, -z, y] } else { [x, y, z] };
        [0, 1, 2].map(|i| recording.origin()[i] + place[i] + turned[i])
    };
    for (name, expected) in [("floor", [500.0, 0.0, -30.0]), ("wall", [500.0, 2.0, -32.0])] {
        let found = middle(name);
        assert!((0..3).all(|i| (found[i] - expected[i]).abs() < 1e-3), "{name}: {found:?}");
    }
}

#[test]
fn recording_plot_has_a_panel_per_series() {
    let svg = recording_svg(&common::tumbling(30), &["step", "asleep"]).expect("it draws");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("step (ms)") && svg.contains("asleep") && svg.contains("time (s)"));
    assert!(svg.contains("tumbling &lt;test&gt; &amp; more"));
    assert!(svg.matches("<polyline").count() >= 2);
}

#[test]
fn bars_and_lines_carry_their_names_and_gaps() {
    let bars = |name: &str, values: &[f64]| BarSet { name: name.into(), values: values.to_vec() };
    let sets = [bars("before", &[1.0, 2.0]), bars("after", &[0.5, f64::NAN])];
    let svg = bars_svg("step time", "ms", &["pile", "wall"], &sets).expect("it draws");
    assert!(["before", "after", "pile", "wall"].iter().all(|name| svg.contains(name)));
    let curve =
        Curve { name: "error".into(), points: vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0), (3.0, 1.0)] };
    assert!(lines_svg("error", "bodies", "m", &[curve]).expect("it draws").contains("error"));
}

#[test]
fn plots_refuse_what_cannot_be_drawn() {
    assert!(bars_svg("t", "y", &[], &[]).is_err());
    let set = BarSet { name: "a".into(), values: vec![1.0] };
    let message = bars_svg("t", "y", &["g", "h"], &[set]).expect_err("one value short").to_string();
    assert_eq!(message, "\"a\" has 1 values, expected 2");
    assert!(recording_svg(&common::tumbling(1), &["no such series"]).is_err());
}
