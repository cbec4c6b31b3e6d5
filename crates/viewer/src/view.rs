//! Where to look from: the one rule by which the page and the pictures frame a scene.
//!
//! Down is the direction of gravity (y is up where there is none). The view takes in the box around
//! everything that moves, each where it is seen first, reaching down to the ground under it where that is near.

use serde::Serialize;

use crate::recording::{BodyVisual, Part, Recording, VisualShape};
use crate::vector::{
    Quat, Vec3, add, compose, conjugate, cross, dot, length, perpendicular, rotate, scale, sub, unit_or,
};

/// Where the default camera stands: turned about the vertical, and above the horizon, in degrees.
pub const DEFAULT_AZIMUTH: f32 = 35.0;
/// See [`DEFAULT_AZIMUTH`].
pub const DEFAULT_ELEVATION: f32 = 20.0;
/// Vertical field of view, in degrees.
pub const FIELD_OF_VIEW: f32 = 35.0;
/// Room left around the box.
pub(crate) const MARGIN: f32 = 1.12;

/// How a scene is framed; lengths in m, points relative to [`Recording::origin`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Framing {
    /// Against gravity.
    pub up: [f32; 3],
    /// Across it, and fixed in the world: the camera's right at an azimuth of zero.
    pub right: [f32; 3],
    /// From the scene to the camera at an azimuth and elevation of zero.
    pub back: [f32; 3],
    /// The middle of the box to be seen.
    pub center: [f32; 3],
    /// Half of its size along `right`, `up` and `back`.
    pub half: [f32; 3],
    /// Radius of the sphere around it.
    pub reach: f32,
    /// Edge of one field of the chequered floor.
    pub cell: f32,
    /// Unit vector towards the light.
    pub light: [f32; 3],
}

/// A camera that looks at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Camera {
    pub(crate) eye: Vec3,
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    pub(crate) forward: Vec3,
}

impl Framing {
    /// Frames a recording as it begins, with what appears later.
    pub fn of(recording: &Recording) -> Self {
        let g = recording.meta.gravity;
        let up = unit_or(scale(g, -1.0), [0.0, 1.0, 0.0]);
        // With y up: right is x and back is z, the usual picture of a right-handed frame.
        let right = if up[1].abs() > 0.99 {
            unit_or(cross(up, [0.0, 0.0, 1.0]), [1.0, 0.0, 0.0])
        } else if up[2].abs() > 0.99 {
            unit_or(sub([1.0, 0.0, 0.0], scale(up, up[0])), [1.0, 0.0, 0.0])
        } else {
            perpendicular(up)
        };
        let back = cross(right, up);
        let axes = [right, up, back];
        let bounds = seen_box(recording, &axes);
        let half = bounds.map(|b| (0.5 * (b[1] - b[0])).max(1e-3));
        let middle = bounds.map(|b| 0.5 * (b[0] + b[1]));
        let center = add(add(scale(right, middle[0]), scale(up, middle[1])), scale(back, middle[2]));
        let reach = length(half);
        let light = add(add(scale(up, 1.0), scale(right, 0.25)), scale(back, 0.62));
        let light = unit_or(light, up);
        Self { up, right, back, center, half, reach, cell: round_length(reach / 5.0), light }
    }

    /// The camera at these angles in degrees; `zoom` above 1 is closer. Everything framed fits the aspect.
    pub(crate) fn camera(&self, azimuth: f32, elevation: f32, zoom: f32, aspect: f32) -> Camera {
        let (az, el) = (azimuth.to_radians(), elevation.clamp(-89.0, 89.0).to_radians());
        let level = add(scale(self.right, az.sin()), scale(self.back, az.cos()));
        let to_eye = add(scale(level, el.cos()), scale(self.up, el.sin()));
        let forward = scale(to_eye, -1.0);
        let right = unit_or(cross(forward, self.up), self.right);
        let up = cross(right, forward);
        let tangent = (0.5 * FIELD_OF_VIEW).to_radians().tan() / MARGIN;
        let mut distance = 0.0_f32;
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let p = add(
                add(scale(self.right, self.half[0] * sign(0)), scale(self.up, self.half[1] * sign(1))),
                scale(self.back, self.half[2] * sign(2)),
            );
            let needed = (dot(p, up).abs() / tangent).max(dot(p, right).abs() / (tangent * aspect));
            distance = distance.max(needed - dot(p, forward));
        }
        Camera { eye: add(self.center, scale(to_eye, distance / zoom.max(1e-3))), right, up, forward }
    }
}

/// The position of a body relative to the recording's origin.
pub(crate) fn relative(position: [f64; 3], origin: [f64; 3]) -> Vec3 {
    std::array::from_fn(|i| (position[i] - origin[i]) as f32)
}

/// A part's pose, from its body's.
pub(crate) fn part_pose(position: Vec3, rotation: Quat, part: &Part) -> (Vec3, Quat) {
    (add(position, rotate(rotation, part.position)), compose(rotation, part.rotation))
}

/// The lowest and highest value of `dot(point, axis)` over a shape; none for a plane.
fn span(shape: &VisualShape, position: Vec3, rotation: Quat, axis: Vec3) -> Option<[f32; 2]> {
    let local = rotate(conjugate(rotation), axis);
    let middle = dot(position, axis);
    let reach = match shape {
        VisualShape::Sphere { radius } => *radius,
        VisualShape::Capsule { half_length, radius } => radius + half_length * local[1].abs(),
        VisualShape::Cylinder { half_height, radius } => {
            half_height * local[1].abs() + radius * local[0].hypot(local[2])
        }
        VisualShape::Cone { half_height, radius } => {
            let (apex, rim) = (half_height * local[1], radius * local[0].hypot(local[2]));
            return Some([middle + apex.min(-apex - rim), middle + apex.max(rim - apex)]);
        }
        VisualShape::Box { half_extents: h } => dot(*h, local.map(f32::abs)),
        VisualShape::Plane { .. } => return None,
        VisualShape::Hull { vertices, .. } => {
            let values = vertices.iter().map(|v| middle + dot(*v, local));
            return Some(values.fold([f32::INFINITY, f32::NEG_INFINITY], |[a, b], v| [a.min(v), b.max(v)]));
        }
    };
    Some([middle - reach, middle + reach])
}

/// The box along `axes` (right, up, back) that a picture should show, as low and high values.
fn seen_box(recording: &Recording, axes: &[Vec3; 3]) -> [[f32; 2]; 3] {
    let spans = |wanted: &dyn Fn(&BodyVisual) -> bool| -> Vec<[[f32; 2]; 3]> {
        let mut list = Vec::new();
        for (body, arrival) in recording.bodies().iter().zip(recording.arrivals()) {
            let Some(state) = arrival.filter(|_| !body.hidden && wanted(body)) else { continue };
            let position = relative(state.position, recording.origin());
            for part in &body.parts {
                let (p, q) = part_pose(position, state.rotation, part);
                let shape = &recording.shapes()[part.shape as usize];
                let along = axes.map(|axis| span(shape, p, q, axis));
                if let [Some(x), Some(y), Some(z)] = along {
                    list.push([x, y, z]);
                }
            }
        }
        list
    };
    let fixed = spans(&|b| b.fixed);
    let moving = spans(&|b| !b.fixed);
    let shown = if moving.is_empty() { &fixed } else { &moving };
    let mut bounds = shown
        .iter()
        .copied()
        .reduce(|a, b| std::array::from_fn(|i| [a[i][0].min(b[i][0]), a[i][1].max(b[i][1])]));
    if let Some(bounds) = &mut bounds {
        let diagonal = length(bounds.map(|b| b[1] - b[0]));
        let below = |height: f32| height < bounds[1][0] && height > bounds[1][0] - diagonal;
        let is_under =
            |b: &[[f32; 2]; 3]| [0, 2].iter().all(|&i| b[i][0] <= bounds[i][0] && b[i][1] >= bounds[i][1]);
        let tops = fixed.iter().filter(|b| is_under(b)).map(|b| b[1][1]);
        let ground = tops.chain(plane_heights(recording, axes[1])).filter(|&h| below(h));
        if let Some(height) = ground.reduce(f32::max) {
            bounds[1][0] = height;
        }
    }
    bounds.unwrap_or([[-1.0, 1.0]; 3])
}

/// Heights of level planes.
fn plane_heights(recording: &Recording, up: Vec3) -> Vec<f32> {
    let mut heights = Vec::new();
    for (body, arrival) in recording.bodies().iter().zip(recording.arrivals()) {
        let Some(state) = arrival.filter(|_| !body.hidden) else { continue };
        for part in &body.parts {
            let position = relative(state.position, recording.origin());
            let (p, q) = part_pose(position, state.rotation, part);
            if let VisualShape::Plane { normal } = &recording.shapes()[part.shape as usize]
                && dot(rotate(q, *normal), up) > 0.99
            {
                heights.push(dot(p, up));
            }
        }
    }
    heights
}

/// The nearest of 1, 2, 5 times a power of ten at or below `length`.
fn round_length(length: f32) -> f32 {
    let power = 10.0_f32.powf(length.max(1e-6).log10().floor());
    let lead = length / power;
    power
        * if lead >= 5.0 {
            5.0
        } else if lead >= 2.0 {
            2.0
        } else {
            1.0
        }
}
