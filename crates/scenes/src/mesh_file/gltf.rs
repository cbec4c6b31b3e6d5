//! glTF 2.0: the triangles of a scene's nodes, where these put them.
//!
//! The crate `gltf` parses a file and reads its accessors. It stops the program at some files that it parsed, so what it takes for granted is checked first:
//! in [`document_of`] what its validation needs, in [`accessor::check`] what its readers need.

use super::accessor::{self, INDICES, POSITIONS};
use super::{Piece, bytes_of};
use base64::Engine as _;
use gltf::{Document, Gltf, Node, Primitive, Semantic};
use std::borrow::Cow;
use std::path::Path;

/// Deepest nesting of nodes.
const MAX_DEPTH: u32 = 64;
/// Most corners of a file, with those of its triangles, and once more for every node that has the same mesh: more than the largest mesh of the engine has.
const MAX_CORNERS: usize = 1 << 27;

/// What is in the buffers of a file, in its order.
pub(super) type Buffers<'a> = [Cow<'a, [u8]>];

/// Columns, as glTF has them.
type Matrix = [[f32; 4]; 4];

const UNTURNED: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// Reads the nodes of the scene that a file begins with; an error says why not, in words that follow the file's name.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Vec<Piece>, String> {
    let Gltf { document, blob } = document_of(bytes)?;
    let buffers: Vec<_> = document
        .buffers()
        .map(|buffer| buffer_of(&buffer, blob.as_deref(), path))
        .collect::<Result<_, _>>()?;
    let scene =
        document.default_scene().or_else(|| document.scenes().next()).ok_or("there is no scene in it")?;
    let mut is_met = vec![false; document.nodes().len()];
    let mut placed = Vec::new();
    for node in scene.nodes() {
        place(node, &UNTURNED, 0, &mut is_met, &mut placed)?;
    }
    let mut corner_count = 0;
    for primitive in placed.iter().filter_map(|(node, _)| node.mesh()).flat_map(|mesh| mesh.primitives()) {
        corner_count += check(&primitive, &buffers)?;
        if corner_count > MAX_CORNERS {
            return Err(format!("its nodes have more than {MAX_CORNERS} corners"));
        }
    }
    placed.iter().map(|(node, matrix)| piece_of(node, matrix, &buffers)).collect()
}

/// Parses and validates.
fn document_of(bytes: &[u8]) -> Result<Gltf, String> {
    // The crate takes the header of a binary file off the length given in it.
    if let Some((b"glTF", rest)) = bytes.split_first_chunk()
        && let Some(length) = rest.get(4..8).and_then(|length| length.try_into().ok()).map(u32::from_le_bytes)
        && length < 12
    {
        return Err(format!("its header says that it has {length} bytes, at least 12 are expected"));
    }
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(|e| e.to_string())?;
    // The crate looks into the accessor of positions before it knows that there is one.
    let root = document.as_json();
    for (mesh, primitives) in root.meshes.iter().map(|mesh| &mesh.primitives).enumerate() {
        let mut named = primitives.iter().flat_map(|primitive| primitive.attributes.values());
        if let Some(index) = named.find(|index| index.value() >= root.accessors.len()) {
            let count = root.accessors.len();
            return Err(format!("its mesh {mesh} names the accessor {index}, and there are {count}"));
        }
    }
    let document = Document::from_json(document.into_json()).map_err(|e| e.to_string())?;
    Ok(Gltf { document, blob })
}

fn buffer_of<'a>(
    buffer: &gltf::Buffer<'_>,
    blob: Option<&'a [u8]>,
    path: &Path,
) -> Result<Cow<'a, [u8]>, String> {
    let bytes = match buffer.source() {
        gltf::buffer::Source::Bin => Cow::Borrowed(blob.ok_or("its binary part is missing")?),
        gltf::buffer::Source::Uri(uri) => Cow::Owned(match uri.strip_prefix("data:") {
            Some(data) => {
                let (_, text) = data.split_once(";base64,").ok_or("the data of a buffer are not base64")?;
                base64::engine::general_purpose::STANDARD.decode(text).map_err(|e| e.to_string())?
            }
            None => bytes_of(&path.with_file_name(unescaped(uri)))
                .map_err(|reason| format!("its buffer {uri:?}: {reason}"))?,
        }),
    };
    if bytes.len() < buffer.length() {
        return Err(format!("a buffer has {} bytes, {} are announced", bytes.len(), buffer.length()));
    }
    Ok(bytes)
}

/// A URI with the bytes that its escapes stand for (`%20` is a space). What is no escape stays as it is, and so does a URI that would be no text.
fn unescaped(uri: &str) -> String {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => digit(*high).zip(digit(*low)),
            _ => None,
        };
        bytes.push(escaped.map_or(*first, |(high, low)| (16 * high + low) as u8));
        rest = if escaped.is_some() { &rest[3..] } else { behind };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| uri.to_owned())
}

/// Adds a node and those below it, with their matrices. Every node has one parent at most, so that there are no more than in the file.
fn place<'a>(
    node: Node<'a>,
    parent: &Matrix,
    depth: u32,
    is_met: &mut [bool],
    placed: &mut Vec<(Node<'a>, Matrix)>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("its nodes are nested more than {MAX_DEPTH} deep"));
    }
    if std::mem::replace(&mut is_met[node.index()], true) {
        let name = node.name().map_or(String::new(), |name| format!(" ({name:?})"));
        return Err(format!(
            "its node {}{name} is named twice as a child or a root, once is expected",
            node.index()
        ));
    }
    let matrix = times(parent, &node.transform().matrix());
    placed.push((node.clone(), matrix));
    node.children().try_for_each(|child| place(child, &matrix, depth + 1, is_met, placed))
}

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |column: usize, row: usize| (0..4).map(|k| a[k][row] * b[column][k]).sum();
    std::array::from_fn(|column| std::array::from_fn(|row| entry(column, row)))
}

/// Number of corners, and of triangles' corners, of a primitive that can be read.
fn check(primitive: &Primitive<'_>, buffers: &Buffers<'_>) -> Result<usize, String> {
    if primitive.mode() != gltf::mesh::Mode::Triangles {
        return Err(format!("it has a primitive of {:?}, only Triangles are read", primitive.mode()));
    }
    let positions = primitive.get(&Semantic::Positions).ok_or("a primitive has no positions")?;
    accessor::check(&positions, &POSITIONS, buffers)?;
    let Some(indices) = primitive.indices() else { return Ok(positions.count()) };
    accessor::check(&indices, &INDICES, buffers)?;
    Ok(positions.count() + indices.count())
}

/// The triangles of a node, whose primitives were checked.
fn piece_of(node: &Node<'_>, m: &Matrix, buffers: &Buffers<'_>) -> Result<Piece, String> {
    let mut piece = Piece { name: node.name().unwrap_or("").to_owned(), ..Piece::default() };
    let found = &mut piece.triangles;
    // A mirror turns fronts into backs.
    let is_mirrored = determinant(m) < 0.0;
    for primitive in node.mesh().into_iter().flat_map(|mesh| mesh.primitives()) {
        let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(|bytes| &**bytes));
        let positions = reader.read_positions().ok_or("a primitive has no positions")?;
        let first = found.vertices.len() as u32;
        let place = |p: [f32; 3]| {
            std::array::from_fn(|row| m[0][row] * p[0] + m[1][row] * p[1] + m[2][row] * p[2] + m[3][row])
        };
        found.vertices.extend(positions.map(place));
        let count = found.vertices.len() as u32 - first;
        let indices: Vec<u32> = match reader.read_indices() {
            Some(indices) => indices.into_u32().collect(),
            None => (0..count).collect(),
        };
        if let Some(index) = indices.iter().find(|&&index| index >= count) {
            return Err(format!("a triangle has the corner {index}, and there are {count}"));
        }
        found.triangles.extend(indices.chunks_exact(3).map(|t| {
            let [a, b, c] = [t[0], t[1], t[2]].map(|index| index + first);
            if is_mirrored { [a, c, b] } else { [a, b, c] }
        }));
    }
    Ok(piece)
}

fn determinant(m: &Matrix) -> f32 {
    let [a, b, c] = [m[0], m[1], m[2]];
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}
