//! OBJ: corners and faces. What the reader itself is given is plain: a line for each face, of corners that are there.

use super::polygon::triangles_of;
use super::{Piece, Triangles};
use drystone::math::Real;
use std::borrow::Cow;
use std::path::Path;

/// Objects of a file.
pub(super) fn read(bytes: &[u8], _path: &Path) -> Result<Vec<Piece>, String> {
    let plain = places_only(bytes)?;
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..Default::default()
    };
    let (models, _) = tobj::load_obj_buf(&mut plain.as_bytes(), &options, |_| Ok(Default::default()))
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

/// The first word of a line.
fn keyword(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or("")
}

/// Lines with their numbers; one of numbers that ends with `\` goes on in the next one. Names and comments may end so.
fn lines(bytes: &[u8]) -> Vec<(usize, Cow<'_, str>)> {
    let mut all: Vec<(usize, Cow<'_, str>)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii_end();
        let (line, open) = line.strip_suffix(b"\\").map_or((line, false), |line| (line, true));
        // What is no UTF-8 is from before it, when a byte was a letter.
        let text = std::str::from_utf8(line)
            .map_or_else(|_| line.iter().map(|&byte| char::from(byte)).collect(), Cow::Borrowed);
        match all.last_mut().filter(|_| goes_on) {
            Some((_, last)) => *last.to_mut() += &format!(" {text}"),
            None => all.push((number + 1, text)),
        }
        let is_of_numbers = |line: &str| matches!(keyword(line), "v" | "vt" | "vn" | "vp" | "f" | "l" | "p");
        goes_on = open && all.last().is_some_and(|(_, line)| is_of_numbers(line));
    }
    all
}

/// The text without what is left out anyway: texture coordinates, normals, points and lines. The corners that its faces name are there, and faces that
/// are not convex are split.
fn places_only(bytes: &[u8]) -> Result<String, String> {
    let lines = lines(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let mut places = Vec::new();
    for (number, line) in lines.iter().filter(|(_, line)| keyword(line) == "v") {
        places.push(place(line).map_err(|reason| format!("line {number}: {reason}"))?);
    }
    let mut kept = String::with_capacity(bytes.len());
    let mut passed = 0;
    for (number, line) in &lines {
        match keyword(line) {
            "vt" | "vn" | "vp" | "p" | "l" => {}
            "f" => {
                let corners = corners(line, passed, places.len());
                let corners = corners.map_err(|reason| format!("line {number}: {reason}"))?;
                let around: Vec<[Real; 3]> = corners.iter().map(|&corner| places[corner]).collect();
                for face in triangles_of(&around).map_err(|reason| format!("line {number}: {reason}"))? {
                    kept.push('f');
                    face.iter().for_each(|&k| kept += &format!(" {}", corners[k] + 1));
                    kept.push('\n');
                }
            }
            word => {
                passed += usize::from(word == "v");
                kept += line;
                kept.push('\n');
            }
        }
    }
    Ok(kept)
}

/// The place of a corner.
fn place(line: &str) -> Result<[Real; 3], String> {
    let words = || line.split_whitespace().skip(1).take(3);
    let found: Vec<Real> = words().filter_map(|word| word.parse().ok()).collect();
    <[Real; 3]>::try_from(found).map_err(|_| {
        format!("a corner must be three numbers, got {:?}", words().collect::<Vec<_>>().join(" "))
    })
}

/// Which corners a face has, counted from 0; `passed` are before it, of so many in all.
fn corners(line: &str, passed: usize, count: usize) -> Result<Vec<usize>, String> {
    let corner = |word: &str| {
        let word = word.split('/').next().unwrap_or(word);
        let number: i128 =
            word.parse().map_err(|_| format!("the corner of a face must be a number, got {word:?}"))?;
        // Those below 0 are counted back from the last one before the face.
        let place = if number < 0 { passed as i128 + number } else { number - 1 };
        match usize::try_from(place).ok().filter(|&place| place < count) {
            Some(place) => Ok(place),
            None if number == 0 => Err("a face has the corner 0, and they count from 1".to_owned()),
            None => Err(format!("a face has the corner {number}, and there are {count}")),
        }
    };
    line.split_whitespace().skip(1).map(corner).collect()
}
