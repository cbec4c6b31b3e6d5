//! C6: whether bodies may sleep changes nothing that can be measured.

use super::arch::Arch;
use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, ball, cuboid, vector};
use crate::validate::row::Row;
use drystone::BodyHandle;
use drystone::math::{Displacement, Pose};
use drystone_scenes::Preset;

/// C6: a tower and, in a full run, an arch with and without sleep; and a slow ball.
pub(crate) fn asleep(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    let (awake, _) = tower(setup, false)?;
    let (slept, force) = tower(setup, true)?;
    rows.push(
        Row::at_most("tower of 5: difference of places after 4 s", "m", farthest(&awake, &slept), 1e-3)
            .from("C6: sleep on and off"),
    );
    rows.push(
        Row::relative("tower of 5, asleep: force of the ground / weight", "", 1.0, force, 1e-3)
            .from("C6: the stored force"),
    );
    // 6 s of the arch take minutes with the accurate settings.
    if setup.is_full && setup.preset != Preset::ThesisAccurate {
        let places = |can_sleep: bool| -> Outcome<Vec<Displacement>> {
            let mut arch = Arch::in_lab(setup.lab(G, 0.0, 0.7)?, 0.2, can_sleep)?;
            arch.lab.settle(6.0)?;
            arch.places()
        };
        rows.push(
            Row::at_most(
                "arch, t/R 0.2: difference of places after 6 s",
                "m",
                farthest(&places(false)?, &places(true)?),
                1e-3,
            )
            .from("C6: sleep on and off"),
        );
    }
    rows.push(
        Row::at_most("steps asleep of a ball that rolls at 1 cm/s", "", slow_ball(setup)?, 0.0)
            .from("C6: what rolls does not rest"),
    );
    Ok(rows)
}

fn farthest(a: &[Displacement], b: &[Displacement]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Where the boxes of a tower are after 4 s, and what the ground carries in the last step over their weight.
fn tower(setup: &Setup, can_sleep: bool) -> Outcome<(Vec<Displacement>, f64)> {
    const COUNT: u32 = 5;
    let mut lab = setup.lab(G, 0.0, 0.5)?;
    let ground = lab.plane([0.0, 1.0, 0.0])?;
    let boxes = (0..COUNT).map(|k| {
        let at = Pose::at(0.0, 0.5 * f64::from(k) + 0.25, 0.0);
        lab.add(cuboid([0.5; 3], 1.0)?.pose(at).can_sleep(can_sleep))
    });
    let boxes: Vec<BodyHandle> = boxes.collect::<Outcome<_>>()?;
    lab.settle(4.0)?;
    let side = |bodies: [BodyHandle; 2]| bodies.map(|body| f64::from(u8::from(body == ground)));
    let force = lab.world.contacts().map(|contact| {
        let [a, b] = side(contact.bodies);
        (a - b) * f64::from(contact.impulse.y)
    });
    let force = force.sum::<f64>() / (f64::from(COUNT) * G * setup.dt());
    Ok((places(&lab, &boxes)?, force))
}

fn places(lab: &Lab, bodies: &[BodyHandle]) -> Outcome<Vec<Displacement>> {
    bodies.iter().map(|&body| lab.position(body)).collect()
}

/// Steps of 5 s during which a ball is asleep that starts to roll at 1 cm/s down a slope of 0.01 degrees.
fn slow_ball(setup: &Setup) -> Outcome<f64> {
    const SPEED: f64 = 0.01;
    let (sin, cos) = 0.01_f64.to_radians().sin_cos();
    let mut lab = setup.lab(G, 0.0, 0.5)?;
    lab.plane([sin, cos, 0.0])?;
    let spec = ball(0.1, 1.0)?.can_sleep(true).pose(Pose::at(0.1 * sin, 0.1 * cos, 0.0));
    let spec = spec.linear_velocity(vector([SPEED * cos, -SPEED * sin, 0.0]));
    let body = lab.add(spec.angular_velocity(vector([0.0, 0.0, -SPEED / 0.1])))?;
    let mut steps = 0.0;
    lab.run(5.0, |world, _| {
        steps += f64::from(u8::from(world.body(body)?.is_asleep));
        Ok(())
    })?;
    Ok(steps)
}
