//! A recording as an animated model: binary glTF 2.0 (`.glb`), for other programs to open.
//!
//! In: a [`Recording`]. Out: the bytes of a file with one mesh per shape and colour, a node per body, and
//! one animation of the nodes' translation and rotation (and of scale, to zero, where a body is removed;
//! it stays where it was then). What never moves has no channel. A plane is a large square under the scene. Positions are relative to [`Recording::origin`]; the scene is turned so
//! that y is up, as glTF wants. Hidden bodies are left out.

use std::path::Path;

use serde_json::{Value, json};

use crate::colour::{ColorBy, FIXED, GROUND, body_colour, linear, materials};
use crate::mesh::{Mesh, mesh_of};
use crate::recording::{BodyState, Frame, Part, Recording, RecordingError, VisualShape};
use crate::vector::{Quat, Vec3, add, conjugate, cross, dot, perpendicular, rotate, scale, sub, unit_quat};
use crate::view::{Framing, part_pose, relative};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
/// "glTF", the version, and the tags of the two chunks.
const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BINARY_CHUNK: &[u8; 4] = b"BIN\0";

/// What goes into the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GltfOptions {
    /// Every how many frames a key is written; at least 1, default 2. Between keys viewers interpolate.
    /// 1000 bodies for 300 keys are 8 MB.
    pub frame_stride: usize,
}

impl Default for GltfOptions {
    fn default() -> Self {
        Self { frame_stride: 2 }
    }
}

/// The bytes of a `.glb` file.
pub fn glb(recording: &Recording, options: &GltfOptions) -> Result<Vec<u8>, RecordingError> {
    let frames = keys(recording, options.frame_stride.max(1))?;
    let mut model = Model::default();
    if !frames.is_empty() {
        let framing = Framing::of(recording);
        let nodes = model.add_bodies(recording, &frames, &framing);
        model.add_animation(recording, &frames, &nodes);
        let children: Vec<usize> = nodes.iter().map(|n| n.node).collect();
        let root = model.add_node(json!({
            "name": recording.meta.scene, "rotation": upright(framing.up), "children": children,
        }));
        model.root = Some(root);
    }
    Ok(model.into_glb())
}

/// Writes [`glb`] to a file.
pub fn write_glb(
    recording: &Recording,
    options: &GltfOptions,
    path: impl AsRef<Path>,
) -> Result<(), RecordingError> {
    let path = path.as_ref();
    let io = |source| RecordingError::Io { path: path.to_owned(), source };
    std::fs::write(path, glb(recording, options)?).map_err(io)
}

/// Every `stride`-th frame and the last, with their numbers.
fn keys(recording: &Recording, stride: usize) -> Result<Vec<(usize, Frame)>, RecordingError> {
    let last = recording.frame_count().saturating_sub(1);
    let is_key = |index: usize| index.is_multiple_of(stride) || index == last;
    recording.frames().enumerate().filter(|(i, _)| is_key(*i)).map(|(i, f)| Ok((i, f?))).collect()
}

/// The rotation that takes `up` to y.
fn upright(up: Vec3) -> Quat {
    let y = [0.0, 1.0, 0.0];
    let cosine = dot(up, y);
    if cosine < -0.9999 {
        let axis = perpendicular(y);
        return [axis[0], axis[1], axis[2], 0.0];
    }
    let axis = cross(up, y);
    unit_quat([axis[0], axis[1], axis[2], 1.0 + cosine])
}

/// A body's node.
struct BodyNode {
    node: usize,
    body: usize,
}

/// The parts of a glTF document while it grows.
#[derive(Default)]
struct Model {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    animations: Vec<Value>,
    root: Option<usize>,
    /// Accessors (positions, normals, indices) per shape.
    geometry: Vec<Option<[usize; 3]>>,
    /// Material by colour, and mesh by shape and colour.
    material_keys: Vec<[u8; 3]>,
    mesh_keys: Vec<(u32, [u8; 3])>,
}

impl Model {
    fn add_bodies(
        &mut self,
        recording: &Recording,
        frames: &[(usize, Frame)],
        framing: &Framing,
    ) -> Vec<BodyNode> {
        self.geometry = vec![None; recording.shapes().len()];
        let names = materials(recording);
        let mut nodes = Vec::new();
        for (index, body) in recording.bodies().iter().enumerate().filter(|(_, body)| !body.hidden) {
            let Some((state, present)) = held(frames, index).first().copied() else { continue };
            let place = relative(state.position, recording.origin());
            let colour = if body.fixed {
                FIXED
            } else {
                body_colour(body, state, ColorBy::Material, &names, recording.top_speed())
            };
            let mut children = Vec::new();
            for part in &body.parts {
                if let Some(mesh) = self.mesh(recording, part.shape, colour, framing.reach) {
                    let shape = &recording.shapes()[part.shape as usize];
                    let local = add(part.position, floor_shift(shape, place, state.rotation, part, framing));
                    children.push(self.add_node(json!({
                        "mesh": mesh, "translation": local, "rotation": unit_quat(part.rotation),
                    })));
                }
            }
            if children.is_empty() {
                continue;
            }
            let node = self.add_node(json!({
                "name": body.name, "children": children,
                "translation": place, "rotation": state.rotation, "scale": present,
            }));
            nodes.push(BodyNode { node, body: index });
        }
        nodes
    }

    fn add_node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The mesh of a shape in a colour; none where it has no triangles.
    fn mesh(&mut self, recording: &Recording, shape: u32, colour: [u8; 3], reach: f32) -> Option<usize> {
        let visual = &recording.shapes()[shape as usize];
        let colour = if matches!(visual, VisualShape::Plane { .. }) { GROUND[1] } else { colour };
        if let Some(found) = self.mesh_keys.iter().position(|k| *k == (shape, colour)) {
            return Some(found);
        }
        let [positions, normals, indices] = match self.geometry[shape as usize] {
            Some(known) => known,
            None => {
                let mesh = match visual {
                    VisualShape::Plane { normal } => floor(*normal, 10.0 * reach),
                    solid => mesh_of(solid),
                };
                let added = self.add_geometry(&mesh)?;
                self.geometry[shape as usize] = Some(added);
                added
            }
        };
        let material = self.material(colour);
        let attributes = json!({ "POSITION": positions, "NORMAL": normals });
        let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
        self.meshes.push(json!({ "primitives": [primitive] }));
        self.mesh_keys.push((shape, colour));
        Some(self.meshes.len() - 1)
    }

    fn material(&mut self, colour: [u8; 3]) -> usize {
        if let Some(found) = self.material_keys.iter().position(|k| *k == colour) {
            return found;
        }
        let [r, g, b] = linear(colour);
        let surface =
            json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 });
        self.materials.push(json!({ "pbrMetallicRoughness": surface }));
        self.material_keys.push(colour);
        self.materials.len() - 1
    }

    fn add_geometry(&mut self, mesh: &Mesh) -> Option<[usize; 3]> {
        if mesh.triangles.is_empty() {
            return None;
        }
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for position in &mesh.positions {
            for i in 0..3 {
                (low[i], high[i]) = (low[i].min(position[i]), high[i].max(position[i]));
            }
        }
        let positions = self.accessor(floats(&mesh.positions), FLOAT, "VEC3", mesh.positions.len());
        self.accessors[positions]["min"] = json!(low);
        self.accessors[positions]["max"] = json!(high);
        let normals = self.accessor(floats(&mesh.normals), FLOAT, "VEC3", mesh.normals.len());
        let indices: Vec<u8> = mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        let indices = self.accessor(indices, UNSIGNED_INT, "SCALAR", mesh.triangles.len() * 3);
        Some([positions, normals, indices])
    }

    /// Adds numbers of four bytes each (so that everything stays aligned) and describes them.
    fn accessor(&mut self, bytes: Vec<u8>, component: u32, kind: &str, count: usize) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() }));
        self.binary.extend_from_slice(&bytes);
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }));
        self.accessors.len() - 1
    }

    fn add_animation(&mut self, recording: &Recording, frames: &[(usize, Frame)], nodes: &[BodyNode]) {
        let times: Vec<f32> =
            frames.iter().map(|(i, _)| (*i as f64 * recording.meta.frame_dt) as f32).collect();
        if times.len() < 2 {
            return;
        }
        let bytes = times.iter().flat_map(|t| t.to_le_bytes()).collect();
        let input = self.accessor(bytes, FLOAT, "SCALAR", times.len());
        self.accessors[input]["min"] = json!([times[0]]);
        self.accessors[input]["max"] = json!([times[times.len() - 1]]);
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for node in nodes {
            let states = held(frames, node.body);
            let positions: Vec<Vec3> =
                states.iter().map(|(s, _)| relative(s.position, recording.origin())).collect();
            let rotations: Vec<Quat> = states.iter().map(|(s, _)| s.rotation).collect();
            let scales: Vec<Vec3> = states.iter().map(|(_, present)| *present).collect();
            let mut channel = |path: &str, output: usize, interpolation: &str| {
                samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
                let target = json!({ "node": node.node, "path": path });
                channels.push(json!({ "sampler": samplers.len() - 1, "target": target }));
            };
            if varies(&positions) {
                let output = self.accessor(floats(&positions), FLOAT, "VEC3", positions.len());
                channel("translation", output, "LINEAR");
            }
            if varies(&rotations) {
                let output = self.accessor(floats(&rotations), FLOAT, "VEC4", rotations.len());
                channel("rotation", output, "LINEAR");
            }
            if varies(&scales) {
                let output = self.accessor(floats(&scales), FLOAT, "VEC3", scales.len());
                channel("scale", output, "STEP");
            }
        }
        if !channels.is_empty() {
            self.animations.push(json!({ "name": "run", "samplers": samplers, "channels": channels }));
        }
    }

    fn into_glb(mut self) -> Vec<u8> {
        let mut document = json!({ "asset": { "version": "2.0", "generator": "drystone-viewer" } });
        let scene = self.root.map_or(json!({}), |root| json!({ "nodes": [root] }));
        document["scenes"] = json!([scene]);
        document["scene"] = json!(0);
        if !self.binary.is_empty() {
            document["buffers"] = json!([{ "byteLength": self.binary.len() }]);
        }
        // The format forbids empty lists.
        for (name, list) in [
            ("bufferViews", self.views),
            ("accessors", self.accessors),
            ("materials", self.materials),
            ("meshes", self.meshes),
            ("nodes", self.nodes),
            ("animations", self.animations),
        ] {
            if !list.is_empty() {
                document[name] = Value::Array(list);
            }
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut chunks = vec![(JSON_CHUNK, &text)];
        if !self.binary.is_empty() {
            chunks.push((BINARY_CHUNK, &self.binary));
        }
        let size = 12 + chunks.iter().map(|c| 8 + c.1.len()).sum::<usize>();
        let mut out = Vec::with_capacity(size);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(size as u32).to_le_bytes());
        for (tag, data) in chunks {
            out.extend_from_slice(&(data.len() as u32).to_le_bytes());
            out.extend_from_slice(tag);
            out.extend_from_slice(data);
        }
        out
    }
}

/// A body at each key: its state, and its scale, which is one or, where it is not there, zero. What is gone stays as it was last, and what is yet
/// to come is as it comes: viewers interpolate between keys, and would let it fly to wherever else it was put.
fn held<'a>(frames: &'a [(usize, Frame)], body: usize) -> Vec<(&'a BodyState, Vec3)> {
    let states = || frames.iter().map(|(_, frame)| &frame.bodies[body]);
    let Some(mut last) = states().find(|state| !state.removed).or(states().next()) else { return Vec::new() };
    let mut hold = |state: &'a BodyState| {
        if state.removed {
            return (last, [0.0; 3]);
        }
        last = state;
        (last, [1.0; 3])
    };
    states().map(&mut hold).collect()
}

/// How far the square of a plane moves within the plane, in the body's frame, to lie under the middle of what is seen.
fn floor_shift(shape: &VisualShape, place: Vec3, rotation: Quat, part: &Part, framing: &Framing) -> Vec3 {
    let VisualShape::Plane { normal } = shape else { return [0.0; 3] };
    let (point, turned) = part_pose(place, rotation, part);
    let (normal, away) = (rotate(turned, *normal), sub(framing.center, point));
    rotate(conjugate(rotation), sub(away, scale(normal, dot(away, normal))))
}

fn varies<T: PartialEq>(values: &[T]) -> bool {
    values.windows(2).any(|pair| pair[0] != pair[1])
}

fn floats<const N: usize>(values: &[[f32; N]]) -> Vec<u8> {
    values.iter().flatten().flat_map(|v| v.to_le_bytes()).collect()
}

/// A square in place of a plane.
fn floor(normal: Vec3, half: f32) -> Mesh {
    let u = scale(perpendicular(normal), half);
    let v = cross(normal, u);
    let corner = |a: f32, b: f32| std::array::from_fn(|i| u[i] * a + v[i] * b);
    Mesh {
        positions: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        normals: vec![normal; 4],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}
