//! The glTF model and the plots: well-formed, and with what they should show.

mod common;

use drystone_viewer::gltf::{GltfOptions, glb};
use drystone_viewer::plot::{BarSet, Curve, bars_svg, lines_svg, recording_svg};
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
