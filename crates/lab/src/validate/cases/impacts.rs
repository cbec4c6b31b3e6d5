//! A5, B8, B9, D1: impacts.

use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, ball, cuboid, vector, wide};
use crate::validate::row::Row;
use drystone::math::{Displacement, Pose, Rotation};
use drystone::{BodyHandle, World};
use drystone_scenes::Random;

/// A5: momentum of 200 colliding bodies without gravity.
pub(crate) fn momentum(setup: &Setup) -> Outcome<Vec<Row>> {
    let as_is = swarm(setup, true)?;
    let uncorrected = swarm(setup, false)?;
    Ok(vec![
        Row::at_most("change of P / sum m|v|", "", as_is.linear, 1e-6).from("A5, T"),
        Row::at_most("change of L / sum |L|, correction off", "", uncorrected.angular, 1e-6).from("A5, T"),
        Row::at_most("change of L / sum |L|, correction on", "", as_is.angular, 1e-6)
            .from("A5: told, correction moves centres")
            .only_told(),
        Row::at_most("largest gain of energy in a step / E", "", as_is.gain, 1e-6)
            .from("dissipation; limit f32 rounding"),
        Row::at_least("share of energy lost in impacts", "", 0.05, as_is.lost).from("A5: there were impacts"),
    ])
}

/// What 5 s do to a swarm.
struct Swarm {
    linear: f64,
    angular: f64,
    gain: f64,
    lost: f64,
}

fn swarm(setup: &Setup, is_corrected: bool) -> Outcome<Swarm> {
    let mut config = setup.config(0.0);
    config.correction.enabled = is_corrected;
    let mut lab = Lab::new(config, setup.dt(), 0.5, 0.5)?;
    let mut random = Random::new(5);
    for i in 0..200_u32 {
        let cell = [i % 6, i / 6 % 6, i / 36].map(|k| (f64::from(k) - 2.5) * 4.0 / 6.0);
        let shift = random.vector(0.05);
        let at = [0, 1, 2].map(|k| cell[k] + shift[k]);
        let (linear, angular, turn) = (random.vector(2.0), random.vector(3.0), random.vector(3.0));
        let body = if i % 2 == 0 { ball(0.15, 1.0)? } else { cuboid([0.3, 0.25, 0.2], 1.5)? };
        let rotation = Rotation::from_scaled_axis(vector(turn));
        let pose = Pose::new(at.into(), rotation);
        lab.add(body.pose(pose).linear_velocity(vector(linear)).angular_velocity(vector(angular)))?;
    }
    let (linear, angular, scale) = moments(&lab.world);
    let begin = lab.world.kinetic_energy();
    let (mut last, mut gain) = (begin, 0.0_f64);
    lab.run(5.0, |world, _| {
        let now = world.kinetic_energy();
        gain = gain.max((now - last) / begin);
        last = now;
        Ok(())
    })?;
    let (linear_after, angular_after, _) = moments(&lab.world);
    Ok(Swarm {
        linear: (linear_after - linear).norm() / scale.0,
        angular: (angular_after - angular).norm() / scale.1,
        gain,
        lost: 1.0 - last / begin,
    })
}

/// Momentum, angular momentum about the origin, and the sums of their amounts.
fn moments(world: &World) -> (Displacement, Displacement, (f64, f64)) {
    let bodies = world.body_store();
    let (mut linear, mut angular, mut scale) = (Displacement::zeros(), Displacement::zeros(), (0.0, 0.0));
    for body in world.bodies() {
        let Ok(index) = bodies.index(body.handle) else { continue };
        let p = wide(&body.linear_velocity) * f64::from(body.mass);
        let spin =
            bodies.view().local_inertia[index.get()].world(&body.pose.rotation) * body.angular_velocity;
        let l = body.center.coords.cross(&p) + wide(&spin);
        linear += p;
        angular += l;
        scale = (scale.0 + p.norm(), scale.1 + l.norm());
    }
    (linear, angular, scale)
}

/// B8: apexes of a bouncing ball.
pub(crate) fn bounce(setup: &Setup) -> Outcome<Vec<Row>> {
    const E: f64 = 0.8;
    let (apexes, last_bounce) = bounces(setup, E, 6.0)?;
    let mut rows = Vec::new();
    for (i, name) in ["first apex", "second apex", "third apex"].into_iter().enumerate() {
        let ours = apexes.get(i).copied().unwrap_or(f64::NAN);
        rows.push(Row::relative(name, "m", E.powi(2 * (i as i32 + 1)), ours, 5e-3).from("B8: e^2n h"));
    }
    // Below the restitution threshold of 1.1 g dt no bounce is left to wait for.
    let exact = (2.0 / G).sqrt() * (1.0 + E) / (1.0 - E);
    let unheard = 2.2 * setup.dt() * E / (1.0 - E);
    rows.push(
        Row::absolute("time of the last bounce", "s", exact, last_bounce, 5e-3 * exact + unheard)
            .from("B8; 0.5 % + bounces below the threshold"),
    );
    let (elastic, _) = bounces(setup, 1.0, setup.seconds(10.0, 60.0))?;
    let off = elastic.iter().map(|h| (h - 1.0).abs()).fold(0.0, f64::max);
    let off = if elastic.is_empty() { f64::NAN } else { off };
    rows.push(Row::at_most("e = 1: largest change of apex", "m", off, 1e-3).from("B8, 0.1 %"));
    for restitution in [0.25, E] {
        let speed = after_rest(setup, restitution)?;
        rows.push(
            Row::at_most(format!("e = {restitution}: fastest rise, 8 to 9 s"), "m/s", speed, 1e-3)
                .from("B8: no bounce after rest"),
        );
    }
    Ok(rows)
}

/// Fastest upward speed of a ball between 8 and 9 s after it was dropped from 1 m, m/s.
fn after_rest(setup: &Setup, restitution: f64) -> Outcome<f64> {
    let mut lab = setup.lab(G, restitution, 0.5)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let body = lab.add(ball(0.1, 1.0)?.pose(Pose::at(0.0, 1.1, 0.0)))?;
    lab.settle(8.0)?;
    let mut fastest = 0.0_f64;
    lab.run(1.0, |world, _| {
        fastest = fastest.max(f64::from(world.velocity(body)?.0.y));
        Ok(())
    })?;
    Ok(fastest)
}

/// Heights of the apexes after bounces (m), and the time of the last bounce (s).
fn bounces(setup: &Setup, restitution: f64, seconds: f64) -> Outcome<(Vec<f64>, f64)> {
    let mut lab = setup.lab(G, restitution, 0.5)?;
    lab.plane([0.0, 1.0, 0.0])?;
    let body = lab.add(ball(0.1, 1.0)?.pose(Pose::at(0.0, 1.1, 0.0)))?;
    let (mut apexes, mut last_bounce, mut before, mut top) = (Vec::new(), 0.0, 0.0, f64::NAN);
    lab.run(seconds, |world, t| {
        let (height, up) = (world.pose(body)?.translation.y - 0.1, f64::from(world.velocity(body)?.0.y));
        // A ball at rest trembles by the resolution threshold: only what rises counts.
        if before < 0.0 && up > 1e-3 {
            (last_bounce, top) = (t, height);
        }
        top = top.max(height);
        if before > 0.0 && up <= 0.0 && top.is_finite() {
            apexes.push(top);
            top = f64::NAN;
        }
        before = up;
        Ok(())
    })?;
    Ok((apexes, last_bounce))
}

/// B9: a ball hits the ground obliquely, and slips or sticks.
pub(crate) fn oblique(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, friction, along, turning) in
        [("slip", 0.1, 4.46, 1.35), ("stick", 0.5, 25.0 / 7.0, 25.0 / 7.0)]
    {
        let mut lab = setup.lab(0.0, 0.8, friction)?;
        lab.plane([0.0, 1.0, 0.0])?;
        let body = ball(0.1, 1.0)?.pose(Pose::at(0.0, 0.2, 0.0)).linear_velocity(vector([5.0, -3.0, 0.0]));
        let body = lab.add(body)?;
        lab.settle(0.2)?;
        let (linear, angular) = lab.velocity(body)?;
        rows.push(Row::relative(format!("{name}: along"), "m/s", along, linear.x, 1e-4).from("B9"));
        rows.push(Row::relative(format!("{name}: R w"), "m/s", turning, -0.1 * angular.z, 1e-4).from("B9"));
        rows.push(Row::relative(format!("{name}: upwards"), "m/s", 2.4, linear.y, 1e-4).from("B9"));
    }
    Ok(rows)
}

/// D1: n of five balls in a row come in, n leave.
pub(crate) fn cradle(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, gap) in [("touching", 0.0), ("gaps 0.1 mm", 1e-4)] {
        let mut worst = [0.0_f64; 3];
        for count in 1..=4 {
            let errors = cradle_of(setup, count, gap)?;
            rows.push(
                Row::at_most(format!("{count} of 5, {name}: largest |v - ideal|"), "m/s", errors[0], 1e-3)
                    .from("D1"),
            );
            worst = [0, 1, 2].map(|i| worst[i].max(errors[i]));
        }
        rows.push(Row::at_most(format!("{name}: change of P / P"), "", worst[1], 1e-6).from("D1"));
        rows.push(Row::at_most(format!("{name}: change of E / E"), "", worst[2], 1e-4).from("D1"));
    }
    Ok(rows)
}

/// Largest error of a velocity (m/s), of momentum and energy as shares.
fn cradle_of(setup: &Setup, count: u32, gap: f64) -> Outcome<[f64; 3]> {
    const COUNT: u32 = 5;
    let mut lab = setup.lab(0.0, 1.0, 0.0)?;
    let mut bodies: Vec<BodyHandle> = Vec::new();
    for i in 0..COUNT {
        let is_coming = i < count;
        let x = f64::from(i) * (0.2 + gap) - if is_coming { 0.25 } else { 0.0 };
        let speed = if is_coming { 1.0 } else { 0.0 };
        let body = ball(0.1, 1.0)?.pose(Pose::at(x, 0.0, 0.0)).linear_velocity(vector([speed, 0.0, 0.0]));
        bodies.push(lab.add(body)?);
    }
    lab.settle(0.5)?;
    let (mut worst, mut momentum, mut energy) = (0.0_f64, 0.0, 0.0);
    for (i, &body) in (0..COUNT).zip(&bodies) {
        let ideal = if i >= COUNT - count { 1.0 } else { 0.0 };
        let v = lab.velocity(body)?.0;
        worst = worst.max((v - Displacement::new(ideal, 0.0, 0.0)).norm());
        momentum += v.x;
        energy += v.norm_squared();
    }
    let n = f64::from(count);
    Ok([worst, (momentum / n - 1.0).abs(), (energy / n - 1.0).abs()])
}
