//! Pictures without a GPU or a browser: a small software rasteriser.
//!
//! In: a [`Recording`] and a frame. Out: an [`Image`], the same bits on every run and at any thread count.
//!
//! Method: opaque triangles go into a depth buffer at twice the size each way (`raster`), what is seen is
//! then shaded (`shade`: sun with a shadow map, light from above and below, chequered floor), once per pixel
//! or, at edges, once per sample. The picture is cut into bands of rows, which the threads share.

mod image;
mod raster;
mod shade;

pub use image::Image;

use crate::colour::{CONTACT, ColorBy, OUTLINE, body_colour, linear, materials, tint};
use crate::mesh::{Mesh, box_edges, local_box, mesh_of};
use crate::recording::{Frame, Recording, RecordingError, VisualShape};
use crate::vector::{Quat, Vec3, add, rotate, scale};
use crate::view::{Camera, DEFAULT_AZIMUTH, DEFAULT_ELEVATION, Framing, part_pose, relative};

/// How a frame is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderOptions {
    /// Width in pixels; 1 to 8192.
    pub width: usize,
    /// Height in pixels; 1 to 8192.
    pub height: usize,
    /// What colours tell.
    pub color_by: ColorBy,
    /// Draw contact points and normals.
    pub contacts: bool,
    /// Draw outlines of hidden bodies.
    pub hidden_outlines: bool,
    /// Draw shadows.
    pub shadows: bool,
    /// Camera turned about the vertical, in degrees.
    pub azimuth: f32,
    /// Camera above the horizon, in degrees; -89 to 89.
    pub elevation: f32,
    /// Above 1 is closer than what shows everything.
    pub zoom: f32,
    /// Threads to use, at least 1; the picture does not depend on it.
    pub threads: usize,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            color_by: ColorBy::Material,
            contacts: false,
            hidden_outlines: true,
            shadows: true,
            azimuth: DEFAULT_AZIMUTH,
            elevation: DEFAULT_ELEVATION,
            zoom: 1.0,
            threads: std::thread::available_parallelism().map_or(1, |n| n.get().min(16)),
        }
    }
}

/// A shape in place, with its colour.
pub(crate) struct Item<'a> {
    shape: &'a VisualShape,
    mesh: usize,
    position: Vec3,
    rotation: Quat,
    /// Linear light.
    colour: Vec3,
    /// Chequered like the floor.
    is_fixed: bool,
}

impl Item<'_> {
    /// Its normals follow from the place on it, not from triangles.
    fn is_round(&self) -> bool {
        matches!(self.shape, VisualShape::Sphere { .. } | VisualShape::Capsule { .. })
    }
}

/// A floor.
pub(crate) struct Floor {
    point: Vec3,
    normal: Vec3,
}

/// A line in space, in linear light.
pub(crate) struct Line {
    ends: [Vec3; 2],
    colour: Vec3,
    /// Width in samples.
    width: f32,
    opacity: f32,
    /// The share of its opacity left behind bodies.
    through: f32,
}

/// All that is drawn.
pub(crate) struct Scene<'a> {
    meshes: Vec<Mesh>,
    items: Vec<Item<'a>>,
    floors: Vec<Floor>,
    lines: Vec<Line>,
    framing: Framing,
    camera: Camera,
}

/// Draws one frame. An error where the frame does not exist or the size is out of range.
///
/// Cost: about linear in the pixels; 1280 x 720 with 500 bodies takes some tens of ms on two cores.
pub fn render_frame(
    recording: &Recording,
    frame: usize,
    options: &RenderOptions,
) -> Result<Image, RecordingError> {
    for (what, size) in [("width", options.width), ("height", options.height)] {
        if !(1..=8192).contains(&size) {
            let found = size.to_string();
            return Err(RecordingError::Invalid { what: what.into(), expected: "1 to 8192 pixels", found });
        }
    }
    let scene = Scene::new(recording, &recording.frame(frame)?, options);
    Ok(raster::draw(&scene, options))
}

impl<'a> Scene<'a> {
    fn new(recording: &'a Recording, frame: &Frame, options: &RenderOptions) -> Self {
        let framing = Framing::of(recording);
        let aspect = options.width as f32 / options.height as f32;
        let camera = framing.camera(options.azimuth, options.elevation, options.zoom, aspect);
        let meshes = recording.shapes().iter().map(mesh_of).collect();
        let mut scene =
            Self { meshes, items: Vec::new(), floors: Vec::new(), lines: Vec::new(), framing, camera };
        scene.add_bodies(recording, frame, options);
        if options.contacts {
            scene.add_contacts(recording, frame);
        }
        scene
    }

    fn add_bodies(&mut self, recording: &'a Recording, frame: &Frame, options: &RenderOptions) {
        let materials = materials(recording);
        for (index, (body, state)) in recording.bodies().iter().zip(&frame.bodies).enumerate() {
            if state.removed {
                continue;
            }
            let colour = body_colour(body, state, options.color_by, &materials, recording.top_speed());
            let colour = scale(linear(colour), if body.fixed { 1.0 } else { tint(index) });
            let origin = relative(state.position, recording.origin());
            for part in &body.parts {
                let shape = &recording.shapes()[part.shape as usize];
                let (position, rotation) = part_pose(origin, state.rotation, part);
                if body.hidden {
                    if options.hidden_outlines {
                        self.add_outline(shape, position, rotation);
                    }
                } else if let VisualShape::Plane { normal } = shape {
                    self.floors.push(Floor { point: position, normal: rotate(rotation, *normal) });
                } else {
                    let (mesh, is_fixed) = (part.shape as usize, body.fixed);
                    self.items.push(Item { shape, mesh, position, rotation, colour, is_fixed });
                }
            }
        }
    }

    fn add_outline(&mut self, shape: &VisualShape, position: Vec3, rotation: Quat) {
        let Some([low, high]) = local_box(shape) else { return };
        for edge in box_edges(low, high) {
            let ends = edge.map(|corner| add(position, rotate(rotation, corner)));
            self.lines.push(Line { ends, colour: linear(OUTLINE), width: 2.0, opacity: 0.45, through: 0.0 });
        }
    }

    /// Normals as long as their impulse, the largest a tenth of the scene; points as dashes.
    fn add_contacts(&mut self, recording: &Recording, frame: &Frame) {
        let largest = frame.contacts.iter().map(|c| c.impulse).fold(1e-12_f32, f32::max);
        let (reach, colour) = (self.framing.reach, linear(CONTACT));
        for contact in &frame.contacts {
            let point = relative(contact.point, recording.origin());
            let size = reach * (0.012 + 0.09 * (contact.impulse / largest).max(0.0).sqrt());
            let tip = add(point, scale(contact.normal, size));
            let r = scale(self.camera.right, reach * 0.004);
            let dash = [add(point, scale(r, -1.0)), add(point, r)];
            for (ends, width) in [([point, tip], 3.0), (dash, 6.0)] {
                // Contacts are between bodies: without shining through, most could not be seen.
                self.lines.push(Line { ends, colour, width, opacity: 0.95, through: 0.35 });
            }
        }
    }
}
