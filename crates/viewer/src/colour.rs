//! Colours, shared by the page, the pictures and the glTF export.

use crate::recording::{BodyState, BodyVisual, NO_ISLAND, Recording};
use crate::vector::Vec3;

/// What the colour of a body tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// Its material.
    #[default]
    Material,
    /// Whether it sleeps.
    Sleeping,
    /// The island it belongs to.
    Island,
    /// Its speed, on a square-root scale up to the recording's top speed.
    Speed,
}

/// sRGB colours told apart easily on a dark ground; materials and islands take them in turn.
pub const PALETTE: [[u8; 3]; 12] = [
    [0xE8, 0x8F, 0x52],
    [0x52, 0x9D, 0xE0],
    [0x6F, 0xC2, 0x7D],
    [0xE3, 0x64, 0x6E],
    [0xB0, 0x8F, 0xE3],
    [0xE8, 0xC7, 0x55],
    [0x52, 0xC4, 0xC0],
    [0xDB, 0x8F, 0xBA],
    [0xA6, 0xB9, 0x5E],
    [0xC8, 0xA2, 0x80],
    [0x80, 0x90, 0xF0],
    [0xB9, 0xC3, 0xCD],
];
/// What never moves.
pub const FIXED: [u8; 3] = [0x6C, 0x76, 0x84];
/// Awake bodies.
pub const AWAKE: [u8; 3] = [0xF0, 0xA0, 0x4B];
/// Sleeping bodies.
pub const ASLEEP: [u8; 3] = [0x54, 0x6F, 0xA8];
/// Bodies without an island.
pub const UNGROUPED: [u8; 3] = [0x8A, 0x93, 0x9F];
/// The chequered floor: its two fields.
pub const GROUND: [[u8; 3]; 2] = [[0x3A, 0x42, 0x4E], [0x43, 0x4C, 0x59]];
/// The backdrop: at the bottom and at the top.
pub const BACKDROP: [[u8; 3]; 2] = [[0x1C, 0x21, 0x29], [0x2B, 0x33, 0x3F]];
/// Speeds from none to the highest, evenly spaced.
pub const SPEED_RAMP: [[u8; 3]; 5] =
    [[0x3B, 0x4C, 0xA8], [0x2F, 0x95, 0xB8], [0x53, 0xC0, 0x7C], [0xEC, 0xC9, 0x4C], [0xE8, 0x4F, 0x4A]];
/// Contact points and normals.
pub const CONTACT: [u8; 3] = [0xFF, 0x4D, 0x8D];
/// Outlines of hidden bodies.
pub const OUTLINE: [u8; 3] = [0x9F, 0xB3, 0xCC];

/// The materials of what moves, in order of appearance; their places choose their colours.
pub fn materials(recording: &Recording) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for body in recording.bodies().iter().filter(|b| !b.fixed && !b.hidden) {
        if !names.contains(&body.material.as_str()) {
            names.push(&body.material);
        }
    }
    names
}

/// The sRGB colour of a body, before lighting. `materials` come from [`materials`], `top_speed` is in m/s.
pub fn body_colour(
    body: &BodyVisual,
    state: &BodyState,
    color_by: ColorBy,
    materials: &[&str],
    top_speed: f32,
) -> [u8; 3] {
    if body.fixed {
        return FIXED;
    }
    match color_by {
        ColorBy::Material => {
            PALETTE[materials.iter().position(|m| *m == body.material).unwrap_or(0) % PALETTE.len()]
        }
        ColorBy::Sleeping if state.asleep => ASLEEP,
        ColorBy::Sleeping => AWAKE,
        ColorBy::Island if state.island == NO_ISLAND => UNGROUPED,
        // Neighbouring numbers get colours far apart.
        ColorBy::Island => PALETTE[(state.island.wrapping_mul(2_654_435_761) >> 16) as usize % PALETTE.len()],
        ColorBy::Speed => ramp((state.speed / top_speed.max(1e-6)).clamp(0.0, 1.0).sqrt()),
    }
}

fn ramp(t: f32) -> [u8; 3] {
    let place = t * (SPEED_RAMP.len() - 1) as f32;
    let low = (place as usize).min(SPEED_RAMP.len() - 2);
    let part = place - low as f32;
    std::array::from_fn(|i| {
        (f32::from(SPEED_RAMP[low][i]) * (1.0 - part) + f32::from(SPEED_RAMP[low + 1][i]) * part).round()
            as u8
    })
}

/// A factor near 1 per body, so that equal neighbours stay apart.
pub fn tint(body_index: usize) -> f32 {
    0.9 + 0.2 * (body_index as f32 * 0.618_034).fract()
}

/// Light as numbers proportional to energy, from an sRGB colour.
pub(crate) fn linear(colour: [u8; 3]) -> Vec3 {
    colour.map(|c| (f32::from(c) / 255.0).powf(2.2))
}
