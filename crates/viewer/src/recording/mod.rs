//! Recordings: what was simulated, frame by frame, small enough to keep, send and embed in a page.
//!
//! In: a description of the scene and one [`FrameInput`] per frame, through [`Recorder`]. Out: a
//! [`Recording`], in memory or as a file ([`Recording::save`], [`Recording::load`]).
//!
//! What is kept, and how exactly (the *step* is [`Recording::position_step`]):
//!
//! | value | stored as | error |
//! |---|---|---|
//! | position, contact point | 32-bit fixed point about [`Recording::origin`] | half a step per axis |
//! | rotation | four 16-bit parts | 1e-4 rad |
//! | speed, depth, impulse | the upper half of an `f32` | 1/256 of the value |
//! | contact normal | three 8-bit parts | 0.01 rad |
//! | island, asleep, removed, series | as given | none |
//! | state hashes, one per step ([`StateHashes`]) | as given, in the file and not in the page | none |
//!
//! The step is a power of two at most 1/2048 of the half of the smallest shape's least width, so a position is off by less than
//! 1/4096 of that: below a pixel wherever that shape is smaller than the screen. It is at least 2^-20 m (1 µm) and at most
//! 2^-6 m (16 mm): of shapes thinner than 4 mm (a half of 2 mm) positions are off by up to 0.5 µm, whatever share of them that is. A
//! coordinate farther than 2^31 steps from the origin ([`Recording::reach`]: 2048 m where shapes are that thin, else over 500 000
//! halves of the smallest) is clamped there. How many were is a figure of the recording ([`CLAMPED_FIGURE`]).
//!
//! Every channel is stored as differences between frames, split into planes of bytes of equal weight, and
//! compressed (gzip) in runs of [`FRAMES_PER_CHUNK`] frames. 3000 bodies for 600 frames are 49 MB
//! before compression, of which only one run is held at a time.

mod codec;
mod error;
mod file;
mod recorder;

use serde::{Deserialize, Serialize};

pub use error::RecordingError;
pub use file::FORMAT_VERSION;
pub use recorder::{Recorder, RecorderOptions};

/// Frames compressed together; the cost of looking at one frame is that of decoding this many.
pub const FRAMES_PER_CHUNK: usize = 64;

/// The figure that tells how many positions of bodies and contact points lay beyond [`Recording::reach`]. Not there where all were kept.
pub const CLAMPED_FIGURE: &str = "positions out of range";

/// The island of a body that belongs to none.
pub const NO_ISLAND: u32 = u32::MAX;

/// What a recording says about itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Name of the scene.
    pub scene: String,
    /// Version of the engine that ran it.
    pub engine_version: String,
    /// Name of the configuration.
    pub preset: String,
    /// Time between two frames, in s; finite and above 0.
    pub frame_dt: f64,
    /// Gravity in m/s², whose direction is drawn downwards; zero draws y upwards.
    pub gravity: [f32; 3],
    /// Further figures, shown beside the picture in this order.
    pub figures: Vec<Figure>,
    /// The values that come with every frame, in the order of [`FrameInput::series`].
    pub series: Vec<SeriesInfo>,
}

/// One named figure, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Its value, with its unit.
    pub value: String,
}

/// Name and unit of a value that comes with every frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesInfo {
    /// What it is, for example `asleep`.
    pub name: String,
    /// Its unit, empty for a count.
    pub unit: String,
}

/// A value over time: one entry per frame, NaN where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name and unit.
    pub info: SeriesInfo,
    /// One value per frame.
    pub values: Vec<f32>,
}

/// Hashes of the state after every step: they tell whether two runs are equal to the last bit, where frames are rounded and fewer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateHashes {
    /// Steps from one frame to the next; 0 where nothing was recorded of steps.
    pub steps_per_frame: u32,
    /// Before the first step, and after each.
    pub hashes: Vec<u64>,
}

/// A shape as it is drawn, in its own frame; lengths in m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum VisualShape {
    /// A ball about the local origin.
    Sphere {
        /// Its radius.
        radius: f32,
    },
    /// A cuboid about the local origin.
    Box {
        /// Half of its edges along x, y and z.
        half_extents: [f32; 3],
    },
    /// A cylinder along the local y axis with round caps.
    Capsule {
        /// Half of the distance between the centres of the caps.
        half_length: f32,
        /// Radius of the cylinder and of the caps.
        radius: f32,
    },
    /// A cylinder along the local y axis about the origin.
    Cylinder {
        /// Half of its height.
        half_height: f32,
        /// Its radius.
        radius: f32,
    },
    /// A cone along the local y axis: apex at `half_height`, base at `-half_height`.
    Cone {
        /// Half of its height.
        half_height: f32,
        /// Radius of its base.
        radius: f32,
    },
    /// A polyhedron, or a surface that is open.
    Hull {
        /// Its corners.
        vertices: Vec<[f32; 3]>,
        /// Its faces: corners by index, anticlockwise seen from outside.
        faces: Vec<Vec<u32>>,
    },
    /// The half-space below the local origin, drawn as a large chequered floor that fades out.
    Plane {
        /// Its outward unit normal.
        normal: [f32; 3],
    },
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Index into the shapes of the recording.
    pub shape: u32,
    /// Where it sits on the body, in m.
    pub position: [f32; 3],
    /// How it is turned on the body: a unit quaternion (x, y, z, w).
    pub rotation: [f32; 4],
}

impl Part {
    /// The shape with this index, at the body's own origin.
    pub fn new(shape: u32) -> Self {
        Self { shape, position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] }
    }
}

/// A body as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyVisual {
    /// Its name, may be empty.
    pub name: String,
    /// The name of its material, which chooses its colour.
    pub material: String,
    /// It never moves: drawn grey and left out of the default view.
    pub fixed: bool,
    /// Its shapes are not drawn, only a thin outline (the walls of a cage).
    pub hidden: bool,
    /// Its shapes.
    pub parts: Vec<Part>,
}

/// One body at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Where it is, in m.
    pub position: [f64; 3],
    /// How it is turned: a unit quaternion (x, y, z, w).
    pub rotation: [f32; 4],
    /// It is asleep.
    pub asleep: bool,
    /// It is not there (any more, or yet) and is not drawn.
    pub removed: bool,
    /// The island it belongs to, or [`NO_ISLAND`].
    pub island: u32,
    /// Its speed in m/s.
    pub speed: f32,
}

impl BodyState {
    /// A body at rest in no island.
    pub fn at(position: [f64; 3], rotation: [f32; 4]) -> Self {
        Self { position, rotation, asleep: false, removed: false, island: NO_ISLAND, speed: 0.0 }
    }
}

/// One point of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Where it is, in m.
    pub point: [f64; 3],
    /// The unit normal, from body A to body B.
    pub normal: [f32; 3],
    /// How deep the bodies overlap, in m; negative for a gap.
    pub depth: f32,
    /// The normal impulse of the step, in N·s.
    pub impulse: f32,
}

/// What is recorded of one frame.
#[derive(Clone, Copy, Debug)]
pub struct FrameInput<'a> {
    /// One state per body, in the order of the bodies of the recording.
    pub bodies: &'a [BodyState],
    /// The contacts, in an order that changes little between frames (it compresses better).
    pub contacts: &'a [Contact],
    /// One value per entry of [`Meta::series`]; NaN where there is none.
    pub series: &'a [f32],
}

/// One frame as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// One state per body.
    pub bodies: Vec<BodyState>,
    /// The contacts kept.
    pub contacts: Vec<Contact>,
    /// How many contacts there were; more than were kept where [`RecorderOptions::max_contacts`] cut in.
    pub contact_count: usize,
}

/// A recorded run; see the [module](self) for what is kept and how exactly.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What it says about itself.
    pub meta: Meta,
    shapes: Vec<VisualShape>,
    bodies: Vec<BodyVisual>,
    series: Vec<Series>,
    grid: codec::Grid,
    top_speed: f32,
    frame_count: usize,
    state_hashes: StateHashes,
    /// Each body in the first frame that it is in.
    arrivals: Vec<Option<BodyState>>,
    chunks: Vec<codec::Chunk>,
}

impl Recording {
    /// The shapes that bodies refer to.
    pub fn shapes(&self) -> &[VisualShape] {
        &self.shapes
    }

    /// The bodies.
    pub fn bodies(&self) -> &[BodyVisual] {
        &self.bodies
    }

    /// The named values over time.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// Hashes of the state after every step; empty where none were recorded.
    pub fn state_hashes(&self) -> &StateHashes {
        &self.state_hashes
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// The point in m that positions are stored relative to.
    pub fn origin(&self) -> [f64; 3] {
        self.grid.origin
    }

    /// The distance in m between two positions that can be told apart.
    pub fn position_step(&self) -> f64 {
        self.grid.step
    }

    /// How far from the origin along each axis positions are kept, in m; what lies beyond is clamped there.
    pub fn reach(&self) -> f64 {
        self.grid.reach()
    }

    /// Whether each coordinate of a position that was read lies within [`Recording::reach`], and so was not clamped.
    pub fn keeps(&self, position: [f64; 3]) -> [bool; 3] {
        self.grid.keeps(position)
    }

    /// Each body in the first frame that it is in; `None` where it is in none.
    pub(crate) fn arrivals(&self) -> impl Iterator<Item = Option<&BodyState>> {
        self.arrivals.iter().map(Option::as_ref)
    }

    /// The highest speed of any body in any frame, in m/s.
    pub fn top_speed(&self) -> f32 {
        self.top_speed
    }

    /// One frame. Decodes up to [`FRAMES_PER_CHUNK`] frames; use [`Recording::frames`] for all of them.
    pub fn frame(&self, index: usize) -> Result<Frame, RecordingError> {
        if index >= self.frame_count {
            return Err(RecordingError::NoSuchFrame { frame: index, frame_count: self.frame_count });
        }
        let decoded = self.decode(index / FRAMES_PER_CHUNK)?;
        Ok(decoded.frame(index % FRAMES_PER_CHUNK, &self.grid))
    }

    /// All frames in order, each decoded once.
    pub fn frames(&self) -> impl Iterator<Item = Result<Frame, RecordingError>> + '_ {
        let mut current = None;
        (0..self.frame_count).map(move |index| {
            if index % FRAMES_PER_CHUNK == 0 {
                current = Some(self.decode(index / FRAMES_PER_CHUNK)?);
            }
            match &current {
                Some(decoded) => Ok(decoded.frame(index % FRAMES_PER_CHUNK, &self.grid)),
                // Only after the chunk's own error has been handed out.
                None => {
                    Err(RecordingError::Corrupt { block: "BODY", reason: "this run is unreadable".into() })
                }
            }
        })
    }

    fn decode(&self, chunk: usize) -> Result<codec::Decoded, RecordingError> {
        codec::decode(&self.chunks[chunk], self.bodies.len())
    }
}
