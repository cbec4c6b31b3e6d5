//! Triangles and lines to samples.
//!
//! Depth is 1/distance along the view: linear on the screen, larger is nearer, 0 is infinitely far. The
//! shadow map is the same rasteriser with a parallel projection.

use super::shade::{Encoder, Seen, Shader};
use super::{Image, Line, RenderOptions, Scene};
use crate::vector::{Vec3, add, cross, dot, perpendicular, rotate, scale, sub, unit_or};
use crate::view::{Camera, FIELD_OF_VIEW};

/// Samples per pixel along one axis.
const SAMPLES: usize = 2;
/// Edge of the shadow map in texels.
const SHADOW_SIZE: usize = 2048;
/// No triangle here.
pub(super) const NOTHING: u32 = u32::MAX;

/// From the scene to samples: perspective where `focal` is set, parallel otherwise.
pub(super) struct Projection {
    pub(super) camera: Camera,
    width: usize,
    height: usize,
    /// Samples per unit: at a distance of 1 m for perspective, anywhere for parallel.
    pub(super) scale: f32,
    /// One over `scale`.
    per_scale: f32,
    is_perspective: bool,
    near: f32,
}

/// A triangle on the screen.
struct Flat {
    /// Index into the items of the scene.
    item: u32,
    normal: Vec3,
    /// Corners in samples, with depth.
    corners: [Vec3; 3],
    rows: [usize; 2],
}

/// Depth and what is seen, for some rows of samples.
pub(super) struct Samples {
    width: usize,
    first_row: usize,
    depth: Vec<f32>,
    triangle: Vec<u32>,
}

/// The depth of the scene seen from the sun.
pub(super) struct ShadowMap {
    projection: Projection,
    depth: Vec<f32>,
}

/// Draws a scene.
pub(super) fn draw(scene: &Scene, options: &RenderOptions) -> Image {
    let projection = Projection::of_picture(scene, options);
    let (flats, shadow) = std::thread::scope(|scope| {
        let shadow = options.shadows.then(|| scope.spawn(|| ShadowMap::of(scene)));
        let flats = flatten(scene, &projection);
        (flats, shadow.map(|thread| thread.join().expect("drawing the shadow map does not panic")))
    });
    let picture = Picture { scene, projection, flats, shadow, encoder: Encoder::new() };
    let mut rgba = vec![0; options.width * options.height * 4];
    let band_rows = options.height.div_ceil(options.threads.max(1) * 4).max(8);
    let bands = rgba.chunks_mut(band_rows * options.width * 4).enumerate();
    let queue = std::sync::Mutex::new(bands);
    let next = || queue.lock().map_or(None, |mut bands| bands.next());
    std::thread::scope(|scope| {
        for _ in 0..options.threads.clamp(1, 64) {
            scope.spawn(|| {
                while let Some((band, pixels)) = next() {
                    draw_band(&picture, band * band_rows, pixels);
                }
            });
        }
    });
    Image { width: options.width, height: options.height, rgba }
}

/// What all bands are drawn from.
struct Picture<'a> {
    scene: &'a Scene<'a>,
    projection: Projection,
    flats: Vec<Flat>,
    shadow: Option<ShadowMap>,
    encoder: Encoder,
}

fn draw_band(picture: &Picture, first_pixel_row: usize, pixels: &mut [u8]) {
    let Picture { scene, projection, flats, shadow, encoder } = picture;
    let width = projection.width;
    let pixel_rows = pixels.len() / (4 * width / SAMPLES);
    let mut samples = Samples::new(width, first_pixel_row * SAMPLES, pixel_rows * SAMPLES);
    samples.fill(flats);
    let shader = Shader::new(scene, projection, shadow.as_ref());
    let mut light = vec![[0.0; 3]; samples.depth.len()];
    let seen = |index: u32| (index != NOTHING).then(|| flats[index as usize].seen(scene));
    for row in (0..pixel_rows * SAMPLES).step_by(SAMPLES) {
        for column in (0..width).step_by(SAMPLES) {
            let at = row * width + column;
            let four = [at, at + 1, at + width, at + width + 1];
            let (x, y) = (column as f32, (samples.first_row + row) as f32);
            let first = seen(samples.triangle[at]);
            let is_uniform = four.iter().all(|&i| {
                samples.triangle[i] == samples.triangle[at] || is_same(first, seen(samples.triangle[i]))
            });
            if is_uniform {
                // Inside of a surface, the shader smooths what it paints: one look at the middle is enough.
                let mut depth = 0.25 * four.iter().map(|&i| samples.depth[i]).sum::<f32>();
                let colour = shader.sample([x + 1.0, y + 1.0], 2.0, first, &mut depth);
                for i in four {
                    (light[i], samples.depth[i]) = (colour, depth);
                }
            } else {
                for (i, [dx, dy]) in four.into_iter().zip([[0.5, 0.5], [1.5, 0.5], [0.5, 1.5], [1.5, 1.5]]) {
                    let place = [x + dx, y + dy];
                    light[i] = shader.sample(place, 1.0, seen(samples.triangle[i]), &mut samples.depth[i]);
                }
            }
        }
    }
    for line in &scene.lines {
        draw_line(line, projection, &samples, &mut light);
    }
    for (index, pixel) in pixels.chunks_exact_mut(4).enumerate() {
        let (row, column) = (index / (width / SAMPLES) * SAMPLES, index % (width / SAMPLES) * SAMPLES);
        let mut sum = [0.0; 3];
        for sub_row in 0..SAMPLES {
            for sub_column in 0..SAMPLES {
                sum = add(sum, light[(row + sub_row) * width + column + sub_column]);
            }
        }
        let colour = encoder.encode(scale(sum, 1.0 / (SAMPLES * SAMPLES) as f32));
        pixel.copy_from_slice(&[colour[0], colour[1], colour[2], 255]);
    }
}

impl Projection {
    fn of_picture(scene: &Scene, options: &RenderOptions) -> Self {
        let (width, height) = (options.width * SAMPLES, options.height * SAMPLES);
        let tangent = (0.5 * FIELD_OF_VIEW).to_radians().tan();
        let scale = 0.5 * height as f32 / tangent;
        let near = scene.framing.reach * 1e-2;
        Self {
            camera: scene.camera,
            width,
            height,
            scale,
            per_scale: 1.0 / scale,
            is_perspective: true,
            near,
        }
    }

    fn of_shadow(scene: &Scene) -> Self {
        let forward = scale(scene.framing.light, -1.0);
        let right = perpendicular(forward);
        let radius = scene.framing.reach * 1.6;
        let eye = add(scene.framing.center, scale(forward, -radius * 4.0));
        let camera = Camera { eye, right, up: cross(right, forward), forward };
        let scale = 0.5 * SHADOW_SIZE as f32 / radius;
        Self {
            camera,
            width: SHADOW_SIZE,
            height: SHADOW_SIZE,
            scale,
            per_scale: 1.0 / scale,
            is_perspective: false,
            near: 0.0,
        }
    }

    /// Right, up and distance along the view.
    fn to_view(&self, point: Vec3) -> Vec3 {
        let p = sub(point, self.camera.eye);
        [dot(p, self.camera.right), dot(p, self.camera.up), dot(p, self.camera.forward)]
    }

    /// Column and row in samples, and depth.
    fn to_screen(&self, view: Vec3) -> Vec3 {
        let (size, depth) = if self.is_perspective {
            (self.scale / view[2], 1.0 / view[2])
        } else {
            // Far enough that every caster has a positive depth.
            (self.scale, 1e5 - view[2] * self.scale)
        };
        [0.5 * self.width as f32 + view[0] * size, 0.5 * self.height as f32 - view[1] * size, depth]
    }

    /// The direction seen at a sample, 1 m long along the view.
    pub(super) fn ray(&self, x: f32, y: f32) -> Vec3 {
        let right = scale(self.camera.right, (x - 0.5 * self.width as f32) * self.per_scale);
        let up = scale(self.camera.up, (0.5 * self.height as f32 - y) * self.per_scale);
        add(self.camera.forward, add(right, up))
    }

    /// From 0 at the bottom of the picture to 1 at the top.
    pub(super) fn height_at(&self, y: f32) -> f32 {
        1.0 - y / self.height as f32
    }
}

/// All triangles that face the camera, clipped at the near plane.
fn flatten(scene: &Scene, projection: &Projection) -> Vec<Flat> {
    let mut flats = Vec::new();
    for (index, item) in scene.items.iter().enumerate() {
        let mesh = &scene.meshes[item.mesh];
        let to_view = |p: &Vec3| projection.to_view(add(item.position, rotate(item.rotation, *p)));
        let view: Vec<Vec3> = mesh.positions.iter().map(to_view).collect();
        for triangle in &mesh.triangles {
            let corners = triangle.map(|i| view[i as usize]);
            let (polygon, count) = clip(corners, projection.near, projection.is_perspective);
            let screen = polygon.map(|p| projection.to_screen(p));
            let normal = rotate(item.rotation, mesh.normals[triangle[0] as usize]);
            for last in 2..count {
                let corners = [screen[0], screen[last - 1], screen[last]];
                flats.extend(Flat::new(index as u32, normal, corners, projection));
            }
        }
    }
    flats
}

/// The part of a triangle in front of the near plane: three or four corners, or none.
fn clip(corners: [Vec3; 3], near: f32, is_perspective: bool) -> ([Vec3; 4], usize) {
    let [a, b, c] = corners;
    if !is_perspective || corners.iter().all(|p| p[2] >= near) {
        return ([a, b, c, c], 3);
    }
    let (mut polygon, mut count) = ([[0.0, 0.0, 1.0]; 4], 0);
    for i in 0..3 {
        let (from, to) = (corners[i], corners[(i + 1) % 3]);
        if from[2] >= near {
            polygon[count] = from;
            count += 1;
        }
        if (from[2] >= near) != (to[2] >= near) {
            let t = (near - from[2]) / (to[2] - from[2]);
            polygon[count] = add(from, scale(sub(to, from), t));
            count += 1;
        }
    }
    (polygon, count)
}

/// Two samples see one smooth surface.
fn is_same(a: Option<Seen>, b: Option<Seen>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => std::ptr::eq(a.item, b.item) && (a.item.is_round() || a.normal == b.normal),
        _ => false,
    }
}

impl Flat {
    fn seen<'a>(&self, scene: &'a Scene<'a>) -> Seen<'a> {
        Seen { item: &scene.items[self.item as usize], normal: self.normal }
    }

    /// None where it faces away or covers no sample.
    fn new(item: u32, normal: Vec3, corners: [Vec3; 3], projection: &Projection) -> Option<Self> {
        let [a, b, c] = corners;
        // Rows count downwards, so anticlockwise from outside is a negative area here.
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let low = a[1].min(b[1]).min(c[1]).max(0.0);
        let high = a[1].max(b[1]).max(c[1]).min(projection.height as f32);
        let is_seen = area < -1e-6 && low < high;
        is_seen.then(|| Self { item, normal, corners, rows: [low as usize, high.ceil() as usize] })
    }
}

impl Samples {
    fn new(width: usize, first_row: usize, rows: usize) -> Self {
        Self { width, first_row, depth: vec![0.0; width * rows], triangle: vec![NOTHING; width * rows] }
    }

    fn fill(&mut self, flats: &[Flat]) {
        let end = self.first_row + self.depth.len() / self.width;
        for (index, flat) in flats.iter().enumerate() {
            let rows = flat.rows[0].max(self.first_row)..flat.rows[1].min(end);
            if !rows.is_empty() {
                self.fill_triangle(index as u32, flat, rows);
            }
        }
    }

    /// Row by row between the edges; a sample on a shared edge belongs to the triangle drawn first.
    fn fill_triangle(&mut self, index: u32, flat: &Flat, rows: std::ops::Range<usize>) {
        let [a, b, c] = flat.corners;
        let normal = cross(sub(b, a), sub(c, a));
        let (across, down) = (-normal[0] / normal[2], -normal[1] / normal[2]);
        for row in rows {
            let y = row as f32 + 0.5;
            let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
            for [p, q] in [[a, b], [b, c], [c, a]] {
                if (p[1] <= y) != (q[1] <= y) {
                    let x = p[0] + (q[0] - p[0]) * (y - p[1]) / (q[1] - p[1]);
                    (left, right) = (left.min(x), right.max(x));
                }
            }
            if left > right {
                continue;
            }
            let first = (left - 0.5).ceil().max(0.0) as usize;
            let last = ((right - 0.5).floor() + 1.0).clamp(0.0, self.width as f32) as usize;
            if first >= last {
                continue;
            }
            let start = (row - self.first_row) * self.width;
            let base = a[2] + (y - a[1]) * down + (0.5 - a[0]) * across;
            let depths = &mut self.depth[start + first..start + last];
            let triangles = &mut self.triangle[start + first..start + last];
            for (i, (depth, triangle)) in depths.iter_mut().zip(triangles).enumerate() {
                let here = base + (first + i) as f32 * across;
                if here > *depth {
                    (*depth, *triangle) = (here, index);
                }
            }
        }
    }
}

impl ShadowMap {
    fn of(scene: &Scene) -> Self {
        let projection = Projection::of_shadow(scene);
        let flats = flatten(scene, &projection);
        let mut samples = Samples::new(SHADOW_SIZE, 0, SHADOW_SIZE);
        samples.fill(&flats);
        Self { projection, depth: samples.depth }
    }

    /// The share of the sun that reaches a point, from the four texels around it.
    pub(super) fn sun_at(&self, point: Vec3, normal: Vec3) -> f32 {
        // One and a half texels off the surface, so that it does not shade itself.
        let off = add(point, scale(normal, 1.5 / self.projection.scale));
        let p = self.projection.to_screen(self.projection.to_view(off));
        let (x, y) = (p[0] - 0.5, p[1] - 0.5);
        let end = (SHADOW_SIZE - 1) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < end && y < end) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f32, y - row as f32);
        let at = row * SHADOW_SIZE + column;
        let lit = |i: usize| if self.depth[i] > p[2] + 1.0 { 0.0 } else { 1.0 };
        let upper = lit(at) * (1.0 - fx) + lit(at + 1) * fx;
        let lower = lit(at + SHADOW_SIZE) * (1.0 - fx) + lit(at + SHADOW_SIZE + 1) * fx;
        upper * (1.0 - fy) + lower * fy
    }
}

/// Blends a line over the samples it covers.
fn draw_line(line: &Line, projection: &Projection, samples: &Samples, light: &mut [Vec3]) {
    let [a, b] = line.ends.map(|p| projection.to_view(p));
    let near = projection.near;
    if a[2].max(b[2]) <= near {
        return;
    }
    let clip = |end: Vec3, other: Vec3| {
        let t = ((near - end[2]) / (other[2] - end[2])).max(0.0);
        if end[2] < near { add(end, scale(sub(other, end), t)) } else { end }
    };
    let [a, b] = [clip(a, b), clip(b, a)].map(|p| projection.to_screen(p));
    let along = unit_or([b[0] - a[0], b[1] - a[1], 0.0], [1.0, 0.0, 0.0]);
    let size = (b[0] - a[0]).hypot(b[1] - a[1]);
    let half = 0.5 * line.width;
    let bounds = |i: usize, end: f32| {
        let low = (a[i].min(b[i]) - half).clamp(0.0, end) as usize;
        low..(a[i].max(b[i]) + half + 1.0).clamp(0.0, end) as usize
    };
    let end_row = samples.first_row + samples.depth.len() / samples.width;
    let rows = bounds(1, projection.height as f32);
    for row in rows.start.max(samples.first_row)..rows.end.min(end_row) {
        let y = row as f32 + 0.5 - a[1];
        // Only the columns near the line in this row, where it is not level.
        let mut columns = bounds(0, samples.width as f32);
        if along[1].abs() > 1e-3 {
            let middle = a[0] + y * along[0] / along[1];
            let around = half / along[1].abs() + 1.0;
            columns.start = columns.start.max((middle - around).max(0.0) as usize);
            columns.end = columns.end.min((middle + around + 1.0).max(0.0) as usize);
        }
        for column in columns {
            let x = column as f32 + 0.5 - a[0];
            let t = x * along[0] + y * along[1];
            let is_near = (x * along[1] - y * along[0]).abs() <= half && t >= -half && t <= size + half;
            let depth = a[2] + (b[2] - a[2]) * (t / size.max(1e-6)).clamp(0.0, 1.0);
            let at = (row - samples.first_row) * samples.width + column;
            let is_behind = depth * 1.002 < samples.depth[at];
            let opacity = if is_behind { line.opacity * line.through } else { line.opacity };
            if is_near && opacity > 0.0 {
                light[at] = add(scale(light[at], 1.0 - opacity), scale(line.colour, opacity));
            }
        }
    }
}
