//! How fast the coordinates of a tie change.

use super::{JointConstraint, JointCoordinates, LEAST_OPENING, SPAN, TIE_AXES, TWIST};
use crate::Bodies;
use drystone_math::{Real, Vector3, larger};

/// One and the cosine of a swing below which its rates are bounded: some 3 degrees from half a revolution.
const LEAST: Real = 1e-3;
/// Angle of a swing, rad, below which the rotation vector of it changes as it turns.
const SMALL: Real = 1e-3;

impl JointConstraint {
    /// How fast the coordinates change by the velocities that bodies have, by place: m/s and rad/s.
    ///
    /// Those of the swing are the rates of its rotation vector. At half a revolution a swing has no direction, and neither they nor the rate of the twist have
    /// a meaning: they are bounded there.
    pub fn rates(&self, bodies: &Bodies) -> [Real; TIE_AXES] {
        let (_, arms, centers) = self.place(bodies);
        let hot = self.bodies.map(|body| bodies.hot(body));
        let spins = hot.map(|hot| hot.angular);
        let speed = |k: usize| hot[k].linear + spins[k].cross(&arms[k]);
        let gap = centers + arms[1] - arms[0];
        self.frames_now(bodies).coordinates().rates(&gap, &(speed(1) - speed(0)), &spins)
    }
}

impl JointCoordinates {
    /// Rates of the coordinates, by the gap of the origins and how fast it changes (m and m/s, world), and the angular velocities of both frames (rad/s, world).
    ///
    /// With the swing `s` as a rotation vector, `φ` its length, and the angular velocity `w` of B against A without the part of the twist, all in A's axes:
    /// ```text
    /// ṡ = w − s × w / 2 + (1 − φ/2 cot(φ/2)) / φ² s × (s × w)
    /// ```
    fn rates(&self, gap: &Vector3, speed: &Vector3, spins: &[Vector3; 2]) -> [Real; TIE_AXES] {
        let along = speed - spins[0].cross(gap);
        let spin = spins[1] - spins[0];
        let in_a = |v: &Vector3| Vector3::new(self.axes[0].dot(v), self.axes[1].dot(v), self.axes[2].dot(v));
        let s = Vector3::new(0.0, self.values[TWIST + 1], self.values[TWIST + 2]);
        let angle = s.norm();
        // With the x axis of B the twist is `(x + x_b)·w / (1 + x·x_b)`; coordinates have that bounded.
        let opening = 1.0 + angle.cos();
        let x_of_b = self.twist * larger(opening, LEAST_OPENING) - self.axes[0];
        let twist = (self.axes[0] + x_of_b).dot(&spin) / larger(opening, LEAST);
        let w = in_a(&(spin - x_of_b * twist));
        let half = 0.5 * angle;
        let bent = if angle > SMALL { (1.0 - half / half.tan()) / (angle * angle) } else { 1.0 / 12.0 };
        let across = s.cross(&w);
        let swing = w - across * 0.5 + s.cross(&across) * bent;
        let mut rates = [0.0; TIE_AXES];
        for (rate, axis) in rates.iter_mut().zip(&self.axes) {
            *rate = axis.dot(&along);
        }
        (rates[TWIST], rates[TWIST + 1], rates[TWIST + 2]) = (twist, swing.y, swing.z);
        rates[SPAN] = self.span.dot(speed);
        rates
    }
}

#[cfg(test)]
mod tests {
    use super::super::JointFrames;
    use super::*;
    use drystone_math::rotation_from_vector;

    /// Rates are those by which coordinates change, by differences: of frames that move and turn in all ways, near and far from where swings are 0.
    #[test]
    fn rates_are_differences_over_time() {
        let spins = [Vector3::new(0.4, -0.7, 0.3), Vector3::new(-0.2, 0.5, 0.9)];
        let speed = Vector3::new(0.8, -0.3, 0.6);
        for (twist, swing) in [
            (0.3, [0.0, 0.0]),
            (0.8, [0.5, -0.4]),
            (-1.5, [-1.3, 0.9]),
            (2.0, [1e-4, 2e-4]),
            (0.4, [-1.8, 1.6]),
            (0.0, [0.0, 1.9]),
        ] {
            let base = rotation_from_vector(&Vector3::new(-0.2, 0.4, 1.0));
            let relative = rotation_from_vector(&Vector3::new(0.0, swing[0], swing[1]))
                * rotation_from_vector(&Vector3::new(twist, 0.0, 0.0));
            let gap = Vector3::new(0.3, 1.2, -0.5);
            let at = |time: Real| JointFrames {
                rotations: [
                    rotation_from_vector(&(spins[0] * time)) * base,
                    rotation_from_vector(&(spins[1] * time)) * base * relative,
                ],
                gap: gap + speed * time,
            };
            let rates = at(0.0).coordinates().rates(&gap, &speed, &spins);
            let small = 4e-3;
            let [before, after] = [at(-small), at(small)].map(|frames| frames.coordinates().values);
            for k in 0..TIE_AXES {
                let wanted = (after[k] - before[k]) / (2.0 * small);
                assert!(
                    (rates[k] - wanted).abs() < 2e-3,
                    "{twist} {swing:?}, {k}: {} and {wanted}",
                    rates[k]
                );
            }
        }
    }
}
