//! Meshes from files: OBJ, STL (text and binary) and glTF 2.0 (`.gltf` and `.glb`).
//!
//! In: a path. Out: corners and triangles, anticlockwise seen from the front, in the file's frame and units. All objects of a file are one mesh, those of a glTF
//! where its nodes put them. Colours, normals and everything else are left out; what is no triangle is split (OBJ) or refused.

mod accessor;
mod gltf;

use crate::error::Fault;
use crate::model::{Scene, ShapeSpec};
use drystone::Shape;
use drystone::math::Real;
use std::path::Path;

/// Largest file, bytes.
const MAX_SIZE: u64 = 256 << 20;

/// Corners and triangles.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Triangles {
    pub(crate) vertices: Vec<[Real; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Scene {
    /// Puts the triangles of mesh files, which are found from `folder`, in their place.
    pub(crate) fn read_meshes(&mut self, folder: &Path) -> Result<(), Fault> {
        for (index, body) in self.bodies.iter_mut().enumerate() {
            read_shape(&mut body.shape, &format!("bodies[{index}].shape"), &body.name, folder)?;
        }
        Ok(())
    }
}

fn read_shape(shape: &mut ShapeSpec, path: &str, name: &str, folder: &Path) -> Result<(), Fault> {
    let fault = |field: &str, expected: String, found: String| Fault {
        path: format!("{path}.{field}"),
        owner: name.to_owned(),
        expected,
        found,
    };
    match shape {
        ShapeSpec::Compound { parts } => {
            for (index, part) in parts.iter_mut().enumerate() {
                read_shape(&mut part.shape, &format!("{path}.parts[{index}].shape"), name, folder)?;
            }
        }
        ShapeSpec::MeshFile { path: file, scale } | ShapeSpec::HullFile { path: file, scale } => {
            if !(*scale > 0.0 && scale.is_finite()) {
                return Err(fault("scale", "above 0".into(), scale.to_string()));
            }
            let found = read(&folder.join(&*file)).map_err(|reason| {
                fault("path", format!("a mesh file that can be read ({reason})"), format!("{file:?}"))
            })?;
            let vertices: Vec<_> = found.vertices.iter().map(|v| v.map(|c| c * *scale)).collect();
            *shape = if matches!(shape, ShapeSpec::HullFile { .. }) {
                ShapeSpec::Hull { points: corners_of(&vertices) }
            } else {
                ShapeSpec::Mesh { vertices, triangles: found.triangles }
            };
        }
        _ => {}
    }
    Ok(())
}

/// The corners of the convex hull, which are what is kept of a hull; all points where they have none, for the engine to say why.
pub(crate) fn corners_of(points: &[[Real; 3]]) -> Vec<[Real; 3]> {
    let all: Vec<_> = points.iter().map(|p| drystone::math::Vector3::from(*p)).collect();
    match Shape::hull(&all) {
        Ok(Shape::Hull(hull)) => hull.vertices.iter().map(|v| [v.x, v.y, v.z]).collect(),
        _ => points.to_vec(),
    }
}

/// A part of a file that has a name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Piece {
    pub(crate) name: String,
    pub(crate) triangles: Triangles,
}

/// Reads all of a file as one mesh; an error says why not, in words that follow a file's name.
pub(crate) fn read(path: &Path) -> Result<Triangles, String> {
    let mut all = Triangles::default();
    for piece in read_pieces(path)? {
        let first = all.vertices.len() as u32;
        all.vertices.extend(piece.triangles.vertices);
        all.triangles
            .extend(piece.triangles.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    }
    Ok(all)
}

/// Reads the objects of a file (OBJ), its nodes (glTF), or all of it (STL), without those that have no triangles.
pub(crate) fn read_pieces(path: &Path) -> Result<Vec<Piece>, String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let reader = match extension.as_str() {
        "obj" => obj,
        "stl" => stl,
        "gltf" | "glb" => gltf::read,
        other => return Err(format!("its extension is {other:?}, known are obj, stl, gltf and glb")),
    };
    let bytes = bytes_of(path)?;
    let mut found = reader(&bytes, path)?;
    found.retain(|piece| !piece.triangles.triangles.is_empty());
    if found.is_empty() {
        return Err("there is no triangle in it".into());
    }
    for piece in found.iter().map(|piece| &piece.triangles) {
        let count = piece.vertices.len();
        if let Some(index) = piece.triangles.iter().flatten().find(|&&index| index as usize >= count) {
            return Err(format!("a triangle has the corner {index}, and there are {count}"));
        }
    }
    Ok(found)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let size = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MAX_SIZE {
        return Err(format!("it has {size} bytes, at most {MAX_SIZE} are read"));
    }
    std::fs::read(path).map_err(|e| e.to_string())
}

/// The first word of a line.
fn keyword(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_start();
    &line[..line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len())]
}

/// The text of an OBJ without what is left out anyway: texture coordinates, normals, points and lines. The corners that its faces name are there.
fn places_only(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let lines = || bytes.split(|&byte| byte == b'\n');
    let count = lines().filter(|line| keyword(line) == b"v").count();
    let mut kept = Vec::with_capacity(bytes.len());
    for line in lines() {
        match keyword(line) {
            b"vt" | b"vn" | b"vp" | b"p" | b"l" => {}
            b"f" => {
                for (place, word) in line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).enumerate()
                {
                    let corner = word.split(|&byte| byte == b'/').next().unwrap_or(word);
                    // Others are told by the reader itself.
                    let number = std::str::from_utf8(corner).ok().and_then(|text| text.parse::<i128>().ok());
                    if let Some(number) = number.filter(|n| place > 0 && n.unsigned_abs() > count as u128) {
                        return Err(format!("a face has the corner {number}, and there are {count}"));
                    }
                    kept.extend_from_slice(corner);
                    kept.push(b' ');
                }
                kept.push(b'\n');
            }
            _ => {
                kept.extend_from_slice(line);
                kept.push(b'\n');
            }
        }
    }
    Ok(kept)
}

fn obj(bytes: &[u8], _path: &Path) -> Result<Vec<Piece>, String> {
    let bytes = places_only(bytes)?;
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..Default::default()
    };
    let (models, _) = tobj::load_obj_buf(&mut bytes.as_slice(), &options, |_| Ok(Default::default()))
        .map_err(|e| e.to_string())?;
    let piece = |model: tobj::Model| Piece {
        triangles: Triangles {
            vertices: model.mesh.positions.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect(),
            triangles: model.mesh.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
        },
        name: model.name,
    };
    Ok(models.into_iter().map(piece).collect())
}

fn stl(bytes: &[u8], _path: &Path) -> Result<Vec<Piece>, String> {
    let mesh = stl_io::read_stl(&mut std::io::Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let triangles = Triangles {
        vertices: mesh.vertices.iter().map(|v| [v[0], v[1], v[2]]).collect(),
        triangles: mesh.faces.iter().map(|face| face.vertices.map(|index| index as u32)).collect(),
    };
    Ok(vec![Piece { name: String::new(), triangles }])
}
