//! STL, text and binary.
//!
//! The reader itself goes by the first word, `solid`, which binary files may begin with as well, and takes that word in small letters alone. So the
//! size decides here: it follows from the number of triangles that a binary file announces.

use super::{Piece, Triangles};
use std::path::Path;

/// Bytes of a binary file before its number of triangles.
const HEADER: usize = 80;
/// Bytes of a triangle in a binary file.
const TRIANGLE: u64 = 50;

/// All triangles of a file.
pub(super) fn read(bytes: &[u8], _path: &Path) -> Result<Vec<Piece>, String> {
    let plain = if is_text(bytes) { text(bytes)? } else { binary(bytes)? };
    let mesh = stl_io::read_stl(&mut std::io::Cursor::new(plain)).map_err(|e| e.to_string())?;
    let triangles = Triangles {
        vertices: mesh.vertices.iter().map(|v| [v[0], v[1], v[2]]).collect(),
        triangles: mesh.faces.iter().map(|face| face.vertices.map(|index| index as u32)).collect(),
    };
    Ok(vec![Piece { name: String::new(), triangles }])
}

/// Bytes that a binary file announces, if it is long enough to.
fn announced(bytes: &[u8]) -> Option<(u32, u64)> {
    let count = u32::from_le_bytes(*bytes.get(HEADER..)?.first_chunk()?);
    Some((count, (HEADER + 4) as u64 + TRIANGLE * u64::from(count)))
}

/// True for a text: it begins with `solid`, has not the size that it would have as a binary file, and no zeros, which those have in every triangle.
fn is_text(bytes: &[u8]) -> bool {
    let begins = without_mark(bytes).trim_ascii_start();
    let is_solid = begins.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    is_solid && announced(bytes).is_none_or(|(_, size)| size != bytes.len() as u64) && !bytes.contains(&0)
}

/// Without the mark of its encoding that some programs begin a text with.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A binary file whose header says nothing.
fn binary(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let found = bytes.len() as u64;
    let Some((count, size)) = announced(bytes) else {
        return Err(format!(
            "it is neither a text that begins with solid nor long enough for a binary STL ({found} bytes)"
        ));
    };
    if found < size {
        return Err(format!("a binary STL of {count} triangles has {size} bytes, this one {found}"));
    }
    let mut plain = bytes.to_vec();
    plain[..HEADER].fill(0);
    Ok(plain)
}

/// A text with the words that count, in small letters: without names, in any encoding, and without normals, which are not read. Of several solids all
/// triangles.
fn text(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain = b"solid \n".to_vec();
    let mut is_open = true;
    for (number, line) in without_mark(bytes).split(|&byte| byte == b'\n').enumerate() {
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied() {
            None => continue,
            Some("solid") => is_open = true,
            Some("endsolid") => is_open = false,
            Some("facet") => plain.extend(b"facet normal 0 0 0"),
            Some("outer" | "endloop" | "endfacet") => plain.extend(words.join(" ").bytes()),
            Some("vertex") => {
                let is_number = |word: &&str| word.parse::<f32>().is_ok_and(f32::is_finite);
                if words.len() != 4 || !words[1..].iter().all(is_number) {
                    let rest = words[1..].join(" ");
                    return Err(format!(
                        "line {}: a vertex must be three finite numbers, got {rest:?}",
                        number + 1
                    ));
                }
                plain.extend(words.join(" ").bytes());
            }
            // What follows is not of it.
            Some(_) if !is_open => continue,
            Some(word) => {
                let known = "solid, facet, outer, vertex, endloop, endfacet or endsolid";
                return Err(format!("line {}: expected {known}, got {word:?}", number + 1));
            }
        }
        plain.push(b'\n');
    }
    if is_open {
        return Err("its text ends without endsolid".into());
    }
    plain.extend(b"endsolid\n");
    Ok(plain)
}
