//! What is to be drawn of a world, as plain lists: solids by shape, and lines. Knows nothing of windows.
//!
//! Places are relative to the scene's middle, in single precision.

use crate::session::{Session, THROWN};
use drystone::debug::{DebugColour, DebugDraw, DebugOptions, Rgb, wires};
use drystone::math::{Pose, Position, Vector3, widen};
use drystone::{BodyHandle, Shape, World};
use drystone_scenes::{Kind, Scene};
use drystone_viewer::{VisualShape, colour};
use std::collections::BTreeMap;

/// What colours of bodies tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Colours {
    /// Their material.
    #[default]
    Material,
    /// Something that the engine knows.
    Engine(DebugColour),
}

/// What is drawn, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    pub(crate) colours: Colours,
    /// Bodies as wires, so that contacts inside of piles are seen.
    pub(crate) is_wire: bool,
    pub(crate) options: DebugOptions,
}

impl Default for Look {
    /// Bodies by material, and joints.
    fn default() -> Self {
        let options = DebugOptions { contacts: false, normals: false, ..DebugOptions::default() };
        Self { colours: Colours::default(), is_wire: false, options }
    }
}

/// A line, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) ends: [[f32; 3]; 2],
    pub(crate) colour: [u8; 3],
}

/// A solid at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solid {
    /// Centre, m.
    pub(crate) place: [f32; 3],
    /// A unit quaternion (x, y, z, w).
    pub(crate) rotation: [f32; 4],
    /// Factors on the mesh along its axes.
    pub(crate) scale: [f32; 3],
    pub(crate) colour: [u8; 3],
}

/// Solids that share a mesh.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The mesh before it is scaled.
    pub(crate) visual: VisualShape,
    pub(crate) solids: Vec<Solid>,
    /// Kept so that nothing else takes its place in memory, by which it is known.
    _shape: Shape,
}

/// Shapes that are drawn with the same mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Sphere,
    Box,
    /// Kind, and sizes by their bits.
    Round(u8, [u32; 2]),
    Plane([u32; 3]),
    /// Where it is in memory.
    Polygons(usize),
}

/// What is to be drawn.
#[derive(Debug, Default)]
pub(crate) struct Sketch {
    pub(crate) lines: Vec<Line>,
    pub(crate) batches: Vec<Batch>,
    /// The run of the session whose shapes these are.
    pub(crate) run: u64,
    places: BTreeMap<Key, usize>,
}

impl Sketch {
    /// Draws the session anew; meshes keep their places until another scene is opened.
    pub(crate) fn draw(&mut self, session: &Session, look: &Look, selected: Option<BodyHandle>) {
        if self.run != session.run() {
            *self = Self { run: session.run(), ..Self::default() };
        }
        self.lines.clear();
        self.batches.iter_mut().for_each(|batch| batch.solids.clear());
        let (world, scene) = (session.runner().world(), session.runner().scene());
        let materials = materials(scene);
        let mut pen = Pen {
            sketch: self,
            world,
            scene,
            materials: &materials,
            origin: *session.center(),
            look,
            selected,
        };
        world.draw(&look.options, &mut pen);
        if let Some([from, to]) = session.hand.line(world) {
            pen.line(&from, &to, Rgb::FORCE);
            pen.point(&to, look.options.size, Rgb::FORCE);
        }
    }

    fn push(&mut self, shape: &Shape, solid: Solid) {
        let Some((key, scale)) = key(shape) else { return };
        let place = match self.places.get(&key) {
            Some(&place) => place,
            None => {
                let Some(visual) = visual(shape) else { return };
                self.batches.push(Batch { visual, solids: Vec::new(), _shape: shape.clone() });
                self.places.insert(key, self.batches.len() - 1);
                self.batches.len() - 1
            }
        };
        self.batches[place].solids.push(Solid { scale, ..solid });
    }
}

/// A [`DebugDraw`] that fills a sketch.
struct Pen<'a> {
    sketch: &'a mut Sketch,
    world: &'a World,
    scene: &'a Scene,
    materials: &'a BTreeMap<&'a str, usize>,
    origin: Position,
    look: &'a Look,
    selected: Option<BodyHandle>,
}

impl DebugDraw for Pen<'_> {
    fn line(&mut self, from: &Position, to: &Position, colour: Rgb) {
        let ends = [from, to].map(|end| (end - self.origin).map(|c| c as f32).into());
        self.sketch.lines.push(Line { ends, colour: bytes(colour) });
    }

    fn shape(&mut self, body: BodyHandle, shape: &Shape, pose: &Pose, colour: Rgb) {
        let of_scene = self.world.body(body).ok().map(|facts| facts.user_data);
        let of_scene = of_scene.filter(|&data| data != THROWN).and_then(|data| usize::try_from(data).ok());
        let spec = of_scene.and_then(|index| self.scene.bodies.get(index));
        let is_ghost = spec.is_some_and(|spec| spec.hidden || spec.trigger);
        if is_ghost && shape.is_half_space() {
            // An endless grid of lines would hide what is behind it.
            return;
        }
        let pose = &under_the_middle(shape, pose, &self.origin);
        if self.look.is_wire || is_ghost {
            let grey = if self.look.is_wire { colour } else { rgb(colour::OUTLINE) };
            return wires(shape, pose, &mut |from, to| self.line(from, to, grey));
        }
        let mut painted = match (self.look.colours, spec) {
            (Colours::Material, Some(spec)) if spec.kind == Kind::Fixed => colour::FIXED,
            (Colours::Material, Some(spec)) => {
                let place = self.materials.get(spec.material.as_str()).copied().unwrap_or(0);
                colour::PALETTE[place % colour::PALETTE.len()]
            }
            (Colours::Material, None) => colour::CONTACT,
            (Colours::Engine(_), _) => bytes(colour),
        };
        // Equal neighbours stay apart.
        let tint = colour::tint(of_scene.unwrap_or(0));
        painted = painted.map(|c| (f32::from(c) * tint).min(255.0) as u8);
        if self.selected == Some(body) {
            painted = [255, 255, 255];
        }
        let solid = Solid {
            place: (pose.translation - self.origin).map(|c| c as f32).into(),
            rotation: pose.rotation.coords.into(),
            scale: [1.0; 3],
            colour: painted,
        };
        self.sketch.push(shape, solid);
    }
}

/// Of a half-space, the pose with the same surface whose origin is under the scene's middle: there the floor is drawn that is seen of it.
fn under_the_middle(shape: &Shape, pose: &Pose, middle: &Position) -> Pose {
    let Shape::HalfSpace { normal } = shape else { return *pose };
    let normal = widen(&(pose.rotation * *normal)).normalize();
    let height = normal.dot(&(middle - pose.translation));
    Pose { translation: middle - normal * height, ..*pose }
}

/// Materials of what moves, in order of appearance: their places choose their colours.
fn materials(scene: &Scene) -> BTreeMap<&str, usize> {
    let mut places = BTreeMap::new();
    for body in scene.bodies.iter().filter(|body| body.kind != Kind::Fixed && !body.hidden) {
        let next = places.len();
        places.entry(body.material.as_str()).or_insert(next);
    }
    places
}

fn rgb(colour: [u8; 3]) -> Rgb {
    Rgb(colour.map(|c| f32::from(c) / 255.0))
}

fn bytes(colour: Rgb) -> [u8; 3] {
    colour.0.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8)
}

/// By what a shape's mesh is known, and the factors on it; `None` for a kind that is not known here.
fn key(shape: &Shape) -> Option<(Key, [f32; 3])> {
    let bits = |a: f32, b: f32| [a.to_bits(), b.to_bits()];
    Some(match shape {
        Shape::Sphere { radius } => (Key::Sphere, [*radius; 3]),
        Shape::Box { half_extents } => (Key::Box, (*half_extents).into()),
        Shape::Capsule { half_length, radius } => (Key::Round(0, bits(*half_length, *radius)), [1.0; 3]),
        Shape::Cylinder { half_height, radius } => (Key::Round(1, bits(*half_height, *radius)), [1.0; 3]),
        Shape::Cone { half_height, radius } => (Key::Round(2, bits(*half_height, *radius)), [1.0; 3]),
        Shape::HalfSpace { normal } => {
            let normal: [f32; 3] = (*normal).into();
            (Key::Plane(normal.map(f32::to_bits)), [1.0; 3])
        }
        Shape::Hull(hull) => (Key::Polygons(std::ptr::from_ref(&**hull).addr()), [1.0; 3]),
        Shape::Mesh(mesh) => (Key::Polygons(std::ptr::from_ref(&**mesh).addr()), [1.0; 3]),
        Shape::HeightField(field) => (Key::Polygons(std::ptr::from_ref(&**field).addr()), [1.0; 3]),
        _ => return None,
    })
}

/// The mesh of a shape: of balls and boxes that of size one.
fn visual(shape: &Shape) -> Option<VisualShape> {
    let array = |v: &Vector3| -> [f32; 3] { (*v).into() };
    Some(match shape {
        Shape::Sphere { .. } => VisualShape::Sphere { radius: 1.0 },
        Shape::Box { .. } => VisualShape::Box { half_extents: [1.0; 3] },
        Shape::Capsule { half_length, radius } => {
            VisualShape::Capsule { half_length: *half_length, radius: *radius }
        }
        Shape::Cylinder { half_height, radius } => {
            VisualShape::Cylinder { half_height: *half_height, radius: *radius }
        }
        Shape::Cone { half_height, radius } => {
            VisualShape::Cone { half_height: *half_height, radius: *radius }
        }
        Shape::HalfSpace { normal } => VisualShape::Plane { normal: array(normal) },
        other => {
            let (vertices, faces) = other.polygons()?;
            VisualShape::Hull { vertices: vertices.iter().map(array).collect(), faces }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_scenes::{Preset, ShapeSpec};

    fn sketch(name: &str, look: &Look) -> (Session, Sketch) {
        let mut session = Session::open(name, Preset::Fast, 1).expect("a scene of the library");
        for _ in 0..3 {
            session.step().expect("it steps");
        }
        let mut sketch = Sketch::default();
        sketch.draw(&session, look, None);
        (session, sketch)
    }

    fn solids(sketch: &Sketch) -> usize {
        sketch.batches.iter().map(|batch| batch.solids.len()).sum()
    }

    #[test]
    fn equal_shapes_share_a_mesh_and_all_of_them_are_there() {
        let (session, mut sketch) = sketch("pyramid:6", &Look::default());
        let bodies = session.runner().scene().bodies.len();
        assert_eq!(solids(&sketch), bodies);
        assert!(sketch.batches.len() <= 2, "boxes and a floor: {}", sketch.batches.len());
        let batches = sketch.batches.len();
        sketch.draw(&session, &Look::default(), None);
        assert_eq!((sketch.batches.len(), solids(&sketch)), (batches, bodies), "nothing is added");
    }

    /// Hulls are made anew with their scene: those of scenes that were closed stayed for ever, in memory and on the graphics card.
    #[test]
    fn shapes_of_closed_scenes_are_let_go() {
        let (mut session, mut sketch) = sketch("hull_pile:30", &Look::default());
        let batches = sketch.batches.len();
        assert!(batches > 3, "hulls and a floor: {batches}");
        for _ in 0..2 {
            session.reopen("hull_pile:30").expect("a scene of the library");
            sketch.draw(&session, &Look::default(), None);
            assert_eq!(sketch.batches.len(), batches);
        }
        session.reopen("tower:3").expect("a scene of the library");
        sketch.draw(&session, &Look::default(), None);
        assert_eq!(sketch.batches.len(), 2, "boxes and a floor");
    }

    /// Floors were drawn around their planes' origins, from which a scene may be far away.
    #[test]
    fn floors_lie_under_the_scene() {
        let floor = Shape::half_space(Vector3::y()).expect("unit");
        let turn = drystone::math::Rotation::from_axis_angle(&Vector3::z_axis(), 0.5);
        let pose = Pose { translation: Position::new(0.0, 1.0, 0.0), rotation: turn };
        let middle = Position::new(500.0, 30.0, -200.0);
        let moved = under_the_middle(&floor, &pose, &middle);
        let normal = widen(&(pose.rotation * Vector3::y()));
        assert!(normal.dot(&(moved.translation - pose.translation)).abs() < 1e-4, "on the plane");
        assert!((middle - moved.translation).cross(&normal).norm() < 1e-3, "under the middle");
        let ball = Shape::sphere(1.0).expect("positive");
        assert_eq!(under_the_middle(&ball, &pose, &middle), pose, "what is no floor stays");
    }

    #[test]
    fn every_kind_of_shape_of_every_scene_is_drawn() {
        for name in ["rain:60", "hull_pile:30", "shards", "terrain", "drum:30"] {
            let (session, sketch) = sketch(name, &Look::default());
            assert!(solids(&sketch) > 10, "{name}");
            let has_ghost = |body: &drystone_scenes::Body| {
                body.hidden && !matches!(body.shape, ShapeSpec::HalfSpace { .. })
            };
            let ghosts = session.runner().scene().bodies.iter().any(has_ghost);
            assert_eq!(sketch.lines.iter().any(|line| line.colour == colour::OUTLINE), ghosts, "{name}");
            assert!(sketch.batches.iter().all(|batch| batch.solids.iter().all(|solid| {
                solid.place.iter().chain(&solid.scale).chain(&solid.rotation).all(|c| c.is_finite())
            })));
        }
    }

    #[test]
    fn wires_and_the_selected_body_are_told_apart() {
        let wire = Look { is_wire: true, ..Look::default() };
        let (session, mut sketch) = sketch("tower:3", &wire);
        assert!(solids(&sketch) == 0 && sketch.lines.len() >= 3 * 12);
        let top = session.runner().body(3);
        sketch.draw(&session, &Look::default(), top);
        let is_white = |solid: &&Solid| solid.colour == [255; 3];
        assert_eq!(sketch.batches.iter().flat_map(|batch| &batch.solids).filter(is_white).count(), 1);
    }
}
