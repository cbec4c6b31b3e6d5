//! C4: how thin an arch of loose stones may be.

use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, bisect, vector};
use crate::validate::row::Row;
use drystone::math::{Displacement, Pose, Rotation};
use drystone::{BodyHandle, BodySpec, ColliderSpec, Shape};
use std::f64::consts::PI;

/// Stones; width, m; the mean radius is 1 m.
const STONES: u32 = 15;
const WIDE: f64 = 0.3;

/// C4: a semicircle of 15 stones with radial joints.
pub(crate) fn arch(setup: &Setup) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    let seconds = setup.seconds(5.0, if setup.is_slow() { 5.0 } else { 60.0 });
    let mut lab = Arch::new(setup, 0.12)?;
    let thrust = lab.thrust(2.0)?;
    // Between the least and the greatest thrust of the lines that stay within the stones.
    let inside = thrust.clamp(0.1890, 0.2073);
    rows.push(
        Row::absolute("thrust / weight at t/R 0.12", "", inside, thrust, 0.0)
            .from("C4: 0.1890 to 0.2073, linear program"),
    );
    let before = lab.places()?;
    lab.lab.settle(seconds)?;
    let drift = lab.places()?.iter().zip(&before).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    rows.push(
        Row::at_most(format!("drift in {seconds} s at t/R 0.12"), "m", drift, 1e-4)
            .from("C4: stands, < 0.1 mm"),
    );
    rows.push(
        Row::at_least(
            "fall of the crown in 5 s at t/R 0.095",
            "m",
            0.05,
            Arch::new(setup, 0.095)?.fall(5.0)?,
        )
        .from("C4: falls below 0.106"),
    );
    if setup.is_full {
        let limit = bisect(0.09, 0.13, 5e-4, |t| Ok(Arch::new(setup, t)?.fall(5.0)? < 0.02))?;
        rows.push(
            Row::absolute("least t/R that stands", "", limit.clamp(0.106, 0.112), limit, 0.0)
                .from("C4: 0.10627 by linear program; 0.106 to 0.112"),
        );
    }
    Ok(rows)
}

/// A standing arch.
pub(super) struct Arch {
    pub(super) lab: Lab,
    pub(super) stones: Vec<BodyHandle>,
}

impl Arch {
    /// Of this thickness, m. Stones are not glued; mu 0.7.
    fn new(setup: &Setup, thickness: f64) -> Outcome<Self> {
        Self::in_lab(setup.lab(G, 0.0, 0.7)?, thickness, false)
    }

    /// The same in a lab of its own; stones sleep if they may.
    pub(super) fn in_lab(mut lab: Lab, thickness: f64, can_sleep: bool) -> Outcome<Self> {
        lab.plane([0.0, 1.0, 0.0])?;
        let half = 0.5 * PI / f64::from(STONES);
        let (sin, cos) = half.sin_cos();
        // Around its place on the mean circle, at angle zero: x outwards, y along the arch.
        let mut corners = Vec::new();
        for radius in [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness] {
            for (y, z) in [(-sin, -0.5), (-sin, 0.5), (sin, -0.5), (sin, 0.5)] {
                corners.push(vector([radius * cos - 1.0, radius * y, z * WIDE]));
            }
        }
        let stone = Shape::hull(&corners)?;
        let stones = (0..STONES).map(|k| {
            let angle = half * f64::from(2 * k + 1);
            let rotation = Rotation::from_euler_angles(0.0, 0.0, angle as f32);
            let pose = Pose::new([angle.cos(), angle.sin(), 0.0].into(), rotation);
            let collider = ColliderSpec::new(stone.clone());
            lab.add(BodySpec::dynamic().collider(collider).pose(pose).can_sleep(can_sleep))
        });
        let stones = stones.collect::<Outcome<_>>()?;
        Ok(Self { lab, stones })
    }

    /// How far the crown comes down, m.
    fn fall(&mut self, seconds: f64) -> Outcome<f64> {
        let crown = self.stones[self.stones.len() / 2];
        let before = self.lab.position(crown)?.y;
        self.lab.settle(seconds)?;
        Ok(before - self.lab.position(crown)?.y)
    }

    /// Mean horizontal force between the middle stones over the weight, in the second half of this time.
    fn thrust(&mut self, seconds: f64) -> Outcome<f64> {
        let (left, right) = (self.stones[0], self.stones[self.stones.len() - 1]);
        let (mut sideways, mut upwards) = (0.0, 0.0);
        self.lab.run(seconds, |world, t| {
            if t < 0.5 * seconds {
                return Ok(());
            }
            for contact in world.contacts() {
                let [a, b] = contact.bodies;
                for (body, other, sign) in [(a, b, -1.0), (b, a, 1.0)] {
                    // What the ground gives to both springers; they push outwards against it in opposite directions.
                    let is_stone = [left, right].contains(&body);
                    if is_stone && world.body(other)?.mass == 0.0 {
                        let inwards = if body == left { -1.0 } else { 1.0 };
                        sideways += 0.5 * inwards * sign * f64::from(contact.impulse.x);
                        upwards += sign * f64::from(contact.impulse.y);
                    }
                }
            }
            Ok(())
        })?;
        Ok(sideways / upwards)
    }

    /// Where the stones are.
    pub(super) fn places(&self) -> Outcome<Vec<Displacement>> {
        self.stones.iter().map(|&stone| self.lab.position(stone)).collect()
    }
}
