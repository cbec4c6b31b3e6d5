//! Meshes from files: OBJ, STL (text and binary), glTF 2.0 (`.gltf` and `.glb`) and MSH of MuJoCo.
//!
//! In: a path. Out: corners and triangles, anticlockwise seen from the front, in the file's frame and units. All objects of a file are one mesh, those of a glTF
//! where its nodes put them. Colours, normals and everything else are left out; what is no triangle is split (OBJ) or refused.

mod accessor;
mod gltf;
mod msh;
mod obj;
mod polygon;
mod stl;

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

/// Reads the objects of a file (OBJ), its nodes (glTF), or all of it (STL, MSH), without those that have no triangles.
pub(crate) fn read_pieces(path: &Path) -> Result<Vec<Piece>, String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let reader = match extension.as_str() {
        "obj" => obj::read,
        "stl" => stl::read,
        "gltf" | "glb" => gltf::read,
        "msh" => msh::read,
        other => return Err(format!("its extension is {other:?}, known are obj, stl, gltf, glb and msh")),
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
