//! MSH, the binary meshes of MuJoCo (mujoco.readthedocs.io/XMLreference, asset, mesh): little-endian; four `i32` with the numbers of vertices, normals, texture coordinates and
//! triangles, then three `f32` for each vertex, three for each normal, two for each texture coordinate, and three `i32` for each triangle.

use super::{Piece, Triangles};
use drystone::math::Real;
use std::path::Path;

/// Bytes before the vertices.
const HEADER: usize = 16;

/// All triangles of a file.
pub(super) fn read(bytes: &[u8], _path: &Path) -> Result<Vec<Piece>, String> {
    let words: Vec<[u8; 4]> = bytes.as_chunks().0.to_vec();
    let Some(counts) = words.first_chunk::<4>().map(|words| words.map(i32::from_le_bytes)) else {
        return Err(format!("it must have {HEADER} bytes at least, and has {}", bytes.len()));
    };
    let [vertices, normals, coordinates, faces] = counts.map(|count| u64::try_from(count).ok());
    let (Some(vertices), Some(normals), Some(coordinates), Some(faces)) =
        (vertices, normals, coordinates, faces)
    else {
        return Err(format!(
            "its numbers of vertices, normals, coordinates and triangles must be at least 0, got {counts:?}"
        ));
    };
    let size = HEADER as u64 + 4 * (3 * vertices + 3 * normals + 2 * coordinates + 3 * faces);
    if size != bytes.len() as u64 {
        return Err(format!("it must have the {size} bytes that it announces, and has {}", bytes.len()));
    }
    let first_face = 4 + (3 * vertices + 3 * normals + 2 * coordinates) as usize;
    let corners = words[4..4 + 3 * vertices as usize].as_chunks::<3>().0;
    let mut triangles = Triangles {
        vertices: corners.iter().map(|corner| corner.map(Real::from_le_bytes)).collect(),
        triangles: Vec::with_capacity(faces as usize),
    };
    for face in words[first_face..].as_chunks::<3>().0 {
        let corners = face.map(i32::from_le_bytes);
        let Some(index) = corners.iter().find(|&&corner| corner < 0) else {
            triangles.triangles.push(corners.map(i32::cast_unsigned));
            continue;
        };
        return Err(format!("a corner of a triangle must be at least 0, got {index}"));
    }
    Ok(vec![Piece { name: String::new(), triangles }])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with as many normals and texture coordinates as it says.
    fn file(normals: usize, coordinates: usize, last: i32) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            [4, normals as i32, coordinates as i32, 4].into_iter().flat_map(i32::to_le_bytes).collect();
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]];
        bytes.extend(corners.iter().flatten().flat_map(|c| c.to_le_bytes()));
        bytes.extend(std::iter::repeat_n(0, 4 * (3 * normals + 2 * coordinates)));
        let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, last]];
        bytes.extend(faces.iter().flatten().flat_map(|c| c.to_le_bytes()));
        bytes
    }

    #[test]
    fn corners_and_triangles_are_read_and_the_rest_is_skipped() {
        for (normals, coordinates) in [(0, 0), (4, 0), (4, 4)] {
            let pieces = read(&file(normals, coordinates, 3), Path::new("")).expect("it is one");
            let found = &pieces[0].triangles;
            assert_eq!((found.vertices.len(), found.vertices[3]), (4, [0.0, 0.0, 1.0]));
            assert_eq!((found.triangles.len(), found.triangles[3]), (4, [1, 2, 3]));
        }
    }

    #[test]
    fn what_is_none_is_refused_with_its_numbers() {
        let refused = |bytes: &[u8]| read(bytes, Path::new("")).expect_err("refused");
        assert!(refused(&[0; 8]).contains("16 bytes at least, and has 8"));
        let whole = file(0, 0, 3);
        assert!(refused(&whole[..whole.len() - 4]).contains("112 bytes that it announces, and has 108"));
        assert!(refused(&file(0, 0, -7)).contains("at least 0, got -7"));
        let mut negative = whole;
        negative[3] = 0xff;
        assert!(refused(&negative).contains("must be at least 0, got [-"));
    }
}
