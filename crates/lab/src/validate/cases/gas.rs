//! D2: a gas of elastic balls, and one that cools.

use crate::shell::Outcome;
use crate::validate::lab::{Lab, Setup, ball, vector};
use crate::validate::row::Row;
use drystone::math::{Displacement, Pose};
use drystone::{BodyHandle, BodySpec, ColliderSpec, ContactRef, MaterialId, PairMaterial, Shape};
use drystone_scenes::Random;
use std::f64::consts::PI;

/// Balls; diameter, m; edge of the box, m, in which they fill a tenth. Each has 1 kg, and moves with 1 m/s per axis.
const EDGE_COUNT: u32 = 10;
const COUNT: f64 = 1000.0;
const D: f64 = 0.1;
const SIDE: f64 = 1.736;
/// Collisions of a ball at which the drift of energy is told.
const COLLISIONS: f64 = 1000.0;

/// Of the velocities.
const SEEDS: [u64; 3] = [22, 23, 24];

/// Means over a run.
struct Measured {
    /// Energy at the end over that at the begin, J/J.
    energy: f64,
    /// Mean of v⁴ over the square of the mean of v².
    peak: f64,
    /// Pressure on the walls, Pa.
    pressure: f64,
    /// Kinetic temperature, J.
    temperature: f64,
    /// Balls per volume in the middle, 1/m³.
    density: f64,
    /// Temperature over time, s and J.
    cooling: Vec<(f64, f64)>,
    /// Sum of squared blows in the middle over (1 + e)², J, and what Enskog's rate has of it for the balls that are there.
    blows: f64,
    blows_by_law: f64,
}

/// D2: energy, speeds, pressure, and cooling by Haff's law.
pub(crate) fn gas(setup: &Setup) -> Outcome<Vec<Row>> {
    // Collisions per second of a ball at temperature 1 are those of the cooling law, 17.6.
    let seconds = COLLISIONS / rate(190.0);
    let elastic = measure(setup, 1.0, seconds, SEEDS[0])?;
    let filling = elastic.density * PI * D.powi(3) / 6.0;
    let compressed = (1.0 + filling + filling.powi(2) - filling.powi(3)) / (1.0 - filling).powi(3);
    let ours = elastic.pressure / (elastic.density * elastic.temperature);
    let Cooling { tau, fitted, exact, course } = cooling(setup)?;
    let mut rows = vec![
        Row::at_most(
            format!("drift of energy / E in {seconds:.0} s, {COLLISIONS} collisions each"),
            "",
            (elastic.energy - 1.0).abs(),
            1e-3,
        )
        .from("D2: elastic"),
        Row::relative("<v^4> / <v^2>^2", "", 5.0 / 3.0, elastic.peak, 0.01)
            .from("D2: Maxwell's distribution"),
        Row::relative("pressure / (n T)", "", compressed, ours, 0.02)
            .from("D2: Carnahan and Starling, core n"),
        Row::relative(
            "collisions in the middle, by Enskog's rate",
            "",
            1.0,
            elastic.blows / elastic.blows_by_law,
            0.03,
        )
        .from("D2: core n, T"),
        Row::relative("e 0.9: time constant of cooling in the middle", "s", exact, tau, 0.03)
            .from("D2: Haff, core n; mean of 3 seeds"),
        Row::relative("e 0.9: time constant of the whole box", "s", exact, fitted, f64::INFINITY)
            .from("D2, told: near walls balls meet fewer others, and stay warmer"),
    ];
    // The course of the cooling, for its plot: a look per time constant.
    for k in 1..=5 {
        let ours =
            course.iter().find(|&&(t, _)| t >= f64::from(k) * exact).map_or(f64::NAN, |&(_, share)| share);
        let law = (1.0 + f64::from(k)).powi(-2);
        rows.push(
            Row::relative(format!("e 0.9: temperature after {k} tau"), "", law, ours, f64::INFINITY)
                .from("D2, told: (1 + t/tau)^-2")
                .over("T/T0 over time (tau)", f64::from(k)),
        );
    }
    Ok(rows)
}

/// 1/tau of Haff's law at this density and temperature, 1/s.
fn decay(restitution: f64, density: f64, temperature: f64) -> f64 {
    (1.0 - restitution * restitution) / 6.0 * rate(density) * temperature.sqrt()
}

/// Volume of the middle, m³: a cube of half the edge.
const MIDDLE: f64 = 0.125 * SIDE * SIDE * SIDE;

fn is_inside(at: &Displacement) -> bool {
    at.amax() < 0.25 * SIDE
}

/// Collisions of a ball per second at temperature 1 J and this density, Enskog's rate.
fn rate(density: f64) -> f64 {
    let filling = density * PI * D.powi(3) / 6.0;
    let crowding = (1.0 - 0.5 * filling) / (1.0 - filling).powi(3);
    4.0 * PI.sqrt() * density * D * D * crowding
}

/// How a gas with e = 0.9 cools.
struct Cooling {
    /// Time constant of T = T0/(1 + t/tau)²: by what collisions take in the middle, by the temperature of all balls, and by theory, s.
    tau: f64,
    fitted: f64,
    exact: f64,
    /// Times (s) and T/T0 of one gas.
    course: Vec<(f64, f64)>,
}

/// Lets gases cool for five time constants.
fn cooling(setup: &Setup) -> Outcome<Cooling> {
    const E: f64 = 0.9;
    let expected = 1.0 / decay(E, 191.0, 1.0);
    let (mut blows, mut by_law, mut fitted, mut exact, mut course) = (0.0, 0.0, 0.0, 0.0, Vec::new());
    for seed in SEEDS {
        let cooled = measure(setup, E, 5.5 * expected, seed)?;
        let first = cooled.cooling.first().map_or(f64::NAN, |&(_, t)| t);
        // sqrt(T0/T) - 1 = t/tau: a line through the origin.
        let (mut xy, mut xx) = (0.0, 0.0);
        for &(t, temperature) in &cooled.cooling {
            xy += t * ((first / temperature).sqrt() - 1.0);
            xx += t * t;
        }
        let share = 1.0 / SEEDS.len() as f64;
        fitted += share * xx / xy;
        exact += share / decay(E, cooled.density, first);
        blows += cooled.blows;
        by_law += cooled.blows_by_law;
        course = cooled.cooling.iter().map(|&(t, temperature)| (t, temperature / first)).collect();
    }
    Ok(Cooling { tau: exact * by_law / blows, fitted, exact, course })
}

/// Lets an elastic gas forget its lattice for a second, gives it the restitution, and measures.
fn measure(setup: &Setup, restitution: f64, seconds: f64, seed: u64) -> Outcome<Measured> {
    let mut lab = setup.lab(0.0, 1.0, 0.0)?;
    let walls = walls(&mut lab)?;
    let balls = balls(&mut lab, seed)?;
    lab.settle(1.0)?;
    let between = MaterialId::default();
    let pair =
        PairMaterial { restitution: restitution as f32, ..lab.world.materials().pair(between, between) };
    lab.world.materials_mut().set_pair(between, between, pair)?;
    let begin = lab.world.kinetic_energy();
    let mut m = Measured {
        energy: 0.0,
        peak: 0.0,
        pressure: 0.0,
        temperature: 0.0,
        density: 0.0,
        cooling: Vec::new(),
        blows: 0.0,
        blows_by_law: 0.0,
    };
    let (mut steps, mut push) = (0.0, 0.0);
    m.cooling.push((0.0, begin * 2.0 / (3.0 * COUNT)));
    lab.run(seconds, |world, t| {
        let (mut second, mut fourth, mut inside, mut inner) = (0.0, 0.0, 0.0, 0.0);
        for &ball in &balls {
            let body = world.body(ball)?;
            let square = f64::from(body.linear_velocity.norm_squared());
            second += square / COUNT;
            fourth += square * square / COUNT;
            if is_inside(&body.center.coords) {
                inside += 1.0;
                inner += square;
            }
        }
        m.cooling.push((t, second / 3.0));
        steps += 1.0;
        // Collisions of rate w per ball of 1 kg have a mean squared closing speed c² of 4 T, and blows of (1 + e) c/2: per ball w T/2, of which an
        // inelastic gas loses 1 - e². Haff's law is that.
        let between = world.contacts().filter(|c| !c.bodies.iter().any(|body| walls.contains(body)));
        let blows = between.filter(|c| is_inside(&c.point.coords));
        m.blows +=
            blows.map(|c| f64::from(c.impulse.norm_squared())).sum::<f64>() / (1.0 + restitution).powi(2);
        let warmth = inner / (3.0 * inside);
        m.blows_by_law += setup.dt() * inside * 0.5 * warmth * rate(inside / MIDDLE) * warmth.sqrt();
        m.peak += fourth / (second * second);
        m.temperature += second / 3.0;
        m.density += inside / MIDDLE;
        // In the middle half of each wall only, before which the gas is that of the core.
        let is_middle = |c: &ContactRef| c.point.coords.iter().filter(|x| x.abs() < 0.25 * SIDE).count() == 2;
        let on_walls = world.contacts().filter(|c| c.bodies.iter().any(|b| walls.contains(b)));
        push += on_walls.filter(is_middle).map(|c| f64::from(c.impulse.dot(&c.normal)).abs()).sum::<f64>();
        Ok(())
    })?;
    m.energy = lab.world.kinetic_energy() / begin;
    m.pressure = push / (steps * setup.dt() * 6.0 * (0.5 * SIDE).powi(2));
    [m.peak, m.temperature, m.density] = [m.peak, m.temperature, m.density].map(|sum| sum / steps);
    Ok(m)
}

/// Six walls that take no energy: the laws are those of the gas alone.
fn walls(lab: &mut Lab) -> Outcome<Vec<BodyHandle>> {
    let (of_balls, of_walls) = (MaterialId::default(), MaterialId(1));
    let pair = PairMaterial { restitution: 1.0, ..lab.world.materials().pair(of_balls, of_balls) };
    lab.world.materials_mut().set_pair(of_balls, of_walls, pair)?;
    let mut walls = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let (mut at, mut normal) = ([0.0; 3], [0.0; 3]);
            (at[axis], normal[axis]) = (0.5 * SIDE * side, -side);
            let collider = ColliderSpec::new(Shape::half_space(vector(normal))?).material(of_walls);
            let spec = BodySpec::fixed().collider(collider);
            walls.push(lab.add(spec.pose(Pose::at(at[0], at[1], at[2])))?);
        }
    }
    Ok(walls)
}

/// Balls on a lattice with Gaussian velocities, scaled and shifted to a temperature of 1 J and no momentum.
fn balls(lab: &mut Lab, seed: u64) -> Outcome<Vec<BodyHandle>> {
    let mut random = Random::new(seed);
    // The sum of twelve even numbers is Gaussian enough: what collides becomes Maxwellian.
    let mut normal = || (0..12).map(|_| random.between(-0.5, 0.5)).sum::<f64>();
    let mut speeds: Vec<Displacement> =
        (0..EDGE_COUNT.pow(3)).map(|_| Displacement::from_fn(|_, _| normal())).collect();
    let mean = speeds.iter().sum::<Displacement>() / COUNT;
    speeds.iter_mut().for_each(|v| *v -= mean);
    let scale = (3.0 * COUNT / speeds.iter().map(Displacement::norm_squared).sum::<f64>()).sqrt();
    let spacing = (SIDE - D) / f64::from(EDGE_COUNT);
    let body = |(i, v): (u32, &Displacement)| {
        let cell = [i % EDGE_COUNT, i / EDGE_COUNT % EDGE_COUNT, i / EDGE_COUNT.pow(2)];
        let [x, y, z] = cell.map(|k| spacing * (f64::from(k) + 0.5) - 0.5 * (SIDE - D));
        lab.add(ball(0.5 * D, 1.0)?.pose(Pose::at(x, y, z)).linear_velocity(vector((*v * scale).into())))
    };
    (0..).zip(&speeds).map(body).collect()
}
