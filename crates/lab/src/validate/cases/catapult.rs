//! D5, S1-91: catapults.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, ball, cuboid, fixed_cuboid, turned, vector};
use crate::validate::row::Row;
use drystone::math::Pose;
use drystone_scenes::{RunOptions, Runner, scene};
use std::f64::consts::FRAC_PI_4;

/// Both forms: a plank on an edge with balls, and S1's boxes.
pub(crate) fn catapult(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (load, exact) in [(4.9, 2.21558), (2.75251, 2.56324)] {
        let speed = launch(setup, load)?;
        rows.push(
            Row::relative(format!("launch of a ball of {load} kg"), "m/s", exact, speed, 0.02)
                .from("D5: M a^2 v/(Ip + (M+m) a^2)"),
        );
    }
    let [rise7, far7] = tossed(setup, "catapult7")?;
    let [rise15, far15] = tossed(setup, "catapult15")?;
    for (name, ours) in [("7 boxes: mean rise", rise7), ("15 boxes: mean rise", rise15)] {
        rows.push(Row::at_least(name, "m", 0.05, ours).from("S1 Fig 37: they fly"));
    }
    rows.push(Row::at_least("rise of 15 over rise of 7", "", 1.0, rise15 / rise7).from("S1-91: higher"));
    rows.push(Row::at_least("way of 15 over way of 7", "", 1.0, far15 / far7).from("S1-91: farther"));
    Ok(rows)
}

/// Speed (m/s) of a ball of this mass (kg) on one end of a level plank right after one of 5.6 kg that fell
/// by 2 m has hit the other end. A blow that is found with a gap left takes two steps, so the larger of two counts.
fn launch(setup: &Setup, load: f64) -> Outcome<f64> {
    const ARM: f64 = 1.1;
    const EDGE: f64 = 0.2;
    let mut lab = setup.lab(G, 0.0, 0.5)?;
    // A square bar on its edge carries the plank's middle, a block keeps the loaded end level.
    let height = 0.5 * EDGE * std::f64::consts::SQRT_2;
    lab.add(fixed_cuboid([EDGE; 3])?.pose(turned([0.0, 0.0, 0.0], FRAC_PI_4)))?;
    lab.add(fixed_cuboid([0.1, 0.2, 0.2])?.pose(Pose::at(ARM, height - 0.1, 0.0)))?;
    lab.add(cuboid([2.4, 0.04, 0.2], 13.44)?.pose(Pose::at(0.0, height + 0.02, 0.0)))?;
    let top = height + 0.04;
    let tossed = lab.add(ball(0.06, load)?.pose(Pose::at(ARM, top + 0.06, 0.0)))?;
    // The load comes to rest before the other ball, which starts 20 cm above the plank, is there.
    lab.settle(0.5)?;
    let rest = (2.0 * G * 1.8_f64).sqrt();
    let falling = ball(0.06, 5.6)?.pose(Pose::at(-ARM, top + 0.06 + 0.2, 0.0));
    lab.add(falling.linear_velocity(vector([0.0, -rest, 0.0])))?;
    let (mut speed, mut steps) = (0.0_f64, 0);
    lab.run(0.2, |world, _| {
        let up = f64::from(world.velocity(tossed)?.0.y);
        steps += u32::from(steps > 0 || up > 0.5);
        if (1..=2).contains(&steps) {
            speed = speed.max(up);
        }
        Ok(())
    })?;
    Ok(speed)
}

/// Mean rise of the small boxes above where they are before the hit, and how far they end from there along x, m: mean of runs whose gravity
/// differs by a few parts in 100 000, for each by itself is chance (with `fast` the 15 rise to 0.3 to 1.3 times the height of the 7).
fn tossed(setup: &Setup, name: &str) -> Outcome<[f64; 2]> {
    const SHARES: [f32; 7] = [0.0, 2e-5, -2e-5, 4e-5, -4e-5, 6e-5, -6e-5];
    let mut mean = [0.0; 2];
    for share in SHARES {
        let own = tossed_once(setup, name, share)?;
        mean = [0, 1].map(|k| mean[k] + own[k] / SHARES.len() as f64);
    }
    Ok(mean)
}

/// One run, its gravity changed by a share.
fn tossed_once(setup: &Setup, name: &str, share: f32) -> Outcome<[f64; 2]> {
    /// The large box arrives after 0.9 s.
    const BEFORE: f64 = 0.85;
    let mut scene = scene(name)?;
    scene.gravity = scene.gravity.map(|g| g * (1.0 + share));
    let small: Vec<usize> =
        (0..scene.bodies.len()).filter(|&i| scene.bodies[i].name.starts_with("box ")).collect();
    let options = RunOptions { preset: setup.preset, ..RunOptions::default() };
    let mut runner = Runner::new(&scene, &options)?;
    let mut before = vec![[0.0; 2]; small.len()];
    let mut highest = vec![f64::NEG_INFINITY; small.len()];
    let mut end = vec![0.0; small.len()];
    while runner.step()? {
        for (k, &index) in small.iter().enumerate() {
            let Some(body) = runner.body(index) else { continue };
            let at = runner.world().pose(body)?.translation;
            if runner.time() <= BEFORE {
                before[k] = [at.x, at.y];
            }
            highest[k] = highest[k].max(at.y);
            end[k] = at.x;
        }
    }
    let count = small.len() as f64;
    let rise = highest.iter().zip(&before).map(|(h, b)| h - b[1]).sum::<f64>() / count;
    let far = end.iter().zip(&before).map(|(x, b)| (x - b[0]).abs()).sum::<f64>() / count;
    Ok([rise, far])
}
