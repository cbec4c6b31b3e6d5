//! Turns a run of frames into compressed bytes and back. The page's `decode.js` reads the same bytes.
//!
//! A chunk is two gzip blocks. Sizes are per value, `n` = frames x bodies, all planes frame after frame:
//!
//! ```text
//! bodies:   x y z (4n each)  qx qy qz qw (2n each)  speed (2n)  island (4n)  flags (n)
//! contacts: per frame: kept u32, there were u32
//!           x y z (4m each)  nx ny nz (m each)  depth (2m)  impulse (2m)      m = contacts kept
//! ```
//!
//! A channel of k-byte values is k planes, lowest bytes first, of `zigzag(value - value one frame
//! earlier)`, wrapping; the first frame of a chunk follows zeros, and so does a contact whose index did not exist
//! one frame earlier. Zigzag (0, -1, 1, -2 -> 0, 1, 2, 3) keeps the upper planes of small moves empty.
//! Flags are stored as they are: bit 0 asleep, bit 1 removed.

use std::io::{Read, Write};
use std::ops::Range;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::{BodyState, Contact, Frame, RecordingError};
use crate::vector::{unit_or, unit_quat};

const ASLEEP: u8 = 1;
const REMOVED: u8 = 2;
const BYTES_PER_BODY: usize = 3 * 4 + 4 * 2 + 2 + 4 + 1;
const BYTES_PER_CONTACT: usize = 3 * 4 + 3 + 2 + 2;

/// Positions as whole steps from an origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Grid {
    pub(super) origin: [f64; 3],
    pub(super) step: f64,
}

impl Grid {
    fn store(&self, position: [f64; 3]) -> [i32; 3] {
        // `as` saturates: a position beyond the reach is clamped to the end of it.
        std::array::from_fn(|i| ((position[i] - self.origin[i]) / self.step).round() as i32)
    }

    /// How far from the origin along an axis positions are kept, m.
    pub(super) fn reach(&self) -> f64 {
        f64::from(i32::MAX) * self.step
    }

    /// Whether each coordinate is within reach. Of one that was stored at its end it is not known.
    pub(super) fn keeps(&self, position: [f64; 3]) -> [bool; 3] {
        std::array::from_fn(|i| {
            ((position[i] - self.origin[i]) / self.step).round().abs() < f64::from(i32::MAX)
        })
    }

    fn restore(&self, stored: [i32; 3]) -> [f64; 3] {
        std::array::from_fn(|i| self.origin[i] + f64::from(stored[i]) * self.step)
    }
}

/// A run of frames, compressed.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) frame_count: usize,
    pub(super) contact_count: usize,
    pub(super) bodies: Vec<u8>,
    pub(super) contacts: Vec<u8>,
}

/// Channels of a run of frames: what a chunk holds, in whole numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Decoded {
    body_count: usize,
    positions: [Vec<i32>; 3],
    rotations: [Vec<i16>; 4],
    speeds: Vec<i16>,
    islands: Vec<i32>,
    flags: Vec<u8>,
    /// Per frame: contacts kept, contacts there were.
    counts: Vec<[u32; 2]>,
    points: [Vec<i32>; 3],
    normals: [Vec<i8>; 3],
    depths: Vec<i16>,
    impulses: Vec<i16>,
}

impl Decoded {
    pub(super) fn new(body_count: usize) -> Self {
        Self { body_count, ..Self::default() }
    }

    pub(super) fn frame_count(&self) -> usize {
        self.counts.len()
    }

    /// Appends one body of the frame being added. A pose that is not finite is recorded as removed.
    pub(super) fn push_body(&mut self, state: &BodyState, grid: &Grid) {
        let index = self.flags.len();
        let earlier = index.checked_sub(self.body_count);
        let is_finite =
            state.position.iter().all(|c| c.is_finite()) && state.rotation.iter().all(|c| c.is_finite());
        let position = if is_finite {
            grid.store(state.position)
        } else {
            earlier.map_or([0; 3], |e| std::array::from_fn(|i| self.positions[i][e]))
        };
        for (channel, value) in self.positions.iter_mut().zip(position) {
            channel.push(value);
        }
        let mut rotation = unit_quat(state.rotation).map(|c| (c * 32767.0).round() as i16);
        if let Some(e) = earlier {
            // A quaternion and its negative are one rotation; the nearer one gives small differences.
            let same: i64 = (0..4).map(|i| i64::from(self.rotations[i][e]) * i64::from(rotation[i])).sum();
            if same < 0 {
                rotation = rotation.map(|c| -c);
            }
        }
        for (channel, value) in self.rotations.iter_mut().zip(rotation) {
            channel.push(value);
        }
        self.speeds.push(upper_half(state.speed));
        self.islands.push(state.island as i32);
        let is_removed = state.removed || !is_finite;
        self.flags.push((u8::from(state.asleep) * ASLEEP) | (u8::from(is_removed) * REMOVED));
    }

    /// Appends the contacts of the frame being added, and ends it.
    pub(super) fn end_frame<'a>(
        &mut self,
        contacts: impl Iterator<Item = &'a Contact>,
        contact_count: usize,
        grid: &Grid,
    ) {
        let before = self.depths.len();
        for contact in contacts {
            for (channel, value) in self.points.iter_mut().zip(grid.store(contact.point)) {
                channel.push(value);
            }
            for (channel, value) in self.normals.iter_mut().zip(contact.normal) {
                channel.push((value * 127.0).round() as i8);
            }
            self.depths.push(upper_half(contact.depth));
            self.impulses.push(upper_half(contact.impulse));
        }
        let kept = self.depths.len() - before;
        self.counts.push([kept as u32, u32::try_from(contact_count).unwrap_or(u32::MAX)]);
    }

    pub(super) fn frame(&self, index: usize, grid: &Grid) -> Frame {
        let bodies = (0..self.body_count).map(|body| self.body(index, body, grid)).collect();
        let first: usize = self.counts[..index].iter().map(|c| c[0] as usize).sum();
        let [kept, contact_count] = self.counts[index].map(|c| c as usize);
        let contacts = (first..first + kept)
            .map(|i| Contact {
                point: grid.restore(std::array::from_fn(|c| self.points[c][i])),
                normal: unit_or(std::array::from_fn(|c| f32::from(self.normals[c][i])), [0.0; 3]),
                depth: from_upper_half(self.depths[i]),
                impulse: from_upper_half(self.impulses[i]),
            })
            .collect();
        Frame { bodies, contacts, contact_count }
    }

    fn body(&self, frame: usize, body: usize, grid: &Grid) -> BodyState {
        let i = frame * self.body_count + body;
        BodyState {
            position: grid.restore(std::array::from_fn(|c| self.positions[c][i])),
            rotation: unit_quat(std::array::from_fn(|c| f32::from(self.rotations[c][i]))),
            asleep: self.flags[i] & ASLEEP != 0,
            removed: self.flags[i] & REMOVED != 0,
            island: self.islands[i] as u32,
            speed: from_upper_half(self.speeds[i]),
        }
    }

    /// Adds each body that has not arrived as it is in the first of these frames that it is in.
    pub(super) fn note_arrivals(&self, arrivals: &mut [Option<BodyState>], grid: &Grid) {
        for (body, arrival) in arrivals.iter_mut().enumerate().filter(|(_, arrival)| arrival.is_none()) {
            let is_there = |frame: &usize| self.flags[frame * self.body_count + body] & REMOVED == 0;
            *arrival = (0..self.frame_count()).find(is_there).map(|frame| self.body(frame, body, grid));
        }
    }

    /// For every value of a channel, the index of the value it is stored relative to.
    fn body_references(&self) -> impl Fn(usize) -> Option<usize> + use<> {
        let body_count = self.body_count;
        move |i| i.checked_sub(body_count)
    }

    pub(super) fn encode(&self) -> Chunk {
        let body = self.body_references();
        let mut bytes = Vec::with_capacity(self.flags.len() * BYTES_PER_BODY);
        for channel in &self.positions {
            write_planes::<4>(&differences32(channel, &body), &mut bytes);
        }
        for channel in self.rotations.iter().chain([&self.speeds]) {
            write_planes::<2>(&differences16(channel, &body), &mut bytes);
        }
        write_planes::<4>(&differences32(&self.islands, &body), &mut bytes);
        bytes.extend_from_slice(&self.flags);

        let references = contact_references(&self.counts);
        let contact = |i: usize| references[i];
        let mut contact_bytes = Vec::new();
        for count in self.counts.iter().flatten() {
            contact_bytes.extend_from_slice(&count.to_le_bytes());
        }
        for channel in &self.points {
            write_planes::<4>(&differences32(channel, &contact), &mut contact_bytes);
        }
        for channel in &self.normals {
            contact_bytes.extend((0..channel.len()).map(|i| {
                let d = channel[i].wrapping_sub(contact(i).map_or(0, |e| channel[e]));
                ((d << 1) ^ (d >> 7)) as u8
            }));
        }
        for channel in [&self.depths, &self.impulses] {
            write_planes::<2>(&differences16(channel, &contact), &mut contact_bytes);
        }
        Chunk {
            frame_count: self.frame_count(),
            contact_count: self.depths.len(),
            bodies: compress(&bytes),
            contacts: compress(&contact_bytes),
        }
    }
}

/// Decodes a chunk; an error where its blocks do not hold exactly what its counts promise.
pub(super) fn decode(chunk: &Chunk, body_count: usize) -> Result<Decoded, RecordingError> {
    let mut decoded = Decoded::new(body_count);
    let values = product(&[chunk.frame_count, body_count], "BODY")?;
    let bytes = decompress(&chunk.bodies, product(&[values, BYTES_PER_BODY], "BODY")?, "BODY")?;
    let body = decoded.body_references();
    let mut reader = Planes { bytes: &bytes, at: 0 };
    for channel in &mut decoded.positions {
        *channel = sums32(&reader.read::<4>(values), &body);
    }
    for channel in decoded.rotations.iter_mut().chain([&mut decoded.speeds]) {
        *channel = sums16(&reader.read::<2>(values), &body);
    }
    decoded.islands = sums32(&reader.read::<4>(values), &body);
    decoded.flags = bytes[reader.take(values)].to_vec();

    let counts_size = product(&[chunk.frame_count, 8], "CONT")?;
    let contacts_size = product(&[chunk.contact_count, BYTES_PER_CONTACT], "CONT")?;
    let size = counts_size.checked_add(contacts_size).ok_or_else(|| too_large("CONT"))?;
    let bytes = decompress(&chunk.contacts, size, "CONT")?;
    let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    decoded.counts = (0..chunk.frame_count).map(|f| [word(8 * f), word(8 * f + 4)]).collect();
    let kept = decoded.counts.iter().map(|c| u64::from(c[0])).sum::<u64>();
    let m = chunk.contact_count;
    if kept != m as u64 {
        let reason = format!("expected {m} contacts, its frames have {kept}");
        return Err(RecordingError::Corrupt { block: "CONT", reason });
    }
    let references = contact_references(&decoded.counts);
    let contact = |i: usize| references[i];
    let mut reader = Planes { bytes: &bytes, at: counts_size };
    for channel in &mut decoded.points {
        *channel = sums32(&reader.read::<4>(m), &contact);
    }
    for channel in &mut decoded.normals {
        for (i, &z) in bytes[reader.take(m)].iter().enumerate() {
            let d = ((z >> 1) ^ (z & 1).wrapping_neg()) as i8;
            channel.push(d.wrapping_add(contact(i).map_or(0, |e| channel[e])));
        }
    }
    decoded.depths = sums16(&reader.read::<2>(m), &contact);
    decoded.impulses = sums16(&reader.read::<2>(m), &contact);
    Ok(decoded)
}

/// For every contact, the one with the same index one frame earlier.
fn contact_references(counts: &[[u32; 2]]) -> Vec<Option<usize>> {
    let mut references = Vec::new();
    let (mut before, mut before_count) = (0, 0);
    for &[kept, _] in counts {
        let (first, kept) = (references.len(), kept as usize);
        references.extend((0..kept).map(|i| (i < before_count).then_some(before + i)));
        (before, before_count) = (first, kept);
    }
    references
}

fn differences32(channel: &[i32], reference: &impl Fn(usize) -> Option<usize>) -> Vec<u32> {
    let difference = |i: usize| {
        let d = channel[i].wrapping_sub(reference(i).map_or(0, |e| channel[e]));
        ((d << 1) ^ (d >> 31)) as u32
    };
    (0..channel.len()).map(difference).collect()
}

fn differences16(channel: &[i16], reference: &impl Fn(usize) -> Option<usize>) -> Vec<u32> {
    let difference = |i: usize| {
        let d = channel[i].wrapping_sub(reference(i).map_or(0, |e| channel[e]));
        u32::from(((d << 1) ^ (d >> 15)) as u16)
    };
    (0..channel.len()).map(difference).collect()
}

fn sums32(zigzags: &[u32], reference: &impl Fn(usize) -> Option<usize>) -> Vec<i32> {
    let mut channel: Vec<i32> = Vec::with_capacity(zigzags.len());
    for (i, &z) in zigzags.iter().enumerate() {
        let d = ((z >> 1) ^ (z & 1).wrapping_neg()) as i32;
        channel.push(d.wrapping_add(reference(i).map_or(0, |e| channel[e])));
    }
    channel
}

fn sums16(zigzags: &[u32], reference: &impl Fn(usize) -> Option<usize>) -> Vec<i16> {
    let mut channel: Vec<i16> = Vec::with_capacity(zigzags.len());
    for (i, &z) in zigzags.iter().enumerate() {
        let d = ((z >> 1) ^ (z & 1).wrapping_neg()) as i16;
        channel.push(d.wrapping_add(reference(i).map_or(0, |e| channel[e])));
    }
    channel
}

fn write_planes<const BYTES: usize>(values: &[u32], out: &mut Vec<u8>) {
    for plane in 0..BYTES {
        out.extend(values.iter().map(|v| (v >> (8 * plane)) as u8));
    }
}

/// Reads planes from bytes whose length has been checked.
struct Planes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Planes<'_> {
    fn take(&mut self, count: usize) -> Range<usize> {
        self.at += count;
        self.at - count..self.at
    }

    fn read<const BYTES: usize>(&mut self, count: usize) -> Vec<u32> {
        let mut values = vec![0; count];
        for plane in 0..BYTES {
            for (value, &byte) in values.iter_mut().zip(&self.bytes[self.take(count)]) {
                *value |= u32::from(byte) << (8 * plane);
            }
        }
        values
    }
}

/// The upper half of a float's bits, rounded: a float with 8 significant bits.
fn upper_half(value: f32) -> i16 {
    let value = if value.is_nan() { 0.0 } else { value.clamp(-3e38, 3e38) };
    ((value.to_bits() + 0x8000) >> 16) as u16 as i16
}

fn from_upper_half(half: i16) -> f32 {
    f32::from_bits(u32::from(half as u16) << 16)
}

pub(super) fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 8 + 64), Compression::default());
    encoder.write_all(bytes).expect("writing to memory cannot fail");
    encoder.finish().expect("writing to memory cannot fail")
}

/// Unpacks exactly `size` bytes; never allocates more, whatever the data says.
pub(super) fn decompress(data: &[u8], size: usize, block: &'static str) -> Result<Vec<u8>, RecordingError> {
    let mut bytes = Vec::new();
    let read = GzDecoder::new(data).take(size as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| RecordingError::Corrupt { block, reason: e.to_string() })?;
    if bytes.len() != size {
        let found = if bytes.len() > size { "more".to_owned() } else { bytes.len().to_string() };
        let reason = format!("expected {size} bytes after unpacking, found {found}");
        return Err(RecordingError::Corrupt { block, reason });
    }
    Ok(bytes)
}

/// The product of counts from a file, refused above 4 GB (as nothing this crate writes comes near it).
pub(super) fn product(factors: &[usize], block: &'static str) -> Result<usize, RecordingError> {
    factors
        .iter()
        .try_fold(1_usize, |p, &f| p.checked_mul(f))
        .filter(|&p| p < 1 << 32)
        .ok_or_else(|| too_large(block))
}

fn too_large(block: &'static str) -> RecordingError {
    RecordingError::Corrupt { block, reason: "expected less than 4 GB, its counts promise more".into() }
}
