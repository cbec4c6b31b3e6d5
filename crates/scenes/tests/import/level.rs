//! Levels: meshes of OBJ, STL and glTF.

use super::{Folder, body, read};
use drystone_scenes::{ImportOptions, Kind, ShapeSpec};

#[test]
fn objects_of_an_obj_file_are_bodies() {
    let folder = Folder::new("level");
    let text = "o floor\nv -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 4 3 2\no ramp\nv 0 -2 0\nv 1 0 0\nv 0 0 1\nf 5 7 6\n";
    let level = read(&folder, "level.obj", text, &ImportOptions { ground: true, ..ImportOptions::default() })
        .expect("valid");
    assert_eq!(level.scene.name, "level");
    let ShapeSpec::Mesh { vertices, triangles } = &body(&level, "floor").shape else { panic!("a mesh") };
    assert_eq!((vertices.len(), triangles.len(), body(&level, "floor").kind), (4, 2, Kind::Fixed));
    let ShapeSpec::Mesh { vertices, triangles } = &body(&level, "ramp").shape else { panic!("a mesh") };
    assert_eq!((vertices.len(), triangles.len()), (3, 1));
    assert_eq!(body(&level, "ground").position, [0.0, -2.0, 0.0]);
    assert!(level.notes[0].contains("left out"));
    let written = level.scene.to_ron();
    assert_eq!(
        drystone_scenes::Scene::parse(&written, "level.ron").expect("what is written is read"),
        level.scene
    );
}

#[test]
fn nodes_of_a_gltf_file_are_bodies_where_they_are() {
    // One triangle, used by two nodes: 3 corners of 12 bytes.
    let corners: Vec<u8> = [[0.0_f32, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
        .iter()
        .flatten()
        .flat_map(|c| c.to_le_bytes())
        .collect();
    let folder = Folder::new("gltf");
    folder.add("corners.bin", &corners);
    let text = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],
        "nodes":[{"mesh":0,"name":"left"},{"mesh":0,"name":"right","translation":[5,0,0]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,0,1]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"uri":"corners.bin","byteLength":36}]}"#;
    let level = read(&folder, "two.gltf", text, &ImportOptions::default()).expect("valid");
    let x = |name: &str| match &body(&level, name).shape {
        ShapeSpec::Mesh { vertices, .. } => vertices.iter().map(|v| v[0]).fold(f32::INFINITY, f32::min),
        _ => panic!("a mesh"),
    };
    assert_eq!([x("left"), x("right")], [0.0, 5.0]);
}
