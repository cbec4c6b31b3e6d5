//! A made-up run that shows everything a recording can hold.
#![allow(dead_code, reason = "every test file uses its own part of this module")]

pub(crate) mod browser;

use drystone_viewer::{
    BodyState, BodyVisual, Contact, Figure, FrameInput, Meta, NO_ISLAND, Part, Recorder, Recording,
    SeriesInfo, VisualShape,
};

/// Movable bodies of [`tumbling`].
pub(crate) const BODY_COUNT: usize = 300;
const FLOOR_SHAPE: u32 = 5;
const CAGE_SHAPE: u32 = 6;

fn shapes() -> Vec<VisualShape> {
    let octahedron = VisualShape::Hull {
        vertices: [[0.45, 0.0, 0.0], [0.0, 0.45, 0.0], [0.0, 0.0, 0.45]]
            .iter()
            .flat_map(|v: &[f32; 3]| [*v, v.map(|c| -c)])
            .collect(),
        faces: (0..8_u32)
            .map(|octant| {
                let (x, y, z) = (octant & 1, 2 + (octant >> 1 & 1), 4 + (octant >> 2 & 1));
                let is_mirrored = octant.count_ones() % 2 == 1;
                if is_mirrored { vec![x, z, y] } else { vec![x, y, z] }
            })
            .collect(),
    };
    vec![
        VisualShape::Box { half_extents: [0.4, 0.25, 0.3] },
        VisualShape::Sphere { radius: 0.35 },
        VisualShape::Capsule { half_length: 0.3, radius: 0.2 },
        octahedron,
        VisualShape::Box { half_extents: [0.45, 0.12, 0.12] },
        VisualShape::Plane { normal: [0.0, 1.0, 0.0] },
        VisualShape::Box { half_extents: [5.5, 6.0, 0.1] },
    ]
}

fn body(index: usize) -> BodyVisual {
    let parts = match index % 5 {
        // A cross of two bars.
        4 => {
            let half = std::f32::consts::FRAC_1_SQRT_2;
            vec![Part::new(4), Part { rotation: [0.0, half, 0.0, half], ..Part::new(4) }]
        }
        shape => vec![Part::new(shape as u32)],
    };
    let material = ["oak", "steel", "rubber", "granite", "brass"][index % 5].to_owned();
    BodyVisual { name: format!("body {index}"), material, fixed: false, hidden: false, parts }
}

fn still(name: &str, shape: u32, hidden: bool) -> BodyVisual {
    let parts = vec![Part::new(shape)];
    BodyVisual { name: name.into(), material: "concrete".into(), fixed: true, hidden, parts }
}

/// Falls from a lattice onto the floor, tumbling until it lands.
fn state(index: usize, time: f64) -> BodyState {
    let (column, row, layer) = (index % 10, index / 10 % 6, index / 60);
    let (x, z) = (column as f64 - 4.5 + 0.13 * layer as f64, row as f64 - 2.5);
    let start = 2.0 + 1.2 * layer as f64 + 0.4 * (index * 7 % 5) as f64;
    let rest = 0.4 + 0.55 * layer as f64;
    let landing = ((start - rest) * 2.0 / 9.81).sqrt();
    let fallen = time.min(landing);
    let is_asleep = time > landing + 0.3;
    let angle = (fallen * (1.0 + (index % 7) as f64)) as f32;
    let axis =
        [[1.0, 0.0, 0.0], [0.0, 0.8, 0.6], [0.6, 0.0, 0.8]][index % 3].map(|c: f32| c * (angle / 2.0).sin());
    BodyState {
        position: [x, start - 0.5 * 9.81 * fallen * fallen, z],
        rotation: [axis[0], axis[1], axis[2], (angle / 2.0).cos()],
        asleep: is_asleep,
        removed: false,
        island: if time < landing { NO_ISLAND } else { (column / 2) as u32 },
        speed: if time < landing { (9.81 * fallen) as f32 } else { 0.0 },
    }
}

/// 300 bodies of mixed shapes that fall and come to rest, with a floor, a hidden wall, contacts and series.
pub(crate) fn tumbling(frame_count: usize) -> Recording {
    let mut bodies: Vec<BodyVisual> = (0..BODY_COUNT).map(body).collect();
    bodies.push(still("floor", FLOOR_SHAPE, false));
    bodies.push(still("wall", CAGE_SHAPE, true));
    let series = [("step", "ms"), ("asleep", ""), ("kinetic energy", "J"), ("max overlap", "mm")];
    let meta = Meta {
        scene: "tumbling <test> & more".into(),
        engine_version: "0.0.0".into(),
        preset: "balanced".into(),
        frame_dt: 1.0 / 60.0,
        gravity: [0.0, -9.81, 0.0],
        figures: vec![
            Figure { name: "mean step".into(), value: "1.37 ms".into() },
            Figure { name: "largest overlap".into(), value: "2.1 mm".into() },
        ],
        series: series.map(|(name, unit)| SeriesInfo { name: name.into(), unit: unit.into() }).to_vec(),
    };
    let mut recorder = Recorder::new(meta, shapes(), bodies).expect("the scene is valid");
    for frame in 0..frame_count {
        let time = frame as f64 / 60.0;
        let mut states: Vec<BodyState> = (0..BODY_COUNT).map(|i| state(i, time)).collect();
        states.push(BodyState::at([0.0; 3], [0.0, 0.0, 0.0, 1.0]));
        states.push(BodyState::at([0.0, 4.0, -4.0], [0.0, 0.0, 0.0, 1.0]));
        let landed: Vec<&BodyState> = states[..BODY_COUNT].iter().filter(|s| s.island != NO_ISLAND).collect();
        let contacts: Vec<Contact> = landed
            .iter()
            .map(|s| Contact {
                point: [s.position[0], s.position[1] - 0.3, s.position[2]],
                normal: [0.0, 1.0, 0.0],
                depth: 0.002,
                impulse: 0.1 + s.position[1].abs() as f32,
            })
            .collect();
        let energy: f32 = states[..BODY_COUNT].iter().map(|s| 0.5 * s.speed * s.speed).sum();
        let asleep = states.iter().filter(|s| s.asleep).count() as f32;
        let ripple = 0.2 * (frame as f32 * 0.9).sin();
        let series = [1.0 + 0.01 * landed.len() as f32 + ripple, asleep, energy, 0.5 + ripple.abs()];
        let input = FrameInput { bodies: &states, contacts: &contacts, series: &series };
        recorder.frame(&input).expect("the frame is valid");
    }
    recorder.finish()
}

/// One red-hot ball of radius 1 above a floor.
pub(crate) fn one_ball() -> Recording {
    let meta = Meta { scene: "ball".into(), frame_dt: 0.1, gravity: [0.0, -9.81, 0.0], ..Meta::default() };
    let ball = BodyVisual {
        name: "ball".into(),
        material: "lava".into(),
        fixed: false,
        hidden: false,
        parts: vec![Part::new(0)],
    };
    let shapes = vec![VisualShape::Sphere { radius: 1.0 }];
    let mut recorder = Recorder::new(meta, shapes, vec![ball]).expect("the scene is valid");
    let states = [BodyState::at([3.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0])];
    recorder.frame(&FrameInput { bodies: &states, contacts: &[], series: &[] }).expect("the frame is valid");
    recorder.finish()
}
