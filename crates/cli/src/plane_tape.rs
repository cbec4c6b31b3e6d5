//! From a running scene of the plane to a recording.

use crate::failure::Failure;
use drystone_planar::scenes::PlanarScene;
use drystone_planar::{BodyKind, PlanarWorld, Turn};
use drystone_viewer::plane::{
    PlaneBody, PlaneCell, PlaneContact, PlaneFrame, PlaneRecording, PlaneShape, PlaneState,
};
use drystone_viewer::{Meta, SeriesInfo};

/// Frames per simulated second.
const FRAME_RATE: f64 = 30.0;
/// Most places in a recording: with more bodies frames are farther apart, so that a browser can hold the page.
const MOST_PLACES: u64 = 3_000_000;

/// Names and units of the values that come with every frame.
const SERIES: [(&str, &str); 6] = [
    ("time per step", "ms"),
    ("asleep", ""),
    ("contacts", ""),
    ("kinetic energy", "J"),
    ("deepest overlap", "mm"),
    ("changed hands", ""),
];

/// A recording in the making.
pub(crate) struct PlaneTape {
    recording: PlaneRecording,
    /// Steps per frame.
    stride: u64,
    states: Vec<PlaneState>,
    contacts: Vec<PlaneContact>,
    cells: Vec<PlaneCell>,
}

impl PlaneTape {
    /// Begins with the scene as it stands before the first step.
    pub(crate) fn new(
        scene: &PlanarScene,
        world: &PlanarWorld,
        workers: u32,
        hz: f64,
        step_count: u64,
    ) -> Result<Self, Failure> {
        let fewest = (step_count * scene.bodies.len() as u64).div_ceil(MOST_PLACES);
        let stride = ((hz / FRAME_RATE).round() as u64).max(fewest).max(1);
        let series = SERIES.iter().map(|&(name, unit)| SeriesInfo { name: name.into(), unit: unit.into() });
        let meta = Meta {
            scene: scene.name.clone(),
            engine_version: env!("CARGO_PKG_VERSION").into(),
            preset: "plane".into(),
            frame_dt: stride as f64 / hz,
            gravity: [scene.gravity.x, scene.gravity.y, 0.0],
            figures: Vec::new(),
            series: series.collect(),
        };
        let recording = PlaneRecording::new(meta, outlines(scene), workers);
        let mut tape =
            Self { recording, stride, states: Vec::new(), contacts: Vec::new(), cells: Vec::new() };
        tape.capture(world)?;
        Ok(tape)
    }

    /// Records a frame when one is due after `steps` steps.
    pub(crate) fn note(&mut self, world: &PlanarWorld, steps: u64) -> Result<(), Failure> {
        if steps.is_multiple_of(self.stride) { self.capture(world) } else { Ok(()) }
    }

    /// The recording, with some figures of the whole run.
    pub(crate) fn finish(mut self, figures: &[(&str, String)]) -> PlaneRecording {
        for (name, value) in figures {
            self.recording.add_figure(name, value.clone());
        }
        self.recording
    }

    fn capture(&mut self, world: &PlanarWorld) -> Result<(), Failure> {
        self.states.clear();
        for body in world.bodies() {
            let at = body.pose.translation;
            self.states.push(PlaneState {
                position: [at.x, at.y],
                angle: body.pose.turn.angle(),
                is_asleep: body.is_asleep,
                worker: world.worker_of(body.handle).map_err(Failure::work)?.map_or(0, |w| u32::from(w) + 1),
            });
        }
        self.contacts.clear();
        self.contacts.extend(world.contacts().filter(|c| c.impulse.norm_squared() > 0.0).map(|contact| {
            PlaneContact {
                point: [contact.point.x, contact.point.y],
                normal: [contact.normal.x, contact.normal.y],
                impulse: contact.impulse.norm(),
            }
        }));
        self.cells.clear();
        self.cells.extend(world.partition_cells().map(|cell| PlaneCell {
            center: [cell.center.x, cell.center.y],
            half: cell.half,
            worker: u32::from(cell.worker) + 1,
        }));
        let report = world.report();
        let step_time: f64 = report.stages().map(|(_, time)| time.as_secs_f64()).sum();
        let values = [
            1e3 * step_time as f32,
            report.asleep as f32,
            report.contacts as f32,
            world.kinetic_energy() as f32,
            1e3 * report.worst_overlap,
            (report.partition.migrations + report.partition.rebalanced) as f32,
        ];
        let frame = PlaneFrame {
            states: &self.states,
            contacts: &self.contacts,
            cells: &self.cells,
            values: &values,
        };
        self.recording.push(&frame).map_err(Failure::work)
    }
}

/// What the bodies of a scene look like, in their own frames.
fn outlines(scene: &PlanarScene) -> Vec<PlaneBody> {
    let bodies = scene.bodies.iter().map(|body| {
        let shapes = body.shapes.iter().map(|own| {
            let turn = Turn::new(own.angle);
            let corners = own.shape.corners().iter().map(|c| turn.apply(c) + own.translation);
            PlaneShape { corners: corners.map(|c| [c.x, c.y]).collect(), radius: own.shape.radius() }
        });
        PlaneBody { shapes: shapes.collect(), fixed: body.kind != BodyKind::Dynamic }
    });
    bodies.collect()
}
