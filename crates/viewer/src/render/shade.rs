//! The light that comes from what a sample sees. The page's fragment shader follows the same recipe.

use super::raster::{Projection, ShadowMap};
use super::{Item, Scene};
use crate::colour::{BACKDROP, GROUND, linear};
use crate::mesh::side_normal;
use crate::recording::VisualShape;
use crate::vector::{
    Vec3, add, conjugate, dot, length, mix, rotate, scale, smoothstep, sub, unit_or, whole_below,
};

/// Linear light of the sun, of the sky and from below, on a white surface.
const SUN: Vec3 = [1.02, 0.97, 0.88];
const SKY: Vec3 = [0.42, 0.47, 0.55];
const BELOW: Vec3 = [0.20, 0.19, 0.18];
/// The floor fades out between these multiples of the scene's reach.
const FADE: [f32; 2] = [2.0, 9.0];

/// A surface: the shape in place, and the normal of its triangle.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) item: &'a Item<'a>,
    pub(super) normal: Vec3,
}

pub(super) struct Shader<'a> {
    scene: &'a Scene<'a>,
    projection: &'a Projection,
    shadow: Option<&'a ShadowMap>,
    ground: [Vec3; 2],
    backdrop: [Vec3; 2],
    /// Fields of the floor per m.
    per_cell: f32,
}

impl<'a> Shader<'a> {
    pub(super) fn new(scene: &'a Scene, projection: &'a Projection, shadow: Option<&'a ShadowMap>) -> Self {
        let (ground, backdrop) = (GROUND.map(linear), BACKDROP.map(linear));
        let per_cell = 1.0 / scene.framing.cell;
        Self { scene, projection, shadow, ground, backdrop, per_cell }
    }

    /// Light seen at a place on the screen, in samples, by something `size` samples large. The depth given
    /// is that of `seen`, and moves to a floor in front.
    pub(super) fn sample(&self, [x, y]: [f32; 2], size: f32, seen: Option<Seen>, depth: &mut f32) -> Vec3 {
        let ray = self.projection.ray(x, y);
        let eye = self.scene.camera.eye;
        let size = size / self.projection.scale;
        let mut light = match seen {
            None => mix(self.backdrop[0], self.backdrop[1], self.projection.height_at(y)),
            Some(Seen { item, normal }) => {
                let point = add(eye, scale(ray, 1.0 / *depth));
                let local = rotate(conjugate(item.rotation), sub(point, item.position));
                let normal = smooth_normal(item, local, normal);
                let pixel = size / *depth;
                let mut colour = scale(item.colour, pattern(item.shape, local, pixel));
                if item.is_fixed {
                    let shade = self.checker(point, normal, pixel);
                    colour = scale(colour, 0.92 + 0.16 * shade);
                }
                self.lit(colour, point, normal)
            }
        };
        for floor in &self.scene.floors {
            let (height, descent) = (dot(sub(eye, floor.point), floor.normal), -dot(ray, floor.normal));
            // Seen from above only: from below it would hide everything.
            if height <= 0.0 || descent <= 1e-6 || *depth * height >= descent {
                continue;
            }
            let distance = height / descent;
            let point = add(eye, scale(ray, distance));
            let opacity = self.floor_opacity(point);
            if opacity == 0.0 {
                continue;
            }
            // A grazing view stretches it along the floor: the mean of both directions.
            let pixel = size * distance * (distance / height).sqrt();
            let shade = self.checker(point, floor.normal, pixel);
            let colour = mix(self.ground[0], self.ground[1], shade);
            light = mix(light, self.lit(colour, point, floor.normal), opacity);
            *depth = descent / height;
        }
        light
    }

    fn lit(&self, colour: Vec3, point: Vec3, normal: Vec3) -> Vec3 {
        let framing = &self.scene.framing;
        let facing = dot(normal, framing.light).max(0.0);
        let sun =
            if facing > 0.0 { self.shadow.map_or(1.0, |s| s.sun_at(point, normal)) * facing } else { 0.0 };
        let around = mix(BELOW, SKY, 0.5 + 0.5 * dot(normal, framing.up));
        let light = add(scale(SUN, sun), around);
        std::array::from_fn(|i| colour[i] * light[i])
    }

    fn floor_opacity(&self, point: Vec3) -> f32 {
        let framing = &self.scene.framing;
        let away = sub(point, framing.center);
        let [near, far] = FADE.map(|f| f * framing.reach);
        // Most samples are near; they need no square root.
        if dot(away, away) <= near * near { 1.0 } else { 1.0 - smoothstep(near, far, length(away)) }
    }

    /// 0 or 1 by field; towards one half where a sample is as large as a field.
    fn checker(&self, point: Vec3, normal: Vec3, pixel: f32) -> f32 {
        let per_cell = self.per_cell;
        let n = normal.map(f32::abs);
        let (u, v) = if n[1] >= n[0] && n[1] >= n[2] {
            (point[0], point[2])
        } else if n[0] >= n[2] {
            (point[1], point[2])
        } else {
            (point[0], point[1])
        };
        let (u, v) = (u * per_cell, v * per_cell);
        let (column, row) = (whole_below(u), whole_below(v));
        let size = pixel * per_cell;
        // Borders are blended over their width on the screen, and fields smaller than that into grey.
        let from_middle = (u - column as f32 - 0.5).abs().max((v - row as f32 - 0.5).abs());
        let inside = ((0.5 - from_middle) * 2.0 / size).min(1.0);
        let fine = if size <= 0.15 { 1.0 } else { 1.0 - smoothstep(0.15, 0.6, size) };
        let is_odd = (column ^ row) & 1 == 1;
        0.5 + if is_odd { 0.5 } else { -0.5 } * inside * fine
    }
}

fn smooth_normal(item: &Item, local: Vec3, flat: Vec3) -> Vec3 {
    match item.shape {
        VisualShape::Sphere { .. } => rotate(item.rotation, unit_or(local, [0.0, 1.0, 0.0])),
        VisualShape::Capsule { half_length, .. } => {
            let along = local[1].clamp(-half_length, *half_length);
            rotate(item.rotation, unit_or([local[0], local[1] - along, local[2]], [0.0, 1.0, 0.0]))
        }
        VisualShape::Cylinder { half_height, radius } => {
            side_or(item, local, flat, [*half_height, *radius, *radius])
        }
        VisualShape::Cone { half_height, radius } => side_or(item, local, flat, [*half_height, 0.0, *radius]),
        _ => flat,
    }
}

/// The normal of a round side (half height, radius at the top and at the base); of a cap, as its triangles have it.
fn side_or(item: &Item, local: Vec3, flat: Vec3, [half_height, top, base]: [f32; 3]) -> Vec3 {
    if rotate(conjugate(item.rotation), flat)[1].abs() > 0.9999 {
        return flat;
    }
    let [across, along] = side_normal(half_height, top, base);
    let radial = unit_or([local[0], 0.0, local[2]], [1.0, 0.0, 0.0]);
    rotate(item.rotation, [radial[0] * across, along, radial[2] * across])
}

/// Round shapes are painted in sectors, so that one sees them roll; boxes have darker edges.
fn pattern(shape: &VisualShape, local: Vec3, pixel: f32) -> f32 {
    match shape {
        VisualShape::Sphere { .. } if local[0] * local[1] * local[2] < 0.0 => 0.72,
        VisualShape::Capsule { .. } | VisualShape::Cylinder { .. } | VisualShape::Cone { .. }
            if local[0] * local[2] < 0.0 =>
        {
            0.72
        }
        VisualShape::Box { half_extents: h } => {
            let mut inset: Vec3 = std::array::from_fn(|i| h[i] - local[i].abs());
            inset.sort_by(f32::total_cmp);
            let width = (0.09 * h.iter().copied().fold(f32::INFINITY, f32::min)).max(pixel);
            0.66 + 0.34 * smoothstep(0.3 * width, 1.3 * width, inset[1])
        }
        _ => 1.0,
    }
}

/// Linear light to sRGB bytes, by table.
pub(super) struct Encoder {
    table: Vec<u8>,
}

impl Encoder {
    /// Light up to this is told apart; anything brighter is white.
    const BRIGHTEST: f32 = 2.0;
    /// Fine enough that neighbouring entries differ by one byte even in the dark.
    const ENTRIES: usize = 1 << 14;

    pub(super) fn new() -> Self {
        let entry = |i: usize| {
            let c = i as f32 * Self::BRIGHTEST / Self::ENTRIES as f32;
            // Bright light bends towards white instead of being cut off.
            let c = if c > 0.7 { 0.7 + 0.3 * (1.0 - (-(c - 0.7) / 0.3).exp()) } else { c };
            (c.powf(1.0 / 2.2) * 255.0 + 0.5) as u8
        };
        Self { table: (0..Self::ENTRIES).map(entry).collect() }
    }

    pub(super) fn encode(&self, light: Vec3) -> [u8; 3] {
        let per_unit = Self::ENTRIES as f32 / Self::BRIGHTEST;
        light.map(|c| self.table[((c * per_unit + 0.5) as usize).min(Self::ENTRIES - 1)])
    }
}
