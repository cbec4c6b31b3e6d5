//! Mesh files by path: the same floor from OBJ, STL and glTF carries a box, and files that cannot be read are named with the reason.
//! Trusted reference: the floor itself, a square at the height 0 that is written in every format by hand.

mod damaged_gltf;

use base64::Engine as _;
use drystone_scenes::{RunOptions, Scene, ShapeSpec, run_scene};
use std::path::PathBuf;

/// A folder of the test's own, removed when it ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("drystone-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        Self(folder)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), bytes).expect("the folder is there");
    }

    /// A scene in this folder: a floor of that shape, and a box above it.
    fn scene(&self, shape: &str) -> Result<Scene, String> {
        let text = format!(
            r#"(version: 1, name: "floor", seconds: 1.0, bodies: [
                (name: "floor", kind: fixed, material: "oak", shape: {shape}),
                (name: "box", material: "oak", shape: cuboid(half_extents: (0.2, 0.2, 0.2)), position: (0.3, 0.25, 0.3)),
            ])"#
        );
        let path = self.0.join("floor.ron");
        std::fs::write(&path, text).expect("the folder is there");
        Scene::load(&path).map_err(|e| e.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Corners of the floor, anticlockwise from above.
const CORNERS: [[f32; 3]; 4] = [[-2.0, 0.0, -2.0], [-2.0, 0.0, 2.0], [2.0, 0.0, 2.0], [2.0, 0.0, -2.0]];
const TRIANGLES: [[usize; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn obj() -> String {
    let vertices: String = CORNERS.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    // One face of four corners, and a comment; a material that is nowhere.
    format!("# floor\nmtllib none.mtl\no floor\n{vertices}usemtl grey\nf 1 2 3 4\n")
}

fn stl_text() -> String {
    stl_of(&TRIANGLES)
}

fn stl_of(triangles: &[[usize; 3]]) -> String {
    let facet = |t: &[usize; 3]| {
        let corners: String =
            t.iter().map(|&k| CORNERS[k]).map(|[x, y, z]| format!("vertex {x} {y} {z}\n")).collect();
        format!("facet normal 0 1 0\nouter loop\n{corners}endloop\nendfacet\n")
    };
    format!("solid floor\n{}endsolid floor\n", triangles.iter().map(facet).collect::<String>())
}

fn stl_binary() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(2_u32.to_le_bytes());
    for t in &TRIANGLES {
        [0.0_f32, 1.0, 0.0].iter().for_each(|c| bytes.extend(c.to_le_bytes()));
        t.iter().flat_map(|&k| CORNERS[k]).for_each(|c| bytes.extend(c.to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

/// Positions and indices, one after the other.
fn gltf_buffer() -> Vec<u8> {
    let mut buffer: Vec<u8> = CORNERS.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
    buffer.extend(TRIANGLES.iter().flatten().flat_map(|&k| (k as u16).to_le_bytes()));
    buffer
}

/// The floor in half its size, below a node that doubles and mirrors it, and a metre too high, which another node takes back.
fn gltf(uri: Option<&str>, positions: usize) -> String {
    let uri = uri.map_or(String::new(), |uri| format!(r#""uri": "{uri}","#));
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"translation": [0, -1, 0], "children": [1]}}, {{"matrix": [-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,1,0,1], "mesh": 0}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": {positions}, "type": "VEC3", "min": [-2,0,-2], "max": [2,0,2]}},
            {{"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 12}}],
        "buffers": [{{{uri} "byteLength": 60}}]}}"#
    )
}

fn glb() -> Vec<u8> {
    let pad = |mut bytes: Vec<u8>, with: u8| {
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let (json, buffer) = (pad(gltf(None, 4).into_bytes(), b' '), pad(gltf_buffer(), 0));
    let mut bytes = b"glTF".to_vec();
    for number in [2, 12 + 8 + json.len() + 8 + buffer.len()] {
        bytes.extend((number as u32).to_le_bytes());
    }
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", buffer)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

#[test]
fn a_floor_from_every_format_carries_a_box() {
    let folder = Folder::new("mesh-files");
    folder.write("floor.obj", obj());
    folder.write("text.stl", stl_text());
    folder.write("binary.STL", stl_binary());
    let data = base64::engine::general_purpose::STANDARD.encode(gltf_buffer());
    folder.write("within.gltf", gltf(Some(&format!("data:application/octet-stream;base64,{data}")), 4));
    folder.write("beside.gltf", gltf(Some("floor.bin"), 4));
    folder.write("floor.bin", gltf_buffer());
    folder.write("floor.glb", glb());
    for file in ["floor.obj", "text.stl", "binary.STL", "within.gltf", "beside.gltf", "floor.glb"] {
        let scene = folder.scene(&format!("mesh_file(path: \"{file}\")")).expect(file);
        let ShapeSpec::Mesh { vertices, triangles } = &scene.bodies[0].shape else {
            panic!("{file}: a mesh")
        };
        assert_eq!(triangles.len(), 2, "{file}");
        assert!(
            vertices.iter().all(|v| v[1] == 0.0 && v[0].abs() == 2.0 && v[2].abs() == 2.0),
            "{file}: {vertices:?}"
        );
        let outcome = run_scene(&scene, &RunOptions::default(), |_, _| ()).expect(file);
        assert_eq!(outcome.quality.lost, 0, "{file}: the box is on the floor");
        // What was read is data of the scene.
        assert_eq!(Scene::parse(&scene.to_ron(), "elsewhere.ron").expect("plain data"), scene);
    }
    let scaled = folder.scene("mesh_file(path: \"floor.obj\", scale: 0.5)").expect("half of it");
    let ShapeSpec::Mesh { vertices, .. } = &scaled.bodies[0].shape else { panic!("a mesh") };
    assert!(vertices.iter().all(|v| v[0].abs() == 1.0));
}

/// What a mesh is drawn with is left out, whatever it says, and so is what is neither face nor corner.
#[test]
fn only_places_are_read() {
    let folder = Folder::new("drawn-mesh-files");
    let far = u64::MAX / 2;
    folder.write(
        "drawn.obj",
        format!(
            "v -2 0 -2\nv -2 0 2\nv 2 0 2\nv 2 0 -2\nvt 0 0\nvn 0 1 0\nvp 1\np {far}\nl 1 {far}\n\
             f 1/{far}/{far} 2//{far} 3/1/1 -1/-{far}\n"
        ),
    );
    let data = base64::engine::general_purpose::STANDARD.encode(gltf_buffer());
    let own = gltf(Some(&format!("data:application/octet-stream;base64,{data}")), 4)
        .replace(r#""POSITION": 0"#, r#""POSITION": 0, "_TEMPERATURE": 0"#);
    assert!(own.contains("_TEMPERATURE"));
    folder.write("own.gltf", own);
    for file in ["drawn.obj", "own.gltf"] {
        let scene = folder.scene(&format!("mesh_file(path: \"{file}\")")).expect(file);
        let ShapeSpec::Mesh { vertices, triangles } = &scene.bodies[0].shape else {
            panic!("{file}: a mesh")
        };
        assert_eq!((vertices.len(), triangles.len()), (4, 2), "{file}");
    }
}

/// Whatever a binary file's header says it is one, by its size; and texts may be in capitals, without a name, or with one of another encoding.
#[test]
fn the_size_tells_which_stl_it_is() {
    let folder = Folder::new("stl-kinds");
    let header = |text: &str| {
        let mut bytes = stl_binary();
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        bytes
    };
    let renamed = |from: &str, to: &[u8]| {
        let text = stl_text();
        assert!(text.contains(from));
        let parts: Vec<&[u8]> = text.split(from).map(str::as_bytes).collect();
        parts.join(to)
    };
    let [first, second] = TRIANGLES.map(|triangle| stl_of(&[triangle]));
    let files: [(&str, Vec<u8>); 8] = [
        ("spaces.stl", header("solid part exported")),
        ("line.stl", header("solid part1\nfacet")),
        ("longer.stl", [stl_binary(), vec![0; 7]].concat()),
        ("nameless.stl", renamed(" floor", b"")),
        ("capitals.stl", stl_text().to_uppercase().into_bytes()),
        ("latin.stl", renamed("floor", b"ca\xf1\xf3n")),
        (
            "mark.stl",
            [&b"\xef\xbb\xbf"[..], stl_text().replace("normal 0 1 0", "normal nan nan nan").as_bytes()]
                .concat(),
        ),
        ("two.stl", (first + &second).into_bytes()),
    ];
    for (file, bytes) in files {
        folder.write(file, bytes);
        let scene = folder.scene(&format!("mesh_file(path: \"{file}\")")).expect(file);
        let ShapeSpec::Mesh { vertices, triangles } = &scene.bodies[0].shape else {
            panic!("{file}: a mesh")
        };
        assert_eq!((vertices.len(), triangles.len()), (4, 2), "{file}");
    }
}

/// Twice the area of the shadow that triangles throw along y, and how much of it is upside down.
fn shadow(shape: &ShapeSpec) -> (f32, f32) {
    let ShapeSpec::Mesh { vertices, triangles } = shape else { panic!("a mesh") };
    let areas = triangles.iter().map(|t| {
        let [a, b, c] = t.map(|k| drystone::math::Vector3::from(vertices[k as usize]));
        (b - a).cross(&(c - a)).y
    });
    areas.fold((0.0, 0.0), |(all, down), area| (all + area.abs(), down + area.min(0.0)))
}

/// Floors with corners that turn back keep their area, and nothing of them is covered twice; with a hole, too.
#[test]
fn faces_that_are_not_convex_are_split_within_themselves() {
    let folder = Folder::new("concave");
    // Seen from above anticlockwise: x to the right, z down.
    let square = "v -2 0 -2\nv -2 0 2\nv 2 0 2\nv 2 0 -2\n";
    let hole = "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\n";
    let floors = [
        // An arrow: a square without the triangle to its middle.
        ("arrow.obj", format!("{square}v 0 0 0\nf 1 2 3 4 5\n"), 12.0),
        ("late.obj", format!("{square}v 0 0 0\nf 5 1 2 3 4\n"), 12.0),
        ("split.obj", format!("{square}v 0 0 0\nf 1 2 \\\n 3 4/7 \\\r\n -1\n"), 12.0),
        // With an edge to the hole and back.
        ("hole.obj", format!("{square}{hole}f 1 2 3 4 1 5 6 7 8 5\n"), 12.0),
        // What is convex is split as ever, also with corners on its edges.
        ("edges.obj", format!("{square}v 0 0 -2\nv 1 0 -2.0000002\nf 1 2 3 4 6 5\n"), 16.0),
    ];
    for (file, text, area) in floors {
        folder.write(file, text);
        let scene = folder.scene(&format!("mesh_file(path: \"{file}\")")).expect(file);
        let (all, down) = shadow(&scene.bodies[0].shape);
        assert!(
            (all - 2.0 * area).abs() < 1e-5 && down > -1e-5,
            "{file}: {} m², {down} upside down",
            0.5 * all
        );
    }
}

#[test]
fn names_of_any_encoding_are_read() {
    let folder = Folder::new("latin");
    // A comment may end as lines do that go on, and does not.
    let (before, after) =
        obj().split_once("floor\nv").map(|(a, b)| (a.to_owned(), b.to_owned())).expect("it has a name");
    folder.write("floor.obj", [before.as_bytes(), b"ca\xf1\xf3n\n# \xe9 \\\nv", after.as_bytes()].concat());
    let level = drystone_scenes::import(folder.0.join("floor.obj"), &Default::default()).expect("a level");
    assert_eq!(level.scene.bodies[0].name, "cañón");
}

#[test]
fn a_hull_of_a_file_moves() {
    let folder = Folder::new("hull-files");
    // A tetrahedron with a point inside of it, which the hull leaves out.
    folder.write(
        "t.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0.1 0.1 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 5 2 3\n",
    );
    let text = r#"(version: 1, name: "hull", bodies: [(material: "oak", shape: hull_file(path: "t.obj", scale: 2.0))])"#;
    std::fs::write(folder.0.join("hull.ron"), text).expect("the folder is there");
    let scene = Scene::load(folder.0.join("hull.ron")).expect("a hull may move");
    let ShapeSpec::Hull { points } = &scene.bodies[0].shape else { panic!("a hull") };
    assert_eq!((points.len(), points.iter().flatten().filter(|c| **c == 2.0).count()), (4, 3));
}

#[test]
fn files_that_cannot_be_read_are_named_with_the_reason() {
    let folder = Folder::new("bad-mesh-files");
    folder.write("empty.obj", "");
    folder.write("points.obj", "v 0 0 0\nv 1 0 0\n");
    folder.write("index.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 9\n");
    folder.write("far.obj", format!("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 {}\n", u64::MAX / 3 + 2));
    folder.write("before.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 -4\n");
    folder.write("short.stl", &stl_binary()[..100]);
    folder.write("short.gltf", gltf(Some("short.bin"), 4));
    folder.write("short.bin", [0; 20]);
    folder.write("more.gltf", gltf(Some("more.bin"), 400));
    folder.write("more.bin", gltf_buffer());
    folder.write("lost.gltf", gltf(Some("nowhere.bin"), 4));
    folder.write("text.glb", "no glTF");
    folder.write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 0 1\nf 1 2 3\n");
    folder.write("picture.png", "");
    folder.write("zero.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\n\nf 0 1 2\n");
    folder.write("word.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 c\n");
    folder.write("comma.obj", "v 0 0 0\nv 1,5 0 0\nv 0 0 1\nf 1 2 3\n");
    folder.write("vertex.stl", stl_text().replacen("vertex -2 0 -2", "vertex -2 0", 1));
    folder.write("open.stl", stl_text().replace("endsolid floor", ""));
    folder.write("word.stl", stl_text().replacen("outer loop", "inner loop", 1));
    let solid = [&b"solid part"[..], &stl_binary()[10..150]].concat();
    folder.write("cut.stl", solid);
    let mistakes = [
        ("nowhere.obj", "mesh file that can be read ("),
        ("empty.obj", "there is no triangle in it"),
        ("points.obj", "there is no triangle in it"),
        ("index.obj", "a face has the corner 9, and there are 3"),
        ("far.obj", "a face has the corner 6148914691236517207, and there are 3"),
        ("before.obj", "a face has the corner -4, and there are 3"),
        ("short.stl", "a binary STL of 2 triangles has 184 bytes, this one 100"),
        ("cut.stl", "a binary STL of 2 triangles has 184 bytes, this one 150"),
        ("vertex.stl", "line 4: a vertex must be three finite numbers, got \"-2 0\""),
        ("open.stl", "its text ends without endsolid"),
        (
            "word.stl",
            "line 3: expected solid, facet, outer, vertex, endloop, endfacet or endsolid, got \"inner\"",
        ),
        ("zero.obj", "line 5: a face has the corner 0, and they count from 1"),
        ("word.obj", "line 4: the corner of a face must be a number, got \"c\""),
        ("comma.obj", "line 2: a corner must be three numbers, got \"1,5 0 0\""),
        ("short.gltf", "a buffer has 20 bytes, 60 are announced"),
        ("more.gltf", "its accessor 0 ends at byte 4800 of buffer view 0, which has 48"),
        ("lost.gltf", "its buffer \"nowhere.bin\": "),
        ("text.glb", ""),
        ("picture.png", "its extension is \"png\", known are obj, stl, gltf, glb and msh"),
        ("nan.obj", ""),
    ];
    for (file, reason) in mistakes {
        let error = folder.scene(&format!("mesh_file(path: \"{file}\")")).expect_err(file);
        assert!(error.contains("floor.ron:2:") && error.contains(reason), "{file}: {error}");
        assert!(error.contains("bodies[0].shape") && error.contains("floor\""), "{file}: {error}");
        assert_eq!(error.lines().count(), 1, "{file}: {error}");
    }
    let error = folder.scene("mesh_file(path: \"empty.obj\", scale: 0.0)").expect_err("a scale");
    assert!(error.contains("bodies[0].shape.scale") && error.ends_with("must be above 0, got 0"), "{error}");
}
