//! B16: a stone that turns one way only.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, vector, wide};
use crate::validate::row::Row;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Real, Rotation};
use drystone::{BodySpec, ColliderSpec, Shape};

/// Squares of the semi-axes along the stone, upwards and across, m²: 0.1, 0.02, 0.025 m. The lower half is there.
const SQUARES: [f64; 3] = [0.1 * 0.1, UP * UP, 0.025 * 0.025];
const UP: f64 = 0.02;
/// How far the centre of mass lies below the ellipsoid's centre, m.
const LOW: f64 = 3.0 / 8.0 * UP;
/// How far the axes of inertia are turned about the vertical, rad.
const TURN: f64 = 2.0 * std::f64::consts::PI / 180.0;
/// Spin at the start and how fast the stone is tapped about its long and its short axis, rad/s; mass, kg; how long it is looked at, s.
const SPIN: f64 = 3.0;
const TAP: f64 = 0.2;
const MASS: f64 = 1.0;
const SECONDS: f64 = 8.0;
/// Spin the other way from which on the stone has turned back, rad/s. In these seconds the smooth one turns back after 3.1 s when it is spun to the
/// right; when it is spun to the left its slow roll across takes 13 s to turn it.
const BACK: f64 = 0.1 * SPIN;

/// B16: spun against the turn of its axes it comes back, spun along it does not.
pub(crate) fn rattleback(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    let (fine, coarse) = (stone(1)?, stone(2)?);
    for (name, spin) in [("left", SPIN), ("right", -SPIN)] {
        let exact = smooth(spin);
        let [ours, gain] = spun(setup, &fine, spin)?;
        let [wider, _] = spun(setup, &coarse, spin)?;
        let comes_back = |least: f64| f64::from(u8::from(least < -BACK));
        let least = |of: &str, ours| {
            let name = format!("spun to the {name}: least spin the same way in {SECONDS} s{of}");
            Row::absolute(name, "rad/s", exact, ours, f64::INFINITY).from("B16, told: the smooth stone")
        };
        rows.extend([
            Row::absolute(
                format!("spun to the {name}: turns back (1) or not (0)"),
                "",
                comes_back(exact),
                comes_back(ours),
                0.0,
            )
            .from("B16: rolling of the smooth stone"),
            least("", ours),
            least(", facets twice as wide", wider),
            Row::at_most(format!("spun to the {name}: gain of energy / that of the spin"), "", gain, 1e-3)
                .from("B16: energy does not rise"),
        ]);
    }
    Ok(rows)
}

/// Moments about the centre of mass, along the stone's axes turned by [`TURN`], kg m².
fn moments() -> [f64; 3] {
    let [x, y, z] = SQUARES.map(|square| 0.2 * MASS * square);
    let shift = MASS * LOW * LOW;
    [y + z - shift, x + z, x + y - shift]
}

/// Least spin in the direction of the start (rad/s) of a smooth stone that rolls without slipping, by Runge's and Kutta's method.
fn smooth(spin: f64) -> f64 {
    const STEP: f64 = 5e-4;
    let mut state = (Displacement::new(TAP, spin, TAP), Displacement::y());
    let mut least = f64::INFINITY;
    for _ in 0..(SECONDS / STEP) as u32 {
        state = Stone::step(state, STEP);
        least = least.min(spin.signum() * state.0.dot(&state.1));
    }
    least
}

/// Angular velocity (rad/s) and the vertical, both in the stone's axes.
type Rolling = (Displacement, Displacement);

/// The smooth stone.
struct Stone;

impl Stone {
    /// Angular momentum about the centre of mass, kg m²/s.
    fn momentum(w: &Displacement) -> Displacement {
        let (sin, cos) = TURN.sin_cos();
        let turned = Displacement::new(w.x * cos - w.z * sin, w.y, w.x * sin + w.z * cos);
        let of_axes = turned.component_mul(&Displacement::from(moments()));
        Displacement::new(of_axes.x * cos + of_axes.z * sin, of_axes.y, of_axes.z * cos - of_axes.x * sin)
    }

    /// From the centre of mass to the point of contact, and its rate, m and m/s.
    fn arm(up: &Displacement, rate: &Displacement) -> [Displacement; 2] {
        let squares = Displacement::from(SQUARES);
        let (far, drift) = (squares.component_mul(up), squares.component_mul(rate));
        let size = up.dot(&far).sqrt();
        let arm = -far / size + Displacement::y() * LOW;
        [arm, far * (rate.dot(&far) / size.powi(3)) - drift / size]
    }

    /// What rolls has the velocity -w x r; with the force that follows, the balance of moments about the centre of mass is
    /// `I w' + m r x (w' x r) = -w x I w + m r x (g n - w x r' - w x (w x r))`.
    fn slopes((w, up): Rolling) -> Rolling {
        let rate = -w.cross(&up);
        let [arm, drift] = Self::arm(&up, &rate);
        let force = up * G - w.cross(&drift) - w.cross(&w.cross(&arm));
        let moment = arm.cross(&force) * MASS - w.cross(&Self::momentum(&w));
        // Columns of the matrix on the left; three equations by determinants.
        let column = |unit: Displacement| Self::momentum(&unit) + arm.cross(&unit.cross(&arm)) * MASS;
        let [a, b, c] = [Displacement::x(), Displacement::y(), Displacement::z()].map(column);
        let solved = [moment.dot(&b.cross(&c)), a.dot(&moment.cross(&c)), a.dot(&b.cross(&moment))];
        (Displacement::from(solved) / a.dot(&b.cross(&c)), rate)
    }

    fn step(at: Rolling, step: f64) -> Rolling {
        let ahead = |by: f64, slope: Rolling| (at.0 + slope.0 * by, at.1 + slope.1 * by);
        let first = Self::slopes(at);
        let second = Self::slopes(ahead(0.5 * step, first));
        let third = Self::slopes(ahead(0.5 * step, second));
        let fourth = Self::slopes(ahead(step, third));
        let mean = |of: fn(Rolling) -> Displacement| {
            (of(first) + of(fourth) + (of(second) + of(third)) * 2.0) * (step / 6.0)
        };
        (at.0 + mean(|s| s.0), (at.1 + mean(|s| s.1)).normalize())
    }
}

/// Least spin in the direction of the start (rad/s), and the largest gain of energy over that of the spin.
fn spun(setup: &Setup, stone: &Shape, spin: f64) -> Outcome<[f64; 2]> {
    let mut lab = setup.lab(G, 0.0, 1.0)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let mass = MassProperties {
        center: vector([0.0, -LOW, 0.0]),
        frame: Rotation::from_euler_angles(0.0, TURN as Real, 0.0),
        ..MassProperties::aligned(MASS as Real, vector(moments()))
    };
    let angular = Displacement::new(TAP, spin, TAP);
    let linear = -angular.cross(&Displacement::new(0.0, LOW - UP, 0.0));
    let spec = BodySpec::dynamic().collider(ColliderSpec::new(stone.clone())).mass(mass).can_sleep(false);
    let spec = spec
        .pose(Pose::at(0.0, UP, 0.0))
        .linear_velocity(vector(linear.into()))
        .angular_velocity(vector(angular.into()));
    let body = lab.add(spec)?;
    let energy = |world: &drystone::World| -> Outcome<f64> {
        let pose = world.pose(body)?;
        let center = pose.translation.y - LOW * wide(&(pose.rotation * vector([0.0, 1.0, 0.0]))).y;
        // Velocities belong to another time than poses, half of the lag away.
        let center = center + 0.5 * setup.lag() * f64::from(world.velocity(body)?.0.y);
        Ok(world.kinetic_energy() + MASS * G * center)
    };
    let start = energy(&lab.world)?;
    let unit = 0.5 * moments()[1] * SPIN * SPIN;
    let (mut least, mut gain) = (f64::INFINITY, 0.0_f64);
    lab.run(SECONDS, |world, _| {
        least = least.min(spin.signum() * f64::from(world.velocity(body)?.1.y));
        gain = gain.max((energy(world)? - start) / unit);
        Ok(())
    })?;
    Ok([least, gain])
}

/// The stone as a hull: corners where the ellipsoid's normal is turned in so many steps of [`ALONG`] and [`ACROSS`], and the rim. A facet of width s
/// that comes down takes the share m s²/I of the energy: about the short axis 3e-4 of it per facet of 1.5 mm, a percent per rad.
fn stone(coarser: i32) -> Outcome<Shape> {
    let mut corners = Vec::new();
    let squares = Displacement::from(SQUARES);
    let steps = |(step, count): (f64, i32)| {
        let count = count / coarser;
        (-count..=count).map(move |k| (step * f64::from(coarser * k)).tan())
    };
    for x in steps(ALONG) {
        for z in steps(ACROSS) {
            let normal = Displacement::new(x, -1.0, z);
            let far = squares.component_mul(&normal);
            corners.push(vector((far / normal.dot(&far).sqrt()).into()));
        }
    }
    for k in 0..16 {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 16.0).sin_cos();
        corners.push(vector([cos * SQUARES[0].sqrt(), 0.0, sin * SQUARES[2].sqrt()]));
    }
    Ok(Shape::hull(&corners)?)
}

/// Step of the normal, rad, and number of steps to each side: fine where the stone rocks.
const ALONG: (f64, i32) = (0.003, 40);
const ACROSS: (f64, i32) = (0.03, 16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smooth_stone_keeps_its_energy_and_turns_back_one_way_only() {
        let energy = |(w, up): Rolling| {
            let [arm, _] = Stone::arm(&up, &Displacement::zeros());
            0.5 * (w.dot(&Stone::momentum(&w)) + MASS * w.cross(&arm).norm_squared())
                - MASS * G * arm.dot(&up)
        };
        let begin = (Displacement::new(TAP, SPIN, TAP), Displacement::y());
        let mut state = begin;
        for _ in 0..2000 {
            state = Stone::step(state, 5e-4);
        }
        assert!((energy(state) / energy(begin) - 1.0).abs() < 1e-6);
        assert_ne!(smooth(SPIN) < -BACK, smooth(-SPIN) < -BACK);
    }
}
