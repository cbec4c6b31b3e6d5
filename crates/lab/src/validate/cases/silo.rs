//! E1, E2: silos: what the bottom carries, and what runs out.

use super::grains::{D, Grains, count, impulse_on, line};
use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, fixed_cuboid, vector, wide};
use crate::validate::row::Row;
use drystone::math::{Displacement, Pose};
use drystone::{BodySpec, ColliderSpec, Shape};
use std::f64::consts::PI;

const MU: f64 = 0.5;
const SEEDS: [u64; 3] = [1, 2, 3];

/// Radius of Janssen's silo, m: ten grains wide.
const NARROW: f64 = 5.0 * D;
/// Fills, in diameters.
const FILLS: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];

/// What a filled silo shows while its bottom goes down.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    /// Filled in, and carried by the bottom, kg.
    fill: f64,
    bottom: f64,
    /// Force of bottom and wall over the weight.
    balance: f64,
    /// Horizontal over vertical stress at half of the height.
    ratio: f64,
    /// Mass over volume, kg/m³.
    density: f64,
}

/// E1: Janssen's law, with one number fitted.
pub(crate) fn janssen(setup: &Setup) -> Outcome<Vec<Row>> {
    let loads = FILLS.iter().map(|&fill| mean_load(setup, fill)).collect::<Outcome<Vec<_>>>()?;
    let saturated = fit(&loads);
    let law = |load: &Load| saturated * (1.0 - (-load.fill / saturated).exp());
    let worst = loads.iter().map(|load| (load.bottom / law(load) - 1.0).abs()).fold(0.0, f64::max);
    let deep = loads[2..].iter();
    let density = deep.clone().map(|load| load.density).sum::<f64>() / 3.0;
    let fitted = density * PI * (2.0 * NARROW).powi(3) / (16.0 * MU * saturated);
    let measured = deep.map(|load| load.ratio).sum::<f64>() / 3.0;
    let balance = loads.iter().map(|load| (load.balance - 1.0).abs()).fold(0.0, f64::max);
    let mut rows: Vec<Row> = FILLS
        .iter()
        .zip(&loads)
        .map(|(fill, load)| {
            Row::relative(format!("fill of {fill} D: load of the bottom"), "kg", law(load), load.bottom, 0.03)
                .from("E1: M (1 - exp(-m/M)), M fitted; mean of 3 seeds")
                .over("load (kg) over fill (D)", *fill)
        })
        .collect();
    rows.extend([
        Row::at_most("largest misfit of a fill", "", worst, 0.03).from("E1"),
        Row::relative("K of the fit, beside K of the stresses", "", measured, fitted, 0.05)
            .from("E1: rho pi D^3/(16 mu M)"),
        Row::relative(
            "load at 5 D over load at 3 D",
            "",
            law(&loads[4]) / law(&loads[2]),
            loads[4].bottom / loads[2].bottom,
            0.03,
        )
        .from("E1: saturates beyond 3 D"),
        Row::at_most("bottom + wall off the weight / weight", "", balance, 1e-3).from("E1: always"),
    ]);
    Ok(rows)
}

/// The saturated load that fits best, kg, by the least squares of relative errors on a fine grid.
fn fit(loads: &[Load]) -> f64 {
    let most = loads.iter().map(|load| load.bottom).fold(0.0, f64::max);
    let misfit = |m: f64| {
        let error = |load: &Load| (load.bottom / (m * (1.0 - (-load.fill / m).exp())) - 1.0).powi(2);
        loads.iter().map(error).sum::<f64>()
    };
    let candidates = (0..2000).map(|k| most * (0.5 + 0.001 * f64::from(k)));
    candidates.min_by(|&a, &b| misfit(a).total_cmp(&misfit(b))).unwrap_or(f64::NAN)
}

/// Mean over the seeds.
fn mean_load(setup: &Setup, fill: f64) -> Outcome<Load> {
    let mut mean = Load::default();
    for seed in SEEDS {
        let load = load(setup, fill, seed)?;
        let share = 1.0 / SEEDS.len() as f64;
        mean.fill += share * load.fill;
        mean.bottom += share * load.bottom;
        mean.balance += share * load.balance;
        mean.ratio += share * load.ratio;
        mean.density += share * load.density;
    }
    Ok(mean)
}

/// Fills a silo, lets it rest for 4 s, lowers the bottom by a fifth of a grain in 2 s and weighs in the last half second of that.
fn load(setup: &Setup, fill: f64, seed: u64) -> Outcome<Load> {
    const SPEED: f64 = 0.1 * D;
    let mut grains = Grains::new(setup, MU)?;
    let height = 2.0 * NARROW * fill;
    let walls = grains.tube(NARROW, 1.8 * height + 1.0)?;
    let shape = Shape::cuboid(vector([2.0 * NARROW, D, 2.0 * NARROW]))?;
    let bottom = BodySpec::kinematic().collider(ColliderSpec::new(shape)).pose(Pose::at(0.0, -D, 0.0));
    let bottom = grains.lab.add(bottom)?;
    grains.pour(NARROW, count(NARROW, height), seed)?;
    grains.lab.settle(4.0)?;
    let tall = grains.height()?;
    grains.lab.world.set_velocity(bottom, vector([0.0, -SPEED, 0.0]), vector([0.0; 3]))?;
    grains.lab.settle(1.5)?;
    let band = [0.5 * tall - NARROW, 0.5 * tall + NARROW];
    let above: f64 = grains.places()?.iter().filter(|at| at.y > 0.5 * tall).count() as f64;
    let above = above / grains.bodies.len() as f64 * grains.mass;
    let (mut steps, mut on_bottom, mut on_walls, mut outwards, mut higher) = (0.0, 0.0, 0.0, 0.0, 0.0);
    grains.lab.run(0.5, |world, _| {
        steps += 1.0;
        on_bottom -= impulse_on(world, &[bottom]).y;
        for contact in world.contacts() {
            let [a, b] = contact.bodies.map(|body| walls.contains(&body));
            if !a && !b {
                continue;
            }
            let impulse = wide(&contact.impulse) * if b { 1.0 } else { -1.0 };
            let at = contact.point;
            on_walls -= impulse.y;
            if at.y > 0.5 * tall {
                higher -= impulse.y;
            }
            if (band[0]..band[1]).contains(&at.y) {
                outwards += impulse.dot(&Displacement::new(at.x, 0.0, at.z).normalize());
            }
        }
        Ok(())
    })?;
    let time = steps * setup.dt();
    let vertical = (above * G - higher / time) / (PI * NARROW * NARROW);
    let horizontal = outwards / time / (2.0 * PI * NARROW * 2.0 * NARROW);
    Ok(Load {
        fill: grains.mass,
        bottom: on_bottom / time / G,
        balance: (on_bottom + on_walls) / (time * G * grains.mass),
        ratio: horizontal / vertical,
        density: grains.mass / (PI * NARROW * NARROW * tall),
    })
}

/// Radius and filling of Beverloo's silo, m, and diameters of its holes, grains.
const WIDE: f64 = 6.0 * D;
const FILLED: f64 = 26.0 * D;
const HOLES: [f64; 4] = [5.0, 6.0, 7.0, 8.0];

/// E2: what runs out of a hole.
pub(crate) fn beverloo(setup: &Setup) -> Outcome<Vec<Row>> {
    const K: f64 = 1.4;
    let mut flows = Vec::new();
    let mut rows = Vec::new();
    for hole in HOLES {
        let [rate, straight, density] = flow(setup, hole)?;
        let scale = density * G.sqrt() * ((hole - K) * D).powf(2.5);
        let constant = rate / scale;
        rows.push(
            Row::absolute(
                format!("hole of {hole} d: C of the rate"),
                "",
                constant.clamp(0.5, 0.65),
                constant,
                0.0,
            )
            .from("E2: W = C rho sqrt(g) (D0 - 1.4 d)^2.5"),
        );
        rows.push(
            Row::relative(format!("hole of {hole} d: rate"), "kg/s", 0.58 * scale, rate, f64::INFINITY)
                .from("E2, told: with C 0.58")
                .over("rate (kg/s) over hole (d)", hole),
        );
        rows.push(
            Row::at_least(format!("hole of {hole} d: R^2 of mass over time"), "", 0.999, straight)
                .from("E2: steady"),
        );
        flows.push((hole, rate));
    }
    rows.push(Row::absolute("exponent, k free", "", 2.5, exponent(&flows), 0.1).from("E2"));
    Ok(rows)
}

/// Exponent n of c (D0 - k d)^n, with the k between 0.5 and 2.5 that fits best.
fn exponent(flows: &[(f64, f64)]) -> f64 {
    let fits = (0..=200).map(|i| {
        let k = 0.5 + 0.01 * f64::from(i);
        let points: Vec<_> = flows.iter().map(|&(hole, rate)| ((hole - k).ln(), rate.ln())).collect();
        let [slope, _, share] = line(&points);
        (share, slope)
    });
    fits.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(f64::NAN, |fit| fit.1)
}

/// Rate (kg/s) between 5 and 35 % of the filling, how straight the mass runs (R²), and the density of the bed.
fn flow(setup: &Setup, hole: f64) -> Outcome<[f64; 3]> {
    const LONGEST: f64 = 40.0;
    const LOOK: f64 = 0.1;
    let mut grains = Grains::new(setup, MU)?;
    grains.tube(WIDE, 1.8 * FILLED)?;
    grains.holed_bottom(0.5 * hole * D, WIDE + 2.0 * D)?;
    let door =
        grains.lab.add(fixed_cuboid([2.0 * WIDE, D, 2.0 * WIDE])?.pose(Pose::at(0.0, -0.5 * D, 0.0)))?;
    grains.pour(WIDE, count(WIDE, FILLED), 1)?;
    grains.lab.settle(3.0)?;
    let density = grains.mass / (PI * WIDE * WIDE * grains.height()?);
    grains.lab.world.remove_body(door)?;
    let (mut time, mut gone, mut points) = (0.0, 0.0, Vec::new());
    while gone < 0.35 * grains.mass && time < LONGEST {
        grains.lab.settle(LOOK)?;
        time += LOOK;
        gone += grains.drain(-2.0 * D)?;
        if gone > 0.05 * grains.mass {
            points.push((time, gone));
        }
    }
    let [rate, _, straight] = line(&points);
    Ok([rate, straight, density])
}
