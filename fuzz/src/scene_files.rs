//! Scene files: any text is a scene or an error, what is written reads back, and what is accepted runs.

use crate::input::Input;
use drystone::math::Real;
use drystone_scenes::{
    Action, Body, Bounds, CompositeSpec, KeySpec, Kind, Locks, MaterialSpec, MotionSpec, Orientation,
    PairSpec, PairValues, PartSpec, Preset, Rates, RuleEntry, RuleKind, RunOptions, Runner, Scene, ShapeSpec,
    Standing, TimedAction, TimerEntry,
};

/// Steps that an accepted scene is run for.
const STEPS: u32 = 6;
/// Bodies up to which it is run.
const MOST_BODIES: usize = 32;
/// Points and triangles of all its shapes up to which it is run.
const MOST_POINTS: usize = 400;
/// Names that may be the same, unknown, or missing.
const NAMES: [&str; 6] = ["", "a", "b", "zone", "oak", "a\"\n\u{1f}(é"];

/// Bytes as the text of a scene file, or a scene made of them with any numbers in it: a scene or an error; a scene that was written reads back as it
/// was; one that is accepted is built and stepped.
///
/// # Panics
/// When reading, writing or running breaks a promise.
pub fn scene_file(data: &[u8]) {
    let Some((&kind, rest)) = data.split_first() else { return };
    if kind % 3 == 0 {
        let text = String::from_utf8_lossy(rest);
        // Files that a text names are not what is looked for.
        if !text.contains("_file")
            && let Ok(scene) = Scene::parse(&text, "fuzz.ron")
        {
            reads_back(&scene);
            run(&scene, Preset::Fast);
        }
        return;
    }
    let mut input = Input::new(rest);
    let scene = scene_of(&mut input);
    if kind % 3 == 1 {
        // One byte of a good text is another one.
        let mut text = scene.to_ron().into_bytes();
        let at = (input.below(256) * 256 + input.below(256)) % text.len();
        text[at] = input.byte();
        if let Ok(scene) = Scene::parse(&String::from_utf8_lossy(&text), "fuzz.ron") {
            run(&scene, Preset::Fast);
        }
        return;
    }
    let is_valid = scene.validate().is_ok();
    match Scene::parse(&scene.to_ron(), "fuzz.ron") {
        Ok(read) => {
            assert!(is_valid, "refused as it is, and accepted from a file:\n{}", scene.to_ron());
            assert_eq!(read, scene);
        }
        // What is not a number has no value to compare with, and is refused.
        Err(error) => assert!(!is_valid, "{error} in\n{}", scene.to_ron()),
    }
    if is_valid {
        let preset = Preset::ALL[input.below(Preset::ALL.len())];
        run(&scene, preset);
    }
}

/// What is written reads back as it was.
fn reads_back(scene: &Scene) {
    let text = scene.to_ron();
    match Scene::parse(&text, "fuzz.ron") {
        Ok(read) => assert_eq!(&read, scene),
        Err(error) => panic!("{error} in\n{text}"),
    }
}

/// Takes some steps of an accepted scene: bodies stay numbers.
fn run(scene: &Scene, preset: Preset) {
    let points: usize = scene.bodies.iter().map(|body| points(&body.shape)).sum();
    if scene.bodies.len() > MOST_BODIES || points > MOST_POINTS {
        return;
    }
    let options = RunOptions { preset, ..RunOptions::default() };
    let Ok(mut runner) = Runner::new(scene, &options) else { return };
    for _ in 0..STEPS {
        if !runner.step().unwrap_or(false) {
            break;
        }
        for body in runner.world().bodies() {
            let is_number = body.pose.is_finite()
                && body.linear_velocity.iter().chain(body.angular_velocity.iter()).all(|c| c.is_finite());
            assert!(is_number, "{body:?} in\n{}", scene.to_ron());
        }
    }
}

fn points(shape: &ShapeSpec) -> usize {
    match shape {
        ShapeSpec::Hull { points } => points.len(),
        ShapeSpec::Mesh { triangles, .. } => triangles.len(),
        ShapeSpec::HeightField { heights, .. } => heights.len(),
        ShapeSpec::Compound { parts } => parts.iter().map(|part| points(&part.shape)).sum(),
        _ => 1,
    }
}

/// An ordinary number; seldom any.
fn number(input: &mut Input<'_>) -> Real {
    if input.below(48) == 0 { input.wild() } else { input.real() }
}

/// A positive number; seldom any.
fn length(input: &mut Input<'_>) -> Real {
    if input.below(48) == 0 { input.wild() } else { input.size() }
}

fn wide(input: &mut Input<'_>) -> f64 {
    if input.below(256) == 0 { f64::from(input.wild()) * 1e10 } else { f64::from(number(input)) }
}

fn vector(input: &mut Input<'_>) -> [Real; 3] {
    [0; 3].map(|_| number(input))
}

fn place(input: &mut Input<'_>) -> [f64; 3] {
    [0; 3].map(|_| wide(input))
}

fn name(input: &mut Input<'_>) -> String {
    NAMES[input.below(NAMES.len())].to_owned()
}

fn time(input: &mut Input<'_>) -> f64 {
    wide(input).abs() * 0.05
}

fn scene_of(input: &mut Input<'_>) -> Scene {
    let mut scene = Scene::new(if input.below(16) == 0 { "a name" } else { "fuzz" });
    scene.description = if input.below(4) == 0 { name(input) } else { String::new() };
    if input.below(3) == 0 {
        scene.gravity = vector(input);
    }
    scene.reference_acceleration = (input.below(4) == 0).then(|| length(input));
    scene.seconds = if input.below(4) == 0 { wide(input).abs() } else { 1.0 };
    if input.below(6) == 0 {
        scene.hz = Rates { fast: 60.0 * wide(input).abs(), accurate: 960.0, ..Rates::default() };
    }
    scene.contact = (input.below(3) == 0).then(|| pair(input));
    for _ in 0..input.below(3) {
        let mut material =
            MaterialSpec::new(["mud", "ice", "oak", ""][input.below(4)], 1000.0 * length(input));
        if input.below(2) == 0 {
            let values = pair(input);
            material.restitution = values.restitution;
            material.static_friction = values.static_friction;
            material.kinetic_friction = values.kinetic_friction;
            material.rolling_friction = values.rolling_friction;
            (material.poisson, material.young) = (0.1 * number(input), length(input));
        }
        scene.materials.push(material);
    }
    if input.below(4) == 0 {
        let PairValues { restitution, static_friction, kinetic_friction, rolling_friction } = pair(input);
        let (a, b) = (material(input), material(input));
        let pair = PairSpec { a, b, restitution, static_friction, kinetic_friction, rolling_friction };
        scene.pairs.push(pair);
    }
    if input.below(4) != 0 {
        scene.bodies.push(Body::ground("granite"));
    }
    for _ in 0..input.below(9) {
        let body = body(input);
        scene.bodies.push(body);
    }
    logic(&mut scene, input);
    scene
}

fn pair(input: &mut Input<'_>) -> PairValues {
    let restitution = Real::from(input.byte()) / 255.0;
    let kinetic_friction = number(input).abs();
    let static_friction = kinetic_friction + number(input).abs();
    let rolling_friction = if input.below(3) == 0 { 0.01 * number(input).abs() } else { 0.0 };
    PairValues { restitution, static_friction, kinetic_friction, rolling_friction }
}

fn material(input: &mut Input<'_>) -> String {
    ["oak", "granite", "iron", "oak", "mud", "ice", "none", "fir"][input.below(8)].to_owned()
}

fn body(input: &mut Input<'_>) -> Body {
    let shape = shape(input, true);
    let mut body = Body::new(name(input), shape, "oak");
    if input.below(4) == 0 {
        body.material = material(input);
    }
    body.kind = [Kind::Dynamic, Kind::Dynamic, Kind::Dynamic, Kind::Fixed, Kind::Kinematic][input.below(5)];
    body.position = place(input);
    body.rotation = orientation(input);
    if input.below(3) == 0 {
        (body.linear, body.angular) = (vector(input), vector(input));
    }
    if input.below(4) == 0 {
        (body.linear_damping, body.angular_damping) = (number(input).abs(), number(input).abs());
        body.gravity_scale = number(input);
    }
    (body.can_sleep, body.asleep) = (input.below(6) != 0, input.below(6) == 0);
    if input.below(6) == 0 {
        let mut flags = || [0; 3].map(|_| input.below(3) == 0);
        body.locks = Locks { translation: flags(), rotation: flags() };
    }
    if input.below(8) == 0 {
        body.surface_velocity = vector(input);
    }
    if input.below(4) == 0 {
        body.groups = (0..input.below(4)).map(|_| input.below(34) as u32).collect();
    }
    (body.trigger, body.hidden) = (input.below(12) == 0, input.below(4) == 0);
    if input.below(6) == 0 {
        let mut keys: Vec<KeySpec> = (0..input.below(4))
            .map(|_| KeySpec { time: time(input), position: place(input), rotation: orientation(input) })
            .collect();
        if let Some(first) = keys.first_mut() {
            first.time = 0.0;
        }
        body.motion = Some(MotionSpec { keys, smooth: input.below(2) == 0, repeats: input.below(2) == 0 });
    }
    body.appears = if input.below(6) == 0 { time(input) } else { 0.0 };
    body
}

fn orientation(input: &mut Input<'_>) -> Orientation {
    if input.below(2) == 0 {
        return Orientation::EulerDegrees([0; 3].map(|_| 20.0 * number(input)));
    }
    let rotation = input.rotation();
    let mut q = [rotation.i, rotation.j, rotation.k, rotation.w];
    if input.below(48) == 0 {
        q[input.below(4)] = input.wild();
    }
    Orientation::Quaternion(q)
}

fn shape(input: &mut Input<'_>, may_be_compound: bool) -> ShapeSpec {
    let size = length(input);
    match input.below(if may_be_compound { 13 } else { 10 }) {
        0 => ShapeSpec::Sphere { radius: size },
        1 | 2 => ShapeSpec::Cuboid { half_extents: [size, length(input), length(input)] },
        3 => ShapeSpec::Capsule { half_length: size, radius: length(input) },
        4 => ShapeSpec::Cylinder { half_height: size, radius: length(input) },
        5 => ShapeSpec::Cone { half_height: size, radius: length(input) },
        6 => ShapeSpec::Hull { points: (0..input.below(16)).map(|_| vector(input)).collect() },
        7 => ShapeSpec::HalfSpace { normal: vector(input) },
        8 => {
            let vertices: Vec<[Real; 3]> = (0..input.below(12)).map(|_| vector(input)).collect();
            let range = vertices.len() + usize::from(input.below(8) == 0);
            let triangles = (0..input.below(12)).map(|_| [0; 3].map(|_| input.below(range) as u32)).collect();
            ShapeSpec::Mesh { vertices, triangles }
        }
        9 => {
            let (rows, columns) = (input.below(6) as u32, input.below(6) as u32);
            let missing = u32::from(input.below(8) == 0);
            let heights = (0..rows * columns + missing).map(|_| 0.1 * number(input)).collect();
            ShapeSpec::HeightField { rows, columns, cell: [size, length(input)], heights }
        }
        10 => ShapeSpec::MeshFile { path: "/nowhere/there.obj".into(), scale: size },
        _ => {
            let parts = (0..input.below(4))
                .map(|_| PartSpec {
                    shape: shape(input, false),
                    position: vector(input),
                    rotation: orientation(input),
                })
                .collect();
            ShapeSpec::Compound { parts }
        }
    }
}

/// Composites, rules, timers, actions.
fn logic(scene: &mut Scene, input: &mut Input<'_>) {
    if input.below(3) == 0 {
        let bodies = (0..input.below(4)).map(|_| name(input)).collect();
        scene.composites.push(CompositeSpec { name: name(input), bodies });
    }
    for _ in 0..input.below(2) {
        let mut groups = || (0..input.below(3)).map(|_| input.below(33) as u32).collect::<Vec<u32>>();
        let (a, b) = (groups(), groups());
        let action = if input.below(2) == 0 { RuleKind::Ignore } else { RuleKind::Force };
        scene.rules.push(RuleEntry { action, a, b });
    }
    if input.below(3) == 0 {
        let mut time = || (input.below(2) == 0).then(|| time(input));
        scene.timers.push(TimerEntry { first: time(), period: time() });
    }
    for _ in 0..input.below(4) {
        let action = match input.below(5) {
            0 => Action::SetGravity { gravity: vector(input) },
            1 => Action::SetVelocity { body: name(input), linear: vector(input), angular: vector(input) },
            2 => Action::SetSurfaceVelocity { body: name(input), velocity: vector(input) },
            3 => Action::Unfasten { composite: name(input) },
            _ => Action::Remove { body: name(input) },
        };
        scene.actions.push(TimedAction { at: time(input), action });
    }
    scene.standing = match input.below(4) {
        0 => Standing::All,
        1 => Standing::Bodies(vec![name(input)]),
        _ => Standing::None,
    };
    if input.below(3) == 0 {
        scene.bounds = Some(Bounds { min: place(input).map(|c| -10.0 - c.abs()), max: place(input) });
    }
}
