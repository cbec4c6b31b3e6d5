//! Levels: meshes of OBJ, STL and glTF as what is fixed, a body for each file.

use super::{ImportOptions, Imported, name_of, unreadable};
use crate::error::SceneError;
use crate::mesh_file;
use crate::model::{Body, Scene, ShapeSpec};
use std::path::Path;

/// The meshes of a file.
pub(super) fn read(path: &Path, options: &ImportOptions) -> Result<Imported, SceneError> {
    let pieces = mesh_file::read_pieces(path).map_err(|reason| unreadable(path, reason))?;
    let mut scene = Scene::new(name_of(path));
    scene.gravity = [0.0, -9.81, 0.0];
    let mut names: Vec<String> = Vec::new();
    let mut lowest = f64::INFINITY;
    for (index, piece) in pieces.into_iter().enumerate() {
        let mut name = if piece.name.is_empty() { format!("mesh {index}") } else { piece.name };
        if names.contains(&name) {
            name = format!("{name} {index}");
        }
        names.push(name.clone());
        lowest = piece.triangles.vertices.iter().fold(lowest, |lowest, v| lowest.min(f64::from(v[1])));
        let shape =
            ShapeSpec::Mesh { vertices: piece.triangles.vertices, triangles: piece.triangles.triangles };
        scene.bodies.push(Body::new(name, shape, "granite").fixed());
    }
    if options.ground {
        scene.bodies.push(Body::ground("granite").at(0.0, lowest.min(0.0), 0.0));
    }
    let notes = vec!["left out: colours, normals and all that is no triangle; what is there does not move, since surfaces cannot".to_owned()];
    Ok(Imported { scene, notes })
}
