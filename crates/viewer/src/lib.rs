#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! What people look at: recordings of a run, and the page, pictures, plots and models made from them.
//!
//! In: plain arrays (poses, contacts, named values), frame by frame, through [`Recorder`].
//! Out: a [`Recording`], a self-contained HTML page ([`page`]), pictures by a software rasteriser
//! ([`render`]), recordings of the plane with a page of their own ([`plane`]), SVG plots ([`plot`]) and graphs ([`graph`]), an animated binary glTF model ([`gltf`]), and tables ([`csv`]).
//! Knows nothing of the engine: no other crate of the workspace is used here, so any simulation can
//! be recorded. Start reading at [`recording`].
//!
//! Invariants: a recording stopped at any frame is valid; reading a damaged file is an error that
//! names what was expected and found, never a panic; a picture is the same bits on every run and at
//! any thread count; the page needs neither server nor network.
//! Conventions: SI units, world frame, right-handed; rotations are unit quaternions (x, y, z, w); a
//! contact normal points from body A to body B; colours are sRGB bytes.

pub mod colour;
pub mod csv;
pub mod gltf;
pub mod graph;
pub mod mesh;
pub mod page;
pub mod plane;
pub mod plot;
pub mod recording;
pub mod render;
mod vector;
pub mod view;

pub use colour::ColorBy;
pub use recording::{
    BodyState, BodyVisual, Contact, Figure, Frame, FrameInput, Meta, NO_ISLAND, Part, Recorder, Recording,
    RecordingError, Series, SeriesInfo, StateHashes, VisualShape,
};
pub use render::{Image, RenderOptions, render_frame};
