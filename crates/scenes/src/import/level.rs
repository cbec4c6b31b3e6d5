//! Levels: meshes of OBJ, STL and glTF as what is fixed, a body for each object.

use super::names::{Names, scene_name};
use super::{ImportOptions, Imported, name_of, unreadable};
use crate::error::SceneError;
use crate::mesh_file;
use crate::model::{Body, Scene, ShapeSpec};
use std::path::Path;

/// The meshes of a file.
pub(super) fn read(path: &Path, options: &ImportOptions) -> Result<Imported, SceneError> {
    let pieces = mesh_file::read_pieces(path).map_err(|reason| unreadable(path, reason))?;
    let mut notes = vec!["left out: colours, normals and all that is no triangle; what is there does not move, since surfaces cannot".to_owned()];
    let mut scene = Scene::new(scene_name(&name_of(path), &mut notes));
    scene.gravity = [0.0, -9.81, 0.0];
    let mut names = Names::default();
    let mut lowest = f64::INFINITY;
    for (index, piece) in pieces.into_iter().enumerate() {
        let name = if piece.name.is_empty() { format!("mesh {index}") } else { piece.name };
        lowest = piece.triangles.vertices.iter().fold(lowest, |lowest, v| lowest.min(f64::from(v[1])));
        let shape =
            ShapeSpec::Mesh { vertices: piece.triangles.vertices, triangles: piece.triangles.triangles };
        scene.bodies.push(Body::new(names.free(&name), shape, "granite").fixed());
    }
    if options.ground {
        let ground = Body::ground("granite").at(0.0, lowest.min(0.0), 0.0);
        scene.bodies.push(Body { name: names.free(&ground.name), ..ground });
    }
    notes.extend(names.notes());
    Ok(Imported { scene, notes })
}
