//! Recordings of the plane, and the page that plays them on a 2D canvas.
//!
//! In: outlines of bodies once, then places, contacts and the squares of a partition frame by frame. Out: one HTML file
//! without server or network, as [`crate::page`] makes of recordings in space, with the same controls. The sources are in
//! `crates/viewer/page/`; what differs is `plane.js`.
//!
//! Places are kept relative to the middle of the first frame in single precision: far from the origin a picture is as good as
//! near it. What the page embeds is a length (four bytes, little-endian), a head of that length as JSON, zeros up to a multiple
//! of four, and numbers in single precision: of every frame four per body (x, y, angle, and 1 when asleep plus twice the worker),
//! five per contact (point, normal, impulse), four per square (centre, half of the edge, worker), one per series; all of it packed
//! by gzip.

use std::io::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::page::{PLANE_HELP, PLANE_SCRIPTS, colours, page_of};
use crate::recording::{Figure, Meta, RecordingError};

/// An outline in the frame of its body: a circle around one corner, a capsule around two, a polygon without radius.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaneShape {
    /// Corners, m, against the clock.
    pub corners: Vec<[f32; 2]>,
    /// Radius around them, m.
    pub radius: f32,
}

/// What a body looks like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaneBody {
    /// Its outlines.
    pub shapes: Vec<PlaneShape>,
    /// Whether contacts cannot move it.
    pub fixed: bool,
}

/// Where a body is in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaneState {
    /// Origin of its frame, m, world.
    pub position: [f64; 2],
    /// Orientation, rad.
    pub angle: f64,
    /// Whether it is asleep.
    pub is_asleep: bool,
    /// Who works on it: 0 for nobody or the master, workers from 1 on.
    pub worker: u32,
}

/// A contact point in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneContact {
    /// Where, m, world.
    pub point: [f64; 2],
    /// Unit normal.
    pub normal: [f32; 2],
    /// Size of its impulse, N·s.
    pub impulse: f32,
}

/// A square of a partition in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneCell {
    /// Its centre, m, world.
    pub center: [f64; 2],
    /// Half of its edge, m.
    pub half: f64,
    /// Who works on it, from 1 on.
    pub worker: u32,
}

/// A frame to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct PlaneFrame<'a> {
    /// One per body.
    pub states: &'a [PlaneState],
    /// Contact points.
    pub contacts: &'a [PlaneContact],
    /// Squares of the partition.
    pub cells: &'a [PlaneCell],
    /// One value per series of the recording's description.
    pub values: &'a [f32],
}

/// A recording in the making; finished at any frame.
#[derive(Clone, Debug)]
pub struct PlaneRecording {
    meta: Meta,
    bodies: Vec<PlaneBody>,
    /// Workers of the partition; 0 when there is none.
    workers: u32,
    /// Middle of what moves in the first frame, m.
    origin: [f64; 2],
    /// Box around the origins of what moves, in all frames, relative to `origin`, m.
    seen: [[f64; 2]; 2],
    counts: Vec<[usize; 2]>,
    numbers: Vec<f32>,
}

/// What the page has to know before the numbers.
#[derive(Serialize)]
struct Head<'a> {
    meta: &'a Meta,
    bodies: &'a [PlaneBody],
    workers: u32,
    view: View,
    /// Contacts and squares of every frame.
    counts: &'a [[usize; 2]],
}

/// What is in the picture at first, m.
#[derive(Serialize)]
struct View {
    center: [f64; 2],
    size: [f64; 2],
}

impl PlaneRecording {
    /// A recording without frames.
    pub fn new(meta: Meta, bodies: Vec<PlaneBody>, workers: u32) -> Self {
        let seen = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        Self { meta, bodies, workers, origin: [0.0; 2], seen, counts: Vec::new(), numbers: Vec::new() }
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.counts.len()
    }

    /// Adds a figure to the table beside the picture.
    pub fn add_figure(&mut self, name: &str, value: String) {
        self.meta.figures.push(Figure { name: name.into(), value });
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// Another number of states or values than was announced.
    pub fn push(&mut self, frame: &PlaneFrame<'_>) -> Result<(), RecordingError> {
        let wrong = |what, expected, found| Err(RecordingError::Count { what, expected, found });
        if frame.states.len() != self.bodies.len() {
            return wrong("body states", self.bodies.len(), frame.states.len());
        }
        if frame.values.len() != self.meta.series.len() {
            return wrong("series values", self.meta.series.len(), frame.values.len());
        }
        let moving = || self.bodies.iter().zip(frame.states).filter(|(body, _)| !body.fixed).map(|(_, s)| s);
        if self.counts.is_empty() {
            let count = moving().count().max(1) as f64;
            self.origin = [0, 1].map(|k| moving().map(|s| s.position[k]).sum::<f64>() / count);
        }
        let origin = self.origin;
        let mut seen = self.seen;
        for state in moving() {
            for k in 0..2 {
                seen[0][k] = seen[0][k].min(state.position[k] - origin[k]);
                seen[1][k] = seen[1][k].max(state.position[k] - origin[k]);
            }
        }
        self.seen = seen;
        let near = |p: [f64; 2]| [(p[0] - origin[0]) as f32, (p[1] - origin[1]) as f32];
        for state in frame.states {
            let [x, y] = near(state.position);
            let flags = (2 * state.worker + u32::from(state.is_asleep)) as f32;
            self.numbers.extend([x, y, state.angle as f32, flags]);
        }
        for contact in frame.contacts {
            let ([x, y], [nx, ny]) = (near(contact.point), contact.normal);
            self.numbers.extend([x, y, nx, ny, contact.impulse]);
        }
        for cell in frame.cells {
            let [x, y] = near(cell.center);
            self.numbers.extend([x, y, cell.half as f32, cell.worker as f32]);
        }
        self.numbers.extend(frame.values);
        self.counts.push([frame.contacts.len(), frame.cells.len()]);
        Ok(())
    }

    /// The box around what moves, with room for the largest of the bodies, and for a speck at least a metre.
    fn view(&self) -> View {
        let reach = |s: &PlaneShape| {
            s.corners.iter().map(|c| f64::from(c[0].hypot(c[1]))).fold(0.0, f64::max) + f64::from(s.radius)
        };
        let moving = self.bodies.iter().filter(|body| !body.fixed);
        let room = moving.flat_map(|body| body.shapes.iter().map(reach)).fold(0.5, f64::max);
        let [low, high] = if self.seen[0][0] <= self.seen[1][0] { self.seen } else { [[0.0; 2]; 2] };
        View {
            center: [0, 1].map(|k| 0.5 * (low[k] + high[k])),
            size: [0, 1].map(|k| 1.05 * (high[k] - low[k]) + 2.0 * room),
        }
    }

    /// The bytes that the page embeds.
    fn to_bytes(&self) -> Vec<u8> {
        let (meta, bodies, counts) = (&self.meta, &self.bodies[..], &self.counts[..]);
        let head = Head { meta, bodies, workers: self.workers, view: self.view(), counts };
        let mut head = serde_json::to_vec(&head).expect("plain data with text keys always has a JSON form");
        let mut bytes = (head.len() as u32).to_le_bytes().to_vec();
        head.resize(head.len().next_multiple_of(4), 0);
        bytes.append(&mut head);
        self.numbers.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        let mut packed = GzEncoder::new(Vec::new(), Compression::new(6));
        packed.write_all(&bytes).expect("memory can be written to");
        packed.finish().expect("memory can be written to")
    }

    /// The page that plays the recording, as HTML.
    pub fn page_html(&self) -> String {
        let data = STANDARD.encode(self.to_bytes());
        page_of(&self.meta.scene, &colours(), &data, &PLANE_SCRIPTS, PLANE_HELP)
    }

    /// Writes [`PlaneRecording::page_html`] to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_page(&self, path: impl AsRef<Path>) -> Result<(), RecordingError> {
        let path = path.as_ref();
        let io = |source| RecordingError::Io { path: path.to_owned(), source };
        std::fs::write(path, self.page_html()).map_err(io)
    }
}
