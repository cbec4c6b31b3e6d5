//! A sketch as a picture: meshes, lights, shadows, a camera.

use crate::session::Session;
use crate::sketch::{Line, Sketch, Solid};
use drystone_viewer::mesh::mesh_of;
use drystone_viewer::view::{DEFAULT_AZIMUTH, DEFAULT_ELEVATION, FIELD_OF_VIEW};
use drystone_viewer::{VisualShape, colour};
use three_d::{
    AmbientLight, Camera, ClearState, ColorMaterial, Context, CpuMaterial, CpuMesh, Cull, Degrees,
    DirectionalLight, Gm, Indices, InnerSpace, InstancedMesh, Instances, Light, Mat3, Mat4, Object,
    OrbitControl, PhysicalMaterial, Positions, Quat, RenderTarget, Srgba, Vec3, Viewport, degrees, vec3,
};

/// Width of a line, as a share of the scene's size.
const LINE: f32 = 0.003;
/// Fields of the floor each way, and their width as a share of the scene's size.
const FIELDS: i32 = 24;
const FIELD: f32 = 0.5;
/// Points each way of the picture that shadows are looked up in.
const SHADOWS: u32 = 2048;

type Solids = Gm<InstancedMesh, PhysicalMaterial>;

/// Everything that is drawn.
pub(crate) struct Picture {
    context: Context,
    pub(crate) camera: Camera,
    pub(crate) control: OrbitControl,
    size: f32,
    up: Vec3,
    solids: Vec<Solids>,
    /// The run of the session that `solids` are of.
    run: u64,
    /// Of each of `solids`, whether it throws a shadow: floors throw none.
    throws: Vec<bool>,
    lines: Gm<InstancedMesh, ColorMaterial>,
    ambient: AmbientLight,
    sun: DirectionalLight,
    has_shadows: bool,
}

impl Picture {
    /// A picture of a scene as it begins: all that moves fits in.
    pub(crate) fn of(context: &Context, session: &Session, viewport: Viewport) -> Self {
        let size = session.size() as f32;
        let g = session.runner().world().config().gravity;
        let against = vec3(-g.x, -g.y, -g.z);
        let up = if against.magnitude() > 0.0 { against.normalize() } else { Vec3::unit_y() };
        let [right, back] = horizon(up);
        let (azimuth, elevation) = (DEFAULT_AZIMUTH.to_radians(), DEFAULT_ELEVATION.to_radians());
        let level = back * azimuth.cos() + right * azimuth.sin();
        let towards = level * elevation.cos() + up * elevation.sin();
        let distance = size / (0.5 * FIELD_OF_VIEW.to_radians()).sin();
        let origin = vec3(0.0, 0.0, 0.0);
        let fov: Degrees = degrees(FIELD_OF_VIEW);
        let (near, far) = (0.02 * size, 40.0 * size);
        let camera = Camera::new_perspective(viewport, towards * distance, origin, up, fov, near, far);
        let light = up + right * 0.45 + back * 0.62;
        let lines = Gm::new(
            InstancedMesh::new(context, &Instances::default(), &CpuMesh::cylinder(6)),
            ColorMaterial { color: Srgba::WHITE, ..ColorMaterial::default() },
        );
        Self {
            context: context.clone(),
            camera,
            control: OrbitControl::new(origin, 0.05 * size, 30.0 * size),
            size,
            up,
            solids: Vec::new(),
            run: session.run(),
            throws: Vec::new(),
            lines,
            ambient: AmbientLight::new(context, 0.35, Srgba::WHITE),
            sun: DirectionalLight::new(context, 2.4, Srgba::WHITE, -light),
            has_shadows: true,
        }
    }

    /// Whether shadows are drawn; without, large scenes are drawn faster.
    pub(crate) fn set_shadows(&mut self, has_shadows: bool) {
        self.has_shadows = has_shadows;
    }

    /// Takes over what is to be drawn.
    pub(crate) fn take(&mut self, sketch: &Sketch) {
        if self.run != sketch.run {
            self.solids.clear();
            self.throws.clear();
            self.run = sketch.run;
        }
        for batch in &sketch.batches[self.solids.len()..] {
            let is_plane = matches!(batch.visual, VisualShape::Plane { .. });
            let mesh = match &batch.visual {
                VisualShape::Plane { normal } => floor((*normal).into(), self.size),
                visual => solid(visual),
            };
            let mut material = PhysicalMaterial::new_opaque(
                &self.context,
                &CpuMaterial {
                    albedo: Srgba::WHITE,
                    roughness: 0.85,
                    metallic: 0.0,
                    ..CpuMaterial::default()
                },
            );
            // Surfaces that are open are seen from both sides.
            material.render_states.cull = if is_plane { Cull::Back } else { Cull::None };
            self.solids
                .push(Gm::new(InstancedMesh::new(&self.context, &Instances::default(), &mesh), material));
            self.throws.push(!is_plane);
        }
        for ((solids, batch), throws) in self.solids.iter_mut().zip(&sketch.batches).zip(&self.throws) {
            let colours =
                batch.solids.iter().map(|solid| if *throws { srgba(solid.colour) } else { Srgba::WHITE });
            solids.geometry.set_instances(&Instances {
                transformations: batch.solids.iter().map(place).collect(),
                colors: Some(colours.collect()),
                ..Instances::default()
            });
        }
        let width = LINE * self.size;
        self.lines.geometry.set_instances(&Instances {
            transformations: sketch.lines.iter().map(|line| rod(line, width)).collect(),
            colors: Some(sketch.lines.iter().map(|line| srgba(line.colour)).collect()),
            ..Instances::default()
        });
    }

    /// Draws all of it.
    ///
    /// # Errors
    /// What the graphics library says, in words.
    pub(crate) fn draw(&mut self, target: &RenderTarget<'_>) -> Result<(), String> {
        let [r, g, b] = colour::BACKDROP[1].map(|c| f32::from(c) / 255.0);
        target.clear(ClearState::color_and_depth(r, g, b, 1.0, 1.0));
        let filled =
            || self.solids.iter().zip(&self.throws).filter(|(solids, _)| solids.instance_count() > 0);
        let casting: Vec<&InstancedMesh> =
            filled().filter(|(_, throws)| **throws).map(|(solids, _)| &solids.geometry).collect();
        if self.has_shadows && !casting.is_empty() {
            self.sun.generate_shadow_map(SHADOWS, casting).map_err(|error| error.to_string())?;
        } else {
            self.sun.clear_shadow_map();
        }
        let mut objects: Vec<&dyn Object> = filled().map(|(solids, _)| solids as &dyn Object).collect();
        if self.lines.instance_count() > 0 {
            objects.push(&self.lines);
        }
        let lights: [&dyn Light; 2] = [&self.ambient, &self.sun];
        target.render(&self.camera, objects, &lights);
        Ok(())
    }

    /// Moves the view by a share of its distance, to the right and up.
    pub(crate) fn shift(&mut self, right: f32, up: f32) {
        let (from, to) = (self.camera.position(), self.control.target);
        let way = (self.camera.right_direction() * right + self.camera.up_orthogonal() * up)
            * (from - to).magnitude();
        self.camera.set_view(from + way, to + way, self.up);
        self.control.target = to + way;
    }
}

/// Two directions across up: to the right and to the front, as in the page's pictures.
fn horizon(up: Vec3) -> [Vec3; 2] {
    let right = if up.y.abs() > 0.99 { up.cross(Vec3::unit_z()) } else { Vec3::unit_x() - up * up.x };
    let right = if right.magnitude() > 1e-3 { right.normalize() } else { Vec3::unit_z() };
    [right, right.cross(up)]
}

fn srgba([r, g, b]: [u8; 3]) -> Srgba {
    Srgba::new_opaque(r, g, b)
}

/// Where a solid is.
fn place(solid: &Solid) -> Mat4 {
    let [x, y, z] = solid.scale;
    let [i, j, k, w] = solid.rotation;
    Mat4::from_translation(solid.place.into())
        * Mat4::from(Quat::new(w, i, j, k))
        * Mat4::from_nonuniform_scale(x, y, z)
}

/// A line as a thin rod: the cylinder of the library goes along x from 0 to 1.
fn rod(line: &Line, width: f32) -> Mat4 {
    let [from, to] = line.ends.map(Vec3::from);
    let along = to - from;
    let length = along.magnitude();
    let x = if length > 0.0 { along / length } else { Vec3::unit_x() };
    let across = if x.y.abs() > 0.9 { Vec3::unit_z() } else { Vec3::unit_y() };
    let y = (across - x * across.dot(x)).normalize();
    let turn = Mat3::from_cols(x, y, x.cross(y));
    Mat4::from_translation(from)
        * Mat4::from(turn)
        * Mat4::from_nonuniform_scale(length, 0.5 * width, 0.5 * width)
}

fn solid(visual: &VisualShape) -> CpuMesh {
    let mesh = mesh_of(visual);
    CpuMesh {
        positions: Positions::F32(mesh.positions.into_iter().map(Vec3::from).collect()),
        normals: Some(mesh.normals.into_iter().map(Vec3::from).collect()),
        indices: Indices::U32(mesh.triangles.into_iter().flatten().collect()),
        ..CpuMesh::default()
    }
}

/// A chequered floor through the origin.
fn floor(normal: Vec3, size: f32) -> CpuMesh {
    let [u, v] = horizon(normal);
    let (mut positions, mut colours) = (Vec::new(), Vec::new());
    let at = |i: i32, j: i32| (u * i as f32 + v * j as f32) * (FIELD * size);
    for i in -FIELDS..FIELDS {
        for j in -FIELDS..FIELDS {
            let paint = srgba(colour::GROUND[((i + j) & 1) as usize]);
            for (a, b) in [(0, 0), (0, 1), (1, 1), (0, 0), (1, 1), (1, 0)] {
                positions.push(at(i + a, j + b));
                colours.push(paint);
            }
        }
    }
    // Anticlockwise seen from where the normal points to.
    let facing = (positions[1] - positions[0]).cross(positions[2] - positions[0]).dot(normal);
    if facing < 0.0 {
        positions.chunks_exact_mut(3).for_each(|triangle| triangle.swap(1, 2));
    }
    let normals = vec![normal; positions.len()];
    CpuMesh {
        positions: Positions::F32(positions),
        normals: Some(normals),
        colors: Some(colours),
        ..CpuMesh::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rod_goes_from_end_to_end() {
        for ends in
            [[[1.0, 2.0, 3.0], [4.0, 6.0, 3.0]], [[0.0; 3], [0.0, 2.0, 0.0]], [[0.0; 3], [0.0, 0.0, -1.0]]]
        {
            let matrix = rod(&Line { ends, colour: [0; 3] }, 0.1);
            let end = |x: f32| (matrix * vec3(x, 0.0, 0.0).extend(1.0)).truncate();
            assert!((end(0.0) - Vec3::from(ends[0])).magnitude() < 1e-5, "{ends:?}");
            assert!((end(1.0) - Vec3::from(ends[1])).magnitude() < 1e-5, "{ends:?}");
            let side = (matrix * vec3(0.0, 1.0, 0.0).extend(0.0)).truncate();
            assert!((side.magnitude() - 0.05).abs() < 1e-6, "{ends:?}");
        }
    }

    #[test]
    fn floors_are_seen_from_where_their_normals_point() {
        for normal in [Vec3::unit_y(), Vec3::unit_z(), -Vec3::unit_y(), vec3(0.6, 0.8, 0.0)] {
            let mesh = floor(normal, 1.0);
            let Positions::F32(positions) = &mesh.positions else { panic!("single precision") };
            let [a, b, c] = [positions[0], positions[1], positions[2]];
            assert!((b - a).cross(c - a).dot(normal) > 0.0, "{normal:?}");
            assert!(positions.iter().all(|p| p.dot(normal).abs() < 1e-4));
        }
    }
}
