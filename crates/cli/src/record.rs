//! From a running scene to a recording: what each body looks like, and where it is 30 times a second.

use crate::failure::Failure;
use drystone::Shape;
use drystone::math::Vector3;
use drystone_scenes::{BuiltShape, Kind, Runner};
use drystone_viewer::{
    BodyState, BodyVisual, Contact, FrameInput, Meta, NO_ISLAND, Part, Recorder, Recording, SeriesInfo,
    VisualShape,
};

/// Frames per simulated second (S1-77: every eighth of 240 steps).
const FRAME_RATE: f64 = 30.0;

/// Names and units of the values that come with every frame.
const SERIES: [(&str, &str); 5] = [
    ("time per step", "ms"),
    ("asleep", ""),
    ("contacts", ""),
    ("kinetic energy", "J"),
    ("deepest overlap", "mm"),
];

/// A recording in the making.
pub(crate) struct Tape {
    recorder: Recorder,
    /// Steps per frame.
    stride: u64,
    states: Vec<BodyState>,
    contacts: Vec<Contact>,
    /// Steps that earlier frames told of.
    told: usize,
}

impl Tape {
    /// Begins with the scene as it stands before the first step.
    pub(crate) fn new(runner: &Runner, preset: &str) -> Result<Self, Failure> {
        let hz = runner.schedule().hz;
        let stride = (hz / FRAME_RATE).round().max(1.0) as u64;
        let scene = runner.scene();
        // A scene that begins without gravity is drawn with the gravity that comes later.
        let later = scene.actions.iter().find_map(|a| match a.action {
            drystone_scenes::Action::SetGravity { gravity } => Some(gravity),
            _ => None,
        });
        let has_gravity = scene.gravity.iter().any(|c| *c != 0.0);
        let meta = Meta {
            scene: scene.name.clone(),
            engine_version: env!("CARGO_PKG_VERSION").into(),
            preset: preset.into(),
            frame_dt: stride as f64 / hz,
            gravity: if has_gravity { scene.gravity } else { later.unwrap_or(scene.gravity) },
            figures: Vec::new(),
            series: SERIES
                .iter()
                .map(|&(name, unit)| SeriesInfo { name: name.into(), unit: unit.into() })
                .collect(),
        };
        let (shapes, bodies) = visuals(runner);
        let recorder = Recorder::new(meta, shapes, bodies).map_err(Failure::work)?.with_steps(stride as u32);
        let mut tape = Self { recorder, stride, states: Vec::new(), contacts: Vec::new(), told: 0 };
        tape.recorder.state_hash(runner.world().state_hash());
        tape.capture(runner)?;
        Ok(tape)
    }

    /// Records the state's hash, and a frame when one is due.
    pub(crate) fn note(&mut self, runner: &Runner) -> Result<(), Failure> {
        self.recorder.state_hash(runner.world().state_hash());
        if runner.step_count().is_multiple_of(self.stride) { self.capture(runner) } else { Ok(()) }
    }

    fn capture(&mut self, runner: &Runner) -> Result<(), Failure> {
        let (world, scene) = (runner.world(), runner.scene());
        self.states.clear();
        self.states.extend(scene.bodies.iter().map(|body| {
            let mut state = BodyState::at(body.position, [0.0, 0.0, 0.0, 1.0]);
            state.removed = true;
            state
        }));
        for body in world.bodies() {
            let Some(state) = usize::try_from(body.user_data).ok().and_then(|i| self.states.get_mut(i))
            else {
                continue;
            };
            *state = BodyState {
                position: body.pose.translation.coords.into(),
                rotation: body.pose.rotation.coords.into(),
                asleep: body.is_asleep,
                removed: false,
                island: body.island.unwrap_or(NO_ISLAND),
                speed: body.linear_velocity.norm(),
            };
        }
        self.contacts.clear();
        self.contacts.extend(world.contacts().map(|contact| Contact {
            point: contact.point.coords.into(),
            normal: contact.normal.into(),
            depth: -contact.distance,
            impulse: contact.impulse.dot(&contact.normal),
        }));
        let series = self.series(runner);
        let input = FrameInput { bodies: &self.states, contacts: &self.contacts, series: &series };
        self.recorder.frame(&input).map_err(Failure::work)?;
        self.told = runner.history().step_ns.len();
        Ok(())
    }

    /// In the order of [`SERIES`]; the first is the mean over the steps of the frame.
    fn series(&self, runner: &Runner) -> [f32; SERIES.len()] {
        let history = runner.history();
        let steps = &history.step_ns[self.told..];
        let mean = steps.iter().map(|&ns| ns as f64).sum::<f64>() / steps.len() as f64 * 1e-6;
        let last = |values: &[u32]| values.last().map_or(0.0, |&v| v as f32);
        [
            // Before the first step there is no time: NaN, which leaves a gap.
            mean as f32,
            last(&history.asleep),
            last(&history.contacts),
            runner.kinetic_energy() as f32,
            (runner.deepest_overlap() * 1e3) as f32,
        ]
    }

    /// Ends the recording with figures to be shown beside the picture.
    pub(crate) fn finish(mut self, figures: Vec<(String, String)>) -> Recording {
        for (name, value) in figures {
            self.recorder.add_figure(name, value);
        }
        self.recorder.finish()
    }
}

/// The shapes, each once, and the bodies of a scene as they are drawn.
fn visuals(runner: &Runner) -> (Vec<VisualShape>, Vec<BodyVisual>) {
    let mut shapes: Vec<VisualShape> = Vec::new();
    let mut bodies = Vec::new();
    for (index, body) in runner.scene().bodies.iter().enumerate() {
        let parts = runner.shape(index).map(|shape| parts(shape, &mut shapes)).unwrap_or_default();
        bodies.push(BodyVisual {
            name: body.name.clone(),
            material: body.material.clone(),
            fixed: body.kind == Kind::Fixed,
            // A trigger is outlined: it is no thing.
            hidden: body.hidden || body.trigger,
            parts,
        });
    }
    (shapes, bodies)
}

fn parts(built: &BuiltShape, shapes: &mut Vec<VisualShape>) -> Vec<Part> {
    let place = |part: &drystone_scenes::ShapePart| {
        let visual = visual(&part.shape)?;
        let known = shapes.iter().position(|s| *s == visual);
        let shape = known.unwrap_or_else(|| {
            shapes.push(visual);
            shapes.len() - 1
        });
        let (position, rotation) = (part.local.translation.into(), part.local.rotation.coords.into());
        Some(Part { shape: u32::try_from(shape).ok()?, position, rotation })
    };
    built.parts.iter().filter_map(place).collect()
}

/// How a shape is drawn; `None` for a kind that this program does not know.
fn visual(shape: &Shape) -> Option<VisualShape> {
    let array = |v: &Vector3| -> [f32; 3] { (*v).into() };
    Some(match shape {
        Shape::Sphere { radius } => VisualShape::Sphere { radius: *radius },
        Shape::Box { half_extents } => VisualShape::Box { half_extents: array(half_extents) },
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
