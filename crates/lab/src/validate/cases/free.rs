//! A: free motion.

use crate::shell::Outcome;
use crate::validate::lab::{G, Setup, ball, converges, order, vector, wide};
use crate::validate::row::Row;
use drystone::math::inertia::MassProperties;
use drystone::math::{Displacement, Pose, Real};
use drystone::{BodyHandle, BodySpec, World};
use std::f64::consts::TAU;

/// Half the spacing of `f32` between 8 and 16, the fastest binade of the flight, m/s.
const HALF_ULP: f64 = 4.8e-7;

/// A1: a thrown ball for 2 s.
///
/// Bodies move with the velocity of the last step, so a fall lags behind by g dt T / 2, exactly: that is the
/// reference ([`Setup::lag`] is dt there; with sub-steps a fall is ahead by one of them). What differs from it is rounding, at most half a unit of the last place of the velocity per
/// step, for half of the time on average.
pub(crate) fn flight(setup: &Setup) -> Outcome<Vec<Row>> {
    const T: f64 = 2.0;
    let expected = |setup: &Setup| 0.5 * G * setup.lag() * T;
    let (sideways, late) = flown(setup, T)?;
    let (_, late_fine) = flown(&setup.refined(), T)?;
    let rounding = |setup: &Setup| setup.hz() * T * HALF_ULP * 0.5 * T;
    let order_limit = 0.05_f64.max((rounding(&setup.refined()) / expected(&setup.refined())).abs());
    Ok(vec![
        Row::at_most("sideways error after 2 s", "m", sideways, 1e-5).from("A1, T"),
        Row::absolute("height above the parabola", "m", expected(setup), late, rounding(setup))
            .from("A1: g lag T/2; limit f32 rounding"),
        Row::absolute("order of convergence", "", 1.0, order(late, late_fine), order_limit)
            .from("A1; first-order integrator"),
    ])
}

/// Errors of a flight against the parabola: sideways, and upwards (with its sign), m.
fn flown(setup: &Setup, seconds: f64) -> Outcome<(f64, f64)> {
    let mut lab = setup.lab(G, 0.5, 0.5)?;
    let body = lab.add(ball(0.1, 1.0)?.linear_velocity(vector([3.0, 5.0, 4.0])))?;
    lab.settle(seconds)?;
    let off = lab.position(body)? - Displacement::new(6.0, 10.0 - 2.0 * G, 8.0);
    Ok((off.x.hypot(off.z), off.y))
}

/// A rigid body that spins freely about its centre, in double precision beside the engine.
struct Spin {
    body: BodyHandle,
    /// Principal moments along the body's own axes, kg m².
    moments: [f64; 3],
}

/// Angular momentum (world), kinetic energy, angular velocity in the body's frame.
struct SpinState {
    momentum: Displacement,
    energy: f64,
    own: [f64; 3],
    /// The body's y axis, world.
    axis: Displacement,
}

impl Spin {
    fn state(&self, world: &World) -> Outcome<SpinState> {
        let rotation = world.pose(self.body)?.rotation;
        let angular = wide(&world.velocity(self.body)?.1);
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| wide(&(rotation * vector(e))));
        let own = axes.map(|axis| axis.dot(&angular));
        let mut momentum = Displacement::zeros();
        let mut energy = 0.0;
        for i in 0..3 {
            momentum += axes[i] * (self.moments[i] * own[i]);
            energy += 0.5 * self.moments[i] * own[i] * own[i];
        }
        Ok(SpinState { momentum, energy, own, axis: axes[1] })
    }
}

fn spinning(moments: [f64; 3], angular: [f64; 3]) -> BodySpec {
    let mass = MassProperties::aligned(1.0, vector(moments));
    BodySpec::dynamic().mass(mass).angular_velocity(vector(angular)).pose(Pose::IDENTITY).can_sleep(false)
}

/// A2: a body spinning about its middle axis turns over and over (Dzhanibekov).
pub(crate) fn tumbling(setup: &Setup) -> Outcome<Vec<Row>> {
    const INTERVAL: f64 = 3.429574;
    let seconds = setup.seconds(20.0, 60.0);
    let tumbled = tumble(setup, seconds)?;
    let fine = tumble(&setup.refined(), seconds)?;
    Ok(vec![
        Row::relative("first flip", "s", 1.94286, tumbled.first, 1e-3).from("A2, elliptic integral"),
        Row::relative("interval of flips", "s", INTERVAL, tumbled.interval, 1e-3)
            .from("A2, elliptic integral"),
        Row::at_most("change of |L| and direction / L", "", tumbled.momentum, 1e-6).from("A2, T"),
        Row::at_most("change of energy / E", "", tumbled.energy, 1e-4).from("A2"),
        converges(
            "order of the interval",
            1.0,
            tumbled.interval - INTERVAL,
            fine.interval - INTERVAL,
            ROUNDING,
        )
        .from("A2 at dt and dt/4"),
    ])
}

/// Errors of times and rates below which rounding of `f32` is left, as the last digits of the rows show, s and rad/s.
const ROUNDING: f64 = 1e-4;

/// When a body turned over, and the largest changes of angular momentum and energy, as shares.
struct Tumbled {
    first: f64,
    interval: f64,
    momentum: f64,
    energy: f64,
}

fn tumble(setup: &Setup, seconds: f64) -> Outcome<Tumbled> {
    let mut lab = setup.lab(0.0, 0.5, 0.5)?;
    let moments = [1.0, 2.0, 3.0];
    let spin = Spin { body: lab.add(spinning(moments, [0.1, 5.0, 0.1]))?, moments };
    let begin = spin.state(&lab.world)?;
    let (mut momentum, mut energy) = (0.0_f64, 0.0_f64);
    let mut last = (0.0, begin.own[1]);
    let mut flips = Vec::new();
    lab.run(seconds, |world, t| {
        let now = spin.state(world)?;
        momentum = momentum.max((now.momentum - begin.momentum).norm() / begin.momentum.norm());
        energy = energy.max((now.energy / begin.energy - 1.0).abs());
        let (t0, w0): (f64, f64) = last;
        if w0 * now.own[1] < 0.0 {
            flips.push(t0 + (t - t0) * w0 / (w0 - now.own[1]));
        }
        last = (t, now.own[1]);
        Ok(())
    })?;
    let first = flips.first().copied().unwrap_or(f64::NAN);
    let interval =
        if flips.len() < 2 { f64::NAN } else { (flips[flips.len() - 1] - first) / (flips.len() - 1) as f64 };
    Ok(Tumbled { first, interval, momentum, energy })
}

/// A3: the axis of a free symmetric top goes round the angular momentum.
pub(crate) fn top(setup: &Setup) -> Outcome<Vec<Row>> {
    let moments = [1.0 / 240.0, 1.0 / 150.0, 1.0 / 240.0];
    let turns = setup.seconds(20.0, 100.0);
    let (rate, drift) = precession(setup, moments, turns)?;
    // Rate of the exact motion: L / I1.
    let exact = (moments[1] * 10.0).hypot(moments[0] * 3.0) / moments[0];
    let step_angle = 10.44 * setup.dt();
    let second_order = 0.25 * step_angle * step_angle;
    let (fine, _) = precession(&setup.refined(), moments, turns)?;
    Ok(vec![
        Row::relative("rate of precession", "rad/s", exact, rate, second_order)
            .from("A3: L/I1; limit (w dt)^2/4, second order"),
        Row::at_most("drift of the cone angle", "rad", drift, 1e-4).from("A3"),
        converges("order of the rate", 2.0, rate - exact, fine - exact, ROUNDING).from("A3 at dt and dt/4"),
    ])
}

/// Mean rate at which the axis goes round L (rad/s), and the largest change of its angle to L (rad).
fn precession(setup: &Setup, moments: [f64; 3], turns: f64) -> Outcome<(f64, f64)> {
    let mut lab = setup.lab(0.0, 0.5, 0.5)?;
    let spin = Spin { body: lab.add(spinning(moments, [3.0, 10.0, 0.0]))?, moments };
    let first = spin.state(&lab.world)?;
    let up = first.momentum.normalize();
    let ahead = (first.axis - up * first.axis.dot(&up)).normalize();
    let left = up.cross(&ahead);
    let cone = first.axis.dot(&up).acos();
    let (mut whole, mut last, mut drift, mut time) = (0.0, 0.0, 0.0_f64, 0.0);
    lab.run(turns * TAU / 16.278821, |world, t| {
        let axis = spin.state(world)?.axis;
        let azimuth = axis.dot(&left).atan2(axis.dot(&ahead));
        let change: f64 = azimuth - last;
        // Counts the revolutions: a step turns by far less than half of one.
        whole += change - TAU * (change / TAU).round();
        (last, time) = (azimuth, t);
        drift = drift.max((axis.dot(&up).clamp(-1.0, 1.0).acos() - cone).abs());
        Ok(())
    })?;
    debug_assert!((whole as Real).is_finite(), "the axis has a direction");
    Ok((whole / time, drift))
}
