//! The file: a versioned sequence of compressed blocks. The page embeds the same bytes.
//!
//! ```text
//! "DRYSTONE"  version u32
//! blocks: tag (4 bytes)  length u32  gzip data
//! "HEAD" JSON   "SERI" f32 per series and frame   "HASH" u64 per state hash
//! then per run of frames "BODY" and "CONT"   "END "
//! ```
//!
//! The page has no state hashes: its head promises none. All numbers are little-endian. What a block must unpack to follows from the head.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::codec::{Chunk, Grid, compress, decode, decompress, product};
use super::recorder::validate;
use super::{
    BodyState, BodyVisual, FRAMES_PER_CHUNK, Meta, Recording, RecordingError, Series, StateHashes,
    VisualShape,
};

/// Version of the file format; a file of another version is refused.
pub const FORMAT_VERSION: u32 = 2;
const MAGIC: &[u8; 8] = b"DRYSTONE";
/// Largest size accepted for the unpacked head.
const MAX_HEAD: usize = 1 << 28;

/// The head, which also tells the page what it needs.
#[derive(Serialize, Deserialize)]
struct Head {
    meta: Meta,
    shapes: Vec<VisualShape>,
    bodies: Vec<BodyVisual>,
    grid: Grid,
    top_speed: f32,
    frame_count: usize,
    frames_per_chunk: usize,
    /// Contacts in each chunk.
    contact_counts: Vec<usize>,
    steps_per_frame: u32,
    hash_count: usize,
}

impl Recording {
    /// The recording as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes_with(&self.state_hashes)
    }

    /// The same for who does not look at state hashes: eight bytes less for each step.
    pub(crate) fn to_bytes_without_hashes(&self) -> Vec<u8> {
        self.bytes_with(&StateHashes::default())
    }

    fn bytes_with(&self, state_hashes: &StateHashes) -> Vec<u8> {
        let head = Head {
            meta: self.meta.clone(),
            shapes: self.shapes.clone(),
            bodies: self.bodies.clone(),
            grid: self.grid,
            top_speed: self.top_speed,
            frame_count: self.frame_count,
            frames_per_chunk: FRAMES_PER_CHUNK,
            contact_counts: self.chunks.iter().map(|c| c.contact_count).collect(),
            steps_per_frame: state_hashes.steps_per_frame,
            hash_count: state_hashes.hashes.len(),
        };
        let head = serde_json::to_vec(&head).expect("plain data with text keys always has a JSON form");
        let series: Vec<u8> =
            self.series.iter().flat_map(|s| &s.values).flat_map(|v| v.to_le_bytes()).collect();
        let hashes: Vec<u8> = state_hashes.hashes.iter().flat_map(|h| h.to_le_bytes()).collect();

        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        let mut block = |tag: &[u8; 4], data: &[u8]| {
            out.extend_from_slice(tag);
            out.extend_from_slice(&(data.len() as u32).to_le_bytes());
            out.extend_from_slice(data);
        };
        // The length goes first, so that a reader knows what to expect of the head too.
        let mut sized_head = (head.len() as u32).to_le_bytes().to_vec();
        sized_head.extend_from_slice(&compress(&head));
        block(b"HEAD", &sized_head);
        block(b"SERI", &compress(&series));
        block(b"HASH", &compress(&hashes));
        for chunk in &self.chunks {
            block(b"BODY", &chunk.bodies);
            block(b"CONT", &chunk.contacts);
        }
        block(b"END ", &[]);
        out
    }

    /// Reads what [`Recording::to_bytes`] wrote, checking all of it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        let mut reader = Reader { bytes };
        let magic = reader.take(MAGIC.len(), "the first bytes")?;
        if magic != MAGIC {
            let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
            return Err(RecordingError::NotARecording { expected: text(MAGIC), found: text(magic) });
        }
        let version = reader.word("the version")?;
        if version != FORMAT_VERSION {
            return Err(RecordingError::Version { expected: FORMAT_VERSION, found: version });
        }
        let head = read_head(&mut reader)?;
        let series = read_series(&mut reader, &head)?;
        let state_hashes = read_hashes(&mut reader, &head)?;
        let (chunks, arrivals) = read_chunks(&mut reader, &head)?;
        reader.block("END ")?;
        if !reader.bytes.is_empty() {
            let reason = format!("expected nothing after it, found {} bytes", reader.bytes.len());
            return Err(RecordingError::Corrupt { block: "END ", reason });
        }
        Ok(Self {
            series,
            chunks,
            meta: head.meta,
            shapes: head.shapes,
            bodies: head.bodies,
            grid: head.grid,
            top_speed: head.top_speed,
            frame_count: head.frame_count,
            state_hashes,
            arrivals,
        })
    }

    /// Writes the recording to a file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), RecordingError> {
        let path = path.as_ref();
        std::fs::write(path, self.to_bytes())
            .map_err(|source| RecordingError::Io { path: path.to_owned(), source })
    }

    /// Reads a recording from a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let bytes =
            std::fs::read(path).map_err(|source| RecordingError::Io { path: path.to_owned(), source })?;
        Self::from_bytes(&bytes)
    }
}

fn read_head(reader: &mut Reader) -> Result<Head, RecordingError> {
    let corrupt = |reason: String| RecordingError::Corrupt { block: "HEAD", reason };
    let mut block = Reader { bytes: reader.block("HEAD")? };
    let size = block.word("HEAD")? as usize;
    if size > MAX_HEAD {
        return Err(corrupt(format!("expected at most {MAX_HEAD} bytes, it promises {size}")));
    }
    let json = decompress(block.bytes, size, "HEAD")?;
    let head: Head = serde_json::from_slice(&json).map_err(|e| corrupt(e.to_string()))?;
    validate(&head.meta, &head.shapes, &head.bodies)?;
    if head.frames_per_chunk != FRAMES_PER_CHUNK {
        let found = head.frames_per_chunk;
        return Err(corrupt(format!("expected {FRAMES_PER_CHUNK} frames per run, found {found}")));
    }
    let chunk_count = head.frame_count.div_ceil(FRAMES_PER_CHUNK);
    if head.contact_counts.len() != chunk_count {
        let found = head.contact_counts.len();
        return Err(corrupt(format!("expected {chunk_count} runs of frames, found {found}")));
    }
    if !(head.grid.step > 0.0 && head.grid.step.is_finite() && head.grid.origin.iter().all(|c| c.is_finite()))
    {
        return Err(corrupt(format!("expected a finite position grid, found {:?}", head.grid)));
    }
    Ok(head)
}

fn read_series(reader: &mut Reader, head: &Head) -> Result<Vec<Series>, RecordingError> {
    let too_large =
        || RecordingError::Corrupt { block: "SERI", reason: "its counts promise over 4 GB".into() };
    let value_count = head.frame_count.checked_mul(head.meta.series.len()).ok_or_else(too_large)?;
    let size = value_count.checked_mul(4).filter(|&s| s < 1 << 32).ok_or_else(too_large)?;
    let bytes = decompress(reader.block("SERI")?, size, "SERI")?;
    let value = |i: usize| f32::from_le_bytes(std::array::from_fn(|b| bytes[4 * i + b]));
    let series = head.meta.series.iter().enumerate().map(|(s, info)| Series {
        info: info.clone(),
        values: (s * head.frame_count..(s + 1) * head.frame_count).map(value).collect(),
    });
    Ok(series.collect())
}

fn read_hashes(reader: &mut Reader, head: &Head) -> Result<StateHashes, RecordingError> {
    let size = product(&[head.hash_count, size_of::<u64>()], "HASH")?;
    let bytes = decompress(reader.block("HASH")?, size, "HASH")?;
    let hash = |bytes: &[u8]| u64::from_le_bytes(std::array::from_fn(|b| bytes[b]));
    let hashes = bytes.chunks_exact(size_of::<u64>()).map(hash).collect();
    Ok(StateHashes { steps_per_frame: head.steps_per_frame, hashes })
}

/// The runs of frames, and each body in the first frame that it is in.
fn read_chunks(
    reader: &mut Reader,
    head: &Head,
) -> Result<(Vec<Chunk>, Vec<Option<BodyState>>), RecordingError> {
    let (mut chunks, mut arrivals) = (Vec::new(), vec![None; head.bodies.len()]);
    for (index, &contact_count) in head.contact_counts.iter().enumerate() {
        let chunk = Chunk {
            frame_count: FRAMES_PER_CHUNK.min(head.frame_count - index * FRAMES_PER_CHUNK),
            contact_count,
            bodies: reader.block("BODY")?.to_vec(),
            contacts: reader.block("CONT")?.to_vec(),
        };
        // Decoding checks sizes and checksums; what it returns is made again when it is looked at.
        decode(&chunk, head.bodies.len())?.note_arrivals(&mut arrivals, &head.grid);
        chunks.push(chunk);
    }
    Ok((chunks, arrivals))
}

/// The rest of a file.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, expected: usize, block: &'static str) -> Result<&'a [u8], RecordingError> {
        let Some((taken, rest)) = self.bytes.split_at_checked(expected) else {
            return Err(RecordingError::Truncated { block, expected, found: self.bytes.len() });
        };
        self.bytes = rest;
        Ok(taken)
    }

    fn word(&mut self, block: &'static str) -> Result<u32, RecordingError> {
        let bytes = self.take(4, block)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn block(&mut self, tag: &'static str) -> Result<&'a [u8], RecordingError> {
        let found = self.take(4, tag)?;
        if found != tag.as_bytes() {
            let reason = format!("expected the tag {tag:?}, found {:?}", String::from_utf8_lossy(found));
            return Err(RecordingError::Corrupt { block: tag, reason });
        }
        let size = self.word(tag)? as usize;
        self.take(size, tag)
    }
}
