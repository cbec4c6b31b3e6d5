//! What the cases of granular matter share: grains, tubes, rough floors.
//!
//! Lengths are metres where laboratories have centimetres: rigid grains know no scale but `sqrt(d/g)`, and with grains of 0.1 m that is six
//! steps at 60 per second.

use crate::shell::Outcome;
use crate::validate::lab::{G, Lab, Setup, ball, fixed_cuboid, vector, wide};
use drystone::math::{Displacement, Pose, Rotation};
use drystone::{BodyHandle, BodySpec, ColliderSpec, Shape, World};
use drystone_scenes::Random;
use std::f64::consts::{PI, TAU};

/// Mean diameter of the grains, m; sizes spread by 5 % to both sides. Density, kg/m³.
pub(super) const D: f64 = 0.1;
const SPREAD: f64 = 0.05;
const DENSITY: f64 = 2500.0;
/// Share of the volume that grains are counted with.
const PACKED: f64 = 0.6;

/// Grains in a lab.
pub(super) struct Grains {
    pub(super) lab: Lab,
    pub(super) bodies: Vec<BodyHandle>,
    /// Of all grains, kg.
    pub(super) mass: f64,
}

/// Number of grains that fill a tube of this radius to this height.
pub(super) fn count(radius: f64, height: f64) -> u32 {
    (PACKED * PI * radius * radius * height / (PI * D.powi(3) / 6.0)).round() as u32
}

impl Grains {
    /// An empty lab for grains without restitution.
    pub(super) fn new(setup: &Setup, friction: f64) -> Outcome<Self> {
        Ok(Self { lab: setup.lab(G, 0.0, friction)?, bodies: Vec::new(), mass: 0.0 })
    }

    /// Adds grains on a loose lattice within a tube of this radius, from the ground up.
    pub(super) fn pour(&mut self, radius: f64, count: u32, seed: u64) -> Outcome {
        const CELL: f64 = 1.12 * D;
        let mut random = Random::new(seed);
        let across = (radius / CELL).ceil() as i32;
        let mut layer = 0;
        while (self.bodies.len() as u32) < count {
            let places = (-across..=across).flat_map(|i| (-across..=across).map(move |k| [i, k]));
            for [i, k] in places {
                let [x, z] = [i, k].map(|n| CELL * f64::from(n));
                if x.hypot(z) > radius - 0.56 * D || self.bodies.len() as u32 == count {
                    continue;
                }
                let shift = random.vector(0.02 * D);
                let r = 0.5 * D * (1.0 + random.between(-SPREAD, SPREAD));
                let mass = DENSITY * 4.0 / 3.0 * PI * r.powi(3);
                let y = CELL * (f64::from(layer) + 0.6);
                self.bodies.push(self.lab.add(ball(r, mass)?.pose(Pose::at(
                    x + shift[0],
                    y + shift[1],
                    z + shift[2],
                )))?);
                self.mass += mass;
            }
            layer += 1;
        }
        Ok(())
    }

    /// Height of a column that is as full everywhere: twice that of its centre of mass.
    pub(super) fn height(&self) -> Outcome<f64> {
        let sum = self.places()?.iter().map(|at| at.y).sum::<f64>();
        Ok(2.0 * sum / self.bodies.len() as f64)
    }

    /// Where the grains are.
    pub(super) fn places(&self) -> Outcome<Vec<Displacement>> {
        self.bodies.iter().map(|&grain| self.lab.position(grain)).collect()
    }

    /// Takes away what fell below a height; returns how much that was, kg.
    pub(super) fn drain(&mut self, below: f64) -> Outcome<f64> {
        let mut gone = 0.0;
        let mut kept = Vec::with_capacity(self.bodies.len());
        for &grain in &self.bodies {
            if self.lab.position(grain)?.y < below {
                gone += f64::from(self.lab.world.body(grain)?.mass);
                self.lab.world.remove_body(grain)?;
            } else {
                kept.push(grain);
            }
        }
        self.bodies = kept;
        Ok(gone)
    }

    /// Adds an upright tube of 24 flat sides, whose inscribed circle has this radius, from the ground to this height; kinematic, so that it can be lifted.
    pub(super) fn tube(&mut self, radius: f64, height: f64) -> Outcome<Vec<BodyHandle>> {
        const SIDES: u32 = 24;
        const THICK: f64 = 2.0 * D;
        let half = (radius + THICK) * (PI / f64::from(SIDES)).tan();
        let sides = (0..SIDES).map(|k| {
            let angle = TAU * f64::from(k) / f64::from(SIDES);
            let (sin, cos) = angle.sin_cos();
            let out = radius + 0.5 * THICK;
            let rotation = Rotation::from_euler_angles(0.0, -angle as f32, 0.0);
            let pose = Pose::new([out * cos, 0.5 * height, out * sin].into(), rotation);
            let shape = Shape::cuboid(vector([0.5 * THICK, 0.5 * height, half]))?;
            self.lab.add(BodySpec::kinematic().collider(ColliderSpec::new(shape)).pose(pose))
        });
        sides.collect()
    }

    /// Adds a flat bottom with a round hole of this radius, as 16 flat sides.
    pub(super) fn holed_bottom(&mut self, hole: f64, reach: f64) -> Outcome {
        const SIDES: u32 = 16;
        let long = reach - hole;
        for k in 0..SIDES {
            let angle = TAU * f64::from(k) / f64::from(SIDES);
            let (sin, cos) = angle.sin_cos();
            let rotation = Rotation::from_euler_angles(0.0, -angle as f32, 0.0);
            let out = hole + 0.5 * long;
            let wide = 2.0 * reach * (PI / f64::from(SIDES)).tan();
            // Near the hole, as wide as its side; the rest overlaps its neighbours, all tops at zero.
            let pose = Pose::new([out * cos, -0.5 * D, out * sin].into(), rotation);
            self.lab.add(fixed_cuboid([long, D, wide])?.pose(pose))?;
        }
        Ok(())
    }

    /// Adds a floor of fixed grains on a square lattice out to this radius, whose tops are at zero.
    pub(super) fn rough_floor(&mut self, radius: f64) -> Outcome {
        let across = (radius / D).floor() as i32;
        let grain = Shape::sphere((0.5 * D) as f32)?;
        for i in -across..=across {
            for k in -across..=across {
                let [x, z] = [i, k].map(|n| D * f64::from(n));
                if x.hypot(z) <= radius {
                    let spec = BodySpec::fixed().collider(ColliderSpec::new(grain.clone()));
                    self.lab.add(spec.pose(Pose::at(x, -0.5 * D, z)))?;
                }
            }
        }
        Ok(())
    }
}

/// Sum of the last step's impulses on some bodies, N·s.
pub(super) fn impulse_on(world: &World, bodies: &[BodyHandle]) -> Displacement {
    let mut sum = Displacement::zeros();
    for contact in world.contacts() {
        let impulse = wide(&contact.impulse);
        let [a, b] = contact.bodies.map(|body| bodies.contains(&body));
        sum +=
            if b { impulse } else { Displacement::zeros() } - if a { impulse } else { Displacement::zeros() };
    }
    sum
}

/// Slope and offset of the line through some points, and how well it explains them (R²).
pub(super) fn line(points: &[(f64, f64)]) -> [f64; 3] {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in points {
        xx += (x - mx).powi(2);
        xy += (x - mx) * (y - my);
        yy += (y - my).powi(2);
    }
    [xy / xx, my - xy / xx * mx, xy * xy / (xx * yy)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found() {
        let [slope, offset, share] = line(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert!((slope - 2.0).abs() < 1e-12 && (offset - 1.0).abs() < 1e-12 && (share - 1.0).abs() < 1e-12);
    }
}
