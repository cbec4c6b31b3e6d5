//! C1: a tower weighs what its boxes weigh. Towers and pyramids stand.

use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, cuboid};
use crate::validate::limits::is_left_out;
use crate::validate::row::Row;
use drystone::math::Pose;
use drystone::{BodyHandle, SolverChoice, World, WorldConfig};
use drystone_scenes::{Preset, RunOptions, Runner, scene};

/// Boxes of the tower.
const COUNT: usize = 10;

/// C1: impulses through the interfaces of a tower of ten cubes of 0.5 m and 1 kg.
pub(crate) fn tower(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = weighed(setup, "", true)?;
    if is_damped(&setup.config(G)) {
        rows.extend(weighed(setup, ", gravity damping off", false)?);
    }
    Ok(rows)
}

/// Whether settings take gravity from what barely moves.
fn is_damped(config: &WorldConfig) -> bool {
    let SolverChoice::Impulse { config, .. } = &config.solver else { return false };
    config.gravity_damping_threshold > 0.0
}

/// Weighs the tower from 2 s on for a second.
fn weighed(setup: &Setup, name: &str, with_damping: bool) -> Outcome<Vec<Row>> {
    let mut config = setup.config(G);
    if !with_damping {
        config.set_field("resolution.gravity_damping_threshold", "0")?;
    }
    let mut lab = Lab::new(config, setup.dt(), 0.0, 0.5)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let mut boxes = Vec::new();
    for i in 0..COUNT {
        let at = Pose::at(0.0, 0.5 * i as f64 + 0.25, 0.0);
        boxes.push(lab.add(cuboid([0.5; 3], 1.0)?.pose(at))?);
    }
    lab.settle(2.0)?;
    let unit = G * setup.dt();
    let (mut sum, mut steps, mut worst_step) = ([0.0; COUNT], 0.0, 0.0_f64);
    lab.run(1.0, |world, _| {
        let through = interfaces(world, &boxes);
        steps += 1.0;
        for k in 0..COUNT {
            sum[k] += through[k];
            worst_step = worst_step.max((through[k] / ((COUNT - k) as f64 * unit) - 1.0).abs());
        }
        Ok(())
    })?;
    let mean = |k: usize| sum[k] / steps / unit;
    let worst = (0..COUNT).map(|k| (mean(k) / (COUNT - k) as f64 - 1.0).abs()).fold(0.0, f64::max);
    Ok(vec![
        Row::relative(format!("bottom impulse / m g dt, mean of 1 s{name}"), "", COUNT as f64, mean(0), 1e-3)
            .from("C1: n"),
        Row::at_most(format!("worst interface, mean of 1 s{name}"), "", worst, 1e-3).from("C1"),
        Row::at_most(format!("worst interface, worst step{name}"), "", worst_step, 1e-3)
            .from("C1, every step"),
    ])
}

/// Upward impulse through the lower face of each box in the last step, N·s.
fn interfaces(world: &World, boxes: &[BodyHandle]) -> [f64; COUNT] {
    let place = |body| boxes.iter().position(|&b| b == body);
    let mut through = [0.0; COUNT];
    for contact in world.contacts() {
        let up = f64::from(contact.impulse.y);
        // The upper of both bodies is pushed up, by the impulse on B or its opposite on A.
        match contact.bodies.map(place) {
            [a, Some(b)] if a.is_none_or(|a| a < b) => through[b] += up,
            [Some(a), b] if b.is_none_or(|b| b < a) => through[a] -= up,
            _ => {}
        }
    }
    through
}

/// Largest drift of what stands, m.
const DRIFT: f64 = 1e-3;
/// Largest overlap of what stands, m.
const OVERLAP: f64 = 2e-3;

/// A tower and a flat pyramid that may not sleep stand still, in a full run for a minute. The accurate settings and the joint solves take
/// 1 to 13 s of processor time per simulated second, and have 10 s.
pub(crate) fn standing(setup: &Setup) -> Outcome<Vec<Row>> {
    let seconds = setup.seconds(10.0, if setup.is_slow() { 10.0 } else { 60.0 });
    let mut rows = Vec::new();
    for name in ["tower:10", "pyramid:10"] {
        let options = RunOptions {
            preset: setup.preset,
            seconds: Some(seconds),
            sleep: Some(false),
            ..RunOptions::default()
        };
        let mut runner = Runner::new(&scene(name)?, &options)?;
        let (mut half_way, mut fastest) = (0.0, 0.0_f64);
        while runner.step()? {
            if runner.time() <= 0.5 * seconds {
                half_way = drift(&runner);
            }
            fastest = fastest.max(runner.kinetic_energy());
        }
        let creep = (drift(&runner) - half_way) / (0.5 * seconds);
        let quality = runner.finish().quality;
        rows.push(
            Row::at_most(format!("{name}: drift in {seconds} s"), "m", quality.drift_max_m, DRIFT)
                .from("issue: < 1 mm in 60 s"),
        );
        // Contacts first sink to the overlap that is left alone, for a few seconds: that is no creep.
        rows.push(
            Row::at_most(format!("{name}: creep in the second half"), "m/s", creep.abs(), DRIFT / 60.0)
                .from("1 mm in 60 s"),
        );
        rows.push(
            Row::at_most(format!("{name}: deepest overlap"), "m", quality.pen_run_max_m, OVERLAP)
                .from("issue: < 2 mm"),
        );
        rows.push(
            Row::at_most(format!("{name}: largest kinetic energy"), "J", fastest, f64::NAN).only_told(),
        );
    }
    Ok(rows)
}

/// Farthest that a box is from where it began, m.
fn drift(runner: &Runner) -> f64 {
    let way = |(index, body): (usize, &drystone_scenes::Body)| {
        let pose = runner.world().pose(runner.body(index)?).ok()?;
        Some((pose.translation - drystone::math::Position::from(body.position)).norm())
    };
    runner.scene().bodies.iter().enumerate().filter_map(way).fold(0.0, f64::max)
}

/// C2: a box of 1000 kg on ten of 1 kg stands; and everything that stands falls asleep.
pub(crate) fn mass_ratio(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    let overlap = match setup.preset {
        Preset::ThesisAccurate => 2e-4,
        _ => 2e-3,
    };
    for (name, count) in [("mass_ratio:1000", 11.0), ("tower:10", 10.0), ("pyramid:10", 55.0)] {
        let seconds = setup.seconds(5.0, 10.0);
        if is_left_out(setup, "C2", name) {
            continue;
        }
        let options = RunOptions { preset: setup.preset, seconds: Some(seconds), ..RunOptions::default() };
        let mut runner = Runner::new(&scene(name)?, &options)?;
        while runner.step()? {}
        let outcome = runner.finish();
        let quality = outcome.quality;
        rows.push(
            Row::at_most(format!("{name}: drift, sleep on"), "m", quality.drift_max_m, DRIFT)
                .from("issue: < 1 mm"),
        );
        rows.push(
            Row::at_most(format!("{name}: deepest overlap, sleep on"), "m", quality.pen_run_max_m, overlap)
                .from("S1-78 1.74 mm, S1-88 0.1 mm, rounded up"),
        );
        rows.push(
            Row::absolute(
                format!("{name}: asleep after {seconds} s"),
                "",
                count,
                outcome.sleeping_end as f64,
                0.0,
            )
            .from("S1 5.1: what rests sleeps"),
        );
    }
    Ok(rows)
}
