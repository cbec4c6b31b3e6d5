//! The streaming recorder.

use super::codec::{Chunk, Decoded, Grid};
use super::{
    BodyState, BodyVisual, CLAMPED_FIGURE, Contact, FRAMES_PER_CHUNK, Figure, FrameInput, Meta, Recording,
    RecordingError, Series, StateHashes, VisualShape,
};

/// The smallest shape is at least this many steps of the position grid across its half, within the bounds of the step.
const STEPS_PER_SIZE: f64 = 2048.0;
/// Bounds of the position grid's step, in m, as exponents of two: 1 µm, which reaches 2048 m far, to 16 mm.
const STEP_EXPONENTS: (i32, i32) = (-20, -6);

/// Limits of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecorderOptions {
    /// Contacts kept per frame, those with the largest impulses; default 8192. Each costs about 10 bytes
    /// of file where it moves and almost nothing where it rests.
    pub max_contacts: usize,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self { max_contacts: 8192 }
    }
}

/// Records frame by frame. It may be finished after any frame; what was recorded until then is valid.
///
/// ```
/// use drystone_viewer::{BodyState, BodyVisual, FrameInput, Meta, Part, Recorder, VisualShape};
///
/// let meta = Meta { scene: "one ball".into(), frame_dt: 1.0 / 60.0, ..Meta::default() };
/// let ball = BodyVisual {
///     name: "ball".into(),
///     material: "rubber".into(),
///     fixed: false,
///     hidden: false,
///     parts: vec![Part::new(0)],
/// };
/// let mut recorder = Recorder::new(meta, vec![VisualShape::Sphere { radius: 0.5 }], vec![ball])?;
/// for frame in 0..60 {
///     let state = BodyState::at([0.0, f64::from(frame) * 0.01, 0.0], [0.0, 0.0, 0.0, 1.0]);
///     recorder.frame(&FrameInput { bodies: &[state], contacts: &[], series: &[] })?;
/// }
/// let recording = recorder.finish();
/// assert_eq!(recording.frame_count(), 60);
/// # Ok::<(), drystone_viewer::RecordingError>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    meta: Meta,
    shapes: Vec<VisualShape>,
    bodies: Vec<BodyVisual>,
    options: RecorderOptions,
    grid: Grid,
    series: Vec<Vec<f32>>,
    top_speed: f32,
    frame_count: usize,
    state_hashes: StateHashes,
    /// Positions of bodies and contact points that were beyond the reach of the grid.
    clamped_count: usize,
    arrivals: Vec<Option<BodyState>>,
    pending: Decoded,
    chunks: Vec<Chunk>,
}

impl Recorder {
    /// Starts a recording of these bodies. An error where a size is not finite and positive, an index
    /// does not exist, or the time between frames is not above zero.
    pub fn new(
        meta: Meta,
        shapes: Vec<VisualShape>,
        bodies: Vec<BodyVisual>,
    ) -> Result<Self, RecordingError> {
        validate(&meta, &shapes, &bodies)?;
        let step = position_step(&shapes);
        Ok(Self {
            series: vec![Vec::new(); meta.series.len()],
            pending: Decoded::new(bodies.len()),
            grid: Grid { origin: [0.0; 3], step },
            options: RecorderOptions::default(),
            top_speed: 0.0,
            frame_count: 0,
            state_hashes: StateHashes::default(),
            clamped_count: 0,
            arrivals: vec![None; bodies.len()],
            chunks: Vec::new(),
            meta,
            shapes,
            bodies,
        })
    }

    /// Replaces the limits.
    #[must_use]
    pub fn with_options(mut self, options: RecorderOptions) -> Self {
        self.options = options;
        self
    }

    /// Tells how many steps there are from one frame to the next, so that [`Recorder::state_hash`] can be called for each.
    #[must_use]
    pub fn with_steps(mut self, steps_per_frame: u32) -> Self {
        self.state_hashes.steps_per_frame = steps_per_frame;
        self
    }

    /// Records the hash of the state: before the first step, and then after each.
    pub fn state_hash(&mut self, hash: u64) {
        self.state_hashes.hashes.push(hash);
    }

    /// Frames recorded so far.
    pub fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// Adds a figure to be shown beside the picture, for what is known only at the end.
    pub fn add_figure(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.meta.figures.push(Figure { name: name.into(), value: value.into() });
    }

    /// Records one frame. An error, and nothing recorded, where a list has the wrong length. A body whose
    /// pose is not finite is recorded as removed: a recording of a run that went wrong can be looked at.
    pub fn frame(&mut self, input: &FrameInput) -> Result<(), RecordingError> {
        check_count("body states", self.bodies.len(), input.bodies.len())?;
        check_count("series values", self.series.len(), input.series.len())?;
        if self.frame_count == 0 {
            self.grid.origin = self.middle(input.bodies);
        }
        let is_clamped = |position: [f64; 3]| self.grid.keeps(position).contains(&false);
        for state in input.bodies {
            self.pending.push_body(state, &self.grid);
            if state.speed.is_finite() && !state.removed {
                self.top_speed = self.top_speed.max(state.speed);
            }
            let is_finite = state.position.iter().all(|c| c.is_finite());
            self.clamped_count += usize::from(is_finite && !state.removed && is_clamped(state.position));
        }
        let kept = strongest(input.contacts, self.options.max_contacts);
        self.clamped_count += kept.iter().filter(|contact| is_clamped(contact.point)).count();
        self.pending.end_frame(kept.into_iter(), input.contacts.len(), &self.grid);
        for (values, &value) in self.series.iter_mut().zip(input.series) {
            values.push(value);
        }
        self.frame_count += 1;
        if self.pending.frame_count() == FRAMES_PER_CHUNK {
            self.flush();
        }
        Ok(())
    }

    /// Ends the recording.
    pub fn finish(mut self) -> Recording {
        if self.pending.frame_count() > 0 {
            self.flush();
        }
        if self.clamped_count > 0 {
            let told = format!("{}, beyond {:.0} m", self.clamped_count, self.grid.reach());
            self.add_figure(CLAMPED_FIGURE, told);
        }
        let series = self.meta.series.iter().cloned().zip(self.series);
        Recording {
            series: series.map(|(info, values)| Series { info, values }).collect(),
            meta: self.meta,
            shapes: self.shapes,
            bodies: self.bodies,
            grid: self.grid,
            top_speed: self.top_speed,
            frame_count: self.frame_count,
            state_hashes: self.state_hashes,
            arrivals: self.arrivals,
            chunks: self.chunks,
        }
    }

    fn flush(&mut self) {
        self.pending.note_arrivals(&mut self.arrivals, &self.grid);
        self.chunks.push(self.pending.encode());
        self.pending = Decoded::new(self.bodies.len());
    }

    /// The middle of the box around the origins of what moves, in whole m: of what is there or, where nothing is yet, of what is to come (it is
    /// where its state says); of everything where nothing moves.
    fn middle(&self, states: &[BodyState]) -> [f64; 3] {
        let middle_of = |is_meant: &dyn Fn(&BodyState, &BodyVisual) -> bool| {
            let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
            for (state, body) in states.iter().zip(&self.bodies) {
                let is_finite = state.position.iter().all(|c| c.is_finite());
                if is_finite && is_meant(state, body) {
                    for i in 0..3 {
                        low[i] = low[i].min(state.position[i]);
                        high[i] = high[i].max(state.position[i]);
                    }
                }
            }
            let middle = std::array::from_fn(|i| ((low[i] + high[i]) * 0.5).round());
            middle.iter().all(|c: &f64| c.is_finite()).then_some(middle)
        };
        middle_of(&|state, body| !state.removed && !body.fixed)
            .or_else(|| middle_of(&|_, body| !body.fixed))
            .or_else(|| middle_of(&|state, _| !state.removed))
            .unwrap_or([0.0; 3])
    }
}

fn check_count(what: &'static str, expected: usize, found: usize) -> Result<(), RecordingError> {
    if expected == found { Ok(()) } else { Err(RecordingError::Count { what, expected, found }) }
}

/// The contacts with the largest impulses, in their order; those without finite numbers are left out.
fn strongest(contacts: &[Contact], max_count: usize) -> Vec<&Contact> {
    let is_finite = |c: &&Contact| {
        c.point.iter().all(|x| x.is_finite())
            && c.normal.iter().all(|x| x.is_finite())
            && c.impulse.is_finite()
    };
    let mut kept: Vec<(usize, &Contact)> = contacts.iter().filter(is_finite).enumerate().collect();
    if kept.len() > max_count {
        kept.sort_by(|a, b| b.1.impulse.total_cmp(&a.1.impulse).then(a.0.cmp(&b.0)));
        kept.truncate(max_count);
        kept.sort_by_key(|(index, _)| *index);
    }
    kept.into_iter().map(|(_, contact)| contact).collect()
}

/// Half of the smallest width of a shape, where that is a length.
fn smallest_size(shape: &VisualShape) -> Option<f32> {
    match shape {
        VisualShape::Sphere { radius } | VisualShape::Capsule { radius, .. } => Some(*radius),
        VisualShape::Cylinder { half_height, radius } | VisualShape::Cone { half_height, radius } => {
            Some(half_height.min(*radius))
        }
        VisualShape::Box { half_extents } => Some(half_extents.iter().copied().fold(f32::INFINITY, f32::min)),
        VisualShape::Hull { vertices, .. } => {
            let width = |axis: usize| {
                let (low, high) =
                    vertices.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| {
                        (low.min(v[axis]), high.max(v[axis]))
                    });
                high - low
            };
            // A flat surface has no thickness to be exact about.
            Some(0.5 * width(0).min(width(1)).min(width(2))).filter(|half| *half > 0.0)
        }
        VisualShape::Plane { .. } => None,
    }
}

fn position_step(shapes: &[VisualShape]) -> f64 {
    let smallest = shapes.iter().filter_map(smallest_size).fold(f32::INFINITY, f32::min);
    let exponent = if smallest.is_finite() && smallest > 0.0 {
        (f64::from(smallest) / STEPS_PER_SIZE).log2().floor() as i32
    } else {
        STEP_EXPONENTS.0
    };
    2.0_f64.powi(exponent.clamp(STEP_EXPONENTS.0, STEP_EXPONENTS.1))
}

/// Checks what a recording says about its scene, whether it comes from a caller or from a file.
pub(super) fn validate(
    meta: &Meta,
    shapes: &[VisualShape],
    bodies: &[BodyVisual],
) -> Result<(), RecordingError> {
    let invalid = |what: String, expected: &'static str, found: String| RecordingError::Invalid {
        what,
        expected,
        found,
    };
    if !(meta.frame_dt.is_finite() && meta.frame_dt > 0.0) {
        return Err(invalid("frame_dt".into(), "finite and above 0 s", meta.frame_dt.to_string()));
    }
    if !meta.gravity.iter().all(|c| c.is_finite()) {
        return Err(invalid("gravity".into(), "finite", format!("{:?}", meta.gravity)));
    }
    for (index, shape) in shapes.iter().enumerate() {
        if let Some(expected) = fault(shape) {
            return Err(invalid(format!("shape {index}"), expected, format!("{shape:?}")));
        }
    }
    for (index, body) in bodies.iter().enumerate() {
        for part in &body.parts {
            let numbers = part.position.iter().chain(&part.rotation);
            if part.shape as usize >= shapes.len() || !numbers.clone().all(|c| c.is_finite()) {
                let expected = "an existing shape with a finite pose";
                return Err(invalid(format!("a part of body {index}"), expected, format!("{part:?}")));
            }
        }
    }
    Ok(())
}

/// What is wrong with a shape, as what was expected.
fn fault(shape: &VisualShape) -> Option<&'static str> {
    let is_size = |x: f32| x.is_finite() && x >= 0.0;
    let is_fine = match shape {
        VisualShape::Sphere { radius } => is_size(*radius),
        VisualShape::Box { half_extents } => half_extents.iter().all(|&h| is_size(h)),
        VisualShape::Capsule { half_length: length, radius }
        | VisualShape::Cylinder { half_height: length, radius }
        | VisualShape::Cone { half_height: length, radius } => is_size(*length) && is_size(*radius),
        VisualShape::Plane { normal } => (normal.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-3,
        VisualShape::Hull { vertices, faces } => {
            let points_are_finite = vertices.iter().flatten().all(|c| c.is_finite());
            let corners_exist = faces.iter().flatten().all(|&i| (i as usize) < vertices.len());
            points_are_finite && corners_exist && faces.iter().all(|f| f.len() >= 3)
        }
    };
    (!is_fine).then_some(match shape {
        VisualShape::Plane { .. } => "a unit normal",
        VisualShape::Hull { .. } => "finite corners, and faces of at least 3 existing corners",
        _ => "of finite sizes, at least 0 m",
    })
}
