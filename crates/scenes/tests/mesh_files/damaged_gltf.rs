//! glTF files that are JSON, and yet not as they have to be: each is refused, and the part at fault is named. Trusted reference: one that is
//! as it has to be, and of which each of the others is a changed copy.

use super::{CORNERS, Folder, TRIANGLES};
use drystone_scenes::ShapeSpec;

/// The floor, its last corner from the sparse values; a list of nodes that are named.
const WHOLE: &str = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
    "nodes": [{"name": "top", "children": [1]}, {"name": "leaf", "mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "accessors": [
        {"bufferView": 0, "byteOffset": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-2,0,-2], "max": [2,0,2],
            "sparse": {"count": 1, "indices": {"bufferView": 2, "byteOffset": 0, "componentType": 5121}, "values": {"bufferView": 3}}},
        {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}],
    "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12},
        {"buffer": 0, "byteOffset": 60, "byteLength": 4}, {"buffer": 0, "byteOffset": 64, "byteLength": 12}],
    "buffers": [{"uri": "floor.bin", "byteLength": 76}]}"#;

/// Positions with a wrong last corner, indices, sparse indices (the first is used), and the right corner.
fn buffer() -> Vec<u8> {
    let mut bytes = super::gltf_buffer();
    bytes[36..48].fill(0);
    bytes.extend([3, 3, 200, 0]);
    bytes.extend(CORNERS[3].iter().flat_map(|c| c.to_le_bytes()));
    bytes
}

fn read(folder: &Folder, text: &str) -> Result<ShapeSpec, String> {
    folder.write("floor.gltf", text);
    folder.scene("mesh_file(path: \"floor.gltf\")").map(|scene| scene.bodies[0].shape.clone())
}

fn floor() -> ShapeSpec {
    ShapeSpec::Mesh { vertices: CORNERS.to_vec(), triangles: TRIANGLES.map(|t| t.map(|k| k as u32)).to_vec() }
}

/// What is changed in the whole file, and what is said.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        r#""byteLength": 48}"#,
        r#""byteLength": 48, "byteStride": 4}"#,
        "its accessor 0 has items of 12 bytes in buffer view 0, whose stride is 4, at least 12 is expected",
    ),
    ("5126", "5122", "its accessor 0 has Vec3 of I16, positions are Vec3 of F32"),
    ("VEC3", "VEC4", "its accessor 0 has Vec4 of F32, positions are Vec3 of F32"),
    ("5123", "5126", "its accessor 1 has Scalar of F32, indices are Scalar of U8 or U16 or U32"),
    ("SCALAR", "VEC2", "its accessor 1 has Vec2 of U16, indices are Scalar of"),
    (r#""count": 4"#, r#""count": 0"#, "its accessor 0 has 0 items, at least 1 is expected"),
    (r#""count": 6"#, r#""count": 0"#, "its accessor 1 has 0 items, at least 1 is expected"),
    (r#""count": 4"#, r#""count": 5"#, "its accessor 0 ends at byte 60 of buffer view 0, which has 48"),
    (r#""count": 6"#, r#""count": 7"#, "its accessor 1 ends at byte 14 of buffer view 1, which has 12"),
    (
        r#""count": 4"#,
        r#""count": 18446744073709551615"#,
        "its accessor 0 ends at byte 221360928884514619380 of buffer view 0, which has 48",
    ),
    (
        r#""byteOffset": 0, "componentType": 5126"#,
        r#""byteOffset": 18446744073709551615, "componentType": 5126"#,
        "its accessor 0 ends at byte 18446744073709551663 of buffer view 0",
    ),
    (
        r#""byteOffset": 48"#,
        r#""byteOffset": 70"#,
        "its accessor 1 is in buffer view 1, which ends at byte 82 of buffer 0, which has 76",
    ),
    (
        r#""byteOffset": 48"#,
        r#""byteOffset": 18446744073709551615"#,
        "its accessor 1 is in buffer view 1, which ends at byte 18446744073709551627 of buffer 0",
    ),
    (
        r#""bufferView": 0, "byteOffset": 0, "componentType": 5126, "count": 4"#,
        r#""componentType": 5126, "count": 4000000000"#,
        "its accessor 0 has 4000000000 items and no buffer view, at most 22369621 are expected",
    ),
    (
        r#""sparse": {"count": 1"#,
        r#""sparse": {"count": 0"#,
        "accessor 0 has 0 sparse items, 1 to 4 are expected",
    ),
    (
        r#""sparse": {"count": 1"#,
        r#""sparse": {"count": 5"#,
        "accessor 0 has 5 sparse items, 1 to 4 are expected",
    ),
    (
        r#""sparse": {"count": 1"#,
        r#""sparse": {"count": 2"#,
        "its accessor 0 has sparse values whose list ends at byte 24 of buffer view 3, which has 12",
    ),
    (
        r#""byteOffset": 64, "byteLength": 12"#,
        r#""byteOffset": 64, "byteLength": 12, "byteStride": 8"#,
        "its accessor 0 has sparse values whose list has items of 12 bytes in buffer view 3, whose stride is 8",
    ),
    (
        r#"2, "byteOffset": 0, "componentType": 5121"#,
        r#"2, "byteOffset": 1, "componentType": 5125"#,
        "its accessor 0 has sparse indices whose list ends at byte 5 of buffer view 2, which has 4",
    ),
    (
        r#"2, "byteOffset": 0"#,
        r#"2, "byteOffset": 2"#,
        "accessor 0 has the sparse index 200, ascending ones below 4",
    ),
    (
        r#"{"count": 1, "indices": {"bufferView": 2, "byteOffset": 0, "componentType": 5121}, "values": {"bufferView": 3}}"#,
        r#"{"count": 2, "indices": {"bufferView": 2, "byteOffset": 0, "componentType": 5121}, "values": {"bufferView": 0}}"#,
        "accessor 0 has the sparse index 3, ascending ones below 4 are expected",
    ),
    (r#""POSITION": 0"#, r#""POSITION": 9"#, "its mesh 0 names the accessor 9, and there are 2"),
    (r#""indices": 1"#, r#""indices": 9"#, "Index out of bounds"),
    (r#"[{"buffer": 0"#, r#"[{"buffer": 9"#, "Index out of bounds"),
    (r#""uri": "floor.bin""#, r#""uri": "data:text/plain,a""#, "the data of a buffer are not base64"),
    ("[1]", "[1, 1]", "its node 1 (\"leaf\") is named twice as a child or a root, once is expected"),
    ("[1]", "[0]", "its node 0 (\"top\") is named twice"),
    (r#""nodes": [0]"#, r#""nodes": [0, 1]"#, "its node 1 (\"leaf\") is named twice"),
];

#[test]
fn a_file_is_refused_where_it_is_wrong() {
    let folder = Folder::new("damaged-gltf");
    folder.write("floor.bin", buffer());
    assert_eq!(read(&folder, WHOLE), Ok(floor()));
    let mut faults = Vec::new();
    for (right, wrong, expected) in MISTAKES {
        assert!(WHOLE.contains(right), "{right}");
        let error = read(&folder, &WHOLE.replacen(right, wrong, 1)).expect_err(wrong);
        if !error.contains(expected) {
            faults.push(format!("{wrong}: {error}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Forty nodes, each twice a child of the one before: 2^39 ways lead to the last.
#[test]
fn nodes_are_not_visited_twice() {
    let folder = Folder::new("doubled-gltf");
    folder.write("floor.bin", buffer());
    let doubled: String = (1..40).map(|k| format!("{{\"children\": [{k}, {k}]}}, ")).collect();
    let text = WHOLE.replace(r#"{"name": "top", "children": [1]}, "#, &doubled);
    let error = read(&folder, &text).expect_err("no tree");
    // The last was met first.
    assert!(error.contains("its node 39 (\"leaf\") is named twice"), "{error}");
}

/// Seven nodes with the same mesh of as many corners as one may have, all of them zero, so that they take no room in the file.
#[test]
fn corners_have_a_limit_in_all() {
    let folder = Folder::new("repeated-gltf");
    folder.write("floor.bin", buffer());
    let zeros = WHOLE
        .replace(r#""bufferView": 0, "byteOffset": 0, "#, "")
        .replace(r#""count": 4"#, r#""count": 22369621"#)
        .replace("[1]", "[1, 2, 3, 4, 5, 6, 7]")
        .replace(r#""name": "leaf", "mesh": 0}"#, &[r#""mesh": 0}"#; 7].join(", {"));
    let error = read(&folder, &zeros).expect_err("too many");
    assert!(error.contains("its nodes have more than 134217728 corners"), "{error}");
}

#[test]
fn the_header_of_a_binary_file_has_a_length() {
    let folder = Folder::new("header-gltf");
    let mut bytes = super::glb();
    bytes[8..12].copy_from_slice(&5_u32.to_le_bytes());
    folder.write("floor.glb", bytes);
    let error = folder.scene("mesh_file(path: \"floor.glb\")").expect_err("too short");
    assert!(error.contains("its header says that it has 5 bytes, at least 12 are expected"), "{error}");
}

#[test]
fn escapes_in_the_name_of_a_buffer_are_read() {
    let folder = Folder::new("escaped-gltf");
    for (uri, file) in [
        ("my%20buf.bin", "my buf.bin"),
        ("%C3%a4+.bin", "ä+.bin"),
        ("ä.bin", "ä.bin"),
        ("100%25.bin", "100%.bin"),
        // No escapes.
        ("100%.bin", "100%.bin"),
        ("%zz%2", "%zz%2"),
        ("end%", "end%"),
        // No text.
        ("%ff.bin", "%ff.bin"),
    ] {
        folder.write(file, buffer());
        assert_eq!(read(&folder, &WHOLE.replace("floor.bin", uri)), Ok(floor()), "{uri}");
        std::fs::remove_file(folder.0.join(file)).expect("it was written");
    }
}
