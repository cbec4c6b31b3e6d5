//! Correction alone on a plain list: boxes that overlap are spread apart with the least disturbance. No velocity, no gravity, no time.
//! `cargo run -p drystone-correction --example spread_boxes`

use drystone_contact::{
    Batches, Bodies, BodyDesc, BodyIndex, ColliderHandle, ContactError, ContactGraph, ContactPoint, Manifold,
    PairMaterial, StepParams,
};
use drystone_correction::{CorrectionConfig, Corrector};
use drystone_exec::Exec;
use drystone_math::inertia::MassProperties;
use drystone_math::{Pose, Real, Vector3, narrow};

/// A box that stays upright: its centre and half of its edges, m.
type Upright = ([f64; 3], Vector3);

/// Overlap that may be left, m.
const LEFT: Real = 0.001;

/// The contact of two upright boxes, if they overlap: along the axis on which they do least.
fn overlap(a: (BodyIndex, &Upright), b: (BodyIndex, &Upright)) -> Option<Manifold> {
    let apart = narrow(
        &(Pose::at(b.1.0[0], b.1.0[1], b.1.0[2]).translation
            - Pose::at(a.1.0[0], a.1.0[1], a.1.0[2]).translation),
    );
    let depths = a.1.1 + b.1.1 - apart.abs();
    let axis = depths.imin();
    if depths[axis] <= 0.0 {
        return None;
    }
    let mut manifold = Manifold::new(a.0, b.0, PairMaterial::default());
    manifold.normal[axis] = apart[axis].signum();
    let arm_a = apart * 0.5;
    manifold.push(ContactPoint {
        arm_a,
        arm_b: arm_a - apart,
        distance: -depths[axis],
        ..Default::default()
    });
    Some(manifold)
}

/// Moves the boxes apart a little; returns the deepest overlap that was found and how many boxes were moved.
fn spread(boxes: &mut [Upright]) -> Result<(Real, u32), ContactError> {
    let (mut bodies, mut graph) = (Bodies::default(), ContactGraph::default());
    let mut indices = Vec::new();
    for (center, half) in boxes.iter() {
        let mass = MassProperties::cuboid(half, 1000.0);
        let handle = bodies
            .add(&BodyDesc::dynamic(mass, half.norm()).at(Pose::at(center[0], center[1], center[2])))?;
        indices.push(bodies.index(handle)?);
        graph.add_body(&bodies, indices[indices.len() - 1]);
    }
    let mut deepest: Real = 0.0;
    for b in 0..boxes.len() {
        for a in 0..b {
            let Some(manifold) = overlap((indices[a], &boxes[a]), (indices[b], &boxes[b])) else { continue };
            let colliders = [a, b].map(|k| ColliderHandle { index: k as u32, generation: 1 });
            let edge =
                graph.add_edge(colliders, &bodies, [indices[a], indices[b]], PairMaterial::default())?;
            graph.set_manifold(&bodies, edge, &manifold);
            deepest = deepest.max(-manifold.points()[0].distance);
        }
    }
    graph.update_islands();
    let mut batches = Batches::default();
    batches.rebuild(&bodies, &graph, Batches::DEFAULT_SMALL_CUT);
    // With these the unit of length is 1 m. Nothing falls: what is moved is free to go where it goes.
    let step = StepParams {
        dt: 1.0,
        acceleration: Vector3::zeros(),
        force: Vector3::zeros(),
        reference_acceleration: 1.0,
        index: 0,
        may_sleep: false,
    };
    let config = CorrectionConfig { penetration_threshold: LEFT, ..CorrectionConfig::default() };
    let report = Corrector::new().correct(&config, &mut bodies, &mut graph, &batches, &step, &Exec::serial());
    for (k, index) in indices.iter().enumerate() {
        boxes[k].0 = bodies.center_pose(*index).translation.coords.into();
    }
    Ok((deepest, report.displaced_count))
}

fn main() -> Result<(), ContactError> {
    // Five by five boxes of different sizes, each reaching into its neighbours.
    let mut boxes: Vec<Upright> = (0..25_u8)
        .map(|k| {
            let half = Vector3::new(0.5 + 0.02 * Real::from(k % 3), 0.5, 0.5 + 0.03 * Real::from(k % 4));
            ([0.97 * f64::from(k % 5), 0.0, 0.98 * f64::from(k / 5)], half)
        })
        .collect();
    let before = boxes.clone();
    for pass in 0.. {
        let (deepest, moved) = spread(&mut boxes)?;
        println!("pass {pass}: overlap {:.1} mm, {moved} moves", 1e3 * deepest);
        if deepest <= LEFT {
            break;
        }
        assert!(pass < 50, "they do not come apart");
    }
    let ways: Vec<f64> = before
        .iter()
        .zip(&boxes)
        .map(|(a, b)| ((a.0[0] - b.0[0]).powi(2) + (a.0[2] - b.0[2]).powi(2)).sqrt())
        .collect();
    let stayed = ways.iter().filter(|&&way| way == 0.0).count();
    println!(
        "farthest way {:.0} mm; {stayed} of 25 never moved",
        1e3 * ways.iter().fold(0.0, |a: f64, &b| a.max(b))
    );
    Ok(())
}
